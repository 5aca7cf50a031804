from fractions import Fraction
from math import comb, exp, inf, log, nan, sqrt

import numpy as np
import pytest

from ldpnb.attributes.bitflip import BitFlip
from ldpnb.chance import law
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.olh import OLH
from ldpnb.oracles.unary import OUE
from ldpnb.postprocess import channel, maximum_likelihood, norm, norm_sub
from ldpnb.verify import laws

SHAPES = [(), (5,), (2, 3)]


def vectors(rng, scale=1.0, k=7, n=2000):
    """Random vectors of all kinds of sums, many of them with ties."""
    return np.concatenate([rng.normal(size=(n, k)) * scale, rng.integers(-3, 4, (n, k)) * scale / 3])


def nearest(x):
    """The projection onto the simplex in Fractions: of the candidates for τ, the one whose sum is 1."""
    for support in range(1, len(x) + 1):
        tau = (sum(sorted(x)[-support:]) - 1) / Fraction(support)
        p = [max(v - tau, Fraction(0)) for v in x]
        if sum(p) == 1:
            return p
    raise AssertionError("no τ")


def iterate(x):
    """Norm-Sub as it is often programmed, word for word; None where it has to divide by zero."""
    x = list(x)
    while True:
        x = [max(v, Fraction(0)) for v in x]
        positive = [v > 0 for v in x]
        if not any(positive):
            return None
        shift = (1 - sum(x)) / Fraction(sum(positive))
        x = [v + shift if p else v for v, p in zip(x, positive, strict=True)]
        if min(x) >= 0:
            return x


# ------------------------------------------------------------------------------------------------ norm, norm_sub


@pytest.mark.parametrize("shape", SHAPES)
def test_norm_adds_one_constant_to_all_items(shape):
    x = np.random.default_rng(1).normal(size=(*shape, 4))
    found = norm(x)
    added = found - x
    assert found.shape == x.shape
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-14)
    np.testing.assert_allclose(added, added[..., :1] * np.ones(4), atol=1e-14)


@pytest.mark.parametrize("k", [1, 2, 7, 300])
@pytest.mark.parametrize("scale", [1e-9, 0.1, 1, 1e6])
def test_norm_sub_is_the_nearest_point_of_the_simplex(k, scale):
    """The nearest point p of a convex set is the one with (x − p)·(y − p) ≤ 0 for all its points y, here corners."""
    x = vectors(np.random.default_rng(2), scale, k, 4000 // k)
    p = norm_sub(x)
    assert np.all(p >= 0)
    np.testing.assert_allclose(p.sum(-1), 1, atol=1e-12)
    assert np.all((x - p).max(-1) - ((x - p) * p).sum(-1) <= 1e-14 * k * (1 + scale))


@pytest.mark.parametrize("shape", SHAPES)
def test_norm_sub_works_along_the_last_axis(shape):
    x = np.random.default_rng(3).normal(size=(*shape, 6))
    found = norm_sub(x).reshape(-1, 6)
    assert norm_sub(x).shape == x.shape
    for one, p in zip(x.reshape(-1, 6), found, strict=True):
        np.testing.assert_allclose(p, [float(v) for v in nearest([Fraction(v) for v in one])], atol=1e-14)


def test_norm_sub_never_goes_away_from_a_point_of_the_simplex():
    """So the error falls with every estimate, not only on average; the control, clipping to [0, 1], can raise it."""
    rng = np.random.default_rng(4)
    closer, clipped = [], []
    for scale in (0.01, 0.3, 1, 30):
        x = vectors(rng, scale)
        y = rng.dirichlet(np.full(7, 0.3), len(x))
        before = ((x - y) ** 2).sum(-1)
        closer.append(((norm_sub(x) - y) ** 2).sum(-1) - before <= 1e-12 * (1 + before))
        scaled = np.clip(x, 0, 1) / np.maximum(np.clip(x, 0, 1).sum(-1, keepdims=True), 1e-9)
        clipped.append(((scaled - y) ** 2).sum(-1) <= before)
    assert np.all(closer) and not np.all(clipped)


def test_norm_sub_leaves_shares_as_they_are_and_forgets_a_constant():
    rng = np.random.default_rng(5)
    p = np.concatenate([rng.dirichlet(np.ones(5), 100), np.eye(5)])
    np.testing.assert_allclose(norm_sub(p), p, atol=1e-15)
    x = vectors(rng)
    np.testing.assert_allclose(norm_sub(norm(x)), norm_sub(x), atol=1e-14)
    np.testing.assert_allclose(norm_sub(x + 100), norm_sub(x), atol=1e-13)
    np.testing.assert_allclose(norm_sub([1e308, -1e307, 3]), [1, 0, 0])


def test_the_iteration_ends_in_the_projection_exactly_under_the_stated_condition():
    rng = np.random.default_rng(6)
    seen = set()
    for _ in range(3000):
        k = rng.integers(1, 7)
        x = [Fraction(int(v), 8) for v in rng.integers(-9, 10, k) - rng.integers(0, 8)]
        p, found = nearest(x), iterate(x)
        np.testing.assert_allclose(norm_sub([float(v) for v in x]), [float(v) for v in p], atol=1e-15)
        positive, others = [v for v in x if v > 0], [v for v in x if v <= 0]
        s, m = sum(positive), len(positive)
        same = s >= 1 or (m > 0 and all(v <= -(1 - s) / m for v in others))
        assert (found is None) == (m == 0)
        assert (found == p) == same
        if sum(x) >= 1:
            assert same
        missing = (1 - sum(x)) / Fraction(int(k))
        assert iterate([v + missing for v in x]) == p
        ties = len(set(x)) < len(x)
        seen.add(("none" if m == 0 else same, (sum(x) > 1) - (sum(x) < 1), ties))
    for ties in (False, True):
        assert {("none", -1, ties), (False, -1, ties), (True, -1, ties), (True, 0, ties), (True, 1, ties)} <= seen


@pytest.mark.parametrize("function", [norm, norm_sub])
@pytest.mark.parametrize("bad", [[], 1.0, [[], []], [0.5, nan], [inf, 0], ["a"], [True, False], [None], [1j]])
def test_estimates_that_are_none_are_refused(function, bad):
    with pytest.raises(ValueError, match="estimate must"):
        function(bad)


# ------------------------------------------------------------------------------------------------------ channel


def test_channel_holds_the_laws():
    mechanism = GRR(k=3, epsilon=1.0)
    matrix, reports = channel(laws(mechanism, np.arange(3)))
    p, q = mechanism.support
    assert sorted(reports) == [0, 1, 2]
    np.testing.assert_array_equal(matrix, np.where(np.equal.outer(reports, np.arange(3)), float(p), float(q)))


def test_channel_knows_what_cannot_be_sent_and_keeps_the_order():
    half = Fraction(1, 2)
    matrix, reports = channel([{"b": half, "a": half}, {"c": Fraction(1)}, {"a": Fraction(1, 4), "c": Fraction(3, 4)}])
    assert reports == ["b", "a", "c"]
    np.testing.assert_array_equal(matrix, [[0.5, 0, 0], [0.5, 0, 0.25], [0, 1, 0.75]])
    with pytest.raises(ValueError, match="laws must be those of at least one value"):
        channel([])


@pytest.mark.parametrize("mechanism", [OUE(k=3, epsilon=1.0), OLH(k=3, epsilon=1.0, prime=5)])
def test_shares_come_back_from_exact_probabilities(mechanism):
    """Fed with the law of a population's reports, maximum likelihood is exact, to what the gap allows.

    The gap bounds the divergence of the reports' laws, and its root twice the distance of those (Pinsker); the
    unbiased estimate, which is the mean of a score, turns that into a distance of shares.
    """
    matrix, reports = channel(laws(mechanism, np.arange(3)))
    shares = np.array([0.6, 0.3, 0.1])
    found = maximum_likelihood(matrix, matrix @ shares, gap=1e-12)
    p, q = mechanism.support
    largest = max(1 - float(q), float(q)) / float(p - q)
    assert np.abs(found.shares - shares).max() <= largest * sqrt(2 * 1e-12)
    assert len(reports) == len(matrix)


# ------------------------------------------------------------------------------------------- maximum likelihood


def mean_log(a, w, theta):
    return (w / w.sum() * np.log(np.where(w > 0, a @ theta, 1))).sum()


def certificate(a, w, theta):
    """max_v g_v − 1, computed the plain way."""
    return (a.T @ (w / w.sum() / (a @ theta))).max() - 1


def krr(k, epsilon):
    p, q = (float(x) for x in GRR(k=k, epsilon=epsilon).support)
    return q + (p - q) * np.eye(k), p, q


def water(counts, p, q):
    """Maximum likelihood of k-RR, in closed form: items above a threshold keep their proportions as reports."""
    w = counts / counts.sum()
    order = np.argsort(-w)
    for m in range(len(w), 0, -1):
        top = order[:m]
        level = w[top].sum() / (1 - (len(w) - m) * q)  # reports of the items outside keep probability q
        theta = (w[top] / level - q) / (p - q)
        if theta.min() >= 0:
            found = np.zeros(len(w))
            found[top] = theta
            return found
    raise AssertionError("no threshold")


@pytest.mark.parametrize("k, epsilon, n", [(2, 0.1, 20), (3, 1, 9), (50, 0.5, 10_000), (50, 32, 100), (1000, 1, 10**6)])
def test_krr_has_its_closed_form(k, epsilon, n):
    """The reports' law is that far off at most (Pinsker), and so are the shares, over p − q."""
    a, p, q = krr(k, epsilon)
    rng = np.random.default_rng(7)
    shares = 1 / np.arange(1, k + 1)
    counts = rng.multinomial(n, a @ shares / (a @ shares).sum())
    found = maximum_likelihood(a, counts, gap=1e-10)
    assert found.gap <= 1e-10
    exact = water(counts, p, q)
    assert certificate(a, counts, exact) <= 1e-12
    assert np.abs(found.shares - exact).sum() <= sqrt(2e-10) * 2 / (p - q)
    assert found.shares.min() >= 0 and found.shares.sum() == pytest.approx(1, abs=1e-14)


def problems():
    rng = np.random.default_rng(8)
    for k, rows in [(1, 3), (2, 2), (3, 8), (6, 4), (8, 27), (20, 100)]:
        a = rng.random((rows, k))
        yield a, rng.integers(0, 50, rows) + 1
        a = a * (rng.random((rows, k)) < 0.4)
        yield a, np.where(a.any(1), rng.integers(0, 3, rows), 0) + a.any(1) * (np.arange(rows) == a.any(1).argmax())
        yield 10.0 ** rng.uniform(-12, 0, (rows, k)), rng.integers(1, 10, rows) * 10 ** rng.integers(0, 15, rows)
        yield np.repeat(a + 0.1, 2, 1), np.ones(rows, int)  # columns that nothing tells apart


@pytest.mark.parametrize("a, counts", list(problems()))
def test_gap_is_certified_at_every_size(a, counts):
    best = maximum_likelihood(a, counts, gap=1e-13)
    assert best.gap <= 1e-13
    top = mean_log(a, counts, best.shares)
    for gap in (1e-1, 1e-3, 1e-6, 1e-9):
        found = maximum_likelihood(a, counts, gap=gap)
        assert 0 <= found.gap <= gap and found.steps <= best.steps <= 40
        seen = counts > 0
        assert certificate(a[seen], counts[seen], found.shares) == pytest.approx(found.gap, abs=1e-13)
        assert top - mean_log(a, counts, found.shares) <= found.gap + 1e-13
        assert found.shares.min() >= 0 and found.shares.sum() == pytest.approx(1, abs=1e-14)


def test_gap_bounds_what_is_lacking_and_not_more():
    """Everywhere in the simplex, not only near the maximum; the control: half the gap would be no bound."""
    a, counts = np.random.default_rng(9).random((12, 4)), np.arange(1, 13)
    top = mean_log(a, counts, maximum_likelihood(a, counts, gap=1e-13).shares)
    points = np.random.default_rng(10).dirichlet(np.full(4, 0.5), 500)
    lacking = np.array([top - mean_log(a, counts, x) for x in points])
    stated = np.array([certificate(a, counts, x) for x in points])
    assert np.all(lacking <= stated) and np.any(lacking > stated / 2)


@pytest.mark.parametrize("client", ["unary", "hashing"])
def test_people_as_rows_and_plain_em_gets_there_slowly(client):
    """EM climbs to the same likelihood; after a thousand steps its gap is ten thousand times the one asked for here."""
    rng = np.random.default_rng(11)
    values = rng.binomial(49, 0.2, 3000)
    if client == "unary":
        mechanism = OUE(k=50, epsilon=1.0)
        bits = mechanism.perturb(values, rng=rng)
        p, q = (float(x) for x in mechanism.support)
        a = np.where(bits, p / q, (1 - p) / (1 - q))
    else:
        mechanism = OLH(k=50, epsilon=1.0)
        reports = mechanism.perturb(values, rng=rng)
        p, q = (float(x) for x in mechanism.slots.support)
        a = np.where(mechanism.hash(reports["seed"][:, None], np.arange(50)) == reports["slot"][:, None], p, q)
    w = np.ones(3000)
    found = maximum_likelihood(a, w)
    assert found.gap <= 1e-9 and found.steps <= 20
    theta, heights = np.full(50, 1 / 50), []
    for _ in range(1000):
        theta = theta * (a.T @ (w / len(w) / (a @ theta)))
        heights.append(mean_log(a, w, theta))
    top = mean_log(a, w, found.shares)
    assert np.all(np.diff(heights) >= -1e-14) and heights[-1] <= top + 1e-9
    assert certificate(a, w, theta) > 1e-5 and top - heights[-1] > 1e-6


def test_tables_are_solved_as_if_alone():
    rng = np.random.default_rng(12)
    a = rng.random((9, 4)) * (rng.random((9, 4)) < 0.7)
    a[a.sum(1) == 0, 0] = 1
    counts = rng.integers(0, 4, (3, 5, 9)) * rng.integers(1, 10**6, (3, 5, 1))
    counts[0, 0], counts[0, 1] = np.eye(9)[3], np.eye(9)[4] * 10**9
    together = maximum_likelihood(a, counts)
    assert together.shares.shape == (3, 5, 4) and together.gap.shape == (3, 5)
    alone = [maximum_likelihood(a, one) for one in counts.reshape(-1, 9)]
    np.testing.assert_allclose(together.shares.reshape(-1, 4), [one.shares for one in alone], atol=1e-9)
    assert together.steps == max(one.steps for one in alone)
    assert np.all(together.gap <= 1e-9) and all(one.gap <= 1e-9 for one in alone)
    none = maximum_likelihood(a, counts[:0])
    assert none.shares.shape == (0, 5, 4) and none.gap.shape == (0, 5) and none.steps == 0


def test_tables_of_more_than_one_block_keep_their_order(monkeypatch):
    a, _, _ = krr(5, 1.0)
    counts = np.random.default_rng(13).multinomial(50, np.full(5, 0.2), 23)
    whole = maximum_likelihood(a, counts)
    monkeypatch.setattr("ldpnb.postprocess.CELLS", 4 * 25)
    parts = maximum_likelihood(a, counts)
    np.testing.assert_allclose(parts.shares, whole.shares, atol=1e-12)
    np.testing.assert_allclose(parts.gap, whole.gap, atol=1e-12)
    assert parts.steps == whole.steps


@pytest.mark.parametrize("f", [0.1, 0.5, 0.9])
def test_all_triples_of_sixteen_attributes_take_few_steps(f):
    rng = np.random.default_rng(14)
    flip = float(BitFlip(sizes=(2,), f=f).flip)
    one = np.array([[(1 - flip) ** 2, flip**2], [flip**2, (1 - flip) ** 2], [2 * flip * (1 - flip)] * 2])
    a = np.kron(np.kron(one, one), one)
    tables = rng.dirichlet(np.full(8, 0.3), comb(16, 3))
    found = maximum_likelihood(a, np.array([rng.multinomial(16_000, a @ table) for table in tables]))
    assert found.shares.shape == (560, 8) and found.gap.max() <= 1e-9 and found.steps <= 25


def test_rows_count_up_to_a_factor_and_alike_rows_may_be_joined():
    rng = np.random.default_rng(15)
    a, counts = rng.random((6, 3)), rng.integers(1, 9, 6)
    plain = maximum_likelihood(a, counts).shares
    scaled = maximum_likelihood(a * 10.0 ** np.array([[300], [-300], [0], [150], [-200], [7]]), counts * 2e307).shares
    np.testing.assert_allclose(scaled, plain, atol=1e-9)
    np.testing.assert_allclose(maximum_likelihood(np.repeat(a, counts, 0), np.ones(counts.sum())).shares, plain, 1e-7)


def test_values_that_nothing_speaks_for_get_nothing():
    found = maximum_likelihood([[1, 0, 0.5], [1, 0, 2], [0, 1, 0]], [3, 1, 0])
    assert found.shares[1] < 1e-8
    np.testing.assert_allclose(maximum_likelihood([[0.7], [0.3]], [1, 5]).shares, [1])


@pytest.mark.parametrize(
    "likelihood, counts, more, message",
    [
        ([1, 2], [1, 2], {}, "likelihood must have 2 axes"),
        ([[[1.0]]], [1], {}, "likelihood must have 2 axes"),
        ([[1, 2], [3, 4]], [1, 2, 3], {}, r"counts must have one entry for each row of likelihood, 2, got shape \(3,\)"),
        ([[1, 2], [3, 4]], [[1], [2]], {}, "counts must have one entry for each row"),
        ([[1, 2], [3, 4]], 3, {}, "counts must have at least one entry"),
        ([[1, -0.5], [3, 4]], [1, 2], {}, "likelihood must not be negative, got -0.5"),
        ([[1, 2], [3, 4]], [1, -2], {}, "counts must not be negative, got -2"),
        ([[1, nan], [3, 4]], [1, 2], {}, "likelihood must be finite"),
        ([[1, 2], [3, 4]], [1, inf], {}, "counts must be finite"),
        ([["a"]], [1], {}, "likelihood must be finite numbers"),
        ([[], []], [1, 2], {}, "likelihood must have at least one entry"),
        ([[1, 2], [3, 4]], [0, 0], {}, "counts must hold at least one report, got none in table 0"),
        ([[1, 2], [3, 4]], [[1, 0], [0, 0]], {}, "none in table 1"),
        ([[1, 2], [0, 0]], [5, 1], {}, "no value can send, but report 1 came"),
        ([[1, 2], [3, 4]], [1, 2], {"gap": 0}, "gap must be a positive number, got 0"),
        ([[1, 2], [3, 4]], [1, 2], {"gap": nan}, "gap must be a positive number"),
        ([[1, 2], [3, 4]], [1, 2], {"gap": "a"}, "gap must be a positive number"),
        ([[1, 2], [3, 4]], [1, 2], {"steps": 0}, "steps must be an integer, at least 1"),
    ],
)
def test_impossible_data_are_refused(likelihood, counts, more, message):
    with pytest.raises(ValueError, match=message):
        maximum_likelihood(likelihood, counts, **more)


def test_reports_that_cannot_be_sent_may_have_rows():
    np.testing.assert_allclose(maximum_likelihood([[0, 0], [3, 1], [1, 3]], [0, 55, 45]).shares, [0.6, 0.4], atol=1e-6)


def test_too_few_steps_are_an_error_that_says_how_far_they_came():
    a, _, _ = krr(20, 1.0)
    counts = np.ones((3, 20))  # table 0 and 2 are done at once, by symmetry
    counts[1] = np.arange(20)
    with pytest.raises(RuntimeError, match=r"steps = 2 left a gap of [\d.e-]+ in table 1, above gap = 1e-09"):
        maximum_likelihood(a, counts, steps=2)
    needed = maximum_likelihood(a, counts).steps
    assert maximum_likelihood(a, counts, steps=needed).steps == needed
    with pytest.raises(RuntimeError, match=f"steps = {needed - 1} "):
        maximum_likelihood(a, counts, steps=needed - 1)


# ------------------------------------------------------------------------------------------------- what is biased


def tallies(mechanism, histogram):
    """All tallies of a population, and their exact probabilities."""
    exact = law(lambda rng: mechanism.simulate(histogram, trials=1, rng=rng).counts[0])
    assert sum(exact.values()) == 1
    return np.array(list(exact)), list(exact.values())


def raw(mechanism, counts, n):
    p, q = (float(x) for x in mechanism.support)
    return (counts / n - q) / (p - q)


def bias(weights, estimates, histogram):
    return np.array([float(w) for w in weights]) @ estimates - np.array(histogram) / sum(histogram)


POPULATIONS = [(4, 0, 0), (2, 1, 1)]


@pytest.mark.parametrize("histogram", POPULATIONS)
def test_norm_changes_nothing_for_krr(histogram):
    """Every report supports one item: the estimate sums to (1 − kq)/(p − q) = 1."""
    mechanism = GRR(k=3, epsilon=1.0)
    p, q = mechanism.support
    assert (1 - 3 * q) / (p - q) == 1
    counts, weights = tallies(mechanism, histogram)
    np.testing.assert_allclose(norm(raw(mechanism, counts, 4)), raw(mechanism, counts, 4), atol=1e-14)
    np.testing.assert_allclose(bias(weights, raw(mechanism, counts, 4), histogram), 0, atol=1e-14)


@pytest.mark.parametrize("histogram", POPULATIONS)
def test_norm_has_no_bias_for_unary_encoding(histogram):
    """The sum of the estimate varies, with mean 1; the control, dividing by it, has bias."""
    mechanism = OUE(k=3, epsilon=1.0)
    counts, weights = tallies(mechanism, histogram)
    estimates = raw(mechanism, counts, 4)
    assert np.ptp(estimates.sum(-1)) > 1
    np.testing.assert_allclose(bias(weights, norm(estimates), histogram), 0, atol=1e-13)
    assert np.abs(bias(weights, estimates / estimates.sum(-1, keepdims=True), histogram)).max() > 0.01


@pytest.mark.parametrize("make, left", [(OUE, 3 / 4), (GRR, 1.0)])
def test_norm_takes_a_kth_off_the_noise_of_unary_encoding(make, left):
    """Of four items, from the exact law of one report; the control, k-RR, has estimates that sum to one already."""
    mechanism = make(k=4, epsilon=1.0)
    told = laws(mechanism, [0])[0]
    scores = np.array([mechanism.estimate(mechanism.tally(np.array([report]))) for report in told])
    weights = np.array([float(p) for p in told.values()])
    noise = [weights @ ((x - weights @ x) ** 2).sum(1) for x in (scores, norm(scores))]
    assert noise[1] == pytest.approx(left * noise[0], rel=1e-12)


@pytest.mark.parametrize("histogram, least", [((4, 0, 0), 0.3), ((2, 1, 1), 0.07)])
def test_norm_sub_and_maximum_likelihood_have_bias(histogram, least):
    """Exact, over all tallies of four people; the projection in Fractions, the likelihood by its closed form."""
    mechanism = GRR(k=3, epsilon=1.0)
    (p, q), n = mechanism.support, sum(histogram)
    counts, weights = tallies(mechanism, histogram)
    projected = [nearest([(Fraction(int(c), n) - q) / (p - q) for c in tally]) for tally in counts]
    exact = [
        sum(w * x[v] for w, x in zip(weights, projected, strict=True)) - Fraction(histogram[v], n) for v in range(3)
    ]
    assert -exact[0] > least and exact[1] == exact[2] > least / 2 * 0.999
    found = bias(weights, norm_sub(raw(mechanism, counts, n)), histogram)
    np.testing.assert_allclose(found, [float(x) for x in exact], atol=1e-14)

    matrix, reports = channel(laws(mechanism, np.arange(3)))
    gap = 1e-13
    likeliest = maximum_likelihood(matrix, counts[:, reports], gap=gap).shares
    closed = np.array([water(tally, float(p), float(q)) for tally in counts])
    assert np.abs(likeliest - closed).sum(-1).max() <= sqrt(2 * gap) * 2 / float(p - q)
    found = bias(weights, likeliest, histogram)
    assert -found[0] > least and found[1] > least / 2 * 0.999


def test_norm_sub_and_maximum_likelihood_of_krr_are_two_things_from_ten_people_on():
    """The projection lowers all shares by one amount, the likelihood by one factor of the reports' probabilities.

    With three items and four people no tally tells them apart: off the simplex, one item is left or two level ones.
    """
    mechanism = GRR(k=3, epsilon=1.0)
    a, _, _ = krr(3, 1.0)
    for n, least, most in [(4, 0, 1e-9), (10, 0.01, 1)]:
        counts, _ = tallies(mechanism, (n, 0, 0))
        found = maximum_likelihood(a, counts, gap=1e-13).shares
        assert least <= np.abs(found - norm_sub(raw(mechanism, counts, n))).max() <= most


@pytest.mark.parametrize("k, epsilon", [(2, 0.5), (3, 1.0), (10, 4.0)])
def test_maximum_likelihood_of_krr_is_the_estimate_wherever_that_is_a_share(k, epsilon):
    """The divergence of report laws is at most the gap, so that their distance is at most √(2 gap) (Pinsker)."""
    mechanism = GRR(k=k, epsilon=epsilon)
    a, p, q = krr(k, epsilon)
    counts = np.random.default_rng(16).multinomial(500, a @ np.arange(1, k + 1) / (k * (k + 1) / 2), 200)
    estimates = raw(mechanism, counts, 500)
    inside = estimates.min(-1) >= 0
    assert inside.sum() >= 20
    found = maximum_likelihood(a, counts, gap=1e-13).shares
    assert np.abs(found - estimates)[inside].sum(-1).max() <= sqrt(2e-13) / (p - q)
    assert (p - q) == pytest.approx((exp(epsilon) - 1) / (exp(epsilon) + k - 1)) and log(p / q) <= epsilon + 1e-12
