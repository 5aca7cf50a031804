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
from functools import reduce, wraps
from itertools import pairwise
from math import gcd
from operator import index
from typing import Any, TypeVar

WIDTH = 20  # bits of an exponent: a monomial is one integer, y's exponent lowest, and monomials multiply by adding
Y = (1 << WIDTH) - 1
START = (1, 1), (2**24 + 1, 2**24)  # y from 1 on; failing that, from a number below e^(ε/r) for ε = 1e-6 and r <= 16

NEAR, TINY = Fraction(1, 2**30), Fraction(1, 2**40)  # a coin moves by less than the first, e^ε by less than the second
PRIME = 2**61 - 1
SMALL, NOISE = 4096, Fraction(1, 2**49)  # fractions of such numbers are further than 2**-24 from each other
T = TypeVar("T")
Poly = dict[int, int]  # monomial -> coefficient, none of them zero


class Root(ValueError):
    """A formula has no root of this order in y: take e^ε = y^(r · order)."""

    def __init__(self, order: int) -> None:
        super().__init__(f"no root of order {order}")
        self.order = order


def collect(terms: Iterable[tuple[int, int]]) -> Poly:
    """Add up monomials with coefficients."""
    out: Poly = {}
    for m, c in terms:
        out[m] = out.get(m, 0) + c
    return {m: c for m, c in out.items() if c}


def plus(p: Poly, q: Poly, times: int = 1) -> Poly:
    """Add a multiple of q to p."""
    return collect((*p.items(), *((m, times * c) for m, c in q.items())))


def times(p: Poly, q: Poly) -> Poly:
    """Multiply two polynomials."""
    return collect([(a + b, c * d) for a, c in p.items() for b, d in q.items()])


def power(p: Poly, n: int) -> Poly:
    """Raise a polynomial to a power."""
    return reduce(times, [p] * n, {0: 1})


def dense(p: Poly) -> list[int]:
    """Coefficients of a polynomial in y alone, lowest first."""
    out = [0] * (max(p, default=-1) + 1)
    for m, c in p.items():
        out[m] = c
    return out


def sparse(row: list[int]) -> Poly:
    """Write a polynomial in y alone by its exponents."""
    return {m: c for m, c in enumerate(row) if c}


def _primitive(a: list[int]) -> list[int]:
    while a and not a[-1]:
        a.pop()
    g = gcd(*a) or 1
    return [c // g for c in a] if not a or a[-1] > 0 else [-c // g for c in a]


def _remainder(a: list[int], b: list[int]) -> list[int]:
    """Return a positive multiple of the remainder of a by b."""
    a = list(a)
    while len(a) >= len(b):
        f, lead, shift = a[-1], b[-1], len(a) - len(b)
        g = gcd(f, lead)
        f, lead = (f // g, lead // g) if lead > 0 else (-f // g, -lead // g)
        a = [lead * c for c in a]
        for i, c in enumerate(b):
            a[shift + i] -= f * c
        while a and not a[-1]:
            a.pop()
    return a


def common(a: list[int], b: list[int]) -> list[int]:
    """Greatest common divisor of two polynomials in y alone, primitive."""
    a, b = _primitive(list(a)), _primitive(list(b))
    while b:
        a, b = b, _primitive(_remainder(a, b))
    return a


def _quotient(a: list[int], b: list[int]) -> list[int]:
    a, out = list(a), [0] * (len(a) - len(b) + 1)
    for i in reversed(range(len(out))):
        out[i] = a[i + len(b) - 1] // b[-1]
        for j, c in enumerate(b):
            a[i + j] -= out[i] * c
    assert not any(a)
    return out


def shifted(p: Poly, a: int = 1, b: int = 1) -> dict[int, list[int]]:
    """Coefficients in u = b y − a, for each monomial of slacks; but for a positive factor each."""
    rows: dict[int, list[int]] = {}
    for m, c in p.items():
        row = rows.setdefault(m >> WIDTH, [])
        row.extend([0] * ((m & Y) + 1 - len(row)))
        row[m & Y] += c
    for row in rows.values():
        for i in range(len(row)):
            row[i] *= b ** (len(row) - 1 - i)
        for i in range(len(row)):
            for j in reversed(range(i, len(row) - 1)):
                row[j] += a * row[j + 1]
    return rows


def sign(p: Poly) -> tuple[int | None, str]:
    """Find s with s·p ≥ 0 for all slacks ≥ 0 and all ε > 0 (or ε ≥ 1e-6), and say how it was shown.

    By coefficients, or by Sturm's theorem where there are no slacks; s is None if neither shows it.  Where all slacks
    are 0 and p does not vanish, s·p is positive.
    """
    for start in START:
        rows = shifted(p, *start)
        found = {(c > 0) - (c < 0) for row in rows.values() for c in row} - {0}
        if len(found) < 2:
            why = "identity" if not found else "coefficients" if start == (1, 1) else "coefficients from 1e-6"
            return (found.pop() if found else 0), why
        if set(rows) == {0} and not _roots(rows[0]):
            return (1 if rows[0][-1] > 0 else -1), "Sturm" if start == (1, 1) else "Sturm from 1e-6"
    return None, "not shown"


def _roots(row: list[int]) -> int:
    """How many different roots a polynomial has beyond 0, by Sturm's theorem."""
    row = _primitive(list(row))
    while not row[0]:
        row = row[1:]
    chain = [row, [i * c for i, c in enumerate(row)][1:]]
    while chain[-1]:
        chain.append([-c for c in _remainder(chain[-2], chain[-1])])

    def changes(signs: Iterable[int]) -> int:
        kept = [s for s in signs if s]
        return sum(a * b < 0 for a, b in pairwise(kept))

    return changes(c[0] for c in chain[:-1]) - changes(c[-1] for c in chain[:-1])


def merged(p: Poly) -> Poly:
    """Put one slack in place of all."""
    return collect((m & Y | _degree(m >> WIDTH) << WIDTH, c) for m, c in p.items())


def value(p: Poly, y: Fraction, slack: Fraction) -> Fraction:
    """Value at one y; all slacks are the same."""
    return sum((c * y ** (m & Y) * slack ** (m >> WIDTH) for m, c in merged(p).items()), Fraction(0))


def _residue(m: int) -> int:
    """Value of a monomial modulo a prime, every variable having another one: for hashes."""
    found, variable = 1, 3**37
    while m:
        found, variable, m = found * pow(variable, m & Y, PRIME) % PRIME, variable * variable % PRIME, m >> WIDTH
    return found


def simple(q: Fraction) -> Fraction:
    """Return the fraction of small numbers that a number is the rounding of, or the number itself."""
    near = q.limit_denominator(SMALL)
    return near if abs(near - q) <= NOISE * max(Fraction(1), abs(q)) else q


def _degree(m: int) -> int:
    return 0 if not m else (m & Y) + _degree(m >> WIDTH)


def _lifted(method: Callable[[Any, Formula], T]) -> Callable[[Any, Any], T]:
    """Make a formula of the other number; numpy's arrays go on, element by element."""

    @wraps(method)
    def found(self: Formula, other: Any) -> T:
        return NotImplemented if getattr(other, "ndim", 0) else method(self, self._lift(other))

    return found


class Formula:
    """A fraction of polynomials; in y alone it is kept in lowest terms."""

    __slots__ = ("_coin", "_hash", "den", "field", "num")

    def __init__(self, num: Poly, den: Poly, field: Field) -> None:
        if not den:
            raise ZeroDivisionError("a formula with denominator zero")
        if num and max(den) > 0 and all(m <= Y for m in (*num, *den)):
            a, b = dense(num), dense(den)
            if len(g := common(a, b)) > 1:
                num, den = (sparse(_quotient(x, g)) for x in (a, b))
        unit = gcd(*num.values(), *den.values()) * (1 if den[max(den)] > 0 else -1)
        self.num, self.den = ({m: c // unit for m, c in p.items()} for p in (num, den))
        if not num:
            self.den = {0: 1}
        self.field = field
        self._coin: tuple[Formula, Formula] | None = None
        self._hash: int | None = None

    def _lift(self, other: Any) -> Formula:
        if isinstance(other, Formula):
            return other
        q = Fraction(other)  # ints, floats, Fractions, numpy's: exactly; anything else is refused
        if self.field.plain:
            q = simple(q)
        elif isinstance(other, float):
            self.field.floats = True  # with a number in place of the formula, the result would be rounded
        return Formula({0: int(q.numerator)} if q else {}, {0: int(q.denominator)}, self.field)

    @_lifted
    def __add__(self, o: Formula) -> Formula:
        if self.den == o.den:
            return Formula(plus(self.num, o.num), self.den, self.field)
        return Formula(plus(times(self.num, o.den), times(o.num, self.den)), times(self.den, o.den), self.field)

    @_lifted
    def __mul__(self, o: Formula) -> Formula:
        return Formula(times(self.num, o.num), times(self.den, o.den), self.field)

    @_lifted
    def __truediv__(self, o: Formula) -> Formula:
        return Formula(times(self.num, o.den), times(self.den, o.num), self.field)

    def __neg__(self) -> Formula:
        return self * -1

    @_lifted
    def __sub__(self, o: Formula) -> Formula:
        return self + -o

    @_lifted
    def __rsub__(self, o: Formula) -> Formula:
        return o - self

    @_lifted
    def __rtruediv__(self, o: Formula) -> Formula:
        return o / self

    def __pow__(self, n: int) -> Formula:
        base = self if n >= 0 else 1 / self
        return Formula(power(base.num, abs(n)), power(base.den, abs(n)), self.field)

    __radd__, __rmul__ = __add__, __mul__

    def same(self, other: Any) -> bool:
        """Whether two formulas are equal for all ε and all slacks; nothing is wrong with those that are at times."""
        o = self._lift(other)
        return self is o or times(self.num, o.den) == times(o.num, self.den)

    def _order(self, other: Formula, weak: int = 0) -> int:
        """1 if self > other for all ε (see `Field.late`) and slacks, −1 if self < other, 0 if equal; else a TypeError.

        The order named by `weak` may be ≥ or ≤.
        """
        gap = self - other
        (top, why), (bottom, also) = sign(gap.num), sign(gap.den)
        self.field.late |= "1e-6" in why + also
        strict = min(gap.num, default=0) <= Y >= min(gap.den)
        if top is None or not bottom or (top and not strict and top * bottom != weak):
            raise TypeError(f"how {self} compares with {other} depends on ε")
        return top * bottom

    def __bool__(self) -> bool:
        return self != 0

    def __eq__(self, other: object) -> bool:
        try:
            o = self._lift(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self.same(o) or self._order(o) == 0

    def __hash__(self) -> int:
        if self._hash is None:
            top, bottom = (sum(c * _residue(m) for m, c in p.items()) for p in (self.num, self.den))
            self._hash = top * pow(bottom, -1, PRIME) % PRIME
        return self._hash

    def at(self, y: Any, slack: Any = 3) -> Fraction:
        """Value at one y; all slacks are the same."""
        y, slack = Fraction(y), Fraction(slack)
        return value(self.num, y, slack) / value(self.den, y, slack)

    @_lifted
    def __lt__(self, o: Formula) -> bool:
        return self._order(o, weak=1) < 0

    @_lifted
    def __gt__(self, o: Formula) -> bool:
        return self._order(o, weak=-1) > 0

    @_lifted
    def __le__(self, o: Formula) -> bool:
        return self._order(o, weak=-1) <= 0

    @_lifted
    def __ge__(self, o: Formula) -> bool:
        return self._order(o, weak=1) >= 0

    @property
    def coin(self) -> tuple[Formula, Formula]:
        """(p, 1 − p), the weights of a toss."""
        if self._coin is None:
            self._coin = self, 1 - self
        return self._coin

    def __str__(self) -> str:
        top, bottom = (self.field.text(p) for p in (self.num, self.den))
        return top if bottom == "1" else f"({top})/({bottom})"

    __repr__ = __str__


class Field:
    """Formulas in y, e^ε = y^roots.  Coins are "ideal", or "rounded": whatever rounding may do; or "free": whatever.

    `late` is whether an answer was given that is known for ε ≥ 1e-6 only, `floats` whether a formula met a float.
    Where it is `plain`, for moments, numbers stand for the fractions of small numbers that they are the rounding of.
    """

    def __init__(self, roots: int = 1, coins: str = "ideal", plain: bool = False) -> None:
        self.roots, self.coins, self.plain, self.slacks = roots, coins, plain, 0
        self.late = self.floats = False
        self._seen: dict[tuple[Formula, bool], Formula] = {}
        self.rounded: set[Formula] = set()
        self.e = Formula({roots: 1}, {0: 1}, self)
        self._w0 = self.slack() if coins == "rounded" else self.e * 0

    @property
    def epsilon(self) -> Budget:
        """The symbolic ε."""
        return Budget(self.e)

    def slack(self) -> Formula:
        """One more variable that may be any number, at least 0."""
        self.slacks += 1
        return Formula({1 << (WIDTH * self.slacks): 1}, {0: 1}, self)

    def below(self, p: Formula) -> Formula:
        """Return `odds` of the logarithm of p ≥ 1: p, or with rounded coins any number from p − TINY (p − 1) to p."""
        return (p + self._w0 * (p - (p - 1) * TINY)) / (1 + self._w0) if self.coins == "rounded" else p

    def round(self, p: Formula, down: bool) -> Formula:
        """Round p: to a number between p and what it is at ε = 0 if that is the way, else between p and 0, 1 or ∞.

        That `odds` is a little below e^ε is covered by that, if it moves p the same way, and forgotten.
        One formula is rounded to one number, so that the same p has the same slack.
        """
        if self.coins == "ideal" or p in self.rounded:
            return p
        if (p, down) not in self._seen and self.coins == "free":
            self._seen[p, down] = 1 / (1 + self.slack())
        if (p, down) not in self._seen:
            best = _drop(p, lambda m: m >> WIDTH & Y) if self.coins == "rounded" else p
            blind = Formula(_at_one(best.num), _at_one(best.den), self)
            ideal, start = (_drop(x, lambda m: m >> WIDTH) for x in (best, blind))
            try:  # far enough from ε = 0 for rounding not to go past it
                low, high, gap = (blind, best, ideal - start) if down else (best, blind, start - ideal)
                toward = low <= p <= high and gap > NEAR
            except TypeError:
                toward = False
            try:
                bounded = toward or down or p <= 1
            except TypeError:
                bounded = False
            w, worst = self.slack(), blind if toward else 0 if down else 1
            self._seen[p, down] = ((best if toward else p) + w * worst) / (1 + w if bounded else 1)
        self.rounded.add(self._seen[p, down])
        return self._seen[p, down]

    def text(self, p: Poly) -> str:
        """Write a polynomial in x = e^ε, or in y where roots are taken, highest power first."""
        name = {1: "x", 2: "√x"}.get(self.roots, f"x^(1/{self.roots})")

        def monomial(m: int) -> str:
            found, i = [], 0
            while m:
                n, letter = m & Y, f"w{i}" if i else name
                if not i and n and n % self.roots == 0:
                    n, letter = n // self.roots, "x"
                if n:
                    found.append(letter if n == 1 else f"{letter}^{n}" if len(letter) < 3 else f"({letter})^{n}")
                m, i = m >> WIDTH, i + 1
            return "·".join(found)

        parts = []
        for m, c in sorted(p.items(), reverse=True):
            body = monomial(m)
            parts.append(f"{'-' if c < 0 else '+'} " + (body if abs(c) == 1 and body else f"{abs(c)}{body}"))
        return " ".join(parts).removeprefix("+ ") or "0"


def _drop(p: Formula, has: Callable[[int], int]) -> Formula:
    num, den = ({m: c for m, c in q.items() if not has(m)} for q in (p.num, p.den))
    return Formula(num, den, p.field)


def _at_one(p: Poly) -> Poly:
    return collect((m >> WIDTH << WIDTH, c) for m, c in p.items())


class Budget:
    """A symbolic ε: the logarithm of a formula, of e^ε to begin with.  Parts of it are budgets, too."""

    __slots__ = ("odds",)

    def __init__(self, odds: Formula) -> None:
        self.odds = odds

    def __truediv__(self, parts: int) -> Budget:
        p, parts = self.odds, index(parts)
        if parts < 1:
            raise ValueError(f"parts must be a whole number, at least 1, got {parts}")
        if p.den != {0: 1} or list(p.num.values()) != [1] or next(iter(p.num)) % parts:
            raise Root(parts)
        return Budget(Formula({next(iter(p.num)) // parts: 1}, {0: 1}, p.field))

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
