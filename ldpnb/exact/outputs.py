"""Outputs of programs as keys that can be looked up, each of them in one form only."""

from __future__ import annotations

import builtins
from collections.abc import Hashable, Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass
from decimal import Decimal
from io import BytesIO
from itertools import chain
from math import copysign, nan
from os.path import commonprefix
from pickletools import genops
from struct import unpack
from typing import Any

from ldpnb.exact.arguments import shown
from ldpnb.exact.arrays import arrays
from ldpnb.exact.forms import (
    LARGEST,
    PLAIN,
    Pickled,
    form_and_whether_it_stays,
    refuse_deep,
    refuse_symbol,
)
from ldpnb.exact.symbols import Symbol

USUAL = {*PLAIN, float, list, tuple, set, frozenset, dict}  # types of most reports
SAID = {  # what codes of pickle say
    "NEWTRUE": "True",
    "NEWFALSE": "False",
    "EMPTY_LIST": "a list",
    "EMPTY_DICT": "a dict",
    "EMPTY_SET": "a set",
}
SENT = {  # what a receiver sees of an array, beside its contents
    True: "that may be written to",
    False: "that may not be written to",
    None: "that is not contiguous",
}
ORDERS = {False: "of rows first", True: "of columns first"}
TWINS = "one whose part"
UNITS = {b"Y", b"M", b"W", b"D", b"h", b"m", b"s", b"ms", b"us", b"ns", b"ps", b"fs", b"as"}
BYTE_ORDERS = "<", ">"
MAKER = ".multiarray"  # numpy's module that makes numbers and arrays of what pickle sends
ANY_LENGTH = b"stringdtype"  # in what is sent of numpy's dtype of texts of any length
FOLLOWS = "that follows from how it was made"
SHOWN = 80  # letters of a difference
NESTED = 8  # levels of an output at which somebody looks for what is at fault


class Outputs:
    """Outputs of programs as keys that can be looked up, each of them in one form only."""

    def __init__(self) -> None:
        self._forms = dict[Hashable, tuple[Hashable, type]]()  # by keys
        self._keys = dict[Hashable, Hashable]()  # by forms

    def key(self, value: Any) -> Hashable:
        """Return `freeze` of an output; refuse one that came before in another `form`."""
        own, stays = form_and_whether_it_stays(value)
        if type(own) is tuple and own in self._keys:  # a plain value, of which the form tells all
            return self._keys[own]
        key = freeze(value if stays else copied(value))  # the program may fill it anew
        first, kind = self._forms.setdefault(key, (own, type(value)))
        if first != own:
            self._refuse_another_form(value, kind, first, own)
        before = self._keys.setdefault(own, key)
        if before is not key and before != key:
            raise ValueError(
                f"a program must return outputs that equal their own copies, got {shown(value)} "
                "twice, not equal to itself: return plain values, such as numbers and tuples, "
                f"in place of each {_name(_culprit(value))}"
            )
        return before

    def _refuse_another_form(self, value: Any, kind: type, first: Hashable, own: Hashable) -> None:
        """Refuse a value that came before, of class `kind` and in the form `first`."""
        one = kind.__name__
        other = type(value).__name__
        if kind is type(value):
            one, other = _from_where_they_differ(*_first_difference(first, own))
        elif one == other:
            one = f"{kind.__module__}.{one}"
            other = f"{type(value).__module__}.{other}"
        raise ValueError(
            f"a program must return equal outputs in one form, got {shown(value)} twice, "
            f"as {one} and as {other}, which a receiver can tell apart: "
            f"{_cure(value, kind, first, own)}"
        )


def copied(value: Any) -> Any:
    """Return a copy of an output, or say why there is none."""
    try:
        return deepcopy(value)
    except RecursionError:
        refuse_deep(value)
    except Exception as error:
        raise ValueError(
            f"a program must return what can be copied, got {type(value).__name__}, of which "
            f"copying says: {error}; return plain values, such as numbers and tuples"
        ) from None


# ---------------------------------------------------------------------------------------- freezing


def freeze(value: Any) -> Hashable:
    """Turn arrays, lists and structured values into nested tuples of plain numbers."""
    try:
        return _freeze(value)
    except RecursionError:
        refuse_deep(value)


def _freeze(value: Any) -> Hashable:
    kind = type(value)
    if type(kind) is type and kind in PLAIN:
        return value  # type: ignore[no-any-return]
    known = arrays()
    if known.holds(value):
        return known.frozen(value, _freeze_python)
    return _freeze_python(value)


def _freeze_python(value: Any) -> Hashable:
    """Freeze a value that is no array, though it may hold some."""
    if isinstance(value, list | tuple):
        return tuple(_freeze(part) for part in value)
    if isinstance(value, set | frozenset):
        return frozenset(_freeze(part) for part in value)
    if isinstance(value, dict):
        return frozenset((_freeze(name), _freeze(part)) for name, part in value.items())
    if isinstance(value, float) and value != value:
        return nan  # one object for all, since NaN equals only itself
    if isinstance(value, float) and _is_minus_zero(value):
        return "-0.0"  # equal to 0.0, but whoever reads the bits can tell them apart
    if isinstance(value, complex):
        missing = value != value
        if missing or _is_minus_zero(value.real) or _is_minus_zero(value.imag):
            return complex.__repr__(value)  # for the same reasons
    if isinstance(value, Symbol):
        refuse_symbol(value)
    if _equals_only_itself(value) or not _has_hash(value):
        dataclass: Any = getattr(value, "__dataclass_params__", None)
        frozen = ", or make it a frozen dataclass" if dataclass and not dataclass.frozen else ""
        raise ValueError(
            "a program must return plain values or arrays to have a law, got "
            f"{type(value).__name__}: return its parts as numbers, texts and tuples{frozen}"
        )
    return value  # type: ignore[no-any-return]


def _is_minus_zero(x: float) -> bool:
    return x == 0 and copysign(1, x) < 0


def _equals_only_itself(value: Any) -> bool:
    """Whether a value is hashed by its identity."""
    by_identity: Any = object.__hash__
    return value is not None and type(value).__hash__ is by_identity


def _has_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


# ------------------------------------------------------------ what differs, and what to do about it


def _first_difference(first: Any, own: Any) -> tuple[str, str]:
    """Say in what two forms of values of one class differ first."""
    if isinstance(first, Pickled) != isinstance(own, Pickled):  # of arrays or rows
        return _of_dtype(first), _of_dtype(own)
    both: Iterator[tuple[str, str]] = zip(_steps(first), _steps(own), strict=False)
    if isinstance(first, Pickled) and isinstance(own, Pickled):
        if len(first.arrays) == len(own.arrays):  # what these say is said more plainly
            both = chain(zip(_steps_of_arrays(first), _steps_of_arrays(own), strict=False), both)
    for one, other in both:
        if one != other:
            return one, other
    return "one of some length", "one of another"


def _of_dtype(form: Any) -> str:
    """Say of which kind the dtype of an array or row of this form is."""
    if isinstance(form, Pickled):
        return "one of a dtype of objects or texts of any length"
    return "one of a dtype of plain numbers or texts of one length"


def _from_where_they_differ(one: str, other: str) -> tuple[str, str]:
    """Cut two texts so that it shows in what they differ."""
    alike = len(commonprefix((one, other)))
    if alike < SHOWN:
        return one[:SHOWN], other[:SHOWN]
    start = alike - SHOWN // 2
    return f"…{one[start : start + SHOWN]}", f"…{other[start : start + SHOWN]}"


def _steps(form: Any) -> Iterator[str]:
    """Walk through a form: what it says, one thing after the other."""
    if isinstance(form, Pickled):
        yield from _steps_of_stream(form.stream)
        for firsts in form.twins:
            yield _twins(firsts)
        return
    if isinstance(form, bytes):
        yield from _steps_of_stream(form)
        return
    kind, *more = form
    yield kind.__name__
    if len(more) > 1:
        *described, content = more
        yield from _steps_of_array("an array", *described)
        yield _bytes(content)
    elif kind is float:
        yield _bits(more[0][::-1])
    else:
        yield shown(more[0], most=LARGEST)


def _twins(firsts: tuple[int, ...]) -> str:
    """Say which parts are one object: of each, `firsts` has the first that it is."""
    same = [(i, first) for i, first in enumerate(firsts, 1) if first + 1 < i]
    if not same:
        return f"{TWINS}s are objects of their own"
    told = [f"part {i} is the same object as part {first + 1}" for i, first in same]
    return f"one whose {', '.join(told)}, of lists, dicts, objects …"


def _steps_of_stream(sent: bytes) -> Iterator[str]:
    """Walk through what pickle sends."""
    stream = BytesIO(sent)
    while stream.tell() < len(sent):
        for code, told, _ in genops(stream):
            if code.name == "BINFLOAT":
                yield _bits(sent[stream.tell() - 8 : stream.tell()])
            elif isinstance(told, str) and told.endswith(MAKER):
                yield "a number or an array of numpy"
            elif isinstance(told, bytes) and told in UNITS:  # of numpy's times
                yield f"the unit {told.decode()}"
            elif isinstance(told, bytes):
                yield _bytes(told)
            elif told in BYTE_ORDERS:
                yield f"one of byte order {told}"
            elif code.name not in ("PROTO", "FRAME"):  # which are about lengths
                yield SAID.get(code.name, code.name) if told is None else shown(told, most=LARGEST)


def _steps_of_arrays(form: Pickled) -> Iterator[str]:
    """Walk through the forms of arrays within an output."""
    for described in form.arrays:
        yield from _steps_of_array("one with an array", *described)


def _steps_of_array(
    name: str, dtype: Any, shape: Any, order: Any, writeable: bool | None
) -> Iterator[str]:
    """Walk through the form of an array, as `ldpnb.arrays` makes it, but for its contents."""
    kind = "StringDType" if ANY_LENGTH in dtype else "another dtype"
    yield f"one with an array of {kind}"
    yield from _steps(dtype)
    yield shown(shape)
    yield f"{name} {SENT[writeable]}"
    yield f"{name} {ORDERS.get(order) or f'with its axes in order {order}'}"


def _bytes(told: bytes) -> str:
    """Write bytes that are not compared, as those behind a missing number, to be read."""
    return f"the bytes {told.hex()}"


def _bits(told: bytes) -> str:
    """Say a float, and its bits if it is one of many that are missing."""
    x = unpack(">d", told)[0]
    return f"nan of bits {told.hex()}" if x != x else repr(x)


def _cure(value: Any, kind: type, first: Any, own: Any) -> str:
    """Say how to bring outputs into one form.

    By what they are made of, and by the type of one that came before.
    """
    parts = list(_parts(value))
    in_two_orders = sorted(_steps(first)) == sorted(_steps(own))
    if in_two_orders and any(isinstance(part, set | frozenset) for part in parts):
        return (
            "return tuple(sorted(…, key=repr)), also of each set within, since a set comes in an "
            f"order {FOLLOWS}"
        )
    if in_two_orders and any(isinstance(part, dict) for part in parts):
        return (
            "return dict(sorted(….items(), key=repr)), also of each dict within, since a dict "
            f"comes in an order {FOLLOWS}"
        )
    one, other = _first_difference(first, own)
    if one.startswith(TWINS):
        return (
            "return copy.deepcopy(…) of each list, dict, set, array, row of one or object that "
            "comes twice, each by a call of its own, or plain values in its place, since a "
            "receiver sees which of them are one"
        )
    if isinstance(first, Pickled) and isinstance(own, Pickled):
        if len(first.arrays) != len(own.arrays):
            return "convert them to one type, and each array within to ….tolist()"
    of_arrays = arrays().cure(value, kind, parts, one)
    if of_arrays is not None:
        return of_arrays
    if one.startswith("nan of bits") and other.startswith("nan of bits"):
        return "return math.nan wherever a number is missing, since there are many of them"
    culprit = _culprit(value)
    if culprit in USUAL and kind not in USUAL:
        culprit = kind
    if culprit in (list, tuple, set, frozenset, dict):
        return "convert them to one type, or return the difference"
    if culprit is Decimal:
        return "return float(…) in place of a Decimal, or Decimals with as many digits"
    if culprit in USUAL:
        return "convert them to one type"
    name = _name(culprit)
    return f"convert them to one type, or return plain values in place of each {name}"


def _name(kind: type) -> str:
    """Return the name of a class, with its module if Python has another one of this name."""
    if hasattr(builtins, kind.__name__):
        return f"{kind.__module__}.{kind.__name__}"
    return kind.__name__


def _parts(value: Any, depth: int = NESTED) -> Iterator[Any]:
    """Walk through an output and what it contains."""
    yield value
    if depth == 0:
        return
    for part in _inside(value):
        yield from _parts(part, depth - 1)


def _inside(value: Any) -> Any:
    """Return what a value holds."""
    if is_dataclass(value):
        return [getattr(value, field.name, None) for field in fields(value)]
    if isinstance(value, dict):
        return (*value, *value.values())
    if isinstance(value, list | tuple | set | frozenset):
        return value
    return arrays().inside(value)


def _culprit(value: Any) -> type:
    """Return the type of a part that is neither a plain value nor a container of Python's."""
    for part in _parts(value):
        if type(part) not in USUAL:
            return type(part)
    return type(value)
