"""Experiments of the lessons on strings: prices of filters and slots, and what a Lasso does to shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import exp, sinh
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Floats, Tally
from ldpnb.strings import ORR, one_time


def over_sue(bits: int, hashes: int, cohorts: int, items: Sequence[str], epsilon: float) -> float:
    """Return the exact standard error of candidates that nobody has, over that of SUE at the same ε.

    People have one of the first ten candidates; the permanent response is sent, as with p + q = 1 only ε counts.

    Parameters
    ----------
    bits, hashes, cohorts : int
    items : sequence of str
        Candidates, more than ten.
    epsilon : float
        Of one report.
    """
    mechanism = one_time(bits=bits, hashes=hashes, cohorts=cohorts, epsilon=epsilon)
    noise = mechanism.variance(items[:10], items)[:, 10:].mean()
    return float((noise * 4 * sinh(epsilon / 4) ** 2) ** 0.5)


def lasso(tally: Tally, items: Sequence[str], *, truth: Floats, strength: float = 1.645) -> tuple[int, float, float]:
    """Choose candidates by a Lasso, and set its shares and those of least squares after it beside the truth.

    Parameters
    ----------
    tally : Tally
        Of a `RAPPOR` with one hash function.
    items : sequence of str
        Candidates; the first ones have the shares `truth`, the others nobody.
    truth : ndarray of float
    strength : float
        Penalty, in standard errors of a share that no other filter disturbs.

    Returns
    -------
    chosen : int
        How many candidates the Lasso keeps.
    shrunk, mended : float
        Mean error of the shares above 1 %, in these standard errors: by the Lasso, and by least squares after it.
    """
    from sklearn.linear_model import Lasso  # type: ignore[import-untyped]

    mechanism: Any = tally.mechanism
    ones, people = tally.counts[:, :-1], tally.counts[:, -1:]
    q, p = (float(s) for s in mechanism.support)
    y, x = ((ones / people - p) / (q - p)).ravel(), mechanism.design(items).toarray()
    squares = mechanism.cohorts * (1 - 1 / mechanism.width)  # of a column, less its mean
    rate = ones.sum() / people.sum() / mechanism.width
    error = (rate * (1 - rate) / people.mean() / squares) ** 0.5 / (q - p)
    fit = Lasso(strength * error * squares / len(y), positive=True, tol=1e-4, max_iter=10_000).fit(x, y)
    kept, again = fit.coef_ > 0, np.zeros(len(items))
    again[kept] = np.linalg.lstsq(np.column_stack([x[:, kept], np.ones(len(y))]), y)[0][:-1]
    often = np.flatnonzero(truth > 0.01)
    shrunk, mended = (float((shares[often] - truth[often]).mean() / error) for shares in (fit.coef_, again))
    return int(kept.sum()), shrunk, mended


def of_slots(cohorts: Iterable[int], slots: Iterable[int], items: Sequence[str], *, epsilon: float) -> pd.DataFrame:
    """Return exact standard errors of O-RR for candidates that nobody has, over that of OUE.

    People have one of the first twenty candidates.  Designs that cannot tell the candidates apart are left out.

    Parameters
    ----------
    cohorts, slots : iterable of int
    items : sequence of str
        Candidates, more than twenty.
    epsilon : float

    Returns
    -------
    pandas.DataFrame
        One row for each design, with the name of the client, its slots and its error.
    """
    rows = []
    for count, g in product(cohorts, slots):
        try:
            noise = ORR(k=g, cohorts=count, epsilon=epsilon).variance(items[:20], items)[:, 20:].mean()
        except ValueError:
            continue
        rows.append((f"{count} cohorts", g, (noise * (exp(epsilon) - 1) ** 2 / 4 / exp(epsilon)) ** 0.5))
    return pd.DataFrame(rows, columns=["client", "slots", "error"])
