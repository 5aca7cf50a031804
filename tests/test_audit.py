"""The audit flags what shows more than it claims and nothing else, and is calibrated.

False alarms: a bound is above ε with probability `level` at most, so an audit at level 1e-6 flags a right client once
in a million seeds.  Power: bounds that have to be reached leave several standard errors of room.
"""

import warnings
from base64 import b64encode
from collections import Counter, defaultdict
from copy import deepcopy
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import exp, inf, log, nan
from string import ascii_letters, digits
from threading import Lock

import numpy as np
import pytest
from scipy.stats import binom

from ldpnb.attributes.bitflip import BitFlip
from ldpnb.chance import SystemRandom, toss
from ldpnb.keyvalue.states import StateEncoding
from ldpnb.numbers.many_numbers import MeanEst
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.olh import OLH
from ldpnb.oracles.personal import PCE, people
from ldpnb.oracles.unary import OUE, SUE
from ldpnb.records import Records
from ldpnb.strings.rappor import RAPPOR
from ldpnb.verify import _audit as module
from ldpnb.verify._audit import Audit, audit, ceiling

RARELY = 1e-6
TRUTH = exp(1) / (1 + exp(1))


def rng(seed=1):
    return np.random.default_rng(seed)


def warner(x, rng):
    return x if rng.random() < TRUTH else 1 - x


def warners(x, n, rng):
    """Answer n times."""
    return np.where(rng.random(n) < TRUTH, x, 1 - x)


# ----------------------------------------------------------------------------------------------- right clients

ALL_PLUS = {key: 1.0 for key in range(10)}
ALL_MINUS = {key: -1.0 for key in range(10)}
OLH_ITEMS = np.array([3, 5])


def supports(mechanism):
    """What a report says of two items: the part of a hashed report that an auditor can use."""
    return lambda r: mechanism.hash(r["seed"][:, None], OLH_ITEMS) == r["slot"][:, None]


@pytest.mark.slow
@pytest.mark.parametrize("items", [[3, 5], [3, 5, 64, 100]])
def test_long_unary_encoding(items):
    found = audit(SUE(k=128, epsilon=1.0), np.array(items), samples=100_000, rng=rng(), claimed=1.0)
    assert 0.9 < found.bound <= 1 and not found.flagged
    assert found.bound < found.ceiling == pytest.approx(0.965, abs=5e-4)
    one, other = (items[i] for i in found.pair)
    assert "logistic score" in found.event
    assert f"report[{one}] (+1.0)" in found.event and f"report[{other}] (-1.0)" in found.event


FILTERS = {"bits": 12, "hashes": 2, "f": 0.5, "p": 0.25, "q": 0.75}


@pytest.mark.parametrize(
    ("mechanism", "inputs", "share"),
    [
        (GRR(k=2, epsilon=1.0), [0, 1], 0.88),
        (GRR(k=4, epsilon=1.0), np.arange(4), 0.85),
        (GRR(k=100, epsilon=1.0), [0, 50], 0.3),  # its best event has a probability of 0.027
        (OUE(k=16, epsilon=1.0), np.array([3, 5]), 0.8),
        (SUE(k=4, epsilon=0.2), range(4), 0.2),
        (OLH(k=5, epsilon=1.0, prime=5), [0, 4], 0.75),  # so few seeds that reports come back
        (MeanEst(d=5, epsilon=1.0), np.array([[1.0] * 5, [-1.0] * 5]), 0.88),
        (PCE(k=32, levels=(1.0,)), people([3, 5], [0, 0]), 0.8),
        (StateEncoding(d=10, epsilon=1.0), Records.of(ALL_PLUS, ALL_MINUS, {}), 0.85),
        (BitFlip(sizes=(2, 3), f=0.8), np.array([[0, 0], [1, 1]]), 0.6),
        (RAPPOR(cohorts=1, **FILTERS), ["a", "b"], 0.75),
        (RAPPOR(cohorts=3, **FILTERS), ["a", "b"], 0.75),
    ],
    ids=str,
)
def test_right_mechanisms_are_not_flagged(mechanism, inputs, share):
    """Shares of ε reached at this seed: 0.82 to 0.94, but 0.51 for ε = 0.2 and 0.44 for k-RR over 100 items."""
    found = audit(mechanism, inputs, samples=50_000, rng=rng(), level=RARELY, claimed=mechanism.epsilon)
    assert not found.flagged
    assert share * mechanism.epsilon < found.bound <= mechanism.epsilon


def test_a_hash_needs_its_features():
    mechanism = OLH(k=128, epsilon=1.0)
    blind = audit(mechanism, OLH_ITEMS, samples=20_000, rng=rng(), claimed=1.0)
    assert blind.bound < 0.2
    seeing = audit(mechanism, OLH_ITEMS, samples=50_000, rng=rng(), claimed=1.0, features=supports(mechanism))
    assert 0.85 < seeing.bound <= 1
    assert seeing.event in ("report is one of {(True, False)}", "report is one of {(False, True)}")


def test_reports_that_say_nothing():
    for client in (
        lambda x, n, rng: rng.integers(0, 2**62, n),
        lambda x, n, rng: np.zeros(n),
        lambda x, n, rng: [()] * n,
    ):
        found = audit(client, [0, 1], samples=2000, rng=rng(), level=RARELY, many=True, claimed=0.0)
        assert found.bound == 0 and not found.flagged


# ----------------------------------------------------------------------------------------------- wrong clients


def leaky(share, mechanism, x, n, rng):
    """Forget the noise for a share of the people, by their place in the batch."""
    reports = mechanism.perturb(np.full(n, x), rng=rng)
    bare = np.arange(n) % round(1 / share) == 0
    reports[bare] = x if reports.ndim == 1 else np.arange(mechanism.k) == x
    return reports


def betraying(mechanism, x, n, rng):
    """Give input 1 away by a report that nobody else sends, once in 200 times."""
    reports = mechanism.perturb(np.full(n, x), rng=rng)
    reports[(rng.random(n) < 0.005) & (x == 1)] = True if reports.ndim == 2 else mechanism.k
    return reports


@pytest.mark.parametrize(
    ("client", "claimed", "least"),
    [
        (GRR(k=4, epsilon=1.5), 1.0, 1.3),
        (SUE(k=64, epsilon=1.5), 1.0, 1.25),
        (OUE(k=64, epsilon=1.5), 1.0, 1.2),
        (SUE(k=16, epsilon=2.0), 1.4, 1.7),  # ε = 1.4 rounded to 2 somewhere
        (partial(betraying, GRR(k=4, epsilon=1.0)), 1.0, 1.4),
        (partial(betraying, SUE(k=64, epsilon=1.0)), 1.0, 1.4),
        (partial(leaky, 0.1, GRR(k=4, epsilon=1.0)), 1.0, 1.02),
        (partial(leaky, 0.1, SUE(k=64, epsilon=1.0)), 1.0, 4.0),
    ],
    ids=lambda x: getattr(getattr(x, "func", None), "__name__", str(x)),
)
def test_wrong_clients_are_flagged(client, claimed, least):
    many = isinstance(client, partial)
    found = audit(client, np.array([0, 1]), samples=50_000, rng=rng(), level=RARELY, claimed=claimed, many=many)
    assert found.flagged and found.bound > least


def test_a_wrong_hash_is_flagged():
    mechanism = OLH(k=128, epsilon=1.5)
    found = audit(mechanism, OLH_ITEMS, samples=50_000, rng=rng(), claimed=1.0, features=supports(mechanism))
    assert found.flagged and found.bound > 1.3


def test_a_rare_betrayal_is_found_in_both_directions():
    client = partial(betraying, GRR(k=4, epsilon=1.0))
    for inputs, pair in (([0, 1, 2], (1, 0)), ([1, 0, 2], (0, 1))):
        found = audit(client, inputs, samples=50_000, rng=rng(), claimed=1.0, many=True)
        assert found.event == "report is one of {4}" and found.pair[0] == pair[0] and found.counts[1] == 0
        assert found.ceiling < 1  # the ceiling is that of the claim


def test_the_place_in_the_batch_does_not_matter():
    """Whoever looks at the first half of the reports only sees a right client."""

    def client(x, n, rng):
        y = warners(x, n, rng)
        y[n // 2 :] = x
        return y

    found = audit(client, [0, 1], samples=40_000, rng=rng(), many=True, claimed=1.0)
    truth = (1 + TRUTH) / 2
    assert log(truth / (1 - truth)) - 0.2 < found.bound < log(truth / (1 - truth))


# ------------------------------------------------------------------------------------------------- calibration


def above(bounds, epsilon):
    """Share of bounds above ε that a binomial test at 1e-9 still allows at level 0.05, and the share found."""
    return int(binom.isf(1e-9, len(bounds), 0.05)), sum(bound > epsilon for bound in bounds)


def dishonest(pools, level):
    """Choose the event and bound its probabilities on the same reports."""
    counts, ids = module._Counts(pools), range(len(pools))
    prepared = [counts.prepare(pool) for pool in pools]
    scores = {(i, j, x): counts.score((i, j), prepared[x]) for i in ids for j in ids for x in (i, j)}
    n = len(pools[0])
    return max(
        module._best_cuts(scores[i, j, i], scores[i, j, j], n, level / 2)[0][0] for i in ids for j in ids if i != j
    )


@pytest.mark.slow
def test_calibration_of_counts_and_of_an_auditor_without_held_out_data(monkeypatch):
    monkeypatch.setattr(module, "REPEATS", 0)  # no classifiers
    mechanism, epsilon = GRR(k=40, epsilon=0.5), GRR(k=40, epsilon=0.5).realised_epsilon
    inputs = np.arange(3)
    honest, control = [], []
    for seed in range(400):
        honest.append(audit(mechanism, inputs, samples=400, rng=rng(seed), level=0.05).bound)
        half = [mechanism.perturb(np.full(200, x), rng=rng((seed, x))) for x in inputs]
        control.append(dishonest(half, 0.05))
    allowed, found = above(honest, epsilon)
    assert found <= allowed < above(control, epsilon)[1]


@pytest.mark.slow
def test_calibration_of_classifiers():
    """On long reports that hardly come back: twenty bits, of which two tell the inputs apart."""
    mechanism = SUE(k=20, epsilon=0.5)
    bounds = [audit(mechanism, [0, 1], samples=400, rng=rng(seed), level=0.05).bound for seed in range(60)]
    allowed, found = above(bounds, mechanism.realised_epsilon)
    assert found <= allowed


@pytest.mark.parametrize("n", [1, 10, 25_000])
@pytest.mark.parametrize("alpha", [0.25, 5e-4, 1e-9])
def test_clopper_pearson(n, alpha):
    """The bounds are the probabilities at which the count found is just as extreme as alpha allows."""
    for k in {0, 1, n // 3, n - 1, n}:
        low = exp(float(module._bound(k, n, n, alpha)))  # other = n: its upper bound is 1
        high = exp(-float(module._bound(n, k, n, alpha))) * alpha ** (1 / n)  # one = n: its lower bound is this
        assert low == 0 if k == 0 else binom.sf(k - 1, n, low) == pytest.approx(alpha, rel=1e-6)
        assert high == pytest.approx(1) if k == n else binom.cdf(k, n, high) == pytest.approx(alpha, rel=1e-2)


def test_ceiling():
    assert ceiling(1.0, samples=100_000) == pytest.approx(0.965, abs=5e-4)
    for epsilon in (0.1, 1.0, 5.0):
        reached = [ceiling(epsilon, samples=n) for n in (100, 10_000, 1_000_000, 100_000_000)]
        assert reached == sorted(reached) and reached[-1] == pytest.approx(epsilon, rel=0.02)
        assert all(bound < epsilon for bound in reached)
    assert ceiling(0.0, samples=1000) == 0
    low = 2.5e-4 ** (1 / 500)
    assert ceiling(inf, samples=1000) == pytest.approx(log(low / (1 - low)))  # as far as 500 reports carry
    assert ceiling(1.0, samples=1000, level=0.5) > ceiling(1.0, samples=1000, level=1e-9)


def test_randomized_response_reaches_the_ceiling():
    """It is the best event: the bound is the ceiling but for chance, four standard errors of the log-ratio."""
    found = audit(warners, [0, 1], samples=100_000, rng=rng(), many=True, claimed=1.0)
    error = np.sqrt((1 / TRUTH + 1 / (1 - TRUTH) - 2) / 50_000)
    assert found.bound == pytest.approx(found.ceiling, abs=4 * error)
    unclaimed = audit(warners, [0, 1], samples=100_000, rng=rng(), many=True)
    assert unclaimed.bound == found.bound and not unclaimed.flagged and unclaimed.claimed is None
    one, other = found.counts
    assert unclaimed.ceiling == ceiling(log(one / other), samples=100_000) == pytest.approx(unclaimed.bound, abs=1e-3)


# ------------------------------------------------------------------------------------------- reports of any kind


def noisy_bits(x, k, rng):
    return rng.random(k) < np.where(np.arange(k) == x, TRUTH, 1 - TRUTH)  # ε = 2


def many_of(one):
    """Make a client that answers n times of one that answers once."""
    return lambda x, n, rng: [one(x, rng) for _ in range(n)]


# the report carries the answer of `warner`, in some disguise, among much that says nothing
DISGUISES = {
    "number": lambda y, rng: y,
    "string": lambda y, rng: ("no", "yes")[y],
    "float": lambda y, rng: y + 0.5 * rng.random(),
    "bytes": lambda y, rng: bytes([0, y, 0]),
    "none": lambda y, rng: None if y else 1,
    "pair": lambda y, rng: (int(rng.integers(10**6)), y),
    "pair of kinds": lambda y, rng: (str(rng.integers(10**6)), float(rng.random()), y),
    "nested": lambda y, rng: [int(rng.integers(10**6)), [y, (0.0, -0.0)[int(rng.integers(2))]]],
    "array": lambda y, rng: np.array([y, rng.random(), 0]),
    "word": lambda y, rng: f"{int(rng.integers(10**6)):06d}{'ab'[y]}",
    "length": lambda y, rng: [int(i) for i in rng.integers(10**6, size=3 + y)],
    "long word": lambda y, rng: "x" * int(rng.integers(1, 99)) + str(rng.integers(10**6)) + "ab"[y],
    "set": lambda y, rng: {int(i) for i in rng.integers(10, 10**6, size=3)} | {y},
    "dict": lambda y, rng: {"id": int(rng.integers(10**9)), "answer": y},
    "minus zero": lambda y, rng: -0.0 if y else 0.0,
    "not a number": lambda y, rng: nan if y else 0.0,
    "infinite": lambda y, rng: (inf if y else -inf, rng.random()),
    "other shape": lambda y, rng: np.zeros((2, 1 + y)),
    "row": lambda y, rng: np.array([(y, rng.random())], [("answer", "?"), ("noise", float)])[0],
    "huge number": lambda y, rng: 2**80 * int(rng.integers(1, 10**6)) + y * 2**200,
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_reports_of_any_kind(disguise):
    found = audit(
        lambda x, rng: DISGUISES[disguise](warner(x, rng), rng),
        [0, 1],
        samples=4000,
        rng=rng(),
        level=1e-3,
        claimed=1.0,
    )
    assert 0.6 < found.bound <= 1
    assert found.held_out == 2000 and len(found.event) < 500


@pytest.mark.parametrize(
    "client",
    [
        lambda x, n, rng: [*rng.random((n, 2 + x))],
        lambda x, n, rng: [*rng.random(n).astype(np.float32)] if x else [str(u) for u in rng.random(n)],
        lambda x, n, rng: [("a", float(u)) if x else {str(u)} for u in rng.random(n)],
    ],
    ids=["a shape", "a type", "a kind"],
)
def test_kinds_of_reports_may_depend_on_the_value(client):
    """Reports under one input may have a length, shape or type that those under another have not."""
    with pytest.warns(UserWarning, match="all reports of a call have one form, another in another call"):
        found = audit(client, [0, 1], samples=1000, rng=rng(), claimed=1.0, many=True)
    assert found.flagged and 0 in found.counts


TRUTHS = {  # what n people answer, each with the answer of `warner`, and now and then one who answers otherwise
    "a long text": lambda y, odd: np.array(["no answer" if o else str(a) for a, o in zip(y, odd, strict=True)]),
    "a half": lambda y, odd: np.array([0.5 if o else int(a) for a, o in zip(y, odd, strict=True)]),
    "a missing number": lambda y, odd: np.array([nan if o else int(a) for a, o in zip(y, odd, strict=True)]),
    "None": lambda y, odd: np.array([None if o else int(a) for a, o in zip(y, odd, strict=True)]),
    "a longer list": lambda y, odd: np.pad(y[:, None], ((0, 0), (0, int(odd.any())))),
    "a ragged array": lambda y, odd: (
        np.array([[a, 0][: 1 + o] for a, o in zip(y, odd, strict=True)], object)
        if odd.any()
        else np.array([[a] for a in y], object)
    ),
    "a list in place of an array": lambda y, odd: y.tolist() if odd.any() else y,
    "an array that is locked": lambda y, odd: locked(np.stack([y, y], 1), odd.any()),
    "another order of axes": lambda y, odd: axes(np.ones((len(y), 2, 3, 4)) * y[:, None, None, None], odd.any()),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_one_report_that_changes_the_array_of_a_whole_call_accuses_nobody(name):
    """A right client: what is rare depends on no value, yet settles what all rows of the call look like."""

    def client(x, n, rng):
        return TRUTHS[name](warners(x, n, rng), rng.random(n) < 1 / 4096)

    refused = 0
    for seed in range(6):  # of which some draw something rare for one input only
        for options in ({}, {"features": lambda reports: reports}):
            try:
                found = audit(client, [0, 1], samples=2000, rng=rng(seed), claimed=1.1, many=True, **options)
            except ValueError as error:
                assert "must return arrays of one dtype and shape for all inputs, or lists, got" in str(error)
                refused += 1
            else:
                assert not found.flagged
    assert refused
    told = audit(lambda x, rng: client(x, 1, rng), [0, 1], samples=2000, rng=rng(), claimed=1.1)
    assert not told.flagged and told.bound > 0.5


def test_arrays_that_differ_between_calls_are_named_with_a_cure():
    calls = {"client": lambda x, n, rng: np.array(["no answer" if x else "1"] * n), "many": True}
    with pytest.raises(ValueError, match=r"client must return .* got <U1 for input 0 and <U9 for input 1: .*'U9'"):
        found_of(**calls)
    with pytest.raises(ValueError, match="features must return arrays of one dtype .* got <U1 for input 0 and <U9"):
        found_of(**calls, features=lambda reports: reports)
    with pytest.raises(ValueError, match=r"got int64 for input 0 and int64 in rows of shape \(2,\) for input 1"):
        found_of(lambda x, n, rng: np.zeros((n, 2) if x else n, np.int64), many=True)
    with pytest.raises(ValueError, match="got a list for input 0 and float64 for input 1"):
        found_of(lambda x, n, rng: np.zeros(n) if x else [0.0] * n, many=True)
    with pytest.raises(ValueError, match="for input 1, which differ in notes, alignment or order of axes, in whether"):
        found_of(lambda x, n, rng: locked(np.zeros((n, 2)), x), many=True)
    fixed = found_of(lambda x, n, rng: calls["client"](x, n, rng).astype("U9"), many=True, claimed=1.0)
    assert fixed.flagged  # by its contents


def test_lists_padded_to_the_longest_of_their_call_are_suspected():
    def padded(x, n, rng):
        longest = 1 + x
        return [[int(y)] + [0] * (longest - 1) for y in warners(x, n, rng)]

    with pytest.warns(UserWarning, match="all reports of a call have one form, another in another call"):
        found_of(padded, samples=200, many=True)


@pytest.mark.slow
def test_bits_as_words_and_lists():
    """Sixteen bits that hardly come back, as an array, a string, lists, a set: all as good as one another."""
    bounds = []
    for write in (
        lambda bits: bits,
        lambda bits: bits.tolist(),
        lambda bits: "".join("01"[int(b)] for b in bits),
        lambda bits: set(np.flatnonzero(bits).tolist()),
    ):
        client = many_of(lambda x, rng, write=write: write(noisy_bits(x, 16, rng)))
        bounds.append(audit(client, [3, 5], samples=6000, rng=rng(), many=True).bound)
    assert 1.5 < min(bounds) and max(bounds) <= 2


def test_two_bits_that_tell_only_together():
    """Each of two bits is a fair coin; their sum modulo 2 is the answer: found by a product of features."""

    def client(x, rng):
        mask = rng.random(14) < 0.5
        return np.array([*mask, mask[3] ^ warner(x, rng)])

    found = audit(client, [0, 1], samples=10_000, rng=rng(), claimed=1.0)
    assert 0.6 < found.bound <= 1 and "and" in found.event


# ----------------------------------------------------------------------------------------------- interface


def test_what_an_audit_says():
    found = audit(GRR(k=3, epsilon=3.0), [2, 0], samples=1001, rng=rng(), claimed=1.0, level=0.01)
    assert (found.samples, found.held_out, found.level, found.claimed) == (1001, 501, 0.01, 1.0)
    item = (2, 0)[found.pair[0]]
    assert found.event in (
        f"report is one of {{{item}}}",
        f"report is one of {{{item}, 1}}",
        f"report is one of {{1, {item}}}",
    )
    assert found.counts[0] > found.counts[1]
    assert found.bound == max(0, float(module._bound(*found.counts, 501, 0.0025)))
    assert found.flagged == (found.bound > 1)
    assert Audit(1.0, (0, 1), "", (1, 0), 10, 20, 0.1, 1.0, 0.0, 2.0, 3.0).flagged is False  # not above the claim


def test_events_in_words():
    fit = [np.array([0] * 8 + [1]), np.array([0] * 2 + [1] * 2 + [2] * 9)]
    counts = module._Counts(fit)
    assert counts.words((0, 1), log(2)) == "report is one of {0}"
    assert counts.words((0, 1), 0.0) == "report is not one of {2, 1}"
    assert counts.words((0, 1), -9.0) == "any report"
    assert counts.words((1, 0), log(1.5)) == "report is one of {2, 1}"
    many = module._Counts([np.arange(20).repeat(3), np.zeros(1, int)])
    assert many.words((0, 1), 1.0).endswith("… (19 reports)}")
    bits = module._Counts([np.eye(20, dtype=bool), np.ones((3, 20), bool)])
    assert bits.words((1, 0), 1.0) == "report is one of {bits 0, 1, 2, 3, 4, 5, 6, 7, … alone}"
    long = module._Counts([["x" * 500] * 5, ["y"]])
    assert len(long.words((0, 1), 1.0)) < 110


def test_scores_of_the_reversed_pair_are_the_negative():
    """To the last digit, or events lose the reports on their border."""
    fit = [np.arange(300).repeat(np.arange(300) % 7), np.arange(300).repeat(np.arange(300) % 5)]
    bits = [pool[:, None] >> np.arange(9) & 1 for pool in fit]
    for ranking, pool in ((module._Counts(fit), fit[0]), (module._Linear(bits, products=True), bits[0])):
        ready = ranking.prepare(pool)
        assert np.array_equal(ranking.score((0, 1), ready), -ranking.score((1, 0), ready))
        parts = [ranking.score((0, 1), ranking.prepare(pool[at : at + 1])) for at in range(50)]
        assert np.array_equal(np.concatenate(parts), ranking.score((0, 1), ready)[:50])


def test_ways_to_call():
    """One by one, all at once, as a mechanism, with the system's randomness, and through features."""
    mechanism = GRR(k=2, epsilon=2.0)
    for client, options in (
        (mechanism, {}),
        (lambda x, rng: mechanism.perturb([x], rng=rng)[0], {}),
        (lambda x, rng: x if toss(float(mechanism.support[0]), rng) else 1 - x, {}),
        (lambda x, n, rng: mechanism.perturb([x] * n, rng=rng), {"many": True}),
        (lambda x, n, rng: mechanism.perturb([x] * n, rng=rng).tolist(), {"many": True}),
        (mechanism, {"features": lambda reports: [str(y) for y in reports]}),
    ):
        for randomness in (rng(), SystemRandom()):
            assert 0.5 < audit(client, [0, 1], samples=1000, rng=randomness, level=RARELY, **options).bound <= 2
    blinded = audit(mechanism, [0, 1], samples=1000, rng=rng(), features=lambda reports: reports * 0)
    assert blinded.bound == 0


def test_same_seed_same_audit():
    a, b = (audit(SUE(k=12, epsilon=1.0), [0, 1, 2], samples=2000, rng=rng(7)) for _ in range(2))
    assert a == b


def test_bad_arguments_are_refused():
    good = {"client": warner, "inputs": [0, 1], "samples": 100, "rng": rng()}
    for bad, message in (
        ({"inputs": [0]}, "inputs must hold at least two inputs, got 1"),
        ({"inputs": Records.of({1})}, "at least two inputs, got 1"),
        ({"samples": 99}, "samples must be an integer, at least 100, got 99"),
        ({"samples": 1e3}, "samples must be an integer"),
        ({"level": 0}, r"level must be in \(0, 1/2\], got 0"),
        ({"level": 0.51}, r"level must be in \(0, 1/2\], got 0.51"),
        ({"level": "1"}, "level must be a probability"),
        ({"claimed": -0.1}, "claimed must be a finite number, at least 0, got -0.1"),
        ({"claimed": inf}, "claimed must be a finite number"),
        ({"claimed": nan}, "claimed must be a finite number"),
        ({"claimed": "1"}, "claimed must be a finite number"),
        ({"claimed": True}, "claimed must be a finite number"),
        ({"rng": None}, "rng must be a numpy.random.Generator or a SystemRandom, got NoneType"),
        ({"client": lambda x, n, rng: [x] * (n - 1), "many": True}, "client must return 100 reports, got 99"),
        ({"client": lambda x, n, rng: x, "many": True}, "client must return a sequence of 100 reports, got int"),
        ({"client": lambda x, n, rng: "1" * n, "many": True}, "client must return a sequence of 100 reports, got str"),
        ({"features": lambda reports: reports[1:]}, "features must return 100 reports, got 99"),
        ({"client": lambda x, rng: object()}, "client must return plain values or arrays, got object: convert"),
    ):
        with pytest.raises(ValueError, match=message):
            audit(**{**good, **bad})
    audit(**good, level=0.5, claimed=0)


def test_scikit_learn_is_asked_for_where_it_is_needed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sklearn.linear_model", None)
    audit(GRR(k=3, epsilon=1.0), [0, 1], samples=400, rng=rng())
    with pytest.raises(ImportError, match="needs scikit-learn"):
        audit(SUE(k=30, epsilon=1.0), [0, 1], samples=400, rng=rng())


# --------------------------------------------------------------------------------------- what an audit must not miss

# Bounds below are for fixed seeds, and stand far from limits that a right client passes with probability `level`.


def found_of(client, inputs=(0, 1), samples=4000, **rest):
    return audit(client, list(inputs), samples=samples, rng=rng(), level=1e-7, **rest)


def noisy(x, rng, k=2, p=0.95):
    """An item kept with a probability that gives much away: ε = ln 19 for two."""
    return int(x if rng.random() < p else rng.integers(k))


def test_a_reused_buffer_is_copied():
    buffer = np.zeros(3)

    def reuses(x, rng):
        buffer[:] = rng.random(3) < 0.3
        buffer[x] = rng.random() < 0.9
        return buffer

    assert found_of(reuses, claimed=1.0).flagged


def test_an_input_that_is_popped_is_handed_out_anew():
    assert found_of(lambda x, rng: x.pop() if x else 0, [[0], [1]], claimed=1.0).flagged


def test_an_input_flipped_in_place_is_judged_rightly():
    def inplace(x, rng):
        x[rng.random(len(x)) < 1 / (1 + exp(0.125))] *= -1
        return x

    assert not found_of(inplace, np.array([[1.0] * 8, [-1.0] * 8]), claimed=1.0).flagged


TELLING = {
    "True and 1": lambda x: (1, True)[x],
    "1 and 1.0": lambda x: (1, 1.0)[x],
    "int8 and int64": lambda x: np.array([1], ("i1", "i8")[x]),
    "a list and a tuple": lambda x: ([1], (1,))[x],
    "the order of a dict": lambda x: ({"a": 1, "b": 2}, {"b": 2, "a": 1})[x],
    "empty shapes": lambda x: np.zeros((0, (1, 5)[x])),
}


@pytest.mark.parametrize("name", TELLING)
def test_forms_of_reports_are_seen(name):
    assert found_of(lambda x, rng: TELLING[name](noisy(x, rng)), claimed=1.0).flagged
    assert not found_of(lambda x, rng: TELLING[name](int(rng.integers(2))), claimed=0.1).flagged


def bits_of(x, rng, k=128):
    """A unary encoding at ε near 4.4."""
    bits = rng.random(k) < 0.1
    bits[x] = rng.random() < 0.9
    return bits


FORMS = {
    "bytes": lambda b, rng: np.packbits(b).tobytes(),
    "a byte a bit": lambda b, rng: bytes(b.tolist()),
    "a mask of 128 bits": lambda b, rng: int("".join(map(str, b.astype(int))), 2),
    "a mask of 2,000 bits": lambda b, rng: int("".join(map(str, b.astype(int))), 2) << 1872,
    "a mask of 60 bits": lambda b, rng: np.int64(int("".join(map(str, b[:60].astype(int))), 2)),
    "base64": lambda b, rng: b64encode(np.packbits(b).tobytes()).decode(),
    "bytes and an id": lambda b, rng: (int(rng.integers(2**40)), np.packbits(b).tobytes()),
    "a nested list": lambda b, rng: [[int(x) for x in row] for row in b.reshape(8, 16)],
    "a dict of lists": lambda b, rng: {"ones": np.flatnonzero(b).tolist()},
}


@pytest.mark.parametrize("name", FORMS)
def test_everyday_forms_are_looked_into(name):
    found = found_of(lambda x, rng: FORMS[name](bits_of(x, rng), rng), (3, 40), 3000, claimed=1.0)
    assert found.bound > (1.0 if name == "base64" else 2.0)


@pytest.mark.slow
def test_a_set_sent_as_a_list_in_random_order_is_looked_into():
    def client(x, rng):
        others = rng.permutation(np.delete(np.arange(128), x))[:31]
        return rng.permutation(np.append(others, x if rng.random() < 0.95 else rng.integers(128)))

    for form in (lambda y: y, lambda y: y.tolist()):
        assert found_of(lambda x, rng, form=form: form(client(x, rng)), (3, 77), 1500, claimed=0.5).flagged


@pytest.mark.slow
def test_a_letter_is_no_endless_recursion():
    letters = ascii_letters + digits
    assert not found_of(lambda x, rng: letters[rng.integers(62)], samples=800, claimed=0.1).flagged
    assert not found_of(lambda x, rng: "".join(rng.choice([*letters], 1500)), samples=100, claimed=0.1).flagged


def test_an_audit_that_sees_nothing_says_so():
    with pytest.warns(UserWarning, match="no two reports are alike, and no usable feature"):
        found_of(lambda x, rng: int(rng.integers(2**60)), samples=200)


def bitvec(x, rng, coins):
    """Randomized response on the bits of bytes, each told wrongly by a quarter: ε = ln 9, if each has its coin."""
    bits = np.unpackbits(np.frombuffer(x, np.uint8), bitorder="little")
    bits[:coins] ^= rng.random(len(bits[:coins])) < 0.25
    return np.packbits(bits, bitorder="little").tobytes()


def test_one_coin_too_few_is_seen_in_sixteen_bytes():
    inputs = b"\1" + bytes(15), bytes(15) + b"\x80"
    assert found_of(lambda x, rng: bitvec(x, rng, 127), inputs, 1500, claimed=log(9)).bound > 3.5
    assert not found_of(lambda x, rng: bitvec(x, rng, 128), inputs, 1500, claimed=log(9)).flagged


def test_reports_longer_than_what_is_looked_at_are_named():
    inputs = bytes(300), bytes(299) + b"\x80"
    with pytest.warns(UserWarning, match=r"only the first 2,048 bits, characters or entries"):
        assert found_of(lambda x, rng: bitvec(x, rng, 2399), inputs, 200).bound == 0
    last = found_of(lambda x, rng: bitvec(x, rng, 2399), inputs, 200, features=lambda y: [z[-1] >> 7 for z in y])
    assert last.bound > 1.5
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*only the first")
        found_of(lambda x, rng: bytes(300 + x), samples=200)  # counted whole


def test_bytes_of_one_length_do_not_cover_the_domain():
    with pytest.warns(UserWarning, match="all inputs have length 1"):
        found_of(lambda x, rng: noisy(x[0], rng), (b"\0", b"\1"), 400)
    assert found_of(lambda x, rng: bitvec(x, rng, 16), (b"\1", b"\1\0"), 1500, claimed=log(9)).bound > 3.5


def test_shared_noise_is_suspected():
    with pytest.warns(UserWarning, match="all reports of each call are alike"):
        found_of(lambda x, n, rng: np.full(n, noisy(x, rng)), many=True)


def test_an_input_given_twice_is_named():
    with pytest.warns(UserWarning, match="inputs 0 and 2 are the same"):
        found_of(noisy, (0, 1, 0), 400)


def test_sets_of_one_size_do_not_cover_the_domain():
    with pytest.warns(UserWarning, match="all inputs have length 1"):
        found_of(lambda x, rng: noisy(min(x), rng), ({0}, {1}), 400)


def test_a_delta_is_granted():
    """The value itself with probability 0.05, and else nothing: (0, 0.05)-private, and ε-private for no ε."""

    def leaks(x, rng):
        return x if rng.random() < 0.05 else -1

    plain, granted = (found_of(leaks, samples=10_000, claimed=1.0, delta=d) for d in (0.0, 0.06))
    assert plain.flagged and granted.bound == 0 and granted.delta == 0.06
    rr = found_of(noisy, samples=10_000, claimed=2.0, delta=0.01)
    assert rr.flagged and rr.bound < found_of(noisy, samples=10_000, claimed=2.0).bound
    for delta in (-0.1, 1.0, 2, "x"):
        with pytest.raises(ValueError, match="delta must be"):
            found_of(noisy, delta=delta)


def test_the_ceiling_is_that_of_this_protocol_and_the_perfect_one_is_beside_it():
    assert ceiling(1, samples=10_000) == pytest.approx(0.889, abs=1e-3)
    assert ceiling(1, samples=10_000, known=True) == pytest.approx(0.926, abs=1e-3)
    found = found_of(noisy, claimed=1.0)
    assert found.ceiling < found.perfect < 1.0


@pytest.mark.parametrize("inputs", [{0, 1}, {0: 1, 1: 2}, iter([0, 1]), 3], ids=lambda x: type(x).__name__)
def test_inputs_are_a_list(inputs):
    with pytest.raises(ValueError, match="inputs must be a list of values, one per person"):
        audit(noisy, inputs, samples=200, rng=rng())


def test_a_client_of_another_kind_is_named():
    for client, many in ((noisy, True), (lambda x, n, rng: [0] * n, False), (lambda x, *, rng: x, False)):
        if client is noisy:
            client = lambda x, rng: x  # noqa: E731
        with pytest.raises(TypeError, match=r"client must be callable as client\(value, .*rng\), or many= be changed"):
            audit(client, [0, 1], samples=200, rng=rng(), many=many)


IRREGULAR = {
    "a dict of random keys": lambda rng: {int(k): 1 for k in rng.integers(10**6, size=3)},
    "a list of random types": lambda rng: [(1, 1.0, True)[i] for i in rng.integers(3, size=12)],
    "nested lists": lambda rng: [[0] * int(k) if k else () for k in rng.integers(3, size=12)],
    "arrays of any length": lambda rng: np.zeros(rng.integers(1, 300)),
}


@pytest.mark.parametrize("name", IRREGULAR)
def test_a_form_of_its_own_does_not_tell_where_a_report_comes_from(name):
    """Reports do not depend on the value: forms must not be numbered in the order in which they came."""
    assert found_of(lambda x, rng: IRREGULAR[name](rng), samples=1000, claimed=1.0).bound == 0


RARE_FORMS = {
    "digits of a decimal number": lambda x: (Decimal("1"), Decimal("1.0"))[x],
    "members of a set": lambda x: ({1}, {True})[x],
    "members of a mixed set": lambda x: ({1, 2.0}, {1.0, 2})[x],
    "keys of a dict": lambda x: ({1: 0}, {True: 0})[x],
    "entries of an array of objects": lambda x: np.array([(1, True)[x], "a"], object),
}


@pytest.mark.parametrize("name", RARE_FORMS)
def test_forms_inside_reports_are_seen(name):
    assert found_of(lambda x, rng: RARE_FORMS[name](noisy(x, rng)), claimed=1.0).flagged


class Coded:
    """A report that is compared by its code alone, and copied without what is inside."""

    __slots__ = ("code", "inside")

    def __init__(self, code, inside):
        self.code, self.inside = code, inside

    def __eq__(self, other):
        return isinstance(other, Coded) and self.code == other.code

    def __hash__(self):
        return hash(self.code)

    def __deepcopy__(self, memo):
        return Coded(self.code, 0)


def in_order(*members):
    """A set that its members have come to one by one."""
    found = set()
    for member in members:
        found.add(member)
    return found


ROW = [("y", "i8")]
HIDDEN_FORMS = {  # nothing of their contents tells, and no part of Python's containers
    "what is made where a key is missing": lambda x: defaultdict((list, set)[x], {1: 2}),
    "signs of a complex zero": lambda x: complex(0, (0.0, -0.0)[x]),
    "signs of a complex zero in an array": lambda x: np.array([complex(0, (0.0, -0.0)[x])]),
    "empty ranges": lambda x: (range(0), range(5, 5))[x],
    "ends of a range": lambda x: (range(0, 3, 2), range(0, 4, 2))[x],
    "unusual orders of a set": lambda x: (in_order(3, 67, 35), in_order(35, 67, 3))[x],
    "the order of a Counter": lambda x: (Counter("ab"), Counter("ba"))[x],
    "the second of two hours": lambda x: datetime(2020, 1, 1, fold=x),
    "slots, and what a copy leaves out": lambda x: Coded(1, x),
    "alignment of fields": lambda x: np.zeros(1, np.dtype(ROW, align=bool(x))),
    "payloads of NaN": lambda x: (1, np.array([nan, -nan])[x : x + 1]),
    "bools of two bytes": lambda x: (1, np.array([1 + x], "u1").view(bool)),
}


@pytest.mark.parametrize("name", HIDDEN_FORMS)
def test_hidden_forms_are_seen(name):
    """Alone, and beside contents that come again; a right client that sends either form at random is not flagged."""
    for client in (
        lambda x, rng: HIDDEN_FORMS[name](noisy(x, rng)),
        lambda x, rng: (int(rng.integers(3)), HIDDEN_FORMS[name](noisy(x, rng))),
    ):
        assert found_of(client, samples=800, claimed=1.0).flagged
    assert not found_of(lambda x, rng: HIDDEN_FORMS[name](int(rng.integers(2))), samples=800, claimed=0.1).flagged


NEVER_AGAIN = {  # parts whose contents hardly come back
    "a list": lambda rng: [rng.random()],
    "an array": lambda rng: rng.random(3),
    "a dict": lambda rng: {rng.random(): 1},
    "a row of fields": lambda rng: np.array([(1, rng.random())], "i4, f8")[0],
}


@pytest.mark.parametrize("name", NEVER_AGAIN)
def test_parts_that_are_one_object_are_seen_though_contents_never_come_again(name):
    def sends(one, rng):
        part = NEVER_AGAIN[name](rng)
        return [part, part if one else deepcopy(part)]

    assert found_of(lambda x, rng: sends(noisy(x, rng), rng), samples=800, claimed=1.0).flagged
    assert not found_of(lambda x, rng: sends(rng.random() < 0.5, rng), samples=800, claimed=0.1).flagged


@pytest.mark.parametrize("name", HIDDEN_FORMS)
def test_hidden_forms_are_seen_in_arrays_of_objects(name):
    """Beside what never comes again, and an honest bit."""

    def client(x, rng):
        row = np.empty(3, object)
        row[0], row[1], row[2] = HIDDEN_FORMS[name](x), int(rng.integers(2**40)), noisy(x, rng, p=0.2)
        return row

    assert found_of(client, samples=800, claimed=1.0).flagged


class Listed(list):
    """A list that may say more than what it holds."""


WHOLE = {  # reports, and x in what the array of all of them is
    "what may be written to": (lambda y, x: locked(y, x), "or in whether they may be written to"),
    "gaps": (lambda y, x: np.stack([y, y], 1).ravel()[::2] if x else y, "in whether they are contiguous"),
    "another class": (lambda y, x: y.view(np.recarray) if x else y, r"recarray: return list\(…\)"),
    "a list of its own class": (lambda y, x: Listed(y.tolist()), r"got Listed: return list\(…\)"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_what_an_array_of_one_axis_tells_is_refused(name):
    change, said = WHOLE[name]
    with pytest.raises(ValueError, match=said):
        audit(lambda x, n, rng: change(warners(x, n, rng), x), [0, 1], samples=800, rng=rng(), many=True)

    def right(x, n, rng):
        return np.array(change(warners(x, n, rng), x))

    assert not audit(right, [0, 1], samples=2000, rng=rng(), claimed=1.1, many=True).flagged


def test_lists_that_are_one_object_are_seen():
    def client(x, rng):
        first = [noisy(x, rng, p=0.2)]
        return first, first if x else first.copy()

    assert found_of(client, samples=800, claimed=1.0).flagged
    assert not found_of(lambda x, rng: ([noisy(x, rng, p=0.2)],) * 2, samples=800, claimed=1.0).flagged


TWO_NANS = np.array([nan, -nan])
BATCHES = {  # n reports that hold y, and x in bytes that no number shows
    "NaN of complex numbers": lambda y, x: np.stack([y + 0j, np.repeat(TWO_NANS[x] + 0j, len(y))], 1),
    "NaN beside a text": lambda y, x: records(y, TWO_NANS[x], "f8"),
    "bools beside a text": lambda y, x: records(y, 1 + x, "u1").view([("y", "i8"), ("v", "?"), ("t", "S1")]),
    "missing times": lambda y, x: records(y, np.datetime64("NaT"), ("M8[s]", "M8[m]")[x]),
    "what may be written to": lambda y, x: locked(np.stack([y, y], 1), x),
    "the order of axes": lambda y, x: axes(np.ones((len(y), 2, 3, 4)) * y[:, None, None, None], x),
}


OF_THE_WHOLE = {"missing times", "what may be written to", "the order of axes"}  # one for all rows of a call


def records(y, value, kind):
    found = np.zeros(len(y), [("y", "i8"), ("v", kind), ("t", "S1")])
    found["y"], found["v"] = y, value
    return found


def locked(array, x):
    array.flags.writeable = not x
    return array


def axes(array, x):
    return np.ascontiguousarray(array.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3) if x else array


@pytest.mark.parametrize("name", BATCHES)
def test_bytes_of_arrays_are_seen(name):
    """Of rows that numbers do not tell apart: of many at once, of one at a time, and of a mechanism."""

    class Batched(GRR):
        def perturb(self, values, *, rng):
            return BATCHES[name](super().perturb(values, rng=rng), int(values[0]))

    def many(x, n, rng):
        return BATCHES[name](warners(x, n, rng), x)

    mechanism = Batched(k=2, epsilon=1.0)
    if name in OF_THE_WHOLE:
        for client, options in ((many, {"many": True}), (mechanism, {})):
            with pytest.raises(ValueError, match="must return arrays of one dtype and shape for all inputs"):
                audit(client, np.array([0, 1]), samples=800, rng=rng(), **options)
    else:
        assert audit(many, [0, 1], samples=800, rng=rng(), claimed=1.0, many=True).flagged
        assert audit(mechanism, np.array([0, 1]), samples=800, rng=rng(), claimed=1.0).flagged
    for single in (lambda x, rng: many(x, 1, rng)[0], lambda x, rng: mechanism.perturb(np.array([x]), rng=rng)):
        assert found_of(single, samples=800, claimed=1.0).flagged

    def right(x, n, rng):
        return BATCHES[name](warners(x, n, rng), 1)

    assert not audit(right, [0, 1], samples=800, rng=rng(), claimed=1.0, many=True).flagged


def test_another_dtype_for_another_input_is_refused_at_once_and_seen_one_by_one():
    def client(x, n, rng):
        return np.full(n, TWO_NANS[x % 2], ("f8", "f8", "f4")[x])

    with pytest.raises(ValueError, match="got float64 for input 0 and float32 for input 2"):
        audit(client, [0, 1, 2], samples=400, rng=rng(), many=True, features=None)
    assert audit(client, [0, 1], samples=400, rng=rng(), many=True).bound > 1
    for inputs in ([0, 1], [0, 2], [1, 2]):
        assert audit(lambda x, rng: client(x, 1, rng), inputs, samples=400, rng=rng()).bound > 1


NONCED = {name: make for name, make in HIDDEN_FORMS.items()} | {
    "in a record": lambda x: {"a": [datetime(2020, 1, 1, fold=x)]},
    "in an object": lambda x: Coded(datetime(2020, 1, 1), x),
    "what may be written to": lambda x: locked(np.zeros(2), x),
    "signs of NaN": lambda x: (nan, -nan)[x],
    "True in a frozenset": lambda x: frozenset([(True, 1)[x]]),
}


@pytest.mark.parametrize("name", NONCED)
def test_forms_are_seen_behind_a_number_that_never_comes_again(name):
    def client(x, rng):
        return int(rng.integers(2**60)), NONCED[name](x)

    assert found_of(client, samples=800, claimed=1.0).flagged
    right = lambda x, rng: (int(rng.integers(2**60)), NONCED[name](int(rng.integers(2))))  # noqa: E731
    assert not found_of(right, samples=800, claimed=0.5).flagged


def test_objects_that_never_come_again_are_named():
    """Nothing can be said of what such an object hides."""
    for pack in (lambda y: y, lambda y: (1, y), lambda y: {"a": [y]}):
        with pytest.warns(UserWarning, match="objects of class Coded hardly come back"):
            found_of(lambda x, rng, pack=pack: pack(Coded(int(rng.integers(2**60)), x)), samples=200)


ZEROS = {  # reports that hold a number that never comes again, and a zero
    "a tuple": lambda u, zero: (u, zero),
    "an array": lambda u, zero: np.array([u, zero]),
    "an array of rows": lambda u, zero: np.array([(u, zero)], "f8, f4")[0],
    "a tuple of unlike parts": lambda u, zero: (u, "text", zero),
    "a zero among numbers": lambda u, zero: (u, "text", zero if u < 0.5 else u),
    "a complex number": lambda u, zero: complex(u, zero),
    "a list of any length": lambda u, zero: [str(u), zero] if u < 0.5 else [zero],
}


@pytest.mark.parametrize("name", ZEROS)
def test_the_sign_of_a_zero_is_seen_beside_what_never_comes_again(name):
    def client(x, rng):
        return ZEROS[name](rng.random(), (0.0, -0.0)[x])

    assert found_of(client, samples=800, claimed=1.0).flagged
    right = lambda x, rng: client(int(rng.integers(2)), rng)  # noqa: E731
    assert not found_of(right, samples=800, claimed=0.5).flagged


def test_the_sign_of_a_zero_is_seen_in_an_array_of_many_reports():
    def client(x, n, rng):
        return np.stack([rng.random(n), np.repeat((0.0, -0.0)[x], n)], 1)

    assert found_of(client, samples=800, claimed=1.0, many=True).flagged


class Plain:
    """An object with attributes, equal to others with the same."""

    def __init__(self, **told):
        vars(self).update(told)

    def __eq__(self, other):
        return isinstance(other, Plain) and vars(self) == vars(other)

    def __hash__(self):
        return hash(tuple(vars(self).values()))


class Other(Plain):
    """Equal to those of the class above."""


OBJECTS = {  # of a number that never comes again, in two kinds
    "classes": lambda u, x: (Plain, Other)[x](told=u),
    "classes, twice": lambda u, x: ((Plain, Other)[x](told=u), (Plain, Other)[x](told=u)),
    "classes of attributes": lambda u, x: Plain(told=(Plain, Other)[x](told=u)),
    "names of attributes": lambda u, x: Plain(**{("told", "said")[x]: u}),
    "types of attributes": lambda u, x: Plain(told=(float, np.float64)[x](u)),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_classes_and_attributes_of_objects_are_seen_though_contents_never_come_again(name):
    def client(x, rng):
        return OBJECTS[name](rng.random(), x)

    assert found_of(client, samples=800, claimed=1.0).flagged
    right = lambda x, rng: client(int(rng.integers(2)), rng)  # noqa: E731
    assert not found_of(right, samples=800, claimed=0.5).flagged


def test_objects_that_come_twice_in_a_report_are_named():
    def client(x, rng):
        told = int(rng.integers(2**60))
        return Coded(told, x), Coded(told, x)

    with pytest.warns(UserWarning, match="objects of class Coded hardly come back"):
        found_of(client, samples=200)


def test_objects_are_named_beside_what_leaks_a_little():
    """The other part tells something, and most reports come again: the objects are not seen all the same."""

    def client(x, rng):
        return warner(x, rng), [Coded(int(rng.integers(2**60)), x)] if rng.random() < 0.1 else []

    with pytest.warns(UserWarning, match="objects of class Coded hardly come back"):
        assert found_of(client, samples=2000).bound > 0


def seconds(y):
    return timedelta(seconds=y)


def turned(u, x):
    """Two fresh keys, in ascending order or in the other."""
    return dict(sorted({u: 1, u + 1: 1}.items(), reverse=bool(x)))


def times(y, u):
    return np.array([10**9 * y + int(10**8 * u)], "i8")


FRESH = {  # what holds the input beside noise, and never comes again
    "a real part": lambda x, u: complex(10 * x + u, 1 - u),
    "an imaginary part": lambda x, u: complex(1 - u, 10 * x + u),
    "a real part beside minus zero": lambda x, u: complex(10 * x + u, -0.0),
    "complex numbers": lambda x, u: np.array([u, 10 * x + u + 1j]),
    "a fraction": lambda x, u: Fraction(10 * x) + Fraction(u),
    "a numerator": lambda x, u: Fraction(2 * int(2**40 * u) + x, 2**50),
    "a denominator": lambda x, u: Fraction(2 * int(2**40 * u) + 1, 2 ** (50 + x)),
    "a huge fraction": lambda x, u: Fraction(10**400 * (1 + x)) + Fraction(u),
    "a decimal number": lambda x, u: Decimal(10 * x + u).quantize(Decimal("1e-9")),
    "a digit of a decimal number": lambda x, u: Decimal(f"{u:.9f}{'05'[x]}"),
    "a span of time": lambda x, u: seconds(10 * x + u),
    "a time": lambda x, u: datetime(2020, 1, 1) + seconds(10 * x + u),
    "a time of a zone": lambda x, u: datetime(2020, 1, 1, tzinfo=UTC) + seconds(10 * x + u),
    "a time of the day": lambda x, u: (datetime(2020, 1, 1) + seconds(10 * x + u)).time(),
    "a date": lambda x, u: date(2020 + 500 * x, 1, 1) + timedelta(days=int(10**5 * u)),
    "numpy's time": lambda x, u: times(x, u).view("M8[ns]")[0],
    "numpy's span": lambda x, u: times(x, u).view("m8[us]")[0],
    "numpy's times": lambda x, u: times(x, u).view("M8[us]"),
    "the order of a dict": lambda x, u: turned(u, x),
    "the order of a dict of pairs": lambda x, u: dict(sorted({(u, 1): 1, (u, 2): 1}.items(), reverse=bool(x))),
    "the order of a dict of texts": lambda x, u: dict(sorted({f"a{u}": 1, f"b{u}": 1}.items(), reverse=bool(x))),
    "a type in a dict": lambda x, u: {u: (1, 1.0)[x]},
    "a member of a set": lambda x, u: {10 * x + u, 20 - u},
    "a key": lambda x, u: {10 * x + u: 1, 20 + u: 1},
    "a value of a key that is new": lambda x, u: {u: 10 * x + u},
    "members of lists of any length": lambda x, u: [u] * int(1 + 9 * u) + [10 * x + u] * (u < 0.9),
    "the order of a dict within": lambda x, u: {"a": [turned(u, x)]},
}


@pytest.mark.parametrize("name", FRESH)
def test_what_never_comes_again_is_looked_into(name):
    """Beside another part that leaks a little, and alone; the same at random accuses nobody."""

    def leaky(x, rng):
        return warner(x, rng), FRESH[name](x, rng.random())

    def right(x, rng):
        return warner(x, rng), FRESH[name](int(rng.integers(2)), rng.random())

    assert found_of(leaky, samples=400, claimed=1.0).flagged
    assert found_of(lambda x, rng: FRESH[name](x, rng.random()), samples=400, claimed=1.0).flagged
    assert not found_of(right, samples=400, claimed=1.0).flagged


@pytest.mark.parametrize("kind", [complex, "M8[s]", "m8[s]", [("a", complex), ("b", "M8[s]")]], ids=str)
def test_rows_that_never_come_again_are_looked_into(kind):
    def client(x, n, rng):
        found = np.zeros((n, 2), kind)
        for part in [found[name] for name in found.dtype.names or ()] or [found]:
            part[:] = np.floor(1e6 * (10 * x + rng.random((n, 2)))).astype(part.dtype.str.replace("c16", "f8"))
        return found

    assert found_of(client, samples=400, claimed=1.0, many=True).flagged
    right = lambda x, n, rng: client(0, n, rng)  # noqa: E731
    assert found_of(right, samples=400, many=True).bound == 0


@pytest.mark.parametrize(
    "special",
    [
        complex(nan, -0.0),
        Decimal("NaN"),
        Decimal("Infinity"),
        Fraction(-(10**400), 3),
        np.datetime64("NaT"),
        "1j",
        -0.0,
    ],
    ids=str,
)
def test_numbers_of_a_kind_of_their_own_break_nothing(special):
    def client(x, rng):
        plain = complex(rng.random(), 1) if isinstance(special, complex | str) else type(special)(int(rng.integers(9)))
        return rng.random(), special if noisy(x, rng) else plain

    if isinstance(special, np.datetime64):
        client = lambda x, rng: special if noisy(x, rng) else np.datetime64(int(rng.integers(10**6)), "s")  # noqa: E731
    assert found_of(client, samples=1000, claimed=1.0).flagged


class Partly:
    """Sends its number, and keeps a lock and a mark to itself."""

    def __init__(self, number, mark=0):
        self.number, self.mark, self.lock = number, mark, Lock()

    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return hash(self.number)

    def __getstate__(self):
        return {"number": self.number}

    def __setstate__(self, state):
        self.__init__(**state)


class Scaled(Decimal):
    """Has attributes that are not sent."""


def scaled(number, mark):
    found = Scaled(number)
    found.mark = mark
    return found


def nested_in(value, depth):
    for _ in range(depth):
        value = (value,)
    return value


@pytest.mark.parametrize("make", [Partly, scaled], ids=["a lock", "a Decimal"])
def test_what_pickle_does_not_send_is_no_part_of_a_report(make):
    assert found_of(lambda x, rng: make(warner(x, rng), x), samples=800, claimed=1.0).bound < 1.0
    assert found_of(lambda x, rng: make(x, 0), samples=800, claimed=1.0).flagged


def test_integers_of_any_length_are_shown():
    found = found_of(lambda x, rng: 10**5000 + noisy(x, rng), samples=400)
    assert "an integer of 16610 bits" in found.event or found.bound == 0
    found_of(lambda x, rng: (int(rng.integers(2**60)), 10**5000 + noisy(x, rng)), samples=400)


@pytest.mark.parametrize("depth", [330, 480, 600, 2000])
def test_what_is_nested_deeply_is_refused(depth):
    with pytest.raises(ValueError, match="nested too deeply"):
        found_of(lambda x, rng: nested_in(rng.random(), depth), samples=100)


UNSEEN = {
    "a longer float": (lambda: np.longdouble(1), "return np.float64"),
    "titles of fields": (lambda: np.zeros(1, [(("T", "y"), "i8")]), "a dtype without them"),
    "bytes between fields": (lambda: np.zeros(1, np.dtype([("a", "?"), ("b", float)], align=True)), "without align"),
    "one of such rows": (lambda: np.zeros(1, np.dtype([("a", "?"), ("b", float)], align=True))[0], "without align"),
    "notes on a dtype": (lambda: np.zeros(2, np.dtype("i8", metadata={"a": 1})), "a dtype without them"),
    "a masked array": (lambda: np.ma.masked_array([1, 2], [0, 1]), "filled"),
    "an array of another class": (lambda: np.zeros(2).view(np.recarray), "of its values"),
    "what cannot be sent": (lambda: (i for i in "ab"), "return plain values or arrays, or objects of a class"),
    "what pickle finds under no name": (lambda: defaultdict(lambda: 0), "at the top of a module"),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_an_audit_cannot_see_is_refused(name):
    make, cure = UNSEEN[name]
    with pytest.raises(ValueError, match=f"(?s)client must return plain values or arrays, got .*{cure}"):
        audit(lambda x, rng: make(), [0, 1], samples=100, rng=rng())


@pytest.mark.parametrize("other", [">i4", np.dtype("i4", metadata={"a": 1})], ids=["byte order", "notes"])
def test_arrays_of_two_dtypes_are_told_apart(other):
    """Of many rows in one array, where a row alone does not tell: it is refused."""
    with pytest.raises(ValueError, match="must return arrays of one dtype and shape for all inputs"):
        found_of(lambda x, n, rng: np.ones(n, ("<i4", other)[x]), samples=200, many=True)


@pytest.mark.slow
def test_an_empty_list_now_and_then_hides_nothing():
    """A list with and without members has two forms: the other parts of the report are looked at all the same."""

    def client(x, rng):
        return {"mask": 2 * int(rng.integers(2**40)) + noisy(x, rng), "rest": [0.5] * int(rng.integers(2))}

    assert found_of(client, claimed=1.0).flagged


def test_an_integer_beside_a_float_is_not_rounded():
    assert found_of(lambda x, rng: (rng.random(), 2**60 + noisy(x, rng)), claimed=1.0).flagged


def test_reports_that_a_hash_hides_are_named():
    """There are parts to look at, but none of them tells: that is no bound of 0 without a word."""
    with pytest.warns(UserWarning, match="no usable feature tells inputs apart: give more samples, or features="):
        audit(OLH(k=128, epsilon=5.0), OLH_ITEMS, samples=1000, rng=rng())


def quiet(recwarn):
    return not [w for w in recwarn if issubclass(w.category, UserWarning)]


def test_reports_that_tell_are_not_complained_of(recwarn):
    audit(SUE(k=128, epsilon=1.0), np.array([3, 77]), samples=10_000, rng=rng())
    found_of(noisy, samples=200)
    assert quiet(recwarn)


def test_numbers_inside_the_ends_do_not_cover_the_domain(recwarn):
    mechanism = MeanEst(d=2, epsilon=1.0)
    audit(mechanism, np.array([[1.0, 1.0], [-1.0, -1.0]]), samples=200, rng=rng())
    audit(StateEncoding(d=2, epsilon=1.0), Records.of({0: 1.0}, {0: -1.0}, {}), samples=200, rng=rng())
    audit(GRR(k=4, epsilon=1.0), [1, 2], samples=200, rng=rng())  # categories have no ends
    assert quiet(recwarn)
    for inputs, end in (([[0.5, 0.5], [-1.0, 0.0]], "upper"), ([[0.5, 1.0], [-0.9, 0.0]], "lower")):
        with pytest.warns(UserWarning, match=f"no input is at the {end} end"):
            audit(mechanism, np.array(inputs), samples=200, rng=rng())
    with pytest.warns(UserWarning, match="no input is at the upper end"):
        audit(StateEncoding(d=2, epsilon=1.0), Records.of({0: 0.5}, {0: -1.0}, {}), samples=200, rng=rng())


def test_lists_of_one_length_do_not_cover_the_domain():
    with pytest.warns(UserWarning, match="all inputs have length 2, and a client may tell lengths apart"):
        found_of(lambda x, rng: noisy(x[0], rng), ([0, 1], [1, 0]), 400)


def test_inputs_that_differ_in_form_are_not_the_same(recwarn):
    found_of(lambda x, rng: noisy(isinstance(x, bool), rng), (1, True), 400)
    assert quiet(recwarn)


def test_a_function_gets_records_as_plain_values():
    found = audit(lambda x, rng: noisy(len(x), rng), Records.of({}, {3: 1.0}), samples=2000, rng=rng(), claimed=1.0)
    assert found.flagged


def test_a_mechanism_that_reuses_its_buffer_is_copied():
    buffer = np.zeros(2000, np.int64)

    class Reusing(GRR):
        def perturb(self, values, *, rng):
            buffer[:] = super().perturb(values, rng=rng)
            return buffer

    assert audit(Reusing(k=2, epsilon=4.0), [0, 1], samples=2000, rng=rng(), claimed=1.0).flagged


def test_masks_with_a_sign_are_looked_into():
    def signed(x, rng):
        return int("".join(map(str, bits_of(x, rng, 64).astype(int))), 2)

    for write in (lambda y: np.int64(y - 2**63), lambda y: y - 2**80):
        found = found_of(lambda x, rng, write=write: write(signed(x, rng)), (3, 40), 3000, claimed=1.0)
        assert found.bound > 2


def test_an_extreme_quantile_says_how_many_reports_are_above():
    found = found_of(lambda x, rng: rng.normal() + 8 * x)
    assert " %]" in found.event and "e+02" not in found.event


def test_the_ceiling_of_a_delta():
    """Reached by randomized response that tells the truth with probability δ: four standard errors of the log-ratio."""
    assert ceiling(1.0, samples=10_000, delta=0.0) == ceiling(1.0, samples=10_000) > 0
    assert ceiling(1.0, samples=10**8, delta=0.1) == pytest.approx(1, abs=2e-3)
    truth, n = 0.1 + 0.9 * TRUTH, 50_000
    found = audit(
        lambda x, n, rng: np.where(rng.random(n) < truth, x, 1 - x),
        [0, 1],
        samples=2 * n,
        rng=rng(),
        many=True,
        claimed=1.0,
        delta=0.1,
    )
    error = np.sqrt(truth * (1 - truth) / n) * (1 / (truth - 0.1) + 1 / (1 - truth))
    assert not found.flagged and found.bound == pytest.approx(found.ceiling, abs=4 * error)
    with pytest.raises(ValueError, match="delta must be below 1"):
        ceiling(1.0, samples=1000, delta=1.0)


@pytest.mark.parametrize("letters", ["U9", "S9"])
def test_texts_of_several_lengths_in_one_array_say_nothing_of_their_call(letters):
    """The length of the first text of a call is that of one report, and not of all."""
    colours = np.array(["red", "green", "blue"], letters)
    found = [
        audit(lambda x, n, rng: rng.choice(colours, n), [0, 1], samples=600, rng=rng(seed), level=1e-7, many=True)
        for seed in range(8)
    ]
    assert all(one.bound == 0 for one in found)  # of reports that say nothing, each with 1e-7
