"""The experiment of the lesson on keys that come and go: errors of weighted sums of batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]


def errors(
    answer: Callable[[float], tuple[float, float, float]],
    cases: Iterable[Mapping[str, Any]],
    *,
    surveys: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Compare the errors of weighted sums of batches with those of simulated surveys of fixed people.

    Parameters
    ----------
    answer : function
        From ε to the probabilities α, β and γ of a report about the key.
    cases : iterable of dict
        Each with its "ε", and for every batch the number of people "n", the share of them who hold the key "f", the
        weight in the sum "u", and the weight in what is "wanted"; anything else is kept.
    surveys : int
        Simulated for each case.
    rng : numpy.random.Generator

    Returns
    -------
    pandas.DataFrame
        A row for each case, with the exact root mean square ``error``, and what was ``found``.
    """
    rows = []
    for case in cases:
        (alpha, beta, gamma), n = answer(case["ε"]), np.round(case["n"]).astype(int)
        p, q = alpha + beta, 2 * gamma  # that a report is a sign, of a holder and of another
        holders = np.round(n * np.array(case["f"])).astype(int)
        u, truth = np.array(case["u"]), holders / n @ np.array(case["wanted"])
        noise = (holders * p * (1 - p) + (n - holders) * q * (1 - q)) / ((p - q) * n) ** 2
        bias = holders / n @ u - truth
        named = rng.binomial(holders, p, (surveys, len(n))) + rng.binomial(n - holders, q, (surveys, len(n)))
        off = (named / n - q) / (p - q) @ u - truth
        rows.append({**case, "error": (u**2 @ noise + bias**2) ** 0.5, "found": (off**2).mean() ** 0.5})
    return pd.DataFrame(rows)
