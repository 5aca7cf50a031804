"""Mean estimation: one number in [−1, 1] a person, or a vector of them.

`Number` is the one calculus.  The client rounds its number t at random to one of a few equidistant points of [−1, 1],
so that the mean stays t, draws noise whose law does not depend on t, and reports the cell that point and noise lead to.
The server scores cells so that each point comes out exactly on average,

    Σ_y Q[i, y] s_y = point i,      so that the mean score of a report is t for every t.

Rounding only mixes rows of Q: it costs no privacy, and the second moment of a score is that of the points, linear in
between.  A mechanism of this kind is its noise, its cells and its scores: `TwoPoint`, `Piecewise`, `Hybrid`, `Laplace`.

For d numbers a person there is `MeanEst`, which answers about all of them at once, and `SampledNumbers`, which has some
of them answered for by mechanisms for one number.  `Range` maps ages or prices of a public range to [−1, 1] and back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import exp, floor
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, bernoulli, distinct, log, odds, rational, weighted
from ldpnb.core import Mechanism, Reports, Tally, check_codes, check_count, check_epsilon, check_people, check_unit

DIMENSIONS_MAX = 4096  # the binomial coefficients of d take d² bits: 2 MB
STEPS_MAX = 2048  # so do the weights of d steps of geometric noise, 64 times: 64 MB
STEPS = 64  # of a grid, where nothing else is said: rounding then adds at most 1/4096 to a variance
FINE = 2**64  # weights of a client are multiples of 1 / FINE
BLOCK = 2**22  # numbers treated at a time, in 32 MB


class MeanMechanism(Mechanism):
    """What all mechanisms for means share: an error read off the reports themselves."""

    @abstractmethod
    def mean_square(self, tally: Tally) -> NDArray[np.float64]:
        """Mean of the squared scores of the reports, (…, t)."""

    def standard_error(self, tally: Tally) -> NDArray[np.float64]:
        """Standard error of the estimate, from the scatter of the scores: (…, t).

        √((mean squared score − squared estimate)/(n − 1)).  Its square is unbiased for the variance of the estimate if
        people are a random sample.  For a fixed population it is too large on average, by the variance of the values
        over n: it cannot tell the spread of the values from the noise.

        Raises
        ------
        ValueError
            If there are fewer than two reports.
        """
        estimate = self.estimate(tally)
        if tally.n < 2:
            raise ValueError(f"tally must hold at least two reports, got {tally.n}")
        spread = self.mean_square(tally) - estimate**2  # not below zero but for rounding
        return np.asarray(np.sqrt(np.maximum(spread, 0) / (tally.n - 1)))


def interval(tally: Tally, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Normal confidence interval of each mean: the estimate less and plus a quantile times its standard error.

    Parameters
    ----------
    tally : Tally
        Of a `MeanMechanism`.
    level : float in (0, 1)
        Probability of covering one mean, approached as n grows; for several means at once use 1 − (1 − level)/d.

    Returns
    -------
    low, high : ndarray (…, t)
        Not cut at −1 and 1.
    """
    mechanism = tally.mechanism
    if not isinstance(mechanism, MeanMechanism):
        raise ValueError(f"tally must be of a mechanism for means, got one of {mechanism}")
    if isinstance(level, bool) or not isinstance(level, int | float | np.floating) or not 0 < level < 1:
        raise ValueError(f"level must be a number in (0, 1), got {level!r}")
    half = -NormalDist().inv_cdf((1 - level) / 2) * mechanism.standard_error(tally)
    return mechanism.estimate(tally) - half, mechanism.estimate(tally) + half


@dataclass(frozen=True, kw_only=True)
class Range:
    """A public range of raw numbers, known before anybody reports, and its map to [−1, 1].

    The range must not come from the data: a largest value that is read off the data tells on who has it.

    Parameters
    ----------
    low, high : float or array_like of float (d,)
        Finite, low < high; one range for everything, or one an attribute.
    """

    low: Any
    high: Any

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            numbers = _finite(getattr(self, name), name)
            if numbers.ndim > 1 or numbers.size == 0:
                raise ValueError(f"{name} must be a number or one an attribute, got shape {numbers.shape}")
            # tuples, so that ranges can be compared
            object.__setattr__(self, name, tuple(numbers.tolist()) if numbers.ndim else float(numbers))
        low, high = np.asarray(self.low), np.asarray(self.high)
        if low.shape != high.shape and low.ndim and high.ndim:
            raise ValueError(f"low and high must be as many, got {low.size} and {high.size}")
        wrong = np.argwhere(~(low < high))
        if wrong.size or not np.all(np.isfinite(high - low)):
            raise ValueError(f"low must be below high, and high − low finite, got {self.low} and {self.high}")

    @property
    def half(self) -> NDArray[np.float64]:
        """Half the width: the raw size of 1, and the factor of standard errors."""
        return np.asarray((np.asarray(self.high) - np.asarray(self.low)) / 2)

    def to_unit(self, raw: ArrayLike) -> NDArray[np.float64]:
        """Map raw numbers to [−1, 1]: (x − middle)/half, both ends exactly.

        Parameters
        ----------
        raw : array_like of float, (…) or (…, d) where there is a range an attribute

        Raises
        ------
        ValueError
            If a number is not in its range; nothing is clipped, since that would move the mean.
        """
        numbers = _finite(raw, "raw")
        self._columns(numbers, "raw")
        low, high = (np.broadcast_to(end, numbers.shape) for end in (self.low, self.high))
        outside = (numbers < low) | (numbers > high)
        if np.any(outside):
            at = tuple(np.argwhere(outside)[0])
            raise ValueError(f"raw must be numbers in [{low[at]:g}, {high[at]:g}], got {numbers[at]}")
        return np.asarray(((numbers - low) - (high - numbers)) / (high - low))

    def from_unit(self, mean: ArrayLike) -> NDArray[np.float64]:
        """Map means back to raw units; estimates may lie outside [−1, 1], and then do outside the range."""
        numbers = _finite(mean, "mean")
        self._columns(numbers, "mean")
        return np.asarray((1 + numbers) / 2 * np.asarray(self.high) + (1 - numbers) / 2 * np.asarray(self.low))

    def _columns(self, numbers: NDArray[np.float64], name: str) -> None:
        d = max(np.size(self.low), np.size(self.high))
        if np.ndim(self.low) + np.ndim(self.high) and (numbers.ndim == 0 or numbers.shape[-1] != d):
            raise ValueError(f"{name} must have a last axis of d = {d} attributes, got shape {numbers.shape}")


# ------------------------------------------------------------------------------------------------------ one number


@dataclass(frozen=True, kw_only=True)
class Number(MeanMechanism):
    """One number in [−1, 1] a person: what its mechanisms share (see the top of this module).

    Parameters
    ----------
    epsilon : float

    Values are numbers in [−1, 1], (n,).  Reports are cells, int64 (n,).  Tallies count the cells, (m,); estimates and
    targets have one column.
    """

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    @property
    @abstractmethod
    def ratio(self) -> Fraction:
        """How much likelier a cell is from one point than from another, at most: e^ε, rounded down."""

    @property
    @abstractmethod
    def weights(self) -> tuple[int, ...]:
        """Weights of the noise: draw N has probability weights[N] over their sum, whatever the number."""

    @property
    @abstractmethod
    def scores(self) -> tuple[Fraction, ...]:
        """What each cell is worth, (m,)."""

    @property
    @abstractmethod
    def points(self) -> int:
        """How many steps lead from −1 to 1: the number is rounded to one of so many points and one."""

    @abstractmethod
    def cells(self, point: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cell in [0, m) that a point and a draw of the noise lead to."""

    @cached_property
    def channel(self) -> NDArray[np.float64]:
        """Probability of each cell from each point, (points + 1, m)."""
        total, rows, m = sum(self.weights), range(self.points + 1), len(self.scores)
        p, noise = np.array([w / total for w in self.weights]), np.arange(len(self.weights))
        return np.stack([np.bincount(self.cells(np.full_like(noise, i), noise), p, m) for i in rows])

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        return np.array([float(s) for s in self.scores])

    def second_moment(self, values: ArrayLike) -> NDArray[np.float64]:
        """Mean squared score of a person with each number t, of the shape of `values`: linear between points."""
        t = np.asarray(values)
        t = check_unit(t, ndim=t.ndim)
        points = np.linspace(-1, 1, self.points + 1)
        return np.interp(t, points, self.channel @ self._scores**2)

    @cached_property
    def worst_noise(self) -> float:
        """Largest variance of a score over all numbers in [−1, 1], between points as well."""
        return _largest(self.channel @ self._scores**2)

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of `ratio`."""
        return log(self.ratio)

    @property
    def report_bits(self) -> int:
        """⌈log₂ m⌉."""
        return (len(self.scores) - 1).bit_length()

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports: cells, (n,)."""
        numbers = check_unit(values)
        check_people(numbers)
        return self.cells(_rounded(numbers, self.points, rng), weighted(self.weights, numbers.shape, rng))

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the reports of each cell, (m,)."""
        codes = check_codes(reports, len(self.scores), "reports")
        return Tally(self, len(codes), np.bincount(codes, minlength=len(self.scores)))

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Return the mean score of a report, (…, 1)."""
        return np.asarray(self._own(tally).counts @ self._scores[:, None] / tally.n)

    def mean_square(self, tally: Tally) -> NDArray[np.float64]:
        """Return the mean squared score of a report, (…, 1)."""
        return np.asarray(self._own(tally).counts @ self._scores[:, None] ** 2 / tally.n)

    def target(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Return the values, (n, 1); the client's rounding to points keeps them to within 2**-51."""
        return check_unit(values)[:, None]

    def noise(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Variance `second_moment` − t²: (n, 1)."""
        numbers = check_unit(values)
        return np.asarray(self.second_moment(numbers) - numbers**2)[:, None]


@dataclass(frozen=True, kw_only=True)
class Piecewise(Number):
    r"""Report a cell, and one of the window of w neighbouring cells around the number with the larger weight.

    There are steps + w cells.  Point i has the window i, …, i + w − 1, whose cells have weight :math:`e^\varepsilon`,
    all others 1.  The mean cell is linear in i; with :math:`T = e^\varepsilon w + \mathrm{steps}` the sum of weights,

    .. math:: s_y = \frac{T}{(e^\varepsilon - 1)\,w}\cdot\frac{2y - \mathrm{steps} - w + 1}{\mathrm{steps}}.

    On a fine grid this is the piecewise mechanism, in which a window is :math:`1/(s+1)` of all cells,
    :math:`s = e^{\varepsilon/2}`, with variance :math:`t^2/(s-1) + (s+3)/(3(s-1)^2)`.  A wider window has a smaller
    worst case: see `best_width`.

    Source: Wang et al. 2019 (continuous).

    Parameters
    ----------
    epsilon : float
    steps : int in [1, 2048]
        Rounding adds at most 1/steps² to a variance.  Beyond ε = 6 the default is coarse beside the published window,
        which has 64/s cells.
    width : int in [1, 2048], or 0
        w; 0, the default, stands for the published proportion, steps/s to the nearest integer.
    """

    steps: int = STEPS
    width: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, least in (("steps", 1), ("width", 0)):
            object.__setattr__(self, name, _at_most(check_count(getattr(self, name), least, name), STEPS_MAX, name))

    @property
    def window(self) -> int:
        """The number of cells of a window: w."""
        return self.width or max(1, round(self.steps / exp(self.epsilon / 2)))

    @property
    def points(self) -> int:
        """The steps."""
        return self.steps

    @property
    def ratio(self) -> Fraction:
        """Weight of a cell in the window; rounded down."""
        return _ratio(Fraction(self.epsilon))

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """First the window's cells, then the others, in circular order."""
        return (int(self.ratio * FINE),) * self.window + (FINE,) * self.steps

    @cached_property
    def scores(self) -> tuple[Fraction, ...]:
        """Linear in the cell."""
        w, m = self.window, self.steps + self.window
        slope = (self.ratio * w + self.steps) / ((self.ratio - 1) * w * self.steps)
        return tuple(slope * (2 * y - m + 1) for y in range(m))

    def cells(self, point: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count on from the point, and from the last cell to the first."""
        return (point + noise) % (self.steps + self.window)


@dataclass(frozen=True, kw_only=True)
class TwoPoint(Piecewise):
    r"""Report a sign: −c or +c, :math:`c = (e^\varepsilon+1)/(e^\varepsilon-1)`, with variance c² − t².

    The number is rounded to −1 or +1, and the sign goes through randomized response: `Piecewise` with one step.

    Source: Duchi, Jordan and Wainwright 2018, for one dimension; ye2018 §4.2, the coin of Harmony-Mean.
    """

    steps: int = field(default=1, init=False, repr=False)
    width: int = field(default=1, init=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class Hybrid(Piecewise):
    r"""Toss a coin between `Piecewise` and `TwoPoint`, whatever the number; the report shows which of them it is from.

    One's variance grows with t², the other's falls.  Of the coin :math:`(e^\varepsilon - 1)w/T`, which is
    :math:`1 - e^{-\varepsilon/2}` in the limit of a fine grid, the mixture's is the same at all points.  If that does
    not make the worst case smaller, this is `TwoPoint`: for :math:`\varepsilon \le 0.61` on a fine grid.

    Source: Wang et al. 2019.

    Parameters
    ----------
    epsilon, steps, width
        As for `Piecewise`.

    Reports are the cells of `Piecewise`, then the two of `TwoPoint`; only those where nothing is mixed.
    """

    @cached_property
    def parts(self) -> tuple[Piecewise, TwoPoint]:
        """The two mechanisms."""
        return Piecewise(epsilon=self.epsilon, steps=self.steps, width=self.width), TwoPoint(epsilon=self.epsilon)

    @cached_property
    def share(self) -> Fraction:
        """Probability of `Piecewise`: 0, or what makes the variance the same at all points."""
        piecewise, sign = self.parts
        mixed = (self.ratio - 1) * self.window / (self.ratio * self.window + self.steps)
        total = sum(piecewise.weights)
        least = sum(w * s**2 for w, s in zip(piecewise.weights, piecewise.scores, strict=True)) / total - 1 / mixed
        rounding = Fraction(1, self.steps**2)
        return mixed if mixed * (sign.scores[1] ** 2 - least) > rounding else Fraction(0)

    @property
    def points(self) -> int:
        """The steps, or 1 where nothing is mixed."""
        return self.steps if self.share else 1

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """The noise of `Piecewise`; then that of `TwoPoint`, once for each step of its own rounding."""
        piecewise, sign = self.parts
        if not self.share:
            return sign.weights
        first = self.share.numerator * sum(sign.weights) * self.steps
        second = (self.share.denominator - self.share.numerator) * sum(piecewise.weights)
        return tuple(first * w for w in piecewise.weights) + tuple(
            second * w for w in sign.weights for _ in range(self.steps)
        )

    @cached_property
    def scores(self) -> tuple[Fraction, ...]:
        """Those of the two mechanisms."""
        piecewise, sign = self.parts
        return piecewise.scores + sign.scores if self.share else sign.scores

    def cells(self, point: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cell of `Piecewise`; or a sign, + for `point` of the steps, and kept or not."""
        piecewise, sign = self.parts
        if not self.share:
            return sign.cells(point, noise)
        m = self.steps + self.window
        flipped, threshold = np.divmod(np.maximum(noise - m, 0), self.steps)
        return np.where(
            noise < m, piecewise.cells(point, noise), m + sign.cells((threshold < point).astype(np.int64), flipped)
        )


def best_width(mechanism: Piecewise) -> int:
    """Return the window of the least `worst_noise`, for a `Piecewise` or `Hybrid` with this ε and these steps.

    On a fine grid the published window, 1/(e^{ε/2}+1) of the cells, is too narrow.
    """
    tried = range(1, min(2 * mechanism.steps, STEPS_MAX) + 1)
    return min(tried, key=lambda w: replace(mechanism, width=w).worst_noise)


@dataclass(frozen=True, kw_only=True)
class Laplace(Number):
    r"""Add geometric noise of both signs, and cut at `reach` steps beyond [−1, 1]: the Laplace mechanism on a grid.

    Noise of g steps has probability :math:`(1-a)a^{|g|}/(1+a)`, :math:`a = e^{-\varepsilon/\mathrm{steps}}`.  What lies
    beyond an end cell is reported as that cell, and its score is the mean of what it stands for: the end and
    :math:`a/(1-a)` steps more, exactly and from every point, because the tail has no memory.

    So cutting costs nothing: beyond the range, likelihood ratios no longer change.  The estimate is the mean of the
    uncut one given the report, and its variance is smaller; least with the default, reach 0.  The published Laplace
    mechanism, with variance :math:`8/\varepsilon^2`, is the limit of a fine grid and a long reach.  With one step and
    reach 0 this is `TwoPoint`.

    Source: Dwork, McSherry, Nissim and Smith 2006; Ghosh, Roughgarden and Sundararajan 2012 (geometric).

    Parameters
    ----------
    epsilon : float
    steps : int in [1, 2048]
        Rounding adds at most 1/steps² to a variance.
    reach : int, at least 0
        steps + reach is at most 2048.
    """

    steps: int = STEPS
    reach: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "steps", _at_most(check_count(self.steps, 1, "steps"), STEPS_MAX, "steps"))
        reach = _at_most(check_count(self.reach, 0, "reach"), STEPS_MAX - self.steps, "reach")
        object.__setattr__(self, "reach", reach)

    @property
    def points(self) -> int:
        """The steps."""
        return self.steps

    @cached_property
    def step_ratio(self) -> Fraction:
        """1/a, rounded down."""
        return _ratio(Fraction(self.epsilon) / self.steps)

    @cached_property
    def ratio(self) -> Fraction:
        """How much likelier either end is from its own side of the range than from the other."""
        return self.step_ratio**self.steps

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Noise from −(steps + reach) to steps + reach; the ends stand for all beyond."""
        most, up = self.steps + self.reach, int(self.step_ratio * FINE)
        powers = list(accumulate(range(most), lambda power, _: power * up, initial=1))
        half = [FINE**g * powers[most - g - 1] * (up - FINE) for g in range(most)] + [FINE**most]
        return (*half[:0:-1], *half)

    @cached_property
    def scores(self) -> tuple[Fraction, ...]:
        """The cell's place, and for both ends the mean of what lies beyond."""
        tail = 1 / (self.step_ratio - 1)
        places = [Fraction(y) for y in range(-self.reach, self.steps + self.reach + 1)]
        places[0] -= tail
        places[-1] += tail
        return tuple(2 * y / self.steps - 1 for y in places)

    def cells(self, point: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Point plus noise, or the end that is in the way."""
        last = self.steps + 2 * self.reach
        return np.clip(
            point + noise - self.steps, 0, last
        )  # the first noise is −(steps + reach), the first cell −reach


# ------------------------------------------------------------------------------------------------- several numbers


@dataclass(frozen=True, kw_only=True)
class MeanEst(MeanMechanism):
    r"""Answer about all d numbers at once with a corner of the cube {−1, +1}^d.

    The client rounds its vector t to a corner v at random, :math:`v_j = +1` with probability :math:`(1+t_j)/2`.
    It then reports a corner r, drawn with weight :math:`e^\varepsilon` if more coordinates of r agree with v than
    disagree, and with weight 1 otherwise, ties included.  With C of the :math:`2^d` corners in the first class, r is in
    it with probability :math:`e^\varepsilon C / ((e^\varepsilon-1)C + 2^d)`.  On average r is v/B, so B r estimates t
    without bias.  B is about :math:`\sqrt{\pi d/2}\,(e^\varepsilon+1)/(e^\varepsilon-1)`.

    A person's work is O(d): the number of agreements is drawn first, then which coordinates they are.

    Source: Duchi, Jordan and Wainwright 2018; ye2018 §4.2, whose printed coin :math:`e^\varepsilon/(1+e^\varepsilon)`
    with strict signs on both sides gives ε = ∞ for even d: a corner that ties with v is never sent.

    Parameters
    ----------
    d : int in [1, 4096]
    epsilon : float

    Values are numbers in [−1, 1], (n, d).  Reports are corners, int8 (n, d) of −1 and +1.
    """

    d: int
    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", _at_most(check_count(self.d, 1, "d"), DIMENSIONS_MAX, "d"))
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """Number of corners that agree with v in 0, …, d coordinates."""
        return tuple(accumulate(range(self.d), lambda ways, a: ways * (self.d - a) // (a + 1), initial=1))

    @property
    def ratio(self) -> Fraction:
        """How much likelier a favoured corner is than another one: e^ε, rounded down."""
        return _ratio(Fraction(self.epsilon))

    @property
    def weights(self) -> tuple[int, ...]:
        """Weight of each number of agreements."""
        high = int(self.ratio * FINE)
        return tuple(ways * (high if 2 * a > self.d else FINE) for a, ways in enumerate(self.ways))

    @property
    def favoured(self) -> int:
        """C, the number of corners that agree with v in more coordinates than not."""
        return sum(self.ways[self.d // 2 + 1 :])

    @cached_property
    def scale(self) -> Fraction:
        """B, one over the average agreement of one coordinate."""
        return Fraction(self.d * sum(self.weights), sum((2 * a - self.d) * w for a, w in enumerate(self.weights)))

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of `ratio`."""
        return log(self.ratio)

    @property
    def report_bits(self) -> int:
        """One bit a coordinate: d."""
        return self.d

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports: corners, (n, d)."""
        return np.concatenate([self._corners(block, rng) for block in _blocks(values, self.d)])

    def _corners(self, vectors: NDArray[np.float64], rng: Randomness) -> NDArray[np.int8]:
        left = weighted(self.weights, (len(vectors),), rng)  # agreements to place among the coordinates to come
        corners = np.empty(vectors.shape, np.int8)
        for j in range(self.d):
            agree = rational(left, self.d - j, left.shape, rng)
            corners[:, j] = np.where(agree == _rounded(vectors[:, j], 1, rng), 1, -1)
            left -= agree
        return corners

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

    def mean_square(self, tally: Tally) -> NDArray[np.float64]:
        """Return B², (…, d)."""
        return np.full(self._own(tally).counts.shape, float(self.scale) ** 2)

    def target(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Return the values, (n, d); the client's rounding to a corner keeps them to within 2**-52."""
        return _vectors(values, self.d)

    def noise(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Variance B² − t² of each coordinate: (n, d)."""
        return float(self.scale) ** 2 - _vectors(values, self.d) ** 2


@dataclass(frozen=True, kw_only=True)
class SampledNumbers(MeanMechanism):
    """Ask each person about `count` of d numbers, all sets of them alike, each through one mechanism at ε/count.

    The answer about a sampled number is scored d/count times what it is worth, and a number that is not sampled is
    scored 0: the mean over all people is unbiased, with variance (d/count)·E[score² | t] − t² a person.

    Parameters
    ----------
    d : int, at least 1
    epsilon : float
        For all answers of a person together.

    Values are numbers in [−1, 1], (n, d).  Reports have the fields ``attribute`` (which numbers, public, in no
    particular order) and ``cell``, both (n, count).  Tallies count the cells of each number, (d, m).
    """

    d: int
    epsilon: float
    public_fields: ClassVar[tuple[str, ...]] = ("attribute",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", check_count(self.d, 1, "d"))
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    @property
    @abstractmethod
    def count(self) -> int:
        """How many numbers each person is asked about."""

    @property
    @abstractmethod
    def one(self) -> Number:
        """The mechanism that answers about one number, at ε/count."""

    @property
    def factor(self) -> float:
        """d/count."""
        return self.d / self.count

    @property
    def realised_epsilon(self) -> float:
        """That of one answer, `count` times."""
        return log(self.one.ratio**self.count)

    @property
    def report_bits(self) -> int:
        """⌈log₂ m^count⌉; which numbers these are is public."""
        return (len(self.one.scores) ** self.count - 1).bit_length()

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports, (n,)."""
        parts = [np.empty(0, [("attribute", np.int64, (self.count,)), ("cell", np.int64, (self.count,))])]
        for vectors in _blocks(values, self.d):
            n = len(vectors)
            parts.append(np.empty(n, parts[0].dtype))
            chosen = distinct(np.full(n, self.d), np.full(n, self.count), self.count, rng)
            numbers = np.take_along_axis(vectors, chosen, 1).ravel()
            parts[-1]["attribute"] = chosen
            parts[-1]["cell"] = self.one.perturb(numbers, rng=rng).reshape(chosen.shape)
        return np.concatenate(parts)

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the cells of each number, (d, m)."""
        found, m = np.asarray(reports), len(self.one.scores)
        if found.dtype.names != ("attribute", "cell") or found.ndim != 1:
            raise ValueError(f"reports must have fields attribute and cell, one row a person, got {found.dtype}")
        attribute = check_codes(found["attribute"], self.d, "reports['attribute']", ndim=2)
        cell = check_codes(found["cell"], m, "reports['cell']", ndim=2)
        if attribute.shape[1] != self.count or cell.shape != attribute.shape:
            raise ValueError(f"reports must hold {self.count} answers a person, got {attribute.shape} and {cell.shape}")
        if np.any(np.diff(np.sort(attribute, 1), axis=1) == 0):
            raise ValueError("reports must be about distinct attributes of a person, got one of them twice")
        counts = np.bincount((attribute * m + cell).ravel(), minlength=self.d * m)
        return Tally(self, len(found), counts.reshape(self.d, m))

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the mean of each number: d/count times the scores of all answers, over n; (…, d)."""
        return np.asarray(self.factor * (self._own(tally).counts @ self.one._scores) / tally.n)

    def mean_square(self, tally: Tally) -> NDArray[np.float64]:
        """Return the mean squared score, (…, d)."""
        return np.asarray(self.factor**2 * (self._own(tally).counts @ self.one._scores**2) / tally.n)

    def target(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Return the values, (n, d)."""
        return _vectors(values, self.d)

    def noise(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Variance (d/count)·E[score² | t] − t²: (n, d)."""
        vectors = _vectors(values, self.d)
        return np.asarray(self.factor * self.one.second_moment(vectors) - vectors**2)

    @property
    def worst_noise(self) -> float:
        """Largest variance of a score over all numbers in [−1, 1]."""
        return _largest(self.factor * (self.one.channel @ self.one._scores**2))


@dataclass(frozen=True, kw_only=True)
class HarmonyMean(SampledNumbers):
    r"""Sample one number and send its sign: scores ±c d, :math:`c = (e^\varepsilon+1)/(e^\varepsilon-1)`.

    The variance is c² d − t².  With count = d it is what splitting ε over all numbers costs: about d² instead of d.

    Source: Nguyên et al. 2016; ye2018 §4.2, Harmony-Mean.

    Parameters
    ----------
    count : int in [1, d]
    """

    count: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "count", _at_most(check_count(self.count, 1, "count"), self.d, "count"))

    @cached_property
    def one(self) -> TwoPoint:
        """`TwoPoint` at ε/count."""
        return TwoPoint(epsilon=_part(self.epsilon, self.count))


@dataclass(frozen=True, kw_only=True)
class SampledHybrid(SampledNumbers):
    """Sample max(1, min(d, ⌊ε/2.5⌋)) numbers and send each through `Hybrid`.

    Source: Wang et al. 2019.
    """

    @property
    def count(self) -> int:
        """One number for each 2.5 of ε."""
        return max(1, min(self.d, floor(self.epsilon / 2.5)))

    @cached_property
    def one(self) -> Hybrid:
        """`Hybrid` at ε/count."""
        return Hybrid(epsilon=_part(self.epsilon, self.count))


# ---------------------------------------------------------------------------------------------------------- helpers


def _ratio(epsilon: Fraction) -> Fraction:
    """e^ε, rounded down to a multiple of 1 / FINE."""
    return Fraction(floor(odds(epsilon) * FINE), FINE)


def _part(epsilon: float, count: int) -> float:
    """ε/count, rounded down."""
    part = epsilon / count
    return part if Fraction(part) * count <= Fraction(epsilon) else float(np.nextafter(part, 0))


def _rounded(t: NDArray[np.float64], steps: int, rng: Randomness) -> NDArray[np.int64]:
    """Number of a neighbouring one of steps + 1 points of [−1, 1], drawn so that its mean is t."""
    place = (1 + t) / 2 * steps
    below = np.floor(place)
    return below.astype(np.int64) + bernoulli(place - below, t.shape, rng)


def _largest(second: NDArray[np.float64]) -> float:
    """Maximum over t of the interpolation of `second` between equidistant points, less t²."""
    points = np.linspace(-1, 1, len(second))
    slopes = np.diff(second) / np.diff(points)
    t = np.append(np.clip(slopes / 2, points[:-1], points[1:]), 1)
    return float(np.max(np.interp(t, points, second) - t**2))


def _vectors(values: ArrayLike, d: int) -> NDArray[np.float64]:
    vectors = check_unit(values, ndim=2)
    if vectors.shape[1] != d:
        raise ValueError(f"values must have d = {d} columns, got {vectors.shape[1]}")
    return vectors


def _blocks(values: ArrayLike, d: int) -> Iterator[NDArray[np.float64]]:
    """Checked vectors of some people at a time: a copy of all, with the coins of all, would not fit where they do."""
    table, step = np.asarray(values), max(1, BLOCK // d)
    if table.ndim != 2:
        _vectors(table, d)
    check_people(table)
    for at in range(0, len(table), step):
        yield _vectors(table[at : at + step], d)


def _at_most(value: int, most: int, name: str) -> int:
    if value > most:
        raise ValueError(f"{name} must be at most {most}, got {value}")
    return value


def _finite(values: ArrayLike, name: str) -> NDArray[np.float64]:
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be finite numbers, got {numbers.dtype} values")
    wrong = numbers[~np.isfinite(numbers)]
    if wrong.size:
        raise ValueError(f"{name} must be finite numbers, got {wrong.flat[0]}")
    return numbers.astype(np.float64)
