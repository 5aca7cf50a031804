"""The experiment of the lesson on frequency oracles: errors that the formula and the package's oracles share."""

import numpy as np

from ldpnb import GRR, OUE
from ldpnb_book.studies import frequency as study

KINDS = {"k-RR": GRR, "OUE": OUE}


def chances(eps):
    return {name: tuple(map(float, make(k=5, epsilon=eps).support)) for name, make in KINDS.items()}


def test_errors_of_the_formula_are_those_of_simulated_surveys():
    """2,000 surveys: an error is known to 1.6 %, and six times that is allowed; a control with the other's errors."""
    exact, runs = study.absent(chances, KINDS, [0.7, 3.0], k=5, n=1000, rng=np.random.default_rng(1))
    by = ["oracle", "ε"]
    seen, theory = runs.groupby(by)["found"].std(), exact.set_index(by)["error"]
    assert len(theory) == 4 and runs.groupby(by)["found"].count().eq(2000).all()
    assert np.abs(seen / theory - 1).max() < 0.1
    swapped = theory.rename({"k-RR": "OUE", "OUE": "k-RR"}, level="oracle")
    assert np.abs(seen / swapped - 1).min() > 0.1


def test_nobody_has_the_item():
    exact, runs = study.absent(chances, KINDS, [1.0], k=5, n=500, rng=np.random.default_rng(2))
    for (name, _), found in runs.groupby(["oracle", "ε"])["found"]:
        error = exact.set_index("oracle").loc[name, "error"]
        assert abs(found.mean()) < 6 * error / 2000**0.5
