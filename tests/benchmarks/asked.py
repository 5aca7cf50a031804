"""How much is gained by dividing by the number of people who were asked, with real clients: a table, in minutes.

``PYTHONPATH=. python tests/benchmarks/asked.py [surveys]`` prints, for people of whom a share f have what is asked for:
n times the variance of the linear estimate and of that of those who were asked, as stated for N = n/L; the second one
as found in surveys by real clients, over its exact variance given the numbers asked; the squared standard errors over
the same (about a population where values are no shares); and how often intervals at 95 % about a population and about
these people hold the truth.  The last table is `Blocks.tables` against `Blocks.pair_tables`, for evenly spread people.
Five minutes of one core for the usual 400 surveys a line.
"""

import sys
from functools import partial

import numpy as np

from ldpnb import (
    GRR,
    OUE,
    Blocks,
    DrawnAttributes,
    HarmonyFrequency,
    HarmonyMean,
    PairSampling,
    PrivKV,
    Records,
    SampledHybrid,
    StateEncoding,
    SubsetSelection,
)

Z = 1.959963984540054


def records(d, f, n, rng):
    """People of whom a share f hold each key, with values 1."""
    held = rng.random((n, d)) < f
    return Records(np.concatenate([[0], np.cumsum(held.sum(1))]), np.nonzero(held)[1], np.ones(int(held.sum())))


def attributes(sizes, f, n, rng):
    """People of whom a share f have the value 0 of each attribute, and the others any other one."""
    return np.stack([np.where(rng.random(n) < f, 0, rng.integers(1, size, n)) for size in sizes], 1)


def rows():
    """Name, mechanism, f, people, and a function that draws them."""
    for d, k, epsilon, f, n in [
        (3, 2, 1.0, 0.5, 600),
        (10, 2, 1.0, 0.5, 2000),
        (7, 3, 0.6, 0.7, 3000),
        (5, 5, 3.0, 0.5, 2000),
        (20, 4, 4.0, 0.8, 2000),
        (10, 2, 0.5, 0.1, 1000),
    ]:
        draw = partial(attributes, (k,) * d, f)
        yield f"drawn, k-RR d={d} k={k}", DrawnAttributes.of((k,) * d, GRR, epsilon), f, n, draw
        yield f"Harmony d={d} k={k}", HarmonyFrequency(sizes=(k,) * d, epsilon=epsilon), f, n, draw
    pairs = DrawnAttributes.of((2,) * 6, partial(SubsetSelection, size=1), 2.0, 2)
    yield "drawn pairs d=6 k=2", pairs, 0.6, 3000, partial(attributes, (2,) * 6, 0.6)
    for d, epsilon, f in [(4, 1.0, 0.8), (9, 3.0, 0.5), (20, 2.0, 0.9)]:
        numbers = partial(lambda mean, d, n, rng: np.clip(rng.normal(mean, 0.1, (n, d)), -1, 1), f, d)
        yield f"Harmony, numbers d={d}", HarmonyMean(d=d, epsilon=epsilon), f, 3000, numbers
        yield f"Hybrid, numbers d={d}", SampledHybrid(d=d, epsilon=epsilon), f, 3000, numbers
        keys = partial(records, d, f)
        yield f"SE d={d}", StateEncoding(d=d, epsilon=epsilon), f, 3000, keys
        yield f"PrivKV d={d}", PrivKV.tight_split(d, epsilon), f, 3000, keys
    named = tuple("abcde")
    yield "pairs of keys d=5", PairSampling.of(named, OUE, 2.0), 0.6, 3000, partial(records, 5, 0.6)


def gains(surveys):
    """Print a line for each mechanism: of the first entry that is about what a share f have."""
    head = f"{'mechanism':24}{'ε':>6}{'f':>5}{'n':>6}{'L':>5}{'linear':>9}{'asked':>9}{'gain':>6}"
    print(head + "   found/exact  errors²/exact  covered: population, people")
    for name, mechanism, f, n, draw in rows():
        rng = np.random.default_rng(0)
        values, times = draw(n, rng), round(1 / mechanism.asked)
        expected = mechanism.expected(values)
        entry = np.unravel_index(int(expected.mean(0).argmax()), expected.shape[1:])
        truth, equal = expected.mean(0)[entry], max(1, round(n * mechanism.asked))
        linear = mechanism.variance(values).mean(0)[entry]
        stated = n * mechanism.variance_of_asked(values, equal)[entry]
        ratio, errors, covered = [], [], [[], []]
        for _ in range(surveys):
            tally = mechanism.tally(mechanism.perturb(values, rng=rng))
            exact = mechanism.variance_of_asked(values, mechanism.numbers_asked(tally))[entry]
            found = mechanism.estimate_of_asked(tally)[entry]
            ratio.append((found - truth) ** 2 / exact)
            for about in (False, True)[: 1 + mechanism.shares]:
                error = mechanism.standard_error_of_asked(tally, people=about)[entry]
                covered[about].append(abs(found - truth) < Z * error)
                if about == mechanism.shares:
                    sample = 0 if about else expected.var(0)[entry] / (n - 1)  # of people from a population
                    errors.append(error**2 / (exact + sample))
        blur = np.std(ratio) / np.sqrt(surveys)
        cover = [f"{np.mean(one):.3f}" if one else "–" for one in covered]
        shown = f"{name:24}{mechanism.epsilon:6g}{f:5g}{n:6d}{times:5d}{linear:9.3f}{stated:9.3f}{linear / stated:6.2f}"
        print(
            f"{shown}   {np.mean(ratio):.3f} ± {blur:.3f}   {np.mean(errors):12.3f}   {cover[0]}, {cover[1]}",
            flush=True,
        )


def blocks(surveys):
    """Print a line for each size: n times the mean squared error of a cell of a pair, found and exact given draws."""
    print("\nblocks                     tables, exact   pair_tables, exact   gain   found/exact of both")
    for d, k, size, epsilon, n in [
        (4, 3, 3, 3.0, 2000),
        (6, 2, 2, 0.7, 2000),
        (8, 3, 2, 1.5, 4000),
        (5, 4, 3, 4.0, 3000),
    ]:
        rng, survey = np.random.default_rng(1), Blocks(sizes=(k,) * d, size=size, epsilon=epsilon)
        values = rng.integers(k, size=(n, d))
        truth = np.zeros((k, k))
        np.add.at(truth, (values[:, 0], values[:, 1]), 1 / n)
        found, stated = [], []
        for _ in range(surveys):
            tally = survey.tally(survey.perturb(values, rng=rng))
            drawn = tally.counts.sum(1)
            both = survey.tables(tally, [(0, 1)]).tables[0], survey.pair_tables(tally, [(0, 1)]).tables[0]
            exact = survey.pooled_variance(drawn, (0, 1), truth), survey.pair_tables_variance(drawn, (0, 1), truth)
            found.append([n * np.square(one - truth).mean() for one in both])
            stated.append([n * one.mean() for one in exact])
        (first, second), ratio = np.mean(stated, 0), np.array(found) / np.array(stated)
        blur = ratio.std(0) / np.sqrt(surveys)
        told = ", ".join(f"{x:.3f} ± {b:.3f}" for x, b in zip(ratio.mean(0), blur, strict=True))
        print(
            f"d={d} k={k} of {size}, ε={epsilon:g}{first:20.3f}{second:21.3f}{first / second:7.2f}   {told}", flush=True
        )


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    gains(count)
    blocks(count)
