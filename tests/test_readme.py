"""Nothing that the README names has gone; that its programs print what it shows is seen in test_install.py."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from quickstart import printed, programs

import ldpnb

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
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
    records = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert records["version"] == ldpnb.__version__ and records["license"] in citation["license"]
    assert project["license"] in citation["license"]
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith(f"{project['license']} License")
