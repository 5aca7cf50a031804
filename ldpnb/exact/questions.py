"""What the package asks of formulas while a client runs, as it asks the same of numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import index
from typing import Any

from ldpnb.exact.formulas import COIN, EXACT, ROUNDED, Budget, Formula, plain_number
from ldpnb.exact.polynomials import never_zero


def odds_of(epsilon: Budget) -> Formula:
    """Return e^ε, or with rounded coins any number just below."""
    return epsilon._field.below(epsilon)._fresh(EXACT)


def probable(p: Formula) -> None:
    """Refuse what is no probability for some ε."""
    p._field.probable(p)


def exactly_of(p: Formula) -> Formula:
    """Return a formula as a Fraction would be.

    Floats are met exactly from here on, and remain rounded if they were.
    """
    p._field.floats |= p._float == ROUNDED
    return p._fresh(EXACT)


def inexactly(p: Formula) -> Formula:
    """Return a formula as a float would be: this rounds once more, but for coins on the grid."""
    if p._float != EXACT:
        return p
    if p._field.is_coin(p):
        return p._fresh(COIN)
    return p._fresh(ROUNDED)


def log_of(p: Formula, times: int = 1, below: bool = False) -> Budget:
    """Return the logarithm of a formula, or a multiple; as the nearest float, or one below it."""
    if type(times) is not int or p._field.formula(0)._below(p) is not True:
        p._field.refuse(
            TypeError(f"whether {p._brief()} has a logarithm depends on {p._field.unknown}")
        )
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
    if own:
        field = own.formula(p)._field
    else:
        field = p._field
    field.drawn_from(source)
    field.probable(p)
    if field.point is None:
        return p._coin
    q = field.number(p)
    return q.numerator, q.denominator - q.numerator


def weights_of(weights: tuple[Any, ...], source: object) -> tuple[Any, ...]:
    """Weights of a draw as formulas; none may be negative for any ε, and not all may be zero."""
    field = getattr(source, "_field", None)
    if field is None:
        field = next(weight._field for weight in weights if isinstance(weight, Formula))
    field.drawn_from(source)
    found = tuple(field.formula(_number(weight)) for weight in weights)
    for weight in found:
        field.floats |= weight._float == ROUNDED
        if weight._below(0) is not False:
            got = weight._brief()
            message = f"weights must not be negative for any {field.unknown}, got {got}"
            field.refuse(ValueError(message))
    sure, late = never_zero(reduce(Formula._plus, found)._num)
    field.late |= late
    if not sure:
        field.refuse(ValueError(f"weights must not be all zero for any {field.unknown}"))
    return found


def _number(weight: Any) -> Any:
    """Return a weight as a formula can take it."""
    if isinstance(weight, Formula | Fraction):
        return weight
    return index(weight)


def above_one(p: Formula) -> Formula:
    """Round p > 1 down so finely that p − 1 is not rounded to 0."""
    found = p._field.round_any(p, True)._fresh(EXACT)
    found._was_rounded = p._was_rounded
    return found


def note_range(epsilon: Budget, low: float, high: float) -> None:
    """Note that a part of ε was checked to be in a range.

    For some ε it may not be, so a proof tries such, too.
    """
    if epsilon._field.running:
        epsilon._field.checked.append((epsilon._odds, low, high))


def within(p: Any, low: Any, high: Any) -> bool:
    """Whether low < p < high, of a number, or of a formula for all ε.

    It is a check of the package's, not of a client.
    """
    for kind in map(type, (p, low, high)):
        if kind is not Formula and not plain_number(kind):
            raise TypeError("numbers of classes of their own are not compared")
    if not isinstance(p, Formula):
        return bool(low < p < high)
    inside = p._field.formula(low)._below(p) is True and p._below(high) is True
    if not inside and p._field.running:
        p._field.refuse(
            TypeError(f"whether {p._brief()} is between {low} and {high} may depend on ε")
        )
    return inside


def ascending(some: Any) -> bool:
    """Whether budgets ascend, for all ε: a check of the package's, not of a client."""
    pairs = list(pairwise(some))
    budgets = [e for e in some if isinstance(e, Budget)]
    if not budgets:
        return all(a < b for a, b in pairs)
    up = len(budgets) == len(some)
    up = up and all(a._odds._below(b._odds) is True for a, b in pairs)
    if not up and budgets[0]._field.running:
        budgets[0]._field.refuse(TypeError("whether parts of ε ascend may depend on ε"))
    return up


def possible(weight: Any) -> bool:
    """Whether an option of this weight is ever taken.

    A formula may be zero at times; it is not asked.
    """
    if isinstance(weight, Formula):
        return bool(weight._num)
    return bool(weight)


def same_weights(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether two choices have the same weights, for all ε."""
    if len(some) != len(others):
        return False
    return all(map(_same_weight, some, others))


def _same_weight(v: Any, w: Any) -> bool:
    if isinstance(v, Formula):
        return v is w or v._same(w)
    return isinstance(v, int) and isinstance(w, int) and v == w
