r"""The whole distribution of a number: shares of ranges, quantiles and shapes.

The public range of the number is cut into k cells, x is a person's cell, and a range is a run of cells.  `Hierarchy`
asks each person about blocks of one public width.  Its estimates are linear, so that the shares of all ranges are
unbiased, with exact variances for any population; `share` and `quantiles` make intervals of them, for every oracle
that knows the variance of sums.  `density` finds the likeliest smooth shape behind the tally of a mechanism for means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, binomial, weighted
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_codes,
    check_count,
    check_epsilon,
    check_histogram,
    check_numbers,
    check_probability,
    shown,
)
from ldpnb.core import Example, Floats, Ints, Layout, Mechanism, Reports, Tally, blocks, check_tally
from ldpnb.numbers.one_number import STEPS_MAX, NumberMechanism, Piecewise
from ldpnb.oracles.asking import Asking, no_counts, told_in, total
from ldpnb.oracles.base import ItemOracle, check_weights, one_hot
from ldpnb.oracles.designs import BlockDesign
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.postprocess import maximum_likelihood, normal_quantile

FEW = 4  # blocks: a level with fewer would add hardly anything to what is known
ENTRIES = 2**22  # of a matrix in memory at a time


def _positive(numbers: Sequence[int], name: str) -> tuple[int, ...]:
    if not isinstance(numbers, tuple | list):
        raise ValueError(f"{name} must be a tuple of integers, got {shown(numbers)}")
    return tuple(check_count(one, 1, name, SIZE_MAX) for one in numbers)


@dataclass(frozen=True, kw_only=True)
class Hierarchy(Asking):
    r"""The block of cells that a person's cell is in: of a public width, through a frequency oracle with all of ε.

    Level i has blocks of :math:`s_i` cells, and a person is asked at it with probability :math:`\pi_i`.  The estimate
    is that of least squares.  Let :math:`P_\ell w` be the means of w over blocks of level ℓ − 1 less those over blocks
    of level ℓ (of all cells, after the last level), :math:`u_i` half the variance of the difference of two blocks, and
    T the sum over levels of the scores of their blocks over :math:`u_i`, each written to all cells of the block, a mean
    over all people.  Then

    .. math:: \hat f = \frac1k + \sum_\ell \frac{P_\ell T}{D_\ell},
       \qquad D_\ell = \sum_{i<\ell} \frac{\pi_i s_i}{u_i},

    is unbiased, whatever u is, and sums to 1.  The variance of a range grows like the square of the logarithm of its
    length, where that of a sum of single cells grows like the length.

    It divides by the number of people expected at a level, not by that of those who drew it (`ldpnb.asked`).  What a
    person adds is a sum of contrasts, whose mean over evenly spread people is 0, so that nothing would be gained for
    them, and little for others: in the mean over all ranges 1 % at ε = 1, and 7 % at ε = 4, for 64 cells whose shares
    fall by a tenth from each to the next.

    Source: levels shared among people, Cormode, Kulkarni and Srivastava 2019; consistency, Hay et al. 2010.

    Values are cells, below k, (n,).  Reports have the field ``level`` (public) and those of the oracles' reports, or
    ``report`` where these have none, (n,).  Tallies count for each level its reports, and then what its oracle counts.

    Parameters
    ----------
    oracles : tuple of ItemOracle
        One a level, the finest first, all of one ε and with reports of one type; the k of each is a multiple of the
        next one's, and that of the first the number of cells.
    weights : tuple of int
        Odds of the levels.

    Examples
    --------
    >>> survey, rng = Hierarchy.of(64, 1.0), np.random.default_rng(0)
    >>> survey.widths, survey.weights
    ((1, 2, 4, 8, 16), (3, 1, 1, 1, 1))
    >>> tally = survey.tally(survey.perturb(rng.binomial(63, 0.5, 50_000), rng=rng))
    >>> round(float(share(tally, 0, 32).estimate), 1)
    0.5
    >>> quantiles(tally, 0.5).low <= 31 <= quantiles(tally, 0.5).high
    np.True_
    """

    oracles: tuple[ItemOracle, ...]
    weights: tuple[int, ...]
    label = "hierarchy"
    takes = "item"
    shares = True
    of_epsilon = "lambda e: replace(m, oracles=tuple(replace(one, epsilon=e) for one in m.oracles))"
    question = "level"
    limits: ClassVar[Mapping[str, Limit]] = {"weights": _positive}

    def __post_init__(self) -> None:
        super().__post_init__()
        oracles = tuple(self.oracles) if isinstance(self.oracles, tuple | list) else ()
        for one in oracles:
            if not isinstance(one, ItemOracle) or not one.shares or one.server_cost != "report":
                raise ValueError(
                    f"oracles must be pure protocols with unbiased shares that count reports, got {shown(one)}"
                )
        if not oracles or any(a.k % b.k or a.k == b.k for a, b in pairwise(oracles)):
            raise ValueError(
                f"oracles must be a tuple of which each k divides the one before, got {shown(self.oracles, most=200)}"
            )
        said = [(one.epsilon, [(name, kind, axes) for name, (kind, _, *axes) in one.layout.items()]) for one in oracles]
        if said[1:] != said[:-1]:
            raise ValueError(f"oracles must be of one ε, with reports of the same fields and axes, got {oracles}")
        if len(self.weights) != len(oracles):
            raise ValueError(f"weights must be one a level, {len(oracles)}, got {len(self.weights)}")
        object.__setattr__(self, "oracles", oracles)

    @classmethod
    def of(
        cls,
        k: int,
        epsilon: float,
        make: Callable[..., ItemOracle] | None = None,
        *,
        widths: Sequence[int] = (),
        weights: Sequence[int] = (),
    ) -> Self:
        """Make the oracles, too.

        Parameters
        ----------
        k : int
            Number of cells; best a power of two.
        epsilon : float
        make : callable, optional
            ``make(k=blocks, epsilon=epsilon)``; without, the better one of `GRR` and `BlockDesign`.
        widths : sequence of int, optional
            Of the blocks, 1 first, each dividing the next and k.  Without, prime factors of k are taken in from the
            least on while there are more than four blocks.
        weights : sequence of int, optional
            Odds of the levels; without, 3 for single cells and 1 for each other level.  Of powers of two, at ε up to 2,
            the mean variance over all ranges is then within 2 % of the least.
        """
        k = check_count(k, 2, "k")
        wide = _positive(widths, "widths") or _widths(k)
        if wide[0] != 1 or any(b % a or a == b for a, b in pairwise((*wide, k))):
            raise ValueError(f"widths must be 1, then each a multiple of the one before, below k = {k}, got {wide}")
        oracles = tuple((make or _better)(k=k // s, epsilon=epsilon) for s in wide)
        if not isinstance(weights, Iterable):
            raise ValueError(f"weights must be a sequence of integers, one a level, got {shown(weights)}")
        return cls(oracles=oracles, weights=tuple(weights) or (3, *(1,) * (len(wide) - 1)))

    oracle = property(lambda self: self.oracles[0], doc="That of single cells.")
    questions = property(lambda self: len(self.oracles), doc="Number of levels.")
    k = property(attrgetter("oracle.k"), doc="Number of cells.")
    report_bits = property(lambda self: max(one.report_bits for one in self.oracles), doc="Most bits of a level.")
    realised_epsilon = property(lambda self: max(one.realised_epsilon for one in self.oracles), doc="The largest.")

    @property
    def layout(self) -> Layout:
        """A public level, and what the reports of any oracle hold."""
        most = {name or "report": max(one.layout[name][1] for one in self.oracles) for name in self.oracle.layout}
        return {name: (kind, most.get(name, values), *axes) for name, (kind, values, *axes) in super().layout.items()}

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of cells of a block of each level."""
        return tuple(self.k // one.k for one in self.oracles)

    @cached_property
    def odds(self) -> Floats:
        """Probability of each level."""
        return np.array(self.weights) / sum(self.weights)

    @cached_property
    def noise(self) -> Floats:
        """Half the variance of the difference of two blocks of each level, people being spread evenly: u."""
        two = (one.linear_variance(np.eye(1, one.k) - np.eye(1, one.k, 1)).mean() for one in self.oracles)
        return np.asarray(np.array([*two]) / 2 + np.array(self.widths) / self.k)

    @cached_property
    def known(self) -> Floats:
        """What reports tell about the contrasts of each kind: D."""
        return np.asarray(np.cumsum(self.odds * self.widths / self.noise))

    def contrasts(self, w: Floats) -> list[Floats]:
        """Write weights of cells, less their mean, as sums of means over blocks less those over the next wider ones."""
        means = [w, *(_means(w, s).repeat(s, -1) for s in (*self.widths[1:], self.k))]
        return [narrow - wide for narrow, wide in pairwise(means)]

    def _example(self) -> Example:
        return Example(self, np.arange(self.k), histogram=True, pairs=self.k < 5)

    def _values(self, values: ArrayLike) -> Ints:
        return check_codes(values, self.k)

    def expected(self, values: ArrayLike) -> Floats:
        """One for the person's cell, zero for the others: (n, k)."""
        return one_hot(self._values(values), self.k)

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        levels, reports = weighted(self.weights, values.shape, rng), np.empty(len(values), self.dtype)
        for i in np.unique(levels):
            here = levels == i
            reports[here] = self._asked(i, self.oracles[i].perturb(values[here] // self.widths[i], rng=rng))
        return reports

    def _worst(self) -> Reports:
        """Return all reports of all levels: how much each adds depends on its public part, too."""
        found = []
        for i, one in enumerate(self.oracles):
            every = np.indices([values for _, values in one.layout.values()])
            told = one._nothing(every[0].size)
            for name, part in zip(one.layout, every, strict=True):
                told[name or ...] = part.ravel()
            found.append(self._asked(i, told))
        return np.concatenate(found)

    def _count(self, reports: NDArray[Any]) -> Ints:
        """Count for each level its reports, and what its oracle counts of them, flat."""
        parts = [told_in(reports[reports["level"] == i], one) for i, one in enumerate(self.oracles)]
        counts = [np.append(len(part), one.tally(part).counts) for part, one in zip(parts, self.oracles, strict=True)]
        return np.concatenate(counts)

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each cell: (…, k)."""
        ends = np.cumsum([1 + no_counts(one).size for one in self.oracles])
        parts, told = np.split(tally.counts, ends[:-1], -1), np.zeros((*tally.counts.shape[:-1], self.k))
        for one, counts, s, u in zip(self.oracles, parts, self.widths, self.noise, strict=True):
            told += np.repeat(total(one, one._score, counts) / (tally.n * u), s, -1)
        return np.asarray(1 / self.k + sum(p / d for p, d in zip(self.contrasts(told), self.known, strict=True)))

    def _squares(self, tally: Tally) -> Floats:
        """Weigh the mean squares of each person's scores with the estimate: right on average."""
        found = self._score(tally)
        return np.concatenate([found @ (self.linear_variance(one) + one).T for one in self._alone()], -1)

    def _alone(self) -> Iterator[Floats]:
        """Weights of one for each cell alone, some cells at a time."""
        at = np.arange(self.k)
        return (np.equal.outer(at[some], at) * 1.0 for some in blocks(self.k, max(1, ENTRIES // self.k)))

    def variance(self, values: ArrayLike) -> Floats:
        """Variance of the scores of single cells: (n, k).  See `linear_variance`."""
        people = self._values(values)
        return np.concatenate([self.linear_variance(one)[:, people] for one in self._alone()]).T

    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of a weighted sum of one person's scores, for each cell the person may be in: (…, k).

        With :math:`g_i = (\pi_i s_i/u_i) \sum_{\ell>i} P_\ell w/D_\ell`, a weight for each block of level i, and V the
        variance of such a sum with the oracle of the level, it is
        :math:`\sum_i [V_i(x; g_i) + g_i(x)^2]/\pi_i - (w_x - \bar w)^2`.

        Parameters
        ----------
        weights : array_like of float (…, k)
            A weight for each cell, for a range ones; leading axes run over sums.
        """
        w = check_weights(weights, self.k)
        parts = [p / d for p, d in zip(self.contrasts(w), self.known, strict=True)]
        found = -np.square(w - w.mean(-1, keepdims=True))
        for i, (one, s, odds) in enumerate(zip(self.oracles, self.widths, self.odds, strict=True)):
            g = (odds * s / self.noise[i]) * sum(part[..., ::s] for part in parts[i:])
            found += np.repeat(one.linear_variance(g) + np.square(g), s, -1) / odds
        return np.asarray(found)

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population with this histogram, exact in their joint law: (trials, …)."""
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        left, rest, found = np.repeat(histogram[None], trials, 0), 1.0, []
        for one, s, odds in zip(self.oracles, self.widths, self.odds, strict=True):
            here = left if one is self.oracles[-1] else binomial(left, odds / rest, left.shape, rng)
            left, rest = left - here, rest - odds
            at = here.reshape(trials, -1, s).sum(-1)
            own = np.tile(no_counts(one).reshape(-1), (trials, 1))
            for trial in np.flatnonzero(at.any(-1)):
                own[trial] = one.simulate(at[trial], trials=1, rng=rng).counts.reshape(-1)  # type: ignore[attr-defined]
            found.append(np.concatenate([at.sum(-1, keepdims=True), own], -1))
        return Tally(self, int(histogram.sum()), np.concatenate(found, -1))

    @classmethod
    def example(cls) -> list[Example]:
        """Levels of all kinds: with a block design, with a public row, of three widths, and one alone."""
        made = cls.of(4, 1.0, GRR, widths=(1, 2), weights=(2, 1)), cls.of(4, 0.5, HadamardBit, widths=(1, 2))
        return [one._example() for one in (*made, cls.of(6, 1.0, widths=(1, 3), weights=(3, 2)), cls.of(3, 2.0))]


def _means(w: Floats, s: int) -> Floats:
    return np.asarray(w.reshape(*w.shape[:-1], -1, s).mean(-1))


def _widths(k: int) -> tuple[int, ...]:
    """Take in prime factors from the least on while more than four blocks are left."""
    widths, p = [1], 2
    while (left := k // widths[-1]) > FEW and p * p <= k:
        if left % p == 0 and left > p:
            widths.append(widths[-1] * p)
        else:
            p += 1
    return tuple(widths)


def _better(k: int, epsilon: float) -> ItemOracle:
    return min((kind(k=k, epsilon=epsilon) for kind in (GRR, BlockDesign)), key=attrgetter("rare_variance"))


# ------------------------------------------------------------------------------------------- intervals of what is asked


class Share(NamedTuple):
    """Shares of ranges, with the ends of their intervals."""

    estimate: Floats
    low: Floats
    high: Floats


class Quantiles(NamedTuple):
    """The cells of quantiles, and the first and the last cell of their intervals."""

    cells: Ints
    low: Ints
    high: Ints


def share(tally: Tally, start: ArrayLike, end: ArrayLike, level: float = 0.95, *, people: bool = False) -> Share:
    """Estimate the shares of ranges of cells, without bias, with intervals.

    Parameters
    ----------
    tally : Tally
        Of at least two reports of a `Hierarchy`, or of another oracle that knows the variance of sums.
    start, end : array_like of int (…)
        The first cell of a range, and the one after its last.
    level : float in (0, 1)
        Probability of covering one share, approached as n grows.
    people : bool
        Whether the interval is about these people, and not about a population that they are a random sample of.

    Returns
    -------
    Share
        Arrays (…), not cut at what is possible.

    Raises
    ------
    ValueError
        If a range is none, or the mechanism does not know the variance of sums.
    """
    most = _summable(tally).k + 1
    ends = (check_codes(one, most, name, np.ndim(one)) for name, one in (("start", start), ("end", end)))
    first, after = np.broadcast_arrays(*ends)
    if np.any(first >= after):
        at = np.argmax(first >= after)
        raise ValueError(f"end must be after start, got {after.flat[at]} after {first.flat[at]}")
    found, error = _ranges(tally, first, after, people)
    half = normal_quantile(level) * error
    return Share(found, found - half, found + half)


def quantiles(tally: Tally, taus: ArrayLike, level: float = 0.95, *, people: bool = False) -> Quantiles:
    """Find the cells at which the running share reaches each τ, with intervals.

    A cell is in the interval unless a test refuses it: that τ is not reached before the cell, or that it is reached in
    it.  The quantile's cell passes both of these one-sided tests with at least the probability `level`, as n grows.

    Parameters
    ----------
    tally, level, people
        As for `share`.
    taus : array_like of float in (0, 1), (…)

    Returns
    -------
    Quantiles
        Arrays (…).
    """
    k, wanted, z = _summable(tally).k, check_numbers(taus, "taus"), normal_quantile(level)
    if np.any((wanted <= 0) | (wanted >= 1)):
        raise ValueError(f"taus must be numbers in (0, 1), got {shown(taus)}")
    inner = np.arange(1, k)
    shares, errors = _ranges(tally, np.zeros_like(inner), inner, people)
    running, half = np.array([0, *shares, 1]), z * np.array([0, *errors, 0])  # the ends are known
    cells = np.searchsorted(np.maximum.accumulate(running[1:]), wanted)
    tau = wanted[..., None]
    kept = (running[:-1] - half[:-1] <= tau) & (tau <= running[1:] + half[1:])
    kept |= np.equal.outer(cells, np.arange(k))
    return Quantiles(cells, kept.argmax(-1), k - 1 - kept[..., ::-1].argmax(-1))


def _summable(tally: Tally) -> Any:
    mechanism = check_tally(tally, Mechanism, "a mechanism", alone=True).mechanism
    if not hasattr(mechanism, "linear_variance"):
        raise ValueError(f"tally must be of a Hierarchy or a PureProtocol, got one of {type(mechanism).__name__}")
    if tally.n < 2:
        raise ValueError(f"tally must hold at least two reports, got {tally.n}")
    return mechanism


def _ranges(tally: Tally, first: Ints, after: Ints, people: bool) -> tuple[Floats, Floats]:
    """Share and standard error of each range, (…).

    The variance of a score is linear in the histogram.  The estimate, shifted so that it sums to one, stands in for it;
    if it is noisy the result may be below what any histogram has, or above.
    """
    mechanism: Any = tally.mechanism
    found, at = mechanism.estimate(tally), np.arange(mechanism.k)
    running, noise = np.append(0, found.cumsum()), np.empty(first.shape)
    found = found + (1 - running[-1]) / mechanism.k
    for some in blocks(first.size, max(1, ENTRIES // mechanism.k)):
        within = (first.flat[some][:, None] <= at) & (at < after.flat[some][:, None])
        each = mechanism.linear_variance(within * 1.0)
        noise.flat[some] = np.clip(each @ found, each.min(-1), each.max(-1))
    shares = running[after] - running[first]
    own = np.clip(shares, 0, 1) * (1 - np.clip(shares, 0, 1))
    return shares, np.sqrt(noise / tally.n if people else (noise + own) / (tally.n - 1))


def mean_variance(mechanism: Hierarchy | ItemOracle) -> float:
    """Variance of one person's score for a range, a mean over all ranges and over people who are spread evenly.

    With R the mean of w wᵀ over the ranges w, it is the same of the columns of a root of R.
    """
    k, at = mechanism.k, np.arange(mechanism.k)
    both = np.minimum.outer(at + 1, at + 1) * np.minimum.outer(k - at, k - at) / (k * (k + 1) / 2)  # ranges with both
    return float(mechanism.linear_variance(np.linalg.cholesky(both).T).mean(-1).sum())


def rising(estimate: ArrayLike) -> Floats:
    """Make shares of an estimate: the nearest running sums that rise from 0 to 1.  For pictures, not for intervals.

    Parameters
    ----------
    estimate : array_like of float (…, k)

    Returns
    -------
    ndarray (…, k)
    """
    from scipy.optimize import isotonic_regression

    x = check_numbers(estimate, "estimate")
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"estimate must have at least one entry along its last axis, got shape {x.shape}")
    running = np.ones(x.shape)  # bounds come after the fit: before it, the sums would no longer be the nearest
    if x.shape[-1] > 1:
        running[..., :-1] = np.apply_along_axis(lambda one: isotonic_regression(one).x, -1, x.cumsum(-1)[..., :-1])
    return np.diff(np.clip(running, 0, 1), prepend=0)


# ------------------------------------------------------------------------------------ shapes from tallies of one number


@dataclass(frozen=True, eq=False)
class Density:
    """Shares of points in [−1, 1], and what is known of how good they are.

    Attributes
    ----------
    shares : ndarray (points,)
        Of the points −1, …, 1 that numbers are rounded to, at random.
    gap : float
        The mean log-likelihood of a report, in nats, is at most this much below the largest of the smooth shapes.
    lack : float
        Twice what the log-likelihood of all reports lacks to that of the likeliest shares of any shape.  Far above
        what tallies of smooth populations have, it refutes the smoothing: simulate some from `shares` to compare.
    """

    shares: Floats
    gap: float
    lack: float


def density(tally: Tally, smooth: float = 1 / 16) -> Density:
    """Find the likeliest smooth shape behind the tally of a mechanism for one number, by certified maximum likelihood.

    Smooth shapes are mixtures of triangles of one width.  No intervals follow from them: `Hierarchy` has those.

    Source: Li, Wang, Lopuhaä-Zwakenberg, Škorić and Li 2020 (likelihood, with smoothing inside the iteration).

    Parameters
    ----------
    tally : Tally
        Of `Piecewise`, `Laplace` or another `NumberMechanism` with more than two cells: two tell the mean alone.
    smooth : float in [0, 1]
        Half the width of a triangle, as a part of the range; with 0, each point is a shape of its own.

    Raises
    ------
    ValueError
        If the tally is not one of these, or of several surveys.

    Examples
    --------
    >>> from ldpnb import Piecewise
    >>> mean, rng = Piecewise(epsilon=2.0), np.random.default_rng(0)
    >>> found = density(mean.tally(mean.perturb(rng.beta(2, 2, 50_000) * 2 - 1, rng=rng)))
    >>> found.shares.shape, bool(found.gap <= 1e-9), round(float(found.shares[:32].sum()), 1)
    ((65,), True, 0.5)
    """
    mechanism: Any = check_tally(tally, NumberMechanism, "a mechanism for one number", alone=True).mechanism
    if len(mechanism.scores) < 3:
        raise ValueError(f"tally must have more than two cells: those of {mechanism} tell the mean alone")
    smooth, likelihood = check_probability(smooth, "smooth"), mechanism.channel.T
    at = np.arange(likelihood.shape[1])
    shapes = np.maximum(max(1.0, smooth * len(at)) - np.abs(np.subtract.outer(at, at)), 0)
    shapes /= shapes.sum(0)
    fit, best = (maximum_likelihood(one, tally.counts) for one in (likelihood @ shapes, likelihood))
    shares, seen = shapes @ fit.shares, tally.counts > 0
    lack = 2 * tally.counts[seen] @ np.log((likelihood @ best.shares)[seen] / (likelihood @ shares)[seen])
    return Density(shares, float(fit.gap), float(lack))


def square_wave(k: int, epsilon: float) -> Piecewise:
    """Return the square wave mechanism over k cells: `Piecewise` with the width that maximises a bound on information.

    Cell i stands for the number 2i/(k − 1) − 1.

    Source: Li, Wang, Lopuhaä-Zwakenberg, Škorić and Li 2020, on a grid.

    Parameters
    ----------
    k : int in [2, 1025]
    epsilon : float
    """
    steps, e = check_count(k, 2, "k", STEPS_MAX + 1) - 1, exp(check_epsilon(epsilon))
    width = max(1, round(steps * (epsilon * e - e + 1) / (e * (e - 1 - epsilon))))
    return Piecewise(epsilon=epsilon, steps=steps, width=width)
