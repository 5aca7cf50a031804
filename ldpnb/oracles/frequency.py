"""Frequency oracles for one value a person: what pure protocols share, k-RR, unary encodings and local hashing.

All are *pure protocols* (Wang, Blocki, Li and Jha 2017): a report supports some items; it supports the person's own
item with probability p* and any other with probability q*.  With C_v supporting reports among n,

    f̂_v = (C_v/n − q*) / (p* − q*),      n² Var f̂_v = Σ_i p*(1−p*) or q*(1−q*), over (p* − q*)².
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
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
    scatter,
    uniform,
)
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_codes,
    check_count,
    check_epsilon,
    check_errors,
    check_flag,
    check_histogram,
    check_numbers,
    check_part,
)
from ldpnb.core import Bools, Example, Floats, Ints, Layout, Mechanism, Reports, Tally, blocks, check_tally
from ldpnb.hashing import PRIME, Quadratic, check_prime
from ldpnb.intervals import support_interval
from ldpnb.kernels import count_ones, count_packed

BLOCK = 2**13  # people treated at a time, so that what is being worked on stays in the cache


class ItemOracle(Mechanism):
    """What oracles for one of k items a person share: values, their target, and counts where a report is a code."""

    shares = True
    marks: ClassVar[bool] = False  # whether simulated marginals are marked, since tallies count something else
    k: Any  # int: a field, or a property where it follows from other parameters

    def _example(self) -> Example:
        return Example(self, np.arange(self.k), histogram=not self.marks)

    def _values(self, values: ArrayLike) -> Ints:
        return check_codes(values, self.k)

    def _worst_of(self, k: int) -> Reports:
        """Return reports of which one adds most to the first k items; see `_worst`."""
        return self._worst()

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count the reports of each kind."""
        return np.bincount(reports, minlength=self.layout[""][1])

    def expected(self, values: ArrayLike) -> Floats:
        """One for the person's item, zero for the others: (n, k)."""
        return np.equal.outer(self._values(values), np.arange(self.k)).astype(np.float64)


class Supporting(Mechanism):
    """What mechanisms share whose reports support items: the one that a report is about with p*, any other with q*.

    Where a report is about an item of a person with probability t/L, scores are multiplied by L, the `scale`.
    """

    scale: Any = 1  # int: what estimates are multiplied by; a property where a report is about one of several things

    @property
    @abstractmethod
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): probability that a report supports the item that it is about, the person's own, and any other."""

    @property
    def rare_variance(self) -> float:
        """Variance of one person's score of an item that the person does not hold: L² q*(1−q*)/(p*−q*)²."""
        p, q = self.support
        return inexact(self.scale**2 * q * (1 - q) / (p - q) ** 2)

    def supporters(self, tally: Tally) -> Floats:
        """How many reports support each item, (…, k): what `simulate_marginals` returns are supporters already."""
        check_tally(tally, Mechanism, "a mechanism's reports")
        return (tally.counts if tally.marginal else self._supporters(tally)).astype(np.float64)

    def _supporters(self, tally: Tally) -> Ints | Floats:
        """Unless a mechanism says otherwise, tallies count items."""
        return tally.counts

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of people who hold each item: (…, k)."""
        p, q = self.support
        return (self.supporters(tally) / tally.n - inexact(q)) / inexact((p - q) / self.scale)

    def _squares(self, tally: Tally) -> Floats:
        """Of scores with two values: a report supports an item, or it does not."""
        p, q = self.support
        yes, no = (inexact(self.scale * x / (p - q)) for x in (1 - q, -q))
        return np.asarray(no**2 + self.supporters(tally) / tally.n * (yes**2 - no**2))

    def interval(self, tally: Tally, z: float, *, people: bool = False) -> tuple[Floats, Floats]:
        """Return exact ends where the number of supporters scatters little, score intervals elsewhere.

        See `ldpnb.intervals`.  About these people, it is taken that nobody holds more than a report speaks of.
        """
        z = check_errors(z)
        self.standard_error(tally, people=people)  # refuses what has none
        own, other = self.chances
        sampled = 0.0 if people else 1.0
        return support_interval(self.supporters(tally), tally.n, own, other, z, sampled=sampled)

    @property
    def chances(self) -> tuple[Fraction, Fraction]:
        """Chance of support by somebody who holds an item, the draw of one of L included, and by anybody else."""
        p, q = self.support
        return q + (p - q) / self.scale, q

    def _noise(self, expected: Floats) -> Floats:
        """Variance L² P(1−P)/(p*−q*)² with P = h p* + (1−h) q*, h = t/L being the chance that the item is drawn."""
        (p, q), drawn = self.support, expected / self.scale
        yes = drawn * inexact(p) + (1 - drawn) * inexact(q)
        no = drawn * inexact(1 - p) + (1 - drawn) * inexact(1 - q)  # not 1 − yes, which loses digits where p* is near 1
        return np.asarray(yes * no * inexact(self.scale**2 / (p - q) ** 2))


@dataclass(frozen=True, kw_only=True)
class PureProtocol(ItemOracle, Supporting):
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
    tried = [{"k": 2, "epsilon": 1.0}, {"k": 3, "epsilon": 0.1}, {"k": 4, "epsilon": 3.0}]

    def variance(self, values: ArrayLike) -> Floats:
        """Variance p*(1−p*)/(p*−q*)² for the person's item, q*(1−q*)/(p*−q*)² for the others: (n, k)."""
        p, q = self.support
        own, other = inexact(p * (1 - p) / (p - q) ** 2), inexact(q * (1 - q) / (p - q) ** 2)
        return np.where(self.expected(values) == 1, own, other)

    @abstractmethod
    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of a weighted sum of one person's scores, for each item the person may hold: (…, k).

        `variance` is about each item alone; the error of a sum, a difference or a ratio of shares needs the joint law
        of a report.  With :math:`s_v` the score of item v, entry x is
        :math:`\operatorname{Var}[\sum_v w_v s_v \mid x]`.

        Parameters
        ----------
        weights : array_like of float (…, k)
            A weight for each item; leading axes run over sums.

        Raises
        ------
        ValueError
            If there are not k weights, or one is not a finite number.
        """

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        r"""Mean squared weighted sum of scores: (…).

        Somebody with item x adds :math:`V_x + w_x^2`, and V is linear in who has which item.  Estimated shares need not
        sum to 1, so that what everybody adds, whatever the item, is taken out first and counted once.
        """
        everybody = self._linear_variance_of_nobody(weights)
        more = self.linear_variance(weights) + np.square(weights) - everybody
        return np.asarray(everybody + self.estimate(tally) @ more)

    def _linear_variance_of_nobody(self, weights: Floats) -> float:
        """Variance of the weighted sum for somebody whose item has weight 0.

        Where estimated shares sum to 1 in every survey it makes no difference, and 0 will do.
        """
        return 0.0

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
            Counts (trials, k); marked as marginal where reports are counted otherwise.
        """
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        n = int(histogram.sum())
        p, q = (inexact(x) for x in self.support)
        shape = (trials, self.k)
        found = binomial(histogram, p, shape, rng) + binomial(n - histogram, q, shape, rng)
        return Tally(self, n, found, marginal=self.marks)


class KeptCode(Mechanism):
    r"""What mechanisms share that report a code: the person's own is kept, or one of all is drawn blindly (k-RR).

    Where the own code is drawn from several things, with a probability of 1/ℓ at most each, k-RR may use
    :math:`e^{\varepsilon'} = 1 + \ell(e^\varepsilon-1)` and keeps ε (Wang, Li and Jha 2018).
    """

    ell: Any = 1  # int, ℓ; a field or a property where a code is drawn

    @cached_property
    def keep(self) -> Fraction:
        """Probability of answering with the code, before the blind draw; rounded down."""
        more = self.ell * (odds(self.epsilon) - 1)  # e^ε' − 1
        return exact(round_down(more / (more + self.layout[""][1])))

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(keep + blind, blind): of one's own code, as drawn, and of any other, which only the blind draw reports."""
        blind = (1 - exact(self.keep)) / self.layout[""][1]
        return exact(self.keep) + blind, blind

    @property
    def realised_epsilon(self) -> float:
        """ln[1 + K·keep/(ℓ(1 − keep))], where K is the number of codes."""
        keep = exact(self.keep)
        return chance.log(1 + keep * self.layout[""][1] / ((1 - keep) * self.ell))

    def _perturb(self, values: Any, rng: Randomness) -> Reports:
        kept = bernoulli(inexact(self.keep), values.shape, rng)
        blind = uniform(self.layout[""][1], values.shape, rng)
        return np.where(kept, self._own_codes(values, kept, blind, rng), blind)

    def _own_codes(self, values: Any, kept: Bools, blind: Ints, rng: Randomness) -> Ints:
        """Return codes of the values, drawn where there are several, for those who keep theirs."""
        return np.asarray(values)


class KeptItem(KeptCode, ItemOracle):
    """What oracles share that report a code of the person's item, or one of all that is drawn blindly."""

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population with this histogram, exact in their joint law, whatever n: (trials, codes).

        What is drawn blindly is drawn for all people at once.
        """
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        kept, n = binomial(histogram, inexact(self.keep), (trials, self.k), rng), int(histogram.sum())
        return Tally(self, n, scatter(n - kept.sum(-1), self.layout[""][1], rng) + self._codes_of(kept, rng))

    def _codes_of(self, kept: Ints, rng: Randomness) -> Ints:
        """Count the codes of people with these items: (trials, codes)."""
        return kept


@dataclass(frozen=True, kw_only=True)
class GRR(KeptItem, PureProtocol):
    r"""k-ary randomized response (k-RR); for k = 2, Warner's randomized response (W-RR).

    Keep the value with probability :math:`(e^\varepsilon-1)/(e^\varepsilon+k-1)`, otherwise report any of the k items,
    all alike: :math:`p^* = e^\varepsilon/(e^\varepsilon+k-1)`, :math:`q^* = 1/(e^\varepsilon+k-1)`.

    Source: Warner 1965 (k = 2); Kairouz, Bonawitz and Ramage 2016; ye2018 §1.2.1 and §4.1.1.

    Reports are items, (n,).

    Examples
    --------
    >>> oracle, rng = GRR(k=3, epsilon=1.0), np.random.default_rng(0)
    >>> reports = oracle.perturb(np.repeat([0, 1, 2], [6000, 3000, 1000]), rng=rng)
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.58, 0.33, 0.09])
    """

    label = "k-RR"

    @property
    def layout(self) -> Layout:
        """An item."""
        return {"": (np.int64, self.k)}

    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of the weight of the reported item: (…, k).  See `PureProtocol.linear_variance`.

        With weights shifted to mean zero, which changes nothing, since one item is reported, it is
        :math:`q^* \{\sum_v w_v^2 + k (p^*-q^*) w_x^2\} / (p^*-q^*)^2`.
        """
        w, (p, q) = check_weights(weights, self.k), self.support
        w = np.square(w - w.mean(-1, keepdims=True))
        return np.asarray(inexact(q / (p - q) ** 2) * (w.sum(-1, keepdims=True) + inexact(self.k * (p - q)) * w))

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Of the score of each item that is reported, times how often it was."""
        p, q = self.support
        scores = (weights - inexact(q) * weights.sum()) / inexact(p - q)
        return np.asarray(tally.counts @ np.square(scores) / tally.n)


@dataclass(frozen=True, kw_only=True)
class BitReports(PureProtocol):
    """What oracles share whose report is a bit an item, set where the item is supported.

    Reports are bool (n, k), or, packed, uint8 (n, ⌈k/8⌉): item v is bit v % 8 of byte v // 8 (numpy's bit order
    "little"), and bits left over are zero.  Both are drawn by the same law, but not from the same random numbers.

    Parameters
    ----------
    packed : bool
        Whether reports are packed, eight items to a byte.
    """

    packed: bool = False
    limits: ClassVar[Mapping[str, Limit]] = {"packed": check_flag}
    server_cost = "report and item"

    @property
    def layout(self) -> Layout:
        """Bits, or bytes."""
        return {"": (np.uint8, 256, -(-self.k // 8)) if self.packed else (np.bool_, 2, self.k)}

    def _worst(self) -> Reports:
        """Support as many items as a report can: (1, …)."""
        return self._as_packed(np.arange(self.k)[None] < self._most)

    def _as_packed(self, bits: Bools) -> NDArray[Any]:
        """Pack bits, if reports are packed."""
        return np.packbits(bits, axis=1, bitorder="little") if self.packed else bits

    _most = property(attrgetter("k"), doc="Ones that a report can have.")

    def _reports(self, reports: Reports) -> NDArray[Any]:
        return check_part(reports, "reports", *self.layout[""], counted=True)

    def _count(self, reports: NDArray[Any]) -> Ints:
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

    report_bits = property(attrgetter("k"), doc="One bit an item: k.")

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        p, q = (inexact(x) for x in self.support)
        shape = len(values), self.k
        if self.packed:
            bits = packed_bernoulli(q, shape, rng)
            put_own(bits, values, bernoulli(p, values.shape, rng))
            return bits
        plain = bernoulli(q, shape, rng)
        plain[np.arange(len(values)), values] = bernoulli(p, values.shape, rng)
        return plain

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """Variance Σ_v w_v² noise_v, since bits are independent: (…, k).  See `PureProtocol.linear_variance`."""
        w, (p, q) = np.square(check_weights(weights, self.k)), self.support
        own, other = inexact(p * (1 - p) / (p - q) ** 2), inexact(q * (1 - q) / (p - q) ** 2)
        return np.asarray(other * w.sum(-1, keepdims=True) + (own - other) * w)

    def _linear_variance_of_nobody(self, weights: Floats) -> float:
        p, q = self.support
        return inexact(q * (1 - q) / (p - q) ** 2) * float(np.square(weights).sum())

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population with this histogram, exact in their joint law (bits are independent), in O(k)."""
        return self.simulate_marginals(counts, trials=trials, rng=rng)


@dataclass(frozen=True, kw_only=True)
class SUE(UnaryEncoding):
    r"""Symmetric unary encoding (basic one-time RAPPOR): :math:`p = e^{\varepsilon/2}/(e^{\varepsilon/2}+1) = 1 - q`.

    Source: Erlingsson, Pihur and Korolova 2014; sun2021 §2.1; zhang2018 eq. (2-16).

    Examples
    --------
    >>> oracle, rng = SUE(k=3, epsilon=1.0), np.random.default_rng(0)
    >>> reports = oracle.perturb(np.repeat([0, 1, 2], [6000, 3000, 1000]), rng=rng)
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.58, 0.29, 0.09])
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

    Examples
    --------
    >>> oracle, rng = OUE(k=3, epsilon=1.0, packed=True), np.random.default_rng(0)
    >>> reports = oracle.perturb(np.repeat([0, 1, 2], [6000, 3000, 1000]), rng=rng)
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.57, 0.3 , 0.05])
    """

    label = "OUE"

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p, q)."""
        return Fraction(1, 2), exact(round_up(1 / (odds(self.epsilon) + 1)))


class Slotted(Mechanism):
    """What mechanisms share that hash a value into a slot by a public hash function, and report it by k-RR."""

    @cached_property
    def slots(self) -> GRR:
        """The oracle over slots that protects the report."""
        return GRR(k=self.layout["slot"][1], epsilon=self.epsilon)

    realised_epsilon = property(
        attrgetter("slots.realised_epsilon"),
        doc="That of the oracle over slots, for all public parts under which two values have different slots.",
    )


@dataclass(frozen=True, kw_only=True)
class OLH(Slotted, PureProtocol):
    r"""Local hashing: each person hashes the domain into g slots by a public hash of their own, then k-RR over slots.

    With :math:`g = e^\varepsilon + 1` slots (rounded), the error is that of `OUE` and a report is only a slot.
    Under the hash, `Quadratic`, any three items are independent, so that sums over items have the error of `OUE`, too.

    Source: Wang, Blocki, Li and Jha 2017.

    Reports have the fields ``seed`` (three numbers below `prime`, public) and ``slot``, (n,).

    Parameters
    ----------
    g : int
        Number of slots; 0, the default, stands for the best one (see `slot_count`).
    prime : int
        Of the hash, a prime number of at least 5, k and g; a small one for a family whose seeds can be enumerated.

    Notes
    -----
    `g` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the best number anew.  For the same
    reason a mechanism that chose 4 slots itself is not equal to one that was told to take 4.

    Examples
    --------
    >>> oracle, rng = OLH(k=1000, epsilon=1.0), np.random.default_rng(0)
    >>> reports = oracle.perturb(np.repeat([0, 999], [6000, 4000]), rng=rng)
    >>> oracle.estimate(oracle.tally(reports))[[0, 1, 999]].round(2)
    array([ 0.56, -0.02,  0.37])
    """

    g: int = 0
    prime: int = PRIME
    label = "OLH"
    server_cost = "report and item"
    limits: ClassVar[Mapping[str, Limit]] = {"prime": check_prime, "g": (0, PRIME)}
    public_fields: ClassVar[tuple[str, ...]] = ("seed",)
    tried = [{"k": 3, "epsilon": 1.0, "prime": 5}, {"k": 4, "epsilon": 0.5, "g": 3, "prime": 5}]  # seeds can be listed

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.k, 2, "k", self.prime)
        if check_count(self.g, 0, "g", self.prime) == 1:
            raise ValueError("g must be 0 or an integer, at least 2, got 1")

    chosen: ClassVar[Mapping[str, str]] = {"g": "slot_count"}

    @cached_property
    def slot_count(self) -> int:
        """The number of slots in use: g, or the integer nearest to e^ε + 1, but no more than k."""
        return self.g or min(round(odds(self.epsilon)) + 1, self.k)

    @cached_property
    def hash(self) -> Quadratic:
        """The public hash family."""
        return Quadratic(keys=self.k, slots=self.slot_count, prime=self.prime)

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): a wrong item is supported if its slot collides and the slot is kept, or if the slot moves there."""
        p, q = self.slots.support
        collision = self.hash.collision
        return p, collision * p + (1 - collision) * q

    @property
    def layout(self) -> Layout:
        """A public seed, and a slot."""
        return {"seed": (np.uint32, self.prime, self.hash.words), "slot": (np.int64, self.slot_count)}

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        reports["seed"] = self.hash.seeds(len(values), rng)
        reports["slot"] = self.slots.perturb(self.hash(reports["seed"], values), rng=rng)
        return reports

    def linear_variance(self, weights: ArrayLike) -> Floats:
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

    def _linear_variance_of_nobody(self, weights: Floats) -> float:
        _, b, c, _ = map(float, self._terms)
        squares = float(np.square(weights).sum())
        return b * squares + c * (float(weights.sum()) ** 2 - squares)

    @cached_property
    def _terms(self) -> tuple[Fraction, ...]:
        """In `linear_variance`, what stands before the square of w_x, W₂, W² − W₂ and the product of w_x and W."""
        (own, moved), (p, q) = self.slots.support, self.support
        two, three = self.hash.collision, self.hash.triple
        both, mixed = three * own + (two - three) * moved - q * q, own * (two - q)
        return tuple(x / (p - q) ** 2 for x in (p * (1 - p), q * (1 - q), both, 2 * mixed))

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count for each item the reports whose slot is the item's under their own hash, (k,)."""
        seeds, slots = reports["seed"], reports["slot"]
        parts = (self.hash.count(seeds[some], slots[some]) for some in blocks(len(reports), BLOCK))
        return sum(parts, np.zeros(self.k, np.int64))

    def _example(self) -> Example:
        return replace(super()._example(), pairs=False)


def put_own(bits: NDArray[np.uint8], codes: Ints, own: Bools) -> None:
    """Set each row's own bit to `own`."""
    at, place = (np.arange(len(bits)), codes >> 3), (codes & 7).astype(np.uint8)
    bits[at] = bits[at] & ~(np.uint8(1) << place) | own.view(np.uint8) << place


def check_weights(weights: ArrayLike, k: int, name: str = "weights") -> Floats:
    """Return weights, or other numbers, of k items as a float64 array, (…, k)."""
    found = check_numbers(weights, name)
    if found.ndim == 0 or found.shape[-1] != k:
        raise ValueError(f"{name} must have k = {k} entries along the last axis, got shape {found.shape}")
    return found
