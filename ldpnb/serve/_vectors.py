"""Vectors: what a client or a server in another language is tested with, made from the mechanisms themselves."""

from __future__ import annotations

import json
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldpnb.chance import Paths, TooManyBranches, walk
from ldpnb.core import Example, Mechanism, Reports, named
from ldpnb.hashing import digest64
from ldpnb.records import Records
from ldpnb.serve.wire import SAFE, fields_of, from_wire, header, schema, to_wire
from ldpnb.strings.hashed import Hashed

SHOWN = 12  # reports, or branches, that are shown of a longer list
BRANCHES = 1000  # of a client whose laws are told
VALUES, MANY = 3, 100  # whose laws are told; of so many reports, of one value less


def vectors(example: Example) -> dict[str, Any]:
    """Return what a client or a server in another language can be tested with, ready for JSON.

    Parameters
    ----------
    example : Example
        A mechanism, values and, for an open domain, candidates: ``GRR.example()[0]``.

    Returns
    -------
    dict
        ``schema``; ``lines``, reports as JSON lines, their ``tally`` and its ``estimate``, arrays as their shape and
        their entries in C order, for ``items`` where there are some.  ``public``: where a hash or a public matrix
        decides what a report is about, the answer for some public parts and values.  And, where the client has at most
        1,000 branches, ``laws``: reports, as lists of their fields, probabilities (exact fractions), and for each of a
        few ``values`` the places of the reports' probabilities, −1 for none; ``branches``: what the client draws for
        the last of them, one choice after the other, and
        the report.  A choice is the option taken and its chance, as a fraction; of coins, option 0 is heads.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> made = vectors(GRR.example()[0])
    >>> made["lines"][1:], made["tally"]["entries"], made["laws"]["of"]
    (['{"report":0}', '{"report":1}'], [1, 1], [[0, 1], [1, 0]])
    """
    mechanism, items = example.mechanism, example.items
    found: dict[str, Any] = {"schema": schema(mechanism)}
    few = example.inputs[:VALUES]
    try:
        walked = [_walked(mechanism, few[i : i + 1]) for i in range(len(few))]
        if len(_union(walked)) > MANY:
            walked = walked[: VALUES - 1]
        told = _told(few[: len(walked)], walked)
        reports = from_wire([json.dumps(header(mechanism)), *_some(_union(walked))], mechanism)
    except TooManyBranches:
        told, reports = {}, _made_up(mechanism)
    tally = mechanism.tally(reports, *named(items))
    found["lines"] = [line.rstrip() for line in to_wire(reports, mechanism)]
    if items is not None:
        found["items"] = list(items)
    found["tally"] = {"n": tally.n, **_flat(tally.counts)}
    found["estimate"] = _flat(mechanism.estimate(tally))
    return found | _public(mechanism, reports, items) | told


def _flat(array: NDArray[Any]) -> dict[str, Any]:
    return {"shape": list(array.shape), "entries": array.ravel().tolist()}


def _some(found: list[Any]) -> list[Any]:
    """Return a few entries of a list, from all over it."""
    n = len(found)
    return found if n <= SHOWN else [found[i * (n - 1) // (SHOWN - 1)] for i in range(SHOWN)]


Walked = list[tuple[Fraction, list[Any], str]]  # probability, choices, report


def _walked(mechanism: Mechanism, value: Any) -> Walked:
    def client(rng: Paths) -> Reports:
        return mechanism.perturb(deepcopy(value), rng=rng)

    ways = [(paths.probability, [*paths.taken], reports) for paths, reports in walk(client, limit=BRANCHES)]
    _, *lines = to_wire(np.concatenate([reports for _, _, reports in ways]), mechanism)
    return [(p, taken, line.rstrip()) for (p, taken, _), line in zip(ways, lines, strict=True)]


def _union(walked: list[Walked]) -> list[str]:
    return [*dict.fromkeys(line for branches in walked for _, _, line in branches)]


def _told(values: Any, walked: list[Walked]) -> dict[str, Any]:
    laws: list[dict[str, Fraction]] = []
    for branches in walked:
        law: dict[str, Fraction] = {}
        for probability, _, line in branches:
            law[line] = law.get(line, Fraction(0)) + probability
        laws.append(law)
    lines = _union(walked)
    places = {p: i for i, p in enumerate(dict.fromkeys(p for law in laws for p in law.values()))}
    places |= {Fraction(0): -1}
    people = [_plain(values[i : i + 1]) for i in range(len(values))]
    return {
        "values": people,
        "laws": {
            "reports": [[*json.loads(line).values()] for line in lines],
            "probabilities": [f"{p.numerator}/{p.denominator}" for p in places if p],
            "of": [[places[law.get(line, Fraction(0))] for line in lines] for law in laws],
        },
        "branches": {
            "value": people[-1],
            "all": len(walked[-1]) <= SHOWN,
            "some": [{"choices": [*map(_choice, c)], "report": json.loads(s)} for _, c, s in _some(walked[-1])],
        },
    }


def _choice(taken: tuple[int, tuple[int, ...]]) -> dict[str, Any]:
    option, weights = taken
    return {"option": option, "chance": f"{weights[option]}/{sum(weights)}"}


def _plain(one: Any) -> Any:
    """Return one person's value as JSON holds it: keys and values in pairs."""
    if not isinstance(one, Records):
        return one.tolist()[0]
    keys = one.keys.tolist()
    return keys if one.values is None else [list(pair) for pair in zip(keys, one.values.tolist(), strict=True)]


def _word(text: str, i: int, values: Any) -> int:
    return digest64(f"{text} {i}") % int(values)


def _made_up(mechanism: Mechanism) -> Reports:
    """Return reports that somebody may send, from digests: the same ones everywhere, whatever numpy draws."""
    reports = mechanism._nothing(SHOWN)
    for field in fields_of(mechanism):
        part = reports[field.name] if field.name else reports
        part[...] = np.reshape([_word(field.key, i, field.values) for i in range(part.size)], part.shape)
    return reports


def _public(mechanism: Any, reports: Reports, items: Any) -> dict[str, Any]:
    """Tell what hash, matrix or filter say, as far as a mechanism has one."""
    if hasattr(mechanism, "hash"):
        most = getattr(mechanism.hash, "keys", 2**63 - 1)
        keys = np.array([_word("key", i, most) for i in range(len(reports))])
        slots = mechanism.hash(reports["seed"], keys)
        rows = zip(reports["seed"].tolist(), keys.tolist(), slots.tolist(), strict=True)
        return {"public": [{"seed": seed, "key": str(key), "slot": slot} for seed, key, slot in rows]}
    if hasattr(mechanism, "minus"):
        own = np.array([_word("item", i, mechanism.k) for i in range(len(reports))])
        minus = mechanism.minus(reports["row"], own)
        wide = mechanism.layout["row"][1] - 1 > SAFE
        rows = zip(reports["row"].tolist(), own.tolist(), minus.tolist(), strict=True)
        return {"public": [{"row": str(row) if wide else row, "item": i, "minus": m} for row, i, m in rows]}
    if isinstance(mechanism, Hashed):
        cells = mechanism.design(items).toarray().T.reshape(len(items), mechanism.cohorts, -1)
        some = [(i, c) for i in range(len(items)) for c in range(mechanism.cohorts)]
        return {
            "public": [{"item": items[i], "cohort": c, "cells": np.flatnonzero(cells[i, c]).tolist()} for i, c in some]
        }
    return {}
