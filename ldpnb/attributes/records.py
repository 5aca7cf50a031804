"""Records of categorical attributes: their values, and the cells of several attributes together.

A set of attributes is an increasing tuple of their numbers.  Its cells are numbered row by row: a
cell's number is that of the values in mixed radix, with the last attribute's running fastest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.checks import Limit, check_columns, check_sizes
from ldpnb.core import Example, Floats, Ints, Mechanism, Reports

Set = tuple[int, ...]  # attributes, in increasing order
Sets = Sequence[Set]

PREFIXES = 8  # sets of first attributes whose cells are kept while sets are counted


@dataclass(frozen=True, kw_only=True)
class RecordMechanism(Mechanism):
    """Base of mechanisms whose values are records, int (n, d), attribute j in {0, …, κ_j−1}.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j.
    """

    sizes: tuple[int, ...]
    limits: ClassVar[Mapping[str, Limit]] = {"sizes": check_sizes}

    def _values(self, values: ArrayLike) -> Ints:
        return check_columns(values, self.sizes)

    def _example(self) -> Example:
        pairs = self.report_bits + self.public_bits < 6
        return Example(self, every_record(self.sizes)[:8], pairs=pairs)


def check_below(reports: Reports, name: str, most: Ints, what: str) -> Reports:
    """Return reports if one of their fields is below what another field allows.

    Parameters
    ----------
    reports : ndarray (n,)
    name : str
        The field that is checked.
    most : ndarray of int64 (n,)
        The number of such things, in each report.
    what : str
        What they are called.
    """
    wrong = reports[name][reports[name] >= most]
    if wrong.size:
        raise ValueError(f"{name} must be below the number of {what}, got {wrong[0]}")
    return reports


def every_record(sizes: tuple[int, ...]) -> Ints:
    """Return all records of attributes with so many values; the first two differ in all of them."""
    found = np.indices(sizes).reshape(len(sizes), -1).T
    return np.concatenate([found[-1:], found[:-1]])


def split(flat: NDArray[Any], widths: Iterable[int]) -> list[NDArray[Any]]:
    """Cut the last axis into parts of so many entries, such as those of each attribute."""
    ends = np.cumsum(list(widths))
    return np.split(flat, ends[:-1], -1)


def one_hot(columns: Iterable[Ints], sizes: Iterable[int]) -> Floats:
    """One for the person's value in each column, zero for the others: (n, Σκ_j)."""
    bits = []
    for column, size in zip(columns, sizes, strict=True):
        bits.append(np.equal.outer(column, np.arange(size)))
    return np.concatenate(bits, -1).astype(np.float64)


def cell_of(columns: Ints, sizes: Iterable[int | Ints]) -> Ints:
    """Return the number of each person's cell, (n,); of no attributes there is one cell.

    Parameters
    ----------
    columns : ndarray of int64 (m, n)
        Values of each attribute.
    sizes : iterable of int, or of ndarray (n,)
        Number of values of each attribute; for each person, where their attributes differ.
    """
    found = np.zeros(columns.shape[1], np.int64)
    for column, size in zip(columns, sizes, strict=True):
        found = found * size + column
    return found


def counted(
    columns: NDArray[np.integer],
    sizes: Sequence[int],
    sets: Iterable[Set],
) -> list[Ints]:
    """Count the people in each cell of each set of attributes, flat, from values (d, n).

    What a set shares with the one before, its first attributes, is done once: sorted sets are
    counted fastest.
    """

    @lru_cache(PREFIXES)
    def cell(chosen: Set) -> Ints:
        *first, last = chosen
        column = np.asarray(columns[last], np.int64)
        if not first:
            return column
        return cell(tuple(first)) * sizes[last] + column

    counts = []
    for chosen in sets:
        cells = prod(sizes[j] for j in chosen)
        counts.append(np.bincount(cell(chosen), minlength=cells))
    return counts


def drawn(laws: Floats, row: Ints, u: Floats) -> Ints:
    """Draw a value for each person by inversion.

    Parameters
    ----------
    laws : ndarray (rows, values)
    row : ndarray of int64 (n,)
        Which law is each person's.
    u : ndarray (n,)
        Numbers in [0, 1).
    """
    ends = laws.cumsum(1)
    ends /= ends[:, -1:]  # so that every number in [0, 1) is below the last one
    found = np.zeros(len(row), np.int64)
    for value in range(laws.shape[1] - 1):
        found += ends[row, value] <= u
    return found
