"""Glossary terms with their meaning on hover, and steps of proofs."""

from io import StringIO
from pathlib import Path

import hover
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = """
import sys
sys.path[:0] = [{extensions!r}]
extensions = ["myst_parser", "hover", "proofs"]
myst_enable_extensions = ["dollarmath"]
html_theme = "basic"
"""
GLOSSARY = r"""# Glossary

```{glossary}
bias
  <span lang="zh-Hans">偏差；偏倚</span>\
  By how much an estimate is wrong on average, $\frac{a}{e^\varepsilon}$.
  Not its {term}`unary encoding`.

unary encoding
  <span lang="zh-Hans">一元编码</span>\
  One bit for each item.

support
  To *be counted* for.

law
  The probabilities of the reports.
```
"""
LESSON = """# Bias and unary encoding

`bias` and $bias$ and [bias](#bias), links of authors. Unary encodings have no bias, but support; and no bias twice.

The distribution (law), by law. A meta-bias, or an unbiased client.

({term}`support`)

```{prf:proof}
1. *One.*
   First.
2. *Two.*
   Second.
```

```{prf:proof}
At once.
```
"""
SAID = "By how much an estimate is wrong on average, (a)/(e^ε). Not its unary encoding."


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a glossary, two lessons and a page of the book without any warning; return {name: page}."""
    home = tmp_path_factory.mktemp("book")
    pages = {"book/glossary": GLOSSARY, "notebooks/20_b": LESSON, "notebooks/10_a": "# A\n\nNo bias.\n"}
    pages["book/other"] = "# Other\n\nA bias.\n"
    for name, text in pages.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / f"{name}.md").write_text(text, "utf-8")
    listed = "\n".join(["book/other", "notebooks/10_a", "notebooks/20_b", "book/glossary"])
    (home / "index.md").write_text(f"# Contents\n\n```{{toctree}}\n:numbered:\n{listed}\n```\n", "utf-8")
    (home / "conf.py").write_text(CONFIGURATION.format(extensions=str(ROOT / "book" / "_ext")), "utf-8")
    warnings = StringIO()
    with patch_docutils(), docutils_namespace():
        app = Sphinx(home, home, home / "out", home / "trees", "html", status=None, warning=warnings)
        app.build()
    assert (warnings.getvalue(), app.statuscode) == ("", 0)
    return {name: BeautifulSoup((home / "out" / f"{name}.html").read_text("utf-8"), "html.parser") for name in pages}


def glossed(page):
    return [(link.get_text(), link["href"], link.get("title")) for link in page.find_all("a", class_="glossed")]


def test_the_first_mention_of_a_term_in_running_text_is_a_link_that_says_what_it_means(built):
    home = "../book/glossary.html"
    assert glossed(built["notebooks/20_b"]) == [
        ("Unary encodings", f"{home}#term-unary-encoding", "One bit for each item."),
        ("bias", f"{home}#term-bias", SAID),
        ("distribution (law)", f"{home}#term-law", "The probabilities of the reports."),
    ]


def test_links_that_an_author_made_say_it_too(built):
    assert [a["title"] for a in built["notebooks/20_b"].select("a:has(.std-term)")] == [SAID, "To be counted for."]
    assert [a["title"] for a in built["book/glossary"].select("a:has(.std-term)")] == ["One bit for each item."]


def test_pages_of_the_book_have_only_the_links_of_their_authors(built):
    assert glossed(built["book/other"]) == []


def test_steps_of_a_proof_are_a_list_even_from_its_first_line_on(built):
    steps, short = built["notebooks/20_b"].select(".proof")
    assert steps.select_one("p").text.strip() == "Proof."
    assert [step.text.split() for step in steps.select("ol > li")] == [["One.", "First."], ["Two.", "Second."]]
    assert short.text.strip() == "Proof. At once." and not short.select("ol")


def test_a_formula_that_cannot_be_read_in_one_line_is_an_error():
    assert hover.plain(r"\ln\frac{Q(\omega)}{\hat Q(\omega)}") == "ln (Q(ω))/(Q̂(ω))"
    with pytest.raises(ValueError, match="SIGNS"):
        hover.plain(r"\sqrt{n}")


def test_the_words_left_out_are_terms():
    text = (ROOT / "book" / "glossary.md").read_text("utf-8")
    assert [word for word in sorted(hover.EVERYDAY | set(hover.ALIASES.values())) if f"\n{word}\n" not in text] == []
