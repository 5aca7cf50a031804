"""The chooser: its errors are those of exact laws, nothing is left out, and limits bind."""

import inspect
import re
from dataclasses import fields, replace
from itertools import combinations
from math import exp, inf, sqrt
from pathlib import Path

import numpy as np
import pytest
from mechanisms import CATALOGUE
from questions import GRID, LIMITS, N, questions

from ldpnb.attributes import blocks
from ldpnb.core import Mechanism
from ldpnb.numbers import many_numbers, one_number
from ldpnb.oracles.hadamard import HadamardBit, HadamardResponse
from ldpnb.oracles.olh import OLH
from ldpnb.records import Records
from ldpnb import choose
from ldpnb.choose._rows import TINY
from ldpnb.keyvalue import PairSampling
from ldpnb.keyvalue import IOH
from ldpnb.verify import moments
from ldpnb_book import experiment

ROOT = Path(__file__).resolve().parent.parent


def ask(task, **question):
    return choose.TASKS[task](**({"n": N, "epsilon": 1.0} | question))


def named(choices):
    return {choice.name: choice for choice in choices}


FEW = [(task, question) for task, question in questions(every=23) if not (task == "number" and question["epsilon"] > 2)]


@pytest.fixture(scope="module")
def answers():
    """Some questions of every task, with their answers."""
    return [(task, question, ask(task, **question).rank()) for task, question in FEW]


# --------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_errors_of_items_are_those_of_exact_laws(share):
    found = named(ask("item", k=4, share=share, epsilon=1.3).rank())
    for name in ("k-RR", "k-Subset", "OUE", "SUE", "Hadamard bit", "Hadamard response"):
        _, variance = moments(found[name].mechanism, np.arange(4))
        exact = share * variance[0, 0] + (1 - share) * variance[1:, 0].mean()
        assert found[name].error == pytest.approx(sqrt(exact / N), rel=1e-9), name


def test_errors_of_items_are_the_published_ones():
    e, k = exp(0.8), 50
    found = named(ask("item", k=k, epsilon=0.8, n=1000).rank())
    for name, noise in {
        "k-RR": (e + k - 2) / (e - 1) ** 2,
        "OUE": 4 * e / (e - 1) ** 2,
        "SUE": sqrt(e) / (sqrt(e) - 1) ** 2,
        "Hadamard bit": ((e + 1) / (e - 1)) ** 2,
        "PCE": ((e + 1) / (e - 1)) ** 2,
    }.items():
        assert found[name].error == pytest.approx(sqrt(noise / 1000), rel=1e-12), name
        assert found[name].errors == {"share": found[name].error}


def test_errors_of_what_is_rare_are_those_of_the_chapters():
    """Formulas as the chapters print them, for other questions than one item; f is the share of those who hold it."""
    d, m, eps, f = 40, 3, 0.8, 0.2
    e = exp(eps)
    c = (e + 1) / (e - 1)
    asked = {
        "sets": ask("sets", d=d, m=m, epsilon=eps),
        "numbers": ask("numbers", d=d, epsilon=eps),
        "number": ask("number", epsilon=eps),
        "pairs": ask("pairs", d=d, m=m, epsilon=eps, share=0.0),
        "marginals": ask("marginals", d=d, k=4, epsilon=eps, share=f),
        "crosstabs": ask("crosstabs", d=d, k=4, epsilon=eps, share=f),
    }
    found = {(task, choice.name): choice for task, question in asked.items() for choice in question.rank()}
    s = exp(eps / (2 * d))
    for which, noise in {
        ("sets", "sampled k-RR"): (d - 1 + m * e) / (e - 1) ** 2,
        ("sets", "sampled S-Hist"): m**2 * c**2,
        ("sets", "sampled RAPPOR"): m**2 * exp(eps / 2) / (exp(eps / 2) - 1) ** 2,
        ("number", "two points"): c**2,
        ("numbers", "Harmony"): d * c**2,
        ("marginals", "Harmony"): d * c**2 - f - (d - 1) * f**2,
        ("marginals", "bit flips"): s / (s - 1) ** 2,
        ("crosstabs", "Harmony, pairs"): d * (d - 1) / 2 * c**2 - f - (d * (d - 1) / 2 - 1) * f**2,
    }.items():
        assert found[which].error == pytest.approx(sqrt(noise / N), rel=1e-9), which
    slots = found["pairs", "Wheel-KV"].mechanism.circle.slots
    gap = e / (slots + m * (e - 1)) - 1 / slots
    state = (e - 1) / (e + 2)
    for name, noise in {
        "PCKV-GRR": (2 * m * (e - 1) + 4 * (d + m - 1)) / (e - 1) ** 2,
        "PCKV-UE": 8 * m**2 * (e + 1) / (e - 1) ** 2,
        "SE": d * (1 - state) * (1 + 2 * state) * 2 / 9 / state**2,
        "Wheel-KV": 2 / slots * (1 - 2 / slots) / (gap * (slots - 2) / (slots - 1)) ** 2,
    }.items():
        assert found["pairs", name].errors["share"] == pytest.approx(sqrt(noise / N), rel=1e-9), name


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_errors_of_sets_are_those_of_exact_laws(share):
    found = named(ask("sets", d=4, m=2, share=share, epsilon=1.3).rank())
    people = Records.of({0}, set())
    for name in ("PrivSet", "sampled k-RR", "sampled S-Hist", "sampled RAPPOR"):
        _, variance = moments(found[name].mechanism, people)
        exact = share * variance[0, 0] + (1 - share) * variance[1, 0]
        assert found[name].error == pytest.approx(sqrt(exact / N), rel=1e-9), name


def test_errors_of_a_wheel_are_those_of_an_ideal_hash():
    for question, people, slots in (
        (ask("item", k=3, share=0.25), Records.of({0}, {1}), 5),
        (ask("sets", d=3, m=2, share=0.25), Records.of({0}, {1}), 4),
    ):
        found = named(question.rank())["wheel"]
        ideal = replace(found.mechanism, table=2, slots=slots)  # few enough to enumerate
        _, variance = moments(ideal, people, [0])
        exact = 0.25 * variance[0, 0] + 0.75 * variance[1, 0]
        assert question._variances(ideal)["share"] == pytest.approx(exact, rel=1e-9)
        assert found.error == sqrt(question._variances(found.mechanism)["share"] / N)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_errors_of_pairs_are_those_of_exact_laws(share):
    """Of people of whom a share holds one key, half of them with +1 and half with −1."""
    found = named(ask("pairs", d=3, m=2, share=share, epsilon=1.3).rank())
    people = Records.of({0: 0.0}, {1: 0.5})
    for name in ("PCKV-GRR", "PCKV-UE", "SE", "SE, all keys", "PrivKV"):
        mean, variance = moments(found[name].mechanism, people)
        assert mean[0, :, 0].tolist() == pytest.approx([1, 0], abs=1e-12)
        rate, product = (share * variance[0] + (1 - share) * variance[1])[:, 0]
        rate -= 2 * share**2 * (name in ("SE", "PrivKV"))  # one of three keys is public: of those who were asked
        told = found[name].errors
        assert told["share"] == pytest.approx(sqrt(rate / N), rel=1e-9), name
        assert told["share × mean"] == pytest.approx(sqrt(product / N), rel=1e-9), name
        assert told["mean"] == pytest.approx(told["share × mean"] / share, rel=1e-12)
        assert found[name].error == pytest.approx(sqrt((rate + product) / N), rel=1e-9)


def test_a_key_that_nobody_holds_has_no_mean():
    for choice in ask("pairs", d=3, m=2, share=0.0).rank():
        assert list(choice.errors) == ["share", "share × mean"] and 0 < choice.error < inf


def test_errors_of_numbers_are_the_worst_of_exact_laws():
    for choice in ask("number", epsilon=1.0).rank():
        tried = np.linspace(-1, 1, 65)
        assert choice.error == pytest.approx(sqrt(choice.mechanism.variance(tried).max() / N), rel=1e-3)
        assert choice.error**2 * N >= choice.mechanism.variance(tried).max() * (1 - 1e-12)
    for choice in ask("numbers", d=3, epsilon=3.0).rank():
        if choice.name != "sampled Hybrid":  # too many cells to enumerate
            _, variance = moments(choice.mechanism, np.zeros((1, 3)))
            assert choice.error == pytest.approx(sqrt(variance.max() / N), rel=1e-9), choice.name


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_errors_of_two_keys_are_those_of_exact_laws(share):
    found = named(ask("correlation", d=2, share=share, epsilon=1.3).rank())
    both = np.array([1.0, 0, 1, 0, 0, 0, 1, 0, 1])
    for name in ("k-RR", "k-Subset", "OUE", "Hadamard bit"):
        oracle = found[f"IOH, {name}"].mechanism.oracle
        scores = oracle.linear_variance(both)
        exact = share * scores[8] + (1 - share) * scores[4]
        for kind in ("IOH", "pairs"):  # with two keys there is one pair
            assert found[f"{kind}, {name}"].error == pytest.approx(sqrt(exact / N), rel=1e-9), (kind, name)


@pytest.mark.slow
def test_errors_of_two_keys_among_many_are_those_of_simulated_surveys():
    """Mean squares of three pairs' estimates from 1,000 surveys of people without keys, at 6 standard errors."""
    people, n, rng = Records.from_arrays([], [], [], n=100), 100, np.random.default_rng(3)
    for choice in ask("correlation", d=3, n=n, epsilon=2.0).rank():
        if choice.excluded or "k-Subset" in choice.name:  # which has no simulation
            continue
        tally = choice.mechanism.simulate(choice.mechanism.cells(people, trials=1000, rng=rng), rng=rng)
        whole = isinstance(choice.mechanism, IOH)
        seen = np.zeros(1000)
        for a, b in combinations(choice.mechanism.keys, 2):
            table = choice.mechanism.table(tally) if whole else choice.mechanism.table((a, b), tally)
            seen += table.count({a: 1, b: 1}).value ** 2 / 3
        assert abs(seen.mean() - choice.error**2) < 6 * seen.std() / sqrt(1000), choice.name


@pytest.mark.parametrize("task", ["marginals", "crosstabs"])
@pytest.mark.parametrize("share", [0.0, 0.4])
def test_errors_of_attributes_are_those_of_exact_laws(task, share):
    """Blocks of all attributes have nothing to draw; of two they are checked with people dealt out to blocks."""
    found = named(ask(task, d=2, k=2, share=share, epsilon=1.3).rank())
    people = np.array([[0, 0], [1, 1]])
    width = 1 if task == "marginals" else 2
    for name, choice in found.items():
        if choice.mechanism is None or name.startswith("one "):
            continue
        values = people if name != "Harmony, pairs" else np.array([[0], [3]])
        if name == "blocks":
            e = exp(1.3)
            g = (e - 1) / (e + 3)
            told = (1 - g) / 2**width + g * share
            exact = told * (1 - told) / g**2 - share * (1 - share)
        else:
            _, variance = moments(choice.mechanism, values)
            exact = share * variance[0, 0] + (1 - share) * variance[1, 0]
            if name == "Harmony":  # of those who were asked about one of two attributes
                exact -= share**2
        assert choice.error == pytest.approx(sqrt(exact / N), rel=1e-9), name


def test_errors_of_blocks_are_those_of_their_pooled_estimate():
    choice = named(ask("crosstabs", d=5, k=3, share=0.2, epsilon=2.0).rank())["blocks"]
    mechanism = choice.mechanism
    drawn, s = np.full(len(mechanism.blocks), 10**7), (1, 3)  # any pair
    table = np.full((3, 3), 0.1)  # all other cells are equally frequent
    table[1, 2] = 0.2
    exact = mechanism.pair_tables_variance(drawn, s, table)[1, 2] * drawn.sum()
    assert choice.error == pytest.approx(sqrt(exact / N), rel=1e-6)
    one = named(ask("marginals", d=5, k=3, share=0.2, epsilon=2.0).rank())["blocks"]
    drawn = np.full(len(one.mechanism.blocks), 10**7)
    exact = one.mechanism.pooled_variance(drawn, (4,), np.full(3, 0.2))[0] * drawn.sum()
    assert one.error == pytest.approx(sqrt(exact / N), rel=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize(("task", "draws"), [("marginals", 3), ("crosstabs", 3)])
def test_errors_of_what_is_drawn_in_public_are_those_of_exact_laws(task, draws, share):
    """Means and mean squares of scores that count `draws` times for those who drew it, and are 0 for the others.

    That is the linear estimate; dividing by the number of those who drew it takes the squared share of the others off.
    """
    choice = ask(task, d=3, k=2, share=share, epsilon=1.3).rank()
    choice = next(one for one in choice if one.name.startswith("one "))
    assert not choice.excluded
    oracle = choice.mechanism.oracle
    mean, variance = moments(oracle, np.arange(oracle.k))
    squares = draws * (variance + mean**2) - mean**2
    exact = share * squares[0, 0] + (1 - share) * squares[1:, 0].mean()
    own, other = choice.mechanism.variance([[0, 0, 0], [1, 1, 1]])[:, 0]
    assert share * own + (1 - share) * other == pytest.approx(exact, rel=1e-9)
    assert choice.error == pytest.approx(sqrt((exact - (draws - 1) * share**2) / N), rel=1e-9)


def test_what_is_drawn_in_public_is_the_best_item():
    """As if a part of the people were asked about each attribute, or pair, where the item is rare."""

    def drawn(task, **question):
        return next(one for one in ask(task, **question).rank() if one.name.startswith("one "))

    for task, d, k, draws, cells in (("marginals", 16, 100, 16, 100), ("crosstabs", 5, 4, 10, 16)):
        one = drawn(task, d=d, k=k, epsilon=4.0)
        best = ask("item", n=N // draws, k=cells, epsilon=4.0).rank()[0]
        assert one.error == pytest.approx(best.error, rel=1e-9) and one.name.endswith(best.name)
        assert (one.private_bits, one.public_bits) == (best.private_bits, best.public_bits + 4)
    short = drawn("marginals", d=16, k=100, epsilon=1.0, bits=12)
    assert short.name == "one attribute, block design" and short.private_bits + short.public_bits <= 12
    assert drawn("marginals", d=16, k=100, epsilon=1.0, bits=3).excluded


def test_errors_of_two_phases_are_those_that_they_tell():
    people, rng = Records.of(*[{0, 1}, {2}] * 50), np.random.default_rng(1)
    question = ask("frequent", n=100, d=8, m=3, candidates=2, epsilon=2.0)
    found = named(question.rank())
    for name in ("GFIM", "LDPMiner"):
        phases = found[name].mechanism(people, rng=rng)
        v1, v2 = phases.first_variance, phases.second_variance
        assert found[name].error == pytest.approx(sqrt(v1 * v2 / (v1 + v2) if name == "GFIM" else v2), rel=1e-12)
        assert found[name].excluded and len(phases.candidates) == 2
    held = named(replace(question, share=0.5).rank())
    first, second = phases.mechanisms  # of LDPMiner, where the second phase counts alone
    assert first.ell == 3 and second.ell == 2
    own, other = second.variance(Records.of({0}, set()))[:, 0]
    assert held["LDPMiner"].error == pytest.approx(sqrt((own + other) / 2 / 100), rel=1e-12)
    assert held["GFIM"].error < found["GFIM"].error


@pytest.mark.slow
def test_errors_fall_with_the_root_of_n(answers):
    for task, question, found in answers:
        if task in ("item", "pairs", "crosstabs", "frequent"):
            more = named(ask(task, **question | {"n": 4 * question["n"]}).rank())
            for choice in found:
                assert more[choice.name].error == pytest.approx(choice.error / 2, rel=1e-12)
                for what, error in choice.errors.items():
                    assert more[choice.name].errors[what] == pytest.approx(error / 2, rel=1e-12)


# -------------------------------------------------------------------------------------------------------- choices


def test_every_mechanism_of_the_catalogue_is_chosen_or_excluded_with_a_reason(answers):
    seen = {choice.kind for _, _, found in answers for choice in found}
    assert seen == {entry.kind.__name__ for entry in CATALOGUE.values()} | {"gfim", "ldpminer"}


def test_choices_keep_what_they_say(answers):
    for task, question, found in answers:
        for choice in found:
            assert choice.why and choice.n == question["n"]
            if choice.mechanism is None:
                assert choice.excluded and choice.error == inf and choice.private_bits is choice.public_bits is None
            elif isinstance(choice.mechanism, Mechanism):
                assert type(choice.mechanism).__name__ == choice.kind
                assert choice.private_bits == choice.mechanism.report_bits
                assert choice.mechanism.epsilon <= question["epsilon"] * (1 + 1e-12)
                assert choice.mechanism.epsilon >= question["epsilon"] * (1 - 1e-9)
            if choice.error == inf:
                assert choice.excluded and choice.errors == {}
            elif task != "pairs":
                assert [choice.error] == list(choice.errors.values())
        assert len(named(found)) == len(found)


def test_the_smallest_error_comes_first_and_what_is_excluded_last(answers):
    for _, _, found in answers:
        excluded = [choice.excluded for choice in found]
        assert excluded == sorted(excluded)
        ranked = [choice.error for choice in found if not choice.excluded]
        assert all(a <= b * (1 + 1e-8) for a, b in zip(ranked, ranked[1:], strict=False))


def test_of_equal_errors_the_shorter_report_comes_first():
    names = [choice.name for choice in ask("sets", d=7, m=3, epsilon=5.0).rank()]
    assert names[:2] == ["sampled k-RR", "PrivSet"]  # whose best report has one item
    names = [choice.name for choice in ask("item", k=2).rank()]
    assert names[:2] == ["k-RR", "k-Subset"]  # one law: in the order in which they are listed
    for k in (64, 1000):  # a Hadamard bit has a bit less than a Hadamard response, of the same error
        found = ask("item", k=k).rank()
        alike = [c for c in found if c.name in ("Hadamard bit", "Hadamard response")]
        sent = [c.private_bits + c.public_bits for c in alike]
        assert alike[0].error == pytest.approx(alike[1].error, rel=1e-12) and sent == sorted(sent)


def test_limits_bind(answers):
    question = ask("item", k=1000)
    free = named(question.rank())
    assert [free[name].private_bits for name in ("k-RR", "OUE", "OLH", "Hadamard bit", "wheel")] == [10, 1000, 2, 1, 2]
    assert [free[name].public_bits for name in ("k-RR", "OUE", "OLH", "Hadamard bit", "wheel")] == [0, 0, 93, 10, 96]
    codes = {"k-RR", "k-Subset", "Hadamard response", "block design"}
    for bits, public_free, left in (
        (1000, False, {*codes, "OUE", "SUE", "OLH", "Hadamard bit", "wheel"}),
        (95, False, {*codes, "OLH", "Hadamard bit"}),
        (94, False, {*codes, "Hadamard bit"}),
        (10, False, codes),
        (9, False, set()),
        (9, True, {"OLH", "Hadamard bit", "wheel"}),
        (1, True, {"Hadamard bit"}),
    ):
        found = replace(question, bits=bits, public_free=public_free).rank()
        assert {choice.name for choice in found if not choice.excluded} == left, (bits, public_free)
    found = named(replace(question, bits=9).rank())
    assert found["k-RR"].why == "a report has 10 bits, 9 are allowed"
    assert found["wheel"].why == "a report has 98 bits, 9 are allowed"
    assert found["OUE"].why == "a report has 1,000 bits, 9 are allowed"
    assert found["S-Hist"].why == free["S-Hist"].why, "one reason is enough"
    assert found["k-RR"].error == free["k-RR"].error


@pytest.mark.parametrize("public_free", [False, True])
def test_parameters_are_the_best_that_fit(public_free):
    """A mechanism is not excluded for its length where a shorter form of it fits, and that form is the best one."""

    def found(task, name, **question):
        return named(ask(task, public_free=public_free, **question).rank())[name]

    def sent(made):
        return made.report_bits + (0 if public_free else made.public_bits)

    best = found("item", "k-Subset", k=300, epsilon=3.0, bits=64)
    longer = replace(best.mechanism, size=best.mechanism.set_size + 1)
    assert not best.excluded and best.private_bits <= 64 < longer.report_bits
    assert best.error**2 * N > longer.variance([0])[0, 1]
    best = found("sets", "PrivSet", d=1000, m=8, bits=64)
    longer = replace(best.mechanism, size=best.mechanism.set_size + 1)
    assert not best.excluded and best.private_bits <= 64 < longer.report_bits
    assert best.error**2 * N > longer.rare_variance
    assert found("sets", "PrivSet", d=1000, m=8, bits=201).mechanism.size == 0, "the best one fits"
    limit = 2 if public_free else 10
    best = found("numbers", "Harmony", d=20, epsilon=6.0, bits=limit)
    every = [many_numbers.HarmonyMean(d=20, epsilon=6.0, count=count) for count in range(1, 7)]
    fits = [one for one in every if sent(one) <= limit]
    assert not best.excluded and 0 < len(fits) < 6
    assert best.mechanism == min(fits, key=lambda one: one.worst_variance)
    limit = 2 if public_free else 9
    best = found("crosstabs", "blocks", d=16, k=2, epsilon=8.0, bits=limit)
    assert not best.excluded and best.mechanism.size == 2
    assert found("crosstabs", "blocks", d=16, k=2, epsilon=8.0).mechanism.size == 3
    assert found("crosstabs", "blocks", d=16, k=2, epsilon=8.0, bits=1).why.startswith("a report has")


def test_of_equal_errors_the_report_that_counts_less_comes_first():
    names = [choice.name for choice in ask("item", k=1000, public_free=True).rank()]
    assert names.index("Hadamard bit") < names.index("Hadamard response")


@pytest.mark.parametrize(
    ("task", "open_to"),
    [("item", {"wheel"}), ("sets", {"wheel"}), ("frequent", {"wheel"}), ("pairs", {"Wheel-KV"})],
)
def test_without_a_list_only_wheels_are_left(task, open_to):
    sizes = {"item": {"k": 50}}.get(task, {"d": 50, "m": 3} | ({"candidates": 5} if task == "frequent" else {}))
    found = ask(task, **sizes, listed=False).rank()
    assert {choice.name for choice in found if not choice.excluded} == open_to
    assert {choice.name for choice in found if not choice.listed} >= open_to
    assert {c.why for c in found if c.excluded and c.listed} >= {"the client must know the list"}
    listed = named(ask(task, **sizes).rank())
    assert all(named(found)[name].error == listed[name].error for name in listed)


def test_numbers_have_no_list():
    for question in (ask("number"), ask("numbers", d=5000)):
        assert not any(choice.listed for choice in question.rank())
        assert "listed" not in {field.name for field in fields(question)}


def test_domains_that_are_too_large_are_said_to_be():
    for task, sizes, rule, names in (
        ("item", {"k": 100_001}, "100,000", {"k-Subset"}),
        ("sets", {"d": 10_001, "m": 8}, "10,000", {"PrivSet"}),
        ("numbers", {"d": 4097}, "4,096", {"MeanEst"}),
        ("correlation", {"d": 11}, "10", {"IOH, k-Subset"}),
        ("correlation", {"d": 13}, "12", {f"IOH, {name}" for name in ("k-RR", "k-Subset", "OUE", "Hadamard bit")}),
        ("marginals", {"d": 2, "k": 708}, "1,000,000", {"bit flips"}),
        ("crosstabs", {"d": 46, "k": 32}, "1,000,000", {"Harmony, pairs"}),
        ("crosstabs", {"d": 100, "k": 59}, "16,777,216", {"Harmony, pairs", "blocks"}),
    ):
        found = named(ask(task, **sizes).rank())
        assert all(found[name].mechanism is None and found[name].excluded for name in names)
        assert any(f" {rule}" in found[name].why for name in names), task
        few = {"item": {"k": 100_000}, "sets": {"d": 10_000, "m": 8}, "numbers": {"d": 4096}}.get(
            task, {"correlation": {"d": 10}, "marginals": {"d": 2, "k": 707}, "crosstabs": {"d": 5, "k": 32}}.get(task)
        )
        assert all(not choice.excluded for choice in ask(task, **few).rank() if choice.name in names)


# ----------------------------------------------------------------------------------- what a mechanism may still choose


@pytest.mark.parametrize("epsilon", [0.3, 0.75, 1.5, 2.2, 3.1, 4.5, 6.0])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_number_of_blocks_of_a_hadamard_response_is_a_good_one(epsilon, share):
    """No power of two is more than 2 % better for a rare item of many."""
    found = named(ask("item", k=1000, epsilon=epsilon, share=share).rank())["Hadamard response"]
    tried = [HadamardResponse(k=1000, epsilon=epsilon, blocks=2**i) for i in range(10)]
    if share == 0:
        best = min(one.variance([0])[0, 1:].mean() for one in tried)
        assert found.error**2 * N < 1.02 * best
    published = HadamardResponse(k=1000, epsilon=epsilon)
    noise = published.variance([0])[0]
    assert found.error**2 * N <= (share * noise[0] + (1 - share) * noise[1:].mean()) * (1 + 1e-12)


@pytest.mark.parametrize("d", [2, 5, 40])
@pytest.mark.parametrize("epsilon", [1e-6, 0.9, 3.0, 4.4, 8.0, 32.0])
def test_harmony_asks_about_the_best_number_of_numbers(d, epsilon):
    found = named(ask("numbers", d=d, epsilon=epsilon).rank())["Harmony"]
    counts = range(1, d + 1 if epsilon > 1e-3 else 2)
    best = min(many_numbers.HarmonyMean(d=d, epsilon=epsilon, count=count).worst_variance for count in counts)
    assert found.error**2 * N == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-6, 2e-6, 32.0])
def test_every_epsilon_is_answered(epsilon):
    small = {"k": 3, "d": 4, "m": 2, "candidates": 2}
    for task, kind in choose.TASKS.items():
        asked = {field.name: small[field.name] for field in fields(kind) if field.name in small}
        for choice in ask(task, epsilon=epsilon, **asked).rank():
            assert choice.excluded or 0 < choice.error < inf, (task, choice.name)
            assert all(error >= 0 for error in choice.errors.values())
            if choice.name in ("PrivKV", "LDPMiner"):
                assert (choice.why == TINY) == (epsilon < 2e-6) == (choice.mechanism is None)


@pytest.mark.parametrize("k", [2, 8, 31, 200, 1000])
def test_strings_have_four_equations_a_candidate(k):
    found = named(ask("item", k=k).rank())
    filters, slots = found["RAPPOR"].mechanism, found["O-RR"].mechanism
    assert (filters.bits, filters.hashes, filters.q - filters.p, slots.k) == (32, 1, 1, 32)
    assert filters.cohorts == slots.cohorts
    assert 4 * k <= 31 * filters.cohorts and (31 * (filters.cohorts - 1) < 4 * k or filters.cohorts == 2)


def test_the_reason_for_strings_names_a_method_that_they_have_here_and_on_the_page():
    found, page = named(ask("item", k=8).rank()), (ROOT / "book/_static/choose.js").read_text("utf-8")
    for name in ("RAPPOR", "O-RR"):
        (method,) = re.findall(r"(\w+)\(values, items\)", found[name].why)
        assert [*inspect.signature(getattr(found[name].mechanism, method)).parameters] == ["values", "items"]
        assert f'"{name}", "{found[name].why}"' in page


def test_heads_of_the_tables_read_with_what_stands_below_them():
    page = (ROOT / "book/_static/choose.js").read_text("utf-8")
    assert "server works per  needs list\n" in str(ask("item", k=8).rank()) and '"The server works per"' in page


@pytest.mark.parametrize("task", ["marginals", "crosstabs"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 3.0, 5.0, 8.0])
def test_blocks_have_the_best_size(task, epsilon):
    question = ask(task, d=7, k=2, epsilon=epsilon)
    every = [blocks.Blocks(sizes=(2,) * 7, size=size, epsilon=epsilon) for size in range(2, 8)]
    assert named(question.rank())["blocks"].mechanism == min(every, key=lambda b: question._variances(b)["share"])


def test_windows_have_the_best_width():
    for name, kind in (("Piecewise", one_number.Piecewise), ("Hybrid", one_number.Hybrid)):
        found = named(ask("number", epsilon=2.0).rank())[name].mechanism
        assert found == kind(epsilon=2.0, width=found.width)
        assert all(
            found.worst_variance < kind(epsilon=2.0, width=w).worst_variance for w in (found.width - 1, found.width + 1)
        )


# ------------------------------------------------------------------------------------------------- bits and servers


@pytest.mark.parametrize(
    ("name", "bits"),
    [
        ("GRR", 0),
        ("OUE", 0),
        ("OLH", 93),
        ("HadamardBit", 8),
        ("HadamardResponse", 0),
        ("SHist", 12),
        ("HarmonyFrequency", 4 + 2),
        ("PCE", 0 + 8),
        ("RAPPOR", 2),
        ("ORR", 5),
        ("TwoPoint", 0),
        ("HarmonyMean", 4),
        ("SampledHybrid", 4),
        ("StateEncoding", 8),
        ("StateEncodingSplit", 0),
        ("PrivKV", 8),
        ("Wheel", 96),
        ("WheelKV", 96),
        ("IOH", 0),
        ("PairSampling", 7),
        ("SampledHadamardBit", 8),
        ("PrivSet", 0),
        ("BitFlip", 0),
        ("Blocks", 7),
    ],
)
def test_public_bits_are_enough_for_the_public_part_and_not_one_too_many(name, bits):
    entry = CATALOGUE[name]
    mechanism = entry.build(entry.bench, 1.0)
    assert mechanism.public_bits == bits
    assert (bits == 0) == (not mechanism.public_fields or name in ("PCE",) and bits == 0)


def test_public_bits_of_combinations():
    assert many_numbers.SampledHybrid(d=10, epsilon=8.0).public_bits == 7  # three of ten: 120
    assert IOH.of(("a", "b", "c"), HadamardBit, 1.0).public_bits == 5
    assert PairSampling.of(("a", "b", "c", "d"), HadamardBit, 1.0).public_bits == 3 + 4
    assert replace(OLH(k=4, epsilon=1.0), prime=5).public_bits == 9


def test_the_servers_work_is_as_measured(answers):
    """The record of times has a column for servers that do something for each report and each item."""
    record = experiment.recorded("bench.mechanisms")
    measured = record[(record["library"] == "ldpnb") & (record["what"] == "server, an item")]["mechanism"]
    each = {name.split(",")[0] for name in measured}
    seen = {}
    for _, _, found in answers:
        for choice in found:
            if isinstance(choice.mechanism, Mechanism) and choice.kind not in (
                "IOH",
                "PairSampling",
                "DrawnAttributes",
            ):
                seen.setdefault(choice.kind, set()).add(choice.server)
    assert {name: servers for name, servers in seen.items() if len(servers) > 1} == {}
    grows = {name for name, (server,) in seen.items() if server == "report and item"}
    assert grows == (each & set(seen)) | {"PrivSet"}  # whose reports name a share of all items
    over = {c.name: c.server for c in ask("correlation", d=3).rank()}
    assert over["IOH, OUE"] == "report and item" and over["IOH, Hadamard bit"] == over["pairs, k-RR"] == "report"


# ---------------------------------------------------------------------------------------------------------- people


@pytest.mark.parametrize("wanted", [0.05, 0.01, 0.0003])
def test_so_many_people_have_the_error_that_is_wanted(wanted):
    question = ask("item", k=100, n=777)
    for choice in question.rank():
        if choice.error < inf:
            n = choice.people(wanted)
            at, before = (named(replace(question, n=m).rank())[choice.name].error for m in (n, max(1, n - 1)))
            assert at <= wanted * (1 + 1e-9) and (before > wanted * (1 - 1e-9) or n == 1)
    best = question.rank()[0]
    assert best.people(best.error) == 777
    assert best.people(100.0) == 1


def test_people_are_asked_for_a_number():
    best, *_, last = ask("item", k=100).rank()
    for bad in (0, -1.0, inf, float("nan"), "1", None, True):
        with pytest.raises(ValueError, match="error must be a positive number, got"):
            best.people(bad)
    with pytest.raises(ValueError, match="error must be at least 1e-100 of "):
        best.people(1e-200)
    with pytest.raises(ValueError, match="error must be one that has a closed form, got one of matrix"):
        last.people(0.1)


# --------------------------------------------------------------------------------------------------- worth knowing


def test_who_wins():
    """What the chapter says, in the small: nobody can change a formula without noticing."""

    def first(task, **question):
        return ask(task, **question).rank()[0].name

    assert first("item", k=3) == "k-RR" and first("item", k=1000) == "k-Subset"
    assert first("item", k=1024, bits=11) == "block design" and first("item", k=1024, bits=11, epsilon=8.0) == "k-RR"
    assert first("item", k=1024, bits=1, public_free=True) == "Hadamard bit"
    assert first("sets", d=1000, m=8) == "PrivSet" and first("sets", d=1000, m=8, bits=11) == "sampled S-Hist"
    assert first("number", epsilon=0.2) == "two points" and first("number", epsilon=1.0) == "Hybrid"
    assert first("pairs", d=512, m=8) == "Wheel-KV" and first("pairs", d=64, m=8, epsilon=3.0) == "PCKV-GRR"
    assert first("marginals", d=16, k=2) == "one attribute, k-RR"
    assert first("marginals", d=16, k=100) == "one attribute, k-Subset"
    assert first("crosstabs", d=16, k=2) == "blocks" and first("crosstabs", d=16, k=10) == "one pair, k-Subset"
    assert first("distribution", k=64) == first("distribution", k=1024) == "hierarchy"
    assert first("distribution", k=8) == "k-Subset" and first("distribution", k=8, epsilon=4.0) == "k-RR"


def test_the_grid_has_every_task_and_every_argument():
    assert set(GRID) == set(choose.TASKS) == {task for task, _ in LIMITS}
    for task, kind in choose.TASKS.items():
        asked = {name for t, one in questions() if t == task for name in one}
        assert {field.name for field in fields(kind)} - asked <= {"bits", "public_free", "listed"}
