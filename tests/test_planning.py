"""Planning: half-widths are those of exact laws, what goes backwards comes back, and rankings print what they hold."""

import inspect
import subprocess
import sys
from dataclasses import replace
from functools import partial
from math import ceil, inf, isclose, nan, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from questions import questions
from scipy.stats import binom

import ldpnb
from ldpnb import GRR, Blocks, HarmonyFrequency, Number, OneOf, Ratings, Records, Tally, YesNoTable
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.oracles import ItemOracle
from ldpnb import choose
from ldpnb.choose import Ranking
from ldpnb.verify import moments

Z = NormalDist().inv_cdf(0.975)
ITEM = choose.Item(n=20_000, epsilon=1.0, k=40, share=0.05)
ASKED = (
    ITEM,
    choose.Sets(n=500, epsilon=0.7, d=30, m=3),
    choose.Frequent(n=9000, epsilon=2.0, d=30, m=3, candidates=5, share=0.1),
    choose.Vector(n=700, epsilon=1.0, d=3),
    choose.Distribution(n=5000, epsilon=1.0, k=8),
    choose.Pairs(n=90_000, epsilon=1.0, d=30, m=3, low=1, high=5),
    choose.Correlation(n=9000, epsilon=2.0, d=3, share=0.2),
    choose.Marginals(n=9000, epsilon=2.0, d=4, k=3, share=0.2),
    choose.Crosstabs(n=9000, epsilon=2.0, d=4, k=3),
)


def name(question):
    return type(question).__name__


# ---------------------------------------------------------------------------------------------------- half-widths


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_half_widths_of_shares_are_those_of_exact_laws(share):
    """Of one report: the mean square less the square of the mean, where people are drawn; else the mean variance."""
    for choice in choose.Item(n=900, epsilon=1.3, k=4, share=share).rank():
        if not isinstance(choice.mechanism, ItemOracle) or choice.name in ("OLH", "block design"):
            continue
        _, variance = moments(choice.mechanism, np.arange(4))
        own, other = variance[0, 0], variance[1:, 0].mean()
        asked = share * own + (1 - share) * other
        population = share * (own + 1) + (1 - share) * other - share**2
        assert choice.half_width(people=True) == pytest.approx(Z * sqrt(asked / 900), rel=1e-9)
        assert choice.half_width() == pytest.approx(Z * sqrt(population / 900), rel=1e-9)


def test_half_widths_of_means_are_the_worst_of_any_population():
    """A score's mean square is linear between 65 points, and numbers that are −t and t alike have mean 0."""
    for choice in choose.OneNumber(n=400, epsilon=1.0, low=0, high=10).rank():
        tried = np.linspace(-1, 1, 65)
        squares = choice.mechanism.variance(tried)[:, 0] + tried**2
        assert choice.half_width() == pytest.approx(Z * 5 * sqrt(squares.max() / 400), rel=1e-9), choice.name
        assert choice.half_width(people=True) == pytest.approx(Z * choice.error, rel=1e-12)


def test_half_widths_of_ranges_add_the_chance_of_who_is_asked():
    question, k = choose.Distribution(n=1, epsilon=1.0, k=5), 5
    ranges = [np.isin(np.arange(k), range(a, b)) for a in range(k) for b in range(a + 1, k + 1)]
    chance = np.mean([r.mean() * (1 - r.mean()) for r in ranges])
    for choice in question.rank():
        if choice.errors:
            assert choice.half_width() ** 2 - choice.half_width(people=True) ** 2 == pytest.approx(Z**2 * chance)
    assert question._entries() == len(ranges)


def test_half_widths_of_pairs_are_those_of_exact_laws():
    """Of people of whom a share holds one key, half of them with +1 and half with −1."""
    f, n = 0.3, 50
    people = Records.of({0: 1.0}, {0: -1.0}, {1: 0.0})
    for choice in choose.Pairs(n=n, epsilon=1.3, d=2, m=1, share=f, low=1, high=5).rank():
        if choice.name == "Wheel-KV":  # whose hash is too long to enumerate
            continue
        mean, variance = moments(choice.mechanism, people)
        weights = np.array([f / 2, f / 2, 1 - f])
        total = weights @ (variance + mean**2)[:, :, 0] - (weights @ mean[:, :, 0]) ** 2
        if choice.name in ("SE", "PrivKV"):  # one of two keys is public: of those who were asked
            total[0] -= f**2
        for what, exact in zip(("share", "share × mean"), total, strict=True):
            assert choice.half_width(of=what) == pytest.approx(Z * sqrt(exact / n), rel=1e-9), choice.name
        assert choice.half_width(of="mean") == pytest.approx(2 * Z * sqrt(total[1] / n) / f, rel=1e-9)


def test_all_at_once_is_wider_as_bonferroni_says():
    best = ITEM.rank().best
    z = NormalDist().inv_cdf(1 - 0.05 / 40 / 2)
    assert best.half_width(together=True) == pytest.approx(best.half_width() * z / Z, rel=1e-9)
    entries = {name(one): one._entries() for one in ASKED}
    assert entries == dict(
        Item=40, Sets=30, Frequent=30, Vector=3, Distribution=36, Pairs=60, Correlation=3, Marginals=12, Crosstabs=54
    )
    one = choose.OneNumber(n=9, epsilon=1.0)
    assert one.half_width() == one.half_width(together=True)


def test_units_are_those_of_the_range():
    for kind, more in ((choose.OneNumber, {}), (choose.Vector, {"d": 2}), (choose.Pairs, {"d": 3, "m": 1})):
        plain, years = (kind(n=100, epsilon=1.0, **more, **unit).rank() for unit in ({}, {"low": 18, "high": 90}))
        for one, other in zip(plain, years, strict=True):
            assert one.name == other.name and other.errors["mean"] == pytest.approx(36 * one.errors["mean"])
            assert {k: v for k, v in one.errors.items() if k != "mean"} == {
                k: v for k, v in other.errors.items() if k != "mean"
            }
    for low, high, wrong in ((1, 1, "high"), (5, 1, "high"), (nan, 1, "low"), (0, inf, "high"), ("0", 1, "low")):
        with pytest.raises(ValueError, match=f"^{wrong} must be"):
            choose.OneNumber(n=9, epsilon=1.0, low=low, high=high)


# ---------------------------------------------------------------------------------------------------- differences


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_people_for_a_difference_see_it_as_often_as_promised(power):
    """k-RR of two: of n reports each, counts are binomial, and the chance of each pair of counts is exact."""
    question = OneOf(["yes", "no"], epsilon=3.0).question()
    n = question.people_for_difference(0.2, share=0.3, power=power)
    keep = 1 / (1 + np.exp(-3.0))
    count = np.arange(n + 1)
    estimate = (count / n - (1 - keep)) / (2 * keep - 1)
    rate = count / n
    square = rate * (1 - rate) / (2 * keep - 1) ** 2 / (n - 1)
    apart = estimate[None, :] - estimate[:, None]
    seen = np.abs(apart) > Z * np.sqrt(square[None, :] + square[:, None])
    low, high = (binom.pmf(count, n, (1 - keep) + (2 * keep - 1) * share) for share in (0.3, 0.5))
    chance = float(low @ seen @ high)
    assert abs(chance - power) < 0.02


def test_people_for_a_difference_of_shares_and_means_by_hand():
    z = Z + NormalDist().inv_cdf(0.8)
    kinds = [OneOf(["a", "b", "c"], epsilon=1.0), OneOf(["a", "b"], epsilon=2.0)]
    for one in kinds:
        own = sum(one.plan(1000, share=share) ** 2 for share in (0.2, 0.25)) * 1000
        found = choose_own(one).people_for_difference(0.05, share=0.2)
        assert found == ceil(own * (z / 0.05) ** 2)
        assert found != ceil(2 * one.plan(1000, share=0.2) ** 2 * 1000 * (z / 0.05) ** 2)  # the control
    ages = Number(18, 90, epsilon=1.0)
    best = ages.question().best_for()
    own = Number(18, 90, mechanism=best.mechanism).plan(1000) ** 2 * 1000
    assert ages.question().people_for_difference(2.0) == ceil(2 * own * (z / 2) ** 2)
    table = YesNoTable(["a", "b", "c"], epsilon=2.0)
    half = table.question(1).half_width() / Z
    assert table.question().people_for_difference(1e-6) == pytest.approx(2 * half**2 * (z / 1e-6) ** 2, rel=1e-5)
    of_all = NormalDist().inv_cdf(1 - 0.025 / 3) + NormalDist().inv_cdf(0.8)
    alone, all_rows = (kinds[0].question().people_for_difference(0.05, share=0.2, together=x) for x in (False, True))
    assert all_rows / alone == pytest.approx((of_all / z) ** 2, rel=1e-3)


def test_people_for_a_difference_of_mean_ratings_take_the_share_of_those_who_rate():
    """As a question with this share has it."""
    question = Ratings(["m", "n"], 1, 5, most=1, epsilon=2.0).question()
    needs = []
    for share in (0.1, 0.33, 0.5, 1.0):
        needs.append(question.people_for_difference(0.5, of="mean", share=share))
        assert needs[-1] == question.best_for(of="mean").people_for_difference(0.5, of="mean", share=share)
        own = replace(question.best_for(of="mean"), question=replace(question, share=share))
        assert needs[-1] == own.people_for_difference(0.5, of="mean")
    assert needs[0] == question.people_for_difference(0.5, of="mean")
    assert needs[0] > 5 * needs[1] > 5 * needs[2] > 5 * needs[3]


def choose_own(question):
    """The choice with a question's own mechanism."""
    return next(one for one in question.rank() if one.mechanism == question.mechanism)


def test_the_error_of_a_mean_of_values_to_come_is_that_of_all_reports():
    """k-RR, report by report: a score is a number for the item that is named."""
    question = OneOf([1, 2, 3, 4, 5], epsilon=1.0, mechanism=GRR(k=5, epsilon=1.0))
    e, values = np.exp(1.0), np.arange(1.0, 6)
    keep, other = e / (e + 4), 1 / (e + 4)

    def by_hand(share):
        named = other + (keep - other) * share
        scores = (values - 3) / (keep - other)
        return named @ scores**2 - (named @ scores) ** 2

    shares = np.random.default_rng(3).dirichlet(np.full(5, 0.4), 50)
    for share in shares:
        given = dict(zip(range(1, 6), share.tolist(), strict=True))
        assert question.plan_mean(100, given) ** 2 * 100 == pytest.approx(by_hand(share))
    halves = [by_hand(np.array([t, 0, 0, 0, 1 - t])) for t in np.linspace(0, 1, 101)]
    assert question.plan_mean(100) ** 2 * 100 == pytest.approx(max(halves))
    assert max(map(by_hand, shares)) < max(halves)
    assert by_hand(np.array([0, 0, 1, 0, 0])) < 0.95 * max(halves)  # the control


def test_the_error_of_a_mean_to_come_is_that_which_a_survey_states():
    question = OneOf([1, 2, 3], epsilon=2.0, missing="none")
    answers = [1] * 20_000 + [3] * 50_000 + [None] * 30_000
    result = question.estimate(question.tally(question.perturb(answers, rng=np.random.default_rng(0))))
    planned = question.plan_mean(100_000, {1: 0.2, 3: 0.5, "none": 0.3})
    assert result.mean.error == pytest.approx(planned, rel=0.02)


@pytest.mark.parametrize(
    "labels, more, shares, words",
    [
        ([1, 2], {"missing": "none"}, None, "^shares must be given, that of 'none' included, got None: where nobody"),
        (["a", "b"], {}, None, "^values must be given for a mean, got none: OneOf"),
        ([1, 2], {}, {1: 0.5}, "^shares must be at least 0 and sum to 1, got"),
        ([1, 2], {}, {1: -0.5, 2: 1.5}, "^shares must be at least 0 and sum to 1, got"),
        ([1, 2], {}, {3: 1}, "^shares must be of the labels 1, 2, got 3"),
        ([1, 2], {}, [0.5, 0.5], "^shares must be a dict of a share for each label, got"),
        ([1, 2], {"missing": "none"}, {"none": 1}, "^shares must be above 0 for a category with a value"),
    ],
)
def test_means_that_cannot_be_planned_are_refused(labels, more, shares, words):
    with pytest.raises(ValueError, match=words):
        OneOf(labels, epsilon=1.0, **more).plan_mean(100, shares)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda q: q.people_for_difference(0), "^difference must be a positive number, got 0: 0.01 is 1 point of"),
        (lambda q: q.people_for_difference(5), "^difference must be below 1, which is 100 points, got 5: 0.01 is 1 p"),
        (
            lambda q: q.people_for_difference(0.1, share=0.95),
            r"^share must be at most 1 − difference = 0.9, got 0.95: ",
        ),
        (lambda q: q.people_for_difference(0.1, share=2), "^share must be"),
        (lambda q: q.people_for_difference(0.1, power=1), r"^power must be a number in \[0.5, 1\), got 1$"),
        (lambda q: q.people_for_difference(0.1, 95), "^level must be"),
        (lambda q: q.people_for_difference(0.1, of="mean"), r"got 'mean': OneOf\(…\).plan_mean\(n\) has the error of"),
        (lambda q: q.people_for(0.1, of="mean"), r"got 'mean': OneOf\(…\).plan_mean\(n\) has the error of a mean"),
        (lambda q: q.people_for_difference(0.1, share=20), r"^share must be .*, got 20: 20 % is 0.2$"),
        (lambda q: q.people_for_difference(0.1, power=80), r"^power must be .*, got 80: 80 % is 0.8$"),
        (
            lambda q: Ratings(["m", "n"], 1, 5, most=1, epsilon=2.0).question().people_for_difference(0.5),
            "^of must be said where there are shares and means, got None: of='share' for parts of 1, of='mean' for the",
        ),
        (
            lambda q: (
                Ratings(["m", "n"], 1, 5, most=1, epsilon=2.0).question().people_for_difference(5, of="mean", share=0.5)
            ),
            "^difference must be at most 4, the width of the range, got 5$",
        ),
        (
            lambda q: (
                Ratings(["m", "n"], 1, 5, most=1, epsilon=2.0).question().people_for_difference(1, of="mean", share=0)
            ),
            "^share must be above 0 for a mean, got 0: nobody rates$",
        ),
        (
            lambda q: choose.OneNumber(n=9, epsilon=1.0, low=18, high=90).people_for_difference(100),
            "^difference must be at most 72, the width of the range, got 100$",
        ),
        (
            lambda q: choose.OneNumber(n=9, epsilon=1.0).people_for_difference(0.1, share=0.2),
            "^share must be left out for mean, got 0.2: its variance is the largest one",
        ),
    ],
)
def test_differences_that_cannot_be_planned_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(ITEM)


# ------------------------------------------------------------------------------------------------------ backwards


@pytest.mark.parametrize("question", ASKED, ids=name)
@pytest.mark.parametrize("how", [{}, {"people": True, "level": 0.9}, {"together": True}])
def test_so_many_people_have_the_half_width_that_is_wanted(question, how):
    wanted = question.half_width(**how) / 3.3
    n = question.people_for(wanted, **how)
    assert replace(question, n=n).half_width(**how) <= wanted * (1 + 1e-11)
    assert replace(question, n=n - 1).half_width(**how) > wanted
    assert question.people_for(question.half_width(**how), **how) == question.n
    assert question.people_for(1e9 if isinstance(question, choose.Vector) else 0.999, **how) <= n
    assert replace(question, n=1).people_for(question.half_width(**how), **how) == question.n


@pytest.mark.parametrize("question", [*ASKED, replace(ITEM, bits=8), replace(ITEM, listed=False)], ids=name)
@pytest.mark.parametrize("factor", [0.6, 4.0])
def test_the_epsilon_found_is_the_least_that_does(question, factor):
    wanted = min(factor * question.half_width(), 0.9)
    epsilon = question.epsilon_for(wanted)
    assert replace(question, epsilon=epsilon).half_width() <= wanted
    assert replace(question, epsilon=epsilon * (1 - 3e-6)).half_width() > wanted
    start = replace(question, epsilon=epsilon * (30 if factor > 1 else 0.03))
    assert start.epsilon_for(wanted) == pytest.approx(epsilon, rel=2e-6), "wherever the search begins"


def test_ends_of_the_range_of_epsilon():
    assert choose.Vector(n=9, epsilon=1.0, d=3).epsilon_for(1e9) == EPSILON_MIN
    last = replace(ITEM, epsilon=EPSILON_MAX).half_width()
    assert ITEM.epsilon_for(last * 1.0001) <= EPSILON_MAX
    with pytest.raises(
        ValueError, match=r"half_width must be at least 0\.00303, that of k-.* take n = ([\d,]+), or"
    ) as e:
        ITEM.epsilon_for(0.001)
    n = int(str(e.value).partition("take n = ")[2].partition(", or")[0].replace(",", ""))
    assert replace(ITEM, n=n, epsilon=EPSILON_MAX).half_width() <= 0.001 * (1 + 1e-9)


def told_in(question, choice, share, people, z=Z):
    """Part of the surveys whose printed interval lies above zero: a sum over all numbers of supporters."""
    m, n = choice.mechanism, question.n
    counts = np.arange(n + 1)
    low, _ = m.interval(Tally(m, n, np.repeat(counts[:, None], m.k, 1), marginal=True), z, people=people)
    p, q = map(float, m.support)
    chance = binom.pmf(counts, n, q + (p - q) * share)
    if people:
        h = round(share * n)
        chance = np.convolve(binom.pmf(np.arange(h + 1), h, p), binom.pmf(np.arange(n - h + 1), n - h, q))
    return chance[low[:, 0] > 0].sum()


@pytest.mark.parametrize("people", [False, True])
@pytest.mark.parametrize(
    "k, epsilon, n", [(10, 6.0, 200), (10, 4.0, 300), (3, 2.0, 200), (5, 1.0, 1000), (60, 3.0, 700)]
)
@pytest.mark.parametrize("power", [0.5, 0.8])
def test_the_smallest_share_is_told_from_zero_as_often_as_promised(k, epsilon, n, power, people):
    question = choose.Item(n=n, epsilon=epsilon, k=k)
    for kind in ("GRR", "OUE", "SubsetSelection"):
        choice = next(one for one in question.rank() if one.kind == kind)
        share = choice.smallest_share(power=power, people=people)
        often = told_in(question, choice, share, people)
        if people:  # shares are whole people: one fewer would be too few
            assert often >= power > told_in(question, choice, share - 1 / n, people)
        else:
            assert often == pytest.approx(power, abs=1e-6)
        # the control: the share that is z of its own standard errors above zero, with power z more
        z = Z + NormalDist().inv_cdf(power)
        total = [question._total(choice.mechanism, people, f)["share"] for f in np.linspace(0, 1, 1001)]
        first = np.flatnonzero(np.linspace(0, 1, 1001) > z * np.sqrt(np.array(total) / n))[0] / 1000
        if (k, epsilon, kind) == (10, 6.0, "GRR"):
            assert abs(told_in(question, choice, first, people) - power) > 0.1


@pytest.mark.parametrize("sides", [1, 2])
def test_of_other_estimates_the_half_width_of_the_smallest_share_is_as_large_as_itself(sides):
    question = choose.Marginals(n=9000, epsilon=4.0, d=3, k=4)
    choice = next(one for one in question.rank() if one.kind == "BitFlip")
    share = choice.smallest_share(sides=sides)
    variance = question._total(choice.mechanism, False, share)["share"]
    z = NormalDist().inv_cdf(1 - 0.05 / sides)
    assert z * sqrt(variance / question.n) == pytest.approx(share, rel=1e-6)


COUNTED = [
    (choose.Pairs(n=3000, epsilon=2.0, d=4, m=2), Ratings(list("abcd"), -1, 1, 2, epsilon=2.0)),
    (choose.Marginals(n=3000, epsilon=1.0, d=4, k=2), YesNoTable(list("abcd"), epsilon=1.0)),
    (
        choose.Marginals(n=3000, epsilon=1.0, d=4, k=2),
        YesNoTable(list("abcd"), mechanism=HarmonyFrequency(sizes=(2,) * 4, epsilon=1.0)),
    ),
    (
        choose.Marginals(n=3000, epsilon=2.0, d=4, k=2),
        YesNoTable(list("abcd"), mechanism=Blocks(sizes=(2,) * 4, size=2, epsilon=2.0)),
    ),
]


@pytest.mark.parametrize("question, asked", COUNTED, ids=lambda x: "")
def test_the_smallest_share_is_told_from_zero_by_what_a_survey_prints(question, asked):
    """200 surveys by real clients: within 6 standard errors of the promise; false alarms below 1e-8.

    The control: a third of the share is told from zero in fewer.
    """
    rng, surveys = np.random.default_rng(2), 200
    m = asked.mechanism
    choice = next(one for one in question.rank() if type(one.mechanism) is type(m))
    share = replace(choice, mechanism=m).smallest_share(power=0.7)

    def often(f):
        told = 0
        for _ in range(surveys):
            held = rng.random(question.n) < f
            values = np.zeros((question.n, 4), np.int64)
            values[:, 0] = held
            if isinstance(asked, Ratings):
                user = np.flatnonzero(held)
                values = Records.from_arrays(user, np.zeros(len(user), np.int64), np.ones(len(user)), n=question.n)
            found = asked.estimate(m.tally(m.perturb(values, rng=rng)))
            told += (found.shares if isinstance(asked, Ratings) else found).low[0] > 0
        return told / surveys

    within = 6 * sqrt(0.7 * 0.3 / surveys)
    assert abs(often(share) - 0.7) < within
    assert often(share / 3) < 0.7 - within


def test_what_cannot_be_told_is_said():
    few = choose.Item(n=10, epsilon=0.01, k=4)
    with pytest.raises(
        ValueError, match="n must be larger, or epsilon, for any share to be told from zero, got 10, 0.01"
    ):
        few.smallest_share()
    for question in (choose.OneNumber(n=9, epsilon=1.0), choose.Distribution(n=9, epsilon=1.0, k=4)):
        with pytest.raises(ValueError, match="smallest_share must be asked about a share with a closed form, got "):
            question.smallest_share()
    matrix = ITEM.rank()[-1]
    for ask in (matrix.half_width, matrix.smallest_share, lambda: matrix.people_for(0.1)):
        with pytest.raises(ValueError, match="closed form"):
            ask()
    for ask in (replace(ITEM, bits=1).half_width, lambda: replace(ITEM, bits=1).epsilon_for(0.01)):
        with pytest.raises(
            ValueError, match="bits = 1, public_free = False, listed = True, .* shortest report has 6 bits"
        ):
            ask()


@pytest.mark.parametrize("ask", [choose.Question.people_for, choose.Question.epsilon_for])
@pytest.mark.parametrize("bad", [0, -1.0, nan, inf, "1", None, True, [0.1]])
def test_half_widths_are_positive_numbers(ask, bad):
    with pytest.raises(ValueError, match="half_width must be a positive number, got .*: 0.01 is ± 1 point of a share"):
        ask(ITEM, bad)


@pytest.mark.parametrize("question", [one for one in ASKED if not isinstance(one, choose.Vector)], ids=name)
def test_half_widths_of_shares_are_below_one(question):
    """Somebody who wants ± 1 point writes 1."""
    for ask in (question.people_for, question.epsilon_for, question.rank().best.people_for):
        with pytest.raises(ValueError, match="half_width must be below 1, .* got 1: 0.01 is ± 1 point"):
            ask(1)


def test_a_mean_may_have_any_half_width():
    pairs = choose.Pairs(n=9000, epsilon=1.0, d=3, m=1, low=0, high=100)
    assert pairs.people_for(pairs.half_width(of="mean"), of="mean") == 9000 and pairs.half_width(of="mean") > 1


# In the first two, the first mechanism of the ranking has not always the narrowest interval.
DIFFERENT = (
    choose.Vector(n=900, epsilon=2.0, d=3),
    choose.Pairs(n=9000, epsilon=1.0, d=10, m=3, share=0.8, low=1, high=5),
    choose.Item(n=20_000, epsilon=2.0, k=12, share=0.3),
)


@pytest.mark.parametrize("question", DIFFERENT, ids=name)
@pytest.mark.parametrize("people", [False, True])
def test_planning_is_by_the_best_mechanism_for_what_is_asked(question, people):
    usable = [one for one in question.rank() if not one.excluded]
    for of in usable[0].errors:
        how = {"of": of, "people": people}
        widths = [one.half_width(**how) for one in usable]
        wanted = 0.7 * min(widths)
        assert question.half_width(**how) == pytest.approx(min(widths), rel=1e-8)
        assert question.people_for(wanted, **how) == min(one.people_for(wanted, **how) for one in usable)
        assert question.best_for(**how).half_width(**how) == pytest.approx(min(widths), rel=1e-8)
        epsilon = question.epsilon_for(wanted, **how)
        for one in replace(question, epsilon=epsilon * (1 - 3e-6)).rank():
            assert one.excluded or one.half_width(**how) > wanted
    if hasattr(question, "share"):
        least = min(one.smallest_share(people=people) for one in usable)
        assert question.smallest_share(people=people) == pytest.approx(least, rel=1e-7)


def test_the_first_of_the_ranking_is_not_always_the_best():
    """The control."""
    number = choose.OneNumber(n=20_000, epsilon=1.0, low=18, high=67)
    first = number.rank().best
    assert number.people_for(1.0) == 10_798 < first.people_for(1.0) == 12_145 and first.name == "Hybrid"
    for question in DIFFERENT[:2]:
        best = question.rank().best
        assert {question.best_for(of=of, people=p).name for of in best.errors for p in (True, False)} != {best.name}


@pytest.mark.parametrize(
    ("argument", "values"),
    [
        ("level", [0, 1, 95, nan, "x", None, True]),
        ("of", ["mean", "", 3]),
        ("people", [1, None, "yes"]),
        ("together", [40, None, "yes"]),
        ("sides", [0, 3, True, None, "2"]),
        ("power", [0, 0.4, 1, nan, True, None, "0.8"]),
    ],
)
def test_other_arguments_are_checked(argument, values):
    best = ITEM.rank().best
    asks = {
        "half_width": (best.half_width, ITEM.half_width),
        "people_for": (lambda **how: best.people_for(0.01, **how), lambda **how: ITEM.people_for(0.01, **how)),
        "epsilon_for": (lambda **how: ITEM.epsilon_for(0.01, **how),),
        "smallest_share": (best.smallest_share, ITEM.smallest_share),
    }
    for kind, several in asks.items():
        if argument in inspect.signature(getattr(choose.Question, kind)).parameters:
            for ask in several:
                for bad in values:
                    with pytest.raises(ValueError, match=f"^{argument} must be"):
                        ask(**{argument: bad})


@pytest.mark.parametrize("kind", [choose.OneNumber, partial(choose.Vector, d=4), partial(choose.Pairs, d=4, m=1)])
@pytest.mark.parametrize(
    "low, high",
    [
        (np.int8(-128), np.int8(127)),
        (np.float16(-60000), np.float16(60000)),
        (np.float32(0), np.float32(1e30)),
        (np.int64(-(2**62)), np.int64(2**62 + 2**61)),
    ],
)
def test_ends_of_a_range_are_floats(kind, low, high):
    """Numpy's own types wrap, or are infinite, where their differences and squares are too large for them."""
    question, same = (kind(n=10, epsilon=1.0, low=a, high=b) for a, b in ((low, high), (float(low), float(high))))
    assert type(question.low) is type(question.high) is float
    assert question.half_width(of="mean") == same.half_width(of="mean") > 0
    with pytest.raises(ValueError, match="^high must be above low"):
        kind(n=10, epsilon=1.0, low=np.uint8(10), high=np.uint8(5))


@pytest.mark.parametrize("high", [1e-280, 1e-163, 1e-162, 1e160, 1e280])
def test_plans_do_not_depend_on_the_unit(high):
    """The squares of such numbers are no floats."""
    question, one = (choose.OneNumber(n=100, epsilon=3.0, low=0, high=x) for x in (high, 1))
    assert question.rank().best.name == one.rank().best.name
    assert question.half_width() / high == pytest.approx(one.half_width(), rel=1e-12)
    assert question.people_for(high / 10) == one.people_for(0.1)
    assert question.epsilon_for(high / 10) == pytest.approx(one.epsilon_for(0.1), rel=1e-5)
    assert type(Number(0, high, epsilon=3.0).mechanism) is type(Number(0, 1, epsilon=3.0).mechanism)


@pytest.mark.parametrize(
    "low, high",
    [(0, 10**400), (0, 5e-324), (0, 1e300), (-1.7e308, 1.7e308), (2**53, 2**53 + 1), (np.float32(0.1), 0.1)],
)
def test_ranges_beyond_floats_are_refused_with_what_they_are_as_floats(low, high):
    rule = "high must be above low, by 1e-290 to 1e.290, got low = .* as floats|high must be numbers that a float holds"
    with pytest.raises(ValueError, match=f"^({rule})"):
        choose.OneNumber(n=10, epsilon=1.0, low=low, high=high)


@pytest.mark.parametrize("question", [choose.OneNumber(n=10, epsilon=1.0), choose.Item(n=10, epsilon=1.0, k=4)])
@pytest.mark.parametrize("width", [10**400, 5e-324, np.longdouble("1e4000"), np.array([1, 2])])
def test_half_widths_beyond_floats_are_refused_by_name(question, width):
    for ask in (question.people_for, question.epsilon_for):
        with pytest.raises(ValueError, match="^half_width must be "):
            ask(width)


def test_a_level_that_is_refused_is_the_one_that_was_passed():
    for ask in (ITEM.half_width, ITEM.smallest_share, lambda level: ITEM.epsilon_for(0.01, level)):
        with pytest.raises(ValueError, match=r"^level must be .*1 − level as a float, got 1e-320$"):
            ask(1e-320)
    level = 1 - 2**-53  # of many entries at once, that of each is 1 as a float
    assert ITEM.half_width(level, together=True) > ITEM.half_width(level)
    with pytest.raises(ValueError, match=r"^level must be above 0.5 where an interval has one side, got 0.3$"):
        ITEM.smallest_share(0.3, sides=1)


# ------------------------------------------------------------------------------------------------------- rankings


def test_a_ranking_is_a_sequence():
    ranking = ITEM.rank()
    assert isinstance(ranking, Ranking) and len(ranking) == len(list(ranking)) == 15
    first, *_, last = ranking
    assert ranking[0] is first is ranking.best and ranking[-1] is last and last in ranking
    assert isinstance(ranking[:3], Ranking) and list(ranking[:3]) == [ranking[i] for i in range(3)]
    assert ranking == ITEM.rank() != replace(ITEM, epsilon=2.0).rank() and ranking.index(last) == 14
    with pytest.raises(IndexError):
        ranking[15]


def test_a_ranking_prints_what_it_holds():
    ranking = ITEM.rank()
    assert str(ranking) == repr(ranking)
    lines = str(ranking).splitlines()
    assert lines[0] == "Standard error of the share of an item, for 20,000 people at ε = 1;"
    assert max(map(len, lines)) <= 120
    rows = dict(zip([c.name for c in ranking], lines[4:], strict=False))
    assert rows["k-Subset"].split() == "k-Subset 1.323 2.611 1.00× 32 + 0 report and item yes".split()
    assert rows["wheel"].split() == "wheel 1.370 2.702 1.07× 2 + 96 report and item no".split()
    for one in ranking:
        assert (f"  {one.name}: {one.why}" in str(ranking)) == one.excluded
    assert "No mechanism is left." in str(replace(ITEM, bits=1).rank())
    assert "k-RR: a report has 6 bits, 1 are allowed (error 2.729)" in str(replace(ITEM, bits=1).rank())
    stars = str(choose.Pairs(n=200_000, epsilon=1.0, d=300, m=8, low=1, high=5).rank()).splitlines()
    assert stars[0].endswith("the mean of their values in [1, 5], for 200,000 people at ε = 1;")
    assert stars[3].split()[:8] == "mechanism share, points share × mean, points mean".split()


def test_a_ranking_prints_without_pandas():
    code = (
        "import sys; sys.modules['pandas'] = None; from ldpnb import choose\n"
        "ranking = choose.Item(n=20_000, epsilon=1.0, k=4).rank(); print(ranking)\n"
        "try: ranking.to_frame()\nexcept ImportError as error: print(error)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.endswith("to_frame needs pandas: install ldpnb with its extra, ldpnb[chapters]\n") and "k-RR" in told


def test_a_ranking_as_a_table():
    for question in (ITEM, ASKED[2]):
        ranking = question.rank()
        frame = ranking.to_frame()
        assert len(frame) == len(ranking)
        for choice, (_, row) in zip(ranking, frame.iterrows(), strict=True):
            for what in ("name", "error", "server", "listed", "excluded", "why", "code"):
                assert row[what] == getattr(choice, what)
            assert choice.private_bits is None or row["private_bits"] == choice.private_bits
            if choice.errors:
                assert row["error: share"] == choice.errors["share"] and row["half_width"] == choice.half_width()


# ----------------------------------------------------------------------------------------------- the line to copy


def test_the_line_of_python_makes_the_mechanism():
    names, seen = {}, set()
    exec("from ldpnb import *", names)
    for task, question in questions(every=41):
        for choice in choose.TASKS[task](**question).rank():
            seen.add(choice.kind)
            if choice.mechanism is None:
                assert choice.code == ""
            elif choice.kind in ("gfim", "ldpminer"):
                found = eval(choice.code, {choice.kind: lambda *args, **kw: (args, kw), "records": 1, "rng": 2})
                assert found == ((1,), choice.mechanism.keywords | {"rng": 2})
                assert getattr(ldpnb, choice.kind) is choice.mechanism.func
            else:
                assert eval(choice.code, names) == choice.mechanism and len(choice.code) < 150 or task == "distribution"
    assert {"GRR", "PrivKV", "IOH", "DrawnAttributes", "Hierarchy", "gfim"} <= seen


def test_the_line_of_python_is_short():
    assert ITEM.rank().best.code == "SubsetSelection(k=40, epsilon=1.0)"
    short = replace(ITEM, k=300, epsilon=3.0, bits=40).rank()
    sizes = [c.code for c in short if c.kind == "SubsetSelection"]
    assert sizes == ["SubsetSelection(k=300, epsilon=3.0, size=6)"]
    keys = choose.Correlation(n=9, epsilon=1.0, d=50).rank().best
    assert keys.code.startswith('PairSampling(keys=tuple(f"key {i}" for i in range(1, 51)), oracle=')
    table = choose.Crosstabs(n=9, epsilon=1.0, d=16, k=2).rank().best
    assert table.code == "Blocks(sizes=(2,) * 16, size=2, epsilon=1.0)"
    assert all(isclose(eval(c.code, vars(ldpnb) | {"GRR": GRR}).epsilon, 1.0) for c in ITEM.rank() if c.kind == "GRR")
