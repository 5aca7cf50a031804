"""Formulas in e^ε compute like the numbers they stand for, and refuse whatever depends on ε."""

from fractions import Fraction
from math import e as euler, log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ldpnb.chance import exact, inexact, odds
from ldpnb.formula import Budget, Field, Formula, Root, sign, times
from ldpnb.oracles.frequency import GRR, OUE, SUE

POINTS = [Fraction(7, 3), Fraction(101, 100), Fraction(40)]
small = st.integers(-4, 4)


def formula(field, top, bottom):
    """Write a fraction of polynomials in y by its coefficients, lowest first."""
    return Formula(*({m: c for m, c in enumerate(row) if c} for row in (top, bottom)), field)


@given(*[st.lists(small, min_size=1, max_size=3)] * 2, *[st.lists(st.integers(1, 4), min_size=1, max_size=3)] * 2)
def test_arithmetic_is_that_of_fractions(a, b, c, d):
    field = Field()
    f, g = formula(field, a, c), formula(field, b, d)
    for y in POINTS:
        x, z = f.at(y), g.at(y)
        assert [(f + g).at(y), (f - g).at(y), (f * g).at(y), (1 - f).at(y), (f**2).at(y)] == [
            x + z,
            x - z,
            x * z,
            1 - x,
            x**2,
        ]
        if g.num:
            assert (f / g).at(y) == x / z
    assert f.same(g) == all(f.at(y) == g.at(y) for y in (*POINTS, 3, 5, 6, 7, 8))


@pytest.mark.parametrize(
    "roots, expected",
    [([], 0), ([3], None), ([Fraction(1, 2)], 0), ([1], 0), ([3, 3], None), ([2, 5], None)],
    ids=str,
)
def test_sign_knows_roots_beyond_one(roots, expected):
    """With a root beyond y = 1 no sign is shown, though a double one would change none; roots up to 1 do not matter."""
    p = {0: 1}
    for r in map(Fraction, roots):
        p = times(p, {1: r.denominator, 0: -r.numerator})
    assert (sign(p)[0] is None) == (expected is None)


def test_a_formula_has_no_value():
    e = Field().epsilon
    x = odds(e)
    for use in (float, int, round, lambda f: [0][f], lambda f: f > 2, lambda f: 1 if f > Fraction(3, 2) else 0):
        with pytest.raises(TypeError):
            use(x)
    assert x > 1 or x == 1  # what holds for every ε > 0 may be asked
    assert (x - 1) / (x + 4) < 1


def test_parts_of_a_budget_are_roots():
    with pytest.raises(Root) as found:
        Field().epsilon / 2
    assert found.value.order == 2
    half = Field(roots=2).epsilon / 2
    assert isinstance(half, Budget) and odds(half) ** 2 == Field(roots=2).e


@pytest.mark.parametrize("make, roots", [(GRR, 1), (OUE, 1), (SUE, 2)])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_a_mechanism_of_a_symbolic_budget_has_the_numbers_of_the_real_one(make, roots, epsilon):
    shipped, symbolic = make(k=4, epsilon=epsilon), make(k=4, epsilon=Field(roots).epsilon)
    y = Fraction(euler ** (epsilon / roots))
    for p, f in zip(shipped.support, symbolic.support, strict=True):
        assert float(p) == pytest.approx(float(exact(f).at(y) if isinstance(f, Formula) else f), rel=1e-14)
    assert float(symbolic.realised_epsilon.odds.at(y)) == pytest.approx(np.exp(epsilon), rel=1e-13)
    wrong = float(symbolic.realised_epsilon.odds.at(y * Fraction(11, 10)))  # control: another ε is another number
    assert wrong != pytest.approx(np.exp(epsilon), rel=1e-3)


def test_numbers_stay_numbers():
    assert exact(0.5) == Fraction(1, 2) and isinstance(inexact(Fraction(1, 3)), float)
    assert odds(log(2)) == pytest.approx(2) and odds(1.0) < Fraction(271828182846, 10**11)


ASKED = {  # about x = e^ε, u = x − 1 and a slack w: which comparisons have one answer
    "p > 1": lambda x, w: x > 1,
    "1 <= p": lambda x, w: x >= 1,
    "p != 1": lambda x, w: x != 1,
    "p": lambda x, w: bool(x),
    "1 + w > 0": lambda x, w: 1 + w > 0,
    "w >= 0": lambda x, w: w >= 0,
    "x (1 + w) > 1": lambda x, w: x * (1 + w) > 1,
    "not x < 1": lambda x, w: not x < 1,
    "not w < 0": lambda x, w: not w < 0,
}
UNSETTLED = {
    "== 2": lambda x, w: x == 2,
    "!= 2": lambda x, w: x != 2,
    "== x²/2": lambda x, w: x == x * x / 2,
    "in": lambda x, w: x in [3, 4],
    "truth": lambda x, w: bool(x - 2),
    "w": lambda x, w: bool(w),
    "w > 0": lambda x, w: w > 0,
    "w <= 0": lambda x, w: w <= 0,
    "w (x − 1) == 0": lambda x, w: w * (x - 1) == 0,
    "two slacks": lambda x, w: w == w.field.slack(),
}


@pytest.mark.parametrize("name", [*ASKED, *UNSETTLED])
def test_a_comparison_has_one_answer_for_all_epsilon_or_none(name):
    field = Field()
    x, w = field.e, field.slack()
    if name in ASKED:
        assert ASKED[name](x, w) is True
    else:
        with pytest.raises(TypeError, match="depends on ε"):
            UNSETTLED[name](x, w)


def test_what_holds_from_1e_6_on_is_remembered():
    field = Field()
    assert field.e > 1 and not field.late
    assert field.e > 1 + Fraction(1, 2**26) and field.late


def test_numbers_are_read_as_fractions_only_where_that_is_asked_for():
    for plain in (False, True):
        third = Field(plain=plain).e * (1 / 3)
        assert third.same(third.field.e / 3) is plain
    assert not (Field(plain=True).e * 0.3333).same(Field(plain=True).e / 3)


@pytest.mark.parametrize("number", [2, Fraction(1, 3), np.int64(2), True, 2.0, np.float64(2)])
def test_a_float_in_the_arithmetic_is_noticed(number):
    for use in (lambda x: x + number, lambda x: number * x, lambda x: number / x, lambda x: x > -number):
        field = Field()
        use(field.e)
        assert field.floats is isinstance(number, float)


def test_formulas_are_keys():
    """Different ones are not compared, which could stop, although they cross."""
    field = Field()
    x, w, v = field.e, field.slack(), field.slack()
    some = [x, x * x, x * x / 2, x * x - x, w, v, 1 / (1 + w), 1 / (1 + v), x - 2, 2 - x, x / x]
    assert len({*some, *[p * 1 for p in some]}) == len(some)
