"""No message rounds a bound, or what breaks it, until it contradicts itself."""

import ast
import re
from enum import Enum, StrEnum
from fractions import Fraction
from math import inf, nan, nextafter
from pathlib import Path

import numpy as np
import pytest

from ldpnb import (
    GRR,
    PCKVUE,
    RAPPOR,
    Account,
    Number,
    OneOf,
    Ratings,
    Records,
    Strings,
    Survey,
    SystemRandom,
    YesNoTable,
    collect,
    save,
)
from ldpnb.attributes import maxent, tables
from ldpnb.checks import apart, at_least, in_full, shown
from ldpnb.hashing import key_of
from ldpnb.numbers import Range
from ldpnb.numbers.distortion import hamming_epsilon
from ldpnb.postprocess import maximum_likelihood
from ldpnb import choose
from ldpnb.collecting import from_wire, header, load_tally, save_state, save_tally, to_wire

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "ldpnb"
TENTHS = 0.1 + 0.2  # a little more than 0.3
THIRDS = nextafter(2 / 3, 1)
SCALE = Ratings(["x"], 0, 0.3, 1, mechanism=PCKVUE(d=1, ell=1, epsilon=1.0))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: Number(0, 0.3, epsilon=1.0).encoded([TENTHS]), "in [0, 0.3], got 0.30000000000000004, 1 outside"),
        (lambda: Number(1000001, 2e6, epsilon=1.0).encoded([1000000.9]), "in [1000001, 2000000], got 1000000.9, 1"),
        (lambda: SCALE.encoded([{"x": TENTHS}]), "rating must be in [0, 0.3], got 0.30000000000000004: choose"),
        (lambda: Range(low=0, high=0.3).to_unit([TENTHS]), "numbers in [0, 0.3], got 0.30000000000000004"),
        (lambda: hamming_epsilon(3, THIRDS), f"(0, 0.6666666666666666], got {THIRDS!r}"),
    ],
)
def test_a_bound_and_what_breaks_it_are_printed_in_full(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call()


def test_the_sum_of_a_survey_is_not_its_limit_in_print():
    questions = {f"q{i}": OneOf([True, False], epsilon=0.1) for i in range(10)}
    limit = 1 - 2**-39
    with pytest.raises(ValueError, match=f"the sum of ε, 1.0, got {limit!r}: lower"):
        Survey(questions, limit=limit)


def test_a_half_width_that_a_message_asks_for_is_accepted():
    """It is rounded up, never down."""
    for n in (1000, 1234, 20_000):
        question = choose.Item(n=n, epsilon=1.0, k=40, share=0.05)
        with pytest.raises(ValueError, match="half_width must be at least") as caught:
            question.epsilon_for(1e-4)
        least = float(re.search(r"at least ([\d.e-]+),", str(caught.value))[1])
        assert question.epsilon_for(least) <= 32


def test_an_account_with_something_left_does_not_print_its_limit_as_spent(tmp_path):
    account = Account(tmp_path / "account", limit=1 + 1e-7)
    account.report(GRR(k=2, epsilon=1.0), [0], rng=SystemRandom())
    assert str(account).startswith("ε = 1 spent of limit = 1.0000001, and 1e-07 left\n")
    other = Account(tmp_path / "other", limit=1.0)
    other.report(GRR(k=2, epsilon=1 - 1e-7), [0], rng=SystemRandom())
    assert str(other).startswith("ε = 0.9999999 spent of limit = 1, and 1e-07 left\n")


@pytest.mark.parametrize("module", [tables, maxent])
def test_what_is_left_is_printed_above_what_is_allowed(module):
    """The message is written with `apart`, which says the difference."""
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    assert [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "apart"]


def test_a_gap_just_above_the_one_allowed():
    a, counts = np.array([[0.7, 0.2], [0.2, 0.3], [0.1, 0.5]]), np.array([[5, 3, 2]])

    def left(gap):
        with pytest.raises(RuntimeError, match="left a gap of") as caught:
            maximum_likelihood(a, counts, gap=gap, steps=1)
        return re.search(r"gap of ([\d.e-]+)(.*) in table 0, above gap = ([\d.e-]+)$", str(caught.value)).groups()

    low, high = 1e-12, float(left(1e-12)[0]) * 2
    while high - low > 1e-9 * high:  # the gap that there is
        middle = (low + high) / 2
        try:
            maximum_likelihood(a, counts, gap=middle, steps=1)
            high = middle
        except RuntimeError:
            low = middle
    found, more, allowed = left(low)
    assert found == allowed and re.fullmatch(r", which is [\d.e-]+ more", more)


def test_two_numbers_are_told_apart_in_print():
    assert apart(0.3, TENTHS) == ("0.3", "0.3, which is 5.6e-17 more")
    assert apart(TENTHS, 0.3) == ("0.3", "0.3, which is 5.6e-17 less")
    assert apart(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), 3) == ("0.333", "0.333, which is 1e-30 more")
    assert apart(1.0, 1.0) == ("1", "1") and apart(1, nan) == ("1", "nan") and apart(inf, inf) == ("inf", "inf")
    assert apart(nan, nan) == ("nan", "nan")
    assert apart(0.12345, 0.1236, 3) == ("0.123", "0.124")


@pytest.mark.parametrize("limit", [0.01234, 0.0129999, 0.9996, 1.0, 999.6, 1e-300, 12345678.0, 0.5])
def test_a_least_value_is_rounded_up(limit):
    assert limit <= float(at_least(limit)) <= 1.01 * limit
    assert limit <= float(at_least(limit, 6)) <= 1.00001 * limit
    assert float(in_full(limit)) == limit


def test_no_error_rounds_what_it_names():
    """In an error, only constants and what is compared with nothing may be rounded by `:g`."""
    alone = {"rows.min()", "largest.min()", "bias", "spurious", "epsilon", "wide", "-spare"}
    found = set()
    for path in [*SOURCE.rglob("*.py"), *(ROOT / "book" / "ldpnb_book").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise):
                found |= {(path.name, text) for text in rounded(node)}
    strange = {(name, text) for name, text in found if not text.isupper() and text not in alone}
    assert strange == set()


# What cuts values in ways of its own.
BELOW = {"chance.py", "_door.py", "_disk.py", "files.py", "accounts.py"}


def test_no_error_writes_a_value_at_full_length():
    """Values of callers are cut, and those of which Python writes none are described: `shown` does both."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        if path.parent.name in ("exact", "verify") or path.name in BELOW:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise):
                parts = [part for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
                found |= {(path.name, ast.unparse(part)) for part in parts if part.conversion != -1}
    assert found == set()


class Silent:
    def __repr__(self):
        raise RuntimeError


def test_whatever_is_refused_is_shown():
    assert shown(0.1) == "0.1" and shown("x" * 100) == "'" + "x" * 59 and shown(range(9), most=5) == "range"
    assert shown(10**5000) == "an integer of 16610 bits" and shown([10**5000]) == "a list"
    assert shown(Silent()) == "a Silent" and shown("\u00fc", ascii) == r"'\xfc'"


def test_limits_of_epsilon_are_not_those_of_fewer_bits():
    for wrong in (np.float32(1e-6), np.nextafter(np.longdouble(32), np.longdouble(33))):
        with pytest.raises(
            ValueError, match=r"^epsilon must be a finite number in \[1e-06, 32\], got .*(9.99|32.000000)"
        ):
            GRR(k=2, epsilon=wrong)


def rounded(node):
    """What an expression writes with a format that rounds."""
    for part in ast.walk(node):
        if isinstance(part, ast.FormattedValue) and part.format_spec:
            spec = ast.unparse(part.format_spec)
            if re.search(r"[0-9.]*[gef]['\"]$", spec):
                yield ast.unparse(part.value)


# ------------------------------------------------------------------------- what was refused with an error of its own

ORACLE = GRR(k=3, epsilon=1.0)
TALLY = ORACLE.tally([0, 1, 2, 0])
COLOUR = OneOf(["red", "blue"], epsilon=1.0)
HABITS = YesNoTable(["a", "b"], epsilon=1.0)
STARS = Ratings(["a", "b"], 1, 5, most=2, epsilon=1.0)
WORDS = Strings(epsilon=2.0)
RNG = np.random.default_rng(0)
HUGE = 10**5000
HALVES = "\ud83d\ude00"


class Strange(Exception):
    """As of a library of tables."""


class Frame:
    """A table without the column that is asked for."""

    def __getitem__(self, name):
        raise Strange(name)


class Wide:
    """A column of Polars with integers of 128 bits."""

    dtype = "Int128"

    def to_arrow(self):
        raise Strange("Arrow has none")


def survey(**questions):
    return Survey(questions, limit=1000.0)


def many(of):
    return {f"question number {i}": of(i) for i in range(300)}


def other_label(path):
    names = [f"category number {i}" for i in range(50)]
    first, second = OneOf(names, epsilon=1.0), OneOf(names[::-1], epsilon=1.0)
    save_tally(first.tally(first.perturb(names, rng=RNG)), path / "t", label=first.identity)
    return load_tally(path / "t", first.mechanism, label=second.identity)


def other_partition(path):
    names = [f"category number {i}" for i in range(50)]
    first, second = OneOf(names, epsilon=1.0), OneOf(names[::-1], epsilon=1.0)
    save(first.perturb(names, rng=RNG), path / "p", first)
    return collect(second, [path / "p"])


REFUSED = {
    "a table without a column, for a survey": (lambda _: survey(x=COLOUR).perturb(Frame(), rng=RNG), "must have 'x'"),
    "a table without a column": (lambda _: HABITS.encoded(Frame()), "values must have 'a', got Frame without it"),
    "a table without users": (lambda _: STARS.encoded(Frame()), "values must have 'user'"),
    "an array without a field": (lambda _: HABITS.encoded(np.zeros(2, [("c", bool)])), "values must have 'a'"),
    "rows for columns": (lambda _: HABITS.encoded(np.ones((5, 3), bool)), r"values must have d = 2 columns, got shape"),
    "columns that are places": (lambda _: YesNoTable([0, 1], epsilon=1.0), "columns must be strings, got 0, 1: rename"),
    "candidates of one of": (
        lambda _: survey(x=COLOUR).tally({"x": np.array([0])}, {"x": ["red"]}),
        "question 'x': candidates must be of questions for Strings alone",
    ),
    "no axis": (lambda _: survey(x=COLOUR).perturb({"x": np.array("red")}, rng=RNG), r"must be one column, got shape"),
    "128 bits": (lambda _: COLOUR.encoded(Wide()), "Polars' Int128: cast it first, integers to Int64 or text"),
    "128 bits as numbers": (lambda _: Number(0, 1, epsilon=1.0).encoded(Wide()), "to Int64 or text"),
    "no tally": (lambda path: save_tally(5, path / "t"), "tally must be a Tally"),
    "no tally for supporters": (lambda _: ORACLE.supporters(5), "tally must be a Tally"),
    "no state": (lambda path: save_state(5, path / "t"), "kept must be what memoise returns, got 5"),
    "no name": (lambda _: key_of(5), "name must be a string, got 5"),
    "halves in a candidate": (
        lambda path: save_tally(WORDS.tally(WORDS.perturb(["a"], rng=RNG), [HALVES]), path / "t"),
        r"(items|candidates) must",
    ),
    "halves in an item": (
        lambda path: save_tally(RAPPORS.tally(RAPPORS.perturb(["a"], rng=RNG), [HALVES]), path / "t"),
        "items must be a text without surrogates",
    ),
    "halves in the label of a partition": (
        lambda path: save(np.array([0]), path / "p", ORACLE, label=HALVES),
        "label must be a text without surrogates",
    ),
    "halves in a header": (lambda _: header(ORACLE, HALVES), "label must be a text without surrogates"),
    "a huge value": (lambda _: RAPPORS.perturb([HUGE], rng=RNG), "integers or strings, got an integer of 16610 bits"),
    "a huge path": (lambda _: Account(HUGE, limit=1.0), "path must be a text or a Path, got an integer of 16610 bits"),
    "a huge mechanism": (
        lambda path: Account(path / "a", limit=1.0).report(HUGE, [0], rng=RNG),
        "got an integer of 16610 bits",
    ),
    "half a character in a path": (lambda _: Account("\ud800", limit=1.0), "path must be a name that a file can have"),
    "half a character in paths": (lambda _: collect(ORACLE, ["\ud800"]), "paths must be a name that a file can have"),
    "a list of reports": (lambda path: save([0, 1], path / "p", ORACLE), r"got \[0, 1\]: write np.asarray\(reports\)"),
    "no flag to skip": (lambda _: collect(ORACLE, ["a"], skip="no"), "skip must be True or False, got 'no'"),
    "no flag to show": (lambda _: collect(ORACLE, ["a"], progress="no"), "progress must be True or False, got 'no'"),
    "no flag of people": (lambda _: ORACLE.interval(TALLY, 1.0, people="no"), "people must be True or False"),
    "no flag of errors": (lambda _: ORACLE.standard_error(TALLY, people="no"), "people must be True or False"),
    "a limit below many": (
        lambda _: Survey(many(lambda i: COLOUR), limit=1.0),
        "lower some of question number 0 1.0, .* and 297 more",
    ),
    "a long question": (lambda _: Survey({"n" * 5000: COLOUR}, limit=0.5), "limit must be at least the sum of ε"),
    "many columns of two lengths": (
        lambda _: survey(**many(lambda i: COLOUR)).perturb(many(lambda i: ["red"] * (1 + i % 2)), rng=RNG),
        "columns of one length, got question number 0: 1, question number 1: 2",
    ),
    "a mechanism of few columns": (
        lambda _: YesNoTable([f"column {i}" for i in range(300)], mechanism=HABITS.mechanism),
        r"mechanism must be of single columns of sizes \(2, 2",
    ),
    "many rows of two lengths": (
        lambda _: YesNoTable([f"column {i}" for i in range(100)], epsilon=1.0).encoded(
            {f"column {i}": [True] * (1 + i % 2) for i in range(100)}
        ),
        "values must have columns of one length",
    ),
    "a label of another tally": (other_label, "its label is .*, not "),
    "a partition of another question": (other_partition, "it holds those labelled .*, not "),
    "a long path to collect": (lambda _: collect(ORACLE, ["/" + "/".join(["d" * 200] * 9)]), "path must be a whole"),
}
RAPPORS = RAPPOR(bits=16, hashes=1, cohorts=2, f=0.5, p=0.25, q=0.75)


@pytest.mark.parametrize("call, words", REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_named_in_few_words(call, words, tmp_path):
    with pytest.raises(ValueError, match=words) as error:
        call(tmp_path)
    assert len(str(error.value)) < 600


@pytest.mark.parametrize("z", [True, -1, nan, inf, "a", None, 10**400, np.timedelta64(1)])
@pytest.mark.parametrize("mechanism", [ORACLE, PCKVUE(d=1, ell=1, epsilon=1.0)])
def test_a_number_of_standard_errors_is_checked(mechanism, z):
    with pytest.raises(ValueError, match="z must be a finite number of standard errors, at least 0, got"):
        mechanism.interval(TALLY, z)


def test_numbers_of_standard_errors_that_are_right():
    for z in (2, 2.0, np.float32(2)):
        assert np.array_equal(ORACLE.interval(TALLY, z), ORACLE.interval(TALLY, 2.0))


@pytest.mark.parametrize("label", [np.str_("x"), StrEnum("Of", {"x": "x"}).x, Enum("Of", {"x": "x"}, type=str).x])
def test_a_label_of_a_class_of_texts_is_its_text(label, tmp_path):
    assert from_wire("".join(to_wire(np.array([1]), ORACLE, label=label)), ORACLE, label="x").tolist() == [1]
    assert from_wire("".join(to_wire(np.array([1]), ORACLE, label="x")), ORACLE, label=label).tolist() == [1]
    save_tally(TALLY, tmp_path / "t", label=label)
    assert load_tally(tmp_path / "t", ORACLE, label="x").n == load_tally(tmp_path / "t", ORACLE, label=label).n == 4
    save(np.array([0]), tmp_path / "p", ORACLE, label=label)
    assert collect(ORACLE, [tmp_path / "p"], label="x").reports == 1
    account = Account(tmp_path / "a", limit=2.0)
    account.report(ORACLE, [0], rng=RNG, label=label)
    account.report(ORACLE, [0], rng=RNG, label="x")
    assert [(entry["label"], entry["reports"]) for entry in account.history] == [("x", 2)]


def test_an_empty_crowd_of_records_is_one():
    assert len(Records(np.array([0]), np.array([]))) == 0


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy has no such type")
def test_strings_of_numpy_are_strings():
    column = np.array(["red", "blue", "red"], np.dtypes.StringDType())
    assert COLOUR.encoded(column).tolist() == [0, 1, 0]
    gaps = np.array(["red", nan], np.dtypes.StringDType(na_object=nan))
    assert OneOf(["red", "blue"], epsilon=1.0, missing="none").encoded(gaps).tolist() == [0, 2]
