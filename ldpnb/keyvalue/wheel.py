r"""The Wheel: sets, and key–value data, from an open domain, in a report of a few bits.

A public seed, each person's own, hashes all keys that anybody may ever have onto a circle of N
slots.  The person's own m keys cover C, some L of these slots, and the report z is a covered slot
more often than another one:

.. math::

    \Pr[z] = e^\varepsilon/\Omega \text{ on } C, \qquad
    \frac{\Omega - Le^\varepsilon}{(N-L)\,\Omega} \text{ off it}, \qquad
    \Omega = N + Wm(e^\varepsilon-1),

W being the slots that one key covers.  As L ≤ Wm < N, the second number lies between 1/Ω and the
first: every report has a probability in [1/Ω, e^ε/Ω] under every seed and every record.  Privacy
rests on nothing else, neither on the hash nor on the randomness of seeds.  The client knows ε, m
and N, and no list of keys: keys come and go on the server alone.

People with fewer than m keys add *dummies*: slots drawn afresh, in secret.  Of more than m keys, m
are drawn.

Estimates are exactly unbiased if the slots of any m + 1 keys are independent and uniform.
`SlotTable`, an ideal family with few keys, has this property; `Multilinear`, which is in use, very
nearly (see there).

`realised_epsilon` of both mechanisms is a bound for every seed, ln[α(N−Wm)/(1−Wmα)] with the
rounded α.  It is attained under seeds where m keys cover Wm slots and a key that is not among them
covers another one: nearly all.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, exact, inexact, odds, round_down, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_codes, check_epsilon, shown
from ldpnb.core import Example, Floats, Ints, Items, Layout, OpenMechanism, Reports, Tally, blocks
from ldpnb.hashing import Multilinear, SlotTable, key_of
from ldpnb.keyvalue.population import FEW, Holdings, check_pairs, signs
from ldpnb.keyvalue.ternary import AnswerLaw, Held, SignedTernary
from ldpnb.oracles.base import (
    Support,
    rare_variance,
    support_chances,
    support_estimate,
    support_squares,
    support_variance,
)
from ldpnb.oracles.supported import counted_supporters, interval_of_supporters
from ldpnb.records import Records, check_records, sample_entries

# most slots: their sizes, of 2**32 hash values in all, then differ by less than 1 in 4000
SLOTS = 2**20
CLIENTS = 2**13  # people treated at a time, so that what is being worked on stays in the cache
REPORTS = 2**16  # reports decoded at a time

Item = int | str
Hash = Multilinear | SlotTable

LIMITS: Mapping[str, Limit] = {
    "epsilon": check_epsilon,
    "m": (1, SIZE_MAX),
    "slots": (0, SIZE_MAX),
    "table": (0, SIZE_MAX),
}


# ------------------------------------------------------------------------------------------ sets


@dataclass(frozen=True, kw_only=True)
class Wheel(OpenMechanism):
    r"""The Wheel mechanism for sets: each key covers an arc of W slots, from its hash value on.

    With :math:`\Omega = N + Wm(e^\varepsilon-1)`, a report falls into the arc of a key that is held
    with probability :math:`p^* = We^\varepsilon/\Omega`, whatever the other arcs are, and into that
    of any other with :math:`q^* = W/N`; a key of a record with more than m counts as t = m/size of
    a person.  So with :math:`C_x` the reports in arcs of x,

    .. math:: \hat f_x = \frac{C_x/n - q^*}{p^* - q^*}, \qquad
              \text{noise } \frac{P(1-P)}{(p^*-q^*)^2},\quad P = tp^* + (1-t)q^*.

    Source: Wang, Qian, Du, Yang, Huang and Xu 2020, on the unit interval, with arcs of
    :math:`p = 1/(2m-1+me^\varepsilon)`; here it is cut into slots, so that its law holds exactly on
    a computer.

    Values are `Records` of keys alone: non-negative integers, or `digest` of strings.  Candidates
    (`items`) are integers or strings.  Reports have the fields ``seed`` (public) and ``slot``,
    (n,).  Tallies count for each candidate the reports in its arc, (k,).

    Parameters
    ----------
    epsilon : float
    m : int
        Keys that a person reports about; see the head of this module for fewer and for more.
    slots : int
        N; 0, the default, stands for the best number (see `slot_count`).
    table : int
        0, the default, hashes any keys (`Multilinear`); a positive number stands for an ideal hash
        of so few keys 0, …, table − 1 whose seeds can be enumerated (`SlotTable`).
    width : int
        W, with mW < N.

    Notes
    -----
    `slots` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the best
    number anew.

    Examples
    --------
    >>> baskets = Wheel(epsilon=2.0, m=2)
    >>> people = Records.of(*[{0, 1}, {1}, {1, 3}] * 5000)
    >>> reports = baskets.perturb(people, rng=np.random.default_rng(0))
    >>> baskets.estimate(baskets.tally(reports, [1, 3, 1000])).round(1)
    array([1. , 0.3, 0. ])
    """

    epsilon: float
    m: int
    slots: int = 0
    table: int = 0
    width: int = 1
    label = "wheel"
    limits: ClassVar[Mapping[str, Limit]] = {**LIMITS, "width": (1, SLOTS // 4)}
    public_fields = ("seed",)
    server_cost = "report and item"
    chosen: ClassVar[Mapping[str, str]] = {"slots": "slot_count"}
    tried = [
        {"epsilon": 1.0, "m": 1, "slots": 3, "width": 1, "table": 2},
        {"epsilon": 0.5, "m": 2, "slots": 5, "width": 2, "table": 3},
        {"epsilon": 2.0, "m": 2, "slots": 4, "width": 1, "table": 3},
        {"epsilon": 0.2, "m": 1, "slots": 0, "width": 1, "table": 2},
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_slots(self.slots, self._least, self.m)

    # -------------------------------------------------------------------- slots, hash, p* and q*

    @property
    def _least(self) -> int:
        """Fewest slots: one more than a person can cover."""
        return self.m * self.width + 1

    @cached_property
    def slot_count(self) -> int:
        """N: `slots`, or the number with the least noise for keys that nobody holds."""
        if self.slots:
            return self.slots
        return best_slots(self._least, self.epsilon, self._rare_noise)

    def _rare_noise(self, slots: Floats) -> Floats:
        """q*(1 − q*)/(p* − q*)² of circles with N slots, but for a factor of all."""
        gap = gap_of(slots, self.m * self.width, self.epsilon)
        return (slots - self.width) / (slots * gap) ** 2

    @cached_property
    def circle(self) -> Circle:
        """The circle, and the law of a report on it."""
        return Circle(self.slot_count, self.m, self.width, self.epsilon)

    @cached_property
    def hash(self) -> Hash:
        """The public hash family."""
        return hash_onto(self.slot_count, self.table)

    @property
    def support(self) -> Support:
        """(p*, q*): probability of a report in the arc of a key that is held, and of any other."""
        return self.width * self.circle.alpha, Fraction(self.width, self.slot_count)

    @property
    def realised_epsilon(self) -> float:
        """A bound for every seed: see the head of this module."""
        return self.circle.realised_epsilon

    @property
    def layout(self) -> Layout:
        """A public seed, and a slot."""
        return slot_layout(self.hash, self.slot_count)

    # ------------------------------------------------------------------------ values and target

    def _values(self, values: Records) -> Records:
        records = check_records(values, d=self.table or None)
        if records.values is not None:
            raise ValueError("values must be Records of keys alone, got Records with values")
        return records

    def _items(self, items: Items) -> tuple[Item, ...]:
        return check_candidates(items, self.table)

    def used(self, sizes: Ints) -> Floats:
        """Probability that a key of a record of this size is among the m drawn: min(1, m/size)."""
        return np.asarray(self.m / np.maximum(sizes, self.m))

    def expected(self, values: Records, items: Items = None) -> Floats:
        """min(1, m/size) for candidates the person holds, zero for others: (n, k)."""
        records = self._values(values)
        held = held_of(records, self._items(items), self.used(records.sizes))
        return held.dense(held.u)

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        return turn(reports, values, self.circle, self.hash, rng)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports, items: Items = None) -> Ints:
        """Count for each candidate the reports in its arc, (k,)."""
        w = self.width
        near = count_near(reports, self.circle, self.hash, items, 1 - w, w, w)
        return near[:, 1].copy()

    def supporters(self, tally: Tally) -> Floats:
        """Count the reports in the arc of each candidate, (…, k)."""
        return counted_supporters(tally)

    def _score(self, tally: Tally) -> Floats:
        """(C/n − q*)/(p* − q*): (…, k)."""
        return support_estimate(self.supporters(tally), tally.n, self.support)

    def _squares(self, tally: Tally) -> Floats:
        return support_squares(self.supporters(tally), tally.n, self.support)

    def interval(self, tally: Tally, z: float, *, people: bool = False) -> tuple[Floats, Floats]:
        """Return exact ends where few reports support a key, and score intervals elsewhere.

        See `ldpnb.oracles.supported.interval_of_supporters`.
        """
        return interval_of_supporters(self, tally, z, people=people)

    @property
    def chances(self) -> Support:
        """Chance of support by somebody who holds a key, and by anybody else."""
        return support_chances(self.support)

    # ---------------------------------------------------------------------------------- variance

    def variance(self, values: Records, items: Items = None) -> Floats:
        """P(1−P)/(p*−q*)² with P = tp* + (1−t)q*: (n, k)."""
        return support_variance(self.expected(values, items), self.support)

    @property
    def rare_variance(self) -> float:
        """q*(1−q*)/(p*−q*)²: the variance of a key that the person does not hold."""
        return rare_variance(self.support)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean squared sum, known if a report is about one key: other arcs are independent."""
        if self.m > 1:
            raise self._untold_contrast()
        return self.contrast_squares_of_one_key(tally, weights)

    def contrast_squares_of_one_key(self, tally: Tally, weights: ArrayLike) -> Floats:
        """Estimate the mean squared weighted sum of scores, if each person holds one key at most.

        The scores of two keys of which one is held at most are uncorrelated, for an ideal hash
        exactly.  See `contrast_variance`, which knows it where m = 1.

        Parameters
        ----------
        tally : Tally
        weights : array_like of float (k,)

        Returns
        -------
        ndarray of float64 (…)
        """
        w = self._contrast_weights(weights, (len(tally.items or ()),))
        return np.asarray(self._squares(self._own(tally)) @ w**2)

    def _example(self) -> Example:
        items = (*range(1, self.table), 0)
        return Example(self, FEW_SETS[self.table], items, pairs=self.report_bits < 2)


# -------------------------------------------------------------------------------- key–value data


@dataclass(frozen=True, kw_only=True)
class WheelKV(SignedTernary, OpenMechanism):
    r"""Wheel-KV, OUR RECONSTRUCTION: each pair covers a slot, its key's for +, the next one for −.

    The formulas of wang2024 are lost; its prose is kept (a seeded hash, a move by the value, two
    tests around the circle, no list of keys on the client), but whether this is what its author ran
    cannot be told.  The literal reading of the prose, to draw the Wheel's z for the keys and then
    to move it by the sign, is not private at any ε.

    A report z is the answer + about the key with slot z, and − about the one with slot z − 1.  With
    :math:`\Omega = N + m(e^\varepsilon-1)` this is signed ternary (see `ternary`) with
    :math:`a = w = 1` and

    .. math:: \alpha = e^\varepsilon/\Omega, \qquad
              \beta = (1-\alpha)/(N-1), \qquad \gamma = 1/N,

    hence :math:`T = \Delta\frac{N-2}{N-1}` and :math:`D = \Delta\frac{N}{N-1}` with
    :math:`\Delta = \alpha - 1/N`.  The own slot has α whatever the others are; given it, the m − 1
    others are independent and uniform, which makes the N − 1 slots besides it alike.  Each pair of
    a record with more than m counts as m/size of a person.

    Source: reconstructed from wang2024 §3.1, Algorithms 1 and 2; the Wheel is Wang, Qian, Du, Yang,
    Huang and Xu 2020.

    Values are `Records` with values in [−1, 1] and keys that are non-negative integers, or `digest`
    of strings.  Candidates (`items`) are integers or strings.  Reports have the fields ``seed``
    (public) and ``slot``, (n,).  Tallies count (k, 3): answers −, nothing and +.

    Parameters
    ----------
    epsilon : float
    m : int
        Keys that a person reports about; see the head of this module for fewer and for more.
    slots : int
        N; 0, the default, stands for the number with the least sum of the two noises of a key that
        nobody holds.
    table : int
        0, the default, hashes any keys (`Multilinear`); a positive number stands for an ideal hash
        of so few keys 0, …, table − 1 whose seeds can be enumerated (`SlotTable`).

    Notes
    -----
    `slots` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the best
    number anew.

    Examples
    --------
    >>> ratings = WheelKV(epsilon=3.0, m=1)
    >>> people = Records.of(*[{0: 1.0}, {0: -0.5}, {2: 1.0}] * 5000)
    >>> reports = ratings.perturb(people, rng=np.random.default_rng(0))
    >>> ratings.estimate(ratings.tally(reports, [0, 2])).round(1)  # frequency, frequency × mean
    array([[0.7, 0.3],
           [0.2, 0.3]])
    """

    epsilon: float
    m: int
    slots: int = 0
    table: int = 0
    label = "Wheel-KV"
    limits: ClassVar[Mapping[str, Limit]] = LIMITS
    public_fields = ("seed",)
    server_cost = "report and item"
    chosen: ClassVar[Mapping[str, str]] = {"slots": "slot_count"}
    tried = [
        {"epsilon": 1.0, "m": 1, "slots": 4, "table": 2},
        {"epsilon": 0.5, "m": 2, "slots": 5, "table": 2},
        {"epsilon": 1.0, "m": 2, "slots": 4, "table": 3},
        {"epsilon": 0.2, "m": 1, "slots": 0, "table": 2},
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_slots(self.slots, self._least, self.m)

    # ------------------------------------------------------------------ slots, hash, α, β and γ

    @property
    def _least(self) -> int:
        """Fewest slots: one more than a person can cover, but with two, T = 0."""
        return max(self.m + 1, 3)

    @cached_property
    def slot_count(self) -> int:
        """N: `slots`, or the number with the least noise for keys that nobody holds."""
        if self.slots:
            return self.slots
        return best_slots(self._least, self.epsilon, self._rare_noise)

    def _rare_noise(self, slots: Floats) -> Floats:
        """Variances of both scores, b(1−b)/T² + b/D², of circles with N slots, but for a factor."""
        gap = gap_of(slots, self.m, self.epsilon)
        t = gap * (slots - 2) / (slots - 1)
        d = gap * slots / (slots - 1)
        return 2 / slots * ((1 - 2 / slots) / t**2 + 1 / d**2)

    @cached_property
    def circle(self) -> Circle:
        """The circle, and the law of a report on it."""
        return Circle(self.slot_count, self.m, 1, self.epsilon)

    @cached_property
    def hash(self) -> Hash:
        """The public hash family."""
        return hash_onto(self.slot_count, self.table)

    @property
    def answer(self) -> AnswerLaw:
        """(α, β, γ)."""
        alpha = self.circle.alpha
        n = self.slot_count
        return alpha, (1 - alpha) / (n - 1), Fraction(1, n)

    @property
    def realised_epsilon(self) -> float:
        """A bound for every seed: see the head of this module."""
        return self.circle.realised_epsilon

    @property
    def layout(self) -> Layout:
        """A public seed, and a slot."""
        return slot_layout(self.hash, self.slot_count)

    # ------------------------------------------------------------------------ values and target

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.table or None)

    def _items(self, items: Items) -> tuple[Item, ...]:
        return check_candidates(items, self.table)

    def used(self, sizes: Ints) -> Floats:
        """Probability that a pair of a record of this size is among the m drawn: min(1, m/size)."""
        return np.asarray(self.m / np.maximum(sizes, self.m))

    def _held(self, values: Records, items: Items = None) -> Held:
        records = self._values(values)
        return held_of(records, self._items(items), self.used(records.sizes))

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Records, rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        return turn(reports, values, self.circle, self.hash, rng)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports, items: Items = None) -> Ints:
        """Count for each candidate the answers −, nothing and +, (k, 3)."""
        minus, either = count_near(reports, self.circle, self.hash, items, -1, 1, 2).T
        return np.stack([minus, len(reports) - either, either - minus], -1)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean squared sum, known if a report is about one pair: other slots are independent."""
        if self.m > 1:
            raise self._untold_contrast()
        return self._contrast_of_independent(tally, weights)

    # -------------------------------------------------------------------------------- simulation

    def _check_population(self, population: Holdings) -> None:
        """Take any keys."""

    def _example(self) -> Example:
        items = (*range(1, self.table), 0)
        return Example(self, FEW_PAIRS[self.table], items, pairs=self.report_bits < 2)


class OpenSets(ABC):
    """Name of 1.0.0 for both Wheels: `isinstance` tells."""

    m: int
    table: int
    slot_count: int

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return issubclass(kind, Wheel | WheelKV)


FEW_SETS = {  # of so many keys, for examples
    2: Records.of({0}, {1}, set(), {0, 1}),
    3: Records.of({0, 1}, {2}, {0, 1, 2}, {1, 2}),
}
FEW_PAIRS = {
    2: FEW[2],
    3: Records.of({0: 1.0, 1: 1.0}, {1: -1.0, 2: 1.0}, {2: 0.5}, {0: 1.0, 1: -1.0, 2: 0.0}),
}


# ------------------------------------------------------------------------------------ the circle


@dataclass(frozen=True)
class Circle:
    """N slots, of which a person covers up to m arcs of W, and how often a report falls into them.

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
        """Probability of one covered slot: e^ε/(N + Wm(e^ε−1)), a multiple of 2**-53, rounded down.

        It is the same whatever is covered, so the probability Lα of all covered slots is such a
        multiple, too, and no other number is rounded.  A slot left free has probability
        (1−Lα)/(N−L), least where L = Wm; so the ratio of any two is at most α(N−Wm)/(1−Wmα), which
        grows with α.
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
        next_starts = np.concatenate([starts[:, 1:], starts[:, :1] + self.slots], 1)
        gaps = next_starts - starts
        covered = np.minimum(gaps, self.width)
        size = covered.sum(1)
        own = bernoulli(inexact(self.alpha) * size, size.shape, rng)
        nth = uniform(np.where(own, size, self.slots - size), size.shape, rng)
        # the arc, or the vacancy behind an arc, that holds the nth slot
        ends = np.where(own[:, None], covered, gaps - covered).cumsum(1)
        at = (ends <= nth[:, None]).sum(1)
        people = np.arange(len(starts))
        into = nth - np.where(at > 0, ends[people, at - 1], 0)
        passed = np.where(own, 0, self.width)
        return np.asarray((starts[people, at] + into + passed) % self.slots)


def check_slots(slots: int, least: int, m: int) -> None:
    """Refuse numbers of slots that leave too few free, where a person needs at least so many."""
    if least > SLOTS // 4:
        raise ValueError(f"m must leave 3 of {SLOTS} slots free, got {m}")
    if slots and not least <= slots <= SLOTS:
        raise ValueError(f"slots must be 0 or an integer in [{least}, {SLOTS}], got {slots}")


def best_slots(least: int, epsilon: float, noise: Callable[[Floats], Floats]) -> int:
    """Return the number of slots, from the least on, that has the least noise."""
    most = min(SLOTS, 4 * least * int(odds(epsilon) + 4))
    slots = np.arange(least, most + 1, dtype=np.float64)
    return int(slots[np.argmin(noise(slots))])


def gap_of(slots: Floats, most: int, epsilon: float) -> Floats:
    """α − 1/N of circles with N slots, `most` of them covered, but for a factor of all."""
    return (slots - most) / (slots * (slots + most * inexact(odds(epsilon) - 1)))


def hash_onto(slots: int, table: int) -> Hash:
    """Return the hash of any keys onto so many slots, or that of a table of so many keys."""
    if table:
        return SlotTable(keys=table, slots=slots)
    return Multilinear(slots=slots)


def slot_layout(family: Hash, slots: int) -> Layout:
    """Return the layout of a public seed of this hash, and one of so many slots."""
    return {
        "seed": (np.uint32, family.values, family.words),
        "slot": (np.int64, slots),
    }


def turn(
    reports: Reports,
    records: Records,
    circle: Circle,
    family: Hash,
    rng: Randomness,
) -> Reports:
    """Fill reports: a public seed, and z for the slots of as many keys as the circle has arcs.

    Where keys have values, a sign is drawn for each, and − moves the arc by one slot.

    Parameters
    ----------
    reports : structured ndarray (n,) with the fields ``seed`` and ``slot``
    records : Records
    circle : Circle
    family : Multilinear or SlotTable
    rng : Generator, SystemRandom or Paths
    """
    n = len(records)
    for part in blocks(n, CLIENTS):
        few = records
        if n > CLIENTS:
            few = records[part]
        seeds = family.seeds(len(few), rng)
        places, real = sample_entries(few, circle.arcs, rng)
        starts = uniform(circle.slots, real.shape, rng, used=~real)  # of dummies
        held = real.nonzero()
        entries = places[real]
        slots = family(seeds[held[0]], few.keys[entries])
        if few.values is not None:
            slots += signs(real.shape, held, few.values[entries], rng)[real] < 0
        starts[real] = slots % circle.slots
        reports["seed"][part] = seeds
        reports["slot"][part] = circle.spin(starts, rng)
    return reports


# -------------------------------------------------------------------------------- the candidates


def check_candidates(items: Items, table: int) -> tuple[Item, ...]:
    """Return distinct integers and strings; integers below `table`, if that is not 0."""
    array = np.asarray(items, object)
    if array.ndim != 1 or array.size == 0:
        rule = "items must name the candidates, at least one integer or string"
        raise ValueError(f"{rule}, got {shown(items)}")
    found = tuple(_unboxed(item) for item in array.tolist())
    for item in found:
        if not _is_item(item):
            raise ValueError(f"items must be non-negative integers or strings, got {shown(item)}")
    codes = check_codes(codes_of(found), table or None, "keys")
    repeated = len(found) - len(np.unique(codes))
    if repeated:
        raise ValueError(f"items must be distinct, got {repeated} of {len(found)} repeated")
    return found


def _unboxed(item: Items) -> Items:
    """Return a number of numpy as one of Python."""
    if isinstance(item, np.generic):
        return item.item()
    return item


def _is_item(item: object) -> bool:
    if type(item) is int:  # which True is not
        return 0 <= item < 2**63 - 1
    return type(item) is str


def codes_of(items: tuple[Item, ...]) -> Ints:
    """Return the keys of candidates, (k,)."""
    return np.array([_code_of(item) for item in items], np.int64)


def _code_of(item: Item) -> int:
    if isinstance(item, str):
        return key_of(item)
    return item


def count_near(
    reports: Reports,
    circle: Circle,
    family: Hash,
    items: tuple[Item, ...],
    first: int,
    inner: int,
    outer: int,
) -> Ints:
    """Count for each candidate the reports z with its slot among z + first, …: (k, 2).

    The two counts are for the first `inner` of these slots, and for the first `outer`.
    """
    codes = codes_of(items)
    counts = np.zeros((len(items), 2), np.int64)
    for part in blocks(len(reports), REPORTS):
        start = (reports["slot"][part] + first) % circle.slots
        counts += family.count(reports["seed"][part], start, inner, outer, codes)
    return counts


def held_of(records: Records, items: tuple[Item, ...], used: Floats) -> Held:
    """Return the pairs of these candidates; v is 1 in sets.

    Parameters
    ----------
    records : Records
    items : tuple of int and str (k,)
    used : ndarray (n,)
        Probability that a pair of each person is among those drawn.
    """
    codes = codes_of(items)
    order = np.argsort(codes, kind="stable")
    places = np.searchsorted(codes, records.keys, sorter=order)
    columns = order[np.minimum(places, len(codes) - 1)]
    listed = codes[columns] == records.keys
    users = records.users[listed]
    v = np.ones(len(users))
    if records.values is not None:
        v = records.values[listed]
    return Held(users, columns[listed], used[users], v, (len(records), len(codes)))
