"""The built book in a real browser with the network off, as an offline reader sees it.

Each check of tests/visit.py is run on every page of the site, in light and dark, wide and narrow, and on planted faulty
pages that it must catch.

The site is what `make book` left in _build/html, and `make zip` beside it. Without it, or without a browser, the tests
are skipped with a line that says what to do; LDPNB_BROWSER=required turns the skip into a failure.
"""

import itertools
import os
import re
import zipfile
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import chinese
import numpy as np
import pytest
from browser import served
from built import SITE, stale, there
from moved import MOVED
from PIL import Image
from visit import (
    LOADED,
    NETWORK,
    WIDTHS,
    accessible,
    all_local,
    all_there,
    chinese_tagged,
    complaints,
    figures_readable,
    images_there,
    math_set,
    no_errors,
    no_sideways,
    right_ground,
    scrollable_by_keyboard,
    visiting,
)

pytestmark = pytest.mark.slow

SOURCES = 4  # pages of source code that are looked at


# --- the site


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The site as a reader without a network has it: out of its archive, and no server."""
    archive = there(SITE.parent / "ldpnb-site.zip")
    folder = tmp_path_factory.mktemp("offline")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    return folder / archive.stem


def pages():
    """All pages of the site but those that only lead to another; of the sources, alike all, the largest."""
    found = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html"))]
    sources = sorted((name for name in found if name.startswith("_modules/")), key=lambda x: (SITE / x).stat().st_size)
    left = {"index.html", *(f"notebooks/{old}.html" for old in MOVED), *sources[:-SOURCES]}
    return [name for name in found if not name.startswith("_static/") and name not in left]


@pytest.fixture
def home(request, unpacked):
    """Where a reader has the site: on a server, or on the disk, out of the archive."""
    return f"{unpacked.as_uri()}/" if request.param == "disk" else request.getfixturevalue("site")


# From the disk a page is read in the dark and first in a narrow window: what the way to a file can break (scripts,
# fonts, links) does not depend on colours or widths, and MathJax sets each page twice instead of three times.
@pytest.mark.parametrize(("scheme", "home"), [("light", "server"), ("dark", "disk")], indirect=["home"])
def test_every_page(browser, scheme, home):
    found, (first, second) = [], WIDTHS[scheme]
    with visiting(browser, home, scheme, first) as visit:
        for name in pages():
            visit.resize(first)
            visit.open(home + name)
            own = complaints(visit, (*LOADED, scrollable_by_keyboard))
            visit.resize(second)
            own += complaints(visit, [no_sideways])
            visit.resize(1280)
            own += complaints(visit, ([figures_readable] if scheme == "dark" else []) + [accessible, *NETWORK])
            found += [f"{name} {complaint}" for complaint in dict.fromkeys(own)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("home", ["server", "disk"], indirect=True)
def test_front_door(browser, home):
    with visiting(browser, home) as visit:
        visit.page.goto(f"{home}index.html" if home.startswith("file:") else home)  # a server knows what / is
        visit.page.wait_for_url("**/book/preface.html")
        visit.settle()
        assert complaints(visit, LOADED) == []


AT_THE_TOP = """name => {
    const top = document.querySelector(name).getBoundingClientRect().top;
    return 0 <= top && top < innerHeight / 2;
}"""


@pytest.mark.parametrize("home", ["server", "disk"], indirect=True)
def test_an_old_address_leads_to_the_section(browser, home):
    with visiting(browser, home) as visit:
        visit.page.goto(f"{home}notebooks/20_keyvalue.html#sec-kv-privkvm", wait_until="commit")
        visit.page.wait_for_url("**/notebooks/14_keyvalue.html#sec-kv-privkvm")
        visit.settle()
        visit.page.wait_for_function(AT_THE_TOP, arg="#sec-kv-privkvm")  # it scrolls smoothly
        assert complaints(visit, LOADED) == []


def test_the_archive_holds_the_site(unpacked):
    def files(folder):
        return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name[0] != "."}

    assert files(unpacked) == files(there(SITE / "searchindex.js").parent)


@pytest.mark.parametrize("scheme", WIDTHS)
def test_search_and_dark_mode_from_the_disk(browser, unpacked, scheme):
    home = f"{unpacked.as_uri()}/"
    with visiting(browser, home, scheme) as visit:
        visit.open(f"{home}search.html?q=optimised+unary+encoding")
        hit = visit.page.locator("#search-results li:has(a[href*='notebooks/04_frequency.html'])").first
        hit.locator("a").first.click()
        visit.page.wait_for_url("**/notebooks/04_frequency.html*")
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
        ("unary", "notebooks/04_frequency.html"),  # its stem, unari, is no part of it
        ("随机响应", "book/glossary.html"),
        ("频率预言机", "notebooks/04_frequency.html"),
        ("预言机", "book/glossary.html"),
        ("键值数据", "notebooks/14_keyvalue.html"),
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
    cache = tmp_path / "ldpnb" / "__pycache__" / "kernels.count-1.py311.nbi"  # numba writes it when it compiles
    cache.parent.mkdir(parents=True)
    cache.write_text("newer")
    os.utime(cache, (later := built.stat().st_mtime + 10, later))
    assert stale(built, tmp_path) is None
    os.utime(built, (0, 0))
    page.touch()
    assert stale(built, tmp_path) == "searchindex.js is older than book/page.md"
