"""Who holds which key with which value: checked records, signs of values, and people by class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, bernoulli
from ldpnb.checks import SIZE_MAX, check_count, check_people, check_unit
from ldpnb.core import Floats, Ints
from ldpnb.records import Records, check_records

Number = TypeVar("Number", np.int64, np.float64)

# records of up to so many keys, for examples; two hold one key, two several, with opposite signs
FEW = {
    1: Records.of({0: 1.0}, {0: -1.0}, {}, {0: 0.75}),
    2: Records.of(
        {0: 1.0},
        {0: -1.0, 1: 1.0},
        {1: -0.25},
        {},
        {0: 1 / 3, 1: -1.0},
        {0: 1.0, 1: -1.0},
    ),
    3: Records.of(
        {0: 1.0},
        {0: -1.0, 1: 0.5, 2: 1.0},
        {},
        {2: -0.25, 1: -1.0},
        {0: 0.0},
        {1: 1.0, 2: 0.1},
        {0: 1.0, 2: -1.0},
    ),
}


def discretise(values: ArrayLike, rng: Randomness, *, used: ArrayLike = True) -> Ints:
    """Draw a sign for each value v, with mean v: +1 with probability (1+v)/2, and otherwise −1.

    Exact for multiples of 2**-52; the mean of any other value is at most 2**-52 off.

    Source: sun2021 §3.1.

    Parameters
    ----------
    values : array_like of float in [−1, 1], (n,)
    rng : Generator, SystemRandom or Paths
    used : array_like of bool
        Which signs matter, see `chance.bernoulli`.

    Returns
    -------
    ndarray of int64 (n,), 1 or −1
    """
    v = check_unit(values)
    return np.where(bernoulli((1 + v) / 2, v.shape, rng, used=used), 1, -1)


def signs(
    shape: tuple[int, int],
    places: tuple[Ints, ...],
    values: Floats,
    rng: Randomness,
) -> Ints:
    """Draw the signs of values at places of a matrix, 0 elsewhere; all places toss a coin.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    places : tuple of two ndarray of int64 (entries,)
    values : ndarray of float in [−1, 1], (entries,)
    rng : Generator, SystemRandom or Paths
    """
    p = np.zeros(shape)
    p[places] = (1 + values) / 2
    held = np.zeros(shape, np.int8)
    held[places] = 1
    return np.asarray(2 * bernoulli(p, shape, rng) - held)


def check_pairs(values: object, d: int | None) -> Records:
    """Return records if keys are below d (any if None) and values in [−1, 1], as float64."""
    records = check_records(values, d=d)
    if records.values is None:
        rule = "values must be Records with a value for each key"
        raise ValueError(f"{rule}, got Records of keys alone")
    numbers = check_unit(records.values)
    if records.values.dtype == numbers.dtype:
        return records
    return replace(records, values=numbers)


def entries(records: Records) -> Floats:
    """Return the values of records that `check_pairs` returned, (entries,)."""
    assert records.values is not None
    return records.values


@dataclass(frozen=True, eq=False)
class Holdings:
    """How many people hold each key with each value: what a simulation of marginals needs to know.

    The layout is that of a sparse matrix by rows (CSR).

    Attributes
    ----------
    n : int
        Number of people.
    offsets : ndarray of int64, (d + 1,)
        Key j has the classes ``offsets[j]`` to ``offsets[j + 1]``.
    values : ndarray of float64, (classes,)
    counts : ndarray of int64, (classes,)
    sizes : ndarray of int64, (classes,), or None where they were not asked for
        Number of keys that each of these people holds.
    """

    n: int
    offsets: Ints
    values: Floats
    counts: Ints
    sizes: Ints | None = None

    @property
    def d(self) -> int:
        """Number of keys."""
        return len(self.offsets) - 1

    @property
    def holders(self) -> Ints:
        """Number of people who hold each key, (d,)."""
        return self.by_key(self.counts)

    @property
    def frequency(self) -> Floats:
        """Share of people who hold each key, (d,)."""
        return self.holders / self.n

    @property
    def mean(self) -> Floats:
        """Mean of each key's values among its holders, (d,); NaN for a key that nobody holds."""
        with np.errstate(invalid="ignore"):
            return self.by_key(self.counts * self.values) / self.holders

    def by_key(self, x: NDArray[Number]) -> NDArray[Number]:
        """Sum over the classes of each key: (…, classes) becomes (…, d)."""
        nothing = np.zeros((*x.shape[:-1], 1), x.dtype)
        sums = np.concatenate([nothing, np.cumsum(x, -1)], -1)
        return np.asarray(np.diff(sums[..., self.offsets], axis=-1))


def check_holdings(population: object) -> Holdings:
    """Return what are Holdings."""
    if not isinstance(population, Holdings):
        raise ValueError(f"population must be Holdings, got {type(population).__name__}")
    return population


def holdings(records: Records, d: int, *, sizes: bool = False) -> Holdings:
    """Count people by key and value.

    Parameters
    ----------
    records : Records with values in [−1, 1]
    d : int
        Number of keys.
    sizes : bool
        Count people by the size of their record, too: for mechanisms that pad and sample.
    """
    d = check_count(d, 1, "d", SIZE_MAX)
    records = check_pairs(records, d)
    check_people(records)
    values = entries(records)
    size = np.zeros(len(values), np.int64)
    if sizes:
        size = records.sizes[records.users]
    order = np.lexsort((size, values, records.keys))
    keys = records.keys[order]
    values = values[order]
    size = size[order]
    steps = [np.diff(x, prepend=np.nan) != 0 for x in (keys, values, size)]
    first = np.flatnonzero(np.any(steps, 0))  # of each class
    found = Holdings(
        n=len(records),
        offsets=np.searchsorted(keys[first], np.arange(d + 1)),
        values=values[first],
        counts=np.diff(first, append=len(keys)),
    )
    if sizes:
        return replace(found, sizes=size[first])
    return found
