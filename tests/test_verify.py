"""Exact ε, bias, variance and distances of clients whose laws are known by hand."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest
from scipy.stats import binom, norm

from ldpnb import HarmonyFrequency, SampledGRR
from ldpnb.chance import TooManyBranches, bernoulli, pick, toss, uniform
from ldpnb.core import Tally, named
from ldpnb.keyvalue.states import StateEncoding
from ldpnb.numbers.many_numbers import MeanEst
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.olh import OLH
from ldpnb.oracles.unary import OUE, SUE
from ldpnb.records import Records
from ldpnb.strings.rappor import RAPPOR
from ldpnb.verify import (
    Sampled,
    Worst,
    distance,
    epsilon,
    keeps,
    laws,
    moments,
    one_person,
    prove,
    same_law,
    sampled,
    worst,
)

F = Fraction


def warner(p):
    """Return a client that tells the truth with probability p and lies otherwise."""
    return lambda x, rng: x if toss(p, rng) else 1 - x


def any_of(options):
    """Return a client that ignores its value."""
    return lambda x, rng: pick(options, rng)


# ---------------------------------------------------------------------------------------------------------- laws


def test_laws_of_a_plain_client():
    assert laws(warner(0.75), [0, 1]) == [{0: F(3, 4), 1: F(1, 4)}, {1: F(3, 4), 0: F(1, 4)}]
    assert laws(warner(0.75), np.array([1])) == [{1: F(3, 4), 0: F(1, 4)}]
    assert laws(warner(0.75), []) == []
    with pytest.raises(TooManyBranches, match="limit = 1 "):
        laws(warner(0.75), [0], limit=1)


def test_laws_of_a_mechanism_are_those_of_one_report():
    mechanism = GRR(k=3, epsilon=1.0)
    p, q = mechanism.support
    expected = [{y: p if y == x else q for y in range(3)} for x in range(3)]
    assert laws(mechanism, [0, 1, 2]) == laws(mechanism, np.arange(3)) == expected
    assert laws(mechanism, [2]) == [expected[2]]
    with pytest.raises(TooManyBranches, match="limit = 3 "):
        laws(mechanism, [0], limit=3)


def test_laws_of_a_mechanism_over_records():
    @dataclass(frozen=True, kw_only=True)
    class Size(GRR):
        """Reports how many keys a person has, by k-RR."""

        def perturb(self, values, *, rng):
            return super().perturb(values.sizes, rng=rng)

    assert laws(Size(k=3, epsilon=1.0), Records.of({5, 6}, set())) == laws(GRR(k=3, epsilon=1.0), [2, 0])


@pytest.mark.parametrize(
    ("inputs", "values"),
    [
        ([0, "a", (0, 1), {0: 0.5}, {1}, None], [0, "a", (0, 1), {0: 0.5}, {1}, None]),
        (range(2), [0, 1]),
        (np.array([1, 0]), [1, 0]),
        (np.array([0.5]), [0.5]),
        (np.array(["a", "b"], object), ["a", "b"]),
        (np.array([[1, 0], [2, 3]]), [(1, 0), (2, 3)]),
        (np.zeros((1, 2, 2), int), [((0, 0), (0, 0))]),
        (np.array([(1, 0.5)], [("level", int), ("t", float)]), [(1, 0.5)]),
        (Records.of({5: 0.5, 3: -1.0}, {}), [{3: -1.0, 5: 0.5}, {}]),
        (Records.of({5, 6}, set()), [frozenset({5, 6}), frozenset()]),
    ],
    ids=str,
)
def test_functions_get_plain_values(inputs, values):
    """Of the kind that is written by hand: no numpy scalars, no arrays, no Records."""
    seen = []
    laws(lambda x, rng: seen.append(x), inputs)
    seen = seen[:: len(seen) // len(values)]  # each is asked more than once, with a copy
    assert seen == values and list(map(type, seen)) == list(map(type, values))
    assert [type(y) for x in seen if isinstance(x, tuple) for y in x] == [
        type(y) for x in values if isinstance(x, tuple) for y in x
    ]


@pytest.mark.parametrize("inputs", [{0: 1.0}, {0, 1}, frozenset(), 3, iter([0, 1])], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("client", [any_of("ab"), GRR(k=3, epsilon=1.0)], ids=["function", "mechanism"])
def test_inputs_are_a_list(client, inputs):
    with pytest.raises(ValueError, match="inputs must be a list of values, one per person, got"):
        laws(client, inputs)
    with pytest.raises(ValueError, match="inputs must be a list of values, one per person, got"):
        moments(client, inputs, score=None if isinstance(client, GRR) else len)


def test_a_function_that_cannot_be_called_is_named():
    for client in (lambda x, *, rng: x, lambda x: x, lambda x, n, rng: x):
        with pytest.raises(TypeError, match=r"client must be callable as client\(value, rng\): "):
            laws(client, [0, 1])
        with pytest.raises(TypeError, match=r"client must be callable as client\(value, rng\): "):
            moments(client, [0, 1], score=len)


def test_a_mechanism_refuses_values_of_others_as_it_always_does():
    with pytest.raises(ValueError, match="values must be"):
        laws(GRR(k=3, epsilon=1.0), [{0}])
    with pytest.raises(ValueError, match="Records"):
        laws(StateEncoding(d=2, epsilon=1.0), [0])


def test_any_client_as_a_function_of_one_person():
    client, values = StateEncoding(d=2, epsilon=1.0), [{}, {0: 0.5, 1: -1.0}]
    assert laws(one_person(client), values) == laws(client, Records.of(*values)) == laws(client, values)
    assert one_person(OUE(k=3, epsilon=1.0))(2, np.random.default_rng(0)).shape == (3,)
    plain = any_of("ab")
    assert one_person(plain) is plain


# ------------------------------------------------------------------------------------------------------- exact ε

THREE = [
    {"a": F(1, 2), "b": F(1, 4), "c": F(1, 4)},
    {"a": F(1, 4), "b": F(1, 4), "c": F(1, 2)},
    {"a": F(1, 6), "b": F(1, 2), "c": F(1, 3)},
]


def test_worst_report_and_pair():
    assert worst(THREE) == Worst(F(3), (0, 2), "a")
    assert worst(THREE[::-1]) == Worst(F(3), (2, 0), "a")
    assert worst(THREE[:2]).ratio == 2 and worst(THREE[1:]).ratio == 2
    assert epsilon(THREE) == pytest.approx(log(3), rel=1e-15)
    # the ratio's own direction counts: half as likely is the same as twice as likely the other way round
    assert worst([{0: F(1, 10), 1: F(9, 10)}, {0: F(2, 10), 1: F(8, 10)}]) == Worst(F(2), (1, 0), 0)


def test_inputs_alike_show_nothing():
    assert worst([THREE[0]] * 3).ratio == 1
    assert epsilon([THREE[0]] * 2) == 0.0
    assert epsilon([{0: F(1)}, {0: F(1)}]) == 0.0


@pytest.mark.parametrize("where", [0, 1, 2])
def test_a_report_that_gives_an_input_away(where):
    given_away = [dict(one) for one in THREE]
    given_away[where]["d"] = F(1, 10**9)
    found = worst(given_away)
    assert found.ratio is None and found.report == "d"
    assert found.pair[0] == where != found.pair[1]
    assert found.epsilon == epsilon(given_away) == inf


def test_reports_that_nobody_sends_do_not_count():
    """As in laws written down from the rows of a matrix."""
    assert worst([{0: F(1, 3), 1: F(2, 3), 2: F(0)}, {0: F(2, 3), 1: F(1, 3), 2: F(0)}]) == Worst(F(2), (1, 0), 0)
    assert worst([{0: F(0), 1: F(1)}, {1: F(1)}]).ratio == 1


@pytest.mark.parametrize("one", [[], [{0: F(1)}]])
def test_one_input_has_no_epsilon(one):
    for judge in (worst, epsilon):
        with pytest.raises(ValueError, match=f"laws must be those of at least two inputs, got {len(one)}"):
            judge(one)


def test_epsilon_of_plain_clients():
    assert epsilon(laws(warner(0.75), [0, 1])) == pytest.approx(log(3), rel=1e-15)
    assert epsilon(laws(warner(1.0), [0, 1])) == inf
    assert epsilon(laws(any_of("xyz"), range(5))) == 0.0
    two = laws(lambda x, rng: [x ^ toss(0.25, rng), x ^ toss(0.25, rng)], [0, 1])
    assert worst(two).ratio == 9  # composition


# ------------------------------------------------------------------------------------------------ bias and variance


@dataclass(frozen=True, kw_only=True)
class Dice(GRR):
    """Sends the value plus a die and a coin of probability 1/4; the score of a report is its square and negative."""

    def perturb(self, values, *, rng):
        values = np.asarray(values)
        return values + uniform(3, values.shape, rng) + bernoulli(0.25, values.shape, rng)

    def tally(self, reports, items=None):
        return Tally(self, len(reports), np.array([np.sum(reports**2), np.sum(reports)]))

    def estimate(self, tally):
        return tally.counts * [1, -1] / tally.n


def test_moments_are_those_of_brute_force():
    mean, variance = moments(Dice(k=9, epsilon=1.0), np.array([0, 5]))
    for i, x in enumerate([0, 5]):
        outcomes = [(F(1, 3) * (F(1, 4) if c else F(3, 4)), x + d + c) for d in range(3) for c in (0, 1)]
        for j, score in enumerate((lambda y: y**2, lambda y: -y)):
            first = sum(p * score(y) for p, y in outcomes)
            second = sum(p * score(y) ** 2 for p, y in outcomes)
            assert mean[i, j] == pytest.approx(float(first), rel=1e-14)
            assert variance[i, j] == pytest.approx(float(second - first**2), rel=1e-13)
    assert mean.shape == variance.shape == (2, 2)


def test_moments_of_a_mechanism_are_its_statements():
    for mechanism in (SUE(k=3, epsilon=0.7), OLH(k=3, epsilon=1.0, prime=5)):
        mean, variance = moments(mechanism, [2, 0])
        np.testing.assert_allclose(mean, mechanism.expected([2, 0]), atol=1e-12)
        np.testing.assert_allclose(variance, mechanism.variance([2, 0]), rtol=1e-12)


def test_moments_hand_on_the_candidates():
    @dataclass(frozen=True, kw_only=True)
    class Open(GRR):
        """Counts only the candidates."""

        def tally(self, reports, items=None):
            whole = super().tally(reports)
            return Tally(self, whole.n, whole.counts[list(items)], tuple(items))

        def estimate(self, tally):
            return tally.counts / tally.n

    mechanism = Open(k=4, epsilon=1.0)
    mean, _ = moments(mechanism, [0], items=(3, 0))
    np.testing.assert_allclose(mean, [[float(mechanism.support[1]), float(mechanism.support[0])]], rtol=1e-14)


def test_moments_of_a_function_are_those_of_its_score():
    """Warner's, and the mechanism of the same law; a wrong score and a wrong client have other moments."""
    c, client = 1 / np.tanh(0.5), warner(exp(1) / (exp(1) + 1))

    def score(y):
        return (1 + c * (2 * y - 1)) / 2

    right = moments(client, [0, 1], score=score)
    np.testing.assert_allclose(right, [[0, 1], [(c**2 - 1) / 4] * 2], atol=1e-12)
    np.testing.assert_allclose(right, np.array(moments(GRR(k=2, epsilon=1.0), [0, 1]))[..., 1], atol=1e-12)
    for wrong in (moments(client, [0, 1], score=lambda y: y), moments(warner(0.7), [0, 1], score=score)):
        assert np.abs(np.subtract(wrong, right)).min() > 0.004


def test_scores_may_be_vectors_and_see_the_report_as_it_was_sent():
    inputs = [{0: 0.5}, {}]

    def client(record, rng):
        return {"key": int(toss(0.25, rng)), "sizes": np.array([len(record)])}

    mean, variance = moments(client, inputs, score=lambda report: [report["key"], *report["sizes"], 1.0])
    np.testing.assert_allclose(mean, [[0.25, 1, 1], [0.25, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(variance, [[3 / 16, 0, 0]] * 2, atol=1e-15)


def test_moments_of_plain_inputs_are_those_of_the_batch():
    mechanism, records = StateEncoding(d=2, epsilon=1.0), [{}, {0: 0.5, 1: -1.0}]
    np.testing.assert_array_equal(moments(mechanism, records), moments(mechanism, Records.of(*records)))


def test_a_function_needs_a_score_and_a_mechanism_has_its_own():
    for arguments in ({}, {"items": (0,)}, {"items": (0,), "score": len}):
        with pytest.raises(ValueError, match="score must be given for a function, and items only for a mechanism"):
            moments(any_of("ab"), [0], **arguments)
    with pytest.raises(ValueError, match="score must be left out for a mechanism"):
        moments(GRR(k=2, epsilon=1.0), [0], score=float)


# ------------------------------------------------------------------------------------- sampled bias and variance


@pytest.mark.parametrize(
    ("mechanism", "values", "items"),
    [
        (GRR(k=4, epsilon=1.0), [0, 3], None),
        (SUE(k=40, epsilon=1.0), np.array([3]), None),  # more different reports than are scored
        (OUE(k=3, epsilon=1.0), [1], None),  # the squared score of the own bit is constant
        (OLH(k=20, epsilon=1.0), [3, 5], None),
        (MeanEst(d=3, epsilon=1.0), [[1.0, 0.5, -0.3]], None),
        (StateEncoding(d=5, epsilon=1.0), Records.of({0: 0.5, 1: -1.0}, {}), None),
        (RAPPOR(bits=8, hashes=1, cohorts=2, f=0.5, p=0.25, q=0.75), ["a"], ("a", "b", "c")),
    ],
    ids=str,
)
def test_sampled_moments_of_right_mechanisms(mechanism, values, items):
    found = sampled(mechanism, values, reports=30_000, rng=np.random.default_rng(1), items=items)
    assert found.unbiased and found.variance_right
    assert 0 < found.bias < found.limit and 0 < found.variance < found.limit
    targets = mechanism.expected(values, *named(items)).size
    assert 4 * targets * norm.sf(found.limit) == pytest.approx(1e-9)


@dataclass(frozen=True, kw_only=True)
class Off(SUE):
    """Unary encoding whose estimate, noise or client is off, in the last item alone."""

    shift: float = 0.0
    share: float = 1.0
    lazy: float = 0.0

    def perturb(self, values, *, rng):
        bits = super().perturb(values, rng=rng)
        bits[bernoulli(self.lazy, (len(bits),), rng), -1] = False
        return bits

    def estimate(self, tally):
        return super().estimate(tally) + self.shift * (np.arange(self.k) == self.k - 1)

    def variance(self, values, items=None):
        return super().variance(values) * np.where(np.arange(self.k) == self.k - 1, self.share, 1.0)


@pytest.mark.parametrize("k", [4, 64])  # reports that come back, and reports that do not
@pytest.mark.parametrize(
    ("mistake", "unbiased", "variance_right"),
    [
        ({}, True, True),
        ({"shift": 0.1}, False, True),
        ({"shift": -0.1}, False, True),
        ({"share": 1.05}, True, False),
        ({"share": 0.95}, True, False),
        ({"lazy": 0.1}, False, False),
    ],
    ids=str,
)
def test_sampled_moments_of_wrong_mechanisms(k, mistake, unbiased, variance_right):
    found = sampled(Off(k=k, epsilon=1.0, **mistake), [0, 1], reports=50_000, rng=np.random.default_rng(2))
    assert (found.unbiased, found.variance_right) == (unbiased, variance_right)


@dataclass(frozen=True, kw_only=True)
class Certain(Dice):
    """Sends two shifted copies of the value, the second of which the stated noise says nothing about."""

    slip: float = 0.0

    def tally(self, reports, items=None):
        return Tally(self, len(reports), np.array([np.sum(reports), len(reports)]))

    def estimate(self, tally):
        return tally.counts / tally.n + [0, self.slip]

    def expected(self, values, items=None):
        return np.stack([np.asarray(values) + 1.25, np.ones(len(values))], 1)

    def variance(self, values, items=None):
        return np.stack([np.full(len(values), 2 / 3 + 3 / 16), np.zeros(len(values))], 1)


def test_coordinates_without_noise_have_to_be_right():
    for slip, right in ((0.0, True), (1e-6, False)):
        found = sampled(Certain(k=9, epsilon=1.0, slip=slip), [4], reports=5000, rng=np.random.default_rng(3))
        assert found.unbiased is right


def test_one_report_that_all_send_is_enough():
    found = sampled(GRR(k=2, epsilon=32.0), [0], reports=1000, rng=np.random.default_rng(0))
    assert found.unbiased


@pytest.mark.slow
def test_sampled_checks_raise_their_stated_share_of_alarms():
    """Three hundred runs at 0.1, against a binomial test at 1e-9."""
    mechanism, runs = GRR(k=3, epsilon=1.0), 300
    alarms = 0
    for seed in range(runs):
        found = sampled(mechanism, [0], reports=2000, rng=np.random.default_rng(seed), alarm=0.1)
        alarms += not (found.unbiased and found.variance_right)
    assert 0 < alarms <= binom.isf(1e-9, runs, 0.1)


def test_sampled_limits_count():
    assert Sampled(bias=2.0, variance=1.0, limit=2.0).unbiased and not Sampled(2.1, 1.0, 2.0).unbiased
    assert Sampled(bias=2.0, variance=2.0, limit=2.0).variance_right and not Sampled(1.0, 2.1, 2.0).variance_right
    assert not Sampled(np.nan, 0.0, 2.0).unbiased  # a mechanism that states nonsense


def test_bad_arguments_of_sampled_checks_are_refused():
    good = {"mechanism": GRR(k=3, epsilon=1.0), "values": [0], "reports": 1000, "rng": np.random.default_rng(0)}
    for bad, message in (
        ({"reports": 999}, "reports must be an integer, at least 1000, got 999"),
        ({"values": []}, "values must hold at least one person, got none"),
        ({"values": [3]}, r"values must be integers in \[0, 3\), got 3"),
        ({"alarm": 0}, r"alarm must be in \(0, 1/2\], got 0"),
        ({"alarm": 0.6}, r"alarm must be in \(0, 1/2\], got 0.6"),
        ({"alarm": None}, "alarm must be a probability"),
        ({"rng": 1}, "rng must be a numpy.random.Generator"),
    ):
        with pytest.raises(ValueError, match=message):
            sampled(**{**good, **bad})


# -------------------------------------------------------------------------------------------------- distances


def test_distance():
    assert distance(warner(0.75), warner(0.75), [0, 1]) == 0
    assert distance(warner(0.75), warner(0.5), [0, 1]) == F(1, 4)
    assert distance(warner(0.5), warner(0.75), [0]) == F(1, 4)
    assert distance(any_of("ab"), any_of("xyz"), [0]) == 1  # nothing in common
    assert distance(any_of("ab"), any_of("abcd"), [0]) == F(1, 2)
    assert distance(any_of("abcd"), any_of("ab"), [0]) == F(1, 2)
    # the worst input counts, wherever it stands
    for inputs in ([0, 1, 2], [2, 1, 0]):
        assert distance(any_of("abcd"), lambda x, rng: pick("abcdefgh"[: 4 + x], rng), inputs) == F(1, 3)


def test_same_law():
    third, rounded = 1 / 3, 1 / 3 + 2.0**-50
    assert same_law(warner(third), warner(rounded), [0, 1])
    assert not same_law(warner(third), warner(rounded), [0, 1], tolerance=0)
    assert not same_law(warner(0.75), warner(0.75 + 2.0**-39), [0, 1])
    assert same_law(warner(0.75), warner(0.75 + 2.0**-40), [0, 1])  # at the border
    with pytest.raises(TooManyBranches):
        same_law(warner(0.75), warner(0.75), [0, 1], limit=1)
    with pytest.raises(ValueError):
        same_law(warner(0.75), warner(0.5), [])  # no input, no statement


def test_inline_clients_have_the_law_of_the_package():
    """How a chapter ties its ten lines to the package, and how a slip in them is seen."""
    mechanism = GRR(k=4, epsilon=1.0)

    def client(x, rng):
        return x if toss(mechanism.keep, rng) else pick(range(4), rng)

    def slip(x, rng):
        return x if toss(mechanism.keep, rng) else pick([y for y in range(4) if y != x], rng)

    assert same_law(client, mechanism, range(4), tolerance=0)
    assert not same_law(slip, mechanism, range(4))

    unary = SUE(k=3, epsilon=1.0)
    p, q = (float(x) for x in unary.support)
    assert same_law(unary, lambda x, rng: [toss(p if v == x else q, rng) for v in range(3)], [0, 1, 2], tolerance=0)
    assert not same_law(unary, lambda x, rng: [toss(q if v == x else p, rng) for v in range(3)], [0, 1, 2])


def state_encoding(record, d, epsilon, rng):
    """A key drawn in public, and k-RR of its state: 1 if it is absent, and 0 or 2 by the rounded sign."""
    key = pick(range(d), rng)
    state = 1 if key not in record else 2 if toss((1 + record[key]) / 2, rng) else 0
    return key, state if toss((exp(epsilon) - 1) / (exp(epsilon) + 2), rng) else pick(range(3), rng)


@pytest.mark.parametrize("batch", [list, lambda people: Records.of(*people)], ids=["list", "Records"])
def test_one_list_of_inputs_serves_both_kinds_of_clients(batch):
    """Here dicts, below sets and rows; the control is a function that differs a little."""
    people = batch([{}, {0: 1.0}, {0: -0.25, 1: 1.0}])
    mechanism = StateEncoding(d=2, epsilon=1.0)
    for epsilon_, same in ((1.0, True), (1.01, False)):
        assert same_law(lambda record, rng, e=epsilon_: state_encoding(record, 2, e, rng), mechanism, people) is same
        assert same_law(mechanism, lambda record, rng, e=epsilon_: state_encoding(record, 2, e, rng), people) is same


@pytest.mark.parametrize("batch", [list, lambda people: Records.of(*people)], ids=["list", "Records"])
def test_sets_serve_both_kinds(batch):
    mechanism, people = SampledGRR(d=2, ell=2, epsilon=1.0), batch([set(), {1}, {0, 1}])

    def sampled_krr(items, rng, epsilon=1.0):
        mine = pick([*sorted(items), *range(2, 4 - len(items))], rng)
        odds = 1 + 2 * (exp(epsilon) - 1)
        return mine if toss(odds / (odds + 3), rng) else pick([y for y in range(4) if y != mine], rng)

    assert same_law(sampled_krr, mechanism, people)
    assert not same_law(lambda items, rng: sampled_krr(items, rng, 1.01), mechanism, people)


@pytest.mark.parametrize(
    "rows", [[(0, 1), (2, 2)], [[0, 1], [2, 2]], np.array([[0, 1], [2, 2]])], ids=["tuples", "lists", "array"]
)
def test_rows_of_attributes_serve_both_kinds(rows):
    mechanism = HarmonyFrequency(sizes=(3, 3), epsilon=1.0)

    def harmony(x, rng, epsilon=1.0):
        j, row = pick((0, 1), rng), pick(range(4), rng)
        minus = (row & x[j]).bit_count() % 2 == 1
        return j, row, minus == toss(exp(epsilon) / (exp(epsilon) + 1), rng)

    assert same_law(harmony, mechanism, rows)
    assert not same_law(lambda x, rng: harmony(x, rng, 1.01), mechanism, rows)
    assert not same_law(lambda x, rng: harmony(x[::-1], rng), mechanism, rows)


# ----------------------------------------------------------------------------------------- what laws must not miss


def test_a_second_report_for_one_person_is_no_law():
    class Twice(GRR):
        def perturb(self, values, *, rng):
            return np.concatenate([super().perturb(values, rng=rng), np.asarray(values)])

    twice = Twice(k=3, epsilon=1.0)
    for use in (laws, moments, lambda m, x: laws(one_person(m), [0, 1])):
        with pytest.raises(ValueError, match="client must return one report a person, got 2 of one"):
            use(twice, np.arange(3))


ROW = [("y", "i8")]
BATCHES = {
    "byte order": (lambda x, reports: reports.astype((">i8", "<i8")[x]), "arrays of one dtype, got one of >i8 and one"),
    "alignment": (lambda x, reports: reports.astype(np.dtype(ROW, align=bool(x))), "arrays of one dtype, got one of"),
    "notes": (lambda x, reports: reports.astype(np.dtype("i8", metadata={"by": x})), "dtype has no metadata"),
    "another class": (lambda x, reports: reports.view((np.ndarray, np.matrix)[x]).reshape(-1), "must return plain arr"),
    "a list": (lambda x, reports: [*reports] if x else reports, "reports in one form, got ndarray and list"),
    "a tuple": (lambda x, reports: (list, tuple)[x](reports), "reports in one form, got list and tuple"),
    "what may be written to": (lambda x, reports: locked(reports, x), "may be written to .*: return ….copy"),
    "an attribute": (lambda x, reports: Listed(reports, x), "as 0 and as 1, .* in place of each Listed"),
    "a class of its own": (lambda x, reports: Boxed(reports, x), "must return plain values or arrays to have a law"),
}


def locked(reports, x):
    reports.flags.writeable = not x
    return reports


class Listed(list):
    """A list that says more than what it holds."""

    def __init__(self, reports, x):
        super().__init__(reports.tolist())
        self.more = x


class Boxed:
    """Looks like an array of reports, and says more."""

    def __init__(self, reports, x):
        self.reports, self.more = reports, x

    def __len__(self):
        return len(self.reports)

    def __getitem__(self, i):
        return self.reports[i]


@pytest.mark.parametrize("name", BATCHES)
def test_an_array_of_one_report_tells_nothing_by_its_form(name):
    """A row alone is the same: the law of rows has ε = 1, and who gets the array knows the value."""
    change, said = BATCHES[name]

    class Batch(GRR):
        def perturb(self, values, *, rng):
            return change(int(np.asarray(values)[0]), super().perturb(values, rng=rng))

    for what in (laws, prove):
        with pytest.raises(ValueError, match=said):
            what(Batch(k=2, epsilon=1.0), [0, 1])


def test_moments_see_randomness_from_elsewhere():
    class Own(GRR):
        def perturb(self, values, *, rng):
            return super().perturb(values, rng=np.random.default_rng())

    with pytest.raises(ValueError, match="did not repeat itself: some of its randomness does not come from chance"):
        moments(Own(k=3, epsilon=1.0), np.array([0]))


def test_a_client_that_changes_its_input_is_judged_rightly():
    """Flipping in place keeps ε = 1 for two entries; popping the value and sending it tells all."""

    def flips(x, rng):
        for i in range(2):
            if toss(1 / (1 + exp(0.5)), rng):
                x[i] *= -1
        return x

    assert epsilon(laws(flips, [[1.0, 1.0], [-1.0, -1.0]])) == pytest.approx(1.0, abs=1e-12)
    assert epsilon(laws(lambda x, rng: x.pop() if x else 0, [[0], [1]])) == inf

    class Clears(GRR):
        def perturb(self, values, *, rng):
            reports = super().perturb(values, rng=rng)
            values[...] = 0
            return reports

    people = np.arange(3)
    assert epsilon(laws(Clears(k=3, epsilon=1.0), people)) == pytest.approx(1.0) and people.tolist() == [0, 1, 2]


def test_right_clients_keep_what_they_state():
    """Thresholds that are the nearest floats exceed every other ε, by 1e-12 at most; a wrong one does by more."""
    over = 0
    for i in range(1, 101):
        stated = i / 20
        p = exp(stated) / (1 + exp(stated))
        found = laws(lambda x, rng, p=p: x if toss(p, rng) else 1 - x, [0, 1])
        over += epsilon(found) > stated
        assert keeps(found, stated) and not keeps(found, stated * (1 - 1e-9))
    assert over > 20
    assert not keeps(laws(lambda x, rng: x, [0, 1]), 5.0)
    for wrong in (0, -1, inf, "1"):
        with pytest.raises(ValueError, match="stated must be a finite number"):
            keeps(found, wrong)


class LittleNoise(GRR):
    """Unbiased, with a tenth of its noise stated."""

    def variance(self, values):
        return super().variance(values) / 12


@pytest.mark.parametrize("reports", [1000, 20_000])
def test_a_wrong_noise_is_not_taken_for_a_bias(reports):
    """The mean is too far by the stated noise, and not by the noise that there is: false alarms 1e-9."""
    values = np.arange(3)
    found = sampled(LittleNoise(k=128, epsilon=1.0), values, reports=reports, rng=np.random.default_rng(1))
    assert found.unbiased and not found.variance_right
    right = sampled(GRR(k=128, epsilon=1.0), values, reports=20_000, rng=np.random.default_rng(1))
    assert right.unbiased and right.variance_right
