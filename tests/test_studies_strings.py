"""The experiments of the lessons on strings: prices of filters and slots, and what a Lasso does to shares."""

from math import exp, sinh

import numpy as np
import pytest

from ldpnb import RAPPOR, Tally, decode
from ldpnb_book.studies import strings as study

PAGES = [f"page{i}.example" for i in range(30)]


@pytest.mark.parametrize("epsilon", [0.7, 3.0])
def test_one_hash_function_and_many_cohorts_cost_little_more_than_sue(epsilon):
    """Never less; and the bound for two hash functions is a control that one of them does not reach."""
    one, two = (study.over_sue(64, h, 32, PAGES, epsilon) for h in (1, 2))
    least = sinh(epsilon / 4) / sinh(epsilon / 8) / 2**0.5
    assert 1 < one < 1.1 < least < two


def test_the_error_is_that_of_any_two_coins_with_the_same_budget():
    """Two coins with p + q = 1 have the noise of one that spends as much."""
    daily = RAPPOR(bits=16, hashes=1, cohorts=16, f=0.5, p=0.25, q=0.75)
    noise = daily.variance(PAGES[:10], PAGES)[:, 10:].mean()
    ours = (noise * 4 * sinh(daily.epsilon / 4) ** 2) ** 0.5
    assert study.over_sue(16, 1, 16, PAGES, daily.epsilon) == pytest.approx(ours, rel=1e-9)
    assert study.over_sue(16, 1, 16, PAGES, 2 * daily.epsilon) != pytest.approx(ours, rel=1e-3)


@pytest.fixture(scope="module")
def survey():
    truth = np.array([0.4, 0.3, 0.2, 0.1])
    mechanism = RAPPOR(bits=32, hashes=1, cohorts=16, f=0.2, p=0.1, q=0.9)
    people = (10**6 * truth).astype(int)
    drawn = mechanism.simulate(people, PAGES[:4], trials=1, rng=np.random.default_rng(5))
    return Tally(mechanism, drawn.n, drawn.counts[0]), truth


def test_the_lasso_takes_its_penalty_off_and_least_squares_puts_it_back(survey):
    """Up to what four filters share; a tenth of the penalty is the control."""
    tally, truth = survey
    kept, shrunk, mended = study.lasso(tally, PAGES, truth=truth, strength=8.0)
    assert 4 <= kept <= 10
    assert -12 < shrunk < -6 and abs(mended) < 3
    assert study.lasso(tally, PAGES, truth=truth, strength=0.8)[1] > -3


def test_many_cohorts_are_nearly_local_hashing_and_few_cannot_tell_candidates_apart():
    found = study.of_slots([4, 512], [2, 4], PAGES, epsilon=1.0).set_index(["client", "slots"])["error"]
    assert {*found.index} == {("512 cohorts", 2), ("512 cohorts", 4)}  # 4 (4 − 1) + 1 < 30
    hashing = {g: (exp(1) + g - 1) / (4 * exp(1) * (g - 1)) ** 0.5 for g in (2, 4)}
    assert all(0.95 < found["512 cohorts", g] / hashing[g] < 1.05 for g in (2, 4))
    assert found["512 cohorts", 2] / hashing[4] > 1.1


def test_residuals_are_too_large_where_a_popular_string_is_missing():
    """The advice of lesson 8: weighted squares of residuals are chi-square where the list is right."""
    mechanism = RAPPOR(bits=32, hashes=1, cohorts=16, f=0.2, p=0.1, q=0.9)
    people = [*range(30_000, 10_000, -2_000), 20_000]

    def excess(listed, trial):
        """Standard deviations above what is expected."""
        drawn = mechanism.simulate(people, PAGES[:11], trials=1, rng=np.random.default_rng([7, trial]))
        counts, (up, down) = drawn.counts[0], map(float, mechanism.support)
        reports = np.repeat(counts[:, -1], 32)
        y = (counts[:, :-1].ravel() / reports - down) / (up - down)
        x = np.column_stack([mechanism.design(listed).toarray(), np.ones(len(y))])
        share = decode(Tally(mechanism, drawn.n, counts), listed).share
        rest = (y - x[:, :-1] @ share).mean()
        fitted = x @ [*share, rest]
        mean = np.clip(down + (up - down) * fitted, down, up)
        squares = (y - fitted) ** 2 * reports * (up - down) ** 2 / (mean * (1 - mean))
        free = len(y) - x.shape[1]
        return (squares.sum() - free) / (2 * free) ** 0.5

    assert max(excess(PAGES[:11], trial) for trial in range(3)) < 6
    assert min(excess(PAGES[:10], trial) for trial in range(3)) > 6  # the last one has a tenth of the people
