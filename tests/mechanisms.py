"""Every mechanism of the package as benchmarks and fuzzing build it, of any size and for as many people as they like.

A mechanism whose fields have the usual names and whose values are of a usual kind is built without a word here; for
another one `MADE`, `SCOPES` and `people` say how.
"""

from dataclasses import dataclass, fields, replace
from math import exp

import numpy as np

from ldpnb import keyvalue, oracles
from ldpnb.attributes.bitflip import flip_for
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.core import OpenMechanism
from ldpnb.records import Records
from ldpnb.choose import catalogue

FAVOURITE = 1  # an item, a key, the sign of a number: half of the people have it
HELD = 8  # keys or items of a person, at most
LISTED = 256  # keys of a crowd whose clients know no list

MADE = {
    "MatrixMechanism": lambda kind, size, epsilon: kind(
        channel=np.where(np.eye(size), exp(epsilon), 1) / (exp(epsilon) + size - 1)
    ),
    "PCE": lambda kind, size, epsilon: kind(k=size, levels=(epsilon,)),
    "SHist": lambda kind, size, epsilon: kind(k=size, epsilon=epsilon, m=4096),
    "RAPPOR": lambda kind, size, epsilon: kind(
        bits=size, hashes=2, cohorts=4, f=2 / (1 + exp(epsilon / 4)), p=0.25, q=0.75
    ),
    "ORR": lambda kind, size, epsilon: kind(k=size, cohorts=32, epsilon=epsilon),
    "Unknown": lambda kind, size, epsilon: kind(
        alphabet="_abcdefgh", length=size, gram=1, epsilon=epsilon, bits=64, hashes=2, cohorts=4
    ),
    "IOH": lambda kind, size, epsilon: kind.of(tuple(f"key {i}" for i in range(size)), oracles.GRR, epsilon),
    "PairSampling": lambda kind, size, epsilon: kind.of(tuple(f"key {i}" for i in range(size)), oracles.GRR, epsilon),
    "DrawnAttributes": lambda kind, size, epsilon: kind.of((4,) * size, oracles.GRR, epsilon),
    "Hierarchy": lambda kind, size, epsilon: kind.of(size, epsilon),
    "PrivKV": lambda kind, size, epsilon: kind.nominal_split(size, epsilon),
    "BitFlip": lambda kind, size, epsilon: kind(sizes=(4,) * size, f=flip_for(epsilon, 2 * size)),
    "BloomFlip": lambda kind, size, epsilon: kind(sizes=(4,) * size, f=flip_for(epsilon, 4 * size), bits=16, hashes=2),
    "Blocks": lambda kind, size, epsilon: kind(sizes=(2,) * size, size=2, epsilon=epsilon),
}
SCOPES = {  # the least size, the usual one and the largest; and of ε the least and the largest
    **dict.fromkeys(("MatrixMechanism", "PairSampling", "BitFlip", "BloomFlip", "Blocks"), (2, 16, 100)),
    **dict.fromkeys(("HarmonyFrequency", "DrawnAttributes", "MeanEst", "HarmonyMean", "SampledHybrid"), (1, 16, 1000)),
    **dict.fromkeys(("Piecewise", "TwoPoint", "Hybrid", "Laplace"), (1, 1, 1)),
    **dict.fromkeys(("PCKVGRR", "PCKVUE", "PrivKV", "StateEncoding", "StateEncodingSplit"), (1, 256, 10**6)),
    **dict.fromkeys(("Wheel", "WheelKV"), (1, LISTED, 1)),  # the client has no domain
    "SampledGRR": (1, 256, 10**6),
    "SampledHadamardBit": (2 * HELD, 256, 10**6),
    "SubsetSelection": (2, 256, 10**5),
    "SHist": (2, 256, 1000),
    "Hierarchy": (2, 256, 1000),
    "RAPPOR": (16, 128, 10**4),
    "ORR": (2, 128, 4000),
    "Unknown": (2, 6, 8),
    "IOH": (1, 4, 8),
}
EPSILONS = {
    **dict.fromkeys(("BlockDesign", "Hierarchy"), (EPSILON_MIN, 4.0)),  # beyond, a geometry has 10⁶ blocks
    "RAPPOR": (1e-6, 16.0),
    "PrivKV": (2 * EPSILON_MIN, EPSILON_MAX),
}


@dataclass(frozen=True)
class Entry:
    """How a mechanism is built and used.

    Attributes
    ----------
    kind : type
    packed : bool
    """

    kind: type
    packed: bool = False

    def build(self, size, epsilon):
        """For a domain of about this size: items, keys, attributes or letters."""
        usual = {"epsilon": epsilon, "k": size, "d": size, "sizes": (4,) * size, "ell": HELD, "m": HELD}
        if self.kind.__name__ in MADE:
            made = MADE[self.kind.__name__](self.kind, size, epsilon)
        else:
            made = self.kind(**{field.name: usual[field.name] for field in fields(self.kind) if field.name in usual})
        return replace(made, packed=True) if self.packed else made

    @staticmethod
    def people(mechanism, n, rng):
        """Values of n people, half of them with a favourite; without `rng` all people are the same."""
        return people(mechanism, n, rng)

    @property
    def items(self):
        return candidates if issubclass(self.kind, OpenMechanism) else None

    @property
    def scope(self):
        return SCOPES.get(self.kind.__name__, (2, 256, 10**6))

    @property
    def sizes(self):
        return self.scope[0], self.scope[2]

    @property
    def bench(self):
        return self.scope[1]

    @property
    def epsilons(self):
        return EPSILONS.get(self.kind.__name__, (EPSILON_MIN, EPSILON_MAX))


def candidates(mechanism):
    """What is counted of the values of `people`, where the client knows no list."""
    return list(range(LISTED)) if hasattr(mechanism, "table") else [f"item {i}" for i in range(20)]


def people(mechanism, n, rng):
    """Values of n people, by the kind of those in a mechanism's examples."""
    inputs = mechanism.example()[0].inputs
    if isinstance(inputs, Records):
        held = mechanism.d if isinstance(mechanism, keyvalue.Encoded) else HELD
        user, key = runs(getattr(mechanism, "d", LISTED), held, n, rng)
        if inputs.values is None:
            return Records.from_arrays(user, key, n=n)
        return Records.from_arrays(user, key, numbers((len(user),), rng), n=n)
    if inputs.dtype.names:  # of people who choose their own ε
        level = np.zeros(n, np.int64) if rng is None else rng.integers(0, len(mechanism.levels), n)
        return oracles.people(codes(mechanism.k, n, rng), level)
    if isinstance(mechanism, OpenMechanism):
        return np.array([f"item {i}" for i in (np.full(n, FAVOURITE) if rng is None else rng.integers(0, 10**5, n))])
    if inputs.dtype.kind == "U":
        return words(mechanism, n, rng)
    if inputs.dtype.kind == "f":
        return numbers((n, mechanism.d) if inputs.ndim > 1 else (n,), rng)
    if inputs.ndim > 1:
        return np.column_stack([codes(size, n, rng) for size in mechanism.sizes])
    return codes(mechanism.k, n, rng)


def codes(k, n, rng):
    """One of k items per person."""
    return np.full(n, FAVOURITE) if rng is None else np.where(np.arange(n) % 2, FAVOURITE, rng.integers(0, k, n))


def numbers(shape, rng):
    """Numbers in [−1, 1]."""
    return np.full(shape, 0.5) if rng is None else rng.uniform(-1, 1, shape)


def runs(d, most, n, rng):
    """Who holds which key: up to `most` of d in a row."""
    size = np.minimum(d, np.full(n, most) if rng is None else rng.integers(0, most + 1, n))
    first = np.full(n, FAVOURITE % d) if rng is None else rng.integers(0, d, n)
    user = np.repeat(np.arange(n), size)
    place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return user, (np.repeat(first, size) + place) % d


def words(mechanism, n, rng):
    """Strings, half of them as long as they may be."""
    letters, length = np.array(list(mechanism.alphabet[1:])), mechanism.length
    if rng is None:
        return np.full(n, letters[0])
    size = np.where(np.arange(n) % 2, length, rng.integers(0, length + 1, n))
    drawn = letters[rng.integers(0, len(letters), (n, length))]
    drawn[np.arange(length) >= size[:, None]] = ""
    return np.ascontiguousarray(drawn).view(f"<U{length}").reshape(n)


PACKED = {f"{name}, packed": Entry(kind, True) for name, kind in catalogue().items() if hasattr(kind, "packed")}
CATALOGUE = {name: Entry(kind) for name, kind in catalogue().items()} | PACKED
