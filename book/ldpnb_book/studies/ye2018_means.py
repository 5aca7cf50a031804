"""The survey's means: eighty numbers of a million people, and what a report about all of them costs to draw.

The data of Figs. 6 and 9 (Ye et al. 2018, §4.4) are integers from 1 to 400 whose means are linear in the attribute.
Uniform integers from 1 to 400 would all have the mean 200.5; here the values of an attribute are uniform on the widest
range around its mean, which rises from 60 to 340.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import comb, log, sqrt
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import ArrayLike, NDArray

from ldpnb import Tally

Floats = NDArray[np.float64]

ATTRIBUTES = 80
LEAST, MOST = 1, 400  # of a value
HALF = (MOST - LEAST) / 2
MIDDLES = np.linspace(60, 340, ATTRIBUTES)
BATCH = 100_000
PART = 2**11  # people counted at a time, so that their values stay in the cache
WIDEST = np.minimum(MIDDLES - LEAST, MOST - MIDDLES)
LOW, HIGH = np.ceil(MIDDLES - WIDEST).astype(int), np.floor(MIDDLES + WIDEST).astype(int)
SCALE = np.repeat((np.arange(LEAST, MOST + 1)[:, None] - (MOST + LEAST) / 2) / HALF, ATTRIBUTES, axis=1)  # all values
MEANS = ((LOW + HIGH) / 2 - (MOST + LEAST) / 2) / HALF  # of all people that might be drawn, in [−1, 1]


def people(n: int, rng: np.random.Generator) -> Floats:
    """Draw the numbers of n people, mapped to [−1, 1]: (n, 80)."""
    drawn = rng.integers(LOW, HIGH + 1, (n, ATTRIBUTES), dtype=np.int16)
    unit = drawn - (MOST + LEAST) / 2
    unit /= HALF
    return np.asarray(unit)


def _shares(unit: Floats) -> Floats:
    """Shares of people at each value of `SCALE`, by attribute: (400, 80)."""
    counts = np.zeros(SCALE.size, np.int64)
    for start in range(0, len(unit), PART):
        cells = np.rint(HALF * unit[start : start + PART] + (MOST - LEAST) / 2).astype(np.int64) * ATTRIBUTES
        counts += np.bincount((cells + np.arange(ATTRIBUTES)).ravel(), minlength=SCALE.size)
    return counts.reshape(SCALE.shape) / len(unit)


def to_raw(unit: Floats) -> Floats:
    """Numbers from [−1, 1] as values from 1 to 400."""
    return np.asarray((MOST + LEAST) / 2 + HALF * unit)


def surveyed(
    make: Callable[..., Any], budgets: Iterable[float], *, rng: np.random.Generator, batches: int = 10
) -> pd.DataFrame:
    """Survey a million people at each budget, and the first 10⁴ and 10⁵ of them at ε = 1.

    Parameters
    ----------
    make : callable
        ``make(d=80, epsilon=epsilon)``: a mechanism for many numbers with tallies that add.
    budgets : iterable of float
        1 is among them.
    rng : numpy.random.Generator
    batches : int
        Of 10⁵ people.

    Returns
    -------
    pandas.DataFrame
        One row for each survey and attribute: ``ε``, ``n``, ``attribute``, ``truth``, ``estimate`` and the standard
        error ``stated`` by the variance formula for the people there, in values from 1 to 400.
    """
    mechanisms = {eps: make(d=ATTRIBUTES, epsilon=eps) for eps in budgets}
    tallies: dict[float, Tally] = {}
    sums, variances, rows = np.zeros(ATTRIBUTES), {eps: np.zeros(ATTRIBUTES) for eps in mechanisms}, []

    def survey(eps: float, tally: Tally, n: int, truth: Floats, variance: Floats) -> None:
        rows.append(
            pd.DataFrame(
                {
                    "ε": eps,
                    "n": n,
                    "attribute": np.arange(1, ATTRIBUTES + 1),
                    "truth": to_raw(truth),
                    "estimate": to_raw(mechanisms[eps].estimate(tally)),
                    "stated": HALF * np.sqrt(variance / n),
                }
            )
        )

    for number in range(batches):
        unit = people(BATCH, rng)
        sums += unit.sum(0)
        shares = _shares(unit)
        for eps, mechanism in mechanisms.items():
            reports = mechanism.perturb(unit, rng=rng)
            part = mechanism.tally(reports)
            tallies[eps] = tallies[eps] + part if eps in tallies else part
            variances[eps] += (shares * mechanism.variance(SCALE)).sum(0) / batches
            if number == 0 and eps == 1:
                for n in (BATCH // 10, BATCH):
                    some = unit[:n]
                    survey(
                        eps,
                        mechanism.tally(reports[:n]),
                        n,
                        some.mean(0),
                        (_shares(some) * mechanism.variance(SCALE)).sum(0),
                    )
    for eps, tally in tallies.items():
        survey(eps, tally, batches * BATCH, sums / (batches * BATCH), variances[eps])
    return pd.concat(rows, ignore_index=True)


def errors(found: pd.DataFrame) -> pd.DataFrame:
    """Root mean square error of each survey of `surveyed`, as seen and as stated, in parts of the range of values."""
    squared = found.assign(seen=(found["estimate"] - found["truth"]) ** 2, stated=found["stated"] ** 2)
    return squared.groupby(["ε", "n"])[["seen", "stated"]].mean().pow(0.5) / (2 * HALF)


def mean_squares(
    cases: Iterable[tuple[float, Any, int]], *, rng: np.random.Generator, trials: int = 2000
) -> pd.DataFrame:
    """Repeat surveys of random samples, and compare the mean square error over attributes with the formula.

    Each person is drawn anew, so the tally of a survey has an exact law: an attribute is drawn, all alike, and its sign
    is + with probability (1 + m/c)/2, for the mean m of the attribute.

    Parameters
    ----------
    cases : iterable of (case, mechanism, n)
        What to call it, a mechanism that asks about one of 80 numbers by its sign, and how many people there are.
    rng : numpy.random.Generator
    trials : int

    Returns
    -------
    pandas.DataFrame
        One row for each case: ``case``, ``error`` (root mean square), ``square`` (mean square), ``sem`` (its standard
        error), ``formula`` (what the variance says), in units of half the range.
    """
    truth, rows = MEANS, []
    for case, mechanism, n in cases:
        plus = (1 + truth * ATTRIBUTES / mechanism.scores.max()) / 2
        cells = np.stack([1 - plus, plus], 1) / ATTRIBUTES
        counts = rng.multinomial(n, cells.ravel(), trials).reshape(trials, ATTRIBUTES, 2)
        squares = np.mean((mechanism.estimate(Tally(mechanism, n, counts)) - truth) ** 2, axis=1)
        row = {"case": case, "error": sqrt(squares.mean()), "square": squares.mean()}
        row |= {"sem": squares.std(ddof=1) / sqrt(trials)}
        rows.append(row | {"formula": float(mechanism.variance(truth[None]).mean()) / n})
    return pd.DataFrame(rows)


def largest_errors(
    kinds: Mapping[str, Callable[..., Any]],
    sizes: Iterable[int],
    epsilon: float,
    *,
    rng: np.random.Generator,
    n: int = 10**6,
    surveys: int = 200,
) -> dict[tuple[str, int], float]:
    """Mean of the largest of d errors if all numbers are 0, over √(d ln d)/(ε√n), for each kind and d.

    The tallies have their exact law: of a report about everything all corners are alike, so its signs are independent
    fair coins; of a report about one number, each number and sign is equally likely.

    Parameters
    ----------
    kinds : dict of str to callable
        ``kind(d=d, epsilon=epsilon)``; reports about everything if their tally has one axis.
    sizes : iterable of int
        Numbers d of a person.
    epsilon : float
    rng : numpy.random.Generator
    n, surveys : int
        People of a survey, and surveys.
    """
    found = {}
    for name, kind in kinds.items():
        for d in sizes:
            mechanism = kind(d=d, epsilon=epsilon)
            report = mechanism.perturb(np.zeros((1, d)), rng=rng)
            if mechanism.tally(report).counts.ndim == 1:
                counts = rng.binomial(n, 0.5, (surveys, d))
            else:
                counts = rng.multinomial(n, np.full(2 * d, 0.5 / d), surveys).reshape(surveys, d, 2)
            error = np.abs(mechanism.estimate(Tally(mechanism, n, counts))).max(1).mean()
            found[name, d] = float(error * epsilon * sqrt(n / (d * log(d))))
    return found


def extremes(pi: ArrayLike, slack: float) -> Floats:
    """Return the extreme points of the sources within `slack` of pi in each value: all values but one at a limit."""
    middle = np.asarray(pi, float)
    low, high, found = np.maximum(middle - slack, 0), np.minimum(middle + slack, 1), set()
    for free in range(len(middle)):
        for ends in product((False, True), repeat=len(middle) - 1):
            point = np.insert(np.where(ends, np.delete(high, free), np.delete(low, free)), free, 0.0)
            point[free] = 1 - point.sum()
            if low[free] - 1e-12 <= point[free] <= high[free] + 1e-12:
                found.add(tuple(np.round(point, 12).tolist()))  # so that rounding does not make two of one
    return np.array(sorted(found))


def ball(k: int, d: int, epsilon: float, radius: int | None = None) -> float:
    """Least share of wrong places of d letters out of k, by a channel that favours tuples with few wrong ones.

    A tuple with at most `radius` wrong letters has e^ε times the probability of one with more; without a radius, the
    best one is taken.
    """
    wrong = np.arange(d + 1)
    tuples = np.array([comb(d, i) * (k - 1) ** i for i in wrong.tolist()], float)
    found = []
    for r in range(d) if radius is None else [radius]:
        weight = np.where(wrong <= r, np.exp(epsilon), 1.0) * tuples
        found.append(float(wrong @ weight / weight.sum() / d))
    return min(found)
