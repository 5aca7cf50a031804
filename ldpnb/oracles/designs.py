"""Block designs: a report is one block of a projective geometry, in ⌈log₂ v⌉ bits, as good as the best set of items.

The items are the points of the geometry PG(t, q) over a field of q elements, and blocks are its hyperplanes: as many as
points, v = (qᵗ⁺¹ − 1)/(q − 1), each of κ = (qᵗ − 1)/(q − 1) points.  Any two points share (qᵗ⁻¹ − 1)/(q − 1) blocks.
They can be numbered so that the blocks are the translates of one set D of numbers modulo v (Singer 1938): item x is in
block y if x − y is in D.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import log
from operator import attrgetter
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, inexact, odds, scatter, uniform
from ldpnb.checks import Limit, check_probability
from ldpnb.core import Bools, Floats, Ints, Layout, Reports, Tally, blocks
from ldpnb.hashing import primes
from ldpnb.oracles.frequency import BLOCK, KeptItem, PureProtocol, check_weights

ORDER_MAX = 1024  # of a field: beyond, e^ε + 1 is above 2¹⁰, and hardly any item but one's own is worth reporting
POINTS_MAX = 2**22  # of a geometry, whose difference set is searched for in a field of q times as many elements


@dataclass(frozen=True, kw_only=True)
class BlockDesign(KeptItem, PureProtocol):
    r"""Report a block of a projective geometry, e^ε times as likely if it holds the own item as if it does not.

    :math:`p^* = \kappa e^\varepsilon/(\kappa e^\varepsilon + v - \kappa)` and :math:`q^* = (\kappa - p^*)/(v-1)`, as of
    `SubsetSelection` with sets of κ of v items, whose reports take :math:`\log_2\binom v\kappa` bits.  Items from k to
    v − 1 are nobody's: they cost nothing but that v is larger than k.

    The client draws from the blocks of its item with probability
    :math:`\kappa(e^\varepsilon-1)/[\kappa(e^\varepsilon-1) + v]`, and otherwise blindly from all.

    Source: Feldman, Nelson, Nguyen and Talwar 2022 (projective geometry response); Park, Nam and Lee 2023 (block
    designs in general).

    Reports are numbers of blocks, below v, (n,).  Tallies count each, (v,).

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    q : int
        Order of the field, a prime power; 0, the default, stands for the one with the least variance (see `order`).

    Examples
    --------
    >>> oracle, rng = BlockDesign(k=13, epsilon=1.0), np.random.default_rng(0)
    >>> (oracle.order, oracle.points, oracle.report_bits)
    (3, 13, 4)
    >>> oracle.estimate(oracle.tally(oracle.perturb(np.repeat([0, 1, 12], 9000), rng=rng)))[[0, 1, 2, 12]].round(1)
    array([ 0.3,  0.3, -0. ,  0.3])
    """

    q: int = 0
    label = "block design"
    marks = True
    chosen: ClassVar[Mapping[str, str]] = {"q": "order"}
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, POINTS_MAX - 1), "q": (0, ORDER_MAX)}
    tried = [{"k": 3, "epsilon": 1.0, "q": 2}, {"k": 7, "epsilon": 0.5, "q": 2}, {"k": 2, "epsilon": 3.0, "q": 4}]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.q and len(primes(self.q)) != 1:
            raise ValueError(f"q must be a prime power, got {self.q}")
        if self.points > POINTS_MAX:
            raise ValueError(f"k must be at most {POINTS_MAX} points of a geometry, got {self.points} for k = {self.k}")

    @cached_property
    def order(self) -> int:
        """Order of the field: `q`, or the prime power with the least variance of the rarest item."""
        return self.q or best_order(self.k, self.epsilon)

    @cached_property
    def _geometry(self) -> tuple[int, int, int]:
        return _least_geometry(self.k, self.order)

    dimension = property(lambda self: self._geometry[0], doc="Dimension of the geometry, t: the least with k points.")
    points = property(lambda self: self._geometry[1], doc="Number of points, and of blocks, v.")
    block_size = property(lambda self: self._geometry[2], doc="Number of points of a block, κ.")
    ell = property(attrgetter("block_size"), doc="Number of blocks of an item.")

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """(p*, q*)."""
        p = self.keep + (1 - self.keep) * Fraction(self.block_size, self.points)
        return p, (self.block_size - p) / (self.points - 1)

    @property
    def layout(self) -> Layout:
        """A block."""
        return {"": (np.int64, self.points)}

    @property
    def _steps(self) -> Ints:
        return difference_set(self.order, self.dimension)

    @property
    def _transform(self) -> NDArray[np.complex128]:
        """Fourier transform of the indicator of D."""
        return np.fft.rfft(np.bincount(self._steps, minlength=self.points))

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports = np.empty(len(values), np.int64)
        for part in blocks(len(values), BLOCK):
            reports[part] = super()._perturb(values[part], rng)
        return reports

    def _own_codes(self, values: Ints, kept: Bools, blind: Ints, rng: Randomness) -> Ints:
        own = values - self._steps[uniform(self.block_size, values.shape, rng, used=kept)]
        own += self.points * (own < 0)
        return own

    def _worst(self) -> Ints:
        return self._worst_of(self.k)

    def _worst_of(self, k: int) -> Ints:
        """Name the block with most of the first k items."""
        held = np.fft.irfft(np.fft.rfft(np.ones(k), self.points) * self._transform.conj(), self.points)
        return np.array([np.argmax(np.rint(held))])

    def _supporters(self, tally: Tally) -> Floats:
        """Those whose block holds the item: a circular correlation of the counts, by a fast Fourier transform.

        Rounded to whole numbers, which are exact: an error of one half takes some 10¹³ reports.
        """
        found = np.fft.irfft(np.fft.rfft(tally.counts) * self._transform, self.points)
        return np.asarray(np.rint(found)[..., : self.k] + 0.0)  # no −0.0

    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of the sum over the block's items: (…, k).  See `PureProtocol.linear_variance`.

        Sums over the weights in each block are a circular correlation, and their means over the blocks of each item,
        and those of their squares, are another; by fast Fourier transforms.
        """
        w, (p, q), v = check_weights(weights, self.k), self.support, self.points
        sums = np.fft.irfft(np.fft.rfft(w, v) * self._transform.conj(), v)
        sums -= sums.mean(-1, keepdims=True)

        def mean(x: Floats) -> Floats:
            """Mean over the reports about each item."""
            own = np.fft.irfft(np.fft.rfft(x) * self._transform, v)[..., : self.k] / self.block_size
            return np.asarray(inexact(self.keep) * own + inexact(1 - self.keep) * x.mean(-1, keepdims=True))

        return np.asarray((mean(np.square(sums)) - np.square(mean(sums))) / inexact(p - q) ** 2)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Of the score of each block, times how often it came: points that are nobody's leave it unbiased."""
        p, q = self.support
        sums = np.fft.irfft(np.fft.rfft(weights, self.points) * self._transform.conj(), self.points)
        scores = (sums - inexact(q) * weights.sum()) / inexact(p - q)
        return np.asarray(tally.counts @ np.square(scores) / tally.n)

    def _codes_of(self, kept: Ints, rng: Randomness) -> Ints:
        """In O(k κ)."""
        found = np.zeros((len(kept), self.points), np.int64)
        for x in np.flatnonzero(kept.any(0)):
            found[:, (x - self._steps) % self.points] += scatter(kept[:, x], self.block_size, rng)
        return found


def best_order(k: int, epsilon: float, most: int = POINTS_MAX, share: float = 0.0) -> int:
    """Return the prime power whose geometry has the least variance of an item that a share of the people hold.

    It is about e^ε + 1 for a rare item, and smaller for others.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    most : int
        Points that the geometry may have, if there is one with so few.
    share : float in [0, 1]
        Of the item; 0, the default, is a rare one.
    """
    f = check_probability(share, "share")

    def variance(q: int) -> float:
        _, v, size = geometries[q]
        p = size * e / (size * e + v - size)
        other = (size - p) / (v - 1)
        own = (v - size) / (size * e + v - size)  # 1 − p
        return float((f * p * own + (1 - f) * other * (1 - other)) / (p - other) ** 2)

    e = inexact(odds(epsilon))
    geometries = {q: _least_geometry(k, q) for q in range(2, ORDER_MAX + 1) if len(primes(q)) == 1}
    few, right = ([q for q, (_, v, _) in geometries.items() if v <= limit] for limit in (most, POINTS_MAX))
    return min(few or right, key=variance)


def _least_geometry(k: int, q: int) -> tuple[int, int, int]:
    """Return dimension, points and points of a hyperplane of the least geometry, from planes on, of order q."""
    t, size = 2, q + 1
    while q * size + 1 < k:
        t, size = t + 1, q * size + 1
    return t, q * size + 1, size


@cache
def difference_set(q: int, t: int) -> Ints:
    """Return κ numbers modulo v whose differences are all numbers but 0, each λ times; ascending.

    With α a generator of the field of q^(t+1) elements, the i below v for which the trace of αⁱ to the field of q is 0.

    Source: Singer 1938.

    Parameters
    ----------
    q : int
        A prime power.
    t : int, at least 2
    """
    (p,), v = primes(q), (q ** (t + 1) - 1) // (q - 1)
    degree = (t + 1) * round(log(q, p))
    rules = (_companion(rule[::-1]) for rule in product(range(p), repeat=degree))
    alpha = next(matrix for matrix in rules if _generates(matrix, p))
    powers = np.eye(degree, dtype=np.int64)  # of α, in the basis 1, α, α², …
    while len(powers) < v:
        powers = np.concatenate([powers, _product(powers, _power(alpha, len(powers), p).T, p)])
    # to take a power q is linear, and the trace of an element the sum of its powers q⁰, …, qᵗ
    frobenius = np.stack([_power(alpha, q * i, p)[:, 0] for i in range(degree)])
    trace = np.sum([_power(frobenius, j, p) for j in range(t + 1)], 0)
    found = np.flatnonzero(~np.any(_product(powers[:v], trace, p), axis=1))
    found.flags.writeable = False
    return found


def _product(a: Ints, b: Ints, p: int) -> Ints:
    """Return a @ b mod p, by floats, which are exact here and much faster: sums stay far below 2**53."""
    return np.asarray(a.astype(np.float64) @ b.astype(np.float64), np.int64) % p


def _companion(rule: tuple[int, ...]) -> Ints:
    """Return the matrix of the multiplication by α, whose power `degree` is Σ rule_i αⁱ: its columns are αⁱ⁺¹."""
    return np.column_stack([np.eye(len(rule), len(rule) - 1, -1, dtype=np.int64), rule])


def _power(x: Ints, n: int, p: int) -> Ints:
    """Return the power of a matrix modulo p."""
    if n == 0:
        return np.eye(len(x), dtype=np.int64)
    half = _power(x, n // 2, p)
    found = half @ half % p
    return found @ x % p if n & 1 else found


def _generates(alpha: Ints, p: int) -> bool:
    """Whether α has p^degree − 1 different powers."""
    n, one = p ** len(alpha) - 1, np.eye(len(alpha))
    ends = (np.array_equal(_power(alpha, n // factor, p), one) for factor in (1, *primes(n)))
    return next(ends) and not any(ends)
