"""What our frequency oracles cost beside those of other libraries, recorded for the book; run by `make bench`.

Ours are measured here, the others by peers.py in an environment of their own, one after the other on one machine.
To add an oracle, name it in `mechanisms`; where another library has it, peers.py calls it by the same name.

usage: python oracles.py <the peers' python>
"""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from timing import Cores, client_and_server, median, people

from ldpnb import frequency, onebit
from ldpnb.experiment import record

COLUMNS = ["oracle", "library", "what", "n", "k", "epsilon", "nanoseconds", "note"]
PEERS = Path(__file__).with_name("peers.py")


def mechanisms(k, epsilon):
    """Return our frequency oracles, by the names under which they are compared."""
    return {
        "k-RR": frequency.GRR(k=k, epsilon=epsilon),
        "SUE": frequency.SUE(k=k, epsilon=epsilon),
        "OUE": frequency.OUE(k=k, epsilon=epsilon),
        "OLH": frequency.OLH(k=k, epsilon=epsilon),
        "k-Subset": frequency.SubsetSelection(k=k, epsilon=epsilon),
        "Hadamard response": onebit.HadamardResponse(k=k, epsilon=epsilon),
        "one-bit Hadamard": onebit.HadamardBit(k=k, epsilon=epsilon),
        "S-Hist": onebit.SHist(k=k, epsilon=epsilon, m=4096),
        "PCE": onebit.PCE(k=k, levels=(epsilon,)),
    }


def values_of(mechanism, items):
    """Put items into the form that a mechanism's client takes."""
    if isinstance(mechanism, onebit.PCE):
        return onebit.people(items, np.zeros_like(items))
    return items


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


def random_numbers(mechanism, values, repetitions):
    """Nanoseconds a person that numpy takes to draw what the client asks of it."""
    listener, rng = Listener(1), np.random.default_rng(1)
    mechanism.perturb(values, rng=listener)

    def draw():
        for name, args, options in listener.calls:
            getattr(rng, name)(*args, **options)

    return median(draw, repetitions) / len(values)


def simulation(mechanism, k, n, trials, repetitions):
    """Nanoseconds a trial for the tally of n people, a few items being frequent."""
    share = 1 / np.arange(1, k + 1)
    counts = (n * share / share.sum()).astype(np.int64)
    counts[0] += n - counts.sum()
    rng = np.random.default_rng(1)
    return median(lambda: mechanism.simulate(counts, trials=trials, rng=rng), repetitions) / trials


def measure_ours(n, k, epsilon, repetitions, *, cells, crowd, trials):
    """Rows of the table for the package, and for numpy; `cells` and `crowd` are k and n of the simulated people."""
    rows, items = [], people(n, k)

    def add(oracle, library, what, nanoseconds, size=(n, k), note=""):
        row = [oracle, library, what, *size, epsilon, nanoseconds, note]
        rows.append(dict(zip(COLUMNS, row, strict=True)))

    for oracle, mechanism in mechanisms(k, epsilon).items():
        values, rng = values_of(mechanism, items), np.random.default_rng(1)
        times = client_and_server(
            lambda values, m=mechanism, rng=rng: m.perturb(values, rng=rng),
            lambda reports, m=mechanism: m.estimate(m.tally(reports)),
            values,
            repetitions,
        )
        for what, nanoseconds in times.items():
            add(oracle, "ldpnb", what, nanoseconds)
        drawn = random_numbers(mechanism, values, repetitions)
        add(oracle, "numpy", "random numbers", drawn, note="what the client of ldpnb draws, and nothing else")
    for oracle, mechanism in mechanisms(cells, epsilon).items():
        if hasattr(mechanism, "simulate"):
            nanoseconds = simulation(mechanism, cells, crowd, trials, repetitions)
            add(oracle, "ldpnb", "simulate", nanoseconds, (crowd, cells), "a trial, not a person")
    return rows


def measure_peers(python, n, k, epsilon, repetitions):
    """What peers.py has found: rows, left out, versions, cores."""
    command = [python, str(PEERS), *map(str, (n, k, epsilon, repetitions))]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def processor():
    """Name of the processor, as far as the system says it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").is_file() else []
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def run(python, *, n, peers_n, k, epsilon, repetitions, peers_repetitions, cells, crowd, trials):
    """Measure everything: the table, and what its numbers depend on."""
    cores = Cores()
    rows = measure_ours(n, k, epsilon, repetitions, cells=cells, crowd=crowd, trials=trials)
    used = cores.used
    peers = measure_peers(python, peers_n, k, epsilon, peers_repetitions)
    provenance = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "cores used": {"ldpnb": used, "peers": peers["cores"]},
        "clock": "processor time, median",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "peers": peers["versions"],
        "left out": peers["left out"],
    }
    return pd.DataFrame(rows + peers["rows"])[COLUMNS], provenance


def ratios(table):
    """Say the table in aligned lines: how long ours take, and how many times as long the others do."""
    found = table.set_index(["what", "oracle", "library"])["nanoseconds"].to_dict()

    def cell(what, oracle, library, mine):
        """How many times mine another time is; a dash where there is none."""
        other = found.get((what, oracle, library))
        return f"{other / mine:.1f} x" if other and mine else "-"

    # dict: in the order of the table, and each once
    others = list(dict.fromkeys(table.loc[~table["library"].isin(["ldpnb", "numpy"]), "library"]))
    lines = [["oracle", "client ns", "/ random", *others, "server ns", *others]]
    for oracle in dict.fromkeys(table["oracle"]):
        client, server = (found.get((what, oracle, "ldpnb")) for what in ("client", "server"))
        drawn = found.get(("random numbers", oracle, "numpy"))
        lines.append(
            [oracle, f"{client:.1f}" if client else "-", f"{client / drawn:.1f} x" if client and drawn else "-"]
            + [cell("client", oracle, library, client) for library in others]
            + [f"{server:.1f}" if server else "-"]
            + [cell("server", oracle, library, server) for library in others]
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    said = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]
    decoded = table.query("oracle == 'OLH' and library == 'ldpnb' and what == 'server'")
    said += [f"OLH decodes in {row.nanoseconds / row.k:.2f} ns a person and item" for row in decoded.itertuples()]
    simulated = table.query("what == 'simulate'")
    said += [
        f"{row.oracle} simulates {row.n:.0e} people, k = {row.k}, in {row.nanoseconds / 1e6:.3f} ms"
        for row in simulated.itertuples()
    ]
    return "\n".join(said)


def main(python):
    """Measure at full size, store the record and print the ratios."""
    table, provenance = run(
        python,
        n=100_000,
        peers_n=100_000,
        k=256,
        epsilon=1.0,
        repetitions=9,
        peers_repetitions=3,
        cells=1024,
        crowd=10**9,
        trials=10,
    )
    missing = [f"{name}: {reason}" for name, reason in provenance["left out"].items()]
    if len(provenance["peers"]) < 2:
        sys.exit(f"no record is written: the environment of {python} is incomplete\n" + "\n".join(missing))
    record("bench.oracles", table, provenance=provenance)
    print(ratios(table))
    print(*(f"left out: {line}" for line in missing), sep="\n", end="\n" if missing else "")
    print("cores used, 1 if nothing interfered:", *(f"{who} {used}" for who, used in provenance["cores used"].items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
