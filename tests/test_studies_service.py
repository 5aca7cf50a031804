"""The experiments of the lesson on services, from numbers known exactly."""

from math import exp, sqrt

import numpy as np
import pytest

from ldpnb import GRR, OUE, HadamardBit
from ldpnb_book.studies import service as study


def honest(history, eps, rng):
    return tuple(int(rng.random() < exp(eps) / (1 + exp(eps))) for _ in history)


def test_yes_replies_are_counted_up_to_each_day():
    """A client that says yes on even days alone has one yes after one day, and two after three and four."""

    def even(history, eps, rng):
        return tuple(int(day % 2 == 0) for day in range(len(history)))

    found = study.yes_replies(even, [4, 1, 3], eps=1.0, people=3, rng=np.random.default_rng(0))
    assert found.tolist() == [[2, 1, 2]] * 3


def test_yes_replies_ask_people_whose_value_is_yes():
    """4,000 people, 10 days: the mean is 10 p to six standard errors (a false alarm below 1e-8)."""
    rng = np.random.default_rng(1)
    found = study.yes_replies(honest, [10], eps=1.0, people=4000, rng=rng)[:, 0]
    p = exp(1) / (1 + exp(1))
    error = sqrt(10 * p * (1 - p) / 4000)
    assert abs(found.mean() - 10 * p) < 6 * error
    assert abs(found.mean() - 10 * (1 - p)) > 6 * error  # the control: people whose value is no


def test_worth_by_formula_is_the_largest_score():
    make = {
        "k-RR": lambda eps: GRR(k=7, epsilon=eps),
        "OUE": lambda eps: OUE(k=7, epsilon=eps),
        "Hadamard": lambda eps: HadamardBit(k=7, epsilon=eps),
    }
    formula, found = study.worth(make, [0.5, 2.0], [0.5, 1.0, 2.0])
    assert len(formula) == 4 * 3 and len(found) == 3 * 2
    both = found.merge(formula, on=["mechanism", "ε"], suffixes=("", " by formula"))
    np.testing.assert_allclose(both["people"], both["people by formula"], rtol=1e-9)
    by_hand = {"k-RR": 1 + 6 / (exp(2) - 1), "OUE": 2 * exp(2) / (exp(2) - 1), "Hadamard": (exp(2) + 1) / (exp(2) - 1)}
    at_two = found[found["ε"] == 2.0].set_index("mechanism")["people"]
    for name, people in by_hand.items():
        assert at_two[name] == pytest.approx(people, rel=1e-9)
        assert people > exp(2) / (exp(2) - 1) - 1e-9
    bound = formula[formula["mechanism"] == "bound"].set_index("ε")["people"]
    assert bound[1.0] == pytest.approx(exp(1) / (exp(1) - 1))
