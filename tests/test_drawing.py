"""Surveys of which each person answers some questions: who is asked, errors about all people, files, and refusals.

Laws are enumerated.  Sampled checks have a probability of 1e-7 at most to fail by chance.
"""

import multiprocessing
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import exp, sqrt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import binom, chi2

from ldpnb import (
    GRR,
    OUE,
    Account,
    DrawnAttributes,
    HadamardResponse,
    HarmonyFrequency,
    Number,
    OneOf,
    Ratings,
    StateEncoding,
    Strings,
    Survey,
    SystemRandom,
    YesNoTable,
    collect,
    save,
    pool_waves,
)
from ldpnb.chance import law, odds
from ldpnb.intervals import support_interval
from ldpnb.collecting import load_tally, save_tally
from ldpnb.survey import BudgetError
from ldpnb.survey.drawing import deal, left_over, people_at_least, people_in, plausible, some_of
from ldpnb.choose.ways import shared_out, ways
from ldpnb.verify import laws, worst
from ldpnb_book.experiment import recorded

Z = 1.959963984540054


def rng(seed=0):
    return np.random.default_rng(seed)


def of(k, epsilon=1.0, **more):
    return OneOf([f"c{i}" for i in range(k)], epsilon=epsilon, **more)


def survey_of(questions, draw=1, k=3, epsilon=1.0, **more):
    asked = {f"q{i}": of(k, epsilon) for i in range(questions)}
    return Survey(asked, limit=draw * epsilon, draw=draw, **more)


# ------------------------------------------------------------------------------------------------ who is asked


def groups(dealt):
    """By question and number asked, the chance of each group of people."""
    found = Counter()
    for rows, chance in dealt.items():
        asked = np.array(rows, bool)
        for question in range(asked.shape[1]):
            found[question, tuple(np.flatnonzero(asked[:, question]).tolist())] += chance
    return found


def dealt(program):
    return law(lambda paths: tuple(map(tuple, program(paths).tolist())))


@pytest.mark.parametrize("n, questions, draw", [(3, 2, 1), (4, 3, 1), (4, 3, 2), (2, 3, 2), (3, 3, 3)])
def test_dealing_is_even_and_all_groups_are_alike(n, questions, draw):
    found = dealt(lambda paths: deal(n, questions, draw, paths))
    least = n * draw // questions
    for rows in found:
        asked = np.array(rows)
        assert {*asked.sum(0).tolist()} <= {least, least + 1} and {*asked.sum(1).tolist()} == {draw}
    alike = {}
    for (question, people), chance in groups(found).items():
        alike.setdefault((question, len(people)), {})[people] = chance
    for (_, size), chances in alike.items():
        assert {*chances} == {*combinations(range(n), size)} and len({*chances.values()}) == 1
    for person in range(n):  # all sets of questions are alike
        sets = Counter()
        for rows, chance in found.items():
            sets[rows[person]] += chance
        assert len({*sets.values()}) == 1 and len(sets) == len([*combinations(range(questions), draw)])


def test_people_in_their_order_would_be_found_out():
    """The control: cards that go round in the order of the people."""

    def unshuffled(paths):
        asked = np.zeros((4, 2), bool)
        first = deal(1, 2, 1, paths).argmax()
        asked[np.arange(4), (np.arange(4) + first) % 2] = True
        return asked

    found = groups(dealt(unshuffled))
    assert {people for question, people in found if question == 0} == {(0, 2), (1, 3)}


@pytest.mark.parametrize("source", [rng(3), SystemRandom()], ids=["Generator", "SystemRandom"])
def test_all_sources_of_randomness_deal(source):
    asked = deal(1003, 12, 5, source)
    assert {*asked.sum(0).tolist()} == {417, 418} and {*asked.sum(1).tolist()} == {5}


def test_some_rows_of_columns_of_every_kind():
    rows, words = np.array([0, 2]), ["a", "b", "c"]
    for column in (words, tuple(words), np.array(words), pd.Series(words, [7, 5, 3]), pa.array(words)):
        assert [str(x) for x in some_of(column, rows)] == ["a", "c"]
    assert some_of({"x": words, "y": (1, 2, 3)}, rows) == {"x": ["a", "c"], "y": [1, 3]}


def test_what_a_person_is_not_asked_is_not_looked_at():
    """Wrong answers are refused if they are asked, and only then."""
    survey, n = survey_of(4, 2), 40
    asked = deal(n, 4, 2, rng(5))
    answers = {f"q{i}": np.where(asked[:, i], "c1", "no such label") for i in range(4)}
    reports = survey.perturb(answers, rng=rng(5))
    assert {name: len(x) for name, x in reports.items()} == {f"q{i}": 20 for i in range(4)}
    with pytest.raises(ValueError, match="question 'q0': values must be among .*, got 'no such label', [0-9]+ answers"):
        survey.perturb(answers, rng=rng(6))


@pytest.mark.parametrize("table", [dict, pd.DataFrame, pa.table], ids=["dict", "pandas", "arrow"])
def test_questions_of_every_kind_are_drawn(table):
    questions = {
        "colour": of(3),
        "age": Number(0, 100, epsilon=1.0),
        "word": Strings(epsilon=1.0),
        "habits": YesNoTable(["smokes", "runs"], epsilon=1.0),
    }
    survey = Survey(questions, limit=2.0, draw=2)
    columns = {"colour": ["c0", "c1"] * 100, "age": [40, 60] * 100, "word": ["x", "y"] * 100}
    columns |= {"smokes": [True, False] * 100, "runs": [False] * 200}
    tallies = survey.tally(survey.perturb(table(columns), rng=rng(1)), {"word": ["x", "y"]})
    assert {tally.n for tally in tallies.values()} == {100}
    these, all_ = (survey.estimate(tallies, people=people) for people in (True, False))
    for name in questions:
        assert these[name].of == 200 and these[name].people and all_[name].of is None
        assert np.array_equal(these[name].estimate, all_[name].estimate)
        less = these[name].error < all_[name].error
        possible = (0 < these[name].estimate) & (these[name].estimate < 1)
        assert not less.any() if name == "age" else less[possible].all() and possible.any()
    assert "about all 200 people, of whom these were drawn" in str(these["colour"])


def test_ratings_are_drawn_as_dicts():
    stars = Ratings(["x", "y"], 1, 5, 1, epsilon=2.0)
    survey = Survey({"stars": stars, "colour": of(3, 2.0)}, limit=2.0, draw=1)
    rated = [{"x": 5}, {"y": 1}, {}, {"x": 4}] * 500
    answers = {"stars": rated, "colour": ["c0"] * 2000}
    tallies = survey.tally(survey.perturb(answers, rng=rng()))
    frame = survey.tally(survey.perturb(pd.DataFrame(answers), rng=rng()))
    assert np.array_equal(frame["stars"].counts, tallies["stars"].counts)
    found = survey.estimate(tallies, people=True)["stars"]
    assert found.shares.of == found.means.of == 2000 and tallies["stars"].n == 1000
    assert np.all(found.shares.error < stars.estimate(tallies["stars"]).shares.error)
    long = {"user": [0, 1], "item": ["x", "y"], "rating": [1, 5]}
    with pytest.raises(ValueError, match="question 'stars': values must be a dict .* where questions are drawn, got"):
        survey.perturb({"stars": pd.DataFrame(long), "colour": ["c0"] * 2}, rng=rng())


# ----------------------------------------------------------------------------------- errors, about all these people


@pytest.mark.parametrize(
    "question, values, asked",
    [
        (of(2), (0, 0, 1, 1), 2),
        (of(2, 3.0), (0, 1, 1), 2),
        (of(3), (0, 1, 1, 2), 3),
        (of(3, mechanism=None), (0, 0, 0, 0, 2), 2),
        (OneOf(["a", "b"], mechanism=OUE(k=2, epsilon=1.0)), (0, 1, 1), 2),
        (OneOf(["a", "b", "c"], mechanism=HadamardResponse(k=3, epsilon=1.0)), (0, 1, 1), 2),
    ],
    ids=str,
)
def test_an_estimate_of_those_who_are_dealt_a_question_is_right_on_average(question, values, asked):
    """All groups of people, and all reports: mean, variance given the number asked, and the mean squared error."""
    m, n = question.mechanism, len(values)
    each = laws(lambda value, paths: m.perturb([value], rng=paths), range(m.k))
    codes = {}  # a report, and the chances of it under each value
    for value, one in enumerate(each):
        for report, chance in one.items():
            codes.setdefault(report, [Fraction(0)] * m.k)[value] = Fraction(chance)
    reports = {code: m.tally(np.array(code)) for code in codes}
    mean = second = squares = here = np.zeros(m.k)
    groups = [*combinations(range(n), asked)]
    for people in groups:
        for drawn in product(codes, repeat=asked):
            chance = float(np.prod([codes[code][values[i]] for code, i in zip(drawn, people, strict=True)]))
            if not chance:
                continue
            tally = sum((reports[code] for code in drawn[1:]), reports[drawn[0]])
            found = question.estimate(tally, people=True, of=n)
            mean = mean + chance * found.estimate / len(groups)
            second = second + chance * found.estimate**2 / len(groups)
            squares = squares + chance * found.error**2 / len(groups)
            here = here + chance * question.estimate(tally, people=True).error ** 2 / len(groups)
    f = np.bincount(values, minlength=m.k) / n
    np.testing.assert_allclose(mean, f, atol=1e-12)
    noise = m.variance(values).mean(0)
    stated = noise / asked + (n - asked) / (n - 1) * f * (1 - f) / asked
    np.testing.assert_allclose(second - mean**2, stated, rtol=1e-9)
    assert np.all(squares >= stated * (1 - 1e-9))  # what chance makes negative is set to 0
    if isinstance(m, GRR):
        np.testing.assert_allclose(squares, stated, rtol=1e-9)
        assert np.all(here < stated) or not np.all(f * (1 - f))  # the control: without the draw


def test_the_error_about_all_is_between_those_about_those_asked_and_a_population():
    """Each is exact at its end: all asked, and few of very many."""
    question = of(4, 2.0)
    tally = question.tally(question.perturb(["c0", "c1", "c2", "c2"] * 50, rng=rng(2)))
    these, population = question.estimate(tally, people=True), question.estimate(tally)
    for mine, theirs in ((200, these), (10**15, population)):
        found = question.estimate(tally, people=True, of=mine)
        for name in ("error", "low", "high"):
            np.testing.assert_allclose(getattr(found, name), getattr(theirs, name), rtol=1e-9)
    errors = np.stack([question.estimate(tally, people=True, of=n).error for n in (200, 300, 1000, 10**6)])
    assert np.all(np.diff(errors[:, :3], axis=0) > 0)


COLUMNS = ["a", "b", "c"]
KINDS = [
    (of(3), ["c0", "c1"] * 200),
    (OneOf(["c0", "c1"], mechanism=HadamardResponse(k=2, epsilon=1.0)), ["c0", "c1"] * 200),
    (Strings(epsilon=2.0), ["x", "y"] * 200),
    (Number(0, 10, epsilon=1.0), [4, 6] * 200),
    (YesNoTable(COLUMNS, epsilon=2.0), [[True, False, True], [False, False, True]] * 200),
    (YesNoTable(COLUMNS, epsilon=2.0, pairs=True), [[True, False, True], [False, False, True]] * 200),
    (YesNoTable(COLUMNS, mechanism=DrawnAttributes.of((2,) * 3, OUE, 2.0)), [[True, False, True], [False] * 3] * 200),
    (YesNoTable(COLUMNS, mechanism=HarmonyFrequency(sizes=(2,) * 3, epsilon=2.0)), [[True, False, True]] * 400),
    (Ratings(COLUMNS, 1, 5, 2, epsilon=3.0), [{"a": 5, "b": 2}, {"a": 3}] * 200),
    (Ratings(COLUMNS, 1, 5, 1, mechanism=StateEncoding(d=3, epsilon=3.0)), [{"a": 5}, {"b": 3}] * 200),
]


@pytest.mark.parametrize("question, answers", KINDS, ids=[type(one.mechanism).__name__ for one, _ in KINDS])
def test_of_very_many_people_those_asked_are_as_of_a_population(question, answers):
    """And of themselves, they are all."""
    values = np.array(answers) if isinstance(answers[0], list) else answers
    reports = question.perturb(values, rng=rng(1))
    tally = question.tally(reports, ["x", "y"]) if isinstance(question, Strings) else question.tally(reports)
    for together in (False, True):
        limits = [({"of": 10**15}, {"people": False}), ({"of": 400}, {"people": True})]
        for some, every in limits:
            found = question.estimate(tally, together=together, **{"people": True} | some)
            wanted = question.estimate(tally, together=together, **every)
            pairs = [(found, wanted)]
            if isinstance(question, Ratings):
                pairs = [(found.shares, wanted.shares), (found.means, wanted.means)]
            for one, other in pairs:
                for name in ("estimate", "error", "low", "high"):
                    np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("together", [False, True])
def test_intervals_are_those_with_the_part_of_the_draw_that_is_left(together):
    z = Z if not together else 2.497705474412  # of four intervals
    question = of(4, 2.0)
    tally = question.tally(question.perturb(["c0", "c1", "c2", "c2"] * 500, rng=rng(2)))
    found = question.estimate(tally, people=True, together=together, of=5000)
    own, other = question.mechanism.support
    ends = support_interval(tally.counts, 2000, own, other, z, sampled=3000 / 4999)
    np.testing.assert_allclose((found.low, found.high), ends, rtol=1e-9)
    assert not np.allclose(found.low, support_interval(tally.counts, 2000, own, other, z)[0], rtol=1e-3)


def test_few_reports_have_exact_ends():
    """Those about a population, which cover people who were drawn, too."""
    question = of(5, 4.0)
    tally = question.tally(question.perturb(["c0"] * 12 + ["c1"] * 8, rng=rng(4)))
    found = question.estimate(tally, people=True, of=240)
    np.testing.assert_allclose((found.low, found.high), question.mechanism.interval(tally, Z), rtol=1e-9)


def test_a_table_of_columns_that_are_drawn_themselves_takes_both_draws_for_one():
    m = DrawnAttributes.of((2, 2, 2), GRR, 2.0)
    question = YesNoTable(["a", "b", "c"], mechanism=m)
    rows = rng(8).random((300, 3)) < [0.2, 0.5, 0.8]
    tally = question.tally(question.perturb(rows, rng=rng(9)))
    found, n = question.estimate(tally, people=True, of=900), m.numbers_asked(tally)[1::2]
    share, own = found.estimate, question.estimate(tally).error
    np.testing.assert_allclose(found.error**2, (899 * own**2 - share * (1 - share)) / 900, rtol=1e-9)
    supporters = tally.counts[:, 2]
    ends = support_interval(supporters, n, *m.oracle.chances, Z, sampled=left_over(n, 900))
    np.testing.assert_allclose((found.low, found.high), ends, rtol=1e-9)
    blocks = YesNoTable(["a", "b", "c"], epsilon=2.0, pairs=True)
    tally = blocks.tally(blocks.perturb(rows, rng=rng(9)))
    some, every = (blocks.estimate(tally, people=True, **more) for more in ({"of": 900}, {}))
    wide = blocks.estimate(tally)
    assert np.all((every.error < some.error) & (some.error < wide.error))
    assert np.all((wide.low <= some.low) & (some.low < some.estimate) & (some.estimate < some.high))


def scattered(asked, surveys, seed):
    """Squared distances of estimates from the truth about all people, over the stated squares: their mean."""
    source, survey = rng(seed), survey_of(3, k=3, epsilon=4.0)
    ratios = []
    for _ in range(surveys):
        codes = source.choice(3, 90, p=[0.2, 0.3, 0.5])
        columns = {name: [f"c{x}" for x in codes] for name in survey.questions}
        tallies = survey.tally(survey.perturb(columns, rng=source))
        found = (
            survey.estimate(tallies, people=True)["q0"]
            if asked
            else survey.questions["q0"].estimate(tallies["q0"], people=True)
        )
        off = found["c2"].estimate - (codes == 2).mean()
        ratios.append((off / found["c2"].error) ** 2)
    return np.array(ratios)


@pytest.mark.slow
def test_stated_errors_are_those_of_surveys():
    """Squares over stated squares, for 300 surveys, against a χ² law that is twice as wide as theirs."""
    low, high = chi2.ppf([1e-8, 1 - 1e-8], 300 / 2) / (300 / 2)
    assert low < scattered(True, 300, 1).mean() < high
    assert scattered(False, 300, 1).mean() > high  # the control: as if all people had been asked


def test_intervals_that_are_recorded_cover_and_errors_are_as_planned():
    """Rows of a question go together, so that a survey counts once a question."""
    table = recorded("drawn_coverage")
    assert len(table) >= 28 and table["surveys"].min() >= 200
    each = table["surveys"] * table["questions"]
    covered = table[["alone", "together"]].min(axis=1)
    assert (covered > 0.95 - 3 * np.sqrt(0.95 * 0.05 / each)).all()
    assert (abs(table["planned"] / table["stated"] - 1) < 0.06).all()  # plans are for shares of 1/k
    assert (abs(table["off"] / table["stated"] - 1) < 4 / np.sqrt(2 * each)).all()


# ------------------------------------------------------------------------------------------------ how many there are


def test_the_number_of_people_follows_from_the_reports():
    survey = survey_of(4, 2)
    answers = {f"q{i}": ["c0", "c1"] * 101 for i in range(4)}
    tallies = survey.tally(survey.perturb(answers, rng=rng()))
    assert survey.estimate(tallies, people=True)["q1"].of == 202
    assert survey.estimate({"q1": tallies["q1"]}, people=True, n=202)["q1"].of == 202
    assert survey.estimate({"q1": tallies["q1"]})["q1"].of is None
    parts = [survey.tally(survey.perturb(answers, rng=rng(i))) for i in range(2)]
    both = {name: parts[0][name] + parts[1][name] for name in answers}
    assert survey.estimate(both, people=True)["q1"].of == 404


def test_all_questions_to_all_people_is_a_draw_of_all():
    survey = survey_of(3, 3)
    tallies = survey.tally(survey.perturb({f"q{i}": ["c0", "c1"] * 50 for i in range(3)}, rng=rng()))
    found = survey.estimate(tallies, people=True)["q0"]
    assert found.of is None and np.array_equal(found.error, of(3).estimate(tallies["q0"], people=True).error)


def test_numbers_that_were_drawn_are_hardly_ever_refused():
    """The largest number that passes has a tail below 1e-9, and what is refused is near it."""
    passed = [count for count in range(250, 400) if accepted({"a": count}, 12, 1, 3000)]
    most = max(passed)
    assert passed == [*range(250, most + 1)] and 1e-11 < binom.sf(most, 3000, 1 / 12) * 12 < 1e-9


def accepted(*given):
    try:
        return people_in(*given) > 0
    except ValueError:
        return False


@pytest.mark.parametrize(
    "numbers, n, declining, words",
    [
        ({"a": 100}, None, (), "^n must be given, .*, since only 1 of 3 questions has a tally: "),
        ({"a": 9, "b": 9, "c": 9}, None, ("c",), "^n must be given, .*, since people may decline 'c': "),
        ({"a": 1, "b": 0, "c": 0}, None, (), "^n must be given, .*, since 1 report is not 2 of each person, so"),
        ({"a": 9, "b": 9, "c": 9}, None, (), "^n must be given, .*, since 27 reports are not 2 of each person, so"),
        ({"a": 900}, 900, (), r"^tallies must be .* drawn for 900 people, .* about 600, got 900 reports to 'a': were"),
        ({"a": 9}, 8, (), "got 9 reports to 'a': were all people asked all questions, then leave out draw"),
        ({"a": 30, "b": 30, "c": 25}, 40, (), r"of 40 people who answered 2 of 3 questions, 80 reports, got 85: they"),
        (
            {"a": 900, "b": 300, "c": 300},
            None,
            (),
            "for 750 people, which is what 1,500 reports make, so that each is asked of about 500, got 900 .* to 'a': "
            "take all tallies from one survey with draw=2, or say n, the number of people who took part, if reports",
        ),
        ({"a": 900, "b": 300, "c": 900}, None, (), "is asked of about 700, got 900 reports to 'a': take all tallies"),
        ({"a": 60, "b": 20, "c": 60}, None, (), "is asked of about 47, got 20 reports to 'b': take all tallies from"),
        ({"a": 9}, 0, (), "^n must be an integer, at least 1, got 0$"),
        ({"a": 9}, True, (), "^n must be an integer, at least 1, got True$"),
        ({"a": 9}, 12.0, (), "^n must be an integer, at least 1, got 12.0$"),
    ],
)
def test_numbers_of_what_was_not_drawn_are_refused(numbers, n, declining, words):
    with pytest.raises(ValueError, match=words):
        people_in(numbers, 3, 2, n, declining)


def test_one_tally_of_all_people_among_drawn_ones_is_noticed_and_all_of_them_only_with_n():
    drawn = survey_of(4, 1)
    whole = Survey(drawn.questions, limit=4.0)
    answers = {f"q{i}": ["c0", "c1"] * 400 for i in range(4)}
    few, many = (one.tally(one.perturb(answers, rng=rng())) for one in (drawn, whole))
    for mixed in ({**few, "q1": many["q1"]}, {**many, "q1": few["q1"]}):
        with pytest.raises(ValueError, match="^tallies must be of questions drawn for"):
            drawn.estimate(mixed, people=True)
    with pytest.raises(ValueError, match="of questions drawn for 800 people, .* about 200, got 800 reports to 'q0'"):
        drawn.estimate(many, people=True, n=800)
    assert drawn.estimate(many, people=True)["q0"].of == 3200  # as if 3,200 people had answered one each


@pytest.mark.parametrize("draw", [1, 2, 3])
def test_numbers_of_a_draw_are_refused_once_in_a_billion_surveys(draw):
    """Of a device's draw each number is binomial; all four are refused at most as often as each, added up."""
    for n in (4, 40, 400):
        each = np.arange(n + 1)
        refused = np.array([not plausible(count, n, draw / 4, 4, True) for count in each.tolist()])
        chance = 4 * float(binom.pmf(each, n, draw / 4) @ refused)
        assert chance < 1e-9 and (n < 40 or chance > 1e-13)
        dealt = [n * draw // 4, -(-n * draw // 4)]
        assert not refused[dealt].any()


# --------------------------------------------------------------------------------------------------------- accounts


def test_a_draw_is_kept_and_all_sets_are_alike(tmp_path):
    """On enough devices: each of three pairs has its share by a χ² test at 1e-9."""
    survey, found = survey_of(3, 2), Counter()
    for person in range(60):
        account = Account(tmp_path / str(person), limit=2.0)
        drawn = survey.drawn(account)
        assert drawn == survey.drawn(Account(account.path, limit=2.0), rng=rng(person)) and account.spent == 0
        found[drawn] += 1
    assert len(found) == 3 and sum((x - 20) ** 2 / 20 for x in found.values()) < chi2.isf(1e-9, 2)
    assert "'': q0, q1, drawn of 3 questions" in str(next_with(tmp_path, ("q0", "q1"), survey))


def next_with(folder, drawn, survey):
    accounts = (Account(folder / str(i), limit=2.0) for i in range(60))
    return next(account for account in accounts if survey.drawn(account) == drawn)


def test_the_law_of_a_draw_is_exact(tmp_path):
    names = [f"q{i}" for i in range(4)]
    count = iter(range(1000))
    path = tmp_path / "account"

    def drawn(paths):
        path.unlink(missing_ok=True)
        return Account(path, limit=1.0).drawn(f"{next(count) * 0}", names, 2, rng=paths)

    found = law(drawn)
    assert {*found} == {*combinations(names, 2)} and {*found.values()} == {Fraction(1, 6)}


def test_a_draw_is_not_repeated_if_the_person_declines(tmp_path):
    """Nor does an answer to another question help."""
    asked = {f"q{i}": of(3, missing="decline") for i in range(8)}
    survey, account = Survey(asked, limit=1.0, draw=1), Account(tmp_path / "account", limit=1.0)
    (name,) = survey.drawn(account)
    row = {f"q{i}": "c1" for i in range(8)} | {name: None}
    for _ in range(20):
        assert survey.answer(row, account=account) == {} and survey.drawn(account) == (name,)
    assert account.spent == 0 and account.history == []
    assert list(survey.answer({name: "c1"}, account=account)) == [name] and account.spent == 1.0
    assert [entry["label"] for entry in account.history] == [name]
    with pytest.raises(BudgetError):
        survey.answer({name: "c1"}, account=account)


def test_all_that_leaves_a_device_has_the_epsilon_of_what_was_drawn(tmp_path):
    """Names and reports together, of any two rows; the control draws once more if the person declines."""
    asked = {"q0": of(2, 1.0, missing="decline"), "q1": of(2, 0.5)}
    survey, path = Survey(asked, limit=1.0, draw=1), tmp_path / "account"

    def sent(row, paths):
        path.unlink(missing_ok=True)
        reports = survey.answer(row, account=Account(path, limit=1.0), rng=paths)
        return tuple((name, int(report[0])) for name, report in reports.items())

    def again(row, paths):
        return sent(row, paths) or sent(row, paths)

    rows = [{"q0": x, "q1": y} for x in ("c0", "c1") for y in ("c0", "c1")]
    whole = worst(laws(sent, rows))
    assert whole.epsilon == pytest.approx(1.0) and whole.ratio <= odds(1.0)
    for client, right in ((sent, True), (again, False)):
        declined = laws(client, [{"q0": None, "q1": "c0"}])[0]
        answers = sum(float(chance) for found, chance in declined.items() if found and found[0][0] == "q1")
        assert (answers == pytest.approx(0.5)) == right  # with a second draw, q1 is answered three times in four


class Killed(BaseException):
    pass


def test_a_draw_is_there_after_a_crash(tmp_path):
    """Before anything is paid, and before the answer is looked at."""

    class Crashing(dict):
        def __getitem__(self, name):
            raise Killed

    survey, account = survey_of(8), Account(tmp_path / "account", limit=1.0)
    with pytest.raises(Killed):
        survey.answer(Crashing(), account=account)
    (kept,) = [entry["drawn"] for entry in account._entries()]
    assert all(survey.drawn(Account(tmp_path / "account", limit=1.0)) == tuple(kept) for _ in range(20))


def _drawn(path, results):
    results.put(survey_of(50).drawn(Account(path, limit=1.0)))


@pytest.mark.slow
def test_two_programs_on_a_device_have_one_draw(tmp_path):
    path, context = tmp_path / "account", multiprocessing.get_context("spawn")
    Account(path, limit=1.0)
    results = context.Queue()
    workers = [context.Process(target=_drawn, args=(path, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    found = {results.get(timeout=60) for _ in workers}
    for worker in workers:
        worker.join()
    assert len(found) == 1


def test_an_account_refuses_another_survey_under_a_label(tmp_path):
    account = Account(tmp_path / "account", limit=5.0)
    survey_of(4).drawn(account)
    for other in (survey_of(5), survey_of(4, 2), survey_of(4, k=4), survey_of(4, epsilon=2.0)):
        with pytest.raises(ValueError, match="^label must be one of this survey alone, got '', .* a draw of another"):
            other.drawn(account)
        with pytest.raises(ValueError, match="name this one, as in Survey"):
            other.answer({f"q{i}": "c0" for i in range(5)}, account=account)
    assert account.spent == 0
    assert len(survey_of(5, label="spring").drawn(account)) == 1
    assert "'spring': q" in str(account)


def test_an_account_that_is_damaged_where_it_keeps_a_draw_is_refused(tmp_path):
    account = Account(tmp_path / "account", limit=5.0)
    survey_of(4).drawn(account)
    (entry,) = account._entries()
    for wrong in ({"drawn": []}, {"drawn": [3]}, {"of": 0}, {"drawn": ["a"] * 5}, {"epsilon": 1.0}, {"drawn": "q0"}):
        account._store([entry | wrong], lambda: None)
        with pytest.raises(ValueError, match="path must be a whole file of 'account'"):
            account.spent  # noqa: B018


# ------------------------------------------------------------------------------------------------ messages and files


def test_messages_name_what_they_answer(tmp_path):
    """Devices, a wire, files and their tallies: as many as were drawn, and the same as in memory."""
    survey, messages, asked = survey_of(3, 2), [], Counter()
    for person in range(40):
        account = Account(tmp_path / f"account{person}", limit=2.0)
        row = {"q0": "c0", "q1": "c1", "q2": "c2"}
        asked.update(survey.drawn(account))
        messages.append("".join(survey.to_wire(survey.answer(row, account=account))))
    reports = survey.from_wire("".join(messages))
    assert {name: len(x) for name, x in reports.items()} == asked and sum(asked.values()) == 80
    each = [survey.from_wire(one) for one in messages]
    assert all(len(one) == 2 and all(len(x) == 1 for x in one.values()) for one in each)
    assert np.array_equal(np.concatenate([one["q1"] for one in each if "q1" in one]), reports["q1"])
    tallies = survey.tally(reports)
    collected = {}
    for name, found in reports.items():
        label, question = survey.identity_of(name), survey.questions[name]
        save(found, tmp_path / f"{name}.parquet", question, label=label)
        collected[name] = collect(question, [tmp_path / f"{name}.parquet"], label=label).tally
        save_tally(tallies[name], tmp_path / f"{name}.tally", label=label)
        assert np.array_equal(
            load_tally(tmp_path / f"{name}.tally", question.mechanism, label=label).counts, collected[name].counts
        )
    for name, result in survey.estimate(collected, people=True).items():
        assert result.of == 40
        assert np.array_equal(result.error, survey.estimate(tallies, people=True)[name].error)


def test_files_of_another_question_or_of_a_survey_of_all_are_refused(tmp_path):
    drawn, full = survey_of(3), survey_of(3, 3)
    plain = Survey({f"q{i}": of(3) for i in range(3)}, limit=3.0)
    save(np.array([0, 1]), tmp_path / "q0.parquet", plain.questions["q0"], label=plain.identity_of("q0"))
    for survey, name in ((drawn, "q0"), (full, "q0"), (plain, "q1")):
        with pytest.raises(ValueError, match="it holds those labelled"):
            collect(survey.questions[name], [tmp_path / "q0.parquet"], label=survey.identity_of(name))
        with pytest.raises(ValueError, match="^lines must be reports to the questions 'q0', 'q1', 'q2' of this survey"):
            (survey if survey is not plain else drawn).from_wire("".join(plain.to_wire({"q0": np.array([0])})))
    assert collect(plain.questions["q0"], [tmp_path / "q0.parquet"], label=plain.identity_of("q0")).reports == 2


@pytest.mark.parametrize(
    "lines, words",
    [
        ('{"report":1}', "^line 1: must be a header, got '{\"report\":1}'"),
        ('{"ldpnb":"reports"}', "^line 1: label must be a text, got null"),
        ('{"ldpnb":', "^line 1: must be a JSON object"),
        ([3], "^lines must be texts, got int"),
        (3, "^lines must be a text or its lines, got int"),
    ],
)
def test_lines_that_name_no_question_are_refused(lines, words):
    with pytest.raises(ValueError, match=words):
        survey_of(3).from_wire(lines)


def test_a_wrong_line_is_named_with_its_question():
    survey = survey_of(3)
    good = "".join(survey.to_wire({"q1": np.array([1])}))
    assert survey.from_wire("") == {}
    with pytest.raises(ValueError, match=r"^question 'q1': line 3: report must be an integer in \[0, 3\), got 9"):
        survey.from_wire(good + '{"report":9}')
    with pytest.raises(ValueError, match="reports must be of the questions 'q0', 'q1', 'q2', got 'q9'"):
        list(survey.to_wire({"q9": np.array([1])}))
    with pytest.raises(ValueError, match="name must be of the questions 'q0', 'q1', 'q2', got 'q9'"):
        survey.identity_of("q9")


# ------------------------------------------------------------------------------------------------------- three ways


def krr_error(k, epsilon, n, part=1.0):
    """Standard error of a share 1/k by k-RR from so many people; `part` of the chance of who they are counts."""
    p, q = exp(epsilon) / (exp(epsilon) + k - 1), 1 / (exp(epsilon) + k - 1)
    noise = (p * (1 - p) / k + (1 - 1 / k) * q * (1 - q)) / (p - q) ** 2
    return 100 * sqrt((noise + part / k * (1 - 1 / k)) / n)


@pytest.mark.parametrize("people", [False, True])
def test_errors_to_come_are_those_of_the_formula(people):
    """Of k-RR, which is the best mechanism of two labels."""
    found = ways({f"q{i}": of(2, 0.7) for i in range(7)}, 1.5, 2100, people)
    for way in found.drawn:
        m = way.draw
        part = 1 - m / 7 if people else 1.0
        assert way.error == pytest.approx(krr_error(2, 1.5 / m, 2100 * m / 7, part), rel=1e-9)
        assert way.asked == 300 * m and way.epsilons == pytest.approx((1.5 / m,) * 7)
    assert found.alone.error == pytest.approx(krr_error(2, 1.5, 2100, 0.0 if people else 1.0), rel=1e-9)
    assert found.best.draw == 1 and [way.draw for way in found.drawn] == [*range(1, 8)]


def test_errors_to_come_are_those_that_a_survey_states():
    """To a tenth, for a share of 1/k: with 3,000 people, chance moves them by a few parts in a hundred."""
    survey = survey_of(6, 2, k=5, epsilon=1.0)
    planned = next(way for way in survey.plan(3000).drawn if way.draw == 2)
    answers = {f"q{i}": [f"c{j % 5}" for j in range(3000)] for i in range(6)}
    found = survey.estimate(survey.tally(survey.perturb(answers, rng=rng())))
    stated = 100 * np.sqrt(np.mean([result.error**2 for result in found.values()]))
    assert planned.epsilons == (1.0,) * 6 and planned.asked == 1000
    assert stated == pytest.approx(planned.error, rel=0.1)


@pytest.mark.parametrize(
    "questions, k, n, limit, best, errors",
    [
        (12, 5, 3000, 1.0, 1, {1: 9.9, 2: 14.2, 3: 17.5, 6: 24.9, 12: 35.5}),
        (6, 2, 1000, 2.0, 1, {1: 5.1, 2: 5.9, 3: 7.0, 6: 9.6}),
        (12, 5, 3000, 6.0, 2, {1: 2.6, 2: 2.3, 3: 2.6, 6: 4.0, 12: 5.8}),
    ],
)
def test_what_is_drawn_is_best(questions, k, n, limit, best, errors):
    found = survey_of(questions, k=k, epsilon=limit).plan(n)
    assert found.best.draw == best
    assert {way.draw: round(way.error, 1) for way in found.drawn if way.draw in errors} == errors


def test_a_plan_says_which_rows_it_leaves_out():
    text = str(survey_of(12, 1).plan(3000))
    shown = [draw for draw in range(1, 12) if f"(draw={draw})" in text]
    assert shown == [*range(1, shown[-1] + 1)]
    last = f"not shown: draw = {shown[-1] + 1} to 11, with more than 2 times the error of the best; .drawn has all"
    assert text.splitlines()[-1] == last
    assert "not shown" not in str(survey_of(2, 1).plan(3000))


def test_an_answer_to_what_was_not_drawn_names_what_was(tmp_path):
    account, survey = Account(tmp_path / "a", limit=1.0), survey_of(3, 1)
    (name,) = survey.drawn(account)
    other = next(one for one in survey.questions if one != name)
    words = (
        f"^question '{name}': row must have the answer that was drawn for this person, got '{other}': ask what drawn"
    )
    with pytest.raises(ValueError, match=words):
        survey.answer({other: "c0"}, account=account)
    assert account.spent == 0


def test_a_plan_of_questions_of_every_kind():
    questions = {
        "why": of(3),
        "age": Number(18, 90, epsilon=0.5),
        "word": Strings(epsilon=1.0),
        "habits": YesNoTable(["a", "b", "c"], epsilon=0.5),
        "stars": Ratings(["a", "b"], 1, 5, 1, epsilon=1.0),
    }
    found = Survey(questions, limit=4.0).plan(3000)
    assert found.drawn[0].epsilons == pytest.approx((4.0, 2.0, 4.0, 2.0, 4.0))
    age = Number(18, 90, epsilon=2.0)
    alone = [ways({name: one}, 4.0, 600).drawn[0].error for name, one in questions.items()]
    alone[1] = 100 * age.plan(600) / 72
    alone[3] = ways({"habits": questions["habits"]}, 2.0, 600).drawn[0].error
    assert found.drawn[0].error == pytest.approx(sqrt(np.mean(np.square(alone))), rel=1e-6)
    lines = str(found).split("\n")
    assert lines[1].split() == ["way", "ε", "each", "people", "each", "error,", "points"]
    assert lines[2].startswith("all 5, ε split") and lines[-1].startswith("best: draw=1,")


def test_where_epsilon_is_large_everybody_answers_everything():
    found = survey_of(3, k=2, epsilon=1.0).questions
    text = str(ways(found, 60.0, 100))
    assert text.endswith("best: everybody answers all 3 questions, and ε is split")
    assert shared_out([1.0, 2.0], 90.0, 1) == (32.0, 32.0)


# ------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("draw", [0, 4, -1, True, False, 1.0, "1", None.__class__, np.float64(1), [1]])
def test_draws_that_are_none_are_refused(draw):
    words = (
        "^draw must be an integer from 1 to 3, the number of questions, got .*: draw=1 asks each person one of them$"
    )
    with pytest.raises(ValueError, match=words):
        Survey({f"q{i}": of(2) for i in range(3)}, limit=3.0, draw=draw)
    assert Survey({f"q{i}": of(2) for i in range(3)}, limit=3.0, draw=np.int64(2)).draw == 2


def test_the_largest_epsilons_of_a_draw_must_fit():
    questions = {"a": of(2, 0.5), "b": of(2, 1.0), "c": of(2, 0.25)}
    assert Survey(questions, limit=1.5, draw=2).epsilon == 1.5
    for draw, limit, total in ((2, 1.49, 1.5), (1, 0.9, 1.0), (3, 1.7, 1.75)):
        words = (
            rf"^limit must be at least the sum of the {draw} largest ε, for draw={draw}, {total}, got {limit}: lower"
        )
        with pytest.raises(
            ValueError, match=words + r" some of a 0.5, b 1.0, c 0.25, or draw fewer questions\. Of 1,0"
        ):
            Survey(questions, limit=limit, draw=draw)


def test_a_refusal_says_what_drawing_would_give():
    with pytest.raises(ValueError, match="or draw which questions a person answers") as refused:
        Survey({f"q{i}": of(5) for i in range(12)}, limit=1.0)
    assert str(refused.value).endswith(
        "Of 1,000 people, say, standard errors would be 61.5 points if everybody answers all 12, at ε = 0.0833; "
        "17.1 points if each person answers 1, drawn in public (draw=1), at ε = 1; "
        "and 4.95 points if only one question is asked"
    )
    with pytest.raises(ValueError, match=r"^limit must be at least the sum of ε, 2.0, got 1.0: lower some of q 2.0$"):
        Survey({"q": of(2, 2.0)}, limit=1.0)
    with pytest.raises(ValueError, match="or draw which questions a person answers$"):  # no part of it can be asked
        Survey({f"q{i}": of(5) for i in range(12)}, limit=1e-6)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: survey_of(3, label=3), "^label must be a text, got 3: as in label="),
        (lambda: survey_of(12).plan(11), "^n must be an integer, at least 12, got 11$"),
        (lambda: survey_of(2).plan(100, people=1), "^people must be True or False, got 1$"),
        (lambda: survey_of(12).perturb({f"q{i}": ["c0"] * 11 for i in range(12)}, rng=rng()), "at least 12 people, so"),
        (lambda: survey_of(12, 5).perturb({f"q{i}": [] for i in range(12)}, rng=rng()), "at least 3 people, .* got 0$"),
        (lambda: survey_of(3).drawn(None), "^account must be an Account, the person's own"),
        (
            lambda: Survey({"a": of(2)}, limit=1.0).estimate({"a": of(2).tally([0, 1])}, n=2),
            "^n must be left out where no question is drawn, got 2",
        ),
        (lambda: of(2).estimate(of(2).tally([0, 1]), of=3), "^of must be left out where people=False, got 3"),
        (lambda: of(2).estimate(of(2).tally([0, 1]), people=True, of=1), "^of must be the number of all people, of w"),
        (lambda: of(2).estimate(of(2).tally([0, 1]), people=True, of=2.5), "^of must be an integer, at least 1, got"),
        (lambda: survey_of(2).estimate({"q0": 3}, people=True), "^question 'q0': tally must be a Tally, got int"),
        (
            lambda: survey_of(2).estimate({"q0": of(3).tally([0] * 60)}, n=60),
            "asked of about 30, got 60 reports to 'q0': were",
        ),
    ],
)
def test_what_is_wrong_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_number_of_people_may_be_said_of_pooled_waves():
    """Numbers of several reports a person do not tell who was drawn; without rounds, the question refuses them."""
    names = ["a", "b", "c"]
    survey = Survey({name: OneOf(["x", "y"], epsilon=2.0) for name in names}, limit=2.0, draw=1)
    sizes = {"a": 97, "b": 101, "c": 102}
    waves = [
        {name: survey.questions[name].tally(np.arange(n) % 2, wave=wave) for name, n in sizes.items()}
        for wave in ("W1", "W2", "W3")
    ]
    pooled = {name: pool_waves([wave[name] for wave in waves]) for name in names}
    assert survey.estimate(pooled, rounds=3, n=300)["a"].tally.n == 291
    with pytest.raises(ValueError, match="rounds must be"):
        survey.estimate(pooled, rounds=3, n=300, people=True)
    with pytest.raises(ValueError, match="n must be"):
        survey.estimate(pooled, rounds=3, n=0)
    with pytest.raises(ValueError, match="tallies must be of questions drawn"):
        survey.estimate(waves[0], n=100)  # a control
    again = "n counts the people of each one, or say rounds=… if they were the same"
    with pytest.raises(ValueError, match=f"tallies must be of questions drawn.*{again}"):
        survey.estimate(pooled, n=300, rounds=1)
    assert survey.estimate(pooled, rounds=3, n=102)["a"].tally.n == 291
    for tallies, n, least in ((pooled, 101, "102, 306"), (pooled, 5, "102, 306"), (waves[0], 7, "34, 102")):
        words = f"^n must be at least {least} reports to 'c' over rounds = 3, got {n}: n counts people of all waves"
        with pytest.raises(ValueError, match=words):
            survey.estimate(tallies, rounds=3, n=n)
    for rounds in ("3", [3], 0.5):
        with pytest.raises(ValueError, match="^rounds must be a number of at least 1, got"):
            survey.estimate(pooled, rounds=rounds, n=300)


def test_as_many_people_as_reports_need_are_let_through():
    """By all numbers of reports of few people: Cauchy and Schwarz, attained where all send equally many."""
    for people in (1, 2, 3, 4):
        for sent in combinations_with_replacement(range(1, 5), people):
            total, rounds = sum(sent), sum(t * t for t in sent) / sum(sent)
            if 2 * rounds <= total:
                least = people_at_least({"a": total}, rounds)
                assert least <= people and (len({*sent}) > 1 or least == people)
