r"""The whole distribution of a number: shares of ranges, quantiles and shapes.

The public range of the number is cut into k cells, x is a person's cell, and a range is a run of
cells.  `Hierarchy` asks each person about blocks of one public width.  Its estimates are linear, so
that the shares of all ranges are unbiased, with exact variances for any population; `share` and
`quantiles` make intervals of them, for every oracle that knows the variance of sums.  `density`
finds the likeliest smooth shape behind the tally of a mechanism for means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp
from typing import ClassVar, NamedTuple, Protocol, Self, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

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
    decimals,
    shown,
)
from ldpnb.core import (
    Example,
    Floats,
    Ints,
    Layout,
    Mechanism,
    Reports,
    Tally,
    Values,
    blocks,
    check_tally,
)
from ldpnb.numbers.one_number import STEPS_MAX, NumberMechanism, Piecewise
from ldpnb.oracles.asking import Asking, no_counts, told_in, total
from ldpnb.oracles.base import ItemOracle, check_weights, one_hot
from ldpnb.oracles.designs import BlockDesign
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.postprocess import maximum_likelihood, normal_quantile

FEW = 4  # blocks: a level with fewer would add hardly anything to what is known
ENTRIES = 2**22  # of a matrix in memory at a time
LINES = 40  # of print


def _positive(numbers: Sequence[int], name: str) -> tuple[int, ...]:
    if not isinstance(numbers, tuple | list):
        raise ValueError(f"{name} must be a tuple of integers, got {shown(numbers)}")
    return tuple(check_count(one, 1, name, SIZE_MAX) for one in numbers)


@dataclass(frozen=True, kw_only=True)
class Hierarchy(Asking):
    r"""The block of cells that a person's cell is in, through a frequency oracle with all of ε.

    The width of the block is public.  Level i has blocks of :math:`s_i` cells, and a person is
    asked at it with probability :math:`\pi_i`.  The estimate is that of least squares.  Let
    :math:`P_\ell w` be the means of w over blocks of level ℓ − 1 less those over blocks of level ℓ
    (of all cells, after the last level), :math:`u_i` half the variance of the difference of two
    blocks, and T the sum over levels of the scores of their blocks over :math:`u_i`, each written
    to all cells of the block, a mean over all people.  Then

    .. math:: \hat f = \frac1k + \sum_\ell \frac{P_\ell T}{D_\ell},
       \qquad D_\ell = \sum_{i<\ell} \frac{\pi_i s_i}{u_i},

    is unbiased, whatever u is, and sums to 1.  The variance of a range grows like the square of
    the logarithm of its length, where that of a sum of single cells grows like the length.

    It divides by the number of people expected at a level, not by that of those who drew it
    (`ldpnb.asked`).  What a person adds is a sum of contrasts, whose mean over evenly spread people
    is 0, so that nothing would be gained for them, and little for others: in the mean over all
    ranges 1 % at ε = 1, and 7 % at ε = 4, for 64 cells whose shares fall by a tenth from each to
    the next.

    Source: levels shared among people, Cormode, Kulkarni and Srivastava 2019; consistency, Hay et
    al. 2010.

    Values are cells, below k, (n,).  Reports have the field ``level`` (public) and those of the
    oracles' reports, or ``report`` where these have none, (n,).  Tallies count for each level its
    reports, and then what its oracle counts.

    Parameters
    ----------
    oracles : tuple of ItemOracle
        One for each level, the finest first, all of one ε and with reports of one type; the k of
        each is a multiple of the next one's, and that of the first the number of cells.
    weights : tuple of int
        Odds of the levels.

    Examples
    --------
    >>> survey = Hierarchy.of(64, 1.0)
    >>> survey.widths, survey.weights
    ((1, 2, 4, 8, 16), (3, 1, 1, 1, 1))
    >>> rng = np.random.default_rng(0)
    >>> reports = survey.perturb(rng.binomial(63, 0.5, 50_000), rng=rng)
    >>> tally = survey.tally(reports)
    >>> round(float(share(tally, 0, 32).estimate), 1)
    0.5
    >>> median = quantiles(tally, 0.5)
    >>> median.low <= 31 <= median.high
    np.True_
    """

    oracles: tuple[ItemOracle, ...]
    weights: tuple[int, ...]
    label = "hierarchy"
    takes = "item"
    shares = True
    question = "level"
    limits: ClassVar[Mapping[str, Limit]] = {"weights": _positive}
    of_epsilon = "lambda e: replace(m, oracles=tuple(replace(one, epsilon=e) for one in m.oracles))"

    def __post_init__(self) -> None:
        super().__post_init__()
        oracles: tuple[ItemOracle, ...] = ()
        if isinstance(self.oracles, tuple | list):
            oracles = tuple(self.oracles)
        for one in oracles:
            if not isinstance(one, ItemOracle) or not one.shares or one.server_cost != "report":
                rule = "oracles must be pure protocols with unbiased shares that count reports"
                raise ValueError(f"{rule}, got {shown(one)}")
        if not oracles or any(a.k % b.k or a.k == b.k for a, b in pairwise(oracles)):
            rule = "oracles must be a tuple of which each k divides the one before"
            raise ValueError(f"{rule}, got {shown(self.oracles, most=200)}")
        if any(_said(a) != _said(b) for a, b in pairwise(oracles)):
            rule = "oracles must be of one ε, with reports of the same fields and axes"
            raise ValueError(f"{rule}, got {oracles}")
        if len(self.weights) != len(oracles):
            rule = f"weights must be one for each level, {len(oracles)}"
            raise ValueError(f"{rule}, got {len(self.weights)}")
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
            Of the blocks, 1 first, each dividing the next and k.  Without, prime factors of k are
            taken in from the least on while there are more than four blocks.
        weights : sequence of int, optional
            Odds of the levels; without, 3 for single cells and 1 for each other level.  Of powers
            of two, at ε up to 2, the mean variance over all ranges is then within 2 % of the least.
        """
        k = check_count(k, 2, "k")
        wide = _positive(widths, "widths") or _widths(k)
        if wide[0] != 1 or any(b % a or a == b for a, b in pairwise((*wide, k))):
            rule = f"widths must be 1, then each a multiple of the one before, below k = {k}"
            raise ValueError(f"{rule}, got {wide}")
        oracles = tuple((make or _better)(k=k // s, epsilon=epsilon) for s in wide)
        if not isinstance(weights, Iterable):
            rule = "weights must be a sequence of integers, one for each level"
            raise ValueError(f"{rule}, got {shown(weights)}")
        default = (3, *[1] * (len(wide) - 1))
        return cls(oracles=oracles, weights=tuple(weights) or default)

    # -------------------------------------------------------------------------- levels and blocks

    @property
    def oracle(self) -> ItemOracle:  # type: ignore[override]  # follows from `oracles`
        """That of single cells."""
        return self.oracles[0]

    @property
    def questions(self) -> int:
        """Number of levels."""
        return len(self.oracles)

    @property
    def k(self) -> int:
        """Number of cells."""
        return self.oracle.k

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Number of cells of a block of each level, s."""
        return tuple(self.k // one.k for one in self.oracles)

    @cached_property
    def odds(self) -> Floats:
        """Probability of each level, π."""
        return np.array(self.weights) / sum(self.weights)

    @cached_property
    def noise(self) -> Floats:
        """Half the variance of the difference of two blocks of each level, u.

        People are spread evenly.
        """
        variances = []
        for one in self.oracles:
            first_less_second = np.eye(1, one.k) - np.eye(1, one.k, 1)
            variances.append(one.linear_variance(first_less_second).mean())
        return np.asarray(np.array(variances) / 2 + np.array(self.widths) / self.k)

    @cached_property
    def known(self) -> Floats:
        """What reports tell about the contrasts of each kind: D."""
        return np.asarray(np.cumsum(self.odds * self.widths / self.noise))

    def contrasts(self, w: Floats) -> list[Floats]:
        """Return P_1 w, …: weights of cells, less their mean, as a sum of contrasts.

        Each is the means over blocks less those over the next wider ones.
        """
        means = [w]
        for s in (*self.widths[1:], self.k):
            blockwise = w.reshape(*w.shape[:-1], -1, s).mean(-1)
            means.append(np.asarray(blockwise).repeat(s, -1))
        return [narrow - wide for narrow, wide in pairwise(means)]

    # ----------------------------------------------------------------------- privacy and reports

    @property
    def realised_epsilon(self) -> float:
        """The largest of a level."""
        return max(one.realised_epsilon for one in self.oracles)

    @property
    def report_bits(self) -> int:
        """Most bits of a level."""
        return max(one.report_bits for one in self.oracles)

    @property
    def layout(self) -> Layout:
        """A public level, and what the reports of any oracle hold."""
        found = dict(super().layout)
        for name in self.oracle.layout:
            kind, _, *axes = self.oracle.layout[name]
            most = max(one.layout[name][1] for one in self.oracles)
            found[name or "report"] = (kind, most, *axes)
        return found

    # -------------------------------------------------------------------------------- the client

    def _values(self, values: Values) -> Ints:
        inner = f"the {self.k - 1} inner edges of {self.k} cells"
        cure = f"; np.digitize(numbers, edges), with {inner}, makes cells of numbers"
        return check_codes(values, self.k, cure=cure)

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        levels = weighted(self.weights, values.shape, rng)
        reports = np.empty(len(values), self.dtype)
        for i in np.unique(levels):
            here = levels == i
            own_blocks = values[here] // self.widths[i]
            reports[here] = self._asked(i, self.oracles[i].perturb(own_blocks, rng=rng))
        return reports

    # -------------------------------------------------------------------------------- the server

    def _count(self, reports: Reports) -> Ints:
        """Count for each level its reports, and what its oracle counts of them, flat."""
        counts = []
        for i, one in enumerate(self.oracles):
            part = told_in(reports[reports["level"] == i], one)
            counts.append(np.append(len(part), one.tally(part).counts))
        return np.concatenate(counts)

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each cell, 1/k + Σ P T/D: (…, k)."""
        ends = np.cumsum([1 + no_counts(one).size for one in self.oracles])
        parts = np.split(tally.counts, ends[:-1], -1)
        told = np.zeros((*tally.counts.shape[:-1], self.k))  # T
        for one, counts, s, u in zip(self.oracles, parts, self.widths, self.noise, strict=True):
            scores = total(one, one._score, counts) / (tally.n * u)
            told += np.repeat(scores, s, -1)
        return np.asarray(1 / self.k + sum(self._over_known(told)))

    def _over_known(self, w: Floats) -> list[Floats]:
        """Return P_1 w / D_1, …."""
        return [part / d for part, d in zip(self.contrasts(w), self.known, strict=True)]

    def _squares(self, tally: Tally) -> Floats:
        """Weigh the mean squares of each person's scores with the estimate: right on average."""
        found = self._score(tally)
        squares = [found @ (self.linear_variance(one) + one).T for one in self._alone()]
        return np.concatenate(squares, -1)

    def _alone(self) -> Iterator[Floats]:
        """Weights of one for each cell alone, some cells at a time."""
        at = np.arange(self.k)
        for some in blocks(self.k, max(1, ENTRIES // self.k)):
            yield np.equal.outer(at[some], at) * 1.0

    def _worst(self) -> Reports:
        """Return all reports of all levels: what each adds depends on its public part, too."""
        found = []
        for i, one in enumerate(self.oracles):
            every = np.indices([values for _, values in one.layout.values()])
            told = one._nothing(every[0].size)
            for name, part in zip(one.layout, every, strict=True):
                told[name or ...] = part.ravel()
            found.append(self._asked(i, told))
        return np.concatenate(found)

    # ------------------------------------------------------- target, variance, simulation, examples

    def expected(self, values: Values) -> Floats:
        """One for the person's cell, zero for the others: (n, k)."""
        return one_hot(self._values(values), self.k)

    def variance(self, values: Values) -> Floats:
        """Variance of the scores of single cells: (n, k).  See `linear_variance`."""
        people = self._values(values)
        return np.concatenate([self.linear_variance(one)[:, people] for one in self._alone()]).T

    def linear_variance(self, weights: ArrayLike) -> Floats:
        r"""Variance of a weighted sum of one person's scores, for each cell the person may be in.

        With :math:`g_i = (\pi_i s_i/u_i) \sum_{\ell>i} P_\ell w/D_\ell`, a weight for each block of
        level i, and V the variance of such a sum with the oracle of the level, it is
        :math:`\sum_i [V_i(x; g_i) + g_i(x)^2]/\pi_i - (w_x - \bar w)^2`.

        Parameters
        ----------
        weights : array_like of float (…, k)
            A weight for each cell, for a range ones; leading axes run over sums.

        Returns
        -------
        ndarray of float64 (…, k)
        """
        w = check_weights(weights, self.k)
        parts = self._over_known(w)
        found = -np.square(w - w.mean(-1, keepdims=True))
        for i, one in enumerate(self.oracles):
            s = self.widths[i]
            odds = self.odds[i]
            g = (odds * s / self.noise[i]) * sum(part[..., ::s] for part in parts[i:])
            found += np.repeat(one.linear_variance(g) + np.square(g), s, -1) / odds
        return np.asarray(found)

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population with this histogram, exact in their joint law: (trials, …).

        Parameters
        ----------
        counts : array_like of int (k,)
            How many people are in each cell.
        trials : int
        rng : numpy.random.Generator or Paths
        """
        histogram = check_histogram(counts, self.k)
        trials = check_count(trials, 1, "trials")
        left = np.repeat(histogram[None], trials, 0)  # people who have not drawn their level yet
        rest = 1.0
        found = []
        for one, s, odds in zip(self.oracles, self.widths, self.odds, strict=True):
            here = left
            if one is not self.oracles[-1]:
                here = binomial(left, odds / rest, left.shape, rng)
            left = left - here
            rest = rest - odds
            at = here.reshape(trials, -1, s).sum(-1)
            own = np.tile(no_counts(one).reshape(-1), (trials, 1))
            for trial in np.flatnonzero(at.any(-1)):
                # every oracle that counts reports can
                drawn = one.simulate(at[trial], trials=1, rng=rng)  # type: ignore[attr-defined]
                own[trial] = drawn.counts.reshape(-1)
            found.append(np.concatenate([at.sum(-1, keepdims=True), own], -1))
        return Tally(self, int(histogram.sum()), np.concatenate(found, -1))

    def _example(self) -> Example:
        return Example(self, np.arange(self.k), histogram=True, pairs=self.k < 5)

    @classmethod
    def example(cls) -> list[Example]:
        """Levels of all kinds.

        They are two with a block design, two with a public row, of three widths, and one alone.
        """
        made = [
            cls.of(4, 1.0, GRR, widths=(1, 2), weights=(2, 1)),
            cls.of(4, 0.5, HadamardBit, widths=(1, 2)),
            cls.of(6, 1.0, widths=(1, 3), weights=(3, 2)),
            cls.of(3, 2.0),
        ]
        return [one._example() for one in made]


def _said(oracle: ItemOracle) -> object:
    """Return what oracles of all levels must have in common: ε, and types and axes of reports."""
    fields = []
    for name, (kind, _, *axes) in oracle.layout.items():
        fields.append((name, kind, axes))
    return oracle.epsilon, fields


def _widths(k: int) -> tuple[int, ...]:
    """Take in prime factors from the least on while more than four blocks are left."""
    widths = [1]
    p = 2
    while k // widths[-1] > FEW and p * p <= k:
        left = k // widths[-1]
        if left % p == 0 and left > p:
            widths.append(widths[-1] * p)
        else:
            p += 1
    return tuple(widths)


def _better(k: int, epsilon: float) -> ItemOracle:
    oracles: list[ItemOracle] = [GRR(k=k, epsilon=epsilon), BlockDesign(k=k, epsilon=epsilon)]
    return min(oracles, key=lambda one: one.rare_variance)


# ------------------------------------------------------------------- intervals of what is asked


@runtime_checkable
class Summable(Protocol):
    """A mechanism that knows the variance of sums over cells, whichever family it is of.

    `isinstance` tells; nothing inherits it.
    """

    @property
    def k(self) -> int:
        """Number of cells."""

    def estimate(self, tally: Tally) -> Floats:
        """Estimate the share of each cell, (…, k)."""

    def linear_variance(self, weights: ArrayLike) -> Floats:
        """Variance of a weighted sum of one person's scores, for each cell: (…, k)."""


class Share(NamedTuple):
    """Shares of ranges, with the ends of their intervals; ``print`` has a line for each.

    Examples
    --------
    >>> Share(np.array([0.5, 0.25]), np.array([0.48, 0.23]), np.array([0.52, 0.27]))
    share 50.0 %, interval from 48.0 to 52.0 %
    share 25.0 %, interval from 23.0 to 27.0 %
    """

    estimate: Floats
    low: Floats
    high: Floats

    def __repr__(self) -> str:
        lines = []
        for share, low, high in zip(*map(np.ravel, self), strict=True):
            digits = decimals(100 * (high - low) / 2)
            ends = f"{100 * low:.{digits}f} to {100 * high:.{digits}f} %"
            lines.append(f"share {100 * share:.{digits}f} %, interval from {ends}")
        return _first_lines(lines, "no shares")


class Quantiles(NamedTuple):
    """Cells of quantiles, first and last cell of their intervals; ``print`` has a line for each.

    Examples
    --------
    >>> Quantiles(np.array(31), np.array(30), np.array(32))
    cell 31, interval from 30 to 32
    """

    cells: Ints
    low: Ints
    high: Ints

    def __repr__(self) -> str:
        lines = []
        for cell, low, high in zip(*map(np.ravel, self), strict=True):
            lines.append(f"cell {cell}, interval from {low} to {high}")
        return _first_lines(lines, "no quantiles")


def _first_lines(lines: Sequence[str], none: str) -> str:
    """Return the first lines of print, and how many more there are."""
    if not lines:
        return none
    shown_lines = list(lines[:LINES])
    if len(lines) > LINES:
        shown_lines.append(f"… and {len(lines) - LINES} more")
    return "\n".join(shown_lines)


def share(
    tally: Tally,
    start: ArrayLike,
    end: ArrayLike,
    level: float = 0.95,
    *,
    people: bool = False,
) -> Share:
    """Estimate the shares of ranges of cells, without bias, with intervals.

    Parameters
    ----------
    tally : Tally
        Of at least two reports of a `Hierarchy`, or of another oracle that knows the variance of
        sums.
    start, end : array_like of int (…)
        The first cell of a range, and the one after its last.
    level : float in (0, 1)
        Probability of covering one share, approached as n grows.
    people : bool
        Whether the interval is about these people, and not about a population that they are a
        random sample of.

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
    first = check_codes(start, most, "start", np.ndim(start))
    after = check_codes(end, most, "end", np.ndim(end))
    first, after = np.broadcast_arrays(first, after)
    if np.any(first >= after):
        at = np.argmax(first >= after)
        got = f"{after.flat[at]} after {first.flat[at]}"
        raise ValueError(f"end must be after start, got {got}")
    found, error = _ranges(tally, first, after, people)
    half = normal_quantile(level) * error
    return Share(found, found - half, found + half)


def quantiles(
    tally: Tally,
    taus: ArrayLike,
    level: float = 0.95,
    *,
    people: bool = False,
) -> Quantiles:
    """Find the cells at which the running share reaches each τ, with intervals.

    A cell is in the interval unless a test refuses it: that τ is not reached before the cell, or
    that it is reached in it.  The quantile's cell passes both of these one-sided tests with at
    least the probability `level`, as n grows.

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
    k = _summable(tally).k
    wanted = check_numbers(taus, "taus")
    z = normal_quantile(level)
    if np.any((wanted <= 0) | (wanted >= 1)):
        raise ValueError(f"taus must be numbers in (0, 1), got {shown(taus)}")
    inner = np.arange(1, k)
    shares, errors = _ranges(tally, np.zeros_like(inner), inner, people)
    running = np.array([0, *shares, 1])  # the ends are known
    half = z * np.array([0, *errors, 0])
    cells = np.searchsorted(np.maximum.accumulate(running[1:]), wanted)
    tau = wanted[..., None]
    kept = (running[:-1] - half[:-1] <= tau) & (tau <= running[1:] + half[1:])
    kept |= np.equal.outer(cells, np.arange(k))
    first = kept.argmax(-1)
    last = k - 1 - kept[..., ::-1].argmax(-1)
    return Quantiles(cells, first, last)


def _summable(tally: Tally) -> Summable:
    """Return the mechanism of one survey that knows the variance of sums."""
    mechanism = check_tally(tally, Mechanism, "a mechanism", alone=True).mechanism
    if not isinstance(mechanism, Summable):
        found = type(mechanism).__name__
        rule = "tally must be of a Hierarchy, or of an oracle for items as GRR"
        raise ValueError(f"{rule}, got one of {found}")
    if tally.n < 2:
        raise ValueError(f"tally must hold at least two reports, got {tally.n}")
    return mechanism


def _ranges(tally: Tally, first: Ints, after: Ints, people: bool) -> tuple[Floats, Floats]:
    """Share and standard error of each range, (…).

    The variance of a score is linear in the histogram.  The estimate, shifted so that it sums to
    one, stands in for it; if it is noisy the result may be below what any histogram has, or above.
    """
    mechanism = _summable(tally)
    found = mechanism.estimate(tally)
    at = np.arange(mechanism.k)
    running = np.append(0, found.cumsum())
    found = found + (1 - running[-1]) / mechanism.k
    noise = np.empty(first.shape)
    for some in blocks(first.size, max(1, ENTRIES // mechanism.k)):
        within = (first.flat[some][:, None] <= at) & (at < after.flat[some][:, None])
        each = mechanism.linear_variance(within * 1.0)
        noise.flat[some] = np.clip(each @ found, each.min(-1), each.max(-1))
    shares = running[after] - running[first]
    if people:
        return shares, np.sqrt(noise / tally.n)
    possible = np.clip(shares, 0, 1)
    sampled = possible * (1 - possible)
    return shares, np.sqrt((noise + sampled) / (tally.n - 1))


def mean_variance(mechanism: Summable) -> float:
    """Variance of one person's score for a range: a mean over all ranges and all cells.

    People are spread evenly over the cells.  With R the mean of w wᵀ over the ranges w, it is the
    same as of the columns of a root of R.
    """
    k = mechanism.k
    at = np.arange(k)
    before = np.minimum.outer(at + 1, at + 1)
    after = np.minimum.outer(k - at, k - at)
    both = before * after / (k * (k + 1) / 2)  # share of the ranges that hold both cells
    return float(mechanism.linear_variance(np.linalg.cholesky(both).T).mean(-1).sum())


def rising(estimate: ArrayLike) -> Floats:
    """Make shares of an estimate: the nearest running sums that rise from 0 to 1.

    For pictures, not for intervals.

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
        rule = "estimate must have at least one entry along its last axis"
        raise ValueError(f"{rule}, got shape {x.shape}")
    running = np.ones(x.shape)
    if x.shape[-1] > 1:
        sums = x.cumsum(-1)[..., :-1]
        running[..., :-1] = np.apply_along_axis(lambda one: isotonic_regression(one).x, -1, sums)
    # bounds come after the fit: before it, the sums would no longer be the nearest
    return np.diff(np.clip(running, 0, 1), prepend=0)


# ---------------------------------------------------------- shapes from tallies of one number


@dataclass(frozen=True, eq=False)
class Density:
    """Shares of points in [−1, 1], and what is known of how good they are.

    Attributes
    ----------
    shares : ndarray (points,)
        Of the points −1, …, 1 that numbers are rounded to, at random.
    gap : float
        The mean log-likelihood of a report, in nats, is at most this much below the largest of the
        smooth shapes.
    lack : float
        Twice what the log-likelihood of all reports lacks to that of the likeliest shares of any
        shape.  Far above what tallies of smooth populations have, it refutes the smoothing:
        simulate some from `shares` to compare.
    """

    shares: Floats
    gap: float
    lack: float


def density(tally: Tally, smooth: float = 1 / 16) -> Density:
    """Find the likeliest smooth shape behind the tally of a mechanism for one number.

    It is certified maximum likelihood.  Smooth shapes are mixtures of triangles of one width.  No
    intervals follow from them: `Hierarchy` has those.

    Source: Li, Wang, Lopuhaä-Zwakenberg, Škorić and Li 2020 (likelihood, with smoothing inside the
    iteration).

    Parameters
    ----------
    tally : Tally
        Of `Piecewise`, `Laplace` or another `NumberMechanism` with more than two cells: two tell
        the mean alone.
    smooth : float in [0, 1]
        Half the width of a triangle, as a part of the range; with 0, each point is a shape of its
        own.

    Raises
    ------
    ValueError
        If the tally is not one of these, or of several surveys.

    Examples
    --------
    >>> from ldpnb import Piecewise
    >>> mean = Piecewise(epsilon=2.0)
    >>> rng = np.random.default_rng(0)
    >>> reports = mean.perturb(rng.beta(2, 2, 50_000) * 2 - 1, rng=rng)
    >>> found = density(mean.tally(reports))
    >>> found.shares.shape, bool(found.gap <= 1e-9), round(float(found.shares[:32].sum()), 1)
    ((65,), True, 0.5)
    """
    check_tally(tally, NumberMechanism, "a mechanism for one number", alone=True)
    mechanism = cast(NumberMechanism, tally.mechanism)
    if len(mechanism.scores) < 3:
        rule = "tally must have more than two cells"
        raise ValueError(f"{rule}: those of {mechanism} tell the mean alone")
    smooth = check_probability(smooth, "smooth")
    likelihood = mechanism.channel.T
    at = np.arange(likelihood.shape[1])
    distance = np.abs(np.subtract.outer(at, at))
    shapes = np.maximum(max(1.0, smooth * len(at)) - distance, 0)
    shapes /= shapes.sum(0)
    fit = maximum_likelihood(likelihood @ shapes, tally.counts)
    best = maximum_likelihood(likelihood, tally.counts)
    shares = shapes @ fit.shares
    seen = tally.counts > 0
    ratio = (likelihood @ best.shares)[seen] / (likelihood @ shares)[seen]
    lack = 2 * tally.counts[seen] @ np.log(ratio)
    return Density(shares, float(fit.gap), float(lack))


def square_wave(k: int, epsilon: float) -> Piecewise:
    """Return the square wave mechanism over k cells.

    It is `Piecewise` with the width that maximises a bound on information.  Cell i stands for the
    number 2i/(k − 1) − 1.

    Source: Li, Wang, Lopuhaä-Zwakenberg, Škorić and Li 2020, on a grid.

    Parameters
    ----------
    k : int in [2, 1025]
    epsilon : float
    """
    steps = check_count(k, 2, "k", STEPS_MAX + 1) - 1
    e = exp(check_epsilon(epsilon))
    width = max(1, round(steps * (epsilon * e - e + 1) / (e * (e - 1 - epsilon))))
    return Piecewise(epsilon=epsilon, steps=steps, width=width)
