"""The studies of RAPPOR, O-RAPPOR and O-RR measure what they are given."""

from math import sqrt

import numpy as np
import pytest

from ldpnb import ORR, RAPPOR, SUE
from ldpnb.strings import one_time
from ldpnb_book.studies import ye2018_strings as study


class Noise:
    """A mechanism whose scores have a known variance for strings that nobody has; its filters are given."""

    def __init__(self, noise=1.0, cells=None):
        self.noise, self.cells, self.cohorts = noise, cells, 1

    def variance(self, values, items):
        found = np.full((len(values), len(items)), float(self.noise))
        found[:, : len(values)] = np.nan  # of strings that people have, which do not count
        return found

    def filters(self, strings):
        return np.array(self.cells)[: len(strings), None]


def test_unary_noise_is_that_of_sue():
    assert study.unary_noise(0.7) == pytest.approx(SUE(k=5, epsilon=0.7).variance([0])[0, 1])


def test_rare_noise_leaves_out_strings_that_people_have():
    assert study.rare_noise(Noise(3.0), study.pages(30), 10) == 3
    assert study.rare_noise(ORR(k=2, cohorts=2, epsilon=1.0), study.pages(64)) is None


def test_filters_are_compared_with_a_bit_for_every_string():
    mechanism = one_time(bits=64, hashes=1, cohorts=16, epsilon=2.0)
    expected = study.rare_noise(mechanism, study.pages(40)) / study.unary_noise(2.0)
    assert study.filtered_over_unary(64, 16, strings=40, eps=2.0) == pytest.approx(expected)
    assert study.filtered_over_unary(3, 1) == np.inf


@pytest.mark.parametrize("power", [1.0, 1.5])
def test_growth_is_an_exponent(power):
    assert study.growth(lambda size: Noise(size ** (2 * power - 2))) == pytest.approx(power)


def test_twins_have_one_mean_and_different_shares():
    same, apart = study.twins(Noise(cells=[[1, 0], [1, 0], [0, 1]]), 3)  # the first two cannot be told apart
    assert same < 1e-12 and apart > 0.1
    assert study.twins(Noise(cells=np.eye(3)), 3) is None


def test_counting_alone_is_exact_without_collisions():
    assert study.counted_alone(Noise(cells=np.eye(3)), [0.5, 0.3, 0.2], 0) == pytest.approx(0)
    shared = Noise(cells=[[1, 0], [1, 0], [0, 1]])
    assert study.counted_alone(shared, [0.5, 0.3, 0.2], 0) == pytest.approx(0.5)  # the second string is taken for 0.8
    few = RAPPOR(bits=8, hashes=1, cohorts=4, f=0.5, p=0.0, q=1.0)
    assert study.counted_alone(few, np.full(20, 1 / 20), 1 / 8) > 0.01


def test_collisions_are_counted():
    assert study.collisions(lambda string, cohort: 0, 100) == (1, 1, 1)
    apart = study.collisions(lambda string, cohort: 1000 * cohort + int(string[4:-8]), 100)
    assert apart == (0, 0, 0)
    one = study.collisions(lambda string, cohort: 0 if cohort else int(string[4:-8]), 100)
    assert one[1:] == (0, 0) and one[0] == pytest.approx(0, abs=1 / sqrt(99))
