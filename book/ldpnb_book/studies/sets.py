"""Experiments of the lesson on sets of items: padded sets drawn, lengths compared, the noise of real reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set as AbstractSet
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Floats
from ldpnb.records import Records
from ldpnb.sets import SetMechanism
from ldpnb_book import diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kinds = Mapping[str, Callable[..., SetMechanism]]
DUMMY = "#E4E4E4", diagram.GREY


def slots(people: Mapping[str, AbstractSet[int]], pad: Callable[..., list[int]], d: int, ell: int) -> Axes:
    """Draw each person's padded set, dummies grey and dashed, and the chance with which each entry is drawn."""
    import matplotlib.pyplot as plt

    rows = {name: pad(items, d, ell) for name, items in people.items()}
    widest = max(map(len, rows.values()))
    ax = plt.subplots(figsize=(6.4, 0.42 * len(rows)))[1]
    diagram.board(ax, (-1.9, widest + 1.7), (0.05 - len(rows), 0))
    for y, (name, row) in enumerate(rows.items(), start=1):
        ax.text(-0.2, 0.45 - y, name, ha="right", va="center")
        ax.text(widest + 0.2, 0.45 - y, f"each 1/{len(row)}", va="center")
        for x, entry in enumerate(row):
            diagram.frame(ax, x, 0.1 - y, 0.94, 0.8, DUMMY if entry >= d else diagram.SKY)
            ax.patches[-1].set(linestyle="--" if entry >= d else "-", linewidth=1.4)
            ax.text(x + 0.47, 0.48 - y, str(entry), ha="center", va="center")
    return ax


def survey(mechanism: SetMechanism, people: Records, rng: np.random.Generator) -> Floats:
    """Return the estimates of all items from one survey with real reports."""
    return mechanism.estimate(mechanism.tally(mechanism.perturb(people, rng=rng)))


def lengths(
    kinds: Kinds, people: Records, d: int, eps: float, surveys: Mapping[str, int], rng: np.random.Generator, *,
    top: int = 5, tried: Iterable[int] = range(1, 11),
) -> tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    """Return the error of the most frequent items against the length to which sets are padded.

    Parameters
    ----------
    kinds : dict of str to class
        Mechanisms of the package for sets.
    people : Records
    d, eps : int, float
    surveys : dict of str to int
        How many surveys with real reports, for each mechanism, at a length.
    rng : numpy.random.Generator
    top : int
        How many items, the most frequent ones.
    tried : iterable of int
        Lengths; every third one is simulated as well.

    Returns
    -------
    exact, simulated : pandas.DataFrame
        ``mechanism``, ``ℓ``, ``error``: the root mean square over the items, and over surveys, in percentage points.
    """
    truth = np.bincount(people.keys, minlength=d) / len(people)
    most = np.argsort(-truth, kind="stable")[:top]
    exact, found = [], []
    for name, kind in kinds.items():
        for i, ell in enumerate(tried):
            mechanism, point = kind(d=d, ell=ell, epsilon=eps), {"mechanism": name, "ℓ": ell}
            bias = (mechanism.expected(people).mean(0) - truth)[most]
            variance = mechanism.variance(people).mean(0)[most] / len(people)
            exact.append(point | {"error": 100 * np.sqrt(np.mean(bias**2 + variance))})
            if i % 3 == 0:
                off = [(survey(mechanism, people, rng) - truth)[most] for _ in range(surveys[name])]
                found.append(point | {"error": 100 * np.sqrt(np.mean(np.square(off)))})
    return pd.DataFrame(exact), pd.DataFrame(found)


def absent(
    kinds: Kinds, d: int, ell: int, budgets: Iterable[float], rng: np.random.Generator, *,
    people: int = 4000, surveys: int = 3,
) -> pd.DataFrame:  # fmt: skip
    """Return the noise of items that nobody has, from surveys with real reports.

    Parameters
    ----------
    kinds : dict of str to class
        Mechanisms of the package for sets.
    d, ell : int
        People have up to ell of the first ell items, or of the first half of all.
    budgets : iterable of float
    rng : numpy.random.Generator
    people, surveys : int

    Returns
    -------
    pandas.DataFrame
        One row for each survey, with ``mechanism``, ``ε`` and ``noise``: the number of people times the mean square of
        the estimates of the second half of the items.
    """
    sizes = rng.integers(0, min(ell, d // 2) + 1, people).tolist()
    holders, found = Records.of(*(set(range(size)) for size in sizes)), []
    for name, kind in kinds.items():
        for eps in budgets:
            mechanism = kind(d=d, ell=ell, epsilon=eps)
            for _ in range(surveys):
                noise = people * np.square(survey(mechanism, holders, rng)[d // 2 :]).mean()
                found.append({"mechanism": name, "ε": eps, "noise": noise})
    return pd.DataFrame(found)
