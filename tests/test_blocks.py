from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp

import numpy as np
import pytest
from contract import FALSE_ALARM, Contract, chi_square
from scipy.stats import chi2

from ldpnb.attributes.blocks import Blocks, Pooled, best_block_size, cell_variance, pair_variance
from ldpnb.attributes.records import every_record
from ldpnb.chance import branches, law, odds, pick, toss
from ldpnb.core import Example, Tally
from ldpnb.oracles.grr import GRR
from ldpnb.verify import laws, same_law, worst


def parity(x):
    return (-1.0) ** np.indices(x.shape).sum(0)


class TestBlocks(Contract):
    cases = [  # two people among three blocks of two binary attributes; alone, also in blocks of other sizes
        *(replace(example, pairs=example.mechanism.sizes == (2, 2, 2)) for example in Blocks.example()),
        Example(Blocks(sizes=(2, 2), size=2, epsilon=1.0), every_record((2, 2)), pairs=False),
        Example(Blocks(sizes=(2, 2, 2, 2), size=3, epsilon=3.0), every_record((2,) * 4)[:8], pairs=False),
    ]
    good = np.zeros(2, cases[0].mechanism.dtype)
    bad_values = [[[2, 0, 0]], [[0, -1, 0]], [[0, 0]], [0, 0, 0], [[0.5, 1, 0]], [["a", "b", "c"]], [[True] * 3]]
    bad_reports = [
        np.zeros(2),
        np.zeros((2, 2), np.int64),
        np.array([(3, 0)], good.dtype),
        np.array([(-1, 0)], good.dtype),
        np.array([(0, -1)], good.dtype),
        np.array([(0, 6)], good.dtype),
        np.array([(1, 4)], good.dtype),  # the block of the two binary attributes has four cells only
    ]


# ------------------------------------------------------------------------------------------------------- the client


@pytest.mark.parametrize(("sizes", "size"), [((2, 3, 2), 2), ((3, 2, 2, 2), 2), ((2, 4, 3), 3)])
def test_every_block_spends_all_of_epsilon(sizes, size):
    """Given the block, over values that differ there in one attribute only, and over those that differ in all."""
    m = Blocks(sizes=sizes, size=size, epsilon=1.5)
    people = every_record(sizes)
    given = laws(m, people)
    for number, block in enumerate(combinations(range(len(sizes)), size)):
        inside = [{y: p * comb(len(sizes), size) for y, p in one.items() if y[0] == number} for one in given]
        assert {sum(one.values()) for one in inside} == {Fraction(1)}
        found = worst(inside)
        assert found.ratio <= odds(1.5) and found.epsilon == pytest.approx(1.5, abs=1e-14)
        for j in range(len(sizes)):
            one = [i for i, x in enumerate(people) if all(x[a] == 0 for a in range(len(sizes)) if a != j)]
            alone = worst([inside[i] for i in one])
            assert alone.epsilon == pytest.approx(m.epsilon if j in block else 0, abs=1e-14)


def test_epsilon_is_that_of_the_worst_block():
    """At ε = 31 rounding costs blocks of four cells and blocks of six a different part of it."""
    m = Blocks(sizes=(2, 3, 2), size=2, epsilon=31.0)
    four, six = (GRR(k=k, epsilon=31.0).realised_epsilon for k in (4, 6))
    assert abs(four - six) > 1e-4
    assert worst(laws(m, every_record(m.sizes))).epsilon == m.realised_epsilon == max(four, six)


def test_client_is_the_one_for_one_person():
    m, e = Blocks(sizes=(2, 3, 2, 2), size=3, epsilon=1.0), exp(1.0)
    sets = list(combinations(range(4), 3))

    def client(record, rng, k=lambda cells: len(cells)):
        block = pick(range(4), rng)
        cells = list(product(*(range(m.sizes[j]) for j in sets[block])))
        if toss((e - 1) / (e + k(cells) - 1), rng):
            return block, cells.index(tuple(record[j] for j in sets[block]))
        return block, cells.index(pick(cells, rng))

    def package(record, rng):
        return m.perturb([record], rng=rng)[0]

    people = every_record(m.sizes)[[0, 7, 18]]
    assert same_law(client, package, people)
    assert not same_law(lambda record, rng: client(record, rng, lambda cells: 12), package, people[:1])


def test_blocks_are_uniform_and_numbered_in_order():
    """For d = 6 and ℓ = 3, by samples: values name the attributes in the block when ε is large."""
    m, n = Blocks(sizes=(2,) * 6, size=3, epsilon=32), 40_000
    reports = m.perturb(np.tile([0, 1, 0, 1, 1, 0], (n, 1)), rng=np.random.default_rng(0))
    assert chi_square(np.bincount(reports["block"], minlength=20), np.full(20, n / 20)) > FALSE_ALARM
    for number, block in enumerate(combinations(range(6), 3)):
        assert set(reports["value"][reports["block"] == number]) == {
            sum((j in (1, 3, 4)) << 2 - i for i, j in enumerate(block))
        }
    assert np.array_equal(m.blocks, list(combinations(range(6), 3)))


# --------------------------------------------------------------------------------------------------------- estimates


def test_unpack_cuts_in_the_order_of_pairs():
    m = Blocks(sizes=(2, 3, 4), size=2, epsilon=1.0)
    tables = m.unpack(m.expected([[1, 2, 3], [1, 0, 3]]))
    assert m.pairs == [(0, 1), (0, 2), (1, 2)] and [x.shape for x in tables] == [(2, 2, 3), (2, 2, 4), (2, 3, 4)]
    assert [np.argwhere(x[0]).tolist() for x in tables] == [[[1, 2]], [[1, 3]], [[2, 3]]]


@pytest.mark.parametrize(("sizes", "size", "sets"), [((2, 2, 2), 2, [(0,), (1, 2)]), ((2, 3, 2), 2, [(0, 2), (1,)])])
def test_tables_given_the_blocks(sizes, size, sets):
    """Exact mean and variance over all reports of three people, for every way in which blocks may be drawn.

    A control, the variance for people drawn from a distribution, is above the truth.
    """
    m, people = Blocks(sizes=sizes, size=size, epsilon=1.0), np.array([[0, 1, 1], [1, 1, 0], [1, 0, 1]])
    single = [law(lambda rng, i=i: m.perturb(people[i : i + 1], rng=rng)[0]) for i in range(3)]
    given = {}
    for drawn in product(*(one.items() for one in single)):
        chance = float(drawn[0][1] * drawn[1][1] * drawn[2][1])
        counts = np.zeros((len(m.blocks), m.cells.max()), np.int64)
        for (block, value), _ in drawn:
            counts[block, value] += 1
        given.setdefault(tuple(counts.sum(1)), []).append((chance, counts))
    seen = 0
    for drawn, outcomes in given.items():
        p = np.array([chance for chance, _ in outcomes])
        p /= p.sum()
        for s in sets:
            if not sum(n for n, b in zip(drawn, m.blocks, strict=True) if set(s) <= set(b)):
                with pytest.raises(ValueError, match="sets must be in a block that somebody drew, got"):
                    m.tables(Tally(m, 3, outcomes[0][1]), [s])
                with pytest.raises(ValueError, match="drawn must hold somebody whose block contains the set"):
                    m.pooled_variance(drawn, s, np.ones([sizes[j] for j in s]))
                continue
            truth = np.zeros([sizes[j] for j in s])
            np.add.at(truth, tuple(people[:, s].T), 1 / 3)
            x = np.stack([m.tables(Tally(m, 3, counts), [s]).tables[0] for _, counts in outcomes])
            mean = np.tensordot(p, x, 1)
            variance = np.tensordot(p, (x - mean) ** 2, 1)
            np.testing.assert_allclose(mean, truth, atol=1e-11)
            np.testing.assert_allclose(m.pooled_variance(drawn, s, truth), variance, rtol=1e-9)
            if len(s) == 2:
                x = np.stack([m.pair_tables(Tally(m, 3, counts), [s]).tables[0] for _, counts in outcomes])
                mean = np.tensordot(p, x, 1)
                exact = np.tensordot(p, (x - mean) ** 2, 1)
                np.testing.assert_allclose(mean, truth, atol=1e-11)
                np.testing.assert_allclose(m.pair_tables_variance(drawn, s, truth), exact, rtol=1e-9)
                alone = drawn[m.blocks.tolist().index(list(s))] == 3  # then there is nothing to take from other blocks
                assert np.allclose(exact, variance) == alone
            seen += 1
    assert seen > 10


def test_tables_of_pairs_have_the_margins_of_single_attributes():
    m, rng = Blocks(sizes=(2, 3, 2, 4), size=3, epsilon=2.0), np.random.default_rng(1)
    tally = m.tally(m.perturb(np.stack([rng.integers(0, k, 500) for k in m.sizes], 1), rng=rng))
    single = m.tables(tally, [(j,) for j in range(4)]).tables
    found = m.pair_tables(tally, [(0, 1), (1, 3)])
    assert found.sets == [(0, 1), (1, 3)] and [x.shape for x in found.tables] == [(2, 3), (3, 4)]
    for (a, b), table in zip(found.sets, found.tables, strict=True):
        np.testing.assert_allclose(table.sum(1), single[a], atol=1e-12)
        np.testing.assert_allclose(table.sum(0), single[b], atol=1e-12)
    apart = m.tables(tally, [(0, 1)]).tables[0]
    assert np.abs(apart.sum(1) - single[0]).max() > 1e-3  # a control: those from blocks with both have other margins
    with pytest.raises(ValueError, match=r"pairs must be of two attributes each, got \(0, 1, 2\)"):
        m.pair_tables(tally, [(0, 1, 2)])
    with pytest.raises(ValueError, match=r"share must be a table of shape \(2, 3\), got \(3, 2\)"):
        m.pair_tables_variance([1] * 4, (0, 1), np.full((3, 2), 1 / 6))


@pytest.mark.parametrize("d, k, size, epsilon", [(4, 3, 3, 3.0), (5, 2, 2, 1.0), (10, 3, 2, 3.0), (6, 4, 2, 2.0)])
def test_for_evenly_spread_people_it_is_the_variance_of_a_cell(d, k, size, epsilon):
    """Of many people, blocks drawn equally often, the second route is `cell_variance`, which is about a population."""
    m = Blocks(sizes=(k,) * d, size=size, epsilon=epsilon)
    drawn = np.full(len(m.blocks), 2**40)
    found = m.pair_tables_variance(drawn, (0, 1), np.full((k, k), k**-2)) * drawn.sum()
    np.testing.assert_allclose(found + (1 - k**-2) / k**2, cell_variance(m.sizes, size, epsilon), rtol=1e-9)


def test_pooled_variance_is_the_plain_one_for_blocks_of_all():
    m, n = Blocks(sizes=(2, 3), size=2, epsilon=1.0), 50
    people = np.random.default_rng(0).integers(0, 2, (n, 2))
    share = m.expected(people).mean(0)
    np.testing.assert_allclose(
        m.pooled_variance([n], (0, 1), share).ravel(), m.variance(people).sum(0) / n**2, rtol=1e-12
    )


def test_tables_of_any_sets():
    """A large ε makes estimates exact for those who drew the set; also pooling of blocks of different sizes."""
    rng, sizes = np.random.default_rng(1), (2, 3, 2, 4)
    m, people = Blocks(sizes=sizes, size=3, epsilon=32), rng.integers(0, sizes, (4000, 4))
    reports = m.perturb(people, rng=rng)
    sets = [(3,), (0, 1, 3), (1, 2), (0,)]
    found = m.tables(m.tally(reports), sets)
    assert found.sets == sets and [x.shape for x in found.tables] == [(4,), (2, 3, 4), (3, 2), (2,)]
    for s, table, worth, variance in zip(sets, found.tables, found.people, found.variances, strict=True):
        who = people[[set(s) <= set(m.blocks[b]) for b in reports["block"]]]
        assert worth == pytest.approx(len(who), rel=1e-10)
        truth = np.zeros(table.shape)
        np.add.at(truth, tuple(who[:, s].T), 1 / len(who))
        np.testing.assert_allclose(table, truth, atol=1e-9)
        drawn_once = truth * (1 - truth) * (4000 - len(who)) / (len(who) * 3999)  # a sample of the people
        np.testing.assert_allclose(variance, drawn_once, rtol=1e-6)
        assert table.sum() == pytest.approx(1, abs=1e-12)


def test_pooled_tables_have_the_stated_variance():
    """Squared errors over variances add to about chi-square; 10 % on top, as the variances are estimated."""
    rng, trials, n = np.random.default_rng(2), 300, 2000
    m = Blocks(sizes=(2, 3, 2, 2), size=2, epsilon=1.0)
    people = (rng.random((n, 4)) < [0.3, 0.6, 0.5, 0.9]).astype(int)
    truth = np.zeros((3, 2))
    np.add.at(truth, (people[:, 1], people[:, 3]), 1 / n)
    total = 0.0
    for _ in range(trials):
        found = m.tables(m.tally(m.perturb(people, rng=rng)), [(0, 1), (1, 3)])
        total += (found.tables[1][1, 1] - truth[1, 1]) ** 2 / found.variances[1][1, 1]
    low, high = chi2.ppf([1e-8, 1 - 1e-8], trials)
    assert 0.9 * low < total < 1.1 * high
    assert not 0.9 * low < 4 * total < 1.1 * high


@pytest.mark.parametrize("d", [3, 4])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_variance_of_a_parity(d, epsilon):
    """The closed form against the exact law: it is the noise, and 1 more for people drawn from the uniform law."""
    for size in range(2, d):
        m, people = Blocks(sizes=(2,) * d, size=size, epsilon=epsilon), every_record((2,) * d)[:3]
        closed = d * (d - 1) / (size * (size - 1)) * ((exp(epsilon) + 2**size - 1) / (exp(epsilon) - 1)) ** 2
        assert pair_variance(m.sizes, size, epsilon) == pytest.approx(closed, rel=1e-12)
        for person in people:
            one, two = 0.0, 0.0
            for p, report in branches(lambda rng, m=m, person=person: m.perturb([person], rng=rng)):
                x = m.unpack(m.estimate(m.tally(report)))[1]
                one, two = one + float(p) * np.sum(parity(x) * x), two + float(p) * np.sum(parity(x) * x) ** 2
            assert two - one**2 == pytest.approx(closed - 1, rel=1e-9)


def test_parity_is_worth_the_stated_number_of_people():
    m = Blocks(sizes=(2,) * 5, size=3, epsilon=1.0)
    tally = m.tally(m.perturb(np.zeros((5000, 5), int), rng=np.random.default_rng(0)))
    found = m.tables(tally, [(0, 1), (2,), (1, 2, 4)])
    drawn = tally.counts.sum(1)
    for s, worth in zip(found.sets, found.people, strict=True):
        assert worth == pytest.approx(drawn[[set(s) <= set(b) for b in m.blocks.tolist()]].sum() * m.keep[0] ** 2)
        assert found.variances[0].shape == (2, 2)
    assert 1 / found.people[0] == pytest.approx(pair_variance(m.sizes, 3, 1.0) / 5000, rel=0.1)
    assert found.parities == pytest.approx([np.sum(parity(x) * x) for x in found.tables])


def test_pair_variance_of_mixed_sizes():
    """One over the mean worth of a person, pair by pair, from the sums of Blocks itself."""
    m, drawn = Blocks(sizes=(2, 3, 5, 2), size=3, epsilon=2.0), np.ones((4, 30), np.int64)
    worth = m.tables(Tally(m, 120, drawn), m.pairs).people / 120
    assert pair_variance(m.sizes, 3, 2.0) == pytest.approx(np.mean(1 / worth), rel=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "size", "variance"), [(1, 3, 1280), (2, 3, 203), (4, 5, 30.6), (8, 9, 4.6), (16, 16, 1.01)]
)
def test_best_size(epsilon, size, variance):
    assert best_block_size((2,) * 16, epsilon) == size
    assert pair_variance((2,) * 16, size, epsilon) == pytest.approx(variance, rel=0.01)


def test_best_size_leaves_out_what_cannot_be_counted():
    assert best_block_size((2,) * 24, 8.0) == 6  # with 7 attributes a tally would have 44 million cells
    assert best_block_size((64, 64, 64, 64, 64), 32.0) == 3  # four would make 5 · 2**24 cells
    with pytest.raises(ValueError, match="for blocks of 2, got"):
        best_block_size((2**13, 2**13), 1.0)


def test_blocks_beat_one_answer_an_attribute():
    """The parity of two of 16 binary attributes at ε = 2: more than 300 times less variance.

    With ε/d for each, a binary attribute keeps its sign with p − q = tanh(ε/2d), and the product of two unbiased signs
    has the mean square tanh⁻⁴(ε/2d).
    """
    p, q = GRR(k=2, epsilon=2 / 16).support
    each = float(1 / (p - q) ** 4)
    assert each == pytest.approx(np.tanh(2 / 16 / 2) ** -4.0, rel=1e-12)
    assert 300 * pair_variance((2,) * 16, 3, 2.0) < each < 400 * pair_variance((2,) * 16, 3, 2.0)


# ----------------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class FirstBlocks(Blocks):
    """Draws the block by a person's first value."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports["block"] = np.where(np.asarray(values)[:, 0] == 1, 0, reports["block"])
        return reports


@dataclass(frozen=True, kw_only=True)
class OneKeep(Blocks):
    """Keeps in all blocks as often as in the smallest one."""

    keep = property(lambda self: np.full(len(self.blocks), super().keep.max()))


@dataclass(frozen=True, kw_only=True)
class NotInverted(Blocks):
    """Forgets that only some people drew the pair."""

    _share = property(lambda self: 1.0)


@dataclass(frozen=True, kw_only=True)
class OneBlockForAll(Blocks):
    """Draws one block for everybody."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports[:] = reports[0]
        return reports


@dataclass(frozen=True, kw_only=True)
class Sorted(Blocks):
    """Reads the values of a block from the wrong attributes."""

    def perturb(self, values, *, rng):
        return super().perturb(np.asarray(values)[:, [2, 1, 0]], rng=rng)


@pytest.mark.parametrize(
    "make, caught_by",
    [
        (FirstBlocks, "test_public_part_does_not_depend_on_the_value"),
        (FirstBlocks, "test_epsilon_of_the_law_is_the_stated_one"),
        (OneKeep, "test_epsilon_of_the_law_is_the_stated_one"),
        (NotInverted, "test_estimate_is_unbiased"),
        (OneBlockForAll, "test_people_are_independent"),
        (Sorted, "test_estimate_is_unbiased"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_mistake_is_caught(make, caught_by):
    mechanism = make(sizes=(2, 3, 2), size=2, epsilon=1.0)
    with pytest.raises((AssertionError, KeyError)):
        getattr(Contract(), caught_by)(Example(mechanism, every_record(mechanism.sizes)))


# ---------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("sizes", [(), 2, "22", (2,), (1, 2), (2.0, 2), (2, None), (True, 2)])
def test_bad_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match="sizes must be .*, got"):
        Blocks(sizes=sizes, size=2, epsilon=1)


@pytest.mark.parametrize("size", [0, 1, 4, 2.0, None, True])
def test_bad_size_is_refused(size):
    for call in (lambda: Blocks(sizes=(2,) * 3, size=size, epsilon=1), lambda: pair_variance((2,) * 3, size, 1)):
        with pytest.raises(ValueError, match="size must be .*, got"):
            call()


def test_too_large_a_tally_is_refused():
    with pytest.raises(ValueError, match="size must leave a tally of at most 16777216 cells, got 7: 44301312 cells"):
        Blocks(sizes=(2,) * 24, size=7, epsilon=1.0)
    with pytest.raises(ValueError, match="size must leave a tally of at most 16777216 cells, got 2: 50331648 cells"):
        Blocks(sizes=(4096, 2, 4096), size=2, epsilon=1.0)


@pytest.mark.parametrize("epsilon", [0, -1.0, 33, None, "1", True])
def test_bad_epsilon_is_refused(epsilon):
    for call in (lambda: Blocks(sizes=(2,) * 2, size=2, epsilon=epsilon), lambda: pair_variance((2,) * 2, 2, epsilon)):
        with pytest.raises(ValueError, match="epsilon must be a finite number"):
            call()


@pytest.mark.parametrize("sets", [[()], [(0, 1, 2)], [(1, 0)], [(0, 0)], [(0,), (3,)], [(-1,)], [(0.5,)], [0]])
def test_bad_sets_are_refused(sets):
    m = Blocks(sizes=(2,) * 3, size=2, epsilon=1.0)
    tally = m.tally(m.perturb([[0, 0, 0]] * 20, rng=np.random.default_rng(0)))
    with pytest.raises(ValueError, match="sets must be .*, got"):
        m.tables(tally, sets)


def test_bad_tallies_are_refused():
    m = Blocks(sizes=(2,) * 3, size=2, epsilon=1.0)
    one = m.tally(m.perturb([[0, 0, 0]] * 20, rng=np.random.default_rng(0)))
    with pytest.raises(ValueError, match="tally must be of one survey, .*, got shape"):
        m.tables(Tally(m, 20, one.counts[None]), [(0,)])
    with pytest.raises(ValueError, match="tally must be of"):
        Blocks(sizes=(2,) * 3, size=2, epsilon=2.0).tables(one, [(0,)])


def test_parities_are_for_binary_attributes():
    with pytest.raises(ValueError, match="sets must be of binary attributes"):
        Pooled([(0,)], [np.full(3, 1 / 3)], [np.ones(3)], np.ones(1)).parities  # noqa: B018
