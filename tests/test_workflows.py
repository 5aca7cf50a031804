"""The workflows call what exists, and name the commits of what they use."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

import ldpnb

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in ROOT.glob(".github/workflows/*.yml")}
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.M))
CI = (ROOT / ".ci" / "run").read_text("utf-8")


def steps(workflow):
    """Every step of a workflow, and every job that calls another workflow."""
    jobs = workflow["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])] + [job for job in jobs if "uses" in job]


def made(workflow):
    """Targets of the Makefile that a workflow calls."""
    calls = [re.findall(r"\bmake((?: [a-z]+(?!\w*=))+)", step.get("run", "")) for step in steps(workflow)]
    return {target for call in calls for words in call for target in words.split()}


def complaints(workflow):
    used = [step["uses"] for step in steps(workflow) if "uses" in step]
    jobs = workflow["jobs"]
    return (
        [f"there is no target {target}" for target in sorted(made(workflow) - TARGETS)]
        + [f"{name} names no commit" for name in used if not re.search(r"^\./|@[0-9a-f]{40}$", name)]
        + [f"there is no {n}" for n in used if n.startswith("./") and not (ROOT / n).is_file()]
        + [f"{name} has no time limit" for name, j in jobs.items() if "make" in str(j) and "timeout-minutes" not in j]
        + [
            f"{name} leaves the token of its checkout behind"
            for name, job in jobs.items()
            if "contents" not in job.get("permissions", {})  # which pushes
            for step in job.get("steps", [])
            if "/checkout@" in step.get("uses", "") and step.get("with", {}).get("persist-credentials") is not False
        ]
        + ([] if workflow.get("permissions") == {"contents": "read"} else ["more than reading is allowed to every job"])
    )


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflow(name):
    assert complaints(WORKFLOWS[name]) == []


def test_the_workflow_to_copy():
    """A reader's, with the archive of all chapters; `test_download.py` runs its commands."""
    assert complaints(yaml.safe_load((ROOT / "book" / "examples" / "reader.yml").read_text("utf-8"))) == []


def test_what_the_workflows_are_for():
    assert made(WORKFLOWS["test"]) == {"test", "lint", "browser"}
    goals = " ".join(re.findall(r"^[^#\n]*\bmake ([^#\n]+)", CI, flags=re.M)).split()
    assert made(WORKFLOWS["test"]) <= set(goals)
    assert made(WORKFLOWS["publish"]) == {"zip", "pdf", "dist"}
    assert made(WORKFLOWS["weekly"]) == {"lock", "notebooks", "elsewhere", "test", "lint", "browser", "links"}
    jobs = WORKFLOWS["publish"]["jobs"]
    assert jobs["build"]["needs"] == "test" and jobs["test"]["needs"] == "version"
    # who may write runs nothing of others
    writers = {name: job for name, job in jobs.items() if "write" in str(job.get("permissions"))}
    assert {*writers} == {"notebooks", "publish", "release"}
    assert not [name for name, job in writers.items() if "make" in str(job["steps"])]
    # a branch renews the pages and the notebooks, a tag drafts a release, which stays as it is
    assert all(job["needs"] == "build" for job in writers.values())
    assert {name: job["if"] for name, job in writers.items()} == {
        name: f"github.ref_type == '{'tag' if name == 'release' else 'branch'}'" for name in writers
    }
    # YAML reads the key `on` as the truth
    assert "schedule" in WORKFLOWS["weekly"][True] and "pull_request" in WORKFLOWS["test"][True]
    report = WORKFLOWS["weekly"]["jobs"]["report"]
    assert report["if"] == "failure()" and set(report["needs"]) == {"newest", "links"}


def test_what_is_published_is_what_the_site_offers():
    text = (ROOT / "tools" / "forms.py").read_text("utf-8")
    offered = dict(re.findall(r'^([A-Z]+) = "downloads/(.+)"$', text, flags=re.M))
    runs = "\n".join(step.get("run", "") for step in steps(WORKFLOWS["publish"]))
    assert f"cp _build/{offered['SITE']} _build/{offered['PDF']} _build/html/downloads/" in runs
    assert f"unzip -q _build/{offered['NOTEBOOKS']}" in runs
    assert f"_build/html/downloads/{offered['NOTEBOOKS']}" in str(WORKFLOWS["publish"]["jobs"]["build"])
    recipe = (ROOT / "Makefile").read_text("utf-8") + (ROOT / "tools" / "pdf.py").read_text("utf-8")
    assert f"_build/{offered['SITE']}" in recipe and offered["PDF"] in recipe


def test_a_release_has_all_that_is_made():
    text = (ROOT / "tools" / "forms.py").read_text("utf-8")
    offered = {name.rpartition("/")[2] for name in re.findall(r'= "(downloads/.+)"$', text, flags=re.M)}
    build, release = (WORKFLOWS["publish"]["jobs"][name]["steps"] for name in ("build", "release"))
    (collected,) = (step["run"].split() for step in build if "what a release has" in step.get("name", ""))
    assert {name.rpartition("/")[2] for name in collected[1:-1]} == offered and collected[-1] == "_build/dist/"
    assert {"name": "release", "path": "_build/dist"} in [step.get("with") for step in build]
    assert "tools/dist.py _build/dist\n" in (ROOT / "Makefile").read_text("utf-8")
    assert [step["with"] for step in release if "with" in step] == [{"name": "release", "path": "release"}]
    assert "v*" in WORKFLOWS["publish"][True]["push"]["tags"] and "release/* --draft" in release[-1]["run"]


@pytest.mark.parametrize("tag, passes", [(f"v{ldpnb.__version__}", True), ("v0.9.9", False), ("v1", False)])
def test_a_tag_that_is_not_the_version_stops_the_workflow(tag, passes):
    (step,) = (step for step in WORKFLOWS["publish"]["jobs"]["version"]["steps"] if "run" in step)
    assert step["if"] == "github.ref_type == 'tag'"
    here = os.environ | {"GITHUB_REF_NAME": tag}
    done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=ROOT, env=here, capture_output=True)
    assert (done.returncode == 0) == passes


COMMIT = "11d5960a326750d5838078e36cf38b85af677262"
GOOD = """
permissions: {contents: read}
jobs:
  a:
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@11d5960a326750d5838078e36cf38b85af677262
        with: {persist-credentials: false}
      - run: make book
  b: {uses: ./.github/workflows/test.yml}
"""


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("make book", "make book nothing ALL=1", "there is no target nothing"),
        (f"checkout@{COMMIT}", "checkout@v4", "actions/checkout@v4 names no commit"),
        ("false", "true", "a leaves the token of its checkout behind"),
        ("test.yml", "gone.yml", "there is no ./.github/workflows/gone.yml"),
        ("    timeout-minutes: 5\n", "", "a has no time limit"),
        ("contents: read", "contents: write", "more than reading is allowed to every job"),
    ],
)
def test_planted_fault_is_caught(old, new, complaint):
    assert complaints(yaml.safe_load(GOOD)) == []
    assert old in GOOD
    assert complaints(yaml.safe_load(GOOD.replace(old, new))) == [complaint]
