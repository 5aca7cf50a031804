"""Every example of the package runs, and every class at the front door has one."""

import ast
import doctest
import inspect
import re
import tomllib
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

import ldpnb

ROOT = Path(__file__).resolve().parent.parent
HOMES = {"ldpnb": ROOT, "ldpnb_book": ROOT / "book"}  # the folder that each package is imported from
FILES = {path: home for name, home in HOMES.items() for path in sorted((home / name).rglob("*.py"))}
SHOWN = [path for path in FILES if ">>> " in path.read_text("utf-8")]
CLASSES = [name for name in ldpnb.__all__ if inspect.isclass(getattr(ldpnb, name))]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_examples_run(path):
    name = ".".join(path.relative_to(FILES[path]).with_suffix("").parts).removesuffix(".__init__")
    failed, attempted = doctest.testmod(import_module(name))
    assert failed == 0 < attempted


def test_a_wrong_example_is_found():
    def wrong():
        """
        >>> 1 + 1
        3
        """

    runner = doctest.DocTestRunner(verbose=False)
    for example in doctest.DocTestFinder().find(wrong, "wrong", globs={}):
        runner.run(example, out=lambda text: None)
    assert runner.failures == 1


def test_docstrings_name_an_extra_that_has_the_package():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = []
    for path in sorted((ROOT / "ldpnb").rglob("*.py")):
        named += re.findall(r"([\w-]+)\s+\(extra\s+``(\w+)``\)", path.read_text("utf-8"))
    assert len(named) >= 2
    assert [(package, extra) for package, extra in named if package not in extras[extra]] == []


HEADER = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def strays(doc):
    """Paragraphs that the reference takes for a parameter: they stand in a list of parameters, and name none."""
    parts = HEADER.split(inspect.cleandoc(doc))
    listed = (body for name, body in pairwise(parts) if name in ("Parameters", "Attributes", "Raises", "Returns"))
    return [line for body in listed for line in re.findall(r"\n\n(\w.*)", body) if " : " not in line and " " in line]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_paragraph_stands_among_parameters(path):
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    docs = (ast.get_docstring(node) for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef))
    assert [line for doc in docs if doc for line in strays(doc)] == []


def test_a_paragraph_among_parameters_is_found():
    good = "Draw.\n\nParameters\n----------\nk : int\n    Size.\nrng\n\nNotes\n-----\nA word or two.\n\nAnother."
    assert strays(good) == []
    assert strays(good.replace("\n\nNotes", "\n\nReports are bits.\n\nNotes")) == ["Reports are bits."]


@pytest.mark.parametrize("name", CLASSES)
def test_class_has_an_example(name):
    kind = getattr(ldpnb, name)
    own = [kind, *(part for part in vars(kind).values() if callable(part) or isinstance(part, classmethod))]
    assert any(">>> " in (getattr(part, "__doc__", None) or "") for part in own)
