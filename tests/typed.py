"""A user's program, for type checkers: what is right passes, and what is wrong is marked ``# wrong``.

`test_typed` has mypy check it, strictly.  It runs, too, but for what is marked.
"""

from dataclasses import replace

import numpy as np

from ldpnb import GRR, Number, OneOf, Ratings, Strings, YesNoTable

rng = np.random.default_rng(0)


def right() -> list[float]:
    """Ask, estimate, and look at each result."""
    reason = OneOf(["pay", "boss", "hours"], epsilon=1, missing="no answer")
    result = reason.estimate(reason.tally(reason.perturb(["pay", "boss", None] * 100, rng=rng)))
    found: list[float] = [result["pay"].share, result["pay"].low, reason.epsilon, reason.plan(1000)]
    found += [row.share for row in result]
    frame = result.to_frame()
    print(frame.shape, result.plot(), reason.mechanism.realised_epsilon, hash(reason), result.said)

    score = OneOf(("yes", "no"), mechanism=GRR(k=2, epsilon=1.0), values={"yes": 1, "no": 0})
    found.append(score.estimate(score.tally(score.perturb(["yes", "no"] * 50, rng=rng)), people=True).mean.estimate)
    likert = replace(OneOf([1, 2, 3], epsilon=1.0), epsilon=2.0)
    found.append(likert.estimate(likert.tally(likert.perturb([1, 2, 3] * 50, rng=rng))).top(1).low)

    page = Strings(epsilon=2.0)
    tally = page.tally(page.perturb(["a.org", "b.org"] * 100, rng=rng), ["a.org"], wave="2026-W48")
    found.append(page.estimate(tally, together=True)["a.org"].share)

    age = Number(18, 90, epsilon=1.0, outside="clip", unit="years")
    found.append(age.estimate(age.tally(age.perturb([30, 40.5] * 100, rng=rng)))["mean"].mean)

    stars = Ratings(["mail", "maps"], 1, 5, most=2, epsilon=4.0, more="draw")
    rated = stars.estimate(stars.tally(stars.perturb([{"mail": 5, "maps": 3}] * 500, rng=rng)))
    found += [rated["mail"].share.share, rated["mail"].mean.high, rated.means["maps"].error]

    habits = YesNoTable(["smokes", "runs"], epsilon=2.0, pairs=True, yes="y", no="n")
    rows = [{"smokes": "y", "runs": "n"}, {"smokes": "n", "runs": "n"}] * 100
    shares = habits.estimate(habits.tally(habits.perturb(rows, rng=rng)), of=300, people=True)
    found.append(shares["smokes and runs"].error)
    return found


def wrong() -> None:
    """One mistake a line."""
    OneOf(["pay", "boss"], epsilon="1")  # wrong
    OneOf({"pay", "boss"}, epsilon=1.0)  # wrong
    OneOf("pay", epsilon=1.0)  # wrong
    OneOf(["pay", "boss"], epsilon=1.0, missing=True)  # wrong
    OneOf(["pay", "boss"], eps=1.0)  # wrong
    OneOf(["pay", "boss"], mechanism=GRR)  # wrong
    OneOf(["pay", "boss"], epsilon=1.0, values=["1", "2"])  # wrong
    Strings(epsilon=1.0, mechanism=GRR(k=2, epsilon=1.0))  # wrong
    Number(18, 90, epsilon=1.0, outside="cut")  # wrong
    Number(18, 90, epsilon=1.0, missing="no answer")  # wrong
    Number("18", 90, epsilon=1.0)  # wrong
    Ratings(["mail"], 1, 5, most="1", epsilon=1.0)  # wrong
    Ratings(["mail"], 1, 5, most=1, epsilon=1.0, more="drop")  # wrong
    YesNoTable([1, 2], epsilon=1.0)  # wrong
    YesNoTable(["smokes", "runs"], epsilon=1.0, pairs="all")  # wrong
    reason = OneOf(["pay", "boss"], epsilon=1.0)
    reason.perturb(["pay"])  # wrong
    reason.tally(["pay"])  # wrong
    tally = reason.tally(reason.perturb(["pay", "boss"], rng=rng))
    reason.estimate(tally, "95 %")  # wrong
    reason.estimate(tally, 0.95, True)  # wrong
    print(reason.estimate(tally).shares)  # wrong
    reason.estimate(tally).to_fame()  # wrong
    print(reason.estimate(tally)["pay"].shares)  # wrong
    reason.estimate(tally).level = 0.9  # wrong
    stars = Ratings(["mail"], 1, 5, most=1, epsilon=1.0)
    found = stars.estimate(stars.tally(stars.perturb([{"mail": 5}] * 500, rng=rng)))
    print(found["mail"].low)  # wrong
    found.top(1)  # wrong


if __name__ == "__main__":
    print(len(right()))
