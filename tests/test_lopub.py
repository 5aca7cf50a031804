import warnings
from fractions import Fraction
from itertools import combinations, product
from math import log, prod, sqrt

import numpy as np
import pytest

from ldpnb.attributes.bitflip import BitFlip, BloomFlip
from ldpnb.attributes.lopub import Tree, conditionals, dependency, junction_tree, publish, synthesise
from ldpnb.attributes.tables import Joint

# ----------------------------------------------------------------------------------------------- junction trees


def pairs(sets):
    return {pair for one in sets for pair in combinations(sorted(one), 2)}


def chordal(edges, d):
    """Whether attributes can be taken away one by one, each with neighbours that are all joined to each other."""
    left = set(range(d))
    while left:
        for a in left:
            around = [b for b in left if tuple(sorted((a, b))) in edges]
            if pairs([around]) <= edges:
                left.remove(a)
                break
        else:
            return False
    return True


def maximal_cliques(edges, d):
    """By brute force over all sets of attributes."""
    found = [set(one) for m in range(1, d + 1) for one in combinations(range(d), m) if pairs([one]) <= edges]
    return {tuple(sorted(one)) for one in found if not any(one < other for other in found)}


def parts(edges, d):
    """Number of connected parts."""
    label = list(range(d))
    for a, b in [*edges] * d:
        label[a] = label[b] = min(label[a], label[b])
    return len(set(label))


def wrong_with(tree, edges, d):
    """Names of the properties that a tree does not have."""
    filled, found = pairs(tree.cliques), []
    if not edges <= filled:
        found.append("edges covered")
    if maximal_cliques(filled, d) != set(tree.cliques) or len(set(tree.cliques)) != len(tree.cliques):
        found.append("maximal cliques")
    if not chordal(filled, d):
        found.append("chordal")
    if any(chordal(filled - {edge}, d) for edge in filled - edges):
        found.append("minimal")
    if chordal(edges, d) and filled != edges:
        found.append("nothing filled in needlessly")
    if tree.parents.count(-1) != parts(edges, d):
        found.append("one root a part")
    for at, (clique, parent, separator) in enumerate(zip(tree.cliques, tree.parents, tree.separators, strict=True)):
        before = {a for other in tree.cliques[:at] for a in other}
        if not parent < at:
            found.append("parents first")
        if set(separator) != set(clique) & before or (parent < 0) != (not separator):
            found.append("running intersection")
        if parent >= 0 and set(separator) != set(clique) & set(tree.cliques[parent]):
            found.append("separators")
        if list(clique) != sorted(clique) or list(separator) != sorted(separator):
            found.append("increasing")
    return found


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_all_small_graphs(d):
    everything = list(combinations(range(d), 2))
    for chosen in product([False, True], repeat=len(everything)):
        edges = {edge for edge, on in zip(everything, chosen, strict=True) if on}
        assert wrong_with(junction_tree(edges, d), edges, d) == []


def test_random_graphs():
    rng = np.random.default_rng(1)
    for _ in range(150):
        d = int(rng.integers(6, 10))
        edges = {edge for edge in combinations(range(d), 2) if rng.random() < rng.random()}
        assert wrong_with(junction_tree(edges, d), edges, d) == []


def test_one_tree_whatever_the_order_of_edges():
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (6, 5)]
    tree = junction_tree(edges, 8)
    assert junction_tree([edge[::-1] for edge in edges[::-1]] * 2, 8) == tree
    assert tree.cliques[0] in {(0, 1, 2), (0, 1, 3)} and tree.cliques[-2:] == ((5, 6), (7,))
    assert tree.parents[0] == -1 and tree.parents[-2:] == (-1, -1) and tree.separators[2:] == ((3,), (), ())


@pytest.mark.parametrize(
    "tree, fault",
    [
        (Tree(((0, 1), (1, 2), (2, 3), (0, 3)), (-1, 0, 1, 2), ((), (1,), (2,), (3,))), "running intersection"),
        (Tree(((0, 1), (1, 2), (2, 3), (0, 3)), (-1, 0, 1, 2), ((), (1,), (2,), (3,))), "chordal"),
        (Tree(((0, 1, 2, 3),), (-1,), ((),)), "minimal"),
        (Tree(((0, 1), (1, 2), (2, 3)), (-1, 0, 1), ((), (1,), (2,))), "edges covered"),
        (Tree(((0, 1, 2), (0, 2, 3), (2, 3)), (-1, 0, 1), ((), (0, 2), (2, 3))), "maximal cliques"),
    ],
)
def test_wrong_tree_of_a_square_is_caught(tree, fault):
    assert fault in wrong_with(tree, {(0, 1), (1, 2), (2, 3), (0, 3)}, 4)


# --------------------------------------------------------------------------------------------------- dependency


def information(table):
    first, second = table.sum(1, keepdims=True), table.sum(0, keepdims=True)
    return sum(p * log(p / q) for p, q in zip(table.flat, (first * second).flat, strict=True) if p > 0)


@pytest.mark.parametrize("shape", [(2, 2), (2, 5), (3, 4), (4, 3)])
def test_threshold_is_the_stated_one(shape):
    table = np.random.default_rng(2).dirichlet(np.full(prod(shape), 5)).reshape(shape)
    phi = sqrt(2 * information(table) / (min(shape) - 1))
    assert dependency([table], phi * (1 - 1e-9)) == ((0, 1),)
    assert dependency([table], phi * (1 + 1e-9)) == ()


def test_threshold_is_a_correlation_near_independence():
    """V² = χ²/n·min(κ−1): for a nearly independent table, the largest φ that joins is Cramér's V."""
    base = np.outer([0.5, 0.3, 0.2], [0.1, 0.2, 0.3, 0.4])
    table = base + 1e-3 * np.outer([1, 0, -1], [1, -1, 2, -2])
    v = sqrt(((table - base) ** 2 / base).sum() / 2)
    assert dependency([table], 0.97 * v) and not dependency([table], 1.03 * v)


def test_pairs_are_in_lexicographic_order():
    copy, apart = np.eye(2) / 2, np.full((2, 2), 0.25)
    everything = list(combinations(range(4), 2))
    for at, pair in enumerate(everything):
        assert dependency([copy if i == at else apart for i in range(6)], 0.5) == (pair,)
    assert dependency([apart] * 6, 1e-9) == () and dependency([copy] * 6, 1) == tuple(everything)
    assert dependency([apart] * 6, 0) == tuple(everything)  # every information is at least 0


# ---------------------------------------------------------------------------------------------------- synthesis


class Grid:
    """Instead of dice: the k-th number of person i is the k-th coordinate of the i-th point of a grid in the cube."""

    def __init__(self, points, calls):
        self.points, self.calls, self.call = points, calls, 0

    def random(self, n):
        assert n == self.points**self.calls
        self.call += 1
        return (np.indices((self.points,) * self.calls)[self.call - 1].ravel() + 0.5) / self.points


def dyadic(shape, rng, parts=16):
    """Shares that are multiples of 1/16, some of them zero."""
    return np.bincount(rng.integers(prod(shape), size=parts), minlength=prod(shape)).reshape(shape) / parts


TREES = {
    "chain": (Tree(((0, 1), (1, 2), (2, 3)), (-1, 0, 1), ((), (1,), (2,))), (2, 3, 2, 2)),
    "star": (Tree(((1, 2), (0, 2), (2, 3)), (-1, 0, 0), ((), (2,), (2,))), (2, 2, 3, 2)),
    "forest": (Tree(((0, 2), (1, 2, 3), (4,)), (-1, 0, -1), ((), (2,), ())), (3, 2, 2, 2, 2)),
    "large separator": (Tree(((0, 1, 3), (0, 2, 3)), (-1, 0), ((), (0, 3))), (2, 2, 2, 3)),
}


def network(tree, sizes, rng, agree):
    """Tables of the cliques and the law of a record: the root's table, then the rows that conditionals must have."""
    law, tables = {(None,) * len(sizes): Fraction(1)}, []
    for clique, separator in zip(tree.cliques, tree.separators, strict=True):
        new = [a for a in clique if a not in separator]
        rows = {s: dyadic([sizes[a] for a in new], rng) for s in product(*(range(sizes[a]) for a in separator))}
        table, before = np.zeros([sizes[a] for a in clique]), law
        weights = dict(zip(rows, rng.permutation(np.arange(1, len(rows) + 1)) / 32, strict=True))
        if agree:
            weights = dict.fromkeys(rows, Fraction(0))
            for record, chance in before.items():
                weights[tuple(record[a] for a in separator)] += chance
        law = {}
        for s, row in rows.items():
            for x, share in np.ndenumerate(row):
                value = dict(zip((*separator, *new), (*s, *x), strict=True))
                table[tuple(value[a] for a in clique)] = float(weights[s]) * share
        for record, chance in before.items():
            for x, share in np.ndenumerate(rows[tuple(record[a] for a in separator)]):
                if share and chance:
                    value = dict(zip(new, x, strict=True))
                    law[tuple(value.get(a, v) for a, v in enumerate(record))] = chance * Fraction(share)
        tables.append(table / table.sum())
    return tables, law


@pytest.mark.parametrize("agree", [True, False])
@pytest.mark.parametrize("tree, sizes", TREES.values(), ids=TREES)
def test_law_of_a_record_is_exact(tree, sizes, agree):
    """All points of a grid as dice, which show each law of multiples of 1/16 without error."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        tables, law = network(tree, sizes, rng, agree)
        calls = len(tree.cliques)
        records = synthesise(tree, tables, 16**calls, rng=Grid(16, calls))
        assert records.dtype == np.int64
        values, counts = np.unique(records, axis=0, return_counts=True)
        assert {tuple(v): Fraction(int(c), 16**calls) for v, c in zip(values.tolist(), counts, strict=True)} == law
        for clique, table in zip(tree.cliques, tables, strict=True):
            shares = np.zeros(table.shape)
            np.add.at(shares, tuple(records[:, clique].T), 1 / len(records))
            if agree:  # then all tables are marginals
                np.testing.assert_allclose(shares, table, atol=1e-12)


def test_row_without_probability_is_drawn_from_the_marginal():
    tree = Tree(((0, 1), (1, 2)), (-1, 0), ((), (1,)))
    tables = [np.array([[0.25, 0.25, 0], [0.25, 0.25, 0]]), np.array([[0.5, 0.125], [0, 0], [0.125, 0.25]])]
    root, child = conditionals(tree, tables)
    np.testing.assert_allclose(root, [[0.25, 0.25, 0, 0.25, 0.25, 0]])
    np.testing.assert_allclose(child, [[0.8, 0.2], [0.625, 0.375], [1 / 3, 2 / 3]])
    records = synthesise(tree, tables, 64, rng=Grid(8, 2))
    assert np.bincount(records[records[:, 1] == 1, 2]).tolist() == [20, 12]


def test_every_person_has_dice_of_their_own():
    records = synthesise(*[Tree(((0,), (1,)), (-1, -1), ((), ())), [np.array([0.5, 0.5])] * 2], 4, rng=Grid(2, 2))
    assert sorted(map(tuple, records.tolist())) == [(0, 0), (0, 1), (1, 0), (1, 1)]


# --------------------------------------------------------------------------------------------------- end to end

SIZES = (2, 3, 2, 2, 3, 2, 2)
PLANTED = ((0, 1), (0, 2), (1, 2), (2, 3), (4, 5))


def planted(n, rng):
    """People with a triangle, a tail, a pair and one attribute alone."""
    x = np.empty((n, 7), int)
    x[:, 0] = rng.random(n) < 0.4
    x[:, 1] = np.where(rng.random(n) < 0.6, x[:, 0] * 2, rng.integers(3, size=n))
    x[:, 2] = rng.random(n) < 0.15 + 0.35 * (x[:, 1] > 0) + 0.35 * x[:, 0]
    x[:, 3] = x[:, 2] ^ (rng.random(n) < 0.2)
    x[:, 4] = rng.integers(3, size=n)
    x[:, 5] = rng.random(n) < np.array([0.1, 0.5, 0.9])[x[:, 4]]
    x[:, 6] = rng.random(n) < 0.3
    return x


def shares(records, attributes, sizes=SIZES):
    table = np.zeros([sizes[a] for a in attributes])
    np.add.at(table, tuple(records[:, list(attributes)].T), 1 / len(records))
    return table


def exactly(values):
    """Stands for estimates without noise."""
    return lambda found, sets: Joint(tables=[shares(values, one, found.sizes) for one in sets], gap=0, steps=0)


def test_planted_network_without_noise():
    rng = np.random.default_rng(6)
    values = planted(20_000, rng)
    mechanism = BitFlip(sizes=SIZES, f=0.5)
    reports = mechanism.perturb(values[:50], rng=rng)
    out = publish(mechanism, reports, phi=0.45, n=30_000, rng=rng, joint=exactly(values))
    assert out.edges == PLANTED
    assert out.tree == junction_tree(PLANTED, 7) and set(out.tree.cliques) == {(0, 1, 2), (2, 3), (4, 5), (6,)}
    for clique, table in zip(out.tree.cliques, out.tables, strict=True):
        np.testing.assert_array_equal(table, shares(values, clique))
        # cells are binomial: 20 cells, each beyond 6 standard deviations with probability 2e-9
        sd = np.sqrt(table * (1 - table) / 30_000)
        assert np.all(np.abs(shares(out.records, clique) - table) <= 6 * sd + 1e-9)
    # what the graph does not join is independent: the control is what it joins
    apart = shares(out.records, (3, 5))
    assert 2 * 30_000 * information(apart) < 37  # χ² with one degree of freedom, 1.2e-9
    assert 2 * 30_000 * information(shares(out.records, (4, 5))) > 1000


@pytest.mark.parametrize(
    "mechanism",
    [BitFlip(sizes=SIZES, f=0.2), BloomFlip(sizes=SIZES, f=0.2, bits=8, hashes=2)],
    ids=["one-hot", "Bloom"],
)
def test_planted_network_end_to_end(mechanism):
    rng, n = np.random.default_rng(7), 40_000
    values = planted(n, rng)
    out = publish(mechanism, mechanism.perturb(values, rng=rng), phi=0.45, n=n, rng=rng)
    assert out.edges == PLANTED and out.records.shape == (n, 7)
    # n·Var of a cell: at most 1/4 for drawing, and of inverted one-hot pairs (1+v)² − 1/4, v = φ(1−φ)/(1−2φ)² = 0.14;
    # the likeliest table is at least as good.  Six standard deviations, 34 cells: 7e-8
    sd = sqrt((1.14**2 + 0.25) / n)
    for pair in (*PLANTED, (3, 5), (0, 6)):
        assert np.abs(shares(out.records, pair) - shares(values, pair)).max() < 6 * sd


def test_one_attribute():
    mechanism, rng = BitFlip(sizes=(3,), f=0.1), np.random.default_rng(8)
    out = publish(mechanism, mechanism.perturb([[0], [1], [1]], rng=rng), phi=0.1, n=5, rng=rng)
    assert out.edges == () and out.tree.cliques == ((0,),) and out.records.shape == (5, 1)


def test_limit_names_the_largest_clique():
    mechanism, rng = BitFlip(sizes=SIZES, f=0.5), np.random.default_rng(9)
    values = planted(1000, rng)
    reports = mechanism.perturb(values, rng=rng)
    publish(mechanism, reports, phi=0.45, n=1, rng=rng, joint=exactly(values), limit=12)
    with pytest.raises(ValueError, match=r"limit must be .* 12 for the attributes \(0, 1, 2\), got 11"):
        publish(mechanism, reports, phi=0.45, n=1, rng=rng, joint=exactly(values), limit=11)


@pytest.mark.parametrize("d, warned", [(8, False), (9, True)])
def test_a_clique_that_takes_minutes_is_announced_with_the_cure(d, warned):
    """From nine yes/no attributes on: three symbols an attribute and two values, at most one report a person."""
    mechanism, rng = BitFlip(sizes=(2,) * d, f=0.5), np.random.default_rng(12)
    values = rng.integers(2, size=(9000, d))
    reports = mechanism.perturb(values, rng=rng)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        publish(mechanism, reports, phi=0, n=1, rng=rng, joint=exactly(values))
        publish(mechanism, reports[:8000], phi=0, n=1, rng=rng, joint=exactly(values))  # fewer reports, less work
    assert len(found) == warned
    if warned:
        said = str(found[0].message)
        assert "minutes" in said and "512 cells and up to 9000" in said and "a larger phi" in said and "release" in said
        assert found[0].category is UserWarning and found[0].filename == __file__


# ---------------------------------------------------------------------------------------------------- bad input

ONE, TWO = BitFlip(sizes=(3, 2, 4), f=0.5), Tree(((0, 1), (1, 2)), (-1, 0), ((), (1,)))
REPORTS = ONE.perturb([[0, 0, 0]] * 3, rng=np.random.default_rng(10))
HALF = np.full((2, 2), 0.25)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda rng: dependency([HALF] * 2, 0.1), "all pairs"),
        (lambda rng: dependency([HALF], 1.1), "phi must be"),
        (lambda rng: dependency([HALF], float("nan")), "phi must be"),
        (lambda rng: dependency([HALF * 2], 0.1), "sum 1"),
        (lambda rng: dependency([[[1.5, -0.5], [0, 0]]], 0.1), "sum 1"),
        (lambda rng: dependency([[0.5, 0.5]], 0.1), "an axis for each attribute"),
        (lambda rng: dependency([HALF * np.nan], 0.1), "must be finite numbers"),
        (lambda rng: junction_tree([], 0), "d must be"),
        (lambda rng: junction_tree([(0, 2)], 2), "edges must be pairs of different"),
        (lambda rng: junction_tree([(1, 1)], 2), "edges must be pairs of different"),
        (lambda rng: junction_tree([(0, 1.0)], 2), "edges must be pairs of different"),
        (lambda rng: junction_tree([0], 2), "edges must be pairs of different"),
        (lambda rng: synthesise(TWO, [HALF], 3, rng=rng), "one for each clique, 2, got 1"),
        (lambda rng: synthesise(TWO, [HALF, HALF * 0.9], 3, rng=rng), "sum 1"),
        (lambda rng: synthesise(TWO, [HALF, np.full(2, 0.5)], 3, rng=rng), "an axis for each attribute"),
        (lambda rng: synthesise(TWO, [HALF, np.full((3, 2), 1 / 6)], 3, rng=rng), "attribute 1, got 2 values and 3"),
        (lambda rng: synthesise(TWO, [HALF, HALF], 0, rng=rng), "n must be"),
        (lambda rng: publish(ONE, REPORTS, phi=0.1, n=0, rng=rng), "n must be"),
        (lambda rng: publish(ONE, REPORTS, phi=-0.1, n=1, rng=rng), "phi must be"),
        (lambda rng: publish(ONE, REPORTS, phi=0.1, n=1, rng=rng, limit=0), "limit must be"),
        (lambda rng: publish(ONE, REPORTS[:, :-1], phi=0.1, n=1, rng=rng), "reports must be"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(11))
