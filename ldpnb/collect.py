"""Reports on disk: Parquet partitions that can be counted today, and again tomorrow, for keys nobody thought of today.

A partition holds reports of one mechanism, as they were sent, public parts included.  The mechanism and the layout of a
report stand in the file itself, so that what is counted is what was collected.  Counting is a sum of tallies, a row
group at a time: memory does not grow with the number of reports.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ldpnb.core import Mechanism, Reports, Tally

ROWS = 2**18  # reports in a row group, which is what is in memory at a time
PLAIN = "report"  # name of the column where a report has no fields
ENTRY = b"ldpnb"  # of the file's metadata


def save(reports: Reports, path: str | os.PathLike[str], mechanism: Mechanism) -> None:
    """Write reports as one partition.

    The file appears under its name when it is whole, so nobody ever counts half of it.

    Parameters
    ----------
    reports : ndarray (n, …)
        As the mechanism's `perturb` returns them.
    path : path
        Of a file that does not exist.
    mechanism : Mechanism
        Whose reports they are; that they can be is checked when they are counted.

    Raises
    ------
    ValueError
        If there is such a file.
    """
    path, found = Path(path), np.asarray(reports)
    if path.exists():
        raise ValueError(f"path must be new, got {path}, which exists")
    parts = found.dtype.names or (PLAIN,)
    columns = {name: _column(found if found.dtype.names is None else found[name]) for name in parts}
    head = {"mechanism": repr(mechanism), "dtype": np.lib.format.dtype_to_descr(found.dtype), "shape": found.shape[1:]}
    partial = path.with_name(path.name + ".partial")
    table = pa.table(columns).replace_schema_metadata({ENTRY: json.dumps(head).encode()})
    pq.write_table(table, partial, row_group_size=ROWS)
    partial.rename(path)


def read(path: str | os.PathLike[str], mechanism: Mechanism) -> Iterator[Reports]:
    """Read a partition, a row group at a time.

    Raises
    ------
    ValueError
        If the file is no partition, is damaged, or holds reports of another mechanism.
    """
    try:
        with pq.ParquetFile(path) as file:
            head = json.loads((file.schema_arrow.metadata or {})[ENTRY])
            if head["mechanism"] != repr(mechanism):
                raise ValueError(f"path must hold reports of {mechanism}, got {head['mechanism']} in {path}")
            dtype = np.dtype(_layout(head["dtype"]))
            for group in range(file.num_row_groups):
                yield _reports(file.read_row_group(group), dtype, tuple(head["shape"]))
    except (pa.ArrowException, KeyError, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"path must be a whole partition of reports, got {path}: {error}") from error


def tally(mechanism: Mechanism, paths: Iterable[str | os.PathLike[str]], items: Any = None) -> Tally:
    """Count the reports of several partitions.

    Parameters
    ----------
    mechanism : Mechanism
    paths : iterable of path
        At least one.
    items : sequence, optional
        The candidates to count, for mechanisms whose client does not know the domain.
    """
    if isinstance(paths, str | os.PathLike):
        raise ValueError(f"paths must be a list of paths, got {paths!r}")
    whole: Tally | None = None
    for path in paths:
        for reports in read(path, mechanism):
            part = mechanism.tally(reports, items)
            whole = part if whole is None else whole + part
    if whole is None:
        raise ValueError("paths must hold at least one report, got none")
    return whole


def _column(values: NDArray[Any]) -> Any:
    """One column: numbers, or lists of as many numbers each as a report has."""
    if values.ndim == 1:
        return pa.array(values)
    flat = np.ascontiguousarray(values).reshape(-1)
    return pa.FixedSizeListArray.from_arrays(pa.array(flat), int(np.prod(values.shape[1:])))


def _reports(table: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Reports:
    reports = np.empty((len(table), *shape), dtype)
    parts = dtype.names or (PLAIN,)
    wanted = {name: _column(reports[:0] if dtype.names is None else reports[name][:0]).type for name in parts}
    if {name: table[name].type for name in table.column_names} != wanted or len(table.column_names) != len(parts):
        raise pa.ArrowInvalid(f"the columns must be {wanted}, got {table.schema.to_string(show_schema_metadata=False)}")
    for name in parts:
        column = table[name].combine_chunks()
        values = column.flatten() if pa.types.is_fixed_size_list(column.type) else column
        if column.null_count or values.null_count:  # which numpy would take for numbers
            raise pa.ArrowInvalid(f"column {name} must have no nulls, got some")
        if pa.types.is_fixed_size_list(column.type):
            column = column.flatten()
        into = reports if dtype.names is None else reports[name]
        into[...] = column.to_numpy(zero_copy_only=False).reshape(into.shape)
    return reports


def _layout(descr: Any) -> Any:
    """Give numpy back the tuples that have become lists in the file."""
    if isinstance(descr, str):
        return descr
    return [(name, kind, *(tuple(s) for s in shape)) for name, kind, *shape in descr]
