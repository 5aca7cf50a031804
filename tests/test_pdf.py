"""The printed book: complete, nothing cut off, and its links lead somewhere."""

import re

import pytest
import yaml
from browser import program, served, started
from built import ROOT, SITE, lacking, there
from pdf import BOOK, CHINESE, SHEET, TOOLS, contents
from pypdf import PdfReader

A4 = 595.3, 841.9  # points

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def book():
    return PdfReader(there(BOOK))


@pytest.fixture(scope="module")
def outline(book):
    """(depth, title, page) of each line of the outline."""

    def lines(entries, depth=1):
        for entry in entries:
            if isinstance(entry, list):
                yield from lines(entry, depth + 1)
            else:
                yield depth, " ".join(entry.title.split()), book.get_destination_page_number(entry)

    return list(lines(book.outline))


def title(page):
    """The title of a page of the book, from its source."""
    chapter = page.startswith("notebooks/")
    source = (ROOT / f"{page}{'.py' if chapter else '.md'}").read_text("utf-8")
    return re.search("^# # (.+)$" if chapter else "^# (.+)$", source, re.MULTILINE)[1]


def parts():
    return contents(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8")))


def words(pages):
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def test_every_chapter_is_in_the_outline_and_starts_on_its_page(book, outline):
    found = {re.sub(r"^\d+\. ", "", name): page for depth, name, page in outline if depth < 3}
    pages = [found[title(page)] for part in parts() for page in part["pages"]]
    assert pages == sorted(set(pages))
    for part in parts():
        assert part["name"] is None or found[part["name"]] == found[title(part["pages"][0])]
        for page in part["pages"]:
            assert title(page) in words([book.pages[found[title(page)]]])


def test_the_contents_name_the_pages(book, outline):
    """Each page has the names of some entries and then their numbers, which the text of a short page does not part."""
    entries = [(name, str(page + 1)) for depth, name, page in outline[1:] if depth < 4]
    at = 0
    for page in book.pages[outline[0][2] : outline[1][2]]:
        footer, *said = page.extract_text().split()
        assert footer == str(page.page_number + 1)
        head = [] if at else ["Contents"]
        for end in range(at + 1, len(entries) + 1):
            names, numbers = zip(*entries[at:end], strict=True)
            if said == " ".join([*head, *names, *numbers]).split():
                break
        else:
            pytest.fail(f"page {footer} does not continue the contents with {entries[at]}")
        at = end
    assert at == len(entries) > 100


def notes(book, kind):
    """What the links of the book that have an entry `kind` say there."""
    found = [note.get_object() for page in book.pages for note in page.get("/Annots", [])]
    return [note[kind] for note in found if note["/Subtype"] == "/Link" and kind in note]


def test_every_link_inside_leads_to_a_page(book):
    links = notes(book, "/Dest")
    assert len(links) > 1000
    assert set(links) <= set(book.named_destinations)
    where = {book.get_destination_page_number(place) for place in book.named_destinations.values()}
    assert None not in where and len(where) > 100


def test_no_link_leads_to_the_machine_it_was_printed_on(book):
    addresses = {action["/URI"] for action in notes(book, "/A")}
    assert len(addresses) > 30
    assert [address for address in addresses if not re.match("https?://(?!127|localhost)", address)] == []


def test_every_page_is_a4(book):
    sizes = {(float(page.mediabox.width), float(page.mediabox.height)) for page in book.pages}
    assert {size for size in sizes if any(abs(x - y) > 1 for x, y in zip(size, A4, strict=True))} == set()


def test_the_text_is_there_to_the_end(book, outline):
    start = {name: page for _, name, page in outline}
    text = words(book.pages[start["Bibliography"] :])
    works = (SITE / "book" / "bibliography.html").read_text("utf-8").count('class="label"')
    assert len(set(re.findall(r"\[[A-Za-z]+\+?\d\d\w?\]", text))) == works > 50
    assert CHINESE in text  # a title, which the machine must have letters for


# --- what makes one document of the site's pages, on a site of two

MATHJAX = "<script>MathJax = {startup: {promise: 0, document: {options: {}}}, typesetPromise: () => 0}</script>"
PAGES = {
    "book/a": """<section id="top"><span id="label"></span><h1>1. A<a class="headerlink" href="#top">#</a></h1>
<p id="p">See <a id="to-b" href="../notebooks/b.html#sec">b</a>, <a id="to-self" href="#p">this</a>,
<a id="to-source" href="../_modules/x.html">source</a>, <a id="to-api" href="api.html#gone">gone</a>,
<a id="abroad" href="https://example.org/x">x</a>.</p></section>""",
    "notebooks/b": """<section id="sec"><h1>2. B</h1>
<div class="cell" id="folded"><details class="hide"><pre>x</pre></details></div>
<div class="cell"><details class="hide"><pre>y</pre></details><pre>output</pre></div>
<details id="solution"><summary>Solution</summary>Because.</details>
<section id="deep"><h2>Deep</h2></section></section>""",
    "book/api": """<section id="api"><h1>C</h1>
<dl class="py"><dt id="f">f</dt><dd><p>First.</p><p>Then.</p></dd></dl></section>""",
}


@pytest.fixture(scope="module")
def open_page():
    try:
        program()
    except FileNotFoundError as missing:
        lacking(str(missing))
    with started() as browser:
        yield browser.new_page(viewport=SHEET)


@pytest.fixture
def assembled(open_page, tmp_path):
    """Assemble the two pages, the first with more in it; return the page of the browser and the complaints."""

    def assemble(more=""):
        for name, text in PAGES.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            article = f"<article class='bd-article'>{text}{more if name == 'book/a' else ''}</article>"
            (tmp_path / f"{name}.html").write_text(f"<title>x</title>{MATHJAX}{article}", "utf-8")
        parts = [{"name": None, "pages": ["book/a"]}, {"name": "Part", "pages": ["notebooks/b", "book/api"]}]
        with served(tmp_path) as address:
            open_page.goto(f"{address}book/a.html")
            given = {"title": "The book", "front": "<p>Front.</p>", "parts": parts}
            return open_page, open_page.evaluate((TOOLS / "print.js").read_text("utf-8"), given)

    return assemble


def test_pages_become_one_document(assembled):
    page, complaints = assembled()
    assert complaints == []
    target = "found => found.map(e => e.textContent + ' ' + e.getAttribute('href'))"
    links = page.eval_on_selector_all(".chapter a", target)
    assert links == ["b #notebooks-b--sec", "this #book-a--p", "x https://example.org/x"]
    listed = page.eval_on_selector_all(".contents a", target)
    assert listed == ["1. A #book-a", "Part #part-3", "2. B #notebooks-b", "Deep #notebooks-b--deep", "C #book-api"]
    named = "found => found.map(e => e.tagName + ' ' + e.id + ' ' + e.textContent)"
    headings = page.eval_on_selector_all("h1, h2, h3", named)
    assert headings == [
        *("H1 contents Contents", "H2 book-a--top 1. A", "H1 part-3 Part"),
        *("H2 notebooks-b--sec 2. B", "H3 notebooks-b--deep Deep", "H2 book-api--api C"),
    ]
    assert page.locator("h2 > #book-a--label").count() == 1
    assert page.eval_on_selector_all("pre", "found => found.map(e => e.textContent)") == ["output"]
    assert page.locator("#notebooks-b--folded").count() == 0
    assert page.eval_on_selector("#notebooks-b--solution", "e => e.open")
    assert page.eval_on_selector("#book-api dd", "e => e.textContent") == "First."
    assert page.title() == "The book"


@pytest.mark.parametrize(
    ("planted", "complaint"),
    [
        ("<p id='wide' style='width: 900px'>Wide.</p>", "book-a: p stands out by"),
        ("<pre>" + "long " * 99 + "</pre>", "book-a: pre stands out by"),
        ("<table><tr><td style='min-width: 3000px'>Wide.</td></tr></table>", "book-a: td stands out by"),
        ("<table><tr><td style='min-width: 900px'>Wide.</td></tr></table>", None),
    ],
)
def test_what_would_be_cut_off_is_named(assembled, planted, complaint):
    _, complaints = assembled(planted)
    assert [found for found in complaints if complaint and found.startswith(complaint)] or not complaint
    assert bool(complaints) == bool(complaint)
