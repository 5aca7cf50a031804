"""The experiments of ren2019: tables of people, what is measured of networks, and designs at equal ε."""

from itertools import combinations

import numpy as np
import pytest

from ldpnb import Network
from ldpnb.attributes import i_sum, marginals, planted
from ldpnb_book.studies import ren2019_experiments as study

SIZES = (2, 3, 2, 2, 4, 2)


def people(n=4000, seed=1, sizes=SIZES):
    rng = np.random.default_rng(seed)
    return planted(sizes, 2, strength=3.0, rng=rng).sample(n, rng=rng)


@pytest.fixture(scope="module")
def truth():
    return study.Truth(people(), SIZES, (1, 2), 8, 10)


def test_merging_keeps_frequent_values_and_stays_within_the_cells():
    records = people(sizes=(6, 5, 2))
    new, sizes = study.merged(records, (6, 5, 2), 12)
    assert sizes[2] == 2 and np.prod(sizes) <= 12 and max(sizes) <= 4
    for old, made, size in zip(records.T, new.T, sizes, strict=True):
        assert made.max() == size - 1
        common = np.argsort(-np.bincount(old), kind="stable")
        assert all(set(made[old == value]) == {rank} for rank, value in enumerate(common[: size - 1]))
    assert study.merged(records, (6, 5, 2), 8)[1] == (2, 2, 2)


def test_queries_are_all_sets_or_always_the_same_sample():
    assert study.queries(6, 2, 15) == list(combinations(range(6), 2))
    some = study.queries(16, 4, 600)
    assert len(some) == len(set(some)) == 600 and some == study.queries(16, 4, 600)


def test_people_have_no_error_and_other_tables_have(truth):
    errors = truth.errors(truth.records)
    assert all(errors[f"AVD {a}"] == 0 for a in (2, 3, 4, 5)) and errors["shape correlation"] == pytest.approx(1)
    assert abs(errors["KL 2"]) < 1e-3
    other = truth.errors(people(seed=2))
    assert all(other[f"AVD {a}"] > 0.01 for a in (2, 3, 4, 5)) and other["KL 2"] > 0.001
    assert all(np.prod([SIZES[j] for j in s]) == 8 for s in truth.shaped)


def test_baselines_are_in_their_order(truth):
    found = {(row["rule"], row["what"]): row["value"] for row in study.baselines(truth, 3)}
    pairs = [found[rule, "AVD 2"] for rule in ("people drawn again", "independent columns", "uniform")]
    assert pairs == sorted(pairs) and pairs[0] < pairs[1] < pairs[2]
    assert found["raw", "I_sum, worst start"] <= found["raw", "I_sum, any start"] <= found["raw", "I_sum, best start"]


def test_little_noise_finds_the_people_s_network_and_much_noise_does_not(truth):
    rows = {f: study.repetition(truth, f, 4, 0, {"paper": (1,)}) for f in (0.02, 0.95)}
    quiet, loud = ({row["what"]: row["value"] for row in rows[f]} for f in rows)
    assert quiet["skeleton"] > 0.7 > loud["skeleton"] or quiet["I_sum raw"] > loud["I_sum raw"]
    assert quiet["I_sum estimated"] == pytest.approx(i_sum(truth.networks[1], truth.tables), rel=0.2)
    assert loud["I_sum estimated"] < 0.05


def test_a_repetition_can_be_run_again_and_another_differs(truth):
    plan = {"paper": (2,)}
    first = study.repetition(truth, 0.5, 5, 0, plan)
    record = study.gathered(first + study.repetition(truth, 0.5, 5, 1, plan))
    assert study.differ(study.repetition(truth, 0.5, 5, 0, plan), record) < 1e-5
    assert study.differ(study.repetition(truth, 0.5, 5, 1, plan), record) > 1e-4
    mean = np.mean(
        [
            row["value"]
            for rows in (first, study.repetition(truth, 0.5, 5, 1, plan))
            for row in rows
            if row["what"] == "AVD 2"
        ]
    )
    assert record.set_index("what")["mean"]["AVD 2"] == pytest.approx(mean, abs=1e-5)


def test_columns_come_from_the_reports_of_the_repetition(truth):
    rows = {row["rule"] + row["what"]: row["value"] for row in study.compared(truth, 0.3, 5, 0, ("paper",))}
    told = study.survey(truth, 0.3, study.stream_of(5, 0, 0.3))
    again = truth.errors(study.columns(truth, told, "likeliest"))
    assert rows["columns, likeliestAVD 2"] == again["AVD 2"]
    assert "columns, papergain raw" in rows and "columns, likeliestgain raw" not in rows


def test_networks_drawn_at_random_have_two_parents_where_they_can():
    network = Network(tuple(study.random_network(8, np.random.default_rng(1))))
    assert [len(parents) for _, parents in network.pairs] == [0, 1, 2, 2, 2, 2, 2, 2]


def test_one_carried_pair_is_never_better_on_average(truth):
    rows = [row for row in study.floors(truth, 6, 1) if row["rule"].startswith("one carried")]
    assert len(rows) == 2 * len(SIZES) and np.mean([row["value"] for row in rows]) <= 1 + 1e-9


def test_machines_are_between_the_majority_and_people(truth):
    level = {row["rule"]: row["value"] for row in study.classified(truth, 0, 7, 0, ())}
    (held, _) = study.classified(truth, 0.05, 7, 0, ("paper",))
    assert level["majority"] < level["people"] and held["value"] > level["majority"] - 0.02


def test_surveys_share_all_edges_without_noise(truth):
    quiet, loud = (study.shared(truth, f, 2, 8) for f in (0.001, 0.95))
    assert quiet[0] == 1 and loud[0] < 1 and quiet[1] > loud[1]


@pytest.mark.parametrize("client", study.CLIENTS)
def test_unbiased_tables_are_near_the_truth(client):
    records = people(20_000, sizes=(2,) * 5)
    known = study.gather(client, records, 20.0, np.random.default_rng(9))
    sets = tuple(combinations(range(5), 2))
    tables, weights = known["all"](sets)
    true = marginals(records, (2,) * 5, sets)
    assert all(np.abs(t - true[s]).max() < 5 / np.sqrt(w) for s, t, w in zip(sets, tables, weights, strict=True))
    assert study.parity_of(true[0, 1]) == pytest.approx(np.mean((-1.0) ** records[:, [0, 1]].sum(1)))


def test_designs_leave_out_what_cannot_be_tried_and_blocks_win_at_a_small_budget():
    records = people(20_000, sizes=(2,) * 8)
    found = study.designs(records, [1.0], 1, 10, (2,))
    tried = set(found[["client", "model"]].itertuples(index=False, name=None))
    assert ("block", study.EARLY) not in tried and ("one bit", study.EARLY) not in tried and len(tried) == 11
    avd = found.set_index(["client", "model"])["avd"]
    assert avd["block", study.ENTROPY] < avd["two bits", study.ENTROPY]
    assert avd["block", study.ENTROPY] < avd["two bits", study.NETWORK]
