"""A client as programs: one for each input, which takes a source of randomness.

A client is any function ``client(value, rng)`` of one person, whose randomness comes from
`ldpnb.chance`.  Other kinds are registered by those who know them: mechanisms by `ldpnb.verify`, as
soon as there are any.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable
from contextlib import suppress
from copy import copy, deepcopy
from functools import singledispatch
from importlib import import_module
from inspect import signature
from typing import Any

from ldpnb.exact.arrays import arrays
from ldpnb.exact.forms import form

# a function of a value and a source of randomness, or a mechanism
Client = Callable[[Any, Any], Any] | Any
Inputs = Any  # a list of values, an array whose first axis runs over people, or Records
Program = Callable[[Any], Any]  # of a source of randomness

UNCHANGING = {int, bool, float, str, bytes}  # classes of values that no client can change


def meet_mechanisms() -> None:
    """Load what knows mechanisms, if somebody has loaded the class: nobody else can hand one in."""
    arrays()
    if sys.modules.get("ldpnb.core") is not None:
        import_module("ldpnb.verify._mechanisms")


def programs(client: Client, inputs: Inputs) -> list[Program]:
    """Return a client as a program for each input, with a value of its own at each call."""
    meet_mechanisms()
    return programs_of(client, inputs)


@singledispatch
def programs_of(client: Any, inputs: Inputs) -> list[Program]:
    """Return a function of one person as programs; for other clients it is registered here."""
    check_call(client, "value, rng", "", None, None)
    return [program(client, value) for value in values(inputs)]


def values(inputs: Inputs) -> list[Any]:
    """Return inputs as a function takes them: a plain value for each person."""
    meet_mechanisms()
    return values_of(inputs)


@singledispatch
def values_of(inputs: Any) -> list[Any]:
    """Return a list as it is; for arrays and records it is registered here."""
    is_one_record = isinstance(inputs, dict | set | frozenset)
    if is_one_record or not isinstance(inputs, Collection):
        raise ValueError(f"inputs must be a list of values, one per person, got {inputs!r:.60}")
    return list(inputs)


def one_person(client: Client) -> Callable[[Any, Any], Any]:
    """Return any client as a function (value, rng) -> report of one person.

    It is there to build another client on.

    Values are those of `laws`; a function comes back as it is.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> from ldpnb.exact.distributions import laws
    >>> colour = one_person(GRR(k=3, epsilon=1.0))
    >>> laws(lambda x, rng: "red" if colour(x, rng) == 0 else "another", [0])[0].keys()
    dict_keys(['red', 'another'])
    """
    meet_mechanisms()
    return one_person_of(client)


@singledispatch
def one_person_of(client: Any) -> Callable[[Any, Any], Any]:
    """Return a function as it is; for other clients it is registered here."""
    found: Callable[[Any, Any], Any] = client
    return found


def program(client: Callable[[Any, Any], Any], value: Any) -> Program:
    """Hand a client copies of a value.

    They are as those of `deepcopy`, which takes its time with what holds plain values only.
    """
    kind = type(value)
    if kind is dict:
        held = [*value, *value.values()]
    elif kind in (list, tuple, set, frozenset):
        held = [*value]
    else:
        held = [value]
    if all(type(part) in UNCHANGING for part in held):
        return lambda rng: client(copy(value), rng)
    return lambda rng: client(deepcopy(value), rng)


def check_call(client: Any, call: str, cure: str, *arguments: Any) -> None:
    """Raise a TypeError if a client cannot be called like that."""
    with suppress(ValueError):  # of what has no signature
        try:
            signature(client).bind(*arguments)
        except TypeError as error:
            raise TypeError(f"client must be callable as client({call}){cure}: {error}") from None


def different(inputs: Inputs) -> list[Any]:
    """Return inputs as a function takes them, without those that have come before."""
    found = dict[Hashable, Any]()
    for i, value in enumerate(values(inputs)):
        told: Hashable = i
        with suppress(ValueError):  # it cannot be sent, and is taken for another
            told = form(value)
        found.setdefault(told, value)
    return list(found.values())
