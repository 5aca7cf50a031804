"""What questions share: the rows of mechanisms on a base, and limits of sizes."""

from __future__ import annotations

import inspect
from dataclasses import fields
from functools import partial
from typing import Any

from ldpnb.choose._catalogue import catalogue
from ldpnb.choose.planning import Row

LARGEST = 10**6  # of a domain: the table of a mechanism's errors has a number an item
MANY = 2**40  # people a block: so many that their number does not matter
TINY = "so small an ε cannot be divided"
STRINGS = "any strings; the client needs no list"
Variances = dict[str, float]  # n times the variance of an estimate, by what it is of


def other_rows(base: type[Any], rows: list[Row], **given: Any) -> list[Row]:
    """Rows of mechanisms on this base that have none yet, made of what their fields are given."""
    known = {row.name for row in rows}
    found = []
    kind: Any
    for kind in catalogue().values():
        if issubclass(kind, base) and kind.label not in known:
            own = {field.name: given[field.name] for field in fields(kind) if field.name in given}
            first_line, _, _ = (inspect.getdoc(kind) or "").partition("\n")
            found.append(Row(kind.label, partial(kind, **own), first_line.rstrip(".")))
    return found
