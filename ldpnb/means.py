"""Mean estimation: one vector of numbers in [−1, 1] a person."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, bernoulli, log, odds, round_down, uniform
from ldpnb.core import Mechanism, Reports, Tally, check_count, check_epsilon, check_people, check_unit

DIMENSIONS_MAX = 12  # 2**12 agreement patterns are listed


@dataclass(frozen=True, kw_only=True)
class MeanEst(Mechanism):
    r"""Answer about all d numbers at once with a corner of the cube {−1, +1}^d.

    The client rounds its vector t to a corner v at random, :math:`v_j = +1` with probability :math:`(1+t_j)/2`.
    It then reports a corner r, drawn with weight :math:`e^\varepsilon` if more coordinates of r agree with v than
    disagree, and with weight 1 otherwise, ties included.  With C of the :math:`2^d` corners in the first class,
    a coin falls for that class with probability :math:`e^\varepsilon C / ((e^\varepsilon-1)C + 2^d)`, and the corner
    is uniform within its class.  On average r is v/B, so B r estimates t without bias.

    Source: Duchi, Jordan and Wainwright 2018; ye2018 §4.2, whose printed coin :math:`e^\varepsilon/(1+e^\varepsilon)`
    with strict signs on both sides gives ε = ∞ for even d: a corner that ties with v is never sent.

    Parameters
    ----------
    d : int in [1, 12]
    epsilon : float

    Values are numbers in [−1, 1], (n, d).  Reports are corners, int8 (n, d) of −1 and +1.
    """

    d: int
    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", check_count(self.d, 1, "d"))
        if self.d > DIMENSIONS_MAX:
            raise ValueError(f"d must be at most {DIMENSIONS_MAX}, got {self.d}")
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    @cached_property
    def patterns(self) -> NDArray[np.int8]:
        """Agreement (+1) and disagreement (−1) of a report with v, (2**d, d); the favoured ones first."""
        corners = np.array(list(product((1, -1), repeat=self.d)), np.int8)
        return corners[np.argsort(corners.sum(1) <= 0, kind="stable")]

    @cached_property
    def favoured(self) -> int:
        """C, the number of patterns with more agreement than disagreement."""
        return int((self.patterns.sum(1) > 0).sum())

    @cached_property
    def coin(self) -> float:
        """Probability of a favoured pattern; rounded down."""
        e, c = odds(self.epsilon), self.favoured
        return round_down(e * c / ((e - 1) * c + 2**self.d))

    @cached_property
    def scale(self) -> Fraction:
        """B, one over the average agreement of one coordinate, with the coin as rounded."""
        high, c = Fraction(self.coin), self.favoured
        surplus = int(self.patterns[:c, 0].sum())  # the rest has as much too little: over all patterns the sum is 0
        agreement: Fraction = surplus * (high / c - (1 - high) / (2**self.d - c))
        return 1 / agreement

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of how much likelier a favoured pattern is than another one."""
        high, c = Fraction(self.coin), self.favoured
        return log(high / c / ((1 - high) / (2**self.d - c)))

    @property
    def report_bits(self) -> int:
        """One bit a coordinate: d."""
        return self.d

    def _vectors(self, values: ArrayLike) -> NDArray[np.float64]:
        vectors = check_unit(values, ndim=2)
        if vectors.shape[1] != self.d:
            raise ValueError(f"values must have d = {self.d} columns, got {vectors.shape[1]}")
        return vectors

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports: corners, (n, d)."""
        vectors = self._vectors(values)
        check_people(vectors)
        corner = np.where(bernoulli((1 + vectors) / 2, vectors.shape, rng), 1, -1).astype(np.int8)
        high = bernoulli(self.coin, (len(vectors),), rng)
        within = uniform(np.where(high, self.favoured, 2**self.d - self.favoured), (len(vectors),), rng)
        return corner * self.patterns[np.where(high, 0, self.favoured) + within]

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the +1 of each coordinate, (d,)."""
        corners = np.asarray(reports)
        if corners.dtype != np.int8 or corners.ndim != 2 or corners.shape[1] != self.d:
            raise ValueError(f"reports must be int8 of shape (n, {self.d}), got {corners.dtype} of {corners.shape}")
        wrong = corners[np.abs(corners) != 1]
        if wrong.size:
            raise ValueError(f"reports must be -1 or +1, got {wrong[0]}")
        return Tally(self, len(corners), (corners == 1).sum(0, dtype=np.int64))

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the mean of each coordinate: B times the mean report, (…, d)."""
        return float(self.scale) * (2 * self._own(tally).counts / tally.n - 1)

    def target(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Return the values, (n, d); the client's rounding to a corner keeps them to within 2**-52."""
        return self._vectors(values)

    def noise(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Variance B² − t² of each coordinate: (n, d)."""
        return float(self.scale) ** 2 - self._vectors(values) ** 2
