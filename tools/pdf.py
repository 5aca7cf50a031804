"""Print the built site as one PDF, with Chromium and nothing else.

usage: python tools/pdf.py

Reads _build/html and _toc.yml, writes _build/ldpnb-book.pdf. Numbers of theorems, figures and equations are those of
the site, and so are its links; the outline is made of the headings.
"""

import io
import sys
import time
from html import escape
from pathlib import Path
from typing import Any

import yaml
from browser import served, started
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, StreamObject

import ldpnb

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "tools"
SITE = ROOT / "_build" / "html"
BOOK = ROOT / "_build" / "ldpnb-book.pdf"
PATIENCE = 600_000  # milliseconds for anything the browser is asked to do
SHEET = {"width": 658, "height": 960}  # what margins leave of A4, in pixels
CHINESE = "本地化差分隐私"
SIZE = 9  # points of a page number in the table of contents
FORM = "book/play"  # to be filled in, on a screen
PREFACE = "/book-preface"  # what follows the table of contents


def contents(toc: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of the book in order, each with its name (None before the first) and its pages."""
    parts: list[dict[str, Any]] = [{"name": None, "pages": [toc["root"]]}]
    for part in toc["parts"]:
        if "caption" in part:
            parts.append({"name": part["caption"], "pages": []})
        parts[-1]["pages"] += [chapter["file"] for chapter in part["chapters"] if chapter["file"] != FORM]
    return parts


def front(config: dict[str, Any], version: str) -> str:
    """Return the title page and what is said once about this print, as HTML."""
    title, author, year = (escape(str(config[name])) for name in ("title", "author", "copyright"))
    return f"""<div class="title-page"><p class="title">{title}</p>
<img src="/_images/cover.png" alt=""><p>{author}</p><p>{year}</p></div>
<p><strong>About this print.</strong> It has every chapter, figure, table and number of the site, and the code that a
chapter shows. Code that the site folds away (imports, the drawing of figures, long checks) is left out; what it draws
and prints stays, but for the claims of the papers, which the ledger lists. All of it is on the site and in the
notebooks, where it runs. The page that ranks mechanisms as one types is for the screen. Solutions of exercises,
which the site folds, stand open. Of the package&#8217;s reference
there are the first sentences.</p>
<p>Version {escape(version)} of the package <code>ldpnb</code>. Text and figures: CC BY 4.0; code: MIT licence.</p>"""


def places(pdf: PdfReader) -> dict[str, int]:
    """Return the page, counted from 0, of each place that a link of the PDF leads to."""
    return {name: pdf.get_destination_page_number(place) for name, place in pdf.named_destinations.items()}


def numbered(printed: bytes) -> tuple[PdfWriter, dict[str, int]]:
    """Write the page numbers into the table of contents, at the end of its lines, which are links.

    The browser does not know them before it has printed, and printing takes long.
    """
    pdf = PdfWriter(io.BytesIO(printed), incremental=True)
    found = places(pdf)
    digits = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    digits = DictionaryObject({NameObject(name): NameObject(value) for name, value in digits.items()})
    listed = [page for page in pdf.pages[: found[PREFACE]] if "/Annots" in page]
    for page in listed:
        shown = []
        for note in (entry.get_object() for entry in page["/Annots"]):
            number, (_, bottom, right, _) = str(found[note["/Dest"]] + 1), map(float, note["/Rect"])
            left = right - len(number) * SIZE * 0.556  # a digit's width in Helvetica
            shown.append(f"1 0 0 1 {left:.2f} {bottom + 4:.2f} Tm ({number}) Tj")
        before, after = StreamObject(), StreamObject()
        before.set_data(b"q")  # what the page changes ends with it
        after.set_data(f"Q /Artifact BMC BT /Digits {SIZE} Tf {' '.join(shown)} ET EMC".encode())
        ours = pdf._add_object(before), page.raw_get("/Contents"), pdf._add_object(after)
        page[NameObject("/Contents")] = ArrayObject(ours)
        page["/Resources"]["/Font"][NameObject("/Digits")] = digits
    return pdf, found


def build() -> None:
    """Print the book."""
    began = time.perf_counter()
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    parts = contents(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8")))

    def say(what: str) -> None:
        print(f"{time.perf_counter() - began:5.0f} s  {what}", flush=True)

    with served(SITE) as address, started() as browser:
        page = browser.new_page(viewport=SHEET, color_scheme="light")
        page.set_default_timeout(PATIENCE)
        page.emulate_media(media="print")
        page.goto(f"{address}{parts[0]['pages'][0]}.html")
        page.add_style_tag(path=TOOLS / "print.css")
        given = {"title": config["title"], "front": front(config, ldpnb.__version__), "parts": parts}
        if out := page.evaluate((TOOLS / "print.js").read_text("utf-8"), given):
            sys.exit("\n".join(out))
        say("assembled")
        printed = page.pdf(prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
    say("printed")
    pdf, found = numbered(printed)
    pdf.write(BOOK)
    glossary = pdf.pages[found["/book-glossary"] : found["/book-ledger"]]
    if not any(CHINESE in page.extract_text() for page in glossary):
        print("No font here has Chinese letters: they are boxes in this PDF (Debian: the package fonts-wqy-microhei).")
    say(f"{BOOK.name}: {len(pdf.pages)} pages, {BOOK.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    build()
