"""Experiments of the lesson on sets of items: padded sets drawn, lengths compared, the noise of several mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set as AbstractSet
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from ldpnb.book import diagram
from ldpnb.core import Floats, Records
from ldpnb.sets import SetSampling

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kinds = Mapping[str, Callable[..., SetSampling]]


def slots(people: Mapping[str, AbstractSet[int]], pad: Callable[[AbstractSet[int], int, int], list[int]],
          d: int, ell: int) -> Axes:  # fmt: skip
    """Draw each person's set, padded: a slot for each symbol, dummies grey, and the chance with which it is drawn."""
    import matplotlib.pyplot as plt

    rows = {name: pad(items, d, ell) for name, items in people.items()}
    widest = max(map(len, rows.values()))
    ax = plt.subplots(figsize=(6.4, 0.52 * len(rows)))[1]
    diagram.board(ax, (-1.9, widest + 1.7), (-len(rows) + 0.1, 1))
    for i, (name, row) in enumerate(rows.items()):
        ax.text(-0.2, 0.45 - i, name, ha="right", va="center")
        for place, symbol in enumerate(row):
            dummy = symbol >= d
            diagram.frame(ax, place, 0.05 - i, 0.94, 0.8, ("#E4E4E4", "#5A5A5A") if dummy else diagram.SKY)
            ax.text(
                place + 0.47, 0.45 - i, str(symbol), ha="center", va="center", color="#5A5A5A" if dummy else "black"
            )
        ax.text(widest + 0.2, 0.45 - i, f"each 1/{len(row)}", va="center")
    return ax


def crowd(sizes: ArrayLike, popularity: ArrayLike, rng: np.random.Generator) -> Records:
    """Return people with sets of these sizes: items drawn one by one without replacement, in proportion to popularity."""
    sizes, weight = np.asarray(sizes, np.int64), np.asarray(popularity, np.float64)
    n, d = len(sizes), len(weight)
    with np.errstate(divide="ignore"):
        clocks = rng.exponential(size=(n, d)) / weight
    order = np.argsort(clocks, 1, kind="stable")
    users = np.repeat(np.arange(n), sizes)
    places = np.arange(len(users)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return Records.from_arrays(users, order[users, places], n=n)


def survey(mechanism: SetSampling, people: Records, rng: np.random.Generator) -> Floats:
    """Return the estimates of all items from one survey with real reports."""
    return mechanism.estimate(mechanism.tally(mechanism.perturb(people, rng=rng)))


def lengths(
    kinds: Kinds,
    people: Records,
    *,
    d: int,
    eps: float,
    lengths: Iterable[int],
    tried: Iterable[int],
    rng: np.random.Generator,
    top: int = 5,
    surveys: int = 40,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the error of the most frequent items against the length to which sets are padded.

    Parameters
    ----------
    kinds : dict of str to class
        Mechanisms of the package for sets.
    people : Records
    d, eps : int, float
    lengths : iterable of int
        For the exact root mean square error, of bias and variance.
    tried : iterable of int
        For surveys with real reports.
    rng : numpy.random.Generator
    top : int
        How many items, the most frequent ones.
    surveys : int
        For each mechanism and tried length.

    Returns
    -------
    exact, simulated : pandas.DataFrame
        ``mechanism``, ``ℓ``, ``error``: the root mean square over the items, and over the surveys, in percentage points.
    """
    n, tried = len(people), list(tried)
    truth = np.bincount(people.keys, minlength=d) / n
    chosen = np.argsort(-truth, kind="stable")[:top]
    exact, found = [], []
    for name, kind in kinds.items():
        for ell in lengths:
            mechanism = kind(d=d, ell=ell, epsilon=eps)
            bias = mechanism.expected(people)[:, chosen].mean(0) - truth[chosen]
            variance = mechanism.variance(people)[:, chosen].sum(0) / n**2
            error = float(np.sqrt(np.mean(bias**2 + variance)))
            exact.append({"mechanism": name, "ℓ": ell, "error": 100 * error})
        for ell in tried:
            mechanism = kind(d=d, ell=ell, epsilon=eps)
            off = [(survey(mechanism, people, rng) - truth)[chosen] for _ in range(surveys)]
            found.append({"mechanism": name, "ℓ": ell, "error": 100 * float(np.sqrt(np.mean(np.square(off))))})
    return pd.DataFrame(exact), pd.DataFrame(found)


def noises(
    kinds: Kinds, *, d: int, ell: int, budgets: Iterable[float], tried: Iterable[float], rng: np.random.Generator,
    people: int = 4000, surveys: int = 3,
) -> tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Return the noise of an item that nobody has, against the budget: n times the variance of its estimate.

    Parameters
    ----------
    kinds : dict of str to class
        Mechanisms of the package for sets.
    d, ell : int
    budgets : iterable of float
        For the formula of each mechanism.
    tried : iterable of float
        For surveys with real reports, of people with up to ell of the first half of the items.
    rng : numpy.random.Generator
    people, surveys : int

    Returns
    -------
    exact, simulated : pandas.DataFrame
        ``mechanism``, ``ε``, ``noise``; simulated ones have one row for each survey, the mean over the items of the
        second half.
    """
    held = np.arange(d) < d // 2
    holders = crowd(rng.integers(0, min(ell, d // 2) + 1, people), held, rng)
    exact, found = [], []
    for name, kind in kinds.items():
        for eps in budgets:
            exact.append({"mechanism": name, "ε": eps, "noise": kind(d=d, ell=ell, epsilon=eps).rare_variance})
        for eps in tried:
            mechanism = kind(d=d, ell=ell, epsilon=eps)
            for _ in range(surveys):
                square = np.square(survey(mechanism, holders, rng)[~held]).mean()
                found.append({"mechanism": name, "ε": eps, "noise": people * float(square)})
    return pd.DataFrame(exact), pd.DataFrame(found)
