"""The experiments of the lesson on PCKV and the wheel, and what its figures and sentences show."""

from math import exp, log

import numpy as np
import pytest
from scipy.optimize import brentq

from ldpnb import PCKVGRR, PCKVUE, PrivKV, Records, StateEncoding, StateEncodingSplit, WheelKV
from ldpnb.keyvalue import holdings
from ldpnb_book.studies import pckv as study

MAKE = {
    "PCKV-GRR": lambda d, eps: PCKVGRR(d=d, ell=8, epsilon=eps),
    "PCKV-UE": lambda d, eps: PCKVUE(d=d, ell=8, epsilon=eps),
    "Wheel-KV": lambda d, eps: WheelKV(epsilon=eps, m=8),
}
SE = exp(1) / (exp(1) + 2), 1 / (exp(1) + 2), 1 / (exp(1) + 2), 1.0


def server(M, alpha, beta, gamma, w):
    """As on the page."""
    N, share = M.sum(), M / M.sum()
    score_f = (np.array([1, 0, 1]) - 2 * gamma) / (w * (alpha + beta - 2 * gamma))
    score_s = np.array([-1, 0, 1]) / (w * (alpha - beta))
    f, m = share @ score_f, (share @ score_s) / (share @ score_f)
    score_m = (score_s - m * score_f) / f
    return f, m, *(np.sqrt((share @ z**2 - (share @ z) ** 2) / N) for z in (score_f, score_m))


def test_the_delta_method_holds_for_a_million_reports_and_not_for_ten_thousand():
    """2,000 surveys: an error is known to 1.6 %, and six times that is allowed; a bias to six standard errors."""
    exact, found = study.ratio(server, SE, f=0.02, m=0.5, sizes=[1e4, 1e6, 1e7], rng=np.random.default_rng(5))
    off = np.abs(found["error"] / exact["error"] - 1)
    assert off[0] > 0.1 and off[1:].max() < 0.1
    assert np.abs((found["bias"] - exact["bias"]) / (exact["error"] / 2000**0.5))[1:].max() < 6
    assert 3e4 < exact.attrs["reliable"] < 6e4


def test_neither_clipping_nor_reliability_cures_the_bias():
    """At ten thousand reports 6.3 % of surveys are reliable, of bias −0.28 ± 0.005; all have −0.155 ± 0.015."""
    found = study.ratio(server, SE, f=0.02, m=0.5, sizes=[1e3, 1e4, 1e6], rng=np.random.default_rng(8))[1]
    assert np.isnan(found["bias if reliable"][0]) and found["bias"][0] < -0.25
    assert found["passed"][1] == pytest.approx(0.063, abs=0.033)
    assert found["bias if reliable"][1] == pytest.approx(-0.28, abs=0.05)
    assert found["bias"][1] == pytest.approx(-0.155, abs=0.09) and found["passed"][2] == 1


def test_variances_over_all_keys_are_those_of_simulated_surveys():
    """64 keys, 200 surveys of 2,000 people: known to 1.3 %, and six times that is allowed; a control with ℓ = 7."""
    d, n, rng = 64, 2000, np.random.default_rng(6)
    keys = np.argsort(rng.random((n, d)), 1)[:, :8]
    records = Records.from_arrays(np.repeat(np.arange(n), 8), keys.ravel(), np.zeros(8 * n), n=n)
    people = holdings(records, d, sizes=True)
    for make in MAKE.values():
        mechanism = make(d, 2.0)
        found = mechanism.estimate(mechanism.simulate_marginals(people, trials=200, rng=rng))[:, 0]
        seen = n * np.square(found - people.frequency).mean()
        assert abs(seen / study.mean_variance(mechanism, d, 8) - 1) < 0.08
    assert abs(seen / study.mean_variance(WheelKV(epsilon=2.0, m=7), d, 8) - 1) > 0.08


def test_state_encoding_divides_by_the_number_of_reports_about_a_key():
    """As above, at ε = 8; dividing by n/d, as the mechanism does, the variance is 14 % larger, which is the control."""
    d, n, rng = 64, 8000, np.random.default_rng(7)
    keys = np.argsort(rng.random((n, d)), 1)[:, :8]
    records = Records.from_arrays(np.repeat(np.arange(n), 8), keys.ravel(), np.zeros(8 * n), n=n)
    people, mechanism = holdings(records, d, sizes=True), StateEncoding(d=d, epsilon=8.0)
    tally = mechanism.simulate_marginals(people, trials=400, rng=rng)
    alpha, beta, gamma = map(float, mechanism.answer)
    share = (tally.counts[..., 0] + tally.counts[..., 2]) / tally.counts.sum(-1)
    found = (share - 2 * gamma) / (alpha + beta - 2 * gamma)
    stated = study.mean_variance(mechanism, d, 8)
    for estimate, same in ((found, True), (mechanism.estimate(tally)[:, 0], False)):
        assert (abs(n * np.square(estimate - people.frequency).mean() / stated - 1) < 0.06) == same


@pytest.mark.parametrize(("d", "f", "s"), [(64, 1.65, 1.73), (512, 3.94, 3.95), (10_000, 6.94, 6.94)])
def test_pckv_grr_has_the_smaller_variance_from_these_budgets_on(d, f, s):
    for which, stated in enumerate((f, s)):

        def gap(eps, which=which):
            grr, wheel = (study.mean_variance(MAKE[name](d, eps), d, 8, which) for name in ("PCKV-GRR", "Wheel-KV"))
            return log(grr / wheel)

        assert abs(brentq(gap, 0.5, 9) - stated) < 0.02


def test_ratios_are_to_the_last_kind():
    frame = study.compare(MAKE, 512, [1.0, 5.0], held=8).set_index(["mechanism", "ε"])["ratio"]
    assert (frame["Wheel-KV"] == 1).all() and frame["PCKV-GRR", 1.0] > 1 > frame["PCKV-GRR", 5.0]
    assert (frame["PCKV-UE"] > 1).all()


def test_properties_show_the_calculus_and_the_noises():
    shown = study.properties(MAKE, 512, 1.0).data
    e, noise = exp(1), study.mean_variance(MAKE["PCKV-UE"](512, 1.0), 512, 0)
    assert noise == pytest.approx(8 * 64 * (e + 1) / (e - 1) ** 2) and f"{noise:,.0f}" in shown
    published = PrivKV.nominal_split(512, 1.0).realised_epsilon  # less than 1
    assert published == pytest.approx(0.5 + log(2 * exp(0.5) / (1 + exp(0.5))))


def test_noise_of_the_wheel_has_the_stated_formula_and_numbers():
    e, seen = exp(1), {}
    for m, g in ((1, 5), (2, 9), (3, 14), (8, 39), (8, 12)):
        wheel = WheelKV(epsilon=1.0, m=m, slots=g)
        seen[g] = wheel.variance(Records.of({}), [0])[0, 0, 0]

        def stated(free, m=m, g=g):
            return 2 * (g + m * (e - 1)) ** 2 * (g - 1) ** 2 / ((e - 1) ** 2 * (g - free) ** 2 * (g - 2))

        assert seen[g] == pytest.approx(stated(m)) and seen[g] != pytest.approx(stated(m - 1), rel=0.02)
    assert [seen[g] for g in (5, 9, 14, 39)] == pytest.approx([10.2, 19.5, 28.9, 76.5], abs=0.06)


def test_asking_about_all_keys_is_worse_for_small_budgets_and_better_for_large_ones():
    """A key that 30 % hold; equal at ε = 3.7, 5.7 and 8."""

    def noise(mechanism):
        holder, other = mechanism.variance(Records.of({0: 0.5}, {}))[:, 0, 0]
        return 0.3 * holder + 0.7 * other

    for d, equal in ((2, 3.7), (5, 5.7), (10, 8.0)):

        def ratio(eps, d=d):
            return noise(StateEncodingSplit(d=d, epsilon=eps)) / noise(StateEncoding(d=d, epsilon=eps))

        assert abs(ratio(0.1) / d - 1) < 0.1 and ratio(equal - 0.2) > 1 > ratio(equal + 0.2)


def test_the_best_circle_is_best():
    """The sum of both noises is no smaller with a slot more or fewer, and 2 % larger with twice as many."""
    for m in (1, 4, 8):
        for eps in (0.2, 1.0, 4.0):
            best = WheelKV(epsilon=eps, m=m).slot_count

            def noise(slots, m=m, eps=eps):
                return WheelKV(epsilon=eps, m=m, slots=slots).variance(Records.of({}), [0])[0, :, 0].sum()

            around = [slots for slots in (best - 1, best + 1) if slots > max(m, 2)]
            assert all(noise(best) <= noise(slots) for slots in around) and noise(2 * best) > 1.02 * noise(best)


def test_the_wheel_for_one_pair_is_pckv_ue():
    ue = np.array(PCKVUE(d=4, ell=1, epsilon=log(2)).answer, float)
    for slots, same in ((5, True), (6, False)):  # e^ε + 3 = 5
        wheel = np.array(WheelKV(epsilon=log(2), m=1, slots=slots).answer, float)
        assert np.allclose(wheel, ue, atol=1e-12) == same


def test_state_encoding_has_the_least_noise_for_few_keys():
    kinds = [
        lambda d, ell, eps: PCKVUE(d=d, ell=ell, epsilon=eps),
        lambda d, ell, eps: PCKVGRR(d=d, ell=ell, epsilon=eps),
        lambda d, ell, eps: StateEncoding(d=d, epsilon=eps),
        lambda d, ell, eps: WheelKV(epsilon=eps, m=ell),
    ]
    few = [study.mean_variance(make(4, 2, 1.0), 4, 0) for make in kinds]
    assert few[2] == pytest.approx(7.4, abs=0.05) and min(few[:2] + few[3:]) > 9
    games = [study.mean_variance(make(20, 3, 2.0), 20, 0) for make in kinds]
    assert games == pytest.approx([14.8, 3.1, 7.2, 4.9], abs=0.05)
    assert study.mean_variance(StateEncodingSplit(d=20, epsilon=2.0), 20, 0) == pytest.approx(200, abs=0.5)


def test_the_ring_fills_what_is_covered():
    ax = study.ring(5, {1, 3}, {1: "a+", 2: "a−"})
    filled = [patch.get_facecolor()[0] < 0.5 for patch in ax.patches]
    assert filled == [False, True, False, True, False]
    assert {"a+", "a−", "4"} <= {text.get_text() for text in ax.texts}
