"""The experiment of the lesson on surveys: how often intervals cover."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Floats
from ldpnb.verify import laws


def coverage(
    client: Callable[..., int],
    server: Callable[..., tuple[Floats, Floats, Floats]],
    share: Mapping[Any, float],
    *,
    n: int,
    budgets: Sequence[float],
    runs: int,
    rng: np.random.Generator,
    width: float = 1.96,
) -> pd.DataFrame:
    """Draw whole surveys, and tell whether the intervals of the first label cover.

    People are drawn from the population, and their reports from the client's exact law.

    Parameters
    ----------
    client : function (answer, eps, rng) -> int
        The code that a person reports, below the number of labels.
    server : function (counts, eps) -> (shares, errors, errors)
        Estimates with standard errors for these people and for the population.
    share : dict of label to float
        Share of each answer in the population; they sum to 1.
    n : int
        People in a survey.
    budgets : sequence of float
        ε, in nats.
    runs : int
        Surveys for each ε.
    rng : numpy.random.Generator
    width : float
        Standard errors to both sides.

    Returns
    -------
    DataFrame
        A row for each ε, run, error ("error, these people" or "error, population") and what an interval is about
        ("these people" or "the population"), with `covered`, 0 or 1.
    """
    rows = []
    labels, population = list(share), np.array(list(share.values()))
    for eps in map(float, budgets):

        def report(answer: Any, rng: Any, eps: float = eps) -> int:
            return client(answer, eps, rng)

        told = laws(report, labels)
        law = np.array([[float(one.get(code, 0)) for code in range(len(labels))] for one in told])
        for people in rng.multinomial(n, population, size=runs):
            counts = sum(
                rng.multinomial(m, row) for m, row in zip(people, law / law.sum(1, keepdims=True), strict=True)
            )
            found, *errors = server(counts, eps)
            for error, off in zip(("error, these people", "error, population"), errors, strict=True):
                for about, truth in (("these people", people[0] / n), ("the population", population[0])):
                    rows.append((eps, error, about, int(abs(found[0] - truth) < width * off[0])))
    return pd.DataFrame(rows, columns=["ε", "error", "about", "covered"])
