"""The built book in a real browser with the network off, as an offline reader sees it.

A check looks at one open page and returns its complaints. Each is run on every page of the site, in light and dark,
wide and narrow, and on planted faulty pages that it must catch.

The site is what `make book` left in _build/html, and `make zip` beside it. Without it, or without a browser, the tests
are skipped with a line that says what to do; LDPNB_BROWSER=required turns the skip into a failure.
"""

import functools
import io
import itertools
import os
import re
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import chinese
import numpy as np
import pytest
from browser import program, served, started
from built import SITE, lacking, stale, there
from PIL import Image

WIDTHS = {"light": (1280, 400), "dark": (400, 1280)}  # the first is the one a page is loaded at
PATIENCE = 20_000  # milliseconds for anything the browser is asked to do

pytestmark = pytest.mark.slow


# --- the browser and the site


@pytest.fixture(scope="module")
def browser():
    if find_spec("playwright") is None or find_spec("axe_playwright_python") is None:
        lacking("playwright or axe-playwright-python is not installed: pip install -r requirements.txt")
    try:
        program()
    except FileNotFoundError as missing:
        lacking(str(missing))
    with started() as one:
        yield one


@pytest.fixture(scope="module")
def site():
    with served(there(SITE / "searchindex.js").parent) as address:  # the last that a build writes
        yield address


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The site as a reader without a network has it: out of its archive, and no server."""
    archive = there(SITE.parent / "ldpnb-site.zip")
    folder = tmp_path_factory.mktemp("offline")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return folder / archive.stem


def pages():
    """All pages of the site but the front door, which only redirects."""
    found = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html"))]
    return [name for name in found if not name.startswith("_static/") and name != "index.html"]


@dataclass
class Visit:
    """A page and what happened since it was opened."""

    page: object
    scheme: str
    abroad: list[str] = field(default_factory=list)  # requests that are not local; they are aborted
    failed: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)  # uncaught exceptions
    console: list[str] = field(default_factory=list)
    accepted: set[tuple[str, str]] = field(default_factory=set)  # the entries of ACCEPTED that were met

    def open(self, address):
        """Go to a page, forget the last one, and wait until its mathematics and fonts are set."""
        for record in (self.abroad, self.failed, self.errors, self.console):
            record.clear()
        self.page.goto(address)
        self.settle()

    def settle(self):
        self.page.evaluate("async () => { await window.MathJax?.startup?.promise; await document.fonts.ready }")

    def resize(self, width):
        self.page.set_viewport_size({"width": width, "height": 900})


@contextmanager
def visiting(browser, home, scheme="light", width=1280):
    """Open a window of a new reader, for whom only what lies under `home` exists."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    context.set_default_timeout(PATIENCE)
    visit = Visit(context.new_page(), scheme)

    def refuse(route):
        visit.abroad.append(route.request.url)
        route.abort()

    context.route(re.compile(rf"^(?!{re.escape(home)}|data:|blob:)"), refuse)
    page = visit.page
    page.on("requestfailed", lambda request: visit.failed.append(request.url))
    page.on("response", lambda r: visit.failed.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    page.on("pageerror", lambda error: visit.errors.append(str(error)))
    page.on("console", lambda m: visit.console.append(m.text) if m.type in ("error", "warning") else None)
    try:
        yield visit
    finally:
        context.close()


# --- checks of a page


def all_local(visit):
    return [f"asks for {url}" for url in visit.abroad]


def all_there(visit):
    return [f"does not get {url}" for url in visit.failed if url not in visit.abroad]


def no_errors(visit):
    return [f"raises {error}" for error in visit.errors] + [f"says {line}" for line in visit.console]


def math_set(visit):
    # a macro that MathJax does not know is no error to it: it is set in red
    return visit.page.evaluate(
        r"""() => {
        const found = [];
        for (const e of document.querySelectorAll('mjx-merror, merror, [data-mjx-error]'))
            found.push('has the math error ' + (e.dataset.mjxError || e.textContent));
        for (const e of document.querySelectorAll('mjx-container [style*="color: red"]'))
            found.push('has the unknown macro ' + e.textContent);
        for (const e of document.querySelectorAll('.math'))
            if (!e.querySelector('mjx-container')) found.push('leaves unset ' + e.textContent);
        const raw = /\\[()[\]]|\$\$|\$[^\s$][^$]*\$|\\(begin|frac|varepsilon|eps)\b/;
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const text = texts.currentNode;
            if (raw.test(text.data) && !text.parentElement.closest('pre, code, script, style, .math, mjx-container'))
                found.push('shows raw mathematics: ' + text.data.trim().slice(0, 80));
        }
        if (raw.test(document.title)) found.push('shows raw mathematics in its title: ' + document.title);
        return [...new Set(found)];
        }"""
    )


def images_there(visit):
    return visit.page.evaluate(
        """async () => {
        const found = [];
        for (const image of document.images) {
            image.loading = 'eager';
            await image.decode().catch(() => {});
            const name = image.src.slice(0, 100);
            if (!image.naturalWidth) found.push('does not show the image ' + name);
            if (!image.alt.trim()) found.push('has no alternative text for ' + name);
        }
        return found;
        }"""
    )


def no_sideways(visit):
    # what scrolls in its own box is no fault; what stands out of the page is named
    return visit.page.evaluate(
        """() => {
        const root = document.documentElement;
        if (root.scrollWidth <= innerWidth) return [];
        const boxed = e => {
            for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
                if (getComputedStyle(p).overflowX !== 'visible') return true;
            return false;
        };
        const wide = [...document.body.querySelectorAll('*')]
            .filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !boxed(e));
        const name = e => e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' ' + e.className;
        return [`is ${root.scrollWidth} pixels wide in a window of ${innerWidth}: `
            + wide.slice(0, 3).map(name).join(' | ')];
        }"""
    )


def luminance(rgb):
    """Relative luminance of colours (…, 3) of 0 to 255, as the contrast rules define it."""
    share = np.asarray(rgb) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def right_ground(visit):
    colour = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    ground = luminance([float(x) for x in re.findall(r"[\d.]+", colour)[:3]])
    right = ground > 0.8 if visit.scheme == "light" else ground < 0.05
    return [] if right else [f"has the background {colour} in the {visit.scheme}"]


def figures_readable(visit):
    # a figure's ground is its commonest brightness: in the dark it must be dark, and the ink must stand out from it
    found = []
    for figure in visit.page.locator("main img:not(.keep-colours, .toggler)").all():
        if not figure.is_visible():
            continue
        pixels = np.asarray(Image.open(io.BytesIO(figure.screenshot(animations="disabled"))).convert("RGB"))
        light = luminance(pixels).ravel()
        ground = np.median(light)
        inks = np.quantile(light, [0.005, 0.995])
        contrast = max((max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) for ink in inks)
        name = (figure.get_attribute("src") or "")[:100]
        if ground > 0.1:
            found.append(f"has a figure on bright ground in the dark: {name}")
        if contrast < 4.5:
            found.append(f"has a figure whose ink has a contrast of {contrast:.1f}: {name}")
    return found


# Findings that stand: a rule of axe, the elements of the theme, and why. One that axe no longer finds must go.
ACCEPTED: dict[tuple[str, str], str] = {}

# Highlighted code and signatures repeat a dozen classes thousands of times, and glyphs take the colour of their text:
# one of each class is enough, and axe is three times as fast.
THIN = """() => {
    const seen = new Set();
    for (const span of document.querySelectorAll('pre span, dt.sig span'))
        if (seen.has(span.className)) span.replaceWith(...span.childNodes); else seen.add(span.className);
    document.querySelectorAll('mjx-math').forEach(math => math.remove());
}"""


@functools.cache
def axe():
    return Path(find_spec("axe_playwright_python").submodule_search_locations[0], "axe.min.js").read_text("utf-8")


def _axe(visit, options):
    visit.page.evaluate(axe())
    found = visit.page.evaluate(
        """async ([options, accepted]) => {
        const found = [];
        for (const rule of (await axe.run(document, options)).violations)
            if (['moderate', 'serious', 'critical'].includes(rule.impact))
                for (const node of rule.nodes) {
                    const element = document.querySelector(node.target[0]);
                    const known = accepted.find(([id, selector]) => id === rule.id && element.matches(selector));
                    found.push([known || null, `${rule.id} (${rule.impact}): ${node.target[0]}: `
                        + node.failureSummary.replace(/\\s+/g, ' ')]);
                }
        return found;
        }""",
        # no preload: axe would ask for the style sheets again, from addresses that do not exist
        [{"resultTypes": ["violations"], "preload": False, **options}, list(ACCEPTED)],
    )
    visit.accepted |= {tuple(known) for known, _ in found if known}
    return [f"fails {finding}" for known, finding in found if not known]


def scrollable_by_keyboard(visit):
    return _axe(visit, {"runOnly": ["scrollable-region-focusable"]})


def accessible(visit):
    # the last check of a page, for it thins it
    visit.page.evaluate(THIN)
    return _axe(visit, {"rules": {"label-content-name-mismatch": {"enabled": True}}})


def chinese_tagged(visit):
    # a screen reader has to know what to read in Chinese, a browser in which fonts to show it
    return visit.page.evaluate(
        """() => {
        const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const text = texts.currentNode;
            if (/\\p{Script=Han}/u.test(text.data) && !text.parentElement.closest('[lang|=zh], script, style'))
                found.push('has untagged Chinese: ' + text.data.trim().slice(0, 40));
        }
        return [...new Set(found)];
        }"""
    )


NETWORK = (all_local, all_there, no_errors)
LOADED = (*NETWORK, math_set, images_there, chinese_tagged, right_ground, no_sideways)


def complaints(visit, checks):
    return [complaint for check in checks for complaint in check(visit)]


@pytest.mark.parametrize("scheme", WIDTHS)
def test_every_page(browser, site, scheme):
    found, (first, second) = [], WIDTHS[scheme]
    with visiting(browser, site, scheme, first) as visit:
        for name in pages():
            visit.resize(first)
            visit.open(site + name)
            own = complaints(visit, (*LOADED, scrollable_by_keyboard))
            visit.resize(second)
            own += complaints(visit, [no_sideways])
            visit.resize(1280)
            own += complaints(visit, ([figures_readable] if scheme == "dark" else []) + [accessible, *NETWORK])
            found += [f"{name} {complaint}" for complaint in dict.fromkeys(own)]
        found += [f"nowhere needs {entry} among ACCEPTED" for entry in set(ACCEPTED) - visit.accepted]
    assert not found, "\n" + "\n".join(found)


def test_front_door(browser, site):
    with visiting(browser, site) as visit:
        visit.page.goto(site)
        visit.page.wait_for_url("**/book/preface.html")
        visit.settle()
        assert complaints(visit, LOADED) == []


def test_pages_from_the_disk(browser, unpacked):
    """A reader without any server opens the files themselves, the front door first."""
    home, found = f"{unpacked.as_uri()}/", []
    with visiting(browser, home) as visit:
        visit.page.goto(f"{home}index.html")
        visit.page.wait_for_url("**/book/preface.html")
        for name in pages():
            if name.startswith("_modules/"):
                continue
            visit.open(home + name)
            found += [f"{name} {complaint}" for complaint in complaints(visit, LOADED)]
    assert not found, "\n" + "\n".join(found)


def test_the_archive_holds_the_site(unpacked):
    def files(folder):
        return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name[0] != "."}

    assert files(unpacked) == files(there(SITE / "searchindex.js").parent)


@pytest.mark.parametrize("scheme", WIDTHS)
def test_search_and_dark_mode_from_the_disk(browser, unpacked, scheme):
    home = f"{unpacked.as_uri()}/"
    with visiting(browser, home, scheme) as visit:
        visit.open(f"{home}search.html?q=optimised+unary+encoding")
        hit = visit.page.locator("#search-results li:has(a[href*='notebooks/10_frequency.html'])").first
        hit.locator("a").first.click()
        visit.page.wait_for_url("**/notebooks/10_frequency.html*")
        visit.settle()
        assert complaints(visit, (*LOADED, figures_readable) if scheme == "dark" else LOADED) == []


def search(visit, site, term):
    visit.open(f"{site}book/preface.html")
    visit.page.locator(".search-button__button:visible").first.click()
    visit.page.locator("input[type=search]:visible").first.fill(term)
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url("**/search.html?q=*")


@pytest.mark.parametrize(
    ("term", "page"),
    [
        ("randomized response", "notebooks/01_randomized_response.html"),
        ("unary", "notebooks/10_frequency.html"),  # its stem, unari, is no part of it
        ("随机响应", "book/glossary.html"),
        ("频率预言机", "notebooks/10_frequency.html"),
        ("预言机", "book/glossary.html"),
        ("键值数据", "notebooks/20_keyvalue.html"),
        ("熵", "book/glossary.html"),
    ],
)
def test_search(browser, site, term, page):
    with visiting(browser, site) as visit:
        search(visit, site, term)
        hit = visit.page.locator(f"#search-results li:has(a[href*='{page}'])").first
        assert term.split()[0] in hit.locator("p.context").inner_text().lower()
        visit.page.wait_for_load_state(
            "networkidle"
        )  # the page fetches every hit to quote it; leaving would cut that off
        hit.locator("a").first.click()
        visit.page.wait_for_url(f"**/{page}*")
        visit.page.locator("main .highlighted").first.wait_for(state="attached")
        marked = visit.page.locator("main .highlighted").all_text_contents()
        assert term.split()[0] in [text.lower() for text in marked]
        assert complaints(visit, NETWORK) == []


@pytest.mark.parametrize("term", ["机言预率", "zzyzx"])  # the first is made of characters that the book has
def test_search_finds_no_nonsense(browser, site, term):
    with visiting(browser, site) as visit:
        search(visit, site, term)
        visit.page.get_by_text("did not match any documents").wait_for()
        assert visit.page.locator("#search-results li").count() == 0
        assert complaints(visit, NETWORK) == []


@pytest.mark.parametrize("text", ["频率预言机", "OUE机制，k 元随机响应: k-RR", "熵", "𠀀𠀁甲 2 words_too", "…！"])
def test_a_query_is_split_as_the_index_is(browser, text):
    """Any part of an indexed text that a reader types is made of words of the index."""
    language = chinese.Search({})
    page = browser.new_page()
    page.evaluate("code => (0, eval)(code)", language.js_splitter_code)

    def words(query):
        return page.evaluate("query => splitQuery(query)", query)

    assert [w for w in words(text) if len(w) > 1] == [w for w in language.split(text) if len(w) > 1]
    for first, last in itertools.combinations(range(len(text) + 1), 2):
        if re.fullmatch(f"[{chinese.HAN}]+", part := text[first:last]):
            assert words(part) and set(words(part)) <= set(language.split(text))
    page.close()


# --- planted faults

GOOD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>html { background: #fff; color: #000 } body { background: #fff; margin: 1em }
@media (prefers-color-scheme: dark) { body { background: #121212; color: #eee } img { filter: invert(1) } }</style>
<script>MathJax = {options: {enableMenu: false}}</script><script src="mathjax/tex-chtml.js"></script></head>
<body><main><h1>A page</h1><p>Some <span class="math">\\(x^2\\)</span> and <code>$$</code>, for $5.</p>
<p>In Chinese, <i lang="zh-Hans">中文</i>.</p>
<img src="figure.png" alt="A black bar on white" width="300"><pre style="overflow-x: auto" tabindex="0">
"""
GOOD += "a long line of code " * 30 + "</pre><!-- here --></main></body></html>"


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Serve a folder for faulty pages; yield it and its address."""
    folder = tmp_path_factory.mktemp("planted")
    mathjax = Path(find_spec("sphinx-mathjax-offline").submodule_search_locations[0], "static", "mathjax")
    (folder / "mathjax").symlink_to(mathjax)
    bar = np.full((100, 300, 3), 255, np.uint8)
    bar[40:60, 50:250] = 0
    Image.fromarray(bar).save(folder / "figure.png")
    Image.fromarray(np.where(bar, bar, 200).astype(np.uint8)).save(folder / "faint.png")
    with served(folder) as address:
        yield SimpleNamespace(folder=folder, address=address)


def plant(visit, planted, fault):
    (planted.folder / "page.html").write_text(GOOD.replace("<!-- here -->", fault), "utf-8")
    visit.open(planted.address + "page.html")


@pytest.mark.parametrize("scheme", WIDTHS)
def test_good_page_passes(browser, planted, scheme):
    with visiting(browser, planted.address, scheme, 400) as visit:
        plant(visit, planted, "")
        assert complaints(visit, (*LOADED, scrollable_by_keyboard)) == []
        if scheme == "dark":
            assert figures_readable(visit) == []
        assert accessible(visit) == []


@pytest.fixture(scope="module")
def reader(browser, planted):
    with visiting(browser, planted.address, "dark", 400) as visit:
        yield visit


@pytest.mark.parametrize(
    ("check", "fault", "complaint"),
    [
        (all_local, "<img src='https://example.org/a.png' alt='a'>", "asks for https://example.org/a.png"),
        (all_local, "<script>fetch('http://127.0.0.1:9/').catch(() => {})</script>", "asks for http://127.0.0.1:9/"),
        (all_there, "<img src='gone.png' alt='a'>", "does not get 404"),
        (no_errors, "<script>console.error('planted')</script>", "says planted"),
        (no_errors, "<script>missing()</script>", "raises missing is not defined"),
        (math_set, r"<span class='math'>\(x^2^3\)</span>", "math error"),
        (math_set, r"<span class='math'>\(\nosuch x\)</span>", r"unknown macro"),
        (math_set, "<span class='math'>x</span>", "leaves unset x"),
        (math_set, "<p>The rate \\<b></b>( is raw: $x_1$</p>", "shows raw"),
        (math_set, "<p class='mathjax_ignore tex2jax_ignore'>Raw \\(x\\)</p>", "shows raw"),
        (images_there, "<img src='gone.png' alt='a'>", "does not show the image"),
        (images_there, "<img src='figure.png'>", "no alternative text"),
        (images_there, "<p style='height: 9000px'><img loading='lazy' src='gone.png' alt='a'>", "does not show"),
        (chinese_tagged, "<p>Some 扰动 and <i lang='zh-Hans'>聚合</i></p>", "untagged Chinese: Some 扰动"),
        (right_ground, "<style>body { background: #777 !important }</style>", "has the background"),
        (no_sideways, "<table id='wide' style='width: 900px'><tr><td>a</table>", "table#wide"),
        (figures_readable, "<style>img { filter: none !important }</style>", "bright ground"),
        (figures_readable, "<img src='faint.png' alt='a'>", "has a contrast of"),
        (scrollable_by_keyboard, "<div style='overflow: auto; width: 9em'><pre>" + "x" * 99, "scrollable-region-focus"),
        (accessible, "<button></button>", "button-name"),
        (accessible, "<p style='color: #888; background: #777'>Faint</p>", "color-contrast"),
        (accessible, "<div role='list'><div role='doc-biblioentry'><a href='#a'>A</a></div></div>", "aria-required"),
        (
            accessible,
            "<pre><span class='a'>some</span> <span class='b' style='color: #222'>code</span></pre>",
            "contrast",
        ),
    ],
)
def test_planted_fault_is_caught(reader, planted, check, fault, complaint):
    plant(reader, planted, fault)
    reader.page.wait_for_load_state("networkidle")
    assert [c for c in check(reader) if complaint in c]


def test_stale_site_is_not_tested(tmp_path):
    (tmp_path / "book").mkdir()
    page, built = tmp_path / "book" / "page.md", tmp_path / "searchindex.js"
    page.touch()
    assert stale(built, tmp_path) == "there is no searchindex.js"
    built.touch()
    os.utime(page, (0, 0))
    assert stale(built, tmp_path) is None
    os.utime(built, (0, 0))
    page.touch()
    assert stale(built, tmp_path) == "searchindex.js is older than book/page.md"
