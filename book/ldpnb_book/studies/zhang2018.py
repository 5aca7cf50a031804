"""The experiments of zhang2018: eight populations (Figs. 5-1 to 5-8), a census (5-9 to 5-12), lists, nine methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import laplace, norm

from ldpnb.chance import binomial, scatter, uniform
from ldpnb.core import Floats, Ints, Tally
from ldpnb.keyvalue import Wheel
from ldpnb.oracles import SUE, HadamardBit
from ldpnb.records import Records, pad_and_sample
from ldpnb.sets import PrivSet, SampledGRR, SampledHadamardBit, SampledSUE, halves, largest, restrict
from ldpnb_book import datasets
from ldpnb_book.experiment import precision, relative_error

People = NDArray[np.int16]  # a column for each person, a row for each item that she holds
Ask = Callable[[People, Ints, np.random.Generator], Ints]  # what each person draws about the candidates, −1 for a dummy
Run = tuple[People, Floats, Ints, Floats, Floats]  # people of phase two, first, candidates, second, estimates

SEED = 31
ITEMS, HELD, WANTED, LISTED = 1000, 50, 30, 60  # §4.1 and §4.4: d, ℓ, k and k_max
KINDS = ("Laplace", "normal")
SETTINGS = [(kind, n) for n in (50_000, 500_000) for kind in KINDS]
PHASED = ("GFIM", "LDPMiner-SH")
TICKETS = 2**16

# ------------------------------------------------------------------------------------------------ people and reports


def lottery(kind: str) -> People:
    """Return items for 65,536 equally likely tickets: one draw of the law "Laplace" or "normal", rounded to items."""
    law_of = {"Laplace": laplace(500, 30), "normal": norm(500, sqrt(1800))}[kind]
    cumulated = np.cumsum(np.diff(law_of.cdf(np.arange(ITEMS + 1) - 0.5)))
    return np.searchsorted(cumulated / cumulated[-1], (np.arange(TICKETS) + 0.5) / TICKETS).astype(np.int16)


def crowd(kind: str, n: int, rng: np.random.Generator, repeats: bool = False) -> People:
    """Draw the 50 items of each of n people: distinct ones, unless repeats are left in."""
    items = lottery(kind)
    people = np.empty((HELD, n), np.int16)
    for j in range(HELD):
        people[j] = items[rng.integers(0, TICKETS, n, np.uint16)]
        clash = np.zeros(n, bool)
        for earlier in people[: 0 if repeats else j]:
            clash |= earlier == people[j]
        again = np.flatnonzero(clash)
        theirs = people[:j, again]
        while again.size:  # those who have this item already draw once more
            people[j, again] = drawn = items[rng.integers(0, TICKETS, again.size, np.uint16)]
            still = np.flatnonzero((theirs == drawn).any(0))
            again, theirs = again[still], theirs[:, still]
    return people


def shares(people: People, d: int = ITEMS) -> Floats:
    """Return the share of the people who hold each of d items."""
    return np.asarray(sum(np.bincount(row, minlength=d) for row in people) / people.shape[1])


def bits_about(drawn: Ints, d: int, eps: float, rng: np.random.Generator) -> Tally:
    """Tally one bit about each drawn item; −1 stands for a dummy, which has a fair bit.

    People are counted by what they drew, and the tally of their reports is drawn from these counts.
    """
    counts = np.bincount(drawn + 1, minlength=d + 1)
    oracle = HadamardBit(k=max(d, 2), epsilon=eps)
    real = np.zeros(max(d, 2), np.int64)
    real[:d] = counts[1:]
    rows = scatter(counts[0], oracle.m, rng)
    minus = binomial(rows, 0.5, rows.shape, rng)
    told = np.stack([rows - minus, minus], -1)
    if real.any():
        told = told + oracle.simulate(real, trials=1, rng=rng).counts[0]
    return Tally(oracle, len(drawn), told)


def vectors_about(drawn: Ints, d: int, eps: float, rng: np.random.Generator) -> Tally:
    """Tally a vector of bits about each drawn item: a first column for dummies, which nobody reads."""
    return SUE(k=d + 1, epsilon=eps).simulate(np.bincount(drawn + 1, minlength=d + 1), trials=1, rng=rng)


def krr_about(drawn: Ints, d: int, ell: int, eps: float, rng: np.random.Generator) -> Tally:
    """Tally k-RR with the amplified budget, where nobody needs a dummy."""
    mechanism = SampledGRR(d=d, ell=ell, epsilon=eps)
    counts = np.bincount(drawn, minlength=d)
    kept = binomial(counts, float(mechanism.keep), counts.shape, rng)
    blind = scatter(np.array(len(drawn) - kept.sum()), mechanism.width, rng)[:d]
    return Tally(mechanism, len(drawn), kept + blind)


def any_item(people: People, rng: np.random.Generator) -> Ints:
    """Draw one of each person's items."""
    n = people.shape[1]
    return people[uniform(len(people), (n,), rng), np.arange(n)].astype(np.int64)


def any_candidate(people: People, candidates: Ints, rng: np.random.Generator) -> Ints:
    """Draw the place of one of the candidates for each person, −1 if she does not hold it.

    That is the law of a draw from what she holds among the candidates, padded to their number.
    """
    place = uniform(len(candidates), (people.shape[1],), rng)
    held = (people == np.asarray(candidates, people.dtype)[place]).any(0)
    return np.where(held, place, -1)


def any_of_own(people: People, candidates: Ints, rng: np.random.Generator) -> Ints:
    """Draw the place of one of the person's own candidates, without padding; −1 if there is none."""
    place = np.full(ITEMS, -1, np.int16)
    place[candidates] = np.arange(len(candidates))
    places = np.array([place[row] for row in people])
    held = places >= 0
    left = uniform(np.maximum(held.sum(0), 1), (people.shape[1],), rng).astype(np.int8)  # own candidates to pass over
    found = np.full(people.shape[1], -1)
    for row, own in zip(places, held, strict=True):
        np.copyto(found, row, where=own & (left == 0))
        left -= own
    return found


def any_candidate_of(attributes: Ints) -> Ask:
    """Return the draw of `any_candidate` for people with one value of each attribute: one look at the record."""

    def ask(people: People, candidates: Ints, rng: np.random.Generator) -> Ints:
        place = uniform(len(candidates), (people.shape[1],), rng)
        item = np.asarray(candidates)[place]
        return np.where(people[attributes[item], np.arange(len(item))] == item, place, -1)

    return ask


# ------------------------------------------------------------------------------------------------------- two phases


def phase_one(people: People, d: int, eps: float, rng: np.random.Generator) -> Floats:
    """Return estimates of all items by sampling S-Hist, everybody having exactly ℓ items."""
    tally = bits_about(any_item(people, rng), d, eps, rng)
    return np.asarray(len(people) * tally.mechanism.estimate(tally)[:d])


def phase_two(
    people: People, candidates: Ints, eps: float, rng: np.random.Generator, ask: Ask = any_candidate
) -> Floats:
    """Return estimates of the candidates, times k_max."""
    tally = bits_about(ask(people, candidates, rng), len(candidates), eps, rng)
    return np.asarray(len(candidates) * tally.mechanism.estimate(tally)[: len(candidates)])


def mixed(first: Floats, candidates: Ints, second: Floats, weight: float) -> Floats:
    """Return one estimate per item: the mixture for candidates, the first phase for the others."""
    estimate = first.copy()
    estimate[candidates] = (1 - weight) * first[candidates] + weight * second
    return estimate


def split(people: People) -> tuple[People, People]:
    """Return two halves: people were drawn independently, so that the first ones are as good as random ones."""
    n = people.shape[1]
    return people[:, : n // 2], people[:, n // 2 :]


def run_both(people: People, eps: float, rng: np.random.Generator, listed: int = LISTED) -> dict[str, Run]:
    """Run GFIM as written and LDPMiner-SH once.

    Returns
    -------
    dict of str to tuple
        For each of `PHASED`: people of phase two, first estimates, candidates, second estimates, final estimates.
    """
    found = {}
    half, other = split(people)
    for name, one, two, budget, weight in (
        ("GFIM", half, other, eps, 1 - 1 / HELD),
        ("LDPMiner-SH", people, people, eps / 2, 1.0),
    ):
        first = phase_one(one, ITEMS, budget, rng)
        candidates = largest(first, listed)
        second = phase_two(two, candidates, budget, rng)
        found[name] = two, first, candidates, second, mixed(first, candidates, second, weight)
    return found


def seeded(kind: str, n: int, repetition: int, part: int) -> np.random.Generator:
    """Return the generator of one part of one repetition."""
    return np.random.default_rng([SEED, KINDS.index(kind), n, repetition, part])


def first_population(kind: str, n: int) -> tuple[People, dict[str, Run]]:
    """Return the people of repetition 0, and the runs on them that Figs. 5-1 to 5-8 show."""
    people = crowd(kind, n, seeded(kind, n, 0, 0))
    return people, run_both(people, 2.0, seeded(kind, n, 0, 1))


def deviations(eps: float, n: int, ell: int = HELD, listed: int = LISTED) -> dict[str, float]:
    """Return standard deviations of a rare item's estimate in both phases of GFIM, and mixed by (3-5)."""
    c = (np.exp(eps) + 1) / (np.exp(eps) - 1)
    one, two = (2 * (slots * c) ** 2 / n for slots in (ell, listed))
    weight = 1 - 1 / ell
    both = (1 - weight) ** 2 * one + weight**2 * two
    return {"first": sqrt(one), "second": sqrt(two), "(3-5)": sqrt(both)}


# -------------------------------------------------------------------------------- readings of Figs. 5-1 to 8

READINGS = ("as written", "list only", "candidates", "unsampled", "every candidate", "no padding", "repeats")


def _readings(run: Run, top: Ints, eps: float, rng: np.random.Generator) -> dict[str, int]:
    """Count how many of the true top are chosen, by the first five readings, for one method's run."""
    two, first, candidates, second, estimate = run
    K, n = len(candidates), two.shape[1]
    owners = np.sum([np.bincount(row, minlength=ITEMS) for row in two], 0)[candidates]
    oracle = HadamardBit(k=K, epsilon=eps)
    rows = scatter(np.array(n * K - owners.sum()), oracle.m, rng)  # dummies
    minus = binomial(rows, 0.5, rows.shape, rng)
    told = oracle.simulate(owners, trials=1, rng=rng).counts[0] + np.stack([rows - minus, minus], -1)
    unsampled = K * oracle.estimate(Tally(oracle, n * K, told))
    p = np.exp(eps) / (np.exp(eps) + 1)
    yes = binomial(owners, p, owners.shape, rng) + binomial(n - owners, 1 - p, owners.shape, rng)
    every = (yes / n - (1 - p)) / (2 * p - 1)

    def among_candidates(values: Floats) -> int:
        order = largest(mixed(first, candidates, values, 1 - 1 / HELD)[candidates], WANTED)
        return int(np.isin(candidates[order], top).sum())

    return {
        "as written": int(np.isin(largest(estimate, WANTED), top).sum()),
        "list only": among_candidates(second),
        "candidates": int(np.isin(candidates, top).sum()),
        "unsampled": among_candidates(unsampled),
        "every candidate": among_candidates(every),
    }


def _not_padded(people: People, top: Ints, eps: float, rng: np.random.Generator, listed_only: bool) -> dict[str, int]:
    """Count the same without padding in the second phase; items named from the list alone, or from all."""
    half, other = split(people)
    found = {}
    for name, one, two, budget in (("GFIM", half, other, eps), ("LDPMiner-SH", people, people, eps / 2)):
        first = phase_one(one, ITEMS, budget, rng)
        candidates = largest(first, LISTED)
        second = phase_two(two, candidates, budget, rng, any_of_own)
        estimate = mixed(first, candidates, second, 1 - 1 / HELD)
        named = candidates[largest(estimate[candidates], WANTED)] if listed_only else largest(estimate, WANTED)
        found[name] = int(np.isin(named, top).sum())
    return found


def repeat_once(
    kind: str, n: int, repetition: int, people: People | None = None, runs: dict[str, Run] | None = None
) -> list[dict[str, Any]]:
    """Return one row per method: hits among the true top 30 under each of `READINGS`, in one repetition."""
    if people is None or runs is None:
        people = crowd(kind, n, seeded(kind, n, repetition, 0))
        runs = run_both(people, 2.0, seeded(kind, n, repetition, 1))
    rng = seeded(kind, n, repetition, 2)
    top = largest(shares(people), WANTED)
    found = {name: _readings(run, top, 2.0 if name == "GFIM" else 1.0, rng) for name, run in runs.items()}
    others = crowd(kind, n, rng, repeats=True)
    repeats = _not_padded(others, largest(shares(others), WANTED), 2.0, rng, True)
    bare = _not_padded(people, top, 2.0, seeded(kind, n, repetition, 3), False)
    head = {"kind": kind, "n": n, "repetition": repetition}
    return [
        {**head, "method": name, **counts, "no padding": bare[name], "repeats": repeats[name]}
        for name, counts in found.items()
    ]


def eight(repetitions: int) -> pd.DataFrame:
    """Repeat the experiment on all four populations; a row per repetition and method, as `repeat_once` has it."""
    return pd.DataFrame(
        [row for kind, n in SETTINGS for repetition in range(repetitions) for row in repeat_once(kind, n, repetition)]
    )


def repeated(kind: str, n: int, repetition: int) -> list[dict[str, Any]]:
    """Return one row per method: hits as written among people whose items are drawn with repetition."""
    people = crowd(kind, n, seeded(kind, n, repetition, 4), repeats=True)
    top = largest(shares(people), WANTED)
    head = {"kind": kind, "n": n, "repetition": repetition}
    return [
        {**head, "method": name, "repetition alone": int(np.isin(largest(run[-1], WANTED), top).sum())}
        for name, run in run_both(people, 2.0, seeded(kind, n, repetition, 5)).items()
    ]


def repetition_alone(repetitions: int) -> pd.DataFrame:
    """Repeat `repeated` on all four populations."""
    return pd.DataFrame(
        [row for kind, n in SETTINGS for repetition in range(repetitions) for row in repeated(kind, n, repetition)]
    )


# -------------------------------------------------------------------------------------------------- Figs. 5-9 to 5-12

CENSUS_N, ATTRIBUTES, VALUES = 1_000_000, 47, 396  # §4.1
TOPS, GRID = tuple(range(1, 21)), (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
CENSUS_METHODS = (*PHASED, "LDPMiner-RAPPOR", "one phase, S-Hist", "one phase, k-RR")


def census_facts() -> dict[str, Any]:
    """Return how skewed the attributes of the census rows that we have are."""
    rows = datasets.census_sample()
    top = np.array([rows[name].value_counts(normalize=True).iloc[0] for name in rows])
    return {
        "rows": len(rows),
        "attributes": rows.shape[1],
        "values": int(sum(rows[name].nunique() for name in rows)),
        "quartiles": np.quantile(top, (0.25, 0.5, 0.75)).tolist(),
    }


def census(draw: int, n: int = CENSUS_N) -> tuple[People, Ints]:
    """Invent the stand-in number `draw`: one value of each attribute for n people, and the attribute of each item."""
    rng = np.random.default_rng([SEED, 1990, draw])
    sizes = 2 + rng.multinomial(VALUES - 2 * ATTRIBUTES, rng.dirichlet(np.ones(ATTRIBUTES)))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    people = np.empty((ATTRIBUTES, n), np.int16)
    for j, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        tail = np.arange(1, size) ** -1.2
        top = rng.beta(4, 1.3)
        law_of = np.concatenate([[top], (1 - top) * tail / tail.sum()])
        codes = np.searchsorted(np.cumsum(law_of)[:-1], (np.arange(TICKETS) + 0.5) / TICKETS)
        people[j] = (start + codes).astype(np.int16)[rng.integers(0, TICKETS, n, np.uint16)]
    return people, np.repeat(np.arange(ATTRIBUTES), sizes)


def census_once(
    people: People, attributes: Ints, eps: float, tops: Sequence[int], repetition: int
) -> list[dict[str, Any]]:
    """Return precision, candidate recall and relative error of five methods for several k, one repetition."""
    truth, ask = shares(people, VALUES), any_candidate_of(attributes)
    seed = [SEED, round(1000 * eps), repetition]
    rng = np.random.default_rng(seed)
    half, other = split(people)
    first = {"GFIM": phase_one(half, VALUES, eps, rng)}
    first["LDPMiner-SH"] = first["LDPMiner-RAPPOR"] = phase_one(people, VALUES, eps / 2, rng)
    first["one phase, S-Hist"] = phase_one(people, VALUES, eps, rng)
    krr = krr_about(any_item(people, rng), VALUES, ATTRIBUTES, eps, rng)
    first["one phase, k-RR"] = krr.mechanism.estimate(krr)
    rows = []
    for top in tops:
        rng = np.random.default_rng([*seed, top])
        for name in CENSUS_METHODS:
            estimate, candidates = first[name], largest(first[name], 2 * top)
            if name == "GFIM":
                second = phase_two(other, candidates, eps, rng, ask)
                estimate = mixed(estimate, candidates, second, 1 - 1 / ATTRIBUTES)
            elif name == "LDPMiner-SH":
                estimate = mixed(estimate, candidates, phase_two(people, candidates, eps / 2, rng, ask), 1)
            elif name == "LDPMiner-RAPPOR":
                tally = vectors_about(ask(people, candidates, rng), 2 * top, eps / 2, rng)
                second = 2 * top * tally.mechanism.estimate(tally)[0, 1:]
                estimate = mixed(estimate, candidates, second, 1)
            row = {"eps": eps, "k": top, "method": name, "precision": float(precision(truth, estimate, top))}
            row["recall"] = float(np.isin(largest(truth, top), candidates).mean())
            rows.append(row | {"error": float(relative_error(truth, estimate, top))})
    return rows


def census_all(repetitions: int, draws: int) -> pd.DataFrame:
    """Return means and deviations over repetitions, for several stand-ins; ε varies for the first of them alone."""
    summaries = []
    for draw in range(draws):
        people, attributes = census(draw)
        rows = []
        for repetition in range(repetitions):
            rows += census_once(people, attributes, 1.0, TOPS, repetition)
            for eps in GRID if draw == 0 else ():
                rows += census_once(people, attributes, eps, (10,), repetition) if eps != 1.0 else []
        grouped = pd.DataFrame(rows).groupby(["eps", "k", "method"], sort=False)
        parts = [
            grouped.mean().add_suffix(" mean"),
            grouped.std().add_suffix(" sd"),
            grouped.first().add_suffix(" first"),
        ]
        summaries.append(pd.concat(parts, axis=1).reset_index().assign(draw=draw).round(6))
    return pd.concat(summaries, ignore_index=True)


# -------------------------------------------------------------------------------- length of the list, §5.2

LONG = (1.0, 1.5, 2.0, 3.0, 5.0)


def list_run(which: str, people: People, factor: float, repetition: int, attributes: Ints | None = None) -> float:
    """Return the precision of one run of GFIM with a list of so many times k."""
    top, eps, d, held = (WANTED, 2.0, ITEMS, HELD) if which == "Laplace" else (10, 1.0, VALUES, ATTRIBUTES)
    rng = np.random.default_rng([SEED, which == "Laplace", round(2 * factor), repetition])
    half, other = split(people)
    first = phase_one(half, d, eps, rng)
    candidates = largest(first, round(factor * top))
    ask = any_candidate if attributes is None else any_candidate_of(attributes)
    estimate = mixed(first, candidates, phase_two(other, candidates, eps, rng, ask), 1 - 1 / held)
    return float(precision(shares(people, d), estimate, top))


def list_sizes(repetitions: int) -> pd.DataFrame:
    """Return mean precisions of GFIM with lists of one to five times k, on Laplace people and on the first stand-in."""
    rows = []
    for which in ("Laplace", "census"):
        people, attributes = (crowd("Laplace", 500_000, seeded("Laplace", 500_000, 0, 0)), None)
        if which == "census":
            people, attributes = census(0)
        for factor in LONG:
            found = [list_run(which, people, factor, repetition, attributes) for repetition in range(repetitions)]
            row = {"people": which, "factor": factor, "mean": np.mean(found), "sd": np.std(found, ddof=1)}
            rows.append(row | {"first": found[0]})
    return pd.DataFrame(rows)


# -------------------------------------------------------------------------------------------- how long to pad, §3.1

READERS, SHELVES = 10_000, 20  # people, and how many of the most frequent items are looked at
LENGTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 65, 80, 100)
CROWDS = (10_000, 100_000, 1_000_000)


def readers(rng: np.random.Generator) -> Records:
    """Invent 10,000 people with twelve of 1,000 items on average, some items being more popular."""
    sizes = np.minimum(rng.geometric(1 / 12, READERS), ITEMS)
    clocks = rng.exponential(size=(READERS, ITEMS)) / (1 / (np.arange(ITEMS) + 10))
    order = np.argsort(clocks, 1, kind="stable")  # drawn one after another, in proportion to popularity
    users = np.repeat(np.arange(READERS), sizes)
    slots = np.arange(len(users)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return Records.from_arrays(users, order[users, slots], n=READERS)


def padding_errors(make: Any, people: Records) -> pd.DataFrame:
    """Compute the error of the 20 most frequent items for several lengths ℓ, ε = 1, from bias and noise.

    Parameters
    ----------
    make : callable
        Called as ``make(d=1000, ell=ell, epsilon=1.0)``: a mechanism that draws one item of the padded set.
    people : Records

    Returns
    -------
    DataFrame
        Columns ``ell``, ``n`` (people of the same kind) and ``error`` (root mean square).
    """
    share = np.bincount(people.keys, minlength=ITEMS) / len(people)
    top = np.argsort(-share, kind="stable")[:SHELVES]
    inside = np.isin(people.keys, top)
    item, sizes = people.keys[inside], people.sizes[people.users[inside]]
    rows = []
    for ell in LENGTHS:
        mechanism = make(d=ITEMS, ell=ell, epsilon=1.0)
        t = ell / np.maximum(sizes, ell)  # what an item of a set counts for
        p, q = map(float, mechanism.support)
        found = q + t / mechanism.scale * (p - q)
        added = (found * (1 - found) - q * (1 - q)) * mechanism.scale**2 / (p - q) ** 2
        bias, noise = ((np.bincount(item, x, minlength=ITEMS) / len(people))[top] for x in (1 - t, added))
        square, variance = np.mean(bias**2), mechanism.rare_variance + np.mean(noise)
        rows += [{"ell": ell, "n": n, "error": sqrt(square + variance / n)} for n in CROWDS]
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------- nine methods at one exact ε, and baskets

ALL = (
    *("one phase, S-Hist", "one phase, SUE", "LDPMiner-SH", "LDPMiner-RAPPOR", "GFIM as written", "GFIM improved"),
    *("k-RR", "PrivSet", "wheel"),
)
EXACT = (0.5, 1.0, 2.0, 3.0, 4.0)
PRODUCTS, BASKET_LIST = 16_470, 100  # products, and candidates, for the top 50
Kind = type[SampledHadamardBit] | type[SampledSUE]
Protocol = tuple[float, float, int, bool, Kind]


def leftover(kind: Kind, target: float, listed: int, length: int) -> float:
    """Return the ε to send second reports with, so that they spend the target exactly."""

    def spends(eps: float) -> float:
        return float(kind(d=listed, ell=length, epsilon=eps).realised_epsilon) - target

    return float(brentq(spends, target, 31, xtol=1e-12))


def protocols(eps: float, ell: int, listed: int) -> dict[str, Protocol]:
    """Return for each protocol the ε of both phases, padding of the second, whether people are halved, second answer.

    The second phase gets back what it leaves over of the budget, but for GFIM as written.
    """
    short = min(ell, listed)
    bit, half = SampledHadamardBit, eps / 2
    return {
        "LDPMiner-SH": (half, leftover(bit, half, listed, listed), listed, False, bit),
        "LDPMiner-RAPPOR": (half, leftover(SampledSUE, half, listed, listed), listed, False, SampledSUE),
        "GFIM as written": (eps, eps, listed, True, bit),
        "GFIM improved": (eps, leftover(bit, eps, listed, short), short, True, bit),
    }


def exact_spent(eps: float, d: int, ell: int, listed: int) -> dict[str, float]:
    """Return the exact ε of each protocol: the sum of both phases, or the larger of both halves."""
    found = {}
    for name, (one, two, length, halved, kind) in protocols(eps, ell, listed).items():
        first, second = SampledHadamardBit(d=d, ell=ell, epsilon=one), kind(d=listed, ell=length, epsilon=two)
        phases = float(first.realised_epsilon), float(second.realised_epsilon)
        found[name] = max(phases) if halved else sum(phases)
    return found


def second_weight(name: str, one: float, two: float, length: int, ell: int) -> float:
    """Return the weight of the second phase: (3-5) as written, inverse variance if improved, all in LDPMiner."""
    if name != "GFIM improved":
        return 1 - 1 / ell if name == "GFIM as written" else 1.0
    first, second = ((n * (np.exp(eps) + 1) / (np.exp(eps) - 1)) ** 2 for n, eps in ((ell, one), (length, two)))
    return float(first / (first + second))


def _own_candidate(people: People, candidates: Ints, rng: np.random.Generator) -> Ints:
    """Draw the place of one of the person's own items, −1 if it is not on the list: T is padded to 50."""
    place = np.full(ITEMS, -1)
    place[candidates] = np.arange(len(candidates))
    return np.asarray(place[any_item(people, rng)])


def _estimates(name: str, people: People, sets: Records | None, eps: float, rng: np.random.Generator) -> Floats:
    """Run one method on the Laplace people, given as records as well for clients that need whole sets."""
    if name == "one phase, S-Hist":
        return phase_one(people, ITEMS, eps, rng)
    if name == "one phase, SUE":
        tally = vectors_about(any_item(people, rng), ITEMS, eps, rng)
        return np.asarray(HELD * tally.mechanism.estimate(tally)[0, 1:])
    if name == "k-RR":
        tally = krr_about(any_item(people, rng), ITEMS, HELD, eps, rng)
        return np.asarray(tally.mechanism.estimate(tally))
    if name in ("PrivSet", "wheel"):
        return _whole(name, sets, ITEMS, HELD, eps, rng)
    one, two, length, halved, kind = protocols(eps, HELD, LISTED)[name]
    asked, told = split(people) if halved else (people, people)
    first = phase_one(asked, ITEMS, one, rng)
    candidates = largest(first, LISTED)
    if kind is SampledSUE:
        tally = vectors_about(any_candidate(told, candidates, rng), LISTED, two, rng)
        second = LISTED * tally.mechanism.estimate(tally)[0, 1:]
    elif length < LISTED:
        tally = bits_about(_own_candidate(told, candidates, rng), LISTED, two, rng)
        second = HELD * tally.mechanism.estimate(tally)
    else:
        second = phase_two(told, candidates, two, rng)
    return mixed(first, candidates, second, second_weight(name, one, two, length, HELD))


def _whole(name: str, records: Records | None, d: int, ell: int, eps: float, rng: np.random.Generator) -> Floats:
    """Ask for whole sets, in one phase."""
    named = [range(d)] if name == "wheel" else []
    mechanism: Any = Wheel(m=ell, epsilon=eps) if name == "wheel" else PrivSet(d=d, ell=ell, epsilon=eps)
    return np.asarray(mechanism.estimate(mechanism.tally(mechanism.perturb(records, rng=rng), *named)))


def run_of(name: str, people: People, sets: Records | None, eps: float, repetition: int) -> float:
    """Return the precision of one run of one of the nine methods."""
    rng = np.random.default_rng([SEED, ALL.index(name), round(1000 * eps), repetition])
    return float(precision(shares(people), _estimates(name, people, sets, eps, rng), WANTED))


def synthetic_all(repetitions: int) -> pd.DataFrame:
    """Return mean precisions of nine methods on 500,000 Laplace people, at several exact ε."""
    n = 500_000
    people = crowd("Laplace", n, seeded("Laplace", n, 0, 0))
    sets = Records(np.arange(n + 1) * len(people), people.T.ravel().astype(np.int64))
    rows = []
    for eps in EXACT:
        for name in ALL:
            found = [run_of(name, people, sets, eps, repetition) for repetition in range(repetitions)]
            row = {"eps": eps, "method": name, "mean": np.mean(found), "sd": np.std(found, ddof=1)}
            rows.append(row | {"first": found[0]})
    return pd.DataFrame(rows)


def two_phases(records: Records, d: int, ell: int, eps: float, name: str, rng: np.random.Generator) -> Floats:
    """Run a protocol on sets of any size, by the package's clients."""
    one, two, length, halved, kind = protocols(eps, ell, BASKET_LIST)[name]
    asked, told = halves(records, rng) if halved else (records, records)
    phase1 = SampledHadamardBit(d=d, ell=ell, epsilon=one)
    first = phase1.estimate(phase1.tally(phase1.perturb(asked, rng=rng)))
    candidates = largest(first, BASKET_LIST)
    phase2 = kind(d=BASKET_LIST, ell=length, epsilon=two)
    second = phase2.estimate(phase2.tally(phase2.perturb(restrict(told, candidates), rng=rng)))
    return mixed(first, candidates, second, second_weight(name, one, two, length, ell))


def basket_run(records: Records, d: int, ell: int, eps: float, name: str, rng: np.random.Generator) -> Floats:
    """Run one of the nine methods on baskets."""
    if name in protocols(eps, ell, BASKET_LIST):
        return two_phases(records, d, ell, eps, name, rng)
    if name in ("PrivSet", "wheel"):
        return _whole(name, records, d, ell, eps, rng)
    if name == "one phase, SUE":  # a bit for each product: count what is drawn, then simulate, as above
        drawn = pad_and_sample(records, d, ell, rng)[0]
        tally = vectors_about(np.where(drawn < d, drawn, -1), d, eps, rng)
        return np.asarray(ell * tally.mechanism.estimate(tally)[0, 1:])
    mechanism: Any = (SampledGRR if name == "k-RR" else SampledHadamardBit)(d=d, ell=ell, epsilon=eps)
    return np.asarray(mechanism.estimate(mechanism.tally(mechanism.perturb(records, rng=rng))))


def basket_row(
    records: Records, ell: int, eps: float, name: str, repetitions: int, d: int = PRODUCTS
) -> dict[str, Any]:
    """Count how many of the true top 50, and of the true top 30, a method names: mean and deviation of single runs."""
    share = np.bincount(records.keys, minlength=d) / len(records)
    found = []
    for repetition in range(repetitions):
        rng = np.random.default_rng([SEED, ell, round(eps), ALL.index(name), repetition])
        estimate = basket_run(records, d, ell, eps, name, rng)
        found.append([int(np.isin(largest(estimate, k), largest(share, k)).sum()) for k in (50, 30)])
    (fifty, thirty), (fifty_sd, thirty_sd) = np.mean(found, 0), np.std(found, 0, ddof=1)
    row = {"ell": ell, "eps": eps, "method": name, "mean": fifty, "sd": fifty_sd}
    return row | {"thirty": thirty, "thirty sd": thirty_sd}


def baskets(repetitions: int, lengths: Sequence[int]) -> pd.DataFrame:
    """Run nine methods on 88,162 baskets of a supermarket, for several padding lengths and ε."""
    records = datasets.retail()
    return pd.DataFrame(
        [basket_row(records, ell, eps, name, repetitions) for ell in lengths for eps in (1.0, 2.0, 4.0) for name in ALL]
    )


def basket_facts() -> dict[str, Any]:
    """Return how many baskets there are, their sizes, and the shares of some products."""
    records = datasets.retail()
    share = np.sort(np.bincount(records.keys, minlength=PRODUCTS) / len(records))[::-1]
    return {
        "baskets": len(records),
        "mean": float(records.sizes.mean()),
        "percentile": int(np.percentile(records.sizes, 90)),
        "largest": int(records.sizes.max()),
        "shares": share[[0, 4, 9, 49]].tolist(),
    }
