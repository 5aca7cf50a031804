"""Experiments of the lesson on choosing: who is first, how many people it takes, and surveys of people who are real."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.attributes import Blocks
from ldpnb.core import Records
from ldpnb.keyvalue import OpenSets
from ldpnb.numbers.one_number import Number
from ldpnb.serve import choose

Questions = Mapping[str, choose.Question]


def first(question: choose.Item, sizes: Iterable[int], budgets: Iterable[float]) -> pd.DataFrame:
    """Name the first choice for so many items: a row for each size, a column for each budget."""
    found = {eps: {k: replace(question, k=k, epsilon=eps).rank()[0].name for k in sizes} for eps in budgets}
    return pd.DataFrame(found)


def needed(questions: Questions, budgets: Iterable[float], error: float) -> pd.DataFrame:
    """Return how many people the first choice needs for a standard error, one row for each question and budget."""
    rows = [
        {"question": name, "ε": eps, "people": replace(asked, epsilon=eps).rank()[0].people(error)}
        for eps in budgets
        for name, asked in questions.items()
    ]
    return pd.DataFrame(rows)


def surveys(questions: Questions, elsewhere: float, rng: np.random.Generator, runs: int = 100) -> pd.DataFrame:
    """Let people without what is asked for report, n in each survey, by every mechanism that a question ranks.

    Of one number, all people have the one that is worst for the mechanism.

    Parameters
    ----------
    questions : dict of str to Question
        Items, sets, one number, keys with values, or attributes; nobody holds what is asked for.
    elsewhere : float
        Another budget, to predict errors that are wrong.
    rng : numpy.random.Generator
    runs : int
        Surveys of each mechanism.

    Returns
    -------
    pandas.DataFrame
        One row for each question and mechanism: ``predicted`` and ``measured`` squared errors, the standard error
        ``blur`` of the measured one, and what ``elsewhere`` predicts.
    """
    rows = []
    for name, asked in questions.items():
        wrong = {_family(c): c.error for c in replace(asked, epsilon=elsewhere).rank()}
        for choice in asked.rank():
            if not choice.excluded:
                squares = np.array([_square(asked, choice.mechanism, rng) for _ in range(runs)])
                blur = squares.std(ddof=1) / sqrt(runs)
                row = {"question": name, "mechanism": choice.name, "predicted": choice.error**2}
                row |= {"measured": squares.mean(), "blur": max(blur, 1e-6 * choice.error**2)}
                rows.append(row | {"elsewhere": wrong[_family(choice)] ** 2})
    return pd.DataFrame(rows)


def _family(choice: choose.Choice) -> str:
    """Name a choice without the oracle that it uses for what is drawn in public."""
    return choice.name.partition(",")[0] if choice.name.startswith("one ") else choice.name


def _square(asked: Any, mechanism: Any, rng: np.random.Generator) -> float:
    """Return the mean squared error of one survey; of shares and shares times means the sum."""
    n, held, truth = asked.n, getattr(asked, "m", 1), 0.0  # each has the first items, or the first values
    counted = [range(held, getattr(asked, "d", getattr(asked, "k", 0)))] if isinstance(mechanism, OpenSets) else []
    if isinstance(mechanism, Number):
        tried = np.linspace(-1, 1, 129)
        truth = tried[mechanism.variance(tried)[:, 0].argmax()]
        values: Any = np.full(n, truth)
    elif isinstance(asked, choose.Marginals):
        values = np.zeros((n, len(mechanism.sizes)), int)
    elif isinstance(asked, choose.Item) and not counted:
        values = np.zeros(n, int)
    else:
        user, key = np.repeat(np.arange(n), held), np.tile(np.arange(held), n)
        values = Records.from_arrays(user, key, np.zeros(n * held) if isinstance(asked, choose.Pairs) else None, n=n)
    tally = mechanism.tally(mechanism.perturb(values, rng=rng), *counted)
    if isinstance(mechanism, Blocks):
        sets = list(combinations(range(asked.d), asked.attributes))
        found = np.stack(mechanism.tables(tally, sets).tables)
    else:
        found = mechanism.estimate(tally)
    if isinstance(asked, choose.Marginals):
        tables = found.reshape(-1, *(asked.k,) * asked.attributes)
        found = tables[(slice(None), *(slice(1, None),) * asked.attributes)].ravel()
    elif not counted and not isinstance(mechanism, Number):
        found = found[..., held:]
    return float(np.square(found - truth).mean(-1).sum())
