"""Proofs for every ε: a client's branches are replayed with coins that are formulas in x = e^ε, see `ldpnb.formula`.

The client computes these coins itself, from an ε that is a symbol; nothing is written down a second time.  The laws of
all inputs are polynomials over one denominator, and P(y|a) ≤ e^ε P(y|b) is a polynomial in u = y − 1 without a negative
coefficient, where e^ε = y^r.  A coin that is rounded toward privacy is any number between its ideal value and its value
at ε = 0, one slack variable each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from enum import Enum
from fractions import Fraction
from functools import partial, reduce
from inspect import signature
from itertools import chain, permutations, product
from math import exp, log
from operator import or_
from textwrap import fill
from typing import Any

import numpy as np

from ldpnb.chance import LIMIT, Law, Outputs, Paths, Randomness, odds, pick, walk
from ldpnb.core import Example, Mechanism, Records, named
from ldpnb.formula import (
    START,
    Budget,
    Field,
    Formula,
    Poly,
    Root,
    Y,
    collect,
    exponents,
    plus,
    power,
    roots as roots_beyond_zero,
    shifted,
    sign,
    times,
    value,
    whole,
)
from ldpnb.verify._laws import _estimate, _programs, laws, moments as numbers, worst

POINTS = (0.3, 2.5)  # ε at which the shipped client, with numbers, is compared with the formulas
TRIED = (1e-6, 0.01, 1.0, 16.0, 32.0, 40.0)  # where it has to keep ε to the last fraction
ROOTS_MAX = 16  # of e^ε: for more, `formula.START` would not be below e^(ε/r)
WIDE = 64  # letters of a line of what is said
MULTIPLES = 16  # of a rounded coin: the chance of several alike
FINE = Fraction(1, 2**60)  # width within which a root is found
Maker = Callable[..., Any]  # of a client, for an ε; for all sizes, for an ε and a size
CURE = "a proof for every ε needs coins from ldpnb.chance.odds(epsilon), not exp(ε), rounded by its round_down or "
CURE += "round_up, and its exact(p) for Fraction(p), inexact(p) for float(p)"
HINTS = dict.fromkeys(["real number", "Rational", "ufunc", "operand"], CURE)  # by a word of Python's own message
HINTS["Budget"] = "ε is a symbol here: a client may take a part of it, and its odds, and do nothing else with it"
ROUND = "round the coin of the likelier answer down, by ldpnb.chance.round_down"
ROUNDING = Fraction(1, 2**54)  # a slack that rounding may well reach


@dataclass(frozen=True, eq=False)
class Laws:
    """Laws of several inputs over one denominator: law[i][report] / total, polynomials that are not negative."""

    field: Field
    law: list[dict[Any, Poly]]
    total: Poly
    tossed: frozenset[Formula]
    reports: dict[Any, Any]  # as the client returned them

    @property
    def as_shipped(self) -> bool:
        """Whether every coin was rounded by the client; `bernoulli` rounds others up, by less than 2**-53."""
        grid = {x for p in self.field.rounded.values() for n in range(1, MULTIPLES) for x in (n * p, 1 - n * p)}
        return not self.field.floats and self.tossed <= grid

    def at(self, y: Fraction, slack: int = 0) -> list[Law]:
        """Laws at one y, all slacks being the same."""
        found = partial(value, number=lambda i: Fraction(slack if i else y))
        return [{report: found(p) / found(self.total) for report, p in law.items()} for law in self.law]

    @property
    def certificate(self) -> str:
        """The polynomials as text, from which a stranger can check the inequalities without this package."""
        late = self.field.late or any(sign(gap)[1] for *_, gap in self.gaps())
        what = "# for all pairs of inputs and all reports, y >= start and w >= 0: total = sum of a law, 0 <= p <= y^r q"
        lines = [what, f"r {self.field.roots}", f"start {START[late]}"]
        laws = [(f"p {i} {y!r} :", p) for i, law in enumerate(self.law) for y, p in law.items()]
        lines += [f"{name} {_text(p)}".replace("\n", " ") for name, p in [("total", self.total), *laws]]
        return "\n".join(lines) + "\n"

    def gaps(self) -> Iterator[tuple[tuple[int, int], Any, Poly, Poly, Poly]]:
        """Pair (a, b), report, P(y|a), P(y|b), and x P(y|b) − P(y|a): different inequalities once."""
        seen = set()
        for y in self.reports:
            row = [law.get(y, {}) for law in self.law]
            keys = [frozenset(p.items()) for p in row]
            for a, b in permutations(range(len(row)), 2):
                if (keys[a], keys[b]) not in seen:
                    seen.add((keys[a], keys[b]))
                    yield (a, b), y, row[a], row[b], plus(times(self.field.e.num, row[b]), row[a], -1)


def _text(p: Poly) -> str:
    """Write a polynomial as c*y^i*w1^j, terms joined by +."""
    terms = [(str(c), *(f"{f'w{i}' if i else 'y'}^{n}" for i, n in exponents(m))) for m, c in sorted(p.items())]
    return " + ".join(map("*".join, terms)) or "0"


def _product(factors: Iterable[tuple[Any, int]]) -> Poly:
    return reduce(times, (power(dict(p), n) for p, n in factors), {0: 1})


def _shares(weights: tuple[Any, ...], field: Field) -> list[Formula]:
    """Probabilities of options by their weights, which are brought to one denominator; that is left out."""
    if not any(isinstance(w, Formula) for w in weights):
        return [field.formula(Fraction(w, sum(weights))) for w in weights]
    parts = [field.formula(w) for w in weights]
    dens = {frozenset(p.den.items()) for p in parts}
    tops = [reduce(times, map(dict, dens - {frozenset(p.den.items())}), p.num) for p in parts]
    return [Formula(top, reduce(plus, tops), field) for top in tops]


def symbolic_laws(client: Any, inputs: Any, field: Field, limit: int = LIMIT) -> Laws:
    """Replay every branch; a branch is a product of options, and these are polynomials over the sum of the weights."""
    replayed, outputs, reports = list[dict[Any, Counter[Any]]](), Outputs(), dict[Any, Any]()
    choices: dict[Any, list[Formula]] = {}  # by the weights of all options, their probabilities
    for program in _programs(client, inputs):
        replayed.append({})
        for paths, result in walk(program, limit=limit):
            for _, weights in paths.taken:
                if weights not in choices:
                    choices[weights] = _shares(weights, field)
            factors = Counter(choices[weights][option] for option, weights in paths.taken)
            reports.setdefault(key := outputs.key(result), result)
            replayed[-1].setdefault(key, Counter())[frozenset(factors.items())] += 1
    for p in chain(*choices.values()):
        if p.below(0) is not False:  # no denominator is below 0: its leading coefficient is not
            raise ValueError(f"a coin must be a probability for every ε, got {p}")
    tossed = frozenset(w[0] for w in choices if len(w) == 2 and isinstance(w[0], Formula) and (w[0] + w[1]).same(1))
    branches = {branch for law in replayed for terms in law.values() for branch in terms}
    dens = {b: Counter(den for p, n in b for den in [frozenset(p.den.items())] * n) for b in branches}
    most: Counter[Any] = reduce(or_, dens.values())
    products = {b: _product((*((p.num, n) for p, n in b), *(most - own).items())) for b, own in dens.items()}

    def summed(terms: Counter[Any]) -> Poly:
        return collect((m, c * often) for branch, often in terms.items() for m, c in products[branch].items())

    found = [{y: summed(terms) for y, terms in law.items()} for law in replayed]
    total = _product(most.items())
    if any(reduce(plus, law.values()) != total for law in found):
        raise ValueError("a law must sum to one for every ε: the client does not repeat itself")
    return Laws(field, found, total, tossed, reports)


# ------------------------------------------------------------------------------------------- domains of any size


class Token(Enum):
    """An item of which a client may only ask whether it is another one."""

    A, B, OTHER = "a", "b", "another"

    def __eq__(self, other: object) -> bool:
        if self is other is Token.OTHER:
            raise TypeError("whether two of the other items are the same depends on which they are")
        return self is other

    __hash__ = Enum.__hash__

    def __repr__(self) -> str:
        return str(self.value)


TOKENS = tuple(Token)


class Items:
    """A domain of k items; of any size, if k is a formula: two items, and the k − 2 others, which are all alike.

    A client that only compares items, draws them and sends them treats all items in the same way.  So two of them stand
    for any two, and all reports about the others have one likelihood ratio.
    """

    def __init__(self, k: Any) -> None:
        self.k = k

    def pick(self, rng: Randomness) -> Any:
        """Return one item, all alike."""
        if isinstance(self.k, Formula) and isinstance(rng, Paths):
            return TOKENS[rng.choose((1, 1, self.k - 2))]
        return pick(range(self.k), rng)

    def each(self, answer: Callable[[Any], Any]) -> tuple[Any, ...]:
        """Answer about each item, with coins of its own; where k is a formula about one of the others only."""
        return tuple(map(answer, TOKENS if isinstance(self.k, Formula) else range(self.k)))


def _any_k(client: Callable[..., Any]) -> Maker:
    """Make a client of tokens, of an ε and all k; with numbers it computes with items, and reports the token of one."""

    def named_as(report: Any) -> Any:
        return report[:3] if isinstance(report, tuple) else TOKENS[min(report, 2)]

    def make(epsilon: Any, k: int = 0) -> Any:
        items = Items(k or epsilon.odds.field.slack() + 2)
        if k:
            return lambda x, rng: named_as(client(TOKENS.index(x), items, epsilon, rng))
        return lambda x, rng: client(x, items, epsilon, rng)

    return make


def _alike(found: Laws) -> None:
    """Refuse a client that says something else of an item of the others when its value is another one."""
    law, other = found.law
    for y, z in product(law.keys() & other.keys(), repeat=2):
        if isinstance(y, tuple) and y[:2] == z[:2] and times(law[y], other[z]) != times(other[y], law[z]):
            raise ValueError("a client must say the same of other items, whatever its value")


# -------------------------------------------------------------------------------------------------- what is said


@dataclass(frozen=True, eq=False)
class Proof:
    """What `prove` found.

    Attributes
    ----------
    name : str
        Of the client, with the sizes for which it was replayed.
    holds : bool or None
        Whether P(y|a) ≤ e^ε P(y|b) with ideal coins; None where neither that nor the contrary is shown.
    shipped : bool or None
        Whether it holds for every ε ≥ 1e-6 with coins that are rounded; None where that was not asked or is not shown.
    least : float
        0 where it holds for every ε > 0; 1e-6 where only from there on.  Of a refuted client the ε from which on, or
        right above which, the ratio exceeds e^ε.
    ratio : Formula or None
        Largest likelihood ratio in x = e^ε, None for ∞; attained by `report` for the inputs `pair`, and if `uniform`
        for every ε.
    stated : bool or None
        Whether the mechanism's `realised_epsilon` is ln(ratio) as an identity; None where it states none.
    moments, wrong : int
        Identities of mean and variance that were compared, and how many of them are wrong.
    laws, rounded : Laws
        With ideal coins, and with rounded ones (None where these were not asked): their `certificate` is a text.
    """

    name: str
    holds: bool | None
    shipped: bool | None
    least: float
    ratio: Formula | None
    uniform: bool
    pair: tuple[int, int]
    report: Any
    stated: bool | None
    moments: int
    wrong: int
    laws: Laws
    rounded: Laws | None

    @property
    def tight(self) -> bool:
        """Whether e^ε itself is attained, for every ε."""
        return self.ratio is not None and self.ratio.same(self.laws.field.e)

    def __str__(self) -> str:
        every = "for all k" in self.name
        who = f"{self.name}, on {'any two items' if every else f'{len(self.laws.law)} inputs'}"
        x = "x = e^ε, w1 = k - 2" if every else "x = e^ε"
        worst = f"report {self.report!r:.60} for inputs {self.pair[0]} and {self.pair[1]}"
        if not self.holds:
            verdict = "neither proved nor refuted" if self.holds is None else "refuted"
            said = f"{who}, is {verdict}: ratio {'∞' if self.ratio is None else self.ratio} at {worst}, {x}"
            if self.holds is False and self.ratio is not None:
                said += f", more than e^ε right above ε = {self.least:.6g}"
            return fill(f"{said}.", WIDE)
        since = f"every ε >= {self.least:g}" if self.least else "every ε > 0"
        spent = "e^ε is attained" if self.tight else f"the largest ratio, {self.ratio} with {x}, is attained"
        ideal = f"no report tells two inputs apart by more than e^ε, for {since} with ideal coins"
        said = f"{who}: {ideal}; {spent} by {worst}."
        if self.rounded:
            words = {True: "holds for every ε >= 1e-06", False: f"is refuted ({ROUND})", None: "is not shown"}
            said += f" With coins rounded to 53 bits it {words[self.shipped]}, other arithmetic being exact."
        if self.moments:
            right = f"are not, in {self.wrong} cases," if self.wrong else "are"
            what = f"{self.moments} identities of formulas"
            said += f" Mean and variance of one person's score {right} as stated ({what})."
        return fill(said, WIDE)


def prove(
    client: Any, inputs: Any = None, *, items: Any = None, rounded: bool = True, moments: bool = True,
    limit: int = LIMIT,
) -> Proof:  # fmt: skip
    """Decide for all ε at once whether a client keeps ε, and whether its bias and variance are the stated ones.

    Sizes are fixed, ε is not: the statement is about every ε > 0 with ideal coins and every ε ≥ 1e-6 with rounded ones,
    at the sizes of this client.  All of its code runs, with a symbol in place of ε; code that asks the symbol for a
    number, or for a comparison that depends on ε, stops with a TypeError.  Structure that a mechanism's class leaves to
    ε (`Mechanism.chosen`: a number of slots, the size of a set) is the one for the ε it has; other structure must be
    named in the fields.  The client is also run with numbers: at two ε it must have the law of the formulas, and at six
    others, if rounded coins are asked for, keep ε to the last fraction.  What a program does only at other numbers, and
    floats that it computes coins with, are not proved.

    Parameters
    ----------
    client : Mechanism, Example, or function
        A mechanism with a field ``epsilon``, whose value does not matter; or a function of ε that makes a mechanism,
        ``lambda e: BitFlip(sizes=(3,), f=flip_for(e, 2))``; or a client of one person, ``client(value, epsilon, rng)``,
        which computes its coins from ``ldpnb.chance.odds(epsilon)``; or, for domains of all sizes k ≥ 2 at once,
        ``client(value, items, epsilon, rng)``, which only compares items, draws them (`Items.pick`), answers about each
        of them (`Items.each`), and finds k in ``items.k``.  Its coins are not taken to be rounded.
    inputs : list, array or Records
        One value a person, as for `laws`; left out for an Example.
    items : sequence, optional
        Candidates, for open domains.
    rounded, moments : bool
        Whether to prove the same of rounded coins, and of mean and variance.
    limit : int
        Branches to walk at most, per input.

    Returns
    -------
    Proof
        Whose ``str`` is a sentence.

    Raises
    ------
    TypeError
        If the client's structure depends on ε, or it computes coins by ``math.exp``, ``float`` or ``Fraction``, not by
        ``odds``, ``inexact`` and ``exact`` of `ldpnb.chance`.
    ValueError
        If the client with numbers has another law than the formulas, or as for `laws`.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> found = prove(GRR(k=3, epsilon=1.0), [0, 1, 2])
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    GRR(k=3), on 3 inputs: no report tells two inputs apart by more than e^ε, for every ε > 0 with ideal coins; e^ε is
    attained by report 0 for inputs 0 and 1. With coins rounded to 53 bits it holds for every ε >= 1e-06, other
    arithmetic being exact. Mean and variance of one person's score are as stated (18 identities of formulas).
    """
    if isinstance(client, Example):
        client, inputs, items = client.mechanism, client.inputs, client.items
    make, name = _maker(client)
    if every := "for all k" in name:
        inputs, rounded = TOKENS[:2], False
    built, ideal = _settle(make, inputs, "ideal", limit)
    if len(ideal.law) < 2:
        raise ValueError(f"inputs must be at least two values, got {len(ideal.law)}")
    if every:
        _alike(ideal)
    _replay(make, [(3,), (4,)] if every else [()], inputs, ideal, limit)
    holds, least, where = _decide(ideal)
    ratio, uniform, pair, report = _largest(ideal, where)
    shipped, slack, stated, count, wrong = None, None, None, 0, 0
    if rounded and holds:
        slack = _settle(make, inputs, "rounded", limit)[1]
        shipped = _kept(make, inputs, limit) and (_decide(slack, START[1])[0] if slack.as_shipped else None)
    if isinstance(built, Mechanism):
        name, own = _name(built), built.realised_epsilon
        stated = isinstance(own, Budget) and ratio is not None and own.odds.same(ratio)
        count, wrong = _moments(make, inputs, items, limit) if moments else (0, 0)
    return Proof(name, holds, shipped, least, ratio, uniform, pair, report, stated, count, wrong, ideal, slack)


def _maker(client: Any) -> tuple[Maker, str]:
    """Return a function of ε, or of ε and k, that makes the client, and a name."""
    if isinstance(client, Mechanism):
        own, kind = {f.name for f in fields(client) if f.init}, type(client).__name__  # type: ignore[arg-type]
        if "epsilon" not in own:
            raise ValueError(f"client must have a field epsilon, got {kind}: give a function of ε that makes a {kind}")
        structure = {name: getattr(client, use) for name, use in client.chosen.items() if name in own}
        return lambda e: replace(client, epsilon=e, **structure), kind  # type: ignore[type-var]
    asked = signature(client).parameters if callable(client) else {}
    wants = [each for each, p in asked.items() if p.default is p.empty]
    name = getattr(client, "__name__", "client")
    if len(wants) == 1:
        return client, name
    if len(wants) == 3 and "rng" not in wants[:2]:  # by place, so in another order ε would stand for the generator
        return lambda e: lambda x, rng: client(x, e, rng), name
    if len(wants) == 4:
        return _any_k(client), f"{name}, for all k >= 2"
    shown = f"{name}{signature(client)}" if callable(client) else repr(client)
    calls = "(epsilon), (value, epsilon, rng) or (value, items, epsilon, rng)"
    raise ValueError(f"client must be a Mechanism, or a function {calls}, got {shown}")


def _name(mechanism: Any) -> str:
    shown = ((f.name, getattr(mechanism, f.name)) for f in fields(mechanism) if f.repr)
    sizes = ", ".join(f"{name}={x!r}" for name, x in shown if not isinstance(x, Budget | Formula))
    return f"{type(mechanism).__name__}({sizes})"


def _settle(make: Maker, inputs: Any, coins: str, limit: int, plain: bool = False, roots: int = 1) -> tuple[Any, Laws]:
    """Replay with e^ε = y; if the client takes a root of it, with y², and so on."""
    if roots > ROOTS_MAX:
        raise ValueError(f"client must divide ε by {ROOTS_MAX} at most, got {roots} parts: prove fewer of them")
    field = Field(roots, coins, plain)
    try:
        client = make(field.epsilon)
        return client, symbolic_laws(client, inputs, field, limit)
    except Root as error:
        return _settle(make, inputs, coins, limit, plain, roots * error.order)
    except TypeError as error:
        raise TypeError(f"{error}{next((f'; {HINTS[w]}' for w in HINTS if w in str(error)), '')}") from error


def _replay(make: Maker, sizes: list[Any], inputs: Any, found: Laws, limit: int) -> None:
    """Refuse a client whose law with numbers is not that of the formulas: it has asked what ε is, or k."""
    for epsilon, size in product(POINTS, sizes):
        formulas = found.at(Fraction(exp(epsilon / found.field.roots)), sum(size) - 2)
        for one, other in zip(laws(make(epsilon, *size), inputs, limit=limit), formulas, strict=True):
            for y in one.keys() | other.keys():
                p, q = one.get(y, Fraction(0)), other.get(y, Fraction(0))
                if abs(p - q) > 1e-12 * q:
                    what = f"{sum(size)} items as with any number of them" if size else "a number as with a symbol"
                    said = f"report {y!r:.60} has probability {float(p):.9g}, and {float(q):.9g} by the formulas"
                    raise ValueError(f"the client must do the same with {what}: at ε = {epsilon} {said}")


def _kept(make: Maker, inputs: Any, limit: int) -> bool:
    """Whether the client with numbers keeps ε, exactly, at each of some ε that it takes: floats are not formulas."""
    for epsilon in TRIED:
        try:
            client = make(epsilon)
        except ValueError:  # more than it is made for
            continue
        ratio = worst(laws(client, inputs, limit=limit)).ratio
        if ratio is None or ratio > odds(epsilon):
            return False
    return True


def _decide(found: Laws, start: Fraction = START[0]) -> tuple[bool | None, float, Fraction]:
    """Whether all inequalities hold, from which ε on, and a y at which to look for the largest ratio.

    If they need not hold for all ε > 0, the first that fails from `start` on will do.
    """
    late, fails = found.field.late, []
    for *_, gap in found.gaps():
        s, only_late = sign(gap)
        late |= only_late
        if s not in (0, 1):
            fails.append(_first(gap, start))
            if start > 1 and fails[-1]:
                break
    if least := min(filter(None, fails), default=None):
        return False, found.field.roots * log(least), least + FINE
    return None if fails else True, 1e-6 if late else 0.0, Fraction(3, 2)


def _first(p: Poly, start: Fraction) -> Fraction | None:
    """Find the least y, from `start` on, right above which p is negative, all slacks being one of two numbers."""
    for slack in (Fraction(0), ROUNDING if start > 1 else Fraction(1)):  # with ideal coins, one more item
        q, low = collect((m & Y, c * slack ** sum(n for i, n in exponents(m) if i)) for m, c in p.items()), start
        (q,) = whole(q)
        while row := shifted(q, low):
            if row[min(row)] < 0:
                return low
            if not (left := roots_beyond_zero(row)):
                break
            high = low + 1
            while roots_beyond_zero(shifted(q, high)) == left:
                high = low + 2 * (high - low)
            while high - low > FINE:  # the first root is in between
                middle = (low + high) / 2
                low, high = (middle, high) if roots_beyond_zero(shifted(q, middle)) == left else (low, middle)
            low = high
    return None


def _largest(found: Laws, where: Fraction) -> tuple[Formula | None, bool, tuple[int, int], Any]:
    """Return the largest ratio at some y as a formula, whether it is the largest for every ε, and who attains it."""
    ratios: dict[Formula, Any] = {}
    for pair, y, p, q, _ in found.gaps():
        if p and not q:
            return None, True, pair, y
        if p:
            ratios.setdefault(Formula(p, q, found.field), (pair, y))
    top = max(ratios, key=lambda r: r.at(where))
    uniform = all(sign(plus(times(top.num, r.den), times(r.num, top.den), -1))[0] in (0, 1) for r in ratios)
    return top, uniform, *ratios[top]


def _moments(make: Maker, inputs: Any, items: Any, limit: int) -> tuple[int, int]:
    """Count identities of mean and variance, and wrong ones; for whatever coins, for ideal ones where that stops."""
    try:
        mechanism, found = _settle(make, inputs, "free", limit, plain=True)
    except (TypeError, ValueError):
        mechanism, found = _settle(make, inputs, "ideal", limit, plain=True)
    candidates, wrong = named(items), 0
    people = inputs if isinstance(inputs, np.ndarray | Records) else np.asarray(inputs)

    def stated(one: Any) -> list[Any]:
        return [np.asarray(f(people, *candidates)) for f in (one.expected, one.variance)]

    shipped = make(POINTS[-1])
    for a, b in zip(stated(shipped), numbers(shipped, inputs, items), strict=True):
        wrong += not np.allclose(a, b, rtol=1e-8, atol=1e-9)  # with numbers it does something else: asked what ε is
    scores = {y: np.asarray(_estimate(mechanism, candidates, own)).ravel() for y, own in found.reports.items()}
    means, variances = stated(mechanism)
    for law, mean, variance in zip(found.law, means, variances, strict=True):
        for at, (m, v) in enumerate(zip(mean.ravel(), variance.ravel(), strict=True)):
            by: dict[Any, Poly] = {}
            for y, p in law.items():
                by[scores[y][at]] = plus(by.get(scores[y][at], {}), p)
            each = [(s, Formula(p, found.total, found.field)) for s, p in by.items()]
            first, second = sum(p * s for s, p in each), sum(p * s * s for s, p in each)
            wrong += (not first.same(m)) + (not (second - first * first).same(v))
    return 2 * means.size, wrong
