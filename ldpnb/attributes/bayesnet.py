r"""Bayes networks: a law of many attributes from tables of a few.

Networks are learned greedily, and sampled attribute by attribute.  A network of degree k gives
every attribute X at most k parents Π among those placed before it, and stands for the law

.. math::

    P_N(x) = \prod_i P(x_i \mid x_{\Pi_i}), \qquad
    \mathrm{KL}(P \,\|\, P_N) = \sum_i H(X_i) - H(P) - \sum_i I(X_i; \Pi_i),

so only the sum of informations matters for the choice of the network.  It is made large greedily:
the pair (X, Π) with the largest information joins next.  Everything here works on tables that were
estimated from reports (or counted), and computing from reports costs no privacy.

A *table* is an ndarray of shape (κ_a, κ_b, …) for a *set* of attributes (a, b, …), an increasing
tuple; ``tables`` is a mapping from sets to tables, ``dict(zip(sets, estimated))``.  Where the table
of a set is missing, the marginal of the first table of the mapping is taken whose set contains it:
(k+1)-sets alone are enough, for the first rounds as well, and who wants these from tables of their
own puts them into the mapping.  Entropies are in nats.

Source: Ren et al. 2019, §4.2 and §5.2.3–5.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.attributes.maxent import check_sets
from ldpnb.attributes.records import Set, cell_of, drawn
from ldpnb.attributes.tables import check_table, conditional, entropy, information
from ldpnb.checks import check_count, check_positive, shown
from ldpnb.core import Floats, Ints

CELLS = 2**22  # most cells of an exact joint law
CARRIES = ("all", "each", "one")

Tables = Mapping[Set, ArrayLike]
Pair = tuple[int, Set]  # an attribute and its parents
Score = Callable[[int, Set], float]
Ranked = tuple[float, int, Set]  # a score with its sign turned, an attribute and its parents


# ---------------------------------------------------------------------------------- networks


@dataclass(frozen=True)
class Network:
    """A directed graph without cycles, in an order of construction.

    Parameters
    ----------
    pairs : tuple of (int, tuple of int)
        Attribute and parents (increasing), every attribute once, parents before their children.
    evaluations : int
        How often a score was asked for while learning; not compared.

    Examples
    --------
    >>> tree = Network(((0, ()), (2, (0,)), (1, (0, 2))))
    >>> tree.d, sorted(tree.edges)
    (3, [(0, 1), (0, 2), (2, 1)])
    """

    pairs: tuple[Pair, ...]
    evaluations: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        children = sorted(child for child, _ in self.pairs)
        if not children or children != list(range(len(children))):
            rule = "pairs must hold every attribute 0, …, d-1 once"
            raise ValueError(f"{rule}, got {self.pairs}")
        placed: set[int] = set()
        for child, parents in self.pairs:
            if not placed.issuperset(parents) or list(parents) != sorted(set(parents)):
                rule = f"parents must be increasing and placed before {child}"
                raise ValueError(f"{rule}, got {parents}")
            placed.add(child)

    @property
    def d(self) -> int:
        """Number of attributes."""
        return len(self.pairs)

    @property
    def edges(self) -> frozenset[tuple[int, int]]:
        """Arcs (parent, child)."""
        found: list[tuple[int, int]] = []
        for child, parents in self.pairs:
            found.extend((parent, child) for parent in parents)
        return frozenset(found)

    @property
    def skeleton(self) -> frozenset[tuple[int, int]]:
        """Edges without direction, (smaller, larger)."""
        return frozenset((min(edge), max(edge)) for edge in self.edges)

    @property
    def sets(self) -> tuple[Set, ...]:
        """Each attribute with its parents, increasing: the tables that the network needs.

        They are in the order of `pairs`.
        """
        return tuple(_family(child, parents) for child, parents in self.pairs)


def _family(child: int, parents: Iterable[int]) -> Set:
    """Return an attribute with its parents, increasing."""
    return tuple(sorted((child, *parents)))


def greedy(score: Score, d: int, k: int, *, root: int, carry: str = "each") -> Network:
    """Learn a network: from the root on, add the pair (X, Π) of the largest score.

    There are min(k, number placed) parents.  Ties go to the smallest attribute, then to the
    lexicographically first parents.

    ``carry="all"`` (Algorithm 3) scores all pairs in every round.  ``"each"`` scores only those
    whose parents include the attribute just placed, and carries the best earlier pair of each
    remaining attribute.  It returns the same network: by induction the carried pair is the best
    among all parents placed so far.  ``"one"`` is Algorithm 4 as printed: one pair is carried, the
    best whose attribute was not placed.  The others are forgotten, and with them what the network
    may need later.

    Source: Ren et al. 2019, Algorithms 3 and 4.  Line 4 of Algorithm 3 must empty Ω in every round;
    line 11 of Algorithm 4 gives the runner-up the name of the pair of line 10, the one that is
    added.

    Parameters
    ----------
    score : callable (child, parents) -> float
        Such as `Scores`; parents increase.
    d : int, at least 2
    k : int in [1, d)
        Most parents of an attribute.
    root : int in [0, d)
        Drawn by the caller (Algorithm 3), or `entropy_root` (Algorithm 4).
    carry : "all", "each" or "one"

    Returns
    -------
    Network
        With the number of evaluations, equal to `evaluations`.
    """
    _check_degree(d, k, carry)
    pick = check_count(root, 0, "root", d - 1)
    asked = 0
    pairs: list[Pair] = [(pick, ())]
    carried: dict[int, Ranked] = {}
    while len(pairs) < d:
        placed = sorted(child for child, _ in pairs)
        parents = list(combinations(placed, min(k, len(placed))))
        if len(placed) <= k or carry == "all":
            carried.clear()
        else:
            parents = [some for some in parents if pick in some]
        best: dict[int, Ranked] = {}
        for x in range(d):
            if x not in placed:
                best[x] = _best(score, x, parents)
                asked += len(parents)
                if x in carried:
                    best[x] = min(best[x], carried[x])
        _, pick, chosen = min(best.values())
        pairs.append((pick, chosen))
        del best[pick]
        carried = best
        if carry == "one" and best:
            runner_up = min(best.values())
            carried = {runner_up[1]: runner_up}
    return Network(tuple(pairs), asked)


def _best(score: Score, child: int, parents: Iterable[Set]) -> Ranked:
    """Return the pair of the largest score.

    With the score's sign turned, and in front, it is the least: so ties fall as promised.
    """
    return min((-score(child, some), child, some) for some in parents)


def evaluations(d: int, k: int, carry: str) -> int:
    r"""Return how many scores `greedy` asks for.

    With :math:`w = \sum_{s=1}^{k-1} (d-s)` for the rounds with fewer than k placed:
    C(d+1, k+2) + w for ``carry="all"``, C(d, k+1) + w for the others, a (d+1)/(k+2)-th, as every
    (k+1)-set is then met once.
    """
    _check_degree(d, k, carry)
    first = sum(d - s for s in range(1, k))
    if carry == "all":
        return first + comb(d + 1, k + 2)
    return first + comb(d, k + 1)


def _check_degree(d: int, k: int, carry: str) -> None:
    check_count(k, 1, "k", check_count(d, 2, "d") - 1)
    if carry not in CARRIES:
        raise ValueError(f"carry must be one of {CARRIES}, got {shown(carry)}")


# ------------------------------------------------------------------------------------ scores


@dataclass(frozen=True)
class Scores:
    r"""The score of a pair (X, Π): its information I(X; Π) in the table of {X} ∪ Π.

    One table serves as many pairs as it has attributes.  With a penalty c the score is

    .. math:: \max_{\Pi' \subseteq \Pi} \left[ I(X; \Pi') - c(X, \Pi') \right], \qquad
       0 \text{ for } \Pi' = \emptyset,

    and `pruned` takes the maximising Π′ for the parents.  `greedy` on this score is therefore, ties
    aside, the greedy choice among all pairs with *at most* k parents: each of these is part of one
    with min(k, number placed).

    Parameters
    ----------
    tables : mapping of sets to tables
        Of non-negative numbers that sum to one.
    penalty : callable (child, parents) -> float, or None
        Such as :math:`z^2 a_X [\prod_{p \in \Pi} (1+a_p) - 1] / 2n`, z² times what noise adds to
        the information of independent attributes, with a the `inflation` of the client (`tables`).
    """

    tables: Tables
    penalty: Score | None = None
    _known: dict[Pair, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_sets(self.tables, None, "tables")
        shapes: dict[tuple[int, ...], list[Set]] = {}
        for chosen, table in self.tables.items():
            shapes.setdefault(check_table(table, chosen).shape, []).append(chosen)
        for sets in shapes.values():  # all tables of a shape at once
            self._learn(sets, np.stack([table_of(self.tables, chosen) for chosen in sets]))

    def _learn(self, sets: Sequence[Set], stack: Floats) -> None:
        """Note the information of each attribute and the others of its set, from its table."""
        axes = stack.ndim - 1
        for j in range(axes):
            found = information(stack, j, axes=axes).tolist()
            for chosen, value in zip(sets, found, strict=True):
                others = chosen[:j] + chosen[j + 1 :]
                self._known[chosen[j], others] = value

    def information(self, child: int, parents: Set) -> float:
        """Return I(X; Π), without a penalty."""
        pair = (child, parents)
        if pair not in self._known:
            chosen = _family(child, parents)
            self._learn([chosen], table_of(self.tables, chosen)[None])
        return self._known[pair]

    def parents(self, child: int, parents: Set) -> Set:
        """Return the part of Π that scores best; of equals the smallest, then the first.

        Without a penalty, it is Π itself.
        """
        if self.penalty is None:
            return parents
        parts: list[Set] = []
        for size in range(len(parents) + 1):
            parts.extend(combinations(parents, size))
        return max(parts, key=lambda part: self._net(child, part))

    def _net(self, child: int, parents: Set) -> float:
        """Information less the penalty."""
        if not parents:
            return 0.0
        found = self.information(child, parents)
        if self.penalty is None:
            return found
        return found - self.penalty(child, parents)

    def __call__(self, child: int, parents: Set) -> float:
        """Return the score of a pair; parents increase."""
        return self._net(child, self.parents(child, parents))


def pruned(network: Network, scores: Scores) -> Network:
    """Return the network with the parents that earn their penalty."""
    pairs = tuple((child, scores.parents(child, parents)) for child, parents in network.pairs)
    return Network(pairs, network.evaluations)


def entropy_root(tables: Tables) -> int:
    """Return the attribute of the largest entropy, the first of equals (Algorithm 4, line 2)."""
    d = 1 + max(max(chosen) for chosen in tables)
    return int(np.argmax([entropy(table_of(tables, (j,))) for j in range(d)]))


def i_sum(network: Network, tables: Tables) -> float:
    """Return Σ I(X; Π) over the network, in the tables given.

    These are those it was learned from, or true ones.
    """
    own = Scores({chosen: table_of(tables, chosen) for chosen in network.sets})
    return float(sum(own(*pair) for pair in network.pairs))


def table_of(tables: Tables, chosen: Set) -> Floats:
    """Return the table of a set, or the marginal of the first table whose set contains it."""
    whole = _first_with(tables, chosen)
    others = tuple(i for i, j in enumerate(whole) if j not in chosen)
    return np.asarray(np.asarray(tables[whole], np.float64).sum(others))


def _first_with(tables: Tables, chosen: Set) -> Set:
    """Return the set itself if it has a table, or the first one that contains it."""
    if chosen in tables:
        return chosen
    for whole in tables:
        if {*chosen}.issubset(whole):
            return whole
    raise ValueError(f"tables must hold a set that contains {chosen}, got none")


# ------------------------------------------------------------------------------------ models


@dataclass(frozen=True)
class Model:
    """A network with its conditional laws: a law of records.

    Parameters
    ----------
    network : Network
    cpts : tuple of ndarray, one for each pair of the network
        Axes: the parents in increasing order, then the attribute; the last sums to one.
    """

    network: Network
    cpts: tuple[Floats, ...]

    def __post_init__(self) -> None:
        if len(self.cpts) != self.network.d:
            rule = f"cpts must be one for each pair, {self.network.d}"
            raise ValueError(f"{rule}, got {len(self.cpts)}")
        for (child, parents), cpt in zip(self.network.pairs, self.cpts, strict=True):
            shape = tuple(self.sizes[j] for j in (*parents, child))
            right = cpt.shape == shape and cpt.min() >= 0
            if not right or not np.allclose(cpt.sum(-1), 1, atol=1e-9):
                law = f"the law of {child} given {parents}"
                raise ValueError(f"{law} must have rows of shape {shape} that sum to one")

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each attribute."""
        found = {}
        for (child, _), cpt in zip(self.network.pairs, self.cpts, strict=True):
            found[child] = cpt.shape[-1]
        return tuple(found[j] for j in range(self.network.d))

    def sample(self, n: int, *, rng: np.random.Generator) -> Ints:
        """Draw records, (n, d): each attribute given its parents, in the order of construction.

        The order of §5.3, a random one with the parents first, draws from the same law.
        """
        columns = np.empty((self.network.d, check_count(n, 1, "n")), np.int64)
        for (child, parents), cpt in zip(self.network.pairs, self.cpts, strict=True):
            row = cell_of(columns[list(parents)], [self.sizes[j] for j in parents])
            laws = cpt.reshape(-1, cpt.shape[-1])
            columns[child] = drawn(laws, row, rng.random(n))
        return columns.T

    def joint(self) -> Floats:
        """Return the whole law, an array of shape `sizes`; refused above `CELLS` cells."""
        cells = prod(self.sizes)
        if cells > CELLS:
            rule = f"sizes must have at most {CELLS} cells for a joint law"
            raise ValueError(f"{rule}, got {cells}")
        d = self.network.d
        law = np.ones((1,) * d)
        parts = zip(self.network.pairs, self.network.sets, self.cpts, strict=True)
        for (child, _), chosen, cpt in parts:
            table = np.moveaxis(cpt, -1, chosen.index(child))
            absent = tuple(j for j in range(d) if j not in chosen)
            law = law * np.expand_dims(table, absent)
        return law


def fit(network: Network, tables: Tables) -> Model:
    """Return the model whose conditional laws come from the table of {X} ∪ Π.

    They are P(X | Π) = P(X, Π)/P(Π).  Where P(Π) vanishes, the attribute takes its marginal law in
    that table.  The laws of overlapping tables need not agree; then the model's marginals are not
    those of the tables.

    Source: Ren et al. 2019, §5.3.
    """
    own = [check_table(table_of(tables, chosen), chosen) for chosen in network.sets]
    cpts = []
    for table, chosen, (_, parents) in zip(own, network.sets, network.pairs, strict=True):
        cpts.append(conditional(table, [chosen.index(j) for j in parents]))
    return Model(network, tuple(cpts))


def planted(
    sizes: Sequence[int],
    k: int,
    *,
    strength: float,
    rng: np.random.Generator,
) -> Model:
    """Draw a random model of degree k: data whose law is known.

    A random order; min(k, number before) random parents of each; rows of the conditional laws from
    the symmetric Dirichlet law with parameter 1/strength: near 0 attributes are independent, from
    about 10 on nearly functions.

    Parameters
    ----------
    sizes : sequence of int, each at least 2
    k : int, at least 0
        Parents of each attribute that has so many before it.
    strength : float, positive
    rng : numpy.random.Generator
    """
    found = tuple(check_count(size, 2, "sizes") for size in sizes)
    k = check_count(k, 0, "k")
    concentration = 1 / check_positive(strength, "strength")
    order = rng.permutation(len(found)).tolist()
    pairs = []
    cpts = []
    for i, child in enumerate(order):
        parents: Set = ()
        if i:
            before = rng.choice(i, min(k, i), replace=False)
            parents = tuple(sorted(order[j] for j in before))
        pairs.append((child, parents))
        weights = np.full(found[child], concentration)
        cpts.append(rng.dirichlet(weights, [found[j] for j in parents]))
    return Model(Network(tuple(pairs)), tuple(cpts))
