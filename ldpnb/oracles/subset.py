"""Subset selection: a report is a set of items, of the size with the least risk that any mechanism can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, sqrt
from operator import attrgetter
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, exact, inexact, odds, packed_bernoulli, round_down, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_count, check_epsilon, check_probability
from ldpnb.core import Bools, Floats, Ints, Reports, blocks
from ldpnb.kernels import Bytes, compiled, flip_ranked, ones_of_rows, set_drawn
from ldpnb.oracles.frequency import BLOCK, BitReports, check_weights, put_own

SEARCHED_MAX = 10**7  # items up to which all sizes are compared
ROUNDS = 4  # of places drawn blindly for packed sets; of what is missing then, few items are left


@dataclass(frozen=True, kw_only=True)
class SubsetSelection(BitReports):
    r"""Subset selection (k-Subset): report a set of c items, which contains the person's own one more often.

    The set contains the own item with probability :math:`p^* = ce^\varepsilon/(ce^\varepsilon+k-c)`; the rest of it is
    drawn from the other items, all alike, so that :math:`q^* = (c-p^*)/(k-1)`.  For c = 1 this is `GRR`.

    With the best c no mechanism has a smaller worst-case mean square error for many people: see `minimax_risk`.

    Source: Wang, Huang et al. 2016; Ye and Barg 2018; ye2018 §4.1.1.

    Reports are the bits of the set, exactly c of them set (see `BitReports`).  A list of items would be a leak if its
    order told which of them came first.

    There is no `simulate`: the items of a set exclude each other, so that the joint law of a tally takes every person.

    Parameters
    ----------
    size : int
        Items in a set, c, from 1 to k − 1; 0, the default, stands for the best one (see `set_size`).

    Notes
    -----
    How many random numbers a report takes says nothing about the person's item.

    Its limit in practice is about k = 100,000.  A call of `perturb` takes time in proportion to k, for one person too:
    about a second at 100,000 items and 13 seconds at 1,000,000, where `report_bits` takes 10 seconds, too (it counts
    the possible sets).  Above 100,000 items `ldpnb.serve.choose` leaves it out; `BlockDesign`, whose report is short,
    is as good there, or nearly.

    `size` stays what it was given as, so that ``replace(mechanism, epsilon=…)`` finds the best size anew.  For the same
    reason a mechanism that chose 4 items itself is not equal to one that was told to take 4.

    Examples
    --------
    >>> oracle, rng = SubsetSelection(k=6, epsilon=1.0), np.random.default_rng(0)
    >>> reports = oracle.perturb(np.repeat([0, 1, 2], [6000, 3000, 1000]), rng=rng)
    >>> oracle.set_size, oracle.estimate(oracle.tally(reports))[:3].round(2)
    (2, array([0.6 , 0.29, 0.1 ]))
    """

    size: int = 0
    label = "k-Subset"
    chosen: ClassVar[Mapping[str, str]] = {"size": "set_size"}
    limits: ClassVar[Mapping[str, Limit]] = {"size": (0, SIZE_MAX)}

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

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        few = min(self.set_size, self.k - self.set_size)  # of a set and its complement, draw the smaller one
        whole = few == self.set_size
        own = bernoulli(inexact(self.support[0]), values.shape, rng) == whole
        kind, _, width = self.layout[""]
        bits: NDArray[Any] = np.zeros((len(values), width), kind)
        for part in blocks(len(values), BLOCK):
            if self.packed:
                _fill_packed(bits[part], values[part], own[part], few, self.k, rng)
            else:
                _fill(bits[part], values[part], own[part], few, rng)
        if not whole:
            bits ^= self._as_packed(np.ones((1, self.k), np.bool_))
        return bits

    _most = property(attrgetter("set_size"), doc="Ones that a report has.")

    def linear_variance(self, weights: ArrayLike) -> Floats:
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


def _fill(bits: Bools, codes: Ints, own: Bools, size: int, rng: Randomness) -> None:
    """Draw sets of `size` items that contain the own item where `own` says so, and others all alike, into zeros.

    Floyd's sampling: to choose among others 0, …, last with `last` chosen before or not, draw one; if it is taken,
    take `last`.  Sets with the own item need one other less and throw the first one away.
    """
    k, flat, rows = bits.shape[1], bits.reshape(-1), np.arange(len(bits)) * bits.shape[1]
    flat[rows + codes] = own
    for last in range(k - 1 - size, k - 1):
        first = last == k - 1 - size
        who: Any = ~own if first else slice(None)
        row, x = rows[who], codes[who]
        other = uniform(last + 1, codes.shape, rng, used=~own if first else True)[who]
        at = row + other + (other >= x)  # the others are numbered without the own item
        flat[np.where(flat[at], row + last + (last >= x), at)] = True


def _fill_packed(bits: Bytes, codes: Ints, own: Bools, size: int, k: int, rng: Randomness) -> None:
    """As `_fill`, into packed rows: each other item by a coin, and then as many put right as are missing or too many.

    All sets of one size are alike to begin with, since coins do not tell the others apart.  To add an item, any of
    those outside alike, leaves it so: a set T arises from each T∖{v}, all of them alike, by one of as many items.  To
    remove one likewise.  Places of items to add are drawn blindly first, and those that are taken add nothing; whatever
    is missing or too many after that is found by its rank, which is slower but needs no luck.

    All rows get `size` other items, so that no number of draws depends on the own one; where that is in the set, one
    of the others, any alike, makes room for it at the end.
    """
    bits[:] = packed_bernoulli(_near(size, k), (len(bits), k), rng)
    put_own(bits, codes, np.zeros_like(own))
    missing = size - ones_of_rows(bits)
    for _ in range(ROUNDS):
        compiled(set_drawn)(bits, codes, missing, uniform(k - 1, (int(np.maximum(missing, 0).sum()),), rng))
    left = np.abs(missing)
    before = np.arange(left.sum()) - np.repeat(np.cumsum(left) - left, left)
    candidates = np.where(missing > 0, k - 1 - size + missing, size - missing)
    compiled(flip_ranked)(bits, codes, missing, uniform(np.repeat(candidates, left) - before, before.shape, rng))
    compiled(flip_ranked)(bits, codes, -own.astype(np.int64), uniform(size, own.shape, rng, used=own)[own])
    put_own(bits, codes, own)


def _near(size: int, k: int) -> float:
    """Probability of a coin for sets of `size` out of k: so few binary digits below size/k that the whole is cheap.

    In nanoseconds, about: a binary digit costs 2/5 a byte of the row, an item that is missing 5, and one that is too
    many k/10, since it is looked for by its rank.
    """
    normal = NormalDist()

    def cost(digits: int, part: int) -> float:
        mean = part * k / (1 << digits)
        sd, short = sqrt(mean * (1 - mean / k)), size - mean
        excess = sd * (normal.pdf(short / sd) - short / sd * normal.cdf(-short / sd)) if sd else 0.0
        return digits * -(-k // 8) * 0.4 + 5 * short + k / 10 * excess

    tried = [(digits, max((size << digits) // k - less, 0)) for digits in range(10) for less in (0, 1)]
    digits, part = min(tried, key=lambda x: cost(*x))
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


def size_for(k: int, epsilon: float, share: float) -> int:
    r"""Return the size of the sets for which the error of one item is least that a share f of the people hold.

    With :math:`P = f p^* + (1-f) q^*`, the chance of a set that contains it, no mechanism has a smaller mean variance
    than :math:`P(1-P)/(p^*-q^*)^2` less f(1 − f), averaged over which item has the share, all others being equally
    frequent; `best_size` is about all items together.  All sizes are searched: the best one is near
    :math:`k/(e^\varepsilon+1)` for a rare item, and tends to k/2 as the share tends to 1.

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
    k, f = check_count(k, 2, "k", SEARCHED_MAX), check_probability(share, "share")
    e = float(odds(check_epsilon(epsilon)))
    c = np.arange(1, k, dtype=np.float64)
    total = c * e + k - c
    p, absent = c * e / total, (k - c) / total
    q = c * ((c - 1) * e + k - c) / (total * (k - 1))
    gap = c * (k - c) * (e - 1) / (total * (k - 1))
    variance = (f * p * absent + (1 - f) * q * (1 - q)) / gap**2
    least = variance <= variance.min() * (1 + 1e-9)  # of those that are equal to nine digits, the smallest
    return int(c[least][0])


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
