"""For every ε at once: what `prove` shows of the package's clients, what it refutes, and what it will not answer."""

import json
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache, partial
from math import exp

import certificate
import numpy as np
import pytest
from built import ROOT

from ldpnb.attributes.bitflip import flip_for
from ldpnb.chance import exact, odds, pick, round_down, round_up, toss
from ldpnb.core import Example
from ldpnb.formula import Budget, Field
from ldpnb.keyvalue import PrivKV
from ldpnb.numbers import Hierarchy
from ldpnb.oracles import GRR, OLH, OUE, PCE, SUE, BlockDesign, HadamardBit, SubsetSelection
from ldpnb.oracles.personal import people
from ldpnb.serve import catalogue
from ldpnb.strings import RAPPOR
from ldpnb.verify import prove, same_law
from ldpnb.verify._prove import Items, _maker, symbolic_laws

K = 4


def mutant(kind, **methods):
    return dataclass(frozen=True, kw_only=True)(type(kind.__name__, (kind,), methods))


def said(found):
    return " ".join(str(found).split())


def krr(x, epsilon, rng, k=K, keep=None):
    """k-RR by its odds, as a stranger writes it; `keep` spoils the coin."""
    e = odds(epsilon)
    p = (e - 1) / (e + k - 1) if keep is None else keep(e)
    return x if toss(round_down(p), rng) else pick(range(k), rng)


def test_a_proof_is_a_sentence_that_names_its_sizes():
    found = prove(GRR(k=5, epsilon=1.0), np.arange(5))
    assert found.holds and found.shipped and found.tight and found.stated and not found.wrong and found.moments == 50
    assert said(found).startswith("GRR(k=5), on 5 inputs: no report tells two inputs apart by more than e^ε, for every")
    assert "to 53 bits it holds for every ε >= 1e-06" in said(found)


def test_a_plain_client_is_proved():
    found = prove(krr, range(K))
    assert found.holds and found.shipped and found.tight and found.uniform


def test_what_nobody_attains_is_the_epsilon_really_spent():
    found = prove(lambda e: PrivKV(d=1, key_epsilon=e / 2, value_epsilon=e / 2), PrivKV.example()[2].inputs)
    assert found.holds and not found.tight and str(found.ratio) == "2x/(√x + 1)"


MUTANTS = {
    "p and q swapped": (lambda x, e, rng: krr(x, e, rng) if toss(1 / (odds(e) + 1), rng) else x, None),
    "2ε for ε": (lambda x, e, rng: x if toss(odds(e) ** 2 / (odds(e) ** 2 + 1), rng) else 1 - x, "x^2"),
    "k - 2 for k - 1": (lambda x, e, rng: krr(x, e, rng, keep=lambda x: (x - 1) / (x + K - 2)), "(4x - 1)/3"),
    "truth not left out": (lambda x, e, rng: krr(x, e, rng, keep=lambda x: x / (x + K - 1)), "(4x + 3)/3"),
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
    assert found.holds is False and "is refuted" in said(found)
    assert ratio is None or str(found.ratio) == ratio


def test_a_refutation_says_from_which_epsilon_on():
    """x² is more than x at once, (x² + 2)/3 from x = 2 on, 2/x² only where x³ < 2; of several the least."""
    assert prove(MUTANTS["2ε for ε"][0], range(2)).least == 0
    late = prove(lambda x, e, rng: x if toss((odds(e) ** 2 + 2) / (odds(e) ** 2 + 5), rng) else 1 - x, range(2))
    assert late.holds is False and str(late.ratio) == "(x^2 + 2)/3"
    assert late.least == pytest.approx(np.log(2), abs=1e-15)
    early = prove(lambda x, e, rng: x if toss(odds(e) ** 2 / (odds(e) ** 2 + 2), rng) else 1 - x, range(2))
    assert early.holds is False and str(early.ratio) == "2/(x^2)" and early.least == 0


BY_ACCIDENT = {  # right formulas, or nearly, and a program that does something else
    "floats": lambda x, e, rng: x if toss(round_down(odds(e) / (odds(e) + 1.0)), rng) else 1 - x,
    "floats of arrays": lambda x, e, rng: (
        x if toss(round_down(odds(e) / (np.array([0.5, 0.5]).sum() + odds(e))), rng) else 1 - x
    ),
    "at least a tenth": lambda x, e, rng: krr(x, max(e, 0.1) if isinstance(e, float) else e, rng),
}


@pytest.mark.parametrize("name", BY_ACCIDENT)
def test_a_program_that_computes_otherwise_with_numbers_is_not_proved_as_shipped(name):
    assert not prove(BY_ACCIDENT[name], range(2)).shipped


@pytest.mark.parametrize("other", [0.7, np.float32(0.5), np.int64(1), "1", None])
def test_a_symbol_is_not_looked_up(other):
    with pytest.raises(TypeError):
        prove(lambda x, e, rng: x if e == other else krr(x, e, rng), range(2))
    with pytest.raises(TypeError):
        prove(lambda x, e, rng: krr(x, e, rng, keep={other: 0.9}.get(e)), range(2))


def test_moments_of_the_client_with_numbers_are_compared_too():
    twice = mutant(GRR, variance=lambda m, v: GRR.variance(m, v) * (2 if isinstance(m.epsilon, float) else 1))
    assert prove(twice(k=3, epsilon=1.0), range(3)).wrong


@pytest.mark.parametrize(
    "text",
    [
        "r 1\nstart 1\ntotal 1*y^-1\np 0 0 : 1*y^-1\np 0 1 : 0\np 1 0 : 0\np 1 1 : 1*y^-1\n",
        "r 1\nstart 1\ntotal 0\np 0 0 : 0\np 1 0 : 0\n",
        "r 1\nstart 1\ntotal 1\np 0 0 : 1\n",
    ],
)
def test_a_false_certificate_is_refused(text):
    with pytest.raises(ValueError):
        certificate.check(text)


def test_one_value_is_no_proof():
    with pytest.raises(ValueError, match="at least two values"):
        prove(krr, [0])


@pytest.mark.parametrize("coin", [lambda e: e / 2, lambda e: (e - 2) / e])
def test_a_coin_that_is_no_probability_at_some_epsilon_is_refused(coin):
    with pytest.raises(ValueError, match="a probability for every ε"):
        prove(lambda x, e, rng: toss(coin(odds(e)), rng), range(2))


def test_a_coin_rounded_the_wrong_way_is_refuted_as_shipped():
    def up(x, e, rng):
        return x if toss(round_up((odds(e) - 1) / (odds(e) + K - 1)), rng) else pick(range(K), rng)

    found = prove(up, range(K))
    assert found.holds and found.shipped is False


def test_a_coin_that_nobody_rounds_exceeds_e_by_its_last_digit():
    found = prove(lambda x, e, rng: x if toss(odds(e) / (odds(e) + 1), rng) else 1 - x, range(2))
    assert found.holds and found.shipped is False
    assert "it is refuted (round the coin of the likelier answer down, by ldpnb.chance.round_down)" in said(found)
    assert not found.rounded.as_shipped and prove(krr, range(2)).rounded.as_shipped


IN_NUMBERS = {  # what a newcomer writes
    "exp": lambda x, e, rng: krr(x, e, rng, keep=lambda _: 1 / (1 + exp(e))),
    "numpy": lambda x, e, rng: krr(x, e, rng, keep=lambda _: 1 / (1 + np.exp(e))),
    "power": lambda x, e, rng: krr(x, e, rng, keep=lambda _: 1 / (1 + 2.718281828459045**e)),
    "float": lambda x, e, rng: x if toss(float(1 / (1 + odds(e))), rng) else 1 - x,
    "fraction": lambda x, e, rng: x if toss(Fraction(round_down(1 / (1 + odds(e)))), rng) else 1 - x,
}


@pytest.mark.parametrize("name", IN_NUMBERS)
def test_a_client_that_computes_with_numbers_is_told_what_to_write(name):
    with pytest.raises(
        TypeError, match=r"; a proof .* from ldpnb\.chance\.odds\(epsilon\), .* exact\(p\) .* inexact\(p\)"
    ):
        prove(IN_NUMBERS[name], range(2))


OTHERWISE = {  # no coin is at fault
    "threshold": (lambda x, e, rng: krr(x, e, rng) if e > 2 else x, r"'Budget' and 'int'; ε is a symbol here: .*else"),
    "too many arguments": (lambda x, items, e, rng: items.pick(rng, x), r"positional arguments but 3 were given$"),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_no_advice_about_coins_where_no_coin_is_at_fault(name):
    client, words = OTHERWISE[name]
    with pytest.raises(TypeError, match=words):
        prove(client, range(2))


def test_a_function_of_other_arguments_is_named_with_them():
    with pytest.raises(ValueError, match=r"\(value, items, epsilon, rng\), got reply\(colour, rng\)$"):
        prove(reply, range(2))


def test_arguments_in_another_order_are_named():
    """By place, the generator would be taken for ε, and the coins be blamed."""

    def reply(value, rng, epsilon):
        return value if toss(odds(epsilon) / (1 + odds(epsilon)), rng) else 1 - value

    with pytest.raises(ValueError, match=r"\(value, epsilon, rng\) or .*, got .*reply\(value, rng, epsilon\)$"):
        prove(reply, [0, 1])


def reply(colour, rng):
    return colour


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


@pytest.mark.slow
def test_structure_that_follows_from_epsilon_is_named():
    assert prove(OLH(k=3, epsilon=1.0, prime=5), range(2), moments=False).name == "OLH(k=3, g=3, prime=5)"
    with pytest.raises(TypeError):
        prove(lambda e: OLH(k=3, epsilon=e, prime=5), range(2))


@dataclass(eq=False)
class Point(Budget):
    """ε at one point: a power of a number, whose parts are powers of it."""

    y: Fraction
    n: int
    field: Field

    @property
    def odds(self):
        return self.field.e * 0 + self.y**self.n

    def __truediv__(self, parts):
        assert self.n % parts == 0
        return Point(self.y, self.n // parts, self.field)

    def __mul__(self, times):
        return Point(self.y, self.n * times, self.field)


def test_a_certificate_of_what_is_refuted_is_refused():
    with pytest.raises(ValueError, match="tells"):
        certificate.check(prove(MUTANTS["k - 2 for k - 1"][0], range(2)).laws.certificate)


# ----------------------------------------------------------------------------------------- coverage of the catalogue

ALL = catalogue()


def small(name, *places, **fields):
    """Examples of the catalogue; the last one with other fields, where there are any."""
    found = [ALL[name].example()[at] for at in places]
    return [*found, replace(found[-1], mechanism=replace(found[-1].mechanism, **fields))] if fields else found


def made(name, at, spends):
    """An example of a mechanism whose ε is no field: a function of ε that makes one, and the inputs."""
    one = ALL[name].example()[at]
    return lambda e: replace(one.mechanism, **spends(one.mechanism, e)), one.inputs


def by_oracle(m, e):
    return {"oracle": replace(m.oracle, epsilon=e)}


def halves(m, e):
    return {"key_epsilon": e / 2, "value_epsilon": e / 2}


def flips(m, e):
    return {"f": flip_for(e, m.distance)}


def level(levels, own, k):
    return lambda e: PCE(k=k, levels=levels(e)), people(np.arange(k), np.full(k, own))


def filtered(p, q):
    return lambda e: RAPPOR(bits=2, hashes=1, cohorts=2, f=flip_for(e, 2), p=p, q=q), RAPPOR.example()[0].inputs


def by_levels(kind, k):
    return lambda epsilon: Hierarchy.of(k, epsilon, kind, widths=(1, 2), weights=(2, 1))


CASES = {
    **{name: small(name, 1, 2) for name in ("GRR", "SUE", "OUE", "HadamardBit", "HadamardResponse", "SubsetSelection")},
    **{name: small(name, 0, 1) for name in ("HarmonyFrequency", "SHist", "MeanEst", "HarmonyMean", "Piecewise")},
    **{name: small(name, 0, 1) for name in ("Laplace", "Blocks", "ORR", "Unknown", "PCKVGRR", "PCKVUE", "PrivSet")},
    **{name: small(name, 0, 1) for name in ("StateEncoding", "StateEncodingSplit")},
    **{name: small(name, 0, 2) for name in ("SampledHadamardBit", "SampledSUE", "SampledGRR")},
    "TwoPoint": small("TwoPoint", 0),
    "BlockDesign": [Example(BlockDesign(k=k, epsilon=1.0, q=2), np.arange(k)) for k in (3, 7)],
    "Hierarchy": [(by_levels(GRR, 4), np.arange(4)), (by_levels(HadamardBit, 4), np.arange(4))],
    "OLH": [Example(OLH(k=k, g=g, prime=5, epsilon=1.0), np.arange(k)) for k, g in ((2, 2), (3, 3))],
    "Wheel": small("Wheel", 0, slots=4),
    "WheelKV": small("WheelKV", 0, slots=3)[::-1],
    "IOH": [made("IOH", 0, by_oracle), made("IOH", 3, by_oracle)],
    "PairSampling": [made("PairSampling", 0, by_oracle), made("PairSampling", 2, by_oracle)],
    "DrawnAttributes": [made("DrawnAttributes", 0, by_oracle), made("DrawnAttributes", 1, by_oracle)],
    "PrivKV": [made("PrivKV", 2, halves), made("PrivKV", 0, halves)],
    "BitFlip": [made("BitFlip", 0, flips), made("BitFlip", 1, flips)],
    "BloomFlip": [made("BloomFlip", 0, flips), made("BloomFlip", 1, flips)],
    "RAPPOR": [filtered(0, 1), filtered(0.25, 0.75)],
    "PCE": [level(lambda e: (e / 2, e), 1, 3), level(lambda e: (e, e * 2), 0, 4)],
}
SKIPPED = {
    "MatrixMechanism": "its ε is a number computed from its channel, exactly: nothing is a function of ε",
    "Hybrid": "whether it mixes at all follows from ε, and is no field",
    "SampledHybrid": "how many numbers it asks about follows from ε, and is no field",
}
IN_FLOATS = {"ORR", "RAPPOR", "PCE", "Hierarchy"}  # estimates are least squares or transforms of floats: no moments
LOOSE = {"PrivKV": "2x/(√x + 1)", "RAPPOR 1": "(9x + 6√x + 1)/(x + 6√x + 9)"}  # what is really spent
LATE = {"PrivSet 1"}  # coins that are constants rounded to 2**-53 tell more than ε where that is smaller
ROWS = [(name, at) for name, some in CASES.items() for at in range(len(some))]


def given(name, at):
    one = CASES[name][at]
    return (one,) if isinstance(one, Example) else one


@cache
def of(name, at):
    return prove(*given(name, at), moments=name not in IN_FLOATS)


@pytest.mark.parametrize("name, at", ROWS)
def test_mechanisms_of_the_catalogue(name, at):
    """Privacy of ideal and of rounded coins, the ε that is stated, mean and variance of a score: for every ε."""
    found = of(name, at)
    assert found.holds and found.shipped and not found.wrong, str(found)
    assert found.moments > 0 or name in IN_FLOATS
    assert found.least == (1e-6 if f"{name} {at}" in LATE else 0)
    loose = LOOSE.get(f"{name} {at}", LOOSE.get(name))
    assert (str(found.ratio) == loose) if loose else found.tight
    assert found.stated or (name, at) == ("PCE", 1)  # which states the largest ε of all levels


@pytest.mark.slow
def test_the_page_of_all_mechanisms_says_what_is_proved():
    page = json.loads((ROOT / "book" / "proofs.json").read_text("utf-8"))
    assert page == {name: "ε" if (found := of(name, 0)).tight else f"ln[{found.ratio}]" for name in CASES}


def test_no_mechanism_is_forgotten():
    assert {*CASES} | {*SKIPPED} == {*ALL}
    assert not {*CASES} & {*SKIPPED}


@pytest.mark.parametrize("name", SKIPPED)
def test_what_is_skipped_is_refused(name):
    with pytest.raises(ValueError if name == "MatrixMechanism" else TypeError):
        prove(ALL[name].example()[0])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("y", [Fraction(7, 3), Fraction(101, 100)])
def test_constants_in_place_of_symbols_give_the_formulas_there(name, y):
    """The same replay with e^ε = y^r a number."""
    one = CASES[name][0]
    make = _maker(one.mechanism)[0] if isinstance(one, Example) else one[0]
    inputs, found = one.inputs if isinstance(one, Example) else one[1], of(name, 0).laws
    field = Field()
    laws = symbolic_laws(make(Point(y, found.field.roots, field)), inputs, field).at(Fraction(5))
    assert laws == found.at(y)
    assert laws != found.at(y + 1)  # control


@pytest.mark.parametrize("name", CASES)
def test_a_stranger_can_check_the_certificates(name):
    found = of(name, 0)
    for text in (found.laws.certificate, found.rounded.certificate):
        assert certificate.check(text) >= 2
        head, last = text.rstrip().rsplit("\n", 1)
        with pytest.raises(ValueError):
            certificate.check(f"{head}\n{last} + 1\n")


# ------------------------------------------------------------------------------------------------- every k at once


def krr_of_any_size(x, items, epsilon, rng, less=1):
    e = odds(epsilon)
    return x if toss((e - 1) / (e + items.k - less), rng) else items.pick(rng)


def unary_of_any_size(x, items, epsilon, rng, part=2):
    e = odds(epsilon / part)
    return items.each(lambda item: toss(e / (e + 1) if item == x else 1 / (e + 1), rng))


def oue_of_any_size(x, items, epsilon, rng):
    return items.each(lambda item: toss(0.5 if item == x else 1 / (odds(epsilon) + 1), rng))


@pytest.mark.parametrize(
    "client, same",
    [
        (krr_of_any_size, lambda k: GRR(k=k, epsilon=1.0)),
        (unary_of_any_size, lambda k: SUE(k=k, epsilon=1.0)),
        (oue_of_any_size, lambda k: OUE(k=k, epsilon=1.0)),
    ],
)
def test_every_k_at_once(client, same):
    """And the client for any k has the law of the package's at small ones."""
    found = prove(lambda x, items, epsilon, rng: client(x, items, epsilon, rng))
    assert found.holds and found.tight and found.uniform and found.shipped is None
    assert "for all k >= 2" in said(found)
    for k in (2, 3, 4):
        assert same_law(lambda x, rng, k=k: client(x, Items(k), 1.0, rng), same(k), range(k))
        assert not same_law(lambda x, rng, k=k: client(x, Items(k), 1.1, rng), same(k), range(k))


def test_mistakes_at_every_k_are_formulas():
    refill = prove(lambda x, items, e, rng: x if toss(odds(e) / (odds(e) + items.k - 1), rng) else items.pick(rng))
    assert refill.holds is False and str(refill.ratio) == "(x·w1 + w1 + 2x + 1)/(w1 + 1)"  # (kx + k − 1)/(k − 1)
    assert "w1 = k - 2" in said(refill)
    for_two = prove(lambda x, items, e, rng: x if toss((odds(e) - 1) / (odds(e) + 1), rng) else items.pick(rng))
    assert for_two.holds is False and str(for_two.ratio) == "(x·w1 - w1 + 2x)/2"  # right at k = 2 only
    assert prove(lambda x, items, e, rng: unary_of_any_size(x, items, e, rng, part=1)).holds is False
    assert str(prove(partial(krr_of_any_size, less=2)).ratio) == "(x·w1 + 2x - 1)/(w1 + 1)"


def test_a_client_that_looks_at_more_than_equality_is_refused():
    with pytest.raises(TypeError):
        prove(lambda x, items, e, rng: 0 if items.pick(rng) == items.pick(rng) else 1)
    with pytest.raises(TypeError):
        prove(lambda x, items, e, rng: sorted([x, items.pick(rng)]))
    with pytest.raises(ValueError, match="other items"):
        prove(lambda x, items, e, rng: items.each(lambda v: toss(0.5 if repr(x) == "a" else 0.25, rng)))
    with pytest.raises(ValueError, match="items as with any"):
        prove(lambda x, items, e, rng: x if isinstance(x, int) else items.pick(rng))


# ---------------------------------------------------------------------------------- one mistake in each mechanism


def spoilt(name, change):
    """The first case of a mechanism, changed; a function of ε and the inputs, or these and the candidates."""
    one = CASES[name][0]
    if not isinstance(one, Example):
        return lambda e: change(one[0], e), one[1]
    make = _maker(one.mechanism)[0]
    return lambda e: change(make, e), one.inputs, one.items


def run(name, change, **options):
    make, inputs, *items = spoilt(name, change)
    return prove(make, inputs, items=items[0] if items else None, **options)


def ratios(found, name, power):
    """The ratio found, and that of the right mechanism with x^power for x, at some x of which all roots exist."""
    right = of(name, 0)
    r, s = found.laws.field.roots, right.laws.field.roots
    bases = [Fraction(2), Fraction(3), Fraction(7, 5), Fraction(11, 10), Fraction(5)]
    return [(found.ratio.at(b ** (2 * s)), right.ratio.at(b ** int(2 * r * power))) for b in bases]


@pytest.mark.parametrize("name", CASES)
def test_twice_the_budget_is_refuted(name):
    found = run(name, lambda make, e: make(e * 2), moments=False)
    assert found.least == 0 and found.holds is False
    assert all(one == other for one, other in ratios(found, name, 2))


@pytest.mark.parametrize("name", CASES)
def test_half_the_budget_is_seen(name):
    found = run(name, lambda make, e: make(e / 2), moments=False, rounded=False)
    assert found.holds and not found.tight
    assert all(one == other for one, other in ratios(found, name, Fraction(1, 2)))


@pytest.mark.parametrize("name", [name for name in CASES if name not in IN_FLOATS])
def test_a_lost_sign_and_a_wrong_variance_are_refuted(name):
    def lost(make, e):
        one = make(e)
        kind = type(one)
        score = lambda self, tally: -kind._score(self, tally)  # noqa: E731
        return dataclass(frozen=True, kw_only=True)(type(kind.__name__, (kind,), {"_score": score}))(
            **{f.name: getattr(one, f.name) for f in fields(one) if f.init}
        )

    found = run(name, lost, rounded=False)
    assert found.holds and found.wrong and "are not" in said(found)


@pytest.mark.parametrize("name", CASES)
def test_coins_rounded_the_wrong_way_are_refuted_as_shipped(name, monkeypatch):
    right = Field.round
    monkeypatch.setattr(Field, "round", lambda self, p, down: right(self, p, not down))
    found = run(name, lambda make, e: make(e), moments=False)
    assert found.holds and not found.shipped


OTHERS = {
    "k − 1 for k": (
        mutant(GRR, keep=property(lambda m: round_down((odds(m.epsilon) - 1) / (odds(m.epsilon) + m.k - 2)))),
        {"k": 4},
        "(4x - 1)/3",
    ),
    "ε a bit": (mutant(SUE, support=property(lambda m: _alike(odds(m.epsilon)))), {"k": 3}, "x^2"),
    "half of q": (
        mutant(OUE, support=property(lambda m: (Fraction(1, 2), exact(round_up(1 / (2 * (odds(m.epsilon) + 1))))))),
        {"k": 3},
        "2x + 1",
    ),
    "p and q swapped": (mutant(SUE, _score=lambda m, t: _swapped(t, *m.support)), {"k": 3}, "x"),
    "weight of the set forgotten": (
        mutant(SubsetSelection, support=property(lambda m: _forgotten(m, odds(m.epsilon)))),
        {"k": 4, "size": 2},
        None,
    ),
}


def _alike(e):
    p = exact(round_down(e / (e + 1)))
    return p, 1 - p


def _swapped(tally, p, q):
    return (tally.counts / tally.n - p) / (q - p)


def _forgotten(m, e):
    p = exact(round_down(e / (e + 1)))
    return p, (m.set_size - p) / m.k


@pytest.mark.parametrize("name", OTHERS)
def test_a_wrong_formula_in_a_class_is_refuted(name):
    kind, sizes, ratio = OTHERS[name]
    found = prove(kind(epsilon=1.0, **sizes), np.arange(sizes["k"]))
    assert found.holds is False or found.wrong, str(found)
    assert ratio is None or str(found.ratio) == ratio
