"""What several batches say together, against one population and against enumeration."""

import numpy as np
import pytest

from ldpnb.core import Tally
from ldpnb.keyvalue.changing import batches, everyone, exposed, latest, steady
from ldpnb.keyvalue.pckv import PCKVGRR
from ldpnb.keyvalue.population import holdings
from ldpnb.keyvalue.wheel import WheelKV
from ldpnb.oracles.grr import GRR
from ldpnb.records import Records

OLD, NEW = WheelKV(epsilon=1.0, m=1), PCKVGRR(d=3, ell=1, epsilon=2.0)


def tally(counts, mechanism=OLD, items=(7, 8)):
    counts = np.array(counts, np.int64)
    return Tally(mechanism, int(counts[..., 0, :].sum(-1).flat[0]), counts, items)


@pytest.fixture
def found():
    """Key 7 dies after the first batch, 8 lives on, 9 comes; the second batch is three times the first one."""
    one = tally([[1, 2, 7], [3, 3, 4]])
    two = tally([[6, 20, 4], [9, 12, 9]], items=(8, 9))
    return batches([one, two])


def test_columns_follow_the_keys(found):
    assert found.items == (7, 8, 9)
    assert found.alive.tolist() == [[True, True, False], [False, True, True]]
    assert found.people.tolist() == [10, 30]
    one, two = OLD.estimate(tally([[1, 2, 7], [3, 3, 4]])), OLD.estimate(tally([[6, 20, 4], [9, 12, 9]]))
    np.testing.assert_array_equal(found.estimates[0][:, :2], one)
    np.testing.assert_array_equal(found.estimates[1][:, 1:], two)
    spread = OLD.plug_in(one, 10)
    np.testing.assert_array_equal(found.variance[0][:, :2], spread.variance)
    np.testing.assert_array_equal(found.covariance[0][:2], spread.covariance)
    np.testing.assert_array_equal(found.rare[0], [spread.rare, spread.rare, 0])
    for part in (found.estimates, found.variance):
        assert not part[0][:, 2].any() and not part[1][:, 0].any()


def test_weights(found):
    np.testing.assert_allclose(everyone(found), [[0.25, 0.25, 0], [0, 0.75, 0.75]])
    np.testing.assert_allclose(exposed(found), [[1, 0.25, 0], [0, 0.75, 1]])
    np.testing.assert_array_equal(latest(found), [[1, 0, 0], [0, 1, 1]])
    np.testing.assert_allclose(steady(found), exposed(found))  # one mechanism: variances are as 1/n


def test_steady_weights_have_the_least_variance():
    """With several mechanisms no other weights that sum to one do better for a key that nobody holds."""
    one, two = tally([[3, 3, 4]] * 3, items=(0, 1, 2)), tally([[9, 12, 9]] * 3, NEW, None)
    found = batches([one, two])
    assert found.items == (0, 1, 2)
    weights = steady(found)
    least = found.weighted(weights)[1].rare
    assert not np.allclose(weights, exposed(found))
    for share in np.linspace(0, 1, 21):
        other = np.array([[share] * 3, [1 - share] * 3])
        assert np.all(found.weighted(other)[1].rare >= least * (1 - 1e-12))


def test_one_mechanism_and_all_keys_alive_is_one_tally():
    """Where all data are treated alike, batches are nothing but parts of one tally."""
    parts = [tally([[1, 2, 7], [3, 3, 4]]), tally([[6, 20, 4], [9, 12, 9]])]
    whole = parts[0] + parts[1]
    for weights in (everyone, exposed, steady):
        found = batches(parts)
        np.testing.assert_allclose(found.weighted(weights(found))[0], OLD.estimate(whole))


@pytest.mark.parametrize("weights", [everyone, exposed, latest, steady])
def test_means_and_variances_are_those_of_many_trials(weights):
    """Each sum is unbiased for the same sum of true shares, and its spread is the variance: false alarms 1e-9 a number.

    Marginals of every key are simulated exactly; the two batches have different mechanisms and ε.
    """
    rng, trials = np.random.default_rng(23), 40_000
    people = [Records.of(*[{0: 1.0}, {0: -0.5, 1: 0.5}, {}, {1: 1.0}] * 20), Records.of(*[{1: -1.0}, {0: 0.5}] * 15)]
    clients = [WheelKV(epsilon=1.0, m=2), PCKVGRR(d=3, ell=2, epsilon=2.0)]
    tallies = [
        client.simulate_marginals(holdings(group, d, sizes=client is clients[1]), trials=trials, rng=rng)
        for client, group, d in zip(clients, people, (2, 3), strict=True)
    ]
    exact = [clients[0].spread(people[0], items=(0, 1)), clients[1].spread(people[1])]
    found = batches(tallies, spreads=exact)
    w = weights(found)
    estimate, spread = found.weighted(w)
    f = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0]])
    s = np.array([[0.125, 0.375, 0], [0.25, -0.5, 0]])
    truth = np.stack([(w * f).sum(0), (w * s).sum(0)])
    error = np.sqrt(spread.variance / trials)
    assert np.all(np.abs(estimate.mean(0) - truth) < 7 * error)
    assert np.all(np.abs(estimate.var(0) / spread.variance - 1) < 7 * np.sqrt(2.2 / trials))
    both = ((estimate[:, 0] - truth[0]) * (estimate[:, 1] - truth[1])).mean(0)
    assert np.all(np.abs(both - spread.covariance) < 7 * np.sqrt(1.1 / trials) * np.sqrt(spread.variance.prod(0)))
    naive = np.abs(estimate.mean(0) - np.stack([f.mean(0), s.mean(0)]))  # equal weights: another truth for key 1
    assert (naive > 7 * error)[1, 1]


def test_leading_axes_are_trials(found):
    one = np.array([[[1, 2, 7], [3, 3, 4]]] * 5)
    several = batches([tally(one), tally([[[6, 20, 4], [9, 12, 9]]] * 5, items=(8, 9))])
    estimate, spread = several.weighted(everyone(several))
    alone, by_itself = found.weighted(everyone(found))
    assert estimate.shape == (5, 2, 3) and spread.covariance.shape == (5, 3)
    np.testing.assert_allclose(estimate[3], alone)
    np.testing.assert_allclose(spread.variance[2], by_itself.variance)
    np.testing.assert_allclose(spread.rare, by_itself.rare)


def test_bad_arguments_are_named(found):
    with pytest.raises(ValueError, match="tallies must be"):
        batches([])
    with pytest.raises(ValueError, match="tallies must be of signed ternary mechanisms, got "):
        batches([GRR(k=2, epsilon=1.0).tally(np.array([0]))])
    with pytest.raises(ValueError, match="spreads must be a list of Spread, one per tally, 1, got "):
        batches([tally([[1, 2, 7], [3, 3, 4]])], spreads=[])
    with pytest.raises(ValueError, match=r"weights must have shape \(2, 3\), got \(2,\)"):
        found.weighted([0.5, 0.5])
    with pytest.raises(ValueError, match="weights must be finite"):
        found.weighted(np.full((2, 3), np.nan))
    with pytest.raises(ValueError, match="weights must be zero where a key was not alive"):
        found.weighted(np.full((2, 3), 0.5))
    with pytest.raises(ValueError, match="tally must hold at least one report"):
        batches([Tally(OLD, 0, np.zeros((1, 3), np.int64), (7,))])
