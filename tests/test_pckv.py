"""What PCKV alone promises; the contract and the calculus are tested with all key-value mechanisms."""

from itertools import product
from math import exp, inf, log, prod

import numpy as np
import pytest

from ldpnb import verify
from ldpnb.chance import bernoulli, law, odds, pick, toss
from ldpnb.keyvalue import pckv
from ldpnb.keyvalue.pckv import PCKVGRR, PCKVUE, stale_epsilon
from ldpnb.keyvalue.population import discretise
from ldpnb.records import Records, pad_and_sample


def every(d):
    """All records of signs."""
    states = product([None, -1.0, 1.0], repeat=d)
    return Records.of(*({k: v for k, v in enumerate(state) if v is not None} for state in states))


FEW = Records.of({}, {0: 1.0}, {0: 1.0, 1: 1.0, 2: 1.0}, {0: -1.0, 1: -1.0, 2: -1.0}, {1: -1.0, 2: 1.0})


@pytest.mark.parametrize(
    "d, ell, epsilon", [*product([1], [1, 2, 3], [0.5, 2.0]), *product([2], [1, 2, 3], [2.0]), (2, 2, 0.5), (3, 2, 0.5)]
)
def test_epsilon_is_exact_for_every_padding(d, ell, epsilon):
    """k-RR spends all of ε; vectors do, too, if a record can have ℓ pairs, and else ln[1 + d(e^ε−1)/ℓ]."""
    shape, inputs = dict(d=d, ell=ell, epsilon=epsilon), every(d) if d < 3 else FEW
    for make, spent in ((PCKVGRR, epsilon), (PCKVUE, log(1 + min(d, ell) * (exp(epsilon) - 1) / ell))):
        found = verify.epsilon(verify.laws(make(**shape), inputs))
        assert found == pytest.approx(spent, abs=1e-13)
        assert make(**shape).realised_epsilon == pytest.approx(found, rel=1e-12)


def test_dummies_of_all_cannot_tell_people_apart():
    assert PCKVUE(d=2, ell=3, epsilon=1.0).realised_epsilon == pytest.approx(0.763, abs=5e-4)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 5.0, 20.0, 32.0])
def test_vectors_have_the_published_probabilities(epsilon):
    """a = 1/2, b = 2/(e+3), p = e/(e+1); ε₂ = ln[p/(1−p)] and ε₁ + ln[2/(1+e^−ε₂)] are both below ε, and just."""
    mechanism = PCKVUE(d=3, ell=2, epsilon=epsilon)
    alpha, beta, gamma = map(float, mechanism.answer)
    e = exp(epsilon)
    assert (alpha, beta, gamma) == pytest.approx((e / (e + 1) / 2, 1 / (e + 1) / 2, 1 / (e + 3)), abs=2.0**-52)
    p, b = mechanism.keep_sign, 2 * mechanism.answer[2]
    sign, key = p / (1 - p), (1 - b) / b  # e^ε₂ and e^ε₁
    for ratio in (sign, key * 2 * sign / (1 + sign)):
        assert odds(epsilon) * (1 - exp(epsilon) * 2.0**-46) <= ratio <= odds(epsilon)


def test_a_vector_speaks_for_all_pairs_of_a_record_at_once():
    """The report that tells most is + about each pair of one record, and silent or − about all of the other."""
    inputs = Records.of({0: 1.0, 1: 1.0}, {0: -1.0, 1: -1.0}, {})
    found = verify.worst(verify.laws(PCKVUE(d=2, ell=2, epsilon=1.0), inputs))
    assert found.epsilon == pytest.approx(1.0, abs=1e-13)
    likelier, other = found.pair
    assert likelier < 2 and found.report[:2] == ((1, 1), (-1, -1))[likelier] and other != likelier


def test_people_of_all_blocks_are_independent(monkeypatch):
    monkeypatch.setattr(pckv, "BLOCK", 2)
    mechanism, inputs = PCKVUE(d=1, ell=1, epsilon=1.0), Records.of({0: 1.0}, {0: -1.0}, {0: 1.0})
    one = verify.laws(mechanism, inputs)
    together = law(lambda rng: mechanism.perturb(inputs, rng=rng))
    assert together == {tuple(reports): prod(one[i][y] for i, y in enumerate(reports)) for reports in product(*one)}


@pytest.mark.parametrize("d, ell, bits", [(1, 1, 4), (2, 1, 5), (3, 2, 8), (504, 8, 812)])
def test_vectors_have_no_bit_too_many(d, ell, bits):
    """3² = 9, 3³ = 27, 3⁵ = 243, and 512·log₂ 3 = 811.5."""
    assert PCKVUE(d=d, ell=ell, epsilon=1.0).report_bits == bits


# ---------------------------------------------------------------------------------------------- keys that come and go


def stale(old, own, blind=None):
    """Printed client of PCKV-GRR with the probabilities of the old d, among other keys than those.

    It draws its pair from `own` keys, padded; its random keys from `blind` ones, the same if not given, and dummies.
    """
    alpha, beta, _ = map(float, old.answer)
    keys = [*range(-old.ell, own if blind is None else blind)]  # dummies are −1, −2, …

    def client(record, rng):
        (key,), values = pad_and_sample(record, own, old.ell, rng)
        sign = int(discretise(values, rng)[0])
        key = int(key if key < own else own - 1 - key)
        if bernoulli(alpha + beta, (), rng):
            return key, sign if bernoulli(alpha / (alpha + beta), (), rng) else -sign
        return pick([k for k in keys if k != key], rng), 2 * toss(0.5, rng) - 1

    return client


def spent(client, inputs):
    return verify.epsilon(verify.laws(client, [inputs[i : i + 1] for i in range(len(inputs))]))


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("ell", [1, 2, 3])
@pytest.mark.parametrize("d_old, d_new", [(2, 2), (2, 3), (1, 3), (3, 2), (3, 1), (9, 1), (40, 2), (2, 1)])
def test_stale_client_spends_what_is_said(d_old, d_new, ell, epsilon):
    old = PCKVGRR(d=d_old, ell=ell, epsilon=epsilon)
    found = spent(stale(old, d_new), every(d_new))
    assert stale_epsilon(old, d_new) == pytest.approx(found, abs=1e-11)
    if d_new == d_old:
        assert stale_epsilon(old, d_new) == old.realised_epsilon


def test_printed_client_in_step_has_the_law_of_the_package():
    old, inputs = PCKVGRR(d=2, ell=2, epsilon=1.0), every(2)
    people = [inputs[i : i + 1] for i in range(len(inputs))]

    def signed(record, rng):
        key, sign = stale(old, 2)(record, rng)
        return 2 * (key if key >= 0 else 1 - key) + (sign > 0)

    def package(record, rng):
        return old.perturb(record, rng=rng)[0]

    assert verify.same_law(signed, package, people)
    assert not verify.same_law(signed, lambda x, rng: signed(x, rng) ^ 1, people)


@pytest.mark.parametrize(
    "ell, d_new, epsilon", [(1, 200, 1.693), (8, 200, 1.491), (1, 50, 1.0), (8, 50, 0.679), (1, 25, log(4))]
)
def test_domain_of_a_hundred_keys_changes(ell, d_new, epsilon):
    """Half as many keys keep ℓ = 1 at ε = 1; a quarter does not, since a key's absence shows: ln 4."""
    assert stale_epsilon(PCKVGRR(d=100, ell=ell, epsilon=1.0), d_new) == pytest.approx(epsilon, abs=5e-4)


@pytest.mark.parametrize("ell, epsilon", [(2, 0.3), (3, 0.2), (8, 0.05)])
def test_few_keys_left_show_who_lacks_them(ell, epsilon):
    """For ℓ > 1 as well, if ε is below ln[ℓ/(ℓ−1)], the limit."""
    found = stale_epsilon(PCKVGRR(d=10**6, ell=ell, epsilon=epsilon), 1)
    assert found > epsilon and found == pytest.approx(log(ell / (ell - 1)), rel=1e-3)


def test_growth_has_no_bound():
    old = PCKVGRR(d=100, ell=8, epsilon=1.0)
    more = [stale_epsilon(old, d) for d in (100, 101, 200, 10**4, 10**6)]
    assert np.all(np.diff(more) > 0) and more[-1] > 9


@pytest.mark.parametrize("own, blind", [(3, 2), (2, 1)])
def test_key_that_others_cannot_send_gives_it_away(own, blind):
    """A pair from new keys among old ones, or from old keys that were removed."""
    old = PCKVGRR(d=2, ell=1, epsilon=1.0)
    assert spent(stale(old, own, blind), every(own)) == inf
    assert spent(stale(old, own, blind), every(blind)) < 2  # harmless only while nobody holds it
    assert spent(stale(old, own), every(own)) < 2


@pytest.mark.parametrize("d_old, d_new", [(2, 3), (3, 2), (2, 2)])
@pytest.mark.parametrize("ell", [1, 2])
def test_stale_client_of_the_package_spends_something_else(d_old, d_new, ell):
    """ln[1 + (e^ε−1)(d'+ℓ)/(d+ℓ)], as its docstring says: its random key may be its own."""
    keep = PCKVGRR(d=d_old, ell=ell, epsilon=1.0).keep

    class Stale(PCKVGRR):
        pass

    Stale.keep = property(lambda self: keep)
    found = verify.epsilon(verify.laws(Stale(d=d_new, ell=ell, epsilon=1.0), every(d_new)))
    assert found == pytest.approx(log(1 + (exp(1) - 1) * (d_new + ell) / (d_old + ell)), abs=1e-12)


@pytest.mark.parametrize("d_new", [0, -1, 2.5, "3", None, True])
def test_bad_new_number_of_keys_is_refused(d_new):
    with pytest.raises(ValueError, match="d_new must be an integer, at least 1, got"):
        stale_epsilon(PCKVGRR(d=2, ell=1, epsilon=1.0), d_new)


@pytest.mark.parametrize("d, ell", [(2, 3), (1, 2), (2, 2)])
def test_dummies_drawn_alike_change_no_report_about_a_key(d, ell):
    """One dummy of all ℓ, in place of the first that the record needs: the same law of keys, the same ε."""
    mechanism = PCKVGRR(d=d, ell=ell, epsilon=1.0)
    cells, keep = 2 * mechanism.width, mechanism.keep

    def alike(record, rng):
        place = pick(range(max(ell, len(record))), rng)
        held = sorted(record)
        key = held[place] if place < len(held) else d + pick(range(ell), rng)
        sign = toss((1 + record.get(key, 0.0)) / 2, rng)
        return 2 * key + sign if toss(keep, rng) else pick(range(cells), rng)

    people = [{}, *({key: sign} for key in range(d) for sign in (-1.0, 1.0)), {key: 1.0 for key in range(d)}]
    ours, theirs = verify.laws(mechanism, people), verify.laws(alike, people)
    keys = range(2 * d)
    assert [[one.get(y) for y in keys] for one in ours] == [[one.get(y) for y in keys] for one in theirs]
    assert ours != theirs
    assert verify.epsilon(theirs) == pytest.approx(verify.epsilon(ours), rel=1e-12)
