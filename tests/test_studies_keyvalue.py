"""The experiment of the lesson on key–value data: laws of reports, and errors that theory and simulation share."""

import numpy as np
import pytest

from ldpnb import PrivKV, Records, StateEncoding, laws
from ldpnb_book.studies import keyvalue as study

MAKE = {
    "halves": lambda eps: PrivKV.nominal_split(1, eps),
    "state encoding": lambda eps: StateEncoding(d=1, epsilon=eps),
}


@pytest.mark.parametrize("name", MAKE)
def test_shares_of_reports_are_those_of_the_clients(name):
    """30 % of the people have the key, a quarter of them with the value −1 and the rest with 1: a mean of 0.5."""
    mechanism, expected = MAKE[name](1.0), np.zeros(3)
    told = laws(mechanism, Records.of({0: -1.0}, {0: 1.0}, {}))
    for weight, law in zip((0.075, 0.225, 0.7), told, strict=True):
        for (_, state), chance in law.items():
            expected[state] += weight * float(chance)
    np.testing.assert_allclose(study.report_shares(mechanism, 0.3, 0.5), expected, rtol=1e-12)
    assert not np.allclose(study.report_shares(mechanism, 0.3, -0.5), expected)


def test_errors_of_theory_are_those_of_simulated_surveys():
    """2,000 surveys: an error is known to 1.6 %, and six times that is allowed; a control with the other's errors."""
    exact, runs = study.errors(MAKE, [0.7, 3.0], f=0.2, m=0.5, n=50_000, rng=np.random.default_rng(1))
    by = ["mechanism", "ε", "estimate"]
    seen, theory = runs.groupby(by)["found"].std(), exact.set_index(by)["error"]
    assert len(theory) == 8 and np.abs(seen / theory - 1).max() < 0.1
    swapped = theory.rename({"frequency": "mean", "mean": "frequency"}, level="estimate")
    assert np.abs(seen / swapped - 1).min() > 0.1
    assert runs.groupby(by)["found"].count().eq(2000).all()
    truth = runs[runs["ε"] == 3.0].groupby("estimate")["found"].mean()
    assert abs(truth["frequency"] - 0.2) < 0.002 and abs(truth["mean"] - 0.5) < 0.01
