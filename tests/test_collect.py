"""Reports survive the disk, and are counted there as in memory: in one process, in several, and by address."""

import errno
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import forkserver
from zlib import crc32

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st
from slow import Fatal, Slow, Slower

from ldpnb.core import named
from ldpnb.keyvalue.correlation import IOH
from ldpnb.keyvalue.pckv import PCKVUE
from ldpnb.keyvalue.wheel import WheelKV
from ldpnb.numbers.many_numbers import HarmonyMean
from ldpnb.numbers.one_number import Piecewise
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardBit, HadamardResponse
from ldpnb.oracles.matrix import MatrixMechanism
from ldpnb.oracles.olh import OLH
from ldpnb.oracles.unary import OUE
from ldpnb.records import Records
from ldpnb.collecting import partitions as module
from ldpnb.collecting.partitions import (
    CHECKSUMS,
    ClusterError,
    HEAD,
    PartitionError,
    collect,
    read,
    save,
)
from ldpnb.collecting.files import identity
from ldpnb.survey.one_answer import Strings
from ldpnb.survey.several_answers import Ratings
from ldpnb.sets.privset import PrivSet
from ldpnb.strings.rappor import RAPPOR

PEOPLE = Records.of(*[{0: 1.0, 1: -0.5}, {1: 0.25}, {}] * 50)
CASES = [  # one for each kind of report: codes, fields, bits, small integers, arrays in fields, lists, bits in fields
    (GRR(k=4, epsilon=1.0), np.arange(100) % 4, None),
    (HadamardBit(k=5, epsilon=1.0), np.arange(100) % 5, None),
    (OLH(k=5, epsilon=1.0), np.arange(100) % 5, None),
    (OUE(k=11, epsilon=1.0), np.arange(100) % 11, None),
    (PCKVUE(d=2, ell=2, epsilon=1.0), PEOPLE, None),
    (HarmonyMean(d=3, epsilon=1.0, count=2), np.linspace(-1, 1, 300).reshape(100, 3), None),
    (PrivSet(d=5, ell=2, epsilon=1.0, size=2), Records.of(*[{0, 1}, {4}] * 50), None),
    (RAPPOR(bits=9, hashes=2, cohorts=3, f=0.5, p=0.25, q=0.75), np.arange(100), None),
    (WheelKV(epsilon=1.0, m=2), PEOPLE, (0, 1, 5)),
]


@pytest.fixture(params=CASES, ids=lambda case: type(case[0]).__name__)
def case(request):
    mechanism, values, items = request.param
    return mechanism, mechanism.perturb(values, rng=np.random.default_rng(6)), items


def assert_same(found, tally):
    assert (found.n, found.items) == (tally.n, tally.items)
    np.testing.assert_array_equal(found.counts, tally.counts)


def partitions(folder, mechanism, reports, sizes):
    """Write reports as partitions of these sizes, and return their paths."""
    paths = []
    for i, part in enumerate(np.split(reports, np.cumsum(sizes))):
        paths.append(folder / f"{i:02}.parquet")
        save(part, paths[-1], mechanism)
    return paths


# ------------------------------------------------------------------------------------------------ one partition


def test_reports_come_back(case, tmp_path, monkeypatch):
    mechanism, reports, _ = case
    monkeypatch.setattr(module, "GROUP", 32 * (reports[:1].nbytes))
    save(reports, tmp_path / "a", mechanism)
    groups = list(read(tmp_path / "a", mechanism))
    back = np.concatenate(groups)
    assert max(map(len, groups)) == 32 and back.dtype == reports.dtype and back.shape == reports.shape
    np.testing.assert_array_equal(back, reports)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_row_groups_may_be_long(tmp_path):
    mechanism, n = HadamardBit(k=1024, epsilon=1.0), 2**20 + 1  # the writer cuts after 2**20 rows, unless told not to
    reports = mechanism.perturb(np.arange(n) % 1024, rng=np.random.default_rng(6))
    save(reports, tmp_path / "a", mechanism)
    assert [len(block) for block in read(tmp_path / "a", mechanism)] == [n]
    np.testing.assert_array_equal(collect(mechanism, [tmp_path / "a"]).tally.counts, mechanism.tally(reports).counts)


def test_row_groups_make_no_difference(case, tmp_path):
    mechanism, reports, items = case
    save(reports, tmp_path / "a", mechanism)
    stored = pq.ParquetFile(tmp_path / "a")
    with pq.ParquetWriter(tmp_path / "b", stored.schema_arrow, store_schema=False) as file:
        file.write_table(stored.read(), row_group_size=7)
        file.add_key_value_metadata(stored.metadata.metadata)
    assert [len(block) for block in read(tmp_path / "b", mechanism)][:2] == [7, 7]
    assert_same(collect(mechanism, [tmp_path / "b"], items).tally, mechanism.tally(reports, *named(items)))


def test_blocks_are_one_partition(case, tmp_path):
    mechanism, reports, items = case
    save((reports[i : i + 30] for i in range(0, len(reports), 30)), tmp_path / "a", mechanism)
    assert [len(block) for block in read(tmp_path / "a", mechanism)][:2] == [30, 30]
    found = collect(mechanism, [tmp_path / "a"], items)
    assert_same(found.tally, mechanism.tally(reports, *named(items)))
    assert found.bytes == (tmp_path / "a").stat().st_size and found.reports == len(reports)


def test_any_key_is_counted_from_stored_reports(tmp_path):
    mechanism = WheelKV(epsilon=4.0, m=2)
    reports = mechanism.perturb(PEOPLE, rng=np.random.default_rng(1))
    save(reports, tmp_path / "monday", mechanism)
    for items in ([0], ["a key of Tuesday", 1]):
        found = collect(mechanism, [tmp_path / "monday"], items).tally
        np.testing.assert_array_equal(found.counts, mechanism.tally(reports, *named(items)).counts)


def test_the_file_says_what_it_holds(tmp_path):
    heads = []
    for name in "ab":
        save(np.array([0, 1, 2]), tmp_path / name, GRR(k=4, epsilon=1.0))
        heads.append(json.loads(pq.read_metadata(tmp_path / name).metadata[HEAD]))
    numbers = {head.pop("partition") for head in heads}
    said = {"layout": 1, "mechanism": "GRR(k=4, epsilon=1.0)", "label": "", "dtype": "<i8", "shape": [], "reports": 3}
    assert heads == [said, said] and len(numbers) == 2
    assert pq.read_table(tmp_path / "a")["report"].to_pylist() == [0, 1, 2]  # for whoever has other tools


@pytest.mark.parametrize("k", [2**10, 2**20])
def test_a_stored_report_is_little_longer_than_its_entropy(k, tmp_path):
    rng, n = np.random.default_rng(2), 50_000
    for mechanism, bits, empty in (
        (HadamardBit(k=k, epsilon=1.0), np.log2(k) + 1, 0),
        (OLH(k=k, epsilon=1.0), 95, 3),  # a seed is three numbers of 31 bits, in 32 bits each
    ):
        save(mechanism.perturb(rng.integers(0, k, n), rng=rng), tmp_path / f"{mechanism}", mechanism)
        stored = (tmp_path / f"{mechanism}").stat().st_size * 8 / n
        assert bits <= stored <= bits + empty + 2.5


def test_long_reports_are_stored_as_they_are(tmp_path):
    for k, split in ((256, True), (2**14, False)):
        mechanism = OUE(k=k, epsilon=1.0, packed=True)
        reports = mechanism.perturb(np.arange(100), rng=np.random.default_rng(2))
        save(reports, tmp_path / f"{k}", mechanism)
        used = pq.read_metadata(tmp_path / f"{k}").row_group(0).column(0).encodings
        assert ("BYTE_STREAM_SPLIT" in used) == split
        np.testing.assert_array_equal(next(read(tmp_path / f"{k}", mechanism)), reports)


def test_a_file_has_its_name_when_it_is_on_the_disk(tmp_path, monkeypatch):
    path, seen = tmp_path / "a", []
    monkeypatch.setattr(os, "fsync", lambda file: seen.append((path.exists(), os.fstat(file).st_size)))
    save(np.array([0, 1]), path, GRR(k=4, epsilon=1.0))
    assert seen == [(False, path.stat().st_size), (True, tmp_path.stat().st_size)]  # the file, then the folder


def test_nothing_is_left_of_a_partition_that_fails(tmp_path):
    def breaks():
        yield np.array([0, 1])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(breaks(), tmp_path / "a", GRR(k=4, epsilon=1.0))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "reports, words",
    [
        ([], "reports must be an array, or at least one block"),
        (np.zeros((2, 4), bool), "reports must be"),
        (np.zeros((2, 4), int), "reports must"),
        (np.array(["a"]), "reports must be numbers or bits, got <U1"),
        ([0, 1], "reports must be an array, or at least one block .*, got .*: write np.asarray"),
        ([np.array([0, 1]), np.array([0, 1], np.int32)], r"blocks of one layout, got int64 .*, then int32"),
        ([np.array([0, 1]), np.array([[0], [1]])], r"blocks of one layout, got int64 .*, then int64 of shape \(2, 1\)"),
        (np.array([0.0, 1.0]), r"reports must be integers in \[0, 4\), got float64 values"),
        ([np.array([]), np.array([0.0])], r"reports must be integers in \[0, 4\), got float64 values"),
        (np.ma.masked_array([0, 1], [False, True]), "reports must be a plain array, got a masked one"),
        ([np.array([0, 1]), np.ma.masked_array([0, 1])], "reports must be a plain array, got a masked one"),
    ],
)
def test_other_reports_are_not_saved(reports, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        save(reports, tmp_path / "a", GRR(k=4, epsilon=1.0))
    assert not list(tmp_path.iterdir())


def test_a_partition_is_not_overwritten(tmp_path):
    save(np.array([0, 1, 2]), tmp_path / "a", GRR(k=4, epsilon=1.0))
    with pytest.raises(ValueError, match="path must be new, got .*a, which exists"):
        save(np.array([0]), tmp_path / "a", GRR(k=4, epsilon=1.0))
    (tmp_path / "b").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="path must be new, got .*b, which exists"):
        save(np.array([0]), tmp_path / "b", GRR(k=4, epsilon=1.0))


def test_of_two_writers_the_first_to_finish_has_the_path(tmp_path):
    def slower():
        yield np.array([0])
        save(np.array([1, 1]), tmp_path / "a", MECHANISM)  # another writer, meanwhile
        yield np.array([0])

    with pytest.raises(ValueError, match="path must be new, got .*a, which exists"):
        save(slower(), tmp_path / "a", MECHANISM)
    assert np.concatenate(list(read(tmp_path / "a", MECHANISM))).tolist() == [1, 1]
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_link_whose_answer_was_lost_has_been_made(tmp_path, monkeypatch):
    link = os.link

    def twice(*names):  # as a client of a network file system does that heard nothing
        link(*names)
        link(*names)

    monkeypatch.setattr(os, "link", twice)
    save(np.array([0, 1]), tmp_path / "a", MECHANISM)
    assert collect(MECHANISM, [tmp_path / "a"]).reports == 2 and os.listdir(tmp_path) == ["a"]


def test_a_retry_under_the_same_path_writes_nothing_twice(tmp_path, monkeypatch):
    def fails_for_folders(file, fsync=os.fsync):
        if os.path.samestat(os.fstat(file), tmp_path.stat()):
            raise OSError(errno.EIO, "the disk fails")
        fsync(file)

    monkeypatch.setattr(os, "fsync", fails_for_folders)
    with pytest.raises(OSError, match="the disk fails"):
        save(np.array([0, 1]), tmp_path / "a.parquet", MECHANISM)
    monkeypatch.undo()
    with pytest.raises(ValueError, match="path must be new"):
        save(np.array([0, 1]), tmp_path / "a.parquet", MECHANISM)
    assert collect(MECHANISM, tmp_path).reports == 2


# ---------------------------------------------------------------------------------------------------- identity


@dataclass(frozen=True, kw_only=True)
class Younger(GRR):
    """A mechanism whose class has gained a field."""

    rounds: int = 1


@pytest.mark.parametrize(
    "mechanism, text",
    [
        (OLH(k=5, epsilon=1), "OLH(k=5, epsilon=1.0)"),
        (OLH(k=np.int64(5), epsilon=np.float64(1), g=3), "OLH(k=5, epsilon=1.0, g=3)"),
        (HadamardResponse(k=9, epsilon=1.0), "HadamardResponse(k=9, epsilon=1.0)"),  # it has found its blocks
        (HadamardResponse(k=9, epsilon=1.0, blocks=4), "HadamardResponse(k=9, epsilon=1.0, blocks=4)"),
        (Piecewise(epsilon=1.0), "Piecewise(epsilon=1.0)"),
        (Piecewise(epsilon=1.0, steps=8), "Piecewise(epsilon=1.0, steps=8)"),
        (IOH(keys=("a", "b"), oracle=OLH(k=9, epsilon=2.0)), "IOH(keys=('a', 'b', ), oracle=OLH(k=9, epsilon=2.0))"),
        (MatrixMechanism(channel=[[0.75, 0.25]] * 2), "MatrixMechanism(channel=((0.75, 0.25, ), (0.75, 0.25, ), ))"),
        (Younger(k=4, epsilon=1.0), "Younger(k=4, epsilon=1.0)"),
        (Younger(k=4, epsilon=1.0, rounds=2), "Younger(k=4, epsilon=1.0, rounds=2)"),
    ],
)
def test_identity_is_the_fields_that_make_a_difference(mechanism, text):
    assert identity(mechanism) == text
    assert eval(text, globals()) == mechanism


def test_identity_of_a_large_channel_is_short_and_its_own():
    channel = np.full((9, 9), 1 / 9)
    other = channel.copy()
    other[-1, -2:] += [1e-12, -1e-12]
    first, second = (identity(MatrixMechanism(channel=q)) for q in (channel, other))
    assert len(first) == 200 and first.startswith("MatrixMechanism(channel=((0.1111") and first != second
    assert identity(MatrixMechanism(channel=channel)) == first


# --------------------------------------------------------------------------------------------- many partitions


def test_a_sum_of_partitions_is_the_whole(case, tmp_path):
    mechanism, reports, items = case
    paths = partitions(tmp_path, mechanism, reports, [37, 0, 11])
    found = collect(mechanism, paths, items)
    assert_same(found.tally, mechanism.tally(reports, *named(items)))
    assert (found.reports, list(found.partitions.values()), found.skipped) == (len(reports), list(map(str, paths)), {})
    assert found.bytes == sum(path.stat().st_size for path in paths)
    assert_same(collect(mechanism, tmp_path, items).tally, found.tally)  # the folder
    assert_same(collect(mechanism, paths[1:2], items).tally, mechanism.tally(reports[:0], *named(items)))  # nobody


MECHANISM = GRR(k=4, epsilon=1.0)


def test_a_label_is_compared_like_the_mechanism(tmp_path):
    age, none = tmp_path / "age.parquet", tmp_path / "none.parquet"
    for path, label in ((age, "age"), (none, ""), (tmp_path / "round.parquet", "age, 2nd round")):
        save(np.array([0, 1]), path, MECHANISM, label=label)
    assert collect(MECHANISM, [age], label="age").reports == 2 and collect(MECHANISM, [none]).reports == 2
    assert np.concatenate(list(read(age, MECHANISM, label="age"))).tolist() == [0, 1]
    for path, label, said in ((age, "income", "age"), (age, "", "age"), (none, "age", "")):
        words = rf"got {path}: it holds those labelled '{said}', not '{label}'"
        with pytest.raises(PartitionError, match=words):
            list(read(path, MECHANISM, label=label))
        with pytest.raises(PartitionError, match=words):
            collect(MECHANISM, [path], label=label)
    found = collect(MECHANISM, tmp_path, label="age", skip=True)
    assert list(found.partitions.values()) == [str(age)] and len(found.skipped) == 2
    for use in (
        lambda: save(np.array([0]), tmp_path / "new", MECHANISM, label=1),
        lambda: list(read(none, MECHANISM, label=None)),
        lambda: collect(MECHANISM, [none], label=b"age", skip=True),
    ):
        with pytest.raises(ValueError, match="^label must be a text, got (1|None|b'age'): write str"):
            use()


def test_files_that_are_older_than_labels_have_none(tmp_path):
    save(np.array([0, 1]), tmp_path / "new", MECHANISM)
    stored = pq.ParquetFile(tmp_path / "new")
    head = json.loads(stored.metadata.metadata[HEAD])
    del head["label"]
    head = json.dumps(head).encode()
    sums = stored.metadata.metadata[CHECKSUMS].decode().split()
    with pq.ParquetWriter(tmp_path / "old", stored.schema_arrow, store_schema=False) as file:
        file.write_table(stored.read())
        file.add_key_value_metadata({HEAD: head, CHECKSUMS: " ".join([f"{crc32(head):08x}", *sums[1:]])})
    assert collect(MECHANISM, [tmp_path / "old"]).reports == 2
    with pytest.raises(PartitionError, match="labelled '', not 'age'"):
        collect(MECHANISM, [tmp_path / "old"], label="age")


@pytest.fixture
def faults(tmp_path):
    """Partitions with one fault each, by what is said of them."""
    good = tmp_path / "good.parquet"
    save(np.array([0, 1, 2]), good, MECHANISM)
    whole, stored = good.read_bytes(), pq.read_metadata(good).metadata

    def made(name, column, **changes):
        column, head = np.asarray(column), json.dumps(json.loads(stored[HEAD]) | changes).encode()
        schema = module._schema(column.dtype, ())
        with pq.ParquetWriter(tmp_path / name, schema, store_schema=False) as file:
            file.write_table(pa.table({"report": column}, schema=schema))
            file.add_key_value_metadata({HEAD: head, CHECKSUMS: f"{crc32(head):08x} {crc32(column):08x}"})

    save(np.array([0]), tmp_path / "parameters", GRR(k=4, epsilon=2.0))
    save(np.array([0]), tmp_path / "mechanism", HadamardResponse(k=4, epsilon=1.0))
    made("fine", [0, 1, 2])  # the others are not at fault for how they are made
    collect(MECHANISM, [tmp_path / "fine"])
    made("value", [0, 1, 7])
    made("layout", [0, 1, 2], layout=3)
    made("no wave", [0, 1, 2], layout=2)
    made("null wave", [0, 1, 2], layout=2, wave=None)
    made("early wave", [0, 1, 2], wave="W48")
    made("column", [0, 1, 2], dtype="<i4")
    made("kind", [False, True, True], dtype="|b1")
    made("count", [0, 1], reports=3)
    pq.write_table(pa.table({"report": [1]}), tmp_path / "bare")
    number = json.loads(stored[HEAD])["partition"].encode()
    (tmp_path / "number").write_bytes(whole.replace(number, number[::-1]))
    (tmp_path / "folder").mkdir()
    for name, content in (("cut", whole[: len(whole) // 2]), ("text", b"not a partition"), ("nothing", b"")):
        (tmp_path / name).write_bytes(content)
    return {
        "parameters": r"it holds those of GRR\(k=4, epsilon=2.0\)",
        "mechanism": r"it holds those of HadamardResponse\(k=4, epsilon=1.0\)",
        "value": r"reports must be integers in \[0, 4\), got 7",
        "layout": "it has version 3 of the layout, and 1 and 2 are read here",
        "no wave": "it has version 2 of the layout, and no wave",
        "null wave": "it has version 2 of the layout, and no wave",
        "early wave": "it has version 1 of the layout, and a wave",
        "column": "its columns are not those of its layout",
        "kind": r"reports must be integers in \[0, 4\), got bool values",
        "count": "its reports do not fit their checksum",
        "number": "what it says of itself does not fit its checksum",
        "bare": "it does not say what it holds",
        "folder": "",
        "cut": "",
        "text": "",
        "nothing": "",
        "missing": "",
        "good.parquet/inside": "",
    }


def test_a_fault_is_named(faults, tmp_path):
    good = tmp_path / "good.parquet"
    for name, words in faults.items():
        message = rf"path must be a whole partition of reports of GRR\(k=4, epsilon=1.0\), got .*{name}: .*{words}"
        with pytest.raises(PartitionError, match=message):
            collect(MECHANISM, [good, tmp_path / name])
        if name not in ("value", "kind"):  # which are seen when they are counted
            with pytest.raises(PartitionError, match=message):
                list(read(tmp_path / name, MECHANISM))


def test_a_skipped_fault_is_counted(faults, tmp_path):
    good = tmp_path / "good.parquet"
    found = collect(MECHANISM, [*(tmp_path / name for name in faults), good], skip=True)
    assert found.tally.counts.tolist() == [1, 1, 1, 0]
    assert list(found.partitions.values()) == [str(good)] and found.bytes == good.stat().st_size
    assert list(found.skipped) == [str(tmp_path / name) for name in faults]
    assert "got bool values" in found.skipped[str(tmp_path / "kind")]
    nothing = collect(MECHANISM, [tmp_path / "cut"], skip=True)
    assert nothing.tally is None and (nothing.reports, nothing.bytes, len(nothing.skipped)) == (0, 0, 1)


@pytest.mark.parametrize("where", ["opened", "read", "counted"])
@pytest.mark.parametrize(
    "failure",
    [MemoryError(), pa.ArrowMemoryError("full"), PermissionError(errno.EACCES, "no"), OSError(errno.ENOTCONN, "no")],
    ids=lambda failure: type(failure).__name__,
)
def test_a_file_is_not_blamed_for_the_machine(failure, where, tmp_path, monkeypatch):
    save(np.array([0, 1]), tmp_path / "a", MECHANISM)

    def fails(*_, **__):
        raise failure

    place, name = {
        "opened": (pq, "ParquetFile"),
        "read": (pq.ParquetFile, "read_row_group"),
        "counted": (GRR, "tally"),
    }[where]
    monkeypatch.setattr(place, name, fails)
    for skip in (False, True):
        with pytest.raises(type(failure)) as caught:
            collect(MECHANISM, [tmp_path / "a"], skip=skip)
        assert caught.value is failure and f"while reading {tmp_path / 'a'}" in failure.__notes__
    if where != "counted":
        with pytest.raises(type(failure)):
            list(read(tmp_path / "a", MECHANISM))


def test_a_disk_that_fails_says_so(tmp_path):
    """What the reader raises then can be told from what it raises for a damaged file."""
    save((np.arange(4) for _ in range(3)), tmp_path / "a", MECHANISM)
    blocks = read(tmp_path / "a", MECHANISM)
    next(blocks)
    [file] = [file.fd for file in psutil.Process().open_files() if file.path == str(tmp_path / "a")]
    unreadable = os.open(os.devnull, os.O_WRONLY)
    os.dup2(unreadable, file)
    os.close(unreadable)
    with pytest.raises(OSError, match="Bad file descriptor") as caught:
        list(blocks)
    assert caught.value.errno == errno.EBADF


def test_no_file_stays_open(faults, tmp_path):
    for name in faults.keys() - {"cut", "text", "nothing", "missing", "folder", "good.parquet/inside"}:  # not opened
        with pytest.raises(PartitionError) as caught:
            collect(MECHANISM, [tmp_path / name])
        assert caught.value.__traceback__ is not None  # as long as it lives, so do the files of its frames
        assert str(tmp_path / name) not in {file.path for file in psutil.Process().open_files()}


def test_a_partition_is_not_counted_twice(tmp_path):
    a, b, link = (tmp_path / f"{name}.parquet" for name in ("a", "b", "link"))
    save(np.array([0, 1]), a, MECHANISM)
    save(np.array([0, 1]), b, MECHANISM)  # the same reports, of two other people
    assert collect(MECHANISM, [a, b]).tally.counts.tolist() == [2, 2, 0, 0]
    link.symlink_to(a)
    for paths in ([a, b, a], [a, tmp_path / "x" / ".." / "a.parquet"], [a, link]):
        with pytest.raises(ValueError, match=r"paths must name a partition once, got .*a.parquet several times"):
            collect(MECHANISM, paths, skip=True)
    link.unlink()
    shutil.copy(a, tmp_path / "z.parquet")
    with pytest.raises(ValueError, match=r"once, but .*z.parquet is a copy of .*a.parquet"):
        collect(MECHANISM, tmp_path, skip=True)


@pytest.mark.parametrize("name", ["c", "d.PARQUET", "e.partial", "f", "g.parquet"])
def test_a_folder_holds_partitions_and_nothing_else(name, tmp_path):
    save(np.array([0, 1]), tmp_path / "a.parquet", MECHANISM)
    if name in ("f", "g.parquet"):
        (tmp_path / name).mkdir()
    else:
        save(np.array([0, 1]), tmp_path / name, MECHANISM)
    with open(tmp_path / "a.parquet") if name in ("f", "g.parquet") else open(tmp_path / name) as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # as a writer does
        for skip in (False, True):
            with pytest.raises(ValueError, match=rf"folder of \*.parquet files and nothing else, got .*{name} in it"):
                collect(MECHANISM, tmp_path, skip=skip)


WRITER = """
import os, signal, sys, numpy as np
from ldpnb import GRR, save
def blocks():
    for i in range(1000):
        if i == 3:
            print("now", flush=True)
            signal.pause()
        yield np.zeros(100, int)
save(blocks(), sys.argv[1], GRR(k=4, epsilon=1.0))
"""


def test_what_a_killed_writer_leaves_need_not_be_deleted_by_hand(tmp_path):
    save(np.array([0, 1]), tmp_path / "a.parquet", MECHANISM)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, tmp_path / "b.parquet"], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout.readline() == "now\n"
        with pytest.raises(ValueError, match="nothing else, got .*partial in it"):  # it is being written to
            collect(MECHANISM, tmp_path)
        writer.kill()
    assert len(list(tmp_path.glob("*.partial"))) == 1
    assert collect(MECHANISM, tmp_path).tally.counts.tolist() == [1, 1, 0, 0]
    save(np.array([2]), tmp_path / "b.parquet", MECHANISM)
    assert collect(MECHANISM, tmp_path).tally.counts.tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("kind", ["fifo", "device", "socket", "folder"])
def test_what_is_no_file_is_refused_before_it_is_opened(kind, tmp_path, monkeypatch):
    """Opening a FIFO would wait for its writer, for ever and beyond Ctrl-C."""
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    save(np.array([0, 1]), tmp_path / "a.parquet", MECHANISM)
    path = {"device": "/dev/zero"}.get(kind, tmp_path / "b.parquet")
    if kind == "fifo":
        os.mkfifo(path)
    if kind == "folder":
        path.mkdir()
    with socket.socket(socket.AF_UNIX) as one:
        if kind == "socket":
            one.bind(path.name)
        for use in (lambda: collect(MECHANISM, [path]), lambda: list(read(path, MECHANISM))):
            with pytest.raises(PartitionError, match=f"got {path}: it is no file"):
                use()
        assert list(collect(MECHANISM, [tmp_path / "a.parquet", path], skip=True).skipped) == [str(path)]


class Tidied(GRR):
    """Somebody deletes the files that are being counted."""

    folder = None

    def tally(self, reports):
        for path in self.folder.iterdir() if self.folder and len(reports) else ():
            path.unlink()
        return super().tally(reports)


def test_a_file_deleted_while_it_is_counted_is_counted(tmp_path, monkeypatch):
    tidied = Tidied(k=4, epsilon=1.0)
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        save(np.array([0, 1]), path, tidied)
    size = paths[0].stat().st_size
    monkeypatch.setattr(Tidied, "folder", tmp_path)
    found = collect(tidied, paths, skip=True)
    assert (found.reports, found.bytes, list(found.skipped)) == (2, size, [str(paths[1])])


@pytest.mark.parametrize("value", [3.0, True, -1, None, "3", [1], {"a": 1}], ids=repr)
@pytest.mark.parametrize("name", ["reports", "partition", "layout", "mechanism", "label", "dtype", "shape", ""])
def test_a_forged_head_is_skipped_or_does_no_harm(name, value, tmp_path):
    save(np.array([0, 1]), tmp_path / "a", MECHANISM)
    stored = pq.ParquetFile(tmp_path / "a")
    head = json.loads(stored.metadata.metadata[HEAD])
    head = json.dumps(value if name == "" else head | {name: value}).encode()
    _, _, crcs = stored.metadata.metadata[CHECKSUMS].decode().partition(" ")
    with pq.ParquetWriter(tmp_path / "b", stored.schema_arrow, store_schema=False) as file:
        file.write_table(stored.read())
        file.add_key_value_metadata({HEAD: head, CHECKSUMS: f"{crc32(head):08x} {crcs}"})
    found = collect(MECHANISM, [tmp_path / "a", tmp_path / "b"], skip=True)
    harmless = (name, value) == ("partition", "3")
    assert list(found.skipped) == ([] if harmless else [str(tmp_path / "b")])
    assert found.reports == (4 if harmless else 2)


def test_a_row_group_larger_than_any_that_is_written_is_refused(tmp_path, monkeypatch):
    save(np.arange(100) % 4, tmp_path / "a", MECHANISM)
    monkeypatch.setattr(module, "GROUP", 8 * 99)
    with pytest.raises(PartitionError, match="it has 100 reports in one row group, more than are written"):
        collect(MECHANISM, [tmp_path / "a"])


def test_names_are_read_as_the_system_has_them(tmp_path):
    path = os.fsencode(tmp_path) + b"/a.parquet"
    save(np.array([0, 1]), path, MECHANISM)
    for paths in ([path], os.fsencode(tmp_path)):
        assert collect(MECHANISM, paths).reports == 2
    assert len(list(read(path, MECHANISM))) == 1
    long = tmp_path / ("n" * 255)  # as long as a name may be
    save(np.array([0, 1]), long, MECHANISM)
    assert collect(MECHANISM, [long]).reports == 2
    longer = tmp_path / ("n" * 256)
    assert collect(MECHANISM, [longer, path], skip=True).skipped.keys() == {str(longer)}


@pytest.mark.slow
def test_a_name_that_is_not_utf_8_is_refused(client, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.parquet"
    with pytest.raises(ValueError, match=r"path must be UTF-8, which Parquet wants, got '.*udcff.parquet'"):
        save(np.array([0, 1]), path, MECHANISM)
    save(np.array([0, 1]), tmp_path / "a.parquet", MECHANISM)
    shutil.copy(tmp_path / "a.parquet", path)
    for scheduler in (None, client):
        with pytest.raises(PartitionError, match="path must be UTF-8"):
            collect(MECHANISM, [path], scheduler=scheduler)
        found = collect(MECHANISM, [tmp_path / "a.parquet", path], scheduler=scheduler, skip=True)
        assert found.reports == 2 and list(found.skipped) == [os.fsdecode(path)]


def test_a_name_that_no_file_can_have_costs_no_reports(tmp_path):
    taken = []

    def blocks():
        taken.append("a block")
        yield np.array([0, 1])

    with pytest.raises(OSError):
        save(blocks(), tmp_path / ("n" * 300), MECHANISM)
    with pytest.raises(ValueError, match=r"path must be without the character NUL, .*, got '.*a\\x00b'"):
        save(blocks(), f"{tmp_path}/a\0b", MECHANISM)
    with pytest.raises(ValueError, match="path must be a path, got 3"):
        save(blocks(), 3, MECHANISM)
    assert taken == [] and [*tmp_path.iterdir()] == []


def test_what_is_no_path_is_refused():
    with pytest.raises(ValueError, match="paths must be without the character NUL"):
        collect(MECHANISM, ["a\0b"], skip=True)
    with pytest.raises(ValueError, match="paths must be a path, got None"):
        collect(MECHANISM, [None])
    with pytest.raises(ValueError, match="paths must be a folder or a list of paths, got 3"):
        collect(MECHANISM, 3)


def test_a_folder_that_cannot_be_read_gets_no_partition(tmp_path, monkeypatch):
    """Its name could not be brought to the disk; the error comes before anything is written."""
    tmp_path.chmod(0o333)
    try:
        os.close(os.open(tmp_path, os.O_RDONLY))
    except PermissionError:
        pass
    else:  # root, say, may read anything
        opened = os.open

        def refused(path, flags, *rest, **named):
            if os.path.isdir(path):
                raise PermissionError(errno.EACCES, "no", str(path))
            return opened(path, flags, *rest, **named)

        monkeypatch.setattr(os, "open", refused)
    with pytest.raises(PermissionError):
        save(np.array([0, 1]), tmp_path / "a", MECHANISM)
    monkeypatch.undo()
    tmp_path.chmod(0o700)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("byte", [2, 156, 254, 255])
@pytest.mark.parametrize("number", [1, 3, 7], ids=["one bit", "a row of bits", "bits in fields"])
def test_a_byte_that_is_no_bit_destroys_no_partition(number, byte, tmp_path):
    """Parquet stores a bit of it, which another checksum fits: it is refused where it is still alone."""
    mechanism, values, items = CASES[number]
    reports = mechanism.perturb(values, rng=np.random.default_rng(6))
    bits = reports if reports.dtype.names is None else reports[{1: "bit", 7: "bits"}[number]]
    bits.view(np.uint8)[(50,) + (0,) * (bits.ndim - 1)] = byte
    with pytest.raises(ValueError, match=f"must be bools, whose bytes are 0 or 1, got a byte {byte}; compare them"):
        mechanism.tally(reports, *named(items))
    with pytest.raises(ValueError, match=f"must be bools, whose bytes are 0 or 1, got a byte {byte}; compare them"):
        save(reports, tmp_path / "a", mechanism)
    assert list(tmp_path.iterdir()) == []


def test_wrong_arguments_are_named(tmp_path):
    save(np.array([0, 1]), tmp_path / "a", MECHANISM)
    (tmp_path / "empty").mkdir()
    for use in (lambda path: save(np.array([0]), path, MECHANISM), lambda path: list(read(path, MECHANISM))):
        with pytest.raises(ValueError, match="^path must be of a mounted file system, not an address, got 's3://a/b'"):
            use("s3://a/b")
    wheel = WheelKV(epsilon=1.0, m=2)
    save(wheel.perturb(PEOPLE, rng=np.random.default_rng(1)), tmp_path / "wheel", wheel)
    for paths, words in (
        (str(tmp_path / "a"), "paths must be a folder or a list of paths, got '.*a'"),
        (tmp_path / "empty", r"paths must be a folder with \*.parquet in it"),
        ("s3://bucket/day", "paths must be of a mounted file system, not an address, got 's3://bucket/day'"),
        (["s3://bucket/day/a.parquet"], "paths must be of a mounted file system, not an address"),
        ([], "paths must name at least one partition, got none"),
    ):
        with pytest.raises(ValueError, match=words):
            collect(MECHANISM, paths)
    with pytest.raises(ValueError, match="scheduler must be a dask client, an address or None, got 8786"):
        collect(MECHANISM, [tmp_path / "a"], scheduler=8786)
    for items in (None, [], [1, 1]):  # no partition's fault, so that nothing is skipped for it
        with pytest.raises(ValueError, match="^items must"):
            collect(wheel, [tmp_path / "wheel"], items, skip=True)


# ------------------------------------------------------------------------------------------------------- damage


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """A function that writes changed bytes of a partition and judges what is counted from them."""
    folder = tmp_path_factory.mktemp("damage")
    known = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "GROUP", 600)  # several row groups
        for i, (mechanism, values, items) in enumerate(CASES):
            reports = mechanism.perturb(values, rng=np.random.default_rng(6))
            save(reports, folder / str(i), mechanism)
            known.append((mechanism, items, mechanism.tally(reports, *named(items)), (folder / str(i)).read_bytes()))

    def judge(number, change):
        mechanism, items, tally, whole = known[number]
        (folder / "changed").write_bytes(change(whole))
        try:
            found = collect(mechanism, [folder / "changed"], items)
        except PartitionError as error:
            assert f"got {folder / 'changed'}: " in str(error)
            return False
        assert_same(found.tally, tally)
        return True

    return judge, [len(whole) for *_, whole in known]


def test_a_truncated_partition_is_seen_wherever_it_is_cut(damaged):
    judge, sizes = damaged
    assert judge(0, lambda whole: whole)
    for size in range(sizes[0]):
        assert not judge(0, lambda whole, size=size: whole[:size])


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.data())
def test_a_damaged_partition_is_seen_or_does_no_harm(damaged, data):
    judge, sizes = damaged
    number = data.draw(st.integers(0, len(sizes) - 1))
    flips = data.draw(st.dictionaries(st.integers(0, sizes[number] - 1), st.integers(1, 255), min_size=1, max_size=3))
    cut = data.draw(st.integers(0, sizes[number]) | st.just(sizes[number]))

    def change(whole):
        return bytes(byte ^ flips.get(at, 0) for at, byte in enumerate(whole))[:cut]

    judge(number, change)


# ----------------------------------------------------------------------------------------------------- a cluster


@pytest.fixture(scope="module", autouse=True)
def workers():
    """Workers are forked from a process that has imported dask: a dozen of them are killed here, and replaced."""
    import dask

    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        yield
    forkserver._forkserver._stop()  # as Python's own tests do; it is waited for, and its time counted


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    before = set(psutil.Process().children(recursive=True))
    # a nanny looks after each process and replaces it when it dies
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        yield client
    left = set(psutil.Process().children(recursive=True)) - before
    servants = ("resource_tracker", "forkserver")  # Python's own
    left = {child for child in left if not any(one in " ".join(child.cmdline()) for one in servants)}
    assert not psutil.wait_procs(left, timeout=5)[1]


@pytest.mark.parametrize("number", [0, 2, 8], ids=["codes", "fields", "candidates"])
def test_the_same_integers_everywhere(number, client, tmp_path):
    mechanism, values, items = CASES[number]
    reports = mechanism.perturb(values, rng=np.random.default_rng(6))
    paths = partitions(tmp_path, mechanism, reports, [5, 0, 9, *[4] * 17])  # a tree of two floors
    alone = collect(mechanism, paths, items)
    assert_same(alone.tally, mechanism.tally(reports, *named(items)))
    for scheduler in (client, client.scheduler.address):
        found = collect(mechanism, paths, items, scheduler=scheduler)
        assert_same(found.tally, alone.tally)
        with pytest.raises(PartitionError, match="labelled '', not 'other'"):
            collect(mechanism, paths, items, label="other", scheduler=scheduler)
        assert (found.partitions, found.bytes, found.skipped) == (alone.partitions, alone.bytes, {})
        assert list(found.partitions) == list(alone.partitions)


@pytest.mark.slow
def test_a_fault_on_a_worker_is_named_and_stops_the_rest(client, tmp_path):
    slow = Slower(k=4, epsilon=1.0)
    reports = slow.perturb(np.arange(1500) % 4, rng=np.random.default_rng(6))
    paths = partitions(tmp_path, slow, reports, [10] * 149)
    paths[3].write_bytes(paths[3].read_bytes()[:-7])
    with pytest.raises(
        PartitionError, match=r"whole partition of reports of Slower\(k=4, epsilon=1.0\), got .*03.parquet"
    ):
        collect(slow, paths, scheduler=client)
    ends, left = time.monotonic() + 5, 150  # a busy scheduler takes a moment; alone, the rest takes 14 seconds
    while left >= 40 and time.monotonic() < ends:
        left = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        time.sleep(0.05)
    assert left < 40  # of 150, and sums of them
    found = collect(slow, paths[:20], skip=True, scheduler=client)
    assert list(found.skipped) == [str(paths[3])] and found.reports == 190


def test_a_copy_is_seen_across_workers(client, tmp_path):
    reports = MECHANISM.perturb(np.arange(100) % 4, rng=np.random.default_rng(6))
    paths = partitions(tmp_path, MECHANISM, reports, [5] * 19)
    shutil.copy(paths[0], tmp_path / "z.parquet")
    with pytest.raises(ValueError, match=r"z.parquet is a copy of .*00.parquet"):
        collect(MECHANISM, tmp_path, scheduler=client)


@pytest.mark.slow
def test_a_lost_worker_changes_nothing(client, tmp_path, monkeypatch):
    slow = Slow(k=4, epsilon=1.0)
    reports = slow.perturb(np.arange(2000) % 4, rng=np.random.default_rng(6))
    paths = partitions(tmp_path, slow, reports, [50] * 39)
    victim = client.run(os.getpid).popitem()[1]
    heard = []

    @contextmanager
    def kills(*_):
        def told(*_):
            heard.append(1)
            if len(heard) == 5:
                os.kill(victim, signal.SIGKILL)

        yield told

    monkeypatch.setattr(module, "_bar", kills)
    assert_same(collect(slow, paths, scheduler=client).tally, GRR.tally(slow, reports))
    assert len(heard) >= 40  # those that were lost were counted again
    client.wait_for_workers(2)
    assert victim not in client.run(os.getpid).values()


@pytest.mark.slow
@pytest.mark.parametrize("wait, victims, stalls", [(0, 1, 0), (0, 2, 0), (0.3, 2, 0), (0, 1, 1)], ids=str)
def test_workers_killed_at_any_moment_change_nothing(wait, victims, stalls, tmp_path):
    """From the first moment on: what had been handed out beforehand would be lost with them, or never arrive."""
    from distributed import Client, LocalCluster

    slow = Slow(k=4, epsilon=1.0)
    reports = slow.perturb(np.arange(2000) % 4, rng=np.random.default_rng(6))
    paths = partitions(tmp_path, slow, reports, [50] * 39)
    found = []

    def count():
        try:
            found.append(collect(slow, paths, scheduler=client).tally)
        except ClusterError as error:  # their nannies may fail, too
            found.append(error)

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        processes = list(client.run(os.getpid).values())[:victims]
        for process in processes if stalls else ():
            os.kill(process, signal.SIGSTOP)
        counting = threading.Thread(target=count, daemon=True)
        counting.start()
        time.sleep(wait + stalls)
        for process in processes:
            os.kill(process, signal.SIGKILL)
        counting.join(60)
        assert found, "it hangs"
        if not isinstance(found[0], ClusterError):
            assert_same(found[0], GRR.tally(slow, reports))


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["workers", "scheduler"])
def test_a_cluster_that_is_lost_is_an_error_within_seconds(loss, tmp_path, monkeypatch):
    from distributed import Client, LocalCluster

    monkeypatch.setattr(module, "LOST", 2.0)
    slow = Slower(k=4, epsilon=1.0)
    paths = partitions(tmp_path, slow, np.arange(600) % 4, [10] * 59)
    threads = {"n_workers": 1, "processes": False, "dashboard_address": ":0"}  # nobody replaces them
    with LocalCluster(**threads) as cluster, Client(cluster) as one:
        lose = {"workers": lambda: cluster.scale(0), "scheduler": cluster.close}[loss]
        timer = threading.Timer(1, lose)
        timer.start()
        words = {"workers": "must have workers, but lost all", "scheduler": "must stay until all is counted"}[loss]
        started = time.monotonic()
        with pytest.raises(ClusterError, match=f"scheduler {words}"):
            collect(slow, paths, scheduler=one)
        assert time.monotonic() - started < 30
        timer.join()


def test_a_partition_that_kills_is_named(client, tmp_path):
    fatal = Fatal(k=4, epsilon=1.0, home=os.getpid())
    save(np.array([0, 1]), tmp_path / "a", fatal)

    def allow(failures):
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", failures))

    allow(0)
    with pytest.raises(
        ClusterError, match=f"scheduler must keep its workers, but lost each that counted .*{tmp_path / 'a'}"
    ):
        collect(fatal, [tmp_path / "a"], scheduler=client)
    allow(3)
    client.wait_for_workers(2)


@pytest.mark.parametrize("where", ["here", "there"])
def test_progress_is_shown_if_asked_for(where, client, tmp_path, capsys):
    reports = MECHANISM.perturb(np.arange(1000) % 4, rng=np.random.default_rng(6))
    paths = partitions(tmp_path, MECHANISM, reports, [50] * 19)
    scheduler = {"here": None, "there": client}[where]
    collect(MECHANISM, paths, scheduler=scheduler)
    assert capsys.readouterr() == ("", "")
    collect(MECHANISM, paths, scheduler=scheduler, progress=True)
    out, err = capsys.readouterr()
    assert out == "" and "20 of 20 partitions: 1.00k reports [" in err and "reports/s]" in err
    paths[3].write_bytes(paths[3].read_bytes()[:-7])
    save([np.zeros(500, int), np.array([7])], tmp_path / "late", MECHANISM)  # its fault is seen after 500 reports
    found = collect(MECHANISM, [tmp_path / "late", *paths], scheduler=scheduler, skip=True, progress=True)
    assert found.reports == 950 and len(found.skipped) == 2
    assert "21 of 21 partitions: 950 reports [" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------- what is installed


def run(code, *without, cwd):
    """Run a program where some packages cannot be imported."""
    blocked = f"import sys; sys.modules.update(dict.fromkeys({without!r}))\n"
    return subprocess.run([sys.executable, "-c", blocked + code], capture_output=True, text=True, cwd=cwd)


@pytest.mark.slow
def test_what_is_missing_is_said(tmp_path):
    found = run("import ldpnb; ldpnb.collect(ldpnb.GRR(k=4, epsilon=1.0), ['a'])", "pyarrow", cwd=tmp_path)
    assert "ImportError: ldpnb.collect needs pyarrow: pip install 'ldpnb[scale]'" in found.stderr
    save(np.array([0, 1]), tmp_path / "a", MECHANISM)
    code = "from ldpnb import GRR, collect; "
    code += "count = lambda **how: print(collect(GRR(k=4, epsilon=1.0), ['a'], **how).reports); count(); "
    absent = ("dask", "distributed", "tqdm")
    assert run(code, *absent, cwd=tmp_path).stdout == "2\n"
    found = run(code + "count(scheduler='tcp://127.0.0.1:1')", *absent, cwd=tmp_path)
    assert "ImportError: a scheduler needs dask, distributed: pip install 'ldpnb[scale]'" in found.stderr
    found = run(code + "count(progress=True)", *absent, cwd=tmp_path)
    assert "ImportError: a bar needs tqdm: pip install 'ldpnb[scale]'" in found.stderr


def test_dask_is_imported_when_it_is_used(tmp_path):
    found = run(
        "import ldpnb.collecting.partitions, sys; print({'dask', 'distributed', 'tqdm'} & set(sys.modules))", cwd=tmp_path
    )
    assert found.stdout == "set()\n"


def test_candidates_of_a_question_are_checked_on_disk_as_in_memory(tmp_path):
    """The number 7 would be counted as a hash value, and nobody would seem to have answered "7"."""
    word = Strings(epsilon=4.0)
    save(word.perturb(["7", "a"] * 50, rng=np.random.default_rng(0)), tmp_path / "a.parquet", word)
    for wrong in (None, [], [7], ["a", 7], [""], [" "], "7", {"7"}, np.array(["7"])):
        with pytest.raises(ValueError, match="^candidates must"):
            collect(word, tmp_path, wrong)
    assert collect(word, tmp_path, ["7", "a"]).tally.items == ("7", "a")


def test_ratings_on_disk_are_counted_for_their_own_items(tmp_path):
    question = Ratings(["mail", "maps"], 1, 5, 1, mechanism=WheelKV(epsilon=4.0, m=1))
    reports = question.perturb([{"mail": 5}, {"maps": 1}] * 50, rng=np.random.default_rng(0))
    save(reports, tmp_path / "a.parquet", question)
    found = collect(question, tmp_path).tally
    assert np.array_equal(found.counts, question.tally(reports).counts)
    assert np.array_equal(found.counts, collect(question, tmp_path, [0, 1]).tally.counts)
    with pytest.raises(ValueError, match=r"^items must be left out, the question has its own, got \['mail'\]$"):
        collect(question, tmp_path, ["mail"])


@pytest.mark.parametrize("wrong", [5, None, 1.5, [[10**5000]]])
def test_what_is_no_reports_is_refused_by_name(wrong, tmp_path):
    with pytest.raises(ValueError, match="^reports must be "):
        save(wrong, tmp_path / "a.parquet", GRR(k=4, epsilon=1.0))
