"""The experiment of the lesson on one-bit reports: errors over random tables, as the theorem has them."""

import numpy as np
import pytest

from ldpnb import SHist
from ldpnb_book.studies import onebit as study

SHARES = (0.5, 0.25, 0.25, 0.0)


def spread(n, rows):
    c2 = 1 / np.tanh(0.5) ** 2
    return ((c2 - 1 / rows) / n + sum(f**2 for f in SHARES) / rows) ** 0.5


def test_errors_are_those_of_the_formula():
    """2,000 surveys: an error is known to 1.6 %, and six times that is allowed; the control leaves the table out."""
    exact, runs = study.absent(
        SHist, spread, SHARES, [16, 64], [400, 4000], eps=1.0, rng=np.random.default_rng(1), tables=2000
    )
    by = ["people", "cards"]
    seen, theory = runs.groupby(by)["error"].std(), exact.set_index(by)["error"]
    assert len(theory) == 4 and runs.groupby(by)["error"].count().eq(2000).all()
    assert np.abs(seen / theory - 1).max() < 0.1
    bare = theory.index.map(lambda at: 1 / np.tanh(0.5) / float(at[0][4:].replace(",", "")) ** 0.5)
    assert np.abs(seen / bare - 1).max() > 0.1


def test_the_last_item_is_estimated():
    _, runs = study.absent(
        SHist, spread, SHARES[::-1], [4096], [400], eps=4.0, rng=np.random.default_rng(2), tables=100
    )
    assert abs(runs["error"].mean()) < 6 * runs["error"].std() / 10


def test_people_are_whole():
    with pytest.raises(ValueError, match="whole numbers"):
        study.absent(SHist, spread, SHARES, [4], [3], eps=1.0, rng=np.random.default_rng(3))
