"""Dividing by the number of people who were asked: exact moments, standard errors, what is gained, and refusals."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import chi2

from ldpnb import (
    GRR,
    OUE,
    DrawnAttributes,
    HadamardBit,
    HarmonyFrequency,
    HarmonyMean,
    PairSampling,
    PrivKV,
    Records,
    SampledHybrid,
    StateEncoding,
)
from ldpnb.asked import AsksSome
from ldpnb.core import Tally
from ldpnb.choose._catalogue import catalogue
from ldpnb.verify import contract

DRAWN = DrawnAttributes.of((2, 3), GRR, 1.0)
ALL = [
    DRAWN,
    DrawnAttributes.of((2, 2, 2), OUE, 1.0, 2),
    HarmonyFrequency(sizes=(2, 3), epsilon=1.0),
    HarmonyMean(d=3, epsilon=1.0, count=2),
    SampledHybrid(d=3, epsilon=6.0),
    PairSampling.of(("a", "b", "c"), HadamardBit, 1.0),
    StateEncoding(d=2, epsilon=1.0),
    PrivKV.tight_split(2, 1.0),
]


def people(mechanism, n, rng):
    """Values of n people, with shares and means that are far from 0."""
    if isinstance(mechanism, DrawnAttributes | HarmonyFrequency):
        return np.stack([rng.binomial(size - 1, 0.8, n) for size in mechanism.sizes], 1)
    if isinstance(mechanism, HarmonyMean | SampledHybrid):
        return rng.uniform(0.2, 1.0, (n, mechanism.d))
    held = rng.random((n, mechanism.d)) < 0.7
    user, key = np.nonzero(held)
    return Records(np.concatenate([[0], np.cumsum(held.sum(1))]), key, rng.choice([-0.5, 1.0], len(key)))


def test_every_mechanism_that_draws_its_question_divides_by_the_number_asked():
    kinds = {kind.__name__ for kind in catalogue().values() if issubclass(kind, AsksSome)}
    assert kinds == {type(one).__name__ for one in ALL}


# ------------------------------------------------------------------------------------------- controls of the check


@dataclass(frozen=True, kw_only=True)
class NotDivided(DrawnAttributes):
    """Publishes the linear estimate."""

    def estimate_of_asked(self, tally):
        return self.estimate(tally)


@dataclass(frozen=True, kw_only=True)
class ShrunkMean(DrawnAttributes):
    """Adds one person to those who were asked."""

    def _mean_of_asked(self, tally):
        asked = self._numbers_asked(tally)
        return super()._mean_of_asked(tally) * asked / (asked + 1)


@dataclass(frozen=True, kw_only=True)
class WithReplacement(DrawnAttributes):
    """Takes those who were asked for drawn with replacement."""

    def variance_of_asked(self, values, asked):
        t = self.expected(values)
        return super().variance_of_asked(values, len(t)) * len(t) / asked + t.var(0) / asked


@dataclass(frozen=True, kw_only=True)
class DividedByN(DrawnAttributes):
    """Forgets that one degree of freedom is spent on the mean."""

    def _error_of_asked(self, tally, people):
        asked = self._numbers_asked(tally)
        return super()._error_of_asked(tally, people) * (asked - 1) / np.maximum(asked, 1)


@dataclass(frozen=True, kw_only=True)
class PeopleForgotten(DrawnAttributes):
    """Gives the error about a population for that about these people."""

    def _error_of_asked(self, tally, people):
        return super()._error_of_asked(tally, False)


@dataclass(frozen=True, kw_only=True)
class NobodyIsZero(DrawnAttributes):
    """Says 0 where nobody was asked."""

    def estimate_of_asked(self, tally):
        return np.nan_to_num(self._mean_of_asked(tally))


CONTROLS = {
    NotDivided: "an estimate of nobody's answers",
    ShrunkMean: r"estimate_of_asked of 1 of 3 people at .* is",
    WithReplacement: r"variance_of_asked of 2 of 3 people at .* is",
    DividedByN: r"squared standard_error_of_asked\(people=True\) of 2 of 3 people at .* is",
    PeopleForgotten: r"squared standard_error_of_asked\(people=True\) of 2 of 3 people at .* is",
    NobodyIsZero: "an estimate of nobody's answers",
}


@pytest.mark.parametrize("kind", [DrawnAttributes, *CONTROLS])
def test_the_contract_sees_what_is_wrong_given_the_number_asked(kind):
    example = DrawnAttributes.example()[0]
    mine = contract._other(example, mechanism=kind(sizes=DRAWN.sizes, oracle=DRAWN.oracle))
    if kind is DrawnAttributes:
        contract.estimates_of_those_asked_are_right(mine)
        return
    with pytest.raises(AssertionError, match=CONTROLS[kind]):
        contract.estimates_of_those_asked_are_right(mine)


# ---------------------------------------------------------------------------------------------------- real clients


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ALL, ids=str)
def test_surveys_scatter_as_stated_given_the_number_asked(mechanism):
    """Squares of (estimate − truth)/error of 200 surveys, each with its own exact variance given how many were asked.

    Their sum is χ² but for a few per cent; each of some 70 entries is looked at alone, at 1e-9 on both sides.
    """
    rng = np.random.default_rng(3)
    n, surveys = 400, 200
    values = people(mechanism, n, rng)
    truth = mechanism.expected(values).mean(0)
    squares, linear = [], []
    for _ in range(surveys):
        tally = mechanism.tally(mechanism.perturb(values, rng=rng))
        variance = mechanism.variance_of_asked(values, mechanism.numbers_asked(tally))
        squares.append((mechanism.estimate_of_asked(tally) - truth) ** 2 / variance)
        linear.append((mechanism.estimate(tally) - truth) ** 2 / variance)
    found = np.sum(squares, 0)
    assert chi2.cdf(found, surveys).min() > 1e-9 and chi2.sf(found, surveys).min() > 1e-9
    # control: the linear estimate scatters more, here where shares are large, and no stated variance is that of both
    assert np.mean(linear) > np.mean(squares)


def test_standard_errors_are_those_of_everybody_where_all_are_asked():
    """With one attribute there is no draw: both estimates and both errors agree."""
    mechanism, rng = DrawnAttributes.of((3,), GRR, 1.0), np.random.default_rng(0)
    tally = mechanism.tally(mechanism.perturb(rng.integers(3, size=(50, 1)), rng=rng))
    np.testing.assert_allclose(mechanism.estimate_of_asked(tally), mechanism.estimate(tally), rtol=1e-12)
    for about in (False, True):
        found = mechanism.standard_error_of_asked(tally, people=about)
        np.testing.assert_allclose(found, mechanism.standard_error(tally, people=about), rtol=1e-9)
    low, high = mechanism.interval_of_asked(tally, 2.0)
    np.testing.assert_allclose((low, high), mechanism.interval(tally, 2.0), rtol=1e-9)


@pytest.mark.parametrize("d, f", [(2, 0.5), (5, 0.8), (10, 0.1)])
def test_the_gain_is_the_squared_share_of_all_other_questions(d, f):
    """n times both variances, at N = n/L: L V + (L − 1) f, and L V + (L − 1) f (1 − f) n/(n − 1), V that of k-RR."""
    n = 20 * d
    values = np.zeros((n, d), np.int64)
    values[: round(f * n)] = 1
    mechanism = DrawnAttributes.of((2,) * d, GRR, 1.0)
    own, other = GRR(k=2, epsilon=1.0).variance([1])[0][::-1]
    v = f * own + (1 - f) * other
    linear = mechanism.variance(values).mean(0)[1]
    assert linear == pytest.approx(d * v + (d - 1) * f)
    asked = n * mechanism.variance_of_asked(values, n // d)[1]
    assert asked == pytest.approx(d * v + (d - 1) * f * (1 - f) * n / (n - 1))


def test_with_few_people_the_linear_estimate_is_better():
    """Fewer than about L (V + f(1−f))/f²: exactly, from all numbers that may be asked, at least one."""
    d, f = 4, 0.1
    mechanism = DrawnAttributes.of((2,) * d, GRR, 0.5)
    ratio = {}
    for n in (200, 20_000):
        values = np.zeros((n, d), np.int64)
        values[: round(f * n)] = 1
        asked = np.arange(1, n + 1)
        log = np.cumsum(np.log((n - asked + 1) / asked)) + asked * np.log(1 / d) + (n - asked) * np.log(1 - 1 / d)
        chance = np.exp(log) / np.exp(log).sum()
        each = mechanism.variance_of_asked(values, 1)[1], mechanism.variance_of_asked(values, n)[1]
        # variance is a/N + b: both numbers from the two ends
        a = (each[0] - each[1]) / (1 - 1 / n)
        mean = chance @ (a / asked) + each[0] - a
        ratio[n] = mean / (mechanism.variance(values).mean(0)[1] / n)
    assert ratio[200] > 1.005 and ratio[20_000] < 0.9995


# -------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("mechanism", ALL, ids=str)
def test_of_nobody_asked_and_of_one_there_is_no_estimate_or_no_error(mechanism):
    nothing = mechanism.tally(mechanism._worst()[:1])
    tally = Tally(mechanism, 1, nothing.counts)
    if np.any(mechanism.numbers_asked(tally) == 0):
        with pytest.raises(ValueError, match=r"tally must hold answers of at least one person .*, got 0 about entry"):
            mechanism.estimate_of_asked(tally)
    with pytest.raises(ValueError, match=r"at least two people about each entry, got \d about entry .*: collect more"):
        mechanism.standard_error_of_asked(tally)


def test_the_entry_that_nobody_was_asked_about_is_named():
    reports = DRAWN._asked(np.array([0, 0]), np.array([0, 1]))
    tally = DRAWN.tally(reports)
    with pytest.raises(ValueError, match="at least one person about each entry, got 0 about entry 2: collect more"):
        DRAWN.estimate_of_asked(tally)
    trials = Tally(DRAWN, 2, np.stack([tally.counts, tally.counts]))
    with pytest.raises(ValueError, match="got 0 about entry 2"):
        DRAWN.estimate_of_asked(trials)
    with pytest.raises(ValueError, match=r"attributes must be a set that somebody was asked about, got \(1,\)"):
        DRAWN.table(tally, (1,))
    assert DRAWN.table(tally, (0,)).shape == (2,)


def test_other_arguments_that_cannot_be():
    values = np.zeros((5, 2), np.int64)
    with pytest.raises(ValueError, match="asked must be at least 1 for each entry, got 0"):
        DRAWN.variance_of_asked(values, 0)
    with pytest.raises(ValueError, match=r"asked must be integers in \[0, 6\), got 6"):
        DRAWN.variance_of_asked(values, 6)
    with pytest.raises(ValueError, match="values must hold at least one person"):
        DRAWN.variance_of_asked(values[:0], 1)
    mean = HarmonyMean(d=2, epsilon=1.0)
    tally = mean.tally(mean.perturb(np.zeros((50, 2)), rng=np.random.default_rng(0)))
    with pytest.raises(ValueError, match="people must be False: the server of HarmonyMean"):
        mean.standard_error_of_asked(tally, people=True)


@pytest.mark.parametrize("mechanism", ALL, ids=str)
def test_trials_are_estimated_one_by_one(mechanism):
    rng = np.random.default_rng(5)
    values = people(mechanism, 60, rng)
    tallies = [mechanism.tally(mechanism.perturb(values, rng=rng)) for _ in range(4)]
    together = Tally(mechanism, 60, np.stack([one.counts for one in tallies]).reshape(2, 2, *tallies[0].counts.shape))
    for read in (mechanism.numbers_asked, mechanism.estimate_of_asked, mechanism.standard_error_of_asked):
        alone = np.stack([read(one) for one in tallies])
        np.testing.assert_allclose(read(together).reshape(alone.shape), alone, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------------------------------------------- influence


@pytest.mark.parametrize("mechanism", [DRAWN, HarmonyFrequency(sizes=(2, 3), epsilon=1.0)], ids=str)
def test_influence_is_that_of_the_estimate_of_those_asked_if_as_many_were_asked_as_expected(mechanism):
    """A forged answer in place of one of N = n/L adds L/n of what it adds to a sum; of fewer asked it adds more."""
    n, questions = 40, round(1 / mechanism.asked)
    field = mechanism.public_fields[0]
    alone = [mechanism.tally(report[None]) for report in mechanism._worst()]
    scores = np.stack([mechanism.estimate(one) for one in alone])
    which, entry = np.unravel_index(int(scores.argmax()), scores.shape)
    worst = mechanism._worst()[which]
    assert scores.max() == pytest.approx(mechanism.influence())
    for own, moved in ((n // questions, 1.0), (n // 4, n / questions / (n // 4))):
        honest = mechanism._nothing(n)
        honest[field] = 1 - worst[field]  # of two attributes
        honest[field][:own] = worst[field]
        forged = honest.copy()
        forged[0] = worst
        before, after = (mechanism.estimate_of_asked(mechanism.tally(reports)) for reports in (honest, forged))
        replaced = mechanism.estimate(mechanism.tally(honest[:1]))[entry]
        assert n * (after - before)[entry] == pytest.approx(moved * (mechanism.influence() - replaced))
