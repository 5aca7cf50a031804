import os
import re
import subprocess
import sys
from itertools import product

import homeless
import numpy as np
import pytest

from ldpnb.kernels import (
    ITEMS,
    LANES,
    USERS,
    compiled,
    count_nested,
    count_ones,
    count_packed,
    count_points,
    count_quadratic,
    flip_ranked,
    ones_of_rows,
    set_drawn,
)

EDGES = np.array([0, 1, 2, 2**16, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1], np.uint32)


def words(n, rng):
    return rng.integers(0, 2**32, n, dtype=np.uint32)


def test_oracles_are_imported_without_the_compiler():
    """It takes longer than all the rest."""
    code = "import sys, ldpnb.oracles.frequency; print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


# ---------------------------------------------------------------------------------------- where loops are compiled

COUNT = """
import numpy as np
from ldpnb.kernels import count_packed
print(count_packed(np.array([[5], [1]], np.uint8)))
"""
COUNTED = "[2 0 1 0 0 0 0 0]\n"


@pytest.fixture
def installed(tmp_path):
    """The package alone, in a folder that everybody may read and nobody may write."""
    folder = tmp_path / "installed"
    homeless.copy(homeless.ROOT / "ldpnb", folder / "ldpnb")
    homeless.lock(folder)
    yield folder
    homeless.unlock(folder)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="permissions do not lock a folder here")
@pytest.mark.parametrize("number", [homeless.NOBODY, 54321], ids=["nobody", "without a name"])
def test_a_loop_is_compiled_where_nothing_can_be_kept(installed, number):
    """As in a container, or a service, that runs as somebody without a home."""
    try:
        user = homeless.user(number)
    except homeless.CannotTry as why:
        pytest.skip(str(why))
    environment = homeless.environment(installed, installed)
    writing = [*user, sys.executable, "-c", "open('new', 'w')"]
    assert "Permission denied" in subprocess.run(writing, cwd=installed, capture_output=True, text=True).stderr
    done = subprocess.run(
        [*user, sys.executable, "-c", COUNT], cwd=installed, env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == (COUNTED, "")


def counted_with(cache, before="", **variables):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(homeless.ROOT)} | variables
    start = [sys.executable, "-c", before + COUNT]
    done = subprocess.run(start, env=environment, capture_output=True, text=True, timeout=120)
    return done.stdout, done.stderr


@pytest.mark.slow
def test_a_loop_is_compiled_where_what_was_kept_is_spoilt(tmp_path):
    """A crash can leave a file short, and another program can write one that names its own module."""
    assert counted_with(tmp_path) == (COUNTED, "")
    (index,), (data,) = ([*tmp_path.rglob(f"*.{suffix}")] for suffix in ("nbi", "nbc"))
    whole = data.read_bytes()
    foreign = b"cabsent\nname\n."  # to be unpickled
    for spoilt, content in ((data, whole[: len(whole) // 2]), (index, b""), (index, foreign)):
        spoilt.write_bytes(content)
        assert counted_with(tmp_path) == (COUNTED, "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_a_loop_is_compiled_where_what_was_kept_is_a_pipe(tmp_path):
    """Numba would wait for whoever writes into it."""
    assert counted_with(tmp_path) == (COUNTED, "")
    for suffix in ("nbi", "nbc"):
        [path] = tmp_path.rglob(f"*.{suffix}")
        whole = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        assert counted_with(tmp_path) == (COUNTED, "")
        path.unlink()
        path.write_bytes(whole)


@pytest.mark.slow
def test_a_loop_is_compiled_where_numba_knows_no_place(tmp_path):
    assert counted_with(tmp_path, NUMBA_CACHE_LOCATOR_CLASSES="Nope") == (COUNTED, "")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="the size of files cannot be limited here")
def test_a_loop_is_compiled_where_the_disk_is_full(tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
    assert counted_with(tmp_path, full) == (COUNTED, "")
    assert [*tmp_path.rglob("*.nbc")] == []


def test_a_loop_that_fails_is_not_run_again():
    """Half of its work may be done."""
    seen = np.zeros(1, np.int64)

    def loop(counts, by):
        counts[0] += 1
        counts[0] //= by

    with pytest.raises(ZeroDivisionError):
        compiled(loop)(seen, 0)
    assert seen[0] == 1


def compiling(text):
    """Uses of numba in a module."""
    return re.findall(r"^.*\bnumba import.*$|^.*\bimport numba\b.*$", text, flags=re.M)


def test_all_is_compiled_in_one_place():
    """So that what holds of one loop, above, holds of all."""
    found = {path: compiling(path.read_text("utf-8")) for path in (homeless.ROOT / "ldpnb").rglob("*.py")}
    assert {path.name: uses for path, uses in found.items() if uses} == {"kernels.py": ["    from numba import njit"]}
    assert compiling("import numba") and compiling("    from numba import vectorize, njit as fast")


# ---------------------------------------------------------------------------------------- two words, and two widths


def nested_twin(seeds, widths, pairs):
    """The definition, in Python's integers."""
    users = list(zip(*(x.tolist() for x in (*seeds, *widths)), strict=True))
    return [
        [sum((a * x + b * y + c) % 2**32 < w[i] for a, b, c, *w in users) for i in range(2)]
        for x, y in zip(*(x.tolist() for x in pairs), strict=True)
    ]


@pytest.mark.parametrize("n, k", [(0, 3), (3, 0), (1, 1), (40, 1), (30, 100)])
def test_nested_kernel_is_its_twin(n, k):
    rng = np.random.default_rng(n + k)
    seeds, widths, pairs = ([words(size, rng) for _ in range(m)] for m, size in ((3, n), (2, n), (2, k)))
    counts = count_nested(seeds, widths, pairs)
    assert counts.dtype == np.int64 and counts.shape == (k, 2) and counts.tolist() == nested_twin(seeds, widths, pairs)


def test_nested_kernel_is_its_twin_at_the_edges_of_words():
    few = EDGES[[0, 1, 5, 8]]
    a, b, c, w = (x.ravel() for x in np.meshgrid(few, few, few, EDGES))
    pairs = [x.ravel() for x in np.meshgrid(few, few)]
    assert count_nested((a, b, c), (w, w[::-1].copy()), pairs).tolist() == nested_twin((a, b, c), (w, w[::-1]), pairs)


@pytest.mark.parametrize("n, k", [(2 * USERS + 3, 5), (3, 2 * ITEMS + 5), (USERS + 1, ITEMS + 1)])
def test_nested_kernel_counts_every_block(n, k):
    """User i alone supports the pair (i, anything), and all support it with the wider width."""
    i, rng = np.arange(n, dtype=np.uint32), np.random.default_rng(n)
    one, wide = np.ones(n, np.uint32), np.full(n, 2**32 - 1, np.uint32)
    x = rng.permutation(np.arange(k, dtype=np.uint32) * np.uint32(7))
    counts = count_nested((one, 0 * i, 0 * i - i), (one, wide), (x, words(k, rng)))
    assert np.array_equal(counts[:, 0], x < n)
    assert np.array_equal(counts[:, 1], n - (x + np.uint32(1) < n))  # all but one whose word is 2³² − 1


# ------------------------------------------------------------------------------------------- hash values mod a prime

PRIMES = [5, 7, 31, 65_537, 2**31 - 1]


def seeds_at_the_edges(prime, words, rng):
    """All of 0, 1 and prime − 1, and random ones."""
    edges = np.array(list(product((0, 1, prime - 1), repeat=words)))
    return np.concatenate([edges, rng.integers(0, prime, (60, words))]).astype(np.uint32)


def slots_at_both_ends(n, many, rng):
    return np.where(rng.random(n) < 0.5, rng.choice([0, many - 1], n), rng.integers(0, many, n))


def modular_twin(seeds, slots, many, prime, points):
    """The definition, in Python's integers: slot s holds the hash values from ⌈s prime/many⌉ on."""
    bounds = [(-(-s * prime // many), -(-(s + 1) * prime // many)) for s in slots.tolist()]
    users = list(zip(seeds.tolist(), bounds, strict=True))
    return [
        sum(low <= sum(w * x for w, x in zip(seed, point, strict=True)) % prime < high for seed, (low, high) in users)
        for point in points
    ]


@pytest.mark.parametrize("prime", PRIMES)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 42])
def test_quadratic_kernel_is_its_twin(prime, k):
    rng = np.random.default_rng(k)
    for many in {2, 3, 5, min(prime, 100), prime - 1, prime}:
        seeds = seeds_at_the_edges(prime, 3, rng)
        slots = slots_at_both_ends(len(seeds), many, rng)
        counts = count_quadratic(seeds, slots, many, prime, k)
        assert counts.dtype == np.int64 and counts.shape == (k,)
        assert counts.tolist() == modular_twin(seeds, slots, many, prime, [(v * v, v, 1) for v in range(k)])


@pytest.mark.parametrize("n", [0, 1, LANES - 1, LANES, 2 * LANES + 3])
def test_quadratic_kernel_counts_every_block(n):
    """The hash value of user i is i + v, so that item v of 10 falls into the slot that lies v above i."""
    i = np.arange(n)
    seeds = np.stack([0 * i, 0 * i + 1, i], 1).astype(np.uint32)[::-1]
    counts = count_quadratic(seeds, seeds[:, 2].astype(np.int64) + 4, PRIMES[-1], PRIMES[-1], 10)
    assert counts.tolist() == [n if v == 4 else 0 for v in range(10)]


@pytest.mark.parametrize("bits", [3, 5, 13, 31])
@pytest.mark.parametrize("k", [0, 1, 30])
def test_kernel_for_points_is_its_twin(bits, k):
    prime, rng = 2**bits - 1, np.random.default_rng(k)
    points = rng.choice([0, 1, prime - 1, int(rng.integers(prime))], (k, 3))  # neither ascending nor distinct
    for many in {2, 3, 7, min(prime, 100), prime - 1, prime}:
        seeds = seeds_at_the_edges(prime, 4, rng)
        slots = slots_at_both_ends(len(seeds), many, rng)
        counts = count_points(seeds, slots, many, bits, tuple(points.T.astype(np.uint32)))
        assert counts.dtype == np.int64 and counts.shape == (k,)
        assert counts.tolist() == modular_twin(seeds, slots, many, prime, [(*point, 1) for point in points.tolist()])


@pytest.mark.parametrize("n, k", [(2 * USERS + 3, 5), (3, 2 * ITEMS + 5), (USERS + 1, ITEMS + 1)])
def test_kernel_for_points_counts_every_block(n, k):
    """The hash value of user i at the point (x, …) is x − i, and slot 0 holds the value 0 alone."""
    prime, i, rng = 2**31 - 1, np.arange(n), np.random.default_rng(n)
    seeds = np.stack([0 * i + 1, 0 * i, 0 * i, -i % prime], 1).astype(np.uint32)
    x = rng.permutation(np.arange(k, dtype=np.uint32) * np.uint32(7))
    counts = count_points(seeds, 0 * i, prime, 31, (x, words(k, rng) >> 1, words(k, rng) >> 1))
    assert np.array_equal(counts, x < n)


# ------------------------------------------------------------------------------------------------- rows of bits


def random_rows(n, width, seed=1):
    return np.random.default_rng(seed).integers(0, 256, (n, width), dtype=np.uint8)


def unpacked(rows):
    return np.unpackbits(rows, axis=1, bitorder="little")


@pytest.mark.parametrize("n, width", [(0, 3), (1, 1), (255, 2), (256, 5), (1000, 33), (7, 300)])
def test_packed_rows_are_counted_as_their_twin_counts(n, width):
    for rows in (random_rows(n, width), np.full((n, width), 255, np.uint8), random_rows(2 * n, 2 * width)[::2, ::2]):
        plain = unpacked(rows)
        found = count_packed(rows)
        assert found.dtype == np.int64 and np.array_equal(found, plain.sum(0, dtype=np.int64))
        assert np.array_equal(count_ones(plain), found) and np.array_equal(count_ones(plain.astype(bool)), found)
        assert np.array_equal(ones_of_rows(rows), plain.sum(1, dtype=np.int64))
    wide = random_rows(5, 32)
    for rows in (wide, wide[:, :16], wide[:, ::2]):  # whole words, whose bytes lie side by side or not
        assert np.array_equal(ones_of_rows(rows), unpacked(rows).sum(1))


def lacking(n, width, seed):
    """Random rows, a place of each that is fixed, and how many other ones are missing or too many."""
    rng = np.random.default_rng(seed)
    rows, fixed = random_rows(n, width, seed), rng.integers(0, 8 * width, n)
    ones = [set(np.flatnonzero(row).tolist()) - {x} for row, x in zip(unpacked(rows), fixed.tolist(), strict=True)]
    wanted = rng.integers(0, 8 * width, n)
    return rows, fixed, wanted - [len(x) for x in ones], ones, rng


@pytest.mark.parametrize("width", [1, 2, 9])
def test_places_that_were_drawn_are_set(width):
    rows, fixed, missing, ones, rng = lacking(300, width, 3)
    before, drawn = unpacked(rows), rng.integers(0, 8 * width - 1, np.maximum(missing, 0).sum())
    left, rest = missing.copy(), iter(drawn.tolist())
    compiled(set_drawn)(rows, fixed, left, drawn)
    for i, (x, lack) in enumerate(zip(fixed.tolist(), missing.tolist(), strict=True)):
        new = {place + (place >= x) for place in (next(rest) for _ in range(max(lack, 0)))} - ones[i]
        row = unpacked(rows)[i]
        assert row[x] == before[i, x] and set(np.flatnonzero(row).tolist()) - {x} == ones[i] | new
        assert left[i] == lack - len(new)
    assert next(rest, None) is None


@pytest.mark.parametrize("width", [1, 2, 9])
def test_bits_of_a_rank_are_flipped(width):
    rows, fixed, missing, ones, rng = lacking(300, width, 4)
    before, drawn, expected = unpacked(rows), [], []
    for x, lack, some in zip(fixed.tolist(), missing.tolist(), ones, strict=True):
        candidates = sorted(set(range(8 * width)) - some - {x} if lack > 0 else some)
        for _ in range(abs(lack)):
            drawn.append(int(rng.integers(0, len(candidates))))
            some = some ^ {candidates.pop(drawn[-1])}
        expected.append(some)
    compiled(flip_ranked)(rows, fixed, missing, np.array(drawn))
    assert not missing.any()
    for i, x in enumerate(fixed.tolist()):
        row = unpacked(rows)[i]
        assert row[x] == before[i, x] and set(np.flatnonzero(row).tolist()) - {x} == expected[i]
