"""The audit of other packages: what is recorded, and the harness of `make wild` without those packages."""

import subprocess
import sys

import clients
import numpy as np
import pytest
import wild

from ldpnb_book.experiment import recorded

TABLE = recorded("wild")


@pytest.mark.parametrize("at", range(len(TABLE)))
def test_every_run_of_what_is_broken_is_flagged_and_no_other(at):
    row = TABLE.iloc[at]
    assert row["flagged runs"] == (5 if row["broken"] and not row["missed"] else 0)
    assert row["runs"] == 5 and row["level"] == 1e-3
    assert (row["least bound"] > row["stated"]) == (row["flagged runs"] == 5)


def test_what_is_broken_has_its_control_and_misses_are_said():
    for case, rows in TABLE.groupby("case"):
        assert case == "right" or set(rows["broken"]) == {True, False}, case
    assert TABLE[TABLE["missed"]]["client"].tolist() == ["Laplace"]  # without features
    assert not TABLE[TABLE["case"] == "right"]["broken"].any()


def test_the_record_is_of_the_clients_that_are_there():
    asked = [(c.case, c.package, c.version, c.broken, c.client, c.features, c.missed) for c in clients.CASES]
    columns = ["case", "package", "version", "broken", "client", "features", "missed"]
    assert TABLE[columns].apply(tuple, axis=1).tolist() == asked
    assert TABLE["samples"].tolist() == [case.samples for case in clients.CASES]
    assert TABLE.attrs["the test to copy"] == wild.COPIES and TABLE.attrs["date"] >= "2026-11-25"


def test_every_release_is_pinned_by_its_hash():
    pins = wild.pins()
    assert {f"{case.package}-{case.version}" for case in clients.CASES} | {"deprecated-1.3.1"} == set(pins)
    assert sorted(pins) == TABLE.attrs["releases"]
    assert all(" \\\n    --hash=sha256:" in pin for pin in pins.values())


def test_a_record_with_a_wrong_row_is_refused():
    assert wild.wrong(TABLE) == []
    for at in (0, 1):
        changed = TABLE.copy()
        changed.loc[at, "flagged runs"] = 4
        (said,) = wild.wrong(changed)
        assert said.startswith(f"opendp {TABLE['version'][at]}") and said.endswith("flagged in 4")


def test_reports_are_handed_over_as_they_were():
    reports = [b"\x00\xff\x00", True, 0.1, "no"]
    assert clients.read(clients.json.dumps([*map(clients.plain, reports)])) == reports
    assert clients.plain(np.array([1, 0])) == [1, 0] and clients.plain(np.float64(0.5)) == 0.5


def drawn_by(client, stated, runs=2, samples=1000):
    rng = np.random.default_rng(7)  # another seed than those of the audits, or halves and reports depend on each other
    reports = [[[client(x, rng) for _ in range(samples)] for x in (0, 1)] for _ in range(runs)]
    return {"stated": stated, "reports": reports, "seconds": 0.0, "python": "3.x"}


def test_a_row_says_what_the_audit_found():
    """ε = ln 19 by one lie in twenty; with fixed seeds, and bounds far from 0.3 and ln 19."""
    case = clients.CASES[0]
    told = [wild.measure(case, drawn_by(lambda x, rng: x ^ (rng.random() < 0.05), stated)) for stated in (0.3, 2.95)]
    assert [row["flagged runs"] for row in told] == [2, 0]
    assert told[0].keys() == set(TABLE.columns)
    assert told[0]["least bound"] <= told[0]["largest bound"] and told[0]["held out"] == 500


def test_digits_tell_what_was_added_to_zero():
    assert wild.digits([0.25, 0.3, 0.75, -0.3, 2.0**-60]).tolist() == [[1, 1], [1, 0], [0, 1], [0, 0], [1, 0]]


BINARY = next(at for at, case in enumerate(clients.CASES) if case.client == "Binary")
FAKE = """
class Binary:
    def __init__(self, epsilon, value0, value1):
        self.values = value0, value1
    def randomise(self, value):
        return self.values[value == self.values[0]]
"""


def package(folder, release):
    """Write a package with the name of another one, whose client always lies."""
    (folder / "diffprivlib").mkdir(parents=True)
    (folder / "diffprivlib" / "__init__.py").touch()
    (folder / "diffprivlib" / "mechanisms.py").write_text(FAKE)
    (folder / f"diffprivlib-{release}.dist-info").mkdir()
    (folder / f"diffprivlib-{release}.dist-info" / "METADATA").write_text(f"Name: diffprivlib\nVersion: {release}\n")
    return folder


def test_a_release_is_drawn_from_in_its_own_process(tmp_path):
    answer = wild.draw(sys.executable, package(tmp_path, "0.6.6"), BINARY, 2, 3)
    assert answer["reports"] == [[["yes"] * 3, ["no"] * 3]] * 2 and answer["stated"] == 1.0
    assert "diffprivlib" not in sys.modules


def test_another_release_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match=r"diffprivlib 0\.6\.6: ValueError: diffprivlib 0\.6\.5 from"):
        wild.draw(sys.executable, package(tmp_path, "0.6.5"), BINARY, 1, 1)


def test_what_cannot_be_installed_is_named_and_what_is_there_is_kept(tmp_path, monkeypatch):
    there, *missing = wild.pins()
    (tmp_path / there).mkdir()
    (tmp_path / there / ".ready").touch()
    asked = []

    def run(command, **rest):
        asked.append(command)
        return subprocess.CompletedProcess(command, len(asked) == 1, "", "a line\nno such release\n")

    monkeypatch.setattr(subprocess, "run", run)
    for name in missing[1:]:
        (tmp_path / name).mkdir()
    assert wild.install("python", tmp_path) == {missing[0]: "no such release"}
    assert len(asked) == len(missing) and {"--no-deps", "--require-hashes", "--target"} <= set(asked[0])
    assert (tmp_path / missing[1] / ".ready").exists() and not (tmp_path / missing[0] / ".ready").exists()


def test_nothing_is_recorded_that_is_not_as_it_must_be(monkeypatch):
    stored = []
    monkeypatch.setattr(wild, "record", lambda *args, **rest: stored.append(args))
    monkeypatch.setattr(wild, "install", lambda *args: {})
    monkeypatch.setattr(wild, "copied", lambda release, beside: wild.COPIES[release.name])
    for flagged, failed in ((5, {"a-1": "no such release"}), (4, {})):
        monkeypatch.setattr(wild, "install", lambda *args, failed=failed: failed)
        monkeypatch.setattr(wild, "run", lambda *args, flagged=flagged: TABLE.replace({"flagged runs": {5: flagged}}))
        with pytest.raises(SystemExit, match="a-1 cannot be installed" if failed else "flagged in 4"):
            wild.main("x/bin/python")
    monkeypatch.setattr(wild, "run", lambda *args: TABLE)
    assert not stored
    wild.main("x/bin/python")
    assert len(stored) == 1
    monkeypatch.setattr(wild, "copied", lambda *args: {"passed": 4})
    with pytest.raises(SystemExit, match="the test to copy found"):
        wild.main("x/bin/python")


# ------------------------------------------------------------------------------------------------- the test to copy

RESTATED = '''
"""Randomized response on the bits of a vector, with as many coins as it has bits, or one too few."""
import random
from math import log
class m:
    @staticmethod
    def make_randomized_response_bitvec(domain, distance, f):
        def client(value):
            coins = 8 * len(value) - TOO_FEW
            flips = random.getrandbits(coins) & random.getrandbits(coins)  # f = 0.5
            return (int.from_bytes(value, "little") ^ flips).to_bytes(len(value), "little")
        client.map = lambda distance: 2 * log((1 - f / 2) / (f / 2))
        return client
enable_features = lambda name: None
bitvector_domain = lambda max_weight: None
discrete_distance = lambda: None
'''


@pytest.mark.slow
@pytest.mark.parametrize(("too_few", "expected"), [(0, {"passed": 4}), (1, {"failed": 1, "passed": 3})])
def test_the_test_to_copy_fails_where_it_must(too_few, expected, tmp_path):
    """A false alarm comes once in a million runs at most."""
    (tmp_path / "opendp").mkdir()
    (tmp_path / "opendp" / "prelude.py").write_text(RESTATED.replace("TOO_FEW", str(too_few)))
    assert wild.copied(tmp_path) == expected
