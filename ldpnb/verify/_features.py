"""Reports of any kind side by side, and their yes-or-no features for classifiers that do not know the client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from copyreg import dispatch_table
from dataclasses import dataclass, fields as fields_of, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldpnb.chance import PLAIN, copied, form, form_of, freeze, layout
from ldpnb.exact.forms import Pickled
from ldpnb.checks import shown
from ldpnb.core import Bools, Ints, blocks
from ldpnb.verify._moments import row_keys

FEW = 32  # different values of a column that get a feature each; a column with more gets steps
MEMBERS = 256  # most frequent members of sets that get a feature each
CELLS = 1 << 22  # entries of a table in memory at a time
LONG = 2048  # bits of an integer, bytes, characters or entries that are looked at one by one
KINDS = {"string": str, "bytes": bytes, "tuple": tuple, "set": frozenset}
INSIDE = {  # kinds of single values that are looked at by parts, and these parts
    "complex number": ("real part", "imaginary part"),
    "fraction": ("value", "numerator", "denominator"),
    "decimal number": ("value", "text"),
    "time": ("seconds", "microseconds"),
}
TIMES = {datetime, date, time, timedelta}
# what style and parts tell all of, so that nothing can hide in it
OPEN = (str, bytes, tuple, frozenset, int, float, complex, Fraction, Decimal, timedelta, Enum, type)

Pool = Any  # many reports: an array of numbers with one row a report, or a list of frozen reports
Encoder = Callable[[Pool], NDArray[Any]]


# -------------------------------------------------------------------------------------------------------- reports


@dataclass(frozen=True)
class Form:
    """What `freeze` and numpy forget of a report: a function of this report alone, whatever the others are."""

    what: Any

    def __repr__(self) -> str:
        return f"form {self.what.__name__ if isinstance(self.what, type) else shown(self.what)}"


class Sent(NamedTuple):
    """What is looked at before a report is copied: a copy may be another.

    Attributes
    ----------
    form : hashable
    style : hashable
        With which parts are one object, should there be some.
    unnamed : hashable
        The style without the keys of dicts, which may be others in each report.
    parts : tuple
        Frozen, each with its form: parts that may come in several forms, see `_parts_of`.
    """

    form: Hashable
    style: Hashable
    unnamed: Hashable
    parts: tuple[tuple[Hashable, Hashable], ...]


def tidy(drawn: list[Any], sent: list[list[Sent]]) -> list[Pool]:
    """Bring reports into a shape in which they can be compared: arrays of numbers, or frozen.

    `sent` is of `looked`.  Styles are part of the reports where there are several.  So are forms
    where reports that freeze alike have several, and forms of parts where these freeze alike.
    """
    styles = [[Form(y.style) for y in own] for own in sent]
    names = drawn[0][0].keys() if isinstance(drawn[0][0], dict) else None
    if names and all(isinstance(y, dict) and y.keys() == names for reports in drawn for y in reports):
        drawn = [[tuple(y[name] for name in names) for y in reports] for reports in drawn]
    if len(set(chain(*styles))) == 1:
        pools = _alike(drawn)
    else:  # then it is part of the report
        pools = _with(drawn, styles)
    forms = [_forms(*each) for each in zip(drawn, pools, sent, strict=True)]
    more: list[list[Any]] = [styles]
    unnamed = [[Form(y.unnamed) for y in own] for own in sent]
    if unnamed != styles:
        more.append(unnamed)
    if _several(chain(*(zip(keys(pool), own, strict=False) for pool, own in zip(pools, forms, strict=True)))):
        more.append([[*map(Form, own)] or styles[i] for i, own in enumerate(forms)])
    if _several(chain(*(y.parts for own in sent for y in own))):
        more.append([[tuple(Form(told) for _, told in y.parts) for y in own] for own in sent])
    return pools if len(more) == 1 else _with(drawn, *more)


def check_batches(drawn: list[Any], common: list[Hashable], name: str) -> None:
    """Refuse arrays that differ between calls in what all their rows share, `common` of each call.

    One report may have settled it for the whole call: it is one observation, and must not be counted once a row.
    """
    for i, reports in enumerate(drawn):
        if common[i] != common[0]:
            one, other = _described(drawn[0]), _described(reports)
            hidden = (
                ", which differ in notes, alignment or order of axes, in whether they are contiguous, "
                "or in whether they may be written to"
            )
            raise ValueError(
                f"{name} must return arrays of one dtype and shape for all inputs, or lists, got {one} for input 0 and "
                f"{other} for input {i}{hidden if one == other else ''}: one report may settle it for all of a call, "
                "so that it counts but once; give dtype and shape, as np.array(…, dtype='U9'), return a list, or audit "
                "an array a person, as lambda x, rng: client(x, 1, rng) or perturb([x], rng=rng), where it counts"
            )


def shared(reports: Any) -> Hashable:
    """Return what a call says of all its reports: of those of a list, which stand for themselves, its class."""
    if not isinstance(reports, np.ndarray) or (reports.dtype == object and reports.ndim == 1):
        return (type(reports),)
    alone = reports[0] if reports.ndim > 1 else reports
    return form_of(reports.dtype), reports.shape[1:], layout(alone)


def _described(reports: Any) -> str:
    if not isinstance(reports, np.ndarray):
        return f"a {type(reports).__name__}"
    return f"{reports.dtype}{f' in rows of shape {reports.shape[1:]}' if reports.ndim > 1 else ''}"


def settled(drawn: list[Any], sent: list[list[Sent]]) -> bool:
    """Whether reports of a call are all of one style and length, which are others in another call."""
    forms = []
    for reports, own in zip(drawn, sent, strict=True):
        forms.append({(y.style, _length(report)) for report, y in zip(reports, own, strict=False)})  # of an array one
    return all(len(own) == 1 for own in forms) and len(set(chain(*forms))) > 1


def _length(report: Any) -> int | None:
    return len(report) if isinstance(report, list | tuple | set | frozenset | dict) else None


def _forms(reports: Any, pool: Pool, sent: list[Sent]) -> list[Hashable]:
    """Return forms of reports, but of those that are compared as bytes anyway."""
    if not _solid(reports):
        return [y.form for y in sent]
    return [] if isinstance(pool, np.ndarray) else [*row_keys(reports)]


def looked(reports: Any) -> list[Sent]:
    """Look at what a receiver gets of each report, as `laws` does.

    Of the rows of an array, which are of one style, only the first is needed, beside their bytes.
    """
    if not _solid(reports):
        return [look(report) for report in reports]
    one = reports[:1].copy() if reports.ndim == 1 else reports[0]  # a text alone has a dtype of its own length
    like = form_of(reports.dtype), _read(style, one)
    return [Sent(None, like, like, ())]


def look(report: Any) -> Sent:
    """Look at what a receiver gets of a report, or say how it can be audited if that is unknown."""
    told = _read(form, report)  # first, since it says so if a report does not end
    like = _read(style, report)
    unnamed = _read(lambda y: style(y, named=False), report) if _holds_dict(report) else like
    if isinstance(told, Pickled) and any(told.twins):
        like = like, told.twins
        unnamed = unnamed, told.twins
    return Sent(told, like, unnamed, tuple(_read(_parts_of, report)))


def _holds_dict(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype.hasobject)
    return isinstance(value, dict) or (isinstance(value, list | tuple) and any(map(_holds_dict, value)))


def copy_of(report: Any) -> Any:
    """Return a copy of a report, which the client may fill anew."""
    return _read(copied, report)


def _parts_of(value: Any, inside: bool = False) -> list[tuple[Hashable, Hashable]]:
    """Return the parts of a report that style and contents may not tell all of, with their forms."""
    kind = type(value)
    if (type(kind) is type and kind in PLAIN) or (kind is float and value == value):
        return []
    own = []
    if not isinstance(value, list | tuple | dict) and (inside or not isinstance(value, np.ndarray | set | frozenset)):
        own = [(freeze(value), form(value))]
    within: Iterable[Any] = ()
    if isinstance(value, list | tuple | set | frozenset):
        within = value
    elif isinstance(value, np.ndarray | np.generic) and value.dtype.hasobject:
        within = [value.tolist()]
    elif isinstance(value, dict):
        within = chain(*value.items())
    for part in within:
        if type(part) is not int and type(part) is not bool:  # of which there may be many
            own += _parts_of(part, True)
    return own


def unseen(sent: list[list[Sent]]) -> str | None:
    """Name a class of objects that hardly come back, so that little can be said of their forms."""
    objects: dict[type, list[Hashable]] = {}
    for y in chain(*sent):
        for part, _ in y.parts:
            if not isinstance(part, OPEN):
                objects.setdefault(type(part), []).append(part)
    seldom = (kind.__name__ for kind, all_ in objects.items() if 2 * len(set(all_)) > len(all_) > 1)
    return next(seldom, None)


def _solid(reports: Any) -> bool:
    return isinstance(reports, np.ndarray) and not reports.dtype.hasobject


def _alike(drawn: list[Any]) -> list[Pool]:
    arrays: list[Pool] = [_numbers(reports) for reports in drawn]
    shapes = {None if a is None else (a.shape, a.dtype) for a in arrays}
    if len(shapes) == 1 and None not in shapes:
        return arrays
    return [[_frozen(report) for report in reports] for reports in drawn]


def _with(drawn: list[Any], *more: list[list[Form]]) -> list[Pool]:
    """Return frozen reports, each with its forms."""
    pools: list[Pool] = []
    for reports, *own in zip(drawn, *more, strict=True):
        wide = [part * (len(reports) // len(part)) for part in own]
        pools.append([*zip(map(_frozen, reports), *wide, strict=True)])
    return pools


def _several(told: Iterable[tuple[Any, Hashable]]) -> bool:
    """Whether something that would be taken for one has come in two forms."""
    first = dict[Any, Hashable]()
    return any(first.setdefault(key, what) != what for key, what in told)


def style(value: Any, named: bool = True) -> Any:
    """Return what a report is like, without its contents: equal for reports that are made alike.

    It says types, dtypes, shapes, names, attributes, the order of a dict, and whether a set comes
    in its usual order.  Where a dict's keys are not `named`, it says whether they ascend.
    """
    kind = type(value)
    if (type(kind) is type and kind in PLAIN) or kind is float:
        return kind
    if isinstance(value, np.ndarray | np.generic):
        array: NDArray[Any] = np.asarray(value)
        like = kind, form_of(array.dtype), array.shape, *layout(value)
        if not array.dtype.hasobject:
            return like
        fields = array.dtype.names
        parts = array.ravel().tolist() if fields is None else [array[name] for name in fields]
        return *like, tuple(style(part, named) for part in parts)
    if kind is Decimal:
        return kind, value.as_tuple().exponent
    if isinstance(value, Enum | type):
        return kind
    if type(kind) is type and kind in (list, tuple, set, frozenset, dict, complex):
        return kind, _inside(value, named), ()
    compared = {f.name for f in fields_of(value) if f.compare} if is_dataclass(value) else set()
    more = tuple((n, form(told)) for n, told in _attributes(value).items() if n not in compared)
    return kind, _inside(value, named), more


def _attributes(value: Any) -> dict[Any, Any]:
    """Return what pickle sends of the attributes of an object."""
    registered = dispatch_table.get(type(value))
    sent = registered(value) if registered else value.__reduce_ex__(4)
    state = sent[2] if isinstance(sent, tuple) and len(sent) > 2 else None
    halves: tuple[Any, ...] = state if isinstance(state, tuple) and len(state) == 2 else (state,)
    if not all(isinstance(half, dict | None) for half in halves):
        return {"state": state}
    return dict(chain(*(half.items() for half in halves if half)))


def _inside(value: Any, named: bool) -> Hashable:
    """Return the styles of what a container of Python's contains."""
    if isinstance(value, list | tuple):
        inner = tuple(style(v, named) for v in value)
        return inner[:1] if len(set(inner)) == 1 else inner  # their number is that of `freeze`
    if isinstance(value, set | frozenset):
        base = frozenset if isinstance(value, frozenset) else set
        usual = base(sorted(value, key=lambda v: repr(form(v))))
        return frozenset(style(v, named) for v in value), list(value) == list(usual)  # if not, the order is news
    if isinstance(value, dict):
        made = form(getattr(value, "default_factory", None))
        if named:
            return made, *((form(k), style(v)) for k, v in value.items())
        styles = frozenset((style(k, named), style(v, named)) for k, v in value.items())
        return made, styles, list(value) == sorted(value, key=_rank)
    return ()


def _rank(key: Any) -> tuple[Any, ...]:
    """Return by what keys of any kinds ascend: numbers by value, texts by their letters, tuples by what is inside."""
    if isinstance(key, int | float | np.integer | np.floating):
        return 0, key, repr(form(key))
    split = _split(key)
    inside = key if isinstance(key, tuple) else split[1] if split else None
    return (2, 0, repr(form(key))) if inside is None else (1, tuple(map(_rank, inside)), "")


def _frozen(report: Any) -> Hashable:
    found: Hashable = _read(freeze, report)
    return found


def _read(how: Callable[[Any], Any], report: Any) -> Any:
    try:
        return how(report)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        cure = "convert its reports, or say by features= what they hold"
        got = f"client must return plain values or arrays, got {type(report).__name__}"
        raise ValueError(f"{got}: {cure} ({why})") from None


def _numbers(reports: Any) -> NDArray[Any] | None:
    """Return reports as an array of plain numbers, where they are such and none is rounded."""
    if isinstance(reports, np.ndarray):
        _frozen(reports[:1])  # refuses what an array sends beside its numbers
    else:
        if isinstance(reports[0], str | bytes | set | frozenset | dict):
            return None
        if isinstance(reports[0], np.ndarray | np.generic):
            _frozen(reports[0])
        try:
            reports = np.array(list(reports))
        except (ValueError, TypeError):  # of different lengths
            return None
        if reports.dtype.kind in "fc" and np.any(np.abs(reports) >= 2**53):  # integers among them may be
            return None
        if reports.dtype.kind in "mM":  # of units that may have been brought into one
            return None
    fields = [reports.dtype[name] for name in reports.dtype.names or ()] or [reports.dtype]
    plain = all(field.base.kind in "biufcmM" for field in fields)
    return np.ascontiguousarray(reports) if plain and reports.size else None


def take(pool: Pool, at: Ints) -> Pool:
    """Return some of the reports."""
    return pool[at] if isinstance(pool, np.ndarray) else [pool[i] for i in at.tolist()]


def keys(pool: Pool) -> list[Any]:
    """Return something for each report that is equal where reports are."""
    return row_keys(pool) if isinstance(pool, np.ndarray) else list(pool)


def size(y: Any) -> int:
    """Return the number of bits, characters or entries of a frozen report that can be looked at one by one."""
    return 8 * len(y) if isinstance(y, bytes) else len(y) if isinstance(y, str | tuple) else 0


# ------------------------------------------------------------------------------------------------------- features


def features_of(train: Pool) -> tuple[list[str], Callable[[Pool], Bools]]:
    """Turn reports into yes-or-no features, (n, features), and name these; what is a feature is settled by `train`.

    A column of few values gets a feature for each; a column of many is cut at quantiles, the extreme ones included, and
    it is said how many reports are above.
    """
    columns, table = _columns(train)
    filled = table(train)
    wanted: list[tuple[str, int, float, bool]] = []
    for j, name in enumerate(columns):
        seen = np.unique(filled[:, j])
        seen = seen[~np.isnan(seen)]
        bit = seen.tolist() == [0, 1]
        if len(seen) <= FEW:  # of two values the second is enough, and one says nothing
            wanted += [(name if bit else f"{name} = {v:g}", j, v, False) for v in seen[len(seen) <= 2 :]]
        else:
            levels = [0.001, 0.01, *np.arange(1, 16) / 16, 0.99, 0.999]
            edges = np.unique(np.quantile(filled[:, j][np.isfinite(filled[:, j])], levels))
            shares = [100 * np.mean(filled[:, j] >= v) for v in edges]
            wanted += [(f"{name} >= {v:.4g} [{p:.3g} %]", j, v, True) for v, p in zip(edges, shares, strict=True)]
    names = [name for name, *_ in wanted]
    at, values, steps = (np.array([x[i] for x in wanted], kind) for i, kind in ((1, int), (2, float), (3, bool)))

    def encode(pool: Pool) -> Bools:
        x = np.empty((len(pool), len(names)), np.bool_)
        for some in blocks(len(pool), max(1, CELLS // max(1, len(names)))):
            part = table(pool[some])[:, at]
            x[some] = (part == values) | ((part > values) & steps)
        return x

    return names, encode


def _columns(train: Pool) -> tuple[list[str], Encoder]:
    if not isinstance(train, np.ndarray):
        return _parts(train, "report")
    if train.dtype.kind in "mM":
        names, table = _columns(train.astype(np.int64))
        return names, lambda pool: table(pool.astype(np.int64))
    if train.dtype.kind in "iu" and train.ndim < 3 and len(np.unique(train)) > FEW:
        if train.ndim == 1:
            return _bits(train.tolist(), "report")  # a mask of bits
        return _positions([*map(tuple, train.tolist())], "report")  # items in any order
    places = [(name, np.ndindex(part.shape[1:])) for name, part in _fields(train).items()]
    names = [f"{name}{[*at] or ''}" for name, indices in places for at in indices]
    return names, lambda pool: np.concatenate([part.reshape(len(pool), -1) for part in _fields(pool).values()], 1)


def _fields(pool: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the fields of an array, each as numbers: complex ones as two, times as how many of their unit."""
    found: dict[str, NDArray[Any]] = {}
    for name in pool.dtype.names or ["report"]:
        part = pool[name] if pool.dtype.names else pool
        if part.dtype.kind == "c":
            found[f"real part of {name}"], found[f"imaginary part of {name}"] = part.real, part.imag
        else:
            found[name] = part.astype(np.int64) if part.dtype.kind in "mM" else part
    return found


def _parts(train: list[Hashable], name: str) -> tuple[list[str], Encoder]:
    """Columns of frozen reports: positions of tuples, members of sets, characters of strings, categories, numbers."""
    different = set(train)
    if len(different) == 1:  # which may be an empty tuple, without any columns
        return [], lambda pool: np.empty((len(pool), 0))
    kinds = {_kind(y) for y in different}
    if kinds == {"bytes"} or (len(different) > FEW and all(isinstance(y, int) for y in different)):
        return _bits(train, name)
    if kinds == {"number"}:
        return [name], lambda pool: np.array([[_float(y)] for y in pool])
    if len(kinds) == 1 and not kinds.isdisjoint(INSIDE):
        return _split_columns(train, name, *kinds)
    if len(kinds) > 1 and len(different) > FEW:
        return _kinds(train, name)
    lengths = {len(y) if isinstance(y, tuple | str) else -1 for y in different}
    word = isinstance(train[0], str) and (1 in lengths or len(different) <= FEW)
    if len(lengths) == 1 and -1 not in lengths and not word:
        return _positions(train, name)
    if len(different) > FEW and kinds != {"other"}:
        return _any_length(train, name)
    top = [y for y, _ in Counter(train).most_common(FEW)]
    return [f"{name} = {shown(y, most=200)}" for y in top], lambda pool: np.array([[y == z for z in top] for y in pool])


def _float(y: Any) -> float:
    return _near(y) if _kind(y) == "number" else np.nan


def _near(y: Any) -> float:
    """Return a number as a float; integers and fractions beyond all floats as large ones."""
    return float(max(min(y, 2**1000), -(2**1000)) if isinstance(y, int | Fraction) else y)


def _split(y: Any) -> tuple[str, tuple[Any, ...]] | None:
    """Return the kind and the frozen parts of a number or time that is split into parts; None of anything else."""
    if isinstance(y, Fraction):
        return "fraction", (_near(y), y.numerator, y.denominator)
    if isinstance(y, Decimal):
        return "decimal number", (freeze(float(y)), str(y))
    if type(y) in TIMES:
        return "time", _seconds(y)
    number = _complex(y)
    return None if number is None else ("complex number", (freeze(number.real), freeze(number.imag)))


def _complex(y: Any) -> complex | None:
    """Return a complex number, also of the text that `chance.freeze` makes of some."""
    if isinstance(y, str) and y.endswith(("j", "j)")):
        try:
            number = complex(y)
        except ValueError:
            return None
        return number if freeze(number) == y else None
    return y if isinstance(y, complex) else None


def _seconds(y: Any) -> tuple[int, int]:
    """Return a time by the clock, or a span of time, in whole seconds and further microseconds."""
    if isinstance(y, timedelta):
        return 86400 * y.days + y.seconds, y.microseconds
    days = y.toordinal() if isinstance(y, date) else 0
    clock = y if isinstance(y, datetime | time) else time()
    return 86400 * days + 3600 * clock.hour + 60 * clock.minute + clock.second, clock.microsecond


def _split_columns(train: Any, name: str, kind: str) -> tuple[list[str], Encoder]:
    """Columns of each part of numbers or times of one kind."""
    blank = (None,) * len(INSIDE[kind])

    def parts(pool: Any) -> list[list[Any]]:
        rows = [found[1] if (found := _split(y)) and found[0] == kind else blank for y in pool]
        return [[row[i] for row in rows] for i in range(len(blank))]

    labels = [f"{part} of {name}" for part in INSIDE[kind]]
    children = [_parts(*each) for each in zip(parts(train), labels, strict=True)]

    def table(pool: Any) -> NDArray[Any]:
        return np.concatenate([child(part) for (_, child), part in zip(children, parts(pool), strict=True)], 1)

    return [label for own, _ in children for label in own], table


def _bits(train: Any, name: str) -> tuple[list[str], Encoder]:
    """Columns of integers, or of bytes: size or length, and bits from the lowest or first on (two's complement)."""
    width = -(-min(LONG, max(y.bit_length() + (y < 0) if isinstance(y, int) else size(y) for y in train)) // 8)
    whole = f"length of {name}" if isinstance(train[0], bytes) else name

    def table(pool: Any) -> NDArray[Any]:
        x = np.zeros((len(pool), 1 + 8 * width))
        for row, y in zip(x, pool.tolist() if isinstance(pool, np.ndarray) else pool, strict=True):
            if isinstance(y, bytes):
                row[0], some = len(y), y[:width].ljust(width, b"\0")
            elif isinstance(y, int):
                row[0], some = _float(y), (y % 256**width).to_bytes(width, "little")
            else:
                continue
            row[1:] = np.unpackbits(np.frombuffer(some, np.uint8), bitorder="little")
        return x

    return [whole, *(f"bit {i} of {name}" for i in range(8 * width))], table


def _kind(y: Any) -> str:
    if isinstance(y, int | float) or (isinstance(y, str) and y == "-0.0"):  # as `chance.freeze` writes it
        return "number"
    if split := _split(y):
        return split[0]
    return next((name for name, kind in KINDS.items() if isinstance(y, kind)), "other")


def _kinds(train: Any, name: str) -> tuple[list[str], Encoder]:
    """Columns of reports of several kinds: which it is, and the columns of each, zero for the others."""
    children = {kind: _parts([y for y in train if _kind(y) == kind], name) for kind in dict.fromkeys(map(_kind, train))}

    def table(pool: Any) -> NDArray[Any]:
        kinds = np.array([_kind(y) for y in pool])
        parts = []
        for kind, (labels, child) in children.items():
            at = np.flatnonzero(kinds == kind)
            part = np.zeros((len(pool), 1 + len(labels)))
            part[at, 0] = 1
            if at.size:
                part[at, 1:] = child([pool[i] for i in at])
            parts.append(part)
        return np.concatenate(parts, 1)

    return [y for kind, (labels, _) in children.items() for y in (f"{name} is a {kind}", *labels)], table


def _positions(train: Any, name: str) -> tuple[list[str], Encoder]:
    """Columns of each place; also of what is at any place, if that is one of many things."""
    whole, length = len(train[0]), min(LONG, len(train[0]))
    blank = (None,) * whole
    children = [_parts([y[i] for y in train], f"{name}[{i}]") for i in range(length)]
    members = isinstance(train[0], tuple) and length > 1 and len({x for y in train for x in y}) > FEW
    some, inside = _members(train, name) if members else ([], lambda pool: np.empty((len(pool), 0)))

    def table(pool: Any) -> NDArray[Any]:
        listed = [*map(tuple, pool.tolist())] if isinstance(pool, np.ndarray) else pool
        rows = [y if isinstance(y, tuple | str) and len(y) == whole else blank for y in listed]
        places = [child([row[i] for row in rows]) for i, (_, child) in enumerate(children)]
        return np.concatenate([*places, inside(listed)], 1)

    return [*(label for labels, _ in children for label in labels), *some], table


def _any_length(train: Any, name: str) -> tuple[list[str], Encoder]:
    """Columns of reports of any length: members, and what these are like if they hardly come back."""
    labels, table = _members(train, name)
    inside = [x for y in train if isinstance(y, tuple | frozenset) for x in set(y)]
    if 2 * len(set(inside)) <= len(inside):
        return labels, table
    more, extremes = _extremes(inside, name)
    return labels + more, lambda pool: np.concatenate([table(pool), extremes(pool)], 1)


def _extremes(inside: Any, name: str) -> tuple[list[str], Encoder]:
    """Columns of the least and the largest that a report's members show of each of their own columns."""
    labels, child = _parts(inside, f"members of {name}")

    def table(pool: Any) -> NDArray[Any]:
        x = np.full((2, len(pool), len(labels)), np.nan)
        held = [y if isinstance(y, tuple | frozenset) else () for y in pool]
        sizes = np.array([*map(len, held)])
        for some in blocks(len(pool), max(1, CELLS // max(1, len(labels) * max(sizes, default=0)))):
            filled = some.start + np.flatnonzero(sizes[some])
            if len(filled):
                columns = child([*chain(*held[some])])
                starts = np.cumsum(sizes[filled]) - sizes[filled]
                for row, extreme in zip(x, (np.fmin, np.fmax), strict=True):
                    row[filled] = extreme.reduceat(columns, starts, axis=0)
        return np.concatenate([*x], 1)

    return [f"{end} {label}" for end in ("least", "largest") for label in labels], table


def _members(train: Any, name: str) -> tuple[list[str], Encoder]:
    top = [y for y, _ in Counter(y for report in train for y in set(report)).most_common(MEMBERS)]
    at = {y: i for i, y in enumerate(top)}

    def table(pool: Any) -> NDArray[Any]:
        x = np.zeros((len(pool), len(top) + 1))
        for row, report in zip(x, pool, strict=True):
            if isinstance(report, tuple | str | frozenset):
                row[-1] = len(report)
                row[[at[y] for y in report if y in at]] = 1
        return x

    return [*(f"{name} has {shown(y, most=200)}" for y in top), f"length of {name}"], table
