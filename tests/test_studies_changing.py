"""The experiment of the lesson on keys that come and go: theory against simulation, and the package's variances."""

import numpy as np
import pytest

from ldpnb import Records, WheelKV
from ldpnb_book.studies import changing as study


def errors(epsilon, *case, surveys=4_000):
    """Errors of Wheel-KV: people, shares, weights of the sum, weights of what is wanted."""
    law = tuple(map(float, WheelKV(epsilon=epsilon, m=2).answer))
    return study.errors(law, *case, np.random.default_rng(1), surveys)


def test_errors_of_theory_are_those_of_simulated_surveys():
    """4,000 surveys: a root mean square is known to 1.1 %, and six times that is allowed."""
    cases = [
        (1.0, (400, 1_600), (0.5, 0), (0.2, 0), (0.2, 0.8)),
        (1.0, (400, 1_600), (0.5, 0), (0.2, 0.8), (0.2, 0.8)),
        (4.0, (10_000, 10_000), (0.08, 0.02), (0.5, 0.5), (0, 1)),
        (4.0, (10_000, 10_000), (0.08, 0.02), (0, 1), (0, 1)),
    ]
    exact, found = np.array([list(errors(*case).values()) for case in cases]).T
    assert np.abs(found / exact - 1).max() < 0.07
    assert np.abs(found[[1, 0, 3, 2]] / exact - 1).min() > 0.07
    assert exact[3] < exact[2]  # at large ε the last batch is better


def test_known_zeros_take_noise_away():
    alike, batches = (
        errors(2.0, (250, 750), (0, 0), (0.25, last), (0.25, 0.75), surveys=1)["error"] for last in (0.75, 0)
    )
    assert (batches / alike) ** 2 == pytest.approx(0.25)


def test_noise_is_that_of_the_package():
    holder, other = WheelKV(epsilon=2.0, m=2).variance(Records.of({0: 1.0}, {}), items=[0])[:, 0, 0]
    stated = (30 * holder + 70 * other) / 100**2
    assert errors(2.0, (100,), (0.3,), (1,), (1,), surveys=1)["error"] ** 2 == pytest.approx(stated, rel=1e-6)
