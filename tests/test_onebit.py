from dataclasses import dataclass

import numpy as np
import pytest
from contract import Case, Contract, stated_rounding
from scipy.linalg import hadamard

from ldpnb.chance import bernoulli, uniform
from ldpnb.core import EPSILON_MAX, EPSILON_MIN
from ldpnb.kernels import fwht
from ldpnb.onebit import PCE, parity, people


def everybody(k, levels):
    """Every item at every level; the levels alternate, so that two people's laws are tried at different levels."""
    inputs = people(np.repeat(np.arange(k), len(levels)), np.tile(np.arange(len(levels)), k))
    return inputs, tuple((slice(i, None, len(levels)), epsilon) for i, epsilon in enumerate(levels))


def case(mechanism):
    inputs, groups = everybody(mechanism.k, mechanism.levels)
    return Case(mechanism, inputs, groups=groups)


class TestPCE(Contract):
    cases = [
        case(PCE(k=k, levels=levels))
        for k, levels in [(3, (0.5, 2.0)), (2, (0.1, 1.0)), (4, (1.0,)), (5, (0.3, 1.0, 20.0))]
    ]
    bad_values = [
        [0, 1],
        people([3], [0]),
        people([0], [2]),
        np.array([(-1, 0)], [("item", np.int64), ("level", np.int64)]),
        np.array([(0, -1)], [("item", np.int64), ("level", np.int64)]),
        np.array([(0.5, 0)], [("item", float), ("level", np.int64)]),
        np.array([(0, 0.0)], [("item", np.int64), ("level", float)]),
        np.array([(0, True)], [("item", np.int64), ("level", bool)]),
        np.array([(0, 0)], [("level", np.int64), ("item", np.int64)]),
        people([0], [0])[0],
    ]
    bad_reports = [
        [0, 1],
        np.array([(2, 0, True)], cases[0].mechanism.dtype),
        np.array([(0, 4, True)], cases[0].mechanism.dtype),
        np.array([(-1, 0, True)], cases[0].mechanism.dtype),
        np.array([(0, 0, 2)], [("level", np.int64), ("row", np.int64), ("bit", np.int64)]),
        np.array([[(0, 0, True)]], cases[0].mechanism.dtype),
    ]


# ---------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class OtherLevel(PCE):
    """Decodes a report with the constant of another level."""

    scale = property(lambda self: super().scale[::-1])


@dataclass(frozen=True, kw_only=True)
class OneLevel(PCE):
    """Decodes every report with the constant of the mean ε."""

    scale = property(lambda self: np.full(len(self.levels), 1 / np.tanh(np.mean(self.levels) / 2)))


@dataclass(frozen=True, kw_only=True)
class LargestLevel(PCE):
    """Gives everybody the largest ε."""

    truth = property(lambda self: (super().truth[-1],) * len(self.levels))


@dataclass(frozen=True, kw_only=True)
class OneRowAnItem(PCE):
    """Draws among the first k rows, whose columns are not orthogonal."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports["row"] = uniform(self.k, reports.shape, rng)
        honest = bernoulli(np.array([float(p) for p in self.truth])[reports["level"]], reports.shape, rng)
        reports["bit"] = parity(reports["row"], values["item"]) == honest
        return reports


@dataclass(frozen=True, kw_only=True)
class RowOfTheItem(PCE):
    """Picks its 'public' row by the item."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports["row"] = values["item"]
        return reports


@dataclass(frozen=True, kw_only=True)
class RowForgotten(PCE):
    """Leaves the public draw out of its noise."""

    def noise(self, values, items=None):
        return np.square(self.scale[values["level"]])[:, None] - np.ones(self.k)


@pytest.mark.parametrize(
    "mistake, caught_by",
    [
        (OtherLevel, "test_estimate_is_unbiased"),
        (OneLevel, "test_estimate_is_unbiased"),
        (LargestLevel, "test_epsilon_of_the_law_is_the_stated_one"),
        (OneRowAnItem, "test_estimate_is_unbiased"),
        (RowOfTheItem, "test_public_part_does_not_depend_on_the_value"),
        (RowOfTheItem, "test_epsilon_of_the_law_is_the_stated_one"),
        (RowForgotten, "test_noise_is_the_variance"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_mistake_is_caught(mistake, caught_by):
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(case(mistake(k=3, levels=(0.5, 2.0))))


# ------------------------------------------------------------------------------------------------- other promises


def largest_z(mechanism, decoder):
    """Mixed population, level tied to the item: how far is an estimate from its expectation at most, in sds?"""
    rng = np.random.default_rng(11)
    items = rng.integers(mechanism.k, size=5000) * rng.integers(2, size=5000)
    values = people(items, np.where(items == 0, 0, rng.integers(len(mechanism.levels), size=5000)))
    counts = mechanism.tally(mechanism.perturb(values, rng=rng)).counts
    tally = decoder.tally(np.empty(0, decoder.dtype))
    estimate = decoder.estimate(type(tally)(decoder, 5000, counts))
    sd = np.sqrt(mechanism.noise(values).sum(0)) / 5000
    return np.abs((estimate - mechanism.target(values).mean(0)) / sd).max()


def test_mixed_population_is_estimated():
    """Half of the people hold item 0 of 300, at the lowest level; the control swaps the constants of the levels."""
    shape = dict(k=300, levels=(0.5, 1.0, 2.0))
    assert largest_z(PCE(**shape), PCE(**shape)) < 6.7 < largest_z(PCE(**shape), OtherLevel(**shape))


def test_every_level_is_kept_at_every_size():
    levels = (EPSILON_MIN, 0.01, 0.1, 1, 3, 10, 20, EPSILON_MAX)
    for epsilon in levels:
        assert epsilon - stated_rounding(epsilon) <= PCE(k=3, levels=(epsilon,)).realised_epsilon <= epsilon
    assert PCE(k=3, levels=levels).epsilon == EPSILON_MAX
    assert PCE(k=3, levels=levels).truth == sum((PCE(k=3, levels=(epsilon,)).truth for epsilon in levels), ())


@pytest.mark.parametrize(
    "levels", [(), 1.0, [1.0], None, (1.0, 1.0), (2.0, 1.0), (0,), (33.0,), (1.0, float("nan")), ("1",), (True,)]
)
def test_bad_levels_are_refused(levels):
    with pytest.raises(ValueError, match=r"levels.* must be .*, got"):
        PCE(k=3, levels=levels)


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, "4", None, True])
def test_bad_domain_size_is_refused(k):
    with pytest.raises(ValueError, match="k must be an integer, at least 2, got"):
        PCE(k=k, levels=(1.0,))


@pytest.mark.parametrize("items, levels", [([0, 1], [0]), ([-1], [0]), ([0.5], [0]), ([0], ["a"]), ([[0]], [[0]])])
def test_bad_people_are_refused(items, levels):
    with pytest.raises(ValueError, match=r"must .*, got"):
        people(items, levels)


@pytest.mark.parametrize("m", [1, 2, 8, 64])
def test_fast_transform_is_the_matrix(m):
    rows = np.arange(m)
    assert np.array_equal(1 - 2 * parity(rows[:, None], rows), hadamard(m))
    x = np.random.default_rng(5).integers(-1000, 1000, (3, 2, m))
    assert fwht(x).dtype == np.int64 and np.array_equal(fwht(x), x @ hadamard(m))
    np.testing.assert_allclose(fwht(x / 7), x @ hadamard(m) / 7, rtol=1e-12, atol=1e-9)
    assert np.array_equal(fwht(fwht(x)), m * x)


@pytest.mark.parametrize("x", [[1, 2, 3], [], 1.0, np.zeros((4, 6)), [True, False], ["a", "b"]])
def test_transform_of_other_lengths_is_refused(x):
    with pytest.raises(ValueError, match="x must"):
        fwht(x)
