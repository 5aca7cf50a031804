"""No message rounds a bound, or what breaks it, until it contradicts itself."""

import ast
import re
from fractions import Fraction
from math import inf, nan, nextafter
from pathlib import Path

import numpy as np
import pytest

from ldpnb import GRR, PCKVUE, Account, Number, OneOf, Ratings, Survey, SystemRandom
from ldpnb.attributes import maxent, tables
from ldpnb.checks import apart, at_least, in_full, shown
from ldpnb.numbers import Range
from ldpnb.numbers.distortion import hamming_epsilon
from ldpnb.postprocess import maximum_likelihood
from ldpnb.serve import choose

SOURCE = Path(__file__).resolve().parent.parent / "ldpnb"
TENTHS = 0.1 + 0.2  # a little more than 0.3
THIRDS = nextafter(2 / 3, 1)
SCALE = Ratings(["x"], 0, 0.3, 1, mechanism=PCKVUE(d=1, ell=1, epsilon=1.0))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: Number(0, 0.3, epsilon=1.0).encoded([TENTHS]), "in [0, 0.3], got 0.30000000000000004, 1 outside"),
        (lambda: Number(1000001, 2e6, epsilon=1.0).encoded([1000000.9]), "in [1000001, 2000000], got 1000000.9, 1"),
        (lambda: SCALE.encoded([{"x": TENTHS}]), "rating must be in [0, 0.3], got 0.30000000000000004: choose"),
        (lambda: Range(low=0, high=0.3).to_unit([TENTHS]), "numbers in [0, 0.3], got 0.30000000000000004"),
        (lambda: hamming_epsilon(3, THIRDS), f"(0, 0.6666666666666666], got {THIRDS!r}"),
    ],
)
def test_a_bound_and_what_breaks_it_are_printed_in_full(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call()


def test_the_sum_of_a_survey_is_not_its_limit_in_print():
    questions = {f"q{i}": OneOf([True, False], epsilon=0.1) for i in range(10)}
    limit = 1 - 2**-39
    with pytest.raises(ValueError, match=f"the sum of ε, 1.0, got {limit!r}: lower"):
        Survey(questions, limit=limit)


def test_a_half_width_that_a_message_asks_for_is_accepted():
    """It is rounded up, never down."""
    for n in (1000, 1234, 20_000):
        question = choose.Item(n=n, epsilon=1.0, k=40, share=0.05)
        with pytest.raises(ValueError, match="half_width must be at least") as caught:
            question.epsilon_for(1e-4)
        least = float(re.search(r"at least ([\d.e-]+),", str(caught.value))[1])
        assert question.epsilon_for(least) <= 32


def test_an_account_with_something_left_does_not_print_its_limit_as_spent(tmp_path):
    account = Account(tmp_path / "account", limit=1 + 1e-7)
    account.report(GRR(k=2, epsilon=1.0), [0], rng=SystemRandom())
    assert str(account).startswith("ε = 1 spent of limit = 1.0000001, and 1e-07 left\n")
    other = Account(tmp_path / "other", limit=1.0)
    other.report(GRR(k=2, epsilon=1 - 1e-7), [0], rng=SystemRandom())
    assert str(other).startswith("ε = 0.9999999 spent of limit = 1, and 1e-07 left\n")


@pytest.mark.parametrize("module", [tables, maxent])
def test_what_is_left_is_printed_above_what_is_allowed(module):
    """The message is written with `apart`, which says the difference."""
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    assert [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "apart"]


def test_a_gap_just_above_the_one_allowed():
    a, counts = np.array([[0.7, 0.2], [0.2, 0.3], [0.1, 0.5]]), np.array([[5, 3, 2]])

    def left(gap):
        with pytest.raises(RuntimeError, match="left a gap of") as caught:
            maximum_likelihood(a, counts, gap=gap, steps=1)
        return re.search(r"gap of ([\d.e-]+)(.*) in table 0, above gap = ([\d.e-]+)$", str(caught.value)).groups()

    low, high = 1e-12, float(left(1e-12)[0]) * 2
    while high - low > 1e-9 * high:  # the gap that there is
        middle = (low + high) / 2
        try:
            maximum_likelihood(a, counts, gap=middle, steps=1)
            high = middle
        except RuntimeError:
            low = middle
    found, more, allowed = left(low)
    assert found == allowed and re.fullmatch(r", which is [\d.e-]+ more", more)


def test_two_numbers_are_told_apart_in_print():
    assert apart(0.3, TENTHS) == ("0.3", "0.3, which is 5.6e-17 more")
    assert apart(TENTHS, 0.3) == ("0.3", "0.3, which is 5.6e-17 less")
    assert apart(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), 3) == ("0.333", "0.333, which is 1e-30 more")
    assert apart(1.0, 1.0) == ("1", "1") and apart(1, nan) == ("1", "nan") and apart(inf, inf) == ("inf", "inf")
    assert apart(nan, nan) == ("nan", "nan")
    assert apart(0.12345, 0.1236, 3) == ("0.123", "0.124")


@pytest.mark.parametrize("limit", [0.01234, 0.0129999, 0.9996, 1.0, 999.6, 1e-300, 12345678.0, 0.5])
def test_a_least_value_is_rounded_up(limit):
    assert limit <= float(at_least(limit)) <= 1.01 * limit
    assert limit <= float(at_least(limit, 6)) <= 1.00001 * limit
    assert float(in_full(limit)) == limit


def test_no_error_rounds_what_it_names():
    """In an error, only constants and what is compared with nothing may be rounded by `:g`."""
    alone = {"rows.min()", "largest.min()", "bias", "spurious", "epsilon", "wide", "-spare"}
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise):
                found |= {(path.name, text) for text in rounded(node)}
    strange = {(name, text) for name, text in found if not text.isupper() and text not in alone}
    assert strange == set()


# What the book needs for itself, and what is below `checks`, which has `shown`.
BELOW = {"formula.py", "chance.py", "_door.py", "_disk.py", "keeping.py"}


def test_no_error_writes_a_value_at_full_length():
    """Values of callers are cut, and those of which Python writes none are described: `shown` does both."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        if path.parent.name in ("book", "verify") or path.name in BELOW:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise):
                parts = [part for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
                found |= {(path.name, ast.unparse(part)) for part in parts if part.conversion != -1}
    assert found == set()


class Silent:
    def __repr__(self):
        raise RuntimeError


def test_whatever_is_refused_is_shown():
    assert shown(0.1) == "0.1" and shown("x" * 100) == "'" + "x" * 59 and shown(range(9), most=5) == "range"
    assert shown(10**5000) == "an integer of 16610 bits" and shown([10**5000]) == "a list"
    assert shown(Silent()) == "a Silent" and shown("\u00fc", ascii) == r"'\xfc'"


def test_limits_of_epsilon_are_not_those_of_fewer_bits():
    for wrong in (np.float32(1e-6), np.nextafter(np.longdouble(32), np.longdouble(33))):
        with pytest.raises(
            ValueError, match=r"^epsilon must be a finite number in \[1e-06, 32\], got .*(9.99|32.000000)"
        ):
            GRR(k=2, epsilon=wrong)


def rounded(node):
    """What an expression writes with a format that rounds."""
    for part in ast.walk(node):
        if isinstance(part, ast.FormattedValue) and part.format_spec:
            spec = ast.unparse(part.format_spec)
            if re.search(r"[0-9.]*[gef]['\"]$", spec):
                yield ast.unparse(part.value)
