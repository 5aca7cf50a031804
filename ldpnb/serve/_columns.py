"""Columns of answers as people have them: lists, arrays, columns of pandas, Polars and Arrow; none is imported.

A column becomes distinct labels, and for each person a place among them.  One rule says what a label is, for categories
and their answers, items, users and strings:

- A label is a string, a bool or an integer.  They are told apart by type first: True is not 1, and "1" is neither.
- A whole float is the integer, since tables turn integers with gaps into floats.  But it must be below 2⁵³ (float32:
  2²⁴, float16: 2¹¹), where each integer has a float of its own.  From there on neighbours share a float, and it is
  refused: the column must be read as integers or text.  What was float32 and has become Python's floats, as in a list
  or a column of objects, cannot be seen.
- Strings are equal if their code points are: nothing is stripped, normalised or put into lower case.
- None, NaN, NA and NaT are no answer.  A string of blanks alone is neither a label nor a missing answer: it is refused.

Columns that name people are also refused if two names in them may be one, `named_people`: one person who is taken for
two would send twice, with twice the ε.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unicodedata import category, decomposition, normalize

import numpy as np
from numpy.typing import NDArray

from ldpnb.checks import as_float, shown
from ldpnb.core import Floats, Ints

SHOWN = 3  # labels that a message names
FORMS = "a list, an array, a pandas Series or an Arrow column"
LABELS = "strings, bools or integers"
LONGEST = 2**13  # bits of an integer; Python does not write those of more than 4,300 digits
SURE = 2**53  # below it, each integer has a float of its own
NARROW = {"float16": 2**11, "halffloat": 2**11, "float32": 2**24, "float": 2**24}  # by the names of numpy and of Arrow
UNSEEN = "\0\u200b\u2060\ufeff"  # characters that nobody sees, and str.strip() leaves
FLAG = "\U0001f3f4[\U000e0030-\U000e007a]+\U000e007f"  # a black flag and tags, which are seen: they say whose it is
IGNORED = re.compile(  # further ones, of other kinds to Unicode: joiners, fillers, variation selectors, not assigned
    f"({FLAG})|[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
TAG, JOINER = "\U000e0020", "\u200d"  # the first tag; what makes one picture of two
RAISED = ("<super>", "<sub>")  # written above or below the line, by Unicode
BLANKS = "".join(filter(str.isspace, map(chr, range(2**16)))) + UNSEEN
WHOLE = re.compile(r"(-?[0-9]+)(\.0+)?", re.ASCII)  # an integer, or one that is written as a float
POWER = re.compile(r"-?[1-9](\.[0-9]{1,20})?(E|[eE]\+)[0-9]{1,2}", re.ASCII)  # as programs write large floats
ALIKE = "differ in blanks, in characters that nobody sees or in Unicode form alone"


# ------------------------------------------------------------------------------------------------------ one label


def gone(x: Any) -> bool:
    """Whether there is no answer: None, NaN, and what pandas has for it."""
    if isinstance(x, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(x != x)
    return x is None or type(x).__name__ in ("NAType", "NaTType")


def key(x: Any, name: str = "label", sure: int = SURE) -> tuple[type, Any]:
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
    found: Any = x
    if isinstance(x, np.bool_ | np.str_) or (isinstance(x, np.integer) and not isinstance(x, np.timedelta64)):
        found = x.item()
    elif isinstance(x, float | np.floating) and float(x).is_integer() and int(x) == x:
        found = _whole(x, name, min(sure, least_unsure(getattr(x, "dtype", None))))
    kind: type | None = next((one for one in (bool, str, int) if isinstance(found, one)), None)
    if kind is None or (kind is int and int(found).bit_length() > LONGEST):
        raise ValueError(f"{name} must be {LABELS}, got {shown(x)}{_cure(x)}")
    if kind is str and is_blank(found):
        cure = "an empty string is no missing answer, write None for it"
        raise ValueError(f"{name} must be {LABELS}, got {shown(found)}: {cure}")
    return kind, found


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


def least_unsure(kind: Any) -> int:
    """Return the power of two from which integers share a number of this type: a dtype, or a type of Arrow's."""
    if kind is None:
        return SURE
    kind = getattr(kind, "pyarrow_dtype", kind)  # pandas' own types around others
    kind = getattr(kind, "value_type", getattr(kind, "subtype", kind))  # of a dictionary, of a sparse column
    text = kind.name if isinstance(kind, np.dtype) else str(kind).removesuffix("[pyarrow]").lower()
    return NARROW.get(text, SURE)


def folded(x: Any) -> str:
    """Return a label as people read it, to refuse two that are read alike; none is ever replaced by it.

    Left out are blanks around it and characters that nobody sees: control and format characters, joiners, fillers and
    variation selectors.  The others are in one Unicode form, that of compatibility (NFKC): the wide ７ is 7, and so are
    the small and circled ones.  What is raised or lowered stays so: 10² is not 102, and ㎡ is m².  Joiners between
    pictures stay, and the tags of a flag.

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
        return all(category(other).startswith("S") for other in (text[i - 1 : i] or c, text[i + 1 : i + 2] or c))
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
    found = [*labels]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(map(shown, found[:SHOWN])) + more


# ------------------------------------------------------------------------------------------------------ one column


def labelled(values: Any, name: str = "values") -> tuple[list[Any], Ints]:
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
    seen = np.bincount(codes + 1, minlength=len(entries) + 1)[1:] > 0  # a category may be nobody's answer
    distinct: dict[tuple[type, Any], int] = {}
    place = np.full(len(entries) + 1, -1, np.int64)  # the last is place −1
    for i in np.flatnonzero(seen).tolist():
        if not gone(entries[i]):
            place[i] = distinct.setdefault(key(entries[i], name, sure), len(distinct))
    return [x for _, x in distinct], place[codes]


def _entries(values: Any, name: str) -> tuple[list[Any], Ints, int]:
    """Return a column's entries, each once or a few times, each person's place among them, and `least_unsure`."""
    if hasattr(values, "to_arrow") and not hasattr(values, "columns"):  # a column of Polars
        values = _of_polars(values, name)
    if hasattr(values, "to_pylist"):
        return _arrow(values, name)
    dtype = getattr(values, "dtype", None)
    if (categories := getattr(dtype, "categories", None)) is not None:  # by label: a code says nothing without its list
        codes = np.asarray(getattr(values, "cat", values).codes, np.int64)
        return list(categories), codes, least_unsure(getattr(categories, "dtype", None))
    if isinstance(values, list | tuple | range):
        return *_listed(values, name), SURE
    array = _array(values, name)
    if not isinstance(array, np.ndarray):  # a type of pandas' own: strings, integers with gaps
        try:
            codes, found = array.factorize()
        except NotImplementedError:
            raise ValueError(f"{name} must be {LABELS}, got {array.dtype}: convert them first") from None
        return found.tolist(), np.asarray(codes, np.int64), least_unsure(array.dtype)
    if array.dtype.kind in "OUT":
        return *_listed(array.tolist(), name), SURE
    if array.dtype.kind in "biuf":
        found, codes = np.unique(array, return_inverse=True)
        return found.tolist(), codes, least_unsure(array.dtype)
    raise ValueError(f"{name} must be {LABELS}, got {array.dtype}: convert them first")


def _of_polars(values: Any, name: str) -> Any:
    """Return a column of Polars as one of Arrow, which has no integers of 128 bits."""
    try:
        return values.to_arrow()
    except Exception as error:
        cure = "cast it first, integers to Int64 or text"
        raise ValueError(f"{name} must be {FORMS}, got one of Polars' {values.dtype}: {cure}") from error


def _array(values: Any, name: str) -> Any:
    """Return an array of one axis: numpy's, or a column of a type that only pandas has."""
    column = hasattr(values, "dtype") and hasattr(values, "shape") and not isinstance(values, type)
    if hasattr(values, "columns"):
        cure = "several columns have this name, rename them"
        raise ValueError(f"{name} must be one column, got {type(values).__name__}: {cure}")
    if isinstance(values, np.ma.MaskedArray) or not column:
        raise ValueError(f"{name} must be {FORMS}, got {type(values).__name__}")
    if len(values.shape) != 1:
        raise ValueError(f"{name} must be one column, got shape {values.shape}")
    if isinstance(values, np.ndarray) or isinstance(values.dtype, np.dtype):
        return np.asarray(values)
    if not hasattr(values, "factorize"):
        raise ValueError(f"{name} must be {FORMS}, got {type(values).__name__}")
    return values


def _listed(values: Sequence[Any], name: str) -> tuple[list[Any], Ints]:
    plain = {*map(type, values)} <= {str, type(None)}
    keys: Sequence[Any] = values if plain else list(zip(map(type, values), values, strict=True))  # True is not 1
    try:
        place = {one: i for i, one in enumerate(dict.fromkeys(keys))}
    except TypeError:
        raise ValueError(f"{name} must be one answer a person, got lists or other containers") from None
    except ValueError:  # numpy has no hash for it
        raise ValueError(f"{name} must be {LABELS}, got a time span without a unit: write it as a string") from None
    return [x if plain else x[1] for x in place], np.fromiter(map(place.__getitem__, keys), np.int64, len(keys))


def _arrow(values: Any, name: str) -> tuple[list[Any], Ints, int]:
    if hasattr(values, "column_names"):
        raise ValueError(f"{name} must be one column, got a table: take a column of it")
    entries: list[Any] = []
    codes = [np.empty(0, np.int64)]
    sure = SURE
    for chunk in getattr(values, "chunks", [values]):
        try:
            coded = chunk if hasattr(chunk, "dictionary") else _plain(chunk).dictionary_encode()
        except NotImplementedError:
            raise ValueError(f"{name} must be {LABELS}, got an Arrow column of {chunk.type}") from None
        at = np.asarray(coded.indices.cast("int64").fill_null(-1))
        codes.append(np.where(at < 0, -1, at + len(entries)))
        entries += coded.dictionary.to_pylist()
        sure = least_unsure(coded.dictionary.type)
    return entries, np.concatenate(codes), sure


def _plain(chunk: Any) -> Any:
    """Return an Arrow array in a form that it can encode: not so views of strings, as Polars has them."""
    return chunk.cast("large_string") if str(chunk.type) == "string_view" else chunk


# ----------------------------------------------------------------------------------- answers from a list, and people


def coded(values: Any, labels: Sequence[Any], cure: str, name: str = "values") -> Ints:
    """Return each person's place in a list of labels, −1 where there is no answer.

    Raises
    ------
    ValueError
        If an answer is not in the list; it names the first ones, how many there are, and the cure.
    """
    found, codes = labelled(values, name)
    known = {key(x): i for i, x in enumerate(labels)}
    places = np.array([known.get(key(x), -2) for x in found] + [-1], np.int64)[codes]
    if (places == -2).any():
        counts = Counter(dict(enumerate(np.bincount(codes[places == -2], minlength=len(found)).tolist())))
        strange = [found[i] for i, _ in counts.most_common() if counts[i]]
        many = sum(counts.values())
        what = f"{told(strange)}, {many} answer{'' if many == 1 else 's'} in all"
        raise ValueError(f"{name} must be among {told(labels)}, got {what}{_hint(strange[0], labels, cure)}")
    return places


def _hint(x: Any, labels: Sequence[Any], cure: str) -> str:
    kinds = {type(label).__name__ for label in labels}
    meant = [type(label).__name__ for label in labels if type(label) is not type(x) and folded(label) in _readings(x)]
    if meant or (type(x).__name__ not in kinds and len(kinds) == 1):
        kind = meant[0] if meant else kinds.pop()
        return f": the answers are {type(x).__name__}, the labels {kind}, convert the answers first"
    near = [label for label in labels if isinstance(label, str) and folded(label) == folded(x)]
    if isinstance(x, str) and near:
        return f": {shown(x, ascii)} and {shown(near[0], ascii)} {ALIKE}, {_cure_of_two(x, near[0], near[0])}"
    return f"; {cure}"


def named_people(values: Any, name: str) -> tuple[list[Any], Ints]:
    """Return the distinct names of people in a column, and the place of each row among them.

    Raises
    ------
    ValueError
        As `labelled`, or if a name is missing, or if two names may be those of one person, see `told_apart`.
    """
    labels, codes = labelled(values, name)
    if (codes < 0).any():
        raise ValueError(f"{name} must be there in each row, got a missing one: leave the row out")
    told_apart(labels, name)
    return labels, codes


def told_apart(labels: Iterable[Any], name: str) -> None:
    """Refuse names of people of which two may be one: the person would send twice, with twice the ε.

    Names may be one if they are a number and its text (7 and "7", "7.0" or "7E+0"), a bool and its number or text, or
    texts that differ only in what `folded` leaves out.  Upper and lower case are two names, and so are "7" and "007",
    and "1000" and "1e3", which may be no number.
    """
    seen: dict[str, Any] = {}
    for x in labels:
        for text in _readings(x):
            other = seen.setdefault(text, x)
            if other is not x and key(other) != key(x):
                cure = "who is taken for two people sends twice; write all as integers, or all as text of one form"
                if isinstance(x, str) and isinstance(other, str) and folded(x) == folded(other):
                    cure = f"they {ALIKE}, {_cure_of_two(x, other, text)}"
                got = f"{shown(other, ascii)} and {shown(x, ascii)}"
                raise ValueError(f"{name} must name each person in one way, got {got}: {cure}")


def _readings(x: Any) -> tuple[str, ...]:
    text = folded(x)
    if isinstance(x, bool):
        return text, text.lower(), text.upper(), str(int(x))
    if isinstance(x, str) and (whole := WHOLE.fullmatch(text)):
        return text, "0" if whole[1] == "-0" else whole[1]
    if isinstance(x, str) and POWER.fullmatch(text) and (number := Fraction(text)).denominator == 1:
        return text, str(number)
    return (text,)


# --------------------------------------------------------------------------------------------------------- numbers


def numbers(values: Any, name: str = "values") -> Floats:
    """Return numbers as floats, NaN where there is no answer; bools, text and what is beyond floats are refused."""
    cure = "convert them first, text with pandas.to_numeric"
    if hasattr(values, "to_arrow") and not hasattr(values, "columns"):  # a column of Polars
        values = _of_polars(values, name)
    if hasattr(values, "to_pylist") and not hasattr(values, "column_names"):
        try:
            array: Any = values.to_numpy(zero_copy_only=False)
        except NotImplementedError:
            raise ValueError(f"{name} must be numbers, got an Arrow column of {values.type}: {cure}") from None
    elif isinstance(values, list | tuple):
        array = np.empty(len(values), object)
        array[:] = values
    else:
        array = _array(values, name)
    kind = array.dtype.kind
    if kind == "O" and isinstance(array, np.ndarray):
        wrong = {type(x) for x in array.tolist() if not gone(x)} - {int, float}
        real = np.integer | np.floating
        if wrong := {one for one in wrong if not issubclass(one, real) or issubclass(one, np.timedelta64)}:
            raise ValueError(f"{name} must be numbers, got {sorted(one.__name__ for one in wrong)}: {cure}")
        array = np.array([np.nan if gone(x) else as_float(x, name) for x in array.tolist()])
    elif kind not in "iuf":
        raise ValueError(f"{name} must be numbers, got {array.dtype}: {cure}")
    elif not isinstance(array, np.ndarray):
        array = array.to_numpy(dtype=np.float64, na_value=np.nan)
    with np.errstate(over="ignore"):  # of wider floats
        found = np.asarray(array, np.float64)
    if np.isinf(found).any():
        rule = "write None where there is no number; a float holds at most 1.8e308"
        raise ValueError(f"{name} must be finite numbers, got {found[np.isinf(found)][0]}: {rule}")
    return found


def present(values: NDArray[Any], answered: NDArray[np.bool_], missing: str | None, cures: str) -> NDArray[Any]:
    """Return the values of those who answered, if the others may decline."""
    if missing is None and not answered.all():
        lost = len(answered) - int(answered.sum())
        raise ValueError(f"values must all be there, got {lost} of {len(answered)} missing; {cures}")
    return values if answered.all() else values[answered]
