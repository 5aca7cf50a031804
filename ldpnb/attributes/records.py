"""Records of categorical attributes: what clients of whole records share, and the cells of several attributes together.

Cells are numbered row by row: the number is that of the values in mixed radix, the last attribute's running fastest.
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
    """What clients share whose values are records, int (n, d), attribute j in {0, …, κ_j−1}.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j.
    """

    sizes: tuple[int, ...]
    limits: ClassVar[Mapping[str, Limit]] = {"sizes": check_sizes}

    def _example(self) -> Example:
        return Example(self, every_record(self.sizes)[:8], pairs=self.report_bits + self.public_bits < 6)

    def _values(self, values: ArrayLike) -> Ints:
        return check_columns(values, self.sizes)


def check_below(reports: Reports, name: str, most: Ints, what: str) -> Reports:
    """Return reports if a field is below what another one of the same report allows: the number of such things."""
    if (wrong := reports[name][reports[name] >= most]).size:
        raise ValueError(f"{name} must be below the number of {what}, got {wrong[0]}")
    return reports


def every_record(sizes: tuple[int, ...]) -> Ints:
    """Return all records of attributes with so many values, one person each; the first two differ in all of them."""
    found = np.indices(sizes).reshape(len(sizes), -1).T
    return np.concatenate([found[-1:], found[:-1]])


def split(flat: NDArray[Any], widths: Iterable[int]) -> list[NDArray[Any]]:
    """Cut the last axis into parts of so many entries, such as those of each attribute."""
    return np.split(flat, np.cumsum(list(widths))[:-1], -1)


def one_hot(columns: Iterable[Ints], sizes: Iterable[int]) -> Floats:
    """Return one for the person's value in each column and zero for the others, column after column: (n, Σκ_j)."""
    bits = [np.equal.outer(column, np.arange(size)) for column, size in zip(columns, sizes, strict=True)]
    return np.concatenate(bits, -1).astype(np.float64)


def cell_of(columns: Ints, sizes: Iterable[Any]) -> Ints:
    """Return the number of each person's cell, (n,), from their values (m, n); of no attributes there is one cell."""
    found = np.zeros(columns.shape[1], np.int64)
    for column, size in zip(columns, sizes, strict=True):
        found = found * size + column
    return found


def counted(columns: NDArray[np.integer], sizes: Sequence[int], sets: Iterable[tuple[int, ...]]) -> list[Ints]:
    """Count the people in each cell of each set of attributes, flat, from values (d, n).

    What a set shares with the one before, its first attributes, is done once: sorted sets are counted fastest.
    """

    @lru_cache(PREFIXES)
    def cell(chosen: tuple[int, ...]) -> Ints:
        *first, last = chosen
        column = np.asarray(columns[last], np.int64)
        return cell(tuple(first)) * sizes[last] + column if first else column

    return [np.bincount(cell(one), minlength=prod(sizes[j] for j in one)) for one in sets]


def drawn(laws: Floats, row: Ints, u: Floats) -> Ints:
    """Draw a value for each person from their row of laws, (rows, values), by inversion of numbers in [0, 1)."""
    ends = laws.cumsum(1)
    ends /= ends[:, -1:]  # so that every number in [0, 1) is below the last one
    return sum((ends[row, value] <= u for value in range(laws.shape[1] - 1)), np.zeros(len(row), np.int64))
