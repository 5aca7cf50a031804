"""Exact formulas in e^ε that flow through a mechanism's own code in place of numbers.

With y ≥ 1 and e^ε = y^r, a `Formula` is a fraction of polynomials in y, and in slack variables w ≥
0 where coins are rounded or where a domain has any number of items.  It has no value: `float`,
`int`, its text, its hash and all of its attributes are refused while a client runs.  A division is
refused unless the divisor is not 0 for *any* ε > 0 and w ≥ 0.

Every comparison is refused as well, and the truth of a formula, of a client that gets numbers where
it runs: these are rounded, and may compare otherwise, even ``odds(epsilon) > 1``.  A client for any
number of items gets formulas there, too, and the code of a server sends nothing.  These two are
answered if the answer is the same for all ε > 0 and all w ≥ 0, and refused if it is not.

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

T = TypeVar("T")

# What stands where a formula stands once there are numbers
EXACT = 0  # a fraction
COIN = 1  # a float that is a coin on the grid
ROUNDED = 2  # a float that arithmetic has rounded

POWER_MAX = 1024  # of a formula
NEAR = Fraction(1, 2**30)  # a coin moves by less than this
TINY = Fraction(1, 2**40)  # and e^ε by less than this part of e^ε − 1
MULTIPLES = 16  # of a rounded coin: the chance of several alike
SMALL = 4096  # fractions of such numbers are further than 2**-24 from each other
NOISE = Fraction(1, 2**49)  # by which a float may differ from the fraction that it is rounded from
BRIEF = 200  # letters of a formula in an error
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
    """Return a polynomial with plain numbers in it, whatever a client has put in their place."""
    return {int(m): c if type(c) is Fraction else int(c) for m, c in p.items()}


def simple(q: Fraction) -> Fraction:
    """Return the fraction of small numbers that a number is the rounding of, or the number itself.

    Where that fraction is a float, another float is not a rounding of it.
    """
    near = q.limit_denominator(SMALL)
    if not near or near.denominator.bit_count() == 1:
        return q
    if abs(near - q) <= NOISE * max(Fraction(1), abs(q)):
        return near
    return q


# ------------------------------------------------------------------------------------- operators

Operator = Callable[[Any, Any], Any]


def _bounded(rule: Callable[..., T]) -> Callable[..., T]:
    """Let a rule of formulas refuse exponents that are too large: numbers would have an answer."""

    @wraps(rule)
    def bounded(p: Formula, *others: Any) -> T:
        try:
            return rule(p, *others)
        except OverflowError as error:
            p._field.refuse(TypeError(str(error)))

    return bounded


def _sides(rule: Callable[[Formula, Formula], T]) -> tuple[Operator, Operator]:
    """Make an operator for formulas and numbers, and the one with sides swapped.

    An array goes on with each of its elements.
    """
    rule = _bounded(rule)

    def left(self: Formula, other: Any) -> Any:
        if not self._meets(other):
            return NotImplemented
        return rule(self, self._field.formula(other))

    def right(self: Formula, other: Any) -> Any:
        if not self._meets(other):
            return NotImplemented
        return rule(self._field.formula(other), self)

    return left, right


def _marked(
    sides: tuple[Operator, Operator], stays_a_coin: Callable[[Formula, Any], bool]
) -> tuple[Operator, Operator]:
    """Let what an operator returns inherit its sides' marks.

    `stays_a_coin` says whether a float that is a coin remains one.
    """
    left, right = sides
    return _marking(left, stays_a_coin), _marking(right, stays_a_coin)


def _marking(operator: Operator, stays_a_coin: Callable[[Formula, Any], bool]) -> Operator:
    """Mark the formula that an operator returns."""

    def apply(self: Formula, other: Any) -> Any:
        found = operator(self, other)
        if not isinstance(found, Formula):
            return found
        found._inherit(self, other if isinstance(other, Formula) else self)
        meets_a_float = isinstance(other, Real) and not isinstance(other, Rational)
        if meets_a_float or (found._float and not stays_a_coin(found, other)):
            found._float = ROUNDED
            found._was_rounded = True
        return found

    return apply


def _from_one(found: Formula, other: Any) -> bool:
    """Whether a difference is 1 − p, which is no rounded float."""
    if found._float != COIN or not isinstance(other, Integral):
        return False
    return other == 1 and is_probability(found)


def _multiple(found: Formula, other: Any) -> bool:
    """Whether a multiple of a coin is a coin, and no rounded float."""
    if found._float != COIN or not isinstance(other, Integral):
        return False
    return is_probability(found)


def _never(found: Formula, other: Any) -> bool:
    """Say that a float is rounded, whatever the other side is."""
    return False


# -------------------------------------------------------------------------------------- formulas


def _in_lowest_terms_of_y(num: Poly, den: Poly) -> tuple[Poly, Poly]:
    """Divide polynomials in y alone by what they have in common; make denominators positive."""
    if num and max(den) > 0 and max(*num, *den) <= Y:
        shared = common(num, den)
        if max(shared):
            num = divided(num, shared)[0]
            den = divided(den, shared)[0]
    turn = 1 if den[max(den)] > 0 else -1
    if not num:
        den = {0: turn}
    return {m: turn * c for m, c in num.items()}, {m: turn * c for m, c in den.items()}


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
        num = _plain(num)
        den = _plain(den)
        if not den:
            raise ZeroDivisionError("a formula with denominator zero")
        num, den = _in_lowest_terms_of_y(num, den)
        self._num, self._den = whole(num, den)
        self._field: Field = field
        self._float = a_float  # EXACT, COIN or ROUNDED: what stands here where there are numbers
        self._asked = 0  # bits of the `odds` that it was made from
        self._was_rounded = a_float != EXACT  # or whether what it was made from was rounded
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
            if issubclass(kind, Symbol):
                what = other._what
            else:
                what = article(kind.__name__)
            unknown = self._field.unknown
            self._refuse(f"{self._what} together with {what} depends on {unknown}", CURE)
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
        found = self._below(o)
        if found is None:
            unknown = self._field.unknown
            self._refuse(f"how {self._brief()} compares with {o._brief()} depends on {unknown}")
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
        is_plain = plain_number(type(n))
        if not is_plain or not isinstance(n, Integral) or abs(int(n)) > POWER_MAX:
            got = article(type(n).__name__)
            if is_plain:
                got = f"{n}"
            rule = f"whole numbers up to {POWER_MAX}"
            self._refuse(f"powers of {self._what} must be {rule}, got {got:.40}")
        n = int(n)
        base = self
        if n < 0:
            base = 1 / self
        found = Formula(power(base._num, abs(n)), power(base._den, abs(n)), self._field)
        found._inherit(self, self)
        found._float = ROUNDED if self._float else EXACT
        return found

    @_bounded
    def _same(self, other: Any) -> bool:
        """Whether two formulas are equal for all ε and all slacks.

        Nothing is wrong with those that are equal at times.
        """
        o = self._field.formula(other)
        if (self._num, self._den) == (o._num, o._den):
            return True
        return times(self._num, o._den) == times(o._num, self._den)

    @_bounded
    def _below(self, other: Any) -> bool | None:
        """Whether self < other for all ε (see `Field.late`) and all slacks.

        False if self ≥ other for all of them, None if neither is known.
        """
        gap = self._field.formula(other)._plus(self._negative())
        top, top_late = sign(gap._num)
        bottom, bottom_late = sign(gap._den)
        self._field.late |= top_late or bottom_late
        if top is None or not bottom:
            return None
        if top * bottom <= 0:
            return False
        top_sure, top_late = never_zero(gap._num)
        bottom_sure, bottom_late = never_zero(gap._den)
        self._field.late |= top_late or bottom_late
        if top_sure and bottom_sure:
            return True
        return None

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
            self._hashed = hash(self._with(lambda variable: (10**6 + variable) ** 3))
        return self._hashed

    def _at(self, y: Any, slack: Any = 3) -> Fraction:
        """Value at one y; all slacks are the same."""
        return self._with(lambda variable: Fraction(slack if variable else y))

    def _with(self, number: Callable[[int], Any]) -> Fraction:
        """Value with numbers in place of the variables."""
        return value(self._num, number) / value(self._den, number)

    @property
    def _coin(self) -> tuple[Formula, Formula]:
        """(p, 1 − p), the weights of a toss."""
        if self._coins is None:
            self._coins = self, 1 - self
        return self._coins

    def _brief(self) -> str:
        """Write the beginning of the formula, for an error."""
        text = self._text()
        if len(text) <= BRIEF:
            return text
        return f"{text[:BRIEF]}…"

    def _text(self) -> str:
        """Write the formula in e^ε."""
        top = self._field.text(self._num)
        bottom = self._field.text(self._den)
        if bottom == "1":
            return top
        if " " in top:
            top = f"({top})"
        if not bottom.isdigit() and bottom != "k":
            bottom = f"({bottom})"
        return f"{top}/{bottom}"


# --------------------------------------------------------------------------------------- fields


class Field:
    """What the formulas of one proof share: what y stands for, and what clients may ask.

    Attributes
    ----------
    roots : int
        e^ε = y^roots.
    coins : str
        "ideal"; "rounded": whatever rounding may do; or "free": whatever.
    plain : bool
        Whether numbers stand for the fractions of small numbers that they are the rounding of, for
        moments.
    e, epsilon : Formula, Budget
        e^ε and ε, as symbols.
    least : int or None
        The size from which on domains are, where they are of any size: k = `least` + first slack.
    point : tuple or None
        Numbers that stand for y and for the slacks when a coin is tossed, and only then.
    source : object
        The one source of randomness that coins with formulas are tossed with, if any.
    running, server : bool
        Whether a client's code runs, or a server's.
    compares : bool
        Whether a client may compare formulas.  Where numbers take their place, some comparisons are
        decided by how numbers are rounded; so only a client that gets formulas there is answered.
    refused : Exception or None
        The first thing that a client asked without an answer.
    wants : int or None
        What the refusal of a root, or of one more item, asks for.
    late : bool
        Whether an answer was given that is known for ε ≥ 1e-6 only.
    floats : bool
        Whether a formula met a float.
    nearest : bool
        Whether a part of ε was taken that a float would round, up or down.
    slacks : int
        How many there are.
    rounded : dict
        Coins that were rounded, by the formula and the direction.
    checked : list of tuple
        e^ε of parts of ε, and the ranges that they were checked for.
    """

    def __init__(self, roots: int = 1, coins: str = "ideal", plain: bool = False) -> None:
        self.roots = roots
        self.coins = coins
        self.plain = plain
        self.least: int | None = None
        self.point: tuple[Fraction, int] | None = None
        self.source: object = None
        self.running = False
        self.server = False
        self.compares = False
        self.refused: Exception | None = None
        self.wants: int | None = None
        self.late = False
        self.floats = False
        self.nearest = False
        self.slacks = 0
        self.rounded: dict[tuple[Formula, bool], Formula] = {}
        self.checked = list[tuple[Formula, float, float]]()
        self.probabilities = dict[Any, bool]()  # whether formulas are such
        self._odds = dict[tuple[Formula, str], Formula]()  # by a part of ε, and how it was taken
        self._odds_bits = 0
        self._values = dict[int, tuple[Formula, Fraction]]()  # of formulas at the `point`
        self._grid = 0, set[Formula]()  # of so many rounded formulas, what `coins_on_grid` found
        self._coins = set[Any]()  # formulas that may be tossed
        self.e = Formula({roots: 1}, {0: 1}, self)
        self.epsilon = Budget(self.e)

    @property
    def unknown(self) -> str:
        """What an answer may depend on, in words."""
        if self.least:
            return "ε or k"
        return "ε"

    def refuse(self, error: Exception) -> NoReturn:
        """Raise an error that a client with numbers would not see, and write it down."""
        if self.refused is None:
            self.refused = error
        raise error

    def heard(self) -> None:
        """Raise what was refused, in case somebody has caught it."""
        if self.refused is not None:
            raise self.refused

    @contextmanager
    def run(self, running: bool = True, server: bool = False) -> Iterator[None]:
        """Let formulas answer no question while a client runs.

        A server may compare them, and divide by them.
        """
        before = self.running, self.server
        self.running = running
        self.server = server
        try:
            yield
        finally:
            self.running, self.server = before

    def formula(self, x: Any) -> Formula:
        """Return a number as a formula, exactly: an int, float or Fraction, numpy's too.

        Anything else is refused.
        """
        if type(x) is Formula:
            if x._field is not self:
                different = "what they stand for differs"
                self.refuse(TypeError(f"formulas of two proofs cannot meet: {different}"))
            return x
        if not plain_number(type(x)):
            self.refuse(TypeError(f"a formula in e^ε cannot meet {article(type(x).__name__)}"))
        is_float = not isinstance(x, Rational)
        try:
            q = Fraction(float(x)) if is_float else Fraction(x)
        except (OverflowError, ValueError) as error:  # of what is not finite
            self.refuse(TypeError(f"a formula in e^ε cannot meet {x!r:.40}: {error}"))
        if is_float and self.plain:
            q = simple(q)
        self.floats |= is_float  # with a number in place of the formula, it would be rounded
        return Formula(collect([(0, int(q.numerator))]), {0: int(q.denominator)}, self)

    def slack(self) -> Formula:
        """One more variable that may be any number, at least 0."""
        self.slacks += 1
        if self.slacks >= VARIABLES:
            self.refuse(TypeError(f"a proof must do with {VARIABLES} different coins"))
        return Formula({1 << (WIDTH * self.slacks): 1}, {0: 1}, self)

    def drawn_from(self, source: object) -> None:
        """Refuse coins with formulas from another source: it would answer what they are."""
        if self.source is not None and source is not self.source:
            rule = "coins must be tossed with the rng that the client is handed"
            self.refuse(TypeError(f"{rule}, and got another one"))

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
        self.floats |= p._float == ROUNDED
        known = tuple(p._num.items()), tuple(p._den.items())
        if known in self._coins:
            return
        at_end = not p._num or p._num == p._den  # and rounded, perhaps beyond it
        several = p._asked & (p._asked - 1) > 0
        if not is_probability(p) or (at_end and several and self.in_numbers):
            rule = f"a coin must be a probability for every {self.unknown}"
            self.refuse(ValueError(f"{rule}, got {p._brief()}"))
        self._coins.add(known)

    def below(self, epsilon: Budget) -> Formula:
        """Return `odds` of ε: its e^ε, or with rounded coins any number a little below it.

        That is any number from p − TINY (p − 1) to p = e^ε.  Of one part of ε it is always the same
        number; of parts that are taken in other ways, another one.
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
                found = found._fresh(EXACT)
                found._asked = bit
                self._odds[key] = found
            return self._odds[key]

    def coins_on_grid(self) -> set[Formula]:
        """Probabilities that the client has rounded, their multiples, and what is left to 1."""
        known, grid = self._grid
        if known < len(self.rounded):
            multiples = set[Formula]()
            for p in set(self.rounded.values()):
                multiples.update(n * p for n in range(1, MULTIPLES))
            grid = multiples | {1 - p for p in multiples}
            self._grid = len(self.rounded), grid
        return grid

    def is_coin(self, p: Formula) -> bool:
        """Whether p is a float without a further rounding."""
        with self.run(False):
            if p in self.coins_on_grid():
                return True
            return self.coins == "ideal" and is_probability(p)

    def round(self, p: Formula, down: bool) -> Formula:
        """Round p, always to the same number, so that the same p has the same slack."""
        self.floats |= p._float == ROUNDED
        if self.in_numbers:
            self.probable(p)
        return self.round_any(p, down)

    def round_any(self, p: Formula, down: bool) -> Formula:
        """Round p, whatever it is."""
        with self.run(False):
            if self.coins == "ideal":
                return p._fresh(COIN)
            if (p, down) not in self.rounded:
                if self.coins == "free":
                    q = 1 / (1 + self.slack())
                else:
                    q = self._rounded(p, down)
                self.rounded |= {(p, down): q, (q, True): q, (q, False): q}
            return self.rounded[p, down]._fresh(COIN)

    def _rounded(self, p: Formula, down: bool) -> Formula:
        """Any number between p and what it is at ε = 0, if that is the way.

        Else it is any number between p and 0, 1 or ∞.  That `odds` is a little below e^ε is covered
        by that, if it moves p the same way, and forgotten.
        """
        best = _without(p, self._odds_bits)
        w = self.slack()
        in_powers_of_u = Formula(shifted(best._num), shifted(best._den), self)  # u = y − 1
        blind = _without(in_powers_of_u, Y)
        if down:
            low = blind
            high = best
        else:
            low = best
            high = blind
        # far enough from ε = 0 for rounding not to go past it
        room = _without(high, SLACKS) - _without(low, SLACKS)
        between = [p._below(low), high._below(p), room._below(NEAR)]
        found: Formula
        if between == [False, False, False]:
            found = (best + w * blind) / (1 + w)
        elif down:
            found = p / (1 + w)
        elif (1 - p)._below(0) is False:
            found = (p + w) / (1 + w)
        else:
            found = p + w
        return found

    def text(self, p: Poly) -> str:
        """Write a polynomial in e^ε, highest power first; in k where domains are of any size."""
        if self.least:
            p = self._in_k(p)
        parts = []
        for m, c in sorted(p.items(), reverse=True):
            body = "·".join(self._factor(variable, n) for variable, n in exponents(m))
            number = f"{abs(c)}"
            if number == "1" and body:
                number = ""
            sign = "-" if c < 0 else "+"
            parts.append(f"{sign} {number}{body}")
        return " ".join(parts).removeprefix("+ ") or "0"

    def _in_k(self, p: Poly) -> Poly:
        """Put k − least in place of the first slack."""
        assert self.least
        terms = []
        for m, c in p.items():
            n = (m & W1) >> WIDTH
            rest = m & ~W1
            for j in range(n + 1):
                terms.append((rest | j << WIDTH, c * comb(n, j) * (-self.least) ** (n - j)))
        return collect(terms)

    def _factor(self, i: int, n: int) -> str:
        """Write one variable with its exponent: e^(nε/roots), k^n or w^n."""
        if i:
            name = "k" if self.least and i == 1 else f"w{i}"
            if n == 1:
                return name
            return f"{name}^{n}"
        part = Fraction(n, self.roots)
        if part == 1:
            return "e^ε"
        exponent = "ε"
        if part.numerator != 1:
            exponent = f"{part.numerator}ε"
        if part.denominator != 1:
            exponent += f"/{part.denominator}"
        return f"e^({exponent})"


def _without(p: Formula, bits: int) -> Formula:
    """Put 0 in place of the variables that have these bits in a monomial."""
    num = {m: c for m, c in p._num.items() if not m & bits}
    den = {m: c for m, c in p._den.items() if not m & bits}
    return Formula(num, den, p._field)


def in_lowest_terms(p: Formula) -> Formula:
    """Divide a formula in y and the first slack by common factors in one of them, for its text."""
    num = p._num
    den = p._den
    if num == den:
        return p._field.formula(1)
    if not num:
        return p
    largest = max(*num, *den)
    if largest <= Y or largest > W1 | Y:  # in y alone, or in other slacks, too
        return p
    for bits, place in ((Y, 0), (W1, WIDTH)):
        rows = [*rows_of(num, bits, place).values(), *rows_of(den, bits, place).values()]
        (shared,) = whole(reduce(common, rows))
        if max(shared):
            num = rows_divided(num, shared, bits, place)
            den = rows_divided(den, shared, bits, place)
    return Formula(num, den, p._field)


# -------------------------------------------------------------------------------------- budgets


@refusing
class Budget(Symbol):
    """A symbolic ε: the logarithm of a formula, of e^ε to begin with, or of a part of it.

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
        self._odds = odds
        self._exactly = exactly
        self._way = way  # how it was taken, if another way to take it would be rounded otherwise

    @property
    def _field(self) -> Field:
        return self._odds._field

    def _part(self, parts: int, way: str = "part") -> Budget:
        """Return the part of which so many are ε."""
        p = self._odds
        if parts < 1:
            self._refuse(f"parts of ε must be at least 1, got {parts}")
        if parts == 1:
            return Budget(p, self._exactly, self._way)
        is_power = p._den == {0: 1} and [*p._num.values()] == [1] and max(p._num) <= Y
        if not is_power:
            question = f"a part of {self._text()} is the logarithm of no fraction"
            self._refuse(question, "take a part of ε before that")
        exponent = max(p._num)
        if exponent % parts:
            order = parts // gcd(exponent, parts)
            self._field.wants = order
            self._field.refuse(Root(order))
        odds = Formula({exponent // parts: 1}, {0: 1}, p._field)
        return Budget(odds, self._exactly, self._way + self._rounding(parts, way))

    def _exact(self) -> Budget:
        return Budget(self._odds, True, self._way)

    def _rounding(self, n: int, way: str) -> str:
        """Name a way to take n parts, or so many times as much, if floats round there."""
        is_power_of_two = n & (n - 1) == 0
        if is_power_of_two:
            return ""
        if self._exactly:
            way = f"exact {way}"
        return f"{way} {n}; "

    def __truediv__(self, parts: int) -> Budget:
        return self._part(self._whole(parts))

    def __mul__(self, n: int) -> Budget:
        n = self._whole(n)
        if n < 1:
            self._refuse(f"multiples of ε must be at least 1, got {n}")
        return Budget(self._odds**n, self._exactly, self._way + self._rounding(n, "times"))

    __rmul__ = __mul__

    def _whole(self, n: Any) -> int:
        """Return a whole number by which ε is multiplied or divided.

        A float is rounded there, but for powers of two.
        """
        if not plain_number(type(n)) or not isinstance(n, Integral):
            rule = "ε can be multiplied and divided by whole numbers only, as in ε / 2"
            self._refuse(f"{rule}, got {article(type(n).__name__)}")
        number = int(n)
        is_power_of_two = number & (number - 1) == 0
        self._field.nearest |= not is_power_of_two and not self._exactly
        return number

    def _against(self, other: object, rule: Callable[[Any, Any], bool]) -> bool:
        """Compare with what is at most 0, or with another part of ε where both are formulas."""
        if plain_number(type(other)) and other <= 0 and self._positive:  # type: ignore[operator]
            return rule(1, 0)
        if not isinstance(other, Budget):
            question = f"how ε compares with {article(type(other).__name__)} depends on ε"
            self._refuse(question, "leave checks of ε to those who call the client")
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
        cure = "keep no cache by ε: compute the coin each time"
        return self._refuse("the hash of ε depends on ε", cure)

    def _text(self) -> str:
        """Write ε as a logarithm."""
        return f"ln({self._odds._text()})"


def is_probability(p: Formula) -> bool:
    """Whether a formula is a probability for all ε."""
    known = p._field.probabilities
    key = tuple(p._num.items()), tuple(p._den.items())
    if key not in known:
        rest = p._field.formula(1)._plus(p._negative())
        known[key] = p._below(0) is False and rest._below(0) is False
    return known[key]
