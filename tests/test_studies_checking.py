"""The experiments of the lesson on checking, with an auditor who is told the event."""

from fractions import Fraction
from math import log

import numpy as np
import pytest
from scipy.stats import beta, binom

from ldpnb.verify import ceiling
from ldpnb_book.studies import checking as study

COIN = [{0: Fraction(2, 3), 1: Fraction(1, 3)}, {0: Fraction(1, 3), 1: Fraction(2, 3)}]


def bound(a, b, t, level):
    low = beta.ppf(level / 2, a, t - a + 1)
    return np.fmax(0, np.log(low / beta.ppf(1 - level / 2, b + 1, t - b)))


def knows(these, those):
    return float(bound(these.count(0), those.count(0), len(these), 0.001)), {0}


def test_draws_follow_the_law():
    """A share of 10,000 reports has a standard error below 0.005, and six times that is allowed."""
    law = {"a": Fraction(1, 2), "b": Fraction(1, 3), "c": Fraction(1, 6)}
    reports = study.draw(law, 10_000, np.random.default_rng(1))
    assert all(abs(reports.count(y) / 10_000 - p) < 0.03 for y, p in law.items())


@pytest.mark.parametrize("t", [500, 20_000])
def test_reach_is_the_ceiling_of_a_coin(t):
    assert study.reach(bound, COIN, t, 0.001) == pytest.approx(ceiling(log(2), samples=t, known=True), abs=1e-9)
    assert study.reach(bound, COIN, t, 0.001) < ceiling(log(2.2), samples=t, known=True)


def test_audits_scatter_around_what_they_can_reach():
    """Of 100 audits with 20,000 reports the mean has a standard error of 0.0015."""
    found = study.audits(knows, COIN, [100, 20_000], runs=100, rng=np.random.default_rng(2))
    assert found.groupby("reports").size().to_dict() == {100: 100, 20_000: 100}
    mean = found.groupby("reports")["bound"].mean()
    assert abs(mean[20_000] - study.reach(bound, COIN, 20_000, 0.001)) < 0.01
    assert mean[100] < mean[20_000] - 0.1


def test_refutations_are_as_frequent_as_computed():
    """1,000 audits each, whose share has a standard error of at most 0.016."""
    chance, t, rng = 0.031, 1000, np.random.default_rng(3)
    theory = float(study.refutes(bound, chance, t, claimed=log(2), level=0.001))
    hits = rng.binomial(t, chance, 1000)
    assert 0.2 < theory < 0.8
    assert abs(np.mean(bound(hits, np.zeros(1000), t, 0.001) > log(2)) - theory) < 0.1
    assert study.refutes(bound, chance, t, claimed=log(4), level=0.001) < 0.01


@pytest.mark.parametrize("claimed", [0.1, log(2)])
def test_a_refutation_takes_as_many_hits_as_the_bound_says(claimed):
    """All numbers of hits of 40 reports, each with its exact probability."""
    t, chance, level = 40, 0.6, 0.05
    hits = np.arange(t + 1)
    refuted = np.array([h > 0 and bound(h, 0, t, level) > claimed for h in hits])
    exact = (binom.pmf(hits, t, chance) * refuted).sum()
    assert 0.001 < exact < 1
    assert float(study.refutes(bound, chance, t, claimed=claimed, level=level)) == pytest.approx(exact, abs=1e-12)
