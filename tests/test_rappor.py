from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from itertools import combinations, count
from math import exp, log

import numpy as np
import pytest
from contract import Contract
from scipy.stats import chi2

from ldpnb.chance import binomial, log as exact_log, log_up, odds, pick, round_up, scatter, toss, uniform
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN, HASHES_MAX
from ldpnb.core import Example, Kept, Tally
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.unary import SUE
from ldpnb.strings.hashed import position
from ldpnb.strings.rappor import ORR, RAPPOR, _power, one_time
from ldpnb.verify import epsilon, laws, moments, same_law, worst

SMALL = dict(bits=2, hashes=1, cohorts=2, f=0.4, p=0.5, q=0.75)
SLOTS = dict(k=3, cohorts=2, epsilon=1.0)


def far_apart(mechanism, number, kind=int):
    """The first values whose filters have h bits each and none in common in some cohort, and are independent in all.

    Two values attain the stated ε only if such a cohort exists; candidates can be told apart only if independent.
    """
    for last in count(number - 1):
        for some in combinations(range(last), number - 1):
            items = np.array([*some, last]).astype(kind)
            filters = mechanism.filters(items)
            full = (filters[:2].sum(-1) == mechanism.hashes).all(0) & ~filters[:2].all(0).any(-1)
            if full.any() and np.linalg.matrix_rank(filters.reshape(number, -1).astype(float)) == number:
                return items


def case(mechanism, number=2, kind=int, outside=1, **more):
    """Candidates that can be told apart, and values: theirs and some from outside."""
    items = far_apart(mechanism, number, kind)
    others = np.array([f"x{i}" if kind is str else 1000 + i for i in range(outside)], items.dtype)
    return Example(mechanism, np.concatenate([items, others]), items=tuple(items.tolist()), histogram=True, **more)


class TestRAPPOR(Contract):
    cases = [  # two people in three cohorts, and in one with coins of both kinds
        *(replace(example, pairs=example.pairs and example.mechanism.bits > 2) for example in RAPPOR.example()),
        case(RAPPOR(bits=2, hashes=1, cohorts=1, f=0.37, p=0.1, q=0.8), kind=str),
        case(one_time(bits=2, hashes=1, cohorts=3, epsilon=1.5), number=3),
        case(one_time(bits=4, hashes=2, cohorts=2, epsilon=0.5), pairs=False),
    ]
    bad_values = [[0.5], [np.nan], [True], [None], [[0]], 0, "abc", [b"a"], [1, 2.5], ["a", ["b"]], {1, 2}, [1j]]
    bad_reports = [
        *(np.zeros((2, 3)), np.zeros(2, bool), "abc", [[0, 1]]),
        np.zeros((1, 1), RAPPOR(**SMALL).dtype),
        np.zeros(1, replace(RAPPOR(**SMALL), bits=3).dtype),
        *(np.array([(c, (0, 1))], RAPPOR(**SMALL).dtype) for c in (2, -1)),
    ]


class TestORR(Contract):
    cases = [
        *ORR.example(),
        case(ORR(k=2, cohorts=1, epsilon=0.5), kind=str),
        case(ORR(k=4, cohorts=2, epsilon=20.0), number=6, outside=2),
    ]
    bad_values = TestRAPPOR.bad_values
    bad_reports = [
        *(np.zeros((2, 2)), np.zeros(2, int), "abc", [[0, 1]]),
        np.zeros((1, 1), ORR(**SLOTS).dtype),
        np.zeros(1, RAPPOR(**SMALL).dtype),
        *(np.array([row], ORR(**SLOTS).dtype) for row in ((2, 0), (-1, 0), (0, 3), (0, -1))),
    ]


# ---------------------------------------------------------------------------------------------------------- privacy


@pytest.mark.parametrize(
    "f, p, q", [(0.5, 0.5, 0.75), (1e-9, 0, 1), (0.1, 0.3, 0.9), (0.99, 1 / 3, 2 / 3), (0.7, 0, 0.2)]
)
@pytest.mark.parametrize("h", [1, 2, 8])
def test_rounding_never_costs_privacy(f, p, q, h):
    mechanism = RAPPOR(bits=16, hashes=h, cohorts=4, f=f, p=p, q=q)
    star_q, star_p = f / 2 * (p + q) + (1 - f) * q, f / 2 * (p + q) + (1 - f) * p
    assert mechanism.epsilon == pytest.approx(h * log(star_q * (1 - star_p) / (star_p * (1 - star_q))), rel=1e-6)
    assert mechanism.lifetime_epsilon == pytest.approx(2 * h * log((1 - f / 2) / (f / 2)), rel=1e-12)
    assert mechanism.epsilon <= mechanism.lifetime_epsilon
    assert mechanism.epsilon * (1 - 1e-6) <= mechanism.realised_epsilon <= mechanism.epsilon


def test_shared_bits_protect():
    """The stated ε is a bound: two values that share a bit in every cohort show half of it."""
    mechanism = RAPPOR(bits=3, hashes=2, cohorts=1, f=0.5, p=0.5, q=0.75)
    ids = np.arange(200)
    filters = mechanism.filters(ids)[:, 0]
    two = [i for i in ids if filters[i].sum() == 2]
    other = next(i for i in two if (filters[i] & filters[two[0]]).sum() == 1)
    assert epsilon(laws(mechanism, np.array([two[0], other]))) == pytest.approx(mechanism.epsilon / 2, rel=1e-12)
    same = next(i for i in two[1:] if (filters[i] == filters[two[0]]).all())
    assert epsilon(laws(mechanism, np.array([two[0], same]))) == 0


def kept(mechanism, times):
    """One person's reports from one permanent response."""

    def client(value, rng):
        state = mechanism.memoise([value], rng=rng)
        return [mechanism.respond(state, rng=rng)[0] for _ in range(times)]

    return client


def fresh(mechanism, times):
    """The same without a memory: the control."""
    return lambda value, rng: [mechanism.perturb([value], rng=rng)[0] for _ in range(times)]


def by_bits(mechanism, times):
    """ε of several reports from one permanent response, over all numbers of ones that a bit can show, in fractions."""
    flip, p, q = Fraction(mechanism.f) / 2, Fraction(mechanism.p), Fraction(mechanism.q)
    ratio = []
    for t in range(times + 1):
        one, zero = q**t * (1 - q) ** (times - t), p**t * (1 - p) ** (times - t)
        if one or zero:
            ratio.append(((1 - flip) * one + flip * zero) / (flip * one + (1 - flip) * zero))
    return exact_log((max(ratio) / min(ratio)) ** mechanism.hashes)


@pytest.mark.slow
@pytest.mark.parametrize(
    "h, bits, times, expected",
    [(1, 2, 1, 1.074 / 2), (1, 2, 2, 2.017 / 2), (1, 2, 3, None), (2, 4, 1, 1.074), (2, 4, 2, 2.017)],
)
def test_epsilon_of_several_reports(h, bits, times, expected):
    mechanism = RAPPOR(bits=bits, hashes=h, cohorts=1, f=0.5, p=0.5, q=0.75)
    two = far_apart(mechanism, 2).tolist()
    found = worst(laws(kept(mechanism, times), two))
    assert found.epsilon == pytest.approx(mechanism.exposure(times), rel=1e-12)
    assert found.ratio <= odds(mechanism.exposure(times))
    assert expected is None or found.epsilon == pytest.approx(expected, abs=6e-4)
    assert found.ratio < odds(mechanism.lifetime_epsilon)
    if (
        h == 1 and times < 3
    ):  # without a memory every report costs as much as the first, and the stated exposure is not kept
        without = worst(laws(fresh(mechanism, times), two))
        assert without.epsilon == pytest.approx(times * mechanism.epsilon, rel=1e-12)
        assert times == 1 or without.ratio > odds(mechanism.exposure(times))


def test_lifetime_is_never_exceeded():
    """The permanent response bounds all reports, and many of them come close; without a memory two pass it."""
    mechanism = RAPPOR(bits=2, hashes=1, cohorts=2, f=0.5, p=0.125, q=0.875)
    two = far_apart(mechanism, 2).tolist()
    permanent = laws(lambda value, rng: mechanism.memoise([value], rng=rng).rows[0], two)
    assert worst(permanent).ratio <= odds(mechanism.lifetime_epsilon)
    assert epsilon(permanent) == pytest.approx(mechanism.lifetime_epsilon, rel=1e-14)
    assert epsilon(laws(kept(mechanism, 2), two)) < mechanism.lifetime_epsilon
    assert epsilon(laws(fresh(mechanism, 2), two)) > mechanism.lifetime_epsilon


@pytest.mark.parametrize(
    "f, p, q", [(0.5, 0.5, 0.75), (0.53, 0.47, 0.73), (0.1, 0, 0.9), (0.9, 0.2, 1), (0.3, 0, 1), (1e-9, 0.1, 0.6)]
)
@pytest.mark.parametrize("h", [1, 3])
def test_exposure_grows_from_one_report_to_a_lifetime(f, p, q, h):
    mechanism = RAPPOR(bits=8, hashes=h, cohorts=2, f=f, p=p, q=q)
    exposure = [mechanism.exposure(times) for times in (1, 2, 3, 4, 10, 2000)]
    assert exposure[0] == mechanism.epsilon and exposure == sorted(exposure)
    np.testing.assert_allclose(exposure[:5], [by_bits(mechanism, times) for times in (1, 2, 3, 4, 10)], rtol=1e-15)
    assert exposure[-1] == mechanism.lifetime_epsilon
    for times, found in zip((2, 3, 4, 10), exposure[1:], strict=False):
        if (p, q) == (0, 1):  # all reports are the permanent response
            assert found == mechanism.epsilon
        else:
            assert mechanism.epsilon < found < times * mechanism.epsilon


def test_exposure_of_a_noisy_year():
    """The curve at h = 2, to three decimals; far out, and with an f that only just is one, it stays exact."""
    mechanism = RAPPOR(bits=6, hashes=2, cohorts=1, f=0.5, p=0.5, q=0.75)
    found = [round(mechanism.exposure(times), 3) for times in (1, 2, 5, 20, 100)]
    assert found == [1.074, 2.017, 3.656, 4.393, 4.394]
    tiny = replace(mechanism, f=1e-300)
    for times in (2, 50, 3000):
        assert tiny.exposure(times) == pytest.approx(by_bits(tiny, times) if times < 100 else tiny.lifetime_epsilon)


@pytest.mark.parametrize("f, p, q", [(0.5, 0.25, 0.75), (0.3, 0.1, 0.7), (1e-300, 0.1, 0.6), (0.9, 1e-300, 1e-9)])
def test_exposure_is_that_of_whole_powers(f, p, q):
    """Powers are cut while they are squared: that can only add to ε, and adds nothing that a float shows."""
    mechanism, flip, (p, q) = RAPPOR(bits=8, hashes=1, cohorts=2, f=f, p=p, q=q), Fraction(f) / 2, map(Fraction, (p, q))
    for times in (1, 2, 3, 7, 64, 201):
        ratio = Fraction(1)
        for base in (p / q, (1 - q) / (1 - p)):
            power = base**times
            assert power - Fraction(1, 2**1200) < _power(base, times) <= power
            ratio *= (1 - flip + flip * power) / (flip + (1 - flip) * power)
        assert mechanism.exposure(times) == log_up(ratio)
    assert mechanism.exposure(2**63 - 1) == mechanism.lifetime_epsilon


@pytest.mark.parametrize("h", [1, 2, 8])
@pytest.mark.parametrize("eps", [EPSILON_MIN, 0.01, 1 / 3, 1, log(3), 5, 20, EPSILON_MAX])
def test_one_time_spends_what_it_may(eps, h):
    mechanism = one_time(bits=16, hashes=h, cohorts=4, epsilon=eps)
    assert mechanism.epsilon == mechanism.lifetime_epsilon == mechanism.exposure(5)
    assert mechanism.epsilon * (1 - 4e-16) <= mechanism.realised_epsilon <= mechanism.epsilon
    # the flip is rounded by at most 2**-53, and ε = 2h ln(1/flip − 1) changes by 2h/(flip (1 − flip)) times that
    slack = 2 * h * 2.0**-53 / float(mechanism.flip * (1 - mechanism.flip)) + 4e-16 * eps
    assert eps - slack <= mechanism.epsilon <= eps
    assert mechanism.f == pytest.approx(2 / (1 + exp(eps / (2 * h))), rel=1e-8)
    if h == 1:  # the probabilities of a bit for every item
        assert mechanism.support == SUE(k=4, epsilon=eps).support


def test_slots_show_what_they_may():
    """Two values in different slots of some cohort attain ε, others show nothing; the joint law has a factor 1/C."""
    mechanism = ORR(k=3, cohorts=2, epsilon=1.0)
    slots = mechanism.filters(range(200)).argmax(-1)
    twin = next(i for i in range(1, 200) if (slots[i] == slots[0]).all())
    half = next(i for i in range(1, 200) if (slots[i] == slots[0]).sum() == 1)
    assert epsilon(laws(mechanism, np.array([0, twin]))) == 0
    assert epsilon(laws(mechanism, np.array([0, half]))) == pytest.approx(1, rel=1e-12)
    for (cohort, slot), chance in laws(mechanism, np.array([0]))[0].items():
        assert float(chance) == pytest.approx((exp(1) if slots[0, cohort] == slot else 1) / (2 * (2 + exp(1))))


# ------------------------------------------------------------------------------------------------ client and server


def test_client_is_the_one_for_one_person():
    mechanism = RAPPOR(bits=3, hashes=2, cohorts=2, f=0.3, p=0.2, q=0.7)

    def client(value, rng, f=0.3):
        cohort = int(uniform(2, (), rng))
        bloom = {position(value, cohort, number, 3) for number in range(2)}
        report = []
        for bit in range(3):
            permanent = (bit in bloom) != toss(f / 2, rng)
            report.append(toss(0.7 if permanent else 0.2, rng))
        return cohort, report

    package = lambda value, rng: mechanism.perturb([value], rng=rng)[0]  # noqa: E731
    assert same_law(client, package, ["a", 7])
    assert not same_law(lambda value, rng: client(value, rng, f=0.31), package, ["a", 7])


def test_client_of_slots_is_the_one_for_one_person():
    mechanism = ORR(k=3, cohorts=2, epsilon=1.0)

    def client(value, rng, epsilon=1.0):
        cohort = int(uniform(2, (), rng))
        slot = position(value, cohort, 0, 3)
        truly = exp(epsilon) / (exp(epsilon) + 2)
        return cohort, slot if toss(truly, rng) else pick([other for other in range(3) if other != slot], rng)

    package = lambda value, rng: mechanism.perturb([value], rng=rng)[0]  # noqa: E731
    assert same_law(client, package, ["a", 7])
    assert not same_law(partial(client, epsilon=1.01), package, ["a", 7])


def test_positions_are_the_same_everywhere_and_spread():
    assert [position("rappor", 0, 0, 128), position("隐私", 3, 1, 128), position(7, 0, 0, 128)] == [31, 113, 125]
    assert position("7", 0, 0, 2**40) != position(7, 0, 0, 2**40)
    assert len({position("v", c, j, 2**40) for c in range(16) for j in range(16)}) == 256
    hits = np.bincount([position(i, c, j, 16) for i in range(500) for c in range(4) for j in range(2)], minlength=16)
    assert ((hits - 250) ** 2 / 250).sum() < 90  # chi-square, 15 degrees of freedom: 1e-12


@pytest.mark.parametrize("values", [[3, 1, 3], (3, 1, 3), np.array([3, 1, 3], np.uint8), list(np.array([3, 1, 3]))])
def test_values_may_come_in_any_container(values):
    mechanism = RAPPOR(**SMALL)
    want = mechanism.perturb(np.array([3, 1, 3]), rng=np.random.default_rng(0))
    assert np.array_equal(mechanism.perturb(values, rng=np.random.default_rng(0)), want)


def test_a_person_keeps_cohort_and_permanent_response():
    mechanism, rng = RAPPOR(bits=8, hashes=2, cohorts=4, f=0.5, p=0, q=1), np.random.default_rng(0)
    state = mechanism.memoise(["a", "b"] * 50, rng=rng)
    reports = mechanism.respond(state, rng=rng)
    assert len(state) == 100 and state.mechanism is mechanism
    assert np.array_equal(reports["cohort"], state.rows["cohort"])
    assert np.array_equal(reports["bits"], state.rows["permanent"])  # p = 0, q = 1: no instantaneous noise
    assert set(state.rows["cohort"].tolist()) == {0, 1, 2, 3}


def test_value_outside_the_candidates_contributes_its_own_row():
    """Exact mean of the score is X⁺ x, which is neither one-hot nor zero; the whole X⁺ y agrees with least squares."""
    mechanism = RAPPOR(bits=3, hashes=1, cohorts=2, f=0.3, p=0, q=1)
    items = far_apart(mechanism, 3)
    x = mechanism.filters(items).reshape(3, -1).T.astype(float)
    assert np.allclose(mechanism.expected(items, items), np.eye(3), atol=0)
    outside = np.arange(100, 130)
    rows = mechanism.expected(outside, items)
    want = np.linalg.lstsq(x, mechanism.filters(outside).reshape(30, -1).T.astype(float), rcond=None)[0].T
    np.testing.assert_allclose(rows, want, atol=1e-12)
    mixed = [i for i, row in enumerate(rows) if not np.isclose(row, np.rint(row), atol=1e-9).all()]
    assert mixed and not np.allclose(rows, 0)
    mean, _ = moments(mechanism, outside[mixed[:2]], items)
    np.testing.assert_allclose(mean, rows[mixed[:2]], atol=1e-12)


LARGE = [
    RAPPOR(bits=64, hashes=2, cohorts=16, f=0.25, p=0.25, q=0.75),
    one_time(bits=32, hashes=2, cohorts=8, epsilon=12.0),
    ORR(k=16, cohorts=8, epsilon=6.0),
    ORR(k=16, cohorts=8, epsilon=1.0),
]


@pytest.mark.parametrize("mechanism", LARGE, ids=lambda m: type(m).__name__)
def test_least_squares_is_the_pseudoinverse(mechanism):
    """X⁺ from the normal equations against singular values, on shuffled counts; the design against the filters."""
    items, rng = [f"item {i}" for i in range(60)], np.random.default_rng(4)
    x = mechanism.filters(items).reshape(60, -1).T.astype(float)
    assert np.array_equal(mechanism.design(items).toarray(), x)
    tally = mechanism.tally(mechanism.perturb(items * 20, rng=rng), items)
    q, p = (float(s) for s in mechanism.support)
    y = (tally.counts[:, :-1] - p * tally.counts[:, -1:]) / (q - p) * mechanism.cohorts / 1200
    want = np.linalg.pinv(x) @ y.ravel()
    np.testing.assert_allclose(mechanism.estimate(tally), want, atol=1e-11 * np.abs(want).max())
    strangers = [f"stranger {i}" for i in range(5)]
    rows = np.linalg.pinv(x) @ mechanism.filters(strangers).reshape(5, -1).T
    np.testing.assert_allclose(mechanism.expected(strangers, items), rows.T, atol=1e-12)


@pytest.mark.parametrize("mechanism", LARGE, ids=lambda m: type(m).__name__)
def test_estimate_at_full_size(mechanism):
    """20,000 people, 40 strings and 5 others: every share within 6.5 standard errors (45 · 8e-11)."""
    rng = np.random.default_rng(8)
    words = [f"item {i}" for i in range(45)]
    items = words[:40]
    values = np.array(words)[rng.integers(0, 45, 20_000) ** 2 // 45]
    tally = mechanism.tally(mechanism.perturb(values, rng=rng), items)
    truth = mechanism.expected(values, items).mean(0)
    error = np.sqrt(mechanism.variance(values, items).sum(0)) / len(values)
    z = np.abs(mechanism.estimate(tally) - truth) / error
    assert z.max() < 6.5
    bare = Tally(mechanism, tally.n, tally.counts)  # candidates may be named later
    np.testing.assert_allclose(
        mechanism.estimate(replace(bare, items=tuple(items[::-1])))[::-1], mechanism.estimate(tally), rtol=1e-9
    )


def spread_of_simulations(mechanism, trials=400):
    """Whether estimates of simulated populations have the stated means and variances: P-value times 80.

    Of a normal z, Σz² over trials is chi-square; the estimates are means over 238,210 people and as good as normal.
    """
    words = [f"item {i}" for i in range(42)]
    items, counts = words[:40], np.arange(42) ** 2 * 10
    rows = mechanism.expected(words, items), mechanism.variance(words, items)
    n = counts.sum()
    tally = mechanism.simulate(counts, words, trials=trials, rng=np.random.default_rng(5), items=items)
    z = (mechanism.estimate(tally) - counts @ rows[0] / n) / np.sqrt(counts @ rows[1]) * n
    squares = (z**2).sum(0)
    return 80 * min(chi2.sf(squares, trials).min(), chi2.cdf(squares, trials).min())


@pytest.mark.parametrize("mechanism", LARGE, ids=lambda m: type(m).__name__)
def test_simulated_populations_have_the_stated_error(mechanism):
    assert spread_of_simulations(mechanism) > 1e-9


def test_simulation_at_a_million():
    """Seconds for what clients take minutes for: a million people, 500 strings, counted as their tally is."""
    mechanism = RAPPOR(bits=128, hashes=2, cohorts=64, f=0.5, p=0.5, q=0.75)
    items = [f"item {i}" for i in range(500)]
    tally = mechanism.simulate([2000] * 500, items, trials=2, rng=np.random.default_rng(0), items=items)
    assert tally.n == 1_000_000 and tally.items == tuple(items) and tally.counts.shape == (2, 64, 129)
    assert (tally.counts[..., -1].sum(1) == tally.n).all()
    error = np.sqrt(2000 * mechanism.variance(items, items).sum(0)) / tally.n
    assert (np.abs(mechanism.estimate(tally) - 1 / 500) < 7 * error).all()  # 1000 · 3e-12


# --------------------------------------------------------------------------------------------------------- controls


def decoder(mechanism, items):
    return np.linalg.pinv(mechanism.filters(items).reshape(len(items), -1).T.astype(float)).T


@dataclass(frozen=True, kw_only=True)
class TwoH(RAPPOR):
    """States 2h for h: counts both kinds of bits twice."""

    @property
    def epsilon(self):
        return 2 * super().epsilon


@dataclass(frozen=True, kw_only=True)
class FlipsWithF(RAPPOR):
    """Flips permanent bits with probability f instead of f/2."""

    flip = property(lambda self: Fraction(round_up(Fraction(self.f))))


@dataclass(frozen=True, kw_only=True)
class ForgetsPermanent(RAPPOR):
    """Sends the instantaneous response of the filter itself."""

    def perturb(self, values, *, rng):
        state = self.memoise(values, rng=rng)
        for i, value in enumerate(values):
            state.rows["permanent"][i] = self.filters([value])[0][state.rows["cohort"][i]]
        return self.respond(state, rng=rng)


@dataclass(frozen=True, kw_only=True)
class SurveyLetters(RAPPOR):
    """Sends ones with probability p where the permanent bit is 1 and q where it is 0, with p below q."""

    def respond(self, kept, *, rng):
        other = kept.rows.copy()
        other["permanent"] = ~other["permanent"]
        return super().respond(Kept(self, other), rng=rng)


@dataclass(frozen=True, kw_only=True)
class OneCohortForAll(RAPPOR):
    """Draws one cohort for everybody."""

    def memoise(self, values, *, rng):
        state = super().memoise(values, rng=rng)
        cohort = state.rows["cohort"][0]
        for i, value in enumerate(values):
            bloom = self.filters([value])[0]
            state.rows["permanent"][i] ^= bloom[state.rows["cohort"][i]] ^ bloom[cohort]
        state.rows["cohort"] = cohort
        return state


@dataclass(frozen=True, kw_only=True)
class FactorOfCohorts(ORR):
    """Divides the probability of the own slot by the number of cohorts, as if the factor 1/C were private."""

    slots = property(lambda self: KeepsLess(k=self.k, epsilon=self.epsilon))


@dataclass(frozen=True, kw_only=True)
class KeepsLess(GRR):
    keep = property(lambda self: super().keep / 2)


@dataclass(frozen=True, kw_only=True)
class OneSlotLess(ORR):
    """Keeps the slot with the probability of k − 1 slots."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        for i, value in enumerate(np.asarray(values).tolist()):
            own = position(value, int(reports["cohort"][i]), 0, self.k)
            blind = int(uniform(self.k, (), rng))
            reports["slot"][i] = own if toss(GRR(k=self.k - 1, epsilon=self.epsilon).keep, rng) else blind
        return reports


@dataclass(frozen=True, kw_only=True)
class IndependentSlots(ORR):
    """States the variance of coins for each slot, not of one draw among them."""

    _spread = RAPPOR._spread


@dataclass(frozen=True, kw_only=True)
class CoinsForSlots(ORR):
    """Simulates a coin for each slot and person."""

    def _drawn(self, own, people, rng):
        q, p = (float(s) for s in self.support)
        return binomial(own, q, own.shape, rng) + binomial(people[:, None] - own, p, own.shape, rng)


class CohortOfValue:
    """Half of the time, large values go to the last cohort and small ones to the first."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        own = np.where(np.asarray(values) < 500, 0, self.cohorts - 1)
        reports["cohort"] = np.where(uniform(2, own.shape, rng) == 0, own, reports["cohort"])
        return reports


class CohortShares:
    """Divides by the reports of each cohort instead of C/n: a ratio, not linear."""

    def estimate(self, tally):
        m = tally.counts[:, -1:]
        scaled = np.rint(tally.counts * np.where(m, tally.n / np.maximum(m, 1), 0) / self.cohorts * 2**20)
        return super().estimate(Tally(self, tally.n * 2**20, scaled.astype(np.int64), tally.items))


class SwappedLetters:
    """Takes p* for q* in the estimator."""

    def estimate(self, tally):
        q, p = (float(s) for s in self.support)
        y = (tally.counts[:, :-1] - q * tally.counts[:, -1:]) / (p - q) * self.cohorts / tally.n
        return y.ravel() @ decoder(self, tally.items)


class NoiseOfOneCohort:
    """Leaves the draw of the cohort out of the variance."""

    def variance(self, values, items=None):
        g, own = decoder(self, items), self.filters(values).reshape(len(values), -1)
        empty, each = self._spread(g)
        return self.cohorts * (empty + own @ each)


class OneHotTarget:
    """Says that strangers to the candidates contribute nothing."""

    def expected(self, values, items=None):
        return np.equal.outer(np.asarray(values), np.asarray(items)).astype(float)


class EvenCohorts:
    """Simulates cohorts of the same size, as far as possible."""

    def simulate(self, counts, values, *, trials, rng, items=None):
        x, found = self.filters(values).transpose(1, 0, 2), []
        for _ in range(trials):
            people = np.array([(count + np.arange(self.cohorts)) // self.cohorts for count in counts])
            people = people[:, scatter(1, self.cohorts, rng).argmax() - np.arange(self.cohorts)].T
            own = np.einsum("cv,cvb->cb", people, x.astype(np.int64))
            found.append(np.column_stack([self._drawn(own, people.sum(1), rng), people.sum(1)]))
        return Tally(self, int(np.sum(counts)), np.stack(found), items and tuple(items))


def spoilt(mechanism, mistake):
    """The mechanism with a mistake: a subclass, or what a subclass of any `Hashed` does."""
    if not issubclass(mistake, type(mechanism)):
        mistake = dataclass(frozen=True, kw_only=True)(type(mistake.__name__, (mistake, type(mechanism)), {}))
    return mistake(**{field.name: getattr(mechanism, field.name) for field in fields(mechanism)})


RIGHT = {RAPPOR: RAPPOR(**SMALL), ORR: ORR(**SLOTS)}  # pass, as the first cases of their classes
BOTH = [
    (CohortOfValue, "test_public_part_does_not_depend_on_the_value"),
    (CohortOfValue, "test_epsilon_of_the_law_is_the_stated_one"),
    (CohortShares, "test_estimate_is_the_mean_of_scores"),
    (CohortShares, "test_estimate_is_unbiased"),
    (SwappedLetters, "test_estimate_is_unbiased"),
    (NoiseOfOneCohort, "test_noise_is_the_variance"),
    (OneHotTarget, "test_estimate_is_unbiased"),
    (EvenCohorts, "test_simulate_has_the_law_of_two_clients"),
]


@pytest.mark.parametrize(
    "kind, mistake, caught_by",
    [
        (RAPPOR, TwoH, "test_epsilon_of_the_law_is_the_stated_one"),
        (RAPPOR, FlipsWithF, "test_epsilon_of_the_law_is_the_stated_one"),
        (RAPPOR, ForgetsPermanent, "test_epsilon_of_the_law_is_the_stated_one"),
        (RAPPOR, SurveyLetters, "test_estimate_is_unbiased"),
        (RAPPOR, OneCohortForAll, "test_people_are_independent"),
        (RAPPOR, OneCohortForAll, "test_draws_follow_the_law"),
        (ORR, FactorOfCohorts, "test_epsilon_of_the_law_is_the_stated_one"),
        (ORR, OneSlotLess, "test_epsilon_of_the_law_is_the_stated_one"),
        (ORR, IndependentSlots, "test_noise_is_the_variance"),
        (ORR, CoinsForSlots, "test_simulate_has_the_law_of_two_clients"),
        *((kind, *row) for kind in RIGHT for row in BOTH),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_mistake_is_caught(kind, mistake, caught_by):
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(case(spoilt(RIGHT[kind], mistake)))


@pytest.mark.parametrize("mechanism", LARGE[1:3], ids=lambda m: type(m).__name__)
def test_even_cohorts_have_another_error(mechanism):
    """Where there is little noise but that of the cohorts: the control of `spread_of_simulations`."""
    assert spread_of_simulations(spoilt(mechanism, EvenCohorts)) < 1e-20


# -------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("bad", [0, -1, 2.5, "2", None, True])
def test_bad_sizes_are_refused(bad):
    for name in ("bits", "hashes", "cohorts"):
        with pytest.raises(ValueError, match=f"{name} must be an integer, at least 1, got"):
            RAPPOR(**{**SMALL, name: bad})
        with pytest.raises(ValueError, match=f"{name} must be an integer, at least 1, got"):
            one_time(**{"bits": 2, "hashes": 1, "cohorts": 2, name: bad}, epsilon=1.0)
    with pytest.raises(ValueError, match="cohorts must be an integer, at least 1, got"):
        ORR(**{**SLOTS, "cohorts": bad})
    with pytest.raises(ValueError, match="k must be an integer, at least 2, got"):
        ORR(**{**SLOTS, "k": 1 if bad is True else bad})
    with pytest.raises(ValueError, match="reports must be an integer, at least 1, got"):
        RAPPOR(**SMALL).exposure(bad)
    with pytest.raises(ValueError, match="trials must be an integer, at least 1, got"):
        ORR(**SLOTS).simulate([1, 2], ["a", "b"], trials=bad, rng=np.random.default_rng(0))


@pytest.mark.parametrize("bad", [0, -1.0, float("nan"), float("inf"), 33, "1", None, True])
def test_bad_budget_of_one_time_is_refused(bad):
    with pytest.raises(ValueError, match="epsilon must be a finite number in"):
        one_time(bits=2, hashes=1, cohorts=2, epsilon=bad)


def test_the_least_budget_is_enough_for_as_many_hashes_as_there_may_be():
    found = one_time(bits=2, hashes=HASHES_MAX, cohorts=2, epsilon=EPSILON_MIN)
    assert 0.999 * EPSILON_MIN < found.realised_epsilon <= found.epsilon <= EPSILON_MIN
    with pytest.raises(ValueError, match=r"hashes must be at most 1000, got"):
        one_time(bits=2, hashes=HASHES_MAX + 1, cohorts=2, epsilon=EPSILON_MIN)


@pytest.mark.parametrize(
    "counts, values, rule",
    [
        ([1, 2, 3], ["a", "b"], "counts must hold k = 2 counts"),
        ([0, 0], ["a", "b"], "counts must hold at least one person"),
        ([1, -1], ["a", "b"], "counts must be non-negative integers"),
        ([0.5, 1], ["a", "b"], "counts must be non-negative integers"),
        ([1, 2], ["a", "a"], "values must be distinct"),
        ([1, 2], [0.5, "a"], "values must be integers or strings"),
        ([1], "a", "values must be a list of integers or strings"),
        ([], [], "counts must hold at least one person"),
    ],
)
def test_bad_populations_are_refused(counts, values, rule):
    for mechanism in RIGHT.values():
        with pytest.raises(ValueError, match=f"{rule}.*, got"):
            mechanism.simulate(counts, values, trials=1, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    "bad",
    [
        *({name: value} for name in ("f", "p", "q") for value in (-0.1, 1.5, float("nan"), "0.5", None, True)),
        *({"f": value} for value in (0, 1, 1 - 2.0**-53)),
        *({"p": 0.75}, {"p": 0.8}, {"q": 0.5}, {"p": 0.75 - 2.0**-54, "q": 0.75}),
    ],
)
def test_bad_probabilities_are_refused(bad):
    with pytest.raises(ValueError, match=f"{[*bad][0] if 'q' not in bad else '[pq]'} must be .*, got"):
        RAPPOR(**{**SMALL, **bad})


@pytest.mark.parametrize("items", [None, [], [1, 1], [0.5], [True], 3, "ab", [[1, 2]]])
def test_bad_candidates_are_refused(items):
    for mechanism in RIGHT.values():
        with pytest.raises(ValueError, match="items must"):
            mechanism.estimate(mechanism.tally(mechanism.perturb([1, 2], rng=np.random.default_rng(0)), items))
        for row in (mechanism.expected, mechanism.variance):
            with pytest.raises(ValueError, match="items must"):
                row([1, 2], items)
        if items is not None:
            with pytest.raises(ValueError, match="items must"):
                mechanism.simulate([1, 2], [1, 2], trials=1, rng=np.random.default_rng(0), items=items)


def test_candidates_that_cannot_be_told_apart_are_refused():
    mechanism = RAPPOR(**SMALL)
    tally = mechanism.tally(mechanism.perturb([1, 2], rng=np.random.default_rng(0)), range(5))
    with pytest.raises(ValueError, match="linearly independent filters, got 5 candidates of rank at most 4"):
        mechanism.estimate(tally)
    filters = mechanism.filters(range(100)).reshape(100, -1)
    twin = next(i for i in range(1, 100) if (filters[i] == filters[0]).all())
    with pytest.raises(ValueError, match="got 2 candidates of rank 1"):
        mechanism.expected([0], [0, twin])


def test_slots_tell_apart_fewer_than_they_are():
    """The slots of a cohort sum to one in every filter: rank C(k − 1) + 1 at most, which many candidates reach."""
    mechanism, ids = ORR(k=4, cohorts=5, epsilon=1.0), list(range(300))
    chosen = [0]
    for i in ids[1:]:  # greedily, what adds to the rank
        if np.linalg.matrix_rank(mechanism.filters([*chosen, i]).reshape(len(chosen) + 1, -1).astype(float)) > len(
            chosen
        ):
            chosen.append(i)
    assert len(chosen) == 5 * 3 + 1
    assert mechanism.variance([0], chosen).shape == (1, 16)
    for more in (299, 298):
        with pytest.raises(ValueError, match="got 17 candidates of rank 16: use more bits, slots or cohorts"):
            mechanism.expected([0], [*chosen, more])


@pytest.mark.parametrize(
    "rows", [np.zeros(2), "ab", *(np.array([x], RAPPOR(**SMALL).state_dtype) for x in [(2, (0, 1)), (-1, (0, 1))])]
)
def test_bad_states_are_refused(rows):
    mechanism = RAPPOR(**SMALL)
    for state in (rows, Kept(mechanism, rows)):
        with pytest.raises(ValueError, match="must .*, got"):
            mechanism.respond(state, rng=np.random.default_rng(0))


def test_a_state_of_another_mechanism_is_refused():
    """Its lifetime ε would be 21.17, where 4.39 are promised; the reports of both look alike."""
    about = {"bits": 32, "hashes": 2, "cohorts": 4, "p": 0.25, "q": 0.75}
    loose, strict = RAPPOR(f=0.01, **about), RAPPOR(f=0.5, **about)
    assert (round(loose.lifetime_epsilon, 2), round(strict.lifetime_epsilon, 2)) == (21.17, 4.39)
    state = loose.memoise(["x"], rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"kept must be drawn by `memoise` of RAPPOR\(.*f=0.5, .*got one of .*f=0.01"):
        strict.respond(state, rng=np.random.default_rng(1))
    assert len(RAPPOR(f=0.01, **about).respond(state, rng=np.random.default_rng(1))) == 1  # equal is enough


def test_a_state_whose_bools_are_bytes_is_refused():
    mechanism = RAPPOR(**SMALL)
    rows = mechanism.memoise(["a"], rng=np.random.default_rng(0)).rows
    rows["permanent"].view(np.uint8)[0, 0] = 2
    with pytest.raises(ValueError, match="permanent must be bools, whose bytes are 0 or 1, got a byte 2"):
        mechanism.respond(Kept(mechanism, rows), rng=np.random.default_rng(0))
