"""Proofs for every ε: a client's branches are replayed with coins that are formulas in x = e^ε, see `ldpnb.formula`.

The client computes these coins itself, from an ε that is a symbol; nothing is written down a second time.  The laws of
all inputs are polynomials over one denominator, and P(y|a) ≤ e^ε P(y|b) is a polynomial in u = y − 1 without a negative
coefficient, where e^ε = y^r.  A coin that is rounded toward privacy is any number between its ideal value and its value
at ε = 0, one slack variable each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from inspect import signature
from itertools import permutations
from math import exp, lcm, log
from textwrap import fill
from typing import Any

import numpy as np

from ldpnb.chance import LIMIT, Outputs, Paths, Randomness, odds, pick, walk
from ldpnb.core import Example, Mechanism, Records, named
from ldpnb.formula import (
    Budget,
    Field,
    Formula,
    Poly,
    Root,
    Y,
    _roots as roots_beyond_zero,
    collect,
    merged,
    plus,
    power,
    shifted,
    sign,
    simple,
    times,
    value,
)
from ldpnb.verify._laws import _estimate, _programs, laws, moments as numbers, worst

ONE: Poly = {0: 1}
POINTS = (0.3, 2.5)  # ε at which the shipped client, with numbers, is compared with the formulas
TRIED = (1e-6, 0.01, 1.0, 16.0, 32.0, 40.0)  # where it has to keep ε to the last fraction
ROOTS_MAX = 16  # of e^ε: for more, `formula.START` would not be below e^(ε/r)
WIDE = 64  # letters of a line of what is said
MULTIPLES = 16  # of a rounded coin: the chance of several alike
FINE = Fraction(1, 2**60)  # width within which a root is found


@dataclass(frozen=True, eq=False)
class Laws:
    """Laws of several inputs over one denominator: law[i][report] / total, polynomials that are not negative."""

    field: Field
    law: list[dict[Any, Poly]]
    total: Poly
    tossed: frozenset[Formula]

    @property
    def as_shipped(self) -> bool:
        """Whether every coin was rounded by the client; `bernoulli` rounds others up, by less than 2**-53."""
        if self.field.floats:
            return False
        grid = {x for p in self.field.rounded for n in range(1, MULTIPLES) for x in (n * p, 1 - n * p)}
        return all(p in grid for p in self.tossed)

    def at(self, y: Fraction, slack: int = 0) -> list[dict[Any, Fraction]]:
        """Laws at one y, all slacks being the same."""
        whole = value(self.total, y, Fraction(slack))
        return [{report: value(p, y, Fraction(slack)) / whole for report, p in law.items()} for law in self.law]

    @property
    def certificate(self) -> str:
        """The polynomials as text, from which a stranger can check the inequalities without this package."""
        powers = "every pair of inputs and every report: total = sum of a law, 0 <= p, p <= y^r q"
        lines = [f"# {powers}, for all y >= start and w >= 0", f"r {self.field.roots}"]
        lines += [f"start {'1' if self.everywhere else '16777217/16777216'}", f"total {_text(self.total)}"]
        for i, law in enumerate(self.law):
            lines += [f"p {i} {report!r} : {_text(p)}".replace("\n", " ") for report, p in law.items()]
        return "\n".join(lines) + "\n"

    @property
    def everywhere(self) -> bool:
        """Whether nothing needs ε to be at least 1e-6."""
        return not self.field.late and all("1e-6" not in sign(gap)[1] for *_, gap in self.gaps())

    def gaps(self) -> Iterator[tuple[tuple[int, int], Any, Poly, Poly, Poly]]:
        """Pair (a, b), report, P(y|a), P(y|b), and x P(y|b) − P(y|a): different inequalities once."""
        seen = set()
        for y in dict.fromkeys(y for law in self.law for y in law):
            for a, b in permutations(range(len(self.law)), 2):
                p, q = self.law[a].get(y, {}), self.law[b].get(y, {})
                if (key := (frozenset(p.items()), frozenset(q.items()))) not in seen:
                    seen.add(key)
                    yield (a, b), y, p, q, plus(times(self.field.e.num, q), p, -1)


def _text(p: Poly) -> str:
    """Write a polynomial as c*y^i*w1^j, terms joined by +."""
    terms = []
    for m, c in sorted(p.items()):
        parts, i = [str(c)], 0
        while m:
            if m & Y:
                parts.append(f"{f'w{i}' if i else 'y'}^{m & Y}")
            m, i = m >> Y.bit_length(), i + 1
        terms.append("*".join(parts))
    return " + ".join(terms) or "0"


def _options(weights: tuple[Any, ...]) -> tuple[list[Poly], Poly]:
    """Weights of one choice, brought to one denominator and that left out; and their sum."""
    parts = [(w.num, w.den) if isinstance(w, Formula) else ({0: w} if w else {}, ONE) for w in weights]
    dens = {frozenset(den.items()) for _, den in parts}
    tops, total = list[Poly](), Poly()
    for num, den in parts:
        for other in dens - {frozenset(den.items())}:
            num = times(num, dict(other))
        tops.append(num)
        total = plus(total, num)
    return tops, total


def symbolic_laws(client: Any, inputs: Any, field: Field, limit: int = LIMIT) -> Laws:
    """Replay every branch; a branch is a product of options, and these are polynomials over the sum of the weights."""
    replayed, outputs = list[dict[Any, Any]](), Outputs()
    for program in _programs(client, inputs):
        law: dict[Any, dict[Any, Fraction]] = {}
        for paths, result in walk(program, limit=limit):
            constant, factors = Fraction(1), Counter[Any]()
            for option, weights in paths.taken:
                if any(isinstance(w, Formula) for w in weights):
                    factors[weights, option] += 1
                else:
                    part = Fraction(weights[option], sum(weights))
                    constant *= simple(part) if field.plain else part
            terms, key = law.setdefault(outputs.key(result), {}), frozenset(factors.items())
            terms[key] = terms.get(key, Fraction(0)) + constant
        replayed.append(law)
    every = {key for law in replayed for terms in law.values() for key in terms}
    cache = {weights: _options(weights) for weights in {weights for key in every for (weights, _), _ in key}}
    for p in (p for tops, whole in cache.values() for p in (*tops, whole)):
        s, why = sign(p)
        field.late |= "1e-6" in why
        if s not in (0, 1):
            raise ValueError(f"a coin must be a probability for every ε, got one of weight {field.text(p)}")
    tossed = frozenset(w[0] for w in cache if len(w) == 2 and isinstance(w[0], Formula) and (w[0] + w[1]).same(1))
    uses, most = dict[Any, Counter[Any]](), Counter[Any]()
    for key in every:
        uses[key] = Counter()
        for (weights, _), n in key:
            uses[key][frozenset(cache[weights][1].items())] += n
        most |= uses[key]
    units = lcm(*(c.denominator for law in replayed for terms in law.values() for c in terms.values()))
    products: dict[Any, Poly] = {}
    for key in every:
        p = ONE
        for (weights, option), n in key:
            p = times(p, power(cache[weights][0][option], n))
        for den, n in (most - uses[key]).items():
            p = times(p, power(dict(den), n))
        products[key] = p
    total: Poly = {0: units}
    for den, n in most.items():
        total = times(total, power(dict(den), n))
    found = [{y: _sum((products[k], int(c * units)) for k, c in terms.items()) for y, terms in law.items()}
             for law in replayed]  # fmt: skip
    if any(_sum((p, 1) for p in law.values()) != total for law in found):
        raise ValueError("a law must sum to one for every ε: the client does not repeat itself")
    return Laws(field, found, total, tossed)


def _sum(parts: Any) -> Poly:
    return collect((m, c * often) for p, often in parts for m, c in p.items())


# ------------------------------------------------------------------------------------------- domains of any size


class Token:
    """An item of which a client may only ask whether it is another one."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        if self is TOKENS[2] and other is self:
            raise TypeError("whether two of the other items are the same depends on which they are")
        return self is other

    def __hash__(self) -> int:
        return hash(self.name)

    def __deepcopy__(self, memo: Any) -> Token:
        return self

    def __repr__(self) -> str:
        return self.name


TOKENS = Token("a"), Token("b"), Token("another")


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


def _any_k(client: Callable[..., Any]) -> Callable[[Any], Any]:
    def make(epsilon: Any, k: int = 0) -> Any:
        items = Items(k or epsilon.odds.field.slack() + 2)
        return lambda x, rng: client(x, items, epsilon, rng)

    return make


def _replay_sizes(make: Callable[..., Any], found: Laws, limit: int) -> None:
    """As `_replay`, with numbers for ε and k; what is said about an item of the others must not depend on the value."""
    for y in found.law[0].keys() & found.law[1].keys():
        for z in found.law[0].keys() & found.law[1].keys():
            if isinstance(y, tuple) and y[:2] == z[:2]:
                one, other = (times(found.law[i].get(y, {}), found.law[1 - i].get(z, {})) for i in (0, 1))
                if one != other:
                    raise ValueError("a client must say the same of other items, whatever its value")

    def named_as(report: Any) -> Any:
        return report[:3] if isinstance(report, tuple) else TOKENS[min(report, 2)]

    for epsilon in POINTS:
        for k in (3, 4):
            formulas = found.at(Fraction(exp(epsilon / found.field.roots)), k - 2)
            for law, wanted in zip(laws(make(epsilon, k), range(2), limit=limit), formulas, strict=True):
                seen = dict.fromkeys(wanted, Fraction(0))
                for report, p in law.items():
                    seen[named_as(report)] = seen.get(named_as(report), Fraction(0)) + p
                if any(abs(p - wanted.get(y, Fraction(0))) > 1e-12 * p for y, p in seen.items()):
                    raise ValueError(f"the client must do the same with {k} items as with any number, at ε = {epsilon}")


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
    inequalities : Counter
        How they were shown.
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
    inequalities: Counter[str]
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
            ratio = "∞" if self.ratio is None else self.ratio
            if self.holds is None:
                return fill(f"{who}, is neither proved nor refuted: ratio {ratio} at {worst}, {x}.", WIDE)
            since = "" if self.ratio is None else f", more than e^ε right above ε = {self.least:.6g}"
            return fill(f"{who}, is refuted: ratio {ratio} at {worst}, {x}{since}.", WIDE)
        range_ = "every ε > 0" if not self.least else f"every ε >= {self.least:g}"
        spent = "e^ε is attained" if self.tight else f"attained is {self.ratio} only, {x},"
        ideal = f"no report tells two inputs apart by more than e^ε, for {range_} with ideal coins"
        said = [f"{who}: {ideal}; {spent} by {worst}."]
        if self.shipped is not None or self.rounded:
            word = {True: "holds for every ε >= 1e-06", False: "is refuted", None: "is not shown"}[self.shipped]
            said.append(f"With coins rounded as they are shipped it {word}, other arithmetic being exact.")
        if self.moments:
            right = "are" if not self.wrong else f"are not, in {self.wrong} cases,"
            said.append(
                f"Mean and variance of one person's score {right} as stated ({self.moments} identities of formulas)."
            )
        return fill(" ".join(said), WIDE)


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
        If the client's structure depends on ε.
    ValueError
        If the client with numbers has another law than the formulas, or as for `laws`.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> found = prove(GRR(k=3, epsilon=1.0), [0, 1, 2])
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    GRR(k=3), on 3 inputs: no report tells two inputs apart by more than e^ε, for every ε > 0 with ideal coins; e^ε is
    attained by report 0 for inputs 0 and 1. With coins rounded as they are shipped it holds for every ε >= 1e-06, other
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
        _replay_sizes(make, ideal, limit)
    else:
        _replay(make, inputs, ideal, limit)
    own = built.realised_epsilon if isinstance(built, Mechanism) else None
    holds, least, by, bad = _decide(ideal)
    ratio, uniform, pair, report = _largest(ideal, bad)
    shipped, slack = None, None
    if rounded and holds:
        slack = _settle(make, inputs, "rounded", limit)[1]
        shipped = _decide(slack, least_epsilon=False)[0] if slack.as_shipped else None
        if not _kept(make, inputs, limit):
            shipped = False
    count = wrong = 0
    stated = None
    if isinstance(built, Mechanism):
        name = _name(built)
        stated = isinstance(own, Budget) and ratio is not None and own.odds.same(ratio)
        if moments:
            count, wrong = _moments(make, inputs, items, limit)
    return Proof(name, holds, shipped, least, ratio, uniform, pair, report, stated, count, wrong, by, ideal, slack)


def _maker(client: Any) -> tuple[Callable[[Any], Any], str]:
    if isinstance(client, Mechanism):
        if "epsilon" not in {f.name for f in fields(client)}:  # type: ignore[arg-type]
            kind = type(client).__name__
            raise ValueError(f"client must have a field epsilon, got {kind}: give a function of ε that makes a {kind}")
        own = {f.name for f in fields(client) if f.init}  # type: ignore[arg-type]
        structure = {name: getattr(client, use) for name, use in client.chosen.items() if name in own}
        return lambda e: replace(client, epsilon=e, **structure), ""  # type: ignore[type-var]
    wants = sum(p.default is p.empty for p in signature(client).parameters.values()) if callable(client) else 0
    if wants not in (1, 3, 4):
        raise ValueError(
            "client must be a Mechanism, or a function (epsilon), (value, epsilon, rng) or (value, items, epsilon, "
            f"rng), got {client!r}"
        )
    name = getattr(client, "__name__", "client")
    if wants == 4:
        return _any_k(client), f"{name}, for all k >= 2"
    return (client if wants == 1 else lambda e: lambda x, rng: client(x, e, rng)), name


def _name(mechanism: Any) -> str:
    shown = ((f.name, getattr(mechanism, f.name)) for f in fields(mechanism) if f.repr)
    sizes = ", ".join(f"{name}={x!r}" for name, x in shown if not isinstance(x, Budget | Formula))
    return f"{type(mechanism).__name__}({sizes})"


def _settle(make: Callable[[Any], Any], inputs: Any, coins: str, limit: int, plain: bool = False) -> tuple[Any, Laws]:
    """Try e^ε = y, y², … until all roots that the client takes are powers of y."""
    roots = 1
    while roots <= ROOTS_MAX:
        field = Field(roots, coins, plain)
        try:
            client = make(field.epsilon)
            return client, symbolic_laws(client, inputs, field, limit)
        except Root as error:
            roots *= error.order
    raise ValueError(f"client must divide ε by {ROOTS_MAX} at most, got {roots} parts: prove fewer of them")


def _replay(make: Callable[[Any], Any], inputs: Any, found: Laws, limit: int) -> None:
    """Refuse a client whose law with numbers is not that of the formulas: it has asked what ε is."""
    for epsilon in POINTS:
        formulas = found.at(Fraction(exp(epsilon / found.field.roots)))
        for i, (one, other) in enumerate(zip(laws(make(epsilon), inputs, limit=limit), formulas, strict=True)):
            for y in one.keys() | other.keys():
                p, q = one.get(y, Fraction(0)), other.get(y, Fraction(0))
                if abs(p - q) > 1e-12 * q:
                    raise ValueError(
                        f"the client must do the same with a number as with a symbol: at ε = {epsilon} it sends "
                        f"{y!r:.60} for input {i} with probability {float(p):.9g}, the formulas say {float(q):.9g}"
                    )


def _kept(make: Callable[[Any], Any], inputs: Any, limit: int) -> bool:
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


def _decide(found: Laws, least_epsilon: bool = True) -> tuple[bool | None, float, Counter[str], Any]:
    """Whether all inequalities hold, from which ε on, how it was shown, and one that fails or is not shown.

    The first that fails will do where the least ε is not asked for.
    """
    holds, least, by, bad = True, 1e-6 if found.field.late else 0.0, Counter[str](), None
    verdict: bool | None = holds
    for gap in found.gaps():
        s, why = sign(gap[4])
        by[why] += 1
        if verdict and "1e-6" in why:
            least = 1e-6
        if s in (0, 1):
            continue
        if s == -1 or _negative(gap[4]):
            first = _first(gap[4], found.field.roots) if all(m <= Y for m in gap[4]) else 0.0
            if verdict is not False or first < least:
                verdict, least, bad = False, first, gap
            if not least_epsilon:
                break
        elif verdict:
            verdict, bad = None, gap
    return verdict, least if verdict is not None else 0.0, by, bad


def _negative(p: Poly) -> tuple[Fraction, Fraction] | None:
    """Find a y and a slack where p is negative, ε being at least 1e-6."""
    p, ys = merged(p), [1 + Fraction(2) ** k for k in range(-19, 12)]
    slacks = [Fraction(0)] if all(m <= Y for m in p) else [Fraction(0), Fraction(1, 2**54)]  # what rounding may do
    return next(((y, w) for w in slacks for y in ys if value(p, y, w) < 0), None)


def _largest(found: Laws, bad: Any) -> tuple[Formula | None, bool, tuple[int, int], Any]:
    """Return the largest ratio as a formula, whether it is the largest for every ε, and who attains it."""
    ratios: dict[Formula, Any] = {}
    for pair, y, p, q, _ in found.gaps():
        if p and not q:
            return None, True, pair, y
        if p:
            ratios.setdefault(Formula(p, q, found.field), (pair, y))
    where = _negative(bad[4]) if bad else None
    top = max(ratios, key=lambda r: r.at(where[0] if where else Fraction(3, 2)))
    uniform = all(sign(plus(times(top.num, r.den), times(r.num, top.den), -1))[0] in (0, 1) for r in ratios)
    return top, uniform, *ratios[top]


def _first(p: Poly, roots: int) -> float:
    """Return the smallest ε right above which p is negative: 0, or a root that Sturm's theorem encloses."""

    def after(y: Fraction) -> list[int]:
        return shifted(p, y.numerator, y.denominator)[0]

    low = Fraction(1)
    while True:
        row = after(low)
        if next(c for c in row if c) < 0:
            return roots * log(low)
        left, high = roots_beyond_zero(row), low + 1
        while roots_beyond_zero(after(high)) == left:
            high = low + 2 * (high - low)
        while high - low > FINE:  # the first root is in between
            middle = (low + high) / 2
            low, high = (middle, high) if roots_beyond_zero(after(middle)) == left else (low, middle)
        low = high


def _moments(make: Callable[[Any], Any], inputs: Any, items: Any, limit: int) -> tuple[int, int]:
    """Count identities of mean and variance, and wrong ones; for whatever coins, for ideal ones where that stops."""
    try:
        mechanism, found = _settle(make, inputs, "free", limit, plain=True)
    except (TypeError, ValueError):
        mechanism, found = _settle(make, inputs, "ideal", limit, plain=True)
    candidates, scores, wrong = named(items), dict[Any, Any](), 0
    whole = inputs if isinstance(inputs, np.ndarray | Records) else np.asarray(inputs)
    means, variances = (np.asarray(f(whole, *candidates)) for f in (mechanism.expected, mechanism.variance))
    shipped = make(POINTS[-1])
    for stated, found_ in zip((shipped.expected, shipped.variance), numbers(shipped, inputs, items), strict=True):
        if not np.allclose(np.asarray(stated(whole, *candidates)), found_, rtol=1e-8, atol=1e-9):
            wrong += 1  # of the client with numbers: it has asked what ε is
    outputs = Outputs()
    for program in _programs(mechanism, inputs):
        for _, report in walk(program, limit=limit):
            if (key := outputs.key(report)) not in scores:
                scores[key] = np.asarray(_estimate(mechanism, candidates, report)).ravel()
    for law, mean, variance in zip(found.law, means, variances, strict=True):
        for at, (m, v) in enumerate(zip(mean.ravel(), variance.ravel(), strict=True)):
            by: dict[Any, Poly] = {}
            for y, p in law.items():
                by[scores[y][at]] = plus(by.get(scores[y][at], {}), p)
            each = [(s, Formula(p, found.total, found.field)) for s, p in by.items()]
            zero = 0 * found.field.e
            first = sum((p * s for s, p in each), zero)
            second = sum((p * s * s for s, p in each), zero)
            wrong += (not first.same(m)) + (not (second - first * first).same(v))
    return 2 * means.size, wrong
