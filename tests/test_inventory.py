"""Nothing of the first edition is lost without a reason, and a loss of any kind would be noticed."""

import json
from pathlib import Path

import inventory as tool
import pytest

ROOT = Path(__file__).resolve().parent.parent

FILES = {
    "book/claims/sun2021.yml": """
paper: {key: sun2021}
sections: [{place: §1, about: why keys}]
exhibits: [{place: Fig. 1, about: what is asked}]
slips: [{place: §2, printed: d, right: n}]
claims:
  - id: sun2021.oue
    place: §2.1
    claim: OUE has the least variance.
    verdict: reproduced under conditions
    holds:
      "a rare item: OUE's noise is smaller": true
      "an item of everybody: the same": false
    note: For a rare item.
  - id: sun2021.se
    place: §4
    claim: The counts are shares.
    verdict: corrected
    holds: {"f = 0.3: the share tends to f": false}
    instead: {"with counts corrected it is unbiased": true}
    erratum: {grade: probable, printed: M/n, right: corrected M/n}
  - {id: sun2021.size, place: §5, claim: It is fast., verdict: undecidable, missing: the machine}
""",
    "book/recorded/sun2021.fig5.json": '{"dataset": "movielens"}',
    "book/references.bib": "@article{warner1965,\n  author = {Warner},\n  title = {Randomized response},\n}\n",
    "book/page.md": """(page)=
# Page

```{figure} a.png
:name: fig-a
A picture.
```

```{glossary}
audit
  To bound ε from below.
  Another line.

bias
  An error.
```
""",
    "notebooks/01_a.py": """# %% [markdown]
# (ch-a)=
# # Chapter
#
# $$ x = 1 $$
#
# $$ \\hat f = 2. $$ (eq-a)
#
# :::{prf:theorem} Sampling
# :label: thm-a
# Let $d > 1$.
# Then it is private.
# :::
#
# :::{prf:proof}
# Count.
# :::
#
# :::{admonition} Exercise 1: the wrong coin
# Find it.
# :::
#
# :::{dropdown} Solution
# Here.
# :::

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-b", "caption": "Noise."}, "image": {"alt": "A line."}}
plot()
check("Privacy", f"ε = {eps:.1f}", True, control=f"half the noise, ε = {2 * eps}", caught=True)
""",
    "notebooks/01_a.ipynb": json.dumps(
        {"cells": [{"outputs": [{"text": ["PASS  Privacy  ε = 1.0  (control: half the noise, ε = 2.0, caught)\n"]}]}]}
    ),
    "tests/test_a.py": """from ldpnb.frequency import GRR
from ldpnb.keyvalue import SE


class Half(GRR):
    "ε/2 for ε."


class Mixed:
    "Two rows."


class Again(Half):
    pass


class Helper:
    pass


ROWS = [(Half(k=3), "test_epsilon"), (Mixed, "test_epsilon"), (Mixed, "test_bias"), (Helper(), "two words")]
again = Again()
""",
    "ldpnb/gallery.py": 'GALLERY = (_broken("coin", "one coin for all bits", 1),)\n',
}


@pytest.fixture
def root(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def edit(root, name, old, new):
    text = (root / name).read_text("utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), "utf-8")


# ------------------------------------------------------------------------------------------------------- the book


@pytest.mark.slow
def test_nothing_vanished_without_a_reason():
    assert tool.complaints(ROOT) == []


def test_the_stored_inventory_is_that_of_the_first_edition():
    """As counted by hand; a new inventory in its place would forget what was lost before."""
    kinds = [key.split(":")[0] for key in json.loads((ROOT / tool.STORED).read_text("utf-8"))]
    counts = {"claim": 301, "condition": 556, "caught": 123, "check": 284, "exercise": 52, "theorem": 79, "figure": 94}
    assert {kind: kinds.count(kind) for kind in counts} == counts


# ------------------------------------------------------------------------------------------------------- controls

CLAIMS, PAGE, CHAPTER, TEST = "book/claims/sun2021.yml", "book/page.md", "notebooks/01_a.py", "tests/test_a.py"
LOSSES = [
    (CLAIMS, "id: sun2021.size", "id: sun2021.length", "claim:sun2021.size"),
    (CLAIMS, "verdict: undecidable", "verdict: reproduced", "verdict:sun2021.size:undecidable"),
    (CLAIMS, "smaller", "less", "condition:sun2021.oue:holds:a rare item: OUE's noise is smaller"),
    (CLAIMS, 'same": false', 'same": true', "condition:sun2021.oue:fails:an item of everybody: the same"),
    (CLAIMS, "instead: {", "idle: {", "condition:sun2021.se:instead:with counts corrected it is unbiased"),
    (CLAIMS, "missing: the", "note: the", "missing:sun2021.size"),
    (CLAIMS, "    note: For a rare item.\n", "", "note:sun2021.oue"),
    (CLAIMS, "erratum:", "error:", "erratum:sun2021.se"),
    (CLAIMS, "printed: d,", "printed: c,", "slip:sun2021:§2:d"),
    (CLAIMS, "place: §1,", "place: §3,", "section:sun2021:§1"),
    (CLAIMS, "Fig. 1", "Fig. 2", "exhibit:sun2021:Fig. 1"),
    (PAGE, "(page)=", "", "label:page"),
    (PAGE, ":name: fig-a", "", "figure:fig-a"),
    (PAGE, "bias", "error", "term:bias"),
    (CHAPTER, "(ch-a)=", "(ch-b)=", "label:ch-a"),
    (CHAPTER, " (eq-a)", "", "equation:eq-a"),
    (CHAPTER, "thm-a", "thm-b", "theorem:thm-a"),
    (CHAPTER, "{prf:proof}", "{prf:remark}", "proof:thm-a"),
    (CHAPTER, "the wrong coin", "the right coin", "exercise:the wrong coin"),
    (CHAPTER, "{dropdown} Solution", "{dropdown} Hint", "solution:the wrong coin"),
    (CHAPTER, '"name": "fig-b", ', "", "figure:fig-b"),
    (CHAPTER, "half the noise", "no noise", "check:Privacy:half the noise, ε = {}"),
    (CHAPTER, '"Privacy"', '"Secrecy"', "check:Privacy:half the noise, ε = {}"),
    (TEST, "class Again(Half)", "class Again", "mutant:Again"),
    (TEST, "again = Again()", "", "mutant:Again"),
    (TEST, '(Mixed, "test_bias"), ', "", "caught:Mixed (2)"),
    (TEST, '(Half(k=3), "test_epsilon"), ', "", "caught:Half"),
    ("ldpnb/gallery.py", '"coin"', '"die"', "broken:coin"),
    ("book/references.bib", "warner1965", "warner1966", "reference:warner1965"),
    ("book/recorded/sun2021.fig5.json", None, None, "record:sun2021.fig5"),
]


@pytest.mark.parametrize(("name", "old", "new", "lost"), LOSSES, ids=lambda x: x and x[:30])
def test_a_loss_is_noticed(root, name, old, new, lost):
    before = tool.inventory(root)
    assert tool.faults(before, tool.inventory(root), {}) == []
    if old is None:
        (root / name).unlink()
    else:
        edit(root, name, old, new)
    now = tool.inventory(root)
    assert lost in tool.vanished(before, now)
    assert f"vanished: {lost}  ({before[lost]})" in tool.faults(before, now, {})
    assert tool.faults(before, now, dict.fromkeys(tool.vanished(before, now), "It is better so.")) == []


def test_every_kind_has_a_control():
    kinds = {key.split(":")[0] for key in json.loads((ROOT / tool.STORED).read_text("utf-8"))}
    assert kinds == {lost.split(":")[0] for *_, lost in LOSSES}


def test_descriptions(root):
    found = tool.inventory(root)
    assert found["check:Privacy:half the noise, ε = {}"] == "ε = 1.0"  # as printed
    assert found["theorem:thm-a"] == "theorem: Sampling: Let $d > 1$. Then it is private."
    assert found["equation:eq-a"] == r"\hat f = 2."
    assert found["label:ch-a"] == "Chapter"
    assert found["term:audit"] == "To bound ε from below. Another line."
    assert found["mutant:Half"] == "ε/2 for ε."
    assert "mutant:Helper" not in found and "caught:Helper" not in found


# --------------------------------------------------------------------------------------------------- what may change


def test_files_may_move(root):
    before = tool.inventory(root)
    for old, new in (
        ("notebooks/01_a.py", "notebooks/papers/sun2021.py"),
        ("notebooks/01_a.ipynb", "notebooks/papers/sun2021.ipynb"),
        ("book/page.md", "book/manual/first.md"),
        ("tests/test_a.py", "tests/frequency/test_b.py"),
        ("ldpnb/gallery.py", "ldpnb/book/gallery.py"),
    ):
        (root / new).parent.mkdir(exist_ok=True)
        (root / old).rename(root / new)
    assert tool.inventory(root) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (CHAPTER, "half the noise", "half the variance"),  # the table of names
        (CHAPTER, "2 * eps", "2 * budget"),
        (CHAPTER, "Exercise 1: the", "Exercise 3 (pencil, 10 minutes): the"),
        (CLAIMS, '"an item of everybody: the same": false', 'all: {false: "an item of everybody: the same"}'),
        (CLAIMS, '"an item of everybody: the same": false', 'all: {says: "an item of everybody: the same", found: no}'),
        (CLAIMS, '{"with counts corrected it is unbiased": true}', "{right: with counts corrected it is unbiased}"),
        (TEST, "class Helper:", "class New(GRR):"),
    ],
)
def test_what_may_change_is_not_missed(root, name, old, new):
    before = tool.inventory(root)
    edit(root, name, old, new)
    assert tool.vanished(before, tool.inventory(root)) == []


# ------------------------------------------------------------------------------------------------------------ reasons

STORED = {"label:a": "Place", "label:b": "", "claim:x": ""}


@pytest.mark.parametrize(
    ("now", "dropped", "complaints"),
    [
        (["label:a"], {"label:b": "Merged.", "claim:x": "Twice."}, []),
        ([], {"label:*": "Merged.", "claim:x": "Twice."}, []),
        (["label:b"], {"claim:x": "Twice."}, ["vanished: label:a  (Place)"]),
        (
            ["label:a"],
            {"label:*": "Merged.", "claim:x": "Twice."},
            ["a reason for what is still there: label:*, label:a"],
        ),
        (STORED, {"claim:x": "Twice."}, ["a reason for what is still there: claim:x"]),
        (STORED, {"claim:y": "Twice."}, ["a reason for what never was: claim:y"]),
        (["label:a", "label:b"], {"claim:x": " "}, ["no reason given: claim:x"]),
        (["label:a", "label:b"], {"claim:x": None}, ["no reason given: claim:x"]),
    ],
)
def test_reasons(now, dropped, complaints):
    assert tool.faults(STORED, dict.fromkeys(now, ""), dropped) == complaints


def test_the_command_line(root, monkeypatch, capsys):
    monkeypatch.setattr(tool, "ROOT", root)
    (root / tool.DROPPED).write_text("# Nothing yet.\n", "utf-8")
    monkeypatch.setattr("sys.argv", ["inventory.py", "--write"])
    assert tool.main() == 0
    monkeypatch.setattr("sys.argv", ["inventory.py"])
    assert tool.main() == 0
    edit(root, CHAPTER, "thm-a", "thm-b")
    assert tool.main() == 1
    assert "vanished: theorem:thm-a" in capsys.readouterr().out
    (root / tool.DROPPED).write_text('"theorem:thm-a": It has another name.\n"proof:*": The same.\n', "utf-8")
    assert tool.main() == 0
