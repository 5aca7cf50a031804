"""The experiments of wang2024: five mechanisms (Fig. 3), batches (Figs. 4, 5), lists (Fig. 6), and its two charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ldpnb.core import Floats, Ints
from ldpnb.keyvalue import Holdings, PrivKV, WheelKV, clipped_mean, holdings, privkvm_marginals
from ldpnb.records import Records
from ldpnb_book import datasets
from ldpnb_book.experiment import sweep

Make = Callable[[float, int], Any]  # a mechanism from ε and the number of keys

PEOPLE, KEYS, PAIRS, TOP = 100_000, 512, 8, 50  # Table 3, first row
ROUNDS = 3  # of PrivKVM
FIG3_BUDGETS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)


def distinct(draw: Callable[[Any], Any], n: int, m: int) -> Ints:
    """Draw m different keys for each of n people: what is repeated is drawn again."""
    keys: Ints = draw((n, m))
    while True:
        order = np.argsort(keys, 1, kind="stable")
        ordered = np.take_along_axis(keys, order, 1)
        repeated = np.zeros(keys.shape, bool)
        np.put_along_axis(repeated, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], 1)
        if not repeated.any():
            return keys
        keys[repeated] = draw(int(repeated.sum()))


def crowd(kind: str, rng: np.random.Generator, n: int = PEOPLE, d: int = KEYS, m: int = PAIRS) -> Records:
    """Invent people with m pairs each, of keys and mean values that are "uniform" or "Gaussian".

    Gaussian keys are half of a bell over the list of keys, with a standard deviation of a third of its length.
    """

    def level(shape: Any) -> Any:
        return rng.integers(0, d, shape)

    def half_gaussian(shape: Any) -> Any:
        rank = np.abs(rng.normal(0, d / 3, shape)).astype(np.int64)
        while (beyond := rank >= d).any():
            rank[beyond] = np.abs(rng.normal(0, d / 3, int(beyond.sum()))).astype(np.int64)
        return rank

    bell = kind == "Gaussian"
    keys = distinct(half_gaussian if bell else level, n, m)
    means = np.clip(rng.normal(0, 1 / 3, d), -1, 1) if bell else rng.uniform(-1, 1, d)
    values = np.clip(means[keys] + rng.normal(0, 1 / 4, keys.shape), -1, 1)
    return Records.from_arrays(np.repeat(np.arange(n), m), keys.ravel(), np.round(8 * values.ravel()) / 8, n=n)


def _variances(mechanism: Any, records: Records, d: int) -> Floats:
    """Variance of the frequency of each of d keys, for these people."""
    named = {"items": range(d)} if isinstance(mechanism, WheelKV) else {}
    return np.asarray(mechanism.spread(records, **named).variance[0])


def _survey(mechanism: Any, people: Holdings, trials: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Frequencies and clipped means of several surveys, (trials, d) each; PrivKV is asked in the rounds of PrivKVM."""
    if isinstance(mechanism, PrivKV):
        budgets = {"key_epsilon": mechanism.key_epsilon, "value_epsilon": ROUNDS * mechanism.value_epsilon}
        run = privkvm_marginals(people, **budgets, rounds=ROUNDS, trials=trials, rng=rng)
        return np.asarray(run.frequency), np.clip(run.means[:, -1], -1, 1)
    estimate = mechanism.estimate(mechanism.simulate_marginals(people, trials=trials, rng=rng))
    return estimate[:, 0], clipped_mean(estimate, people.n)


def fig3(
    crowds: Mapping[str, Records],
    methods: Mapping[str, Make],
    *,
    rng: np.random.Generator,
    budgets: Sequence[float] = FIG3_BUDGETS,
    d: int = KEYS,
    top: int = TOP,
    trials: int = 20,
) -> pd.DataFrame:
    """Measure squared errors of frequencies and means by several mechanisms at several budgets.

    Parameters
    ----------
    crowds : dict of str to Records
    methods : dict of str to callable
        Called as ``make(epsilon, d)``; a PrivKV is one of the three rounds of PrivKVM.
    rng : numpy.random.Generator
    budgets : sequence of float
    d, top : int
        Keys, and how many of the most frequent ones are looked at apart.
    trials : int

    Returns
    -------
    DataFrame
        Columns ``kind``, ``eps``, ``name``, ``run``, ``keys`` ("all keys", "top" or "rare"),
        ``what`` ("frequency" or "mean"), ``mse``, averaged over the keys, and ``exact``, its expected value, for
        frequencies.
    """
    populations = {kind: holdings(people, d, sizes=True) for kind, people in crowds.items()}

    def measure(kind: str, eps: float, name: str, rng: np.random.Generator) -> list[dict[str, Any]]:
        people, mechanism = populations[kind], methods[name](eps, d)
        frequency, mean = _survey(mechanism, people, trials, rng)
        exact = _variances(mechanism, crowds[kind], d)
        order = np.argsort(-people.frequency, kind="stable")
        return [
            {"run": run, "keys": which, "what": what, "mse": error, "exact": expected}
            for which, keys in (("all keys", np.arange(d)), ("top", order[:top]), ("rare", order[-top:]))
            for what, off, expected in (
                ("frequency", frequency - people.frequency, exact[keys].mean()),
                ("mean", mean - people.mean, np.nan),
            )
            for run, error in enumerate((off[:, keys] ** 2).mean(1))
        ]

    found = sweep(measure, rng=rng, kind=list(crowds), eps=list(budgets), name=list(methods))
    return found.drop(columns="trial")


# -------------------------------------------------------------------------------- Figs. 4 and 5: keys that come and go

EACH, BEFORE, HELD = 10_000, 100, 4  # Table 3, third and fourth row
AFTER = {"growth": 200, "shrink": 50}
CHANGE_BUDGETS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)


def even(n: int, d: int, m: int, rng: np.random.Generator) -> Records:
    """Invent records of m keys each out of d, all sets alike, with uniform values in steps of 0.1."""
    keys = np.argsort(rng.random((n, d)), axis=1, kind="stable")[:, :m]
    return Records.from_arrays(np.repeat(np.arange(n), m), keys.ravel(), rng.integers(-10, 11, n * m) / 10, n=n)


def fig45(
    make: Make,
    *,
    rng: np.random.Generator,
    budgets: Sequence[float] = CHANGE_BUDGETS,
    each: int = EACH,
    trials: int = 50,
) -> pd.DataFrame:
    """Measure errors where 100 keys become 200 or 50 between two batches of people, in batches and all data alike.

    Parameters
    ----------
    make : callable
        Called as ``make(epsilon, d)`` with d keys in all; the same client serves both batches.
    rng : numpy.random.Generator
    budgets : sequence of float
    each : int
        People of either batch.
    trials : int

    Returns
    -------
    DataFrame
        Columns ``change`` ("growth" or "shrink"), ``eps``, ``treatment`` ("first" batch, all data "alike",
        "batches", or batches with their lists "exchanged"), ``truth`` ("everyone" or "now"),
        ``keys`` ("all", "changed", "kept" or "live"), ``what``, ``run``,
        ``mse`` and, for frequencies, ``exact``, its expected value.
    """
    crowds = {d: even(each, d, HELD, rng) for d in (BEFORE, *AFTER.values())}
    batches = {change: [crowds[BEFORE], crowds[d]] for change, d in AFTER.items()}
    held = {
        change: [holdings(records, max(BEFORE, AFTER[change]), sizes=True) for records in both]
        for change, both in batches.items()
    }

    def measure(change: str, eps: float, rng: np.random.Generator) -> list[dict[str, Any]]:
        d = max(BEFORE, AFTER[change])
        both, people, mechanism = batches[change], held[change], make(eps, d)
        alive = np.array([np.arange(d) < BEFORE, np.arange(d) < AFTER[change]])
        f = np.stack([one.frequency for one in people])
        s = np.stack([one.by_key(one.counts * one.values) / one.n for one in people])
        v = np.stack([_variances(mechanism, records, d) for records in both])
        told = [mechanism.estimate(mechanism.simulate_marginals(one, trials=trials, rng=rng)) for one in people]
        alike, pooled = sum(told) / 2, sum(one * living for one, living in zip(told, alive, strict=True)) / 2
        changed, live, every = alive.sum(0) == 1, alive[1], np.ones(d, bool)
        drift = ((f[0] - f[1]) / 2) ** 2
        swapped, kept_back = sum(one * living for one, living in zip(told, alive[::-1], strict=True)) / 2, ~alive[::-1]
        now, whole = (f[1], s[1]), (f.mean(0), s.mean(0))
        rows = []
        for treatment, truth, keys, chosen, estimate, n, (share, total), exact in (
            ("first", "everyone", "all", alive[0], told[0], each, (f[0], s[0]), v[0]),
            *(
                (treatment, "everyone", name, which, estimate, 2 * each, whole, variance)
                for treatment, estimate, variance in (
                    ("alike", alike, v.sum(0) / 4),
                    ("batches", pooled, (v * alive).sum(0) / 4),
                    ("exchanged", swapped, (v * alive[::-1]).sum(0) / 4 + ((f * kept_back).sum(0) / 2) ** 2),
                )
                for name, which in (("all", every), ("changed", changed), ("kept", ~changed))
            ),
            *(
                (treatment, "now", name, which, estimate, n, now, error)
                for treatment, estimate, n, error in (
                    ("alike", alike, 2 * each, v.sum(0) / 4 + drift),
                    ("batches", told[1], each, v[1]),
                )
                for name, which in (("live", live), ("changed", changed & live))
            ),
        ):
            if not chosen.any():  # after a loss of keys no live one has changed
                continue
            off = {
                "frequency": estimate[:, 0] - share,
                "mean": clipped_mean(estimate, n) - total / np.where(share, share, 1),
            }
            rows += [
                {"treatment": treatment, "truth": truth, "keys": keys, "what": what, "run": run, "mse": error}
                | {"exact": exact[chosen].mean() if what == "frequency" else np.nan}
                for what, one in off.items()
                for run, error in enumerate((one[:, chosen] ** 2).mean(1))
            ]
        return rows

    return sweep(measure, rng=rng, change=list(AFTER), eps=list(budgets)).drop(columns="trial")


# ------------------------------------------------------------------------------------------- Fig. 6: lists of keys

LISTS = {"10 %": 51, "20 %": 102, "50 %": 256}
FIG6_BUDGETS = (1.0, 2.0, 3.0, 4.0)


def fig6(
    people: Records,
    make: Make,
    *,
    rng: np.random.Generator,
    d: int = KEYS,
    lists: Mapping[str, int] = LISTS,
    budgets: Sequence[float] = FIG6_BUDGETS,
    runs: int = 14,
) -> pd.DataFrame:
    """Scan all keys, keep a list of the most frequent ones, and estimate these from the same reports and fresh ones.

    Parameters
    ----------
    people : Records
    make : callable
        Called as ``make(epsilon, d)``; its tallies take a list of keys.
    rng : numpy.random.Generator
    d : int
    lists : dict of str to int
        How many keys each list keeps.
    budgets : sequence of float
    runs : int
        Scans at each budget; fresh reports are those of another scan.

    Returns
    -------
    DataFrame
        Columns ``eps``, ``list`` (also "all"), ``reports`` ("same" or "fresh"), ``run``, and ``mse``, averaged over
        the keys of the list.
    """
    truth = np.bincount(people.keys, minlength=d) / len(people)

    def measure(eps: float, rng: np.random.Generator) -> list[dict[str, Any]]:
        mechanism = make(eps, d)
        scans = [mechanism.estimate(mechanism.tally(mechanism.perturb(people, rng=rng), range(d))) for _ in range(runs)]
        shares = np.stack([one[0] for one in scans])
        order = np.argsort(-shares, axis=1, kind="stable")
        return [
            {"list": name, "reports": reports, "run": run, "mse": ((shares[other] - truth)[keys] ** 2).mean()}
            for name, length in {"all": d, **lists}.items()
            for run, keys in enumerate(order[:, :length])
            for reports, other in (("same", run), ("fresh", run - 1))
        ]

    return sweep(measure, rng=rng, eps=list(budgets)).drop(columns="trial")


# ---------------------------------------------------------------------------------------------- §3.3: two charts

DAYS, LIFE, DAILY, OLDER = 7, 5, 12, 500


def songs(client: Any, *, rng: np.random.Generator, listeners: int = 50_000, runs: int = 10) -> pd.DataFrame:
    """Run a chart of new songs for a week: twelve songs come and twelve go each day, and listeners differ each day.

    Parameters
    ----------
    client : WheelKV
        The same on every day; it perturbs up to m songs of each listener.
    rng : numpy.random.Generator
    listeners : int
        Per day.
    runs : int
        Repetitions of a day with fresh coins.

    Returns
    -------
    DataFrame
        Columns ``day``, ``run``, ``off`` (largest error of a song, in exact standard errors), ``live`` and ``stale``:
        how many of the true ten most played songs are among the estimated ten, with the list of the day and with that
        of the day before.
    """
    released = np.repeat(np.arange(2 - LIFE, DAYS + 1), DAILY)
    appeal, growth = np.exp(rng.normal(0, 0.9, len(released))), rng.choice([0.75, 1.0, 1.3], len(released))
    appeal[np.flatnonzero(released == 5)[0]] = 16  # on day 5 a song enters at the top
    liking = rng.uniform(-0.6, 0.9, len(released) + OLDER)
    rows = []
    for day in range(1, DAYS + 1):
        live = np.flatnonzero((day - LIFE < released) & (day >= released))
        weights = np.full(len(liking), 0.25 / (len(liking) - len(live)))  # a quarter of what is played is older
        weights[live] = 0.0
        weights[released.size :] = 0.25 / OLDER
        weights[: released.size][released > day - LIFE] = 0.0
        lively = appeal[live] * growth[live] ** (day - released[live])
        weights[live] = lively / lively.sum() * 3 * weights.sum()
        played = rng.choice(len(liking), (listeners, client.m), p=weights / weights.sum())
        user, song = _once(played)
        people = Records.from_arrays(
            user, song, np.clip(liking[song] + rng.normal(0, 0.4, len(song)), -1, 1), n=listeners
        )
        truth = np.bincount(song, minlength=len(liking))[live] / listeners
        error = np.sqrt(client.spread(people, items=live.tolist()).variance[0])
        known = released[live] < day
        hot = set(np.argsort(-truth, kind="stable")[:10].tolist())
        for run in range(runs):
            found = client.estimate(client.tally(client.perturb(people, rng=rng), live.tolist()))[0]
            ranked = np.argsort(-found, kind="stable")
            rows.append(
                {
                    "day": day,
                    "run": run,
                    "off": np.abs((found - truth) / error).max(),
                    "live": len(hot & set(ranked[:10].tolist())),
                    "stale": len(hot & set(ranked[known[ranked]][:10].tolist())),
                }
            )
    return pd.DataFrame(rows)


def searches(client: Any, *, rng: np.random.Generator, n: int = 200_000, d: int = 1000, runs: int = 8) -> pd.DataFrame:
    """Scan a thousand queries on Monday, keep a tenth, and count it on Tuesday, when a rare query becomes hot.

    Parameters
    ----------
    client : WheelKV
    rng : numpy.random.Generator
    n, d : int
        People per day, and queries.
    runs : int
        With fresh coins.

    Returns
    -------
    DataFrame
        Columns ``shares`` ("Zipf" or "half Gaussian"), ``run``, ``listed``: the true first hundredth of Monday on
        Monday's list; for Zipf also ``automatic`` and ``edited``: that of Tuesday on the list, without and with the
        query added, and ``burst``: whether the query is estimated to be among the first hundredth.
    """
    place = rng.permutation(d)
    burst, tenth, hundredth = int(np.flatnonzero(place == 7 * d // 10)[0]), d // 10, d // 100

    def ask(weights: Any) -> tuple[Records, list[int]]:
        asked = rng.choice(d, (n, client.m), p=weights / weights.sum())
        user, query = _once(asked)
        hot = np.argsort(-np.bincount(query, minlength=d), kind="stable")[:hundredth]
        return Records.from_arrays(user, query, np.zeros(len(query)), n=n), hot.tolist()

    def first(people: Records, keys: Sequence[int], size: int) -> list[int]:
        found = client.estimate(client.tally(client.perturb(people, rng=rng), keys))[0]
        return [keys[j] for j in np.argsort(-found, kind="stable")[:size]]

    zipf = (1.0 + place) ** -1.1
    excited = zipf.copy()
    excited[burst] = 0.03 * zipf.sum()
    rows = []
    (monday, usual), (tuesday, hot) = ask(zipf), ask(excited)
    for run in range(runs):
        listed = first(monday, range(d), tenth)
        edited = list(dict.fromkeys([*listed, burst]))
        rows.append(
            {
                "shares": "Zipf",
                "run": run,
                "listed": len({*listed} & {*usual}),
                "automatic": len({*listed} & {*hot}),
                "edited": len({*edited} & {*hot}),
                "burst": burst in first(tuesday, edited, hundredth),
            }
        )
    flat, level_hot = ask(np.exp(-0.5 * (3 * place / d) ** 2))
    for run in range(runs):
        listed = first(flat, range(d), tenth)
        rows.append({"shares": "half Gaussian", "run": run, "listed": len({*listed} & {*level_hot})})
    return pd.DataFrame(rows)


def _once(drawn: Ints) -> tuple[Ints, Ints]:
    """Different numbers in each row of a matrix, ascending: their rows, and they themselves."""
    drawn = np.sort(drawn, 1)
    new = np.ones(drawn.shape, np.bool_)
    new[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
    return np.nonzero(new)[0], drawn[new]


class Counting:
    """The hash family of a client, which counts the slots that it computes."""

    def __init__(self, family: Any) -> None:
        self.family, self.words, self.values, self.slots = family, family.words, family.values, 0

    def count(self, seeds: Any, first: Ints, inner: int, outer: int, keys: Ints) -> Any:
        """Count as the family does."""
        self.slots += len(first) * len(keys)
        return self.family.count(seeds, first, inner, outer, keys)


class Misread:
    """A control: reports of one client that are read as those of another."""

    def __init__(self, server: Any, client: Any) -> None:
        self.m, self.perturb = client.m, client.perturb
        self.tally, self.estimate, self.spread = server.tally, server.estimate, server.spread


# ------------------------------------------------------------------------------------------------- rented clothes

CLOTHES = 5850


def clothing_errors(
    methods: Mapping[str, Callable[[float, int, int], Any]], seed: int, trials: int, top: int
) -> pd.DataFrame:
    """Measure errors on ratings of rented clothes: variance and squared bias of frequencies, simulated ones of means.

    Parameters
    ----------
    methods : dict of str to callable
        Called as ``make(epsilon, d, m)``.
    seed, trials, top : int
        Surveys for the means, and how many of the most rated pieces are looked at.
    """
    records, rng = datasets.clothing(), np.random.default_rng(seed)
    population = holdings(records, CLOTHES, sizes=True)
    keys = np.argsort(-population.frequency, kind="stable")[:top]
    rows = []
    for eps in (1.0, 2.0, 4.0):
        for m in (1, 2, 4, 8):
            for name, make in methods.items():
                mechanism = make(eps, CLOTHES, m)
                counted = population.by_key(population.counts * mechanism.used(population.sizes)) / mechanism.w
                bias = counted / population.n - population.frequency
                mean = (_survey(mechanism, population, trials, rng)[1] - population.mean)[:, keys] ** 2
                rows.append(
                    {
                        "eps": eps,
                        "m": m,
                        "name": name,
                        "variance": _variances(mechanism, records, CLOTHES)[keys].mean(),
                        "bias2": (bias[keys] ** 2).mean(),
                        "mean": mean.mean(),
                    }
                )
    return pd.DataFrame(rows)


def clothing_facts() -> dict[str, float]:
    """Count what the choice of m depends on: people, single ratings, and shares of pieces."""
    records = datasets.clothing()
    share = np.sort(np.bincount(records.keys, minlength=CLOTHES) / len(records))[::-1]
    return {
        "people": len(records),
        "single": float((records.sizes == 1).mean()),
        "most": int(records.sizes.max()),
        "first": float(share[0]),
        "fiftieth": float(share[49]),
    }
