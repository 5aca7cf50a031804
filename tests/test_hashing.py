from fractions import Fraction
from itertools import combinations, product

import numpy as np
import plain
import pytest

from ldpnb.hashing import GOLDEN, PRIME, Multilinear, Paraboloid, Quadratic, digest, mixed, splitmix
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.olh import OLH

# --------------------------------------------------------------------------------------------- strings, and mixed words


@pytest.mark.parametrize("names", ["ab", [1], [b"a"], [None]])
def test_bad_names_are_refused(names):
    with pytest.raises(ValueError, match="names must be a list of strings, got"):
        digest(names)


def test_mixing_function_is_that_of_splitmix64():
    step = int(GOLDEN)
    x = [0, 1, step, 2 * step % 2**64, 2**64 - 1]
    assert splitmix(np.array(x, np.uint64)).tolist() == list(map(plain.splitmix, x))
    assert plain.splitmix(step) == 0xE220A8397B1DCDAF  # the first output for seed 0, as published


def finalizer(keys):
    """SplitMix64 without its step and with one round: what `mixed` was not left at."""
    x = keys.astype(np.uint64)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(32)).astype(np.uint32), x.astype(np.uint32)


def relations(mix, stride, windows=100):
    """How many relations with coefficients up to 6 hold among a word of five keys in arithmetic progression."""
    k = np.array([row for row in product(range(-6, 7), repeat=4) if any(row) and abs(sum(row)) <= 6])
    k = np.concatenate([k, -k.sum(1, keepdims=True)], 1)
    keys = (np.arange(windows)[:, None] + np.arange(5)) * stride
    return sum(int(((word.astype(np.int64) @ k.T) % 2**32 == 0).sum()) for word in mix(keys))


@pytest.mark.parametrize("stride", [1, 10**9, 2**32])
def test_either_word_of_close_keys_is_free_of_relations(stride):
    """Of random words, 0.001 are expected in all; relations must hold in both words to be seen in a hash."""
    assert relations(mixed, stride) == 0


def test_relations_are_found_where_there_are_some():
    assert relations(finalizer, 1) > 0
    assert relations(lambda keys: (keys, keys), 1) > 1000


def test_mixed_keys_are_those_of_splitmix64():
    """Python's integers, and no two keys alike."""
    keys = [0, 1, 2**32, 2**62 + 5, 2**63 - 2]
    for key, x, y in zip(keys, *mixed(np.array(keys)), strict=True):
        for _ in range(2):
            key = (key + 0x9E3779B97F4A7C15) % 2**64
            key = (key ^ key >> 30) * 0xBF58476D1CE4E5B9 % 2**64
            key = (key ^ key >> 27) * 0x94D049BB133111EB % 2**64
            key ^= key >> 31
        assert (int(x), int(y)) == divmod(key, 2**32)


# ---------------------------------------------------------------------------------------------------------- three items


def all_seeds(family):
    return np.array(list(product(range(family.prime), repeat=family.words)), np.uint32)


def are_independent(slots, family):
    """Whether, over these seeds, three keys fall into every three slots as often as independent ones do, exactly."""
    g, p = family.slots, family.prime
    sizes = np.diff([-(-s * p // g) for s in range(g + 1)])  # hash values of each slot
    found = np.bincount(slots @ [g * g, g, 1], minlength=g**3).reshape(g, g, g) * p**3
    return np.array_equal(found, len(slots) * np.einsum("i,j,k", *3 * [sizes]))


@pytest.mark.parametrize("prime, slots", [(5, 2), (5, 4), (7, 3), (11, 2), (11, 11)])
def test_any_three_keys_are_independent(prime, slots):
    family = Quadratic(keys=prime, slots=slots, prime=prime)
    seeds = all_seeds(family)
    found = family(seeds[:, None], np.arange(prime))
    for three in combinations(range(prime), 3):
        assert are_independent(found[:, three], family)
    for x in range(1, prime):
        assert family.collision == Fraction(int((found[:, 0] == found[:, x]).sum()), len(seeds))
    together = (found[:, 0] == found[:, 1]) & (found[:, 0] == found[:, 2])
    assert family.triple == Fraction(int(together.sum()), len(seeds))
    straight = found[seeds[:, 0] == 0]  # control: a = 0, by which only two keys are independent
    assert not are_independent(np.repeat(straight[:, :3], prime, 0), family)


def test_any_three_ids_are_independent():
    """Three ids of 49, whose points are collinear or not in some of their coordinates; and all of them by rank."""
    family, rng = Paraboloid(slots=3, prime=7), np.random.default_rng(1)
    seeds = all_seeds(family)
    for three in [[0, 1, 2], [0, 7, 14], [0, 8, 16], [6, 12, 18], *(rng.choice(49, 3, False) for _ in range(30))]:
        found = family(seeds[:, None], np.array(three))
        assert are_independent(found, family)
        together = (found == found[:, :1]).all(1)
        assert family.triple == Fraction(int(together.sum()), len(seeds))
    flat = family(seeds[seeds[:, 2] == 0][:, None], np.array([0, 1, 2]))  # control: c = 0, and points on a line
    assert not are_independent(np.repeat(flat, 7, 0), family)


def dependent(prime):
    """How many triples of points (x, y, x² + y²) mod a prime lie on a line."""
    x, y = (z.ravel() for z in np.meshgrid(*2 * [np.arange(prime)]))
    first, second, third = np.array(list(combinations(range(prime**2), 3))).T
    point = np.stack([x, y, x * x + y * y])
    a, b = point[:, second] - point[:, first], point[:, third] - point[:, first]
    return int(((np.cross(a.T, b.T) % prime) == 0).all(1).sum())


def test_no_three_points_of_the_paraboloid_lie_on_a_line():
    assert [dependent(prime) for prime in (3, 7, 11)] == [0, 0, 0]
    assert dependent(5) == 100  # control: 5 is 1 mod 4


@pytest.mark.parametrize(
    "family",
    [
        *(Quadratic(keys=k, slots=g) for k, g in [(100, 4), (2**31 - 1, 100), (2**31 - 1, 2**31 - 1)]),
        *(Paraboloid(slots=g) for g in (2, 100, 2**20)),
    ],
    ids=str,
)
def test_hash_values_are_those_of_the_definition(family):
    """In Python's integers; and counts are those of the hash, for all keys, for some in any order, at both ends."""
    p, g, rng = family.prime, family.slots, np.random.default_rng(2)
    most = family.keys if isinstance(family, Quadratic) else p * p
    keys = np.concatenate([[most - 1, 0, 1, 2], rng.integers(0, most, 13)])
    edges = np.array(list(product((0, 1, p - 1), repeat=family.words)), np.uint32)
    seeds = np.concatenate([edges, family.seeds(300, rng)])
    for seed, found in zip(seeds.tolist(), family(seeds[:, None], keys).tolist(), strict=True):
        for key, slot in zip(keys.tolist(), found, strict=True):
            x, y = key % p, key // p
            point = (x * x, x, 1) if family.words == 3 else (x, y, x * x + y * y, 1)
            value = sum(w * z for w, z in zip(seed, point, strict=True)) % p
            assert -(-slot * p // g) <= value < -(-(slot + 1) * p // g)
    slots = rng.integers(0, g, len(seeds))
    own = rng.random(len(seeds)) < 0.5  # with many slots, hits are too rare to be left to chance
    slots[own] = family(seeds, rng.choice(keys, len(seeds)))[own]
    plain = (family(seeds[:, None], keys) == slots[:, None]).sum(0)
    assert plain.any() and np.array_equal(family.count(seeds, slots, keys), plain)
    if most == 100:
        plain = (family(seeds[:, None], np.arange(100)) == slots[:, None]).sum(0)
        assert np.array_equal(family.count(seeds, slots), plain)


STRINGS = digest([f"https://example.org/{i}" for i in range(100)])


def survey(family, ids):
    """Ask 100,000 people who hold one of the ids each, at ε = 5.

    Returns their scores summed over all ids, (n,), and of the counts of ids by people who hold others the largest
    deviation, in standard errors.
    """
    n, k, rng = 100_000, len(ids), np.random.default_rng(3)
    slots, mechanism = GRR(k=family.slots, epsilon=5.0), OLH(k=k, epsilon=5.0, g=family.slots)
    p, q = map(float, mechanism.support)
    own, seeds = rng.integers(0, k, n), family.seeds(n, rng)
    sent = slots.perturb(family(seeds, ids[own]), rng=rng)
    supported = np.concatenate(
        [family(seeds[i : i + 5000, None], ids) == sent[i : i + 5000, None] for i in range(0, n, 5000)]
    )
    others = np.arange(k) != own[:, None]
    z = ((supported & others).sum(0) - q * others.sum(0)) / np.sqrt(q * (1 - q) * others.sum(0))
    return (supported - q).sum(1) / (p - q), np.abs(z).max()


def is_as_stated(scores, k, slots):
    """Whether mean and variance of sums over all items are 1 and the stated variance, within 5 standard errors each.

    Right ones fail with a probability below 6e-7 each.
    """
    stated, n = OLH(k=k, epsilon=5.0, g=slots).linear_variance(np.ones(k))[0], len(scores)
    squares = (scores - 1) ** 2
    z = (scores.mean() - 1) / (scores.std() / n**0.5), (squares.mean() - stated) / (squares.std() / n**0.5)
    return abs(z[0]) < 5, abs(z[1]) < 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "family, ids",
    [
        (Quadratic(keys=100, slots=100), np.arange(100)),
        (Quadratic(keys=2**31 - 1, slots=100), np.random.default_rng(4).integers(0, 2**31 - 1, 100)),
        (Paraboloid(slots=100), np.arange(100)),
        (Paraboloid(slots=100), np.random.default_rng(5).integers(0, (2**31 - 1) ** 2, 100)),
        (Paraboloid(slots=100), STRINGS % (2**31 - 1) ** 2),
    ],
    ids=["consecutive", "random", "consecutive ids", "random ids", "strings"],
)
def test_sums_over_items_vary_as_under_an_ideal_hash(family, ids):
    scores, z = survey(family, ids)
    assert z < 6.2  # 100 · P(|Z| > 6.2) < 6e-8
    assert is_as_stated(scores, 100, 100) == (True, True)


class MultiplyShift:
    """The top bits of (a x + b) mod 2**32, cut into slots: independent for every two keys, and not for three."""

    slots = 100

    def seeds(self, n, rng):
        return rng.integers(0, 2**32, (n, 2))

    def __call__(self, seeds, keys):
        return ((seeds[..., 0] * keys + seeds[..., 1]) % 2**32 * self.slots) >> 32


@pytest.mark.slow
def test_pairwise_independence_is_not_enough_for_sums():
    """The family that local hashing had: each item is right, and sums vary more than three times as much."""
    scores, z = survey(MultiplyShift(), np.arange(100))
    assert z < 6.2
    assert is_as_stated(scores, 100, 100) == (True, False)


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: Quadratic(keys=3, slots=3, prime=4), "prime must be an integer, at least 5, got 4"),
        (lambda: Quadratic(keys=3, slots=3, prime=65_535), "prime must be a prime number, got 65535"),
        (lambda: Quadratic(keys=3, slots=3, prime=2**31), "prime must be at most 2147483647, got 2147483648"),
        (lambda: Quadratic(keys=3, slots=6, prime=5), "slots must be at most 5, got 6"),
        (lambda: Quadratic(keys=3, slots=1), "slots must be an integer, at least 2, got 1"),
        (lambda: Quadratic(keys=6, slots=3, prime=5), "keys must be at most 5, got 6"),
        (lambda: Quadratic(keys=0, slots=3), "keys must be an integer, at least 1, got 0"),
        (lambda: Quadratic(keys=3.0, slots=3), "keys must be an integer, at least 1, got 3.0"),
        (lambda: Paraboloid(slots=3, prime=11), "prime must be a power of two less one, got 11"),
        (lambda: Paraboloid(slots=8, prime=7), "slots must be at most 7, got 8"),
        (
            lambda: Paraboloid(slots=3, prime=7).count(np.zeros((1, 4), np.uint32), np.zeros(1, int), np.array([49])),
            r"keys must be integers in \[0, 49\), got 49",
        ),
        (
            lambda: Paraboloid(slots=3).count(np.full((1, 4), PRIME, np.uint32), np.zeros(1, int), np.array([49])),
            rf"seed must be integers in \[0, {PRIME}\), got {PRIME}",
        ),
        (
            lambda: Quadratic(keys=9, slots=3).count(np.full((1, 3), PRIME, np.uint32), np.zeros(1, int)),
            rf"seed must be integers in \[0, {PRIME}\), got {PRIME}",
        ),
        (
            lambda: Quadratic(keys=9, slots=3).count(np.zeros((1, 3), np.uint32), np.zeros(1, int), np.array([-1, 0])),
            r"keys must be integers in \[0, 9\), got -1",
        ),
        (
            lambda: Quadratic(keys=1, slots=3).count(np.zeros((1, 3), np.uint32), np.zeros(1, int), np.array([1])),
            r"keys must be integers in \[0, 1\), got 1",
        ),
    ],
)
def test_wrong_families_seeds_and_keys_are_refused(make, error):
    with pytest.raises(ValueError, match=f"^{error}$"):
        make()


def test_three_wise_families_take_numpy_integers():
    plain, numpy = Quadratic(keys=9, slots=3), Quadratic(keys=np.int8(9), slots=np.uint8(3), prime=np.int64(PRIME))
    assert plain == numpy and plain.triple == numpy.triple and type(numpy.slots) is type(numpy.prime) is int


# ------------------------------------------------------------------------------------------ sets of items, open domains


@pytest.mark.parametrize("slots", [2, 3, 39, 2**16, 2**20])
def test_slots_are_the_top_of_the_word(slots):
    family, rng = Multilinear(slots=slots), np.random.default_rng(slots)
    seeds, keys = family.seeds(20, rng), np.array([0, 1, 2**62 + 5])
    x, y = (word.tolist() for word in mixed(keys))
    expected = [[(a * x[i] + b * y[i] + c) % 2**32 * slots // 2**32 for i in range(3)] for a, b, c in seeds.tolist()]
    assert family(seeds[:, None], keys).tolist() == expected


@pytest.mark.parametrize(
    "slots, inner, outer",
    [
        (slots, inner, outer)
        for inner, outer in ((1, 1), (1, 2), (0, 1))
        for slots in (2, 3, 5, 39, 458, 2**16, 2**20 - 1, 2**20)
        if outer < slots  # and not the whole circle
    ],
)
def test_counts_are_those_of_the_hash(slots, inner, outer):
    family, rng = Multilinear(slots=slots), np.random.default_rng(slots)
    keys = np.concatenate([np.arange(50), rng.integers(0, 2**63 - 1, 50), digest(["a", "", "é"])])
    seeds = family.seeds(400, rng)
    first = rng.integers(0, slots, 400)
    first[:100], first[100:200] = 0, slots - 1
    near = rng.random(400) < 0.5  # with many slots, hits are too rare to be left to chance
    first[near] = (family(seeds, rng.choice(keys, 400)) - rng.integers(0, 2, 400))[near] % slots
    steps = (family(seeds[:, None], keys) - first[:, None]) % slots
    plain = np.stack([(steps < w).sum(0) for w in (inner, outer)], -1)
    assert plain[:, 1].any()
    assert np.array_equal(family.count(seeds, first, inner, outer, keys), plain)
