"""Every hash family, with its exact collision law; and digests of strings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from hashlib import blake2b

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.chance import Randomness, uniform
from ldpnb.checks import check_codes, check_count, shown
from ldpnb.core import Ints
from ldpnb.kernels import U32, Words, count_nested, count_points, count_quadratic

PRIME = 2**31 - 1

# the step of splitmix64; odd, so that multiples of it are distinct
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


# --------------------------------------------------------------- strings, and mixed words


def digest(names: Sequence[str]) -> Ints:
    """Keys in [2**62, 2**63) for strings; the same on every machine.

    Records hold integers: ``Records.from_arrays(user, digest(names), values)``.  Candidates may be
    the strings themselves.  Two of a million strings share a key with a probability of about 10⁻⁷.

    A key is 2**62 + b mod (2**62 − 1), where b is the BLAKE2b digest of eight bytes of the string
    in UTF-8 (lone surrogates as they are), read with the most significant byte first.

    Parameters
    ----------
    names : sequence of str (k,)

    Returns
    -------
    ndarray of int64 (k,)
    """
    listed = np.iterable(names) and not isinstance(names, str)
    if not listed or not all(isinstance(name, str) for name in names):
        raise ValueError(f"names must be a list of strings, got {shown(names)}")
    return np.array([key_of(name) for name in names], np.int64)


def key_of(name: str) -> int:
    """Key of one string, see `digest`."""
    if not isinstance(name, str):
        raise ValueError(f"name must be a string, got {shown(name)}")
    return 2**62 + digest64(name) % (2**62 - 1)  # 2**63 − 1 is no code


def digest64(text: str) -> int:
    """Return 64 bits that stand for a text; the same on every machine (BLAKE2b)."""
    encoded = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "big")


def splitmix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Finaliser of splitmix64, a permutation of 64-bit words; x must not be a scalar.

    Source: Steele, Lea and Flood 2014.
    """
    x = x ^ (x >> np.uint64(30))
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


def mixed(keys: Ints) -> tuple[Words, Words]:
    """Two words that do not show what is alike in two keys; no two keys have the same ones.

    Two rounds of SplitMix64 (Steele, Lea and Flood 2014), a bijection of 64-bit words: a round adds
    0x9E3779B97F4A7C15 and takes the finaliser, `splitmix`.  The words are the upper and the lower
    half of the outcome.  After the finaliser alone, the lower words of small integers still satisfy
    linear relations.
    """
    x = np.asarray(keys).astype(np.uint64)
    for _ in range(2):
        x = splitmix(x + GOLDEN)
    return (x >> np.uint64(32)).astype(U32), x.astype(U32)


# ---------------------------------------------------------------------------- three items


def check_prime(value: object, name: str = "prime") -> int:
    """Return a prime number in [5, 2**31 − 1]."""
    found = check_count(value, 5, name, PRIME)
    if primes(found) != (found,):
        raise ValueError(f"{name} must be a prime number, got {found}")
    return found


@cache
def primes(n: int) -> tuple[int, ...]:
    """Return the prime factors of a number, ascending."""
    found = []
    p = 2
    while p * p <= n:
        if n % p == 0:
            found.append(p)
        while n % p == 0:
            n //= p
        p += 1
    if n > 1:
        found.append(n)
    return tuple(found)


class Family(ABC):
    """Base of hash families: they have public seeds of some words, all below `values`."""

    @property
    @abstractmethod
    def words(self) -> int:
        """Number of words of a seed."""

    @property
    @abstractmethod
    def values(self) -> int:
        """Number of values of a word of a seed."""

    def seeds(self, n: int, rng: Randomness) -> Words:
        """Draw n public seeds, (n, words)."""
        return uniform(self.values, (n, self.words), rng).astype(U32)


@dataclass(frozen=True, kw_only=True)
class Modular(Family):
    """Base of exactly three-wise independent families: hash values uniform on Z_p, cut into slots.

    The hash values of three different keys are independent and uniform on {0, …, prime − 1}.  Slot
    s is the interval [⌈s prime/slots⌉, ⌈(s+1) prime/slots⌉), so that slots differ in size by one
    hash value at most.  A subclass gives `words` and `_points`.

    Parameters
    ----------
    slots : int in [2, prime]
    prime : int
        A prime number in [5, 2**31 − 1]; a small one for a family whose seeds can be enumerated.
    """

    slots: int
    prime: int = PRIME

    def __post_init__(self) -> None:
        object.__setattr__(self, "prime", check_prime(self.prime))
        object.__setattr__(self, "slots", check_count(self.slots, 2, "slots", self.prime))

    @property
    def values(self) -> int:
        """Number of values of a word of a seed, the prime."""
        return self.prime

    @property
    def collision(self) -> Fraction:
        """Probability over the seeds that two given keys share a slot, C₂.

        It is 1/slots but for the cut.
        """
        return self._shared(2)

    @property
    def triple(self) -> Fraction:
        """Probability over the seeds that three given keys share a slot, C₃.

        It is 1/slots² but for the cut.
        """
        return self._shared(3)

    def _shared(self, keys: int) -> Fraction:
        """Probability that so many given keys share a slot; slots come in two sizes."""
        low, more = divmod(self.prime, self.slots)
        shared = (self.slots - more) * low**keys + more * (low + 1) ** keys
        return Fraction(shared, self.prime**keys)

    def __call__(self, seeds: Words, keys: ArrayLike) -> Ints:
        """Slots of keys; ``seeds.shape[:-1]`` and ``keys.shape`` are broadcast."""
        values = seeds[..., -1].astype(np.uint64)
        for i, x in enumerate(self._points(keys)):
            values = values + seeds[..., i].astype(np.uint64) * x
        slots = self._mod(values) * np.uint64(self.slots) // np.uint64(self.prime)
        return slots.astype(np.int64)

    def count(self, seeds: Words, slots: Ints, keys: Ints) -> Ints:
        """Count for each key the reports whose slot holds it.

        The prime must be a power of two less one.

        Parameters
        ----------
        seeds : ndarray of uint32 (n, words)
        slots : ndarray of int64 (n,)
            In [0, self.slots).
        keys : ndarray of int64 (k,)
            In any order.

        Returns
        -------
        ndarray of int64 (k,)

        Raises
        ------
        ValueError
            If a seed is not below the prime, or a key not one of the family's.
        """
        points = np.zeros((3, len(keys)), U32)
        points[: self.words - 1] = self._points(keys)
        # of three words, the last one stands before zeros, too
        four = self._checked(seeds)[:, [0, 1, 2, -1]]
        return count_points(four, slots, self.slots, self.prime.bit_length(), points)

    @abstractmethod
    def _points(self, keys: ArrayLike) -> tuple[NDArray[np.uint64], ...]:
        """Return words below the prime for each key.

        All words of a seed but the last are factors of them.
        """

    def _checked(self, seeds: Words) -> Words:
        """Return seeds below the prime."""
        found = np.ascontiguousarray(seeds)  # in a row, they are searched in a tenth of the time
        if found.size and found.max() >= self.prime:
            raise ValueError(f"seed must be integers in [0, {self.prime}), got {found.max()}")
        return found

    def _mod(self, x: NDArray[np.uint64]) -> NDArray[np.uint64]:
        prime = np.uint64(self.prime)
        return x - x // prime * prime  # a third of the time of %


@dataclass(frozen=True, kw_only=True)
class Quadratic(Modular):
    """Hashing of `keys` integers into slots, exactly independent for every three keys.

    It is fast over all of them.  A seed is three numbers (a, b, c) below the prime p, and the hash
    value of v is (a v² + b v + c) mod p.  A polynomial of degree two takes any three values at
    three places exactly once (Wegman and Carter 1981).  From v to v + 1 it takes two additions,
    which is how `count` decodes.

    Parameters
    ----------
    keys : int in [1, prime]
        Keys are 0, …, keys − 1.
    slots, prime : int
        See `Modular`.
    """

    keys: int
    words = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "keys", check_count(self.keys, 1, "keys", self.prime))

    def count(self, seeds: Words, slots: Ints, keys: Ints | None = None) -> Ints:
        """Count for each key the reports whose slot holds it, see `Modular.count`.

        By default these are all keys in a row, which takes a quarter of the time of each key, and
        any prime.
        """
        if keys is not None:
            return super().count(seeds, slots, check_codes(keys, self.keys, "keys"))
        return count_quadratic(self._checked(seeds), slots, self.slots, self.prime, self.keys)

    def _points(self, keys: ArrayLike) -> tuple[NDArray[np.uint64], ...]:
        v = np.asarray(keys).astype(np.uint64)
        return self._mod(v * v), v


@dataclass(frozen=True, kw_only=True)
class Paraboloid(Modular):
    """Hashing of any 62-bit keys into slots, exactly independent for every three keys.

    For keys of an open domain: ids below p², candidates in any order.  For keys that can be
    numbered 0, …, k − 1 take `Quadratic`, which decodes a key in a quarter of the time; for more
    than three keys at once `Multilinear`, which is close to independent for them, and exactly so
    for none.  Strings become ids by ``digest(names) % prime**2``; two of m strings share an id with
    a probability of about m²/2**63.

    An id x + p y is the point (x, y, x² + y²) of a paraboloid over Z_p.  A seed is four numbers
    (a, b, c, d) below p, and the hash value is (a x + b y + c (x² + y²) + d) mod p.  As p is
    3 mod 4, x² + y² is 0 mod p only where x and y are, so that a line meets the paraboloid at two
    points at most; of three ids, therefore, the vectors (1, x, y, x² + y²) are linearly
    independent.

    Parameters
    ----------
    slots : int
        See `Modular`.
    prime : int
        A prime number 2**bits − 1, 7 or more; all of these are 3 mod 4.
    """

    words = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prime & (self.prime + 1):
            raise ValueError(f"prime must be a power of two less one, got {self.prime}")

    def _points(self, keys: ArrayLike) -> tuple[NDArray[np.uint64], ...]:
        ids = check_codes(keys, self.prime**2, "keys", np.ndim(keys)).astype(np.uint64)
        y = ids // np.uint64(self.prime)
        x = ids - y * np.uint64(self.prime)
        return x, y, self._mod(x * x + y * y)


# ------------------------------------------------------------ sets of items, open domains


@dataclass(frozen=True, kw_only=True)
class Multilinear(Family):
    """Hashing of any 64-bit keys into slots, close to independent for several keys at once.

    It takes 32-bit words.  A public bijection mixes the key into two words x and y (`mixed`).  A
    seed is three words (a, b, c), the hash value is ``h = (a x + b y + c) mod 2**32``, and the slot
    is ``h slots // 2**32``.  Hash values of one key are uniform, and so are those of two keys,
    jointly, unless both words differ by even numbers.  Those of several keys depend on each other
    only as far as their (1, x, y) satisfy linear relations mod 2**32 with small integer
    coefficients.  Keys in arithmetic progression, hashed as they are, satisfy some
    (x − 2x' + x'' = 0); mixed ones satisfy a given relation with a chance of about 2**-64.

    Slots differ in size by one hash value at most.

    Parameters
    ----------
    slots : int in [2, 2**20]
    """

    slots: int
    words = 3
    values = 2**32

    def __call__(self, seeds: Words, keys: Ints) -> Ints:
        """Slots of keys; ``seeds.shape[:-1]`` and ``keys.shape`` are broadcast."""
        a, b, c = np.moveaxis(seeds, -1, 0)
        x, y = mixed(keys)
        h = (a * x + b * y + c).astype(np.uint64)
        return np.asarray((h * np.uint64(self.slots)) >> np.uint64(32), np.int64)

    def count(self, seeds: Words, first: Ints, inner: int, outer: int, keys: Ints) -> Ints:
        """Count the reports whose slots first, …, first + width − 1 hold a key, for two widths.

        After the last slot comes slot 0.

        Parameters
        ----------
        seeds : ndarray of uint32 (n, 3)
        first : ndarray of int64 (n,)
            In [0, slots).
        inner, outer : int
            Widths, inner <= outer < slots.
        keys : ndarray of int64 (k,)

        Returns
        -------
        ndarray of int64 (k, 2)
        """
        lower = self._edge(first)
        narrow = (self._edge(first + inner) - lower).astype(U32)
        wide = (self._edge(first + outer) - lower).astype(U32)
        a, b, c = (np.ascontiguousarray(word) for word in np.moveaxis(seeds, -1, 0))
        return count_nested((a, b, c - lower.astype(U32)), (narrow, wide), mixed(keys))

    def _edge(self, slot: Ints) -> Ints:
        """Return the least hash value of a slot, ⌈2**32 s / slots⌉, also beyond one turn."""
        return np.asarray(-(-(slot << 32) // self.slots))


@dataclass(frozen=True, kw_only=True)
class SlotTable(Family):
    """The ideal family: a seed lists the slots of all keys, and all lists are alike.

    For few keys: to enumerate every seed, and to tell what the hash in use should do.

    Parameters
    ----------
    keys : int
        Keys are 0, …, keys − 1.
    slots : int
    """

    keys: int
    slots: int

    @property
    def words(self) -> int:
        """Number of words of a seed: one for each key."""
        return self.keys

    @property
    def values(self) -> int:
        """Number of values of a word of a seed: the slots."""
        return self.slots

    def __call__(self, seeds: Words, keys: Ints) -> Ints:
        """Slots of keys; ``seeds.shape[:-1]`` and ``keys.shape`` are broadcast."""
        tables = seeds.reshape(-1, self.keys)
        rows = np.arange(len(tables)).reshape(seeds.shape[:-1])
        return tables[rows, keys].astype(np.int64)

    def count(self, seeds: Words, first: Ints, inner: int, outer: int, keys: Ints) -> Ints:
        """Count the reports whose slots first, …, first + width − 1 hold a key: (k, 2).

        See `Multilinear.count`.
        """
        steps = (self(seeds[:, None], keys) - first[:, None]) % self.slots
        return np.stack([(steps < inner).sum(0), (steps < outer).sum(0)], -1)
