"""One small program per cell for ldpnb itself: libraries.py runs the body of each function in a process of its own.

The book runs them too, so they need nothing but the package; `time` is the exception.
"""


def alone():
    import numpy as np

    from ldpnb import GRR

    reports = GRR(k=3, epsilon=1.0).perturb(np.array([1]), rng=np.random.default_rng())
    print("runs; a report:", type(reports).__name__, "of", len(reports))


def summary():
    from importlib.metadata import metadata

    print(metadata("ldpnb")["Summary"])


def model():
    from ldpnb import OneOf, SystemRandom

    question = OneOf(["a", "b", "c"], epsilon=1.0)
    reports = question.perturb(["b"], rng=SystemRandom())
    print("local: OneOf.perturb reports for", len(reports), "person")


def category():
    from ldpnb import OneOf, SystemRandom

    question = OneOf(["a", "b", "c"], epsilon=1.0)
    reports = question.perturb(["b"] * 1000, rng=SystemRandom())
    print("takes 'b'; reports", sorted({int(report) for report in reports}))


def missing():
    from ldpnb import OneOf, SystemRandom

    question = OneOf(["a", "b", "c"], epsilon=1.0)
    question.perturb([float("nan")], rng=SystemRandom())


def unknown():
    from ldpnb import OneOf, SystemRandom

    question = OneOf(["a", "b", "c"], epsilon=1.0)
    question.perturb(["z"], rng=SystemRandom())


def outside():
    from ldpnb import Number, SystemRandom

    question = Number(0, 1, epsilon=1.0)
    question.perturb([5.0], rng=SystemRandom())


def interval():
    import numpy as np

    from ldpnb import OneOf

    question = OneOf(["a", "b", "c"], epsilon=1.0)
    reports = question.perturb(["a"] * 6000 + ["b"] * 4000, rng=np.random.default_rng(0))
    row = question.estimate(question.tally(reports))["a"]
    print(f"share {row.share:.3f}, error {row.error:.3f}, 95 % interval {row.low:.3f} to {row.high:.3f}")


def planning():
    from ldpnb.choose import Item

    best = Item(n=10_000, epsilon=1.0, k=100).rank()[0]
    print(f"for 100 items {best.name}, error {best.error:.4f}; for 0.01: {best.people(0.01):,} people")


def files():
    from pathlib import Path
    from tempfile import TemporaryDirectory

    import numpy as np

    from ldpnb import GRR, collect, save

    mechanism, rng = GRR(k=3, epsilon=1.0), np.random.default_rng(0)
    with TemporaryDirectory() as folder:
        for part in "12":
            reports = mechanism.perturb(rng.integers(0, 3, 500), rng=rng)
            save([reports], Path(folder, f"{part}.parquet"), mechanism)
        found = collect(mechanism, folder)
    print(f"collect counts {found.tally.n:,} reports in 2 Parquet files; scheduler= names a dask cluster")


def strings():
    import numpy as np

    from ldpnb import Strings

    question = Strings(epsilon=2.0)
    reports = question.perturb(["ab"] * 7000 + ["cd"] * 3000, rng=np.random.default_rng(0))
    result = question.estimate(question.tally(reports, ["ab", "cd", "ef"]))
    print("Strings: share of 'ab', named afterwards,", f"{result['ab'].share:.2f} (true 0.70)")


def pairs():
    import numpy as np

    from ldpnb import Ratings

    question = Ratings(["a", "b"], 1, 5, most=1, epsilon=2.0)
    reports = question.perturb([{"a": 5}, {"b": 1}] * 5000, rng=np.random.default_rng(0))
    row = question.estimate(question.tally(reports))["a"]
    print(f"Ratings: 'a' rated by {row.share.share:.2f}, mean {row.mean.mean:.1f} (true 0.50, 5)")


def tables():
    import numpy as np

    from ldpnb import YesNoTable

    question = YesNoTable(["x", "y"], epsilon=2.0, pairs=True)
    rows = {"x": [True, False] * 5000, "y": [True, False] * 5000}
    result = question.estimate(question.tally(question.perturb(rows, rng=np.random.default_rng(0))))
    print(f"YesNoTable: yes to both {result['x and y'].share:.2f} (true 0.50)")


def stated():
    from ldpnb import GRR, epsilon, laws, prove

    client = GRR(k=3, epsilon=1.0)
    found = prove(client, [0, 1, 2])
    print(f"epsilon(laws(client)) = {epsilon(laws(client, [0, 1, 2])):.6f};", found.name, "proved" * found.holds)


def audited():
    import numpy as np

    from ldpnb import GRR, audit

    client = GRR(k=3, epsilon=1.0)
    found = audit(client, [0, 1, 2], samples=50_000, rng=np.random.default_rng(0), level=1e-6, claimed=1.0)
    print(f"ε ≥ {found.bound:.2f}; refuted: {found.flagged}")


def account():
    from tempfile import TemporaryDirectory

    from ldpnb import GRR, SystemRandom
    from ldpnb.survey import Account

    with TemporaryDirectory() as folder:
        book = Account(f"{folder}/account", limit=2.0)
        for day in range(100):
            book.report(GRR(k=3, epsilon=0.01), [2], rng=SystemRandom(), label=f"day {day}")
        print(f"Account, on the client's disk: 100 × 0.01 = {book.spent:.3f}")


def time():
    import json

    import numpy as np
    from timing import least

    from ldpnb import GRR, SystemRandom

    client, rng, secure = GRR(k=16, epsilon=1.0), np.random.default_rng(1), SystemRandom()
    values = np.arange(20_000) % 16
    singles = [values[i : i + 1] for i in range(20_000)]
    works = {
        "ldpnb": lambda: client.perturb(values, rng=rng),
        "ldpnb, secure": lambda: client.perturb(values, rng=secure),
        "ldpnb, secure, one person per call": lambda: [client.perturb(one, rng=secure) for one in singles],
    }
    print(json.dumps({name: least(3, work)[0] for name, work in works.items()}))
