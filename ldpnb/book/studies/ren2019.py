"""Experiments on Bayes networks: surveys of planted people, networks drawn and marked, synthetic tables beside truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.attributes import avd, entropy_root, i_sum, independent, marginals, planted
from ldpnb.attributes import table_of
from ldpnb.core import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Set = tuple[int, ...]
Pairs = Sequence[tuple[int, Set]]  # an attribute and its parents, parents first
Tables = Mapping[Set, Floats]
Ask = Callable[[Ints, float, np.random.Generator], Any]  # people, budget or flip rate: what the server has
Build = Callable[[Any, Sequence[Set], float], Tables]
Learn = Callable[[Tables, float], Pairs]
Sample = Callable[[Pairs, Tables, int, np.random.Generator], Ints]


def sets_of(d: int, *sizes: int) -> list[Set]:
    """Return all sets of so many of d attributes."""
    return [one for size in sizes for one in combinations(range(d), size)]


def planted_people(seed: int, n: int = 21_574, d: int = 16) -> Ints:
    """Return people who answer d questions with yes or no: drawn from a random network with two parents."""
    rng = np.random.default_rng(seed)
    return planted((2,) * d, 2, strength=2.0, rng=rng).sample(n, rng=rng)


def skeleton(network: Pairs) -> set[Set]:
    """Return the edges of a network without their directions, the smaller attribute first."""
    return {(min(x, parent), max(x, parent)) for x, parents in network for parent in parents}


def marked(found: Pairs, right: Pairs) -> Floats:
    """Compare the edges of two networks, directions aside.

    Returns
    -------
    array
        Below the diagonal 3 for an edge of both networks, 2 for a false one, 1 for a missing one, 0 for none; not a
        number on the diagonal and above it.
    """
    d, mine, theirs = len(found), skeleton(found), skeleton(right)
    cells = np.full((d, d), np.nan)
    for low, high in combinations(range(d), 2):
        cells[high, low] = 2 * ((low, high) in mine) + ((low, high) in theirs)
    return np.choose(np.nan_to_num(cells).astype(int), [0.0, 1.0, 2.0, 3.0]) + 0 * cells


def errors(
    people: Ints,
    budgets: Iterable[float],
    *,
    ask: Ask,
    build: Build,
    learners: Mapping[str, Learn],
    sample: Sample,
    repetitions: int,
    seed: int,
) -> pd.DataFrame:
    """Survey the same people again and again, and measure the tables of two attributes in what is published.

    Parameters
    ----------
    people : array
        Answers 0 or 1, people × attributes.
    budgets : iterable of float
        Of a whole record.
    ask, build : callable
        The reports of all people, and the tables that a server makes of them.
    learners : mapping of str to callable
        Each returns a network from tables and budget.
    sample : callable
        Draws synthetic people from a network and tables.
    repetitions, seed : int

    Returns
    -------
    DataFrame
        For every budget ``ε``, repetition and ``table`` the ``error``: the average variation distance from the truth,
        in the mean over all pairs.  The last table, "each attribute alone", is a product of private columns.
    """
    n, d = people.shape
    pairs, sizes, rows = sets_of(d, 2), (2,) * d, []
    truth = marginals(people, sizes, pairs)
    for eps in budgets:
        for repetition in range(repetitions):
            rng = np.random.default_rng([seed, repetition, round(100 * eps)])
            told = ask(people, eps, rng)
            tables = build(told, sets_of(d, 3), eps)
            made = {name: sample(learn(tables, eps), tables, n, rng) for name, learn in learners.items()}
            alone = independent(build(told, sets_of(d, 1), eps), sizes, pairs)
            rows += [
                {"ε": eps, "table": name, "error": avd(truth, other, sizes, 2, sets=pairs)}
                for name, other in {**made, "each attribute alone": alone}.items()
            ]
    return pd.DataFrame(rows)


def error(people: Ints, other: Ints) -> float:
    """Return the average variation distance of two tables of people, in the mean over all pairs of attributes."""
    sizes, pairs = (2,) * people.shape[1], sets_of(people.shape[1], 2)
    return avd(people, other, sizes, 2, sets=pairs)


def draw(network: Pairs, names: Sequence[str], at: Sequence[tuple[float, float]], notes: Sequence[str]) -> Axes:
    """Draw a network as boxes with names and conditional tables, and an arrow from each parent."""
    from ldpnb.book import diagram

    ax = diagram._sheet()
    wide, tall, lines = 1.62, 0.3, [note.count("\n") + 1 for note in notes]
    depth = [tall + 0.19 * rows + 0.08 for rows in lines]
    for x, parents in network:
        for parent in parents:
            start, end = at[parent], at[x]
            diagram.arrow(ax, (start[0], start[1] - depth[parent]), end)
    for (x, y), name, note, down in zip(at, names, notes, depth, strict=True):
        diagram.frame(ax, x - wide / 2, y - down, wide, down, ("white", diagram.INK))
        diagram.frame(ax, x - wide / 2, y - tall, wide, tall, (diagram.FILLS[2], diagram.INK))
        diagram._write(ax, x, y - tall / 2, name)
        diagram._write(ax, x, y - tall - 0.05, note, 10, va="top", linespacing=1.25)
    low = min(y - down for (_, y), down in zip(at, depth, strict=True))
    return diagram._cut(ax, low - 0.1, max(y for _, y in at) + 0.1)
