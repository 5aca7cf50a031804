"""A user's program under a type checker: what is right passes, and each mistake is caught."""

import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import typed

PROGRAM = Path(typed.__file__)
ROOT = Path(__file__).resolve().parents[1]


def marked(text):
    """Numbers of the lines that are marked as mistakes."""
    return {number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong")}


def found(path, folder):
    """Numbers of the lines in which mypy finds a mistake."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={folder / 'cache'}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={"MYPYPATH": str(ROOT)})
    assert done.returncode in (0, 1), done.stderr
    errors = re.findall(rf"^{re.escape(path.name)}:(\d+): error", done.stdout, re.MULTILINE)
    assert len(errors) == done.stdout.count(": error: "), done.stdout  # none in the package
    return {int(number) for number in errors}


def test_the_program_runs():
    matplotlib.use("agg")
    assert np.isfinite(typed.right()).all()


@pytest.mark.slow
def test_type_checkers_see_what_questions_take_and_give(tmp_path):
    program = PROGRAM.read_text("utf-8")
    (tmp_path / "program.py").write_text(program, "utf-8")
    assert len(marked(program)) > 20
    assert found(tmp_path / "program.py", tmp_path) == marked(program)

    # the control: where a result is Any, its four mistakes pass
    unknown = program.replace("reason.estimate(tally)", "(lambda *_: reason.__dict__['epsilon'])(tally)")
    (tmp_path / "control.py").write_text(unknown, "utf-8")
    assert len(marked(unknown) - found(tmp_path / "control.py", tmp_path)) == 4
