from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from ldpnb.hashing import GOLDEN, Multilinear, MultiplyShift, digest, mixed, splitmix
from ldpnb.kernels import count_supporters

# --------------------------------------------------------------------------------------------- strings, and mixed words


@pytest.mark.parametrize("names", ["ab", [1], [b"a"], [None]])
def test_bad_names_are_refused(names):
    with pytest.raises(ValueError, match="names must be a list of strings, got"):
        digest(names)


def output(x):
    """One output of splitmix64, in Python's integers."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def test_mixing_function_is_that_of_splitmix64():
    step = int(GOLDEN)
    x = [0, 1, step, 2 * step % 2**64, 2**64 - 1]
    assert splitmix(np.array(x, np.uint64)).tolist() == list(map(output, x))
    assert output(step) == 0xE220A8397B1DCDAF  # the first output for seed 0, as published


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


# ------------------------------------------------------------------------------------------------------------ two items


def test_hash_family_takes_numpy_integers_and_nothing_but_integers():
    plain = MultiplyShift(keys=2, slots=3, word=32)
    numpy = MultiplyShift(keys=np.int64(2), slots=np.int32(3), word=np.uint8(32))
    assert plain == numpy and plain.collision == numpy.collision and plain.sizes.tolist() == numpy.sizes.tolist()
    assert plain.collision == Fraction((2**32 // 3) ** 2 * 2 + (2**32 // 3 + 1) ** 2, 2**64)
    for name in ("keys", "slots", "word"):
        for value in (3.0, "3", None):
            with pytest.raises(ValueError, match=f"{name} must be an integer, got {value!r}"):
                MultiplyShift(**({"keys": 3, "slots": 3, "word": 8} | {name: value}))


@pytest.mark.parametrize("keys, word, most", [(4, 3, 4), (5, 3, 2), (2, 2, 4), (1, 2, 4), (2**16, 24, 2**9)])
def test_hash_family_knows_its_number_of_slots(keys, word, most):
    assert MultiplyShift(keys=keys, slots=most, word=word).sizes.tolist() == [1] * most
    for slots in (1, most + 1):
        with pytest.raises(ValueError, match=rf"slots must be in \[2, {most}\]"):
            MultiplyShift(keys=keys, slots=slots, word=word)


@pytest.mark.parametrize("keys, slots, word", [(4, 2, 3), (4, 3, 4), (3, 4, 4), (8, 5, 6), (5, 8, 5)])
def test_hash_pairs_are_uniform_and_collide_as_stated(keys, slots, word):
    family = MultiplyShift(keys=keys, slots=slots, word=word)
    words = np.arange(1 << word, dtype=np.uint32)
    seeds = np.stack(np.meshgrid(words, words), -1).reshape(-1, 2)
    slot = family(seeds[:, None], np.arange(keys))
    share = family.sizes / family.sizes.sum()
    for x in range(keys):
        for y in range(x):
            pair = np.bincount(slot[:, x] * slots + slot[:, y], minlength=slots**2) / len(seeds)
            np.testing.assert_allclose(pair.reshape(slots, slots), np.outer(share, share), atol=1e-15)
            assert float(family.collision) == pytest.approx((slot[:, x] == slot[:, y]).mean())


@pytest.mark.parametrize(
    "keys, slots, word",
    [
        (2, 2, 2),
        (2, 4, 2),
        (3, 3, 3),
        (8, 5, 6),
        (100, 7, 16),
        (2, 2**16, 16),
        (5000, 3, 20),
        (5000, 4, 32),
        (4097, 2**20, 32),
        (2**20, 2**13 - 1, 32),
        (2**32, 2, 32),
        (2, 2**31 + 1, 32),
        (2, 2**32, 32),
    ],
)
def test_intervals_are_the_slots_of_the_hash(keys, slots, word):
    """Users sit in the first, the last or any slot; items are any keys, in any order, the last key among them."""
    family, rng = MultiplyShift(keys=keys, slots=slots, word=word), np.random.default_rng(keys)
    n, items = 300, np.append(rng.integers(0, keys, min(keys, 5000)), keys - 1)
    seeds, wanted = family.seeds(n, rng), rng.integers(0, slots, n)
    wanted[:100], wanted[100:200] = 0, slots - 1
    own = rng.random(n) < 0.5  # with many slots, hits are too rare to be left to chance
    wanted[own] = family(seeds, rng.choice(items, n))[own]
    plain = (family(seeds[:, None], items) == wanted[:, None]).sum(0)
    assert plain.any()
    assert np.array_equal(count_supporters(*family.intervals(seeds, wanted), items.astype(np.uint32)), plain)


@pytest.mark.parametrize("keys, slots, word", [(3, 3, 3), (4, 5, 4), (2, 8, 3), (5, 3, 8), (2, 13, 6)])
def test_slots_share_out_all_words(keys, slots, word):
    """Exhaustive: each word b of a family falls, at key 0, into exactly the slot that the hash says."""
    family = MultiplyShift(keys=keys, slots=slots, word=word)
    b = np.arange(2**word, dtype=np.uint32)
    seeds = np.stack([0 * b, b], 1)
    for slot in range(slots):
        _, c, width = family.intervals(seeds, np.full(len(b), slot))
        assert np.array_equal(c < width, family(seeds, 0) == slot)


# ------------------------------------------------------------------------------------------ sets of items, open domains


@pytest.mark.parametrize("slots", [2, 3, 39, 2**16, 2**20])
def test_slots_are_the_top_of_the_word(slots):
    family, rng = Multilinear(slots=slots), np.random.default_rng(slots)
    seeds, keys = family.seeds(20, rng), np.array([0, 1, 2**62 + 5])
    x, y = (word.tolist() for word in mixed(keys))
    expected = [[(a * x[i] + b * y[i] + c) % 2**32 * slots // 2**32 for i in range(3)] for a, b, c in seeds.tolist()]
    assert family(seeds[:, None], keys).tolist() == expected


@pytest.mark.parametrize("slots", [2, 3, 5, 39, 458, 2**16, 2**20 - 1, 2**20])
@pytest.mark.parametrize("inner, outer", [(1, 1), (1, 2), (0, 1)])
def test_counts_are_those_of_the_hash(slots, inner, outer):
    if outer >= slots:
        pytest.skip("the whole circle")
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
