"""Reports of any kind side by side, and their yes-or-no features for classifiers.

Neither knows the client.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
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
from ldpnb.checks import shown
from ldpnb.core import Bools, Ints, blocks
from ldpnb.exact.forms import Pickled
from ldpnb.verify._moments import row_keys

FEW = 32  # different values of a column that get a feature each; a column with more gets steps
MEMBERS = 256  # most frequent members of sets that get a feature each
CELLS = 1 << 22  # entries of a table in memory at a time
LONG = 2048  # bits of an integer, bytes, characters or entries that are looked at one by one
NAMED = 200  # letters of a value in the name of a feature
LEVELS = (0.001, 0.01, *(i / 16 for i in range(1, 16)), 0.99, 0.999)  # quantiles that are steps
MINUS_ZERO = "-0.0"  # as `freeze` writes it
HUGE = 2**1000  # an integer beyond all floats counts as this one
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


# ----------------------------------------------------------------------------------------- reports


@dataclass(frozen=True)
class Form:
    """What `freeze` and numpy forget of a report.

    It is a function of this report alone, whatever the others are.
    """

    what: Any

    def __repr__(self) -> str:
        if isinstance(self.what, type):
            return f"form {self.what.__name__}"
        return f"form {shown(self.what)}"


class Sent(NamedTuple):
    """What is looked at before a report is copied: a copy may be another.

    Attributes
    ----------
    form : hashable
    style : hashable
        With which parts are one object, should there be some.
    unnamed : hashable
        The style without the keys of dicts and what attributes hold, which may be others in each
        report.
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
    styles = _of_each(sent, lambda y: Form(y.style))
    drawn = _without_names(drawn)
    if len(set(chain(*styles))) == 1:
        pools = _alike(drawn)
    else:  # then it is part of the report
        pools = _with(drawn, styles)
    more: list[list[Any]] = [styles]
    unnamed = _of_each(sent, lambda y: Form(y.unnamed))
    if unnamed != styles:
        more.append(unnamed)
    forms = [_forms(*each) for each in zip(drawn, pools, sent, strict=True)]
    if _several(_keys_and_forms(pools, forms)):
        more.append([list(map(Form, own)) or styles[i] for i, own in enumerate(forms)])
    if _several(chain.from_iterable(y.parts for y in chain(*sent))):
        more.append(_of_each(sent, _forms_of_parts))
    if len(more) == 1:
        return pools
    return _with(drawn, *more)


def _of_each(sent: list[list[Sent]], told: Callable[[Sent], Any]) -> list[list[Any]]:
    """Return what is told of each report, for each input."""
    return [list(map(told, own)) for own in sent]


def _forms_of_parts(y: Sent) -> tuple[Form, ...]:
    return tuple(Form(told) for _, told in y.parts)


def _without_names(drawn: list[Any]) -> list[Any]:
    """Return dicts that all have the same keys as tuples of values, and others as they are."""
    first = drawn[0][0]
    if not isinstance(first, dict):
        return drawn
    names = first.keys()
    if not names:
        return drawn
    for report in chain(*drawn):
        if not isinstance(report, dict) or report.keys() != names:
            return drawn

    def bare(report: dict[Any, Any]) -> tuple[Any, ...]:
        return tuple(report[name] for name in names)

    return [list(map(bare, reports)) for reports in drawn]


def _keys_and_forms(
    pools: list[Pool], forms: list[list[Hashable]]
) -> Iterator[tuple[Any, Hashable]]:
    """Return reports with their forms, but not those of which there are none."""
    for pool, own in zip(pools, forms, strict=True):
        yield from zip(keys(pool), own, strict=False)


def check_batches(drawn: list[Any], common: list[Hashable], name: str) -> None:
    """Refuse arrays that differ between calls in what all their rows share, `common` of each call.

    One report may have settled it for the whole call: it is one observation, and must not be
    counted once a row.
    """
    for i, reports in enumerate(drawn):
        if common[i] == common[0]:
            continue
        one = _described(drawn[0])
        other = _described(reports)
        hidden = ""
        if one == other:
            hidden = (
                ", which differ in notes, alignment or order of axes, in whether they are "
                "contiguous, or in whether they may be written to"
            )
        raise ValueError(
            f"{name} must return arrays of one dtype and shape for all inputs, or lists, got {one} "
            f"for input 0 and {other} for input {i}{hidden}: one report may settle it for all of a "
            "call, so that it counts but once; give dtype and shape, as np.array(…, dtype='U9'), "
            "return a list, or audit an array a person, as lambda x, rng: client(x, 1, rng) or "
            "perturb([x], rng=rng), where it counts"
        )


def shared(reports: Any) -> Hashable:
    """Return what a call says of all its reports.

    Of those of a list, which stand for themselves, that is its class.
    """
    if not isinstance(reports, np.ndarray) or (reports.dtype == object and reports.ndim == 1):
        return (type(reports),)
    alone = reports[0] if reports.ndim > 1 else reports
    return form_of(reports.dtype), reports.shape[1:], layout(alone)


def _described(reports: Any) -> str:
    if not isinstance(reports, np.ndarray):
        return f"a {type(reports).__name__}"
    if reports.ndim == 1:
        return f"{reports.dtype}"
    return f"{reports.dtype} in rows of shape {reports.shape[1:]}"


def settled(drawn: list[Any], sent: list[list[Sent]]) -> bool:
    """Whether reports of a call are all of one style and length, which are others in another."""
    found = set[Hashable]()
    for reports, own in zip(drawn, sent, strict=True):
        likes = set[Hashable]()
        for report, y in zip(reports, own, strict=False):  # of an array the first
            likes.add((y.style, _length(report)))
        if len(likes) != 1:
            return False
        found |= likes
    return len(found) > 1


def _length(report: Any) -> int | None:
    if isinstance(report, list | tuple | set | frozenset | dict):
        return len(report)
    return None


def _forms(reports: Any, pool: Pool, sent: list[Sent]) -> list[Hashable]:
    """Return forms of reports, but of those that are compared as bytes anyway."""
    if not _solid(reports):
        return [y.form for y in sent]
    if isinstance(pool, np.ndarray):
        return []
    return list(row_keys(reports))


def looked(reports: Any) -> list[Sent]:
    """Look at what a receiver gets of each report, as `laws` does.

    Of the rows of an array, which are of one style, only the first is needed, beside their bytes.
    """
    if not _solid(reports):
        return [look(report) for report in reports]
    if reports.ndim == 1:
        one = reports[:1].copy()  # a text alone has a dtype of its own length
    else:
        one = reports[0]
    like = form_of(reports.dtype), _read(style, one)
    return [Sent(None, like, like, ())]


def look(report: Any) -> Sent:
    """Look at what a receiver gets of a report, or say how it can be audited if that is unknown."""
    told = _read(form, report)  # first, since it says so if a report does not end
    like = _read(style, report)
    unnamed = like
    if _holds_names(report):
        unnamed = _read(lambda y: style(y, named=False), report)
    if isinstance(told, Pickled) and any(told.twins):
        like = like, told.twins
        unnamed = unnamed, told.twins
    return Sent(told, like, unnamed, tuple(_read(_parts_of, report)))


def _holds_names(value: Any) -> bool:
    """Whether a report is or holds a dict, or an object that may have attributes."""
    kind = type(value)
    if (type(kind) is type and kind in PLAIN) or isinstance(value, np.generic):
        return False
    if isinstance(value, np.ndarray):
        return bool(value.dtype.hasobject)
    if kind in (list, tuple, set, frozenset):
        return any(map(_holds_names, value))
    return kind not in (float, complex, Fraction, Decimal, *TIMES)


def copy_of(report: Any) -> Any:
    """Return a copy of a report, which the client may fill anew."""
    return _read(copied, report)


def _parts_of(value: Any, inside: bool = False) -> list[tuple[Hashable, Hashable]]:
    """Return the parts of a report that style and contents may not tell all of, with their forms.

    Whether the value is `inside` of another one matters for arrays and sets.
    """
    kind = type(value)
    if (type(kind) is type and kind in PLAIN) or (kind is float and value == value):
        return []
    own = []
    is_outermost = not inside and isinstance(value, np.ndarray | set | frozenset)
    if not isinstance(value, list | tuple | dict) and not is_outermost:
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
    objects = dict[type, list[Hashable]]()
    for y in chain(*sent):
        # a report that holds one twice is no second report in which it comes
        for kind, part in dict.fromkeys((type(part), part) for part, _ in y.parts):
            if not isinstance(part, OPEN):
                objects.setdefault(kind, []).append(part)
    for kind, found in objects.items():
        if 2 * len(set(found)) > len(found) > 1:
            return kind.__name__
    return None


def _solid(reports: Any) -> bool:
    """Whether this is an array that holds no objects."""
    return isinstance(reports, np.ndarray) and not reports.dtype.hasobject


def _alike(drawn: list[Any]) -> list[Pool]:
    """Return reports of one style: arrays of one shape and dtype, or frozen."""
    arrays = [_numbers(reports) for reports in drawn]
    shapes = set[Any]()
    for array in arrays:
        shapes.add(None if array is None else (array.shape, array.dtype))
    if len(shapes) == 1 and None not in shapes:
        return arrays
    return [list(map(_frozen, reports)) for reports in drawn]


def _with(drawn: list[Any], *more: list[list[Form]]) -> list[Pool]:
    """Return frozen reports, each with its forms."""
    pools = list[Pool]()
    for reports, *own in zip(drawn, *more, strict=True):
        wide = [part * (len(reports) // len(part)) for part in own]
        pools.append(list(zip(map(_frozen, reports), *wide, strict=True)))
    return pools


def _several(told: Iterable[tuple[Any, Hashable]]) -> bool:
    """Whether something that would be taken for one has come in two forms."""
    first = dict[Any, Hashable]()
    return any(first.setdefault(key, what) != what for key, what in told)


def style(value: Any, named: bool = True) -> Any:
    """Return what a report is like, without its contents: equal for reports that are made alike.

    It says types, dtypes, shapes, names, attributes, the order of a dict, and whether a set comes
    in its usual order.  Where a dict's keys are not `named`, it says whether they ascend, and of
    attributes what each is like.
    """
    kind = type(value)
    if (type(kind) is type and kind in PLAIN) or kind is float:
        return kind
    if isinstance(value, np.ndarray | np.generic):
        return _style_of_array(value, named)
    if kind is Decimal:
        return kind, value.as_tuple().exponent
    if isinstance(value, Enum | type):
        return kind
    if type(kind) is type and kind in (list, tuple, set, frozenset, dict, complex):
        return kind, _inside(value, named), ()
    compared = set[str]()
    if is_dataclass(value):
        compared.update(field.name for field in fields_of(value) if field.compare)
    more = []
    for name, told in _attributes(value).items():
        if not named:
            more.append((name, style(told, named)))
        elif name not in compared:
            more.append((name, form(told)))
    return kind, _inside(value, named), tuple(more)


def _style_of_array(value: Any, named: bool) -> tuple[Any, ...]:
    array: NDArray[Any] = np.asarray(value)
    like = type(value), form_of(array.dtype), array.shape, *layout(value)
    if not array.dtype.hasobject:
        return like
    if array.dtype.names is None:
        parts = array.ravel().tolist()
    else:
        parts = [array[name] for name in array.dtype.names]
    return *like, tuple(style(part, named) for part in parts)


def _attributes(value: Any) -> dict[Any, Any]:
    """Return what pickle sends of the attributes of an object."""
    registered = dispatch_table.get(type(value))
    if registered:
        sent: Any = registered(value)
    else:
        sent = value.__reduce_ex__(4)
    state = None
    if isinstance(sent, tuple) and len(sent) > 2:
        state = sent[2]
    halves: tuple[Any, ...] = (state,)
    if isinstance(state, tuple) and len(state) == 2:
        halves = state
    if not all(isinstance(half, dict | None) for half in halves):
        return {"state": state}
    attributes = dict[Any, Any]()
    for half in halves:
        if half:
            attributes.update(half.items())
    return attributes


def _inside(value: Any, named: bool) -> Hashable:
    """Return the styles of what a container of Python's contains."""
    if isinstance(value, list | tuple):
        inner = tuple(style(v, named) for v in value)
        if len(set(inner)) == 1:
            return inner[:1]  # their number is that of `freeze`
        return inner
    if isinstance(value, set | frozenset):
        base = frozenset if isinstance(value, frozenset) else set
        usual = base(sorted(value, key=lambda v: repr(form(v))))
        is_usual = list(value) == list(usual)  # if not, the order is news
        return frozenset(style(v, named) for v in value), is_usual
    if isinstance(value, dict):
        made = form(getattr(value, "default_factory", None))
        if named:
            return made, *((form(k), style(v)) for k, v in value.items())
        styles = frozenset((style(k, named), style(v, named)) for k, v in value.items())
        return made, styles, list(value) == sorted(value, key=_rank)
    return ()


def _rank(key: Any) -> tuple[Any, ...]:
    """Return by what keys of any kinds ascend.

    Numbers ascend by value, texts by their letters, tuples by what is inside.
    """
    if isinstance(key, int | float | np.integer | np.floating):
        return 0, key, repr(form(key))
    if isinstance(key, tuple):
        return 1, tuple(map(_rank, key)), ""
    split = _split(key)
    if split:
        return 1, tuple(map(_rank, split.parts)), ""
    return 2, 0, repr(form(key))


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
        array: NDArray[Any] | None = reports
    else:
        array = _array_of(reports)
    if array is None or not array.size:
        return None
    fields = [array.dtype]
    if array.dtype.names:
        fields = [array.dtype[name] for name in array.dtype.names]
    if all(field.base.kind in "biufcmM" for field in fields):
        return np.ascontiguousarray(array)
    return None


def _array_of(reports: Any) -> NDArray[Any] | None:
    """Return a list of reports as an array, where that rounds none."""
    first = reports[0]
    if isinstance(first, str | bytes | set | frozenset | dict):
        return None
    if isinstance(first, np.ndarray | np.generic):
        _frozen(first)
    try:
        array = np.array(list(reports))
    except (ValueError, TypeError):  # of different lengths
        return None
    kind = array.dtype.kind
    if kind in "fc" and np.any(np.abs(array) >= 2**53):  # integers among them may be
        return None
    if kind in "mM":  # of units that may have been brought into one
        return None
    return array


def take(pool: Pool, at: Ints) -> Pool:
    """Return some of the reports."""
    if isinstance(pool, np.ndarray):
        return pool[at]
    return [pool[i] for i in at.tolist()]


def keys(pool: Pool) -> list[Any]:
    """Return something for each report that is equal where reports are."""
    if isinstance(pool, np.ndarray):
        return row_keys(pool)
    return list(pool)


def size(y: Any) -> int:
    """Return how many bits, characters or entries of a frozen report can be looked at singly."""
    if isinstance(y, bytes):
        return 8 * len(y)
    if isinstance(y, str | tuple):
        return len(y)
    return 0


# ---------------------------------------------------------------------------------------- features


class Columns(NamedTuple):
    """Columns that reports are written in: their names, and how to fill them, (n, columns)."""

    names: list[str]
    table: Encoder


class Feature(NamedTuple):
    """A feature: that a column has a value, or with `and_above` at least this value."""

    name: str
    column: int
    value: float
    and_above: bool


def features_of(train: Pool) -> tuple[list[str], Callable[[Pool], Bools]]:
    """Turn reports into yes-or-no features, (n, features), and name these.

    What is a feature is settled by `train`.  A column of few values gets a feature for each.  A
    column of many is cut at quantiles, the extreme ones included, and it is said how many reports
    are above.
    """
    columns = _columns(train)
    filled = columns.table(train)
    wanted = list[Feature]()
    for j, name in enumerate(columns.names):
        wanted += _features_of_column(name, j, filled[:, j])
    names = [feature.name for feature in wanted]
    at = np.array([feature.column for feature in wanted], int)
    values = np.array([feature.value for feature in wanted], float)
    steps = np.array([feature.and_above for feature in wanted], bool)

    def encode(pool: Pool) -> Bools:
        x = np.empty((len(pool), len(names)), np.bool_)
        for some in blocks(len(pool), max(1, CELLS // max(1, len(names)))):
            part = columns.table(pool[some])[:, at]
            x[some] = (part == values) | ((part > values) & steps)
        return x

    return names, encode


def _features_of_column(name: str, j: int, column: NDArray[Any]) -> list[Feature]:
    seen = np.unique(column)
    seen = seen[~np.isnan(seen)]
    features = []
    if len(seen) > FEW:
        for v in np.unique(np.quantile(column[np.isfinite(column)], LEVELS)):
            percent = 100 * np.mean(column >= v)
            features.append(Feature(f"{name} >= {v:.4g} [{percent:.3g} %]", j, v, True))
        return features
    if seen.tolist() == [0, 1]:
        return [Feature(name, j, 1.0, False)]
    if len(seen) <= 2:  # of two values the second is enough, and one says nothing
        seen = seen[1:]
    for v in seen:
        features.append(Feature(f"{name} = {v:g}", j, v, False))
    return features


def _columns(train: Pool) -> Columns:
    """Columns of reports: of an array its numbers, or what is in these if they are many."""
    if not isinstance(train, np.ndarray):
        return _parts(train, "report")
    if train.dtype.kind in "mM":
        columns = _columns(train.astype(np.int64))
        return Columns(columns.names, lambda pool: columns.table(pool.astype(np.int64)))
    if train.dtype.kind in "iu" and train.ndim < 3 and len(np.unique(train)) > FEW:
        if train.ndim == 1:
            return _bits(train.tolist(), "report")  # a mask of bits
        return _positions(list(map(tuple, train.tolist())), "report")  # items in any order
    names = []
    for name, part in _fields(train).items():
        for place in np.ndindex(part.shape[1:]):
            names.append(f"{name}{list(place)}" if place else name)
    return _with_signs_of_zero(names, train)


def _with_signs_of_zero(names: list[str], train: NDArray[Any]) -> Columns:
    """Columns of all numbers, and whether they are -0.0 where some are: it equals 0.0."""
    signed = np.flatnonzero(_is_minus_zero(_flat(train)).any(0))
    if not len(signed):
        return Columns(names, _flat)

    def table(pool: NDArray[Any]) -> NDArray[Any]:
        numbers = _flat(pool)
        return np.concatenate([numbers, _is_minus_zero(numbers[:, signed])], 1)

    return Columns([*names, *(f"{names[j]} is -0.0" for j in signed)], table)


def _is_minus_zero(numbers: NDArray[Any]) -> Bools:
    if numbers.dtype.kind != "f":
        return np.zeros(numbers.shape, np.bool_)
    return np.asarray((numbers == 0) & np.signbit(numbers))


def _flat(pool: NDArray[Any]) -> NDArray[Any]:
    """Return all numbers of each row of an array, (n, numbers)."""
    parts = [part.reshape(len(pool), -1) for part in _fields(pool).values()]
    return np.concatenate(parts, 1)


def _fields(pool: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the fields of an array, each as numbers.

    Complex ones come as two, times as how many of their unit.
    """
    found = dict[str, NDArray[Any]]()
    for name in pool.dtype.names or ["report"]:
        part = pool[name] if pool.dtype.names else pool
        if part.dtype.kind == "c":
            found[f"real part of {name}"] = part.real
            found[f"imaginary part of {name}"] = part.imag
        elif part.dtype.kind in "mM":
            found[name] = part.astype(np.int64)
        else:
            found[name] = part
    return found


def _parts(train: list[Hashable], name: str) -> Columns:
    """Columns of frozen reports, whatever they are.

    That is positions of tuples, members of sets, characters of strings, categories, numbers.
    """
    different = set(train)
    if len(different) == 1:  # which may be an empty tuple, without any columns
        return _no_columns()
    kinds = {_kind(y) for y in different}
    are_many = len(different) > FEW
    if kinds == {"bytes"} or (are_many and all(isinstance(y, int) for y in different)):
        return _bits(train, name)
    if kinds == {"number"}:
        return _with_sign_of_zero(name, MINUS_ZERO in different)
    if len(kinds) == 1 and not kinds.isdisjoint(INSIDE):
        return _split_columns(train, name, *kinds)
    if len(kinds) > 1 and are_many:
        return _kinds(train, name)
    lengths = {len(y) if isinstance(y, tuple | str) else -1 for y in different}
    is_word = isinstance(train[0], str) and (1 in lengths or not are_many)
    if len(lengths) == 1 and -1 not in lengths and not is_word:
        return _positions(train, name)
    if are_many and kinds != {"other"}:
        return _any_length(train, name)
    return _categories(train, name)


def _with_sign_of_zero(name: str, is_told: bool) -> Columns:
    """Columns of frozen numbers, and whether they are -0.0, if that is told: it equals 0.0."""
    if not is_told:
        return Columns([name], lambda pool: np.array([[_float(y)] for y in pool]))

    def table(pool: Pool) -> NDArray[Any]:
        return np.array([[_float(y), y == MINUS_ZERO] for y in pool])

    return Columns([name, f"{name} is -0.0"], table)


def _no_columns() -> Columns:
    return Columns([], lambda pool: np.empty((len(pool), 0)))


def _categories(train: list[Hashable], name: str) -> Columns:
    """Columns of the most frequent reports: whether a report is this one."""
    top = [y for y, _ in Counter(train).most_common(FEW)]

    def table(pool: Pool) -> NDArray[Any]:
        rows = []
        for y in pool:
            rows.append([y == z for z in top])
        return np.array(rows)

    return Columns([f"{name} = {shown(y, most=NAMED)}" for y in top], table)


def _float(y: Any) -> float:
    return _near(y) if _kind(y) == "number" else np.nan


def _near(y: Any) -> float:
    """Return a number as a float; integers and fractions beyond all floats as large ones."""
    if isinstance(y, int | Fraction):
        y = max(min(y, HUGE), -HUGE)
    return float(y)


class Split(NamedTuple):
    """The kind of a number or time that is looked at by parts, see `INSIDE`, and these, frozen."""

    kind: str
    parts: tuple[Any, ...]


def _split(y: Any) -> Split | None:
    """Split a number or time into parts; return None of anything else."""
    if isinstance(y, Fraction):
        return Split("fraction", (_near(y), y.numerator, y.denominator))
    if isinstance(y, Decimal):
        return Split("decimal number", (freeze(float(y)), str(y)))
    if type(y) in TIMES:
        return Split("time", _seconds(y))
    number = _complex(y)
    if number is None:
        return None
    return Split("complex number", (freeze(number.real), freeze(number.imag)))


def _complex(y: Any) -> complex | None:
    """Return a complex number, also of the text that `chance.freeze` makes of some."""
    if isinstance(y, complex):
        return y
    if not isinstance(y, str) or not y.endswith(("j", "j)")):
        return None
    try:
        number = complex(y)
    except ValueError:
        return None
    return number if freeze(number) == y else None


def _seconds(y: Any) -> tuple[int, int]:
    """Return a time by the clock, or a span of time, in whole seconds and further microseconds."""
    if isinstance(y, timedelta):
        return 86400 * y.days + y.seconds, y.microseconds
    days = y.toordinal() if isinstance(y, date) else 0
    clock = y if isinstance(y, datetime | time) else time()
    seconds = 3600 * clock.hour + 60 * clock.minute + clock.second
    return 86400 * days + seconds, clock.microsecond


def _split_columns(train: Any, name: str, kind: str) -> Columns:
    """Columns of each part of numbers or times of one kind."""
    blank = (None,) * len(INSIDE[kind])

    def parts(y: Any) -> tuple[Any, ...]:
        split = _split(y)
        if split and split.kind == kind:
            return split.parts
        return blank

    rows = list(map(parts, train))
    children = []
    names = []
    for i, part in enumerate(INSIDE[kind]):
        child = _parts(_column(rows, i), f"{part} of {name}")
        children.append(child)
        names += child.names

    def table(pool: Any) -> NDArray[Any]:
        rows = list(map(parts, pool))
        filled = [child.table(_column(rows, i)) for i, child in enumerate(children)]
        return np.concatenate(filled, 1)

    return Columns(names, table)


def _column(rows: Any, i: int) -> list[Any]:
    return [row[i] for row in rows]


def _bits(train: Any, name: str) -> Columns:
    """Columns of integers, or of bytes: size or length, and bits from the lowest or first on.

    Negative integers are in two's complement.
    """
    width = (min(LONG, max(map(_bit_length, train))) + 7) // 8  # in bytes
    whole = f"length of {name}" if isinstance(train[0], bytes) else name

    def table(pool: Any) -> NDArray[Any]:
        x = np.zeros((len(pool), 1 + 8 * width))
        listed = pool.tolist() if isinstance(pool, np.ndarray) else pool
        for row, y in zip(x, listed, strict=True):
            if isinstance(y, bytes):
                row[0] = len(y)
                some = y[:width].ljust(width, b"\0")
            elif isinstance(y, int):
                row[0] = _float(y)
                some = (y % 256**width).to_bytes(width, "little")
            else:
                continue
            row[1:] = np.unpackbits(np.frombuffer(some, np.uint8), bitorder="little")
        return x

    return Columns([whole, *(f"bit {i} of {name}" for i in range(8 * width))], table)


def _bit_length(y: Any) -> int:
    if isinstance(y, int):
        return y.bit_length() + (y < 0)
    return size(y)


def _kind(y: Any) -> str:
    if isinstance(y, int | float) or (isinstance(y, str) and y == MINUS_ZERO):
        return "number"
    split = _split(y)
    if split:
        return split.kind
    for name, kind in KINDS.items():
        if isinstance(y, kind):
            return name
    return "other"


def _kinds(train: Any, name: str) -> Columns:
    """Columns of reports of several kinds: which it is, and the columns of each.

    These are zero for the other kinds.
    """
    reports = dict[str, list[Any]]()
    for y in train:
        reports.setdefault(_kind(y), []).append(y)
    children = {kind: _parts(own, name) for kind, own in reports.items()}
    names = []
    for kind, child in children.items():
        names += [f"{name} is a {kind}", *child.names]

    def table(pool: Any) -> NDArray[Any]:
        kinds = np.array([_kind(y) for y in pool])
        parts = []
        for kind, child in children.items():
            at = np.flatnonzero(kinds == kind)
            part = np.zeros((len(pool), 1 + len(child.names)))
            part[at, 0] = 1
            if at.size:
                part[at, 1:] = child.table([pool[i] for i in at])
            parts.append(part)
        return np.concatenate(parts, 1)

    return Columns(names, table)


def _positions(train: Any, name: str) -> Columns:
    """Columns of each place; also of what is at any place, if that is one of many things."""
    whole = len(train[0])
    length = min(LONG, whole)
    blank = (None,) * whole
    children = []
    names = []
    for i in range(length):
        child = _parts(_column(train, i), f"{name}[{i}]")
        children.append(child)
        names += child.names
    members = _no_columns()
    if isinstance(train[0], tuple) and length > 1 and len(set(chain(*train))) > FEW:
        members = _members(train, name)

    def fitting(y: Any) -> Any:
        if isinstance(y, tuple | str) and len(y) == whole:
            return y
        return blank

    def table(pool: Any) -> NDArray[Any]:
        listed = list(map(tuple, pool.tolist())) if isinstance(pool, np.ndarray) else pool
        rows = list(map(fitting, listed))
        places = [child.table(_column(rows, i)) for i, child in enumerate(children)]
        return np.concatenate([*places, members.table(listed)], 1)

    return Columns(names + members.names, table)


def _any_length(train: Any, name: str) -> Columns:
    """Columns of reports of any length: members, and what these are like if they hardly recur."""
    members = _members(train, name)
    inside = list[Any]()
    for y in train:
        inside += set(_held(y))
    if 2 * len(set(inside)) <= len(inside):
        return members
    extremes = _extremes(inside, name)

    def table(pool: Any) -> NDArray[Any]:
        return np.concatenate([members.table(pool), extremes.table(pool)], 1)

    return Columns(members.names + extremes.names, table)


def _held(y: Any) -> Any:
    """Return what a tuple or a set holds; nothing of anything else."""
    return y if isinstance(y, tuple | frozenset) else ()


def _extremes(inside: Any, name: str) -> Columns:
    """Columns of the least and the largest that a report's members show of each of theirs."""
    child = _parts(inside, f"members of {name}")
    width = len(child.names)

    def table(pool: Any) -> NDArray[Any]:
        least = np.full((len(pool), width), np.nan)
        largest = np.full((len(pool), width), np.nan)
        held = list(map(_held, pool))
        sizes = np.array(list(map(len, held)))
        entries = max(1, width * max(sizes, default=0))
        for some in blocks(len(pool), max(1, CELLS // entries)):
            filled = some.start + np.flatnonzero(sizes[some])
            if len(filled):
                columns = child.table(list(chain(*held[some])))
                starts = np.cumsum(sizes[filled]) - sizes[filled]
                least[filled] = np.fmin.reduceat(columns, starts, axis=0)
                largest[filled] = np.fmax.reduceat(columns, starts, axis=0)
        return np.concatenate([least, largest], 1)

    names = [f"least {label}" for label in child.names]
    names += [f"largest {label}" for label in child.names]
    return Columns(names, table)


def _members(train: Any, name: str) -> Columns:
    """Columns of the most frequent members of reports, and of how many there are."""
    counts = Counter[Any]()
    for report in train:
        counts.update(set(report))
    top = [y for y, _ in counts.most_common(MEMBERS)]
    at = {y: i for i, y in enumerate(top)}

    def table(pool: Any) -> NDArray[Any]:
        x = np.zeros((len(pool), len(top) + 1))
        for row, report in zip(x, pool, strict=True):
            if isinstance(report, tuple | str | frozenset):
                row[-1] = len(report)
                row[[at[y] for y in report if y in at]] = 1
        return x

    names = [f"{name} has {shown(y, most=NAMED)}" for y in top]
    return Columns([*names, f"length of {name}"], table)
