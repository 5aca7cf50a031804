"""What every mechanism costs, beside its floors and beside other libraries; run by `make bench`, recorded for the book.

Ours are measured here, all of the catalogue in tests/mechanisms.py, and the others by peers.py in an environment of
their own, one after the other on one machine.  Where another library has a mechanism, peers.py calls it by our name.

usage: PYTHONPATH=tests python tests/benchmarks/speed.py <the peers' python>
"""

import json
import os
import platform
import subprocess
import sys
import tracemalloc
from functools import partial
from itertools import combinations
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from mechanisms import CATALOGUE, HELD, PACKED, candidates
from timing import Cores, least

from ldpnb import keyvalue
from ldpnb.attributes import bitflip, tables
from ldpnb.chance import SystemRandom
from ldpnb.core import named
from ldpnb.hashing import Paraboloid
from ldpnb.keyvalue import pckv, wheel
from ldpnb.keyvalue.correlation import IOH, PairSampling
from ldpnb.numbers import many_numbers
from ldpnb.oracles import olh, subset, succinct, unary
from ldpnb.sets import sampling
from ldpnb.strings.hashed import Hashed
from ldpnb_book.experiment import record

COLUMNS = ["mechanism", "library", "what", "n", "size", "epsilon", "value", "unit", "note"]
PEERS = Path(__file__).with_name("peers.py")
OURS = ("ldpnb", "numpy")  # what is measured here
LEAST_CORES = 0.9  # of a run that is recorded: caches are shared, so that with company even processor time is longer

# frequency oracles, also measured at more items than the catalogue's, and those that can pack their reports
ORACLES = ("GRR", "SUE", "OUE", "OLH", "SubsetSelection", "HadamardBit", "HadamardResponse", "SHist")
# whose server does something for every report and item: vectors of answers, and hashes
EVERY = (
    unary.UnaryEncoding,
    subset.SubsetSelection,
    olh.OLH,
    succinct.SHist,
    many_numbers.MeanEst,
    keyvalue.StateEncodingSplit,
    pckv.PCKVUE,
    sampling.SampledSUE,
    bitflip.BitFlip,
    wheel.Wheel,
    wheel.WheelKV,
)


# ------------------------------------------------------------------------------------------- what numpy would take


class Listener(np.random.Generator):
    """A generator that notes what it is asked for, so that the same numbers can be drawn without the client."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.calls = []

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name in ("bit_generator", "spawn"):
            raise ValueError(f"the client draws past the generator, by its {name}: its random numbers go unnoticed")
        if name.startswith("_") or name == "calls":
            return found

        def noted(*args, **options):
            self.calls.append((name, args, options))
            return found(*args, **options)

        return noted


def replay(calls, rng):
    """Draw again what a listener has noted, and nothing else."""
    for name, args, options in calls:
        getattr(rng, name)(*args, **options)


def random_numbers(mechanism, values):
    """Draw what the client asks of numpy, and nothing else: a function to be timed."""
    listener = Listener(1)
    mechanism.perturb(values, rng=listener)
    return partial(replay, listener.calls, np.random.default_rng(1))


def copy(reports):
    """Copy the reports, as bytes: a function to be timed."""
    found = np.ascontiguousarray(reports).reshape(-1).view(np.uint8)
    other = found.copy()
    return lambda: np.copyto(other, found)


def peak(work):
    """Most bytes in use at a time beyond those that were there before, as far as Python and numpy allocate them."""
    tracemalloc.start()
    result = work()  # noqa: F841  -- what it returns is memory too
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


# --------------------------------------------------------------------------------------------------- measurements


def shares(n, size):
    """How many of n people hold each of `size` items, a few being frequent."""
    share = 1 / np.arange(1, size + 1)
    counts = (n * share / share.sum()).astype(np.int64)
    counts[0] += n - counts.sum()
    return counts


def crowd(mechanism, n, size, trials):
    """A population of n people in the form that the simulations of this mechanism take: arguments by their names."""
    if isinstance(mechanism, IOH | PairSampling):
        shape = (3**mechanism.d,) if isinstance(mechanism, IOH) else (len(mechanism.pairs), 9)
        counts = shares(n, int(np.prod(shape))).reshape(shape)
        return {"cells": np.broadcast_to(counts, (trials, *shape))}
    if isinstance(mechanism, keyvalue.SignedTernary):
        d = mechanism.d if hasattr(mechanism, "d") else len(candidates(mechanism))
        holders = n // np.arange(1, d + 1)
        people = keyvalue.Holdings(n, np.arange(d + 1), np.full(d, 0.5), holders, np.full(d, HELD))
        return {"population": people, "trials": trials}
    if isinstance(mechanism, Hashed):
        return {"counts": shares(n, 100), "values": [f"item {i}" for i in range(100)], "trials": trials}
    return {"counts": shares(n, size), "trials": trials}


def simulations(mechanism, n, size, trials, repetitions):
    """Nanoseconds a trial for the tally of n people, by the name of the method, for all that the mechanism has."""
    found = [name for name in ("simulate", "simulate_marginals") if hasattr(mechanism, name)]
    if not found:
        return {}
    people, rng = crowd(mechanism, n, size, trials), np.random.default_rng(1)
    works = (partial(getattr(mechanism, name), **people, rng=rng) for name in found)
    return {name: taken / trials for name, taken in zip(found, least(repetitions, *works), strict=True)}


def measure(name, entry, size, *, n, epsilon, repetitions, crowd, trials):
    """Rows of the table for one mechanism; `crowd` is the number of simulated people."""
    mechanism, rng = entry.build(size, epsilon), np.random.default_rng(1)
    values = entry.people(mechanism, n, np.random.default_rng(0))
    listed, rows = None if entry.items is None else entry.items(mechanism), []

    def add(what, value, unit="ns a person", library="ldpnb", people=n, note=""):
        rows.append(dict(zip(COLUMNS, [name, library, what, people, size, epsilon, value, unit, note], strict=True)))

    def client(source=rng):
        return mechanism.perturb(values, rng=source)

    def server():
        return mechanism.estimate(mechanism.tally(reports, *named(listed)))

    reports = client()
    many = server().shape[-1]
    works = client, lambda: client(SystemRandom()), random_numbers(mechanism, values), copy(reports), server
    plain, secure, drawn, copied, served = (nanoseconds / n for nanoseconds in least(repetitions, *works))
    add("client", plain)
    add("client, secure", secure)
    add("random numbers", drawn, library="numpy", note="what the client of ldpnb draws, and nothing else")
    add("copy", copied, library="numpy", note="the reports, from memory to memory")
    add("server", served)
    if isinstance(mechanism, EVERY):
        add("server, an item", served / many, "ns a person and item")
    one = entry.people(mechanism, 1, None)
    alone = least(repetitions, *(partial(mechanism.perturb, one, rng=source) for source in (rng, SystemRandom())))
    for what, nanoseconds in zip(("client, alone", "client, alone, secure"), alone, strict=True):
        add(what, nanoseconds, people=1)
    for what, nanoseconds in simulations(mechanism, crowd, size, trials, repetitions).items():
        add(what, nanoseconds, "ns a trial", people=crowd)
    add("report", reports.nbytes / n, "bytes a person")
    add("private bits", mechanism.report_bits, "bits a person", note="to be sent, without public fields")
    add("client, peak", peak(client) / n, "bytes a person")
    add("server, peak", peak(server) / n, "bytes a person")
    return rows


def starting(repetitions, *modules):
    """Milliseconds of processor time until a fresh Python has imported the modules, the least of so many."""
    code = f"import time, {', '.join(modules)}; print(time.process_time_ns())"
    command = [sys.executable, "-c", code]
    taken = [
        int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout) for _ in range(repetitions)
    ]
    return round(min(taken) / 1e6)


def triples(*, n, d, epsilon, repetitions):
    """One row: all tables of three of d binary attributes, the likeliest by a certified EM, from the reports on."""
    entry = CATALOGUE["BitFlip"]
    mechanism = bitflip.BitFlip(sizes=(2,) * d, f=bitflip.flip_for(epsilon, 2 * d))
    rng = np.random.default_rng(1)
    reports = mechanism.perturb(entry.people(mechanism, n, rng), rng=rng)
    sets = list(combinations(range(d), 3))
    (taken,) = least(repetitions, lambda: tables.likeliest(tables.symbols(mechanism, reports), sets))
    row = ["BitFlip", "ldpnb", "triples", n, d, epsilon, taken, "ns", f"{len(sets)} tables, from the reports on"]
    return dict(zip(COLUMNS, row, strict=True))


def ids(*, n, size, epsilon, repetitions):
    """One row: ids below 2**62 in any order are counted, as the items of `olh.OLH` on an open domain would be."""
    rng = np.random.default_rng(1)
    oracle = olh.OLH(k=size, epsilon=epsilon)
    family = Paraboloid(slots=oracle.slot_count)
    seeds, slots = family.seeds(n, rng), oracle.perturb(rng.integers(0, size, n), rng=rng)["slot"]
    (taken,) = least(repetitions, partial(family.count, seeds, slots, rng.integers(0, family.prime**2, size)))
    row = [
        "OLH",
        "ldpnb",
        "server, an id",
        n,
        size,
        epsilon,
        taken / n / size,
        "ns a person and item",
        "ids below 2**62",
    ]
    return dict(zip(COLUMNS, row, strict=True))


def chosen(large):
    """Name, entry and size of all that is measured."""
    found = [(name, entry, entry.bench) for name, entry in CATALOGUE.items()]
    found += [("GRR", CATALOGUE["GRR"], 2)]
    return found + [(name, entry, large) for name, entry in CATALOGUE.items() if name in {*ORACLES, *PACKED}]


def measure_peers(python, n, k, epsilon, repetitions):
    """What peers.py has found: rows, left out, versions, cores."""
    command = [python, str(PEERS), *map(str, (n, k, epsilon, repetitions))]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def processor():
    """Name of the processor, as far as the system says it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").is_file() else []
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def measure_once(
    python, *, n, large, epsilon, repetitions, crowd, trials, attributes, peers_n, peers_k, peers_repetitions
):
    """Measure everything once: the table, what the peers say of theirs, and how many cores each had."""
    cores, rows = Cores(), []
    same = {"epsilon": epsilon, "repetitions": repetitions}
    for name, entry, size in chosen(large):
        rows += measure(name, entry, size, n=n, crowd=crowd, trials=trials, **same)
    rows += [triples(n=n, d=attributes, **same), ids(n=n, size=large, **same)]
    used = cores.used
    peers = measure_peers(python, peers_n, peers_k, epsilon, peers_repetitions)
    return pd.DataFrame(rows + peers["rows"])[COLUMNS], peers, {"ldpnb": used, "peers": peers["cores"]}


def run(python, *, rounds, **sizes):
    """Measure everything in several rounds and keep the least: the table, and what its numbers depend on.

    Rounds, because a neighbour on the same machine can be busy for minutes.  How far the least of one round is from
    that of another says how much of a difference is none.
    """
    tables, peers, used = zip(*(measure_once(python, **sizes) for _ in range(rounds)), strict=True)
    keys = [name for name in COLUMNS if name != "value"]
    groups, peers = pd.concat(tables).groupby(keys, sort=False, as_index=False)["value"], peers[0]
    table, most = groups.min(), groups.max()["value"]
    timed = table["unit"].str.startswith("ns") & table["library"].isin(OURS)
    apart = (most / table["value"])[timed]
    provenance = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "cores used": {who: min(one[who] for one in used) for who in used[0]},
        "clock": f"processor time, least of {rounds} × {sizes['repetitions']} runs or more "
        f"(others: {rounds} × {sizes['peers_repetitions']})",
        "rounds differ by": {name: round(float(apart.quantile(q)), 4) for name, q in (("median", 0.5), ("95 %", 0.95))},
        "starting, ms": {name: starting(sizes["repetitions"], name) for name in ("numpy", "ldpnb.oracles.frequency")},
        "freed memory": "kept for the next run"
        if os.environ.get("MALLOC_MMAP_MAX_") == "0"
        else "as the system has it",
        "memory": "what Python and numpy allocate, as tracemalloc sees it",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "peers": peers["versions"],
        "left out": peers["left out"],
    }
    return table[COLUMNS], provenance


def ratios(table):
    """Say the times in aligned lines: how long ours take, and how many times as long that is, or the others take."""
    found = table.pivot_table(
        "value", ["mechanism", "size"], ["what", "library"], aggfunc="first", sort=False
    )  # in the order of the table
    ours = found.xs("ldpnb", axis=1, level="library")
    said = pd.DataFrame({"client ns": ours["client"]})
    for what, short in (("random numbers", "/ random"), ("copy", "/ copy")):
        said[short] = ours["client"] / found[what, "numpy"]
    said["secure"] = ours["client, secure"] / ours["client"]
    said["server ns"] = ours["server"]
    for what, library in found.columns:
        if library not in OURS:
            said[f"{library} {what}"] = found[what, library] / ours[what]
    return said.to_string(float_format="{:,.1f}".format, na_rep="-")


def main(python):
    """Measure at full size, store the record and print the ratios."""
    table, provenance = run(
        python,
        n=100_000,
        large=1024,
        epsilon=1.0,
        rounds=2,
        repetitions=4,
        crowd=10**9,
        trials=10,
        attributes=16,
        peers_n=40_000,
        peers_k=256,
        peers_repetitions=2,
    )
    missing = [f"{name}: {reason}" for name, reason in provenance["left out"].items()]
    if len(provenance["peers"]) < 3:
        sys.exit(f"no record is written: the environment of {python} is incomplete\n" + "\n".join(missing))
    busy = {who: used for who, used in provenance["cores used"].items() if used < LEAST_CORES}
    if busy:
        print(ratios(table))
        sys.exit(f"no record is written: other programs were running, {busy} of a core for us; need {LEAST_CORES}")
    record("bench.mechanisms", table, provenance=provenance)
    print(ratios(table))
    print(*(f"left out: {line}" for line in missing), sep="\n", end="\n" if missing else "")
    print("cores used, 1 if nothing interfered:", *(f"{who} {used}" for who, used in provenance["cores used"].items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
