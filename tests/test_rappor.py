from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, count
from math import log

import numpy as np
import pytest
from contract import Case, Contract

from ldpnb.chance import odds, round_up, toss, uniform
from ldpnb.core import Tally
from ldpnb.rappor import RAPPOR, position
from ldpnb.verify import epsilon, laws, moments, same_law, worst

SMALL = dict(bits=2, hashes=1, cohorts=2, f=0.5, p=0.5, q=0.75)


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
    return Case(mechanism, np.concatenate([items, others]), items=tuple(items.tolist()), **more)


class TestRAPPOR(Contract):
    cases = [
        case(RAPPOR(**SMALL)),
        case(RAPPOR(bits=2, hashes=1, cohorts=1, f=0.37, p=0.1, q=0.8), kind=str),
        case(RAPPOR(bits=3, hashes=1, cohorts=3, f=0.3, p=0, q=1), number=3, kind=str),
        case(RAPPOR(bits=4, hashes=2, cohorts=2, f=0.5, p=0.5, q=0.75), number=3, kind=str, pairs=False),
    ]
    bad_values = [[0.5], [np.nan], [True], [None], [[0]], 0, "abc", [b"a"], [1, 2.5], ["a", ["b"]], {1, 2}, [1j]]
    bad_reports = [
        *(np.zeros((2, 3)), np.zeros(2, bool), "abc", [[0, 1]]),
        np.zeros((1, 1), RAPPOR(**SMALL).dtype),
        np.zeros(1, replace(RAPPOR(**SMALL), bits=3).dtype),
        *(np.array([(c, (0, 1))], RAPPOR(**SMALL).dtype) for c in (2, -1)),
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


def closed_form(f, p, q, h, times):
    """ε of several reports from one permanent response, from the counts of ones that each bit shows."""
    r = []
    for t in range(times + 1):
        one, zero = q**t * (1 - q) ** (times - t), p**t * (1 - p) ** (times - t)
        r.append(log(((1 - f / 2) * one + f / 2 * zero) / (f / 2 * one + (1 - f / 2) * zero)))
    return h * (max(r) - min(r))


@pytest.mark.slow
@pytest.mark.parametrize(
    "h, bits, times, expected",
    [(1, 2, 1, 1.074 / 2), (1, 2, 2, 2.017 / 2), (1, 2, 3, None), (2, 4, 1, 1.074), (2, 4, 2, 2.017)],
)
def test_epsilon_of_several_reports(h, bits, times, expected):
    mechanism = RAPPOR(bits=bits, hashes=h, cohorts=1, f=0.5, p=0.5, q=0.75)
    two = far_apart(mechanism, 2).tolist()
    found = worst(laws(kept(mechanism, times), two))
    assert found.epsilon == pytest.approx(closed_form(0.5, 0.5, 0.75, h, times), rel=1e-12)
    assert expected is None or found.epsilon == pytest.approx(expected, abs=6e-4)
    assert found.ratio < odds(mechanism.lifetime_epsilon)
    if h == 1:  # without a memory every report costs as much as the first
        assert epsilon(laws(fresh(mechanism, times), two)) == pytest.approx(times * mechanism.epsilon, rel=1e-12)


def test_lifetime_is_never_exceeded():
    """The permanent response bounds all reports, and many of them come close; without a memory two pass it."""
    mechanism = RAPPOR(bits=2, hashes=1, cohorts=2, f=0.5, p=0.125, q=0.875)
    two = far_apart(mechanism, 2).tolist()
    permanent = laws(lambda value, rng: mechanism.memoise([value], rng=rng)[0], two)
    assert worst(permanent).ratio <= odds(mechanism.lifetime_epsilon)
    assert epsilon(permanent) == pytest.approx(mechanism.lifetime_epsilon, rel=1e-14)
    assert closed_form(0.5, 0.125, 0.875, 1, 60) == pytest.approx(mechanism.lifetime_epsilon, rel=1e-12)
    assert epsilon(laws(kept(mechanism, 2), two)) < mechanism.lifetime_epsilon
    assert epsilon(laws(fresh(mechanism, 2), two)) > mechanism.lifetime_epsilon


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
    assert np.array_equal(reports["cohort"], state["cohort"])
    assert np.array_equal(reports["bits"], state["permanent"])  # p = 0, q = 1: no instantaneous noise
    assert set(state["cohort"].tolist()) == {0, 1, 2, 3}


def test_value_outside_the_candidates_contributes_its_own_row():
    """Exact mean of the score is X⁺ x, which is neither one-hot nor zero; the whole X⁺ y agrees with least squares."""
    mechanism = RAPPOR(bits=3, hashes=1, cohorts=2, f=0.3, p=0, q=1)
    items = far_apart(mechanism, 3)
    x = mechanism.filters(items).reshape(3, -1).T.astype(float)
    assert np.allclose(mechanism.target(items, items), np.eye(3), atol=0)
    outside = np.arange(100, 130)
    rows = mechanism.target(outside, items)
    want = np.linalg.lstsq(x, mechanism.filters(outside).reshape(30, -1).T.astype(float), rcond=None)[0].T
    np.testing.assert_allclose(rows, want, atol=1e-12)
    mixed = [i for i, row in enumerate(rows) if not np.isclose(row, np.rint(row), atol=1e-9).all()]
    assert mixed and not np.allclose(rows, 0)
    mean, _ = moments(mechanism, outside[mixed[:2]], items)
    np.testing.assert_allclose(mean, rows[mixed[:2]], atol=1e-12)


def test_estimate_at_full_size():
    """20,000 people, 64 bits, 16 cohorts, 40 strings: every share within 6.5 standard errors (40 · 8e-11)."""
    mechanism, rng = RAPPOR(bits=64, hashes=2, cohorts=16, f=0.25, p=0.25, q=0.75), np.random.default_rng(8)
    items = [f"item {i}" for i in range(40)]
    values = np.array(items)[rng.integers(0, 40, 20_000) ** 2 // 40]
    tally = mechanism.tally(mechanism.perturb(values, rng=rng), items)
    truth = mechanism.target(values, items).mean(0)
    error = np.sqrt(mechanism.noise(values, items).sum(0)) / len(values)
    z = np.abs(mechanism.estimate(tally) - truth) / error
    assert z.max() < 6.5
    bare = Tally(mechanism, tally.n, tally.counts)  # candidates may be named later
    np.testing.assert_allclose(
        mechanism.estimate(replace(bare, items=tuple(items[::-1])))[::-1], mechanism.estimate(tally), rtol=1e-9
    )


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
            state["permanent"][i] = self.filters([value])[0][state["cohort"][i]]
        return self.respond(state, rng=rng)


@dataclass(frozen=True, kw_only=True)
class CohortOfValue(RAPPOR):
    """Half of the time, large values go to the last cohort and small ones to the first."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        own = np.where(np.asarray(values) < 500, 0, self.cohorts - 1)
        reports["cohort"] = np.where(uniform(2, own.shape, rng) == 0, own, reports["cohort"])
        return reports


@dataclass(frozen=True, kw_only=True)
class OneCohortForAll(RAPPOR):
    """Draws one cohort for everybody."""

    def memoise(self, values, *, rng):
        state = super().memoise(values, rng=rng)
        cohort = state["cohort"][0]
        for i, value in enumerate(np.asarray(values).tolist()):
            bloom = self.filters([value])[0]
            state["permanent"][i] ^= bloom[state["cohort"][i]] ^ bloom[cohort]
        state["cohort"] = cohort
        return state


@dataclass(frozen=True, kw_only=True)
class CohortShares(RAPPOR):
    """Divides by the reports of each cohort instead of C/n: a ratio, not linear."""

    def estimate(self, tally):
        m = tally.counts[:, -1:]
        scaled = np.rint(tally.counts * np.where(m, tally.n / np.maximum(m, 1), 0) / self.cohorts * 2**20)
        return super().estimate(Tally(self, tally.n * 2**20, scaled.astype(np.int64), tally.items))


@dataclass(frozen=True, kw_only=True)
class SwappedLetters(RAPPOR):
    """Takes p* for q* in the estimator."""

    def estimate(self, tally):
        q, p = (float(s) for s in self.support)
        y = (tally.counts[:, :-1] - q * tally.counts[:, -1:]) / (p - q) * self.cohorts / tally.n
        return y.ravel() @ decoder(self, tally.items)


@dataclass(frozen=True, kw_only=True)
class NoiseOfOneCohort(RAPPOR):
    """Leaves the draw of the cohort out of the variance."""

    def noise(self, values, items=None):
        x = self.filters(values).reshape(len(values), -1)
        q, p = (float(s) for s in self.support)
        return self.cohorts * np.where(x, q * (1 - q), p * (1 - p)) @ decoder(self, items) ** 2 / (q - p) ** 2


@dataclass(frozen=True, kw_only=True)
class OneHotTarget(RAPPOR):
    """Says that strangers to the candidates contribute nothing."""

    def target(self, values, items=None):
        return np.equal.outer(np.asarray(values), np.asarray(items)).astype(float)


@pytest.mark.parametrize(
    "make, caught_by",
    [
        (TwoH, "test_epsilon_of_the_law_is_the_stated_one"),
        (FlipsWithF, "test_epsilon_of_the_law_is_the_stated_one"),
        (ForgetsPermanent, "test_epsilon_of_the_law_is_the_stated_one"),
        (CohortOfValue, "test_public_part_does_not_depend_on_the_value"),
        (CohortOfValue, "test_epsilon_of_the_law_is_the_stated_one"),
        (OneCohortForAll, "test_people_are_independent"),
        (OneCohortForAll, "test_draws_follow_the_law"),
        (CohortShares, "test_estimate_is_the_mean_of_scores"),
        (CohortShares, "test_estimate_is_unbiased"),
        (SwappedLetters, "test_estimate_is_unbiased"),
        (NoiseOfOneCohort, "test_noise_is_the_variance"),
        (OneHotTarget, "test_estimate_is_unbiased"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_mistake_is_caught(make, caught_by):
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(case(make(**{**SMALL, "f": 0.4})))


# -------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize("name", ["bits", "hashes", "cohorts"])
@pytest.mark.parametrize("bad", [0, -1, 2.5, "2", None, True])
def test_bad_sizes_are_refused(name, bad):
    with pytest.raises(ValueError, match=f"{name} must be an integer, at least 1, got"):
        RAPPOR(**{**SMALL, name: bad})


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
    mechanism = RAPPOR(**SMALL)
    with pytest.raises(ValueError, match="items must"):
        mechanism.estimate(mechanism.tally(mechanism.perturb([1, 2], rng=np.random.default_rng(0)), items))
    for row in (mechanism.target, mechanism.noise):
        with pytest.raises(ValueError, match="items must"):
            row([1, 2], items)


def test_candidates_that_cannot_be_told_apart_are_refused():
    mechanism = RAPPOR(**SMALL)
    tally = mechanism.tally(mechanism.perturb([1, 2], rng=np.random.default_rng(0)), range(5))
    with pytest.raises(ValueError, match="linearly independent filters, got 5 candidates of rank"):
        mechanism.estimate(tally)
    filters = mechanism.filters(range(100)).reshape(100, -1)
    twin = next(i for i in range(1, 100) if (filters[i] == filters[0]).all())
    with pytest.raises(ValueError, match="got 2 candidates of rank 1"):
        mechanism.target([0], [0, twin])


@pytest.mark.parametrize("state", [np.zeros(2), "ab", np.array([(2, (0, 1))], RAPPOR(**SMALL).state_dtype)])
def test_bad_states_are_refused(state):
    with pytest.raises(ValueError, match="must be .*, got"):
        RAPPOR(**SMALL).respond(state, rng=np.random.default_rng(0))
