"""Running a client with numbers in place of ε: it must do there what its formulas say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from random import Random
from typing import Any

from ldpnb.exact.arguments import EPSILON_MAX, EPSILON_MIN, OUT_OF_RANGE, apart
from ldpnb.exact.deciding import FINE
from ldpnb.exact.distributions import Law, laws
from ldpnb.exact.formulas import Formula
from ldpnb.exact.polynomials import Poly, plus, roots as roots_beyond_zero, shifted, whole
from ldpnb.exact.probabilities import odds
from ldpnb.exact.proofs import brief
from ldpnb.exact.ratios import stated_rounding, worst
from ldpnb.exact.symbolic import Laws, Maker

POINTS = (0.3, 2.5)  # ε at which the client is run with numbers
TRIED = (1e-6, 0.01, 1, 16.0, 32.0, 40.0)  # and further ones, one of them an int
STRATA = (  # further ones: one at random from each of so many parts of these ranges
    (1e-6, 0.1, 8),
    (0.1, 32.0, 16),
)
INTEGERS = (2, 5, 9, 13)  # in place of those near them
WALKED = 4000  # branches that are walked for all of that
CHECKED = 64  # bounds of ε at which a part of it leaves the range of ε, at most
CLOSE = 1 + Fraction(1, 10**56)  # `odds` is closer to e^ε than by this factor
DIGITS = 9  # to which laws must agree, where probabilities are large against 2**-53
MANY = 16  # steps of 2**-53 by which they may always differ: coins may be made of rounded ones


# ------------------------------------------------------------------------------- running it


def replayed_with_numbers(
    make: Maker, handed_in: Any, inputs: Any, found: Laws, limit: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the ε at which the client was run with numbers, and those at which it exceeds e^ε.

    A client whose law with numbers is not that of the formulas is refused.
    """
    tested = list[float]()
    broken = list[float]()
    for epsilon, client in _made(make, handed_in, found):
        replayed = _laws_in_numbers(client, epsilon, inputs, limit)
        if replayed is None:
            continue
        formulas = found.at(Fraction(exp(epsilon / found.field.roots)))
        for one, other in zip(replayed, formulas, strict=True):
            _compare(one, other, epsilon, found.longest)
        tested.append(epsilon)
        ratio = worst(replayed).ratio
        if ratio is None or ratio > odds(epsilon) * CLOSE:
            broken.append(epsilon)
    return tuple(sorted(tested)), tuple(broken)


def _laws_in_numbers(client: Any, epsilon: float, inputs: Any, limit: int) -> list[Law] | None:
    """Laws of a client with numbers; None if its coins are not made for so small or large an ε."""
    before = OUT_OF_RANGE[0]
    try:
        replayed = laws(client, inputs, limit=limit)
    except ValueError as error:
        if EPSILON_MIN <= epsilon <= EPSILON_MAX:
            raise ValueError(f"at ε = {epsilon:.6g}, {error}") from error
        return None
    if OUT_OF_RANGE[0] > before:
        raise ValueError(
            "the client must not go on where a part of ε is out of range: "
            f"it does at ε = {epsilon:.6g}"
        )
    return replayed


def _made(make: Maker, handed_in: Any, found: Laws) -> Iterator[tuple[float, Any]]:
    """Values of ε with the client that has them; first a mechanism's own, as it was handed in."""
    own = None
    if handed_in is not None:
        own = float(handed_in.epsilon)
        yield own, handed_in
    for epsilon in [*_numbers(found.branches), *between(found.field.checked, found.field.roots)]:
        if epsilon == own:
            continue
        try:
            client = make(epsilon)
        except ValueError:  # it is not made for so little, or so much
            continue
        yield epsilon, client


def _compare(one: Law, other: Law, epsilon: float, choices: int) -> None:
    """Refuse a law that is not that of the formulas.

    Each rounded coin moves a probability by less than 2**-53, however small it is.  So those near
    this are not compared digit by digit; whether their ratios exceed e^ε is looked at elsewhere.
    """
    rounding = Fraction(max(choices, MANY), 2**53)
    for report in one.keys() | other.keys():
        p = one.get(report, Fraction(0))
        q = other.get(report, Fraction(0))
        too_far = abs(p - q) > q / 10**DIGITS + rounding
        impossible = p > 0 and q == 0
        if too_far or impossible:
            meant, found = apart(q, p, DIGITS)
            said = f"report {brief(report)} has probability {found}, and {meant} by the formulas"
            raise ValueError(
                "the client must do the same with a number as with a symbol: "
                f"at ε = {epsilon:.6g} {said}"
            )


def only_tested(make: Maker, inputs: Any, limit: int) -> str:
    """Say of a client that cannot be proved whether it keeps some ε."""
    tested = 0
    broken = list[float]()
    for epsilon in (*POINTS, *TRIED):
        with suppress(Exception):
            ratio = worst(laws(make(epsilon), inputs, limit=min(limit, WALKED))).ratio
            tested += 1
            if ratio is None or ratio > odds(epsilon + stated_rounding(epsilon)):
                broken.append(epsilon)
    if not tested:
        return ""
    what = "ε is kept at each of them"
    if broken:
        what = f"more than ε is shown, first at ε = {min(broken):g}"
    return f". This is no proof: at {tested} values of ε that were tried, {what}"


# ----------------------------------------------------------------------------- at which values of ε


def _numbers(branches: int) -> list[float]:
    """Values of ε to try: some that are always tried, and more at random, on a scale of powers."""
    dice = Random(0)
    more = list[float]()
    for low, high, parts in STRATA:
        step = (high / low) ** (1 / parts)
        for i in range(parts):
            least = low * step**i
            most = low * step ** (i + 1)
            at_random = least * step ** dice.random()
            integers = [n for n in INTEGERS if least <= n < most]
            if integers:
                more.append(integers[0])
            else:
                more.append(at_random)
    dice.shuffle(more)
    return [*POINTS, *TRIED, *more[: WALKED // branches]]


def between(checked: Iterable[tuple[Formula, float, float]], roots: int) -> list[float]:
    """Values of ε between those at which parts of it enter or leave a range that was checked."""
    bounds = {EPSILON_MIN, EPSILON_MAX}
    for odds_of_part, low, high in dict.fromkeys(checked):
        for bound in (low, high):
            for epsilon in _equal(odds_of_part, bound, roots):
                if EPSILON_MIN < epsilon < EPSILON_MAX:
                    bounds.add(epsilon)
    if len(bounds) > CHECKED:
        raise ValueError(
            f"client must check fewer parts of ε, got {len(bounds)} values at which one leaves its "
            "range"
        )
    if len(bounds) == 2:
        return []
    return [(low * high) ** 0.5 for low, high in pairwise(sorted(bounds))]


def _equal(odds_of_part: Formula, bound: float, roots: int) -> Iterator[float]:
    """Values of ε at which a part of it, given by its e^ε, is equal to a bound."""
    num = odds_of_part.num
    den = odds_of_part.den
    is_power = den == {0: 1} and [*num.values()] == [1]
    if is_power:
        yield bound * roots / max(num)
        return
    limit = odds(bound) if bound else 1
    for y in _roots_of(plus(num, den, -limit)):
        yield roots * log(y)


def _roots_of(p: Poly) -> list[Fraction]:
    """Roots of a polynomial in y beyond 1, each as the lower end of an interval that holds some."""
    (q,) = whole(p)
    found = list[Fraction]()
    if len(q) < 2:
        return found
    spans = [(Fraction(1), odds(EPSILON_MAX))]
    while spans:
        low, high = spans.pop()
        if roots_beyond_zero(shifted(q, low)) == roots_beyond_zero(shifted(q, high)):
            continue
        if high - low < FINE * low:
            found.append(low)
            continue
        middle = (low + high) / 2
        spans += [(low, middle), (middle, high)]
    return found
