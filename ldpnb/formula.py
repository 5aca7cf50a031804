"""Exact formulas in e^ε: fractions of integer polynomials that flow through a mechanism's own code in place of numbers.

With y ≥ 1 and e^ε = y^r, a `Formula` is a rational function of y, and of slack variables w ≥ 0 where coins are rounded.
It has no value: whoever asks for one (`float`, `int`, an index) gets a TypeError.  A comparison, ``==`` and the truth
of a formula included, has an answer if it is the same for *all* ε > 0 and all slacks, else it is an error, too.  While
a client runs, its text and hash are no answer either.  Each such question is written down in the field, so that code
which catches the error has asked all the same (`Field.refused`).  So code that runs to its end without a refusal, and
does with numbers what it does with formulas, has taken the same steps for every ε.  What escapes: code that asks for
types, and floats, whose sums and products are rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, cached_property, reduce
from itertools import pairwise
from math import ceil, comb, floor, gcd, lcm, nextafter, prod
from numbers import Rational
from operator import index
from typing import Any, NoReturn, TypeVar

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


NUMBERS = (int, float, Fraction)  # what stands where symbols do
SHAPES = {"ndim", "dtype", "shape"}  # attributes by which arrays are known, and no number is
CURE = "a proof for every ε needs coins from ldpnb.chance.odds(epsilon), not exp(ε), rounded by its round_down or "
CURE += "round_up, and its exact(p) for Fraction(p), inexact(p) for float(p)"


def _silent(kind: type) -> type:
    """Let a class refuse all that numbers can do and it does not define."""

    def refusing(name: str) -> Callable[..., Any]:
        return lambda self, *args: self.refuse(f"{name} of {self.what} depends on ε", CURE)

    own = {*vars(kind), *dir(object), "__getnewargs__", "__copy__", "__deepcopy__"}
    for name in {n for number in NUMBERS for n in dir(number) if n.startswith("__") and callable(getattr(number, n))}:
        if name not in own:
            setattr(kind, name, refusing(name.strip("_")))
    return kind


def _sides(rule: Callable[[Formula, Formula], T]) -> tuple[Callable[[Any, Any], T], Callable[[Any, Any], T]]:
    """Make an operator for formulas and numbers, and the one with sides swapped; arrays go on, element by element."""

    def left(self: Formula, other: Any) -> T:
        return NotImplemented if getattr(other, "ndim", 0) else rule(self, self.field.formula(other))

    def right(self: Formula, other: Any) -> T:
        return NotImplemented if getattr(other, "ndim", 0) else rule(self.field.formula(other), self)

    return left, right


class Symbol:
    """What a client gets in place of a number: whatever it asks that has no answer for all ε, it has asked."""

    __slots__ = ()
    what, hint = "a symbol", ""
    _field: Any

    def text(self) -> str:
        """Write it in e^ε."""
        raise NotImplementedError

    def refuse(self, question: str, hint: str | None = None) -> NoReturn:
        """Raise a TypeError that stays."""
        hint = self.hint if hint is None else hint
        field: Field = self._field
        field.refuse(TypeError(f"{question}; {hint}" if hint else question))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name not in SHAPES:
            self.refuse(f"the attribute {name} of {self.what} depends on ε", CURE)
        raise AttributeError(f"{self.what} has no attribute {name}")

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __repr__(self) -> str:
        if self._field.running:
            self.refuse(f"the text of {self.what} depends on ε")
        return self.text()

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        return format(str(self), how)


@_silent
class Formula(Symbol):
    """A fraction of polynomials; in y alone it is kept in lowest terms."""

    what = "a formula in e^ε"

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
        self.field = self._field = field
        self._hash: int | None = None

    def _plus(self, o: Formula) -> Formula:
        if self.den == o.den:
            return Formula(plus(self.num, o.num), self.den, self.field)
        return Formula(plus(times(self.num, o.den), times(o.num, self.den)), times(self.den, o.den), self.field)

    def _below(self, o: Formula) -> bool:
        if (found := self.below(o)) is None:
            self.refuse(f"how {self.text()} compares with {o.text()} depends on ε{' or k' if self.field.least else ''}")
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
        if self.field.running:
            self.refuse("the hash of a formula depends on ε")
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

    @property
    def number(self) -> Fraction:
        """The value of a formula without variables."""
        return Fraction(self.num.get(0, 0), self.den[0])

    def text(self) -> str:
        """Write the formula in e^ε."""
        top, bottom = (self.field.text(p) for p in (self.num, self.den))
        over = bottom if bottom.isdigit() else f"({bottom})"
        return top if bottom == "1" else f"({top})/{over}" if " " in top else f"{top}/{over}"


class Field:
    """Formulas in y, e^ε = y^roots.  Coins are "ideal", or "rounded": whatever rounding may do; or "free": whatever.

    `epsilon` is the symbolic ε, `e` its e^ε.
    `late` is whether an answer was given that is known for ε ≥ 1e-6 only, `floats` whether a formula met a float,
    `nearest` whether a part of ε was taken that a float would round, up or down.
    `running` is whether a client's code runs, and `refused` the first error that it would not see with numbers.
    With `exp` all formulas are numbers, of which a client can ask no more than of formulas: `at` a number for ε.
    Where it is `plain`, for moments, numbers stand for the fractions of small numbers that they are the rounding of.
    """

    def __init__(
        self, roots: int = 1, coins: str = "ideal", plain: bool = False, *, exp: Callable[[Any], Any] | None = None
    ) -> None:
        self.roots, self.coins, self.plain, self.slacks = roots, coins, plain, 0
        self.late = self.floats = self.nearest = self.running = False
        self.refused: Exception | None = None
        self.exp = exp
        self.least: int | None = None  # size from which on domains are: k = w1 + least
        self.rounded: dict[tuple[Formula, bool], Formula] = {}
        self.e = Formula({roots: 1}, {0: 1}, self)
        self.epsilon = Budget(self.e)
        self._w1 = self.slack() if coins == "rounded" else self.e

    def refuse(self, error: Exception) -> NoReturn:
        """Raise an error that a client with numbers would not see, and write it down."""
        self.refused = self.refused or error
        raise error

    def heard(self) -> None:
        """Raise what was refused, in case that somebody has caught it."""
        if self.refused:
            raise self.refused

    @contextmanager
    def run(self, running: bool = True) -> Iterator[None]:
        """While a client runs, not even the text and the hash of a formula are told; or while it does not."""
        before, self.running = self.running, running
        try:
            yield
        finally:
            self.running = before

    def formula(self, x: Any) -> Formula:
        """Return a number as a formula: an int, float or Fraction, numpy's too, exactly; anything else is refused."""
        if isinstance(x, Formula):
            return x
        try:
            q = simple(Fraction(x)) if self.plain else Fraction(x)
        except (OverflowError, ValueError) as error:  # of what is no number, or not finite
            self.refuse(TypeError(f"a formula in e^ε cannot meet {x!r:.40}: {error}"))
        self.floats |= not isinstance(x, Rational)  # with a number in place of the formula, it would be rounded
        return Formula(collect([(0, int(q.numerator))]), {0: int(q.denominator)}, self)

    def slack(self) -> Formula:
        """One more variable that may be any number, at least 0."""
        self.slacks += 1
        return Formula({1 << (WIDTH * self.slacks): 1}, {0: 1}, self)

    def at(self, epsilon: float) -> Budget:
        """Return a number in the form of a symbolic ε."""
        assert self.exp
        return Budget(self.formula(self.exp(Fraction(epsilon))), epsilon, isinstance(epsilon, Fraction))

    def below(self, p: Formula) -> Formula:
        """Return `odds` of the logarithm of p ≥ 1: p, or with rounded coins any number from p − TINY (p − 1) to p."""
        return (p + self._w1 * (p - (p - 1) * TINY)) / (1 + self._w1) if self.coins == "rounded" else p

    def round(self, p: Formula, down: bool) -> Formula:
        """Round p, always to the same number, so that the same p has the same slack."""
        if self.exp:
            return self.formula(Fraction((floor if down else ceil)(p.number * 2**53), 2**53))
        with self.run(False):
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
        """Write a polynomial in e^ε, highest power first; in k where domains are of any size from `least` on."""
        if self.least:  # w1 = k − least
            bits = WIDTH, Y << WIDTH
            p = collect(
                ((m & ~bits[1]) | j << bits[0], c * comb(n, j) * (-self.least) ** (n - j))
                for m, c in p.items()
                for n in [(m & bits[1]) >> bits[0]]
                for j in range(n + 1)
            )

        def factor(i: int, n: int) -> str:
            if i:
                return ("k" if self.least and i == 1 else f"w{i}") + (f"^{n}" if n > 1 else "")
            part = Fraction(n, self.roots)
            times = "" if part.numerator == 1 else str(part.numerator)
            over = "" if part.denominator == 1 else f"/{part.denominator}"
            return f"e^({times}ε{over})" if times or over else "e^ε"

        parts = []
        for m, c in sorted(p.items(), reverse=True):
            body = "·".join(factor(i, n) for i, n in exponents(m))
            parts.append(f"{'-' if c < 0 else '+'} " + (body if abs(c) == 1 and body else f"{abs(c)}{body}"))
        return " ".join(parts).removeprefix("+ ") or "0"


def _without(p: Formula, bits: int) -> Formula:
    """Put 0 in place of the variables that have these bits in a monomial."""
    num, den = ({m: c for m, c in q.items() if not m & bits} for q in (p.num, p.den))
    return Formula(num, den, p.field)


@_silent
class Budget(Symbol):
    """A symbolic ε: the logarithm of a formula, of e^ε to begin with.  Parts of it are budgets, too."""

    __slots__ = ("exactly", "number", "odds")
    what, hint = "ε", "ε is a symbol here: a client may take a part of it, and its odds, and do nothing else with it"

    def __init__(self, odds: Formula, number: Any = 0, exactly: bool = False) -> None:
        self.odds, self.number, self.exactly = odds, number, exactly

    def fraction(self) -> Budget:
        """Return ε as a Fraction would be, of which parts are not rounded."""
        return Budget(self.odds, self.number and Fraction(self.number), True)

    @property
    def _field(self) -> Field:
        return self.odds.field

    def part(self, parts: int) -> Budget:
        """Return the part of which so many are ε, or a little less: `chance.share`."""
        p = self.odds
        if parts < 1:
            raise ValueError(f"parts must be a whole number, at least 1, got {parts}")
        if self.number:
            part = self.number / parts
            return self._field.at(part if Fraction(part) * parts <= self.number else nextafter(part, 0))
        if p.den != {0: 1} or [*p.num.values()] != [1] or max(p.num) > Y or max(p.num) % parts:
            self._field.refuse(Root(parts))
        return Budget(Formula({max(p.num) // parts: 1}, {0: 1}, p.field), exactly=self.exactly)

    def __truediv__(self, parts: int) -> Budget:
        return self.part(self._times(parts))

    def __mul__(self, n: int) -> Budget:
        n = self._times(n)
        return self._field.at(self.number * n) if self.number else Budget(self.odds**n, exactly=self.exactly)

    __rmul__ = __mul__

    def _times(self, n: Any) -> int:
        """Return a whole number; a float is rounded when it is multiplied by it or divided, but for powers of two."""
        try:
            number = index(n)
        except TypeError:
            self.refuse(f"ε can be divided by whole numbers only, got {type(n).__name__}")
        self._field.nearest |= bool(number & (number - 1)) and not self.exactly
        return number

    def _other(self, other: object) -> Formula:
        if not isinstance(other, Budget):
            self.refuse(f"how ε compares with a {type(other).__name__} depends on ε")
        return other.odds

    def __eq__(self, other: object) -> bool:
        return self.odds.same(self._other(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Budget) -> bool:
        return self.odds < self._other(other)

    def __le__(self, other: Budget) -> bool:
        return self.odds <= self._other(other)

    def __gt__(self, other: Budget) -> bool:
        return self.odds > self._other(other)

    def __ge__(self, other: Budget) -> bool:
        return self.odds >= self._other(other)

    def __bool__(self) -> bool:
        return True  # like every ε that is not 0

    def __hash__(self) -> int:
        return self.refuse("the hash of ε depends on ε")  # not even the keys of a dict are compared with ε

    def text(self) -> str:
        """Write ε as a logarithm."""
        return f"ln({self.odds.text()})"
