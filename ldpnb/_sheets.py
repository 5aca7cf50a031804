"""Tables that are shown: one list of cells, as text or as HTML.

Labels and notes stand left, numbers right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import Any, NamedTuple
from unicodedata import east_asian_width

WIDE = 40  # characters of a printed label; what is cut out is in the middle

Cells = list[list[str]]


class Sheet(NamedTuple):
    """A table with lines above and below it, of which both text and HTML are made.

    Attributes
    ----------
    cells : list of list of str
        Rows of one length, the head first; none where there is no table.
    below, above : list of str
        Lines; HTML leaves out empty ones.
    left : set of int
        Columns that stand left.

    Examples
    --------
    >>> sheet = Sheet([["", "share"], ["R&D", "9 %"]], ["of 100 people"])
    >>> print(sheet.text())
         share
    R&D    9 %
    of 100 people
    >>> "R&amp;D" in sheet.html()
    True
    """

    cells: Cells
    below: Sequence[str] = ()
    above: Sequence[str] = ()
    left: Collection[int] = (0,)

    def text(self) -> str:
        """Return it as ``print`` shows it."""
        return "\n".join([*self.above, *_aligned(self.cells, self.left), *self.below])

    def html(self) -> str:
        """Return it as a notebook shows it, in the colours of the page.

        A column without any text is left out.  Two prices, $5 and $10, are no formula.
        """
        lines = ['<div class="tex2jax_ignore mathjax_ignore">']
        lines += _paragraph(self.above)
        lines += self._table()
        lines += _paragraph(self.below)
        lines.append("</div>")
        return "\n".join(lines)

    def _table(self) -> list[str]:
        """Return the table as lines of HTML."""
        if not self.cells:
            return []
        kept = [i for i, column in enumerate(zip(*self.cells, strict=True)) if any(column)]
        head, *rows = self.cells
        lines = ['<table class="dataframe">', "<thead>", "<tr>"]
        for i in kept:
            tag = 'th scope="col"' if head[i] else "td"  # no heading without a text
            lines.append(self._cell(head[i], tag, i))
        lines += ["</tr>", "</thead>", "<tbody>"]
        for row in rows:
            lines.append("<tr>")
            for i in kept:
                tag = 'th scope="row"' if i == 0 else "td"
                lines.append(self._cell(row[i], tag, i))
            lines.append("</tr>")
        lines += ["</tbody>", "</table>"]
        return lines

    def _cell(self, text: str, tag: str, column: int) -> str:
        """Return one cell; what a tag begins with is its name."""
        style = ' style="text-align: left"' if column in self.left else ""
        return f"<{tag}{style}>{escape(text)}</{tag[:2]}>"


def _aligned(cells: Cells, left: Collection[int]) -> list[str]:
    """Return the rows of a table as lines of text."""
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        put = []
        for i, cell in enumerate(row):
            space = " " * (widths[i] - _width(cell))
            put.append(cell + space if i in left else space + cell)
        lines.append("  ".join(put).rstrip())
    return lines


def _paragraph(lines: Iterable[str]) -> list[str]:
    """Return lines of text as a paragraph of HTML, if there are any."""
    texts = [escape(line) for line in lines if line]
    if not texts:
        return []
    return ["<p>" + "<br>\n".join(texts) + "</p>"]


def short(labels: Sequence[Any], places: Iterable[int]) -> list[str]:
    """Return labels in print, all distinct.

    Long ones are cut, and those that look the same get their place.
    """
    texts = [" ".join(str(label).split()) for label in labels]
    found = [_cut(text) for text in texts]
    marked = [_cut(text, f" [{i}]") for text, i in zip(texts, places, strict=True)]
    times = Counter(found)
    mixed = []
    for plain, with_place in zip(found, marked, strict=True):
        mixed.append(with_place if times[plain] > 1 else plain)
    return mixed if len(set(mixed)) == len(mixed) else marked


def _cut(text: str, mark: str = "") -> str:
    """Return a text, cut in its middle where it is long, with a mark behind it."""
    room = WIDE - len(mark)
    if len(text) <= room:
        return text + mark
    end = (room - 1) // 2
    start = room - 1 - end
    return f"{text[:start]}…{text[-end:]}{mark}"


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: letters of Chinese take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
