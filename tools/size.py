"""Count the package's lines of code, folder by folder: without blank lines, comments, docstrings and imports.

usage: python tools/size.py [REVISION]

With a revision its lines are counted beside today's.  A module that has moved since counts for the folder in which most
of what it defined lives now.
"""

import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
CORE = ("ground", "verify", "oracles", "numbers", "strings", "keyvalue", "sets", "attributes")
FOLDERS = (*CORE, "serve", "book")


def lines_of_code(source: str, *, docstrings: bool = True) -> set[int]:
    """Return the lines of a Python text on which there is code other than imports; docstrings are code if asked for."""
    dropped: set[int] = set()
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            dropped.update(range(node.lineno, node.end_lineno + 1))
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        )
        if documented and not docstrings:
            dropped.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines - dropped


def code_lines(source: str) -> int:
    """Lines of a Python text on which there is code other than imports and docstrings."""
    return len(lines_of_code(source, docstrings=False))


def defined(source: str) -> set[str]:
    """Names of the classes and functions of a module."""
    return {node.name for node in ast.parse(source).body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def folder(path: str) -> str:
    """Folder of a file of the package; what lies at its root is the ground."""
    parts = PurePosixPath(path).parts
    return parts[1] if len(parts) > 2 else "ground"


def then(revision: str) -> dict[str, str]:
    """Files of the package at a revision."""

    def git(*what: str) -> str:
        return subprocess.run(["git", *what], cwd=ROOT, check=True, capture_output=True, text=True).stdout

    files = git("ls-tree", "-r", "--name-only", revision, "ldpnb").split()
    return {path: git("show", f"{revision}:{path}") for path in files if path.endswith(".py")}


def counted(files: dict[str, str], homes: dict[str, str]) -> Counter[str]:
    """Lines by folder; `homes` says where a name lives."""
    found: Counter[str] = Counter()
    for path, source in files.items():
        votes = Counter(homes[name] for name in defined(source) if name in homes)
        found[votes.most_common(1)[0][0] if votes else folder(path)] += code_lines(source)
    return found


def main(arguments: list[str]) -> None:
    """Print a table."""
    files = {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in sorted((ROOT / "ldpnb").rglob("*.py"))}
    homes = {name: folder(path) for path, source in files.items() for name in defined(source)}
    now = counted(files, {})
    before = counted(then(arguments[0]), homes) if arguments else None
    rows = [(name, [name]) for name in FOLDERS]
    rows += [("ground, verify, oracles, families", list(CORE)), ("all", list(FOLDERS))]
    for name, parts in rows:
        columns = [f"{sum(one[part] for part in parts):6,}" for one in (before, now) if one is not None]
        print(f"{name:<36}", *columns)


if __name__ == "__main__":
    main(sys.argv[1:])
