"""`prove`: whether a client keeps ε, for all ε at once.

The client runs with a symbol for ε, once along every branch of its choices.  Its coins are then
fractions of polynomials in y, where e^ε = y^r, and r > 1 if it takes a root, as for ε/2.  Brought
to one denominator, P(y|a) ≤ e^ε P(y|b) says that a polynomial in u = y − 1 is not negative for
u > 0.  So it is if no coefficient is negative; otherwise roots are counted (Sturm).  A coin that is
rounded becomes any number between its ideal value and its value at ε = 0, by a variable w ≥ 0, its
slack.  Where neither coefficients nor roots tell the sign, as with several variables, the answer is
None: not known.

A client for every k gets sealed items: a and b, which are compared, and others.  One that is drawn
is a, b, one of the r others that came before, or a new one, with odds 1 : 1 : … : 1 : k − 2 − r.
If no branch draws more than m items, k − m − 1 is one more variable ≥ 0; smaller k are replayed one
by one.

1. `subject_of` finds out what was handed in, and how to make it for an ε.
2. `ldpnb.exact.symbolic` replays it with the symbol: its laws are formulas.
3. `ldpnb.exact.trying` runs it with numbers as well, which must give the same laws.
4. `ldpnb.exact.deciding` decides the inequalities, and finds the largest ratio.
5. The same is done with rounded coins, and what a mechanism states is compared.
6. `ldpnb.exact.proofs` says what was found.

For clients for every k, `ldpnb.exact.sizes` does this.  What is done with mechanisms, which this
part of the package does not know, stands in ``ldpnb.verify._mechanisms``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
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
        What it is asked about: one value per person, and candidates of an open domain.
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
    """What `prove` was asked: about what, whether about moments, and how far it may go."""

    subject: Subject
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

    A client for any number of items (`ldpnb.verify.of_size`) never sees a number: it is handed the
    same objects in the proof and where it runs, for the item, the items, ε and randomness.  It may
    compare items, `toss`, `pick`, and send items, answers and plain values.  To tell a proof from a
    run, it would have to read private attributes or the stack.

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
    if inputs is not None or items is not None:
        if subject.inputs is not None:
            raise ValueError("inputs and items must be left out for an Example, which has its own")
        if subject.make is None:
            raise ValueError(
                "inputs and items must be left out for a client for any number of items"
            )
        subject = replace(subject, inputs=inputs, items=items)
    if subject.make is None:
        return every_size(client, subject.name, limit)
    inputs = subject.inputs
    try:
        built, ideal = settled(subject.make, inputs, "ideal", limit)
    except TypeError as error:
        tried = only_tested(subject.make, inputs, limit)
        raise TypeError(f"{error}{subject.cure}{tried}") from error
    tested, broken = replayed_with_numbers(subject.make, subject.handed_in, inputs, ideal, limit)
    decision = decide(ideal)
    most = largest(ideal, decision)
    asked = rounded and bool(decision.holds)
    with_slacks = None
    shipped: bool | None = None
    if asked:
        with_slacks = _with_rounded_coins(subject.make, inputs, limit)
        shipped = False
        if not broken:
            shipped = _holds_as_shipped(with_slacks)
    # a function of ε may have been the first to load mechanisms, and makes one
    meet_mechanisms()
    question = Question(subject, moments, limit)
    name = subject.name
    is_as_stated: bool | None = None
    compared = Moments()
    stated = what_it_states(built, question, ideal, most, tested)
    if stated:
        name = stated.name
        is_as_stated = stated.ratio
        compared = stated.moments
    return Proof(
        name=name,
        holds=decision.holds,
        shipped=shipped,
        least=decision.least,
        most=most,
        stated=is_as_stated,
        compared=compared,
        laws=ideal,
        rounded=with_slacks,
        asked=asked,
        values=values(inputs),
        tested=tested,
        broken=broken,
    )


def _with_rounded_coins(make: Maker, inputs: Any, limit: int) -> Laws | None:
    """Laws with a slack for each rounded coin; None if the client stops there."""
    with suppress(TypeError, ValueError):  # with some slacks, a coin may be no probability
        return settled(make, inputs, "rounded", limit)[1]
    return None


def _holds_as_shipped(with_slacks: Laws | None) -> bool | None:
    """Whether inequalities hold with all coins rounded by the client: True, or None for not shown.

    Slacks allow more than rounding does.  So where an inequality fails with some of them, it may
    hold with the coins that there are: that it fails is shown by numbers alone (`Proof.broken`).
    """
    if with_slacks is None or not with_slacks.as_shipped:
        return None
    return decide(with_slacks, LATE_START).holds or None


@singledispatch
def what_it_states(
    built: Any, question: Question, ideal: Laws, most: Factor, tested: tuple[float, ...]
) -> Stated | None:
    """Compare what a client states with what was found.

    A function of one person states nothing; for mechanisms, see ``ldpnb.verify._mechanisms``.
    """
    return None


@singledispatch
def subject_of(client: Any) -> Subject:
    """Return a function as a subject, by the number of its arguments.

    For mechanisms and examples, see ``ldpnb.verify._mechanisms``.
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
    if callable(client):
        shown = f"{name}{signature(client)}"
    else:
        shown = repr(client)
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
