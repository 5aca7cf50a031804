"""The experiments of the survey: their people are as said, and they measure what they are given."""

from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest

from ldpnb import GRR, SUE, SubsetSelection, laws
from ldpnb.core import Tally
from ldpnb.postprocess import channel
from ldpnb_book.studies import ye2018

# ------------------------------------------------------------------------------------------------- Figs. 5 and 8


def test_people_are_whole_and_in_proportion():
    counts = ye2018.population([1, 1, 1], 100)
    assert sorted(counts) == [33, 33, 34] and counts.dtype == np.int64
    assert ye2018.population([0, 3, 1], 8).tolist() == [0, 6, 2]
    million = ye2018.population(ye2018.NORMAL, 10**6)
    assert million.sum() == 10**6 and np.abs(million / 10**6 - ye2018.NORMAL / ye2018.NORMAL.sum()).max() < 1e-6


def test_distributions_are_as_said():
    items = np.arange(1, 51)
    assert np.log(ye2018.EXPONENTIAL) == pytest.approx(-items / 10)
    assert np.argmax(ye2018.NORMAL) in (24, 25) and ye2018.NORMAL == pytest.approx(ye2018.NORMAL[::-1])
    assert ye2018.NORMAL[33] / ye2018.NORMAL[24] == pytest.approx(exp((0.5**2 - 8.5**2) / 162))


def test_cases_are_those_of_the_figures():
    five, eight = ye2018.fig5(SUE), ye2018.fig8(SUE)
    assert [(case, oracle.epsilon, counts.sum()) for case, oracle, counts in five] == [
        (eps, eps, 10**6) for eps in (0.1, 0.5, 2.0)
    ]
    assert [(case, oracle.epsilon, counts.sum()) for case, oracle, counts in eight] == [
        (n, 1.0, n) for n in (10**4, 10**5, 10**6)
    ]
    assert all(oracle.k == len(counts) == 50 for _, oracle, counts in five + eight)


class Known:
    """An oracle whose estimates are off by known amounts: by 1 % and more, in turn up and down."""

    k = 4

    def __init__(self, counts, size=0.01):
        self.truth, self.size = counts / counts.sum(), size

    def simulate(self, counts, *, trials, rng):
        return trials

    def estimate(self, trials):
        return self.truth + self.size * np.array([1, -1, 2, -2]) * np.ones((trials, 1))

    def variance(self, values):
        return np.full((4, 4), 9.0)


def test_a_survey_is_shown_in_percent():
    counts = np.array([40, 30, 20, 10])
    found = ye2018.surveyed([("a", Known(counts), counts)], rng=np.random.default_rng(0), name="eps")
    assert list(found) == ["eps", "item", "truth", "estimate", "error"]
    assert found["item"].tolist() == [1, 2, 3, 4] and set(found["eps"]) == {"a"}
    assert found["truth"].tolist() == pytest.approx([40, 30, 20, 10])
    assert (found["estimate"] - found["truth"]).tolist() == pytest.approx([1, -1, 2, -2])
    assert found["error"].tolist() == pytest.approx([100 * sqrt(9 / 100)] * 4)


def test_mean_squares_of_known_errors():
    counts = np.array([40, 30, 20, 10])
    (row,) = ye2018.mean_squares([(1, Known(counts), counts)], rng=np.random.default_rng(0), trials=5).to_dict(
        "records"
    )
    assert row["square"] == pytest.approx(2.5e-4) and row["error"] == pytest.approx(sqrt(2.5e-4))
    assert row["sem"] == pytest.approx(0, abs=1e-12) and row["largest"] == 0.4
    assert row["formula"] == pytest.approx(9 / 100)


def test_mean_squares_agree_with_the_variance():
    counts = ye2018.population([5, 3, 2], 2000)
    cases = [(1, GRR(k=3, epsilon=1.0), counts), (2, SUE(k=3, epsilon=0.5), counts)]
    found = ye2018.mean_squares(cases, rng=np.random.default_rng(1), trials=3000)
    assert (np.abs(found["square"] - found["formula"]) < 6 * found["sem"]).all()
    assert not (np.abs(found["square"] - 1.3 * found["formula"]) < 6 * found["sem"]).any()


# ------------------------------------------------------------------------------------------------------- Table 4


def test_rows_of_the_random_table():
    assert ye2018.rows_prescribed(10**6, 50) == round(10**6 * log(51) * log(40) / log(2000))


class Off:
    """An oracle that is off by k⁻² for the first item, and by nothing for the others."""

    def __init__(self, k, epsilon, power):
        self.k, self.power = k, power

    def perturb(self, values, *, rng):
        return values

    def tally(self, reports):
        return Tally(GRR(k=self.k, epsilon=1.0), len(reports), np.bincount(reports, minlength=self.k))

    def estimate(self, tally):
        return tally.counts / tally.n + self.k**self.power * np.eye(self.k)[0]


def test_errors_and_their_exponents():
    oracles = {"a": lambda k, epsilon: Off(k, epsilon, -2), "b": lambda k, epsilon: Off(k, epsilon, 0.5)}
    found = ye2018.errors(oracles, rng=np.random.default_rng(0), sizes=(4, 8, 16), n=100, trials=2)
    assert list(found) == ["mechanism", "k", "trial", "kind", "error"] and len(found) == 2 * 3 * 2 * 2
    slopes = ye2018.exponents(found)
    assert list(slopes) == ["largest", "sum"]
    assert slopes.loc["a"].tolist() == pytest.approx([-2, -2]) and slopes.loc["b"].tolist() == pytest.approx([0.5, 0.5])


def test_the_sum_and_the_largest_error_are_told_apart():
    rows = [
        (m, k, 0, kind, k ** (1.5 if kind == "sum" else 0.5)) for m in "ab" for k in (2, 4) for kind in ye2018.KINDS
    ]
    slopes = ye2018.exponents(pd.DataFrame(rows, columns=["mechanism", "k", "trial", "kind", "error"]))
    assert slopes["largest"].tolist() == pytest.approx([0.5, 0.5]) and slopes["sum"].tolist() == pytest.approx(
        [1.5, 1.5]
    )


# --------------------------------------------------------------------------------------- the least possible error


def test_information_of_channels_that_are_known():
    assert ye2018.information(np.full((3, 2), 0.5)) == pytest.approx(0)  # reports that say nothing
    assert ye2018.information(np.eye(3)) == pytest.approx(3 * 2)  # trace of k (I − 1/k)
    best = channel(laws(SubsetSelection(k=5, epsilon=1.0), np.arange(5)))[0].T
    risk = SubsetSelection(k=5, epsilon=1.0).variance([0])[0] @ [1, 1, 1, 1, 1] + 1 - 1 / 5
    assert ye2018.information(best) * risk == pytest.approx(16)  # (k − 1)²: the Cramér–Rao bound is attained


def test_channels_are_private():
    found = ye2018.private_channels(5, 1.0, 30, rng=np.random.default_rng(2))
    assert len(found) == 30
    for matrix in found:
        assert matrix.shape[0] == 5 and matrix.sum(1) == pytest.approx(1)
        assert matrix.max(0) / matrix.min(0) == pytest.approx(np.ones(matrix.shape[1]), abs=exp(1) - 1 + 1e-9)
    assert max((matrix.max(0) / matrix.min(0)).max() for matrix in found) == pytest.approx(exp(1))
