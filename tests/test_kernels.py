import subprocess
import sys

import numpy as np
import pytest

from ldpnb.kernels import ITEMS, USERS, MultiplyShift, count_supporters

EDGES = np.array([0, 1, 2, 2**16, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1], np.uint32)


def twin(a, c, width, items):
    """The definition, in Python's integers."""
    rows = zip(a.tolist(), c.tolist(), width.tolist(), strict=True)
    found = [[(x * y + z) % 2**32 < w for y in items.tolist()] for x, z, w in rows]
    return np.array(found, int).reshape(len(a), len(items)).sum(0)


def words(n, rng):
    return rng.integers(0, 2**32, n, dtype=np.uint32)


@pytest.mark.parametrize("n, k", [(0, 3), (3, 0), (1, 1), (40, 1), (1, 40), (30, 100)])
def test_kernel_is_its_twin(n, k):
    rng = np.random.default_rng(n + k)
    a, c, width, items = (words(size, rng) for size in (n, n, n, k))
    counts = count_supporters(a, c, width, items)
    assert counts.dtype == np.int64 and np.array_equal(counts, twin(a, c, width, items))


def test_kernel_is_its_twin_at_the_edges_of_words():
    a, c, width = (x.ravel() for x in np.meshgrid(EDGES, EDGES, EDGES))
    items = np.concatenate([EDGES[::-1], EDGES])  # neither ascending nor distinct
    assert np.array_equal(count_supporters(a, c, width, items), twin(a, c, width, items))


def test_kernel_takes_strides_and_read_only_arrays():
    rng = np.random.default_rng(1)
    a, c, width, items = (words(60, rng)[::3] for _ in range(4))
    items.flags.writeable = False
    assert np.array_equal(count_supporters(a, c, width, items), twin(a, c, width, items))


@pytest.mark.parametrize("n, k", [(2 * USERS + 3, 5), (3, 2 * ITEMS + 5), (USERS + 1, ITEMS + 1)])
def test_kernel_counts_every_block(n, k):
    """With a = 0 the items are alike, and with width 2³² − 1 all support but those with c = 2³² − 1."""
    rng = np.random.default_rng(n)
    c = words(n, rng)
    c[:2] = 2**32 - 1
    every = np.full(n, 2**32 - 1, np.uint32)
    assert count_supporters(0 * c, c, every, words(k, rng)).tolist() == [int((c != every).sum())] * k
    # user i alone supports item i, so that each item's count comes from its own place
    i = np.arange(n, dtype=np.uint32)
    one = np.ones(n, np.uint32)
    items = rng.permutation(np.arange(k, dtype=np.uint32) * np.uint32(7))
    assert np.array_equal(count_supporters(one, 0 * i - i, one, items), (items < n).astype(int))


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


@pytest.mark.parametrize("name", ["a", "c", "width", "items"])
def test_other_arrays_are_refused(name):
    good = {x: np.zeros(3, np.uint32) for x in ("a", "c", "width", "items")}
    for bad in (np.zeros(3, np.int64), np.zeros((3, 1), np.uint32), np.uint32(1)):
        with pytest.raises(ValueError, match=f"{name} must be a flat array of uint32, got"):
            count_supporters(**(good | {name: bad}))
    if name != "items":
        with pytest.raises(ValueError, match="a, c and width must have one length, got"):
            count_supporters(**(good | {name: np.zeros(4, np.uint32)}))


def test_oracles_are_imported_without_the_compiler():
    """It takes longer than all the rest."""
    code = "import sys, ldpnb.frequency; print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
