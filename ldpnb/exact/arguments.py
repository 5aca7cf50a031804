"""Checks of single arguments, and how values are printed where one is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from math import floor, log10
from typing import Any

from ldpnb.exact.arrays import arrays
from ldpnb.exact.formulas import Budget, Formula
from ldpnb.exact.questions import note_range, probable

# below, a probability's distance from 1/2 is no longer large against 2**-53
EPSILON_MIN = 1e-6
# above, e^-ε is no longer large against 2**-53, and rounding would cost more than 1 % of ε
EPSILON_MAX = 32.0
OUT_OF_RANGE = [0]  # how often an ε was refused for its size


def is_number(value: Any) -> bool:
    """Whether this is a real number, Python's or numpy's.

    Bools and time spans, which are integers to both, are not.
    """
    known = arrays()
    return isinstance(value, (int, float, *known.real)) and not isinstance(
        value, (bool, *known.not_real)
    )


def apart(limit: float | Fraction, found: float | Fraction, digits: int = 6) -> tuple[str, str]:
    """Print a number and another that it is compared with.

    Where they print alike, it says by how much they differ.

    Examples
    --------
    >>> apart(1.0, 1.5)
    ('1', '1.5')
    >>> apart(Fraction(1), 1 + Fraction(1, 2**30))
    ('1', '1, which is 9.3e-10 more')
    """
    least = f"{float(limit):.{digits}g}"
    got = f"{float(found):.{digits}g}"
    if got != least or not (found < limit or found > limit):
        return least, got
    much = abs(float(found - limit))
    direction = "more" if found > limit else "less"
    return least, f"{got}, which is {much:.2g} {direction}"


def at_least(limit: float, digits: int = 3) -> str:
    """Print a positive limit with few digits, rounded up, so that what is printed keeps it.

    Examples
    --------
    >>> at_least(0.01234), at_least(0.5)
    ('0.0124', '0.5')
    """
    text = f"{limit:.{digits}g}"
    if float(text) >= limit:
        return text
    unit: float = 10.0 ** (floor(log10(limit)) - digits + 1)
    return f"{limit + unit:.{digits}g}"


def shown(value: Any, write: Callable[[Any], str] = repr, most: int = 60) -> str:
    """Return the first characters of a value; of an integer of many thousand digits, its bits.

    Examples
    --------
    >>> shown(0.1), shown(10**5000), shown([10**5000])
    ('0.1', 'an integer of 16610 bits', 'a list')
    """
    try:
        return write(value)[:most]
    except Exception:  # a class of the caller's may fail to print itself, too
        if isinstance(value, int):
            return f"an integer of {value.bit_length()} bits"
        return f"a {type(value).__name__}"


def in_full(number: float) -> str:
    """Write a number with as many digits as it takes.

    A bound that is rounded could be what it forbids.

    Examples
    --------
    >>> in_full(5.0), in_full(0.1 + 0.2)
    ('5', '0.30000000000000004')
    """
    return repr(float(number)).removesuffix(".0")


def percent(value: Any) -> str:
    """Return the cure for a number that is meant as one of a hundred, else nothing."""
    if not is_number(value) or not 1 < value <= 100:
        return ""
    return f": {shown(value)} % is {in_full(float(value) / 100)}"


def out_of_range(message: str) -> ValueError:
    """Return an error about an ε, and count it: a proof notices where a client has caught it."""
    OUT_OF_RANGE[0] += 1
    return ValueError(message)


def check_epsilon(epsilon: Any, name: str = "epsilon") -> float:
    """Return ε as a float if it is a finite number in [EPSILON_MIN, EPSILON_MAX]."""
    if isinstance(epsilon, Budget):
        note_range(epsilon, EPSILON_MIN, EPSILON_MAX)
        return epsilon  # type: ignore[return-value]
    epsilon = arrays().as_python(epsilon)  # of fewer bits, the limits are others
    if not is_number(epsilon) or not EPSILON_MIN <= epsilon <= EPSILON_MAX:
        limits = f"[{EPSILON_MIN:g}, {EPSILON_MAX:g}]"
        raise out_of_range(f"{name} must be a finite number in {limits}, got {shown(epsilon)}")
    return float(epsilon)


def check_probability(value: Any, name: str) -> float:
    """Return a probability as a float in [0, 1]."""
    if isinstance(value, Formula):
        probable(value)
        return value  # type: ignore[return-value]
    if not is_number(value) or not 0 <= value <= 1:
        raise ValueError(
            f"{name} must be a probability in [0, 1], got {shown(value)}{percent(value)}"
        )
    return float(value) + 0.0  # −0, which is equal, prints otherwise


def check_count(value: Any, least: int, name: str, most: int = 2**63 - 1) -> int:
    """Return an integer that is at least `least`, and at most `most`."""
    try:
        found = operator.index(value)
    except TypeError:
        raise ValueError(
            f"{name} must be an integer, at least {least}, got {shown(value)}"
        ) from None
    if isinstance(value, bool) or found < least:
        raise ValueError(f"{name} must be an integer, at least {least}, got {shown(value)}")
    if found > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(value)}")
    return found
