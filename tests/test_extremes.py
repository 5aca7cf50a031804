"""No mechanism shows more than its ε, whatever its fields are: at both ends of each, and at sizes between them.

A field that refuses a value does so with a ValueError; what is left has coins on the grid of 2**-53 that are neither
sure nor impossible.
"""

from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from itertools import product

import pytest
from mechanisms import CATALOGUE

from ldpnb.checks import EPSILON_MAX, EPSILON_MIN, SIZE_MAX
from ldpnb.choose import catalogue

EPSILONS = (EPSILON_MIN, 1e-4, 1.0, EPSILON_MAX)
SIZES = (1, 2, 50, 20_000, 2**30 + 7, SIZE_MAX)
FEW = (0, 1, 2, 20, 50)
FIELDS = {  # values of a field, by its name
    "epsilon": EPSILONS,
    "key_epsilon": EPSILONS,
    "value_epsilon": EPSILONS,
    "levels": [(epsilon,) for epsilon in EPSILONS] + [(EPSILON_MIN, EPSILON_MAX)],
    "k": SIZES,
    "d": SIZES,
    "ell": SIZES,
    "m": SIZES,
    "size": (*FEW, SIZE_MAX // 2),
    "g": (*FEW, SIZE_MAX - 1),
    "q": (0, 2, 1021),
    "blocks": (0, 2, 2**20),
    "cohorts": (1, SIZE_MAX),
    "steps": (1, 100),
    "width": (0, 1, 100),
    "reach": (0, 100),
    "slots": (0, 2, 50, 1000),
    "bits": (1, 64, SIZE_MAX),
    "hashes": (1, 64),
    "f": (2**-53, 0.1, 1 - 2**-52),
    "p": (0.0, 0.25),
    "sizes": ((2,), (2, 3), (2,) * 20, (50,)),
    "length": (2, 1000),
    "alphabet": ("_ab",),
    "gram": (1, 2),
}
OWN = {  # of a class, where those are too many, too large to be held, or of another kind
    "PrivSet": {"d": (1, 5, 40, 50, 20_000, 2**30 + 7, SIZE_MAX - 1), "ell": (1, 2, 20, 50), "size": (1, 2, 20, 28, 50)},
    "MeanEst": {"d": (1, 2, 100)},
    "HarmonyMean": {"d": (1, 2, 50), "count": (1, 2, 50)},
    "SampledHadamardBit": {"d": (1, 2, 50, 20_000)},
    "RAPPOR": {"q": (0.25 + 2**-52, 1.0)},
    "BloomFlip": {"bits": (4, 64), "hashes": (1, 2)},
    "Unknown": {"bits": (64,), "hashes": (1, 2), "cohorts": (1,), "slots": (2, 50)},
    "Wheel": {"width": (1, 16)},
    "Blocks": {"sizes": ((2, 2), (2, 3, 4), (1000, 1000)), "size": (2, 3)},
}
AS_THEY_ARE = ("packed", "matrix", "prime", "table", "seed")  # no coin depends on them
PROBABILITIES = ("support", "chances", "keep", "keep_sign", "coins", "hits", "flip", "truth", "speak", "p1", "p2")


def instances(name):
    """Every combination of these values that a class takes; what has other fields is built at both ends."""
    kind = catalogue()[name]
    own = FIELDS | OWN.get(name, {})
    names = [field.name for field in fields(kind) if field.init and field.name not in AS_THEY_ARE]
    if not {*names} <= {*own}:
        entry = CATALOGUE[name]
        for size, epsilon in product({entry.scope[0], min(entry.scope[2], 100)}, entry.epsilons):
            yield entry.build(size, epsilon)
        return
    for values in product(*(own[field] for field in names)):
        try:
            found = kind(**dict(zip(names, values, strict=True)))
            _ = found.realised_epsilon
        except ValueError:
            continue
        yield found


def flat(found):
    """Probabilities in numbers and in tuples of numbers."""
    if isinstance(found, Iterable):
        for part in found:
            yield from flat(part)
    elif isinstance(found, (float, Fraction)):
        yield found


@pytest.mark.parametrize("name", catalogue())
def test_no_mechanism_shows_more_than_its_epsilon(name):
    tried = 0
    for mechanism in instances(name):
        tried += 1
        assert mechanism.realised_epsilon <= mechanism.epsilon, mechanism
        for what in PROBABILITIES:
            for p in flat(getattr(mechanism, what, ())):
                assert 0 < p < 1, (mechanism, what, p)
    assert tried > 1


def test_the_check_bites(monkeypatch):
    """k-RR of coins that are rounded up shows more."""
    monkeypatch.setattr("ldpnb.oracles.grr.round_down", lambda p: float(-(-p * 2**53 // 1)) / 2**53)
    with pytest.raises(AssertionError, match="GRR"):
        test_no_mechanism_shows_more_than_its_epsilon("GRR")
