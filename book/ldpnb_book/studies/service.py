"""The experiments of the lesson on services: replies day after day, and what a forged report is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, expm1

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Ints, Mechanism


def yes_replies(
    client: Callable[..., tuple[int, ...]], days: Iterable[int], *, eps: float, people: int, rng: np.random.Generator
) -> Ints:
    """Count the yes replies of people whose value is always yes.

    Parameters
    ----------
    client : function (history, eps, rng) -> tuple of 0 and 1
        One reply per day of the history.
    days : iterable of int
        After how many days the replies are counted.
    eps : float
        Budget of one reply, in nats.
    people : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int (people, number of days)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> yes_replies(lambda history, eps, rng: history, [1, 3], eps=1.0, people=2, rng=rng)
    array([[1, 3],
           [1, 3]])
    """
    days = np.asarray(list(days))
    told = np.array([client((1,) * int(days.max()), eps, rng) for _ in range(people)])
    return np.cumsum(told, axis=1)[:, days - 1]


def worth(
    make: Mapping[str, Callable[[float], Mechanism]], budgets: Sequence[float], fine: Sequence[float]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute by how many people one forged report can raise the count of one item.

    Parameters
    ----------
    make : dict of str to function
        From ε to a frequency oracle with a closed list of items.
    budgets : sequence of float
        ε at which the largest score is found, in nats.
    fine : sequence of float
        ε at which the formula is computed.

    Returns
    -------
    formula, found : DataFrame
        Columns mechanism, ε and people: by the support probabilities, with the bound that all ε-LDP clients obey as a
        mechanism of its own; and the largest score that `influence` finds among the reports.
    """
    formula, found = [], []
    for eps in map(float, fine):
        for name, build in make.items():
            p, q = map(float, build(eps).support)  # type: ignore[attr-defined]
            formula.append((name, eps, (1 - q) / (p - q)))
        formula.append(("bound", eps, exp(eps) / expm1(eps)))
    for eps in map(float, budgets):
        found += [(name, eps, float(build(eps).influence())) for name, build in make.items()]
    columns = ["mechanism", "ε", "people"]
    return pd.DataFrame(formula, columns=columns), pd.DataFrame(found, columns=columns)
