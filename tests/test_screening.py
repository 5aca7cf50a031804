"""Honest crowds pass; of the attacks, some stand out, and some cannot."""

import re

import numpy as np
import pytest
from mechanisms import CATALOGUE
from scipy.stats import binom

from ldpnb import (
    GRR,
    IOH,
    OLH,
    ORR,
    OUE,
    PCKVUE,
    RAPPOR,
    SUE,
    BitFlip,
    BlockDesign,
    DrawnAttributes,
    HadamardBit,
    HadamardResponse,
    HarmonyFrequency,
    Hierarchy,
    Laplace,
    Records,
    SampledSUE,
    StateEncoding,
    Wheel,
    screen,
)
from ldpnb.oracles import PCE, people
from ldpnb.collecting import screening
from ldpnb.verify import laws

N = 20_000


def crowd(mechanism, n=N, seed=0):
    """Reports of honest people, some items of whom are frequent."""
    rng = np.random.default_rng(seed)
    values = np.minimum(rng.zipf(1.5, n), mechanism.k) - 1
    return mechanism.perturb(values, rng=rng)


def honest_reports(name, n, seed):
    entry, rng = CATALOGUE[name], np.random.default_rng(seed)
    mechanism = entry.build(min(entry.bench, 64), 1.0)
    return mechanism, mechanism.perturb(entry.people(mechanism, n, rng), rng=rng)


SCREENED = [honest_reports(name, 50, 0) for name in CATALOGUE]


@pytest.mark.parametrize("name", CATALOGUE)
def test_honest_crowds_pass(name):
    found = screen(*honest_reports(name, 3000, 0))
    assert found.failed == [] and found.suspects == {}
    assert all(0 <= p <= 1 for p in found.p_values.values())


SMALL = [
    OUE(k=6, epsilon=1.0),
    SUE(k=3, epsilon=0.1, packed=True),
    OLH(k=5, epsilon=1.0, prime=5),
    HadamardBit(k=5, epsilon=1.0),
    GRR(k=3, epsilon=3.0),
    HadamardResponse(k=5, epsilon=1.0, blocks=1),
    HadamardResponse(k=5, epsilon=3.0, blocks=4),
    Hierarchy.of(8, 1.0, GRR, widths=(1, 2), weights=(1, 2)),
    Hierarchy.of(8, 2.0, HadamardBit),
    DrawnAttributes.of((2, 3), OUE, 1.0),
]


@pytest.mark.parametrize("mechanism", SMALL, ids=lambda m: type(m).__name__)
def test_false_alarms_are_as_rare_as_stated(mechanism):
    """One in ten is allowed; 400 crowds of few people, all alike, and then all with their own items."""
    alarms = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        values = np.zeros(60, int) if seed % 2 else rng.integers(0, getattr(mechanism, "k", 6), 60)
        if isinstance(mechanism, DrawnAttributes):
            values = np.column_stack([values % 2, values % 3])
        alarms += bool(screen(mechanism, mechanism.perturb(values, rng=rng), alarm=0.1).failed)
    assert alarms <= binom.isf(1e-9, 400, 0.1)


# -------------------------------------------------------------------------------------------- attacks that stand out


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", [OUE, SUE])
def test_all_ones_reports_stand_out_each(kind, packed):
    mechanism = kind(k=128, epsilon=1.0, packed=packed)
    reports = crowd(mechanism)
    reports[5:8] = mechanism._worst()
    found = screen(mechanism, reports)
    assert found.suspects["ones of each report"].tolist() == [5, 6, 7]
    assert "ones of each report" in found.failed


@pytest.mark.parametrize(
    "mechanism, values, ones",
    [
        (SampledSUE(d=128, ell=2, epsilon=1.0), Records.of(*[{0, 1}] * 2000), True),
        (PCKVUE(d=64, ell=2, epsilon=1.0), Records.of(*[{0: 1.0}] * 2000), 1),
        (BitFlip(sizes=(4,) * 32, f=0.5), np.zeros((2000, 32), int), True),
        (RAPPOR(bits=128, hashes=2, cohorts=8, f=0.5, p=0.0, q=1.0), ["a"] * 2000, True),
        (CATALOGUE["Unknown"].build(6, 1.0), ["ab"] * 500, True),
    ],
    ids=lambda x: type(x).__name__,
)
def test_reports_that_say_yes_to_everything_stand_out(mechanism, values, ones):
    reports = mechanism.perturb(values, rng=np.random.default_rng(0))
    bits = reports["bits"] if reports.dtype.names else reports
    bits[:2] = ones
    assert [0, 1] in [places.tolist() for places in screen(mechanism, reports).suspects.values()]


@pytest.mark.parametrize("excess", [1, 2])
def test_a_few_ones_too_many_in_every_report_stand_out_together(excess):
    """None of them alone."""
    oracle = OUE(k=128, epsilon=1.0)
    reports = crowd(oracle)
    for i in range(excess):
        reports[:, i] = True
    found = screen(oracle, reports)
    assert "ones of all reports" in found.failed and "ones of each report" not in found.failed


def test_reports_with_exactly_the_mean_number_of_ones_stand_out():
    """As a limit on ones would let them pass."""
    oracle, rng = OUE(k=128, epsilon=1.0), np.random.default_rng(1)
    reports = crowd(oracle)
    mean = round(float(sum(oracle.support) + 126 * oracle.support[1]))
    reports[:1000] = rng.permuted(np.tile(np.arange(128) < mean, (1000, 1)), axis=1)
    found = screen(oracle, reports)
    assert found.failed == ["reports with one number of ones"]
    assert set(range(1000)) <= set(found.suspects["reports with one number of ones"].tolist())


def test_copies_of_one_crafted_report_stand_out():
    oracle = OUE(k=128, epsilon=1.0)
    reports = crowd(oracle)
    reports[[3, 9, 11]] = reports[3]
    assert screen(oracle, reports).suspects["copies of bits"].tolist() == [3, 9, 11]


@pytest.mark.parametrize("mechanism", [OLH(k=64, epsilon=1.0), Wheel(epsilon=1.0, m=1)], ids=lambda m: type(m).__name__)
def test_copies_of_one_seed_stand_out(mechanism):
    rng = np.random.default_rng(2)
    values = Records.of(*[{1}] * N) if isinstance(mechanism, Wheel) else np.ones(N, int)
    reports = mechanism.perturb(values, rng=rng)
    reports["seed"][[4, 40, 400]] = reports["seed"][4]
    assert screen(mechanism, reports).suspects["copies of a seed"].tolist() == [4, 40, 400]


@pytest.mark.parametrize("last", [0, 12345])
@pytest.mark.parametrize("mechanism", [OLH(k=64, epsilon=1.0), Wheel(epsilon=1.0, m=1)], ids=lambda m: type(m).__name__)
def test_one_seed_that_puts_all_items_into_one_slot_stands_out(mechanism, last):
    values = Records.of(*[{1}] * N) if isinstance(mechanism, Wheel) else np.ones(N, int)
    reports = mechanism.perturb(values, rng=np.random.default_rng(3))
    reports["seed"][7] = 0, 0, last
    found = screen(mechanism, reports)
    assert found.failed == ["seeds that tell no items apart"]
    assert found.suspects["seeds that tell no items apart"].tolist() == [7]


@pytest.mark.parametrize("mechanism", [OLH(k=64, epsilon=1.0), Wheel(epsilon=1.0, m=1)], ids=lambda m: type(m).__name__)
def test_a_slot_that_the_crowd_prefers_stands_out(mechanism):
    values = Records.of(*[{1}] * N) if isinstance(mechanism, Wheel) else np.ones(N, int)
    reports = mechanism.perturb(values, rng=np.random.default_rng(4))
    assert screen(mechanism, reports).failed == []
    reports["slot"][: N // 20] = 2
    found = screen(mechanism, reports)
    assert found.failed == ["slot"] and set(range(N // 20)) <= set(found.suspects["slot"].tolist())


@pytest.mark.parametrize(
    "mechanism, values, field",
    [
        (HadamardBit(k=64, epsilon=1.0), np.zeros(N, int), "row"),
        (HadamardBit(k=1024, epsilon=1.0), np.zeros(N, int), "row"),
        (PCE(k=64, levels=(0.5, 1.0)), people(np.zeros(N, int), np.zeros(N, int)), "row"),
        (HarmonyFrequency(sizes=(8, 3), epsilon=1.0), np.zeros((N, 2), int), "attribute"),
        (HarmonyFrequency(sizes=(8, 3), epsilon=1.0), np.zeros((N, 2), int), "row"),
        (StateEncoding(d=64, epsilon=1.0), Records.of(*[{0: 1.0}] * N), "key"),
        (RAPPOR(bits=16, hashes=2, cohorts=8, f=0.5, p=0.0, q=1.0), ["a"] * N, "cohort"),
        (ORR(k=8, cohorts=8, epsilon=1.0), ["a"] * N, "cohort"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_a_public_part_that_is_chosen_stands_out(mechanism, values, field):
    """One in twenty takes row 0, the first cohort or the first key."""
    reports = mechanism.perturb(values, rng=np.random.default_rng(5))
    assert screen(mechanism, reports).failed == []
    reports[field][: N // 20] = 0
    found = screen(mechanism, reports)
    assert found.failed == [field] and set(range(N // 20)) <= set(found.suspects[field].tolist())


def test_combinations_of_keys_are_screened_as_the_reports_of_their_oracle():
    health = IOH.of(("a", "b", "c", "d"), OUE, 1.0)
    reports = health.perturb(Records.of(*[{0: 1.0}] * 2000), rng=np.random.default_rng(6))
    reports[0] = True
    assert screen(health, reports).suspects["ones of each report"].tolist() == [0]


def test_a_share_that_no_values_explain_stands_out():
    """k-RR liars who want too much: more than if everybody had the item."""
    oracle = GRR(k=64, epsilon=1.0)
    reports = crowd(oracle)
    reports[: N // 20] = 63
    assert screen(oracle, reports).failed == ["share of an item"]
    assert oracle.estimate(oracle.tally(reports))[63] > 1.5


RESPONSES = [(5, 1.0, 1), (2, 1.0, 1), (6, 3.0, 2), (7, 3.0, 4), (3, 2.0, 4), (12, 0.5, 1)]  # k, ε, blocks


@pytest.mark.parametrize("k, epsilon, blocks", RESPONSES)
def test_bounds_of_hadamard_response_are_those_of_its_exact_law(k, epsilon, blocks, monkeypatch):
    """Of each category, the least and the most likely item attain them; none is outside."""
    oracle = HadamardResponse(k=k, epsilon=epsilon, blocks=blocks)
    every, given = np.arange(oracle.size), {}
    monkeypatch.setattr(screening, "_categories", lambda name, *rest: given.setdefault(name, rest) and screening.Test(name, 1.0))
    screen(oracle, every)
    found = laws(oracle, np.arange(k))
    law = np.array([[float(found[x].get(y, 0)) for y in every] for x in range(k)])
    assert [*given] == (["block", "index"] if blocks > 1 else []) + ["place in the block"]
    for cells, low, high in given.values():
        shares = np.stack([np.bincount(cells.ravel(), weights=one, minlength=len(low)) for one in law])
        np.testing.assert_allclose(shares.min(0), low, rtol=1e-12)
        np.testing.assert_allclose(shares.max(0), high, rtol=1e-12)
    first = np.bincount(every % oracle.b, weights=law[0])[0]
    assert first == pytest.approx((1 + float(oracle.keep)) / oracle.b), "exact, whatever the item"


@pytest.mark.parametrize("k, epsilon, blocks", RESPONSES)
def test_columns_of_hadamard_response_are_coins_but_for_the_own_one(k, epsilon, blocks):
    oracle = HadamardResponse(k=k, epsilon=epsilon, blocks=blocks)
    for x, law in enumerate(laws(oracle, np.arange(k))):
        for block in range(blocks):
            part = {y % oracle.b: float(p) for y, p in law.items() if y // oracle.b == block}
            for column in range(1, oracle.b):
                plus = sum(p for j, p in part.items() if (j & column).bit_count() % 2 == 0) / sum(part.values())
                own = [int(part) for part in oracle.column(np.array(x))] == [block, column]
                keep = float(oracle.keep)
                most = ((1 - keep) / 2 + keep * blocks) / (1 - keep + keep * blocks)
                assert plus == pytest.approx(most if own else 0.5)


@pytest.mark.parametrize("k, epsilon, blocks", [(64, 1.0, 1), (64, 3.0, 8), (200, 2.0, 4), (5, 1.0, 1)])
def test_honest_indices_pass_and_preferred_ones_stand_out(k, epsilon, blocks):
    oracle, rng = HadamardResponse(k=k, epsilon=epsilon, blocks=blocks), np.random.default_rng(8)
    for values in (np.zeros(N, int), rng.integers(0, k, N), np.full(N, k - 1)):
        honest = oracle.perturb(values, rng=rng)
        assert screen(oracle, honest).failed == []
    for index in (0, oracle.size - 1):  # the first place, of all items; and the last one
        reports = honest.copy()
        reports[: N // 5] = index
        found = screen(oracle, reports)
        assert "place in the block" in found.failed
        assert {*range(N // 5)} <= {*found.suspects["place in the block"].tolist()}


def test_a_column_that_no_item_has_stands_out():
    """Indices on its plus side, drawn evenly: no index, place or block is too frequent."""
    oracle, rng = HadamardResponse(k=40, epsilon=1.0, blocks=1), np.random.default_rng(9)
    reports = oracle.perturb(rng.integers(0, 40, N), rng=rng)
    unused = oracle.b - 1
    side = np.flatnonzero(np.bitwise_count(np.arange(oracle.b) & unused) % 2 == 0)
    reports[: N // 20] = rng.choice(side, N // 20)
    assert screen(oracle, reports).failed == ["signs of a column"]


@pytest.mark.parametrize("make", [GRR, BlockDesign, HadamardBit, None])
def test_levels_of_a_hierarchy_are_screened_each_by_its_oracle(make):
    survey, rng = Hierarchy.of(64, 1.0, make), np.random.default_rng(10)
    honest = survey.perturb(np.minimum(rng.zipf(1.5, N), 64) - 1, rng=rng)
    found = screen(survey, honest)
    assert found.tested and found.failed == [] and "share of an item at level 4" in found.p_values
    chosen = honest.copy()  # one in five moves to the coarsest level
    some = np.flatnonzero(honest["level"] == 0)[: N // 5]
    chosen[some] = honest[honest["level"] == 4][0]
    found = screen(survey, chosen)
    assert "level" in found.failed and {*some.tolist()} <= {*found.suspects["level"].tolist()}


def test_a_public_row_of_one_level_stands_out_at_that_level():
    survey, rng = Hierarchy.of(64, 1.0, HadamardBit), np.random.default_rng(11)
    reports = survey.perturb(rng.integers(0, 64, N), rng=rng)
    at = np.flatnonzero(reports["level"] == 0)[:600]
    reports["row"][at] = 5
    found = screen(survey, reports)
    assert found.failed == ["row at level 0"] and {*at.tolist()} <= {*found.suspects["row at level 0"].tolist()}


def test_a_share_of_a_level_that_no_values_explain_stands_out():
    survey, rng = Hierarchy.of(64, 1.0, GRR), np.random.default_rng(12)
    reports = survey.perturb(np.zeros(N, int), rng=rng)
    assert screen(survey, reports).failed == []
    at = np.flatnonzero(reports["level"] == 0)
    reports["report"][at[: len(at) // 20]] = 0  # more than if all people were in the first cell
    assert screen(survey, reports).failed == ["share of an item at level 0"]


def test_levels_without_reports_are_counted_among_the_tests():
    survey = Hierarchy.of(64, 1.0, GRR)
    few = survey.perturb([3, 4], rng=np.random.default_rng(0))
    found = screen(survey, few)
    assert len(found.p_values) == 6 and found.failed == []


def test_a_report_of_another_level_is_refused():
    survey = Hierarchy.of(64, 1.0, GRR)
    reports = survey.perturb(np.zeros(50, int), rng=np.random.default_rng(0))
    reports["level"], reports["report"] = 4, 63
    with pytest.raises(ValueError, match=r"reports must be integers in \[0, 4\), got 63"):
        screen(survey, reports)


def test_drawn_attributes_are_screened_as_the_reports_of_their_oracle():
    survey, rng = DrawnAttributes.of((4,) * 6, OUE, 1.0), np.random.default_rng(13)
    reports = survey.perturb(rng.integers(0, 4, (N, 6)), rng=rng)
    assert screen(survey, reports).failed == []
    for field, liar in (("report", True), ("attributes", 3)):
        forged = reports.copy()
        forged[field][: N // 20] = liar
        assert screen(survey, forged).failed, field


# ------------------------------------------------------------------------------------------- attacks that nothing finds


def test_k_rr_liars_who_want_less_do_not_stand_out():
    """Their reports are those of honest people with their item."""
    oracle = GRR(k=64, epsilon=1.0)
    reports = crowd(oracle)
    before = oracle.estimate(oracle.tally(reports))[63]
    reports[: N // 200] = 63
    after = oracle.estimate(oracle.tally(reports))[63]
    assert screen(oracle, reports).failed == []
    assert after - before == pytest.approx(oracle.influence() / 200, abs=0.03) and after > 0.17


def test_crafted_reports_with_an_honest_number_of_ones_do_not_stand_out():
    """An honest report of somebody else, in which ones are moved to the ten targets: 1 % of the people do it."""
    oracle, targets, liars = OUE(k=256, epsilon=1.0), np.arange(246, 256), N // 100
    reports, rng = crowd(oracle), np.random.default_rng(7)
    before = oracle.estimate(oracle.tally(reports))[targets].sum()
    for report in reports[:liars]:
        ones = rng.permutation(np.flatnonzero(report[:246]))
        report[ones[: np.count_nonzero(~report[targets])]] = False
        report[targets] = True
    after = oracle.estimate(oracle.tally(reports))[targets].sum()
    assert screen(oracle, reports).failed == []
    assert after - before == pytest.approx(oracle.influence(10) / 100, abs=0.03) and after - before > 0.28


def test_what_crafted_reports_do_is_what_was_measured():
    """Ten targets from 0.7 % to 32.4 %, with 1 % liars among 100,000 people."""
    oracle = OUE(k=1024, epsilon=1.0)
    assert 0.99 * 0.007 + 0.01 * oracle.influence(10) == pytest.approx(0.324, abs=0.003)


def test_reports_of_means_show_nothing():
    mean = Laplace(epsilon=1.0)
    found = screen(mean, np.full(1000, len(mean.scores) - 1))
    assert found.p_values == {} and found.failed == [] and not found.tested
    assert str(found) == "Laplace, cut: there is no test for its reports; that none failed says nothing about them"


def test_a_screening_says_what_was_tested_and_what_failed():
    oracle = HadamardBit(k=64, epsilon=1.0)
    reports = crowd(oracle)
    passed = str(screen(oracle, reports))
    assert passed.splitlines()[0] == "Hadamard bit: 0 of 2 tests failed, alarm = 1e-06" and "failed," not in passed[60:]
    reports["row"][:2000] = 7
    assert re.search(r"\nrow +p = \S+  failed, 2\d{3} reports stand out\n", str(screen(oracle, reports)))


def test_mechanisms_without_a_test_are_those_that_the_page_names():
    silent = {type(made).__name__ for made, reports in SCREENED if not screen(made, reports).tested}
    said = screen.__doc__.split("There is no test for ")[1].split(": then")[0]
    assert {*re.findall("`([A-Za-z]+)`", said)} == silent


# --------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "mechanism, reports, alarm, message",
    [
        (GRR, [0, 1], 1e-6, "mechanism must be a Mechanism, got"),
        (GRR(k=2, epsilon=1.0), [0, 1], 0, r"alarm must be a probability in \(0, 1\), got 0"),
        (GRR(k=2, epsilon=1.0), [0, 1], "1", r"alarm must be a probability in \(0, 1\), got '1'"),
        (GRR(k=2, epsilon=1.0), np.zeros(0, int), 0.1, "reports must hold at least one report, got none"),
        (GRR(k=2, epsilon=1.0), [0, 2], 0.1, "reports must be .*, got 2"),
    ],
)
def test_what_cannot_be_screened_is_refused(mechanism, reports, alarm, message):
    with pytest.raises(ValueError, match=message):
        screen(mechanism, reports, alarm=alarm)


@pytest.mark.parametrize("alarm", [1e-6, np.float16(6e-8), np.float32(1e-45), 5e-324])
def test_an_alarm_however_small_can_be_raised(alarm):
    """A part of it for each test would be 0 as a float, below which no p-value is."""
    oracle = OUE(k=64, epsilon=1.0)
    reports = oracle.perturb(np.arange(1000) % 64, rng=np.random.default_rng(0))
    reports[:300] = True
    found = screen(oracle, reports, alarm=alarm)
    assert found.alarm == float(alarm) and found.failed
    assert 0.0 in found.p_values.values()
    assert set(found.suspects) <= set(found.failed)


@pytest.mark.parametrize("alarm", [10**400, np.longdouble("1e-4000"), np.array(0.5), True])
def test_an_alarm_is_a_float_above_0(alarm):
    with pytest.raises(ValueError, match=r"^alarm must be a probability in \(0, 1\), got "):
        screen(GRR(k=2, epsilon=1.0), [0, 1], alarm=alarm)
