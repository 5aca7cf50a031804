"""The lesson on choosing: who is first, how many people it takes, surveys of everything ranked, and what it says."""

from dataclasses import replace
from itertools import combinations
from math import ceil, exp, sqrt

import numpy as np
import pytest

from ldpnb import GRR, OUE, SUE, HadamardBit, SubsetSelection, norm_sub
from ldpnb import choose
from ldpnb_book.studies import choosing as study

ITEM = choose.Item(n=1, epsilon=1.0, k=2)
FOUR = (0.5, 1.0, 2.0, 4.0)


def test_the_first_choice_is_named_for_every_size_and_budget():
    names = study.first(ITEM, [6, 8, 3000], [0.1, 1.2])
    assert names.to_dict() == {
        0.1: {6: "k-Subset", 8: "k-Subset", 3000: "k-Subset"},
        1.2: {6: "k-RR", 8: "k-Subset", 3000: "k-Subset"},  # 2 exp(1.2) + 1 = 7.6
    }
    assert study.first(ITEM, [8, 3000], [1.2], "report").to_dict() == {1.2: {8: "k-RR", 3000: "block design"}}


def test_so_many_people_are_needed():
    asked = {"five": choose.Item(n=7, epsilon=9.0, k=5), "set": choose.Sets(n=7, epsilon=9.0, d=6, m=2)}
    found = study.needed(asked, [0.5, 1.0], 0.02)
    assert [*zip(found["question"], found["ε"], strict=True)] == [(q, e) for e in (0.5, 1.0) for q in asked]
    for row in found.itertuples():
        error = replace(asked[row.question], n=row.people, epsilon=row.ε).rank()[0].error
        assert 0.98 * 0.02 < error <= 0.02


def test_people_needed_for_pairs_are_six_times_those_for_attributes():
    asked = {"n": 1, "epsilon": 1.0}
    pair, one = choose.Crosstabs(**asked, d=8, k=5), choose.Marginals(**asked, d=8, k=5)
    found = study.needed({"pair": pair, "one": one}, [1.0], 0.01).set_index("question")["people"]
    assert 5.9 < found["pair"] / found["one"] < 6.1


def test_surveys_have_the_predicted_errors():
    """Means of 20 squares or more: ten standard errors, false alarms far below 1e-6; not of another budget."""
    some = {"n": 60, "epsilon": 1.0}
    asked = {
        "items": [choose.Item(**some, k=8), choose.Item(**some, k=8, listed=False)],
        "sets": [choose.Sets(**some, d=20, m=2)],
        "number": [choose.OneNumber(**some)],
        "keys": [choose.Pairs(**some, d=8, m=2, share=0.0)],
        "attributes": [choose.Marginals(**some, d=3, k=3), choose.Crosstabs(**some, d=3, k=2)],
    }
    found = study.surveys(asked, (0.5,), np.random.default_rng(4), elsewhere=4.0, runs=20)
    assert found.groupby("question").size().min() >= 1 and found["kind"].nunique() == len(asked)
    assert (np.abs(found["measured"] - found["predicted"]) < 10 * found["blur"]).all()
    assert (np.abs(found["measured"] - found["elsewhere"]) > 10 * found["blur"]).mean() > 0.3
    first = found.groupby("question")["predicted"].transform("first")
    assert (found["predicted"] >= first).all()


# --- what the lesson says beside its figures


def ranked(kind, eps, **rest):
    """Names of what can be used, the first choice first."""
    return [c.name for c in kind(n=1, epsilon=eps, **rest).rank() if not c.excluded]


@pytest.mark.parametrize(
    ("leaf", "kind", "eps", "rest"),
    [
        ("wheel", choose.Item, 1.0, {"k": 40, "listed": False}),
        ("k-RR", choose.Item, 1.0, {"k": 6}),
        ("k-Subset", choose.Item, 1.0, {"k": 7}),
        ("block design", choose.Item, 1.0, {"k": 40, "bits": 16}),
        ("PrivSet", choose.Sets, 1.0, {"d": 40, "m": 3}),
        ("SE", choose.Pairs, 1.0, {"d": 10, "m": 8, "share": 0.0}),
        ("PCKV-GRR", choose.Pairs, 6.0, {"d": 40, "m": 3}),
        ("Wheel-KV", choose.Pairs, 1.0, {"d": 40, "m": 3}),
        ("Hybrid", choose.OneNumber, 1.0, {}),
        ("hierarchy", choose.Distribution, 1.0, {"k": 64}),
        ("MeanEst", choose.Vector, 3.0, {"d": 2}),
        ("Harmony", choose.Vector, 1.0, {"d": 6}),
        ("MeanEst", choose.Vector, 1.4, {"d": 2}),
        ("one attribute, k-RR", choose.Marginals, 1.0, {"d": 8, "k": 5}),
        ("one pair, k-Subset", choose.Crosstabs, 1.0, {"d": 8, "k": 5}),
        ("blocks", choose.Crosstabs, 1.0, {"d": 8, "k": 2}),
    ],
)
def test_every_leaf_of_the_tree_is_first_for_a_question(leaf, kind, eps, rest):
    assert ranked(kind, eps, **rest)[0] == leaf


@pytest.mark.parametrize(("d", "m", "name"), [(40, 3, "sampled k-RR"), (100, 2, "sampled S-Hist")])
def test_a_server_that_works_for_reports_alone_takes_drawn_items_for_sets(d, m, name):
    choices = choose.Sets(n=1, epsilon=1.0, d=d, m=m).rank()
    assert next(c.name for c in choices if c.server == "report" and not c.excluded) == name


def test_a_block_design_of_21_items_ties_with_sets_of_five():
    """Sets of six, for the least total error, need a third of a per cent more people.

    And the order near the top depends on the share of the item.
    """
    first, second = choose.Item(n=1, epsilon=1.0, k=21).rank()[:2]
    assert (first.name, second.name) == ("block design", "k-Subset")
    assert (second.error / first.error) ** 2 == pytest.approx(1, abs=1e-9) and second.mechanism.set_size == 5
    usual = SubsetSelection(k=21, epsilon=1.0)
    assert usual.set_size == 6 and 1.002 < usual.rare_variance / first.error**2 < 1.0035
    leads = [ranked(choose.Item, 1.0, k=40, share=share)[0] for share in (0.05, 0.25)]
    assert leads == ["k-Subset", "block design"]


def test_five_of_forty_items_are_within_four_per_cent():
    choices = [c for c in choose.Item(n=20_000, epsilon=1.0, k=40, share=0.05).rank() if not c.excluded]
    errors = np.array([c.error for c in choices]) / choices[0].error
    assert [c.name for c in choices[:5]] == ["k-Subset", "block design", "OUE", "OLH", "wheel"]
    assert errors[4] < 1.04 < errors[5] and choices[-1].name == "k-RR" and 4 < errors[-1] ** 2 < 4.5


@pytest.mark.parametrize(("k", "last"), [(5, 0.44), (10, 1.21)])
def test_block_designs_of_few_items_lead_up_to_a_larger_budget_than_oue(k, last):
    lead = [study.first(ITEM, [k], [last + step], "report").iloc[0, 0] for step in (-0.01, 0.01)]
    assert lead == ["block design", "k-RR"] and k < 3 * exp(last) + 2


def test_sets_of_any_size_beat_one_item_as_the_bracket_says():
    """Where sets of two do not, no larger ones do; without the bracket's second part it is wrong."""
    e = np.exp(np.linspace(0.02, 6, 80))
    for k in range(3, 80):
        better = []
        for b in range(2, k):
            z = b * (e - 1) + k
            gap = (z - e) * (z - 1) - b * (k - b) * (e + k - 2)
            bracket = b * (e**2 - e + k - 1) - (k - 1) * (k - e)
            assert np.allclose(gap, (b - 1) * bracket, rtol=1e-9, atol=1e-9 * np.abs(z**2).max())
            better.append(bracket < 0)
        assert (better[0] == (k > 2 * e + 1)).all() and all((more <= better[0]).all() for more in better)


@pytest.mark.parametrize(
    ("f", "eps", "least", "most"), [(0.5, 4.0, 0.725, 0.735), (0.0, 4.0, 10, 11), (0.5, 1.0, 2.9, 3)]
)
def test_splitting_needs_fewer_people_for_a_frequent_value_and_a_large_budget(f, eps, least, most):
    """Three attributes of three values, by k-RR: variances over the people asked."""

    def total(eps, d):
        """Return n times the variance of an estimate from scores that count d-fold, one time in d."""
        chance, high, low = np.exp(eps) / (np.exp(eps) + 2), (np.exp(eps) + 1) / np.expm1(eps), -1 / np.expm1(eps)
        own, other = (d * (p * high**2 + (1 - p) * low**2) for p in (chance, (1 - chance) / 2))
        return f * (own - 1) + (1 - f) * other

    assert least < total(eps / 3, 1) / total(eps, 3) < most


def test_liars_that_move_an_estimate_by_a_standard_error():
    """142 of 20,000 with one bit, 23 with k-RR over 40 items, by the largest score of single reports."""
    for oracle, liars in ((HadamardBit(k=40, epsilon=1.0), 142), (GRR(k=40, epsilon=1.0), 23)):
        reports = oracle.perturb(np.arange(40).repeat(20), rng=np.random.default_rng(2))
        scores = np.stack([oracle.estimate(oracle.tally(reports[i : i + 1])) for i in range(len(reports))])
        assert ceil(sqrt(oracle.rare_variance * 20_000) / np.abs(scores).max()) == liars
    assert ceil(sqrt(20_000 / (exp(1.0) + 38))) == 23


def apart(x, y):
    """How far two mean totals are apart, in standard errors."""
    return (x.mean() - y.mean()) / sqrt((x.var(ddof=1) + y.var(ddof=1)) / len(x))


def test_norm_sub_keeps_the_order_of_four_oracles_and_shrinks_the_distances():
    """Orders that are clear by six standard errors before and after; repairing one of two reverses some."""
    held = np.floor(20_000 / np.arange(1, 129) / (1 / np.arange(1, 129)).sum()).astype(int)
    held[0] += 20_000 - held.sum()
    rng, totals = np.random.default_rng(3), {}
    for kind in (GRR, OUE, SUE, HadamardBit):
        for eps in FOUR:
            oracle = kind(k=128, epsilon=eps)
            raw = oracle.estimate(oracle.simulate(held, trials=60, rng=rng))
            totals[kind, eps] = [np.square(one - held / 20_000).sum(-1) for one in (raw, norm_sub(raw))]

    def reversed_orders(mended):
        both = [
            (totals[a, eps], totals[b, eps]) for eps in FOUR for a, b in combinations((GRR, OUE, SUE, HadamardBit), 2)
        ]
        found = [(apart(a[0], b[0]), apart(a[mended], b[1])) for a, b in both]
        return sum(min(abs(x), abs(y)) > 6 and x * y < 0 for x, y in found)

    assert reversed_orders(1) == 0 < reversed_orders(0)
    raw, mended = (totals[GRR, 1.0][i].mean() / totals[OUE, 1.0][i].mean() for i in (0, 1))
    assert raw > 10 and mended < 0.6 * raw
