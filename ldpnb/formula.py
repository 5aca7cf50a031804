"""Exact formulas in e^ε: fractions of integer polynomials that flow through a mechanism's own code in place of numbers.

With y ≥ 1 and e^ε = y^r, a `Formula` is a rational function of y, and of slack variables w ≥ 0 where coins are rounded.
It has no value: whoever asks for one (`float`, `int`, an index) gets a TypeError.  A comparison, ``==`` and the truth
of a formula included, has an answer if it is the same for *all* ε > 0 and all slacks, else it is an error, too.  So
code that runs to its end and does with numbers what it does with formulas has taken the same steps for every ε.  What
escapes: code that asks for types, texts or hashes, and floats, whose sums and products are rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import pairwise
from math import comb, gcd, lcm, prod
from numbers import Rational
from operator import index
from typing import Any, TypeVar

WIDTH = 20  # bits of an exponent: a monomial is one integer, y's exponent lowest, and monomials multiply by adding
Y = (1 << WIDTH) - 1
SLACKS, W1 = ~Y, Y << WIDTH  # bits of all slacks' exponents, and of the first one's
START = Fraction(1), 1 + Fraction(1, 2**24)  # of y; failing the first, a number below e^(ε/r) for ε = 1e-6 and r <= 16
NEAR, TINY = Fraction(1, 2**30), Fraction(1, 2**40)  # a coin moves by less than the first, e^ε by less than the second
SMALL, NOISE = 4096, Fraction(1, 2**49)  # fractions of such numbers are further than 2**-24 from each other
T = TypeVar("T")
Poly = dict[int, Any]  # monomial -> coefficient, none of them zero; whole numbers but on the way to them


class Root(ValueError):
    """A formula has no root of this order in y: take e^ε = y^(r · order)."""

    def __init__(self, order: int) -> None:
        super().__init__(f"no root of order {order}")
        self.order = order


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
    return collect([(a + b, c * d) for a, c in p.items() for b, d in q.items()])


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


def shifted(p: Poly, start: Fraction = START[0]) -> Poly:
    """Write a polynomial in u = b y − a in place of y, where start = a/b; but for a positive factor."""
    (a, b), top = start.as_integer_ratio(), max((m & Y for m in p), default=0)
    return collect(
        (m - j, c * comb(m & Y, j) * a**j * b ** (top - (m & Y))) for m, c in p.items() for j in range((m & Y) + 1)
    )


def roots(p: Poly) -> int:
    """How many different roots a polynomial in one variable has beyond 0, by Sturm's theorem."""
    p = {m - min(p): c for m, c in p.items()}
    chain = [p, {m - 1: m * c for m, c in p.items() if m}]
    while chain[-1]:
        chain += whole(plus({}, divided(chain[-2], chain[-1])[1], -1))

    def changes(values: list[int]) -> int:
        return sum(a * b < 0 for a, b in pairwise(filter(None, values)))

    return changes([q.get(0, 0) for q in chain]) - changes([q[max(q)] for q in chain[:-1]])


def sign(p: Poly) -> tuple[int | None, bool]:
    """Find s with s·p ≥ 0 for all slacks ≥ 0 and all ε > 0, and whether that is known for ε ≥ 1e-6 only.

    By coefficients, or by Sturm's theorem where there are no slacks; s is None if neither shows it.  Where all slacks
    are 0 and p does not vanish, s·p is positive.
    """
    for start in START:
        q = shifted(p, start)
        if len({c > 0 for c in q.values()}) < 2 or (max(q) <= Y and not roots(q)):
            return (0 if not q else 1 if q[max(q)] > 0 else -1), start > 1
    return None, False


def value(p: Poly, number: Callable[[int], Any]) -> Fraction:
    """Value of a polynomial; `number` says of each variable what it is."""
    return sum((c * prod(number(i) ** n for i, n in exponents(m)) for m, c in p.items()), Fraction(0))


def simple(q: Fraction) -> Fraction:
    """Return the fraction of small numbers that a number is the rounding of, or the number itself."""
    near = q.limit_denominator(SMALL)
    return near if abs(near - q) <= NOISE * max(Fraction(1), abs(q)) else q


def _sides(rule: Callable[[Formula, Formula], T]) -> tuple[Callable[[Any, Any], T], Callable[[Any, Any], T]]:
    """Make an operator for formulas and numbers, and the one with sides swapped; arrays go on, element by element."""

    def left(self: Formula, other: Any) -> T:
        return NotImplemented if getattr(other, "ndim", 0) else rule(self, self.field.formula(other))

    def right(self: Formula, other: Any) -> T:
        return NotImplemented if getattr(other, "ndim", 0) else rule(self.field.formula(other), self)

    return left, right


class Formula:
    """A fraction of polynomials; in y alone it is kept in lowest terms."""

    def __init__(self, num: Poly, den: Poly, field: Field) -> None:
        if not den:
            raise ZeroDivisionError("a formula with denominator zero")
        if num and max(den) > 0 and max(*num, *den) <= Y:
            a, (b,) = num, whole(den)
            while b:
                a, (b,) = b, whole(divided(a, b)[1])
            if max(a):
                num, den = divided(num, a)[0], divided(den, a)[0]
        turn = 1 if den[max(den)] > 0 else -1
        self.num, self.den = whole(*({m: turn * c for m, c in p.items()} for p in (num, den if num else {0: turn})))
        self.field = field
        self._hash: int | None = None

    def _plus(self, o: Formula) -> Formula:
        if self.den == o.den:
            return Formula(plus(self.num, o.num), self.den, self.field)
        return Formula(plus(times(self.num, o.den), times(o.num, self.den)), times(self.den, o.den), self.field)

    def _below(self, o: Formula) -> bool:
        if (found := self.below(o)) is None:
            raise TypeError(f"how {self} compares with {o} depends on ε")
        return found

    __add__, __radd__ = _sides(_plus)
    __sub__, __rsub__ = _sides(lambda p, q: p + -q)
    __mul__, __rmul__ = _sides(lambda p, q: Formula(times(p.num, q.num), times(p.den, q.den), p.field))
    __truediv__, __rtruediv__ = _sides(lambda p, q: Formula(times(p.num, q.den), times(p.den, q.num), p.field))
    __lt__, __gt__ = _sides(_below)
    __ge__, __le__ = _sides(lambda p, q: not p._below(q))

    def __neg__(self) -> Formula:
        return self * -1

    def __pow__(self, n: int) -> Formula:
        base = self if n >= 0 else 1 / self
        return Formula(power(base.num, abs(n)), power(base.den, abs(n)), self.field)

    def same(self, other: Any) -> bool:
        """Whether two formulas are equal for all ε and all slacks; nothing is wrong with those that are at times."""
        o = self.field.formula(other)
        return (self.num, self.den) == (o.num, o.den) or times(self.num, o.den) == times(o.num, self.den)

    def below(self, other: Any) -> bool | None:
        """Whether self < other for all ε (see `Field.late`) and slacks; False if self ≥ other for all, else None."""
        gap = other - self
        (top, late), (bottom, later) = sign(gap.num), sign(gap.den)
        self.field.late |= late or later
        if top is None or not bottom:
            return None
        if top * bottom <= 0:
            return False
        return True if min(gap.num) <= Y >= min(gap.den) else None  # not 0, not even where all slacks are

    def __bool__(self) -> bool:
        return self != 0

    def __eq__(self, other: object) -> bool:
        try:
            o = self.field.formula(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self.same(o) or not (self < o or self > o)

    def __hash__(self) -> int:
        if self._hash is None:
            top, bottom = (value(p, lambda i: (10**6 + i) ** 3) for p in (self.num, self.den))
            self._hash = hash(top / bottom)
        return self._hash

    def at(self, y: Any, slack: Any = 3) -> Fraction:
        """Value at one y; all slacks are the same."""
        top, bottom = (value(p, lambda i: Fraction(slack if i else y)) for p in (self.num, self.den))
        return top / bottom

    @cached_property
    def coin(self) -> tuple[Formula, Formula]:
        """(p, 1 − p), the weights of a toss."""
        return self, 1 - self

    def __str__(self) -> str:
        top, bottom = (self.field.text(p) for p in (self.num, self.den))
        over = bottom if bottom.isdigit() else f"({bottom})"
        return top if bottom == "1" else f"({top})/{over}" if " " in top else f"{top}/{over}"

    __repr__ = __str__


class Field:
    """Formulas in y, e^ε = y^roots.  Coins are "ideal", or "rounded": whatever rounding may do; or "free": whatever.

    `epsilon` is the symbolic ε, `e` its e^ε.
    `late` is whether an answer was given that is known for ε ≥ 1e-6 only, `floats` whether a formula met a float.
    Where it is `plain`, for moments, numbers stand for the fractions of small numbers that they are the rounding of.
    """

    def __init__(self, roots: int = 1, coins: str = "ideal", plain: bool = False) -> None:
        self.roots, self.coins, self.plain, self.slacks = roots, coins, plain, 0
        self.late = self.floats = False
        self.rounded: dict[tuple[Formula, bool], Formula] = {}
        self.e = Formula({roots: 1}, {0: 1}, self)
        self.epsilon = Budget(self.e)
        self._w1 = self.slack() if coins == "rounded" else self.e

    def formula(self, x: Any) -> Formula:
        """Return a number as a formula: an int, float or Fraction, numpy's too, exactly; anything else is refused."""
        if isinstance(x, Formula):
            return x
        q = simple(Fraction(x)) if self.plain else Fraction(x)
        self.floats |= not isinstance(x, Rational)  # with a number in place of the formula, it would be rounded
        return Formula(collect([(0, int(q.numerator))]), {0: int(q.denominator)}, self)

    def slack(self) -> Formula:
        """One more variable that may be any number, at least 0."""
        self.slacks += 1
        return Formula({1 << (WIDTH * self.slacks): 1}, {0: 1}, self)

    def below(self, p: Formula) -> Formula:
        """Return `odds` of the logarithm of p ≥ 1: p, or with rounded coins any number from p − TINY (p − 1) to p."""
        return (p + self._w1 * (p - (p - 1) * TINY)) / (1 + self._w1) if self.coins == "rounded" else p

    def round(self, p: Formula, down: bool) -> Formula:
        """Round p, always to the same number, so that the same p has the same slack."""
        if self.coins != "ideal" and (p, down) not in self.rounded:
            q = 1 / (1 + self.slack()) if self.coins == "free" else self._rounded(p, down)
            self.rounded |= {(p, down): q, (q, True): q, (q, False): q}
        return self.rounded.get((p, down), p)

    def _rounded(self, p: Formula, down: bool) -> Formula:
        """Any number between p and what it is at ε = 0 if that is the way, else between p and 0, 1 or ∞.

        That `odds` is a little below e^ε is covered by that, if it moves p the same way, and forgotten.
        """
        best, w = _without(p, W1), self.slack()
        blind = _without(Formula(shifted(best.num), shifted(best.den), self), Y)  # by powers of y − 1
        low, high = (blind, best) if down else (best, blind)
        room = _without(high, SLACKS) - _without(low, SLACKS)  # far enough from ε = 0 for rounding not to go past it
        if [p.below(low), high.below(p), room.below(NEAR)] == [False] * 3:
            return (best + w * blind) / (1 + w)
        return (p + w * (not down)) / (1 + w if down or (1 - p).below(0) is False else 1)

    def text(self, p: Poly) -> str:
        """Write a polynomial in x = e^ε, or in y where roots are taken, highest power first."""

        def factor(i: int, n: int) -> str:
            root = "√x" if self.roots == 2 else f"x^(1/{self.roots})"
            name, n = (f"w{i}", n) if i else (root, n) if n % self.roots else ("x", n // self.roots)
            return name if n == 1 else f"{name}^{n}" if len(name) < 3 else f"({name})^{n}"

        parts = []
        for m, c in sorted(p.items(), reverse=True):
            body = "·".join(factor(i, n) for i, n in exponents(m))
            parts.append(f"{'-' if c < 0 else '+'} " + (body if abs(c) == 1 and body else f"{abs(c)}{body}"))
        return " ".join(parts).removeprefix("+ ") or "0"


def _without(p: Formula, bits: int) -> Formula:
    """Put 0 in place of the variables that have these bits in a monomial."""
    num, den = ({m: c for m, c in q.items() if not m & bits} for q in (p.num, p.den))
    return Formula(num, den, p.field)


class Budget:
    """A symbolic ε: the logarithm of a formula, of e^ε to begin with.  Parts of it are budgets, too."""

    __slots__ = ("odds",)

    def __init__(self, odds: Formula) -> None:
        self.odds = odds

    def __truediv__(self, parts: int) -> Budget:
        p = self.odds
        if index(parts) < 1:
            raise ValueError(f"parts must be a whole number, at least 1, got {parts}")
        if p.den != {0: 1} or [*p.num.values()] != [1] or max(p.num) > Y or max(p.num) % parts:
            raise Root(parts)
        return Budget(Formula({max(p.num) // parts: 1}, {0: 1}, p.field))

    def __mul__(self, n: int) -> Budget:
        return Budget(self.odds**n)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Budget):
            raise TypeError(f"whether ε is {other!r} depends on ε")
        return self.odds.same(other.odds)

    def __lt__(self, other: Budget) -> bool:
        return self.odds < other.odds

    def __le__(self, other: Budget) -> bool:
        return self.odds <= other.odds

    __hash__ = None  # type: ignore[assignment]  # not even the keys of a dict are compared with ε

    def __repr__(self) -> str:
        return f"ln({self.odds})"
