"""Nothing that the README names has gone; that its programs print what it shows is seen in test_install.py."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from pybtex.database import parse_file
from quickstart import printed, programs

import ldpnb

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
COMMANDS = "".join(re.findall(r"^```sh\n(.*?)^```$", README, flags=re.M | re.S))


def test_the_example_mended_as_the_readme_says_keeps_its_epsilon():
    (program,) = (program for program, _ in programs(README) if "def reply" in program)
    mended = program.replace("pick(COLOURS, rng)", "pick([c for c in COLOURS if c != colour], rng)")
    assert mended != program
    assert printed(mended).startswith("epsilon = 1.000:")


def test_commands_in_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    contributing = (ROOT / "book" / "contributing.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^make (\w+)", COMMANDS, flags=re.M)) | set(re.findall(r"`make (\w+)`", contributing))
    assert {"book", "test"} <= named <= set(re.findall(r"^(\w+):", makefile, flags=re.M))


def test_files_and_folders_in_the_readme_exist():
    links = re.findall(r"\]\((?!http)([^)]+)\)|src=\"([^\"]+)\"|^\| `(\w+/)` \|", README, flags=re.M)
    paths = [path for found in links for path in found if path]
    assert len(paths) >= 8
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.fixture
def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_file_has_what_the_format_requires(citation):
    assert citation["cff-version"] == "1.2.0"
    assert citation["title"] == re.match(r"# (.*)", README).group(1)
    assert citation["message"] and citation["authors"]
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(citation["date-released"]))


def test_one_version_everywhere(citation):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"] and str(citation["version"]) == ldpnb.__version__
    book = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert book["version"] == ldpnb.__version__ and book["license"].split(" AND ") == citation["license"]
    assert book["dependencies"] == [f"ldpnb[chapters]=={ldpnb.__version__}"]
    assert project["license"] in citation["license"]
    assert {*re.findall(r"ldpnb-(\d[\d.]*\d)", README)} == {ldpnb.__version__}  # the wheel
    newest = next(title for title in re.findall(r"^## (.*)", CHANGES, flags=re.M) if title != "Not released")
    assert newest == f"{ldpnb.__version__}, {citation['date-released']}"
    assert ("Development Status :: 5 - Production/Stable" in project["classifiers"]) == (newest[0] != "0")
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith(f"{project['license']} License")


def test_the_five_papers_are_cited_as_in_the_bibliography(citation):
    works = parse_file(str(ROOT / "book" / "references.bib")).entries
    cited = {one["title"]: one for one in citation["references"]}
    papers = [work for work in works.values() if work.fields["title"] in cited]
    keys = {path.stem for path in (ROOT / "book" / "claims").glob("*.yml")}
    assert {re.match(r"[a-z]+\d{4}", work.key)[0] for work in papers} == keys and len(papers) == len(cited)
    for work in papers:
        one, said = cited[work.fields["title"]], work.fields
        names = [(" ".join(who.last_names), " ".join(who.first_names)) for who in work.persons["author"]]
        assert [(who["family-names"], who["given-names"]) for who in one["authors"]] == names
        found = {name: one.get(name) for name in ("title", "journal", "year", "volume", "doi", "url")}
        found |= {"number": one.get("issue"), "note": one["notes"]}
        if "start" in one:
            found["pages"] = f"{one['start']}--{one['end']}"
        if one["type"] == "thesis":
            found["howpublished"] = f"{one['thesis-type']}, {one['institution']['name']}"
        assert {name: str(value) for name, value in found.items() if value is not None} == dict(said)


def test_the_table_of_names_leads_to_what_there_is():
    """Every name of the closed table is in it, and what stands on the right is in the package."""
    rows = [row for row in CHANGES.split("| 1.0.0 |")[1].splitlines() if row.startswith("| ")]
    cells = [[re.findall(r"`(?:\w+\.)?(\w+)", cell) for cell in row.strip("| ").split(" | ")] for row in rows]
    pairs = [pair for old, new in cells for pair in zip(old, new, strict=True)]
    assert ("noise", "variance") in pairs and len(pairs) >= 18
    files = [*(ROOT / "ldpnb").rglob("*.py"), *(ROOT / "book" / "ldpnb_book").rglob("*.py")]
    code = "\n".join(path.read_text("utf-8") for path in files)
    there = {*re.findall(r"^ *(?:def|class) (\w+)", code, flags=re.M), *(path.stem for path in files)}
    assert [new for _, new in pairs if new not in there] == []
