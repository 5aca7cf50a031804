"""Marginals against plain counting, distances against their definitions, accuracies where they are known."""

import sys
from itertools import combinations, permutations, product
from math import inf, log, pi

import numpy as np
import pytest

import ldpnb.attributes.fidelity
from ldpnb.attributes.fidelity import (
    avd,
    edge_accuracy,
    independent,
    kl,
    marginals,
    resampled,
    svm_accuracy,
    uniform_records,
)

SIZES = (2, 3, 2, 5, 2)


def rng_of(*seed):
    return np.random.default_rng(seed)


def people(n, seed, sizes=SIZES):
    """Dependent columns: each is now and then a function of the one before."""
    rng = rng_of(seed)
    columns = [rng.integers(sizes[0], size=n)]
    for size in sizes[1:]:
        columns.append(np.where(rng.random(n) < 0.4, columns[-1] % size, rng.integers(size, size=n)))
    return np.stack(columns, 1)


def plain(records, sizes, chosen):
    table = np.zeros([sizes[j] for j in chosen])
    for row in records:
        table[tuple(row[j] for j in chosen)] += 1
    return table / len(records)


def every(d, *numbers):
    return [chosen for a in numbers for chosen in combinations(range(d), a)]


# -------------------------------------------------------------------------------------------------------- the marginals


@pytest.mark.parametrize("whole", [0, 8], ids=["set by set", "as a whole"])
def test_marginals_are_the_counts(monkeypatch, whole):
    monkeypatch.setattr(ldpnb.attributes.fidelity, "CELLS", whole)
    records = people(150, 1)
    sets = [tuple(one) for one in rng_of(2).permutation(np.array(every(5, 1, 2, 3, 4, 5), dtype=object))]
    found = marginals(records, SIZES, sets)
    assert list(found) == sets
    for chosen in sets:
        assert np.array_equal(found[chosen], plain(records, SIZES, chosen))


def test_marginals_of_a_law_and_of_tables():
    law = rng_of(3).dirichlet(np.ones(np.prod(SIZES))).reshape(SIZES)
    sets = every(5, 3, 1, 5, 2)
    found = marginals(law, SIZES, sets)
    assert list(found) == sets
    for chosen in sets:
        assert np.allclose(found[chosen], law.sum(tuple(j for j in range(5) if j not in chosen)), atol=1e-15)
    assert list(marginals(found, SIZES, sets[3:5])) == sets[3:5]
    records = people(500, 3)
    cached = marginals(records, SIZES, every(5, 2))
    assert avd(cached, law, SIZES, 2) == avd(records, law, SIZES, 2)


def test_a_domain_too_large_for_any_array_is_counted():
    sizes = (40,) * 15
    records = rng_of(1).integers(40, size=(300, 15))
    for chosen, table in marginals(records, sizes, [(3, 14), (0,), (0, 1)]).items():
        assert np.array_equal(table, plain(records, sizes, chosen))


# -------------------------------------------------------------------------------------------------------- the distances


@pytest.mark.parametrize("a", [1, 2, 3])
def test_distances_are_the_means_of_their_definitions(a):
    x, y = people(300, 1), people(200, 2) // np.array([1, 2, 1, 2, 1])
    distances, divergences = [], []
    for chosen in combinations(range(5), a):
        p, q = plain(x, SIZES, chosen).ravel(), plain(y, SIZES, chosen).ravel()
        distances.append(sum(abs(p - q)) / 2)
        smooth = (200 * q + 0.5) / (200 + len(q) / 2)
        divergences.append(sum(b * log(b / c) for b, c in zip(p, smooth, strict=True) if b > 0))
    assert avd(x, y, SIZES, a) == pytest.approx(np.mean(distances), abs=1e-12)
    assert kl(x, y, SIZES, a) == pytest.approx(np.mean(divergences), abs=1e-12)
    some = list(combinations(range(5), a))[1:3]
    assert avd(x, y, SIZES, a, sets=some) == pytest.approx(np.mean(distances[1:3]), abs=1e-12)
    assert kl(x, y, SIZES, a, sets=iter(some)) == pytest.approx(np.mean(divergences[1:3]), abs=1e-12)


@pytest.mark.parametrize("a", [1, 2, 4])
def test_a_table_is_at_distance_zero_of_itself(a):
    x, y = people(300, 1), people(250, 2)
    assert avd(x, x, SIZES, a) == avd(x, x[::-1], SIZES, a) == 0
    assert 0 < avd(x, y, SIZES, a) == avd(y, x, SIZES, a) <= 1
    assert kl(x, y, SIZES, a) > 0
    law = marginals(x, SIZES, every(5, a))
    assert kl(x, law, SIZES, a) == 0 < kl(x, x, SIZES, a)  # smoothing costs a little


def test_distances_at_their_extremes():
    zeros, ones = np.zeros((10, 2), int), np.ones((10, 2), int)
    assert avd(zeros, ones, (2, 2), 1) == avd(zeros, ones, (2, 2), 2) == 1
    assert kl(zeros, ones, (2, 2), 1) == pytest.approx(log(11 / 0.5))
    assert kl(zeros, ones, (2, 2), 2) == pytest.approx(log(12 / 0.5))
    assert kl(zeros, np.array([[0.0, 0.0], [0.5, 0.5]]), (2, 2), 2) == inf
    assert kl(zeros, np.array([[0.5, 0.0], [0.5, 0.0]]), (2, 2), 2) == pytest.approx(log(2))


def test_the_floor_that_sampling_imposes():
    # E AVD = Σ √(p(1−p)/(2πn)) for many people.  A distance of five cells has a relative sd of .4, the mean of 400 of
    # .02: the bound of .15 lies more than seven standard deviations away.
    x = people(2000, 5)[:, 3:4]
    p = np.bincount(x[:, 0], minlength=5) / len(x)
    rng = rng_of(6)
    floor = np.mean([avd(x, resampled(x, rng=rng), (5,), 1) for _ in range(400)])
    assert floor == pytest.approx(np.sqrt(p * (1 - p) / (2 * pi * len(x))).sum(), rel=0.15)


def test_baselines():
    records = people(400, 7)
    one = marginals(records, SIZES, every(5, 1))
    sets = every(5, 1, 3)
    product_of, flat = independent(records, SIZES, sets), uniform_records(SIZES, sets)
    for chosen in sets:
        for cell in np.ndindex(*(SIZES[j] for j in chosen)):
            expected = np.prod([one[j,][v] for j, v in zip(chosen, cell, strict=True)])
            assert product_of[chosen][cell] == pytest.approx(expected)
            assert flat[chosen][cell] == pytest.approx(1 / np.prod([SIZES[j] for j in chosen]))
    assert avd(records, product_of, SIZES, 1) == pytest.approx(0, abs=1e-12)
    drawn = resampled(records, rng=rng_of(1))
    assert drawn.shape == records.shape and {*map(tuple, drawn)} < {*map(tuple, records)}
    assert avd(records, drawn, SIZES, 3) < avd(records, product_of, SIZES, 3) < avd(records, flat, SIZES, 3)


# ------------------------------------------------------------------------------------------------------------ the edges


def test_edge_accuracy_by_hand():
    reference = {(0, 1), (1, 2), (2, 3)}
    found = edge_accuracy({(1, 0), (1, 2), (0, 3)}, reference, 4)
    assert found["skeleton"] == pytest.approx(2 / 3)
    assert found["directed"] == pytest.approx(1 / 3)
    assert found["adjacency"] == pytest.approx(12 / 16)  # two edges differ, in two entries each
    same = edge_accuracy(reference, reference, 4)
    assert same["skeleton"] == same["directed"] == same["adjacency"] == 1
    none = edge_accuracy((), reference, 4)
    assert none["skeleton"] == none["directed"] == none["skeleton by chance"] == 0
    assert none["adjacency"] == none["adjacency by chance"] == pytest.approx(10 / 16)


@pytest.mark.parametrize("e", [1, 2, 3])
def test_chance_is_the_mean_over_all_graphs(e):
    reference, d = {(2, 0), (1, 2)}, 4
    graphs = [
        edge_accuracy([edge[::way] for edge, way in zip(edges, ways, strict=True)], reference, d)
        for edges in combinations(combinations(range(d), 2), e)
        for ways in product((1, -1), repeat=e)
    ]
    for kind in ("skeleton", "directed", "adjacency"):
        assert np.mean([graph[kind] for graph in graphs]) == pytest.approx(graphs[0][f"{kind} by chance"])


def test_chance_at_the_size_of_nltcs():
    edges = list(combinations(range(16), 2))[:29]  # k = 2
    found = edge_accuracy(edges, edges, 16)
    assert found["skeleton by chance"] == pytest.approx(29 / 120)
    assert round(found["adjacency by chance"], 2) == 0.66


# ---------------------------------------------------------------------------------------------------- what is learned


def test_a_machine_learns_what_is_there():
    rng = rng_of(1)
    x = np.stack([rng.integers(4, size=600), rng.integers(2, size=600), rng.integers(2, size=600)], 1)
    x[:, 1] = x[:, 0] % 2  # no threshold on the code of attribute 0, and no single value of it
    train, test = x[:400], x[400:]
    sizes = (4, 2, 2)
    assert svm_accuracy(train, test, sizes, [1]) == 1
    chance = svm_accuracy(train, test, sizes, [2])
    assert 0.3 < chance < 0.7  # a fair coin, 200 people: 5.6 standard deviations; 1 if it saw itself
    assert svm_accuracy(train, test, sizes) == pytest.approx((1 + chance) / 2)
    lying = np.column_stack([test[:, 0], 1 - test[:, 1], test[:, 2]])
    assert svm_accuracy(train, lying, sizes, [1]) == 0
    assert svm_accuracy(lying, test, sizes, [1]) == 0


def test_equal_records_weigh_their_number():
    from sklearn.svm import LinearSVC

    rng, sizes = rng_of(2), (2, 2, 2, 2)
    x = (rng.random((3000, 4)) < [[0.3, 0.6, 0.5, 0.5]]).astype(int)
    x[:, 3] = rng.random(3000) < np.array([0.05, 0.3, 0.45, 0.9])[x[:, 0] + 2 * x[:, 1]]
    train, test = x[:2000], x[2000:]
    machine = LinearSVC(C=1, dual=False).fit(train[:, :3].astype(float), train[:, 3])
    expected = np.mean(machine.predict(test[:, :3].astype(float)) == test[:, 3])
    assert svm_accuracy(train, test, sizes, [3]) == expected


def test_a_constant_label_is_predicted_constant():
    test = np.array([[0, 0], [1, 1], [0, 1], [1, 1]])
    assert svm_accuracy(np.array([[0, 1], [1, 1]]), test, (2, 2), [1]) == 0.75


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(ImportError, match="scikit-learn"):
        svm_accuracy([[0, 0]], [[0, 0]], (2, 2))


# ------------------------------------------------------------------------------------------------------------ bad input

X = people(20, 1)
FLAT = np.full(SIZES, 1 / np.prod(SIZES))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("a must", lambda: avd(X, X, SIZES, 6)),
        ("a must", lambda: kl(X, X, SIZES, 0)),
        ("sets must be of a", lambda: avd(X, X, SIZES, 2, sets=[(0, 1, 2)])),
        ("sets must be of a", lambda: avd(X, X, SIZES, 2, sets=[])),
        ("sets must be of increasing", lambda: marginals(X, SIZES, [(1, 0)])),
        ("sets must be of increasing", lambda: marginals(X, SIZES, [(0, 5)])),
        ("sets must be of increasing", lambda: marginals(X, SIZES, [(-1, 0)])),
        ("sets must be of increasing", lambda: uniform_records(SIZES, [()])),
        ("data must hold", lambda: marginals({(0,): np.ones(2) / 2}, SIZES, [(1,)])),
        ("data must be records or a law", lambda: marginals(FLAT[0], SIZES, [(1,)])),
        ("data must be records or a law", lambda: marginals(2 * FLAT, SIZES, [(1,)])),
        ("values", lambda: avd(X, X + 1, SIZES, 1)),
        ("values", lambda: avd(X[:0], X, SIZES, 1)),
        ("values", lambda: resampled(X[:0], rng=rng_of(1))),
        ("edges must", lambda: edge_accuracy([(0, 0)], [(0, 1)], 3)),
        ("edges must", lambda: edge_accuracy([(0, 1)], [(0, 3)], 3)),
        ("reference must", lambda: edge_accuracy([(0, 1)], [], 3)),
        ("d must", lambda: edge_accuracy([(0, 1)], [(0, 1)], 1)),
        ("labels must", lambda: svm_accuracy(X, X, SIZES, [1])),
        ("labels must", lambda: svm_accuracy(X, X, SIZES, [-1])),
        ("labels must", lambda: svm_accuracy(X, X, SIZES, [])),
        ("values", lambda: svm_accuracy(X, X[:0], SIZES)),
    ],
)
def test_bad_input_is_refused(name, wrong):
    with pytest.raises(ValueError, match=name):
        wrong()


def test_the_order_of_attributes_does_not_matter():
    x, y = people(300, 1), people(300, 2)
    for order in list(permutations(range(5)))[1::37]:
        sizes = tuple(SIZES[j] for j in order)
        assert avd(x[:, order], y[:, order], sizes, 2) == pytest.approx(avd(x, y, SIZES, 2), abs=1e-12)
        assert kl(x[:, order], y[:, order], sizes, 2) == pytest.approx(kl(x, y, SIZES, 2), abs=1e-12)
