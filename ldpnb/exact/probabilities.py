"""Probabilities in numbers that a computer has: e^ε from below, and coins on a grid, rounded toward privacy.

Computers do not own real numbers between 0 and 1: a coin of probability p falls heads with
probability ``ceil(p * 2**53) / 2**53``.  `round_down` and `round_up` put a probability on this grid
in the direction that protects the client, starting from `odds`, a rational number just below e^ε.
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


def exact(x: Any) -> Fraction:
    """Return a number as a Fraction; a formula, which stands in for one, as it is."""
    if isinstance(x, Budget):
        return exactly(x)  # type: ignore[return-value]
    return exactly_of(x) if isinstance(x, Formula) else Fraction(x)  # type: ignore[return-value]


def inexact(x: Any) -> float:
    """Return a number as a float; a formula, which stands in for one, as it is."""
    return inexactly(x) if isinstance(x, Formula) else float(x)  # type: ignore[return-value]


def odds(epsilon: float | Fraction) -> Fraction:
    """Return a rational number just below e^ε (relative error below 1e-57), the largest ratio a client may show."""
    return odds_of(epsilon) if isinstance(epsilon, Budget) else Fraction(_odds(Fraction(epsilon)))


def share(epsilon: float, parts: int) -> float:
    """Return the largest float of which `parts` are not more than ε, for a client that spends ε in equal parts.

    ε/3 is rounded to the nearest float, so that three of them may be more than ε, by its last
    digit.

    Examples
    --------
    >>> [Fraction(part) * 3 <= Fraction(2.5) for part in (2.5 / 3, share(2.5, 3))]
    [False, True]
    """
    if isinstance(epsilon, Budget):
        return share_of(epsilon, check_count(parts, 1, "parts"))
    part = epsilon / check_count(parts, 1, "parts")
    return part if Fraction(part) * parts <= Fraction(epsilon) else nextafter(part, 0)


@lru_cache(maxsize=64)  # mechanisms of one ε ask again and again
def _odds(x: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec, context.rounding = 60, ROUND_FLOOR
        return Fraction(
            (Decimal(int(x.numerator)) / Decimal(int(x.denominator))).exp().next_minus()
        )


def log(ratio: Fraction, times: int = 1) -> float:
    """Natural logarithm of a positive rational number, correct to the last digit or nearly so; or a multiple of it."""
    if isinstance(ratio, Formula):
        return log_of(ratio, times)
    with localcontext() as context:
        context.prec = 60
        return float((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln() * times)


def log_up(ratio: Fraction) -> float:
    """Return a float x just above ln(ratio), so that ratio <= odds(x): an ε that may be stated; ratio above 1."""
    x = log(ratio)
    while not isinstance(x, Budget) and odds(x) < ratio:
        x = nextafter(x, inf)
    return x


def log_down(ratio: Fraction) -> float:
    """Return a float just below ln(ratio), an ε that may be spent; ratio above 1."""
    return log_of(ratio, below=True) if isinstance(ratio, Formula) else nextafter(log(ratio), 0)


def round_down(p: Fraction) -> float:
    """Return the largest multiple of 2**-53 that is not above p, a probability that `bernoulli` realises exactly."""
    return rounded(p, True) if isinstance(p, Formula) else floor(p * GRID) / GRID


def round_up(p: Fraction) -> float:
    """Return the smallest multiple of 2**-53 that is not below p, a probability that `bernoulli` realises exactly."""
    return rounded(p, False) if isinstance(p, Formula) else ceil(p * GRID) / GRID
