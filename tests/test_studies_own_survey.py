"""The experiment of the lesson on surveys: coverage is that of the client and the server that are given."""

from math import exp

import numpy as np
import pytest

from ldpnb import pick, toss
from ldpnb.chance import odds
from ldpnb_book.studies import own_survey as study


def krr(answer, eps, rng):
    x = ["yes", "no", "blank"].index(answer)
    return x if toss(odds(eps) / (odds(eps) + 2), rng) else pick([v for v in range(3) if v != x], rng)


def fixed(low, high):
    """A server whose errors are given."""

    def server(counts, eps):
        p, q = exp(eps) / (exp(eps) + 2), 1 / (exp(eps) + 2)
        f = (counts / counts.sum() - q) / (p - q)
        return f, np.full(3, low), np.full(3, high)

    return server


@pytest.fixture
def run():
    def once(server, **more):
        given = {"n": 400, "budgets": (1.0, 20.0), "runs": 25, "rng": np.random.default_rng(0), **more}
        found = study.coverage(krr, server, {"yes": 0.6, "no": 0.3, "blank": 0.1}, **given)
        return found, found.groupby(["ε", "error", "about"])["covered"].mean()

    return once


def test_intervals_of_no_width_never_cover_and_wide_ones_always(run):
    rows, found = run(fixed(0.0, 9.0))
    assert len(rows) == 2 * 25 * 2 * 2 and set(rows["covered"]) == {0, 1}
    assert (found.xs("error, these people", level="error") == 0).all()
    assert (found.xs("error, population", level="error") == 1).all()


def test_hardly_any_noise_leaves_the_people_as_they_are(run):
    """At ε = 20 a report is a lie once in 10⁸: these people's share is hit, that of the population is not.

    A lie in 25 surveys has a chance of about 1e-4 to be drawn; the seed is fixed.  0.02 at 1.96 covers nearly all
    shares of these people at that ε, and hardly half of those at ε = 1.
    """
    _, found = run(fixed(1e-6, 0.1))
    assert found[20.0, "error, these people", "these people"] == 1
    assert found[20.0, "error, these people", "the population"] < 1
    assert found[20.0, "error, population", "the population"] == 1
    assert found[1.0, "error, these people", "these people"] < 1


def test_the_law_of_the_client_is_used(run):
    """With a server that believes in another ε, wide intervals are about the wrong share."""

    def wrong(counts, eps):
        return fixed(0.03, 0.03)(counts, eps + 1.0)

    right, off = (run(one, n=40_000, budgets=(1.0,))[1].mean() for one in (fixed(0.03, 0.03), wrong))
    assert right == 1 and off < 0.1
