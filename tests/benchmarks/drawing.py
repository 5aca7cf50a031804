"""How often intervals cover where each person answers some of the questions, recorded for the book and for the tests.

A row is a survey of Q questions with k labels each, a limit, a number of people, and how many questions each person
answers.  Real clients answer some hundreds of surveys, people drawn anew for each.  Counted is how often an interval
covers, each alone and all of a question together, about the population and about all people who took part; beside it
stand the standard error that is planned, that which results state, and how far estimates are from the truth.  What is
recorded already is not run again; delete book/recorded/drawn_coverage.json to begin anew.

usage: python tests/benchmarks/drawing.py [minutes] [surveys]
"""

import sys
import time
from zlib import crc32

import numpy as np
import pandas as pd

from ldpnb.survey import OneOf, Survey
from ldpnb_book.experiment import record, recorded

NAME = "drawn_coverage"
KEY = ["questions", "labels", "people", "limit", "draw"]
COLUMNS = [*KEY, "mechanism", "about", "surveys", "alone", "least", "together", "planned", "stated", "off"]
SHARES = {5: [0.4, 0.25, 0.15, 0.15, 0.05], 2: [0.3, 0.7]}
SETTINGS = [
    *((12, 5, 3000, 1.0, draw) for draw in (1, 2, 3, 6, 12)),
    *((6, 2, 1000, 2.0, draw) for draw in (1, 2, 3, 6)),
    *((12, 5, 3000, 6.0, draw) for draw in (1, 2, 3, 6, 12)),
    *((4, 5, 200, 4.0, draw) for draw in (1, 2, 4)),  # few reports, whose ends are exact
]


def drawn_survey(questions, labels, limit, draw):
    """The survey of a row: all of the limit, in equal parts."""
    names = [f"c{i}" for i in range(labels)]
    asked = {f"q{i}": OneOf(names, epsilon=limit / draw) for i in range(questions)}
    return Survey(asked, limit=limit, draw=draw)


def run(key, surveys):
    """Answer the surveys of one setting: a row about the population, and one about these people."""
    questions, labels, people, limit, draw = key
    survey = drawn_survey(questions, labels, limit, draw)
    rng = np.random.default_rng(crc32(repr(key).encode()))
    truth = np.array(SHARES[labels])
    names = np.array([f"c{i}" for i in range(labels)])
    found = {about: {"hit": [], "together": [], "error": [], "off": []} for about in (False, True)}
    for _ in range(surveys):
        codes = rng.choice(labels, (people, questions), p=truth)
        columns = {f"q{i}": names[codes[:, i]] for i in range(questions)}
        own = np.stack([np.bincount(one, minlength=labels) for one in codes.T]) / people
        tallies = survey.tally(survey.perturb(columns, rng=rng))
        for about, kept in found.items():
            right = own if about else np.broadcast_to(truth, own.shape)
            for together in (False, True):
                results = survey.estimate(tallies, people=about, together=together).values()
                low, high = (np.stack([getattr(one, end) for one in results]) for end in ("low", "high"))
                hit = (low <= right + 1e-12) & (right - 1e-12 <= high)
                if together:
                    kept["together"].append(hit.all(1).mean())
                    continue
                kept["hit"].append(hit)
                kept["error"].append(np.stack([one.error for one in results]))
                kept["off"].append(np.stack([one.estimate for one in results]) - right)
    rows = []
    for about, kept in found.items():
        plan = survey.plan(people, people=about)
        often = np.mean(kept["hit"], 0)
        rows.append(
            {
                **dict(zip(KEY, key, strict=True)),
                "mechanism": survey.questions["q0"].mechanism.label,
                "about": "these people" if about else "population",
                "surveys": surveys,
                "alone": round(float(often.mean()), 4),
                "least": round(float(often.mean(0).min()), 4),
                "together": round(float(np.mean(kept["together"])), 4),
                "planned": round(next(way.error for way in plan.drawn if way.draw == draw), 2),
                "stated": round(100 * float(np.sqrt(np.mean(np.square(kept["error"])))), 2),
                "off": round(100 * float(np.sqrt(np.mean(np.square(kept["off"])))), 2),
            }
        )
    return rows


def main(minutes, surveys):
    """Run what is missing, and record after each setting."""
    try:
        rows = recorded(NAME).to_dict("records")
    except FileNotFoundError:
        rows = []
    done = {tuple(row[name] for name in KEY) for row in rows}
    stop = time.monotonic() + 60 * minutes
    provenance = {"level": 0.95, "clients": "real; people and draws anew for each survey"}
    for key in SETTINGS:
        if key in done:
            continue
        if time.monotonic() > stop:
            break
        rows += run(key, surveys)
        record(NAME, pd.DataFrame(rows, columns=COLUMNS), provenance=provenance)
        for row in rows[-2:]:
            print(*key, *(row[name] for name in COLUMNS[len(KEY) :]), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1e9, int(sys.argv[2]) if len(sys.argv) > 2 else 200)
