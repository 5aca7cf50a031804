from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from contract import BAD_PAIRS, FALSE_ALARM, Contract, total_variation
from scipy.stats import chi2

from ldpnb.chance import branches, law
from ldpnb.core import Example, Tally
from ldpnb.keyvalue import encoding
from ldpnb.keyvalue.correlation import IOH, PairSampling
from ldpnb.keyvalue.encoding import encode
from ldpnb.keyvalue.population import FEW, discretise
from ldpnb.keyvalue.queries import Shares, Table, to_bits
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardBit
from ldpnb.oracles.olh import OLH
from ldpnb.oracles.subset import SubsetSelection
from ldpnb.oracles.succinct import SHist
from ldpnb.oracles.unary import OUE, SUE
from ldpnb.postprocess import norm_sub
from ldpnb.records import Records

KEYS = ("cancer", "fever", "cough")
ONE, TWO, THREE = FEW[1], FEW[2], FEW[3]


def ioh(make, d, epsilon, **more):
    return IOH(keys=KEYS[:d], oracle=make(k=3**d, epsilon=epsilon, **more))


def sampling(make, d, epsilon, **more):
    return PairSampling(keys=KEYS[:d], oracle=make(k=9, epsilon=epsilon, **more))


class TestIOH(Contract):
    cases = [
        *(
            replace(example, pairs=example.pairs and not isinstance(example.mechanism.oracle, HadamardBit))
            for example in IOH.example()  # two people through one bit are those with one key below
        ),
        Example(ioh(GRR, 1, 0.3), ONE),
        Example(ioh(SUE, 2, 1.0), TWO[:4], pairs=False),
        Example(ioh(SUE, 1, 4.0), ONE),
        Example(ioh(HadamardBit, 1, 0.1), ONE),
        Example(ioh(SubsetSelection, 1, 1.0), ONE),
        Example(ioh(OLH, 1, 1.0, prime=5), ONE, pairs=False),
    ]
    bad_values = BAD_PAIRS
    bad_reports = [[-1], [9], [0.5], ["a"], [[0]]]


class TestPairSampling(Contract):
    cases = [  # two people who draw pairs of three keys, of certain signs; of two keys, of all signs
        *(replace(example, pairs=example.pairs and example.mechanism.d == 2) for example in PairSampling.example()),
        Example(sampling(GRR, 3, 1.5), THREE[[0, 2]]),
    ]
    bad_values = [[{0: 1.0}], np.array([0, 1]), Records.of({0}, {1}), Records.of({3: 1.0}), Records.of({0: 1.5})]
    bad_reports = [
        [0, 1],
        np.array([(3, 0)], cases[0].mechanism.dtype),
        np.array([(-1, 0)], cases[0].mechanism.dtype),
        np.array([(0, 9)], cases[0].mechanism.dtype),
        np.array([(0, 1.0)], [("pair", np.int64), ("report", float)]),
        np.array([[(0, 1)]], cases[0].mechanism.dtype),
    ]


# ------------------------------------------------------------------------------------------------------ controls


@dataclass(frozen=True, kw_only=True)
class DigitsReversed(IOH):
    """Numbers combinations with the first key as the last digit."""

    def _perturb(self, values, rng):
        signs = discretise(values.values, rng)
        moves = np.bincount(values.users, signs * 3**values.keys, len(values)).astype(np.int64)
        return self.oracle.perturb((3**self.d - 1) // 2 + moves, rng=rng)


@dataclass(frozen=True, kw_only=True)
class AbsentHaveSigns(IOH):
    """Gives keys that are not held the value 0, and that a sign."""

    def _perturb(self, values, rng):
        dense = np.zeros((len(values), self.d))
        dense[values.users, values.keys] = values.values
        full = Records.from_arrays(*np.indices(dense.shape).reshape(2, -1), dense.ravel(), n=len(values))
        return super()._perturb(full, rng)


@dataclass(frozen=True, kw_only=True)
class SignsForgotten(IOH):
    """Leaves the draw of signs out of its noise."""

    def variance(self, values):
        t = self.expected(values)
        return super().variance(values) - t * (1 - t)


@dataclass(frozen=True, kw_only=True)
class OwnPair(PairSampling):
    """Prefers a pair with a key the person holds."""

    def _perturb(self, values, rng):
        reports = super()._perturb(values, rng)
        reports["pair"] = np.where(values.sizes == 0, 0, reports["pair"])
        return reports


@dataclass(frozen=True, kw_only=True)
class FactorForgotten(PairSampling):
    """Does not multiply by the number of pairs."""

    def _score(self, tally):
        return super()._score(tally) / len(self.pairs)


@dataclass(frozen=True, kw_only=True)
class EverybodyAsked(PairSampling):
    """Subtracts what reports cost as if everybody had been asked about every pair."""

    def _score(self, tally):
        counts = tally.counts.copy()
        counts[..., 0] = tally.n
        return super()._score(Tally(self, tally.n, counts))


@pytest.mark.parametrize(
    "mechanism, caught_by",
    [
        (DigitsReversed.of(KEYS[:2], GRR, 1.0), "test_estimate_is_unbiased"),
        (AbsentHaveSigns.of(KEYS[:2], GRR, 1.0), "test_estimate_is_unbiased"),
        (SignsForgotten.of(KEYS[:2], GRR, 1.0), "test_noise_is_the_variance"),
        (OwnPair.of(KEYS, GRR, 1.0), "test_public_part_does_not_depend_on_the_value"),
        (FactorForgotten.of(KEYS, GRR, 1.0), "test_estimate_is_unbiased"),
        (EverybodyAsked.of(KEYS, GRR, 1.0), "test_estimate_is_unbiased"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_mistake_is_caught(mechanism, caught_by):
    with pytest.raises(AssertionError):
        getattr(Contract(), caught_by)(Example(mechanism, TWO if mechanism.d == 2 else THREE))


# ------------------------------------------------------------------------------------------------------ encoding


def test_published_example_is_encoded():
    """Table 1 of sun2021: states 2 1 0, 0 2 2 and 1 0 0 are 21, 8 and 9."""
    people = Records.of({0: 1.0, 2: -1.0}, {0: -1.0, 1: 1.0, 2: 1.0}, {1: -1.0, 2: -1.0})
    assert encode(people, 3, np.random.default_rng(0)).tolist() == [21, 8, 9]


def test_codes_have_the_law_of_independent_signs():
    (person,) = [Records.of({0: 0.5, 2: -0.75})]
    found = law(lambda rng: encode(person, 3, rng)[0])
    assert {code: float(p) for code, p in found.items()} == {
        9 * a + 3 + c: (0.75 if a else 0.25) * (0.125 if c else 0.875) for a, c in product((0, 2), repeat=2)
    }


@pytest.mark.parametrize("d", [0, 2.5, "2", None, True])
def test_bad_number_of_keys_is_refused(d):
    with pytest.raises(ValueError, match="d must be an integer, at least 1, got"):
        encode(ONE, d, np.random.default_rng(0))


def test_tables_that_are_too_large_are_refused_before_they_are_made():
    many = tuple(f"key {j}" for j in range(13))
    for make in (
        lambda: IOH.of(many, GRR, 1.0),
        lambda: IOH(keys=many, oracle=GRR(k=3**13, epsilon=1.0)),
    ):
        with pytest.raises(ValueError, match="at most 12 .*got 13: PairSampling"):
            make()
    with pytest.raises(ValueError, match="d must be at most 12, got 13"):
        encode(Records.of({0: 1.0}), 13, np.random.default_rng(0))


@pytest.mark.parametrize("keys", [(), ("a", "a"), "ab", ("a", 1), None, {"a", "b"}, ["a", ("b",)]])
def test_bad_names_are_refused(keys):
    for make in (IOH, PairSampling):
        with pytest.raises(ValueError, match="keys must be .*names.*, got"):
            make(keys=keys, oracle=GRR(k=9, epsilon=1.0))


def test_one_key_has_no_pairs():
    with pytest.raises(ValueError, match="keys must be at least two, since pairs are drawn, got 1"):
        PairSampling.of(("a",), GRR, 1.0)


@pytest.mark.parametrize("make", [IOH, PairSampling])
@pytest.mark.parametrize(
    "oracle, complaint",
    [(GRR(k=8, epsilon=1.0), "k = 9, got 8"), (SHist(k=9, epsilon=1.0, m=4), "SHist"), (3, "got 3")],
)
def test_bad_oracles_are_refused(make, oracle, complaint):
    with pytest.raises(ValueError, match=f"oracle must .*{complaint}"):
        make(keys=("a", "b"), oracle=oracle)


# ---------------------------------------------------------------------------------------------------- conditions


def test_conditions_are_written_as_published():
    for given in ({"cough": 1, "cancer": 0}, {"cancer": False, "cough": np.True_}):  # Fig. 3 of sun2021
        assert to_bits(given, KEYS) == ("101", "001")
    assert to_bits({}, KEYS) == ("000", "000")


def conditions(d):
    """All (α, β) with β ≤ α."""
    every = product("*01", repeat=d)
    return [("".join("01"[s != "*"] for s in states), "".join("01"[s == "1"] for s in states)) for states in every]


def spoken(alpha, beta):
    """The condition in words: each key that α names, and whether it is held."""
    return {key: int(b) for key, a, b in zip(KEYS, alpha, beta, strict=True) if a == "1"}


@pytest.mark.parametrize("alpha, beta", conditions(3))
def test_conditions_come_back(alpha, beta):
    assert to_bits(spoken(alpha, beta), KEYS) == (alpha, beta)


def flat(d=3, seed=30, trials=()):
    """A table of any numbers, as far from shares as noise makes them; the sums asked for are positive."""
    cells = np.random.default_rng(seed).normal(0.5, 0.3, (*trials, 3**d))
    return Table(KEYS[:d], cells, Shares(KEYS[:d], cells, 100, OUE(k=3**d, epsilon=1.0)))


@pytest.mark.parametrize(
    "given, complaint",
    [
        ({"coughing": 1}, "key must be one of cancer, fever, cough, got 'coughing'"),
        ({0: 1}, "key must be one of cancer, fever, cough, got 0"),
        ({"cough": 2}, r"given must say 1 \(held\) or 0 \(not held\) of cough, got 2"),
        ({"cough": -1}, "got -1"),
        ({"cough": "1"}, "got '1'"),
        ({"cough": 1.0}, "got 1.0"),
        ({"cough": None}, "got None"),
        (("cough",), "given must be a mapping"),
        ("cough", "given must be a mapping"),
    ],
)
def test_bad_conditions_are_refused(given, complaint):
    for ask in (flat().count, lambda g: flat().frequency("fever", g), lambda g: flat().mean("fever", g)):
        with pytest.raises(ValueError, match=complaint):
            ask(given)


@pytest.mark.parametrize("ask", [Table.frequency, Table.mean], ids=["frequency", "mean"])
def test_bad_keys_are_refused(ask):
    with pytest.raises(ValueError, match="key must be one of cancer, fever, cough, got 'flu'"):
        ask(flat(), "flu")
    for held in (0, 1):
        with pytest.raises(ValueError, match="given must not be about the key asked for, got fever"):
            ask(flat(), "fever", {"cough": 1, "fever": held})


# ---------------------------------------------------------------------- queries, by the published list of indices


def indices(gamma, sign=None):
    """I(γ), and I⁺ or I⁻ if `sign` is (key, 2) or (key, 0): numbers whose digits are states that γ allows."""
    digits = [(0, 2) if g else (1,) for g in gamma]
    if sign and gamma[sign[0]]:
        digits[sign[0]] = (sign[1],)
    return [sum(3 ** (len(gamma) - 1 - j) * s for j, s in enumerate(states)) for states in product(*digits)]


def counter(cells, alpha, beta, sign=None):
    """F^α_β, or S^±, of sun2021 §3.2 and §3.3: the sum over all γ with γ ∧ α = β."""
    total = 0
    for gamma in product((0, 1), repeat=len(alpha)):
        if all(g & int(a) == int(b) for g, a, b in zip(gamma, alpha, beta, strict=True)):
            total = total + sum(cells[..., i] for i in indices(gamma, sign))
    return total


def test_published_indices_come_out():
    assert indices((1, 0, 1)) == [3, 5, 21, 23]


def with_bit(bits, j):
    return bits[:j] + "1" + bits[j + 1 :]


@pytest.mark.parametrize("alpha, beta", conditions(3))
@pytest.mark.parametrize("trials", [(), (2, 3)])
def test_queries_are_the_published_sums(alpha, beta, trials):
    table = flat(trials=trials)
    cells, given = table.cells, spoken(alpha, beta)
    scrambled = dict(reversed(given.items()))
    whole = counter(cells, alpha, beta)
    np.testing.assert_allclose(table.count(scrambled).value, whole, rtol=1e-12)
    assert np.shape(table.count(scrambled).value) == trials
    for j, key in enumerate(KEYS):
        if alpha[j] == "0":
            held = counter(cells, with_bit(alpha, j), with_bit(beta, j))
            np.testing.assert_allclose(table.frequency(key, scrambled).value, held / whole, rtol=1e-12)
            plus, minus = (counter(cells, with_bit(alpha, j), with_bit(beta, j), (j, s)) for s in (2, 0))
            np.testing.assert_allclose(table.mean(key, scrambled).value, (plus - minus) / held, rtol=1e-12)
            # as printed, over γ that do not fix the key: those without it are counted in both, and cancel
            plus_too, minus_too = (counter(cells, alpha, beta, (j, s)) for s in (2, 0))
            np.testing.assert_allclose(plus_too - minus_too, plus - minus, rtol=1e-9, atol=1e-12)
            assert not np.any(np.isclose(plus_too, plus)), "control: alone, the printed sum counts too many"
            assert not np.any(np.isclose(plus / held, (plus - minus) / held)), "control: plus signs alone"


def test_questions_without_a_condition():
    table = flat()
    assert table.frequency("fever").value == table.frequency("fever", {}).value
    assert table.frequency("fever").value == pytest.approx(table.count({"fever": 1}).value / table.cells.sum())
    assert table.normalised().frequency("fever").value == pytest.approx(table.normalised().count({"fever": 1}).value)


@pytest.mark.parametrize("names", [("fever",), ("cough", "cancer"), ("cough", "cancer", "fever"), KEYS])
def test_marginals_are_sums(names):
    table = flat(trials=(2,))
    found = table.marginal(names)
    assert found.keys == names
    for states in product(range(3), repeat=len(names)):
        at = {KEYS.index(key): s for key, s in zip(names, states, strict=True)}
        every = [digits for digits in product(range(3), repeat=3) if all(digits[j] == s for j, s in at.items())]
        total = sum(table.cells[:, 9 * a + 3 * b + c] for a, b, c in every)
        np.testing.assert_allclose(found.cells[:, int("".join(map(str, states)), 3)], total, rtol=1e-12)


@pytest.mark.parametrize("first", ["marginal", "normalised"])
def test_marginals_answer_as_the_whole_table(first):
    """With the same errors, in whatever order keys are named, and normalised before or after."""
    table, names = flat(trials=(2,)), ("cough", "cancer")
    part = table.normalised().marginal(names) if first == "normalised" else table.marginal(names).normalised()
    assert part.cells.sum(-1) == pytest.approx([1, 1])
    for a, b in ((table.marginal(names), table), (part, table.normalised())):
        for ask in (
            lambda t: t.count({"cancer": 1, "cough": 0}),
            lambda t: t.frequency("cough", {"cancer": 0}),
            lambda t: t.mean("cancer", {"cough": 1}),
        ):
            for field in ("value", "error", "reliable"):
                np.testing.assert_allclose(getattr(ask(a), field), getattr(ask(b), field), rtol=1e-9)


@pytest.mark.parametrize("names", [("flu",), ("fever", "fever"), (), "fever", None])
def test_bad_marginals_are_refused(names):
    with pytest.raises(ValueError, match=r"key.* must be .*, got"):
        flat().marginal(names)


def test_projected_tables_have_no_errors():
    table = flat(trials=(2,))
    found = table.marginal(("fever", "cough")).projected()
    np.testing.assert_array_equal(found.cells, norm_sub(table.marginal(("fever", "cough")).cells))
    for answer in (found.count({"fever": 1}), found.frequency("fever", {"cough": 1}), found.mean("fever")):
        assert np.all(np.isfinite(answer.value)) and np.all(np.isnan(answer.error))
    assert not found.frequency("fever", {"cough": 1}).reliable.any()


# ------------------------------------------------------------------------------------------------------- errors


PEOPLE = {
    "certain signs": Records.of(
        {0: 1.0}, {0: -1.0, 1: 1.0}, {1: -1.0}, {}, {0: 1.0, 1: -1.0}, {0: 1.0, 1: -1.0}, {1: 1.0}
    ),
    "one value": Records.of({0: 0.5}, {0: 0.5}, {0: 0.5, 1: -1.0}, {1: 0.25}, {}, {0: 0.5}),
    "several": Records.of({0: 1.0}, {0: -0.5}, {0: 1.0, 1: -1.0}, {1: 0.25}, {}, {0: -0.5}),
}


@cache
def covariance(mechanism, who, copies=1):
    """Covariance matrix of the nine estimates (of the first pair), from the clients' laws, of so many such people.

    Of a pair, of those asked about it, a random sample of n/L of all n.
    """
    values, noise, means = PEOPLE[who], np.zeros((9, 9)), []
    pairs = isinstance(mechanism, PairSampling)
    for i in range(len(values)):
        found = {}
        for p, report in branches(lambda rng, i=i: mechanism.perturb(values[i : i + 1], rng=rng)):
            if not pairs or report["pair"] == 0:
                key = report.tobytes()
                if key not in found:
                    answer = mechanism.estimate(mechanism.tally(report)).reshape(-1, 9)[0] / mechanism.questions
                    found[key] = [0.0, answer]
                found[key][0] += float(p)
        p, x = np.array([p for p, _ in found.values()]), np.array([x for _, x in found.values()])
        p = p / p.sum()
        means.append(p @ x)
        noise += ((x - p @ x).T * p) @ (x - p @ x) / len(values)
    n = copies * len(values)
    asked = n / mechanism.questions
    left = (n - asked) / (n - 1)
    return (noise + left * np.cov(np.transpose(means), bias=True)) / asked


PRESENT, SIGNED, ANY, ABSENT = (np.array(x, float) for x in [(1, 0, 1), (-1, 0, 1), (1, 1, 1), (0, 1, 0)])
WEIGHTS = {  # numerator and denominator of each question, about the first two keys
    "count": (np.kron(PRESENT, ANY), None),
    "count of two": (np.kron(PRESENT, ABSENT), None),
    "frequency": (np.kron(PRESENT, PRESENT), np.kron(PRESENT, ANY)),
    "frequency of all": (np.kron(ANY, PRESENT), np.kron(ANY, ANY)),
    "mean": (np.kron(SIGNED, ABSENT), np.kron(PRESENT, ABSENT)),
    "mean of all": (np.kron(ANY, SIGNED), np.kron(ANY, PRESENT)),
}
QUESTIONS = {
    "count": lambda t: t.count({"cancer": 1}),
    "count of two": lambda t: t.count({"cancer": 1, "fever": 0}),
    "frequency": lambda t: t.frequency("fever", {"cancer": 1}),
    "frequency of all": lambda t: t.frequency("fever"),
    "mean": lambda t: t.mean("cancer", {"fever": 0}),
    "mean of all": lambda t: t.mean("fever"),
}


def functional(cells, question, normal):
    """The linear function of the cells that a question is, near the true cells."""
    part, whole = WEIGHTS[question]
    w = part if whole is None else (part - (cells @ part) / (cells @ whole) * whole) / (cells @ whole)
    return w - w.mean() if normal else w


MECHANISMS = [
    *(ioh(make, 2, e) for make, e in [(GRR, 1.0), (SUE, 2.0), (OUE, 0.5), (HadamardBit, 1.0)]),
    *(sampling(make, 3, e) for make, e in [(GRR, 1.0), (HadamardBit, 2.0)]),
]


def truth(mechanism, values):
    return mechanism.truth(values) if isinstance(mechanism, IOH) else mechanism.truth(KEYS[:2], values)


@pytest.mark.parametrize("normal", [False, True], ids=["raw", "normalised"])
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)
def test_errors_are_those_of_the_law(mechanism, question, normal):
    """People of certain signs: the error of the true table is that of its linear function, exactly."""
    people = PEOPLE["certain signs"]
    table = truth(mechanism, people)
    answer = QUESTIONS[question](table.normalised() if normal else table)
    weights = functional(table.cells, question, normal)
    exact = weights @ covariance(mechanism, "certain signs") @ weights
    if "mean" in question:  # the error allows for signs drawn at random, which the table cannot tell
        exact += (1 - answer.value**2) / (table.cells @ WEIGHTS[question][1]) / len(people)
    assert answer.error**2 == pytest.approx(exact, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("mechanism", [MECHANISMS[0], MECHANISMS[4]], ids=str)
def test_error_of_a_mean_allows_for_random_signs(mechanism):
    """Exactly, if all who are counted have one value, and otherwise by too much."""
    copies, within = (10_000, 2e-4) if isinstance(mechanism, PairSampling) else (1, 1e-9)  # to order 1/n of a sample
    for who in ("one value", "several"):
        people = PEOPLE[who]
        table = truth(mechanism, people[np.tile(np.arange(len(people)), copies)])
        weights = functional(table.cells, "mean", False)
        exact = weights @ covariance(mechanism, who, copies) @ weights
        found = table.mean("cancer", {"fever": 0}).error ** 2
        # of those counted: values 1 once and −1/2 twice, or 1/2 three times; their variance is what is allowed too much
        v = {"one value": np.full(3, 0.5), "several": np.array([1.0, -0.5, -0.5])}[who]
        assert found == pytest.approx(exact + v.var() / 3 / copies, rel=within)


def test_variance_stays_within_what_people_can_have():
    """Estimated shares far below zero, as at large ε with few people, never make a variance negative."""
    cells = np.array([-40.0, 20, 21])
    collected = Shares(("a",), cells, 10, GRR(k=3, epsilon=1.0))
    w = np.array([1.0, 0.2, 0.0])
    g = collected.oracle.linear_variance(w)
    assert not g.min() <= cells @ g <= g.max()
    assert collected.variance(w) in (g.min() / 10, g.max() / 10)


def test_variance_takes_shares_that_sum_to_one():
    """People are n in number, whatever the estimated total."""
    oracle = OUE(k=3, epsilon=1.0)
    own, other = oracle.variance([0])[0, :2]
    for shares in ([0.2, 0.3, 0.5], [0.7, 0.8, 1.0]):
        collected = Shares(("a",), np.array(shares), 10, oracle)
        assert collected.variance(np.array([1.0, 0, 0])) == pytest.approx((0.2 * own + 0.8 * other) / 10)


@pytest.mark.parametrize("distance, reliable", [(2.9, False), (3.1, True)])
def test_denominators_of_three_errors_are_reliable(distance, reliable):
    oracle = HadamardBit(k=3, epsilon=1.0)
    error = np.sqrt(oracle.variance([1])[0, [0, 2]].sum() / 10_000)  # of a key that hardly anybody holds
    share = distance * error / 2
    cells = np.array([share, 1 - 2 * share, share])
    found = Table(("a",), cells, Shares(("a",), cells, 10_000, oracle))
    assert found.count({"a": 1}).error == pytest.approx(error, rel=1e-2)
    assert found.mean("a").reliable == reliable


@pytest.mark.parametrize("cells", [np.ones(8), np.ones((9, 2)), np.float64(1)])
def test_cells_of_another_size_are_refused(cells):
    with pytest.raises(ValueError, match=r"cells must have k = 9 entries along the last axis, got"):
        Table(KEYS[:2], cells)


def crowd(n, d=3, seed=40):
    """People whose keys depend on each other; those with the first key alone have one value of it."""
    rng = np.random.default_rng(seed)
    held = rng.random((n, d)) < 0.2 + 0.6 * (rng.random((n, 1)) < 0.5)
    user, key = np.nonzero(held)
    value = np.where(key == 0, 0.4, np.clip(rng.normal(0.2, 0.5, len(key)), -1, 1))
    return Records.from_arrays(user, key, value, n=n)


def asked_directly(values, d=3):
    """Frequencies and means of key 0 given key 1, from the records."""
    held, v = np.zeros((len(values), d), bool), np.zeros((len(values), d))
    held[values.users, values.keys], v[values.users, values.keys] = True, values.values
    return {
        "count": held[:, 0].mean(),
        "count of two": (held[:, 0] & ~held[:, 1]).mean(),
        "frequency": held[held[:, 0], 1].mean(),
        "frequency of all": held[:, 1].mean(),
        "mean": v[held[:, 0] & ~held[:, 1], 0].mean(),
        "mean of all": v[held[:, 1], 1].mean(),
    }


@pytest.mark.parametrize("mechanism", [ioh(OUE, 3, 1.0), sampling(GRR, 3, 1.0)], ids=str)
def test_true_table_holds_the_truth(mechanism):
    values = crowd(5000)
    table = truth(mechanism, values)
    np.testing.assert_allclose(
        table.cells,
        mechanism.expected(values).mean(0) if isinstance(mechanism, IOH) else mechanism.expected(values).mean(0)[0],
        atol=1e-12,
    )
    for question, value in asked_directly(values).items():
        assert QUESTIONS[question](table).value == pytest.approx(value, abs=1e-12)


def test_true_table_does_without_much_memory(monkeypatch):
    values, mechanism = crowd(500), ioh(OUE, 3, 1.0)
    whole = mechanism.truth(values).cells
    monkeypatch.setattr(encoding, "PEOPLE", 50)
    np.testing.assert_allclose(mechanism.truth(values).cells, whole, atol=1e-15)


TRIALS = 1500


def tables(mechanism, values, rng, trials=TRIALS):
    tally = mechanism.simulate(mechanism.cells(values, trials=trials, rng=rng), rng=rng)
    return mechanism.table(tally) if isinstance(mechanism, IOH) else mechanism.table(KEYS[:2], tally)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mechanism",
    [ioh(GRR, 3, 3.0), ioh(OUE, 3, 2.0), ioh(HadamardBit, 3, 2.0), ioh(SubsetSelection, 2, 2.0), sampling(GRR, 3, 2.0)],
    ids=str,
)
def test_stated_errors_are_those_of_many_trials(mechanism):
    """Squares of (value − truth)/error, summed over 1500 trials, are χ²; 12 sums a mechanism, both sides, 1e-9 each.

    Key 1 has many values, so the error of its mean may be too large, by at most what signs add.
    """
    n = 20_000 if isinstance(mechanism.oracle, HadamardBit) else 8000  # so many that all answers are reliable
    values = crowd(n, mechanism.d)
    right = asked_directly(values, mechanism.d)
    raw = tables(mechanism, values, np.random.default_rng(41))
    for table in (raw, raw.normalised()):
        for question, ask in QUESTIONS.items():
            answer = ask(table)
            statistic = np.sum(((answer.value - right[question]) / answer.error) ** 2)
            assert np.all(answer.reliable)
            if question == "mean of all":
                assert 0.5 * TRIALS < statistic
            else:
                assert chi2.cdf(statistic, TRIALS) > FALSE_ALARM, (question, statistic / TRIALS)
            assert chi2.sf(statistic, TRIALS) > FALSE_ALARM, (question, statistic / TRIALS)


@pytest.mark.slow
def test_errors_that_take_cells_for_independent_are_caught():
    """The control: with k-RR, cells exclude each other."""

    class Independent(GRR):
        def linear_variance(self, weights):
            return np.square(weights) @ self.variance(np.arange(self.k)).T

    mechanism, values = ioh(GRR, 2, 1.0), crowd(20_000, 2)
    table = tables(mechanism, values, np.random.default_rng(42))
    naive = replace(table, collected=replace(table.collected, oracle=Independent(k=9, epsilon=1.0)))
    for t, caught in ((table, False), (naive, True)):
        answer = t.count({"cancer": 1})
        statistic = np.sum(((answer.value - asked_directly(values, 2)["count"]) / answer.error) ** 2)
        assert (chi2.cdf(statistic, TRIALS) < FALSE_ALARM) == caught


def test_trials_are_answered_one_by_one():
    mechanism = ioh(OUE, 2, 1.0)
    many = tables(mechanism, crowd(800, 2), np.random.default_rng(43), trials=4)
    for ask in QUESTIONS.values():
        together = ask(many.normalised())
        for t in range(4):
            cells = many.cells[t]
            alone = ask(Table(many.keys, cells, replace(many.collected, shares=cells)).normalised())
            for field in ("value", "error", "reliable"):
                np.testing.assert_allclose(
                    getattr(together, field)[t], getattr(alone, field), rtol=1e-9, equal_nan=True
                )


def test_nobody_has_no_frequency():
    """A share may be negative, and is said so; there is no ratio to it, nor one to be relied on."""
    cells = np.array([[0.2, 0.9, -0.3], [0.3, 0.5, 0.2], [0.02, 0.96, 0.02]])
    collected = Shares(("a",), cells, 100, OUE(k=3, epsilon=1.0))
    answer = Table(("a",), cells, collected).mean("a")
    assert np.isnan(answer.value[0]) and np.isnan(answer.error[0])
    assert answer.value[1:] == pytest.approx([-0.2, 0])
    error = np.sqrt(collected.variance(np.array([1.0, 0, 1])))
    assert answer.reliable.tolist() == (np.array([-0.1, 0.5, 0.04]) > 3 * error).tolist() == [False, False, False]
    richer = replace(collected, n=10_000)
    assert Table(("a",), cells, richer).mean("a").reliable.tolist() == [False, True, False]
    assert Table(("a",), cells, collected).count({"a": 1}).value == pytest.approx([-0.1, 0.5, 0.04])
    zero = Table(("a",), np.zeros(3), replace(collected, shares=np.zeros(3))).mean("a")
    assert np.isnan(zero.value) and not zero.reliable


# ---------------------------------------------------------------------------------------------------- simulation


@pytest.mark.parametrize(
    "mechanism, values",
    [
        (ioh(GRR, 1, 1.0), ONE[2:]),
        (ioh(SUE, 1, 1.0), ONE[2:]),
        (ioh(HadamardBit, 1, 1.0), ONE[1::2]),
        (ioh(GRR, 2, 2.0), TWO[4:]),
        (sampling(GRR, 3, 1.0), THREE[[2, 6]]),
    ],
    ids=str,
)
def test_simulation_has_the_law_of_the_clients(mechanism, values):
    def client(rng):
        return mechanism.tally(mechanism.perturb(values, rng=rng)).counts

    def simulated(rng):
        return mechanism.simulate(mechanism.cells(values, trials=1, rng=rng), rng=rng).counts[0]

    assert total_variation(law(client), law(simulated)) <= 2.0**-50


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 4000])
@pytest.mark.parametrize(
    "mechanism",
    [
        *(ioh(make, 2, 1.0) for make in (GRR, SUE, OUE, OLH, SubsetSelection, HadamardBit)),
        *(sampling(make, 3, 1.0) for make in (GRR, OUE, HadamardBit)),
    ],
    ids=str,
)
def test_simulated_estimates_have_the_stated_mean_and_noise(mechanism, n):
    """6.7 standard errors of the mean; variances χ²."""
    values, trials, rng = crowd(n, mechanism.d), 200, np.random.default_rng(45)
    tally = mechanism.simulate(mechanism.cells(values, trials=trials, rng=rng), rng=rng)
    assert tally.n == n and tally.counts.dtype == np.int64
    z = mechanism.estimate(tally) - mechanism.expected(values).mean(0)
    z /= np.sqrt(mechanism.variance(values).sum(0)) / n
    assert np.abs(z.mean(0)).max() * np.sqrt(trials) < 6.7
    assert np.all(np.abs((z**2).mean(0) - 1) < 6.7 * np.sqrt(2.2 / trials) + 0.1)


def test_one_population_serves_many_mechanisms():
    cells = ioh(OUE, 2, 1.0).cells(TWO, trials=3, rng=np.random.default_rng(46))
    assert cells.shape == (3, 9) and cells.dtype == np.int64 and np.all(cells.sum(1) == len(TWO))
    for make in (GRR, OUE):
        tally = ioh(make, 2, 30.0).simulate(cells, rng=np.random.default_rng(47))
        if make is GRR:  # at ε = 30 it tells the truth
            np.testing.assert_array_equal(tally.counts, cells)


@pytest.mark.parametrize(
    "mechanism, cells",
    [
        (ioh(GRR, 2, 1.0), np.zeros((0, 9), int)),
        (ioh(GRR, 2, 1.0), np.ones(9, int)),
        (ioh(GRR, 2, 1.0), np.ones((2, 8), int)),
        (ioh(GRR, 2, 1.0), np.zeros((2, 9), int)),
        (ioh(GRR, 2, 1.0), -np.ones((2, 9), int)),
        (ioh(GRR, 2, 1.0), np.ones((2, 9))),
        (ioh(GRR, 2, 1.0), np.array([[1] * 9, [2] * 9])),
        (sampling(GRR, 3, 1.0), np.ones((2, 9), int)),
        (sampling(GRR, 3, 1.0), np.ones((2, 2, 9), int)),
        (sampling(GRR, 3, 1.0), np.zeros((2, 3, 9), int)),
        (sampling(GRR, 3, 1.0), np.ones((2, 3, 9), int) * np.array([[[1]], [[2]]])),
    ],
)
def test_bad_populations_are_refused(mechanism, cells):
    with pytest.raises(ValueError, match=r"cells must .*, got"):
        mechanism.simulate(cells, rng=np.random.default_rng(0))


@pytest.mark.parametrize("mechanism", [ioh(GRR, 2, 1.0), sampling(GRR, 3, 1.0)], ids=str)
def test_bad_draws_of_populations_are_refused(mechanism):
    for values, trials in ((TWO, 0), (TWO, 1.5), (TWO[:0], 1), (Records.of({9: 1.0}), 1)):
        with pytest.raises(ValueError, match=r"must .*, got"):
            mechanism.cells(values, trials=trials, rng=np.random.default_rng(0))


# ---------------------------------------------------------------------------------------------------------- pairs


def test_pairs_of_many_keys():
    """A hundred keys have 4950 pairs; people's reports say what these people hold, at an ε that hides nothing."""
    keys = tuple(f"key {j}" for j in range(100))
    mechanism = PairSampling.of(keys, GRR, 30.0)
    assert [tuple(mechanism.pairs[mechanism._pair((keys[a], keys[b]))]) for a, b in ((0, 1), (3, 70), (98, 99))] == [
        (0, 1),
        (3, 70),
        (98, 99),
    ]
    assert all(mechanism._pair((keys[b], keys[a])) == i for i, (a, b) in enumerate(mechanism.pairs))
    person = {0: 1.0, 3: -1.0, 99: 1.0}
    values = Records.of(*[person] * 2000)
    reports = mechanism.perturb(values, rng=np.random.default_rng(48))
    states = np.ones(100, int)
    states[list(person)] += np.array(list(person.values()), int)
    a, b = mechanism.pairs[reports["pair"]].T
    np.testing.assert_array_equal(reports["report"], 3 * states[a] + states[b])
    tally = mechanism.tally(reports)
    assert tally.counts.shape == (4950, 10) and tally.counts[:, 0].sum() == tally.counts[:, 1:].sum() == 2000


@pytest.mark.parametrize("names", [("cough", "cancer"), ("cancer", "cough")])
def test_tables_of_pairs_are_in_the_order_of_their_names(names):
    mechanism, values = sampling(GRR, 3, 4.0), crowd(30_000)
    tally = mechanism.tally(mechanism.perturb(values, rng=np.random.default_rng(49)))
    table = mechanism.table(names, tally)
    cube = mechanism.estimate_of_asked(tally)[1].reshape(3, 3)
    assert table.keys == names
    np.testing.assert_array_equal(table.cells.reshape(3, 3), cube if names[0] == "cancer" else cube.T)
    exact = mechanism.truth(names, values)
    for ask in (lambda t: t.frequency("cough", {"cancer": 1}), lambda t: t.mean("cancer", {"cough": 1})):
        assert abs(ask(table).value - ask(exact).value) < 6.7 * ask(exact).error < 0.5
        assert ask(table).error == pytest.approx(ask(exact).error, rel=0.2)


def test_a_table_is_that_of_those_who_were_asked():
    """Its cells sum to one, as the linear ones do not; in ratios the factor between the two cancels."""
    mechanism, values = sampling(GRR, 3, 2.0), crowd(3000)
    tally = mechanism.tally(mechanism.perturb(values, rng=np.random.default_rng(50)))
    asked = tally.counts[0, 0]
    table = mechanism.table(KEYS[:2], tally)
    assert table.count({}).value == pytest.approx(1)
    own = mechanism.oracle.estimate(Tally(mechanism.oracle, int(asked), tally.counts[0, 1:]))
    np.testing.assert_allclose(table.cells, own)
    linear = Table(KEYS[:2], mechanism.estimate(tally)[0], None)
    assert linear.count({}).value == pytest.approx(3 * asked / 3000)
    for ask in (QUESTIONS["frequency"], QUESTIONS["mean"]):
        assert ask(linear).value == pytest.approx(ask(table).value)


def test_a_table_that_nobody_was_asked_about_is_refused():
    mechanism = sampling(GRR, 3, 2.0)
    tally = mechanism.tally(np.array([(0, 4), (2, 4)], mechanism.dtype))
    assert mechanism.table(KEYS[:2], tally).cells.shape == (9,)
    with pytest.raises(ValueError, match="two keys that somebody was asked about, got .'cancer', 'cough'"):
        mechanism.table(("cancer", "cough"), tally)


@pytest.mark.parametrize("names", [("cancer",), KEYS, ("cancer", "cancer"), ("cancer", "flu"), "cancer", None])
def test_bad_pairs_are_refused(names):
    mechanism = sampling(GRR, 3, 1.0)
    tally = mechanism.tally(mechanism.perturb(THREE, rng=np.random.default_rng(0)))
    with pytest.raises(ValueError, match=r"(keys|key|names) must be .*, got"):
        mechanism.table(names, tally)


def test_fair_coins_of_absent_keys_would_show():
    """What `AbsentHaveSigns` gets wrong: nobody is without a key any more."""
    nobody = Records.of({}, {}, {})
    for mechanism, expected in ((ioh(GRR, 2, 30.0), 4), (AbsentHaveSigns.of(KEYS[:2], GRR, 30.0), None)):
        codes = mechanism.perturb(nobody, rng=np.random.default_rng(51))
        assert set(codes.tolist()) == {4} if expected else 4 not in codes
