"""One rule for columns of labels, names and ids: a table of columns and doors, each cell with what must come out.

A cell is the labels of the rows, None where there is no answer, or the words of a refusal.
"""

import datetime
import re
import unicodedata
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ldpnb import GRR, PCKVUE, DrawnAttributes, Number, OneOf, Ratings, Strings, YesNoTable
from ldpnb.hashing import digest
from ldpnb.collecting._columns import _plain_form, labelled

NFC, NFD = "\u00fc", "u\u0308"
BIG = 2**53
NAN = float("nan")

# ----------------------------------------------------------------------------------------------- columns with labels


def integers(a, b):
    """Columns of two integers and a gap, each integer exact."""
    return {
        "list": [a, None, b],
        "objects": np.array([a, None, b], object),
        "numpy in a list": [np.int64(a), None, np.int64(b)],
        "Int64": pd.Series([a, None, b], dtype="Int64"),
        "pandas int64 of Arrow": pd.Series([a, None, b], dtype=pd.ArrowDtype(pa.int64())),
        "Arrow int64": pa.array([a, None, b], pa.int64()),
        "Arrow uint64": pa.array([a, None, b], pa.uint64()),
        "Arrow dictionary": pa.array([a, None, b], pa.int64()).dictionary_encode(),
        "Arrow chunks": pa.chunked_array([[a, None], [b]]),
        "category": pd.Series(pd.Categorical([a, None, b], categories=[b, 5, a])),
        "objects of pandas": pd.Series([a, pd.NA, b], dtype=object),
    }


def floats(a, b):
    """Columns of two whole floats of 64 bits and a gap, as tables make them of integers."""
    return {
        "float64": np.array([a, NAN, b], np.float64),
        "floats in a list": [float(a), NAN, np.float64(b)],
        "pandas with a gap": pd.Series([float(a), None, float(b)]),
        "Float64": pd.Series([float(a), None, float(b)], dtype="Float64"),
        "pandas double of Arrow": pd.Series([float(a), None, float(b)], dtype=pd.ArrowDtype(pa.float64())),
        "Arrow double": pa.array([float(a), None, float(b)]),
        "category of floats": pd.Series([float(a), None, float(b)]).astype("category"),
    }


def narrow(kind, a, b):
    """Columns of two floats of fewer bits and a gap."""
    name = {"float16": "halffloat", "float32": "float"}[kind]
    column = np.array([a, NAN, b], kind)
    found = {
        kind: column,
        f"{kind} in a list": [column[0], None, column[2]],
        f"pandas {kind}": pd.Series(column),
        f"Arrow {name}": pa.array(column, from_pandas=True),
    }
    if kind == "float32":
        found["Float32"] = pd.Series(column, dtype="Float32")
        found["category of float32"] = pd.Series(column).astype("category")
    return found


def texts(a, b):
    """Columns of two strings and a gap."""
    given = [a, None, b]
    return {
        "list": given,
        "objects": np.array(given, object),
        "numpy in a list": [np.str_(a), None, np.str_(b)],
        "string": pd.Series(given, dtype="string"),
        "str": pd.Series(given),
        "category": pd.Series(given, dtype="category"),
        "Arrow string": pa.array(given),
        "Arrow large string": pa.array(given, pa.large_string()),
        "Arrow string view": pa.array(given, pa.string_view()),
        "Arrow dictionary": pa.array(given).dictionary_encode(),
        "pandas string of Arrow": pd.Series(given, dtype=pd.ArrowDtype(pa.string())),
    }


def bools():
    """Columns of True, a gap, and False."""
    given = [True, None, False]
    return {
        "list": given,
        "numpy in a list": [np.True_, None, np.False_],
        "objects": np.array(given, object),
        "boolean": pd.Series(given, dtype="boolean"),
        "category": pd.Series(given, dtype="category"),
        "Arrow bool": pa.array(given),
    }


KINDS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
MISSING = [None, NAN, pd.NA, pd.NaT, np.float32("nan"), np.datetime64("NaT"), np.timedelta64("NaT")]

LABELS = {  # name: column, and the labels of its rows
    **{f"small integers, {name}": (column, [3, None, 7]) for name, column in integers(3, 7).items()},
    **{f"small floats, {name}": (column, [3, None, 7]) for name, column in floats(3, 7).items()},
    **{f"large integers, {name}": (column, [BIG, None, BIG + 1]) for name, column in integers(BIG, BIG + 1).items()},
    **{f"last floats, {name}": (column, [1 - BIG, None, BIG - 1]) for name, column in floats(1 - BIG, BIG - 1).items()},
    **{f"last floats, {name}": (x, [1, None, 2**24 - 1]) for name, x in narrow("float32", 1, 2**24 - 1).items()},
    **{f"last floats, {name}": (x, [1, None, 2**11 - 1]) for name, x in narrow("float16", 1, 2**11 - 1).items()},
    **{f"texts, {name}": (column, ["a", None, "B"]) for name, column in texts("a", "B").items()},
    **{f"texts of digits, {name}": (column, ["1", None, "2"]) for name, column in texts("1", "2").items()},
    **{f"bools, {name}": (column, [True, None, False]) for name, column in bools().items()},
    **{f"missing, {x!r} of {type(x).__name__}": ([7, x], [7, None]) for x in MISSING},
    **{kind: (np.array([7, 3], kind), [7, 3]) for kind in KINDS},
    "bool": (np.array([True, False]), [True, False]),
    "strings of numpy": (np.array(["b", "a"]), ["b", "a"]),
    "index": (pd.Index(["b", "a"]), ["b", "a"]),
    "range": (range(2, 4), [2, 3]),
    "beyond 64 bits": ([2**70, 10**400], [2**70, 10**400]),
    "zero with a sign": (np.array([-0.0, 5.0]), [0, 5]),
    "an integer in floats and as one": ([3.0, 7], [3, 7]),
    "longdouble": (np.array([3, 7], np.longdouble), [3, 7]),
    "upper and lower case": (["a", "A"], ["a", "A"]),
    "leading zeros": (["7", "007"], ["7", "007"]),
    "an unused category that is none": (pd.Categorical([3], categories=[1.5, 3.0]), [3]),
    "nobody": ([], []),
}

# ---------------------------------------------------------------------------------- columns that no door lets through

ROUNDED = r"whole floats are integers below 2\*\*{} only, got .*read the column as Int64 or text"
NONE = "must be strings, bools or integers, got "
DAY = datetime.datetime(2026, 1, 1)
VOID = np.zeros(2, [("a", int)])

REFUSED = {  # name: column, and words of the refusal
    **{f"large floats, {name}": (x, ROUNDED.format(53)) for name, x in floats(BIG, BIG + 2).items()},
    **{f"large floats, {name}": (x, ROUNDED.format(24)) for name, x in narrow("float32", 2**24, 2**24 + 2).items()},
    **{f"large floats, {name}": (x, ROUNDED.format(11)) for name, x in narrow("float16", 2**11, 2**11 + 2).items()},
    "large float below zero": ([-float(BIG)], ROUNDED.format(53)),
    "a very large float": ([1e300], ROUNDED.format(53)),
    "large longdouble": (np.array([BIG], np.longdouble), ROUNDED.format(53)),
    "a part": ([1.5], NONE + "1.5: no float but a whole one is a label; write it as a string"),
    "a part of an array": (np.array([1.5]), NONE + "1.5"),
    "a part that a float cannot show": ([np.longdouble(2**52) + np.longdouble(0.25)], NONE),
    "an integer that Python does not write": ([10**5000], NONE + "an integer of 16610 bits: write it as a string"),
    "infinity": ([float("inf")], NONE + "inf"),
    "Decimal": ([Decimal(1), Decimal(2)], NONE + r"Decimal\('1'\): write it as a string"),
    "Decimal of Arrow": (pa.array([Decimal(1)]), NONE + "Decimal"),
    "datetime": ([DAY], NONE + "datetime.datetime"),
    "date": ([DAY.date()], NONE + "datetime.date"),
    "datetime64": (np.array([DAY], "M8[ns]"), NONE + "datetime64"),
    "datetime64 in a list": ([np.datetime64("2026-01-01", "ns")], NONE + "np.datetime64"),
    "timedelta64 in a list": ([np.timedelta64(1, "ns")], NONE + "np.timedelta64"),
    "datetimes of pandas": (pd.Series([DAY]), NONE + "datetime64"),
    "datetimes with a zone": (pd.Series([pd.Timestamp("2026-01-01", tz="UTC")]), NONE + "Timestamp"),
    "timestamps of Arrow": (pa.array([DAY]), NONE + "datetime"),
    "bytes": ([b"a"], NONE + r"b'a': decode it first, as by x.decode\(\)"),
    "bytes of numpy": (np.array([b"a"]), NONE + r"\|S1: convert them first"),
    "bytes of Arrow": (pa.array([b"a"]), NONE + "b'a': decode it first"),
    "void": ([VOID[0]], "must be one answer a person, got lists or other containers"),
    "void of bytes": ([np.void(b"a")], "must be one answer a person, got lists or other containers"),
    "records": (VOID, NONE + r"\[\('a'"),
    "complex": ([1j], NONE + "1j"),
    "complex of numpy": (np.array([1j]), NONE + "complex128"),
    "tuples": ([(1, 2)], NONE + r"\(1, 2\)"),
    "lists": ([[1]], "must be one answer a person, got lists or other containers"),
    "lists of Arrow": (pa.array([[1]]), "got an Arrow column of list"),
    "empty text": (["a", ""], NONE + "'': an empty string is no missing answer, write None for it"),
    "blanks": (["a", " \u3000\ufeff"], NONE + ".*: an empty string is no missing answer"),
    "empty text of Arrow": (pa.array(["a", ""]), NONE + "''"),
    "empty text of a category": (pd.Series(["a", ""], dtype="category"), NONE + "''"),
    "a text": ("ab", "must be a list, an array, a pandas Series or an Arrow column, got str"),
    "a mask": (np.ma.array([1, 2]), "got MaskedArray"),
    "two axes": (np.zeros((2, 2), int), r"must be one column, got shape \(2, 2\)"),
    "a table": (pa.table({"a": [1]}), "must be one column, got a table: take a column of it"),
}

# -------------------------------------------------------------------------- columns whose names may be one person's

CONFUSED = {  # name: column, its labels, and words of the refusal where they name people
    "a number and its text": ([7, "7"], [7, "7"], "got 7 and '7': who is taken for two people sends twice"),
    "a number and text of a float": ([7, "7.0"], [7, "7.0"], "got 7 and '7.0'"),
    "a text and that of a float": (["7", "7.0"], ["7", "7.0"], "got '7' and '7.0': .*as text of one form"),
    "a float and text": ([7.0, "7"], [7, "7"], "got 7 and '7'"),
    "True and 1": ([True, 1], [True, 1], "got True and 1"),
    "True and 1.0": ([True, 1.0], [True, 1], "got True and 1"),
    "True and its text": ([True, "True"], [True, "True"], "got True and 'True'"),
    "True and the text of 1": ([True, "1"], [True, "1"], "got True and '1'"),
    "Unicode forms": ([NFC, NFD], [NFC, NFD], r"'\\xfc' and 'u\\u0308': they differ in blanks, .* Unicode form"),
    "Unicode forms of Arrow": (pa.array([NFC, NFD]), [NFC, NFD], "unicodedata.normalize"),
    "Unicode forms of numpy": (np.array([NFC, NFD]), [NFC, NFD], "unicodedata.normalize"),
    "a blank at the end": (["a", "a "], ["a", "a "], r"got 'a' and 'a ': they differ in blanks.*strip\(\)"),
    "a blank that nobody sees": (["a", "\ufeffa"], ["a", "\ufeffa"], r"got 'a' and '\\ufeffa'"),
    "a wide blank": (["a", "a\u3000"], ["a", "a\u3000"], r"'a\\u3000'"),
    "a mark of direction": (["a", "a\u200e"], ["a", "a\u200e"], r"got 'a' and 'a\\u200e': .* write 'a' in its place"),
    "a soft hyphen": (["ab", "a\u00adb"], ["ab", "a\u00adb"], r"'a\\xadb'"),
    "a joiner": (["ab", "a\u200db"], ["ab", "a\u200db"], r"'a\\u200db'"),
    "a variation selector": (["a", "a\ufe0f"], ["a", "a\ufe0f"], r"'a\\ufe0f'"),
    "a joiner of marks": (["a", "a\u034f"], ["a", "a\u034f"], r"'a\\u034f'"),
    "a control character": (["a", "a\x08"], ["a", "a\x08"], r"'a\\x08'"),
    "wide letters": (["Ann", "\uff21nn"], ["Ann", "\uff21nn"], r"got 'Ann' and '\\uff21nn': .* write 'Ann'"),
    "a number and a wide digit": ([7, "\uff17"], [7, "\uff17"], r"got 7 and '\\uff17'"),
    "a category": (pd.Categorical(["a", "a "]), ["a", "a "], "got 'a' and 'a '"),
}


# ------------------------------------------------------------------------------------------------------------- doors


def bare(column, labels):
    """Labels of rows, by the function that all doors share."""
    found, places = labelled(column)
    return [None if i < 0 else found[i] for i in places]


def one_of(column, labels):
    """Labels of rows by codes of `OneOf`."""
    known = [*labels, "other", "another"]
    question = OneOf(known, missing="none", mechanism=GRR(k=len(known) + 1, epsilon=1.0))
    return [None if code == len(known) else known[code] for code in question.encoded(column)]


def yes_no(column, labels):
    """Labels of rows by codes of a `YesNoTable`."""
    no, yes = [*labels, "other", "another"][:2]
    table = YesNoTable(
        ["x", "y"], yes=yes, no=no, missing="none", mechanism=DrawnAttributes.of((3, 3), GRR, epsilon=1.0)
    )
    codes = table.encoded({"x": column, "y": column})
    assert np.array_equal(codes[:, 0], codes[:, 1])
    return [(no, yes, None)[code] for code in codes[:, 0]]


def ratings(items):
    return Ratings(items, 1, 5, 1, mechanism=PCKVUE(d=len(items), ell=1, epsilon=1.0))


def item(column, labels):
    """Labels of rows by keys of `Ratings`."""
    known = [*labels, "other"]
    n = size_of(column)
    found = ratings(known).encoded({"user": [f"u{i}" for i in range(n)], "item": column, "rating": [3] * n})
    return [known[i] for i in found.keys]


def user(column, labels):
    """Labels of rows by the person of `Ratings` that each is found to be: the same two rows, the same label."""
    n = size_of(column)
    found = ratings([*range(n)] or ["a"]).encoded({"user": column, "item": [*range(n)], "rating": [3] * n})
    person = dict(zip(found.keys.tolist(), found.users.tolist(), strict=True))
    assert len(found) == len(labels)
    named = {person[i]: x for i, x in enumerate(labels)}
    return [named[person[i]] for i in range(n)]


def everybody(column, labels):
    """Labels in the order of all people, each of whom rates once."""
    last_first = [*labels][::-1]
    table = {"user": last_first, "item": [*range(len(labels))], "rating": [3] * len(labels)}
    found = ratings([*range(len(labels))] or ["a"]).encoded(table, everybody=column)
    assert len(found) == len(labels)
    return [last_first[i] for i in found.keys]


def strings(column, labels):
    """Labels of rows by keys of `Strings`."""
    found = Strings(epsilon=1.0, missing="none").encoded(column)
    named = {int(digest([x])[0]): x for x in labels} | {int(digest(["none"])[0]): None}
    return [named[i] for i in found.keys.tolist()]


def size_of(column):
    try:
        return len(column)
    except TypeError:
        return 1


DOORS = [bare, one_of, yes_no, item, user, everybody, strings]
NEEDS_ALL = {item: "item must be there in each row", user: "user must be there", everybody: "everybody must be there"}


@pytest.mark.parametrize("door", DOORS, ids=lambda x: x.__name__)
@pytest.mark.parametrize("column, expected", LABELS.values(), ids=LABELS)
def test_labels_come_in(column, expected, door):
    labels = [x for x in expected if x is not None]
    if None in expected and door in NEEDS_ALL:
        words = NEEDS_ALL[door]
    elif door is strings and not {*map(type, labels)} <= {str}:
        words = "values must be strings, got .*OneOf takes bools and integers"
    else:
        found = door(column, labels)
        assert found == expected and [*map(type, found)] == [*map(type, expected)]
        return
    with pytest.raises(ValueError, match=words):
        door(column, labels)


@pytest.mark.parametrize("door", DOORS, ids=lambda x: x.__name__)
@pytest.mark.parametrize("column, words", REFUSED.values(), ids=REFUSED)
def test_what_is_no_label_is_refused(column, words, door):
    with pytest.raises(ValueError, match=words) as caught:
        door(column, [3, 7])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("door", DOORS, ids=lambda x: x.__name__)
def test_powers_and_indices_are_labels_of_their_own(door):
    labels = ["10\u00b2", "102"] if door is not yes_no else ["x\u2082", "x2"]
    assert door(labels, labels) == labels


@pytest.mark.parametrize("door", DOORS, ids=lambda x: x.__name__)
@pytest.mark.parametrize("column, labels, words", CONFUSED.values(), ids=CONFUSED)
def test_names_that_may_be_one_person_are_refused_where_they_name_people(column, labels, words, door):
    unseen = dict.fromkeys(map(ord, "\ufeff\u200e\u00ad\u200d\ufe0f\u034f\x08"))
    alike = {unicodedata.normalize("NFKC", str(x).translate(unseen)).strip() for x in labels}
    if door in (user, everybody):
        with pytest.raises(ValueError, match=rf"^{door.__name__} must name each person in one way, .*{words}"):
            door(column, labels[: 1 if door is everybody else None])
    elif len(alike) < 2 and door in (one_of, item):  # two labels of one list are a mistake
        with pytest.raises(ValueError, match="must be distinct in print, got .*: leave one out, or rename it"):
            door(column, labels)
    elif door is yes_no and len(alike) < 2:
        with pytest.raises(ValueError, match="no and yes must be distinct in print"):
            door(column, labels)
    elif door is strings and not {*map(type, labels)} <= {str}:
        with pytest.raises(ValueError, match="values must be strings"):
            door(column, labels)
    else:
        assert door(column, labels) == labels


def test_polars_columns_come_in_too():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    assert bare(pl.Series([3, None, 7]), []) == bare(pl.Series([3.0, None, 7.0]), []) == [3, None, 7]
    assert bare(pl.Series(["a", None]), []) == bare(pl.Series(["a", None], dtype=pl.Categorical), []) == ["a", None]
    assert bare(pl.Series([True, None]), []) == [True, None]
    with pytest.raises(ValueError, match=ROUNDED.format(53)):
        bare(pl.Series([float(BIG), None]), [])
    assert Number(0, 9, epsilon=1.0, missing="decline").encoded(pl.Series([9, None])).tolist() == [1]


# ------------------------------------------------------------------------------------------------------ two columns


def test_everybody_and_users_are_named_alike():
    stars = ratings(["x"])
    table = {"user": ["7"], "item": ["x"], "rating": [3]}
    with pytest.raises(ValueError, match="^user and everybody must name each person in one way, got 7 and '7'"):
        stars.encoded(table, everybody=[7, 8])
    with pytest.raises(ValueError, match="^everybody must name all users, got none of the name '7'$"):
        stars.encoded(table, everybody=["8"])
    with pytest.raises(ValueError, match="^everybody must name each person once, got '7' twice: drop"):
        stars.encoded(table, everybody=["7", "8", "7"])
    with pytest.raises(ValueError, match="^everybody must be left out where values are dicts"):
        stars.encoded([{"x": 3}], everybody=["7"])
    assert stars.encoded(table, everybody=np.array(["9", "7"])).users.tolist() == [1]
    assert len(stars.encoded({"user": [2], "item": ["x"], "rating": [3]}, everybody={1, 2, 3})) == 3


def test_an_item_that_a_person_rates_twice_is_named():
    table = {"user": ["ann", "bob", "bob"], "item": ["x", "y", "y"], "rating": [3, 3, 4]}
    with pytest.raises(ValueError, match="^item must be there once a person, got 'y' twice for user 'bob': keep one"):
        ratings(["x", "y"]).encoded(table)


def test_ids_of_a_file_with_a_gap_are_not_merged(tmp_path):
    """Two people whose ids a table has made one float; after a row is left out, nobody would see it."""
    ids = [1152921504606846977, 1152921504606846978]
    (tmp_path / "a.csv").write_text(f"user,item,rating\n{ids[0]},x,5\n{ids[1]},y,4\n,x,3\n")
    frame = pd.read_csv(tmp_path / "a.csv").dropna()
    with pytest.raises(ValueError, match="^user must be .*read the column as Int64 or text"):
        ratings(["x", "y"]).encoded(frame)
    for kind in ("Int64", "str"):
        read = pd.read_csv(tmp_path / "a.csv", dtype={"user": kind}).dropna()
        assert len(ratings(["x", "y"]).encoded(read)) == 2


def test_an_answer_that_differs_in_its_unicode_form_is_named_with_the_cure():
    question = OneOf([NFC, "a"], mechanism=GRR(k=2, epsilon=1.0))
    words = r"got .*: 'u\\u0308' and '\\xfc' differ in blanks, .* Unicode form alone, clean the column, as by"
    with pytest.raises(ValueError, match=words):
        question.encoded([NFD])


@pytest.mark.parametrize("seen", ["\u200bx", "\ufeffx", "x ", "\uff58", "x\ufe0f"])
def test_the_cure_of_a_message_is_one(seen):
    """Applied to what it names, the answer is taken, and two people become one."""
    question = OneOf(["x", "y"], mechanism=GRR(k=2, epsilon=1.0))
    rated = Ratings(["i", "j"], 1, 5, 2, mechanism=PCKVUE(d=2, ell=2, epsilon=1.0))
    for ask in (lambda x: question.encoded([x]), lambda x: rated.encoded(table_of(["x", x]))):
        with pytest.raises(ValueError, match="characters that nobody sees") as caught:
            ask(seen)
        by_hand = re.search("write '(.)' in its place$", str(caught.value))
        assert by_hand or str(caught.value).endswith("clean the column, as by unicodedata.normalize('NFC', x).strip()")
        ask(by_hand[1] if by_hand else unicodedata.normalize("NFC", seen).strip())


def table_of(users):
    return {"user": users, "item": ["i", "j"], "rating": [3, 3]}


def test_a_category_for_missing_answers_does_not_change_the_cure():
    question = OneOf([1, 2, 3], missing="no answer", mechanism=GRR(k=4, epsilon=1.0))
    for wrong, kind in (("1", "str"), (True, "bool")):
        with pytest.raises(ValueError, match=f"the answers are {kind}, the labels int, convert the answers first$"):
            question.encoded([wrong, None])
    with pytest.raises(ValueError, match="'five', 1 answer in all; add a category"):
        question.encoded(["five", None])


def test_time_spans_are_no_numbers():
    """They are integers to numpy, in a unit that nobody has said."""
    question = Number(0, 9, epsilon=1.0)
    for span in (np.timedelta64(5, "ns"), np.timedelta64(5)):
        for column in ([span], np.array([span], object), [5, span]):
            with pytest.raises(ValueError, match=r"^values must be numbers, got \['timedelta64'\]"):
                question.encoded(column)
    with pytest.raises(ValueError, match="^values must be strings, bools or integers, got a time span without a unit"):
        OneOf([0, 1], mechanism=GRR(k=2, epsilon=1.0)).encoded([np.timedelta64(1)])


def test_floats_of_32_bits_are_known_inside_other_types():
    floats = np.array([2**24, 2**24 + 2], np.float32)
    arrow = pa.array(floats)
    columns = [
        pd.Series(pd.arrays.ArrowExtensionArray(arrow.dictionary_encode())),
        pd.Series(arrow, dtype=pd.ArrowDtype(pa.float32())),
        pd.Series(floats).astype("Sparse[float32]"),
        pd.Series(floats).astype("category"),
        arrow.dictionary_encode(),
    ]
    for column in columns:
        with pytest.raises(ValueError, match=r"whole floats are integers below 2\*\*24 only"):
            labelled(column)


def test_candidates_may_be_both_forms_of_a_string():
    """Reports were drawn on devices, which may have used either."""
    words = Strings(epsilon=1.0)
    reports = words.perturb([NFC, NFD, "a "], rng=np.random.default_rng(0))
    assert words.tally(reports, [NFC, NFD, "a", "a "]).items == (NFC, NFD, "a", "a ")


def test_a_candidate_is_a_string_as_the_answers_are():
    """The number 7 would be counted as a hash value, and nobody would seem to have answered "7"."""
    words = Strings(epsilon=1.0)
    reports = words.perturb(["7", "8"], rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="^candidates must be strings, got 7, True: write them as strings$"):
        words.tally(reports, [7, "8", True])


def test_a_row_of_a_result_is_found_by_the_same_rule():
    question = OneOf([1, BIG, True], mechanism=GRR(k=3, epsilon=1.0))
    result = question.estimate(question.tally([0, 1, 2]))
    assert result[1.0].label == result[np.int8(1)].label == 1 and result[np.True_].label is True
    for wrong in (float(BIG), 1.5, b"1", "1", [1]):
        with pytest.raises(KeyError, match="label must be one of 1, "):
            result[wrong]


def test_a_long_list_of_labels_is_checked_in_one_pass():
    """Each label is compared with none but one of its own hash."""
    compared = []

    class Name(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            compared.append(1)
            return str.__eq__(self, other)

    from ldpnb.survey import _asked

    texts = [f"label {i}" for i in range(500)]
    _asked.folded, kept = Name, _asked.folded
    try:
        assert len(_asked.check_labels(texts, "labels")) == 500
    finally:
        _asked.folded = kept
    assert len(compared) < 500


# ----------------------------------------------------------------------------------------------------------- numbers

HUGE = 10**400


@pytest.mark.parametrize("outside", ["refuse", "clip"])
@pytest.mark.parametrize(
    "column", [[HUGE], [1, -HUGE], np.array([HUGE], object), pd.Series([HUGE]), [10**5000]], ids=lambda x: str(type(x))
)
def test_numbers_beyond_floats_are_refused_by_name(column, outside):
    with pytest.raises(ValueError, match="^values must be numbers that a float holds, at most 1.8e308, got (-?100|an)"):
        Number(0, 1, epsilon=1.0, outside=outside).encoded(column)


@pytest.mark.parametrize("outside", ["refuse", "clip"])
@pytest.mark.parametrize("column", [[float("inf")], np.array([-np.inf]), np.array([np.finfo(np.longdouble).max])])
def test_infinity_is_no_number_that_could_be_clipped(column, outside):
    with pytest.raises(ValueError, match="^values must be finite numbers, got -?inf: write None"):
        Number(0, 1, epsilon=1.0, outside=outside).encoded(column)


def test_ratings_and_ranges_beyond_floats_are_refused_by_name():
    with pytest.raises(ValueError, match="^rating must be numbers that a float holds, at most 1.8e308, got 1000"):
        ratings(["x"]).encoded([{"x": HUGE}])
    for ends in ((0, HUGE), (-HUGE, 0), (0, 10**5000)):
        with pytest.raises(ValueError, match="^(low|high) must be numbers that a float holds, at most 1.8e308, got"):
            Number(*ends, epsilon=1.0)


def test_ranges_beyond_64_bits_are_floats():
    wide = Number(-(2**70), 2**70, epsilon=1.0)
    assert (wide.low, wide.high) == (-(2.0**70), 2.0**70)
    assert wide.encoded([2**70, 0, -(2**70)]).tolist() == [1, 0, -1]


def test_a_mechanism_names_an_integer_beyond_64_bits():
    for value, said in ((2**70, "1180591620717411303424"), (10**5000, "an integer of 16610 bits")):
        with pytest.raises(ValueError, match=rf"^values must be integers in \[0, 4\), got {said}; OneOf"):
            GRR(k=4, epsilon=1.0).perturb([value], rng=np.random.default_rng(0))


# ------------------------------------------------------------------------------------------------- what nobody sees

ENGLAND, SCOTLAND = (f"\U0001f3f4{''.join(chr(0xE0000 + ord(c)) for c in of)}\U000e007f" for of in ("gbeng", "gbsct"))


@pytest.mark.parametrize("unseen", ["\u3164", "\u2800", "\u200e", "\xad", "\u200d", "\u2065", "\ufff0", "\x07"])
def test_a_label_of_which_nobody_sees_anything_is_refused(unseen):
    for blank in (unseen, f" {unseen}\u200b"):
        with pytest.raises(ValueError, match="must be strings, not empty"):
            OneOf([blank, "b"], epsilon=1.0)
        with pytest.raises(ValueError, match="an empty string is no missing answer"):
            labelled([blank, "b"])
        with pytest.raises(ValueError, match="missing must be None"):
            OneOf(["a", "b"], epsilon=1.0, missing=blank)
    assert OneOf([f"{unseen}x", "b"], epsilon=1.0).labels == (f"{unseen}x", "b")  # the control


@pytest.mark.parametrize(
    "a, b",
    [(ENGLAND, SCOTLAND), (ENGLAND, "\U0001f3f4"), ("\U0001f9d1\u200d\U0001f680", "\U0001f9d1\U0001f680")],
)
def test_pictures_that_are_seen_to_differ_are_two(a, b):
    assert OneOf([a, b], epsilon=1.0).labels == (a, b)


@pytest.mark.parametrize("a, b", [("㎡", "m²"), ("a\u200db", "ab"), ("x\u2065", "x"), ("\U000e0067a", "a")])
def test_texts_that_are_seen_alike_are_one(a, b):
    with pytest.raises(ValueError, match="must be distinct in print"):
        OneOf([a, b], epsilon=1.0)


def test_what_is_raised_inside_a_character_stays_raised():
    assert OneOf(["㎡", "m2"], epsilon=1.0).labels == ("㎡", "m2")


def test_characters_without_raised_ones_fold_as_nfkc():
    for c in map(chr, [*range(0x00A0, 0xD800), *range(0xF900, 0xFB00)]):
        if not {"<super>", "<sub>"} & {*_kinds(c)}:
            assert unicodedata.normalize("NFC", _plain_form(c)) == unicodedata.normalize("NFKC", c)


def _kinds(c):
    """The kinds of decomposition of a character, and of its parts."""
    for part in unicodedata.decomposition(c).split():
        yield from [part] if part.startswith("<") else _kinds(chr(int(part, 16)))


@pytest.mark.parametrize(
    "a, b",
    [
        (True, "true"),
        (True, "TRUE"),
        (False, "false"),
        (0, "-0"),
        (0, "-0.0"),
        ("0", "-0"),
        (12345678, "1.2345678E7"),
        (100000, "1e+05"),
        ("120000", "1.2E5"),
    ],
)
def test_two_writings_of_one_user_are_refused(a, b):
    rows = {"user": [a, b, "x"], "item": ["a"] * 3, "rating": [1, 2, 3]}
    with pytest.raises(ValueError, match="must name each person in one way"):
        Ratings(["a"], 1, 5, most=1, epsilon=1.0).encoded(rows)


@pytest.mark.parametrize("a, b", [("120000", "12e4"), ("1000", "1e3"), (7, "1.5E0"), (7, "07"), ("true", "TRUE")])
def test_users_that_may_be_two_are_two(a, b):
    rows = {"user": [a, b, "x"], "item": ["a"] * 3, "rating": [1, 2, 3]}
    assert len(Ratings(["a"], 1, 5, most=1, epsilon=1.0).encoded(rows)) == 3
