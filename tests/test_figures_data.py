"""The numbers behind figures: what is drawn is what is written, and a diagram is listed without a file."""

import csv
import json
import subprocess
import sys

import figures_data as tool
import matplotlib as mpl
import nbformat
import numpy as np
import pytest
import run_notebooks
from nbformat.v4 import new_code_cell, new_notebook, new_output

mpl.use("agg")
import matplotlib.pyplot as plt

from ldpnb_book import label_lines

PAGE = """# %%
import matplotlib.pyplot as plt

# %% mystnb={"figure": {"name": "fig-two", "caption": "Two."}}
fig, ax = plt.subplots()
ax.plot([1, 2, 3], [1.5, 2.5, 0.1], label="k-RR")
ax.set(xlabel="budget ε", ylabel="error, points", title="here")
plt.show()

# %% mystnb={"figure": {"name": "fig-none", "caption": "None."}}
plt.subplots()[1].set_axis_off()
plt.show()

# %%
print("nothing is drawn")

# %%
_ = plt.subplots()[1].bar(["a", "b"], [3, 4])
"""


@pytest.fixture(autouse=True)
def closed():
    plt.close("all")
    yield
    plt.close("all")


def drawn(figure, *columns, **wanted):
    """Columns of the rows that have these values."""
    return [tuple(row[c] for c in columns) for row in tool.rows(figure) if all(row[k] == v for k, v in wanted.items())]


def test_a_page_is_executed_and_its_figures_are_written(tmp_path, monkeypatch):
    py = tmp_path / "tiny.py"
    py.write_text(PAGE, "utf-8")
    (tmp_path / "out" / "tiny").mkdir(parents=True)
    (tmp_path / "out" / "tiny" / "fig-gone.csv").write_text("old", "utf-8")
    for name, value in run_notebooks.PINNED.items():
        monkeypatch.setenv(name, value)
    good, told = tool.run(py, tmp_path / "out")
    assert good, told
    assert told == "tiny  2 files: fig-two (3 rows), figure-3 (2 rows)\ntiny  no numbers in fig-none"
    assert sorted(p.name for p in (tmp_path / "out" / "tiny").iterdir()) == ["fig-two.csv", "figure-3.csv"]
    with (tmp_path / "out" / "tiny" / "fig-two.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == tool.COLUMNS
    assert [(row["x"], row["y"]) for row in rows] == [("1.0", "1.5"), ("2.0", "2.5"), ("3.0", "0.1")]
    said = ("1", "here", "budget ε", "error, points", "line", "k-RR")
    assert {tuple(row[c] for c in tool.COLUMNS[:6]) for row in rows} == {said}
    assert not py.with_suffix(".ipynb").exists()


def test_figures_are_named_by_their_labels():
    def cell(count, **metadata):
        data = {tool.MIME: [{}], "text/plain": "x"}
        return new_code_cell("x", outputs=[new_output("display_data", data=data)] * count, metadata=metadata)

    named = {"mystnb": {"figure": {"name": "fig-a"}}}
    page = new_notebook(cells=[cell(1), cell(1, **named), cell(2, **named), cell(0, **named), cell(2)])
    nbformat.validate(page)
    assert [label for label, _ in tool.figures(page)] == "figure-1 fig-a fig-a-1 fig-a-2 figure-5 figure-6".split()


def test_a_page_that_stops_is_said_to(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "INSTALL", "1 / 0  # {tools}")
    (tmp_path / "bad.py").write_text("# %%\nprint(1)\n", "utf-8")
    good, told = tool.run(tmp_path / "bad.py", tmp_path)
    assert not good and told.startswith("bad  FAILED: ZeroDivisionError")


def test_unknown_pages_are_refused():
    ask = [sys.executable, tool.__file__, "no_such_page"]
    told = subprocess.run(ask, capture_output=True, text=True)
    assert told.returncode == 2 and "got no_such_page" in told.stderr


def test_lines_have_names_from_labels_legends_and_texts_at_their_ends():
    fig, (left, right) = plt.subplots(1, 2)
    left.plot([1, 2], [3, 4], "C0-")
    left.plot([1, 2], [5, 6], "C1o")
    left.legend(handles=[plt.Line2D([], [], color="C0", label="theory"), plt.Line2D([], [], color="C1", label="runs")])
    right.plot([1, 2], [7, 8], "C2-", label="wheel")
    right.plot([2], [8], "C2s")
    right.plot([3, 4], [1, 2], "C3")
    label_lines(right)
    assert drawn(fig, "series", "kind", panel=1) == [("theory", "line")] * 2 + [("runs", "points")] * 2
    assert drawn(fig, "series", "kind", "y", panel=2) == [
        ("wheel", "line", 7.0),
        ("wheel", "line", 8.0),
        ("wheel", "points", 8.0),
        ("", "line", 1.0),
        ("", "line", 2.0),
    ]


def test_rules_and_error_bars_and_areas():
    fig, ax = plt.subplots()
    ax.axhline(0.5)
    ax.axvline(2)
    ax.errorbar([1, 2], [10, 20], yerr=[1, 2], fmt="o", capsize=3, label="measured")
    ax.fill_between([0, 1], [0, 0], [1, 2], label="band")
    assert drawn(fig, "x", "y", kind="line") == [("", 0.5), (2.0, "")]
    assert drawn(fig, "x", "y", kind="points", series="measured") == [(1.0, 10.0), (2.0, 20.0)]
    ends = [(1.0, 9.0, 1.0, 11.0), (2.0, 18.0, 2.0, 22.0)]
    assert drawn(fig, "x", "y", "x2", "y2", kind="segment", series="measured") == ends
    assert {(0.0, 0.0), (1.0, 2.0)} <= set(drawn(fig, "x", "y", kind="area", series="band"))


def test_bars_and_their_names():
    fig, (left, right) = plt.subplots(1, 2)
    left.bar(["pay", "boss"], [3, 4], width=0.5, label="share")
    right.stairs([5, 6], [0, 1, 3], label="steps")
    edges = [("pay", -0.25, 0.0, 0.25, 3.0), ("boss", 0.75, 0.0, 1.25, 4.0)]
    assert drawn(fig, "x_name", "x", "y", "x2", "y2", kind="bar", series="share") == edges
    assert drawn(fig, "x", "y", "x2", "y2", kind="bar", series="steps") == [(0, 0, 1, 5), (1, 0, 3, 6)]


def test_images_and_clouds():
    fig, (left, middle, right) = plt.subplots(1, 3)
    left.imshow([[1, 2], [3, np.nan]], extent=(0, 2, 0, 2))
    fig.colorbar(middle.pcolormesh([0, 1, 3], [0, 1], [[7, 8]]))
    right.scatter([1, 2], [3, 4], label="people")
    cells = [(0, 2, 1, 1, 1), (1, 2, 2, 1, 2), (0, 1, 1, 0, 3), (1, 1, 2, 0, "")]
    assert drawn(fig, "x", "y", "x2", "y2", "value", panel=1) == cells
    assert drawn(fig, "x", "y", "x2", "y2", "value", panel=2) == [(0, 0, 1, 1, 7), (1, 0, 3, 1, 8)]
    assert drawn(fig, "x", "y", "series", panel=3) == [(1, 3, "people"), (2, 4, "people")]
    assert {row["panel"] for row in tool.rows(fig)} == {1, 2, 3}, "a bar of colours is no panel"
    json.dumps(tool.rows(fig), allow_nan=False)


def test_a_diagram_has_no_numbers():
    fig, (left, right) = plt.subplots(1, 2)
    for ax in (left, right):
        ax.plot([1, 2], [3, 4])
    left.set_axis_off()
    right.set(xticks=[], yticks=[])
    assert tool.rows(fig) == []
