"""Exact formulas in e^ε that flow through a mechanism's own code in place of numbers.

With y ≥ 1 and e^ε = y^r, a `Formula` is a fraction of polynomials in y, and in slack variables w ≥ 0 where coins are
rounded or where a domain has any number of items.  It has no value: `float`, `int`, its text, its hash and all of its
attributes are refused while a client runs.  A comparison, the truth of a formula and a division by it are answered if
the answer is the same for *all* ε > 0 and all w ≥ 0.  If it is not, that is refused as well.

Each refusal is a TypeError, and the field writes it down (`Field.refused`): code that catches the error has asked all
the same.  So code that runs to its end without a refusal, and does with numbers what it does with formulas, has taken
the same steps for every ε.  What nobody writes down are questions about types, and private attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, reduce, wraps
from itertools import pairwise
from math import comb, gcd, lcm, prod
from numbers import Integral, Rational, Real
from operator import eq, ge, gt, index, le, lt, or_
from typing import Any, ClassVar, NoReturn, TypeVar

import numpy as np

WIDTH = 20  # bits of an exponent: a monomial is one integer, y's exponent lowest, and monomials multiply by adding
Y = (1 << WIDTH) - 1
SLACKS, W1 = ~Y, Y << WIDTH  # bits of all slacks' exponents, and of the first one's
VARIABLES = 1024  # at most, with y
HALF = 1 << (WIDTH - 1)  # no exponent is so large, so that the sum of two of them is none of its neighbour's business
TOO_LARGE = sum(HALF << WIDTH * i for i in range(VARIABLES))
POWER_MAX = 1024  # of a formula
START = Fraction(1), 1 + Fraction(1, 2**24)  # of y; failing the first, a number below e^(ε/r) for ε = 1e-6 and r <= 16
NEAR, TINY = Fraction(1, 2**30), Fraction(1, 2**40)  # a coin moves by less than the first, e^ε by less than the second
MULTIPLES = 16  # of a rounded coin: the chance of several alike
SMALL, NOISE = 4096, Fraction(1, 2**49)  # fractions of such numbers are further than 2**-24 from each other
T = TypeVar("T")
Poly = dict[int, Any]  # monomial -> coefficient, none of them zero; whole numbers but on the way to them


class Root(ValueError):
    """A formula has no root of this order in y: take e^ε = y^(r · order)."""

    def __init__(self, order: int) -> None:
        super().__init__(f"no root of order {order}")
        self.order = order


# ------------------------------------------------------------------------------------------------- polynomials


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
        for row in _rows(q, bits, place).values():
            (shared,) = whole(common(shared, row))
            if not max(shared):
                break
        else:
            found.append({m << place: c for m, c in shared.items()})
            q = _rows_divided(q, shared, bits, place)
    return [*found, q]


def _rows(p: Poly, bits: int, place: int) -> dict[int, Poly]:
    """Coefficients of the other variable's powers, as polynomials in the variable of these bits."""
    rows: dict[int, Poly] = {}
    for m, c in p.items():
        rows.setdefault(m & ~bits, {})[(m & bits) >> place] = c
    return rows


def _rows_divided(p: Poly, shared: Poly, bits: int, place: int) -> Poly:
    """Divide by a polynomial in one variable that is a divisor; so the quotient's coefficients are whole (Gauss)."""
    found: Poly = {}
    for rest, row in _rows(p, bits, place).items():
        quotient, _ = divided(row, shared)
        found |= {rest | m << place: c for m, c in quotient.items()}
    return found


def _plain(p: Poly) -> Poly:
    """Return a polynomial with plain numbers in it, whatever a client may have put in their place."""
    return {int(m): c if type(c) is Fraction else int(c) for m, c in p.items()}


def value(p: Poly, number: Callable[[int], Any]) -> Fraction:
    """Value of a polynomial; `number` says of each variable what it is."""
    return sum((c * prod(number(i) ** n for i, n in exponents(m)) for m, c in p.items()), Fraction(0))


def simple(q: Fraction) -> Fraction:
    """Return the fraction of small numbers that a number is the rounding of, or the number itself.

    Where that fraction is a float, another float is not a rounding of it.
    """
    near = q.limit_denominator(SMALL)
    if not near or near.denominator.bit_count() == 1:
        return q
    return near if abs(near - q) <= NOISE * max(Fraction(1), abs(q)) else q


# ----------------------------------------------------------------------------------------------------- symbols

EXACT, GRID, LOOSE = range(3)  # a fraction; a float that is a coin; a float that arithmetic has rounded
NUMBERS = (int, float, Fraction)  # what stands where symbols do
PLAIN = {*NUMBERS, bool, *(np.dtype(letter).type for letter in "bBhHiIlLqQefd")}  # numbers that say what they are
BRIEF = 200  # letters of a formula in an error
SHAPES = {"ndim", "dtype", "shape", "size"}  # attributes by which arrays are known, and no number is
STEPS = {"floor", "ceil", "trunc", "round", "int", "index", "floordiv", "rfloordiv", "mod", "rmod", "divmod", "rdivmod"}
STEPS |= {"add", "radd", "sub", "rsub", "neg", "pos", "abs"}
COMPARED = "let no step depend on ε, and leave out checks of coins, also min, max and clip: toss refuses what is no "
COMPARED += "probability"
CURE = "a proof for every ε needs coins from ldpnb.chance.odds(epsilon), not exp(ε), rounded by its round_down or "
CURE += "round_up, and its exact(p) for Fraction(p), inexact(p) for float(p)"


class Symbol:
    """What a client gets in place of a number: whatever it asks that has no answer for all ε, it has asked.

    Public names answer the package alone, and no client while it runs.
    """

    __slots__ = ()
    _what, _hint = "a symbol", ""
    _public: ClassVar[tuple[str, ...]] = ()
    _field: Any

    def _text(self) -> str:
        raise NotImplementedError

    def _refuse(self, question: str, hint: str | None = None) -> NoReturn:
        """Raise a TypeError that the field remembers."""
        hint = self._hint if hint is None else hint
        field: Field = self._field
        field.refuse(TypeError(f"{question}; {hint}" if hint else question))

    def __getattr__(self, name: str) -> Any:
        if name in self._public and not self._field.running:
            return getattr(self, f"_{name}")
        if not name.startswith("_") and name not in SHAPES:
            self._refuse(f"the attribute {name} of {self._what} depends on ε", COMPARED if name == "clip" else CURE)
        raise AttributeError(f"{self._what} has no attribute {name}")

    def _after_runs(self, question: str) -> None:
        """Refuse a question of a client that runs; others may ask it."""
        if self._field.running:
            cure = "keep no cache by it" if question == "the hash" else "leave logs and messages out of a client"
            self._refuse(f"{question} of {self._what} depends on ε", cure)

    def __dir__(self) -> Iterable[str]:
        self._after_runs("the list of attributes")
        return [*super().__dir__(), *self._public]

    def __getstate__(self) -> Any:
        self._after_runs("the state")
        return super().__getstate__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._after_runs("the pickle")
        return super().__reduce_ex__(protocol)

    def __sizeof__(self) -> int:
        self._after_runs("the size")
        return super().__sizeof__()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __repr__(self) -> str:
        self._after_runs("the text")
        return self._text()

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        return format(str(self), how)


def _a(name: str) -> str:
    """Put the article before a name."""
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def _refusing(kind: type) -> type:
    """Let a class refuse all that numbers can do and it does not define."""

    def refusal(name: str) -> Callable[..., Any]:
        asks_size = name in STEPS  # not how to compute a coin
        more = f"{CURE}; an array takes a formula if its dtype is object" if name == "float" else CURE
        return lambda self, *_: self._refuse(f"{name} of {self._what} depends on ε", self._hint if asks_size else more)

    answered = {*vars(kind), *vars(Symbol), *dir(object), "__getnewargs__"}
    for number in NUMBERS:
        for name in dir(number):
            special = name.startswith("__") and callable(getattr(number, name))
            if special and name not in answered:
                setattr(kind, name, refusal(name.strip("_")))
    return kind


def _bounded(rule: Callable[..., T]) -> Callable[..., T]:
    """Let a rule of formulas refuse exponents that are too large: numbers would have an answer."""

    @wraps(rule)
    def bounded(p: Formula, *others: Any) -> T:
        try:
            return rule(p, *others)
        except OverflowError as error:
            p._field.refuse(TypeError(str(error)))

    return bounded


def _sides(rule: Callable[[Formula, Formula], T]) -> tuple[Callable[[Any, Any], T], Callable[[Any, Any], T]]:
    """Make an operator for formulas and numbers, and the one with sides swapped; arrays go on, element by element."""
    rule = _bounded(rule)

    def left(self: Formula, other: Any) -> T:
        return rule(self, self._field.formula(other)) if self._meets(other) else NotImplemented

    def right(self: Formula, other: Any) -> T:
        return rule(self._field.formula(other), self) if self._meets(other) else NotImplemented

    return left, right


def _marked(
    sides: Any, exact: Callable[[Any, Any], bool]
) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Let what an operator returns inherit its sides' marks; `exact` says when a float that is a coin remains one."""

    def marked(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def apply(self: Formula, other: Any) -> Any:
            found = operator(self, other)
            if isinstance(found, Formula):
                found._inherit(self, other if isinstance(other, Formula) else self)
                a_float = isinstance(other, Real) and not isinstance(other, Rational)
                if a_float or (found._float and not exact(found, other)):
                    found._float, found._was_rounded = LOOSE, True
            return found

        return apply

    left, right = sides
    return marked(left), marked(right)


def _from_one(found: Formula, other: Any) -> bool:
    """Whether a difference is 1 − p, which is no rounded float."""
    return found._float == GRID and isinstance(other, Integral) and other == 1 and is_probability(found)


def _multiple(found: Formula, other: Any) -> bool:
    """Whether a multiple of a coin is a coin, and no rounded float."""
    return found._float == GRID and isinstance(other, Integral) and is_probability(found)


def _never(found: Formula, other: Any) -> bool:
    """Say that a float is rounded, whatever the other side is."""
    return False


@_refusing
class Formula(Symbol):
    """A fraction of polynomials; in y alone it is kept in lowest terms.

    Its public names, for the package and for readers of a `Proof`, are `same`, `below`, `at`, `coin`, `num`, `den`,
    `field` and `text`.
    """

    __slots__ = ("_asked", "_coins", "_den", "_field", "_float", "_hashed", "_num", "_was_rounded")
    _what = "a formula in e^ε"
    _public = ("at", "below", "coin", "den", "field", "num", "same", "text")

    def __init__(self, num: Poly, den: Poly, field: Field, a_float: int = 0) -> None:
        if hasattr(self, "_num"):
            raise TypeError("a formula is made once")
        if type(field) is not Field:
            raise TypeError("a formula is made by the package alone")
        num, den = _plain(num), _plain(den)
        if not den:
            raise ZeroDivisionError("a formula with denominator zero")
        if num and max(den) > 0 and max(*num, *den) <= Y:
            shared = common(num, den)
            if max(shared):
                num, den = divided(num, shared)[0], divided(den, shared)[0]
        turn = 1 if den[max(den)] > 0 else -1
        parts = [{m: turn * c for m, c in p.items()} for p in (num, den if num else {0: turn})]
        self._num, self._den = whole(*parts)
        self._field: Field = field
        self._float = a_float  # EXACT, GRID or LOOSE: what stands here where there are numbers
        self._asked = 0  # bits of the `odds` that it was made from
        self._was_rounded = a_float != EXACT  # whether it, or what it was made from, was rounded to a float
        self._hashed: int | None = None
        self._coins: tuple[Formula, Formula] | None = None

    def _fresh(self, a_float: int) -> Formula:
        """Return the same formula as another object, as a conversion of numbers would."""
        found = Formula(self._num, self._den, self._field, a_float)
        found._asked = self._asked
        found._was_rounded |= self._was_rounded
        return found

    def _inherit(self, one: Formula, other: Formula) -> None:
        """Take over the marks of what it was made from."""
        self._float = max(one._float, other._float)
        self._asked = one._asked | other._asked
        self._was_rounded = one._was_rounded or other._was_rounded

    def _meets(self, other: Any) -> bool:
        """Whether arithmetic with something is that of plain numbers.

        Refuse other symbols, complex numbers, Decimals, and numbers of classes with an arithmetic of their own.
        """
        kind = type(other)
        if kind is Formula or kind in PLAIN:
            return True
        if kind is not np.ndarray:  # which goes on with each of its elements
            what = other._what if issubclass(kind, Symbol) else _a(kind.__name__)
            self._refuse(f"{self._what} together with {what} depends on {self._field.unknown}", CURE)
        return False

    def _plus(self, o: Formula) -> Formula:
        if self._den == o._den:
            return Formula(plus(self._num, o._num), self._den, self._field)
        top = plus(times(self._num, o._den), times(o._num, self._den))
        return Formula(top, times(self._den, o._den), self._field)

    def _times(self, o: Formula) -> Formula:
        return Formula(times(self._num, o._num), times(self._den, o._den), self._field)

    def _over(self, o: Formula) -> Formula:
        if self._field.running and not self._field.server:
            self._field.divides(o)
        return Formula(times(self._num, o._den), times(self._den, o._num), self._field)

    def _less(self, o: Formula) -> bool:
        self._field.compared(self, o)
        if (found := self._below(o)) is None:
            self._refuse(f"how {self._brief()} compares with {o._brief()} depends on {self._field.unknown}")
        return found

    __add__, __radd__ = _marked(_sides(_plus), _never)
    __sub__, __rsub__ = _marked(_sides(lambda p, q: p._plus(q._negative())), _from_one)
    __mul__, __rmul__ = _marked(_sides(_times), _multiple)
    __truediv__, __rtruediv__ = _marked(_sides(_over), _never)
    __lt__, __gt__ = _sides(_less)
    __ge__, __le__ = _sides(lambda p, q: not p._less(q))

    def _negative(self) -> Formula:
        return Formula({m: -c for m, c in self._num.items()}, self._den, self._field)

    def __neg__(self) -> Formula:
        found: Formula = self * -1
        return found

    @_bounded
    def __pow__(self, n: int) -> Formula:
        if type(n) not in PLAIN or not isinstance(n, Integral) or abs(int(n)) > POWER_MAX:
            got = f"{n}" if type(n) in PLAIN else _a(type(n).__name__)
            self._refuse(f"powers of {self._what} must be whole numbers up to {POWER_MAX}, got {got:.40}")
        n = int(n)
        base: Formula = self if n >= 0 else 1 / self
        found = Formula(power(base._num, abs(n)), power(base._den, abs(n)), self._field)
        found._inherit(self, self)
        found._float = LOOSE if self._float else EXACT
        return found

    @_bounded
    def _same(self, other: Any) -> bool:
        """Whether two formulas are equal for all ε and all slacks; nothing is wrong with those that are at times."""
        o = self._field.formula(other)
        return (self._num, self._den) == (o._num, o._den) or times(self._num, o._den) == times(o._num, self._den)

    @_bounded
    def _below(self, other: Any) -> bool | None:
        """Whether self < other for all ε (see `Field.late`) and slacks; False if self ≥ other for all, else None."""
        gap = self._field.formula(other)._plus(self._negative())
        (top, late), (bottom, later) = sign(gap._num), sign(gap._den)
        self._field.late |= late or later
        if top is None or not bottom:
            return None
        if top * bottom <= 0:
            return False
        sure = [never_zero(gap._num), never_zero(gap._den)]
        self._field.late |= any(late for _, late in sure)
        return True if all(never for never, _ in sure) else None

    def __bool__(self) -> bool:
        return self != 0

    def __eq__(self, other: object) -> bool:
        if not self._meets(other):
            return NotImplemented
        o = self._field.formula(other)
        self._field.compared(self, o)
        return self._same(o) or not (self < o or self > o)

    def __hash__(self) -> int:
        self._after_runs("the hash")
        if self._hashed is None:
            top, bottom = (value(p, lambda i: (10**6 + i) ** 3) for p in (self._num, self._den))
            self._hashed = hash(top / bottom)
        return self._hashed

    def _at(self, y: Any, slack: Any = 3) -> Fraction:
        """Value at one y; all slacks are the same."""
        top, bottom = (value(p, lambda i: Fraction(slack if i else y)) for p in (self._num, self._den))
        return top / bottom

    @property
    def _coin(self) -> tuple[Formula, Formula]:
        """(p, 1 − p), the weights of a toss."""
        if self._coins is None:
            self._coins = self, 1 - self
        return self._coins

    def _brief(self) -> str:
        """Write the beginning of the formula, for an error."""
        text = self._text()
        return text if len(text) <= BRIEF else f"{text[:BRIEF]}…"

    def _text(self) -> str:
        """Write the formula in e^ε."""
        top, bottom = (self._field.text(p) for p in (self._num, self._den))
        over = bottom if bottom.isdigit() or bottom == "k" else f"({bottom})"
        return top if bottom == "1" else f"({top})/{over}" if " " in top else f"{top}/{over}"


class Field:
    """Formulas in y, e^ε = y^roots.  Coins are "ideal", or "rounded": whatever rounding may do; or "free": whatever.

    `epsilon` is the symbolic ε, `e` its e^ε.
    `late` is whether an answer was given that is known for ε ≥ 1e-6 only, `floats` whether a formula met a float,
    `nearest` whether a part of ε was taken that a float would round, up or down.
    `running` is whether a client's code runs, and `refused` the first thing that it asked without an answer.
    `compares` is whether it may compare formulas: where numbers take their place, some comparisons are decided by how
    numbers are rounded, so that only who gets formulas there as well is answered.
    `least` is the size from which on domains are, where they are of any size: k = `least` + the first slack.
    `point`, if any, are the numbers that stand for y and for the slacks when a coin is tossed, and only then.
    `source`, if any, is the one source of randomness that coins with formulas are tossed with.
    Where it is `plain`, for moments, numbers stand for the fractions of small numbers that they are the rounding of.
    """

    def __init__(self, roots: int = 1, coins: str = "ideal", plain: bool = False) -> None:
        self.roots, self.coins, self.plain, self.slacks = roots, coins, plain, 0
        self.late = self.floats = self.nearest = self.running = self.server = self.compares = False
        self.refused: Exception | None = None
        self.least: int | None = None
        self.wants: int | None = None  # what the refusal of a root, or of one more item, asks for
        self.point: tuple[Fraction, int] | None = None
        self.source: object = None
        self.rounded: dict[tuple[Formula, bool], Formula] = {}
        self._odds: dict[tuple[Formula, str], Formula] = {}  # by the part of ε that is asked, and how it was taken
        self._odds_bits = 0
        self.checked = list[tuple[Formula, float, float]]()  # e^ε of parts of ε, and the ranges they were checked for
        self._values: dict[int, tuple[Formula, Fraction]] = {}  # of formulas where numbers stand for y and slacks
        self._grid = 0, set[Formula]()  # of so many rounded formulas, what `coins_on_grid` found
        self._coins = set[Any]()  # formulas that may be tossed
        self.probabilities = dict[Any, bool]()  # whether formulas are such
        self.e = Formula({roots: 1}, {0: 1}, self)
        self.epsilon = Budget(self.e)

    @property
    def unknown(self) -> str:
        """What an answer may depend on, in words."""
        return "ε or k" if self.least else "ε"

    def refuse(self, error: Exception) -> NoReturn:
        """Raise an error that a client with numbers would not see, and write it down."""
        self.refused = error if self.refused is None else self.refused
        raise error

    def heard(self) -> None:
        """Raise what was refused, in case somebody has caught it."""
        if self.refused is not None:
            raise self.refused

    @contextmanager
    def run(self, running: bool = True, server: bool = False) -> Iterator[None]:
        """While a client runs, formulas answer no question; a server may compare them, and divide by them."""
        before = self.running, self.server
        self.running, self.server = running, server
        try:
            yield
        finally:
            self.running, self.server = before

    def formula(self, x: Any) -> Formula:
        """Return a number as a formula: an int, float or Fraction, numpy's too, exactly; anything else is refused."""
        if type(x) is Formula:
            if x._field is not self:
                self.refuse(TypeError("formulas of two proofs cannot meet: what they stand for differs"))
            return x
        if type(x) not in PLAIN:
            self.refuse(TypeError(f"a formula in e^ε cannot meet {_a(type(x).__name__)}"))
        try:
            if isinstance(x, Rational):
                q = Fraction(x)
            else:
                q = simple(Fraction(float(x))) if self.plain else Fraction(float(x))
        except (OverflowError, ValueError) as error:  # of what is not finite
            self.refuse(TypeError(f"a formula in e^ε cannot meet {x!r:.40}: {error}"))
        self.floats |= not isinstance(x, Rational)  # with a number in place of the formula, it would be rounded
        return Formula(collect([(0, int(q.numerator))]), {0: int(q.denominator)}, self)

    def slack(self) -> Formula:
        """One more variable that may be any number, at least 0."""
        self.slacks += 1
        if self.slacks >= VARIABLES:
            self.refuse(TypeError(f"a proof must do with {VARIABLES} different coins"))
        return Formula({1 << (WIDTH * self.slacks): 1}, {0: 1}, self)

    def drawn_from(self, source: object) -> None:
        """Refuse coins with formulas from another source of randomness: it would answer what they are."""
        if self.source is not None and source is not self.source:
            self.refuse(TypeError("coins must be tossed with the rng that the client is handed, and got another one"))

    def number(self, p: Formula) -> Fraction:
        """Value of a formula where a coin is tossed with numbers, at the `point`."""
        assert self.point
        if id(p) not in self._values:
            self._values[id(p)] = p, p._at(*self.point)
        return self._values[id(p)][1]

    @property
    def in_numbers(self) -> bool:
        """Whether a client runs that will have numbers where it has formulas now."""
        return self.running and not self.compares and not self.server

    def compared(self, p: Formula, q: Formula) -> None:
        """Refuse a comparison of a client that will have numbers, which are rounded."""
        if self.in_numbers:
            which = f"how {p._brief()} compares with {q._brief()} depends on ε, if only by rounding"
            self.refuse(TypeError(f"{which}; {COMPARED}"))

    def divides(self, p: Formula) -> None:
        """Refuse a division by what may be 0 for some ε, or may be rounded to 0."""
        sure, late = never_zero(p._num)
        self.late |= late
        if sure and self.in_numbers and p._was_rounded:
            sure = p._below(Fraction(1, 2)) is False
        if not p._num:
            self.refuse(TypeError("a formula is divided by 0"))
        if not sure:
            self.refuse(TypeError(f"whether {p._brief()} is 0 depends on {self.unknown}"))

    def probable(self, p: Formula) -> None:
        """Refuse a coin that is no probability for some ε, or that is not known to be one."""
        self.floats |= p._float == LOOSE
        known = tuple(p._num.items()), tuple(p._den.items())
        if known in self._coins:
            return
        at_end = not p._num or p._num == p._den  # and rounded, perhaps beyond it
        several = p._asked & (p._asked - 1) > 0
        if not is_probability(p) or (at_end and several and self.in_numbers):
            self.refuse(ValueError(f"a coin must be a probability for every {self.unknown}, got {p._brief()}"))
        self._coins.add(known)

    def below(self, epsilon: Budget) -> Formula:
        """Return `odds` of ε: its e^ε, or with rounded coins any number from p − TINY (p − 1) to p = e^ε.

        Of one part of ε it is always the same number; of parts that are taken in other ways, another one.
        """
        with self.run(False):
            p = epsilon._odds
            key = p, epsilon._way
            if key not in self._odds:
                bit = 1 << len(self._odds)
                found = p
                if self.coins == "rounded":
                    w = self.slack()
                    self._odds_bits |= max(w._num) * Y
                    found = (p + w * (p - (p - 1) * TINY)) / (1 + w)
                self._odds[key] = found._fresh(EXACT)
                self._odds[key]._asked = bit
            return self._odds[key]

    def coins_on_grid(self) -> set[Formula]:
        """Probabilities that the client has rounded, their multiples, and what is left to 1."""
        known, grid = self._grid
        if known < len(self.rounded):
            multiples = [n * p for p in set(self.rounded.values()) for n in range(1, MULTIPLES)]
            grid = {*multiples, *(1 - p for p in multiples)}
            self._grid = len(self.rounded), grid
        return grid

    def is_coin(self, p: Formula) -> bool:
        """Whether p is a float without a further rounding."""
        with self.run(False):
            return p in self.coins_on_grid() or bool(self.coins == "ideal" and is_probability(p))

    def round(self, p: Formula, down: bool) -> Formula:
        """Round p, always to the same number, so that the same p has the same slack."""
        self.floats |= p._float == LOOSE
        if self.in_numbers:
            self.probable(p)
        return self.round_any(p, down)

    def round_any(self, p: Formula, down: bool) -> Formula:
        """Round p, whatever it is."""
        with self.run(False):
            if self.coins != "ideal" and (p, down) not in self.rounded:
                q = 1 / (1 + self.slack()) if self.coins == "free" else self._rounded(p, down)
                self.rounded |= {(p, down): q, (q, True): q, (q, False): q}
            return self.rounded.get((p, down), p)._fresh(GRID)

    def _rounded(self, p: Formula, down: bool) -> Formula:
        """Any number between p and what it is at ε = 0 if that is the way, else between p and 0, 1 or ∞.

        That `odds` is a little below e^ε is covered by that, if it moves p the same way, and forgotten.
        """
        best, w = _without(p, self._odds_bits), self.slack()
        blind = _without(Formula(shifted(best._num), shifted(best._den), self), Y)  # by powers of y − 1
        low, high = (blind, best) if down else (best, blind)
        room = _without(high, SLACKS) - _without(low, SLACKS)  # far enough from ε = 0 for rounding not to go past it
        found: Formula
        if [p._below(low), high._below(p), room._below(NEAR)] == [False] * 3:
            found = (best + w * blind) / (1 + w)
        else:
            found = (p + w * (not down)) / (1 + w if down or (1 - p)._below(0) is False else 1)
        return found

    def text(self, p: Poly) -> str:
        """Write a polynomial in e^ε, highest power first; in k where domains are of any size."""
        p = self._in_k(p) if self.least else p
        parts = []
        for m, c in sorted(p.items(), reverse=True):
            body = "·".join(self._factor(i, n) for i, n in exponents(m))
            number = "" if abs(c) == 1 and body else f"{abs(c)}"
            parts.append(f"{'-' if c < 0 else '+'} {number}{body}")
        return " ".join(parts).removeprefix("+ ") or "0"

    def _in_k(self, p: Poly) -> Poly:
        """Put k − least in place of the first slack."""
        assert self.least
        found: Poly = {}
        for m, c in p.items():
            n = (m & W1) >> WIDTH
            terms = [((m & ~W1) | j << WIDTH, c * comb(n, j) * (-self.least) ** (n - j)) for j in range(n + 1)]
            found = plus(found, collect(terms))
        return found

    def _factor(self, i: int, n: int) -> str:
        """Write one variable with its exponent: e^(nε/roots), k^n or w^n."""
        if i:
            name = "k" if self.least and i == 1 else f"w{i}"
            return name if n == 1 else f"{name}^{n}"
        part = Fraction(n, self.roots)
        times = "" if part.numerator == 1 else str(part.numerator)
        over = "" if part.denominator == 1 else f"/{part.denominator}"
        return f"e^({times}ε{over})" if times or over else "e^ε"


def _without(p: Formula, bits: int) -> Formula:
    """Put 0 in place of the variables that have these bits in a monomial."""
    num, den = ({m: c for m, c in q.items() if not m & bits} for q in (p._num, p._den))
    return Formula(num, den, p._field)


def in_lowest_terms(p: Formula) -> Formula:
    """Divide a formula in y and the first slack by common factors in one of the two, for its text."""
    num, den = p._num, p._den
    if num == den:
        return p._field.formula(1)
    if not num or max(*num, *den) <= Y or max(*num, *den) > W1 | Y:
        return p
    for bits, place in ((Y, 0), (W1, WIDTH)):
        rows = [row for q in (num, den) for row in _rows(q, bits, place).values()]
        (shared,) = whole(reduce(common, rows))
        if max(shared):
            num, den = (_rows_divided(q, shared, bits, place) for q in (num, den))
    return Formula(num, den, p._field)


@_refusing
class Budget(Symbol):
    """A symbolic ε: the logarithm of a formula, of e^ε to begin with.  Parts of it are budgets, too.

    It is `exactly` what it says if it was taken by `chance.exact`: parts of a Fraction are not rounded.
    """

    __slots__ = ("_exactly", "_odds", "_way")
    _what = "ε"
    _hint = "ε is a symbol here: a client may take a part of it, as in ε / 2, and its odds, and do nothing else with it"
    _public = ("odds", "text")

    def __init__(self, odds: Formula, exactly: bool = False, way: str = "") -> None:
        if type(odds) is not Formula or type(exactly) is not bool or type(way) is not str:
            raise TypeError("a symbolic ε is made by the package alone")
        self._odds, self._exactly, self._way = odds, exactly, way

    @property
    def _field(self) -> Field:
        return self._odds._field

    def _part(self, parts: int, way: str = "part") -> Budget:
        """Return the part of which so many are ε; what differs by rounding from another way to take it says how."""
        p = self._odds
        if parts < 1:
            self._refuse(f"parts of ε must be at least 1, got {parts}")
        if parts == 1:
            return Budget(p, self._exactly, self._way)
        if p._den != {0: 1} or [*p._num.values()] != [1] or max(p._num) > Y:
            self._refuse(f"a part of {self._text()} is the logarithm of no fraction", "take a part of ε before that")
        if max(p._num) % parts:
            order = parts // gcd(max(p._num), parts)
            self._field.wants = order
            self._field.refuse(Root(order))
        odds = Formula({max(p._num) // parts: 1}, {0: 1}, p._field)
        return Budget(odds, self._exactly, self._way + self._rounding(parts, way))

    def _exact(self) -> Budget:
        return Budget(self._odds, True, self._way)

    def _rounding(self, n: int, way: str) -> str:
        """Name a way to take n parts, or so many times as much, if floats round there."""
        return f"{'exact ' if self._exactly else ''}{way} {n}; " if n & (n - 1) else ""

    def __truediv__(self, parts: int) -> Budget:
        return self._part(self._whole(parts))

    def __mul__(self, n: int) -> Budget:
        n = self._whole(n)
        if n < 1:
            self._refuse(f"multiples of ε must be at least 1, got {n}")
        return Budget(self._odds**n, self._exactly, self._way + self._rounding(n, "times"))

    __rmul__ = __mul__

    def _whole(self, n: Any) -> int:
        """Return a whole number; a float is rounded when it is multiplied by it or divided, but for powers of two."""
        if type(n) not in PLAIN or not isinstance(n, Integral):
            what = _a(type(n).__name__)
            self._refuse(f"ε can be multiplied and divided by whole numbers only, as in ε / 2, got {what}")
        number = int(n)
        self._field.nearest |= bool(number & (number - 1)) and not self._exactly
        return number

    def _against(self, other: object, rule: Callable[[Any, Any], bool]) -> bool:
        """Compare with what is at most 0, as every ε does; or with another part of ε, where both are formulas."""
        if type(other) in PLAIN and other <= 0 and self._positive:  # type: ignore[operator]
            return rule(1, 0)
        if not isinstance(other, Budget):
            what = _a(type(other).__name__)
            self._refuse(f"how ε compares with {what} depends on ε", "leave checks of ε to those who call the client")
        if self._field.in_numbers:
            self._refuse("how parts of ε compare depends on ε, if only by rounding")
        return rule(self._odds, other._odds)

    def __eq__(self, other: object) -> bool:
        return self._against(other, eq)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: object) -> bool:
        return self._against(other, lt)

    def __le__(self, other: object) -> bool:
        return self._against(other, le)

    def __gt__(self, other: object) -> bool:
        return self._against(other, gt)

    def __ge__(self, other: object) -> bool:
        return self._against(other, ge)

    @property
    def _positive(self) -> bool:
        """Whether it is above 0 for every ε, as parts of ε are; a logarithm need not be."""
        return self._field.formula(1)._below(self._odds) is True

    def __bool__(self) -> bool:
        return self > 0

    def __hash__(self) -> int:
        # not even the keys of a dict are compared with ε
        return self._refuse("the hash of ε depends on ε", "keep no cache by ε: compute the coin each time")

    def _text(self) -> str:
        """Write ε as a logarithm."""
        return f"ln({self._odds._text()})"


# -------------------------------------------------------------------------- what the package asks while a client runs


def odds_of(epsilon: Budget) -> Formula:
    """Return e^ε, or with rounded coins any number just below."""
    return epsilon._field.below(epsilon)._fresh(EXACT)


def probable(p: Formula) -> None:
    """Refuse what is no probability for some ε."""
    p._field.probable(p)


def is_probability(p: Formula) -> bool:
    """Whether a formula is a probability for all ε."""
    known, key = p._field.probabilities, (tuple(p._num.items()), tuple(p._den.items()))
    if key not in known:
        rest = p._field.formula(1)._plus(p._negative())
        known[key] = p._below(0) is False and rest._below(0) is False
    return known[key]


def exactly_of(p: Formula) -> Formula:
    """Return a formula as a Fraction would be: floats are met exactly from here on, and remain rounded if they were."""
    p._field.floats |= p._float == LOOSE
    return p._fresh(EXACT)


def inexactly(p: Formula) -> Formula:
    """Return a formula as a float would be: beyond coins that were rounded already, this rounds once more."""
    return p if p._float else p._fresh(GRID if p._field.is_coin(p) else LOOSE)


def log_of(p: Formula, times: int = 1, below: bool = False) -> Budget:
    """Return the logarithm of a formula, or a multiple; to the nearest float, or to one below it."""
    if type(times) is not int or p._field.formula(0)._below(p) is not True:
        p._field.refuse(TypeError(f"whether {p._brief()} has a logarithm depends on {p._field.unknown}"))
    p._field.nearest |= p._field.running and not below
    return Budget(p**times)


def exactly(epsilon: Budget) -> Budget:
    """Return ε as a Fraction would be, of which parts are not rounded."""
    return epsilon._exact()


def share_of(epsilon: Budget, parts: int) -> Budget:
    """Return the part of which so many are ε, or a little less."""
    return epsilon._part(parts, "share")


def rounded(p: Formula, down: bool) -> Formula:
    """Round a probability to the grid of coins."""
    return p._field.round(p, down is True)


def coin_of(p: Formula, source: object) -> tuple[Any, Any]:
    """Weights of heads and tails: formulas, or whole numbers where a number stands for ε."""
    own = getattr(source, "_field", None)
    field = own.formula(p)._field if own else p._field
    field.drawn_from(source)
    field.probable(p)
    if field.point is None:
        return p._coin
    q = field.number(p)
    return q.numerator, q.denominator - q.numerator


def weights_of(weights: tuple[Any, ...], source: object) -> tuple[Any, ...]:
    """Weights of a draw as formulas; none may be negative for any ε, and not all may be zero."""
    field = getattr(source, "_field", None) or next(w._field for w in weights if isinstance(w, Formula))
    field.drawn_from(source)
    found = tuple(field.formula(w if isinstance(w, Formula | Fraction) else index(w)) for w in weights)
    for w in found:
        field.floats |= w._float == LOOSE
        if w._below(0) is not False:
            field.refuse(ValueError(f"weights must not be negative for any {field.unknown}, got {w._brief()}"))
    sure, late = never_zero(reduce(Formula._plus, found)._num)
    field.late |= late
    if not sure:
        field.refuse(ValueError(f"weights must not be all zero for any {field.unknown}"))
    return found


def above_one(p: Formula) -> Formula:
    """Round p > 1 down so finely that p − 1 is not rounded to 0."""
    found = p._field.round_any(p, True)._fresh(EXACT)
    found._was_rounded = p._was_rounded
    return found


def note_range(epsilon: Budget, low: float, high: float) -> None:
    """Note that a part of ε was checked to be in a range: for some ε it may not be, so a proof tries such, too."""
    if epsilon._field.running:
        epsilon._field.checked.append((epsilon._odds, low, high))


def within(p: Any, low: Any, high: Any) -> bool:
    """Whether low < p < high, of a number, or of a formula for all ε: a check of the package's, not of a client."""
    if not {type(low), type(high), type(p)} <= PLAIN | {Formula}:
        raise TypeError("numbers of classes of their own are not compared")
    if not isinstance(p, Formula):
        return bool(low < p < high)
    inside = p._field.formula(low)._below(p) is True and p._below(high) is True
    if not inside and p._field.running:
        p._field.refuse(TypeError(f"whether {p._brief()} is between {low} and {high} may depend on ε"))
    return inside


def ascending(some: Any) -> bool:
    """Whether budgets ascend, for all ε: a check of the package's, not of a client."""
    pairs = list(pairwise(some))
    budgets = [e for e in some if isinstance(e, Budget)]
    if not budgets:
        return all(a < b for a, b in pairs)
    up = len(budgets) == len(some) and all(a._odds._below(b._odds) is True for a, b in pairs)
    if not up and budgets[0]._field.running:
        budgets[0]._field.refuse(TypeError("whether parts of ε ascend may depend on ε"))
    return up


def possible(weight: Any) -> bool:
    """Whether an option of this weight is ever taken: a formula may be zero at times, and is not asked."""
    return bool(weight._num if isinstance(weight, Formula) else weight)


def same_weights(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether two choices have the same weights, for all ε; asked of a client that repeats itself."""
    return len(some) == len(others) and all(map(_same_weight, some, others))


def _same_weight(v: Any, w: Any) -> bool:
    if isinstance(v, Formula):
        return v is w or v._same(w)
    return isinstance(v, int) and isinstance(w, int) and v == w
