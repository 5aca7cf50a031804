"""Deciding for all ε at once whether a client keeps ε, and what its largest likelihood ratio is.

P(y|a) ≤ e^ε P(y|b) is a polynomial in u = y − 1 that is not negative for u > 0, where e^ε = y^r.
`decide` asks `ldpnb.exact.polynomials.sign` about each of them.  Where one fails, it finds the ε
from which on it does.
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
from ldpnb.exact.symbolic import Gap, Laws

USUAL = Fraction(16180339887, 10**10)  # a y that is no root of anything that somebody writes down
FINE = Fraction(1, 2**60)  # width within which a root is found
LATE = 1e-6  # the ε from which on those inequalities are known that are not known for every ε
ROUNDING = Fraction(1, 2**54)  # a slack that rounding may well reach
MORE_ITEMS = (0, 1, 6, 30, 126)  # slacks with ideal coins: how many more items there are


class Decision(NamedTuple):
    """What was found of all inequalities.

    Attributes
    ----------
    holds : bool or None
        Whether all of them hold; None where neither that nor the contrary is known.
    least : float
        The ε from which on this is so.
    where : Fraction
        A y at which to look for the largest ratio.
    failing : Gap or None
        The one that fails first.
    """

    holds: bool | None
    least: float
    where: Fraction
    failing: Gap | None


class Factor(NamedTuple):
    """A largest ratio, None for ∞; whether it is so for every ε; the inputs and the report."""

    ratio: Formula | None
    uniform: bool
    pair: tuple[int, int]
    report: Any


# ------------------------------------------------------------------------------- do they all hold?


def decide(found: Laws, start: Fraction = START) -> Decision:
    """Whether all inequalities hold, from which ε on, and where to look for the largest ratio.

    If they need not hold for all ε > 0, the first that fails from `start` on will do.
    """
    late = found.field.late
    unknown = False
    first: Fraction | None = None
    failing: Gap | None = None
    for gap in found.gaps():
        s, only_late = sign(gap.gap)
        late |= only_late
        if s in (0, 1):
            continue
        fails_at = first_failure(gap.gap, start)
        if fails_at is None:
            unknown = True
        elif first is None or fails_at < first:
            first = fails_at
            failing = gap
        if failing and start > START:
            break
    if first is not None:
        return Decision(False, found.field.roots * log(first), first + FINE, failing)
    least = LATE if late else 0.0
    if unknown:
        return Decision(None, least, USUAL, None)
    return Decision(True, least, USUAL, None)


def first_failure(p: Poly, start: Fraction) -> Fraction | None:
    """Find the least y, from `start` on, right above which p is negative for some slack."""
    if start > START:
        slacks = [Fraction(0), ROUNDING]
    else:
        slacks = [Fraction(n) for n in MORE_ITEMS]
    for slack in slacks:
        low = _first_below_zero(_with_slack(p, slack), start)
        if low is not None:
            return low
    return None


def _with_slack(p: Poly, slack: Fraction) -> Poly:
    """Put one number in place of all slacks."""
    terms = []
    for monomial, c in p.items():
        degree = sum(n for variable, n in exponents(monomial) if variable)
        terms.append((monomial & Y, c * slack**degree))
    (found,) = whole(collect(terms))
    return found


def _first_below_zero(q: Poly, low: Fraction) -> Fraction | None:
    """Find the least y, from `low` on, right above which a polynomial in y is negative."""
    while True:
        from_here = shifted(q, low)
        if not from_here:
            return None
        if from_here[min(from_here)] < 0:  # the sign right above `low` is that of the lowest term
            return low
        left = roots_beyond_zero(from_here)
        if left == 0:
            return None
        low = _next_root(q, low, left)


def _next_root(q: Poly, low: Fraction, left: int) -> Fraction:
    """Find the first root beyond `low`, beyond which `left` roots lie, to within FINE."""
    high = low + 1
    while roots_beyond_zero(shifted(q, high)) == left:
        high = low + 2 * (high - low)
    while high - low > FINE:
        middle = (low + high) / 2
        if roots_beyond_zero(shifted(q, middle)) == left:
            low = middle
        else:
            high = middle
    return high


# ------------------------------------------------------------------------------ the largest ratio


def largest(found: Laws, decided: Decision) -> Factor:
    """Return the largest ratio at some y as a formula, and who attains it."""
    where = decided.where
    ratios = dict[Formula, Gap]()
    for gap in found.gaps():
        if gap.likely and not gap.other:
            return Factor(None, True, gap.pair, gap.report)
        if gap.likely:
            ratios.setdefault(Formula(gap.likely, gap.other, found.field), gap)
    top = max(ratios, key=lambda ratio: ratio.at(where))
    failing = decided.failing
    if failing and top.at(where) <= where**found.field.roots:  # it fails in a narrow range alone
        top = Formula(failing.likely, failing.other, found.field)
        return Factor(in_lowest_terms(top), False, failing.pair, failing.report)
    uniform = all(_at_least(top, ratio) for ratio in ratios)
    return Factor(in_lowest_terms(top), uniform, ratios[top].pair, ratios[top].report)


def _at_least(one: Formula, other: Formula) -> bool:
    """Whether a ratio is at least another one, for every ε."""
    difference = plus(times(one._num, other._den), times(other._num, one._den), -1)
    return sign(difference)[0] in (0, 1)
