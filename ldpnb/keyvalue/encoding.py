"""Combinations of keys' states as numbers, and what mechanisms share that send them through a frequency oracle.

A key has three states for a person: 0 (held, sign −), 1 (not held) and 2 (held, sign +), after a value in [−1, 1] has
become a sign with its mean (`discretise`); the 3^d combinations of d keys' states are numbered.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness
from ldpnb.checks import Limit, check_count, check_part, check_people, shown
from ldpnb.core import Floats, Ints, Tally, blocks
from ldpnb.keyvalue.population import check_pairs, entries, signs
from ldpnb.keyvalue.queries import Shares, Table, check_names
from ldpnb.oracles.asking import Through, no_counts
from ldpnb.oracles.base import ItemOracle
from ldpnb.oracles.succinct import SHist
from ldpnb.records import Records

D_MAX = 12  # keys of one table: 3^12 is half a million cells, and the next a million and a half
BLOCK = 2**24  # numbers in memory at a time
PEOPLE = 2**13  # treated at a time, so that few of their laws are in memory


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
    d = check_count(d, 1, "d", D_MAX)
    return numbered(check_pairs(values, d), d, rng)


def numbered(records: Records, d: int, rng: Randomness) -> Ints:
    """Do as `encode` does, for records that were checked."""
    moves = signs((len(records), d), (records.users, records.keys), entries(records), rng)
    return np.asarray((3**d - 1) // 2 + moves @ 3 ** np.arange(d)[::-1])


def combined(d: int) -> int:
    """Return the number of combinations of d keys' states, 3^d."""
    if d > D_MAX:
        raise ValueError(f"keys must be at most {D_MAX} for a table of 3^d cells, got {d}: PairSampling takes more")
    return int(3**d)


def joint(laws: Floats) -> Floats:
    """Law of the combination of independent states, for each person: (n, d, s) becomes (n, s^d)."""
    law = np.ones((len(laws), 1))
    for one in np.moveaxis(laws, 1, 0):
        law = (law[:, :, None] * one[:, None]).reshape(len(laws), -1)
    return law


@dataclass(frozen=True, kw_only=True)
class Encoded(Through):
    """What both designs share: records become numbers, which go through a frequency oracle and spend what it spends.

    Parameters
    ----------
    keys : tuple of str
        Names of the d keys.
    oracle : ItemOracle
        With unbiased shares: not `SHist`.
    """

    keys: tuple[str, ...]
    oracle: ItemOracle
    limits: ClassVar[Mapping[str, Limit]] = {"keys": check_names}
    questions: ClassVar[Any] = 1  # number of tables, L, of which each person is asked about one

    def __post_init__(self) -> None:
        super().__post_init__()
        k = self.combinations(self.d)
        if not isinstance(self.oracle, ItemOracle) or isinstance(self.oracle, SHist):
            # the matrix of SHist adds an error that no number of people averages away
            raise ValueError(f"oracle must be a pure protocol with unbiased shares, got {shown(self.oracle, most=200)}")
        if self.oracle.k != k:
            raise ValueError(f"oracle must have k = {k}, got {self.oracle.k}")

    @staticmethod
    @abstractmethod
    def combinations(d: int) -> int:
        """How many combinations of states the oracle is asked about, where there are d keys."""

    @classmethod
    def of(cls, keys: Sequence[str], make: Callable[..., ItemOracle], epsilon: float) -> Self:
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

    def cells(self, values: Records, *, trials: int, rng: Randomness) -> Ints:
        """Draw everybody's number anew for each trial and count the people of each: (trials, …) as `simulate` takes it.

        That depends neither on the oracle nor on ε: draw it once and hand it to `simulate` of several mechanisms.
        """
        trials, records = check_count(trials, 1, "trials"), self._values(values)
        check_people(records)
        found = [np.bincount(self._cells(records, rng), minlength=prod(self._shape)) for _ in range(trials)]
        return np.reshape(found, (trials, *self._shape))

    def simulate(self, cells: ArrayLike, *, rng: Randomness) -> Tally:
        """Tallies of populations, exact in their joint law, one for each row of `cells`: (trials, …).

        As fast as the oracle's `simulate`; an oracle without one is simulated person by person.

        Parameters
        ----------
        cells : array_like of int (trials, …)
            How many people are in each combination, as `cells` draws them; as many in each trial.
        rng : numpy.random.Generator or Paths
        """
        found = check_part(cells, "cells", np.int64, 2**53, *self._shape)
        people = found.sum(tuple(range(1, found.ndim)))
        if len(np.unique(people)) != 1 or people[0] == 0:
            raise ValueError(f"cells must hold as many people in each trial, at least one, got {people.tolist()}")
        return Tally(self, int(people[0]), np.stack([self._simulated(trial, rng) for trial in found]))

    def variance(self, values: Records) -> Floats:
        """Variance of each cell's score, L times its mean square for those who are asked, less t²: (n, …).

        That of the oracle, in the mean over the signs, and the draws of the signs and of one table of L.
        """
        t = self.expected(values)
        own, other = self.oracle.variance(np.zeros(1, np.int64))[0, :2]
        return np.asarray(self.questions * (other + (own - other) * t + t) - np.square(t))

    @property
    def _shape(self) -> tuple[int, ...]:
        """Shape of the estimates."""
        return (self.oracle.k,)

    @abstractmethod
    def _cells(self, records: Records, rng: Randomness) -> Ints:
        """Draw the place of each person in estimates that are laid out flat, (n,)."""

    def _simulated(self, histogram: Ints, rng: Randomness) -> Ints:
        """Return the oracle's counts of one tally of people in these cells, exact in their joint law."""
        n, simulate = int(histogram.sum()), getattr(self.oracle, "simulate", None)
        if simulate is not None and n > 0:
            return np.asarray(simulate(histogram, trials=1, rng=rng).counts[0])
        codes = np.repeat(np.arange(self.oracle.k), histogram)
        told = (self.oracle.perturb(codes[part], rng=rng) for part in blocks(n, max(1, BLOCK // self.oracle.k)))
        return sum((self.oracle.tally(reports).counts for reports in told), no_counts(self.oracle))

    def _values(self, values: Records) -> Records:
        return check_pairs(values, self.d)

    def _states(self, values: Records) -> Floats:
        """Return the law of each key's state, (n, d, 3)."""
        records = self._values(values)
        law, v = np.zeros((len(records), self.d, 3)), entries(records)
        law[..., 1] = 1
        law[records.users, records.keys] = np.stack([(1 - v) / 2, np.zeros(len(v)), (1 + v) / 2], -1)
        return law

    def _true_table(self, names: Sequence[str], values: Records) -> Table:
        """Return the table of these keys that estimates have in expectation."""
        records = self._values(values)
        check_people(records)
        keys = sorted(map(self.keys.index, names))
        half = len(keys) // 2
        total = np.zeros((3**half, 3 ** (len(keys) - half)))
        for part in blocks(len(records), PEOPLE):
            laws = self._states(records[part])[:, keys]
            total += joint(laws[:, :half]).T @ joint(laws[:, half:])
        return self._table(names, total.ravel() / len(records), len(records))

    def _table(self, names: Sequence[str], shares: Floats, n: int, asked: Any = None) -> Table:
        """Make a table of keys, named in any order, from shares that are in the order of the mechanism's keys."""
        keys = tuple(sorted(names, key=self.keys.index))
        collected = Shares(keys, shares, n, self.oracle, self.questions, asked)
        return Table(keys, shares, collected).marginal(names)
