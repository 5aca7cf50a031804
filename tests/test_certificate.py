"""The stand-alone checker of certificates: what it reads, what it refuses, and that damage does not deceive it."""

import re
import subprocess
import sys
from fractions import Fraction
from random import Random
from time import perf_counter

import certificate
import numpy as np
import pytest
from built import ROOT

from ldpnb.oracles import GRR, SUE
from ldpnb.verify import prove

RIGHT = """\
# randomized response
r 1
start 1
total 1 + 1*y^1
p 0 0 : 1*y^1
p 0 1 : 1
p 1 0 : 1
p 1 1 : 1*y^1
"""


def with_line(number, line):
    lines = RIGHT.split("\n")
    lines[number - 1] = line
    return "\n".join(lines)


def with_reports(one, other):
    return RIGHT.replace(" 0 :", f" {one} :").replace(" 1 :", f" {other} :")


def test_randomized_response_is_accepted():
    assert certificate.check(RIGHT) == 4


@pytest.mark.parametrize(
    "one, other",
    [
        ("a : 1", "a : 2"),
        ("p 0 a : 1*y^1", "total 1"),
        (" : ", "::"),
        ("", " "),
        ("x\u2028y", "x\x0by\r"),
        ("'\\n'", "# no comment"),
    ],
)
def test_a_report_may_be_any_text(one, other):
    assert certificate.check(with_reports(one, other)) == 4


def test_comments_may_stand_anywhere():
    assert certificate.check(RIGHT.replace("\n", "\n# p 0 0 : 1\n")) == 4


REFUSED = {
    "a root with an underscore": (with_line(2, "r 1_6"), "line 2: must be r and"),
    "a root with a sign": (with_line(2, "r +1"), "line 2: must be r and"),
    "a root with a space": (with_line(2, "r  1"), "line 2: must be r and"),
    "a root with a zero in front": (with_line(2, "r 01"), "line 2: must be r and"),
    "a root of another script": (with_line(2, "r ١"), "line 2: must be r and"),
    "the root of order 0": (with_line(2, "r 0"), "line 2: must be r and"),
    "the root of order 17": (with_line(2, "r 17"), "line 2: must be r and"),
    "a start that is not in lowest terms": (with_line(3, "start 1/1"), "line 3: must be start 1"),
    "a start with two bars": (with_line(3, "start a/b/3"), "line 3: must be start 1"),
    "another start": (with_line(3, "start 2"), "line 3: must be start 1"),
    "a total without a polynomial": (with_line(4, "total "), "line 4: must be total and a polynomial"),
    "a total by another name": (with_line(4, "sum 1 + 1*y^1"), "line 4: must be total and a polynomial"),
    "a law with a zero in front": (with_line(6, "p 00 1 : 1"), "line 6: must be p, the number of a law"),
    "a law with a sign": (with_line(6, "p -0 1 : 1"), "line 6: must be p, the number of a law"),
    "a law of another script": (with_line(6, "p ٠ 1 : 1"), "line 6: must be p, the number of a law"),
    "a line without a colon": (with_line(6, "p 0 1 1"), "line 6: must be p, the number of a law"),
    "a line without a report": (with_line(6, "p 0 : 1"), "line 6: must be p, the number of a law"),
    "an empty line": (with_line(6, ""), "line 6: must be p, the number of a law"),
    "y without a power": (with_line(5, "p 0 0 : 1*y"), "line 5: a term must be like"),
    "y to the power 0": (with_line(6, "p 0 1 : 1*y^0"), "line 6: a term must be like"),
    "a negative power": (with_line(6, "p 0 1 : 1*y^-1"), "line 6: a term must be like"),
    "y with a number": (with_line(5, "p 0 0 : 1*y1^1"), "line 5: a term must be like"),
    "yy": (with_line(5, "p 0 0 : 1*yy^1"), "line 5: a term must be like"),
    "y twice": (with_line(5, "p 0 0 : 1*y^1*y^1"), "line 5: a term must be like"),
    "y behind a slack variable": (with_line(5, "p 0 0 : 1*w1^1*y^1"), "line 5: a term must be like"),
    "w without a number": (with_line(5, "p 0 0 : 1*w^1"), "line 5: a term must be like"),
    "w0": (with_line(5, "p 0 0 : 1*w0^1"), "line 5: a term must be like"),
    "w01": (with_line(5, "p 0 0 : 1*w01^1"), "line 5: a term must be like"),
    "a power of another script": (with_line(5, "p 0 0 : 1*y^١"), "line 5: a term must be like"),
    "a power with an underscore": (with_line(5, "p 0 0 : 1*y^1_0"), "line 5: a term must be like"),
    "no coefficient": (with_line(5, "p 0 0 : y^1"), "line 5: a term must be like"),
    "a coefficient with a plus": (with_line(5, "p 0 0 : +1*y^1"), "line 5: a term must be like"),
    "a coefficient with a zero in front": (with_line(5, "p 0 0 : 01*y^1"), "line 5: a term must be like"),
    "a coefficient of 0": (with_line(5, "p 0 0 : 1*y^1 + 0"), "line 5: a term must be like"),
    "two spaces": (with_line(5, "p 0 0 : 1  + 1*y^1"), "line 5: a term must be like"),
    "a space at the end": (with_line(5, "p 0 0 : 1*y^1 "), "line 5: a term must be like"),
    "a carriage return": (RIGHT.replace("\n", "\r\n"), "line 2: must be r and"),
    "a product that is given twice": (with_line(6, "p 0 1 : 2 + -1"), "line 6: a polynomial must give each"),
    "a report that is given twice": (with_line(6, "p 0 0 : 1"), "line 6: a law must give each report once"),
    "an exponent above the limit": (with_line(5, "p 0 0 : 1*y^65"), "line 5: an exponent of y must be at most 64"),
    "an exponent of many digits": (with_line(5, f"p 0 0 : 1*y^{'9' * 5000}"), "line 5: an exponent of y must be at"),
    "a coefficient of many digits": (with_line(5, f"p 0 0 : {'9' * 5000}"), "line 5: a coefficient must have at most"),
    "a text above the limit": ("#" * certificate.SIZE + "\n", "at most 2000000 characters"),
    "an empty text": ("", "must have lines, each ended by a line feed"),
    "a last line without its end": (RIGHT[:-1], "must have lines, each ended by a line feed"),
    "no law at all": ("r 1\nstart 1\ntotal 1\n", "must have a line r, a line start, a line total"),
    "one law alone": ("r 1\nstart 1\ntotal 2\np 0 0 : 1\np 0 1 : 1\n", "must have laws 0, 1, 2"),
    "a law that is left out": (RIGHT.replace("p 1", "p 2"), "must have laws 0, 1, 2"),
    "a total of 0": ("r 1\nstart 1\ntotal 0\np 0 0 : 0\np 1 0 : 0\n", "line 3: the total must have a term"),
    "a total that may be 0": ("r 1\nstart 1\ntotal 1*w1^1\np 0 0 : 1*w1^1\np 1 0 : 1*w1^1\n", "line 3: the total must"),
    "a total that is negative": ("r 1\nstart 1\ntotal -1\np 0 0 : -1\np 1 0 : -1\n", "line 3: the total may be"),
    "a law that does not add up": (with_line(8, "p 1 1 : 2*y^1"), "line 7: law 1 begins here and does not add up"),
    "a probability that is negative": (
        RIGHT.replace("p 0 0 : 1*y^1\np 0 1 : 1\n", "p 0 0 : -1\np 0 1 : 2 + 1*y^1\n"),
        "line 5: the probability may be negative",
    ),
    "more than e^ε": (RIGHT.replace("y^1", "y^2"), "line 5: the report tells this law from another: not p <= y"),
    "a report that one law alone has": (with_line(5, "p 0 2 : 1*y^1"), "line 5: the report tells this law from"),
    "a slack variable that one law alone has": (
        RIGHT.replace("1 + 1*y^1", "1 + 1*y^1 + 1*w1^1").replace("p 0 1 : 1", "p 0 1 : 1 + 1*w1^1")
        .replace("p 1 1 : 1*y^1", "p 1 1 : 1*y^1 + 1*w2^1"),
        "line 7: law 1 begins here and does not add up",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_named_with_its_line_and_its_rule(name):
    text, rule = REFUSED[name]
    with pytest.raises(ValueError, match=re.escape(rule)) as caught:
        certificate.check(text)
    assert type(caught.value) is ValueError


def test_the_time_grows_like_the_size_of_the_text():
    """Two texts that take the most work for their size; the second one is four times as long."""
    seconds = []
    for many in (1000, 4000):
        p = " + ".join(["1", *(f"1*y^64*w{i}^1" for i in range(1, many))])
        begun = perf_counter()
        assert certificate.check(f"r 16\nstart 16777217/16777216\ntotal {p}\np 0 a : {p}\np 1 a : {p}\n") == 2
        seconds.append(perf_counter() - begun)
    assert seconds[1] < 10 * seconds[0] + 1


def test_many_laws_are_no_more_work_than_their_lines():
    lines = "".join(f"p {law} a : 1\n" for law in range(3000))
    assert certificate.check(f"r 1\nstart 1\ntotal 1\n{lines}") == 3000 * 2999


# ------------------------------------------------------------------------------------------------------------- damage


def value(polynomial, numbers):
    """Value of a polynomial at some numbers, by another program than the one that is tested."""
    found = Fraction(0)
    for term in polynomial.split(" + "):
        coefficient, *powers = term.split("*")
        product = Fraction(coefficient)
        for power in powers:
            name, n = power.split("^")
            product *= numbers(name) ** int(n)
        found += product
    return found


def is_true(text, dice, points=12):
    """Whether all that a certificate says is true at some numbers."""
    roots, start, total, *rows = [line for line in text.split("\n") if line and not line.startswith("#")]
    roots, start = int(roots.removeprefix("r ")), Fraction(start.removeprefix("start "))
    names, polynomials = zip(*(row.rsplit(" : ", 1) for row in rows), strict=True)
    keys = [tuple(name.split(" ", 2)[1:]) for name in names]
    for _ in range(points):
        above = dice.choice([Fraction(1, 10**12), Fraction(1, 100), Fraction(1), Fraction(dice.randrange(1, 99), 7)])
        slacks = {}

        def number(name, slacks=slacks, y=start + above):
            some = [Fraction(0), Fraction(1, 2**40), Fraction(dice.randrange(9), 4), Fraction(10**6)]
            return y if name == "y" else slacks.setdefault(name, dice.choice(some))

        whole = value(total.removeprefix("total "), number)
        found = dict(zip(keys, (value(p, number) for p in polynomials), strict=True))
        laws = {law for law, _ in keys}
        sums = [sum(p for (own, _), p in found.items() if own == law) for law in laws]
        if whole <= 0 or min(found.values()) < 0 or any(one != whole for one in sums):
            return False
        most = number("y") ** roots
        for (_, report), p in found.items():
            if any(p > most * found.get((other, report), 0) for other in laws):
                return False
    return True


PIECES = [
    "0",
    "1",
    "9",
    "-",
    "+",
    " ",
    " + ",
    "*",
    "*y^1",
    "*y^2",
    "*w1^1",
    "^",
    "y",
    "w",
    ":",
    " : ",
    "\n",
    "p ",
    "r ",
]
PIECES += ["#", "\r", "\u2028", "١", "_", "e5", ".", "/", "total ", "start ", "p 0 ", "p 1 ", "p 2 "]


def damaged(text, dice):
    """Damage letters, lines or numbers of a certificate, in up to three places."""
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        lines, at, other = text.split("\n"), dice.randrange(len(text) + 1), dice.randrange(len(text) + 1)
        one, two = dice.randrange(len(lines)), dice.randrange(len(lines))
        kind = dice.randrange(9)
        if kind == 0:
            text = text[:at] + dice.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + 1 :]
        elif kind == 2:
            text = text[:at] + dice.choice(PIECES) + text[at + 1 :]
        elif kind == 3:
            text = text[: min(at, other)] + text[max(at, other) :]
        elif kind == 4:
            lines[one], lines[two] = lines[two], lines[one]
            text = "\n".join(lines)
        elif kind == 5:
            text = "\n".join([*lines[:one], lines[two], *lines[one:]])
        elif kind == 6:
            text = "\n".join(lines[:one] + lines[one + 1 :])
        elif kind == 7:  # one probability more, another one less
            extra = dice.choice(["1", "2*y^1", "-1", "1*w1^1", "-1*y^1", "1*y^1*w2^1"])
            less = extra.removeprefix("-") if extra[0] == "-" else f"-{extra}"
            lines[one], lines[two] = f"{lines[one]} + {extra}", f"{lines[two]} + {less}"
            text = "\n".join(lines)
        else:
            text = text.replace(dice.choice(["y^1", "1", "2", "p 0", "p 1", " : "]), dice.choice(PIECES), 1)
        text = text or "\n"
    return text


@pytest.fixture(scope="module")
def originals():
    grr, sue = prove(GRR(k=3, epsilon=1.0), np.arange(3)), prove(SUE(k=2, epsilon=1.0), np.arange(2))
    return [RIGHT, grr.laws.certificate, grr.rounded.certificate, sue.laws.certificate, sue.rounded.certificate]


def test_damage_is_refused_or_leaves_something_true(originals):
    dice, accepted = Random(11), 0
    for round_of_damage in range(1500):
        text = damaged(originals[round_of_damage % len(originals)], dice)
        try:
            certificate.check(text)
        except ValueError as error:
            assert type(error) is ValueError
            continue
        accepted += 1
        assert is_true(text, dice, points=3), text
    assert 20 < accepted < 300


def test_what_is_false_is_seen_to_be_false():
    """A control: the other program finds the mistakes, too."""
    assert is_true(RIGHT, Random(1))
    for name in ("more than e^ε", "a law that does not add up", "a probability that is negative"):
        assert not is_true(REFUSED[name][0], Random(1)), name


@pytest.mark.parametrize(
    "text, code, said",
    [(RIGHT, 0, "4 inequalities hold"), ("", 1, "refused: a certificate must have lines")],
)
def test_it_is_a_program_of_its_own(text, code, said):
    """It runs where there is nothing but the standard library."""
    command = [sys.executable, "-I", "-S", str(ROOT / "tests" / "certificate.py")]
    ran = subprocess.run(command, input=text, capture_output=True, text=True)
    assert ran.returncode == code and said in ran.stdout + ran.stderr and "Traceback" not in ran.stderr
