"""From answers about blocks to what is published, and the plan that comes before."""

from itertools import combinations
from math import comb, exp

import numpy as np
import pytest

from ldpnb.attributes import (
    Blocks,
    best_block_size,
    cell_variance,
    max_entropy,
    pair_variance,
    release,
    triangulated,
)
from ldpnb.attributes.maxent import consistent


def people(n, d, rng):
    """Binary records in which neighbours agree more often than not."""
    found = rng.integers(0, 2, (n, d))
    for j in range(1, d):
        found[:, j] = np.where(rng.random(n) < 0.6, found[:, j - 1], found[:, j])
    return found


def test_a_release_is_its_three_steps():
    rng, d = np.random.default_rng(0), 5
    client = Blocks(sizes=(2,) * d, size=3, epsilon=2.0)
    tally = client.tally(client.perturb(people(4000, d, rng), rng=rng))
    made = release(tally, 1000, rng=np.random.default_rng(1), penalty=5.0)
    sets = [*((j,) for j in range(d)), *combinations(range(d), 2)]
    tables = client.tables(tally, sets)
    model = max_entropy(d, sets, tables.parities, 1 / tables.people, penalty=5.0)
    assert made.tables.sets == sets
    assert all(np.array_equal(x, y) for x, y in zip(made.tables.tables, tables.tables, strict=True))
    np.testing.assert_array_equal(made.model.probabilities, model.probabilities)
    np.testing.assert_array_equal(made.records, model.sample(1000, np.random.default_rng(1)))
    weaker = max_entropy(d, sets, tables.parities, 1 / tables.people)  # control
    assert not np.allclose(made.model.probabilities, weaker.probabilities)


def test_what_is_published_is_near_the_truth():
    rng, d = np.random.default_rng(2), 6
    records = people(50_000, d, rng)
    client = Blocks(sizes=(2,) * d, size=best_block_size((2,) * d, 3.0, cell_variance), epsilon=3.0)
    made = release(client.tally(client.perturb(records, rng=rng)), 50_000, rng=rng)
    for s, table, variance in zip(made.tables.sets, made.tables.tables, made.tables.variances, strict=True):
        true = np.bincount(records[:, list(s)] @ 2 ** np.arange(len(s))[::-1], minlength=2 ** len(s)) / len(records)
        assert np.all(np.abs(table.ravel() - true) < 6 * np.sqrt(variance.ravel()))
        drawn = np.bincount(made.records[:, list(s)] @ 2 ** np.arange(len(s))[::-1], minlength=2 ** len(s)) / 50_000
        assert np.abs(drawn - true).max() < 0.03


@pytest.mark.parametrize("d, size, epsilon", [(4, 2, 1.0), (7, 3, 2.0), (10, 4, 3.0)])
def test_variance_of_a_cell_of_binary_attributes(d, size, epsilon):
    """A sixteenth of those of its three parities, by the theorem on random blocks."""
    kept = (exp(epsilon) - 1) / (exp(epsilon) + 2**size - 1)
    parities = [comb(d, a) / comb(size, a) / kept**2 for a in (1, 1, 2)]
    assert np.isclose(cell_variance((2,) * d, size, epsilon), sum(parities) / 16, rtol=1e-9)


def test_variance_of_a_cell_is_that_of_surveys():
    """Uniform people, two and three values; 1,500 surveys; within 6 standard errors; pairs alone do worse."""
    rng, sizes, n = np.random.default_rng(3), (2, 3, 2), 2000
    client = Blocks(sizes=sizes, size=2, epsilon=1.5)
    pairs, alone = list(combinations(range(3), 2)), [(j,) for j in range(3)]
    combined, plain = [], []
    for _ in range(1500):
        records = np.column_stack([rng.integers(0, k, n) for k in sizes])
        found = client.tables(client.tally(client.perturb(records, rng=rng)), [*alone, *pairs]).tables
        cells, raw = [], []
        for (a, b), x in zip(pairs, found[3:], strict=True):
            own = x + (found[a] - x.sum(1))[:, None] / x.shape[1] + (found[b] - x.sum(0)) / x.shape[0]
            cells.append(np.square(own - 1 / x.size).mean())
            raw.append(np.square(x - 1 / x.size).mean())
        combined.append(np.mean(cells))
        plain.append(np.mean(raw))
    stated = cell_variance(sizes, 2, 1.5) / n
    off = np.std(combined) / np.sqrt(1500)
    assert abs(np.mean(combined) - stated) < 6 * off + 0.005 * stated  # how many drew a block varies by chance
    assert np.mean(plain) > stated + 6 * off  # control


def test_the_best_block_depends_on_what_is_asked():
    sizes = (2,) * 16
    for variance in (pair_variance, cell_variance):
        found = best_block_size(sizes, 2.0, variance)
        assert variance(sizes, found, 2.0) == min(variance(sizes, size, 2.0) for size in range(2, 9))
    assert best_block_size(sizes, 4.0, cell_variance) != best_block_size(sizes, 1.0, cell_variance)


def test_triangulation_adds_what_a_cycle_lacks():
    assert triangulated([(0, 1), (1, 2)], 4) == ((0, 1), (1, 2))
    square = triangulated([(0, 1), (1, 2), (2, 3), (0, 3)], 4)
    assert len(square) == 5 and ((0, 2) in square) != ((1, 3) in square)
    assert triangulated([], 3) == ()


def test_tables_that_agree_are_those_of_cell_variance():
    """`consistent` takes single attributes from all blocks with them, as the variance of a cell supposes."""
    rng = np.random.default_rng(4)
    client = Blocks(sizes=(2,) * 4, size=2, epsilon=4.0)
    tally = client.tally(client.perturb(people(100_000, 4, rng), rng=rng))
    pairs = list(combinations(range(4), 2))
    pooled, alone = client.tables(tally, pairs), client.tables(tally, [(j,) for j in range(4)])
    for (a, b), x in zip(pairs, consistent(pairs, pooled.tables, pooled.people), strict=True):
        np.testing.assert_allclose(x.sum(1), alone.tables[a], atol=1e-9)
        np.testing.assert_allclose(x.sum(0), alone.tables[b], atol=1e-9)


def test_bad_input_is_refused():
    rng = np.random.default_rng(5)
    two, three = Blocks(sizes=(2, 2), size=2, epsilon=1.0), Blocks(sizes=(2, 3), size=2, epsilon=1.0)
    tally = three.tally(three.perturb([[0, 0], [1, 2]], rng=rng))
    with pytest.raises(ValueError, match=r"tally must be of binary attributes, got \(2, 3\) values"):
        release(tally, 5, rng=rng)
    with pytest.raises(ValueError, match="tally must be"):
        release([1], 5, rng=rng)
    with pytest.raises(ValueError, match="n must be"):
        release(two.tally(two.perturb([[0, 0], [1, 1]], rng=rng)), 0, rng=rng)
