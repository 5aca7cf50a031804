"""Exact formulas in e^ε that flow through a mechanism's own code in place of numbers.

With y ≥ 1 and e^ε = y^r, a `Formula` is a fraction of polynomials in y, and in slack variables w ≥
0 where coins are rounded or where a domain has any number of items.  It has no value: `float`,
`int`, its text, its hash and all of its attributes are refused while a client runs.  A comparison,
the truth of a formula and a division by it are answered if the answer is the same for *all* ε > 0
and all w ≥ 0.  If it is not, that is refused as well.

Each refusal is a TypeError, and the field writes it down (`Field.refused`): code that catches the
error has asked all the same.  So code that runs to its end without a refusal, and does with numbers
what it does with formulas, has taken the same steps for every ε.  What nobody writes down are
questions about types, and private attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce, wraps
from math import comb, gcd
from numbers import Integral, Rational, Real
from operator import eq, ge, gt, le, lt
from typing import Any, NoReturn, TypeVar

from ldpnb.exact.arrays import arrays
from ldpnb.exact.polynomials import (
    SLACKS,
    VARIABLES,
    W1,
    WIDTH,
    Poly,
    Y,
    collect,
    common,
    divided,
    exponents,
    never_zero,
    plus,
    power,
    rows_divided,
    rows_of,
    shifted,
    sign,
    times,
    value,
    whole,
)
from ldpnb.exact.symbols import ASKED_OF_BUDGETS, COMPARED, CURE, NUMBERS, Symbol, article, refusing

POWER_MAX = 1024  # of a formula
NEAR, TINY = (
    Fraction(1, 2**30),
    Fraction(1, 2**40),
)  # a coin moves by less than the first, e^ε by less than the second
MULTIPLES = 16  # of a rounded coin: the chance of several alike
SMALL, NOISE = (
    4096,
    Fraction(1, 2**49),
)  # fractions of such numbers are further than 2**-24 from each other
BRIEF = 200  # letters of a formula in an error
T = TypeVar("T")
EXACT, GRID, LOOSE = range(
    3
)  # a fraction; a float that is a coin; a float that arithmetic has rounded

PLAIN = {*NUMBERS, bool}  # numbers of Python that say what they are


class Root(ValueError):
    """A formula has no root of this order in y: take e^ε = y^(r · order)."""

    def __init__(self, order: int) -> None:
        super().__init__(f"no root of order {order}")
        self.order = order


def plain_number(kind: type) -> bool:
    """Whether numbers of a class say what they are: Python's own and numpy's."""
    return kind in PLAIN or kind in arrays().numbers


def _plain(p: Poly) -> Poly:
    """Return a polynomial with plain numbers in it, whatever a client may have put in their place."""
    return {int(m): c if type(c) is Fraction else int(c) for m, c in p.items()}


def simple(q: Fraction) -> Fraction:
    """Return the fraction of small numbers that a number is the rounding of, or the number itself.

    Where that fraction is a float, another float is not a rounding of it.
    """
    near = q.limit_denominator(SMALL)
    if not near or near.denominator.bit_count() == 1:
        return q
    return near if abs(near - q) <= NOISE * max(Fraction(1), abs(q)) else q


def _bounded(rule: Callable[..., T]) -> Callable[..., T]:
    """Let a rule of formulas refuse exponents that are too large: numbers would have an answer."""

    @wraps(rule)
    def bounded(p: Formula, *others: Any) -> T:
        try:
            return rule(p, *others)
        except OverflowError as error:
            p._field.refuse(TypeError(str(error)))

    return bounded


def _sides(
    rule: Callable[[Formula, Formula], T],
) -> tuple[Callable[[Any, Any], T], Callable[[Any, Any], T]]:
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
    return (
        found._float == GRID
        and isinstance(other, Integral)
        and other == 1
        and is_probability(found)
    )


def _multiple(found: Formula, other: Any) -> bool:
    """Whether a multiple of a coin is a coin, and no rounded float."""
    return found._float == GRID and isinstance(other, Integral) and is_probability(found)


def _never(found: Formula, other: Any) -> bool:
    """Say that a float is rounded, whatever the other side is."""
    return False


@refusing
class Formula(Symbol):
    """A fraction of polynomials; in y alone it is kept in lowest terms.

    Its public names, for the package and for readers of a `Proof`, are `same`, `below`, `at`,
    `coin`, `num`, `den`, `field` and `text`.
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
        self._was_rounded = (
            a_float != EXACT
        )  # whether it, or what it was made from, was rounded to a float
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

        Refuse other symbols, complex numbers, Decimals, and numbers of classes with an arithmetic
        of their own.
        """
        kind = type(other)
        if kind is Formula or plain_number(kind):
            return True
        if not arrays().is_array(kind):  # which goes on with each of its elements
            what = other._what if issubclass(kind, Symbol) else article(kind.__name__)
            self._refuse(
                f"{self._what} together with {what} depends on {self._field.unknown}", CURE
            )
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
            self._refuse(
                f"how {self._brief()} compares with {o._brief()} depends on {self._field.unknown}"
            )
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
        if not plain_number(type(n)) or not isinstance(n, Integral) or abs(int(n)) > POWER_MAX:
            got = f"{n}" if plain_number(type(n)) else article(type(n).__name__)
            self._refuse(
                f"powers of {self._what} must be whole numbers up to {POWER_MAX}, got {got:.40}"
            )
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
        return (self._num, self._den) == (o._num, o._den) or times(self._num, o._den) == times(
            o._num, self._den
        )

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
        top, bottom = (
            value(p, lambda i: Fraction(slack if i else y)) for p in (self._num, self._den)
        )
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

    `epsilon` is the symbolic ε, `e` its e^ε. `late` is whether an answer was given that is known
    for ε ≥ 1e-6 only, `floats` whether a formula met a float, `nearest` whether a part of ε was
    taken that a float would round, up or down. `running` is whether a client's code runs, and
    `refused` the first thing that it asked without an answer. `compares` is whether it may compare
    formulas: where numbers take their place, some comparisons are decided by how numbers are
    rounded, so that only who gets formulas there as well is answered. `least` is the size from
    which on domains are, where they are of any size: k = `least` + the first slack. `point`, if
    any, are the numbers that stand for y and for the slacks when a coin is tossed, and only then.
    `source`, if any, is the one source of randomness that coins with formulas are tossed with.
    Where it is `plain`, for moments, numbers stand for the fractions of small numbers that they are
    the rounding of.
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
        self._odds: dict[
            tuple[Formula, str], Formula
        ] = {}  # by the part of ε that is asked, and how it was taken
        self._odds_bits = 0
        self.checked = list[
            tuple[Formula, float, float]
        ]()  # e^ε of parts of ε, and the ranges they were checked for
        self._values: dict[
            int, tuple[Formula, Fraction]
        ] = {}  # of formulas where numbers stand for y and slacks
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
                self.refuse(
                    TypeError("formulas of two proofs cannot meet: what they stand for differs")
                )
            return x
        if not plain_number(type(x)):
            self.refuse(TypeError(f"a formula in e^ε cannot meet {article(type(x).__name__)}"))
        try:
            if isinstance(x, Rational):
                q = Fraction(x)
            else:
                q = simple(Fraction(float(x))) if self.plain else Fraction(float(x))
        except (OverflowError, ValueError) as error:  # of what is not finite
            self.refuse(TypeError(f"a formula in e^ε cannot meet {x!r:.40}: {error}"))
        self.floats |= not isinstance(
            x, Rational
        )  # with a number in place of the formula, it would be rounded
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
            self.refuse(
                TypeError(
                    "coins must be tossed with the rng that the client is handed, and got another one"
                )
            )

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
            self.refuse(
                ValueError(
                    f"a coin must be a probability for every {self.unknown}, got {p._brief()}"
                )
            )
        self._coins.add(known)

    def below(self, epsilon: Budget) -> Formula:
        """Return `odds` of ε: its e^ε, or with rounded coins any number from p − TINY (p − 1) to p = e^ε.

        Of one part of ε it is always the same number; of parts that are taken in other ways,
        another one.
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

        That `odds` is a little below e^ε is covered by that, if it moves p the same way, and
        forgotten.
        """
        best, w = _without(p, self._odds_bits), self.slack()
        blind = _without(
            Formula(shifted(best._num), shifted(best._den), self), Y
        )  # by powers of y − 1
        low, high = (blind, best) if down else (best, blind)
        room = _without(high, SLACKS) - _without(
            low, SLACKS
        )  # far enough from ε = 0 for rounding not to go past it
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
            terms = [
                ((m & ~W1) | j << WIDTH, c * comb(n, j) * (-self.least) ** (n - j))
                for j in range(n + 1)
            ]
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
        rows = [row for q in (num, den) for row in rows_of(q, bits, place).values()]
        (shared,) = whole(reduce(common, rows))
        if max(shared):
            num, den = (rows_divided(q, shared, bits, place) for q in (num, den))
    return Formula(num, den, p._field)


@refusing
class Budget(Symbol):
    """A symbolic ε: the logarithm of a formula, of e^ε to begin with.  Parts of it are budgets, too.

    It is `exactly` what it says if it was taken by `chance.exact`: parts of a Fraction are not
    rounded.
    """

    __slots__ = ("_exactly", "_odds", "_way")
    _what = "ε"
    _hint = ASKED_OF_BUDGETS
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
            self._refuse(
                f"a part of {self._text()} is the logarithm of no fraction",
                "take a part of ε before that",
            )
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
        if not plain_number(type(n)) or not isinstance(n, Integral):
            what = article(type(n).__name__)
            self._refuse(
                f"ε can be multiplied and divided by whole numbers only, as in ε / 2, got {what}"
            )
        number = int(n)
        self._field.nearest |= bool(number & (number - 1)) and not self._exactly
        return number

    def _against(self, other: object, rule: Callable[[Any, Any], bool]) -> bool:
        """Compare with what is at most 0, as every ε does; or with another part of ε, where both are formulas."""
        if plain_number(type(other)) and other <= 0 and self._positive:  # type: ignore[operator]
            return rule(1, 0)
        if not isinstance(other, Budget):
            what = article(type(other).__name__)
            self._refuse(
                f"how ε compares with {what} depends on ε",
                "leave checks of ε to those who call the client",
            )
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
        return self._refuse(
            "the hash of ε depends on ε", "keep no cache by ε: compute the coin each time"
        )

    def _text(self) -> str:
        """Write ε as a logarithm."""
        return f"ln({self._odds._text()})"


def is_probability(p: Formula) -> bool:
    """Whether a formula is a probability for all ε."""
    known, key = p._field.probabilities, (tuple(p._num.items()), tuple(p._den.items()))
    if key not in known:
        rest = p._field.formula(1)._plus(p._negative())
        known[key] = p._below(0) is False and rest._below(0) is False
    return known[key]
