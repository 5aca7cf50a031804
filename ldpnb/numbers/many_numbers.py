"""The means of many numbers in [−1, 1] per person.

`MeanEst` answers about all of them at once, and `SampledNumbers` has some of them answered for by
a mechanism for one number.  In both, values are vectors, (n, d); estimates and targets have d
columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb, floor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ldpnb import asked as people_asked
from ldpnb.chance import Randomness, distinct, exact, inexact, rational, share, weighted
from ldpnb.checks import SIZE_MAX, Limit, check_count, check_epsilon, check_part, check_unit
from ldpnb.core import Example, Floats, Ints, Layout, Reports, Tally, Values, blocks
from ldpnb.numbers.means import FINE, MeanMechanism
from ldpnb.numbers.one_number import Hybrid, NumberMechanism, TwoPoint, rounded, whole

DIMENSIONS_MAX = 4096  # the binomial coefficients of d take d² bits: 2 MB
BLOCK = 2**22  # numbers treated at a time, in 32 MB: the coins of all people could be too many


# ------------------------------------------------------------------------ all numbers in one report


@dataclass(frozen=True, kw_only=True)
class MeanEst(MeanMechanism):
    r"""Answer about all d numbers at once with a corner of the cube {−1, +1}^d.

    The client rounds its vector t to a corner v at random, :math:`v_j = +1` with probability
    :math:`(1+t_j)/2`.  It then reports a corner r, drawn with weight :math:`e^\varepsilon` if more
    coordinates of r agree with v than disagree, and with weight 1 otherwise, ties included.  With
    C of the :math:`2^d` corners in the first class, r is in it with probability
    :math:`e^\varepsilon C / ((e^\varepsilon-1)C + 2^d)`.  On average r is v/B, so B r estimates t
    without bias, with variance B² − t²; B is about
    :math:`\sqrt{\pi d/2}\,(e^\varepsilon+1)/(e^\varepsilon-1)`.

    A person's work is O(d): the number of agreements is drawn first, then which coordinates they
    are.

    Source: Duchi, Jordan and Wainwright 2018; ye2018 §4.2, whose printed coin
    :math:`e^\varepsilon/(1+e^\varepsilon)` with strict signs on both sides gives ε = ∞ for even d:
    a corner that ties with v is never sent.

    Values are vectors of numbers in [−1, 1], (n, d).  Reports are corners, int8 (n, d) of −1 and
    +1.  Tallies count the +1 of each coordinate, (d,).

    Parameters
    ----------
    d : int in [1, 4096]

    Examples
    --------
    >>> mean = MeanEst(d=2, epsilon=2.0)
    >>> people = np.tile([[0.5, -0.2]], (20_000, 1))
    >>> reports = mean.perturb(people, rng=np.random.default_rng(0))
    >>> mean.estimate(mean.tally(reports)).round(2)
    array([ 0.51, -0.21])
    """

    d: int
    label = "MeanEst"
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, DIMENSIONS_MAX)}
    server_cost = "report and item"
    tried = [
        {"d": 1, "epsilon": 1.0},
        {"d": 2, "epsilon": 1.0},  # corners can tie
        {"d": 3, "epsilon": 2.0},
    ]

    # ------------------------------------------------------------ probabilities, scores, reports

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """Number of corners that agree with v in 0, …, d coordinates."""
        ways = [1]
        for a in range(self.d):
            ways.append(ways[-1] * (self.d - a) // (a + 1))
        return tuple(ways)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Weight of 0, …, d agreements."""
        high = whole(self.ratio * FINE)
        weights = []
        for a, ways in enumerate(self.ways):
            if 2 * a > self.d:
                weights.append(ways * high)
            else:
                weights.append(ways * FINE)
        return tuple(weights)

    @cached_property
    def scale(self) -> Fraction:
        """B, one over the average agreement of one coordinate."""
        agreement = sum((2 * a - self.d) * weight for a, weight in enumerate(self.weights))
        return exact(self.d * sum(self.weights)) / exact(agreement)

    @property
    def scores(self) -> Floats:
        """−B and B."""
        return np.array([-1, 1]) * inexact(self.scale)

    @property
    def second_moments(self) -> Floats:
        """B² at both ends."""
        return self.scores**2

    @property
    def layout(self) -> Layout:
        """A corner: −1 or +1 for each coordinate."""
        return {"": (np.int8, 2, self.d)}

    # -------------------------------------------------------------------------------- the client

    def _values(self, values: Values) -> Floats:
        return check_vectors(values, self.d)

    def _perturb(self, values: Floats, rng: Randomness) -> NDArray[np.int8]:
        parts = blocks(len(values), max(1, BLOCK // self.d))
        return np.concatenate([self._draw(values[part], rng) for part in parts])

    def _draw(self, vectors: Floats, rng: Randomness) -> NDArray[np.int8]:
        """Draw the corners of some people."""
        # agreements to place among the coordinates to come
        left = weighted(self.weights, (len(vectors),), rng)
        corners = np.empty(vectors.shape, np.int8)
        for j in range(self.d):
            agree = rational(left, self.d - j, left.shape, rng)
            own = rounded(vectors[:, j], 1, rng)
            corners[:, j] = np.where(agree == own, 1, -1)
            left -= agree
        return corners

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> NDArray[np.int8]:
        corners = check_part(reports, "reports", np.int8, 2**8, self.d)
        wrong = corners[np.abs(corners) != 1]
        if wrong.size:
            raise ValueError(f"reports must be -1 or +1, got {wrong[0]}")
        return corners

    def _count(self, reports: NDArray[np.int8]) -> Ints:
        """Count the +1 of each coordinate, (d,)."""
        return np.asarray(np.count_nonzero(reports == 1, axis=0))

    def _cells(self, tally: Tally) -> Ints:
        return np.stack([tally.n - tally.counts, tally.counts], axis=-1)

    def _worst(self) -> NDArray[np.int8]:
        """Return the corner of ones."""
        return np.ones((1, self.d), np.int8)

    def _example(self) -> Example:
        return _corners_and_two(self)


# --------------------------------------------------------------------- some numbers, each by itself


@dataclass(frozen=True, kw_only=True)
class SampledNumbers(MeanMechanism):
    """Ask each person about `count` of d numbers, each through one mechanism at ε/count.

    Base of `HarmonyMean` and `SampledHybrid`, which differ in `count` and in the mechanism, `kind`.
    All sets of numbers are alike.

    The answer about a sampled number counts d/count times, and a number that is not sampled is
    scored 0: the mean over all people is unbiased, and a person's variance is
    (d/count)·E[score² | t] − t².  `estimate_of_asked` divides by the number of people who were
    asked about a number instead (`ldpnb.asked`): n times its variance is smaller by (d/count − 1)
    times the squared mean, which is nothing where the mean is 0, the worst case of both.

    Values are vectors of numbers in [−1, 1], (n, d).  Reports have the fields ``attribute`` (which
    numbers, public, in no particular order) and ``cell``, both (n, count).  Tallies count the
    cells of each number, (d, m).

    Parameters
    ----------
    d : int, at least 1
    epsilon : float
        For all answers of a person together.
    """

    d: int
    kind: ClassVar[type[NumberMechanism]]  # what answers about one number
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX)}
    public_fields = ("attribute",)

    @property
    @abstractmethod
    def count(self) -> int:
        """How many numbers each person is asked about."""

    # ------------------------------------------------------------------- privacy, scores, reports

    @cached_property
    def one(self) -> NumberMechanism:
        """The mechanism that answers about one number, at ε/count."""
        return self.kind(epsilon=self._part())

    def _part(self) -> float:
        """Return ε/count."""
        return share(self.epsilon, self.count)

    @property
    def ratio(self) -> Fraction:
        """That of one answer, `count` times."""
        return self.one.ratio**self.count

    @property
    def asked(self) -> float:
        """Chance that a person is asked about a number, count/d."""
        return self.count / self.d

    @property
    def scores(self) -> Floats:
        """Those of one answer, times d/count."""
        return self.d / self.count * self.one.scores

    @property
    def second_moments(self) -> Floats:
        """Those of one answer, times d/count: the square of it, in the share count/d of cases."""
        return self.d / self.count * self.one.second_moments

    @property
    def public_bits(self) -> int:
        """⌈log₂ of the number of sets of numbers⌉."""
        return (comb(self.d, self.count) - 1).bit_length()

    @property
    def layout(self) -> Layout:
        """Which numbers, public, and a cell of each."""
        return {
            "attribute": (np.int64, self.d, self.count),
            "cell": (np.int64, len(self.one.scores), self.count),
        }

    # -------------------------------------------------------------------------------- the client

    def _values(self, values: Values) -> Floats:
        return check_vectors(values, self.d)

    def _perturb(self, values: Floats, rng: Randomness) -> Reports:
        parts = blocks(len(values), max(1, BLOCK // self.d))
        return np.concatenate([self._draw(values[part], rng) for part in parts])

    def _draw(self, vectors: Floats, rng: Randomness) -> Reports:
        """Draw the reports of some people."""
        n = len(vectors)
        count = self.count
        reports = np.empty(n, self.dtype)
        if count == self.d:  # there is nothing to draw
            reports["attribute"] = np.arange(count)
        else:
            reports["attribute"] = distinct(np.full(n, self.d), np.full(n, count), count, rng)
        asked = np.take_along_axis(vectors, reports["attribute"], axis=1)
        reports["cell"] = self.one.perturb(asked.ravel(), rng=rng).reshape(n, count)
        return reports

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Reports:
        found = super()._reports(reports)
        if np.any(np.diff(np.sort(found["attribute"])) == 0):
            rule = f"reports must be about {self.count} different attributes per person"
            raise ValueError(f"{rule}, got one of them twice")
        return found

    def _count(self, reports: Reports) -> Ints:
        """Count the cells of each number, (d, m)."""
        m = len(self.scores)
        cells = reports["attribute"] * m + reports["cell"]
        return np.bincount(cells.ravel(), minlength=self.d * m).reshape(-1, m)

    # ---------------------------------------------------------------------- those who were asked

    numbers_asked = people_asked.numbers_asked
    estimate_of_asked = people_asked.estimate_of_asked
    standard_error_of_asked = people_asked.standard_error_of_asked
    interval_of_asked = people_asked.interval_of_asked
    variance_of_asked = people_asked.variance_of_asked
    contrast_variance_of_asked = people_asked.contrast_variance_of_asked
    _mean_of_asked = people_asked._mean_of_asked
    _error_of_asked = people_asked._error_of_asked

    def _numbers_asked(self, tally: Tally) -> Ints:
        """Count the answers about each number: (…, d)."""
        return np.asarray(tally.counts.sum(-1))

    def _worst(self) -> Reports:
        """Answer about the first numbers with the largest score."""
        best = self.scores.argmax()
        return np.array([(range(self.count), [best] * self.count)], self.dtype)

    def _example(self) -> Example:
        return _corners_and_two(self)


@dataclass(frozen=True, kw_only=True)
class HarmonyMean(SampledNumbers):
    r"""Sample one number and send its sign.

    Scores are ±c d with :math:`c = (e^\varepsilon+1)/(e^\varepsilon-1)`, and the variance is
    c² d − t².  With count = d it is about d² instead of d: the price of splitting ε over all
    numbers.

    Source: Nguyên et al. 2016; ye2018 §4.2, Harmony-Mean.

    Parameters
    ----------
    count : int in [1, d]

    Examples
    --------
    >>> mean = HarmonyMean(d=2, epsilon=2.0)
    >>> people = np.tile([[0.5, -0.2]], (20_000, 1))
    >>> reports = mean.perturb(people, rng=np.random.default_rng(0))
    >>> mean.estimate(mean.tally(reports)).round(1)
    array([ 0.5, -0.2])
    """

    count: int = 1
    kind = TwoPoint
    label = "Harmony"
    limits: ClassVar[Mapping[str, Limit]] = {"count": (1, SIZE_MAX)}
    tried = [{"d": 3, "epsilon": 1.0, "count": 2}, {"d": 2, "epsilon": 1.0}]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.count, 1, "count", self.d)
        check_epsilon(self._part(), "epsilon / count")


@dataclass(frozen=True, kw_only=True)
class SampledHybrid(SampledNumbers):
    """Sample max(1, min(d, ⌊ε/2.5⌋)) numbers and send each through `Hybrid`.

    Source: Wang et al. 2019.

    Examples
    --------
    >>> mean = SampledHybrid(d=2, epsilon=2.0)
    >>> people = np.tile([[0.5, -0.2]], (20_000, 1))
    >>> reports = mean.perturb(people, rng=np.random.default_rng(0))
    >>> mean.estimate(mean.tally(reports)).round(2)
    array([ 0.5 , -0.18])
    """

    kind = Hybrid
    label = "sampled Hybrid"
    tried = [{"d": 2, "epsilon": 1.0}, {"d": 1, "epsilon": 0.2}]  # of one number, a sign

    @property
    def count(self) -> int:
        """One number for each 2.5 of ε."""
        return max(1, min(self.d, floor(self.epsilon / 2.5)))


class Numbers(ABC):
    """Name of 1.0.0 for mechanisms for a vector of d numbers: `isinstance` tells."""

    d: int

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return issubclass(kind, MeanEst | SampledNumbers)


# ------------------------------------------------------------------------------- what both share


def check_vectors(values: Values, d: int) -> Floats:
    """Return vectors of d numbers in [−1, 1], one per person: (n, d)."""
    vectors = check_unit(values, ndim=2)
    if vectors.shape[1] != d:
        raise ValueError(f"values must have d = {d} columns, got {vectors.shape[1]}")
    return vectors


def _corners_and_two(mechanism: MeanEst | SampledNumbers) -> Example:
    """Return it with all corners of the cube, opposite ones first, and two vectors inside."""
    d = mechanism.d
    corners = list(product((1.0, -1.0), repeat=d))
    corners.sort(key=lambda corner: abs(sum(corner)), reverse=True)
    inside = [np.zeros(d), np.resize([0.3, -0.9, 0.7], d)]
    few = mechanism.report_bits + mechanism.public_bits < 4
    return Example(mechanism, np.array([*corners, *inside]), pairs=few)
