"""Buttons that lead away are on the site where a repository is configured, and nowhere else: on a small book."""

import json
import re
import shutil
import subprocess
import sys

import forms
import nbformat
import pytest
from export import ROOT

ADDRESSES = ("", "https://github.com/someone/ldp-book")


@pytest.fixture(scope="module", params=ADDRESSES, ids=["no repository", "a repository"])
def small(request, tmp_path_factory):
    """Build a book of two pages; give the address of its repository and the folder of its site."""
    root = tmp_path_factory.mktemp("small")
    (root / "book").mkdir()
    (root / "notebooks").mkdir()
    for name in ("tools", "book/_ext", "book/_static", "book/references.bib"):
        (root / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "_config.yml", root)
    toc = {
        "format": "jb-book",
        "root": "book/start",
        "parts": [{"caption": "A", "chapters": [{"file": "notebooks/01_a"}]}],
    }
    (root / "_toc.yml").write_text(json.dumps(toc), "utf-8")
    (root / "book" / "start.md").write_text("# Start\n\nWords.\n", "utf-8")
    new = nbformat.v4
    cells = [
        new.new_markdown_cell("(ch-a)=\n# A chapter\n\nSee {ref}`ch-a` and {cite:t}`ye2018survey`."),
        new.new_code_cell("1", execution_count=1),
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
    nbformat.write(new.new_notebook(cells=cells, metadata=kernel), root / "notebooks" / "01_a.ipynb")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LDPNB_REPOSITORY", request.param)
        build = "from jupyter_book.cli.main import main; main()"
        done = subprocess.run([sys.executable, "-c", build, "build", root, "--all"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return request.param, root / "_build" / "html"


def abroad(page):
    """Addresses of other machines that the head of a page leads to."""
    return [a for a in re.findall(r'<a href="(https?://[^"]+)"[^>]*class="btn', page.read_text("utf-8"))]


@pytest.mark.slow
def test_the_card_of_a_link_has_full_addresses(small):
    address, site = small
    head = dict(
        re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', (site / "book" / "start.html").read_text("utf-8"))
    )
    home = "https://someone.github.io/ldp-book/" if address else ""
    assert (head["url"], head["image"]) == (f"{home}book/start.html", f"{home}_images/cover.png")


@pytest.mark.slow
def test_buttons_that_lead_away(small):
    address, site = small
    chapter, prose = abroad(site / "notebooks" / "01_a.html"), abroad(site / "book" / "start.html")
    own = [address, f"{address}/issues/new?title=book%2Fstart%3A%20", f"{address}/edit/main/book/start.md"]
    assert prose == (own if address else [])
    assert chapter == (
        [
            "https://mybinder.org/v2/gh/someone/ldp-book/notebooks?labpath=01_a.ipynb",
            "https://colab.research.google.com/github/someone/ldp-book/blob/notebooks/01_a.ipynb",
            address,
            f"{address}/issues/new?title=notebooks%2F01_a%3A%20",
            f"{address}/edit/main/notebooks/01_a.py",
        ]
        if address
        else []
    )


@pytest.mark.slow
def test_downloads(small):
    address, site = small
    text = (site / "notebooks" / "01_a.html").read_text("utf-8")
    found = set(re.findall(r'href="\.\./(downloads/[^"]+)"', text))
    assert found == ({forms.NOTEBOOKS, forms.SITE, forms.PDF} if address else {forms.NOTEBOOKS})
    assert (site / forms.NOTEBOOKS).is_file()
    notebook = nbformat.read(site / "_sources" / "notebooks" / "01_a.ipynb", as_version=4)
    assert notebook.cells[0].source == "# A chapter\n\nSee [A chapter](#A-chapter) and Ye et al. [2018]."
    found = dict(re.findall(r'^    (BOOK|LOCK) = "(.*)"', notebook.cells[1].source, flags=re.M))
    assert set(found) == {"BOOK", "LOCK"} and bool(address) == any(found.values())
    if address:
        commit = re.fullmatch(rf"{re.escape(address)}/archive/([0-9a-f]{{40}}|HEAD)\.zip", found["BOOK"])[1]
        assert found["LOCK"] == f"{address}/raw/{commit}/tools/chapters.txt"


@pytest.mark.parametrize(
    "address", ["http://github.com/a/b", "github.com/a/b", "https://github.com/a", "https://x.org/a/b"]
)
def test_an_address_that_the_buttons_cannot_use_is_refused(monkeypatch, address):
    monkeypatch.setenv("LDPNB_REPOSITORY", address)
    with pytest.raises(ValueError, match="LDPNB_REPOSITORY must be https://github.com/OWNER/NAME or empty, got"):
        forms.repository()


def test_a_doi_is_asked_for_where_programs_may_ask():
    assert forms.doi(None, "https://doi.org/10.1000/182") == "https://doi.org/api/handles/10.1000/182"
    assert forms.doi(None, "https://example.org/doi.org/") is None
