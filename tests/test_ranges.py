"""Shares of ranges, quantiles and shapes of one number: unbiased, with exact variances and intervals that cover."""

from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from contract import Contract
from scipy.stats import binom, norm

from ldpnb import GRR, OUE, HadamardBit, HadamardResponse, Laplace, Piecewise, SubsetSelection, TwoPoint
from ldpnb.core import Example, Tally
from ldpnb.numbers import Range
from ldpnb.numbers.ranges import (
    Hierarchy,
    Quantiles,
    Share,
    density,
    mean_variance,
    quantiles,
    rising,
    share,
    square_wave,
)
from ldpnb.oracles.designs import BlockDesign
from ldpnb.verify import contract


def ranges(k):
    first, after = np.triu_indices(k + 1, 1)
    return ((np.arange(k) >= first[:, None]) & (np.arange(k) < after[:, None])).astype(float)


class TestHierarchy(Contract):
    cases = Hierarchy.example()
    bad_values = [[[0]], [4], [-1], [0.5], ["0"]]
    bad_reports = [
        np.array([0, 1]),
        np.zeros(1, [("level", np.int64)]),
        np.array([(2, 0)], [("level", np.int64), ("report", np.int64)]),
        np.array([(0, 4)], [("level", np.int64), ("report", np.int64)]),
        np.array([(1, 3)], [("level", np.int64), ("report", np.int64)]),  # of the other level
    ]


@pytest.mark.parametrize("example", Hierarchy.example(), ids=str)
def test_variance_of_all_sums_is_that_of_the_law(example):
    """Of all ranges and of a square, for each person, read off the client's law."""
    m, known = example.mechanism, contract.known(example)
    weights = np.concatenate([ranges(m.k), [np.arange(m.k) ** 2 - 1.0]])
    stated = m.linear_variance(weights)
    for x, one in enumerate(known.laws):
        p = np.array([float(p) for p in one.values()])
        sums = np.stack([known.scores[y] for y in one]) @ weights.T
        np.testing.assert_allclose(p @ sums, weights[:, x], atol=1e-12)
        np.testing.assert_allclose(p @ np.square(sums - p @ sums), stated[:, x], rtol=1e-9, atol=1e-12)


def test_least_squares_in_closed_form_are_those_of_a_solver():
    """For any scores, with three widths of which none is a power of another."""
    m = Hierarchy.of(12, 1.0, GRR, widths=(1, 2, 6), weights=(3, 2, 2))
    rng = np.random.default_rng(1)
    tally = m.tally(m.perturb(rng.integers(12, size=70_000), rng=rng))
    rows, found, weights = [], [], []
    ends = np.cumsum([0, 13, 7, 3])
    for i, (a, b) in enumerate(pairwise(ends)):
        own, s = m.oracles[i], m.widths[i]
        part = own.tally(np.repeat(np.arange(own.k), tally.counts[a + 1 : b]))
        rows.append(np.kron(np.eye(own.k), np.ones(s)))
        found.append(own.estimate(part) * tally.counts[a] / (tally.n * m.odds[i]))
        weights.append(np.full(own.k, m.odds[i] / m.noise[i]))
    a, y, w = np.concatenate(rows), np.concatenate(found), np.concatenate(weights)
    cells = np.linalg.solve((a.T * w) @ a, (a.T * w) @ y)
    estimate = m.estimate(tally)
    np.testing.assert_allclose(estimate - estimate.mean(), cells - cells.mean(), atol=1e-12)
    assert np.isclose(estimate.sum(), 1)


def test_an_example_for_the_pencil():
    """k = 8, e^ε = 3, widths 1 and 2, odds 3 to 1, k-RR: the first three cells."""
    m = Hierarchy.of(8, np.log(3), GRR, widths=(1, 2), weights=(3, 1))
    np.testing.assert_allclose(m.noise, [25 / 8, 9 / 4], rtol=1e-9)
    np.testing.assert_allclose(m.known, [6 / 25, 104 / 225], rtol=1e-9)
    first = (np.arange(8) < 3) * 1.0
    assert np.isclose(m.linear_variance(first).mean(), 1 / 2 * 25 / 6 + 11 / 8 * 225 / 104 - 15 / 64)
    assert np.isclose(m.oracles[0].linear_variance(first).mean(), 45 / 8)


def test_default_widths():
    assert Hierarchy.of(100, 1.0).widths == (1, 2, 4, 20)
    assert Hierarchy.of(1000, 1.0).widths == (1, 2, 4, 8, 40, 200)
    assert Hierarchy.of(7, 1.0).widths == (1,)
    assert Hierarchy.of(10, 1.0).widths == (1, 2)


@pytest.mark.parametrize("k, epsilon", [(16, 0.5), (64, 1.0), (256, 2.0), (1024, 1.0)])
def test_default_weights_are_nearly_the_best(k, epsilon):
    """Within 2 % of the least mean variance over all odds of all dyadic widths, found by ascent in a convex problem."""
    widths = tuple(2**i for i in range(k.bit_length() - 1))
    m = Hierarchy.of(k, epsilon, HadamardBit, widths=widths)
    at = np.arange(k)
    both = np.minimum.outer(at + 1, at + 1) * np.minimum.outer(k - at, k - at) / (k * (k + 1) / 2)
    a = np.array([np.square(p).sum() for p in m.contrasts(np.linalg.cholesky(both).T)])
    told, shares = np.array(widths) / m.noise, np.full(len(widths), 1 / len(widths))
    for _ in range(4000):
        grown = shares * np.sqrt(told * np.cumsum((a / np.cumsum(shares * told) ** 2)[::-1])[::-1])
        shares = grown / grown.sum()
    least = (a / np.cumsum(shares * told)).sum() - a.sum() / k
    default = mean_variance(Hierarchy.of(k, epsilon, HadamardBit))
    assert least <= default < 1.02 * least
    assert mean_variance(m) > 1.02 * least  # control: odds of 3 to 1, down to two halves


def test_mean_variance_is_that_over_all_ranges():
    for m in (Hierarchy.of(12, 1.0, widths=(1, 2, 6)), GRR(k=12, epsilon=1.0), OUE(k=12, epsilon=1.0)):
        assert np.isclose(mean_variance(m), m.linear_variance(ranges(12)).mean())


def test_better_than_single_cells_where_there_are_many():
    tree = [mean_variance(Hierarchy.of(k, 1.0)) for k in (8, 64, 1024)]
    flat = [mean_variance(Hierarchy.of(k, 1.0, widths=(1,))) for k in (8, 64, 1024)]
    ratio = np.divide(tree, flat)
    assert 0.8 < ratio[0] < 1 and 0.4 < ratio[1] < 0.5 and ratio[2] < 0.1


def population(n, k=64):
    return np.random.default_rng(0).multinomial(n, binom(k - 1, 0.3).pmf(np.arange(k)))


def test_simulated_surveys_have_the_stated_variance():
    """2,000 surveys; each bias within 6 standard errors, each variance within 6 of theirs (false alarm < 1e-6)."""
    m, counts, rng = Hierarchy.of(64, 1.0), population(20_000), np.random.default_rng(1)
    weights = np.tril(np.ones((64, 64)))[4:40:5]
    found = m.estimate(m.simulate(counts, trials=2000, rng=rng)) @ weights.T
    exact = m.linear_variance(weights) @ counts / counts.sum() ** 2
    assert np.all(np.abs(found.mean(0) - weights @ counts / counts.sum()) < 6 * np.sqrt(exact / 2000))
    assert np.all(np.abs(found.var(0) / exact - 1) < 6 * np.sqrt(2 / 2000))


def test_real_clients_have_it_too():
    """150 surveys of 4,000 people."""
    m, counts, rng = Hierarchy.of(64, 1.0), population(4000), np.random.default_rng(2)
    people, weights = np.repeat(np.arange(64), counts), np.tril(np.ones((64, 64)))[[10, 20, 30]]
    found = np.array([m.estimate(m.tally(m.perturb(people, rng=rng))) for _ in range(150)]) @ weights.T
    exact = m.linear_variance(weights) @ counts / 4000**2
    assert np.all(np.abs(found.mean(0) - weights @ counts / 4000) < 6 * np.sqrt(exact / 150))
    assert np.all(np.abs(found.var(0) / exact - 1) < 6 * np.sqrt(2 / 150))


def surveys(m, counts, trials, rng):
    many = m.simulate(counts, trials=trials, rng=rng)
    return [type(many)(m, many.n, one) for one in many.counts]


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("epsilon, low, high", [(1.0, 0.93, 0.97), (3.0, 0.93, 0.97)])
def test_intervals_of_ranges_cover(people, epsilon, low, high):
    """Of 8 prefixes in 500 surveys, of these people and of a population they are drawn from; a control that must not:
    a variance as if everybody answered at every level."""
    m, rng = Hierarchy.of(64, epsilon), np.random.default_rng(3)
    shares, ends = binom(63, 0.3).pmf(np.arange(64)), np.arange(8, 40, 4)
    hits, wrong = [], []
    for _ in range(500):
        counts = population(20_000) if people else rng.multinomial(20_000, shares)
        one = surveys(m, counts, 1, rng)[0]
        truth = (counts / 20_000 if people else shares).cumsum()[ends - 1]
        found = share(one, 0, ends, people=people)
        hits.append((found.low <= truth) & (truth <= found.high))
        less = (found.high - found.low) / 2 / np.sqrt(len(m.oracles))
        wrong.append(np.abs(found.estimate - truth) <= less)
    assert low < np.mean(hits) < high
    assert np.mean(wrong) < 0.8


def test_intervals_of_ranges_cover_where_estimates_scatter_wildly():
    """Few people for many cells: estimates do not sum to one, and what they say of the noise may be negative.
    A control that must not cover: the variance of the cells' estimates as they are."""
    m, rng, ends = OUE(k=256, epsilon=1.0), np.random.default_rng(8), np.array([64, 128, 200])
    within = (np.arange(256) < ends[:, None]) * 1.0
    hits, careless = [], []
    for _ in range(500):
        one = surveys(m, rng.multinomial(2000, np.full(256, 1 / 256)), 1, rng)[0]
        found, estimate = share(one, 0, ends), m.estimate(one)
        hits.append((found.low <= ends / 256) & (ends / 256 <= found.high))
        left = m.linear_variance(within) @ estimate + found.estimate - found.estimate**2
        careless.append(np.abs(found.estimate - ends / 256) <= norm.ppf(0.975) * np.sqrt(np.maximum(left, 0) / 1999))
    assert 0.92 < np.mean(hits) < 0.98  # 0.95 up to 0.0098 a range: six standard errors would be 0.058
    assert np.mean(careless) < 0.9


def test_the_noise_of_a_range_is_one_that_a_histogram_has():
    """By hand, for people: of a histogram that sums to one, and never below the least of all histograms."""
    m, z = OUE(k=4, epsilon=1.0), norm.ppf(0.975)
    each = m.linear_variance(np.array([1.0, 1, 0, 0]))
    for counts in ([30, 40, 35, 20], [0, 0, 60, 60]):
        found = m.estimate(Tally(m, 100, np.array(counts)))
        noise = each @ (found + (1 - found.sum()) / 4)
        one = share(Tally(m, 100, np.array(counts)), 0, 2, people=True)
        expected = z * np.sqrt(max(noise, each.min()) / 100)
        np.testing.assert_allclose([one.high - one.estimate, one.estimate - one.low], expected, rtol=1e-12)
    assert noise < each.min() < each @ np.full(4, 0.25)  # the second is such a case


def test_intervals_of_quantiles_cover():
    """Of nine deciles in 300 surveys of a population in lumps: at least the level."""
    m, rng, taus = Hierarchy.of(64, 1.0), np.random.default_rng(4), np.arange(1, 10) / 10
    shares = np.where(np.arange(64) % 8 == 3, 0.08, 0.36 / 56)
    truth = np.searchsorted(shares.cumsum(), taus)
    hits, narrow = [], []
    for _ in range(300):
        one = surveys(m, rng.multinomial(20_000, shares), 1, rng)[0]
        found = quantiles(one, taus)
        assert np.all((found.low <= found.cells) & (found.cells <= found.high))
        hits.append((found.low <= truth) & (truth <= found.high))
        narrow.append(found.cells == truth)
    assert np.mean(hits) > 0.96
    assert np.mean(narrow) < 0.9  # control: without an interval
    assert quantiles(one, 0.5).cells.shape == () and quantiles(one, [[0.5]]).low.shape == (1, 1)


def test_other_oracles_tell_ranges_too():
    oracle, rng = SubsetSelection(k=16, epsilon=2.0), np.random.default_rng(5)
    people = rng.binomial(15, 0.5, 20_000)
    tally = oracle.tally(oracle.perturb(people, rng=rng))
    found = share(tally, [0, 8], [8, 16])
    assert np.allclose(found.estimate, [oracle.estimate(tally)[:8].sum(), oracle.estimate(tally)[8:].sum()])
    assert np.all(found.high - found.low < 0.08)
    each = share(tally, np.arange(16), np.arange(1, 17), people=True)
    half, held = norm.ppf(0.975) * oracle.standard_error(tally, people=True), each.estimate > 0
    np.testing.assert_allclose((each.high - each.estimate)[held], half[held], rtol=1e-9)
    assert held.sum() > 10 and np.all((each.high - each.estimate)[~held] >= half[~held])  # not below what nobody adds


def test_rising_shares():
    rng = np.random.default_rng(6)
    m = Hierarchy.of(64, 1.0)
    found = rising(m.estimate(m.simulate(population(20_000), trials=3, rng=rng)))
    assert found.shape == (3, 64) and np.all(found >= 0) and np.allclose(found.sum(-1), 1)
    np.testing.assert_allclose(rising([0.5, -0.2, 0.7]), [0.4, 0, 0.6])
    np.testing.assert_allclose(rising([0.2, 0.3, 0.5]), [0.2, 0.3, 0.5])
    np.testing.assert_allclose(rising([0.4195, -0.2213, -0.5971, 0.1717, 0.2214]), [0, 0, 0, 0, 1])
    np.testing.assert_allclose(rising([[0.3], [2.0]]), [[1], [1]])
    noisy = np.random.default_rng(1).normal(0.2, 0.4, (50, 5))
    for x, found in zip(noisy, rising(noisy), strict=True):  # no point on a grid is nearer
        grid = np.array([g for g in combinations_with_replacement(np.linspace(0, 1, 21), 4)])
        near = ((grid - x.cumsum()[:-1]) ** 2).sum(-1).min()
        assert ((found.cumsum() - x.cumsum())[:-1] ** 2).sum() <= near + 1e-12


@pytest.mark.parametrize("k, epsilon, width", [(64, 0.5, 45), (64, 1.0, 32), (64, 2.0, 16), (8, 1.0, 4)])
def test_square_wave_is_a_setting_of_piecewise(k, epsilon, width):
    m = square_wave(k, epsilon)
    assert m.window == width
    y, x = np.arange(k + width - 1), np.arange(k)[:, None]
    wave = np.where((y >= x) & (y < x + width), np.exp(epsilon), 1) / (width * np.exp(epsilon) + k - 1)
    np.testing.assert_allclose(m.channel, wave, rtol=1e-9)
    both = [np.log((k + w - 1) / (w * np.exp(epsilon) + k - 1)) for w in (width - 1, width, width + 1)]
    told = [
        b + epsilon * w * np.exp(epsilon) / (w * np.exp(epsilon) + k - 1)
        for b, w in zip(both, (width - 1, width, width + 1), strict=True)
    ]
    assert told[1] == max(told)  # the bound on information that it maximises


def test_density_of_smooth_shapes_and_of_lumps():
    """The likeliest smooth shape is nearer to a smooth truth than the likeliest one, and is refuted by lumps."""
    m, rng = Piecewise(epsilon=1.0), np.random.default_rng(7)
    smooth = np.repeat(np.arange(65), rng.multinomial(100_000, binom(64, 0.3).pmf(np.arange(65)))) / 32 - 1
    lumps = np.repeat([4, 12, 40, 56], 250_000) / 32 - 1
    truth = binom(64, 0.3).cdf(np.arange(65))
    tally = m.tally(m.perturb(smooth, rng=rng))
    found, rough = density(tally), density(tally, 0)
    assert max(found.gap, rough.gap) <= 1e-9 and abs(rough.lack) < 1e-3
    far = [np.abs(one.shares.cumsum() - truth).mean() for one in (found, rough)]
    assert far[0] < far[1] < 0.03
    assert found.lack < 50 < density(m.tally(m.perturb(lumps, rng=rng))).lack
    other = Laplace(epsilon=1.0)
    assert np.isclose(density(other.tally(other.perturb(smooth, rng=rng))).shares.sum(), 1)


def test_numbers_are_cut_into_cells():
    ages = Range(low=0, high=100)
    assert ages.cells([0, 9.99, 10, 55, 99.9, 100], 10).tolist() == [0, 0, 1, 5, 9, 9]
    assert Range(low=[0, -1], high=[10, 1]).cells([[5, -1], [10, 0]], 4).tolist() == [[2, 0], [3, 2]]
    with pytest.raises(ValueError, match=r"raw must be numbers in \[0, 100\], got 101"):
        ages.cells([101], 10)
    with pytest.raises(ValueError, match="k must be"):
        ages.cells([1], 1)


def test_bad_input_is_refused():
    m, rng = Hierarchy.of(8, 1.0), np.random.default_rng(8)
    tally = m.tally(m.perturb(np.arange(8), rng=rng))
    for call, said in (
        (lambda: Hierarchy(oracles=(), weights=()), "oracles must be a tuple of which each k"),
        (
            lambda: Hierarchy(oracles=(GRR(k=6, epsilon=1.0), GRR(k=4, epsilon=1.0)), weights=(1, 1)),
            "oracles must be a tuple of which each k",
        ),
        (
            lambda: Hierarchy(oracles=(GRR(k=6, epsilon=1.0), GRR(k=3, epsilon=2.0)), weights=(1, 1)),
            "oracles must be of one ε",
        ),
        (
            lambda: Hierarchy(oracles=(GRR(k=6, epsilon=1.0), HadamardBit(k=3, epsilon=1.0)), weights=(1, 1)),
            "oracles must be of one",
        ),
        (
            lambda: Hierarchy(oracles=(HadamardResponse(k=6, epsilon=1.0),), weights=(1,)),
            "oracles must be pure protocols",
        ),
        (lambda: Hierarchy(oracles=(GRR(k=6, epsilon=1.0),), weights=(1, 1)), "weights must be one for each level, 1, got 2"),
        (lambda: Hierarchy(oracles=(GRR(k=6, epsilon=1.0),), weights=(0,)), "weights must be"),
        (lambda: Hierarchy.of(8, 1.0, widths=(1, 3)), "widths must be 1, then each a multiple"),
        (lambda: Hierarchy.of(8, 1.0, widths=(2, 4)), "widths must be 1, then each a multiple"),
        (lambda: share(tally, 3, 3), "end must be after start, got 3 after 3"),
        (lambda: share(tally, 0, 9), "end must be"),
        (lambda: share(tally, 0, 4, 1.0), r"level must be a number in \(0, 1\), got 1.0"),
        (lambda: share(m.simulate(np.ones(8, int), trials=2, rng=rng), 0, 4), "tally must be of one survey"),
        (lambda: quantiles(tally, [0.5, 1.0]), r"taus must be numbers in \(0, 1\)"),
        (
            lambda: quantiles(Laplace(epsilon=1.0).tally([0, 1]), 0.5),
            "^tally must be of a Hierarchy, or of an oracle for items as GRR, got one of Laplace$",
        ),
        (
            lambda: m.perturb([1.5], rng=rng),
            r"^values must be integers in \[0, 8\), got float64 values; np.digitize\(numbers, edges\), with the 7 "
            "inner edges of 8 cells, makes cells of numbers$",
        ),
        (lambda: m.perturb([8], rng=rng), "^values must be integers in .*, got 8; np.digitize"),
        (lambda: GRR(k=8, epsilon=1.0).perturb([1.5], rng=rng), "^values must be .*; OneOf"),
        (lambda: share(m.tally(m.perturb([1], rng=rng)), 0, 4), "tally must hold at least two reports, got 1"),
        (lambda: density(TwoPoint(epsilon=1.0).tally([0, 1])), "tally must have more than two cells"),
        (lambda: density(tally), "tally must be of a mechanism for one number"),
        (lambda: density(Laplace(epsilon=1.0).tally([0, 1]), 2), r"smooth must be a probability in \[0, 1\], got 2"),
        (lambda: rising([]), "estimate must have at least one entry"),
        (lambda: square_wave(1, 1.0), "k must be"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


def test_numbers_go_into_cells_as_the_error_says():
    edges = np.arange(1, 8) * 10.0
    cells = np.digitize([0, 9.9, 10, 75, 1000], edges)
    assert cells.tolist() == [0, 0, 1, 7, 7]
    assert len(Hierarchy.of(8, 1.0).perturb(cells, rng=np.random.default_rng(0))) == 5


def test_shares_and_quantiles_print_in_words():
    one = Share(np.array(0.12345), np.array(0.1), np.array(0.15))
    assert str(one) == repr(one) == "share 12.3 %, interval from 10.0 to 15.0 %"
    found = Share(*(np.array(x) for x in ([[0.5, 0.25]], [[0.499, 0.2488]], [[0.501, 0.2512]])))
    assert str(found) == "share 50.00 %, interval from 49.90 to 50.10 %\nshare 25.00 %, interval from 24.88 to 25.12 %"
    known = Share(np.array(1.0), np.array(1.0), np.array(1.0))
    assert str(known) == "share 100.00 %, interval from 100.00 to 100.00 %"
    low = Quantiles(np.array(31), np.array(30), np.array(32))
    assert str(low) == repr(low) == "cell 31, interval from 30 to 32"
    assert str(Quantiles(np.array([3, 5]), np.array([2, 5]), np.array([3, 5]))) == (
        "cell 3, interval from 2 to 3\ncell 5, interval from 5 to 5"
    )
    many = Quantiles(*(np.arange(100),) * 3)
    assert len(str(many).splitlines()) == 41 and str(many).endswith("\n… and 60 more")
    assert str(Quantiles(*(np.zeros(0, np.int64),) * 3)) == "no quantiles"
    assert str(Share(*(np.zeros(0),) * 3)) == "no shares"
    tally = GRR(k=8, epsilon=1.0).tally(np.repeat(np.arange(8), 100))
    assert str(share(tally, 0, 4)) == "share 50 %, interval from 30 to 70 %"
    assert str(quantiles(tally, 0.5)).startswith("cell ")


def test_levels_may_be_of_several_oracles():
    m = Hierarchy.of(256, 1.0)
    assert {type(one) for one in m.oracles} == {GRR, BlockDesign}
    assert m.report_bits >= 8 and m.public_bits == 3
    assert m.influence(128) > 1
    assert Example(m, [0]).mechanism is m
