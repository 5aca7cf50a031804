import sys
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, chi2, false_discovery_control, norm

from ldpnb.chance import law
from ldpnb.core import Tally
from ldpnb.oracles.grr import GRR
from ldpnb.strings import hashed
from ldpnb.strings.decoding import decode
from ldpnb.strings.rappor import ORR, RAPPOR, one_time

BITS = RAPPOR(bits=16, hashes=2, cohorts=8, f=0.5, p=0.5, q=0.75)
SLOTS = ORR(k=8, cohorts=16, epsilon=2)
SHARP = one_time(bits=16, hashes=2, cohorts=8, epsilon=6)
ALL = pytest.mark.parametrize("mechanism", [BITS, SHARP, SLOTS], ids=["RAPPOR", "one-time", "ORR"])


@pytest.fixture(scope="module", autouse=True)
def remembered():
    """Many surveys ask for the same names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hashed, "position", cache(hashed.position))
        yield


def names(number, start=0):
    return [f"w{i}" for i in range(start, start + number)]


def survey(mechanism, counts, trials, seed, values=None):
    """Tallies of people who hold the first candidates, or the values, one a trial."""
    drawn = mechanism.simulate(
        counts, values or names(len(counts)), trials=trials, rng=np.random.default_rng(seed), items=None
    )
    return [replace(drawn, counts=one) for one in drawn.counts]


def setting(mechanism, *cells):
    """Values whose only cells in cohort 0 are these."""
    found = []
    for cell in cells:
        want = np.arange(mechanism.width) == cell
        found.append(next(i for i in count() if (mechanism.filters([i])[0, 0] == want).all() and i not in found))
    return found


# ----------------------------------------------------------------------------------------------------------- by hand


def test_one_cohort_by_hand():
    """p* = 1/4 and q* = 3/4; 100 reports with 40 and 50 ones: shares .3 and .5, each bit on its own."""
    mechanism = RAPPOR(bits=4, hashes=1, cohorts=1, f=0.5, p=0, q=1)
    result = decode(Tally(mechanism, 100, np.array([[40, 50, 25, 20, 100]])), setting(mechanism, 0, 1), others=False)
    np.testing.assert_allclose(result.share, [0.3, 0.5], rtol=1e-12)
    # the bits' variances over (q* − p*)², less that of drawing the people
    error = np.sqrt([(0.4 * 0.6 / 0.25 - 0.3 * 0.7) / 100, (0.5 * 0.5 / 0.25 - 0.5 * 0.5) / 100])
    np.testing.assert_allclose(result.error, error, rtol=1e-12)
    np.testing.assert_allclose(result.p_value, norm.sf([0.3, 0.5] / error), rtol=1e-9)
    assert result.found.all() and result.chosen.all() and result.apart.all()
    assert (result.rank, result.cells) == (2, 4)


def test_one_slot_by_hand():
    """k-RR with p* = 1/6 and q* = 1/2 over four slots, the same numbers as of k-RR itself."""
    mechanism = ORR(k=4, cohorts=1, epsilon=np.log(3))
    counts = np.array([50, 30, 20, 20])
    result = decode(Tally(mechanism, 120, np.append(counts, 120)[None]), setting(mechanism, 0, 1), others=False)
    oracle = GRR(k=4, epsilon=np.log(3))
    np.testing.assert_allclose(result.share, oracle.estimate(Tally(oracle, 120, counts))[:2], atol=1e-12)
    m, share = counts[:2] / 120, result.share
    np.testing.assert_allclose(result.error**2, (m * (1 - m) * 9 - share * (1 - share)) / 120, rtol=1e-9)


def test_cohorts_are_weighted_by_their_reports():
    """One candidate, the same filter cell by cell: the mean over all reports, whichever cohort they are in."""
    mechanism = RAPPOR(bits=2, hashes=1, cohorts=2, f=0.5, p=0, q=1)
    item = next(i for i in count() if mechanism.filters([i])[0, :, 0].all())
    tally = Tally(mechanism, 400, np.array([[150, 25, 300], [50, 75, 100]]))
    assert decode(tally, [item], others=False).share == pytest.approx([(200 / 400 - 0.25) / 0.5], rel=1e-3)


# ---------------------------------------------------------------------------------------------------- the exact law


@pytest.mark.slow
@pytest.mark.parametrize(
    "mechanism, cells",
    [
        (RAPPOR(bits=4, hashes=1, cohorts=1, f=0.4, p=0, q=1), (0, 1)),
        (ORR(k=4, cohorts=1, epsilon=1), (0, 1)),
        (ORR(k=6, cohorts=1, epsilon=1), (0, 2, 5)),
    ],
    ids=str,
)
def test_shares_are_unbiased_exactly(mechanism, cells):
    items = setting(mechanism, *cells)
    people = [items[0], items[1], items[1]]

    def client(rng):
        return tuple(mechanism.tally(mechanism.perturb(people, rng=rng)).counts.ravel().tolist())

    mean = np.zeros(len(items))
    for counts, chance in law(client).items():
        tally = Tally(mechanism, 3, np.array(counts).reshape(1, -1))
        mean += float(chance) * decode(tally, items, others=False).share
    np.testing.assert_allclose(mean, [1 / 3, 2 / 3, 0][: len(items)], atol=1e-12)


def exact_error(mechanism, items, share, n):
    """Standard errors for fixed people, from the laws of one report and of drawing a cohort's members, no formula.

    Weights are N_c over the variance of each cell, or its mean where a report names one cell.
    """
    cohorts, width, k = mechanism.cohorts, mechanism.width, len(items)
    q, p = (float(s) for s in mechanism.support)
    x = mechanism.filters(items).reshape(k, -1).T.astype(float)
    z = np.column_stack([x, np.ones(len(x))])
    m = p + (q - p) * x @ share
    w = 1 / m if isinstance(mechanism, ORR) else 1 / (m * (1 - m))
    a = np.linalg.solve(z.T @ (w[:, None] * z), z.T * w)[:k].reshape(k, cohorts, width)
    mean, second = np.zeros((2, cohorts, k, k))  # of a report's score, by cohort and value
    for v, item in enumerate(items):
        counted = lambda rng, item=item: mechanism.tally(mechanism.perturb([item], rng=rng)).counts.tolist()  # noqa: E731
        for counts, chance in law(counted).items():
            (c,) = np.flatnonzero(np.array(counts)[:, -1])
            score = a[:, c] @ ((np.array(counts)[c, :-1] - p) / (q - p))
            mean[c, v] += cohorts * float(chance) * score
            second[c, v] += cohorts * float(chance) * score**2

    def spread(values):  # variance over the people, (…, values, candidates)
        return np.einsum("v,...vk", share, values**2) - np.einsum("v,...vk", share, values) ** 2

    answers = np.einsum("v,cvk->k", share, second - mean**2) * cohorts / n
    # the mean of a simple random sample, and that the samples of two cohorts do not overlap
    members = spread(mean).sum(0) * cohorts / (n - 1) - spread(mean.sum(0)) / (n - 1)
    return np.sqrt(answers + members)


@pytest.mark.parametrize(
    "mechanism",
    [
        RAPPOR(bits=4, hashes=2, cohorts=4, f=0.4, p=0, q=1),
        RAPPOR(bits=4, hashes=2, cohorts=4, f=0.02, p=0, q=1),
        ORR(k=4, cohorts=4, epsilon=1),
        ORR(k=4, cohorts=4, epsilon=6),
    ],
    ids=str,
)
def test_errors_are_those_of_the_exact_law(mechanism):
    """Counts that are as expected give the standard errors of that law, up to one over the number of people."""
    items, share, n = names(5), np.array([0.5, 0.3, 0.15, 0.05, 0]), 12 * 10**11
    q, p = (float(s) for s in mechanism.support)
    m = p + (q - p) * np.einsum("vcb,v->cb", mechanism.filters(items), share)
    people = n // mechanism.cohorts
    counts = np.column_stack([np.rint(people * m), np.full(mechanism.cohorts, people)]).astype(np.int64)
    result = decode(Tally(mechanism, n, counts), items)
    assert result.chosen.all()
    np.testing.assert_allclose(result.share, share, atol=1e-10)
    expected = exact_error(mechanism, items, share, n)
    np.testing.assert_allclose(result.error, expected, rtol=1e-6)
    iid = np.sqrt(expected**2 + share * (1 - share) / n)  # the control: people drawn anew
    assert not np.allclose(result.error[0], iid[0], rtol=1e-3)


@pytest.mark.slow
def test_p_values_of_one_cell_follow_the_binomial_law():
    """One candidate with one cell: its count is binomial, so that the chance of each p-value is known exactly."""
    mechanism, n = RAPPOR(bits=2, hashes=1, cohorts=1, f=0.6, p=0, q=1), 20_000
    item, other = setting(mechanism, 0, 1)
    q, p = (float(s) for s in mechanism.support)
    k = np.arange(int(binom.ppf(1e-7, n, p)), int(binom.isf(1e-7, n, p)))
    tallies = [Tally(mechanism, n, np.array([[i, round(q * n), n]])) for i in k]
    p_value = np.array([decode(tally, [item], others=False).p_value[0] for tally in tallies])
    chance = binom.pmf(k, n, p)

    def size(p_values, level):
        return chance[p_values <= level].sum() / level

    for level, within in ((0.5, 0.02), (0.05, 0.06), (0.01, 0.06), (0.001, 0.15)):
        assert size(p_value, level) == pytest.approx(1, abs=within)
    z = norm.isf(p_value)
    assert size(norm.sf(z * np.sqrt(2)), 0.01) > 2  # the control: a cohort counted twice
    assert size(norm.sf(np.abs(z)) * 2, 0.5) == pytest.approx(1, abs=0.02)  # half of them are below zero


# ------------------------------------------------------------------------------------------------------ many surveys


def uniform(p_values, bins=10):
    """Whether p-values pass for uniform; false alarm 1e-7 if they are."""
    observed, expected = np.histogram(p_values, bins, (0, 1))[0], len(p_values) / bins
    return chi2.sf(((observed - expected) ** 2 / expected).sum(), bins - 1) > 1e-7


@pytest.mark.slow
@ALL
def test_shares_errors_and_p_values_over_many_surveys(mechanism):
    """600 surveys of 40,000 people: unbiased, errors right, p-values of a candidate without people uniform."""
    counts, trials = np.array([16000, 12000, 8000, 3000, 1000, 0]), 600
    results = [decode(tally, names(6)) for tally in survey(mechanism, counts, trials, 1)]
    z = (np.array([r.share for r in results]) - counts / 40_000) / np.array([r.error for r in results])
    assert np.abs(z.sum(0)).max() / np.sqrt(trials) < 5.7  # normal, 6 of them: 7e-8
    assert ((z**2).sum(0) > chi2.isf(1 - 5e-9, trials)).all() and ((z**2).sum(0) < chi2.isf(5e-9, trials)).all()
    p_value = np.array([r.p_value[5] for r in results])
    assert uniform(p_value)
    # the control: the reports of all cohorts where those of one belong
    assert not uniform(norm.sf(norm.isf(p_value) * np.sqrt(mechanism.cohorts)))
    assert not (z[:, 5] ** 2 * mechanism.cohorts).sum() < chi2.isf(5e-9, trials)


@dataclass(frozen=True, kw_only=True)
class Swapped(RAPPOR):
    """Takes p* for q*."""

    @property
    def support(self):
        return super().support[::-1]


def near(result, share):
    return bool((np.abs(result.share - share) < 6 * result.error).all())  # 10 of them: 2e-8


def test_swapped_letters_are_caught():
    mechanism = RAPPOR(bits=16, hashes=2, cohorts=8, f=0.25, p=0.25, q=0.75)
    counts = np.array([30_000, 20_000, 8000, 2000, 0])
    (tally,) = survey(mechanism, counts, 1, 2)
    assert near(decode(tally, names(5)), counts / 60_000)
    fields = {name: getattr(mechanism, name) for name in ("bits", "hashes", "cohorts", "f", "p", "q")}
    swapped = replace(tally, mechanism=Swapped(**fields))
    assert not near(decode(swapped, names(5)), counts / 60_000)


@ALL
def test_real_reports_at_full_size(mechanism):
    values = np.array(names(10))[np.random.default_rng(3).integers(0, 10, 20_000) ** 2 // 10]
    tally = mechanism.tally(mechanism.perturb(values, rng=np.random.default_rng(4)))
    assert near(decode(tally, names(10)), [(values == name).mean() for name in names(10)])


def missed(results, null):
    """Mean part of false ones among the found."""
    return np.mean([(r & null).sum() / max(1, r.sum()) for r in results])


FEW = 0.05 + 0.09  # Bernstein: 300 parts in [0, 1], of mean at most .05, pass it on average with chance below 2e-7


@pytest.mark.slow
@ALL
def test_false_discoveries_with_few_candidates(mechanism):
    """300 surveys, 4 candidates with people and 36 without."""
    counts = np.append(np.full(4, 7500), np.zeros(36, int))
    results = [decode(tally, names(40)) for tally in survey(mechanism, counts, 300, 5)]
    assert all(r.chosen.all() for r in results)
    assert missed([r.found for r in results], counts == 0) < FEW
    assert np.mean([r.found[:4].sum() for r in results]) > 1
    loose = [r.p_value <= 0.05 for r in results]  # the control: each test on its own
    assert missed(loose, counts == 0) > FEW


def test_bonferroni_is_stricter():
    counts = np.append(np.full(10, 3000), np.zeros(30, int))
    fdr, strict = [
        [decode(tally, names(40), control=control) for tally in survey(SHARP, counts, 100, 6)]
        for control in ("fdr", "bonferroni")
    ]
    assert all((b.found <= a.found).all() for a, b in zip(fdr, strict, strict=True))
    assert all(((b.p_value * 40 <= 0.05) == b.found).all() for b in strict)
    assert sum(b.found[10:].any() for b in strict) <= binom.isf(1e-7, 100, 0.05)
    assert sum(b.found.sum() for b in strict) < sum(a.found.sum() for a in fdr)


# ------------------------------------------------------------------------------------------------- many candidates


MANY = one_time(bits=32, hashes=2, cohorts=8, epsilon=2)  # 256 cells
PEOPLE = np.array([9000, 6000, 4000, 2000, 1000])


def over_chosen(result):
    """Benjamini and Hochberg as if the chosen were all."""
    found = np.zeros(len(result.items), bool)
    found[result.chosen] = false_discovery_control(result.p_value[result.chosen]) <= 0.05
    return found


@pytest.mark.parametrize(("part", "enters"), [(0.95, False), (1.05, True)])
def test_a_candidate_enters_at_the_quantile(part, enters):
    """One cell of four stands out by this part of 1.645 standard errors of its distance from the constant."""
    mechanism = RAPPOR(bits=4, hashes=1, cohorts=2, f=0.5, p=0, q=1)  # p* = 1/4 and q* = 3/4
    (item,) = setting(mechanism, 0)
    people = 10**8
    mean = brentq(
        lambda m: (2 * m - 0.5) / np.sqrt(4 * (m * (1 - m) + 0.0625) / people) - part * norm.isf(0.05), 0.2, 0.3
    )
    low, high = people // 4, round(mean * people)
    quiet = [low, low, low, low, people]
    result = decode(Tally(mechanism, 2 * people, np.array([[high, low, low, low, people], quiet])), [item], split=True)
    assert result.chosen.tolist() == [enters]


@pytest.mark.parametrize("control", ["fdr", "bonferroni"])
def test_those_not_chosen_count_as_tests(control):
    """Of 400 candidates; the control, a bound over the chosen ones alone, would find more."""
    chosen_only = 0
    for tally in survey(SLOTS, [400] * 5 + [60] * 20, 10, 11):
        result = decode(tally, names(400), control=control)
        p = result.p_value
        every, few = (len(p), result.chosen.sum())
        if control == "fdr":
            expected, careless = false_discovery_control(p), false_discovery_control(p[result.chosen])
        else:
            expected, careless = p * every, p[result.chosen] * few
        np.testing.assert_array_equal(result.found, expected <= 0.05)
        chosen_only += (careless <= 0.05).sum() > result.found.sum()
    assert chosen_only > 0


@pytest.fixture(scope="module")
def both():
    """150 surveys of 22,000 people against 400 candidates, of which 395 have nobody: one part or two."""
    tallies = survey(MANY, PEOPLE, 150, 7)
    return [[decode(tally, names(400), split=split) for tally in tallies] for split in (False, True)]


@pytest.mark.slow
def test_choice_spoils_p_values_and_the_split_does_not(both):
    null = np.arange(400) >= 5
    naive, honest = [[r.p_value[r.chosen & null] for r in results] for results in both]
    small = [np.mean(np.concatenate(x) < 0.05) for x in (naive, honest)]
    assert small[0] > 0.3  # a chosen candidate without people: chosen because it looked as if it had some
    assert uniform(np.concatenate(honest)) and not uniform(np.concatenate(naive))


@pytest.mark.slow
def test_values_that_are_missed_count_as_noise():
    """A hundred values with people, most of them too rare to be chosen: they still move the cells of the others."""
    mechanism, rank = ORR(k=16, cohorts=16, epsilon=3), np.arange(1, 101)
    tallies = survey(mechanism, (10_000 / rank).astype(int), 60, 16)
    results = [decode(tally, names(500), split=True) for tally in tallies]
    honest = [r.p_value[100:][r.chosen[100:]] for r in results]
    assert uniform(np.concatenate(honest))
    noise = []  # the control: errors from the noise of the reports alone, by the formula for a complete list
    for tally, r in zip(tallies, results, strict=True):
        kept = np.flatnonzero(r.chosen)
        counts = np.where(np.arange(16)[:, None] % 2 == 0, 0, tally.counts)
        alone = decode(replace(tally, n=int(counts[:, -1].sum()), counts=counts), [r.items[j] for j in kept])
        assert alone.chosen.all() and (alone.error <= r.error[kept] * 1.01).all()
        noise.append(alone.p_value[kept >= 100])
    assert not uniform(np.concatenate(noise))


@pytest.mark.slow
def test_false_discoveries_with_many_candidates(both):
    """Bernstein for 150 parts in [0, 1] of mean at most .05: below 1e-7."""
    null, few = np.arange(400) >= 5, 0.05 + 0.15
    naive, honest = both
    assert missed([r.found for r in naive], null) < few
    assert missed([r.found for r in honest], null) < few
    assert missed([over_chosen(r) for r in honest], null) < few
    assert missed([over_chosen(r) for r in naive], null) > few  # the control: those that were not chosen count too
    found = [np.mean([r.found[:5].sum() for r in results]) for results in both]
    assert found[0] > found[1] > 1  # the price of the split


@pytest.mark.slow
def test_those_not_chosen_say_so(both):
    for results, cells in zip(both, (256, 128), strict=True):
        for r in results[:20]:
            assert 0 < r.chosen.sum() <= cells / 2 and r.cells == cells
            assert not r.found[~r.chosen].any()
            assert (r.p_value[~r.chosen] == 1).all() and (r.share[~r.chosen] == 0).all()
            assert np.isnan(r.error[~r.chosen]).all() and np.isfinite(r.error[r.chosen]).all()
            assert r.rank == 256 and not r.apart.any()  # more candidates than cells


def test_split_uses_every_cohort_once():
    """The choice does not see odd cohorts, and the estimates do not see even ones."""
    first, second = survey(MANY, PEOPLE, 2, 8)
    even = np.arange(8) % 2 == 0
    mixed = replace(first, counts=np.where(even[:, None], first.counts, second.counts))
    a, b = (
        decode(tally, names(400), split=True) for tally in (first, replace(mixed, n=int(mixed.counts[:, -1].sum())))
    )
    assert np.array_equal(a.chosen, b.chosen) and not np.array_equal(a.share, b.share)
    kept = np.flatnonzero(a.chosen)
    counts = np.where(even[:, None], 0, first.counts)
    alone = decode(Tally(MANY, int(counts[:, -1].sum()), counts), [names(400)[j] for j in kept])
    np.testing.assert_allclose(a.share[kept], alone.share, atol=1e-10)


def test_lasso_is_the_same_every_time():
    (tally,) = survey(MANY, PEOPLE, 1, 9)
    a, b = decode(tally, names(400)), decode(tally, names(400)[::-1])
    assert np.array_equal(a.found, b.found[::-1]) and a.found[:3].all()
    np.testing.assert_allclose(a.share, b.share[::-1], atol=1e-9)
    assert a.chosen.sum() < decode(tally, names(400), alarm=0.2).chosen.sum()


# ------------------------------------------------------------------------------------------ people with other values


def test_others_are_kept_out():
    """Half of the people have 200 values that are on no list: with a constant for them nobody is found who is not."""
    values = names(205)
    counts = np.array([20_000, 10_000, 6000, 3000, 1000] + [200] * 200)
    tallies = survey(SHARP, counts, 60, 10, values=values)
    items = values[:5] + names(15, start=1000)
    null = np.arange(20) >= 5
    with_constant = [decode(tally, items).found for tally in tallies]
    without = [decode(tally, items, others=False).found for tally in tallies]
    assert missed(with_constant, null) < 0.3 < missed(without, null)  # Bernstein for 60 parts: below 7e-7


# ----------------------------------------------------------------------------------------------------- what is apart


def test_twins_are_named():
    mechanism = ORR(k=2, cohorts=3, epsilon=1)
    rows = mechanism.filters(names(40)).reshape(40, -1)
    twin = next(i for i in range(1, 40) if (rows[i] == rows[0]).all())
    other = next(i for i in range(1, 40) if (rows[i] != rows[0]).any())
    (tally,) = survey(mechanism, [500, 300], 1, 11)
    with pytest.raises(ValueError, match=f"differ in the cohorts.*'w0' and 'w{twin}' set the same cells"):
        decode(tally, ["w0", f"w{other}", f"w{twin}"], others=False)
    # apart in some cohort, but nobody is in it
    differ = next(i for i in range(1, 40) if (rows[i, :4] == rows[0, :4]).all() and (rows[i] != rows[0]).any())
    short = replace(tally, counts=tally.counts * np.array([[1], [1], [0]]))
    with pytest.raises(ValueError, match=f"'w0' and 'w{differ}' set the same cells"):
        decode(replace(short, n=int(short.counts[:, -1].sum())), ["w0", f"w{differ}"])


def test_dependent_candidates_are_named_and_left_to_the_lasso():
    """Two slots, three cohorts: 00, 01, 10, 11 in the first two, alike in the third; any three tell the fourth."""
    mechanism = ORR(k=2, cohorts=3, epsilon=3)
    slot = mechanism.filters(names(200))[:, :, 1].tolist()
    square = [f"w{slot.index([a, b, True])}" for a in (False, True) for b in (False, True)]
    lone = f"w{slot.index([False, False, False])}"
    items = [*square, lone]
    (tally,) = survey(mechanism, [6000, 4000], 1, 12, values=[square[0], lone])
    result = decode(tally, items, others=False)
    assert result.rank == 4 and result.apart.tolist() == [False] * 4 + [True]
    assert result.chosen.sum() <= 3 and result.found[4]
    assert decode(tally, items[1:], others=False).apart.all()  # three of the square, and the lone one
    # no cell tells slot 0 in all cohorts, slot 1 in all cohorts, and the constant apart
    opposite = f"w{slot.index([True, True, True])}"
    assert not decode(tally, [lone, opposite]).apart.any()


def test_fit_of_dependent_columns_is_refused(monkeypatch):
    """Should the Lasso keep candidates that depend on each other, their names come with the error."""
    mechanism = ORR(k=2, cohorts=3, epsilon=3)
    slot = mechanism.filters(names(200))[:, :, 1].tolist()
    square = [f"w{slot.index([a, b, True])}" for a in (False, True) for b in (False, True)]
    (tally,) = survey(mechanism, [500], 1, 13, values=square[:1])
    monkeypatch.setattr("ldpnb.strings.decoding._choose", lambda *_: np.ones(4, bool))
    with pytest.raises(ValueError, match=f"'{square[0]}', .*'{square[3]}' are linearly dependent: 4 columns of rank 3"):
        decode(tally, square, others=False)


@ALL
def test_cohorts_without_reports_are_left_out(mechanism):
    counts = np.array([6000, 3000, 1000, 0])
    (tally,) = survey(mechanism, counts, 1, 14)
    few = tally.counts.copy()
    few[::2] = 0
    result = decode(Tally(mechanism, int(few[:, -1].sum()), few), names(4))
    assert result.cells == mechanism.cohorts * mechanism.width / 2
    assert near(result, counts / 10_000)


# --------------------------------------------------------------------------------------------------------- bad input


GOOD = survey(SLOTS, [50, 30], 1, 15)[0]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"control": "bh"}, "control must be 'fdr' or 'bonferroni', got 'bh'"),
        ({"control": None}, "control must be"),
        ({"alarm": 0}, r"alarm must be in \(0, 1\), got 0"),
        ({"alarm": 1}, r"alarm must be in \(0, 1\), got 1"),
        ({"alarm": np.nan}, "alarm must be a probability"),
        ({"alarm": "x"}, "alarm must be a probability"),
        ({"items": []}, "items must hold at least one candidate"),
        ({"items": None}, "items must name the candidates"),
        ({"items": ["a", "b", "a"]}, "items must be distinct"),
        ({"items": [0.5]}, "items must be integers or strings"),
        ({"tally": Tally(GRR(k=2, epsilon=1), 3, np.array([1, 2]))}, "tally must be of RAPPOR or ORR, got one of GRR"),
        ({"tally": Tally(SLOTS, 80, GOOD.counts[None])}, r"tally must be of one survey, .*got shape \(1, 16, 9\)"),
        ({"tally": Tally(SLOTS, 80, GOOD.counts[:, 1:])}, "tally must be of one survey"),
        ({"tally": Tally(SLOTS, 0, np.zeros((16, 9), np.int64))}, "tally must have 1 cohorts with reports, got 0"),
        (
            {"tally": Tally(ORR(k=2, cohorts=1, epsilon=1), 3, np.array([[1, 2, 3]])), "split": True},
            "tally must have 2 cohorts with reports, got 1",
        ),
    ],
)
def test_bad_input_is_refused(change, message):
    arguments = {"tally": GOOD, "items": ["w0", "w1"], **change}
    with pytest.raises(ValueError, match=message):
        decode(arguments.pop("tally"), arguments.pop("items"), **arguments)


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    assert decode(GOOD, ["w0", "w1"]).chosen.all()  # nothing to choose
    with pytest.raises(ImportError, match="needs scikit-learn"):
        decode(GOOD, ["w0", "w1"], split=True)
