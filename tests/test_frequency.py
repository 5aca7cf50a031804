from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import comb, exp, inf, isfinite, log

import numpy as np
import pytest
from contract import Case, Contract

from ldpnb.chance import COINS, law, odds, pick, uniform
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.hashing import SlotTable
from ldpnb.oracles import subset
from ldpnb.oracles.base import BLOCK
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.oracles.olh import OLH
from ldpnb.oracles.personal import PCE, people
from ldpnb.oracles.subset import SubsetSelection, best_size, minimax_risk
from ldpnb.oracles.succinct import SHist
from ldpnb.oracles.unary import OUE, SUE
from ldpnb.verify import epsilon, laws, moments

CODES = [[-1], [3], [0.5], [np.nan], ["a"], [[0]], 0, [True], [None], [2**63]]


def all_of(mechanism):
    return np.arange(mechanism.k)


def cases(*mechanisms, **more):
    return [Case(m, all_of(m), **more) for m in mechanisms]


class TestGRR(Contract):
    cases = cases(
        *(GRR(k=k, epsilon=e) for k, e in [(3, 1.0), (2, 0.1), (2, 4.0), (5, 2.0), (3, 20.0)]), histogram=True
    )
    bad_values = CODES
    bad_reports = CODES


class TestSUE(Contract):
    cases = [
        *cases(*(SUE(k=k, epsilon=e) for k, e in [(3, 1.0), (2, 0.1)]), histogram=True),
        *cases(SUE(k=4, epsilon=3.0), histogram=True, pairs=False),
    ]
    bad_values = CODES
    bad_reports = [np.zeros((2, 3)), np.zeros((2, 4), bool), np.zeros(3, bool), [[2, 0, 1]], "abc"]


class TestOUE(Contract):
    cases = [
        *cases(*(OUE(k=k, epsilon=e) for k, e in [(3, 1.0), (2, 0.1)]), histogram=True),
        *cases(OUE(k=4, epsilon=3.0), histogram=True, pairs=False),
    ]
    bad_values = CODES
    bad_reports = TestSUE.bad_reports


class TestOLH(Contract):
    cases = [
        *cases(
            OLH(k=3, epsilon=1.0, prime=5),
            OLH(k=4, epsilon=0.5, g=3, prime=5),
            OLH(k=5, epsilon=1.0, prime=5),
            OLH(k=2, epsilon=2.0, prime=5),
            pairs=False,  # see test_people_of_local_hashing_are_independent
        ),
    ]
    bad_values = CODES
    bad_reports = [
        np.zeros(2, np.int64),
        np.array([((0, 0, 0), 3)], OLH(k=3, epsilon=1.0, prime=5).dtype),
        np.array([((0, 5, 0), 1)], OLH(k=3, epsilon=1.0, prime=5).dtype),
    ]


class TestSubsetSelection(Contract):
    cases = cases(
        SubsetSelection(k=4, epsilon=1.0, size=2),
        *(SubsetSelection(k=k, epsilon=e) for k, e in [(2, 1.0), (5, 0.5), (4, 3.0)]),
        *(SubsetSelection(k=k, epsilon=e, size=c) for k, e, c in [(4, 0.1, 3), (5, 2.0, 3), (5, 1.0, 4), (3, 8.0, 1)]),
        histogram=True,
    )
    bad_values = [*CODES[:1], [4], *CODES[2:]]
    bad_reports = [
        np.zeros((2, 4)),
        np.zeros((2, 5), bool),
        np.zeros(4, bool),
        np.array([[1, 1, 0, 0], [1, 0, 0, 0]], bool),
        np.array([[1, 1, 0, 0], [1, 1, 1, 0]], bool),
        [[0, 1]],
    ]


class TestPackedUnary(Contract):
    cases = [
        *cases(
            OUE(k=3, epsilon=1.0, packed=True),
            SUE(k=2, epsilon=0.1, packed=True),
            histogram=True,
        ),
        *cases(SUE(k=4, epsilon=3.0, packed=True), histogram=True, pairs=False),
        Case(OUE(k=9, epsilon=2.0, packed=True), np.array([0, 7, 8]), pairs=False),  # items of both bytes
    ]
    bad_values = CODES
    bad_reports = [
        np.zeros((2, 3), bool),
        np.zeros((2, 2), np.uint8),
        np.zeros(1, np.uint8),
        np.zeros((2, 1), np.int64),
        np.array([[7], [8]], np.uint8),
        np.array([[128], [0]], np.uint8),
    ]


class TestPackedSubsets(Contract):
    cases = [
        *cases(
            SubsetSelection(k=3, epsilon=1.0, size=2, packed=True),
            SubsetSelection(k=2, epsilon=1.0, packed=True),
            histogram=True,
        ),
        *cases(SubsetSelection(k=4, epsilon=3.0, packed=True), histogram=True, pairs=False),
        *cases(
            SubsetSelection(k=4, epsilon=1.0, size=2, packed=True),
            SubsetSelection(k=5, epsilon=2.0, size=3, packed=True),
            SubsetSelection(k=9, epsilon=1.0, size=1, packed=True),
            SubsetSelection(k=9, epsilon=1.0, size=8, packed=True),
            pairs=False,
        ),
    ]
    bad_values = [*CODES[:1], [4], *CODES[2:]]
    bad_reports = [
        np.zeros((2, 4), bool),
        np.zeros((2, 2), np.uint8),
        np.array([[1], [3]], np.uint8),
        np.array([[1], [0]], np.uint8),
        np.array([[1], [16]], np.uint8),
    ]


def unpacked(bits, k):
    return np.unpackbits(bits, axis=1, bitorder="little")[:, :k].astype(bool)


@pytest.mark.parametrize(
    "mechanism",
    [
        *(OUE(k=k, epsilon=1.5) for k in (3, 8, 9)),
        *(SUE(k=k, epsilon=1.5) for k in (3, 8)),
        *(SubsetSelection(k=k, epsilon=1.0, size=c) for k in (2, 3, 4, 5) for c in range(1, k)),
        *(SubsetSelection(k=9, epsilon=1.0, size=c) for c in (1, 8)),
    ],
    ids=str,
)
def test_packed_reports_have_the_law_of_plain_ones(mechanism):
    """To the last fraction: whatever rows were drawn packed, and put right, could have been drawn plainly."""
    packed = replace(mechanism, packed=True)
    for x in {0, mechanism.k // 2, mechanism.k - 1}:
        found = law(lambda rng, x=x: unpacked(packed.perturb([x], rng=rng), mechanism.k))
        assert found == law(lambda rng, x=x: mechanism.perturb([x], rng=rng))


@pytest.mark.slow
@pytest.mark.parametrize("rounds, before", [(1, 0), (2, 1), (4, 3), (0, 2), (4, 4), (4, 5)])
def test_sets_of_any_size_are_put_right_without_preference(rounds, before, monkeypatch):
    """From all sets of `before` of nine items to all with the own one and two others; in both bytes."""
    sets = [sum(1 << v for v in some) for some in combinations(range(9), before)]

    def begun(p, shape, rng):
        assert shape == (1, 9)
        return np.array([[pick(sets, rng)]], "<u2").view(np.uint8)

    monkeypatch.setattr(subset, "packed_bernoulli", begun)
    monkeypatch.setattr(subset, "ROUNDS", rounds)

    def program(rng, x):
        bits = np.zeros((1, 2), np.uint8)
        subset._fill_packed(bits, np.array([x]), np.array([True]), 3, 9, rng)
        return np.flatnonzero(unpacked(bits, 16)[0])

    for x in (4, 8) if rounds < 2 else (8,):  # the longer ones on the byte that is not full
        found = law(lambda rng, x=x: program(rng, x))
        sets_with = [tuple(sorted((*others, x))) for others in combinations(set(range(9)) - {x}, 2)]
        assert found == dict.fromkeys(sets_with, Fraction(1, comb(8, 2)))


@pytest.mark.parametrize("k, size, epsilon", [(1024, 0, 1.0), (70, 0, 0.5), (61, 40, 1.0), (500, 3, 1.0)])
def test_packed_sets_of_large_domains(k, size, epsilon):
    """Sizes are exact; the own item, and neighbouring pairs of others, are as often in as stated."""
    mechanism, n = SubsetSelection(k=k, epsilon=epsilon, size=size, packed=True), BLOCK + 5000
    values = np.where(np.arange(n) < BLOCK, 2, k - 1)
    packed = mechanism.perturb(values, rng=np.random.default_rng(14))
    bits, c = unpacked(packed, k), mechanism.set_size
    assert np.array_equal(packed, np.packbits(bits, axis=1, bitorder="little")) and np.all(bits.sum(1) == c)
    assert np.array_equal(mechanism.tally(packed).counts, bits.sum(0))
    p, q = (float(x) for x in mechanism.support)
    for who in (slice(BLOCK), slice(BLOCK, None)):
        rows, own = bits[who], values[who][0]
        mean = np.where(np.arange(k) == own, p, q)
        z = (rows.mean(0) - mean) / np.sqrt(mean * (1 - mean) / len(rows))
        assert np.abs(z).max() < 8  # 2048 · P(|Z| > 8) < 3e-12; normal enough from means of 5000 · 0.006
        others = np.delete(rows, own, 1)
        both = (p * (c - 1) * (c - 2) + (1 - p) * c * (c - 1)) / ((k - 1) * (k - 2))
        pairs = (others[:, 1:] & others[:, :-1]).mean(1)
        assert abs(pairs.mean() - both) < 8 * pairs.std() / np.sqrt(len(rows)) + 1e-12


def test_plain_reports_are_drawn_from_the_same_numbers_as_ever():
    """All coins of the other items, in one stream whatever the blocks, and then those of the own ones."""
    mechanism, n = OUE(k=300, epsilon=1.0), 3 * COINS // 300
    values, rng = np.arange(n) % 300, np.random.default_rng(15)
    p, q = (float(x) for x in mechanism.support)
    bits = rng.random((n, 300)) < q
    bits[np.arange(n), values] = rng.random(n) < p
    assert np.array_equal(mechanism.perturb(values, rng=np.random.default_rng(15)), bits)


@pytest.mark.parametrize("packed", [1, 0, None, "yes", np.True_])
def test_packed_is_yes_or_no(packed):
    for make in (OUE, SubsetSelection):
        with pytest.raises(ValueError, match="packed must be True or False, got"):
            make(k=4, epsilon=1.0, packed=packed)


def largest_z(mechanism, n, fixed):
    """Everybody holds item 1 of consecutive items: how far is an estimate from its expectation at most?"""
    rng = np.random.default_rng(7)
    reports = mechanism.perturb(np.ones(n, int), rng=rng)
    if fixed:
        reports["seed"][:, [0, 2]] = 0
        reports["slot"] = mechanism.slots.perturb(mechanism.hash(reports["seed"], 1), rng=rng)
    estimate = mechanism.estimate(mechanism.tally(reports))
    return np.abs((estimate - mechanism.expected([1])[0]) / np.sqrt(mechanism.variance([1])[0] / n)).max()


def test_full_size_hash_is_unbiased_on_consecutive_items():
    """500 consecutive items; the control, multiplication by b alone, makes item 3 follow item 1."""
    mechanism, n = OLH(k=500, epsilon=1.0), 40_000
    assert (
        largest_z(mechanism, n, fixed=False) < 6.7 < largest_z(mechanism, n, fixed=True)
    )  # 500 · P(|Z| > 6.7) < 1.1e-8


@pytest.mark.parametrize("make", [GRR, SUE, OUE, OLH])
@pytest.mark.parametrize("k", [1, 0, -3, 2.5, "4", None, True])
def test_bad_domain_size_is_refused(make, k):
    with pytest.raises(ValueError, match="k must be an integer, at least 2, got"):
        make(k=k, epsilon=1.0)


def test_local_hashing_counts_every_report_of_every_block():
    """The twin of the compiled tally hashes every item for every report."""
    mechanism, n = OLH(k=7, epsilon=1.0), 2 * BLOCK + 5
    reports = mechanism.perturb(np.arange(n) % 7, rng=np.random.default_rng(8))
    slots = mechanism.hash(reports["seed"][:, None], np.arange(7))
    tally = mechanism.tally(reports)
    assert (tally.n, tally.counts.tolist()) == (n, (slots == reports["slot"][:, None]).sum(0).tolist())


def test_bad_report_in_a_later_block_is_refused():
    mechanism = OLH(k=7, epsilon=1.0)
    reports = mechanism.perturb(np.zeros(BLOCK + 5, int), rng=np.random.default_rng(9))
    reports["slot"][-1] = 4
    with pytest.raises(ValueError, match=r"slot must be integers in \[0, 4\), got 4"):
        mechanism.tally(reports)


@pytest.mark.parametrize("k, epsilon, g", [(99, 1.0, 4), (99, 0.1, 2), (99, 3.0, 21), (99, 10.0, 99), (2, 1.0, 2)])
def test_local_hashing_takes_the_best_number_of_slots(k, epsilon, g):
    assert OLH(k=k, epsilon=epsilon).slot_count == g


@pytest.mark.parametrize("g", [1, -2, 2.5, "2", None, False])
def test_impossible_number_of_slots_is_refused(g):
    with pytest.raises(ValueError, match=r"g must be .*integer.*, got"):
        OLH(k=4, epsilon=1.0, g=g)


@pytest.mark.parametrize(
    "more, error",
    [
        ({"prime": 3}, "prime must be an integer, at least 5, got 3"),
        ({"prime": 9}, "prime must be a prime number, got 9"),
        ({"prime": 2**31}, f"prime must be at most {2**31 - 1}, got {2**31}"),
        ({"prime": 7.0}, "prime must be an integer, at least 5, got 7.0"),
        ({"prime": 5, "g": 6}, "g must be at most 5, got 6"),
        ({"prime": 5, "k": 6}, "k must be at most 5, got 6"),
        ({"k": 2**31}, f"k must be at most {2**31 - 1}, got {2**31}"),
    ],
)
def test_impossible_hash_is_refused(more, error):
    with pytest.raises(ValueError, match=f"^{error}$"):
        OLH(**({"k": 4, "epsilon": 1.0} | more))


@pytest.mark.parametrize("prime, wrong", [(2**31 - 1, 2**31 - 1), (2**31 - 1, 2**32 - 1), (5, 5)])
def test_seeds_that_nobody_draws_are_refused(prime, wrong):
    mechanism = OLH(k=4, epsilon=1.0, prime=prime)
    reports = mechanism.perturb(np.zeros(BLOCK + 5, int), rng=np.random.default_rng(9))
    reports["seed"][-1, 1] = prime - 1
    assert mechanism.tally(reports).n == BLOCK + 5
    reports["seed"][-1, 1] = wrong
    with pytest.raises(ValueError, match=rf"^seed must be integers in \[0, {prime}\), got {wrong}$"):
        mechanism.tally(reports)


@dataclass(frozen=True, kw_only=True)
class FewSeeds(OLH):
    """Local hashing under so few seeds that the branches of two people can be walked."""

    hash = cached_property(lambda self: SlotTable(keys=self.k, slots=self.slot_count))


@dataclass(frozen=True, kw_only=True)
class SharedSeed(FewSeeds):
    """Gives all people the seed of the first."""

    def perturb(self, values, *, rng):
        reports = np.empty(len(values), self.dtype)
        reports["seed"] = self.hash.seeds(1, rng)
        reports["slot"] = self.slots.perturb(self.hash(reports["seed"], values), rng=rng)
        return reports


def test_people_of_local_hashing_are_independent():
    one, shared = (cases(f(k=2, epsilon=2.0))[0] for f in (FewSeeds, SharedSeed))
    Contract().test_people_are_independent(one)
    with pytest.raises(AssertionError):
        Contract().test_people_are_independent(shared)


@pytest.mark.parametrize(
    "counts, trials", [([1, 2], 1), ([0, 0, 0], 1), ([1, -1, 2], 1), ([1.5, 1, 1], 1), ([1, 1, 1], 0)]
)
def test_bad_simulations_are_refused(counts, trials):
    for mechanism in (GRR(k=3, epsilon=1.0), SUE(k=3, epsilon=1.0)):
        with pytest.raises(ValueError, match="must"):
            mechanism.simulate(counts, trials=trials, rng=np.random.default_rng(0))


def test_default_number_of_slots_fits_the_hash():
    assert OLH(k=1000, epsilon=1.0).slot_count == 4
    assert OLH(k=3, epsilon=5.0).slot_count == 3
    assert OLH(k=2**20, epsilon=10.0).slot_count == 22027
    assert OLH(k=2**31 - 1, epsilon=EPSILON_MAX).slot_count == 2**31 - 1


@pytest.mark.parametrize("k, epsilon", [(3, 5.0), (10, 4.0), (5, 2.0), (2, 1.0)])
def test_more_slots_than_items_have_less_variance_where_k_limits_their_number(k, epsilon):
    best = OLH(k=k, epsilon=epsilon, g=round(exp(epsilon)) + 1)
    fewest = OLH(k=k, epsilon=epsilon)
    assert fewest.slot_count == k < best.slot_count
    assert GRR(k=k, epsilon=epsilon).rare_variance < best.rare_variance < fewest.rare_variance
    assert best.rare_variance == pytest.approx(OUE(k=k, epsilon=epsilon).rare_variance, rel=0.01)


def test_best_number_follows_epsilon_and_a_given_one_stays():
    for made, name, at_one, at_two in (
        (OLH(k=99, epsilon=1.0), "slot_count", 4, 8),
        (SubsetSelection(k=100, epsilon=1.0), "set_size", 27, 12),
    ):
        assert getattr(made, name) == at_one
        assert getattr(replace(made, epsilon=2.0), name) == at_two
    assert replace(OLH(k=99, epsilon=1.0, g=4), epsilon=2.0).slot_count == 4
    assert replace(SubsetSelection(k=100, epsilon=1.0, size=27), epsilon=2.0).set_size == 27


# --------------------------------------------------------------------------------------------------------- subsets


@pytest.mark.parametrize("k, epsilon, size", [(2, 1.0, 1), (4, 1.0, 2), (5, 0.3, 2), (5, 2.0, 4), (6, 1.0, 3)])
def test_sets_have_the_published_law(k, epsilon, size):
    """Sets with the item have k e^ε / ((c e^ε + k − c) C(k, c)), all others a factor of e^ε less (ye2018 §4.1.1)."""
    e = odds(epsilon)
    for x, found in enumerate(laws(SubsetSelection(k=k, epsilon=epsilon, size=size), np.arange(k))):
        sets = [tuple(v in chosen for v in range(k)) for chosen in combinations(range(k), size)]
        assert found.keys() == set(sets)
        for chosen in sets:
            stated = Fraction(k, comb(k, size)) * (e if chosen[x] else 1) / (size * e + k - size)
            assert abs(found[chosen] - stated) < 2.0**-52


def test_sets_of_one_item_are_randomized_response():
    a, b = SubsetSelection(k=5, epsilon=1.5, size=1), GRR(k=5, epsilon=1.5)
    np.testing.assert_allclose([float(x) for x in a.support], [float(x) for x in b.support], rtol=1e-15)


@dataclass(frozen=True, kw_only=True)
class OwnItemFirst(SubsetSelection):
    """Reports a list instead of bits, as it was drawn: the own item, if it is there, and then the others."""

    def perturb(self, values, *, rng):
        bits = super().perturb(values, rng=rng)
        lists = []
        for x, row in zip(values, bits, strict=True):
            others = [v for v in np.flatnonzero(row).tolist() if v != x]
            for i in range(len(others) - 1):
                j = i + int(uniform(len(others) - i, (), rng))
                others[i], others[j] = others[j], others[i]
            lists.append([int(x)] * bool(row[x]) + others)
        return np.array(lists)


@dataclass(frozen=True, kw_only=True)
class Shuffled(SubsetSelection):
    """Reports a list in random order, which tells nothing more than the bits."""

    def perturb(self, values, *, rng):
        bits = super().perturb(values, rng=rng)
        lists = [np.flatnonzero(row) for row in bits]
        for row in lists:
            for i in range(len(row) - 1):
                j = i + int(uniform(len(row) - i, (), rng))
                row[[i, j]] = row[[j, i]]
        return np.array(lists)


def test_order_of_a_list_would_leak():
    """Whoever sees an item in a list, but not at its head, knows that the sender does not hold it."""
    shape, everyone = dict(k=4, epsilon=1.0, size=2), np.arange(4)
    assert epsilon(laws(Shuffled(**shape), everyone)) == SubsetSelection(**shape).realised_epsilon
    assert epsilon(laws(OwnItemFirst(**shape), everyone)) == inf


@pytest.mark.parametrize("size", [2, 5])
def test_every_block_of_people_is_drawn(size):
    """Both the small sets and the complements; every bit's count within 6.7 standard deviations of its mean."""
    mechanism, n = SubsetSelection(k=7, epsilon=1.0, size=size), BLOCK + 1000
    values = np.where(np.arange(n) < BLOCK, 2, 6)
    reports = mechanism.perturb(values, rng=np.random.default_rng(12))
    assert np.all(reports.sum(1) == size)
    p, q = (float(x) for x in mechanism.support)
    for who in (slice(BLOCK), slice(BLOCK, None)):
        mean = np.where(np.arange(7) == values[who][0], p, q)
        z = (reports[who].mean(0) - mean) / np.sqrt(mean * (1 - mean) / len(values[who]))
        assert np.abs(z).max() < 6.7  # 28 · P(|Z| > 6.7) < 6e-10


@pytest.mark.parametrize("size", [-1, 4, 5, 1.5, "2", None, True])
def test_impossible_sizes_are_refused(size):
    with pytest.raises(ValueError, match=r"size must be an integer.*, got"):
        SubsetSelection(k=4, epsilon=1.0, size=size)


# ------------------------------------------------------------------------------------------------- the least risk


def ye_barg(k, c, e):
    """The bound's k and c, as it stands in the paper."""
    return Fraction((k - 1) ** 2) * (c * e + k - c) ** 2 / (k * c * (k - c) * (e - 1) ** 2)


@pytest.mark.parametrize("k", [2, 3, 4, 7, 30, 100])
@pytest.mark.parametrize("epsilon", [EPSILON_MIN, 0.1, 0.7, 1.0, log(2), 2.0, 3.7, 10.0, EPSILON_MAX])
def test_bound_is_the_least_of_all_sizes(k, epsilon):
    risks = [ye_barg(k, c, odds(epsilon)) for c in range(1, k)]
    assert best_size(k, epsilon) == 1 + risks.index(min(risks))
    assert minimax_risk(k, epsilon) == pytest.approx(float(min(risks)), rel=1e-15)


@pytest.mark.parametrize("k", [10**6, 999_983])
@pytest.mark.parametrize("epsilon", [EPSILON_MIN, 1.0, 5.0, 13.0, EPSILON_MAX])
def test_best_size_of_large_domains_is_a_minimum(k, epsilon):
    """The risk has one valley, so a size that both neighbours do not better is best."""
    c, e = best_size(k, epsilon), odds(epsilon)
    near = [ye_barg(k, d, e) for d in (c - 1, c, c + 1) if 1 <= d < k]
    assert min(near) == ye_barg(k, c, e) and isfinite(minimax_risk(k, epsilon))


def test_bound_tends_to_its_limits():
    """Without privacy the sampling error of a uniform p is left; with many items, 4 e^ε/(e^ε − 1)² each."""
    assert minimax_risk(10, EPSILON_MAX) == pytest.approx(0.9, rel=1e-10)
    assert minimax_risk(10**6, 1.0) / 10**6 == pytest.approx(1 / np.sinh(0.5) ** 2, rel=1e-5)


@pytest.mark.parametrize("k, epsilon", [(1, 1.0), (2.5, 1.0), (3, 0), (3, 33.0), (3, None)])
def test_bad_arguments_of_the_bound_are_refused(k, epsilon):
    for f in (minimax_risk, best_size):
        with pytest.raises(ValueError, match=r"must be .*, got"):
            f(k, epsilon)


def uniform_risk(noise, k):
    """Mean square error of independent people from the uniform distribution, times n."""
    return noise.sum(1).mean() + 1 - 1 / k


@pytest.mark.parametrize("k", [2, 3, 5, 40, 300])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0])
def test_no_oracle_is_below_the_bound_and_subsets_attain_it(k, epsilon):
    bound, items = minimax_risk(k, epsilon), np.arange(k)
    best = SubsetSelection(k=k, epsilon=epsilon)
    assert uniform_risk(best.variance(items), k) == pytest.approx(bound, rel=1e-11)
    for other in (GRR, SUE, OUE, OLH):
        assert uniform_risk(other(k=k, epsilon=epsilon).variance(items), k) >= bound * (1 - 1e-11)
    assert uniform_risk(PCE(k=k, levels=(epsilon,)).variance(people(items, items * 0)), k) >= bound * (1 - 1e-11)
    for size in {1, 2, k // 2, k - 1} - {0, k, best.set_size}:
        worse = SubsetSelection(k=k, epsilon=epsilon, size=size)
        assert uniform_risk(worse.variance(items), k) > bound * (1 + 1e-9)


def test_bound_holds_for_enumerated_oracles():
    """The same from the clients' laws instead of the formulas."""
    bound, items = minimax_risk(4, 1.0), np.arange(4)
    found = {
        type(m): uniform_risk(moments(m, items)[1], 4)
        for m in (f(k=4, epsilon=1.0) for f in (GRR, SUE, OUE, SubsetSelection))
    }
    assert found.pop(SubsetSelection) == pytest.approx(bound, rel=1e-11)
    assert min(found.values()) >= bound * (1 - 1e-11)


# ------------------------------------------------------------------------------------------------- weighted sums


def sums(mechanism, weights):
    """Variances of weighted sums of one person's scores, read off the client's law: (sums, k)."""
    found = np.empty((len(weights), mechanism.k))
    for x, reports in enumerate(laws(mechanism, np.arange(mechanism.k))):
        dtype = mechanism.perturb([x], rng=np.random.default_rng(0)).dtype
        batches = (np.array([report], dtype) for report in reports)
        scores = np.stack([mechanism.estimate(mechanism.tally(batch)) for batch in batches]) @ weights.T
        p = np.array([float(p) for p in reports.values()])
        found[:, x] = p @ (scores - p @ scores) ** 2
    return found


def weights_of(k):
    rng = np.random.default_rng(20)
    return np.concatenate([np.eye(k), np.ones((1, k)), rng.integers(-1, 2, (4, k)), 3 + rng.normal(size=(3, k))])


@pytest.mark.parametrize(
    "mechanism",
    [
        *(case.mechanism for of in (TestGRR, TestSUE, TestOUE, TestOLH, TestSubsetSelection) for case in of.cases),
        *(HadamardBit(k=k, epsilon=e) for k, e in [(3, 1.0), (2, 0.1), (4, 20.0), (5, 3.0)]),
        *(SHist(k=k, epsilon=e, m=m) for k, e, m in [(3, 1.0, 5), (4, 2.0, 3), (2, 20.0, 4)]),
    ],
    ids=str,
)
def test_noise_of_sums_is_the_variance(mechanism):
    """Single items, the sum of all, differences and general weights; one at a time or together."""
    weights = weights_of(mechanism.k)
    found, scale = mechanism.linear_variance(weights), mechanism.variance(np.arange(mechanism.k)).max()
    np.testing.assert_allclose(found, sums(mechanism, weights), rtol=1e-9, atol=1e-9 * scale)
    np.testing.assert_allclose(found[: mechanism.k], mechanism.variance(np.arange(mechanism.k)).T, rtol=1e-9)
    np.testing.assert_allclose(found[-1], mechanism.linear_variance(weights[-1].tolist()), rtol=1e-12)


@pytest.mark.parametrize("mechanism", [GRR(k=4, epsilon=1.0), SubsetSelection(k=6, epsilon=1.0)], ids=str)
def test_reports_of_one_size_have_a_known_total(mechanism):
    """However large the domain, no error is left of the sum of all; independent items would have one."""
    for m in (mechanism, replace(mechanism, k=500)):
        assert np.abs(m.linear_variance(np.ones(m.k))).max() < 1e-12 < m.variance([0]).sum()


SMALL = [(5, 2, 4), (7, 2, 5), (7, 3, 6), (11, 3, 5), (11, 4, 4)]  # prime, slots, items


def law_of_sums(mechanism, weights, x):
    """Exact mean and variance of a weighted sum of a person's scores, and p*, q* of each item, over all seeds."""
    (own, moved), (p, q) = mechanism.slots.support, mechanism.support
    slots = mechanism.hash(np.array(list(product(range(mechanism.prime), repeat=3)))[:, None], np.arange(mechanism.k))
    replies = np.arange(mechanism.slot_count)[:, None, None]
    supported, kept = slots == replies, (slots[:, x] == replies[..., 0])[..., None]
    sums = supported @ weights[:, None]  # (slots, seeds, 1)
    mean, square, support = (
        sum(
            chance * Fraction(1, len(slots)) * part.sum((0, 1), where=where).astype(object)
            for chance, where in ((own, kept), (moved, ~kept))
        )
        for part in (sums, sums**2, supported.astype(int))
    )
    bias = sum(weights.tolist()) * q
    return (mean[0] - bias) / (p - q), (square[0] - mean[0] ** 2) / (p - q) ** 2, support.tolist()


@pytest.mark.parametrize("prime, g, k", SMALL)
def test_local_hashing_has_the_stated_law_over_all_seeds(prime, g, k):
    """As fractions, at primes where two and three items share a slot far more often than under an ideal hash."""
    mechanism = OLH(k=k, epsilon=1.0, g=g, prime=prime)
    p, q = mechanism.support
    a, b, c, d = mechanism._terms
    for weights, x in product((np.ones(k, int), np.arange(k) ** 2 - 3), range(k)):
        mean, variance, support = law_of_sums(mechanism, weights, x)
        w = [int(v) for v in weights]
        rest, squares = sum(w) - w[x], sum(v * v for v in w) - w[x] ** 2
        assert mean == w[x]
        assert support == [p if v == x else q for v in range(k)]
        assert variance == a * w[x] ** 2 + b * squares + c * (rest**2 - squares) + d * w[x] * rest
        assert mechanism.linear_variance(weights)[x] == pytest.approx(float(variance), rel=1e-12)
        assert variance != a * w[x] ** 2 + b * squares  # control: bits that are independent


@pytest.mark.parametrize("weights", [[1, 2], 1.0, [[1], [2], [3]], [1, 2, np.nan], [1, 2, np.inf], [True] * 3, "abc"])
@pytest.mark.parametrize(
    "mechanism",
    [*(f(k=3, epsilon=1.0) for f in (GRR, OUE, OLH, SubsetSelection, HadamardBit)), SHist(k=3, epsilon=1.0, m=2)],
    ids=str,
)
def test_bad_weights_are_refused(mechanism, weights):
    with pytest.raises(ValueError, match=r"weights must .*, got"):
        mechanism.linear_variance(weights)
