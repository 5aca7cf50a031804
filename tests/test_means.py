from dataclasses import dataclass
from itertools import product
from math import comb, exp, inf, log

import numpy as np
import pytest
from contract import Case, Contract

from ldpnb.chance import bernoulli, pick, toss
from ldpnb.means import MeanEst
from ldpnb.verify import epsilon, laws, same_law


def corners_and(inside, d):
    """All corners, opposite ones first, and some vectors inside the cube."""
    corners = sorted(product((1.0, -1.0), repeat=d), key=lambda v: abs(sum(v)), reverse=True)
    return np.array([*corners, *inside])


class TestMeanEst(Contract):
    cases = [
        Case(MeanEst(d=1, epsilon=1.0), corners_and([[0.0], [0.3]], 1)),
        Case(MeanEst(d=1, epsilon=20.0), corners_and([], 1)),
        Case(MeanEst(d=2, epsilon=1.0), corners_and([[0.0, 0.0], [0.3, -0.9]], 2)),
        Case(MeanEst(d=2, epsilon=0.1), corners_and([[1.0, 0.5]], 2)),
        Case(MeanEst(d=3, epsilon=2.0), corners_and([[0.1, -0.2, 0.7]], 3)),
        Case(MeanEst(d=4, epsilon=1.0), corners_and([], 4)[[0, 1, 2, 5, 9]], pairs=False),
    ]
    bad_values = [[[1.5]], [[-2]], [[np.nan]], [[np.inf]], [["a"]], [[True]], [[None]], [0.5], 0.5, [[0.1, 0.2]], "a"]
    bad_reports = [
        np.ones((2, 1)),
        np.ones((2, 2), np.int8),
        np.ones(2, np.int8),
        np.zeros((1, 1), np.int8),
        [[1]],
        "a",
    ]


def shape(d):
    """C_d and S_d of the spec, by binomial coefficients."""
    if d % 2:
        return 2 ** (d - 1), comb(d - 1, (d - 1) // 2)
    return 2 ** (d - 1) - comb(d, d // 2) // 2, comb(d - 1, d // 2)


@pytest.mark.parametrize("d", range(1, 13))
@pytest.mark.parametrize("eps", [0.1, 1.0, 4.0])
def test_constants_have_their_closed_forms(d, eps):
    mechanism, (c, s) = MeanEst(d=d, epsilon=eps), shape(d)
    assert mechanism.favoured == c
    assert float(mechanism.scale) == pytest.approx((2**d + c * (exp(eps) - 1)) / (s * (exp(eps) - 1)), rel=1e-12)


# ------------------------------------------------------------------------------------------------ one person's client


def one_person(d, eps, coin, high, low):
    """The survey's client: a coin, then a corner of one class of agreement with v, all alike."""

    def client(values, rng):
        v = [1 if toss((1 + t) / 2, rng) else -1 for t in values]
        allowed = high if toss(coin, rng) else low
        return pick(
            [r for r in product((1, -1), repeat=d) if allowed(sum(a * b for a, b in zip(r, v, strict=True)))], rng
        )

    return client


SIGNS = {
    ">": lambda s: s > 0,
    ">=": lambda s: s >= 0,
    "<": lambda s: s < 0,
    "<=": lambda s: s <= 0,
}


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_client_is_the_one_for_one_person(d):
    mechanism = MeanEst(d=d, epsilon=1.0)
    values = corners_and([np.linspace(-0.5, 1, d)], d)[-3:]
    client = one_person(d, 1.0, mechanism.coin, SIGNS[">"], SIGNS["<="])
    assert same_law(client, lambda t, rng: mechanism.perturb([t], rng=rng)[0], list(values), tolerance=0)
    control = one_person(d, 1.0, exp(1) / (1 + exp(1)), SIGNS[">"], SIGNS["<="])
    assert same_law(client, control, list(values)) == (d % 2 == 1)  # the printed coin is right for odd d


@pytest.mark.parametrize(
    "high, low, printed",
    [(">", "<", inf), (">=", "<=", log(1 + exp(1))), (">", "<=", 1 + log(3))],
)
def test_printed_coin_is_caught_for_even_d(high, low, printed):
    client = one_person(2, 1.0, exp(1) / (1 + exp(1)), SIGNS[high], SIGNS[low])
    assert epsilon(laws(client, corners_and([], 2))) == pytest.approx(printed, abs=1e-12)


# ----------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class PrintedCoin(MeanEst):
    """The coin e/(1+e) of the survey, whatever d."""

    coin = property(lambda self: exp(self.epsilon) / (1 + exp(self.epsilon)))


@dataclass(frozen=True, kw_only=True)
class TiesFavoured(MeanEst):
    """Gives ties the high weight, and keeps the scale of the other rule."""

    @property
    def patterns(self):
        return -super().patterns[::-1]

    favoured = property(lambda self: 2**self.d - super().favoured)
    scale = property(lambda self: MeanEst(d=self.d, epsilon=self.epsilon).scale)


@dataclass(frozen=True, kw_only=True)
class NearestCorner(MeanEst):
    """Rounds to the nearest corner."""

    def perturb(self, values, *, rng):
        return super().perturb(np.where(np.asarray(values) >= 0, 1.0, -1.0), rng=rng)


@dataclass(frozen=True, kw_only=True)
class NoiseOfCorner(MeanEst):
    """Takes the second moment B² for the variance."""

    def noise(self, values, items=None):
        return np.full(np.shape(values), float(self.scale) ** 2)


@dataclass(frozen=True, kw_only=True)
class SharedClass(MeanEst):
    """One coin for everybody."""

    def perturb(self, values, *, rng):
        vectors = self._vectors(values)
        corner = np.where(bernoulli((1 + vectors) / 2, vectors.shape, rng), 1, -1).astype(np.int8)
        high = toss(self.coin, rng)
        start, stop = (0, self.favoured) if high else (self.favoured, 2**self.d)
        return corner * np.array([pick(list(self.patterns[start:stop]), rng) for _ in vectors])


@pytest.mark.parametrize(
    "mechanism, caught_by",
    [
        (PrintedCoin(d=2, epsilon=1.0), "test_epsilon_of_the_law_is_the_stated_one"),
        (PrintedCoin(d=2, epsilon=1.0), "test_epsilon_is_kept_at_every_size"),
        (PrintedCoin(d=3, epsilon=1.0), "test_epsilon_is_kept_at_every_size"),  # not rounded
        (TiesFavoured(d=2, epsilon=1.0), "test_estimate_is_unbiased"),
        (NearestCorner(d=2, epsilon=1.0), "test_estimate_is_unbiased"),
        (NoiseOfCorner(d=2, epsilon=1.0), "test_noise_is_the_variance"),
        (SharedClass(d=2, epsilon=1.0), "test_people_are_independent"),
    ],
    ids=lambda x: x if isinstance(x, str) else f"{type(x).__name__} d={x.d}",
)
def test_mistake_is_caught(mechanism, caught_by):
    case = Case(mechanism, corners_and([np.full(mechanism.d, 0.25)], mechanism.d))
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(case)


@pytest.mark.parametrize("d", [0, 13, -1, 2.5, "2", None, True])
def test_bad_dimension_is_refused(d):
    with pytest.raises(ValueError, match="d must be .*, got"):
        MeanEst(d=d, epsilon=1.0)
