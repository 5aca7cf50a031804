"""Run every lesson at two other ε, and say which of its checks hold at its own ε alone.

A lesson sets the ε of its survey once, as ``EPS = …``, and all else follows from it; the sentences do not.
Nothing is written: the lessons that run are copies.

usage: python tools/other_epsilon.py [lesson ...]

A lesson is named by its path or its stem; without names, all are run. The exit code is 1 if anything went wrong.
"""

import argparse
import ast
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import jupytext
from run_notebooks import NOTEBOOKS, blame, execute, pin

FACTORS = 0.8, 1.25
NAME = "EPS"


def settings(source: str) -> list[ast.expr]:
    """Return the values that the code of a cell gives the name ``EPS``, outside functions."""
    found: list[ast.expr] = []
    for statement in ast.parse(source).body:
        for target in statement.targets if isinstance(statement, ast.Assign) else []:
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs = list(zip(target.elts, statement.value.elts, strict=True))
            else:
                pairs = [(target, statement.value)]
            found += [value for name, value in pairs if isinstance(name, ast.Name) and name.id == NAME]
    return found


def changed(source: str, factor: float) -> str:
    """Return the code of a cell with another ε."""
    lines = source.encode().splitlines(keepends=True)  # columns of a syntax tree count bytes
    for value in reversed(settings(source)):
        if value.lineno != value.end_lineno:
            raise ValueError(f"{NAME} must be set in one line, got {ast.unparse(value)!r}")
        row, start, end = value.lineno - 1, value.col_offset, value.end_col_offset
        line = lines[row]
        lines[row] = line[:start] + f"{factor} * ({line[start:end].decode()})".encode() + line[end:]
    return b"".join(lines).decode()


def run(py: Path, factor: float) -> list[str]:
    """Run a lesson with its ε times a factor, to its end; return complaints."""
    nb = jupytext.read(py)
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    if (number := sum(len(settings(cell.source)) for cell in code)) != 1:
        return [f"{py.stem}: {NAME} must be set once, and is set {number} times"]
    for cell in code:
        cell.source = changed(cell.source, factor)
    execute(nb, py.parent, allow_errors=True)
    failed = [(i, output) for i, cell in enumerate(code) for output in cell.outputs if output.output_type == "error"]
    return [
        f"{py.stem} at {factor:g} ε: {blame(py, code[: i + 1], RuntimeError(output.evalue))}" for i, output in failed
    ]


def main(arguments: list[str]) -> int:
    """Run the lessons, two at a time; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lesson", nargs="*")
    every = {py.stem: py for py in sorted(NOTEBOOKS.glob("*.py"))}
    names = [Path(name).stem for name in parser.parse_args(arguments).lesson]
    if unknown := [name for name in names if name not in every]:
        parser.error(f"no such lesson: {', '.join(unknown)}")
    wanted = [every[name] for name in names] if names else list(every.values())
    pin()
    complaints = []
    with ProcessPoolExecutor(2) as pool:
        for done in as_completed([pool.submit(run, py, factor) for py in wanted for factor in FACTORS]):
            complaints += done.result()
            print(*done.result(), sep="\n", end="\n" * bool(done.result()), flush=True)
    print(f"{len(wanted)} lessons at {len(FACTORS)} other ε: {len(complaints)} complaints")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
