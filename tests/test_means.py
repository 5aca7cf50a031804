from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import comb, exp, inf, log, pi, sqrt

import numpy as np
import pytest
from contract import Contract, stated_rounding
from scipy.stats import binom, norm

from ldpnb.chance import bernoulli, law, odds, pick, toss, weighted
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.core import Example, Tally
from ldpnb.keyvalue.population import discretise
from ldpnb.numbers import many_numbers
from ldpnb.numbers.many_numbers import HarmonyMean, MeanEst, SampledHybrid
from ldpnb.numbers.means import Range
from ldpnb.numbers.one_number import Hybrid, Laplace, Piecewise, TwoPoint, best_width, exp_down, rounded
from ldpnb.postprocess import interval
from ldpnb.verify import epsilon, laws, same_law, sampled

LINE = np.array([-1.0, 1.0, 0.0, 0.3, -0.7])  # the ends are a worst pair


def corners_and(inside, d):
    """All corners, opposite ones first, and some vectors inside the cube."""
    corners = sorted(product((1.0, -1.0), repeat=d), key=lambda v: abs(sum(v)), reverse=True)
    return np.array([*corners, *inside])


@dataclass(frozen=True, kw_only=True)
class CoarseHybrid(SampledHybrid):
    """With a mechanism for one number that is small enough to be enumerated twice."""

    count = 2
    one = property(lambda self: Hybrid(epsilon=self._part(), steps=2))


class TestNumber(Contract):
    cases = [
        *(example for kind in (TwoPoint, Piecewise, Hybrid, Laplace) for example in kind.example()),
        Example(Piecewise(epsilon=0.1), LINE, pairs=False),
        Example(Hybrid(epsilon=1.0), LINE, pairs=False),
        Example(Laplace(epsilon=0.1), LINE, pairs=False),
    ]
    bad_values = [[1.5], [-2], [np.nan], [np.inf], ["a"], [True], [None], [[0.5]], 0.5, "a"]
    bad_reports = [[2], [-1], [0.5], [[0]], ["a"], 0]


class TestMeanEst(Contract):
    cases = [
        *MeanEst.example(),
        Example(MeanEst(d=1, epsilon=20.0), corners_and([], 1)),
        Example(MeanEst(d=2, epsilon=0.1), corners_and([[1.0, 0.5]], 2)),
        Example(MeanEst(d=4, epsilon=1.0), corners_and([[0.1, -0.2, 0.7, 1.0]], 4)[[0, 1, 2, 5, 9, -1]], pairs=False),
        Example(MeanEst(d=5, epsilon=1.0), corners_and([[0.1, -0.2, 1.0, -1.0, 1.0]], 5), pairs=False),
    ]
    bad_values = [[[1.5]], [[-2]], [[np.nan]], [[np.inf]], [["a"]], [[True]], [[None]], [0.5], 0.5, [[0.1, 0.2]], "a"]
    bad_reports = [
        np.ones((2, 1)),
        np.ones((2, 2), np.int8),
        np.ones(2, np.int8),
        np.zeros((1, 1), np.int8),
        [[1]],
        "a",
    ]


def answers(attribute, cell):
    """Reports of `SampledNumbers`, by hand."""
    attribute, cell = np.asarray(attribute), np.asarray(cell)
    fields = [("attribute", attribute.dtype, attribute.shape[1:]), ("cell", cell.dtype, cell.shape[1:])]
    reports = np.empty(len(attribute), fields)
    reports["attribute"], reports["cell"] = attribute, cell
    return reports


class TestSampledNumbers(Contract):
    cases = [
        *HarmonyMean.example(),
        *SampledHybrid.example(),
        Example(HarmonyMean(d=3, epsilon=1.1, count=3), corners_and([], 3), pairs=False),
        Example(CoarseHybrid(d=3, epsilon=3.0), corners_and([[0.0, -0.5, 0.5]], 3)[[0, 1, -1]], pairs=False),
    ]
    bad_values = [[[1.5] * 3], [[0.0, np.nan, 0]], [["a"] * 3], [[True] * 3], [0.5] * 3, 0.5, [[0.1, 0.2]], "a"]
    bad_reports = [
        answers([[0, 3]], [[0, 0]]),
        answers([[0, -1]], [[0, 0]]),
        answers([[0, 1]], [[0, 2]]),
        answers([[0, 1]], [[0.0, 1.0]]),
        answers([[1, 1]], [[0, 0]]),
        answers([[0]], [[0]]),
        answers([[0, 1, 2]], [[0, 0, 0]]),
        answers([[0, 1, 2]], [[0, 0]]),
        answers([[0, 1]], [[0, 0]])[0],
        np.zeros((1, 2), int),
        "a",
    ]

    def test_epsilon_is_kept_at_every_size(self, case):
        for eps in (EPSILON_MIN * 3, 0.01, 0.1, 1, 3, 10, 20, EPSILON_MAX):  # of an answer at least EPSILON_MIN
            mechanism = replace(case.mechanism, epsilon=eps)
            assert eps - 3 * stated_rounding(eps) <= mechanism.realised_epsilon <= eps
            assert mechanism.ratio <= odds(eps)


# ---------------------------------------------------------------------------------------- one number: the calculus

NUMBERS = [
    TwoPoint(epsilon=1.0),
    *(kind(epsilon=eps) for kind in (Piecewise, Hybrid, Laplace) for eps in (1e-6, 0.5, 1.0, 4.0, 32.0)),
    Piecewise(epsilon=1.0, steps=7, width=3),
    Piecewise(epsilon=1.0, steps=5, width=20),
    Hybrid(epsilon=5.0, steps=9),
    Laplace(epsilon=1.0, steps=1, reach=3),
    Laplace(epsilon=0.3, steps=10, reach=100),
]


def whole_channel(mechanism):
    """Weights of the cells from each point, as integers."""
    points, weights, scores = mechanism.design
    rows = [[0] * len(scores) for _ in range(points + 1)]
    for i, row in enumerate(rows):
        cells = mechanism.lead(np.full(len(weights), i), np.arange(len(weights)))
        for cell, weight in zip(cells.tolist(), weights, strict=True):
            row[cell] += weight
    return rows


@pytest.mark.parametrize("mechanism", NUMBERS, ids=str)
def test_points_come_out_exactly_on_average(mechanism):
    points, weights, scores = mechanism.design
    for i, row in enumerate(whole_channel(mechanism)):
        assert sum(w * s for w, s in zip(row, scores, strict=True)) == sum(weights) * (Fraction(2 * i, points) - 1)


@pytest.mark.parametrize("mechanism", NUMBERS, ids=str)
def test_ratio_is_the_largest_of_the_channel_exactly(mechanism):
    columns = zip(*whole_channel(mechanism), strict=True)
    assert max(Fraction(max(column), min(column)) for column in columns) == mechanism.ratio <= odds(mechanism.epsilon)


@pytest.mark.parametrize(
    "mechanism", [*NUMBERS, HarmonyMean(d=3, epsilon=1.0), SampledHybrid(d=4, epsilon=6.0)], ids=str
)
def test_worst_noise_is_the_largest(mechanism):
    t = np.linspace(-1, 1, 2 * 64 * 315 + 1)  # with all points and all middles
    noise = mechanism.variance(t if mechanism in NUMBERS else np.repeat(t[:, None], mechanism.d, 1))
    assert noise.max() <= mechanism.worst_variance * (1 + 1e-12) <= noise.max() * (1 + 1e-6)


def place(t, steps, rng):
    """Round one number to one of two neighbouring points."""
    i = min(int((1 + t) / 2 * steps), steps - 1)
    return i + toss((1 + t) / 2 * steps - i, rng)


def piecewise(steps, w, eps):
    def client(t, rng):
        i = place(t, steps, rng)
        window = list(range(i, i + w))
        if toss(exp(eps) * w / (exp(eps) * w + steps), rng):
            return pick(window, rng)
        return pick([y for y in range(steps + w) if y not in window], rng)

    return client


def sign(first, eps):
    return lambda t, rng: first + (toss((1 + t) / 2, rng) == toss(exp(eps) / (1 + exp(eps)), rng))


def hybrid(steps, w, eps, share):
    one, other = piecewise(steps, w, eps), sign(steps + w, eps)
    return lambda t, rng: one(t, rng) if toss(share, rng) else other(t, rng)


def laplace(steps, reach, eps):
    a = exp(-eps / steps)

    def client(t, rng):
        y = place(t, steps, rng)
        if not toss((1 - a) / (1 + a), rng):
            step = pick([-1, 1], rng)
            y += step
            while -reach < y < steps + reach and toss(a, rng):
                y += step
            if y <= -reach or y >= steps + reach:  # what lies beyond an end is reported as the end
                return 0 if step < 0 else steps + 2 * reach
        return y + reach

    return client


@pytest.mark.parametrize(
    "mechanism, client, control",
    [
        (TwoPoint(epsilon=1.0), sign(0, 1.0), sign(0, 1.1)),
        (Piecewise(epsilon=1.0, steps=4, width=3), piecewise(4, 3, 1.0), piecewise(4, 3, 1.1)),
        (Hybrid(epsilon=2.0, steps=4, width=2), None, hybrid(4, 2, 2.0, 1 - exp(-1))),  # the limit's coin
        (Hybrid(epsilon=0.5, steps=4), sign(0, 0.5), piecewise(4, 3, 0.5)),
        (Laplace(epsilon=1.0, steps=3, reach=2), laplace(3, 2, 1.0), laplace(3, 2, 0.9)),
        (Laplace(epsilon=2.0, steps=4), laplace(4, 0, 2.0), laplace(4, 0, 1.9)),
    ],
    ids=lambda x: "client" if callable(x) else str(x),
)
def test_number_is_the_client_for_one_person(mechanism, client, control):
    client = client or hybrid(4, 2, 2.0, float(mechanism.share))
    numbers = [*LINE.tolist(), 0.999]
    packed = [np.array(t) for t in numbers]

    def package(t, rng):
        return int(mechanism.perturb([float(t)], rng=rng)[0])

    def one(t, rng):
        return client(float(t), rng)

    assert same_law(one, package, packed)
    assert not same_law(lambda t, rng: control(float(t), rng), package, packed)


def test_one_step_is_two_points():
    signs = TwoPoint(epsilon=1.0)
    for other in (Piecewise(epsilon=1.0, steps=1, width=1), Laplace(epsilon=1.0, steps=1)):
        assert same_law(signs, other, LINE, tolerance=0)
        assert signs.design.scores == other.design.scores
    assert not same_law(signs, TwoPoint(epsilon=1.0 + 1e-6), LINE)
    c = (exp(1) + 1) / (exp(1) - 1)
    np.testing.assert_allclose(signs.variance(LINE)[:, 0], c**2 - LINE**2, rtol=1e-12)
    assert signs != Piecewise(epsilon=1.0, steps=1, width=1)


@pytest.mark.parametrize("t", [0.0, 1.0, -1.0, 0.3, -1 + 2**-40, 2**-52, 1 / 3])
def test_rounding_to_two_points_is_the_discretisation_of_pairs(t):
    ours = law(lambda rng: 2 * rounded(np.array([t]), 1, rng) - 1)
    assert ours == law(lambda rng: discretise([t], rng))


# --------------------------------------------------------------------------------------- one number: the variances


def continuous(eps, t):
    """Variance of the piecewise mechanism of Wang et al. 2019."""
    s = exp(eps / 2)
    return t**2 / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)


def continuous_hybrid(eps):
    """The same for the hybrid one, ε > .61: it does not depend on t."""
    s, c = exp(eps / 2), (exp(eps) + 1) / (exp(eps) - 1)
    return (1 - 1 / s) * continuous(eps, 0) + c**2 / s


@pytest.mark.parametrize("eps", [0.5, 1.0, 2.0, 4.0])
def test_piecewise_has_the_published_variance(eps):
    t = np.linspace(-1, 1, 101)
    for steps, near in ((64, 0.03), (1024, 0.003)):
        mechanism = Piecewise(epsilon=eps, steps=steps)
        np.testing.assert_allclose(mechanism.variance(t)[:, 0], continuous(eps, t), rtol=near)
        assert 1 - near < mechanism.worst_variance / continuous(eps, 1) < 1 + near / 10  # measured: .971 to .9996
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(Piecewise(epsilon=eps, width=30).variance(t)[:, 0], continuous(eps, t), rtol=0.03)


@pytest.mark.parametrize("eps", [1.0, 2.0, 4.0])
def test_hybrid_has_the_published_variance(eps):
    t = np.linspace(-1, 1, 101)
    for steps, near in ((64, 0.03), (1024, 0.003)):
        mechanism = Hybrid(epsilon=eps, steps=steps)
        np.testing.assert_allclose(mechanism.variance(t)[:, 0], continuous_hybrid(eps), rtol=near)
        points = np.linspace(-1, 1, steps + 1)
        assert np.ptp(mechanism.variance(points)) < 1e-12
        assert mechanism.worst_variance < min(
            Piecewise(epsilon=eps, steps=steps).worst_variance, TwoPoint(epsilon=eps).worst_variance
        )


def test_hybrid_mixes_where_it_helps():
    mixes = [eps for eps in np.arange(0.58, 0.65, 0.002) if Hybrid(epsilon=eps, steps=1024).share]
    assert mixes[0] == pytest.approx(0.6094, abs=0.003)
    assert mixes[-1] > 0.648  # and from there on
    assert Hybrid(epsilon=0.5).worst_variance == TwoPoint(epsilon=0.5).worst_variance
    assert float(Hybrid(epsilon=2.0, steps=1024).share) == pytest.approx(1 - exp(-1), abs=1e-3)
    for eps in np.arange(0.5, 6, 0.05):  # with coarse grids, too, never worse than signs
        for steps in (1, 2, 3, 8):
            assert Hybrid(epsilon=eps, steps=steps).worst_variance <= TwoPoint(epsilon=eps).worst_variance * (1 + 1e-12)


@pytest.mark.parametrize("eps, most", [(0.5, 0.993), (1.0, 0.971), (2.0, 0.890), (4.0, 0.671)])
def test_published_window_is_not_the_best(eps, most):
    published = Piecewise(epsilon=eps)
    best = replace(published, width=best_width(published))
    assert best.worst_variance / continuous(eps, 1) < most  # the published one: .971 to .9996
    assert best.window > published.window
    others = (replace(best, width=best.width + step).worst_variance for step in (-1, 1))
    assert best.worst_variance <= min(others)
    mixed = Hybrid(epsilon=eps, width=best_width(Hybrid(epsilon=eps)))
    assert mixed.worst_variance <= Hybrid(epsilon=eps).worst_variance


@pytest.mark.parametrize("kind", [Piecewise, Hybrid])
@pytest.mark.parametrize(
    ("steps", "budgets"),
    [
        (1, (0.1, 1.0, 5.0)),
        (3, (1e-6, 0.5, 0.65, 2.0, 8.0)),
        (8, (0.01, 0.6, 0.7, 1.4, 4.0, 20.0)),
        (64, (0.61, 0.62, 1.0, 6.0)),
    ],
)
def test_best_width_is_that_of_all_widths(kind, steps, budgets):
    for eps in budgets:
        made = kind(epsilon=eps, steps=steps)
        every = range(1, 2 * steps + 1)
        assert best_width(made) == min(every, key=lambda width: replace(made, width=width).worst_variance)


@pytest.mark.parametrize("eps", [0.5, 1.0, 2.0, 4.0])
def test_long_reach_is_the_published_laplace(eps):
    steps, points = 16, np.linspace(-1, 1, 17)
    long = Laplace(epsilon=eps, steps=steps, reach=int(25 * steps / eps))
    x = eps / steps
    assert long.variance(points) == pytest.approx(2 / (steps * np.sinh(x / 2)) ** 2, rel=1e-8)  # geometric noise
    middle = long.variance((points[1:] + points[:-1]) / 2)
    assert middle == pytest.approx(2 / (steps * np.sinh(x / 2)) ** 2 + 1 / steps**2, rel=1e-8)
    assert long.worst_variance == pytest.approx(8 / eps**2, rel=0.01)
    worst = [Laplace(epsilon=eps, steps=steps, reach=reach).worst_variance for reach in (0, 4, 16, 64)]
    assert np.all(np.diff(worst) > 0) and worst[-1] < long.worst_variance
    assert worst[0] < 0.95 * 8 / eps**2


def test_cut_report_keeps_all_information():
    short, long = Laplace(epsilon=1.0, steps=4), Laplace(epsilon=1.0, steps=4, reach=5)
    assert short.ratio == long.ratio
    rows = whole_channel(long)
    for beyond, end in ((slice(0, 6), 0), (slice(9, 15), -1)):
        for y in zip(*(row[beyond] for row in rows), strict=True):  # one likelihood ratio for all cells beyond
            first = [row[beyond][0] for row in rows]
            assert all(p * first[0] == q * y[0] for p, q in zip(y, first, strict=True))
        for row in rows:  # and the short one's score is the mean of the long one's, from every point
            scores = long.design.scores[beyond]
            assert sum(map(lambda p, s: p * s, row[beyond], scores)) / sum(row[beyond]) == short.design.scores[end]
    assert len({Fraction(row[6], row[7]) for row in rows}) > 1  # within the range ratios differ


# ------------------------------------------------------------------------------------------------------ many numbers


def shape(d):
    """C_d and S_d by binomial coefficients."""
    if d % 2:
        return 2 ** (d - 1), comb(d - 1, (d - 1) // 2)
    return 2 ** (d - 1) - comb(d, d // 2) // 2, comb(d - 1, d // 2)


@pytest.mark.parametrize("d", [*range(1, 14), 79, 80, 100, 101, 1000, 4096])
@pytest.mark.parametrize("eps", [0.1, 1.0, 4.0])
def test_constants_have_their_closed_forms(d, eps):
    mechanism, (c, s), e = MeanEst(d=d, epsilon=eps), shape(d), odds(eps)
    assert sum(mechanism.ways[d // 2 + 1 :]) == c
    assert float(mechanism.scale) == pytest.approx(float((2**d + c * (e - 1)) / (s * (e - 1))), rel=1e-12)
    if d >= 1000:
        assert float(mechanism.scale) == pytest.approx(sqrt(pi * d / 2) * (exp(eps) + 1) / (exp(eps) - 1), rel=0.04)


@pytest.mark.parametrize("d", [1, 2, 12, 13, 100, 101, 4096])
@pytest.mark.parametrize("eps", [EPSILON_MIN, 0.1, 1.0, 10.0, EPSILON_MAX])
def test_epsilon_is_exact_for_any_d(d, eps):
    mechanism = MeanEst(d=d, epsilon=eps)
    each = {
        Fraction(weight, ways) for weight, ways in zip(mechanism.weights, mechanism.ways, strict=True)
    }  # a corner's
    assert max(each) / min(each) == mechanism.ratio <= odds(eps)
    assert sum(mechanism.ways) == 2**d
    assert eps - stated_rounding(eps) <= mechanism.realised_epsilon <= eps


def one_person(d, coin, high, low):
    """The survey's client: a coin, then a corner of one class of agreement with v, all alike."""

    def client(values, rng):
        v = [1 if toss((1 + t) / 2, rng) else -1 for t in values]
        allowed = high if coin(rng) else low
        return pick(
            [r for r in product((1, -1), repeat=d) if allowed(sum(a * b for a, b in zip(r, v, strict=True)))], rng
        )

    return client


SIGNS = {
    ">": lambda s: s > 0,
    ">=": lambda s: s >= 0,
    "<": lambda s: s < 0,
    "<=": lambda s: s <= 0,
}


def printed(rng):
    return toss(exp(1) / (1 + exp(1)), rng)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_client_is_the_one_for_one_person(d):
    mechanism = MeanEst(d=d, epsilon=1.0)
    favoured = sum(w for a, w in enumerate(mechanism.weights) if 2 * a > d)

    def coin(rng):  # e C / ((e − 1) C + 2^d), with e as rounded
        return weighted([sum(mechanism.weights) - favoured, favoured], (), rng) == 1

    values = corners_and([np.linspace(-0.5, 1, d)], d)[-3:]
    client = one_person(d, coin, SIGNS[">"], SIGNS["<="])
    assert same_law(client, lambda t, rng: mechanism.perturb([t], rng=rng)[0], list(values), tolerance=0)
    control = one_person(d, printed, SIGNS[">"], SIGNS["<="])
    assert same_law(client, control, list(values)) == (d % 2 == 1)  # the printed coin is right for odd d


@pytest.mark.parametrize(
    "high, low, shown",
    [(">", "<", inf), (">=", "<=", log(1 + exp(1))), (">", "<=", 1 + log(3))],
)
def test_printed_coin_is_caught_for_even_d(high, low, shown):
    client = one_person(2, printed, SIGNS[high], SIGNS[low])
    assert epsilon(laws(client, corners_and([], 2))) == pytest.approx(shown, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("d", [30, 101])
def test_long_vectors_by_samples(d):
    values = np.random.default_rng(8).uniform(-1, 1, (2, d))
    mechanism = MeanEst(d=d, epsilon=2.0)
    found = sampled(mechanism, values, reports=40_000, rng=np.random.default_rng(9))
    assert found.unbiased and found.variance_right
    wrong = OneTooMany(d=d, epsilon=2.0)
    assert not sampled(wrong, values, reports=40_000, rng=np.random.default_rng(9)).unbiased


@pytest.mark.parametrize("mechanism", [HarmonyMean(d=2, epsilon=1.0), MeanEst(d=2, epsilon=1.0)], ids=str)
def test_memory_is_bounded_by_blocks(monkeypatch, mechanism):
    values, sizes, draw = np.array([[1.0, -1.0], [0.5, 1.0]]), set(), type(mechanism)._draw

    def watched(self, vectors, rng):
        sizes.add(len(vectors))
        return draw(self, vectors, rng)

    one = [law(lambda rng, v=v: mechanism.perturb([v], rng=rng)) for v in values]
    monkeypatch.setattr(many_numbers, "BLOCK", 3)  # one person of two numbers at a time
    monkeypatch.setattr(type(mechanism), "_draw", watched)
    both = law(lambda rng: mechanism.perturb(values, rng=rng))
    assert both == {x + y: p * q for x, p in one[0].items() for y, q in one[1].items()}
    assert sizes == {1}


@pytest.mark.parametrize("eps", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("d", [2, 5])
def test_variances_have_their_closed_forms(d, eps):
    t = np.random.default_rng(3).uniform(-1, 1, (4, d))
    c = (exp(eps) + 1) / (exp(eps) - 1)
    np.testing.assert_allclose(HarmonyMean(d=d, epsilon=eps).variance(t), d * c**2 - t**2)
    split = HarmonyMean(d=d, epsilon=eps, count=d)
    np.testing.assert_allclose(split.variance(t), ((exp(eps / d) + 1) / (exp(eps / d) - 1)) ** 2 - t**2)
    np.testing.assert_allclose(
        MeanEst(d=d, epsilon=eps).variance(t), float(MeanEst(d=d, epsilon=eps).scale) ** 2 - t**2
    )


@pytest.mark.parametrize("eps, count", [(1.0, 1), (4.99, 1), (5.0, 2), (7.6, 3), (32.0, 4)])
def test_sampled_hybrid_takes_the_published_number(eps, count):
    mechanism = SampledHybrid(d=4, epsilon=eps)
    assert mechanism.count == count and mechanism.one.epsilon == pytest.approx(eps / count, rel=1e-15)
    second = mechanism.one.second_moments
    np.testing.assert_allclose(mechanism.variance([[1.0, 0.0, -1.0, 1.0]])[0, [0, 2]], 4 / count * second[[-1, 0]] - 1)


# ------------------------------------------------------------------------------------------------ what one reads off


@pytest.mark.parametrize(
    "mechanism, values",
    [
        (TwoPoint(epsilon=1.0), np.array([1.0, -0.5, 0.0])),
        (Piecewise(epsilon=2.0, steps=2), np.array([1.0, -1.0])),
        (MeanEst(d=2, epsilon=1.0), np.array([[1.0, -1.0], [0.0, 1.0]])),
        (HarmonyMean(d=2, epsilon=2.0), np.array([[1.0, -1.0], [0.5, 1.0], [-1.0, 1.0]])),
        (HarmonyMean(d=2, epsilon=2.0, count=2), np.array([[1.0, -1.0], [1.0, 1.0]])),
    ],
    ids=str,
)
def test_squared_standard_error_has_the_stated_mean(mechanism, values):
    n = len(values)
    tallies = law(lambda rng: mechanism.tally(mechanism.perturb(values, rng=rng)).counts)
    mean = sum(
        float(p) * mechanism.standard_error(Tally(mechanism, n, np.array(counts))) ** 2 for counts, p in tallies.items()
    )
    target = mechanism.expected(values)
    variance = mechanism.variance(values).sum(0) / n**2
    np.testing.assert_allclose(mean, variance + target.var(0, ddof=1) / n, rtol=1e-12)
    assert np.any(target.var(0) > 0)


def coverage(mechanism, truth, p, n, level, error=1.0):
    """Exact probability that an interval covers, for signs that are + with probability p, each by itself."""
    plus = np.arange(n + 1)
    low, high = interval(Tally(mechanism, n, np.stack([n - plus, plus], -1)), level)
    middle, half = (low + high) / 2, (high - low) / 2 * error
    return binom.pmf(plus, n, p)[np.abs(middle[:, 0] - truth) <= half[:, 0]].sum()


@pytest.mark.parametrize("t", [0.0, 0.6, -1.0])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_intervals_cover_as_often_as_stated(t, level):
    mechanism, n = TwoPoint(epsilon=1.0), 1000
    p = (1 + t / float(mechanism.scores[1])) / 2
    assert coverage(mechanism, t, p, n, level) == pytest.approx(level, abs=0.012)  # estimates come in steps
    wrong = coverage(mechanism, t, p, n, level, error=0.8)
    assert wrong == pytest.approx(1 - 2 * norm.sf(0.8 * norm.isf((1 - level) / 2)), abs=0.02) and wrong < level - 0.02


def test_intervals_are_wide_for_a_fixed_population_and_right_for_a_sample():
    mechanism, n = TwoPoint(epsilon=4.0), 200
    c = float(mechanism.scores[1])
    keep = (1 + 1 / c) / 2
    assert coverage(mechanism, 0.0, 0.5, n, 0.95) == pytest.approx(0.95, abs=0.02)  # a sample of −1 and 1, half each
    plus = np.arange(n // 2 + 1)  # a fixed half of −1 and half of 1
    joint = np.outer(binom.pmf(plus, n // 2, keep), binom.pmf(plus, n // 2, 1 - keep))
    count = np.add.outer(plus, plus)
    low, high = interval(Tally(mechanism, n, np.stack([n - count, count], -1)))
    covered = joint[(low[..., 0] <= 0) & (high[..., 0] >= 0)].sum()
    assert covered > 0.9999


def test_interval_is_the_normal_one():
    mechanism = MeanEst(d=3, epsilon=1.0)
    values = np.random.default_rng(4).uniform(-1, 1, (500, 3))
    tally = mechanism.tally(mechanism.perturb(values, rng=np.random.default_rng(5)))
    low, high = interval(tally, 0.9)
    np.testing.assert_allclose((low + high) / 2, mechanism.estimate(tally))
    np.testing.assert_allclose((high - low) / 2, norm.isf(0.05) * mechanism.standard_error(tally))
    trials = Tally(mechanism, 500, np.stack([tally.counts] * 2))
    np.testing.assert_allclose(mechanism.standard_error(trials), np.stack([mechanism.standard_error(tally)] * 2))
    scores = float(mechanism.scale) * mechanism.perturb(values, rng=np.random.default_rng(5))
    np.testing.assert_allclose(mechanism.standard_error(tally), scores.std(0, ddof=1) / sqrt(500))


def test_interval_refuses():
    tally = TwoPoint(epsilon=1.0).tally([0, 1])
    for level in (0, 1, -0.5, np.nan, "0.9", True, None):
        with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\), got"):
            interval(tally, level)
    for reports, message in (([0], "at least two reports, got 1"), ([], "at least one report, got none")):
        with pytest.raises(ValueError, match=message):
            interval(TwoPoint(epsilon=1.0).tally(reports))
    with pytest.raises(ValueError, match="tally must be of"):
        TwoPoint(epsilon=2.0).standard_error(tally)


# ------------------------------------------------------------------------------------------------------------- ranges


@pytest.mark.parametrize("low, high", [(1, 400), (0.1, 0.7), (-3.3, 1e9), (18, 19), (1e-300, 2e-300)])
def test_range_maps_ends_and_back(low, high):
    both = Range(low=low, high=high)
    raw = np.linspace(low, high, 997)
    unit = both.to_unit(raw)
    assert unit[0] == -1 and unit[-1] == 1 and np.all(np.abs(unit) <= 1) and np.all(np.diff(unit) > 0)
    np.testing.assert_allclose(both.from_unit(unit), raw, rtol=1e-12, atol=1e-12 * abs(low))
    assert both.from_unit(-1) == low and both.from_unit(1) == high
    assert both.half == pytest.approx((high - low) / 2, rel=1e-15)


def test_range_of_the_survey():
    ages = Range(low=1, high=400)
    np.testing.assert_allclose(ages.to_unit([1, 200.5, 300]), [-1, 0, (300 - 200.5) / 199.5])
    assert ages.to_unit(np.array([[7, 8], [9, 10]])).shape == (2, 2) and ages.to_unit(7).shape == ()
    assert ages.from_unit(1.1) > 400  # estimates are not clipped


def test_range_for_each_attribute():
    several = Range(low=[0, 18], high=(1, 90))
    np.testing.assert_array_equal(several.to_unit([[0.5, 18], [1, 90]]), [[0, -1], [1, 1]])
    np.testing.assert_array_equal(several.half, [0.5, 36])
    np.testing.assert_array_equal(several.from_unit([0, 0]), [0.5, 54])
    assert several == Range(low=(0.0, 18.0), high=[1, 90]) != Range(low=[0, 18], high=[1, 91])
    for raw in ([0.5], 0.5, [[0.5, 20, 1]]):
        with pytest.raises(ValueError, match=r"raw must have a last axis of d = 2 attributes, got shape"):
            several.to_unit(raw)
    with pytest.raises(ValueError, match=r"mean must have a last axis"):
        several.from_unit([0.5])
    with pytest.raises(ValueError, match=r"raw must be numbers in \[18, 90\], got 17$"):
        several.to_unit([[0.5, 20], [0, 17]])


@pytest.mark.parametrize("raw", [[0.999], [400.5], [np.nan], [np.inf], ["a"], [True], [None], [1, -5]])
def test_range_refuses_what_is_outside(raw):
    with pytest.raises(ValueError, match=r"raw must be (numbers in \[1, 400\]|finite numbers), got"):
        Range(low=1, high=400).to_unit(raw)


@pytest.mark.parametrize(
    "low, high, message",
    [
        (1, 1, "low must be below high"),
        (2, 1, "low must be below high"),
        ([0, 3], [1, 3], "low must be below high"),
        (-1.7e308, 1.7e308, "high − low from .* to 1.8e308"),
        (np.nan, 1, "low must be finite numbers, got nan"),
        (0, np.inf, "high must be finite numbers, got inf"),
        ("0", 1, "low must be finite numbers, got <U1 values"),
        (0, True, "high must be finite numbers, got bool values"),
        ([0, 1], 2, "must be numbers, or one an attribute, got"),
        ([0, 1], [2, 3, 4], "must be numbers, or one an attribute, got"),
        ([[0]], [[1]], "must be numbers, or one an attribute, got"),
        ([], [], "must be"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_bad_range_is_refused(low, high, message):
    with pytest.raises(ValueError, match=message):
        Range(low=low, high=high)


def test_ages_come_back_in_years():
    ages, mechanism = Range(low=1, high=400), TwoPoint(epsilon=1.0)
    raw = np.random.default_rng(6).integers(18, 90, 20_000)
    tally = mechanism.tally(mechanism.perturb(ages.to_unit(raw), rng=np.random.default_rng(7)))
    error = ages.half * mechanism.standard_error(tally)
    assert np.all(np.abs(ages.from_unit(mechanism.estimate(tally)) - raw.mean()) < 6.5 * error)  # 1e-10 by chance
    assert error == pytest.approx(199.5 * sqrt(mechanism.variance(ages.to_unit(raw)).mean() / 20_000), rel=0.01)


# ---------------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class PrintedCoin(MeanEst):
    """The coin e/(1+e) of the survey, whatever d."""

    @property
    def weights(self):
        favoured = sum(self.ways[self.d // 2 + 1 :])
        rest = sum(self.ways) - favoured
        return tuple(
            int(2**64 * exp(self.epsilon)) * ways * rest if 2 * a > self.d else 2**64 * ways * favoured
            for a, ways in enumerate(self.ways)
        )

    realised_epsilon = property(lambda self: log(self.weights[-1] / self.weights[0]))


@dataclass(frozen=True, kw_only=True)
class TiesFavoured(MeanEst):
    """Gives ties the high weight, and keeps the scale of the other rule."""

    scale = property(lambda self: MeanEst(d=self.d, epsilon=self.epsilon).scale)

    @property
    def weights(self):
        high = int(self.ratio * 2**64)
        return tuple(ways * (high if 2 * a >= self.d else 2**64) for a, ways in enumerate(self.ways))


@dataclass(frozen=True, kw_only=True)
class NearestCorner(MeanEst):
    """Rounds to the nearest corner."""

    def perturb(self, values, *, rng):
        return super().perturb(np.where(np.asarray(values) >= 0, 1.0, -1.0), rng=rng)


@dataclass(frozen=True, kw_only=True)
class NoiseOfCorner(MeanEst):
    """Takes the second moment B² for the variance."""

    def variance(self, values):
        return np.full(np.shape(values), float(self.scale) ** 2)


@dataclass(frozen=True, kw_only=True)
class SharedClass(MeanEst):
    """One number of agreements for everybody."""

    def _draw(self, vectors, rng):
        corner = np.where(bernoulli((1 + vectors) / 2, vectors.shape, rng), 1, -1).astype(np.int8)
        agreements = int(weighted(self.weights, (), rng))
        patterns = [p for p in product((1, -1), repeat=self.d) if p.count(1) == agreements]
        return corner * np.array([pick(patterns, rng) for _ in vectors], np.int8)


@dataclass(frozen=True, kw_only=True)
class OneTooMany(MeanEst):
    """The last coordinate agrees always: the number of agreements is not used up."""

    def _draw(self, vectors, rng):
        corners = super()._draw(vectors, rng)
        corners[:, -1] = np.where(vectors[:, -1] > 0, 1, -1)
        return corners


@dataclass(frozen=True, kw_only=True)
class OwnNumber(HarmonyMean):
    """Divides each mean by the number of people who were asked about it."""

    def _score(self, tally):
        return tally.counts @ self.one.scores / np.maximum(tally.counts.sum(-1), 1)


@dataclass(frozen=True, kw_only=True)
class AskedBySize(HarmonyMean):
    """Asks about the number that is largest: it matters most."""

    def _draw(self, vectors, rng):
        reports = super()._draw(vectors, rng)
        reports["attribute"][:, 0] = np.abs(vectors).argmax(1)
        return reports


@dataclass(frozen=True, kw_only=True)
class WholeBudget(HarmonyMean):
    """Spends ε on each of `count` answers."""

    one = property(lambda self: TwoPoint(epsilon=self.epsilon))


@dataclass(frozen=True, kw_only=True)
class ContinuousScores(Piecewise):
    """Scores the middle of a cell of [−C, C], C = (s+1)/(s−1), as if the window were 1/(s+1) of all."""

    @property
    def scores(self):
        s, m = exp(self.epsilon / 2), self.steps + self.window
        return (s + 1) / (s - 1) * (2 * np.arange(m) - m + 1) / m


@dataclass(frozen=True, kw_only=True)
class ShiftedWindow(Piecewise):
    """Starts the window one cell late."""

    def lead(self, point, noise):
        return super().lead(point + 1, noise)


@dataclass(frozen=True, kw_only=True)
class LowEnds(Laplace):
    """Cuts, and scores an end cell as the end."""

    @property
    def scores(self):
        return 2 * np.arange(-self.reach, self.steps + self.reach + 1) / self.steps - 1


@dataclass(frozen=True, kw_only=True)
class HalfSensitivity(Laplace):
    """Takes the range for 1 wide: noise half as large."""

    step_ratio = property(lambda self: exp_down(2 * Fraction(self.epsilon) / self.steps))
    realised_epsilon = property(lambda self: self.epsilon)


@dataclass(frozen=True, kw_only=True)
class BranchBySize(Hybrid):
    """Takes the branch that is better for the number: signs for large ones."""

    def perturb(self, values, *, rng):
        values = np.asarray(values)
        piecewise, sign = self.parts
        m = self.steps + self.window
        return np.where(np.abs(values) > 0.5, m + sign.perturb(values, rng=rng), piecewise.perturb(values, rng=rng))


@dataclass(frozen=True, kw_only=True)
class NearestPoint(Piecewise):
    """Rounds to the nearest point."""

    def perturb(self, values, *, rng):
        return super().perturb(np.round((np.asarray(values) + 1) * self.steps / 2) * 2 / self.steps - 1, rng=rng)


@dataclass(frozen=True, kw_only=True)
class NoRounding(Piecewise):
    """Forgets what rounding adds to the variance between points."""

    def variance(self, values):
        at_end, share = self.second_moments[-1], self.ratio * self.window + self.steps
        return (at_end - float(share / ((self.ratio - 1) * self.window)) * (1 - values**2) - values**2)[:, None]


@dataclass(frozen=True, kw_only=True)
class OneNoise(TwoPoint):
    """One draw of the noise for everybody."""

    def perturb(self, values, *, rng):
        noise = np.full(len(values), int(weighted(self.design.weights, (), rng)))
        return self.lead(rounded(np.asarray(values), 1, rng), noise)


CONTROLS = [
    (PrintedCoin(d=2, epsilon=1.0), "test_epsilon_of_the_law_is_the_stated_one"),
    (PrintedCoin(d=2, epsilon=1.0), "test_epsilon_is_kept_at_every_size"),
    (TiesFavoured(d=2, epsilon=1.0), "test_estimate_is_unbiased"),
    (NearestCorner(d=2, epsilon=1.0), "test_estimate_is_unbiased"),
    (NoiseOfCorner(d=2, epsilon=1.0), "test_noise_is_the_variance"),
    (SharedClass(d=2, epsilon=1.0), "test_people_are_independent"),
    (OneTooMany(d=2, epsilon=1.0), "test_epsilon_of_the_law_is_the_stated_one"),
    (OwnNumber(d=2, epsilon=1.0), "test_estimate_is_the_mean_of_scores"),
    (AskedBySize(d=2, epsilon=1.0), "test_public_part_does_not_depend_on_the_value"),
    (AskedBySize(d=2, epsilon=1.0), "test_epsilon_of_the_law_is_the_stated_one"),
    (WholeBudget(d=2, epsilon=1.0, count=2), "test_epsilon_of_the_law_is_the_stated_one"),
    (ContinuousScores(epsilon=2.0, steps=4), "test_estimate_is_unbiased"),
    (ShiftedWindow(epsilon=2.0, steps=4), "test_estimate_is_unbiased"),
    (NearestPoint(epsilon=2.0, steps=4), "test_estimate_is_unbiased"),
    (NoRounding(epsilon=2.0, steps=4), "test_noise_is_the_variance"),
    (LowEnds(epsilon=1.0, steps=3, reach=2), "test_estimate_is_unbiased"),
    (HalfSensitivity(epsilon=1.0, steps=3), "test_epsilon_of_the_law_is_the_stated_one"),
    (BranchBySize(epsilon=2.0, steps=4), "test_epsilon_of_the_law_is_the_stated_one"),
    (OneNoise(epsilon=1.0), "test_people_are_independent"),
]


@pytest.mark.parametrize("mechanism, caught_by", CONTROLS, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_mistake_is_caught(mechanism, caught_by):
    d = getattr(mechanism, "d", 0)
    case = Example(mechanism, corners_and([np.linspace(0.25, 0.5, d)], d) if d else LINE)
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(case)


@pytest.mark.parametrize(
    "kind, name, value, message",
    [
        *((MeanEst, "d", d, "d must be .*, got") for d in (0, 4097, -1, 2.5, "2", None, True)),
        *((HarmonyMean, "d", d, "d must be .*, got") for d in (0, 2**31 + 1, 2.5, True)),
        *((Piecewise, "steps", steps, "steps must be .*, got") for steps in (0, 1025, 2.5, "2", True)),
        *((Piecewise, "width", width, "width must be .*, got") for width in (-1, 1025, 2.5, None)),
        *((Laplace, "steps", steps, "steps must be .*, got") for steps in (0, 1025, 2.5)),
        *((Laplace, "reach", reach, "reach must be .*, got") for reach in (-1, 1025, 2.5)),
    ],
)
def test_bad_parameter_is_refused(kind, name, value, message):
    with pytest.raises(ValueError, match=message):
        kind(**{"epsilon": 1.0, name: value})


def test_bad_count_is_refused():
    for count in (0, 4, 1.5, True):
        with pytest.raises(ValueError, match="count must be .*, got"):
            HarmonyMean(d=3, epsilon=1.0, count=count)
    with pytest.raises(ValueError, match="epsilon / count must be a finite number in .*, got"):
        HarmonyMean(d=3, epsilon=2e-6, count=3)
