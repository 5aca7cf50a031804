"""One small program per cell for diffprivlib: libraries.py runs the body of each function in a process of its own."""


def alone():
    from diffprivlib.mechanisms import Binary

    print("runs; a report:", type(Binary(epsilon=1.0, value0="no", value1="yes").randomise("yes")).__name__)


def summary():
    from importlib.metadata import metadata

    print(metadata("diffprivlib")["Summary"])


def model():
    from diffprivlib import tools
    from diffprivlib.mechanisms import Binary

    central = tools.mean([0.1, 0.5, 0.9], epsilon=1.0, bounds=(0, 1))
    local = Binary(epsilon=1.0, value0="no", value1="yes")
    print("central:", type(float(central)).__name__, "from 3 people; local: Binary,", end=" ")
    print(type(local.randomise("yes")).__name__, "from 1 person")


def category():
    from diffprivlib.mechanisms import ExponentialCategorical

    apart = [["a", "b", 1], ["a", "c", 1], ["b", "c", 1]]  # all pairs alike: this is k-RR
    client = ExponentialCategorical(epsilon=1.0, utility_list=apart)
    print("takes 'b'; reports", sorted({client.randomise("b") for _ in range(1000)}))


def missing():
    from diffprivlib.mechanisms import ExponentialCategorical

    client = ExponentialCategorical(epsilon=1.0, utility_list=[["a", "b", 1], ["a", "c", 1], ["b", "c", 1]])
    client.randomise(float("nan"))


def unknown():
    from diffprivlib.mechanisms import ExponentialCategorical

    client = ExponentialCategorical(epsilon=1.0, utility_list=[["a", "b", 1], ["a", "c", 1], ["b", "c", 1]])
    client.randomise("z")


def outside():
    import warnings

    from diffprivlib import tools

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = [float(tools.mean([5.0] * 10_000, epsilon=1.0, bounds=(0, 1))) for _ in range(100)]
    print(f"central: tools.mean of 5s, bounds (0, 1): about {sum(found) / 100:.2f}; warnings: {len(heard)}")


def interval():
    from diffprivlib import tools
    from diffprivlib.mechanisms import Laplace

    noise = Laplace(epsilon=1.0, sensitivity=1.0).variance(0.0)
    found = tools.mean([0.1, 0.5, 0.9], epsilon=1.0, bounds=(0, 1))
    print(f"Laplace.variance(0) = {noise:.1f}; tools.mean gives a {type(float(found)).__name__}")


def planning():
    from names import absent

    absent("diffprivlib", "choose", "recommend", "sample_size", "plan", "adaptive", "how_many")


def files():
    from names import absent, named

    parts = [name.split(".")[-2] for name in named("diffprivlib", "^partial_fit") if "(" not in name]
    print("partial_fit of", ", ".join(parts), end="; ")
    absent("diffprivlib", "file", "csv", "parquet", "chunk", "partition", "dask", "merge")


def strings():
    from names import absent

    absent("diffprivlib", "heavy", "hitter", "prefix", "unlisted", "discover")


def pairs():
    from names import absent

    absent("diffprivlib", "keyvalue", "key_value", "itemset", "set_valued", "rating")


def tables():
    from diffprivlib import tools

    cells = tools.histogram2d([0, 1] * 5000, [0, 1] * 5000, epsilon=1.0, bins=2, range=[[0, 1], [0, 1]])[0]
    print("central: histogram2d of two columns releases", cells.size, "cells")


def stated():
    from names import absent

    absent("diffprivlib", "proof", "prove", "verify", "audit", "exact")


def audited():
    import numpy as np
    from diffprivlib.mechanisms import ExponentialCategorical

    from ldpnb import audit

    client = ExponentialCategorical(epsilon=1.0, utility_list=[["a", "b", 1], ["a", "c", 1], ["b", "c", 1]])
    found = audit(
        lambda value, rng: client.randomise(value),
        ["a", "b", "c"],
        samples=50_000,
        rng=np.random.default_rng(0),
        level=1e-6,
        claimed=1.0,
    )
    print(f"ε ≥ {found.bound:.2f}; refuted: {found.flagged}")


def account():
    from diffprivlib import BudgetAccountant

    book = BudgetAccountant(slack=1e-6)
    for _ in range(100):
        book.spend(0.01, 0)
    epsilon, delta = book.total()
    print(f"BudgetAccountant, in memory: 100 × 0.01 is ε = {epsilon:.3f}, δ = {delta:g}")


def more():
    from diffprivlib import models, tools

    print("central:", ", ".join(name for name in dir(models) if name[0].isupper()), end="; ")
    print(", ".join(name for name in ("nanmean", "count_nonzero", "histogramdd") if hasattr(tools, name)))


def time():
    import json
    from itertools import combinations

    from diffprivlib.mechanisms import ExponentialCategorical
    from timing import least

    apart = [[a, b, 1] for a, b in combinations("abcdefghijklmnop", 2)]
    client = ExponentialCategorical(epsilon=1.0, utility_list=apart)
    values = ["abcdefghijklmnop"[i % 16] for i in range(20_000)]
    print(json.dumps({"diffprivlib": least(3, lambda: [client.randomise(value) for value in values])[0]}))
