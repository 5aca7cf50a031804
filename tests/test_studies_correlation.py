"""The study of the lesson on correlation: its populations, and its theory against simulations of its own."""

from functools import reduce

import numpy as np
import pytest

from ldpnb import GRR, IOH, OUE, SUE, PairSampling
from ldpnb.keyvalue.queries import Table
from ldpnb_book.studies import correlation as study
from ldpnb_book.studies.correlation import errors

SHARES = 0.3, 0.5, 0.1, 0.2
HELD, ABSENT, SIGN = np.array([1, 0, 1]), np.array([0, 1, 0]), np.array([-1, 0, 1])


def names(d):
    return tuple(f"key {j}" for j in range(d))


def designs(eps):
    return {
        "SUE": lambda d: IOH.of(names(d), SUE, eps),
        "OUE": lambda d: IOH.of(names(d), OUE, eps),
        "k-RR": lambda d: IOH.of(names(d), GRR, eps),
        "one pair": lambda d: PairSampling.of(names(d), GRR, eps),
    }


@pytest.mark.parametrize("d", [2, 4])
def test_the_population_has_the_shares_that_were_asked_for(d):
    table = study._population(names(d), SHARES)
    given, key = names(d)[-1], names(d)[-2]
    assert table.cells.sum() == pytest.approx(1) and table.cells.min() > 0
    assert table.count({given: 1}).value == pytest.approx(0.3)
    assert table.frequency(key, {given: 1}).value == pytest.approx(0.5)
    assert table.frequency(key, {given: 0}).value == pytest.approx(0.1)
    for other in names(d)[:-2]:
        assert table.frequency(other, {given: 1, key: 0}).value == pytest.approx(0.2)
    signs = reduce(np.multiply.outer, [SIGN, *[HELD + ABSENT] * (d - 1)]).ravel()
    assert table.cells @ signs == pytest.approx(0)


def test_without_noise_the_error_is_that_of_the_sample():
    exact, _ = errors({"k-RR": designs(30.0)["k-RR"]}, [3], shares=SHARES, n=10**4, rng=np.random.default_rng(1))
    assert exact["error"].item() == pytest.approx((0.5 * 0.5 / (10**4 * 0.3)) ** 0.5, rel=1e-6)


def test_simulations_scatter_as_theory_says():
    """The standard deviation of 400 surveys is known to 3.6 %; five standard errors of that."""
    exact, found = errors(designs(3.0), [2, 4], shares=SHARES, n=10**6, rng=np.random.default_rng(2), surveys=400)
    assert exact.columns.tolist() == ["design", "at", "error"]
    assert found.columns.tolist() == ["design", "at", "found"] and len(found) == 8 * 400 and found.index.is_unique
    theory = exact.set_index(["design", "at"])["error"]
    spread = found.groupby(["design", "at"])["found"].agg(["std", "mean"])
    assert (spread["std"] / theory - 1).abs().max() < 0.18
    assert ((spread["mean"] - 0.5).abs() / theory).max() < 0.4  # of the mean of 400, a twentieth; and the ratio's bias
    swapped = theory.rename({"OUE": "k-RR", "k-RR": "OUE"}, level=0)  # the control
    assert (spread["std"] / swapped - 1).abs().max() > 0.18


def test_pairs_are_drawn_from_all_pairs():
    """With four keys a sixth of the people is asked about the last two, and the error grows like √6."""
    exact, _ = errors(
        {"one pair": designs(9.0)["one pair"]}, [2, 4], shares=SHARES, n=10**6, rng=np.random.default_rng(3)
    )
    two, four = exact["error"]
    assert four / two == pytest.approx(6**0.5, rel=0.01)


def test_the_same_numbers_give_the_same_frames():
    once, again = (
        errors(designs(1.0), [2], shares=SHARES, n=1000, rng=np.random.default_rng(4), surveys=3) for _ in range(2)
    )
    assert all(a.equals(b) for a, b in zip(once, again, strict=True))


def off(table, counts):
    """Mean distance of frequencies and means of all ordered pairs of keys from those of the true counts."""
    both = [(a, b) for a in table.keys for b in table.keys if a != b]

    def asked(question):
        answers = [getattr(table.marginal(pair), question)(pair[0], {pair[1]: 1}).value for pair in both]
        truth = [getattr(counts.marginal(pair), question)(pair[0], {pair[1]: 1}).value for pair in both]
        return np.abs(np.clip(answers, -1, 1) - np.array(truth)[:, None]).mean()

    return np.array([asked("frequency"), asked("mean")])


@pytest.mark.slow
def test_negative_cells_are_better_mended_in_the_small_table():
    """Of eight keys: moving the whole table to the nearest shares biases every sum, unless all is noise (ε = 1)."""
    rng, keys, found = np.random.default_rng(5), names(8), {}
    trait = rng.normal(size=(10**6, 1))
    held = 0.55 * trait + 0.83 * rng.normal(size=(10**6, 8)) > np.linspace(0.4, -0.3, 8)
    plus = rng.random((10**6, 8)) < np.clip(0.5 + 0.1 * trait, 0, 1)
    cells = np.bincount(np.where(held, 2 * plus, 1) @ 3 ** np.arange(7, -1, -1), minlength=3**8)
    counts = Table(keys, cells / 10**6)
    for eps in (1.0, 4.0):
        mechanism = IOH.of(keys, OUE, eps)
        table = mechanism.table(mechanism.simulate(np.tile(cells, (5, 1)), rng=rng)).normalised()
        found[eps] = off(table, counts), off(table.projected(), counts), off(Mended(table), counts)
    plain, whole, small = found[4.0]
    assert (whole > 1.5 * plain).all() and (small < 1.02 * plain).all()
    plain, whole, _ = found[1.0]
    assert (whole < plain).all()


class Mended:
    """A table whose marginals are projected, each on its own."""

    def __init__(self, table):
        self.keys, self.table = table.keys, table

    def marginal(self, keys):
        return self.table.marginal(keys).projected()
