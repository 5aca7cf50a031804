"""Experiments of the lesson on one number: errors that theory and clients share, the limit, and exact coverage."""

import numpy as np
import pytest
from scipy.stats import binom

from ldpnb import Laplace, Piecewise, TwoPoint, interval
from ldpnb.book.studies import one_number as study
from ldpnb.core import Tally

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


def test_coverage_is_wrong_for_few_reports_of_the_rarer_sign():
    assert study.coverage(0.98, 300, 8.0) < 0.82


def test_coverage_is_the_sum_over_all_tallies():
    n, eps, mean = 40, 1.0, 0.3
    plus = np.arange(n + 1)
    low, high = interval(Tally(TwoPoint(epsilon=eps), n, np.stack([n - plus, plus], 1)))
    chance = binom.pmf(plus, n, 0.5 + mean / scale(eps) / 2)
    direct = chance[(low[:, 0] <= mean) & (mean <= high[:, 0])].sum()
    assert abs(study.coverage(mean, n, eps) - direct) < 1e-12 < abs(study.coverage(-mean, n + 1, eps) - direct)
