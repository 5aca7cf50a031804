"""Exact laws: each report that a client may send, with its probability."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from ldpnb.exact.clients import Client, Inputs, programs
from ldpnb.exact.outputs import Outputs
from ldpnb.exact.replay import LIMIT, Paths, walk

Law = dict[Hashable, Fraction]


def laws(client: Client, inputs: Inputs, *, limit: int = LIMIT) -> list[Law]:
    """Exact law of one person's report, for each of several inputs.

    What is replayed is the client's own code, from the value to the report: once for every
    combination of choices that it draws from `ldpnb.chance`, and the first of them some times more,
    to see that it repeats itself.  The person is alone, and asked once, with a copy of the value.
    What is not replayed is everything else: rare randomness from elsewhere, the clock, a state that
    shows only after many calls, other people of the same call, what the client does besides
    returning a report, and what it would do with another source of randomness than a `Paths`,
    unless it gives itself away by asking for an attribute.  Reports are nested tuples of plain
    values (`ldpnb.chance.law`); a client whose reports differ in form alone, as a list and a tuple
    do, or True, 1 and 1.0, is refused: `ldpnb.chance.form` says what a receiver gets of a report,
    namely what `pickle` would send.

    Parameters
    ----------
    client : Mechanism or callable (value, rng) -> report
    inputs : list, array or Records
        One value per person, for either kind of client: a number, a string, a tuple, a dict {key:
        value}, a set.  A mechanism gets each as a batch of one, a dict or a set as `Records`.  A
        batch that `perturb` takes will do as well; of an array a function gets numbers, or tuples,
        and of Records dicts, or frozensets where there are no values.
    limit : int
        Branches to walk at most, per input.

    Returns
    -------
    list of dict
        One law per input: {report: probability}.

    Raises
    ------
    TooManyBranches
        If there are more.
    TypeError
        If a function does not take a value and a source of randomness.
    ValueError
        If inputs are no list of values, a client does not repeat itself, draws past `ldpnb.chance`,
        returns anything but one report, or reports that differ in form alone.
    """
    outputs = Outputs()
    return [law(program, limit=limit, outputs=outputs) for program in programs(client, inputs)]


def law(
    program: Callable[[Paths], Any], *, limit: int = LIMIT, outputs: Outputs | None = None
) -> Law:
    """Exact law of a program: each possible output with its probability, a `fractions.Fraction`.

    Arrays, lists and structured values come back as nested tuples, so that outputs can be compared
    and looked up.  Outputs that are the same then, and of which a receiver gets something else
    (`form`), such as True and 1 or a set in two orders, are refused.

    Parameters
    ----------
    program, limit
        As for `walk`; errors, too.
    outputs : Outputs, optional
        Of other programs, from which those of this one must not differ in form alone.

    Examples
    --------
    >>> from ldpnb.chance import toss
    >>> law(lambda rng: toss(0.75, rng) + toss(0.75, rng))
    {2: Fraction(9, 16), 1: Fraction(3, 8), 0: Fraction(1, 16)}
    """
    # parts of each probability by their denominators, which are few
    found = dict[Hashable, dict[int, int]]()
    if outputs is None:
        outputs = Outputs()
    for paths, result in walk(program, limit=limit):
        parts = found.setdefault(outputs.key(result), {})
        part, whole = paths._odds
        parts[whole] = parts.get(whole, 0) + part
    summed: Law = {}
    for key, parts in found.items():
        fractions = (Fraction(part, whole) for whole, part in parts.items())
        summed[key] = sum(fractions, Fraction(0))
    if len(summed) < len(found):  # keys have become equal, and some of the probability is lost
        raise ValueError(
            "a program must return reports that stay as they are, got some that changed after they "
            "were returned: return a new object each time, or plain values"
        )
    return summed


def total_variation(p: Law, q: Law) -> Fraction:
    """Total variation distance between two laws.

    0 means one and the same law, 1 that no output is in both.
    """
    return (
        sum(
            (abs(p.get(y, Fraction(0)) - q.get(y, Fraction(0))) for y in p.keys() | q.keys()),
            Fraction(0),
        )
        / 2
    )


def distance(a: Client, b: Client, inputs: Inputs, *, limit: int = LIMIT) -> Fraction:
    """Largest total variation distance between two clients' reports, over the inputs.

    0 means that they have one and the same law.

    Clients and inputs are those of `laws`, either of the clients a mechanism or a function.
    """
    return max(map(total_variation, laws(a, inputs, limit=limit), laws(b, inputs, limit=limit)))


def same_law(
    a: Client, b: Client, inputs: Inputs, *, tolerance: float = 2.0**-40, limit: int = LIMIT
) -> bool:
    """Whether two clients send every report with the same probability, but for rounding.

    Clients and inputs are those of `laws`, either of the clients a mechanism or a function.

    Examples
    --------
    >>> from math import exp
    >>> from ldpnb import GRR
    >>> from ldpnb.chance import toss
    >>> honest = exp(1) / (exp(1) + 1)
    >>> same_law(lambda x, rng: x if toss(honest, rng) else 1 - x, GRR(k=2, epsilon=1.0), [0, 1])
    True
    """
    return distance(a, b, inputs, limit=limit) <= tolerance
