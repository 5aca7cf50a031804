"""The fuzzer of `make fuzz` finds nothing in the package, and what is planted in it."""

import fuzz
import numpy as np
import plain
import pytest
from mechanisms import CATALOGUE

from ldpnb.oracles import GRR, OUE, HadamardBit
from ldpnb.sets.sampling import SampledSUE
from ldpnb.strings.rappor import RAPPOR

FILTERS = RAPPOR(bits=3, hashes=1, cohorts=2, f=0.5, p=0.25, q=0.75)
BITS = [OUE(k=3, epsilon=1.0), SampledSUE(d=3, ell=1, epsilon=1.0), HadamardBit(k=3, epsilon=1.0), FILTERS]


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_nothing_is_found(name):
    found = fuzz.run(0, 0, [name], least=2)
    assert not found, found
    assert found.done[name]["rounds"] == 2 and found.done[name]["inputs"] == 8


def test_every_mechanism_has_a_turn_however_short_the_time_is(monkeypatch):
    played = []
    monkeypatch.setattr(fuzz, "play", lambda name, seed, number, found: played.append((name, number)))
    fuzz.run(0, 0)
    assert played == [(name, 0) for name in sorted(CATALOGUE)]


def test_a_round_depends_on_nothing_else():
    runs = [fuzz.run(0, 7, names, least=2) for names in (["GRR"], ["Wheel", "GRR"])]
    assert runs[0].done["GRR"] == runs[1].done["GRR"]


def test_a_mechanism_without_a_plain_count_is_named(monkeypatch):
    monkeypatch.delitem(plain.COUNTS, "GRR")
    with pytest.raises(LookupError, match="GRR has no plain count"):
        fuzz.run(0, 0, ["GRR"])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda self, reports: 2 * np.bincount(reports, minlength=self.k),
        lambda self, reports: np.bincount(reports[:-1], minlength=self.k),  # of two parts, two are lost
        lambda self, reports: np.bincount(self.k - 1 - reports, minlength=self.k),
        lambda self, reports: np.bincount(reports, minlength=self.k)[:, None],
        lambda self, reports: 1 // 0,
    ],
)
def test_a_planted_wrong_count_is_found(monkeypatch, capsys, wrong):
    monkeypatch.setattr(GRR, "_count", wrong)
    assert fuzz.main(["--seconds", "0", "--seed", "1", "--only", "GRR"]) == 1
    assert "--seed 1 --only 'GRR' --round 0: " in capsys.readouterr().out
    assert fuzz.main(["--seed", "1", "--only", "GRR", "--round", "0"]) == 1


def test_a_planted_lax_check_is_found(monkeypatch):
    monkeypatch.setattr(GRR, "_reports", lambda self, reports: np.asarray(reports, np.int64).clip(0, self.k - 1))
    assert fuzz.run(0, 0, ["GRR"], least=3)


def sent(mechanism):
    """Five reports, the candidates, and the bits of the reports, to write into."""
    items = (["a"],) if mechanism is FILTERS else ()
    entry = CATALOGUE[type(mechanism).__name__]
    honest = mechanism.perturb(entry.people(mechanism, 5, np.random.default_rng(0)), rng=np.random.default_rng(1))
    bits = next((honest[name] for name in ("bit", "bits") if name in (honest.dtype.names or ())), honest)
    return honest, items, bits


@pytest.mark.parametrize("byte", [2, 255])
@pytest.mark.parametrize("mechanism", BITS, ids=lambda m: type(m).__name__)
def test_a_bool_that_is_another_byte_than_0_or_1_is_refused(mechanism, byte):
    honest, items, bits = sent(mechanism)
    expected, done = plain.plain_of(mechanism, *items), fuzz.Counter()

    def complaints():  # however the reports are cut into blocks: of some, save looks at other reports than these
        cuts = map(np.random.default_rng, range(4))
        return [x for rng in cuts for x in fuzz.compare(mechanism, items, expected, honest, honest, rng, done)]

    assert complaints() == [] and done["refused"] == 0
    bits.view(np.uint8)[-1, ...] = byte
    assert complaints() == [] and done["refused"] == 4


def test_a_plain_count_refuses_such_a_byte():
    for mechanism in BITS:
        honest, items, bits = sent(mechanism)
        expected = plain.plain_of(mechanism, *items)
        assert expected.count(plain.decoded(honest)) is not None
        bits.view(np.uint8)[-1, ...] = 2
        assert expected.count(plain.decoded(honest)) is None
