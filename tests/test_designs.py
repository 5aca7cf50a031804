"""Block designs: the difference sets, the client, and how near k-Subset it comes."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from contract import FALSE_ALARM, Contract, total_variation
from scipy.stats import chi2

from ldpnb.chance import exact, law, odds, round_down
from ldpnb.core import Example, Tally
from ldpnb.oracles import designs
from ldpnb.oracles.designs import BlockDesign, best_order, difference_set
from ldpnb.oracles.subset import SubsetSelection, minimax_risk
from ldpnb.verify import laws, moments, prove, same_law, worst


class TestBlockDesign(Contract):
    cases = [*BlockDesign.example(), Example(BlockDesign(k=13, epsilon=2.0, q=3), np.arange(13), pairs=False)]
    bad_values = [[-1], [13], [0.5]]
    bad_reports = [np.array([-1]), np.array([10**6])]


def differences(found, v):
    return np.bincount(np.subtract.outer(found, found).ravel() % v, minlength=v)


@pytest.mark.parametrize(
    "q, t", [*((q, 2) for q in (2, 3, 4, 5, 7, 8, 9, 16, 31)), (2, 3), (3, 3), (4, 3), (9, 3), (2, 9), (3, 6)]
)
def test_differences_come_equally_often(q, t):
    v, size, together = (sum(q**i for i in range(one + 1)) for one in (t, t - 1, t - 2))
    found = difference_set(q, t)
    often = differences(found, v)
    assert len(found) == size == often[0] and set(often[1:].tolist()) == {together}
    moved = np.append(found[:-1], next(x for x in range(v) if x not in found))  # the control: one number moved
    assert len(set(differences(moved, v)[1:].tolist())) > 1


@pytest.mark.parametrize("q", [1, 6, 10, 12, 15, 100])
def test_orders_are_prime_powers(q):
    with pytest.raises(ValueError, match=f"q must be a prime power, got {q}"):
        BlockDesign(k=5, epsilon=1.0, q=q)


def test_geometries_of_any_size_are_refused():
    assert BlockDesign(k=10**6, epsilon=1.0).points >= 10**6
    assert BlockDesign(k=2**22 - 1, epsilon=1.0).points == 2**22 - 1
    with pytest.raises(ValueError, match="k must be .* got 4194304"):
        BlockDesign(k=2**22, epsilon=1.0)
    with pytest.raises(ValueError, match="k must be at most 4194304 points of a geometry"):
        BlockDesign(k=10**6, epsilon=1.0, q=97)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("q, t", [(2, 2), (3, 2), (2, 3)])
def test_support_is_that_of_sets_of_the_block_size(q, t, epsilon):
    v = sum(q**i for i in range(t + 1))
    block, subset = BlockDesign(k=v, epsilon=epsilon, q=q), SubsetSelection(k=v, epsilon=epsilon, size=(v - 1) // q)
    for one, other in zip(block.support, subset.support, strict=True):
        assert abs(one - other) < Fraction(1, 2**50)
    assert block.report_bits == (v - 1).bit_length() < subset.report_bits
    found = laws(block, np.arange(v))
    assert worst(found).ratio == 1 + block.keep * v / ((1 - block.keep) * block.block_size)
    mean, variance = moments(block, np.arange(v))
    np.testing.assert_allclose(mean, np.eye(v), atol=1e-12)
    np.testing.assert_allclose(variance, subset.variance(np.arange(v)), rtol=1e-9)


def test_items_of_nobody_change_no_estimate_of_the_others():
    few, many = BlockDesign(k=5, epsilon=1.0, q=3), BlockDesign(k=13, epsilon=1.0, q=3)
    assert same_law(few, many, np.arange(5))
    reports = many.perturb(np.arange(1000) % 5, rng=np.random.default_rng(0))
    np.testing.assert_allclose(few.estimate(few.tally(reports)), many.estimate(many.tally(reports))[:5])


@pytest.mark.parametrize("k", [7, 10, 13])
def test_variance_of_a_weighted_sum_is_that_of_the_law(k):
    oracle, rng = BlockDesign(k=k, epsilon=1.3, q=3), np.random.default_rng(1)
    weights = rng.normal(size=(3, k))
    found = laws(oracle, np.arange(k))
    scores = {y: oracle.estimate(oracle.tally(np.array([y]))) for y in range(oracle.points)}
    for x, one in enumerate(found):
        p = np.array([float(one[y]) for y in range(oracle.points)])
        sums = weights @ np.stack([scores[y] for y in range(oracle.points)], 1)
        exact = sums**2 @ p - (sums @ p) ** 2
        np.testing.assert_allclose(oracle.linear_variance(weights)[:, x], exact, rtol=1e-9)
    alone = np.square(weights) @ oracle.variance(np.arange(k)).T  # control: as if items were reported independently
    assert np.abs(alone / oracle.linear_variance(weights) - 1).max() > 0.05


@pytest.mark.parametrize(
    "epsilon, k, most", [(0.5, 1000, 1.01), (1.0, 993, 1.004), (1.0, 13, 1.001), (2.0, 1000, 1.005)]
)
def test_variance_is_within_a_hundredth_of_the_limit_where_a_design_fits(epsilon, k, most):
    """Of any oracle, people being a sample; and a plane of 993 items at ε = 1 has 3.3 times the variance."""

    def over_the_limit(oracle):
        own, other = oracle.variance([0])[0, :2]
        return (own + (k - 1) * other + 1 - 1 / k) / minimax_risk(k, epsilon)  # the last from drawing people

    oracle = BlockDesign(k=k, epsilon=epsilon)
    assert 1 - 1e-9 < over_the_limit(oracle) < most
    if k == 993:
        plane = replace(oracle, q=31)
        assert plane.dimension == 2 and plane.points == 993
        assert over_the_limit(plane) == pytest.approx(3.3, abs=0.1)


def test_the_order_is_about_the_odds_and_one():
    assert [best_order(10**4, e) for e in (0.1, 1.0, 2.0)] == [2, 4, 8]
    for q in (2, 3, 5, 7):
        other = BlockDesign(k=1000, epsilon=1.0, q=q)
        assert other.rare_variance >= BlockDesign(k=1000, epsilon=1.0).rare_variance


def test_a_wrong_set_is_no_design(monkeypatch):
    """The control for the estimates: the support of other items is not alike, and estimates are biased."""
    wrong = np.array([0, 1, 2, 4])
    monkeypatch.setattr(designs, "difference_set", lambda q, t: wrong)
    mean, _ = moments(BlockDesign(k=13, epsilon=1.0, q=3), np.arange(13))
    assert np.abs(mean - np.eye(13)).max() > 0.05


@pytest.mark.parametrize("people", [(0, 0), (0, 2), (1, 2)])
def test_simulated_tallies_have_the_law_of_two_clients(people):
    oracle = BlockDesign(k=3, epsilon=1.0, q=2)
    histogram = np.bincount(people, minlength=3)
    simulated = law(lambda rng: oracle.simulate(histogram, trials=1, rng=rng).counts[0], limit=10**6)
    real = law(lambda rng: oracle.tally(oracle.perturb(people, rng=rng)).counts)
    assert simulated == real
    other = law(lambda rng: oracle.tally(oracle.perturb([0, 1], rng=rng)).counts)
    assert (simulated == other) == (people == (0, 1))
    marginal = law(lambda rng: oracle.supporters(oracle.simulate_marginals(histogram, trials=1, rng=rng))[0, 2])
    alone = law(lambda rng: oracle.supporters(oracle.tally(oracle.perturb(people, rng=rng)))[2])
    assert total_variation(marginal, alone) < 1e-12


def test_simulated_blocks_come_as_often_as_those_of_clients():
    oracle = BlockDesign(k=10, epsilon=1.0, q=3)
    histogram = np.array([5000, 3000, 2000, *[0] * 7])
    tally = oracle.simulate(histogram, trials=50, rng=np.random.default_rng(3))
    p = np.array([[float(one[y]) for y in range(13)] for one in laws(oracle, np.arange(10))])
    expected = histogram @ p
    pooled = tally.counts.sum(0)
    statistic = np.sum((pooled - 50 * expected) ** 2 / (50 * expected))
    assert FALSE_ALARM < chi2.sf(statistic, 12) < 1 - FALSE_ALARM
    assert tally.counts.sum(-1).tolist() == [10_000] * 50


def test_support_of_many_reports_is_exact():
    oracle = BlockDesign(k=1000, epsilon=1.0)
    counts = np.random.default_rng(0).integers(0, 2**33, oracle.points)
    tally = Tally(oracle, int(counts.sum()), counts)
    inside = (np.arange(1000)[:5, None] - difference_set(oracle.order, oracle.dimension)) % oracle.points
    assert oracle.supporters(tally)[:5].tolist() == counts[inside].sum(1).tolist()


@pytest.mark.parametrize("k, q", [(3, 2), (7, 2)])
def test_it_is_proved_for_every_epsilon(k, q):
    found = prove(BlockDesign(k=k, epsilon=1.0, q=q), np.arange(k))
    assert found.holds and found.shipped and found.tight and found.stated and found.moments and not found.wrong

    class Twice(BlockDesign):  # the control: ε counted twice
        @property
        def keep(self):
            more = self.block_size * (odds(self.epsilon * 2) - 1)
            return exact(round_down(more / (more + self.points)))

    assert prove(lambda e: Twice(k=k, epsilon=e, q=q), np.arange(k), moments=False).holds is False
