"""Block designs: a report is one block of a projective geometry, in ⌈log₂ v⌉ bits.

It is as good as the best set of items, `SubsetSelection`, whose reports take log₂ C(v, κ) bits.
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
from ldpnb.checks import Limit, check_count, check_histogram, check_probability
from ldpnb.core import Floats, Ints, Layout, Tally, blocks
from ldpnb.oracles.base import BLOCK, ItemOracle, Support, check_weights
from ldpnb.oracles.geometry import (
    Geometry,
    difference_set as difference_set,
    is_prime_power,
    least_geometry,
)

ORDER_MAX = 1024  # of a field: beyond, e^ε + 1 is above 2¹⁰, and only one's own item matters
POINTS_MAX = 2**22  # of a geometry, whose difference set is searched for in q times as many


@dataclass(frozen=True, kw_only=True)
class BlockDesign(ItemOracle):
    r"""Report a block of a geometry, e^ε times as likely if it holds the own item as if not.

    The k items are points of a geometry of v points, whose blocks hold κ points each (see
    `ldpnb.oracles.geometry`).  Items from k to v − 1 are nobody's.  The client draws from the
    blocks of its item with probability
    :math:`\kappa(e^\varepsilon-1)/[\kappa(e^\varepsilon-1) + v]`, and otherwise from all blocks.
    Then :math:`p = \kappa e^\varepsilon/(\kappa e^\varepsilon + v - \kappa)` and
    :math:`q = (\kappa - p)/(v-1)`.

    Source: Feldman, Nelson, Nguyen and Talwar 2022 (projective geometry response); Park, Nam and
    Lee 2023 (block designs in general).

    Reports are numbers of blocks, below v, (n,).  Tallies count each block, (v,).

    Parameters
    ----------
    k : int, at least 2
    epsilon : float
    q : int
        Order of the field, a prime power; 0, the default, stands for the one with the least
        variance (see `order`).

    Examples
    --------
    >>> oracle = BlockDesign(k=13, epsilon=1.0)
    >>> oracle.order, oracle.points, oracle.report_bits
    (3, 13, 4)
    >>> people = np.repeat([0, 1, 12], 9000)
    >>> reports = oracle.perturb(people, rng=np.random.default_rng(0))
    >>> oracle.estimate(oracle.tally(reports))[[0, 1, 2, 12]].round(1)
    array([ 0.3,  0.3, -0. ,  0.3])
    """

    q: int = 0
    label = "block design"
    counts_items = False
    chosen: ClassVar[Mapping[str, str]] = {"q": "order"}
    limits: ClassVar[Mapping[str, Limit]] = {"k": (2, POINTS_MAX - 1), "q": (0, ORDER_MAX)}
    tried = [
        {"k": 3, "epsilon": 1.0, "q": 2},
        {"k": 7, "epsilon": 0.5, "q": 2},
        {"k": 2, "epsilon": 3.0, "q": 4},
    ]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.q and not is_prime_power(self.q):
            raise ValueError(f"q must be a prime power, got {self.q}")
        if self.points > POINTS_MAX:
            rule = f"k must be at most {POINTS_MAX} points of a geometry"
            raise ValueError(f"{rule}, got {self.points} for k = {self.k}")

    # ------------------------------------------------------------------------------ the geometry

    @cached_property
    def order(self) -> int:
        """Order of the field: `q`, or the one with the least variance of the rarest item."""
        return self.q or best_order(self.k, self.epsilon)

    @cached_property
    def geometry(self) -> Geometry:
        """The least one of this order with k points."""
        return least_geometry(self.k, self.order)

    @property
    def dimension(self) -> int:
        """Dimension of the geometry, t."""
        return self.geometry.dimension

    @property
    def points(self) -> int:
        """Number of points, and of blocks, v."""
        return self.geometry.points

    @property
    def block_size(self) -> int:
        """Number of points of a block, and of blocks of a point, κ."""
        return self.geometry.block_size

    # --------------------------------------------------------------------------- p and q, reports

    @cached_property
    def keep(self) -> Fraction:
        """Probability of a draw from the item's own blocks: κ(e^ε−1)/[κ(e^ε−1) + v]."""
        more = self.block_size * (odds(self.epsilon) - 1)
        return exact(round_down(more / (more + self.points)))

    @property
    def support(self) -> Support:
        """(p, q): p = keep + (1 − keep) κ/v, and q = (κ − p)/(v − 1)."""
        p = self.keep + (1 - self.keep) * Fraction(self.block_size, self.points)
        return p, (self.block_size - p) / (self.points - 1)

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of keep/κ + (1 − keep)/v, for a block of the item, over (1 − keep)/v."""
        return chance.log(1 + self.keep * self.points / ((1 - self.keep) * self.block_size))

    @property
    def layout(self) -> Layout:
        """A block."""
        return {"": (np.int64, self.points)}

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Ints:
        reports = np.empty(len(values), np.int64)
        for part in blocks(len(values), BLOCK):
            reports[part] = self._draw_blocks(values[part], rng)
        return reports

    def _draw_blocks(self, items: Ints, rng: Randomness) -> Ints:
        """Draw a block for each person: block x − s, with s in D, holds item x."""
        kept = bernoulli(inexact(self.keep), items.shape, rng)
        blind = uniform(self.points, items.shape, rng)
        which = uniform(self.block_size, items.shape, rng, used=kept)
        own = items - self._steps[which]
        own += self.points * (own < 0)
        return np.where(kept, own, blind)

    @property
    def _steps(self) -> Ints:
        """The difference set D, (κ,)."""
        return difference_set(self.order, self.dimension)

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Ints) -> Ints:
        """Count the reports of each block, (v,)."""
        return np.bincount(reports, minlength=self.points)

    def _supporters(self, tally: Tally) -> Floats:
        """Count the reports whose block holds the item: a circular correlation of counts and D.

        By a fast Fourier transform, and rounded to whole numbers, which are exact: an error of
        one half takes some 10¹³ reports.
        """
        found = np.fft.irfft(np.fft.rfft(tally.counts) * self._transform, self.points)
        return np.asarray(np.rint(found)[..., : self.k] + 0.0)  # no −0.0

    @property
    def _transform(self) -> NDArray[np.complex128]:
        """Fourier transform of the indicator of D."""
        return np.fft.rfft(np.bincount(self._steps, minlength=self.points))

    def _sums_in_blocks(self, weights: Floats) -> Floats:
        """Sum of the weights of each block's items, (…, v): a circular correlation, too."""
        spectrum = np.fft.rfft(weights, self.points) * self._transform.conj()
        return np.fft.irfft(spectrum, self.points)

    def _worst(self) -> Ints:
        return self._worst_of(self.k)

    def _worst_of(self, k: int) -> Ints:
        """Name the block with most of the first k items: a report that adds most to these."""
        held = self._sums_in_blocks(np.ones(k))
        return np.array([np.argmax(np.rint(held))])

    # ------------------------------------------------------------------- variance and simulation

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """Variance of the sum over the block's items: (…, k).  See `ItemOracle.linear_variance`.

        Sums over each block, and means over the blocks of each item, are circular correlations.
        """
        p, q = self.support
        sums = self._sums_in_blocks(check_weights(weights, self.k))
        sums -= sums.mean(-1, keepdims=True)
        mean = self._mean_over_reports(sums)
        mean_square = self._mean_over_reports(np.square(sums))
        return np.asarray((mean_square - np.square(mean)) / inexact(p - q) ** 2)

    def _mean_over_reports(self, x: Floats) -> Floats:
        """Mean of a number of each block, over the reports of people with each item: (…, k)."""
        held = np.fft.irfft(np.fft.rfft(x) * self._transform, self.points)
        own = held[..., : self.k] / self.block_size
        blind = x.mean(-1, keepdims=True)
        return np.asarray(inexact(self.keep) * own + inexact(1 - self.keep) * blind)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        """Mean square of the score of each block, by how often it came.

        Points that are nobody's leave it unbiased.
        """
        p, q = self.support
        scores = (self._sums_in_blocks(weights) - inexact(q) * weights.sum()) / inexact(p - q)
        return np.asarray(tally.counts @ np.square(scores) / tally.n)

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population with this histogram, exact in their joint law: (trials, v).

        In O(k κ) each, whatever the number of people.
        """
        histogram = check_histogram(counts, self.k)
        n = int(histogram.sum())
        shape = check_count(trials, 1, "trials"), self.k
        kept = binomial(histogram, inexact(self.keep), shape, rng)
        found = scatter(n - kept.sum(-1), self.points, rng)
        for item in np.flatnonzero(kept.any(0)):
            own = (item - self._steps) % self.points
            found[:, own] += scatter(kept[:, item], self.block_size, rng)
        return Tally(self, n, found)


def best_order(k: int, epsilon: float, most: int = POINTS_MAX, share: float = 0.0) -> int:
    """Return the order with the least variance of an item that a share of the people hold.

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
    e = inexact(odds(epsilon))
    every = [least_geometry(k, q) for q in range(2, ORDER_MAX + 1) if is_prime_power(q)]
    small = [one for one in every if one.points <= most]
    possible = [one for one in every if one.points <= POINTS_MAX]
    return min(small or possible, key=lambda one: _variance(one, e, f)).order


def _variance(geometry: Geometry, e: float, f: float) -> float:
    """[f p(1−p) + (1−f) q(1−q)]/(p−q)²."""
    size = geometry.block_size
    total = size * e + geometry.points - size
    p = size * e / total
    absent = (geometry.points - size) / total  # 1 − p
    q = (size - p) / (geometry.points - 1)
    return float((f * p * absent + (1 - f) * q * (1 - q)) / (p - q) ** 2)
