"""The experiment of the lesson on many numbers: variances of mechanisms, compared with the better of some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Floats
from ldpnb.numbers.means import MeanMechanism

Kinds = Mapping[str, Callable[[int, float], MeanMechanism]]


def ratios(
    kinds: Kinds,
    sizes: Sequence[int],
    budgets: Iterable[float],
    *,
    best_of: Sequence[str],
    marked: Sequence[float],
    rng: np.random.Generator,
    surveys: int = 400,
    people: int = 40,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare variances of mechanisms for many numbers, by formula and in simulated surveys.

    Parameters
    ----------
    kinds : dict of str to function
        By name, from d and ε to a mechanism.
    sizes : sequence of int
        Values of d.
    budgets : iterable of float
    best_of : sequence of str
        Names of those the smallest of whose variances is the unit.
    marked : sequence of float
        Budgets at which there are simulated surveys, too.
    rng : numpy.random.Generator
    surveys, people : int
        Surveys of each kind, and people of a survey.

    Returns
    -------
    exact : pandas.DataFrame
        One row for each d, ε and mechanism (``client``), with the ``ratio`` of its variance, averaged over the
        numbers, to the unit.
    simulated : pandas.DataFrame
        One row for each survey, with its mean squared error over the unit; the mean of these is the ratio.
    """
    exact, simulated = [], []
    for d in sizes:
        x = population(people, d, rng)
        for eps in sorted({*budgets, *marked}):
            made = {name: make(d, eps) for name, make in kinds.items()}
            unit = min(made[name].variance(x).mean() for name in best_of)
            for name, mechanism in made.items():
                point = {"d": d, "ε": eps, "client": name}
                exact.append(point | {"ratio": mechanism.variance(x).mean() / unit})
                if eps in marked:
                    found = people * squared_errors(mechanism, x, surveys, rng) / unit
                    simulated.append(pd.DataFrame(point | {"ratio": found}))
    return pd.DataFrame(exact), pd.concat(simulated)


def population(people: int, d: int, rng: np.random.Generator) -> Floats:
    """Return people whose answers to each question are spread evenly from −1 to 1: (people, d)."""
    return np.stack([rng.permutation(np.linspace(-1, 1, people)) for _ in range(d)], axis=1)


def squared_errors(mechanism: MeanMechanism, x: Floats, surveys: int, rng: np.random.Generator) -> Floats:
    """Return the mean squared error of the estimated means, for each of some surveys of the same people."""
    reports = np.split(mechanism.perturb(np.tile(x, (surveys, 1)), rng=rng), surveys)
    estimates = np.stack([mechanism.estimate(mechanism.tally(survey)) for survey in reports])
    return np.asarray(np.square(estimates - x.mean(0)).mean(1))
