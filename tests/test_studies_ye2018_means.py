"""The study of the survey's means: its people, its surveys, the largest errors and the ball of tuples."""

from itertools import product

import numpy as np
import pytest

from ldpnb import HarmonyMean, MeanEst, least_distortion
from ldpnb_book.studies import ye2018_means as study


def test_people_are_whole_numbers_with_linear_means():
    raw = study.to_raw(study.people(20_000, np.random.default_rng(1)))
    assert np.abs(raw - np.rint(raw)).max() < 1e-9 and raw.min() >= 1 and raw.max() <= 400
    off = (raw.mean(0) - study.MIDDLES) / (raw.std(0) / np.sqrt(20_000))
    assert np.abs(off).max() < 6.5  # 80 means: false alarm rate below 1e-8
    assert np.abs((study.LOW + study.HIGH) / 2 - study.MIDDLES).max() < 0.6


@pytest.fixture(scope="module")
def found():
    return study.surveyed(HarmonyMean, (0.5, 1.0), rng=np.random.default_rng(2), batches=2)


def test_surveys_have_the_errors_that_they_state(found):
    assert sorted(set(zip(found["ε"], found["n"], strict=True))) == [
        (0.5, 2 * 10**5),
        (1.0, 10**4),
        (1.0, 10**5),
        (1.0, 2 * 10**5),
    ]
    assert len(found) == 4 * study.ATTRIBUTES
    scaled = (found["estimate"] - found["truth"]) / found["stated"]
    assert scaled.abs().max() < 6.5
    assert abs(np.square(scaled).mean() - 1) < 0.6  # 320 squares: six of their standard errors
    one = found[(found["ε"] == 1) & (found["n"] == 10**5)]
    c = (np.e + 1) / (np.e - 1)
    assert np.allclose(one["stated"], study.HALF * np.sqrt(80 / 10**5) * c, rtol=0.01)


def test_errors_are_shares_of_the_range(found):
    summary = study.errors(found)
    one = found[(found["ε"] == 0.5)]
    assert summary.loc[(0.5, 2 * 10**5), "seen"] == pytest.approx(
        np.sqrt(np.mean((one["estimate"] - one["truth"]) ** 2)) / 399
    )
    assert summary.loc[(1.0, 10**4), "stated"] == pytest.approx(
        np.sqrt(10) * summary.loc[(1.0, 10**5), "stated"], rel=0.01
    )


def test_largest_errors_follow_the_standard_errors():
    got = study.largest_errors(
        {"MeanEst": MeanEst, "Harmony": HarmonyMean}, (16, 64), 0.5, rng=np.random.default_rng(3), n=10**4
    )
    assert set(got) == {("MeanEst", 16), ("MeanEst", 64), ("Harmony", 16), ("Harmony", 64)}
    # a normal error each: the mean of the largest of 64 absolute ones is 2.50 standard errors
    sd = 64**0.5 * (np.exp(0.5) + 1) / (np.exp(0.5) - 1)
    assert got["Harmony", 64] == pytest.approx(2.50 * sd * 0.5 / np.sqrt(64 * np.log(64)), rel=0.1)


def test_repeated_surveys_agree_with_the_variance_and_with_real_clients():
    mechanism, rng = HarmonyMean(d=80, epsilon=1.0), np.random.default_rng(4)
    (row,) = study.mean_squares([("one", mechanism, 5000)], rng=rng, trials=400).to_dict("records")
    assert row["case"] == "one" and row["error"] == pytest.approx(np.sqrt(row["square"]))
    c = (np.e + 1) / (np.e - 1)
    assert row["formula"] == pytest.approx((80 * c**2 - np.mean(study.MEANS**2)) / 5000)
    assert abs(row["square"] - row["formula"]) < 6 * row["sem"]
    assert not abs(row["square"] - 1.2 * row["formula"]) < 6 * row["sem"]
    off = []
    for _ in range(30):  # people and clients, one by one
        reports = mechanism.perturb(study.people(5000, rng), rng=rng)
        off.append(np.mean((mechanism.estimate(mechanism.tally(reports)) - study.MEANS) ** 2))
    assert abs(np.mean(off) - row["formula"]) < 6 * np.std(off, ddof=1) / np.sqrt(30)
    assert np.abs(study.to_raw(study.MEANS) - study.MIDDLES).max() < 0.6


def test_extreme_sources():
    found = study.extremes([0.5, 0.3, 0.2], 0.1)
    assert {tuple(np.round(100 * point).astype(int).tolist()) for point in found} == {
        (40, 40, 20), (40, 30, 30), (60, 20, 20), (60, 30, 10), (50, 40, 10), (50, 20, 30)
    }  # fmt: skip
    assert study.extremes([0.95, 0.05], 0.1).max() == 1.0 and study.extremes([0.95, 0.05], 0.1).min() == 0.0


@pytest.mark.parametrize("eps", [0.5, 1.5, 3.0])
def test_ball_is_the_best_channel_of_tuples(eps):
    tuples = np.array([*product(range(2), repeat=3)])
    loss = (tuples[:, None] != tuples).mean(2)
    assert study.ball(2, 3, eps) == pytest.approx(least_distortion(loss, eps, np.full(8, 1 / 8)).distortion, abs=1e-8)
    assert study.ball(2, 3, eps) == min(study.ball(2, 3, eps, r) for r in range(3))
    assert study.ball(5, 1, eps) == pytest.approx(4 / (4 + np.exp(eps)))
