"""One small program per cell for multi-freq-ldpy: libraries.py runs the body of each in a process of its own."""


def alone():
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    print("runs; a report:", type(GRR_Client(1, 3, 1.0)).__name__)


def summary():
    from importlib.metadata import metadata

    print(metadata("multi-freq-ldpy")["Summary"])


def model():
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    print("local: GRR_Client,", type(GRR_Client(1, 3, 1.0)).__name__, "from 1 person")


def category():
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    GRR_Client("b", 3, 1.0)


def missing():
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    print("takes nan; reports", sorted({str(GRR_Client(float("nan"), 3, 1.0)) for _ in range(1000)}))


def unknown():
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    GRR_Client(7, 3, 1.0)


def outside():
    from names import absent

    absent("multi_freq_ldpy", "mean", "laplace", "bound", "numeric")


def interval():
    from math import exp

    from multi_freq_ldpy.pure_frequency_oracles.Variance_PURE import VAR_Pure

    keep, lie = exp(1) / (exp(1) + 2), 1 / (exp(1) + 2)
    print(f"VAR_Pure(p, q, n = 10,000) = {VAR_Pure(keep, lie, 10_000):.2e}, a variance from a formula")


def planning():
    import numpy as np
    from multi_freq_ldpy.pure_frequency_oracles.ADP import ADP_Client

    few, many = np.size(ADP_Client(1, 3, 1.0)), np.size(ADP_Client(1, 100, 1.0))
    print(f"ADP_Client takes GRR or OUE by their variances: {few} number for 3 items, {many} bits for 100")


def files():
    from names import absent

    absent("multi_freq_ldpy", "file", "csv", "parquet", "chunk", "partition", "dask", "merge")


def strings():
    from names import absent

    absent("multi_freq_ldpy", "heavy", "hitter", "prefix", "unlisted", "discover")


def pairs():
    from names import absent

    absent("multi_freq_ldpy", "keyvalue", "key_value", "itemset", "set_valued", "rating")


def tables():
    import pkgutil

    import numpy as np
    from multi_freq_ldpy import mdim_freq_est
    from multi_freq_ldpy.mdim_freq_est.RSpFD_solution import RSpFD_GRR_Aggregator_MI, RSpFD_GRR_Client

    reports = [RSpFD_GRR_Client([i % 2, i % 2], [2, 2], 2, 2.0) for i in range(4000)]
    found = RSpFD_GRR_Aggregator_MI(np.array(reports), [2, 2], 2, 2.0)
    ways = [name for _, name, _ in pkgutil.iter_modules(mdim_freq_est.__path__) if "solution" in name]
    print(f"shares in each of {len(found)} attributes;", ", ".join(ways))


def stated():
    from names import absent

    absent("multi_freq_ldpy", "proof", "prove", "verify", "audit", "exact")


def audited():
    import numpy as np
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    from ldpnb import audit

    found = audit(
        lambda value, rng: GRR_Client(value, 3, 1.0),
        [0, 1, 2],
        samples=50_000,
        rng=np.random.default_rng(0),
        level=1e-6,
        claimed=1.0,
    )
    print(f"ε ≥ {found.bound:.2f}; refuted: {found.flagged}")


def account():
    from names import absent

    absent("multi_freq_ldpy", "account", "budget", "odometer", "compos")


def more():
    from names import named

    names = {
        name.split(".")[-1]
        for name in named("multi_freq_ldpy", "^L_.*_Client", "^dBitFlip.*_Client")
        if "(" not in name
    }
    print("reports repeated over time:", ", ".join(sorted(names - {"L_SUE_Client"})))  # L_SUE is RAPPOR, which we have


def time():
    import json

    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    from timing import least

    values = [i % 16 for i in range(20_000)]
    print(json.dumps({"multi-freq-ldpy": least(3, lambda: [GRR_Client(value, 16, 1.0) for value in values])[0]}))
