"""The harness of `make bench` runs from end to end, at tiny sizes and without the other libraries."""

import re
import sys
from itertools import count
from pathlib import Path

import catalogue
import numpy as np
import oracles
import pandas as pd
import peers
import pytest
import timing
from numpy.testing import assert_array_equal

from ldpnb import frequency
from ldpnb.experiment import recorded

ROOT = Path(__file__).resolve().parent.parent
TINY = {"n": 400, "k": 8, "epsilon": 4.0, "repetitions": 1}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    (tmp_path / "book" / "claims").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def measured():
    return oracles.run(sys.executable, **TINY, peers_n=400, peers_repetitions=1, cells=4, crowd=1000, trials=2)


def test_every_oracle_of_ours_is_measured(measured):
    table, provenance = measured
    ours = table[table["library"].isin(["ldpnb", "numpy"])]
    assert list(table.columns) == oracles.COLUMNS
    assert not ours.duplicated(["oracle", "library", "what"]).any()
    assert set(table["what"]) == {"client", "server", "random numbers", "simulate"}
    for oracle, rows in ours.groupby("oracle"):
        assert {"client", "server", "random numbers"} <= set(rows["what"]), oracle
    assert set(ours["oracle"]) == set(oracles.mechanisms(8, 4.0))
    assert (table["nanoseconds"] > 0).all()
    assert set(zip(*table.query("what == 'simulate'")[["n", "k"]].values.T, strict=True)) == {(1000, 4)}


def test_each_peer_is_measured_or_said_to_be_left_out(measured):
    table, provenance = measured
    assert set(provenance["peers"]) | set(provenance["left out"]) >= set(peers.LIBRARIES)
    assert set(provenance["peers"]) == set(table["library"]) - {"ldpnb", "numpy"}


def test_the_record_is_read_by_a_chapter_as_it_was_made(measured, repository, monkeypatch):
    table, provenance = measured
    complete = provenance | {"peers": {library: "1.0" for library in peers.LIBRARIES}}
    monkeypatch.setattr(oracles, "run", lambda python, **sizes: (table, complete))
    oracles.main("python")
    monkeypatch.setenv("LDPNB_REAL", "1")
    read = recorded("bench.oracles")
    pd.testing.assert_frame_equal(read, table)
    assert read.attrs["processor"] == provenance["processor"]


def test_the_catalogue_is_measured():
    table, provenance = catalogue.run(n=200, d=16, names=50, m=2, epsilon=1.0, repetitions=1)
    scans = [["scan", keys] for keys in (1, 3, 8, 16)]
    assert table[["what", "keys"]].values.tolist() == [["client", 16]] * 3 + scans + [["count", 50]]
    assert (table["nanoseconds"] > 0).all() and provenance["processor"]


def test_no_record_without_the_peers(measured, repository, monkeypatch):
    table, provenance = measured
    alone = provenance | {"peers": {"pure-ldp": "1.0"}, "left out": {"multi-freq-ldpy": "not installed"}}
    monkeypatch.setattr(oracles, "run", lambda python, **sizes: (table, alone))
    with pytest.raises(SystemExit, match="incomplete\nmulti-freq-ldpy: not installed"):
        oracles.main("python")
    assert not (repository / "book" / "recorded").exists()


def loop(k, epsilon):
    """A library like the peers, for one person at a time."""

    def perturb(values):
        return [np.eye(k)[value] for value in values]

    def wrong(values):
        raise OverflowError("too large")

    return {
        "SUE": (perturb, lambda reports: sum(reports), "a note"),
        "OUE": (wrong, lambda reports: sum(reports), ""),
        "OLH": (perturb, lambda reports: -sum(reports), ""),
    }


def test_rows_of_peers_stand_beside_ours(monkeypatch):
    def answer(python, n, k, epsilon, repetitions):
        rows, left_out = peers.measure({"loop": loop}, n=n, k=k, epsilon=epsilon, repetitions=repetitions)
        return {"rows": rows, "left out": left_out, "versions": {"loop": "1.0"}, "cores": 1.0}

    monkeypatch.setattr(oracles, "measure_peers", answer)
    sizes = {"peers_n": 300, "peers_repetitions": 2, "cells": 4, "crowd": 1000, "trials": 2}
    table, provenance = oracles.run("python", **TINY, **sizes)
    theirs = table[table["library"] == "loop"]
    assert theirs[["oracle", "what", "n"]].values.tolist() == [["SUE", "client", 300], ["SUE", "server", 300]]
    assert provenance["peers"] == {"loop": "1.0"}
    assert "loop: OUE" in provenance["left out"]


def absent(k, epsilon):
    raise ModuleNotFoundError("No module named 'absent'")


def test_a_peer_that_fails_is_left_out_with_its_reason():
    rows, left_out = peers.measure({"loop": loop, "absent": absent}, **TINY)
    assert [(row["oracle"], row["what"], row["note"]) for row in rows] == [
        ("SUE", "client", "a note"),
        ("SUE", "server", "a note"),
    ]
    assert {*rows[0]} == {*oracles.COLUMNS}
    assert left_out.keys() == {"loop: OUE", "loop: OLH", "absent"}
    assert left_out["loop: OUE"] == "OverflowError: too large"
    assert "is it called correctly?" in left_out["loop: OLH"]


def test_times_are_medians_without_the_first_run(monkeypatch):
    clock = iter([0, 5, 10, 13, 20, 120])
    monkeypatch.setattr(timing.time, "process_time_ns", lambda: next(clock))
    runs = []
    assert timing.median(lambda: runs.append(1), 3) == 5
    assert len(runs) == 4


def test_times_are_a_person(monkeypatch):
    clock = count(step=1000)
    monkeypatch.setattr(timing.time, "process_time_ns", lambda: next(clock))
    assert timing.client_and_server(list, np.bincount, timing.people(500, 5), 3) == {"client": 2.0, "server": 2.0}


def test_the_listener_draws_what_a_generator_draws_and_notes_it():
    mechanism, values = frequency.GRR(k=8, epsilon=1), timing.people(50, 8)
    listener = oracles.Listener(1)
    heard = mechanism.perturb(values, rng=listener)
    assert_array_equal(heard, mechanism.perturb(values, rng=np.random.default_rng(1)))
    assert [name for name, *_ in listener.calls] == ["random", "integers"]
    again = np.random.default_rng(1)
    drawn = [getattr(again, name)(*args, **options) for name, args, options in listener.calls]
    assert [len(numbers) for numbers in drawn] == [50, 50]


@pytest.mark.parametrize("name", ["bit_generator", "spawn"])
def test_the_listener_refuses_what_it_cannot_hear(name):
    with pytest.raises(ValueError, match="past the generator"):
        getattr(oracles.Listener(1), name)


def test_ratios_by_hand():
    rows = [
        ("OLH", "ldpnb", "client", 10.0),
        ("OLH", "numpy", "random numbers", 4.0),
        ("OLH", "ldpnb", "server", 160.0),
        ("OLH", "ldpnb", "simulate", 2e6),
        ("OLH", "loop", "client", 55.0),
        ("OLH", "loop", "server", 320.0),
        ("k-Subset", "loop", "client", 7.0),
    ]
    table = pd.DataFrame(rows, columns=["oracle", "library", "what", "nanoseconds"]).assign(n=100, k=64)
    assert [re.split("  +", line) for line in oracles.ratios(table).splitlines()] == [
        ["oracle", "client ns", "/ random", "loop", "server ns", "loop"],
        ["OLH", "10.0", "2.5 x", "5.5 x", "160.0", "2.0 x"],
        ["k-Subset", "-", "-", "-", "-", "-"],
        ["OLH decodes in 2.50 ns a person and item"],
        ["OLH simulates 1e+02 people, k = 64, in 2.000 ms"],
    ]


def test_peers_run_on_the_versions_that_we_run_on():
    def pins(path):
        return dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / path).read_text("utf-8"), flags=re.M))

    theirs, ours = pins("tests/benchmarks/peers.txt"), pins("requirements.txt")
    assert set(peers.LIBRARIES) <= set(theirs)
    # or the ratios would compare versions of numpy
    assert [theirs[name] for name in ("numpy", "scipy", "numba")] == [
        ours[name] for name in ("numpy", "scipy", "numba")
    ]
