"""Mean estimation: one number in [−1, 1] a person, or a vector of them.

`Number` is the one calculus.  The client rounds its number t at random to one of a few equidistant points of [−1, 1],
so that the mean stays t, draws noise whose law does not depend on t, and reports the cell that point and noise lead to.
The server scores cells so that each point comes out exactly on average,

    Σ_y Q[i, y] s_y = point i,      so that the mean score of a report is t for every t.

Rounding only mixes rows of Q: it costs no privacy, and the second moment of a score is that of the points, linear in
between.  A mechanism of this kind is its noise, its cells and its scores: `TwoPoint`, `Piecewise`, `Hybrid`, `Laplace`.

For d numbers a person there is `MeanEst`, which answers about all of them at once, and `SampledNumbers`, which has some
of them answered for by a mechanism for one number.  `Range` maps ages or prices of a public range to [−1, 1] and back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from math import comb, exp, floor
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb import crowds
from ldpnb.chance import Randomness, bernoulli, distinct, exact, log, odds, rational, weighted
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_array,
    check_codes,
    check_count,
    check_epsilon,
    check_fields,
    check_numbers,
    check_unit,
    is_number,
)
from ldpnb.core import Example, Mechanism, Reports, Tally, check_tally
from ldpnb.formula import Formula

DIMENSIONS_MAX = 4096  # the binomial coefficients of d take d² bits: 2 MB
STEPS = 64  # of a grid, where nothing else is said: rounding then adds at most 1/4096 to a variance
STEPS_MAX = 1024  # the weights of 2·1024 steps of geometric noise take 64 MB
FINE = 2**64  # weights of a client are multiples of 1 / FINE
BLOCK = 2**22  # numbers treated at a time, in 32 MB


@dataclass(frozen=True, kw_only=True)
class Range:
    """A public range of raw numbers, known before anybody reports, and its map to [−1, 1].

    It must not come from the data: the largest value there is tells on who has it.

    Parameters
    ----------
    low, high : float or array_like of float (d,)
        Finite, low < high; one range for everything, or one an attribute.
    """

    low: Any
    high: Any

    def __post_init__(self) -> None:
        low, high = check_numbers(self.low, "low"), check_numbers(self.high, "high")
        if low.shape != high.shape or low.ndim > 1 or low.size == 0:
            raise ValueError(f"low and high must be numbers, or one an attribute, got {self.low} and {self.high}")
        with np.errstate(over="ignore"):
            right = np.all(low < high) and np.all(np.isfinite(high - low))
        if not right:
            raise ValueError(f"low must be below high, and high − low finite, got {self.low} and {self.high}")
        for name, end in (("low", low), ("high", high)):  # tuples, so that ranges can be compared
            object.__setattr__(self, name, tuple(end.tolist()) if end.ndim else float(end))

    @property
    def half(self) -> NDArray[np.float64]:
        """Half the width: the raw size of 1, and the factor of standard errors."""
        return np.asarray((np.asarray(self.high) - np.asarray(self.low)) / 2)

    def to_unit(self, raw: ArrayLike) -> NDArray[np.float64]:
        """Map raw numbers to [−1, 1]: (x − middle)/half, both ends exactly.

        Parameters
        ----------
        raw : array_like of float, (…), or (…, d) where there is a range an attribute

        Raises
        ------
        ValueError
            If a number is not in its range.  Nothing is clipped: that would move the mean.
        """
        numbers, low, high = self._each(raw, "raw")
        wrong = np.argwhere((numbers < low) | (numbers > high))
        if wrong.size:
            at = tuple(wrong[0])
            raise ValueError(f"raw must be numbers in [{low[at]:g}, {high[at]:g}], got {numbers[at]}")
        return np.asarray(((numbers - low) - (high - numbers)) / (high - low))

    def from_unit(self, mean: ArrayLike) -> NDArray[np.float64]:
        """Map means back to raw units; an estimate outside [−1, 1] comes out outside the range."""
        numbers, low, high = self._each(mean, "mean")
        return np.asarray((1 + numbers) / 2 * high + (1 - numbers) / 2 * low)

    def _each(self, numbers: ArrayLike, name: str) -> tuple[NDArray[np.float64], ...]:
        found, d = check_numbers(numbers, name), np.size(self.low)
        if np.ndim(self.low) and (found.ndim == 0 or found.shape[-1] != d):
            raise ValueError(f"{name} must have a last axis of d = {d} attributes, got shape {found.shape}")
        return found, np.broadcast_to(self.low, found.shape), np.broadcast_to(self.high, found.shape)


@dataclass(frozen=True, kw_only=True)
class MeanMechanism(Mechanism):
    """What all mechanisms for means share: a score a cell, what it does to a number, and errors read off the reports.

    Parameters
    ----------
    epsilon : float
    """

    epsilon: float
    limits: ClassVar[Mapping[str, Limit]] = {"epsilon": check_epsilon}
    needs_list = False

    @property
    @abstractmethod
    def ratio(self) -> Fraction:
        """How much likelier a report is from one value than from another, at most: e^ε, rounded down."""

    @property
    @abstractmethod
    def scores(self) -> NDArray[np.float64]:
        """What an answer about a number is worth, for each cell it may name: (m,)."""

    @property
    @abstractmethod
    def second_moments(self) -> NDArray[np.float64]:
        """Mean squared score of a number at each of some equidistant points of [−1, 1]; it is linear in between."""

    @abstractmethod
    def _values(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return numbers that were checked, (n, t)."""

    @abstractmethod
    def _cells(self, tally: Tally) -> NDArray[np.int64]:
        """Count the answers in each cell, (…, t, m)."""

    @property
    def realised_epsilon(self) -> float:
        """Logarithm of `ratio`."""
        return log(self.ratio)

    @property
    def worst_variance(self) -> float:
        """Largest variance of a score over all numbers in [−1, 1], between the points as well."""
        points = np.linspace(-1, 1, len(self.second_moments))
        slopes = np.diff(self.second_moments) / np.diff(points)
        return float(np.max(self._variance(np.append(np.clip(slopes / 2, points[:-1], points[1:]), 1))))

    def _variance(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        points = np.linspace(-1, 1, len(self.second_moments))
        return np.asarray(np.interp(t, points, self.second_moments) - t**2)

    def _score(self, tally: Tally) -> NDArray[np.float64]:
        """Return the mean score of a person, (…, t)."""
        return np.asarray(self._cells(tally) @ self.scores / tally.n)

    def expected(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the values, (n, t); the client's rounding to points keeps them to within 2**-51."""
        return self._values(values)

    def variance(self, values: ArrayLike) -> NDArray[np.float64]:
        """Variance E[score² | t] − t²: (n, t)."""
        return self._variance(self._values(values))

    def standard_error(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the standard error of the estimate from the scatter of the scores: (…, t).

        √((mean squared score − squared estimate)/(n − 1)).  Its square is unbiased for the variance of the estimate
        where people are a random sample.  For a fixed population it is too large on average, by the variance of the
        values over n − 1: the server cannot tell the spread of the values from the noise.
        """
        estimate = self.estimate(tally)
        if tally.n < 2:
            raise ValueError(f"tally must hold at least two reports, got {tally.n}")
        scatter = self._cells(tally) @ self.scores**2 / tally.n - estimate**2  # below zero by rounding only
        return np.asarray(np.sqrt(np.maximum(scatter, 0) / (tally.n - 1)))


def interval(tally: Tally, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return normal confidence intervals of the means, a quantile times the standard error to both sides.

    Parameters
    ----------
    tally : Tally
        Of a `MeanMechanism`.
    level : float in (0, 1)
        Probability of covering one mean, approached as n grows; for all of d at once use 1 − (1 − level)/d.

    Returns
    -------
    low, high : ndarray (…, t)
        Not cut at −1 and 1.
    """
    mechanism: Any = check_tally(tally, MeanMechanism, "a mechanism for means").mechanism
    if not is_number(level) or not 0 < level < 1:
        raise ValueError(f"level must be a number in (0, 1), got {level!r}")
    estimate, error = mechanism.estimate(tally), mechanism.standard_error(tally)
    half = -NormalDist().inv_cdf((1 - level) / 2) * error
    return estimate - half, estimate + half


# ------------------------------------------------------------------------------------------------------ one number


class Design(NamedTuple):
    """Noise and scores of a mechanism for one number."""

    points: int  # how many steps lead from −1 to 1: the number is rounded to one of so many points and one
    weights: tuple[int, ...]  # of each draw of the noise
    scores: tuple[Fraction, ...]  # what each cell is worth, exactly


@dataclass(frozen=True, kw_only=True)
class Number(MeanMechanism):
    """One number in [−1, 1] a person: what its mechanisms share (see the top of this module).

    Values are numbers in [−1, 1], (n,).  Reports are cells, int64 (n,).  Tallies count the cells, (m,); estimates and
    targets have one column.
    """

    scope = (1, 1, 1)

    @property
    @abstractmethod
    def design(self) -> Design:
        """Noise and scores."""

    @abstractmethod
    def lead(self, point: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Cell in [0, m) that a point and a draw of the noise lead to."""

    @cached_property
    def channel(self) -> NDArray[np.float64]:
        """Q: probability of each cell from each point, (points + 1, m)."""
        points, weights, scores = self.design
        total, noise = sum(weights), np.arange(len(weights))
        p = np.array([weight / total for weight in weights])
        rows = (self.lead(np.full(noise.shape, i), noise) for i in range(points + 1))
        return np.stack([np.bincount(row, p, len(scores)) for row in rows])

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Those of the design, as floats."""
        return np.array([float(score) for score in self.design.scores])

    @cached_property
    def second_moments(self) -> NDArray[np.float64]:
        """Σ_y Q[i, y] s_y², at the points."""
        return np.asarray(self.channel @ self.scores**2)

    @property
    def report_bits(self) -> int:
        """⌈log₂ m⌉."""
        return (len(self.scores) - 1).bit_length()

    def _values(self, values: ArrayLike) -> NDArray[np.float64]:
        return check_unit(values)[:, None]

    def _perturb(self, values: NDArray[np.float64], rng: Randomness) -> Reports:
        noise = weighted(self.design.weights, (len(values),), rng)
        return self.lead(rounded(values[:, 0], self.design.points, rng), noise)

    def _reports(self, reports: Reports) -> NDArray[np.int64]:
        return check_codes(reports, len(self.scores), "reports")

    def _count(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the reports of each cell, (m,)."""
        return np.bincount(reports, minlength=len(self.scores))

    def _cells(self, tally: Tally) -> NDArray[np.int64]:
        return tally.counts[..., None, :]

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For one number."""
        return cls(epsilon=epsilon)

    def crowd(self, n: int, rng: np.random.Generator | None) -> NDArray[np.float64]:
        """Numbers."""
        return crowds.numbers((n,), rng)


@dataclass(frozen=True, kw_only=True)
class Piecewise(Number):
    r"""Report a cell, any one of the w neighbouring cells around the number likelier than the others.

    There are steps + w cells.  Point i has the window i, …, i + w − 1, whose cells have weight :math:`e^\varepsilon`,
    all others 1.  The mean cell is linear in i; with the sum of weights :math:`T = e^\varepsilon w + \mathrm{steps}`,

    .. math:: s_y = \frac{T}{(e^\varepsilon - 1)\,w}\cdot\frac{2y - \mathrm{steps} - w + 1}{\mathrm{steps}}.

    On a fine grid this is the piecewise mechanism, in which a window is :math:`1/(s+1)` of all cells,
    :math:`s = e^{\varepsilon/2}`, with variance :math:`t^2/(s-1) + (s+3)/(3(s-1)^2)`.

    Source: Wang et al. 2019 (continuous).

    Parameters
    ----------
    steps : int in [1, 1024]
        Rounding adds at most 1/steps² to a variance.  Above ε = 6 the default is coarse beside a published window.
    width : int in [0, 1024]
        w; 0, the default, stands for the published proportion, steps/s to the nearest integer.  A wider window has a
        smaller worst case: see `best_width`.
    """

    steps: int = STEPS
    width: int = 0
    label = "Piecewise"
    limits: ClassVar[Mapping[str, Limit]] = {"steps": (1, STEPS_MAX), "width": (0, STEPS_MAX)}

    @property
    def window(self) -> int:
        """The number of cells of a window in use: w."""
        return self.width or max(1, round(self.steps / exp(self.epsilon / 2)))

    @property
    def ratio(self) -> Fraction:
        """Weight of a cell in the window; rounded down."""
        return exp_down(exact(self.epsilon))

    @cached_property
    def design(self) -> Design:
        """First the cells of a window; the others follow in circular order."""
        e, w, last = self.ratio, self.window, self.steps + self.window - 1
        slope = (e * w + self.steps) / ((e - 1) * w * self.steps)
        scores = tuple(slope * (2 * y - last) for y in range(last + 1))
        return Design(self.steps, (whole(e * FINE),) * w + (FINE,) * self.steps, scores)

    def lead(self, point: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count on from the point, and from the last cell to the first."""
        return np.asarray((point + noise) % (self.steps + self.window))

    @classmethod
    def example(cls) -> list[Example]:
        """Narrow and wide windows."""
        return _lines(cls(epsilon=1.0, steps=4), cls(epsilon=3.0, steps=3, width=5))


@dataclass(frozen=True, kw_only=True)
class TwoPoint(Piecewise):
    r"""Report a sign: −c or +c, :math:`c = (e^\varepsilon+1)/(e^\varepsilon-1)`, with variance c² − t².

    The number is rounded to −1 or +1, and the sign goes through randomized response: `Piecewise` with one step.

    Source: Duchi, Jordan and Wainwright 2018, for one dimension; ye2018 §4.2, the coin of Harmony-Mean.
    """

    steps: int = field(default=1, init=False, repr=False)
    width: int = field(default=1, init=False, repr=False)
    label = "two points"

    @classmethod
    def example(cls) -> list[Example]:
        """At a usual and a large ε."""
        return _lines(cls(epsilon=1.0), cls(epsilon=20.0))


@dataclass(frozen=True, kw_only=True)
class Hybrid(Piecewise):
    r"""Toss a coin between `Piecewise` and `TwoPoint`, whatever the number; the report shows which of them it is from.

    The variance of the first grows with t², that of the second falls.  With probability :math:`(e^\varepsilon - 1)w/T`
    of the first, :math:`1 - e^{-\varepsilon/2}` in the limit of a fine grid, that of the mixture is the same at all
    points.  Where this does not make the worst case smaller, for :math:`\varepsilon \le 0.61` on a fine grid, all
    reports are from `TwoPoint`.

    Source: Wang et al. 2019.

    Reports are the cells of `Piecewise`, then the two of `TwoPoint`; only these where nothing is mixed.
    """

    label = "Hybrid"

    @cached_property
    def parts(self) -> tuple[Piecewise, TwoPoint]:
        """The two mechanisms."""
        return Piecewise(epsilon=self.epsilon, steps=self.steps, width=self.width), TwoPoint(epsilon=self.epsilon)

    @cached_property
    def share(self) -> Fraction:
        """Probability of `Piecewise`: 0, or what makes the variance the same at all points."""
        piecewise, sign = (part.design for part in self.parts)
        share = (self.ratio - 1) * self.window / (self.ratio * self.window + self.steps)
        at_end = sum(w * s**2 for w, s in zip(piecewise.weights, piecewise.scores, strict=True)) / sum(
            piecewise.weights
        )
        gain = share * (sign.scores[1] ** 2 - at_end) + 1  # the second moment is at_end − (1 − t²)/share
        return share if gain > Fraction(1, self.steps**2) else Fraction(0)  # what rounding to the grid costs

    @cached_property
    def design(self) -> Design:
        """The noise of `Piecewise`; then that of `TwoPoint`, once for each step of its own rounding."""
        (steps, cells, places), sign = (part.design for part in self.parts)
        if not self.share:
            return sign
        first = self.share.numerator * sum(sign.weights) * steps
        second = (self.share.denominator - self.share.numerator) * sum(cells)
        signs = [second * weight for weight in sign.weights for _ in range(steps)]
        return Design(steps, (*(first * weight for weight in cells), *signs), places + sign.scores)

    def lead(self, point: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Lead to a cell of `Piecewise`, or to a sign: + for `point` of the steps, then kept or not."""
        piecewise, sign = self.parts
        if not self.share:
            return sign.lead(point, noise)
        m = self.steps + self.window
        flip, step = np.divmod(np.maximum(noise - m, 0), self.steps)
        return np.where(noise < m, piecewise.lead(point, noise), m + sign.lead((step < point).astype(np.int64), flip))

    @classmethod
    def example(cls) -> list[Example]:
        """Mixed, and signs alone."""
        return _lines(cls(epsilon=2.0, steps=4, width=2), cls(epsilon=0.5, steps=4))


def best_width(mechanism: Piecewise) -> int:
    """Return the width of the least `worst_variance`, for a `Piecewise` or `Hybrid` of this ε and these steps.

    However fine the grid, the published window, 1/(e^{ε/2}+1) of all cells, is narrower.
    """
    tried = range(1, min(2 * mechanism.steps, STEPS_MAX) + 1)
    return min(tried, key=lambda width: replace(mechanism, width=width).worst_variance)


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
    steps : int in [1, 1024]
        Rounding adds at most 1/steps² to a variance.
    reach : int in [0, 1024]
    """

    steps: int = STEPS
    reach: int = 0
    label = "Laplace, cut"
    limits: ClassVar[Mapping[str, Limit]] = {"steps": (1, STEPS_MAX), "reach": (0, STEPS_MAX)}

    @cached_property
    def step_ratio(self) -> Fraction:
        """1/a, rounded down."""
        return exp_down(exact(self.epsilon) / self.steps)

    @cached_property
    def ratio(self) -> Fraction:
        """How much likelier an end is from its own side of the range than from the other one."""
        return self.step_ratio**self.steps

    @cached_property
    def design(self) -> Design:
        """Noise from −(steps + reach) to steps + reach, whose ends stand for all beyond."""
        most, up = self.steps + self.reach, whole(self.step_ratio * FINE)
        powers = list(accumulate(range(most), lambda power, _: power * up, initial=1))
        half = [FINE**g * powers[most - g - 1] * (up - FINE) for g in range(most)] + [FINE**most]
        places, tail = [Fraction(y) for y in range(-self.reach, most + 1)], 1 / (self.step_ratio - 1)
        places[0], places[-1] = places[0] - tail, places[-1] + tail
        return Design(self.steps, (*half[:0:-1], *half), tuple(2 * y / self.steps - 1 for y in places))

    def lead(self, point: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add, and stop at the ends."""
        last = self.steps + 2 * self.reach
        return np.asarray(np.clip(point + noise - self.steps, 0, last))  # the first noise is −(steps + reach)

    @classmethod
    def example(cls) -> list[Example]:
        """With and without cells beyond the ends."""
        return _lines(cls(epsilon=1.0, steps=3, reach=2), cls(epsilon=4.0, steps=4))


def _lines(*mechanisms: Number) -> list[Example]:
    """Try mechanisms on some numbers, of which the ends are told apart best."""
    return [Example(mechanism, np.array([-1.0, 1.0, 0.0, 0.3, -0.7])) for mechanism in mechanisms]


# ------------------------------------------------------------------------------------------------- several numbers


@dataclass(frozen=True, kw_only=True)
class Numbers(MeanMechanism):
    """A vector of d numbers in [−1, 1] a person: values are (n, d), estimates and targets have d columns."""

    d: int
    scope = (1, 16, 1000)

    def _values(self, values: ArrayLike) -> NDArray[np.float64]:
        vectors = check_unit(values, ndim=2)
        if vectors.shape[1] != self.d:
            raise ValueError(f"values must have d = {self.d} columns, got {vectors.shape[1]}")
        return vectors

    @abstractmethod
    def _draw(self, vectors: NDArray[np.float64], rng: Randomness) -> Reports:
        """Draw the reports of some people."""

    def _perturb(self, values: NDArray[np.float64], rng: Randomness) -> Reports:
        """Draw reports, some people at a time: the coins of all at once could be too much to hold."""
        people = max(1, BLOCK // self.d)
        blocks = (values[at : at + people] for at in range(0, len(values), people))
        return np.concatenate([self._draw(block, rng) for block in blocks])

    @classmethod
    def sized(cls, size: int, epsilon: float) -> Self:
        """For vectors of so many numbers."""
        return cls(d=size, epsilon=epsilon)

    def crowd(self, n: int, rng: np.random.Generator | None) -> NDArray[np.float64]:
        """Vectors."""
        return crowds.numbers((n, self.d), rng)


def _cube(mechanism: Numbers, *inside: list[float], pairs: bool = True) -> Example:
    """Try a mechanism on all corners of the cube, opposite ones first, and on some vectors inside."""
    corners = sorted(product((1.0, -1.0), repeat=mechanism.d), key=lambda corner: abs(sum(corner)), reverse=True)
    return Example(mechanism, np.array([*corners, *inside]), pairs=pairs)


@dataclass(frozen=True, kw_only=True)
class MeanEst(Numbers):
    r"""Answer about all d numbers at once with a corner of the cube {−1, +1}^d.

    The client rounds its vector t to a corner v at random, :math:`v_j = +1` with probability :math:`(1+t_j)/2`.
    It then reports a corner r, drawn with weight :math:`e^\varepsilon` if more coordinates of r agree with v than
    disagree, and with weight 1 otherwise, ties included.  With C of the :math:`2^d` corners in the first class, r is in
    it with probability :math:`e^\varepsilon C / ((e^\varepsilon-1)C + 2^d)`.  On average r is v/B, so B r estimates t
    without bias, with variance B² − t²; B is about :math:`\sqrt{\pi d/2}\,(e^\varepsilon+1)/(e^\varepsilon-1)`.

    A person's work is O(d): the number of agreements is drawn first, then which coordinates they are.

    Source: Duchi, Jordan and Wainwright 2018; ye2018 §4.2, whose printed coin :math:`e^\varepsilon/(1+e^\varepsilon)`
    with strict signs on both sides gives ε = ∞ for even d: a corner that ties with v is never sent.

    Parameters
    ----------
    d : int in [1, 4096]

    Reports are corners, int8 (n, d) of −1 and +1.  Tallies count the +1 of each coordinate, (d,).
    """

    label = "MeanEst"
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, DIMENSIONS_MAX)}
    server_cost = "report and item"

    @property
    def ratio(self) -> Fraction:
        """How much likelier a favoured corner is than another one."""
        return exp_down(exact(self.epsilon))

    @cached_property
    def ways(self) -> tuple[int, ...]:
        """Number of corners that agree with v in 0, …, d coordinates."""
        return tuple(accumulate(range(self.d), lambda ways, a: ways * (self.d - a) // (a + 1), initial=1))

    @property
    def favoured(self) -> int:
        """C, the number of corners that agree with v in more coordinates than not."""
        return sum(self.ways[self.d // 2 + 1 :])

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """Weight of 0, …, d agreements."""
        high = whole(self.ratio * FINE)
        return tuple(ways * (high if 2 * a > self.d else FINE) for a, ways in enumerate(self.ways))

    @cached_property
    def scale(self) -> Fraction:
        """B, one over the average agreement of one coordinate."""
        return exact(self.d * sum(self.weights)) / exact(sum((2 * a - self.d) * w for a, w in enumerate(self.weights)))

    @property
    def scores(self) -> NDArray[np.float64]:
        """−B and B."""
        return np.array([-1, 1]) * float(self.scale)

    @property
    def second_moments(self) -> NDArray[np.float64]:
        """B² at both ends."""
        return self.scores**2

    @property
    def report_bits(self) -> int:
        """One bit a coordinate: d."""
        return self.d

    def _draw(self, vectors: NDArray[np.float64], rng: Randomness) -> Reports:
        left = weighted(self.weights, (len(vectors),), rng)  # agreements to place among the coordinates to come
        corners = np.empty(vectors.shape, np.int8)
        for j in range(self.d):
            agree = rational(left, self.d - j, left.shape, rng)
            corners[:, j] = np.where(agree == rounded(vectors[:, j], 1, rng), 1, -1)
            left -= agree
        return corners

    def _reports(self, reports: Reports) -> NDArray[np.int8]:
        corners = check_array(reports, "reports")
        if corners.dtype != np.int8 or corners.ndim != 2 or corners.shape[1] != self.d:
            raise ValueError(f"reports must be int8 of shape (n, {self.d}), got {corners.dtype} of {corners.shape}")
        wrong = corners[np.abs(corners) != 1]
        if wrong.size:
            raise ValueError(f"reports must be -1 or +1, got {wrong[0]}")
        return corners

    def _count(self, reports: NDArray[np.int8]) -> NDArray[np.int64]:
        """Count the +1 of each coordinate, (d,)."""
        return np.asarray(np.count_nonzero(reports == 1, axis=0))

    def _cells(self, tally: Tally) -> NDArray[np.int64]:
        return np.stack([tally.n - tally.counts, tally.counts], axis=-1)

    @classmethod
    def example(cls) -> list[Example]:
        """One number, an even number of numbers, where corners tie, and an odd one."""
        shapes = (1, 1.0, [0.3]), (2, 1.0, [0.3, -0.9]), (3, 2.0, [0.1, -0.2, 0.7])
        return [_cube(cls(d=d, epsilon=epsilon), [0.0] * d, inside) for d, epsilon, inside in shapes]


@dataclass(frozen=True, kw_only=True)
class SampledNumbers(Numbers):
    """Ask each person about `count` of d numbers, all sets of them alike, each through one mechanism at ε/count.

    The answer about a sampled number counts d/count times, and a number that is not sampled is scored 0: the mean over
    all people is unbiased, with variance (d/count)·E[score² | t] − t² a person.

    Parameters
    ----------
    d : int, at least 1
    epsilon : float
        For all answers of a person together.

    Reports have the fields ``attribute`` (which numbers, public, in no particular order) and ``cell``, both (n, count).
    Tallies count the cells of each number, (d, m).
    """

    public_fields: ClassVar[tuple[str, ...]] = ("attribute",)
    limits: ClassVar[Mapping[str, Limit]] = {"d": (1, SIZE_MAX)}

    @property
    @abstractmethod
    def count(self) -> int:
        """How many numbers each person is asked about."""

    @property
    @abstractmethod
    def one(self) -> Number:
        """The mechanism that answers about one number, at ε/count."""

    def _part(self) -> float:
        part = self.epsilon / self.count  # rounded to the nearest float: `count` of them may be more than ε
        return part if Fraction(part) * self.count <= exact(self.epsilon) else float(np.nextafter(part, 0))

    @property
    def ratio(self) -> Fraction:
        """That of one answer, `count` times."""
        return self.one.ratio**self.count

    @property
    def scores(self) -> NDArray[np.float64]:
        """Those of one answer, times d/count."""
        return self.d / self.count * self.one.scores

    @property
    def second_moments(self) -> NDArray[np.float64]:
        """Those of one answer, times d/count: the square of it, in the share count/d of cases."""
        return self.d / self.count * self.one.second_moments

    @property
    def report_bits(self) -> int:
        """⌈log₂ m^count⌉; which numbers these are is public."""
        return int(len(self.scores) ** self.count - 1).bit_length()

    @property
    def public_bits(self) -> int:
        """⌈log₂ of the number of sets of numbers⌉."""
        return (comb(self.d, self.count) - 1).bit_length()

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        return np.dtype([("attribute", np.int64, (self.count,)), ("cell", np.int64, (self.count,))])

    def _draw(self, vectors: NDArray[np.float64], rng: Randomness) -> Reports:
        n, k = len(vectors), self.count
        reports = np.empty(n, self.dtype)
        everything = k == self.d  # then there is nothing to draw
        reports["attribute"] = np.arange(k) if everything else distinct(np.full(n, self.d), np.full(n, k), k, rng)
        asked = np.take_along_axis(vectors, reports["attribute"], axis=1)
        reports["cell"] = self.one.perturb(asked.ravel(), rng=rng).reshape(n, k)
        return reports

    def _reports(self, reports: Reports) -> NDArray[Any]:
        found = check_fields(reports, self.dtype)
        attribute = check_codes(found["attribute"], self.d, "reports['attribute']", ndim=2)
        check_codes(found["cell"], len(self.scores), "reports['cell']", ndim=2)
        if np.any(np.diff(np.sort(attribute, 1), axis=1) == 0):
            raise ValueError(f"reports must be about {self.count} different attributes a person, got one of them twice")
        return found

    def _count(self, reports: NDArray[Any]) -> NDArray[np.int64]:
        """Count the cells of each number, (d, m)."""
        m = len(self.scores)
        return np.bincount((reports["attribute"] * m + reports["cell"]).ravel(), minlength=self.d * m).reshape(-1, m)

    def _cells(self, tally: Tally) -> NDArray[np.int64]:
        return tally.counts


@dataclass(frozen=True, kw_only=True)
class HarmonyMean(SampledNumbers):
    r"""Sample one number and send its sign: scores ±c d, :math:`c = (e^\varepsilon+1)/(e^\varepsilon-1)`.

    The variance is c² d − t².  With count = d, the price of splitting ε over all numbers: about d² instead of d.

    Source: Nguyên et al. 2016; ye2018 §4.2, Harmony-Mean.

    Parameters
    ----------
    count : int in [1, d]
    """

    count: int = 1
    label = "Harmony"
    limits: ClassVar[Mapping[str, Limit]] = {"count": (1, SIZE_MAX)}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.count, 1, "count", self.d)
        check_epsilon(self._part(), "epsilon / count")

    @cached_property
    def one(self) -> TwoPoint:
        """`TwoPoint` at ε/count."""
        return TwoPoint(epsilon=self._part())

    @classmethod
    def example(cls) -> list[Example]:
        """Two of three numbers, and one of two."""
        two, one = cls(d=3, epsilon=1.0, count=2), cls(d=2, epsilon=1.0)
        return [_cube(two, [0.5, -0.2, 0.1], pairs=False), _cube(one, [0.3, -0.9])]


@dataclass(frozen=True, kw_only=True)
class SampledHybrid(SampledNumbers):
    """Sample max(1, min(d, ⌊ε/2.5⌋)) numbers and send each through `Hybrid`.

    Source: Wang et al. 2019.
    """

    label = "sampled Hybrid"

    @property
    def count(self) -> int:
        """One number for each 2.5 of ε."""
        return max(1, min(self.d, floor(self.epsilon / 2.5)))

    @cached_property
    def one(self) -> Hybrid:
        """`Hybrid` at ε/count."""
        return Hybrid(epsilon=self._part())

    @classmethod
    def example(cls) -> list[Example]:
        """One number of two, mixed, and a single one by its sign."""
        return [_cube(cls(d=2, epsilon=1.0), [0.3, -0.9], pairs=False), _cube(cls(d=1, epsilon=0.2), [0.3])]


def exp_down(epsilon: Fraction) -> Fraction:
    """Return e^ε, rounded down to a multiple of 1 / FINE."""
    e = odds(epsilon)
    return e.field.round(e, True) if isinstance(e, Formula) else Fraction(floor(e * FINE), FINE)


def whole(x: Any) -> Any:
    """Return the whole part of a number; a formula stays what it is."""
    return x if isinstance(x, Formula) else int(x)


def rounded(t: NDArray[np.float64], steps: int, rng: Randomness) -> NDArray[np.int64]:
    """Draw one of the two points next to t, of steps + 1 in [−1, 1] numbered from 0, so that their mean is t."""
    place = (1 + t) / 2 * steps
    below = np.floor(place)
    return below.astype(np.int64) + bernoulli(place - below, t.shape, rng)
