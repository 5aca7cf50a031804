from dataclasses import dataclass, replace
from math import exp, log

import numpy as np
import pytest
from contract import Case, Contract

from ldpnb import verify
from ldpnb.chance import bernoulli, law, odds, round_down, uniform
from ldpnb.core import Records, Tally, pad_and_sample
from ldpnb.frequency import GRR
from ldpnb.keyvalue import PCKVGRR, SE, discretise

TWO = Records.of({0: 1.0}, {0: -1.0, 1: 1.0}, {1: -0.25}, {}, {0: 0.5, 1: -1.0}, {1: 1 / 3})
THREE = Records.of(
    {0: 1.0}, {0: -1.0, 1: 0.5, 2: 1.0}, {}, {2: -0.25, 1: -1.0}, {0: 0.0}, {0: 1.0, 1: 1.0, 2: 0.1}, {2: -1.0}
)
ONE = Records.of({0: 1.0}, {0: -1.0}, {}, {0: 0.75})

BAD = [
    [{0: 1.0}],
    np.array([0, 1]),
    Records.of({0}, {1}),
    Records.of({0: 1.0}, {2: 1.0}),
    Records.of({0: 1.5}),
    Records.of({0: -1.0000001}),
    Records(np.array([0, 1]), np.array([-1]), np.array([0.0])),
    Records(np.array([0, 1]), np.array([0]), np.array([np.nan])),
]


class TestSE(Contract):
    cases = [
        Case(SE(d=2, epsilon=1.0), TWO),
        Case(SE(d=3, epsilon=0.3), THREE),
        Case(SE(d=1, epsilon=4.0), ONE),
        Case(SE(d=2, epsilon=20.0), TWO),
    ]
    bad_values = BAD
    bad_reports = [
        np.array([0, 1]),
        np.array([(2, 0)], SE(d=2, epsilon=1.0).dtype),
        np.array([(0, 3)], SE(d=2, epsilon=1.0).dtype),
        np.array([(0, -1)], SE(d=2, epsilon=1.0).dtype),
        np.array([(0, 1.0)], [("key", np.int64), ("state", float)]),
        np.array([[(0, 1)]], SE(d=2, epsilon=1.0).dtype),
    ]


class TestPCKVGRR(Contract):
    cases = [
        Case(PCKVGRR(d=2, ell=1, epsilon=1.0), TWO),
        Case(PCKVGRR(d=1, ell=2, epsilon=0.8), ONE),
        Case(PCKVGRR(d=2, ell=2, epsilon=20.0), TWO, pairs=False),
        Case(PCKVGRR(d=3, ell=2, epsilon=0.8), THREE, pairs=False),
        Case(PCKVGRR(d=3, ell=3, epsilon=3.0), THREE, pairs=False),
    ]
    bad_values = BAD
    bad_reports = [[-1], [6], [0.5], [np.nan], ["a"], [[0]], 0, [True], [None], [2**63]]


# ------------------------------------------------------------------------------------------------------ controls


@dataclass(frozen=True, kw_only=True)
class HalfBudget(SE):
    """ε/2 for ε: private, but not what was stated."""

    states = property(lambda self: GRR(k=3, epsilon=self.epsilon / 2))


@dataclass(frozen=True, kw_only=True)
class OwnKey(SE):
    """Samples its 'public' key among the keys it holds."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        keys, _ = pad_and_sample(values, self.d, 1, rng)
        reports["key"] = np.minimum(keys, self.d - 1)
        return reports


@dataclass(frozen=True, kw_only=True)
class EveryKeyAsked(SE):
    """Subtracts what absent keys contribute as if everybody had been asked about every key."""

    def estimate(self, tally):
        alpha, beta, gamma = map(float, self.answer)
        minus, _, plus = np.moveaxis(tally.counts, -1, 0)
        frequency = ((plus + minus) - 2 * gamma * tally.n) / (alpha + beta - 2 * gamma)
        return np.stack([frequency, (plus - minus) / (alpha - beta)], -2) * self.d / tally.n


@dataclass(frozen=True, kw_only=True)
class SamplingForgotten(SE):
    """Leaves the draw of the key out of its noise."""

    def noise(self, values, items=None):
        return super().noise(values) - (1 - 1 / self.d) * self.d * self.target(values) ** 2


@dataclass(frozen=True, kw_only=True)
class FractionsRounded(SE):
    """States the noise of values that are already signs."""

    def noise(self, values, items=None):
        return super().noise(Records(values.offsets, values.keys, np.where(values.values >= 0, 1.0, -1.0)))


@dataclass(frozen=True, kw_only=True)
class SharedDummy(PCKVGRR):
    """One dummy key for all padding, with a random sign."""

    cells = property(lambda self: 2 * (self.d + 1))

    def perturb(self, values, *, rng):
        keys, drawn = pad_and_sample(values, self.d, self.ell, rng)
        signed = 2 * np.minimum(keys, self.d) + (discretise(drawn, rng) > 0)
        return np.where(bernoulli(self.keep, keys.shape, rng), signed, uniform(self.cells, keys.shape, rng))


@dataclass(frozen=True, kw_only=True)
class NotAmplified(PCKVGRR):
    """Forgets that sampling pays: ε' = ε."""

    keep = property(lambda self: round_down((odds(self.epsilon) - 1) / (odds(self.epsilon) - 1 + self.cells)))


@dataclass(frozen=True, kw_only=True)
class Truncated(PCKVGRR):
    """Keeps the first ℓ pairs of long records."""

    def perturb(self, values, *, rng):
        owner = values.users
        kept = np.arange(len(values.keys)) - values.offsets[owner] < self.ell
        short = Records.from_arrays(owner[kept], values.keys[kept], values.values[kept], n=len(values))
        return super().perturb(short, rng=rng)


@dataclass(frozen=True, kw_only=True)
class ShrinkageUnsaid(PCKVGRR):
    """Claims that long records count in full."""

    def target(self, values, items=None):
        return super().target(values) * (np.maximum(values.sizes, self.ell) / self.ell)[:, None, None]


@dataclass(frozen=True, kw_only=True)
class SampledPairsGiven(PCKVGRR):
    """Takes the drawn pair for fixed: leaves the draw of one pair in ℓ out of its noise."""

    def noise(self, values, items=None):
        u, _ = self._dense(values)
        between = np.stack([u * (1 - u), np.zeros_like(u)], 1)
        return super().noise(values) - self.ell**2 * between


SE2, PCKV3 = dict(d=2, epsilon=1.0), dict(d=3, epsilon=0.8, ell=2)


@pytest.mark.parametrize(
    "mechanism, caught_by",
    [
        (HalfBudget(**SE2), "test_epsilon_of_the_law_is_the_stated_one"),
        (OwnKey(**SE2), "test_public_part_does_not_depend_on_the_value"),
        (EveryKeyAsked(**SE2), "test_estimate_is_unbiased"),
        (SamplingForgotten(**SE2), "test_noise_is_the_variance"),
        (FractionsRounded(**SE2), "test_noise_is_the_variance"),
        (replace(SharedDummy(**PCKV3), ell=3), "test_epsilon_of_the_law_is_the_stated_one"),
        (NotAmplified(**PCKV3), "test_epsilon_of_the_law_is_the_stated_one"),
        (Truncated(**PCKV3), "test_estimate_is_unbiased"),
        (ShrinkageUnsaid(**PCKV3), "test_estimate_is_unbiased"),
        (SampledPairsGiven(**PCKV3), "test_noise_is_the_variance"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_mistake_is_caught(mechanism, caught_by):
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(Case(mechanism, TWO if mechanism.d == 2 else THREE))


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


# ------------------------------------------------------------------------------------------------- other promises


def crowd(n, d):
    """Records of 0 to d keys, rare keys and frequent ones, values anywhere in [−1, 1]."""
    rng = np.random.default_rng(12)
    user, key = np.nonzero(rng.random((n, d)) < np.linspace(0.02, 0.9, d))
    return Records.from_arrays(user, key, rng.uniform(-1, 1, len(key)) * rng.integers(2, size=len(key)), n=n)


@pytest.mark.parametrize("mechanism", [SE(d=8, epsilon=1.0), PCKVGRR(d=8, ell=3, epsilon=1.0)], ids=str)
def test_mixed_population_is_estimated(mechanism):
    """Many records are longer than ℓ; the control forgets the answers that said nothing."""
    values = crowd(4000, 8)
    sd = np.sqrt(mechanism.noise(values).sum(0)) / len(values)
    tally = mechanism.tally(mechanism.perturb(values, rng=np.random.default_rng(13)))
    wrong = Tally(mechanism, tally.n, tally.counts * np.array([1, 0, 1]))
    z, control = (np.abs(mechanism.estimate(t) - mechanism.target(values).mean(0)) / sd for t in (tally, wrong))
    assert z.max() < 6.7 < control.max()


def test_noise_of_rare_keys():
    """With Z = ℓ(e−1) + 2(d+ℓ): 2de/(e−1)², 2d(e+2)/(e−1)² for SE; 2(Z−2)/(e−1)², 2Z/(e−1)² for PCKV-GRR."""
    nobody, e = Records.of({}, {}), exp(1.0)
    se, pckv = SE(d=5, epsilon=1.0).noise(nobody)[0, :, 0], PCKVGRR(d=5, ell=3, epsilon=1.0).noise(nobody)[0, :, 0]
    assert se == pytest.approx(5 * np.array([2 * e, 2 * (e + 2)]) / (e - 1) ** 2)
    assert pckv == pytest.approx(2 * (3 * (e - 1) + 16 + np.array([-2, 0])) / (e - 1) ** 2)


@pytest.mark.parametrize("v", [-1.0, -0.25, 0.0, 1 / 3, 2.0**-52, 1 - 2.0**-52, 1.0])
def test_discretised_value_has_its_mean(v):
    mean = sum(sign * p for (sign,), p in law(lambda rng: discretise([v], rng)).items())
    assert mean == v if v * 2**52 % 1 == 0 else abs(float(mean) - v) <= 2.0**-52


@pytest.mark.parametrize("values", [[1.5], [np.nan], ["a"], [True], 0.5, [[0.5]]])
def test_only_values_from_minus_one_to_one_are_discretised(values):
    with pytest.raises(ValueError, match=r"must be|must have"):
        discretise(values, np.random.default_rng(0))


@pytest.mark.parametrize("make", [SE, lambda **more: PCKVGRR(ell=2, **more)])
@pytest.mark.parametrize("d", [0, -3, 2.5, "4", None, True])
def test_bad_number_of_keys_is_refused(make, d):
    with pytest.raises(ValueError, match="d must be an integer, at least 1, got"):
        make(d=d, epsilon=1.0)


@pytest.mark.parametrize("ell", [0, -3, 2.5, "4", None, True])
def test_bad_padding_length_is_refused(ell):
    with pytest.raises(ValueError, match="ell must be an integer, at least 1, got"):
        PCKVGRR(d=3, ell=ell, epsilon=1.0)
