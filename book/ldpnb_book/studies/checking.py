"""Experiments of the lesson on checking: how close an audit comes, and how often it refutes a client that leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import ArrayLike
from scipy.stats import binom

from ldpnb.chance import Law
from ldpnb.core import Floats

Bound = Callable[[Any, Any, int, float], Any]
Auditor = Callable[[list[Any], list[Any]], tuple[float, Any]]

MOST = 500  # hits that `refutes` looks at: far more than it takes


def draw(law: Law, n: int, rng: np.random.Generator) -> list[Any]:
    """Draw n reports from an exact law."""
    reports, weights = list(law), np.array([*law.values()], float)
    return [reports[i] for i in rng.choice(len(reports), n, p=weights / weights.sum())]


def reach(bound: Bound, laws: Sequence[Law], t: int, level: float) -> float:
    """Return the bound from t counted reports of either of two values, for the best event and mean counts."""
    one, other = laws
    order = sorted(one, key=lambda y: other.get(y, 0) / one[y])
    a, b = (t * np.cumsum([float(law.get(y, 0)) for y in order[:-1]]) for law in (one, other))
    return float(np.max(bound(a, b, t, level)))


def audits(
    auditor: Auditor, laws: Sequence[Law], sizes: Iterable[int], *, runs: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Audit a client many times, with reports drawn from the laws of two values.

    Parameters
    ----------
    auditor : callable (reports, reports) -> (bound, event)
    laws : sequence of two laws
    sizes : iterable of int
        Reports of each value.
    runs : int
        Audits of each size.
    rng : numpy.random.Generator

    Returns
    -------
    pandas.DataFrame
        One row for each audit: ``reports`` and ``bound``.
    """
    rows = [(n, auditor(draw(laws[0], n, rng), draw(laws[1], n, rng))[0]) for n in sizes for _ in range(runs)]
    return pd.DataFrame(rows, columns=["reports", "bound"])


def refutes(bound: Bound, chances: ArrayLike, t: int, *, claimed: float, level: float) -> Floats:
    """Return the exact probabilities that t counted reports refute a claim by a report that only one value sends.

    The event is known beforehand; under the first value it has one of these chances, under the other it never happens.
    """
    hits = np.arange(1, min(t, MOST) + 1)
    needed = int(hits[np.argmax(bound(hits, np.zeros(len(hits)), t, level) > claimed)])
    return np.asarray(binom.sf(needed - 1, t, np.asarray(chances, float)))
