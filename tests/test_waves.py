"""The same people more than once: waves that do not mix, errors that know it, and reports that are remembered."""

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from hashlib import sha256
from itertools import combinations, count, product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from ldpnb import (
    GRR,
    OUE,
    RAPPOR,
    Account,
    DrawnAttributes,
    Number,
    OneOf,
    Ratings,
    Strings,
    Survey,
    SystemRandom,
    Waves,
    YesNoTable,
    difference,
    epsilon,
    laws,
    pool_waves,
)
from ldpnb.core import Tally
from ldpnb.intervals import design_effect, support_interval
from ldpnb.collecting import (
    collect,
    from_wire,
    header,
    load_tally,
    read,
    save,
    save_tally,
    schema,
    to_wire,
)
from ldpnb.survey._rounds import check_rounds, repeated_end, repeated_error
from ldpnb.survey.accounts import BudgetError
from ldpnb_book.experiment import recorded

RNG = np.random.default_rng
OLD = Path(__file__).resolve().parent / "of_1_0_0"
ASKED = OneOf(["yes", "no", "perhaps"], mechanism=GRR(k=3, epsilon=1.0))
SENT = np.array([0, 2, 2, 1, 0, 0])
Z = 1.959963984540054


# ------------------------------------------------------------------------------------------ tallies know their wave


def test_tallies_of_one_wave_add_and_keep_it():
    parts = [ASKED.tally(SENT[:2], wave="W48"), ASKED.tally(SENT[2:], wave="W48")]
    whole = sum(parts)
    assert whole.wave == "W48" and whole.counts.tolist() == ASKED.tally(SENT).counts.tolist()
    assert ASKED.tally(SENT).wave is None


@pytest.mark.parametrize("other", [None, "W49"])
def test_tallies_of_different_waves_do_not_add(other):
    first, second = ASKED.tally(SENT, wave="W48"), ASKED.tally(SENT, wave=other)
    words = r"of different waves may hold the same people, got .*: compare them by Waves\(.* pool_waves\(.*rounds="
    for a, b in ((first, second), (second, first)):
        with pytest.raises(ValueError, match=words):
            a + b


@pytest.mark.parametrize("wave", ["", " ", 48, b"W48", True, "\ud83d"], ids=ascii)
def test_what_is_no_name_of_a_wave_is_refused(wave, tmp_path):
    for use in (
        lambda: ASKED.tally(SENT, wave=wave),
        lambda: save(SENT, tmp_path / "a", ASKED, wave=wave),
        lambda: collect(ASKED, [OLD / "reports.parquet"], wave=wave),
        lambda: header(ASKED, wave=wave),
        lambda: from_wire((OLD / "reports.jsonl").read_text("utf-8"), ASKED, wave=wave),
    ):
        cure = "(name it as '2026-W48', or leave it out$|write wave)"
        with pytest.raises(ValueError, match=f"^wave must be a text .*: {cure}"):
            use()
    assert not os.listdir(tmp_path)


def test_every_question_and_a_survey_take_a_wave():
    stars = Ratings(["a", "b"], 1, 5, most=1, epsilon=1.0)
    word = Strings(epsilon=1.0)
    habits = YesNoTable(["x", "y"], epsilon=1.0)
    age = Number(0, 100, epsilon=1.0)
    survey = Survey({"stars": stars, "word": word, "age": age, "q": ASKED}, limit=9.0)
    frame = {"stars": [{"a": 5}] * 9, "word": ["x"] * 9, "age": [50] * 9, "q": ["yes"] * 9}
    tallies = survey.tally(survey.perturb(frame, rng=RNG(0)), {"word": ["x", "y"]}, wave="W1")
    assert {tally.wave for tally in tallies.values()} == {"W1"}
    rows = habits.perturb(np.zeros((20, 2), bool), rng=RNG(0))
    assert habits.tally(rows, wave="W1").wave == "W1"
    assert str(ASKED.estimate(ASKED.tally(SENT, wave="W48"))).splitlines()[-2].startswith("wave W48: 6 reports")


# --------------------------------------------------------------------------------------------------------- files


def test_files_and_lines_of_a_wave_come_back(tmp_path):
    tally = ASKED.tally(SENT, wave="2026-W48")
    save_tally(tally, tmp_path / "tally", label="x")
    assert load_tally(tmp_path / "tally", ASKED.mechanism, label="x").wave == "2026-W48"
    save(SENT, tmp_path / "a.parquet", ASKED, wave="2026-W48")
    found = collect(ASKED, [tmp_path / "a.parquet"], wave="2026-W48").tally
    assert found.wave == "2026-W48" and found.counts.tolist() == tally.counts.tolist()
    assert np.concatenate([*read(tmp_path / "a.parquet", ASKED, wave="2026-W48")]).tolist() == SENT.tolist()
    lines = [*to_wire(SENT, ASKED, wave="2026-W48")]
    assert json.loads(lines[0])["form"] == 2 and json.loads(lines[0])["wave"] == "2026-W48"
    assert from_wire(lines, ASKED, wave="2026-W48").tolist() == SENT.tolist()


def test_another_wave_is_refused_with_the_cure(tmp_path):
    save(SENT, tmp_path / "w48", ASKED, wave="W48")
    save(SENT, tmp_path / "none", ASKED)
    lines = {wave: [*to_wire(SENT, ASKED, wave=wave)] for wave in (None, "W48")}
    for name, own, asked, words in (
        ("w48", "W48", None, "of the wave 'W48', not of None: ask for it, wave='W48'"),
        ("w48", "W48", "W49", "of the wave 'W48', not of 'W49': ask for it, wave='W48'"),
        ("none", None, "W48", "of no wave, not of 'W48': leave wave out"),
    ):
        with pytest.raises(ValueError, match=words):
            collect(ASKED, [tmp_path / name], wave=asked)
        with pytest.raises(ValueError, match=words):
            [*read(tmp_path / name, ASKED, wave=asked)]
        with pytest.raises(ValueError, match="^line 1: wave must be"):
            from_wire(lines[own], ASKED, wave=asked)
    skipped = collect(ASKED, [tmp_path / "w48", tmp_path / "none"], wave="W48", skip=True)
    assert skipped.reports == 6 and [*skipped.skipped] == [str(tmp_path / "none")]


def test_what_has_no_wave_is_written_as_by_1_0_0(tmp_path):
    """So that clients and servers of 1.0.0 go on; the version says whether there is a wave."""
    assert "".join(to_wire(SENT, ASKED)) == (OLD / "reports.jsonl").read_text("utf-8")
    save_tally(ASKED.mechanism.tally(SENT), tmp_path / "tally", label=ASKED.identity)
    assert (tmp_path / "tally").read_bytes() == (OLD / "tally").read_bytes()


def test_files_and_lines_of_1_0_0_are_read_as_without_wave():
    tallies = [
        load_tally(OLD / "tally", ASKED.mechanism, label=ASKED.identity),
        collect(ASKED, [OLD / "reports.parquet"]).tally,
        ASKED.tally(from_wire((OLD / "reports.jsonl").read_text("utf-8"), ASKED)),
    ]
    for tally in tallies:
        assert tally.wave is None and tally.counts.tolist() == [3, 1, 2]
    with pytest.raises(ValueError, match="different waves"):
        tallies[0] + ASKED.tally(SENT, wave="W48")


def test_vectors_of_1_0_0_are_read():
    for instance in json.loads((OLD / "GRR.json").read_text("utf-8"))["instances"]:
        mechanism = GRR(k=instance["tally"]["shape"][0], epsilon=0.1 if "0.1" in instance["lines"][0] else 1.0)
        tally = mechanism.tally(from_wire(instance["lines"], mechanism))
        assert tally.counts.tolist() == instance["tally"]["entries"] and tally.wave is None
        assert mechanism.estimate(tally).tolist() == pytest.approx(instance["estimate"]["entries"])
        assert instance["schema"]["fields"] == schema(mechanism)["fields"]


def test_the_schema_names_the_fields_of_both_headers():
    heads = schema(ASKED)["headers"]
    for form, wave in (("1", None), ("2", "W48")):
        head = header(ASKED, wave=wave)
        assert heads[form] == [*head] and head["form"] == int(form)


@pytest.mark.parametrize(
    "change", [{"form": 1}, {"form": 2, "wave": None}, {"form": 2, "wave": 7}, {"form": 3}], ids=str
)
def test_a_version_that_does_not_fit_is_refused(change, tmp_path):
    save_tally(ASKED.tally(SENT, wave="W48"), tmp_path / "a")
    head, rest = (tmp_path / "a").read_bytes().split(b"\n", 1)
    head = json.dumps(json.loads(head) | change).encode() + b"\n"
    (tmp_path / "a").write_bytes(head + rest[:-32] + sha256(head + rest[:-32]).digest())
    with pytest.raises(ValueError, match="path must be a whole file of 'tally'"):
        load_tally(tmp_path / "a", ASKED.mechanism)
    with pytest.raises(ValueError, match="^line 1: "):
        from_wire(json.dumps(header(ASKED, wave="W48") | change), ASKED, wave="W48")


# -------------------------------------------------------------------------------------------------------- rounds


def law_of_static(people, rounds, share, own, other):
    """Law of the number of supporters if a random person's answer never changes: (people·rounds + 1,)."""
    found = np.zeros(people * rounds + 1)
    for holders, chance in enumerate(binom.pmf(np.arange(people + 1), people, share)):
        if chance > 1e-12:
            mine = binom.pmf(np.arange(holders * rounds + 1), holders * rounds, own)
            others = binom.pmf(np.arange((people - holders) * rounds + 1), (people - holders) * rounds, other)
            found += chance * np.convolve(mine, others)
    return found


def covered(mechanism, share, people, rounds, said):
    """Exact chance that the interval of one item holds the share."""
    n = people * rounds
    law = law_of_static(people, rounds, share, *map(float, mechanism.support))
    low, high = support_interval(np.arange(n + 1), n, *mechanism.support, Z, sampled=float(said))
    return law[(low <= share + 1e-9) & (share - 1e-9 <= high)].sum()


@pytest.mark.parametrize("budget", [1.0, 4.0])
def test_errors_of_repeated_people_are_right_on_average(budget):
    """Exactly: the mean squared error is the variance of the estimate; the control takes reports for people."""
    question = OneOf(["yes", "no"], mechanism=GRR(k=2, epsilon=budget))
    people, rounds, share = 120, 3, 0.45
    n = people * rounds
    law = law_of_static(people, rounds, share, *map(float, question.mechanism.support))
    tally = Tally(question.mechanism, n, np.stack([np.arange(n + 1), n - np.arange(n + 1)], 1))
    estimate = question.mechanism.estimate(tally)[:, 0]
    variance = law @ estimate**2 - (law @ estimate) ** 2
    errors = {r: [] for r in (1, rounds)}
    for r, into in errors.items():
        alone = question.mechanism.standard_error(tally)[:, 0]
        spread = estimate * (1 - estimate)
        into[:] = ((n - 1) * alone**2 + (r - 1) * spread) / (n - r)
    assert law @ errors[rounds] == pytest.approx(variance, rel=1e-9)
    assert law @ errors[1] < 0.8 * variance
    one = Tally(question.mechanism, n, np.array([n // 2, n - n // 2]))
    assert question.estimate(one, rounds=rounds).error[0] ** 2 == pytest.approx(errors[rounds][n // 2])


@pytest.mark.parametrize(("budget", "people", "rounds"), [(1.0, 50, 4), (4.0, 50, 4), (4.0, 150, 12)])
def test_intervals_of_repeated_people_cover(budget, people, rounds):
    """Exactly, at each share; where ends for independent reports are binomial, these are wider."""
    oracle = GRR(k=2, epsilon=budget)
    for share in (0.0, 0.004, 0.03, 0.3, 0.5, 0.9):
        assert covered(oracle, share, people, rounds, rounds) > 0.945
    if budget == 4:
        assert covered(oracle, 0.3, people, rounds, 1) < 0.75, "the control: reports taken for people"


def test_rare_items_of_repeated_people_are_covered():
    """Counts of which ends are exact for independent reports, which do not cover: the control."""
    oracle = GRR(k=100, epsilon=4.0)
    for share in (0.0, 0.003, 0.01, 0.05, 0.4, 0.9):
        assert covered(oracle, share, 60, 6, 6) > 0.945
    assert covered(oracle, 0.05, 60, 6, 1) < 0.88


@pytest.mark.parametrize("yes", [3, 90, 200])
def test_a_question_prints_these_ends(yes):
    question = OneOf(["yes", "no"], mechanism=GRR(k=2, epsilon=4.0))
    found = question.estimate(Tally(question.mechanism, 200, np.array([yes, 200 - yes])), rounds=4)["yes"]
    ends = support_interval(yes, 200, *question.mechanism.support, Z, sampled=4.0)
    assert (found.low, found.high) == pytest.approx((float(ends[0]), float(ends[1])), rel=1e-9)


def test_the_design_effect_is_that_of_the_variances():
    own, other = GRR(k=4, epsilon=1.5).support
    for share, rounds in ((0.0, 5), (0.2, 5), (0.7, 2.5), (1.0, 5)):
        law = law_of_static(1, 1, share, float(own), float(other))
        alone = law[1] * (1 - law[1])
        between = (float(own - other)) ** 2 * share * (1 - share)
        assert design_effect(share, own, other, rounds) == pytest.approx(1 + (rounds - 1) * between / alone)
    assert design_effect(0.3, own, other, 1.0) == 1 == design_effect(0.3, own, other, 0.0)


def answers(n):
    """A question of each kind with its tally of n reports."""
    rng = RNG(3)
    table = YesNoTable(["a", "b", "c"], epsilon=3.0)
    pairs = YesNoTable(["a", "b", "c"], epsilon=3.0, pairs=True)
    rows = rng.random((n, 3)) < (0.3, 0.6, 0.1)
    stars = Ratings(["a", "b"], 1, 5, most=1, epsilon=4.0)
    rated = [{"a": 4} if x < 0.4 else {"b": 2} for x in rng.random(n)]
    words = Strings(epsilon=3.0)
    told = ["milk" if x < 0.3 else "tea" for x in rng.random(n)]
    yield "OneOf", OneOf(["x", "y"], epsilon=3.0), ["x", "y"] * (n // 2), ()
    yield "wide", OneOf([f"c{i}" for i in range(9)], mechanism=OUE(k=9, epsilon=1.0)), ["c0", "c1"] * (n // 2), ()
    yield "Number", Number(0, 10, epsilon=2.0), rng.uniform(0, 10, n), ()
    yield "Laplace", Number(0, 10, epsilon=0.2), rng.uniform(0, 10, n), ()
    yield "YesNoTable", table, rows, ()
    yield "pairs", pairs, rows, ()
    yield "Strings", words, told, (["tea", "milk"],)
    yield "Ratings", stars, rated, ()


@pytest.mark.parametrize(("question", "values", "more"), [pytest.param(*x[1:], id=x[0]) for x in answers(2000)])
def test_every_question_takes_rounds(question, values, more):
    """Estimates, and all about these people, stay; errors about a population grow by (r−1)σ²/n, and ends with them."""
    tally = question.tally(question.perturb(values, rng=RNG(0)), *more)
    parts = {}
    for people, rounds in product((False, True), (1, 4)):
        found = question.estimate(tally, people=people, rounds=rounds)
        parts[people, rounds] = [found.shares, found.means] if isinstance(question, Ratings) else [found]
    for place, once in enumerate(parts[False, 1]):
        again = parts[False, 4][place]
        low, high = once.span
        share = ((once.estimate - low) / (high - low)).clip(0, 1)
        held = parts[False, 1][0].estimate if place else 1
        spread = (high - low) ** 2 * share * (1 - share) / held
        assert again.estimate.tolist() == once.estimate.tolist()
        assert again.error**2 == pytest.approx((1999 * once.error**2 + 3 * spread) / 1996, rel=1e-9)
        lower, upper = once.low > low, once.high < high  # beyond, nothing is added: nobody differs there
        assert np.all(again.low <= once.low) and np.all(again.low[lower] < once.low[lower])
        assert np.all(again.high >= once.high) and np.all(again.high[upper] > once.high[upper])
        for end, side in ((again.low, -1), (again.high, 1)):  # as far as errors say
            assert side * (end - again.estimate) == pytest.approx(1.96 * again.error, rel=0.4)
        for name in ("estimate", "error", "low", "high"):
            these = [getattr(parts[True, rounds][place], name) for rounds in (1, 4)]
            assert np.array_equal(*these)


def test_the_table_says_what_is_assumed():
    tally = Tally(ASKED.mechanism, 2000, np.array([900, 600, 500]))
    for rounds, words in (
        (1, "2,000 reports, one a person, ε = 1 ("),
        (4, "2,000 reports of 500 people, 4 each, ε = 1 a report ("),
        (np.int64(4), "2,000 reports of 500 people, 4 each, ε = 1 a report ("),
        (4.5, "2,000 reports, T a person with ΣT²/ΣT = 4.5, ε = 1 a report ("),
        (3, "2,000 reports, T a person with ΣT²/ΣT = 3, ε = 1 a report ("),
    ):
        assert str(ASKED.estimate(tally, rounds=rounds)).splitlines()[-2].startswith(words)
        assert str(ASKED.estimate(tally, rounds=rounds, people=True)).splitlines()[-2].startswith(words)


@pytest.mark.parametrize("rounds", [0, 0.99, -1, True, "4", [4], float("nan"), float("inf")], ids=repr)
def test_rounds_that_are_none_are_refused(rounds):
    with pytest.raises(ValueError, match=r"^rounds must be a number of at least 1, got .*: rounds=4 if everybody"):
        ASKED.estimate(ASKED.tally(SENT), rounds=rounds)


def test_rounds_of_one_person_are_refused():
    with pytest.raises(ValueError, match="^rounds must be at most half of the 6 reports, got 4: of a single person"):
        ASKED.estimate(ASKED.tally(SENT), rounds=4)
    assert check_rounds(3, 6) == 3 and check_rounds(1, 1) == 1
    with pytest.raises(ValueError, match="^question 'q': rounds must be"):
        Survey({"q": ASKED}, limit=1.0).estimate({"q": ASKED.tally(SENT)}, rounds=0)


def test_an_end_is_where_variance_and_distance_fit():
    tally = Tally(ASKED.mechanism, 400, np.array([200, 100, 100]))
    for estimate, end in ((0.3, 0.1), (0.3, 0.4), (0.95, 0.99), (-0.99, -0.7)):
        found = repeated_end(np.array([estimate]), np.array([end]), 2.0, tally, 5.0)[0]
        assert (found - estimate) ** 2 == pytest.approx((end - estimate) ** 2 + 4 * 4 * (1 - found**2) / 400)
        assert np.sign(found - estimate) == np.sign(end - estimate)
    beyond = repeated_end(np.array([0.95]), np.array([1.02]), 2.0, tally, 5.0)
    assert beyond.tolist() == [1.02], "nobody differs from others at an end of the range"
    assert repeated_error(np.array([0.1]), np.array([0.2]), tally, 1) == [0.1]


# --------------------------------------------------------------------------------------------------------- waves


def results(question, shares, n=3000, people=False, seed=0, **asked):
    """Results of several waves, of n people each."""
    rng = RNG(seed)
    found = []
    for week, share in enumerate(shares):
        values = np.repeat(question.labels[:2], [round(n * share), n - round(n * share)]).tolist()
        tally = question.tally(question.perturb(values, rng=rng), wave=f"W{week}")
        found.append(question.estimate(tally, people=people, **asked))
    return found


YES = OneOf(["yes", "no"], epsilon=2.0)


def largest_variance(weights, shares):
    """Largest variance of Σ w X over all joint laws of yes-or-no answers with these shares, by linear programming."""
    cells = np.array([*product((0, 1), repeat=len(shares))])
    means = np.vstack([np.ones(len(cells)), cells.T])
    found = linprog(-((cells @ weights) ** 2), A_eq=means, b_eq=[1, *shares])
    return -found.fun - float(np.dot(weights, shares)) ** 2


@pytest.mark.parametrize(
    "weights", [[-1, 1, 0], [-0.5, 0, 0.5], [1 / 3] * 3, [0.2, -0.7, 0.5], [-1, -1, 1]], ids=lambda w: str(w)
)
@pytest.mark.parametrize("shares", [(0.3, 0.35, 0.4), (0.1, 0.5, 0.9), (0.8, 0.7, 0.9)], ids=str)
def test_the_bound_for_the_same_people_is_the_largest_variance(weights, shares):
    """Against all joint laws of the answers; the control takes waves for independent."""
    found = results(YES, shares)
    same, new = (Waves(found, same=same).combine("yes", weights) for same in (True, False))
    f = np.array([one["yes"].estimate for one in found])
    errors = np.array([one["yes"].error for one in found])
    w = np.array(weights)
    noise = w**2 @ (errors**2 - f * (1 - f) / 2999)
    assert same.error**2 == pytest.approx(noise + largest_variance(w, f) / 2999, rel=1e-6)
    assert new.error**2 == pytest.approx(w**2 @ errors**2, rel=1e-9)
    assert same.error > 1.01 * new.error
    assert same.estimate == pytest.approx(w @ f)
    assert same.high - same.low == pytest.approx(2 * Z * same.error, rel=2e-3)  # ends of rows are not normal ones


def test_numbers_have_the_bound_of_the_chance_of_their_upper_end():
    age, rng = Number(20, 60, epsilon=4.0), RNG(0)
    found = []
    for week, middle in enumerate((30, 35)):
        values = rng.uniform(20, 2 * middle - 20, 2000)
        found.append(age.estimate(age.tally(age.perturb(values, rng=rng), wave=f"W{week}")))
    waves = Waves(found, same=True)
    f = np.array([(one["mean"].estimate - 20) / 40 for one in found])
    alone = sum(one["mean"].error ** 2 for one in found)
    more = largest_variance(np.array([-1, 1]), f) - f @ (1 - f)
    assert waves.change("mean").error ** 2 == pytest.approx(alone + 1600 * more / 1999, rel=1e-6)


def test_errors_about_these_people_are_those_of_the_noise():
    found = results(YES, (0.3, 0.4, 0.5), people=True)
    for same in (True, False):
        change = Waves(found, same=same).change("yes")
        assert change.error == pytest.approx(np.hypot(found[0]["yes"].error, found[2]["yes"].error))


def test_changes_slopes_and_means():
    found = results(YES, (0.3, 0.4, 0.7))
    waves = Waves(found, same=False)
    first, second, third = (one["yes"].estimate for one in found)
    assert waves.change("yes").estimate == pytest.approx(third - first)
    assert waves.change("yes", "W1", "W0").estimate == pytest.approx(first - second)
    assert waves.mean("yes").estimate == pytest.approx((first + second + third) / 3)
    assert waves.slope("yes").estimate == pytest.approx(np.polyfit([0, 1, 2], [first, second, third], 1)[0])
    times = [0, 1, 5]
    assert waves.slope("yes", times).estimate == pytest.approx(np.polyfit(times, [first, second, third], 1)[0])
    assert waves.waves == ("W0", "W1", "W2") and waves.labels == ("yes", "no")


def test_several_rounds_within_a_wave_are_fewer_people():
    found = results(YES, (0.3, 0.4), rounds=3)
    w, f = np.array([-1, 1]), np.array([one["yes"].estimate for one in found])
    more = largest_variance(w, f) - f @ (1 - f)
    alone = sum(one["yes"].error ** 2 for one in found)
    assert Waves(found, same=True).change("yes").error ** 2 == pytest.approx(alone + more / 999, rel=1e-6)


def test_a_level_for_all_rows_is_kept():
    found = results(YES, (0.3, 0.4), level=0.9, together=True)
    change = Waves(found, same=False).change("yes")
    assert (change.high - change.low) / change.error == pytest.approx(2 * Z, rel=2e-3)  # 90 % for two rows


def test_waves_of_rows_with_few_people_combine_their_intervals():
    """New people by squares; of the same ones, where errors tell nothing, distances add."""
    few = OneOf(["a", "b", "c"], epsilon=4.0)
    found = [few.estimate(few.tally(np.array([0] * n + [1] * (100 - n)), wave=f"W{n}")) for n in (60, 50)]
    row = found[0]["c"]
    up = row.high - row.estimate
    assert row.error == 0 < up and row.low == row.estimate
    new, same = (Waves(found, same=same) for same in (False, True))
    for use in ("change", "mean"):
        a, b = getattr(new, use)("c"), getattr(same, use)("c")
        scale = up if use == "change" else up / 2
        more = 1 if use == "change" else 2  # of a change, one wave has no more to go on each side
        assert a.high - a.estimate == pytest.approx(scale * np.sqrt(more))
        assert b.high - b.estimate == pytest.approx(scale * more)
    assert str(new.change("c")).splitlines()[1].split()[-1] == "1"
    none = [few.estimate(few.tally(np.ones(n, np.int64), wave=f"W{n}")).contrast({"a": 1, "b": -1}) for n in (60, 50)]
    waves = Waves(none, same=True)
    assert waves.change().error == 0 and np.isnan(waves.change().p_value)
    for printed in (str(waves), str(waves.change())):
        assert printed.splitlines()[1].split()[-1] == "–"
        assert printed.endswith("\n–: too few reports tell the error, or that of one part, which is estimated as 0")


def test_waves_that_noise_alone_may_part_have_the_covariance_of_their_middle():
    """Of people whose answers stay the variance is right; with each wave's own share it is too small."""
    asked, waves, n, share = OneOf(["yes", "no"], epsilon=1.0), 12, 600, 0.1
    p, q = (float(x) for x in asked.mechanism.support)
    true = share * (1 - share) / n + (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2 / n / waves
    found, own = [], []
    for seed in range(3):
        rng = RNG(seed)
        counts = rng.binomial(60, p, waves) + rng.binomial(n - 60, q, waves)
        each = [
            asked.estimate(asked.tally(np.repeat([0, 1], [c, n - c]), wave=f"W{t}")) for t, c in enumerate(counts)
        ]
        f, e = np.clip([one["yes"].share for one in each], 0, 1), np.array([one["yes"].error for one in each])
        covariances = [min(f[s], f[t]) - f[s] * f[t] for s, t in combinations(range(waves), 2)]
        own.append((e @ e + 2 * sum(covariances) / (n - 1)) / waves**2)
        found.append(Waves(each, same=True).mean("yes").error ** 2)
    assert np.mean(own) < 0.95 * true < np.mean(found) < 1.1 * true
    far = [asked.estimate(asked.tally(np.repeat([0, 1], c), wave=str(c))) for c in ((1700, 1300), (1300, 1700))]
    (f, e), (g, d) = ((one["yes"].share, one["yes"].error) for one in far)
    assert f - g > 1.96 * np.hypot(e, d)
    both = Waves(far, same=True).mean("yes").error ** 2
    assert 4 * both == pytest.approx(e**2 + d**2 + 2 * (min(f, g) - f * g) / 2999)


def test_means_with_missing_answers_have_the_scores_of_the_middle_too():
    """Of shares of no, yes and missing, by hand: the score of a person is (v - mean) / (no + yes)."""
    asked = OneOf(["no", "yes"], epsilon=1.0, values=[0, 1], missing="none")
    keep, other = (float(x) for x in asked.mechanism.chances)
    counts = np.array([[330, 370, 300], [340, 350, 310]])
    means = []
    for week, row in enumerate(counts):
        tally = asked.tally(np.repeat([0, 1, 2], row), wave=f"W{week}")
        means.append(asked.estimate(tally).mean)
    no, yes, _ = (counts.mean(0) / 1000 - other) / (keep - other)
    answered = no + yes
    mean = yes / answered
    spread = (no * mean**2 + yes * (1 - mean) ** 2) / answered**2
    found = Waves(means, same=True).mean().error ** 2
    errors = sum(one.error**2 for one in means)
    assert 4 * found == pytest.approx(errors + 2 * spread / 999, rel=1e-12)


def test_a_change_that_is_not_told_prints_no_error():
    three = OneOf(["a", "b", "c"], epsilon=4.0, values=[0, 1, 2], missing="none")
    codes = np.repeat([0, 3], [80, 20])
    means = [three.estimate(three.tally(codes, wave=wave)).mean for wave in "12"]
    row = str(Waves(means, same=False)).splitlines()[1].split()
    assert row[-4:] == ["0.00", "–", "–", "–"]


def test_a_wave_of_weight_0_is_not_asked():
    """It may tell nothing of the row: no error, or no estimate."""
    asked = OneOf(list("abcd"), epsilon=4.0)
    counts = (0, 5, 45, 50), (0, 0, 50, 50), (5, 5, 45, 45)
    found = [asked.estimate(asked.tally(np.repeat(np.arange(4), c), wave=f"W{t}")) for t, c in enumerate(counts)]
    rows = [one.contrast({"a": 1, "b": -2}) for one in found]
    assert np.isnan(rows[1].low)
    for same in (True, False):
        three, two = Waves(rows, same=same), Waves([rows[0], rows[2]], same=same)
        change = two.change()
        for one in (three.change(), three.combine(None, [-1, 0, 1])):
            assert (one.low, one.high, one.p_value) == (change.low, change.high, change.p_value)
        assert np.isfinite(three.slope(times=[0.1, 0.2, 0.3]).low)
        assert "–" not in str(three)
    stars = Ratings(["a", "b"], 1, 5, most=1, epsilon=2.0)
    told, untold = ([{"a": 4}, {"b": 2}] * 999, [{"a": 4}] * 500)
    answers = (told, untold, told)
    rated = [stars.estimate(stars.tally(stars.perturb(x, rng=RNG(t)), wave=f"W{t}")) for t, x in enumerate(answers)]
    waves = Waves([one.means for one in rated], same=False)
    assert np.isfinite(waves.change("b").high)
    with pytest.raises(ValueError, match="label must be one that each wave tells of, got 'b' in 'W1'"):
        waves.mean("b")


def test_remembered_reports_are_treated_on_the_safe_side():
    """The same reports come back: a mean is known no better than one wave, and a change of 0 not worse than said."""
    reports = YES.perturb(["yes"] * 900 + ["no"] * 2100, rng=RNG(0))
    for people in (True, False):
        found = [YES.estimate(YES.tally(reports, wave=f"W{t}"), people=people) for t in range(3)]
        kept, fresh = (Waves(found, same=True, remembered=remembered) for remembered in (True, False))
        assert kept.mean("yes").error == pytest.approx(found[0]["yes"].error)
        assert kept.change("yes").error == fresh.change("yes").error > 0
        assert kept.slope("yes").error >= fresh.slope("yes").error
        if people:
            assert fresh.mean("yes").error < 0.6 * found[0]["yes"].error, "the control: as if coins were fresh"
    with pytest.raises(ValueError, match="^same must be True where reports are remembered"):
        Waves(found, same=False, remembered=True)


def drawn_variances(weights, n, held):
    """Variance, over all draws of n of N people who stay, of weighted sums over waves: {shares: [variance, …]}."""
    people, found = len(held[0]), {}
    draws = np.array([[i in chosen for i in range(people)] for chosen in combinations(range(people), n)])
    for answers in product(held, repeat=len(weights)):
        means = draws @ np.array(answers).T / n
        found.setdefault(tuple(np.mean(answers, 1).tolist()), []).append(float(np.var(means @ weights)))
    return found


@pytest.mark.parametrize("weights", [(-1.0, 1.0), (0.5, 0.5)], ids=str)
@pytest.mark.parametrize(("people", "n"), [(4, 2), (5, 3), (5, 5)])
def test_people_whose_draw_is_kept_have_the_largest_variance_of_all_answers(weights, people, n, monkeypatch):
    """All answers of N people, all draws of n; the controls are sums as for new draws, and as about a population.

    Shares are those of all people, whose products n of them overestimate on average: that turns n into n − 1.
    """
    monkeypatch.setattr("ldpnb.survey.waves.NEAR", 0)  # nothing that waves differ by is noise here
    w, below, larger = np.array(weights), 0, 0
    tally = YES.tally(np.zeros(n, np.int64), wave="W0")
    base = YES.estimate(tally, people=True, of=people)
    for shares, variances in drawn_variances(w, n, [*product((0, 1), repeat=people)]).items():
        left = (people - n) / (people - 1) / n
        found = []
        for t, f in enumerate(shares):
            e = np.full(2, np.sqrt(left * f * (1 - f)))
            found.append(replace(base, tally=replace(tally, wave=f"W{t}"), estimate=np.array([f, 1 - f]), error=e))
        alone, same = (Waves(found, same=same).combine("yes", weights).error ** 2 for same in (False, True))
        told = alone + (same - alone) * (n - 1) / n * people / (people - 1)
        assert told == pytest.approx(max(variances), abs=1e-12)
        below += alone < max(variances) - 1e-9
        every = [replace(one, people=False, of=None) for one in found]
        larger += Waves(every, same=True).combine("yes", weights).error ** 2 > same + 1e-9
    assert (below > 0) == (n < people) and larger > 0


def drawn_results(shares, of=1200, n=300, question=None):
    """Results of waves about all people, of whom some are drawn and stay."""
    question, rng, found = question or YES, RNG(5), []
    for week, share in enumerate(shares):
        values = np.repeat(question.labels[:2], [round(n * share), n - round(n * share)]).tolist()
        tally = question.tally(question.perturb(values, rng=rng), wave=f"W{week}")
        found.append(question.estimate(tally, people=True, of=of))
    return found


def test_a_change_of_people_whose_draw_is_kept_is_a_difference():
    """As `difference` has it where shares of both sum to 1; elsewhere no answers need as much as that."""
    first, second = drawn_results((0.3, 0.7))
    second = replace(second, estimate=1 - first.estimate, error=first.error)
    change = Waves([first, second], same=True).change("yes")
    assert change.error == pytest.approx(difference(second["yes"], first["yes"], same_people=True).error, rel=2e-3)
    assert change.error > 1.05 * Waves([first, second], same=False).change("yes").error
    low = drawn_results((0.1, 0.15))
    change = Waves(low, same=True).change("yes").error
    assert change < difference(low[1]["yes"], low[0]["yes"], same_people=True).error
    waves = Waves(low, same=True)
    words = "about all 1,200 people, of whom these were drawn, the widest that the same people can need"
    assert waves.said.endswith(words) and words in waves.mean("yes").said
    assert "widest" not in Waves(low, same=False).said
    other = YES.estimate(low[1].tally, people=True, of=1100)
    said = Waves([low[0], other], same=True).said
    assert "about all 1,200 people, of whom these were drawn and all 1,100 people, of whom these were drawn" in said


def test_all_people_and_drawn_ones_compose():
    """Of a wave that all people answer, nothing is left of the draw."""
    first, second = drawn_results((0.3, 0.4))
    whole = YES.estimate(second.tally, people=True)
    for label in ("yes", "no"):
        same, new = (Waves([first, whole], same=same).mean(label).error for same in (True, False))
        assert same == pytest.approx(new)


SCALE = OneOf([1, 2, 3, 4, 5], mechanism=GRR(k=5, epsilon=2.0))
LIKERT = [(0.1, 0.2, 0.3, 0.25, 0.15), (0.05, 0.15, 0.3, 0.3, 0.2), (0.1, 0.1, 0.2, 0.3, 0.3)]


def likert(people=False, n=2000, **asked):
    """Results of a scale in three waves."""
    rng, found = RNG(11), []
    for week, shares in enumerate(LIKERT):
        values = np.repeat([1, 2, 3, 4, 5], np.round(np.array(shares) * n).astype(int)).tolist()
        tally = SCALE.tally(SCALE.perturb(values, rng=rng), wave=f"W{week}")
        found.append(SCALE.estimate(tally, people=people, **asked))
    return found


CONTRASTS = {
    "mean": lambda one: one.mean,
    "top two": lambda one: one.top(2),
    "NPS": lambda one: one.contrast({5: 1, 1: -1, 2: -1}),
}


@pytest.mark.parametrize("name", CONTRASTS)
@pytest.mark.parametrize("people", [False, True])
def test_a_contrast_has_changes_that_are_differences(name, people):
    found = [CONTRASTS[name](one) for one in likert(people)]
    waves = Waves(found, same=True)
    change = waves.change()
    apart = difference(found[2], found[0], same_people=True)
    assert change.estimate == pytest.approx(apart.estimate)
    assert change.error == pytest.approx(apart.error, rel=1e-3) and (change.what, change.unit) == (apart.what, "")
    assert change.error >= Waves(found, same=False).change().error
    assert waves.mean().estimate == pytest.approx(np.mean([one.estimate for one in found]))
    assert waves.slope().estimate == pytest.approx((found[2].estimate - found[0].estimate) / 2)
    assert waves.labels == (found[0].label,) and waves.change(found[0].label).error == change.error
    lines = str(waves).splitlines()
    assert len(lines) == 4 and lines[1].startswith(found[0].label)
    with pytest.raises(KeyError, match="label must be .*, or left out, got 'x'"):
        waves.change("x")


@pytest.mark.parametrize("people", [{}, {"people": True}, {"people": True, "of": 6000}], ids=str)
def test_a_share_as_a_contrast_has_the_numbers_of_its_row(people):
    found = likert(**people)
    rows, one = Waves(found, same=True), Waves([x.contrast({4: 1}) for x in found], same=True)
    for use in ("change", "slope", "mean"):
        a, b = getattr(rows, use)(4), getattr(one, use)()
        assert (a.label, a.estimate, a.error, a.low, a.high) == (b.label, b.estimate, b.error, b.low, b.high)
    assert str(rows.mean(4)) == str(one.mean())


def test_scores_of_the_same_people_have_the_largest_variance_of_all_answers():
    """Exactly: all answers of four people to a scale of three; the control adds variances, as for new people."""
    scores, w, people, n, below = np.array([-1.0, 0.0, 2.0]), np.array([-0.5, 1.0]), 4, 2, 0
    question = OneOf(["a", "b", "c"], mechanism=GRR(k=3, epsilon=1.0))
    tally = question.tally(np.zeros(n, np.int64), wave="W0")
    base = question.estimate(tally, people=True, of=people)
    contrast = base.contrast({"a": -1, "c": 2})
    draws = np.array([[i in chosen for i in range(people)] for chosen in combinations(range(people), n)])
    largest = {}
    for first, second in product(product(range(3), repeat=people), repeat=2):
        key = tuple(tuple(np.bincount(x, minlength=3).tolist()) for x in (first, second))
        means = draws @ scores[np.array([first, second])].T / n
        largest[key] = max(largest.get(key, 0.0), float(np.var(means @ w)))
    for counts, variance in largest.items():
        found = []
        for t, one in enumerate(counts):
            f = np.array(one) / people
            e = np.sqrt((people - n) / (people - 1) / n * max(f @ scores**2 - (f @ scores) ** 2, 0))
            result = replace(base, estimate=f, tally=replace(tally, wave=f"W{t}"))
            parts = (replace(contrast.parts[0], result=result),)
            found.append(replace(contrast, estimate=float(f @ scores), error=float(e), parts=parts))
        alone, same = (Waves(found, same=same).combine(None, w).error ** 2 for same in (False, True))
        told = alone + (same - alone) * (n - 1) / n * people / (people - 1)
        assert told == pytest.approx(variance, abs=1e-12)
        below += alone < variance - 1e-9
    assert below > 10


def test_scores_that_are_not_told_are_bounded_and_said_so():
    """Of the columns of a table that draws one, no report tells how two answers go together."""
    drawn = DrawnAttributes.of((2, 2, 2), GRR, 3.0)
    table, rng, found = YesNoTable(["a", "b", "c"], mechanism=drawn), RNG(2), []
    for t in range(2):
        tally = table.tally(table.perturb(rng.random((900, 3)) < 0.4, rng=rng), wave=f"W{t}")
        found.append(table.estimate(tally).contrast({"a": 1, "b": 1}))
    change = Waves(found, same=True).change()
    assert np.hypot(*(one.error for one in found)) < change.error <= sum(one.error for one in found) + 1e-12
    these = [table.estimate(one.parts[0].result.tally, people=True).contrast({"a": 1, "b": 1}) for one in found]
    assert "each wave: the error is at most this, since" in Waves(these, same=True).said
    assert "at most" not in Waves(found, same=True).said
    stars = Ratings(["a", "b"], 1, 5, most=1, epsilon=2.0)
    rated = [stars.tally(stars.perturb([{"a": 4}, {"b": 2}] * 999, rng=RNG(t)), wave=f"W{t}") for t in (0, 1)]
    means = [stars.estimate(one).means.contrast({"a": 1, "b": -1}) for one in rated]
    with pytest.raises(ValueError, match="^results must be about these people where the same rate again"):
        Waves(means, same=True)
    drawn = [stars.estimate(one, people=True, of=9999).means for one in rated]
    with pytest.raises(ValueError, match="^results must be about these people where the same rate again"):
        Waves(drawn, same=True)
    assert Waves(means, same=False).change().error == pytest.approx(np.hypot(*(one.error for one in means)))


def test_contrasts_that_are_no_series_are_refused():
    first, second, third = likert()
    alone = SCALE.estimate(replace(second.tally, wave=None))
    level = SCALE.estimate(second.tally, level=0.9)
    other = OneOf([1, 2, 3, 4, 6], mechanism=SCALE.mechanism)
    named = {"x": {5: 1}, "y": {1: 1}}
    for given, words in (
        ([first.mean, alone.mean], "of named waves, got one without a name"),
        ([first.mean, second.mean, first.mean], "of different waves, got 'W0' twice"),
        ([first.mean, second.top(2)], "of one question, got 'mean' and 'share' as what"),
        ([first.top(2), second.top(1)], "of one question, got .* as labels"),
        ([first.mean, level.mean], "estimated in one way, got level=0.95 and level=0.9"),
        ([first.mean, SCALE.estimate(second.tally, people=True).mean], "estimated in one way, got people=False"),
        ([first.mean, other.estimate(other.tally(np.array([0, 1] * 50), wave="W1")).mean], "of one question, got"),
        ([first.mean, second], "of one kind, got results and contrasts: make Waves of each"),
        ([one.contrast(named) for one in (first, second)], r"of one contrast each, got 2 by name: \[one\['x'\] for"),
        ([difference(first[1], second[1], same_people=True), third.mean], "contrasts of one result each, got "),
        ([first.contrast(named)["x"], second.contrast({5: 1})], "contrasts of one kind, got some of 2 and of 1 asked"),
        (first.mean, "a list of results, a wave each, got Contrast"),
    ):
        with pytest.raises(ValueError, match=f"^results must be {words}"):
            Waves(given, same=True)


def test_what_was_computed_is_named_with_unit_and_chance():
    waves = Waves(results(YES, (0.3, 0.4, 0.5)), same=True)
    assert waves.change("yes").label == "change of yes, W0 to W2" and waves.slope("yes").label == "slope of yes, a wave"
    assert waves.slope("yes", [0, 1, 5]).label == "slope of yes, a unit of time"
    assert waves.mean("yes").label == "mean of yes over 3 waves"
    assert waves.combine("yes", [1, -2, 1]).label == "weighted sum of yes over 3 waves"
    lines = str(waves.slope("yes")).splitlines()
    assert lines[1].startswith("slope of yes, a wave  ") and lines[1].count(" points") == 4
    assert lines[2] == "3 waves of the same people, ε = 2 a report"
    assert lines[3].startswith("low, high: 95 % interval, alone, about") and lines[3].endswith("; p: if 0 were true")
    assert lines[3].count("p: if") == 1
    assert waves.slope("yes").p_value < 1e-6
    for never_below in (waves.mean("yes"), waves.combine("yes", [1, 0, 0]), waves.combine("yes", [0, 1, 2])):
        assert not never_below.tests_zero and "p: if" not in str(never_below)
    assert str(waves.mean("yes")).splitlines()[1].count(" %") == 4
    with pytest.raises(ValueError, match="^weights must not all be 0"):
        waves.combine("yes", [0, 0, 0])
    with pytest.raises(ValueError, match="^label must be one of .*, got none"):
        waves.change()
    braces = OneOf(["{a}", "b"], epsilon=2.0)
    assert Waves(results(braces, (0.3, 0.4)), same=True).change("{a}").label == "change of {a}, W0 to W1"


def test_equal_tallies_are_remembered_reports():
    """Refused where chance makes all equal in less than one of a million cases, if nobody's answer changes."""
    reports = YES.perturb(["yes"] * 900 + ["no"] * 2100, rng=RNG(0))
    found = [YES.estimate(YES.tally(reports, wave=f"W{t}")) for t in range(6)]
    words = "drawn anew in each wave, got the same counts in all 6 waves: say remembered=True if"
    with pytest.raises(ValueError, match=words):
        Waves(found, same=True)
    assert Waves(found, same=True, remembered=True).mean("yes").error > 0
    assert Waves(found[:2], same=True).mean("yes").error > 0, "which chance may do"
    few = [YES.estimate(YES.tally(reports[:40], wave=f"W{t}")) for t in range(6)]
    assert Waves(few, same=True).mean("yes").error > 0


def test_rounds_and_drawn_people_are_refused_with_a_way_out():
    yes = OneOf(["yes", "no"], epsilon=2.0)
    survey, rng = Survey({"a": yes, "b": yes}, 2.0, draw=1), RNG(0)
    answers = {name: ["yes"] * 300 + ["no"] * 300 for name in "ab"}
    waves = [survey.tally(survey.perturb(answers, rng=rng), wave=f"W{t}") for t in range(3)]
    pooled = {name: pool_waves([one[name] for one in waves]) for name in "ab"}
    words = "^question 'a': rounds must be 1 in an estimate about all people, of whom some were drawn"
    for rounds in (3, None):
        with pytest.raises(ValueError, match=words):
            survey.estimate(pooled, people=True, rounds=rounds)
    assert survey.estimate(pooled, rounds=3)["a"].error[0] > 0
    assert survey.estimate(pooled, people=True, rounds=1)["a"].of == 1800
    found = [survey.estimate(one, people=True)["a"] for one in waves]
    assert Waves(found, same=True).mean("yes").error > 0


def test_what_is_no_series_of_waves_is_refused():
    first, second = results(YES, (0.3, 0.4))
    unnamed = YES.estimate(replace(first.tally, wave=None))
    other = OneOf(["yes", "perhaps"], epsilon=2.0)
    stars = Ratings(["a", "b"], 1, 5, most=1, epsilon=2.0)
    rated = [
        stars.estimate(stars.tally(stars.perturb([{"a": 4}, {"b": 2}] * 999, rng=RNG(t)), wave=f"W{t}")) for t in (0, 1)
    ]
    for given, words in (
        ([first], "of at least two waves, got 1"),
        ([], "of at least two waves, got 0"),
        (first, "a list of results, a wave each, got Result"),
        ([first, unnamed], r"of named waves, got one without a name: name each, question.tally\(reports, wave="),
        ([first, second, first], "of different waves, got 'W0' twice"),
        ([first, results(other, (0.3, 0.4))[1]], "of one question, got .* as labels: make Waves of each question"),
        ([first, YES.estimate(second.tally, people=True)], "estimated in one way, got people=False and people=True"),
        ([first, YES.estimate(second.tally, level=0.9)], "estimated in one way, got level=0.95 and level=0.9"),
        ([first, second.tally], r"those of question.estimate\(tally\), or contrasts of them, got Tally"),
        (rated, r"of one kind, got shares and means of ratings: Waves\(\[result.shares for"),
        ([one.means for one in rated], "about these people where the same rate again"),
    ):
        with pytest.raises(ValueError, match=f"^results must be {words}"):
            Waves(given, same=True)
    assert Waves([one.means for one in rated], same=False).change("a").error > 0
    assert Waves([one.shares for one in rated], same=True).change("a").error > 0
    for same in ({"same": "yes"}, {}):
        with pytest.raises(ValueError, match="^same must be said, True if the same people were asked each time, False"):
            Waves([first, second], **same)


def test_true_and_1_are_different_labels():
    first, second = (OneOf(labels, epsilon=2.0) for labels in ([True, False], [1, 0]))
    a = first.estimate(first.tally(np.array([0, 1] * 50), wave="W0"))
    b = second.estimate(second.tally(np.array([0, 1] * 50), wave="W1"))
    with pytest.raises(ValueError, match="of one question"):
        Waves([a, b], same=True)


def test_what_waves_are_asked_is_checked():
    waves = Waves(results(YES, (0.3, 0.4)), same=True)
    with pytest.raises(KeyError, match="label must be one of"):
        waves.change("perhaps")
    for use, words in (
        (lambda: waves.change("yes", "W7"), r"start must be one of the waves .*, got 'W7'"),
        (lambda: waves.change("yes", "W1", "W1"), "start and end must be two waves, got 'W1' twice"),
        (lambda: waves.combine("yes", [1, 2, 3]), r"weights must be one a wave, 2, got shape \(3,\)"),
        (lambda: waves.combine("yes", [1, float("nan")]), "weights must be"),
        (lambda: waves.combine("yes", [1e308, 1e308]), r"weights must be 0, or of a size .* got 1e\+308: scale"),
        (lambda: waves.combine("yes", [1e-200, 0]), "weights must be 0, or of a size from 1e-50 .*, got 1e-200"),
        (lambda: waves.slope("yes", [1e300, -1e300]), r"the range of times must be .* got 2e\+300: scale"),
        (lambda: waves.slope("yes", [1.7e308, -1.7e308]), "the range of times must be .* got inf"),
        (
            lambda: waves.slope("yes", [0, 1e50]),
            r"^times must be such that a slope has weights of a size from 1e-50 to 1e\+50, or 0, "
            r"got \[0\.0, 1e\+50\]: take another unit of time",
        ),
        (lambda: waves.slope("yes", [1, 1]), "times must differ"),
        (lambda: waves.slope("yes", [1]), "times must be one a wave"),
    ):
        with pytest.raises(ValueError, match=words):
            use()


def test_an_item_that_too_few_rate_has_no_change():
    stars = Ratings(["a", "b"], 1, 5, most=1, epsilon=2.0)
    found = [stars.estimate(stars.tally(stars.perturb([{"a": 4}] * 500, rng=RNG(t)), wave=f"W{t}")) for t in (0, 1)]
    waves = Waves([one.means for one in found], same=False)
    with pytest.raises(ValueError, match="label must be one that each wave tells of, got 'b' in 'W0'"):
        waves.change("b")
    assert str(waves).splitlines()[2].split() == ["b", *["–"] * 6]


def test_waves_print_and_plot():
    waves = Waves(results(YES, (0.3, 0.4)), same=True)
    lines = str(waves).splitlines()
    assert lines[0].split() == ["category", "W0", "W1", "change", "error", "low", "high"] and len(lines) == 5
    assert lines[-2] == "2 waves of the same people, ε = 2 a report; change: W0 to W1"
    assert lines[-1].endswith("random sample of, the widest that the same people can need")
    pytest.importorskip("matplotlib").use("Agg")
    ax = waves.plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["W0", "W1"] and ax.get_ylabel() == "share (%)"
    assert waves.plot(ax) is ax


def test_waves_are_pooled_on_purpose():
    tallies = [one.tally for one in results(YES, (0.3, 0.4))]
    whole = pool_waves(tallies)
    assert whole.wave == "waves W0, W1" and whole.n == 6000
    with pytest.raises(ValueError, match="rounds must be said for waves W0, W1, got nothing: the number of waves if"):
        YES.estimate(whole)
    assert "waves W0, W1: 6,000 reports, ε = " in YES.estimate(whole, people=True).said
    assert whole.counts.tolist() == (tallies[0].counts + tallies[1].counts).tolist()
    with pytest.raises(ValueError, match="^tallies must be of one wave to be added, got 'waves W0, W1' and .*at once"):
        whole + whole
    with pytest.raises(ValueError, match="^tallies must be of one wave to be added, got 'waves W0, W1'"):
        whole + replace(tallies[0], wave="W7")
    pooled = [YES.estimate(whole, rounds=2), YES.estimate(tallies[1])]
    with pytest.raises(ValueError, match="^results must be of one wave each, got 'waves W0, W1', which are several: "):
        Waves(pooled, same=True)
    for given, words in (
        ([], "at least one, got none"),
        ([whole, tallies[0]], "of one wave each, got 'waves W0, W1', which are several: pool all of them at once"),
        (tallies[0], "a list of tallies, got"),
        ([*tallies, tallies[0]], "of different waves, got 'W0' twice: add tallies of one wave before"),
        ([tallies[0], replace(tallies[1], wave=None)], "of named waves, got one without"),
        ([tallies[0], 7], "tallies, got 7"),
    ):
        with pytest.raises(ValueError, match=f"^tallies must be {words}"):
            pool_waves(given)


def test_no_wave_has_the_name_of_several(tmp_path):
    """In questions of every kind, files and lines; the sum of several is written and read as ever."""
    words = "^(question 'a': )?wave must be a name that does not begin as those of pooled waves, 'waves ', got 'waves of w"
    winter = "waves of winter"
    strings, stars = Strings(epsilon=1.0), Ratings(["a", "b"], 1, 5, most=1, epsilon=1.0)
    survey = Survey({"a": YES}, limit=2.0)
    for use in (
        lambda: YES.tally(np.array([0, 1]), wave=winter),
        lambda: strings.tally(strings.perturb(["x"], rng=RNG(0)), ["x"], wave=winter),
        lambda: stars.tally(stars.perturb([{"a": 2}], rng=RNG(0)), wave=winter),
        lambda: survey.tally({"a": np.array([0, 1])}, wave=winter),
        lambda: [*to_wire(np.array([0, 1]), YES, wave=winter)],
        lambda: collect(YES, [tmp_path / "none"], wave=winter),
    ):
        with pytest.raises(ValueError, match=f"{words}inter': call it 'of winter', say"):
            use()
    whole = pool_waves([one.tally for one in results(YES, (0.3, 0.4))])
    save_tally(whole, tmp_path / "pool")
    found = load_tally(tmp_path / "pool", YES.mechanism)
    assert found.wave == whole.wave and YES.estimate(found, rounds=2).said == YES.estimate(whole, rounds=2).said
    assert YES.tally(np.array([0, 1]), wave="Waves of winter").wave == "Waves of winter"


def test_p_is_that_of_changes_of_a_score_and_not_of_its_mean():
    asked = OneOf([1, 2, 3], epsilon=2.0)
    waves = Waves([one.mean for one in results(asked, (0.2, 0.3, 0.4))], same=True)
    assert waves.change().tests_zero and waves.slope().tests_zero and not waves.mean().tests_zero
    assert Waves([one.mean for one in results(OneOf([-1, 1], epsilon=2.0), (0.3, 0.4))], same=True).mean().tests_zero


# ---------------------------------------------------------------------------------------------------- remembered


QUESTIONS = {
    "OneOf": (OneOf(["a", "b"], epsilon=1.0), "a", "b"),
    "many": (OneOf([f"c{i}" for i in range(50)], mechanism=OUE(k=50, epsilon=1.0)), "c1", "c2"),
    "packed": (OneOf([f"c{i}" for i in range(11)], mechanism=OUE(k=11, epsilon=1.0, packed=True)), "c1", "c2"),
    "Number": (Number(0, 10, epsilon=1.0), 3, 9.5),
    "Strings": (Strings(epsilon=1.0), "x", "y"),
    "Ratings": (Ratings(["a", "b"], 1, 5, most=2, epsilon=1.0), {"a": 2}, {}),
    "YesNoTable": (YesNoTable(["a", "b"], epsilon=1.0), {"a": True, "b": False}, {"a": False, "b": False}),
    "mechanism": (GRR(k=300, epsilon=1.0), 2, 1),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_remembered_report_comes_again_and_costs_once(name, tmp_path):
    question, first, second = QUESTIONS[name]
    mechanism = getattr(question, "mechanism", question)
    account = Account(tmp_path / "a", limit=2.5)
    sent = account.remembered(question, first, label="W48")
    for value in (first, second, second):
        again = Account(tmp_path / "a", limit=2.5).remembered(question, value, label="W48", rng=RNG(1))
        assert again.dtype == sent.dtype and again.tobytes() == sent.tobytes() and again.shape == sent.shape
    assert account.spent == 1.0 and account.history[0]["reports"] == 4
    other = account.remembered(question, second, label="W49")
    assert account.spent == 2.0 and len(other) == 1
    with pytest.raises(BudgetError, match="a report of .* must cost at most the 0.5 that is left, got 1"):
        account.remembered(question, first, label="W50")
    assert account.remembered(question, first, label="W48").tobytes() == sent.tobytes(), "which costs nothing"
    mechanism._reports(sent)


def test_an_exhausted_account_still_sends_what_it_has(tmp_path):
    account = Account(tmp_path / "a", limit=1.0)
    sent = account.remembered(YES.mechanism and OneOf(["a", "b"], epsilon=1.0), "a", label="W48")
    assert account.left == 0
    assert account.remembered(OneOf(["a", "b"], epsilon=1.0), "b", label="W48") == sent


def test_reports_under_one_label_are_of_one_kind(tmp_path):
    account = Account(tmp_path / "a", limit=9.0)
    coin = GRR(k=2, epsilon=1.0)
    account.remembered(coin, 0, label="kept")
    account.report(coin, [0], rng=SystemRandom(), label="fresh")
    with pytest.raises(ValueError, match="label must be a new one, got 'kept': a report by .* is remembered under it"):
        account.report(coin, [0], rng=SystemRandom(), label="kept")
    with pytest.raises(ValueError, match="label must be a new one, got 'fresh': reports by .* not remembered"):
        account.remembered(coin, 0, label="fresh")
    assert account.spent == 2.0
    assert "'kept': ε = 1, 1 report by GRR(k=2, epsilon=1.0), the same each time: of the value at the first" in str(
        account
    )


def test_a_remembered_report_is_of_its_question_alone(tmp_path):
    """Another list of labels has a mechanism that is equal; another ε is another question, too."""
    account = Account(tmp_path / "a", limit=9.0)
    mood, sleep = OneOf(["good", "bad"], epsilon=1.0), OneOf(["badly", "well"], epsilon=1.0)
    sent = account.remembered(mood, "good", label="2026")
    for other, answer in ((sleep, "well"), (OneOf(["good", "bad"], epsilon=2.0), "bad"), (mood.mechanism, 0)):
        with pytest.raises(
            ValueError, match="label must be a new one, got '2026', under which another question is rem"
        ):
            account.remembered(other, answer, label="2026")
    assert account.remembered(OneOf(["good", "bad"], epsilon=1.0), "bad", label="2026") == sent and account.spent == 1
    assert len(account.remembered(sleep, "well", label="sleep, 2026")) == 1 and account.spent == 2


def test_what_cannot_be_remembered_is_refused(tmp_path):
    account = Account(tmp_path / "a", limit=9.0)
    page = RAPPOR(bits=8, hashes=1, cohorts=4, f=0.5, p=0.25, q=0.75)
    for question, value, label, words in (
        (page, "x", "W48", "question must be one that keeps no state, got .*: account.report draws all"),
        ("mood", "x", "W48", "question must be a question of a survey, or a Mechanism, got 'mood'"),
        (YES, "perhaps", "W48", "values must be"),
        (YES, "yes", 48, "label must be a text"),
        (GRR(k=2, epsilon=1.0), [0, 1], "W48", "values must"),
    ):
        with pytest.raises(ValueError, match=words):
            account.remembered(question, value, label=label)
    assert account.spent == 0 and account.history == []


def test_declining_sends_nothing_until_there_is_a_report(tmp_path):
    account = Account(tmp_path / "a", limit=9.0)
    question = OneOf(["a", "b"], epsilon=1.0, missing="decline")
    assert len(account.remembered(question, None, label="W48")) == 0 and account.spent == 0
    sent = account.remembered(question, "a", label="W48")
    assert account.remembered(question, None, label="W48").tolist() == sent.tolist()


@pytest.mark.parametrize("report", ["", "00", "ff" * 8, "zz", 7], ids=repr)
def test_a_forged_report_is_refused(report, tmp_path):
    account = Account(tmp_path / "a", limit=9.0)
    account.remembered(GRR(k=2, epsilon=1.0), 0, label="W48")
    head, rest = (tmp_path / "a").read_bytes().split(b"\n", 1)
    said = json.loads(head)
    said["entries"][0]["report"] = report
    head = json.dumps(said).encode() + b"\n"
    (tmp_path / "a").write_bytes(head + rest[:-32] + sha256(head + rest[:-32]).digest())
    with pytest.raises(ValueError, match="must"):
        account.remembered(GRR(k=2, epsilon=1.0), 0, label="W48")


def test_a_first_report_has_the_law_of_the_client(tmp_path):
    """Off by more than 7 standard deviations in less than 1e-11 of runs; the value's place in a label plays no part."""
    coin, times = GRR(k=2, epsilon=1.0), 80
    account = Account(tmp_path / "a", limit=1e6)
    rng = RNG(8)
    kept = [int(account.remembered(coin, 0, label=f"W{t}", rng=rng)[0]) for t in range(times)]
    chance = float(coin.support[1])
    assert abs(sum(kept) - times * chance) < 7 * np.sqrt(times * chance * (1 - chance))


def test_histories_of_remembered_reports_cost_epsilon_once(tmp_path):
    """Exactly, by the account itself, over all histories of three values; the control draws each report anew."""
    coin, opened = GRR(k=2, epsilon=1.0), count()
    histories = [*product((0, 1), repeat=3)]

    def kept(history, rng):
        account = Account(tmp_path / str(next(opened)), limit=9.0)
        sent = tuple(int(account.remembered(coin, value, label="W48", rng=rng)[0]) for value in history)
        assert account.spent == 1.0
        return sent

    def fresh(history, rng):
        return tuple(int(coin.perturb([value], rng=rng)[0]) for value in history)

    assert epsilon(laws(kept, histories)) == pytest.approx(coin.realised_epsilon, rel=1e-12)
    assert epsilon(laws(fresh, histories)) == pytest.approx(3 * coin.realised_epsilon, rel=1e-12)


REMEMBERER = """
import sys
from ldpnb import OneOf, SystemRandom
from ldpnb.survey import Account
account = Account(sys.argv[1], limit=1e6)
question = OneOf(["a", "b"], epsilon=1.0)
for period in range(10**6):
    for answer in ("a", "b", "a"):
        sent = account.remembered(question, answer, label=f"{sys.argv[2]}, {period}")
        print(period, int(sent[0]), flush=True)
"""


@pytest.mark.slow
def test_remembered_reports_survive_a_crash(tmp_path):
    """Killed at random moments: what was sent under a label comes again, and each label is paid for once."""
    chance, sent = random.Random(7), {}
    for run in range(4):
        command = [sys.executable, "-c", REMEMBERER, tmp_path / "a", str(run)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as one:
            lines = [one.stdout.readline() for _ in range(5)]  # of two periods, at least
            time.sleep(chance.uniform(0.05, 0.2))
            one.kill()
            lines += one.stdout.read().splitlines(keepends=True)
        for line in lines:
            if line.endswith("\n"):
                period, report = map(int, line.split())
                assert sent.setdefault(f"{run}, {period}", report) == report
    account = Account(tmp_path / "a", limit=1e6)
    paid = [entry["label"] for entry in account.history]
    assert sent.keys() <= set(paid) and len(paid) == len({*paid}) <= len(sent) + 4 and account.spent == len(paid)
    question = OneOf(["a", "b"], epsilon=1.0)
    for label, report in [*sent.items()][:20]:
        assert account.remembered(question, "b", label=label) == report
    assert account.spent == len(paid) and len(sent) > 4


# ------------------------------------------------------------------------------------------------------- recorded


def test_the_recorded_table_holds():
    """By tests/benchmarks/repeating.py: no row is far below 95 %, and reports that are taken for people are."""
    table = recorded("repeated")
    assert table["surveys"].min() >= 200
    for column in ("rounds said", "people held", "slope, people", "slope, same", "change, new"):
        told = table[table[column] >= 0]
        deviation = np.sqrt(0.95 * 0.05 / told["surveys"])
        if column == "people held":  # of decode, too
            assert len(told) == len(table)
        assert len(told) > 10 and np.all(told[column] > 0.95 - 4 * deviation) and told[column].mean() > 0.945
    again = recorded("repeated.again").iloc[0]
    columns = ["rounds said", "people held", "slope, people", "slope, same", "change, new"]
    assert again["surveys"] == 3000 and min(again[columns]) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 3000)
    control = table[(table["question"] == "OneOf, k = 2, share .3") & (table["epsilon"] == 4)]
    assert control["alone"][control["answers"] == "static"].max() < 0.75
