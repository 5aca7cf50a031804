"""Yes-or-no features of reports of any kind, for classifiers that know nothing about the client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpnb.core import Bools, blocks

FEW = 32  # different values of a column that get a feature each; a column with more gets steps
MEMBERS = 256  # most frequent members of sets that get a feature each
CELLS = 1 << 22  # entries of a table in memory at a time
LONG = 2048  # bits of an integer, bytes, characters or entries that are looked at one by one
KINDS = {"string": str, "bytes": bytes, "tuple": tuple, "set": frozenset}

Pool = Any  # many reports: an array of numbers with one row a report, or a list of frozen reports
Encoder = Callable[[Pool], NDArray[Any]]


def features_of(train: Pool) -> tuple[list[str], Callable[[Pool], Bools]]:
    """Turn reports into yes-or-no features, (n, features), and name these; what is a feature is settled by `train`.

    A column of few values gets a feature for each; a column of many is cut at quantiles, the extreme ones included.
    """
    columns, table = _columns(train)
    filled = table(train)
    wanted: list[tuple[str, int, float, bool]] = []
    for j, name in enumerate(columns):
        seen = np.unique(filled[:, j])
        seen = seen[~np.isnan(seen)]
        if seen.tolist() == [0, 1]:
            wanted.append((name, j, 1, False))
        elif len(seen) <= FEW:  # of two values the second is enough, and one says nothing
            wanted += [(f"{name} = {v:g}", j, v, False) for v in seen[len(seen) <= 2 :]]
        else:
            levels = [0.001, 0.01, *np.arange(1, 16) / 16, 0.99, 0.999]
            edges = np.unique(np.quantile(filled[:, j][np.isfinite(filled[:, j])], levels))
            wanted += [(f"{name} >= {v:.4g}", j, v, True) for v in edges]
    names = [name for name, *_ in wanted]
    at = np.array([j for _, j, _, _ in wanted], np.int64)
    values, steps = np.array([v for *_, v, _ in wanted]), np.array([step for *_, step in wanted], np.bool_)

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
    if train.dtype.kind in "iu" and train.ndim < 3 and train.min() >= 0 and len(np.unique(train)) > FEW:
        if train.ndim == 1:
            return _bits(train.tolist(), "report")  # a mask of bits
        return _positions([*map(tuple, train.tolist())], "report")  # items in any order
    names = []
    for field in train.dtype.names or (None,):
        shape = (train if field is None else train[field]).shape[1:]
        kind = "bit" if train.dtype == np.bool_ else "entry"
        for index in np.ndindex(shape):
            place = ", ".join(map(str, index))
            names.append(f"{kind} {place}" if field is None else f"{field}[{place}]")
        if shape == ():
            names[-1] = field or "report"
    return names, _flat


def _flat(pool: NDArray[Any]) -> NDArray[Any]:
    if pool.dtype.names is None:
        return pool.reshape(len(pool), -1)
    return np.concatenate([pool[name].reshape(len(pool), -1).astype(np.float64) for name in pool.dtype.names], 1)


def _parts(train: list[Hashable], name: str) -> tuple[list[str], Encoder]:
    """Columns of frozen reports: positions of tuples, members of sets, characters of strings, categories, numbers."""
    different = set(train)
    if len(different) == 1:  # which may be an empty tuple, without any columns
        return [], lambda pool: np.empty((len(pool), 0))
    kinds = {_kind(y) for y in different}
    if kinds == {"number"} and len(different) > FEW and all(isinstance(y, int) and y >= 0 for y in different):
        return _bits(train, name)
    if kinds == {"bytes"}:
        return _bits(train, f"length of {name}")
    if kinds == {"number"}:
        return [name], lambda pool: np.array([[_float(y)] for y in pool])
    if len(kinds) > 1 and len(different) > FEW:
        return _kinds(train, name)
    lengths = {len(y) if isinstance(y, tuple | str) else -1 for y in different}
    word = isinstance(train[0], str) and (1 in lengths or len(different) <= FEW)
    if len(lengths) == 1 and -1 not in lengths and not word:
        return _positions(train, name)
    if len(different) > FEW and kinds != {"other"}:
        return _members(train, name)
    top = [y for y, _ in Counter(train).most_common(FEW)]
    return [f"{name} = {y!r}" for y in top], lambda pool: np.array([[y == z for z in top] for y in pool])


def is_opaque(report: Any) -> bool:
    """Whether no features are made of such a report but which one it is."""
    return not isinstance(report, np.ndarray | np.generic) and _kind(report) == "other"


def _float(y: Any) -> float:
    return float(max(min(y, 2**1000), -(2**1000)) if isinstance(y, int) else y) if _kind(y) == "number" else np.nan


def _bits(train: Any, name: str) -> tuple[list[str], Encoder]:
    """Columns of integers that are not negative, or of bytes: size or length, and bits from the lowest or first on."""
    width = -(-min(LONG, max(8 * len(y) if isinstance(y, bytes) else y.bit_length() for y in train)) // 8)

    def table(pool: Any) -> NDArray[Any]:
        x = np.zeros((len(pool), 1 + 8 * width))
        for row, y in zip(x, pool.tolist() if isinstance(pool, np.ndarray) else pool, strict=True):
            if isinstance(y, bytes):
                row[0], some = len(y), y[:width].ljust(width, b"\0")
            elif isinstance(y, int) and y >= 0:
                row[0], some = _float(y), (y % 256**width).to_bytes(width, "little")
            else:
                continue
            row[1:] = np.unpackbits(np.frombuffer(some, np.uint8), bitorder="little")
        return x

    return [name, *(f"bit {i} of {name}" for i in range(8 * width))], table


def _kind(y: Any) -> str:
    if isinstance(y, int | float) or y == "-0.0":  # as `chance.freeze` writes it
        return "number"
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

    return [*(f"{name} has {y!r}" for y in top), f"length of {name}"], table
