"""Proofs for every number of items.

Each case of the number of items is replayed and decided alone.  A client is refuted where
`ldpnb.verify.of_size` runs it and exceeds e^ε: the forms of reports that a proof compares can
say more than the reports.
"""

from __future__ import annotations

from collections.abc import Callable
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

SIZES = (2, 3, 4, 5, 6, 7, 8, 16, 32, 128)  # at which a client is looked at, to refute it
SMALL = 7  # items, up to which all branches are walked
QUICKLY = 20_000  # branches that are walked where there are more items
SEEN = 1 + Fraction(1, 10**50)  # by what factor e^ε must be exceeded there: `odds` is closer
FACTORS = (1.0, 0.1, 4.0, 16.0, 1e-3)  # what is added to the ε from which on e^ε is exceeded

Case = tuple[int, Laws]  # a number of items, and the laws for it; of the last, and for more


def every_size(client: Any, name: str, limit: int) -> Proof:
    """Prove a client for each case of the number of items."""
    every = cases(client, limit)
    decisions = [decide(found) for _, found in every]
    factors = [largest(found, one) for (_, found), one in zip(every, decisions, strict=True)]
    verdicts = [decision.holds for decision in decisions]
    at = _decisive(verdicts)
    size, found = every[at]
    least = decisions[at].least
    holds: bool | None = True
    witness = None
    looked_at = list[int]()
    if all(verdicts):
        least = max(decision.least for decision in decisions)
    else:
        witness, looked_at = _witness(client, size, least, limit)
        holds = None
        if witness:
            holds = False
    return Proof(
        name=name,
        holds=holds,
        shipped=None,
        least=least,
        most=factors[at],
        stated=None,
        compared=Moments(),
        laws=found,
        rounded=None,
        asked=False,
        values=[A, B],
        every=tuple(every),
        plain=_is_plain(every, factors),
        witness=witness,
        looked_at=tuple(looked_at),
    )


def _decisive(verdicts: list[bool | None]) -> int:
    """Position of the case that decides: one that fails, else one that is open, else the last."""
    for verdict in (False, None):
        if verdict in verdicts:
            return verdicts.index(verdict)
    return len(verdicts) - 1


# ------------------------------------------------------- whether the forms say what the reports do


def _is_plain(every: list[Case], factors: list[Factor]) -> bool:
    """Whether the largest factor of a form is that of a report, at every number of items.

    Answers about each item do not show the coin that is tossed for the others.  So if there are
    several coins for one report, it tells less than its forms do.
    """
    if any(_are_ambiguous([*found.reports]) for _, found in every):
        return False
    for (_, found), factor in zip(every, factors, strict=True):
        attained = found.law[factor.pair[0]].get(factor.report, {})
        if not never_zero(attained)[0]:  # at some number of items it does not come
            return False
    ratios = [factor.ratio for factor in factors]
    if any(ratio is None for ratio in ratios):
        return False
    if len(every) == 1:
        return True
    return all(ratio.same(ratio.field.e) for ratio in ratios if ratio is not None)


def _are_ambiguous(forms: list[Any]) -> bool:
    """Whether a receiver cannot tell some forms apart."""
    if len({_without_coins(each) for each in forms}) < len(forms):
        return True
    kinds = dict[Any, set[Any]]()
    for each in forms:
        kinds.setdefault(_place(each, False), set()).add(_place(each, True))
    return any(len(found) > 1 for found in kinds.values())  # a number may be that of an item


def _without_coins(form: Any) -> Any:
    """Return a form as a receiver sees it."""
    if isinstance(form, Tossed):
        return "answers", form.a, form.b
    if isinstance(form, tuple):
        return tuple(map(_without_coins, form))
    if isinstance(form, frozenset):
        return frozenset(map(_without_coins, form))
    return form


def _place(form: Any, told: bool) -> Any:
    """Return a form with one mark for items, answers and numbers; or three, if they are told."""
    mark = _mark(form)
    if mark:
        return mark if told else "*"
    if isinstance(form, tuple):
        return tuple(_place(part, told) for part in form)
    if isinstance(form, frozenset):
        return frozenset(_place(part, told) for part in form)
    return form


def _mark(form: Any) -> str:
    """Say what stands in one place, or nothing if it is no item, no answers and no number."""
    if isinstance(form, Name):
        return "item"
    if isinstance(form, Tossed):
        return "answers"
    if isinstance(form, int | float | Fraction):
        return "number"
    if isinstance(form, tuple) and form and all(isinstance(part, bool) for part in form):
        return "numbers"
    return ""


# ------------------------------------------------------------------------------------- witnesses


def _witness(client: Any, size: int, least: float, limit: int) -> tuple[Witness | None, list[int]]:
    """Find a size and an ε at which the client that runs exceeds e^ε.

    Its laws are exact, and `odds` nearly so.  Returns the sizes that were looked at, too, if
    nothing was found.
    """
    looked_at = list[int]()
    larger = [k for k in SIZES if k >= size]
    for k in dict.fromkeys([*larger, *SIZES]):
        sized = of_size(client, k)
        most = limit
        if k > SMALL:
            most = min(limit, QUICKLY)
        try:
            for more in FACTORS:
                epsilon = min(max(EPSILON_MIN, least + more), EPSILON_MAX)
                found = _seen_at(sized, k, epsilon, most)
                if found:
                    return found, []
        except ValueError:  # too many branches
            continue
        looked_at.append(k)
    return None, sorted(looked_at)


def _seen_at(
    sized: Callable[[int, float, Randomness], Any], k: int, epsilon: float, limit: int
) -> Witness | None:
    """Return what exceeds e^ε at a size and an ε, if anything does."""
    asked = list(dict.fromkeys([0, 1, k - 1]))
    sent = dict[Any, tuple[int, Any]]()  # by their forms, reports with a number

    def numbered(x: int, rng: Randomness) -> int:
        """Return the number of a report: True and the item 1 are equal, and not the same."""
        report = sized(x, epsilon, rng)
        number, _ = sent.setdefault(form(report), (len(sent), report))
        return number

    found = worst(laws(numbered, asked, limit=limit))
    if found.ratio is not None and found.ratio <= odds(epsilon) * SEEN:
        return None
    report = next(report for number, report in sent.values() if number == found.report)
    one, other = found.pair
    return Witness(k, epsilon, found.ratio, report, (asked[one], asked[other]))
