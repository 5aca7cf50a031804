"""The built book for a reader with a keyboard alone, and for one who prints a page from the browser."""

import io
import re

import numpy as np
import pytest
from built import ROOT
from PIL import Image
from pypdf import PdfReader
from visit import visiting

WIDE, NARROW = 1280, 400
CHAPTER = "notebooks/14_keyvalue.html"

STILL = "*, ::before, ::after { transition: none !important; scroll-behavior: auto !important }"

pytestmark = pytest.mark.slow


@pytest.fixture
def reader(browser, site, request):
    """Open a chapter at the width of the test's parameter, for somebody who never touches a mouse."""
    with visiting(browser, site, "light", getattr(request, "param", WIDE)) as visit:
        visit.open(site + CHAPTER)
        visit.page.add_style_tag(content=STILL)
        yield visit.page


both_widths = pytest.mark.parametrize("reader", [WIDE, NARROW], indirect=True)

# ------------------------------------------------------------------------------------------------ keyboard

HERE = """() => {
    const e = document.activeElement, box = e.getBoundingClientRect();
    return {
        tag: e.tagName,
        name: (e.getAttribute('aria-label') || e.textContent || e.title).trim().replace(/\\s+/g, ' '),
        classes: e.className, id: e.id,
        seen: e.checkVisibility({visibilityProperty: true}) && box.width * box.height > 0,
        inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
        y: box.top + scrollY, place: e.closest('main') ? 'main' : e.closest('.bd-sidebar') ? 'sidebar' : 'head',
    };
}"""


def here(page):
    """Say what has the focus."""
    return page.evaluate(HERE)


def tab_to(page, selector, limit=150):
    """Press Tab until the focus is on an element of the selector."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{limit} times Tab do not reach {selector}")


def unmarked(page, stops):
    """Press Tab so many times; return the stops that do not look other than they do without the focus."""
    found = []
    for _ in range(stops):
        page.keyboard.press("Tab")
        stop = here(page)
        box = page.evaluate(
            """() => {const box = document.activeElement.getBoundingClientRect();
            return {x: box.x - 5, y: box.y - 5, width: box.width + 10, height: box.height + 10}}"""
        )
        frame = {"x": max(box["x"], 0), "y": max(box["y"], 0)}
        frame["width"] = min(box["x"] + box["width"], page.viewport_size["width"]) - frame["x"]
        frame["height"] = min(box["y"] + box["height"], page.viewport_size["height"]) - frame["y"]
        if frame["width"] < 3 or frame["height"] < 3:
            found.append(f"{stop['tag']} {stop['name'][:40]} is out of the window")
            continue

        def look(frame=frame):
            return np.asarray(Image.open(io.BytesIO(page.screenshot(clip=frame))).convert("L")).astype(int)

        with_focus = look()
        page.evaluate(
            """() => {
            const still = document.createElement('style');
            still.textContent = '*:focus, *:focus-visible {outline: none !important; box-shadow: none !important}';
            document.head.append(window.still = still);
            }"""
        )
        without = look()
        page.evaluate("() => window.still.remove()")
        if (np.abs(with_focus - without) > 60).sum() < 40:  # pixels: two sides of a small square
            found.append(f"{stop['tag']} {stop['classes']} {stop['name'][:40]}")
    return found


@both_widths
def test_the_focus_is_always_seen(reader):
    assert unmarked(reader, 24 if reader.viewport_size["width"] == NARROW else 64) == []


def test_a_focus_without_a_sign_is_caught(reader):
    reader.add_style_tag(
        content=".navbar-brand:focus-visible { outline: none !important; box-shadow: none !important }"
    )
    assert [stop for stop in unmarked(reader, 2) if "navbar-brand" in stop]


@both_widths
def test_the_first_stop_skips_to_the_text(reader):
    reader.keyboard.press("Tab")
    assert here(reader)["name"] == "Skip to main content" and here(reader)["seen"]
    reader.keyboard.press("Enter")
    reader.keyboard.press("Tab")
    assert here(reader)["place"] == "main"


def test_stops_come_in_the_order_of_the_page(reader):
    places, heights = [], []
    for _ in range(110):
        reader.keyboard.press("Tab")
        stop = here(reader)
        places.append(stop["place"])
        article = reader.evaluate("document.activeElement.closest('article.bd-article') !== null")
        if article:
            heights.append(stop["y"])
    rank = [("head", "sidebar", "main").index(place) for place in places]
    assert rank == sorted(rank)
    assert len(heights) > 40
    assert all(later > earlier - 60 for earlier, later in zip(heights, heights[1:], strict=False))


def test_formulas_in_a_sentence_are_no_stops(reader):
    reader.wait_for_function("document.querySelector('mjx-container[display=true][tabindex=\"0\"]')")
    stops = reader.evaluate("document.querySelectorAll('mjx-container:not([display])[tabindex=\"0\"]').length")
    assert (reader.locator("mjx-container:not([display])").count() > 50, stops) == (True, 0)


def test_the_list_of_pages_leads_on(reader):
    tab_to(reader, ".bd-links a[href='15_correlation.html']")
    reader.keyboard.press("Enter")
    reader.wait_for_url("**/notebooks/15_correlation.html")


@pytest.mark.parametrize("reader", [NARROW], indirect=True)
def test_the_list_of_pages_opens_over_a_narrow_page(reader):
    tab_to(reader, ".primary-toggle")
    reader.keyboard.press("Enter")
    reader.locator("#pst-primary-sidebar-modal[open]").wait_for()
    tab_to(reader, ".bd-links a[href='15_correlation.html']")
    reader.keyboard.press("Escape")
    reader.locator("#pst-primary-sidebar-modal").wait_for(state="hidden")
    assert "primary-toggle" in here(reader)["classes"]


def test_a_list_of_pages_put_away_is_no_stop(reader):
    tab_to(reader, ".primary-toggle")
    reader.keyboard.press("Enter")
    reader.keyboard.press("Shift+Tab")
    assert here(reader)["seen"] and here(reader)["inside"] and here(reader)["place"] != "sidebar"


MODES = {"auto": "System Settings", "dark": "Dark", "light": "Light"}


@both_widths
def test_light_and_dark_by_the_keyboard(reader):
    tab_to(reader, ".theme-switch-button")
    modes, names = [], []
    for _ in range(3):
        modes.append(reader.evaluate("document.documentElement.dataset.mode"))
        names += [name for name in MODES.values() if reader.get_by_role("button", name=f"Color mode: {name}").count()]
        reader.keyboard.press("Enter")
        reader.wait_for_timeout(50)
    assert sorted(modes) == sorted(MODES)
    assert names == [MODES[mode] for mode in modes]


@both_widths
def test_search_opens_and_gives_the_focus_back(reader):
    tab_to(reader, ".theme-switch-button")
    reader.keyboard.press("Control+k")
    field = reader.locator("#pst-search-dialog input[type=search]")
    field.wait_for()
    assert field.evaluate("field => field === document.activeElement")
    reader.keyboard.press("Escape")
    field.wait_for(state="hidden")
    assert "theme-switch-button" in here(reader)["classes"]
    reader.keyboard.press("Control+k")
    reader.keyboard.type("unary encoding")
    reader.keyboard.press("Enter")
    reader.wait_for_url("**/search.html?q=unary+encoding")


@both_widths
def test_the_downloads_open_and_close(reader):
    tab_to(reader, ".dropdown-download-buttons > button")
    reader.keyboard.press("Enter")
    menu = reader.locator(".dropdown-download-buttons .dropdown-menu")
    menu.wait_for()
    reader.keyboard.press("ArrowDown")
    first = here(reader)
    reader.keyboard.press("ArrowDown")
    assert "dropdown-item" in first["classes"] and here(reader)["name"] != first["name"]
    reader.keyboard.press("Escape")
    menu.wait_for(state="hidden")
    assert here(reader)["name"] == "Download this page"


def test_folds_open_and_close(reader):
    tab_to(reader, "details.hide > summary")
    for key, state in (("Enter", True), ("Space", False)):
        reader.keyboard.press(key)
        assert reader.evaluate("document.activeElement.parentElement.open") is state


@both_widths
@pytest.mark.parametrize("of", ["a.glossed", "a[href*='bibliography']"])
def test_what_a_term_or_a_source_is_stands_beside_its_link(reader, of):
    link, box = reader.locator(f"article {of}").first, reader.locator("#meaning")
    said = link.get_attribute("data-meaning")
    assert len(said) > 20 and link.get_attribute("title") is None
    link.hover()
    box.wait_for(state="visible")
    assert box.text_content() == said
    place, around = box.bounding_box(), link.bounding_box()
    assert 0 <= place["x"] and place["x"] + place["width"] <= reader.viewport_size["width"]
    assert min(abs(place["y"] - around["y"] - around["height"]), abs(place["y"] + place["height"] - around["y"])) < 40
    reader.mouse.move(place["x"] + 5, place["y"] + 5)
    assert box.is_visible()  # its words can be selected
    reader.keyboard.press("Escape")
    box.wait_for(state="hidden")
    reader.mouse.move(1, 1)
    link.focus()
    box.wait_for(state="visible")
    assert link.get_attribute("aria-describedby") == "meaning"
    link.blur()
    box.wait_for(state="hidden")


@pytest.mark.parametrize("reader", [NARROW], indirect=True)
@pytest.mark.parametrize(
    ("page", "box"),
    [
        ("notebooks/papers/sun2021.html", ".pst-scrollable-table-container"),
        ("notebooks/manual/costs.html", ".cell_output .output"),
        ("notebooks/14_keyvalue.html", "div.math mjx-container"),
    ],
)
def test_what_is_wide_is_scrolled_by_arrow_keys(reader, site, page, box):
    reader.goto(site + page)
    reader.wait_for_load_state("load")
    reader.evaluate("window.MathJax?.startup?.promise")
    reader.wait_for_timeout(300)
    wide = """box => [...document.querySelectorAll('.bd-article ' + box)].find(
        e => e.scrollWidth > e.clientWidth + 20 && getComputedStyle(e).overflowX !== 'visible')"""
    assert reader.evaluate(f"box => Boolean(({wide})(box))", box), f"nothing wide in {page}"
    reader.evaluate(f"box => {{ window.wide = ({wide})(box); }}", box)
    for _ in range(200):
        reader.keyboard.press("Tab")
        if reader.evaluate("window.wide.contains(document.activeElement)"):
            break
    for _ in range(3):
        reader.keyboard.press("ArrowRight")
    reader.wait_for_function("window.wide.scrollLeft > 0")


# --------------------------------------------------------------------------------------------------- paper

SHEET = 680  # pixels of width that A4 has between the page's margins


def cut_off(page):
    """Return what stands out of the sheet or hides a part of itself in a box."""
    # of a formula what is drawn counts: MathJax keeps its text for screen readers beside it, out of sight
    return page.evaluate(
        """() => {
        const found = new Set();
        for (const e of document.querySelectorAll('.bd-article *')) {
            if (!e.checkVisibility() || e.closest('mjx-math *, mjx-assistive-mml, svg')) continue;
            const name = `${e.tagName.toLowerCase()} ${e.className} ${e.textContent.trim().slice(0, 20)}`;
            const box = e.getBoundingClientRect();
            if (box.width && box.right > innerWidth + 1) found.add(`${Math.round(box.right)} pixels: ${name}`);
            if (e.clientWidth && e.scrollWidth > e.clientWidth + 1 && !e.matches('.math, mjx-container')
                && !['visible', 'clip'].includes(getComputedStyle(e).overflowX)) found.add(`hidden: ${name}`);
        }
        return [...found];
        }"""
    )


@pytest.fixture(scope="module")
def paper(browser, site):
    """A reader in the dark, about to print."""
    with visiting(browser, site, "dark", SHEET) as visit:
        yield visit


def printed(visit, address):
    visit.page.emulate_media(media="screen", color_scheme="dark")
    visit.open(address)
    visit.page.emulate_media(media="print", color_scheme="dark")
    visit.page.wait_for_timeout(100)


PRINTED = ["book/preface", "book/ledger", "book/glossary", "book/concordance", "book/api"]
PRINTED += sorted(path.relative_to(ROOT).as_posix()[:-6] for path in ROOT.glob("notebooks/**/*.ipynb"))


def test_nothing_is_cut_off_on_paper(paper, site):
    found = []
    for name in PRINTED:
        printed(paper, f"{site}{name}.html")
        found += [f"{name}: {complaint}" for complaint in cut_off(paper.page)]
    assert not found, "\n" + "\n".join(found)


def test_what_is_cut_off_is_named(paper, site):
    printed(paper, f"{site}book/preface.html")
    paper.page.evaluate(
        """() => document.querySelector('article').insertAdjacentHTML('beforeend',
        '<p style="position: absolute; left: 0; width: 900px">wide</p>'
        + '<div style="overflow: hidden; width: 9em"><p style="width: 20em">a</p></div>')"""
    )
    assert [complaint.split(":")[0] for complaint in cut_off(paper.page)] == ["900 pixels", "hidden"]


def test_paper_is_black_on_white(paper, site):
    printed(paper, site + CHAPTER)
    page = paper.page
    shot = np.asarray(Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("L"))
    assert np.median(shot) == 255
    assert page.evaluate("getComputedStyle(document.querySelector('.cell_output img')).filter") == "none"
    ink = page.evaluate("getComputedStyle(document.querySelector('article p')).color")
    assert max(map(int, re.findall(r"\d+", ink)[:3])) < 110
    page.emulate_media(media="screen", color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")


def test_paper_has_no_buttons_and_open_solutions(paper, site):
    printed(paper, site + CHAPTER)
    page = paper.page
    for selector in ("button", ".bd-sidebar-primary", ".bd-sidebar-secondary", ".prev-next-footer", ".headerlink"):
        assert page.locator(f"{selector}:visible").count() == 0, selector
    assert page.locator("details.sd-dropdown").count() > 0
    page.wait_for_function("document.querySelectorAll('details.sd-dropdown:not([open])').length === 0")
    assert page.locator("details.hide:visible").count() == 0
    page.emulate_media(media="screen", color_scheme="dark")
    page.wait_for_function("document.querySelectorAll('details.sd-dropdown[open]').length === 0")


def test_a_page_comes_out_of_the_printer_whole(paper, site):
    paper.page.emulate_media(media="null", color_scheme="dark")  # the printer itself changes the medium
    paper.open(site + CHAPTER)
    sheets = PdfReader(io.BytesIO(paper.page.pdf(format="A4", prefer_css_page_size=True))).pages
    text = "\n".join(sheet.extract_text() for sheet in sheets)
    first = paper.page.locator("article section > h2").first.inner_text().strip("#\n ")
    last = paper.page.locator("article section > h2").last.inner_text().strip("#\n ")
    assert first.split(". ")[-1] in text and last.split(". ")[-1] in text
    assert "Show the code" not in text and "Skip to main" not in text
