"""Columns of answers as people have them: lists, arrays, columns of pandas, Polars and Arrow.

None of these libraries is imported.
A column becomes distinct labels, and for each person a place among them.  One rule says what a
label is, for categories and their answers, items, users and strings:

- A label is a string, a bool or an integer.  They are told apart by type first: True is not 1, and
  "1" is neither.
- A whole float is the integer, since tables turn integers with gaps into floats.  But it must be
  below 2⁵³ (float32: 2²⁴, float16: 2¹¹), where each integer has a float of its own.  From there on
  neighbours share a float, and it is refused: the column must be read as integers or text.  What
  was float32 and has become Python's floats, as in a list or a column of objects, cannot be seen.
- Strings are equal if their code points are: nothing is stripped, normalised or put into lower
  case.
- None, NaN, NA and NaT are no answer.  A string of blanks alone is neither a label nor a missing
  answer: it is refused.

Columns that name people are also refused if two names in them may be one, `named_people`: one
person who is taken for two would send twice, with twice the ε.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unicodedata import category, decomposition, normalize

import numpy as np
from numpy.typing import NDArray

from ldpnb.checks import as_float, shown
from ldpnb.core import Bools, Floats, Ints

SHOWN = 3  # labels that a message names
FORMS = "a list, an array, a pandas Series or an Arrow column"
LABELS = "strings, bools or integers"
CONVERT = "convert them first, text with pandas.to_numeric"
LONGEST = 2**13  # bits of an integer; Python does not write those of more than 4,300 digits
SURE = 2**53  # below it, each integer has a float of its own
# The same of narrower floats, by the names of numpy and of Arrow.
NARROW = {"float16": 2**11, "halffloat": 2**11, "float32": 2**24, "float": 2**24}
UNSEEN = "\0\u200b\u2060\ufeff"  # characters that nobody sees, and str.strip() leaves
# A black flag and tags, which are seen: they say whose it is.
FLAG = "\U0001f3f4[\U000e0030-\U000e007a]+\U000e007f"
# Further characters that nobody sees, of other kinds to Unicode: joiners, fillers, variation
# selectors, not assigned.
IGNORED = re.compile(
    f"({FLAG})|[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
TAG = "\U000e0020"  # the first one
JOINER = "\u200d"  # what makes one picture of two
RAISED = ("<super>", "<sub>")  # written above or below the line, by Unicode
BLANKS = "".join(filter(str.isspace, map(chr, range(2**16)))) + UNSEEN
WHOLE = re.compile(r"(-?[0-9]+)(\.0+)?", re.ASCII)  # an integer, or one that is written as a float
# As programs write large floats.
POWER = re.compile(r"-?[1-9](\.[0-9]{1,20})?(E|[eE]\+)[0-9]{1,2}", re.ASCII)
ALIKE = "differ in blanks, in characters that nobody sees or in Unicode form alone"

Label = str | bool | int
Key = tuple[type[Label], Label]

# Columns of libraries that are not imported, and their types.
Column = Any
ColumnType = Any
Entries = list[Any]  # of a column, before it is known whether they are labels


# ---------------------------------------------------------------------------------------- one label


def gone(x: Any) -> bool:
    """Whether there is no answer: None, NaN, and what pandas has for it."""
    if isinstance(x, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(x != x)
    return x is None or type(x).__name__ in ("NAType", "NaTType")


def key(x: Any, name: str = "label", sure: int = SURE) -> Key:
    """Return a label's type and value, by which it is found; whole floats are integers.

    Parameters
    ----------
    x : object
    name : str
        Of the column.
    sure : int
        Up to which each integer has a float of its own, in the column's type.

    Raises
    ------
    ValueError
        If it is no label.

    Examples
    --------
    >>> key(7.0) == key(7), key(True) == key(1), key("7") == key(7)
    (True, False, False)
    """
    found = x
    is_whole = isinstance(x, float | np.floating) and float(x).is_integer() and int(x) == x
    if is_whole:
        found = _whole(x, name, min(sure, least_unsure(getattr(x, "dtype", None))))
    elif isinstance(x, np.bool_ | np.str_):
        found = x.item()
    elif isinstance(x, np.integer) and not isinstance(x, np.timedelta64):
        found = x.item()
    if isinstance(found, bool):
        return bool, found
    if isinstance(found, int) and found.bit_length() <= LONGEST:
        return int, found
    if not isinstance(found, str):
        raise ValueError(f"{name} must be {LABELS}, got {shown(x)}{_cure(x)}")
    if is_blank(found):
        cure = "an empty string is no missing answer, write None for it"
        raise ValueError(f"{name} must be {LABELS}, got {shown(found)}: {cure}")
    return str, found


def _whole(x: Any, name: str, sure: int) -> int:
    if not -sure < x < sure:
        rule = f"{LABELS}, and whole floats are integers below 2**{sure.bit_length() - 1} only"
        cure = "it may be rounded, so that several share it; read the column as Int64 or text"
        raise ValueError(f"{name} must be {rule}, got {shown(x)}: {cure}")
    return int(x)


def _cure(x: Any) -> str:
    if isinstance(x, bytes):
        return ": decode it first, as by x.decode()"
    if isinstance(x, float | np.floating):
        return ": no float but a whole one is a label; write it as a string"
    return ": write it as a string"


def least_unsure(kind: ColumnType) -> int:
    """Return the power of two from which integers share a number of this type.

    Parameters
    ----------
    kind : dtype, type of Arrow's, or None
    """
    if kind is None:
        return SURE
    kind = getattr(kind, "pyarrow_dtype", kind)  # pandas' own types around others
    if hasattr(kind, "value_type"):  # of a dictionary
        kind = kind.value_type
    elif hasattr(kind, "subtype"):  # of a sparse column
        kind = kind.subtype
    if isinstance(kind, np.dtype):
        return NARROW.get(kind.name, SURE)
    return NARROW.get(str(kind).removesuffix("[pyarrow]").lower(), SURE)


def folded(x: Any) -> str:
    """Return a label as people read it, to refuse two that are read alike.

    No label is ever replaced by it.

    Left out are blanks around it and characters that nobody sees: control and format characters,
    joiners, fillers and variation selectors.  The others are in one Unicode form, that of
    compatibility (NFKC): the wide ７ is 7, and so are the small and circled ones.  What is raised
    or lowered stays so: 10² is not 102, and ㎡ is m².  Joiners between pictures stay, and the tags
    of a flag.

    Examples
    --------
    >>> folded("u\u0308 ") == folded("\u00fc"), folded("a") == folded("A")
    (True, False)
    >>> folded("\uff17\u200e"), folded("10\u00b2")
    ('7', '10²')
    """
    text = str(x)
    if text.isascii() and text.isprintable():
        return text.strip()
    text = IGNORED.sub(lambda found: found[1] or "", text)
    plain = (_plain_form(c) for i, c in enumerate(text) if _is_seen(text, i))
    return normalize("NFC", "".join(plain)).strip(BLANKS)


def is_blank(text: str) -> bool:
    """Whether nobody sees anything of a text."""
    rest = IGNORED.sub("", text)
    if rest.isprintable() and rest.strip(BLANKS):  # at once, of nearly all texts
        return False
    return not folded(text)


def _is_seen(text: str, i: int) -> bool:
    """Whether a character is seen, in a text without those that are `IGNORED`."""
    c = text[i]
    if c == JOINER:
        before = text[i - 1 : i] or c
        after = text[i + 1 : i + 2] or c
        return category(before).startswith("S") and category(after).startswith("S")
    return c.isprintable() or c.isspace() or c >= TAG or category(c) not in ("Cc", "Cf")


@lru_cache(2**12)
def _plain_form(c: str) -> str:
    """Decompose a character as far as it goes, but not what is raised or lowered."""
    kind, _, parts = decomposition(c).rpartition("> ")
    if not parts or f"{kind}>" in RAISED:
        return c
    return "".join(_plain_form(chr(int(part, 16))) for part in parts.split())


def _cure_of_two(x: str, other: str, wanted: str) -> str:
    """Say how two texts that are read alike become one."""
    plain = normalize("NFC", x).strip()
    if plain == normalize("NFC", other).strip():
        return "clean the column, as by unicodedata.normalize('NFC', x).strip()"
    return f"write {shown(wanted, ascii)} in its place"


def told(labels: Iterable[Any]) -> str:
    """Return the first labels in words."""
    found = list(labels)
    first = ", ".join(map(shown, found[:SHOWN]))
    if len(found) > SHOWN:
        return f"{first} and {len(found) - SHOWN} more"
    return first


# --------------------------------------------------------------------------------------- one column


def labelled(values: Column, name: str = "values") -> tuple[list[Any], Ints]:
    """Return distinct labels, and each person's place among them, −1 where there is no answer.

    This is the one way into the package for columns of labels, names and ids.

    Parameters
    ----------
    values : list, tuple, ndarray, pandas Series, Polars Series or Arrow column (n,)
    name : str
        Of the argument or column, for messages.

    Returns
    -------
    labels : list of str, bool or int
    places : ndarray of int64 (n,)

    Raises
    ------
    ValueError
        If it is no column, or holds what is no label.

    Examples
    --------
    >>> labels, places = labelled([7, 7.0, None, "7"])
    >>> labels, places.tolist()
    ([7, '7'], [0, 0, -1, 1])
    """
    entries, codes, sure = _entries(values, name)
    counts = np.bincount(codes + 1, minlength=len(entries) + 1)[1:]
    distinct: dict[Key, int] = {}
    place = np.full(len(entries) + 1, -1, np.int64)  # the last is place −1
    for i in np.flatnonzero(counts).tolist():  # a category may be nobody's answer
        if not gone(entries[i]):
            place[i] = distinct.setdefault(key(entries[i], name, sure), len(distinct))
    labels = [label for _, label in distinct]
    return labels, place[codes]


def _entries(values: Column, name: str) -> tuple[Entries, Ints, int]:
    """Return a column's entries, each person's place among them, and `least_unsure`.

    An entry may be there several times.
    """
    if _is_polars(values):
        values = _of_polars(values, name)
    if hasattr(values, "to_pylist"):
        return _arrow(values, name)
    categories = getattr(getattr(values, "dtype", None), "categories", None)
    if categories is not None:  # by label: a code says nothing without its list
        coded = values.cat if hasattr(values, "cat") else values
        codes = np.asarray(coded.codes, np.int64)
        return list(categories), codes, least_unsure(getattr(categories, "dtype", None))
    if isinstance(values, list | tuple | range):
        return *_listed(values, name), SURE
    array = _array(values, name)
    if not isinstance(array, np.ndarray):  # a type of pandas' own: strings, integers with gaps
        try:
            codes, found = array.factorize()
        except NotImplementedError:
            got = f"{array.dtype}: convert them first"
            raise ValueError(f"{name} must be {LABELS}, got {got}") from None
        return found.tolist(), np.asarray(codes, np.int64), least_unsure(array.dtype)
    if array.dtype.kind in "OUT":
        return *_listed(array.tolist(), name), SURE
    if array.dtype.kind in "biuf":
        found, codes = np.unique(array, return_inverse=True)
        return found.tolist(), codes, least_unsure(array.dtype)
    raise ValueError(f"{name} must be {LABELS}, got {array.dtype}: convert them first")


def _is_polars(values: Column) -> bool:
    """Whether this is a column of Polars."""
    return hasattr(values, "to_arrow") and not hasattr(values, "columns")


def _of_polars(values: Column, name: str) -> Column:
    """Return a column of Polars as one of Arrow, which has no integers of 128 bits."""
    try:
        return values.to_arrow()
    except Exception as error:
        got = f"one of Polars' {values.dtype}"
        cure = "cast it first, integers to Int64 or text"
        raise ValueError(f"{name} must be {FORMS}, got {got}: {cure}") from error


def _array(values: Column, name: str) -> Column:
    """Return an array of one axis: numpy's, or a column of a type that only pandas has."""
    has_type = hasattr(values, "dtype") and hasattr(values, "shape")
    is_column = has_type and not isinstance(values, type)
    if hasattr(values, "columns"):
        cure = "several columns have this name, rename them"
        raise ValueError(f"{name} must be one column, got {type(values).__name__}: {cure}")
    if isinstance(values, np.ma.MaskedArray) or not is_column:
        raise ValueError(f"{name} must be {FORMS}, got {type(values).__name__}")
    if len(values.shape) != 1:
        raise ValueError(f"{name} must be one column, got shape {values.shape}")
    if isinstance(values, np.ndarray) or isinstance(values.dtype, np.dtype):
        return np.asarray(values)
    if not hasattr(values, "factorize"):
        raise ValueError(f"{name} must be {FORMS}, got {type(values).__name__}")
    return values


def _listed(values: Sequence[Any], name: str) -> tuple[Entries, Ints]:
    """Return the distinct entries of a list, and the place of each person's among them."""
    kinds = set(map(type, values))
    try:
        if kinds <= {str, type(None)}:
            return _numbered(values)
        typed, codes = _numbered(list(zip(map(type, values), values, strict=True)))  # True is not 1
    except TypeError:
        got = "lists or other containers"
        raise ValueError(f"{name} must be one answer a person, got {got}") from None
    except ValueError:  # numpy has no hash for it
        got = "a time span without a unit: write it as a string"
        raise ValueError(f"{name} must be {LABELS}, got {got}") from None
    return [x for _, x in typed], codes


def _numbered(entries: Sequence[Any]) -> tuple[Entries, Ints]:
    """Return distinct entries in the order of their first place, and the number of each."""
    distinct = list(dict.fromkeys(entries))
    numbers = {x: i for i, x in enumerate(distinct)}
    codes = np.fromiter(map(numbers.__getitem__, entries), np.int64, len(entries))
    return distinct, codes


def _arrow(values: Column, name: str) -> tuple[Entries, Ints, int]:
    """Return what `_entries` does of a column of Arrow."""
    if hasattr(values, "column_names"):
        raise ValueError(f"{name} must be one column, got a table: take a column of it")
    entries: Entries = []
    codes = [np.empty(0, np.int64)]
    sure = SURE
    for chunk in getattr(values, "chunks", [values]):
        try:
            coded = _encoded(chunk)
        except NotImplementedError:
            got = f"an Arrow column of {chunk.type}"
            raise ValueError(f"{name} must be {LABELS}, got {got}") from None
        at = np.asarray(coded.indices.cast("int64").fill_null(-1))
        codes.append(np.where(at < 0, -1, at + len(entries)))
        entries += coded.dictionary.to_pylist()
        sure = least_unsure(coded.dictionary.type)
    return entries, np.concatenate(codes), sure


def _encoded(chunk: Column) -> Column:
    """Return an Arrow array as a dictionary and places in it."""
    if hasattr(chunk, "dictionary"):
        return chunk
    if str(chunk.type) == "string_view":  # as Polars has strings, and Arrow cannot encode them
        chunk = chunk.cast("large_string")
    return chunk.dictionary_encode()


# ------------------------------------------------------------------ answers from a list, and people


def coded(values: Column, labels: Sequence[Any], cure: str, name: str = "values") -> Ints:
    """Return each person's place in a list of labels, −1 where there is no answer.

    Raises
    ------
    ValueError
        If an answer is not in the list; it names the first ones, how many there are, and the cure.
    """
    found, codes = labelled(values, name)
    known = {key(label): i for i, label in enumerate(labels)}
    places_of_found = [known.get(key(label), -2) for label in found]
    places = np.array([*places_of_found, -1], np.int64)[codes]
    unknown = places == -2
    if unknown.any():
        counts = np.bincount(codes[unknown], minlength=len(found))
        order = np.argsort(-counts, kind="stable")
        strange = [found[i] for i in order.tolist() if counts[i]]
        many = int(counts.sum())
        got = f"{told(strange)}, {many} answer{'' if many == 1 else 's'} in all"
        hint = _hint(strange[0], labels, cure)
        raise ValueError(f"{name} must be among {told(labels)}, got {got}{hint}")
    return places


def _hint(x: Any, labels: Sequence[Any], cure: str) -> str:
    """Say what may have been meant by an answer that is no label."""
    own = type(x).__name__
    for label in labels:
        if type(label) is not type(x) and folded(label) in _readings(x):
            return _convert(own, type(label).__name__)
    kinds = {type(label).__name__ for label in labels}
    if own not in kinds and len(kinds) == 1:
        return _convert(own, kinds.pop())
    for label in labels:
        if isinstance(x, str) and isinstance(label, str) and folded(label) == folded(x):
            both = f"{shown(x, ascii)} and {shown(label, ascii)}"
            return f": {both} {ALIKE}, {_cure_of_two(x, label, label)}"
    return f"; {cure}"


def other_type(x: Any, labels: Iterable[Any]) -> str:
    """Say that a label looks the same and is of another type, as 6 and '6'; "" if none does."""
    if not isinstance(x, str | bool | int):
        return ""
    for label in labels:
        if type(label) is not type(x) and folded(label) in _readings(x):
            return f": {shown(label)} is {type(label).__name__}, {shown(x)} is {type(x).__name__}"
    return ""


def _convert(own: str, wanted: str) -> str:
    return f": the answers are {own}, the labels {wanted}, convert the answers first"


def named_people(values: Column, name: str) -> tuple[list[Any], Ints]:
    """Return the distinct names of people in a column, and the place of each row among them.

    Raises
    ------
    ValueError
        As `labelled`, or if a name is missing, or if two names may be those of one person, see
        `told_apart`.
    """
    labels, codes = labelled(values, name)
    if (codes < 0).any():
        cure = "leave the row out"
        raise ValueError(f"{name} must be there in each row, got a missing one: {cure}")
    told_apart(labels, name)
    return labels, codes


def told_apart(labels: Iterable[Any], name: str) -> None:
    """Refuse names of people of which two may be one, who would send twice, with twice the ε.

    Names may be one if they are a number and its text (7 and "7", "7.0" or "7E+0"), a bool and its
    number or text, or texts that differ only in what `folded` leaves out.  Upper and lower case are
    two names, and so are "7" and "007", and "1000" and "1e3", which may be no number.
    """
    seen: dict[str, Any] = {}
    for x in labels:
        for text in _readings(x):
            other = seen.setdefault(text, x)
            if other is x or key(other) == key(x):
                continue
            if isinstance(x, str) and isinstance(other, str) and folded(x) == folded(other):
                cure = f"they {ALIKE}, {_cure_of_two(x, other, text)}"
            else:
                cure = "who is taken for two people sends twice; "
                cure += "write all as integers, or all as text of one form"
            got = f"{shown(other, ascii)} and {shown(x, ascii)}"
            raise ValueError(f"{name} must name each person in one way, got {got}: {cure}")


def _readings(x: Any) -> tuple[str, ...]:
    """Return texts of which other names may have one, too, and be those of the same person."""
    text = folded(x)
    if isinstance(x, bool):
        return text, text.lower(), text.upper(), str(int(x))
    if not isinstance(x, str):
        return (text,)
    whole = WHOLE.fullmatch(text)
    if whole and whole[1] == "-0":
        return text, "0"
    if whole:
        return text, whole[1]
    if POWER.fullmatch(text):
        number = Fraction(text)
        if number.denominator == 1:
            return text, str(number)
    return (text,)


# ------------------------------------------------------------------------------------------ numbers


def numbers(values: Column, name: str = "values") -> Floats:
    """Return numbers as floats, NaN where there is no answer.

    Raises
    ------
    ValueError
        If there are bools, text, or numbers beyond floats.
    """
    array = _numeric(values, name)
    with np.errstate(over="ignore"):  # of wider floats
        found = np.asarray(array, np.float64)
    beyond = found[np.isinf(found)]
    if beyond.size:
        rule = "write None where there is no number; a float holds at most 1.8e308"
        raise ValueError(f"{name} must be finite numbers, got {beyond[0]}: {rule}")
    return found


def _numeric(values: Column, name: str) -> NDArray[Any]:
    """Return a column as an array of integers or floats."""
    if _is_polars(values):
        values = _of_polars(values, name)
    if hasattr(values, "to_pylist") and not hasattr(values, "column_names"):
        try:
            array = values.to_numpy(zero_copy_only=False)
        except NotImplementedError:
            got = f"an Arrow column of {values.type}"
            raise ValueError(f"{name} must be numbers, got {got}: {CONVERT}") from None
    elif isinstance(values, list | tuple):
        array = np.empty(len(values), object)
        array[:] = values
    else:
        array = _array(values, name)
    if array.dtype.kind == "O" and isinstance(array, np.ndarray):
        return _of_objects(array.tolist(), name)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers, got {array.dtype}: {CONVERT}")
    if isinstance(array, np.ndarray):
        return array
    return np.asarray(array.to_numpy(dtype=np.float64, na_value=np.nan))


def _of_objects(entries: Entries, name: str) -> Floats:
    """Return numbers that are objects of Python or numpy."""
    wrong = []
    for kind in {type(x) for x in entries if not gone(x)}:
        is_span = issubclass(kind, np.timedelta64)
        is_number = kind in (int, float) or issubclass(kind, np.integer | np.floating)
        if is_span or not is_number:
            wrong.append(kind.__name__)
    if wrong:
        raise ValueError(f"{name} must be numbers, got {sorted(wrong)}: {CONVERT}")
    return np.array([np.nan if gone(x) else as_float(x, name) for x in entries])


def present(values: NDArray[Any], answered: Bools, missing: str | None, cures: str) -> NDArray[Any]:
    """Return the values of those who answered.

    Raises
    ------
    ValueError
        If somebody did not, and `missing` is None.
    """
    if answered.all():
        return values
    if missing is None:
        lost = len(answered) - int(answered.sum())
        got = f"{lost} of {len(answered)} missing"
        raise ValueError(f"values must all be there, got {got}; {cures}")
    return values[answered]
