"""Screening of reports: what those of an honest crowd look like whatever its values are, and which ones stand out.

Public parts have a known law: seeds, rows, cohorts and keys are uniform, and levels of a hierarchy have known odds.  So
has the slot of a value under a seed of one's own, and the number of ones in a report follows a law that all values
share, or lies between two.  Reports that are made to look honest in these things pass: `core.Mechanism.influence` says
what they can do.  For some mechanisms there is no test, and `Screening` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from math import exp, lgamma, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldpnb.attributes import DrawnAttributes, HarmonyFrequency
from ldpnb.attributes.bitflip import Flip
from ldpnb.checks import is_number, shown
from ldpnb.core import Bools, Floats, Ints, Mechanism, Reports, Tally
from ldpnb.hashing import Modular, SlotTable
from ldpnb.kernels import fwht
from ldpnb.keyvalue import IOH, PCKVUE, StateEncodingSplit
from ldpnb.keyvalue.wheel import Wheel, WheelKV
from ldpnb.numbers.ranges import Hierarchy
from ldpnb.oracles.asking import told_in
from ldpnb.oracles.base import ItemOracle
from ldpnb.oracles.grr import GRR
from ldpnb.oracles.hadamard import HadamardResponse
from ldpnb.oracles.succinct import SHist
from ldpnb.oracles.unary import UnaryEncoding
from ldpnb.sets.base import SetMechanism
from ldpnb.sets.sampling import SampledSUE
from ldpnb.strings import RAPPOR, Unknown

BINS = 256  # of a public number that can have more values

Test = tuple[str, float, Floats | None]  # name, p-value, and that of each report, if it can be told


@dataclass(frozen=True, eq=False)
class Screening:
    """What was tested, and what stood out; ``print`` says it in words.

    Attributes
    ----------
    alarm : float
        Probability, at most, that an honest crowd fails any of the tests.
    p_values : dict of str to float
        Of each test; exact or too large, never too small.  A crowd fails where ``p * len(p_values) < alarm``.
    suspects : dict of str to ndarray of int64
        For each test that was failed and can tell, the places of the reports that stand out: the forged ones, and
        those honest ones that have the same row, slot or number of ones by chance.
    mechanism : str
        Whose reports they are.
    """

    alarm: float
    p_values: dict[str, float]
    suspects: dict[str, Ints]
    mechanism: str = ""

    @property
    def tested(self) -> bool:
        """Whether there was any test; if not, that none failed says nothing."""
        return bool(self.p_values)

    @property
    def failed(self) -> list[str]:
        """Names of the tests that an honest crowd would hardly fail; see `tested`."""
        return [name for name, p in self.p_values.items() if p * len(self.p_values) < self.alarm]

    def __str__(self) -> str:
        """Say which tests there were, and which of them failed, or that there was none."""
        if not self.tested:
            return f"{self.mechanism}: there is no test for its reports; that none failed says nothing about them"
        failed, wide = self.failed, max(map(len, self.p_values))
        lines = [f"{self.mechanism}: {len(failed)} of {len(self.p_values)} tests failed, alarm = {self.alarm:g}"]
        for name, p in self.p_values.items():
            line = f"{name:<{wide}}  p = {p:.2g}"
            if name in failed:
                line += "  failed"
            if name in self.suspects:
                line += f", {len(self.suspects[name])} reports stand out"
            lines.append(line)
        return "\n".join(lines)

    __repr__ = __str__


def screen(mechanism: Mechanism, reports: Reports, *, alarm: float = 1e-6) -> Screening:
    """Test whether reports look like those of an honest crowd, whatever its values may be.

    It finds all-ones reports, copies of one report or seed, seeds that put all items into one slot, public parts and
    slots that a crowd prefers, and shares that no values explain.  It cannot find reports that an honest client draws
    for values of the forger's choice, nor reports that differ from honest ones only in which of their bits are set.

    There is no test for `MatrixMechanism`, `PCKVGRR`, `MeanEst`, `TwoPoint`, `Hybrid`, `Piecewise` and `Laplace`: then
    `Screening.tested` is False, and an empty list of failed tests says nothing.

    Parameters
    ----------
    mechanism : Mechanism
    reports : ndarray (n, …)
        As `Mechanism.tally` takes them, from people who drew independently: one report per person.
    alarm : float in (0, 1)
        Probability of a false alarm, at most, over all tests together.

    Returns
    -------
    Screening
        Without any test for the mechanisms named above; `Screening.tested` and its text say so.

    Raises
    ------
    ValueError
        If there is no report, or one that cannot come from this mechanism's client, or `alarm` is out of range.

    Examples
    --------
    >>> from ldpnb import OUE
    >>> oracle, rng = OUE(k=64, epsilon=1.0), np.random.default_rng(0)
    >>> reports = oracle.perturb(rng.integers(0, 64, 10_000), rng=rng)
    >>> screen(oracle, reports).failed
    []
    >>> reports[:3] = True
    >>> screen(oracle, reports).suspects["ones of each report"]
    array([0, 1, 2])
    """
    if not isinstance(mechanism, Mechanism):
        raise ValueError(f"mechanism must be a Mechanism, got {shown(mechanism)}")
    if not is_number(alarm) or not 0 < alarm < 1 or not 0 < (level := float(alarm)) < 1:
        raise ValueError(f"alarm must be a probability in (0, 1), got {shown(alarm)}")
    m: Mechanism = mechanism.oracle if isinstance(mechanism, IOH) else mechanism
    y = m._reports(reports)
    if len(y) == 0:
        raise ValueError("reports must hold at least one report, got none")
    tests = _tests(m, y)
    own = [(name, np.flatnonzero(each * len(tests) < level)) for name, _, each in tests if each is not None]
    p_values = {name: min(1.0, float(p)) for name, p, _ in tests}
    named = mechanism.label or type(mechanism).__name__
    return Screening(level, p_values, {name: places for name, places in own if places.size}, named)


def _tests(m: Mechanism, y: NDArray[Any]) -> list[Test]:
    """Make all tests that there are for a mechanism."""
    if isinstance(m, Hierarchy):
        return [*_levels(m, y)]
    if isinstance(m, DrawnAttributes):  # whatever is asked, the oracle has been told an item
        return [*_public(m, y, {m.question}), *_tests(m.oracle, m.oracle._reports(told_in(y, m.oracle)))]
    tests = [*_public(m, y, {*m.public_fields}), *_seeds(m, y), *_counts(m, y)]
    if isinstance(m, HadamardResponse):
        tests += _indices(m, y)
    return tests + [test for bits in _bits(m, y) for test in _ones(bits)]


def _levels(m: Hierarchy, y: NDArray[Any]) -> Iterator[Test]:
    """Levels have known odds; given the levels, the reports of each are those of its own oracle."""
    yield _categories("level", y["level"][:, None], m.odds, m.odds)
    for i, oracle in enumerate(m.oracles):
        here = np.flatnonzero(y["level"] == i)
        told = oracle._reports(told_in(y[here], oracle))
        some = told if here.size else oracle._worst()[:1]  # without any, its tests are counted all the same
        for name, p, each in _tests(oracle, some):
            of_all = None
            if each is not None:
                of_all = np.ones(len(y))
                of_all[here] = each if here.size else 1.0
            yield f"{name} at level {i}", p if here.size else 1.0, of_all


# ------------------------------------------------------------------------------------------------ what is uniform


def _binned(words: Ints, values: int, bins: int = BINS) -> tuple[Ints, Floats]:
    """Put numbers with so many values into no more than so many bins; and the bins' shares of the values."""
    edges = np.array([-(-i * values // min(values, bins)) for i in range(min(values, bins) + 1)])
    return np.searchsorted(edges, words, "right") - 1, np.diff(edges) / values


def _categories(name: str, cells: Ints, low: Floats, high: Floats) -> Test:
    """How many reports are in each category, one of which has a probability from `low` to `high`; cells are (n, r)."""
    from scipy.stats import binom

    n, counts = len(cells), np.bincount(cells.ravel(), minlength=len(low))
    many = np.asarray(binom.sf(counts - 1, n, np.minimum(high, 1)))
    few = np.asarray(binom.cdf(counts, n, np.maximum(low, 0)))
    return name, 2 * len(low) * min(many.min(), few.min()), 2 * len(low) * many[cells].min(1)


def _public(m: Mechanism, y: NDArray[Any], fields: set[str]) -> Iterator[Test]:
    """Public numbers are uniform: each word of a seed alone, of sets of numbers each member."""
    for name in sorted(fields - {"level"}):  # a level of ε is chosen
        words, values = y[name].reshape(len(y), -1).astype(np.int64), int(m.layout[name][1])
        if isinstance(m, HarmonyFrequency) and name == "row":  # of the attribute's own matrix; all are powers of two
            values = int(m.m.min())
            words = words * values // m.m[y["attribute"]][:, None]
        drawn, (cells, shares) = words.shape[1], _binned(words, values)
        if name == "seed":
            yield _categories(name, cells + len(shares) * np.arange(drawn), *[np.tile(shares, drawn)] * 2)
        elif drawn == 1 or values == len(shares):  # of a set from many numbers, several can share a bin
            yield _categories(name, cells, *[shares * drawn] * 2)


def _seeds(m: Mechanism, y: NDArray[Any]) -> Iterator[Test]:
    """Seeds are not repeated, tell items apart, and lead values to slots that are uniform, or nearly."""
    from scipy.stats import binom

    family, n = getattr(getattr(m, "oracle", m), "hash", None), len(y)
    if family is None or "seed" not in (y.dtype.names or ()):
        return
    seeds, values = y["seed"], float(m.layout["seed"][1])
    _, which, counts = np.unique(seeds, axis=0, return_inverse=True, return_counts=True)
    possible = values ** seeds.shape[1]
    each = (possible * binom.sf(counts - 1, n, 1 / possible))[which.ravel()]
    yield "copies of a seed", each.min(), each
    same = (seeds == seeds[:, :1]).all(1) if isinstance(family, SlotTable) else ~seeds[:, :-1].any(1)
    p = float(binom.sf(same.sum() - 1, n, values ** (1 - seeds.shape[1])))
    yield "seeds that tell no items apart", p, np.where(same, p, 1.0)
    cells, shares = _binned(y["slot"][:, None], family.slots)
    if isinstance(family, Modular):
        own, other = (float(x) for x in GRR(k=family.slots, epsilon=m.epsilon).support)
        law = other + (own - other) * _binned(cells, family.prime, family.slots)[1]
        yield _categories("slot", y["slot"][:, None], law, law)
    elif isinstance(m, Wheel | WheelKV):  # to turn all hash values turns slots, but for the values at their edges
        off = 0.0 if m.table else m.m * m.slot_count / 2**32
        yield _categories("slot", cells, shares - off, shares + off)


# ----------------------------------------------------------------------------------- what lies between two laws


def _counts(m: Mechanism, y: NDArray[Any]) -> Iterator[Test]:
    """Each item is supported by a report with a probability between two, whoever sends it."""
    from scipy.stats import binom

    if isinstance(m, ItemOracle | SetMechanism) and not isinstance(m, SHist):
        low, high = sorted(float(x) for x in m.support)
        counts = np.rint(m.supporters(Tally(m, len(y), m._count(y))))
        p = min(binom.sf(counts - 1, len(y), high).min(), binom.cdf(counts, len(y), low).min())
        yield "share of an item", 2 * len(counts) * p, None


def _indices(m: HadamardResponse, y: Ints) -> Iterator[Test]:
    """Test that indices of Hadamard response are as likely as items can make them.

    A report is drawn from the own item's set with probability κ, and else from all K = Bb indices.  So an index has a
    probability between (1−κ)/K and that plus 2κ/b, if it is in the set of any item.  A place in the block has the
    same, times B, over all blocks; the first place is in all sets, so that it has exactly (1+κ)/b.

    Given that a report is in a block, it is on the plus side of a column with probability 1/2, unless the column is
    that of the person's item, where it is likelier.  Columns that no item has are coins.
    """
    from scipy.stats import binom

    keep, (blocks, b) = float(m.keep), (m.blocks, m.b)
    held = np.zeros((blocks, b), np.int64)
    held[m.column(np.arange(m.k))] = 1
    sets = (held.sum(1, keepdims=True) + fwht(held)) // 2  # of so many items, for each index
    often = np.where(sets > 0, keep, 0.0)
    if blocks > 1:
        has_items = held.any(1)
        low = np.full(blocks, (1 - keep) / blocks)
        yield _categories("block", y[:, None] // b, low, low + keep * has_items)
        low = np.full(blocks * b, (1 - keep) / (blocks * b))
        yield _categories("index", y[:, None], low, low + 2 * often.ravel() / b)
    low = np.full(b, (1 - keep) / b)
    always = np.where(sets.sum(0) == m.k, keep, 0.0)
    yield _categories("place in the block", y[:, None] % b, low + 2 * always / b, low + 2 * often.max(0) / b)
    counts = np.bincount(y, minlength=blocks * b).reshape(blocks, b)
    inside = counts.sum(1, keepdims=True)
    plus = ((inside + fwht(counts)) // 2)[:, 1:]
    own = ((1 - keep) / 2 + keep * blocks) / (1 - keep + keep * blocks)  # given the block
    most = np.where(held, own, 0.5)[:, 1:]
    many = np.asarray(binom.sf(plus - 1, inside, most))
    few = np.asarray(binom.cdf(plus, inside, 0.5))
    yield "signs of a column", 2 * plus.size * min(many.min(), few.min()), None


class Bits(NamedTuple):
    """Bits that are independent given the value: from `least` to `most` of them are ones with probability p."""

    name: str
    rows: Bools  # (n, N)
    least: int
    most: int
    p: float
    q: float  # of the others, below p


def _bits(m: Mechanism, y: NDArray[Any]) -> Iterator[Bits]:
    """Bits of a report, and what is known of them whatever the value."""
    if isinstance(m, UnaryEncoding):
        bits = np.unpackbits(y.astype(np.uint8), axis=1, count=m.k, bitorder="little") if m.packed else y
        yield Bits("", bits.astype(np.bool_), 1, 1, *map(float, m.support))
    elif isinstance(m, SampledSUE):
        yield Bits("", y, 0, 1, *map(float, m.support))
    elif isinstance(m, PCKVUE):
        yield Bits("", y != 0, 1, 1, 0.5, float(m.speak))
    elif isinstance(m, StateEncodingSplit):
        p, q = map(float, m.support)
        yield Bits("", y != 1, 0, m.d, p + q, 2 * q)
    elif isinstance(m, Flip):
        ones, flip = [code.sum(1) for code in m.codes], float(m.flip)
        yield Bits("", y, sum(int(x.min()) for x in ones), sum(int(x.max()) for x in ones), 1 - flip, flip)
    elif isinstance(m, RAPPOR | Unknown):
        whole = m.whole if isinstance(m, Unknown) else m
        yield Bits("", y["bits"], 1, min(whole.hashes, whole.bits), *map(float, whole.support))
    if isinstance(m, Unknown):
        yield Bits(" of n-grams", y["grams"].reshape(len(y), -1), m.slots, m.slots, 1 - float(m.flip), float(m.flip))


def _ones(bits: Bits) -> Iterator[Test]:
    """Numbers of ones, of each report and of all together; and reports that are copies."""
    from scipy.stats import binom

    (n, size), ones = bits.rows.shape, bits.rows.sum(1)
    parts = [((own, bits.p), (size - own, bits.q)) for own in (bits.least, bits.most)]
    laws = [reduce(np.convolve, [binom.pmf(np.arange(k + 1), k, p) for k, p in two]) for two in parts]
    few, many = np.cumsum(laws[0]), np.cumsum(laws[1][::-1])[::-1]
    each = 2 * n * np.minimum(few, many)[ones]
    yield f"ones{bits.name} of each report", each.min(), each
    low, high = (sum(k * p for k, p in two) / size for two in parts)
    yield f"ones{bits.name} of all reports", 2 * exp(-n * size * _divergence(ones.mean() / size, low, high)), None
    if bits.least == bits.most:
        yield _categories(f"reports with one number of ones{bits.name}", ones[:, None], laws[0], laws[0])
    rows = np.packbits(bits.rows, axis=1)
    _, which, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    own = log(max(bits.p, 1 - bits.p)), log(max(bits.q, 1 - bits.q))
    likeliest = max(own[0] * x + own[1] * (size - x) for x in (bits.least, bits.most))
    choices = [lgamma(n + 1) - lgamma(c + 1) - lgamma(n - c + 1) + (c - 1) * likeliest for c in counts]
    copies = np.exp(np.minimum(choices, 0))
    copies[counts == 1] = 1
    yield f"copies of bits{bits.name}", copies.min(), copies[which.ravel()]


def _divergence(x: float, low: float, high: float) -> float:
    """Kullback–Leibler divergence of a coin of mean x from the nearest one between: Chernoff's bound for tails."""
    at = min(max(x, low), high)
    return sum(a * log(a / b) for a, b in ((x, at), (1 - x, 1 - at)) if a > 0)
