"""How often intervals cover when the same people report several times; recorded for the book.

A row is a question, how many people answer it how often, and how their answers go on: ``static`` (nobody's changes),
``moving`` (shares stay, people change), ``uneven`` (numbers of reports from 1 to 2T − 1, whatever the answers).  Real
clients answer some hundreds of surveys, people drawn anew for each.  Counted is how often 95 % intervals of one label
hold what they are about:

- ``alone``: the population, if reports are taken for people: the control;
- ``rounds``: the population, with the rounds said;
- ``people``: these people's mean over reports;
- ``slope, people`` and ``slope, same``: the slope over the rounds as waves, about these people and the population;
- ``change, new``: from the first wave to the last, if people are new each time.

The last rows are `decode` of sums of RAPPOR reports, about these people.

usage: python tests/benchmarks/repeating.py [surveys]    records book/recorded/repeated.json
       python tests/benchmarks/repeating.py again        records book/recorded/repeated.again.json: 3,000 surveys
                                                         of other people for the row with the lowest slope
"""

import sys
import time
from zlib import crc32

import numpy as np
import pandas as pd

from ldpnb import RAPPOR, Number, OneOf, Ratings, Strings, Waves, YesNoTable, decode, pool_waves
from ldpnb_book.experiment import record, recorded

NAME = "repeated"
KEY = ["question", "epsilon", "people", "rounds", "answers"]
COLUMNS = [*KEY, "surveys", "alone", "rounds said", "people held", "slope, people", "slope, same", "change, new"]


class OneLabel:
    """Yes or no, among k labels, or as a string: share of the first label."""

    def __init__(self, kind, epsilon, share, k=2):
        self.share, self.kind, self.k = share, kind, k
        if kind == "Strings":
            self.asked = Strings(epsilon=epsilon)
        else:
            self.asked = OneOf([f"c{i}" for i in range(k)], epsilon=epsilon)
        self.more = (["c0", "c1"],) if kind == "Strings" else ()
        self.truth = share

    def values(self, u):
        """Answers of people with these uniform numbers."""
        rest = 1 + np.minimum(((u - self.share) / (1 - self.share) * (self.k - 1)).astype(int), self.k - 2)
        return [f"c{i}" for i in np.where(u < self.share, 0, rest)]

    def held(self, u):
        """What each contributes to the truth about these people."""
        return (u < self.share).astype(float)

    def row(self, result):
        """The row that is looked at."""
        return result["c0"]

    def series(self, results):
        """Results of which waves are made."""
        return results


class ANumber(OneLabel):
    """A number from 0 to 10: at both ends, or anywhere."""

    def __init__(self, epsilon, ends):
        self.asked, self.more, self.ends = Number(0, 10, epsilon=epsilon), (), ends
        self.truth = 3.0 if ends else 5.0

    def values(self, u):
        return self.held(u)

    def held(self, u):
        return np.where(u < 0.3, 10.0, 0.0) if self.ends else 10 * u

    def row(self, result):
        return result["mean"]


class Table(OneLabel):
    """Yes or no in several columns, of which some are asked: share of the first."""

    def __init__(self, epsilon, share, d, pairs=False):
        self.share, self.truth, self.d, self.more = share, share, d, ()
        self.asked = YesNoTable([f"c{i}" for i in range(d)], epsilon=epsilon, pairs=pairs)

    def values(self, u):
        return np.stack([u < self.share, *[(u * 997 * (j + 2)) % 1 < 0.5 for j in range(self.d - 1)]], 1)


class Rated(OneLabel):
    """Ratings of two items: share of those who rate the first."""

    def __init__(self, epsilon, share, mean=False):
        self.share, self.more, self.of_mean = share, (), mean
        self.asked = Ratings(["c0", "c1"], 1, 5, most=1, epsilon=epsilon)
        self.truth = 4.0 if mean else share  # of those who rate, half say 5 and half 3

    def values(self, u):
        return [{"c0": 5 if x < self.share / 2 else 3} if x < self.share else {"c1": 2} for x in np.asarray(u).tolist()]

    def held(self, u):
        return (
            np.where(u < self.share, np.where(u < self.share / 2, 5.0, 3.0), np.nan) if self.of_mean else u < self.share
        )

    def row(self, result):
        return result["c0"].mean if self.of_mean else result["c0"].share

    def series(self, results):
        return [one.means if self.of_mean else one.shares for one in results]


def cells():
    """Name, question, people, rounds, and how answers go on."""
    two = [(1.0, 500, 4), (4.0, 500, 4), (4.0, 2000, 12), (2.0, 150, 6)]
    for answers in ("static", "moving", "uneven"):
        for epsilon, n, rounds in two:
            yield "OneOf, k = 2, share .3", OneLabel("OneOf", epsilon, 0.3), n, rounds, answers
    for epsilon, n, rounds, share in ((4.0, 500, 4, 0.02), (4.0, 150, 12, 0.01), (2.0, 300, 6, 0.05)):
        yield f"OneOf, k = 20, share {share}", OneLabel("OneOf", epsilon, share, 20), n, rounds, "static"
    yield "Strings, share .3", OneLabel("Strings", 4.0, 0.3), 500, 4, "static"
    yield "Number, both ends", ANumber(4.0, True), 500, 4, "static"
    yield "Number, both ends", ANumber(1.0, True), 500, 4, "static"
    yield "Number, anywhere", ANumber(4.0, False), 500, 4, "static"
    for epsilon, share, d, n, rounds in ((4.0, 0.3, 3, 600, 4), (4.0, 0.05, 3, 600, 4), (1.0, 0.3, 3, 600, 4)):
        yield f"YesNoTable, {d} columns, share {share}", Table(epsilon, share, d), n, rounds, "static"
    yield "YesNoTable, pairs, share .3", Table(4.0, 0.3, 3, pairs=True), 600, 4, "static"
    yield "Ratings, share .3", Rated(4.0, 0.3), 500, 4, "static"
    yield "Ratings, mean of 5 and 3", Rated(4.0, 0.5, mean=True), 500, 4, "static"


def reports_of(answers, n, rounds, rng):
    """Uniform numbers of those who take part in each round."""
    u = rng.random(n)
    if answers == "uneven":  # whoever takes part is decided before anything is said
        times = rng.integers(1, 2 * rounds, n)
        return [u[times > t] for t in range(2 * rounds - 1)], (times**2).sum() / times.sum()
    moved = [0.7 * rng.random(n) if answers == "moving" else 0.0 for _ in range(rounds)]
    return [(u + move) % 1 for move in moved], rounds


def run(name, cell, n, rounds, answers, surveys, *again):
    """Answer the surveys of one row; `again`, those of other people."""
    key = name, cell.asked.epsilon, n, rounds, answers
    rng = np.random.default_rng(crc32(repr((*key, *again)).encode()))
    hit = {column: [] for column in COLUMNS[6:]}

    def note(column, entry, truth):
        hit[column].append(bool(entry.low <= truth <= entry.high))

    for _ in range(surveys):
        each, r = reports_of(answers, n, rounds, rng)
        each = [u for u in each if len(u)]
        ask = cell.asked
        tallies = [ask.tally(ask.perturb(cell.values(u), rng=rng), *cell.more, wave=f"{t}") for t, u in enumerate(each)]
        whole = pool_waves(tallies)
        here = float(np.nanmean(np.concatenate([cell.held(u) for u in each])))
        note("alone", cell.row(ask.estimate(whole, rounds=1)), cell.truth)
        note("rounds said", cell.row(ask.estimate(whole, rounds=r)), cell.truth)
        note("people held", cell.row(ask.estimate(whole, rounds=r, people=True)), here)
        if answers == "uneven":
            continue
        t = np.arange(rounds) - (rounds - 1) / 2
        slope = float(t / (t @ t) @ [np.nanmean(cell.held(u)) for u in each])
        for column, people, truth in (("slope, people", True, slope), ("slope, same", False, 0.0)):
            if not people and isinstance(cell, Rated) and cell.of_mean:
                continue
            waves = Waves(cell.series([ask.estimate(one, people=people) for one in tallies]), same=True)
            note(column, waves.slope(waves.labels[0]), truth)
        fresh = []
        for week in ("a", "b"):
            fresh.append(ask.tally(ask.perturb(cell.values(rng.random(n)), rng=rng), *cell.more, wave=week))
        waves = Waves(cell.series([ask.estimate(one) for one in fresh]), same=False)
        note("change, new", waves.change(waves.labels[0]), 0.0)
    held = [round(float(np.mean(hit[column])), 4) if hit[column] else -1.0 for column in COLUMNS[6:]]
    return [*key, surveys, *held]


def run_rappor(n, rounds, surveys):
    """Decode sums of reports from one state a person."""
    mechanism = RAPPOR(bits=16, hashes=1, cohorts=8, f=0.5, p=0.25, q=0.75)
    items = ["a", "b", "c", "d"]
    key = "decode of RAPPOR, share .3", round(mechanism.epsilon, 3), n, rounds, "one state"
    rng = np.random.default_rng(crc32(repr(key).encode()))
    alone, said = [], []
    for _ in range(surveys):
        words = np.array(items)[rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])]
        kept = mechanism.memoise(words.tolist(), rng=rng)
        tally = sum(mechanism.tally(mechanism.respond(kept, rng=rng)) for _ in range(rounds))
        truth = float(np.mean(words == "b"))
        for into, r in ((alone, 1), (said, rounds)):
            found = decode(tally, items, others=False, rounds=r)
            into.append(abs(found.share[1] - truth) < 1.96 * found.error[1])
    return [*key, surveys, round(float(np.mean(alone)), 4), -1.0, round(float(np.mean(said)), 4), -1.0, -1.0, -1.0]


def main(surveys):
    """Run all rows, and record after each."""
    rows = []
    provenance = {
        "level": 0.95,
        "clients": "real; people drawn anew for each survey; -1: does not apply",
        "decode": "about these people: people held with rounds, alone without",
    }
    began = time.monotonic()
    jobs = [lambda x=x: run(*x, surveys) for x in cells()]
    jobs += [lambda x=x: run_rappor(*x, surveys) for x in ((4000, 1), (4000, 8))]
    for job in jobs:
        rows.append(job())
        record(NAME, pd.DataFrame(rows, columns=COLUMNS), provenance=provenance)
        print(*rows[-1], f"{time.monotonic() - began:.0f} s", flush=True)


def once_more(surveys=3000):
    """Run the row whose slopes held least with other people, to tell chance from a fault."""
    rows = recorded(NAME)
    lowest = rows[rows["slope, people"] >= 0].sort_values("slope, people").iloc[0]
    asked = tuple(lowest[name] for name in ("question", "people", "rounds", "answers"))
    (row,) = [
        run(*cell, surveys, "again")
        for cell in cells()
        if (cell[0], *cell[2:]) == asked and cell[1].asked.epsilon == lowest["epsilon"]
    ]
    provenance = {"level": 0.95, "clients": "real; people drawn anew for each survey", "why": "the lowest slope, again"}
    record(f"{NAME}.again", pd.DataFrame([row], columns=COLUMNS), provenance=provenance)
    print(*row)


if __name__ == "__main__" and sys.argv[1:] == ["again"]:
    once_more()
elif __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
