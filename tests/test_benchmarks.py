"""The harness of `make bench` runs from end to end, at tiny sizes and without the other libraries."""

import re
import sys
from itertools import count
from pathlib import Path

import catalogue
import numpy as np
import pandas as pd
import peers
import pytest
import speed
import timing
from mechanisms import CATALOGUE, PACKED
from numpy.testing import assert_array_equal

from ldpnb.oracles import grr
from ldpnb_book.experiment import recorded

ROOT = Path(__file__).resolve().parent.parent
TINY = {"n": 400, "k": 8, "epsilon": 4.0, "repetitions": 1}
SIZES = {"n": 40, "large": 12, "epsilon": 4.0, "repetitions": 1, "crowd": 10**9, "trials": 2, "attributes": 4}
SIZES |= {"peers_n": 400, "peers_k": 8, "peers_repetitions": 1, "rounds": 2}
ONE = {"n": 1000, "epsilon": 1.0, "repetitions": 1, "crowd": 1000, "trials": 1}
TIMES = {"client", "client, secure", "client, alone", "client, alone, secure", "random numbers", "copy", "server"}
QUIET = {"ldpnb": 1.0, "peers": 0.9}
MEMORY = {"report", "private bits", "client, peak", "server, peak"}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    (tmp_path / "book" / "claims").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(timing, "LONG", 0)


@pytest.fixture
def started(monkeypatch):
    monkeypatch.setattr(speed, "starting", lambda repetitions, *modules: 1)


@pytest.fixture(scope="module")
def measured():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timing, "ENOUGH", 1)
        patch.setattr(timing, "LONG", 1)
        return speed.run(sys.executable, **SIZES)


def test_every_mechanism_is_measured(measured):
    table, _ = measured
    ours = table[table["library"].isin(["ldpnb", "numpy"])]
    assert list(table.columns) == speed.COLUMNS
    assert not ours.duplicated(["mechanism", "size", "library", "what"]).any()
    for (name, size), rows in ours.query("what != 'triples'").groupby(["mechanism", "size"]):
        assert set(rows["what"]) >= TIMES | MEMORY, name
        assert set(rows["n"]) <= {1, 40, 10**9} and size in (2, 12, CATALOGUE[name].bench), name
    assert set(ours["mechanism"]) == set(CATALOGUE)
    assert set(ours.query("size == 12")["mechanism"]) == {*speed.ORACLES, *PACKED}
    assert (table["value"] > 0).all()
    assert ours.query("what == 'triples'")["note"].tolist() == ["4 tables, from the reports on"]


def test_reports_are_packed_where_they_are_said_to_be(measured):
    table, _ = measured
    report = table.query("what == 'report' and size == 256").set_index("mechanism")["value"]
    for name in PACKED:
        assert report[name.split(",")[0]] == 8 * report[name] == 256, name


def test_whatever_can_be_simulated_is(measured):
    table, _ = measured
    for name, entry in CATALOGUE.items():
        can = {method for method in ("simulate", "simulate_marginals") if hasattr(entry.kind, method)}
        found = table.query("mechanism == @name and size == @entry.bench and n == 10**9")
        assert set(found["what"]) == can and set(found["unit"]) <= {"ns a trial"}, name


def test_a_crowd_is_what_it_is_said_to_be():
    for name in ("GRR", "ORR", "IOH", "PairSampling", "PCKVUE"):
        mechanism = CATALOGUE[name].build(CATALOGUE[name].bench, 1.0)
        method = getattr(mechanism, "simulate", None) or mechanism.simulate_marginals
        people = speed.crowd(mechanism, 10**6, CATALOGUE[name].bench, 3)
        tally = method(**people, rng=np.random.default_rng(0))
        assert tally.n == 10**6 and len(tally.counts) == 3, name


def test_time_an_item_is_time_over_items(measured):
    table, _ = measured
    times = table.query("size == 256 and library == 'ldpnb'").set_index(["mechanism", "what"])["value"]
    for name in ("OLH", "OUE", "WheelKV", "PCKVUE"):
        assert times[name, "server"] == pytest.approx(256 * times[name, "server, an item"]), name
    assert ("GRR", "server, an item") not in times  # counts each report once, whatever the number of items


def test_memory_is_that_of_the_arrays():
    assert speed.peak(lambda: np.zeros(10**6, np.uint8)) == pytest.approx(10**6, rel=0.01)
    assert speed.peak(lambda: len(np.zeros(10**6, np.uint8))) == pytest.approx(10**6, rel=0.01)
    row = {row["what"]: row["value"] for row in speed.measure("GRR", CATALOGUE["GRR"], 8, **ONE)}
    assert row["report"] == 8 and row["client, peak"] >= 8


def test_each_peer_is_measured_or_said_to_be_left_out(measured):
    table, provenance = measured
    assert set(provenance["peers"]) | set(provenance["left out"]) >= set(peers.LIBRARIES)
    assert set(provenance["peers"]) == set(table["library"]) - {"ldpnb", "numpy"}


def test_the_record_is_read_by_a_chapter_as_it_was_made(measured, repository, monkeypatch):
    table, provenance = measured
    complete = provenance | {"peers": {library: "1.0" for library in peers.LIBRARIES}, "cores used": QUIET}
    monkeypatch.setattr(speed, "run", lambda python, **sizes: (table, complete))
    speed.main("python")
    monkeypatch.setenv("LDPNB_REAL", "1")
    read = recorded("bench.mechanisms")
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
    monkeypatch.setattr(speed, "run", lambda python, **sizes: (table, alone))
    with pytest.raises(SystemExit, match="incomplete\nmulti-freq-ldpy: not installed"):
        speed.main("python")
    assert not (repository / "book" / "recorded").exists()


@pytest.mark.parametrize("who", QUIET)
def test_no_record_from_a_busy_machine(who, measured, repository, monkeypatch):
    table, provenance = measured
    complete = {library: "1.0" for library in peers.LIBRARIES}
    busy = provenance | {"peers": complete, "cores used": QUIET | {who: 0.89}}
    monkeypatch.setattr(speed, "run", lambda python, **sizes: (table, busy))
    with pytest.raises(
        SystemExit, match=rf"other programs were running, \{{'{who}': 0.89\}} of a core for us; need 0.9"
    ):
        speed.main("python")
    assert not (repository / "book" / "recorded").exists()


def loop(k, epsilon):
    """A library like the peers, for one person at a time."""

    def perturb(values):
        return [np.eye(k)[value] for value in values]

    def wrong(values):
        raise OverflowError("too large")

    return {
        "SUE": peers.Oracle(perturb, sum, "a note"),
        "OUE": peers.Oracle(wrong, sum),
        "OLH": peers.Oracle(perturb, lambda reports: -sum(reports)),
        "GRR": peers.Oracle(perturb, sum, served=False),
    }


def test_rows_of_peers_stand_beside_ours(monkeypatch, started):
    def answer(python, n, k, epsilon, repetitions):
        rows, left_out = peers.measure({"loop": loop}, n=n, k=k, epsilon=epsilon, repetitions=repetitions)
        return {"rows": rows, "left out": left_out, "versions": {"loop": "1.0"}, "cores": 1.0}

    monkeypatch.setattr(speed, "measure_peers", answer)
    monkeypatch.setattr(speed, "chosen", lambda large: [("GRR", CATALOGUE["GRR"], 2)])
    table, provenance = speed.run("python", **SIZES)
    theirs = table[table["library"] == "loop"]
    assert theirs[["mechanism", "what", "size"]].values.tolist() == [
        ["SUE", "client", 8],
        ["SUE", "server", 8],
        ["GRR", "client", 8],
        ["GRR", "client", 2],
    ]
    assert set(theirs["n"]) == {400}
    assert provenance["peers"] == {"loop": "1.0"}
    assert "loop: OUE, k = 8" in provenance["left out"]


def test_of_several_rounds_the_least_is_kept(monkeypatch, started):
    row = dict.fromkeys(speed.COLUMNS, "") | {"n": 1, "size": 2, "epsilon": 1.0}
    rounds = iter([((3.0, 1.0), 0.9), ((2.0, 5.0), 0.7)])

    def once(python, **sizes):
        times, cores = next(rounds)
        rows = [row | {"mechanism": name, "value": value} for name, value in zip("ba", times, strict=True)]
        answer = {"versions": {}, "left out": {}}
        return pd.DataFrame(rows)[speed.COLUMNS], answer, {"ldpnb": cores, "peers": 1.0}

    monkeypatch.setattr(speed, "measure_once", once)
    table, provenance = speed.run("python", rounds=2, repetitions=4, peers_repetitions=1)
    assert table[["mechanism", "value"]].values.tolist() == [["b", 2.0], ["a", 1.0]]
    assert provenance["cores used"] == {"ldpnb": 0.7, "peers": 1.0}


def test_rounds_say_how_far_they_differ(monkeypatch, started):
    row = dict.fromkeys(speed.COLUMNS, "") | {"n": 1, "size": 2, "epsilon": 1.0}
    kinds = ("ldpnb", "ns"), ("numpy", "ns a person"), ("ldpnb", "ns a trial"), ("loop", "ns"), ("ldpnb", "bytes")
    rounds = iter([(2.0, 3.0, 1.0, 1.0, 1.0), (2.2, 2.0, 1.0, 9.0, 9.0), (2.0, 2.5, 1.0, 1.0, 1.0)])

    def once(python, **sizes):
        rows = [
            row | {"library": library, "unit": unit, "value": value}
            for (library, unit), value in zip(kinds, next(rounds), strict=True)
        ]
        return pd.DataFrame(rows)[speed.COLUMNS], {"versions": {}, "left out": {}}, {"ldpnb": 1.0, "peers": 1.0}

    monkeypatch.setattr(speed, "measure_once", once)
    _, provenance = speed.run("python", rounds=3, repetitions=4, peers_repetitions=1)
    assert provenance["rounds differ by"] == {"median": 1.1, "95 %": 1.46}  # of 1, 1.1 and 1.5


def test_starting_takes_longer_with_more_to_import():
    assert 0 < speed.starting(1, "sys") < speed.starting(1, "ldpnb.oracles.frequency")


def absent(k, epsilon):
    raise ModuleNotFoundError("No module named 'absent'")


def test_a_peer_that_fails_is_left_out_with_its_reason():
    rows, left_out = peers.measure({"loop": loop, "absent": absent}, **TINY)
    assert [(row["mechanism"], row["what"], row["note"]) for row in rows if row["size"] == 8] == [
        ("SUE", "client", "a note"),
        ("SUE", "server", "a note"),
        ("GRR", "client", ""),
    ]
    assert {*rows[0]} == {*speed.COLUMNS}
    assert left_out.keys() == {"loop: OUE, k = 8", "loop: OLH, k = 8", "absent"}
    assert left_out["loop: OUE, k = 8"] == "OverflowError: too large"
    assert "is it called correctly?" in left_out["loop: OLH, k = 8"]


def test_a_client_is_checked_without_a_server_of_its_own():
    library = {"GRR": peers.Oracle(list, lambda reports: -np.bincount(reports), served=False)}
    rows, left_out = peers.measure({"wrong": lambda k, epsilon: library}, **TINY)
    assert not rows and "is it called correctly?" in left_out["wrong: GRR, k = 8"]


def test_times_are_the_least_without_the_first_run(monkeypatch):
    monkeypatch.setattr(timing, "ENOUGH", 1)
    clock = iter([0, 1, 0, 5, 10, 13, 20, 120])
    monkeypatch.setattr(timing.time, "process_time_ns", lambda: next(clock))
    runs = []
    assert timing.least(3, lambda: runs.append(1)) == [3]
    assert len(runs) == 4 and not list(clock)


def test_runs_go_on_until_they_have_lasted_long_enough(monkeypatch):
    clock = iter([0, 7_000_000, 0, 5, 10, 13, 20, 120])
    monkeypatch.setattr(timing.time, "process_time_ns", lambda: next(clock))
    monkeypatch.setattr(timing, "ENOUGH", 1)
    monkeypatch.setattr(timing, "LONG", 9)  # reached by 5 + 3 + 100, not by 5 + 3
    assert timing.least(1, lambda: None) == [3]
    assert not list(clock)


@pytest.mark.parametrize(("long", "rounds"), [(0, 2), (46, 2), (47, 3), (60, 3)])
def test_works_take_turns_equally_many(long, rounds, monkeypatch):
    taken = iter([9, 30, 9, 4, 10, 2, 13, 1])  # two works, twice each, one after the other; then turns
    clock = (at for one in taken for at in (0, one))
    monkeypatch.setattr(timing.time, "process_time_ns", lambda: next(clock))
    monkeypatch.setattr(timing, "ENOUGH", 1)
    monkeypatch.setattr(timing, "LONG", long)  # 34 after the first turn, 46 after the second, 60 after the third
    turns = []
    least = timing.least(2, lambda: turns.append("a"), lambda: turns.append("b"))
    assert least == [10, min((4, 2, 1)[:rounds])]
    assert "".join(turns) == "aabb" + "ab" * (rounds - 1)


def test_short_work_is_doubled_until_a_run_is_long_enough(monkeypatch):
    taken = iter([9_000_000, 400_000, 700_000, 1_200_000, 1_000_000, 4_000_000])  # cold; 1, 2, 4 calls; two runs more
    clock = (at for one in taken for at in (0, one))
    monkeypatch.setattr(timing.time, "process_time_ns", lambda: next(clock))
    runs = []
    assert timing.least(3, lambda: runs.append(1)) == [250_000]  # four calls each
    assert len(runs) == 1 + (1 + 2 + 4) + 2 * 4 and not list(taken)


def test_times_are_a_person(monkeypatch):
    clock = count(step=1_000_000)
    monkeypatch.setattr(timing.time, "process_time_ns", lambda: next(clock))
    times = timing.client_and_server(list, np.bincount, timing.people(500, 5), 3)
    assert times == {"client": 2000.0, "server": 2000.0}


def test_the_listener_draws_what_a_generator_draws_and_notes_it():
    mechanism, values = grr.GRR(k=8, epsilon=1), timing.people(50, 8)
    listener = speed.Listener(1)
    heard = mechanism.perturb(values, rng=listener)
    assert_array_equal(heard, mechanism.perturb(values, rng=np.random.default_rng(1)))
    assert [name for name, *_ in listener.calls] == ["random", "integers"]


def state(rng):
    """Everything that a generator's next numbers depend on."""
    return np.random.Generator.bit_generator.__get__(rng).state


def alike(calls, others):
    """Whether the same was asked for in the same order: name, shapes, bounds and options."""

    def said(call):
        name, args, options = call
        return [name, *(np.asarray(x).tolist() for x in args), *((key, str(x)) for key, x in options.items())]

    return [said(call) for call in calls] == [said(call) for call in others]


def replays(mechanism, values, change=lambda calls: calls):
    """Whether client and replay of its calls, some of them changed, draw the same; calls, and complete states."""
    listener, again, plain, twin = speed.Listener(1), speed.Listener(1), np.random.default_rng(1), speed.Listener(1)
    mechanism.perturb(values, rng=listener)
    mechanism.perturb(values, rng=plain)
    speed.replay(change(listener.calls), again)
    mechanism.perturb(values, rng=twin)  # what it asks for now, whatever became of the arrays that were noted
    return alike(again.calls, twin.calls) and state(again) == state(plain)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_replay_draws_what_the_client_draws(name):
    entry = CATALOGUE[name]
    mechanism = entry.build(entry.bench, 1.0)
    values = entry.people(mechanism, 40, np.random.default_rng(0))
    assert replays(mechanism, values)
    assert not replays(mechanism, values, lambda calls: calls[1:])
    assert not replays(mechanism, values, lambda calls: [*calls, ("random", (1,), {})])


def test_another_replay_is_noticed():
    mechanism, values = grr.GRR(k=8, epsilon=1), timing.people(50, 8)
    assert replays(mechanism, values)
    assert not replays(mechanism, values, lambda calls: calls[::-1])
    assert not replays(mechanism, values, lambda calls: [("random", (20,), {}), ("random", (30,), {}), calls[1]])
    assert not replays(mechanism, values, lambda calls: [("standard_normal", (50,), {}), calls[1]])


def test_what_is_timed_is_the_replay(monkeypatch):
    replayed = []
    monkeypatch.setattr(speed, "replay", lambda calls, rng: replayed.append((len(calls), state(rng))))
    speed.random_numbers(grr.GRR(k=8, epsilon=1), timing.people(50, 8))()
    assert replayed == [(2, state(np.random.default_rng(1)))]


@pytest.mark.parametrize("name", ["bit_generator", "spawn"])
def test_the_listener_refuses_what_it_cannot_hear(name):
    with pytest.raises(ValueError, match="past the generator"):
        getattr(speed.Listener(1), name)


def test_ratios_by_hand():
    rows = [
        ("OLH", "ldpnb", "client", 10.0),
        ("OLH", "ldpnb", "client, secure", 30.0),
        ("OLH", "numpy", "random numbers", 4.0),
        ("OLH", "numpy", "copy", 2.0),
        ("OLH", "ldpnb", "server", 160.0),
        ("OLH", "loop", "client", 55.0),
        ("OLH", "loop", "server", 320.0),
        ("SubsetSelection", "loop", "client", 7.0),
    ]
    table = pd.DataFrame(rows, columns=["mechanism", "library", "what", "value"]).assign(n=100, size=64)
    said = [line.split() for line in speed.ratios(table).splitlines()]
    assert said[0] == "client ns / random / copy secure server ns loop client loop server".split()
    assert said[2] == "OLH 64 10.0 2.5 5.0 3.0 160.0 5.5 2.0".split()
    assert said[3] == "SubsetSelection 64 - - - - - - -".split()


def test_peers_run_on_the_versions_that_we_run_on():
    def pins(path):
        return dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / path).read_text("utf-8"), flags=re.M))

    theirs, ours = pins("tests/benchmarks/peers.txt"), pins("requirements.txt")
    assert set(peers.LIBRARIES) <= set(theirs)
    # or the ratios would compare versions of numpy
    assert [theirs[name] for name in ("numpy", "scipy", "numba")] == [
        ours[name] for name in ("numpy", "scipy", "numba")
    ]
