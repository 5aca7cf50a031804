"""What every mechanism keeps for any parameters and people it may be given, and how it refuses all else.

What is refused is refused by a ValueError that names the argument and what was got instead, before anything is lost.
What passes, since no meaning is lost by it:

- integers and numbers of numpy, of any width, where Python's are meant, and arrays without axes for integers; an
  integer for a number, but never a number for an integer, not even 2.0, and never True;
- codes of any integer type, in arrays or lists; reports of any integer type that have no fields, but reports that have
  fields, or are bits, only of the very type that the client sends;
- lists of values, but no masked arrays: numpy would count what is masked;
- an empty list for no reports; nobody may be counted, but nobody cannot be asked or estimated;
- on an open domain any integer or string is a value.
"""

import copy
import importlib
import inspect
import json
import math
import pickle
import pkgutil
import random
import re
import sys
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mechanisms import CATALOGUE

import ldpnb
from ldpnb.chance import SystemRandom
from ldpnb.checks import SIZE_MAX
from ldpnb.core import Mechanism, Tally
from ldpnb.keyvalue.states import StateEncoding, StateEncodingSplit
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.succinct import SHist
from ldpnb.records import Records
from ldpnb.sets.privset import PrivSet

NAMES = sorted(CATALOGUE)
CELLS = 2**18  # numbers of a table that is made of people and items: 2 MB
PAIRED = 16  # from this size on, sets of eight leave room for eight others: then ε is attained, and not only a bound
SLOW = {"BlockDesign", "PrivSet", "SubsetSelection"}  # a large one is searched for, or draws a set item by item
ALARM = 1e-6  # of all the sampled checks together


def subclasses(kind):
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def test_catalogue_is_complete():
    for module in pkgutil.walk_packages(ldpnb.__path__, "ldpnb."):
        if module.name != "ldpnb.book":  # which says where it went, as an error
            importlib.import_module(module.name)
    shipped = {kind for kind in subclasses(Mechanism) if kind.__module__.startswith("ldpnb.")}
    concrete = {
        kind
        for kind in shipped  # and not a client of an example in a docstring
        if not inspect.isabstract(kind) and getattr(sys.modules[kind.__module__], kind.__qualname__, None) is kind
    }
    assert {entry.kind for entry in CATALOGUE.values()} == concrete
    assert all(name.split(",")[0] == entry.kind.__qualname__ for name, entry in CATALOGUE.items())


# ------------------------------------------------------------------------------------------------- good arguments


def pure(array):
    """What an array, or arrays of a record, hold, to the last bit."""
    if isinstance(array, Records):
        return pure(array.offsets), pure(array.keys), None if array.values is None else pure(array.values)
    return array.dtype, array.shape, array.tobytes()


def same(one, other):
    counts = one.counts.dtype == other.counts.dtype and np.array_equal(one.counts, other.counts)
    return counts and (one.mechanism, one.n, one.items) == (other.mechanism, other.n, other.items)


def build(name, size, epsilon):
    """Return a mechanism, and as further arguments the candidates where it wants them."""
    entry = CATALOGUE[name]
    mechanism = entry.build(size, epsilon)
    return entry, mechanism, () if entry.items is None else (entry.items(mechanism),)


def whole(name, size, epsilon, n, cut, seed):
    """Send people through all of a mechanism, all alike where `seed` is None."""
    entry, mechanism, items = build(name, size, epsilon)
    one = mechanism.expected(entry.people(mechanism, 1, None), *items)
    n = min(n, max(1, CELLS // one.size))
    cut = min(cut, n)
    values = entry.people(mechanism, n, None if seed is None else np.random.default_rng(seed))
    before = copy.deepcopy(values)

    reports = mechanism.perturb(values, rng=np.random.default_rng(seed))
    assert isinstance(reports, np.ndarray) and len(reports) == n
    sent = reports.copy()
    tally = mechanism.tally(reports, *items)
    assert tally.mechanism is mechanism and tally.n == n and tally.counts.dtype == np.int64
    parts = mechanism.tally(reports[:cut], *items), mechanism.tally(reports[cut:], *items)
    assert same(parts[0] + parts[1], tally) and same(sum(parts), tally) and parts[0].n == cut

    estimate = mechanism.estimate(tally)
    target, noise = mechanism.expected(values, *items), mechanism.variance(values, *items)
    assert estimate.dtype == target.dtype == noise.dtype == np.float64
    assert target.shape == noise.shape == (n, *estimate.shape)
    assert np.isfinite(estimate).all() and np.isfinite(target).all() and np.isfinite(noise).all()
    assert noise.min() >= 0
    assert pure(values) == pure(before) and pure(reports) == pure(sent), "nobody may change what is handed to him"

    assert 0 < mechanism.realised_epsilon <= mechanism.epsilon
    if size >= PAIRED or entry.sizes[1] < PAIRED:
        assert mechanism.realised_epsilon >= 0.99 * mechanism.epsilon
    assert type(mechanism.report_bits) is int and mechanism.report_bits >= 1
    again = replace(mechanism)
    assert again == mechanism and hash(again) == hash(mechanism) and repr(again) == repr(mechanism)
    sent_on, their_tally, their_reports = pickle.loads(pickle.dumps((mechanism, tally, reports)))
    assert sent_on == mechanism and same(their_tally, tally) and pure(their_reports) == pure(reports)
    assert np.array_equal(sent_on.estimate(their_tally), estimate)
    assert same(tally + their_tally, their_tally + tally)


def ends(name):
    """Least and largest size and ε, in all combinations."""
    entry = CATALOGUE[name]
    for size in sorted(set(entry.sizes)):
        marks = [pytest.mark.slow] if name in SLOW and size > 10**5 else []
        for epsilon in entry.epsilons:
            yield pytest.param(name, size, epsilon, marks=marks, id=f"{name}-{size}-{epsilon:g}")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "size", "epsilon"), [case for name in NAMES for case in ends(name)])
def test_ends_of_the_range(name, size, epsilon):
    if size == CATALOGUE[name].sizes[0] or size >= 10**5:
        whole(name, size, epsilon, 1, 0, None)
    if size < 10**5:
        whole(name, size, epsilon, 3, 1, 0)


@pytest.mark.parametrize("name", NAMES)
def test_any_size_epsilon_and_people(name):
    entry = CATALOGUE[name]
    most = min(entry.sizes[1], 10**4) if name in SLOW else entry.sizes[1]

    def between(low, high):
        return st.floats(math.log(low), math.log(high)).map(lambda x: min(max(math.exp(x), low), high))

    @settings(max_examples=30, derandomize=True, deadline=None, database=None)
    @given(
        size=between(entry.sizes[0], most).map(round),
        epsilon=between(*entry.epsilons),
        n=st.integers(1, 50),
        cut=st.integers(0, 50),
        seed=st.none() | st.integers(0, 2**32),
    )
    def check(size, epsilon, n, cut, seed):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            whole(name, size, epsilon, n, cut, seed)

    check()


def entry_size(name):
    """A small size, at which sampled checks see every score often, and mistakes are tried out."""
    least, most = CATALOGUE[name].sizes
    return max(least, min(most, 8))


def own_sets(name):
    """Whether its people have sets, which may be empty."""
    entry, mechanism, _ = build(name, entry_size(name), 1.0)
    return isinstance(entry.people(mechanism, 1, None), Records)


@pytest.mark.parametrize("name", [name for name in NAMES if own_sets(name)])
def test_people_without_anything(name):
    """People with empty sets are people: they report, and add nothing to what is estimated."""
    entry, mechanism, items = build(name, entry_size(name), 1.0)
    some = entry.people(mechanism, 2, None)
    nobody = Records.from_arrays([], [], None if some.values is None else [], n=5)
    reports = mechanism.perturb(nobody, rng=np.random.default_rng(0))
    assert mechanism.tally(reports, *items).n == 5
    assert np.isfinite(mechanism.variance(nobody, *items)).all()
    if name not in ("IOH", "PairSampling"):  # whose combinations have one for "no key"
        assert not mechanism.expected(nobody, *items).any()


@pytest.mark.parametrize("name", NAMES)
def test_estimates_are_near_the_truth(name):
    """Errors of the mean of n = 20,000 scores stay within Bernstein's bound, at a false-alarm rate of 1e-6 for all.

    Scores of different people are independent, with mean `expected` and variance `variance`.  If none is farther
    than b from
    its mean, their sum S, of variance V, has P(|S − E S| > t) ≤ 2 exp(−t²/(2V + 2bt/3)).  For b stands the largest
    distance among 2,000, which leaves out only scores too rare to be seen.

    A factor of 2, a sign or a wrong item shows for every mechanism; for small errors there are the exact tests of each.
    """
    entry, mechanism, items = build(name, min(entry_size(name), max(CATALOGUE[name].bench, 1)), 4.0)
    rng, part, total, variance = np.random.default_rng(1), 2000, 0, 0
    crowds = [entry.people(mechanism, part, source) for source in (None, rng)]  # numbers of all kinds have mean 0
    stated = [(mechanism.expected(values, *items), mechanism.variance(values, *items)) for values in crowds]
    for i in range(10):
        reports, (target, noise) = mechanism.perturb(crowds[i % 2], rng=rng), stated[i % 2]
        mean = mechanism.estimate(mechanism.tally(reports, *items))
        total, variance = total + part * mean - target.sum(0), variance + noise.sum(0)
        if i == 1:
            alone = [mechanism.tally(reports[j : j + 1], *items) for j in range(part)]
            counts = np.stack([tally.counts for tally in alone])
            scores = mechanism.estimate(Tally(mechanism, 1, counts, alone[0].items))
            np.testing.assert_allclose(mean, scores.mean(0), rtol=1e-9, atol=1e-9 * np.abs(scores).max())
            far = np.abs(scores - target).max(0)
    level = math.log(2 * total.size * len(CATALOGUE) / ALARM)
    assert np.all(np.abs(total) <= far * level / 3 + np.sqrt((far * level / 3) ** 2 + 2 * variance * level))


@pytest.mark.parametrize("name", NAMES)
def test_the_operating_system_draws_too(name):
    entry, mechanism, items = build(name, entry_size(name), 1.0)
    values = entry.people(mechanism, 20, np.random.default_rng(0))
    reports = mechanism.perturb(values, rng=SystemRandom())
    assert reports.dtype == mechanism.perturb(values, rng=np.random.default_rng(0)).dtype
    tally = mechanism.tally(reports, *items)  # which refuses what this client cannot send
    assert tally.n == 20 and np.isfinite(mechanism.estimate(tally)).all()


def test_mechanisms_too_large_for_the_catalogue():
    m = SHist(k=10**6, epsilon=1.0, m=2**40)
    tally = m.tally(m.perturb([0, 999_999], rng=np.random.default_rng(0)))
    assert np.isfinite(m.estimate(tally)).all()
    for what in (m.expected, m.variance, m.linear_variance):
        with pytest.raises(ValueError, match="k must be at most 16384 for the inner products of all columns, got 1000"):
            what([0] if what != m.linear_variance else np.ones(10**6))
    for d in (10**6, SIZE_MAX):  # a probability of ε/d, on the grid of 2**-53
        assert 0.5e-6 < StateEncodingSplit(d=d, epsilon=1e-6).realised_epsilon <= 1e-6
        assert 0 < GRR(k=d, epsilon=1e-6).realised_epsilon <= 1e-6
    assert PrivSet(d=10**5, ell=8, epsilon=1.0).report_bits > 10**4


# -------------------------------------------------------------------------------------------------- bad arguments


def fault(call, *names):
    """Return what is wrong about how a call is refused: it must be a ValueError that begins with one of the names."""
    try:
        call()
    except ValueError as error:
        text = str(error)
        named = re.match(rf"({'|'.join(names)})\b", text)
        return None if named and " must " in text and "got" in text and len(text) < 500 else f"says: {text:.200}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "passes"


def faults(cases, names):
    """Faults of several calls, by what they are called with."""
    found = {label: fault(call, *names) for label, call in cases}
    return {label: text for label, text in found.items() if text}


NAN, HUGE = math.nan, 10**30


class Thing:
    """Nothing that anybody knows, of the same name in every process."""

    def __repr__(self):
        return "a thing"


THING = Thing()
NO_COUNT = [NAN, math.inf, -math.inf, -1, HUGE, 10**400, True, np.True_, "1", b"1", None, 1j, 2.0, 0.5, [], [1, 2], {}]
NO_COUNT += [np.array([1, 2]), np.float64(2), np.timedelta64(3), THING]
NO_NUMBER = [NAN, math.inf, -math.inf, -1, HUGE, 1e300, True, np.True_, "1", b"1", None, 1j, [], [0.5], (), {}]
NO_NUMBER += [np.array([0.5]), np.array(0.5), np.float64(NAN), np.timedelta64(3), THING]
NO_LIST = [NAN, -1, 0, 3, HUGE, True, "1", b"11", 1j, [], (), {}, {1, 2}, THING]
GOOD_ZERO = {("RAPPOR", "p")}


def bad_fields(mechanism):
    """Each field of a mechanism, and values that it must not have."""
    for field in fields(mechanism):
        good = getattr(mechanism, field.name)
        if not field.init:
            continue
        if isinstance(good, bool):
            bad = [NAN, 1, 0, "True", None, []]
        elif isinstance(good, int):
            bad = NO_COUNT + [0] * (field.default != 0)
        elif isinstance(good, float):
            bad = NO_NUMBER + [0] * ((type(mechanism).__name__, field.name) not in GOOD_ZERO)
        elif field.default is None:  # it may be left out
            bad = NO_LIST
        else:
            bad = [*NO_LIST, None]
        yield from ((field.name, x) for x in bad)
        if isinstance(good, tuple):
            inside = NO_COUNT if isinstance(good[0], int) else [*NO_NUMBER, 0]
            yield from ((field.name, (x, *good[1:])) for x in inside if not isinstance(good[0], str) or x != "1")


@pytest.mark.parametrize("name", NAMES)
def test_bad_parameters_are_refused(name):
    _, mechanism, _ = build(name, entry_size(name), 1.0)
    found = {}
    for field, bad in bad_fields(mechanism):
        names = ("p", "q") if field in ("p", "q") else (field,)  # p must be below q
        text = fault(lambda field=field, bad=bad: replace(mechanism, **{field: bad}), *names)
        if text:
            found[field, repr(bad)[:60]] = text
    assert not found


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_numpy_are_parameters(name):
    _, mechanism, _ = build(name, entry_size(name), 1.0)
    for field in fields(mechanism):
        good = getattr(mechanism, field.name)
        if not field.init or isinstance(good, bool) or not isinstance(good, int | float):
            continue
        small = np.int16 if good < 2**15 else np.int32
        for kind in (small, np.int64, np.array) if isinstance(good, int) else (np.float64, np.longdouble):
            other = replace(mechanism, **{field.name: kind(good)})
            assert other == mechanism and type(getattr(other, field.name)) is type(good)
            assert other.realised_epsilon == mechanism.realised_epsilon


NOT_ARRAYS = {
    "None": None,
    "number": 7,
    "NaN": NAN,
    "text": "x",
    "bytes": b"ab",
    "object": THING,
    "dict": {0: 1},
    "set": {1},
    "lambda": lambda: 1,
    "type": int,
    "generator": (i for i in range(3)),
    "ragged": [[1], [1, 2]],
    "deep": [[[1]]],
    "list of None": [None],
    "list of different things": ["a", 1.5],
    "fields": np.zeros(3, [("a", int)]),
}


def put(array, value):
    """Put a value in the first place."""
    array = array.copy()
    array.reshape(-1)[0] = value
    return array


def spoiled(array, codes):
    """Spoil an array of codes, or of numbers in [−1, 1]."""
    yield "NaN", put(array.astype(float), NAN)
    yield "infinity", put(array.astype(float), -math.inf)
    yield "negative", put(array, -2)
    yield "too large", put(array, 2**62) if codes and array.dtype.itemsize == 8 else put(array.astype(float), 1.5)
    yield "unsigned", put(array.astype(np.uint64), 2**63 + 5)
    yield "huge", put(array.astype(object), HUGE)
    yield "a None", put(array.astype(object), None)
    for kind in (object, str, "S", bool, complex, "M8[s]", "m8[s]", "V8"):
        yield f"of type {kind}", array.astype(kind)
    if codes:
        yield "floats", array.astype(float)
        yield "half floats", array.astype(np.float16)
    yield from misshapen(array)


def misshapen(array):
    yield "of no axis", array.reshape(-1)[0]
    yield "an axis more", array[None]
    yield "a last axis more", array[..., None]
    yield "masked", np.ma.masked_array(array, mask=np.arange(array.size).reshape(array.shape) == 0)
    if array.ndim == 2:
        yield "a column less", array[:, :-1]
        yield "a column more", np.concatenate([array, array[:, :1]], 1)
        yield "no columns", array[:, :0]


def spoiled_records(records, bounded):
    yield "keys alone, as an array", records.keys
    yield "a list", [{0: 0.5}]
    yield "nobody", records[:0]
    one = np.array([0, 1])
    value = None if records.values is None else np.array([0.5])
    yield "a negative key", Records(one, np.array([-1]), value)
    if bounded:
        yield "a key too large", Records(one, np.array([2**62]), value)
    if value is not None:
        yield "no values", Records(one, np.array([0]))
        for what, x in (("NaN", NAN), ("infinity", math.inf), ("too large", 1.0000001), ("huge", HUGE), ("text", "a")):
            yield what, Records(one, np.array([0]), np.array([x]))
        yield "bool", Records(one, np.array([0]), np.array([True]))
        yield "masked", Records(one, np.array([0]), np.ma.masked_array([0.5], mask=[True]))


def bad_values(name, mechanism, values):
    yield from NOT_ARRAYS.items()
    yield "nobody", values[:0]
    if isinstance(values, Records):
        yield from spoiled_records(values, hasattr(mechanism, "d"))
    elif values.dtype.names:
        yield "an item alone", values["item"]
        yield "other names", values.astype([("item", int), ("other", int)])
        yield "floats", values.astype([("item", float), ("level", float)])
        yield "an axis more", values[None]
        yield from spoiled_fields(values)
    elif name == "Unknown":
        for bad in (["a" * 50], ["ab!"], ["_a"], [b"a"], [1, 2], ["a", None], [["a", "b"]], [1.5]):
            yield repr(bad), bad
    elif name in ("RAPPOR", "ORR"):
        for kind in (float, bool, complex, "S", "M8[s]"):
            yield f"of type {kind}", np.arange(len(values)).astype(kind)
        yield from misshapen(values)
    else:
        yield from spoiled(values, values.dtype.kind == "i")


def spoiled_fields(array):
    """Put numbers out of range into each integer field."""
    for name in array.dtype.names:
        if array.dtype[name].base.kind == "i":
            for bad in (-1, 2**31 - 1, 2**62, 2**63 - 1):
                other = array.copy()
                other[name][0] = bad
                yield f"{bad} in {name}", other


def bad_reports(reports):
    yield from NOT_ARRAYS.items()
    names = reports.dtype.names
    if names:
        parts = {name: (reports.dtype[name].base, reports.dtype[name].shape) for name in names}
        yield "one field alone", reports[names[0]]
        yield "as a list", reports.tolist()
        yield "other order", reports.astype([(name, *parts[name]) for name in names[::-1]])
        yield "of no axis", reports[0]
        yield "an axis more", reports[None]
        yield "masked", np.ma.masked_array(reports)
        yield from spoiled_fields(reports)
        for one in names:
            kind, shape = parts[one]
            longer = (*shape[:-1], shape[-1] + 1) if shape else (2,)
            yield f"without {one}", reports[[name for name in names if name != one]]
            yield f"{one} renamed", reports.astype([("other" if n == one else n, *p) for n, p in parts.items()])
            for bad in [(kind, longer), *((bad, shape) for bad in ("f8", "u1", "i4", "O", "U3"))]:
                changed = parts | {one: bad}
                yield f"{one} of type {bad}", np.zeros(5, [(name, *part) for name, part in changed.items()])
    elif reports.dtype.kind == "b" or reports.dtype == np.uint8:  # bits, or eight of them in a byte
        for kind in (int, np.bool_, np.uint8, float, str, object):
            if kind is not reports.dtype.type:
                yield f"of type {kind.__name__}", reports.astype(kind)
        yield from misshapen(reports)
    else:
        yield from spoiled(reports, True)


VALUE_NAMES = ("values?", "keys?", r"values\[:, \d+\]", "item", "level")


@pytest.mark.parametrize("name", NAMES)
def test_bad_values_are_refused(name):
    entry, mechanism, items = build(name, entry_size(name), 1.0)
    values = entry.people(mechanism, 5, np.random.default_rng(0))
    bad = list(bad_values(name, mechanism, values))
    assert len(bad) > 20
    cases = {
        "perturb": lambda x: mechanism.perturb(x, rng=np.random.default_rng(0)),
        "target": lambda x: mechanism.expected(x, *items),
        "noise": lambda x: mechanism.variance(x, *items),
    }
    for what, call in cases.items():  # nobody has no targets
        some = [(label, lambda x=x: call(x)) for label, x in bad if label != "nobody" or what == "perturb"]  # noqa: B023
        assert not faults(some, VALUE_NAMES), what


@pytest.mark.parametrize("name", NAMES)
def test_bad_reports_are_refused(name):
    entry, mechanism, items = build(name, entry_size(name), 1.0)
    reports = mechanism.perturb(entry.people(mechanism, 5, np.random.default_rng(0)), rng=np.random.default_rng(0))
    bad = list(bad_reports(reports))
    assert len(bad) > 20
    names = ("reports", *(reports.dtype.names or ()))
    assert not faults(((label, lambda x=x: mechanism.tally(x, *items)) for label, x in bad), names)


@pytest.mark.parametrize("name", [name for name in NAMES if CATALOGUE[name].items])
def test_bad_candidates_are_refused(name):
    entry, mechanism, items = build(name, CATALOGUE[name].sizes[0], 1.0)
    values = entry.people(mechanism, 5, np.random.default_rng(0))
    reports = mechanism.perturb(values, rng=np.random.default_rng(0))
    bad = {**NOT_ARRAYS, "none": [], "twice": [1, 1], "bool": [True], "floats": [1.0], "many axes": [[1, 2]]}
    bad["generator"] = (i for i in range(3))
    for call in (
        lambda x: mechanism.estimate(mechanism.tally(reports, x)),
        lambda x: mechanism.expected(values, x),
        lambda x: mechanism.variance(values, x),
    ):
        cases = ((label, lambda x=x: call(x)) for label, x in bad.items())  # noqa: B023
        assert not faults(cases, ("items",))


@pytest.mark.parametrize("name", NAMES)
def test_bad_sources_of_randomness_are_refused(name):
    entry, mechanism, _ = build(name, entry_size(name), 1.0)
    values = entry.people(mechanism, 2, None)
    bad = [None, 0, "rng", random.Random(0), random, np.random, np.random.RandomState(0), np.random.Generator]
    bad += [np.random.PCG64(0), SystemRandom]
    assert not faults(((repr(x)[:40], lambda x=x: mechanism.perturb(values, rng=x)) for x in bad), ("rng",))


@pytest.mark.parametrize("name", NAMES)
def test_bad_tallies_are_refused(name):
    entry, mechanism, items = build(name, entry_size(name), 1.0)
    reports = mechanism.perturb(entry.people(mechanism, 3, None), rng=np.random.default_rng(0))
    tally, stranger = mechanism.tally(reports, *items), GRR(k=7, epsilon=0.3).tally([0, 1])
    other_epsilon = build(name, entry_size(name), 1.5)[1]
    cases = {
        "foreign": stranger,
        "of another ε": replace(tally, mechanism=other_epsilon),
        "empty": mechanism.tally(reports[:0], *items),
        "counts": tally.counts,
        "None": None,
    }
    assert not faults(((label, lambda x=x: mechanism.estimate(x)) for label, x in cases.items()), ("tally",))
    assert fault(lambda: tally + stranger, "tallies") is None
    for other in (1, 1.0, None, tally.counts, reports):
        with pytest.raises(TypeError):
            tally + other


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(CATALOGUE[name].kind, "linear_variance")])
def test_bad_simulations_are_refused(name):  # those that take holdings: see test_robust_functions.py
    _, mechanism, _ = build(name, entry_size(name), 1.0)
    counts = np.arange(1, mechanism.k + 1)
    bad = [None, [], [1], -counts, counts * 1.0, counts.astype(str), counts * 0, counts[None], counts * 2**52, "x"]
    bad += [counts.astype(object), np.append(counts, 1), np.ma.masked_array(counts, mask=counts > 3), put(counts, -1)]
    rng = np.random.default_rng(0)
    for simulate in {"simulate", "simulate_marginals"} & set(dir(mechanism)):

        def call(rng=None, simulate=simulate, **more):
            told = {"counts": counts, "trials": 1} | more
            return getattr(mechanism, simulate)(told["counts"], trials=told["trials"], rng=rng)

        assert call(rng).n == counts.sum()
        assert not faults(((repr(x)[:60], lambda x=x: call(rng, counts=x)) for x in bad), ("counts",))
        assert not faults(((repr(x)[:60], lambda x=x: call(rng, trials=x)) for x in [*NO_COUNT, 0]), ("trials",))
        for source in (None, 0, np.random.RandomState(0), SystemRandom()):
            assert fault(lambda source=source: call(source), "rng") is None


# ------------------------------------------------------------------------------------------------ tallies, records


ORACLE = GRR(k=3, epsilon=1.0)


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        *(({"n": n}, "n") for n in [*NO_COUNT, 2**53]),
        *(({"counts": np.array([0, 1, 2], kind)}, "counts") for kind in ("i4", "u8", "f8", "O", "?", "c16", "U1")),
        *(({"counts": counts}, "counts") for counts in ([0, 1, 2], None, 3, "abc", (0, 1, 2))),
        *(({"counts": np.array([0, 1, bad])}, "counts") for bad in (-1, -(2**63), 2**53, 2**63 - 1)),
        *(({"mechanism": bad}, "mechanism") for bad in (None, "GRR", GRR, 3)),
    ],
    ids=lambda x: repr(x)[:60],
)
def test_bad_tallies_cannot_be_made(bad, name):
    good = {"mechanism": ORACLE, "n": 3, "counts": np.array([0, 1, 2])}
    assert Tally(**good).n == 3
    assert fault(lambda: Tally(**(good | bad)), name) is None


@settings(max_examples=100, derandomize=True, deadline=None, database=None)
@given(st.lists(st.tuples(*[st.integers(0, 2**53 - 1)] * 4), min_size=1, max_size=6))
def test_sums_of_tallies_are_right_or_refused(rows):
    tallies = [Tally(ORACLE, n, np.array(counts)) for n, *counts in rows]
    n, *counts = (sum(column) for column in zip(*rows, strict=True))
    if max(n, *counts) < 2**53:
        found = sum(tallies)
        assert found.n == n and found.counts.tolist() == counts
    else:
        with pytest.raises(ValueError, match=r"(n|counts) must be .*2\*\*53|n must be at most 9007199254740991, got"):
            sum(tallies)


def test_tallies_of_other_shapes_and_candidates_are_not_added():
    one = Tally(ORACLE, 3, np.array([0, 1, 2]))
    for other, rule in (
        (Tally(ORACLE, 3, np.array([[0, 1, 2]])), "the same shape"),
        (Tally(ORACLE, 3, np.array([3])), "the same shape"),  # which numpy would add to every count
        (Tally(ORACLE, 3, np.array([0, 1, 2]), ("a", "b", "c")), "the same items"),
    ):
        for sum_of in (lambda other=other: one + other, lambda other=other: other + one):
            with pytest.raises(ValueError, match=f"tallies must .* {rule}"):
                sum_of()


@pytest.mark.parametrize(
    ("offsets", "keys", "values", "name"),
    [
        ([0, 1], [], None, "offsets"),
        ([0, 1], [0, 1], None, "offsets"),
        ([1, 2], [0, 1], None, "offsets"),
        ([0, 2, 1, 2], [0, 1], None, "offsets"),
        ([0, -1, 2], [0, 1], None, "offsets"),
        ([], [], None, "offsets"),
        ([0.0, 1.0], [0], None, "offsets"),
        (["0", "1"], [0], None, "offsets"),
        ([[0, 1]], [0], None, "offsets"),
        ([0, 1], [0.0], None, "offsets and keys"),
        ([0, 1], [None], None, "offsets and keys"),
        ([0, 1], [True], None, "offsets and keys"),
        ([0, 1], [[0]], None, "keys"),
        ([0, 1], [0], [0.5, 0.5], "values"),
        ([0, 1], [0], [], "values"),
        ([0, 1], [0], [[0.5]], "values"),
        ([0, 2], [4, 4], None, "keys"),
        ([0, 0, 3], [4, 5, 4], None, "keys"),
        ([0, 1, 4, 4], [9, 7, 8, 7], [0.5] * 4, "keys"),
    ],
    ids=str,
)
def test_records_that_do_not_fit_together_are_refused(offsets, keys, values, name):
    def made():
        return Records(np.array(offsets), np.array(keys, None if keys else int), values and np.array(values))

    if values == []:

        def made():
            return Records(np.array(offsets), np.array(keys), np.array([]))

    assert fault(made, name) is None


INTEGERS = [np.uint8, np.int16, np.uint32, np.uint64, np.dtype(">i8")]


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
@pytest.mark.parametrize("offsets", [[0, 2, 1, 3], [0, 3, 0, 3]], ids=str)
def test_records_whose_offsets_fall_are_refused_in_any_integers(offsets, kind):
    """The difference of unsigned integers is never negative."""
    with pytest.raises(ValueError, match="offsets must rise"):
        Records(np.array(offsets, kind), np.arange(3))


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_records_of_any_integers_are_the_same(kind):
    """Sums of unsigned lengths are unsigned, and numpy mixes them with other integers in few places."""
    made = Records(np.array([0, 2, 3], kind), np.array([0, 1, 1], kind))
    assert made.offsets.dtype == made.keys.dtype == np.int64
    assert made.users.tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match=r"keys must be below 2\*\*63, got 9223372036854775813"):
        Records(np.array([0, 1]), np.array([2**63 + 5], np.uint64))


@settings(max_examples=100, derandomize=True, deadline=None, database=None)
@given(
    st.lists(st.lists(st.integers(0, 5), max_size=5), max_size=5),
    st.booleans(),
)
def test_records_are_refused_for_repeated_keys_alone(people, ordered):
    people = [sorted(keys) if ordered else keys for keys in people]
    offsets = np.cumsum([0, *map(len, people)])
    flat = np.array([key for keys in people for key in keys], np.int64)
    if any(len(set(keys)) < len(keys) for keys in people):
        with pytest.raises(ValueError, match="keys must be distinct within a person, got . twice for user"):
            Records(offsets, flat)
    else:
        assert Records(offsets, flat).sizes.tolist() == list(map(len, people))


@pytest.mark.parametrize("bad", [None, 3, [1], "12", ("a",), np.ones(1), {0: NAN}, {0: "x"}, {"a": 1.0}, {0.5}, {-1}])
def test_bad_people_are_refused(bad):
    assert fault(lambda: Records.of(bad), "people", "value", "key") is None


# --------------------------------------------------------------------------------------------------- report files


PARTITIONS = {
    "GRR": GRR(k=5, epsilon=1.0),
    "SE": StateEncoding(d=3, epsilon=1.0),
    "bits": CATALOGUE["SUE"].build(5, 1.0),
    "nested": CATALOGUE["SampledHybrid"].build(4, 7.5),
}


@pytest.fixture(scope="module", params=sorted(PARTITIONS))
def partition(request, tmp_path_factory):
    """Return what counts a partition, a partition, and its table."""
    collect, pq = pytest.importorskip("ldpnb.collecting.partitions"), pytest.importorskip("pyarrow.parquet")
    mechanism, rng = PARTITIONS[request.param], np.random.default_rng(0)
    entry = CATALOGUE[type(mechanism).__name__]
    reports = mechanism.perturb(entry.people(mechanism, 40, rng), rng=rng)
    path = tmp_path_factory.mktemp(request.param) / "good.parquet"
    collect.save(reports, path, mechanism)

    def count(path):
        empty = mechanism.tally(reports[:0])
        return sum((mechanism.tally(part) for part in collect.read(path, mechanism)), empty)

    assert same(count(path), mechanism.tally(reports))
    return count, path, pq.read_table(path)


def foreign_tables(table):
    """Other tables with the metadata of a partition."""
    import pyarrow as pa

    meta, name = table.schema.metadata, table.column_names[-1]
    column = table[name].combine_chunks()

    def of(columns):
        return pa.table(columns).replace_schema_metadata(meta)

    def instead(array):
        return of(dict(zip(table.column_names, [*table.columns[:-1], array], strict=True)))

    rest = {other: table[other] for other in table.column_names[:-1]}
    holes = pa.array([None, *column.to_pylist()[1:]], column.type)
    yield "empty", table.slice(0, 0)
    yield "no columns", of({"other": [1, 2]})
    yield "one column less", of(rest or {"other": [1]})
    yield "one column more", table.append_column("other", pa.array(range(table.num_rows)))
    yield "renamed", of(rest | {"other": column})
    yield "two of one name", table.append_column(name, column)
    yield "other order", table.select(table.column_names[::-1])
    yield "nulls", instead(holes)
    yield "only nulls", instead(pa.nulls(table.num_rows))
    yield "nulls of the type", instead(pa.nulls(table.num_rows, column.type))
    yield "text", instead(pa.array(["a"] * table.num_rows))
    yield "numerals", instead(pa.array([str(x) for x in column.to_pylist()]))
    yield "floats", instead(pa.array([0.5] * table.num_rows))
    yield "whole floats", instead(pa.array([1.0] * table.num_rows))
    yield "large", instead(pa.array([2**62] * table.num_rows))
    yield "lists", instead(pa.array([[1, 2]] * table.num_rows))
    yield "lists of several lengths", instead(pa.array([[1]] * (table.num_rows - 1) + [[]]))
    yield "structs", instead(pa.array([{"a": 1}] * table.num_rows))
    yield "dates", instead(pa.array([0] * table.num_rows, pa.date32()))
    if not pa.types.is_nested(column.type):
        yield "dictionary", instead(column.dictionary_encode())


@pytest.mark.filterwarnings("error")
def test_foreign_tables_are_refused_or_counted_rightly(partition, tmp_path):
    import pyarrow.parquet as pq

    count, path, table = partition
    true, found = count(path), {}
    for label, other in foreign_tables(table):
        foreign = tmp_path / f"{label.replace(' ', '-')}.parquet"
        pq.write_table(other, foreign)
        try:
            counted = count(foreign)
            if not same(counted, true) and counted.n + other.num_rows:
                found[label] = f"counted {counted.n} reports"
        except ValueError as error:  # of whoever reads the file, or of the mechanism
            if str(foreign) not in str(error) and not re.match(r"(reports|key|state)\b", str(error)):
                found[label] = str(error)
        except Exception as error:
            found[label] = f"{type(error).__name__}: {error}"
    assert not found


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PAR1",
        b"PAR1PAR1",
        b"PAR1" + bytes(100) + b"PAR1",
        b"PAR1" + b"\xff" * 12 + b"PAR1",
        b"\x93NUMPY\x01\x00",
        b"a,b\n1,2\n",
        json.dumps({"a": 1}).encode(),
        bytes(1000),
    ],
    ids=lambda x: repr(x[:12]),
)
def test_files_of_other_kinds_are_refused(partition, tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(str(path))):
        partition[0](path)


def test_folders_are_refused(partition, tmp_path):
    with pytest.raises(ValueError, match=re.escape(str(tmp_path))):
        partition[0](tmp_path)
