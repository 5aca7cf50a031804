"""Succinct histogram: one private bit per person, a sign of a public random matrix with nearly orthogonal columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, binomial, inexact
from ldpnb.checks import Limit, check_count, check_histogram
from ldpnb.core import Bools, Floats, Ints, Tally, blocks
from ldpnb.hashing import GOLDEN, splitmix
from ldpnb.kernels import count_ones
from ldpnb.oracles.frequency import check_weights
from ldpnb.oracles.hadamard import OneBit

COLUMNS_MAX = 2**14  # whose inner products take 2 GB
WORDS = 1 << 15  # words of the matrix at a time, so that they stay in the cache


@dataclass(frozen=True, kw_only=True)
class SHist(OneBit):
    r"""Succinct histogram, the basic protocol: one sign of the item's column of a public random m × k matrix.

    Draw a public row j of m, all alike, and report the sign s[j, x], true with probability
    :math:`p = e^\varepsilon/(e^\varepsilon+1)`.  Random columns are orthogonal on average only.  For the matrix in use

    .. math:: E[\text{score of } v] = G_{xv} = \frac1m \sum_j s_{jx} s_{jv}, \qquad
              \operatorname{Var}[\text{score of } v] = c^2 - G_{xv}^2,

    and the ``expected`` is row x of G, so that it holds the error of the matrix.  Over random matrices the
    entries of G off the diagonal have mean 0 and variance 1/m: what is set by m, no number of people averages away.

    Entry (j, v) is −1 if bit v % 64 is set (the lowest being bit 0) in a word that splitmix64's mixing function F makes
    of (matrix, j, v // 64): F(F(F(matrix + g) + (j + 1) g) + (v // 64 + 1) g) mod 2⁶⁴, g = 0x9E3779B97F4A7C15.  That is
    pseudorandom: it behaves like independent coins, and proves nothing against somebody who picks items by the matrix.

    Source: Bassily and Smith 2015 (the basic protocol); ye2018 §4.1.1; zhang2018 Algorithm 1.

    Reports have the fields ``row`` (public) and ``bit`` (True for a minus sign), (n,).

    Parameters
    ----------
    k : int, at least 2
        Size of the domain {0, …, k−1}.
    epsilon : float
    m : int, at least 1
        Number of rows.
    matrix : int in [0, 2**64)
        Number of the matrix.

    Examples
    --------
    >>> oracle, rng = SHist(k=3, epsilon=1.0, m=4096), np.random.default_rng(0)
    >>> reports = oracle.perturb(np.repeat([0, 1, 2], [6000, 3000, 1000]), rng=rng)
    >>> oracle.estimate(oracle.tally(reports)).round(1)
    array([0.6, 0.3, 0.1])
    """

    m: int
    matrix: int = 0
    label = "S-Hist"
    shares = False  # rows of a random matrix are not quite orthogonal
    limits: ClassVar[Mapping[str, Limit]] = {"m": (1, 2**63 - 1), "matrix": (0, 2**64 - 1)}
    tried = [
        {"k": k, "epsilon": epsilon, "m": m, "matrix": matrix}
        for k, epsilon, m, matrix in ((3, 1.0, 5, 0), (2, 0.1, 3, 1), (4, 2.0, 3, 2**64 - 1))
    ]
    server_cost = "report and item"

    def _words(self, rows: Ints, columns: Ints) -> NDArray[np.uint64]:
        """64 entries each, of columns 64·column to 64·column + 63; rows and columns are broadcast, and not scalars."""
        # chained rather than counted on, so that no matrix or row repeats a stretch of another
        of_matrix = splitmix(np.array([self.matrix], np.uint64) + GOLDEN)
        of_row = splitmix(of_matrix + (rows.astype(np.uint64) + np.uint64(1)) * GOLDEN)
        return splitmix(of_row + (columns.astype(np.uint64) + np.uint64(1)) * GOLDEN)

    def _bits(self, rows: Ints, plus: Bools | None = None) -> NDArray[np.uint8]:
        """Rows of the matrix, 1 for −1, complemented where `plus`: (len(rows), k)."""
        words = self._words(rows[:, None], np.arange(-(-self.k // 64)))
        if plus is not None:
            words ^= np.negative(plus.astype(np.uint64))[:, None]
        return np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, count=self.k, bitorder="little")

    def minus(self, rows: Ints, items: Ints) -> Bools:
        """Whether the entries of the matrix are −1."""
        words = self._words(np.atleast_1d(rows), np.atleast_1d(items >> 6))
        return (words >> (items & 63).astype(np.uint64) & np.uint64(1)).astype(np.bool_)

    @cached_property
    def gram(self) -> Floats:
        """G, the inner products of all columns over m, exact but for that division: (k, k), read-only.

        In O(m k²), by matrix products of single floats, which count exactly up to 2**24.

        Raises
        ------
        ValueError
            If k is above 2**14, where G would take more than 2 GB.
        """
        if self.k > COLUMNS_MAX:
            raise ValueError(f"k must be at most {COLUMNS_MAX} for the inner products of all columns, got {self.k}")
        found = np.zeros((self.k, self.k), np.int64)
        for some in blocks(self.m, max(1, 64 * WORDS // self.k)):
            signs = 1 - 2 * self._bits(np.arange(some.start, min(some.stop, self.m))).astype(np.float32)
            found += (signs.T @ signs).astype(np.int64)
        gram = found / self.m
        gram.flags.writeable = False
        return gram

    def _worst(self) -> NDArray[np.void]:
        """Support all items of the more frequent sign, in the row where these are most; of the first 4096 or fewer."""
        ones = self._bits(np.arange(min(self.m, 4096, max(1, 2**24 // self.k)))).sum(1, dtype=np.int64)
        row = np.abs(2 * ones - self.k).argmax()
        return np.array([(row, 2 * ones[row] > self.k)], self.dtype)

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count for each item the reports whose sign is the item's in their row, in O(n k): (k,)."""
        some = blocks(len(reports), 255 * max(1, 64 * WORDS // (255 * self.k)))
        parts = (count_ones(self._bits(reports["row"][i], ~reports["bit"][i])) for i in some)
        return sum(parts, np.zeros(self.k, np.int64))

    def expected(self, values: ArrayLike) -> Floats:
        """Row of G that belongs to the person's item, one for that item and about 1/√m for the others: (n, k)."""
        return self.gram[self._values(values)]

    def variance(self, values: ArrayLike) -> Floats:
        """Variance c² − G² of every item, for the matrix in use: (n, k)."""
        return inexact(1 / (2 * self.support[0] - 1) ** 2) - np.square(self.expected(values))

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """Variance c² wᵀGw − (Gw)_x² for the person's item x, for the matrix in use: (…, k).

        See `PureProtocol.linear_variance`.
        """
        w = check_weights(weights, self.k)
        mean = w @ self.gram
        second = inexact(1 / (2 * self.support[0] - 1) ** 2) * (w * mean).sum(-1, keepdims=True)
        return np.asarray(second - np.square(mean))

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean square c² wᵀGw, the same for all items."""
        second = inexact(1 / (2 * self.support[0] - 1) ** 2) * float(weights @ self.gram @ weights)
        return np.full(tally.counts.shape[:-1], second)

    def simulate_marginals(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population, exact for each item alone and for the matrix in use, in O(k²) each: (trials, k).

        A person with item x supports v with probability (1 + (2p − 1) G[x, v])/2.  Otherwise as
        `PureProtocol.simulate_marginals`.
        """
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        slope = inexact(2 * self.support[0] - 1)
        found = np.zeros((trials, self.k), np.int64)
        for x in np.flatnonzero(histogram):
            found += binomial(histogram[x], (1 + slope * self.gram[x]) / 2, (trials, self.k), rng)
        return Tally(self, int(histogram.sum()), found)
