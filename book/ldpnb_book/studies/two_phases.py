"""Experiments of the lesson on two phases: noise of a phase, and how well methods find and measure frequent items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ldpnb.records import Records
from ldpnb.sets import SetMechanism
from ldpnb.sets.two_phases import largest
from ldpnb_book._style import table

if TYPE_CHECKING:
    from IPython.display import HTML

Floats = NDArray[np.float64]
Methods = Callable[[Records, np.random.Generator], Mapping[str, tuple[NDArray[np.int64], Floats]]]
Make = Callable[[int], SetMechanism]


def noise(make: Make, slots: int, n: int, runs: int, rng: np.random.Generator) -> float:
    """Variance of the estimates of items that nobody has, from all items and runs.

    Parameters
    ----------
    make : function
        From a number of slots to a mechanism.
    slots, n, runs : int
        Padding length, people, and repetitions.
    rng : Generator
    """
    mechanism, nobody = make(slots), Records.of(*[set()] * n)
    found = [mechanism.estimate(mechanism.tally(mechanism.perturb(nobody, rng=rng))) for _ in range(runs)]
    return float(np.mean(np.square(found)))


def ratios(make: Make, ell: int, lengths: Iterable[int], n: int, runs: int, rng: np.random.Generator) -> pd.DataFrame:
    """Simulate the variance of two phases, over that of one phase with everybody.

    Returns
    -------
    pandas.DataFrame
        ``x``, the length of the list over ell; ``phases``, what is published; and the ``ratio``.
    """
    one, first = noise(make, ell, n, 2 * runs, rng), noise(make, ell, n // 2, 2 * runs, rng)
    rows = []
    for length in lengths:
        second = noise(make, length, n // 2, runs, rng)
        both = first * second / (first + second)
        for name, variance in (("phase two alone", second), ("both", both)):
            rows.append({"x": length / ell, "phases": name, "ratio": variance / one})
    return pd.DataFrame(rows)


def scores(
    methods: Methods, records: Records, d: int, wanted: int, runs: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Run methods many times, and compare what they list and name with the truth.

    Parameters
    ----------
    methods : function
        One run: from people to each method's list of candidates and their estimates.
    records : Records
    d, wanted, runs : int
        Number of items, of those that are wanted, and of runs.
    rng : Generator

    Returns
    -------
    pandas.DataFrame
        A row for each run: the ``method``; the ``recall`` of its list, a share of the wanted items; the ``precision``
        of the items that it names, those with the largest estimates; the mean error over the ``list`` and over the
        ``named``; and the root mean square ``error`` over the list.
    """
    truth = np.bincount(records.keys, minlength=d) / len(records)
    top = largest(truth, wanted)
    rows = []
    for _ in range(runs):
        for name, (listed, found) in methods(records, rng).items():
            at, off = largest(found, wanted), found - truth[listed]
            row = {"method": name, "recall": np.isin(top, listed).mean(), "precision": np.isin(listed[at], top).mean()}
            rows.append(row | {"list": off.mean(), "named": off[at].mean(), "error": np.sqrt(np.mean(off**2))})
    return pd.DataFrame(rows)


def summary(runs: pd.DataFrame) -> HTML:
    """Show the means of `scores`, and standard errors of all but the root mean square error."""
    groups = runs.groupby("method", sort=False)
    mean, off = groups.mean(), groups.sem()
    shown = (mean.round(3) + 0.0).map("{:.3f}".format)
    for name in ("recall", "precision", "list", "named"):
        shown[name] += off[name].map(" ± {:.3f}".format)
    columns = {"list": "mean error, list", "named": "mean error, named"}
    return table(shown.rename(columns=columns).replace("-", "−", regex=True).reset_index())
