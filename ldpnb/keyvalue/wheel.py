r"""The Wheel: sets, and key–value data, from an open domain, in a report of a few bits.

A public seed, each person's own, hashes all keys that anybody may ever have onto a circle of N slots.  The person's own
m keys cover C, some L of these slots, and the report z is a covered slot oftener than another:

.. math::

    \Pr[z] = e^\varepsilon/\Omega \text{ on } C, \qquad
    \frac{\Omega - Le^\varepsilon}{(N-L)\,\Omega} \text{ off it}, \qquad \Omega = N + Wm(e^\varepsilon-1),

W being the slots that one key covers.  As L ≤ Wm < N, the second number lies between 1/Ω and the first: every report
has a probability in [1/Ω, e^ε/Ω] under every seed and every record.  Privacy rests on nothing else, neither on the hash
nor on the randomness of seeds.  The client knows ε, m and N, and no list of keys: keys come and go on the server alone.

People with fewer than m keys add *dummies*: slots drawn afresh, in secret.  Of more than m keys, m are drawn.

Estimates are exactly unbiased if the slots of any m + 1 keys are independent and uniform.  `SlotTable`, an ideal family
with few keys, has this property; `Multilinear`, which is in use, very nearly (see there).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, exact, inexact, odds, round_down, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_codes, check_epsilon, check_errors, shown
from ldpnb.core import Example, Floats, Ints, Layout, Mechanism, OpenMechanism, Reports, Tally, blocks, check_tally
from ldpnb.hashing import Multilinear, SlotTable, key_of
from ldpnb.intervals import support_interval
from ldpnb.keyvalue.population import FEW, Holdings, check_pairs, signs
from ldpnb.keyvalue.ternary import Held, SignedTernary
from ldpnb.oracles.base import (
    Support,
    rare_variance,
    support_chances,
    support_estimate,
    support_squares,
    support_variance,
)
from ldpnb.records import Records, check_records, sample_entries

SLOTS = 2**20  # most slots: their sizes, of 2**32 hash values in all, then differ by less than 1 in 4000
CLIENTS = 2**13  # people treated at a time, so that what is being worked on stays in the cache
REPORTS = 2**16  # reports decoded at a time

Item = int | str


def _codes(items: tuple[Item, ...]) -> Ints:
    """Return the keys of candidates."""
    return np.array([key_of(x) if isinstance(x, str) else x for x in items], np.int64)


# ----------------------------------------------------------------------------------------------------- the circle


@dataclass(frozen=True)
class Circle:
    """N slots, of which a person covers up to m arcs of W slots each; and how often a report falls into them.

    Attributes
    ----------
    slots, arcs, width : int
        N > mW, m and W.
    epsilon : float
    """

    slots: int
    arcs: int
    width: int
    epsilon: float

    @cached_property
    def alpha(self) -> Fraction:
        """Probability of one covered slot, e^ε/(N + Wm(e^ε−1)), rounded down to a multiple of 2**-53.

        It is the same whatever is covered, so the probability Lα of all covered slots is such a multiple, too, and no
        other number is rounded.  A slot left free has probability (1−Lα)/(N−L), least where L = Wm; so the ratio of
        any two is at most α(N−Wm)/(1−Wmα), which grows with α.
        """
        e = odds(self.epsilon)
        return exact(round_down(e / (self.slots + self.width * self.arcs * (e - 1))))

    @property
    def realised_epsilon(self) -> float:
        """ln[α(N−Wm)/(1−Wmα)]."""
        most = self.width * self.arcs
        return chance.log(self.alpha * (self.slots - most) / (1 - most * self.alpha))

    def spin(self, starts: Ints, rng: Randomness) -> Ints:
        """Draw z for people whose arcs start at these slots, (n, m): (n,)."""
        starts = np.sort(starts, 1)
        gaps = np.concatenate([starts[:, 1:], starts[:, :1] + self.slots], 1) - starts  # from an arc to the next one
        covered = np.minimum(gaps, self.width)
        size = covered.sum(1)
        own = bernoulli(inexact(self.alpha) * size, size.shape, rng)
        nth = uniform(np.where(own, size, self.slots - size), size.shape, rng)
        parts = np.where(own[:, None], covered, gaps - covered).cumsum(1)
        at = (parts <= nth[:, None]).sum(1)  # the arc, or the vacancy behind an arc, that holds the nth slot
        people = np.arange(len(starts))
        into = nth - np.where(at > 0, parts[people, at - 1], 0)
        return np.asarray((starts[people, at] + into + np.where(own, 0, self.width)) % self.slots)


@dataclass(frozen=True, kw_only=True)
class OpenSets(OpenMechanism):
    r"""What both Wheels share: parameters, seeds, dummies, reports.

    Parameters
    ----------
    epsilon : float
    m : int
        Keys a person reports about; see the head of this module for fewer and for more.
    slots : int
        N; 0, the default, stands for the best number (see `slot_count`).
    table : int
        0, the default, hashes any keys (`Multilinear`); a positive number stands for an ideal hash of so few keys
        0, …, table − 1 whose seeds can be enumerated (`SlotTable`).

    Notes
    -----
    `slots` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the best number anew.

    `realised_epsilon` is a bound for every seed, :math:`\ln[\alpha(N-Wm)/(1-Wm\alpha)]` with the rounded α.  It is
    attained under seeds where m keys cover Wm slots and a key that is not among them covers another one: nearly all.
    """

    epsilon: float
    m: int
    slots: int = 0
    table: int = 0
    public_fields: ClassVar[tuple[str, ...]] = ("seed",)
    limits: ClassVar[Mapping[str, Limit]] = {
        "epsilon": check_epsilon,
        "m": (1, SIZE_MAX),
        "slots": (0, SIZE_MAX),
        "table": (0, SIZE_MAX),
    }
    few: ClassVar[Mapping[int, Records]]  # of so many keys, for examples
    width = 1  # slots of an arc, a field of `Wheel`
    server_cost = "report and item"

    def __post_init__(self) -> None:
        super().__post_init__()
        least = self._least
        if least > SLOTS // 4:
            raise ValueError(f"m must leave 3 of {SLOTS} slots free, got {self.m}")
        if self.slots and not least <= self.slots <= SLOTS:
            raise ValueError(f"slots must be 0 or an integer in [{least}, {SLOTS}], got {self.slots}")

    @property
    def _least(self) -> int:
        """Fewest slots: one more than a person can cover."""
        return self.m * self.width + 1

    @abstractmethod
    def _total_variance(self, slots: Floats) -> Floats:
        """Return what the best number of slots minimises, but for a factor."""

    chosen: ClassVar[Mapping[str, str]] = {"slots": "slot_count"}

    @cached_property
    def slot_count(self) -> int:
        """N: `slots`, or the number with the least noise for keys that nobody holds."""
        if self.slots:
            return self.slots
        n = np.arange(self._least, min(SLOTS, 4 * self._least * int(odds(self.epsilon) + 4)) + 1, dtype=np.float64)
        return int(n[np.argmin(self._total_variance(n))])

    def _gap(self, slots: Floats) -> Floats:
        """α − 1/N of circles with N slots, but for a factor that does not depend on N."""
        most = self.m * self.width
        return (slots - most) / (slots * (slots + most * inexact(odds(self.epsilon) - 1)))

    @cached_property
    def circle(self) -> Circle:
        """The circle, and the law of a report on it."""
        return Circle(self.slot_count, self.m, self.width, self.epsilon)

    @cached_property
    def hash(self) -> Multilinear | SlotTable:
        """The public hash family."""
        return SlotTable(keys=self.table, slots=self.slot_count) if self.table else Multilinear(slots=self.slot_count)

    realised_epsilon = property(attrgetter("circle.realised_epsilon"), doc="A bound for every seed, see the notes.")

    @property
    def layout(self) -> Layout:
        """A public seed, and a slot."""
        return {"seed": (np.uint32, self.hash.values, self.hash.words), "slot": (np.int64, self.slot_count)}

    def used(self, sizes: Ints) -> Floats:
        """Probability that a pair of a record of this size is among the m drawn: min(1, m/size)."""
        return np.asarray(self.m / np.maximum(sizes, self.m))

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        for part in blocks(len(values), CLIENTS):
            records = values if len(values) <= CLIENTS else values[part]
            seeds = self.hash.seeds(len(records), rng)
            at, real = sample_entries(records, self.m, rng)
            starts = uniform(self.slot_count, real.shape, rng, used=~real)
            held, entries = real.nonzero(), at[real]
            slots = self.hash(seeds[held[0]], records.keys[entries])
            if records.values is not None:  # the sign − moves the arc by one slot
                slots += signs(real.shape, held, records.values[entries], rng)[real] < 0
            starts[real] = slots % self.slot_count
            reports["seed"][part], reports["slot"][part] = seeds, self.circle.spin(starts, rng)
        return reports

    def _check_one_key(self) -> None:
        """Refuse sums of scores of reports that are about several keys at once."""
        if self.m > 1:
            raise self._untold_contrast()

    def _items(self, items: Any) -> tuple[Item, ...]:
        array = np.asarray(items, object)
        if array.ndim != 1 or array.size == 0:
            raise ValueError(f"items must name the candidates, at least one integer or string, got {shown(items)}")
        named = tuple(x.item() if isinstance(x, np.generic) else x for x in array.tolist())
        wrong = [x for x in named if type(x) not in (int, str) or (isinstance(x, int) and not 0 <= x < 2**63 - 1)]
        if wrong:
            raise ValueError(f"items must be non-negative integers or strings, got {shown(wrong[0])}")
        repeated = len(named) - len(np.unique(check_codes(_codes(named), self.table or None, "keys")))
        if repeated:
            raise ValueError(f"items must be distinct, got {repeated} of {len(named)} repeated")
        return named

    def _near(self, reports: NDArray[Any], items: tuple[Item, ...], first: int, inner: int, outer: int) -> Ints:
        """Count for each candidate the reports z with its slot among z + first, …: for two widths, (k, 2)."""
        codes, counts = _codes(items), np.zeros((len(items), 2), np.int64)
        for part in blocks(len(reports), REPORTS):
            seeds, slots = reports["seed"][part], reports["slot"][part]
            counts += self.hash.count(seeds, (slots + first) % self.slot_count, inner, outer, codes)
        return counts

    def _held(self, values: Records, items: Any = None) -> Held:
        """Return the pairs of these candidates; v is 1 in sets."""
        records, codes = self._values(values), _codes(self._items(items))
        order = np.argsort(codes, kind="stable")
        columns = order[np.minimum(np.searchsorted(codes, records.keys, sorter=order), len(codes) - 1)]
        listed = codes[columns] == records.keys
        users = records.users[listed]
        v = np.ones(len(users)) if records.values is None else records.values[listed]
        return Held(users, columns[listed], self.used(records.sizes)[users], v, (len(records), len(codes)))

    def _example(self) -> Example:
        return Example(self, self.few[self.table], (*range(1, self.table), 0), pairs=self.report_bits < 2)


# ------------------------------------------------------------------------------------------------------------ sets


@dataclass(frozen=True, kw_only=True)
class Wheel(OpenSets):
    r"""The Wheel mechanism for sets: each key covers an arc of W slots, from its hash value on.

    With :math:`\Omega = N + Wm(e^\varepsilon-1)`, a report falls into the arc of a key that is held with probability
    :math:`p^* = We^\varepsilon/\Omega`, whatever the other arcs are, and into that of any other with
    :math:`q^* = W/N`; a key of a record with more than m counts as t = m/size of a person.  So with :math:`C_x` the
    reports in arcs of x,

    .. math:: \hat f_x = \frac{C_x/n - q^*}{p^* - q^*}, \qquad
              \text{noise } \frac{P(1-P)}{(p^*-q^*)^2},\quad P = tp^* + (1-t)q^*.

    Source: Wang, Qian, Du, Yang, Huang and Xu 2020, on the unit interval, with arcs of
    :math:`p = 1/(2m-1+me^\varepsilon)`; here it is cut into slots, so that its law holds exactly on a computer.

    Values are `Records` of keys alone: non-negative integers, or `digest` of strings.  Candidates (`items`) are
    integers or strings.  Reports have the fields ``seed`` (public) and ``slot``, (n,).

    Parameters
    ----------
    width : int
        W, with mW < N.

    Examples
    --------
    >>> baskets = Wheel(epsilon=2.0, m=2)
    >>> people = Records.of(*[{0, 1}, {1}, {1, 3}] * 5000)
    >>> reports = baskets.perturb(people, rng=np.random.default_rng(0))
    >>> baskets.estimate(baskets.tally(reports, [1, 3, 1000])).round(1)
    array([1. , 0.3, 0. ])
    """

    width: int = 1
    label = "wheel"
    tried = [
        {"epsilon": e, "m": m, "slots": slots, "width": width, "table": table}
        for e, m, slots, width, table in ((1.0, 1, 3, 1, 2), (0.5, 2, 5, 2, 3), (2.0, 2, 4, 1, 3), (0.2, 1, 0, 1, 2))
    ]
    few = {2: Records.of({0}, {1}, set(), {0, 1}), 3: Records.of({0, 1}, {2}, {0, 1, 2}, {1, 2})}
    limits: ClassVar[Mapping[str, Limit]] = {"width": (1, SLOTS // 4)}

    def _total_variance(self, slots: Floats) -> Floats:
        return (slots - self.width) / (slots * self._gap(slots)) ** 2

    @property
    def support(self) -> Support:
        """(p*, q*): probability of a report in the arc of a key that is held, and of any other."""
        return self.width * self.circle.alpha, Fraction(self.width, self.slot_count)

    @property
    def chances(self) -> Support:
        """Chance of support by somebody who holds a key, and by anybody else."""
        return support_chances(self.support)

    @property
    def rare_variance(self) -> float:
        """Variance of one person's score of a key that the person does not hold: q*(1−q*)/(p*−q*)²."""
        return rare_variance(self.support)

    def _values(self, values: Records) -> Records:
        records = check_records(values, d=self.table or None)
        if records.values is not None:
            raise ValueError("values must be Records of keys alone, got Records with values")
        return records

    def _count(self, reports: NDArray[Any], items: Any = None) -> Ints:
        """Count for each candidate the reports in its arc, (k,)."""
        return self._near(reports, items, 1 - self.width, self.width, self.width)[:, 1].copy()

    def expected(self, values: Records, items: Any = None) -> Floats:
        """min(1, m/size) for candidates the person holds, zero for others: (n, k)."""
        held = self._held(values, items)
        return held.dense(held.u)

    def variance(self, values: Records, items: Any = None) -> Floats:
        """Variance of each person's score: (n, k)."""
        return support_variance(self.expected(values, items), self.support)

    def supporters(self, tally: Tally) -> Floats:
        """How many reports are in the arc of each candidate, (…, k)."""
        check_tally(tally, Mechanism, "a mechanism's reports")
        return tally.counts.astype(np.float64)

    def _score(self, tally: Tally) -> Floats:
        return support_estimate(self.supporters(tally), tally.n, self.support)

    def _squares(self, tally: Tally) -> Floats:
        return support_squares(self.supporters(tally), tally.n, self.support)

    def interval(self, tally: Tally, z: float, *, people: bool = False) -> tuple[Floats, Floats]:
        """Return exact ends where the number of supporters scatters little, score intervals elsewhere.

        See `ldpnb.intervals`.  About these people, it is taken that nobody holds more than a report speaks of.
        """
        z = check_errors(z)
        self.standard_error(tally, people=people)  # refuses what has none
        own, other = self.chances
        sampled = 0.0 if people else 1.0
        return support_interval(self.supporters(tally), tally.n, own, other, z, sampled=sampled)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Where a report is about one key: arcs of other keys are independent of it and of each other."""
        self._check_one_key()
        return self.contrast_squares_of_one_key(tally, weights)

    def contrast_squares_of_one_key(self, tally: Tally, weights: ArrayLike) -> Floats:
        """Estimate the mean squared weighted sum of scores, if each person holds one key at most: (…).

        The scores of two keys of which one is held at most are uncorrelated, for an ideal hash exactly.  See
        `contrast_variance`, which knows it where m = 1.

        Parameters
        ----------
        tally : Tally
        weights : array_like of float (k,)
        """
        w = self._contrast_weights(weights, (len(tally.items or ()),))
        return np.asarray(self._squares(self._own(tally)) @ w**2)


# --------------------------------------------------------------------------------------------------- key–value data


@dataclass(frozen=True, kw_only=True)
class WheelKV(OpenSets, SignedTernary):
    r"""Wheel-KV, OUR RECONSTRUCTION: each pair covers one slot, its key's for the sign +, the next for −.

    The formulas of wang2024 are lost; its prose is kept (a seeded hash, a move by the value, two tests around the
    circle, no list of keys on the client), but whether this is what its author ran cannot be told.  The literal reading
    of the prose, to draw the Wheel's z for the keys and then to move it by the sign, is not private at any ε.

    A report z is the answer + about the key with slot z, and − about the one with slot z − 1.  With
    :math:`\Omega = N + m(e^\varepsilon-1)` this is signed ternary (see `ternary`) with :math:`a = w = 1` and

    .. math:: \alpha = e^\varepsilon/\Omega, \qquad \beta = (1-\alpha)/(N-1), \qquad \gamma = 1/N,

    hence :math:`T = \Delta\frac{N-2}{N-1}` and :math:`D = \Delta\frac{N}{N-1}` with :math:`\Delta = \alpha - 1/N`.
    The own slot has α whatever the others are; given it, the m − 1 others are independent and uniform, which makes the
    N − 1 slots besides it alike.  Each pair of a record with more than m counts as m/size of a person.

    Source: reconstructed from wang2024 §3.1, Algorithms 1 and 2; the Wheel is Wang, Qian, Du, Yang, Huang and Xu 2020.

    Values are `Records` with values in [−1, 1] and keys that are non-negative integers, or `digest` of strings.
    Candidates (`items`) are integers or strings.  Reports have the fields ``seed`` (public) and ``slot``, (n,).
    Tallies count (k, 3): answers −, nothing and +.

    By default N has the least sum of the two noises of a key that nobody holds.

    Examples
    --------
    >>> ratings = WheelKV(epsilon=3.0, m=1)
    >>> people = Records.of(*[{0: 1.0}, {0: -0.5}, {2: 1.0}] * 5000)
    >>> reports = ratings.perturb(people, rng=np.random.default_rng(0))
    >>> ratings.estimate(ratings.tally(reports, [0, 2])).round(1)  # frequency, frequency × mean
    array([[0.7, 0.3],
           [0.2, 0.3]])
    """

    label = "Wheel-KV"
    tried = [
        {"epsilon": e, "m": m, "slots": slots, "table": table}
        for e, m, slots, table in ((1.0, 1, 4, 2), (0.5, 2, 5, 2), (1.0, 2, 4, 3), (0.2, 1, 0, 2))
    ]
    few = FEW | {3: Records.of({0: 1.0, 1: 1.0}, {1: -1.0, 2: 1.0}, {2: 0.5}, {0: 1.0, 1: -1.0, 2: 0.0})}
    _least = property(lambda self: max(self.m + 1, 3), doc="Fewest slots: with two, T = 0.")
    expected = SignedTernary.expected  # where `OpenMechanism` has none
    variance = SignedTernary.variance

    def _total_variance(self, slots: Floats) -> Floats:
        t, d = self._gap(slots) * (slots - 2) / (slots - 1), self._gap(slots) * slots / (slots - 1)
        return 2 / slots * ((1 - 2 / slots) / t**2 + 1 / d**2)

    @property
    def answer(self) -> tuple[Fraction, Fraction, Fraction]:
        """(α, β, γ)."""
        alpha, n = self.circle.alpha, self.slot_count
        return alpha, (1 - alpha) / (n - 1), Fraction(1, n)

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.table or None)

    def _check_population(self, population: Holdings) -> None:
        """Take any keys."""

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Where a report is about one pair: slots of other keys are independent of it and of each other."""
        self._check_one_key()
        return self._contrast_of_independent(tally, weights)

    def _count(self, reports: NDArray[Any], items: Any = None) -> Ints:
        """Count for each candidate the answers −, nothing and +, (k, 3)."""
        minus, either = self._near(reports, items, -1, 1, 2).T
        return np.stack([minus, len(reports) - either, either - minus], -1)
