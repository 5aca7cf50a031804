"""`prove`: whether a client keeps ε for all ε at once.

It makes the client with a symbol for ε and replays it (`ldpnb.exact.symbolic`), runs it with numbers as well
(`ldpnb.exact.trying`), decides the inequalities (`ldpnb.exact.deciding`), and says what it found
(`ldpnb.exact.proofs`).  Clients for any number of items go through `ldpnb.exact.sizes`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import singledispatch
from inspect import signature
from typing import Any

from ldpnb.exact.clients import meet_mechanisms, values
from ldpnb.exact.deciding import Factor, decide, largest
from ldpnb.exact.polynomials import START
from ldpnb.exact.proofs import Moments, Proof
from ldpnb.exact.replay import LIMIT
from ldpnb.exact.sizes import every_size
from ldpnb.exact.symbolic import Laws, Maker, settled
from ldpnb.exact.trying import only_tested, replayed_with_numbers

EPSILON = ("epsilon", "eps", "e", "ε")  # names that tell an order of arguments in which ε would be taken for another


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
    meet_mechanisms()
    subject = subject_of(client)
    if subject.inputs is not None:
        inputs, items = subject.inputs, subject.items
    if subject.make is None:
        if inputs is not None or items is not None:
            raise ValueError("inputs and items must be left out for a client for any number of items")
        return every_size(client, subject.name, limit)
    make = subject.make
    try:
        built, ideal = settled(make, inputs, "ideal", limit)
    except TypeError as error:
        raise TypeError(f"{error}{subject.cure}{only_tested(make, inputs, limit)}") from error
    tested, broken = replayed_with_numbers(make, subject.handed_in, inputs, ideal, limit)
    decided = decide(ideal)
    most = largest(ideal, decided)
    shipped, slack = None, None
    asked = rounded and bool(decided.holds)
    if asked:
        with suppress(TypeError, ValueError):  # what is true of ideal coins need not be of all that rounding may do
            slack = settled(make, inputs, "rounded", limit)[1]
        proved = slack and slack.as_shipped and decide(slack, START[1]).holds
        shipped = False if broken else (proved or None)
    meet_mechanisms()  # the client may have made the first one
    found = what_it_states(built, Question(subject, inputs, items, moments, limit), ideal, most, tested)
    return Proof(
        name=found.name if found else subject.name,
        holds=decided.holds,
        shipped=shipped,
        least=decided.least,
        most=most,
        stated=found.ratio if found else None,
        compared=found.moments if found else Moments(),
        laws=ideal,
        rounded=slack,
        asked=asked,
        values=values(inputs),
        tested=tested,
        broken=broken,
    )


@singledispatch
def what_it_states(
    built: Any, question: Question, ideal: Laws, most: Factor, tested: tuple[float, ...]
) -> Stated | None:
    """Compare what a client states with what was found: functions of one person state nothing."""
    return None


@singledispatch
def subject_of(client: Any) -> Subject:
    """Return a function as a subject; mechanisms and examples are registered by `ldpnb.verify`."""
    asked = signature(client).parameters if callable(client) else {}
    by_place = all(p.kind is not p.KEYWORD_ONLY or p.default is not p.empty for p in asked.values())
    some = any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in asked.values())
    wants = [each for each, p in asked.items() if p.default is p.empty] if by_place and not some else []
    name = getattr(client, "__name__", "<lambda>")
    name = "the client" if name == "<lambda>" else name
    if len(wants) == 1:
        return Subject(client, name)
    if len(wants) == 3 and not {"rng", *EPSILON} & {wants[0]} and wants[1] != "rng" and wants[2] not in EPSILON:
        return Subject(lambda e: lambda x, rng: client(x, e, rng), name)
    if len(wants) == 4 and not {"rng", *EPSILON} & {*wants[:2]} and wants[3] not in EPSILON:
        return Subject(None, name)
    shown = f"{name}{signature(client)}" if callable(client) else repr(client)
    calls = "(epsilon), (value, epsilon, rng) or (value, items, epsilon, rng)"
    raise ValueError(f"client must be a Mechanism, or a function {calls}, got {shown}")
