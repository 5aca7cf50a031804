"""Questions for the chooser, of every task: what its invariants, and the page that copies it, are tested on."""

from itertools import product

EPSILONS = (0.01, 0.1, 0.7, 1.0, 2.0, 3.3, 8.0, 16.0)


def _all(**options):
    return [dict(zip(options, values, strict=True)) for values in product(*options.values())]


def _shaped(shapes, *names, **options):
    return [
        dict(zip(names, shape, strict=True)) | more
        for shape, more in product(shapes, _all(epsilon=EPSILONS, **options))
    ]


GRID = {
    "item": _shaped([(2,), (3,), (5,), (64,), (1000,), (5000,)], "k", share=(0.0, 0.3, 1.0)),
    "sets": _shaped([(1, 1), (7, 3), (1000, 8), (5000, 60)], "d", "m", share=(0.0, 0.2)),
    "frequent": _shaped([(7, 3, 2), (7, 2, 7), (1000, 8, 60)], "d", "m", "candidates", share=(0.0, 0.2)),
    "number": _shaped([()]),
    "numbers": _shaped([(2,), (3,), (10,), (101,), (4096,), (4097,)], "d"),
    "distribution": _shaped([(2,), (7,), (64,), (100,)], "k"),
    "pairs": _shaped([(1, 1), (7, 3), (1000, 8), (50_000, 60)], "d", "m", share=(0.0, 0.1, 1.0)),
    "correlation": _shaped([(2,), (3,), (6,), (13,), (100,)], "d", share=(0.0, 0.3)),
    "marginals": _shaped([(2, 2), (5, 3), (16, 4), (9, 400)], "d", "k", share=(0.0, 0.3)),
    "crosstabs": _shaped([(2, 2), (5, 3), (16, 4), (12, 2), (9, 400)], "d", "k", share=(0.0, 0.3)),
}
LIMITS = [
    ("item", dict(k=1000, epsilon=1.0, bits=64)),
    ("item", dict(k=1000, epsilon=1.0, bits=2, public_free=True)),
    ("item", dict(k=200_000, epsilon=1.0, listed=False)),
    ("item", dict(k=200_000, epsilon=1.0)),
    ("sets", dict(d=20_000, m=8, epsilon=1.0, bits=11)),
    ("sets", dict(d=20_000, m=8, epsilon=1.0, bits=1)),
    ("frequent", dict(d=1000, m=8, candidates=10, epsilon=1.0, listed=False, bits=100)),
    ("number", dict(epsilon=2.0, bits=1)),
    ("numbers", dict(d=80, epsilon=6.0, bits=9)),
    ("distribution", dict(k=64, epsilon=1.0, bits=8)),
    ("item", dict(k=1000, epsilon=1.0, bits=10)),
    ("item", dict(k=100, epsilon=3.0, bits=8)),
    ("numbers", dict(d=80, epsilon=6.0, bits=12)),
    ("item", dict(k=300, epsilon=3.0, bits=64)),
    ("item", dict(k=64, epsilon=1.0, bits=6, public_free=True)),
    ("sets", dict(d=1000, m=8, epsilon=1.0, bits=64)),
    ("marginals", dict(d=16, k=3, epsilon=4.0, share=0.2, bits=9, public_free=True)),
    ("crosstabs", dict(d=16, k=2, epsilon=8.0, bits=9)),
    ("pairs", dict(d=500, m=8, epsilon=1.0, listed=False)),
    ("pairs", dict(d=300, m=8, epsilon=1.0, low=1, high=5)),
    ("number", dict(epsilon=0.5, low=18, high=90)),
    ("numbers", dict(d=3, epsilon=1.0, low=-0.25, high=0.5)),
    ("correlation", dict(d=11, epsilon=1.0, bits=20)),
    ("marginals", dict(d=100, k=1000, epsilon=1.0)),
    ("crosstabs", dict(d=100, k=1000, epsilon=1.0)),
    ("crosstabs", dict(d=20, k=10, epsilon=1.0, bits=15)),
]
N = 100_000


def questions(every=1):
    """Task and arguments of each question, or of a part of them."""
    for task, asked in GRID.items():
        yield from ((task, {"n": N} | one) for one in asked[::every])
    yield from ((task, {"n": N} | one) for task, one in LIMITS)
