"""Sizes of k-Subset, block designs and Hadamard response for an item that a share of the people hold."""

import numpy as np
import pytest

from ldpnb import GRR, BlockDesign, HadamardResponse, SubsetSelection
from ldpnb.oracles import best_blocks, best_order, best_size, size_for
from ldpnb import choose

SHARES = 0.0, 0.1, 0.5, 0.9, 1.0
CASES = [(2, 1.0), (5, 0.7), (8, 2.0), (16, 5.0), (40, 1.0), (64, 4.0), (60, 8.0)]


def variance(mechanism, share):
    """n times that of the share of item 0, all others being spread evenly."""
    own, *others = mechanism.variance([0])[0]
    return share * own + (1 - share) * np.mean(others)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(("k", "epsilon"), CASES)
def test_no_other_size_has_less(k, epsilon, share):
    every = [variance(SubsetSelection(k=k, epsilon=epsilon, size=c), share) for c in range(1, k)]
    assert every[size_for(k, epsilon, share) - 1] == pytest.approx(min(every), rel=1e-8)
    blocks = [2**i for i in range((k - 1).bit_length() + 1)]
    made = [variance(HadamardResponse(k=k, epsilon=epsilon, blocks=one), share) for one in blocks]
    found = variance(HadamardResponse(k=k, epsilon=epsilon, blocks=best_blocks(k, epsilon, share)), share)
    assert found == pytest.approx(min(made), rel=1e-8)
    orders = (2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 19, 23, 37, 53, 101)
    made = [variance(BlockDesign(k=k, epsilon=epsilon, q=q), share) for q in orders]
    found = variance(BlockDesign(k=k, epsilon=epsilon, q=best_order(k, epsilon, share=share)), share)
    assert found <= min(made) * (1 + 1e-8)


@pytest.mark.parametrize(
    ("k", "epsilon", "share", "gain"),
    [(64, 4.0, 0.1, 1.47), (16, 5.0, 0.9, 1.78), (8, 2.0, 0.5, 1.25), (100, 8.0, 0.9, 2.85), (300, 6.0, 0.5, 7.05)],
)
def test_sizes_for_all_items_together_are_far_from_the_best_for_frequent_ones(k, epsilon, share, gain):
    """Controls: the sizes that ε alone gives.  Beyond a few items a search near k/(e^ε + 1) would end too early."""
    usual = variance(SubsetSelection(k=k, epsilon=epsilon), share)
    best = SubsetSelection(k=k, epsilon=epsilon, size=size_for(k, epsilon, share))
    assert usual / variance(best, share) == pytest.approx(gain, rel=0.003)
    assert variance(GRR(k=k, epsilon=epsilon), share) > 1.2 * variance(best, share)
    first = choose.Item(n=1, epsilon=epsilon, k=k, share=share).rank()[0]
    assert first.mechanism == best and first.error**2 == pytest.approx(variance(best, share), rel=1e-9)


def test_a_rare_item_has_nearly_the_usual_size_and_an_item_of_all_people_half_of_the_items():
    for k, epsilon in CASES:
        assert abs(size_for(k, epsilon, 0.0) - best_size(k, epsilon)) <= 1
        assert abs(size_for(k, epsilon, 1.0) - k / 2) <= 0.5
    assert choose.Item(n=1, epsilon=1.0, k=40).rank().best.mechanism.size == 0, "ε gives the best size"


@pytest.mark.parametrize("wrong", [-0.1, 1.1, np.nan, "0.5", None])
@pytest.mark.parametrize("search", [size_for, best_blocks, best_order])
def test_what_is_no_share_is_refused(search, wrong):
    with pytest.raises(ValueError, match="share must be"):
        search(5, 1.0, share=wrong)


@pytest.mark.parametrize("bits", [10, 30, 64])
def test_of_short_reports_the_largest_sets_that_fit_are_taken(bits):
    choices = choose.Item(n=1, epsilon=3.0, k=300, share=0.5, bits=bits).rank()
    found = next(one for one in choices if one.name == "k-Subset")
    size = found.mechanism.set_size
    assert not found.excluded and found.private_bits <= bits and size < size_for(300, 3.0, 0.5)
    assert SubsetSelection(k=300, epsilon=3.0, size=size + 1).report_bits > bits
