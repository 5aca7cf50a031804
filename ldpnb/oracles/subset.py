"""Subset selection: a report is a set of items, of the size with the least possible risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, sqrt
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import chance
from ldpnb.chance import (
    Randomness,
    bernoulli,
    exact,
    inexact,
    odds,
    packed_bernoulli,
    round_down,
    uniform,
)
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_count,
    check_epsilon,
    check_flag,
    check_probability,
)
from ldpnb.core import Bools, Floats, Ints, Layout, Reports, blocks
from ldpnb.kernels import Bytes, compiled, flip_ranked, ones_of_rows, set_drawn
from ldpnb.oracles.base import BLOCK, ItemOracle, Support, check_weights
from ldpnb.oracles.bits import (
    Bits,
    bit_layout,
    check_bit_reports,
    count_bits,
    first_items,
    put_own,
)

SEARCHED_MAX = 10**7  # items up to which all sizes are compared
ROUNDS = 4  # of places drawn blindly for packed sets; few items are missing after that


@dataclass(frozen=True, kw_only=True)
class SubsetSelection(ItemOracle):
    r"""Subset selection (k-Subset): report a set of c items, more often with the own one.

    The set contains the person's own item with probability
    :math:`p = ce^\varepsilon/(ce^\varepsilon+k-c)`; the rest of it is drawn from the other items,
    all alike, so that :math:`q = (c-p)/(k-1)`.  For c = 1 this is `GRR`.

    With the best c no mechanism has a smaller worst-case mean square error for many people: see
    `minimax_risk`.

    Source: Wang, Huang et al. 2016; Ye and Barg 2018; ye2018 §4.1.1.

    Reports are the bits of the set, exactly c of them set: bool (n, k), or packed, uint8
    (n, ⌈k/8⌉), see `ldpnb.oracles.bits`.  A list of items would be a leak if its order told which
    of them came first.  Tallies count the ones, (k,).

    There is no `simulate`: the items of a set exclude each other, so that the joint law of a tally
    takes every person.

    Parameters
    ----------
    size : int
        Items in a set, c, from 1 to k − 1; 0, the default, stands for the best one (`set_size`).
    packed : bool
        Whether reports are packed, eight items to a byte.

    Notes
    -----
    How many random numbers a report takes says nothing about the person's item.

    Its limit in practice is about k = 100,000.  A call of `perturb` takes time in proportion to k,
    for one person too: about a second at 100,000 items and 13 seconds at 1,000,000, where
    `report_bits` takes 10 seconds, too (it counts the possible sets).  Above 100,000 items
    `ldpnb.choose` leaves it out; `BlockDesign`, whose report is short, is as good there, or
    nearly.

    `size` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the best
    size anew.  For the same reason a mechanism that chose 4 items itself is not equal to one that
    was told to take 4.

    Examples
    --------
    >>> oracle = SubsetSelection(k=6, epsilon=1.0)
    >>> people = np.repeat([0, 1, 2], [6000, 3000, 1000])
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.set_size, oracle.estimate(oracle.tally(reports))[:3].round(2)
    (2, array([0.6 , 0.29, 0.1 ]))
    """

    packed: bool = False
    size: int = 0
    label = "k-Subset"
    limits: ClassVar[Mapping[str, Limit]] = {"packed": check_flag, "size": (0, SIZE_MAX)}
    server_cost = "report and item"
    chosen: ClassVar[Mapping[str, str]] = {"size": "set_size"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size >= self.k:
            raise ValueError(f"size must be an integer below k = {self.k}, got {self.size}")

    @cached_property
    def set_size(self) -> int:
        """Number of items in a set, c: `size`, or the best one (`best_size`)."""
        return self.size or best_size(self.k, self.epsilon)

    @cached_property
    def support(self) -> Support:
        """(p, q): p = ce^ε/(ce^ε + k − c), rounded down, and q = (c − p)/(k − 1)."""
        c = self.set_size
        weight = c * odds(self.epsilon)
        p = exact(round_down(weight / (weight + self.k - c)))
        return p, (c - p) / (self.k - 1)

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of p/C(k−1, c−1), for a set with the item, over (1−p)/C(k−1, c) without it."""
        p, _ = self.support
        c = self.set_size
        return chance.log(p * (self.k - c) / ((1 - p) * c))

    @property
    def layout(self) -> Layout:
        """Bits, or bytes."""
        return bit_layout(self.k, self.packed)

    @property
    def report_bits(self) -> int:
        """⌈log₂ C(k, c)⌉."""
        return (comb(self.k, self.set_size) - 1).bit_length()

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Bits:
        """Draw the set or, if that is smaller, its complement."""
        c = self.set_size
        drawn = min(c, self.k - c)
        complement = drawn != c
        with_own = bernoulli(inexact(self.support[0]), values.shape, rng)
        marked = with_own != complement  # whether the own item is in what is drawn
        kind, _, width = self.layout[""]
        bits: Bits = np.zeros((len(values), width), kind)
        for part in blocks(len(values), BLOCK):
            if self.packed:
                _fill_packed(bits[part], values[part], marked[part], drawn, self.k, rng)
            else:
                _fill(bits[part], values[part], marked[part], drawn, rng)
        if complement:
            bits ^= first_items(self.k, self.k, self.packed)
        return bits

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Bits:
        bits = check_bit_reports(reports, self.layout)
        if self.packed:
            sizes = ones_of_rows(bits)
        else:
            sizes = np.count_nonzero(bits, axis=1)
        wrong = sizes[sizes != self.set_size]
        if wrong.size:
            rule = f"reports must have {self.set_size} bits set in each row"
            raise ValueError(f"{rule}, got {wrong[0]}")
        return bits

    def _count(self, reports: Bits) -> Ints:
        return count_bits(reports, self.k, self.packed)

    def _worst(self) -> Bits:
        """Support as many items as a report can."""
        return first_items(self.set_size, self.k, self.packed)

    # ---------------------------------------------------------------------------------- variance

    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of the sum over the set's items: (…, k).  See `ItemOracle.linear_variance`.

        Of the k − 1 other items, m = c or c − 1 are drawn without replacement.  With μ the mean of
        their weights less that of the own item, and σ² their variance, it is
        :math:`\{\mathrm E[m(k-1-m)]\,\sigma^2/(k-2) + p(1-p)\mu^2\}/(p-q)^2`.
        """
        p, q = self.support
        c = self.set_size
        others = self.k - 1
        w = check_weights(weights, self.k)
        w = w - w.mean(-1, keepdims=True)  # sets have one size: this changes nothing
        total = np.square(w).sum(-1, keepdims=True)
        spread = (total - np.square(w)) / others - np.square(w / others)  # σ²; the mean is −w/(k−1)
        drawn = p * (c - 1) * (others - c + 1) + (1 - p) * c * (others - c)
        within = inexact(drawn / max(others - 1, 1)) * spread
        between = inexact(p * (1 - p)) * np.square(w * self.k / others)
        return np.asarray((within + between) / inexact(p - q) ** 2)


# --------------------------------------------------------------------------- how sets are drawn


def _fill(bits: Bools, codes: Ints, own: Bools, size: int, rng: Randomness) -> None:
    """Draw sets into rows of zeros: with the own item where `own` says so, others all alike.

    This is Floyd's sampling: to choose among others 0, …, last with `last` chosen before or not,
    draw one; if it is taken, take `last`.  Sets with the own item need one other less, and throw
    the first one away.
    """
    n, k = bits.shape
    flat = bits.reshape(-1)
    rows = np.arange(n) * k
    flat[rows + codes] = own
    first = k - 1 - size
    without = ~own
    other = uniform(first + 1, codes.shape, rng, used=without)
    _add_one(flat, rows[without], codes[without], other[without], first)
    for last in range(first + 1, k - 1):
        other = uniform(last + 1, codes.shape, rng)
        _add_one(flat, rows, codes, other, last)


def _add_one(flat: Bools, rows: Ints, codes: Ints, other: Ints, last: int) -> None:
    """Add an item to each row: the `other`-th but the own one, or the `last`-th if that is in."""
    at = rows + other + (other >= codes)
    instead = rows + last + (last >= codes)
    flat[np.where(flat[at], instead, at)] = True


def _fill_packed(bits: Bytes, codes: Ints, own: Bools, size: int, k: int, rng: Randomness) -> None:
    """Do as `_fill` does, into packed rows: by a coin for each item, and then by corrections.

    All sets of one size are alike to begin with, since coins do not tell the others apart.  To add
    an item, any of those outside alike, leaves it so: a set T arises from each T∖{v}, all of them
    alike, by one of as many items.  To remove one likewise.  Places of items to add are drawn
    blindly first, and those that are taken add nothing; whatever is missing or too many after that
    is found by its rank, which is slower but needs no luck.

    All rows get `size` other items, so that no number of draws depends on the own one; where that
    is in the set, one of the others, any alike, makes room for it at the end.
    """
    bits[:] = packed_bernoulli(_coin_near(size, k), (len(bits), k), rng)
    put_own(bits, codes, np.zeros_like(own))
    missing = size - ones_of_rows(bits)
    for _ in range(ROUNDS):
        places = int(np.maximum(missing, 0).sum())
        compiled(set_drawn)(bits, codes, missing, uniform(k - 1, (places,), rng))
    left = np.abs(missing)
    before = np.arange(left.sum()) - np.repeat(np.cumsum(left) - left, left)
    candidates = np.where(missing > 0, k - 1 - size + missing, size - missing)
    ranks = uniform(np.repeat(candidates, left) - before, before.shape, rng)
    compiled(flip_ranked)(bits, codes, missing, ranks)
    makes_room = uniform(size, own.shape, rng, used=own)[own]
    compiled(flip_ranked)(bits, codes, -own.astype(np.int64), makes_room)
    put_own(bits, codes, own)


def _coin_near(size: int, k: int) -> float:
    """Probability of a coin for sets of `size` out of k, with the fewest corrections to pay for.

    It has few binary digits, and is below size/k.  In nanoseconds, about: a binary digit costs 2/5
    a byte of the row, an item that is missing 5, and one that is too many k/10, since it is looked
    for by its rank.
    """
    normal = NormalDist()
    width = -(-k // 8)
    best = 0.0
    least = float("inf")
    for digits in range(10):
        for less in (0, 1):
            p = max((size << digits) // k - less, 0) / (1 << digits)
            mean = p * k
            short = size - mean
            sd = sqrt(mean * (1 - p))
            z = 0.0
            if sd:
                z = short / sd
            excess = sd * (normal.pdf(z) - z * normal.cdf(-z))
            cost = digits * width * 0.4 + 5 * short + k / 10 * excess
            if cost < least:
                least = cost
                best = p
    return best


# ------------------------------------------------------------------------- the best size, risk


def best_size(k: int, epsilon: float) -> int:
    r"""Return the size of the sets for which `SubsetSelection` has the least risk, in O(1).

    The risk falls and then rises with the size c, and is least at the real number
    :math:`k/(e^\varepsilon+1)`; so c is one of its two neighbours.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    """
    k = check_count(k, 2, "k", SIZE_MAX)
    e = odds(check_epsilon(epsilon))
    below = int(k / (e + 1))
    return min(max(below, 1), below + 1, key=lambda c: _risk(k, c, e))


def size_for(k: int, epsilon: float, share: float) -> int:
    r"""Return the size of the sets with the least error of an item that a share f of people hold.

    With :math:`P = f p + (1-f) q`, the chance of a set that contains it, no mechanism has a
    smaller mean variance than :math:`P(1-P)/(p-q)^2` less f(1 − f), averaged over which item has
    the share, all others being equally frequent; `best_size` is about all items together.  All
    sizes are searched: the best one is near :math:`k/(e^\varepsilon+1)` for a rare item, and tends
    to k/2 as the share tends to 1.

    Parameters
    ----------
    k : int in [2, 10**7]
    epsilon : float
    share : float in [0, 1]

    Examples
    --------
    >>> size_for(100, 8.0, 0.0), size_for(100, 8.0, 0.9)
    (1, 5)
    """
    k = check_count(k, 2, "k", SEARCHED_MAX)
    f = check_probability(share, "share")
    e = float(odds(check_epsilon(epsilon)))
    c = np.arange(1, k, dtype=np.float64)
    total = c * e + k - c
    p = c * e / total
    absent = (k - c) / total  # 1 − p
    q = c * ((c - 1) * e + k - c) / (total * (k - 1))
    gap = c * (k - c) * (e - 1) / (total * (k - 1))  # p − q
    variance = (f * p * absent + (1 - f) * q * (1 - q)) / gap**2
    least = variance <= variance.min() * (1 + 1e-9)  # of those equal to nine digits, the smallest
    return int(c[least][0])


def minimax_risk(k: int, epsilon: float) -> float:
    r"""Least worst-case mean square error of any ε-LDP mechanism and estimator, times n, as n → ∞.

    .. math:: M(k, \varepsilon) = \min_{1\le c<k}
              \frac{(k-1)^2 (ce^\varepsilon+k-c)^2}{k c (k-c) (e^\varepsilon-1)^2}

    People are drawn independently from a distribution f, and :math:`\mathbb{E}\|\hat f-f\|^2` is
    summed over the k items: it includes the error of sampling people, which an error against the
    shares among *these* people does not.  The worst f is the uniform distribution, and
    `SubsetSelection` attains the bound.

    Source: Ye and Barg 2018.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    """
    return inexact(_risk(k, best_size(k, epsilon), odds(epsilon)))


def _risk(k: int, c: int, e: Fraction) -> Fraction:
    return ((k - 1) * (c * e + k - c) / (e - 1)) ** 2 / (k * c * (k - c))
