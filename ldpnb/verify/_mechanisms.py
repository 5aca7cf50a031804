"""Mechanisms as clients of one person: how `ldpnb.exact` replays and proves one.

`ldpnb.exact.clients` imports this module as soon as `ldpnb.core` is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import fields, replace
from fractions import Fraction
from itertools import pairwise
from math import exp, isclose, log
from typing import Any

import numpy as np

from ldpnb.arrays import form_of
from ldpnb.core import Example, Mechanism
from ldpnb.exact.clients import Inputs, one_person_of, program, programs_of, values_of
from ldpnb.exact.deciding import Factor
from ldpnb.exact.formulas import Budget, Formula
from ldpnb.exact.outputs import Outputs, freeze
from ldpnb.exact.proofs import Moments
from ldpnb.exact.proving import Question, Stated, Subject, subject_of, what_it_states
from ldpnb.exact.symbolic import Laws, Maker
from ldpnb.records import Records
from ldpnb.verify._identities import compared_moments

STRUCTURE = (
    "if a mechanism's structure follows from ε, let a field hold it, and name that in the class's "
    "`chosen`"
)
USUAL = (0.01, 20)  # ε at which stated numbers are compared


@programs_of.register
def _programs(mechanism: Mechanism, inputs: Inputs) -> list[Callable[[Any], Any]]:
    """Ask a mechanism about batches of one person."""
    rows = Rows()

    def alone(one: Any, rng: Any) -> Any:
        return rows.only(mechanism.perturb(one, rng=rng))

    return [program(alone, one) for one in _batches(inputs)]


@one_person_of.register
def _one_person(mechanism: Mechanism) -> Callable[[Any, Any], Any]:
    def client(value: Any, rng: Any) -> Any:
        (batch,) = _batches([value])
        return _alone(mechanism.perturb(batch, rng=rng))[0]

    return client


@values_of.register
def _values(records: Records) -> list[Any]:
    """Return records as dicts, or as sets where there are no values."""
    found: list[Any] = []
    for start, end in pairwise(records.offsets.tolist()):
        keys = records.keys[start:end].tolist()
        if records.values is None:
            found.append(frozenset(keys))
        else:
            values = records.values[start:end].tolist()
            found.append(dict(zip(keys, values, strict=True)))
    return found


class Rows:
    """Arrays of one report each, of one class, dtype and form: a row may not tell them.

    Errors are about the method that returns them.
    """

    def __init__(self, method: str = "perturb") -> None:
        self._method = method
        self._kind: type | None = None
        self._first: tuple[Hashable, str] | None = None
        self._outputs = Outputs()

    def only(self, reports: Any) -> Any:
        """Return the only report; refuse another class, dtype or form than those before."""
        row = _alone(reports)[0]
        kind = np.ndarray if isinstance(reports, np.ndarray) else type(reports)
        if self._kind is None:
            self._kind = kind
        if kind is not self._kind:
            raise ValueError(
                f"{self._method} must return reports in one form, got {self._kind.__name__} and "
                f"{kind.__name__}, which a receiver can tell apart: return an array each time"
            )
        if isinstance(reports, np.ndarray):
            self._refuse_another_dtype(reports)
        self._outputs.key(reports)
        if isinstance(row, np.str_ | np.bytes_):  # which alone is of a dtype of its own length
            return np.array(row, reports.dtype)
        return row

    def _refuse_another_dtype(self, reports: Any) -> None:
        dtype = reports.dtype
        own = form_of(dtype)
        if self._first is None:
            self._first = own, str(dtype)
        first, name = self._first
        if own != first:
            freeze(reports)  # may know better
            raise ValueError(
                f"{self._method} must return arrays of one dtype, got one of {name} and one of "
                f"{dtype}, which a receiver can tell apart: return np.array(….tolist(), dtype) of "
                "one dtype"
            )


def _alone(reports: Any) -> Any:
    if len(reports) != 1:
        raise ValueError(f"client must return one report a person, got {len(reports)} of one")
    return reports


def _batches(inputs: Inputs) -> list[Any]:
    """Return inputs as a mechanism takes them: a batch for each person."""
    if isinstance(inputs, np.ndarray | Records):
        return [inputs[i : i + 1] for i in range(len(inputs))]
    return [_batch_of(value) for value in values_of(inputs)]


def _batch_of(value: Any) -> Any:
    """Return a batch of one person; a dict or a set makes a record."""
    if isinstance(value, dict | set | frozenset):
        return Records.of(value)
    return [value]


# ---------------------------------------------------------------------------------------- proofs


@subject_of.register
def _subject(mechanism: Mechanism) -> Subject:
    """Make a mechanism with another ε, and with the structure that it has now."""
    own = {field.name for field in fields(mechanism) if field.init}  # type: ignore[arg-type]
    if "epsilon" not in own:
        raise ValueError(_without_epsilon(mechanism))
    structure = {
        name: getattr(mechanism, use) for name, use in mechanism.chosen.items() if name in own
    }
    return Subject(
        make=lambda e: replace(mechanism, epsilon=e, **structure),  # type: ignore[type-var]
        name=type(mechanism).__name__,
        handed_in=mechanism,
        cure=f"; {STRUCTURE}",
    )


@subject_of.register
def _subject_of_example(example: Example) -> Subject:
    found = subject_of(example.mechanism)
    return replace(found, inputs=example.inputs, items=example.items)


@what_it_states.register
def _what_it_states(
    built: Mechanism, question: Question, ideal: Laws, most: Factor, tested: tuple[float, ...]
) -> Stated:
    """Compare ε, mean and variance with what a mechanism states."""
    make = question.subject.make
    assert make is not None
    ratio = _is_stated(built, make, ideal, most, tested)
    moments = Moments()
    if question.moments:
        try:
            moments = compared_moments(question, tested)
        except (TypeError, ValueError) as error:  # scores in floats, or candidates without names
            moments = Moments(unsaid=str(error))
    return Stated(_name(built), ratio, moments)


def _is_stated(
    built: Mechanism, make: Maker, found: Laws, most: Factor, tested: tuple[float, ...]
) -> bool:
    """Whether `realised_epsilon` is the logarithm of the largest ratio, as formula and number."""
    with found.field.run(server=True):
        own = built.realised_epsilon
    found.field.heard()
    if not isinstance(own, Budget) or most.ratio is None or not own.odds.same(most.ratio):
        return False
    least, highest = USUAL
    for epsilon in tested:
        if not least <= epsilon <= highest:
            continue
        told = make(epsilon).realised_epsilon
        ratio = most.ratio.at(Fraction(exp(epsilon / found.field.roots)))
        if told is None or not isclose(told, log(ratio), rel_tol=1e-6, abs_tol=1e-9):
            return False
    return True


def _without_epsilon(mechanism: Mechanism) -> str:
    """Say how to prove a mechanism whose ε follows from other parameters."""
    kind = type(mechanism).__name__
    rule = "client must have a field epsilon"
    if not mechanism.of_epsilon:
        exact = "worst(laws(m, inputs)).epsilon is its ε, exactly"
        return f"{rule}, and nothing in a {kind} is a function of ε: {exact}"
    how = f"prove({mechanism.of_epsilon}, inputs), with it as m"
    return f"{rule}, and ε follows from other parameters of {kind}: write {how}"


def _name(mechanism: Any) -> str:
    """Return the name of a mechanism with its sizes."""
    sizes = []
    for field in fields(mechanism):
        value = getattr(mechanism, field.name, None)
        is_told = field.init and (field.repr or value is not field.default)
        if is_told and not isinstance(value, Budget | Formula):
            sizes.append(f"{field.name}={value!r}")
    return f"{type(mechanism).__name__}({', '.join(sizes)})"
