"""Every old address of a lesson has a page that leads to the lesson."""

from io import StringIO
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from moved import MOVED
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = """
import sys
sys.path[:0] = [{extensions!r}]
extensions = ["myst_parser", "moved"]
html_theme = "basic"
"""
OLD = sorted(MOVED)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build a book of all lessons but one, each of one line, without any warning; return the folder of its site."""
    home = tmp_path_factory.mktemp("book")
    lessons = sorted(set(MOVED.values()) - {"25_service"})
    (home / "notebooks").mkdir()
    for lesson in lessons:
        (home / "notebooks" / f"{lesson}.md").write_text(f"# Keys & values of {lesson}\n", "utf-8")
    listed = "\n".join(f"notebooks/{lesson}" for lesson in lessons)
    (home / "index.md").write_text(f"# Contents\n\n```{{toctree}}\n{listed}\n```\n", "utf-8")
    (home / "conf.py").write_text(CONFIGURATION.format(extensions=str(ROOT / "book" / "_ext")), "utf-8")
    warnings = StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(home, home, home / "out", home / "trees", "html", status=None, warning=warnings)
        app.build()
    assert (warnings.getvalue(), app.statuscode) == ("", 0)
    return home / "out"


@pytest.mark.parametrize("old", OLD)
def test_an_old_name_is_free_and_its_lesson_exists(old):
    assert not (ROOT / "notebooks" / f"{old}.ipynb").exists()
    assert (ROOT / "notebooks" / f"{MOVED[old]}.ipynb").exists()


@pytest.mark.parametrize("old", [old for old in OLD if old != "52_service"])
def test_an_old_address_leads_to_the_lesson(site, old):
    page = BeautifulSoup((site / "notebooks" / f"{old}.html").read_text("utf-8"), "html.parser")
    new = f"{MOVED[old]}.html"
    assert (site / "notebooks" / new).is_file()
    assert page.a["href"] == new
    assert page.a.get_text() == f"Keys & values of {MOVED[old]}"
    assert page.script.get_text() == f'location.replace("{new}" + location.hash)'


def test_a_lesson_that_the_book_does_not_have_gets_no_old_address(site):
    assert not (site / "notebooks" / "52_service.html").exists()


def test_the_search_does_not_know_old_addresses(site):
    index = (site / "searchindex.js").read_text("utf-8")
    assert "notebooks/14_keyvalue" in index
    assert "20_keyvalue" not in index
