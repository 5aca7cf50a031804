from dataclasses import dataclass
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from contract import Contract

from ldpnb.chance import odds
from ldpnb.core import Example
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.matrix import MatrixMechanism, ratio, within
from ldpnb.verify import same_law

UNEVEN = np.array([[0.5, 0.3, 0.2], [0.25, 0.35, 0.4], [0.4, 0.4, 0.2], [0.3, 0.5, 0.2]])
THIRDS = np.array([[1 / 3, 2 / 3, 0.0], [0.1, 0.9, 0.0]])  # floats that do not sum to 1, and a report never sent


def krr(k, eps):
    e = exp(eps)
    return (np.full((k, k), 1.0) + (e - 1) * np.eye(k)) / (e + k - 1)


class TestMatrixMechanism(Contract):
    cases = [
        *MatrixMechanism.example(),
        Example(MatrixMechanism(channel=krr(3, 1.0), scores=np.linalg.inv(krr(3, 1.0))), np.arange(3), histogram=True),
    ]
    bad_values = [[4], [-1], [0.5], ["a"], [[0]], [True], [None], 0]
    bad_reports = [[3], [-1], [0.5], [[0]], ["a"]]


def test_it_is_krr():
    mechanism = MatrixMechanism(channel=krr(4, 1.0), scores=np.linalg.inv(krr(4, 1.0)))
    oracle = GRR(k=4, epsilon=1.0)
    assert same_law(mechanism, oracle, np.arange(4))
    assert not same_law(mechanism, GRR(k=4, epsilon=1.1), np.arange(4))
    np.testing.assert_allclose(mechanism.expected(np.arange(4)), np.eye(4), atol=1e-12)
    np.testing.assert_allclose(mechanism.variance(np.arange(4)), oracle.variance(np.arange(4)), rtol=1e-9)


def test_rows_that_are_all_one_tell_nothing():
    mechanism = MatrixMechanism(channel=[[0.25, 0.75]] * 2, scores=[[1, 0, 3], [2, 5, 7]])
    assert mechanism.epsilon == mechanism.realised_epsilon == 0
    np.testing.assert_allclose(mechanism.expected([0, 1]), [[1.75, 3.75, 6.0]] * 2)
    assert MatrixMechanism(channel=[[1.0]]).report_bits == 0


def test_a_report_that_is_never_sent_is_refused():
    with pytest.raises(ValueError, match="reports must be of a kind that is sent, got 2"):
        MatrixMechanism(channel=THIRDS).tally([0, 2])


def test_scores_are_part_of_the_identity():
    one, other = (MatrixMechanism(channel=THIRDS, scores=[[s], [0.0], [0.0]]) for s in (1.0, 2.0))
    assert one != other and one == MatrixMechanism(channel=THIRDS, scores=[[1.0], [0.0], [0.0]])
    with pytest.raises(ValueError, match="one mechanism"):
        one.tally([0]) + other.tally([0])


@pytest.mark.parametrize(
    "channel, scores, message",
    [
        ([[0.5, 0.4]], None, "rows of sum 1, got a sum of 0.9"),
        ([[1.5, -0.5]], None, "must not be negative, got -0.5"),
        ([[1.0, 0.0], [0.5, 0.5]], None, "must not tell values apart for certain, but some cannot send report 1"),
        ([0.5, 0.5], None, "must be numbers with 2 axes, not empty"),
        ([], None, "must be numbers with 2 axes, not empty"),
        ([[np.nan, 1.0]], None, "must be finite numbers"),
        ([["a"]], None, "must be finite numbers, got <U1 values"),
        ([[0.5, 0.5]], [[1.0]], "scores must have one row a report, 2, got 1"),
        ([[0.5, 0.5]], [1.0, 2.0], "scores must be numbers with 2 axes, not empty"),
    ],
)
def test_bad_matrix_is_refused(channel, scores, message):
    with pytest.raises(ValueError, match=message):
        MatrixMechanism(channel=channel, scores=scores)


# ------------------------------------------------------------------------------------------------------- ratio, within


def test_ratio_is_exact_and_finds_certainty():
    assert ratio([[0.5, 0.5], [0.25, 0.75]]) == 2
    assert ratio([[1.0, 1.0], [1.0, 3.0]]) == 2  # rows are taken over their sums
    assert ratio([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]]) == 2
    assert ratio([[0.5, 0.5], [0.0, 1.0]]) is None
    assert isinstance(ratio(UNEVEN), Fraction)


@pytest.mark.parametrize("eps", [1e-6, 0.1, 1.0, 8.0, 32.0])
@pytest.mark.parametrize("shake", [0.0, 1e-13, 1e-9])
def test_within_keeps_epsilon_and_changes_little(eps, shake):
    rng, k = np.random.default_rng(5), 6
    near = krr(k, eps) + shake * rng.uniform(-1, 1, (k, k))
    repaired = within(near, eps)
    assert ratio(repaired) <= odds(eps)
    assert np.abs(repaired - near).max() <= 1e-14 + 100 * shake
    if shake:
        with pytest.raises(AssertionError):
            raw = ratio(np.maximum(near, 0))
            assert raw is not None and raw <= odds(eps)  # the repair was needed
    assert MatrixMechanism(channel=repaired).epsilon <= eps * (1 + 1e-15)


@pytest.mark.parametrize("channel", [krr(4, 2.0), np.eye(3)])
def test_within_refuses_what_is_not_near(channel):
    with pytest.raises(ValueError, match="channel must have an ε of about epsilon = 1.0 or less"):
        within(channel, 1.0)


@pytest.mark.parametrize("channel", [[[0.5, 0.4]], [[1.1, -0.1]]])
def test_within_refuses_what_is_no_channel(channel):
    with pytest.raises(ValueError, match="channel must be non-negative with rows of sum 1"):
        within(channel, 1.0)


# ----------------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class NextRow(MatrixMechanism):
    """Draws from the row of another value."""

    def perturb(self, values, *, rng):
        return super().perturb((np.asarray(values) + 1) % self.k, rng=rng)


@dataclass(frozen=True, kw_only=True)
class SecondMoment(MatrixMechanism):
    """Forgets to subtract the square of the mean."""

    def variance(self, values):
        return super().variance(values) + self.expected(values) ** 2


@dataclass(frozen=True, kw_only=True)
class HalfEpsilon(MatrixMechanism):
    """Compares each row with the average one."""

    @property
    def epsilon(self):
        return log(np.max(self._rows.max(0) / self._rows.mean(0)))


@pytest.mark.parametrize(
    "broken, caught_by",
    [
        (NextRow, "test_estimate_is_unbiased"),
        (SecondMoment, "test_noise_is_the_variance"),
        (HalfEpsilon, "test_epsilon_of_the_law_is_the_stated_one"),
    ],
)
def test_mistake_is_caught(broken, caught_by):
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(Example(broken(channel=UNEVEN), np.arange(4)))
