"""Combinations of keys' states as numbers, and what mechanisms share that send them through a frequency oracle.

A key has three states for a person: 0 (held, sign −), 1 (not held) and 2 (held, sign +), after a value in [−1, 1] has
become a sign with its mean (`discretise`); the 3^d combinations of d keys' states are numbered.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import attrgetter
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness
from ldpnb.checks import Limit, check_codes, check_count, check_people
from ldpnb.core import Floats, Ints, Mechanism, Records, blocks
from ldpnb.keyvalue.population import check_pairs, discretise, entries
from ldpnb.keyvalue.queries import check_names
from ldpnb.oracles.frequency import PureProtocol
from ldpnb.oracles.succinct import SHist

D_MAX = 12  # keys of one table: 3^12 is half a million cells, and the next a million and a half
BLOCK = 2**24  # numbers in memory at a time


def check_few(d: int) -> int:
    """Return a number of keys that one table can have."""
    if d > D_MAX:
        raise ValueError(f"keys must be at most {D_MAX} for a table of 3**d cells, got {d}: PairSampling takes more")
    return d


def encode(values: Records, d: int, rng: Randomness) -> Ints:
    """Draw a sign for each value and return the number of each person's combination of d states, Σ_j 3^(d−j) s_j.

    Source: sun2021 §3.1 (IOH).

    Parameters
    ----------
    values : Records with values in [−1, 1]
        Keys are 0, …, d − 1.
    d : int
    rng : Generator, SystemRandom or Paths

    Returns
    -------
    ndarray of int64 (n,), in [0, 3^d)

    Raises
    ------
    ValueError
        If a key or value is out of range, or d is above 12.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> encode(Records.of({0: 1.0, 2: -1.0}, {}), 3, rng).tolist()  # digits 2 1 0, and 1 1 1
    [21, 13]
    """
    d = check_few(check_count(d, 1, "d"))
    return encoded(check_pairs(values, d), d, rng)


def encoded(records: Records, d: int, rng: Randomness) -> Ints:
    """As `encode`, for checked records."""
    moves = discretise(entries(records), rng) * 3 ** (d - 1 - records.keys)
    return np.asarray((3**d - 1) // 2 + per_person(moves, records))


def per_person(moves: Ints, records: Records) -> Ints:
    """Sum of each person's entries."""
    return np.diff(np.concatenate([[0], np.cumsum(moves)])[records.offsets])


def joint(laws: Floats) -> Floats:
    """Law of the combination of independent states, for each person: (n, d, s) becomes (n, s^d)."""
    law = np.ones((len(laws), 1))
    for one in np.moveaxis(laws, 1, 0):
        law = (law[:, :, None] * one[:, None]).reshape(len(laws), -1)
    return law


def shares_of(values: Records, d: int) -> Floats:
    """Mean over people of the law of their combination, (3^d,)."""
    records = check_pairs(values, d)
    check_people(records)
    plus, held = np.zeros((2, len(records), d))
    who = records.users, records.keys
    plus[who], held[who] = (1 + entries(records)) / 2, 1
    pattern = (held @ 2.0 ** np.arange(d)).astype(np.int64)
    order = np.argsort(pattern, kind="stable")
    total = np.zeros((3,) * d)
    for group in np.split(order, np.flatnonzero(np.diff(pattern[order])) + 1):
        # people who hold the same keys have two states of each of them and one of every other
        keys = np.flatnonzero(held[group[0]])
        signs = np.zeros((2,) * len(keys))
        for part in blocks(len(group), max(1, BLOCK >> len(keys))):
            up = plus[group[part]][:, keys]
            signs += joint(np.stack([1 - up, up], -1)).sum(0).reshape(signs.shape)
        total[tuple(slice(None, None, 2) if one else 1 for one in held[group[0]])] = signs
    return total.reshape(-1) / len(records)


@dataclass(frozen=True, kw_only=True)
class Encoded(Mechanism):
    """What both designs share: records become numbers, which go through a frequency oracle and spend what it spends.

    Parameters
    ----------
    keys : tuple of str
        Names of the d keys.
    oracle : PureProtocol
        With unbiased shares: not `SHist`.
    """

    keys: tuple[str, ...]
    oracle: PureProtocol
    limits: ClassVar[Mapping[str, Limit]] = {"keys": check_names}

    def __post_init__(self) -> None:
        super().__post_init__()
        k = self.combinations(self.d)
        if not isinstance(self.oracle, PureProtocol) or isinstance(self.oracle, SHist):
            # the matrix of SHist adds an error that no number of people averages away
            raise ValueError(f"oracle must be a pure protocol with unbiased shares, got {self.oracle!r}")
        if self.oracle.k != k:
            raise ValueError(f"oracle must have k = {k}, got {self.oracle.k}")

    @staticmethod
    @abstractmethod
    def combinations(d: int) -> int:
        """How many combinations of states the oracle is asked about, where there are d keys."""

    @classmethod
    def of(cls, keys: Sequence[str], make: Callable[..., PureProtocol], epsilon: float) -> Self:
        """Make the oracle too: ``make(k=combinations, epsilon=epsilon)``.

        Examples
        --------
        >>> from ldpnb import IOH, OUE
        >>> IOH.of(("cancer", "fever", "cough"), OUE, 1.0).oracle
        OUE(k=27, epsilon=1.0, packed=False)
        """
        names = check_names(keys)
        return cls(keys=names, oracle=make(k=cls.combinations(len(names)), epsilon=epsilon))

    @property
    def d(self) -> int:
        """Number of keys."""
        return len(self.keys)

    epsilon = property(attrgetter("oracle.epsilon"), doc="That of the oracle.")
    realised_epsilon = property(attrgetter("oracle.realised_epsilon"), doc="That of the oracle, for any two numbers.")
    report_bits = property(attrgetter("oracle.report_bits"), doc="That of the oracle, without what is public.")
    layout = property(attrgetter("oracle.layout"), doc="That of the oracle's reports.")
    public_fields = property(attrgetter("oracle.public_fields"), doc="Those of the oracle's reports.")
    server_cost = property(attrgetter("oracle.server_cost"), doc="That of the oracle.")

    def cells(self, values: Records, *, trials: int, rng: Randomness) -> Ints:
        """Draw everybody's number anew for each trial and count the people of each: (trials, …) as `simulate` takes it.

        That depends neither on the oracle nor on ε: draw it once and hand it to `simulate` of several mechanisms.
        """
        trials, records = check_count(trials, 1, "trials"), self._values(values)
        check_people(records)
        size = prod(self._shape)
        found = [np.bincount(self._cells(records, rng), minlength=size) for _ in range(trials)]
        return np.reshape(found, (trials, *self._shape))

    @property
    @abstractmethod
    def _shape(self) -> tuple[int, ...]:
        """Shape of the estimates."""

    @abstractmethod
    def _cells(self, records: Records, rng: Randomness) -> Ints:
        """Draw the place of each person in estimates that are laid out flat, (n,)."""

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.d)

    def _states(self, values: Records) -> Floats:
        """Return the law of each key's state, (n, d, 3)."""
        records = self._values(values)
        law, v = np.zeros((len(records), self.d, 3)), entries(records)
        law[..., 1] = 1
        law[records.users, records.keys] = np.stack([(1 - v) / 2, np.zeros(len(v)), (1 + v) / 2], -1)
        return law

    def _oracle_variance(self, t: Floats) -> Floats:
        """Variance of the oracle's score for a combination that people have with these probabilities, in their mean."""
        own, other = self.oracle.variance(np.zeros(1, np.int64))[0, :2]
        return np.asarray(other + (own - other) * t)


# ------------------------------------------------------------------------------------- populations, oracle by oracle


def check_cells(cells: ArrayLike, shape: tuple[int, ...]) -> Ints:
    """Return counts of people by cell, (trials, …), as many people in each trial."""
    found = check_codes(cells, None, "cells", ndim=1 + len(shape))
    if found.shape[1:] != shape or len(found) == 0:
        raise ValueError(f"cells must be of shape (trials, {', '.join(map(str, shape))}), got {found.shape}")
    people = found.reshape(len(found), -1).sum(1)
    if np.any(people != people[0]) or people[0] == 0:
        raise ValueError(f"cells must hold as many people in each trial, at least one, got {people.tolist()}")
    return found


def counts_of(oracle: PureProtocol, histogram: Ints, rng: Randomness) -> Ints:
    """Return the counts of one tally of a population with this histogram, exact in their joint law."""
    n, simulate = int(histogram.sum()), getattr(oracle, "simulate", None)
    if simulate is not None and n > 0:
        return np.asarray(simulate(histogram, trials=1, rng=rng).counts[0])
    codes, total = np.repeat(np.arange(oracle.k), histogram), no_counts(oracle)
    for part in blocks(n, max(1, BLOCK // oracle.k)):
        total = total + oracle.tally(oracle.perturb(codes[part], rng=rng)).counts
    return total


def no_counts(oracle: PureProtocol) -> Ints:
    """Return the counts of no reports."""
    return oracle.tally(oracle.perturb(np.zeros(1, np.int64), rng=np.random.default_rng(0))[:0]).counts
