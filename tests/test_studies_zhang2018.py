"""The studies of the thesis: people, tallies from what they draw, two phases, readings, a census, padding."""

import numpy as np
import pytest

from ldpnb import Records, SampledGRR, SampledHadamardBit, SampledSUE, law
from ldpnb.chance import freeze
from ldpnb.sets import restrict
from ldpnb_book.studies import zhang2018 as study

PAIR = [{0, 2}, {1, 3}]  # two people with two items each
MATRIX = np.array([[0, 1], [2, 3]], np.int16)
LIST = np.array([3, 0, 1])


def added_up(mechanism, records):
    """Law of the tally of the package's clients."""
    return law(lambda rng: freeze(mechanism.tally(mechanism.perturb(records, rng=rng)).counts))


def far(p, q):
    return float(sum(abs(p.get(y, 0) - q.get(y, 0)) for y in {*p, *q}) / 2)


def trimmed():
    return restrict(Records.of(*PAIR), LIST)


def test_people_hold_fifty_different_items_of_the_law():
    people = study.crowd("normal", 2000, np.random.default_rng(1))
    assert people.shape == (50, 2000)
    assert all(len({*person}) == 50 for person in people.T[:200].tolist())
    repeated = study.crowd("normal", 2000, np.random.default_rng(1), repeats=True)
    assert repeated.std() == pytest.approx(np.sqrt(1800), rel=0.02)
    assert study.shares(people).sum() == pytest.approx(50)
    assert study.shares(people)[480:520].mean() > 5 * study.shares(people)[400:420].mean()


def test_steeper_laws_have_larger_shares_in_the_middle():
    laplace, normal = (np.bincount(study.lottery(kind), minlength=1000)[500] for kind in study.KINDS)
    assert laplace > 1.3 * normal


def test_bits_are_tallied_as_by_clients_in_phase_one():
    simulated = law(lambda rng: freeze(study.bits_about(study.any_item(MATRIX, rng), 4, 1.0, rng).counts))
    assert far(added_up(SampledHadamardBit(d=4, ell=2, epsilon=1.0), Records.of(*PAIR)), simulated) < 1e-9


def test_bits_and_vectors_are_tallied_as_by_clients_in_phase_two():
    bits = law(lambda rng: freeze(study.bits_about(study.any_candidate(MATRIX, LIST, rng), 3, 1.0, rng).counts))
    assert far(added_up(SampledHadamardBit(d=3, ell=3, epsilon=1.0), trimmed()), bits) < 1e-9
    assert far(added_up(SampledHadamardBit(d=3, ell=2, epsilon=1.0), trimmed()), bits) > 0.01
    draw = lambda rng: study.vectors_about(study.any_candidate(MATRIX, LIST, rng), 3, 1.0, rng)  # noqa: E731
    vectors = law(lambda rng: freeze(draw(rng).counts[0, 1:]))
    assert far(added_up(SampledSUE(d=3, ell=3, epsilon=1.0), trimmed()), vectors) < 1e-9


def test_without_padding_one_of_the_own_candidates_is_drawn():
    drawn = law(lambda rng: freeze(study.any_of_own(MATRIX, LIST, rng)))
    assert {tuple(one) for one in drawn} == {(1, 2), (1, 0)} and all(float(p) == 0.5 for p in drawn.values())
    assert study.any_of_own(MATRIX, np.array([9]), np.random.default_rng(0)).tolist() == [-1, -1]


def test_krr_is_tallied_as_by_clients_and_looking_up_is_drawing():
    simulated = law(lambda rng: freeze(study.krr_about(study.any_item(MATRIX, rng), 4, 2, 1.0, rng).counts))
    assert far(added_up(SampledGRR(d=4, ell=2, epsilon=1.0), Records.of(*PAIR)), simulated) < 1e-9
    plain = law(lambda rng: freeze(study.any_candidate(MATRIX, LIST, rng)))

    def looked_up(attributes):
        return law(lambda rng: freeze(study.any_candidate_of(np.array(attributes))(MATRIX, LIST, rng)))

    assert far(looked_up((0, 0, 1, 1)), plain) < 1e-12 < 0.1 < far(looked_up((1, 1, 0, 0)), plain)


def test_both_phases_are_unbiased_at_a_large_budget():
    people, rng = study.crowd("Laplace", 40_000, np.random.default_rng(2)), np.random.default_rng(3)
    truth, listed = study.shares(people), np.arange(490, 510)
    first, second = study.phase_one(people, 1000, 20.0, rng), study.phase_two(people, listed, 20.0, rng)
    assert np.abs(first - truth).max() < 6 * 50 / np.sqrt(40_000)
    assert np.abs(second - truth[listed]).max() < 6 * 20 / np.sqrt(40_000)


def test_a_mixture_leaves_items_off_the_list():
    mixed = study.mixed(np.array([1.0, 2.0, 3.0]), np.array([2, 0]), np.array([5.0, 7.0]), 0.75)
    assert mixed == pytest.approx([0.25 + 0.75 * 7, 2, 0.75 + 0.75 * 5])


def test_deviations_are_those_of_the_mechanisms():
    found = study.deviations(2.0, 1000, 5, 8)
    one, two = (SampledHadamardBit(d=100, ell=slots, epsilon=2.0).rare_variance / 500 for slots in (5, 8))
    assert found["first"] ** 2 == pytest.approx(one) and found["second"] ** 2 == pytest.approx(two)
    assert found["(3-5)"] ** 2 == pytest.approx(0.04 * one + 0.64 * two)


def test_one_repetition_is_reproducible_and_has_all_readings():
    rows = study.repeat_once("normal", 2000, 5)
    assert rows == study.repeat_once("normal", 2000, 5) != study.repeat_once("normal", 2000, 6)
    assert [row["method"] for row in rows] == list(study.PHASED)
    for row in rows:
        assert all(0 <= row[reading] <= 30 for reading in study.READINGS)
        assert row["list only"] <= row["candidates"]


def test_a_stand_in_has_one_value_of_each_attribute():
    people, attributes = study.census(1, 500)
    assert people.shape == (47, 500) and len(attributes) == 396
    assert (attributes[people] == np.arange(47)[:, None]).all()
    assert not np.array_equal(people, study.census(2, 500)[0])


def test_the_census_has_a_row_for_each_method_and_k():
    people, attributes = study.census(0, 5000)
    rows = study.census_once(people, attributes, 8.0, (2, 5), 0)
    assert [(row["k"], row["method"]) for row in rows] == [(k, m) for k in (2, 5) for m in study.CENSUS_METHODS]
    assert rows == study.census_once(people, attributes, 8.0, (2, 5), 0)
    best = [row for row in rows if row["method"] == "one phase, k-RR"]
    assert all(row["recall"] >= row["precision"] for row in best) and best[-1]["precision"] > 0


def test_a_run_with_a_longer_list_has_a_precision():
    people, attributes = study.census(0, 5000)
    assert 0 <= study.list_run("census", people, 2.0, 0, attributes) <= 1


@pytest.mark.parametrize("make", [SampledHadamardBit, SampledGRR])
def test_errors_by_length_are_bias_and_noise_of_the_mechanism(make, monkeypatch):
    people = study.readers(np.random.default_rng(4))[np.arange(300)]
    monkeypatch.setattr(study, "LENGTHS", (3, 9))
    found = study.padding_errors(make, people).set_index(["ell", "n"])["error"]
    share = np.bincount(people.keys, minlength=study.ITEMS) / len(people)
    top = np.argsort(-share, kind="stable")[: study.SHELVES]
    for ell in (3, 9):
        mechanism = make(d=study.ITEMS, ell=ell, epsilon=1.0)
        counted = np.zeros(study.ITEMS)
        np.add.at(counted, people.keys, (ell / np.maximum(people.sizes, ell))[people.users] / len(people))
        bias = np.mean((counted - share)[top] ** 2)
        noise = np.mean(mechanism.variance(people).mean(0)[top])
        assert found[ell, 10_000] ** 2 == pytest.approx(bias + noise / 10_000, rel=1e-6)


def test_readers_hold_different_items():
    people = study.readers(np.random.default_rng(5))
    assert len(people) == study.READERS and people.sizes.mean() == pytest.approx(12, rel=0.05)
    assert len({*zip(people.users.tolist(), people.keys.tolist(), strict=True)}) == len(people.keys)


@pytest.mark.parametrize("eps", [0.5, 3.0])
def test_protocols_spend_exactly_what_is_stated(eps):
    assert [*study.exact_spent(eps, 200, 8, 20).values()] == pytest.approx([eps] * 4, abs=1e-6)
    tuned, written = (study.protocols(eps, 8, 20)[name] for name in ("GFIM improved", "GFIM as written"))
    assert tuned[1] == pytest.approx(eps) == written[1] and (tuned[2], written[2]) == (8, 20)


def test_leftovers_have_closed_forms():
    assert study.leftover(SampledHadamardBit, 1.0, 60, 60) == pytest.approx(np.log(2 * np.e - 1), abs=1e-6)
    assert study.leftover(SampledSUE, 1.0, 60, 60) == pytest.approx(2, abs=1e-6)


def test_weights_of_the_second_phase():
    assert study.second_weight("LDPMiner-SH", 1.0, 1.0, 60, 50) == 1
    assert study.second_weight("GFIM as written", 1.0, 1.0, 60, 50) == pytest.approx(0.98)
    assert study.second_weight("GFIM improved", 1.0, 1.0, 60, 50) == pytest.approx(50**2 / (50**2 + 60**2))


@pytest.mark.parametrize("name", study.ALL)
def test_all_methods_find_the_most_frequent_products_at_a_large_budget(name):
    rng = np.random.default_rng(6)
    held = rng.random((30_000, 120)) < np.where(np.arange(120) < 50, 0.5, 0.02)
    records = Records.from_arrays(*np.nonzero(held), n=len(held))
    row = study.basket_row(records, 30, 12.0, name, 2, d=120)
    assert row["mean"] > 30 and row["thirty"] <= 30


@pytest.mark.parametrize("name", study.ALL)
def test_methods_on_the_laplace_people_are_reproducible(name):
    people = study.crowd("Laplace", 3000, np.random.default_rng(7))
    sets = Records(np.arange(3001) * 50, people.T.ravel().astype(np.int64))
    first, again = (study.run_of(name, people, sets, 4.0, 0) for _ in range(2))
    assert first == again and 0 <= first <= 1


def test_people_who_repeat_items_are_asked_as_written():
    rows = study.repeated("normal", 50_000, 3)
    assert rows == study.repeated("normal", 50_000, 3) != study.repeated("normal", 50_000, 4)
    assert [row["method"] for row in rows] == list(study.PHASED)
    assert all(0 <= row["repetition alone"] <= 30 for row in rows)
