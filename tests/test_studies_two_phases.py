"""The experiments of the lesson on two phases, and what its figure and table show."""

import numpy as np
import pytest

from ldpnb import PrivSet, Records, SampledGRR, SampledHadamardBit
from ldpnb.sets import halves, largest, restrict
from ldpnb_book.studies import two_phases as study


def bit(slots):
    return SampledHadamardBit(d=64, ell=slots, epsilon=2.0)


def test_noise_is_the_variance_of_a_rare_item():
    """64 items, 100 runs: known to 1.8 %, and six times that is allowed; a control with one slot more."""
    found = study.noise(bit, 8, 2000, 100, np.random.default_rng(1))
    assert abs(found * 2000 / bit(8).rare_variance - 1) < 0.11
    assert abs(found * 2000 / bit(9).rare_variance - 1) > 0.11


def test_ratios_are_those_of_the_theorem():
    """A ratio is known to 2.2 %, and six times that is allowed; a control with everybody in phase two."""
    found = study.ratios(bit, 16, (8, 16), 2000, 100, np.random.default_rng(2))
    x = found["x"].to_numpy()
    stated = np.where(found["phases"] == "both", 2 * x**2 / (1 + x**2), 2 * x**2)
    assert found["x"].tolist() == [0.5, 0.5, 1, 1]
    assert np.abs(found["ratio"] / stated - 1).max() < 0.13
    assert np.abs(found["ratio"] / (stated / 2) - 1).min() > 0.13


def one_phase(people, rng):
    mechanism = PrivSet(d=6, ell=2, epsilon=4.0)
    f = mechanism.estimate(mechanism.tally(mechanism.perturb(people, rng=rng)))
    return largest(f, 3), f[largest(f, 3)]


def two_phases(people, rng):
    one, two = halves(people, rng)
    listed, _ = one_phase(one, rng)
    mechanism = SampledGRR(d=3, ell=2, epsilon=4.0)
    return listed, mechanism.estimate(mechanism.tally(mechanism.perturb(restrict(two, listed), rng=rng)))


def wrong(people, rng):
    return np.array([5, 4, 3]), np.array([0.5, 0.3, 0.4])


PEOPLE = Records.of(*[{0, 1}, {0, 2}, {0, 1}, {3}] * 1000)


def test_scores_compare_with_the_truth():
    methods = {"one": one_phase, "two": two_phases, "wrong": wrong}
    runs = study.scores(
        lambda people, rng: {name: method(people, rng) for name, method in methods.items()},
        *(PEOPLE, 6, 2, 3, np.random.default_rng(3)),
    )
    means = runs.groupby("method").mean()
    assert len(runs) == 9 and means.loc[["one", "two"], ["recall", "precision"]].to_numpy().tolist() == [[1, 1], [1, 1]]
    assert np.abs(means.loc[["one", "two"], ["list", "named", "error"]]).to_numpy().max() < 0.1
    assert means.loc["wrong"].tolist() == pytest.approx([0, 0, 0.95 / 3, 0.325, np.sqrt((0.25 + 0.09 + 0.15**2) / 3)])


def test_the_summary_shows_means_and_standard_errors():
    runs = study.scores(lambda *given: {"wrong": wrong(*given)}, PEOPLE, 6, 2, 3, np.random.default_rng(3))
    shown = study.summary(runs).data
    assert shown.count("0.000 ± 0.000") == 2
    assert "0.325 ± 0.000" in shown and "mean error, named" in shown
