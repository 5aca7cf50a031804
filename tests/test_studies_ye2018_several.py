"""The studies of several values per person: random tables, EM, words, baskets, LoPub."""

import numpy as np
import pytest

from ldpnb import BloomFlip, SHist
from ldpnb_book.studies import ye2018_several as study


def test_mean_square_has_the_table_and_the_noise():
    mechanism, shares = SHist(k=4, epsilon=1.0, m=8, matrix=3), np.array([0.4, 0.3, 0.2, 0.1])
    table = np.mean((shares @ mechanism.gram - shares) ** 2)
    noise = np.mean(shares @ mechanism.variance(np.arange(4)))
    assert study.mean_square(mechanism, shares, np.inf) == pytest.approx(table)
    assert study.mean_square(mechanism, shares, 50) == pytest.approx(table + noise / 50)


def test_em_finds_the_truth_in_reports_without_noise():
    first, second = np.eye(3)[[0, 0, 1, 2]], np.eye(2)[[0, 1, 1, 0]]
    found = study.likeliest_pair(first, second)
    assert found == pytest.approx(np.array([[0.25, 0.25], [0, 0.25], [0.25, 0]]), abs=1e-6)


def test_em_climbs():
    rng = np.random.default_rng(1)
    first, second = rng.uniform(0.2, 0.8, (50, 3)), rng.uniform(0.2, 0.8, (50, 2))

    def likelihood(table):
        return np.log(np.einsum("na,nb,ab->n", first, second, table)).sum()

    steps = [likelihood(study.likeliest_pair(first, second, rounds)) for rounds in (0, 1, 5, 50)]
    assert steps == sorted(steps) and steps[0] < steps[-1]


def test_words_have_their_shares():
    spoken = study.words("abc", 3, ["abc", "cab"], [0.5, 0.25], 1000, seed=1)
    names, counts = np.unique(spoken.astype(str), return_counts=True)
    held = dict(zip(names, counts, strict=True))
    assert len(spoken) == 1000 and held["abc"] == 500 and held["cab"] == 250
    assert all(len(word) == 3 for word in names) and len(names) > 10


def test_baskets_are_sets_and_prefer_the_first_items():
    people, counts = study.baskets(2000, 20, 5, rng=np.random.default_rng(2))
    assert len(people) == 2000 and counts.sum() == 10_000 and counts.max() <= 2000
    assert counts[0] > counts[4] > counts[19]


def test_with_a_large_budget_all_of_the_top_is_found():
    people, counts = study.baskets(20_000, 8, 1, rng=np.random.default_rng(3))
    found = study.found_of_top(people, counts, 1, 3, 30.0, rng=np.random.default_rng(4))
    assert found == {"one phase": 1, "LDPMiner": 1}


def test_exponents():
    found = study.grows_like(lambda a, b: a**2 / b, {"a": 3.0, "b": 5.0})
    assert found == pytest.approx({"a": 2, "b": -1})


def test_six_attributes_belong_together_as_said():
    records = study.six_attributes(50_000, rng=np.random.default_rng(5))
    assert [int(column.max()) + 1 for column in records.T] == list(study.SIZES)
    assert np.mean(records[:, 0] % 2 == records[:, 1]) == pytest.approx(0.8, abs=0.01)
    assert np.mean(records[:, 5]) == pytest.approx(0.5, abs=0.01)
    assert abs(np.corrcoef(records[:, 4], records[:, 5])[0, 1]) < 0.03


LOUD = BloomFlip(sizes=study.SIZES, f=0.2, bits=8, hashes=2)


def test_lopub_finds_the_network_if_there_is_little_noise():
    found = study.published(LOUD, 5000, 0.15, rng=np.random.default_rng(6), gap=1e-3)
    assert found["edges"] == 1 and found["pairs"] < found["columns"] and found["cliques"] < 0.2


def test_em_on_equal_reports_takes_fewer_operations():
    reports = LOUD.perturb(study.six_attributes(2000, rng=np.random.default_rng(7)), rng=np.random.default_rng(8))
    alone, grouped = (study.operations(LOUD, reports, grouped=grouped) for grouped in (False, True))
    assert 0 < grouped < alone / 2


def test_values_are_decoded_if_all_are_listed():
    records = study.six_attributes(5000, rng=np.random.default_rng(9))
    reports = LOUD.perturb(records, rng=np.random.default_rng(10))
    truth = np.bincount(records[:, 4]) / 5000
    assert study.decoded(LOUD, reports, 4, range(4)) == pytest.approx(truth, abs=0.05)
    assert np.abs(study.decoded(LOUD, reports, 4, range(3)) - truth[:3]).max() > 0.05
