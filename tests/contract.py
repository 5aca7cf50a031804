"""The contract of ldpnb.core as one set of tests, which every mechanism's test class inherits.

Exact tests walk every branch of the client.  Sampled tests have a false-alarm rate of 1e-9 each.
"""

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement
from math import exp, nan
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from ldpnb.chance import freeze, law, odds
from ldpnb.checks import EPSILON_MAX, EPSILON_MIN
from ldpnb.core import Mechanism, Records, Tally, named
from ldpnb.oracles.frequency import GRR
from ldpnb.verify._laws import laws, moments, worst

FALSE_ALARM = 1e-9


BAD_PAIRS = [  # no records of keys 0 and 1 with values in [−1, 1]
    [{0: 1.0}],
    np.array([0, 1]),
    Records.of({0}, {1}),
    Records.of({0: 1.0}, {2: 1.0}),
    Records.of({0: 1.5}),
    Records.of({0: -1.0000001}),
    Records(np.array([0, 1]), np.array([-1]), np.array([0.0])),
    Records(np.array([0, 1]), np.array([0]), np.array([np.nan])),
]


@dataclass
class Case:
    """A mechanism small enough to be enumerated, and the values to try it on."""

    mechanism: Mechanism
    inputs: Any  # a batch, one person each; must contain a worst pair
    items: Any = None  # candidates, for open domains
    groups: tuple[tuple[slice, float], ...] = ()  # (inputs with one public part, their stated ε); else all of them
    histogram: bool = False  # whether simulate takes counts of the inputs, in their order
    pairs: bool = True  # whether two people's branches are few enough to be walked

    def __str__(self):
        return str(self.mechanism)


def populations(case, counts, trials, rng):
    """Simulated populations; on an open domain the values that are counted have to be named."""
    values = None if case.items is None else case.inputs
    return case.mechanism.simulate(counts, *named(values), trials=trials, rng=rng)


def stated_rounding(epsilon):
    """What rounding the thresholds toward privacy may cost of ε."""
    return 2.0**-46 * exp(epsilon)


def chi_square(observed, expected):
    """P-value of counts against expected counts; cells expecting fewer than five are pooled."""
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    small = expected < 5
    if small.any():
        observed = np.append(observed[~small], observed[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
    if len(expected) < 2:
        return 1.0
    return chi2.sf(((observed - expected) ** 2 / np.maximum(expected, 1e-9)).sum(), len(expected) - 1)


def total_variation(p, q):
    return sum((abs(p.get(y, Fraction(0)) - q.get(y, Fraction(0))) for y in p.keys() | q.keys()), Fraction(0)) / 2


class Contract:
    """Subclasses list their `cases`, and values and reports that must be refused."""

    cases: list[Case]
    bad_values: list[Any]
    bad_reports: list[Any]

    def pytest_generate_tests(self, metafunc):
        for name, several in (("case", "cases"), ("bad_value", "bad_values"), ("bad_report", "bad_reports")):
            if name in metafunc.fixturenames:
                found = getattr(metafunc.cls, several)
                metafunc.parametrize(name, found, ids=[str(x)[:60].replace("\n", " ") for x in found])

    # ------------------------------------------------------------------------------------------------- privacy

    def test_epsilon_of_the_law_is_the_stated_one(self, case):
        found = []
        groups = case.groups or ((slice(None), case.mechanism.epsilon),)
        assert case.mechanism.epsilon == max(stated for _, stated in groups)
        for people, stated in groups:
            one = worst(laws(case.mechanism, case.inputs[people]))
            assert one.ratio is not None and one.ratio <= odds(stated), "the client shows more than the stated ε"
            assert one.epsilon >= stated - stated_rounding(stated), "the client hides more than the stated ε"
            found.append(one.epsilon)
        assert case.mechanism.realised_epsilon == pytest.approx(max(found), rel=1e-12, abs=1e-15)

    def test_epsilon_is_kept_at_every_size(self, case):
        if "epsilon" not in {f.name for f in fields(case.mechanism)}:
            pytest.skip("its ε follows from other parameters")
        for epsilon in (EPSILON_MIN, 0.01, 0.1, 1, 3, 10, 20, EPSILON_MAX):
            mechanism = replace(case.mechanism, epsilon=epsilon)
            assert epsilon - stated_rounding(epsilon) <= mechanism.realised_epsilon <= epsilon

    def test_public_part_does_not_depend_on_the_value(self, case):
        names = case.mechanism.public_fields
        for people, _ in case.groups or ((slice(None), None),):
            inputs = case.inputs[people]

            def public(rng, i, inputs=inputs):
                report = case.mechanism.perturb(inputs[i : i + 1], rng=rng)
                return tuple(freeze(report[name]) for name in names)

            if names:
                assert len({frozenset(law(lambda rng, i=i: public(rng, i)).items()) for i in range(len(inputs))}) == 1

    def test_report_has_the_stated_size(self, case):
        seen = {}
        for i in range(len(case.inputs)):
            for report in law(lambda rng, i=i: case.mechanism.perturb(case.inputs[i : i + 1], rng=rng)[0]):
                names = case.mechanism.perturb(case.inputs[:1], rng=np.random.default_rng(0)).dtype.names or ()
                public = (
                    tuple(y for name, y in zip(names, report, strict=True) if name in case.mechanism.public_fields)
                    if names
                    else ()
                )
                seen.setdefault(public, set()).add(report)
        most = max(map(len, seen.values()))
        assert 2 ** (case.mechanism.report_bits - 1) < most <= 2**case.mechanism.report_bits

    # ------------------------------------------------------------------------------------------ bias and variance

    def test_estimate_is_unbiased(self, case):
        mean, _ = moments(case.mechanism, case.inputs, case.items)
        scale = 1 + np.sqrt(case.mechanism.variance(case.inputs, *named(case.items)))
        assert mean.shape == scale.shape
        assert np.all(np.abs(mean - case.mechanism.expected(case.inputs, *named(case.items))) <= 1e-12 * scale)

    def test_noise_is_the_variance(self, case):
        _, variance = moments(case.mechanism, case.inputs, case.items)
        np.testing.assert_allclose(
            case.mechanism.variance(case.inputs, *named(case.items)), variance, rtol=1e-9, atol=1e-12
        )

    def test_estimate_is_the_mean_of_scores(self, case):
        m, rng = case.mechanism, np.random.default_rng(1)
        people = rng.integers(len(case.inputs), size=30)
        reports = m.perturb(case.inputs[people], rng=rng)
        scores = [m.estimate(m.tally(reports[i : i + 1], *named(case.items))) for i in range(30)]
        whole = m.estimate(m.tally(reports, *named(case.items)))
        np.testing.assert_allclose(whole, np.mean(scores, 0), rtol=1e-9, atol=1e-9 * np.max(np.abs(scores)))

    def test_estimate_takes_trials_one_by_one(self, case):
        m, rng = case.mechanism, np.random.default_rng(5)
        tallies = [m.tally(m.perturb(case.inputs, rng=rng), *named(case.items)) for _ in range(3)]
        trials = Tally(m, tallies[0].n, np.stack([t.counts for t in tallies]), tallies[0].items)
        alone = np.stack([m.estimate(t) for t in tallies])
        np.testing.assert_allclose(m.estimate(trials), alone, rtol=1e-12, atol=1e-13 * np.max(np.abs(alone)))

    # ------------------------------------------------------------------------------------------ client and server

    def test_draws_follow_the_law(self, case):
        n = 4000
        for i in range(len(case.inputs)):
            exact = law(lambda rng, i=i: case.mechanism.perturb(case.inputs[i : i + 1], rng=rng)[0])
            same = np.full(n, i)
            drawn = case.mechanism.perturb(case.inputs[same], rng=np.random.default_rng(2))
            counts = dict.fromkeys(exact, 0)
            for report in drawn:
                counts[freeze(report)] += 1  # a KeyError is a report that the law does not know
            assert chi_square(list(counts.values()), [float(p) * n for p in exact.values()]) > FALSE_ALARM

    @pytest.mark.slow
    def test_people_are_independent(self, case):
        if not case.pairs:
            pytest.skip("two people have too many branches")
        one = laws(case.mechanism, case.inputs)
        for i, j in combinations_with_replacement(range(min(3, len(one))), 2):
            both = law(lambda rng, i=i, j=j: case.mechanism.perturb(case.inputs[np.array([i, j])], rng=rng))
            assert both == {(x, y): p * q for x, p in one[i].items() for y, q in one[j].items()}

    def test_tallies_add(self, case):
        m, rng = case.mechanism, np.random.default_rng(3)
        reports = m.perturb(case.inputs[rng.integers(len(case.inputs), size=50)], rng=rng)
        whole = m.tally(reports, *named(case.items))
        assert whole.counts.dtype == np.int64 and whole.n == 50
        for cuts in ((7, 20), (0, 50), (1, 1)):
            a, b, c = (m.tally(part, *named(case.items)) for part in np.split(reports, cuts))
            total = sum([a, b, c])
            assert total.n == 50 and np.array_equal(total.counts, whole.counts)

    def test_same_seed_same_reports(self, case):
        before = np.random.get_state()[1].copy()  # noqa: NPY002  -- the global state, which nobody may touch
        a, b = (case.mechanism.perturb(case.inputs[[0] * 200], rng=np.random.default_rng(4)) for _ in range(2))
        assert freeze(a) == freeze(b)
        assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002

    # ------------------------------------------------------------------------------------------------- simulation

    @pytest.mark.slow
    def test_simulate_has_the_law_of_two_clients(self, case):
        if not case.histogram or not case.pairs:
            pytest.skip("no simulation of whole populations")
        m, k = case.mechanism, len(case.inputs)
        for i, j in combinations_with_replacement(range(min(3, k)), 2):
            counts = np.bincount([i, j], minlength=k)
            client = law(lambda rng, i=i, j=j: m.tally(m.perturb(case.inputs[np.array([i, j])], rng=rng)).counts)
            if hasattr(m, "simulate"):
                simulated = law(lambda rng, counts=counts: populations(case, counts, 1, rng).counts[0])
                assert total_variation(client, simulated) <= 2.0**-50
            for v in range(k) if hasattr(m, "simulate_marginals") else ():
                marginal = law(
                    lambda rng, counts=counts, v=v: m.simulate_marginals(counts, trials=1, rng=rng).counts[0, v]
                )
                alone = {}
                for y, p in client.items():
                    alone[y[v]] = alone.get(y[v], 0) + p
                assert total_variation(marginal, alone) <= 2.0**-50

    @pytest.mark.slow
    def test_simulate_has_the_law_of_many_clients(self, case):
        if not case.histogram:
            pytest.skip("no simulation of whole populations")
        m, trials, rng = case.mechanism, 3000, np.random.default_rng(6)
        counts = np.arange(1, len(case.inputs) + 1) * 2
        values = case.inputs[np.repeat(np.arange(len(counts)), counts)]
        client = np.stack([m.tally(m.perturb(values, rng=rng)).counts.ravel() for _ in range(trials)])
        ways = {"simulate": partial(populations, case), "simulate_marginals": getattr(m, "simulate_marginals", None)}
        for name, simulate in ways.items():
            if hasattr(m, name):
                tally = simulate(counts, trials=trials, rng=rng)
                assert tally.n == counts.sum() and tally.counts.dtype == np.int64
                for v in range(client.shape[1]):
                    simulated = tally.counts.reshape(trials, -1)
                    a, b = (np.bincount(c[:, v], minlength=tally.n + 1) for c in (client, simulated))
                    common = a + b >= 10
                    table = np.array([[*a[common], a[~common].sum()], [*b[common], b[~common].sum()]], float)
                    both = table.sum(0) / 2
                    statistic = ((table - both) ** 2 / np.maximum(both, 1e-9)).sum()
                    assert chi2.sf(statistic, max(1, common.sum())) > FALSE_ALARM

    # -------------------------------------------------------------------------------------------------- bad input

    @pytest.mark.parametrize("epsilon", [0, -1.0, nan, float("inf"), 32.5, 1e-9, "1", None, True, 1j])
    def test_bad_epsilon_is_refused(self, case, epsilon):
        if "epsilon" not in {f.name for f in fields(case.mechanism)}:
            pytest.skip("its ε follows from other parameters")
        with pytest.raises(ValueError, match=r"epsilon must be a finite number in \[1e-06, 32\], got"):
            replace(case.mechanism, epsilon=epsilon)

    def test_bad_values_are_refused(self, bad_value):
        with pytest.raises(ValueError, match=r"must .*, got"):
            self.cases[0].mechanism.perturb(bad_value, rng=np.random.default_rng(0))

    def test_bad_reports_are_refused(self, bad_report):
        with pytest.raises(ValueError, match=r"must .*, got"):
            self.cases[0].mechanism.tally(bad_report, *named(self.cases[0].items))

    @pytest.mark.parametrize("rng", [None, 0, np.random.RandomState(0)])
    def test_bad_rng_is_refused(self, case, rng):
        with pytest.raises(ValueError, match="rng must be a numpy.random.Generator"):
            case.mechanism.perturb(case.inputs, rng=rng)

    def test_nobody_is_refused(self, case):
        with pytest.raises(ValueError, match="at least one person"):
            case.mechanism.perturb(case.inputs[:0], rng=np.random.default_rng(0))

    def test_foreign_and_empty_tallies_are_refused(self, case):
        m, stranger = case.mechanism, GRR(k=7, epsilon=0.3)
        reports = m.perturb(case.inputs, rng=np.random.default_rng(0))
        foreign = stranger.tally(np.array([0, 1]))
        with pytest.raises(ValueError, match="tally must be of"):
            m.estimate(foreign)
        with pytest.raises(ValueError, match="one mechanism"):
            m.tally(reports, *named(case.items)) + foreign
        with pytest.raises(ValueError, match="at least one report"):
            m.estimate(m.tally(reports[:0], *named(case.items)))
