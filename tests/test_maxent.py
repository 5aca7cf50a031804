from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from contract import FALSE_ALARM, chi_square
from scipy import optimize
from scipy.optimize import minimize

from ldpnb.attributes import maxent
from ldpnb.attributes.blocks import Blocks, best_block_size
from ldpnb.attributes.maxent import consistent, max_entropy
from ldpnb.postprocess import norm_sub


def records(sizes):
    """All records; the first two differ in every attribute."""
    every = product(*(range(size) for size in sizes))
    return np.array(sorted(every, key=lambda r: r != tuple(size - 1 for size in sizes)))


def parity(x):
    return (-1.0) ** np.indices(x.shape).sum(0)


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
    monkeypatch.setattr(maxent, "STEPS_MAX", 1)
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
    plain = optimize.minimize
    monkeypatch.setattr(optimize, "minimize", lambda *a, options, **k: plain(*a, options=options | {"maxiter": 2}, **k))
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
    m = Blocks(sizes=(2,) * d, size=best_block_size((2,) * d, 2.0), epsilon=2.0)
    found = m.tables(m.tally(m.perturb(people, rng=rng)), pairwise_sets(d))
    fit = max_entropy(d, found.sets, found.parities, 1 / found.people)
    truth = m.unpack(m.expected(people).mean(0))
    p = fit.probabilities.reshape((2,) * d)
    fitted = [p.sum(tuple(j for j in range(d) if j not in s)) for s in m.pairs]
    raw = np.mean([np.abs(x - y).sum() for x, y in zip(found.tables[d:], truth, strict=True)])
    near = np.mean([np.abs(x - y).sum() for x, y in zip(fitted, truth, strict=True)])
    apart = np.mean([np.abs(np.outer(y.sum(1), y.sum(0)) - y).sum() for y in truth])
    assert near < 0.7 * raw and near < 0.5 * apart


# ---------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("sets", "tables", "people", "match"),
    [
        ([(0, 1)], [np.full((2, 2), 0.25)], [0.0], "people must be positive"),
        ([(0, 1)], [np.full((2, 2), 0.25)], [1.0, 1.0], "people must be positive"),
        ([(0, 1)], [], [1.0], "people must be positive"),
        ([(0, 1, 2)], [np.full((2, 2, 2), 0.125)], [1.0], "tables must be of pairs"),
        ([(0, 1)], [np.full(4, 0.25)], [1.0], "tables must be of pairs"),
        ([()], [0.5], [1.0], "tables must be of pairs"),
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
        ({"sets": []}, "sets must be distinct, at least one, got"),
        ({"sets": [(0, 1), (0, 1)]}, "sets must be distinct, at least one, got"),
        ({"sets": [(0,), (1, 0)]}, r"sets must be of increasing attribute numbers below 2, at least one, got \(1, 0\)"),
        ({"sets": [(0,), (2,)]}, "sets must be of increasing"),
        ({"sets": [(0,), (0, -1)]}, "sets must be of increasing"),
        ({"sets": [(0,), ()]}, "sets must be of increasing"),
        ({"sets": [(0,), 1]}, "sets must be of increasing"),
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
