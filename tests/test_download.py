"""The archive with all chapters, as a reader has it: outside the book, in an empty environment."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from copy import deepcopy

import nbclient
import nbformat
import pytest
import run_notebooks
import yaml
from built import SITE, there
from export import ADDRESS, BOOTSTRAP, HINT, ROOT

pytestmark = pytest.mark.slow
ARCHIVE = SITE / "downloads" / "ldpnb-notebooks.zip"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The archive with all chapters, as a reader has it."""
    archive, folder = there(ARCHIVE), tmp_path_factory.mktemp("reader")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return folder / archive.stem


def test_the_notebooks_of_the_site_have_no_marks_of_the_book_left(unpacked):
    marks = re.compile(r"\{[a-z:]+\}`|^:::|^\([\w-]+\)=|^: |\\(E|Var|Cov|eps)(?![a-zA-Z])|\(eq-[\w-]+\)", re.MULTILINE)
    chapters, found = sorted(unpacked.glob("*.ipynb")), []
    assert [p.name for p in chapters] == sorted(p.name for p in (ROOT / "notebooks").rglob("*.ipynb"))
    for path in chapters:
        cells = nbformat.read(path, as_version=4).cells
        words = [cell.source for cell in cells if cell.cell_type == "markdown"]
        found += [f"{path.name}: {mark[0]}" for text in words for mark in marks.finditer(text)]
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        assert not code or code[0].startswith(BOOTSTRAP.partition(ADDRESS)[0]) and HINT not in "".join(code)
        (source,) = (SITE / "_sources" / "notebooks").rglob(path.name)
        assert source.read_bytes() == path.read_bytes()
    assert found == []


def texts(notebook):
    """What the code cells print or show, without pictures."""
    return [
        [o.get("text") or {k: v for k, v in o["data"].items() if k.startswith("text/")} for o in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.fixture
def python(tmp_path, monkeypatch):
    """The interpreter of an empty environment."""
    monkeypatch.delenv("PYTHONPATH")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    return tmp_path / "empty" / ("Scripts" if sys.platform == "win32" else "bin") / "python"


@pytest.fixture
def home(tmp_path):
    """A folder with the archive, as it was downloaded."""
    (tmp_path / "home").mkdir()
    shutil.copy(there(ARCHIVE), tmp_path / "home")
    return tmp_path / "home"


def test_a_chapter_beside_the_archive_runs_in_an_empty_environment_and_says_the_same(
    unpacked, python, home, tmp_path, monkeypatch
):
    """All it has is a kernel; the first cell installs the rest."""
    lock = (unpacked / "requirements.txt").read_text("utf-8")
    (tmp_path / "versions.txt").write_text("\n".join(re.findall(r"^[\w.-]+==[^ ]+", lock, flags=re.M)), "utf-8")
    pins = ["-c", tmp_path / "versions.txt"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", "ipykernel", *pins], check=True)
    spec = {"argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Empty"}
    (tmp_path / "kernels" / "empty").mkdir(parents=True)
    (tmp_path / "kernels" / "empty" / "kernel.json").write_text(json.dumps(spec), "utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    stored = nbformat.read(unpacked / "01_randomized_response.ipynb", as_version=4)
    fresh = deepcopy(stored)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    nbclient.execute(fresh, cwd=home, kernel_name="empty", timeout=run_notebooks.TIMEOUT, coalesce_streams=True)
    (installing, *said), (_, *expected) = texts(fresh), texts(stored)
    assert installing[0].startswith("Installing what this chapter needs")
    assert said == expected
    asked = "import ldpnb_book.experiment as e; print(e.__file__, len(e.recorded('bench.mechanisms')) > 9)"
    said = subprocess.run([python, "-c", asked], cwd=home, check=True, capture_output=True, text=True).stdout
    assert said.startswith(str(tmp_path / "empty")) and said.endswith("True\n")


def test_the_workflow_for_a_reader_runs_a_chapter_and_sees_another_output(python, home):
    """Its commands, as they are, in its environment; of the chapters, one."""
    job = yaml.safe_load((ROOT / "book" / "examples" / "reader.yml").read_text("utf-8"))["jobs"]["notebooks"]
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    environment = os.environ | job["env"] | {"PATH": path, "PYTEST_ADDOPTS": "-k 01_randomized_response"}

    def run(step):
        command = ["bash", "-e", "-c", step["run"]]
        where = home / step.get("working-directory", "")
        return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True)

    *prepare, compare = [step for step in job["steps"] if "run" in step]
    for step in prepare:
        assert run(step).returncode == 0, step
    done = run(compare)
    assert done.returncode == 0 and re.search(r"\b\d\d passed", done.stdout), done.stdout
    chapter = home / "ldpnb-notebooks" / "01_randomized_response.ipynb"
    text = chapter.read_text("utf-8")
    assert "PASS  " in text
    chapter.write_text(text.replace("PASS  ", "Pass  ", 1), "utf-8")
    assert run(compare).returncode == 1
