"""The experiments of sun2021: single keys (Fig. 5) and correlations of keys (Fig. 6), with invented people for both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations
from math import sqrt
from typing import Protocol

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ldpnb.chance import bernoulli
from ldpnb.core import Bools, Floats, Ints, Tally
from ldpnb.keyvalue import Holdings, privkvm_bias, privkvm_marginals
from ldpnb.keyvalue.population import entries
from ldpnb.postprocess import norm
from ldpnb.records import Records
from ldpnb_book.experiment import sweep

Method = Callable[[Holdings, float, int, np.random.Generator], tuple[Floats, Floats]]


class Oracle(Protocol):
    """A frequency oracle whose tallies can be drawn from their joint law."""

    def simulate(self, counts: Ints, *, trials: int, rng: np.random.Generator) -> Tally:
        """Draw tallies of people with this histogram."""

    def estimate(self, tally: Tally) -> Floats:
        """Estimate the share of each item."""


MakeOracle = Callable[..., Oracle]  # of k, the number of items, and epsilon

RUNS = 50

# ----------------------------------------------------------------------------------------------- Fig. 5: single keys

FIG5_BUDGETS = (0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 7, 10)
STARS = np.linspace(-1, 1, 10)  # half a star to five stars


def tilted(mean: float) -> Floats:
    """Probabilities of the ten ratings `STARS` with this mean, as even as can be: an exponential family."""
    from scipy.optimize import brentq

    def law(slope: float) -> Floats:
        weights = np.exp(slope * STARS)
        return np.asarray(weights / weights.sum())

    return law(brentq(lambda slope: float(law(slope) @ STARS) - mean, -20, 20))


def films(n: int = 138_493, d: int = 10) -> Holdings:
    """Invent ratings of the d most rated films, as many people as MovieLens 20M has.

    The films are rated by 49 % to 36 % of the people, with mean values from 0.77 to 0.38.
    """
    counts = []
    for f, m in zip(np.linspace(0.49, 0.36, d), np.linspace(0.77, 0.38, d), strict=True):
        exact = round(f * n) * tilted(m)
        whole = np.floor(exact).astype(np.int64)
        whole[np.argmax(exact)] += round(f * n) - whole.sum()
        counts.append(whole)
    return Holdings(n, 10 * np.arange(d + 1), np.tile(STARS, d), np.concatenate(counts))


def fig5(
    people: Holdings,
    methods: Mapping[str, Method],
    *,
    rng: np.random.Generator,
    budgets: Sequence[float] = FIG5_BUDGETS,
    runs: int = RUNS,
) -> pd.DataFrame:
    """Measure frequencies and means of single keys by several methods at several budgets.

    Parameters
    ----------
    people : Holdings
        With d keys.
    methods : dict of str to callable
        Called as ``method(people, epsilon, runs, rng)``; returns frequencies and means, (runs, d) each.
    rng : numpy.random.Generator
        Each method has a stream of its own at each budget.
    budgets : sequence of float
        As stated by each method.
    runs : int

    Returns
    -------
    DataFrame
        Columns ``method``, ``eps``, ``run``, ``what`` ("frequency" or "mean") and ``error``, absolute and averaged over
        the keys.
    """

    def measure(method: str, eps: float, rng: np.random.Generator) -> list[dict[str, float]]:
        frequency, mean = methods[method](people, eps, runs, rng)
        errors = (np.abs(x - truth).mean(1) for x, truth in ((frequency, people.frequency), (mean, people.mean)))
        return [{"run": i, "frequency": f, "mean": m} for i, (f, m) in enumerate(zip(*errors, strict=True))]

    return _long(sweep(measure, rng=rng, method=list(methods), eps=list(budgets)).drop(columns="trial"))


def _long(wide: pd.DataFrame) -> pd.DataFrame:
    """One row per error."""
    names = [name for name in wide.columns if name not in ("frequency", "mean")]
    return wide.melt(names, ["frequency", "mean"], "what", "error")


def rounds(
    shares: Sequence[float], *, m: float, eps1: float, eps2: float, t: int, rng: np.random.Generator, runs: int = 200
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run PrivKVM with a million people on keys of different frequency: the published means beside those of theory.

    Parameters
    ----------
    shares : sequence of float
        Shares of people who have the key, one population each.
    m : float
        Value of all who have it.
    eps1, eps2 : float
        Budgets of the presence, and of the signs of all rounds.
    t : int
        Rounds.
    rng : numpy.random.Generator
    runs : int
        Runs on each population.

    Returns
    -------
    exact : pandas.DataFrame
        One row for each share and round: the ``mean`` for many people.
    simulated : pandas.DataFrame
        One row for each run, too.
    """
    exact, simulated, n = [], [], 10**6
    for f in shares:
        people = Holdings(n, np.array([0, 1]), np.array([m]), np.array([round(f * n)]))
        run = privkvm_marginals(people, key_epsilon=eps1, value_epsilon=eps2, rounds=t, trials=runs, rng=rng)
        for r in range(1, t + 1):
            point = {"key held by": f"{100 * f:g} %", "round": r}
            exact.append(point | {"mean": m + float(privkvm_bias(f, m, eps1, r))})
            simulated.append(pd.DataFrame(point | {"mean": run.means[:, r - 1, 0]}))
    return pd.DataFrame(exact), pd.concat(simulated)


# ---------------------------------------------------------------------------------------------- Fig. 6: correlations

FIG6_BUDGETS = (0.5, 1, 2, 4, 6, 8, 10)
FIG6_PEOPLE = (10**5, 10**6)
FIG6_KEYS = (2, 4, 8)
PART = 2**14  # people whose signs are drawn at a time, so that they stay in the cache


def gauss(n: int, d: int, rng: np.random.Generator) -> tuple[Records, Bools, Floats]:
    """Invent people with a hidden trait, which makes all keys likelier and values larger.

    Presence of a key is a Gaussian above a threshold, values are Gaussian and clipped to [−1, 1]; a key is held by
    35 % to 60 % of the people, and presences of two keys are correlated by about 0.2.

    Returns
    -------
    records : Records
    held : ndarray of bool (n, d)
    values : ndarray (n, d)
        Also of keys that are not held.
    """
    trait = rng.normal(size=n)
    held = sqrt(0.3) * trait[:, None] + sqrt(0.7) * rng.normal(size=(n, d)) > np.linspace(0.4, -0.3, d)
    values = np.clip(np.linspace(-0.4, 0.4, d) + 0.15 * trait[:, None] + 0.26 * rng.normal(size=(n, d)), -1, 1)
    users, keys = np.nonzero(held)
    return Records(np.concatenate([[0], np.cumsum(held.sum(1))]), keys, values[users, keys]), held, values


def pair_truth(held: Bools, values: Floats) -> Floats:
    """Frequency and mean correlation of key a given key b, for all ordered pairs (a, b): (pairs, 2)."""
    has, value, found = np.ascontiguousarray(held.T), np.ascontiguousarray(values.T), []
    for a, b in permutations(range(len(has)), 2):
        both = has[a] & has[b]
        found.append((both.sum() / has[b].sum(), value[a, both].mean()))
    return np.array(found)


def pair_tables(cells: Floats, d: int) -> Floats:
    """Sum tables of all keys, (…, 3^d), to one of 3 × 3 for each ordered pair, first key in rows: (…, pairs, 3, 3)."""
    return _ordered((cells @ _onto_pairs(d)).reshape(*cells.shape[:-1], -1, 9), d)


def correlations(tables: Floats, n: int) -> Floats:
    """Frequency and mean correlation from 3 × 3 tables of shares, clipped to what is possible: (…, 2)."""
    below = tables[..., [0, 2]].sum((-1, -2))
    part = tables[..., [0, 2], :][..., [0, 2]].sum((-1, -2))
    signed = (tables[..., 2, :] - tables[..., 0, :])[..., [0, 2]].sum(-1)
    frequency = np.clip(part / np.maximum(below, 1 / n), 0, 1)
    return np.stack([frequency, np.clip(signed / np.maximum(part, 1 / n), -1, 1)], -1)


def fig6(
    oracles: Mapping[str, MakeOracle],
    *,
    pairs: Mapping[str, MakeOracle],
    rng: np.random.Generator,
    people: Sequence[int] = FIG6_PEOPLE,
    keys: Sequence[int] = FIG6_KEYS,
    budgets: Sequence[float] = FIG6_BUDGETS,
    runs: int = RUNS,
) -> pd.DataFrame:
    """Measure frequency and mean correlations of all ordered pairs of keys, by several designs at several budgets.

    All designs see the same people, whose signs are drawn anew in each run; tallies are drawn from their joint law.

    Parameters
    ----------
    oracles : dict of str to callable
        Oracles ``make(k=3**d, epsilon=epsilon)`` for the index of all keys; their tables are shifted to sum to one.
    pairs : dict of str to callable
        Oracles ``make(k=9, epsilon=epsilon)`` for the states of one pair of keys, drawn for each person.
    rng : numpy.random.Generator
    people, keys, budgets : sequence
        Numbers of people n, of keys d, and ε.
    runs : int

    Returns
    -------
    DataFrame
        Columns ``n``, ``d``, ``design``, ``eps``, ``run``, ``what`` ("frequency" or "mean") and ``error``, absolute and
        averaged over the pairs.
    """
    rows = []
    for n in people:
        for d in keys:
            records, held, values = gauss(n, d, rng)
            truth = pair_truth(held, values)
            everybody = _histograms(records, d, runs, rng)
            whole = {(name, eps): make(k=3**d, epsilon=eps) for eps in budgets for name, make in oracles.items()}
            paired = {(name, eps): make(k=9, epsilon=eps) for eps in budgets for name, make in pairs.items()}
            for run, histogram in enumerate(everybody):
                asked, cells, nine = _asked_pairs(histogram, d, rng), {}, {}
                for eps in budgets:
                    for name in oracles:
                        cells[name, eps] = _measured(whole[name, eps], histogram, rng)
                    for name in pairs:
                        nine[name, eps] = np.array([_measured(paired[name, eps], one, rng) for one in asked])
                tables = [pair_tables(norm(np.array(list(cells.values()))), d)] if cells else []
                tables += [_ordered(np.array(list(nine.values())), d)] if nine else []
                errors = np.abs(correlations(np.concatenate(tables), n) - truth).mean(-2)
                found = dict(zip([*cells, *nine], errors, strict=True))
                for eps in budgets:
                    for name in (*oracles, *pairs):
                        frequency, mean = found[name, eps]
                        point = {"n": n, "d": d, "design": name, "eps": eps, "run": run}
                        rows.append(point | {"frequency": frequency, "mean": mean})
    return _long(pd.DataFrame(rows))


def _histograms(records: Records, d: int, runs: int, rng: np.random.Generator) -> list[Ints]:
    """Count the numbers that `encode` draws, run by run, from the same coins, with what runs share computed once."""
    places, powers = (records.users, records.keys), 3.0 ** np.arange(d)[::-1]
    plus = np.zeros((len(records), d))  # probability of the sign +
    plus[places] = (1 + entries(records)) / 2
    lowest = (3**d - 1) // 2 - np.bincount(records.users, powers[records.keys], len(records)).astype(np.int64)
    steps, cells, found = (2 * powers).astype(np.float32), np.empty(len(records), np.int64), []
    for _ in range(runs):
        for start in range(0, len(cells), PART):  # the coins are those of a single call
            part = slice(start, start + PART)
            heads = bernoulli(plus[part], plus[part].shape, rng).astype(np.float32)
            cells[part] = lowest[part] + (heads @ steps).astype(np.int64)  # exact: below 2**24
        found.append(np.bincount(cells, minlength=3**d))
    return found


def _measured(oracle: Oracle, histogram: Ints, rng: np.random.Generator) -> Floats:
    """Shares that one survey of these people finds."""
    return np.asarray(oracle.estimate(oracle.simulate(histogram, trials=1, rng=rng))[0])


def _pairs(d: int) -> list[tuple[int, int]]:
    return list(combinations(range(d), 2))


@cache
def _nines(d: int) -> Ints:
    """State 3 s_a + s_b of each pair a < b in each cell of a table of d keys: (pairs, 3^d)."""
    states = np.arange(3**d)[:, None] // 3 ** np.arange(d - 1, -1, -1) % 3
    return np.array([3 * states[:, a] + states[:, b] for a, b in _pairs(d)])


@cache
def _onto_pairs(d: int) -> Floats:
    """Matrix that sums the cells of a table into the nine states of each pair a < b: (3^d, 9 · pairs)."""
    return np.hstack([np.eye(9)[nine] for nine in _nines(d)])


def _ordered(nine: Floats, d: int) -> Floats:
    """Tables of all ordered pairs from those of pairs a < b: (…, pairs, 9) becomes (…, 2 · pairs, 3, 3)."""
    square = nine.reshape(*nine.shape[:-1], 3, 3)
    place = {pair: i for i, pair in enumerate(_pairs(d))}
    found = [
        square[..., place[a, b], :, :] if a < b else np.swapaxes(square[..., place[b, a], :, :], -1, -2)
        for a, b in permutations(range(d), 2)
    ]
    return np.stack(found, -3)


def _asked_pairs(histogram: Ints, d: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Draw one pair for each person, and count the nine states of each pair among those who drew it."""
    nines = _nines(d)
    asked = rng.multinomial(histogram, np.full(len(nines), 1 / len(nines)))
    return [np.bincount(nine, asked[:, column], minlength=9).astype(np.int64) for column, nine in enumerate(nines)]
