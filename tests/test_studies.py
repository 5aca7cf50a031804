"""The experiments behind figures: their invented people are as said, and they measure what they are given."""

import numpy as np
import pytest

from ldpnb import GRR, OUE, SUE, Records, StateEncoding
from ldpnb.core import Tally
from ldpnb.keyvalue import Holdings, clipped_mean
from ldpnb_book.studies import sun2021

# ----------------------------------------------------------------------------------------------------- single keys


def test_films_are_rated_as_said():
    people = sun2021.films()
    assert (people.n, people.d) == (138_493, 10)
    assert people.counts.min() >= 0
    assert people.frequency == pytest.approx(np.linspace(0.49, 0.36, 10), abs=1 / people.n)
    assert people.mean == pytest.approx(np.linspace(0.77, 0.38, 10), abs=1e-3)


@pytest.mark.parametrize("mean", [-0.9, 0.0, 0.5])
def test_tilted_ratings_have_the_mean_and_are_log_linear(mean):
    law = sun2021.tilted(mean)
    assert law.sum() == pytest.approx(1) and law @ sun2021.STARS == pytest.approx(mean)
    assert np.ptp(np.diff(np.log(law))) < 1e-12


TWO = Holdings(100, np.array([0, 1, 2]), np.array([0.5, -1.0]), np.array([20, 40]))


def off_by(frequency, mean):
    """A method whose errors are known: the second key's are three times the first's, and all grow with ε."""

    def method(people, eps, runs, rng):
        sides = eps * np.array([1, -3]) * np.ones((runs, 1))
        return people.frequency + frequency * sides, people.mean + mean * sides

    return method


def test_fig5_averages_absolute_errors_over_the_keys():
    methods = {"a": off_by(0.1, 0.2), "b": off_by(0.3, 0.0)}
    found = sun2021.fig5(TWO, methods, rng=np.random.default_rng(0), budgets=(1, 2), runs=3)
    assert list(found) == ["method", "eps", "run", "what", "error"]
    assert len(found) == 2 * 2 * 3 * 2 and set(found["run"]) == {0, 1, 2}
    seen = found.groupby(["method", "eps", "what"])["error"].agg(["min", "max"])
    for (method, eps, what), row in seen.iterrows():
        size = {("a", "frequency"): 0.1, ("a", "mean"): 0.2, ("b", "frequency"): 0.3, ("b", "mean"): 0.0}[method, what]
        assert row.tolist() == pytest.approx([2 * size * eps] * 2, abs=1e-12)


def state_encoding(people, eps, runs, rng):
    mechanism = StateEncoding(d=people.d, epsilon=eps)
    tally = mechanism.simulate_marginals(people, trials=runs, rng=rng)
    return mechanism.of_asked(tally)[0][:, 0], clipped_mean(mechanism.estimate(tally), people.n)


def test_fig5_gives_these_errors():
    """From the streams that the dossier draws from."""
    rng = np.random.default_rng(np.random.SeedSequence(2021, n_children_spawned=7))
    found = sun2021.fig5(sun2021.films(), {"SE": state_encoding}, rng=rng)
    errors = found.groupby(["what", "eps"])["error"].mean()
    assert errors["frequency"][[0.1, 1, 10]].tolist() == pytest.approx(ERRORS["frequency"], rel=1e-7)
    assert errors["mean"][[0.1, 1, 10]].tolist() == pytest.approx(ERRORS["mean"], rel=1e-7)


ERRORS = {
    "frequency": [0.0956659885, 0.0091934583, 0.0032286485],
    "mean": [0.3550782907, 0.0353270837, 0.0083281968],
}

# ----------------------------------------------------------------------------------------------------- correlations


class Perfect:
    """An oracle that counts people as they are."""

    def __init__(self, k, epsilon):
        self.k = k

    def simulate(self, counts, *, trials, rng):
        assert len(counts) == self.k
        return Tally(GRR(k=self.k, epsilon=1.0), int(counts.sum()), np.array([counts] * trials))

    def estimate(self, tally):
        return tally.counts / tally.n


class Turned(Perfect):
    """An oracle that numbers the cells from the other end, so that + and − are exchanged."""

    def estimate(self, tally):
        return super().estimate(tally)[..., ::-1]


def test_people_of_fig6_are_as_said():
    records, held, values = sun2021.gauss(20_000, 4, np.random.default_rng(1))
    shares = held.mean(0)
    assert shares == pytest.approx([0.345, 0.434, 0.526, 0.618], abs=0.02)
    assert abs(values).max() <= 1
    related = np.corrcoef(held.T)[np.triu_indices(4, 1)]
    assert (related > 0.15).all() and (related < 0.25).all()
    told = Records.of(*({j: values[i, j] for j in range(4) if held[i, j]} for i in range(5)))
    assert len(records) == 20_000 and np.array_equal(records[:5].keys, told.keys)
    assert np.array_equal(records[:5].offsets, told.offsets) and np.array_equal(records[:5].values, told.values)


def test_tables_of_pairs_are_those_of_people_counted_one_by_one():
    rng = np.random.default_rng(2)
    states = rng.integers(0, 3, (500, 3))
    cells = np.bincount(states @ (9, 3, 1), minlength=27) / 500
    tables = sun2021.pair_tables(cells, 3)
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    for (a, b), table in zip(pairs, tables, strict=True):
        seen = [[np.mean((states[:, a] == x) & (states[:, b] == y)) for y in range(3)] for x in range(3)]
        assert table == pytest.approx(np.array(seen))
    held, signs = states != 1, states - 1.0
    assert sun2021.correlations(tables, 500) == pytest.approx(sun2021.pair_truth(held, signs))
    assert not np.allclose(sun2021.correlations(tables.swapaxes(-1, -2), 500), sun2021.pair_truth(held, signs))


def test_correlations_are_clipped():
    table = np.zeros((1, 3, 3))
    assert sun2021.correlations(table, 100).tolist() == [[0, 0]]
    table[0, 2, 2], table[0, 0, 1], table[0, 2, 1] = 0.2, 0.3, -0.3
    table[0, 1, 2] = -0.1  # more people with both than with the second
    assert sun2021.correlations(table, 100).tolist() == [[1, 1]]


def errors(oracles, pairs=None, **more):
    size = {"people": (3000,), "keys": (3,), "budgets": (1.0, 2.0), "runs": 2} | more
    return sun2021.fig6(oracles, pairs=pairs or {}, rng=np.random.default_rng(3), **size)


def test_fig6_sees_a_perfect_oracle_and_a_wrong_one():
    found = errors({"right": Perfect, "wrong": Turned}, {"pairs": Perfect, "wrong pairs": Turned})
    assert list(found) == ["n", "d", "design", "eps", "run", "what", "error"]
    assert len(found) == 4 * 2 * 2 * 2
    worst = found.groupby(["design", "what"])["error"].max()
    assert worst["right", "frequency"] < 1e-12 and worst["right", "mean"] < 0.05  # of signs that are drawn
    assert worst["pairs", "frequency"] < 0.05 and worst["pairs", "mean"] < 0.15  # of who is asked
    least = found.groupby(["design", "what"])["error"].min()
    assert least["wrong", "mean"] > 0.3 and least["wrong pairs", "mean"] > 0.3
    assert least["wrong", "frequency"] < 1e-12  # presence is symmetric


def test_those_who_are_asked_about_pairs_are_all_people_once():
    histogram = np.arange(27)
    asked = sun2021._asked_pairs(histogram, 3, np.random.default_rng(4))
    assert [len(nine) for nine in asked] == [9] * 3 and sum(map(sum, asked)) == histogram.sum()


def test_fig6_gives_the_errors_of_the_chapter_before():
    """As its own code found them, for two keys and 100,000 people; a table was drawn from the same stream before."""
    rng = np.random.default_rng(31)
    rng.normal(size=27)
    oracles = {"SUE": SUE, "OUE": OUE, "k-RR": GRR}
    found = sun2021.fig6(oracles, pairs={"pairs": GRR}, rng=rng, people=(10**5,), keys=(2,))
    seen = found.query("eps == 4").groupby(["design", "what"])["error"].mean()
    for (design, what), error in BEFORE.items():
        assert seen[design, what] == pytest.approx(error, rel=1e-7)


BEFORE = {
    ("SUE", "frequency"): 0.0027680461,
    ("SUE", "mean"): 0.0111346172,
    ("OUE", "frequency"): 0.0028275300,
    ("OUE", "mean"): 0.0084204382,
    ("k-RR", "frequency"): 0.0011455754,
    ("k-RR", "mean"): 0.0053528081,
    ("pairs", "frequency"): 0.0012106579,
    ("pairs", "mean"): 0.0052138724,
}


def test_rounds_approach_the_true_mean_as_theory_says():
    """20 means of 100 runs, six standard errors each; a control one round later."""
    exact, runs = sun2021.rounds((0.5, 0.1), m=0.6, eps1=1.0, eps2=4.0, t=10, rng=np.random.default_rng(1), runs=100)
    seen = runs.groupby(["key held by", "round"], sort=False)["mean"].agg(["mean", "sem"]).reset_index()
    off = (seen["mean"] - exact["mean"]) / seen["sem"]
    assert len(exact) == 20 and off.abs().max() < 6
    assert ((seen["mean"] - exact["mean"].shift(-1)) / seen["sem"]).abs().max() > 6
