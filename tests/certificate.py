"""Check a certificate of `ldpnb.verify.prove` with whole numbers alone.

This program trusts nothing: it imports nothing of the package, runs no client, and draws nothing at
random.  To use it, copy it and run ``python certificate.py < certificate.txt``.

What a certificate looks like
-----------------------------
A certificate is a text of lines, each ended by a line feed.  Lines that begin with # are comments.
The others are, in this order:

    r ROOTS                        a whole number from 1 to 16
    start START                    1, or 16777217/16777216
    total POLYNOMIAL               the denominator of all probabilities
    p LAW REPORT : POLYNOMIAL      as many lines as there are probabilities

LAW is the number of an input: 0, 1, 2, and so on.  REPORT is any text without a line feed.  Since
a polynomial has no colon, the last colon of a line is the one that ends the report.  A report that
has no line for some law has probability 0 there.

    POLYNOMIAL is 0, or TERM + TERM + … with one space on each side of a plus.
    TERM is COEFFICIENT*y^NUMBER*w1^NUMBER*w2^NUMBER… with or without y, and with any of the w.
    COEFFICIENT and NUMBER are whole numbers other than 0, without leading zeros.
    A coefficient may have a minus in front.

Here y is the root of order ROOTS of e^ε, and w1, w2, …, the slack variables, are any numbers that
are at least 0.  A probability is its polynomial, divided by the total.

What is shown
-------------
For every y > START and all slack variables,

* the total is positive,
* every probability is at least 0, and the probabilities of each law add up to 1,
* no report is more than y^ROOTS = e^ε times as likely under one law as under another.

START 1 means every ε > 0.  The other START is below e^(ε/ROOTS) for every ε ≥ 1e-6, because
e^(ε/ROOTS) ≥ 1 + 1e-6/16 > 1 + 2^-24.

The way to show it: let START = a/b and u = b y − a, so that u > 0.  A polynomial in u and in the
slack variables is at least 0 if none of its coefficients is below 0.

What is not shown
-----------------
* That the polynomials are those of some client.
* That a certificate that is refused is false: a polynomial with a negative coefficient may have no
  negative value.
"""

import re
import sys
from math import comb

SIZE = 2_000_000  # characters of a certificate, at most
EXPONENT = 64  # of y, at most: the work grows like SIZE times EXPONENT
DIGITS = 1000  # of a coefficient, at most

STARTS = {"start 1": (1, 1), "start 16777217/16777216": (16777217, 16777216)}
ROOTS = re.compile(r"r ([1-9]|1[0-6])")
TOTAL = re.compile(r"total (.+)")
PROBABILITY = re.compile(r"p (0|[1-9][0-9]{0,5}) (.*) : ([^:]+)")
TERM = re.compile(r"(-?[1-9][0-9]*)(\*y\^[1-9][0-9]*)?((\*w[1-9][0-9]*\^[1-9][0-9]*)*)")


def need(right, line, rule):
    """Refuse the certificate unless something is right."""
    if not right:
        raise ValueError(f"line {line}: {rule}")


def numbered(text):
    """Return the lines that are no comments, with their numbers."""
    if len(text) > SIZE:
        raise ValueError(f"a certificate must have at most {SIZE} characters")
    if not text.endswith("\n"):
        raise ValueError("a certificate must have lines, each ended by a line feed")
    lines = enumerate(text.split("\n")[:-1], 1)
    found = [(number, line) for number, line in lines if not line.startswith("#")]
    if len(found) < 5:
        rule = "a line r, a line start, a line total, and a line p for two laws or more"
        raise ValueError(f"a certificate must have {rule}")
    return found


def polynomial(line, text):
    """Read a polynomial: {slack variables: {exponent of y: coefficient}}.

    Slack variables with their exponents stay a text, such as *w1^2*w3^1.  If a certificate wrote
    one product in two orders, they would count as two products: that may refuse what is right, and
    accepts nothing that is wrong.
    """
    if text == "0":
        return {}
    found = {}
    for term in text.split(" + "):
        match = TERM.fullmatch(term)
        need(match, line, f"a term must be like -3*y^2*w1^4, got {term[:40]!r}")
        coefficient, power, slacks, _ = match.groups()
        exponent = power.removeprefix("*y^") if power else "0"
        digits = coefficient.removeprefix("-")
        need(len(digits) <= DIGITS, line, f"a coefficient must have at most {DIGITS} digits")
        small = len(exponent) <= len(str(EXPONENT)) and int(exponent) <= EXPONENT
        need(small, line, f"an exponent of y must be at most {EXPONENT}")
        in_y = found.setdefault(slacks, {})
        need(int(exponent) not in in_y, line, "a polynomial must give each product once")
        in_y[int(exponent)] = int(coefficient)
    return found


def powers_of_y(top, start):
    """Return y^0, y^1, …, y^top as coefficients of u^0, u^1, …, all multiplied by b^top.

    The binomial theorem says that y^i = (u + a)^i / b^i.
    """
    a, b = start
    powers = []
    for i in range(top + 1):
        scale = b ** (top - i)
        powers.append([scale * comb(i, j) * a ** (i - j) for j in range(i + 1)])
    return powers


def in_u(in_y, shift, powers):
    """Return y^shift times a polynomial in y, as `powers_of_y` does: coefficients of u^0, u^1, …"""
    row = [0] * len(powers)
    for exponent, coefficient in in_y.items():
        for j, number in enumerate(powers[exponent + shift]):
            row[j] += coefficient * number
    return row


def check_numbers(probabilities):
    """Check that laws are numbered 0, 1, 2, …, and return how many there are."""
    laws = {law for _, law, _, _ in probabilities}
    if len(laws) < 2 or max(laws) >= len(laws):
        raise ValueError("a certificate must have laws 0, 1, 2, and so on, two of them or more")
    return len(laws)


def check_total(line, total, powers):
    """Check that the total is positive for every u > 0 and all slack variables."""
    need("" in total, line, "the total must have a term without slack variables, or it may be 0")
    for in_y in total.values():
        need(min(in_u(in_y, 0, powers)) >= 0, line, "the total may be negative")


def coefficients(p):
    """Return {(slack variables, exponent of y): coefficient}."""
    return {(slacks, i): c for slacks, in_y in p.items() for i, c in in_y.items()}


def check_sums(total, probabilities):
    """Check that the probabilities of each law add up to the total."""
    wanted = coefficients(total)
    first, sums = {}, {}
    for line, law, _, p in probabilities:
        first.setdefault(law, line)
        own = sums.setdefault(law, {})
        for key, c in coefficients(p).items():
            own[key] = own.get(key, 0) + c
    for law, own in sums.items():
        found = {key: c for key, c in own.items() if c != 0}
        need(found == wanted, first[law], f"law {law} begins here and does not add up to the total")


def check_ratios(roots, laws, probabilities, powers):
    """Check 0 <= p <= y^roots q for all probabilities p and q of one report.

    Each product of slack variables is looked at by itself, and there each power of u.  The largest
    coefficient of all p must be at most the least one of all y^roots q.  So the inequality holds
    for any two of them, in both orders.
    """
    groups = {}
    for line, _, report, p in probabilities:
        for slacks, in_y in p.items():
            groups.setdefault((report, slacks), []).append((line, in_y))
    for group in groups.values():
        rows = [in_u(in_y, 0, powers) for _, in_y in group]
        for (line, _), row in zip(group, rows, strict=True):
            need(min(row) >= 0, line, "the probability may be negative")
        bounds = [in_u(in_y, roots, powers) for _, in_y in group]
        if len(group) < laws:  # some law has nothing here, so that its coefficients are 0
            bounds.append([0] * len(powers))
        least = [min(column) for column in zip(*bounds, strict=True)]
        for (line, _), row in zip(group, rows, strict=True):
            fits = all(c <= bound for c, bound in zip(row, least, strict=True))
            need(fits, line, f"the report tells this law from another: not p <= y^{roots} q")


def read(text):
    """Return the roots, the start, the total with its line, and the probabilities with theirs."""
    (line_r, r), (line_start, start), (line_total, third), *others = numbered(text)
    found = ROOTS.fullmatch(r)
    need(found, line_r, "must be r and a whole number from 1 to 16")
    roots = int(found[1])
    need(start in STARTS, line_start, "must be start 1 or start 16777217/16777216")
    found = TOTAL.fullmatch(third)
    need(found, line_total, "must be total and a polynomial")
    total = polynomial(line_total, found[1])
    probabilities, seen = [], set()
    for line, words in others:
        found = PROBABILITY.fullmatch(words)
        need(found, line, "must be p, the number of a law, a report, a colon, and a polynomial")
        law, report = int(found[1]), found[2]
        need((law, report) not in seen, line, "a law must give each report once")
        seen.add((law, report))
        probabilities.append((line, law, report, polynomial(line, found[3])))
    return roots, STARTS[start], (line_total, total), probabilities


def check(text):
    """Return how many inequalities p <= y^roots q hold; a ValueError says which line is wrong."""
    roots, start, (line, total), probabilities = read(text)
    laws = check_numbers(probabilities)
    polynomials = [total, *(p for *_, p in probabilities)]
    exponents = [i for p in polynomials for in_y in p.values() for i in in_y]
    powers = powers_of_y(max(exponents, default=0) + roots, start)
    check_total(line, total, powers)
    check_sums(total, probabilities)
    check_ratios(roots, laws, probabilities, powers)
    reports = {report for _, _, report, _ in probabilities}
    return len(reports) * laws * (laws - 1)


if __name__ == "__main__":
    try:
        print(check(sys.stdin.read(SIZE + 1)), "inequalities hold")
    except ValueError as error:
        sys.exit(f"refused: {error}")
