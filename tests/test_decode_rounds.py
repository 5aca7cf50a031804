"""`decode` of several reports a person: from one state, so that only a part of the noise averages out."""

import numpy as np
import pytest
from scipy.stats import binom

from ldpnb import ORR, RAPPOR, decode
from ldpnb.strings.decoding import _cells

MECHANISM = RAPPOR(bits=16, hashes=1, cohorts=8, f=0.5, p=0.25, q=0.75)
ITEMS = ["a", "b", "c", "d"]


def tally_of(n, rounds, seed=0):
    """Sum of the tallies of n people, who report so many times from one state."""
    rng = np.random.default_rng(seed)
    values = np.array(ITEMS)[rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])].tolist()
    kept = MECHANISM.memoise(values, rng=rng)
    return sum(MECHANISM.tally(MECHANISM.respond(kept, rng=rng)) for _ in range(rounds)), values


@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_a_persons_mean_bit_varies_as_stated(rounds):
    """By the law of T bits read off a permanent bit that is set with some chance; control: independent bits."""
    tally, _ = tally_of(100, rounds)
    cells = _cells(MECHANISM, tally, tuple(ITEMS), rounds)
    p, q = (float(s) for s in MECHANISM.instantaneous)
    for chance in (0.3, 0.6):
        sent = np.arange(rounds + 1)
        law = chance * binom.pmf(sent, rounds, q) + (1 - chance) * binom.pmf(sent, rounds, p)
        mean = law @ sent / rounds
        variance = law @ (sent / rounds - mean) ** 2
        assert cells.scatter(np.array([mean]))[0] == pytest.approx(variance, rel=1e-12)
        assert rounds == 1 or variance > 1.2 * mean * (1 - mean) / rounds


def dense(tally, rounds, others):
    """Shares and errors of people by matrices: the same estimate, by another route."""
    upper, lower = (float(x) for x in MECHANISM.support)
    p, q = (float(x) for x in MECHANISM.instantaneous)
    x = MECHANISM.design(ITEMS).toarray().reshape(MECHANISM.cohorts, MECHANISM.bits, -1)
    if others:
        x = np.concatenate([x, np.ones((*x.shape[:2], 1))], -1)
    people = tally.counts[:, -1] / rounds
    gap = upper - lower
    y = (tally.counts[:, :-1] / (people * rounds)[:, None] - lower) / gap

    def spread(fit):
        c = np.clip(lower + gap * fit, lower, upper)
        state = (c - p) * (q - c)
        return (state + (c * (1 - c) - state) / rounds) / gap**2

    weight = np.repeat(people[:, None], MECHANISM.bits, 1)
    for _ in range(2):
        flat = x.reshape(-1, x.shape[-1])
        inverse = np.linalg.inv(flat.T @ (flat * weight.reshape(-1, 1)))
        share = inverse @ (flat.T @ (weight * y).ravel())
        fit, last = x @ share, weight
        weight = people[:, None] / spread(fit)
    covariance = np.zeros((x.shape[-1],) * 2)
    for c in range(MECHANISM.cohorts):
        a = inverse @ (x[c].T * last[c])
        pairs = (x[c, :, : len(ITEMS)] * share[: len(ITEMS)]) @ x[c, :, : len(ITEMS)].T - np.outer(fit[c], fit[c])
        np.fill_diagonal(pairs, spread(fit[c]))
        covariance += a @ pairs @ a.T / people[c]
    found = share[: len(ITEMS)]
    return found, np.sqrt(np.diag(covariance)[: len(ITEMS)] - found * (1 - found) / people.sum())


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("rounds", [1, 6])
def test_shares_and_errors_are_those_of_matrices(rounds, others):
    tally, _ = tally_of(2000, rounds)
    found = decode(tally, ITEMS, others=others, rounds=rounds)
    share, error = dense(tally, rounds, others)
    assert found.share == pytest.approx(share, rel=1e-9) and found.error == pytest.approx(error, rel=1e-6)


def test_reports_that_are_taken_for_people_have_too_small_errors():
    tally, values = tally_of(2000, 8)
    right, wrong = decode(tally, ITEMS, others=False, rounds=8), decode(tally, ITEMS, others=False)
    assert np.all(wrong.error < 0.8 * right.error)
    truth = [np.mean(np.array(values) == item) for item in ITEMS]
    assert np.all(np.abs(right.share - truth) < 6 * right.error), "5e-9 of surveys"


def test_rounds_that_cannot_be_are_refused():
    tally, _ = tally_of(101, 2)
    for rounds in (0, -1, 1.5, True, "2", None):
        with pytest.raises(ValueError, match="^rounds must be"):
            decode(tally, ITEMS, rounds=rounds)
    with pytest.raises(
        ValueError, match="^rounds must be the number of reports of each person, got 7 and .* in cohort"
    ):
        decode(tally, ITEMS, rounds=7)
    other = ORR(k=8, cohorts=4, epsilon=2.0)
    told = other.tally(other.perturb(ITEMS * 20, rng=np.random.default_rng(0)))
    with pytest.raises(ValueError, match="^rounds must be 1 for a mechanism that keeps no state, got 2 of ORR"):
        decode(told, ITEMS, rounds=2)
