"""Tables in a notebook: the same cells and lines as in print, with every label escaped."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from ldpnb import OneOf, Ratings, Survey, Waves
from ldpnb import choose
from ldpnb.survey import differences

LABELS = ["<b>pay</b>", 'R&D "new"', "$5 to $10"]


class Read(HTMLParser):
    """Tags that were opened, and what stands in the page: rows as lists of cells, lines as lists of one."""

    def __init__(self, html):
        super().__init__()
        self.tags = []
        self.rows = []
        self.empty_heads = 0
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag in ("tr", "p", "br"):
            self.rows.append([])
        if tag in ("th", "td", "p", "br"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.empty_heads += tag == "th" and not self.rows[-1][-1]

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip("\n")


def in_html(shown):
    return [[cell.strip() for cell in row if cell] for row in Read(shown._repr_html_()).rows]


def in_text(shown):
    """Rows of the printed text: cells are two spaces apart, at least."""
    return [re.split("  +", line.strip()) for line in str(shown).splitlines() if line.strip()]


def estimated(question, answers, seed=0, wave=None):
    return question.estimate(question.tally(question.perturb(answers, rng=np.random.default_rng(seed)), wave=wave))


REASON = OneOf(LABELS, epsilon=1.0)
ANSWERS = LABELS[:1] * 300 + LABELS[1:2] * 20
FIRST = estimated(REASON, ANSWERS, wave="<W1>")
SECOND = estimated(REASON, ANSWERS[::-1] + LABELS[2:] * 40, 1, wave="W2")
STARS = Ratings(["<i>disk</i>", "fan"], 1, 5, most=2, epsilon=2.0)
RATED = [{"<i>disk</i>": 5, "fan": 2}, {"fan": 4}, {}] * 100
SURVEY = Survey({"q & a": REASON, "stars": STARS}, limit=5.0)
SURVEYED = SURVEY.perturb({"q & a": LABELS * 100, "stars": RATED}, rng=np.random.default_rng(0))
MANY = OneOf([f"item {i} <{i}>" for i in range(60)], epsilon=1.0)
SHOWN = {
    "result": FIRST,
    "of which the largest are shown": estimated(MANY, [f"item {i} <{i}>" for i in range(60)] * 5),
    "ratings": estimated(STARS, RATED),
    "survey": SURVEY.estimate(SURVEY.tally(SURVEYED)),
    "contrast": FIRST.contrast({LABELS[0]: 1, LABELS[1]: -1}),
    "contrasts": FIRST.contrast({"a < b": {LABELS[0]: 1, LABELS[1]: -1}, "c & d": {LABELS[2]: 1}}),
    "differences": differences(FIRST, SECOND, same_people=False, names=("<new>", "old")),
    "change": Waves([FIRST, SECOND], same=True).change(LABELS[0]),
    "waves": Waves([FIRST, SECOND], same=True),
    "ranking": choose.Sets(n=20_000, epsilon=1.0, d=100, m=3, bits=12).rank(),
    "ranking of which none is left": choose.Item(n=20_000, epsilon=1.0, k=1000, bits=1, public_free=False).rank(),
}


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_a_notebook_shows_the_same_cells_and_lines_as_print(shown):
    assert in_html(shown) == in_text(shown)


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_only_the_tables_own_tags_are_opened_and_nothing_is_coloured(shown):
    page = Read(shown._repr_html_())
    assert {tag for tag, _ in page.tags} <= {"div", "p", "br", "table", "thead", "tbody", "tr", "th", "td"}
    assert {name for _, given in page.tags for name in given} <= {"class", "scope", "style"}
    assert {given["style"] for _, given in page.tags if "style" in given} <= {"text-align: left"}
    assert not page.empty_heads


def test_labels_are_escaped_and_prices_are_no_formula():
    html = FIRST._repr_html_()
    assert "&lt;b&gt;pay&lt;/b&gt;" in html and "R&amp;D &quot;new&quot;" in html
    assert html.startswith('<div class="tex2jax_ignore mathjax_ignore">') and "$5 to $10" in html
