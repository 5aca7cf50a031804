"""Experiments on Bayes networks: planted people, networks drawn and compared, synthetic tables beside the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.attributes import (
    Network,
    avd,
    edge_accuracy,
    entropy_root,
    fit,
    i_sum,
    independent,
    kl,
    marginals,
    planted,
    resampled,
    uniform_records,
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


# ------------------------------------------------------------------------------------------------- the lesson's figures


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
    from ldpnb.book import diagram

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
            diagram.arrow(ax, (at[parent][0], at[parent][1] - depth[parent]), at[x])
    return diagram._cut(ax, min(at[x][1] - depth[x] for x in depth) - 0.1, max(y for _, y in at) + 0.1)


# ------------------------------------------------------------------------------------------------- the paper's figures

Records = Callable[[Ints, Sequence[int], float, np.random.Generator], Any]  # people, sizes, f: what the server has
Rules = Mapping[str, Callable[[Any, Sequence[Set]], Sequence[Floats]]]  # ways to make tables of that
Learn = Callable[[Tables, int, int, int], Network]  # tables, d, k, root
Rows = list[dict[str, Any]]


def queries(d: int, a: int, most: int) -> list[Set]:
    """Return all sets of a attributes, or `most` of them, always the same."""
    every = sets_of(d, a)
    if len(every) <= most:
        return every
    chosen = np.random.default_rng(a).choice(len(every), most, replace=False)
    return [every[i] for i in sorted(chosen)]


class Truth:
    """The people's own table, counted: marginals, and the networks learned from them.

    Parameters
    ----------
    records : array
        People × attributes.
    sizes : sequence of int
        Number of values of each attribute.
    learn : callable
        The learner: (tables, d, k, root) -> Network.
    ks : sequence of int
        Largest numbers of parents.
    cells : int
        Number of cells of the tables whose shape is looked at.
    most : int
        So many sets of attributes are asked about, for each size.
    """

    def __init__(
        self, records: Ints, sizes: Sequence[int], learn: Learn, ks: Sequence[int], cells: int, most: int
    ) -> None:
        self.records, self.sizes, self.d, self.learn = records, tuple(sizes), len(sizes), learn
        self.asked = {a: queries(self.d, a, most) for a in (2, 3, 4, 5)}
        wanted = {*sets_of(self.d, 1, *(k + 1 for k in ks)), *self.sets}
        self.tables = marginals(records, self.sizes, sorted(wanted, key=lambda s: (len(s), s)))
        self.root = entropy_root({s: self.tables[s] for s in sets_of(self.d, 1)})
        self.networks = {k: learn(self.of(k), self.d, k, self.root) for k in ks}
        self.shaped = [s for s in self.sets if np.prod([self.sizes[j] for j in s]) == cells]

    @property
    def sets(self) -> list[Set]:
        """All sets that are asked about."""
        return [s for sets in self.asked.values() for s in sets]

    def of(self, k: int) -> dict[Set, Floats]:
        """Return the tables of k + 1 attributes."""
        return {s: self.tables[s] for s in sets_of(self.d, k + 1)}

    def errors(self, other: Any) -> dict[str, float]:
        """Return AVD and KL of tables of two to five attributes, and how single tables of some size look (Fig. 8)."""
        found = other if isinstance(other, dict) else marginals(other, self.sizes, sorted({*self.sets}))
        n, row = len(self.records), {}
        for a, sets in self.asked.items():
            row[f"AVD {a}"] = avd(self.tables, found, self.sizes, a, sets=sets)
            smooth = {s: (n * found[s] + 0.5) / (n + found[s].size / 2) for s in sets}
            row[f"KL {a}"] = kl(self.tables, smooth, self.sizes, a, sets=sets)
        single = [np.abs(self.tables[s] - found[s]).sum() / 2 for s in self.shaped]
        pairs = [(self.tables[s].ravel(), found[s].ravel()) for s in self.shaped]
        alike = [np.corrcoef(p, q)[0, 1] if np.ptp(q) > 1e-12 else 0.0 for p, q in pairs]
        row |= {"shape AVD": np.mean(single), "shape AVD, least": np.min(single), "shape AVD, most": np.max(single)}
        return row | {"shape correlation": np.median(alike)}


def rows_of(f: float, rule: str, k: int, values: Mapping[str, float]) -> Rows:
    """Return a row for each value."""
    return [{"f": f, "rule": rule, "k": k, "what": what, "value": float(value)} for what, value in values.items()]


def baselines(truth: Truth, seed: int) -> Rows:
    """Return errors without reports: people drawn again, independent columns, the uniform law, a clean network."""
    rng, sizes = np.random.default_rng([seed, 0]), truth.sizes
    clean = fit(truth.networks[2], truth.of(2)).sample(len(truth.records), rng=rng)
    others = {
        "people drawn again": resampled(truth.records, rng=rng),
        "independent columns": independent(truth.records, sizes, truth.sets),
        "uniform": uniform_records(sizes, truth.sets),
        "no noise": clean,
    }
    rows = [row for name, other in others.items() for row in rows_of(0.0, name, 2, truth.errors(other))]
    for k, network in truth.networks.items():
        rows += rows_of(0.0, "raw", k, {"I_sum": i_sum(network, truth.tables)})
    starts = [i_sum(truth.learn(truth.of(2), truth.d, 2, root), truth.tables) for root in range(truth.d)]
    names = {"any": float(np.mean(starts)), "worst": min(starts), "best": max(starts)}
    return rows + rows_of(0.0, "raw", 2, {f"I_sum, {name} start": value for name, value in names.items()})


def tables_of(build: Callable[..., Sequence[Floats]], told: Any, d: int, size: int) -> dict[Set, Floats]:
    """Return the tables of all sets of one size."""
    return dict(zip(sets_of(d, size), build(told, sets_of(d, size)), strict=True))


def repetition(
    truth: Truth, f: float, seed: int, number: int, ask: Records, rules: Rules, plan: Mapping[str, Sequence[int]]
) -> Rows:
    """Ask each person once, and measure networks and synthetic people, for the k that `plan` has for each rule."""
    rng, d, n, rows = seeded(seed, number, f), truth.d, len(truth.records), []
    told = ask(truth.records, truth.sizes, f, rng)
    for rule, ks in plan.items():
        root = entropy_root(tables_of(rules[rule], told, d, 1))
        for k in ks:
            tables = tables_of(rules[rule], told, d, k + 1)
            roots = list(range(d)) if k == 2 else [root]
            networks = [truth.learn(tables, d, k, start) for start in roots]
            made = [fit(network, tables).sample(n, rng=rng) for network in networks]
            sums = [i_sum(g, marginals(x, truth.sizes, g.sets)) for g, x in zip(networks, made, strict=True)]
            mine = networks[roots.index(root)]
            first = networks.index(mine)  # another start may have found the same network
            found = {
                "I_sum estimated": i_sum(mine, tables),
                "I_sum synthetic": sums[first],
                "I_sum raw": i_sum(mine, truth.tables),
                **edge_accuracy(mine.edges, truth.networks[k].edges, d),
            }
            if k == 2:
                found |= {"I_sum synthetic, any start": float(np.mean(sums)), **truth.errors(made[first])}
            rows += rows_of(f, rule, k, found)
    return rows


def columns(truth: Truth, told: Any, build: Callable[..., Sequence[Floats]]) -> dict[Set, Floats]:
    """Return independent columns that a server could publish, from the same reports by the same rule."""
    return independent(tables_of(build, told, truth.d, 1), truth.sizes, truth.sets)


def compared(truth: Truth, f: float, seed: int, number: int, ask: Records, rules: Rules, starts: Iterable[str]) -> Rows:
    """Measure independent columns on the reports of `repetition`, and for some rules the networks from all starts."""
    rng, d, n, rows = seeded(seed, number, f), truth.d, len(truth.records), []
    told = ask(truth.records, truth.sizes, f, rng)
    for rule, build in rules.items():
        found = truth.errors(columns(truth, told, build))
        if rule in starts:
            tables, mine = tables_of(build, told, d, 3), entropy_root(tables_of(build, told, d, 1))
            networks = [truth.learn(tables, d, 2, root) for root in range(d)]
            raw = [i_sum(network, truth.tables) for network in networks]
            made = [marginals(fit(g, tables).sample(n, rng=rng), truth.sizes, g.sets) for g in networks]
            seen = [i_sum(g, x) for g, x in zip(networks, made, strict=True)]
            found |= {"start": mine, "I_sum raw": raw[mine]}
            found["gain raw"] = float(100 * (raw[mine] / np.mean(raw) - 1))
            found["gain synthetic"] = float(100 * (seen[mine] / np.mean(seen) - 1))
        rows += rows_of(f, f"columns, {rule}", 2, found)
    return rows


def gathered(rows: Rows) -> pd.DataFrame:
    """Return mean and standard deviation over repetitions, and the first one."""
    groups = pd.DataFrame(rows).groupby(["f", "rule", "k", "what"], sort=False)["value"]
    frame = groups.agg(mean="mean", sd=lambda x: x.std(ddof=1) if len(x) > 1 else 0.0, first="first", runs="size")
    return frame.reset_index().round(5)
