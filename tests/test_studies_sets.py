"""The experiments of the lesson on sets of items, and what its figures and sentences show."""

from math import exp

import matplotlib.pyplot as plt
import numpy as np

from ldpnb import PrivSet, Records, SampledGRR, SampledHadamardBit, SampledSUE, Wheel
from ldpnb.book.studies import sets as study

KINDS = {"S-Hist": SampledHadamardBit, "RAPPOR": SampledSUE, "k-RR": SampledGRR, "PrivSet": PrivSet}


def pad(items, d, ell):
    """As on the page."""
    return [*sorted(items), *range(d, d + ell - len(items))]


def listeners(n, d, rng):
    """People with Poisson many items, the first ones more often."""
    popular = 1 / np.arange(2, d + 2)
    popular /= popular.sum()
    return Records.of(*({*rng.choice(d, rng.poisson(2), replace=False, p=popular).tolist()} for _ in range(n)))


def test_the_picture_has_every_entry_of_the_padded_sets():
    ax = study.slots({"Mia": {1, 4}, "Kim": {0, 2, 3}}, pad, 10, 2)
    assert [text.get_text() for text in ax.texts] == ["Mia", "each 1/2", "1", "4", "Kim", "each 1/3", "0", "2", "3"]
    assert len(ax.patches) == 5
    plt.close()


def test_errors_of_simulated_surveys_are_those_of_bias_and_variance():
    """200 surveys, five items that hardly depend on each other: known to 2.3 %, and five times that is allowed."""
    rng = np.random.default_rng(30)
    people = listeners(4000, 40, rng)
    exact, found = study.lengths(KINDS, people, 40, 1.5, [1, 2, 3, 4], rng, surveys=200)
    assert list(found["ℓ"].unique()) == [1, 4] and len(found) == 8 and len(exact) == 16
    both = found.merge(exact, on=["mechanism", "ℓ"])
    assert np.abs(both["error_x"] / both["error_y"] - 1).max() < 0.12
    shifted = found.assign(**{"ℓ": found["ℓ"].map({1: 3, 4: 2})}).merge(exact, on=["mechanism", "ℓ"])  # the control
    assert np.abs(shifted["error_x"] / shifted["error_y"] - 1).max() > 0.3


def test_a_short_length_suits_s_hist_better():
    """Figure fig-items-ell."""
    rng = np.random.default_rng(2018)
    exact, _ = study.lengths(KINDS, listeners(20_000, 100, rng), 100, 1.5, range(1, 11), rng, surveys=1)
    best = exact.loc[exact.groupby("mechanism")["error"].idxmin()].set_index("mechanism")["ℓ"]
    assert best["S-Hist"] == 3 and best["k-RR"] in (4, 5) and best["PrivSet"] == 4


def test_noise_of_simulated_surveys_is_that_of_the_formulas():
    """20 surveys, 50 items: the mean of 1,000 squares is known to 5 %, and five times that is allowed."""
    found = study.absent(KINDS, 100, 8, [1.0], np.random.default_rng(31), surveys=20)
    for name, noise in found.groupby("mechanism")["noise"].mean().items():
        assert abs(noise / KINDS[name](d=100, ell=8, epsilon=1.0).rare_variance - 1) < 0.25
        assert abs(noise / KINDS[name](d=100, ell=8, epsilon=1.5).rare_variance - 1) > 0.25  # the control


def test_which_one_has_the_least_noise():
    """The sentences under fig-items-noise: PrivSet first, then the wheel; S-Hist and RAPPOR behind one question."""
    question = 1000 * exp(1) / (exp(1) - 1) ** 2
    noise = {name: kind(d=1000, ell=50, epsilon=1.0).rare_variance for name, kind in KINDS.items()}
    wheel = Wheel(epsilon=1.0, m=50).variance(Records.of(set()), [0])[0, 0]
    assert noise["PrivSet"] < wheel < 1.3 * noise["PrivSet"] < noise["k-RR"] < question
    assert question < noise["RAPPOR"] < noise["S-Hist"]
    sizes = [PrivSet(d=1000, ell=50, epsilon=e).set_size for e in (2.2, 2.3, 4.0)]
    assert sizes == [2, 1, 1]  # where it is k-RR
    assert 9 < noise["PrivSet"] / PrivSet(d=1000, ell=5, epsilon=1.0).rare_variance < 10  # about in proportion to ℓ
    short, long = ([kind(d=d, ell=4, epsilon=1.5).rare_variance for kind in KINDS.values()] for d in (463, 464))
    assert short[2] < short[0] and long[2] > long[0]  # k-RR against S-Hist
