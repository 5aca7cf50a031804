import numpy as np
import pytest
from contract import Case, Contract

from ldpnb.frequency import GRR, OLH, OUE, SUE
from ldpnb.kernels import MultiplyShift

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
    cases = cases(*(SUE(k=k, epsilon=e) for k, e in [(3, 1.0), (2, 0.1), (4, 3.0)]), histogram=True)
    bad_values = CODES
    bad_reports = [np.zeros((2, 3)), np.zeros((2, 4), bool), np.zeros(3, bool), [[2, 0, 1]], "abc"]


class TestOUE(Contract):
    cases = cases(*(OUE(k=k, epsilon=e) for k, e in [(3, 1.0), (2, 0.1), (4, 3.0)]), histogram=True)
    bad_values = CODES
    bad_reports = TestSUE.bad_reports


class TestOLH(Contract):
    cases = [
        *cases(
            OLH(k=3, epsilon=1.0, word=3),
            OLH(k=4, epsilon=0.5, g=3, word=4),
            OLH(k=4, epsilon=1.0, word=3),
            pairs=False,
        ),
        *cases(OLH(k=2, epsilon=2.0, word=2)),
    ]
    bad_values = CODES
    bad_reports = [
        np.zeros(2, np.int64),
        np.array([((0, 0), 9)], OLH(k=3, epsilon=1.0, word=3).dtype),
        np.array([((0, 8), 1)], OLH(k=3, epsilon=1.0, word=3).dtype),
    ]


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


def largest_z(mechanism, n, fixed_b):
    """Everybody holds item 1 of consecutive items: how far is an estimate from its expectation at most?"""
    rng = np.random.default_rng(7)
    reports = mechanism.perturb(np.ones(n, int), rng=rng)
    if fixed_b:
        reports["seed"][:, 1] = 0
        reports["slot"] = mechanism.slots.perturb(mechanism.hash(reports["seed"], 1), rng=rng)
    estimate = mechanism.estimate(mechanism.tally(reports))
    return np.abs((estimate - mechanism.target([1])[0]) / np.sqrt(mechanism.noise([1])[0] / n)).max()


def test_full_size_hash_is_unbiased_on_consecutive_items():
    """500 consecutive items under 32-bit words; the control, multiplication alone, makes item 3 follow item 1."""
    mechanism, n = OLH(k=500, epsilon=1.0), 40_000
    assert (
        largest_z(mechanism, n, fixed_b=False) < 6.7 < largest_z(mechanism, n, fixed_b=True)
    )  # 500 · P(|Z| > 6.7) < 1.1e-8


@pytest.mark.parametrize("make", [GRR, SUE, OUE, OLH])
@pytest.mark.parametrize("k", [1, 0, -3, 2.5, "4", None, True])
def test_bad_domain_size_is_refused(make, k):
    with pytest.raises(ValueError, match="k must be an integer, at least 2, got"):
        make(k=k, epsilon=1.0)


def test_local_hashing_counts_every_report_of_every_block():
    """A tally works through blocks of 1024 reports here; parts below that size have one block each."""
    mechanism = OLH(k=4096, epsilon=1.0)
    reports = mechanism.perturb(np.arange(2100), rng=np.random.default_rng(8))
    parts = sum(mechanism.tally(reports[start : start + 700]) for start in (0, 700, 1400))
    whole = mechanism.tally(reports)
    assert (whole.n, whole.counts.tolist()) == (parts.n, parts.counts.tolist())


@pytest.mark.parametrize("k, epsilon, g", [(99, 1.0, 4), (99, 0.1, 2), (99, 3.0, 21), (99, 10.0, 99), (2, 1.0, 2)])
def test_local_hashing_takes_the_best_number_of_slots(k, epsilon, g):
    assert OLH(k=k, epsilon=epsilon).g == g


@pytest.mark.parametrize("more", [{"g": 1}, {"g": -2}, {"g": 2.5}, {"word": 1}, {"word": 33}, {"word": 3, "g": 9}])
def test_impossible_hash_is_refused(more):
    with pytest.raises(ValueError, match="must be"):
        OLH(k=4, epsilon=1.0, **more)


@pytest.mark.parametrize(
    "counts, trials", [([1, 2], 1), ([0, 0, 0], 1), ([1, -1, 2], 1), ([1.5, 1, 1], 1), ([1, 1, 1], 0)]
)
def test_bad_simulations_are_refused(counts, trials):
    for mechanism in (GRR(k=3, epsilon=1.0), SUE(k=3, epsilon=1.0)):
        with pytest.raises(ValueError, match="must"):
            mechanism.simulate(counts, trials=trials, rng=np.random.default_rng(0))


def test_default_number_of_slots_fits_the_hash():
    assert OLH(k=1000, epsilon=1.0).g == 4
    assert OLH(k=3, epsilon=5.0).g == 3
    assert OLH(k=2**20, epsilon=10.0).g == 2**13
