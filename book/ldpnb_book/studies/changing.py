"""The experiment of the lesson on keys that come and go: errors of weighted sums of batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def errors(
    law: tuple[float, float, float],
    people: Sequence[float],
    shares: Sequence[float],
    weights: Sequence[float],
    wanted: Sequence[float],
    rng: np.random.Generator,
    surveys: int = 2000,
) -> dict[str, float]:
    """Compare the error of a weighted sum of batches with that of simulated surveys of the same people.

    Parameters
    ----------
    law : (float, float, float)
        The probabilities α, β and γ of a report about the key.
    people, shares : sequence of float
        Of every batch the number of people, and the share of them who hold the key.
    weights, wanted : sequence of float
        Of every batch the weight in the sum, and in what it is compared with.
    rng : numpy.random.Generator
    surveys : int

    Returns
    -------
    dict
        The exact root mean square ``error``, and what was ``found``.
    """
    n = np.round(people).astype(int)
    holders = np.round(n * np.array(shares)).astype(int)
    p, q = law[0] + law[1], 2 * law[2]  # that a report is a sign, of a holder and of another person
    u, f = np.array(weights), holders / n
    truth = f @ np.array(wanted)
    noise = (holders * p * (1 - p) + (n - holders) * q * (1 - q)) / ((p - q) * n) ** 2
    named = rng.binomial(holders, p, (surveys, len(n))) + rng.binomial(n - holders, q, (surveys, len(n)))
    found = (named / n - q) / (p - q) @ u
    exact = u**2 @ noise + (f @ u - truth) ** 2
    return {"error": float(exact**0.5), "found": float(((found - truth) ** 2).mean() ** 0.5)}
