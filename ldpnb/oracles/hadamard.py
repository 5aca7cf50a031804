"""One private bit, or one private index, a person: oracles from rows and columns of Hadamard matrices.

A person with item x draws a public row j of a matrix of signs s and reports the sign s[j, x], true with probability p.
With z = ±1 the reported sign, and Sylvester's m × m matrix for s,

    E[c z s[j, v]] = Σ_j s[j, x] s[j, v] / m = 1 if v = x, else 0,      c = 1/(2p − 1) = (e^ε + 1)/(e^ε − 1).

Two things keep this exact: rows are drawn from all m, so that columns are orthogonal, and m is at least k, so that each
item has a column of its own.  Nothing more is needed: column 0 and row 0 are constant, and may be used.
`HadamardResponse` has no public row: its report is an index, and a constant column would tell nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, bernoulli, binomial, exact, inexact, odds, round_down, uniform
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_count,
    check_epsilon,
    check_histogram,
    check_probability,
)
from ldpnb.core import Bools, Floats, Ints, Layout, Reports, Tally
from ldpnb.kernels import fwht
from ldpnb.oracles.frequency import KeptItem, PureProtocol, UnaryEncoding, check_weights


def parity(rows: Ints, items: Ints | np.integer) -> Bools:
    """Whether Sylvester's H[row, item] is −1: whether row & item has an odd number of ones."""
    return np.asarray(np.bitwise_count(rows & items) & 1, np.bool_)


def order(k: int) -> int:
    """Order of the matrix for k columns: the least power of two that is not below k."""
    return 1 << (k - 1).bit_length()


def routed(people: Ints, rng: Randomness, *, plus: bool = False) -> Ints:
    """Let everybody draw a row of Sylvester's matrix, all alike, and count by rows what was counted by columns.

    A fast Walsh–Hadamard transform of people.  The entry's sign is −1 to the number of bits that row and column share.
    So draw the rows' bits one by one, from the highest; after each, people differ only in what is left of their column
    and in the sign so far, and those who are alike there go on as one.  That is m log₂ m binomial counts, none of
    which depends on who was together before, and the joint law of rows and signs is exact.

    Parameters
    ----------
    people : ndarray of int64 (…, m, 2)
        How many have each column and each sign (+, −) to start with.
    plus : bool
        Whether people draw only among the rows that make their sign a plus.  Then nobody may have column 0 and −.

    Returns
    -------
    ndarray of int64 (…, m, 2)
        How many drew each row, by the product of the sign they had and the entry's.
    """
    groups = people[..., None, :, :]  # (…, rows as far as drawn, rest of the column, sign so far)
    while (half := groups.shape[-2] // 2) > 0:
        set_next = np.full((2 * half, 2), 0.5)
        if plus:
            set_next[half] = 0, 1  # this is the column's last one bit, so that the row's bit decides the sign
        ones = binomial(groups, set_next, groups.shape, rng)
        zeros = groups - ones
        parts = zeros[..., :half, :] + zeros[..., half:, :], ones[..., :half, :] + ones[..., half:, ::-1]
        groups = np.stack(parts, -3).reshape(*people.shape[:-2], -1, half, 2)
    return groups[..., 0, :]


def truthful(epsilon: float) -> Fraction:
    """Probability of the true sign, e^ε/(e^ε + 1); rounded down."""
    e = odds(epsilon)
    return exact(round_down(e / (e + 1)))


def tell_signs(
    reports: Reports, rows: int | Ints, items: Ints, truth: Any, rng: Randomness, minus: Callable[..., Bools] = parity
) -> Reports:
    """Fill reports: a public row of so many, and the sign of the item's entry in it, the true one with this chance."""
    reports["row"] = uniform(rows, items.shape, rng)
    reports["bit"] = minus(reports["row"], items) == bernoulli(truth, items.shape, rng)
    return reports


def count_signs(cells: Ints, minus: Bools, size: int) -> Ints:
    """How many plus and minus signs each cell has, (size, 2)."""
    return np.bincount(2 * cells + minus, minlength=2 * size).reshape(size, 2)


# ------------------------------------------------------------------------------------------------ pure protocols


class OneBit(PureProtocol):
    """What `HadamardBit` and `SHist` share: a public row of m, and the sign of the item's entry in it as private bit.

    A report supports the items whose entry has the reported sign: the person's own with probability p* = p, and, where
    columns are orthogonal, any other one with q* = 1/2 over all rows.
    """

    m: Any  # int: number of rows, a property or a field
    public_fields: ClassVar[tuple[str, ...]] = ("row",)

    def minus(self, rows: Ints, items: Ints) -> Bools:
        """Whether the entries of the matrix, Sylvester's or another, are −1; rows and items are broadcast."""
        return parity(rows, items)

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*): (p, 1/2), with p = e^ε/(e^ε+1)."""
        return truthful(self.epsilon), Fraction(1, 2)

    realised_epsilon = UnaryEncoding.realised_epsilon  # of one bit: two items' entries differ in some row

    @property
    def layout(self) -> Layout:
        """A public row, and a sign."""
        return {"row": (np.int64, self.m), "bit": (np.bool_, 2)}

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        return tell_signs(np.empty(len(values), self.dtype), self.m, values, inexact(self.support[0]), rng, self.minus)


@dataclass(frozen=True, kw_only=True)
class HadamardBit(OneBit):
    r"""One sign of the item's column of Sylvester's Hadamard matrix.

    Draw a public row j of m, all alike, and report the sign H[j, x], true with probability
    :math:`p = e^\varepsilon/(e^\varepsilon+1)`.  A pure protocol with :math:`p^* = p` and, over the public row,
    :math:`q^* = 1/2`, so its variance is :math:`c^2 - 1` for the person's item and :math:`c^2` for the others,
    :math:`c = (e^\varepsilon+1)/(e^\varepsilon-1)`.

    Source: Bassily and Smith 2015, with an orthogonal matrix as in Nguyên et al. 2016; ye2018 §4.1.1.

    Reports have the fields ``row`` (public) and ``bit`` (True for a minus sign), (n,).
    Tallies count the plus and minus signs of each row, (m, 2).

    Examples
    --------
    >>> oracle, rng = HadamardBit(k=3, epsilon=1.0), np.random.default_rng(0)
    >>> reports = oracle.perturb(np.repeat([0, 1, 2], [6000, 3000, 1000]), rng=rng)
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.61, 0.27, 0.09])
    """

    label = "Hadamard bit"
    marks = True

    @property
    def m(self) -> int:
        """Number of rows: the least power of two that is not below k."""
        return order(self.k)

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count the plus and minus signs of each row: (m, 2)."""
        return count_signs(reports["row"], reports["bit"], self.m)

    def _supporters(self, tally: Tally) -> Floats:
        """In O(m log m), whatever n."""
        balance = fwht(tally.counts[..., 0] - tally.counts[..., 1])[..., : self.k]
        return np.asarray((tally.n + balance) / 2, np.float64)

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """Variance c²Σ_v w_v² − w_x² for the person's item x: (…, k).  See `PureProtocol.linear_variance`.

        The square of the score is c²(Σ_v w_v H[j, v])²; its mean over rows is c²Σ_v w_v² (Parseval).
        """
        w = np.square(check_weights(weights, self.k))
        total = w.sum(-1, keepdims=True)  # c² − 1 apart: at large ε that is all there is
        return np.asarray(inexact(1 / (2 * self.support[0] - 1) ** 2 - 1) * total + (total - w))

    def _linear_variance_of_nobody(self, weights: Floats) -> float:
        return inexact(1 / (2 * self.support[0] - 1) ** 2) * float(np.square(weights).sum())

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population with this histogram, exact in their joint law: (trials, m, 2).

        In O(m log m) each, whatever n (see `routed`).
        """
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        people = np.zeros((trials, self.m, 2), np.int64)
        honest = binomial(histogram, inexact(self.support[0]), (trials, self.k), rng)
        people[:, : self.k] = np.stack([honest, histogram - honest], -1)
        return Tally(self, int(histogram.sum()), routed(people, rng))


# ------------------------------------------------------------------------------------------------ one private index


@dataclass(frozen=True, kw_only=True)
class HadamardResponse(KeptItem):
    r"""Hadamard response: an index of one of B blocks, likelier where the item's column has a plus sign.

    Each item belongs to a block and to a column c ≥ 1 of Sylvester's b × b matrix; :math:`S_x` are the b/2 indices of
    the block where that column is +1.  With probability :math:`\kappa = (e^\varepsilon-1)/(e^\varepsilon-1+2B)` report
    any index of :math:`S_x`, otherwise any of all K = Bb, all alike.  So :math:`S_x` has :math:`e^\varepsilon` times
    the weight of the rest.  The score of v is :math:`\pm1/\kappa` by the sign of v's column, and 0 if the report is in
    another block.  Column 0 must not be used: its sign says nothing but the block.

    With one block this is a pure protocol with the variance of `HadamardBit` and no public row; the more blocks, the
    more like k-RR.  Of many items, each adds :math:`4/(e^\varepsilon-1) + 1/B + 4B/(e^\varepsilon-1)^2` to the largest
    total variance, so the best power of two is the least B with :math:`B \ge (e^\varepsilon-1)/\sqrt8`.  The paper's,
    with :math:`B \ge e^\varepsilon/2`, is that or twice that, which costs up to 39 % just above ε = ln 2, and up to
    12.5 % where ε is large.

    Source: Acharya, Sun and Zhang 2019.

    Reports are indices in [0, K), (n,).  Tallies count each index, (K,).

    Parameters
    ----------
    k : int, at least 2
        Size of the domain {0, …, k−1}.
    epsilon : float
    blocks : int, optional
        B, a power of two, at most the least one that is not below k; by default the paper's
        :math:`2^{\lceil\log_2\min(e^\varepsilon, 2k)\rceil-1}`.

    Examples
    --------
    >>> oracle, rng = HadamardResponse(k=3, epsilon=1.0), np.random.default_rng(0)
    >>> reports = oracle.perturb(np.repeat([0, 1, 2], [6000, 3000, 1000]), rng=rng)
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.59, 0.32, 0.05])
    """

    k: int
    epsilon: float
    blocks: int = 0
    label = "Hadamard response"
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, SIZE_MAX), "epsilon": check_epsilon, "blocks": (0, 2**63 - 1)}
    tried = [{"k": 3, "epsilon": 1.0, "blocks": 1}, {"k": 3, "epsilon": 20.0}, {"k": 7, "epsilon": 0.5, "blocks": 2}]

    def __post_init__(self) -> None:
        super().__post_init__()
        blocks = self.blocks or order(ceil(min(odds(self.epsilon), Fraction(2 * self.k)))) // 2
        if blocks & (blocks - 1) or blocks > order(self.k):
            raise ValueError(f"blocks must be a power of two, at most {order(self.k)} for k = {self.k}, got {blocks}")
        object.__setattr__(self, "blocks", blocks)

    @property
    def b(self) -> int:
        """Size of a block: the least power of two with a column for each item of a block, besides column 0."""
        return order(-(-self.k // self.blocks) + 1)

    @property
    def size(self) -> int:
        """Number of indices, K = B b."""
        return self.blocks * self.b

    def column(self, items: Ints) -> tuple[Ints, Ints]:
        """Block and column of items; dealt out in turn, so that blocks are filled evenly."""
        return items % self.blocks, items // self.blocks + 1

    @property
    def ell(self) -> int:
        """Number of indices of an item's set: half a block."""
        return self.b // 2

    @property
    def layout(self) -> Layout:
        """An index."""
        return {"": (np.int64, self.size)}

    def _own_codes(self, values: Ints, kept: Bools, blind: Ints, rng: Randomness) -> Ints:
        block, column = self.column(values)
        inside = blind % self.b  # moving a column's lowest bit takes its minus signs to its plus signs, one to one
        inside ^= np.where(parity(inside, column), column & -column, 0)
        return block * self.b + inside

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each item, in O(K log b) whatever n: (…, k)."""
        balance = fwht(tally.counts.reshape(*tally.counts.shape[:-1], self.blocks, self.b))
        block, column = self.column(np.arange(self.k))
        return np.asarray(balance[..., block, column] / (inexact(self.keep) * tally.n))

    def _squares(self, tally: Tally) -> Floats:
        """Of scores ±1/κ in the item's block, 0 elsewhere."""
        inside = tally.counts.reshape(*tally.counts.shape[:-1], self.blocks, self.b).sum(-1)
        return np.asarray(inside[..., self.column(np.arange(self.k))[0]] * (inexact(1 / self.keep**2) / tally.n))

    def variance(self, values: ArrayLike) -> Floats:
        """Variance (κ·1[same block] + (1−κ)/B)/κ² − 1[own item]: (n, k)."""
        codes = self._values(values)
        same = np.equal.outer(self.column(codes)[0], self.column(np.arange(self.k))[0])
        blind = (1 - self.keep) / self.blocks / self.keep**2
        return same * inexact(1 / self.keep) + inexact(blind) - self.expected(codes)

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """Variance of the weighted sum of scores: (…, k).  See `PureProtocol.linear_variance`."""
        w = check_weights(weights, self.k)
        squares = np.square(self._contrast_scores(w))
        block, column = self.column(np.arange(self.k))
        inside = (fwht(squares) + squares.sum(-1, keepdims=True)) / self.b  # means over the indices of each item
        own, any_ = inside[..., block, column], squares.mean((-2, -1))[..., None]
        return np.asarray(inexact(self.keep) * own + inexact(1 - self.keep) * any_ - np.square(w))

    def _contrast_scores(self, weights: Floats) -> Floats:
        """Weighted sum of the scores of each index, (…, B, b)."""
        signs = np.zeros((*weights.shape[:-1], self.blocks, self.b))
        signs[..., *self.column(np.arange(self.k))] = weights
        return np.asarray(fwht(signs) / inexact(self.keep))

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Of the score of each index, times how often it came."""
        squares = np.square(self._contrast_scores(weights)).ravel()
        return np.asarray(tally.counts @ squares / tally.n)

    def _codes_of(self, kept: Ints, rng: Randomness) -> Ints:
        """In O(K log b), see `routed`."""
        people = np.zeros((len(kept), self.blocks, self.b, 2), np.int64)
        people[:, *self.column(np.arange(self.k)), 0] = kept
        return routed(people, rng, plus=True)[..., 0].reshape(len(kept), self.size)


def best_blocks(k: int, epsilon: float, share: float = 0.0) -> int:
    """Return the number of blocks of `HadamardResponse` with the least variance of an item that a share of people hold.

    With κ the chance of a report from the item's own set, the variance is (1 − κ)/(B κ²) for all, 1/κ more for the
    items of the same block, and 1 less for the item itself; others are spread evenly.  All powers of two are searched.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    share : float in [0, 1]
        Of the item; 0, the default, is a rare one.
    """
    k, more = check_count(k, 2, "k", SIZE_MAX), float(odds(check_epsilon(epsilon)) - 1)
    f = check_probability(share, "share")

    def variance(blocks: int) -> float:
        keep, blind = more / (more + 2 * blocks), 2 * blocks / (more + 2 * blocks)
        inside = (-(-k // blocks) - 1) / (k - 1)  # share of other items in the block of the first one
        return float(blind / (blocks * keep**2) + (f + (1 - f) * inside) / keep - f)

    powers = [1 << i for i in range(order(k).bit_length())]
    least = min(map(variance, powers))
    return next(blocks for blocks in powers if variance(blocks) <= least * (1 + 1e-9))
