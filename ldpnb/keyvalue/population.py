"""Who holds which key with which value: records that were checked, signs of values, and people counted by class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, bernoulli
from ldpnb.checks import SIZE_MAX, check_count, check_people, check_unit
from ldpnb.core import Floats, Ints
from ldpnb.records import Records, check_records

FEW = {  # records of up to so many keys, for examples; two hold one key, two several, with opposite signs
    1: Records.of({0: 1.0}, {0: -1.0}, {}, {0: 0.75}),
    2: Records.of({0: 1.0}, {0: -1.0, 1: 1.0}, {1: -0.25}, {}, {0: 1 / 3, 1: -1.0}, {0: 1.0, 1: -1.0}),
    3: Records.of(
        {0: 1.0}, {0: -1.0, 1: 0.5, 2: 1.0}, {}, {2: -0.25, 1: -1.0}, {0: 0.0}, {1: 1.0, 2: 0.1}, {0: 1.0, 2: -1.0}
    ),
}


def discretise(values: ArrayLike, rng: Randomness, *, used: ArrayLike = True) -> Ints:
    """Draw a sign for each value v: +1 with probability (1+v)/2, otherwise −1, so that its mean is v.

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


def signs(shape: tuple[int, int], at: Any, values: Floats, rng: Randomness) -> Ints:
    """Draw the signs of values at these places of a matrix (rows, columns), 0 elsewhere; all places toss a coin."""
    p, held = np.zeros(shape), np.zeros(shape, np.int8)
    p[at], held[at] = (1 + values) / 2, 1
    return np.asarray(2 * bernoulli(p, shape, rng) - held)


def check_pairs(values: Any, d: int | None) -> Records:
    """Return records if keys are below d (any if None) and values in [−1, 1]; these are float64 then."""
    records = check_records(values, d=d)
    if records.values is None:
        raise ValueError("values must be Records with a value for each key, got Records of keys alone")
    numbers = check_unit(records.values)
    return records if records.values.dtype == numbers.dtype else replace(records, values=numbers)


def entries(records: Records) -> Floats:
    """Return the values of records that `check_pairs` returned, (entries,)."""
    assert records.values is not None
    return records.values


@dataclass(frozen=True, eq=False)
class Holdings:
    """How many people hold each key with each value (CSR layout): all that a simulation of marginals needs to know.

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

    def by_key(self, x: NDArray[Any]) -> NDArray[Any]:
        """Sum over the classes of each key: (…, classes) becomes (…, d)."""
        sums = np.concatenate([np.zeros((*x.shape[:-1], 1), x.dtype), np.cumsum(x, -1)], -1)
        return np.asarray(np.diff(sums[..., self.offsets], axis=-1))


def check_holdings(population: Any) -> Holdings:
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
    size = records.sizes[records.users] if sizes else np.zeros(len(values), np.int64)
    order = np.lexsort((size, values, records.keys))
    keys, values, size = records.keys[order], values[order], size[order]
    # the first of each class
    at = np.flatnonzero(np.any([np.diff(x, prepend=np.nan) != 0 for x in (keys, values, size)], 0))
    offsets = np.searchsorted(keys[at], np.arange(d + 1))
    return Holdings(len(records), offsets, values[at], np.diff(at, append=len(keys)), size[at] if sizes else None)
