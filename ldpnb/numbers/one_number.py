"""The mean of one number in [−1, 1] per person.

`NumberMechanism` is the one calculus.  The client rounds its number t at random to one of a few
equidistant points of [−1, 1], so that the mean stays t, draws noise whose law does not depend on t,
and reports the cell that point and noise lead to.  The server scores cells so that each point
comes out exactly on average,

    Σ_y Q[i, y] s_y = point i,      so that the mean score of a report is t for every t.

Rounding only mixes rows of Q: it costs no privacy, and the second moment of a score is that of the points, linear in
between.  A mechanism of this kind is its noise, its cells and its scores: `TwoPoint`, `Piecewise`, `Hybrid`, `Laplace`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from math import exp
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness, bernoulli, exact, inexact, weighted
from ldpnb.checks import Limit, check_unit
from ldpnb.core import Example, Floats, Ints, Layout, Reports, Tally
from ldpnb.exact.formulas import Formula
from ldpnb.intervals import skewed_quantile, support_interval
from ldpnb.numbers.means import FINE, MeanMechanism, exp_down

STEPS = 64  # of a grid, where nothing else is said: rounding then adds at most 1/4096 to a variance
HALVINGS = 50  # of the search for the end of an interval
STEPS_MAX = 1024  # the weights of 2·1024 steps of geometric noise take 64 MB


class Design(NamedTuple):
    """Noise and scores of a mechanism for one number."""

    points: int  # how many steps lead from −1 to 1: the number is rounded to one of so many points and one
    weights: tuple[int, ...]  # of each draw of the noise
    scores: tuple[Fraction, ...]  # what each cell is worth, exactly


@dataclass(frozen=True, kw_only=True)
class NumberMechanism(MeanMechanism):
    """One number in [−1, 1] a person: what its mechanisms share (see the top of this module).

    Values are numbers in [−1, 1], (n,).  Reports are cells, int64 (n,).  Tallies count the cells, (m,); estimates and
    targets have one column.
    """

    @property
    @abstractmethod
    def design(self) -> Design:
        """Noise and scores."""

    @abstractmethod
    def lead(self, point: Ints, noise: Ints) -> Ints:
        """Cell in [0, m) that a point and a draw of the noise lead to."""

    @cached_property
    def channel(self) -> Floats:
        """Q: probability of each cell from each point, (points + 1, m)."""
        points, weights, scores = self.design
        total, noise = sum(weights), np.arange(len(weights))
        p = np.array([weight / total for weight in weights])
        found = np.zeros((points + 1, len(scores)), p.dtype)
        for i, row in enumerate(found):
            np.add.at(row, self.lead(np.full(noise.shape, i), noise), p)
        return found

    @cached_property
    def scores(self) -> Floats:
        """Those of the design, as floats."""
        return np.array([inexact(score) for score in self.design.scores])

    @cached_property
    def second_moments(self) -> Floats:
        """Σ_y Q[i, y] s_y², at the points."""
        return np.asarray(self.channel @ self.scores**2)

    @cached_property
    def third_moments(self) -> Floats:
        """Σ_y Q[i, y] s_y³, at the points."""
        return np.asarray(self.channel @ self.scores**3)

    @property
    def layout(self) -> Layout:
        """A cell."""
        return {"": (np.int64, len(self.design.scores))}

    def _example(self) -> Example:
        return Example(self, np.array([-1.0, 1.0, 0.0, 0.3, -0.7]))

    def _values(self, values: ArrayLike) -> Floats:
        return check_unit(values)[:, None]

    def _perturb(self, values: Floats, rng: Randomness) -> Reports:
        noise = weighted(self.design.weights, (len(values),), rng)
        return self.lead(rounded(values[:, 0], self.design.points, rng), noise)

    def _count(self, reports: Ints) -> Ints:
        """Count the reports of each cell, (m,)."""
        return np.bincount(reports, minlength=len(self.scores))

    def _worst(self) -> Ints:
        """Return the cell with the largest score."""
        return np.array([self.scores.argmax()])

    def _cells(self, tally: Tally) -> Ints:
        return tally.counts[..., None, :]

    def interval(self, tally: Tally, z: float, *, people: bool = False) -> tuple[Floats, Floats]:
        """Return the means from which the estimate is not too far, for the law of a score under these means.

        Of two cells, the number of reports of the second one is binomial, and ends are as in `support_interval`.
        Otherwise the mean score is compared with a law of the same first three moments, see `_spread_at`: variance and
        skewness are those *at the end*.  So nothing breaks down where all numbers are near one end of the range, and
        hardly any report has a score from the other side.

        Notes
        -----
        About means outside of [−1, 1] scores are taken to scatter as at the nearest end.
        """
        mean = self.estimate(tally)
        self.standard_error(tally, people=people)  # refuses what has none
        if len(self.scores) == 2:
            own, other = (exact(chance) for chance in self.channel[[-1, 0], 1].tolist())
            low, high = support_interval(tally.counts[..., 1:], tally.n, own, other, z)
            return 2 * low - 1, 2 * high - 1
        squares = self._squares(tally)
        fourth = (self._cells(tally) @ self.scores**4) / tally.n
        squares = squares + np.sqrt(np.maximum(fourth - squares**2, 0) / tally.n)  # few reports tell it badly
        reach = (z**2 + 4) * np.sqrt(self.second_moments.max() / tally.n)  # no end is farther
        ends = []
        for side in (1, -1):
            inside, outside = mean, mean - side * reach
            for _ in range(HALVINGS):
                middle = (inside + outside) / 2
                error, skewness = self._spread_at(middle, squares, tally.n)
                far = side * (mean - middle) > error * side * skewed_quantile(side * z, skewness)
                inside, outside = np.where(far, inside, middle), np.where(far, middle, outside)
            ends.append(inside)
        return ends[0], ends[1]

    def _spread_at(self, mean: Floats, squares: Floats, n: int) -> tuple[Floats, Floats]:
        """Return standard error and skewness of the mean of n scores of people with this mean number.

        The mean alone does not tell how far numbers scatter.  They are taken to be a mixture, of people who all have
        the mean and of people at both ends of the range, in the proportion that leads to this mean squared score
        (`squares`), or to the nearest possible one.
        """
        at = mean.clip(-1, 1)
        points = np.linspace(-1, 1, len(self.second_moments))
        upper = (1 + at) / 2  # of those at the ends
        (close2, far2), (close3, far3) = (
            (np.interp(at, points, moments), upper * moments[-1] + (1 - upper) * moments[0])
            for moments in (self.second_moments, self.third_moments)
        )
        apart = far2 - close2
        known = np.abs(apart) > 1e-9 * far2
        part = np.where(known, (squares - close2) / np.where(known, apart, 1), 0).clip(0, 1)
        second, third = close2 + part * apart, close3 + part * (far3 - close3)
        variance = np.maximum(second - at**2, 0)
        seen = variance > 0
        skewness = (third - 3 * at * second + 2 * at**3) / np.where(seen, variance, 1) ** 1.5
        return np.sqrt(variance / n), np.where(seen, skewness, 0) / np.sqrt(n)


Number = NumberMechanism  # its name in 1.0.0; `ldpnb.Number` is the question


@dataclass(frozen=True, kw_only=True)
class Piecewise(NumberMechanism):
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

    Examples
    --------
    >>> mean, rng = Piecewise(epsilon=2.0), np.random.default_rng(0)
    >>> mean.estimate(mean.tally(mean.perturb(rng.uniform(-1, 0.5, 20_000), rng=rng))).round(2)
    array([-0.24])
    """

    steps: int = STEPS
    width: int = 0
    label = "Piecewise"
    chosen: ClassVar[Mapping[str, str]] = {"width": "window"}
    tried = [{"epsilon": 1.0, "steps": 4}, {"epsilon": 3.0, "steps": 3, "width": 5}]
    limits: ClassVar[Mapping[str, Limit]] = {"steps": (1, STEPS_MAX), "width": (0, STEPS_MAX)}

    @property
    def window(self) -> int:
        """The number of cells of a window in use: w."""
        return self.width or max(1, round(self.steps / exp(self.epsilon / 2)))

    @cached_property
    def design(self) -> Design:
        """First the cells of a window; the others follow in circular order."""
        e, w, last = self.ratio, self.window, self.steps + self.window - 1
        slope = (e * w + self.steps) / ((e - 1) * w * self.steps)
        scores = tuple(slope * (2 * y - last) for y in range(last + 1))
        return Design(self.steps, (whole(e * FINE),) * w + (FINE,) * self.steps, scores)

    def lead(self, point: Ints, noise: Ints) -> Ints:
        """Count on from the point, and from the last cell to the first."""
        return np.asarray((point + noise) % (self.steps + self.window))


@dataclass(frozen=True, kw_only=True)
class TwoPoint(Piecewise):
    r"""Report a sign: −c or +c, :math:`c = (e^\varepsilon+1)/(e^\varepsilon-1)`, with variance c² − t².

    The number is rounded to −1 or +1, and the sign goes through randomized response: `Piecewise` with one step.

    Source: Duchi, Jordan and Wainwright 2018, for one dimension; ye2018 §4.2, the coin of Harmony-Mean.

    Examples
    --------
    >>> mean, rng = TwoPoint(epsilon=2.0), np.random.default_rng(0)
    >>> mean.estimate(mean.tally(mean.perturb(rng.uniform(-1, 0.5, 20_000), rng=rng))).round(2)
    array([-0.24])
    """

    steps: int = field(default=1, init=False, repr=False)
    width: int = field(default=1, init=False, repr=False)
    label = "two points"
    tried = [{"epsilon": 1.0}, {"epsilon": 20.0}]


@dataclass(frozen=True, kw_only=True)
class Hybrid(Piecewise):
    r"""Toss a coin between `Piecewise` and `TwoPoint`, whatever the number; the report shows which of them it is from.

    The variance of the first grows with t², that of the second falls.  With probability :math:`(e^\varepsilon - 1)w/T`
    of the first, :math:`1 - e^{-\varepsilon/2}` in the limit of a fine grid, that of the mixture is the same at all
    points.  Where this does not make the worst case smaller, for :math:`\varepsilon \le 0.61` on a fine grid, all
    reports are from `TwoPoint`.

    Source: Wang et al. 2019.

    Reports are the cells of `Piecewise`, then the two of `TwoPoint`; only these where nothing is mixed.

    Examples
    --------
    >>> mean, rng = Hybrid(epsilon=2.0), np.random.default_rng(0)
    >>> mean.estimate(mean.tally(mean.perturb(rng.uniform(-1, 0.5, 20_000), rng=rng))).round(2)
    array([-0.24])
    """

    label = "Hybrid"
    tried = [{"epsilon": 2.0, "steps": 4, "width": 2}, {"epsilon": 0.5, "steps": 4}]  # the second sends signs alone

    @cached_property
    def parts(self) -> tuple[Piecewise, TwoPoint]:
        """The two mechanisms."""
        return Piecewise(epsilon=self.epsilon, steps=self.steps, width=self.width), TwoPoint(epsilon=self.epsilon)

    @cached_property
    def share(self) -> Fraction:
        """Probability of `Piecewise`: 0, or what makes the variance the same at all points."""
        (_, weights, scores), sign = (part.design for part in self.parts)
        share = (self.ratio - 1) * self.window / (self.ratio * self.window + self.steps)
        at_end = sum(w * s**2 for w, s in zip(weights, scores, strict=True)) / sum(weights)
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

    def lead(self, point: Ints, noise: Ints) -> Ints:
        """Lead to a cell of `Piecewise`, or to a sign: + for `point` of the steps, then kept or not."""
        piecewise, sign = self.parts
        if not self.share:
            return sign.lead(point, noise)
        m = self.steps + self.window
        flip, step = np.divmod(np.maximum(noise - m, 0), self.steps)
        return np.where(noise < m, piecewise.lead(point, noise), m + sign.lead((step < point).astype(np.int64), flip))


@lru_cache(maxsize=1024)
def best_width(mechanism: Piecewise) -> int:
    """Return the width of the least `worst_variance`, for a `Piecewise` or `Hybrid` of this ε and these steps.

    However fine the grid, the published window, 1/(e^{ε/2}+1) of all cells, is narrower.
    """
    e, steps = float(mechanism.ratio), mechanism.steps
    widths = np.arange(1, min(2 * steps, STEPS_MAX) + 1)
    total, cells, share = e * widths + steps, steps + widths, (e - 1) * widths / (e * widths + steps)
    squares = ((e - 1) * widths * (widths**2 - 1) + cells * (cells**2 - 1)) / 3
    most = total * squares / ((e - 1) * widths * steps) ** 2 + 1 / share  # the second moment at the ends
    if isinstance(mechanism, Hybrid):
        sign = ((e + 1) / (e - 1)) ** 2
        most = np.minimum(share * most + (1 - share) * sign, 1 + sign)
    # rounding to the grid adds at most 1/steps²: of all widths, only these can be the best
    near: list[int] = widths[most <= most.min() * (1 + 1e-9) + 1 / steps**2].tolist()
    return min(near, key=lambda width: replace(mechanism, width=width).worst_variance)


@dataclass(frozen=True, kw_only=True)
class Laplace(NumberMechanism):
    r"""Add geometric noise of both signs, and cut at `reach` steps beyond [−1, 1]: the Laplace mechanism on a grid.

    Noise of g steps has probability :math:`(1-a)a^{|g|}/(1+a)`, :math:`a = e^{-\varepsilon/\mathrm{steps}}`.  What lies
    beyond an end cell is reported as that cell, and its score is the mean of what it stands for: the end and
    :math:`a/(1-a)` steps more, exactly and from every point, because the tail has no memory.

    So cutting costs nothing: beyond the range, likelihood ratios no longer change.  The estimate is the mean of the
    uncut one given the report, and its variance is smaller; least with the default, reach 0.  The published Laplace
    mechanism, with variance :math:`8/\varepsilon^2`, is the limit of a fine grid and a long reach.  With one step and
    reach 0 this is `TwoPoint`.  There are steps + 2 reach + 1 cells.

    Source: Dwork, McSherry, Nissim and Smith 2006; Ghosh, Roughgarden and Sundararajan 2012 (geometric).

    Parameters
    ----------
    steps : int in [1, 1024]
        Rounding adds at most 1/steps² to a variance.
    reach : int in [0, 1024]

    Examples
    --------
    >>> mean, rng = Laplace(epsilon=2.0), np.random.default_rng(0)
    >>> mean.estimate(mean.tally(mean.perturb(rng.uniform(-1, 0.5, 20_000), rng=rng))).round(2)
    array([-0.25])
    """

    steps: int = STEPS
    reach: int = 0
    label = "Laplace, cut"
    tried = [{"epsilon": 1.0, "steps": 3, "reach": 2}, {"epsilon": 4.0, "steps": 4}]
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

    def lead(self, point: Ints, noise: Ints) -> Ints:
        """Add, and stop at the ends."""
        last = self.steps + 2 * self.reach
        return np.asarray(np.clip(point + noise - self.steps, 0, last))  # the first noise is −(steps + reach)


def whole(x: Any) -> Any:
    """Return the whole part of a number; a formula stays what it is."""
    return x if isinstance(x, Formula) else int(x)


def rounded(t: Floats, steps: int, rng: Randomness) -> Ints:
    """Draw one of the two points next to t, of steps + 1 in [−1, 1] numbered from 0, so that their mean is t."""
    place = (1 + t) / 2 * steps
    below = np.floor(place)
    return below.astype(np.int64) + bernoulli(place - below, t.shape, rng)
