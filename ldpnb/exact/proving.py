"""`prove`: whether a client keeps ε, for all ε at once.

1. `subject_of` finds out what was handed in, and how to make it for an ε.
2. `ldpnb.exact.symbolic` makes it with a symbol for ε and replays it: its laws are formulas.
3. `ldpnb.exact.trying` runs it with numbers as well, which must give the same laws.
4. `ldpnb.exact.deciding` decides the inequalities, and finds the largest ratio.
5. The same is done with rounded coins, and a mechanism's statements are compared.
6. `ldpnb.exact.proofs` says what was found.

Clients for any number of items go through `ldpnb.exact.sizes`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import singledispatch
from inspect import Parameter, signature
from typing import Any

from ldpnb.exact.clients import meet_mechanisms, values
from ldpnb.exact.deciding import Factor, decide, largest
from ldpnb.exact.polynomials import LATE_START
from ldpnb.exact.proofs import Moments, Proof
from ldpnb.exact.replay import LIMIT
from ldpnb.exact.sizes import every_size
from ldpnb.exact.symbolic import Laws, Maker, settled
from ldpnb.exact.trying import only_tested, replayed_with_numbers

# names that tell an order of arguments in which ε would be taken for another
EPSILON = {"epsilon", "eps", "e", "ε"}
CALLS = "(epsilon), (value, epsilon, rng) or (value, items, epsilon, rng)"


@dataclass(frozen=True)
class Subject:
    """What is to be proved.

    Attributes
    ----------
    make : callable or None
        A function of ε that makes the client; None for a client for any number of items.
    name : str
    handed_in : Mechanism or None
        The mechanism that was handed in, with the ε that it has.
    inputs, items : object
        Those of an Example, None otherwise.
    cure : str
        What is added to an error about structure that depends on ε.
    """

    make: Maker | None
    name: str
    handed_in: Any = None
    inputs: Any = None
    items: Any = None
    cure: str = ""


@dataclass(frozen=True)
class Question:
    """What `prove` was asked: of whom, about which inputs, and how far it may go."""

    subject: Subject
    inputs: Any
    items: Any
    moments: bool
    limit: int


@dataclass(frozen=True)
class Stated:
    """What a mechanism states, compared with what was found.

    Attributes
    ----------
    name : str
    ratio : bool
        Whether its `realised_epsilon` is the logarithm of the largest ratio.
    moments : Moments
        What was found of mean and variance.
    """

    name: str
    ratio: bool
    moments: Moments


def prove(
    client: Any,
    inputs: Any = None,
    *,
    items: Any = None,
    rounded: bool = True,
    moments: bool = True,
    limit: int = LIMIT,
) -> Proof:
    """Decide for all ε at once whether a client keeps ε, and its bias and variance are as stated.

    Sizes are fixed, ε is not: the statement is about every ε > 0 with ideal coins, and with rounded
    ones about ε from 1e-6 to 32, at the sizes of this client.  All of its code runs, with a symbol
    in place of ε.

    *Refused*, with a TypeError, even if the client catches it: to ask a symbol for a number, a text
    or a hash, and to compare formulas, as in ``odds(epsilon) > 1``, whatever the answer.  Only a
    client for any number of items may compare, where the answer is the same for all ε and k.

    Structure that a mechanism's class leaves to ε (`Mechanism.chosen`: a number of slots, the size
    of a set) is the one for the ε it has; other structure must be named in the fields.

    The client also runs with numbers, at the values of `Proof.tested`.  There it must have the law
    of the formulas, to nine digits or to 16 steps of 2⁻⁵³ (a step for each choice of the longest
    branch, if that has more): each coin that is rounded moves a probability by less than a step.
    So of a rare report fewer digits are compared, and none of one rarer than 2⁻⁴⁹; a ratio above
    e^ε is seen there, too (`Proof.broken`).

    *Not seen* is what a client does only at other numbers than these.  It could: it can tell a
    number from a symbol by its type, by another library that asks for the type, or by private
    attributes.  So a proof is about clients that do not look for it.

    A client for any number of items (`ldpnb.verify.of_size`) is handed the same sealed objects in
    the proof and where it runs.  It tosses coins and picks options by `toss` and `pick` alone, and
    it sends items, answers and plain values alone, so that it can tell the two apart only by
    looking into these objects or around itself.

    Parameters
    ----------
    client : Mechanism, Example, or function
        A mechanism with a field ``epsilon``, whose value does not matter; or a function of ε that
        makes a mechanism, ``lambda e: BitFlip(sizes=(3,), f=flip_for(e, 2))``; or a client of one
        person, ``client(value, epsilon, rng)``, which computes its coins from
        ``ldpnb.chance.odds(epsilon)``; or, for domains of all sizes k ≥ 2 at once, ``client(value,
        items, epsilon, rng)``, which only compares items and sends them, draws some (`Items.pick`)
        or tosses a coin about each (`Items.each`), and finds their number k in `Items`.
    inputs : list, array or Records
        One value per person, as for `laws`; to be left out for an Example.
    items : sequence, optional
        Candidates, for open domains; to be left out for an Example.
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
        If the client's structure depends on ε, or it computes coins by ``math.exp``, ``float`` or
        ``Fraction``, not by ``odds``, ``inexact`` and ``exact`` of `ldpnb.chance`.
    ValueError
        If the client with numbers has another law than the formulas, if inputs or items stand
        beside an Example or a client for any number of items, or as for `laws`.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> found = prove(GRR(k=3, epsilon=1.0), [0, 1, 2])
    >>> print(found)  # doctest: +NORMALIZE_WHITESPACE
    GRR(k=3) is exactly ε-LDP for every ε > 0 on these 3 values: report 0 is e^ε times as likely
    from value 0 as from value 1, and no report has a larger factor. This is proved with a symbol
    for ε and ideal coins, and tested with numbers at 31 values of ε from 1e-06 to 32. With coins
    rounded to 53 bits it is ε-LDP for ε from 1e-06 to 32, if other arithmetic is exact. Mean and
    variance of one person's score are as stated (18 identities of formulas).
    """
    meet_mechanisms()
    subject = subject_of(client)
    if subject.inputs is not None:
        if inputs is not None or items is not None:
            raise ValueError("inputs and items must be left out for an Example, which has its own")
        inputs = subject.inputs
        items = subject.items
    if subject.make is None:
        if inputs is not None or items is not None:
            raise ValueError(
                "inputs and items must be left out for a client for any number of items"
            )
        return every_size(client, subject.name, limit)
    try:
        built, ideal = settled(subject.make, inputs, "ideal", limit)
    except TypeError as error:
        tried = only_tested(subject.make, inputs, limit)
        raise TypeError(f"{error}{subject.cure}{tried}") from error
    tested, broken = replayed_with_numbers(subject.make, subject.handed_in, inputs, ideal, limit)
    decision = decide(ideal)
    most = largest(ideal, decision)
    asked = rounded and bool(decision.holds)
    slack = None
    shipped = None
    if asked:
        slack = _with_rounded_coins(subject.make, inputs, limit)
        shipped = False if broken else _holds_as_shipped(slack)
    meet_mechanisms()  # the client may have made the first one
    question = Question(subject, inputs, items, moments, limit)
    stated = what_it_states(built, question, ideal, most, tested)
    return Proof(
        name=stated.name if stated else subject.name,
        holds=decision.holds,
        shipped=shipped,
        least=decision.least,
        most=most,
        stated=stated.ratio if stated else None,
        compared=stated.moments if stated else Moments(),
        laws=ideal,
        rounded=slack,
        asked=asked,
        values=values(inputs),
        tested=tested,
        broken=broken,
    )


def _with_rounded_coins(make: Maker, inputs: Any, limit: int) -> Laws | None:
    """Laws with rounded coins, whatever rounding may do; None if the client stops there."""
    with suppress(TypeError, ValueError):  # some of it may leave no probability
        return settled(make, inputs, "rounded", limit)[1]
    return None


def _holds_as_shipped(slack: Laws | None) -> bool | None:
    """Whether inequalities hold with all coins rounded by the client; None if that is not shown."""
    if slack is None or not slack.as_shipped:
        return None
    return decide(slack, LATE_START).holds or None


@singledispatch
def what_it_states(
    built: Any, question: Question, ideal: Laws, most: Factor, tested: tuple[float, ...]
) -> Stated | None:
    """Compare what a client states with what was found.

    A function of one person states nothing; mechanisms are registered by `ldpnb.verify`.
    """
    return None


@singledispatch
def subject_of(client: Any) -> Subject:
    """Return a function as a subject, by the number of its arguments.

    Mechanisms and examples are registered by `ldpnb.verify`.
    """
    name = getattr(client, "__name__", "<lambda>")
    if name == "<lambda>":
        name = "the client"
    match _wanted(client):
        case [_]:
            return Subject(client, name)
        case [value, epsilon, rng] if _in_order([value], epsilon, rng):
            return Subject(lambda e: lambda x, rng: client(x, e, rng), name)
        case [value, items, epsilon, rng] if _in_order([value, items], epsilon, rng):
            return Subject(None, name)
    shown = f"{name}{signature(client)}" if callable(client) else repr(client)
    raise ValueError(f"client must be a Mechanism, or a function {CALLS}, got {shown}")


def _in_order(before: list[str], epsilon: str, rng: str) -> bool:
    """Whether no argument has a name that belongs in another place."""
    misplaced = not {"rng", *EPSILON}.isdisjoint(before)
    return not misplaced and epsilon != "rng" and rng not in EPSILON


def _wanted(client: Any) -> list[str]:
    """Names of the arguments that must be given, all of them by their places; none of others."""
    if not callable(client):
        return []
    wanted = []
    for name, parameter in signature(client).parameters.items():
        if parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD):
            return []
        if parameter.default is not Parameter.empty:
            continue
        if parameter.kind is Parameter.KEYWORD_ONLY:
            return []
        wanted.append(name)
    return wanted
