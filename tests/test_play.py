"""The page that chooses a mechanism, in a real browser: it ranks as the package does, whoever uses it and however.

The site is what `make book` left in _build/html; tests/test_browser.py says what happens without it.
"""

import functools
import json
import math
from dataclasses import replace
from itertools import zip_longest
from urllib.parse import urlencode

import pytest
from built import SITE
from questions import questions
from visit import LOADED, NETWORK, WIDTHS, accessible, complaints, scrollable_by_keyboard, visiting

from ldpnb import choose

pytestmark = pytest.mark.slow

PLAY = "book/play.html"
ASK = """async hashes => {
    const found = [];
    for (const hash of hashes) {
        if (location.hash !== '#' + hash)
            await new Promise(done => {
                addEventListener('hashchange', done, {once: true});
                location.hash = hash;
            });
        const rows = [...document.querySelectorAll('#choose [data-choice]')];
        found.push(rows.map(row => JSON.parse(row.dataset.choice)));
    }
    return found;
}"""

ON_PAGE = {task for task, kind in choose.TASKS.items() if kind.on_page}
SAYS = "text => document.querySelector('#choose [role=status]').textContent.includes(text)"


def link(task, question):
    """What stands behind the # of the page's address."""
    told = {name: str(x).lower() if isinstance(x, bool) else x for name, x in question.items()}
    return urlencode({"task": task} | told)


@functools.cache
def python_ranks(task, question):
    return choose.TASKS[task](**dict(question)).rank()


def disagreements(visit, asked):
    """Where the page ranks otherwise than the package, in a fact or by more than 1e-9 of an error."""
    found = []
    shown = visit.page.evaluate(ASK, [link(task, question) for task, question in asked])
    for (task, question), rows in zip(asked, shown, strict=True):
        ours = python_ranks(task, tuple(question.items()))
        for row, choice in zip_longest(rows, ours):
            made = choice is not None and choice.mechanism is not None
            wanted = choice and {
                "name": choice.name,
                "private": choice.private_bits,
                "public": choice.public_bits,
                "server": choice.server if made else "report",
                "listed": choice.listed,
                "excluded": choice.excluded,
                "why": choice.why,
            }
            if not row or not wanted or wanted != {name: row.get(name) for name in wanted}:
                found.append(f"{task} {question}: {row} instead of {wanted}")
                break
            if row["code"] != choice.code and not (choice.excluded and not row["code"]):
                found.append(f"{task} {question}: {row['code']} instead of {choice.code}")
            errors = choice.errors | ({"rank": choice.error} if choice.errors else {})
            theirs = row["errors"] | ({"rank": row["error"]} if row["errors"] else {})
            if errors.keys() != theirs.keys() or any(
                not math.isclose(theirs[what], error, rel_tol=1e-9) for what, error in errors.items()
            ):
                found.append(f"{task} {question}: {choice.name} has {theirs} instead of {errors}")
    return found


def test_the_page_ranks_as_the_package_does(browser, site):
    asked = [one for one in questions(every=3) if choose.TASKS[one[0]].on_page]
    assert {task for task, _ in asked} == ON_PAGE == {*choose.TASKS} - {"distribution"}
    with visiting(browser, site) as visit:
        visit.open(site + PLAY)
        assert disagreements(visit, asked) == []
        assert visit.page.evaluate(ASK, [""])[0], "a page without a question answers the usual one"
        assert complaints(visit, NETWORK) == []


@pytest.mark.parametrize(
    ("constant", "other", "task"),
    [
        ("const STEPS = 64;", "const STEPS = 65;", "number"),
        ("Math.exp(eps / 2), 1)", "Math.exp(eps / 2.00001), 1)", "item"),
        ("/ (1 + a);\n", "/ (1.00001 + a);\n", "number"),
        ("(once ? 2 : 1)", "1", "frequent"),
        ("(2 * (1 - keep)) / 3", "(1 - keep) / 3", "pairs"),
        ("public: 96", "public: 64", "sets"),
        ("keys: 12,", "keys: 13,", "correlation"),
        ("noise < best.noise", "noise > best.noise", "sets"),
        ("(4 * cells) / 9", "(4 * cells) / 27", "correlation"),
        ("larger.variance >= best.variance", "true", "crosstabs"),
        ("rounded(a) - rounded(b) ||", "rounded(b) - rounded(a) ||", "marginals"),
        ("eps / 2.5", "eps / 2.0", "numbers"),
        ("size: c < best ? c", "size: c < best ? best", "item"),
        ("(question.high - question.low) / 2", "1", "number"),
    ],
)
def test_a_changed_constant_of_the_page_is_caught(browser, site, constant, other, task):
    script = (SITE / "_static" / "choose.js").read_text("utf-8")
    assert constant in script
    asked = [one for one in questions(every=3) if one[0] == task]
    with visiting(browser, site) as visit:
        changed = script.replace(constant, other)
        visit.page.route("**/choose.js*", lambda route: route.fulfill(body=changed, content_type="text/javascript"))
        visit.open(site + PLAY)
        assert disagreements(visit, asked)


SHOWN = """async hashes => {
    const found = [];
    for (const hash of hashes) {
        const part = document.querySelector('#choose .drawn');
        part.dataset.curves = '';
        if (location.hash === '#' + hash) location.hash = 'task=what';
        location.hash = hash;
        while (!part.dataset.curves) await new Promise(done => setTimeout(done, 20));
        const lines = [...document.querySelectorAll('#choose .lines code')].map(code => code.textContent);
        found.push([lines, JSON.parse(part.dataset.curves)]);
    }
    return found;
}"""
DRAWN = [
    ("item", {"n": 20_000, "epsilon": 1.0, "k": 40, "share": 0.05}),
    ("item", {"n": 5, "epsilon": 16.0, "k": 1000, "bits": 12, "listed": True}),
    ("sets", {"n": 3000, "epsilon": 0.01, "d": 50, "m": 4, "listed": False}),
    ("frequent", {"n": 3000, "epsilon": 2.0, "d": 50, "m": 4, "candidates": 5}),
    ("number", {"n": 20_000, "epsilon": 0.5, "low": 18, "high": 90}),
    ("numbers", {"n": 20_000, "epsilon": 2.5, "d": 6, "bits": 6}),
    ("pairs", {"n": 200_000, "epsilon": 1.0, "d": 300, "m": 8, "low": 1, "high": 5}),
    ("correlation", {"n": 2000, "epsilon": 1.0, "d": 10, "public_free": True}),
    ("marginals", {"n": 2000, "epsilon": 3.0, "d": 9, "k": 3, "share": 0.25}),
    ("crosstabs", {"n": 2000, "epsilon": 3.0, "d": 9, "k": 3, "bits": 30}),
]


def family(name):
    return name.partition(",")[0] if name.startswith("one ") else name


def wrong_points(task, question, pictures):
    """Points of the pictures that the package sees elsewhere."""
    asked = choose.TASKS[task](**question)
    best = [family(choice.name) for choice in asked.rank() if not choice.excluded][:4]
    found = [] if [p["by"] for p in pictures] == ["epsilon", "n"] else [pictures]
    for picture in pictures:
        found += [] if picture["names"] == best and len(picture["x"]) > 5 else [picture["names"]]
        for j, x in enumerate(picture["x"]):
            errors = {family(c.name): c.error for c in replace(asked, **{picture["by"]: x}).rank() if not c.excluded}
            for name, row in zip(picture["names"], picture["errors"], strict=True):
                ours, theirs = errors.get(name), row[j]
                if (ours is None) != (theirs is None) or ours and not math.isclose(ours, theirs, rel_tol=1e-9):
                    found.append((task, picture["by"], x, name, theirs, ours))
    return found


def test_lines_and_pictures_are_those_of_the_package(browser, site):
    assert {task for task, _ in DRAWN} == ON_PAGE
    with visiting(browser, site) as visit:
        visit.open(site + PLAY)
        found = visit.page.evaluate(SHOWN, [link(task, question) for task, question in DRAWN])
        for (task, question), (lines, pictures) in zip(DRAWN, found, strict=True):
            asked = choose.TASKS[task](**question)
            assert eval(lines[0], {"choose": choose}).question == asked
            assert lines[1:] == [choice.code for choice in asked.rank() if not choice.excluded][:4]
            assert wrong_points(task, question, pictures) == []
        moved = json.loads(json.dumps(pictures))
        moved[0]["errors"][0][3] *= 1 + 1e-8
        assert len(wrong_points(task, question, moved)) == 1
        assert complaints(visit, NETWORK) == []


def test_a_line_is_copied_with_the_keyboard_and_a_picture_is_told_in_words(browser, site):
    with visiting(browser, site) as visit:
        page = visit.page
        visit.open(site + PLAY)
        page.evaluate("navigator.clipboard.writeText = async text => { window.copied = text; }")
        button = page.get_by_role("button", name="Copy the line for k-Subset")
        button.press("Enter")
        page.wait_for_function("window.copied === 'SubsetSelection(k=1024, epsilon=1.0)'")
        page.get_by_role("button", name="Copied the line for k-Subset").wait_for()
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        page.get_by_role("button", name="Copy the line for OUE").press("Enter")
        assert page.evaluate("getSelection().toString()") == "OUE(k=1024, epsilon=1.0)"
        told = page.get_by_role("img", name="Lines of the standard error, points against ε").get_attribute("aria-label")
        assert "k-Subset from 5." in told and "points at 0.125 to 0." in told
        summary = page.locator("#choose .drawn summary").first
        summary.press("Enter")
        assert page.locator("#choose .drawn details[open] tbody tr").count() == 17
        assert complaints(visit, NETWORK) == []


@pytest.mark.parametrize("scheme", WIDTHS)
def test_the_page_is_readable_for_every_question(browser, site, scheme):
    found = []
    with visiting(browser, site, scheme, 400) as visit:
        for task, more in [*((task, "") for task in ON_PAGE), ("item", "&k=1.5&n=&epsilon=99"), ("what", "")]:
            visit.open(f"{site}{PLAY}#task={task}{more}")
            visit.page.reload()  # a new question in the address alone would not load the page again
            visit.settle()
            visit.page.wait_for_function("document.querySelector('#choose .summary').textContent")
            visit.page.evaluate("document.querySelectorAll('#choose details').forEach(fold => { fold.open = true; })")
            found += [f"{task}{more} {c}" for c in complaints(visit, (*LOADED, scrollable_by_keyboard, accessible))]
    assert found == []


@pytest.mark.parametrize("from_disk", [False, True])
def test_the_page_is_used_with_the_keyboard_alone(browser, site, from_disk):
    home = f"{SITE.as_uri()}/" if from_disk else site
    with visiting(browser, home) as visit:
        page, press = visit.page, visit.page.keyboard.press
        visit.open(home + PLAY)

        def focused():
            return page.evaluate("document.activeElement.id")

        def said(text):
            page.wait_for_function(
                "text => document.querySelector('#choose [role=status]').textContent.includes(text)", arg=text
            )

        said("Best of 9: k-Subset, with a standard error of 0.606 points")
        page.locator("#choose-task").focus()
        page.keyboard.type("A set")
        for wanted in ("n", "epsilon", "d", "m", "share", "bits", "listed", "public_free"):
            press("Tab")
            assert focused() == f"choose-{wanted}"
        assert "task=sets" in page.url
        press("Shift+Tab")
        press("Space")
        said("Best of 1: wheel")
        assert page.url.endswith("#task=sets&listed=false")
        excluded = page.locator("#choose .excluded li", has_text="PrivSet").inner_text()
        assert excluded.endswith(" points)"), "of those with an error it is told"
        press("Space")
        press("Shift+Tab")
        page.keyboard.type("11")
        said("Best of 3: sampled S-Hist")
        assert focused() == "choose-bits" and "bits=11" in page.url
        assert page.locator("#choose .ranked tbody tr").count() == 3
        page.locator("#choose-m").press("Control+A")
        page.keyboard.type("2000")
        said("m must be at most d = 1,000, got 2,000")
        field = page.locator("#choose-m")
        assert field.get_attribute("aria-invalid") == "true" and page.locator("#choose .ranked tbody tr").count() == 0
        described = field.get_attribute("aria-describedby").split()
        assert "m must be at most d = 1,000, got 2,000" in [page.locator(f"#{one}").inner_text() for one in described]
        address = page.url
        page.reload()
        said("m must be at most d")
        assert page.url == address and field.input_value() == "2000"
        field.press("Control+A")
        page.keyboard.type("4")
        said("Best of 3: sampled S-Hist")
        assert field.get_attribute("aria-invalid") is None
        page.get_by_role("button", name="Ten yes-or-no questions").press("Enter")
        said("Best of 3: blocks")
        assert "one pair, k-RR" in page.locator("#choose .ranked tbody").inner_text()
        page.evaluate("location.hash = 'task=marginals&k=100&epsilon=4'")
        said("Best of 4: one attribute, k-RR, with a standard error of 0.292 points")
        assert complaints(visit, NETWORK) == []


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("k", "1.5", "k must be a whole number from 2 to 1,000,000, got 1.5"),
        ("k", "", "k must be a whole number from 2 to 1,000,000, got nothing"),
        ("k", "1e7", "k must be a whole number from 2 to 1,000,000, got 1e7"),
        ("k", "0x10", "k must be a whole number from 2 to 1,000,000, got 0x10"),
        ("n", "-3", "n must be a whole number from 1 to 9,007,199,254,740,991, got -3"),
        ("epsilon", "0", "epsilon must be a number from 0.01 to 16, got 0"),
        ("epsilon", "17", "epsilon must be a number from 0.01 to 16, got 17"),
        ("epsilon", "one", "epsilon must be a number from 0.01 to 16, got one"),
        ("epsilon", "NaN", "epsilon must be a number from 0.01 to 16, got NaN"),
        ("share", "1.01", "share must be a number from 0 to 1, got 1.01"),
        ("bits", "0", "bits must be a whole number from 1 to 9,007,199,254,740,991, got 0"),
        ("task", "<b>", "task must be one of item, sets, frequent, number, numbers, pairs, correlation, "),
    ],
)
def test_the_page_names_the_rule_that_is_broken(reader_of_play, name, text, rule):
    rows = reader_of_play.page.evaluate(ASK, [link("item", {name: text})])[0]
    assert rows == []
    reader_of_play.page.wait_for_function(SAYS, arg=rule)
    assert reader_of_play.page.evaluate(ASK, ["task=item"])[0]
    assert complaints(reader_of_play, NETWORK) == []


@pytest.fixture(scope="module")
def reader_of_play(browser, site):
    with visiting(browser, site) as visit:
        visit.open(site + PLAY)
        yield visit


def test_without_javascript_the_page_says_what_to_do(browser, site):
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(site + PLAY)
        text = page.locator("#choose").inner_text()
        assert "needs JavaScript" in text and page.locator("#choose form").count() == 0
        assert page.locator("#choose a[href*='23_choosing.html']").count() >= 2
    finally:
        context.close()
