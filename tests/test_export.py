"""What readers download reads well in any Jupyter, and has all that it needs to run."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import export
import forms
import nbformat
import pytest
from export import BOOTSTRAP, HINT, ROOT, Bibliography, plain, published

MACROS = {"E": r"\mathbb{E}", "eps": r"\varepsilon"}
WORDS = {
    ("ref", "sec-a"): ("A section", "#A-section"),
    ("ref", "ch-b"): ("Another chapter", "02_b.ipynb"),
    ("ref", "notation"): ("Notation", None),
    ("numref", "fig-a"): ("Fig. 3.1", None),
    ("prf:ref", "thm-a"): ("Theorem 3.2", None),
    ("eq", "eq-a"): ("(3.4)", None),
    ("term", "law"): ("law", None),
    ("account", "p"): ("Two claims.", None),
    ("py:func", "~ldpnb.chance.toss"): ("`toss`", None),
}


def resolve(role, target):
    return WORDS[role, target]


def shown(text):
    return plain(text, resolve, Bibliography(ROOT / "book" / "references.bib"), MACROS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(sec-a)=\n# A section\n", "# A section"),
        ("See {ref}`sec-a`.", "See [A section](#A-section)."),
        ("See {ref}`the second <ch-b>`.", "See [the second](02_b.ipynb)."),
        ("See {ref}`notation`.", "See Notation."),
        ("{numref}`fig-a` and {prf:ref}`thm-a` with {eq}`eq-a`", "Fig. 3.1 and Theorem 3.2 with (3.4)"),
        ("the {term}`law`, its {term}`laws <law>`", "the law, its laws"),
        ("Call {py:func}`~ldpnb.chance.toss` or `x`.", "Call `toss` or `x`."),
        ("{cite:t}`ye2018survey` §1", "Ye et al. [2018] §1"),
        ("so {cite:p}`warner1965randomized,ye2018survey`.", "so [Warner, 1965; Ye et al., 2018]."),
        ("$$ x\n  = 1 $$ (eq-a)\n\nand $$y$$", r"$$ x = 1 \tag{3.4} $$" + "\n\nand $$ y $$"),
        (r"$\E X \le \eps$, \Event", r"$\mathbb{E} X \le \varepsilon$, \Event"),
        ("StatDP `x`\n: runs,\n  and stops.\n", "- **StatDP `x`**: runs,\n  and stops."),
        (
            ":::{admonition} In one minute\n:class: warning\nWords.\n\n$$\nx\n$$\n:::\nAfter.",
            "> **In one minute**\n>\n> Words.\n>\n> $$ x $$\nAfter.",
        ),
        (
            ":::{dropdown} Solution\nBy {prf:ref}`thm-a`.\n:::",
            "<details>\n<summary>Solution</summary>\n\nBy Theorem 3.2.\n\n</details>",
        ),
        (":::{prf:theorem} Two points\n:label: thm-a\nIt is.\n:::", "> **Theorem 3.2 (Two points)**\n>\n> It is."),
        (":::{prf:theorem}\n:label: thm-a\n\nIt is.\n:::", "> **Theorem 3.2**\n>\n> It is."),
        (":::{prf:proof}\nIt was.\n:::", "*Proof.*\nIt was.\n∎"),
        (":::{zh}\n本章。\n:::", '<details lang="zh-Hans">\n<summary>中文摘要</summary>\n\n本章。\n\n</details>'),
        ("{badge}`Reproduced <p.a>` {badge}`Definition`", "**Reproduced** **Definition**"),
        ("{holds}`The states <p.a>`", "The states"),
        (":::{account} p\n:::", "Two claims."),
        (":::{table}\n:class: beside\n\n| a |\n|---|\n:::", "| a |\n|---|"),
        (":::{prf:algorithm} IOH\n:nonumber:\n\n1. Send.\n:::", "> **Algorithm: IOH**\n>\n> 1. Send."),
        (
            "::::{admonition} Outer\n:::{dropdown} Inner\nx\n:::\n::::",
            "> **Outer**\n>\n> <details>\n> <summary>Inner</summary>\n>\n> x\n>\n> </details>",
        ),
    ],
)
def test_plain_markdown(text, expected):
    assert shown(text) == expected


@pytest.mark.parametrize("text", [":::{margin}\nx\n:::", "{index}`x`", "{cite:t}`nobody1900nothing`"])
def test_what_has_no_plain_form_is_refused(text):
    with pytest.raises((ValueError, KeyError)):
        shown(text)


def test_a_heading_is_found_where_jupyter_puts_it():
    assert export.anchor("The survey’s “tables”, measured") == "#The-survey%27s-%22tables%22%2C-measured"


def test_a_notebook_shows_captions_and_names_the_works_it_cites():
    new = nbformat.v4
    figure = {"mystnb": {"figure": {"name": "fig-a", "caption": "Error, as in {cite:t}`ye2018survey`."}}, "tags": []}
    cells = [
        new.new_markdown_cell("(ch-a)=\n# A chapter"),
        new.new_code_cell(f"{HINT}\nimport numpy", metadata={"tags": ["hide-input"]}),
        new.new_code_cell("draw()", metadata=figure),
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
    notebook = new.new_notebook(cells=cells, metadata=metadata | {"ldpnb": {"fingerprint": "x"}})
    made = export.export(notebook, resolve, MACROS, "https://example.org/x.zip")
    assert [cell.cell_type for cell in made.cells] == ["markdown", "code", "code", "code", "markdown", "markdown"]
    assert made.cells[0].source == "# A chapter"
    assert made.cells[1].source == published("https://example.org/x.zip")
    assert made.cells[2].source == "import numpy"
    assert made.cells[1].metadata == made.cells[2].metadata == {"jupyter": {"source_hidden": True}}
    assert made.cells[3].metadata == {}
    assert made.cells[4].source == "*Fig. 3.1.* Error, as in Ye et al. [2018]."
    assert (
        made.cells[5].source.startswith("## References\n\n- ") and "local differential privacy" in made.cells[5].source
    )
    assert set(made.metadata) == {"kernelspec", "language_info"}
    assert notebook.cells[1].source == f"{HINT}\nimport numpy"  # the original stays as it was


# ------------------------------------------------------------------------------------- the first code cell


def bootstrap(folder, code=BOOTSTRAP):
    """Run the first code cell where there is no package, with an installer that only says what it was asked for."""
    (folder / "pip.py").write_text("import sys; print(*sys.argv[1:])", "utf-8")
    program = "import importlib.util as u; u.find_spec = lambda name: None\n" + code
    asked = subprocess.run([sys.executable, "-u", "-c", program], cwd=folder, capture_output=True, text=True)
    return [line for line in asked.stdout.splitlines() if line.startswith("install")] or asked.stderr.splitlines()[-1:]


def test_the_first_cell_installs_the_wheels_beside_it_and_verifies_the_rest(tmp_path):
    (said,) = bootstrap(tmp_path)
    assert said.startswith("ModuleNotFoundError: no package ldpnb_book here: download the archive of all chapters, ldp")
    at = "https://github.com/a/b/archive/0123abc.zip"
    pinned, plain = "install --quiet --no-deps --require-hashes -r", "install --quiet --no-deps"
    lock = f"{pinned} https://github.com/a/b/raw/0123abc/tools/chapters.txt"
    names = ["ldpnb-1.0.0-py3-none-any.whl", "ldpnb_book-1.0.0-py3-none-any.whl", "requirements.txt"]
    for name in names:  # two of the three are not enough
        assert bootstrap(tmp_path) == [said]
        assert bootstrap(tmp_path, published(at)) == [lock, f"{plain} {at} {at}#subdirectory=book"]
        (tmp_path / name).touch()
    for code in (BOOTSTRAP, published(at)):
        assert bootstrap(tmp_path, code) == [f"{pinned} requirements.txt", f"{plain} {names[0]} {names[1]}"]


def test_the_first_cell_finds_all_that_it_needs_in_the_archive_beside_it(tmp_path):
    archive = tmp_path / Path(forms.NOTEBOOKS).name
    export.bundle({}, archive)
    lock, wheels = bootstrap(tmp_path)
    files = [Path(word) for word in f"{lock} {wheels}".split() if "/" in word]
    assert [path.name.partition("-")[0] for path in files] == ["requirements.txt", "ldpnb", "ldpnb_book"]
    assert {path.parent.name for path in files} == {archive.stem}
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == [archive.name, "pip.py"]
    assert not files[0].exists()


def test_the_first_cell_does_nothing_where_the_package_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "run", None)
    names = {}
    exec(compile(BOOTSTRAP, "bootstrap", "exec"), names)
    assert set(names) == {"__builtins__", "find_spec"}


def test_the_extra_that_notebooks_need_exists():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    (need,) = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    (asked,) = re.findall(r"ldpnb\[(\w+)\]", need)
    assert " . ./book " in HINT
    needed = {name.split(";")[0] for name in extras[asked]}
    assert {"ipykernel", "matplotlib", "pyyaml", "ldpnb[scale]"} <= needed
    assert not [name for name in needed if "sphinx" in name or "jupyter-book" in name]
