"""The experiment of the lesson on many numbers: ratios by hand, and errors that theory and simulation share."""

from math import tanh

import numpy as np
import pytest

from ldpnb import HarmonyMean, MeanEst, SampledHybrid
from ldpnb_book.studies import many_numbers as study

KINDS = {
    "split": lambda d, eps: HarmonyMean(d=d, epsilon=eps, count=d),
    "Harmony": lambda d, eps: HarmonyMean(d=d, epsilon=eps),
    "sampled Hybrid": lambda d, eps: SampledHybrid(d=d, epsilon=eps),
    "MeanEst": lambda d, eps: MeanEst(d=d, epsilon=eps),
}


def test_people_are_spread_evenly():
    x = study.population(5, 3, np.random.default_rng(0))
    assert x.shape == (5, 3)
    np.testing.assert_allclose(np.sort(x, axis=0), np.linspace(-1, 1, 5)[:, None] * np.ones(3))


@pytest.mark.parametrize(("eps", "best"), [(1.0, "Harmony"), (2.0, "MeanEst")])
def test_ratios_of_two_numbers_by_hand(eps, best):
    """For two numbers B = 2c − 1; Harmony is the better of the two up to ε = 1.34."""
    exact, _ = study.ratios(
        KINDS, [2], [eps], best_of=["Harmony", "MeanEst"], marked=[eps], rng=np.random.default_rng(0), surveys=2
    )
    ratio, spread = exact.set_index("client")["ratio"], np.mean(np.linspace(-1, 1, 40) ** 2)
    c, half = 1 / tanh(eps / 2), 1 / tanh(eps / 4)
    by_hand = {"Harmony": 2 * c**2 - spread, "MeanEst": (2 * c - 1) ** 2 - spread, "split": half**2 - spread}
    for name, variance in by_hand.items():
        assert ratio[name] == pytest.approx(variance / by_hand[best], rel=1e-9)
    assert ratio[best] == 1


def test_simulated_surveys_have_the_ratios_of_the_formula():
    """Six standard errors are allowed; a control compares each mechanism with another's formula."""
    exact, runs = study.ratios(
        KINDS, [2, 5], [], best_of=["Harmony", "MeanEst"], marked=[2.0], rng=np.random.default_rng(1), surveys=2000
    )
    by = ["d", "ε", "client"]
    found, theory = runs.groupby(by)["ratio"].agg(["mean", "sem", "count"]), exact.set_index(by)["ratio"]
    assert found["count"].eq(2000).all() and len(theory) == 8
    assert (np.abs(found["mean"] - theory) < 6 * found["sem"]).all()
    wrong = theory.rename({"split": "MeanEst", "MeanEst": "split"}, level="client")
    off = np.abs(found["mean"] - wrong) > 6 * found["sem"]
    assert off.loc[[key for key in off.index if key[2] in ("split", "MeanEst")]].all()
