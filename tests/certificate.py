"""Check a certificate of `ldpnb.verify.prove` with whole numbers alone: no package, no mechanism, no random choices."""

import sys
from collections import Counter
from itertools import permutations
from math import comb


def polynomial(text):
    """Read c*y^i*w1^j + …: {(exponent of y, the slacks' exponents): coefficient}."""
    found = Counter()
    for term in text.split(" + "):
        c, *powers = term.split("*")
        pairs = [power.split("^") for power in powers]
        need(all(name[0] in "yw" and n.isdigit() for name, n in pairs), f"no monomial: {term}")
        i = sum(int(n) for name, n in pairs if name == "y")
        found[i, tuple((name, int(n)) for name, n in pairs if name != "y")] += int(c)
    return found


def need(right, what):
    if not right:
        raise ValueError(what)


def never_negative(p, a, b):
    """Whether p, written in u = b y − a >= 0, has no negative coefficient; times a power of b."""
    top, rows = max(i for i, _ in p), Counter()
    for (i, slacks), c in p.items():
        for j in range(i + 1):  # y^i = (u + a)^i / b^i
            rows[j, slacks] += c * b ** (top - i) * comb(i, j) * a ** (i - j)
    return all(c >= 0 for c in rows.values())


def check(text):
    """Return the number of inequalities; a ValueError says which line is wrong.

    That the polynomials are those of a client is not said here; and what needs Sturm's theorem is refused.
    """
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    r = int(lines[0].removeprefix("r "))
    a, b = map(int, (*lines[1].removeprefix("start ").split("/"), "1")[:2])
    need(1 <= r <= 16 and (a, b) in {(1, 1), (2**24 + 1, 2**24)}, "not the range that is claimed")
    total, laws = polynomial(lines[2].removeprefix("total ")), {}
    for line in lines[3:]:
        head, _, p = line.rpartition(" : ")
        _, i, report = head.split(" ", 2)
        need(report not in laws.setdefault(i, {}), f"twice: {head}")
        laws[i][report] = polynomial(p)
        need(never_negative(laws[i][report], a, b), f"a probability may be negative: {head}")
    need(len(laws) > 1 and any(total.values()) and never_negative(total, a, b), "no two laws with a positive total")
    for i, law in laws.items():
        keys = {key for p in law.values() for key in p} | set(total)
        need(all(sum(p.get(key, 0) for p in law.values()) == total.get(key, 0) for key in keys), f"sum of law {i}")
    pairs = [(y, *pair) for y in {y for law in laws.values() for y in law} for pair in permutations(laws, 2)]
    for report, one, other in pairs:
        gap = Counter({(i + r, slacks): c for (i, slacks), c in laws[other].get(report, {(0, ()): 0}).items()})
        gap.subtract(laws[one].get(report, {}))
        need(never_negative(gap, a, b), f"report {report} tells {one} from {other}")
    return len(pairs)


if __name__ == "__main__":
    print(check(sys.stdin.read()), "inequalities hold")
