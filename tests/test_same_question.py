"""Questions that are the same: equal, alike after a copy, made anew by `replace`; and tallies that know theirs."""

import json
import pickle
from copy import copy, deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ldpnb import (
    GRR,
    OUE,

    DrawnAttributes,
    HarmonyFrequency,
    Number,
    OneOf,
    Ratings,
    Strings,
    Survey,
    Wheel,
    YesNoTable,
    collect,
    pool_waves,
    save,
)
from ldpnb.core import Tally
from ldpnb.keyvalue import StateEncoding
from ldpnb.numbers import Hybrid
from ldpnb.oracles import BlockDesign, HadamardResponse
from ldpnb.collecting import from_wire, load_tally, save_tally, to_wire

OLD = Path(__file__).resolve().parent / "of_1_0_0"
MANY = [f"page {i}" for i in range(200)]  # of which one takes a design with a drawn table

# two makers of one question, and questions that differ from it in one point
DOORS = {
    "OneOf": (
        lambda: OneOf(["a", "b"], epsilon=1),
        lambda: OneOf(("a", "b"), epsilon=1.0),
        [
            OneOf(["b", "a"], epsilon=1.0),
            OneOf(["a", "c"], epsilon=1.0),
            OneOf(["a", "b"], epsilon=2.0),
            OneOf(["a", "b"], epsilon=1.0, missing="decline"),
            OneOf(["a", "b"], epsilon=1.0, values=[0, 1]),
            OneOf(["a", "b"], mechanism=OUE(k=2, epsilon=1.0)),
        ],
    ),
    "OneOf of types": (
        lambda: OneOf([True, False], epsilon=1.0),
        lambda: OneOf([True, False], epsilon=1.0),
        [OneOf([1, 0], epsilon=1.0), OneOf(["True", "False"], epsilon=1.0)],
    ),
    "OneOf with values": (
        lambda: OneOf(["a", "b"], epsilon=1.0, values={"b": 2, "a": 1}),
        lambda: OneOf(["a", "b"], epsilon=1.0, values=[1.0, 2.0]),
        [OneOf(["a", "b"], epsilon=1.0), OneOf(["a", "b"], epsilon=1.0, values=[2, 1])],
    ),
    "OneOf of many": (
        lambda: OneOf(MANY, epsilon=2.0),
        lambda: OneOf(MANY, epsilon=2.0),
        [OneOf(MANY[::-1], epsilon=2.0)],
    ),
    "OneOf by a design": (
        lambda: OneOf(MANY, mechanism=BlockDesign(k=200, epsilon=1.0)),
        lambda: OneOf(MANY, mechanism=BlockDesign(k=200, epsilon=1.0)),
        [OneOf(MANY, mechanism=HadamardResponse(k=200, epsilon=1.0))],
    ),
    "Strings": (
        lambda: Strings(epsilon=1.0),
        lambda: Strings(epsilon=1.0),
        [Strings(epsilon=1.0, missing="none"), Strings(epsilon=2.0), Strings(mechanism=Wheel(m=2, epsilon=1.0))],
    ),
    "Number": (
        lambda: Number(0, 10, epsilon=1.0),
        lambda: Number(0.0, np.int64(10), epsilon=1),
        [
            Number(0, 11, epsilon=1.0),
            Number(0, 10, epsilon=1.0, outside="clip"),
            Number(0, 10, epsilon=1.0, unit="h"),
            Number(0, 10, mechanism=Hybrid(epsilon=1.0)),
        ],
    ),
    "Ratings": (
        lambda: Ratings(["a", "b"], 1, 5, most=1, epsilon=1.0),
        lambda: Ratings(("a", "b"), 1.0, 5.0, most=np.int64(1), epsilon=1.0),
        [
            Ratings(["b", "a"], 1, 5, most=1, epsilon=1.0),
            Ratings(["a", "b"], 1, 5, most=1, epsilon=1.0, more="draw"),
            Ratings(["a", "b"], 1, 5, most=1, mechanism=StateEncoding(d=2, epsilon=1.0)),
        ],
    ),
    "YesNoTable": (
        lambda: YesNoTable(["a", "b", "c"], epsilon=1.0),
        lambda: YesNoTable(("a", "b", "c"), epsilon=1.0, yes=True),
        [
            YesNoTable(["a", "b", "c"], epsilon=1.0, yes=1, no=0),
            YesNoTable(["a", "b", "c"], epsilon=1.0, pairs=True),
            YesNoTable(["a", "b", "c"], epsilon=1.0, missing="no answer"),
            YesNoTable(["a", "b", "c"], mechanism=HarmonyFrequency(sizes=(2, 2, 2), epsilon=1.0)),
            YesNoTable(["a", "b", "c"], mechanism=DrawnAttributes(sizes=(2, 2, 2), oracle=OUE(k=2, epsilon=1.0))),
        ],
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_questions_are_the_same_if_all_that_was_said_is(door):
    one, other, unlike = DOORS[door]
    assert one() == other() and hash(one()) == hash(other())
    assert {one(): "found"}[other()] == "found"
    for different in unlike:
        assert one() != different
    assert one() != "a question"


@pytest.mark.parametrize("duplicate", [copy, deepcopy, lambda one: pickle.loads(pickle.dumps(one)), replace])
@pytest.mark.parametrize("door", DOORS)
def test_a_copy_is_the_same_question(door, duplicate):
    one, *_ = DOORS[door]
    made = one()
    again = duplicate(made)
    assert again is not made and again == made and hash(again) == hash(made)
    assert again.identity == made.identity and again.mechanism == made.mechanism


# ------------------------------------------------------------------------------------------ replace


@pytest.mark.parametrize("duplicate", [lambda one: one, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("door", [door for door in DOORS if door != "OneOf by a design"])
def test_a_mechanism_that_was_chosen_is_chosen_anew(door, duplicate):
    one, *_ = DOORS[door]
    made = duplicate(one())
    changed = replace(made, epsilon=3.0)
    assert changed.epsilon == changed.mechanism.epsilon == 3.0 and changed != made
    assert replace(changed, epsilon=made.epsilon) == made


def test_other_categories_take_a_mechanism_of_their_own():
    asked = OneOf(["a", "b"], epsilon=1.0)
    assert replace(asked, categories=["a", "b", "c"]) == OneOf(["a", "b", "c"], epsilon=1.0)
    assert replace(asked, missing="no answer") == OneOf(["a", "b"], epsilon=1.0, missing="no answer")
    table = YesNoTable(["a", "b", "c"], epsilon=1.0)
    assert replace(table, pairs=True) == YesNoTable(["a", "b", "c"], epsilon=1.0, pairs=True)


def test_a_mechanism_that_was_given_stays():
    oracle = OUE(k=2, epsilon=1.0)
    asked = OneOf(["a", "b"], mechanism=oracle)
    assert replace(asked, values=[1, 2]).mechanism is oracle
    with pytest.raises(ValueError, match="epsilon must be that of the mechanism, 1.0, got 2.0: leave it out"):
        replace(asked, epsilon=2.0)
    with pytest.raises(ValueError, match="mechanism must have unbiased shares and k = 3"):
        replace(asked, categories=["a", "b", "c"])
    other = replace(asked, epsilon=2.0, mechanism=GRR(k=2, epsilon=2.0))
    assert other.mechanism == GRR(k=2, epsilon=2.0)


def test_what_was_chosen_is_given_if_nothing_else_is_said():
    """As in ``mechanism=other.mechanism``, for the same reports under new labels."""
    chosen = OneOf(["a", "b"], epsilon=1.0).mechanism
    assert OneOf(["x", "y"], mechanism=chosen).mechanism == chosen
    with pytest.raises(ValueError, match="k = 3"):
        OneOf(["x", "y", "z"], mechanism=chosen)


def test_what_was_ranked_is_given():
    """A choice of the ranking is the user's, not the question's."""
    first = OneOf(["a", "b"], epsilon=1.0).rank()[0].mechanism
    with pytest.raises(ValueError, match="epsilon must be that of the mechanism"):
        OneOf(["a", "b"], epsilon=2.0, mechanism=first)


# ------------------------------------------------------------------------- tallies know their question

LETTERS = OneOf(["a", "b", "c"], epsilon=1.0)
OTHERS = OneOf(["w", "x", "y"], epsilon=1.0)
SENT = LETTERS.perturb(["a", "b", "c", "c"] * 50, rng=np.random.default_rng(0))
REFUSED = r"tally must be of this question, OneOf\(\('w', 'x', 'y'\)\).*, got one of OneOf\(\('a', 'b', 'c'\)\).*: "


def ways(folder):
    """Yield tallies of one question, by each way that leads to one."""
    tally = LETTERS.tally(SENT)
    yield tally
    yield LETTERS.tally(SENT[:60]) + LETTERS.tally(SENT[60:])
    yield sum([LETTERS.tally(SENT[:60]), LETTERS.mechanism.tally(SENT[60:])])
    yield LETTERS.mechanism.tally(SENT[:60]) + LETTERS.tally(SENT[60:])
    yield pickle.loads(pickle.dumps(tally))
    yield LETTERS.tally(from_wire("".join(to_wire(SENT, LETTERS)), LETTERS))
    for label in ("", "monday", LETTERS.identity):
        save_tally(tally, folder / "tally", label=label)
        yield load_tally(folder / "tally", LETTERS.mechanism, label=label)
    for i, part in enumerate((SENT[:60], SENT[60:])):
        save(part, folder / f"{i}.parquet", LETTERS)
    files = [folder / f"{i}.parquet" for i in range(2)]
    yield collect(LETTERS, files).tally
    yield collect(LETTERS, files, skip=True).tally
    yield pool_waves([LETTERS.tally(SENT[:60], wave="W1"), LETTERS.tally(SENT[60:], wave="W2")])


def test_a_tally_of_other_labels_is_refused_whatever_its_way(tmp_path):
    assert OTHERS.mechanism == LETTERS.mechanism
    found = list(ways(tmp_path))
    for tally in found:
        assert tally.question == LETTERS.identity
        assert tally.n == len(SENT)
        LETTERS.estimate(tally, rounds=1)
        with pytest.raises(ValueError, match=REFUSED + "estimate it with that question, or count"):
            OTHERS.estimate(tally, rounds=1)


def test_tallies_of_two_questions_do_not_add():
    with pytest.raises(ValueError, match=r"must be of one question to be added, .* got OneOf\(\('a'.* and OneOf\(\('w'"):
        LETTERS.tally(SENT) + OTHERS.tally(SENT)
    with pytest.raises(ValueError, match="must be of one question"):
        LETTERS.mechanism.tally(SENT) + LETTERS.tally(SENT) + OTHERS.tally(SENT)
    with pytest.raises(ValueError, match="must be of one question"):
        pool_waves([LETTERS.tally(SENT, wave="W1"), OTHERS.tally(SENT, wave="W2")])


def test_tallies_of_all_doors_are_told_apart():
    rng = np.random.default_rng(0)
    numbers = Number(0, 10, epsilon=1.0), Number(0, 100, epsilon=1.0)
    ratings = Ratings(["a", "b"], 1, 5, most=1, epsilon=1.0), Ratings(["b", "a"], 1, 5, most=1, epsilon=1.0)
    tables = YesNoTable(["a", "b"], epsilon=1.0), YesNoTable(["b", "c"], epsilon=1.0)
    answers = ([1, 2], [{"a": 1}, {"b": 2}], np.eye(2, dtype=bool))
    for (one, other), column in zip((numbers, ratings, tables), answers, strict=True):
        assert one.mechanism == other.mechanism
        tally = one.tally(one.perturb(column * 50 if isinstance(column, list) else np.tile(column, (50, 1)), rng=rng))
        one.estimate(tally)
        with pytest.raises(ValueError, match="tally must be of this question"):
            other.estimate(tally)
    asked = Strings(epsilon=1.0)
    tally = asked.tally(asked.perturb(["u", "v"] * 50, rng=rng), ["u"])
    asked.estimate(tally)
    with pytest.raises(ValueError, match="tally must be of this question"):
        Strings(epsilon=1.0, missing="none").estimate(tally)


def test_what_only_the_server_does_is_the_same_question():
    """Values for a mean, and a draw of too many ratings, change no report's meaning."""
    tally = LETTERS.tally(SENT)
    assert replace(LETTERS, values=[1, 2, 3]).estimate(tally).mean.estimate > 1


def test_a_mechanism_counts_for_any_question():
    tally = LETTERS.mechanism.tally(SENT)
    assert tally.question is None
    for asked in (LETTERS, OTHERS):
        np.testing.assert_array_equal(asked.estimate(tally).estimate, LETTERS.mechanism.estimate(tally))
    np.testing.assert_array_equal(
        LETTERS.mechanism.estimate(LETTERS.tally(SENT)), LETTERS.mechanism.estimate(tally)
    )


def test_the_question_of_a_tally_is_a_text():
    with pytest.raises(ValueError, match="question must be a text, got 7: question.tally"):
        Tally(GRR(k=2, epsilon=1.0), 0, np.zeros(2, np.int64), question=7)


def test_tallies_of_1_0_0_are_of_any_question():
    """Files and pickles of 1.0.0 do not name one; the label of a file does, and is compared."""
    asked = OneOf(["yes", "no", "perhaps"], mechanism=GRR(k=3, epsilon=1.0))
    old = load_tally(OLD / "tally", asked.mechanism, label=asked.identity)
    assert old.question is None
    both = old + asked.tally(np.array([0, 1]))
    assert both.question == asked.identity and asked.estimate(both).tally.n == 8
    pickled = pickle.loads(pickle.dumps(old))
    del pickled.__dict__["question"], pickled.__dict__["wave"]  # as 1.0.0 had them
    assert pickled.question is None and (asked.tally(np.array([0])) + pickled).n == 7


def test_a_file_without_a_question_is_as_of_1_0_0(tmp_path):
    """One with a question differs in a name alone, which 1.0.0 passes over."""
    asked = OneOf(["yes", "no", "perhaps"], mechanism=GRR(k=3, epsilon=1.0))
    tally = asked.tally(np.array([0, 2, 2, 1, 0, 0]))
    save_tally(tally, tmp_path / "tally", label=asked.identity)
    said, _, _ = (tmp_path / "tally").read_bytes().partition(b"\n")
    before, _, _ = (OLD / "tally").read_bytes().partition(b"\n")
    assert json.loads(said) == json.loads(before) | {"question": asked.identity}


def test_a_survey_counts_for_its_questions():
    survey = Survey({"letters": LETTERS, "others": OTHERS}, limit=2.0)
    frame = {"letters": ["a", "b"] * 50, "others": ["w", "x"] * 50}
    tallies = survey.tally(survey.perturb(frame, rng=np.random.default_rng(0)))
    survey.estimate(tallies)
    with pytest.raises(ValueError, match="tally must be of this question"):
        survey.estimate({"letters": tallies["others"]})


# -------------------------------------------------------------------------------------- one answer


def test_one_answer_is_no_answers():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="got 'd', 1 answer in all;"):
        LETTERS.perturb(["a", "d"], rng=rng)
    with pytest.raises(ValueError, match="got 'd', 2 answers in all;"):
        LETTERS.perturb(["a", "d", "d"], rng=rng)
    apps = Ratings(["a", "b"], 1, 5, most=1, epsilon=1.0)
    with pytest.raises(ValueError, match="at most 1 rating a person, got 2:"):
        apps.perturb([{"a": 1, "b": 2}], rng=rng)
    with pytest.raises(ValueError, match="at most 2 ratings a person, got 3:"):
        Ratings(["a", "b", "c"], 1, 5, most=2, epsilon=1.0).perturb([{"a": 1, "b": 2, "c": 3}], rng=rng)
