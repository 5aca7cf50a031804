"""Adding a mechanism touches one module: it keeps the contract, is listed by itself, and makes few pages stale."""

import subprocess
import sys
from pathlib import Path

import pytest
import run_notebooks
import sources
from new_keyvalue import NegativeStates
from new_oracle import Negative

from ldpnb.serve import catalogue
from ldpnb.verify.contract import check_mechanism

ROOT = Path(__file__).resolve().parent.parent
NEW = {
    Negative: ("oracles", "new_oracle", "choose.Item(n=100, epsilon=1.0, k=5)"),
    NegativeStates: ("keyvalue", "new_keyvalue", "choose.Pairs(n=100, epsilon=1.0, d=5, m=2)"),
}
EACH = pytest.mark.parametrize("kind", NEW, ids=lambda kind: kind.__name__)
LISTING = """
import sys
from ldpnb import {family}
{family}.__path__.append(sys.argv[1])
from ldpnb.serve import catalogue, choose
print("{name}" in catalogue(), *(c.name for c in {question}.rank() if c.kind == "{name}"))
"""


def text(kind):
    return (ROOT / "tests" / f"{NEW[kind][1]}.py").read_text("utf-8")


@EACH
def test_it_is_short(kind):
    body = text(kind).partition("@dataclass")[2].splitlines()
    assert sum(bool(line.strip()) for line in body) <= 27


@pytest.mark.parametrize("example", [example for kind in NEW for example in kind.example()], ids=str)
def test_it_keeps_the_contract(example):
    check_mechanism(example)


def test_classes_of_tests_are_not_listed():
    assert not {kind.__name__ for kind in NEW} & set(catalogue())


@EACH
def test_in_a_family_it_is_listed_and_ranked(kind, tmp_path):
    family, _, question = NEW[kind]
    code = LISTING.format(family=family, name=kind.__name__, question=question)

    def listing():
        command = [sys.executable, "-c", code, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout

    assert listing() == "False\n"
    (tmp_path / "negative.py").write_text(text(kind), "utf-8")
    assert listing() == f"True {kind.label}\n"


@EACH
def test_only_pages_that_list_mechanisms_become_stale(kind):
    files = {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in sorted((ROOT / "ldpnb").rglob("*.py"))}
    before = sources.Package(tuple(files.items()))
    after = sources.Package(tuple(sorted((files | {f"ldpnb/{NEW[kind][0]}/negative.py": text(kind)}).items())))
    stale = {
        py.stem
        for py in run_notebooks.chapters([])
        if before.sources(chapter := py.read_text("utf-8")) != after.sources(chapter)
    }
    assert stale == {"50_choosing"}
