"""One small program per cell for OpenDP: libraries.py runs the body of each function in a process of its own."""


def alone():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    client = dp.m.make_randomized_response(["a", "b", "c"], 0.5)
    print("runs; a report:", type(client("b")).__name__)


def summary():
    import re
    from importlib.metadata import metadata

    about = metadata("opendp")
    print(about["Summary"], "|", re.search(r"OpenDP is implemented in .*", about.get_payload())[0])


def model():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    local = dp.m.make_randomized_response(["a", "b", "c"], 0.5)
    data = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    central = data >> dp.t.then_count() >> dp.m.then_laplace(1.0)
    print("central:", type(central([1, 2, 3])).__name__, "from 3 people; local: randomized response,", end=" ")
    print(type(local("b")).__name__, "from 1 person")


def category():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    client = dp.m.make_randomized_response(["a", "b", "c"], 0.5)
    print("takes 'b'; reports", sorted({client("b") for _ in range(1000)}))


def missing():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    client = dp.m.make_randomized_response(["a", "b", "c"], 0.5)
    client(float("nan"))


def unknown():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    client = dp.m.make_randomized_response(["a", "b", "c"], 0.5)
    print("takes 'z'; reports", sorted({client("z") for _ in range(1000)}))


def outside():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    unit = dp.atom_domain(bounds=(0.0, 1.0), nan=False)
    client = dp.m.make_laplace(unit, dp.absolute_distance(T=float), scale=1.0)
    clamp = dp.t.make_clamp(dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance(), (0.0, 1.0))
    mean = sum(client(5.0) for _ in range(10_000)) / 10_000
    print(f"make_laplace on bounds (0, 1): mean report {mean:.1f}; make_clamp, for lists: {clamp([5.0])}")


def interval():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    found = dp.laplacian_scale_to_accuracy(scale=1.0, alpha=0.05)
    print(f"central: ±{found:.3f} with 95 %, from scale 1 of Laplace noise;", end=" ")
    print(
        "local:",
        type(dp.m.debias_randomized_response_bitvec([b"\1"], 0.5)).__name__,
        "of estimates from vectors of bits",
    )


def planning():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    scale = dp.accuracy_to_laplacian_scale(accuracy=2.0, alpha=0.05)
    keep = dp.binary_search_param(dp.m.make_randomized_response_bool, d_in=1, d_out=1.0)
    print(f"central: scale {scale:.3f} from accuracy 2 at 0.05;", end=" ")
    print(f"binary_search_param: p = {keep:.3f} of randomized response from ε = 1")


def files():
    from pathlib import Path
    from tempfile import TemporaryDirectory

    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    with TemporaryDirectory() as folder:
        for part in "12":
            pl.DataFrame({"x": ["a", "b"] * 250}).write_csv(Path(folder, f"{part}.csv"))
        context = dp.Context.compositor(
            data=pl.scan_csv(f"{folder}/*.csv"),
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=1.0),
            split_evenly_over=1,
        )
        found = context.query().select(dp.len()).release().collect().item()
    print("central: a Polars query over 2 CSV files counts about", round(found, -2))


def strings():
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.LazyFrame({"x": ["ab"] * 7000 + ["cd"] * 3000}),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-7),
        split_evenly_over=1,
    )
    found = context.query().group_by("x").agg(dp.len()).release().collect()
    print("central, with δ: group_by releases", sorted(found["x"]))


def pairs():
    from names import absent

    absent("opendp", "keyvalue", "key_value", "itemset", "set_valued", "rating")


def tables():
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.LazyFrame({"x": ["y", "n"] * 5000, "y": ["y", "n"] * 5000}),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-7),
        split_evenly_over=1,
    )
    found = context.query().group_by("x", "y").agg(dp.len()).release().collect()
    print("central: group_by of two columns releases", len(found), "cells;", end=" ")
    print("with the extra mbi:", dp.mbi.make_contingency_table.__name__)


def stated():
    from math import exp

    import opendp.prelude as dp

    dp.enable_features("contrib")
    client = dp.m.make_randomized_response(["a", "b", "c"], exp(1) / (exp(1) + 2))
    proof = "Proof Document" in dp.m.make_randomized_response.__doc__
    print(f"client.map(1) = {client.map(1)!r}; its documentation links a written proof: {proof}")


def audited():
    from math import exp

    import numpy as np
    import opendp.prelude as dp

    from ldpnb import audit

    dp.enable_features("contrib")
    client = dp.m.make_randomized_response([0, 1, 2], exp(1) / (exp(1) + 2))
    found = audit(
        lambda value, rng: client(value),
        [0, 1, 2],
        samples=50_000,
        rng=np.random.default_rng(0),
        level=1e-6,
        claimed=1.0,
    )
    print(f"ε ≥ {found.bound:.2f}; refuted: {found.flagged}")


def account():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    once = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=100.0)
    many = dp.c.make_zCDP_to_approxDP(dp.c.make_composition([once] * 100))
    print(f"make_composition of 100 Gaussians, σ = 100, δ = 1e-6: ε = {many.map(1).epsilon(1e-6):.3f};", end=" ")
    print("also", dp.c.make_fully_adaptive_composition.__name__, "and", dp.c.make_privacy_filter.__name__)


def more():
    import opendp.combinators as combinators
    import opendp.measurements as measurements
    import opendp.transformations as transformations

    parts = measurements, transformations, combinators
    made = {name: getattr(part, name) for part in parts for name in dir(part) if name.startswith("make_")}
    proved = [name for name, made_by in made.items() if "Proof Document" in (made_by.__doc__ or "")]
    wanted = "make_gaussian", "make_private_quantile", "make_noisy_top_k", "make_fully_adaptive_composition"
    print(", ".join(name for name in wanted if name in made), end="; ")
    print(f"{len(made)} constructors, {len(proved)} with a link to a written proof")


def time():
    import json
    from math import exp

    import opendp.prelude as dp
    from timing import least

    dp.enable_features("contrib")
    client = dp.m.make_randomized_response(list(range(16)), exp(1) / (exp(1) + 15))
    values = [i % 16 for i in range(20_000)]
    print(json.dumps({"opendp": least(3, lambda: [client(value) for value in values])[0]}))
