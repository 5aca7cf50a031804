from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import log, nextafter

import numpy as np
import pytest
from contract import Contract

from ldpnb import chance
from ldpnb.attributes.bitflip import BitFlip, BloomFlip, flip_for
from ldpnb.attributes.records import every_record
from ldpnb.chance import bernoulli, log_up, odds, round_up, toss
from ldpnb.core import Example
from ldpnb.verify import epsilon, laws, same_law, worst


def records(mechanism):
    return every_record(mechanism.sizes)


class TestBitFlip(Contract):
    cases = [
        Example(BitFlip(sizes=(2, 2), f=0.5), every_record((2, 2))),
        Example(BitFlip(sizes=(2, 3), f=0.5), every_record((2, 3))),
        *BitFlip.example(),
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

    def expected(self, values):
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
        getattr(Contract(), caught_by)(Example(mechanism, records(mechanism)))


@pytest.mark.parametrize("f", [0, 1, -0.1, 1.5, float("nan"), "0.5", None, True, 1 - 2.0**-53])
def test_bad_flip_is_refused(f):
    with pytest.raises(ValueError, match="f must be .*, got"):
        BitFlip(sizes=(2, 2), f=f)


@pytest.mark.parametrize("sizes", [(), 2, "22", (1, 2), (2.0, 2), (2, None), (True, 2)])
def test_bad_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match="sizes must be .*, got"):
        BitFlip(sizes=sizes, f=0.5)


# ------------------------------------------------------------------------------------------------- Bloom filters


class TestBloomFlip(Contract):
    cases = [
        Example(BloomFlip(sizes=(3,), f=0.5, bits=4, hashes=2, seed=0), every_record((3,))),
        *BloomFlip.example(),
    ]
    bad_values = [[[3]], [[-1]], [[0, 0]], [0], [[0.5]], [["a"]]]
    bad_reports = [np.zeros((2, 4)), np.zeros((2, 3), bool), np.zeros(4, bool), "abcd"]


@pytest.mark.parametrize(
    "sizes, bits, hashes, seed, distances",
    [
        ((3,), 4, 2, 0, [4]),
        ((3,), 4, 2, 1, [2]),
        ((3,), 4, 2, 3, [3]),
        ((3,), 4, 2, 12, [4]),
        ((2, 3), 4, 2, 5, [2, 3]),
    ],
)
def test_epsilon_of_filters_follows_the_distance_there_is(sizes, bits, hashes, seed, distances):
    """Read off all laws; 2h bits an attribute would be too much where filters overlap."""
    mechanism = BloomFlip(sizes=sizes, f=0.5, bits=bits, hashes=hashes, seed=seed)
    everybody, r = records(mechanism), log(3)
    assert mechanism.distance == sum(distances)
    found = laws(mechanism, everybody)
    assert epsilon(found) == pytest.approx(sum(distances) * r, rel=1e-12)
    assert mechanism.epsilon == pytest.approx(sum(distances) * r, rel=1e-12)
    one = max(
        epsilon([found[i], found[j]])
        for i, j in combinations(range(len(everybody)), 2)
        if (everybody[i] != everybody[j]).sum() == 1
    )
    assert one == pytest.approx(max(distances) * r, rel=1e-12)
    assert mechanism.attribute_epsilon == pytest.approx(max(distances) * r, rel=1e-12)


def test_filters_estimate_shares_without_bias_where_codes_are_independent():
    client = BloomFlip(sizes=(2, 3), f=0.8, bits=4, hashes=2, seed=5)
    one_hot = BitFlip(sizes=(2, 3), f=0.8).expected(records(client))
    np.testing.assert_allclose(client.expected(records(client)), one_hot, atol=1e-12)
    dependent = BloomFlip(sizes=(5,), f=0.3, bits=4, hashes=2, seed=20)
    assert np.abs(dependent.expected(records(dependent)) - np.eye(5)[records(dependent)[:, 0]]).max() > 0.1


def test_filters_are_fixed_and_public():
    mechanism = BloomFlip(sizes=(2, 3), f=0.5, bits=4, hashes=2, seed=0)
    assert [code.astype(int).tolist() for code in mechanism.codes] == [
        [[1, 0, 1, 0], [0, 1, 0, 1]],
        [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]],
    ]
    with pytest.raises(ValueError, match="seed must be one under which values have codes of their own, got 2"):
        BloomFlip(sizes=(2, 3), f=0.5, bits=4, hashes=2, seed=2)
    for bad in ({"bits": 0}, {"hashes": 0}, {"seed": -1}, {"bits": 2.5}, {"f": 1}, {"sizes": (1,)}):
        with pytest.raises(ValueError, match=f"{next(iter(bad))} must be .*, got"):
            BloomFlip(**({"sizes": (2,), "f": 0.5, "bits": 4, "hashes": 2} | bad))


@pytest.mark.parametrize("epsilon, d, f", [(1, 15, 0.98333), (2, 16, 0.96876), (4, 24, 0.9584), (8, 15, 0.8675)])
def test_f_for_an_epsilon(epsilon, d, f):
    found = flip_for(epsilon, 2 * d)
    assert found == pytest.approx(f, abs=5e-5)
    mechanism = BitFlip(sizes=(2,) * d, f=found)
    assert epsilon * (1 - 1e-13) <= mechanism.epsilon <= epsilon
    assert BitFlip(sizes=(2,) * d, f=flip_for(epsilon, 2)).attribute_epsilon == pytest.approx(epsilon, rel=1e-13)


@pytest.mark.parametrize("f", [1e-4, 0.1, 0.3, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("d", [1, 3, 16])
def test_f_and_epsilon_are_inverse(f, d):
    assert flip_for(BitFlip(sizes=(2,) * d, f=f).epsilon, 2 * d) == pytest.approx(f, rel=1e-12)


@pytest.mark.parametrize("bad", [(0, 2), (-1, 2), ("1", 2), (True, 2), (float("nan"), 2), (73, 2), (1, 0), (1, 1.5)])
def test_bad_epsilon_for_f_is_refused(bad):
    with pytest.raises(ValueError, match="must be .*, got"):
        flip_for(*bad)


def test_influence_is_about_one_value_unless_said_otherwise():
    mechanism = BloomFlip(sizes=(2, 3), f=0.5, bits=4, hashes=1)
    assert mechanism.influence() == mechanism.influence(1) < mechanism.influence(2)
