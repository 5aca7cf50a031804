"""Polynomials in y and in slack variables w ≥ 0, with exact coefficients: their signs and their roots.

A polynomial is a dict from monomials to coefficients, and a monomial is one integer: the exponents of the variables,
20 bits each, y's exponent lowest.  So monomials are multiplied by adding them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise
from math import comb, gcd, lcm, prod
from operator import or_
from typing import Any

WIDTH = 20  # bits of an exponent: a monomial is one integer, y's exponent lowest, and monomials multiply by adding
Y = (1 << WIDTH) - 1
SLACKS, W1 = ~Y, Y << WIDTH  # bits of all slacks' exponents, and of the first one's
VARIABLES = 1024  # at most, with y
HALF = 1 << (WIDTH - 1)  # no exponent is so large, so that the sum of two of them is none of its neighbour's business
TOO_LARGE = sum(HALF << WIDTH * i for i in range(VARIABLES))
START = Fraction(1), 1 + Fraction(1, 2**24)  # of y; failing the first, a number below e^(ε/r) for ε = 1e-6 and r <= 16
Poly = dict[int, Any]  # monomial -> coefficient, none of them zero; whole numbers but on the way to them


@cache
def exponents(m: int) -> tuple[tuple[int, int], ...]:
    """Variables of a monomial, y being number 0, with their exponents."""
    return tuple((i, n) for i in range(-(-m.bit_length() // WIDTH)) if (n := m >> WIDTH * i & Y))


def collect(terms: Iterable[tuple[int, Any]]) -> Poly:
    """Add up monomials with coefficients."""
    out: Poly = {}
    for m, c in terms:
        out[m] = out.get(m, 0) + c
    return {m: c for m, c in out.items() if c}


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
    out, degree = Poly(), max(q)
    while p and max(p) >= degree:
        top, lead = p[max(p)], q[degree]
        scale = abs(lead) // gcd(top, lead)
        step = {max(p) - degree: scale * top // lead}
        out, p = plus(step, out, scale), plus(times({0: scale}, p), times(step, q), -1)
    return out, p


def whole(*some: Poly) -> list[Poly]:
    """Multiply polynomials by one positive number, so that their coefficients are whole numbers without a divisor."""
    numbers = [c for p in some for c in p.values()]
    top, bottom = gcd(*(c.numerator for c in numbers)), lcm(*(c.denominator for c in numbers))
    return [{m: c.numerator * (bottom // c.denominator) // top for m, c in p.items()} for p in some]


def common(p: Poly, q: Poly) -> Poly:
    """Greatest common divisor of two polynomials in one variable, the same one, by Euclid's algorithm."""
    while q:
        (q,) = whole(q)
        p, q = q, divided(p, q)[1]
    return p


def shifted(p: Poly, start: Fraction = START[0]) -> Poly:
    """Write a polynomial in u = b y − a in place of y, where start = a/b; but for a positive factor."""
    a, b = start.as_integer_ratio()
    top = max((m & Y for m in p), default=0)
    return collect(
        (m - j, c * comb(m & Y, j) * a**j * b ** (top - (m & Y))) for m, c in p.items() for j in range((m & Y) + 1)
    )


def derivative(p: Poly) -> Poly:
    """Return the derivative of a polynomial in y."""
    return {m - 1: m * c for m, c in p.items() if m}


def roots(p: Poly) -> int:
    """How many different roots a polynomial in y has beyond 0, by Sturm's theorem."""
    p = {m - min(p): c for m, c in p.items()}
    chain = [p, derivative(p)]
    while chain[-1]:
        chain += whole(plus({}, divided(chain[-2], chain[-1])[1], -1))

    def changes(values: list[int]) -> int:
        return sum(a * b < 0 for a, b in pairwise(filter(None, values)))

    return changes([q.get(0, 0) for q in chain]) - changes([q[max(q)] for q in chain[:-1]])


def crossings(p: Poly) -> int:
    """How many of its roots beyond 0 are of odd order, so that a polynomial in y changes its sign there.

    Dividing by the common divisor with the derivative leaves each root once; again, each root of order 2 or more, and
    so on (Yun 1976).  Roots of order 1, 2, 3, … count 1, −1, 1, ….
    """
    found, turn = 0, 1
    while max(p) > 0:
        repeated = common(p, derivative(p))
        found += turn * roots(divided(p, repeated)[0])
        p, turn = repeated, -turn
    return found


def sign(p: Poly) -> tuple[int | None, bool]:
    """Find s with s·p ≥ 0 for all slacks ≥ 0 and all ε > 0, and whether that is known for ε ≥ 1e-6 only.

    By coefficients, or by Sturm's theorem for each factor in one variable; s is None if neither shows it.
    """
    for start in START:
        found = 1
        for q in _factors(shifted(p, start)):
            if _one_sign(q) or (_alone(q) and not crossings(_in_y(q))):
                found *= 0 if not q else 1 if q[max(q)] > 0 else -1
            else:
                break
        else:
            return found, start > 1
    return None, False


def never_zero(p: Poly) -> tuple[bool, bool]:
    """Whether a polynomial has no zero at all, for no ε > 0 and no slacks; and whether that is known for ε ≥ 1e-6 only.

    Of each factor: with all slacks at 0 it has a term, and no root; slacks only add to that.  Or a slack is its only
    variable, and neither 0 nor any number above it is a root.
    """
    for start in START:
        if all(map(_no_zero, _factors(shifted(p, start)))):
            return True, start > 1
    return False, False


def _one_sign(q: Poly) -> bool:
    """Whether no two coefficients differ in sign."""
    return len({c > 0 for c in q.values()}) < 2


def _no_zero(q: Poly) -> bool:
    if not q:
        return False
    if _one_sign(q):
        return min(q) <= Y
    if not _alone(q) or (max(q) > Y and 0 not in q):
        return False
    return not roots(_in_y(q))


def _alone(q: Poly) -> bool:
    """Whether only one variable occurs."""
    return len({i for m in q for i, _ in exponents(m)}) < 2


def _in_y(q: Poly) -> Poly:
    """Write a polynomial in one variable as one in y."""
    return {sum(n for _, n in exponents(m)): c for m, c in q.items()}


def _factors(q: Poly) -> list[Poly]:
    """Split off what all coefficients have in common, as polynomials in y, and in the first slack.

    Zeros at y = 1 are no matter, since ε > 0: the factor is a polynomial in u = y − 1, as q is.
    """
    found = list[Poly]()
    for bits, place in ((Y, 0), (W1, WIDTH)):
        if _one_sign(q) or _alone(q):
            break
        shared: Poly = {}
        for row in rows_of(q, bits, place).values():
            (shared,) = whole(common(shared, row))
            if not max(shared):
                break
        else:
            found.append({m << place: c for m, c in shared.items()})
            q = rows_divided(q, shared, bits, place)
    return [*found, q]


def rows_of(p: Poly, bits: int, place: int) -> dict[int, Poly]:
    """Coefficients of the other variable's powers, as polynomials in the variable of these bits."""
    rows: dict[int, Poly] = {}
    for m, c in p.items():
        rows.setdefault(m & ~bits, {})[(m & bits) >> place] = c
    return rows


def rows_divided(p: Poly, shared: Poly, bits: int, place: int) -> Poly:
    """Divide by a polynomial in one variable that is a divisor; so the quotient's coefficients are whole (Gauss)."""
    found: Poly = {}
    for rest, row in rows_of(p, bits, place).items():
        quotient, _ = divided(row, shared)
        found |= {rest | m << place: c for m, c in quotient.items()}
    return found


def value(p: Poly, number: Callable[[int], Any]) -> Fraction:
    """Value of a polynomial; `number` says of each variable what it is."""
    return sum((c * prod(number(i) ** n for i, n in exponents(m)) for m, c in p.items()), Fraction(0))
