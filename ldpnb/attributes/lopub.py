"""LoPub: a synthetic table by a Markov network, from reports about all attributes at once.

.. code-block:: text

    reports ─▶ tables of all pairs ─▶ dependency graph ─▶ junction tree
            ─▶ tables of its cliques ─▶ synthetic records

It happens to reports and costs no privacy.  Source: Ren et al. 2018 (LoPub), as far as Ye et al.
2018, section 4.1.2, and public descriptions tell.  They leave open which triangulation and which
roots are taken, what to draw where a clique's table has no row for what was drawn before, and how
large cliques may be: what is done about these is our choice, and each docstring says so.  LoPub
begins EM at a Lasso's guess, which is left out: the likelihood is concave, and `tables.likeliest`
climbs to a certified gap from any start.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isqrt, prod

import numpy as np
from numpy.typing import ArrayLike

from ldpnb._door import needs
from ldpnb.attributes.bitflip import Flip
from ldpnb.attributes.maxent import check_edge
from ldpnb.attributes.records import Set, cell_of, drawn
from ldpnb.attributes.tables import (
    WIDE,
    Joint,
    Symbols,
    check_table,
    conditional,
    information,
    likeliest,
    symbols,
)
from ldpnb.checks import check_count, check_probability
from ldpnb.core import Floats, Ints, Reports
from ldpnb.oracles.grr import GRR

CELLS = 4096  # of the largest clique, unless told otherwise

# ------------------------------------------------------------- which attributes go together


def dependency(tables: Sequence[ArrayLike], phi: float) -> tuple[Set, ...]:
    r"""Join any two attributes that share enough information.

    The bound is :math:`I_{ij} \ge \min(\kappa_i-1,\kappa_j-1)\,\phi^2/2`.  Near independence
    :math:`2nI \approx \chi^2`, so that to first order it is Cramér's V ≥ φ.  The information of an
    estimated table is too large on average (`tables.information_bias`); where the bound is below
    that, noise alone joins everything.

    Source: Ren et al. 2018.

    Parameters
    ----------
    tables : sequence of array_like (κ_i, κ_j)
        Shares for all pairs i < j of d attributes, in lexicographic order.
    phi : float in [0, 1]
    """
    phi = check_probability(phi, "phi")
    d = (1 + isqrt(1 + 8 * len(tables))) // 2
    if d * (d - 1) // 2 != len(tables):
        rule = "tables must be those of all pairs of d attributes, d(d−1)/2"
        raise ValueError(f"{rule}, got {len(tables)}")
    pairs = list(combinations(range(d), 2))
    checked = [check_table(table, pair) for pair, table in zip(pairs, tables, strict=True)]
    joined = []
    for pair, table in zip(pairs, checked, strict=True):
        if information(table) >= (min(table.shape) - 1) * phi**2 / 2:
            joined.append(pair)
    return tuple(joined)


@dataclass(frozen=True)
class Tree:
    """A junction tree, or a forest where the graph falls apart; each clique is after its parent.

    Attributes
    ----------
    cliques : tuple of tuples of int
        Maximal cliques of the triangulated graph, each increasing; together they hold all
        attributes.
    parents : tuple of int
        Place of each clique's parent, −1 for a root.
    separators : tuple of tuples of int
        What a clique shares with its parent; by running intersection, also with all cliques before
        it.
    """

    cliques: tuple[Set, ...]
    parents: tuple[int, ...]
    separators: tuple[Set, ...]


def triangulated(edges: Iterable[Set], d: int) -> tuple[Set, ...]:
    """Add edges to a graph until every cycle of more than three attributes has a shortcut.

    MCS-M (Berry, Blair, Heggernes and Peyton 2004), of whose edges none can be left out, though
    other triangulations can have smaller cliques: our choice.

    Parameters
    ----------
    edges : iterable of pairs of int
        Of attributes 0, …, d−1.
    d : int, at least 1
    """
    needs("triangulated", "chapters", "networkx")
    import networkx as nx  # type: ignore[import-untyped]  # it has no types

    graph = nx.Graph()
    graph.add_nodes_from(range(check_count(d, 1, "d")))
    checked = [sorted(check_edge(edge, d, "edges")) for edge in edges]
    graph.add_edges_from(sorted(checked))
    chordal, _ = nx.complete_to_chordal_graph(graph)
    return tuple(sorted((min(edge), max(edge)) for edge in chordal.edges))


def junction_tree(edges: Iterable[Set], d: int) -> Tree:
    """Triangulate a graph on the attributes 0, …, d−1 and arrange its maximal cliques in a tree.

    A spanning tree of the cliques has the running intersection property if and only if its
    separators have the largest total size (Jensen and Jensen 1994).  The roots are our choice: in
    each part of the graph its first clique, in lexicographic order.

    Parameters
    ----------
    edges : iterable of pairs of int
    d : int, at least 1
    """
    needs("junction_tree", "chapters", "networkx")
    import networkx as nx

    chordal = nx.Graph(triangulated(edges, d))
    chordal.add_nodes_from(range(d))
    cliques = sorted(tuple(sorted(clique)) for clique in nx.chordal_graph_cliques(chordal))
    meet = nx.Graph()
    meet.add_nodes_from(cliques)
    for a, b in combinations(cliques, 2):
        common = len(set(a) & set(b))
        if common:
            meet.add_edge(a, b, weight=common)
    tree = nx.maximum_spanning_tree(meet)
    above: dict[Set, Set] = {}  # the parent of each clique, () of a root
    for clique in cliques:
        if clique not in above:
            above[clique] = ()
            for parent, child in nx.bfs_edges(tree, clique):
                above[child] = parent
    place = {clique: at for at, clique in enumerate(above)}
    parents = []
    separators = []
    for clique, parent in above.items():
        parents.append(place.get(parent, -1))
        separators.append(tuple(sorted(set(clique) & set(parent))))
    return Tree(tuple(above), tuple(parents), tuple(separators))


# ----------------------------------------------------------------------------- synthetic records


def conditionals(tree: Tree, tables: Sequence[ArrayLike]) -> list[Floats]:
    """Shares of the new attributes of each clique given its separator.

    Tables of cliques that were estimated one by one need not agree about a separator.  Where a
    value of it has no probability in the child's table (less than 1e-12), the new attributes
    follow their marginal there: our choice.

    Parameters
    ----------
    tree : Tree
    tables : sequence of array_like
        Shares in each clique, in the tree's order, axes in the order of its attributes.

    Returns
    -------
    list of ndarray (cells of the separator, cells of the rest)
    """
    if len(tables) != len(tree.cliques):
        rule = f"tables must be one for each clique, {len(tree.cliques)}"
        raise ValueError(f"{rule}, got {len(tables)}")
    found = []
    sizes: dict[int, int] = {}
    for clique, separator, table in zip(tree.cliques, tree.separators, tables, strict=True):
        shares = check_table(table, clique)
        for j, size in zip(clique, shares.shape, strict=True):
            if sizes.setdefault(j, size) != size:
                rule = f"tables must agree about attribute {j}"
                raise ValueError(f"{rule}, got {sizes[j]} values and {size}")
        rows = conditional(shares, [clique.index(j) for j in separator])
        found.append(rows.reshape(-1, rows.shape[-1]))
    return found


def synthesise(
    tree: Tree,
    tables: Sequence[ArrayLike],
    n: int,
    *,
    rng: np.random.Generator,
) -> Ints:
    """Draw records: a root clique, then of each clique what is new in it, given its separator.

    A record has the product of the `conditionals` as its law.  If the tables agree about the
    separators, that is ∏ P(clique) / ∏ P(separator), whatever the roots, and its marginals are the
    tables.  If not, the roots' tables still are; the others are followed only given their
    separators.

    Tree and tables are as for `conditionals`; one number is drawn for each clique and person.
    """
    n = check_count(n, 1, "n")
    laws = conditionals(tree, tables)
    d = max(max(clique) for clique in tree.cliques) + 1
    columns = np.empty((d, n), np.int64)
    parts = zip(tree.cliques, tree.separators, tables, laws, strict=True)
    for clique, separator, table, rows in parts:
        sizes = dict(zip(clique, np.shape(table), strict=True))
        new = [j for j in clique if j not in separator]
        row = cell_of(columns[list(separator)], [sizes[j] for j in separator])
        cell = drawn(rows, row, rng.random(n))
        columns[new] = np.unravel_index(cell, [sizes[j] for j in new])
    return columns.T


@dataclass(frozen=True, eq=False)
class Published:
    """Synthetic records, and what they were made of.

    Attributes
    ----------
    records : ndarray of int64 (n, d)
    edges : tuple of pairs of int
        Of the dependency graph.
    tree : Tree
    tables : list of ndarray
        Shares in the cliques, in the tree's order.
    """

    records: Ints
    edges: tuple[Set, ...]
    tree: Tree
    tables: list[Floats]


def publish(
    mechanism: Flip | Sequence[GRR],
    reports: Reports,
    *,
    phi: float,
    n: int,
    rng: np.random.Generator,
    limit: int = CELLS,
    joint: Callable[[Symbols, Sequence[Set]], Joint] = likeliest,
) -> Published:
    """Make a synthetic table from reports.

    Estimate all pairs, join the dependent ones, estimate the cliques, draw.  The records are a
    function of the reports and protect people as these do, with the client's ε.  That there is a
    limit is our choice: the work and the noise of a clique grow with its ∏κ cells, and one edge
    too many can join much.

    Every report answers about all attributes, each with ε/d of a record's ε.  Of 50,000 reports
    about six, pairs are worse than in columns drawn alone at ε/d = 1/3, and good from 1 on.  For
    yes/no attributes random blocks are good at both: `Blocks`, and `release` of its tally.

    Time grows with cells times different reports of the largest clique, for yes/no attributes about
    sixfold with each: of 50,000 reports, eight take seconds; of nine or more EM takes minutes, and
    may end in a RuntimeError.

    Source: Ren et al. 2018.

    Parameters
    ----------
    mechanism, reports
        As for `tables.symbols`.
    phi : float in [0, 1]
        As for `dependency`.
    n : int
        Number of synthetic records.
    rng : numpy.random.Generator
    limit : int
        Most cells a clique may have.
    joint : callable
        From symbols and sets to tables: `tables.likeliest`, or `tables.expectation` with its stop
        fixed.

    Raises
    ------
    ValueError
        If a clique has more cells than `limit`, or an argument is not as it should be.

    Warns
    -----
    UserWarning
        If it may take minutes.
    """
    n = check_count(n, 1, "n")
    limit = check_count(limit, 1, "limit")
    found = symbols(mechanism, reports)
    sizes = found.sizes
    pairs = list(combinations(range(len(sizes)), 2))
    edges: tuple[Set, ...] = ()
    if pairs:
        _warn_of_em(found, pairs)
        edges = dependency(joint(found, pairs).tables, phi)
    tree = junction_tree(edges, len(sizes))
    cells, largest = max((_cells(clique, sizes), clique) for clique in tree.cliques)
    if cells > limit:
        most = f"the cells of the largest clique, {cells} for the attributes {largest}"
        raise ValueError(f"limit must be at least {most}, got {limit}; a larger phi joins less")
    _warn_of_em(found, tree.cliques)
    tables = list(joint(found, tree.cliques).tables)
    return Published(synthesise(tree, tables, n, rng=rng), edges, tree, tables)


def _warn_of_em(symbols: Symbols, sets: Sequence[Set]) -> None:
    """Warn of sets whose cells times different reports are more than Newton's method is for."""
    work = []
    for chosen in sets:
        cells = _cells(chosen, symbols.sizes)
        reports = prod(len(symbols.channels[j]) for j in chosen)
        work.append((cells, min(len(symbols), reports), chosen))
    cells, reports, largest = max(work)
    if cells * reports > WIDE:
        what = f"the attributes {largest} have {cells} cells and up to {reports} different reports"
        cure = (
            "a larger phi joins less; of yes/no attributes random blocks tell more, in seconds: "
            "Blocks and release"
        )
        warnings.warn(f"publish may take minutes, since {what}: {cure}", stacklevel=3)


def _cells(chosen: Set, sizes: Sequence[int]) -> int:
    """Return the number of cells of a set's table."""
    return prod(sizes[j] for j in chosen)
