from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log, nextafter

import numpy as np
import pytest
from contract import Case, Contract

from ldpnb import chance
from ldpnb.chance import bernoulli, log_up, odds, round_up, toss
from ldpnb.joint import BitFlip
from ldpnb.verify import epsilon, laws, same_law, worst


def records(mechanism):
    """All records; the first two differ in every attribute."""
    found = list(product(*(range(size) for size in mechanism.sizes)))
    return np.array(sorted(found, key=lambda r: r != tuple(size - 1 for size in mechanism.sizes)))


class TestBitFlip(Contract):
    cases = [
        Case(m, records(m), pairs=sum(m.sizes) < 6)
        for m in (
            BitFlip(sizes=(2, 2), f=0.5),
            BitFlip(sizes=(2, 3), f=0.5),
            BitFlip(sizes=(2, 3), f=0.9),
            BitFlip(sizes=(4,), f=0.1),
            BitFlip(sizes=(2, 2, 2), f=0.37),
        )
    ]
    bad_values = [
        *([[2, 0]], [[0, -1]], [[0]], [[0, 1, 0]], [0, 1], 0, [[0.5, 1]], [["a", "b"]], [[True, False]], [[None, 0]]),
        [[0, 2**63]],
    ]
    bad_reports = [np.zeros((2, 4)), np.zeros((2, 5), bool), np.zeros(4, bool), [[2, 0, 1, 0]], "abcd"]


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2), (2, 2, 2)])
@pytest.mark.parametrize("f", [0.1, 0.5, 0.9])
def test_epsilon_of_one_attribute(sizes, f):
    """Records that differ in the first attribute only; the control, records that differ in all, shows d times that."""
    mechanism = BitFlip(sizes=sizes, f=f)
    one = np.array([[0] * len(sizes), [1] + [0] * (len(sizes) - 1)])
    ratio = worst(laws(mechanism, one)).ratio
    assert ratio <= odds(mechanism.attribute_epsilon)
    assert mechanism.attribute_epsilon == pytest.approx(2 * log((1 - f / 2) / (f / 2)), rel=1e-14)
    assert epsilon(laws(mechanism, one)) == pytest.approx(mechanism.attribute_epsilon, rel=1e-13)
    whole = np.array([[0] * len(sizes), [1] * len(sizes)])
    assert epsilon(laws(mechanism, whole)) == pytest.approx(len(sizes) * mechanism.attribute_epsilon, rel=1e-13)


@pytest.mark.parametrize("f", [1e-300, 1e-9, 0.1, 1 / 3, 0.5, 0.7, 1 - 2.0**-51])
@pytest.mark.parametrize("d", [1, 2, 24])
def test_rounding_never_costs_privacy(f, d):
    mechanism = BitFlip(sizes=(2,) * d, f=f)
    assert ((1 - mechanism.flip) / mechanism.flip) ** (2 * d) <= odds(mechanism.epsilon)
    assert mechanism.realised_epsilon <= mechanism.epsilon
    if 1e-8 < f < 0.999:
        assert mechanism.realised_epsilon == pytest.approx(mechanism.epsilon, rel=1e-6)


def test_logarithms_are_stated_from_above():
    """The next float below would be too small; the control, the nearest float, is too small for some ratios."""
    ratios = [Fraction(i, j) for i in range(2, 30) for j in range(1, i)]
    for ratio in ratios:
        assert odds(nextafter(log_up(ratio), 0)) < ratio <= odds(log_up(ratio))
    assert any(odds(chance.log(ratio)) < ratio for ratio in ratios)


def test_client_is_the_one_for_one_person():
    mechanism = BitFlip(sizes=(2, 3), f=0.3)

    def client(record, rng, f=0.3):
        answer = []
        for value, size in zip(record, mechanism.sizes, strict=True):
            answer += [(value == v) != toss(f / 2, rng) for v in range(size)]
        return answer

    package = lambda record, rng: mechanism.perturb([record], rng=rng)[0]  # noqa: E731
    assert same_law(client, package, records(mechanism))
    assert not same_law(lambda record, rng: client(record, rng, f=0.31), package, records(mechanism))


# ----------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class FlipsWithF(BitFlip):
    """Flips with probability f, as the paper's name for f suggests."""

    flip = property(lambda self: Fraction(round_up(Fraction(self.f))))


@dataclass(frozen=True, kw_only=True)
class RoundedToAccuracy(BitFlip):
    """Rounds the flip probability down: too much ε by one part in 2**53."""

    flip = property(lambda self: super().flip - Fraction(1, 2**53))


@dataclass(frozen=True, kw_only=True)
class EpsilonOfOneAttribute(BitFlip):
    """States the ε of one attribute for the record."""

    epsilon = property(lambda self: self.attribute_epsilon)


@dataclass(frozen=True, kw_only=True)
class OneFlipForAll(BitFlip):
    """One pattern of flips for everybody."""

    def perturb(self, values, *, rng):
        bits = self._encode(values)
        return bits ^ bernoulli(float(self.flip), bits.shape[1:], rng)


@dataclass(frozen=True, kw_only=True)
class HalfCorrected(BitFlip):
    """Divides by 1 − φ instead of 1 − 2φ."""

    def estimate(self, tally):
        return (tally.counts / tally.n - float(self.flip)) / float(1 - self.flip)


@dataclass(frozen=True, kw_only=True)
class Overlapping(BitFlip):
    """Lets the second attribute begin one bit too early."""

    def _encode(self, values):
        bits = np.zeros((len(values), sum(self.sizes)), bool)
        bits[np.arange(len(values))[:, None], np.asarray(values) + np.arange(len(self.sizes))] = True
        return bits

    def target(self, values, items=None):
        return super()._encode(values).astype(float)


@pytest.mark.parametrize(
    "make, caught_by",
    [
        (FlipsWithF, "test_epsilon_of_the_law_is_the_stated_one"),
        (RoundedToAccuracy, "test_epsilon_of_the_law_is_the_stated_one"),
        (EpsilonOfOneAttribute, "test_epsilon_of_the_law_is_the_stated_one"),
        (OneFlipForAll, "test_people_are_independent"),
        (OneFlipForAll, "test_draws_follow_the_law"),
        (HalfCorrected, "test_estimate_is_unbiased"),
        (Overlapping, "test_estimate_is_unbiased"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_mistake_is_caught(make, caught_by):
    mechanism = make(sizes=(2, 3), f=0.4)
    with pytest.raises((AssertionError, KeyError)):
        getattr(Contract(), caught_by)(Case(mechanism, records(mechanism)))


@pytest.mark.parametrize("f", [0, 1, -0.1, 1.5, float("nan"), "0.5", None, True, 1 - 2.0**-53])
def test_bad_flip_is_refused(f):
    with pytest.raises(ValueError, match="f must be .*, got"):
        BitFlip(sizes=(2, 2), f=f)


@pytest.mark.parametrize("sizes", [(), 2, "22", (1, 2), (2.0, 2), (2, None), (True, 2)])
def test_bad_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match="sizes must be .*, got"):
        BitFlip(sizes=sizes, f=0.5)
