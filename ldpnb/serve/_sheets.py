"""Printed tables: their cells as lines of text; labels and notes stand left, numbers right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from unicodedata import east_asian_width

WIDE = 40  # characters of a printed label; what is cut out is in the middle

Cells = list[list[str]]


def aligned(cells: Cells, left: Collection[int] = (0,)) -> list[str]:
    """Return the lines of a table as text.

    Parameters
    ----------
    cells : list of list of str
        Rows of one length, the head first.
    left : set of int
        Columns that stand left.

    Examples
    --------
    >>> for line in aligned([["", "share"], ["yes", "9 %"], ["no", "91 %"]]):
    ...     print(line)
         share
    yes    9 %
    no    91 %
    """
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        put = []
        for i, cell in enumerate(row):
            space = " " * (widths[i] - _width(cell))
            put.append(cell + space if i in left else space + cell)
        lines.append("  ".join(put).rstrip())
    return lines


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
