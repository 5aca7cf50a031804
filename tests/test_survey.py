"""Questions of a survey: labels of every kind of column, refusals with their cures, results, and intervals that cover.

Sampled checks count how many of some surveys an interval covers.  Bounds are quantiles of the binomial law at 1e-9, so
that all of them together raise a false alarm with a probability below 1e-6 where intervals cover with 93 to 97 %, and
of a level of 80 % for all together with 78 % at least.
"""

import json
import pickle
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import binom

import ldpnb
from ldpnb import (
    GRR,
    OLH,
    OUE,
    PCKVUE,
    RAPPOR,
    Blocks,
    DrawnAttributes,
    HarmonyFrequency,
    Number,
    OneOf,
    Ratings,
    StateEncoding,
    Strings,
    Survey,
    SystemRandom,
    Tally,
    TwoPoint,
    Wheel,
    WheelKV,
    YesNoTable,
    interval,
)
from ldpnb.intervals import support_interval
from ldpnb.keyvalue import mean_of
from ldpnb.numbers.means import Range
from ldpnb.numbers.ranges import Hierarchy
from ldpnb import choose
from ldpnb.collecting import load_tally, save_tally
from ldpnb.survey import Account, BudgetError
from ldpnb.collecting.files import identity


def rng(seed=0):
    return np.random.default_rng(seed)


Z = 1.959963984540054  # of 95 %
COLOURS = OneOf(["red", "blue", "green"], epsilon=1.0, missing="none")
STORY = ["blue", "red", None, "green", "red"]
CODES = [1, 0, 3, 2, 0]


# ---------------------------------------------------------------------------------------------------------- columns


@pytest.mark.parametrize(
    "column",
    [
        STORY,
        tuple(STORY),
        np.array(STORY, object),
        ["blue", "red", float("nan"), "green", "red"],
        ["blue", "red", pd.NA, "green", "red"],
        [np.str_("blue"), "red", None, np.str_("green"), "red"],
        pd.Series(STORY),
        pd.Series(STORY, dtype=object, index=[9, 8, 7, 6, 5]),
        pd.Series(STORY, dtype="string"),
        pd.Series(STORY, dtype="category"),
        pd.Series(pd.Categorical(STORY, categories=["unheard", "green", "red", "blue"])),
        pd.Categorical(STORY),
        pd.CategoricalIndex(STORY),
        pd.Index(STORY),
        pd.array(STORY, dtype="string"),
        pd.Series(STORY, dtype=pd.ArrowDtype(pa.string())),
        pa.array(STORY),
        pa.array(STORY).dictionary_encode(),
        pa.chunked_array([pa.array(STORY[:2]), pa.array([], pa.string()), pa.array(STORY[2:])]),
        pa.chunked_array([pa.array(STORY[:2]), pa.array(STORY[2:])]).dictionary_encode(),
        pa.array(["x", *STORY])[1:],
        pa.table({"x": STORY})["x"],
    ],
    ids=lambda x: type(x).__name__,
)
def test_labels_of_every_kind_of_column(column):
    assert COLOURS.encoded(column).tolist() == CODES


@pytest.mark.parametrize(
    "column",
    [
        [3, 1, None, 2],
        [3.0, 1.0, float("nan"), 2.0],
        np.array([3.0, 1.0, np.nan, 2.0]),
        pd.Series([3, 1, None, 2]),  # which pandas makes floats of
        pd.Series([3, 1, None, 2], dtype="Int64"),
        pd.Series([3, 1, None, 2], dtype="UInt8"),
        pd.Series([3, 1, None, 2]).astype("category"),
        pa.array([3, 1, None, 2]),
        pa.array([3.0, 1.0, None, 2.0]),
        [np.int8(3), 1, None, np.uint64(2)],
    ],
    ids=lambda x: type(x).__name__,
)
def test_integers_with_a_gap(column):
    assert OneOf([1, 2, 3], epsilon=1.0, missing="?").encoded(column).tolist() == [2, 0, 3, 1]


@pytest.mark.parametrize(
    "column",
    [
        [True, None, False],
        np.array([True, None, False], object),
        [np.True_, None, np.False_],
        pd.Series([True, None, False]),
        pd.Series([True, None, False], dtype="boolean"),
        pa.array([True, None, False]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_bools_with_a_gap(column):
    assert OneOf([False, True], epsilon=1.0, missing="?").encoded(column).tolist() == [1, 2, 0]


def test_plain_arrays_of_bools_integers_and_strings():
    assert OneOf([False, True], epsilon=1.0).encoded(np.array([True, False])).tolist() == [1, 0]
    assert OneOf([5, -7], epsilon=1.0).encoded(np.array([-7, 5], np.int8)).tolist() == [1, 0]
    assert OneOf(["a", "bc"], epsilon=1.0).encoded(np.array(["bc", "a"])).tolist() == [1, 0]


@pytest.mark.parametrize("number, boolean", [(1, True), (np.int64(1), np.True_), (1.0, True)])
def test_true_is_not_one(number, boolean):
    """They are equal and have one hash, to Python, numpy and pandas; a label is told by its type first."""
    both = OneOf([True, 1, 0, False], epsilon=1.0)
    for wrap in (list, lambda x: np.array(x, object), lambda x: pd.Series(x, dtype=object)):
        assert both.encoded(wrap([number, boolean, number])).tolist() == [1, 0, 1]
    for question, wrong in ((OneOf([0, 1], epsilon=1.0), boolean), (OneOf([False, True], epsilon=1.0), number)):
        for column in ([wrong], np.array([wrong]), pd.Series([wrong]), pa.array([wrong])):
            with pytest.raises(ValueError, match=r"^values must be among .*got .*: the answers are \w+, the labels"):
                question.encoded(column)
    result = both.estimate(both.tally(np.array([0, 0, 0, 1])))
    assert result[True].share > result[1].share and result[True].label is True


def test_five_million_answers_take_no_loop_over_people():
    """One dict of distinct labels, and one array: the number of calls into Python does not grow."""
    n, calls = 200_000, []
    column = np.array(["red", "blue"], object)[np.arange(n) % 2]
    sys.setprofile(lambda *event: calls.append(event[1]))
    try:
        codes = COLOURS.encoded(column)
    finally:
        sys.setprofile(None)
    assert codes.sum() == n // 2 and len(calls) < 2000


# --------------------------------------------------------------------------------------------------------- refusals

DATA = pd.Series(["a", "b"])


@pytest.mark.parametrize(
    "categories",
    [DATA, DATA.unique(), DATA.index, pd.Categorical(DATA), np.array(["a", "b"]), {"a", "b"}, {"a": 1, "b": 2}.keys()]
    + [iter("ab"), (x for x in "ab"), "ab", {"a": 1, "b": 2}, list(np.unique(["a", "b"]))],
    ids=lambda x: type(x).__name__,
)
def test_categories_from_data_are_refused_with_the_reason(categories):
    for make in (OneOf, YesNoTable):
        with pytest.raises(ValueError, match=r"must be .*got .*a list taken from answers tells which answers exist"):
            make(categories, epsilon=1.0)


@pytest.mark.parametrize(
    "categories, words",
    [
        (["a"], "categories must hold at least 2, got 1"),
        (["a", "a"], "categories must be distinct in print, got 'a' twice: leave one out"),
        (["1", 1], "categories must be distinct in print, got '1' twice"),
        (["a", ""], "strings, not empty, bools or integers, got ''"),
        (["a", None], 'got None: a missing answer is no label, missing="no answer" counts them; a list taken from'),
        (["a", float("nan")], 'got nan: a missing answer is no label, missing="no answer" .* before anybody answers'),
        ([1.5, 2], "got 1.5: write it as a string"),
    ],
)
def test_other_categories_are_refused(categories, words):
    with pytest.raises(ValueError, match=words):
        OneOf(categories, epsilon=1.0)


@pytest.mark.parametrize(
    "question, column, words",
    [
        (COLOURS, ["red", "pink", "pink", "teal"], r"got 'pink', 'teal', 3 answers in all; add a category 'other'"),
        (COLOURS, list("abcdef"), r"got 'a', 'b', 'c' and 3 more, 6 answers in all; add a category 'other' before"),
        (COLOURS, ["red", ""], r"an empty string is no missing answer, write None for it"),
        (COLOURS, [1, 2], r"got 1, 2, 2 answers in all: the answers are int, the labels str, convert"),
        (COLOURS, [["red"]], r"one answer a person, got lists"),
        (COLOURS, {"red"}, r"values must be a list, an array, a pandas Series or an Arrow column, got set"),
        (COLOURS, "red", r"Arrow column, got str"),
        (COLOURS, np.ma.array(["red"]), r"Arrow column, got MaskedArray"),
        (COLOURS, pd.DataFrame({"a": STORY}), r"must be one column, got DataFrame: several columns have this name"),
        (COLOURS, np.array([STORY, STORY]), r"must be one column, got shape \(2, 5\)"),
        (COLOURS, pa.table({"a": STORY}), r"must be one column, got a table: take a column"),
        (COLOURS, pa.array([["red"]]), r"got an Arrow column of list"),
        (COLOURS, np.array([b"red"]), r"must be strings, bools or integers, got \|S3: convert them first"),
        (
            OneOf([1, 2], epsilon=1.0),
            [1.5],
            r"must be strings, bools or integers, got 1.5: no float but a whole one is a label",
        ),
        (OneOf(["a", "b"], epsilon=1.0), ["a", None], r"got 1 of 2 missing; missing=\"no answer\" makes .*\"decline\""),
        (Number(0, 9, epsilon=1.0), [1, None], r"got 1 of 2 missing; missing=\"decline\" leaves these people out; ask"),
        (Number(0, 9, epsilon=1.0), ["7"], r"values must be numbers, got \['str'\]: .*pandas.to_numeric"),
        (Number(0, 9, epsilon=1.0), pd.Series(["7"]), r"values must be numbers, got .*pandas.to_numeric"),
        (Number(0, 9, epsilon=1.0), [True], r"values must be numbers, got \['bool'\]"),
        (Number(0, 9, epsilon=1.0), pd.Series([True, None], dtype="boolean"), r"numbers, got boolean"),
        (Number(0, 9, epsilon=1.0), pa.array([True, None]), r"numbers, got \['bool'\]"),
        (Number(0, 9, epsilon=1.0), [10, 3], r"in \[0, 9\], got 10, 1 outside in all; .*outside=\"clip\""),
        (Strings(epsilon=1.0), ["a", 1], r"values must be strings, got 1: OneOf takes"),
        (Strings(epsilon=1.0), ["a", None], r"got 1 of 2 missing; missing=\"no answer\" is a string of their own"),
        (YesNoTable(["a", "b"], epsilon=1.0), {"a": [1], "b": [True]}, r"^a must be among .* convert the answers"),
        (YesNoTable(["a", "b"], epsilon=1.0), {"a": ["j"], "b": ["n"]}, r"labels bool, convert the answers first"),
        (YesNoTable(["a", "b"], epsilon=1.0), {"a": [True]}, r"values must have 'b', got dict without it"),
        (YesNoTable(["a", "b"], epsilon=1.0), {"a": [True], "b": [True] * 2}, r"columns of one length, got \[1, 2\]"),
        (Ratings(["x", "y"], 1, 5, 1, epsilon=1.0), [{"z": 3}], r"item must be among 'x', 'y', got 'z'.*; add it to"),
        (Ratings(["x", "y"], 1, 5, 1, epsilon=1.0), [{"x": 9}], r"rating must be in \[1, 5\], got 9: choose a wider"),
        (Ratings(["x", "y"], 1, 5, 1, epsilon=1.0), [{"x": None}], r"got 1 missing: leave rows without a rating out"),
        (Ratings(["x", "y"], 1, 5, 1, epsilon=1.0), [{"x": 3, "y": 3}], r"at most 1 rating a person, got 2: raise"),
        (Ratings(["x", "y"], 1, 5, 1, epsilon=1.0), ["x"], r"must be a dict \{item: rating\} for each person"),
    ],
)
def test_answers_are_refused_with_the_cure(question, column, words):
    with pytest.raises(ValueError, match=words):
        question.perturb(column, rng=rng())


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: OneOf(["a", "b"]), "^epsilon must be given, e.g. epsilon=1.0$"),
        (lambda: Number(0, 1), "^epsilon must be given, e.g. epsilon=1.0$"),
        (lambda: OneOf(["a", "b"], epsilon=0), "^epsilon must be a finite number"),
        (lambda: OneOf(["a", "b"], epsilon=1.0, missing="a"), "missing must be no category, got 'a': give it another"),
        (
            lambda: OneOf(["a", "b"], epsilon=1.0, missing=0),
            'missing must be None, "decline", or the name of a category',
        ),
        (lambda: Number(0, 1, epsilon=1.0, missing="none"), 'missing must be None, "decline", got'),
        (lambda: OneOf(["a", "b"], mechanism=GRR(k=3, epsilon=1.0)), "mechanism must have unbiased shares and k = 2"),
        (lambda: OneOf(["a", "b"], mechanism=TwoPoint(epsilon=1.0)), "mechanism must be a frequency oracle"),
        (lambda: OneOf(["a", "b"], epsilon=2.0, mechanism=GRR(k=2, epsilon=1.0)), "epsilon must be that of the mech"),
        (lambda: Number(0, 1, mechanism=GRR(k=3, epsilon=1.0)), "mechanism must be one for one number"),
        (lambda: Number(1, 0, epsilon=1.0), "low must be below high"),
        (lambda: Number([0, 1], [1, 2], epsilon=1.0), r"low must be a number, .*got \[0, 1\]"),
        (lambda: Number(Fraction(1, 3), 1, epsilon=1.0), r"low must be a number, .*got Fraction\(1, 3\)"),
        (lambda: Number(2**53, 2**53 + 1, epsilon=1.0), "below high as floats, .*got 9007199254740992.0 and 90.*2.0$"),
        (lambda: Number(-1.7e308, 1.7e308, epsilon=1.0), "high − low from 4.5e-308 to 1.8e308, got -1.7e.308 and"),
        (lambda: OneOf(["a", "b"], epsilon=1.0, missing=" "), "missing must be None, .*got ' '"),
        (lambda: Strings(epsilon=1.0, missing="\u200b"), "missing must be None"),
        (lambda: Number(0, 1, epsilon=1.0, missing=np.array([1, 2])), 'missing must be None, "decline", got array'),
        (lambda: OneOf(["a", "no answer"], epsilon=1.0, missing="no answer "), "missing must be no category, got 'no"),
        (lambda: YesNoTable(["a", "b"], epsilon=1.0, yes="yes", no="no", missing="yes"), "no, yes and missing must be"),
        (lambda: YesNoTable(["a", "b", "a and b"], epsilon=1.0, pairs=True), "of pairs .*distinct.*'a and b' twice"),
        (lambda: YesNoTable(["x", "x: na"], epsilon=1.0, missing="na"), "of missing answers, .*got 'x: na' twice"),
        (lambda: Number(0, 1, epsilon=1.0, outside="drop"), 'outside must be "refuse" or "clip"'),
        (lambda: Ratings(["a"], 0, 1, 2, epsilon=1.0), "most must be at most 1, got 2"),
        (lambda: Ratings(["a"], 0, 1, 1, mechanism=PCKVUE(d=2, ell=1, epsilon=1.0)), "mechanism must have d = 1"),
        (
            lambda: YesNoTable(["a", "b"], pairs=True, mechanism=HarmonyFrequency(sizes=(2, 2), epsilon=1.0)),
            "be Blocks",
        ),
        (lambda: YesNoTable(["a", "b"], mechanism=HarmonyFrequency(sizes=(2, 3), epsilon=1.0)), r"sizes \(2, 2\)"),
        (lambda: COLOURS.estimate(COLOURS.tally([0, 1, 2]), level=95), r"level must be a number in \(0, 1\)"),
        (lambda: COLOURS.estimate(COLOURS.tally([0, 1, 2]), people=1), "people must be True or False"),
        (
            lambda: COLOURS.estimate(OUE(k=4, epsilon=1.0).tally(np.ones((2, 4), bool))),
            "tally must be of this question",
        ),
        (lambda: COLOURS.estimate(COLOURS.tally([0])), "at least two reports"),
        (lambda: COLOURS.estimate(COLOURS.tally([0, 1]))["pink"], "label must be one of 'red', 'blue'"),
    ],
)
def test_questions_are_refused_with_the_rule(make, words):
    with pytest.raises((ValueError, KeyError), match=words):
        make()


@pytest.mark.parametrize("wrong", [["a"], [1.0], [True], [np.nan], [4], [None], np.array(["a"])])
def test_a_mechanism_says_what_takes_such_answers(wrong):
    for oracle in (GRR(k=4, epsilon=1.0), OUE(k=4, epsilon=1.0), OLH(k=4, epsilon=1.0)):
        with pytest.raises(
            ValueError, match=r"^values must be integers in \[0, 4\), got .*; OneOf\(categories, epsilon"
        ):
            oracle.perturb(wrong, rng=rng())


@pytest.mark.parametrize("wrong", [["a"], [True], [np.nan], [40.0], [None]])
def test_a_mechanism_for_numbers_says_what_takes_such_answers(wrong):
    with pytest.raises(ValueError, match=r"^values must be numbers in \[-1, 1\], got .*; Number\(low, high, epsilon"):
        TwoPoint(epsilon=1.0).perturb(wrong, rng=rng())


def test_a_mechanism_for_records_says_what_takes_lists():
    with pytest.raises(
        ValueError, match=r"^values must be Records, got list; Strings and Ratings take lists and tables$"
    ):
        Wheel(epsilon=1.0, m=1).perturb(["a"], rng=rng())


def test_no_cure_for_what_is_no_answer():
    with pytest.raises(ValueError, match=r"^reports must be integers in \[0, 4\), got float64 values$"):
        GRR(k=4, epsilon=1.0).tally(np.array([1.0]))


# --------------------------------------------------------------------------------------------------- missing answers


def test_policies_for_missing_answers():
    declines = OneOf(["red", "blue", "green"], epsilon=1.0, missing="decline")
    assert declines.labels == ("red", "blue", "green") and declines.encoded(STORY).tolist() == [1, 0, 2, 0]
    assert len(declines.perturb(STORY, rng=rng())) == 4 and len(COLOURS.perturb(STORY, rng=rng())) == 5
    assert COLOURS.labels == ("red", "blue", "green", "none") and COLOURS.mechanism.k == 4
    assert COLOURS.encoded(["none", None]).tolist() == [3, 3]
    ages = Number(0, 10, epsilon=1.0, missing="decline")
    for column in ([5, None, 10], pd.Series([5, None, 10]), pd.Series([5, None, 10], dtype="Int64")):
        assert ages.encoded(column).tolist() == [0, 1]
    assert ages.encoded(pa.array([5, None, 10])).tolist() == ages.encoded(np.array([5, np.nan, 10])).tolist() == [0, 1]
    words = Strings(epsilon=1.0, missing="none")
    assert len({*words.encoded(["none", None]).keys.tolist()}) == 1
    assert len(Strings(epsilon=1.0, missing="decline").encoded(["a", None, "b"])) == 2
    rows = {"a": [True, None, False], "b": pd.Series([True, True, None], dtype="boolean")}
    assert YesNoTable(["a", "b"], epsilon=1.0, missing="none").encoded(rows).tolist() == [[1, 1], [2, 1], [0, 2]]
    assert YesNoTable(["a", "b"], epsilon=1.0, missing="decline").encoded(rows).tolist() == [[1, 1]]


def test_numbers_outside_are_clipped_only_if_that_was_said():
    assert Number(0, 10, epsilon=1.0, outside="clip").encoded([-5, 5, 99]).tolist() == [-1, 0, 1]


# ------------------------------------------------------------------------------------- the mechanism's own estimates


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("mechanism", [None, OUE(k=4, epsilon=1.0), OLH(k=4, epsilon=1.0)])
def test_a_result_is_the_mechanisms_own(mechanism, people, together):
    asked = OneOf(["red", "blue", "green"], epsilon=None if mechanism else 1.0, missing="none", mechanism=mechanism)
    reports = asked.perturb(STORY * 40, rng=rng(1))
    m, tally = asked.mechanism, asked.tally(reports)
    np.testing.assert_array_equal(reports, m.perturb(CODES * 40, rng=rng(1)))
    found = asked.estimate(tally, 0.9, people=people, together=together)
    low, high = interval(tally, 0.9, people=people, together=together)
    for ours, theirs in (
        (found.estimate, m.estimate(tally)),
        (found.error, m.standard_error(tally, people=people)),
        (found.low, low),
        (found.high, high),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_results_of_numbers_strings_ratings_and_tables_are_the_mechanisms_own():
    age = Number(18, 90, epsilon=1.0)
    tally = age.tally(age.perturb([18, 90, 54, 60] * 50, rng=rng()))
    found, low = age.estimate(tally)["mean"], interval(tally)[0][0]
    assert found.mean == pytest.approx(18 + 36 * (1 + age.mechanism.estimate(tally)[0]))
    assert found.low == pytest.approx(18 + 36 * (1 + low))
    assert found.error == pytest.approx(36 * age.mechanism.standard_error(tally)[0])

    word = Strings(epsilon=2.0)
    assert word.mechanism == Wheel(epsilon=2.0, m=1)
    tally = word.tally(word.perturb(["a", "b"] * 100, rng=rng()), ["b", "c"])
    np.testing.assert_allclose(word.estimate(tally).low, interval(tally)[0])
    np.testing.assert_allclose(word.estimate(tally).estimate, word.mechanism.estimate(tally))
    these = word.estimate(tally, people=True)
    p, q = word.mechanism.support
    ends = support_interval(word.mechanism.supporters(tally), 200, p, q, Z, sampled=0)
    np.testing.assert_allclose((these.low, these.high), ends)

    for m in (WheelKV(epsilon=3.0, m=2), PCKVUE(d=3, ell=2, epsilon=3.0)):
        stars = Ratings(["x", "y", "z"], 1, 5, 2, mechanism=m)
        tally = stars.tally(stars.perturb([{"x": 5, "y": 1}, {"x": 3}, {}] * 500, rng=rng()))
        found, own = stars.estimate(tally), m.estimate(tally)
        means = mean_of(own, m.plug_in(own, tally.n))
        np.testing.assert_array_equal(np.isnan(found.means.estimate), ~means.reliable)
        told = means.reliable
        np.testing.assert_allclose(found.means.estimate[told], 3 + 2 * means.mean[told])
        np.testing.assert_allclose(found.means.error[told], 2 * means.error[told])
        assert (found.means.low[~told] == 1).all() and (found.means.high[~told] == 5).all()

    rows = rng().random((400, 3)) < [0.2, 0.5, 0.8]
    m = DrawnAttributes.of((2, 2, 2), GRR, 1.0)
    table = YesNoTable(["a", "b", "c"], mechanism=m)
    tally = table.tally(table.perturb(rows, rng=rng()))
    np.testing.assert_allclose(table.estimate(tally).estimate, m.estimate_of_asked(tally)[1::2])
    asked, yes = tally.counts[:, 0], tally.counts[:, 2]
    ends = support_interval(yes, asked, *m.oracle.support, Z)
    np.testing.assert_allclose((table.estimate(tally).low, table.estimate(tally).high), ends)
    error = m.standard_error_of_asked(tally, people=True)[1::2]
    np.testing.assert_allclose(table.estimate(tally, people=True).error, error)
    few = table.tally(m._asked(np.array([0, 0, 1, 1, 2]), np.zeros(5, np.int64)))
    with pytest.raises(ValueError, match="two answers about each column, got 1 about 'c': collect more"):
        table.estimate(few)
    m = StateEncoding(d=3, epsilon=3.0)
    stars = Ratings(["x", "y", "z"], 1, 5, 3, mechanism=m)
    tally = stars.tally(stars.perturb([{"x": 5, "y": 1}, {"x": 3}, {}] * 500, rng=rng()))
    (own, spread), found = m.of_asked(tally), stars.estimate(tally)
    np.testing.assert_allclose(found.shares.estimate, own[0])
    np.testing.assert_allclose(found.shares.error, m.standard_error_of_asked(tally)[0])
    np.testing.assert_allclose(stars.estimate(tally, people=True).shares.error, np.sqrt(spread.variance[0]))
    np.testing.assert_allclose(found.means.error[:2], 2 * mean_of(own, spread).error[:2])
    both = YesNoTable(["a", "b", "c"], epsilon=1.0, pairs=True, missing="?")
    assert isinstance(both.mechanism, Blocks) and both.mechanism.sizes == (3, 3, 3)
    tally = both.tally(both.perturb(rows, rng=rng()))
    found, own = both.estimate(tally, people=True), both.mechanism.tables(tally, [(2,), (0, 1)])
    assert found.labels == (*"abc", "a: ?", "b: ?", "c: ?", "a and b", "a and c", "b and c")
    assert found["c"].share == own.tables[0][1] and found["c: ?"].share == own.tables[0][2]
    own = both.mechanism.pair_tables(tally, [(0, 1)])
    assert found["a and b"].share == own.tables[0][1, 1]
    assert found["a and b"].error == pytest.approx(np.sqrt(own.variances[0][1, 1]))


def test_intervals_of_ratings_all_together_are_those_of_as_many_at_a_higher_level():
    """Of d items there are d shares and d means: an error of 10 % is split into 2d parts."""
    stars = Ratings(["x", "y", "z"], 1, 5, 2, epsilon=3.0)
    tally = stars.tally(stars.perturb([{"x": 5, "y": 1}, {"z": 3}, {"y": 2}] * 2000, rng=rng()))
    together, alone = stars.estimate(tally, 0.9, together=True), stars.estimate(tally, 1 - 0.1 / 6)
    for ours, theirs in ((together.shares, alone.shares), (together.means, alone.means)):
        np.testing.assert_allclose(ours.low, theirs.low, rtol=1e-9)
        np.testing.assert_allclose(ours.high, theirs.high, rtol=1e-9)
    assert not np.isnan(together.means.estimate).any()


def test_ratings_come_as_dicts_and_as_long_tables():
    stars = Ratings(["x", "y"], 1, 5, 2, epsilon=1.0)
    dicts = stars.encoded([{"x": 5, "y": 1}, {}, {"y": 3}])
    long = pd.DataFrame({"user": ["ann", "cem", "ann"], "item": ["y", "y", "x"], "rating": [1, 3, 5]})
    for table in (long, pa.Table.from_pandas(long), long.to_dict("list"), long.astype("category")):
        if isinstance(table, pd.DataFrame):
            table = table.assign(rating=long.rating)
        found = stars.encoded(table, everybody=["ann", "bob", "cem"])
        assert (found.offsets.tolist(), found.keys.tolist()) == (dicts.offsets.tolist(), dicts.keys.tolist())
        np.testing.assert_array_equal(found.values, dicts.values)
        assert len(stars.encoded(table)) == 2
    with pytest.raises(ValueError, match="everybody must name all users, got none of the name 'cem'"):
        stars.encoded(long, everybody=["ann", "bob"])
    with pytest.raises(ValueError, match="values must have 'user', got dict without it"):
        stars.encoded({"item": ["x"], "rating": [1]})
    for column in (pd.Series([{"x": 5, "y": 1}, {}, {"y": 3}]), np.array([{"x": 5, "y": 1}, {}, {"y": 3}])):
        assert stars.encoded(column).keys.tolist() == dicts.keys.tolist()
    draws = Ratings(["x", "y"], 1, 5, 1, epsilon=1.0, more="draw")
    assert len(draws.perturb([{"x": 5, "y": 1}], rng=rng())) == 1


def test_the_best_mechanism_is_taken_and_planned():
    for question in (
        COLOURS,
        Number(0, 1, epsilon=1.0),
        Strings(epsilon=1.0),
        Ratings(["a", "b"], 0, 1, 1, epsilon=1.0),
    ):
        assert question.rank()[0].mechanism == question.mechanism and question.epsilon == 1.0
    assert YesNoTable(["a", "b"], epsilon=0.5).rank()[0].mechanism == YesNoTable(["a", "b"], epsilon=0.5).mechanism
    grr = OneOf(["a", "b", "c"], mechanism=GRR(k=3, epsilon=1.0))
    codes = np.repeat([0, 1, 2], [500, 300, 200])
    exact = np.sqrt(grr.mechanism.variance(codes).sum(0)) / 1000
    assert [grr.plan(1000, f, people=True) for f in (0.5, 0.3, 0.2)] == pytest.approx(exact)
    assert grr.plan(1000, 0.5) == pytest.approx(np.sqrt(exact[0] ** 2 + 0.25 / 1000))
    assert Number(0, 10, epsilon=1.0, mechanism=TwoPoint(epsilon=1.0)).plan(100) == pytest.approx(0.5 / np.tanh(0.5))
    assert Strings(epsilon=1.0).plan(100) > Strings(epsilon=1.0).plan(100, people=True)
    assert YesNoTable(["a", "b"], epsilon=3.0).plan(100) == pytest.approx(
        2 * YesNoTable(["a", "b"], epsilon=3.0).plan(400)
    )
    assert set(Ratings(["a", "b"], 0, 1, 1, epsilon=1.0).plan(100)) == {"share", "mean"}


def test_a_planned_error_is_a_number_that_says_what_it_is():
    grr = OneOf(["a", "b", "c"], mechanism=GRR(k=3, epsilon=1.0))
    planned = grr.plan(1000, 0.3)
    error = np.sqrt((0.3 * grr.mechanism.variance([0])[0, 0] + 0.7 * grr.mechanism.variance([1])[0, 0] + 0.21) / 1000)
    said = f"standard error {100 * error:.1f} %: 95 % of surveys within ± {196 * error:.1f} points"
    assert str(planned) == repr(planned) == f"{planned}" == said
    assert isinstance(planned, float) and planned == pytest.approx(error)
    assert type(2 * planned) is type(planned**2) is type(round(planned, 3)) is float
    assert json.loads(json.dumps(planned)) == planned and f"{planned:.3f}" == f"{error:.3f}"
    again = pickle.loads(pickle.dumps(Number(18, 90, epsilon=1.0, unit="years").plan(2000)))
    assert str(again) == f"standard error at most {again:.1f} years: 95 % of surveys within ± {1.96 * again:.1f} years"
    assert str(Number(0, 1, epsilon=1.0).plan(10**8)) == (
        "standard error at most 0.00011: 95 % of surveys within ± 0.00022"
    )
    others = [
        Strings(epsilon=1.0).plan(100),
        YesNoTable(["a", "b"], epsilon=3.0).plan(100),
        OneOf([1, 2, 3], epsilon=1.0).plan_mean(100),
        OneOf([1, 2, 3], epsilon=1.0).plan_mean(100, {1: 0.2, 2: 0.3, 3: 0.5}),
        *Ratings(["a", "b"], 0, 1, 1, epsilon=1.0).plan(100).values(),
    ]
    ends = [str(one).partition(": 95 % of surveys within ± ") for one in others]
    assert all(middle for _, middle, _ in ends)
    assert [first.startswith("standard error at most") for first, _, _ in ends] == [False, False, True, False, False, False]
    assert [last.partition(" ")[2] for _, _, last in ends] == ["points", "points", "", "", "points", ""]


def test_results_of_a_survey_are_one_table():
    survey = Survey(
        {
            "stays": OneOf([True, False], epsilon=1.0),
            "rooms": OneOf([1, 2], epsilon=1.0),
            "age": Number(18, 90, epsilon=1.0),
            "apps": Ratings(["maps", "mail"], 1, 5, 2, epsilon=1.0),
        },
        limit=4.0,
    )
    rows = {
        "stays": [True, False] * 200,
        "rooms": [1, 2] * 200,
        "age": [20, 60] * 200,
        "apps": [{"maps": 4}, {"mail": 2}] * 200,
    }
    results = survey.estimate(survey.tally(survey.perturb(rows, rng=rng())))
    frame = results.to_frame()
    assert list(frame) == ["question", "row", "what", "estimate", "error", "low", "high"]
    expected = []
    for name, found in results.items():
        for table in (found.shares, found.means) if name == "apps" else (found,):
            expected += [(name, one.label, table.what, *one[1:]) for one in table]
    assert len(expected) == 9
    found = list(frame.itertuples(index=False, name=None))
    assert list(map(repr, found)) == list(map(repr, expected))  # True is not 1
    assert frame[frame.question == "age"].estimate.tolist() == [results["age"]["mean"].mean]
    assert list(survey.estimate({}).to_frame()) == list(frame)


def test_what_a_device_sends_is_named_where_it_answers(tmp_path):
    survey = Survey({"a": OneOf([1, 2], epsilon=1.0), "b": Number(0, 1, epsilon=1.0)}, limit=2.0)
    reports = survey.answer({"a": 1, "b": 0.5}, account=Account(tmp_path / "account", limit=2.0))
    with pytest.raises(TypeError):
        json.dumps(reports)
    assert '"".join(survey.to_wire(reports))' in Survey.answer.__doc__
    read = survey.from_wire("".join(survey.to_wire(reports)))
    assert {name: each.tolist() for name, each in read.items()} == {name: each.tolist() for name, each in reports.items()}


# ---------------------------------------------------------------------------------------------------------- results


def test_a_result_prints_as_a_table():
    asked = OneOf(["pay", "the boss", "其他", 7], mechanism=GRR(k=4, epsilon=2.0))
    found = asked.estimate(Tally(asked.mechanism, 1000, np.array([600, 200, 80, 120])))
    lines = str(found).splitlines()
    assert lines[0].split() == ["category", "share", "error", "low", "high"]
    assert lines[1].startswith("pay       ") and lines[3].startswith("其他      ") and lines[4].startswith("7 ")
    assert lines[1].split()[1] == f"{100 * found['pay'].share:.1f}" and "not told" not in lines[1]
    assert lines[3].endswith("not told from zero") == (found["其他"].low <= 0 <= found["其他"].high)
    assert found["其他"].share < 0, "nothing is clipped"
    assert lines[5:] == [
        "1,000 reports, one a person, ε = 2 (k-RR); error: standard error",
        "low, high: 95 % intervals, each alone, about the population these people are a random sample of",
    ]
    found = asked.estimate(Tally(asked.mechanism, 1000, np.array([600, 200, 80, 120])), 0.9, people=True, together=True)
    assert str(found).endswith("low, high: 90 % intervals, all together, about these very people") and repr(
        found
    ) == str(found)
    age = Number(18, 90, epsilon=1.0, unit="years")
    assert " years" in str(age.estimate(age.tally(age.perturb([50] * 100, rng=rng()))))


def printed(low, high):
    """Cells of the table of a mean in this range, and the entry."""
    asked = Number(low, high, epsilon=1.0)
    found = asked.estimate(asked.tally(asked.perturb([low + 0.7 * (high - low)] * 9000, rng=rng())))
    return str(found).splitlines()[1].split()[1:], found["mean"]


@pytest.mark.parametrize("high", [1e-9, 1e-5, 1e-3, 1.0, 1e9, 1e17, 1e30])
def test_numbers_of_any_size_are_told_from_zero_and_end_where_floats_end(high):
    """A time in seconds may be a few nanoseconds."""
    cells, entry = printed(0, high)
    exact = [entry.mean, entry.error, entry.low, entry.high]
    assert [float(cell.replace(",", "")) for cell in cells] == pytest.approx(exact, rel=0.05)
    assert all(len(re.sub(r"e.*|\D", "", cell).lstrip("0")) <= 17 for cell in cells)


def test_zero_has_one_sign_in_an_identity():
    """Rounding gives negative zeros; reports that were saved under one name must be found under the other."""
    for low, high in ((-0.0, 10.0), (-10.0, -0.0)):
        asked, same = Number(low, high, epsilon=1.0), Number(low + 0.0, high + 0.0, epsilon=1.0)
        assert asked.identity == same.identity
    assert repr(Range(low=(-0.0, 1.0), high=(2.0, 3.0))) == repr(Range(low=(0.0, 1.0), high=(2.0, 3.0)))
    filters = (RAPPOR(bits=8, hashes=1, cohorts=2, f=0.5, p=p, q=0.75) for p in (-0.0, 0.0))
    assert len({identity(one) for one in filters}) == 1


LONG = "NullPointerException at com.app.Screen"


@pytest.mark.parametrize(
    "labels, shown",
    [
        ([f"{LONG}1", f"{LONG}10", "x" * 40], [f"{LONG}1", f"{LONG}10", "x" * 40]),
        ([f"{LONG}111", f"{LONG}1110"], [f"{LONG[:20]}…{LONG[-16:]}111", f"{LONG[:20]}…{LONG[-15:]}1110"]),
        (["a" * 30 + x + "b" * 30 for x in "cd"], ["a" * 18 + "…" + "b" * 17 + f" [{i}]" for i in range(2)]),
        (["a b", "a  b", "c"], ["a b [0]", "a b [1]", "c"]),
        (["a b", "a  b", "a b [1]"], ["a b [0]", "a b [1]", "a b [1] [2]"]),
    ],
)
def test_labels_in_print_are_short_and_distinct(labels, shown):
    import matplotlib

    matplotlib.use("agg")
    question = OneOf(labels, mechanism=GRR(k=len(labels), epsilon=1.0))
    found = question.estimate(question.tally([0, 1]))
    width = max(len("category"), *map(len, shown))
    assert [line[: width + 2] for line in str(found).splitlines()[1:-2]] == [f"{x:<{width}}  " for x in shown]
    assert width <= 40 and len({*shown}) == len(labels)
    axes = found.plot()
    assert [one.get_text() for one in axes.get_yticklabels()] == shown


def test_a_long_table_says_how_many_rows_stand_out_by_chance():
    """200 absent strings, intervals of 90 %: those above zero are binomial with 5 %; a false alarm: below 1e-7."""
    labels = [f"s{i}" for i in range(200)]
    word = Strings(epsilon=2.0)
    tally = word.tally(word.perturb(["other"] * 20_000, rng=rng()), labels)
    found = word.estimate(tally, level=0.9)
    said = "if all shares were 0, about 10 of 200 intervals would lie above it by chance; estimate(…, together=True)"
    assert said in str(found) and "by chance" not in str(word.estimate(tally, level=0.9, together=True))
    out = int((found.low > 0).sum())
    assert binom.cdf(out, 200, 0.05) > 1e-8 and binom.sf(out - 1, 200, 0.05) > 1e-8 and out
    assert not (word.estimate(tally, level=0.9, together=True).low > 0).sum() > 5
    short = word.estimate(word.tally(word.perturb(["other"] * 20_000, rng=rng()), labels[:40]))
    assert "by chance" not in str(short)


def test_a_long_table_shows_the_largest():
    many = OneOf(list(range(200)), mechanism=GRR(k=200, epsilon=8.0))
    text = str(many.estimate(Tally(many.mechanism, 19900, np.arange(200))))
    assert text.count("\n") == 44 and "\n160 " in text and "\n159 " not in text
    assert "the 40 largest of 200 are shown; to_frame() has all" in text


def test_rows_frames_and_pictures():
    import matplotlib

    matplotlib.use("agg")
    found = COLOURS.estimate(COLOURS.tally(COLOURS.perturb(STORY * 100, rng=rng())))
    rows = list(found)
    assert len(rows) == len(found) == 4 and rows[1] == found["blue"] and rows[1].share == found.estimate[1]
    frame = found.to_frame()
    assert list(frame) == ["share", "error", "low", "high"] and frame.loc["blue", "high"] == rows[1].high
    axes = found.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == list(COLOURS.labels)
    segments = axes.collections[0].get_segments()
    np.testing.assert_allclose([s[:, 0] for s in segments], 100 * np.stack([found.low, found.high], 1))
    stars = Ratings(["x", "y"], 1, 5, 1, epsilon=4.0)
    rated = stars.estimate(stars.tally(stars.perturb([{"x": 5}] * 500, rng=rng())))
    assert rated["x"].mean.mean > 4 and np.isnan(rated["y"].mean.mean) and len(list(rated)) == len(rated) == 2
    assert "too few to tell" in str(rated) and list(rated.to_frame())[:2] == ["share", "share_error"]
    assert len(rated.plot()) == 2
    matplotlib.pyplot.close("all")


def test_what_is_absent_is_named(monkeypatch):
    found = COLOURS.estimate(COLOURS.tally([0, 1, 2]))
    for module, call in (("pandas", found.to_frame), ("matplotlib", found.plot)):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=rf"needs {module}: pip install 'ldpnb\[chapters\]'"):
            call()


def test_asking_loads_neither_pandas_nor_arrow():
    code = "from ldpnb import OneOf; q = OneOf(['a', 'b'], epsilon=1.0); import numpy as np; "
    code += "print(q.estimate(q.tally(q.perturb(['a', 'b'], rng=np.random.default_rng(0))))); import sys; "
    code += "print([m for m in ('pandas', 'pyarrow', 'matplotlib', 'numba') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "[]"


# ----------------------------------------------------------------------------------------------- tallies, and surveys


def test_tallies_add_and_are_saved_with_what_was_asked(tmp_path):
    reports = COLOURS.perturb(STORY * 20, rng=rng())
    whole, parts = COLOURS.tally(reports), COLOURS.tally(reports[:30]) + COLOURS.tally(reports[30:])
    np.testing.assert_array_equal(whole.counts, parts.counts)
    save_tally(parts, tmp_path / "tally", label=COLOURS.identity)
    again = load_tally(tmp_path / "tally", COLOURS.mechanism, label=COLOURS.identity)
    assert str(COLOURS.estimate(again)) == str(COLOURS.estimate(whole))
    other = OneOf(["blue", "red", "green"], epsilon=1.0, missing="none")
    assert other.mechanism == COLOURS.mechanism
    with pytest.raises(ValueError, match="its label is"):
        load_tally(tmp_path / "tally", other.mechanism, label=other.identity)


def test_reports_are_collected_from_partitions(tmp_path):
    reports = COLOURS.perturb(STORY * 20, rng=rng())
    for i, part in enumerate((reports[:30], reports[30:])):
        ldpnb.save(part, tmp_path / f"{i}.parquet", COLOURS.mechanism, label=COLOURS.identity)
    files = [tmp_path / f"{i}.parquet" for i in range(2)]
    found = ldpnb.collect(COLOURS.mechanism, files, label=COLOURS.identity)
    np.testing.assert_array_equal(found.tally.counts, COLOURS.tally(reports).counts)


def test_a_question_stands_for_its_mechanism_and_its_identity(tmp_path):
    reports, path = COLOURS.perturb(STORY * 20, rng=rng()), tmp_path / "a.parquet"
    ldpnb.save(reports, path, COLOURS)
    for asked in ((COLOURS, {}), (COLOURS.mechanism, {"label": COLOURS.identity})):
        assert (
            ldpnb.collect(asked[0], [path], **asked[1]).tally.counts.tolist() == COLOURS.tally(reports).counts.tolist()
        )
        assert np.concatenate([*ldpnb.collecting.read(path, asked[0], **asked[1])]).tolist() == reports.tolist()
    other = OneOf(["blue", "red", "green"], epsilon=1.0, missing="none")
    with pytest.raises(ldpnb.collecting.PartitionError, match="it holds those labelled"):
        ldpnb.collect(other, [path])
    ldpnb.save(reports, tmp_path / "b.parquet", COLOURS, label="mine")
    assert ldpnb.collect(COLOURS, [tmp_path / "b.parquet"], label="mine").reports == len(reports)
    survey = Survey({"colour": COLOURS}, limit=1.0)
    for call in (lambda: ldpnb.collect(survey, [path]), lambda: ldpnb.save(reports, tmp_path / "c", survey)):
        with pytest.raises(ValueError, match="^mechanism must be a Mechanism, or a question of a survey, got Survey"):
            call()


def test_an_identity_is_short_and_tells_lists_apart(tmp_path):
    """With a list of 2,000 the whole has 28,000 characters; it is in each file, and in messages."""
    labels = [f"crash-{i:04}" for i in range(2000)]
    one, other = OneOf(labels, epsilon=1.0), OneOf([*labels[:-2], *labels[:-3:-1]], epsilon=1.0)
    assert len(one.identity) == len(other.identity) == 200 and one.identity[:120] == other.identity[:120]
    assert one.identity != other.identity and re.search("… sha256 [0-9a-f]{64}$", one.identity)
    assert "sha256" not in COLOURS.identity and COLOURS.identity.endswith("GRR(k=4, epsilon=1.0)")
    ldpnb.save(np.zeros(3, np.int64), tmp_path / "a", one)
    for label in ("", other.identity, "x" * 10**5):
        with pytest.raises(ldpnb.collecting.PartitionError) as caught:
            ldpnb.collect(one.mechanism, [tmp_path / "a"], label=label)
        assert len(str(caught.value).replace(str(tmp_path), "")) < 800


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("k", [65, 200, 2000])
def test_a_long_list_takes_a_mechanism_that_does_not_slow_down_with_it(k, epsilon):
    ranked = [one for one in choose.Item(n=10_000, epsilon=epsilon, k=k, share=1 / k).rank() if not one.excluded]
    close = [one for one in ranked if one.error <= 1.05 * ranked[0].error and one.server == "report"]
    taken = OneOf([*range(k)], epsilon=epsilon).mechanism
    assert taken == (close or ranked)[0].mechanism
    errors = [float(f"{one.error:.9g}") for one in ranked]
    assert errors == sorted(errors), "the ranking itself goes by the error"
    assert taken.report_bits + taken.public_bits < 20 and ranked[0].name == "k-Subset" and ranked[0].server != "report"


@pytest.mark.parametrize("k", [2, 7, 64])
def test_a_short_list_takes_the_least_error(k):
    question = OneOf([*range(k)], epsilon=1.0)
    assert question.mechanism == question.rank().best.mechanism


def test_a_long_list_with_no_short_report_close_by_takes_the_least_error():
    question = OneOf([*range(2000)], epsilon=6.0)  # that of a block design is 5.1 % larger
    assert question.mechanism == question.rank().best.mechanism and question.rank().best.name == "k-Subset"


QUESTIONS = {
    "colour": COLOURS,
    "age": Number(0, 100, epsilon=0.5, missing="decline"),
    "habits": YesNoTable(["smokes", "runs"], epsilon=0.25),
    "word": Strings(epsilon=0.25),
}
FRAME = {
    "colour": STORY * 20,
    "age": [20, None, 40, 50, 60] * 20,
    "smokes": [True, False, False, False, True] * 20,
    "runs": [False, True, False, False, True] * 20,
    "word": ["a", "b", "a", "a", "c"] * 20,
}


@pytest.mark.parametrize("table", [dict, pd.DataFrame, pa.table])
def test_a_survey_from_a_table(table):
    survey = Survey(QUESTIONS, limit=2.0)
    assert survey.epsilon == 2.0
    reports = survey.perturb(table(FRAME), rng=rng())
    assert {name: len(found) for name, found in reports.items()} == {
        "colour": 100,
        "age": 80,
        "habits": 100,
        "word": 100,
    }
    tallies = survey.tally(reports, {"word": ["a", "b"]})
    results = survey.estimate(tallies, together=True)
    assert list(results) == list(QUESTIONS) and results["colour"].together and results["word"].labels == ("a", "b")
    assert str(results).startswith("colour\ncategory") and "\n\nage\n" in str(results)


def test_columns_of_a_survey_have_one_length():
    """A dict of columns lets them be of different people; of ratings, a table has a row each, and not one a person."""
    both = YesNoTable(["tea", "milk"], epsilon=1.0)
    rated = Ratings(["mail", "maps"], 0, 5, 1, epsilon=1.0)
    survey = Survey({"age": Number(18, 90, epsilon=1.0), "drinks": both, "rated": rated}, limit=3.0)
    table = pd.DataFrame({"user": [0, 1], "item": ["mail", "maps"], "rating": [1, 2]})
    answers = {"age": [20, 30, 40], "tea": [True] * 3, "milk": [True] * 3, "rated": table}
    assert {name: len(reports) for name, reports in survey.perturb(answers, rng=rng()).items()}["age"] == 3
    for name, column in (("age", [20, 30]), ("tea", [True] * 4), ("rated", [{"mail": 1}] * 2)):
        with pytest.raises(ValueError, match=rf"frame must have columns of one length, got .*{name}: {len(column)}"):
            survey.perturb(answers | {name: column}, rng=rng())


def test_a_survey_keeps_its_limit():
    with pytest.raises(
        ValueError, match=r"limit must be at least the sum of ε, 2.0, got 1.9: lower some of colour 1.0, age"
    ):
        Survey(QUESTIONS, limit=1.9)
    for wrong, words in (({}, "dict of questions"), ({"a": GRR(k=2, epsilon=1.0)}, "questions must be OneOf")):
        with pytest.raises(ValueError, match=words):
            Survey(wrong, limit=1.0)
    survey = Survey(QUESTIONS, limit=2.0)
    with pytest.raises(ValueError, match="values must have 'age', got dict without it"):
        survey.perturb({"colour": STORY}, rng=rng())
    with pytest.raises(ValueError, match=r"must be of the questions 'colour', .*, got 'tea'$"):
        survey.tally({"tea": []})
    with pytest.raises(ValueError, match=r"must be of the questions 'colour', .*, got 'tea'$"):
        survey.estimate({"tea": None})


def test_one_person_answers_from_an_account(tmp_path):
    survey, account = Survey(QUESTIONS, limit=2.0), Account(tmp_path / "account", limit=3.75)
    row = {"colour": "red", "age": 30, "smokes": True, "runs": None, "word": "a"}
    with pytest.raises(ValueError, match="got 1 of 1 missing"):
        survey.answer(row, account=account)
    assert account.spent == 0, "nothing is paid for answers that are refused"
    for none in (None, tmp_path / "account"):
        with pytest.raises(ValueError, match=r"^account must be an Account, .* e.g. Account\(path, limit=2.0\), got"):
            survey.answer(row, account=none)
    row["runs"] = False
    found = survey.answer(row, account=account, rng=SystemRandom())
    assert {name: len(report) for name, report in found.items()} == dict.fromkeys(QUESTIONS, 1)
    survey.tally(found, {"word": ["a"]})
    assert account.spent == 2.0 and [e["label"] for e in account.history] == list(QUESTIONS)
    with pytest.raises(BudgetError, match="4 reports must cost at most the 1.75 that is left, got 2: ask less"):
        survey.answer(row, account=account)
    assert account.spent == 2.0, "nothing of a survey is paid that is too dear as a whole"
    assert list(survey.answer({**row, "age": None}, account=account)) == ["colour", "habits", "word"]
    assert account.spent == 3.5


@pytest.mark.parametrize("limit", [0.5, 1.0, 2.0, 3.0, 4.0])
def test_even_parts_of_a_limit_keep_it(limit):
    """All splits into up to 20 parts; 23 of these 95 are too dear by the rounding of a float."""
    for parts in range(2, 21):
        question = OneOf([True, False], epsilon=limit / parts)
        survey = Survey({f"q{i}": question for i in range(parts)}, limit=limit)
        with pytest.raises(ValueError, match="limit must be at least the sum of ε"):
            Survey(survey.questions, limit=limit * (1 - 2**-39))


def test_answers_are_one_payment(tmp_path):
    survey = Survey({name: OneOf([True, False], epsilon=0.6) for name in "ab"}, limit=2.0)
    account = Account(tmp_path / "account", limit=1.0)
    with pytest.raises(BudgetError, match="2 reports must cost at most the 1 that is left, got 1.2"):
        survey.answer({"a": True, "b": True}, account=account)
    assert account.spent == 0, "the first alone would have fitted"


# --------------------------------------------------------------------------------------------------------- coverage

SURVEYS, ALARM = 200, 1e-9
SHARES = np.array([0.5, 0.3, 0.15, 0.05])
LETTERS = list("abcd")


def letters(rng):
    found = rng.choice(LETTERS, 600, p=SHARES)
    return found, np.array([np.mean(found == x) for x in LETTERS])


def beta(rng):
    found = rng.beta(0.5, 0.5, 300) * 10
    return found, [found.mean()]


def table(rng):
    rows = rng.random((600, 3)) < [0.3, 0.5, 0.8]
    return rows, np.append(rows.mean(0), [(rows[:, i] & rows[:, j]).mean() for i, j in ((0, 1), (0, 2), (1, 2))])


def stars(rng):
    held, rating = rng.random((600, 3)) < [0.7, 0.4, 0.02], np.where(rng.random((600, 3)) < 0.7, 5, 2)
    user, item = np.nonzero(held)
    means = [rating[held[:, j], j].mean() if held[:, j].any() else 3.0 for j in range(3)]
    long = {"user": user, "item": np.array(["x", "y", "z"])[item], "rating": rating[held]}
    return {**long, "everybody": range(600)}, np.append(held.mean(0), means)


TABLE = [0.3, 0.5, 0.8, 0.15, 0.24, 0.4]
COVERED = [
    (OneOf(LETTERS, epsilon=4.0), letters, SHARES),
    (OneOf(LETTERS, epsilon=1.0, mechanism=OLH(k=4, epsilon=1.0)), letters, SHARES),
    (Number(0, 10, epsilon=6.0), beta, [5.0]),
    (Strings(epsilon=4.0), letters, SHARES),
    (YesNoTable(list("abc"), mechanism=DrawnAttributes.of((2, 2, 2), GRR, 2.0)), table, TABLE[:3]),
    (YesNoTable(list("abc"), epsilon=4.0, pairs=True), table, TABLE),
    (Ratings(["x", "y", "z"], 1, 5, 3, epsilon=4.0), stars, [0.7, 0.4, 0.02, 4.1, 4.1, 4.1]),
]


def ends(result):
    rows = [*result.shares, *result.means] if isinstance(result, ldpnb.survey.RatingsResult) else [*result]
    return np.array([[row.low, row.high] for row in rows]).T


@pytest.mark.parametrize("question, draw, truth", COVERED, ids=lambda x: type(x).__name__)
def test_intervals_cover_by_simulation_on_real_clients(question, draw, truth):
    """Each entry alone about as often as stated, all together at least as often; means of these people, too."""
    r, hits = rng(11), {(people, together): [] for people in (False, True) for together in (False, True)}
    for _ in range(SURVEYS):
        answers, own = draw(r)
        more = {"everybody": answers.pop("everybody")} if isinstance(question, Ratings) else {}
        reports = question.perturb(answers, rng=r, **more)
        tally = question.tally(reports, *([LETTERS] if isinstance(question, Strings) else []))
        for (people, together), found in hits.items():
            low, high = ends(question.estimate(tally, 0.8 if together else 0.95, people=people, together=together))
            target = np.array(own if people else truth)[: len(low)]
            found.append((low <= target) & (target <= high))
    for people in (False, True):
        alone, all_at_once = np.sum(hits[people, False], 0), np.sum(np.all(hits[people, True], 1))
        assert alone.min() >= binom.ppf(ALARM, SURVEYS, 0.93) and all_at_once >= binom.ppf(ALARM, SURVEYS, 0.78), people
        if not isinstance(question, Number | Ratings):
            assert alone.max() <= binom.isf(ALARM, SURVEYS, 0.97)


# ---------------------------------------------------------------------------------------- what an error is about


NAMED = Survey({"why": OneOf(["pay", "boss"], epsilon=0.5), "word": Strings(epsilon=0.5)}, limit=np.float32(1))


def test_an_error_of_a_survey_names_the_question(tmp_path):
    assert type(NAMED.limit) is float
    right = {"why": ["pay"], "word": ["a"]}
    account = Account(tmp_path / "account", limit=1.0)
    reports = NAMED.perturb(right, rng=rng())
    for ask, name in (
        (lambda: NAMED.perturb(right | {"why": ["x"]}, rng=rng()), "why"),
        (lambda: NAMED.perturb(right | {"word": [7]}, rng=rng()), "word"),
        (lambda: NAMED.perturb({"why": ["pay"]}, rng=rng()), "word"),
        (lambda: NAMED.answer({"why": "pay", "word": None}, account=account), "word"),
        (lambda: NAMED.tally(reports, {"word": [7]}), "word"),
        (lambda: NAMED.estimate({"why": NAMED.tally(reports, {"word": ["a"]})["why"]}), "why"),
    ):
        with pytest.raises(ValueError, match=f"^question '{name}': "):
            ask()
    assert account.left == 1.0


def test_what_is_not_by_the_names_of_questions_is_refused():
    for ask in (NAMED.tally, NAMED.estimate, lambda given: NAMED.tally({}, given)):
        for wrong in (5, [3], {7: 1, "x": 2}):
            with pytest.raises(ValueError, match="^(reports|tallies|candidates) must be (a dict by|of) "):
                ask(wrong)


def test_what_is_missing_in_a_table_of_ratings_is_named():
    question = Ratings(["x", "y"], 1, 5, 1, epsilon=1.0)
    for table, words in (
        ({"user": ["u", "v"], "item": ["x", "y"], "rating": [3]}, "values .* length, got user: 2, item: 2, rating: 1$"),
        ({"user": ["u", "v"], "item": ["x", None], "rating": [3, 4]}, "item must be there in each row, got 1 missing"),
        ({"user": ["u", "v"], "item": ["x", "y"], "rating": [3, None]}, "rating must be there in each row, got 1 miss"),
        ([{None: 3}], "item must be there in each row, got 1 missing: leave rows without an item out"),
    ):
        with pytest.raises(ValueError, match=f"^{words}"):
            question.encoded(table)


LONG = "x" * 10**5
RATED = Ratings(["a", "b"], 1, 5, 1, epsilon=1.0)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: OneOf(["a", "b"], epsilon=1.0).encoded([LONG, LONG + "y"]),
        lambda: OneOf([LONG, LONG + "y"], epsilon=1.0).encoded(["c"]),
        lambda: OneOf([LONG, LONG], epsilon=1.0),
        lambda: OneOf(["a", "b"], epsilon=1.0, mechanism=[10**5000]),
        lambda: OneOf(["a", "b"], epsilon=[10**5000]),
        lambda: Number(0, 1, epsilon=1.0, outside=LONG),
        lambda: Number(0, 1, epsilon=1.0, outside=np.array([1, 2])),
        lambda: Ratings(["a"], 1, 5, 1, epsilon=1.0, more=np.array([1, 2])),
        lambda: OneOf(["a", "b"], epsilon=np.array([1, 2]), mechanism=GRR(k=2, epsilon=1.0)),
        lambda: RATED.encoded({"user": [LONG] * 2, "item": ["a", "a"], "rating": [3, 3]}),
        lambda: RATED.encoded({"user": [LONG], "item": ["a"], "rating": [3]}, everybody=["v"]),
        lambda: RATED.encoded({"user": ["v"], "item": ["a"], "rating": [3]}, everybody=["v", LONG, LONG]),
        lambda: Survey({LONG: 5}, limit=1.0),
        lambda: choose.OneNumber(n=10, epsilon=1.0, public_free=[10**5000]),
        lambda: Hierarchy.of(8, 1.0, widths=(1, 2), weights=5),
    ],
)
def test_messages_are_short_whatever_is_refused(ask):
    with pytest.raises(ValueError, match=", got ") as caught:
        ask()
    assert len(str(caught.value)) < 600
