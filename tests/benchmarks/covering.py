"""How often printed intervals cover, survey by survey; recorded for the book and for the tests.

A cell is a question, a population, a number of people and an ε.  Real clients answer some hundreds of surveys, people
drawn anew for each.  Counted is how often an interval covers, each alone and all together, about the population and
about these very people.  Cells that were worst with normal intervals come first.  What is recorded already is not run
again, so that a run may be stopped at any time; delete book/recorded/coverage.json to begin anew.

usage: python tests/benchmarks/covering.py [minutes]
       python tests/benchmarks/covering.py again    3,000 surveys of other people for each cell with a share more than
                                                    two standard errors below 95 %: book/recorded/coverage.again.json
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from ldpnb.asked import AsksSome
from ldpnb.core import OpenMechanism
from ldpnb.records import Records
from ldpnb.survey import Number, OneOf, Ratings, YesNoTable
from ldpnb_book.experiment import record, recorded

SURVEYS = 500
NAME = "coverage"
CLOSE = 1e-12  # of ends to what they cover, for rounding
KEY = ["question", "population", "epsilon", "n"]
COLUMNS = [*KEY, "mechanism", "about", "surveys", "alone", "least", "together", "empty told"]


@dataclass(frozen=True)
class Cell:
    """A question, and whom it is asked.

    ``draw(rng)`` returns values of the mechanism and what is true of these people; ``truth`` is true of the population.
    Entries that are NaN have no truth, such as the mean of an item that nobody rates.
    """

    question: str
    population: str
    epsilon: float
    n: int
    asked: Any
    draw: Callable[[np.random.Generator], tuple[Any, np.ndarray]]
    truth: np.ndarray
    people: bool = True

    @property
    def key(self):
        """What a row of the record is found by."""
        return self.question, self.population, float(self.epsilon), self.n


# ------------------------------------------------------------------------------------------------- questions


def shape(population, k):
    """Shares of k categories."""
    share = {
        "uniform": np.ones(k),
        "Zipf": 1 / np.arange(1, k + 1),
        "half empty": np.arange(k) < (k + 1) // 2,
        "one has all": np.arange(k) < 1,
    }[population].astype(float)
    return share / share.sum()


def categories(population, k, epsilon, n):
    """One of k categories."""
    share = shape(population, k)

    def draw(rng):
        values = rng.choice(k, n, p=share)
        return values, np.bincount(values, minlength=k) / n

    asked = OneOf([f"c{i}" for i in range(k)], epsilon=epsilon)
    return Cell(f"OneOf, k = {k}", population, epsilon, n, asked, draw, share)


def table(population, d, epsilon, n, pairs=False):
    """A table of d yes-or-no columns, and their pairs."""
    share = {
        "half yes": np.full(d, 0.5),
        "rare": np.full(d, 0.02),
        "none and all": np.arange(d) % 2.0,
        "mixed": np.linspace(0.05, 0.9, d),
    }[population]
    both = [(i, j) for i in range(d) for j in range(i)] if pairs else []

    def draw(rng):
        rows = rng.random((n, d)) < share
        return rows.astype(np.int64), np.append(rows.mean(0), [(rows[:, i] & rows[:, j]).mean() for j, i in order])

    order = sorted((j, i) for i, j in both)
    truth = np.append(share, [share[i] * share[j] for j, i in order])
    asked = YesNoTable([f"c{i}" for i in range(d)], epsilon=epsilon, pairs=pairs)
    name = f"YesNoTable, {d} columns" + (" and pairs" if pairs else "")
    return Cell(name, population, epsilon, n, asked, draw, truth)


def ratings(population, d, most, epsilon, n):
    """Ratings of up to `most` of d items, one of each part of the list."""
    part = np.arange(d) % most
    weight = {"uniform": np.ones(d), "Zipf": 1 / np.arange(1, d + 1), "one has all": np.arange(d) < 1}[population]
    share = np.zeros(d)
    for one in range(most):
        total = weight[part == one].sum()
        share[part == one] = weight[part == one] / max(total, 1e-9) * (1 if population == "one has all" else 0.8)
    high = np.array([1.0, 0.9, 0.5, 0.2])[np.arange(d) % 4]  # chance of the better of two ratings

    def draw(rng):
        held = np.zeros((n, d), bool)
        for one in range(most):
            items = np.flatnonzero(part == one)
            ends = np.cumsum(share[items])
            drawn = np.searchsorted(ends, rng.random(n), side="right")
            held[np.flatnonzero(drawn < len(items)), items[drawn[drawn < len(items)]]] = True
        user, item = np.nonzero(held)
        value = np.where(rng.random(len(user)) < high[item], 1.0, -0.5)
        count = held.sum(0)
        mean = np.bincount(item, value, d) / np.where(count, count, np.nan)
        return Records.from_arrays(user, item, value, n=n), np.append(held.mean(0), mean)

    mean = np.where(share > 0, 1.5 * high - 0.5, np.nan)
    asked = Ratings([f"i{j}" for j in range(d)], -1, 1, most, epsilon=epsilon)
    return Cell(f"Ratings, {most} of {d}", population, epsilon, n, asked, draw, np.append(share, mean))


def number(population, epsilon, n):
    """One number."""
    draws = {
        "upper end": lambda rng: np.ones(n),
        "lower end": lambda rng: -np.ones(n),
        "middle": lambda rng: np.zeros(n),
        "near an end": lambda rng: np.full(n, 0.9),
        "both ends": lambda rng: rng.choice([-1.0, 1.0], n),
        "few at the other end": lambda rng: rng.choice([-1.0, 1.0], n, p=[0.05, 0.95]),
        "skewed": lambda rng: rng.beta(2, 8, n) * 2 - 1,
    }
    truth = {"upper end": 1, "lower end": -1, "middle": 0, "near an end": 0.9, "both ends": 0}
    mean = truth.get(population, {"few at the other end": 0.9, "skewed": -0.6}.get(population))

    def draw(rng):
        return draws[population](rng), np.array([np.nan])

    asked = Number(-1, 1, epsilon=epsilon)
    return Cell("Number", population, epsilon, n, asked, draw, np.array([float(mean)]), people=False)


# ------------------------------------------------------------------------------------------------- all cells


def cells():
    """All cells, those first that were worst with normal intervals."""
    worst = [
        *(categories("half empty", k, e, n) for k, e, n in ((100, 4, 300), (100, 4, 1000), (30, 4, 200), (5, 4, 50))),
        *(ratings("one has all", 20, 2, 5, n) for n in (100, 300, 1000)),
        *(ratings("one has all", 6, 2, 4, n) for n in (100, 300)),
        *(table("mixed", d, e, 50) for d, e in ((3, 1), (8, 4))),
        *(number(where, 4, 50) for where in ("upper end", "lower end", "near an end", "both ends", "skewed")),
    ]
    few = [
        *(table(p, d, e, 50) for p, d, e in product(("half yes", "rare", "none and all"), (3, 8), (0.5, 1, 2, 4))),
        *(
            number(where, e, n)
            for n, where, e in product(
                (50, 300), ("upper end", "middle", "both ends", "few at the other end", "skewed"), (0.2, 0.5, 1, 2, 4)
            )
        ),
        *(ratings(p, d, m, e, n) for p, (d, m, e), n in product(("Zipf", "one has all"), RATED, (50, 300))),
    ]
    grid = [
        categories(p, k, e, n)
        for n, k, e, p in product((50, 300, 3000, 20_000), (2, 5, 100), (0.2, 1, 4), ("uniform", "Zipf", "half empty"))
    ]
    more = [
        *(table("mixed", 3, e, n, pairs=True) for e, n in product((1, 4), (50, 3000))),
        *(table("mixed", 8, e, n) for e, n in product((1, 4), (1000, 20_000))),
        *(ratings(p, 6, 2, e, 5000) for p, e in product(("Zipf", "one has all"), (1, 4))),
        *(number("skewed", e, 20_000) for e in (0.5, 4)),
    ]
    found = {cell.key: cell for cell in [*worst, *few, *grid, *more]}
    return list(found.values())


RATED = ((20, 2, 5), (6, 2, 4), (20, 1, 4), (5, 3, 2))


def ends(result):
    """The lower and the upper ends of a result, and whether each row is a share."""
    parts = [result.shares, result.means] if hasattr(result, "shares") else [result]
    low, high = (np.concatenate([getattr(part, end) for part in parts]) for end in ("low", "high"))
    return low, high, np.concatenate([np.full(len(part), part.what == "share") for part in parts])


def answered(cell, m, items, rng):
    """Draw people until there is a survey with a result: of a table, two people must be asked about each column."""
    while True:
        values, own = cell.draw(rng)
        tally = m.tally(m.perturb(values, rng=rng), *items)
        some = isinstance(m, AsksSome) and isinstance(cell.asked, YesNoTable)
        if not some or m.numbers_asked(tally).min() >= 2:
            return tally, own


def run(cell, surveys=SURVEYS, *again):
    """Answer the surveys of one cell: a row about the population, and one about these people; `again`, of others."""
    rng = np.random.default_rng(crc32(repr((*cell.key, *again) if again else cell.key).encode()))
    m = cell.asked.mechanism
    items = (range(len(cell.asked.items)),) if isinstance(m, OpenMechanism) else ()
    kinds = ("population", "these people") if cell.people else ("population",)
    covered = {about: [] for about in kinds}
    at_once = {about: [] for about in kinds}
    told = {about: [] for about in kinds}
    for _ in range(surveys):
        tally, own = answered(cell, m, items, rng)
        for about in kinds:
            truth = cell.truth if about == "population" else own
            known = ~np.isnan(truth)
            for together in (False, True):
                people = about != "population"
                low, high, shares = ends(cell.asked.estimate(tally, people=people, together=together))
                hit = (low <= truth + CLOSE) & (truth - CLOSE <= high)
                if together:
                    at_once[about].append(bool(np.all(hit[known])))
                else:
                    covered[about].append(np.where(known, hit, np.nan))
                    empty = shares & (truth == 0)
                    told[about].append(float(np.mean(low[empty] > CLOSE)) if empty.any() else np.nan)
    rows = []
    for about in kinds:
        each = np.array(covered[about])
        times = np.sum(~np.isnan(each), 0)
        often = np.nansum(each, 0)[times > surveys / 2] / times[times > surveys / 2]
        wrong = np.array(told[about])
        rows.append(
            {
                **dict(zip(KEY, cell.key, strict=True)),
                "mechanism": m.label or type(m).__name__,
                "about": about,
                "surveys": surveys,
                "alone": round(float(often.mean()), 4),
                "least": round(float(often.min()), 4),
                "together": round(float(np.mean(at_once[about])), 4),
                "empty told": round(float(np.nanmean(wrong)), 4) if np.any(~np.isnan(wrong)) else -1.0,
            }
        )
    return rows


def main(minutes):
    """Run what is missing, and record after each cell."""
    try:
        rows = recorded(NAME).to_dict("records")
    except FileNotFoundError:
        rows = []
    done = {tuple(row[name] for name in KEY) for row in rows}
    stop = time.monotonic() + 60 * minutes
    provenance = {"level": 0.95, "clients": "real; people drawn anew for each survey"}
    for cell in cells():
        if cell.key in done:
            continue
        if time.monotonic() > stop:
            break
        began = time.monotonic()
        rows += run(cell)
        record(NAME, pd.DataFrame(rows, columns=COLUMNS), provenance=provenance)
        last = rows[-1]
        print(*cell.key, *(f"{last[name]:.3f}" for name in ("alone", "least", "together")), end="")
        print(f"  {time.monotonic() - began:.0f} s", flush=True)


def once_more(surveys=3000):
    """Run cells that seem to hold too rarely with other people, to tell chance from a fault."""
    rows = recorded(NAME)
    low = 0.95 - 2 * np.sqrt(0.95 * 0.05 / rows["surveys"])
    doubtful = rows[(rows["alone"] < low) | (rows["together"] < low)]
    keys = {tuple(row[name] for name in KEY) for row in doubtful.to_dict("records")}
    found = [row for cell in cells() if cell.key in keys for row in run(cell, surveys, "again")]
    provenance = {"level": 0.95, "clients": "real; people drawn anew for each survey", "why": "the lowest, again"}
    record(f"{NAME}.again", pd.DataFrame(found, columns=COLUMNS), provenance=provenance)
    print(pd.DataFrame(found).to_string())


if __name__ == "__main__" and sys.argv[1:] == ["again"]:
    once_more()
elif __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1e9)
