"""Audit the releases of other packages that are in wild.txt; run by `make wild`, recorded for the book.

Each release is installed into a folder of its own and drawn from by a process of its own, clients.py.  This process
sees its reports alone and hands them to `audit`.

usage: PYTHONPATH=tests/wild python tests/wild/wild.py <the python that runs the clients>
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from clients import CASES, Case, read

from ldpnb.verify import Audit, audit
from ldpnb_book.experiment import record

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
COPIED = ROOT / "book" / "examples" / "foreign" / "test_client.py"
COPIES = {"opendp-0.14.2": {"failed": 1, "passed": 3}, "opendp-0.16.0": {"passed": 4}}
LEVEL = 1e-3
RUNS = 5


def pins() -> dict[str, str]:
    """Return the lines of wild.txt for each release, by the name of its folder."""
    text = (HERE / "wild.txt").read_text("utf-8")
    blocks = re.findall(r"^([\w-]+)==([\w.]+)((?: \\\n +--hash=\S+)*)$", text, flags=re.M)
    return {f"{name}-{release}": f"{name}=={release}{hashes}\n" for name, release, hashes in blocks}


def install(python: str, folder: Path) -> dict[str, str]:
    """Install what is not there yet; return why a release could not be installed."""
    failed = {}
    for name, pin in pins().items():
        if (folder / name / ".ready").exists():
            continue
        with tempfile.TemporaryDirectory() as where:
            wanted = Path(where, "pin.txt")
            wanted.write_text(pin, "utf-8")
            pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--upgrade"]
            done = subprocess.run(
                [*pip, "--require-hashes", "--target", folder / name, "-r", wanted], capture_output=True, text=True
            )
        if done.returncode:
            failed[name] = done.stderr.strip().splitlines()[-1]
        else:
            (folder / name / ".ready").touch()
    return failed


def digits(reports: Any) -> Any:
    """Say of numbers whether they are between 0 and a half, and whether they are whole multiples of 2⁻⁵³."""
    y = np.asarray(reports)
    return np.stack([(y > 0) & (y < 0.5), y * 2.0**53 == np.rint(y * 2.0**53)], 1)


FEATURES: dict[str, Callable[[Any], Any] | None] = {"": None, "digits": digits}


def measure(case: Case, drawn: dict[str, Any]) -> dict[str, Any]:
    """Audit each run's reports; return a row of the record."""
    began, found = time.perf_counter(), list[Audit]()
    for run, reports in enumerate(drawn["reports"]):
        found.append(
            audit(
                lambda i, n, rng, reports=reports: reports[i],
                range(len(reports)),
                samples=len(reports[0]),
                rng=np.random.default_rng(run),
                level=LEVEL,
                claimed=drawn["stated"],
                many=True,
                features=FEATURES[case.features],
            )
        )
    least = min(found, key=lambda one: one.bound)
    return {
        "case": case.case,
        "package": case.package,
        "version": case.version,
        "broken": case.broken,
        "client": case.client,
        "features": case.features,
        "missed": case.missed,
        "stated": drawn["stated"],
        "least bound": least.bound,
        "largest bound": max(one.bound for one in found),
        "flagged runs": sum(one.flagged for one in found),
        "runs": len(found),
        "samples": least.samples,
        "held out": least.held_out,
        "count": least.counts[0],
        "other count": least.counts[1],
        "level": least.level,
        "delta": least.delta,
        "seconds": round((drawn["seconds"] + time.perf_counter() - began) / len(found), 2),
        "python": drawn["python"],
    }


def draw(python: str, folder: Path, at: int, runs: int, samples: int) -> dict[str, Any]:
    """Draw from one client in a process of its own."""
    command = [python, "-I", HERE / "clients.py", folder, *map(str, (at, runs, samples))]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{CASES[at].package} {CASES[at].version}: {done.stderr.strip().splitlines()[-1]}")
    answer: dict[str, Any] = read(done.stdout)
    return answer


def run(python: str, folder: Path, *, runs: int = RUNS, samples: int | None = None) -> pd.DataFrame:
    """Measure every case; one row each, the broken release before its control."""
    rows = []
    for at, case in enumerate(CASES):
        drawn = draw(python, folder / f"{case.package}-{case.version}", at, runs, samples or case.samples)
        rows.append(measure(case, drawn))
        print(f"{case.package} {case.version} {case.client}: {rows[-1]['least bound']:.2f}", file=sys.stderr)
    return pd.DataFrame(rows)


def copied(*paths: Path) -> dict[str, int]:
    """Run the test to copy, with the client that is found on these paths; return how many passed and failed."""
    python = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
    found = os.pathsep.join(str(path.resolve()) for path in (ROOT, *paths))
    with tempfile.TemporaryDirectory() as where:
        done = subprocess.run(
            [*python, f"--rootdir={where}", COPIED],
            cwd=where,
            env=os.environ | {"PYTHONPATH": found},
            capture_output=True,
            text=True,
        )
    return {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout.splitlines()[-1])}


def wrong(table: pd.DataFrame) -> list[str]:
    """Say which rows of a record are not as they must be: each run of what is broken is flagged, and no other."""
    expected = np.where(table["broken"] & ~table["missed"], table["runs"], 0)
    bad = table[table["flagged runs"] != expected]
    return [f"{row.package} {row.version}, {row.client}: flagged in {row['flagged runs']}" for _, row in bad.iterrows()]


def main(python: str) -> None:
    """Install, measure and record; nothing is recorded if a release is missing or a row is not as it must be."""
    folder = Path(python).parent.parent / "old"
    if failed := install(python, folder):
        sys.exit("\n".join(f"{name} cannot be installed: {why}" for name, why in failed.items()))
    table = run(python, folder)
    if found := wrong(table):
        sys.exit("\n".join(found))
    copies = {release: copied(folder / release, folder / "deprecated-1.3.1") for release in COPIES}
    if copies != COPIES:
        sys.exit(f"the test to copy found {copies}, not {COPIES}")
    record("wild", table, provenance={"releases": sorted(pins()), "numpy": np.__version__, "the test to copy": copies})


if __name__ == "__main__":
    main(*sys.argv[1:])
