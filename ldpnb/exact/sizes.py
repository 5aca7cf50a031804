"""Proofs for every number of items: each case of it is decided, and a refutation is seen where the client runs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ldpnb.exact.arguments import EPSILON_MAX, EPSILON_MIN
from ldpnb.exact.coins import Randomness
from ldpnb.exact.deciding import Factor, decide, largest
from ldpnb.exact.distributions import laws
from ldpnb.exact.forms import form
from ldpnb.exact.items import A, B, Name, Tossed, cases, of_size
from ldpnb.exact.polynomials import never_zero
from ldpnb.exact.probabilities import odds
from ldpnb.exact.proofs import Moments, Proof, Witness
from ldpnb.exact.ratios import worst
from ldpnb.exact.symbolic import Laws

SIZES = 2, 3, 4, 5, 6, 7, 8, 16, 32, 128  # at which a client for any number of items is looked at, to refute it
SMALL, QUICKLY = 7, 20_000  # items, and branches that are walked where there are more
SEEN = 1 + Fraction(1, 10**50)  # by what factor e^ε must be exceeded there: `odds` is closer
FACTORS = (1.0, 0.1, 4.0, 16.0, 1e-3)  # what is added to the ε from which on a formula is more than e^ε


def every_size(client: Any, name: str, limit: int) -> Proof:
    """Prove it for each case of the number of items; a refutation is one that is seen where the client runs."""
    every = cases(client, limit)
    decided = [decide(found) for _, found in every]
    verdicts = [one.holds for one in decided]
    at = len(every) - 1
    if not all(verdicts):
        at = verdicts.index(False) if False in verdicts else verdicts.index(None)
    factors = [largest(found, one) for (_, found), one in zip(every, decided, strict=True)]
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
