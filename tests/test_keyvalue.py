from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from contract import BAD_PAIRS, FALSE_ALARM, Contract, total_variation
from scipy.stats import chi2

from ldpnb import verify
from ldpnb.chance import bernoulli, law, odds, round_down, uniform
from ldpnb.core import Example, Tally
from ldpnb.keyvalue import ternary
from ldpnb.keyvalue.pckv import PCKVGRR, PCKVUE, PadAndSample, draw_pair
from ldpnb.keyvalue.population import FEW, discretise, holdings
from ldpnb.keyvalue.privkv import PrivKV, _told, privkvm, privkvm_bias, privkvm_epsilon, privkvm_marginals
from ldpnb.keyvalue.states import StateEncoding, StateEncodingSplit
from ldpnb.keyvalue.ternary import Spread, clipped_mean, mean_of
from ldpnb.oracles.grr import GRR
from ldpnb.records import Records, pad_and_sample

ONE, TWO, THREE = FEW[1], FEW[2], FEW[3]
FULL = Records.of({0: 1.0, 1: 1.0}, {0: -1.0, 1: -1.0}, {}, {0: 0.5, 1: -0.25}, {1: 1 / 3})


class TestSE(Contract):
    cases = [*StateEncoding.example(), Example(StateEncoding(d=2, epsilon=20.0), TWO)]
    bad_values = BAD_PAIRS
    bad_reports = [
        np.array([0, 1]),
        np.array([(2, 0)], StateEncoding(d=2, epsilon=1.0).dtype),
        np.array([(0, 3)], StateEncoding(d=2, epsilon=1.0).dtype),
        np.array([(0, -1)], StateEncoding(d=2, epsilon=1.0).dtype),
        np.array([(0, 1.0)], [("key", np.int64), ("state", float)]),
        np.array([[(0, 1)]], StateEncoding(d=2, epsilon=1.0).dtype),
    ]


class TestSESplit(Contract):
    cases = [
        *StateEncodingSplit.example(),
        Example(StateEncodingSplit(d=2, epsilon=12.0), FULL, pairs=False),
    ]
    bad_values = BAD_PAIRS
    bad_reports = [[0, 1], [[0, 3]], [[0, -1]], [[0.5, 1.0]], [[0, 1, 2]], [[[0, 1]]], [[True, False]], [["a", "b"]]]


class TestPrivKV(Contract):
    cases = [*PrivKV.example(), Example(PrivKV(d=1, key_epsilon=0.1, value_epsilon=2.0), ONE)]
    bad_values = BAD_PAIRS
    bad_reports = TestSE.bad_reports


class TestPCKVGRR(Contract):
    cases = [  # two people with two keys, of whom some are padded
        *(replace(example, pairs=example.mechanism.d == 2) for example in PCKVGRR.example()),
        Example(PCKVGRR(d=2, ell=2, epsilon=20.0), TWO, pairs=False),
        Example(PCKVGRR(d=1, ell=1, epsilon=1.0), ONE, pairs=False),  # few branches: three people
    ]
    bad_values = BAD_PAIRS
    bad_reports = [[-1], [6], [0.5], [np.nan], ["a"], [[0]], 0, [True], [None], [2**63]]


class TestPCKVUE(Contract):
    cases = [
        *PCKVUE.example(),
        Example(PCKVUE(d=2, ell=2, epsilon=20.0), TWO, pairs=False),
        Example(PCKVUE(d=3, ell=1, epsilon=4.0), THREE, pairs=False),
    ]
    bad_values = BAD_PAIRS
    bad_reports = [
        [0, 1, 0],
        [[0, 1]],
        [[0, 1, 0, 0]],
        [[0, 2, 0]],
        [[-2, 0, 0]],
        [[0.0, 1.0, 0.0]],
        [[True, False, True]],
        [["a", "b", "c"]],
        [[[0, 1, 0]]],
        np.full((1, 3), 255, np.uint8),
        [[2**63, 0, 0]],
    ]


# ------------------------------------------------------------------------------------------------------ controls


@dataclass(frozen=True, kw_only=True)
class HalfBudget(StateEncoding):
    """ε/2 for ε: private, but not what was stated."""

    states = property(lambda self: GRR(k=3, epsilon=self.epsilon / 2))


@dataclass(frozen=True, kw_only=True)
class OwnKey(StateEncoding):
    """Samples its 'public' key among the keys it holds."""

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        keys, _ = pad_and_sample(values, self.d, 1, rng)
        reports["key"] = np.minimum(keys, self.d - 1)
        return reports


@dataclass(frozen=True, kw_only=True)
class EveryKeyAsked(StateEncoding):
    """Subtracts what absent keys contribute as if everybody had been asked about every key."""

    def _score(self, tally):
        alpha, beta, gamma = map(float, self.answer)
        minus, _, plus = np.moveaxis(tally.counts, -1, 0)
        frequency = ((plus + minus) - 2 * gamma * tally.n) / (alpha + beta - 2 * gamma)
        return np.stack([frequency, (plus - minus) / (alpha - beta)], -2) * self.d / tally.n


@dataclass(frozen=True, kw_only=True)
class SamplingForgotten(StateEncoding):
    """Leaves the draw of the key out of its noise."""

    def variance(self, values):
        return super().variance(values) - (1 - 1 / self.d) * self.d * self.expected(values) ** 2


@dataclass(frozen=True, kw_only=True)
class FractionsRounded(StateEncoding):
    """States the noise of values that are already signs."""

    def variance(self, values):
        return super().variance(Records(values.offsets, values.keys, np.where(values.values >= 0, 1.0, -1.0)))


@dataclass(frozen=True, kw_only=True)
class EachKeyInFull(StateEncodingSplit):
    """Spends ε on each key."""

    keep = property(lambda self: round_down((odds(self.epsilon) - 1) / (odds(self.epsilon) + 2)))


@dataclass(frozen=True, kw_only=True)
class FlipForgotten(PrivKV):
    """Perturbs who tells a sign, but not the sign."""

    def _respond(self, held, values, rng):
        return _told(held, values, float(self.p1), 1.0, rng)


@dataclass(frozen=True, kw_only=True)
class FlippedTwice(PrivKV):
    """Flips the sign, and then once more with fresh coins."""

    def _respond(self, held, values, rng):
        again = np.where(bernoulli(float(self.p2), held.shape, rng), 1, -1)
        return 1 + (super()._respond(held, values, rng) - 1) * again


@dataclass(frozen=True, kw_only=True)
class SilentWithoutKey(PrivKV):
    """Has no fake values: who does not hold the key tells nothing."""

    def _respond(self, held, values, rng):
        return np.where(held, super()._respond(held, values, rng), 1)


@dataclass(frozen=True, kw_only=True)
class OneSidedFake(PrivKV):
    """Fake values are all 1, not 0 on average."""

    def _respond(self, held, values, rng):
        return super()._respond(held, np.where(held, values, 1.0), rng)


@dataclass(frozen=True, kw_only=True)
class OwnFake(PrivKV):
    """Who does not hold the key takes the value of another key for the fake one."""

    def _perturb(self, values, rng):
        first = np.zeros(len(values))
        some = values.sizes > 0
        first[some] = values.values[values.offsets[:-1][some]]
        keys, held, own = self._draw(values, rng)
        return self._report(keys, self._respond(held, np.where(held, own, first), rng))


@dataclass(frozen=True, kw_only=True)
class NominalStated(PrivKV):
    """States the sum of its budgets."""

    epsilon = property(lambda self: self.key_epsilon + self.value_epsilon)


@dataclass(frozen=True, kw_only=True)
class SharedDummy(PCKVGRR):
    """One dummy key for all padding, with a random sign."""

    cells = property(lambda self: 2 * (self.d + 1))

    def _perturb(self, values, rng):
        keys, drawn = pad_and_sample(values, self.d, self.ell, rng)
        signed = 2 * np.minimum(keys, self.d) + (discretise(drawn, rng) > 0)
        return np.where(bernoulli(self.keep, keys.shape, rng), signed, uniform(2 * self.width, keys.shape, rng))


@dataclass(frozen=True, kw_only=True)
class NotAmplified(PCKVGRR):
    """Forgets that sampling pays: ε' = ε."""

    keep = property(lambda self: round_down((odds(self.epsilon) - 1) / (odds(self.epsilon) - 1 + 2 * self.width)))


@dataclass(frozen=True, kw_only=True)
class Truncated(PCKVGRR):
    """Keeps the first ℓ pairs of long records."""

    def _perturb(self, values, rng):
        owner = values.users
        kept = np.arange(len(values.keys)) - values.offsets[owner] < self.ell
        short = Records.from_arrays(owner[kept], values.keys[kept], values.values[kept], n=len(values))
        return super()._perturb(short, rng)


@dataclass(frozen=True, kw_only=True)
class ShrinkageUnsaid(PCKVGRR):
    """Claims that long records count in full."""

    def expected(self, values):
        return super().expected(values) * (np.maximum(values.sizes, self.ell) / self.ell)[:, None, None]


@dataclass(frozen=True, kw_only=True)
class SampledPairsGiven(PCKVGRR):
    """Takes the drawn pair for fixed: leaves the draw of one pair in ℓ out of its noise."""

    def variance(self, values):
        held = self._held(values)
        u = held.dense(held.u)
        between = np.stack([u * (1 - u), np.zeros_like(u)], 1)
        return super().variance(values) - self.ell**2 * between


@dataclass(frozen=True, kw_only=True)
class AmplifiedVector(PCKVUE):
    """Takes the ε' of PCKV-GRR, as if sampling paid for vectors, too."""

    keep_sign = property(lambda self: self._single.keep_sign)
    speak = property(lambda self: self._single.speak)
    _single = property(lambda self: PCKVUE(d=1, ell=1, epsilon=log(1 + self.ell * (exp(self.epsilon) - 1))))


@dataclass(frozen=True, kw_only=True)
class FixedSigns(PCKVUE):
    """Answers about a key that was not drawn with the sign of the one that was."""

    def _perturb(self, values, rng):
        keys, signs = draw_pair(values, self.d, self.ell, rng)
        own = keys[:, None] == np.arange(self.width)
        told = bernoulli(np.where(own, 0.5, self.speak), own.shape, rng)
        right = bernoulli(float(self.keep_sign), keys.shape, rng)
        return told * np.where(right, signs, -signs)[:, None]


SE2, PCKV3 = dict(d=2, epsilon=1.0), dict(d=3, epsilon=0.8, ell=2)
PCKV2 = PCKV3 | dict(d=2)
KV2 = dict(d=2, key_epsilon=0.5, value_epsilon=0.7)


@pytest.mark.parametrize(
    "mechanism, caught_by",
    [
        (HalfBudget(**SE2), "test_epsilon_of_the_law_is_the_stated_one"),
        (OwnKey(**SE2), "test_public_part_does_not_depend_on_the_value"),
        (EveryKeyAsked(**SE2), "test_estimate_is_unbiased"),
        (SamplingForgotten(**SE2), "test_noise_is_the_variance"),
        (FractionsRounded(**SE2), "test_noise_is_the_variance"),
        (EachKeyInFull(**SE2), "test_epsilon_of_the_law_is_the_stated_one"),
        (FlipForgotten(**KV2), "test_epsilon_of_the_law_is_the_stated_one"),
        (FlippedTwice(**KV2), "test_estimate_is_unbiased"),
        (SilentWithoutKey(**KV2), "test_epsilon_of_the_law_is_the_stated_one"),
        (OneSidedFake(**KV2), "test_epsilon_of_the_law_is_the_stated_one"),
        (OneSidedFake(**KV2), "test_estimate_is_unbiased"),
        (OwnFake(**KV2), "test_epsilon_of_the_law_is_the_stated_one"),
        (OwnFake(**KV2), "test_estimate_is_unbiased"),
        (NominalStated(**KV2), "test_epsilon_of_the_law_is_the_stated_one"),
        (replace(SharedDummy(**PCKV3), ell=3), "test_epsilon_of_the_law_is_the_stated_one"),
        (NotAmplified(**PCKV3), "test_epsilon_of_the_law_is_the_stated_one"),
        (Truncated(**PCKV3), "test_estimate_is_unbiased"),
        (ShrinkageUnsaid(**PCKV3), "test_estimate_is_unbiased"),
        (SampledPairsGiven(**PCKV3), "test_noise_is_the_variance"),
        (AmplifiedVector(**PCKV2), "test_epsilon_of_the_law_is_the_stated_one"),
        (FixedSigns(**PCKV2), "test_epsilon_of_the_law_is_the_stated_one"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_mistake_is_caught(mechanism, caught_by):
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(Example(mechanism, TWO if mechanism.d == 2 else THREE))


@pytest.mark.parametrize("epsilon, ell", [(0.8, 1), (0.8, 2), (0.8, 3), (2.0, 4)])
def test_a_shared_dummy_leaks(epsilon, ell):
    """Nobody's padding is drawn with probability above 1/ℓ, unless it shares a dummy: then an empty record shows.

    A random sign halves the leak, so that two dummies in one are safe for key-value data, but not for plain sets.
    """
    inputs = Records.of({}, {0: 1.0}, {0: -1.0}, {k: 1.0 for k in range(4)})
    shape = dict(d=4, ell=ell, epsilon=epsilon)
    assert verify.epsilon(verify.laws(PCKVGRR(**shape), inputs)) == pytest.approx(epsilon, abs=1e-12)
    leak = verify.epsilon(verify.laws(SharedDummy(**shape), inputs))
    assert leak == pytest.approx(max(epsilon, log(1 + ell * (exp(epsilon) - 1) / 2)), abs=1e-12)
    assert (leak > epsilon + 0.2) == (ell > 2)


def test_a_shared_dummy_leaks_more_from_plain_sets():
    """At ℓ = 2, ε = 0.8, one shared dummy symbol makes it ln(1 + 2(e^0.8 − 1)) = 1.239."""
    inputs, d, ell = Records.of(set(), {0}, {1, 2}), 3, 2
    more = ell * (odds(0.8) - 1)

    def client(dummies):
        cells = d + dummies
        keep = round_down(more / (more + cells))

        def perturb(i, rng):
            keys, _ = pad_and_sample(inputs[i : i + 1], d, ell, rng)
            drawn = np.minimum(keys, cells - 1)
            return np.where(bernoulli(keep, (1,), rng), drawn, uniform(cells, (1,), rng))[0]

        return verify.epsilon(verify.laws(perturb, range(3)))

    assert client(dummies=ell) == pytest.approx(0.8, abs=1e-12)
    assert client(dummies=1) == pytest.approx(1.239, abs=5e-4)


# ------------------------------------------------------------------------------------------------------ PrivKV's ε


@pytest.mark.parametrize("e1, e2", [(0.5, 0.5), (1.0, 0.3), (0.1, 2.0), (4.0, 4.0), (1e-6, 32.0), (32.0, 1e-6)])
def test_privkv_spends_less_than_its_budgets(e1, e2):
    epsilon = PrivKV(d=3, key_epsilon=e1, value_epsilon=e2).epsilon
    assert epsilon == pytest.approx(max(e2, e1 + log(2 / (1 + exp(-e2)))), rel=1e-9, abs=2.0**-46 * exp(max(e1, e2)))
    assert epsilon < e1 + e2


def test_one_sided_fake_values_cost_the_sum():
    """What is saved is due to fake values of mean 0: with means of ±1 both budgets are spent."""
    found = verify.epsilon(verify.laws(OneSidedFake(**KV2), TWO))
    assert found == pytest.approx(KV2["key_epsilon"] + KV2["value_epsilon"], rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-5, 0.01, 0.5, 1.0, 2.0, 7.3, 20.0, 32.0])
def test_splits_spend_what_they_say(epsilon):
    tight, nominal = PrivKV.tight_split(4, epsilon), PrivKV.nominal_split(4, epsilon)
    assert epsilon - 2.0**-46 * exp(epsilon) <= tight.epsilon <= epsilon
    assert nominal.key_epsilon == nominal.value_epsilon == epsilon / 2


@pytest.mark.parametrize("name", ["key_epsilon", "value_epsilon"])
@pytest.mark.parametrize("budget", [0, -1.0, np.nan, np.inf, 33, "1", None, True])
def test_bad_budget_is_refused(name, budget):
    message = f"^{name} must be a finite number in .*, got"
    with pytest.raises(ValueError, match=message):
        replace(PrivKV(**KV2), **{name: budget})
    budgets = {"key_epsilon": 1.0, "value_epsilon": 1.0, name: budget}
    with pytest.raises(ValueError, match=message):
        privkvm_epsilon(**budgets, rounds=2)


@pytest.mark.parametrize("make", [PrivKV.tight_split, PrivKV.nominal_split])
def test_bad_epsilon_of_a_split_is_refused(make):
    with pytest.raises(ValueError, match=r"epsilon must be a finite number in \[1e-06, 32\], got 0"):
        make(2, 0)


# ---------------------------------------------------------------------------------- variance, covariance and means

CASES = [case for test in (TestSE, TestSESplit, TestPrivKV, TestPCKVGRR, TestPCKVUE) for case in test.cases]


@dataclass(frozen=True, kw_only=True)
class CovarianceOfNobody(StateEncoding):
    """Forgets that a person's own contributions are no covariance."""

    def covariance(self, values):
        return super().covariance(values) + self.expected(values)[:, 1]


def exact_covariance(mechanism, inputs):
    """Of the two scores of one person, from every branch of the client: (n, d)."""
    out = []
    for i in range(len(inputs)):
        weights = law(lambda rng, i=i: mechanism.perturb(inputs[i : i + 1], rng=rng)[0])
        reports = np.array(list(weights), mechanism.perturb(inputs[:1], rng=np.random.default_rng(0)).dtype)
        f, s = np.moveaxis([mechanism.estimate(mechanism.tally(reports[j : j + 1])) for j in range(len(reports))], 1, 0)
        p = np.array([float(x) for x in weights.values()])
        out.append(p @ (f * s) - (p @ f) * (p @ s))
    return np.stack(out)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_covariance_is_exact(case):
    exact = exact_covariance(case.mechanism, case.inputs)
    np.testing.assert_allclose(case.mechanism.covariance(case.inputs), exact, rtol=1e-9, atol=1e-11)


def test_wrong_covariance_is_caught():
    mechanism = CovarianceOfNobody(**SE2)
    assert np.abs(mechanism.covariance(TWO) - exact_covariance(mechanism, TWO)).max() > 0.5


@pytest.mark.parametrize("case", CASES, ids=str)
def test_spread_is_that_of_the_sum(case):
    m, n = case.mechanism, len(case.inputs)
    spread = m.spread(case.inputs)
    np.testing.assert_allclose(spread.variance, m.variance(case.inputs).sum(0) / n**2, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(spread.covariance, m.covariance(case.inputs).sum(0) / n**2, rtol=1e-9, atol=1e-13)
    nobody = replace(case, inputs=Records.of({}, {0: 1.0})[[0] * n]).inputs
    assert spread.rare == pytest.approx(m.variance(nobody).sum(0)[0, 0] / n**2)
    with pytest.raises(ValueError, match="at least one person"):
        m.spread(case.inputs[:0])


SHORT = [
    StateEncoding(d=2, epsilon=1.0),
    StateEncodingSplit(d=2, epsilon=1.0),
    PrivKV(**KV2),
    PCKVGRR(d=2, ell=2, epsilon=1.0),
    PCKVUE(d=2, ell=3, epsilon=1.0),
]


@pytest.mark.parametrize("mechanism", SHORT, ids=str)
def test_collector_knows_the_spread_but_for_the_square_of_values(mechanism):
    """Exact where all holders of a key have one value; else the variance of ŝ is too large by f(M₂ − m²)/n."""
    for values in (Records.of({0: 0.5, 1: -1.0}, {}, {1: -1.0}, {0: 0.5}), TWO):
        n, target = len(values), mechanism.expected(values)
        known, exact = mechanism.plug_in(target.mean(0), n), mechanism.spread(values)
        f, s = target.mean(0)
        squares = (target[:, 1] ** 2).mean(0)
        surplus = np.stack([np.zeros(2), squares - s**2 / f]) / n
        assert (surplus.max() > 0.01) == (values is TWO)
        np.testing.assert_allclose(known.variance, exact.variance + surplus, rtol=1e-12)
        np.testing.assert_allclose(known.covariance, exact.covariance, rtol=1e-12, atol=1e-15)
        assert known.rare == exact.rare


def test_long_records_add_little_to_what_the_collector_knows():
    mechanism, n = PCKVGRR(d=3, ell=1, epsilon=3.0), len(THREE)
    target = mechanism.expected(THREE).mean(0)
    more = mechanism.spread(THREE).variance - mechanism.plug_in(target, n).variance
    f = target[0]
    assert np.all(more <= f * (1 - f) / n) and np.all(more[0] >= 0) and more[0].max() > 0.01


def test_collector_plugs_in_possible_shares():
    mechanism = PrivKV(d=4, key_epsilon=1.0, value_epsilon=1.0)
    impossible = np.array([[-0.2, 1.3, 0.4, 0.4], [0.3, -2.0, 0.6, -0.6]])
    nearest = np.array([[0.0, 1.0, 0.4, 0.4], [0.0, -1.0, 0.4, -0.4]])
    a, b = (mechanism.plug_in(x, 50) for x in (np.stack([nearest, impossible]), nearest))
    for found in (a.variance[0], a.variance[1]):
        assert np.array_equal(found, b.variance)
    assert np.array_equal(a.covariance, np.stack([b.covariance] * 2))
    assert np.all(np.isfinite(a.variance)) and b.variance[0, 0] == pytest.approx(b.rare)
    determinant = b.variance[0] * b.variance[1] - b.covariance**2
    assert np.all(determinant > 0)


@pytest.mark.parametrize("mechanism", [StateEncoding(d=1, epsilon=1.0), PrivKV.tight_split(1, 1.0)], ids=str)
def test_ratio_has_the_stated_error_and_bias(mechanism):
    """40,000 trials tell the sd to 0.4 %, and the bias, what is left of the ratio after its linear part, to 0.7 %."""
    n, held, trials = 4000, 3600, 40_000
    values = Records.from_arrays(np.arange(held), np.zeros(held, int), np.where(np.arange(held) < 3420, 1.0, -1.0), n=n)
    truth, spread = mechanism.expected(values).mean(0), mechanism.spread(values)
    f, m = 0.9, 0.9
    tally = mechanism.simulate_marginals(holdings(values, 1), trials=trials, rng=np.random.default_rng(21))
    estimate = mechanism.estimate(tally)
    each = mean_of(estimate, mechanism.plug_in(estimate, n))
    error = each.mean.std()
    bias = np.mean(each.mean - m - (estimate[:, 1] - m * estimate[:, 0]) / f)
    stated, wrong = (mean_of(truth, replace(spread, covariance=c * spread.covariance)) for c in (1, 0))
    assert stated.mean == pytest.approx(m)
    assert stated.error[0] == pytest.approx(error, rel=0.025) != wrong.error[0]
    assert stated.bias[0] == pytest.approx(bias, rel=0.05) != wrong.bias[0]
    inside = np.mean(np.abs(each.mean - m) < 1.96 * each.error)
    assert 0.943 < inside < 0.97  # the collector's own error is a little too large
    assert each.reliable.all() and each.reliable.shape == (trials, 1)


def test_rare_keys_are_not_reliable():
    """A key that nobody holds passes for reliable in 0.13 % of trials; one of 5000 expects 6.7, sd 2.6."""
    mechanism, n, trials = StateEncoding(d=2, epsilon=1.0), 100_000, 5000
    values = Records.from_arrays(np.arange(n // 2), np.zeros(n // 2, int), np.full(n // 2, 0.5), n=n)
    tally = mechanism.simulate_marginals(holdings(values, 2), trials=trials, rng=np.random.default_rng(22))
    estimate = mechanism.estimate(tally)
    reliable = mean_of(estimate, mechanism.plug_in(estimate, n)).reliable
    assert reliable[:, 0].all() and 0 < reliable[:, 1].sum() < 30


def test_ratio_of_nothing_is_not_a_number():
    with np.errstate(all="raise"):
        found = mean_of([[0.0, 0.0], [0.0, 0.5]], Spread(np.ones((2, 2)), np.zeros(2), 1.0))
    assert np.isnan(found.mean[0]) and np.isinf(found.mean[1]) and not found.reliable.any()


def test_clipped_mean_is_possible():
    estimate = np.array([[0.5, 0.5, -0.1, 0.001, 1.5], [0.2, -0.7, 0.004, -0.004, 1.2]])
    expected = [0.4, -1.0, 0.4, -0.4, 1.0]
    assert clipped_mean(estimate, 100) == pytest.approx(expected)
    assert clipped_mean(np.stack([estimate] * 3), 100).shape == (3, 5)
    with pytest.raises(ValueError, match="n must be an integer, at least 1, got 0"):
        clipped_mean(estimate, 0)


# ----------------------------------------------------------------------------------------- what PrivKV(M) prints


def answers(client, record):
    """Expected signed answer and expected number of signs of one person, exact."""
    found = law(lambda rng: client(record, rng)["state"][0])
    return sum((y - 1) * p for y, p in found.items()), sum((y != 1) * p for y, p in found.items())


def printed_limit(mechanism, client, f, record):
    """Limit of the printed mean of many people, of whom a share f has this record and the others have nothing."""
    (signs, told), (fake_signs, fakes) = answers(client, record), answers(client, Records.of({}, {0: 0.0})[:1])
    total = f * told + (1 - f) * fakes
    return float((f * signs + (1 - f) * fake_signs) / total / (2 * mechanism.p2 - 1))


def test_printed_mean_is_what_was_printed():
    """(n*₊ − n*₋)/N₁ is (n₊ − n₋) / [N₁ (2p₂−1)], clipped to [−1, 1]."""
    mechanism = PrivKV(d=5, key_epsilon=1.0, value_epsilon=1.0)
    counts = np.array([[0, 7, 0], [3, 1, 4], [9, 0, 1], [0, 0, 9], [40, 9, 50]])
    minus, plus = counts[:, 0], counts[:, 2]
    tilt = float(2 * mechanism.p2 - 1)
    expected = np.clip((plus - minus) / np.maximum(plus + minus, 1) / tilt, -1, 1)
    assert Counter(np.abs(expected) == 1) == {True: 2, False: 3}
    found = mechanism.printed_mean(Tally(mechanism, 200, np.stack([counts] * 2)))
    assert found == pytest.approx(np.stack([expected] * 2))


@pytest.mark.parametrize("f, m", [(0.2, 0.6), (0.9, -1.0), (1.0, 0.5)])
@pytest.mark.parametrize("e1", [0.5, 2.0])
def test_bias_of_every_round_follows_from_the_client(f, m, e1):
    """Limits from the client's own law: round 1, then E m_r = f m + (1−f) m_{r−1}."""
    mechanism = PrivKV(d=1, key_epsilon=e1, value_epsilon=0.7)
    record = Records.of({0: m})
    limit = printed_limit(mechanism, lambda x, rng: mechanism.perturb(x, rng=rng), f, record)
    p = float(mechanism.p1)
    assert limit == pytest.approx(f * p * m / (f * p + (1 - f) * (1 - p)))
    for rounds in (1, 2, 3):
        assert limit - m == pytest.approx(privkvm_bias(f, m, e1, rounds), abs=1e-12)
        fake = np.array([limit])
        limit = printed_limit(mechanism, lambda x, rng, fake=fake: mechanism.follow_up(x, fake, rng=rng), f, record)
        assert limit == pytest.approx(f * m + (1 - f) * fake[0])


def transcript(mechanism, fakes):
    """Client of all rounds, for given public means."""

    def client(record, rng):
        later = [mechanism.follow_up(record, np.array(fake), rng=rng)[0] for fake in fakes]
        return (mechanism.perturb(record, rng=rng)[0], *later)

    return client


@pytest.mark.parametrize("e1, e2", [(0.5, 0.5), (0.1, 2.0), (2.0, 1.0)])
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_transcript_spends_the_stated_epsilon(e1, e2, rounds):
    mechanism = PrivKV(d=1, key_epsilon=e1, value_epsilon=e2 / rounds)
    inputs = [ONE[i : i + 1] for i in range(3)]
    worst = max(
        (
            verify.worst(verify.laws(transcript(mechanism, [[x] for x in fakes]), inputs))
            for fakes in product([-1.0, 0.0, 1.0], repeat=rounds - 1)
        ),
        key=lambda found: found.ratio,
    )
    stated = privkvm_epsilon(e1, e2, rounds)
    assert worst.ratio <= odds(stated) and worst.epsilon == pytest.approx(stated, rel=1e-12)
    share = e2 / rounds
    assert stated == pytest.approx(max(e2, e1 + log(2 / (1 + exp(-share))) + (rounds - 1) * share), rel=1e-12)
    assert stated < e1 + e2
    whole = replace(mechanism, value_epsilon=e2)  # the control spends ε₂ in every round
    control = verify.epsilon(verify.laws(transcript(whole, [[-1.0]] * (rounds - 1)), inputs))
    assert (control > stated + 0.1) == (rounds > 1)


def test_transcript_over_several_keys_spends_no_more():
    mechanism = PrivKV(d=2, key_epsilon=0.5, value_epsilon=0.4)
    found = verify.epsilon(verify.laws(transcript(mechanism, [[-1.0, 1.0]]), [TWO[i : i + 1] for i in range(4)]))
    assert found == pytest.approx(privkvm_epsilon(0.5, 0.8, 2), rel=1e-12)


def test_every_key_has_its_own_fake_values():
    mechanism, fake = PrivKV(d=3, key_epsilon=1.0, value_epsilon=0.4), np.array([-1.0, 0.25, 1.0])
    found = law(lambda rng: mechanism.follow_up(Records.of({}, {0: 0.0})[:1], fake, rng=rng)[0])
    for key in range(3):
        balance = sum((state - 1) * p for (k, state), p in found.items() if k == key)
        assert float(balance) == pytest.approx(fake[key] * float(2 * mechanism.p2 - 1) / 6)  # key: 1/3, tells: 1/2


def test_rounds_stop_when_means_rest():
    values = Records.from_arrays(np.arange(20_000), np.zeros(20_000, int), np.full(20_000, 0.8), n=30_000)
    budgets = dict(d=1, key_epsilon=2.0, value_epsilon=20.0, rounds=10)
    whole = privkvm(values, **budgets, rng=np.random.default_rng(31))
    assert whole.rounds_run == 10 and whole.means.shape == (10, 1) and whole.frequency.shape == (1,)
    assert whole.frequency == pytest.approx([2 / 3], abs=0.05) and whole.means[-1] == pytest.approx([0.8], abs=0.1)
    moves = np.abs(np.diff(whole.means[:, 0]))
    for stop in (2.0, 0.02, float(moves.min()), 0.0):
        early = privkvm(values, **budgets, rng=np.random.default_rng(31), stop=stop)
        rest = np.flatnonzero(moves <= stop)
        assert early.rounds_run == (rest[0] + 2 if rest.size else 10)
        assert np.array_equal(early.means, whole.means[: early.rounds_run])


@pytest.mark.parametrize(
    "more, message",
    [
        (dict(rounds=0), "rounds must be an integer, at least 1, got 0"),
        (dict(rounds=2.0), "rounds must be an integer, at least 1, got 2.0"),
        (dict(rounds=10**7), "value_epsilon / rounds must be a finite number in .*, got"),
        (dict(stop=-0.1), "stop must be a number, at least 0, got -0.1"),
        (dict(stop=np.nan), "stop must be a number, at least 0, got nan"),
        (dict(d=0), "d must be an integer, at least 1, got 0"),
    ],
)
def test_bad_rounds_are_refused(more, message):
    arguments = dict(d=2, key_epsilon=1.0, value_epsilon=1.0, rounds=2) | more
    with pytest.raises(ValueError, match=message):
        privkvm(TWO, **arguments, rng=np.random.default_rng(0))


@pytest.mark.parametrize("fake", [[0.0], [0.0, 1.5], [0.0, np.nan], [[0.0, 0.0]], ["a", "b"]])
def test_bad_fake_means_are_refused(fake):
    with pytest.raises(ValueError, match="fake must .*, got"):
        PrivKV(**KV2).follow_up(TWO, fake, rng=np.random.default_rng(0))


@pytest.mark.parametrize("f", [-0.1, 1.1, np.nan])
def test_bias_of_impossible_shares_is_refused(f):
    with pytest.raises(ValueError, match=r"f must be (frequencies in \[0, 1\]|finite numbers), got"):
        privkvm_bias(f, 0.5, 1.0, 2)


# ----------------------------------------------------------------------------------------------------- simulation


def test_holdings_are_counted():
    values = Records.of({0: 0.5, 3: 1.0}, {0: 0.5}, {}, {3: -1.0, 0: -0.25}, {3: 1.0})
    found = holdings(values, 5)
    assert (found.n, found.d) == (5, 5)
    classes = [
        (key, value, count)
        for key in range(5)
        for value, count in zip(
            found.values[found.offsets[key] : found.offsets[key + 1]],
            found.counts[found.offsets[key] : found.offsets[key + 1]],
            strict=True,
        )
    ]
    assert classes == [(0, -0.25, 1), (0, 0.5, 2), (3, -1.0, 1), (3, 1.0, 2)]
    assert found.frequency.tolist() == [0.6, 0, 0, 0.6, 0]
    assert found.mean == pytest.approx([0.25, np.nan, np.nan, 1 / 3, np.nan], nan_ok=True)
    assert holdings(Records.of({}, {0: 1.0})[:1], 2).frequency.tolist() == [0, 0]
    assert found.sizes is None


def test_holdings_are_counted_by_size():
    values = Records.of({0: 0.5, 3: 1.0}, {0: 0.5}, {}, {3: -1.0, 0: 0.5}, {3: 1.0})
    found = holdings(values, 5, sizes=True)
    assert found.offsets.tolist() == [0, 2, 2, 2, 5, 5]
    classes = list(zip(found.values.tolist(), found.sizes.tolist(), found.counts.tolist(), strict=True))
    assert classes == [(0.5, 1, 1), (0.5, 2, 2), (-1.0, 2, 1), (1.0, 1, 1), (1.0, 2, 1)]
    plain = holdings(values, 5)
    assert np.array_equal(found.frequency, plain.frequency)
    assert np.array_equal(found.mean, plain.mean, equal_nan=True)


def people(mechanism, values):
    """What the simulation of a mechanism asks for."""
    return holdings(values, mechanism.d, sizes=isinstance(mechanism, PadAndSample))


@pytest.mark.parametrize("bad", BAD_PAIRS)
def test_holdings_of_bad_values_are_refused(bad):
    with pytest.raises(ValueError, match=r"must .*, got"):
        holdings(bad, 2)


def alone(client, key):
    """Law of one key's counts, from the law of all."""
    found = {}
    for counts, p in client.items():
        found[counts[key]] = found.get(counts[key], Fraction(0)) + p
    return found


SIMULATED = [
    (StateEncoding(d=1, epsilon=1.0), ONE),
    (StateEncoding(d=2, epsilon=0.7), TWO),
    (StateEncodingSplit(d=1, epsilon=2.0), ONE),
    (PrivKV(d=1, key_epsilon=0.5, value_epsilon=1.5), ONE),
    (PrivKV(**KV2), TWO),
    (PCKVGRR(d=1, ell=1, epsilon=1.0), ONE),
    (PCKVGRR(d=2, ell=1, epsilon=0.7), TWO),
    (PCKVGRR(d=1, ell=2, epsilon=2.0), ONE),
    (PCKVUE(d=1, ell=1, epsilon=1.0), ONE),
]


@pytest.mark.parametrize("mechanism, inputs", SIMULATED, ids=str)
@pytest.mark.parametrize("pair", [(0, 1), (2, 3), (0, 3)])
def test_simulation_has_the_law_of_two_clients(mechanism, inputs, pair):
    two = inputs[list(pair)]
    client = law(lambda rng: mechanism.tally(mechanism.perturb(two, rng=rng)).counts)
    population = people(mechanism, two)
    simulated = law(lambda rng: mechanism.simulate_marginals(population, trials=1, rng=rng).counts[0])
    for key in range(mechanism.d):
        assert total_variation(alone(simulated, key), alone(client, key)) <= 2.0**-48


def cells(mechanism, values):
    """Law of the cell of each key that one person's report is counted in."""
    one = law(lambda rng: mechanism.tally(mechanism.perturb(values, rng=rng)).counts)
    return [alone(one, key) for key in range(mechanism.d)]


@pytest.mark.parametrize("mechanism", [PCKVUE(d=2, ell=1, epsilon=1.0), PCKVUE(d=2, ell=2, epsilon=0.5)], ids=str)
@pytest.mark.parametrize("pair", [(0, 1), (2, 3), (4, 1)])
def test_simulation_has_the_law_of_two_clients_apart(mechanism, pair):
    """Where two clients have too many branches together: their cells, each from its own law, are independent."""
    two = TWO[list(pair)]
    population = people(mechanism, two)
    simulated = law(lambda rng: mechanism.simulate_marginals(population, trials=1, rng=rng).counts[0])
    for key, (one, other) in enumerate(zip(*(cells(mechanism, two[[i]]) for i in range(2)), strict=True)):
        client = {}
        for (x, p), (y, q) in product(one.items(), other.items()):
            both = tuple(a + b for a, b in zip(x, y, strict=True))
            client[both] = client.get(both, Fraction(0)) + p * q
        assert total_variation(alone(simulated, key), client) <= 2.0**-48


THIRD = [
    StateEncoding(d=3, epsilon=1.0),
    StateEncodingSplit(d=3, epsilon=2.0),
    PrivKV(**KV2 | {"d": 3}),
    PCKVGRR(d=3, ell=2, epsilon=2.0),
    PCKVUE(d=3, ell=1, epsilon=2.0),
]


@pytest.mark.parametrize("mechanism", THIRD, ids=str)
def test_simulation_has_the_law_of_many_clients(mechanism):
    values, trials, rng = crowd(60, 3), 2000, np.random.default_rng(41)
    population = people(mechanism, values)
    client = np.stack([mechanism.tally(mechanism.perturb(values, rng=rng)).counts for _ in range(trials)])
    tally = mechanism.simulate_marginals(population, trials=trials, rng=rng)
    assert tally.n == 60 and tally.counts.shape == (trials, 3, 3) and tally.counts.dtype == np.int64
    other = replace(population, values=np.ones_like(population.values))  # the control has other people
    control = mechanism.simulate_marginals(other, trials=trials, rng=rng).counts
    p = np.array([[compare(client[:, k], c[:, k]) for k in range(3)] for c in (tally.counts, control)])
    assert p[0].min() > FALSE_ALARM > p[1].min()


def compare(a, b):
    """P-value of two samples of counts having one law, by the cells (n₋, n₊)."""
    cells, at = np.unique(np.concatenate([a, b])[:, [0, 2]], axis=0, return_inverse=True)
    one, two = (np.bincount(x, minlength=len(cells)) for x in np.split(at.ravel(), 2))
    common = one + two >= 10
    table = np.array([[*x[common], x[~common].sum()] for x in (one, two)], float)
    both = np.maximum(table.sum(0) / 2, 1e-9)
    return chi2.sf(((table - both) ** 2 / both).sum(), common.sum())


@pytest.mark.parametrize("people", [(0,), (3,), (2,), (0, 3)])
def test_simulated_rounds_have_the_law_of_clients(people):
    """Two rounds: the second depends on what the first one printed."""
    values, budgets = ONE[list(people)], dict(key_epsilon=0.5, value_epsilon=1.0, rounds=2)

    def client(rng):
        found = privkvm(values, d=1, **budgets, rng=rng)
        return found.frequency, found.means

    def simulated(rng):
        found = privkvm_marginals(holdings(values, 1), **budgets, trials=1, rng=rng)
        return found.frequency[0], found.means[0]

    assert total_variation(law(client), law(simulated)) <= 2.0**-48


def test_simulated_rounds_go_their_own_way():
    """Trials have fake means of their own: rounds follow E m_r = f m + (1−f) m_{r−1} trial by trial."""
    population = holdings(crowd(20_000, 3), 3)
    found = privkvm_marginals(
        population, key_epsilon=1.0, value_epsilon=6.0, rounds=3, trials=400, rng=np.random.default_rng(43)
    )
    assert found.frequency.shape == (400, 3) and found.means.shape == (400, 3, 3) and found.rounds_run == 3
    f, m = population.frequency, population.mean
    for r in (1, 2):
        left = found.means[:, r] - (f * m + (1 - f) * found.means[:, r - 1])
        sd = left.std(0)
        assert np.all(np.abs(left.mean(0)) < 6.5 * sd / 20)
        moves = (found.means[:, r - 1] - found.means[:, r - 1].mean(0)) * (1 - f)
        assert np.all(sd[:2] < 0.999 * np.std(left + moves, 0)[:2])


@pytest.mark.parametrize("mechanism", THIRD, ids=str)
def test_bad_simulations_are_refused(mechanism):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="population must have d = 3 keys, got 2"):
        mechanism.simulate_marginals(holdings(TWO, 2, sizes=True), trials=1, rng=rng)
    with pytest.raises(ValueError, match="trials must be an integer, at least 1, got 0"):
        mechanism.simulate_marginals(holdings(THREE, 3, sizes=True), trials=0, rng=rng)


@pytest.mark.parametrize("mechanism", [m for m in THIRD if isinstance(m, PadAndSample)], ids=str)
def test_sampling_from_records_of_unknown_size_is_not_simulated(mechanism):
    with pytest.raises(ValueError, match="population must have sizes, .*, got none"):
        mechanism.simulate_marginals(holdings(THREE, 3), trials=1, rng=np.random.default_rng(0))


@pytest.mark.parametrize("mechanism", [StateEncoding(d=3, epsilon=1.0), PCKVGRR(d=3, ell=1, epsilon=1.0)], ids=str)
def test_simulation_in_blocks_has_the_same_law(mechanism, monkeypatch):
    """Blocks bound the memory; without sizes, not even the draws depend on them."""
    population, draw = people(mechanism, crowd(60, 3)), mechanism.simulate_marginals
    whole = draw(population, trials=2000, rng=np.random.default_rng(44)).counts
    monkeypatch.setattr(ternary, "BLOCK", 7 * len(population.values))
    parts = draw(population, trials=2000, rng=np.random.default_rng(44)).counts
    assert np.array_equal(whole, parts) == (population.sizes is None)
    assert min(compare(whole[:, k], parts[:, k]) for k in range(3)) > FALSE_ALARM


# ------------------------------------------------------------------------------------------------- other promises


def crowd(n, d):
    """Records of 0 to d keys, rare keys and frequent ones, values anywhere in [−1, 1]."""
    rng = np.random.default_rng(12)
    user, key = np.nonzero(rng.random((n, d)) < np.linspace(0.02, 0.9, d))
    return Records.from_arrays(user, key, rng.uniform(-1, 1, len(key)) * rng.integers(2, size=len(key)), n=n)


CROWDED = [
    StateEncoding(d=8, epsilon=1.0),
    StateEncodingSplit(d=8, epsilon=4.0),
    PrivKV(d=8, key_epsilon=1.0, value_epsilon=1.0),
    PCKVGRR(d=8, ell=3, epsilon=1.0),
    PCKVUE(d=8, ell=3, epsilon=1.0),
]


@pytest.mark.parametrize("mechanism", CROWDED, ids=str)
def test_mixed_population_is_estimated(mechanism):
    """Many records are longer than ℓ; the control forgets the answers that said nothing."""
    values = crowd(4000, 8)
    sd = np.sqrt(mechanism.variance(values).sum(0)) / len(values)
    tally = mechanism.tally(mechanism.perturb(values, rng=np.random.default_rng(13)))
    wrong = Tally(mechanism, tally.n, tally.counts * np.array([1, 0, 1]))
    z, control = (np.abs(mechanism.estimate(t) - mechanism.expected(values).mean(0)) / sd for t in (tally, wrong))
    assert z.max() < 6.7 < control.max()


@pytest.mark.parametrize("d, bits", [(1, 2), (2, 4), (3, 5), (5, 8), (6, 10)])
def test_report_of_all_keys_has_no_bit_too_many(d, bits):
    assert StateEncodingSplit(d=d, epsilon=1.0).report_bits == bits


def test_noise_of_rare_keys():
    """With Z = ℓ(e−1) + 2(d+ℓ): 2de/(e−1)², 2d(e+2)/(e−1)² for SE; 2(Z−2)/(e−1)², 2Z/(e−1)² for PCKV-GRR.

    2d(e+1)/(e−1)², 2d(e+3)/(e−1)² for PrivKV at exactly ε; 8ℓ²(e+1)/(e−1)², 8ℓ²(e+1)²/[(e+3)(e−1)²] for PCKV-UE.
    """
    nobody, e = Records.of({}, {}), exp(1.0)
    se, pckv = (
        StateEncoding(d=5, epsilon=1.0).variance(nobody)[0, :, 0],
        PCKVGRR(d=5, ell=3, epsilon=1.0).variance(nobody)[0, :, 0],
    )
    assert se == pytest.approx(5 * np.array([2 * e, 2 * (e + 2)]) / (e - 1) ** 2)
    tight = PrivKV.tight_split(5, 1.0).variance(nobody)[0, :, 0]
    assert tight == pytest.approx(5 * 2 * np.array([e + 1, e + 3]) / (e - 1) ** 2)
    assert pckv == pytest.approx(2 * (3 * (e - 1) + 16 + np.array([-2, 0])) / (e - 1) ** 2)
    vector = PCKVUE(d=5, ell=3, epsilon=1.0).variance(nobody)[0, :, 0]
    assert vector == pytest.approx(72 * (e + 1) * np.array([1, (e + 1) / (e + 3)]) / (e - 1) ** 2)


@pytest.mark.parametrize("v", [-1.0, -0.25, 0.0, 1 / 3, 2.0**-52, 1 - 2.0**-52, 1.0])
def test_discretised_value_has_its_mean(v):
    mean = sum(sign * p for (sign,), p in law(lambda rng: discretise([v], rng)).items())
    assert mean == v if v * 2**52 % 1 == 0 else abs(float(mean) - v) <= 2.0**-52


@pytest.mark.parametrize("values", [[1.5], [np.nan], ["a"], [True], 0.5, [[0.5]]])
def test_only_values_from_minus_one_to_one_are_discretised(values):
    with pytest.raises(ValueError, match=r"must be|must have"):
        discretise(values, np.random.default_rng(0))


@pytest.mark.parametrize(
    "make",
    [
        StateEncoding,
        StateEncodingSplit,
        lambda d, epsilon: PrivKV(d=d, key_epsilon=epsilon, value_epsilon=epsilon),
        lambda **more: PCKVGRR(ell=2, **more),
        lambda **more: PCKVUE(ell=2, **more),
    ],
)
@pytest.mark.parametrize("d", [0, -3, 2.5, "4", None, True])
def test_bad_number_of_keys_is_refused(make, d):
    with pytest.raises(ValueError, match="d must be an integer, at least 1, got"):
        make(d=d, epsilon=1.0)


@pytest.mark.parametrize("make", [PCKVGRR, PCKVUE])
@pytest.mark.parametrize("ell", [0, -3, 2.5, "4", None, True])
def test_bad_padding_length_is_refused(make, ell):
    with pytest.raises(ValueError, match="ell must be an integer, at least 1, got"):
        make(d=3, ell=ell, epsilon=1.0)


# ----------------------------------------------------------------------- divided by the number who were asked


@pytest.mark.parametrize(
    "mechanism", [StateEncoding(d=2, epsilon=1.0), PrivKV(d=2, key_epsilon=1.0, value_epsilon=2.0)], ids=str
)
def test_estimates_of_those_who_were_asked_are_unbiased_and_scatter_as_stated(mechanism):
    """Exactly, given how many were asked; three people, of whom two hold key 0 with values of both signs."""
    people = Records.of({0: 1.0, 1: 0.5}, {0: -1.0}, {1: 1.0})
    held, values = np.array([1.0, 1.0, 0.0]), np.array([1.0, -1.0, 0.0])
    truth = np.array([held.mean(), values.mean()])
    given: dict = {}
    for counts, p in law(lambda rng: mechanism.tally(mechanism.perturb(people, rng=rng)).counts).items():
        tally = Tally(mechanism, 3, np.array(counts))
        asked = tally.counts.sum(-1)
        if asked.all():
            given.setdefault(int(asked[0]), []).append((float(p), mechanism.of_asked(tally)[0][:, 0]))
    assert sorted(given) == [1, 2]
    moments = np.array([[x.mean()] for x in (held, values, held**2, values**2, held * values)])
    for asked, found in given.items():
        p, x = np.array([p for p, _ in found]), np.stack([x for _, x in found])
        p = p / p.sum()
        np.testing.assert_allclose(p @ x, truth, rtol=1e-12, atol=1e-15)
        stated = mechanism._given(moments, np.array([asked]), 3)
        np.testing.assert_allclose(p @ np.square(x - truth), stated.variance[:, 0], rtol=1e-12)
        np.testing.assert_allclose(p @ np.prod(x - truth, 1), stated.covariance[0], rtol=1e-12, atol=1e-15)
        # control: as if those who were asked were drawn with replacement, from many
        many = mechanism._given(moments, np.array([asked]), 10**9)
        assert (asked == 1) == np.allclose(many.variance, stated.variance)


def test_the_linear_estimate_pays_for_the_draw_of_questions():
    """With ten keys, of frequencies from .25 to .6, at ε = 5: 1.8 times the variance, by formulas and with clients."""
    mechanism, n = StateEncoding(d=10, epsilon=5.0), 2000
    f = np.linspace(0.25, 0.6, 10)
    moments = np.stack([f, 0 * f, f, f, 0 * f])
    linear = mechanism._spread(moments, n).variance[0]
    quotient = mechanism._given(moments, np.full(10, n // 10), n).variance[0]
    stated = np.mean(linear) / np.mean(quotient)
    assert stated == pytest.approx(1.79, abs=0.01)
    rng = np.random.default_rng(5)
    held = np.random.default_rng(0).random((n, 10)) < f
    user, key = np.nonzero(held)
    people = Records(np.concatenate([[0], np.cumsum(held.sum(1))]), key, np.ones(len(key)))
    tallies = [mechanism.tally(mechanism.perturb(people, rng=rng)) for _ in range(400)]
    errors = [np.stack([each(t)[0] for t in tallies]) - held.mean(0) for each in (
        mechanism.estimate, lambda t: mechanism.of_asked(t)[0])]  # fmt: skip
    ratio = np.square(errors[0]).mean() / np.square(errors[1]).mean()
    assert ratio == pytest.approx(stated, rel=0.18)  # 4,000 squares each: a relative standard error of 3 %


def test_nobody_asked_about_a_key_is_refused():
    mechanism = StateEncoding(d=2, epsilon=1.0)
    with pytest.raises(ValueError, match=r"one person about each entry, got 0 about entry \(0, 1\): collect more"):
        mechanism.of_asked(Tally(mechanism, 3, np.array([[1, 1, 1], [0, 0, 0]])))
