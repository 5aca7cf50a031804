"""Experiment of the lesson on one-bit reports: what a random table of signs adds to the error, however many people."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from ldpnb.oracles import SHist


def absent(
    kind: Callable[..., SHist],
    spread: Callable[[int, int], float],
    shares: ArrayLike,
    rows: Iterable[int],
    crowds: Iterable[int],
    *,
    eps: float,
    rng: np.random.Generator,
    tables: int = 200,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate surveys, each with a random table of its own, and set the errors for the last item beside a formula.

    Parameters
    ----------
    kind : class
        The oracle of the package.
    spread : function
        The standard deviation by the formula, from the numbers of people and of rows.
    shares : array_like of float (k,)
        Of people with each item; times each crowd they must be whole numbers.
    rows, crowds : iterable of int
        Rows of a table, and people of a survey.
    eps : float
    rng : numpy.random.Generator
    tables : int
        Surveys for each number of rows and of people.

    Returns
    -------
    exact : pandas.DataFrame
        One row for each number of people and of rows, called cards: the formula.
    simulated : pandas.DataFrame
        One row for each survey, with the error of its estimate.
    """
    shares, rows, crowds = np.asarray(shares, np.float64), list(rows), list(crowds)
    exact, found = [], []
    for n in crowds:
        counts = np.rint(shares * n).astype(np.int64)
        if abs(counts - shares * n).max() > 1e-6 * n:
            raise ValueError(f"shares of {n} people must be whole numbers of people, got {shares * n}")
        for size in rows:
            point = {"people": f"n = {n:,}", "cards": size}
            exact.append(point | {"error": spread(n, size)})
            for number in rng.integers(0, 2**63, tables).tolist():
                oracle = kind(k=len(shares), epsilon=eps, m=size, matrix=number)
                f_hat = oracle.estimate(oracle.simulate_marginals(counts, trials=1, rng=rng))[0, -1]
                found.append(point | {"error": f_hat - shares[-1]})
    return pd.DataFrame(exact), pd.DataFrame(found)
