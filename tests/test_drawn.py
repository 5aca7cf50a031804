"""One public set of attributes, through any oracle."""

import numpy as np
import pytest
from contract import Contract

from ldpnb import GRR, DrawnAttributes, HadamardBit, HadamardResponse, HarmonyFrequency, SHist
from ldpnb.attributes import BitFlip, flip_for, marginals
from ldpnb.attributes.records import every_record
from ldpnb.core import Example
from ldpnb.verify import laws, moments, same_law


class TestDrawnAttributes(Contract):
    cases = [
        *DrawnAttributes.example(),
        Example(DrawnAttributes.of((3, 2), HadamardResponse, 1.0), every_record((3, 2)), pairs=False),
    ]
    bad_values = [np.zeros(3, int), np.zeros((2, 3), int), np.array([[0, 3]]), np.array([[2, 0]]), np.array([[-1, 0]])]
    bad_reports = [np.array([0, 1]), np.zeros(1, [("attributes", np.int64)])]


def test_harmony_is_this_with_one_bit():
    one, other = HarmonyFrequency(sizes=(4, 4), epsilon=1.3), DrawnAttributes.of((4, 4), HadamardBit, 1.3)
    assert same_law(one, other, every_record((4, 4)))
    assert not same_law(one, DrawnAttributes.of((4, 4), HadamardBit, 1.4), every_record((4, 4)))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_tables_are_the_marginals_of_the_people(order):
    sizes = (2, 3, 2)
    mechanism = DrawnAttributes.of(sizes, GRR, 20.0, order)
    people = every_record(sizes)[np.random.default_rng(0).integers(12, size=3000)]
    tally = mechanism.tally(mechanism.perturb(people, rng=np.random.default_rng(1)))
    true = marginals(people, sizes, list(mechanism.sets))
    for one in mechanism.sets:
        found = mechanism.table(tally, one)
        assert found.shape == tuple(sizes[j] for j in one)
        # at so large an ε what is left is the draw of the set
        assert np.abs(found - true[one]).max() < 6 * np.sqrt(len(mechanism.sets) / 3000)
    flat = np.concatenate([mechanism.table(tally, one).ravel() for one in mechanism.sets])
    np.testing.assert_array_equal(flat, mechanism.estimate_of_asked(tally))


def test_one_attribute_takes_a_part_of_the_people_that_all_bits_take():
    """Ten attributes at ε = 2: a hundredth of the variance of a value that is rare."""
    drawn = DrawnAttributes.of((4,) * 10, GRR, 2.0)
    bits = BitFlip(sizes=(4,) * 10, f=flip_for(2.0, 20))
    record = np.zeros((1, 10), int)
    assert bits.variance(record)[0, 1] > 9 * drawn.variance(record)[0, 1]


def test_a_score_that_forgets_the_draw_is_biased():
    class Forgets(DrawnAttributes):
        def _score(self, tally):
            return super()._score(tally) / self.questions

    people = every_record((2, 2))
    mean, _ = moments(Forgets.of((2, 2), GRR, 1.0), people)
    assert np.allclose(mean * 2, DrawnAttributes.of((2, 2), GRR, 1.0).expected(people))
    assert len(laws(Forgets.of((2, 2), GRR, 1.0), people)) == 4


def test_refusals():
    with pytest.raises(ValueError, match="order must be at most 2, got 3"):
        DrawnAttributes(sizes=(2, 2), order=3, oracle=GRR(k=4, epsilon=1.0))
    with pytest.raises(ValueError, match="oracle must have k = 6, got 5"):
        DrawnAttributes(sizes=(2, 3), order=2, oracle=GRR(k=5, epsilon=1.0))
    with pytest.raises(ValueError, match="oracle must be one of items with unbiased shares, got SHist"):
        DrawnAttributes(sizes=(2, 3), oracle=SHist(k=3, epsilon=1.0, m=8))
    mechanism = DrawnAttributes.of((2, 3), GRR, 1.0)
    with pytest.raises(ValueError, match=r"attributes must be 1 of 2, in increasing order, got \(0, 1\)"):
        mechanism.table(mechanism.tally(mechanism.perturb([[0, 0], [1, 2]], rng=np.random.default_rng(0))), (0, 1))
