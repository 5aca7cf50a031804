"""The experiments of the lesson on sets of items, and what its figures and sentences show."""

from math import ceil, exp, floor

import matplotlib.pyplot as plt
import numpy as np
import pytest

from ldpnb import PrivSet, Records, SampledGRR, SampledHadamardBit, SampledSUE, Wheel, laws, pick
from ldpnb_book.studies import sets as study

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
    ax = study.slots({"Mia": {1}, "Kim": {0, 2, 3}}, pad, 10, 2)
    assert [text.get_text() for text in ax.texts] == ["Mia", "each 1/2", "1", "10", "Kim", "each 1/3", "0", "2", "3"]
    assert [patch.get_linestyle() for patch in ax.patches] == ["-", "--", "-", "-", "-"]
    plt.close()


def test_errors_of_simulated_surveys_are_those_of_bias_and_variance():
    """200 surveys, five items that hardly depend on each other: known to 2.3 %, and five times that is allowed."""
    rng = np.random.default_rng(30)
    people = listeners(4000, 40, rng)
    exact, found = study.lengths(KINDS, people, 40, 1.5, dict.fromkeys(KINDS, 200), rng, tried=[1, 2, 3, 4])
    assert list(found["ℓ"].unique()) == [1, 4] and len(found) == 8 and len(exact) == 16
    both = found.merge(exact, on=["mechanism", "ℓ"])
    assert np.abs(both["error_x"] / both["error_y"] - 1).max() < 0.12
    shifted = found.assign(**{"ℓ": found["ℓ"].map({1: 3, 4: 2})}).merge(exact, on=["mechanism", "ℓ"])  # the control
    assert np.abs(shifted["error_x"] / shifted["error_y"] - 1).max() > 0.3


def test_a_short_length_suits_s_hist_better():
    """Figure fig-items-ell."""
    rng = np.random.default_rng(2018)
    exact, _ = study.lengths(KINDS, listeners(20_000, 100, rng), 100, 1.5, dict.fromkeys(KINDS, 1), rng)
    best = exact.loc[exact.groupby("mechanism")["error"].idxmin()].set_index("mechanism")["ℓ"]
    assert best["S-Hist"] == 3 and best["k-RR"] in (4, 5) and best["PrivSet"] == 4
    error = exact.pivot(index="ℓ", columns="mechanism", values="error")
    growth = error.loc[10] / error.loc[4] - 1
    assert {name: round(growth[name], 1) for name in ("k-RR", "PrivSet", "S-Hist")} == {
        "k-RR": 0.1, "PrivSet": 0.4, "S-Hist": 1.5,
    }  # fmt: skip


def test_noise_of_simulated_surveys_is_that_of_the_formulas():
    """20 surveys, 50 items: the mean of 1,000 squares is known to 5 %, and five times that is allowed."""
    found = study.absent(KINDS, 100, 8, [1.0], np.random.default_rng(31), surveys=20)
    for name, noise in found.groupby("mechanism")["noise"].mean().items():
        assert abs(noise / KINDS[name](d=100, ell=8, epsilon=1.0).rare_variance - 1) < 0.25
        assert abs(noise / KINDS[name](d=100, ell=8, epsilon=1.5).rare_variance - 1) > 0.25  # the control


def test_which_one_has_the_least_noise():
    """The sentences under the last table: PrivSet first, then the wheel; S-Hist and RAPPOR behind one question."""
    question = 1000 * exp(1) / (exp(1) - 1) ** 2
    noise = {name: kind(d=1000, ell=50, epsilon=1.0).rare_variance for name, kind in KINDS.items()}
    wheel = Wheel(epsilon=1.0, m=50).variance(Records.of(set()), [0])[0, 0]
    assert noise["PrivSet"] < wheel < noise["k-RR"] < question and round(wheel / noise["PrivSet"], 2) == 1.27
    assert question < noise["RAPPOR"] < noise["S-Hist"]
    sizes = [PrivSet(d=1000, ell=50, epsilon=e).set_size for e in (2.2, 2.3, 4.0)]
    assert sizes == [2, 1, 1]  # where it is k-RR
    assert 9 < noise["PrivSet"] / PrivSet(d=1000, ell=5, epsilon=1.0).rare_variance < 10
    growth = {
        name: KINDS[name](d=100_000, ell=500, epsilon=1.0).rare_variance
        / KINDS[name](d=10_000, ell=50, epsilon=1.0).rare_variance
        for name in ("PrivSet", "S-Hist")
    }
    wide = Wheel(epsilon=1.0, m=500).variance(Records.of(set()), [0])[0, 0] / wheel
    assert abs(growth["PrivSet"] / 10 - 1) < 0.02 and abs(wide / 10 - 1) < 0.02  # in proportion to ℓ
    assert growth["S-Hist"] > 99  # the control


@pytest.mark.parametrize("ell", [1, 2, 4, 5, 50])
@pytest.mark.parametrize("eps", [0.1, 0.5, 1.0, 1.5, 3.0])
def test_k_rr_against_one_bit(ell, eps):
    """It has less noise up to the last whole number of items below the threshold; another threshold is the control."""

    def better(d):
        return SampledGRR(d=d, ell=ell, epsilon=eps).rare_variance < ell**2 * ((exp(eps) + 1) / (exp(eps) - 1)) ** 2

    threshold = ell**2 * (exp(eps) + 1) ** 2 - ell * exp(eps) + 1
    assert better(ceil(threshold) - 1) and not better(floor(threshold) + 1)
    control = threshold + ell * exp(eps) - 1
    assert ell == 1 or not better(ceil(control) - 1)
    if (ell, eps) == (4, 1.5):
        assert ceil(threshold) - 1 == 463


def test_cutting_first_is_drawing_at_once():
    """All 16 sets of four items; a client that does not pad is the control."""

    def cut_and_draw(items, ell, rng):
        left, kept = sorted(items), []
        while left and len(kept) < ell:
            kept.append(left.pop(pick(range(len(left)), rng)))
        return pick(pad(kept, 4, ell), rng)

    sets = [{x for x in range(4) if code >> x & 1} for code in range(16)]
    for ell in (1, 2, 3):
        two = [
            [
                {min(y, 4): sum(p for z, p in law.items() if min(z, 4) == min(y, 4)) for y in law}
                for law in laws(client, sets)
            ]
            for client in (
                lambda s, rng, ell=ell: cut_and_draw(s, ell, rng),
                lambda s, rng, ell=ell: pick(pad(s, 4, ell), rng),
                lambda s, rng: pick(pad(s, 4, 1), rng),
            )
        ]
        assert two[0] == two[1]
        assert (two[0] == two[2]) == (ell == 1)
