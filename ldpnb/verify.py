"""Exact ε, bias and variance, read off the law of a client's own code.

A client is a mechanism, or any callable ``client(value, rng)`` whose randomness comes from `ldpnb.chance`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpnb.chance import LIMIT, Law, Paths, branches, freeze, law, log
from ldpnb.core import Mechanism

Client = Mechanism | Callable[[Any, Paths], Any]


def laws(client: Client, inputs: Sequence[Any], *, limit: int = LIMIT) -> list[Law]:
    """Exact law of one person's report, for each of several inputs.

    Parameters
    ----------
    client : Mechanism or callable (value, rng) -> report
    inputs : sequence of values (for a Mechanism: a batch that `perturb` takes, one person each)
    limit : int
        Branches to walk at most, per input.

    Returns
    -------
    list of dict
        One law an input: {report: probability}.
    """
    if isinstance(client, Mechanism):
        return [
            law(lambda rng, i=i: client.perturb(inputs[i : i + 1], rng=rng)[0], limit=limit)  # type: ignore[misc]
            for i in range(len(inputs))
        ]
    return [law(lambda rng, x=x: client(x, rng), limit=limit) for x in inputs]  # type: ignore[misc]


@dataclass(frozen=True)
class Worst:
    """The report that tells two inputs apart best: `ratio` is how much likelier it is under one than the other.

    `pair` are positions in the list of inputs, likelier first; `ratio` is None where the other cannot send it at all.
    """

    ratio: Fraction | None
    pair: tuple[int, int]
    report: Hashable

    @property
    def epsilon(self) -> float:
        """Logarithm of the ratio."""
        return inf if self.ratio is None else log(self.ratio)


def worst(laws: Sequence[Law]) -> Worst:
    """Largest likelihood ratio over all pairs of inputs and all reports."""
    if len(laws) < 2:
        raise ValueError(f"laws must be those of at least two inputs, got {len(laws)}")
    found = Worst(Fraction(1), (0, 0), next(iter(laws[0])))
    for report in dict.fromkeys(y for one in laws for y in one):
        p = [one.get(report, Fraction(0)) for one in laws]
        if not any(p):
            continue
        most, least = max(range(len(p)), key=p.__getitem__), min(range(len(p)), key=p.__getitem__)
        if p[least] == 0:
            return Worst(None, (most, least), report)
        if found.ratio is None or p[most] / p[least] > found.ratio:
            found = Worst(p[most] / p[least], (most, least), report)
    return found


def epsilon(laws: Sequence[Law]) -> float:
    """Exact ε of a client: the logarithm of the largest likelihood ratio, ∞ where a report gives an input away."""
    return worst(laws).epsilon


def moments(mechanism: Mechanism, inputs: Any, items: Any = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Exact mean and variance of one person's score (the estimate from that one report), for each input.

    Averaged over private and public randomness alike; exact but for the rounding of the scores, which are floats.

    Returns
    -------
    mean, variance : ndarray (len(inputs), …)
    """
    means, variances = [], []
    scores: dict[Hashable, NDArray[np.float64]] = {}
    for i in range(len(inputs)):
        weights: dict[Hashable, Fraction] = {}
        for probability, report in branches(lambda rng, i=i: mechanism.perturb(inputs[i : i + 1], rng=rng)):  # type: ignore[misc]
            key = freeze(report)
            weights[key] = weights.get(key, Fraction(0)) + probability
            if key not in scores:
                scores[key] = mechanism.estimate(mechanism.tally(report, items))
        p = np.array([float(w) for w in weights.values()])
        x = np.stack([scores[key] for key in weights])
        mean = np.tensordot(p, x, 1)
        means.append(mean)
        variances.append(np.tensordot(p, (x - mean) ** 2, 1))
    return np.stack(means), np.stack(variances)


def distance(a: Client, b: Client, inputs: Sequence[Any], *, limit: int = LIMIT) -> Fraction:
    """Largest total variation distance between two clients' reports, over the inputs; 0 means one and the same law."""
    return max(
        sum((abs(p.get(y, Fraction(0)) - q.get(y, Fraction(0))) for y in p.keys() | q.keys()), Fraction(0)) / 2
        for p, q in zip(laws(a, inputs, limit=limit), laws(b, inputs, limit=limit), strict=True)
    )


def same_law(a: Client, b: Client, inputs: Sequence[Any], *, tolerance: float = 2.0**-40, limit: int = LIMIT) -> bool:
    """Whether two clients send every report with the same probability, but for the rounding of thresholds."""
    return distance(a, b, inputs, limit=limit) <= tolerance
