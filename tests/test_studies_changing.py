"""The experiment of the lesson on keys that come and go: theory against simulation, and the package's variances."""

import numpy as np
import pytest

from ldpnb import Records, WheelKV
from ldpnb.book.studies import changing as study


def wheel(eps):
    """The law of a report of Wheel-KV about one key."""
    return tuple(map(float, WheelKV(epsilon=eps, m=2).answer))


def errors(*cases, surveys=4_000):
    """Errors of these cases: ε, people, shares, weights of the sum, weights of what is wanted."""
    named = [dict(zip(("ε", "n", "f", "u", "wanted"), case, strict=True)) for case in cases]
    return study.errors(wheel, named, surveys=surveys, rng=np.random.default_rng(1))


def test_errors_of_theory_are_those_of_simulated_surveys():
    """4,000 surveys: a root mean square is known to 1.1 %, and six times that is allowed."""
    found = errors(
        (1.0, (400, 1_600), (0.5, 0), (0.2, 0), (0.2, 0.8)),
        (1.0, (400, 1_600), (0.5, 0), (0.2, 0.8), (0.2, 0.8)),
        (0.5, (10_000, 10_000), (0.08, 0.02), (0.5, 0.5), (0, 1)),
        (4.0, (10_000, 10_000), (0.08, 0.02), (0.5, 0.5), (0, 1)),
        (4.0, (10_000, 10_000), (0.08, 0.02), (0, 1), (0, 1)),
    )
    assert np.abs(found["found"] / found["error"] - 1).max() < 0.07
    assert np.abs(found["found"].to_numpy()[::-1] / found["error"] - 1)[[0, 1, 3, 4]].min() > 0.07
    assert found["error"][4] < found["error"][3]  # at large ε the last batch is better


def test_known_zeros_take_noise_away():
    rare = errors(*((2.0, (250, 750), (0, 0), (0.25, last), (0.25, 0.75)) for last in (0, 0.75)), surveys=1)["error"]
    assert (rare[0] / rare[1]) ** 2 == pytest.approx(0.25)


def test_noise_is_that_of_the_package():
    holder, other = WheelKV(epsilon=2.0, m=2).variance(Records.of({0: 1.0}, {}), items=[0])[:, 0, 0]
    stated = (30 * holder + 70 * other) / 100**2
    assert errors((2.0, (100,), (0.3,), (1,), (1,)), surveys=1)["error"][0] ** 2 == pytest.approx(stated, rel=1e-6)
