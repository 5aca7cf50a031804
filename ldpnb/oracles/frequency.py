"""Frequency oracles for one value a person: k-RR, unary encodings, local hashing, subsets; and the least risk of any.

All are *pure protocols* (Wang, Blocki, Li and Jha 2017): a report supports some items; it supports the person's own
item with probability p* and any other with probability q*.  With C_v supporting reports among n,

    f̂_v = (C_v/n − q*) / (p* − q*),      n² Var f̂_v = Σ_i p*(1−p*) or q*(1−q*), over (p* − q*)².
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, sqrt
from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance, crowds
from ldpnb.chance import (
    Randomness,
    bernoulli,
    binomial,
    exact,
    inexact,
    odds,
    packed_bernoulli,
    round_down,
    round_up,
    uniform,
)
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_array,
    check_codes,
    check_count,
    check_epsilon,
    check_fields,
    check_flag,
    check_histogram,
    check_people,
)
from ldpnb.core import Example, Mechanism, Reports, Tally
from ldpnb.hashing import PRIME, Quadratic, check_prime
from ldpnb.kernels import (
    count_ones,
    count_packed,
    flip_ranked,
    ones_of_rows,
    set_drawn,
)

BLOCK = 2**13  # people treated at a time, so that what is being worked on stays in the cache
ROUNDS = 4  # of places drawn blindly for packed sets; of what is missing then, few items are left


@dataclass(frozen=True, kw_only=True)
class PureProtocol(Mechanism):
    """What all pure protocols share; a subclass adds its client and its two support probabilities.

    Parameters
    ----------
    k : int, at least 2
        Size of the domain {0, …, k−1}.
    epsilon : float
    """

    k: int
    epsilon: float
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, SIZE_MAX), "epsilon": check_epsilon}

    @property
    @abstractmethod
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): probability that a report supports the person's own item, and any other one."""

    def supporters(self, tally: Tally) -> NDArray[np.float64]:
        """How many reports support each item, (…, k): the counts themselves, where a tally counts items."""
        return tally.counts.astype(np.float64)

    def _values(self, values: ArrayLike) -> NDArray[np.int64]:
        return check_codes(values, self.k)

    def _score(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the share of each item: (…, k)."""
        p, q = self.support
        return (self.supporters(tally) / tally.n - inexact(q)) / inexact(p - q)

    def expected(self, values: ArrayLike) -> NDArray[np.float64]:
        """One for the person's item, zero for the others: (n, k)."""
        return np.equal.outer(self._values(values), np.arange(self.k)).astype(np.float64)

    def variance(self, values: ArrayLike) -> NDArray[np.float64]:
        """Variance p*(1−p*)/(p*−q*)² for the person's item, q*(1−q*)/(p*−q*)² for the others: (n, k)."""
        p, q = self.support
        own, other = inexact(p * (1 - p) / (p - q) ** 2), inexact(q * (1 - q) / (p - q) ** 2)
        return np.where(self.expected(values) == 1, own, other)

    @abstractmethod
    def linear_variance(self, weights: ArrayLike) -> NDArray[np.float64]:
        r"""Variance of a weighted sum of one person's scores, for each item the person may hold: (…, k).

        `variance` is about each item alone; the error of a sum, a difference or a ratio of shares needs the joint
        law of a
        report.  With :math:`s_v` the score of item v, entry x is :math:`\operatorname{Var}[\sum_v w_v s_v \mid x]`.

        Parameters
        ----------
        weights : array_like of float (…, k)
            A weight for each item; leading axes run over sums.

        Raises
        ------
        ValueError
            If there are not k weights, or one is not a finite number.
        """

    def simulate_marginals(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population, exact for each item alone: for mean-square errors, never for top lists or maxima.

        Parameters
        ----------
        counts : array_like of int (k,)
            How many people hold each item.
        trials : int
        rng : numpy.random.Generator or Paths

        Returns
        -------
        Tally
            Counts (trials, k).
        """
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        n = int(histogram.sum())
        p, q = (inexact(x) for x in self.support)
        shape = (trials, self.k)
        return Tally(self, n, binomial(histogram, p, shape, rng) + binomial(n - histogram, q, shape, rng))

    @classmethod
    def example(cls) -> list[Example]:
        """Two to four items, at a small, a usual and a large ε."""
        made = [cls(k=k, epsilon=epsilon) for k, epsilon in ((2, 1.0), (3, 0.1), (4, 3.0))]
        return [Example(one, np.arange(one.k), histogram=True) for one in made]

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For so many items."""
        return cls(k=size, epsilon=epsilon)

    def crowd(self, n: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
        """Items."""
        return crowds.codes(self.k, n, rng)


@dataclass(frozen=True, kw_only=True)
class GRR(PureProtocol):
    r"""k-ary randomized response (k-RR); for k = 2, Warner's randomized response (W-RR).

    Keep the value with probability :math:`(e^\varepsilon-1)/(e^\varepsilon+k-1)`, otherwise report any of the k items,
    all alike: :math:`p^* = e^\varepsilon/(e^\varepsilon+k-1)`, :math:`q^* = 1/(e^\varepsilon+k-1)`.

    Source: Warner 1965 (k = 2); Kairouz, Bonawitz and Ramage 2016; ye2018 §1.2.1 and §4.1.1.

    Reports are items, (n,).
    """

    label = "k-RR"

    @cached_property
    def keep(self) -> float:
        """Probability of answering with the value, before the blind draw; rounded down."""
        e = odds(self.epsilon)
        return round_down((e - 1) / (e + self.k - 1))

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*)."""
        blind = (1 - exact(self.keep)) / self.k
        return exact(self.keep) + blind, blind

    @property
    def realised_epsilon(self) -> float:
        """ln(p*/q*)."""
        p, q = self.support
        return chance.log(p / q)

    @property
    def report_bits(self) -> int:
        """⌈log₂ k⌉."""
        return (self.k - 1).bit_length()

    def _perturb(self, values: NDArray[np.int64], rng: Randomness) -> Reports:
        return np.where(bernoulli(self.keep, values.shape, rng), values, uniform(self.k, values.shape, rng))

    def _reports(self, reports: Reports) -> NDArray[np.int64]:
        return check_codes(reports, self.k, "reports")

    def _count(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the reports of each item, (k,)."""
        return np.bincount(reports, minlength=self.k)

    def linear_variance(self, weights: ArrayLike) -> NDArray[np.float64]:
        r"""Variance of the weight of the reported item: (…, k).  See `PureProtocol.linear_variance`.

        With weights shifted to mean zero, which changes nothing, since one item is reported, it is
        :math:`q^* \{\sum_v w_v^2 + k (p^*-q^*) w_x^2\} / (p^*-q^*)^2`.
        """
        w, (p, q) = check_weights(weights, self.k), self.support
        w = np.square(w - w.mean(-1, keepdims=True))
        return np.asarray(inexact(q / (p - q) ** 2) * (w.sum(-1, keepdims=True) + inexact(self.k * (p - q)) * w))

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population with this histogram, exact in their joint law, in O(k) each: (trials, k)."""
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        kept = binomial(histogram, self.keep, (trials, self.k), rng)
        n = int(histogram.sum())
        return Tally(self, n, kept + chance.scatter(n - kept.sum(-1), self.k, rng))


@dataclass(frozen=True, kw_only=True)
class BitReports(PureProtocol):
    """What oracles share whose report is a bit an item, set where the item is supported.

    Parameters
    ----------
    packed : bool
        Whether reports are packed, eight items to a byte.

    Reports are bool (n, k), or, packed, uint8 (n, ⌈k/8⌉): item v is bit v % 8 of byte v // 8 (numpy's bit order
    "little"), and bits left over are zero.  Both are drawn by the same law, but not from the same random numbers.
    """

    packed: bool = False
    limits: ClassVar[Mapping[str, Limit]] = {"packed": check_flag}
    server_cost = "report and item"

    @property
    def report_shape(self) -> tuple[type[np.generic], int]:
        """Type and number of a report's entries."""
        return (np.uint8, -(-self.k // 8)) if self.packed else (np.bool_, self.k)

    def _reports(self, reports: Reports) -> NDArray[Any]:
        bits, (kind, width) = check_array(reports, "reports"), self.report_shape
        if bits.dtype != kind or bits.ndim != 2 or bits.shape[1] != width:
            rule = f"{kind.__name__} of shape (n, {width})"
            raise ValueError(f"reports must be {rule}, got {bits.dtype} of shape {bits.shape}")
        return bits

    def _count(self, reports: NDArray[Any]) -> NDArray[np.int64]:
        """Count the reports that support each item, (k,)."""
        if not self.packed:
            return count_ones(reports)
        counts = count_packed(reports)
        if counts[self.k :].any():
            raise ValueError(f"reports must have zeros after their {self.k} bits, got a one")
        return counts[: self.k]


@dataclass(frozen=True, kw_only=True)
class UnaryEncoding(BitReports):
    """One bit an item: the own bit is set with probability p, any other with probability q.

    Two values differ in two bits, so ε = ln[p(1−q) / (q(1−p))] whatever k.  Reports as for `BitReports`.
    """

    @property
    def realised_epsilon(self) -> float:
        """ln[p(1−q) / (q(1−p))]."""
        p, q = self.support
        return chance.log(p * (1 - q) / (q * (1 - p)))

    @property
    def report_bits(self) -> int:
        """One bit an item: k."""
        return self.k

    def _perturb(self, values: NDArray[np.int64], rng: Randomness) -> Reports:
        p, q = (inexact(x) for x in self.support)
        shape = len(values), self.k
        if self.packed:
            bits = packed_bernoulli(q, shape, rng)
            put_own(bits, values, bernoulli(p, values.shape, rng))
            return bits
        plain = bernoulli(q, shape, rng)
        plain[np.arange(len(values)), values] = bernoulli(p, values.shape, rng)
        return plain

    def linear_variance(self, weights: ArrayLike) -> NDArray[np.float64]:
        """Variance Σ_v w_v² noise_v, since bits are independent: (…, k).  See `PureProtocol.linear_variance`."""
        w, (p, q) = np.square(check_weights(weights, self.k)), self.support
        own, other = inexact(p * (1 - p) / (p - q) ** 2), inexact(q * (1 - q) / (p - q) ** 2)
        return np.asarray(other * w.sum(-1, keepdims=True) + (own - other) * w)

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population with this histogram, exact in their joint law (bits are independent), in O(k)."""
        return self.simulate_marginals(counts, trials=trials, rng=rng)


@dataclass(frozen=True, kw_only=True)
class SUE(UnaryEncoding):
    r"""Symmetric unary encoding (basic one-time RAPPOR): :math:`p = e^{\varepsilon/2}/(e^{\varepsilon/2}+1) = 1 - q`.

    Source: Erlingsson, Pihur and Korolova 2014; sun2021 §2.1; zhang2018 eq. (2-16).
    """

    label = "SUE"

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        s = odds(self.epsilon / 2)
        p = exact(round_down(s / (s + 1)))
        return p, 1 - p


@dataclass(frozen=True, kw_only=True)
class OUE(UnaryEncoding):
    r"""Optimised unary encoding: :math:`p = 1/2`, :math:`q = 1/(e^\varepsilon+1)`.

    Source: Wang, Blocki, Li and Jha 2017; sun2021 §2.1.
    """

    label = "OUE"

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        return Fraction(1, 2), exact(round_up(1 / (odds(self.epsilon) + 1)))


@dataclass(frozen=True, kw_only=True)
class OLH(PureProtocol):
    r"""Local hashing: each person hashes the domain into g slots by a public hash of their own, then k-RR over slots.

    With :math:`g = e^\varepsilon + 1` slots (rounded), the error is that of `OUE` and a report is only a slot.
    Under the hash, `Quadratic`, any three items are independent, so that sums over items have the error of `OUE`, too.

    Source: Wang, Blocki, Li and Jha 2017.

    Parameters
    ----------
    g : int
        Number of slots; 0, the default, stands for the best one (see `slot_count`).
    prime : int
        Of the hash, a prime number of at least 5, k and g; a small one for a family whose seeds can be enumerated.

    Reports have the fields ``seed`` (three numbers below `prime`, public) and ``slot``, (n,).

    Notes
    -----
    `g` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the best number anew.  For the same
    reason a mechanism that chose 4 slots itself is not equal to one that was told to take 4.
    """

    g: int = 0
    prime: int = PRIME
    label = "OLH"
    server_cost = "report and item"
    public_fields: ClassVar[tuple[str, ...]] = ("seed",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "prime", check_prime(self.prime))
        check_count(self.k, 2, "k", self.prime)
        object.__setattr__(self, "g", check_count(self.g, 0, "g", self.prime))
        if self.g == 1:
            raise ValueError("g must be 0 or an integer, at least 2, got 1")

    @cached_property
    def slot_count(self) -> int:
        """The number of slots in use: g, or the integer nearest to e^ε + 1, but no more than k."""
        return self.g or min(round(odds(self.epsilon)) + 1, self.k)

    @cached_property
    def hash(self) -> Quadratic:
        """The public hash family."""
        return Quadratic(keys=self.k, slots=self.slot_count, prime=self.prime)

    @cached_property
    def slots(self) -> GRR:
        """The oracle over slots that protects the report."""
        return GRR(k=self.slot_count, epsilon=self.epsilon)

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): a wrong item is supported if its slot collides and the slot is kept, or if the slot moves there."""
        p, q = self.slots.support
        collision = self.hash.collision
        return p, collision * p + (1 - collision) * q

    @property
    def realised_epsilon(self) -> float:
        """That of the oracle over slots, for every seed under which two items differ."""
        return self.slots.realised_epsilon

    @property
    def report_bits(self) -> int:
        """⌈log₂ g⌉; the seed is public."""
        return self.slots.report_bits

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        return np.dtype([("seed", np.uint32, (self.hash.words,)), ("slot", np.int64)])

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports: (n,) with fields ``seed`` and ``slot``."""
        codes = check_codes(values, self.k)
        check_people(codes)
        reports = np.empty(len(codes), self.dtype)
        reports["seed"] = self.hash.seeds(len(codes), rng)
        reports["slot"] = self.slots.perturb(self.hash(reports["seed"], codes), rng=rng)
        return reports

    def linear_variance(self, weights: ArrayLike) -> NDArray[np.float64]:
        r"""Variance of the weights of the supported items: (…, k).  See `PureProtocol.linear_variance`.

        With P and Q the probabilities of a person's own slot and of any other, :math:`C_2` and :math:`C_3` those that
        two and three items share a slot, and W and :math:`W_2` the sums of :math:`w_v` and :math:`w_v^2` over all
        items but x, it is :math:`(p^*-q^*)^{-2}` times

        .. math:: w_x^2 P(1-P) + W_2 q^*(1-q^*) + (W^2-W_2)(r-q^{*2}) + 2 w_x W P (C_2-q^*).

        Two wrong items are both supported with probability :math:`r = C_3 P + (C_2-C_3) Q`: all three items share a
        slot, which is kept, or these two share one without x, to which the report moves.  The last two terms are of
        the order of g/prime²; under an ideal hash they vanish, as for independent bits.
        """
        w = check_weights(weights, self.k)
        squares = np.square(w)
        others, rest = w.sum(-1, keepdims=True) - w, squares.sum(-1, keepdims=True) - squares
        a, b, c, d = map(float, self._terms)
        return np.asarray(a * squares + b * rest + c * (np.square(others) - rest) + d * w * others)

    @cached_property
    def _terms(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """In `linear_variance`, what stands before the square of w_x, W₂, W² − W₂ and the product of w_x and W."""
        (own, moved), (p, q) = self.slots.support, self.support
        two, three = self.hash.collision, self.hash.triple
        both, mixed = three * own + (two - three) * moved - q * q, own * (two - q)
        a, b, c, d = (x / (p - q) ** 2 for x in (p * (1 - p), q * (1 - q), both, 2 * mixed))
        return a, b, c, d

    def tally(self, reports: Reports) -> Tally:
        """Count for each item the reports whose slot is the item's under their own hash, (k,)."""
        reports = check_fields(reports, self.dtype)
        counts = np.zeros(self.k, np.int64)
        for start in range(0, len(reports), BLOCK):
            part = reports[start : start + BLOCK]
            counts += self.hash.count(part["seed"], check_codes(part["slot"], self.slot_count, "slot"))
        return Tally(self, len(reports), counts)


@dataclass(frozen=True, kw_only=True)
class SubsetSelection(BitReports):
    r"""Subset selection (k-Subset): report a set of c items, which contains the person's own one more often.

    The set contains the own item with probability :math:`p^* = ce^\varepsilon/(ce^\varepsilon+k-c)`; the rest of it is
    drawn from the other items, all alike, so that :math:`q^* = (c-p^*)/(k-1)`.  For c = 1 this is `GRR`.

    With the best c no mechanism has a smaller worst-case mean square error for many people: see `minimax_risk`.

    Source: Wang, Huang et al. 2016; Ye and Barg 2018; ye2018 §4.1.1.

    Parameters
    ----------
    size : int
        Items in a set, c, from 1 to k − 1; 0, the default, stands for the best one (see `set_size`).

    Reports are the bits of the set, exactly c of them set (see `BitReports`).  A list of items would be a leak if its
    order told which of them came first.

    There is no `simulate`: the items of a set exclude each other, so that the joint law of a tally takes every person.

    Notes
    -----
    How many random numbers a report takes depends on whether the own item is in it: whoever can time the client of one
    person, or count its draws, learns more than ε allows.

    `size` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the best size anew.  For the same
    reason a mechanism that chose 4 items itself is not equal to one that was told to take 4.
    """

    size: int = 0
    label = "k-Subset"
    limits: ClassVar[Mapping[str, Limit]] = {"size": (0, SIZE_MAX)}
    scope = (2, 256, 10**5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size >= self.k:
            raise ValueError(f"size must be an integer below k = {self.k}, got {self.size}")

    @cached_property
    def set_size(self) -> int:
        """The number of items in a set, c: `size`, or the best one (`best_size`)."""
        return self.size or best_size(self.k, self.epsilon)

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*)."""
        c, weight = self.set_size, self.set_size * odds(self.epsilon)
        p = exact(round_down(weight / (weight + self.k - c)))
        return p, (c - p) / (self.k - 1)

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of p*/C(k−1, c−1), for a set with the item, over (1−p*)/C(k−1, c), for one without it."""
        p, _ = self.support
        return chance.log(p * (self.k - self.set_size) / ((1 - p) * self.set_size))

    @property
    def report_bits(self) -> int:
        """⌈log₂ C(k, c)⌉."""
        return (comb(self.k, self.set_size) - 1).bit_length()

    def _perturb(self, values: NDArray[np.int64], rng: Randomness) -> Reports:
        few = min(self.set_size, self.k - self.set_size)  # of a set and its complement, draw the smaller one
        whole = few == self.set_size
        own = bernoulli(inexact(self.support[0]), values.shape, rng) == whole
        kind, width = self.report_shape
        bits = np.zeros((len(values), width), kind)
        for start in range(0, len(values), BLOCK):
            part = slice(start, start + BLOCK)
            if self.packed:
                _fill_packed(bits[part], values[part], own[part], few, self.k, rng)
            else:
                _fill(bits[part], values[part], own[part], few, rng)
        if not whole:
            np.invert(bits, out=bits)
            if self.packed and self.k % 8:
                bits[:, -1] &= (1 << self.k % 8) - 1
        return bits

    def linear_variance(self, weights: ArrayLike) -> NDArray[np.float64]:
        r"""Variance of the sum over the set's items: (…, k).  See `PureProtocol.linear_variance`.

        Of the k − 1 other items m = c or c − 1 are drawn without replacement.  With μ the mean of their weights less
        that of the own item, and σ² their variance, it is
        :math:`\{\mathrm E[m(k-1-m)]\,\sigma^2/(k-2) + p^*(1-p^*)\mu^2\}/(p^*-q^*)^2`.
        """
        w, (p, q) = check_weights(weights, self.k), self.support
        others, c = self.k - 1, self.set_size
        w = w - w.mean(-1, keepdims=True)  # changes nothing, since sets have one size, and leaves −w to the others
        spread = (np.square(w).sum(-1, keepdims=True) - np.square(w)) / others - np.square(w / others)
        drawn = p * (c - 1) * (others - c + 1) + (1 - p) * c * (others - c)
        within = inexact(drawn / max(others - 1, 1)) * spread
        between = inexact(p * (1 - p)) * np.square(w * self.k / others)
        return np.asarray((within + between) / inexact(p - q) ** 2)

    def _reports(self, reports: Reports) -> NDArray[Any]:
        bits = super()._reports(reports)
        sizes = ones_of_rows(bits) if self.packed else np.count_nonzero(bits, axis=1)
        wrong = sizes[sizes != self.set_size]
        if wrong.size:
            raise ValueError(f"reports must have {self.set_size} bits set in each row, got {wrong[0]}")
        return bits


def _fill(
    bits: NDArray[np.bool_], codes: NDArray[np.int64], own: NDArray[np.bool_], size: int, rng: Randomness
) -> None:
    """Draw sets of `size` items that contain the own item where `own` says so, and others all alike, into zeros.

    Floyd's sampling: to choose among others 0, …, last with `last` chosen before or not, draw one; if it is taken,
    take `last`.  Sets with the own item need one other less and leave out the first step.
    """
    k, flat, rows = bits.shape[1], bits.reshape(-1), np.arange(len(bits)) * bits.shape[1]
    flat[rows + codes] = own
    for last in range(k - 1 - size, k - 1):
        who: Any = ~own if last == k - 1 - size else slice(None)
        row, x = rows[who], codes[who]
        other = uniform(last + 1, x.shape, rng)
        at = row + other + (other >= x)  # the others are numbered without the own item
        flat[np.where(flat[at], row + last + (last >= x), at)] = True


def put_own(bits: NDArray[np.uint8], codes: NDArray[np.int64], own: NDArray[np.bool_]) -> None:
    """Set each row's own bit to `own`."""
    at, place = (np.arange(len(bits)), codes >> 3), (codes & 7).astype(np.uint8)
    bits[at] = bits[at] & ~(np.uint8(1) << place) | own.view(np.uint8) << place


def _fill_packed(
    bits: NDArray[np.uint8], codes: NDArray[np.int64], own: NDArray[np.bool_], size: int, k: int, rng: Randomness
) -> None:
    """As `_fill`, into packed rows: each other item by a coin, and then as many put right as are missing or too many.

    All sets of one size are alike to begin with, since coins do not tell the others apart.  To add an item, any of
    those outside alike, leaves it so: a set T arises from each T∖{v}, all of them alike, by one of as many items.  To
    remove one likewise.  Places of items to add are drawn blindly first, and those that are taken add nothing; whatever
    is missing or too many after that is found by its rank, which is slower but needs no luck.
    """
    bits[:] = packed_bernoulli(_near(size, k), (len(bits), k), rng)
    put_own(bits, codes, np.zeros_like(own))
    wanted = size - own
    missing = wanted - ones_of_rows(bits)
    for _ in range(ROUNDS):
        set_drawn(bits, codes, missing, uniform(k - 1, (int(np.maximum(missing, 0).sum()),), rng))
    left = np.abs(missing)
    before = np.arange(left.sum()) - np.repeat(np.cumsum(left) - left, left)
    candidates = np.where(missing > 0, k - 1 - wanted + missing, wanted - missing)
    flip_ranked(bits, codes, missing, uniform(np.repeat(candidates, left) - before, before.shape, rng))
    put_own(bits, codes, own)


def _near(size: int, k: int) -> float:
    """Probability of a coin for sets of `size` out of k: so few binary digits below size/k that the whole is cheap.

    In nanoseconds, about: a binary digit costs 2/5 a byte of the row, an item that is missing 5, and one that is too
    many k/10, since it is looked for by its rank.
    """
    normal = NormalDist()

    def cost(digits: int, part: int) -> float:
        mean = part * k / (1 << digits)
        sd = sqrt(mean * (1 - mean / k))
        short = size - mean
        excess = sd * (normal.pdf(short / sd) - short / sd * normal.cdf(-short / sd)) if sd else 0.0
        return digits * -(-k // 8) * 0.4 + 5 * short + k / 10 * excess

    floors = [(digits, (size << digits) // k) for digits in range(10)]
    digits, part = min(
        ((digits, part) for digits, floor in floors for part in {floor, max(floor - 1, 0)}), key=lambda x: cost(*x)
    )
    return part / (1 << digits)


def best_size(k: int, epsilon: float) -> int:
    r"""Return the size of the sets for which `SubsetSelection` has the least risk, in O(1).

    The risk falls and then rises with the size c, and is least at the real number :math:`k/(e^\varepsilon+1)`; so c is
    one of its two neighbours.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    """
    k, e = check_count(k, 2, "k", SIZE_MAX), odds(check_epsilon(epsilon))
    near = int(k / (e + 1))
    return min(max(near, 1), near + 1, key=lambda c: _risk(k, c, e))


def minimax_risk(k: int, epsilon: float) -> float:
    r"""Least worst-case mean square error of any ε-LDP mechanism and estimator, times n, as n → ∞.

    .. math:: M(k, \varepsilon) = \min_{1\le c<k} \frac{(k-1)^2 (ce^\varepsilon+k-c)^2}{k c (k-c) (e^\varepsilon-1)^2}

    People are drawn independently from a distribution p, and :math:`\mathbb{E}\|\hat p-p\|^2` is summed over the k
    items: it has the error of sampling people in it, which an error against the shares among *these* people has not.
    The worst p is the uniform distribution, and `SubsetSelection` attains the bound.

    Source: Ye and Barg 2018.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    """
    return inexact(_risk(k, best_size(k, epsilon), odds(epsilon)))


def _risk(k: int, c: int, e: Fraction) -> Fraction:
    return ((k - 1) * (c * e + k - c) / (e - 1)) ** 2 / (k * c * (k - c))


def check_weights(weights: ArrayLike, k: int) -> NDArray[np.float64]:
    """Return weights of k items as a float64 array, (…, k)."""
    found = check_array(weights, "weights")
    if found.dtype.kind not in "iuf":
        raise ValueError(f"weights must be finite numbers, got {found.dtype} values")
    if found.ndim == 0 or found.shape[-1] != k:
        raise ValueError(f"weights must have k = {k} entries along the last axis, got shape {found.shape}")
    if not np.all(np.isfinite(found)):
        raise ValueError("weights must be finite numbers, got NaN or infinity")
    return found.astype(np.float64)
