"""One letter, one meaning: the letters that lessons list, against the table of all letters."""

import re
from pathlib import Path

import pytest
from readability import Page, kind_of, markdown, measure, pages, section, table
from templates import LESSON

ROOT = Path(__file__).resolve().parent.parent
NOTATION = (ROOT / "book" / "notation.md").read_text("utf-8")
EVERYWHERE = "everywhere"
LESSONS = re.compile(r"\[\d+\](, \[\d+\])*")
LOCAL = re.compile(r"\s*\(here only\)$")
RESERVED = r"$k$ $n$ $d$ $j$ $\varepsilon$ $e^\varepsilon$ $f$ $m$ $N$ $\alpha$ $\beta$ $\gamma$".split()


def known(text):
    """{letter: (meaning, numbers of lessons or everywhere)} of the table of letters, and its complaints."""
    found, complaints = {}, []
    for row in table(section(text, "Letters")):
        if len(row) != 4 or not (row[2] == EVERYWHERE or LESSONS.fullmatch(row[2])):
            complaints.append(f"{row} is no letter, meaning, lessons and code")
        elif not re.fullmatch(r"\$[^$]+\$", row[0]) or not row[1]:
            complaints.append(f"{row[0]} is not one letter with a meaning")
        elif row[0] in found:
            complaints.append(f"{row[0]} has two rows")
        else:
            where = {int(number) for number in re.findall(r"\d+", row[2])} or EVERYWHERE
            found[row[0]] = row[1], where
    return found, complaints


def differs(stem, listed, letters):
    """Complaints on the letters that a lesson lists."""
    number, found = int(stem.partition("_")[0]), []
    rows = [row if len(row) == 2 else [row[0], ""] for row in listed]
    own = [letter for letter, _ in rows]
    found += [f"{letter} is listed twice" for letter in sorted(set(own)) if own.count(letter) > 1]
    for letter, meaning in rows:
        right, where = letters.get(letter, (None, EVERYWHERE))
        if LOCAL.search(meaning):
            found += [f"{letter} is not of this lesson only"] if right else []
        elif right is None:
            found.append(f"{letter} is not in the table, and not marked (here only)")
        elif meaning != right:
            found.append(f"{letter} is {right!r}, not {meaning!r}")
        elif where != EVERYWHERE and number not in where:
            found.append(f"{letter} is in the table, but not for lesson {number}")
    missing = {letter for letter, (_, where) in letters.items() if where != EVERYWHERE and number in where} - {*own}
    return found + [f"{letter} is in the table for this lesson, which does not list it" for letter in sorted(missing)]


def symbols(formula):
    """Commands, letters and signs of a formula, without spaces and braces."""
    return re.findall(r"\\[A-Za-z]+|[^\s{}]", formula)


def used(text, letter):
    """Whether a letter stands in a formula of the text above the list of letters."""
    body = re.split(r"(?m)^## Letters$", text)[0]
    wanted = symbols(letter.strip("$"))
    for formula in re.findall(r"\$\$.*?\$\$|\$[^$]+\$", body, flags=re.DOTALL):
        there = symbols(formula.strip("$"))
        if any(there[at : at + len(wanted)] == wanted for at in range(len(there))):
            return True
    return False


def complaints_on(page, letters):
    found = differs(page.stem, page.letters or [], letters)
    return found + [f"{row[0]} is not used" for row in page.letters or [] if not used(page.text, row[0])]


def test_the_table_of_letters():
    letters, complaints = known(NOTATION)
    assert complaints == []
    assert {letter: letters.get(letter, ("", ""))[1] for letter in RESERVED} == dict.fromkeys(RESERVED, EVERYWHERE)


def test_numbers_of_lessons_lead_to_these_lessons():
    links = dict(re.findall(r"(?m)^\[(\d+)\]: \.\./(notebooks/.*)$", NOTATION))
    assert set(re.findall(r"\[(\d+)\]", NOTATION)) == set(links)
    for number, file in links.items():
        assert (ROOT / file).is_file()
        assert Path(file).name.startswith(f"{int(number):02d}_")


def test_lessons_use_letters_as_the_table_does():
    letters, _ = known(NOTATION)
    lessons = [
        Page(path.stem, "lesson", markdown(path.read_text("utf-8"))) for path in pages() if kind_of(path) == "lesson"
    ]
    assert lessons
    found = [f"{page.stem}: {complaint}" for page in lessons for complaint in complaints_on(page, letters)]
    assert not found, "\n".join(found)


def test_the_template_uses_letters_as_the_table_does():
    assert complaints_on(measure(LESSON, "99_name"), known(NOTATION)[0]) == []


TABLE = r"""## Letters

| Letter | Meaning | Lessons | In code |
|---|---|---|---|
| $n$ | number of people | everywhere | `n` |
| $\hat f$ | estimate | everywhere | |
| $T$ | number of reports | [12], [20] | |
"""
LISTED = r"""# %% [markdown]
# Of $n$ people, $T$ report, and $$ \hat{f} = T / a. $$
#
# ## Letters
#
# | Letter | Meaning |
# |---|---|
# | $n$ | number of people |
# | $\hat f$ | estimate |
# | $T$ | number of reports |
# | $a$ | a weight (here only) |
"""


def test_good_letters_pass():
    letters, complaints = known(TABLE)
    assert complaints == [] and letters["$T$"] == ("number of reports", {12, 20})
    assert complaints_on(measure(LISTED, "20_x"), letters) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("number of people |", "number of reports |", "$n$ is 'number of people', not 'number of reports'"),
        ("a weight (here only)", "a weight", "$a$ is not in the table"),
        ("number of people |", "number of days (here only) |", "$n$ is not of this lesson only"),
        ("# | $T$ | number of reports |\n", "", "$T$ is in the table for this lesson, which does not list it"),
        ("| $a$ |", "| $n$ |", "$n$ is listed twice"),
        ("# | $n$ | number of people |\n", "# | $n$ |\n", "$n$ is 'number of people', not ''"),
        ("Of $n$ people", "Of the people", "$n$ is not used"),
        (r"\hat{f} =", r"\hat{T} =", r"$\hat f$ is not used"),
    ],
)
def test_planted_letter_of_a_lesson_is_caught(old, new, complaint):
    assert old in LISTED
    assert [c for c in complaints_on(measure(LISTED.replace(old, new), "20_x"), known(TABLE)[0]) if complaint in c]


def test_a_letter_of_other_lessons_is_caught():
    assert complaints_on(measure(LISTED, "21_x"), known(TABLE)[0]) == ["$T$ is in the table, but not for lesson 21"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (r"$\hat f$ |", "$n$ |", "$n$ has two rows"),
        ("[12], [20] | |", "[12], [20] |", "is no letter, meaning, lessons and code"),
        ("[12], [20]", "some", "is no letter, meaning, lessons and code"),
        ("[12], [20]", "12, 20", "is no letter, meaning, lessons and code"),
        ("$T$", "$T$, $U$", "$T$, $U$ is not one letter"),
    ],
)
def test_planted_fault_of_the_table_is_caught(old, new, complaint):
    assert old in TABLE
    assert [c for c in known(TABLE.replace(old, new))[1] if complaint in c]
