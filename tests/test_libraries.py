"""The page beside other libraries: its tables say what the record says, ours what runs today; and how cells are run."""

import ast
import html
import json
import re
import sys
from pathlib import Path

import libraries
import names
import nbformat
import pytest

from ldpnb_book.experiment import recorded

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "notebooks" / "manual" / "libraries.py"
OTHERS = libraries.LIBRARIES[1:]


@pytest.fixture(scope="module")
def record():
    return recorded("libraries")


@pytest.fixture(scope="module")
def shown():
    """All that the stored page shows, by line of its tables."""
    page = nbformat.read(PAGE.with_suffix(".ipynb"), as_version=4)
    data = [output.get("data", {}).get("text/html", "") for cell in page.cells for output in cell.get("outputs", [])]
    rows = re.findall(r"<tr>(.*?)</tr>", "".join(map("".join, data)), flags=re.DOTALL)
    return [[html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row, flags=re.DOTALL)] for row in rows]


def test_all_are_asked_the_same():
    asked = {library: set(libraries.programs(library)) for library in libraries.LIBRARIES}
    assert all(asked[library] == asked["ldpnb"] | {"more"} for library in OTHERS), asked


def test_the_record_is_of_these_programs_and_versions(record):
    found = {(row.library, row.question): row.program for row in record.itertuples()}
    programs = {
        (library, question): program
        for library in libraries.LIBRARIES
        for question, program in libraries.programs(library).items()
        if question != libraries.TIMED
    }
    assert found == programs, "a program changed: make libraries"
    pins = dict(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "tests/benchmarks/peers.txt").read_text("utf-8"), re.M))
    for library in OTHERS:
        assert record.attrs["versions"][library] == pins[library] == record.attrs["environment"][library]


def test_the_page_shows_every_answer(record, shown):
    names_of = {"opendp": "OpenDP"}
    for row in record.itertuples():
        said = "stops: " * row.failed + row.printed
        who = names_of.get(row.library, row.library)
        assert any(cells[:1] == [who] and said in cells for cells in shown), (row.library, row.question, said)


def functions(**known):
    """The page's own functions, with other cells than those of the record."""
    tree = ast.parse(PAGE.read_text("utf-8"))
    wanted = [part for part in tree.body if isinstance(part, ast.FunctionDef | ast.ImportFrom)]
    wanted = [part for part in wanted if not isinstance(part, ast.ImportFrom) or part.module in ("contextlib", "io")]
    exec(compile(ast.Module(wanted, []), str(PAGE), "exec"), known)
    return known


class Cell:
    def __init__(self, program, printed, failed=False):
        self.program, self.printed, self.failed = program, printed, failed


def test_our_rows_are_computed_and_the_others_read():
    cells = {
        ("ldpnb", "x"): Cell("print('today')", "yesterday"),
        ("ldpnb", "y"): Cell("print(1)\nraise ValueError('no')", "yesterday"),
        ("ldpnb", "alone"): Cell("print('today')", "in an empty environment"),
        ("opendp", "x"): Cell("print('today')", "recorded"),
        ("opendp", "y"): Cell("print('today')", "TypeError: recorded", True),
    }
    answer = functions(cells=cells, NAMES={})["answer"]
    assert answer("ldpnb", "x") == "today"
    assert answer("ldpnb", "y") == "stops: 1 ValueError: no"
    assert answer("ldpnb", "alone") == "in an empty environment"
    assert answer("opendp", "x") == "recorded"
    assert answer("opendp", "y") == "stops: TypeError: recorded"


def test_what_the_page_says_of_the_tables(record):
    said = {(row.library, row.question): row.printed for row in record.itertuples()}
    for library in libraries.LIBRARIES:
        central = library in ("opendp", "diffprivlib")
        assert said[library, "model"].startswith("central: " if central else "local: "), library
        bound, refuted = re.fullmatch(r"ε ≥ (.*); refuted: (.*)", said[library, "audited"]).groups()
        assert 0.8 < float(bound) < 1 and refuted == "False"
    took = record.attrs["nanoseconds"]
    assert sum(took["ldpnb, secure, one person per call"] > took[library] for library in OTHERS) == 3
    assert took["opendp"] > took["ldpnb, secure, one person per call"]
    assert float(re.search(r"ε = ([\d.]+)", said["diffprivlib", "account"])[1]) < 1


def test_what_only_the_others_have_is_not_ours(record):
    package = "\n".join(path.read_text("utf-8") for path in (ROOT / "ldpnb").rglob("*.py"))
    ours = {name for name in re.findall(r"^\s*(?:def|class) (\w+)", package, flags=re.MULTILINE)}
    for library in OTHERS:
        printed = record.query("library == @library and question == 'more'")["printed"].item()
        found = set(re.findall(r"\w*[_A-Z]\w*|nanmean|histogramdd", printed))
        assert len(found) >= 4 and not found & ours, library


# --- how cells are run


def test_a_program_is_the_body_of_its_function():
    program = libraries.programs("multi-freq-ldpy")["unknown"]
    assert program.splitlines()[0].startswith("from multi_freq_ldpy") and program.endswith("GRR_Client(7, 3, 1.0)\n")


@pytest.mark.parametrize(
    ("program", "printed", "failed"),
    [
        ("print('ε', 1)", "ε 1", False),
        ("print('a')\nraise ValueError('b\\n c\\n d')", "a ValueError: b c", True),
        ("raise ImportError('no name (' + chr(47) + 'a/b.so)')", "ImportError: no name", True),
        ("import warnings\nwarnings.warn('ValueError: x')\nprint(1)", "1", False),
        ("class E(Exception): ...\nE.__name__ = E.__qualname__ = 'OwnError'\nraise E('x')", "OwnError: x", True),
    ],
)
def test_a_cell_is_what_it_printed_and_its_error(program, printed, failed):
    assert libraries.run(sys.executable, program) == (printed, failed)


def test_names_are_searched_in_modules_functions_methods_and_arguments(capsys):
    assert names.named("json", "^loads$") == ["json.loads"]
    assert names.named("json", "^raw_decode$") == ["json.decoder.JSONDecoder.raw_decode"]
    assert names.named("json", "^obj$") and all("(obj)" in name for name in names.named("json", "^obj$"))
    assert "json.scanner" in names.named("json", "SCANNER")
    names.absent("json", "epsilon", "delta")
    assert capsys.readouterr().out == "no name with epsilon, delta\n"
    with pytest.raises(LookupError, match=r"json\.loads"):
        names.absent("json", "epsilon", "loads")


def test_no_record_of_an_older_version(monkeypatch):
    pinned = dict.fromkeys(OTHERS, "1.0")
    newest = {library: {library: "1.0"} for library in libraries.LIBRARIES} | {"pure-ldp": {"pure-ldp": "2.0"}}
    monkeypatch.setattr(libraries, "first", lambda: ([], newest))
    monkeypatch.setattr(libraries, "versions", lambda python: pinned)
    with pytest.raises(SystemExit, match=r"the newest pure-ldp is 2\.0"):
        libraries.main("python")


def test_no_record_without_a_time(monkeypatch):
    answers = iter([("", False), ("TypeError: x", True)])
    monkeypatch.setattr(libraries, "programs", lambda library: {"category": "", libraries.TIMED: ""})
    monkeypatch.setattr(libraries, "run", lambda python, program: next(answers))
    with pytest.raises(SystemExit, match="opendp could not be timed: TypeError: x"):
        libraries.measure("python", ["opendp"])


def test_of_several_times_the_least_is_kept(monkeypatch):
    times = iter([3.0, 1.0, 2.0])
    monkeypatch.setattr(libraries, "programs", lambda library: {libraries.TIMED: ""})
    monkeypatch.setattr(libraries, "run", lambda python, program: (json.dumps({"opendp": next(times)}), False))
    assert libraries.measure("python", ["opendp"]) == ([], {"opendp": 1.0})
