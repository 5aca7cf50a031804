import subprocess
import sys
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

mpl.use("agg")
import matplotlib.pyplot as plt
from PIL import Image

from ldpnb_book import _style as looks, ledger as book

# ------------------------------------------------------------------------------------------------ check

GOOD = {"label": "Theorem 1.1", "statement": "ε = 1 exactly", "holds": True, "control": "q doubled", "caught": True}


def check(**changes):
    arguments = GOOD | changes
    book.check(arguments.pop("label"), arguments.pop("statement"), arguments.pop("holds"), **arguments)


@pytest.mark.parametrize("yes", [True, np.bool_(True)])
def test_check_prints_one_line(capsys, yes):
    check(holds=yes, caught=yes)
    assert capsys.readouterr().out == "PASS  Theorem 1.1  ε = 1 exactly  (control: q doubled, caught)\n"


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"holds": False}, r"^FAIL  Theorem 1.1  ε = 1 exactly  \(control: q doubled, caught\)$"),
        ({"holds": np.bool_(False)}, "^FAIL"),
        ({"caught": False}, r"^FAIL  .*\(control: q doubled, NOT caught\)$"),
    ],
)
def test_check_fails_on_a_false_statement_or_an_idle_control(capsys, changes, words):
    with pytest.raises(AssertionError, match=words):
        check(**changes)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"holds": 1}, "holds must be True or False, got 1"),
        ({"holds": np.array([True])}, "holds must be"),
        ({"holds": None}, "holds must be"),
        ({"caught": "yes"}, "caught must be"),
        ({"label": ""}, "label must be a text"),
        ({"statement": " "}, "statement must be a text"),
        ({"control": None}, "control must be a text"),
    ],
)
def test_check_refuses(changes, words):
    with pytest.raises(ValueError, match=words):
        check(**changes)


# ---------------------------------------------------------------------------------------------- verdict


@pytest.mark.parametrize(
    "arguments, found",
    [
        ({"holds": {"a": True, "b": True}}, "reproduced"),
        ({"holds": {"a": True, "b": False}}, "reproduced under conditions"),
        ({"holds": {"a": False, "b": False}}, "not reproduced"),
        ({"holds": {"a": False}, "instead": {"b": True}}, "corrected"),
        ({"missing": "the sizes"}, "undecidable"),
    ],
)
def test_verdict_follows_from_the_booleans(arguments, found):
    assert book.verdict(**arguments) == found


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({}, "at least one condition"),
        ({"holds": {}}, "at least one condition"),
        ({"holds": {"a": 1}}, "must be True or False"),
        ({"instead": {"b": True}}, "at least one condition"),
        ({"holds": {"a": False}, "instead": {"b": False}}, "instead must hold, got False for 'b'"),
        ({"holds": {"a": True, "c": False}, "instead": {"b": True}}, "holds under no condition"),
        ({"holds": {"a": True}, "missing": "x"}, "missing excludes"),
        ({"missing": ""}, "missing must be a text"),
    ],
)
def test_verdict_refuses(arguments, words):
    with pytest.raises(ValueError, match=words):
        book.verdict(**arguments)


# ----------------------------------------------------------------------------------------------- settle

LEDGER = """
paper: {key: p, title: T, authors: A, cite: c, read: whole}
claims:
  - {id: p.all, place: §1, claim: c, verdict: reproduced, holds: {a: {true: one way}, b: {true: another}}}
  - id: p.some
    place: §2
    claim: c
    verdict: reproduced under conditions
    holds:
      a: {true: "here: it does"}
      b: {false: "there: it does not"}
  - {id: p.none, place: §3, claim: c, verdict: not reproduced, holds: {a: {false: anywhere}}}
  - id: p.fixed
    place: §4
    claim: c
    verdict: corrected
    holds: {a: {false: as printed}}
    instead: {ours: {true: as corrected}}
    erratum: {grade: certain, printed: x, right: y}
  - {id: p.open, place: §5, claim: c, verdict: undecidable, missing: the sizes}
slips:
  - {place: §6, grade: probable, printed: x, right: y}
sections:
  - {place: §1, about: s, here: [sec-a]}
  - {place: §2, about: s}
exhibits:
  - {place: Fig. 1, about: f, here: [fig-a, sec-a]}
  - {place: Fig. 2, about: f, why: lost}
"""


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    folder = tmp_path / "book" / "claims"
    folder.mkdir(parents=True)
    (folder / "p.yml").write_text(LEDGER, encoding="utf-8")
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    return folder


@pytest.mark.parametrize(
    "call, line",
    [
        (lambda: book.settle("p.all", {"b": np.bool_(True), "a": True}), "p.all  §1  reproduced"),
        (
            lambda: book.settle("p.some", holds={"a": True, "b": False}),
            "p.some  §2  reproduced under conditions  (holds: here: it does. fails: there: it does not)",
        ),
        (lambda: book.settle("p.none", {"a": False}), "p.none  §3  not reproduced  (fails: anywhere)"),
        (
            lambda: book.settle("p.fixed", {"a": False}, instead={"ours": True}),
            "p.fixed  §4  corrected  (instead: as corrected)",
        ),
        (lambda: book.settle("p.open"), "p.open  §5  undecidable  (missing: the sizes)"),
    ],
)
def test_settle_prints_the_verdict(ledger, capsys, call, line):
    call()
    assert capsys.readouterr().out == line + "\n"


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: book.settle("p.all", {"a": True, "b": False}),
            r"p\.all differs from the ledger. holds\['b'\] \(another\): ledger True, computed False$",
        ),
        (
            lambda: book.settle("p.some", {"a": False, "b": True}),  # swapped
            r"holds\['a'\] .*: ledger True, computed False; holds\['b'\] .*: ledger False, computed True$",
        ),
        (
            lambda: book.settle("p.fixed", {"a": False}, instead={"ours": False}),
            r"instead\['ours'\] \(as corrected\): ledger True, computed False",
        ),
    ],
)
def test_settle_stops_where_chapter_and_ledger_differ(ledger, capsys, call, words):
    with pytest.raises(AssertionError, match=words):
        call()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: book.settle("p.all", {"a": True}), r"p.all: holds must have the keys \['a', 'b'\], got \['a'\]"),
        (lambda: book.settle("p.all", {"a": True, "b": True, "c": True}), r"\['a', 'b'\], got \['a', 'b', 'c'\]"),
        (lambda: book.settle("p.none", {"anywhere": False}), r"holds must have the keys \['a'\], got \['anywhere'\]"),
        (lambda: book.settle("p.fixed", {"a": False}), r"instead must have the keys \['ours'\], got \[\]"),
        (lambda: book.settle("p.all"), r"holds must have the keys \['a', 'b'\], got \[\]"),
        (lambda: book.settle("p.open", {"a": True}), r"p.open: holds must have the keys \[\], got \['a'\]"),
    ],
)
def test_settle_names_the_keys_of_the_claim(ledger, call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_settle_with_a_control_prints_every_condition(ledger, capsys):
    book.settle("p.some", {"a": True, "b": False}, control=("half of it", np.bool_(True)))
    book.settle("p.fixed", {"a": False}, instead={"ours": True}, control=("as printed", True))
    assert capsys.readouterr().out.splitlines() == [
        "some: reproduced under conditions",
        "  ✓ here: it does",
        "  ✗ there: it does not",
        "  control: half of it, caught",
        "fixed: corrected",
        "  ✗ as printed",
        "  ✓ as corrected",
        "  control: as printed, caught",
    ]
    with pytest.raises(AssertionError, match="p.all: control NOT caught: half of it"):
        book.settle("p.all", {"a": True, "b": True}, control=("half of it", False))
    with pytest.raises(ValueError, match="control must be True or False, got 1"):
        book.settle("p.all", {"a": True, "b": True}, control=("half of it", 1))


def test_a_section_is_closed_when_its_claims_are_settled_and_counted(ledger, capsys, monkeypatch):
    monkeypatch.setattr(book, "_settled", [])
    text = (ledger / "p.yml").read_text("utf-8").replace("place: §2\n    claim", "place: §1.1, Table 2\n    claim")
    (ledger / "p.yml").write_text(text.replace("place: §3,", "place: §10,"), encoding="utf-8")
    book.settle("p.all", {"a": True, "b": True})
    with pytest.raises(AssertionError, match="§1: not settled: p.some"):
        book.close("p", "§1", "1 reproduced")
    book.settle("p.some", {"a": True, "b": False})
    with pytest.raises(AssertionError, match="the heading says '2 reproduced', the ledger '1 reproduced, 1 repr"):
        book.close("p", "§1", "2 reproduced")
    capsys.readouterr()
    book.close("p", "§1", "1 reproduced, 1 reproduced under conditions")
    book.close("p", "§1.1", "1 reproduced under conditions")
    assert capsys.readouterr().out.splitlines()[0] == "— §1: 1 reproduced, 1 reproduced under conditions"


@pytest.mark.parametrize("claim", ["p.unknown", "q.all", "all", ""])
def test_settle_refuses_unknown_claims(ledger, claim):
    with pytest.raises(ValueError, match="claim must be an identifier of the ledger"):
        book.settle(claim, {"a": True})


def test_settle_refuses_what_is_not_a_bool(ledger):
    with pytest.raises(ValueError, match=r"holds\['a'\] must be True or False, got 1"):
        book.settle("p.all", {"a": 1, "b": True})


def test_settle_finds_the_ledger_in_the_installed_package(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(book, "repository", lambda: None)
    monkeypatch.setattr(book, "__file__", str(tmp_path / "site" / "ldpnb_book" / "ledger.py"))
    shipped = tmp_path / "site" / "ldpnb_book" / "claims"
    shipped.mkdir(parents=True)
    (shipped / "p.yml").write_text(LEDGER, encoding="utf-8")
    book.settle("p.all", {"a": True, "b": True})
    assert capsys.readouterr().out == "p.all  §1  reproduced\n"


@pytest.mark.parametrize(
    "old, new, words",
    [
        ("verdict: not reproduced", "verdict: reproduced", "p.none: verdict must follow from the booleans"),
        ("p.none", "p.all", "must be unique, got twice: p.all"),
        ("id: p.none", "id: q.none", "id must start with 'p.'"),
        ("place: §3, ", "", "p.none: lacks place"),
        ("place: §3, ", "place: '', ", "place must be a text"),
        ("place: §3, ", "place: §3, because: x, ", "unknown because"),
        ("{false: anywhere}", "{0: anywhere}", r"holds\['a'\] must be True or False, got 0"),
        ("{false: anywhere}", "{false: ''}", r"holds\['a'\] must be a text"),
        ("{false: anywhere}", "false", r"holds\['a'\] must be {true: sentence} or {false: sentence}, got False"),
        ("{false: anywhere}", "{false: here, true: there}", r"holds\['a'\] must be {true: sentence} or"),
        ("{a: {false: anywhere}}", "{7: {false: anywhere}}", "holds must be a text that is not empty, got 7"),
        ("{ours: {true", "{a: {true", r"holds and instead must have keys of their own, got \['a'\] in both"),
        ("b: {false: ", "a: {false: ", "line 10: named twice: a"),
        ("grade: certain", "grade: sure", "grade must be one of certain, probable, convention, got 'sure'"),
        ("    erratum: {grade: certain, printed: x, right: y}\n", "", "a corrected claim must have an erratum"),
        ("key: p,", "key: q,", "key must be the file's name"),
        ("read: whole", "read: ''", "paper: read must be a text"),
        ("slips:", "slops:", "unknown slops"),
        ("y}\nsections", "y, here: sec-a}\nsections", "here must be a list of labels, got 'sec-a'"),
        ("about: s, here", "abode: s, here", r"sections\[0\]: lacks about"),
        ("here: [sec-a]}", "here: [sec-a], why: w}", "must not have both here and why"),
        ("here: [sec-a]}", "here: ['']}", "here must be a text"),
        ("place: Fig. 2", "place: Fig. 1", "exhibits: listed twice: Fig. 1"),
        (", why: lost", "", "Fig. 2: must have here or why"),
        ("grade: probable, printed: x", "printed: x", r"slips\[0\]: lacks grade"),
    ],
)
def test_a_broken_ledger_is_refused(ledger, old, new, words):
    assert old in LEDGER
    (ledger / "p.yml").write_text(LEDGER.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        book.read_claims(ledger)


# ------------------------------------------------------------------------------------------------ style


@pytest.fixture
def styled():
    with mpl.rc_context():
        looks.style()
        yield
    plt.close("all")


def luminance(colour):
    r, g, b = mpl.colors.to_rgb(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def test_neighbours_in_the_palette_differ_in_grey():
    grey = [luminance(c) for c in looks.COLOURS]
    assert min(abs(a - b) for a, b in zip(grey, grey[1:], strict=False)) > 0.1
    assert len(set(looks.COLOURS)) == len(set(looks.MARKERS)) == len(set(looks.DASHES)) == 7


def test_style_draws_opaque_white_at_one_size(styled):
    figure, axes = plt.subplots()
    axes.plot([0, 1], [0, 1])
    drawn = BytesIO()
    figure.savefig(drawn, format="png")
    picture = Image.open(drawn)
    assert picture.size == (921, 576)
    assert picture.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)


def test_lines_of_a_plot_differ_by_colour_and_dash(styled):
    cycle = list(mpl.rcParams["axes.prop_cycle"])
    assert [(look["color"], look["linestyle"]) for look in cycle] == list(zip(looks.COLOURS, looks.DASHES, strict=True))
    assert [set(look) for look in cycle] == [{"color", "linestyle"}] * 7


def test_theory_and_simulation_pair_by_number(styled):
    axes = plt.figure().add_subplot()
    theory = axes.plot([0, 1], [0, 1], **looks.line(2))[0]
    points = axes.errorbar([0, 1], [0, 1], [0.1, 0.1], **looks.dots(2))[0]
    assert theory.get_color() == points.get_color() == looks.COLOURS[2]
    assert (theory.get_marker(), points.get_marker(), points.get_linestyle()) == ("", "^", "None")
    for wrong in (-1, 7, 1.5, "0"):
        with pytest.raises(ValueError, match="i must be an integer from 0 to 6"):
            looks.line(wrong)
        with pytest.raises(ValueError, match="i must be an integer from 0 to 6"):
            looks.dots(wrong)


def test_stored_pictures_are_small_white_and_the_same_each_time(styled):
    figure, axes = plt.subplots()
    x = np.linspace(0, 5, 200)
    for i in range(7):
        axes.plot(x, np.exp(-x / (i + 1)), label=f"{i}")
    axes.legend()
    first, second = looks._png(figure), looks._png(figure)
    assert first == second
    assert len(first) < 60_000
    assert Image.open(BytesIO(first)).convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    assert b"Software" not in first and b"Date" not in first


@pytest.mark.slow
def test_a_notebook_stores_such_pictures(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = ["import ldpnb_book as book; book.style(); import matplotlib.pyplot as plt", "plt.plot([0, 1])\nplt.show()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    outputs = [o for c in notebook.cells for o in c.outputs]
    assert [o.output_type for o in outputs] == ["display_data"]
    assert outputs[0].data["text/plain"] == "<Figure size 921.6x576 with 1 Axes>"
    assert len(outputs[0].data["image/png"]) < 30_000


def test_style_needs_no_ipython_and_importing_book_no_matplotlib():
    code = (
        "import sys; import ldpnb_book as book; assert 'matplotlib' not in sys.modules; "
        "book.style(); assert 'IPython' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_page_without_seaborn_does_not_wait_for_it_and_one_with_it_imports_it_before_the_style():
    code = (
        "import sys; from ldpnb_book import style; style(); assert 'seaborn' not in sys.modules; "
        "import seaborn; style(); theme = sys.modules['seaborn.objects'].Plot.config.theme; "
        "assert theme['figure.dpi'] == 144"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    for page in (Path(__file__).resolve().parent.parent / "notebooks").rglob("*.py"):
        text = page.read_text("utf-8")
        assert "\nimport seaborn" not in text[text.index("\nstyle()") :], page.name


def test_table_shows_every_cell_whole_and_no_row_numbers():
    long = "a text that is much longer than the fifty letters at which pandas cuts"
    shown = looks.table(pd.DataFrame({"name": ["x", long], "number": ["1.50", "2"]})).data
    assert long in shown and shown.count("<th>") == 2 and ">1.50<" in shown
