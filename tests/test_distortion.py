from fractions import Fraction
from itertools import permutations
from math import exp, inf, log, nan

import numpy as np
import pytest
from contract import Case, Contract
from scipy.optimize import linprog

from ldpnb.chance import odds
from ldpnb.numbers import distortion
from ldpnb.numbers.distortion import (
    hamming_distortion,
    hamming_epsilon,
    least_distortion,
    least_epsilon,
    optimise_points,
    rate,
)
from ldpnb.oracles.matrix import ratio

LETTERS = np.linspace(0, 1, 6)
UNIFORM = np.full(6, 1 / 6)
SKEWED = [0.7, 0.1, 0.1, 0.1]


def hamming(k):
    return 1.0 - np.eye(k)


def squared(x, points):
    return np.square(np.asarray(points) - np.asarray(x)[:, None])


def krr(k, eps):
    e = exp(eps)
    return (np.full((k, k), 1.0) + (e - 1) * np.eye(k)) / (e + k - 1)


def duchi(eps):
    return (exp(eps) + 1) / (exp(eps) - 1)


SQUARES = least_distortion(squared(LETTERS[:4], [0.1, 0.5]), 1.0, np.full(4, 0.25))
MEANS = least_distortion(squared([-1, 0, 1], np.linspace(-3, 3, 5)), 1.0, unbiased=([-1, 0, 1], np.linspace(-3, 3, 5)))


class TestAsAClient(Contract):
    cases = [
        Case(SQUARES.mechanism(), np.arange(4), histogram=True),
        Case(least_distortion(hamming(3), 0.7).mechanism(), np.arange(3), histogram=True),
        Case(MEANS.mechanism(np.linspace(-3, 3, 5)[:, None]), np.arange(3)),
    ]
    bad_values = [[4], [-1], [0.5]]
    bad_reports = [[2], [-1], [0.5]]


def test_a_channel_for_means_estimates_them():
    mechanism = MEANS.mechanism(np.linspace(-3, 3, 5)[:, None])
    np.testing.assert_allclose(mechanism.expected([0, 1, 2])[:, 0], [-1, 0, 1], atol=1e-12)
    assert mechanism.variance([0, 1, 2]).max() == pytest.approx(MEANS.distortion, rel=1e-12)
    assert mechanism.epsilon == pytest.approx(1.0, rel=1e-14)


# ----------------------------------------------------------------------------------------------- small cases, by hand


@pytest.mark.parametrize("eps", [0, 1e-6, 0.1, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 0.9])
def test_two_letters_and_one_source(eps, p):
    # chances of error (Q_01, Q_10) of the channels of ε are a polygon with these three corners besides the worse ones
    corners = [(0, 1), (1, 0), (1 / (1 + exp(eps)), 1 / (1 + exp(eps)))]
    found = least_distortion(hamming(2), eps, [1 - p, p])
    assert found.distortion == pytest.approx(min((1 - p) * e0 + p * e1 for e0, e1 in corners), abs=1e-12)
    assert found.source.tolist() == [1 - p, p]


@pytest.mark.parametrize("eps", [0, 0.3, 1.0, log(7), 3.0, 10.0])
@pytest.mark.parametrize("source", [SKEWED, [0.25] * 4, [0.5, 0.3, 0.15, 0.05], [0.05, 0.8, 0.0, 0.15]])
def test_one_source_is_answered_by_krr_on_its_likeliest_letters(source, eps):
    # Σ P_y v_y is to be largest subject to (1 − a) v_x + a Σ v_y ≤ 1: all v_y that are not 0 are equal in a corner
    j = np.arange(1, 5)
    best = 1 - (np.cumsum(np.sort(source)[::-1]) * exp(eps) / (exp(eps) + j - 1)).max()
    assert least_distortion(hamming(4), eps, source).distortion == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("eps", [0, 1e-6, 0.1, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_krr_is_best_for_the_worst_and_for_the_uniform_source(k, eps):
    for sources in (None, np.full(k, 1 / k), np.vstack([np.eye(k), np.full(k, 1 / k)])):
        found = least_distortion(hamming(k), eps, sources)
        assert found.distortion == pytest.approx((k - 1) / (k - 1 + exp(eps)), abs=1e-12)
        assert found.distortion == pytest.approx(hamming_distortion(k, eps), abs=1e-12)
        if sources is None:
            np.testing.assert_allclose(found.channel, krr(k, eps) if eps else found.channel[[0] * k], atol=1e-9)
            again = least_distortion(hamming(k), eps, found.source)  # a worst source; not only the uniform one is
            assert again.distortion == pytest.approx(found.distortion, abs=1e-12)


def test_a_class_of_sources_counts_by_its_worst():
    # k = 2, ε = ln 3: against (.9, .1) a constant report errs .1, against (.3, .7) it errs .7, and so on
    one, other = [0.9, 0.1], [0.3, 0.7]
    both = least_distortion(hamming(2), log(3), [one, other])
    # errors (e0, e1) on the edge between (0, 1) and (1/4, 1/4): .9 e0 + .1 e1 and .3 e0 + .7 e1 meet at e0 = e1
    assert both.distortion == pytest.approx(0.25, abs=1e-12)
    assert least_distortion(hamming(2), log(3), one).distortion == pytest.approx(0.1, abs=1e-12)
    assert least_distortion(hamming(2), log(3), other).distortion == pytest.approx(0.25, abs=1e-12)
    near = least_distortion(hamming(2), log(3), [one, [0.8, 0.2]])
    assert near.distortion == pytest.approx(0.2, abs=1e-12)
    np.testing.assert_allclose(near.source, [0.8, 0.2], atol=1e-9)


def test_without_privacy_to_spend_all_rows_are_one():
    found = least_distortion(squared(LETTERS, LETTERS), 0, UNIFORM)
    assert ratio(found.channel) == 1 and found.mechanism().epsilon == 0 and found.epsilon == 0
    assert found.distortion == pytest.approx(35 / 300 + 0.01, abs=1e-12)  # the variance, and (.5 − .4)²


@pytest.mark.parametrize("eps", [0.1, 1.0, 2.0, 5.0])
def test_two_point_is_the_best_unbiased_channel_on_two_points(eps):
    c = duchi(eps)
    ends, outputs = np.array([-1.0, 1.0]), np.array([-c, c])
    second = least_distortion(np.tile(outputs**2, (2, 1)), eps, unbiased=(ends, outputs))
    assert second.distortion == pytest.approx(c**2, rel=1e-12)
    variance = least_distortion(squared(ends, outputs), eps, unbiased=(ends, outputs))
    assert variance.distortion == pytest.approx(c**2 - 1, rel=1e-9) and variance.bias < 1e-12 * c
    more = np.array([-2 * c, -c, -1, 0, 0.5, 1, c, 1.5 * c])  # other reports do not help
    assert least_distortion(squared(ends, more), eps, unbiased=(ends, more)).distortion >= c**2 - 1 - 1e-9


def test_unbiased_with_a_shift_and_another_unit():
    i, o = np.linspace(-1, 1, 5), np.linspace(-4, 4, 17)
    one = least_distortion(squared(i, o), 1.0, unbiased=(i, o))
    other = least_distortion(squared(i, o) * 9e4, 1.0, unbiased=(300 * i + 700, 300 * o + 700))
    assert other.distortion == pytest.approx(9e4 * one.distortion, rel=1e-9)
    assert 0 <= other.distortion - other.bound <= 1e-7 * 9e4 and other.bias < 1e-9


def test_constant_rows_are_unbiased_for_one_input():
    found = least_distortion([[3.0, 1.0]] * 2, 0, unbiased=([0.2, 0.2], [0.0, 1.0]))
    np.testing.assert_allclose(found.channel, [[0.8, 0.2]] * 2, atol=1e-12)


# ------------------------------------------------------------------------------------------------------- the frontier

FRONTIER = {  # points: least distortion at ε = 0, .5, 1, 2, 4, 8
    (0.25, 0.75): (0.179, 0.142, 0.110, 0.065, 0.035, 0.029),
    (1 / 6, 0.5, 5 / 6): (0.1167, 0.1167, 0.1167, 0.0698, 0.0224, 0.0131),
    tuple(LETTERS): (0.1267, 0.1120, 0.0989, 0.0696, 0.0235, 0.0005),
}


@pytest.mark.parametrize("points, curve", FRONTIER.items(), ids=["two", "three", "six"])
def test_frontier_of_six_letters(points, curve):
    for eps, value in zip((0, 0.5, 1, 2, 4, 8), curve, strict=True):
        found = least_distortion(squared(LETTERS, points), eps, UNIFORM)
        assert abs(found.distortion - value) <= (0.0005 if len(points) == 2 else 0.00005) * 1.01


# ----------------------------------------------------------------------------------------------------- the certificate


def all_pairs(loss, eps, sources):
    """Plain program: every ratio of two entries of a column is a constraint, k(k−1)m of them."""
    k, m = loss.shape
    rows, e = [], exp(eps)
    for x, other in permutations(range(k), 2):
        for y in range(m):
            row = np.zeros((k, m))
            row[x, y], row[other, y] = 1, -e
            rows.append([*row.ravel(), 0])
    limits = [[*(p[:, None] * loss).ravel(), -1] for p in sources]
    sums = [[*np.repeat(np.eye(k)[x], m), 0] for x in range(k)]
    free = [(0, 1)] * (k * m) + [(None, None)]
    found = linprog(
        [0] * (k * m) + [1], np.array(rows + limits), np.zeros(len(rows) + len(limits)), sums, np.ones(k), free
    )
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize("seed", range(12))
def test_all_pairs_of_ratios_give_the_same(seed):
    rng = np.random.default_rng(seed)
    k, m, eps = int(rng.integers(2, 5)), int(rng.integers(2, 6)), float(rng.choice([0.05, 0.5, 1.5, 4.0]))
    loss = rng.uniform(-2, 3, (k, m))
    for sources in (np.eye(k), rng.dirichlet(np.ones(k), 1), rng.dirichlet(np.ones(k), 3)):
        found = least_distortion(loss, eps, sources)
        assert found.distortion == pytest.approx(all_pairs(loss, eps, sources), abs=1e-7)
        assert 0 <= found.distortion - found.bound <= 1e-9


@pytest.mark.parametrize("eps", [0, 1e-6, 1e-3, 0.5, 2.0, 8.0, 16.0, 18.0, 20.0, 20.7, 24.0, 32.0])
def test_channel_keeps_epsilon_and_the_gap_is_small(eps):
    rng = np.random.default_rng(3)
    for sources in (None, rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(5), 3)):
        loss = rng.uniform(0, 10, (5, 7))
        found = least_distortion(loss, eps, sources)
        largest = ratio(found.channel)
        assert largest is not None and largest <= (odds(eps) if eps else 1)
        assert 0 <= found.distortion - found.bound <= 1e-7
        p = np.eye(5) if sources is None else np.atleast_2d(sources)
        assert found.distortion == pytest.approx((p @ (found.channel * loss).sum(1)).max(), rel=1e-12)


def test_bound_holds_whatever_the_prices():
    rng = np.random.default_rng(4)
    for _ in range(200):
        k, m, eps = 3, 4, float(rng.choice([0, 0.3, 1, 6]))
        a = exp(-eps) + 1e-12
        v = rng.exponential(size=m)
        q = v * np.where(rng.random((k, m)) < 0.5, 1.0, rng.uniform(a, 1, (k, m))) if eps else np.tile(v, (k, 1))
        q = q / q.sum(1, keepdims=True)
        largest = ratio(q)
        if largest is None or (eps and largest > odds(eps)):
            continue  # dividing by the sums took it beyond ε
        loss, p = rng.normal(size=(k, m)), rng.dirichlet(np.ones(k))
        prices, slopes, outputs = rng.normal(size=k), rng.normal(size=k), rng.normal(size=m)
        share = distortion._mixture(np.ones(1), p[None])
        reached = distortion._distortion(loss, q, p[None])
        assert distortion._bound(loss, eps, share, prices, slopes, None) <= reached + Fraction(1, 10**12) * (eps == 0)
        rows = distortion.fractions(q)
        means = ((rows / rows.sum(1)[:, None]) @ distortion.fractions(outputs)).astype(
            np.float64
        )  # what it is unbiased for
        assert distortion._bound(loss, eps, share, prices, slopes, (means, outputs)) <= reached + Fraction(1, 10**12)


def test_bound_is_the_dual_value_by_hand():
    # k = 2, ε = ln 3, λ = (1/8, 1/8): c = (−1/8, 3/8) in either column's order, h = (3/8)/3 − 1/8 = 0
    half = distortion._mixture(np.ones(1), np.full((1, 2), 0.5))
    value = distortion._bound(hamming(2), log(3), half, np.full(2, 1 / 8), np.zeros(2), None)
    assert float(value) == pytest.approx(1 / 4, abs=1e-15)
    # λ = (1/4, 1/4) is not feasible: h = (1/4)/3 − 1/4 = −1/6 in both columns, and v may be 1 in both
    value = distortion._bound(hamming(2), log(3), half, np.full(2, 1 / 4), np.zeros(2), None)
    assert float(value) == pytest.approx(1 / 2 - 2 / 6, abs=1e-15)
    # λ = 0: h = 1/6 in both columns, and Σ v is at least 1
    value = distortion._bound(hamming(2), log(3), half, np.zeros(2), np.zeros(2), None)
    assert float(value) == pytest.approx(1 / 6, abs=1e-15)


def spoil(monkeypatch, change):
    def solver(*args, **kwargs):
        answer = linprog(*args, **kwargs)
        change(answer)
        return answer

    monkeypatch.setattr("scipy.optimize.linprog", solver)


def test_a_worse_channel_is_not_passed_off_as_the_best(monkeypatch):
    def constant(answer):  # keeps ε, but says nothing
        answer.x[:2], answer.x[2:6] = 0.5, 0.5

    assert least_distortion(hamming(2), 1.0).distortion < 0.27
    spoil(monkeypatch, constant)
    with pytest.raises(RuntimeError, match=r"at epsilon = 1.0 may be 0.231 above the least distortion"):
        least_distortion(hamming(2), 1.0)


@pytest.mark.parametrize("part", ["eqlin", "ineqlin"])
def test_a_wrong_dual_solution_proves_less(monkeypatch, part):
    def shake(answer):
        marginals = answer[part].marginals
        marginals += 1e-8 * np.random.default_rng(1).normal(size=len(marginals))

    right = least_distortion(hamming(4), 1.0)
    spoil(monkeypatch, shake)
    shaken = least_distortion(hamming(4), 1.0)
    assert shaken.distortion == right.distortion and right.bound - 1e-7 < shaken.bound < right.bound


def test_a_biased_channel_is_refused(monkeypatch):
    def shift(answer):
        answer.x[2:4] = answer.x[4:6]

    c = duchi(1.0)
    spoil(monkeypatch, shift)
    with pytest.raises(RuntimeError, match="is biased by"):
        least_distortion(squared([-1, 1], [-c, c]), 1.0, unbiased=([-1, 1], [-c, c]))


def test_a_solver_that_gives_up_is_reported(monkeypatch):
    spoil(monkeypatch, lambda answer: answer.update(status=4, message="numerical difficulties"))
    with pytest.raises(RuntimeError, match="was not solved: numerical difficulties"):
        least_distortion(hamming(2), 1.0)


def test_prices_are_the_proof():
    found = least_distortion(squared(LETTERS, LETTERS), 2.0, UNIFORM)
    cost = found.source[:, None] * squared(LETTERS, LETTERS) - found.prices[:, None]
    column = exp(-2.0) * np.maximum(cost, 0).sum(0) + np.minimum(cost, 0).sum(0)
    assert column.min() > -1e-9 and found.prices.sum() == pytest.approx(found.distortion, abs=1e-9)


@pytest.mark.slow
def test_a_few_hundred_reports():
    inputs = np.linspace(-1, 1, 41)
    outputs = duchi(0.5) * np.linspace(-1, 1, 201)
    found = least_distortion(squared(inputs, outputs), 1.0, unbiased=(inputs, outputs))
    assert 0 <= found.distortion - found.bound <= 1e-7 and found.bias <= 1e-9
    # not above what rounding to the ends and Duchi's two points cost, if these were among the reports
    assert duchi(1.0) ** 2 - 1 <= found.distortion < duchi(1.0) ** 2


# ---------------------------------------------------------------------------------------- the distortion against ε


def curve(loss, shares, sources=None):
    return np.array([least_distortion(loss, -log(a) if a < 1 else 0, sources).distortion for a in shares])


SHARES = np.linspace(0.02, 1, 15)  # a = e^-ε


@pytest.mark.parametrize("seed", range(4))
def test_less_privacy_costs_no_more(seed):
    rng = np.random.default_rng(seed)
    loss = rng.uniform(size=(4, 4))
    for sources in (None, rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4), 2)):
        assert np.all(np.diff(curve(loss, SHARES, sources)) >= -1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_for_one_source_it_is_concave_in_the_ratio(seed):
    rng = np.random.default_rng(seed)
    one = curve(rng.uniform(size=(4, 4)), SHARES, rng.dirichlet(np.ones(4)))
    assert np.all(np.diff(one, 2) <= 1e-9) and np.any(np.diff(one, 2) < -1e-6)


def test_for_a_class_it_need_not_be():
    loss = np.array([[1, 4, 4], [2, 3, 1], [4, 0, 0], [1, 0, 0]], float)
    low, middle, high = curve(loss, [0.11, 0.19, 0.27])
    assert middle < (low + high) / 2 - 1e-3


def test_it_is_convex_neither_in_epsilon_nor_in_its_exponential():
    flat = [least_distortion(squared(LETTERS, [1 / 6, 0.5, 5 / 6]), e, UNIFORM).distortion for e in (0, 1, 2)]
    assert flat[1] > (flat[0] + flat[2]) / 2 + 0.02  # in ε
    at = [least_distortion(hamming(4), e, SKEWED).distortion for e in (0, log(4), log(7), log(10))]
    assert at[2] > (at[1] + at[3]) / 2 + 0.01  # e^ε = 4, 7, 10
    assert at[0] == at[1] == pytest.approx(0.3, abs=1e-12)


# ------------------------------------------------------------------------------------------------------- least epsilon


@pytest.mark.parametrize("k, delta", [(2, 0.3), (3, 0.1), (5, 0.4), (3, 1e-5)])
def test_least_epsilon_of_hamming_loss(k, delta):
    for sources in (None, np.full(k, 1 / k)):
        found = least_epsilon(hamming(k), delta, sources)
        assert found.short is not None and found.short < hamming_epsilon(k, delta) <= found.epsilon + 1e-9
        assert found.epsilon - found.short <= 1.001e-6
        assert found.distortion <= delta * (1 + 1e-12)
        assert least_distortion(hamming(k), found.short, sources).bound > delta
        assert found.mechanism().epsilon <= found.epsilon * (1 + 1e-15)


def test_a_constant_report_may_be_good_enough():
    found = least_epsilon(hamming(4), 0.35, SKEWED)
    assert found.epsilon == 0 and found.short is None and found.mechanism().epsilon == 0
    np.testing.assert_array_equal(found.channel, np.eye(4)[[0] * 4])
    assert hamming_epsilon(4, 0.35) == pytest.approx(1.718, abs=5e-4)
    assert least_epsilon(hamming(4), 0.3, SKEWED).epsilon == 0  # but for rounding
    # below .3 a known source still helps: the curve leaves .3 at ln 7
    below = least_epsilon(hamming(4), 0.3 - 1e-6, SKEWED, width=1e-5)
    assert below.epsilon == pytest.approx(log(7), abs=1e-4)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_nothing_is_spent_where_nothing_is_asked(k):
    assert least_epsilon(hamming(k), (k - 1) / k).epsilon == 0
    assert least_epsilon(hamming(k), 0.99).epsilon == 0


def test_at_large_epsilon_the_width_says_what_is_known():
    found = least_epsilon(hamming(3), 1e-11)
    assert found.short is not None and found.short < hamming_epsilon(3, 1e-11) < found.epsilon + 1e-9
    assert found.epsilon - found.short > 0.01


# ------------------------------------------------------------------------------------------------------------- points


@pytest.mark.parametrize(
    "eps, m, value",
    [(0.5, 2, 0.1113), (1, 2, 0.0975), (2, 2, 0.0645), (4, 2, 0.0330), (2, 3, 0.0645), (4, 3, 0.0210)],
)
def test_points_for_six_letters(eps, m, value):
    points, found = optimise_points(LETTERS, eps, m, UNIFORM, starts=8, rng=np.random.default_rng(1))
    assert found.distortion == pytest.approx(value, abs=0.00006)
    assert found.bound <= found.distortion
    if eps <= 2:  # two points are as good as any number of them
        assert found.distortion - found.bound <= 1e-8
    joint = UNIFORM[:, None] * found.channel
    sent = joint.sum(0) > 1e-9
    np.testing.assert_allclose(LETTERS @ joint[:, sent] / joint.sum(0)[sent], points[sent], atol=1e-5)


def test_two_points_by_trying_all():
    source = np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
    _, found = optimise_points(LETTERS, 1.0, 2, source, starts=8, rng=np.random.default_rng(2))
    grid = np.linspace(0, 1, 13)
    tried = [least_distortion(squared(LETTERS, [s, t]), 1.0, source).distortion for s in grid for t in grid if s < t]
    assert found.distortion <= min(tried) + 1e-12
    assert min(tried) < found.distortion + 0.005


@pytest.mark.parametrize("eps", [0, 0.3, 1.0, 3.0])
def test_bound_for_all_points_by_listing_all_columns(eps):
    rng = np.random.default_rng(6)
    x, p = rng.normal(size=5), rng.dirichlet(np.ones(5))
    a = exp(-eps)
    w = np.where((np.arange(32)[:, None] >> np.arange(5)) & 1, 1.0, a)  # all columns of two heights
    cost = w @ (p * x**2) - (w @ (p * x)) ** 2 / (w @ p)
    least = linprog(cost, A_eq=w.T, b_eq=np.ones(5)).fun
    points, found = optimise_points(x, eps, 5, p, starts=6, rng=rng)
    assert least - 1e-7 <= found.bound + 1e-7 and found.bound <= least + 1e-9
    assert found.distortion >= least - 1e-9


def test_points_without_privacy_to_spend():
    points, found = optimise_points(LETTERS, 0, 1, UNIFORM, starts=1, rng=np.random.default_rng(1))
    assert points == pytest.approx([0.5]) and found.distortion == pytest.approx(35 / 300)
    _, found = optimise_points([2.0, 2.0], 1.0, 2, [0.5, 0.5], starts=1, rng=np.random.default_rng(1))
    assert found.distortion == 0


def test_points_follow_the_generator():
    one, other = (
        optimise_points(LETTERS, 3.0, 3, UNIFORM, starts=3, rng=np.random.default_rng(9))[0] for _ in range(2)
    )
    assert np.array_equal(one, other)


# ----------------------------------------------------------------------------------------------------- closed formulas


def test_hamming_formulas_are_inverse():
    for k in (2, 3, 10, 1000):
        for eps in (0.0, 1e-6, 0.5, 3.0, 30.0):
            assert hamming_epsilon(k, hamming_distortion(k, eps)) == pytest.approx(eps, rel=1e-9, abs=1e-12)
    assert hamming_epsilon(2, 0.25) == pytest.approx(log(3), rel=1e-15)
    assert hamming_distortion(2, log(3)) == pytest.approx(0.25, rel=1e-15)
    assert all(0 <= hamming_epsilon(k, (k - 1) / k) <= 1e-15 * k for k in range(2, 50))
    assert hamming_distortion(3, 800.0) == 0


def test_rate():
    assert rate(8, 2) == pytest.approx(1 / 3) and rate(6, 6) == 1 and rate(6, 1) == 0


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: least_distortion([[0, nan]], 1.0), "loss must be finite numbers, got (nan|inf)"),
        (lambda: least_distortion([[0, inf]], 1.0), "loss must be finite numbers, got (nan|inf)"),
        (lambda: least_distortion([0, 1], 1.0), "loss must be numbers with 2 axes"),
        (lambda: least_distortion([[]], 1.0), "loss must be numbers with 2 axes, not empty"),
        (lambda: least_distortion([["a"]], 1.0), "loss must be finite numbers, got <U1 values"),
        (
            lambda: least_distortion(hamming(2), -1.0),
            r"epsilon, if not 0, must be a finite number in \[1e-06, 32\], got -1.0",
        ),
        (
            lambda: least_distortion(hamming(2), 1e-7),
            r"epsilon, if not 0, must be a finite number in \[1e-06, 32\], got 1e-07",
        ),
        (lambda: least_distortion(hamming(2), 33), r"epsilon, if not 0, must be .* in \[1e-06, 32\], got 33"),
        (lambda: least_distortion(hamming(2), nan), "epsilon, if not 0, must be a finite number"),
        (lambda: least_distortion(hamming(2), False), "epsilon, if not 0, must be a finite number .*, got False"),
        (lambda: least_distortion(hamming(2), 1.0, [0.5, 0.4]), "sources must have rows of sum 1, got a sum of 0.9"),
        (lambda: least_distortion(hamming(2), 1.0, [1.5, -0.5]), "sources must not be negative, got -0.5"),
        (lambda: least_distortion(hamming(2), 1.0, [1.0]), "sources must have one probability for each value, 2, got 1"),
        (lambda: least_distortion(hamming(2), 1.0, [[[0.5, 0.5]]]), "sources must be numbers with 2 axes"),
        (lambda: least_distortion(hamming(2), 1.0, [nan, 1.0]), "sources must be finite numbers"),
        (lambda: least_distortion(hamming(2), 1.0, unbiased=[0, 1]), "unbiased must be a pair"),
        (lambda: least_distortion(hamming(2), 1.0, unbiased=([0, 1], [0.0])), r"unbiased must hold .* got \(2, 1\)"),
        (lambda: least_distortion(hamming(2), 1.0, unbiased=([0, nan], [0, 1])), "inputs must be finite numbers"),
        (
            lambda: least_distortion(hamming(2), 1.0, unbiased=([-1, 1], [-2, 2])),
            "unbiased must be possible at epsilon = 1.0, with means from -1 to 1, got outputs from -2 to 2",
        ),
        (lambda: least_distortion(hamming(2), 0, unbiased=([-1, 1], [-2, 2])), "unbiased must be possible"),
        (lambda: least_epsilon(hamming(2), -0.1), "distortion, if not 0, must be a positive number, got -0.1"),
        (lambda: least_epsilon(hamming(2), nan), "distortion, if not 0, must be a positive number, got nan"),
        (lambda: least_epsilon(hamming(2), "1"), "distortion, if not 0, must be a positive number, got '1'"),
        (
            lambda: least_epsilon(hamming(2), 0),
            r"distortion must be at least 1\.2.*, which a channel of epsilon = 32 reaches",
        ),
        (lambda: least_epsilon([[1.0], [0.0]], 0.5), "distortion must be at least 1, which .* reaches, got 0.5"),
        (lambda: least_epsilon(hamming(2), 0.1, width=0), "width must be a positive number, got 0"),
        (lambda: points(source=[0.5, 0.4]), "sources must have rows of sum 1"),
        (lambda: points(source=np.eye(2)), r"source must be a single one, \(k,\), got 2 of them"),
        (lambda: points(letters=[[0, 1]]), "letters must be numbers with 1 axes"),
        (lambda: points(m=0), "m must be an integer, at least 1, got 0"),
        (lambda: points(starts=0), "starts must be an integer, at least 1, got 0"),
        (lambda: points(rng=None), "rng must be a numpy.random.Generator, got None"),
        (lambda: hamming_epsilon(1, 0.1), "k must be an integer, at least 2, got 1"),
        (lambda: hamming_epsilon(3, 0), "delta must be a positive number, got 0"),
        (lambda: hamming_epsilon(3, 0.7), r"delta must be in \(0, \(k-1\)/k\] = \(0, 0\.66666666666666\d+\], got 0.7"),
        (lambda: hamming_distortion(3, -1), "epsilon, if not 0, must be a positive number, got -1"),
        (lambda: hamming_distortion(2.5, 1), "k must be an integer, at least 2, got 2.5"),
        (lambda: rate(1, 1), "k must be an integer, at least 2, got 1"),
        (lambda: rate(2, 0), "m must be an integer, at least 1, got 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def points(letters=(0.0, 1.0), m=2, source=(0.5, 0.5), starts=1, rng=np.random.default_rng(0)):  # noqa: B008
    return optimise_points(letters, 1.0, m, source, starts=starts, rng=rng)
