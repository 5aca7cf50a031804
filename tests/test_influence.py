"""How many honest people a forged report can stand for, beside what an attack measured at the size of a survey."""

from functools import partial

import numpy as np
import pytest
from mechanisms import CATALOGUE

from ldpnb import (
    GRR,
    OLH,
    ORR,
    OUE,
    RAPPOR,
    SUE,
    BlockDesign,
    DrawnAttributes,
    HadamardBit,
    HadamardResponse,
    Hybrid,
    Laplace,
    Piecewise,
    SubsetSelection,
    TwoPoint,
    Wheel,
)
from ldpnb.core import largest_sum

K = dict(k=1024, epsilon=1.0)
WHEEL = Wheel(epsilon=1.0, m=1)


@pytest.mark.parametrize(
    "mechanism, one, ten",
    [
        (GRR(**K), 596, 591),
        (OUE(**K), 3.2, 31.6),
        (OUE(**K, packed=True), 3.2, 31.6),
        (SUE(**K), 2.5, 25.4),
        (OLH(**K), 3.3, 33.3),
        (HadamardBit(**K), 2.2, 21.6),
        (HadamardResponse(**K), 3.3, 33.3),  # measured 16.6: half of the ten targets were in the other block
        (SubsetSelection(**K), 3.2, 31.7),
        (SubsetSelection(**K, packed=True), 3.2, 31.7),
        (WHEEL, 3.3, 33.3),
    ],
    ids=lambda x: type(x).__name__,
)
def test_it_is_what_the_attack_measured(mechanism, one, ten):
    items = [list(range(64))] if mechanism is WHEEL else []
    found = [mechanism.influence(targets, *items) for targets in (1, 10)]
    assert found == pytest.approx([one, ten], rel=0.002 if one > 100 else 0.021, abs=0.051)


@pytest.mark.parametrize("kind, shift", [(TwoPoint, 0.022), (Piecewise, 0.040), (Hybrid, 0.040), (Laplace, 0.030)])
def test_of_a_mean_it_is_the_shift_times_n(kind, shift):
    """Of 100 reports one is forged."""
    assert kind(epsilon=1.0).influence() / 100 == pytest.approx(shift, abs=0.0011)


def test_of_ten_targets_in_two_blocks_half_are_made_larger():
    """Which ten the attack took: items are dealt out to blocks in turn."""
    oracle = HadamardResponse(**K)
    scores = oracle.estimate(oracle.tally(oracle._worst()[:1]))
    assert scores[:10].sum() == pytest.approx(16.6, abs=0.05) and scores[:20].max() == oracle.influence()


@pytest.mark.parametrize(
    "mechanism",
    [RAPPOR(bits=16, hashes=2, cohorts=4, f=0.5, p=0.0, q=1.0), ORR(k=8, cohorts=4, epsilon=1.0)],
    ids=lambda x: type(x).__name__,
)
def test_of_strings_random_forgeries_come_near_and_none_is_better(mechanism):
    items, rng = [f"item {i}" for i in range(12)], np.random.default_rng(0)
    reports = np.zeros(2000, mechanism.dtype)
    for name, (_, values, *shape) in mechanism.layout.items():
        reports[name] = rng.integers(0, values, (2000, *shape))
    best = max(mechanism.estimate(mechanism.tally(reports[i : i + 1], items)).max() for i in range(2000))
    assert 0.5 < best / mechanism.influence(1, items) <= 1 + 1e-12


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("sizes", [(2, 3), (3, 2), (2, 2, 4)])
@pytest.mark.parametrize("make", [GRR, OUE, HadamardBit, HadamardResponse, partial(BlockDesign, q=2)])
def test_of_attributes_of_different_sizes_it_is_the_most_that_any_report_adds(make, sizes, order, epsilon):
    mechanism = DrawnAttributes.of(sizes, make, epsilon, order)
    told = every_report(mechanism.oracle)
    asked = [mechanism._asked(at, told) for at in range(mechanism.questions)]
    scores = [mechanism.estimate(mechanism.tally(one[None])) for one in np.concatenate(asked)]
    for targets in range(1, sum(mechanism.cells) + 1):
        assert mechanism.influence(targets) == pytest.approx(largest_sum(scores, targets), rel=1e-9)


def every_report(oracle):
    """All reports that an oracle counts."""
    entries = [(name, values, *shape) for name, (_, values, *shape) in oracle.layout.items()]
    every = np.indices([values ** int(np.prod(shape)) for _, values, *shape in entries])
    reports = oracle._nothing(every[0].size)
    for (name, values, *shape), codes in zip(entries, every, strict=True):
        digits = codes.ravel()[:, None] // values ** np.arange(int(np.prod(shape))) % values
        reports[name or ...] = digits.reshape(-1, *shape)
    return reports


@pytest.mark.parametrize("name", CATALOGUE)
def test_no_honest_report_at_the_size_of_benchmarks_adds_more(name):
    entry, rng = CATALOGUE[name], np.random.default_rng(0)
    mechanism = entry.build(entry.bench, 1.0)
    items = [entry.items(mechanism)] if entry.items else []
    reports = mechanism.perturb(entry.people(mechanism, 60, rng), rng=rng)
    scores = [mechanism.estimate(mechanism.tally(reports[i : i + 1], *items)).ravel() for i in range(60)]
    for targets in range(1, min(2, len(scores[0])) + 1):
        assert largest_sum(scores, targets) <= mechanism.influence(targets, *items) * (1 + 1e-12)


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ValueError, match="targets must be"):
        GRR(k=3, epsilon=1.0).influence(4)
    with pytest.raises(ValueError, match="items must"):
        WHEEL.influence()
    with pytest.raises(ValueError, match="targets must leave at most .* choices, got 10 of 40: take or name fewer"):
        RAPPOR(bits=64, hashes=2, cohorts=4, f=0.5, p=0.0, q=1.0).influence(10, list(range(40)))
