"""Experiments on Bayes networks: planted people, networks drawn and compared, synthetic tables beside the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.attributes import (
    avd,
    independent,
    marginals,
    planted,
)
from ldpnb.core import Floats, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Set = tuple[int, ...]
Pairs = Sequence[tuple[int, Set]]  # an attribute and its parents, parents first
Tables = Mapping[Set, Floats]
Point = tuple[float, float]
Ask = Callable[[Ints, float, np.random.Generator], Any]  # people, budget: what the server has
Build = Callable[[Any, Sequence[Set], float], Tables]  # that, sets, budget
Publish = Callable[[Tables, int, int, float, int, float, np.random.Generator], Ints]  # tables, d, r, z, n, budget


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
    """Compare edges: below the diagonal 3 where both have one, 2 for a false one, 1 for a missing one, else 0."""
    mine, theirs = skeleton(found), skeleton(right)
    cells = np.full((len(found), len(found)), np.nan)
    for edge in combinations(range(len(found)), 2):
        cells[edge[::-1]] = 2 * (edge in mine) + (edge in theirs)
    return cells


def error(truth: Tables, other: Any, d: int) -> float:
    """Return the average variation distance of tables of two of d attributes, in the mean over all pairs."""
    return avd(truth, other, (2,) * d, 2, sets=sets_of(d, 2))


def seeded(seed: int, number: int, f: float) -> np.random.Generator:
    """Return the random numbers of one repetition, at one budget or rate of flips."""
    return np.random.default_rng([seed, number, round(100 * f)])


def errors(
    people: Ints,
    budgets: Iterable[float],
    ask: Ask,
    build: Build,
    publish: Publish,
    plans: Mapping[str, tuple[int, float]],
    *,
    repetitions: int,
    seed: int = 7,
) -> pd.DataFrame:
    """Survey the same people again and again; return the ``error`` of each ``table`` at each budget ``ε``.

    The tables are what `publish` makes with the r and z of each plan, and private columns, "each attribute alone".
    """
    (n, d), rows = people.shape, []
    truth = marginals(people, (2,) * d, sets_of(d, 2))
    for eps, number in product(budgets, range(repetitions)):
        rng = seeded(seed, number, eps)
        told = ask(people, eps, rng)
        tables = build(told, sets_of(d, 3), eps)
        made: dict[str, Any] = {name: publish(tables, d, *plan, n, eps, rng) for name, plan in plans.items()}
        made["each attribute alone"] = independent(build(told, sets_of(d, 1), eps), (2,) * d, sets_of(d, 2))
        rows += [{"ε": eps, "table": name, "error": error(truth, other, d)} for name, other in made.items()]
    return pd.DataFrame(rows)


def draw(network: Pairs, names: Sequence[str], at: Sequence[Point], yes: Mapping[int, Floats]) -> Axes:
    """Draw a network: a box for each attribute, with its probabilities of yes, and an arrow from each parent."""
    from ldpnb_book import diagram

    ax, half, tall, depth = diagram._sheet(), 0.85, 0.3, {}
    for x, parents in network:
        cells = [
            (", ".join(f"{names[p]} {a}" for p, a in zip(parents, cell, strict=True)), yes[x][cell])
            for cell in product((0, 1), repeat=len(parents))
        ]
        (left, top), depth[x] = at[x], tall + 0.08 + 0.19 * len(cells)
        diagram.frame(ax, left - half, top - depth[x], 2 * half, depth[x], ("white", diagram.INK))
        diagram.frame(ax, left - half, top - tall, 2 * half, tall, (diagram.FILLS[2], diagram.INK))
        diagram._write(ax, left, top - tall / 2 - 0.01, names[x])
        for i, (given, p) in enumerate(cells):
            diagram._write(ax, left, top - tall - 0.135 - 0.19 * i, f"{given}: {p}".removeprefix(": "), 10)
        for parent in parents:
            aside = np.clip(at[parent][0] - at[x][0], -0.5, 0.5)  # tips of several arrows stay apart
            diagram.arrow(ax, (at[parent][0], at[parent][1] - depth[parent]), (at[x][0] + aside, at[x][1]))
    return diagram._cut(ax, min(at[x][1] - depth[x] for x in depth) - 0.1, max(y for _, y in at) + 0.1)
