"""Adding a mechanism touches one module: it keeps the contract, is listed by itself, and makes few pages stale."""

import subprocess
import sys
from pathlib import Path

import pytest
import run_notebooks
import sources
from new_keyvalue import NegativeStates
from new_oracle import Negative

from ldpnb.choose import catalogue
from ldpnb.verify import prove
from ldpnb.verify.contract import check_mechanism

ROOT = Path(__file__).resolve().parent.parent
NEW = {
    Negative: ("oracles", "new_oracle", "choose.Item(n=100, epsilon=1.0, k=5)"),
    NegativeStates: ("keyvalue", "new_keyvalue", "choose.Pairs(n=100, epsilon=1.0, d=5, m=2)"),
}
EACH = pytest.mark.parametrize("kind", NEW, ids=lambda kind: kind.__name__)
LISTING = """
import sys
from ldpnb import keyvalue, oracles
for family in (keyvalue, oracles):
    family.__path__.append(sys.argv[1] + "/" + family.__name__)
from ldpnb import choose
from ldpnb.choose import catalogue
for name, question in {questions!r}.items():
    print(name in catalogue(), *(c.name for c in eval(question).rank() if c.kind == name))
"""


def text(kind):
    return (ROOT / "tests" / f"{NEW[kind][1]}.py").read_text("utf-8")


@pytest.mark.parametrize("example", [example for kind in NEW for example in kind.example()], ids=str)
def test_it_keeps_the_contract(example):
    check_mechanism(example)


@EACH
def test_it_is_proved_for_every_epsilon(kind):
    found = prove(kind.example()[0])
    assert found.holds and found.shipped and found.tight and found.stated and found.moments and not found.wrong


def test_classes_of_tests_are_not_listed():
    assert not {kind.__name__ for kind in NEW} & set(catalogue())


@pytest.mark.slow
def test_in_a_family_they_are_listed_and_ranked(tmp_path):
    code = LISTING.format(questions={kind.__name__: question for kind, (_, _, question) in NEW.items()})

    def listing():
        command = [sys.executable, "-c", code, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()

    assert listing() == ["False", "False"]
    for kind, (family, _, _) in NEW.items():
        (tmp_path / f"ldpnb.{family}").mkdir()
        (tmp_path / f"ldpnb.{family}" / "negative.py").write_text(text(kind), "utf-8")
    assert listing() == [f"True {kind.label}" for kind in NEW]


@pytest.mark.slow
def test_only_pages_that_list_mechanisms_become_stale():
    files = {name: path.read_text("utf-8") for name, path in run_notebooks.files().items()}
    added = {f"ldpnb/{family}/negative.py": text(kind) for kind, (family, _, _) in NEW.items()}
    before, after = (sources.Package(tuple(sorted(some.items()))) for some in (files, files | added))
    stale = {
        py.stem
        for py in run_notebooks.chapters([])
        if before.sources(chapter := py.read_text("utf-8")) != after.sources(chapter)
    }
    assert stale == {"23_choosing", "24_own_survey", "costs", "wire"}  # these rank or list all
