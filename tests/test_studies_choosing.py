"""The lesson on choosing: who is first, how many people it takes, surveys of everything ranked, and what it says."""

from dataclasses import replace
from itertools import combinations
from math import exp, sqrt

import numpy as np
import pytest

from ldpnb import GRR, OUE, SUE, HadamardBit, norm_sub
from ldpnb.book.studies import choosing as study
from ldpnb.serve import choose

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


def test_people_needed_for_pairs_are_twenty_times_those_for_one_number():
    asked = {"n": 1, "epsilon": 1.0}
    pair, number = choose.Crosstabs(**asked, d=8, k=5), choose.OneNumber(**asked)
    found = study.needed({"pair": pair, "number": number}, [1.0], 0.01).set_index("question")["people"]
    assert 18 < found["pair"] / found["number"] < 24


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
        ("Harmony", choose.Vector, 1.0, {"d": 6}),
        ("one attribute, k-RR", choose.Marginals, 1.0, {"d": 8, "k": 5}),
        ("one pair, k-Subset", choose.Crosstabs, 1.0, {"d": 8, "k": 5}),
        ("blocks", choose.Crosstabs, 1.0, {"d": 8, "k": 2}),
    ],
)
def test_every_leaf_of_the_tree_is_first_for_a_question(leaf, kind, eps, rest):
    assert ranked(kind, eps, **rest)[0] == leaf


def test_a_server_that_works_for_reports_alone_takes_sampled_k_rr_for_sets():
    choices = choose.Sets(n=1, epsilon=1.0, d=40, m=3).rank()
    assert next(c.name for c in choices if c.server == "report" and not c.excluded) == "sampled k-RR"


def test_five_of_forty_items_are_within_four_per_cent():
    choices = [c for c in choose.Item(n=20_000, epsilon=1.0, k=40, share=0.05).rank() if not c.excluded]
    errors = np.array([c.error for c in choices]) / choices[0].error
    assert [c.name for c in choices[:5]] == ["k-Subset", "block design", "OUE", "OLH", "wheel"]
    assert errors[4] < 1.04 < errors[5] and choices[-1].name == "k-RR" and 4 < errors[-1] ** 2 < 4.5


def test_liars_that_move_an_estimate_by_a_standard_error():
    """141 of 20,000 with one bit, 22 with k-RR over 40 items, by the largest score of single reports."""
    for oracle, liars in ((HadamardBit(k=40, epsilon=1.0), 141), (GRR(k=40, epsilon=1.0), 22)):
        reports = oracle.perturb(np.arange(40).repeat(20), rng=np.random.default_rng(2))
        scores = np.stack([oracle.estimate(oracle.tally(reports[i : i + 1])) for i in range(len(reports))])
        assert round(sqrt(oracle.rare_variance * 20_000) / np.abs(scores).max()) == liars
    assert round(sqrt(20_000 / (exp(1.0) + 38))) == 22


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
