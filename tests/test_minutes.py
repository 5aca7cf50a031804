"""The reading time under the title of a lesson."""

from io import StringIO
from pathlib import Path

import pytest
import readability
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils
from templates import LESSON

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = """
import sys
sys.path[:0] = [{tools!r}, {extensions!r}]
extensions = ["myst_parser", "minutes"]
html_theme = "basic"
"""
PAGES = {"20_name": "lesson", "papers/p2018": "dossier", "manual/x": "manual"}


@pytest.fixture
def built(tmp_path):
    """Build pages beside their text halves, without any warning; return the folder."""

    def build(builder):
        for name in PAGES:
            page = tmp_path / "notebooks" / f"{name}.md"
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("# A title\n\nWords.\n\n## Another title\n\nMore words.\n", "utf-8")
            page.with_suffix(".py").write_text(LESSON, "utf-8")
        listed = "\n".join(f"notebooks/{name}" for name in PAGES)
        (tmp_path / "index.md").write_text(f"# Contents\n\n```{{toctree}}\n{listed}\n```\n", "utf-8")
        folders = {"tools": str(ROOT / "tools"), "extensions": str(ROOT / "book" / "_ext")}
        (tmp_path / "conf.py").write_text(CONFIGURATION.format(**folders), "utf-8")
        out, warnings = tmp_path / "out", StringIO()
        with patch_docutils(), docutils_namespace():
            app = Sphinx(tmp_path, tmp_path, out, tmp_path / "trees", builder, status=None, warning=warnings)
            app.build()
        assert (warnings.getvalue(), app.statuscode) == ("", 0)
        return out / "notebooks"

    return build


def test_a_lesson_says_how_long_it_takes_and_nothing_else_does(built):
    out = built("html")
    found = {name: BeautifulSoup((out / f"{name}.html").read_text("utf-8"), "html.parser") for name in PAGES}
    lines = {name: [p.get_text() for p in page.find_all(class_="reading-time")] for name, page in found.items()}
    page = readability.measure(LESSON, "20_name")
    said = f"Reading time: about {page.minutes} minutes; with the exercises {page.minutes + 25}."
    assert lines == {name: [said] if name == "20_name" else [] for name in PAGES}
    assert found["20_name"].h1.find_next_sibling()["class"] == ["reading-time"]


def test_the_line_stands_in_other_formats(built):
    text = (built("text") / "20_name.txt").read_text("utf-8")
    assert text.index("A title") < text.index("Reading time: about") < text.index("Words.")
