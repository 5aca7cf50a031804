"""The experiments on Bayes networks, with the learner of the lesson, and what its text says without a check."""

from collections import Counter
from functools import cache, partial
from itertools import combinations, product
from math import comb
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from lessons import lesson

import ldpnb
from ldpnb import BitFlip, Network
from ldpnb.attributes import information_bias
from ldpnb_book import recorded
from ldpnb_book.studies import ren2019 as study, ren2019_experiments as experiments

ROOT = Path(__file__).resolve().parent.parent
ALL = (0, 1, 2, 3, 4)


@pytest.fixture(scope="module")
def page():
    """What the lesson defines."""
    text = (ROOT / "notebooks" / "21_networks.py").read_text("utf-8")
    return lesson(text).namespace(**{name: getattr(ldpnb, name) for name in ldpnb.__all__})


@pytest.fixture(scope="module")
def learn(page):
    """The lesson's Algorithm 4, for tables of any sizes."""

    def each(tables, k, d, roots):
        score = cache(partial(page["information"], tables))
        return [Network(page["algorithm4"](score, d, k, root)) for root in roots]

    return each


def laws(number, seed=3):
    rng = np.random.default_rng(seed)
    return [{ALL: rng.dirichlet(np.full(32, 0.5)).reshape((2,) * 5)} for _ in range(number)]


# --- the theorems of the lesson, beyond its own checks


def test_no_other_product_is_closer(page):
    """60 products from near and unrelated distributions; a control over all arrows, which may be closer."""

    def closer(network):
        found = 0
        for P, other in zip(laws(30), laws(31)[1:], strict=True):
            own = page["loss"](P, page["NETWORK"])
            for w in (0.05, 1):
                mixed = {ALL: (1 - w) * P[ALL] + w * other[ALL]}
                q = page["multiply"](network, page["conditionals"](network, mixed))
                found += (P[ALL] * np.log(P[ALL] / q)).sum() < own
        return found

    assert closer(page["NETWORK"]) == 0
    assert closer([(x, tuple(range(x))) for x in ALL]) >= 30


def test_a_product_is_a_distribution_also_where_parents_do_not_occur(page):
    sparse = {ALL: np.zeros((2,) * 5)}
    sparse[ALL][0, 0, 0, 0, 0] = sparse[ALL][0, 1, 0, 0, 0] = sparse[ALL][1, 0, 0, 0, 0] = 1 / 3
    P_G = page["multiply"](page["NETWORK"], page["conditionals"](page["NETWORK"], sparse))
    own = sparse[ALL] > 0
    assert P_G.sum() == pytest.approx(1)
    bracket = sum(page["entropy"](sparse, (j,)) for j in ALL) - page["entropy"](sparse, ALL)
    stated = bracket - sum(page["information"](sparse, *pair) for pair in page["NETWORK"])
    assert (sparse[ALL][own] * np.log(sparse[ALL][own] / P_G[own])).sum() == pytest.approx(stated, abs=1e-9)


def test_people_are_drawn_from_the_product(page):
    """40,000 people, 32 records: each share within six standard errors; not so without the arrow to error."""
    n, network, yes = 40_000, page["NETWORK"], dict(page["YES"])
    yes[2] = np.array([[0.1, 0.6], [0.6, 0.9]])
    made = page["sample"](network, yes, n, np.random.default_rng(1))
    seen = np.bincount(made @ 2 ** np.arange(5)[::-1], minlength=32) / n
    P = page["multiply"](network, yes)
    cut = (*network[:4], (4, ()))
    other = page["multiply"](cut, page["conditionals"](cut, {ALL: P}))
    off = [np.abs((seen - p.ravel()) / np.sqrt(p.ravel() * (1 - p.ravel()) / n)).max() for p in (P, other)]
    assert off[0] < 6 < off[1]


def test_one_parent_finds_the_heaviest_tree(page):
    for P in laws(10):
        score = cache(partial(page["information"], P))
        graph = nx.Graph()
        graph.add_weighted_edges_from((i, j, score(i, (j,))) for i, j in combinations(ALL, 2))
        most = nx.maximum_spanning_tree(graph).size("weight")
        for start in ALL:
            found = page["algorithm3"](score, 5, 1, start)
            assert sum(score(*pair) for pair in found if pair[1]) == pytest.approx(most)
        assert sum(score(j, (j - 1,)) for j in ALL[1:]) < most - 1e-3


def test_numbers_of_scores(page):
    """Algorithm 3 asks for C(d+1, r+2) + w scores and Algorithm 4 for C(d, r+1) + w, each set once."""
    for d, r in product((5, 7), (1, 2, 3)):
        w, asked = sum(d - s for s in range(1, r)), []
        score = page["random_score"](4, d)
        for algorithm in (page["algorithm3"], page["algorithm4"]):
            calls = Counter()
            algorithm(lambda x, s, calls=calls, score=score: calls.update([(x, s)]) or score(x, s), d, r, 0)
            asked.append(calls)
        assert [calls.total() for calls in asked] == [comb(d + 1, r + 2) + w, comb(d, r + 1) + w]
        assert max(Counter(frozenset((x, *s)) for x, s in asked[1]).values()) == 1
    assert (comb(17, 4) + 15, comb(16, 3) + 15) == (2395, 575)


def test_bias_of_information(page):
    """400 surveys of 4,000 people: within six standard errors of the formula, which is the package's."""
    mechanism, seen = BitFlip(sizes=(2,) * 3, f=2 * page["kept"](3, 6.0)[1]), []
    for seed in range(400):
        rng = np.random.default_rng([5, seed])
        reports = mechanism.perturb(rng.integers(0, 2, (4000, 3)), rng=rng).astype(int)
        tables = page["joint_tables"](reports, [(0, 1, 2)], 6.0, 100)
        seen.append([page["information"](tables, 0, parents) for parents in ((1,), (1, 2))])
    seen, stated = np.array(seen), np.array([page["bias"](r, 4000, 3, 6.0) for r in (1, 2)])
    error = seen.std(0) / 20
    assert (np.abs(seen.mean(0) - stated) < 6 * error).all()
    assert (seen.mean(0) - [1 / 8000, 3 / 8000] > 6 * error).all()  # without flips
    assert stated == pytest.approx([information_bias(mechanism, 0, range(1, r + 1), 4000) for r in (1, 2)])


def test_shares_are_unbiased(page):
    """All reports of a person with two answers, weighted: the exact mean of the score."""
    for record, cell in product(product((0, 1), repeat=2), ({0: 1}, {0: 1, 1: 1}, {1: 0})):
        told = ldpnb.law(lambda rng, record=record: page["client"](record, 2.0, rng))
        mean = sum(float(p) * page["share"]([y], cell, 2.0)[0] for y, p in told.items())
        assert mean == pytest.approx(float(all(record[j] == x for j, x in cell.items())), abs=1e-9)


def test_one_bit_has_less_noise_than_two():
    """The ν of Exercise 2."""
    p, q = np.exp(1.6) / (np.exp(1.6) + 1), np.exp(0.8) / (np.exp(0.8) + 1)
    assert 0.5 + 0.5 / (2 * p - 1) ** 2 == pytest.approx(1.634, abs=0.005)
    assert 1 + q * (1 - q) / (2 * q - 1) ** 2 == pytest.approx(2.482, abs=0.005)


# --- the lesson's figures


def test_marks():
    found = study.marked(((0, ()), (1, (0,)), (2, (0, 1))), ((1, ()), (0, (1,)), (2, ())))
    assert np.isnan(found[0]).all() and found[1, 0] == 3 and found[2, 0] == found[2, 1] == 2
    assert study.marked(((0, ()), (1, ())), ((0, ()), (1, (0,))))[1, 0] == 1


def test_errors_of_planted_people(page):
    """As the lesson says: noise draws a network of two parents at ε = 6.4, and not with a toll; at 35 two are best."""
    people = study.planted_people(42)
    plans = {"two": (2, 0), "toll": (2, 2), "one": (1, 0)}
    found = study.errors(people, (6.4, 35.0), page["ask"], page["fast_tables"], page["publish"], plans, repetitions=2)
    mean = found.groupby(["ε", "table"])["error"].mean().unstack()
    alone = "each attribute alone"
    assert mean["two"][6.4] > mean["one"][6.4] > mean["toll"][6.4] and mean["two"][6.4] > 2 * mean[alone][6.4]
    assert mean["two"][35.0] < mean["one"][35.0] / 2 < mean[alone][35.0] / 3
    assert mean[alone][6.4] < 1.3 * mean[alone][35.0]


def test_drawing():
    with pytest.raises(ValueError, match="overlap"):
        study.draw(((0, ()), (1, (0,))), ["a", "b"], [(1, 1), (1, 1)], {0: np.array(0.5), 1: np.array([0.1, 0.2])})


# --- the paper's figures, with the lesson's learner


def test_repetition_and_baselines_are_as_recorded(learn):
    """Planted people, repetition 0: as stored before there was this study; repetition 1 is not."""
    parameters = {"name": "planted", "seed": 42, "repetitions": 5}
    figures = recorded("ren2019.figs-planted", parameters={**parameters, "deep": 0, "light": False})
    first = figures.set_index(["f", "rule", "k", "what"])["first"]
    truth = experiments.Truth(study.planted_people(42), (2,) * 16, (1, 2), 8, 600, learn)

    def off(rows):
        return max(abs(row["value"] - first[row["f"], row["rule"], row["k"], row["what"]]) for row in rows)

    assert off(experiments.repetition(truth, 0.5, 42, 0, {"paper": (1, 2), "likeliest": (1, 2)})) < 2e-5
    assert off(experiments.baselines(truth, 42)) < 2e-5
    assert off(experiments.repetition(truth, 0.5, 42, 1, {"paper": (1,)})) > 1e-3
    others = recorded("ren2019.compared-planted", parameters={**parameters, "light": False})
    first = others.set_index(["f", "rule", "k", "what"])["first"]
    assert off(experiments.compared(truth, 0.9, 42, 0, ("paper",))) < 2e-5
    assert off(experiments.compared(truth, 0.9, 42, 1, ())) > 1e-3
