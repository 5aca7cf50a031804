"""Reports on disk, and their tally: as many as there are, on one process or on a cluster.

A *partition* is a Parquet file with reports of one mechanism, as they were sent, public parts
included, so that they can be counted today, and again tomorrow, for keys that nobody thought of
today.  Counting is a tally a partition, made a row group at a time, and a sum.  Tallies are
integers, so the sum does not depend on its order or on where it is made, and memory does not grow
with the number of reports.

.. code-block:: text

    partition ── tally ──┐
    partition ── tally ──┼── sum ──┐
    partition ── tally ──┘         ├── sum ── Collected
    partition ── tally ───── sum ──┘

A file's metadata say what it holds: the version of this layout, the mechanism (`identity`), a
label, the wave if there is one (version 2), dtype and shape of a report, the number of reports, and
a random number of the partition's own, by which a copy is known. Each page has a checksum, and so
have the metadata and each column. They find damage, not forgery.

Partitions lie on file systems that are mounted under the same names wherever they are counted.

Integers are stored as packed differences, bits as bits, anything else as its bytes, by zstd, and,
unless they are many, each with its likes.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ldpnb._door import needs
from ldpnb.checks import (
    check_array,
    check_bits,
    check_count,
    check_flag,
    check_own_wave,
    check_text,
    shown,
)
from ldpnb.collecting._disk import brief, lock, placing
from ldpnb.collecting._given import SurveyQuestion, mechanism_of
from ldpnb.collecting.files import identity
from ldpnb.core import Items, Mechanism, OpenMechanism, Reports, Tally, named

if TYPE_CHECKING:
    from distributed import Client

LAYOUT = 1  # version of partitions without a wave, which are written as by 1.0.0
WITH_WAVE = 2  # version of partitions that name their wave; any other version is refused
HEAD = b"ldpnb"  # of the file's metadata: what it holds
CHECKSUMS = b"ldpnb.crc32"  # of that, and of each column
PLAIN = "report"  # name of the column where a report has no fields
GROUP = 2**24  # bytes of reports in a row group, which is what is in memory at a time
WIDE = 64  # bytes in a column; to sort longer ones by their places takes longer than it saves
FAN_IN = 8  # tallies that are added at a time
# Errors that tell of a file: its reader's, which have no number, and those of its name.
OWN = (None, errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
LOST = 30.0  # seconds that a cluster may be without the workers it had, until they are replaced
AWAITED = 300.0  # and that one may take to get its first
ONE_LAYOUT = "an array, or at least one block (n, …)"  # what reports must be
LISTED = "a folder or a list of paths"  # what paths must be

StrPath = str | bytes | os.PathLike[str]

# Of pyarrow and dask, which have no types.
Arrow = Any
Cluster = Any
Future = Any


@cache
def _pyarrow(what: str = "ldpnb.collect") -> Arrow:
    """Return pyarrow, which is imported on use, so that help and star imports work without it."""
    needs(what, "scale", "pyarrow")
    import pyarrow.parquet  # type: ignore[import-untyped]

    return pyarrow


class PartitionError(ValueError):
    """A partition is missing, damaged, or of another mechanism or label; the text names it."""


class ClusterError(RuntimeError):
    """The cluster is gone, has no workers any more, or loses every worker at one partition."""


# ------------------------------------------------------------------------------------ one partition


def save(
    reports: Reports | Iterable[Reports],
    path: StrPath,
    mechanism: Mechanism | SurveyQuestion,
    *,
    label: str = "",
    wave: str | None = None,
) -> None:
    """Write reports as one partition.

    The file appears under its name when all of it is on the disk, so that nobody ever counts half
    of it.  Until then it has a name that ends in ``.partial`` and is locked; what a writer leaves
    behind that is killed is not locked, and nobody minds it.  Of several writers of one path the
    first to finish has it.

    Parameters
    ----------
    reports : ndarray (n, …), or an iterable of such blocks
        As the mechanism's `perturb` returns them; n may be 0.  Blocks are written one after the
        other, each as row groups of its own, so that a partition may be larger than memory.
    path : path
        Of a file that does not exist, on a file system with hard links.  Many mounts of object
        storage have none: write to a disk, and copy whole files there.
    mechanism : Mechanism, or question of a survey
        Whose reports they are.  Their layout and their bits are checked now, and the first of them;
        the others when they are counted.
    label : str
        What they are reports of, where the mechanism does not tell: the question, the place.
        `read` and `collect` compare it like the mechanism.  Of a question it is its identity, if
        nothing is said; `Survey.identity_of` has the question's name in it, too.
    wave : str, optional
        When they were asked for, as "2026-W48"; compared like the label.

    Raises
    ------
    ValueError
        If there is such a file, or its name is not UTF-8, if there is no block, or if a block has
        not the layout of the mechanism's reports.
    OSError
        If the file system fails, or the folder may not be read.  The file may be there all the
        same: look, before the reports are written again, and write them under the same path, where
        they cannot be twice.
    """
    _pyarrow("ldpnb.save")
    mechanism, label = mechanism_of(mechanism, label)
    path = Path(_mounted(path, "path"))
    wave = check_own_wave(wave)
    _utf8(str(path))
    # another error, as of a name that is too long, comes before any report is taken
    with suppress(FileNotFoundError):
        path.lstat()
        raise ValueError(f"path must be new, got {path}, which exists")
    first, blocks = _first_block(reports)
    schema = _schema(first.dtype, first.shape[1:])
    mechanism.tally(first[:0], *_any_items(mechanism))  # refuses another layout
    temporary = path.with_name(f"{secrets.token_hex(8)}.partial")  # not longer than a name may be
    with placing(temporary):
        with open(temporary, "xb") as file:
            _lock(file, shared=False)
            _write(file, schema, first, blocks, mechanism, label, wave)
            file.flush()
            os.fsync(file.fileno())
        try:
            # a rename would overwrite what another writer has finished meanwhile
            os.link(temporary, path)
        except FileExistsError as error:
            # it is this one if a network lost the answer
            if not os.path.samestat(os.lstat(temporary), os.lstat(path)):
                raise ValueError(f"path must be new, got {path}, which exists") from error


def _first_block(reports: Reports | Iterable[Reports]) -> tuple[Reports, Iterator[Reports]]:
    """Return the first block of reports, and the others as they come."""
    given = [reports] if isinstance(reports, np.ndarray) else reports
    if not isinstance(given, Iterable):
        raise ValueError(f"reports must be {ONE_LAYOUT}, got {shown(given)}")
    blocks = (check_array(block, "reports") for block in given)
    first = next(blocks, None)
    if first is None:
        raise ValueError(f"reports must be {ONE_LAYOUT}, got {shown(given)}")
    if first.ndim == 0:
        cure = "write np.asarray(reports)"
        raise ValueError(f"reports must be {ONE_LAYOUT}, got {shown(given)}: {cure}")
    return first, blocks


def _any_items(mechanism: Mechanism) -> tuple[Items, ...]:
    """Return candidates with which reports can be judged, for mechanisms that ask for some."""
    return named([0] if isinstance(mechanism, OpenMechanism) else None)


def _write(
    file: BinaryIO,
    schema: Arrow,
    first: Reports,
    others: Iterable[Reports],
    mechanism: Mechanism,
    label: str,
    wave: str | None,
) -> None:
    """Write blocks of reports into an open file, each as row groups of its own."""
    pa = _pyarrow()
    dtype = first.dtype
    shape = first.shape[1:]
    rows = max(1, GROUP // (dtype.itemsize * int(np.prod(shape))))
    with pa.parquet.ParquetWriter(file, schema, **_encodings(schema)) as writer:
        n = 0
        crcs = [0] * len(schema)
        for block in chain([first], others):
            if (block.dtype, block.shape[1:]) != (dtype, shape):
                one = f"{dtype} of shape (n, *{shape})"
                other = f"{block.dtype} of shape {block.shape}"
                raise ValueError(f"reports must be blocks of one layout, got {one}, then {other}")
            if n == 0:  # refuses another kind of values, which only rows show
                mechanism.tally(block[:1], *_any_items(mechanism))
            for start in range(0, len(block), rows):
                columns = _columns(block[start : start + rows])
                crcs = _checksums(columns, crcs)
                stored = [_to_arrow(column) for column in columns]
                table = pa.Table.from_arrays(stored, schema=schema)
                writer.write_table(
                    table, row_group_size=rows
                )  # the writer has a default of its own
            n += len(block)
        head = _said(mechanism, label, wave, dtype, shape, n)
        checksums = _written_crcs([zlib.crc32(head), *crcs])
        writer.add_key_value_metadata({HEAD: head, CHECKSUMS: checksums})


def _said(
    mechanism: Mechanism,
    label: str,
    wave: str | None,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    n: int,
) -> bytes:
    """Return what a partition says of itself."""
    said: dict[str, Any] = {
        "layout": LAYOUT if wave is None else WITH_WAVE,
        "mechanism": identity(mechanism),
        "label": label,
        "dtype": np.lib.format.dtype_to_descr(dtype),
        "shape": shape,
        "reports": n,
        "partition": secrets.token_hex(8),
    }
    if wave is not None:
        said["wave"] = wave
    return json.dumps(said).encode()


def read(
    path: StrPath,
    mechanism: Mechanism | SurveyQuestion,
    *,
    label: str = "",
    wave: str | None = None,
) -> Iterator[Reports]:
    """Read a partition, a row group at a time.

    Whether the file is whole is known at its end: what came before an error is not to be used.

    Parameters
    ----------
    path : path
    mechanism : Mechanism, or question of a survey
        Whose reports they must be.
    label : str
        With which they must have been written; of a question, its identity if nothing is said.
    wave : str, optional
        With which they must have been written; without one, they must have none, as those of 1.0.0.

    Yields
    ------
    ndarray (rows, …)
        None at all if there are no reports.

    Raises
    ------
    PartitionError
        If the file is missing or damaged, or holds reports of another mechanism, or with another
        label or wave.
    MemoryError, OSError
        If memory, rights or the file system fail, which says nothing of the file.
    """
    _pyarrow("ldpnb.collecting.read")
    mechanism, label = mechanism_of(mechanism, label)
    name = identity(mechanism)
    path = _mounted(path, "path")
    wave = check_own_wave(wave)
    with _fault(path, name), _Partition(path, name, label, wave) as partition:
        yield from partition.blocks()


def _utf8(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError:
        got = shown(path, most=500)
        raise ValueError(f"path must be UTF-8, which Parquet wants, got {got}") from None


def _mounted(path: StrPath, argument: str) -> str:
    """Return a path as text, and refuse what cannot be one of a mounted file system."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise ValueError(f"{argument} must be a path, got {shown(path, most=500)}")
    text = os.fsdecode(path)
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        got = shown(text, ascii)
        raise ValueError(f"{argument} must be a name that a file can have, got {got}") from None
    got = shown(text, most=500)
    if "\0" in text:
        rule = "without the character NUL, which no file's name has"
        raise ValueError(f"{argument} must be {rule}, got {got}")
    if "://" in text:
        rule = "of a mounted file system, not an address"
        raise ValueError(f"{argument} must be {rule}, got {got}")
    return text


@contextmanager
def _fault(path: str, name: str) -> Iterator[None]:
    """Say of which partition an error is, and leave alone those that say nothing of it."""
    try:
        yield
    except Exception as error:  # what a damaged file makes a reader do cannot be listed
        of_machine = isinstance(error, OSError) and error.errno not in OWN
        if isinstance(error, MemoryError) or of_machine:
            error.add_note(f"while reading {path}")
            raise  # it is the machine that has failed, and may fail for files that are whole
        why = str(error)
        if isinstance(error, OSError) and error.strerror:
            why = error.strerror  # without the path, which is named here
        rule = f"a whole partition of reports of {name}"
        raise PartitionError(f"path must be {rule}, got {brief(path)}: {why}") from error


class _Partition:
    """An open file that says that it holds reports of this mechanism, with this label and wave."""

    def __init__(self, path: str, name: str, label: str, wave: str | None) -> None:
        _utf8(path)
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is no file")  # and might never answer
        self.size = found.st_size
        self.file = _pyarrow().parquet.ParquetFile(path, page_checksum_verification=True)
        try:
            said = self._read_head()
            _judge(said, name, label, wave)
            self.n = check_count(said["reports"], 0, "reports")
            self.number = check_text(said["partition"], "partition")
            self.dtype = np.dtype(_tuples(said["dtype"]))
            self.shape: tuple[int, ...] = tuple(said["shape"])
            if self.file.schema_arrow != _schema(self.dtype, self.shape):
                raise ValueError("its columns are not those of its layout")
        except BaseException:
            self.file.close()
            raise

    def _read_head(self) -> Any:
        """Return what the partition says of itself, which fits its checksum."""
        stored = self.file.metadata.metadata or {}
        if not {HEAD, CHECKSUMS} <= stored.keys():
            raise ValueError("it does not say what it holds")
        crc, _, self.crcs = stored[CHECKSUMS].decode().partition(" ")
        if f"{zlib.crc32(stored[HEAD]):08x}" != crc:
            raise ValueError("what it says of itself does not fit its checksum")
        return json.loads(stored[HEAD])

    def __enter__(self) -> _Partition:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def empty(self, n: int = 0) -> Reports:
        """Return room for n reports."""
        return np.empty((n, *self.shape), self.dtype)

    def blocks(self) -> Iterator[Reports]:
        """Yield reports, a row group at a time; fail at the end if others were written."""
        n = 0
        crcs = [0] * len(self.file.schema_arrow)
        for group in range(self.file.num_row_groups):
            rows = self.file.metadata.row_group(group).num_rows
            if rows > max(1, GROUP // self.empty(1).nbytes):
                raise ValueError(f"it has {rows} reports in one row group, more than are written")
            table = self.file.read_row_group(group, use_threads=False)
            columns = [_to_numpy(column) for column in table.columns]
            n += len(table)
            crcs = _checksums(columns, crcs)
            reports = self.empty(len(table))
            for name, column in zip(_names_of(self.dtype), columns, strict=True):
                _fill(_part(reports, name), column)
            yield reports
        if (n, _written_crcs(crcs)) != (self.n, self.crcs):
            raise ValueError("its reports do not fit their checksum")


def _judge(said: Any, name: str, label: str, wave: str | None) -> None:
    """Refuse what a partition says of itself if it is not what was asked for."""
    layout = check_count(said["layout"], 0, "layout")
    if layout not in (LAYOUT, WITH_WAVE):
        rule = f"{LAYOUT} and {WITH_WAVE} are read here"
        raise ValueError(f"it has version {layout} of the layout, and {rule}")
    own = said.get("wave")
    if own is None and layout == WITH_WAVE:
        raise ValueError(f"it has version {layout} of the layout, and no wave")
    if own is not None and layout == LAYOUT:
        raise ValueError(f"it has version {layout} of the layout, and a wave")
    if said["mechanism"] != name:
        raise ValueError(f"it holds those of {shown(said['mechanism'], str, 100)}")
    found = said.get("label", "")  # the first files had none
    if found != label:
        asked = f"not {shown(label, most=100)}"
        raise ValueError(f"it holds those labelled {shown(found, most=100)}, {asked}")
    if own == wave:
        return
    if own is None:
        raise ValueError(f"it holds those of no wave, not of {shown(wave)}: leave wave out")
    cure = f"ask for it, wave={shown(own)}"
    raise ValueError(f"it holds those of the wave {shown(own)}, not of {shown(wave)}: {cure}")


def _names_of(dtype: np.dtype[Any]) -> tuple[str, ...]:
    """Return the names of columns."""
    return dtype.names or (PLAIN,)


def _part(reports: Reports, name: str) -> NDArray[Any]:
    """Return what a column is about: a field, or reports without fields."""
    if reports.dtype.names is None:
        return reports
    return reports[name]


def _schema(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Arrow:
    """Columns: numbers or bits, or as many bytes as a report has of them."""
    pa = _pyarrow()
    columns = []
    for name in _names_of(dtype):
        part = dtype if dtype.names is None else dtype[name]
        columns.append(pa.field(name, _column_type(part, shape), nullable=False))
    return pa.schema(columns)


def _column_type(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Arrow:
    """Return the type of a column with these entries, in so many axes."""
    pa = _pyarrow()
    base = dtype.base
    axes = shape + dtype.shape
    if base.kind not in "biuf":
        raise ValueError(f"reports must be numbers or bits, got {base}")
    if not axes:
        return pa.from_numpy_dtype(base.newbyteorder("="))
    size = int(np.prod(axes))
    if base.kind == "b":
        return pa.binary(-(-size // 8))
    return pa.binary(size * base.itemsize)


def _encodings(schema: Arrow) -> dict[str, Any]:
    """Return how a writer stores columns."""
    types = _pyarrow().types
    encodings = {}
    compressions = {}
    for column in schema:
        kind = column.type
        compressions[column.name] = "ZSTD"
        if types.is_integer(kind):
            encodings[column.name] = "DELTA_BINARY_PACKED"
            compressions[column.name] = "NONE"
        elif types.is_boolean(kind) or _is_wide(kind):
            encodings[column.name] = "PLAIN"
        else:
            encodings[column.name] = "BYTE_STREAM_SPLIT"
    return {
        "column_encoding": encodings,
        "compression": compressions,
        "use_dictionary": False,
        "write_statistics": False,
        "write_page_checksum": True,
        "store_schema": False,
    }


def _is_wide(kind: Arrow) -> bool:
    """Whether a column is one of many bytes a row."""
    return bool(_pyarrow().types.is_fixed_size_binary(kind)) and kind.byte_width > WIDE


def _columns(reports: Reports) -> list[NDArray[Any]]:
    """Return what is stored: (n,), or bytes (n, …)."""
    columns = []
    for name in _names_of(reports.dtype):
        values = _part(reports, name)
        if values.dtype == np.bool_:
            check_bits(values, name)
        if values.ndim > 1:
            values = _as_bytes(values)
        columns.append(np.ascontiguousarray(values, values.dtype.newbyteorder("=")))
    return columns


def _as_bytes(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the bytes of each row, with eight bits in one: (n, …)."""
    flat = np.ascontiguousarray(values).reshape(len(values), -1)
    if flat.dtype == np.bool_:
        return np.packbits(flat, axis=1)
    return flat.view(np.uint8)


def _fill(into: NDArray[Any], column: NDArray[Any]) -> None:
    """Put a column back where `_columns` took it from."""
    if into.ndim > 1 and into.dtype == np.bool_:
        column = np.unpackbits(column, axis=1, count=int(np.prod(into.shape[1:])))
    elif into.ndim > 1:
        column = column.view(into.dtype)
    into[...] = column.reshape(into.shape)


def _checksums(columns: list[NDArray[Any]], crcs: list[int]) -> list[int]:
    """Go on with a checksum for each column; so it does not matter how rows are grouped."""
    found = []
    for column, crc in zip(columns, crcs, strict=True):
        found.append(zlib.crc32(column, crc))  # type: ignore[arg-type]
    return found


def _written_crcs(crcs: Iterable[int]) -> str:
    return " ".join(f"{crc:08x}" for crc in crcs)


def _to_arrow(column: NDArray[Any]) -> Arrow:
    pa = _pyarrow()
    if column.ndim == 1:
        return pa.array(column)
    kind = pa.binary(column.shape[1])
    buffers = [None, pa.py_buffer(column)]
    return pa.FixedSizeBinaryArray.from_buffers(kind, len(column), buffers)


def _to_numpy(column: Arrow) -> NDArray[Any]:
    array = column.combine_chunks()
    if not _pyarrow().types.is_fixed_size_binary(array.type):
        return np.ascontiguousarray(array.to_numpy(zero_copy_only=False))
    width = array.type.byte_width
    flat = np.frombuffer(array.buffers()[1], np.uint8, len(array) * width, array.offset * width)
    return flat.reshape(-1, width)


def _tuples(descr: Any) -> Any:
    """Give numpy back the tuples that have become lists in the file."""
    if isinstance(descr, str):
        return descr
    fields = []
    for name, kind, *shape in descr:
        axes = [tuple(lengths) for lengths in shape]
        fields.append((name, kind, *axes))
    return fields


# ---------------------------------------------------------------------------------- many partitions


@dataclass(frozen=True, eq=False)
class Collected:
    """What was counted, and what was not.

    Attributes
    ----------
    tally : Tally or None
        Of all partitions that were counted; None if all were skipped.
    partitions : mapping of str to str
        Path of each partition that was counted, by its random number.
    bytes : int
        Their size on disk.
    skipped : mapping of str to str
        Why a partition was not counted, by its path.
    """

    tally: Tally | None
    partitions: Mapping[str, str]
    bytes: int
    skipped: Mapping[str, str] = field(default_factory=dict)

    @property
    def reports(self) -> int:
        """Number of reports that were counted."""
        if self.tally is None:
            return 0
        return self.tally.n


def collect(
    mechanism: Mechanism | SurveyQuestion,
    paths: StrPath | Iterable[StrPath],
    items: Any = None,
    *,
    label: str = "",
    wave: str | None = None,
    scheduler: Client | str | None = None,
    skip: bool = False,
    progress: bool = False,
) -> Collected:
    """Count the reports of partitions: the same integers on one process and on a cluster.

    Parameters
    ----------
    mechanism : Mechanism, or question of a survey
    paths : path or iterable of path
        The partitions, or a folder that holds them, as ``*.parquet``, and nothing else, not even
        what somebody is writing; what a killed writer left is passed over.  A cluster's workers
        must find them under the same paths.  What never came to the folder cannot be missed there:
        where partitions are known, list them.
    items : sequence, optional
        The candidates to count, for mechanisms whose client does not know the domain; of `Strings`,
        as its `tally` takes them.
    label : str
        With which the partitions must have been written; of a question, its identity if nothing is
        said.
    wave : str, optional
        With which they must have been written, and which the tally gets; without one, they must
        have none, as those of 1.0.0.  Of a question, the tally gets its identity, too, whatever the
        label.
    scheduler : distributed.Client or str, optional
        Where to count: a client of a dask cluster, or the address of its scheduler,
        ``"tcp://host:port"``; by default in this process.  Tallies are added on the workers, a few
        at a time, and only the sum travels.
    skip : bool
        Count what can be counted and say what could not, rather than stop at the first fault of a
        partition.  What is lost is not lost at random: see what is in `Collected.skipped` before an
        estimate is believed.
    progress : bool
        Show a bar of reports counted, and their rate, on standard error.

    Raises
    ------
    ValueError
        Whether or not faults are skipped: if there are no partitions, or one is named twice or is a
        copy of another, or the folder holds something else; or if `items` are refused by the
        mechanism.
    PartitionError
        If a partition is missing, damaged, or not of this mechanism, label or wave, unless `skip`.
        With several it is one of them.
    MemoryError, OSError
        If memory, rights or the file system fail on who counts, whether or not faults are skipped.
    ClusterError
        If the cluster is gone, has been without workers for 30 seconds after it had some (for 300
        before), or loses every worker that counts one partition, whether or not faults are skipped.
        Lost workers alone change nothing.
    ImportError
        If there is a scheduler, or a bar, and the extra ``scale`` is not installed.
    """
    _pyarrow()
    question = None
    if isinstance(mechanism, SurveyQuestion):
        items = mechanism._candidates(items)
        question = mechanism.identity
    mechanism, label = mechanism_of(mechanism, label)
    check_flag(skip, "skip")
    check_flag(progress, "progress")
    names = _names(paths)
    counter = partial(_count, mechanism, question, label, check_own_wave(wave), items, skip)
    with _bar(len(names), progress) as told:
        if scheduler is None:
            return _sum(counter(name, told) for name in names)
        needs("a scheduler", "scale", "dask", "distributed")
        from distributed import Client

        if isinstance(scheduler, Client):
            return _on_cluster(scheduler, counter, names, told)
        if not isinstance(scheduler, str):
            rule = "a dask client, an address or None"
            raise ValueError(f"scheduler must be {rule}, got {shown(scheduler)}")
        with Client(scheduler, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            return _on_cluster(client, counter, names, told)


Told = Callable[[int, int], None]  # of so many reports more, and so many partitions


def _names(paths: StrPath | Iterable[StrPath]) -> list[str]:
    """Absolute paths of partitions, which must differ."""
    if isinstance(paths, str | bytes | os.PathLike):
        names = _names_in(paths)
    elif not isinstance(paths, Iterable):
        raise ValueError(f"paths must be {LISTED}, got {shown(paths)}")
    else:
        names = [os.path.abspath(_mounted(path, "paths")) for path in paths]
        if not names:
            raise ValueError("paths must name at least one partition, got none")
    counted = Counter(map(os.path.realpath, names))
    for path, times in counted.items():
        if times > 1:
            raise ValueError(f"paths must name a partition once, got {path} several times")
    return names


def _names_in(folder: StrPath) -> list[str]:
    """Return the absolute paths of the partitions in a folder."""
    _mounted(folder, "paths")
    text = os.fsdecode(folder)
    got = shown(text, most=500)
    if not os.path.isdir(folder):
        raise ValueError(f"paths must be {LISTED}, got {got}: of one file, a list of it")
    names = []
    for path in sorted(Path(os.path.abspath(text)).iterdir()):
        if _left(path):
            continue
        if path.suffix != ".parquet" or not path.is_file():
            rule = "a folder of *.parquet files and nothing else"
            raise ValueError(f"paths must be {rule}, got {path} in it")
        names.append(str(path))
    if not names:
        raise ValueError(f"paths must be a folder with *.parquet in it, got {got}")
    return names


def _left(path: Path) -> bool:
    """Whether this is what a writer left behind that was killed: a file that nobody has locked."""
    if path.suffix != ".partial" or not path.is_file():
        return False
    with open(path, "rb") as file:
        return _lock(file, shared=True)


def _lock(file: BinaryIO, *, shared: bool) -> bool:
    """Lock an open file, and say whether that could be done.

    Where there are no locks it cannot, and nothing is held to be left behind.
    """
    with suppress(OSError, ImportError):
        lock(file.fileno(), shared=shared)
        return True
    return False


def _count(
    mechanism: Mechanism,
    question: str | None,
    label: str,
    wave: str | None,
    items: Any,
    skip: bool,
    path: str,
    told: Told,
) -> Collected:
    """Count one partition."""
    _pyarrow()  # on a worker, too
    name = identity(mechanism)
    seen = 0
    try:
        with _fault(path, name):
            partition = _Partition(path, name, label, wave)
        with partition:
            with _fault(path, name):
                mechanism.tally(partition.empty(), *_any_items(mechanism))
            # if this fails, it is not the partition's fault
            empty = mechanism.tally(partition.empty(), *named(items))
            counts = empty.counts.copy()
            with _fault(path, name):
                for reports in partition.blocks():
                    # in place: a tally may be large
                    counts += mechanism.tally(reports, *named(items)).counts
                    seen += len(reports)
                    told(len(reports), 0)
    except PartitionError as error:
        if not skip:
            raise
        told(-seen, 1)
        return Collected(None, {}, 0, {path: str(error)})
    told(0, 1)
    whole = replace(empty, n=partition.n, counts=counts, wave=wave, question=question)
    return Collected(whole, {partition.number: path}, partition.size)


def _sum(parts: Iterable[Collected]) -> Collected:
    """Add what was counted in several places; a partition must not have been counted in two."""
    whole: Tally | None = None
    partitions: dict[str, str] = {}
    skipped: dict[str, str] = {}
    size = 0
    for part in parts:
        for number in partitions.keys() & part.partitions.keys():
            got = f"{part.partitions[number]} is a copy of {partitions[number]}"
            raise ValueError(f"paths must name a partition once, but {got}")
        partitions.update(part.partitions)
        skipped.update(part.skipped)
        size += part.bytes
        if whole is None:
            whole = part.tally
        elif part.tally is not None:
            whole = whole + part.tally
    return Collected(whole, partitions, size, skipped)


def _on_cluster(
    client: Cluster, counter: Callable[..., Collected], names: list[str], told: Told
) -> Collected:
    """Count on the workers, and add there; a sum goes before a count, so that few tallies wait."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm.core import CommClosedError

    topic = f"ldpnb-{secrets.token_hex(8)}"
    client.subscribe_topic(topic, lambda event: told(*event[1]))
    # who counts travels with each task: what is handed out beforehand is lost with the workers that
    # hold it
    parts = []
    for name in names:
        key = f"count-{topic}-{_printable(name)}"
        parts.append(client.submit(_on_worker, counter, os.fsencode(name), topic, key=key))
    whole = _tree(client, parts)
    del parts
    try:
        _wait(client, whole)
        found: Collected = whole.result()
    except KilledWorker as error:
        why = f"lost each that counted a partition: {error}"
        raise ClusterError(f"scheduler must keep its workers, but {why}") from error
    except (CancelledError, CommClosedError) as error:
        why = f"it is gone: {error}"
        raise ClusterError(f"scheduler must stay until all is counted, but {why}") from error
    finally:
        with suppress(Exception):  # of a cluster that is gone, which says so otherwise
            client.cancel([whole])  # and with it all that nobody else needs
            client.unsubscribe_topic(topic)
    return found


def _wait(client: Cluster, whole: Future) -> None:
    """Wait for a future as long as there are workers."""
    done = threading.Event()
    whole.add_done_callback(lambda _: done.set())
    most = LOST if client.nthreads() else AWAITED
    seen = time.monotonic()
    while not done.wait(1):
        if client.status == "running" and client.nthreads():
            seen = time.monotonic()
            most = LOST
        elif time.monotonic() - seen > most:
            raise ClusterError("scheduler must have workers, but lost all of them")


def _printable(name: str) -> str:
    return name.encode(errors="backslashreplace").decode()


def _tree(client: Cluster, parts: list[Future]) -> Future:
    """Return the future sum of future parts.

    Nothing here may outlive the call and keep the parts in memory.
    """
    while len(parts) > 1:
        parts = [
            client.submit(_sum, parts[start : start + FAN_IN], pure=False, priority=1)
            for start in range(0, len(parts), FAN_IN)
        ]
    return parts[0]


def _on_worker(count: Callable[..., Collected], path: bytes, topic: str) -> Collected:
    from distributed import get_worker

    found = count(os.fsdecode(path), lambda *_: None)
    get_worker().log_event(topic, (found.reports, 1))
    return found


@contextmanager
def _bar(partitions: int, wanted: bool) -> Iterator[Told]:
    """Yield what shows a bar of reports and partitions, if it is wanted."""
    if not wanted:
        yield lambda reports, done: None
        return
    needs("a bar", "scale", "tqdm")
    from tqdm import tqdm  # type: ignore[import-untyped]

    counted = 0
    with tqdm(unit=" reports", unit_scale=True) as bar:

        def told(reports: int, done: int) -> None:
            nonlocal counted
            counted += done
            bar.set_description_str(f"{counted} of {partitions} partitions", refresh=False)
            bar.update(reports)

        yield told
