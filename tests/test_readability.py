"""What a page must not have, planted pages that have each of it, and the counting on small texts."""

import ast
import re
from pathlib import Path

import pytest
import readability
from readability import faults, formulas, measure, pages, read, sentences, translated, words
from templates import DOSSIER, LESSON

ROOT = Path(__file__).resolve().parent.parent


def test_pages_have_no_faults():
    found = [f"{page.stem}: {fault}" for page in map(read, pages()) for fault in faults(page)]
    assert not found, "\n".join(found)


def test_all_pages_are_seen():
    assert {path.stem for path in pages()} == {path.stem for path in (ROOT / "notebooks").rglob("*.ipynb")}


def test_kinds():
    found = [readability.kind_of(ROOT / "notebooks" / name) for name in ("papers/p2018.py", "20_x.py", "manual/x.py")]
    assert found == ["dossier", "lesson", "manual"]


# --- faults


@pytest.mark.parametrize(("text", "kind"), [(LESSON, "lesson"), (DOSSIER, "dossier")], ids=["lesson", "dossier"])
def test_the_templates_have_no_faults(text, kind):
    assert faults(measure(text, "20_name", kind)) == []


SURVEY = "# %%\nSHARES"  # where the cell of the survey begins
READ = "# Read the numbers aloud"
CODE = "x = 1\n" * 60
FIGURE = '# %% mystnb={"figure": {"caption": "A line."}}\nplt.show()\n\n'
PROOF = "# :::{prf:proof}\n# It is clear.\n# :::\n#\n"
LINES = "# these are six words per line\n"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (SURVEY, f"# %%\n# {'x' * 73}\n\n{SURVEY}", "a visible line of code above 74 characters: # xxx"),
        ("Line: formula. Marks", f"{'word ' * 40}Marks", "words, at most 40: Standard error"),
        ("{admonition} In one minute", "{note}", "no box In one minute"),
        (":::{zh}", ":::{note}", "no Chinese abstract"),
        ("## Summary", "## The end", "no section Summary"),
        ("Exercise 3 (think", "Question 3 (think", "2 exercises, at least three"),
        ("(pencil, 5 minutes)", "(pencil)", "an exercise without its kind"),
        ("(pencil, 5 minutes)", "(code, 5 minutes)", "no exercise (pencil"),
        ("Write the client for it, and its estimator.", "Write the client for it.", "asks for a client and its"),
        ("(think, 5 minutes)", "(pencil, 5 minutes)", "no exercise (think"),
        ("# ## Letters\n", "# ## Letters\n# ### More\n", "no list of letters"),
        ("# ## Letters\n", "", "no list of letters"),
        ("f_hat, error = server(reports, 1.0)\n", 'settle("p.a", {"x": True})\n', "settle, which belongs"),
        (READ, f"# Whoever reads them sees more.\n{READ}", "'Whoever reads them"),
        (READ, f"# The verdict is clear.\n{READ}", "'verdict'"),
        (READ, f"# (An aside.)\n#\n{READ}", "a paragraph in parentheses"),
        (READ, f"# These numbers agree. Others follow.\n{READ}", "more than one sentence"),
        ('"three colours: exactly ε"', 'f"{len(COLOURS)} colours: one report a person"', "'one report a person'"),
    ],
)
def test_planted_fault_of_a_lesson_is_caught(old, new, complaint):
    assert old in LESSON
    assert [fault for fault in faults(measure(LESSON.replace(old, new, 1), "20_name")) if complaint in fault]


DRAWN = f'# %% mystnb={{"figure": {{"caption": "{"word " * 41}"}}}}\nplt.show()\n\n# %%\nBUDGETS = '


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("Why the printed one", "Each is one bit an attribute.\n# Why the printed one", "'one bit an attribute'"),
        ("Why the printed one", "The paper says so.\n# Why the printed one", "'says so'"),
        ("BUDGETS = ", DRAWN, "caption of 41 words"),
    ],
)
def test_planted_fault_of_a_dossier_is_caught(old, new, complaint):
    assert old in DOSSIER
    assert [fault for fault in faults(measure(DOSSIER.replace(old, new, 1), "p2018", "dossier")) if complaint in fault]


def test_a_dossier_may_speak_of_verdicts_and_settle():
    text = DOSSIER.replace("Why the printed one", "The verdict is in the ledger.\n# Why the printed one")
    page = measure(text, "p2018", "dossier")
    assert (faults(page), page.settles) == ([], True)
    assert faults(measure(text, "20_name"))


def test_a_line_that_fits_the_column_or_stands_in_a_fold_may_stay():
    fits, folded = f"# %%\n# {'x' * 72}\n\n", f'# %% tags=["hide-cell"]\n# {"x" * 73}\n\n'
    assert faults(measure(LESSON.replace(SURVEY, fits + folded + SURVEY, 1), "20_name")) == []


# --- phrases


@pytest.mark.parametrize(
    "planted",
    [
        "Who has it sends one of the other two.",
        "First the odds.\nWhoever counts rows errs.",
        "It is the odds of the own bit.",
        "With $d$ numbers a person, the variance grows.",
        "Send one report a person.",
        "There are 64 bits a user and one axis a key.",
        "The tool says so.",
        "ℓ is a percentile, as the thesis has it.",
        "It grows, as it says.",
        "TPC-E cannot be had.",
        "Compare the odds of a foreign bit.",
    ],
)
def test_translated_phrases_are_caught(planted):
    assert translated(planted)


@pytest.mark.parametrize(
    "harmless",
    [
        "Who can see it?",
        "One report per person, and one report that a person sends.",
        "The patient does not have it, and a person who has it sends another.",
        "The one item a person has is reported; every number a person holds counts.",
        "The app owns it; an attribute is one of ten.",
        "Those who know say nothing.",
        "Nobody says something so simple.",
    ],
)
def test_harmless_phrases_pass(harmless):
    assert translated(harmless, court=True) == []


def test_the_court_is_heard_in_lessons_alone():
    assert translated("The ledger settles it to the letter.", court=True) == ["ledger", "settles", "to the letter"]
    assert translated("The ledger settles it to the letter.") == []
    assert translated("See {ref}`ledger`, which links `settle`.", court=True) == []


# --- counting


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Five words stand in here.", 5),
        ("A share of $\\frac{1}{2} + x$ is one half.", 7),
        ("Call `pick(items, rng)` for 90,000 people.", 5),
        ("From {ref}`ch-frequency` and {ref}`the old page <paper>` by {cite:t}`sun2021`.", 8),
        ("The person's key–value pairs, 3.5 each.", 7),
        ("(sec-here)=\n## A heading\n\n% a comment\n", 2),
        ("| a | $b$ |\n|---|:--|\n| c d | e |\n", 5),
        ("So\n\n$$ a = b + c $$ (eq-a)\n\nit is.", 3),
        ('Say *it*, **all** of [it](https://example.org/a-b) <span lang="zh-Hans">x</span>.', 6),
    ],
)
def test_words(text, number):
    assert words(text) == number


@pytest.mark.parametrize(
    ("display", "number"),
    [
        ("a = b", 1),
        (r"\begin{aligned} a &= b, \\[1ex] c &= d \end{aligned}", 2),
        (r"\begin{aligned} a &= b \\ c &= d \\ \end{aligned}", 2),
        (r"\begin{aligned} a &= \begin{cases} 1 \\ 2 \end{cases} \\ c &= \sum_{\substack{i \\ j}} d \end{aligned}", 2),
        (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", 1),
        (r"x = \left\{ \begin{aligned} a \\ b \\ c \end{aligned} \right.", 3),
    ],
)
def test_displayed_formulas(display, number):
    assert formulas(display) == number


def test_sentences():
    text = (
        "## A heading\n\nOne is short. Two is longer!\nThree\nfollows, e.g. here.\n\n- Four (as said.)\n\n| a | b |\n"
    )
    assert sentences(text) == ["One is short.", "Two is longer!", "Three", "follows, e.g. here.", "Four (as said.)"]


SMALL = r'''# %% [markdown]
# # Title of four words
#
# :::{admonition} In one minute
# Here are five more words.
# :::
#
# :::{zh}
# 一。
# :::
#
# ::::{dropdown} A proof
# :::{prf:proof}
# Clear.
#
# $$ \begin{aligned} a &= b \\ b &= c \end{aligned} $$
#
# :::
# ::::
#
# (An aside
# of two lines.)
#
# (It) begins and (ends).

# %% tags=["hide-input"]
import numpy as np
from ldpnb import (
    law,
)

# a comment
x = 1


# %%
def f(a):
    """What it is.

    More.
    """
    return a  # the same


f(
    1,
)
# %% tags=["remove-cell"]
y = 1

# %% tags=["hide-cell"] mystnb={"figure": {"caption": "A line."}, "image": {"alt": "Not counted"}}
check("One", f"two {x} four", x == 1, control="five" " six", caught=x != 2)

# %% [markdown]
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 7 minutes)
# Do it.
# :::
#
# :::{dropdown} Solution
# Many words that nobody counts.
#
# $$ a = b $$
#
# :::
'''


def test_a_small_page():
    page = measure(SMALL, "99_small")
    title, box, proof, asides, checked, exercise = 4, 3 + 5, 2 + 1, 5 + 4, 2 + 4 + 2, 1 + 5 + 2
    assert page.words == title + box + proof + asides + checked + exercise
    assert (page.boxed, page.visible, page.folded, page.figures) == (True, 8, 2, 1)
    assert (page.proofs, page.formulas) == (1, 2)
    assert [title for title, _ in page.exercises] == ["Exercise 1 (pencil, 7 minutes)"]
    assert len(page.bracketed) == 1
    assert page.minutes == round(40 / 180 + 3 + 1 + 1 + 8 / 15) == 6
    assert page.with_exercises == 13


def test_a_report_has_a_row_for_each_page(capsys):
    readability.main(["01_randomized_response", str(ROOT / "notebooks" / "03_checking.py")])
    said = capsys.readouterr().out
    assert re.search(r"^01_randomized_response +\w* ?lesson +\d", said, re.MULTILINE)
    assert re.search(r"^03_checking +\w* ?lesson +\d", said, re.MULTILINE)
    with pytest.raises(SystemExit):
        readability.main(["99_nothing"])


# --- the templates


def test_the_template_of_a_lesson_runs(monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    exec(compile(LESSON, "lesson", "exec"), {"__name__": "lesson"})


def test_the_template_of_a_dossier_settles_its_claims():
    tree, claims = ast.parse(DOSSIER), {}
    tree.body = [node for node in tree.body if getattr(node, "module", "") != "ldpnb_book"]  # which has no such paper
    settle = {"settle": lambda claim, **what: claims.update({claim: what}), "close": lambda *what: None}
    exec(compile(tree, "dossier", "exec"), settle)
    assert claims["KEY.epsilon"] == {"holds": {"three-budgets": True}, "control": ("1.01 ε", True)}
    assert claims["KEY.estimate"] == {"holds": {"unbiased": False}, "instead": {"corrected": True}}
