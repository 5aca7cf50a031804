"""Experiments of the lesson on choosing: who is first, how many people it takes, and surveys of people who are real."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.attributes import Blocks
from ldpnb.keyvalue import Wheel, WheelKV
from ldpnb.numbers.one_number import NumberMechanism
from ldpnb.records import Records
from ldpnb import choose


@cache  # the maps of a lesson ask about the same questions
def _usable(question: choose.Question) -> list[choose.Choice]:
    """Return the choices that are not excluded, best first."""
    return [choice for choice in question.rank() if not choice.excluded]


def first(
    question: choose.Item, sizes: Iterable[int], budgets: Iterable[float], work: str | None = None
) -> pd.DataFrame:
    """Name the first choice for so many items: a row for each size, a column for each budget.

    With `work`, only mechanisms whose server has that work are chosen from, as in `Choice.server`.
    """

    def name(k: int, eps: float) -> str:
        able = _usable(replace(question, k=k, epsilon=eps))
        return next(c.name for c in able if work in (None, c.server))

    return pd.DataFrame({eps: {k: name(k, eps) for k in sizes} for eps in budgets})


def needed(questions: Mapping[str, choose.Question], budgets: Iterable[float], error: float) -> pd.DataFrame:
    """Return how many people the first choice needs for a standard error, one row for each question and budget."""
    rows = [
        {"question": name, "ε": eps, "people": replace(asked, epsilon=eps).rank()[0].people(error)}
        for eps in budgets
        for name, asked in questions.items()
    ]
    return pd.DataFrame(rows)


def surveys(
    questions: Mapping[str, Iterable[choose.Question]],
    budgets: Iterable[float],
    rng: np.random.Generator,
    elsewhere: float,
    runs: int = 40,
) -> pd.DataFrame:
    """Let people without what is asked for report, n in each survey, by every mechanism that a question ranks.

    Of one number, all people have the one that is worst for the mechanism, and there are ten times as many surveys.  Of
    pairs of attributes it is one cell of the first pair that nobody is in, all others being equally frequent, in ten
    times as many surveys, too.

    Parameters
    ----------
    questions : dict of str to iterable of Question
        By kind: items, sets, one number, keys with values, or attributes; nobody holds what is asked for.
    budgets : iterable of float
        At each of which the questions are asked.
    rng : numpy.random.Generator
    elsewhere : float
        Another budget, to predict errors that are wrong.
    runs : int
        Surveys of each mechanism.

    Returns
    -------
    pandas.DataFrame
        One row for each question and mechanism, the first choice first: ``predicted`` and ``measured`` squared errors,
        the standard error ``blur`` of the measured one, and what ``elsewhere`` predicts.
    """
    rows = []
    for kind, number, asked in ((kind, i, one) for kind, some in questions.items() for i, one in enumerate(some)):
        wrong = {_family(c): c.error for c in replace(asked, epsilon=elsewhere).rank()}
        for eps in budgets:
            for choice in _usable(replace(asked, epsilon=eps)):
                few = isinstance(choice.mechanism, NumberMechanism) or isinstance(asked, choose.Crosstabs)
                times = 10 * runs if few else runs
                squares = _squares(asked, choice.mechanism, times, rng)
                blur = max(squares.std(ddof=1) / sqrt(times), 1e-6 * choice.error**2)
                row: dict[str, Any] = {
                    "kind": kind,
                    "question": f"{kind} {number}, ε = {eps}",
                    "mechanism": choice.name,
                }
                row |= {"predicted": choice.error**2, "measured": squares.mean(), "blur": blur}
                rows.append(row | {"elsewhere": wrong[_family(choice)] ** 2})
    return pd.DataFrame(rows)


def _family(choice: choose.Choice) -> str:
    """Name a choice without the oracle that it uses for what is drawn in public."""
    return choice.name.partition(",")[0] if choice.name.startswith("one ") else choice.name


def _squares(asked: Any, mechanism: Any, times: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Return the mean squared error of each of some surveys; of shares and shares times means the sum."""
    if isinstance(asked, choose.Crosstabs):
        return _squares_of_a_cell(asked, mechanism, times, rng)
    n, held, truth = asked.n, getattr(asked, "m", 1), 0.0  # each has the first items, or the first values
    counted = [range(held, getattr(asked, "d", getattr(asked, "k", 0)))] if isinstance(mechanism, Wheel | WheelKV) else []
    if isinstance(mechanism, NumberMechanism):
        tried = np.linspace(-1, 1, 129)
        truth = tried[mechanism.variance(tried)[:, 0].argmax()]
        values: Any = np.full(n * times, truth)
    elif isinstance(asked, choose.Marginals):
        values = np.zeros((n * times, len(mechanism.sizes)), int)
    elif isinstance(asked, choose.Item) and not counted:
        values = np.zeros(n * times, int)
    else:
        user, key = np.divmod(np.arange(n * times * held), held)
        rated = np.zeros(len(key)) if isinstance(asked, choose.Pairs) else None
        values = Records.from_arrays(user, key, rated, n=n * times)
    reports = mechanism.perturb(values, rng=rng)  # of all surveys at once
    tallies = [mechanism.tally(reports[i * n : (i + 1) * n], *counted) for i in range(times)]
    if isinstance(mechanism, Blocks):
        sets = [(j,) for j in range(asked.d)]
        found = np.array([mechanism.tables(tally, sets).tables for tally in tallies])
    else:
        found = np.array([mechanism.estimate(tally) for tally in tallies])
    if isinstance(asked, choose.Marginals):
        found = found.reshape(times, -1, asked.k)[:, :, 1:].reshape(times, -1)
    elif not counted and not isinstance(mechanism, NumberMechanism):
        found = found[..., held:]
    return np.asarray(np.square(found - truth).mean(-1).reshape(times, -1).sum(1))


def _squares_of_a_cell(
    asked: choose.Crosstabs, mechanism: Any, times: int, rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    """Return the squared error of the last cell of the first pair, which nobody is in, of each of some surveys."""
    n, k = asked.n, asked.k
    cells = rng.integers(k**2 - 1, size=n * times)
    if len(mechanism.sizes) == asked.d:
        values = rng.integers(k, size=(n * times, asked.d))
        values[:, :2] = np.stack(np.divmod(cells, k), 1)
    else:  # an attribute for each pair
        values = np.zeros((n * times, len(mechanism.sizes)), int)
        values[:, 0] = cells
    reports = mechanism.perturb(values, rng=rng)
    tallies = [mechanism.tally(reports[i * n : (i + 1) * n]) for i in range(times)]
    if isinstance(mechanism, Blocks):
        law = np.full((k, k), 1 / (k**2 - 1))
        law[-1, -1] = 0
        drawn = np.full(len(mechanism.blocks), n)
        both = mechanism.pooled_variance(drawn, (0, 1), law), mechanism.pair_tables_variance(drawn, (0, 1), law)
        read = mechanism.tables if both[0][-1, -1] < both[1][-1, -1] else mechanism.pair_tables
        found = [read(tally, [(0, 1)]).tables[0][-1, -1] for tally in tallies]
    else:
        found = [mechanism.estimate(tally)[k**2 - 1] for tally in tallies]
    return np.square(found)
