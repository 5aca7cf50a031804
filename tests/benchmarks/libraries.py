"""What other libraries do beside ours, cell by cell; run by `make libraries`, recorded for the book.

A cell is a small program, the body of a function in cells/, run in a process of its own: ours here, the others' in an
environment that holds them.  What it printed is recorded, or its error.  The first cell of a library, `alone`, runs in
an empty environment into which nothing but the library was installed, in its newest version.

usage: PYTHONPATH=tests python tests/benchmarks/libraries.py <the peers' python>
"""

import ast
import json
import os
import platform
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from speed import processor

from ldpnb_book.experiment import record

ROOT = Path(__file__).resolve().parents[2]
CELLS = Path(__file__).with_name("cells")
LIBRARIES = ("ldpnb", "opendp", "diffprivlib", "pure-ldp", "multi-freq-ldpy")
ALONE, TIMED = "alone", "time"
ROUNDS = 3  # of the times, of which the least is kept: a neighbour on the same machine can be busy for a while
ERROR = re.compile(r"^(?:\w+\.)*(\w+(?:Error|Exception)): *(.*(?:\n.+)?)", re.MULTILINE)
PLACE = re.compile(r" \([^()\s]*[/\\][^()\s]*\)")  # a path in parentheses: of this machine only


def programs(library):
    """The programs of a library by the name of the question, as a reader would write them."""
    text = (CELLS / f"{library.replace('-', '_')}.py").read_text("utf-8")
    found = [part for part in ast.parse(text).body if isinstance(part, ast.FunctionDef)]
    lines = text.splitlines()
    return {
        part.name: textwrap.dedent("\n".join(lines[part.body[0].lineno - 1 : part.end_lineno])) + "\n" for part in found
    }


def said(printed, errors):
    """What a program has printed, and then the error that stopped it: two lines at most, without paths."""
    stop = []
    if found := ERROR.findall(errors):
        kind, message = found[-1]
        stop = [f"{kind}: {' '.join(PLACE.sub('', message).split())}"]
    return " ".join([*printed.splitlines(), *stop])


def run(python, program, *, alone=False):
    """Run a program in a process of its own: what it said, and whether an error stopped it."""
    paths = [] if alone else [str(CELLS.parent), str(ROOT)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [os.path.abspath(python), "-c", program],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
    return said(done.stdout, done.stderr if done.returncode else ""), done.returncode != 0


def versions(python):
    """Versions of all that an environment holds."""
    code = "from importlib.metadata import distributions as d; import json; "
    code += "print(json.dumps({one.metadata['Name'].lower(): one.version for one in d()}))"
    return json.loads(subprocess.run([python, "-c", code], check=True, stdout=subprocess.PIPE, text=True).stdout)


def install(library, folder):
    """Install a library, and what it asks for, into an empty environment: its python."""
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-m", "venv", folder], **quiet)
    python = str(Path(folder, "bin", "python"))
    what = str(ROOT) if library == "ldpnb" else library
    subprocess.run([python, "-m", "pip", "install", "--quiet", what], **quiet)
    return python


def measure(python, libraries=LIBRARIES):
    """All cells but the first ones, and the times in nanoseconds: rows of the table."""
    rows, times = [], {}
    for library in libraries:
        for question, program in programs(library).items():
            if question in (ALONE, TIMED):
                continue
            printed, failed = run(sys.executable if library == "ldpnb" else python, program)
            rows.append({"library": library, "question": question, "printed": printed, "failed": failed})
            rows[-1]["program"] = program
    for _ in range(ROUNDS):
        for library in libraries:
            printed, failed = run(sys.executable if library == "ldpnb" else python, programs(library)[TIMED])
            if failed:
                sys.exit(f"no record is written: the client of {library} could not be timed: {printed}")
            for what, taken in json.loads(printed).items():
                times[what] = min(taken, times.get(what, taken))
    return rows, times


def first(libraries=LIBRARIES):
    """Each library in an empty environment: rows of the table, and the versions that were installed."""
    rows, installed = [], {}
    for library in libraries:
        with TemporaryDirectory() as folder:
            python = install(library, folder)
            program = programs(library)[ALONE]
            printed, failed = run(python, program, alone=True)
            installed[library] = versions(python)
        rows.append({"library": library, "question": ALONE, "printed": printed, "failed": failed, "program": program})
    return rows, installed


def main(python):
    """Run all cells, store the record and print what they said."""
    rows, installed = first()
    pinned = versions(python)
    for library in LIBRARIES[1:]:
        if installed[library][library] != pinned[library]:
            sys.exit(
                f"no record is written: the newest {library} is {installed[library][library]}, make lock has others"
            )
    cells, times = measure(python)
    table = pd.DataFrame(rows + cells)[["library", "question", "printed", "failed", "program"]]
    provenance = {
        "versions": {library: installed[library][library] for library in LIBRARIES},
        "installed alone": installed,
        "environment": pinned,
        "nanoseconds": times,
        "clock": f"processor time for 20,000 reports, the least of {ROUNDS} × 3 runs or more",
        "processor": processor(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    record("libraries", table, provenance=provenance)
    for row in table.itertuples():
        print(f"{row.library:16} {row.question:10} {'!' if row.failed else ' '} {row.printed}")
    print(times)


if __name__ == "__main__":
    main(*sys.argv[1:])
