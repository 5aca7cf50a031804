"""Replaying for a proof: laws whose probabilities are formulas in e^ε.

A client's branches are replayed with a symbol in place of ε.  The client computes its coins itself,
from the symbol; nothing is written down a second time.  The laws of all inputs are polynomials over
one denominator, so that P(y|a) ≤ e^ε P(y|b) is a statement about the sign of one polynomial in y,
where e^ε = y^r.  A coin that is rounded toward privacy is any number between its ideal value and
its value at ε = 0: one slack variable each.

`settled` makes the client and calls `symbolic_laws`, which walks its branches and adds them up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import permutations
from operator import or_
from typing import Any, NamedTuple

from ldpnb.exact.certificates import certificate
from ldpnb.exact.clients import Program, different, programs
from ldpnb.exact.distributions import Law
from ldpnb.exact.formulas import Field, Formula, Root
from ldpnb.exact.outputs import Outputs, copied
from ldpnb.exact.polynomials import Poly, collect, plus, power, times, value
from ldpnb.exact.replay import LIMIT, Paths, walk
from ldpnb.exact.symbols import ASKED_OF_BUDGETS, CURE

ROOTS_MAX = 16  # of e^ε: for more, the START of polynomials would not be below e^(ε/r)
HINTS = {  # what to do, by a word of Python's own message
    "real number": CURE,
    "Rational": CURE,
    "ufunc": CURE,
    "operand": CURE,
    "Budget": ASKED_OF_BUDGETS,
}
Maker = Callable[..., Any]  # of a client, for an ε
FrozenPoly = frozenset[tuple[int, Any]]  # the items of a polynomial
Branch = frozenset[tuple[Formula, int]]  # probabilities of the options taken, and how often each


class Gap(NamedTuple):
    """One inequality: `gap`, which is e^ε other − likely, must not be negative.

    `likely` is P(report|a) and `other` is P(report|b), where the pair is (a, b).
    """

    pair: tuple[int, int]
    report: Any
    likely: Poly
    other: Poly
    gap: Poly


@dataclass(frozen=True, eq=False)
class Laws:
    """Laws of several inputs over one denominator.

    Attributes
    ----------
    field : Field
        Of the formulas.
    law : list of dict
        For each input, reports with polynomials: law[i][report] / total is a probability.
    total : dict
        The denominator, a polynomial.
    tossed : frozenset of Formula
        Probabilities of coins.
    reports : dict
        Reports as the client returned them, by the keys of the laws.
    branches : int
        How many there are.
    longest : int
        Choices of the longest branch.
    """

    field: Field
    law: list[dict[Any, Poly]]
    total: Poly
    tossed: frozenset[Formula]
    reports: dict[Any, Any]
    branches: int
    longest: int

    @property
    def as_shipped(self) -> bool:
        """Whether the client has rounded every coin; `toss` rounds others up, by below 2**-53."""
        if self.field.floats or self.field.nearest:
            return False
        return self.tossed <= self.field.coins_on_grid()

    @property
    def certificate(self) -> str:
        """The polynomials as text, from which a stranger can check the inequalities."""
        return certificate(self)

    def at(self, y: Fraction, slack: int = 0) -> list[Law]:
        """Laws at one y, all slacks being the same."""

        def number(p: Poly) -> Fraction:
            return value(p, lambda variable: Fraction(slack if variable else y))

        total = number(self.total)
        laws = []
        for law in self.law:
            laws.append({report: number(p) / total for report, p in law.items()})
        return laws

    def gaps(self) -> Iterator[Gap]:
        """All inequalities that differ, each once."""
        seen = set()
        e = self.field.e._num
        for report in self.reports:
            row = [law.get(report, {}) for law in self.law]
            keys = [frozenset(p.items()) for p in row]
            for a, b in permutations(range(len(row)), 2):
                if (keys[a], keys[b]) in seen:
                    continue
                seen.add((keys[a], keys[b]))
                yield Gap((a, b), report, row[a], row[b], plus(times(e, row[b]), row[a], -1))


# ---------------------------------------------------------------------------- making and replaying


def settled(
    make: Maker, inputs: Any, coins: str, limit: int, plain: bool = False, roots: int = 1
) -> tuple[Any, Laws]:
    """Make the client and replay it with e^ε = y; if it takes a root of e^ε, with y², and so on."""
    if roots > ROOTS_MAX:
        raise ValueError(
            f"client must divide ε by {ROOTS_MAX} at most, got {roots} parts: prove fewer of them"
        )
    field = Field(roots, coins, plain)
    try:
        with field.run():
            client = make(field.epsilon)
        field.heard()
        return client, symbolic_laws(client, inputs, field, limit)
    except Root as error:
        if field.refused is not error or field.wants is None:
            raise TypeError("a client cannot ask for roots by itself") from error
        return settled(make, inputs, coins, limit, plain, roots * field.wants)
    except TypeError as caught:
        raise TypeError(_explained(caught, field)) from caught


def _explained(caught: TypeError, field: Field) -> str:
    """Say what a client has asked, and what to do about it where Python's own message does not."""
    if field.refused is not None:
        if isinstance(field.refused, TypeError):
            return str(field.refused)  # others may have reworded it
        return str(caught)
    said = str(caught)
    of_symbols = "Formula" in said or "Budget" in said
    for word, hint in HINTS.items():
        if word in said and (of_symbols or word != "operand"):
            return f"{said}; {hint}"
    if field.compares:
        return said
    return f"{said} (raised where a symbol stands for ε)"


def symbolic_laws(client: Any, inputs: Any, field: Field, limit: int = LIMIT) -> Laws:
    """Replay every branch of every input, and add up their probabilities."""
    runs = programs(client, inputs)
    count = len(different(inputs))
    if count < 2:
        raise ValueError(f"inputs must be at least two different values, got {count}")
    replayed = _Replayed(field)
    for program in runs:
        replayed.walk(program, limit)
    field.source = None
    replayed.check_probabilities()
    laws, total = _summed(replayed.laws)
    if any(reduce(plus, law.values()) != total for law in laws):
        raise ValueError("a law must sum to one for every ε: the client does not repeat itself")
    return Laws(
        field=field,
        law=laws,
        total=total,
        tossed=replayed.tossed(),
        reports=replayed.reports,
        branches=replayed.branches,
        longest=replayed.longest,
    )


class _Replayed:
    """Branches of all inputs: for each of them, its report and the probabilities of its options."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.laws = list[dict[Any, Counter[Branch]]]()  # for each input, branches by their report
        self.reports = dict[Any, Any]()
        self.branches = 0
        self.longest = 0
        self._outputs = Outputs()
        self._shares = dict[Any, list[Formula]]()  # by the weights of a choice, its probabilities

    def walk(self, program: Program, limit: int) -> None:
        """Walk the branches of one input."""
        law = dict[Any, Counter[Branch]]()
        self.laws.append(law)
        watched = partial(self._watched, program)
        for paths, result in walk(watched, limit=limit, ideal=self.field.coins == "ideal"):
            self.branches += 1
            self.longest = max(self.longest, len(paths.taken))
            factors = Counter(self._share(option, weights) for option, weights in paths.taken)
            key = self._outputs.key(result)
            if key not in self.reports:
                self.reports[key] = copied(result)  # which the client may fill anew
            law.setdefault(key, Counter())[frozenset(factors.items())] += 1

    def _watched(self, program: Program, rng: Paths) -> Any:
        """Run one branch, and raise what the client has asked without an answer.

        The client may have caught it, or made another error of it.
        """
        self.field.source = rng
        rng._field = self.field
        with self.field.run():
            try:
                result = program(rng)
            except Exception:
                self.field.heard()
                raise
        self.field.heard()
        return result

    def _share(self, option: int, weights: tuple[Any, ...]) -> Formula:
        """Probability of an option."""
        if weights not in self._shares:
            self._shares[weights] = _shares(weights, self.field)
        return self._shares[weights][option]

    def check_probabilities(self) -> None:
        """Refuse what is negative for some ε: no denominator is, since its leading term is not."""
        for shares in self._shares.values():
            for p in shares:
                if p._below(0) is not False:
                    unknown = self.field.unknown
                    raise ValueError(f"a coin must be a probability for every {unknown}, got {p}")

    def tossed(self) -> frozenset[Formula]:
        """Probabilities of coins: weights of two options that sum to one."""
        found = set[Formula]()
        for weights in self._shares:
            if len(weights) != 2 or not isinstance(weights[0], Formula):
                continue
            if (weights[0] + weights[1])._same(1):
                found.add(weights[0])
        return frozenset(found)


# ------------------------------------------------------------------------------- adding up branches


def _shares(weights: tuple[Any, ...], field: Field) -> list[Formula]:
    """Probabilities of options by their weights, brought to one denominator, which is left out."""
    if not any(isinstance(weight, Formula) for weight in weights):
        total = sum(weights)
        return [field.formula(Fraction(weight, total)) for weight in weights]
    parts = [field.formula(weight) for weight in weights]
    bottoms = {_frozen(part._den) for part in parts}
    tops = list[Poly]()
    for part in parts:
        others = bottoms - {_frozen(part._den)}
        tops.append(reduce(times, map(dict, others), part._num))
    total = reduce(plus, tops)
    return [Formula(top, total, field) for top in tops]


def _summed(laws: list[dict[Any, Counter[Branch]]]) -> tuple[list[dict[Any, Poly]], Poly]:
    """Add up the branches of each report, over the least common denominator of all branches."""
    all_branches = set[Branch]()
    for law in laws:
        for branches in law.values():
            all_branches.update(branches)
    bottoms = {branch: _bottom(branch) for branch in all_branches}
    common: Counter[FrozenPoly] = reduce(or_, bottoms.values())
    tops = dict[Branch, Poly]()
    for branch, own in bottoms.items():
        missing = common - own
        numerators = [(p._num, often) for p, often in branch]
        tops[branch] = _product([*numerators, *missing.items()])

    def added(branches: Counter[Branch]) -> Poly:
        terms = list[tuple[int, Any]]()
        for branch, often in branches.items():
            terms += [(m, c * often) for m, c in tops[branch].items()]
        return collect(terms)

    found = []
    for law in laws:
        found.append({report: added(branches) for report, branches in law.items()})
    return found, _product(common.items())


def _bottom(branch: Branch) -> Counter[FrozenPoly]:
    """Denominators of a branch's factors, and how often each comes."""
    found = Counter[FrozenPoly]()
    for p, often in branch:
        found[_frozen(p._den)] += often
    return found


def _frozen(p: Poly) -> FrozenPoly:
    return frozenset(p.items())


def _product(factors: Iterable[tuple[Any, int]]) -> Poly:
    """Multiply powers of polynomials."""
    found: Poly = {0: 1}
    for p, n in factors:
        found = times(found, power(dict(p), n))
    return found
