"""Oracles from Sylvester's Hadamard matrix: one private bit, or one private index, per person.

Sylvester's m × m matrix H has entries ±1; H[j, v] is −1 if j and v have an odd number of one bits
in common.  A person with item x draws a public row j of it and reports z, the sign H[j, x], true
with probability p.  Its columns are orthogonal, so that

    E[c z H[j, v]] = 1 if v = x, else 0,      c = 1/(2p − 1) = (e^ε + 1)/(e^ε − 1).

Two things keep this exact: rows are drawn from all m, and m is at least k, so that each item has a
column of its own.  Nothing more is needed: column 0 and row 0 are constant, and may be used.
`HadamardResponse` has no public row: its report is an index, and a constant column would tell
nothing there.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb import chance
from ldpnb.chance import (
    Randomness,
    bernoulli,
    binomial,
    exact,
    inexact,
    odds,
    round_down,
    scatter,
    uniform,
)
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_codes,
    check_count,
    check_epsilon,
    check_histogram,
    check_probability,
)
from ldpnb.core import Bools, Example, Floats, Ints, Layout, Mechanism, Reports, Tally, Values
from ldpnb.kernels import fwht
from ldpnb.oracles.base import ItemOracle, Support, check_weights, one_hot


def parity(rows: Ints, items: Ints | np.integer) -> Bools:
    """Whether Sylvester's H[row, item] is −1: whether row & item has an odd number of ones."""
    return np.asarray(np.bitwise_count(rows & items) & 1, np.bool_)


def order(k: int) -> int:
    """Order of the matrix for k columns: the least power of two that is not below k."""
    return 1 << (k - 1).bit_length()


def truthful(epsilon: float) -> Fraction:
    """Probability of the true sign, e^ε/(e^ε + 1), rounded down."""
    e = odds(epsilon)
    return exact(round_down(e / (e + 1)))


# ---------------------------------------------------------------------- a public row, and a sign


class OneBit(ABC):
    """Name of 1.0.0 for the oracles with a public row and a sign: `isinstance` tells."""

    m: int

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return hasattr(kind, "minus")


@dataclass(frozen=True, kw_only=True)
class HadamardBit(ItemOracle):
    r"""One sign of the item's column of Sylvester's Hadamard matrix.

    Draw a public row j of m, all alike, and report the sign H[j, x], true with probability
    :math:`p = e^\varepsilon/(e^\varepsilon+1)`.  A report supports the items whose entry in the
    row has the reported sign: the own item with probability p, and any other with
    :math:`q = 1/2`, since columns are orthogonal.  So the variance is :math:`c^2 - 1` for the
    person's item and :math:`c^2` for the others, :math:`c = (e^\varepsilon+1)/(e^\varepsilon-1)`.

    Source: Bassily and Smith 2015, with an orthogonal matrix as in Nguyên et al. 2016; ye2018
    §4.1.1.

    Reports have the fields ``row`` (public) and ``bit`` (True for a minus sign), (n,).
    Tallies count the plus and minus signs of each row, (m, 2).

    Examples
    --------
    >>> oracle = HadamardBit(k=3, epsilon=1.0)
    >>> people = np.repeat([0, 1, 2], [6000, 3000, 1000])
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.61, 0.27, 0.09])
    """

    label = "Hadamard bit"
    public_fields = ("row",)
    counts_items = False

    @property
    def m(self) -> int:
        """Number of rows: the least power of two that is not below k."""
        return order(self.k)

    @cached_property
    def support(self) -> Support:
        """(p, q): p = e^ε/(e^ε + 1), rounded down, and q = 1/2."""
        return truthful(self.epsilon), Fraction(1, 2)

    @property
    def realised_epsilon(self) -> float:
        """ln[p/(1 − p)]: two items' entries differ in some row."""
        p, _ = self.support
        return chance.log(p / (1 - p))

    @property
    def layout(self) -> Layout:
        """A public row, and a sign."""
        return {"row": (np.int64, self.m), "bit": (np.bool_, 2)}

    def minus(self, rows: Ints, items: Ints) -> Bools:
        """Whether the entries of the matrix are −1; rows and items are broadcast."""
        return parity(rows, items)

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        return tell_signs(reports, self.m, values, inexact(self.support[0]), rng)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports) -> Ints:
        return count_signs(reports["row"], reports["bit"], self.m)

    def _supporters(self, tally: Tally) -> Floats:
        """(n + Σ_j (plus_j − minus_j) H[j, v])/2, for all items in O(m log m), whatever n."""
        balance = fwht(tally.counts[..., 0] - tally.counts[..., 1])
        return np.asarray((tally.n + balance[..., : self.k]) / 2, np.float64)

    # ------------------------------------------------------------------- variance and simulation

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """c² Σ_v w_v² − w_x² for the person's item x: (…, k).  See `ItemOracle.linear_variance`.

        The square of the score is c²(Σ_v w_v H[j, v])²; its mean over rows is c² Σ_v w_v²
        (Parseval).
        """
        p, _ = self.support
        squares = np.square(check_weights(weights, self.k))
        total = squares.sum(-1, keepdims=True)
        c_squared_less_1 = inexact(1 / (2 * p - 1) ** 2 - 1)  # apart: at large ε that is all
        return np.asarray(c_squared_less_1 * total + (total - squares))

    def _linear_variance_of_nobody(self, weights: Floats) -> float:
        """c² Σ_v w_v²."""
        p, _ = self.support
        return inexact(1 / (2 * p - 1) ** 2) * float(np.square(weights).sum())

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population, exact in their joint law: (trials, m, 2).

        In O(m log m) each, whatever n (see `routed`).
        """
        histogram = check_histogram(counts, self.k)
        trials = check_count(trials, 1, "trials")
        true = binomial(histogram, inexact(self.support[0]), (trials, self.k), rng)
        people = np.zeros((trials, self.m, 2), np.int64)
        people[:, : self.k, 0] = true
        people[:, : self.k, 1] = histogram - true
        return Tally(self, int(histogram.sum()), routed(people, rng))


def tell_signs(
    reports: Reports,
    m: int | Ints,
    items: Ints,
    truth: float | Floats,
    rng: Randomness,
) -> Reports:
    """Fill reports: a public row of m, and the sign of the item's entry, true with this chance.

    Parameters
    ----------
    reports : structured ndarray (n,) with the fields ``row`` and ``bit``
    m : int or ndarray (n,)
        Number of rows.
    items : ndarray of int64 (n,)
    truth : float or ndarray (n,)
        Probability of the true sign.
    rng : Generator, SystemRandom or Paths
    """
    reports["row"] = uniform(m, items.shape, rng)
    true = bernoulli(truth, items.shape, rng)
    reports["bit"] = parity(reports["row"], items) == true
    return reports


def count_signs(cells: Ints, minus: Bools, size: int) -> Ints:
    """How many plus and minus signs each cell has, (size, 2)."""
    return np.bincount(2 * cells + minus, minlength=2 * size).reshape(size, 2)


def routed(people: Ints, rng: Randomness, *, plus: bool = False) -> Ints:
    """Let everybody draw a row, all alike, and count by rows what was counted by columns.

    This is a fast Walsh–Hadamard transform of people.  The entry's sign is −1 to the number of
    bits that row and column share.  So draw the rows' bits one by one, from the highest; after
    each, people differ only in what is left of their column and in the sign so far, and those who
    are alike there go on as one.  That is m log₂ m binomial counts, none of which depends on who
    was together before, and the joint law of rows and signs is exact.

    Parameters
    ----------
    people : ndarray of int64 (…, m, 2)
        How many have each column and each sign (+, −) to start with.
    plus : bool
        Whether people draw only among the rows that make their sign a plus.  Then nobody may have
        column 0 and −.

    Returns
    -------
    ndarray of int64 (…, m, 2)
        How many drew each row, by the product of the sign they had and the entry's.
    """
    groups = people[..., None, :, :]  # (…, rows as far as drawn, rest of the column, sign so far)
    half = groups.shape[-2] // 2
    while half > 0:
        chance_of_one = np.full((2 * half, 2), 0.5)
        if plus:  # the column's last one bit: the row's bit decides the sign
            chance_of_one[half] = 0, 1
        ones = binomial(groups, chance_of_one, groups.shape, rng)
        zeros = groups - ones
        row_bit_0 = zeros[..., :half, :] + zeros[..., half:, :]
        row_bit_1 = ones[..., :half, :] + ones[..., half:, ::-1]
        both = np.stack([row_bit_0, row_bit_1], -3)
        groups = both.reshape(*people.shape[:-2], -1, half, 2)
        half //= 2
    return groups[..., 0, :]


# ------------------------------------------------------------------------- one private index


@dataclass(frozen=True, kw_only=True)
class HadamardResponse(Mechanism):
    r"""Hadamard response: an index of one of B blocks, likelier where the item's column has a plus.

    Each item belongs to a block and to a column c ≥ 1 of Sylvester's b × b matrix; :math:`S_x` are
    the b/2 indices of the block where that column is +1.  With probability
    :math:`\kappa = (e^\varepsilon-1)/(e^\varepsilon-1+2B)` report any index of :math:`S_x`,
    otherwise any of all K = Bb, all alike.  So :math:`S_x` has :math:`e^\varepsilon` times the
    weight of the rest.  The score of v is :math:`\pm1/\kappa` by the sign of v's column, and 0 if
    the report is in another block; so this is no `ItemOracle`, with two probabilities.  Column 0
    must not be used: its sign says nothing but the block.

    With one block the variance is that of `HadamardBit`, without a public row; the more blocks,
    the more like k-RR.  Of many items, each adds
    :math:`4/(e^\varepsilon-1) + 1/B + 4B/(e^\varepsilon-1)^2` to the largest total variance, so
    the best power of two is the least B with :math:`B \ge (e^\varepsilon-1)/\sqrt8`.  The paper's,
    with :math:`B \ge e^\varepsilon/2`, is that or twice that, which costs up to 39 % just above
    ε = ln 2, and up to 12.5 % where ε is large.

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
    >>> oracle = HadamardResponse(k=3, epsilon=1.0)
    >>> people = np.repeat([0, 1, 2], [6000, 3000, 1000])
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports)).round(2)
    array([0.59, 0.32, 0.05])
    """

    k: int
    epsilon: float
    blocks: int = 0
    label = "Hadamard response"
    takes = "item"
    shares = True
    limits: ClassVar[Mapping[str, Limit]] = {
        "k": (2, SIZE_MAX),
        "epsilon": check_epsilon,
        "blocks": (0, 2**63 - 1),
    }
    tried = [
        {"k": 3, "epsilon": 1.0, "blocks": 1},
        {"k": 3, "epsilon": 20.0},
        {"k": 7, "epsilon": 0.5, "blocks": 2},
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        number = self.blocks
        if not number:
            least = ceil(min(odds(self.epsilon), Fraction(2 * self.k)))
            number = order(least) // 2
        if number & (number - 1) or number > order(self.k):
            rule = f"blocks must be a power of two, at most {order(self.k)} for k = {self.k}"
            raise ValueError(f"{rule}, got {number}")
        object.__setattr__(self, "blocks", number)

    # --------------------------------------------------------------------------- blocks, columns

    @property
    def b(self) -> int:
        """Size of a block: a power of two with a column for each of its items, besides column 0."""
        items = -(-self.k // self.blocks)
        return order(items + 1)

    @property
    def size(self) -> int:
        """Number of indices, K = B b."""
        return self.blocks * self.b

    def column(self, items: Ints) -> tuple[Ints, Ints]:
        """Block and column of items, which are dealt out in turn, so that blocks fill evenly."""
        return items % self.blocks, items // self.blocks + 1

    @cached_property
    def keep(self) -> Fraction:
        """κ = (e^ε − 1)/(e^ε − 1 + 2B), rounded down."""
        half_block = self.b // 2
        more = half_block * (odds(self.epsilon) - 1)
        return exact(round_down(more / (more + self.size)))

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of 2κ/b + (1 − κ)/K, for an index of the item's set, over (1 − κ)/K."""
        return chance.log(1 + self.keep * 2 * self.blocks / (1 - self.keep))

    @property
    def layout(self) -> Layout:
        """An index."""
        return {"": (np.int64, self.size)}

    def _values(self, values: Values) -> Ints:
        return check_codes(values, self.k)

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Ints:
        kept = bernoulli(inexact(self.keep), values.shape, rng)
        blind = uniform(self.size, values.shape, rng)
        block, column = self.column(values)
        inside = blind % self.b
        # to move a column's lowest bit takes its minus signs to its plus signs, one to one
        inside ^= np.where(parity(inside, column), column & -column, 0)
        return np.where(kept, block * self.b + inside, blind)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Ints) -> Ints:
        return np.bincount(reports, minlength=self.size)

    def _score(self, tally: Tally) -> Floats:
        """Mean score, in O(K log b) whatever n: (…, k)."""
        balance = fwht(self._by_block(tally.counts))
        block, column = self.column(np.arange(self.k))
        return np.asarray(balance[..., block, column] / (inexact(self.keep) * tally.n))

    def _squares(self, tally: Tally) -> Floats:
        """Scores are ±1/κ in the item's block, 0 elsewhere."""
        inside = self._by_block(tally.counts).sum(-1)
        block, _ = self.column(np.arange(self.k))
        return np.asarray(inside[..., block] * (inexact(1 / self.keep**2) / tally.n))

    def _by_block(self, counts: Ints) -> Ints:
        return counts.reshape(*counts.shape[:-1], self.blocks, self.b)

    # ------------------------------------------------------------------- variance and simulation

    def expected(self, values: Values) -> Floats:
        """One for the person's item, zero for the others: (n, k)."""
        return one_hot(self._values(values), self.k)

    def variance(self, values: Values) -> Floats:
        """(κ·1[same block] + (1−κ)/B)/κ² − 1[own item]: (n, k)."""
        codes = self._values(values)
        blocks, _ = self.column(np.arange(self.k))
        same = np.equal.outer(self.column(codes)[0], blocks)
        blind = (1 - self.keep) / self.blocks / self.keep**2
        return same * inexact(1 / self.keep) + inexact(blind) - self.expected(codes)

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """Variance of the weighted sum of scores: (…, k).  See `ItemOracle.linear_variance`."""
        w = check_weights(weights, self.k)
        squares = np.square(self._contrast_scores(w))
        block, column = self.column(np.arange(self.k))
        # means over the indices of each item, and over all
        inside = (fwht(squares) + squares.sum(-1, keepdims=True)) / self.b
        own = inside[..., block, column]
        blind = squares.mean((-2, -1))[..., None]
        second = inexact(self.keep) * own + inexact(1 - self.keep) * blind
        return np.asarray(second - np.square(w))

    def _contrast_scores(self, weights: Floats) -> Floats:
        """Weighted sum of the scores of each index, (…, B, b)."""
        signs = np.zeros((*weights.shape[:-1], self.blocks, self.b))
        block, column = self.column(np.arange(self.k))
        signs[..., block, column] = weights
        return np.asarray(fwht(signs) / inexact(self.keep))

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean square of the score of each index, by how often it came."""
        squares = np.square(self._contrast_scores(weights)).ravel()
        return np.asarray(tally.counts @ squares / tally.n)

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population, exact in their joint law: (trials, K).

        In O(K log b) each, whatever n (see `routed`).
        """
        histogram = check_histogram(counts, self.k)
        n = int(histogram.sum())
        trials = check_count(trials, 1, "trials")
        kept = binomial(histogram, inexact(self.keep), (trials, self.k), rng)
        blind = scatter(n - kept.sum(-1), self.size, rng)
        people = np.zeros((trials, self.blocks, self.b, 2), np.int64)
        block, column = self.column(np.arange(self.k))
        people[:, block, column, 0] = kept
        own = routed(people, rng, plus=True)[..., 0]
        return Tally(self, n, blind + own.reshape(trials, self.size))

    def _example(self) -> Example:
        return Example(self, np.arange(self.k), histogram=True)


def best_blocks(k: int, epsilon: float, share: float = 0.0) -> int:
    """Return the number of blocks with the least variance of an item that a share of people hold.

    With κ the chance of a report from the item's own set, the variance is (1 − κ)/(B κ²) for all,
    1/κ more for the items of the same block, and 1 less for the item itself; others are spread
    evenly.  All powers of two are searched.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    share : float in [0, 1]
        Of the item; 0, the default, is a rare one.
    """
    k = check_count(k, 2, "k", SIZE_MAX)
    more = float(odds(check_epsilon(epsilon)) - 1)
    f = check_probability(share, "share")

    def variance(blocks: int) -> float:
        total = more + 2 * blocks
        keep = more / total
        blind = 2 * blocks / total
        inside = (-(-k // blocks) - 1) / (k - 1)  # share of other items in the block of the first
        return float(blind / (blocks * keep**2) + (f + (1 - f) * inside) / keep - f)

    powers = [1 << i for i in range(order(k).bit_length())]
    enough = min(map(variance, powers)) * (1 + 1e-9)
    best = [blocks for blocks in powers if variance(blocks) <= enough]
    return best[0]  # of those that are equal to nine digits, the fewest
