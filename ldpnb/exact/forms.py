"""The form of a report: all that a receiver gets of it, namely what `pickle` would send.

Two reports can be equal and differ in form, as a list and a tuple of the same entries do, or True,
1 and 1.0.  A receiver tells them apart, so a law must not count them as one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from copyreg import dispatch_table
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from pickle import Pickler
from struct import pack
from types import BuiltinFunctionType, FunctionType
from typing import Any, NamedTuple, NoReturn

from ldpnb.exact.arguments import shown
from ldpnb.exact.arrays import arrays
from ldpnb.exact.symbols import Symbol

PLAIN = {int, bool, str, bytes, type(None)}  # equal only if they are the same
# with one hash in every process
NUMBERS = {int, bool, float, complex, Fraction, Decimal, timedelta}
BY_NAME = {type, FunctionType, BuiltinFunctionType}  # objects that pickle sends by their names
PROTOCOLS = (4, 5)  # of pickle, that the Pythons from 3.11 on use if nobody names another
LARGEST = 16 * 2**20  # bytes of a report


class Large(ValueError):
    """An output is so large that it is not looked at again and again."""


class _Refused(ValueError):
    """An output contains a symbol, or a set in an order of its own."""


def form(value: Any) -> Hashable:
    """Return what a receiver gets of an output: all that `pickle` would send of it.

    Two outputs are one if they are equal and their forms are: classes, contents in the order in
    which they come, attributes, dtypes, and by protocol 5 also whether an array is contiguous, and
    if so whether it may be written to and the order of its axes.  Where a list, a dict, a set, an
    array, a row of fields, an object that can have attributes, or another part that has no hash
    comes twice, `pickle` says that it is one object, and so does the form.  It does not say so of
    texts and bytes, tuples, whatever they hold, frozensets, numbers and times, those of numpy, too,
    and objects of a class with a hash and without room for attributes (`__slots__`), though
    `pickle` does: Python may keep equal ones once or twice, as it likes.  What is left in the
    process is not looked at: the buffer behind a view, and strides of arrays that are not
    contiguous.  A class that sends a part of itself only, by a `__reduce__` of its own, leaves the
    rest there.

    Raises
    ------
    ValueError
        If `pickle` cannot send it, it contains itself, or it is very large.
    """
    found, _ = form_and_whether_it_stays(value)
    return found


def form_and_whether_it_stays(value: Any) -> tuple[Hashable, bool]:
    """Return the form of an output, and whether all its parts stay as they are."""
    kind = type(value)
    # classes of other classes may pass for what they are not
    if type(kind) is type and kind in PLAIN:
        return (kind, value), True
    if kind is float:
        return (kind, pack("<d", value)), True
    of_array = arrays().form(value)
    if of_array is not None:
        return of_array, True
    stream, sender = sent(value, PROTOCOLS[0])
    twins = [sender.twins()]
    if sender.arrays or not sender.stays:  # these may answer each protocol by something else
        for protocol in PROTOCOLS[1:]:
            more, later = sent(value, protocol)
            stream += more
            twins.append(later.twins())
    return Pickled(stream, tuple(sender.arrays), tuple(twins)), sender.stays


# ------------------------------------------------------------------------------- what pickle sends


class Pickled(NamedTuple):
    """The form of a value that `pickle` writes down part by part.

    Attributes
    ----------
    stream : bytes
        Of all protocols asked.
    arrays : tuple
        Of each array within, its form without contents: the stream says the same, less plainly.
    twins : tuple of tuple of int
        By each protocol asked, see `_Sender.twins`.
    """

    stream: bytes
    arrays: tuple[tuple[Any, ...], ...]
    twins: tuple[tuple[int, ...], ...]


class _TooLarge(Exception):
    """More is sent than a report may hold."""


class _Stream(BytesIO):
    """Takes what is sent, up to a limit: a part that comes often is written out each time."""

    def write(self, some: Any) -> int:
        written = super().write(some)
        if self.tell() > LARGEST:
            raise _TooLarge
        return written


class _Sender(Pickler):
    """Writes down what `pickle` would send, each part as often as it comes.

    Attributes
    ----------
    stays : bool
        Whether it has seen nothing but values of Python's and numpy's types, which stay as they
        are.
    arrays : list
        Forms of arrays without their contents.
    parts : list
        Those that are told apart, in the order in which they come.
    """

    def __init__(self, stream: BytesIO, protocol: int) -> None:
        super().__init__(stream, protocol)
        self.fast = True  # each part is written out each time
        self.stays = True
        self.arrays = list[tuple[Any, ...]]()
        self.parts = list[Any]()  # held, so that no other part gets the address of one

    def twins(self) -> tuple[int, ...]:
        """Return, of each part that is told apart, the place of the first that is the same object.

        Nothing if no part comes twice.
        """
        first = dict[int, int]()
        places = [first.setdefault(id(part), i) for i, part in enumerate(self.parts)]
        return tuple(places) if len(first) < len(places) else ()

    def persistent_id(self, part: Any) -> None:
        """Look at all parts, however deep, and give none a name."""
        if isinstance(part, set | frozenset) and len(part) > 1:
            _refuse_seeded(part)
        if _is_told_apart(part):
            self.parts.append(part)

    def reducer_override(self, part: Any) -> Any:
        """Look at all that is not of Python's own types."""
        kind = type(part)
        if issubclass(kind, Symbol):
            refuse_symbol(part)
        by_name = type(kind) is type and kind in BY_NAME
        if by_name or arrays().is_sent_by_name(part):
            return NotImplemented
        if arrays().is_array(kind):
            if part.nbytes > LARGEST:
                raise _TooLarge
            self.arrays.append(arrays().form_without_contents(part))
        elif not arrays().stays_as_it_is(kind):
            self.stays = False
        # the class of rows says that they have a hash, though they have none
        if arrays().is_row(kind) and not _is_told_apart(part):
            self.parts.append(part)
        if kind in dispatch_table:
            self.stays = False
            return NotImplemented
        return arrays().reduced(part)


def told_apart(value: Any) -> list[Any]:
    """Return the parts of an output of which `form` says which of them are one object."""
    parts = list[Any]()
    for protocol in PROTOCOLS:
        _, sender = sent(value, protocol)
        parts += sender.parts
    return parts


def _is_told_apart(part: Any) -> bool:
    """Whether a part and its equal are two objects, whatever Python likes.

    So are lists, dicts and sets, of a class of one's own with a hash, too, what has no hash, and
    objects with room for attributes.  Classes and functions, which are sent by name, are not.
    """
    kind = type(part)
    if kind.__hash__ is None or isinstance(part, list | dict | set):
        return True
    return bool(kind.__dictoffset__) and not isinstance(part, type | FunctionType)


def sent(value: Any, protocol: int) -> tuple[bytes, _Sender]:
    """Return what `pickle` would send, and what has been seen of its parts."""
    stream = _Stream()
    sender = _Sender(stream, protocol)
    try:
        sender.dump(value)
    except _Refused:
        raise
    except _TooLarge:
        refuse_large()
    except RecursionError:
        refuse_deep(value)
    except Exception as error:
        if "cyclic" in str(error):  # as pickle says of what it writes down without a memory
            _refuse_cyclic(value)
        raise ValueError(
            f"a program must return what can be sent, got {type(value).__name__}, of which pickle "
            f"says: {error}; return plain values or arrays, or objects of a class that stands at "
            "the top of a module"
        ) from None
    return stream.getvalue(), sender


# ---------------------------------------------------------------------------------------- refusals


def refuse_large() -> NoReturn:
    """Refuse a report that is too large."""
    raise Large(
        f"a program must return a report of less than {LARGEST >> 20} MB, each part counted as "
        "often as it comes: return a smaller one"
    ) from None


def refuse_deep(value: Any) -> NoReturn:
    """Refuse a report that is nested too deeply."""
    raise ValueError(
        f"a program must return a report that ends, got {type(value).__name__}, nested too deeply, "
        "or without an end: return its parts as numbers, texts and flat tuples"
    ) from None


def _refuse_cyclic(value: Any) -> NoReturn:
    raise ValueError(
        f"a program must return a report that ends, got {type(value).__name__}, which contains "
        "itself: return its parts as numbers, texts and tuples"
    ) from None


def refuse_symbol(part: Symbol) -> NoReturn:
    """Refuse a report that contains a symbol."""
    raise _Refused(
        f"a program must return reports without symbols, got one that contains {part._what}, which "
        "a receiver could look at: return what is drawn with it, not the symbol"
    )


def _refuse_seeded(members: Iterable[Any]) -> None:
    """Refuse a set whose order depends on how it was made in some processes, and in others not."""
    for member in members:
        if not _hashed_alike(member):
            raise _Refused(
                "a program must return sets of several members only of numbers, since the order "
                "of others follows from a seed that each process draws anew, got "
                f"{shown(member)} in one: return tuple(sorted(…, key=repr)), "
                "also of each set within"
            )


def _hashed_alike(member: Any) -> bool:
    """Whether a member of a set has the same hash in every process."""
    kind = type(member)
    if kind is frozenset or (issubclass(kind, tuple) and kind.__hash__ is tuple.__hash__):
        return all(map(_hashed_alike, member))
    is_number = kind in NUMBERS or kind in arrays().hashed_by_value
    return is_number and bool(member == member)  # the hash of a missing number is its address
