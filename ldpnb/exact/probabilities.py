"""Probabilities that a computer has: e^ε from below, and coins on a grid, rounded toward privacy.

Computers do not own real numbers between 0 and 1: a coin of probability p falls heads with
probability ``ceil(p * 2**53) / 2**53``.  `round_down` and `round_up` put a probability on this grid
in the direction that protects the client, starting from `odds`, a rational number just below e^ε.

Each function also takes a formula, or a symbolic ε, where a client runs with one in a proof.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, nextafter
from typing import Any

from ldpnb.exact.arguments import check_count
from ldpnb.exact.formulas import Budget, Formula
from ldpnb.exact.questions import exactly, exactly_of, inexactly, log_of, odds_of, rounded, share_of

GRID = 2**53  # a uniform float of numpy's is one of the 2**53 multiples of 1 / GRID below 1
DIGITS = 60  # of decimal numbers


def exact(x: Any) -> Fraction:
    """Return a number as a Fraction; a formula, which stands in for one, as it is."""
    if isinstance(x, Budget):
        return exactly(x)  # type: ignore[return-value]  # a symbol stands in for a number
    if isinstance(x, Formula):
        return exactly_of(x)  # type: ignore[return-value]  # the same
    return Fraction(x)


def inexact(x: Any) -> float:
    """Return a number as a float; a formula, which stands in for one, as it is."""
    if isinstance(x, Formula):
        return inexactly(x)  # type: ignore[return-value]  # a symbol stands in for a number
    return float(x)


# ------------------------------------------------------------------------------ e^ε and logarithms


def odds(epsilon: float | Fraction) -> Fraction:
    """Return a rational number just below e^ε, the largest ratio that a client may show.

    It is below by less than one part in 10**57.
    """
    if isinstance(epsilon, Budget):
        return odds_of(epsilon)
    return Fraction(_odds(Fraction(epsilon)))


@lru_cache(maxsize=64)  # mechanisms of one ε ask again and again
def _odds(x: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = DIGITS
        context.rounding = ROUND_FLOOR
        ratio = Decimal(int(x.numerator)) / Decimal(int(x.denominator))
        return Fraction(ratio.exp().next_minus())


def share(epsilon: float, parts: int) -> float:
    """Return the largest float of which `parts` are not more than ε.

    It is for a client that spends ε in equal parts: ε/3 is rounded to the nearest float, so that
    three of them may be more than ε, by its last digit.

    Examples
    --------
    >>> [Fraction(part) * 3 <= Fraction(2.5) for part in (2.5 / 3, share(2.5, 3))]
    [False, True]
    """
    number = check_count(parts, 1, "parts")
    if isinstance(epsilon, Budget):
        return share_of(epsilon, number)
    part = epsilon / number
    if Fraction(part) * parts > Fraction(epsilon):
        return nextafter(part, 0)
    return part


def log(ratio: Fraction, times: int = 1) -> float:
    """Natural logarithm of a positive rational number, or a multiple of it.

    It is correct to the last digit or nearly so.
    """
    if isinstance(ratio, Formula):
        return log_of(ratio, times)
    with localcontext() as context:
        context.prec = DIGITS
        number = Decimal(ratio.numerator) / Decimal(ratio.denominator)
        return float(number.ln() * times)


def log_up(ratio: Fraction) -> float:
    """Return a float x just above ln(ratio), so that ratio <= odds(x): an ε that may be stated.

    The ratio is above 1.
    """
    x = log(ratio)
    if isinstance(x, Budget):
        return x
    while odds(x) < ratio:
        x = nextafter(x, inf)
    return x


def log_down(ratio: Fraction) -> float:
    """Return a float just below ln(ratio), an ε that may be spent; ratio above 1."""
    if isinstance(ratio, Formula):
        return log_of(ratio, below=True)
    return nextafter(log(ratio), 0)


# ----------------------------------------------------------------------------------------- the grid


def round_down(p: Fraction) -> float:
    """Return the largest multiple of 2**-53 that is not above p: a coin has it exactly."""
    if isinstance(p, Formula):
        return rounded(p, True)
    return floor(p * GRID) / GRID


def round_up(p: Fraction) -> float:
    """Return the smallest multiple of 2**-53 that is not below p: a coin has it exactly."""
    if isinstance(p, Formula):
        return rounded(p, False)
    return ceil(p * GRID) / GRID
