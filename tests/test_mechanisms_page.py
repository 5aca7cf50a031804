"""Every mechanism of the papers has its lesson, and what the lesson shows is what the package does.

Of a lesson in the new form, the client and the server stand in cells without a fold; the exact law of the client is
that of the package's class, and the server makes the same estimate of the same reports.
"""

import ast
import re
from functools import cache
from pathlib import Path

import claims
import numpy as np
import pytest
import yaml
from all_mechanisms import named, places as links, tables
from lessons import lesson
from templates import LESSON

import ldpnb
from ldpnb import Mechanism, Records
from ldpnb.choose import catalogue
from ldpnb.verify import same_law
from ldpnb_book.ledger import read_claims

ROOT = Path(__file__).resolve().parent.parent
ROWS = yaml.safe_load((ROOT / "book" / "mechanisms.yml").read_text("utf-8"))
PAPERS = {paper.key: paper for paper in read_claims(ROOT / "book" / "claims")}
NO_MECHANISM = {("zhang2018", "Johnson–Lindenstrauss")}  # a lemma
HELD = {"name", "papers", "lesson", "class"}
SHOWN = {"client", "server", "compare"}
COMPARED = {"mechanism", "values", "law", "estimate"}
PEOPLE = 300


# --- the rows


def row_faults(rows, papers):
    """Complaints on the rows, and on what of the papers and the package they leave out."""
    found, names = [], [row.get("name") for row in rows]
    for row in rows:
        name = row.get("name")
        if not HELD <= row.keys() <= HELD | SHOWN or names.count(name) > 1:
            found.append(f"{name}: fields, or another row of this name")
            continue
        if named(row["class"]) is None:
            found.append(f"{name}: the package has no {row['class']}")
        if not (ROOT / "notebooks" / f"{row['lesson']}.py").is_file():
            found.append(f"{name}: no lesson {row['lesson']}")
        for key, places in row["papers"].items():
            parts = {p.place for p in (*papers[key].exhibits, *papers[key].sections)} if key in papers else set()
            found += [f"{name}: {key} has no {place}" for place in places if place not in parts]
    whole = [row for row in rows if row.keys() >= HELD]
    told = {(key, place) for row in whole for key, places in row["papers"].items() for place in places}
    others = {(p.key, e.place) for p in papers.values() for e in p.exhibits if not claims.exhibits_of(e.place)}
    mechanisms = {(key, place) for key, place in others if not place.startswith("Equation")}
    found += [f"{key}: no row for {place}" for key, place in sorted(mechanisms - NO_MECHANISM - told)]
    return found + [f"no row for the class {c}" for c in sorted(catalogue().keys() - {row["class"] for row in whole})]


def test_every_mechanism_of_the_papers_and_the_package_has_a_row():
    assert row_faults(ROWS, PAPERS) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda rows: [row for row in rows if row["name"] != "State encoding"], "sun2021: no row for SE"),
        (lambda rows: [row for row in rows if row["name"] != "OLH"], "no row for the class OLH"),
        (lambda rows: [*rows, rows[0]], "another row of this name"),
        (lambda rows: [*rows, {"name": "X"}], "X: fields"),
        (lambda rows: [*rows, {**rows[0], "name": "X", "class": "Y"}], "the package has no Y"),
        (lambda rows: [*rows, {**rows[0], "name": "X", "lesson": "99_x"}], "no lesson 99_x"),
        (lambda rows: [*rows, {**rows[0], "name": "X", "papers": {"ye2018": ["Y"]}}], "ye2018 has no Y"),
        (lambda rows: [*rows, {**rows[0], "name": "X", "papers": {"z": ["Y"]}}], "z has no Y"),
    ],
)
def test_planted_fault_of_the_rows_is_caught(change, complaint):
    assert [fault for fault in row_faults(change(ROWS), PAPERS) if complaint in fault]


# --- the page of all mechanisms


def test_every_row_leads_from_the_page_to_its_lesson_and_its_dossiers():
    shown = "\n".join(tables({}, ROWS, PAPERS).values()).splitlines()
    for row in ROWS:
        thing = named(row["class"])
        lines = [line for line in shown if re.search(rf"\b{thing.__module__}\.{thing.__name__}\b", line)]
        assert any(f"{{doc}}`/notebooks/{row['lesson']}`" in line for line in lines), row["name"]
        for key in row["papers"]:
            assert any(f"{{ref}}`{key} <{key}-" in line for line in lines), (row["name"], key)


def test_a_row_without_numbers_says_what_its_class_needs():
    rows = {
        line.split("`")[1].partition(" <")[0]: line
        for line in "".join(tables({}, ROWS, PAPERS).values()).splitlines()
        if "`" in line
    }
    ends = {
        name: [cell.strip() for cell in rows[name].split("|")[-3:-1]] for name in ("S-Hist", "RAPPOR-Unknown", "OLH")
    }
    assert ends == {"S-Hist": ["item", "yes"], "RAPPOR-Unknown": ["cell", ""], "OLH": ["item", "yes"]}


def test_the_links_of_a_mechanism_are_those_of_its_rows():
    rows = [row for row in ROWS if row["class"] == "GRR" and row["name"] != "k-RR of each attribute"]
    lessons, dossiers = links(rows, PAPERS)
    assert lessons == "{doc}`/notebooks/01_randomized_response`, {doc}`/notebooks/04_frequency`"
    assert dossiers.startswith("{ref}`ye2018 <ye2018-wrr>`, {ref}`zhang2018 <") and "sun2021" not in dossiers


# --- what a lesson shows


@cache
def front_door():
    """The public names of the package."""
    return {"np": np, **{name: getattr(ldpnb, name) for name in ldpnb.__all__}}


def batch(values):
    """Values of people as a mechanism takes them."""
    return Records.of(*values) if isinstance(values[0], dict | set | frozenset) else np.asarray(values)


def uses(expression, names):
    """Whether an expression names one of them."""
    return bool({node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)} & {*names})


def lesson_faults(row, text):
    """Complaints on a lesson in the new form, given its row: what it hides, and where the package differs."""
    if not row.keys() >= SHOWN or not row["compare"].keys() >= COMPARED:
        return [f"a lesson in the new form needs {', '.join(sorted(SHOWN))}, and to compare {', '.join(COMPARED)}"]
    page, found = lesson(text), []
    for name in [*row["client"], *row["server"]]:
        if page.folded.get(name, True):
            found.append(f"{name} is {'folded' if name in page.folded else 'not defined'}")
    how = row["compare"]
    for part, names in (("law", row["client"]), ("estimate", row["server"])):
        found += [] if uses(how[part], names) else [f"{part} does not use {' or '.join(names)}"]
    if found:
        return found
    names = page.namespace(**front_door())
    mechanism = names["mechanism"] = eval(how["mechanism"], names)
    found_by_search = row["class"].islower()  # a function, which returns a mechanism of another name
    if isinstance(mechanism, Mechanism) and not found_by_search and type(mechanism).__name__ != row["class"]:
        return [f"the mechanism is no {row['class']}"]
    values = list(eval(how["values"], names))
    if not same_law(eval(how["law"], names), mechanism, values):
        found.append("the client has another law")
    rng = np.random.default_rng(2026)
    people = [values[i % len(values)] for i in range(PEOPLE)]
    if isinstance(mechanism, Mechanism):
        reports = mechanism.perturb(batch(people), rng=rng)
    else:
        reports = [mechanism(value, rng) for value in people]
    ours = np.asarray(eval(how["estimate"], names)(reports), float)
    package = eval(how["package"], names) if "package" in how else lambda y: mechanism.estimate(mechanism.tally(y))
    theirs = np.asarray(package(reports), float)
    if ours.shape != theirs.shape or not (np.isfinite(ours).all() and np.allclose(ours, theirs, rtol=1e-9, atol=1e-12)):
        found.append(f"the server estimates otherwise: {ours.ravel()[:4]} against {theirs.ravel()[:4]}")
    return found


def test_what_lessons_show_is_what_the_package_does():
    found = [
        f"{row['lesson']}, {row['name']}: {fault}"
        for row in ROWS
        for fault in lesson_faults(row, (ROOT / "notebooks" / f"{row['lesson']}.py").read_text("utf-8"))
    ]
    assert not found, "\n".join(found)


# --- planted lessons: the template, which shows k-RR with names for its items

ROW = {
    "class": "GRR",
    "client": ["client"],
    "server": ["server"],
    "compare": {
        "mechanism": "GRR(k=3, epsilon=1.0)",
        "values": "range(3)",
        "law": "lambda x, rng: COLOURS.index(client(COLOURS[x], 1.0, rng))",
        "estimate": "lambda reports: server([COLOURS[y] for y in reports], 1.0)[0]",
    },
}


def test_a_good_lesson_passes():
    assert lesson_faults(ROW, LESSON) == []


def test_nothing_slow_of_a_lesson_runs():
    cell = "import sys\nprint('loud')\nfor i in range(10):\n    sys.exit(1)\nslow = client('red', 1.0, rng)\n"
    names = lesson(f"{LESSON}\n# %%\n{cell}").namespace(**front_door())
    assert "slow" not in names and "people" not in names and names["SHARES"] == [0.5, 0.3, 0.2]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("# %%\ndef client", '# %% tags=["hide-input"]\ndef client', "client is folded"),
        ("# %%\ndef server", '# %% tags=["hide-cell"]\ndef server', "server is folded"),
        ("def server(", "def server_of(", "server is not defined"),
        ("odds(eps) + 2)", "odds(eps) + 3)", "the client has another law"),
        ("if y != x]", "]", "the client has another law"),
        ("- 1 / (exp(eps) - 1)", "- 1 / exp(eps)", "the server estimates otherwise"),
        ("    return f_hat, gain", "    return f_hat[:2], gain", "the server estimates otherwise"),
    ],
)
def test_planted_fault_of_a_lesson_is_caught(old, new, complaint):
    assert old in LESSON
    assert [fault for fault in lesson_faults(ROW, LESSON.replace(old, new, 1)) if complaint in fault]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"mechanism": "GRR(k=3, epsilon=1.01)"}, "the client has another law"),
        ({"mechanism": "SUE(k=3, epsilon=1.0)"}, "the mechanism is no GRR"),
        ({"law": "one_person(mechanism)"}, "law does not use client"),
        ({"estimate": "lambda reports: mechanism.estimate(mechanism.tally(reports))"}, "estimate does not use server"),
        ({"package": "lambda reports: np.zeros(3)"}, "the server estimates otherwise"),
    ],
)
def test_planted_fault_of_a_row_is_caught(change, complaint):
    row = {**ROW, "compare": {**ROW["compare"], **change}}
    assert [fault for fault in lesson_faults(row, LESSON) if complaint in fault]


def test_a_row_without_a_comparison_is_caught():
    assert lesson_faults({"class": "GRR"}, LESSON)
    assert lesson_faults({**ROW, "compare": {}}, LESSON)


def test_the_client_of_a_row_may_be_a_function():
    how = {"mechanism": "lambda x, rng: int(GRR(k=3, epsilon=1.0).perturb([x], rng=rng)[0])"}
    how["package"] = "lambda reports: GRR(k=3, epsilon=1.0).estimate(GRR(k=3, epsilon=1.0).tally(np.array(reports)))"
    assert lesson_faults({**ROW, "compare": {**ROW["compare"], **how}}, LESSON) == []
