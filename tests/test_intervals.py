"""Standard errors and intervals of everything that is estimated: exact on small laws, and how often intervals cover."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from scipy.stats import beta, binom, norm, pearson3

from ldpnb import (
    GRR,
    OLH,
    OUE,
    PCKVGRR,
    SUE,
    BitFlip,
    Blocks,
    DrawnAttributes,
    HadamardBit,
    HadamardResponse,
    HarmonyFrequency,
    HarmonyMean,
    Hybrid,
    Laplace,
    Piecewise,
    PrivKV,
    PrivSet,
    Ratings,
    Records,
    SampledGRR,
    StateEncoding,
    SubsetSelection,
    Tally,
    TwoPoint,
    Wheel,
    WheelKV,
    YesNoTable,
    interval,
)
from ldpnb.core import Mechanism, OpenMechanism
from ldpnb.intervals import exact_below, score_ends, skewed_quantile, support_interval, supported_tail
from ldpnb.postprocess import normal_quantile
from ldpnb import choose
from ldpnb.choose._catalogue import catalogue
from ldpnb.verify import contract
from ldpnb_book.experiment import recorded

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


# ---------------------------------------------------------------------------------- where few reports support an item

Z = norm.isf(0.025)
CHANCES = [
    (Fraction(1, 2), Fraction(1, 100)),
    (Fraction(3, 5), Fraction(2, 5)),
    (Fraction(9, 10), Fraction(1, 9)),
    (Fraction(54, 154), Fraction(1, 154)),
    (Fraction(999, 1000), Fraction(1, 1000)),
]


def laws_of_holders(n, own, other):
    """Chance of each count, for each number of holders: (n + 1, n + 1)."""
    rows = []
    for h in range(n + 1):
        some = binom.pmf(np.arange(h + 1), h, float(own))
        rows.append(np.convolve(some, binom.pmf(np.arange(n - h + 1), n - h, float(other))))
    return np.array(rows)


@pytest.mark.parametrize("own, other", CHANCES)
@pytest.mark.parametrize("n, z", [(12, 1.0), (30, Z), (40, 3.3)])
def test_exact_ends_about_these_people_are_those_of_an_enumeration(own, other, n, z):
    """All shares under which a count is in neither tail; the nearest share, where there is none."""
    law, out, found = laws_of_holders(n, own, other), norm.sf(z), []
    for count in range(n + 1):
        inside = np.flatnonzero((law[:, count:].sum(1) > out) & (law[:, : count + 1].sum(1) > out))
        if inside.size:
            found.append((inside[0] / n, inside[-1] / n))
        else:
            found.append((1.0, 1.0) if law[n, count:].sum() <= out else (0.0, 0.0))
    low, high = support_interval(np.arange(n + 1), n, own, other, z, sampled=0)
    np.testing.assert_array_equal(np.stack([low, high], 1), found)
    wrong, _ = support_interval(np.arange(n + 1), n, own, other, z)  # the control: ends about a population
    assert not np.allclose(wrong, low)


@pytest.mark.parametrize("own, other", CHANCES)
@pytest.mark.parametrize("n, z", [(12, 1.0), (30, Z)])
def test_ends_at_any_share_leave_out_what_they_say(own, other, n, z):
    """Between two numbers of holders one person is one with a chance; beyond 0 and 1 the law is binomial."""
    law, out = laws_of_holders(n, own, other), norm.sf(z)
    low, high = support_interval(np.arange(n + 1), n, own, other, z, sampled=0, possible=False)
    inside = 0
    for count in range(n + 1):
        for end, upper in ((low[count], False), (high[count], True)):
            chance = float(other) + float(own - other) * end
            if 0 < end < 1:
                inside += 1
                some = law[:, : count + 1].sum(1) if upper else law[:, count:].sum(1)
                tail = np.interp(end * n, np.arange(n + 1), some)
            elif upper:
                tail = binom.cdf(count, n, chance) if chance < 1 - 1e-12 else out
            else:
                tail = binom.sf(count - 1, n, chance) if chance > 1e-12 else out
            assert tail == pytest.approx(out, rel=1e-6)
    assert inside > n / 4


def test_no_end_about_these_people_is_out_of_reach():
    """Counts that no share explains: 21 of 30 where all holders give 15, and none of 100 where nobody gives 10."""
    assert support_interval(21, 30, Fraction(1, 2), Fraction(1, 100), Z, sampled=0) == (1, 1)
    assert support_interval(0, 100, Fraction(1, 2), Fraction(1, 10), Z, sampled=0) == (0, 0)
    low, high = support_interval(0, 100, Fraction(1, 2), Fraction(1, 10), Z)
    assert low < high < 0, "about a population nothing is cut"


@pytest.mark.parametrize("own, other", CHANCES)
@pytest.mark.parametrize("z", [Z, 4.0])
def test_exact_ends_about_a_population_leave_out_what_they_say(own, other, z):
    n, p, q = 60, float(own), float(other)
    count = np.arange(n + 1)
    low, high = support_interval(count, n, own, other, z)
    few = count * (1 - count / n) < exact_below(z)
    assert few.all()
    least, most = q + (p - q) * low, q + (p - q) * high
    np.testing.assert_allclose(binom.sf(count[1:] - 1, n, least[1:]), norm.sf(z), rtol=1e-8)
    np.testing.assert_allclose(binom.cdf(count[:-1], n, most[:-1]), norm.sf(z), rtol=1e-8)
    np.testing.assert_allclose([least[0], most[-1]], [0, 1], atol=1e-12)
    np.testing.assert_allclose(least[1:], beta.ppf(norm.sf(z), count[1:], n - count[1:] + 1), rtol=1e-8)


def law_of_counts(own, other, n, holders, people):
    """Chance of each count of supporters, of a population with this share of holders, or of just so many."""
    if not people:
        return binom.pmf(np.arange(n + 1), n, float(other) + float(own - other) * holders / n)
    some = binom.pmf(np.arange(holders + 1), holders, float(own))
    return np.convolve(some, binom.pmf(np.arange(n - holders + 1), n - holders, float(other)))


def missed(ends, chance, share):
    """How often intervals of all counts miss a share."""
    low, high = ends
    return chance[low > share + 1e-12].sum() + chance[high < share - 1e-12].sum()


def normal(counts, n, own, other, z, people):
    found = (counts / n - float(other)) / float(own - other)
    return score_ends(found, np.full(np.shape(counts), float(n)), own, other, z, 0 if people else 1)


@pytest.mark.parametrize("people, sizes", [(False, (50, 300, 2000)), (True, (50, 120))])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0, 6.0])
def test_intervals_cover_as_stated_whatever_share_and_number(epsilon, people, sizes):
    """By k-RR over 2 to 1,000 items, alone and with the share of an error that Bonferroni leaves of 1,000 at once.

    Exact ends never cover less; where score intervals are printed, a little less is possible.
    """
    control = {0.05: 0.0, 0.05 / 1000: 0.0}
    for k in (2, 10, 100, 1000):
        own, other = GRR(k=k, epsilon=epsilon).support
        for n in sizes:
            counts = np.arange(n + 1)
            for out in control:
                z = norm.isf(out / 2)
                ends = support_interval(counts, n, own, other, z, sampled=0 if people else 1)
                for holders in (0, 1, n // 50, n // 3, n // 2, n):
                    chance = law_of_counts(own, other, n, holders, people)
                    assert missed(ends, chance, holders / n) < 1.35 * out, (k, n, holders)
                    wrong = missed(normal(counts, n, own, other, z, people), chance, holders / n)
                    control[out] = max(control[out], wrong / out)
    if epsilon >= 4:
        assert control[0.05] > 1.5 and control[0.05 / 1000] > 20, "score intervals everywhere"


def test_with_a_part_of_the_people_asked_the_interval_is_one_about_the_population():
    """50 of 200 are asked, 60 hold the item.  Counting holders among those asked alone covers too little."""
    own, other, n, asked, holders = Fraction(19, 20), Fraction(1, 20), 200, 50, 60
    sampled = 1 - (asked - 1) / (n - 1)
    counts = np.arange(asked + 1)
    ways = np.array([hypergeometric(h, n, holders, asked) for h in range(asked + 1)])
    chance = ways @ laws_of_holders(asked, own, other)
    assert chance.sum() == pytest.approx(1)
    for part, covers in ((sampled, True), (0, False)):
        low, high = support_interval(counts, asked, own, other, Z, sampled=part)
        often = chance[(low <= holders / n) & (holders / n <= high)].sum()
        assert (often > 0.95) == covers and (covers or often < 0.85), often


def hypergeometric(h, n, holders, asked):
    from math import comb

    return comb(holders, h) * comb(n - holders, asked - h) / comb(n, asked)


def test_score_and_exact_ends_meet_where_one_takes_over():
    """Ends differ by less than a tenth of the width, and the exact interval is the wider one."""
    for z in (1.5, Z, 3.0, 4.0):
        for q in (Fraction(1, 2), Fraction(1, 50)):
            n = int(exact_below(z) / float(q * (1 - q))) - 1
            count = int(n * q)
            p = Fraction(3, 4)
            exact, score = support_interval(count, n, p, q, z), normal(np.array(count), n, p, q, z, False)
            assert exact[1] - exact[0] > score[1] - score[0]
            assert np.abs(np.subtract(exact, score)).max() < 0.1 * (score[1] - score[0]) * max(1, z / 2)


@pytest.mark.parametrize("name", [name for name, kind in catalogue().items() if hasattr(kind, "chances")])
def test_chances_of_support_are_those_of_the_law(name):
    """With the draw of one of several items within; by the exact law of each input."""
    for example in catalogue()[name].example():
        m, known = example.mechanism, contract.known(example)
        items = () if example.items is None else (example.items,)
        own, other = map(float, m.chances)
        for law, expected in zip(known.laws, m.expected(example.inputs, *items), strict=True):
            supported = sum(float(p) * m.supporters(known.tallies[y]) for y, p in law.items())
            np.testing.assert_allclose(supported, other + (own - other) * expected, rtol=1e-9)


def test_tables_count_the_reports_that_support_a_cell():
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 3, (500, 3))
    names = ["a", "b", "c"]
    for m in (
        DrawnAttributes.of((3, 3, 3), GRR, 2.0),
        DrawnAttributes.of((3, 3, 3), OUE, 2.0),
        DrawnAttributes.of((3, 3, 3), HadamardBit, 2.0),
        HarmonyFrequency(sizes=(3, 3, 3), epsilon=2.0),
        Blocks(sizes=(3, 3, 3), size=2, epsilon=2.0),
    ):
        asked = YesNoTable(names, missing="?", mechanism=m, pairs=isinstance(m, Blocks))
        reports = m.perturb(rows, rng=rng)
        result = asked.estimate(m.tally(reports), people=True)
        for j, name in enumerate(names):
            if isinstance(m, Blocks):
                places = m.blocks[reports["block"]]
                mine = (places == j).any(1)
                cells = np.stack(np.divmod(reports["value"], 3), 1)
                yes = cells[mine][places[mine] == j] == 1
                keep = Fraction(float(m.keep[0]))
                chances = keep + (1 - keep) / 3, (1 - keep) / 3
            else:
                mine = reports[m.public_fields[0]] == j
                oracle = HadamardBit(k=3, epsilon=2.0) if isinstance(m, HarmonyFrequency) else m.oracle
                told = reports[mine]
                told = told["report"] if "report" in told.dtype.names else told[[*oracle.layout]].astype(oracle.dtype)
                yes = np.concatenate([oracle.supporters(oracle.tally(told[i : i + 1]))[1:2] for i in range(len(told))])
                chances = oracle.support
            n = int(mine.sum())
            part = 1 - (n - 1) / 499
            low, high = support_interval(int(yes.sum()), n, *chances, Z, sampled=part)
            np.testing.assert_allclose((result[name].low, result[name].high), (low, high), rtol=1e-9)
        if isinstance(m, Blocks):
            both = (places == 0).any(1) & (places == 1).any(1)
            keep, cell = Fraction(float(m.keep[0])), (cells[both] == 1).all(1)
            ends = support_interval(
                int(cell.sum()),
                int(both.sum()),
                keep + (1 - keep) / 9,
                (1 - keep) / 9,
                Z,
                sampled=1 - (both.sum() - 1) / 499,
            )
            np.testing.assert_allclose((result["a and b"].low, result["a and b"].high), ends, rtol=1e-9)


@pytest.mark.parametrize("name", ["PCKVGRR", "PCKVUE", "StateEncoding", "StateEncodingSplit", "PrivKV"])
def test_chances_of_a_sign_are_those_of_the_law(name):
    """Of answers about a key, by the exact law of people who hold one key, or none."""
    for example in catalogue()[name].example():
        m, known = example.mechanism, contract.known(example)
        asked = Ratings([f"i{j}" for j in range(m.d)], -1, 1, getattr(m, "ell", m.d) if m.d > 1 else 1, mechanism=m)
        own, other = map(float, asked._chances)
        for law, expected in zip(known.laws, m.expected(example.inputs)[:, 0], strict=True):
            signs = sum(float(p) * known.tallies[y].counts[:, [0, 2]].sum(1) for y, p in law.items())
            about = sum(float(p) * known.tallies[y].counts.sum(1) for y, p in law.items())
            np.testing.assert_allclose(signs / about, other + (own - other) * expected, rtol=1e-9)


def test_an_item_that_nobody_rates_is_seldom_told_from_zero():
    """Everybody rates item 0 of 20: 200 surveys of 100.  False alarms below 1e-8; the control is a normal law."""
    asked, rng, surveys = Ratings([f"i{j}" for j in range(20)], -1, 1, 2, epsilon=5.0), np.random.default_rng(6), 200
    m, told, all_covered, control = asked.mechanism, 0, 0, 0
    people = Records.from_arrays(np.arange(100), np.zeros(100, np.int64), np.ones(100), n=100)
    truth = np.arange(20) == 0
    for _ in range(surveys):
        tally = m.tally(m.perturb(people, rng=rng))
        found = asked.estimate(tally).shares
        told += (found.low[1:] > 0).mean()
        every = asked.estimate(tally, together=True)
        normally, _ = score_ends(found.estimate, tally.counts.sum(-1), *asked._chances, normal_quantile(0.95, 20))
        control += np.any(normally[1:] > 0)
        shares = np.all((every.shares.low <= truth) & (truth <= every.shares.high))
        all_covered += shares and every.means.low[0] <= 1 <= every.means.high[0]
    assert told / surveys < 0.025 + 6 * sqrt(0.025 / surveys / 19)
    assert control / surveys > 0.25  # in place of 0.05
    assert all_covered >= binom.ppf(1e-9, surveys, 0.95)


@pytest.mark.parametrize("z", [-4.0, -Z, 0.0, 1.0, 4.0])
def test_skewed_quantiles_are_those_of_a_shifted_gamma_law(z):
    skewness = np.array([-2.0, -0.5, -0.01, 0.003, 0.2, 1.0, 3.0])
    np.testing.assert_allclose(skewed_quantile(z, skewness), pearson3.ppf(norm.cdf(z), skewness), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(skewed_quantile(z, [1.1e-4, 0.9e-4]), z, atol=1e-3)


@pytest.mark.parametrize("m", [Hybrid(epsilon=4.0), Piecewise(epsilon=2.0), Laplace(epsilon=1.0)], ids=str)
@pytest.mark.parametrize("mean", [-1.0, -0.25, 0.0, 0.75, 1.0])
@pytest.mark.parametrize("far", [0.0, 0.3, 1.0])
def test_scores_scatter_as_the_law_of_a_mixture_of_people(m, mean, far):
    """People at the mean, and a part of them at both ends; moments about the mean, cell by cell."""
    points = np.linspace(-1, 1, len(m.channel))
    law = (1 - far) * m.channel[np.abs(points - mean).argmin()]
    law = law + far * ((1 + mean) / 2 * m.channel[-1] + (1 - mean) / 2 * m.channel[0])
    squares = np.array([law @ m.scores**2])
    error, skewness = m._spread_at(np.array([mean]), squares, 100)
    centred = m.scores - mean
    variance = law @ centred**2
    assert error[0] == pytest.approx(sqrt(variance / 100), rel=1e-6)
    assert skewness[0] == pytest.approx(law @ centred**3 / variance**1.5 / 10, abs=1e-6)


def test_of_two_cells_a_mean_has_the_interval_of_a_share():
    m, n = TwoPoint(epsilon=1.0), 50
    p = float(m.channel[1, 1])
    counts = np.stack([n - np.arange(n + 1), np.arange(n + 1)], 1)
    low, high = m.interval(Tally(m, n, counts), Z)
    for mean in (-1.0, -0.3, 0.0, 0.9):
        chance = binom.pmf(np.arange(n + 1), n, 1 - p + (2 * p - 1) * (1 + mean) / 2)
        assert 0.95 <= chance[(low[:, 0] <= mean) & (mean <= high[:, 0])].sum() < 0.985


def test_a_mean_at_an_end_of_the_range_is_covered_by_50_reports():
    """2,000 surveys at ε = 4: at most 6 % of the intervals miss; false alarms below 1e-6.  The control: z errors."""
    question, surveys, n = choose.OneNumber(n=50, epsilon=4.0), 2000, 50
    m, rng = question.rank()[0].mechanism, np.random.default_rng(8)
    for end in (-1.0, 1.0):
        reports = m.perturb(np.full(surveys * n, end), rng=rng).reshape(surveys, n)
        counts = (reports[..., None] == np.arange(len(m.scores))).sum(1)
        tally = Tally(m, n, counts.astype(np.int64))
        low, high = m.interval(tally, Z)
        assert np.sum((low <= end) & (end <= high)) >= binom.ppf(1e-7, surveys, 0.94)
        away = np.abs(m.estimate(tally) - end)
        assert np.sum(away <= Z * m.standard_error(tally)) < binom.ppf(1e-7, surveys, 0.94)


def test_the_search_for_ends_takes_counts_of_every_size():
    """A tail of two binomial counts, at a size where sums are cut: as scipy has the convolution."""
    law = laws_of_holders(400, Fraction(3, 10), Fraction(1, 50))
    for holders in (0, 7, 200, 400):
        for count in (0, 1, 60, 130):
            found = supported_tail(holders, count, 400, Fraction(3, 10), Fraction(1, 50))
            assert found == pytest.approx(law[holders, count:].sum(), rel=1e-9)
    low, high = support_interval(np.array([10**12 + 3]), 10**15, Fraction(1, 3), Fraction(1, 1000), Z)
    deviation = sqrt(0.001 * 0.999 / 1e15) / (1 / 3 - 0.001)
    np.testing.assert_allclose(high - low, 2 * Z * deviation, rtol=1e-3)


# ------------------------------------------------------------------------------------------------ recorded surveys


@pytest.mark.parametrize("column", ["alone", "together"])
def test_recorded_surveys_are_covered(column):
    """Of hundreds of rows, some are low by chance: surveys of other people for these decide."""
    rows, again = recorded("coverage"), recorded("coverage.again")
    surveyed = {"OneOf", "Ratings", "YesNoTable", "Number"}
    assert {name.partition(",")[0] for name in rows["question"]} == surveyed and rows["surveys"].min() >= 400
    assert {50, 20_000} <= {*rows["n"]} and rows["epsilon"].min() == 0.2 and rows["epsilon"].max() >= 4

    def deviations(table):
        return (table[column] - 0.95) / np.sqrt(0.95 * 0.05 / table["surveys"])

    assert deviations(rows).min() > -4 and rows[column].mean() >= 0.95
    assert again["surveys"].min() >= 3000 and deviations(again).min() > -2
    low = rows[deviations(rows) < -2]
    assert {*zip(low["question"], low["n"], strict=True)} <= {*zip(again["question"], again["n"], strict=True)}
