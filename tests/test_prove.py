"""For every ε at once: what `prove` shows of the package's clients, what it refutes, and what it will not answer."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import certificate
import numpy as np
import pytest

from ldpnb.attributes.bitflip import BitFlip, flip_for
from ldpnb.chance import odds, pick, round_down, round_up, toss
from ldpnb.formula import Budget, Field
from ldpnb.keyvalue import PrivKV
from ldpnb.numbers import MeanEst, TwoPoint
from ldpnb.oracles import GRR, OLH, OUE, PCE, SUE, SubsetSelection
from ldpnb.serve import catalogue
from ldpnb.verify import prove

K = 4
SMALL = [GRR(k=3, epsilon=1.0), OUE(k=3, epsilon=1.0), SubsetSelection(k=4, epsilon=1.0, size=2)]


def krr(x, epsilon, rng, k=K, keep=None):
    """k-RR by its odds, as a stranger writes it; `keep` spoils the coin."""
    e = odds(epsilon)
    p = (e - 1) / (e + k - 1) if keep is None else keep(e)
    return x if toss(round_down(p), rng) else pick(range(k), rng)


def test_a_proof_is_a_sentence_that_names_its_sizes():
    found = prove(GRR(k=5, epsilon=1.0), np.arange(5))
    assert found.holds and found.shipped and found.tight and found.stated and not found.wrong and found.moments == 50
    assert str(found).startswith("GRR(k=5), on 5 inputs: no report tells two inputs apart by more than e^ε, for every")
    assert "as they are shipped it holds for every ε >= 1e-06" in str(found)


def test_a_plain_client_is_proved():
    found = prove(krr, range(K))
    assert found.holds and found.shipped and found.tight and found.uniform


def test_what_nobody_attains_is_the_epsilon_really_spent():
    found = prove(lambda e: PrivKV(d=1, key_epsilon=e / 2, value_epsilon=e / 2), PrivKV.example()[2].inputs)
    assert found.holds and not found.tight and str(found.ratio) == "(2x)/(√x + 1)"


MUTANTS = {
    "p and q swapped": (lambda x, e, rng: krr(x, e, rng) if toss(1 / (odds(e) + 1), rng) else x, None),
    "2ε for ε": (lambda x, e, rng: x if toss(odds(e) ** 2 / (odds(e) ** 2 + 1), rng) else 1 - x, "x^2"),
    "k - 2 for k - 1": (lambda x, e, rng: krr(x, e, rng, keep=lambda x: (x - 1) / (x + K - 2)), "(4x - 1)/(3)"),
    "truth not left out": (lambda x, e, rng: krr(x, e, rng, keep=lambda x: x / (x + K - 1)), "(4x + 3)/(3)"),
    "truth not in the draw": (
        lambda x, e, rng: (
            x
            if toss((odds(e) - 1) / (odds(e) + K - 1), rng)
            else pick([v for v in range(K) if v != x], rng)
        ),
        None,
    ),
    "a coin once too few": (
        lambda x, e, rng: (toss(odds(e) / (odds(e) + 1), rng) if x == 0 else False, x == 1),
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_refuted_by_a_formula(name):
    client, ratio = MUTANTS[name]
    found = prove(client, range(2))
    assert found.holds is False and "is refuted" in str(found)
    assert ratio is None or str(found.ratio) == ratio


def test_a_refutation_says_from_which_epsilon_on():
    """Keep the truth with (x² − 1)/(…): above e^ε at once; a coin right up to e^ε = 2 only from there on."""
    assert prove(MUTANTS["2ε for ε"][0], range(2)).least == 0
    late = prove(lambda x, e, rng: x if toss(odds(e) ** 2 / (odds(e) ** 2 + 2), rng) else 1 - x, range(2))
    assert late.holds is False and str(late.ratio) == "(x^2)/(2)" and late.least == pytest.approx(np.log(2), abs=1e-15)


def test_a_coin_rounded_the_wrong_way_is_refuted_as_shipped():
    def up(x, e, rng):
        return x if toss(round_up((odds(e) - 1) / (odds(e) + K - 1)), rng) else pick(range(K), rng)

    found = prove(up, range(K))
    assert found.holds and found.shipped is False


def test_a_coin_that_nobody_rounds_is_not_claimed_as_shipped():
    found = prove(lambda x, e, rng: x if toss(odds(e) / (odds(e) + 1), rng) else 1 - x, range(2))
    assert found.holds and found.shipped is None and "shipped it is not shown" in str(found)


CACHE = {}


def cached(x, e, rng):
    p = CACHE.setdefault(x, (odds(e) - 1) / (odds(e) + K - 1))
    return krr(x, e, rng, keep=lambda _: p)


def by_exception(x, e, rng):
    try:
        return krr(x, float(e) * 2, rng)
    except TypeError:
        return krr(x, e, rng)


DEPENDS = {
    "threshold": lambda x, e, rng: krr(x, e, rng) if odds(e) < 2 else x,
    "one point": lambda x, e, rng: x if e == 0.7 else krr(x, e, rng),
    "round": lambda x, e, rng: krr(x, e, rng, k=K + round(odds(e))),
    "type": lambda x, e, rng: x if isinstance(e, float) else krr(x, e, rng),
    "exception": by_exception,
    "cache": cached,
}


@pytest.mark.parametrize("name", DEPENDS)
def test_what_depends_on_epsilon_is_never_answered(name):
    with pytest.raises((TypeError, ValueError)):
        prove(DEPENDS[name], range(K))


def test_structure_that_follows_from_epsilon_has_to_be_named():
    with pytest.raises(TypeError):
        prove(OLH(k=4, epsilon=1.0, prime=5), range(4))


@dataclass
class At(Field):
    """The same code at one point: coins are constants, computed by the same replay."""

    def __init__(self, y):
        super().__init__()
        self.e = self.e * 0 + y


@pytest.mark.parametrize("mechanism", SMALL, ids=str)
@pytest.mark.parametrize("y", [Fraction(7, 3), Fraction(101, 100)])
def test_constants_in_place_of_symbols_give_the_formulas_there(mechanism, y):
    from dataclasses import replace

    from ldpnb.verify._prove import symbolic_laws

    inputs, point = np.arange(mechanism.k), At(y)
    found = symbolic_laws(replace(mechanism, epsilon=Budget(point.e)), inputs, point).at(Fraction(5))
    assert found == prove(mechanism, inputs, moments=False).laws.at(y)
    assert found != prove(mechanism, inputs, moments=False).laws.at(y + 1)  # control


@pytest.mark.parametrize("mechanism", [*SMALL, SUE(k=3, epsilon=1.0)], ids=str)
def test_a_stranger_can_check_the_certificates(mechanism):
    found = prove(mechanism, np.arange(mechanism.k), moments=False)
    for text in (found.laws.certificate, found.rounded.certificate):
        assert certificate.check(text) >= 6
        head, last = text.rstrip().rsplit("\n", 1)
        with pytest.raises(AssertionError):
            certificate.check(f"{head}\n{last} + 1\n")


def test_a_certificate_of_what_is_refuted_is_refused():
    with pytest.raises(AssertionError, match="tells"):
        certificate.check(prove(MUTANTS["k - 2 for k - 1"][0], range(2)).laws.certificate)


# ----------------------------------------------------------------------------------------- coverage of the catalogue

PROVED = {
    **dict.fromkeys(("GRR", "SUE", "OUE", "HadamardBit", "HadamardResponse", "HarmonyFrequency"), (0, 1)),
    **{"SampledHadamardBit": (0, 2), "SampledSUE": (0, 2), "SampledGRR": (0, 2), "PrivSet": (0, 2)},
}
NO_MOMENTS = {
    "SHist": (0, 1),
    "PCKVGRR": (0, 2),
    "PCKVUE": (0, 1),
    "StateEncoding": (0, 1),
    "StateEncodingSplit": (0, 1),
}


@cache
def of(name, at):
    return prove(catalogue()[name].example()[at], moments=name in PROVED)


@pytest.mark.parametrize(
    "name, at", [(name, at) for name in (*PROVED, *NO_MOMENTS) for at in (PROVED | NO_MOMENTS)[name]]
)
def test_mechanisms_of_the_catalogue(name, at):
    found = of(name, at)
    assert found.holds and found.shipped and found.stated and found.tight and not found.wrong, str(found)


SKIPPED = {  # all others of the catalogue, and why nothing is claimed of them
    **dict.fromkeys(
        ("MatrixMechanism", "PCE", "RAPPOR", "IOH", "PairSampling", "PrivKV", "BitFlip", "BloomFlip"),
        "epsilon is no field: give a function of ε that makes one",
    ),
    **dict.fromkeys(("OLH", "SubsetSelection"), "the first example leaves its size to ε"),
    **dict.fromkeys(("MeanEst", "TwoPoint"), "variance is computed in floats: moments=False"),
    **dict.fromkeys(("HarmonyMean", "SampledHybrid", "Piecewise", "Hybrid"), "its structure follows from ε"),
    **dict.fromkeys(("Laplace", "ORR", "Unknown", "Blocks", "Wheel", "WheelKV"), "open: some step stops or is slow"),
}


def test_no_mechanism_is_forgotten():
    assert {*PROVED, *NO_MOMENTS, *SKIPPED} == set(catalogue())
    assert not {*PROVED, *NO_MOMENTS} & set(SKIPPED)


@pytest.mark.parametrize("name", [name for name in SKIPPED if not SKIPPED[name].startswith("open")])
def test_what_is_skipped_is_refused_for_its_reason(name):
    says = "field epsilon" if SKIPPED[name].startswith("epsilon") else None
    with pytest.raises(ValueError if says else TypeError, match=says):
        prove(catalogue()[name].example()[0])


MADE = {
    "SubsetSelection": (SubsetSelection(k=4, epsilon=1.0, size=2), np.arange(4)),
    "PCE": (lambda e: PCE(k=4, levels=(e,)), PCE.example()[2].inputs),
    "BitFlip": (lambda e: BitFlip(sizes=(3,), f=flip_for(e, 2)), np.array([[0], [1], [2]])),
    "MeanEst": (MeanEst(d=2, epsilon=1.0), np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])),
    "TwoPoint": (TwoPoint(epsilon=1.0), np.array([-1.0, 0.0, 1.0])),
}


@pytest.mark.parametrize("name", MADE)
def test_named_structure_and_makers_are_proved(name):
    found = prove(*MADE[name], moments=False)
    assert found.holds and found.tight and found.shipped is not False, str(found)
