"""Succinct histogram: one private bit per person, a sign of a public random matrix.

The columns of the matrix are nearly orthogonal only, other than those of `hadamard`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, binomial, inexact, uniform
from ldpnb.checks import Limit, check_count, check_histogram
from ldpnb.core import Bools, Floats, Ints, Layout, Reports, Tally, Values, blocks
from ldpnb.hashing import GOLDEN, splitmix
from ldpnb.kernels import count_ones
from ldpnb.oracles.base import ItemOracle, Support, check_weights
from ldpnb.oracles.hadamard import truthful

COLUMNS_MAX = 2**14  # whose inner products take 2 GB
WORDS = 1 << 15  # words of the matrix at a time, so that they stay in the cache
ROWS = 4096  # of the matrix that are looked at for the one that a forger likes best


@dataclass(frozen=True, kw_only=True)
class SHist(ItemOracle):
    r"""Succinct histogram, the basic protocol: one sign of the item's column of a random matrix.

    Draw a public row j of m, all alike, and report the sign s[j, x], true with probability
    :math:`p = e^\varepsilon/(e^\varepsilon+1)`.  Random columns are orthogonal on average only.
    For the matrix in use

    .. math:: E[\text{score of } v] = G_{xv} = \frac1m \sum_j s_{jx} s_{jv}, \qquad
              \operatorname{Var}[\text{score of } v] = c^2 - G_{xv}^2,

    with :math:`c = 1/(2p-1)`.  The ``expected`` is row x of G, so that it holds the error of the
    matrix.  Over random matrices the entries of G off the diagonal have mean 0 and variance 1/m:
    what is set by m, no number of people averages away.

    Entry (j, v) is −1 if bit v % 64 is set (the lowest being bit 0) in a word that splitmix64's
    mixing function F makes of (matrix, j, v // 64): F(F(F(matrix + g) + (j + 1) g) + (v // 64 + 1)
    g) mod 2⁶⁴, g = 0x9E3779B97F4A7C15.  That is pseudorandom: it behaves like independent coins,
    and proves nothing against somebody who picks items by the matrix.

    Source: Bassily and Smith 2015 (the basic protocol); ye2018 §4.1.1; zhang2018 Algorithm 1.

    Reports have the fields ``row`` (public) and ``bit`` (True for a minus sign), (n,).
    Tallies count the supporters of each item, (k,), which takes time in proportion to n k.

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
    >>> oracle = SHist(k=3, epsilon=1.0, m=4096)
    >>> people = np.repeat([0, 1, 2], [6000, 3000, 1000])
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports)).round(1)
    array([0.6, 0.3, 0.1])
    """

    m: int
    matrix: int = 0
    label = "S-Hist"
    shares = False  # columns of a random matrix are not quite orthogonal
    public_fields = ("row",)
    server_cost = "report and item"
    limits: ClassVar[Mapping[str, Limit]] = {"m": (1, 2**63 - 1), "matrix": (0, 2**64 - 1)}
    tried = [
        {"k": 3, "epsilon": 1.0, "m": 5, "matrix": 0},
        {"k": 2, "epsilon": 0.1, "m": 3, "matrix": 1},
        {"k": 4, "epsilon": 2.0, "m": 3, "matrix": 2**64 - 1},
    ]

    @cached_property
    def support(self) -> Support:
        """(p, q): p = e^ε/(e^ε + 1), rounded down, and q = 1/2 for orthogonal columns."""
        return truthful(self.epsilon), Fraction(1, 2)

    @property
    def realised_epsilon(self) -> float:
        """ln[p/(1 − p)]: that of one sign, for two items whose entries differ in some row."""
        p, _ = self.support
        return chance.log(p / (1 - p))

    @property
    def layout(self) -> Layout:
        """A public row, and a sign."""
        return {"row": (np.int64, self.m), "bit": (np.bool_, 2)}

    # -------------------------------------------------------------------------------- the matrix

    def _words(self, rows: Ints, columns: Ints) -> NDArray[np.uint64]:
        """64 entries each, of columns 64·column to 64·column + 63.

        Rows and columns are broadcast, and not scalars.
        """
        one = np.uint64(1)
        # chained rather than counted on, so that no matrix or row repeats a stretch of another
        of_matrix = splitmix(np.array([self.matrix], np.uint64) + GOLDEN)
        of_row = splitmix(of_matrix + (rows.astype(np.uint64) + one) * GOLDEN)
        return splitmix(of_row + (columns.astype(np.uint64) + one) * GOLDEN)

    def _bits(self, rows: Ints, plus: Bools | None = None) -> NDArray[np.uint8]:
        """Rows of the matrix, 1 for −1, complemented where `plus`: (len(rows), k)."""
        words = self._words(rows[:, None], np.arange(-(-self.k // 64)))
        if plus is not None:
            words ^= np.negative(plus.astype(np.uint64))[:, None]
        bytes_ = words.astype("<u8", copy=False).view(np.uint8)
        return np.unpackbits(bytes_, axis=1, count=self.k, bitorder="little")

    def minus(self, rows: Ints, items: Ints) -> Bools:
        """Whether the entries of the matrix are −1; rows and items are broadcast."""
        words = self._words(np.atleast_1d(rows), np.atleast_1d(items >> 6))
        place = (items & 63).astype(np.uint64)
        return (words >> place & np.uint64(1)).astype(np.bool_)

    @cached_property
    def gram(self) -> Floats:
        """G, the inner products of all columns over m: (k, k), read-only.

        They are exact but for that division.  In O(m k²), by matrix products of single floats,
        which count exactly up to 2**24.

        Raises
        ------
        ValueError
            If k is above 2**14, where G would take more than 2 GB.
        """
        if self.k > COLUMNS_MAX:
            rule = f"k must be at most {COLUMNS_MAX} for the inner products of all columns"
            raise ValueError(f"{rule}, got {self.k}")
        found = np.zeros((self.k, self.k), np.int64)
        for part in blocks(self.m, max(1, 64 * WORDS // self.k)):
            rows = np.arange(part.start, min(part.stop, self.m))
            signs = 1 - 2 * self._bits(rows).astype(np.float32)
            found += (signs.T @ signs).astype(np.int64)
        gram = found / self.m
        gram.flags.writeable = False
        return gram

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports = np.empty(len(values), self.dtype)
        reports["row"] = uniform(self.m, values.shape, rng)
        true = bernoulli(inexact(self.support[0]), values.shape, rng)
        reports["bit"] = self.minus(reports["row"], values) == true
        return reports

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports) -> Ints:
        """Count for each item the reports whose sign is the item's in their row: (k,)."""
        counts = np.zeros(self.k, np.int64)
        size = 255 * max(1, 64 * WORDS // (255 * self.k))
        for part in blocks(len(reports), size):
            rows = reports["row"][part]
            plus = ~reports["bit"][part]
            counts += count_ones(self._bits(rows, plus))
        return counts

    def _worst(self) -> Reports:
        """Support all items of the more frequent sign, in the row where these are most.

        Of the first 4096 rows, or fewer where items are many.
        """
        looked_at = min(self.m, ROWS, max(1, 2**24 // self.k))
        ones = self._bits(np.arange(looked_at)).sum(1, dtype=np.int64)
        row = np.abs(2 * ones - self.k).argmax()
        return np.array([(row, 2 * ones[row] > self.k)], self.dtype)

    # ------------------------------------------------------------------- variance and simulation

    def expected(self, values: Values) -> Floats:
        """Row of G that belongs to the person's item: (n, k).

        It is one for that item, and about 1/√m for the others.
        """
        return self.gram[self._values(values)]

    def variance(self, values: Values) -> Floats:
        """c² − G² for every item, for the matrix in use: (n, k)."""
        return self._c_squared - np.square(self.expected(values))

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """c² wᵀGw − (Gw)_x² for the person's item x, for the matrix in use: (…, k).

        See `ItemOracle.linear_variance`.
        """
        w = check_weights(weights, self.k)
        mean = w @ self.gram
        second = self._c_squared * (w * mean).sum(-1, keepdims=True)
        return np.asarray(second - np.square(mean))

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean square c² wᵀGw, the same for all items."""
        second = self._c_squared * float(weights @ self.gram @ weights)
        return np.full(tally.counts.shape[:-1], second)

    @property
    def _c_squared(self) -> float:
        p, _ = self.support
        return inexact(1 / (2 * p - 1) ** 2)

    def simulate_marginals(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population, exact for each item alone and for the matrix in use.

        A person with item x supports v with probability (1 + (2p − 1) G[x, v])/2.  In O(k²) each:
        (trials, k).  Otherwise as `ItemOracle.simulate_marginals`.
        """
        histogram = check_histogram(counts, self.k)
        shape = check_count(trials, 1, "trials"), self.k
        p, _ = self.support
        slope = inexact(2 * p - 1)
        found = np.zeros(shape, np.int64)
        for x in np.flatnonzero(histogram):
            supports = (1 + slope * self.gram[x]) / 2
            found += binomial(histogram[x], supports, shape, rng)
        return Tally(self, int(histogram.sum()), found)
