"""Projective geometries: their sizes, and the difference sets that number their points and blocks.

The geometry PG(t, q) over a field of q elements has v = (qᵗ⁺¹ − 1)/(q − 1) points and as many
hyperplanes, the *blocks*, each of κ = (qᵗ − 1)/(q − 1) points.  Any two points share
(qᵗ⁻¹ − 1)/(q − 1) blocks.  They can be numbered so that the blocks are the translates of one set D
of numbers modulo v: point x is in block y if x − y is in D (Singer 1938).
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import log
from typing import NamedTuple

import numpy as np

from ldpnb.core import Ints
from ldpnb.hashing import primes


class Geometry(NamedTuple):
    """Sizes of PG(t, q)."""

    order: int  # q, of the field
    dimension: int  # t
    points: int  # v, and as many blocks
    block_size: int  # κ


def least_geometry(k: int, q: int) -> Geometry:
    """Return the least geometry of order q that has k points or more, from planes on."""
    t = 2
    block_size = q + 1
    while q * block_size + 1 < k:
        t += 1
        block_size = q * block_size + 1
    return Geometry(q, t, q * block_size + 1, block_size)


def is_prime_power(q: int) -> bool:
    """Whether there is a field of q elements."""
    return len(primes(q)) == 1


@cache
def difference_set(q: int, t: int) -> Ints:
    """Return κ numbers modulo v whose differences are all numbers but 0, equally often; ascending.

    With α a generator of the field of q^(t+1) elements, these are the i below v for which the
    trace of αⁱ to the field of q is 0.

    Source: Singer 1938.

    Parameters
    ----------
    q : int
        A prime power.
    t : int, at least 2
    """
    (p,) = primes(q)
    v = (q ** (t + 1) - 1) // (q - 1)
    degree = (t + 1) * round(log(q, p))
    alpha = _generator(p, degree)
    powers = np.eye(degree, dtype=np.int64)  # of α, in the basis 1, α, α², …
    while len(powers) < v:
        further = _product(powers, _power(alpha, len(powers), p).T, p)
        powers = np.concatenate([powers, further])
    # to take a power q is linear, and the trace is the sum of the powers q⁰, …, qᵗ
    columns = [_power(alpha, q * i, p)[:, 0] for i in range(degree)]
    frobenius = np.stack(columns)
    trace = np.sum([_power(frobenius, j, p) for j in range(t + 1)], 0)
    has_trace = np.any(_product(powers[:v], trace, p), axis=1)
    found = np.flatnonzero(~has_trace)
    found.flags.writeable = False
    return found


def _generator(p: int, degree: int) -> Ints:
    """Return the first α that generates a field of p^degree elements, as a matrix."""
    rules = product(range(p), repeat=degree)
    candidates = (_companion(rule[::-1]) for rule in rules)
    return next(alpha for alpha in candidates if _generates(alpha, p))


def _companion(rule: tuple[int, ...]) -> Ints:
    """Return the matrix of multiplication by α, where α^degree is Σ rule_i αⁱ.

    Its columns are αⁱ⁺¹.
    """
    shifts = np.eye(len(rule), len(rule) - 1, -1, dtype=np.int64)
    return np.column_stack([shifts, rule])


def _generates(alpha: Ints, p: int) -> bool:
    """Whether α has p^degree − 1 different powers."""
    n = p ** len(alpha) - 1
    one = np.eye(len(alpha))
    if not np.array_equal(_power(alpha, n, p), one):
        return False
    return not any(np.array_equal(_power(alpha, n // r, p), one) for r in primes(n))


def _product(a: Ints, b: Ints, p: int) -> Ints:
    """Return a @ b mod p, by floats: much faster, and exact since sums stay far below 2**53."""
    return np.asarray(a.astype(np.float64) @ b.astype(np.float64), np.int64) % p


def _power(x: Ints, n: int, p: int) -> Ints:
    """Return the n-th power of a matrix modulo p."""
    if n == 0:
        return np.eye(len(x), dtype=np.int64)
    half = _power(x, n // 2, p)
    square = half @ half % p
    if n % 2:
        return square @ x % p
    return square
