"""Print digests of what every mechanism does for one seed, to see that a change of the code changes none of it.

``PYTHONPATH=. python tests/benchmarks/parity.py FILE`` writes them; with two files, ``parity.py BEFORE AFTER`` prints
the lines in which they differ, and how many there are.  Each example of each mechanism gives its reports, counts,
estimate, errors, intervals, variances, influence, simulations and law; each mechanism at the size of benchmarks gives
reports and counts of more people than are treated at a time.  A refusal counts by its type and text.  Minutes.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from mechanisms import CATALOGUE

from ldpnb import laws
from ldpnb.asked import AsksSome
from ldpnb.core import named
from ldpnb.postprocess import interval
from ldpnb.choose import catalogue

BRANCHES = 3000  # of a law
CROWD = 9000  # people at the size of benchmarks: more than one block
WIDE = 2000  # of mechanisms whose reports are long


def digest(found):
    """A few letters that stand for an array's type, shape and bytes, or for another thing's text."""
    array = np.ascontiguousarray(found)
    if array.dtype.hasobject:
        return hashlib.sha256(repr(found).encode()).hexdigest()[:12]
    described = repr((array.dtype, array.shape)).encode()
    return hashlib.sha256(described + array.tobytes()).hexdigest()[:12]


def attempt(call):
    """What a call returns, or how it refuses."""
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def ends(tally, **how):
    """Both ends of the intervals at 95 %, or the refusal."""
    return attempt(lambda: np.stack(interval(tally, 0.95, **how)))


def of_tally(m, tally):
    """What the server makes of a tally."""
    estimate = attempt(lambda: m.estimate(tally))
    yield "estimate", estimate
    if isinstance(estimate, str):
        return
    shape = estimate.shape
    if tally.counts.ndim > len(m._cells_of(tally.items)):
        shape = shape[1:]  # of one trial
    weights = np.random.default_rng(7).normal(size=shape)
    single = np.zeros(shape)
    single.flat[0] = 1
    for people in (False, True):
        kind = "people" if people else "population"
        yield f"error, {kind}", attempt(lambda people=people: m.standard_error(tally, people=people))
        yield f"interval, {kind}", attempt(lambda people=people: np.stack(m.interval(tally, 1.96, people=people)))
        for together in (False, True):
            yield f"intervals, {kind}, together {together}", ends(tally, people=people, together=together)
        for name, w in (("contrast", weights), ("one weight", single)):
            found = attempt(lambda w=w, people=people: m.contrast_variance(tally, w, people=people))
            yield f"{name}, {kind}", found
    if isinstance(m, AsksSome):
        yield "numbers asked", m.numbers_asked(tally)
        yield "estimate of asked", attempt(lambda: m.estimate_of_asked(tally))
        for people in (False, True):
            found = attempt(lambda people=people: m.standard_error_of_asked(tally, people=people))
            yield f"error of asked {people}", found
            found = attempt(lambda people=people: np.stack(m.interval_of_asked(tally, 1.96, people=people)))
            yield f"interval of asked {people}", found
            found = attempt(lambda people=people: m.contrast_variance_of_asked(tally, weights, people=people))
            yield f"contrast of asked {people}", found


def of_example(example):
    """What an example does for one seed."""
    m, items = example.mechanism, named(example.items)
    rng = np.random.default_rng(1)
    inputs = example.inputs[rng.integers(len(example.inputs), size=400)]
    reports = m.perturb(inputs, rng=np.random.default_rng(2))
    tally = m.tally(reports, *items)
    yield "layout", repr(m.layout)
    yield "reports", reports
    yield "counts", tally.counts
    yield from of_tally(m, tally)
    yield "expected", m.expected(example.inputs, *items)
    yield "variance", m.variance(example.inputs, *items)
    for targets in (1, 2):
        yield f"influence {targets}", attempt(lambda targets=targets: m.influence(targets, *items))
    yield "bits", [m.report_bits, m.public_bits]
    yield "epsilon", [m.epsilon, m.realised_epsilon]
    for name in ("support", "rare_variance", "chances", "keep"):
        yield name, repr(getattr(m, name, None))
    if hasattr(m, "supporters"):
        yield "supporters", m.supporters(tally)
    if hasattr(m, "linear_variance"):
        w = np.random.default_rng(7).normal(size=(4, m.k))
        yield "linear", m.linear_variance(w)
    if isinstance(m, AsksSome):
        yield "variance of asked", m.variance_of_asked(inputs, 10)
    counts = np.arange(1, len(example.inputs) + 1)
    more = {} if example.items is None else {"values": example.inputs}
    for way in ("simulate", "simulate_marginals"):
        if not hasattr(m, way):
            continue
        drawn = attempt(lambda way=way: getattr(m, way)(counts, trials=5, rng=np.random.default_rng(3), **more))
        if isinstance(drawn, str):
            yield way, drawn
            continue
        yield way, drawn.counts
        yield f"{way}, marginal", drawn.marginal
        for name, found in of_tally(m, drawn):
            yield f"{way}, {name}", found
    for i in range(len(example.inputs)):
        yield f"law {i}", attempt(lambda i=i: sorted(map(repr, law_of(m, example.inputs[i : i + 1]).items())))


def law_of(m, value):
    """Law of the report of one person."""
    return laws(m, value, limit=BRANCHES)[0]


def of_entry(entry):
    """What a mechanism at the size of benchmarks does with a crowd."""
    m = entry.build(entry.bench, 1.0)
    n = CROWD if m.server_cost == "report" else WIDE
    people = entry.people(m, n, np.random.default_rng(4))
    items = () if entry.items is None else (entry.items(m),)
    reports = m.perturb(people, rng=np.random.default_rng(5))
    tally = m.tally(reports, *items)
    yield "reports", reports
    yield "counts", tally.counts
    yield "estimate", m.estimate(tally)
    yield "influence", attempt(lambda: m.influence(1, *items))


def everything():
    """Digest of each thing of each mechanism, by name."""
    found = {}
    for name, kind in sorted(catalogue().items()):
        for i, example in enumerate(kind.example()):
            print(example.mechanism, flush=True)
            found |= {f"{name} {i}: {part}": digest(x) for part, x in of_example(example)}
    for name, entry in sorted(CATALOGUE.items()):
        print(name, flush=True)
        found |= {f"{name}, crowd: {part}": digest(x) for part, x in of_entry(entry)}
    return found


def main(arguments):
    if len(arguments) == 1:
        found = everything()
        Path(arguments[0]).write_text(json.dumps(found, indent=0), "utf-8")
        print(len(found), "digests")
        return
    before, after = (json.loads(Path(name).read_text("utf-8")) for name in arguments)
    names = sorted({*before, *after})
    differ = [name for name in names if before.get(name) != after.get(name)]
    print(*differ, sep="\n")
    print(f"{len(names)} digests, {len(differ)} differences")


if __name__ == "__main__":
    main(sys.argv[1:])
