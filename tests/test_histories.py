"""What all reports of one person reveal together while the value changes: exact laws by two routes, and the account.

A *history* is one value per report.  ε is over any two histories of one length.
"""

import os
from fractions import Fraction
from functools import reduce
from itertools import product
from math import exp, inf, log, prod, tanh

import numpy as np
import pytest

from ldpnb import GRR, RAPPOR, epsilon, laws, toss
from ldpnb.chance import pick
from ldpnb.survey import Account

RNG = np.random.default_rng


def rappor(bits):
    return RAPPOR(bits=bits, hashes=1, cohorts=1, f=0.5, p=0.25, q=0.75)


def two_strings(mechanism):
    """Two strings that set different bits."""
    names = [f"w{i}" for i in range(40)]
    filters = mechanism.filters(names)[:, 0]
    return names[0], next(x for x, bits in zip(names, filters, strict=True) if (bits != filters[0]).any())


def of_period(history, first, second, rng):
    """One state, drawn from the first value."""
    state = first(history[0], rng)
    return tuple(second(state, rng) for _ in history)


def of_value(history, first, second, rng):
    """The rule of 1.0.0: a state for each value."""
    kept = {}
    for x in history:
        if x not in kept:
            kept[x] = first(x, rng)
    return tuple(second(kept[x], rng) for x in history)


RULES = {of_period: lambda history: (history[0],) * len(history), of_value: lambda history: history}


def over_states(first, second, history):
    """Law of the reports as an array, one axis per report, by a sum over the states of the values in a history."""
    values, law = sorted(set(history)), 0
    for states in product(range(len(second)), repeat=len(values)):
        kept = dict(zip(values, states, strict=True))
        chance = prod(first[x][state] for x, state in kept.items())
        law = law + chance * reduce(np.multiply.outer, [second[kept[x]] for x in history])
    return law


def loss(one, other):
    """Log of the largest ratio of two laws, each a list of independent parts."""
    return sum(float(np.log(a / b).max()) for a, b in zip(one, other, strict=True))


def dearest(law_of):
    """ε over all pairs of histories, and the pair."""
    return max((loss(law_of[g], law_of[h]), g, h) for g in law_of for h in law_of)


def rappor_laws(mechanism, length, rule):
    """Law of each bit, for each history of two strings; bits are independent."""
    two = two_strings(mechanism)
    filters = dict(zip(two, mechanism.filters(two)[:, 0].astype(int), strict=True))
    flip, (p, q) = float(mechanism.flip), map(float, mechanism.instantaneous)
    first, second = np.array([[1 - flip, flip], [flip, 1 - flip]]), np.array([[1 - p, p], [1 - q, q]])

    def bit(history, j):
        return over_states({x: first[filters[x][j]] for x in two}, second, RULES[rule](history))

    return {h: [bit(h, j) for j in range(mechanism.bits)] for h in product(two, repeat=length)}


def charged_of_value(mechanism, history):
    """What an account of 1.0.0 charged."""
    return sum(mechanism.exposure(history.count(x)) for x in set(history))


# ------------------------------------------------------------------------------------------------------ two routes


@pytest.mark.parametrize("rule", RULES)
def test_two_routes_to_the_law_of_reports_agree(rule):
    """The mechanism's own client over histories, and a sum over states."""
    mechanism = rappor(2)

    def first(x, rng):
        return mechanism.memoise([x], rng=rng)

    def second(kept, rng):
        return mechanism.respond(kept, rng=rng)["bits"][0].tolist()

    summed = rappor_laws(mechanism, 2, rule)
    walked = laws(lambda h, rng: rule(h, first, second, rng), list(summed))
    for law, bits in zip(walked, summed.values(), strict=True):
        assert len(law) == 16
        for reports, chance in law.items():
            own = prod(bits[j][tuple(int(report[j]) for report in reports)] for j in (0, 1))
            assert float(chance) == pytest.approx(own, rel=1e-12)
    assert epsilon(walked) == pytest.approx(dearest(summed)[0], rel=1e-12)


def test_four_reports_of_two_bits_in_fractions():
    """The third recorded number from the law of a client in coins, bit by bit."""
    histories = list(product("ab", repeat=4))

    def bit(own):
        def first(x, rng):
            return (x == own) ^ toss(Fraction(1, 4), rng)

        def second(kept, rng):
            return toss(Fraction(3, 4) if kept else Fraction(1, 4), rng)

        return laws(lambda h, rng: of_value(h, first, second, rng), histories)

    def largest(law, other):
        return max(law[y] / other[y] for y in law)

    pairs = product(zip(bit("a"), bit("b"), strict=True), repeat=2)
    ratio = max(largest(g_a, h_a) * largest(g_b, h_b) for (g_a, g_b), (h_a, h_b) in pairs)
    assert ratio == Fraction(38416, 729)
    assert log(ratio) == pytest.approx(dearest(rappor_laws(rappor(2), 4, of_value))[0], rel=1e-12)


@pytest.mark.slow
def test_the_law_of_the_account_itself_is_that_of_one_state(tmp_path, monkeypatch):
    """All histories of two reports, from the account's own code, one account for each walk."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    mechanism, opened = rappor(2), iter(range(10**9))
    two = two_strings(mechanism)

    def client(history, rng):
        path = tmp_path / "account"
        path.unlink(missing_ok=True)
        account = Account(path, limit=10.0)
        next(opened)
        return [account.report(mechanism, [x], rng=rng, label="week 48")[0] for x in history]

    found = epsilon(laws(client, list(product(two, repeat=2))))
    assert next(opened) > 1000
    assert found == pytest.approx(mechanism.exposure(2), rel=1e-12)


# ------------------------------------------------------------------------------------- RAPPOR, and what is charged

CHARGED = {  # bits, reports: exact ε if a new value has a new state, and what an account of 1.0.0 charged for that pair
    (2, 2): (2.043, 2.043),
    (2, 3): (2.716, 2.716),
    (2, 4): (3.965, 3.389),
    (8, 2): (2.974, 2.043),
    (8, 3): (5.781, 2.716),
    (8, 4): (9.163, 3.033),
    (32, 2): (9.879, 2.043),
    (32, 3): (18.041, 2.716),
    (32, 4): (33.682, 3.033),
}


@pytest.mark.parametrize(("bits", "length"), CHARGED)
def test_the_account_charges_what_histories_reveal(bits, length, tmp_path):
    mechanism = rappor(bits)
    exact, one, other = dearest(rappor_laws(mechanism, length, of_period))
    for history in (one, other):
        account = Account(tmp_path / "-".join(history), limit=100.0)
        for x in history:
            account.report(mechanism, [x], rng=RNG(0), label="week 48")
        assert account.spent == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("bits", "length"), CHARGED)
def test_a_new_state_for_a_new_value_reveals_more_than_was_charged(bits, length):
    """The control: the same comparison catches the rule of 1.0.0."""
    mechanism = rappor(bits)
    exact, one, other = dearest(rappor_laws(mechanism, length, of_value))
    charged = max(charged_of_value(mechanism, one), charged_of_value(mechanism, other))
    assert (exact, charged) == pytest.approx(CHARGED[bits, length], abs=6e-4)
    if (bits, length) not in ((2, 2), (2, 3)):
        assert exact > charged + 0.5


def test_a_new_cohort_for_a_new_value_tells_the_change_at_once():
    """1.0.0 drew the whole state anew, and a cohort is public."""
    mechanism = RAPPOR(bits=2, hashes=1, cohorts=2, f=0.5, p=0.25, q=0.75)

    def first(x, rng):
        return mechanism.memoise([x], rng=rng)

    def second(kept, rng):
        return mechanism.respond(kept, rng=rng)[0]

    def told(rule):
        return epsilon(laws(lambda h, rng: rule(h, first, second, rng), list(product("ab", repeat=2))))

    assert told(of_value) == inf
    assert told(of_period) <= mechanism.exposure(2) * (1 + 1e-12)


def test_three_strings_tell_more_than_two():
    mechanism = rappor(32)
    flip, (p, q) = float(mechanism.flip), map(float, mechanism.instantaneous)
    first, second = np.array([[1 - flip, flip], [flip, 1 - flip]]), np.array([[1 - p, p], [1 - q, q]])
    histories, total = list(product(range(3), repeat=4)), 0.0
    for owner, copies in [(0, 1), (1, 1), (2, 1), (None, 29)]:  # the string that sets a bit, and how many such bits
        chances = {x: first[int(x == owner)] for x in range(3)}
        law = np.log([over_states(chances, second, h).ravel() for h in histories])
        total = total + copies * (law[:, None] - law[None]).max(2)
    assert total.max() == pytest.approx(36.628, abs=6e-4) and total.max() > CHARGED[32, 4][0] + 2


def test_two_periods_cost_their_sum(tmp_path):
    mechanism, two = rappor(2), two_strings(rappor(2))
    law_of = {}
    for history in product(two, repeat=4):
        halves = history[:2], history[2:]
        law_of[history] = [law for half in halves for law in rappor_laws(mechanism, 2, of_period)[half]]
    account = Account(tmp_path / "a", limit=10.0)
    for label in ("week 48", "week 48", "week 49", "week 49"):
        account.report(mechanism, [two[0]], rng=RNG(0), label=label)
    assert account.spent == pytest.approx(dearest(law_of)[0], rel=1e-12)
    assert account.spent == pytest.approx(3.389, abs=6e-4)


def test_what_the_sum_assumes():
    """Where one of the conditions fails that an account prints, its sum is no bound."""
    mechanism, two = rappor(2), two_strings(rappor(2))

    def lost(x, rng):
        return [mechanism.perturb([x], rng=rng)[0] for _ in range(2)]

    def as_often_as_its_value_says(x, rng):
        kept = mechanism.memoise([x], rng=rng)
        return [mechanism.respond(kept, rng=rng)[0] for _ in range(1 + (x == two[0]))]

    def by_another_mechanism(x, rng):
        return (mechanism if x == two[0] else rappor(3)).perturb([x], rng=rng)[0]

    assert epsilon(laws(by_another_mechanism, two)) == inf
    assert epsilon(laws(lost, two)) > mechanism.exposure(2) + 0.3
    assert epsilon(laws(as_often_as_its_value_says, two)) == inf


# ------------------------------------------------------------------------------------- other clients with a memory

ALL, ONCE = 2.0, 1.0  # ε of a state, and of one report


def krr(k, odds):
    return (np.eye(k) * (odds - 1) + 1) / (odds + k - 1)


def lgrr(k):
    """L-GRR: k-RR is remembered, and k-RR of it is sent."""
    a, once = exp(ALL), exp(ONCE)
    return krr(k, a), krr(k, (once * (a + k - 2) - (k - 1)) / (a - once))


def unary(kind):
    """L-SUE and L-OSUE, one bit: the first coin by the bit, 0 or 1, the second by what is remembered."""
    if kind == "L-SUE":
        one, zero, truth = exp(ALL / 2) / (exp(ALL / 2) + 1), 1 / (exp(ALL / 2) + 1), tanh(ONCE / 4) / tanh(ALL / 4)
    else:
        one, zero, truth = 0.5, 1 / (exp(ALL) + 1), tanh(ONCE / 2) / tanh(ALL / 2)
    return np.array([[1 - zero, zero], [1 - one, one]]), np.array([[1 + truth, 1 - truth], [1 - truth, 1 + truth]]) / 2


def client_laws(kind, k, length, rule=of_value):
    """Laws of a client's reports on all histories of k values, in independent parts."""
    histories = list(product(range(k), repeat=length))
    if kind in ("L-SUE", "L-OSUE"):
        first, second = unary(kind)
        bits = [{x: first[int(x == j)] for x in range(k)} for j in range(k)]
        return {h: [over_states(bit, second, RULES[rule](h)) for bit in bits] for h in histories}
    first, second = lgrr(k if kind == "L-GRR" else 2)
    slot = range(k) if kind == "L-GRR" else [0, *[1] * (k - 1)]  # LOLOHA: a public hash to two slots, a state for each
    return {h: [over_states(first, second, RULES[rule]([slot[x] for x in h]))] for h in histories}


RECORDED = {
    ("L-GRR", 2): [1, 2, 2.642, 3.359, 4.019, 4.754],
    ("L-GRR", 3): [1, 2.135, 3.210, 4.345],
    ("L-GRR", 4): [1, 2.196, 3.443],
    ("LOLOHA", 2): [1, 2, 2.642, 3.359, 4.019, 4.754],
    ("LOLOHA", 3): [1, 2, 2.642, 3.359],
    ("L-SUE", 2): [1, 2, 2.802, 4.069],
    ("L-SUE", 3): [1, 2.400, 3.608],
    ("L-OSUE", 2): [1, 2, 3.061, 4.445],
    ("L-OSUE", 3): [1, 2.453, 3.709],
}


@pytest.mark.parametrize(("kind", "k"), RECORDED)
def test_a_state_for_each_value_has_no_budget(kind, k):
    """Neither one report's ε times reports nor a state's ε times values bounds what changes reveal."""
    found = [dearest(client_laws(kind, k, length))[0] for length in range(1, len(RECORDED[kind, k]) + 1)]
    assert found == pytest.approx(RECORDED[kind, k], abs=6e-4)


@pytest.mark.parametrize(
    ("kind", "expected"), [("L-GRR", 1.974), ("LOLOHA", 1.974), ("L-SUE", 1.959), ("L-OSUE", 1.974)]
)
def test_one_state_keeps_its_budget(kind, expected):
    assert dearest(client_laws(kind, 2, 4, of_period))[0] == pytest.approx(expected, abs=6e-4)
    assert expected < ALL


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("k", [2, 3])
def test_two_routes_agree_for_lgrr(k, rule):
    first, second = lgrr(k)

    def coin(table):
        def draw(x, rng):
            own, other = table[0][0], table[0][1]
            return x if toss(own - other, rng) else pick(range(k), rng)

        return draw

    summed = client_laws("L-GRR", k, 2, rule)
    walked = laws(lambda h, rng: rule(h, coin(first), coin(second), rng), list(summed))
    for law, [table] in zip(walked, summed.values(), strict=True):
        np.testing.assert_allclose([float(law[y]) for y in np.ndindex(table.shape)], table.ravel(), rtol=1e-12)
    assert epsilon(walked) == pytest.approx(dearest(summed)[0], rel=1e-12)


@pytest.mark.parametrize("kind", ["L-SUE", "L-OSUE"])
def test_two_routes_agree_for_unary_codes(kind):
    first, second = unary(kind)

    def code(x, rng):
        return tuple(toss(first[int(x == j)][1], rng) for j in range(2))

    def report(bits, rng):
        return tuple(toss(second[int(bit)][1], rng) for bit in bits)

    walked = laws(lambda h, rng: of_value(h, code, report, rng), list(product(range(2), repeat=2)))
    assert epsilon(walked) == pytest.approx(dearest(client_laws(kind, 2, 2))[0], rel=1e-12)


def test_fresh_coins_cost_their_sum_over_any_histories(tmp_path):
    mechanism = GRR(k=3, epsilon=1.0)
    histories = list(product(range(3), repeat=2))
    exact = epsilon(laws(lambda h, rng: [int(mechanism.perturb([x], rng=rng)[0]) for x in h], histories))
    account = Account(tmp_path / "a", limit=10.0)
    for x in (0, 2):
        account.report(mechanism, [x], rng=RNG(0), label="colour")
    assert account.spent == pytest.approx(exact, rel=1e-9) and account.spent == 2.0
