"""Proofs for every ε: a client's branches are replayed with coins that are formulas in x = e^ε, see `ldpnb.formula`.

The client computes these coins itself, from an ε that is a symbol; nothing is written down a second time.  The laws of
all inputs are polynomials over one denominator, and P(y|a) ≤ e^ε P(y|b) is a polynomial in u = y − 1 without a negative
coefficient, where e^ε = y^r.  A coin that is rounded toward privacy is any number between its ideal value and its value
at ε = 0, one slack variable each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial, reduce
from inspect import signature
from itertools import chain, permutations
from math import exp, log
from operator import or_
from random import Random
from textwrap import fill
from typing import Any

import numpy as np

from ldpnb.chance import LIMIT, Law, Outputs, odds, walk
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.core import Example, Mechanism, Records, named
from ldpnb.formula import (
    CURE,
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
from ldpnb.verify._items import A, B, Larger, of_any_size
from ldpnb.verify._laws import _estimate, _programs, laws, moments as numbers, stated_rounding, worst

POINTS = (0.3, 2.5)  # ε at which the shipped client, with numbers, is compared with the formulas to twelve digits
TRIED = (1e-6, 0.01, 1, 16.0, 32.0, 40.0)  # and further ones, one of them an int, to nine
RANDOM, WALKED = 24, 4000  # as many more at random, as long as the branches to be walked are not more than so many
ROOTS_MAX = 16  # of e^ε: for more, `formula.START` would not be below e^(ε/r)
WIDE = 64  # letters of a line of what is said
MULTIPLES = 16  # of a rounded coin: the chance of several alike
FINE = Fraction(1, 2**60)  # width within which a root is found
Maker = Callable[..., Any]  # of a client, for an ε
HINTS = dict.fromkeys(["real number", "Rational", "ufunc", "operand"], CURE)  # by a word of Python's own message
HINTS["Budget"] = Budget.hint
ROUND = "round the coin of the likelier answer down, by ldpnb.chance.round_down"
PARTS = "take parts of ldpnb.chance.exact(ε), or its share: ε/3 is rounded to the nearest float, often above a third"
ROUNDING = Fraction(1, 2**54)  # a slack that rounding may well reach


@dataclass(frozen=True, eq=False)
class Laws:
    """Laws of several inputs over one denominator: law[i][report] / total, polynomials that are not negative."""

    field: Field
    law: list[dict[Any, Poly]]
    total: Poly
    tossed: frozenset[Formula]
    reports: dict[Any, Any]  # as the client returned them
    branches: int

    @property
    def as_shipped(self) -> bool:
        """Whether every coin was rounded by the client; `bernoulli` rounds others up, by less than 2**-53."""
        grid = {x for p in self.field.rounded.values() for n in range(1, MULTIPLES) for x in (n * p, 1 - n * p)}
        return not self.field.floats and not self.field.nearest and self.tossed <= grid

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
    branches_walked = 0

    def watched(program: Any, rng: Any) -> Any:
        with field.run():
            result = program(rng)
        field.heard()
        return result

    for program in _programs(client, inputs):
        replayed.append({})
        for paths, result in walk(partial(watched, program), limit=limit):
            branches_walked += 1
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
    return Laws(field, found, total, tossed, reports, branches_walked)


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
    tested : tuple of float
        Values of ε at which the client with numbers had the law of the formulas; none where it never sees a number.
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
    tested: tuple[float, ...] = ()

    @property
    def tight(self) -> bool:
        """Whether e^ε itself is attained, for every ε."""
        return self.ratio is not None and self.ratio.same(self.laws.field.e)

    def __str__(self) -> str:
        every = "for all k" in self.name
        who = f"{self.name}, on {'any two items' if every else f'{len(self.laws.law)} inputs'}"
        one, other = (["a", "b"][i] if every else str(i) for i in self.pair)
        report = f"report {self.report!r:.60}"
        times = "e^ε" if self.tight else f"{self.ratio}"
        likely = f"{report} is {times} times as likely from input {one} as from input {other}"
        if self.ratio is None:
            likely = f"{report} comes from input {one} and never from input {other}"
        seen = f"with numbers it did the same at {len(self.tested)} values of ε"
        seen += f" from {min(self.tested):g} to {max(self.tested):g}" if self.tested else ""
        if self.holds is None:
            kept = "and kept ε at each of them" if self.shipped else "and did not keep ε at each of them"
            said = f"{who}, is neither proved nor refuted: {likely}"
            return fill(f"{said}{'' if every else f'; {seen} {kept}'}.", WIDE)
        if not self.holds:
            right = "" if self.ratio is None else f", more than e^ε right above ε = {self.least:.6g}"
            return fill(f"{who}, is refuted: {likely}{right}{'' if every else f'; {seen}'}.", WIDE)
        since = f"every ε >= {self.least:g}" if self.least else "every ε > 0"
        ideal = f"no report tells two inputs apart by more than e^ε, for {since} with ideal coins; {likely}."
        how = f"This is proved with a symbol for ε; {seen}."
        if every:
            how = (
                "This is proved of the client that ldpnb.verify.of_size runs, which sees neither ε nor k nor the items."
            )
        said = f"{who}: {ideal} {how}"
        if self.rounded:
            cure = PARTS if self.rounded.field.nearest else ROUND
            words = {True: "holds for every ε >= 1e-06", False: f"is refuted ({cure})", None: "is not shown"}
            words[None] += f" ({PARTS})" if self.rounded.field.nearest else ""
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
    number, a text, a hash or a comparison that depends on ε stops with a TypeError, even if it catches that error.
    Structure that a mechanism's class leaves to ε (`Mechanism.chosen`: a number of slots, the size of a set) is the one
    for the ε it has; other structure must be named in the fields.  The client also runs with numbers, at the values of
    `Proof.tested`: there it must have the law of the formulas and, if rounded coins are asked for, keep ε to the last
    fraction.  What a program does only at other numbers, since it asks for types, is not seen.  A client for all k is
    handed the same objects where it runs, so that there is no such thing: see `ldpnb.verify._items` and `of_size`.

    Parameters
    ----------
    client : Mechanism, Example, or function
        A mechanism with a field ``epsilon``, whose value does not matter; or a function of ε that makes a mechanism,
        ``lambda e: BitFlip(sizes=(3,), f=flip_for(e, 2))``; or a client of one person, ``client(value, epsilon, rng)``,
        which computes its coins from ``ldpnb.chance.odds(epsilon)``; or, for domains of all sizes k ≥ 2 at once,
        ``client(value, items, epsilon, rng)``, which only compares items and sends them, draws some (`Items.pick`) or
        tosses a coin about each (`Items.each`), and finds k in ``items.k``.  Its coins are not taken to be rounded.
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
    GRR(k=3), on 3 inputs: no report tells two inputs apart by more than e^ε, for every ε > 0 with ideal coins; report 0
    is e^ε times as likely from input 0 as from input 1. This is proved with a symbol for ε; with numbers it did the
    same at 31 values of ε from 1e-06 to 32. With coins rounded to 53 bits it holds for every ε >= 1e-06, other
    arithmetic being exact. Mean and variance of one person's score are as stated (18 identities of formulas).
    """
    if isinstance(client, Example):
        client, inputs, items = client.mechanism, client.inputs, client.items
    make, name = _maker(client)
    if "for all k" in name:
        return _every_size(client, name, limit)
    try:
        built, ideal = _settle(make, inputs, "ideal", limit)
    except TypeError as error:
        raise TypeError(f"{error}{_only_tested(make, inputs, limit)}") from error
    if len(ideal.law) < 2:
        raise ValueError(f"inputs must be at least two values, got {len(ideal.law)}")
    tested, kept = _replay(make, client, inputs, ideal, limit)
    holds, least, where = _decide(ideal)
    ratio, uniform, pair, report = _largest(ideal, where)
    shipped, slack, stated, count, wrong = kept if holds is None else None, None, None, 0, 0
    if rounded and holds:
        slack = _settle(make, inputs, "rounded", limit)[1]
        shipped = kept and (_decide(slack, START[1])[0] if slack.as_shipped else None)
    if isinstance(built, Mechanism):
        name, own = _name(built), built.realised_epsilon
        stated = isinstance(own, Budget) and ratio is not None and own.odds.same(ratio)
        count, wrong = _moments(make, inputs, items, limit) if moments else (0, 0)
    return Proof(name, holds, shipped, least, ratio, uniform, pair, report, stated, count, wrong, ideal, slack, tested)


def _every_size(client: Any, name: str, limit: int) -> Proof:
    """Prove it for all k from a size on at which no branch draws more items than there are, and for smaller ones."""
    least, cases = 2, list[Laws]()
    while not cases:
        try:
            cases = [_settle(of_any_size(client, least, True), [A, B], "ideal", limit)[1]]
        except Larger as error:
            least = error.least
    for k in range(2, least):
        cases += [_settle(of_any_size(client, k, False), [A, B], "ideal", limit)[1]]
    decided = [_decide(found) for found in cases]
    at = next((i for want in (False, None) for i, (holds, *_) in enumerate(decided) if holds is want), 0)
    (holds, since, where), found = decided[at], cases[at]
    if at:
        name = name.replace("for all k >= 2", f"for all k >= 2, at k = {at + 1}")
    since = since if holds is False else max(least for _, least, _ in decided)
    ratio, uniform, pair, report = _largest(found, where)
    return Proof(name, holds, None, since, ratio, uniform, pair, report, None, 0, 0, found, None)


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
        return client, f"{name}, for all k >= 2"
    shown = f"{name}{signature(client)}" if callable(client) else repr(client)
    calls = "(epsilon), (value, epsilon, rng) or (value, items, epsilon, rng)"
    raise ValueError(f"client must be a Mechanism, or a function {calls}, got {shown}")


def _name(mechanism: Any) -> str:
    told = [f for f in fields(mechanism) if f.init and (f.repr or getattr(mechanism, f.name) is not f.default)]
    shown = ((f.name, getattr(mechanism, f.name)) for f in told)
    sizes = ", ".join(f"{name}={x!r}" for name, x in shown if not isinstance(x, Budget | Formula))
    return f"{type(mechanism).__name__}({sizes})"


def _settle(make: Maker, inputs: Any, coins: str, limit: int, plain: bool = False, roots: int = 1) -> tuple[Any, Laws]:
    """Replay with e^ε = y; if the client takes a root of it, with y², and so on."""
    if roots > ROOTS_MAX:
        raise ValueError(f"client must divide ε by {ROOTS_MAX} at most, got {roots} parts: prove fewer of them")
    field = Field(roots, coins, plain)
    try:
        with field.run():
            client = make(field.epsilon)
        field.heard()
        return client, symbolic_laws(client, inputs, field, limit)
    except Root as error:
        return _settle(make, inputs, coins, limit, plain, roots * error.order)
    except TypeError as caught:
        said = str(field.refused if isinstance(field.refused, TypeError) else caught)  # others may have reworded it
        hint = next((f"; {HINTS[w]}" for w in HINTS if w in said), "")
        raise TypeError(f"{said}{'' if field.refused else hint}") from caught


def _numbers(branches: int) -> list[float]:
    """Return values of ε to try: some that are always tried, and more at random, on a scale of powers."""
    dice = Random(0)
    low, high = log(EPSILON_MIN), log(EPSILON_MAX)
    return [*POINTS, *TRIED, *(exp(dice.uniform(low, high)) for _ in range(min(RANDOM, WALKED // branches)))]


def _replay(make: Maker, client: Any, inputs: Any, found: Laws, limit: int) -> tuple[tuple[float, ...], bool]:
    """Return values of ε at which the client with numbers has the law of the formulas; refuse one that has another.

    And whether it keeps each of them exactly: sums and products of floats are no formulas.
    """
    tested, kept = dict[float, None](), True
    own = [float(client.epsilon)] if isinstance(client, Mechanism) else []
    for epsilon in (*own, *_numbers(found.branches)):
        try:
            with_numbers = client if own and not tested else make(epsilon)
        except ValueError:  # it is not made for so little, or so much
            continue
        try:
            replayed = laws(with_numbers, inputs, limit=limit)
        except ValueError:
            if EPSILON_MIN <= epsilon <= EPSILON_MAX:
                raise
            continue
        formulas = found.at(Fraction(exp(epsilon / found.field.roots)))
        digits, more = (1e-12, 0) if epsilon in POINTS else (1e-9, 1e-9)
        for one, other in zip(replayed, formulas, strict=True):
            for y in one.keys() | other.keys():
                p, q = one.get(y, Fraction(0)), other.get(y, Fraction(0))
                if abs(p - q) > digits * q + more:
                    said = f"report {y!r:.60} has probability {float(p):.9g}, and {float(q):.9g} by the formulas"
                    raise ValueError(
                        f"the client must do the same with a number as with a symbol: at ε = {epsilon:.6g} {said}"
                    )
        tested[epsilon] = None
        ratio = worst(replayed).ratio
        kept &= ratio is not None and ratio <= odds(epsilon)
    return tuple(sorted(tested)), kept


def _only_tested(make: Maker, inputs: Any, limit: int) -> str:
    """Say of a client that cannot be proved whether it keeps some ε."""
    tested, broken = 0, list[float]()
    for epsilon in (*POINTS, *TRIED):
        with suppress(Exception):
            ratio = worst(laws(make(epsilon), inputs, limit=min(limit, WALKED))).ratio
            tested += 1
            if ratio is None or ratio > odds(epsilon + stated_rounding(epsilon)):
                broken.append(epsilon)
    if not tested:
        return ""
    what = f"more than ε is shown, first at ε = {min(broken):g}" if broken else "ε is kept at each of them"
    return f". This is no proof: at {tested} values of ε that were tried, {what}"


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
