"""One small program per cell for pure-ldp: libraries.py runs the body of each function in a process of its own."""


def alone():
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    print("runs; a report:", type(DEClient(1.0, 3).privatise(1)).__name__)


def summary():
    from importlib.metadata import metadata

    print(metadata("pure-ldp")["Summary"])


def model():
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    print("local: DEClient.privatise,", type(DEClient(1.0, 3).privatise(1)).__name__, "from 1 person")


def category():
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    client = DEClient(1.0, 3, index_mapper={"a": 0, "b": 1, "c": 2}.get)
    print("takes 'b' with an index_mapper; reports", sorted({client.privatise("b") for _ in range(1000)}))


def missing():
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    client = DEClient(1.0, 3)
    print("takes nan; reports", sorted({str(client.privatise(float("nan"))) for _ in range(1000)}))


def unknown():
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    client = DEClient(1.0, 3)
    print("takes item 7 of 1, 2, 3; reports", sorted({client.privatise(7) for _ in range(1000)}))


def outside():
    from names import absent

    absent("pure_ldp", "mean", "laplace", "bound", "numeric")


def interval():
    from names import absent

    absent("pure_ldp", "interval", "confidence", "accuracy", "error", "variance", "stderr")


def planning():
    from names import absent

    absent("pure_ldp", "choose", "recommend", "sample_size", "plan", "adaptive", "how_many")


def files():
    from names import absent
    from pure_ldp.frequency_oracles.direct_encoding import DEServer

    server = DEServer(1.0, 3)
    for report in (0, 1, 1):
        server.aggregate(report)
    print("aggregate takes one report at a time,", server.n, "here;", end=" ")
    absent("pure_ldp", "file", "csv", "parquet", "chunk", "partition", "dask", "merge")


def strings():
    from pure_ldp.heavy_hitters.prefix_extending import PEMClient, PEMServer

    options = {"start_length": 2, "max_string_length": 6, "fragment_length": 2}
    client, server = PEMClient(3.0, **options), PEMServer(3.0, **options)
    for i in range(4000):
        server.aggregate(client.privatise("010101" if i % 10 < 7 else "110011"))
    print("PEM finds, without a list,", server.find_heavy_hitters(k=1)[0][0], "among strings of 6 bits")


def pairs():
    from names import absent

    absent("pure_ldp", "keyvalue", "key_value", "itemset", "set_valued", "rating")


def tables():
    from names import absent

    absent("pure_ldp", "joint", "marginal", "contingency", "attribute", "dimension")


def stated():
    from names import absent

    absent("pure_ldp", "proof", "prove", "verify", "audit", "exact")


def audited():
    import random

    import numpy as np
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    from ldpnb import audit

    random.seed(0)
    client = DEClient(1.0, 3, index_mapper=lambda item: item)
    found = audit(
        lambda value, rng: client.privatise(value),
        [0, 1, 2],
        samples=50_000,
        rng=np.random.default_rng(0),
        level=1e-6,
        claimed=1.0,
    )
    print(f"ε ≥ {found.bound:.2f}; refuted: {found.flagged}")


def account():
    from names import absent

    absent("pure_ldp", "account", "budget", "odometer", "compos")


def more():
    from pure_ldp import frequency_oracles as oracles
    from pure_ldp.heavy_hitters import apple_sfp, prefix_extending, treehistogram

    found = [*dir(apple_sfp), *dir(prefix_extending), *dir(treehistogram), *dir(oracles)]
    wanted = "SFPClient", "PEMClient", "TreeHistClient", "CMSClient", "PCSClient", "HEClient", "FastLHClient"
    print("heavy hitters and sketches:", ", ".join(name for name in wanted if name in found))


def time():
    import json

    from pure_ldp.frequency_oracles.direct_encoding import DEClient
    from timing import least

    client = DEClient(1.0, 16, index_mapper=lambda item: item)
    values = [i % 16 for i in range(20_000)]
    print(json.dumps({"pure-ldp": least(3, lambda: [client.privatise(value) for value in values])[0]}))
