"""The experiments of ye2018: frequencies at three budgets and for three crowds (Figs. 5, 8), error bounds (Table 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp, log, sqrt
from typing import Any, Protocol

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from ldpnb.core import Floats, Ints, Tally
from ldpnb_book.experiment import sweep


class Oracle(Protocol):
    """A frequency oracle."""

    def perturb(self, values: Ints, *, rng: np.random.Generator) -> Any:
        """Draw one report for each person."""

    def tally(self, reports: Any) -> Tally:
        """Count reports."""

    def simulate(self, counts: Ints, *, trials: int, rng: np.random.Generator) -> Tally:
        """Draw tallies of people with this histogram."""

    def estimate(self, tally: Tally) -> Floats:
        """Estimate the share of each item."""

    def variance(self, values: ArrayLike) -> Floats:
        """Variance of the scores of one person: a row for each value, a column for each item."""


MakeOracle = Callable[..., Oracle]  # of k, the number of items, and epsilon

# ------------------------------------------------------------------------------------------------- Figs. 5 and 8

ITEMS = 50
FIG5_BUDGETS = (0.1, 0.5, 2.0)
FIG8_PEOPLE = (10**4, 10**5, 10**6)
NORMAL = np.exp(-((np.arange(1, ITEMS + 1) - 25.5) ** 2) / (2 * 9**2))  # a standard deviation of nine items: ours
EXPONENTIAL = np.exp(-np.arange(1, ITEMS + 1) / 10)  # a scale of ten items: ours


def population(weights: ArrayLike, n: int) -> Ints:
    """Return a histogram of n people in proportion to weights; the largest remainders are rounded up."""
    exact = np.asarray(weights, float)
    exact = exact / exact.sum() * n
    counts: Ints = np.floor(exact).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts


def standard_errors(oracle: Oracle, counts: Ints) -> Floats:
    """Return the standard error of each item's share, by the formula of its variance."""
    return np.asarray(np.sqrt(counts @ oracle.variance(np.arange(len(counts)))) / counts.sum())


def surveyed(
    cases: Sequence[tuple[float, Oracle, Ints]], *, rng: np.random.Generator, name: str = "case"
) -> pd.DataFrame:
    """Draw one survey for each case.

    Parameters
    ----------
    cases : sequence of (case, oracle, counts)
        What to call it, the oracle, and the histogram of the people.
    rng : numpy.random.Generator
    name : str
        Of the column that holds the cases.

    Returns
    -------
    DataFrame
        Columns `name`, ``item`` (from 1), ``truth``, ``estimate`` and ``error``, the standard error; shares in percent.
    """
    found = []
    for case, oracle, counts in cases:
        estimate = oracle.estimate(oracle.simulate(counts, trials=1, rng=rng))[0]
        columns = {"truth": counts / counts.sum(), "estimate": estimate, "error": standard_errors(oracle, counts)}
        shares = pd.DataFrame({what: 100 * np.asarray(share) for what, share in columns.items()})
        found.append(shares.assign(**{name: case, "item": np.arange(1, len(counts) + 1)}))
    return pd.concat(found, ignore_index=True)[[name, "item", "truth", "estimate", "error"]]


def fig5(make: MakeOracle) -> list[tuple[float, Oracle, Ints]]:
    """Return the cases of Fig. 5: a million people, normal frequencies, three budgets."""
    return [(eps, make(k=ITEMS, epsilon=eps), population(NORMAL, 10**6)) for eps in FIG5_BUDGETS]


def fig8(make: MakeOracle) -> list[tuple[float, Oracle, Ints]]:
    """Return the cases of Fig. 8: ε = 1, exponential frequencies, three numbers of people."""
    return [(n, make(k=ITEMS, epsilon=1.0), population(EXPONENTIAL, n)) for n in FIG8_PEOPLE]


def mean_squares(
    cases: Sequence[tuple[float, Oracle, Ints]], *, rng: np.random.Generator, trials: int = 2000
) -> pd.DataFrame:
    """Repeat each case, and compare the mean square error over items with the formula.

    Parameters
    ----------
    cases : sequence of (case, oracle, counts)
        As for `surveyed`.
    rng : numpy.random.Generator
    trials : int

    Returns
    -------
    DataFrame
        One row for each case: ``case``, ``error`` (root mean square), ``square`` (mean square), ``sem`` (its standard
        error), ``formula`` (what the variance says), ``largest`` (the largest share).
    """
    rows = []
    for case, oracle, counts in cases:
        truth = counts / counts.sum()
        estimate = oracle.estimate(oracle.simulate(counts, trials=trials, rng=rng))
        squares = np.mean((estimate - truth) ** 2, axis=1)
        row = {"case": case, "error": sqrt(squares.mean()), "square": squares.mean()}
        row |= {"sem": squares.std(ddof=1) / sqrt(trials), "largest": truth.max()}
        rows.append(row | {"formula": np.mean(standard_errors(oracle, counts) ** 2)})
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------------- Table 4

SIZES = (16, 64, 256, 1024)
KINDS = ("largest", "sum")  # the largest of the k errors, and the sum of their absolute values


def rows_prescribed(n: int, k: int, beta: float = 0.05) -> int:
    """Return the number of rows of S-Hist's random table, by zhang2018's Algorithm 1."""
    return round(n * log(k + 1) * log(2 / beta) / log(2 * k / beta))


def errors(
    oracles: Mapping[str, MakeOracle],
    *,
    rng: np.random.Generator,
    sizes: Sequence[int] = SIZES,
    n: int = 10_000,
    eps: float = 0.5,
    trials: int = 10,
) -> pd.DataFrame:
    """Measure the errors of surveys with real reports, for lists of several sizes with equally frequent items.

    Parameters
    ----------
    oracles : dict of str to callable
        Called as ``make(k=k, epsilon=eps)``.
    rng : numpy.random.Generator
    sizes : sequence of int
        Numbers of items k.
    n : int
        People.
    eps : float
    trials : int
        Surveys for each oracle and size.

    Returns
    -------
    DataFrame
        Columns ``mechanism``, ``k``, ``trial``, ``kind`` (of `KINDS`) and ``error``.
    """

    def measure(mechanism: str, k: int, rng: np.random.Generator) -> dict[str, float]:
        oracle, held = oracles[mechanism](k=k, epsilon=eps), np.arange(n) % k
        off = np.abs(oracle.estimate(oracle.tally(oracle.perturb(held, rng=rng))) - np.bincount(held, minlength=k) / n)
        return {"largest": float(off.max()), "sum": float(off.sum())}

    found = sweep(measure, rng=rng, trials=trials, mechanism=list(oracles), k=list(sizes))
    return found.melt(["mechanism", "k", "trial"], list(KINDS), "kind", "error")


def exponents(found: pd.DataFrame) -> pd.DataFrame:
    """Return the exponent of k in the mean error: a row for each mechanism, a column for each kind."""
    means = found.groupby(["mechanism", "kind", "k"], sort=False)["error"].mean().reset_index()
    slopes = {
        (mechanism, kind): np.polyfit(np.log(part["k"]), np.log(part["error"]), 1)[0]
        for (mechanism, kind), part in means.groupby(["mechanism", "kind"], sort=False)
    }
    return pd.Series(slopes).unstack()[list(KINDS)]


# --------------------------------------------------------------------------------------- the least possible error


def information(matrix: Floats) -> float:
    """Return the trace of a report's Fisher information about equally likely values; `matrix` is (values, reports)."""
    mean = matrix.mean(0)
    return float((((matrix - mean) ** 2).sum(0) / mean).sum())


def private_channels(k: int, eps: float, number: int, *, rng: np.random.Generator) -> list[Floats]:
    """Draw channels of k values that are ε-LDP: mixtures of sets, each shifted round all values; a third is blurred.

    Parameters
    ----------
    k : int
    eps : float
    number : int
    rng : numpy.random.Generator

    Returns
    -------
    list of ndarray (k, reports)
        Rows sum to one.
    """
    found = []
    for i in range(number):
        columns = []
        for _ in range(rng.integers(1, 4)):
            weights = np.where(rng.permutation(k) < rng.integers(1, k), exp(eps), 1.0) * rng.uniform(0.2, 1)
            columns += [np.roll(weights, shift) for shift in range(k)]
        matrix = np.array(columns).T
        matrix = matrix / matrix.sum(1, keepdims=True)  # all rows have the same sum, so the ratios stay
        found.append(matrix if i % 3 else matrix @ rng.dirichlet(np.ones(4), size=matrix.shape[1]))
    return found
