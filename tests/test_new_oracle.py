"""Adding an oracle touches one module: it keeps the contract, is listed by itself, and makes few pages stale."""

import subprocess
import sys
from pathlib import Path

import pytest
import run_notebooks
import sources
from new_oracle import Negative

from ldpnb.serve import catalogue
from ldpnb.verify.contract import check_mechanism

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "tests" / "new_oracle.py").read_text("utf-8")
LISTING = """
import sys
from pathlib import Path
import ldpnb.oracles
folder = Path(sys.argv[1])
ldpnb.oracles.__path__.append(str(folder))
from ldpnb.serve import catalogue, choose
print("Negative" in catalogue(), *(c.name for c in choose.Item(n=100, epsilon=1.0, k=5).rank() if c.kind == "Negative"))
"""


def test_it_is_short():
    assert sum(bool(line.strip()) for line in TEXT.partition("class Negative")[2].splitlines()) < 35


@pytest.mark.parametrize("example", Negative.example(), ids=str)
def test_it_keeps_the_contract(example):
    check_mechanism(example)


def test_classes_of_tests_are_not_listed():
    assert "Negative" not in catalogue()


def listing(folder):
    command = [sys.executable, "-c", LISTING, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_in_a_family_it_is_listed_and_ranked(tmp_path):
    assert listing(tmp_path) == "False\n"
    (tmp_path / "negative.py").write_text(TEXT, "utf-8")
    assert listing(tmp_path) == "True negative\n"


def test_only_pages_that_list_mechanisms_become_stale():
    files = {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in sorted((ROOT / "ldpnb").rglob("*.py"))}
    before = sources.Package(tuple(files.items()))
    after = sources.Package(tuple(sorted((files | {"ldpnb/oracles/negative.py": TEXT}).items())))
    stale = {
        py.stem
        for py in run_notebooks.chapters([])
        if before.sources(text := py.read_text("utf-8")) != after.sources(text)
    }
    assert stale == {"50_choosing"}
