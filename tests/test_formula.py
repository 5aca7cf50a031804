"""Formulas in e^ε compute like the numbers they stand for, and refuse whatever depends on ε."""

import pickle
from fractions import Fraction
from math import e as euler, log
from sys import getsizeof

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ldpnb.chance import exact, inexact, odds
from ldpnb.formula import Budget, Field, Formula, Root, in_lowest_terms, never_zero, sign, times
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.unary import OUE, SUE

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
    [
        ([], 1),
        ([3], None),
        ([Fraction(1, 2)], 1),
        ([1], 1),
        ([3, 3], 1),
        ([3, 3, 3], None),
        ([2, 5], None),
        ([2, 2, 5, 5], 1),
        ([2, 2, 5], None),
        ([2, 2, 5, 5, 5, 5, 7, 7, 7], None),
        ([2] * 6, 1),
    ],
    ids=str,
)
def test_sign_changes_at_roots_of_odd_order_beyond_one(roots, expected):
    p = {0: 1}
    for r in map(Fraction, roots):
        p = times(p, {1: r.denominator, 0: -r.numerator})
    assert sign(p)[0] == expected
    assert never_zero(p) == (all(r <= 1 for r in roots), False)


def test_a_double_root_is_a_zero_and_no_change_of_sign():
    """A coin may touch 0 at one ε; whether it is 0 has no one answer."""
    x = Field().e
    touches = (x - 2) ** 2 / ((x - 2) ** 2 + 1)
    assert touches >= 0 and touches < 1
    for question in (lambda: touches > 0, lambda: touches == 0, lambda: bool(touches)):
        with pytest.raises(TypeError, match="depends on ε"):
            question()


def test_exponents_that_are_too_large_are_refused_and_remembered():
    """Monomials are packed into integers; y^(2^20) would be a slack variable."""
    field = Field()
    large = field.e**1024
    for _ in range(8):
        large = large * large
    assert large.num == {2**18: 1}
    with pytest.raises(TypeError, match="exponents of a formula must be below 524288"):
        large * large * large
    assert "exponents" in str(field.refused)
    for power in (1025, -1025, 0.5, "2"):
        with pytest.raises(TypeError, match="powers of a formula in e\\^ε must be whole numbers up to 1024"):
            Field().e ** power


def test_a_client_may_divide_by_what_is_never_zero_and_by_nothing_else():
    field = Field()
    x, w = field.e, field.slack()
    with field.run():
        fine = [1 / (x + 1), 1 / (x - 1), 1 / (x + w)]
        for denominator in (x - 2, x - x, w, w * (x - 1)):
            with pytest.raises(TypeError, match="whether .* is 0 depends on ε|divided by 0"):
                1 / denominator
    assert len(fine) == 3 and (1 / (x - 2)).same(1 / (x - 2))  # the server may


def test_public_names_of_symbols_answer_nobody_who_runs():
    field = Field()
    names = [(field.e, name) for name in ("at", "below", "coin", "den", "field", "num", "same", "text")]
    names += [(field.epsilon, "odds"), (field.epsilon, "text"), (field.e, "number"), (field.epsilon, "real")]
    for symbol, name in names:
        with field.run(), pytest.raises(TypeError, match=f"the attribute {name} of .* depends on ε"):
            getattr(symbol, name)
    for ask in (repr, hash, dir, pickle.dumps, lambda x: x.__getstate__(), lambda x: x.__reduce__(), getsizeof):
        for symbol in (field.e, field.epsilon):
            with field.run(), pytest.raises(TypeError, match="depends on ε"):
                ask(symbol)
    assert pickle.loads(pickle.dumps(field.e)).text() == field.e.text() == "e^ε"


def test_ratios_in_two_variables_are_shown_in_lowest_terms():
    field = Field()
    x = field.e
    k = field.slack() + 2
    field.least = 2
    shown = {
        (x * k) / (k * 1): "e^ε",
        (x * k * (x + 1)) / (k * k * (x + 1)): "e^ε/k",
        (x * x - 1) * k / ((x - 1) * (k + 1)): "(e^ε·k + k)/(k + 1)",
        (k * x + k - 1) / (k - 1): "(e^ε·k + k - 1)/(k - 1)",
    }
    for formula, text in shown.items():
        assert in_lowest_terms(formula).text() == text
        assert in_lowest_terms(formula).same(formula)


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
    assert isinstance(half, Budget) and odds(half) ** 2 == half._field.e


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
    field = Field(plain=True)
    assert not (field.e * 0.3333).same(field.e / 3)


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
