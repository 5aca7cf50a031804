"""The few inner loops of the package, each beside the plain twin it is tested against."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.checks import check_bits
from ldpnb.core import Bools, Ints

ITEMS = 2048  # counted at a time: they and their counts take 16 KB, which stay in the nearest cache
USERS = 2**16  # counted at a time: few enough for 32-bit counts, and for the second cache
LANES = 2**10  # users who step from item to item together: what is known of them takes 16 KB

FEW = 2**22  # bits for which numba need not be imported
BYTES = 255  # rows counted at a time: a byte counts so far

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint32]

U8 = np.uint8
U32 = np.uint32
U64 = np.uint64

# Loops are compiled for arrays and integers of any kind: what numba infers, `Any` stands for.


@cache
def compiled(loop: Callable[..., None]) -> Callable[..., None]:
    """Compile a loop at its first call, and keep the outcome on disk for other processes.

    That is not possible on a read-only installation whose user has no home, on a full disk, or
    where a crash or another program has spoilt what was kept so that numba cannot load it.  Then
    every process compiles for itself, which takes a second or so for each loop.  The variable
    ``NUMBA_CACHE_DIR`` names another place.

    What numba can load runs: it has no checksum, and code in which bits have flipped may do
    anything, and end the process.  Who may write there may as well write the package.  Where a disk
    is in doubt, delete ``*.nbi`` and ``*.nbc``.

    Parameters
    ----------
    loop : callable
        It raises nothing of its own.

    Returns
    -------
    callable
        With the same arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from ldpnb.kernels import compiled, set_drawn
    >>> rows, missing = np.zeros((1, 1), np.uint8), np.array([1])
    >>> compiled(set_drawn)(rows, np.array([0]), missing, np.array([2]))
    >>> rows, missing
    (array([[8]], dtype=uint8), array([0]))
    """
    # numba takes longer to import than all the rest of the package, and few chapters decode hashes
    from numba import njit

    afresh = njit(nogil=True)(loop)
    try:
        kept = njit(nogil=True, cache=True)(loop)
        waits = _may_wait(kept.stats.cache_path, loop.__name__)
    except Exception:
        # it can be compiled, so that only keeping it fails, or a variable of numba's is wrong
        return afresh
    if waits:
        return afresh

    def run(*arguments: Any) -> None:
        try:
            # at the first call, bytes that another program has written can raise anything
            kept.compile(tuple(kept.typeof_pyval(value) for value in arguments))
            chosen = kept
        except Exception:
            chosen = afresh
        chosen(*arguments)  # outside, so that no error of the loop lets it run twice

    return run


def _may_wait(folder: str | None, name: str) -> bool:
    """Whether something that numba would open is no file, as a pipe, which never answers."""
    return any(not path.is_file() for path in Path(folder or "").glob(f"*{name}*.nb[ic]"))


def count_nested(
    seeds: tuple[Words, Words, Words],
    widths: tuple[Words, Words],
    words: tuple[Words, Words],
) -> Ints:
    """Count, for each pair of words, the users with ``(a x + b y + c) mod 2**32 < width``.

    Compiled, in memory that does not grow; one pass for both widths.

    Parameters
    ----------
    seeds : three ndarrays of uint32 (n,)
        a, b and c.
    widths : two ndarrays of uint32 (n,)
    words : two ndarrays of uint32 (k,)
        x and y.

    Returns
    -------
    ndarray of int64 (k, 2)
    """
    counts = np.zeros((len(words[0]), 2), np.int64)
    compiled(_nested)(*seeds, *widths, *words, counts)
    return counts


def _nested(a: Any, b: Any, c: Any, inner: Any, outer: Any, x: Any, y: Any, counts: Any) -> None:
    # every operand is cast, since numba computes with 64 bits otherwise, and vectors hold half as
    # many of those
    few = np.empty(ITEMS, U32)
    many = np.empty(ITEMS, U32)
    for user in range(0, len(a), USERS):
        for item in range(0, len(x), ITEMS):
            first = x[item : item + ITEMS]
            second = y[item : item + ITEMS]
            few[: len(first)] = U32(0)
            many[: len(first)] = U32(0)
            for i in range(user, min(user + USERS, len(a))):
                ai = a[i]
                bi = b[i]
                ci = c[i]
                narrow = inner[i]
                wide = outer[i]
                for j in range(len(first)):
                    v = U32(U32(U32(ai * first[j]) + U32(bi * second[j])) + ci)
                    few[j] += U32(v < narrow)
                    many[j] += U32(v < wide)
            for j in range(len(first)):
                counts[item + j, 0] += np.int64(few[j])
                counts[item + j, 1] += np.int64(many[j])


# ------------------------------------------------------------------- hash values mod a prime


def count_quadratic(seeds: Words, slots: Ints, many: int, prime: int, k: int) -> Ints:
    """Count, for v = 0, …, k − 1, the users whose slot holds (a v² + b v + c) mod prime; compiled.

    Slot s is the interval [⌈s prime/many⌉, ⌈(s+1) prime/many⌉).  A hash value differs from the one
    before by a difference that itself grows by 2a, so that two additions and a comparison lead from
    item to item.  The same in numpy, at once, with a, b, c columns of Python's integers and v in a
    row: ``((a * v * v + b * v + c) % prime * many // prime == slots[:, None]).sum(0)``.

    Parameters
    ----------
    seeds : ndarray of uint32 (n, 3)
        a, b and c, all below `prime`.
    slots : ndarray of int64 (n,)
        In [0, many).
    many : int in [2, prime]
    prime : int below 2**31
    k : int

    Returns
    -------
    ndarray of int64 (k,)
    """
    counts = np.zeros(-(-k // 4) * 4, np.int64)
    rows = np.ascontiguousarray(seeds)
    compiled(_quadratic)(rows, np.ascontiguousarray(slots), many, prime, counts)
    return counts[:k]


def count_points(seeds: Words, slots: Ints, many: int, bits: int, points: Words) -> Ints:
    """Count, for each point, the users whose slot holds (a x + b y + c z + d) mod 2**bits − 1.

    Compiled; for points (x, y, z) in any order, in memory that does not grow.  Slots as for
    `count_quadratic`.

    Parameters
    ----------
    seeds : ndarray of uint32 (n, 4)
        a, b, c and d, all below 2**bits − 1.
    slots : ndarray of int64 (n,)
        In [0, many).
    many : int in [2, 2**bits − 1]
    bits : int in [3, 31]
    points : ndarray of uint32 (3, k)
        x, y and z, all below 2**bits − 1.

    Returns
    -------
    ndarray of int64 (k,)
    """
    counts = np.zeros(len(points[0]), np.int64)
    compiled(_points)(*map(np.ascontiguousarray, (seeds, slots, *points)), many, bits, counts)
    return counts


def _quadratic(seeds: Any, slots: Any, many: Any, prime: Any, counts: Any) -> None:
    p = U32(prime)
    wide = U64(prime)
    g = U64(many)

    def reduced(t: Any) -> Any:  # t is below 2p, and t − p a huge number where t is below p
        return min(t, U32(t - p))

    low = U64(prime // many)
    more = U64(prime % many)
    for user in range(0, len(slots), LANES):
        n = min(LANES, len(slots) - user)
        value = np.empty(n, U32)  # hash value less the slot's lower edge
        step = np.empty(n, U32)  # its next difference
        twice = np.empty(n, U32)  # the difference of that
        width = np.empty(n, U32)  # the slot's size
        for i in range(n):
            a = seeds[user + i, 0]
            b = seeds[user + i, 1]
            c = seeds[user + i, 2]
            s = U64(slots[user + i])
            lower = (s * wide + g - U64(1)) // g
            width[i] = U32(low + U64(more > lower * g - s * wide))
            value[i] = reduced(U32(c + U32(p - U32(lower))))
            step[i] = reduced(U32(a + b))
            twice[i] = reduced(U32(a + a))
        for v in range(0, len(counts), 4):  # by fours, which leave value and step in registers
            found0 = found1 = found2 = found3 = U32(0)
            for i in range(n):
                h = value[i]
                d = step[i]
                dd = twice[i]
                w = width[i]
                found0 = U32(found0 + U32(h < w))
                h = reduced(U32(h + d))
                d = reduced(U32(d + dd))
                found1 = U32(found1 + U32(h < w))
                h = reduced(U32(h + d))
                d = reduced(U32(d + dd))
                found2 = U32(found2 + U32(h < w))
                h = reduced(U32(h + d))
                d = reduced(U32(d + dd))
                found3 = U32(found3 + U32(h < w))
                value[i] = reduced(U32(h + d))
                step[i] = reduced(U32(d + dd))
            counts[v] += np.int64(found0)
            counts[v + 1] += np.int64(found1)
            counts[v + 2] += np.int64(found2)
            counts[v + 3] += np.int64(found3)


def _points(
    seeds: Any,
    slots: Any,
    x: Any,
    y: Any,
    z: Any,
    many: Any,
    bits: Any,
    counts: Any,
) -> None:
    p = U64((1 << bits) - 1)
    g = U64(many)
    shift = U64(bits)
    found = np.empty(ITEMS, U32)
    for user in range(0, len(slots), USERS):
        for item in range(0, len(x), ITEMS):
            xs = x[item : item + ITEMS]
            ys = y[item : item + ITEMS]
            zs = z[item : item + ITEMS]
            found[: len(xs)] = U32(0)
            for i in range(user, min(user + USERS, len(slots))):
                a = U64(seeds[i, 0])
                b = U64(seeds[i, 1])
                c = U64(seeds[i, 2])
                s = U64(slots[i])
                lower = (s * p + g - U64(1)) // g
                width = U32(p // g + U64(p % g > lower * g - s * p))
                d = U64(seeds[i, 3]) + p - lower
                for j in range(len(xs)):
                    t = a * U64(xs[j]) + b * U64(ys[j]) + c * U64(zs[j]) + d
                    t = (t & p) + (t >> shift)  # 2**bits is 1 mod p
                    h = U32((t & p) + (t >> shift))  # below 2p now
                    found[j] += U32(min(h, U32(h - U32(p))) < width)
            for j in range(len(xs)):
                counts[item + j] += np.int64(found[j])


# ------------------------------------------------------------------------------ rows of bits


def count_ones(bits: Bools | Bytes) -> Ints:
    """Count the ones of each column of zeros and ones, (n, k): (k,).

    It is compiled, where there are many.

    Raises
    ------
    ValueError
        If a byte is neither 0 nor 1: see `checks.check_bits`.
    """
    if bits.size < FEW:
        check_bits(bits.view(np.bool_), "reports")
        return np.asarray(bits.sum(0, dtype=np.int64))
    counts = np.zeros(bits.shape[1], np.int64)
    seen = np.zeros(bits.shape[1], U8)
    compiled(_ones)(bits.view(U8), counts, seen)
    check_bits(seen.view(np.bool_), "reports")
    return counts


def _ones(rows: Any, counts: Any, seen: Any) -> None:
    found = np.empty(len(counts), U8)  # in bytes, since a vector holds many
    for start in range(0, len(rows), BYTES):
        found[:] = U8(0)
        for i in range(start, min(start + BYTES, len(rows))):
            row = rows[i]
            for j in range(len(row)):
                found[j] += row[j]
                seen[j] |= row[j]
        for j in range(len(counts)):
            counts[j] += np.int64(found[j])


def count_packed(rows: Bytes) -> Ints:
    """Count the ones at each place of rows of packed bits, (8 bytes,); compiled.

    The bit order is "little".  The same in numpy, at once:
    ``np.unpackbits(rows, axis=1, bitorder="little").sum(0)``.

    Parameters
    ----------
    rows : ndarray of uint8 (n, bytes)
    """
    counts = np.zeros((rows.shape[1], 8), np.int64)
    compiled(_packed)(np.ascontiguousarray(rows), counts)
    return counts.reshape(-1)


def _packed(rows: Any, counts: Any) -> None:
    # one plane for each place in a byte, so that a vector holds many bytes
    found = np.empty((8, rows.shape[1]), U8)
    for start in range(0, len(rows), BYTES):
        found[:] = U8(0)
        for i in range(start, min(start + BYTES, len(rows))):
            row = rows[i]
            for place in range(8):
                plane = found[place]
                for j in range(len(row)):
                    plane[j] += U8((row[j] >> U8(place)) & U8(1))
        for j in range(len(counts)):
            for place in range(8):
                counts[j, place] += np.int64(found[place, j])


def ones_of_rows(rows: Bytes) -> Ints:
    """Count the ones of each row of packed bits, (n,)."""
    words: NDArray[Any] = rows
    if rows.shape[1] % 8 == 0 and rows.flags.c_contiguous:
        words = rows.view(np.uint64)  # eight bytes at once
    return np.asarray(np.bitwise_count(words).sum(1, dtype=np.int64))


def set_drawn(rows: Any, fixed: Any, missing: Any, drawn: Any) -> None:
    """Set the bits at places that were drawn: to be `compiled`.

    That supplies a missing one wherever there was a zero.

    Parameters
    ----------
    rows : ndarray of uint8 (n, bytes)
        Packed bits (bit order "little"), changed in place.
    fixed : ndarray of int64 (n,)
        A place of each row that is left alone, and passed over when the others are numbered.
    missing : ndarray of int64 (n,)
        How many ones are missing in each row, or, if negative, too many; brought up to date.
    drawn : ndarray of int64 (sum of what is positive in `missing`,)
        Numbers of places, as many for each row as it lacks.
    """
    at = 0
    for i in range(len(rows)):
        lacking = max(missing[i], 0)
        for place in drawn[at : at + lacking]:
            place += place >= fixed[i]
            byte = rows[i, place >> 3]
            bit = U8(1) << U8(place & 7)
            rows[i, place >> 3] = U8(byte | bit)
            missing[i] -= byte & bit == 0  # no branch, since nobody could foresee it
        at += lacking


def flip_ranked(rows: Any, fixed: Any, missing: Any, drawn: Any) -> None:
    """Flip zeros where ones are missing, or ones where they are too many: to be `compiled`.

    They are found by their ranks.

    Parameters
    ----------
    rows, fixed, missing
        As for `set_drawn`.
    drawn : ndarray of int64 (sum of absolute values of `missing`,)
        For each flip, row after row, how many of the zeros (or ones) to pass over, of those that
        are left at that time and `fixed` apart.
    """
    at = 0
    for i in range(len(rows)):
        zeros = U8(0)
        if missing[i] > 0:
            zeros = U8(255)
        own = fixed[i] >> 3
        for rank in drawn[at : at + abs(missing[i])]:
            for j in range(rows.shape[1]):
                found = rows[i, j] ^ zeros  # the candidates are its ones
                if j == own:
                    found &= ~(U8(1) << U8(fixed[i] & 7))
                pairs = U8(found - (found >> U8(1) & U8(0x55)))
                fours = U8((pairs & U8(0x33)) + (pairs >> U8(2) & U8(0x33)))
                count = np.int64(U8(fours + (fours >> U8(4))) & U8(0x0F))
                if rank < count:
                    for _ in range(rank):
                        found &= U8(found - U8(1))
                    rows[i, j] ^= found & U8(~found + U8(1))
                    break
                rank -= count
        at += abs(missing[i])
        missing[i] = 0


def fwht(x: ArrayLike) -> NDArray[Any]:
    """Fast Walsh–Hadamard transform along the last axis, Hx.

    H is Sylvester's: H[j, v] = (−1)^(number of ones in j & v).  It is symmetric and H² = m, so the
    transform is its own inverse but for the factor m.

    Parameters
    ----------
    x : array_like of int or float (…, m)
        m is a power of two; integers are transformed exactly, as long as their sums fit.

    Returns
    -------
    ndarray (…, m)

    Raises
    ------
    ValueError
        If m is not a power of two, or the entries are not signed integers or floats.
    """
    x = np.asarray(x)
    if x.dtype.kind not in "if":
        raise ValueError(f"x must be signed integers or floats, got {x.dtype}")
    m = 0
    if x.ndim:
        m = x.shape[-1]
    if m & (m - 1) or m == 0:
        raise ValueError(f"x must have a power of two as its last axis, got shape {x.shape}")
    # each step treats the lowest index bit and moves it to the top
    for _ in range(m.bit_length() - 1):
        even = x[..., 0::2]
        odd = x[..., 1::2]
        x = np.concatenate([even + odd, even - odd], -1)
    return x
