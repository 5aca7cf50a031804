"""Every mechanism of the package, so that what is promised for each is measured and tested for each.

`CATALOGUE` names how each is built for a domain of some size and an ε, and people for it.  A mechanism that is missing
here makes `test_robust.py` fail.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp
from typing import Any

import numpy as np

from ldpnb.attributes import bitflip, blocks
from ldpnb.checks import EPSILON_MAX
from ldpnb.core import Mechanism, Records
from ldpnb.keyvalue import correlation, pckv, privkv, ternary as keyvalue, wheel
from ldpnb.numbers import means
from ldpnb.oracles import frequency, hadamard, matrix
from ldpnb.sets import items
from ldpnb.strings import rappor, unknown_strings

FAVOURITE = 1  # about half the people have it: an item, a key, the sign of a number
OPEN = 10**5  # names of an open domain, all alike


# ------------------------------------------------------------------------------------------------------ people
# A function of the mechanism, n and a generator.  Everybody is the same where `rng` is None.


def _half(n, rng, others):
    """Codes: the favourite for one half of the people, any for the others."""
    return np.full(n, FAVOURITE) if rng is None else np.where(np.arange(n) % 2, FAVOURITE, others)


def codes(size):
    """One of `size(mechanism)` items a person."""

    def people(mechanism, n, rng):
        k = size(mechanism)
        return _half(n, rng, None if rng is None else rng.integers(0, k, n))

    return people


def records(mechanism, n, rng):
    """One value of each of several attributes."""
    return np.column_stack([codes(lambda m, k=k: k)(mechanism, n, rng) for k in mechanism.sizes])


def _runs(n, d, most, rng):
    """Who holds which key: up to `most` of d keys in a row."""
    size = np.minimum(d, np.full(n, most) if rng is None else rng.integers(0, most + 1, n))
    first = np.full(n, FAVOURITE % d) if rng is None else rng.integers(0, d, n)
    user = np.repeat(np.arange(n), size)
    place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return user, (np.repeat(first, size) + place) % d


def sets(d, most):
    """A set of up to `most(mechanism)` of `d(mechanism)` items a person."""

    def people(mechanism, n, rng):
        return Records.from_arrays(*_runs(n, d(mechanism), most(mechanism), rng), n=n)

    return people


def pairs(d, most):
    """Up to `most(mechanism)` of `d(mechanism)` keys a person, with values."""

    def people(mechanism, n, rng):
        user, key = _runs(n, d(mechanism), most(mechanism), rng)
        value = np.full(len(user), 0.5) if rng is None else rng.uniform(-1, 1, len(user))
        return Records.from_arrays(user, key, value, n=n)

    return people


def number(mechanism, n, rng):
    """One number in [−1, 1]."""
    return np.full(n, 0.5) if rng is None else rng.uniform(-1, 1, n)


def numbers(mechanism, n, rng):
    """Numbers in [−1, 1], d of them."""
    return np.full((n, mechanism.d), 0.5) if rng is None else rng.uniform(-1, 1, (n, mechanism.d))


def leveled(mechanism, n, rng):
    """Items, and levels of ε."""
    level = np.zeros(n, int) if rng is None else rng.integers(0, len(mechanism.levels), n)
    return hadamard.people(codes(lambda m: m.k)(mechanism, n, rng), level)


def strings(mechanism, n, rng):
    """Strings over the alphabet, half of them of full length."""
    letters = np.array(list(mechanism.alphabet[1:]))
    if rng is None:
        return np.full(n, letters[0])
    size = np.where(np.arange(n) % 2, mechanism.length, rng.integers(0, mechanism.length + 1, n))
    drawn = letters[rng.integers(0, len(letters), (n, mechanism.length))]
    drawn[np.arange(mechanism.length) >= size[:, None]] = ""
    return np.ascontiguousarray(drawn).view(f"<U{mechanism.length}").reshape(n)


def names(mechanism, n, rng):
    """Names from an open domain, most of them different."""
    return np.array([f"item {i}" for i in (np.full(n, FAVOURITE) if rng is None else rng.integers(0, OPEN, n))])


# ----------------------------------------------------------------------------------------------- the catalogue


@dataclass(frozen=True)
class Entry:
    """How a mechanism is built and used.

    Attributes
    ----------
    kind : type
    build : callable (size, epsilon) -> Mechanism
        `size` is that of the domain: items, keys, attributes or strings.
    people : callable (mechanism, n, rng) -> values
        With rng None all people are the same.
    sizes : tuple of int
        The least and the largest size a test may ask for; the largest is 10**6 unless memory or a rule forbids it.
    bench : int
        The size it is measured at.
    items : callable mechanism -> list, optional
        Candidates, where the client does not know the domain.
    epsilons : tuple of float
        The least and the largest ε it may be built for.
    """

    kind: type[Mechanism]
    build: Callable[[int, float], Mechanism]
    people: Callable[[Mechanism, int, Any], Any]
    sizes: tuple[int, int] = (2, 10**6)
    bench: int = 256
    items: Callable[[Mechanism], list[Any]] | None = None
    epsilons: tuple[float, float] = (1e-6, EPSILON_MAX)


def _keys(d):
    return tuple(f"key {i}" for i in range(d))


def _channel(k, epsilon):
    """k-RR as a matrix."""
    p = np.full((k, k), 1 / (exp(epsilon) + k - 1))
    np.fill_diagonal(p, exp(epsilon) / (exp(epsilon) + k - 1))
    return p


K = codes(lambda m: m.k)
MOST = 8  # keys or items a person holds
PAIRS, SETS = pairs(lambda m: m.d, lambda m: MOST), sets(lambda m: m.d, lambda m: m.ell)
LISTED = 256  # keys of an open domain

CATALOGUE: dict[str, Entry] = {
    entry.kind.__name__: entry
    for entry in (
        Entry(frequency.GRR, lambda k, e: frequency.GRR(k=k, epsilon=e), K),
        Entry(frequency.SUE, lambda k, e: frequency.SUE(k=k, epsilon=e), K),
        Entry(frequency.OUE, lambda k, e: frequency.OUE(k=k, epsilon=e), K),
        Entry(frequency.OLH, lambda k, e: frequency.OLH(k=k, epsilon=e), K),
        Entry(frequency.SubsetSelection, lambda k, e: frequency.SubsetSelection(k=k, epsilon=e), K),
        Entry(hadamard.HadamardBit, lambda k, e: hadamard.HadamardBit(k=k, epsilon=e), K),
        Entry(hadamard.HadamardResponse, lambda k, e: hadamard.HadamardResponse(k=k, epsilon=e), K),
        Entry(hadamard.SHist, lambda k, e: hadamard.SHist(k=k, epsilon=e, m=4096), K, sizes=(2, 1000)),
        Entry(
            hadamard.HarmonyFrequency,
            lambda d, e: hadamard.HarmonyFrequency(sizes=(4,) * d, epsilon=e),
            records,
            sizes=(1, 1000),
            bench=16,
        ),
        Entry(hadamard.PCE, lambda k, e: hadamard.PCE(k=k, levels=(e,)), leveled),
        Entry(
            matrix.MatrixMechanism,
            lambda k, e: matrix.MatrixMechanism(channel=_channel(k, e)),
            K,
            sizes=(2, 100),
            bench=16,
        ),
        Entry(
            rappor.RAPPOR,
            lambda bits, e: rappor.RAPPOR(bits=bits, hashes=2, cohorts=4, f=2 / (1 + exp(e / 4)), p=0.25, q=0.75),
            names,
            sizes=(16, 10**4),
            bench=128,
            items=lambda m: [f"item {i}" for i in range(20)],
            epsilons=(1e-6, 16.0),
        ),
        Entry(
            rappor.ORR,
            lambda k, e: rappor.ORR(k=k, cohorts=32, epsilon=e),
            names,
            sizes=(2, 4000),
            bench=128,
            items=lambda m: [f"item {i}" for i in range(20)],
        ),
        Entry(
            unknown_strings.Unknown,
            lambda length, e: unknown_strings.Unknown(
                alphabet="_abcdefgh", length=length, gram=1, epsilon=e, bits=64, hashes=2, cohorts=4
            ),
            strings,
            sizes=(2, 8),
            bench=6,
        ),
        Entry(means.TwoPoint, lambda d, e: means.TwoPoint(epsilon=e), number, sizes=(1, 1), bench=1),
        Entry(means.Piecewise, lambda d, e: means.Piecewise(epsilon=e), number, sizes=(1, 1), bench=1),
        Entry(means.Hybrid, lambda d, e: means.Hybrid(epsilon=e), number, sizes=(1, 1), bench=1),
        Entry(means.Laplace, lambda d, e: means.Laplace(epsilon=e), number, sizes=(1, 1), bench=1),
        Entry(means.MeanEst, lambda d, e: means.MeanEst(d=d, epsilon=e), numbers, sizes=(1, 1000), bench=16),
        Entry(means.HarmonyMean, lambda d, e: means.HarmonyMean(d=d, epsilon=e), numbers, sizes=(1, 1000), bench=16),
        Entry(
            means.SampledHybrid, lambda d, e: means.SampledHybrid(d=d, epsilon=e), numbers, sizes=(1, 1000), bench=16
        ),
        Entry(keyvalue.StateEncoding, lambda d, e: keyvalue.StateEncoding(d=d, epsilon=e), PAIRS, sizes=(1, 10**6)),
        Entry(
            keyvalue.StateEncodingSplit,
            lambda d, e: keyvalue.StateEncodingSplit(d=d, epsilon=e),
            PAIRS,
            sizes=(1, 10**6),
        ),
        Entry(
            privkv.PrivKV,
            lambda d, e: privkv.PrivKV(d=d, key_epsilon=e / 2, value_epsilon=e / 2),
            PAIRS,
            sizes=(1, 10**6),
            epsilons=(2e-6, EPSILON_MAX),
        ),
        Entry(pckv.PCKVGRR, lambda d, e: pckv.PCKVGRR(d=d, ell=MOST, epsilon=e), PAIRS, sizes=(1, 10**6)),
        Entry(pckv.PCKVUE, lambda d, e: pckv.PCKVUE(d=d, ell=MOST, epsilon=e), PAIRS, sizes=(1, 10**6)),
        Entry(
            wheel.WheelKV,
            lambda d, e: wheel.WheelKV(m=MOST, epsilon=e),
            pairs(lambda m: LISTED, lambda m: m.m),
            sizes=(1, 1),
            items=lambda m: list(range(LISTED)),
        ),
        Entry(
            wheel.Wheel,
            lambda d, e: wheel.Wheel(m=MOST, epsilon=e),
            sets(lambda m: LISTED, lambda m: m.m),
            sizes=(1, 1),
            items=lambda m: list(range(LISTED)),
        ),
        Entry(
            correlation.IOH,
            lambda d, e: correlation.IOH(keys=_keys(d), oracle=frequency.GRR(k=3**d, epsilon=e)),
            pairs(lambda m: len(m.keys), lambda m: len(m.keys)),
            sizes=(1, 8),
            bench=4,
        ),
        Entry(
            correlation.PairSampling,
            lambda d, e: correlation.PairSampling(keys=_keys(d), oracle=frequency.GRR(k=9, epsilon=e)),
            pairs(lambda m: len(m.keys), lambda m: len(m.keys)),
            sizes=(2, 100),
            bench=16,
        ),
        Entry(
            items.SampledHadamardBit,
            lambda d, e: items.SampledHadamardBit(d=d, ell=MOST, epsilon=e),
            SETS,
            sizes=(2 * MOST, 10**6),
        ),
        Entry(items.SampledSUE, lambda d, e: items.SampledSUE(d=d, ell=MOST, epsilon=e), SETS),
        Entry(items.SampledGRR, lambda d, e: items.SampledGRR(d=d, ell=MOST, epsilon=e), SETS, sizes=(1, 10**6)),
        Entry(items.PrivSet, lambda d, e: items.PrivSet(d=d, ell=MOST, epsilon=e), SETS),
        Entry(
            bitflip.BitFlip,
            lambda d, e: bitflip.BitFlip(sizes=(4,) * d, f=bitflip.flip_for(e, 2 * d)),
            records,
            sizes=(2, 100),
            bench=16,
        ),
        Entry(
            bitflip.BloomFlip,
            lambda d, e: bitflip.BloomFlip(sizes=(4,) * d, f=bitflip.flip_for(e, 4 * d), bits=16, hashes=2),
            records,
            sizes=(2, 100),
            bench=16,
        ),
        Entry(
            blocks.Blocks,
            lambda d, e: blocks.Blocks(sizes=(2,) * d, size=2, epsilon=e),
            records,
            sizes=(2, 100),
            bench=16,
        ),
    )
}


def _packed(entry: Entry) -> Entry:
    """Turn an entry into that of the mechanism with packed reports."""
    return replace(entry, build=lambda size, epsilon: replace(entry.build(size, epsilon), packed=True))


PACKED = {f"{name}, packed": _packed(CATALOGUE[name]) for name in ("SUE", "OUE", "SubsetSelection")}
CATALOGUE |= PACKED
