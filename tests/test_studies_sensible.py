"""The experiment of the lesson on sensible estimates: what it says of repairs, from numbers known exactly."""

from functools import partial
from math import sqrt

import numpy as np
import pytest

from ldpnb import OUE
from ldpnb_book.studies import sensible as study

OUE_OF = partial(OUE, epsilon=1.0)


def unbiased(bits):
    q = 1 / (np.e + 1)
    return (bits.mean(0) - q) / (0.5 - q)


def test_rare_items_of_repairs_that_know_the_truth():
    """One that returns the truth has no error; one that splits a share of 0.2 over all rare items has a known one."""
    right = {4: np.array([0.6, 0.4, 0, 0]), 7: np.array([0.6, 0.4, 0, 0, 0, 0, 0])}
    wrong = {k: truth + np.r_[-0.2, 0, np.full(k - 2, 0.2 / (k - 2))] for k, truth in right.items()}
    repairs = {"right": lambda bits: right[bits.shape[1]], "wrong": lambda bits: wrong[bits.shape[1]]}
    found = study.rare_items(repairs, OUE_OF, [2, 5], n=50, rng=np.random.default_rng(1), surveys=3)
    assert found.groupby(["rare items", "estimate"]).size().tolist() == [3] * 4
    assert found.loc[found["estimate"] == "right", ["sum of rare shares", "total error"]].eq(0).to_numpy().all()
    for rare in (2, 5):
        rows = found[(found["rare items"] == rare) & (found["estimate"] == "wrong")]
        np.testing.assert_allclose(rows["sum of rare shares"], 0.2)
        np.testing.assert_allclose(rows["total error"], sqrt(0.04 + 0.04 / rare))


def test_rare_items_are_reported_by_nobody():
    """Of 40 surveys of 2,000 people, the unbiased sum of 8 rare shares is 0 to five standard errors, as its spread."""
    rng = np.random.default_rng(2)
    found = study.rare_items({"unbiased": unbiased}, OUE_OF, [8], n=2000, rng=rng, surveys=40)["sum of rare shares"]
    error = sqrt(8 * 4 * np.e / (np.e - 1) ** 2 / 2000)
    assert abs(found.mean()) < 5 * error / sqrt(40)
    assert found.std() == pytest.approx(error, rel=5 / sqrt(80))
    assert abs(found.mean() + 0.5) > 5 * error / sqrt(40)  # control: a shift by half of all people
