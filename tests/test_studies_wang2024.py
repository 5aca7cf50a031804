"""The studies of wang2024: its people, its surveys against exact errors, its lists and its charts."""

import numpy as np
import pytest

from ldpnb import PCKVUE, PrivKV, Records, WheelKV
from ldpnb_book.studies import wang2024 as study


@pytest.mark.parametrize("kind", ["uniform", "Gaussian"])
def test_people_have_different_keys_and_values_in_eighths(kind):
    people = study.crowd(kind, np.random.default_rng(1), n=500, d=20, m=8)
    keys = people.keys.reshape(500, 8)
    assert (np.diff(np.sort(keys, 1), axis=1) > 0).all() and keys.min() >= 0 and keys.max() < 20
    assert (people.values * 8 == np.round(people.values * 8)).all() and np.abs(people.values).max() <= 1
    counts = np.bincount(people.keys, minlength=20)
    assert (counts[0] > 2 * counts[-1]) == (kind == "Gaussian")


def test_fig3_measures_what_is_exact():
    people = {"uniform": study.crowd("uniform", np.random.default_rng(2), n=2000, d=30, m=4)}
    methods = {
        "wheel": lambda eps, d: WheelKV(epsilon=eps, m=4),
        "ue": lambda eps, d: PCKVUE(d=d, ell=4, epsilon=eps),
        "rounds": lambda eps, d: PrivKV(d=d, key_epsilon=eps / 2, value_epsilon=eps / 6),
    }
    found = study.fig3(people, methods, rng=np.random.default_rng(3), budgets=(2.0,), d=30, top=5, trials=100)
    assert len(found) == 3 * 3 * 2 * 100 and found.loc[found["what"] == "mean", "exact"].isna().all()
    every = found.query("what == 'frequency' and keys == 'all keys'").groupby("name")[["mse", "exact"]].mean()
    assert ((every["mse"] / every["exact"] - 1).abs() < 6 * np.sqrt(2 / 3000)).all()


def changed(change, treatment, keys, truth="everyone", column="exact"):
    """A number of the fixture."""
    return lambda found: found.query(
        "change == @change and treatment == @treatment and keys == @keys and truth == @truth and what == 'frequency'",
        local_dict={"change": change, "treatment": treatment, "keys": keys, "truth": truth},
    )[column].mean()


@pytest.fixture(scope="module")
def batches():
    return study.fig45(
        lambda eps, d: WheelKV(epsilon=eps, m=4), rng=np.random.default_rng(4), budgets=(1.0,), each=1000, trials=100
    )


@pytest.mark.parametrize("change", study.AFTER)
def test_batches_leave_out_the_noise_of_people_who_could_not_hold_a_key(change, batches):
    alike, pooled = (changed(change, one, "changed")(batches) for one in ("alike", "batches"))
    assert 1.8 < alike / pooled < 2
    assert changed(change, "alike", "kept")(batches) == pytest.approx(changed(change, "batches", "kept")(batches))
    for treatment in ("alike", "batches", "exchanged"):
        # 100 or 50 keys, 100 surveys: six standard errors of a mean square
        seen = changed(change, treatment, "changed", column="mse")(batches)
        assert seen == pytest.approx(changed(change, treatment, "changed")(batches), rel=6 * np.sqrt(2 / 5000))


def test_the_share_of_now_has_a_bias_where_all_data_are_alike(batches):
    now = changed("growth", "alike", "changed", "now")(batches) - changed("growth", "alike", "changed")(batches)
    assert now == pytest.approx((4 / 200 / 2) ** 2, rel=0.1)  # half of what the share has changed, squared


def test_fresh_reports_are_not_those_that_chose():
    people = study.crowd("Gaussian", np.random.default_rng(5), n=4000, d=64, m=4)
    found = study.fig6(
        people,
        lambda eps, d: WheelKV(epsilon=eps, m=4),
        rng=np.random.default_rng(6),
        d=64,
        lists={"10 %": 6},
        budgets=(1.0,),
        runs=6,
    )
    error = found.groupby(["list", "reports"])["mse"].mean()
    assert error["all", "same"] == pytest.approx(error["all", "fresh"])
    assert error["10 %", "same"] > 1.5 * error["10 %", "fresh"]


def test_a_stale_list_misses_songs():
    client = WheelKV(epsilon=4.0, m=4)
    week = study.songs(client, rng=np.random.default_rng(7), listeners=20_000, runs=2)
    assert len(week) == 14 and week["off"].max() < 6.5 and week["live"].mean() > week["stale"].mean()
    wrong = study.Misread(client, WheelKV(epsilon=2.0, m=4, slots=client.slot_count))
    assert study.songs(wrong, rng=np.random.default_rng(7), listeners=20_000, runs=1)["off"].max() > 6.5


def test_a_word_added_by_hand_is_found():
    found = study.searches(WheelKV(epsilon=4.0, m=4), rng=np.random.default_rng(8), n=100_000, d=1000, runs=2)
    usual = found[found["shares"] == "Zipf"]
    assert usual["burst"].all() and (usual["edited"] > usual["automatic"]).all() and (found["listed"] <= 10).all()


def test_a_scan_hashes_each_key_under_each_seed():
    client = WheelKV(epsilon=1.0, m=2)
    reports = client.perturb(Records.of(*[{0: 1.0}] * 10), rng=np.random.default_rng(9))
    client.__dict__["hash"] = meter = study.Counting(client.hash)
    client.tally(reports, range(7))
    assert meter.slots == 70


def test_rented_clothes_are_measured_for_each_choice(monkeypatch):
    people = study.crowd("Gaussian", np.random.default_rng(10), n=300, d=60, m=2)
    monkeypatch.setattr(study, "CLOTHES", 60)
    monkeypatch.setattr(study.datasets, "clothing", lambda: people)
    methods = {
        "wheel": lambda eps, d, m: WheelKV(epsilon=eps, m=m),
        "ue": lambda eps, d, m: PCKVUE(d=d, ell=m, epsilon=eps),
    }
    found = study.clothing_errors(methods, seed=1, trials=3, top=5)
    assert len(found) == 3 * 4 * 2 and (found.loc[found["m"] > 1, "bias2"] < 1e-20).all()
    assert (found.loc[found["m"] == 1, "bias2"] > 1e-4).all()
    assert study.clothing_facts()["people"] == 300 and study.clothing_facts()["single"] == 0
