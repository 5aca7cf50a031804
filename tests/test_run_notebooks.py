"""The tool that executes chapters knows what is stale, says what failed, and repeats itself to the byte."""

import nbformat
import pytest
import run_notebooks as tool


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Make a project of two chapters, three modules and a lock file."""
    files = {
        "requirements.txt": "numpy==2.4.6\n",
        "ldpnb/__init__.py": '"""A package."""\n',
        "ldpnb/low.py": '"""Low."""\n\n\ndef f():\n    """Return one."""\n    return 1  # one\n',
        "ldpnb/high.py": "def g():\n    from .low import f\n\n    return f()\n",
        "ldpnb/other.py": "x = 1\n",
        "book/claims/ye2018.yml": "claims:\n- {id: ye2018.x, place: §1}\n- {id: ye2018.xy, place: §2}\n",
        "book/recorded/ye2018.fig5.json": "[1, 2]\n",
        "notebooks/01_a.py": '# %%\nfrom ldpnb import high\n\nhigh.g("ye2018.x", "ye2018.fig5")\n',
        "notebooks/02_b.py": "# %%\nimport ldpnb.other as o\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "NOTEBOOKS", tmp_path / "notebooks")
    return tmp_path


def test_imports_are_followed(project):
    names = {p: [f.name for f in tool.closure(project / "notebooks" / p)] for p in ("01_a.py", "02_b.py")}
    assert names == {"01_a.py": ["__init__.py", "high.py", "low.py"], "02_b.py": ["__init__.py", "other.py"]}


@pytest.mark.parametrize(
    ("file", "old", "new", "stale"),
    [
        ("notebooks/01_a.py", "# %%", "# %% [markdown]\n# Words.\n\n# %%", ["01_a"]),
        ("ldpnb/low.py", "return 1", "return 2", ["01_a"]),
        ("ldpnb/other.py", "x = 1", "x = 2", ["02_b"]),
        ("ldpnb/__init__.py", '"""\n', '"""\n\nx = 1\n', ["01_a", "02_b"]),
        ("requirements.txt", "2.4.6", "2.4.7", ["01_a", "02_b"]),
        ("book/claims/ye2018.yml", "§1", "§3", ["01_a"]),
        ("book/claims/ye2018.yml", "§2", "§3", []),
        ("book/recorded/ye2018.fig5.json", "2", "3", ["01_a"]),
        ("ldpnb/low.py", "one.", "the number one,\n    as an integer.\n    ", []),
        ("ldpnb/low.py", "# one", "# the number one", []),
        ("ldpnb/low.py", '"""Low."""\n', "", []),
    ],
)
def test_what_makes_a_chapter_stale(project, file, old, new, stale):
    chapters = tool.chapters([])
    before = {py: tool.fingerprint(py) for py in chapters}
    text = (project / file).read_text("utf-8")
    assert old in text
    (project / file).write_text(text.replace(old, new, 1), "utf-8")
    assert [py.stem for py in chapters if tool.fingerprint(py) != before[py]] == stale


def test_strings_that_are_no_docstrings_count():
    assert tool.code_of('def f():\n    """a"""\n    x = """b  # c"""\n') == 'def f():\n    x = """b  # c"""'


@pytest.mark.parametrize("text", [None, "<<<<<<< ours\n{}\n", "{}", '{"metadata": {"ldpnb": {"fingerprint": "old"}}}'])
def test_a_notebook_that_is_missing_torn_or_old_is_stale(project, text):
    py = project / "notebooks" / "01_a.py"
    if text is not None:
        py.with_suffix(".ipynb").write_text(text, "utf-8")
    assert tool.stale(py)


def test_unknown_chapter_is_refused(project):
    with pytest.raises(ValueError, match="chapter must be one of 01_a, 02_b, got 03_c"):
        tool.chapters(["notebooks/01_a.py", "03_c"])


def test_ids_stay_with_their_cells():
    def ids(*sources):
        cells = [nbformat.v4.new_code_cell(s) for s in sources]
        tool.identify(cells)
        return [c["id"] for c in cells]

    first = ids("x", "y", "x")
    assert len(set(first)) == 3
    assert ids("new", "x", "y", "x")[1:] == first


GOOD = "# %% [markdown]\n# # Title\n\n# %%\nx = 2\nprint(x)\n"


@pytest.mark.slow
def test_a_chapter_repeats_itself_to_the_byte(project):
    py = project / "notebooks" / "01_a.py"
    py.write_text(GOOD, "utf-8")
    good, line = tool.run(py)
    assert good and line.startswith("01_a  ") and line.endswith("written")
    first = py.with_suffix(".ipynb").read_bytes()
    assert tool.run(py)[1].endswith("unchanged")
    assert py.with_suffix(".ipynb").read_bytes() == first
    assert not tool.stale(py)
    notebook = nbformat.read(py.with_suffix(".ipynb"), as_version=4)
    assert [c.outputs[0].text for c in notebook.cells if c.cell_type == "code"] == ["2\n"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        (
            "y = [\n    1 / 0,\n]\n",
            "code cell 2, line 2, 01_a.py:10: `1 / 0,` raised ZeroDivisionError: division by zero",
        ),
        ("import os\nos._exit(1)\n", "code cell 2: DeadKernelError: Kernel died"),
        ("y = = 1\n", "01_a.py, line 9: invalid syntax"),
    ],
    ids=["exception", "dead kernel", "syntax"],
)
def test_a_failed_chapter_is_named_and_keeps_its_notebook(project, cell, complaint):
    py = project / "notebooks" / "01_a.py"
    py.write_text(GOOD + "\n# %%\n" + cell, "utf-8")
    py.with_suffix(".ipynb").write_text("as it was", "utf-8")
    assert tool.run(py) == (False, f"01_a  FAILED in {complaint}")
    assert py.with_suffix(".ipynb").read_text("utf-8") == "as it was"
