"""Reports survive the disk, and are counted there as in memory."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ldpnb import collect
from ldpnb.core import Records
from ldpnb.frequency import GRR, OLH
from ldpnb.pckv import PCKVUE
from ldpnb.wheel import WheelKV

PEOPLE = Records.of(*[{0: 1.0, 1: -0.5}, {1: 0.25}, {}] * 50)
CASES = [
    (GRR(k=4, epsilon=1.0), np.arange(100) % 4, None),
    (OLH(k=5, epsilon=1.0), np.arange(100) % 5, None),
    (PCKVUE(d=2, ell=2, epsilon=1.0), PEOPLE, None),
    (WheelKV(epsilon=1.0, m=2), PEOPLE, (0, 1, 5)),
]


@pytest.fixture(params=CASES, ids=lambda case: type(case[0]).__name__)
def case(request):
    mechanism, values, items = request.param
    return mechanism, mechanism.perturb(values, rng=np.random.default_rng(6)), items


def test_reports_come_back(case, tmp_path, monkeypatch):
    mechanism, reports, _ = case
    monkeypatch.setattr(collect, "ROWS", 32)
    collect.save(reports, tmp_path / "a", mechanism)
    groups = list(collect.read(tmp_path / "a", mechanism))
    back = np.concatenate(groups)
    assert max(map(len, groups)) == 32 and back.dtype == reports.dtype and back.shape == reports.shape
    np.testing.assert_array_equal(back, reports)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_sum_of_partitions_is_the_whole(case, tmp_path):
    mechanism, reports, items = case
    for name, part in (("a", reports[:37]), ("b", reports[37:])):
        collect.save(part, tmp_path / name, mechanism)
    found = collect.tally(mechanism, sorted(tmp_path.iterdir()), items)
    whole = mechanism.tally(reports, items)
    assert (found.n, found.items) == (whole.n, whole.items)
    np.testing.assert_array_equal(found.counts, whole.counts)


def test_any_key_is_counted_from_stored_reports(tmp_path):
    mechanism = WheelKV(epsilon=4.0, m=2)
    reports = mechanism.perturb(PEOPLE, rng=np.random.default_rng(1))
    collect.save(reports, tmp_path / "monday", mechanism)
    for items in ([0], ["a key of Tuesday", 1]):
        found = collect.tally(mechanism, [tmp_path / "monday"], items)
        np.testing.assert_array_equal(found.counts, mechanism.tally(reports, items).counts)


def test_what_is_wrong_is_named(tmp_path):
    mechanism, other = GRR(k=4, epsilon=1.0), GRR(k=4, epsilon=2.0)
    path = tmp_path / "a"
    collect.save(np.array([0, 1, 2]), path, mechanism)
    with pytest.raises(ValueError, match="path must be new, got .*a, which exists"):
        collect.save(np.array([0]), path, mechanism)
    with pytest.raises(ValueError, match=r"path must hold reports of .*epsilon=2.0.*got .*epsilon=1.0.* in .*a"):
        collect.tally(other, [path])
    with pytest.raises(FileNotFoundError):
        collect.tally(mechanism, [tmp_path / "b"])
    with pytest.raises(ValueError, match="paths must be a list"):
        collect.tally(mechanism, str(path))
    with pytest.raises(ValueError, match="paths must hold at least one report"):
        collect.tally(mechanism, [])
    whole = path.read_bytes()
    for name, content in (("cut", whole[: len(whole) // 2]), ("text", b"not a partition"), ("empty", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"path must be a whole partition of reports, got .*{name}"):
            collect.tally(mechanism, [tmp_path / name])
    pq.write_table(pa.table({"report": [1]}), tmp_path / "bare")
    with pytest.raises(ValueError, match="path must be a whole partition of reports, got .*bare"):
        collect.tally(mechanism, [tmp_path / "bare"])
    table = pq.read_table(path)
    pq.write_table(pa.table({"report": [7]}, metadata=table.schema.metadata), tmp_path / "wrong")
    with pytest.raises(ValueError, match=r"reports must be integers in \[0, 4\), got 7"):
        collect.tally(mechanism, [tmp_path / "wrong"])


def test_the_file_says_what_it_holds(tmp_path):
    collect.save(np.array([0, 1, 2]), tmp_path / "a", GRR(k=4, epsilon=1.0))
    head = json.loads(pq.read_schema(tmp_path / "a").metadata[b"ldpnb"])
    assert head == {"mechanism": repr(GRR(k=4, epsilon=1.0)), "dtype": "<i8", "shape": []}
