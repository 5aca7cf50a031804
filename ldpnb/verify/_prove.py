"""Proofs for every ε at once, from laws whose probabilities are formulas in e^ε (see `ldpnb.verify._symbolic`).

P(y|a) ≤ e^ε P(y|b) is a polynomial in u = y − 1 that is not negative for u > 0, where e^ε = y^r.  What was proved,
refuted, tried with numbers or left open is said in sentences that are true as they stand (`Proof`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from inspect import signature
from itertools import pairwise
from math import exp, isclose, log
from random import Random
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from ldpnb.chance import LIMIT, Law, Randomness, form, odds
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN, OUT_OF_RANGE, apart, at_least, shown
from ldpnb.core import Example, Mechanism, named
from ldpnb.formula import (
    START,
    Budget,
    Formula,
    Poly,
    Y,
    collect,
    exponents,
    in_lowest_terms,
    never_zero,
    plus,
    roots as roots_beyond_zero,
    shifted,
    sign,
    times,
    whole,
)
from ldpnb.records import Records
from ldpnb.verify._items import A, B, Name, Tossed, cases, of_size
from ldpnb.verify._laws import _estimate, _values, different, laws, moments as numbers, stated_rounding, worst
from ldpnb.verify._symbolic import Laws, Maker, settled

POINTS = (0.3, 2.5)  # ε at which the client is run with numbers
TRIED = (1e-6, 0.01, 1, 16.0, 32.0, 40.0)  # and further ones, one of them an int
STRATA = (1e-6, 0.1, 8), (0.1, 32.0, 16)  # further ones: one at random from each of so many parts of these ranges
INTEGERS = 2, 5, 9, 13  # in place of those near them
WALKED = 4000  # branches that are walked for all of that
CHECKED = 64  # bounds of ε at which a part of it leaves the range of ε, at most
SIZES = 2, 3, 4, 5, 6, 7, 8, 16, 32, 128  # at which a client for any number of items is looked at, to refute it
SMALL, QUICKLY = 7, 20_000  # items, and branches that are walked where there are more
SEEN = 1 + Fraction(1, 10**50)  # by what factor e^ε must be exceeded there: `odds` is closer
FACTORS = (1.0, 0.1, 4.0, 16.0, 1e-3)  # what is added to the ε from which on a formula is more than e^ε
EPSILON = ("epsilon", "eps", "e", "ε")  # names that tell an order of arguments in which ε would be taken for another
WIDE = 64  # letters of a line of what is said
LONG = 60  # letters of a report or a value
CLOSE = 1 + Fraction(1, 10**56)  # `odds` is closer to e^ε than by this factor
FEW = 400  # branches up to which moments are compared at several ε
USUAL = Fraction(16180339887, 10**10)  # a y that is no root of anything that somebody writes down
MANY = 16  # coins that are rounded in a branch, at least
DRAWS = 20  # of y and slacks, where formulas are not the same, and may be but for rounding
FINE = Fraction(1, 2**60)  # width within which a root is found
FLOATS = "compute coins from exact numbers, by Fraction or ldpnb.chance.exact, and round each once"
ROUNDING = Fraction(1, 2**54)  # a slack that rounding may well reach
ROUND = "round the coin of the likelier answer down, by ldpnb.chance.round_down"
PARTS = "take parts of ldpnb.chance.exact(ε), or its share: ε/3 is rounded to the nearest float, often above a third"
SEALED = (
    "This is proved of the client that ldpnb.verify.of_size runs, at ε from 1e-06 to 32: its coins are exact, and it "
)
SEALED += "sees neither ε nor k."


STRUCTURE = "if a mechanism's structure follows from ε, let a field hold it, and name that in the class's `chosen`"


Scored = list[tuple[Formula, Formula]]  # scores with their probabilities


class Decision(NamedTuple):
    """Whether inequalities hold, from which ε on, a y at which to look at ratios, and which one fails, if any."""

    holds: bool | None
    least: float
    where: Fraction
    failing: Any


class Factor(NamedTuple):
    """A largest ratio as a formula, None for ∞; whether it is so for every ε; the inputs and the report."""

    ratio: Formula | None
    uniform: bool
    pair: tuple[int, int]
    report: Any


class Moments(NamedTuple):
    """How many identities of mean and variance were compared; wrong ones; ones right but for floats; or why none.

    Where all identities are right and numbers are not, `wrong` counts comparisons of numbers.
    `ideal` says that they were compared with coins that are not rounded, and not with whatever coins.
    """

    identities: int = 0
    wrong: int = 0
    near: int = 0
    ideal: bool = False
    unsaid: str = ""


@dataclass(frozen=True)
class Witness:
    """A number of items, an ε, and a report that is more than e^ε times as likely from one item as from another."""

    k: int
    epsilon: float
    ratio: Fraction | None  # None for infinity
    report: Any
    pair: tuple[int, int]


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
        Whether it holds for ε from 1e-6 to 32 with coins that are rounded: False if it fails at an ε that was tried,
        None where that was not asked or is not shown.
    least : float
        0 where it holds for every ε > 0; 1e-6 where only from there on.  Of a refuted client the ε from which on, or
        right above which, the ratio exceeds e^ε.
    most : Factor
        The largest likelihood ratio, which `ratio`, `uniform`, `pair` and `report` are about.
    stated : bool or None
        Whether the mechanism's `realised_epsilon` is ln(ratio) as an identity; None where it states none.
    compared : Moments
        What was found of mean and variance, for `moments` and `wrong`.
    laws, rounded : Laws
        With ideal coins, and with rounded ones (None where these were not asked, or stopped).
    asked : bool
        Whether the claim about rounded coins was asked for, of a client that keeps ε with ideal ones.
    values : list
        What the client was asked about, in the order that `pair` counts in; letters for a domain of any size.
    tested : tuple of float
        Values of ε at which the client with numbers had the law of the formulas, to nine digits; none where it never
        sees a number.
    broken : tuple of float
        Those of them at which the client with numbers exceeds e^ε, by rounding or by more.
    every : tuple of (int, Laws)
        For a domain of any size: the laws at each size that is a case of its own, the last for so many and more.
    plain : bool
        Whether the largest ratio is that of a report that a client sends, at every number of items.
    witness : Witness or None
        Of a refuted client for a domain of any size: where `of_size` runs it and exceeds e^ε.
    looked_at : tuple of int
        Where no witness was found: the numbers of items that were tried.
    """

    name: str
    holds: bool | None
    shipped: bool | None
    least: float
    most: Factor
    stated: bool | None
    compared: Moments
    laws: Laws
    rounded: Laws | None
    asked: bool
    values: list[Any]
    tested: tuple[float, ...] = ()
    broken: tuple[float, ...] = ()
    every: tuple[tuple[int, Laws], ...] = ()
    plain: bool = True
    witness: Witness | None = None
    looked_at: tuple[int, ...] = ()

    @property
    def ratio(self) -> Formula | None:
        """Largest likelihood ratio, a formula in e^ε; None for ∞."""
        return self.most.ratio

    @property
    def uniform(self) -> bool:
        """Whether it is the largest for every ε."""
        return self.most.uniform

    @property
    def pair(self) -> tuple[int, int]:
        """Positions of the inputs that attain it, likelier first."""
        return self.most.pair

    @property
    def report(self) -> Any:
        """The report that attains it."""
        return self.most.report

    @property
    def moments(self) -> int:
        """Identities of mean and variance that were compared."""
        return self.compared.identities

    @property
    def wrong(self) -> int:
        """How many of them are wrong."""
        return self.compared.wrong

    @property
    def tight(self) -> bool:
        """Whether e^ε itself is attained, for every ε."""
        return self.plain and self.ratio is not None and self.ratio.same(self.laws.field.e)

    @property
    def certificates(self) -> list[str]:
        """The inequalities as texts that a stranger can check: one for each case, and one for rounded coins."""
        found = [one.certificate for _, one in self.every] or [self.laws.certificate]
        return [*found, self.rounded.certificate] if self.rounded else found

    def __str__(self) -> str:
        verdicts = {True: self._proved, False: self._refuted, None: self._undecided}
        return fill(" ".join(verdicts[self.holds]()), WIDE, break_long_words=False)

    def _where(self, epsilons: str) -> str:
        """Say for which ε and on which values."""
        if self.every:
            return f"for {epsilons} and every number of items k >= 2"
        return f"for {epsilons} on these {len(different(self.values))} values"

    def _likely(self, factor: str) -> str:
        """Say by which report two values are told apart, and by how much."""
        one, other = (_shown(self.values[i]) for i in self.pair)
        kind = "item" if self.every else "value"
        report = f"report {_shown(self._sent)}"
        if self.ratio is None:
            return f"{report} can come from {kind} {one}, and never from {kind} {other}"
        return f"{report} is {factor} times as likely from {kind} {one} as from {kind} {other}"

    @property
    def _sent(self) -> Any:
        """Return the report as the client sends it; an array of numbers as its numbers, which read more easily."""
        own = self.laws.reports.get(self.report, self.report)
        plain = isinstance(own, np.ndarray | np.generic) and own.dtype.kind in "biuf"
        return self.report if plain and not self.every else own

    def _proved(self) -> Iterator[str]:
        assert self.ratio is not None
        exactly = "exactly ε-LDP" if self.tight else "ε-LDP"
        since = f"every ε >= {at_least(self.least, 6)}" if self.least else "every ε > 0"
        yield f"{self.name} is {exactly} {self._where(since)}: {self._found()}."
        if self.every:
            yield SEALED
            return
        proved = "This is proved with a symbol for ε and ideal coins"
        tested = f"tested with numbers at {self._tried}" if self.tested else "not tested with numbers"
        yield f"{proved}, and {tested}."
        if self.asked:
            yield self._rounding()
        count, wrong, near, ideal, unsaid = self.compared
        if count:
            right = f"are not, in {wrong} cases," if wrong else "are"
            what = f"{count} identities of formulas"
            what += f", {near} of them up to the rounding of floats" if near else ""
            coins = " with coins that are not rounded" if ideal else ""
            yield f"Mean and variance of one person's score {right} as stated{coins} ({what})."
        if unsaid:
            yield f"Mean and variance are not compared: {unsaid}."

    def _found(self) -> str:
        """Say what the largest factor is, of a client that keeps ε."""
        assert self.ratio is not None
        if not self.plain:
            return "no report has a larger factor than e^ε"
        if self.uniform and self.ratio.same(1):
            return "reports say nothing about the value"
        largest = "no report has a larger factor"
        if not self.uniform:
            largest = "which report has the largest factor may depend on ε"
        return f"{self._likely('e^ε' if self.tight else str(self.ratio))}, and {largest}"

    def _rounding(self) -> str:
        """Say what rounded coins do."""
        if self.shipped:
            return "With coins rounded to 53 bits it is ε-LDP for ε from 1e-06 to 32, if other arithmetic is exact."
        cure = ROUND
        if self.rounded and (self.rounded.field.nearest or self.rounded.field.floats):
            cure = PARTS if self.rounded.field.nearest else FLOATS
        if self.shipped is False:
            where = f"at ε = {min(self.broken):g}, a report is more than e^ε times as likely"
            return f"With coins rounded to 53 bits it is not: {where} ({cure})."
        advice = f" ({cure})" if self.rounded and not self.rounded.as_shipped else ""
        return f"That coins rounded to 53 bits keep ε is not shown{advice}."

    @property
    def _tried(self) -> str:
        """Say where the client was run with numbers."""
        return f"{len(self.tested)} values of ε from {min(self.tested):g} to {max(self.tested):g}"

    def _refuted(self) -> Iterator[str]:
        if self.witness:
            yield from self._witnessed(self.witness)
            return
        if self.ratio is None:
            apart = [p for _, _, p, q, _ in self.laws.gaps() if p and not q]
            always = all(never_zero(p) == (True, False) for p in apart)
            when = "for any ε" if always else "for nearly every ε"
            yield f"{self.name} is not ε-LDP {when}: {self._likely('')}."
        else:
            always = self.laws.field.e.below(self.ratio)
            where = "" if always else f"; it is more right above ε = {self.least:.6g}"
            yield f"{self.name} is not ε-LDP: {self._likely(str(self.ratio))}, and e^ε is allowed{where}."

    def _witnessed(self, seen: Witness) -> Iterator[str]:
        """Say at which size and ε a client for any number of items fails, and the formula where it is simple."""
        one, other = seen.pair
        at = f"at k = {seen.k} and ε = {seen.epsilon:.6g}"
        report = f"report {_shown(seen.report)}"
        if seen.ratio is None:
            found = f"{report} can come from item {one}, and never from item {other}"
        else:
            times = f"{float(seen.ratio):.6g} times as likely"
            found = f"{report} is {times} from item {one} as from item {other}, and {exp(seen.epsilon):.6g} is allowed"
            more = float(seen.ratio / odds(seen.epsilon) - 1)
            found += f": {more:.2g} of it more" if more < 1e-4 else ""
        yield f"{self.name} is not ε-LDP for every number of items: {at}, {found}."
        if self.ratio is not None and self.plain:
            yield f"As a formula, {self._likely(str(self.ratio))}."

    def _undecided(self) -> Iterator[str]:
        likely = f": {self._likely(str(self.ratio))}" if self.plain else ""
        yield f"Whether {self.name} is ε-LDP {self._where('every ε > 0')} is neither proved nor refuted{likely}."
        if self.every:
            seen = " and ".join(map(str, self.looked_at))
            if seen:
                yield f"It was not seen to exceed e^ε with {seen} items."
            return
        kept = f"exceeded e^ε at ε = {min(self.broken):g}" if self.broken else "kept ε at each"
        yield f"Tested with numbers at {self._tried}, it {kept}."


def _shown(x: Any) -> str:
    """Write a value or a report, not longer than a line."""
    text = shown(x, most=LONG + 1)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


def prove(
    client: Any, inputs: Any = None, *, items: Any = None, rounded: bool = True, moments: bool = True,
    limit: int = LIMIT,
) -> Proof:  # fmt: skip
    """Decide for all ε at once whether a client keeps ε, and whether its bias and variance are the stated ones.

    Sizes are fixed, ε is not: the statement is about every ε > 0 with ideal coins, and with rounded ones about ε from
    1e-6 to 32, at the sizes of this client.  All of its code runs, with a symbol in place of ε.  Code that asks the
    symbol for a number, a text, a hash or a comparison that depends on ε stops with a TypeError, even if it catches
    that error.
    Structure that a mechanism's class leaves to ε (`Mechanism.chosen`: a number of slots, the size of a set) is the one
    for the ε it has; other structure must be named in the fields.

    The client also runs with numbers, at the values of `Proof.tested`.  There it must have the law of the formulas, to
    nine digits.  What it does only at other numbers is not seen.  It can tell a number from a symbol by its type, which
    it asks for or lets another library ask for, and by private attributes.

    A client for any number of items (`ldpnb.verify.of_size`) is handed the same sealed objects in the proof and where
    it runs.  It tosses coins and picks options by `toss` and `pick` alone, and it sends items, answers and plain values
    alone, so that it can tell the two apart only by looking into these objects or around itself.

    Parameters
    ----------
    client : Mechanism, Example, or function
        A mechanism with a field ``epsilon``, whose value does not matter; or a function of ε that makes a mechanism,
        ``lambda e: BitFlip(sizes=(3,), f=flip_for(e, 2))``; or a client of one person, ``client(value, epsilon, rng)``,
        which computes its coins from ``ldpnb.chance.odds(epsilon)``; or, for domains of all sizes k ≥ 2 at once,
        ``client(value, items, epsilon, rng)``, which only compares items and sends them, draws some (`Items.pick`) or
        tosses a coin about each (`Items.each`), and finds their number k in `Items`.
    inputs : list, array or Records
        One value per person, as for `laws`; left out for an Example.
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
    GRR(k=3) is exactly ε-LDP for every ε > 0 on these 3 values: report 0 is e^ε times as likely from value 0 as from
    value 1, and no report has a larger factor. This is proved with a symbol for ε and ideal coins, and tested with
    numbers at 31 values of ε from 1e-06 to 32. With coins rounded to 53 bits it is ε-LDP for ε from 1e-06 to 32, if
    other arithmetic is exact. Mean and variance of one person's score are as stated (18 identities of formulas).
    """
    if isinstance(client, Example):
        client, inputs, items = client.mechanism, client.inputs, client.items
    make, name = _maker(client)
    if make is None:
        if inputs is not None or items is not None:
            raise ValueError("inputs and items must be left out for a client for any number of items")
        return _every_size(client, name, limit)
    try:
        built, ideal = settled(make, inputs, "ideal", limit)
    except TypeError as error:
        structure = f"; {STRUCTURE}" if isinstance(client, Mechanism) else ""
        raise TypeError(f"{error}{structure}{_only_tested(make, inputs, limit)}") from error
    tested, broken = _replay(make, client, inputs, ideal, limit)
    decided = _decide(ideal)
    most = _largest(ideal, decided)
    shipped, slack = None, None
    asked = rounded and bool(decided.holds)
    if asked:
        with suppress(TypeError, ValueError):  # what is true of ideal coins need not be of all that rounding may do
            slack = settled(make, inputs, "rounded", limit)[1]
        proved = slack and slack.as_shipped and _decide(slack, START[1]).holds
        shipped = False if broken else (proved or None)
    stated, moments_found = None, Moments()
    if isinstance(built, Mechanism):
        name, stated = _name(built), _is_stated(built, make, ideal, most, tested)
        if moments:
            try:
                moments_found = _moments(make, client, inputs, items, tested, limit)
            except (TypeError, ValueError) as error:  # scores in floats, or candidates that nobody named
                moments_found = Moments(unsaid=str(error))
    return Proof(
        name=name,
        holds=decided.holds,
        shipped=shipped,
        least=decided.least,
        most=most,
        stated=stated,
        compared=moments_found,
        laws=ideal,
        rounded=slack,
        asked=asked,
        values=_values(inputs),
        tested=tested,
        broken=broken,
    )


def _is_stated(built: Mechanism, make: Maker, found: Laws, most: Factor, tested: tuple[float, ...]) -> bool:
    """Whether a mechanism's `realised_epsilon` is the logarithm of the largest ratio, as formula and in numbers."""
    with found.field.run(server=True):
        own = built.realised_epsilon
    found.field.heard()
    if not isinstance(own, Budget) or most.ratio is None or not own.odds.same(most.ratio):
        return False
    for epsilon in (e for e in tested if 0.01 <= e <= 20):
        told = make(epsilon).realised_epsilon
        ratio = most.ratio.at(Fraction(exp(epsilon / found.field.roots)))
        if told is None or not isclose(told, log(ratio), rel_tol=1e-6, abs_tol=1e-9):
            return False
    return True


def _every_size(client: Any, name: str, limit: int) -> Proof:
    """Prove it for each case of the number of items; a refutation is one that is seen where the client runs."""
    every = cases(client, limit)
    decided = [_decide(found) for _, found in every]
    verdicts = [one.holds for one in decided]
    at = len(every) - 1
    if not all(verdicts):
        at = verdicts.index(False) if False in verdicts else verdicts.index(None)
    factors = [_largest(found, one) for (_, found), one in zip(every, decided, strict=True)]
    witness, looked_at = None, list[int]()
    if not all(verdicts):
        witness, looked_at = _witness(client, every[at][0], decided[at].least, limit)
    holds = all(verdicts) or (False if witness else None)
    return Proof(
        name=name,
        holds=holds,
        shipped=None,
        least=max(one.least for one in decided) if holds else decided[at].least,
        most=factors[at],
        stated=None,
        compared=Moments(),
        laws=every[at][1],
        rounded=None,
        asked=False,
        values=[A, B],
        every=tuple(every),
        plain=_plain(every, factors),
        witness=witness,
        looked_at=tuple(looked_at),
    )


def _plain(every: list[tuple[int, Laws]], factors: list[Factor]) -> bool:
    """Whether the largest factor of a form is that of a report, at every number of items.

    Answers about each do not show the coin that is tossed for others; so if there are several for one report, it tells
    less than its forms do.
    """
    for _, found in every:
        forms = list(found.reports)
        if len({_without_coins(form) for form in forms}) < len(forms):
            return False
        places = dict[Any, set[Any]]()
        for each in forms:
            places.setdefault(_place(each, False), set()).add(_place(each, True))
        if any(len(kinds) > 1 for kinds in places.values()):  # a plain number may be that of an item
            return False
    for (_, found), one in zip(every, factors, strict=True):
        attained = found.law[one.pair[0]].get(one.report, {})
        if not never_zero(attained)[0]:  # at some number of items it does not come
            return False
    ratios = [one.ratio for one in factors]
    if any(ratio is None for ratio in ratios):
        return False
    return len(every) == 1 or all(ratio.same(ratio.field.e) for ratio in ratios if ratio is not None)


def _without_coins(form: Any) -> Any:
    """Return a form as a receiver sees it."""
    if isinstance(form, Tossed):
        return "answers", form.a, form.b
    if isinstance(form, tuple):
        return tuple(map(_without_coins, form))
    return frozenset(map(_without_coins, form)) if isinstance(form, frozenset) else form


def _place(form: Any, told: bool) -> Any:
    """Return a form with one mark for items, answers and numbers, or with three if they are told apart."""
    if isinstance(form, Name):
        return "item" if told else "*"
    if isinstance(form, Tossed):
        return "answers" if told else "*"
    if isinstance(form, int | float | Fraction):
        return "number" if told else "*"
    if isinstance(form, tuple) and form and all(isinstance(part, bool) for part in form):
        return "numbers" if told else "*"
    if isinstance(form, tuple):
        return tuple(_place(part, told) for part in form)
    return frozenset(_place(part, told) for part in form) if isinstance(form, frozenset) else form


def _witness(client: Any, size: int, least: float, limit: int) -> tuple[Witness | None, list[int]]:
    """Find a size and an ε at which the client that runs exceeds e^ε: its laws are exact, and `odds` nearly so.

    Returns the sizes that were looked at, too.
    """
    looked_at = list[int]()
    for k in dict.fromkeys([*(k for k in SIZES if k >= size), *SIZES]):
        sized = of_size(client, k)
        for more in FACTORS:
            epsilon = min(max(EPSILON_MIN, least + more), EPSILON_MAX)
            asked, sent = list(dict.fromkeys([0, 1, k - 1])), dict[Any, Any]()

            def what_is_sent(x: int, rng: Randomness) -> int:
                """Return the number of a report by its form: True and the item 1 are equal, and not the same."""
                report = sized(x, epsilon, rng)  # noqa: B023
                return int(sent.setdefault(form(report), (len(sent), report))[0])  # noqa: B023

            try:
                found = worst(laws(what_is_sent, asked, limit=limit if k <= SMALL else min(limit, QUICKLY)))
            except ValueError:  # too many branches
                break
            if found.ratio is None or found.ratio > odds(epsilon) * SEEN:
                one, other = found.pair
                report = next(report for number, report in sent.values() if number == found.report)
                return Witness(k, epsilon, found.ratio, report, (asked[one], asked[other])), []
        else:
            looked_at.append(k)
    return None, sorted(looked_at)


def _maker(client: Any) -> tuple[Maker | None, str]:
    """Return a function of ε that makes the client, None for a client for any number of items, and a name."""
    if isinstance(client, Mechanism):
        own = {f.name for f in fields(client) if f.init}  # type: ignore[arg-type]
        if "epsilon" not in own:
            raise ValueError(_without_epsilon(client))
        structure = {name: getattr(client, use) for name, use in client.chosen.items() if name in own}
        return lambda e: replace(client, epsilon=e, **structure), type(client).__name__  # type: ignore[type-var]
    asked = signature(client).parameters if callable(client) else {}
    by_place = all(p.kind is not p.KEYWORD_ONLY or p.default is not p.empty for p in asked.values())
    some = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in asked.values())
    wants = [each for each, p in asked.items() if p.default is p.empty] if by_place and not some else []
    name = getattr(client, "__name__", "<lambda>")
    name = "the client" if name == "<lambda>" else name
    if len(wants) == 1:
        return client, name
    if len(wants) == 3 and not {"rng", *EPSILON} & {wants[0]} and wants[1] != "rng" and wants[2] not in EPSILON:
        return lambda e: lambda x, rng: client(x, e, rng), name
    if len(wants) == 4 and not {"rng", *EPSILON} & {*wants[:2]} and wants[3] not in EPSILON:
        return None, name
    shown = f"{name}{signature(client)}" if callable(client) else repr(client)
    calls = "(epsilon), (value, epsilon, rng) or (value, items, epsilon, rng)"
    raise ValueError(f"client must be a Mechanism, or a function {calls}, got {shown}")


def _without_epsilon(mechanism: Mechanism) -> str:
    """Say how to prove a mechanism whose ε follows from other parameters."""
    kind = type(mechanism).__name__
    if not mechanism.of_epsilon:
        exact = "worst(laws(m, inputs)).epsilon is its ε, exactly"
        return f"client must have a field epsilon, and nothing in a {kind} is a function of ε: {exact}"
    how = f"prove({mechanism.of_epsilon}, inputs), with it as m"
    return f"client must have a field epsilon, and ε follows from other parameters of {kind}: write {how}"


def _name(mechanism: Any) -> str:
    told = [f for f in fields(mechanism) if f.init and (f.repr or getattr(mechanism, f.name) is not f.default)]
    shown = ((f.name, getattr(mechanism, f.name)) for f in told)
    sizes = ", ".join(f"{name}={x!r}" for name, x in shown if not isinstance(x, Budget | Formula))
    return f"{type(mechanism).__name__}({sizes})"


def _numbers(branches: int) -> list[float]:
    """Return values of ε to try: some that are always tried, and more at random, on a scale of powers."""
    dice, more = Random(0), list[float]()
    for low, high, parts in STRATA:
        step = (high / low) ** (1 / parts)
        for i in range(parts):
            least, most = low * step**i, low * step ** (i + 1)
            at_random = least * step ** dice.random()
            more.append(next((n for n in INTEGERS if least <= n < most), at_random))
    dice.shuffle(more)
    return [*POINTS, *TRIED, *more[: WALKED // branches]]


def _between(checked: Iterable[tuple[Formula, float, float]], roots: int) -> list[float]:
    """Values of ε between those at which parts of it enter or leave a range that the client has checked."""
    bounds = {EPSILON_MIN, EPSILON_MAX}
    for odds_of_part, low, high in dict.fromkeys(checked):
        for bound in (low, high):
            bounds |= {e for e in _equal(odds_of_part, bound, roots) if EPSILON_MIN < e < EPSILON_MAX}
    if len(bounds) > CHECKED:
        raise ValueError(f"client must check fewer parts of ε, got {len(bounds)} values at which one leaves its range")
    edges = sorted(bounds)
    return [(low * high) ** 0.5 for low, high in pairwise(edges)] if len(edges) > 2 else []


def _equal(odds_of_part: Formula, bound: float, roots: int) -> Iterator[float]:
    """Values of ε at which a part of it, given by its e^ε, is equal to a bound: as a power, or by Sturm's theorem."""
    num, den = odds_of_part.num, odds_of_part.den
    if den == {0: 1} and [*num.values()] == [1]:
        yield bound * roots / max(num)
        return
    for y in _roots_of(plus(num, den, -(odds(bound) if bound else 1))):
        yield roots * log(y)


def _roots_of(p: Poly) -> list[Fraction]:
    """Roots of a polynomial in y beyond 1, each as the lower end of an interval that holds it or several."""
    (q,) = whole(p)
    found, spans = list[Fraction](), [(Fraction(1), odds(EPSILON_MAX))]
    if len(q) < 2:
        return found
    while spans:
        low, high = spans.pop()
        if roots_beyond_zero(shifted(q, low)) == roots_beyond_zero(shifted(q, high)):
            continue
        if high - low < FINE * low:
            found.append(low)
        else:
            middle = (low + high) / 2
            spans += [(low, middle), (middle, high)]
    return found


def _replay(
    make: Maker, client: Any, inputs: Any, found: Laws, limit: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the values of ε at which the client with numbers was run, and those at which it exceeds e^ε.

    A client whose law with numbers is not that of the formulas is refused.
    """
    tested, broken = list[float](), list[float]()
    for epsilon, with_numbers in _made(make, client, found):
        before = OUT_OF_RANGE[0]
        try:
            replayed = laws(with_numbers, inputs, limit=limit)
        except ValueError as error:  # some coins are not made for so much
            if EPSILON_MIN <= epsilon <= EPSILON_MAX:
                raise ValueError(f"at ε = {epsilon:.6g}, {error}") from error
            continue
        if OUT_OF_RANGE[0] > before:
            raise ValueError(
                f"the client must not go on where a part of ε is out of range: it does at ε = {epsilon:.6g}"
            )
        formulas = found.at(Fraction(exp(epsilon / found.field.roots)))
        for one, other in zip(replayed, formulas, strict=True):
            _compare(one, other, epsilon, found.longest)
        tested.append(epsilon)
        ratio = worst(replayed).ratio
        if ratio is None or ratio > odds(epsilon) * CLOSE:
            broken.append(epsilon)
    return tuple(sorted(tested)), tuple(broken)


def _made(make: Maker, client: Any, found: Laws) -> Iterator[tuple[float, Any]]:
    """Values of ε with the client that has them: a mechanism's own, as it was handed in, and others."""
    own = float(client.epsilon) if isinstance(client, Mechanism) else None
    if own is not None:
        yield own, client
    for epsilon in [*_numbers(found.branches), *_between(found.field.checked, found.field.roots)]:
        if epsilon == own:
            continue
        try:
            with_numbers = make(epsilon)
        except ValueError:  # it is not made for so little, or so much
            continue
        yield epsilon, with_numbers


def _compare(one: Law, other: Law, epsilon: float, choices: int) -> None:
    """Refuse a law that is not that of the formulas, to nine digits; each rounded coin moves it by less than 2**-53."""
    rounding = Fraction(max(choices, MANY), 2**53)
    for y in one.keys() | other.keys():
        p, q = one.get(y, Fraction(0)), other.get(y, Fraction(0))
        if abs(p - q) > q / 10**9 + rounding or (p and not q):
            meant, found = apart(q, p, 9)
            said = f"report {_shown(y)} has probability {found}, and {meant} by the formulas"
            raise ValueError(f"the client must do the same with a number as with a symbol: at ε = {epsilon:.6g} {said}")


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


def _decide(found: Laws, start: Fraction = START[0]) -> Decision:
    """Whether all inequalities hold, from which ε on, and a y at which to look for the largest ratio.

    If they need not hold for all ε > 0, the first that fails from `start` on will do.
    """
    late = found.field.late
    failing: tuple[Fraction, Any] | None = None
    unknown = False
    for pair, report, p, q, gap in found.gaps():
        s, only_late = sign(gap)
        late |= only_late
        if s in (0, 1):
            continue
        least = _first(gap, start)
        unknown |= least is None
        if least is not None and (failing is None or least < failing[0]):
            failing = least, (pair, report, p, q)
        if failing and start > 1:
            break
    if failing:
        least, gap_found = failing
        return Decision(False, found.field.roots * log(least), least + FINE, gap_found)
    return Decision(None if unknown else True, 1e-6 if late else 0.0, USUAL, None)


def _first(p: Poly, start: Fraction) -> Fraction | None:
    """Find the least y, from `start` on, right above which p is negative, all slacks being one of some numbers.

    With ideal coins the only slack is how many more items there are.
    """
    slacks = [Fraction(0), ROUNDING] if start > 1 else [Fraction(n) for n in (0, 1, 6, 30, 126)]
    for slack in slacks:
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


def _largest(found: Laws, decided: Decision) -> Factor:
    """Return the largest ratio at some y as a formula, whether it is the largest for every ε, and who attains it."""
    where, ratios = decided.where, dict[Formula, Any]()
    for pair, y, p, q, _ in found.gaps():
        if p and not q:
            return Factor(None, True, pair, y)
        if p:
            ratios.setdefault(Formula(p, q, found.field), (pair, y))
    top = max(ratios, key=lambda r: r.at(where))
    if decided.failing and top.at(where) <= where**found.field.roots:  # what fails does so in a narrow range alone
        pair, y, p, q = decided.failing
        top = Formula(p, q, found.field)
        return Factor(in_lowest_terms(top), False, pair, y)
    gaps = [plus(times(top._num, r._den), times(r._num, top._den), -1) for r in ratios]
    uniform = all(sign(gap)[0] in (0, 1) for gap in gaps)
    return Factor(in_lowest_terms(top), uniform, *ratios[top])


def _moments(make: Maker, client: Any, inputs: Any, items: Any, tested: tuple[float, ...], limit: int) -> Moments:
    """Compare mean and variance of scores with the stated ones, with numbers, and as formulas.

    Of whatever coins; of ideal ones where that stops, or where they are right up to the rounding of coins.
    """
    candidates = named(items)
    people = inputs if isinstance(inputs, np.ndarray | Records) else np.asarray(inputs)

    def stated(one: Any) -> list[Any]:
        return [np.asarray(f(people, *candidates)) for f in (one.expected, one.variance)]

    by_coins = "free"
    try:
        mechanism, found = settled(make, inputs, by_coins, limit, plain=True)
    except (TypeError, ValueError):
        by_coins = "ideal"
        mechanism, found = settled(make, inputs, by_coins, limit, plain=True)
    in_numbers = 0
    for epsilon in [*_points(client, tested, found.branches), *_drawn(tested, found)]:
        shipped = client if isinstance(client, Mechanism) and client.epsilon == epsilon else make(epsilon)
        (mean, variance), (told, spread) = stated(shipped), numbers(shipped, inputs, items)
        for name, one in (("expected", mean), ("variance", variance)):
            if one.shape != told.shape:
                raise ValueError(f"{name} must have the shape of the scores, {told.shape}, got {one.shape}")
        largest = float(np.max(np.abs(spread), initial=0.0))
        in_numbers += not np.allclose(mean, told, rtol=1e-8, atol=1e-9 * largest**0.5)
        in_numbers += not np.allclose(variance, spread, rtol=1e-8, atol=1e-9 * largest)
    count, wrong, near = _identities(mechanism, found, candidates, stated)
    ideal = False
    if (wrong or near) and not in_numbers and by_coins == "free":  # what is right but for rounding is decided there
        mechanism, found = settled(make, inputs, "ideal", limit, plain=True)
        count, with_ideal, near_ideal = _identities(mechanism, found, candidates, stated)
        ideal, wrong, near = wrong > 0 and not with_ideal, with_ideal, max(near, near_ideal)
    return Moments(count, wrong or in_numbers, near, ideal)


def _drawn(tested: tuple[float, ...], found: Laws) -> list[float]:
    """Return an ε that nobody knows before, and some between bounds that were checked, within those tested."""
    some = [x for x in tested if 0.01 <= x <= 20]
    if len(some) < 2 or found.branches > FEW:
        return []
    drawn = Random().uniform(min(some), max(some))
    return [drawn, *(e for e in _between(found.field.checked, found.field.roots) if min(some) < e < max(some))]


def _identities(mechanism: Any, found: Laws, candidates: Any, stated: Any) -> tuple[int, int, int]:
    """Return how many formulas of mean and variance were compared, how many are wrong, and right but for rounding."""
    field = found.field
    with field.run(server=True):
        scores = {y: np.asarray(_estimate(mechanism, candidates, own)).ravel() for y, own in found.reports.items()}
        means, variances = stated(mechanism)
    field.heard()
    wrong = near = 0
    for at in range(means[0].size):
        every = list[Scored]()
        for law in found.law:
            by: dict[Any, Poly] = {}
            for y, p in law.items():
                by[scores[y][at]] = plus(by.get(scores[y][at], {}), p)
            every.append([(field.formula(s), Formula(p, found.total, field)) for s, p in by.items()])
        stated_ones = [
            (field.formula(mean.ravel()[at]), field.formula(variance.ravel()[at]))
            for mean, variance in zip(means, variances, strict=True)
        ]
        if apart := _apart(every, stated_ones, 1):
            wrong += len(apart | _apart(every, stated_ones, DRAWS))
            continue
        seconds = [field.formula(sum(p * s * s for s, p in each)) for each in every]
        different = list[tuple[Formula, Formula, int]]()
        for each, second, pair in zip(every, seconds, stated_ones, strict=True):
            first = field.formula(sum(p * s for s, p in each))
            found_ones = first, second - first * first
            for power, one, other in zip((1, 2), found_ones, pair, strict=True):
                if not one.same(other):
                    different.append((one, other, power))
        if different and (apart := _apart(every, stated_ones, DRAWS)):
            wrong += len(apart)
            continue
        close = sum(_close(one, other, field.formula(sum(seconds)), power) for one, other, power in different)
        wrong += len(different) - close
        near += close
    return 2 * means.size, wrong, near


def _points(client: Any, tested: tuple[float, ...], branches: int) -> list[float]:
    """Return ε at which moments are compared with numbers: a mechanism's own, and others."""
    usual = [x for x in tested if 0.01 <= x <= 20]
    some = usual[:: max(1, len(usual) // 6)] if branches <= FEW else []
    own = [client.epsilon] if isinstance(client, Mechanism) else []
    return list(dict.fromkeys([*own, *(x for x in POINTS[-1:] if x in tested), *some]))


def _apart(every: list[Scored], stated: list[tuple[Formula, Formula]], draws: int) -> set[tuple[int, int]]:
    """Return which of the inputs' means (1) and variances (2) of one score differ at some drawn y and coins.

    Scores with their probabilities are looked at as numbers, which is quick where formulas are long.
    """
    dice, wrong = Random(), set[tuple[int, int]]()
    for _ in range(draws):
        y, slack = 1 + Fraction(dice.random()) * 10 ** dice.randint(-6, 6), Fraction(dice.random())
        laws_of_scores = [[(s.at(y, slack), p.at(y, slack)) for s, p in each] for each in every]
        size = sum(p * s * s for law in laws_of_scores for s, p in law)
        for i, law in enumerate(laws_of_scores):
            first, second = (sum(p * s**n for s, p in law) for n in (1, 2))
            for power, one, other in zip((1, 2), (first, second - first**2), stated[i], strict=True):
                if (one - other.at(y, slack)) ** 2 > size**power / 10**24:
                    wrong.add((i, power))
    return wrong


def _close(one: Formula, other: Formula, size: Formula, power: int) -> bool:
    """Whether two formulas that are alike at some drawn points are the same for every ε, to 12 digits of a score.

    `size` is the mean of a score's square, summed over the inputs.  A mean is compared with its root, a variance with
    itself, which is twice so large in digits.  Where coins are free, the drawn points must do.
    """
    if max(*one.num, *one.den, *other.num, *other.den, 0) > Y:
        return True
    return sign((size**power / 10**24 - (one - other) * (one - other)).num)[0] in (0, 1)
