"""Columns of answers as people have them: lists, arrays, columns of pandas and of Arrow; neither is imported.

A column becomes distinct labels, and for each person a place among them.  Labels are told apart by type first: True is
not 1, though both are equal to Python.  A whole float is the integer, since pandas and spreadsheets turn integers with
gaps into floats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpnb.core import Floats, Ints

SHOWN = 3  # labels that a message names
FORMS = "a list, an array, a pandas Series or an Arrow column"


def gone(x: Any) -> bool:
    """Whether there is no answer: None, NaN, and what pandas has for it."""
    return x is None or type(x).__name__ in ("NAType", "NaTType") or (isinstance(x, float | np.floating) and x != x)


def key(x: Any) -> tuple[type, Any]:
    """Return a label's type and value, by which it is found; whole floats are integers."""
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, float) and x.is_integer():
        x = int(x)
    kind = next((one for one in (bool, str, int) if isinstance(x, one)), type(x))
    return kind, x


def told(labels: Iterable[Any]) -> str:
    """Return the first labels in words."""
    found = [repr(x) for x in labels]
    return ", ".join(found[:SHOWN]) + (f" and {len(found) - SHOWN} more" if len(found) > SHOWN else "")


def labelled(values: Any, name: str = "values") -> tuple[list[Any], Ints]:
    """Return distinct labels, and each person's place among them, −1 where there is no answer."""
    if hasattr(values, "to_pylist"):
        labels, codes = _arrow(values, name)
    elif (categories := getattr(getattr(values, "dtype", None), "categories", None)) is not None:
        labels = list(categories)  # by label: a code says nothing without its list
        codes = np.asarray(getattr(values, "cat", values).codes, np.int64)
    elif isinstance(values, list | tuple):
        labels, codes = _listed(values, name)
    else:
        array = _array(values, name)
        if not isinstance(array, np.ndarray):  # a type of pandas' own: strings, integers with gaps
            codes, found = array.factorize()
            labels, codes = found.tolist(), np.asarray(codes, np.int64)
        elif array.dtype.kind in "OU":
            labels, codes = _listed(array.tolist(), name)
        elif array.dtype.kind in "biuf":
            found, codes = np.unique(array, return_inverse=True)
            labels = found.tolist()
        else:
            raise ValueError(f"{name} must be strings, bools or numbers, got {array.dtype}: convert them first")
    place = np.array([-1 if gone(x) else i for i, x in enumerate(labels)] + [-1], np.int64)  # the last is place −1
    return labels, place[codes]


def _array(values: Any, name: str) -> Any:
    """Return an array of one axis: numpy's, or a column of a type that only pandas has."""
    if isinstance(values, np.ma.MaskedArray) or not hasattr(values, "dtype") or not hasattr(values, "shape"):
        raise ValueError(f"{name} must be {FORMS}, got {type(values).__name__}")
    if len(values.shape) != 1:
        raise ValueError(f"{name} must be one column, got shape {values.shape}")
    plain = isinstance(values, np.ndarray) or (isinstance(values.dtype, np.dtype) and values.dtype.kind in "biufO")
    return np.asarray(values) if plain else values


def _listed(values: Sequence[Any], name: str) -> tuple[list[Any], Ints]:
    plain = {*map(type, values)} <= {str, type(None)}
    keys: Sequence[Any] = values if plain else list(zip(map(type, values), values, strict=True))  # True is not 1
    try:
        place = {one: i for i, one in enumerate(dict.fromkeys(keys))}
    except TypeError:
        raise ValueError(f"{name} must be one answer a person, got lists or other containers") from None
    return [x if plain else x[1] for x in place], np.fromiter(map(place.__getitem__, keys), np.int64, len(keys))


def _arrow(values: Any, name: str) -> tuple[list[Any], Ints]:
    if hasattr(values, "column_names"):
        raise ValueError(f"{name} must be one column, got a table: take a column of it")
    labels: list[Any] = []
    codes = [np.empty(0, np.int64)]
    for chunk in getattr(values, "chunks", [values]):
        try:
            coded = chunk if hasattr(chunk, "dictionary") else chunk.dictionary_encode()
        except NotImplementedError:
            raise ValueError(f"{name} must be strings, bools or numbers, got an Arrow column of {chunk.type}") from None
        at = np.asarray(coded.indices.cast("int64").fill_null(-1))
        codes.append(np.where(at < 0, -1, at + len(labels)))
        labels += coded.dictionary.to_pylist()
    distinct, place = _listed(labels, name)
    return distinct, np.append(place, -1)[np.concatenate(codes)]


def coded(values: Any, labels: Sequence[Any], cure: str, name: str = "values") -> Ints:
    """Return each person's place in a list of labels, −1 where there is no answer.

    Raises
    ------
    ValueError
        If an answer is not in the list; it names the first ones, how many there are, and the cure.
    """
    found, codes = labelled(values, name)
    known = {key(x): i for i, x in enumerate(labels)}
    places = np.array([known.get(key(x), -2) if not gone(x) else -1 for x in found] + [-1], np.int64)[codes]
    if (places == -2).any():
        counts = Counter(dict(enumerate(np.bincount(codes[places == -2], minlength=len(found)).tolist())))
        strange = [found[i] for i, _ in counts.most_common() if counts[i]]
        what = f"{told(strange)}, {sum(counts.values())} answers in all"
        raise ValueError(f"{name} must be among {told(labels)}, got {what}{_hint(strange[0], labels, cure)}")
    return places


def _hint(x: Any, labels: Sequence[Any], cure: str) -> str:
    kinds = {type(label).__name__ for label in labels}
    if x == "":
        return ": an empty string is no missing answer, write None for it"
    if type(x).__name__ not in kinds and len(kinds) == 1:
        return f": the answers are {type(x).__name__}, the labels {kinds.pop()}, convert the answers first"
    return f"; {cure}"


def numbers(values: Any, name: str = "values") -> Floats:
    """Return numbers as floats, NaN where there is no answer; bools and text are refused."""
    cure = "convert them first, text with pandas.to_numeric"
    if hasattr(values, "to_pylist") and not hasattr(values, "column_names"):
        array: Any = values.to_numpy(zero_copy_only=False)
    elif isinstance(values, list | tuple):
        array = np.empty(len(values), object)
        array[:] = values
    else:
        array = _array(values, name)
    kind = array.dtype.kind
    if kind == "O" and isinstance(array, np.ndarray):
        wrong = {type(x) for x in array.tolist() if not gone(x)} - {int, float}
        if wrong := {one for one in wrong if not issubclass(one, np.integer | np.floating)}:
            raise ValueError(f"{name} must be numbers, got {sorted(one.__name__ for one in wrong)}: {cure}")
        array = np.array([np.nan if gone(x) else float(x) for x in array.tolist()])
    elif kind not in "iuf":
        raise ValueError(f"{name} must be numbers, got {array.dtype}: {cure}")
    elif not isinstance(array, np.ndarray):
        array = array.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(array, np.float64)


def present(values: NDArray[Any], answered: NDArray[np.bool_], missing: str | None, cures: str) -> NDArray[Any]:
    """Return the values of those who answered, if the others may decline."""
    if missing is None and not answered.all():
        lost = len(answered) - int(answered.sum())
        raise ValueError(f"values must all be there, got {lost} of {len(answered)} missing; {cures}")
    return values if answered.all() else values[answered]
