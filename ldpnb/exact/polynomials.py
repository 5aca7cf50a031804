"""Polynomials in y and in slack variables w ≥ 0, with exact coefficients: their signs and roots.

A polynomial is a dict from monomials to coefficients.  A monomial is one integer: the exponents of
the variables, 20 bits each, y's exponent lowest.  So monomials are multiplied by adding them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise
from math import comb, gcd, lcm, prod
from operator import or_
from typing import Any

WIDTH = 20  # bits of an exponent
Y = (1 << WIDTH) - 1  # bits of y's exponent
SLACKS = ~Y  # bits of all slacks' exponents
W1 = Y << WIDTH  # bits of the first slack's exponent
VARIABLES = 1024  # at most, with y
HALF = 1 << (WIDTH - 1)  # no exponent is so large, so that the sum of two fits into WIDTH bits
TOO_LARGE = sum(HALF << WIDTH * i for i in range(VARIABLES))
START = Fraction(1)  # of y, where ε is 0
LATE_START = 1 + Fraction(1, 2**24)  # below e^(ε/r) for ε = 1e-6 and r <= 16
STARTS = (START, LATE_START)  # the second is tried where a sign is not known from the first on

# from monomials to coefficients, none of them zero; they are whole numbers but on the way to them
Poly = dict[int, Any]


# --------------------------------------------------------------------------------------- arithmetic


@cache
def exponents(monomial: int) -> tuple[tuple[int, int], ...]:
    """Variables of a monomial, y being number 0, with their exponents."""
    found = []
    variables = -(-monomial.bit_length() // WIDTH)
    for variable in range(variables):
        n = monomial >> WIDTH * variable & Y
        if n:
            found.append((variable, n))
    return tuple(found)


def collect(terms: Iterable[tuple[int, Any]]) -> Poly:
    """Add up monomials with coefficients."""
    found: Poly = {}
    for m, c in terms:
        found[m] = found.get(m, 0) + c
    return {m: c for m, c in found.items() if c}


def plus(p: Poly, q: Poly, times: Any = 1) -> Poly:
    """Add a multiple of q to p."""
    return collect((*p.items(), *((m, times * c) for m, c in q.items())))


def times(p: Poly, q: Poly) -> Poly:
    """Multiply two polynomials."""
    product = collect([(a + b, c * d) for a, c in p.items() for b, d in q.items()])
    if reduce(or_, product, 0) & TOO_LARGE:
        raise OverflowError(f"exponents of a formula must be below {HALF}")
    return product


def power(p: Poly, n: int) -> Poly:
    """Raise a polynomial to a power."""
    return reduce(times, [p] * n, {0: 1})


def divided(p: Poly, q: Poly) -> tuple[Poly, Poly]:
    """Quotient and remainder of a multiple of p by q; of p itself where whole numbers do."""
    quotient = Poly()
    degree = max(q)
    lead = q[degree]
    while p and max(p) >= degree:
        top = p[max(p)]
        scale = abs(lead) // gcd(top, lead)
        step = {max(p) - degree: scale * top // lead}
        quotient = plus(step, quotient, scale)
        p = plus(times({0: scale}, p), times(step, q), -1)
    return quotient, p


def whole(*some: Poly) -> list[Poly]:
    """Multiply polynomials by one positive number, which makes whole numbers of coefficients.

    The coefficients then have no common divisor.
    """
    numbers = list[Any]()
    for p in some:
        numbers += p.values()
    top = gcd(*(c.numerator for c in numbers))
    bottom = lcm(*(c.denominator for c in numbers))

    def scaled(p: Poly) -> Poly:
        return {m: c.numerator * (bottom // c.denominator) // top for m, c in p.items()}

    return [scaled(p) for p in some]


def common(p: Poly, q: Poly) -> Poly:
    """Greatest common divisor of two polynomials in one variable, the same one, by Euclid."""
    while q:
        (q,) = whole(q)
        remainder = divided(p, q)[1]
        p = q
        q = remainder
    return p


def shifted(p: Poly, start: Fraction = START) -> Poly:
    """Write a polynomial in u = b y − a, where start = a/b; up to a positive factor."""
    a, b = start.as_integer_ratio()
    top = max((m & Y for m in p), default=0)
    terms = []
    for m, c in p.items():
        n = m & Y
        for j in range(n + 1):  # y^n = ((u + a) / b)^n, times b^top
            terms.append((m - j, c * comb(n, j) * a**j * b ** (top - n)))
    return collect(terms)


def derivative(p: Poly) -> Poly:
    """Return the derivative of a polynomial in y."""
    return {m - 1: m * c for m, c in p.items() if m}


def value(p: Poly, number: Callable[[int], Any]) -> Fraction:
    """Value of a polynomial; `number` says of each variable what it is."""
    found = Fraction(0)
    for m, c in p.items():
        found += c * prod(number(variable) ** n for variable, n in exponents(m))
    return found


# ------------------------------------------------------------------------------------------- roots


def roots(p: Poly) -> int:
    """How many different roots a polynomial in y has beyond 0, by Sturm's theorem."""
    p = {m - min(p): c for m, c in p.items()}
    chain = [p, derivative(p)]
    while chain[-1]:
        remainder = divided(chain[-2], chain[-1])[1]
        chain += whole(plus({}, remainder, -1))
    at_zero = [q.get(0, 0) for q in chain]
    at_infinity = [q[max(q)] for q in chain[:-1]]
    return _changes(at_zero) - _changes(at_infinity)


def _changes(values: list[int]) -> int:
    """How often numbers change their sign."""
    return sum(a * b < 0 for a, b in pairwise(filter(None, values)))


def crossings(p: Poly) -> int:
    """How many of its roots beyond 0 are of odd order: there a polynomial in y changes its sign.

    Dividing by the common divisor with the derivative leaves each root once; again, each root of
    order 2 or more, and so on (Yun 1976).  Roots of order 1, 2, 3, … count 1, −1, 1, ….
    """
    found = 0
    turn = 1
    while max(p) > 0:
        repeated = common(p, derivative(p))
        found += turn * roots(divided(p, repeated)[0])
        p = repeated
        turn = -turn
    return found


# ------------------------------------------------------------------------------------------- signs


def sign(p: Poly) -> tuple[int | None, bool]:
    """Find s with s·p ≥ 0 for all slacks ≥ 0 and all ε > 0.

    By coefficients, or by Sturm's theorem for each factor in one variable.

    Returns
    -------
    s : int or None
        −1, 0 or 1; None if neither shows it.
    late : bool
        Whether it is known for ε ≥ 1e-6 only.
    """
    for start in STARTS:
        found = _sign_of_product(_factors(shifted(p, start)))
        if found is not None:
            return found, start > START
    return None, False


def _sign_of_product(factors: Iterable[Poly]) -> int | None:
    found = 1
    for q in factors:
        s = _sign_of_factor(q)
        if s is None:
            return None
        found *= s
    return found


def _sign_of_factor(q: Poly) -> int | None:
    """Sign of a polynomial for all numbers ≥ 0; None if it is not known to have one."""
    if not q:
        return 0
    if not _one_sign(q):
        if not _alone(q) or crossings(_in_y(q)):
            return None
    return 1 if q[max(q)] > 0 else -1


def never_zero(p: Poly) -> tuple[bool, bool]:
    """Whether a polynomial has no zero at all; and whether that is known for ε ≥ 1e-6 only.

    That is, for no ε > 0 and no slacks.  Of each factor: with all slacks at 0 it has a term, and no
    root; slacks only add to that.  Or a slack is its only variable, and neither 0 nor any number
    above it is a root.
    """
    for start in STARTS:
        if all(map(_no_zero, _factors(shifted(p, start)))):
            return True, start > START
    return False, False


def _no_zero(q: Poly) -> bool:
    if not q:
        return False
    if _one_sign(q):
        return min(q) <= Y
    if not _alone(q):
        return False
    of_slack = max(q) > Y
    if of_slack and 0 not in q:
        return False
    return not roots(_in_y(q))


def _one_sign(q: Poly) -> bool:
    """Whether no two coefficients differ in sign."""
    return len({c > 0 for c in q.values()}) < 2


def _alone(q: Poly) -> bool:
    """Whether only one variable occurs."""
    variables = set[int]()
    for m in q:
        variables.update(variable for variable, _ in exponents(m))
    return len(variables) < 2


def _in_y(q: Poly) -> Poly:
    """Write a polynomial in one variable as one in y."""
    return {_degree(m): c for m, c in q.items()}


def _degree(monomial: int) -> int:
    """Sum of the exponents of all variables."""
    return sum(n for _, n in exponents(monomial))


def _factors(q: Poly) -> list[Poly]:
    """Split off what all coefficients have in common, as polynomials in y, and in the first slack.

    Zeros at y = 1 are no matter, since ε > 0: the factor is a polynomial in u = y − 1, as q is.
    """
    found = list[Poly]()
    for bits, place in ((Y, 0), (W1, WIDTH)):
        if _one_sign(q) or _alone(q):
            break
        shared = common_factor(rows_of(q, bits, place).values())
        if max(shared):
            found.append({m << place: c for m, c in shared.items()})
            q = rows_divided(q, shared, bits, place)
    return [*found, q]


def common_factor(rows: Iterable[Poly]) -> Poly:
    """Greatest common divisor of polynomials in one variable, of whole numbers."""
    shared: Poly = {}
    for row in rows:
        (shared,) = whole(common(shared, row))
        if not max(shared):
            break
    return shared


def rows_of(p: Poly, bits: int, place: int) -> dict[int, Poly]:
    """Coefficients of the other variables' powers, as polynomials in the variable of these bits."""
    rows: dict[int, Poly] = {}
    for m, c in p.items():
        rows.setdefault(m & ~bits, {})[(m & bits) >> place] = c
    return rows


def rows_divided(p: Poly, shared: Poly, bits: int, place: int) -> Poly:
    """Divide by a polynomial in one variable that is a divisor; the quotient is whole (Gauss)."""
    found: Poly = {}
    for rest, row in rows_of(p, bits, place).items():
        quotient, _ = divided(row, shared)
        for m, c in quotient.items():
            found[rest | m << place] = c
    return found
