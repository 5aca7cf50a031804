"""Laws whose probabilities are formulas in e^ε: a client's branches are replayed with a symbol in place of ε.

The client computes its coins itself, from an ε that is a symbol; nothing is written down a second time.  The laws of
all inputs are polynomials over one denominator, so that P(y|a) ≤ e^ε P(y|b) is a statement about the sign of one
polynomial in y, where e^ε = y^r.  A coin that is rounded toward privacy is any number between its ideal value and its
value at ε = 0: one slack variable each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import chain, permutations
from operator import or_
from typing import Any

from ldpnb.exact.certificates import certificate
from ldpnb.exact.clients import different, programs
from ldpnb.exact.distributions import Law
from ldpnb.exact.formulas import Field, Formula, Root
from ldpnb.exact.outputs import Outputs, copied
from ldpnb.exact.polynomials import Poly, collect, plus, power, times, value
from ldpnb.exact.replay import LIMIT, Paths, walk
from ldpnb.exact.symbols import ASKED_OF_BUDGETS, CURE

ROOTS_MAX = 16  # of e^ε: for more, `formula.START` would not be below e^(ε/r)
HINTS = dict.fromkeys(["real number", "Rational", "ufunc", "operand"], CURE)  # by a word of Python's own message
HINTS["Budget"] = ASKED_OF_BUDGETS
Maker = Callable[..., Any]  # of a client, for an ε


@dataclass(frozen=True, eq=False)
class Laws:
    """Laws of several inputs over one denominator: law[i][report] / total, polynomials that are not negative."""

    field: Field
    law: list[dict[Any, Poly]]
    total: Poly
    tossed: frozenset[Formula]
    reports: dict[Any, Any]  # as the client returned them
    branches: int
    longest: int  # choices of a branch

    @property
    def as_shipped(self) -> bool:
        """Whether every coin was rounded by the client; `bernoulli` rounds others up, by less than 2**-53."""
        return not self.field.floats and not self.field.nearest and self.tossed <= self.field.coins_on_grid()

    def at(self, y: Fraction, slack: int = 0) -> list[Law]:
        """Laws at one y, all slacks being the same."""
        found = partial(value, number=lambda i: Fraction(slack if i else y))
        total = found(self.total)
        return [{report: found(p) / total for report, p in law.items()} for law in self.law]

    @property
    def certificate(self) -> str:
        """The polynomials as text, from which a stranger can check the inequalities without this package."""
        return certificate(self)

    def gaps(self) -> Iterator[tuple[tuple[int, int], Any, Poly, Poly, Poly]]:
        """Pair (a, b), report, P(y|a), P(y|b), and e^ε P(y|b) − P(y|a): different inequalities once."""
        seen = set()
        for y in self.reports:
            row = [law.get(y, {}) for law in self.law]
            keys = [frozenset(p.items()) for p in row]
            for a, b in permutations(range(len(row)), 2):
                if (keys[a], keys[b]) not in seen:
                    seen.add((keys[a], keys[b]))
                    yield (a, b), y, row[a], row[b], plus(times(self.field.e._num, row[b]), row[a], -1)


def _product(factors: Iterable[tuple[Any, int]]) -> Poly:
    return reduce(times, (power(dict(p), n) for p, n in factors), {0: 1})


def _shares(weights: tuple[Any, ...], field: Field) -> list[Formula]:
    """Probabilities of options by their weights, which are brought to one denominator; that is left out."""
    if not any(isinstance(w, Formula) for w in weights):
        return [field.formula(Fraction(w, sum(weights))) for w in weights]
    parts = [field.formula(w) for w in weights]
    dens = {frozenset(p._den.items()) for p in parts}
    tops = [reduce(times, map(dict, dens - {frozenset(p._den.items())}), p._num) for p in parts]
    return [Formula(top, reduce(plus, tops), field) for top in tops]


def symbolic_laws(client: Any, inputs: Any, field: Field, limit: int = LIMIT) -> Laws:
    """Replay every branch; a branch is a product of options, and these are polynomials over the sum of the weights."""
    run = programs(client, inputs)
    if (count := len(different(inputs))) < 2:
        raise ValueError(f"inputs must be at least two different values, got {count}")
    replayed, outputs, reports = list[dict[Any, Counter[Any]]](), Outputs(), dict[Any, Any]()
    choices: dict[Any, list[Formula]] = {}  # by the weights of all options, their probabilities
    walked = longest = 0
    ideal = field.coins == "ideal"

    def watched(program: Any, rng: Paths) -> Any:
        """Run one branch, and raise what the client has asked without an answer, although it may have caught it."""
        field.source, rng._field = rng, field
        with field.run():
            try:
                result = program(rng)
            except Exception:
                field.heard()  # which the client has made another error of
                raise
        field.heard()
        return result

    for program in run:
        replayed.append({})
        for paths, result in walk(partial(watched, program), limit=limit, ideal=ideal):
            walked, longest = walked + 1, max(longest, len(paths.taken))
            for _, weights in paths.taken:
                if weights not in choices:
                    choices[weights] = _shares(weights, field)
            factors = Counter(choices[weights][option] for option, weights in paths.taken)
            key = outputs.key(result)
            if key not in reports:
                reports[key] = copied(result)  # which the client may fill anew
            replayed[-1].setdefault(key, Counter())[frozenset(factors.items())] += 1
    field.source = None
    for p in chain(*choices.values()):
        if p._below(0) is not False:  # no denominator is below 0: its leading coefficient is not
            raise ValueError(f"a coin must be a probability for every {field.unknown}, got {p}")
    tossed = [w[0] for w in choices if len(w) == 2 and isinstance(w[0], Formula) and (w[0] + w[1])._same(1)]
    branches = {branch for law in replayed for terms in law.values() for branch in terms}
    dens = {b: Counter(den for p, n in b for den in [frozenset(p._den.items())] * n) for b in branches}
    most: Counter[Any] = reduce(or_, dens.values())
    products = {b: _product((*((p._num, n) for p, n in b), *(most - own).items())) for b, own in dens.items()}

    def summed(terms: Counter[Any]) -> Poly:
        return collect((m, c * often) for branch, often in terms.items() for m, c in products[branch].items())

    found = [{y: summed(terms) for y, terms in law.items()} for law in replayed]
    total = _product(most.items())
    if any(reduce(plus, law.values()) != total for law in found):
        raise ValueError("a law must sum to one for every ε: the client does not repeat itself")
    return Laws(field, found, total, frozenset(tossed), reports, walked, longest)


def settled(make: Maker, inputs: Any, coins: str, limit: int, plain: bool = False, roots: int = 1) -> tuple[Any, Laws]:
    """Make the client and replay it with e^ε = y; if it takes a root of e^ε, with y², and so on."""
    if roots > ROOTS_MAX:
        raise ValueError(f"client must divide ε by {ROOTS_MAX} at most, got {roots} parts: prove fewer of them")
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
        said = str(field.refused if isinstance(field.refused, TypeError) else caught)  # others may have reworded it
        symbols = "Formula" in said or "Budget" in said
        hint = next((f"; {HINTS[word]}" for word in HINTS if word in said and (symbols or word != "operand")), "")
        own = "" if field.compares else " (raised where a symbol stands for ε)"
        where = "" if field.refused else hint or own
        raise TypeError(f"{said}{where}") from caught
