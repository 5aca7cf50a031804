"""How often intervals of contrasts and differences cover, beside those of errors that are added; recorded for the book.

A row is a question, what is compared, a population, a number of people and an ε.  Real clients
answer some hundreds of surveys, people drawn anew for each.  Counted is how often the 95 % interval
of `Result.contrast` or `difference` covers, and how often that of the root of the squared printed
errors does (hypot), which is what people take who do not know better.  "ratio" is the root mean
square of the stated errors over the standard deviation of the estimates: 1 is right, and a bound
may be larger.  The last rows are about `same_everywhere`: how often a test at 5 % does not reject
groups that are the same.  What is recorded already is not run again; delete
book/recorded/contrasts.json to begin anew.

usage: python tests/benchmarks/comparing.py [minutes]
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from ldpnb.attributes import DrawnAttributes
from ldpnb.keyvalue import PCKVUE, StateEncoding, WheelKV
from ldpnb.oracles import GRR, OUE
from ldpnb.survey import (
    Number,
    OneOf,
    Ratings,
    Strings,
    Survey,
    YesNoTable,
    difference,
    same_everywhere,
)
from ldpnb_book.experiment import record, recorded

SURVEYS = 400
NAME = "contrasts"
KEY = ["asked", "compared", "population", "epsilon", "n"]
COLUMNS = [*KEY, "mechanism", "surveys", "covers", "hypot", "ratio"]
Z = 1.959964
LABELS = ["detractor", "passive", "promoter"]
NPS = {"promoter": 1, "detractor": -1}
SHAPES = {"even": [1, 1, 1], "skewed": [0.2, 0.3, 0.5], "rare": [0.02, 0.9, 0.08]}
FIVE = {"even": [1] * 5, "skewed": [0.4, 0.25, 0.15, 0.15, 0.05], "rare": [0.02, 0.9, 0.05, 0.02, 0.01]}


@dataclass(frozen=True)
class Row:
    """What is compared: `draw(rng)` is a contrast, the rows it is made of with weights, and the truth."""

    asked: str
    compared: str
    population: str
    epsilon: float
    n: int
    mechanism: str
    draw: Callable[[np.random.Generator], tuple[Any, list[tuple[float, Any]], float]]

    @property
    def key(self):
        """What a row of the record is found by."""
        return self.asked, self.compared, self.population, float(self.epsilon), self.n


def label(question):
    """Name a question's mechanism."""
    return question.mechanism.label or type(question.mechanism).__name__


def answered(question, values, rng, **more):
    """Estimate from real clients."""
    return question.estimate(question.tally(question.perturb(values, rng=rng)), **more)


# ------------------------------------------------------------------------------------------------ one of several


def score(shape, epsilon, n, people=False, mechanism=None):
    """Promoters less detractors."""
    share = np.array(SHAPES[shape]) / np.sum(SHAPES[shape])
    question = OneOf(LABELS, **({"mechanism": mechanism} if mechanism else {"epsilon": epsilon}))

    def draw(rng):
        codes = rng.choice(3, n, p=share)
        result = answered(question, [LABELS[i] for i in codes], rng, people=people)
        counts = np.bincount(codes, minlength=3) / n if people else share
        rows = [(w, result[x]) for x, w in NPS.items()]
        return result.contrast(NPS), rows, counts[2] - counts[0]

    about = "promoters − detractors" + (", these people" if people else "")
    return Row("OneOf, k = 3", about, shape, epsilon, n, label(question), draw)


def top_two(shape, epsilon, n):
    """The two best of five."""
    share = np.array(FIVE[shape]) / np.sum(FIVE[shape])
    question = OneOf([1, 2, 3, 4, 5], epsilon=epsilon)

    def draw(rng):
        result = answered(question, rng.choice([1, 2, 3, 4, 5], n, p=share), rng)
        return result.top(2), [(1, result[4]), (1, result[5])], share[3] + share[4]

    return Row("OneOf, k = 5", "top two", shape, epsilon, n, label(question), draw)


def likert(epsilon, n):
    """The mean of a scale among those who answer."""
    share = np.array([0.1, 0.15, 0.2, 0.25, 0.1, 0.2])
    question = OneOf([1, 2, 3, 4, 5], epsilon=epsilon, missing="no answer")

    def draw(rng):
        answers = rng.choice(np.array([1, 2, 3, 4, 5, None], object), n, p=share)
        result = answered(question, answers.tolist(), rng)
        inside = 1 - result["no answer"].share
        rows = [(v / inside, result[v]) for v in range(1, 6)]
        return result.mean, rows, share[:5] @ np.arange(1, 6) / share[:5].sum()

    return Row("OneOf, k = 6", "mean of those who answer", "mixed", epsilon, n, label(question), draw)


def words(epsilon, n):
    """Two strings that nobody has listed."""
    question = Strings(epsilon=epsilon)

    def draw(rng):
        sent = np.array(["a.org", "b.org", "c.org"])[rng.choice(3, n, p=[0.4, 0.3, 0.3])]
        reports = question.perturb(sent, rng=rng)
        result = question.estimate(question.tally(reports, ["a.org", "b.org", "never.org"]))
        return result.contrast({"a.org": 1, "b.org": -1}), [(1, result["a.org"]), (1, result["b.org"])], 0.1

    return Row("Strings", "a − b", "40, 30 %", epsilon, n, label(question), draw)


# ------------------------------------------------------------------------------------------------ several columns


def columns(d, epsilon, n, pairs=False, drawn=False):
    """Two columns, or two pairs of columns, that go together."""
    limits = np.linspace(0.1, 0.6, d)
    share = np.where(limits <= 0.5, 2 * limits**2, 1 - 2 * (1 - limits) ** 2)  # P[(u + v)/2 < limit]
    names = [f"c{j}" for j in range(d)]
    made = {"mechanism": DrawnAttributes.of((2,) * d, GRR, epsilon)} if drawn else {"epsilon": epsilon}
    question = YesNoTable(names, pairs=pairs, **made)
    first, second = ("c1 and c2", "c0 and c1") if pairs else ("c1", "c0")
    truth = share[1] - share[0]  # columns are nested, so that pairs are the rarer of the two, nearly
    if pairs:
        many = people_of(limits, 4_000_000, np.random.default_rng(1))
        truth = float(np.mean(many[:, 1] & many[:, 2]) - np.mean(many[:, 0] & many[:, 1]))

    def draw(rng):
        result = answered(question, people_of(limits, n, rng), rng)
        return result.contrast({first: 1, second: -1}), [(1, result[first]), (1, result[second])], truth

    about = f"{first} − {second}"
    return Row(f"YesNoTable, {d} columns", about, "go together", epsilon, n, label(question), draw)


def people_of(limits, n, rng):
    """Rows of columns that go together."""
    return (0.5 * rng.random(n)[:, None] + 0.5 * rng.random((n, len(limits)))) < limits


def stars(epsilon, n, what, most, mechanism=None):
    """Two items: who rates them, or how."""
    items = [f"i{j}" for j in range(4)]
    made = {"mechanism": mechanism} if mechanism else {"epsilon": epsilon}
    question = Ratings(items, -1, 1, most, **made)
    chance = np.array([0.4, 0.3, 0.2, 0.1]) if most == 1 else np.array([0.5, 0.4, 0.3, 0.2])
    high = np.array([0.9, 0.6, 0.4, 0.5])
    mean = 1.5 * high - 0.5

    def draw(rng):
        if most == 1:
            held = rng.choice(4, n, p=chance)[:, None] == np.arange(4)
        else:  # one of the first two at most, and one of the last two
            u = rng.random((n, 2, 1))
            ends = chance.reshape(2, 2).cumsum(1)
            held = ((u < ends) & (u >= ends - chance.reshape(2, 2))).reshape(n, 4)
        better = rng.random((n, 4)) < high
        values = np.where(better, 1.0, -0.5)
        people = [{items[j]: float(v[j]) for j in np.flatnonzero(h)} for h, v in zip(held, values, strict=True)]
        result = answered(question, people, rng)
        part = result.shares if what == "share" else result.means
        truth = chance[0] - chance[1] if what == "share" else mean[0] - mean[1]
        return part.contrast({"i0": 1, "i1": -1}), [(1, part["i0"]), (1, part["i1"])], truth

    about = f"{what}s of two items"
    return Row(f"Ratings, {most} of 4", about, "mixed", epsilon, n, label(question), draw)


# ------------------------------------------------------------------------------------------------ groups, questions


def two_groups(epsilon, sizes, kind):
    """One label, or one number, of two groups of other people."""
    question = OneOf(LABELS, epsilon=epsilon) if kind == "share" else Number(0, 1, epsilon=epsilon)
    shares = np.array([0.2, 0.3, 0.5]), np.array([0.3, 0.3, 0.4])

    def draw(rng):
        if kind == "share":
            both = [
                answered(question, [LABELS[i] for i in rng.choice(3, n, p=p)], rng)["promoter"]
                for n, p in zip(sizes, shares, strict=True)
            ]
            return difference(*both), [(1, one) for one in both], 0.1
        both = [answered(question, rng.beta(a, 2, n), rng)["mean"] for n, a in zip(sizes, (3, 2), strict=True)]
        return difference(*both), [(1, one) for one in both], 0.1

    about = f"{kind}s of two groups, {sizes[0]} and {sizes[1]}"
    return Row(type(question).__name__, about, "other people", epsilon, sum(sizes), label(question), draw)


def same_people(epsilon, n, how):
    """Two questions to the same people."""
    survey = Survey({x: OneOf([True, False], epsilon=epsilon) for x in ("a", "b")}, limit=2 * epsilon)

    def draw(rng):
        first = rng.random(n) < 0.5
        second = {"opposite answers": ~first, "the same answers": first, "unrelated": rng.random(n) < 0.5}[how]
        results = survey.estimate(survey.tally(survey.perturb({"a": first, "b": second}, rng=rng)))
        found = results.difference(("a", True), ("b", True))
        return found, [(1, results["a"][True]), (1, results["b"][True])], 0.0

    mechanism = label(survey.questions["a"])
    return Row("Survey, two questions", "share of yes", how, epsilon, n, mechanism, draw)


class Verdict:
    """A test at 5 % as an interval that covers 0 if it does not reject."""

    def __init__(self, test):
        kept = test.p_value >= 0.05
        self.low, self.high, self.estimate, self.error = (-1.0, 1.0, 0.0, 1.0) if kept else (1.0, 1.0, 0.0, 1.0)


def one_test(question, values, n, epsilon, groups):
    """All rows of groups that are the same; Bonferroni over rows in place of hypot, of two groups."""

    def draw(rng):
        found = [answered(question, values(n, rng), rng) for _ in range(groups)]
        return Verdict(same_everywhere(*found)), [], 0.0

    name = type(question).__name__
    return Row(name, f"same_everywhere, {groups} groups", "the same", epsilon, n, label(question), draw)


def four(n, rng):
    """One of four labels."""
    return np.array(["a", "b", "c", "d"])[rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])].tolist()


def rows():
    """All rows; the first are those where adding errors is worst."""
    table = YesNoTable(["c0", "c1", "c2"], epsilon=4.0)
    return [
        score("even", 1.0, 300),
        score("even", 4.0, 300),
        score("skewed", 1.0, 3000),
        score("rare", 4.0, 300),
        score("rare", 0.5, 3000),
        score("even", 1.0, 1000, mechanism=OUE(k=3, epsilon=1.0)),
        score("even", 2.0, 1000, people=True),
        top_two("even", 1.0, 300),
        top_two("rare", 4.0, 3000),
        likert(2.0, 1000),
        words(1.0, 3000),
        columns(3, 1.0, 1000, drawn=True),
        columns(6, 4.0, 1000),
        columns(4, 4.0, 1000, pairs=True),
        stars(4.0, 2000, "share", 2),
        stars(4.0, 2000, "mean", 2),
        stars(4.0, 2000, "share", 1, PCKVUE(d=4, ell=1, epsilon=4.0)),
        stars(4.0, 2000, "mean", 1, StateEncoding(d=4, epsilon=4.0)),
        stars(4.0, 2000, "share", 2, WheelKV(m=2, epsilon=4.0)),
        two_groups(1.0, (300, 3000), "share"),
        two_groups(2.0, (1000, 1000), "mean"),
        same_people(4.0, 1000, "opposite answers"),
        same_people(1.0, 1000, "opposite answers"),
        same_people(4.0, 1000, "the same answers"),
        same_people(4.0, 1000, "unrelated"),
        one_test(OneOf(["a", "b", "c", "d"], epsilon=1.0), four, 1000, 1.0, 2),
        one_test(OneOf(["a", "b", "c", "d"], epsilon=4.0), four, 300, 4.0, 3),
        one_test(table, lambda n, rng: people_of(np.linspace(0.1, 0.6, 3), n, rng), 1000, 4.0, 2),
    ]


def run(row, surveys=SURVEYS):
    """Answer the surveys of one row."""
    rng = np.random.default_rng(crc32(repr(row.key).encode()))
    covers, hypot, errors, away = [], [], [], []
    for _ in range(surveys):
        found, parts, truth = row.draw(rng)
        covers.append(found.low <= truth <= found.high)
        errors.append(found.error)
        away.append(found.estimate - truth)
        added = np.sqrt(sum((w * one.error) ** 2 for w, one in parts))
        hypot.append(abs(found.estimate - truth) <= Z * added)
    tested = not parts
    return {
        **dict(zip(KEY, row.key, strict=True)),
        "mechanism": row.mechanism,
        "surveys": surveys,
        "covers": round(float(np.mean(covers)), 4),
        "hypot": -1.0 if tested else round(float(np.mean(hypot)), 4),
        "ratio": -1.0 if tested else round(float(np.sqrt(np.mean(np.square(errors))) / np.std(away)), 4),
    }


def main(minutes):
    """Run what is missing, and record after each row."""
    try:
        found = recorded(NAME).to_dict("records")
    except FileNotFoundError:
        found = []
    done = {tuple(row[name] for name in KEY) for row in found}
    stop = time.monotonic() + 60 * minutes
    provenance = {"level": 0.95, "clients": "real; people drawn anew for each survey"}
    for row in rows():
        if row.key in done:
            continue
        if time.monotonic() > stop:
            break
        began = time.monotonic()
        found.append(run(row))
        record(NAME, pd.DataFrame(found, columns=COLUMNS), provenance=provenance)
        last = found[-1]
        print(*row.key, last["mechanism"], *(f"{last[name]:.3f}" for name in ("covers", "hypot", "ratio")), end="")
        print(f"  {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1e9)
