r"""Frequent items of people who hold sets: one item of each set is drawn, and two phases narrow the items down.

A set is padded to ℓ items with dummies.  Of a set of more than ℓ items each counts as ℓ/size only: t_i, the
`expected` of
an item, is min(1, ℓ/size) for the items of the person and 0 for the others.  Every mechanism here is a pure protocol
about something that holds the item with probability t_i/L: a report supports the item with probability p* if so, and q*
otherwise.  With C_v supporting reports,

    f̂_v = L (C_v/n − q*)/(p* − q*),      n² Var f̂_v = Σ_i L² P_i (1 − P_i)/(p* − q*)²,      P_i = q* + (p* − q*) t_i/L.

Three mechanisms draw one of the ℓ items, L = ℓ; `PrivSet` speaks about all of them at once, L = 1.

==============  ===========================================  ==============================================
mechanism       what hides the item                          n Var of an item that nobody holds
==============  ===========================================  ==============================================
`SampledHadamardBit`  one sign of its column of Sylvester's H      ℓ² c²,  c = (e^ε+1)/(e^ε−1)
`SampledSUE`    a bit for each item                          ℓ² s/(s−1)²,  s = e^{ε/2}
`SampledGRR`    the other items and the dummies              [d+ℓ−1+ℓ(e^ε−1)]/(e^ε−1)²
`PrivSet`       the other items of a set                     at most that of `SampledGRR`, at its best size
==============  ===========================================  ==============================================

The first two hide one item as if it were all that a person holds.  The other two gain from what it is, a small part.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance, crowds
from ldpnb.chance import Randomness, bernoulli, distinct, exact, inexact, odds, round_down, uniform
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_array,
    check_codes,
    check_count,
    check_epsilon,
    check_numbers,
)
from ldpnb.core import Example, Mechanism, Records, Reports, Tally, check_records, pad_and_sample, sample_slots
from ldpnb.kernels import fwht
from ldpnb.oracles.frequency import SUE
from ldpnb.oracles.hadamard import HadamardBit

BLOCK = 2**13  # people treated at a time, so that what is being worked on stays in the cache


@dataclass(frozen=True, kw_only=True)
class SetSampling(Mechanism):
    """What all mechanisms for sets share; a subclass adds its client and its two support probabilities.

    Parameters
    ----------
    d : int, at least 1
        Number of items, 0, …, d − 1.
    ell : int, at least 1
        Padding length ℓ.
    epsilon : float

    Values are `Records`, of which the keys alone are used.
    """

    d: int
    ell: int
    epsilon: float
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX), "ell": (1, SIZE_MAX), "epsilon": check_epsilon}

    @property
    @abstractmethod
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): probability that a report supports an item which is drawn, and any other one."""

    @property
    def width(self) -> int:
        """Number of items, dummies included: d + ℓ."""
        return self.d + self.ell

    @property
    def scale(self) -> int:
        """What estimates are multiplied by: ℓ, since one of ℓ items is drawn."""
        return self.ell

    @property
    def rare_variance(self) -> float:
        """Variance of one person's score of an item that the person does not hold: L² q*(1−q*)/(p*−q*)²."""
        p, q = self.support
        return inexact(self.scale**2 * q * (1 - q) / (p - q) ** 2)

    def supporters(self, tally: Tally) -> NDArray[np.float64]:
        """How many reports support each item, (…, d): the counts themselves, where a tally counts items."""
        return tally.counts.astype(np.float64)

    def _values(self, values: Records) -> Records:
        return check_itemsets(values, self.d)

    def _score(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the share of people who hold each item: (…, d)."""
        p, q = self.support
        return (self.supporters(tally) / tally.n - inexact(q)) * inexact(self.scale / (p - q))

    def expected(self, values: Records) -> NDArray[np.float64]:
        """Return min(1, ℓ/size) for the items that the person holds, zero for the others: (n, d)."""
        records = self._values(values)
        found = np.zeros((len(records), self.d))
        found[records.users, records.keys] = (self.ell / np.maximum(records.sizes, self.ell))[records.users]
        return found

    def variance(self, values: Records) -> NDArray[np.float64]:
        """Variance L² P(1−P)/(p*−q*)² with P = h p* + (1−h) q*, h being the chance that the item is drawn: (n, d)."""
        p, q = self.support
        drawn = self.expected(values) / self.scale
        yes = drawn * inexact(p) + (1 - drawn) * inexact(q)
        no = drawn * inexact(1 - p) + (1 - drawn) * inexact(1 - q)  # not 1 − yes, which loses digits where p* is near 1
        return np.asarray(yes * no * inexact(self.scale**2 / (p - q) ** 2))

    def _draw(self, values: Records, rng: Randomness) -> NDArray[np.int64]:
        """Draw an item in [0, d + ℓ) for each person."""
        return pad_and_sample(values, self.d, self.ell, rng)[0]

    @classmethod
    def example(cls) -> list[Example]:
        """All sets of two items and of three; of four items, among others, two sets without a common sign in a row."""
        four = Records.of({0, 2}, {1, 3}, set(), {2}, {0, 1, 2, 3})
        made = [cls(d=d, ell=ell, epsilon=epsilon) for d, ell, epsilon in ((2, 1, 1.0), (3, 1, 4.0), (4, 2, 0.7))]
        inputs = every_set(2), every_set(3), four
        return [Example(m, sets, pairs=m.report_bits < 4) for m, sets in zip(made, inputs, strict=True)]

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For so many items, of which a set holds up to eight."""
        return cls(d=size, ell=crowds.HELD, epsilon=epsilon)

    def crowd(self, n: int, rng: np.random.Generator | None) -> Records:
        """Return sets of up to ℓ items."""
        return crowds.sets(self.d, self.ell, n, rng)


def check_itemsets(values: Records, d: int, name: str = "values") -> Records:
    """Return records if their keys are below d."""
    check_codes(check_records(values, name).keys, d, "keys")
    return values


def every_set(d: int) -> Records:
    """Return all sets of d items, one person each."""
    return Records.of(*(set(np.flatnonzero(held).tolist()) for held in np.ndindex((2,) * d)))


# -------------------------------------------------------------------------------------------- one item of the set


@dataclass(frozen=True, kw_only=True)
class SampledHadamardBit(SetSampling):
    r"""Sampling S-Hist: one item drawn from the padded set, and one sign of its column of Sylvester's matrix.

    A public row is drawn; the sign of the item's entry in it is told truthfully with probability
    :math:`p = e^\varepsilon/(e^\varepsilon+1)`, as by `HadamardBit`.  For a dummy the sign is a fair bit.
    A score is :math:`\pm\ell c`, whatever was drawn, so its variance is :math:`\ell^2c^2 - t^2`, where t is 1 for an
    item of the person (ℓ/size in a long set) and 0 for another one.

    The chance of a sign is a mean over the padded set of p, 1 − p and 1/2, and lies between 1 − p and p.  Both are
    attained if in some row ℓ items have + and ℓ others −, which is so for :math:`2\ell \le d`; otherwise ε is a bound
    that no pair of sets attains (see `realised_epsilon`).

    Source: zhang2018 §3.2.2, Algorithm 2.  It lists the rows of the matrix in another order.  They are the same rows,
    so that transposing it gives items other columns of one matrix: the columns are orthogonal all the same, and nothing
    more is used.

    Reports have the fields ``row`` (public) and ``bit`` (True for a minus sign), (n,).
    """

    label = "sampled S-Hist"
    public_fields: ClassVar[tuple[str, ...]] = ("row",)
    scope = (2 * crowds.HELD, 256, 10**6)

    @cached_property
    def oracle(self) -> HadamardBit:
        """The oracle of the item drawn."""
        return HadamardBit(k=max(self.d, 2), epsilon=self.epsilon)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, 1/2)."""
        return self.oracle.support

    @property
    def realised_epsilon(self) -> float:
        """ln[(1 + Bδ)/(1 − Aδ)], largest over the rows; δ = 2p − 1.

        In a row with a signs of one kind among the d items and b <= a of the other, A = min(a, ℓ)/ℓ and B = min(b, ℓ)/ℓ
        are how much of a set they can fill.
        """
        delta = 2 * self.support[0] - 1
        present = np.zeros(self.oracle.m, np.int64)
        present[: self.d] = 1
        many = {(self.d + abs(int(balance))) // 2 for balance in np.unique(fwht(present))}
        fill = [(Fraction(min(a, self.ell), self.ell), Fraction(min(self.d - a, self.ell), self.ell)) for a in many]
        return chance.log(max((1 + b * delta) / (1 - a * delta) for a, b in fill))

    @property
    def report_bits(self) -> int:
        """One; the row is public."""
        return 1

    @property
    def public_bits(self) -> int:
        """⌈log₂ m⌉ for the row."""
        return self.oracle.public_bits

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        items = self._draw(values, rng)
        real = items < self.d
        reports = np.empty(len(items), self.oracle.dtype)
        reports["row"] = uniform(self.oracle.m, items.shape, rng)
        honest = bernoulli(np.where(real, inexact(self.support[0]), 0.5), items.shape, rng)
        reports["bit"] = self.oracle.minus(reports["row"], np.where(real, items, 0)) == honest
        return reports

    def _reports(self, reports: Reports) -> Reports:
        return self.oracle._reports(reports)

    def _count(self, reports: Reports) -> NDArray[np.int64]:
        """Count the plus and minus signs of each row: (m, 2)."""
        return self.oracle._count(reports)

    def supporters(self, tally: Tally) -> NDArray[np.float64]:
        """How many reports support each item, in O(m log m) whatever n: (…, d)."""
        return self.oracle.supporters(Tally(self.oracle, tally.n, tally.counts))[..., : self.d]


@dataclass(frozen=True, kw_only=True)
class SampledSUE(SetSampling):
    r"""Sampling RAPPOR: one item drawn from the padded set, and a bit for each of the d items.

    The bit of the item drawn is set with probability :math:`p = s/(s+1)`, :math:`s = e^{\varepsilon/2}`, any other with
    :math:`q = 1 - p`.  A dummy is the empty vector: bits of its own would tell the server nothing that it uses.

    A report is between 1/s times and s times as likely for one item drawn as for a dummy, and so for any set.  Both are
    attained if ℓ items have set bits and ℓ others have not, which takes :math:`2\ell \le d`; with fewer items ε is a
    bound that no pair of sets attains.

    Source: zhang2018 §2.2.3, eq. (2-16); Qin et al. 2016.

    Reports are bits, bool (n, d).
    """

    label = "sampled RAPPOR"
    server_cost = "report and item"

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        return SUE(k=2, epsilon=self.epsilon).support

    @property
    def realised_epsilon(self) -> float:
        """ln[(1 + A(s−1))/(1 − B(1−1/s))].

        A is how much of one set are items with set bits, B how much of another are items without.  The report that
        tells most has B = 1 where d >= ℓ items allow it, and the other bits set; all bits set, B = 0, where d < ℓ.
        """
        p, q = self.support
        unset = self.ell if self.d >= self.ell else 0
        fill = Fraction(min(self.d - unset, self.ell), self.ell)
        return chance.log((1 + fill * (p / q - 1)) / (1 - Fraction(unset, self.ell) * (1 - q / p)))

    @property
    def report_bits(self) -> int:
        """One bit an item: d."""
        return self.d

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        items = self._draw(values, rng)
        p, q = (inexact(x) for x in self.support)
        reports = bernoulli(q, (len(items), self.d), rng)
        real = np.flatnonzero(items < self.d)
        reports[real, items[real]] = bernoulli(p, real.shape, rng)
        return reports

    def _reports(self, reports: Reports) -> NDArray[np.bool_]:
        bits = check_array(reports, "reports")
        if bits.dtype != np.bool_ or bits.ndim != 2 or bits.shape[1] != self.d:
            raise ValueError(f"reports must be bool of shape (n, {self.d}), got {bits.dtype} of shape {bits.shape}")
        return bits

    def _count(self, reports: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count the ones of each item, (d,)."""
        return reports.sum(0, dtype=np.int64)  # type: ignore[no-any-return]


# -------------------------------------------------------------------------------- what one item of a set may cost


@dataclass(frozen=True, kw_only=True)
class SampledGRR(SetSampling):
    r"""k-RR on one item drawn from the padded set, with all that sampling allows.

    A report equals an item of the padded set with probability :math:`[e^{\varepsilon'} + \ell - 1]/(\ell Z)` and any
    other item with :math:`1/Z`, so that :math:`e^{\varepsilon'} = 1 + \ell(e^\varepsilon-1)` keeps ε, and attains it,
    whatever d and ℓ; :math:`Z = e^{\varepsilon'} + d + \ell - 1`.

    This takes ℓ *distinct* dummies.  One dummy for all would be drawn from the empty set always and from a full one
    never, and show :math:`\varepsilon'` itself: :math:`\ln[1+\ell(e^\varepsilon-1)]`, if a set can be full.

    Source: Wang, Li and Jha 2018 (padding and sampling).

    Reports are items, dummies after the d items, (n,).
    """

    label = "sampled k-RR"
    scope = (1, 256, 10**6)

    @cached_property
    def keep(self) -> float:
        """Probability of reporting the item drawn, before the blind draw among all; rounded down."""
        more = self.ell * (odds(self.epsilon) - 1)  # e^ε' − 1
        return round_down(more / (more + self.width))

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(keep + blind, blind), where blind is the chance of an item in the blind draw."""
        blind = (1 - exact(self.keep)) / self.width
        return exact(self.keep) + blind, blind

    @property
    def realised_epsilon(self) -> float:
        """ln[1 + (p*/q* − 1)/ℓ]."""
        p, q = self.support
        return chance.log(1 + (p / q - 1) / self.ell)

    @property
    def report_bits(self) -> int:
        """⌈log₂ (d+ℓ)⌉."""
        return (self.width - 1).bit_length()

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        items = self._draw(values, rng)
        return np.where(bernoulli(self.keep, items.shape, rng), items, uniform(self.width, items.shape, rng))

    def _reports(self, reports: Reports) -> NDArray[np.int64]:
        return check_codes(reports, self.width, "reports")

    def _count(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the reports of each item, dummies left out, (d,)."""
        return np.bincount(reports, minlength=self.width)[: self.d]


@dataclass(frozen=True, kw_only=True)
class PrivSet(SetSampling):
    r"""A set of κ items that is e^ε times as likely if it meets the person's padded set as if it does not.

    With :math:`D = d + \ell`, :math:`\nu = \binom{d}{\kappa}/\binom{D}{\kappa}` the share of sets that miss, and
    :math:`\Omega = e^\varepsilon(1-\nu) + \nu`, an item is in the report with probability

    .. math:: p^* = \frac{\kappa}{D}\,\frac{e^\varepsilon}{\Omega}, \qquad
              q^* = \frac{e^\varepsilon(\kappa/D-\mu)+\mu}{\Omega}, \qquad \mu = \nu\kappa/d,

    if it is in the padded set, and if it is not.  From a set of more than ℓ items ℓ are drawn.  ε is attained whatever
    d and ℓ.  For κ = 1 the law is that of `SampledGRR`, for long sets too.

    The client draws how many items of its padded set the report has, by a chain of coins, and then which, all alike.
    Every coin is rounded down, the first one last, so that no set of the report's size shows more than ε; p* and q* are
    those of the rounded coins.

    Source: Wang, Huang et al. 2018 (PrivSet).

    Parameters
    ----------
    size : int
        Items in a report, κ, from 1 to d; 0, the default, stands for the best one (see `set_size`).

    Reports are ascending items, dummies after the d items, int (n, κ).
    """

    size: int = 0
    label = "PrivSet"
    limits: ClassVar[Mapping[str, Limit]] = {"size": (0, SIZE_MAX)}
    server_cost = "report and item"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size > self.d:  # such a report always meets the padded set
            raise ValueError(f"size must be an integer, at most d = {self.d}, got {self.size}")

    @property
    def scale(self) -> int:
        """One: a report speaks about the whole padded set."""
        return 1

    @cached_property
    def set_size(self) -> int:
        """The number of items in a report, κ: `size`, or the one with the least `rare_variance`."""
        return self.size or best_report_size(self.d, self.ell, self.epsilon)

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """How many reports have 0, 1, … items of the padded set, (min(κ, ℓ) + 1,)."""
        size = self.set_size
        return tuple(comb(self.ell, j) * comb(self.d, size - j) for j in range(min(size, self.ell) + 1))

    @cached_property
    def coins(self) -> tuple[float, ...]:
        """Probability of one more item of the padded set, given that there are j already: j = 0, …, min(κ, ℓ) − 1."""
        more, left = [], sum(self.ways[1:])
        for ways in self.ways[1:-1]:
            more.append(round_down(Fraction(left - ways, left)))
            left -= ways
        most = max(p / ways for p, ways in zip(_stops(more), self.ways[1:], strict=True))
        ratio = odds(self.epsilon) / (self.ways[0] * most)  # of hit to miss
        return round_down(ratio / (1 + ratio)), *more

    @cached_property
    def hits(self) -> tuple[Fraction, ...]:
        """Probability that a report has j items of the padded set, (min(κ, ℓ) + 1,)."""
        return tuple(_stops(list(self.coins)))

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): the mean share of the padded set that is in a report, and that of the d other items."""
        inside = sum((j * p for j, p in enumerate(self.hits)), Fraction(0))
        return inside / self.ell, (self.set_size - inside) / self.d

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of the largest probability of a report over the smallest."""
        each = [p / ways for p, ways in zip(self.hits, self.ways, strict=True)]
        return chance.log(max(each) / min(each))

    @property
    def report_bits(self) -> int:
        """⌈log₂ C(d+ℓ, κ)⌉."""
        return (comb(self.width, self.set_size) - 1).bit_length()

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        reports = np.empty((len(values), self.set_size), np.int64)
        for start in range(0, len(values), BLOCK):
            block = slice(start, start + BLOCK)
            reports[block] = self._sets(self._padded(values[block], rng), rng)
        return reports

    def _reports(self, reports: Reports) -> NDArray[np.int64]:
        codes = check_codes(reports, self.width, "reports", ndim=2)
        wrong = np.flatnonzero(np.any(codes[:, 1:] <= codes[:, :-1], axis=1))
        if codes.shape[1] != self.set_size or wrong.size:
            found = codes[wrong[0]].tolist() if wrong.size else f"{codes.shape[1]} of them"
            raise ValueError(f"reports must be {self.set_size} ascending items each, got {found}")
        return codes

    def _count(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the reports that have each item, dummies left out, (d,)."""
        return np.bincount(reports.ravel(), minlength=self.width)[: self.d]

    def _padded(self, records: Records, rng: Randomness) -> NDArray[np.int64]:
        """Each person's ℓ items, dummies included, ascending: (n, ℓ)."""
        slots = sample_slots(records, self.ell, rng)
        sizes = records.sizes[:, None]
        padded = self.d + slots - sizes
        real = slots < sizes
        padded[real] = records.keys[(records.offsets[:-1, None] + slots)[real]]
        return np.sort(padded, 1)

    def _sets(self, padded: NDArray[np.int64], rng: Randomness) -> NDArray[np.int64]:
        """Draw reports about padded sets."""
        n, size = len(padded), self.set_size
        hits, on = np.zeros(n, np.int64), np.arange(n)
        for coin in self.coins:
            on = on[bernoulli(coin, on.shape, rng)]
            hits[on] += 1
        inside = distinct(np.full(n, self.ell), hits, size, rng)
        outside = distinct(np.full(n, self.d), size - hits, size, rng)
        # the r-th of the items outside comes after as many of those inside as have at most r outside before them
        before = padded - np.arange(self.ell)
        for column in range(size):
            outside[:, column] += np.count_nonzero(before <= outside[:, column, None], axis=1)
        found = np.concatenate([np.take_along_axis(padded, np.maximum(inside, 0), 1), outside], 1)
        chosen = np.concatenate([inside >= 0, np.arange(size) < (size - hits)[:, None]], 1)
        return np.sort(found[chosen].reshape(n, size), 1)

    @classmethod
    def example(cls) -> list[Example]:
        """List reports of two items, and then what all have."""
        made = [cls(d=d, ell=d - 1, epsilon=epsilon, size=2) for d, epsilon in ((2, 1.0), (3, 2.0))]
        return [Example(one, every_set(one.d), pairs=one.d < 3) for one in made] + super().example()


def best_report_size(d: int, ell: int, epsilon: float) -> int:
    """Return the size of the reports for which `PrivSet` has the least variance about an item that nobody holds.

    All sizes are tried, in O(d), with probabilities that are not rounded.

    Parameters
    ----------
    d, ell : int, at least 1
    epsilon : float
    """
    d, ell = check_count(d, 1, "d", SIZE_MAX), check_count(ell, 1, "ell", SIZE_MAX)
    e = inexact(odds(check_epsilon(epsilon)))
    size = np.arange(1, d + 1)
    miss = np.cumprod((d - size + 1) / (d + ell - size + 1))
    size, miss = size[miss > 1e-60], miss[miss > 1e-60]  # where nearly no set misses, little is learned
    with_item, miss_with = size / (d + ell), miss * size / d  # κ/D and μ
    told = e * (with_item - miss_with) + miss_with
    untold = e * (1 - miss - with_item + miss_with) + miss - miss_with
    return int(size[np.argmin(told * untold / np.square(miss_with))])


def _stops(coins: list[float]) -> list[Fraction]:
    """Where a chain of coins stops: after 0, 1, … heads."""
    on, found = Fraction(1), []
    for coin in (*map(exact, coins), Fraction(0)):
        found.append(on * (1 - coin))
        on *= coin
    return found


# ------------------------------------------------------------------------------------------------------ two phases


@dataclass(frozen=True, eq=False)
class TwoPhases:
    """What two phases found: of all items first, then of the candidates.

    Attributes
    ----------
    first : ndarray (d,)
        Estimates of the first phase.
    candidates : ndarray of int (k_max,)
        The items that came out largest, largest first.
    second : ndarray (k_max,)
        Estimates of the second phase, in the order of the candidates.
    combined : ndarray (d,)
        One estimate an item, to rank them by.
    first_variance, second_variance : float
        Variance of each phase's estimate of an item that nobody holds: known in advance, and about right if it is rare.
    mechanisms : tuple of two mechanisms
        What people reported through; the second one counts candidates in their order.
    """

    first: NDArray[np.float64]
    candidates: NDArray[np.int64]
    second: NDArray[np.float64]
    combined: NDArray[np.float64]
    first_variance: float
    second_variance: float
    mechanisms: tuple[SetSampling, SetSampling]


def restrict(records: Records, candidates: ArrayLike) -> Records:
    """Return what each person holds among the candidates, an item now being its place in the list of candidates."""
    chosen = check_codes(candidates, None, "candidates")
    if chosen.size == 0 or len(np.unique(chosen)) < len(chosen):
        raise ValueError(f"candidates must be distinct items, at least one, got {chosen.tolist()}")
    keys = check_codes(check_records(records, "records").keys, None, "keys")
    place = np.full(max(int(chosen.max()), int(keys.max(initial=0))) + 1, -1)
    place[chosen] = np.arange(len(chosen))
    found = place[keys]
    before = np.concatenate([[0], np.cumsum(found >= 0)]).astype(np.int64)  # candidates before each entry
    return Records(before[records.offsets], found[found >= 0])


def halves(records: Records, rng: Randomness) -> tuple[Records, Records]:
    """Split people into two halves at random, all splits alike; the second has one more if their number is odd."""
    n = len(check_records(records, "records"))
    if n < 2:
        raise ValueError(f"records must hold at least two people, got {n}")
    people = list(range(n))
    for i, j in enumerate((uniform(n - np.arange(n // 2), (n // 2,), rng) + np.arange(n // 2)).tolist()):
        people[i], people[j] = people[j], people[i]
    return records[np.sort(people[: n // 2])], records[np.sort(people[n // 2 :])]


def largest(estimates: ArrayLike, k: int) -> NDArray[np.int64]:
    """Return the items with the k largest estimates, largest first; of equal ones the lower number."""
    found = check_numbers(estimates, "estimates")
    if found.ndim != 1 or found.size == 0:
        raise ValueError(f"estimates must be a list of at least one number, got shape {found.shape}")
    if not 1 <= check_count(k, 1, "k") <= len(found):
        raise ValueError(f"k must be an integer in [1, {len(found)}], got {k}")
    return np.asarray(np.argsort(-found, kind="stable")[:k], np.int64)


def gfim(
    records: Records, *, d: int, ell: int, epsilon: float, candidates: int, rng: Randomness, corrected: bool = False
) -> TwoPhases:
    r"""GFIM: one half of the people finds candidates, the other half answers about the candidates alone.

    Each person reports once, with all of ε.  Phase one is `SampledHadamardBit` over all items; phase two is
    `SampledHadamardBit` over the k_max candidates.  As printed, what a person holds among the candidates is padded
    to k_max, and

    .. math:: \hat f = [\hat f_1 + (\ell-1)\hat f_2]/\ell

    for candidates (3-5), :math:`\hat f_1` for other items.  The scale of the second phase is not printed: it is k_max,
    since one of k_max slots is drawn; ℓ would be biased by ℓ/k_max.  Padded so far that all candidates fit into one
    set, no two sets differ in all slots, and the second half spends no more than :math:`\ln[(e^\varepsilon+1)/2]`.

    Source: zhang2018 §3.2, Algorithms 2 and 3, eq. (3-5).

    Parameters
    ----------
    records : Records
    d, ell : int
        Number of items, and padding length of the first phase.
    epsilon : float
        Budget of a person.
    candidates : int
        k_max, at most d.
    rng : Randomness
    corrected : bool
        Pad to min(ℓ, k_max) in the second phase, and weigh the phases by their inverse variances.  The weights are
        those of items that nobody holds, known before any report.
    """
    first = SampledHadamardBit(d=d, ell=ell, epsilon=epsilon)
    k = _check_candidates(candidates, first.d)
    first_half, second_half = halves(check_itemsets(records, first.d, "records"), rng)
    second = SampledHadamardBit(d=k, ell=min(first.ell, k) if corrected else k, epsilon=epsilon)
    v1, v2 = first.rare_variance / len(first_half), second.rare_variance / len(second_half)
    return _two(first, first_half, second, second_half, v1 / (v1 + v2) if corrected else 1 - 1 / first.ell, rng)


def ldpminer(
    records: Records,
    *,
    d: int,
    ell: int,
    first_epsilon: float,
    second_epsilon: float,
    candidates: int,
    rng: Randomness,
    second: type[SampledHadamardBit] | type[SampledSUE] = SampledHadamardBit,
) -> TwoPhases:
    """LDPMiner: everybody finds candidates with one part of the budget, and answers about them with the other.

    Each person reports twice, so that the budget of a person is first_epsilon + second_epsilon.  Phase one is
    `SampledHadamardBit` over all items; in phase two what a person holds among the candidates is padded to k_max.
    `combined` has the second phase's estimates for candidates, and the first's for other items.

    Source: Qin et al. 2016, as told by zhang2018; how the phases are combined is not told.

    Parameters
    ----------
    records : Records
    d, ell : int
        Number of items, and padding length of the first phase.
    first_epsilon, second_epsilon : float
        Budget of a person in each phase.
    candidates : int
        k_max, at most d.
    rng : Randomness
    second : type
        Mechanism of the second phase, `SampledHadamardBit` or `SampledSUE`.
    """
    first = SampledHadamardBit(d=d, ell=ell, epsilon=check_epsilon(first_epsilon, "first_epsilon"))
    k = _check_candidates(candidates, first.d)
    people = check_itemsets(records, first.d, "records")
    if second not in (SampledHadamardBit, SampledSUE):
        raise ValueError(f"second must be SampledHadamardBit or SampledSUE, got {second!r}")
    refined = second(d=k, ell=k, epsilon=check_epsilon(second_epsilon, "second_epsilon"))
    return _two(first, people, refined, people, 1.0, rng)


def _two(
    first: SetSampling, before: Records, second: SetSampling, after: Records, weight: float, rng: Randomness
) -> TwoPhases:
    """Run two phases, and weigh the second one of candidates by `weight`."""
    f1 = _collect(first, before, rng)
    candidates = largest(f1, second.d)
    f2 = _collect(second, restrict(after, candidates), rng)
    combined = f1.copy()
    combined[candidates] = (1 - weight) * f1[candidates] + weight * f2
    v1, v2 = first.rare_variance / len(before), second.rare_variance / len(after)
    return TwoPhases(f1, candidates, f2, combined, v1, v2, (first, second))


def _collect(mechanism: SetSampling, records: Records, rng: Randomness) -> NDArray[np.float64]:
    return mechanism.estimate(mechanism.tally(mechanism.perturb(records, rng=rng)))


def _check_candidates(candidates: int, d: int) -> int:
    if check_count(candidates, 1, "candidates") > d:
        raise ValueError(f"candidates must be an integer in [1, d = {d}], got {candidates}")
    return int(candidates)
