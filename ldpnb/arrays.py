"""What `ldpnb.exact` has to know of numpy: its numbers, its generators, and arrays as reports.

`ldpnb.exact.arrays` imports this module as soon as numpy is loaded.
"""

# ruff: noqa: D102  what the methods return stands in `ldpnb.exact.arrays.Arrays`

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from copyreg import dispatch_table
from functools import lru_cache
from math import inf
from pickle import PickleBuffer
from typing import Any

import numpy as np

from ldpnb.exact.arguments import shown
from ldpnb.exact.arrays import Arrays, know
from ldpnb.exact.clients import values_of
from ldpnb.exact.forms import LARGEST, PROTOCOLS, refuse_large, sent

SCALARS = frozenset({*np.sctypeDict.values(), np.record})  # numpy's own
NUMBERS = frozenset(np.dtype(letter).type for letter in "bBhHiIlLqQefd")  # that say what they are
HASHED_BY_VALUE = frozenset(kind for kind in SCALARS if issubclass(kind, np.number | np.bool_))
HASHED_BY_VALUE -= {np.timedelta64}  # some time spans are hashed by their bytes
WIDEST = {"f": 8, "c": 16}  # bytes of floats and complex numbers that are all used
MOST_DTYPES = 64  # of which the forms are kept

_of_fields = dict[Hashable, bytes]()


class NumpyArrays(Arrays):
    """What is true of arrays, and of numpy's numbers."""

    generators = (np.random.Generator,)
    numbers = NUMBERS
    real = (np.integer, np.floating)
    not_real = (np.bool_, np.timedelta64)
    hashed_by_value = HASHED_BY_VALUE

    def is_array(self, kind: type) -> bool:
        return kind is np.ndarray

    def is_row(self, kind: type) -> bool:
        return issubclass(kind, np.void)

    def holds(self, value: Any) -> bool:
        return isinstance(value, np.ndarray | np.generic)

    def as_python(self, number: Any) -> Any:
        return number.item() if isinstance(number, np.floating) else number

    def form(self, value: Any) -> Hashable | None:
        kind = type(value)
        if kind in dispatch_table or not (kind is np.ndarray or _is_scalar(kind)):
            return None
        dtype = value.dtype
        if dtype.hasobject or type(dtype) in dispatch_table:
            return None
        if value.nbytes > LARGEST:
            refuse_large()
        like = np.ndarray if kind is np.ndarray else np.generic
        return (like, *self.form_without_contents(value), value.tobytes())

    def form_without_contents(self, array: Any) -> tuple[Any, ...]:
        return (form_of(array.dtype), array.shape, *layout(array))

    def is_sent_by_name(self, part: Any) -> bool:
        return part is np.dtype

    def reduced(self, part: Any) -> Any:
        if not isinstance(part, np.dtype) or part.fields is None:
            return NotImplemented
        usual: Any = part.__reduce__()
        make, args, state = usual  # the state holds the dict of fields, one for all its arrays
        return make, args, tuple(dict(p) if isinstance(p, dict) else p for p in state)

    def stays_as_it_is(self, kind: type) -> bool:
        return _is_scalar(kind) or issubclass(kind, np.dtype)

    def frozen(self, value: Any, freeze: Callable[[Any], Hashable]) -> Hashable:
        _refuse_unseen(value)
        if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "biu":
            if value.ndim == 1:  # entries need not be looked at
                return tuple(value.tolist())
            return tuple(self.frozen(row, freeze) for row in value)
        return freeze(value.tolist())

    def inside(self, value: Any) -> Iterable[Any]:
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            return value.ravel().tolist()
        return ()

    def cure(self, value: Any, kind: type, parts: list[Any], difference: str) -> str | None:
        if {kind, type(value)} == {np.ndarray, list}:
            return "return ….tolist() in place of the array"
        if {kind, type(value)} == {np.ndarray, tuple}:
            axes = _axes(value)
            if axes > 2:
                return (
                    "return np.asarray(…).tolist() each time, in place of the array and the tuples"
                )
            if axes == 2:
                return "return tuple(map(tuple, ….tolist())) in place of the array"
            return "return tuple(….tolist()) in place of the array"
        is_array = isinstance(value, np.ndarray)
        of_dtypes = "one with an array of another dtype", "one with an array of StringDType"
        if difference.startswith(("an array", "one with an array")) and difference not in of_dtypes:
            copies = "….copy(), also" if is_array else "….copy()"
            return (
                f"return {copies} of each array within, since a receiver sees whether an array is "
                "contiguous, whether it may be written to, and the order of its axes"
            )
        if difference.startswith("the bytes"):  # they differ in bytes alone
            missing = _cure_of_missing(parts, "" if is_array else " for each array within")
            if missing is not None:
                return f"{missing}, since many numbers mean that"
        if is_array and value.dtype.kind in "mM":
            return "return ….astype(dtype) of one dtype, unit and byte order"
        if is_array and not value.dtype.hasobject:
            return "return np.array(….tolist(), dtype) of one dtype"
        if any(isinstance(part, np.ndarray) for part in parts):
            return (
                "convert them to one type, and each array within to np.array(….tolist(), dtype) "
                "of one dtype"
            )
        return None

    def reads_as_numbers(self, value: Any) -> bool:
        return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf"


def _axes(value: Any) -> int:
    """Return how many axes an array has, or how deeply tuples are nested."""
    if isinstance(value, np.ndarray):
        return value.ndim
    if not isinstance(value, tuple):
        return 0
    return 1 + max(map(_axes, value), default=0)


def _cure_of_missing(parts: list[Any], where: str) -> str | None:
    """Say how to write a missing number in one way, where some part is or holds one."""
    for part in parts:
        if isinstance(part, np.complexfloating) and np.isnan(part):
            return "return complex(math.nan, math.nan) wherever a number is missing"
        if isinstance(part, np.floating) and np.isnan(part):
            return "return math.nan wherever a number is missing"
        if isinstance(part, np.ndarray | np.void) and _has_missing(part):
            if part.dtype.names is None:
                return f"return np.where(np.isnan(…), np.nan, …){where}"
            return (
                "set r[f] = np.where(np.isnan(r[f]), np.nan, r[f]) for each field f of floats of "
                "each array or row r"
            )
    return None


def _has_missing(array: Any) -> bool:
    """Whether an array holds a missing number, or one of its fields does."""
    if array.dtype.names is not None:
        return any(_has_missing(array[name]) for name in array.dtype.names)
    return array.dtype.kind in "fc" and bool(np.isnan(array).any())


def _is_scalar(kind: type) -> bool:
    """Whether a class is one of numpy's scalars, and sends itself as these do."""
    return type(kind) is type and kind in SCALARS


@values_of.register(np.ndarray)
def _rows(inputs: Any) -> list[Any]:
    """Return the rows of an array as plain values."""
    return [_tuples(row) for row in inputs.tolist()]


def _tuples(row: Any) -> Any:
    """Return a list as a tuple, and the lists in it, too."""
    if isinstance(row, list | tuple):
        return tuple(map(_tuples, row))
    return row


# -------------------------------------------------------------------------------- forms of arrays


def layout(value: Any) -> tuple[bool | tuple[int, ...], bool | None]:
    """Return the order of axes of an array, and whether it may be written to.

    The order is False of rows first, and True of columns first.  Of an array that is not contiguous
    nothing is said about writing.
    """
    flags = value.flags
    if type(value) is not np.ndarray:
        return flags.fnc, True
    if value.dtype.kind in "biufc" and (flags.forc or value.ndim < 3):  # quickly, the same
        return flags.fnc, flags.writeable if flags.forc else None
    reduced: Any = value.__reduce_ex__(PROTOCOLS[-1])  # as this version of numpy does
    parts = reduced[1]
    if not isinstance(parts[0], PickleBuffer):
        return flags.fnc, None
    order, *axes = parts[3:]
    return axes[0] if axes else order == "F", flags.writeable


def form_of(dtype: np.dtype[Any]) -> Hashable:
    """Return what a receiver gets of a dtype: equal ones may differ in notes and in alignment."""
    if dtype.isbuiltin == 1:  # of which there is one, without notes
        return _builtin(dtype.char)
    plain = _fields(dtype)
    if plain is None:
        return sent(dtype, PROTOCOLS[0])[0]
    if plain not in _of_fields:
        if len(_of_fields) == MOST_DTYPES:
            _of_fields.clear()
        _of_fields[plain] = sent(dtype, PROTOCOLS[0])[0]
    return _of_fields[plain]


@lru_cache(64)
def _builtin(char: str) -> bytes:
    return sent(np.dtype(char), PROTOCOLS[0])[0]


def _fields(dtype: np.dtype[Any]) -> Hashable | None:
    """Return all that is sent of a dtype of fields of numbers; None of another one.

    It is looked at each time, since a dtype can be changed in place.
    """
    if type(dtype) is not np.dtypes.VoidDType or not dtype.fields or dtype.metadata is not None:
        return None
    found: list[Any] = [
        dtype.type,
        dtype.names,
        dtype.itemsize,
        dtype.alignment,
        dtype.isalignedstruct,
        dtype.flags,
    ]
    for name, (part, *place) in dtype.fields.items():
        base, shape = part.subdtype or (part, ())
        has_title = len(place) != 1
        if type(name) is not str or has_title or base.isbuiltin != 1 or part.metadata is not None:
            return None
        found += name, base.char, shape, part.alignment, part.flags, *place
    return tuple(found)


# ---------------------------------------------------------------------- what no receiver should see


def _refuse_unseen(value: Any) -> None:
    """Refuse an array that sends more than its numbers."""
    kind = type(value)
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError(
            "a program must return plain values or arrays to have a law, got a masked one: its "
            "data show; return ….filled() of it, or what may be seen"
        )
    if isinstance(value, np.ndarray) and kind is not np.ndarray:
        raise ValueError(
            f"a program must return plain arrays to have a law, got {kind.__name__}: return "
            "np.array(….tolist(), dtype) of its values"
        )
    if value.dtype.isbuiltin != 1 or value.dtype.kind in "fc":
        _refuse_hidden(value.dtype)


def _refuse_hidden(dtype: np.dtype[Any]) -> None:
    """Refuse a dtype that sends more than its numbers: bytes between or behind them, or notes."""
    if dtype.metadata:
        raise ValueError(
            "a program must return arrays whose dtype has no metadata, which are sent, too, got "
            f"{shown(dict(dtype.metadata))}: return np.array(….tolist(), dtype) with a dtype "
            "without them"
        )
    if dtype.itemsize > WIDEST.get(dtype.kind, inf):
        raise ValueError(
            f"a program must return floats of at most eight bytes, got {dtype}, of which some "
            "bytes are left as they were: return np.float64(…) or ….astype(np.float64), or "
            "complex128"
        )
    if dtype.subdtype:
        _refuse_hidden(dtype.subdtype[0])
    if dtype.names is not None:
        _refuse_gaps(dtype)


def _refuse_gaps(dtype: np.dtype[Any]) -> None:
    """Refuse fields with titles, and bytes that are of no field."""
    end = 0
    fields: Any = dtype.fields or {}
    for part, offset, *title in sorted(fields.values(), key=lambda field: field[1]):
        if title:
            raise ValueError(
                "a program must return arrays whose fields have no titles, which are sent, too, "
                f"got {shown(title[0])}: return np.array(….tolist(), dtype) with a dtype without "
                "them"
            )
        _refuse_hidden(part)
        if offset != end:
            break
        end += part.itemsize
    if end != dtype.itemsize:
        raise ValueError(
            "a program must return arrays without bytes between, within or behind the fields, "
            f"which are sent, too, got {dtype}: return np.array(….tolist(), dtype) with a dtype "
            "without align and offsets"
        )


know(NumpyArrays())
