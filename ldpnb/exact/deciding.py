"""Deciding for all ε at once whether a client keeps ε, and what its largest likelihood ratio is.

P(y|a) ≤ e^ε P(y|b) is a polynomial in u = y − 1 that is not negative for u > 0, where e^ε = y^r.
"""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any, NamedTuple

from ldpnb.exact.formulas import Formula, in_lowest_terms
from ldpnb.exact.polynomials import (
    START,
    Poly,
    Y,
    collect,
    exponents,
    plus,
    roots as roots_beyond_zero,
    shifted,
    sign,
    times,
    whole,
)
from ldpnb.exact.symbolic import Laws

USUAL = Fraction(16180339887, 10**10)  # a y that is no root of anything that somebody writes down
FINE = Fraction(1, 2**60)  # width within which a root is found
ROUNDING = Fraction(1, 2**54)  # a slack that rounding may well reach


class Decision(NamedTuple):
    """Whether inequalities hold, from which ε on, a y at which to look at ratios, and which one fails, if any."""

    holds: bool | None
    least: float
    where: Fraction
    failing: Any


class Factor(NamedTuple):
    """A largest ratio as a formula, None for ∞; whether it is so for every ε; the inputs and the report."""

    ratio: Formula | None
    uniform: bool
    pair: tuple[int, int]
    report: Any


def decide(found: Laws, start: Fraction = START[0]) -> Decision:
    """Whether all inequalities hold, from which ε on, and a y at which to look for the largest ratio.

    If they need not hold for all ε > 0, the first that fails from `start` on will do.
    """
    late = found.field.late
    failing: tuple[Fraction, Any] | None = None
    unknown = False
    for pair, report, p, q, gap in found.gaps():
        s, only_late = sign(gap)
        late |= only_late
        if s in (0, 1):
            continue
        least = _first(gap, start)
        unknown |= least is None
        if least is not None and (failing is None or least < failing[0]):
            failing = least, (pair, report, p, q)
        if failing and start > 1:
            break
    if failing:
        least, gap_found = failing
        return Decision(False, found.field.roots * log(least), least + FINE, gap_found)
    return Decision(None if unknown else True, 1e-6 if late else 0.0, USUAL, None)


def _first(p: Poly, start: Fraction) -> Fraction | None:
    """Find the least y, from `start` on, right above which p is negative, all slacks being one of some numbers.

    With ideal coins the only slack is how many more items there are.
    """
    slacks = [Fraction(0), ROUNDING] if start > 1 else [Fraction(n) for n in (0, 1, 6, 30, 126)]
    for slack in slacks:
        q, low = collect((m & Y, c * slack ** sum(n for i, n in exponents(m) if i)) for m, c in p.items()), start
        (q,) = whole(q)
        while row := shifted(q, low):
            if row[min(row)] < 0:
                return low
            if not (left := roots_beyond_zero(row)):
                break
            high = low + 1
            while roots_beyond_zero(shifted(q, high)) == left:
                high = low + 2 * (high - low)
            while high - low > FINE:  # the first root is in between
                middle = (low + high) / 2
                low, high = (middle, high) if roots_beyond_zero(shifted(q, middle)) == left else (low, middle)
            low = high
    return None


def largest(found: Laws, decided: Decision) -> Factor:
    """Return the largest ratio at some y as a formula, whether it is the largest for every ε, and who attains it."""
    where, ratios = decided.where, dict[Formula, Any]()
    for pair, y, p, q, _ in found.gaps():
        if p and not q:
            return Factor(None, True, pair, y)
        if p:
            ratios.setdefault(Formula(p, q, found.field), (pair, y))
    top = max(ratios, key=lambda r: r.at(where))
    if decided.failing and top.at(where) <= where**found.field.roots:  # what fails does so in a narrow range alone
        pair, y, p, q = decided.failing
        top = Formula(p, q, found.field)
        return Factor(in_lowest_terms(top), False, pair, y)
    gaps = [plus(times(top._num, r._den), times(r._num, top._den), -1) for r in ratios]
    uniform = all(sign(gap)[0] in (0, 1) for gap in gaps)
    return Factor(in_lowest_terms(top), uniform, *ratios[top])
