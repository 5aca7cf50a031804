from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import ceil, exp, log, prod, sqrt

import numpy as np
import pytest
from contract import FALSE_ALARM, Contract, chi_square, stated_rounding, total_variation
from plain import splitmix
from scipy.linalg import hadamard as sylvester
from scipy.stats import binom

from ldpnb.attributes.harmony import HarmonyFrequency
from ldpnb.chance import bernoulli, law, uniform
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.core import Example, Tally
from ldpnb.hashing import GOLDEN
from ldpnb.kernels import fwht
from ldpnb.oracles import succinct
from ldpnb.oracles.base import ItemOracle
from ldpnb.oracles.hadamard import HadamardBit, HadamardResponse, parity
from ldpnb.oracles.personal import PCE, people
from ldpnb.oracles.succinct import SHist
from ldpnb.verify import laws

CODES = [[-1], [3], [0.5], [np.nan], ["a"], [[0]], 0, [True], [None], [2**63]]


class TestHadamardBit(Contract):
    cases = [
        *HadamardBit.example(),
        *(Example(HadamardBit(k=k, epsilon=e), np.arange(k)) for k, e in [(3, 1.0), (5, 3.0), (4, 20.0)]),
    ]
    bad_values = CODES
    bad_reports = [
        [0, 1],
        np.array([(4, True)], cases[0].mechanism.dtype),
        np.array([(-1, True)], cases[0].mechanism.dtype),
        np.array([(0, 1)], [("row", np.int64), ("bit", np.int64)]),
        np.array([(True, 0)], [("bit", np.bool_), ("row", np.int64)]),
        np.array([[(0, True)]], cases[0].mechanism.dtype),
    ]


class TestSHist(Contract):
    cases = [
        *SHist.example(),
        Example(SHist(k=2, epsilon=20.0, m=4, matrix=1), np.arange(2), histogram=True),
        Example(SHist(k=2, epsilon=1.0, m=1), np.arange(2)),  # as few rows as there can be
        Example(SHist(k=130, epsilon=1.0, m=3), np.arange(130)),  # entries of three words a row
    ]
    bad_values = CODES
    bad_reports = [
        np.array([(5, True)], cases[0].mechanism.dtype),
        np.array([(-1, True)], cases[0].mechanism.dtype),
        np.array([(0, 1)], [("row", np.int64), ("bit", np.int64)]),
        np.zeros((2, 3), bool),
    ]


class TestHadamardResponse(Contract):
    cases = [
        *HadamardResponse.example(),
        *(
            Example(HadamardResponse(k=k, epsilon=e, blocks=blocks), np.arange(k))
            for k, e, blocks in [(3, 1.0, 0), (2, 0.1, 0), (5, 2.0, 0), (6, 1, 8)]
        ),
    ]
    bad_values = CODES
    bad_reports = [[-1], [4], [0.5], ["a"], [[0]], 0, [True]]


class TestHarmonyFrequency(Contract):
    cases = [
        *HarmonyFrequency.example(),
        Example(HarmonyFrequency(sizes=(5, 2), epsilon=20.0), np.array(list(product(range(5), range(2))))),
    ]
    bad_values = [[0, 1], [[0]], [[0, 1, 0]], [[2, 0]], [[0, 3]], [[-1, 0]], [[0.5, 0]], [["a", "b"]], [[True, False]]]
    bad_reports = [
        [0, 1],
        np.array([(2, 0, True)], cases[0].mechanism.dtype),
        np.array([(-1, 0, True)], cases[0].mechanism.dtype),
        np.array([(0, 2, True)], cases[0].mechanism.dtype),  # the second attribute has a row 2, the first has none
        np.array([(1, 4, True)], cases[0].mechanism.dtype),
        np.array([(0, -1, True)], cases[0].mechanism.dtype),
        np.array([(0, 0, 2)], [("attribute", np.int64), ("row", np.int64), ("bit", np.int64)]),
        np.array([[(0, 0, True)]], cases[0].mechanism.dtype),
    ]


class TestPCE(Contract):
    cases = PCE.example()
    bad_values = [
        [0, 1],
        people([3], [0]),
        people([0], [2]),
        np.array([(-1, 0)], [("item", np.int64), ("level", np.int64)]),
        np.array([(0, -1)], [("item", np.int64), ("level", np.int64)]),
        np.array([(0.5, 0)], [("item", float), ("level", np.int64)]),
        np.array([(0, 0.0)], [("item", np.int64), ("level", float)]),
        np.array([(0, True)], [("item", np.int64), ("level", bool)]),
        np.array([(0, 0)], [("level", np.int64), ("item", np.int64)]),
        people([0], [0])[0],
    ]
    bad_reports = [
        [0, 1],
        np.array([(2, 0, True)], cases[0].mechanism.dtype),
        np.array([(0, 4, True)], cases[0].mechanism.dtype),
        np.array([(-1, 0, True)], cases[0].mechanism.dtype),
        np.array([(0, 0, 2)], [("level", np.int64), ("row", np.int64), ("bit", np.int64)]),
        np.array([[(0, 0, True)]], cases[0].mechanism.dtype),
    ]


# ---------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class OtherLevel(PCE):
    """Decodes a report with the constant of another level."""

    scale = property(lambda self: super().scale[::-1])


@dataclass(frozen=True, kw_only=True)
class OneLevel(PCE):
    """Decodes every report with the constant of the mean ε."""

    scale = property(lambda self: np.full(len(self.levels), 1 / np.tanh(np.mean(self.levels) / 2)))


@dataclass(frozen=True, kw_only=True)
class LargestLevel(PCE):
    """Gives everybody the largest ε."""

    truth = property(lambda self: (super().truth[-1],) * len(self.levels))


@dataclass(frozen=True, kw_only=True)
class OneRowAnItem(PCE):
    """Draws among the first k rows, whose columns are not orthogonal."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports["row"] = uniform(self.k, reports.shape, rng)
        honest = bernoulli(np.array([float(p) for p in self.truth])[reports["level"]], reports.shape, rng)
        reports["bit"] = parity(reports["row"], values["item"]) == honest
        return reports


@dataclass(frozen=True, kw_only=True)
class RowOfTheItem(PCE):
    """Picks its 'public' row by the item."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports["row"] = values["item"]
        return reports


@dataclass(frozen=True, kw_only=True)
class RowForgotten(PCE):
    """Leaves the public draw out of its noise."""

    def variance(self, values):
        return np.square(self.scale[values["level"]])[:, None] - np.ones(self.k)


@pytest.mark.parametrize(
    "mistake, caught_by",
    [
        (OtherLevel, "test_estimate_is_unbiased"),
        (OneLevel, "test_estimate_is_unbiased"),
        (LargestLevel, "test_epsilon_of_the_law_is_the_stated_one"),
        (OneRowAnItem, "test_estimate_is_unbiased"),
        (RowOfTheItem, "test_public_part_does_not_depend_on_the_value"),
        (RowOfTheItem, "test_epsilon_of_the_law_is_the_stated_one"),
        (RowForgotten, "test_noise_is_the_variance"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_mistake_is_caught(mistake, caught_by):
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(mistake.example()[0])


@dataclass(frozen=True, kw_only=True)
class TooFewRows(HadamardBit):
    """Has two items in one column."""

    m = property(lambda self: super().m // 2)


@dataclass(frozen=True, kw_only=True)
class ColumnZero(HadamardResponse):
    """Gives an item of each block the constant column."""

    def column(self, items):
        return items % self.blocks, items // self.blocks


@dataclass(frozen=True, kw_only=True)
class BlindInTheBlock(HadamardResponse):
    """Draws blind reports from the item's own block."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        return self.column(values)[0] * self.b + reports % self.b


@dataclass(frozen=True, kw_only=True)
class AsIfOrthogonal(SHist):
    """Forgets the error of its matrix."""

    expected = ItemOracle.expected


@dataclass(frozen=True, kw_only=True)
class MatrixForgotten(SHist):
    """Leaves the error of its matrix out of its noise."""

    def variance(self, values):
        return float(1 / (2 * self.support[0] - 1) ** 2) - ItemOracle.expected(self, values)


@dataclass(frozen=True, kw_only=True)
class OneOfAll(HarmonyFrequency):
    """Forgets that an attribute is answered about by one person in d."""

    def estimate(self, tally):
        return super().estimate(tally) / len(self.sizes)


@dataclass(frozen=True, kw_only=True)
class NoiseOfOneAttribute(HarmonyFrequency):
    """Leaves the draw of the attribute out of its noise."""

    def variance(self, values):
        return super().variance(values) / len(self.sizes)


@pytest.mark.parametrize(
    "mistake, caught_by",
    [
        (TooFewRows(k=3, epsilon=1.0), "test_estimate_is_unbiased"),
        (ColumnZero(k=3, epsilon=1.0, blocks=1), "test_estimate_is_unbiased"),
        (ColumnZero(k=6, epsilon=1.0, blocks=2), "test_estimate_is_unbiased"),
        (BlindInTheBlock(k=6, epsilon=1.0, blocks=2), "test_epsilon_of_the_law_is_the_stated_one"),
        (AsIfOrthogonal(k=3, epsilon=1.0, m=5), "test_estimate_is_unbiased"),
        (MatrixForgotten(k=3, epsilon=1.0, m=5), "test_noise_is_the_variance"),
        (OneOfAll(sizes=(2, 3), epsilon=1.0), "test_estimate_is_unbiased"),
        (NoiseOfOneAttribute(sizes=(2, 3), epsilon=1.0), "test_noise_is_the_variance"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_mistake_without_levels_is_caught(mistake, caught_by):
    inputs = np.array(list(product(*map(range, mistake.sizes)))) if hasattr(mistake, "sizes") else np.arange(mistake.k)
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(Example(mistake, inputs))


# ----------------------------------------------------------------------------------------------------- simulation


def histogram(mechanism, people):
    return np.bincount(people, minlength=mechanism.k)


@pytest.mark.parametrize(
    "mechanism",
    [
        HadamardBit(k=3, epsilon=1.0),
        HadamardResponse(k=3, epsilon=1.0, blocks=1),
        HadamardResponse(k=3, epsilon=1.0, blocks=2),
    ],
    ids=str,
)
def test_simulated_tallies_have_the_joint_law_of_clients(mechanism):
    for pair in combinations_with_replacement(range(3), 2):
        clients = law(lambda rng, pair=pair: mechanism.tally(mechanism.perturb(np.array(pair), rng=rng)).counts)
        counts = histogram(mechanism, pair)
        simulated = law(lambda rng, counts=counts: mechanism.simulate(counts, trials=1, rng=rng).counts[0])
        assert total_variation(clients, simulated) <= 2.0**-50


def test_simulated_trials_are_independent():
    mechanism, counts = HadamardBit(k=2, epsilon=1.0), np.array([0, 1])
    one = law(lambda rng: mechanism.simulate(counts, trials=1, rng=rng).counts[0])
    two = law(lambda rng: mechanism.simulate(counts, trials=2, rng=rng).counts)
    assert two == {(x, y): p * q for x, p in one.items() for y, q in one.items()}


def test_simulated_supporters_have_the_law_of_clients():
    mechanism = HadamardBit(k=3, epsilon=1.0)
    for pair in combinations_with_replacement(range(3), 2):
        counts = histogram(mechanism, pair)
        for v in range(3):

            def clients(rng, pair=pair, v=v):
                return int(mechanism.supporters(mechanism.tally(mechanism.perturb(np.array(pair), rng=rng)))[v])

            def simulated(rng, counts=counts, v=v):
                return int(mechanism.simulate_marginals(counts, trials=1, rng=rng).counts[0, v])

            assert total_variation(law(clients), law(simulated)) <= 2.0**-50


@pytest.mark.parametrize(
    "mechanism, simulate",
    [
        (HadamardBit(k=6, epsilon=1.0), "simulate"),
        (HadamardBit(k=6, epsilon=1.0), "simulate_marginals"),
        (HadamardResponse(k=6, epsilon=1.0, blocks=1), "simulate"),
        (HadamardResponse(k=6, epsilon=3.0), "simulate"),
        (SHist(k=6, epsilon=1.0, m=20), "simulate_marginals"),
    ],
    ids=str,
)
def test_simulated_estimates_have_the_stated_mean_and_variance(mechanism, simulate):
    """Limit of 6.5 standard errors: P(|Z| > 6.5) < 1e-10, for twelve nearly normal statistics."""
    counts, trials = np.array([400, 100, 0, 50, 200, 0]), 4000
    tally = getattr(mechanism, simulate)(counts, trials=trials, rng=np.random.default_rng(9))
    estimate, people = mechanism.estimate(tally), np.repeat(np.arange(6), counts)
    assert tally.n == 750 and estimate.shape == (trials, 6)
    variance = mechanism.variance(people).sum(0) / 750**2
    z = (estimate.mean(0) - mechanism.expected(people).mean(0)) / np.sqrt(variance / trials)
    ratio = (estimate.var(0) / variance - 1) / sqrt(2 / trials)
    assert np.abs(z).max() < 6.5 and np.abs(ratio).max() < 6.5


def test_tally_of_supporters_is_not_one_of_rows():
    """With two items there are as many rows as items, and shapes alone would not tell."""
    mechanism = HadamardBit(k=2, epsilon=1.0)
    supporters = mechanism.simulate_marginals([30, 10], trials=2, rng=np.random.default_rng(0))
    rows = mechanism.simulate([30, 10], trials=2, rng=np.random.default_rng(0))
    assert np.array_equal(mechanism.supporters(supporters), supporters.counts)
    with pytest.raises(ValueError, match="same items"):
        supporters + rows


@pytest.mark.parametrize(
    "counts, trials", [([1, 2], 1), ([0, 0, 0], 1), ([1, -1, 2], 1), ([1.5, 1, 1], 1), ([1, 1, 1], 0)]
)
@pytest.mark.parametrize(
    "simulate",
    [
        HadamardBit(k=3, epsilon=1.0).simulate,
        HadamardBit(k=3, epsilon=1.0).simulate_marginals,
        HadamardResponse(k=3, epsilon=1.0).simulate,
        SHist(k=3, epsilon=1.0, m=4).simulate_marginals,
    ],
    ids=lambda f: f.__qualname__,
)
def test_bad_simulations_are_refused(simulate, counts, trials):
    with pytest.raises(ValueError, match="must"):
        simulate(counts, trials=trials, rng=np.random.default_rng(0))


# -------------------------------------------------------------------------------------------------- random matrices


def entries(mechanism):
    """The matrix as signs, entry by entry."""
    minus = mechanism.minus(np.arange(mechanism.m)[:, None], np.arange(mechanism.k))
    return 1 - 2 * minus.astype(int)


def test_entries_are_made_of_matrix_row_and_item():
    step = int(GOLDEN)
    for matrix, row in [(0, 0), (7, 3), (2**64 - 1, 2**40)]:
        of_row = splitmix((splitmix((matrix + step) % 2**64) + (row + 1) * step) % 2**64)
        words = [splitmix((of_row + (i + 1) * step) % 2**64) for i in range(5)]
        found = SHist(k=300, epsilon=1.0, m=2**41, matrix=matrix).minus(np.array([row]), np.arange(300))
        assert found.tolist() == [bool(words[item // 64] >> item % 64 & 1) for item in range(300)]


@pytest.mark.parametrize("words", [4, 1 << 15])
def test_gram_and_tally_are_those_of_the_entries(words, monkeypatch):
    """By blocks of few rows and reports, and all at once; with more than 255 supporters, which a byte cannot count."""
    monkeypatch.setattr(succinct, "WORDS", words)
    mechanism = SHist(k=100, epsilon=20.0, m=300, matrix=3)
    signs = entries(mechanism)
    assert np.array_equal(mechanism.gram, signs.T @ signs / 300)
    reports = mechanism.perturb(np.repeat([5, 70], 350), rng=np.random.default_rng(6))
    supports = signs[reports["row"]] == 1 - 2 * reports["bit"][:, None].astype(int)
    assert np.array_equal(mechanism.tally(reports).counts, supports.sum(0))


def test_gram_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        SHist(k=3, epsilon=1.0, m=4).gram[0, 0] = 2


def test_random_matrix_is_unbiased_on_average():
    """A sum of random signs of 2000 matrices; Hoeffding's bound, for 45 pairs of items, has a false alarm of 1e-9."""
    m, matrices, pairs = 16, 2000, list(combinations(range(10), 2))
    grams = np.stack([SHist(k=10, epsilon=1.0, m=m, matrix=i).gram for i in range(matrices)])
    bound = sqrt(2 * log(2 * len(pairs) / 1e-9) / (m * matrices))
    off = np.stack([grams[:, x, v] for x, v in pairs])
    assert np.abs(off.mean(1)).max() < bound < np.abs(off[:, 0]).max()  # one matrix alone is far off


def agreement(k, m, matrices):
    """Rows in which two columns agree, of disjoint pairs of columns: independent, and Bin(m, 1/2) by a fair matrix."""
    signs = (entries(SHist(k=k, epsilon=1.0, m=m, matrix=i)) for i in range(matrices))
    return np.concatenate([(s[:, 0::2] == s[:, 1::2]).sum(0) for s in signs])


def looks_random(agreeing, m):
    """By the whole law, and by the variance of the Gram matrix, 1/m: mean of m G² within 7 standard errors of 1."""
    n = len(agreeing)
    fit = chi_square(np.bincount(agreeing, minlength=m + 1), n * binom.pmf(np.arange(m + 1), m, 0.5)) > FALSE_ALARM
    spread = m * np.mean((2 * agreeing / m - 1) ** 2)
    return fit, abs(spread - 1) < 7 * sqrt(2 / n)


def test_gram_matrix_varies_as_that_of_fair_coins(monkeypatch):
    assert looks_random(agreement(128, 32, 250), 32) == (True, True)
    monkeypatch.setattr(succinct, "splitmix", lambda x: x ^ (x >> np.uint64(30)))  # control: hardly mixed at all
    assert looks_random(agreement(128, 32, 250), 32) == (False, False)


@pytest.mark.parametrize("more", [{"m": 0}, {"m": -1}, {"m": 2.5}, {"m": None}, {"m": True}, {"m": 2**63}])
def test_bad_number_of_rows_is_refused(more):
    with pytest.raises(ValueError, match="m must be .*, got"):
        SHist(k=3, epsilon=1.0, **more)


@pytest.mark.parametrize("matrix", [-1, 2**64, 0.5, None, "0", False])
def test_bad_number_of_the_matrix_is_refused(matrix):
    with pytest.raises(ValueError, match="matrix must be .*, got"):
        SHist(k=3, epsilon=1.0, m=4, matrix=matrix)


# ------------------------------------------------------------------------------------------------ Hadamard response


def worst_risk(k, epsilon, blocks):
    """Sum of all items' variances for one person, at the worst item."""
    return HadamardResponse(k=k, epsilon=epsilon, blocks=blocks).variance(np.arange(k)).sum(1).max()


@pytest.mark.parametrize(
    "k, epsilon, blocks",
    [(1000, 0.1, 1), (1000, 0.69, 1), (1000, 0.7, 2), (1000, 2.0, 4), (1000, 20.0, 1024), (3, 20.0, 4), (2, 20.0, 2)],
)
def test_default_number_of_blocks_is_that_of_the_paper(k, epsilon, blocks):
    assert HadamardResponse(k=k, epsilon=epsilon).blocks == blocks


@pytest.mark.parametrize("epsilon", [0.5, 0.7, 1.0, 1.3, 1.4, 2.0, 2.5, 3.0, 4.0, 5.0])
def test_default_number_of_blocks_is_the_best_or_twice_as_many(epsilon):
    k, mechanism = 600, HadamardResponse(k=600, epsilon=epsilon)
    risk = {2**i: worst_risk(k, epsilon, 2**i) for i in range(11)}
    best = min(risk, key=risk.get)
    assert best == max(1, 2 ** ceil(log((exp(epsilon) - 1) / sqrt(8), 2)))
    assert mechanism.blocks == (2 * best if exp(epsilon) / 2 > best else best)
    assert risk[best] <= risk[mechanism.blocks] < 1.4 * risk[best]


def test_one_block_is_a_pure_protocol():
    one, bit = HadamardResponse(k=5, epsilon=1.0, blocks=1), HadamardBit(k=5, epsilon=1.0)
    np.testing.assert_allclose(one.variance(np.arange(5)), bit.variance(np.arange(5)), rtol=1e-12)


def test_blocks_are_filled_evenly():
    for k, blocks in product(range(2, 40), (1, 2, 4, 8, 16, 32)):
        if blocks >= 2 * k:
            continue
        mechanism = HadamardResponse(k=k, epsilon=1.0, blocks=blocks)
        block, column = mechanism.column(np.arange(k))
        assert len(set(zip(block.tolist(), column.tolist(), strict=True))) == k
        assert column.min() == 1 and column.max() < mechanism.b
        assert np.ptp(np.bincount(block, minlength=blocks)) <= 1


@pytest.mark.parametrize("blocks", [3, 6, -1, 8, 2.0, None, True, "2"])
def test_bad_number_of_blocks_is_refused(blocks):
    with pytest.raises(ValueError, match="blocks must be .*, got"):
        HadamardResponse(k=4, epsilon=1.0, blocks=blocks)


# -------------------------------------------------------------------------------------------------------- Harmony


@pytest.mark.parametrize("sizes", [(), [2, 3], 3, None, (2, 1), (2, 2.5), (2, "3"), (True, 2), (0,)])
def test_bad_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match="sizes must be .*, got"):
        HarmonyFrequency(sizes=sizes, epsilon=1.0)


def test_attributes_are_found_by_their_slices():
    """Attributes of 5, 3 and 9 values; each value of each is within 6.7 standard deviations."""
    mechanism, rng = HarmonyFrequency(sizes=(5, 3, 9), epsilon=1.0), np.random.default_rng(12)
    values = np.stack([rng.integers(size, size=20_000) * rng.integers(2, size=20_000) for size in (5, 3, 9)], 1)
    estimate = mechanism.estimate(mechanism.tally(mechanism.perturb(values, rng=rng)))
    sd = np.sqrt(mechanism.variance(values).sum(0)) / 20_000
    assert [len(estimate[part]) for part in mechanism.slices] == [5, 3, 9]
    for j, part in enumerate(mechanism.slices):
        share = np.bincount(values[:, j]) / 20_000
        assert np.all(np.abs(estimate[part] - share) < 6.7 * sd[part])
        assert share[0] > 6.7 * sd[part][0] + share[1]  # which a slice that is off by one would not pass


# -------------------------------------------------------------------------------------------------------- pooling


def pooled_moments(mechanism, values):
    """Exact mean and variance of the pooled estimate of a whole population, by its people's laws."""
    probability, estimates = [], []
    for reports in product(*(one.items() for one in laws(mechanism, values))):
        probability.append(float(prod((p for _, p in reports), start=Fraction(1))))
        tally = mechanism.tally(np.array([y for y, _ in reports], mechanism.dtype))
        estimates.append(mechanism.estimate_pooled(tally))
    p, x = np.array(probability), np.stack(estimates)
    return p @ x, p @ (x - p @ x) ** 2


@pytest.mark.parametrize(
    "items, levels",
    [([0, 1, 0, 1], [0, 0, 1, 1]), ([0, 0, 1, 0], [0, 1, 1, 1]), ([1], [0]), ([0, 1], [1, 1])],
)
def test_pooled_estimate_has_the_stated_mean_and_variance(items, levels):
    mechanism, values = PCE(k=2, levels=(0.5, 2.0)), people(items, levels)
    mean, variance = pooled_moments(mechanism, values)
    w, held = mechanism.scale[np.array(levels)] ** -2.0, mechanism.expected(values)
    np.testing.assert_allclose(mean, w @ held / w.sum(), atol=1e-12)
    np.testing.assert_allclose(variance, (w.sum() - w**2 @ held) / w.sum() ** 2, rtol=1e-9)


def test_pooled_estimate_is_unbiased_where_levels_do_not_depend_on_the_item():
    mechanism = PCE(k=2, levels=(0.5, 2.0))
    alike, apart = people([0, 1, 0, 1], [0, 0, 1, 1]), people([0, 0, 1, 1], [0, 0, 1, 1])
    np.testing.assert_allclose(pooled_moments(mechanism, alike)[0], [0.5, 0.5], atol=1e-12)
    weights = np.tanh(np.array([0.25, 1.0])) ** 2  # 1/c²; the item of the careful half comes out too rare
    np.testing.assert_allclose(pooled_moments(mechanism, apart)[0], weights / weights.sum(), atol=1e-12)
    assert weights[0] / weights.sum() < 0.1


def test_pooling_pays():
    """Variance of an absent item: 1/Σw against Σc²/n², the plain estimate's."""
    mechanism, values = PCE(k=2, levels=(0.5, 2.0)), people([0, 0, 0, 0], [0, 0, 1, 1])
    c = 1 / np.tanh(np.array([0.25, 0.25, 1.0, 1.0]))
    pooled, plain = pooled_moments(mechanism, values)[1][1], mechanism.variance(values).sum(0)[1] / 16
    assert pooled == pytest.approx(1 / np.sum(c**-2.0)) and plain == pytest.approx(np.sum(c**2) / 16)
    assert pooled < plain / 2


def test_one_level_pooled_is_the_plain_estimate():
    mechanism, values = PCE(k=3, levels=(1.0,)), people([0, 1, 1, 2], [0, 0, 0, 0])
    tally = mechanism.tally(mechanism.perturb(values, rng=np.random.default_rng(13)))
    trials = Tally(mechanism, 4, np.stack([tally.counts, tally.counts[..., ::-1]]))
    np.testing.assert_allclose(mechanism.estimate_pooled(trials), mechanism.estimate(trials), rtol=1e-12)


def test_pooled_estimate_refuses_what_the_plain_one_refuses():
    mechanism = PCE(k=3, levels=(0.5, 2.0))
    with pytest.raises(ValueError, match="tally must be of"):
        mechanism.estimate_pooled(replace(mechanism, k=4).tally(np.zeros(1, mechanism.dtype)))
    with pytest.raises(ValueError, match="at least one report"):
        mechanism.estimate_pooled(mechanism.tally(np.zeros(0, mechanism.dtype)))


# ------------------------------------------------------------------------------------------------- other promises


def largest_z(mechanism, decoder):
    """Mixed population, level tied to the item: how far is an estimate from its expectation at most, in sds?"""
    rng = np.random.default_rng(11)
    items = rng.integers(mechanism.k, size=5000) * rng.integers(2, size=5000)
    values = people(items, np.where(items == 0, 0, rng.integers(len(mechanism.levels), size=5000)))
    counts = mechanism.tally(mechanism.perturb(values, rng=rng)).counts
    tally = decoder.tally(np.empty(0, decoder.dtype))
    estimate = decoder.estimate(type(tally)(decoder, 5000, counts))
    sd = np.sqrt(mechanism.variance(values).sum(0)) / 5000
    return np.abs((estimate - mechanism.expected(values).mean(0)) / sd).max()


def test_mixed_population_is_estimated():
    """Half of the people hold item 0 of 300, at the lowest level; the control swaps the constants of the levels."""
    shape = dict(k=300, levels=(0.5, 1.0, 2.0))
    assert largest_z(PCE(**shape), PCE(**shape)) < 6.7 < largest_z(PCE(**shape), OtherLevel(**shape))


def test_every_level_is_kept_at_every_size():
    levels = (EPSILON_MIN, 0.01, 0.1, 1, 3, 10, 20, EPSILON_MAX)
    for epsilon in levels:
        assert epsilon - stated_rounding(epsilon) <= PCE(k=3, levels=(epsilon,)).realised_epsilon <= epsilon
    assert PCE(k=3, levels=levels).epsilon == EPSILON_MAX
    assert PCE(k=3, levels=levels).truth == sum((PCE(k=3, levels=(epsilon,)).truth for epsilon in levels), ())


@pytest.mark.parametrize(
    "levels", [(), 1.0, [1.0], None, (1.0, 1.0), (2.0, 1.0), (0,), (33.0,), (1.0, float("nan")), ("1",), (True,)]
)
def test_bad_levels_are_refused(levels):
    with pytest.raises(ValueError, match=r"levels.* must be .*, got"):
        PCE(k=3, levels=levels)


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, "4", None, True])
def test_bad_domain_size_is_refused(k):
    for make in (
        lambda: PCE(k=k, levels=(1.0,)),
        lambda: HadamardBit(k=k, epsilon=1.0),
        lambda: HadamardResponse(k=k, epsilon=1.0),
        lambda: SHist(k=k, epsilon=1.0, m=4),
    ):
        with pytest.raises(ValueError, match="k must be an integer, at least 2, got"):
            make()


@pytest.mark.parametrize("items, levels", [([0, 1], [0]), ([-1], [0]), ([0.5], [0]), ([0], ["a"]), ([[0]], [[0]])])
def test_bad_people_are_refused(items, levels):
    with pytest.raises(ValueError, match=r"must .*, got"):
        people(items, levels)


@pytest.mark.parametrize("m", [1, 2, 8, 64])
def test_fast_transform_is_the_matrix(m):
    rows = np.arange(m)
    assert np.array_equal(1 - 2 * parity(rows[:, None], rows), sylvester(m))
    x = np.random.default_rng(5).integers(-1000, 1000, (3, 2, m))
    assert fwht(x).dtype == np.int64 and np.array_equal(fwht(x), x @ sylvester(m))
    np.testing.assert_allclose(fwht(x / 7), x @ sylvester(m) / 7, rtol=1e-12, atol=1e-9)
    assert np.array_equal(fwht(fwht(x)), m * x)


@pytest.mark.parametrize("x", [[1, 2, 3], [], 1.0, np.zeros((4, 6)), [True, False], ["a", "b"]])
def test_transform_of_other_lengths_is_refused(x):
    with pytest.raises(ValueError, match="x must"):
        fwht(x)
