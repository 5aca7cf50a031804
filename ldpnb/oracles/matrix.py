"""A client from a given channel: a matrix of probabilities, one row a value, one column a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness, binomial, log, log_up, odds, weighted
from ldpnb.checks import Limit, check_count, check_epsilon, check_histogram, check_numbers, in_full
from ldpnb.core import Example, Floats, Ints, Layout, Reports, Tally
from ldpnb.oracles.frequency import ItemOracle

MOVED = 1e-5  # how far `within` may move an entry
SLACK = 1e-6  # how far a row may be from sum 1, and an entry below 0, before `within` takes it for a mistake


def _check_channel(values: Any, name: str) -> tuple[tuple[float, ...], ...]:
    rows = distributions(values, name)
    half = np.flatnonzero((rows > 0).any(0) & (rows == 0).any(0))
    if half.size:
        some = f"some cannot send report {half[0]} and others can"
        raise ValueError(f"{name} must not tell values apart for certain, but {some}")
    return tuple(map(tuple, rows.tolist()))


@dataclass(frozen=True, kw_only=True)
class MatrixMechanism(ItemOracle):
    r"""Report y with probability Q[x, y], for any matrix Q: a channel found by optimisation, or read off a law.

    ε follows from the matrix: :math:`\ln \max_y \max_x Q_{xy} / \min_x Q_{xy}`.  The law of a row is the row over its
    exact sum, so that a row whose floats sum to 1 but for rounding is no problem.

    The server adds a score a report: the estimate is :math:`\sum_y C_y s_y / n`, whatever the scores are.  Its target
    is what they come to on average, :math:`\sum_y Q_{xy} s_y`: the share of each item, if Q times scores is the
    identity; where no scores are given, the share of each report.

    Source: a channel as a matrix, Kairouz, Oh and Viswanath 2016; ye2018 §4.3.

    Values are codes, int (n,).  Reports are codes, int64 (n,).  Tallies are the counts of the reports, (m,).

    Parameters
    ----------
    channel : array_like of float (k, m)
        Not negative; each row sums to 1 within 1e-9; an entry is zero only if its whole column is, and such a report
        is never sent.  `within` makes a channel of a stated ε from one that is right to some digits only.
    scores : array_like of float (m, t), optional
        What each report is worth; by default the identity.

    Examples
    --------
    >>> warner = MatrixMechanism(channel=[[0.75, 0.25], [0.25, 0.75]])
    >>> reports = warner.perturb(np.repeat([0, 1], [7000, 3000]), rng=np.random.default_rng(0))
    >>> warner.estimate(warner.tally(reports)).round(2), round(warner.epsilon, 4)
    (array([0.6, 0.4]), 1.0986)
    """

    channel: Any
    scores: Any = None
    shares = False  # what a score is worth is up to the caller
    label = "matrix"
    limits: ClassVar[Mapping[str, Limit]] = {"channel": _check_channel}

    def __post_init__(self) -> None:
        super().__post_init__()
        m = len(self.channel[0])
        scores = np.eye(m) if self.scores is None else check_grid(self.scores, "scores", 2)
        if len(scores) != m:
            raise ValueError(f"scores must have one row a report, {m}, got {len(scores)}")
        object.__setattr__(self, "scores", tuple(map(tuple, scores.tolist())))

    @cached_property
    def _rows(self) -> Floats:
        return np.array(self.channel)

    @cached_property
    def _scores(self) -> Floats:
        return np.array(self.scores)

    @cached_property
    def _weights(self) -> list[tuple[int, ...]]:
        return [tuple(integers(row)) for row in self.channel]

    @cached_property
    def _ratio(self) -> Fraction:
        return ratio(self._rows) or Fraction(1)

    @property
    def k(self) -> int:
        """Number of values."""
        return len(self.channel)

    @property
    def epsilon(self) -> float:
        """Logarithm of the largest ratio within a column, rounded up; 0 if all rows are one."""
        return log_up(self._ratio) if self._ratio > 1 else 0.0

    @property
    def realised_epsilon(self) -> float:
        """The same, to the nearest float."""
        return log(self._ratio)

    @property
    def report_bits(self) -> int:
        """⌈log₂ of the number of reports that can be sent⌉."""
        return (int((self._rows > 0).any(0).sum()) - 1).bit_length()

    @property
    def layout(self) -> Layout:
        """A kind of report."""
        return {"": (np.int64, len(self.scores))}

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports = np.empty(len(values), np.int64)
        for x in np.unique(values):
            those = values == x
            reports[those] = weighted(self._weights[x], (int(those.sum()),), rng)
        return reports

    def _reports(self, reports: Reports) -> Ints:
        codes = super()._reports(reports)
        never = codes[np.max(self._rows, 0)[codes] == 0]
        if never.size:
            raise ValueError(f"reports must be of a kind that is sent, got {never[0]}")
        return codes

    def _worst(self) -> Ints:
        """Return all reports that are sent."""
        return np.flatnonzero(np.max(self._rows, 0))

    def _score(self, tally: Tally) -> Floats:
        """Return the mean score of a report, (…, t)."""
        return np.asarray(tally.counts @ self._scores / tally.n)

    def _squares(self, tally: Tally) -> Floats:
        return np.asarray(tally.counts @ self._scores**2 / tally.n)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        return np.asarray(tally.counts @ np.square(self._scores @ weights) / tally.n)

    @cached_property
    def _means(self) -> Floats:
        return np.asarray(self._rows @ self._scores / self._rows.sum(1, keepdims=True))

    def expected(self, values: ArrayLike) -> Floats:
        """Average score of a person's report, Σ_y Q[x, y] s_y: (n, t)."""
        return np.asarray(self._means[self._values(values)])

    def variance(self, values: ArrayLike) -> Floats:
        """Variance of a person's score, Σ_y Q[x, y] (s_y − target)²: (n, t)."""
        spread = np.square(self._scores[None] - self._means[:, None])  # (k, m, t)
        variance = np.einsum("xy,xyt->xt", self._rows, spread) / self._rows.sum(1, keepdims=True)
        return np.asarray(variance[self._values(values)])

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Tallies of a population with this histogram, exact in their joint law, in O(k m) each: (trials, m)."""
        histogram, trials = check_histogram(counts, self.k), check_count(trials, 1, "trials")
        found = np.zeros((trials, len(self.scores)), np.int64)
        for x in np.flatnonzero(histogram):
            left, rest = np.full(trials, histogram[x]), float(self._rows[x].sum())
            for y, q in enumerate(self.channel[x]):
                some = binomial(left, min(1.0, q / rest) if q < rest else 1.0, left.shape, rng) if q else 0 * left
                found[:, y] += some
                left, rest = left - some, float(self._rows[x, y + 1 :].sum())
        return Tally(self, int(histogram.sum()), found)

    @classmethod
    def example(cls) -> list[Example]:
        """Shares of reports, other scores, and floats that do not sum to 1, with a report that is never sent."""
        uneven = [[0.5, 0.3, 0.2], [0.25, 0.35, 0.4], [0.4, 0.4, 0.2], [0.3, 0.5, 0.2]]
        thirds = [[1 / 3, 2 / 3, 0.0], [0.1, 0.9, 0.0]]
        made = cls(channel=uneven), cls(channel=uneven, scores=[[-1.0], [0.5], [2.0]]), cls(channel=thirds)
        return [Example(one, np.arange(one.k), histogram=True) for one in made]


def ratio(channel: ArrayLike) -> Fraction | None:
    """Largest ratio of two entries of a column, rows being taken over their exact sums; None where one of them is 0.

    Parameters
    ----------
    channel : array_like of float (k, m)
        Not negative, no row without a positive entry.
    """
    rows = [integers(row) for row in check_grid(channel, "channel", 2).tolist()]
    every = lcm(*map(sum, rows))
    parts = [every // sum(row) for row in rows]
    shares = ([x * part for x in row] for row, part in zip(rows, parts, strict=True))
    ends = [(min(column), max(column)) for column in zip(*shares, strict=True)]
    if any(least == 0 < most for least, most in ends):
        return None
    return max(Fraction(most, least) for least, most in ends if most)


def integers(row: Sequence[float]) -> list[int]:
    """Return integers in the proportions of floats, which are fractions whose denominators are powers of two."""
    parts = [x.as_integer_ratio() for x in row]
    common = max(denominator for _, denominator in parts)
    return [x * (common // denominator) for x, denominator in parts]


def within(channel: ArrayLike, epsilon: float) -> Floats:
    """Return a channel next to the given one whose exact ε is at most `epsilon`: what a solver returns is inexact.

    Entries below the largest one of their column over e^ε are raised to it, rows are divided by their sums, and as
    little as needed of the average row is mixed into all of them (by powers of two, from 2**-53 on).

    Parameters
    ----------
    channel : array_like of float (k, m)
        With entries not below −1e-6 and row sums within 1e-6 of 1.
    epsilon : float

    Returns
    -------
    ndarray (k, m)

    Raises
    ------
    ValueError
        If the matrix is farther from a channel than that, or from one of this ε: if an entry would move by over 1e-5.
    """
    rows, allowed = check_grid(channel, "channel", 2), odds(check_epsilon(epsilon))
    if rows.min() < -SLACK or np.abs(rows.sum(1) - 1).max() > SLACK:
        sums = [in_full(x) for x in (rows.sum(1).min(), rows.sum(1).max())]
        raise ValueError(
            f"channel must be non-negative with rows of sum 1, up to {SLACK:g}, got an entry of {rows.min():.3g} "
            f"and sums from {sums[0]} to {sums[1]}"
        )
    near = np.maximum(np.maximum(rows, 0), rows.max(0) * float(1 / allowed))
    near /= near.sum(1, keepdims=True)
    for part in (0.0, *(2.0**-i for i in range(53, 0, -1))):
        mixed = (1 - part) * near + part * near.mean(0)
        if np.abs(mixed - rows).max() > MOVED:
            break
        found = ratio(mixed)
        if found is not None and found <= allowed:
            return np.asarray(mixed)
    raise ValueError(f"channel must have an ε of about epsilon = {epsilon} or less, got one that is not near that")


fractions: Callable[[Any], Any] = np.frompyfunc(Fraction, 1, 1)  # of an array of floats, exactly


def check_grid(values: ArrayLike, name: str, ndim: int) -> Floats:
    """Return a float64 array of finite numbers, of `ndim` axes and not empty."""
    array = check_numbers(values, name)
    if array.ndim != ndim or 0 in array.shape:
        raise ValueError(f"{name} must be numbers with {ndim} axes, not empty, got shape {array.shape}")
    return array


def distributions(values: ArrayLike, name: str) -> Floats:
    """Return a matrix whose rows are distributions: not negative, with sum 1 within 1e-9."""
    rows = check_grid(values, name, 2)
    if np.any(rows < 0):
        raise ValueError(f"{name} must not be negative, got {rows.min()}")
    sums = rows.sum(1)
    if np.any(np.abs(sums - 1) > 1e-9):
        raise ValueError(f"{name} must have rows of sum 1, got a sum of {sums[np.abs(sums - 1).argmax()]}")
    return rows
