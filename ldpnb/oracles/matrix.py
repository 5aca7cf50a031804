"""A client from a given channel: probabilities with a row per value and a column per report."""

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
from ldpnb.checks import (
    Limit,
    check_codes,
    check_count,
    check_epsilon,
    check_histogram,
    check_numbers,
    in_full,
)
from ldpnb.core import Example, Floats, Ints, Layout, Mechanism, Reports, Tally, Values

MOVED = 1e-5  # how far `within` may move an entry
SLACK = 1e-6  # how far a row's sum may be from 1, or an entry below 0, before `within` refuses it


def _check_channel(values: Any, name: str) -> tuple[tuple[float, ...], ...]:
    rows = distributions(values, name)
    sent_by_some = np.any(rows > 0, axis=0)
    not_by_all = np.any(rows == 0, axis=0)
    half = np.flatnonzero(sent_by_some & not_by_all)
    if half.size:
        some = f"some cannot send report {half[0]} and others can"
        raise ValueError(f"{name} must not tell values apart for certain, but {some}")
    return tuple(map(tuple, rows.tolist()))


@dataclass(frozen=True, kw_only=True)
class MatrixMechanism(Mechanism):
    r"""Report y with probability Q[x, y], for any matrix Q.

    It may be a channel found by optimisation, or read off a law.  ε follows from the matrix:
    :math:`\ln \max_y \max_x Q_{xy} / \min_x Q_{xy}`.  The law of a row is the row over its exact
    sum, so that a row whose floats sum to 1 but for rounding is no problem.

    The server adds a score per report: the estimate is :math:`\sum_y C_y s_y / n`, whatever the
    scores are.  Its target is what they come to on average, :math:`\sum_y Q_{xy} s_y`: the share
    of each item, if Q times scores is the identity; where no scores are given, the share of each
    report.

    Source: a channel as a matrix, Kairouz, Oh and Viswanath 2016; ye2018 §4.3.

    Values are codes, int (n,).  Reports are codes, int64 (n,).  Tallies are the counts of the
    reports, (m,).

    Parameters
    ----------
    channel : array_like of float (k, m)
        Not negative; each row sums to 1 within 1e-9; an entry is zero only if its whole column is,
        and such a report is never sent.  `within` makes a channel of a stated ε from one that is
        right to some digits only.
    scores : array_like of float (m, t), optional
        What each report is worth; by default the identity.

    Examples
    --------
    >>> warner = MatrixMechanism(channel=[[0.75, 0.25], [0.25, 0.75]])
    >>> people = np.repeat([0, 1], [7000, 3000])
    >>> reports = warner.perturb(people, rng=np.random.default_rng(0))
    >>> warner.estimate(warner.tally(reports)).round(2), round(warner.epsilon, 4)
    (array([0.6, 0.4]), 1.0986)
    """

    # given as anything that numpy takes; tuples of tuples of floats from then on
    channel: Any
    scores: Any = None
    label = "matrix"
    takes = "item"
    limits: ClassVar[Mapping[str, Limit]] = {"channel": _check_channel}

    def __post_init__(self) -> None:
        super().__post_init__()
        m = len(self.channel[0])
        scores = np.eye(m)
        if self.scores is not None:
            scores = check_grid(self.scores, "scores", 2)
        if len(scores) != m:
            raise ValueError(f"scores must have one row a report, {m}, got {len(scores)}")
        object.__setattr__(self, "scores", tuple(map(tuple, scores.tolist())))

    @property
    def k(self) -> int:
        """Number of values."""
        return len(self.channel)

    @cached_property
    def _rows(self) -> Floats:
        """Q, (k, m)."""
        return np.array(self.channel)

    @cached_property
    def _scores(self) -> Floats:
        """The scores s, (m, t)."""
        return np.array(self.scores)

    @cached_property
    def _sent(self) -> Ints:
        """The reports that are sent."""
        return np.flatnonzero(np.max(self._rows, 0))

    @cached_property
    def _ratio(self) -> Fraction:
        return ratio(self._rows) or Fraction(1)

    @property
    def epsilon(self) -> float:
        """Logarithm of the largest ratio within a column, rounded up; 0 if all rows are one."""
        if self._ratio > 1:
            return log_up(self._ratio)
        return 0.0

    @property
    def realised_epsilon(self) -> float:
        """The same, to the nearest float."""
        return log(self._ratio)

    @property
    def report_bits(self) -> int:
        """⌈log₂ of the number of reports that can be sent⌉."""
        return (len(self._sent) - 1).bit_length()

    @property
    def layout(self) -> Layout:
        """A kind of report."""
        return {"": (np.int64, len(self.scores))}

    def _values(self, values: Values) -> Ints:
        return check_codes(values, self.k)

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        reports = np.empty(len(values), np.int64)
        for x in np.unique(values):
            those = values == x
            reports[those] = weighted(self._weights[x], (int(those.sum()),), rng)
        return reports

    @cached_property
    def _weights(self) -> list[tuple[int, ...]]:
        """Each row as integers in the same proportions."""
        return [tuple(integers(row)) for row in self.channel]

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Ints:
        codes = super()._reports(reports)
        never = codes[np.max(self._rows, 0)[codes] == 0]
        if never.size:
            raise ValueError(f"reports must be of a kind that is sent, got {never[0]}")
        return codes

    def _count(self, reports: Ints) -> Ints:
        """Count the reports of each kind, (m,)."""
        return np.bincount(reports, minlength=len(self.scores))

    def _score(self, tally: Tally) -> Floats:
        """Return the mean score of a report, Σ_y C_y s_y / n: (…, t)."""
        return np.asarray(tally.counts @ self._scores / tally.n)

    def _squares(self, tally: Tally) -> Floats:
        return np.asarray(tally.counts @ self._scores**2 / tally.n)

    def _contrast_squares(self, tally: Tally, weights: Floats) -> Floats:
        return np.asarray(tally.counts @ np.square(self._scores @ weights) / tally.n)

    def _worst(self) -> Ints:
        """Return all reports that are sent."""
        return self._sent

    # ------------------------------------------------------------------- variance and simulation

    @cached_property
    def _means(self) -> Floats:
        """Σ_y Q[x, y] s_y, (k, t)."""
        return np.asarray(self._rows @ self._scores / self._rows.sum(1, keepdims=True))

    def expected(self, values: Values) -> Floats:
        """Average score of a person's report, Σ_y Q[x, y] s_y: (n, t)."""
        return np.asarray(self._means[self._values(values)])

    def variance(self, values: Values) -> Floats:
        """Variance of a person's score, Σ_y Q[x, y] (s_y − target)²: (n, t)."""
        spread = np.square(self._scores[None] - self._means[:, None])  # (k, m, t)
        squares = np.einsum("xy,xyt->xt", self._rows, spread)
        variance = squares / self._rows.sum(1, keepdims=True)
        return np.asarray(variance[self._values(values)])

    def simulate(self, counts: ArrayLike, *, trials: int, rng: Randomness) -> Tally:
        """Draw tallies of a population with this histogram, exact in their joint law: (trials, m).

        In O(k m) each: of the people with a value, those who send the first report are drawn, then
        of the others those who send the second, and so on.
        """
        histogram = check_histogram(counts, self.k)
        trials = check_count(trials, 1, "trials")
        found = np.zeros((trials, len(self.scores)), np.int64)
        for x in np.flatnonzero(histogram):
            left = np.full(trials, histogram[x])
            rest = float(self._rows[x].sum())
            for y, q in enumerate(self.channel[x]):
                if q:
                    part = 1.0
                    if q < rest:
                        part = min(1.0, q / rest)
                    some = binomial(left, part, left.shape, rng)
                    found[:, y] += some
                    left = left - some
                rest = float(self._rows[x, y + 1 :].sum())
        return Tally(self, int(histogram.sum()), found)

    @classmethod
    def example(cls) -> list[Example]:
        """Shares of reports, other scores, and thirds, with a report that is never sent."""
        uneven = [[0.5, 0.3, 0.2], [0.25, 0.35, 0.4], [0.4, 0.4, 0.2], [0.3, 0.5, 0.2]]
        thirds = [[1 / 3, 2 / 3, 0.0], [0.1, 0.9, 0.0]]
        made = [
            cls(channel=uneven),
            cls(channel=uneven, scores=[[-1.0], [0.5], [2.0]]),
            cls(channel=thirds),
        ]
        return [Example(one, np.arange(one.k), histogram=True) for one in made]


def ratio(channel: ArrayLike) -> Fraction | None:
    """Largest ratio of two entries of a column, rows being taken over their exact sums.

    None where one of them is 0.

    Parameters
    ----------
    channel : array_like of float (k, m)
        Not negative, no row without a positive entry.
    """
    rows = [integers(row) for row in check_grid(channel, "channel", 2).tolist()]
    every = lcm(*map(sum, rows))
    shares = []  # each row in the same units
    for row in rows:
        part = every // sum(row)
        shares.append([x * part for x in row])
    largest = Fraction(0)
    for column in zip(*shares, strict=True):
        least = min(column)
        most = max(column)
        if most and not least:
            return None
        if most:
            largest = max(largest, Fraction(most, least))
    return largest


def integers(row: Sequence[float]) -> list[int]:
    """Return integers in the proportions of floats, which are fractions over powers of two."""
    parts = [x.as_integer_ratio() for x in row]
    common = max(denominator for _, denominator in parts)
    return [x * (common // denominator) for x, denominator in parts]


def within(channel: ArrayLike, epsilon: float) -> Floats:
    """Return a channel next to the given one whose exact ε is at most `epsilon`.

    What a solver returns is inexact.  Entries below the largest one of their column over e^ε are
    raised to it, rows are divided by their sums, and as little as needed of the average row is
    mixed into all of them (by powers of two, from 2**-53 on).

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
        If the matrix is farther from a channel than that, or from one of this ε: if an entry would
        move by over 1e-5.
    """
    rows = check_grid(channel, "channel", 2)
    allowed = odds(check_epsilon(epsilon))
    if rows.min() < -SLACK or np.abs(rows.sum(1) - 1).max() > SLACK:
        sums = [in_full(x) for x in (rows.sum(1).min(), rows.sum(1).max())]
        raise ValueError(
            f"channel must be non-negative with rows of sum 1, up to {SLACK:g}, "
            f"got an entry of {rows.min():.3g} and sums from {sums[0]} to {sums[1]}"
        )
    near = np.maximum(np.maximum(rows, 0), rows.max(0) * float(1 / allowed))
    near /= near.sum(1, keepdims=True)
    parts = [0.0] + [2.0**-i for i in range(53, 0, -1)]
    for part in parts:
        mixed = (1 - part) * near + part * near.mean(0)
        if np.abs(mixed - rows).max() > MOVED:
            break
        found = ratio(mixed)
        if found is not None and found <= allowed:
            return np.asarray(mixed)
    rule = f"channel must have an ε of about epsilon = {epsilon} or less"
    raise ValueError(f"{rule}, got one that is not near that")


fractions: Callable[[Any], Any] = np.frompyfunc(Fraction, 1, 1)  # of an array of floats, exactly


def check_grid(values: ArrayLike, name: str, ndim: int) -> Floats:
    """Return a float64 array of finite numbers, of `ndim` axes and not empty."""
    array = check_numbers(values, name)
    if array.ndim != ndim or 0 in array.shape:
        rule = f"{name} must be numbers with {ndim} axes, not empty"
        raise ValueError(f"{rule}, got shape {array.shape}")
    return array


def distributions(values: ArrayLike, name: str) -> Floats:
    """Return a matrix whose rows are distributions: not negative, with sum 1 within 1e-9."""
    rows = check_grid(values, name, 2)
    if np.any(rows < 0):
        raise ValueError(f"{name} must not be negative, got {rows.min()}")
    sums = rows.sum(1)
    off = np.abs(sums - 1)
    if np.any(off > 1e-9):
        raise ValueError(f"{name} must have rows of sum 1, got a sum of {sums[off.argmax()]}")
    return rows
