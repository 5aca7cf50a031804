"""Experiments of the lesson on frequency oracles: the error of the estimate for an item that nobody has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.oracles import ItemOracle

Chances = Callable[[float], Mapping[str, tuple[float, float]]]
Kinds = Mapping[str, Callable[..., ItemOracle]]


def absent(
    chances: Chances,
    kinds: Kinds,
    budgets: Iterable[float],
    *,
    k: int,
    n: int,
    rng: np.random.Generator,
    surveys: int = 2000,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate surveys in which everybody has item 0, and set the estimates for item 1 beside the formula.

    Parameters
    ----------
    chances : function
        From a budget to p* and q* of each oracle, by its name.
    kinds : dict of str to class
        By the same names, the oracles of the package.
    budgets : iterable of float
    k, n : int
        Items, and people of a survey.
    rng : numpy.random.Generator
    surveys : int
        Surveys of each oracle.

    Returns
    -------
    exact : pandas.DataFrame
        One row for each oracle and budget: √n times the standard error by the formula.
    simulated : pandas.DataFrame
        One row for each survey, too, with √n times the estimate, whose truth is 0.
    """
    exact, simulated = [], []
    for eps in budgets:
        for name, (p_star, q_star) in chances(eps).items():
            mechanism, point = kinds[name](k=k, epsilon=eps), {"oracle": name, "ε": eps}
            histogram = n * (np.arange(k) == 0)
            tally = mechanism.simulate_marginals(histogram, trials=surveys, rng=rng)
            exact.append(point | {"error": (q_star * (1 - q_star)) ** 0.5 / (p_star - q_star)})
            simulated.append(pd.DataFrame(point | {"found": n**0.5 * mechanism.estimate(tally)[:, 1]}))
    return pd.DataFrame(exact), pd.concat(simulated)
