"""What a client reveals by how it runs: which draws it makes, and how many random bytes that takes."""

import os

import numpy as np
import pytest
from mechanisms import CATALOGUE

from ldpnb import PCKVUE, StateEncodingSplit, SubsetSelection, Wheel
from ldpnb.chance import Paths, SystemRandom, bernoulli, branches, packed_bernoulli, uniform
from ldpnb.numbers import Hierarchy
from ldpnb.records import Records
from ldpnb.verify import contract

PLAIN = {name: entry for name, entry in CATALOGUE.items() if not entry.packed}  # packed coins share words at random


def smallest(kind):
    return min(kind.example(), key=lambda example: example.mechanism.report_bits + example.mechanism.public_bits)


@pytest.mark.parametrize("name", PLAIN)
def test_every_client_makes_the_same_draws_in_every_branch_and_for_every_input(name):
    traces = contract.known(smallest(PLAIN[name].kind)).traces
    assert len({trace for one in traces for law in one.values() for trace in law}) == 1


@pytest.mark.parametrize("k, size", [(4, 1), (4, 2), (5, 3)])
def test_draws_of_packed_sets_are_many_or_few_whatever_the_item(k, size):
    """Their number is random, so that equal laws have to be looked at: what the report's own law does not tell."""
    example = SubsetSelection(k=k, epsilon=1.0, size=size, packed=True)._example()
    contract.draws_tell_no_more_than_the_report(example)
    assert len({t for one in contract.known(example).traces for law in one.values() for t in law}) > 1


# ------------------------------------------------------------------------------- bytes, as the attack counted them


def drawn(monkeypatch, mechanism, person):
    """Bytes that one person's client asks the operating system for."""
    real, total = os.urandom, [0]

    def counted(n):
        total[0] += n
        return real(n)

    with monkeypatch.context() as patch:
        patch.setattr(os, "urandom", counted)
        mechanism.perturb(person, rng=SystemRandom())
    return total[0]


@pytest.mark.parametrize("size", [0, 1, 4, 8, 9, 40])
def test_bytes_of_the_wheel_do_not_tell_how_many_keys_a_person_holds(monkeypatch, size):
    wheel = Wheel(epsilon=1.0, m=8)
    assert drawn(monkeypatch, wheel, Records.of(set(range(size)))) == drawn(monkeypatch, wheel, Records.of(set()))


@pytest.mark.parametrize("name", [name for name in PLAIN if name != "Hierarchy"])
def test_bytes_do_not_tell_the_value(monkeypatch, name):
    """At the sizes of benchmarks: 40 people of all kinds, some three times."""
    mechanism = PLAIN[name].build(PLAIN[name].bench, 1.0)
    people = PLAIN[name].people(mechanism, 40, np.random.default_rng(0))
    found = {drawn(monkeypatch, mechanism, people[i % 40 : i % 40 + 1]) for i in range(60)}
    assert len(found) == 1


def test_bytes_of_a_hierarchy_tell_its_level_alone(monkeypatch):
    """Which is public: oracles over more blocks draw longer numbers."""
    mechanism, levels, reports = Hierarchy.of(1024, 1.0), {}, []

    class Client:
        @staticmethod
        def perturb(person, *, rng):
            reports.append(mechanism.perturb(person, rng=rng))

    for i in range(60):
        many = drawn(monkeypatch, Client, [17 * i])
        levels.setdefault(int(reports[-1]["level"][0]), set()).add(many)
    assert len(levels) > 2 and all(len(many) == 1 for many in levels.values())


def test_bytes_of_a_client_that_draws_what_it_needs_do_tell(monkeypatch):
    """The control."""

    class Careless(SubsetSelection):
        def _perturb(self, values, rng):
            bernoulli(0.5, (int(values[0]),), rng)
            return super()._perturb(values, rng)

    one, two = (drawn(monkeypatch, Careless(k=4, epsilon=1.0), [x]) for x in (1, 2))
    assert one < two


# ---------------------------------------------------------------------------------------- draws that are thrown away


@pytest.mark.parametrize(
    "draw, thrown",
    [
        (lambda rng, used: bernoulli(0.5, (3,), rng, used=used), False),
        (lambda rng, used: bernoulli([0.5, 1.0, 0.5], (3,), rng, used=used), False),
        (lambda rng, used: uniform(2, (3,), rng, used=used), 0),
        (lambda rng, used: uniform([2, 5, 2], (3,), rng, used=used), 0),
        (lambda rng, used: packed_bernoulli(0.5, (1, 3), rng, used=used)[0] >> np.arange(3) & 1, 0),
    ],
)
def test_draws_that_are_thrown_away_do_not_branch_and_are_in_the_trace(draw, thrown):
    used = np.array([True, False, True])
    found = [result for _, result in branches(lambda rng: draw(rng, used))]
    assert len(found) == 4 and all(result[1] == thrown for result in found)
    some, every = Paths(), Paths()
    draw(some, used)
    draw(every, True)
    assert some._trace == every._trace and len(some._taken) == 2
    same = (draw(np.random.default_rng(1), which)[used] for which in (used, True))
    assert np.array_equal(*same)


@pytest.mark.parametrize(
    "mechanism, person, expected",
    [
        (StateEncodingSplit(d=3, epsilon=1.0), {}, 6**3),  # a coin and a blind state for each key, and no sign
        (PCKVUE(d=1, ell=1, epsilon=1.0), {0: 1.0}, 9),  # two answers of three kinds
    ],
    ids=lambda x: type(x).__name__,
)
def test_clients_have_no_more_branches_than_their_choices(mechanism, person, expected):
    found = len(list(branches(lambda rng: mechanism.perturb(Records.of(person), rng=rng))))
    assert found == expected
