from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from contract import Contract
from scipy.stats import norm

from ldpnb.chance import log, odds, pick, round_up, toss, uniform
from ldpnb.core import Example, Tally
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.unary import SUE
from ldpnb.strings import unknown_strings
from ldpnb.strings.hashed import position
from ldpnb.strings.rappor import one_time
from ldpnb.strings.unknown_strings import Unknown, dictionary, discover, threshold
from ldpnb.verify import laws, same_law, worst
from ldpnb.verify.contract import _independent

SMALL = dict(length=2, gram=1, epsilon=1.5, bits=2, hashes=1, cohorts=1)
MIDDLE = dict(alphabet="_abcd", length=6, gram=2, epsilon=6.0, bits=32, hashes=1, cohorts=8)


def far_apart(make, letters=1, **sizes):
    """A mechanism with such letters that two strings attain the stated ε; these two first, then some others.

    They have to differ in every n-gram, and their filters to have h bits each and none in common in some cohort.
    """
    for first in range(ord("a"), ord("z")):
        symbols = [chr(first + i) for i in range(letters)]
        mechanism = make(alphabet="".join(["_", *symbols]), **{**SMALL, **sizes})
        values = ["".join(x) for size in range(mechanism.length + 1) for x in product(symbols, repeat=size)]
        codes, filters = mechanism.codes(values), mechanism.whole.filters(values)
        for a, b in combinations(range(len(values)), 2):
            full = (filters[[a, b]].sum(-1) == mechanism.hashes).all(0) & ~(filters[a] & filters[b]).any(-1)
            if np.all(codes[a] != codes[b]) and full.any():
                return mechanism, np.array([values[a], values[b], *values[1:-1:2]])
    raise AssertionError(f"no letters for {sizes}")


def case(some=3, **sizes):
    mechanism, values = far_apart(Unknown, **sizes)
    return Example(mechanism, values[:some], pairs=some == 2)


class TestUnknown(Contract):
    cases = [
        *(replace(example, pairs=False) for example in Unknown.example()),
        case(length=3, slots=3, epsilon=3),
        case(letters=2, cohorts=2),
    ]
    bad_values = [
        *([0.5], [1], [None], [True], [["a"]], 0, "a", [b"a"], ["a", 1], {"a"}),
        *(["aaa"], ["b"], ["_"], ["a_"], ["_a"]),
    ]
    bad_reports = [
        *(np.zeros((2, 3)), np.zeros(2, bool), "abc", [[0, 1]]),
        np.zeros((1, 1), case().mechanism.dtype),
        np.zeros(1, case(bits=4).mechanism.dtype),
        *(np.array([(c, p, (0, 1), ((0, 1), (1, 1)))], case().mechanism.dtype) for c, p in ((1, (0, 1)), (-1, (0, 1)))),
        *(
            np.array([(0, p, (0, 1), ((0, 1), (1, 1)))], case().mechanism.dtype)
            for p in ((1, 0), (0, 0), (0, 2), (-1, 1))
        ),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("values", [["a", "a"], ["", "a"]], ids=["alike", "different"])
def test_people_are_independent(values):
    """The contract's check, with filters of one bit, which are alike for all strings: else there are many branches."""
    mechanism = Unknown(**{**SMALL, "alphabet": "_a", "bits": 1})
    _independent(Example(mechanism, np.array(values)), (0, 1))


# ---------------------------------------------------------------------------------------------------------- privacy


@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 1.0, 6.0, 32.0])
@pytest.mark.parametrize("slots, hashes", [(2, 1), (2, 3), (3, 2), (7, 1)])
def test_every_part_gets_its_share_and_no_more(epsilon, slots, hashes):
    m = Unknown(alphabet="_ab", length=14, gram=2, slots=slots, epsilon=epsilon, bits=16, hashes=hashes, cohorts=2)
    share = Fraction(epsilon) / (slots + 1)
    grams, strings = (1 / m.flip - 1) ** 2, (1 / m.whole.flip - 1) ** (2 * hashes)
    for ratio in (grams, strings):
        assert ratio <= odds(share)
        assert log(ratio) == pytest.approx(float(share), rel=1e-5, abs=1e-12)
    assert strings * grams**slots <= odds(epsilon)
    assert m.realised_epsilon == pytest.approx(log(strings) + slots * log(grams), rel=1e-12)


def test_parts_are_unary_encoding_and_one_time_rappor():
    m = Unknown(**{**MIDDLE, "epsilon": 4.5})
    assert SUE(k=m.k, epsilon=1.5).support == (1 - m.flip, m.flip)
    assert m.whole == one_time(bits=32, hashes=1, cohorts=8, epsilon=1.5)


# ------------------------------------------------------------------------------------------------ client and server


@pytest.mark.slow
def test_client_is_the_one_for_one_person():
    m = Unknown(alphabet="_a", length=3, gram=1, slots=2, epsilon=2.5, bits=2, hashes=1, cohorts=2)
    p = {name: float(round_up(1 / (odds(Fraction(2.5) / 6) + 1))) for name in ("filter", "gram")}

    def client(value, rng, more=0.0):
        padded = value + "_" * (3 - len(value))
        cohort = int(uniform(2, (), rng))
        places = pick([(0, 1), (0, 2), (1, 2)], rng)
        own = position(value, cohort, 0, 2)
        bits = [(bit == own) != toss(p["filter"], rng) for bit in range(2)]
        grams = [[(g == padded[at]) != toss(p["gram"] + more, rng) for g in "_a"] for at in places]
        return cohort, places, bits, grams

    package = lambda value, rng: m.perturb([value], rng=rng)[0]  # noqa: E731
    assert same_law(client, package, ["", "a", "aaa"])
    assert not same_law(lambda value, rng: client(value, rng, 1e-3), package, ["a"])


def test_n_grams_and_pairs_are_numbered_as_stated():
    m = Unknown(**MIDDLE)
    assert m.k == len(m.grams) == 25 and m.grams[:7] == ["__", "_a", "_b", "_c", "_d", "a_", "aa"]
    assert [[m.grams[code] for code in row] for row in m.codes(["abcda", "", "d"])] == [
        ["ab", "cd", "a_"],
        ["__", "__", "__"],
        ["d_", "__", "__"],
    ]
    assert m.pairs == [(0, 1), (0, 2), (1, 2)] and m.positions == 3 and m.shown == Fraction(1, 3)
    assert Unknown(**{**MIDDLE, "length": 10, "slots": 3}).shown == Fraction(3, 10)


def test_counts_are_those_of_a_loop():
    m, rng = Unknown(**{**MIDDLE, "length": 8, "slots": 3}), np.random.default_rng(1)
    reports = m.perturb(["abcdabcd", "a", "dd"] * 40, rng=rng)
    people = np.zeros(6, int)
    first, second, both = np.zeros((6, 25), int), np.zeros((6, 25), int), np.zeros((6, 25, 25), int)
    for report in reports:
        shown = dict(zip(report["positions"].tolist(), report["grams"].astype(int), strict=True))
        for at, (i, j) in enumerate(combinations(range(4), 2)):
            if i in shown and j in shown:
                people[at] += 1
                first[at] += shown[i]
                second[at] += shown[j]
                both[at] += np.outer(shown[i], shown[j])
    counts = m.counts(m.tally(reports))
    for found, want in zip(counts[1:], (people, first, second, both), strict=True):
        assert np.array_equal(found, want)
    whole = np.empty(len(reports), m.whole.dtype)
    whole["cohort"], whole["bits"] = reports["cohort"], reports["bits"]
    assert np.array_equal(m.strings(m.tally(reports)).counts, m.whole.tally(whole).counts)


def test_blocks_change_nothing(monkeypatch):
    m, values = Unknown(**MIDDLE), ["abcd", "a", ""] * 30
    reports = m.perturb(values, rng=np.random.default_rng(2))
    counts = m.tally(reports).counts
    monkeypatch.setattr(unknown_strings, "BITS", 7 * 50)
    assert np.array_equal(m.perturb(values, rng=np.random.default_rng(2)), reports)
    assert np.array_equal(m.tally(reports).counts, counts)


@pytest.mark.parametrize("values", [["a", "", "a"], ("a", "", "a"), np.array(["a", "", "a"], object)])
def test_values_may_come_in_any_container(values):
    m = Unknown(**MIDDLE)
    want = m.perturb(np.array(["a", "", "a"]), rng=np.random.default_rng(0))
    assert np.array_equal(m.perturb(values, rng=np.random.default_rng(0)), want)


# ----------------------------------------------------------------------------------------------------- at full size

NAMES = ["abcd", "dcba", "aabbcc", "badcab", "a", "cad", "dabdab", "bbbbbb"]
SHARES = [0.25, 0.2, 0.15, 0.1, 0.1, 0.08, 0.07, 0.05]


@pytest.fixture(scope="module")
def middle():
    """150,000 people at ε = 6 with one of eight strings each."""
    m, rng = Unknown(**MIDDLE), np.random.default_rng(3)
    values = np.array(NAMES)[rng.choice(8, 150_000, p=SHARES)]
    return m, values, m.tally(m.perturb(values, rng=rng))


def test_estimate_at_full_size(middle):
    """All 1,875 shares of pairs within the normal quantile of a false-alarm rate of 1e-9, and the spread as stated."""
    m, values, tally = middle
    names, people = np.unique(values, return_counts=True)
    truth = np.tensordot(people, m.expected(names), 1) / len(values)
    error = np.sqrt(np.tensordot(people, m.variance(names), 1)) / len(values)
    z = (m.estimate(tally) - truth) / error
    assert np.abs(z).max() < norm.isf(1e-9 / (2 * z.size))
    assert 0.8 < z.std() < 1.2  # 8 standard errors of 1,875 independent ones
    tested = m.scores(tally)[truth == 0]
    assert 0.8 < tested.std() < 1.2 and m.scores(tally)[truth > 0].min() > 5


def test_scores_are_estimates_over_their_errors(middle):
    """A pair's score is its estimate over the error that `variance` states for it, were the pair of nobody."""
    m, values, tally = middle
    names, people = np.unique(values, return_counts=True)
    error = np.sqrt(np.tensordot(people, m.variance(names), 1)) / len(values)
    absent = np.tensordot(people, m.expected(names), 1) == 0
    np.testing.assert_allclose((m.estimate(tally) / m.scores(tally))[absent], error[absent], rtol=0.03)


def test_spurious_pairs_are_as_many_as_stated(middle):
    """Expected are 30 of those possible; a Poisson number with mean 28 to 30 is outside 3 … 75 once in 1e9 times."""
    m, values, tally = middle
    absent = m.expected(NAMES).sum(0) == 0
    assert threshold(m, 30) == pytest.approx(norm.isf(30 / (3 * 341)), rel=1e-12)
    assert 3 <= np.sum((m.scores(tally) > threshold(m, 30)) & absent & m.possible) <= 75


def test_possible_pairs_are_those_of_strings():
    m = Unknown(alphabet="_ab", length=6, gram=2, epsilon=1, bits=2, hashes=1, cohorts=1)
    values = ["".join(x) for size in range(7) for x in product("ab", repeat=size)]
    for pair in m.expected(values).any(0):
        assert np.array_equal(pair, m.possible)


def test_dictionary_holds_every_string(middle):
    """Shares of 0.05 and more are 8 standard errors above the threshold: one of 24 is missed once in 1e13 times."""
    m, values, tally = middle
    assert set(NAMES) <= set(dictionary(tally))
    assert len(dictionary(tally)) < 3 * len(NAMES)


def test_strings_that_share_n_grams_make_up_others():
    """Three strings, each pair of n-grams of the fourth in one of them: the dictionary cannot tell."""
    m, rng = Unknown(**MIDDLE), np.random.default_rng(4)
    real = ["aabbdd", "aaddcc", "ddbbcc"]
    tally = m.tally(m.perturb(real * 30_000, rng=rng))
    assert set(dictionary(tally)) >= {*real, "aabbcc"}
    result = discover(tally, **SURE)
    assert found(result) == set(real) and "aabbcc" in result.items


def test_dictionary_is_the_set_of_cliques():
    """Against all strings, tried one by one, on pairs drawn at random."""
    m = Unknown(alphabet="_ab", length=4, gram=1, epsilon=3, bits=2, hashes=1, cohorts=1)
    values = ["".join(x) for size in range(5) for x in product("ab", repeat=size)]
    for seed in range(20):
        tally = m.tally(m.perturb(values * 5, rng=np.random.default_rng(seed)))
        edges = m.scores(tally) > threshold(m, 20)
        want = {s for s, own in zip(values, m.expected(values).astype(bool), strict=True) if edges[own].all()}
        found = dictionary(tally, spurious=20)
        assert len(found) == len(set(found)) and set(found) == want


# False candidates are found with a probability of 1e-8 at most; shares of 0.05 are 13 standard errors above the test.
SURE = dict(control="bonferroni", alarm=1e-8)


def found(result):
    return {item for item, real in zip(result.items, result.found, strict=True) if real}


def check_shares(result, values):
    """Within their standard errors, but for a probability of 1e-8."""
    truth = np.array([np.mean(values == item) for item in result.items])
    assert np.all(np.abs(result.share - truth) < norm.isf(1e-8 / (2 * len(truth))) * result.error)


def test_all_strings_are_found_and_no_others(middle):
    m, values, tally = middle
    for spurious in (1, 30):
        result = discover(tally, spurious=spurious, **SURE)
        assert found(result) == set(NAMES) and result.chosen.all()
        check_shares(result, values)


def test_strings_are_found_at_a_smaller_epsilon():
    """Two positions, 16 bigrams, ε = 4: shares of 0.1 are 14 standard errors, 2.4 is the threshold."""
    m, rng = Unknown(**{**MIDDLE, "alphabet": "_abc", "length": 4, "epsilon": 4.0}), np.random.default_rng(6)
    names = np.array(["abc", "cab", "a", "bbcc", "accb", "cc", "bacc"])
    values = names[rng.choice(7, 100_000, p=[0.25, 0.2, 0.15, 0.1, 0.1, 0.1, 0.1])]
    result = discover(m.tally(m.perturb(values, rng=rng)), **SURE)
    assert found(result) == set(names.tolist())
    check_shares(result, values)


def test_rare_strings_are_not_found_but_spoil_nothing():
    """Half of the people have strings of their own: they are on no list, and shares of the others stay right."""
    m, rng = Unknown(**MIDDLE), np.random.default_rng(7)
    own = np.array(["".join(x) for x in rng.choice(list("abcd"), (60_000, 6))])
    values = np.concatenate([np.array(["abcd", "dcba", "cad"])[rng.integers(0, 3, 60_000)], own])
    result = discover(m.tally(m.perturb(values, rng=rng)), **SURE)
    assert found(result) == {"abcd", "dcba", "cad"}
    check_shares(result, values)


def test_too_few_people_are_no_error():
    m = Unknown(**MIDDLE)
    tally = m.tally(m.perturb(["abcd", "a"], rng=np.random.default_rng(8)))
    result = discover(tally, spurious=1e-3)
    assert dictionary(tally, spurious=1e-3) == [] and result.items == () and found(result) == set()
    assert result.share.shape == result.found.shape == (0,)


@pytest.mark.slow
def test_seven_hundred_n_grams():
    """27 symbols, bigrams: 729 × 729 counts for each pair of positions."""
    letters = "_abcdefghijklmnopqrstuvwxyz"
    m = Unknown(alphabet=letters, length=4, gram=2, epsilon=12.0, bits=32, hashes=1, cohorts=4)
    rng = np.random.default_rng(5)
    tally = sum(m.tally(m.perturb(["data", "mean", "sum"] * 2000, rng=rng)) for _ in range(4))
    assert {"data", "mean", "sum"} <= set(dictionary(tally))


# --------------------------------------------------------------------------------------------------------- controls


@dataclass(frozen=True, kw_only=True)
class SendsSubstrings(Unknown):
    """Perturbs the whole string only and sends the substrings as they are: the survey's formula read to the letter."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        own = np.take_along_axis(self.codes(values), reports["positions"], 1)
        reports["grams"] = own[..., None] == np.arange(self.k)
        return reports


@dataclass(frozen=True, kw_only=True)
class SharesAmongSubstrings(Unknown):
    """Divides ε by r, not by r + 1: forgets that the whole string is a report too."""

    flip = property(lambda self: Fraction(round_up(1 / (odds(self.epsilon / self.slots / 2) + 1))))


@dataclass(frozen=True, kw_only=True)
class ShowsWhatIsThere(Unknown):
    """Strings of one letter show the first two positions only."""

    def perturb(self, values, *, rng):
        reports = super().perturb(values, rng=rng)
        reports["positions"][np.char.str_len(np.asarray(values)) < 2] = (0, 1)
        return reports


@dataclass(frozen=True, kw_only=True)
class SamePositionsForAll(Unknown):
    """Draws one set of positions for everybody."""

    def perturb(self, values, *, rng):
        reports, codes = super().perturb(values, rng=rng), self.codes(values)
        before = np.take_along_axis(codes, reports["positions"], 1)
        reports["positions"] = reports["positions"][0]
        after = np.take_along_axis(codes, reports["positions"], 1)
        reports["grams"] ^= np.equal.outer(before, np.arange(self.k)) ^ np.equal.outer(after, np.arange(self.k))
        return reports


@dataclass(frozen=True, kw_only=True)
class AllShowAllPairs(Unknown):
    """Forgets that a pair of positions is shown by some people only."""

    def estimate(self, tally):
        return super().estimate(tally) * float(self.shown)


@dataclass(frozen=True, kw_only=True)
class SharesOfPeople(Unknown):
    """Divides by the people who show a pair instead of their expected number: a ratio, not linear."""

    def estimate(self, tally):
        people = self.counts(tally).people[..., None, None] / (tally.n * float(self.shown))
        return super().estimate(tally) / np.maximum(people, 1e-3)


@dataclass(frozen=True, kw_only=True)
class ForgetsNobody(Unknown):
    """Leaves the noise of both bits, q² N, out of the estimate."""

    def estimate(self, tally):
        chance = float(self.flip**2 / (1 - 2 * self.flip) ** 2 / self.shown) / tally.n
        return super().estimate(tally) - chance * self.counts(tally).people[..., None, None]


@dataclass(frozen=True, kw_only=True)
class NoiseOfStrangers(Unknown):
    """States the noise of a pair as if nobody had either n-gram."""

    def variance(self, values):
        v = float(self.flip * (1 - self.flip) / (1 - 2 * self.flip) ** 2)
        return np.full_like(self.expected(values), v**2 / float(self.shown))


@cache
def example(make):
    """The right mechanism, or one with a mistake, for strings that attain the stated ε; walked once for all checks."""
    right, values = far_apart(Unknown, length=3)
    return Example(make(**{f.name: getattr(right, f.name) for f in fields(Unknown)}), values)


@pytest.mark.parametrize(
    "make, caught_by",
    [
        (SendsSubstrings, "test_epsilon_of_the_law_is_the_stated_one"),
        (SendsSubstrings, "test_estimate_is_unbiased"),
        (SharesAmongSubstrings, "test_epsilon_of_the_law_is_the_stated_one"),
        (ShowsWhatIsThere, "test_public_part_does_not_depend_on_the_value"),
        (SamePositionsForAll, "test_draws_follow_the_law"),
        (AllShowAllPairs, "test_estimate_is_unbiased"),
        (SharesOfPeople, "test_estimate_is_the_mean_of_scores"),
        (ForgetsNobody, "test_estimate_is_unbiased"),
        (NoiseOfStrangers, "test_noise_is_the_variance"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_mistake_is_caught(make, caught_by):
    getattr(Contract(), caught_by)(example(Unknown))
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(example(make))


def test_substrings_sent_as_they_are_give_the_string_away():
    mechanism, values = far_apart(SendsSubstrings)
    assert worst(laws(mechanism, values)).epsilon == float("inf")


# -------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "bad, message",
    [
        *(({name: x}, f"{name} must be an integer") for name in ("bits", "hashes", "cohorts") for x in (0, 1.5, True)),
        *(({name: x}, f"{name} must be an integer") for name in ("length", "gram") for x in (0, -1, "2", None)),
        *(({"slots": x}, "slots must be an integer, at least 2, got") for x in (1, 0, 2.0)),
        ({"slots": 4}, "slots must be at most length/gram = 3, got 4"),
        ({"length": 2}, "slots must be at most length/gram = 1, got 2"),
        ({"length": 7}, "length must be a multiple of gram = 2, got 7"),
        ({"gram": 7, "length": 14}, "gram must leave at most 134217728 pairs of n-grams to count, got 7"),
        *(
            ({"alphabet": x}, "alphabet must be a string of at least two distinct")
            for x in ("a", "", "aba", ["a", "b"])
        ),
    ],
)
def test_bad_sizes_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        Unknown(**{**MIDDLE, **bad})


@pytest.mark.parametrize(
    "value, message",
    [
        ("abcdabc", "values must be of at most length = 6 letters, got 'abcdabc'"),
        ("abe", "values must be of the letters 'abcd', got 'e' in 'abe'"),
        ("ab_", "values must be of the letters 'abcd', got '_' in 'ab_'"),
    ],
)
def test_bad_strings_are_refused(value, message):
    m = Unknown(**MIDDLE)
    for use in (m.expected, m.variance, m.codes, lambda x: m.perturb(x, rng=np.random.default_rng(0))):
        with pytest.raises(ValueError, match=message):
            use(["ab", value])


@pytest.mark.parametrize("spurious", [0, -1, 1023, float("nan"), float("inf"), "1", None, True])
def test_bad_thresholds_are_refused(middle, spurious):
    with pytest.raises(ValueError, match=r"spurious must be a number in \(0, 1023\), .*, got"):
        dictionary(middle[2], spurious=spurious)


def test_bad_tallies_and_limits_are_refused(middle):
    m, _, tally = middle
    with pytest.raises(ValueError, match="tally must be of an Unknown, got one of GRR"):
        dictionary(GRR(k=3, epsilon=1).tally(np.array([0])))
    with pytest.raises(ValueError, match="tally must be of an Unknown, got one of RAPPOR"):
        discover(m.strings(tally))
    with pytest.raises(ValueError, match=r"alarm must be .*, got 2"):
        discover(tally, alarm=2)
    with pytest.raises(ValueError, match="tally must hold at least one report"):
        dictionary(m.tally(np.zeros(0, m.dtype)))
    with pytest.raises(ValueError, match="tally must be of one survey"):
        dictionary(Tally(m, tally.n, np.stack([tally.counts] * 2)))
    with pytest.raises(ValueError, match="limit must be an integer, at least 1"):
        dictionary(tally, limit=0)
    with pytest.raises(
        ValueError, match="at most limit = 100 candidates, got .* beginnings of 2 n-grams at spurious = 900"
    ):
        dictionary(tally, spurious=900, limit=100)
