"""What the wheel costs at a catalogue's size, beside PCKV; run by `make bench` and recorded for the book.

usage: python catalogue.py
"""

import os
import platform
import resource

import numpy as np
import pandas as pd
from speed import processor
from timing import Cores, least

from ldpnb.hashing import digest
from ldpnb.keyvalue.pckv import PCKVGRR, PCKVUE
from ldpnb.keyvalue.wheel import WheelKV
from ldpnb.records import Records
from ldpnb_book.experiment import record


def crowd(n, keys, m):
    """People who hold m keys in a row, with values; keys are given as codes."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, len(keys) - m, n)[:, None] + np.arange(m)
    return Records.from_arrays(np.repeat(np.arange(n), m), keys[first.ravel()], rng.uniform(-1, 1, n * m))


def run(*, n, d, names, m, epsilon, repetitions):
    """Measure clients with d keys, scans for some of them, and a count of `names` strings in n reports."""
    cores, rng, rows = Cores(), np.random.default_rng(1), []
    people = crowd(n, np.arange(d), m)
    for name, mechanism in {
        "Wheel-KV": WheelKV(epsilon=epsilon, m=m),
        "PCKV-GRR": PCKVGRR(d=d, ell=m, epsilon=epsilon),
        "PCKV-UE": PCKVUE(d=d, ell=m, epsilon=epsilon),
    }.items():
        taken = least(repetitions, lambda mechanism=mechanism: mechanism.perturb(people, rng=rng))[0]
        rows.append({"mechanism": name, "what": "client", "n": n, "keys": d, "nanoseconds": taken / n})
    mechanism = WheelKV(epsilon=epsilon, m=m)
    reports = mechanism.perturb(people, rng=rng)
    for listed in (d // 10, d // 5, d // 2, d):
        taken = least(repetitions, lambda listed=listed: mechanism.tally(reports, np.arange(listed)))[0]
        rows.append({"mechanism": "Wheel-KV", "what": "scan", "n": n, "keys": listed, "nanoseconds": taken})
    mechanism, strings = WheelKV(epsilon=epsilon, m=m), [f"key {i}" for i in range(names)]
    reports = mechanism.perturb(crowd(n, digest(strings), m), rng=rng)
    taken = least(1, lambda: mechanism.tally(reports, strings))[0]
    rows.append({"mechanism": "Wheel-KV", "what": "count", "n": n, "keys": names, "nanoseconds": taken / n / names})
    provenance = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "cores used": cores.used,
        "clock": "processor time, least; of a client per person, of a count per report and key, of a scan in all",
        "largest memory of the run, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    return pd.DataFrame(rows), provenance


def main():
    """Measure at full size, store the record and print it."""
    table, provenance = run(n=100_000, d=512, names=1_000_000, m=8, epsilon=1.0, repetitions=5)
    record("bench.catalogue", table, provenance=provenance)
    print(table.to_string(index=False))
    print(f"cores used, 1 if nothing interfered: {provenance['cores used']}")


if __name__ == "__main__":
    main()
