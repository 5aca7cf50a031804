"""Exact ε over sets, bias and variance of mechanisms for sets, and two phases put together."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, inf, log

import numpy as np
import pytest
from contract import Contract, stated_rounding
from scipy.stats import norm

from ldpnb import verify
from ldpnb.chance import bernoulli, branches, law, odds, pick, toss, uniform
from ldpnb.core import Example
from ldpnb.records import Records, pad_and_sample
from ldpnb.sets import privset
from ldpnb.sets.privset import PrivSet, best_report_size
from ldpnb.sets.sampling import SampledGRR, SampledHadamardBit, SampledSUE, every_set
from ldpnb.sets.two_phases import gfim, halves, largest, ldpminer, restrict

TWO, THREE = every_set(2), every_set(3)
FOUR = Records.of({0, 2}, {1, 3}, set(), {2}, {0, 1, 2, 3})  # in row 1 the first has + alone, the second − alone

BAD_SETS = [  # of items 0 and 1
    [{0}],
    np.array([0, 1]),
    {0},
    None,
    Records.of({0}, {2}),
    Records(np.array([0, 1]), np.array([-1])),
]


class TestSampledSHist(Contract):
    cases = SampledHadamardBit.example()
    bad_values = BAD_SETS
    dtype = cases[0].mechanism.oracle.dtype
    bad_reports = [np.array([0, 1]), np.array([(2, True)], dtype), np.array([(-1, True)], dtype)]


class TestSampledSUE(Contract):
    cases = SampledSUE.example()
    bad_values = BAD_SETS
    bad_reports = [np.array([[0, 1]]), np.array([True, False]), np.zeros((1, 3), bool)]


class TestSampledGRR(Contract):
    cases = [
        *SampledGRR.example(),
        Example(SampledGRR(d=1, ell=3, epsilon=0.7), every_set(1)),
        Example(SampledGRR(d=3, ell=2, epsilon=4.0), THREE),
    ]
    bad_values = BAD_SETS
    bad_reports = [np.array([3]), np.array([-1]), np.array([0.0]), np.array([[0]])]


class TestPrivSet(Contract):
    cases = [
        *PrivSet.example(),
        Example(PrivSet(d=2, ell=2, epsilon=0.7), TWO),
        Example(PrivSet(d=3, ell=3, epsilon=0.3, size=3), THREE, pairs=False),
    ]
    bad_values = BAD_SETS
    bad_reports = [
        np.array([[0, 3]]),
        np.array([[-1, 0]]),
        np.array([[1, 0]]),
        np.array([[1, 1]]),
        np.array([[0]]),
        np.array([0, 1]),
    ]


# ------------------------------------------------------------------------------------------------------- privacy


def shist_epsilon(d, ell, epsilon):
    """Most that one sign shows: over all rows and pairs of sets of all sizes, by the mean over padded sets."""
    m = 1 << max(d - 1, 1).bit_length()
    p, found = exp(epsilon) / (exp(epsilon) + 1), 1.0
    for row in range(m):
        chances = []
        for size in range(d + 1):
            for chosen in combinations(range(d), size):
                plus = sum((row & x).bit_count() % 2 == 0 for x in chosen)
                mean = plus * p + (size - plus) * (1 - p) + max(ell - size, 0) / 2
                chances.append(mean / max(size, ell))
        found = max(found, max(chances) / min(chances), (1 - min(chances)) / (1 - max(chances)))
    return log(found)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6, 7, 9])
@pytest.mark.parametrize("ell", [1, 2, 3, 4])
@pytest.mark.parametrize("epsilon", [0.2, 3.0])
def test_one_sign_spends_epsilon_where_two_full_sets_can_differ(d, ell, epsilon):
    found = SampledHadamardBit(d=d, ell=ell, epsilon=epsilon).realised_epsilon
    assert found == pytest.approx(shist_epsilon(d, ell, epsilon), abs=1e-12)
    if 2 * ell <= d:
        assert found >= epsilon - stated_rounding(epsilon)
    if ell == d:
        assert found == pytest.approx(log((exp(epsilon) + 1) / 2), abs=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("ell", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.2, 3.0])
def test_epsilon_over_all_sets(d, ell, epsilon):
    """Read off the clients, for records longer than ℓ too: at most ε, and ε where it is said so."""
    shape = dict(d=d, ell=ell, epsilon=epsilon)
    exact = [SampledGRR(**shape), *(PrivSet(**shape, size=size) for size in range(min(d, 3) + 1) if d < 4)]
    bounded = [SampledHadamardBit(**shape), SampledSUE(**shape)]
    for mechanism in (*exact, *bounded):
        one = verify.worst(verify.laws(mechanism, every_set(d)))
        assert one.ratio is not None and one.ratio <= odds(epsilon)
        assert mechanism.realised_epsilon == pytest.approx(one.epsilon, rel=1e-12)
        if mechanism in exact or 2 * ell <= d:
            assert one.epsilon >= epsilon - stated_rounding(epsilon)
        else:
            assert one.epsilon < 0.99 * epsilon


def test_a_dummy_is_a_fair_bit():
    m = SampledHadamardBit(d=3, ell=1, epsilon=2.0)
    (empty,) = verify.laws(m, Records.of(set()))
    assert empty == {(row, bit): Fraction(1, 8) for row in range(4) for bit in (False, True)}


@pytest.mark.parametrize("d, ell", [(1, 1), (2, 2), (4, 4), (4, 2), (2, 3)])
def test_vectors_spend_half_where_all_items_fit_into_a_set(d, ell):
    """ε/2 for d = ℓ, where no two full sets differ; ε for d = 2ℓ."""
    found = SampledSUE(d=d, ell=ell, epsilon=2.0).realised_epsilon
    spent = {1: 1.0, 2: 2.0}.get(Fraction(d, ell), log(1 + d / ell * (exp(1.0) - 1)))
    assert found == pytest.approx(spent, abs=1e-13)


def bit_dummies(m):
    """`SampledSUE` with bits for the dummies, too."""

    def client(i, rng):
        (item,), _ = pad_and_sample(FOUR[i : i + 1], m.d, m.ell, rng)
        p, q = map(float, m.support)
        return bernoulli(np.where(np.arange(m.width) == item, p, q), (m.width,), rng)

    return client


def test_bits_for_dummies_tell_nothing_more_about_items():
    """The law of the items' bits is the same, so that no estimate gains; ε is spent on fewer items already."""
    m = SampledSUE(d=4, ell=2, epsilon=1.0)
    longer = bit_dummies(m)
    assert verify.same_law(
        lambda i, rng: m.perturb(FOUR[i : i + 1], rng=rng)[0], lambda i, rng: longer(i, rng)[:4], range(len(FOUR))
    )
    assert verify.epsilon(verify.laws(longer, range(len(FOUR)))) == pytest.approx(1.0, abs=1e-13)


def shared_dummy(d, ell, epsilon):
    """Amplified k-RR with one dummy for all slots that are free."""
    e = 1 + ell * (exp(epsilon) - 1)

    def client(held, rng):
        slot = int(uniform(max(ell, len(held)), (), rng))
        own = sorted(held)[slot] if slot < len(held) else d
        return own if toss((e - 1) / (e + d), rng) else pick(range(d + 1), rng)

    return client


@pytest.mark.parametrize("ell, epsilon", [(2, 0.8), (3, 1.0), (1, 1.0)])
def test_dummies_must_be_distinct(ell, epsilon):
    """One shared dummy shows ln[1 + ℓ(e^ε−1)], 1.239 for ℓ = 2 and ε = 0.8; ℓ of them show ε."""
    found = verify.epsilon(verify.laws(shared_dummy(3, ell, epsilon), [set(), {0}, {1}, {0, 1}, {0, 1, 2}]))
    assert found == pytest.approx(log(1 + ell * (exp(epsilon) - 1)), abs=1e-12)
    distinct = verify.worst(verify.laws(SampledGRR(d=3, ell=ell, epsilon=epsilon), THREE))
    assert distinct.ratio is not None and distinct.ratio <= odds(epsilon)
    if (ell, epsilon) == (2, 0.8):
        assert found == pytest.approx(1.239, abs=5e-4)


# ---------------------------------------------------------------------------------------------- bias and variance


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("ell", [1, 2, 3])
@pytest.mark.parametrize("make", [SampledHadamardBit, SampledSUE, SampledGRR, PrivSet])
def test_moments_of_all_sets(make, d, ell):
    m, inputs = make(d=d, ell=ell, epsilon=0.9), every_set(d)
    mean, variance = verify.moments(m, inputs)
    held = [[1.0 * (b >> (d - 1 - v) & 1) for v in range(d)] for b in range(2**d)]
    shrunk = [[x * min(1, ell / max(sum(row), 1)) for x in row] for row in held]
    np.testing.assert_allclose(mean, shrunk, atol=1e-13)
    np.testing.assert_allclose(m.variance(inputs), variance, rtol=1e-11)
    assert m.rare_variance == pytest.approx(variance[0, 0], rel=1e-11)  # of the empty set


def test_noise_has_the_forms_of_the_table():
    d, ell, e, s = 7, 3, exp(1.3), exp(0.65)
    shape, c = dict(d=d, ell=ell, epsilon=1.3), (e + 1) / (e - 1)
    inputs = Records.of({0}, {0, 1, 2, 3, 4, 5})
    t = np.zeros((2, d))
    t[0, 0], t[1, :6] = 1, 0.5
    np.testing.assert_allclose(SampledHadamardBit(**shape).variance(inputs), ell**2 * c**2 - t**2, rtol=1e-12)
    assert SampledSUE(**shape).rare_variance == pytest.approx(ell**2 * s / (s - 1) ** 2)
    assert SampledGRR(**shape).rare_variance == pytest.approx((d + ell - 1 + ell * (e - 1)) / (e - 1) ** 2)
    assert PrivSet(**shape).rare_variance <= SampledGRR(**shape).rare_variance


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("d, ell, size", [(5, 2, 2), (4, 3, 4), (12, 5, 3), (950, 50, 5), (30, 1, 9)])
def test_privset_includes_items_as_published(d, ell, size, epsilon):
    m, e = PrivSet(d=d, ell=ell, epsilon=epsilon, size=size), odds(epsilon)
    whole = comb(d + ell, size)
    miss, miss_with = Fraction(comb(d, size), whole), Fraction(comb(d - 1, size - 1), whole)
    omega, share = e * (1 - miss) + miss, Fraction(size, d + ell)
    p, q = e * share / omega, (e * (share - miss_with) + miss_with) / omega
    assert m.support == pytest.approx((p, q), rel=1e-6 if epsilon > 9 else 1e-12)
    assert epsilon - stated_rounding(epsilon) <= m.realised_epsilon <= epsilon


@pytest.mark.parametrize("d, ell", [(1, 1), (2, 2), (3, 1), (3, 2), (2, 3)])
def test_privset_of_one_item_is_amplified_response(d, ell):
    """For all records, also for those longer than ℓ."""
    one, inputs = PrivSet(d=d, ell=ell, epsilon=1.0, size=1), every_set(d)

    def alone(i, rng):
        return int(one.perturb(inputs[i : i + 1], rng=rng)[0, 0])

    grr = SampledGRR(d=d, ell=ell, epsilon=1.0)
    assert verify.same_law(alone, lambda i, rng: int(grr.perturb(inputs[i : i + 1], rng=rng)[0]), range(len(inputs)))


def test_sets_of_privset_are_alike_but_for_meeting_the_record():
    """Two probabilities only, e^ε apart; nothing in the order of a report."""
    m = PrivSet(d=4, ell=2, epsilon=1.0, size=3)
    (found,) = verify.laws(m, Records.of({1}))  # padded by the dummy 4
    assert set(found) == set(combinations(range(6), 3))
    hit, miss = ([float(p) for y, p in found.items() if bool({1, 4} & set(y)) == on] for on in (True, False))
    assert hit == pytest.approx([hit[0]] * len(hit), rel=1e-14) and hit[0] / miss[0] == pytest.approx(exp(1.0))
    assert miss == pytest.approx([miss[0]] * len(miss), rel=1e-14)


@pytest.mark.parametrize("d, ell, epsilon", [(1, 1, 1.0), (9, 2, 0.3), (20, 1, 1.0), (60, 7, 0.5), (200, 10, 2.0)])
def test_best_size_is_the_best(d, ell, epsilon):
    noises = [PrivSet(d=d, ell=ell, epsilon=epsilon, size=size).rare_variance for size in range(1, d + 1)]
    assert noises[best_report_size(d, ell, epsilon) - 1] <= min(noises) * (1 + 1e-9)
    assert PrivSet(d=d, ell=ell, epsilon=epsilon).set_size == best_report_size(d, ell, epsilon)


@pytest.mark.parametrize("epsilon, size", [(1.0, 5), (2.0, 2)])
def test_best_size_meets_a_record_about_once_in_e_and_one(epsilon, size):
    m = PrivSet(d=950, ell=50, epsilon=epsilon)
    assert m.set_size == size
    assert Fraction(m.ways[0], sum(m.ways)) == Fraction(comb(950, size), comb(1000, size))
    assert 1 - m.ways[0] / sum(m.ways) == pytest.approx(1 / (exp(epsilon) + 1), rel=0.25)


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 5.0, 10.0])
@pytest.mark.parametrize("make", [SampledHadamardBit, SampledSUE, SampledGRR, PrivSet])
def test_large_domains_keep_epsilon(make, epsilon):
    """At a cost of more digits: e^ε is off by the grid's 2⁻⁵³ times (d + ℓ)/ℓ in k-RR."""
    m = make(d=20_000, ell=40, epsilon=epsilon)
    assert epsilon - 501 * stated_rounding(epsilon) <= m.realised_epsilon <= epsilon


def people(n, d, rng):
    """Sets of a population in which item v is held with probability 0.6·0.8^v; the last item by nobody."""
    held = rng.random((n, d)) < 0.6 * 0.8 ** np.arange(d)
    held[:, -1] = False
    user, key = np.nonzero(held)
    return Records.from_arrays(user, key, n=n)


@pytest.mark.parametrize(
    "m",
    [
        SampledHadamardBit(d=40, ell=2, epsilon=1.0),
        SampledSUE(d=40, ell=2, epsilon=1.0),
        SampledGRR(d=40, ell=2, epsilon=1.0),
        PrivSet(d=40, ell=2, epsilon=1.0),
        PrivSet(d=40, ell=2, epsilon=1.0, size=11),
    ],
    ids=str,
)
def test_a_population_is_estimated(m):
    """Normal limits at a false-alarm rate of 1e-7 over the 40 items; some records are longer than ℓ, some empty."""
    rng = np.random.default_rng(11)
    records = people(60_000, 40, rng)
    assert records.sizes.max() > m.ell and records.sizes.min() == 0
    found = m.estimate(m.tally(m.perturb(records, rng=rng)))
    z = (found - m.expected(records).mean(0)) / np.sqrt(m.variance(records).sum(0)) * len(records)
    limit = norm.isf(1e-7 / (2 * m.d))
    assert np.max(np.abs(z)) < limit
    held = np.bincount(records.keys, minlength=m.d) / len(records)  # as if long records were not shrunk
    assert np.max(np.abs(found - held) / np.sqrt(m.variance(records).sum(0)) * len(records)) > limit


def test_people_of_all_blocks_are_independent(monkeypatch):
    monkeypatch.setattr(privset, "BLOCK", 1)
    m, inputs = PrivSet(d=2, ell=1, epsilon=1.0, size=1), Records.of({0}, {0, 1})
    one = verify.laws(m, inputs)
    both = law(lambda rng: m.perturb(inputs, rng=rng))
    assert both == {(a, b): one[0][a] * one[1][b] for a, b in product(*one)}


# ------------------------------------------------------------------------------------------------------ two phases


def test_restrict_renumbers():
    records = Records.of({0, 3, 5}, set(), {1}, {5})
    found = restrict(records, [5, 2, 0])
    assert [set(found[i : i + 1].keys.tolist()) for i in range(4)] == [{0, 2}, set(), set(), {0}]
    assert found.sizes.tolist() == [2, 0, 0, 1]
    assert restrict(Records.of(set()), np.array([7])).sizes.tolist() == [0]


@pytest.mark.parametrize("bad", [[], [1, 1], [-1], [0.5], [[0]]])
def test_bad_candidates_are_refused(bad):
    with pytest.raises(ValueError, match="candidates must"):
        restrict(TWO, bad)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_all_halves_are_alike(n):
    records = Records.of(*({i} for i in range(n)))

    def split(rng):
        return [set(part.keys.tolist()) for part in halves(records, rng)]

    found = law(split)
    assert len(found) == comb(n, n // 2) and set(found.values()) == {Fraction(1, comb(n, n // 2))}
    assert all(len(a) == n // 2 and a | b == set(range(n)) for a, b in found)


def test_one_person_has_no_halves():
    with pytest.raises(ValueError, match="at least two people, got 1"):
        halves(Records.of({0}), np.random.default_rng(0))


def test_largest():
    assert largest([0.1, 0.5, -2, 0.5], 3).tolist() == [1, 3, 0]
    for k, rule in ((0, "an integer"), (3, "at most 2, got 3"), (1.5, "an integer")):
        with pytest.raises(ValueError, match=f"k must be {rule}"):
            largest([1, 2], k)


def result(found):
    return found.first, found.candidates, found.second


def worst_change(run, others):
    """Largest ratio over what two phases return, if one person changes and the others do not."""
    laws = [law(lambda rng, own=own: result(run(Records.of(own, *others), rng=rng))) for own in (set(), {0}, {1})]
    return verify.worst(laws)


@pytest.mark.parametrize("corrected", [False, True])
def test_gfim_spends_epsilon_once(corrected):
    def run(records, rng):
        return gfim(records, d=2, ell=1, epsilon=1.0, candidates=1, rng=rng, corrected=corrected)

    found = worst_change(run, [{0}])
    assert found.ratio is not None and found.ratio <= odds(1.0)
    assert found.epsilon > 0.5  # halves are drawn, and what is returned does not tell who is in which


@pytest.mark.parametrize("second", [SampledHadamardBit, SampledSUE])
def test_ldpminer_spends_the_sum(second):
    def run(records, rng):
        budget = dict(first_epsilon=0.5, second_epsilon=0.75)
        return ldpminer(records, d=2, ell=1, **budget, candidates=2, rng=rng, second=second)

    one = worst_change(run, [])
    assert one.ratio is not None and one.ratio <= odds(1.25)
    first, refined = run(TWO, np.random.default_rng(0)).mechanisms
    assert (first.epsilon, refined.epsilon) == (0.5, 0.75)
    assert one.epsilon > first.realised_epsilon + 0.3  # two rounds show more than one


@pytest.mark.parametrize("split", [(0.5, 0.5), (0.2, 1.0)])
@pytest.mark.parametrize("second", [SampledHadamardBit, SampledSUE])
def test_transcript_of_both_rounds_given_the_worst_candidates(split, second):
    """Exactly ε₁ + ε₂, where the second round is padded to no more than half of its candidates."""
    one, two = SampledHadamardBit(d=4, ell=1, epsilon=split[0]), second(d=2, ell=1, epsilon=split[1])

    def client(held, rng):
        own = Records.of(held)
        return one.perturb(own, rng=rng)[0], two.perturb(restrict(own, [3, 0]), rng=rng)[0]

    found = verify.worst(verify.laws(client, [set(), {0}, {1}, {3}, {0, 3}, {0, 1, 2, 3}]))
    assert found.ratio is not None and found.ratio <= odds(split[0]) * odds(split[1])
    assert found.epsilon == pytest.approx(sum(split), abs=1e-13)


def mean(program):
    total = 0
    for probability, value in branches(program):
        total = total + float(probability) * np.asarray(value)
    return total


def test_expected_estimates_of_both_phases():
    """Each person counts in each half alike; what ℓ in place of k_max would give is half of it, or twice."""
    records = Records.of({0}, {0, 1}, set())
    shape = dict(d=2, candidates=2, epsilon=1.0)

    def both(rng):
        found = gfim(records, ell=1, rng=rng, **shape)
        return found.first, found.second[np.argsort(found.candidates)]

    first, second = mean(both)
    assert second == pytest.approx([2 / 3, 1 / 3], abs=1e-12)
    assert not second / 2 == pytest.approx([2 / 3, 1 / 3], abs=1e-2)  # ℓ/k_max
    assert first == pytest.approx([(1 + 0.5) / 3, 0.5 / 3], abs=1e-12)  # ℓ = 1: the second person counts by halves
    assert mean(
        lambda rng: (
            ldpminer(records[:2], d=2, ell=1, first_epsilon=1.0, second_epsilon=1.0, candidates=1, rng=rng).first
        )
    ) == pytest.approx([0.75, 0.25], abs=1e-12)


def test_phases_are_combined_as_printed_and_as_corrected():
    rng = np.random.default_rng(2)
    records, shape = people(2001, 12, rng), dict(d=12, ell=3, epsilon=1.0, candidates=5)
    c = ((exp(1.0) + 1) / (exp(1.0) - 1)) ** 2
    for corrected, pad in ((False, 5), (True, 3)):
        found = gfim(records, rng=rng, corrected=corrected, **shape)
        one, two = found.mechanisms
        assert (one.d, one.ell, two.d, two.ell) == (12, 3, 5, pad) and one.epsilon == two.epsilon == 1.0
        v1, v2 = 9 * c / 1000, pad**2 * c / 1001
        assert (found.first_variance, found.second_variance) == pytest.approx((v1, v2), rel=1e-12)
        w = v1 / (v1 + v2) if corrected else 2 / 3
        assert np.array_equal(found.candidates, largest(found.first, 5))
        expected = found.first.copy()
        expected[found.candidates] = (1 - w) * found.first[found.candidates] + w * found.second
        np.testing.assert_allclose(found.combined, expected, rtol=1e-12)
    found = ldpminer(
        records, d=12, ell=3, first_epsilon=1.0, second_epsilon=1.0, candidates=5, rng=rng, second=SampledSUE
    )
    assert np.array_equal(found.combined[found.candidates], found.second)
    rest = np.setdiff1d(np.arange(12), found.candidates)
    assert np.array_equal(found.combined[rest], found.first[rest])
    assert isinstance(found.mechanisms[1], SampledSUE) and found.first_variance == pytest.approx(9 * c / 2001)
    assert found.second_variance == pytest.approx(25 * exp(0.5) / (exp(0.5) - 1) ** 2 / 2001)


def runs(records, rng):
    yield gfim(records, d=30, ell=4, epsilon=2.0, candidates=6, rng=rng), 2, 6
    yield gfim(records, d=30, ell=4, epsilon=2.0, candidates=6, rng=rng, corrected=True), 2, 4
    for second in (SampledHadamardBit, SampledSUE):
        budget = dict(first_epsilon=1.0, second_epsilon=1.0)
        yield ldpminer(records, d=30, ell=4, **budget, candidates=6, rng=rng, second=second), 1, 6


def test_second_phases_of_a_large_population():
    """Normal limits at 1e-7 over four runs of six candidates, given the candidates; ℓ for the scale is caught."""
    rng = np.random.default_rng(3)
    records, limit = people(200_000, 30, rng), norm.isf(1e-7 / (2 * 4 * 6))
    n = len(records)
    for found, parts, pad in runs(records, rng):
        two, kept = found.mechanisms[1], restrict(records, found.candidates)
        truth = two.expected(kept).mean(0)
        # a random half of the people has a share of its own; its variance is at most that of n/parts draws
        draws = np.square(two.expected(kept)).mean(0) * parts / n * (parts > 1)
        error = np.sqrt(two.variance(kept).mean(0) * parts / n + draws)
        assert np.max(np.abs(found.second - truth) / error) < limit
        if pad == 6:
            held = np.bincount(records.keys, minlength=30)[found.candidates] / n
            assert truth == pytest.approx(held, rel=1e-12)  # padded to k_max, no set is too long
            assert np.max(np.abs(found.second * 4 / pad - truth) / error) > limit
        assert found.second_variance == pytest.approx(two.rare_variance * parts / n)


@dataclass
class Wrong:
    say: str
    more: dict


BAD = [
    Wrong("d must", dict(d=0)),
    Wrong("ell must", dict(ell=0)),
    Wrong("candidates must", dict(candidates=0)),
    Wrong("candidates must be at most 2, got 3", dict(candidates=3)),
    Wrong("records must be Records", dict(records=[{0}])),
    Wrong("keys must be", dict(records=Records.of({2}, {0}))),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda x: x.say)
def test_bad_arguments_of_two_phases_are_refused(bad):
    shape = {"records": TWO, "d": 2, "ell": 1, "candidates": 1, "rng": np.random.default_rng(0), **bad.more}
    records = shape.pop("records")
    with pytest.raises(ValueError, match=bad.say):
        gfim(records, epsilon=1.0, **shape)
    with pytest.raises(ValueError, match=bad.say):
        ldpminer(records, first_epsilon=1.0, second_epsilon=1.0, **shape)


@pytest.mark.parametrize("epsilon", [0, -1.0, inf])
def test_bad_budgets_are_refused(epsilon):
    shape = dict(d=2, ell=1, candidates=1, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="epsilon must"):
        gfim(TWO, epsilon=epsilon, **shape)
    with pytest.raises(ValueError, match="first_epsilon must"):
        ldpminer(TWO, first_epsilon=epsilon, second_epsilon=1.0, **shape)
    with pytest.raises(ValueError, match="second_epsilon must"):
        ldpminer(TWO, first_epsilon=1.0, second_epsilon=epsilon, **shape)


@pytest.mark.parametrize("make", [SampledHadamardBit, SampledSUE, SampledGRR, PrivSet])
@pytest.mark.parametrize("more, say", [(dict(d=0), "d must"), (dict(ell=0), "ell must"), (dict(d=2.5), "d must")])
def test_bad_parameters_are_refused(make, more, say):
    with pytest.raises(ValueError, match=say):
        make(**{"d": 2, "ell": 1, "epsilon": 1.0, **more})


@pytest.mark.parametrize(
    "d, ell, size, epsilon",
    [
        (2**31 - 1, 20, 20, 1e-6),  # 20 hits are so rare that the last coin is a few steps of 2**-53
        (2**30 + 7, 20, 20, 1e-6),
        (5, 1000, 5, 1e-4),
        (50, 50, 50, 1.0),  # one hit is rarer than 2**-53
        (50, 1000, 50, 32.0),
        (40, 40, 28, 1e-6),  # no hit is too rare
    ],
)
def test_privset_refuses_a_size_whose_coins_are_too_coarse(d, ell, size, epsilon):
    with pytest.raises(ValueError, match="size must be small enough .*: take a smaller size, or 0 for the best one"):
        PrivSet(d=d, ell=ell, size=size, epsilon=epsilon)
    smaller = PrivSet(d=d, ell=ell, size=2, epsilon=epsilon)
    assert smaller.realised_epsilon <= epsilon


def test_privset_of_many_hits_refuses_where_its_coins_are_first_used():
    m = PrivSet(d=150, ell=150, size=150, epsilon=1.0)
    with pytest.raises(ValueError, match="got 150, with which a report shows"):
        m.perturb(Records.of({1}), rng=np.random.default_rng(0))


@pytest.mark.parametrize("size", [-1, 3, 1.5, True])
def test_bad_sizes_are_refused(size):
    with pytest.raises(ValueError, match="size must"):
        PrivSet(d=2, ell=1, epsilon=1.0, size=size)
