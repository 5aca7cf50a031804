"""Experiments of the lesson on one number: errors of clients against the limit, and how often intervals are right."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from math import tanh

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from scipy.stats import binom

from ldpnb.core import Tally
from ldpnb.numbers import least_distortion
from ldpnb.numbers.one_number import NumberMechanism, TwoPoint
from ldpnb.postprocess import interval

Kinds = Mapping[str, Callable[..., NumberMechanism]]


def least(eps: float, steps: int = 32, scores: int = 129) -> float:
    """Return the least worst-case variance of any unbiased client, for so many steps between numbers and scores.

    Scores reach to 1.6 times those of the sign.  The bound is proved by the dual program.
    """
    x, y = np.linspace(-1, 1, steps + 1), np.linspace(-1.6, 1.6, scores) / tanh(eps / 2)
    return float(least_distortion(np.square(y - x[:, None]), eps, unbiased=(x, y)).bound)


def errors(
    kinds: Kinds, budgets: Iterable[float], drawn: Collection[float], rng: np.random.Generator, people: int = 40_000
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute √n times the largest standard error of each client, and draw people who all have its worst number.

    Parameters
    ----------
    kinds : dict of str to class
        By name, mechanisms of the package.
    budgets : iterable of float
    drawn : collection of float
        Those of the budgets at which people report.
    rng : numpy.random.Generator
    people : int
        Of each client and budget.

    Returns
    -------
    exact : pandas.DataFrame
        One row for each client and budget: its ``error``, and its ``ratio`` to that of the best client.
    simulated : pandas.DataFrame
        One row for each person, with the score and its ratio in the same columns.
    """
    exact, simulated, tried = [], [], np.linspace(-1, 1, 129)
    for eps in budgets:
        best = least(eps) ** 0.5
        for name, kind in kinds.items():
            client, point = kind(epsilon=eps), {"client": name, "ε": eps}
            error = client.worst_variance**0.5
            exact.append(point | {"error": error, "ratio": error / best})
            if eps in drawn:
                worst = tried[client.variance(tried)[:, 0].argmax()]
                scores = client.scores[client.perturb(np.full(people, worst), rng=rng)]
                simulated.append(pd.DataFrame(point | {"error": scores, "ratio": scores / best}))
    return pd.DataFrame(exact), pd.concat(simulated)


def coverage(mean: float, n: int, eps: float) -> float:
    """Return how likely the 95 % interval from n signs contains the mean of the population that people are drawn from.

    Exact up to a billionth: the reports of plus have a binomial law.
    """
    chance = binom.pmf(np.arange(n + 1), n, (1 + mean * tanh(eps / 2)) / 2)
    plus = np.flatnonzero(chance > 1e-15)
    low, high = interval(Tally(TwoPoint(epsilon=eps), n, np.stack([n - plus, plus], 1)))
    return float(chance[plus] @ ((low[:, 0] <= mean) & (mean <= high[:, 0])))
