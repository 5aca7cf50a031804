"""Standard errors and intervals of everything that is estimated: exact on small laws, and how often intervals cover."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm

from ldpnb import (
    GRR,
    OLH,
    OUE,
    PCKVGRR,
    SUE,
    BitFlip,
    DrawnAttributes,
    HadamardBit,
    HadamardResponse,
    HarmonyFrequency,
    HarmonyMean,
    Laplace,
    Piecewise,
    PrivKV,
    PrivSet,
    Records,
    SampledGRR,
    StateEncoding,
    SubsetSelection,
    Tally,
    Wheel,
    WheelKV,
    interval,
)
from ldpnb.core import Mechanism, OpenMechanism
from ldpnb.serve._catalogue import catalogue
from ldpnb.verify import contract

UNTOLD = {"PCE", "RAPPOR", "ORR", "Unknown", "IOH", "BloomFlip", "Blocks"}
KNOWN = [(name, at) for name, kind in catalogue().items() for at in range(len(kind.example())) if name not in UNTOLD]
FALSE_ALARM = 1e-7


@pytest.mark.parametrize("name, at", KNOWN)
def test_squares_are_those_of_the_scores(name, at):
    """Of each report alone; where they are only right on average, of each law."""
    example = catalogue()[name].example()[at]
    m, known = example.mechanism, contract.known(example)
    squares = {key: m._squares(tally) for key, tally in known.tallies.items()}
    if name not in ("BitFlip", "Hierarchy"):
        for key, found in squares.items():
            np.testing.assert_allclose(found, known.scores[key] ** 2, rtol=1e-9, atol=1e-9)
    items = () if example.items is None else (example.items,)
    mean = np.stack([sum(float(p) * squares[y] for y, p in law.items()) for law in known.laws])
    second = m.variance(example.inputs, *items) + m.expected(example.inputs, *items) ** 2
    np.testing.assert_allclose(mean, second, rtol=1e-9, atol=1e-9)
    assert not np.allclose(mean, m.variance(example.inputs, *items))  # control: without what people contribute
    first, *others = known.tallies.values()
    both, each = sum(others, first), [squares[y] for y in known.tallies]
    np.testing.assert_allclose(m._squares(both), np.mean(each, 0), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", sorted(UNTOLD))
def test_what_the_tally_does_not_tell_is_said(name):
    example = catalogue()[name].example()[0]
    items = () if example.items is None else (example.items,)
    reports = example.mechanism.perturb(example.inputs, rng=np.random.default_rng(0))
    cure = f"; {example.mechanism.errors} has errors" if name not in ("PCE", "BloomFlip") else ""
    with pytest.raises(ValueError, match=rf"tally must tell how scores scatter, which one of .* does not{cure}$"):
        interval(example.mechanism.tally(reports, *items))


@pytest.mark.parametrize("make", [GRR, SUE, OUE, OLH, HadamardBit, SubsetSelection])
@pytest.mark.parametrize("people", [False, True])
def test_ends_are_z_standard_errors_from_the_estimate(make, people):
    m, n, z = make(k=5, epsilon=1.0), 400, 1.96
    tally = m.tally(m.perturb(np.arange(n) % 3, rng=np.random.default_rng(1)))
    found = m.estimate(tally)
    own, other = m.variance([0])[0, :2]
    for ends in m.interval(tally, z, people=people):
        error = np.sqrt((other + ends * (own - other) + (0 if people else ends * (1 - ends))) / n)
        np.testing.assert_allclose(np.abs(found - ends), z * error, rtol=1e-9)


def exact_coverage(m, share, n, people=False):
    """Of an interval for a population, from the law of the number of supporters, which is binomial."""
    counts = np.arange(n + 1)
    p, q = map(float, m.support)
    low, high = interval(Tally(m, n, np.stack([counts, n - counts], -1)), people=people)
    return binom.pmf(counts, n, q + share * (p - q))[(low[:, 0] <= share) & (share <= high[:, 0])].sum()


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_intervals_cover_a_population_exactly_as_often_as_stated(share, epsilon):
    assert 0.935 < exact_coverage(SUE(k=2, epsilon=epsilon), share, 2000) < 0.965


def test_an_interval_about_these_people_does_not_cover_the_population_they_come_from():
    m = SUE(k=2, epsilon=8.0)
    assert exact_coverage(m, 0.3, 2000) > 0.94
    assert exact_coverage(m, 0.3, 2000, people=True) < 0.85


def sets(rng, n, d):
    held = rng.random((n, d)) < np.linspace(0.6, 0.1, d)
    user, key = np.nonzero(held)
    return Records(np.concatenate([[0], np.cumsum(held.sum(1))]), key), np.linspace(0.6, 0.1, d)


def pairs(rng, n, d):
    records, share = sets(rng, n, d)
    values = np.where(rng.random(len(records.keys)) < 0.7, 1.0, -0.5)
    return Records(records.offsets, records.keys, values), np.stack([share, share * 0.55])


def codes(rng, n, k):
    share = np.arange(k, 0, -1) / (k * (k + 1) / 2)
    return rng.choice(k, n, p=share), share


def numbers(rng, n, d):
    found = rng.beta(2, 4, (n, d)) * 2 - 1
    return found, np.full(d, 2 / 6 * 2 - 1)


def records(rng, n, sizes):
    each = [codes(rng, n, k) for k in sizes]
    return np.stack([x for x, _ in each], 1), np.concatenate([share for _, share in each])


SURVEYS = 500
FAMILIES = [
    *((make(k=8, epsilon=1.5), codes, 8) for make in (GRR, SUE, OUE, OLH, SubsetSelection, HadamardBit)),
    (HadamardResponse(k=8, epsilon=1.5), codes, 8),
    (Piecewise(epsilon=1.5), lambda rng, n, d: tuple(x[..., 0] for x in numbers(rng, n, d)), 1),
    (Laplace(epsilon=1.5), lambda rng, n, d: tuple(x[..., 0] for x in numbers(rng, n, d)), 1),
    (HarmonyMean(d=3, epsilon=1.5), numbers, 3),
    (SampledGRR(d=5, ell=5, epsilon=2.0), sets, 5),
    (PrivSet(d=5, ell=5, epsilon=2.0), sets, 5),
    (Wheel(epsilon=2.0, m=5), sets, 5),
    (PCKVGRR(d=5, ell=5, epsilon=2.0), pairs, 5),
    (StateEncoding(d=5, epsilon=2.0), pairs, 5),
    (PrivKV(d=5, key_epsilon=1.0, value_epsilon=1.0), pairs, 5),
    (WheelKV(epsilon=2.0, m=5), pairs, 5),
    (BitFlip(sizes=(2, 3), f=0.4), records, (2, 3)),
    (HarmonyFrequency(sizes=(2, 3), epsilon=1.5), records, (2, 3)),
    (DrawnAttributes.of((2, 3), OUE, 1.5), records, (2, 3)),
]


@pytest.mark.slow
@pytest.mark.parametrize("m, draw, size", FAMILIES, ids=lambda x: type(x).__name__ if isinstance(x, Mechanism) else "")
def test_intervals_cover_a_population_by_simulation(m, draw, size):
    """Real clients, people drawn anew for each survey; each entry, and all at once; false alarms below 1e-7 each."""
    rng, n = np.random.default_rng(7), 800
    items = (range(size),) if isinstance(m, OpenMechanism) else ()
    hits, all_hit, narrow = [], [], []
    for _ in range(SURVEYS):
        people, truth = draw(rng, n, size)
        tally = m.tally(m.perturb(people, rng=rng), *items)
        for level, together, found in ((0.95, False, hits), (0.95, True, all_hit), (0.85, False, narrow)):
            low, high = interval(tally, level, together=together)
            found.append((low <= truth) & (truth <= high))
    rate = np.mean(hits, 0).ravel()
    slack = norm.isf(FALSE_ALARM) * sqrt(0.05 * 0.95 / SURVEYS)
    assert rate.min() > 0.95 - slack, rate
    assert rate.mean() < 0.985, rate  # they are no wider than they have to be
    assert np.mean([np.all(hit) for hit in all_hit]) > 0.95 - slack
    assert np.mean(narrow, 0).min() < 0.95 - slack  # the control


def test_refusals():
    m = GRR(k=3, epsilon=1.0)
    with pytest.raises(ValueError, match=r"level must be a number in \(0, 1\), got 95"):
        interval(m.tally([0, 1]), 95)
    with pytest.raises(ValueError, match="at least two reports, got 1"):
        interval(m.tally([0]))
    with pytest.raises(ValueError, match="people must be False: the server of .* cannot tell values from noise"):
        interval(Piecewise(epsilon=1.0).tally([0, 1]), people=True)
