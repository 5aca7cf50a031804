"""Contrasts, differences and tests of groups: variances exact on small laws, what is printed, and refusals."""

from dataclasses import replace
from itertools import combinations, product
from math import nan, sqrt

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom, multinomial, norm

from ldpnb import (
    GRR,
    OLH,
    OUE,
    PCE,
    PCKVGRR,
    PCKVUE,
    SUE,
    BlockDesign,
    Blocks,
    DrawnAttributes,
    HadamardBit,
    HadamardResponse,
    HarmonyFrequency,
    Number,
    OneOf,
    PrivKV,
    Ratings,
    StateEncoding,
    StateEncodingSplit,
    Strings,
    SubsetSelection,
    Survey,
    TwoPoint,
    Wheel,
    WheelKV,
    YesNoTable,
    difference,
    differences,
    pool_waves,
    same_everywhere,
)
from ldpnb.core import Tally, Untold
from ldpnb.intervals import binomial_ends
from ldpnb.oracles import people as at_levels
from ldpnb.postprocess import norm_sub
from ldpnb.survey import Contrast, Waves
from ldpnb.survey._contrasts import Part, _of_these, known_variance, largest_apart, variance_of
from ldpnb.verify import contract, laws
from ldpnb_book.experiment import recorded

LABELS = ["detractor", "passive", "promoter"]
NPS = {"promoter": 1, "detractor": -1}
ORACLES = [GRR, SUE, OUE, OLH, HadamardBit, HadamardResponse, SubsetSelection, BlockDesign]


def seeded(seed=0):
    return np.random.default_rng(seed)


# ------------------------------------------------------------------------------- exactly, given who was asked


def laws_and_counts(mechanism):
    """Chance and counts of each report, of a person who has any of the inputs of an example."""
    (example,) = [one for one in type(mechanism).example() if one.mechanism == mechanism]
    inputs = len(example.inputs)
    chance, _, counts = contract._mixed(example, np.full(inputs, 1 / inputs))
    return chance, counts


def all_surveys(mechanism, n):
    """Chance and tallies of all surveys of n random people, in order."""
    chance, counts = laws_and_counts(mechanism)
    each, total = np.ones(1), np.zeros((1, *counts.shape[1:]), np.int64)
    for _ in range(n):
        each = np.outer(each, chance).ravel()
        total = (total[:, None] + counts).reshape(-1, *counts.shape[1:])
    return each, Tally(mechanism, n, total)


ASKED = [  # and people, of whom two are asked each question that has a weight
    (DrawnAttributes.of((2, 2), OUE, 1.0), 2),
    (DrawnAttributes.of((2, 2), HadamardBit, 0.5), 2),
    (DrawnAttributes.of((2, 3), GRR, 1.0), 4),
    (HarmonyFrequency(sizes=(2, 3), epsilon=1.0), 3),
    (StateEncoding(d=2, epsilon=1.0), 4),
    (PrivKV(d=2, key_epsilon=0.5, value_epsilon=0.5), 4),
]


def mean_given_asked(mechanism, weights, n):
    """By numbers asked: exact variance of the weighted sum of `estimate_of_asked`, and the mean that is told."""
    chance, tally = all_surveys(mechanism, n)
    parts = mechanism._contrast_parts(tally, weights)
    used = mechanism._questions_of(weights)
    numbers = parts.numbers[:, used]
    enough = numbers.min(1) > 1
    found = np.zeros(len(chance))
    some = Tally(mechanism, n, tally.counts[enough])
    found[enough] = mechanism.contrast_variance_of_asked(some, weights)
    sums = np.where(enough, parts.sums[:, used].sum(1), 0)
    rows = []
    for asked in {tuple(row) for row in numbers[enough].tolist()}:
        here = np.all(numbers == asked, axis=1)
        weight = chance[here] / chance[here].sum()
        mean = weight @ sums[here]
        rows.append((weight @ (sums[here] - mean) ** 2, weight @ found[here]))
    return np.array(rows).T


@pytest.mark.parametrize("mechanism, n", ASKED, ids=str)
def test_given_who_was_asked_it_is_unbiased(mechanism, n):
    shape = mechanism.estimate(all_surveys(mechanism, 1)[1]).shape[1:]
    weights = seeded(3).integers(1, 5, shape) * np.resize([1.0, -1.0], shape)
    if n < 4:  # of one question
        weights[..., 2:] = 0
    exact, told = mean_given_asked(mechanism, weights, n)
    np.testing.assert_allclose(told, exact, rtol=1e-9)


@pytest.mark.parametrize("mechanism", [one for one, _ in ASKED], ids=str)
def test_of_one_entry_it_is_the_error_of_those_asked(mechanism):
    example = next(one for one in type(mechanism).example() if one.mechanism == mechanism)
    values = example.inputs[np.arange(40) % len(example.inputs)]
    tally = mechanism.tally(mechanism.perturb(values, rng=seeded()))
    for people in (False, True)[: 1 + mechanism.shares]:
        errors = mechanism.standard_error_of_asked(tally, people=people)
        for entry in np.ndindex(errors.shape):
            unit = np.zeros(errors.shape)
            unit[entry] = 1
            found = mechanism.contrast_variance_of_asked(tally, unit, people=people)
            assert sqrt(max(float(found), 0)) == pytest.approx(errors[entry])


@pytest.mark.parametrize("mechanism", [ASKED[2][0], ASKED[3][0]], ids=str)
def test_about_three_very_people_it_is_unbiased_given_who_was_asked(mechanism):
    """All reports of three people, of the question with three values, which two or all of them were asked."""
    example = next(one for one in type(mechanism).example() if one.mechanism == mechanism)
    known = contract.known(example)
    chance, counts = np.ones(1), np.zeros((1, *mechanism._one_trial), np.int64)
    for law in [known.laws[i] for i in (0, 1, 2)]:
        each = np.stack([known.tallies[y].counts for y in law])
        chance = np.outer(chance, [float(p) for p in law.values()]).ravel()
        counts = (counts[:, None] + each).reshape(-1, *each.shape[1:])
    tally, weights = Tally(mechanism, 3, counts), np.array([0, 0, 1.0, -2, 0])
    parts = mechanism._contrast_parts(tally, weights)
    for number in (2, 3):
        here = parts.numbers[:, 1] == number
        weight = chance[here] / chance[here].sum()
        sums = parts.sums[here, 1]
        told = mechanism.contrast_variance_of_asked(Tally(mechanism, 3, counts[here]), weights, people=True)
        exact = weight @ (sums - weight @ sums) ** 2
        assert weight @ told == pytest.approx(exact)
        other = mechanism.contrast_variance_of_asked(Tally(mechanism, 3, counts[here]), weights)
        assert abs(weight @ other / exact - 1) > 0.01  # the control: about a population


def test_control_errors_that_add_are_biased_within_a_question():
    mechanism = DrawnAttributes.of((2, 3), GRR, 1.0)
    weights = np.array([0, 0, 1.0, -1, 0])
    exact, told = mean_given_asked(mechanism, weights, 3)
    np.testing.assert_allclose(told, exact, rtol=1e-9)
    _, first = mean_given_asked(mechanism, weights.clip(0, 1), 3)
    _, second = mean_given_asked(mechanism, weights.clip(-1, 0), 3)
    assert np.all(first + second < 0.95 * exact)


def surveys_by_block(mechanism, law, each):
    """Chance and counts of all surveys in which so many people drew each block, from the laws of its cells."""
    columns = []
    cells = law.shape[1]
    for row in law:
        found = {}
        for drawn in product(range(cells), repeat=each):
            counts = tuple(np.bincount(drawn, minlength=cells).tolist())
            found[counts] = found.get(counts, 0.0) + float(np.prod(row[list(drawn)]))
        columns.append(list(found.items()))
    for one in product(*columns):
        yield float(np.prod([p for _, p in one])), np.array([counts for counts, _ in one])


def block_law(mechanism, shares):
    """Law of the cell that is reported about each block, of people with these shares of records, (2, …, 2)."""
    d = len(mechanism.sizes)
    rows = []
    for block, g in zip(mechanism.blocks.tolist(), mechanism.keep.tolist(), strict=True):
        table = shares.sum(tuple(j for j in range(d) if j not in block)).ravel()
        rows.append((1 - g) / len(table) + g * table)
    return np.array(rows)


@pytest.mark.parametrize(
    "weights",
    [
        {(0,): [0, 1.0], (2,): [0, -1.0]},
        pytest.param({(0, 1): [[0, 0], [0, 1.0]], (1, 2): [[0, 0], [0, -2.0]]}, marks=pytest.mark.slow),
    ],
    ids=["columns", "pairs"],
)
def test_of_blocks_it_is_right_to_order_one_over_n(weights):
    mechanism = Blocks(sizes=(2, 2, 2), size=2, epsilon=2.0)
    shares = seeded(1).dirichlet(np.ones(8)).reshape(2, 2, 2)
    off = []
    for each in (1, 2):
        told = sums = squares = 0.0
        for p, counts in surveys_by_block(mechanism, block_law(mechanism, shares), each):
            tally = Tally(mechanism, 3 * each, counts.astype(np.int64))
            found = 0.0
            for s, w in weights.items():
                read = mechanism.tables if len(s) == 1 else mechanism.pair_tables
                found += float(np.sum(read(tally, [s]).tables[0] * np.array(w)))
            told += p * mechanism.pooled_contrast_variance(tally, weights)
            sums, squares = sums + p * found, squares + p * found**2
        off.append(told / (squares - sums**2) - 1)
    assert -1 < off[0] < off[1] < 0 and off[1] > off[0] * 0.62  # halved, but for order 1/n²


def test_of_one_column_of_blocks_it_is_that_of_a_binomial_count():
    mechanism = Blocks(sizes=(2,) * 4, size=3, epsilon=1.0)
    tally = mechanism.tally(mechanism.perturb(seeded().integers(0, 2, (200, 4)), rng=seeded(1)))
    found = mechanism.pooled_contrast_variance(tally, {(1,): [0, 2.0]})
    g = mechanism.keep[0]
    people = tally.counts[(mechanism.blocks == 1).any(1)].sum()
    f = mechanism.tables(tally, [(1,)]).tables[0][1]
    p = (1 - g) / 2 + g * f
    assert found == pytest.approx(4 * p * (1 - p) / (people * g**2))


# --------------------------------------------------------------------------------- what doors print


def asked(door, values, **more):
    question = door(**more)
    return question, question.tally(question.perturb(values, rng=seeded(5)))


def in_turn(*values):
    return list(values) * (1200 // len(values))


ROWS = [{"a": True, "b": False, "c": True}, {"a": False, "b": False, "c": True}, {"a": True, "b": True, "c": False}]
STARS = [{"x": 5, "y": 2}, {"x": 4}, {"y": 1}, {}]
WORDS = ["disk full", "no network"]
DOORS = [
    *((OneOf, in_turn(*LABELS), {"categories": LABELS, "mechanism": kind(k=3, epsilon=1.5)}) for kind in ORACLES),
    (Number, in_turn(20, 40), {"low": 18, "high": 90, "epsilon": 1.0}),
    (YesNoTable, in_turn(*ROWS), {"columns": ["a", "b", "c"], "epsilon": 4.0}),
    (YesNoTable, in_turn(*ROWS), {"columns": ["a", "b", "c"], "epsilon": 4.0, "missing": "no"}),
    (YesNoTable, in_turn(*ROWS), {"columns": ["a", "b", "c"], "epsilon": 1.0}),
    (YesNoTable, in_turn(*ROWS), {"columns": ["a", "b", "c"], "epsilon": 1.0, "missing": "no"}),
    (YesNoTable, in_turn(*ROWS), {"columns": ["a", "b", "c"], "epsilon": 2.0, "pairs": True}),
    (
        YesNoTable,
        in_turn(*ROWS),
        {"columns": ["a", "b", "c"], "mechanism": HarmonyFrequency(sizes=(2, 2, 2), epsilon=2.0)},
    ),
    *(
        (
            Ratings,
            in_turn(*STARS),
            {"items": ["x", "y"], "low": 1, "high": 5, "most": most, "mechanism": mechanism},
        )
        for most, mechanism in (
            (2, PCKVGRR(d=2, ell=2, epsilon=3.0)),
            (2, PCKVUE(d=2, ell=2, epsilon=3.0)),
            (2, StateEncoding(d=2, epsilon=3.0)),
            (2, StateEncodingSplit(d=2, epsilon=5.0)),
            (2, PrivKV.tight_split(2, 3.0)),
            (2, WheelKV(m=2, epsilon=3.0)),
        )
    ),
]


def tables(found):
    return [found.shares, found.means] if hasattr(found, "shares") else [found]


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("door, values, more", DOORS, ids=lambda x: str(x)[:40])
def test_one_row_is_the_row_that_is_printed(door, values, more, people):
    question, tally = asked(door, values, **more)
    for result in tables(question.estimate(tally, people=people)):
        for row in result:
            if not np.isfinite(row.estimate):
                continue
            found = result.contrast({row.label: 1})
            assert (found.estimate, found.error) == pytest.approx((row.estimate, row.error))
            assert found.what == result.what and found.level == result.level


@pytest.mark.parametrize("door, values, more", DOORS, ids=lambda x: str(x)[:40])
def test_the_mechanism_says_of_one_row_what_is_printed(door, values, more):
    """Where it tells contrasts at all; of blocks and means up to order 1/n, which is less than 1 % here."""
    question, tally = asked(door, values, **more)
    for result in tables(question.estimate(tally)):
        for place, row in enumerate(result):
            try:
                variance = known_variance(result, np.eye(len(result))[place], False)
            except Untold:
                assert isinstance(question.mechanism, StateEncodingSplit | WheelKV)
                continue
            close = isinstance(question.mechanism, Blocks) or result.what == "mean"
            assert sqrt(max(variance, 0)) == pytest.approx(row.error, rel=0.05 if close else 1e-9)


@pytest.mark.parametrize("candidates", [WORDS, [*WORDS, "overheated"]])
@pytest.mark.parametrize("people", [False, True])
def test_strings_are_told_apart(candidates, people):
    for mechanism in (Wheel(epsilon=2.0, m=1), Wheel(epsilon=2.0, m=2)):
        question = Strings(mechanism=mechanism)
        tally = question.tally(question.perturb(in_turn(*WORDS), rng=seeded(5)), candidates)
        result = question.estimate(tally, people=people)
        found = result.contrast({"disk full": 1, "no network": -1})
        own = [result[word].error for word in WORDS]
        more = sum(2 * result[w].share for w in WORDS[:1]) * result[WORDS[1]].share / (tally.n - 1)
        hypot = own[0] ** 2 + own[1] ** 2
        assert found.error**2 == pytest.approx(hypot if people else hypot + more, rel=1e-2)
    for m in (2, 3):
        tally = Wheel(epsilon=2.0, m=m)
        reports = tally.perturb(question.encoded(in_turn(*WORDS)), rng=seeded())
        with pytest.raises(Untold, match="tally must tell how sums of scores scatter.*: keep tallies of ten parts"):
            tally.contrast_variance(tally.tally(reports, WORDS), [1, -1])


def test_personal_budgets_do_not_tell_and_say_what_to_do():
    oracle = PCE(k=3, levels=(0.5, 2.0))
    tally = oracle.tally(oracle.perturb(at_levels([0, 1, 2, 0], [0, 1, 0, 1]), rng=seeded()))
    with pytest.raises(Untold, match="one of PCE.* does not: keep tallies of ten parts of the people"):
        oracle.contrast_variance(tally, [1, -1, 0])


def test_what_is_not_told_is_bounded_and_said_so():
    for mechanism in (StateEncodingSplit(d=2, epsilon=5.0), WheelKV(m=2, epsilon=3.0)):
        question = Ratings(["x", "y"], 1, 5, 2, mechanism=mechanism)
        result = question.estimate(question.tally(question.perturb(in_turn(*STARS), rng=seeded())))
        for one in (result.shares, result.means):
            found = one.contrast({"x": 1, "y": -2})
            assert found.error == pytest.approx(one["x"].error + 2 * one["y"].error)
            assert "the error is at most this, since reports do not tell how these rows go together" in found.said


def test_drawn_columns_about_these_people_are_bounded_by_the_population():
    question = YesNoTable(["a", "b", "c"], mechanism=DrawnAttributes.of((2, 2, 2), GRR, 1.0))
    tally = question.tally(question.perturb(in_turn(*ROWS), rng=seeded()))
    these, population = (
        question.estimate(tally, people=people).contrast({"a": 1, "b": -1}) for people in (True, False)
    )
    assert these.error == population.error
    assert "at most" in these.said and "at most" not in population.said
    assert "these very people" in these.said


# ------------------------------------------------------------------------------- scores, means, ends of scales


def likert(answers=None, n=4000, epsilon=2.0, **more):
    question = OneOf([1, 2, 3, 4, 5], epsilon=epsilon, **more)
    values = seeded(8).choice([1, 2, 3, 4, 5], n, p=[0.1, 0.1, 0.2, 0.3, 0.3]) if answers is None else answers
    return question.estimate(question.tally(question.perturb(list(values), rng=seeded(9))))


def test_the_net_promoter_score_is_a_mean_of_values():
    """Three ways to write it: the variance is that of one score per report, by hand."""
    answers = in_turn(*LABELS, "promoter")
    given = {"promoter": 1, "passive": 0, "detractor": -1}
    for values in (given, [-1, 0, 1]):
        question = OneOf(LABELS, mechanism=GRR(k=3, epsilon=1.5), values=values)
        tally = question.tally(question.perturb(answers, rng=seeded(2)))
        result = question.estimate(tally)
        found = result.mean, result.contrast(NPS), difference(result["promoter"], result["detractor"])
        p, q = (float(x) for x in question.mechanism.support)
        score = np.array([-1, 0, 1]) / (p - q)
        mean = tally.counts @ score / tally.n
        error = sqrt((tally.counts @ score**2 / tally.n - mean**2) / (tally.n - 1))
        for one in found:
            assert (one.estimate, one.error) == pytest.approx((mean, error))
        assert found[0].what == "mean" and found[1].what == "share"
    hypot = sqrt(result["promoter"].error ** 2 + result["detractor"].error ** 2)
    assert hypot < 0.95 * error  # the control


def test_numbers_as_labels_are_their_values():
    result = likert()
    assert result.mean.estimate == pytest.approx(float(np.arange(1, 6) @ result.estimate))
    assert result.mean.low < 3.6 < result.mean.high
    assert "mean" in str(result.mean)


def test_a_mean_moves_with_its_scale_where_shares_do_not_sum_to_one():
    rng = seeded(4)
    answers = rng.choice(3, 600)
    found = []
    for shift in (0, 1000):
        question = OneOf(["a", "b", "c"], mechanism=OUE(k=3, epsilon=1.0), values=[shift, shift + 1, shift + 2])
        tally = question.mechanism.tally(question.mechanism.perturb(answers, rng=seeded(1)))
        found.append(question.estimate(tally).mean)
    assert abs(float(question.estimate(tally).estimate.sum()) - 1) > 1e-3
    assert found[1].estimate == pytest.approx(found[0].estimate + 1000)
    assert found[1].error == pytest.approx(found[0].error)


def test_those_who_do_not_answer_are_left_out_of_a_mean():
    """A ratio: its first-order error is that of the people who answer, by the delta method done by hand."""
    question = OneOf([1, 2, 3], mechanism=GRR(k=4, epsilon=2.0), missing="none")
    answers = in_turn(1, 2, 3, 3, None, None)
    tally = question.tally(question.perturb(answers, rng=seeded(3)))
    result = question.estimate(tally)
    f = result.estimate
    inside = f[:3].sum()
    mean = f[:3] @ [1, 2, 3] / inside
    assert result.mean.estimate == pytest.approx(mean)
    w = np.append((np.array([1, 2, 3]) - mean) / inside, 0)
    assert result.mean.error**2 == pytest.approx(float(question.mechanism.contrast_variance(tally, w)))
    assert result.top(1).estimate == pytest.approx(f[2]) and result.bottom(2).estimate == pytest.approx(f[0] + f[1])


def test_top_and_bottom_follow_values_or_the_list():
    result = likert()
    assert result.top(2).estimate == pytest.approx(result[4].share + result[5].share)
    assert result.bottom(1).estimate == pytest.approx(result[1].share)
    words = OneOf(["good", "bad"], epsilon=1.0)
    listed = words.estimate(words.tally(words.perturb(in_turn("good", "bad", "bad"), rng=seeded())))
    assert listed.top(1).label == "bad"
    valued = OneOf(["good", "bad"], epsilon=1.0, values={"good": 1, "bad": -1})
    assert valued.estimate(Tally(valued.mechanism, listed.tally.n, listed.tally.counts)).top(1).label == "good"


def test_values_are_the_servers_and_change_no_identity():
    plain, valued = OneOf(LABELS, epsilon=1.0), OneOf(LABELS, epsilon=1.0, values=[-1, 0, 1])
    assert plain.identity == valued.identity and plain.mechanism == valued.mechanism


# ------------------------------------------------------------------------------------------ several at once


def test_all_categories_are_no_top_and_the_reason_is_said():
    with pytest.raises(ValueError, match=r"got 5: all 5 categories are everybody who has one of them$"):
        likert(n=500).top(5)


def test_p_is_printed_only_where_zero_lies_inside_of_what_can_be():
    result = likert(n=1000)
    score = OneOf(LABELS, epsilon=1.0, values=[-1, 0, 1])
    nps = score.estimate(score.tally(score.perturb(in_turn(*LABELS), rng=seeded())))
    for found in (result.mean, result.top(2), result.contrast({5: 1}), result.contrast({1: -1, 2: -2})):
        assert not found.tests_zero and 0 <= found.p_value <= 1
        assert "p: if 0 were true" not in str(found) and str(found).splitlines()[0].split()[-1] == "high"
    apart = difference(nps["promoter"], likert(n=1000)[1])
    for found in (nps.mean, result.contrast({5: 1, 1: -1}), apart):
        assert found.tests_zero and str(found).splitlines()[0].split()[-1] == "p"
        assert str(found).splitlines()[-1].endswith("; p: if 0 were true")
    both = result.contrast({"ends": {5: 1, 1: -1}, "best": {5: 1}})
    ends, best = str(both).splitlines()[1:3]
    assert not ends.endswith(" points") and best.endswith(" points")  # the latter has no p


def test_several_contrasts_hold_all_at_once():
    result = likert()
    alone, names = result.contrast({5: 1, 1: -1}), ("ends", "middle")
    both = result.contrast({"ends": {5: 1, 1: -1}, "middle": {3: 1}})
    assert tuple(both) == names and both["ends"].error == alone.error
    width = both["ends"].high - both["ends"].estimate
    assert width == pytest.approx(2.2414 * alone.error, rel=1e-4)  # 1.25 % on each side
    assert both["ends"].family == 2 and both["middle"].p_value == min(1, both["middle"].p_value)
    some = result.contrast({"ends": {5: 1, 1: -1}, "same": {5: 1, 4: -1}})
    single = result.contrast({5: 1, 4: -1})
    assert some["same"].p_value == pytest.approx(min(1.0, 2 * single.p_value))
    text = str(both)
    assert "ends" in text and "all 2 together" in text and len(text.splitlines()) == 6
    assert result.contrast({5: 1, 1: -1}, level=0.5).high < alone.high


# ------------------------------------------------------------------------------------------ other people


def groups(question, *answers):
    return [question.estimate(question.tally(question.perturb(x, rng=seeded(i)))) for i, x in enumerate(answers)]


def test_variances_of_other_people_add():
    question = OneOf(LABELS, epsilon=1.0)
    north, south = groups(question, in_turn(*LABELS), in_turn("promoter", "promoter", "passive"))
    found = difference(north["promoter"], south["promoter"])
    assert found.estimate == north["promoter"].share - south["promoter"].share
    assert found.error == pytest.approx(np.hypot(north["promoter"].error, south["promoter"].error))
    assert "other people in each: variances add; results of the same people are same_people=True" in str(found)
    scores = difference(north.contrast(NPS), south.contrast(NPS), 0.5)
    assert scores.error == pytest.approx(np.hypot(north.contrast(NPS).error, south.contrast(NPS).error))
    assert scores.level == 0.5 and isinstance(scores, Contrast)
    with pytest.raises(
        ValueError, match="a and b must be of one result, or of other reports, got a part of the reports"
    ):
        difference(scores, found)


def test_two_groups_have_names_and_all_rows_hold_at_once():
    question = OneOf(LABELS, epsilon=1.0)
    north, south = groups(question, in_turn(*LABELS), in_turn("promoter", "promoter", "passive"))
    row = difference(south["passive"], north["passive"], names=("south", "north"))
    assert row.label == "passive: south − north"
    assert difference(south["passive"], north["promoter"], names=("s", "n")).label == "s: passive − n: promoter"
    found = differences(south, north, names=("south", "north"))
    assert [*found] == LABELS and str(found).startswith("south − north ")
    single = found["passive"]
    assert (single.label, single.error, single.family) == (row.label, row.error, 3)
    assert single.p_value == pytest.approx(min(1, 3 * row.p_value))
    assert single.high - single.low == pytest.approx(2 * 2.393980 * row.error, rel=3e-3)  # 5/6 % on each side
    assert "all 3 together" in str(found)
    together = [question.estimate(one.tally, together=True) for one in (south, north)]
    said = difference(together[0]["passive"], together[1]["passive"]).said
    assert "interval, alone, " in said and said.endswith("; differences(…) holds for all rows together")
    assert "differences(" not in row.said


def test_about_these_people_a_difference_is_no_effect_of_an_assignment():
    """Two halves of 2,000 people at random: the split scatters, too, which the error about these people leaves out."""
    question = OneOf(["yes", "no"], epsilon=4.0)
    n, yes = 1000, 400
    answers = ["yes"] * yes + ["no"] * (n - yes)
    tallies = [question.tally(question.perturb(answers, rng=seeded(i))) for i in range(2)]
    these, population = (
        difference(*(question.estimate(one, people=people)["yes"] for one in tallies)) for people in (True, False)
    )
    p, q = 1 / (1 + np.exp(-4.0)), 1 / (1 + np.exp(4.0))
    noise = 2 * p * q / (p - q) ** 2 / n
    split = 4 * yes * (n - yes) / n**2 / (2 * n - 1)  # of the difference, hypergeometric, of 2,000 people
    assert these.error**2 == pytest.approx(noise, rel=0.05)
    assert population.error**2 == pytest.approx(noise + split, rel=0.05)
    assert "for the effect of what was assigned at random, leave out people=True" in these.said
    assert "assigned" not in population.said


def test_means_of_other_people():
    age = Number(18, 90, epsilon=1.0, unit="years")
    first, second = groups(age, in_turn(20, 40), in_turn(60, 70))
    found = difference(first["mean"], second["mean"])
    assert found.error == pytest.approx(np.hypot(first["mean"].error, second["mean"].error))
    assert found.unit == "years" and "years" in str(found)
    test = same_everywhere(first, second)
    assert test.df == 1 and test.statistic == pytest.approx((found.estimate / found.error) ** 2)
    assert test.p_value < 1e-9 == found.p_value and "  <1e-09\n" in str(found)


# ------------------------------------------------------------------------------------------ the same people


def survey_of(stays, recommends, epsilon=1.0, **more):
    survey = Survey({x: OneOf([True, False], epsilon=epsilon) for x in ("stays", "recommends")}, limit=2 * epsilon)
    reports = survey.perturb({"stays": stays, "recommends": recommends}, rng=seeded(6))
    return survey.estimate(survey.tally(reports), **more)


def test_two_questions_to_the_same_people_are_bounded_and_said_so():
    answers = in_turn(True, False, True)
    results = survey_of(answers, [not x for x in answers])
    rows = results["stays"][True], results["recommends"][True]
    found = results.difference(("stays", True), ("recommends", True))
    f, g = (row.share for row in rows)
    n = len(answers)
    noise = sum(float(r.tally.mechanism.contrast_variance(r.tally, [1, 0], people=True)) for r in results.values())
    apart = min(f + g, 2 - f - g) - (f - g) ** 2
    assert found.error**2 == pytest.approx(noise + apart / (n - 1), rel=1e-6)
    assert "people of one group: the error is at most this" in str(found)
    assert found.error == difference(*rows, same_people=True).error
    assert found.error > difference(*rows, same_people=False).error


def test_about_these_people_noise_of_two_questions_adds():
    answers = in_turn(True, False, True)
    results = survey_of(answers, answers, people=True)
    found = results.difference(("stays", True), ("recommends", True))
    errors = [result[True].error for result in results.values()]
    assert found.error == pytest.approx(np.hypot(*errors)) and "noise adds" in found.said


def test_means_of_the_same_people_have_at_most_the_sum_of_errors():
    survey = Survey({x: Number(0, 1, epsilon=1.0) for x in ("a", "b")}, limit=2.0)
    values = in_turn(0.2, 0.7)
    results = survey.estimate(survey.tally(survey.perturb({"a": values, "b": values}, rng=seeded())))
    found = results.difference(("a", "mean"), ("b", "mean"))
    assert found.error == pytest.approx(results["a"]["mean"].error + results["b"]["mean"].error)


def test_the_largest_variance_is_that_of_the_worst_coupling():
    """By linear programming over all joint laws with these margins."""
    rng = seeded(7)
    for k, m in ((2, 2), (3, 2), (4, 3)):
        x, y, p, q = rng.normal(size=k), rng.normal(size=m), rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(m))
        square = -np.square(np.subtract.outer(x, y)).ravel()
        margins = np.concatenate([np.kron(np.eye(k), np.ones(m)), np.kron(np.ones(k), np.eye(m))])
        best = linprog(square, A_eq=margins, b_eq=np.concatenate([p, q]))
        assert largest_apart(x, p, y, q) == pytest.approx(-best.fun - (p @ x - q @ y) ** 2)


def test_the_bound_is_attained_where_answers_are_opposite():
    """The exact variance of a difference of two people's answers, by all four answers and all reports."""
    oracle = GRR(k=2, epsilon=2.0)
    p, q = (float(x) for x in oracle.support)
    share = 0.3
    scores = (np.array([1.0, 0.0]) - q) / (p - q)
    moments = np.zeros(2)
    for x, chance in ((0, share), (1, 1 - share)):
        for a, b in product(range(2), repeat=2):
            both = (p if a == x else q) * (p if b == 1 - x else q)
            apart = scores[a] - scores[b]
            moments += chance * both * np.array([apart, apart**2])
    exact = moments[1] - moments[0] ** 2
    noise = sum(float(oracle.linear_variance([1.0, 0]) @ f) for f in ([share, 1 - share], [1 - share, share]))
    yes = np.array([1.0, 0.0])
    bound = noise + largest_apart(yes, np.array([share, 1 - share]), yes, np.array([1 - share, share]))
    assert bound == pytest.approx(exact)


# ------------------------------------------------------------------------------------------ one test of all rows


SLOW = [pytest.param(kind, marks=pytest.mark.slow) for kind in (OUE, HadamardResponse)]


@pytest.mark.parametrize("kind", [GRR, *SLOW])
def test_same_everywhere_is_wrong_as_often_as_it_says(kind):
    """1,000 pairs of groups that are the same: rejected at 5 % by a binomial count, with an alarm of 2e-7."""
    question = OneOf(["a", "b", "c", "d"], mechanism=kind(k=4, epsilon=1.0))
    rng, trials = seeded(11), 1000
    answers = rng.multinomial(1500, [0.4, 0.3, 0.2, 0.1], 2 * trials)
    tallies = [question.mechanism.simulate(one, trials=1, rng=rng) for one in answers]
    results = [question.estimate(Tally(question.mechanism, one.n, one.counts[0])) for one in tallies]
    found = [same_everywhere(*results[2 * i : 2 * i + 2]) for i in range(trials)]
    wrong = sum(one.p_value < 0.05 for one in found)
    assert binom.ppf(1e-7, trials, 0.05) <= wrong <= binom.isf(1e-7, trials, 0.05)
    assert {one.df for one in found} == {3}
    pairs = [results[2 * i : 2 * i + 2] for i in range(trials)]
    correlated = [sum((x.estimate - y.estimate) ** 2 / (x.error**2 + y.error**2)) for x, y in pairs]
    assert np.mean(correlated) > 3.4  # the control: rows are no independent numbers of three


def test_of_two_categories_it_is_the_square_of_a_difference():
    question = OneOf(["yes", "no"], epsilon=2.0)
    first, second = groups(question, in_turn("yes", "no"), in_turn("yes", "yes", "no"))
    test, found = same_everywhere(first, second), difference(first["yes"], second["yes"])
    assert test.df == 1 and test.statistic == pytest.approx((found.estimate / found.error) ** 2, rel=0.05)


@pytest.mark.parametrize("pairs, df", [(False, 3), (True, 6)])
def test_columns_and_pairs_of_groups(pairs, df):
    question = YesNoTable(["a", "b", "c"], epsilon=3.0, pairs=pairs)
    same = groups(question, in_turn(*ROWS), in_turn(*ROWS))
    other = groups(question, in_turn(*ROWS), in_turn(*ROWS[1:]))
    assert same_everywhere(*same).df == df and same_everywhere(*same).p_value > 1e-6
    assert same_everywhere(*other).p_value < 1e-6


def reports_of(mechanism, share):
    """Chance of each report of a random person, and its shares: GRR and OUE of three items, written down by hand."""
    e = np.exp(mechanism.epsilon)
    named = np.array(list(product((0, 1), repeat=3)))
    if isinstance(mechanism, GRR):
        named, keep, other = np.eye(3), e / (e + 2), 1 / (e + 2)
        chance = other + (keep - other) * named @ share
    else:
        keep, other = 0.5, 1 / (e + 1)
        bits = np.where(np.eye(3), keep, other)  # of each item
        chance = np.prod(np.where(named[:, None], bits, 1 - bits), axis=2) @ share
    return chance, (named - other) / (keep - other)


def by_regression(results, mechanisms):
    """The statistic by another road: covariances by all reports, other contrasts, and least squares."""
    laws = [reports_of(m, np.full(3, 1 / 3)) for m in mechanisms]
    spread = [float(np.sum(chance @ score**2 - (chance @ score) ** 2)) for chance, score in laws]
    weights = [one.tally.n / x for one, x in zip(results, spread, strict=True)]
    share = norm_sub(np.average([one.estimate for one in results], axis=0, weights=weights))
    apart = np.array([[1, -1, 0], [0, 1, -1]])
    wide, told = [], []
    for one, m in zip(results, mechanisms, strict=True):
        chance, score = reports_of(m, share)
        covariance = (score.T * chance) @ score - np.outer(chance @ score, chance @ score)
        root = np.linalg.cholesky(np.linalg.inv(apart @ covariance @ apart.T / one.tally.n)).T
        wide.append(root)
        told.append(root @ apart @ one.estimate)
    return float(np.linalg.lstsq(np.vstack(wide), np.concatenate(told), rcond=None)[1][0])


@pytest.mark.parametrize("kinds", [(GRR, GRR), (OUE, GRR), (OUE, OUE)])
def test_groups_of_different_epsilon_or_mechanism_are_compared(kinds):
    rows = in_turn("a", "b", "c"), in_turn("a", "a", "b", "c")[:900]
    made = [kind(k=3, epsilon=e) for kind, e in zip(kinds, (1.0, 2.0), strict=True)]
    results = [groups(OneOf(["a", "b", "c"], mechanism=m), x)[0] for m, x in zip(made, rows, strict=True)]
    found = same_everywhere(*results)
    assert found.df == 2 and found.statistic == pytest.approx(by_regression(results, made), rel=1e-6)
    assert found.statistic != pytest.approx(by_regression(results, [made[0]] * 2), rel=0.02)  # the control


def test_means_of_groups_with_different_epsilon_are_compared():
    """Of one row, it is the square of a difference in units of its error."""
    ages = [Number(18, 90, epsilon=e) for e in (1.0, 3.0)]
    first, second = (groups(one, in_turn(20, 40))[0] for one in ages)
    test, found = same_everywhere(first, second), difference(first["mean"], second["mean"])
    assert test.df == 1 and test.statistic == pytest.approx((found.estimate / found.error) ** 2)


# ------------------------------------------------------------------------------------------------ refusals


RESULT = likert(n=500)
OTHER = likert(n=500, epsilon=1.0)
TABLE_QUESTION = YesNoTable(["a", "b", "c"], epsilon=1.0)
TABLE = TABLE_QUESTION.estimate(TABLE_QUESTION.tally(TABLE_QUESTION.perturb(in_turn(*ROWS), rng=seeded())))
SURVEYED = survey_of(in_turn(True, False), in_turn(True, True, False))


@pytest.mark.parametrize(
    "weights, rule",
    [
        ({"six": 1}, r"weights must be of the labels 1, 2, 3 and 2 more, got 'six'"),
        ({True: 1}, r"weights must be of the labels .*, got True"),
        ({None: 1}, r"weights must be of the labels .*, got None"),
        ({5: nan}, "weights must be finite numbers, got nan"),
        ({5: float("inf")}, "weights must be finite numbers, got inf"),
        ({5: "1"}, "weights must be finite numbers, got '1'"),
        ({5: True}, "weights must be finite numbers, got True"),
        ({5: None}, "weights must be finite numbers, got None"),
        ({("q1", 5): 1}, r"got \('q1', 5\): of two questions, results.difference\(\(question, label\), \(q"),
        ({5: 10**400}, "weights must be numbers that a float holds"),
        ({5: 1e308}, r"weights must be 0, or of a size from 1e-50 to 1e\+50, got 1e\+308: scale all of them"),
        ({5: -1e-200}, "weights must be 0, or of a size from 1e-50 .*, got -1e-200"),
        ({5: 0}, "weights must not all be 0"),
        ({np.float64(5): 2}, None),
        ({}, "weights must be a dict of numbers by label, such as .*, got {}"),
        ([1, 0, 0, 0, -1], "weights must be a dict of numbers by label"),
        ({"a": {5: 1}, 4: 1}, "weights must be numbers, or a dict for each name, got both"),
        ({"a": {9: 1}}, r"weights\['a'\] must be of the labels"),
        ({"a": {5: 0}}, "weights must not all be 0, got that for a"),
        ({3: {5: 1}}, "weights must be sums by name, a string that is not empty, got 3"),
    ],
)
def test_weights_that_cannot_be(weights, rule):
    if rule is None:  # a whole float is the integer
        assert RESULT.contrast(weights).estimate == pytest.approx(2 * RESULT[5].share)
        return
    with pytest.raises(ValueError, match=rule):
        RESULT.contrast(weights)


@pytest.mark.parametrize(
    "call, rule",
    [
        (lambda: RESULT.contrast({5: 1}, level=2), "level must be"),
        (lambda: SURVEYED.difference(("stays", True), ("recommends", True), 95), "level must be"),
        (lambda: RESULT.contrast({5: 1}, level=95), r"^level must be a number in \(0, 1\), got 95: 95 % is 0.95$"),
        (lambda: OneOf(LABELS, epsilon=1.0).perturb(LABELS, rng=0), r"got int: np.random.default_rng\(0\)$"),
        (lambda: RESULT.top(0), r"count must be an integer, at least 1|count must be an integer in \[1, 4\], got 0"),
        (lambda: RESULT.top(5), r"count must .*4.*, got 5"),
        (lambda: RESULT.bottom(1.0), "count must be an integer"),
        (lambda: TABLE.top(1), "top must be of categories in order, got 'column's: OneOf has an order"),
        (lambda: TABLE.mean, r"values must be given for a mean, got none: OneOf\(…, values="),
        (lambda: OneOf(LABELS, epsilon=1.0, values=[1, 2]), "values must be a number for each of 3 categories"),
        (
            lambda: OneOf(LABELS, epsilon=1.0, values={"promoter": 1}),
            "values must have a number for each category, got none",
        ),
        (lambda: OneOf(LABELS, epsilon=1.0, values={"x": 1}), "values must be of the labels"),
        (lambda: OneOf(LABELS, epsilon=1.0, values=[1, 2, nan]), "values must be finite numbers, got nan"),
        (lambda: OneOf(LABELS, epsilon=1.0, values=[1, 1, 1]), "values must differ, got 1 for all categories"),
        (lambda: OneOf(LABELS, epsilon=1.0, values="abc"), "values must be a number for each"),
        (lambda: difference(RESULT, RESULT[1]), "a must be a row of a result or a contrast"),
        (lambda: difference(RESULT[1], 0.5), "b must be a row of a result or a contrast"),
        (lambda: difference(RESULT[1], type(RESULT[1])("x", 1.0, 1.0, 1.0, 1.0)), "b must be a row of a result"),
        (lambda: difference(RESULT[1], RESULT[1]), "a and b must be different, got 1 twice"),
        (lambda: difference(RESULT[1], OTHER.mean), "a and b must be of one kind and unit"),
        (lambda: difference(RESULT[1], OTHER[1], level=1.5), "level must be"),
        (lambda: difference(RESULT[1], OTHER[1], same_people=1), "same_people must be True or False"),
        (
            lambda: difference(SURVEYED["stays"][True], SURVEYED["recommends"][True]),
            "same_people must be said for two questions of one survey, got nothing: same_people=True, or results.diff",
        ),
        (lambda: SURVEYED.difference(("stays", True), ("leaves", True)), r"second must be \(question, label\)"),
        (lambda: SURVEYED.difference(("stays", "x"), ("recommends", True)), "first must have a label of True, False"),
        (lambda: SURVEYED.difference("stays", ("recommends", True)), r"first must be \(question, label\)"),
        (lambda: same_everywhere(RESULT), "results must be at least two, got 1"),
        (lambda: same_everywhere(RESULT, 3), "results must be Result, .*, got 'int'"),
        (lambda: same_everywhere(RESULT, RESULT), "results must be of other people, got one tally twice"),
        (lambda: same_everywhere(RESULT, TABLE), "results must be of one question, got rows"),
        (
            lambda: same_everywhere(RESULT, OTHER, same_people=True),
            "difference.*, same_people=True.* and Waves.*row by",
        ),
        (lambda: difference(RESULT, RESULT), r"got Result: differences\(a, b\) takes all rows of two results$"),
        (lambda: difference(RESULT[1], OTHER[1], names=("a", "a")), "names must be two different texts, such as"),
        (lambda: difference(RESULT[1], OTHER[1], names="ab"), "names must be two different texts, such as"),
        (lambda: difference(RESULT[1], RESULT[2], names=("a", "b")), "names must be left out for rows of one result"),
        (lambda: differences(RESULT, RESULT), "a and b must be of two groups, got one tally twice"),
        (lambda: differences(RESULT, OTHER[1]), "b must be a Result, .*, got 'Entry'"),
        (lambda: differences(RESULT, TABLE), "a and b must have the same rows in one order, got"),
        (lambda: differences(RESULT, OTHER, names=("", "b")), "names must be two different texts"),
        (lambda: differences(RESULT, OTHER, same_people=1), "same_people must be True or False"),
        (
            lambda: same_everywhere(*SURVEYED.values()),
            "results must be of other people, got two questions of one survey",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(call, rule):
    with pytest.raises(ValueError, match=rule):
        call()


def test_one_about_these_people_and_one_about_a_population_are_no_pair():
    question = OneOf(LABELS, epsilon=1.0)
    tally = question.tally(question.perturb(in_turn(*LABELS), rng=seeded()))
    other = question.tally(question.perturb(in_turn(*LABELS), rng=seeded(1)))
    these, population = question.estimate(tally, people=True), question.estimate(other)
    with pytest.raises(ValueError, match="a and b must both be about these people, or both about a population"):
        difference(these["passive"], population["passive"])
    with pytest.raises(ValueError, match="results must be about a population, got people=True"):
        same_everywhere(these, population)


def test_items_too_few_to_tell_are_no_part_of_a_contrast():
    question = Ratings(["x", "y", "z"], 1, 5, 1, epsilon=1.0)
    result = question.estimate(
        question.tally(question.perturb(in_turn({"x": 5}, {"x": 4}, {"y": 1}, {}), rng=seeded()))
    )
    with pytest.raises(ValueError, match="weights must be of rows that are told, got 'z': too few to tell"):
        result.means.contrast({"x": 1, "z": -1})


def test_ratings_of_a_survey_are_compared_by_their_tables():
    survey = Survey({"stars": Ratings(["x", "y"], 1, 5, 1, epsilon=2.0), "nps": OneOf(LABELS, epsilon=1.0)}, limit=3.0)
    frame = {"stars": in_turn({"x": 5}, {"y": 2}), "nps": in_turn("passive", "promoter")}
    results = survey.estimate(survey.tally(survey.perturb(frame, rng=seeded())))
    with pytest.raises(
        ValueError, match=r"first must be of a question with one table.*: difference\(results\['stars'\]"
    ):
        results.difference(("stars", "x"), ("nps", "passive"))
    found = difference(results["stars"].shares["x"], results["nps"]["passive"], same_people=True)
    assert "people of one group" in found.said and found.error > 0


def test_wrong_weights_of_mechanisms_are_refused():
    oracle = GRR(k=3, epsilon=1.0)
    tally = oracle.tally([0, 1, 2, 2])
    with pytest.raises(ValueError, match=r"weights must have the shape of the estimate, \(3,\), got \(2,\)"):
        oracle.contrast_variance(tally, [1, -1])
    with pytest.raises(ValueError, match="tally must hold at least two reports, got 1"):
        oracle.contrast_variance(oracle.tally([0]), [1, -1, 0])
    with pytest.raises(ValueError, match="tally must be of whole reports"):
        design = BlockDesign(k=3, epsilon=1.0, q=2)
        design.contrast_variance(design.simulate_marginals([5, 5, 5], trials=1, rng=seeded()), [1, -1, 0])
    blocks = Blocks(sizes=(2, 2, 2, 2), size=2, epsilon=1.0)
    drawn = blocks.tally(blocks.perturb(np.zeros((50, 4), np.int64), rng=seeded()))
    pair, other = [[0, 0], [0, 1]], [[0, 0], [0, -1]]
    with pytest.raises(Untold, match="people must be False for this sum: blocks of 2 attributes do not tell how 4 go"):
        blocks.pooled_contrast_variance(drawn, {(0, 1): pair, (2, 3): other}, people=True)
    for wrong in ({}, None, {(0,): [1, 2, 3]}, {(0, 1, 2): np.zeros((2, 2, 2))}, {(0,): [0, nan]}, {(9,): [0, 1]}):
        with pytest.raises(ValueError, match=r"(weights|sets) must"):
            blocks.pooled_contrast_variance(drawn, wrong)
    harmony = HarmonyFrequency(sizes=(2, 2), epsilon=1.0)
    few = harmony.tally(harmony.perturb(np.zeros((2, 2), np.int64), rng=seeded()))
    with pytest.raises(
        ValueError, match="at least two people to each question that has a weight, got [01]: collect more"
    ):
        harmony.contrast_variance_of_asked(few, [0, 1, 0, -1])


def test_parts_are_what_was_made():
    found = RESULT.contrast({5: 1})
    (part,) = found.parts
    assert isinstance(part, Part) and part.result is RESULT and variance_of(RESULT, part.weights, False)[1] is False


# ------------------------------------------------------------------------------------------------ as recorded


def test_recorded_intervals_cover_and_added_errors_do_not():
    """Of 400 surveys each; the worst of so many rows may be three standard errors below 95 %."""
    rows = recorded("contrasts")
    assert len(rows) >= 25 and rows["surveys"].min() >= 200
    assert np.all(rows["covers"] >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / rows["surveys"]))
    even = rows[
        (rows["population"] == "even") & rows["compared"].str.startswith("promoters") & (rows["mechanism"] == "k-RR")
    ]
    assert len(even) == 3 and np.all(even["hypot"] < 0.92)  # the control


# ------------------------------------------------------------------------------------------ of people who were drawn


def test_of_people_who_were_drawn_the_variance_is_right_on_average():
    """All groups of two of four people, and all their reports; the control leaves the draw out."""
    question = OneOf(["a", "b", "c"], epsilon=1.0)
    m, values, weights = question.mechanism, [0, 1, 1, 2], {"a": 1, "b": -1}
    one = laws(m, [0, 1, 2])
    found, squares, short = [], [], []
    for people in combinations(range(4), 2):
        for reports in product(range(3), repeat=2):
            chance = float(np.prod([float(one[values[i]][y]) for i, y in zip(people, reports, strict=True)])) / 6
            tally = m.tally(np.array(reports))
            drawn = question.estimate(tally, people=True, of=4).contrast(weights)
            told = [_of_these(part.result, part.weights, True) for part in drawn.parts]
            found.append((chance, drawn.estimate))
            squares.append(chance * told[0])
            short.append(chance * known_variance(drawn.parts[0].result, drawn.parts[0].weights, True))
    p, x = np.array(found).T
    assert p.sum() == pytest.approx(1)
    assert p @ x == pytest.approx((1 - 2) / 4)
    variance = p @ x**2 - (p @ x) ** 2
    assert sum(squares) == pytest.approx(variance, rel=1e-9)
    assert sum(short) < 0.99 * variance


def test_two_questions_to_people_who_were_drawn_have_at_most_the_sum_of_errors():
    """About these people, noise adds; the same people may have been drawn for both."""
    yes = OneOf(["yes", "no"], epsilon=2.0)
    survey = Survey({"a": yes, "b": yes, "c": yes}, 4.0, draw=2)
    rng = np.random.default_rng(0)
    rows = {name: rng.permutation(["yes"] * 150 + ["no"] * 150).tolist() for name in "abc"}
    results = survey.estimate(survey.tally(survey.perturb(rows, rng=rng)), people=True)
    apart = results.difference(("a", "yes"), ("b", "yes"))
    rows = [results[name] for name in "ab"]
    weights = np.array([1.0, 0.0])
    noise = [known_variance(row, weights, True) for row in rows]
    drawn = [sqrt(row["yes"].error ** 2 - own) for row, own in zip(rows, noise, strict=True)]
    assert apart.error == pytest.approx(sqrt(sum(noise) + sum(drawn) ** 2))
    assert sqrt(sum(row["yes"].error ** 2 for row in rows)) < apart.error < sum(row["yes"].error for row in rows)
    assert "people drawn from one group" in apart.said and "all 300 people, of whom these were drawn" in apart.said
    assert apart.label == "a: yes − b: yes"


# ------------------------------------------------------------------------------------------- people asked again


def test_people_asked_again_add_as_often_as_they_answered():
    """What two waves of the same people add to a variance is twice what as many people would."""
    question = OneOf(["a", "b", "c"], epsilon=2.0)
    rng = np.random.default_rng(3)
    answers = ["a"] * 300 + ["b"] * 200 + ["c"] * 100
    waves = [question.tally(question.perturb(answers, rng=rng), wave=name) for name in ("1", "2")]
    tally = pool_waves(waves)
    weights = {"a": 1, "b": -1}
    once, twice = (question.estimate(tally, rounds=r).contrast(weights).error ** 2 for r in (1, 2))
    these = question.estimate(tally, people=True).contrast(weights).error ** 2
    assert twice - these == pytest.approx(2 * (once - these))
    assert once < twice
    row = question.estimate(tally, rounds=2)
    assert _of_these(row, np.array([1.0, 0, 0]), False) == pytest.approx(row["a"].error ** 2, rel=0.01)
    one, other = (question.estimate(x) for x in waves)
    with pytest.raises(ValueError, match="same_people must be said for results of different waves"):
        difference(one["a"], other["a"])
    with pytest.raises(ValueError, match="same_people must be False for results of several waves"):
        same_everywhere(one, other)
    assert (
        difference(one["a"], other["a"], same_people=True).error
        > difference(one["a"], other["a"], same_people=False).error
    )
    assert same_everywhere(one, other, same_people=False).df == 2
    assert str(same_everywhere(one, other, same_people=False)).startswith("χ² = ")
    with pytest.raises(ValueError, match="results must be of one report a person, got people who sent several"):
        same_everywhere(row, row, same_people=False)
    with pytest.raises(ValueError, match="same_people must be False for results of several waves, got True"):
        same_everywhere(one, other, same_people=True)
    widest = difference(row["a"], question.estimate(waves[0], rounds=1)["b"], same_people=True)
    assert widest.error == pytest.approx(row["a"].error + question.estimate(waves[0])["b"].error)


def test_a_row_alone_has_its_own_interval():
    """Also where hardly anybody holds it, and the error is told from too few reports."""
    asked = OneOf(["a", "b", "c"], epsilon=4.0, values=[0, 0, 1])
    result = asked.estimate(asked.tally(np.array([0] * 60 + [1] * 40)))
    found, row = result.contrast({"c": 1}), result["c"]
    assert (found.low, found.high) == (row.low, row.high) and found.high > found.low
    assert result.top(1).high == row.high
    assert result.contrast({"c": 1}, level=0.5).high < row.high


Z95 = 1.959963984540054


def tallied(question, counts, wave=None, **asked):
    """A result of so many reports of each label."""
    codes = np.repeat(np.arange(len(counts)), counts)
    return question.estimate(question.tally(codes, wave=wave), **asked)


FEW = OneOf(["a", "b", "c"], epsilon=4.0, values=[0, 0, 1])


def test_every_sum_of_one_row_has_the_interval_of_that_row():
    """Scaled, flipped, at any level and family, and where shares sum to 1 also by way of the others."""
    result = tallied(FEW, (60, 40))
    at_once = tallied(FEW, (60, 40), together=True)
    row, of_three, ninety = result["c"], at_once["c"], tallied(FEW, (60, 40), level=0.9)["c"]
    assert row.error == 0 < row.high - row.low
    for found, low, high in (
        (result.contrast({"c": -1}), -row.high, -row.low),
        (result.contrast({"c": 2}), 2 * row.low, 2 * row.high),
        (result.contrast({"a": 1, "b": 1}), 1 - row.high, 1 - row.low),
        (result.mean, row.low, row.high),
        (result.contrast({"c": 1}, level=0.9), ninety.low, ninety.high),
        (at_once.contrast({"c": 1}), row.low, row.high),
        (at_once.top(1), row.low, row.high),
        (result.contrast({"x": {"c": 1}, "y": {"a": 1}, "z": {"b": 1}})["x"], of_three.low, of_three.high),
    ):
        assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
        assert found.error == 0
    two = OneOf(["a", "b"], epsilon=2.0)
    score = tallied(two, (70, 30))
    nps = score.contrast({"a": 1, "b": -1})
    assert (nps.low, nps.high) == pytest.approx((2 * score["a"].low - 1, 2 * score["a"].high - 1))
    unary = OneOf(["a", "b", "c"], mechanism=OUE(k=3, epsilon=1.0))  # whose shares do not sum to 1
    tally = unary.tally(unary.perturb(in_turn("a", "b"), rng=seeded()))
    apart = unary.estimate(tally).contrast({"a": 1, "b": 1})
    assert apart.high - apart.low == pytest.approx(2 * Z95 * apart.error)


def test_a_difference_combines_the_intervals_of_its_rows():
    """MOVER by hand: squares for other people, distances where nothing is known of the same ones."""
    first, second = tallied(FEW, (60, 40)), tallied(FEW, (57, 40, 3))
    a, b = first["c"], second["c"]
    d = b.estimate - a.estimate
    down, up = (b.estimate - b.low, a.high - a.estimate), (b.high - b.estimate, a.estimate - a.low)
    other = difference(b, a)
    assert (other.low, other.high) == pytest.approx((d - np.hypot(*down), d + np.hypot(*up)))
    same = difference(b, a, same_people=True)
    assert (same.low, same.high) == pytest.approx((d - sum(down), d + sum(up)))
    noise = [tallied(FEW, counts, people=True)["c"] for counts in ((60, 40), (57, 40, 3))]
    apart = difference(noise[1], noise[0], same_people=True)
    assert apart.high < same.high
    all_rows = differences(second, first)["c"]
    three = [tallied(FEW, counts, together=True)["c"] for counts in ((60, 40), (57, 40, 3))]
    below = three[1].estimate - three[1].low, three[0].high - three[0].estimate
    assert all_rows.low == pytest.approx(d - np.hypot(*below))
    wide = [tallied(OneOf(["a", "b", "c"], epsilon=2.0), counts) for counts in ((500, 400, 300), (400, 400, 400))]
    large = difference(wide[0]["a"], wide[1]["a"])
    assert large.high - large.low == pytest.approx(2 * Z95 * large.error, rel=2e-3)  # as by the normal law


RARE = [
    ((60, 60), 0.0),
    pytest.param((100, 100), 0.01, marks=pytest.mark.slow),
    pytest.param((50, 400), 0.01, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("sizes, share", RARE, ids=str)
def test_differences_and_means_of_rare_rows_cover(sizes, share):
    """Exactly: all pairs of counts of supporters, which are binomial; the control is the normal law."""
    p, q = (float(x) for x in FEW.mechanism.support)
    sides = []
    for wave, n in zip("12", sizes, strict=True):
        chance = q + (p - q) * share
        counts = np.arange(binom.ppf(1e-6, n, chance), binom.isf(1e-6, n, chance) + 1).astype(int)
        rows = [tallied(FEW, (n - c, 0, c), wave) for c in counts.tolist()]
        sides.append((binom.pmf(counts, n, chance), rows))
    (first, ones), (second, others) = sides
    held = {name: np.zeros((len(ones), len(others))) for name in ("difference", "mean", "p", "normal")}
    for i, j in np.ndindex(len(ones), len(others)):
        apart = difference(ones[i]["c"], others[j]["c"], same_people=False)
        mean = Waves([ones[i], others[j]], same=False).mean("c")
        held["difference"][i, j] = apart.low <= 0 <= apart.high
        held["mean"][i, j] = mean.low <= share + 1e-12 and share - 1e-12 <= mean.high
        held["normal"][i, j] = abs(mean.estimate - share) <= Z95 * mean.error
        held["p"][i, j] = apart.p_value >= 0.05
    found = {name: float(first @ one @ second) for name, one in held.items()}
    assert min(found["difference"], found["mean"], found["p"]) > 0.95
    assert found["p"] == found["difference"] and found["normal"] < 0.93


@pytest.mark.parametrize("holders", [0, 1])
def test_differences_and_means_about_these_people_cover(holders):
    """Exactly, as above; the control takes possible shares for all that an estimate can be."""
    n, (p, q) = 100, (float(x) for x in FEW.mechanism.support)
    of_holders = binom.pmf(np.arange(holders + 1), holders, p)
    law = np.convolve(of_holders, binom.pmf(np.arange(n + 1 - holders), n - holders, q))
    counts = np.flatnonzero(law > 1e-7)
    rows = [[tallied(FEW, (n - c, 0, c), wave, people=True)["c"] for c in counts.tolist()] for wave in "12"]
    held = {name: np.zeros((len(counts), len(counts))) for name in ("difference", "mean", "cut")}
    share = holders / n
    for i, j in np.ndindex(len(counts), len(counts)):
        a, b = rows[0][i], rows[1][j]
        apart = difference(a, b, same_people=True)
        mean = Waves([a.result, b.result], same=True).mean("c")
        held["difference"][i, j] = apart.low <= 0 <= apart.high
        held["mean"][i, j] = mean.low <= share + 1e-12 and share - 1e-12 <= mean.high
        cut = [max(x.estimate, x.low) for x in (a, b)]
        held["cut"][i, j] = np.mean(cut) - np.hypot(cut[0] - a.low, cut[1] - b.low) / 2 <= share + 1e-12
    chance = law[counts]
    found = {name: float(chance @ one @ chance) for name, one in held.items()}
    assert min(found["difference"], found["mean"]) > 0.95
    assert holders or found["cut"] < 0.75


def test_where_the_error_of_several_rows_is_0_there_are_no_ends():
    """All reports are alike; a sum that is the same for all reports is exact, and no such case."""
    result = tallied(FEW, (0, 100, 0))
    none = result.contrast({"a": 1, "b": -2})
    assert none.error == 0 and all(np.isnan(x) for x in (none.low, none.high, none.p_value))
    row = str(none).splitlines()[1].split()
    assert row[-3:] == ["–"] * 3
    assert str(none).endswith("\n–: too few reports tell the error, or that of one part, which is estimated as 0")
    other = tallied(FEW, (50, 50)).contrast({"a": 1, "b": -2})
    assert np.isnan(difference(none, other).low) and "\n–: too few" in str(difference(none, other))
    assert "–" not in str(other)
    whole = result.contrast({"a": 2, "b": 2, "c": 2})
    assert (whole.low, whole.high) == pytest.approx((2, 2)) and "too few" not in str(whole)
    assert difference(whole, other).low == pytest.approx(2 - other.high)


def test_weights_that_differ_by_rounding_are_the_same():
    asked = OneOf(["a", "b", "c"], epsilon=4.0, values=[0.1 + 0.2, 0.3, 1])
    assert asked.values[0] != asked.values[1]
    result = tallied(asked, (60, 40))
    row = result["c"]
    assert (result.mean.low, result.mean.high) == pytest.approx((0.3 + 0.7 * row.low, 0.3 + 0.7 * row.high))


FOUR = OneOf(list("abcd"), epsilon=4.0, values=[0, 0, 1, 1])


def test_a_set_of_categories_is_as_one_with_chances_of_its_own():
    """Exactly: reports of two of four categories are binomial; the control is the normal law."""
    n, (p, q) = 30, (float(x) for x in FOUR.mechanism.support)
    counts = np.arange(n + 1)
    found = [tallied(FOUR, (n - c, 0, c, 0)) for c in counts.tolist()]
    for share in (0.0, 0.01):
        chance = binom.pmf(counts, n, 2 * q + (p - q) * share)
        held, normal, means = [], [], []
        for one in found:
            top = one.top(2)
            held.append(top.low <= share <= top.high)
            means.append(one.mean.low <= share <= one.mean.high)
            normal.append(abs(top.estimate - share) <= Z95 * top.error)
        assert chance @ held > 0.95 and means == held and chance @ normal < 0.93
    first = found[3]
    top, bottom = first.top(2), first.bottom(2)
    assert (bottom.low, bottom.high) == pytest.approx((1 - top.high, 1 - top.low))
    half = first.contrast({"c": -0.5, "d": -0.5})
    assert (half.low, half.high) == pytest.approx((-top.high / 2, -top.low / 2))
    these = tallied(FOUR, (n - 3, 0, 3, 0), people=True).top(2)
    shares = np.array([these.low, these.high]) * n
    assert shares == pytest.approx(np.rint(shares)) and these.low < these.high
    apart = difference(found[0].top(2), found[20].top(2))  # the error of the first one is 0
    assert apart.low < apart.estimate < apart.high < 0


def test_a_mean_of_these_people_need_not_be_a_share_of_the_reports_that_count():
    """All have a number, and only reports that were changed have none; exactly, by all counts of 25 people."""
    asked = OneOf(["a", "b"], epsilon=4.0, values=[0, 1], missing="none")
    n, holders, (p, q) = 25, 12, (float(x) for x in asked.mechanism.support)
    law = np.zeros((n + 1, n + 1))  # of the numbers of reports of a, and of b
    law[0, 0] = 1
    for i in range(n):
        a, b = (q, p) if i < holders else (p, q)
        more = (1 - a - b) * law
        more[1:] += a * law[:-1]
        more[:, 1:] += b * law[:, :-1]
        law = more
    held = 0.0
    for a, b in np.argwhere(law > 1e-6).tolist():
        mean = tallied(asked, (a, b, n - a - b), people=True).mean
        held += law[a, b] * (mean.low <= holders / n <= mean.high)
    assert round(held, 3) == 0.969  # with ends that are shares of the reports that count, .922


def test_a_mean_among_those_who_answer_has_the_law_of_those_who_did():
    """Nearly exactly, by all counts of a few people; the control is the normal law."""
    asked = OneOf(["a", "b"], epsilon=4.0, values=[2, 3], missing="none")
    n, (p, q) = 30, (float(x) for x in asked.mechanism.support)
    chances = q + (p - q) * np.array([0.8, 0.0, 0.2])
    held = normal = total = 0.0
    for b in range(5):
        for none in range(1, 14):
            counts = (n - b - none, b, none)
            mean, chance = tallied(asked, counts).mean, multinomial.pmf(counts, n, chances)
            total += chance
            held += chance * (mean.low <= 2 <= mean.high)
            normal += chance * (abs(mean.estimate - 2) <= Z95 * mean.error)
    assert total > 0.99 and held > 0.95 * total and normal < 0.5 * total
    result = tallied(asked, (70, 10, 20))
    mean, errors = result.mean, Z95 * result.mean.error
    named, blind = 80, float(q) * 100 / 80
    low, high = binomial_ends(np.array([10.0]), np.array([80.0]), Z95)  # of those who name a or b
    ends = [2 + (x[0] - blind) / (1 - 2 * blind) for x in (low, high)]
    assert mean.low == pytest.approx(min(ends[0], mean.estimate - errors))
    assert mean.high == pytest.approx(max(ends[1], mean.estimate + errors))
    assert mean.estimate == pytest.approx(2 + (10 / named - blind) / (1 - 2 * blind))
    turned = tallied(OneOf(["a", "b"], epsilon=4.0, values=[3, 2], missing="none"), (70, 10, 20)).mean
    assert (turned.low, turned.high) == pytest.approx((5 - mean.high, 5 - mean.low))
    three = OneOf(["a", "b", "c"], epsilon=4.0, values=[0, 1, 2], missing="none")
    alike = tallied(three, (80, 0, 0, 20)).mean
    assert np.isnan(alike.error) and np.isnan(alike.low) and "too few" in str(alike)
    assert np.isfinite(tallied(three, (60, 15, 5, 20)).mean.low)
    one_value = tallied(OneOf(["a", "b"], epsilon=4.0, values=[0.3, 0.1 + 0.2], missing="none"), (60, 20, 20)).mean
    assert (one_value.low, one_value.high) == pytest.approx((0.3, 0.3))


def test_what_is_printed_says_which_interval_it_is():
    result, other = tallied(FEW, (60, 38, 2)), tallied(FEW, (50, 40, 10))
    assert "99.9999999999999 % interval" in result.contrast({"c": 1}, level=1 - 1e-15).said
    assert "99.9999999999999 % intervals" in tallied(FEW, (60, 38, 2), level=1 - 1e-15).said
    assert "low, high: 98.3333 % interval," in result.contrast({"c": 1}, level=1 - 0.05 / 3).said
    for name in ("", " "):
        with pytest.raises(ValueError, match="weights must be sums by name, a string that is not empty, got"):
            result.contrast({name: {"c": 1}})
    one_of_two = result.contrast({"u": {"c": 1}, "v": {"a": 1}})["u"]
    for a, b in ((one_of_two, other["c"]), (other["c"], one_of_two)):
        found = difference(a, b)
        assert found.family == 1 and "; each of several differences at once: " in found.said
    assert "several differences" not in difference(result["c"], other["c"]).said


def contrasts_about_zero():
    """Sums of every kind near 0, with ends by exact laws, scores and the normal law."""
    rng = seeded(21)
    number = Number(-1, 1, mechanism=TwoPoint(epsilon=1.0))
    for _ in range(25):
        answers = rng.choice([0.0, 1.0], 60, p=[0.6, 0.4])
        yield number.estimate(number.tally(number.perturb(answers, rng=rng))).contrast({"mean": 1})
        groups = [tallied(FEW, rng.multinomial(n, [0.6, 0.38, 0.02])) for n in (100, 400)]
        yield from differences(*groups).values()
        yield difference(groups[0]["c"], groups[1]["c"], level=0.9, same_people=True)
        yield groups[0].contrast({"a": 1, "b": -1})
        these = [tallied(FEW, rng.multinomial(80, [0.6, 0.38, 0.02]), people=True) for _ in range(2)]
        yield difference(these[0]["c"], these[1]["c"])


def test_p_is_small_exactly_where_the_interval_leaves_out_0():
    found = list(contrasts_about_zero())
    out = [not one.low <= 0 <= one.high for one in found]
    assert [one.p_value < 1 - one.level for one in found] == out
    assert 10 < sum(out) < len(out) - 10
    normal = [one for one in found if len(one.parts) == 1 and np.count_nonzero(one.parts[0].weights) == 2]
    for one in normal:  # the closed form
        assert one.p_value == pytest.approx(2 * norm.sf(abs(one.estimate / one.error)), rel=1e-6)


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("door, values, more", DOORS, ids=lambda x: str(x)[:40])
def test_a_row_has_the_interval_that_the_question_prints_at_every_level(door, values, more, people):
    question, tally = asked(door, values, **more)
    given = {"people": people, "of": 3 * tally.n} if people else {"rounds": 2}
    half = tables(question.estimate(tally, level=0.5, **given))
    for result, other in zip(tables(question.estimate(tally, **given)), half, strict=True):
        for label, row, told in zip(result.labels, result, other, strict=True):
            if np.isfinite(row.estimate):
                found = result.contrast({label: 2}, level=0.5)
                assert (found.low, found.high) == pytest.approx((2 * told.low, 2 * told.high))
                assert result.contrast({label: 1}).low == pytest.approx(row.low)


def test_whether_people_are_the_same_is_asked_where_waves_differ():
    """Two groups, each in the same two waves, are taken for other people, as two groups of one wave are."""
    asked = OneOf(["a", "b"], epsilon=2.0)
    each = [[tallied(asked, (50 + 9 * i, 60 - 7 * j), f"W{j}") for j in (1, 2)] for i in (1, 2)]
    one, other = (Waves(found, same=True).change("a") for found in each)
    found = difference(one, other, names=("A", "B"))
    assert found.error == pytest.approx(np.hypot(one.error, other.error)) and "other people" in found.said
    assert found.tests_zero and found.least == -2
    words = "same_people must be said for results of different waves, .*True if a and b are of the same people, False"
    with pytest.raises(ValueError, match=words):
        difference(one, each[1][0]["a"])
    changes = [Waves(each[0], same=True).change(x) for x in "ab"]
    with pytest.raises(ValueError, match=r"of two rows over waves, Waves\(\[one.contrast\(.*waves.combine\(label"):
        difference(*changes)


def test_what_is_compared_in_two_ways_has_a_cure():
    asked, turned = OneOf(["a", "b"], epsilon=2.0), OneOf(["b", "a"], epsilon=2.0)
    first, second = tallied(asked, (50, 60)), tallied(turned, (50, 60))
    with pytest.raises(ValueError, match=r"rows in one order, .*: ask both with one list .* difference\(a\[label\]"):
        differences(first, second)
    with pytest.raises(ValueError, match="got one of each: estimate both with people=True, or both with people=False"):
        difference(first["a"], tallied(asked, (40, 70), people=True)["a"])


def test_groups_without_names_are_the_first_and_the_second():
    asked = OneOf(["a", "b"], epsilon=2.0)
    one, other = (asked.estimate(asked.tally(np.array([0, 1] * n))) for n in (50, 60))
    assert differences(one, other, names=None).heading == "first − second"


# ---------------------------------------------------------------------- ends that stay where they are


APART = {"yes": 1, "no": -1}
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999)


def test_an_end_at_0_holds_it():
    """Ends of these thirty people take steps; from z = 1.87 to 2.08 the upper one is at 0."""
    asked = OneOf(["yes", "no"], epsilon=1.0)
    result = tallied(asked, (10, 20), people=True)
    found = result.contrast(APART)
    assert found.high == 0 and found.p_value > 0.05
    assert "-0 points" not in str(found)
    for scale in (1e-40, 1e40):
        scaled = result.contrast({"yes": scale, "no": -scale})
        assert scaled.high == 0 and scaled.p_value == pytest.approx(found.p_value)
    near = result.contrast(APART, level=0.9)
    assert near.high < 0 and near.p_value == found.p_value < 0.1


@pytest.mark.parametrize("epsilon, n", [(1.0, 20), (2.0, 10), (4.0, 20)])
def test_p_about_these_people_says_what_intervals_say_at_all_levels(epsilon, n):
    """Exactly, by all counts of two groups of one size: p is small as rarely as it says."""
    asked = OneOf(["yes", "no"], epsilon=epsilon)
    keep, other = (float(x) for x in asked.mechanism.chances)
    half = np.arange(n // 2 + 1)
    law = np.convolve(binom.pmf(half, n // 2, keep), binom.pmf(half, n // 2, other))
    found = []
    for count in range(n + 1):
        result = tallied(asked, (count, n - count), people=True)
        p = result.contrast(APART, level=0.5).p_value
        found.append(p)
        for level in LEVELS:
            one = result.contrast(APART, level=level)
            assert (p <= 1 - level) == (not one.low <= 0 <= one.high)
    for chance in (0.05, 0.1, 0.2):
        assert law @ (np.array(found) <= chance) <= chance
    assert min(found) < 0.05


def test_p_of_several_sums_at_once_says_what_their_intervals_say():
    asked = OneOf(["yes", "no"], epsilon=1.0)
    out = []
    for count in range(31):
        result = tallied(asked, (count, 30 - count), people=True)
        for one in result.contrast({"whole": APART, "part": {"yes": 1}}).values():
            out.append(not one.low <= 0 <= one.high)
            assert (one.p_value <= 0.05) == out[-1]
    assert 10 < sum(out) < len(out) - 10


def law_of_supporters(n, holders, own, other):
    """How likely each number of supporters is among n people of whom some hold the item: (n + 1,)."""
    of_holders = binom.pmf(np.arange(holders + 1), holders, own)
    return np.convolve(of_holders, binom.pmf(np.arange(n - holders + 1), n - holders, other))


def held_by_differences(epsilon, k, sizes, holders, rows=1, level=0.95):
    """Exactly how often differences about these people hold the truth, and p is above 1 − level.

    The control combines ends that are shares which these people can have.
    """
    labels = list("abcdef")[:k]
    asked = OneOf(labels, mechanism=GRR(k=k, epsilon=epsilon))
    keep, other = (float(x) for x in asked.mechanism.chances)
    laws, sides, possible = [], [], []
    for n, held in zip(sizes, holders, strict=True):
        law = law_of_supporters(n, held, keep + (rows - 1) * other, rows * other)
        counts = np.flatnonzero(law > 1e-7)
        laws.append(law[counts])
        each = []
        for count in counts.tolist():
            found = tallied(asked, (n - count, *[0] * (k - 2), count), people=True)
            each.append(found.contrast(dict.fromkeys(labels[-rows:], 1)))
        sides.append(each)
        possible.append([replace(one, between=None) for one in each])
    truth = holders[0] / sizes[0] - holders[1] / sizes[1]
    held = {name: np.zeros((len(laws[0]), len(laws[1]))) for name in ("interval", "p", "control")}
    for i, j in np.ndindex(held["p"].shape):
        apart = difference(sides[0][i], sides[1][j], level)
        held["interval"][i, j] = apart.low <= truth + 1e-12 and truth - 1e-12 <= apart.high
        if truth == 0:
            held["p"][i, j] = apart.p_value > 1 - level
        nearer = difference(possible[0][i], possible[1][j], level)
        held["control"][i, j] = nearer.low <= truth + 1e-12 and truth - 1e-12 <= nearer.high
    return {name: float(laws[0] @ one @ laws[1]) for name, one in held.items()}


@pytest.mark.parametrize(
    "epsilon, k, sizes, holders, rows",
    [
        (4.0, 2, (25, 25), (12, 12), 1),
        (4.0, 2, (60, 60), (0, 0), 1),
        (5.0, 4, (50, 50), (12, 12), 1),
        (2.0, 2, (10, 10), (0, 0), 1),
        (3.5, 4, (12, 12), (12, 12), 1),
        (4.0, 2, (10, 25), (0, 1), 1),
        (4.0, 4, (30, 30), (0, 0), 2),
    ],
    ids=str,
)
def test_differences_of_few_changed_reports_about_these_people_cover(epsilon, k, sizes, holders, rows):
    """Of single rows and of sets; p is small as rarely as it says."""
    found = held_by_differences(epsilon, k, sizes, holders, rows)
    assert found["interval"] > 0.95 > 0.94 > found["control"]
    if holders[0] == holders[1]:
        assert found["p"] == found["interval"]


def test_differences_between_nobody_and_everybody_cover_what_is_stated():
    """Errors of both are on one side, and few; `difference` states the least, at 99 %."""
    for epsilon, sizes in ((4.5, (25, 25)), (4.0, (15, 15))):
        assert held_by_differences(epsilon, 2, sizes, (0, sizes[1]))["interval"] > 0.95
    found = held_by_differences(5.0, 2, (13, 40), (0, 40), level=0.99)
    assert round(found["interval"], 3) == 0.98


def test_changes_of_few_changed_reports_about_these_people_cover():
    asked = OneOf(["yes", "no"], epsilon=4.0)
    law = law_of_supporters(60, 0, *(float(x) for x in asked.mechanism.chances))
    counts = np.flatnonzero(law > 1e-7)
    rows = [[tallied(asked, (c, 60 - c), wave, people=True) for c in counts.tolist()] for wave in "12"]
    holds = np.zeros((len(counts), len(counts)))
    for i, j in np.ndindex(*holds.shape):
        change = Waves([rows[0][i], rows[1][j]], same=True).change("yes")
        holds[i, j] = change.low <= 0 <= change.high
        assert (change.p_value > 0.05) == holds[i, j]
    assert law[counts] @ holds @ law[counts] > 0.95


def test_the_normal_law_of_scores_is_too_narrow_where_all_have_one_answer():
    """Exactly; `Result.contrast` states the number."""
    asked, n = OneOf(["detractor", "passive", "promoter"], epsilon=4.0, values=[-1, 0, 1]), 100
    keep, other = (float(x) for x in asked.mechanism.chances)
    told = held = 0.0
    for low, middle in np.ndindex(14, 14):
        counts = (low, middle, n - low - middle)
        chance = multinomial.pmf(counts, n, (other, other, keep))
        mean = tallied(asked, counts).mean
        if not np.isnan(mean.low):
            told += chance
            held += chance * (mean.low <= 1 <= mean.high)
    assert round(held / told, 3) == 0.899


@pytest.mark.parametrize("between", [(), (4,)])
def test_means_of_large_values_with_missing_answers_have_an_error(between):
    """They are those of values from 0, moved: what is near to them is their range, not their size."""
    labels = list("abc")[: 2 + len(between)]
    counts = (50, 20, 30) if not between else (40, 20, 20, 20)
    means = []
    for start in (0, 1e15):
        values = [start, *(start + x for x in between), start + 9]
        asked = OneOf(labels, mechanism=GRR(k=len(labels) + 1, epsilon=2.0), values=values, missing="none")
        means.append(tallied(asked, counts).mean)
    small, large = means
    assert large.error == pytest.approx(small.error) and small.error > 0.1
    for name in ("estimate", "low", "high"):
        assert getattr(large, name) - 1e15 == pytest.approx(getattr(small, name), abs=0.25)


def test_an_error_that_is_not_told_is_not_printed_as_0():
    three = OneOf(["a", "b", "c"], epsilon=4.0, values=[0, 1, 2], missing="none")
    alike = tallied(three, (80, 0, 0, 20)).mean
    assert str(alike).splitlines()[1].split()[-3:] == ["–"] * 3
    apart = tallied(FEW, (0, 100, 0)).contrast({"a": 1, "b": -2})
    assert str(apart).splitlines()[1].split()[-4:] == ["–"] * 4
    whole = tallied(FEW, (0, 100, 0)).contrast({"a": 2, "b": 2, "c": 2})  # 0, and known to be
    told = str(whole).splitlines()[1].split()
    assert told[-8::2] == ["200.0", "0.0", "200.0", "200.0"]


def test_why_the_error_of_a_mean_with_missing_answers_is_not_told_is_said():
    three = OneOf(["a", "b", "c"], mechanism=GRR(k=4, epsilon=4.0), values=[0, 1, 2], missing="none")
    mean = tallied(three, (2, 6, 8, 4), people=True).mean
    assert np.isnan(mean.error) and np.isnan(mean.low) and np.isnan(mean.p_value)
    last = str(mean).splitlines()[-1]
    why = "estimated as at most that of one report: collect more, or take an error about a population, people=False"
    assert last.endswith(why)
    assert tallied(three, (2, 6, 8, 4)).mean.error > 0
    waves = [tallied(three, (2, 6, 8, 4), wave, people=True).mean for wave in "12"]
    for found in (difference(*waves, same_people=True), Waves(waves, same=True).change()):
        assert np.isnan(found.error) and np.isnan(found.low)
        assert str(found).splitlines()[-1] == last
    alike = str(tallied(three, (80, 0, 0, 20)).mean).splitlines()[-1]
    assert alike.endswith("that of one report: collect more")
    told = OneOf([1, 2, 3], epsilon=2.0)
    with pytest.raises(ValueError, match="got '2': 2 is int, '2' is str"):
        tallied(told, (5, 6, 7)).contrast({"2": 1})
    with pytest.raises(KeyError, match="got '2': 2 is int, '2' is str"):
        tallied(told, (5, 6, 7))["2"]


def test_p_at_a_level_beyond_what_is_looked_for_is_that_of_its_interval():
    asked = OneOf(["a", "b"], epsilon=4.0)
    one, other = tallied(asked, (500, 10)), tallied(asked, (10, 500))
    apart = difference(one["a"], other["a"], level=1 - 1e-12)
    assert apart.low > 0 and 0 < apart.p_value <= 1 - apart.level
    assert difference(one["a"], other["a"]).p_value == 1e-9
