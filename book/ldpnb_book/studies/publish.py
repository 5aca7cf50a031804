"""Experiments of the lesson on a table for the public: pictures of graphs, and releases made again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.attributes.fidelity import avd, independent, marginals
from ldpnb.core import Floats, Ints
from ldpnb_book._style import table

if TYPE_CHECKING:
    from IPython.display import HTML
    from matplotlib.axes import Axes

Set = tuple[int, ...]
Estimate = Callable[[Set], tuple[Floats, Floats]]


def draw_graph(
    ax: Axes, names: Sequence[str], edges: Iterable[Set], added: Iterable[Set] = (), order: Set = ()
) -> None:
    """Draw attributes on a circle, clockwise in `order`, with edges between them; those added later are dashed."""
    places = np.argsort(order or range(len(names)), kind="stable")
    angles = np.pi / 2 - 2 * np.pi * places / len(names)
    at = np.column_stack([np.cos(angles), np.sin(angles)])
    for some, dash in ((edges, "-"), (added, "--")):
        for pair in some:
            ax.plot(*at[list(pair)].T, color="#333333", linewidth=1.4, linestyle=dash, marker="", zorder=1)
    for j, ((x, y), name) in enumerate(zip(at, names, strict=True)):
        ax.text(x, y, str(j), ha="center", va="center", zorder=3, color="black", bbox=_bubble("circle"))
        if abs(x) < 0.1:
            ax.text(x, y + (0.3 if y > 0 else -0.3), name, ha="center", va="center")
        else:
            ax.text(x + (0.22 if x > 0 else -0.22), y, name, ha="left" if x > 0 else "right", va="center")
    ax.set(xlim=(-2.3, 2.3), ylim=(-1.5, 1.5))
    ax.set_axis_off()


def draw_tree(ax: Axes, tree: Sequence[tuple[Set, Set]]) -> None:
    """Draw cliques below each other, each joined to the first one before it that holds what it shares."""
    level: list[int] = []
    for i, (_, shared) in enumerate(tree):
        above = [k for k in range(i) if shared and {*shared} <= {*tree[k][0]}]
        level.append(level[above[0]] + 1 if above else 0)
    wide = [level.count(rank) for rank in level]
    at = [((level[:i].count(rank) + 0.5) / wide[i], -float(rank)) for i, rank in enumerate(level)]
    for i, (clique, shared) in enumerate(tree):
        if level[i]:
            parent = next(k for k in range(i) if {*shared} <= {*tree[k][0]})
            (x0, y0), (x1, y1) = at[parent], at[i]
            ax.plot([x0, x1], [y0, y1], color="#333333", linewidth=1.4, linestyle="-", marker="", zorder=1)
            middle: dict[str, Any] = {
                "ha": "center",
                "va": "center",
                "zorder": 2,
                "bbox": {"fc": "white", "ec": "none", "pad": 1},
            }
            ax.text((x0 + x1) / 2, (y0 + y1) / 2, _written(shared), color="black", fontsize=10, **middle)
        ax.text(*at[i], _written(clique), ha="center", va="center", zorder=3, color="black", bbox=_bubble("round"))
    ax.set(xlim=(0, 1), ylim=(-max(level) - 0.4, 0.4))
    ax.set_axis_off()


def _written(attributes: Set) -> str:
    return " ".join(map(str, attributes))


def _bubble(shape: str) -> dict[str, str]:
    return {"boxstyle": f"{shape},pad=0.4", "fc": "#CFE8F7", "ec": "#333333"}


def beside(estimate: Estimate, people: Ints, names: Sequence[str], A: Set) -> HTML:
    """Show the cells of a table of binary attributes: truth and estimate with its standard error."""
    cells, errors = estimate(A)
    rows = []
    for t in np.ndindex(cells.shape):
        row = {names[j]: "yes" if x else "no" for j, x in zip(A, t, strict=True)}
        row["true"] = f"{(people[:, A] == t).all(1).mean():.3f}"
        rows.append(row | {"estimate": f"{cells[t]:.3f} ± {errors[t]:.3f}"})
    return table(pd.DataFrame(rows))


def pairs(estimate: Estimate, people: Ints, rows: Ints) -> pd.DataFrame:
    """Return all cells of all pairs of binary attributes: ``true``, in ``rows``, ``estimate`` and ``error``."""
    found = []
    for pair in combinations(range(people.shape[1]), 2):
        cells, errors = estimate(pair)
        for t in np.ndindex(cells.shape):
            true, made = ((some[:, pair] == t).all(1).mean() for some in (people, rows))
            found.append({"true": true, "rows": made, "estimate": cells[t], "error": errors[t]})
    return pd.DataFrame(found).sort_values("true", ignore_index=True, kind="stable")


def distances(made: Mapping[str, Ints], people: Ints, *, orders: Sequence[int]) -> pd.DataFrame:
    """Average variation distance of binary rows from people, and of independent columns with the true shares.

    Returns
    -------
    pandas.DataFrame
        A row for each of `made` and the last for independent columns, a column for each order of sets of attributes.
    """
    sizes, found = (2,) * people.shape[1], {}
    for a in orders:
        true = marginals(people, sizes, combinations(range(len(sizes)), a))
        every: dict[str, Any] = {**made, "independent columns": independent(people, sizes, true)}
        found[a] = {name: float(avd(true, rows, sizes, a)) for name, rows in every.items()}
    return pd.DataFrame(found)


def fidelity(made: Mapping[str, Ints], people: Ints, *, orders: Sequence[int]) -> HTML:
    """Show `distances`."""
    names = {a: f"sets of {a}" for a in orders} | {2: "pairs", 3: "triples", 4: "fours"}
    found = distances(made, people, orders=orders).rename(columns=names)
    return table(found.map("{:.3f}".format).rename_axis("AVD").reset_index())


def difference(rows: Ints) -> tuple[float, float]:
    """How much more frequent attribute 0 is where attribute 1 is 0, and a standard error as if rows were people."""
    without, with_it = (rows[rows[:, 1] == x, 0] for x in (0, 1))
    square = without.var() / len(without) + with_it.var() / len(with_it)
    return float(without.mean() - with_it.mean()), float(np.sqrt(square))
