"""The lesson on one number: errors of its clients, the limit, exact coverage, and noise beyond the range."""

from math import inf, log

import numpy as np
import pytest
from scipy.stats import binom

from ldpnb import Laplace, Piecewise, TwoPoint, epsilon, interval, laws, pick
from ldpnb.core import Tally
from ldpnb_book.studies import one_number as study

KINDS = {"sign": TwoPoint, "noise": Laplace, "windows": Piecewise}


def scale(eps):
    return (np.exp(eps) + 1) / (np.exp(eps) - 1)


def test_errors_of_theory_are_those_of_drawn_clients():
    """40,000 scores: a standard deviation is known to half a percent or better, six times that is allowed."""
    exact, drawn = study.errors(KINDS, [0.5, 2.0], [2.0], np.random.default_rng(1))
    assert len(exact) == 6 and len(drawn) == 3 * 40_000 and set(drawn["ε"]) == {2.0}
    theory = exact[exact["ε"] == 2.0].set_index("client")
    for what in ("error", "ratio"):
        seen = drawn.groupby("client")[what].std()
        assert np.abs(seen / theory[what] - 1).max() < 0.03
        assert np.abs(seen / exact[exact["ε"] == 0.5].set_index("client")[what] - 1).max() > 0.1  # a wrong budget
    sign = exact[exact["client"] == "sign"]
    np.testing.assert_allclose(sign["error"], scale(sign["ε"]), rtol=1e-9)


def test_the_sign_is_nearly_best_for_a_small_budget_and_not_for_a_large_one():
    ratio = {eps: scale(eps) ** 2 / study.least(eps) for eps in (0.1, 1.0, 4.0)}
    assert 1 <= ratio[0.1] < 1.01 < 1.1 < ratio[1.0] < 1.3 and ratio[4.0] > 4


def test_the_limit_depends_little_on_the_grid():
    """Twice as fine at ε = 8, where it depends most: under 3 %; a grid of four steps is far off."""
    limit = study.least(8.0)
    assert abs(study.least(8.0, 64, 257) / limit - 1) < 0.03 < abs(study.least(8.0, 4) / limit - 1)


@pytest.mark.parametrize(("mean", "eps"), [(-0.06, 0.5), (-0.06, 2.0), (-0.06, 8.0), (0.0, 1.0), (0.98, 8.0)])
def test_coverage_is_right_from_ninety_reports_of_the_rarer_sign_on(mean, eps):
    each = (1 - abs(mean) / scale(eps)) / 2
    for rarer in (90, 110, 140, 200):
        assert abs(study.coverage(mean, round(rarer / each), eps) - 0.95) < 0.01


def test_coverage_is_right_for_few_reports_of_the_rarer_sign_and_that_of_a_normal_law_is_not():
    n, eps, mean = 300, 8.0, 0.98
    assert 0.95 < study.coverage(mean, n, eps) < 0.99
    plus = np.arange(n + 1)
    found = scale(eps) * (2 * plus / n - 1)
    half = 1.96 * np.sqrt((scale(eps) ** 2 - found**2) / (n - 1))
    chance = binom.pmf(plus, n, (1 + mean / scale(eps)) / 2)
    assert chance[np.abs(found - mean) <= half].sum() < 0.82


def test_coverage_is_the_sum_over_all_tallies():
    n, eps, mean = 40, 1.0, 0.3
    plus = np.arange(n + 1)
    low, high = interval(Tally(TwoPoint(epsilon=eps), n, np.stack([n - plus, plus], 1)))
    chance = binom.pmf(plus, n, 0.5 + mean / scale(eps) / 2)
    direct = chance[(low[:, 0] <= mean) & (mean <= high[:, 0])].sum()
    assert abs(study.coverage(mean, n, eps) - direct) < 1e-12 < abs(study.coverage(-mean, n + 1, eps) - direct)


# --- what the lesson says beside its figures


def test_the_standard_error_of_fixed_people_is_too_large_by_the_spread_of_their_numbers():
    """Exactly, from the law of the number of pluses; a sample has no such excess."""
    x, n = np.linspace(-0.9, 0.6, 40), 40
    for eps in (1.0, 4.0):
        pluses = np.ones(1)
        for chance in (1 + x / scale(eps)) / 2:
            pluses = np.convolve(pluses, [1 - chance, chance])
        estimate = scale(eps) * (2 * np.arange(n + 1) / n - 1)
        squared_error = (scale(eps) ** 2 - estimate**2) / (n - 1)
        excess = pluses @ squared_error - pluses @ (estimate - x.mean()) ** 2
        assert abs(excess - x.var(ddof=1) / n) < 1e-12 < excess
        sample = binom.pmf(np.arange(n + 1), n, (1 + x.mean() / scale(eps)) / 2)
        assert abs(sample @ squared_error - sample @ (estimate - x.mean()) ** 2) < 1e-12


def uncut(eps, steps, beyond=3000):
    """Probabilities of two-sided geometric noise from each grid point, and where they are."""
    at, ratio = np.arange(-beyond, beyond + steps + 1), np.exp(-eps / steps)
    return at, (1 - ratio) / (1 + ratio) * ratio ** np.abs(at - np.arange(steps + 1)[:, None])


def test_the_cut_client_is_noise_that_is_clipped_and_nothing_can_be_learned_beyond():
    steps, eps = 6, 1.5
    at, rows = uncut(eps, steps)
    clipped = [np.bincount(np.clip(at, 0, steps), row) for row in rows]
    np.testing.assert_allclose(Laplace(epsilon=eps, steps=steps).channel, clipped, atol=1e-12)
    end, inside = rows[:, at >= steps], rows[:, (at >= 2) & (at <= 4)]
    assert np.ptp(end / end.sum(1, keepdims=True), axis=0).max() < 1e-12
    assert np.ptp(inside / inside.sum(1, keepdims=True), axis=0).max() > 0.1


def test_on_a_fine_grid_the_cut_saves_up_to_half_of_the_variance():
    x = np.array([-1.0, 0.0, 0.5])
    for eps in (0.5, 1.0, 4.0):
        found = Laplace(epsilon=eps, steps=1024).variance(x)[:, 0]
        np.testing.assert_allclose(found, 8 / eps**2 - 4 / eps**2 * np.exp(-eps / 2) * np.cosh(eps * x / 2), rtol=1e-3)
        assert (found < 0.9 * 8 / eps**2).any()
    assert abs(Laplace(epsilon=0.01, steps=64).variance([0.0])[0, 0] * 0.01**2 / 8 - 0.5) < 0.01


def test_laplace_noise_of_the_width_over_epsilon_is_exactly_private():
    x, y = np.array([-1, -0.3, 0, 1]), np.linspace(-40, 40, 8001)
    for eps in (0.5, 1.0, 4.0):
        largest = {b: np.ptp(-np.abs(y - x[:, None]) / b, axis=0).max() for b in (2 / eps, 1 / eps)}
        assert abs(largest[2 / eps] - eps) < 1e-9 and abs(largest[1 / eps] - 2 * eps) < 1e-9


def test_floating_noise_gives_a_number_away_and_the_grid_does_not():
    def noise(x, rng):
        return x + pick((-2, 2), rng) * log(pick(range(1, 257), rng) / 256)

    assert epsilon(laws(noise, [0.0, 0.3])) == inf
    assert epsilon(laws(Laplace(epsilon=1.0, steps=8), np.array([0.0, 0.3]))) < 1
