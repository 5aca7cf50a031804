"""Combinations of keys' states as numbers, and what both mechanisms do that send such numbers.

A key has three states for a person: 0 (held, sign −), 1 (not held) and 2 (held, sign +), after a
value in [−1, 1] has become a sign with its mean (`discretise`); the 3^d combinations of d keys'
states are numbered.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Randomness
from ldpnb.checks import check_count, check_part, check_people, shown
from ldpnb.core import Floats, Ints, blocks
from ldpnb.keyvalue.population import check_pairs, entries, signs
from ldpnb.keyvalue.queries import Shares, Table
from ldpnb.oracles.asking import no_counts
from ldpnb.oracles.base import ItemOracle
from ldpnb.oracles.succinct import SHist
from ldpnb.records import Records

D_MAX = 12  # keys of one table: 3^12 is half a million cells, and the next a million and a half
BLOCK = 2**24  # numbers in memory at a time
PEOPLE = 2**13  # treated at a time, so that few of their laws are in memory


class Encoded(ABC):
    """Name of 1.0.0 for `IOH` and `PairSampling`: `isinstance` tells."""

    keys: tuple[str, ...]
    oracle: ItemOracle
    d: int

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return hasattr(kind, "combinations")


# ------------------------------------------------------------------------------ numbers of states


def encode(values: Records, d: int, rng: Randomness) -> Ints:
    """Draw a sign for each value and number each person's combination of d states.

    The number is Σ_j 3^(d−j) s_j, for j = 1, …, d.

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
    nobody_holds = (3**d - 1) // 2  # digits 1 … 1
    places = records.users, records.keys
    moves = signs((len(records), d), places, entries(records), rng)
    return np.asarray(nobody_holds + moves @ 3 ** np.arange(d)[::-1])


def combined(d: int) -> int:
    """Return the number of combinations of d keys' states, 3^d."""
    if d > D_MAX:
        rule = f"keys must be at most {D_MAX} for a table of 3^d cells"
        raise ValueError(f"{rule}, got {d}: PairSampling takes more")
    return int(3**d)


# -------------------------------------------------------------------------------- laws of states


def laws_of_states(records: Records, d: int) -> Floats:
    """Return the law of each key's state after the signs are drawn, (n, d, 3)."""
    law = np.zeros((len(records), d, 3))
    law[..., 1] = 1
    v = entries(records)
    law[records.users, records.keys] = np.stack([(1 - v) / 2, np.zeros(len(v)), (1 + v) / 2], -1)
    return law


def joint(laws: Floats) -> Floats:
    """Law of the combination of independent states, for each person: (n, d, s) becomes (n, s^d)."""
    law = np.ones((len(laws), 1))
    for one in np.moveaxis(laws, 1, 0):
        law = (law[:, :, None] * one[:, None]).reshape(len(laws), -1)
    return law


def true_shares(records: Records, d: int, columns: Sequence[int]) -> Floats:
    """Return the expected shares of the combinations of some of d keys, in their order: (3^…,)."""
    check_people(records)
    chosen = list(columns)
    half = len(chosen) // 2
    total = np.zeros((3**half, 3 ** (len(chosen) - half)))
    for part in blocks(len(records), PEOPLE):
        laws = laws_of_states(records[part], d)[:, chosen]
        total += joint(laws[:, :half]).T @ joint(laws[:, half:])
    return total.ravel() / len(records)


# --------------------------------------------------------------- what both mechanisms have alike


def check_oracle(oracle: ItemOracle, k: int) -> None:
    """Refuse an oracle whose shares are biased, or of another number of combinations."""
    if not isinstance(oracle, ItemOracle) or isinstance(oracle, SHist):
        # the matrix of SHist adds an error that no number of people averages away
        rule = "oracle must be a pure protocol with unbiased shares"
        raise ValueError(f"{rule}, got {shown(oracle, most=200)}")
    if oracle.k != k:
        raise ValueError(f"oracle must have k = {k}, got {oracle.k}")


def encoded_variance(expected: Floats, oracle: ItemOracle, tables: int = 1) -> Floats:
    """Variance of each cell's score, L times its mean square for those who are asked, less t².

    It is that of the oracle, in the mean over the signs, and of the draws of the signs and of one
    table of L.
    """
    t = expected
    own, other = oracle.variance(np.zeros(1, np.int64))[0, :2]
    return np.asarray(tables * (other + (own - other) * t + t) - np.square(t))


def table_of(
    names: Sequence[str],
    keys: tuple[str, ...],
    shares: Floats,
    n: int,
    oracle: ItemOracle,
    *,
    pairs: int = 1,
    asked: int | Ints | None = None,
) -> Table:
    """Make a table of keys, named in any order, from shares that are in the order of all `keys`.

    Parameters
    ----------
    names : sequence of str
    keys : tuple of str
    shares : ndarray (…, 3^names)
    n, oracle, pairs, asked
        As `Shares` has them.
    """
    ordered = tuple(sorted(names, key=keys.index))
    collected = Shares(ordered, shares, n, oracle, pairs, asked)
    return Table(ordered, shares, collected).marginal(names)


# ------------------------------------------------------------------------------------ simulation


def draw_cells(draw: Callable[[], Ints], shape: tuple[int, ...], trials: int) -> Ints:
    """Count the people of each cell, in draws of where each person is: (trials, …).

    Parameters
    ----------
    draw : function without arguments
        Draws everybody's place in a table that is laid out flat, (n,).
    shape : tuple of int
        Of the table.
    trials : int
    """
    found = [np.bincount(draw(), minlength=prod(shape)) for _ in range(trials)]
    return np.reshape(found, (trials, *shape))


def check_cells(cells: ArrayLike, shape: tuple[int, ...]) -> tuple[Ints, int]:
    """Return counts of people in the cells of tables, (trials, …), and their number in each."""
    found = check_part(cells, "cells", np.int64, 2**53, *shape)
    people = found.sum(tuple(range(1, found.ndim)))
    if len(np.unique(people)) != 1 or people[0] == 0:
        rule = "cells must hold the same number of people in each trial, at least one"
        raise ValueError(f"{rule}, got {people.tolist()}")
    return found, int(people[0])


def simulated_counts(oracle: ItemOracle, histogram: Ints, rng: Randomness) -> Ints:
    """Draw the oracle's counts of one tally of these people, exact in their joint law."""
    n = int(histogram.sum())
    simulate = getattr(oracle, "simulate", None)
    if simulate is not None and n > 0:
        return np.asarray(simulate(histogram, trials=1, rng=rng).counts[0])
    codes = np.repeat(np.arange(oracle.k), histogram)
    counts = no_counts(oracle)
    for part in blocks(n, max(1, BLOCK // oracle.k)):
        reports = oracle.perturb(codes[part], rng=rng)
        counts = counts + oracle.tally(reports).counts
    return counts
