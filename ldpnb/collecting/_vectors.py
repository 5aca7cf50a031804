"""Vectors to test clients and servers in other languages with, made from the mechanisms."""

from __future__ import annotations

import json
from copy import deepcopy
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ldpnb.chance import Paths, TooManyBranches, walk
from ldpnb.collecting.wire import SAFE, fields_of, from_wire, header, schema, to_wire
from ldpnb.core import Example, Mechanism, Reports, named
from ldpnb.hashing import digest64
from ldpnb.records import Records
from ldpnb.strings.hashed import Hashed

T = TypeVar("T")

SHOWN = 12  # reports, or branches, that are shown of a longer list
BRANCHES = 1000  # of a client whose laws are told
VALUES = 3  # whose laws are told
MANY = 100  # reports; of more, the laws of one value less are told

Described = dict[str, Any]  # ready for JSON
Choices = list[tuple[int, tuple[int, ...]]]  # the option taken and the weights of all, one by one


class Branch(NamedTuple):
    """One way that a client can take."""

    probability: Fraction
    choices: Choices
    report: str  # as a JSON line


def vectors(example: Example) -> Described:
    """Return what a client or a server in another language can be tested with, ready for JSON.

    Parameters
    ----------
    example : Example
        A mechanism, values and, for an open domain, candidates: ``GRR.example()[0]``.

    Returns
    -------
    dict
        ``schema``; ``lines``, reports as JSON lines, their ``tally`` and its ``estimate``, arrays
        as their shape and their entries in C order, for ``items`` where there are some.
        ``public``: where a hash or a public matrix decides what a report is about, the answer for
        some public parts and values.  And, where the client has at most 1,000 branches, ``laws``:
        reports, as lists of their fields, probabilities (exact fractions), and for each of a few
        ``values`` the places of the reports' probabilities, −1 for none; ``branches``: what the
        client draws for the last of them, one choice after the other, and the report.  A choice is
        the option taken and its chance, as a fraction; of coins, option 0 is heads.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> made = vectors(GRR.example()[0])
    >>> made["lines"][1:], made["tally"]["entries"], made["laws"]["of"]
    (['{"report":0}', '{"report":1}'], [1, 1], [[0, 1], [1, 0]])
    """
    mechanism = example.mechanism
    items = example.items
    found: Described = {"schema": schema(mechanism)}
    few = example.inputs[:VALUES]
    told: Described
    try:
        walked = [_walked(mechanism, few[i : i + 1]) for i in range(len(few))]
        if len(_reports_of(walked)) > MANY:
            walked = walked[: VALUES - 1]
        told = _told(few[: len(walked)], walked)
        lines = [json.dumps(header(mechanism)), *_some(_reports_of(walked))]
        reports = from_wire(lines, mechanism)
    except TooManyBranches:
        told = {}
        reports = _made_up(mechanism)
    tally = mechanism.tally(reports, *named(items))
    found["lines"] = [line.rstrip() for line in to_wire(reports, mechanism)]
    if items is not None:
        found["items"] = list(items)
    found["tally"] = {"n": tally.n, **_flat(tally.counts)}
    found["estimate"] = _flat(mechanism.estimate(tally))
    return found | _public(mechanism, reports, items) | told


def _flat(array: NDArray[Any]) -> Described:
    return {"shape": list(array.shape), "entries": array.ravel().tolist()}


def _some(found: list[T]) -> list[T]:
    """Return a few entries of a list, from all over it."""
    n = len(found)
    if n <= SHOWN:
        return found
    return [found[i * (n - 1) // (SHOWN - 1)] for i in range(SHOWN)]


def _walked(mechanism: Mechanism, value: Any) -> list[Branch]:
    """Return all ways that the client can take for one person's value."""

    def client(rng: Paths) -> Reports:
        return mechanism.perturb(deepcopy(value), rng=rng)

    probabilities = []
    choices: list[Choices] = []
    reports = []
    for paths, report in walk(client, limit=BRANCHES):
        probabilities.append(paths.probability)
        choices.append(list(paths.taken))
        reports.append(report)
    _, *lines = to_wire(np.concatenate(reports), mechanism)
    written = [line.rstrip() for line in lines]
    return [Branch(*one) for one in zip(probabilities, choices, written, strict=True)]


def _reports_of(walked: list[list[Branch]]) -> list[str]:
    """Return each report that one of the values can lead to, once."""
    found: dict[str, None] = {}
    for branches in walked:
        for branch in branches:
            found[branch.report] = None
    return list(found)


def _law(branches: list[Branch]) -> dict[str, Fraction]:
    """Return the probability of each report."""
    law: dict[str, Fraction] = {}
    for branch in branches:
        law[branch.report] = law.get(branch.report, Fraction(0)) + branch.probability
    return law


def _told(values: Any, walked: list[list[Branch]]) -> Described:
    """Tell the laws of reports for some values, and the client's choices for the last of them."""
    laws = [_law(branches) for branches in walked]
    lines = _reports_of(walked)
    places: dict[Fraction, int] = {}
    for law in laws:
        for p in law.values():
            places.setdefault(p, len(places))
    places[Fraction(0)] = -1
    of_each = []
    for law in laws:
        of_each.append([places[law.get(line, Fraction(0))] for line in lines])
    branches = []
    for branch in _some(walked[-1]):
        chosen = [_choice(*choice) for choice in branch.choices]
        branches.append({"choices": chosen, "report": json.loads(branch.report)})
    people = [_plain(values[i : i + 1]) for i in range(len(values))]
    return {
        "values": people,
        "laws": {
            "reports": [list(json.loads(line).values()) for line in lines],
            "probabilities": [f"{p.numerator}/{p.denominator}" for p in places if p],
            "of": of_each,
        },
        "branches": {
            "value": people[-1],
            "all": len(walked[-1]) <= SHOWN,
            "some": branches,
        },
    }


def _choice(option: int, weights: tuple[int, ...]) -> Described:
    return {"option": option, "chance": f"{weights[option]}/{sum(weights)}"}


def _plain(one: NDArray[Any] | Records) -> object:
    """Return one person's value as JSON holds it: keys and values in pairs."""
    if not isinstance(one, Records):
        return one.tolist()[0]
    keys = one.keys.tolist()
    if one.values is None:
        return keys
    return [[key, value] for key, value in zip(keys, one.values.tolist(), strict=True)]


def _word(text: str, i: int, values: Any) -> int:
    """Return a number in [0, values) that a digest gives."""
    return digest64(f"{text} {i}") % int(values)


def _made_up(mechanism: Mechanism) -> Reports:
    """Return reports that somebody may send, from digests: the same whatever numpy draws."""
    reports = mechanism._nothing(SHOWN)
    for field in fields_of(mechanism):
        part = reports[field.name] if field.name else reports
        words = [_word(field.key, i, field.values) for i in range(part.size)]
        part[...] = np.reshape(words, part.shape)
    return reports


def _public(mechanism: Any, reports: Reports, items: Any) -> Described:
    """Tell what hash, matrix or filter say, as far as a mechanism has one."""
    if hasattr(mechanism, "hash"):
        return {"public": _hashed(mechanism, reports)}
    if hasattr(mechanism, "minus"):
        return {"public": _signs(mechanism, reports)}
    if isinstance(mechanism, Hashed):
        return {"public": _cells(mechanism, items)}
    return {}


def _hashed(mechanism: Any, reports: Reports) -> list[Described]:
    """Tell the slots of some keys under the seeds of reports."""
    most = getattr(mechanism.hash, "keys", 2**63 - 1)
    keys = np.array([_word("key", i, most) for i in range(len(reports))])
    slots = mechanism.hash(reports["seed"], keys)
    found = []
    for seed, key, slot in zip(
        reports["seed"].tolist(), keys.tolist(), slots.tolist(), strict=True
    ):
        found.append({"seed": seed, "key": str(key), "slot": slot})
    return found


def _signs(mechanism: Any, reports: Reports) -> list[Described]:
    """Tell the signs of some items in the rows of reports."""
    own = np.array([_word("item", i, mechanism.k) for i in range(len(reports))])
    minus = mechanism.minus(reports["row"], own)
    wide = mechanism.layout["row"][1] - 1 > SAFE
    found = []
    for row, item, sign in zip(reports["row"].tolist(), own.tolist(), minus.tolist(), strict=True):
        found.append({"row": str(row) if wide else row, "item": item, "minus": sign})
    return found


def _cells(mechanism: Hashed, items: Any) -> list[Described]:
    """Tell the cells of each item's filter in each cohort."""
    design = mechanism.design(items).toarray().T
    cells = design.reshape(len(items), mechanism.cohorts, -1)
    found = []
    for i, item in enumerate(items):
        for cohort in range(mechanism.cohorts):
            own = np.flatnonzero(cells[i, cohort]).tolist()
            found.append({"item": item, "cohort": cohort, "cells": own})
    return found
