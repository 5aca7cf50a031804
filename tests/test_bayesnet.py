"""Networks against brute force, networkx and the closed counts; models against their exact laws."""

from itertools import combinations, product
from math import comb, log, prod, sqrt

import networkx as nx
import numpy as np
import pytest

from ldpnb.attributes.bayesnet import (
    Model,
    Network,
    Scores,
    entropy_root,
    evaluations,
    fit,
    greedy,
    i_sum,
    planted,
    pruned,
    table_of,
)
from ldpnb.attributes.tables import entropy

DEGREES = [(2, 1), (3, 1), (3, 2), (4, 2), (5, 3), (5, 4), (6, 1), (6, 2), (7, 3), (8, 2)]
CARRY = pytest.mark.parametrize("carry", ["all", "each", "one"])


def rng_of(*seed):
    return np.random.default_rng(seed)


def some_law(sizes, seed, concentration=0.3):
    """A law of all attributes without structure."""
    return rng_of(seed).dirichlet(np.full(np.prod(sizes), concentration)).reshape(sizes)


def tables_of(law, *numbers):
    """Marginals of all sets of so many attributes."""
    d = law.ndim
    return {
        chosen: law.sum(tuple(j for j in range(d) if j not in chosen))
        for a in numbers
        for chosen in combinations(range(d), a)
    }


def random_score(d, k, seed, values=None):
    """A score without any structure; few values make ties."""
    rng, found = rng_of(d, k, seed), {}
    for child in range(d):
        for size in range(1, k + 1):
            for parents in combinations([j for j in range(d) if j != child], size):
                found[child, parents] = float(rng.random() if values is None else rng.integers(values))
    return lambda child, parents: found[child, parents]


def algorithm_3(score, d, k, root):
    """From the paper's text: all pairs, in every round."""
    pairs, placed = [(root, ())], {root}
    while len(placed) < d:
        omega = []
        for child in sorted(set(range(d)) - placed):
            for parents in combinations(sorted(placed), min(k, len(placed))):
                omega.append((child, parents))
        top = max(score(*pair) for pair in omega)
        child, parents = min(pair for pair in omega if score(*pair) == top)
        pairs.append((child, parents))
        placed.add(child)
    return tuple(pairs)


def algorithm_4(score, d, k, root):
    """As printed, line by line; the pair of line 11 under a name of its own."""
    pairs, placed, pick, runner_up = [(root, ())], {root}, root, None
    for _ in range(2, d + 1):
        rest = [x for x in range(d) if x not in placed]
        groups = list(combinations(sorted(placed), min(k, len(placed))))
        if len(placed) > k:
            omega = [(x, group) for x in rest for group in groups if pick in group] + [runner_up]
        else:
            omega = [(x, group) for x in rest for group in groups]
        chosen = min(omega, key=lambda pair: (-score(*pair), pair))
        others = [pair for pair in omega if pair[0] != chosen[0]]
        runner_up = min(others, key=lambda pair: (-score(*pair), pair)) if others else None
        pick = chosen[0]
        pairs.append(chosen)
        placed.add(pick)
    return tuple(pairs)


# ----------------------------------------------------------------------------------------------------------- the search


@pytest.mark.parametrize("values", [None, 3], ids=["no ties", "ties"])
@pytest.mark.parametrize(("d", "k"), DEGREES)
def test_carrying_a_pair_for_each_attribute_is_algorithm_3(d, k, values):
    for seed in range(12):
        score = random_score(d, k, seed, values)
        for root in range(d):
            expected = algorithm_3(score, d, k, root)
            assert greedy(score, d, k, root=root, carry="all").pairs == expected
            assert greedy(score, d, k, root=root, carry="each").pairs == expected


@pytest.mark.parametrize("values", [None, 3], ids=["no ties", "ties"])
@pytest.mark.parametrize(("d", "k"), DEGREES)
def test_carrying_one_pair_is_algorithm_4_as_printed(d, k, values):
    lossy = 0
    for seed in range(12):
        score = random_score(d, k, seed, values)
        for root in range(d):
            found = greedy(score, d, k, root=root, carry="one").pairs
            assert found == algorithm_4(score, d, k, root)
            lossy += found != algorithm_3(score, d, k, root)
    assert (lossy > 0) == (d - k >= 3)  # with less than three left to place, one carried pair is all there is


@CARRY
@pytest.mark.parametrize(("d", "k"), DEGREES + [(16, 1), (16, 2)])
def test_evaluations_are_those_of_the_closed_formula(d, k, carry):
    asked = []

    def score(child, parents):
        asked.append((child, parents))
        return float(hash((child, parents)) % 97)

    network = greedy(score, d, k, root=d - 1, carry=carry)
    assert len(asked) == network.evaluations == evaluations(d, k, carry)
    if carry != "all":  # the rounds with k placed or more meet every (k+1)-set once
        families = [tuple(sorted((child, *parents))) for child, parents in asked if len(parents) == k]
        assert sorted(families) == list(combinations(range(d), k + 1))


def test_evaluations_at_the_sizes_of_the_paper():
    sizes = [(16, 1), (16, 2), (16, 3), (16, 4), (15, 2), (24, 1), (24, 2)]
    assert [evaluations(d, k, "all") for d, k in sizes] == [680, 2395, 6217, 12418, 1834, 2300, 12673]
    for carry in ("each", "one"):
        assert [evaluations(d, k, carry) for d, k in sizes] == [120, 575, 1849, 4410, 469, 276, 2047]
    for d, k in sizes:  # w cancels in the difference
        assert evaluations(d, k, "all") - evaluations(d, k, "each") == comb(d + 1, k + 2) - comb(d, k + 1)


@pytest.mark.parametrize("sizes", [(2,) * 7, (2, 5, 3, 2, 4, 2)], ids=["binary", "mixed"])
def test_for_one_parent_every_root_gives_a_maximum_spanning_tree(sizes):
    for seed in range(5):
        tables, d = tables_of(some_law(sizes, seed), 2), len(sizes)
        scores = Scores(tables)
        graph = nx.Graph((x, y, {"weight": scores(x, (y,))}) for x, y in combinations(range(d), 2))
        tree = nx.maximum_spanning_tree(graph)
        for root, carry in product(range(d), ("all", "each")):
            network = greedy(scores, d, 1, root=root, carry=carry)
            assert network.skeleton == {(min(edge), max(edge)) for edge in tree.edges}
            assert i_sum(network, tables) == pytest.approx(tree.size("weight"), abs=1e-12)


def star():
    """R → X, Y, Z: a fair coin, and copies with flips .1, .15 and .2."""
    law = np.zeros((2,) * 4)
    for r, *copies in product((0, 1), repeat=4):
        law[r, *copies] = 0.5 * np.prod([f if v != r else 1 - f for v, f in zip(copies, (0.1, 0.15, 0.2), strict=True)])
    return law


def binary(p):
    return -p * log(p) - (1 - p) * log(1 - p)


def test_the_star_on_which_one_carried_pair_loses():
    tables = tables_of(star(), 2)
    best = sum(log(2) - binary(f) for f in (0.1, 0.15, 0.2))
    worse = best - (log(2) - binary(0.2)) + (log(2) - binary(0.1 * 0.8 + 0.9 * 0.2))  # Z hangs on X, not on R
    assert (round(best, 4), round(worse, 4)) == (0.8312, 0.7586)
    for carry, expected in (("all", best), ("each", best), ("one", worse)):
        network = greedy(Scores(tables), 4, 1, root=0, carry=carry)
        assert i_sum(network, tables) == pytest.approx(expected, abs=1e-12)
    assert greedy(Scores(tables), 4, 1, root=0, carry="one").pairs[-1] == (3, (1,))
    for root in (1, 2, 3):  # only at its centre
        assert i_sum(greedy(Scores(tables), 4, 1, root=root, carry="one"), tables) == pytest.approx(best, abs=1e-12)


@CARRY
@pytest.mark.parametrize(("d", "k"), DEGREES)
def test_a_network_has_no_cycle_and_all_its_edges(d, k, carry):
    network = greedy(random_score(d, k, 5), d, k, root=d // 2, carry=carry)
    graph = nx.DiGraph(network.edges)
    assert nx.is_directed_acyclic_graph(graph)
    assert [len(parents) for _, parents in network.pairs] == [min(k, i) for i in range(d)]
    assert len(network.edges) == len(network.skeleton) == k * d - k * (k + 1) // 2
    assert network.pairs[0] == (d // 2, ()) and network.d == d
    assert all(graph.has_edge(p, child) for child, parents in network.pairs for p in parents)
    assert network.sets == tuple(tuple(sorted((child, *parents))) for child, parents in network.pairs)


def test_networks_are_compared_by_their_pairs():
    assert Network(((0, ()), (1, (0,))), 3) == Network(((0, ()), (1, (0,))), 5) != Network(((1, ()), (0, (1,))), 3)


# ----------------------------------------------------------------------------------------------------------- the scores


def by_definition(law, child, parents):
    """I(X; Π) from equation (5)."""
    total = 0.0
    order = (child, *parents)
    joint = law.sum(tuple(j for j in range(law.ndim) if j not in order))
    joint = joint.transpose([sorted(order).index(j) for j in order])
    alone, given = joint.sum(tuple(range(1, joint.ndim))), joint.sum(0)
    for cell in np.ndindex(joint.shape):
        if joint[cell] > 0:
            total += joint[cell] * log(joint[cell] / (alone[cell[0]] * given[cell[1:]]))
    return total


@pytest.mark.parametrize("sizes", [(2,) * 5, (2, 4, 3, 2, 3)], ids=["binary", "mixed"])
def test_one_table_serves_every_child_and_smaller_sets(sizes):
    law = some_law(sizes, 1, 0.1)
    law[0] = np.where(law[0] < 0.01, 0, law[0])  # with empty cells
    law /= law.sum()
    scores = Scores(tables_of(law, 3))  # no table of two: marginals
    for child, size in product(range(5), (1, 2)):
        for parents in combinations([j for j in range(5) if j != child], size):
            expected = by_definition(law, child, parents)
            assert scores(child, parents) == scores.information(child, parents) == pytest.approx(expected, abs=1e-12)


def test_a_table_of_its_own_comes_before_marginals_of_larger_ones():
    law, other = some_law((2, 3, 2), 1), some_law((2, 3), 2)
    first, second = some_law((2, 3, 2), 3), some_law((2, 3, 2), 4)
    tables = {(0, 1, 2): law, (0, 1): other}
    assert np.array_equal(table_of(tables, (0, 1)), other)
    assert Scores(tables)(1, (0,)) == pytest.approx(by_definition(other, 1, (0,)))
    assert np.allclose(table_of(tables, (0, 2)), law.sum(1), atol=1e-15)
    assert np.allclose(table_of({(0, 1, 2): first, (0, 1, 3): second}, (1,)), first.sum((0, 2)))


def test_i_sum_is_that_of_the_tables_given():
    law, other = some_law((2, 3, 2, 2), 1), some_law((2, 3, 2, 2), 2)
    network = greedy(Scores(tables_of(law, 3)), 4, 2, root=3)
    for truth in (law, other):
        expected = sum(by_definition(truth, child, parents) for child, parents in network.pairs if parents)
        assert i_sum(network, tables_of(truth, 3)) == pytest.approx(expected, abs=1e-12)
        assert i_sum(network, tables_of(truth, 4)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("d", "k"), [(4, 2), (5, 2), (5, 3), (6, 2)])
@pytest.mark.parametrize("weight", [0.01, 0.05, 0.2, 10])
def test_a_penalty_gives_the_greedy_choice_among_at_most_k_parents(d, k, weight):
    rng = rng_of(d, k)
    tables = tables_of(some_law((2,) * d, d + k), k + 1)
    cost = {
        (child, parents): weight * (0.2 + rng.random()) * len(parents)
        for child in range(d)
        for size in range(1, k + 1)
        for parents in combinations([j for j in range(d) if j != child], size)
    }
    plain = Scores(tables)
    scores = Scores(tables, lambda child, parents: cost[child, parents])
    for root in range(d):
        pairs, placed = [(root, ())], {root}
        while len(placed) < d:
            omega = [(0.0, -x, ()) for x in range(d) if x not in placed]
            for x, size in product(set(range(d)) - placed, range(1, k + 1)):
                for parents in combinations(sorted(placed), size):
                    omega.append((plain(x, parents) - cost[x, parents], -x, parents))
            _, x, parents = max(omega, key=lambda pair: pair[:2])
            pairs.append((-x, parents))
            placed.add(-x)
        whole = greedy(scores, d, k, root=root)
        assert pruned(whole, scores).pairs == tuple(pairs)
        assert pruned(whole, scores).evaluations == whole.evaluations == evaluations(d, k, "each")
        assert pruned(whole, plain) == whole
    edges = [len(pruned(greedy(score, d, k, root=0), scores).edges) for score in (plain, scores)]
    if weight == 10:  # more than ln 2, the most that there is to know
        assert edges == [0, 0]
    if weight == 0.01:
        assert min(edges) > 0


def test_the_entropy_root_is_the_first_of_the_largest_entropy():
    tables = {(0,): [0.9, 0.1], (1,): [0.5, 0.5], (2,): [0.5, 0.5], (3,): [0.9, 0.05, 0.05]}
    assert entropy_root(tables) == 1
    assert entropy_root(tables | {(3,): [0.6, 0.2, 0.2]}) == 3
    law = some_law((2, 2, 4, 2), 3)
    expected = np.argmax([entropy(table) for table in tables_of(law, 1).values()])
    assert entropy_root(tables_of(law, 1)) == entropy_root(tables_of(law, 2)) == expected


# ----------------------------------------------------------------------------------------------------------- the models


SIZES = (3, 2, 2, 4, 2)


def test_the_divergence_is_what_the_informations_leave():
    law = some_law(SIZES, 8)
    for k in (1, 2, 3, 4):
        tables = tables_of(law, k + 1)
        network = greedy(Scores(tables), 5, k, root=2)
        joint = fit(network, tables).joint()
        assert joint.shape == SIZES and joint.sum() == pytest.approx(1)
        left = sum(entropy(law.sum(tuple(i for i in range(5) if i != j))) for j in range(5)) - entropy(law)
        assert (law * np.log(law / joint)).sum() == pytest.approx(left - i_sum(network, tables), abs=1e-10)
        if k == 1:  # a tree keeps the tables of its edges
            for chosen in network.sets:
                assert np.allclose(tables_of(joint, len(chosen))[chosen], table_of(tables, chosen), atol=1e-12)
    assert np.allclose(joint, law, atol=1e-12)  # k = d − 1: the chain rule


@pytest.mark.parametrize("k", [0, 1, 3])
def test_a_planted_model_is_recovered_from_its_own_tables(k):
    model = planted(SIZES, k, strength=2, rng=rng_of(k))
    again = fit(model.network, tables_of(model.joint(), k + 1))
    assert model.sizes == again.sizes == SIZES
    assert np.allclose(again.joint(), model.joint(), atol=1e-12)
    assert [len(parents) for _, parents in model.network.pairs] == [min(k, i) for i in range(5)]


def test_strength_makes_dependence():
    strengths = (0.01, 0.3, 3)
    found = []
    for strength in strengths:
        models = [planted((2,) * 8, 2, strength=strength, rng=rng_of(seed)) for seed in range(20)]
        found.append(np.mean([i_sum(model.network, tables_of(model.joint(), 3)) for model in models]))
    assert found[0] < 0.05 < 4 * found[0] < found[1] < found[2]
    assert len({planted((2,) * 8, 2, strength=1, rng=rng_of(seed)).network for seed in range(5)}) == 5


def test_where_the_parents_do_not_occur_the_marginal_is_taken():
    table = np.array([[0.2, 0.1], [0.0, 0.0], [0.3, 0.4]])
    model = fit(Network(((0, ()), (1, (0,)))), {(0, 1): table})
    assert np.allclose(model.cpts[1], [[2 / 3, 1 / 3], [0.5, 0.5], [3 / 7, 4 / 7]])
    assert np.allclose(model.joint(), table)
    table = np.array([[0.3, 0.1], [4e-13, 1e-13], [0.3, 0.3]])  # less than VANISHING: not believed
    model = fit(Network(((0, ()), (1, (0,)))), {(0, 1): table / table.sum()})
    assert np.allclose(model.cpts[1][1], [0.6, 0.4])
    table[1] = [4e-9, 1e-9]
    model = fit(Network(((0, ()), (1, (0,)))), {(0, 1): table / table.sum()})
    assert np.allclose(model.cpts[1][1], [0.8, 0.2])


def test_the_joint_law_is_the_product_of_the_conditional_ones():
    model = planted(SIZES, 2, strength=0.5, rng=rng_of(4))
    law = model.joint()
    for record in np.ndindex(SIZES):
        chances = [
            cpt[tuple(record[j] for j in (*parents, child))]
            for (child, parents), cpt in zip(model.network.pairs, model.cpts, strict=True)
        ]
        assert law[record] == pytest.approx(prod(chances), rel=1e-12)
    copy = Model(Network(((0, ()), (1, (0,)))), (np.array([0.5, 0.5]), np.eye(2)))
    assert np.array_equal(copy.joint(), [[0.5, 0], [0, 0.5]])


@pytest.mark.parametrize("seed", range(3))
def test_samples_follow_the_exact_law(seed):
    model = planted((3, 2, 2, 4), 2, strength=1.5, rng=rng_of(seed))
    records = model.sample(400_000, rng=rng_of(seed, 1))
    assert records.shape == (400_000, 4) and records.dtype == np.int64
    shares = np.zeros((3, 2, 2, 4))
    np.add.at(shares, tuple(records.T), 1 / len(records))
    # P[L1 distance ≥ λ] ≤ 2^K exp(−nλ²/2) (Bretagnolle, Huber, Carol), at most 1e-7 for each of three seeds
    cells = shares.size
    assert np.abs(shares - model.joint()).sum() < sqrt(2 * (cells * log(2) + log(1e7)) / len(records)) < 0.02


def test_a_value_without_probability_is_never_drawn():
    class Edges:
        """The ends of the unit interval, where a comparison may go wrong."""

        def random(self, n):
            return np.resize([0.0, 0.25, np.nextafter(1, 0)], n)

    law = np.array([0.0, 0.25, 0.0, 0.75])
    model = Model(Network(((0, ()),)), (law,))
    assert model.sample(3, rng=Edges())[:, 0].tolist() == [1, 3, 3]


def test_the_same_seed_draws_the_same_records():
    model, again = (planted(SIZES, 2, strength=1, rng=rng_of(3)) for _ in range(2))
    assert model.network == again.network
    assert np.array_equal(model.sample(100, rng=rng_of(5)), again.sample(100, rng=rng_of(5)))
    assert not np.array_equal(model.sample(100, rng=rng_of(5)), model.sample(100, rng=rng_of(6)))


# ------------------------------------------------------------------------------------------------------------ bad input

SCORE = random_score(4, 3, 0)
HALF = np.array([0.5, 0.5])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("d must", lambda: greedy(SCORE, 1, 1, root=0)),
        ("k must", lambda: greedy(SCORE, 4, 0, root=0)),
        ("k must", lambda: greedy(SCORE, 4, 4, root=0)),
        ("k must", lambda: evaluations(4, 4, "all")),
        ("root must", lambda: greedy(SCORE, 4, 1, root=4)),
        ("root must", lambda: greedy(SCORE, 4, 1, root=-1)),
        ("root must", lambda: greedy(SCORE, 4, 1, root="entropy")),
        ("carry must", lambda: greedy(SCORE, 4, 1, root=0, carry="two")),
        ("carry must", lambda: evaluations(4, 1, "two")),
        ("pairs must", lambda: Network(())),
        ("pairs must", lambda: Network(((0, ()), (0, ())))),
        ("pairs must", lambda: Network(((1, ()), (2, ())))),
        ("parents must", lambda: Network(((0, (1,)), (1, ())))),
        ("parents must", lambda: Network(((0, ()), (1, (0, 2)), (2, ())))),
        ("parents must", lambda: Network(((0, ()), (1, (0, 0))))),
        ("parents must", lambda: Network(((0, ()), (1, (0,)), (2, (1, 0))))),
        ("axis for each attribute", lambda: Scores({(0, 1): HALF})),
        ("tables must be of increasing", lambda: Scores({(1, 0): np.full((2, 2), 0.25)})),
        ("sum 1", lambda: Scores({(0, 1): np.full((2, 2), 0.3)})),
        ("sum 1", lambda: Scores({(0, 1): np.array([[0.6, 0.6], [0, -0.2]])})),
        ("must be finite numbers", lambda: Scores({(0,): np.array([np.nan, 1])})),
        ("tables must hold", lambda: Scores({(0, 1): np.full((2, 2), 0.25)})(0, (2,))),
        ("sum 1", lambda: fit(Network(((0, ()),)), {(0,): np.array([1.2, -0.2])})),
        ("cpts must", lambda: Model(Network(((0, ()),)), ())),
        ("given", lambda: Model(Network(((0, ()), (1, (0,)))), (HALF, HALF))),
        ("sum to one", lambda: Model(Network(((0, ()),)), (np.array([0.5, 0.6]),))),
        ("sum to one", lambda: Model(Network(((0, ()),)), (np.array([1.5, -0.5]),))),
        ("n must", lambda: Model(Network(((0, ()),)), (HALF,)).sample(0, rng=rng_of(0))),
        ("sizes must", lambda: planted((2,) * 23, 0, strength=1, rng=rng_of(0)).joint()),
        ("sizes must", lambda: planted((2, 1), 1, strength=1, rng=rng_of(0))),
        ("k must", lambda: planted((2, 2), -1, strength=1, rng=rng_of(0))),
        ("strength must", lambda: planted((2, 2), 1, strength=0, rng=rng_of(0))),
        ("strength must", lambda: planted((2, 2), 1, strength=np.inf, rng=rng_of(0))),
    ],
)
def test_bad_input_is_refused(name, wrong):
    with pytest.raises(ValueError, match=name):
        wrong()
