from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp

import numpy as np
import pytest
from contract import FALSE_ALARM, Case, Contract, chi_square
from scipy.optimize import minimize
from scipy.stats import chi2

from ldpnb import blocks
from ldpnb.blocks import Blocks, Each, Pooled, best_size, consistent, max_entropy, pair_variance
from ldpnb.chance import branches, law, odds, pick, toss
from ldpnb.core import Tally
from ldpnb.postprocess import norm_sub
from ldpnb.verify import laws, same_law, worst


def records(sizes):
    """All records; the first two differ in every attribute."""
    every = product(*(range(size) for size in sizes))
    return np.array(sorted(every, key=lambda r: r != tuple(size - 1 for size in sizes)))


def parity(x):
    return (-1.0) ** np.indices(x.shape).sum(0)


class TestBlocks(Contract):
    cases = [
        Case(m, records(m.sizes)[:8], pairs=m.sizes == (2, 2, 2))
        for m in (
            Blocks(sizes=(2, 3, 2), size=2, epsilon=2.0),
            Blocks(sizes=(2, 2), size=2, epsilon=1.0),
            Blocks(sizes=(2, 2, 2), size=2, epsilon=0.5),
            Blocks(sizes=(3, 2, 2), size=3, epsilon=1.0),
            Blocks(sizes=(2, 2, 2, 2), size=3, epsilon=3.0),
        )
    ]
    good = np.zeros(2, cases[0].mechanism.dtype)
    bad_values = [[[2, 0, 0]], [[0, -1, 0]], [[0, 0]], [0, 0, 0], [[0.5, 1, 0]], [["a", "b", "c"]], [[True] * 3]]
    bad_reports = [
        np.zeros(2),
        np.zeros((2, 2), np.int64),
        np.array([(3, 0)], good.dtype),
        np.array([(-1, 0)], good.dtype),
        np.array([(0, -1)], good.dtype),
        np.array([(0, 6)], good.dtype),
        np.array([(1, 4)], good.dtype),  # the block of the two binary attributes has four cells only
    ]


class TestEach(Contract):
    cases = [
        Case(m, records(m.sizes), pairs=sum(m.sizes) < 6)
        for m in (
            Each(sizes=(2, 2), attribute_epsilon=0.5),
            Each(sizes=(2, 3), attribute_epsilon=1.0),
            Each(sizes=(3, 2, 2), attribute_epsilon=0.1),
        )
    ]
    bad_values = [[[2, 0]], [[0, -1]], [[0]], [0, 1], [[0.5, 1]], [["a", "b"]], [[True, False]]]
    bad_reports = [np.zeros((2, 2)), [[0, 2]], [[0, -1]], [[0]], [0, 1]]


# ------------------------------------------------------------------------------------------------------- the client


@pytest.mark.parametrize(("sizes", "size"), [((2, 3, 2), 2), ((3, 2, 2, 2), 2), ((2, 4, 3), 3)])
def test_every_block_spends_all_of_epsilon(sizes, size):
    """Given the block, over values that differ there in one attribute only, and over those that differ in all."""
    m = Blocks(sizes=sizes, size=size, epsilon=1.5)
    people = records(sizes)
    given = laws(m, people)
    for number, block in enumerate(combinations(range(len(sizes)), size)):
        inside = [{y: p * comb(len(sizes), size) for y, p in one.items() if y[0] == number} for one in given]
        assert {sum(one.values()) for one in inside} == {Fraction(1)}
        found = worst(inside)
        assert found.ratio <= odds(1.5) and found.epsilon == pytest.approx(1.5, abs=1e-14)
        for j in range(len(sizes)):
            one = [i for i, x in enumerate(people) if all(x[a] == 0 for a in range(len(sizes)) if a != j)]
            alone = worst([inside[i] for i in one])
            assert alone.epsilon == pytest.approx(m.attribute_epsilon if j in block else 0, abs=1e-14)


def test_client_is_the_one_for_one_person():
    m, e = Blocks(sizes=(2, 3, 2, 2), size=3, epsilon=1.0), exp(1.0)
    sets = list(combinations(range(4), 3))

    def client(record, rng, k=lambda cells: len(cells)):
        block = pick(range(4), rng)
        cells = list(product(*(range(m.sizes[j]) for j in sets[block])))
        if toss((e - 1) / (e + k(cells) - 1), rng):
            return block, cells.index(tuple(record[j] for j in sets[block]))
        return block, cells.index(pick(cells, rng))

    def package(record, rng):
        return m.perturb([record], rng=rng)[0]

    assert same_law(client, package, records(m.sizes)[:6])
    assert not same_law(lambda record, rng: client(record, rng, lambda cells: 12), package, records(m.sizes)[:6])


def test_blocks_are_uniform_and_numbered_in_order():
    """For d = 6 and ℓ = 3, by samples: values name the attributes in the block when ε is large."""
    m, n = Blocks(sizes=(2,) * 6, size=3, epsilon=32), 40_000
    reports = m.perturb(np.tile([0, 1, 0, 1, 1, 0], (n, 1)), rng=np.random.default_rng(0))
    assert chi_square(np.bincount(reports["block"], minlength=20), np.full(20, n / 20)) > FALSE_ALARM
    for number, block in enumerate(combinations(range(6), 3)):
        assert set(reports["value"][reports["block"] == number]) == {
            sum((j in (1, 3, 4)) << 2 - i for i, j in enumerate(block))
        }
    assert np.array_equal(m.blocks, list(combinations(range(6), 3)))


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 2.0, 32.0])
@pytest.mark.parametrize("d", [2, 3, 5, 16])
def test_epsilon_of_each_is_stated_from_above(d, epsilon):
    m = Each(sizes=(3,) * d, attribute_epsilon=epsilon)
    assert Fraction(m.epsilon) >= d * Fraction(epsilon) and m.epsilon == pytest.approx(d * epsilon, rel=1e-15)
    assert m.epsilon - 2.0**-46 * d * exp(epsilon) <= m.realised_epsilon <= m.epsilon


def test_each_protects_one_attribute_by_its_epsilon():
    m = Each(sizes=(3, 2, 2), attribute_epsilon=0.7)
    found = worst(laws(m, np.array([[0, 1, 1], [1, 1, 1], [2, 1, 1]])))
    assert found.ratio <= odds(0.7) and found.epsilon == pytest.approx(0.7, abs=1e-14)


# --------------------------------------------------------------------------------------------------------- estimates


def test_unpack_cuts_in_the_order_of_pairs():
    m = Blocks(sizes=(2, 3, 4), size=2, epsilon=1.0)
    tables = m.unpack(m.target([[1, 2, 3], [1, 0, 3]]))
    assert m.pairs == [(0, 1), (0, 2), (1, 2)] and [x.shape for x in tables] == [(2, 2, 3), (2, 2, 4), (2, 3, 4)]
    assert [np.argwhere(x[0]).tolist() for x in tables] == [[[1, 2]], [[1, 3]], [[2, 3]]]


@pytest.mark.parametrize(("sizes", "size", "sets"), [((2, 2, 2), 2, [(0,), (1, 2)]), ((2, 3, 2), 2, [(0, 2), (1,)])])
def test_tables_given_the_blocks(sizes, size, sets):
    """Exact mean and variance over all reports of three people, for every way in which blocks may be drawn.

    A control, the variance for people drawn from a distribution, is above the truth.
    """
    m, people = Blocks(sizes=sizes, size=size, epsilon=1.0), np.array([[0, 1, 1], [1, 1, 0], [1, 0, 1]])
    single = [law(lambda rng, i=i: m.perturb(people[i : i + 1], rng=rng)[0]) for i in range(3)]
    given = {}
    for drawn in product(*(one.items() for one in single)):
        chance = float(drawn[0][1] * drawn[1][1] * drawn[2][1])
        counts = np.zeros((len(m.blocks), m.cells.max()), np.int64)
        for (block, value), _ in drawn:
            counts[block, value] += 1
        given.setdefault(tuple(counts.sum(1)), []).append((chance, counts))
    seen = 0
    for drawn, outcomes in given.items():
        p = np.array([chance for chance, _ in outcomes])
        p /= p.sum()
        for s in sets:
            if not sum(n for n, b in zip(drawn, m.blocks, strict=True) if set(s) <= set(b)):
                with pytest.raises(ValueError, match="sets must be in a block that somebody drew, got"):
                    m.tables(Tally(m, 3, outcomes[0][1]), [s])
                with pytest.raises(ValueError, match="drawn must hold somebody whose block contains the set"):
                    m.pooled_variance(drawn, s, np.ones([sizes[j] for j in s]))
                continue
            truth = np.zeros([sizes[j] for j in s])
            np.add.at(truth, tuple(people[:, s].T), 1 / 3)
            x = np.stack([m.tables(Tally(m, 3, counts), [s]).tables[0] for _, counts in outcomes])
            mean = np.tensordot(p, x, 1)
            variance = np.tensordot(p, (x - mean) ** 2, 1)
            np.testing.assert_allclose(mean, truth, atol=1e-11)
            np.testing.assert_allclose(m.pooled_variance(drawn, s, truth), variance, rtol=1e-9)
            seen += 1
    assert seen > 10


def test_pooled_variance_is_the_plain_one_for_blocks_of_all():
    m, n = Blocks(sizes=(2, 3), size=2, epsilon=1.0), 50
    people = np.random.default_rng(0).integers(0, 2, (n, 2))
    share = m.target(people).mean(0)
    np.testing.assert_allclose(m.pooled_variance([n], (0, 1), share).ravel(), m.noise(people).sum(0) / n**2, rtol=1e-12)


def test_tables_of_any_sets():
    """A large ε makes estimates exact for those who drew the set; also pooling of blocks of different sizes."""
    rng, sizes = np.random.default_rng(1), (2, 3, 2, 4)
    m, people = Blocks(sizes=sizes, size=3, epsilon=32), rng.integers(0, sizes, (4000, 4))
    reports = m.perturb(people, rng=rng)
    sets = [(3,), (0, 1, 3), (1, 2), (0,)]
    found = m.tables(m.tally(reports), sets)
    assert found.sets == sets and [x.shape for x in found.tables] == [(4,), (2, 3, 4), (3, 2), (2,)]
    for s, table, worth, variance in zip(sets, found.tables, found.people, found.variances, strict=True):
        who = people[[set(s) <= set(m.blocks[b]) for b in reports["block"]]]
        assert worth == pytest.approx(len(who), rel=1e-10)
        truth = np.zeros(table.shape)
        np.add.at(truth, tuple(who[:, s].T), 1 / len(who))
        np.testing.assert_allclose(table, truth, atol=1e-9)
        drawn_once = truth * (1 - truth) * (4000 - len(who)) / (len(who) * 3999)  # a sample of the people
        np.testing.assert_allclose(variance, drawn_once, rtol=1e-6)
        assert table.sum() == pytest.approx(1, abs=1e-12)


def test_pooled_tables_have_the_stated_variance():
    """Squared errors over variances add to about chi-square; 10 % on top, as the variances are estimated."""
    rng, trials, n = np.random.default_rng(2), 300, 2000
    m = Blocks(sizes=(2, 3, 2, 2), size=2, epsilon=1.0)
    people = (rng.random((n, 4)) < [0.3, 0.6, 0.5, 0.9]).astype(int)
    truth = np.zeros((3, 2))
    np.add.at(truth, (people[:, 1], people[:, 3]), 1 / n)
    total = 0.0
    for _ in range(trials):
        found = m.tables(m.tally(m.perturb(people, rng=rng)), [(0, 1), (1, 3)])
        total += (found.tables[1][1, 1] - truth[1, 1]) ** 2 / found.variances[1][1, 1]
    low, high = chi2.ppf([1e-8, 1 - 1e-8], trials)
    assert 0.9 * low < total < 1.1 * high
    assert not 0.9 * low < 4 * total < 1.1 * high


@pytest.mark.parametrize("d", [3, 4])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_variance_of_a_parity(d, epsilon):
    """The closed form against the exact law: it is the noise, and 1 more for people drawn from the uniform law."""
    for size in range(2, d):
        m, people = Blocks(sizes=(2,) * d, size=size, epsilon=epsilon), records((2,) * d)[:3]
        closed = d * (d - 1) / (size * (size - 1)) * ((exp(epsilon) + 2**size - 1) / (exp(epsilon) - 1)) ** 2
        assert pair_variance(m.sizes, size, epsilon) == pytest.approx(closed, rel=1e-12)
        for person in people:
            one, two = 0.0, 0.0
            for p, report in branches(lambda rng, m=m, person=person: m.perturb([person], rng=rng)):
                x = m.unpack(m.estimate(m.tally(report)))[1]
                one, two = one + float(p) * np.sum(parity(x) * x), two + float(p) * np.sum(parity(x) * x) ** 2
            assert two - one**2 == pytest.approx(closed - 1, rel=1e-9)


def test_parity_is_worth_the_stated_number_of_people():
    m = Blocks(sizes=(2,) * 5, size=3, epsilon=1.0)
    tally = m.tally(m.perturb(np.zeros((5000, 5), int), rng=np.random.default_rng(0)))
    found = m.tables(tally, [(0, 1), (2,), (1, 2, 4)])
    drawn = tally.counts.sum(1)
    for s, worth in zip(found.sets, found.people, strict=True):
        assert worth == pytest.approx(drawn[[set(s) <= set(b) for b in m.blocks.tolist()]].sum() * m.keep[0] ** 2)
        assert found.variances[0].shape == (2, 2)
    assert 1 / found.people[0] == pytest.approx(pair_variance(m.sizes, 3, 1.0) / 5000, rel=0.1)
    assert found.parities == pytest.approx([np.sum(parity(x) * x) for x in found.tables])


def test_pair_variance_of_mixed_sizes():
    """One over the mean worth of a person, pair by pair, from the sums of Blocks itself."""
    m, drawn = Blocks(sizes=(2, 3, 5, 2), size=3, epsilon=2.0), np.ones((4, 60), np.int64)
    worth = m.tables(Tally(m, 240, drawn), m.pairs).people / 240
    assert pair_variance(m.sizes, 3, 2.0) == pytest.approx(np.mean(1 / worth), rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "size", "variance"), [(1, 3, 1280), (2, 3, 203), (4, 5, 30.6), (8, 9, 4.6), (16, 16, 1.01)]
)
def test_best_size(epsilon, size, variance):
    assert best_size((2,) * 16, epsilon) == size
    assert pair_variance((2,) * 16, size, epsilon) == pytest.approx(variance, rel=0.01)


def test_best_size_leaves_out_what_cannot_be_counted():
    assert best_size((2,) * 24, 8.0) == 6  # with 7 attributes a tally would have 44 million cells
    assert best_size((64, 64, 64, 64, 64), 32.0) == 3  # four would make 5 · 2**24 cells
    with pytest.raises(ValueError, match="for blocks of 2, got"):
        best_size((2**13, 2**13), 1.0)


def test_blocks_beat_one_answer_an_attribute():
    """The parity of two of 16 binary attributes at ε = 2: more than 300 times less variance, in closed form."""
    each = (np.tanh(2 / 16 / 2)) ** -4.0
    assert each > 300 * pair_variance((2,) * 16, 3, 2.0)
    m = Each(sizes=(2, 2), attribute_epsilon=2 / 16)
    weights, [noise] = parity(np.zeros((2, 2))).ravel(), m.noise([[0, 1]])
    scores = {}
    for p, report in branches(lambda rng: m.perturb([[0, 1]], rng=rng)):
        x = float(weights @ m.estimate(m.tally(report)))
        scores[x] = scores.get(x, 0) + float(p)
    assert sum(p * x**2 for x, p in scores.items()) == pytest.approx(each, rel=1e-9)
    assert noise.sum() > 0


# ----------------------------------------------------------------------------------------------------- consistency


def noisy(rng, sizes, scale):
    """Tables of all pairs of one distribution, with noise of sum 0."""
    joint = rng.dirichlet(np.full(np.prod(sizes), 0.3)).reshape(sizes)
    sets, tables = list(combinations(range(len(sizes)), 2)), []
    for s in sets:
        x = joint.sum(tuple(j for j in range(len(sizes)) if j not in s))
        e = rng.normal(0, scale, x.shape)
        tables.append(x + e - e.mean())
    return sets, tables


@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (2, 3, 4), (3, 3, 3)])
@pytest.mark.parametrize("scale", [0, 0.01, 0.3])
def test_consistent_tables(sizes, scale):
    rng = np.random.default_rng(3)
    sets, tables = noisy(rng, sizes, scale)
    people = rng.uniform(1, 5, len(sets))
    found = consistent(sets, tables, people)
    for j in range(len(sizes)):
        each = [(i, s.index(j)) for i, s in enumerate(sets) if j in s]
        mean = sum(people[i] * tables[i].sum(1 - axis) for i, axis in each) / sum(people[i] for i, _ in each)
        for i, axis in each:
            np.testing.assert_allclose(found[i].sum(1 - axis), norm_sub(mean), atol=2e-9)
    for before, after in zip(tables, found, strict=True):
        assert np.all(after >= 0) and after.sum() == pytest.approx(1, abs=1e-8)
        if scale == 0:
            np.testing.assert_allclose(after, before, atol=1e-12)
    if scale == 0.3:
        assert min(x.min() for x in tables) < -0.05


@pytest.mark.parametrize("sizes", [(2, 2, 2), (2, 3, 4), (3, 3)])
def test_consistent_tables_are_the_nearest(sizes):
    """Against a general solver, with the marginals of the answer; of tables whose sum is not 1, too."""
    sets, tables = noisy(np.random.default_rng(4), sizes, 0.2)
    tables[0] = tables[0] + 0.05
    for before, after in zip(tables, consistent(sets, tables, np.ones(len(sets))), strict=True):
        a, b = after.sum(1), after.sum(0)
        rules = [
            {"type": "eq", "fun": lambda x, s=before.shape, a=a: x.reshape(s).sum(1) - a},
            {"type": "eq", "fun": lambda x, s=before.shape, b=b: (x.reshape(s).sum(0) - b)[1:]},
        ]
        best = minimize(
            lambda x, t=before: np.sum((x - t.ravel()) ** 2),
            np.outer(a, b).ravel(),
            jac=lambda x, t=before: 2 * (x - t.ravel()),
            bounds=[(0, 1)] * before.size,
            constraints=rules,
            options={"ftol": 1e-14, "maxiter": 500},
        )
        np.testing.assert_allclose(after.ravel(), best.x, atol=1e-5)


def test_two_by_two_tables_take_the_short_cut(monkeypatch):
    """The same tables as a larger table with a value that nobody has, which takes the long way."""
    sets, tables = noisy(np.random.default_rng(5), (2, 2, 2, 2), 0.1)
    wide = [np.pad(x, ((0, 1), (0, 1))) for x in tables]
    short, long = consistent(sets, tables, np.ones(6)), consistent(sets, wide, np.ones(6))
    for x, y in zip(short, long, strict=True):
        np.testing.assert_allclose(y[:2, :2], x, atol=1e-6)
    monkeypatch.setattr(blocks, "STEPS_MAX", 1)
    consistent(sets, tables, np.ones(6))
    with pytest.raises(RuntimeError, match="marginals still differ by"):
        consistent(sets, wide, np.ones(6))


def test_frechet_bounds():
    above, below = [[0.0, 0.1], [0.1, 0.8]], [[0.6, 0.3], [0.4, -0.3]]
    np.testing.assert_allclose(consistent([(0, 1)], [below], [1.0])[0], [[0.9, 0.0], [0.1, 0.0]], atol=1e-12)
    np.testing.assert_allclose(consistent([(0, 1)], [above], [1.0])[0], above, atol=1e-12)


def test_single_attributes_count_for_the_mean():
    pair, one = np.full((2, 2), 0.25), np.array([0.8, 0.2])
    found = consistent([(0, 1), (1,)], [pair, one], [1.0, 2.0])
    np.testing.assert_allclose(found[1], [0.7, 0.3])
    np.testing.assert_allclose(found[0].sum(0), [0.7, 0.3])
    np.testing.assert_allclose(found[0].sum(1), [0.5, 0.5])


def test_marginals_of_all_pairs_are_the_pooled_ones():
    m = Blocks(sizes=(2, 3, 2, 2), size=3, epsilon=1.0)
    people = np.random.default_rng(0).integers(0, 2, (20_000, 4))
    tally = m.tally(m.perturb(people, rng=np.random.default_rng(6)))
    pairs, ones = m.tables(tally, m.pairs), m.tables(tally, [(j,) for j in range(4)])
    found = consistent([*m.pairs, (1,)], [*pairs.tables, ones.tables[1]], [*pairs.people, 1.0])
    np.testing.assert_allclose(found[-1], norm_sub(ones.tables[1]), atol=1e-12)


# --------------------------------------------------------------------------------------------------- maximum entropy


def pairwise_sets(d):
    return [(j,) for j in range(d)] + list(combinations(range(d), 2))


def means(p, sets, d):
    """Parities of a distribution, the slow way."""
    cells = np.array(list(product((0, 1), repeat=d)))
    return np.array([p @ (-1.0) ** cells[:, s].sum(1) for s in sets])


def test_max_entropy_of_exact_parities_is_the_model():
    rng, d = np.random.default_rng(7), 5
    sets = pairwise_sets(d)
    cells = np.array(list(product((0, 1), repeat=d)))
    exponent = sum(t * (-1.0) ** cells[:, s].sum(1) for t, s in zip(rng.normal(0, 0.4, len(sets)), sets, strict=True))
    p = np.exp(exponent) / np.exp(exponent).sum()
    found = max_entropy(d, sets, means(p, sets, d), np.full(len(sets), 1e-9), penalty=1)
    np.testing.assert_allclose(found.probabilities, p, atol=1e-6)


def test_max_entropy_keeps_its_conditions():
    """Parities miss the noisy ones by λσ²θ, with θ read off the logarithms; and no other distribution does better."""
    rng, d = np.random.default_rng(8), 4
    sets = pairwise_sets(d)
    m, noise, penalty = rng.uniform(-0.9, 0.9, len(sets)), rng.uniform(0.001, 0.1, len(sets)), 3.0
    found = max_entropy(d, sets, m, noise, penalty=penalty)
    logs, p = np.log(found.probabilities), found.probabilities
    theta = means(logs, sets, d) / 2**d
    np.testing.assert_allclose(m - means(p, sets, d), penalty * noise * theta, atol=1e-6)
    others = means(logs, [s for k in (3, 4) for s in combinations(range(d), k)], d)
    np.testing.assert_allclose(others, 0, atol=1e-9)
    assert 0 <= found.gap < 1e-9 and p.sum() == pytest.approx(1, abs=1e-12)

    def primal(q):
        return -np.sum(q * np.log(q)) - np.sum((means(q, sets, d) - m) ** 2 / (2 * penalty * noise))

    for _ in range(50):
        q = p * np.exp(rng.normal(0, 0.05, p.shape))
        assert primal(q / q.sum()) < primal(p)


def test_gap_bounds_what_is_missing(monkeypatch):
    """A fit that is stopped early says by how much it can be wrong, and is not wrong by more."""
    rng, d = np.random.default_rng(9), 4
    sets, noise = pairwise_sets(d), np.full(10, 0.01)
    m = rng.uniform(-0.9, 0.9, 10)

    def dual(p):
        theta = means(np.log(p), sets, d) / 2**d
        shift = np.log(p) @ np.full(2**d, 2.0**-d)  # ln p = θχ − ln Z
        return theta @ m + shift - 0.5 * 10 * noise @ theta**2

    best = max_entropy(d, sets, m, noise)
    plain = blocks.minimize
    monkeypatch.setattr(blocks, "minimize", lambda *a, options, **k: plain(*a, options={**options, "maxiter": 2}, **k))
    early = max_entropy(d, sets, m, noise)
    missing = dual(best.probabilities) - dual(early.probabilities)
    assert 1e-4 < missing <= early.gap + best.gap


def test_sample_has_the_probabilities():
    found, n = max_entropy(3, [(0,), (0, 2)], [0.5, 0.3], [1e-3, 1e-3]), 40_000
    drawn = found.sample(n, np.random.default_rng(10))
    counts = Counter(map(tuple, drawn.tolist()))
    cells = list(product((0, 1), repeat=3))
    assert drawn.shape == (n, 3)
    assert chi_square([counts[c] for c in cells], n * found.probabilities) > FALSE_ALARM
    assert chi_square([counts[c[::-1]] for c in cells], n * found.probabilities) < FALSE_ALARM


def test_from_reports_to_records():
    """End to end at ε = 2: pair tables of the fit are nearer to the truth than the raw ones and than independence."""
    rng, d, n = np.random.default_rng(11), 8, 20_000
    people = np.zeros((n, d), int)
    for j in range(d):
        people[:, j] = np.where(rng.random(n) < 0.7, people[:, j - 1] if j else 0, rng.random(n) < 0.5)
    m = Blocks(sizes=(2,) * d, size=best_size((2,) * d, 2.0), epsilon=2.0)
    found = m.tables(m.tally(m.perturb(people, rng=rng)), pairwise_sets(d))
    fit = max_entropy(d, found.sets, found.parities, 1 / found.people)
    truth = m.unpack(m.target(people).mean(0))
    p = fit.probabilities.reshape((2,) * d)
    fitted = [p.sum(tuple(j for j in range(d) if j not in s)) for s in m.pairs]
    raw = np.mean([np.abs(x - y).sum() for x, y in zip(found.tables[d:], truth, strict=True)])
    near = np.mean([np.abs(x - y).sum() for x, y in zip(fitted, truth, strict=True)])
    apart = np.mean([np.abs(np.outer(y.sum(1), y.sum(0)) - y).sum() for y in truth])
    assert near < 0.7 * raw and near < 0.5 * apart


# ----------------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class FirstBlocks(Blocks):
    """Draws the block by a person's first value."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports["block"] = np.where(np.asarray(values)[:, 0] == 1, 0, reports["block"])
        return reports


@dataclass(frozen=True, kw_only=True)
class OneKeep(Blocks):
    """Keeps in all blocks as often as in the smallest one."""

    keep = property(lambda self: np.full(len(self.blocks), super().keep.max()))


@dataclass(frozen=True, kw_only=True)
class NotInverted(Blocks):
    """Forgets that only some people drew the pair."""

    _share = property(lambda self: 1.0)


@dataclass(frozen=True, kw_only=True)
class OneBlockForAll(Blocks):
    """Draws one block for everybody."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports[:] = reports[0]
        return reports


@dataclass(frozen=True, kw_only=True)
class Sorted(Blocks):
    """Reads the values of a block from the wrong attributes."""

    def perturb(self, values, *, rng):
        return super().perturb(np.asarray(values)[:, [2, 1, 0]], rng=rng)


@pytest.mark.parametrize(
    "make, caught_by",
    [
        (FirstBlocks, "test_public_part_does_not_depend_on_the_value"),
        (FirstBlocks, "test_epsilon_of_the_law_is_the_stated_one"),
        (OneKeep, "test_epsilon_of_the_law_is_the_stated_one"),
        (NotInverted, "test_estimate_is_unbiased"),
        (OneBlockForAll, "test_people_are_independent"),
        (Sorted, "test_estimate_is_unbiased"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_mistake_is_caught(make, caught_by):
    mechanism = make(sizes=(2, 3, 2), size=2, epsilon=1.0)
    with pytest.raises((AssertionError, KeyError)):
        getattr(Contract(), caught_by)(Case(mechanism, records(mechanism.sizes)))


# ---------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("sizes", [(), 2, "22", (2,), (1, 2), (2.0, 2), (2, None), (True, 2)])
@pytest.mark.parametrize(
    "make", [lambda s: Blocks(sizes=s, size=2, epsilon=1), lambda s: Each(sizes=s, attribute_epsilon=1)]
)
def test_bad_sizes_are_refused(make, sizes):
    with pytest.raises(ValueError, match="sizes must be .*, got"):
        make(sizes)


@pytest.mark.parametrize("size", [0, 1, 4, 2.0, None, True])
def test_bad_size_is_refused(size):
    for call in (lambda: Blocks(sizes=(2,) * 3, size=size, epsilon=1), lambda: pair_variance((2,) * 3, size, 1)):
        with pytest.raises(ValueError, match="size must be .*, got"):
            call()


def test_too_large_a_tally_is_refused():
    with pytest.raises(ValueError, match="size must leave a tally of at most 16777216 cells, got 7: 44301312 cells"):
        Blocks(sizes=(2,) * 24, size=7, epsilon=1.0)
    with pytest.raises(ValueError, match="size must leave a tally of at most 16777216 cells, got 2: 50331648 cells"):
        Blocks(sizes=(4096, 2, 4096), size=2, epsilon=1.0)


@pytest.mark.parametrize("epsilon", [0, -1.0, 33, None, "1", True])
def test_bad_epsilon_is_refused(epsilon):
    with pytest.raises(ValueError, match="attribute_epsilon must be a finite number"):
        Each(sizes=(2, 2), attribute_epsilon=epsilon)
    with pytest.raises(ValueError, match="epsilon must be a finite number"):
        pair_variance((2, 2), 2, epsilon)


@pytest.mark.parametrize("sets", [[], [()], [(0, 1, 2)], [(1, 0)], [(0, 0)], [(3,)], [(-1,)], [(0.5,)], [(0,), (0,)]])
def test_bad_sets_are_refused(sets):
    m = Blocks(sizes=(2,) * 3, size=2, epsilon=1.0)
    tally = m.tally(m.perturb([[0, 0, 0]] * 20, rng=np.random.default_rng(0)))
    with pytest.raises(ValueError, match="sets must be .*, got"):
        m.tables(tally, sets)
    if len(sets) == 1 and sets != [(0, 1, 2)]:
        with pytest.raises(ValueError, match="sets must be .*, got"):
            max_entropy(3, sets, [0.0], [1.0])


def test_bad_tallies_are_refused():
    m = Blocks(sizes=(2,) * 3, size=2, epsilon=1.0)
    one = m.tally(m.perturb([[0, 0, 0]] * 20, rng=np.random.default_rng(0)))
    with pytest.raises(ValueError, match="tally must be a single one, got trials of shape"):
        m.tables(Tally(m, 20, one.counts[None]), [(0,)])
    with pytest.raises(ValueError, match="tally must be of"):
        Blocks(sizes=(2,) * 3, size=2, epsilon=2.0).tables(one, [(0,)])


def test_parities_are_for_binary_attributes():
    with pytest.raises(ValueError, match="sets must be of binary attributes"):
        Pooled([(0,)], [np.full(3, 1 / 3)], [np.ones(3)], np.ones(1)).parities  # noqa: B018


@pytest.mark.parametrize(
    ("sets", "tables", "people", "match"),
    [
        ([(0, 1)], [np.full((2, 2), 0.25)], [0.0], "people must be positive"),
        ([(0, 1)], [np.full((2, 2), 0.25)], [1.0, 1.0], "people must be positive"),
        ([(0, 1)], [], [1.0], "people must be positive"),
        ([(0, 1, 2)], [np.full((2, 2, 2), 0.125)], [1.0], "tables must be finite"),
        ([(0, 1)], [np.full(4, 0.25)], [1.0], "tables must be finite"),
        ([()], [0.5], [1.0], "tables must be finite"),
        ([(0, 1)], [np.full((2, 2), np.nan)], [1.0], "tables must be finite"),
        ([(0, 1), (0, 2)], [np.full((2, 2), 0.25), np.full((3, 2), 1 / 6)], [1.0, 1.0], "tables must agree"),
    ],
)
def test_bad_tables_are_refused(sets, tables, people, match):
    with pytest.raises(ValueError, match=match):
        consistent(sets, tables, people)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"d": 21}, "d must be at most 20, got 21"),
        ({"d": 0}, "d must be an integer"),
        ({"parities": [0.1]}, "parities must be finite"),
        ({"parities": [0.1, np.inf]}, "parities must be finite"),
        ({"variances": [1.0]}, "variances must be positive"),
        ({"variances": [1.0, 0.0]}, "variances must be positive"),
        ({"penalty": 0}, "penalty must be a positive number, got 0"),
        ({"penalty": None}, "penalty must be a positive number"),
    ],
)
def test_bad_fits_are_refused(change, match):
    good = {"d": 2, "sets": [(0,), (0, 1)], "parities": [0.1, 0.2], "variances": [1.0, 1.0]}
    with pytest.raises(ValueError, match=match):
        max_entropy(**{**good, **change})
    with pytest.raises(ValueError, match="n must be"):
        max_entropy(**good).sample(0, np.random.default_rng(0))
