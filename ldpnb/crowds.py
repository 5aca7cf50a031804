"""Values of many people, for benchmarks and fuzzing: half have a favourite; without randomness all are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldpnb.core import HELD as HELD, Records

FAVOURITE = 1  # an item, a key, the sign of a number

Source = np.random.Generator | None


def codes(k: int, n: int, rng: Source) -> NDArray[np.int64]:
    """One of k items per person: (n,)."""
    if rng is None:
        return np.full(n, FAVOURITE)
    return np.where(np.arange(n) % 2, FAVOURITE, rng.integers(0, k, n))


def rows(sizes: Sequence[int], n: int, rng: Source) -> NDArray[np.int64]:
    """One value of each of several attributes per person: (n, d)."""
    return np.column_stack([codes(size, n, rng) for size in sizes])


def sets(d: int, most: int, n: int, rng: Source) -> Records:
    """Up to `most` of d items in a row per person."""
    return Records.from_arrays(*_runs(d, most, n, rng), n=n)


def pairs(d: int, most: int, n: int, rng: Source) -> Records:
    """Up to `most` of d keys in a row per person, with values in [−1, 1]."""
    user, key = _runs(d, most, n, rng)
    return Records.from_arrays(user, key, numbers((len(user),), rng), n=n)


def numbers(shape: tuple[int, ...], rng: Source) -> NDArray[np.float64]:
    """Numbers in [−1, 1]."""
    return np.full(shape, 0.5) if rng is None else rng.uniform(-1, 1, shape)


def names(domain: int, n: int, rng: Source) -> NDArray[np.str_]:
    """One of many names per person, most of them different: (n,)."""
    return np.array([f"item {i}" for i in (np.full(n, FAVOURITE) if rng is None else rng.integers(0, domain, n))])


def _runs(d: int, most: int, n: int, rng: Source) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who holds which key."""
    size = np.minimum(d, np.full(n, most) if rng is None else rng.integers(0, most + 1, n))
    first = np.full(n, FAVOURITE % d) if rng is None else rng.integers(0, d, n)
    user = np.repeat(np.arange(n), size)
    place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return user, (np.repeat(first, size) + place) % d
