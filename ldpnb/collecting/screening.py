"""Screening of reports: what an honest crowd's look like whatever its values, and which stand out.

Public parts have a known law: seeds, rows, cohorts and keys are uniform, and levels of a hierarchy
have known odds.  So has the slot of a value under a seed of one's own, and the number of ones in a
report follows a law that all values share, or lies between two.  Reports that are made to look
honest in these things pass: `core.Mechanism.influence` says what they can do.  For some mechanisms
there is no test, and `Screening` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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


class Test(NamedTuple):
    """A test of reports."""

    name: str
    p: float
    each: Floats | None = None  # the p-value of each report, if it can be told


@dataclass(frozen=True, eq=False)
class Screening:
    """What was tested, and what stood out; ``print`` says it in words.

    Attributes
    ----------
    alarm : float
        Probability, at most, that an honest crowd fails any of the tests.
    p_values : dict of str to float
        Of each test; exact or too large, never too small.  A crowd fails where
        ``p * len(p_values) < alarm``.
    suspects : dict of str to ndarray of int64
        For each test that was failed and can tell, the places of the reports that stand out: the
        forged ones, and those honest ones that have the same row, slot or number of ones by chance.
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
            none = "there is no test for its reports; that none failed says nothing about them"
            return f"{self.mechanism}: {none}"
        failed = self.failed
        count = f"{len(failed)} of {len(self.p_values)} tests failed"
        lines = [f"{self.mechanism}: {count}, alarm = {self.alarm:g}"]
        wide = max(map(len, self.p_values))
        for name, p in self.p_values.items():
            line = f"{name:<{wide}}  p = {p:.2g}"
            if name in failed:
                line += "  failed"
            if name in self.suspects:
                suspects = len(self.suspects[name])
                reports = "1 report stands" if suspects == 1 else f"{suspects} reports stand"
                line += f", {reports} out"
            lines.append(line)
        return "\n".join(lines)

    __repr__ = __str__


def screen(mechanism: Mechanism, reports: Reports, *, alarm: float = 1e-6) -> Screening:
    """Test whether reports look like those of an honest crowd, whatever its values may be.

    It finds all-ones reports, copies of one report or seed, seeds that put all items into one slot,
    public parts and slots that a crowd prefers, and shares that no values explain.  It cannot find
    reports that an honest client draws for values of the forger's choice, nor reports that differ
    from honest ones only in which of their bits are set.

    There is no test for `MatrixMechanism`, `PCKVGRR`, `MeanEst`, `TwoPoint`, `Hybrid`, `Piecewise`
    and `Laplace`: then `Screening.tested` is False, and an empty list of failed tests says nothing.

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
        If there is no report, or one that cannot come from this mechanism's client, or `alarm` is
        out of range.

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
    level = _check_alarm(alarm)
    m: Mechanism = mechanism.oracle if isinstance(mechanism, IOH) else mechanism
    y = m._reports(reports)
    if len(y) == 0:
        raise ValueError("reports must hold at least one report, got none")
    tests = _tests(m, y)
    p_values = {}
    suspects = {}
    for test in tests:
        p_values[test.name] = min(1.0, float(test.p))
        if test.each is None:
            continue
        places = np.flatnonzero(test.each * len(tests) < level)
        if places.size:
            suspects[test.name] = places
    return Screening(level, p_values, suspects, mechanism.label or type(mechanism).__name__)


def _check_alarm(alarm: float) -> float:
    """Return a probability that is neither 0 nor 1, also as a float."""
    if is_number(alarm) and 0 < alarm < 1:
        level = float(alarm)
        if 0 < level < 1:
            return level
    raise ValueError(f"alarm must be a probability in (0, 1), got {shown(alarm)}")


def _tests(m: Mechanism, y: NDArray[Any]) -> list[Test]:
    """Make all tests that there are for a mechanism."""
    if isinstance(m, Hierarchy):
        return list(_levels(m, y))
    if isinstance(m, DrawnAttributes):  # whatever is asked, the oracle has been told an item
        told = m.oracle._reports(told_in(y, m.oracle))
        return [*_public(m, y, {m.question}), *_tests(m.oracle, told)]
    tests = [*_public(m, y, set(m.public_fields)), *_seeds(m, y), *_counts(m, y)]
    if isinstance(m, HadamardResponse):
        tests += _indices(m, y)
    for bits in _bits(m, y):
        tests += _ones(bits)
    return tests


def _levels(m: Hierarchy, y: NDArray[Any]) -> Iterator[Test]:
    """Levels have known odds; given the levels, the reports of each are those of its own oracle."""
    yield _categories("level", y["level"][:, None], m.odds, m.odds)
    for i, oracle in enumerate(m.oracles):
        here = np.flatnonzero(y["level"] == i)
        told = oracle._reports(told_in(y[here], oracle))
        if here.size == 0:  # its tests are counted all the same
            for test in _tests(oracle, oracle._worst()[:1]):
                of_all = None if test.each is None else np.ones(len(y))
                yield Test(f"{test.name} at level {i}", 1.0, of_all)
            continue
        for test in _tests(oracle, told):
            of_all = None
            if test.each is not None:
                of_all = np.ones(len(y))
                of_all[here] = test.each
            yield Test(f"{test.name} at level {i}", test.p, of_all)


# ---------------------------------------------------------------------------------- what is uniform


def _binned(words: Ints, values: int, bins: int = BINS) -> tuple[Ints, Floats]:
    """Put numbers into bins, of which there are at most so many.

    Parameters
    ----------
    words : ndarray of int64 (…)
        In {0, …, values − 1}.
    values, bins : int

    Returns
    -------
    cells : ndarray of int64 (…)
        The bin of each number.
    shares : ndarray (bins,)
        Of the values, in each bin.
    """
    used = min(values, bins)
    edges = np.array([-(-i * values // used) for i in range(used + 1)])
    cells = np.searchsorted(edges, words, "right") - 1
    return cells, np.diff(edges) / values


def _categories(name: str, cells: Ints, low: Floats, high: Floats) -> Test:
    """Test how many reports are in each category.

    Parameters
    ----------
    name : str
    cells : ndarray of int64 (n, r)
        Categories of each report.
    low, high : ndarray (categories,)
        Between which the probability of each category lies.
    """
    from scipy.stats import binom

    n = len(cells)
    tails = 2 * len(low)  # two of each category
    counts = np.bincount(cells.ravel(), minlength=len(low))
    many = np.asarray(binom.sf(counts - 1, n, np.minimum(high, 1)))
    few = np.asarray(binom.cdf(counts, n, np.maximum(low, 0)))
    return Test(name, tails * min(many.min(), few.min()), tails * many[cells].min(1))


def _public(m: Mechanism, y: NDArray[Any], fields: set[str]) -> Iterator[Test]:
    """Public numbers are uniform: each word of a seed alone, of sets of numbers each member."""
    for name in sorted(fields - {"level"}):  # a level of ε is chosen
        words = y[name].reshape(len(y), -1).astype(np.int64)
        values = int(m.layout[name][1])
        if isinstance(m, HarmonyFrequency) and name == "row":
            # of the attribute's own matrix; all sizes are powers of two
            values = int(m.m.min())
            words = words * values // m.m[y["attribute"]][:, None]
        drawn = words.shape[1]
        cells, shares = _binned(words, values)
        if name == "seed":
            laws = np.tile(shares, drawn)
            yield _categories(name, cells + len(shares) * np.arange(drawn), laws, laws)
        elif drawn == 1 or values == len(shares):
            # of a set from many numbers, several can share a bin
            laws = shares * drawn
            yield _categories(name, cells, laws, laws)


def _seeds(m: Mechanism, y: NDArray[Any]) -> Iterator[Test]:
    """Seeds are not repeated, tell items apart, and lead values to nearly uniform slots."""
    from scipy.stats import binom

    family = getattr(getattr(m, "oracle", m), "hash", None)
    if family is None or "seed" not in (y.dtype.names or ()):
        return
    n = len(y)
    seeds = y["seed"]
    values = float(m.layout["seed"][1])
    _, which, counts = np.unique(seeds, axis=0, return_inverse=True, return_counts=True)
    possible = values ** seeds.shape[1]
    each = (possible * binom.sf(counts - 1, n, 1 / possible))[which.ravel()]
    yield Test("copies of a seed", each.min(), each)
    if isinstance(family, SlotTable):
        same = (seeds == seeds[:, :1]).all(1)
    else:
        same = ~seeds[:, :-1].any(1)
    p = float(binom.sf(same.sum() - 1, n, values ** (1 - seeds.shape[1])))
    yield Test("seeds that tell no items apart", p, np.where(same, p, 1.0))
    cells, shares = _binned(y["slot"][:, None], family.slots)
    if isinstance(family, Modular):
        own, other = GRR(k=family.slots, epsilon=m.epsilon).support
        _, hashed = _binned(cells, family.prime, family.slots)
        law = float(other) + (float(own) - float(other)) * hashed
        yield _categories("slot", y["slot"][:, None], law, law)
    elif isinstance(m, Wheel | WheelKV):
        # to turn all hash values turns slots, but for the values at their edges
        off = 0.0 if m.table else m.m * m.slot_count / 2**32
        yield _categories("slot", cells, shares - off, shares + off)


# ----------------------------------------------------------------------- what lies between two laws


def _counts(m: Mechanism, y: NDArray[Any]) -> Iterator[Test]:
    """Each item is supported by a report with a probability between two, whoever sends it."""
    from scipy.stats import binom

    if isinstance(m, ItemOracle | SetMechanism) and not isinstance(m, SHist):
        low, high = sorted(float(x) for x in m.support)
        n = len(y)
        counts = np.rint(m.supporters(Tally(m, n, m._count(y))))
        many = binom.sf(counts - 1, n, high).min()
        few = binom.cdf(counts, n, low).min()
        yield Test("share of an item", 2 * len(counts) * min(many, few))


def _indices(m: HadamardResponse, y: Ints) -> Iterator[Test]:
    """Test that indices of Hadamard response are as likely as items can make them.

    A report is drawn from the own item's set with probability κ, and else from all K = Bb indices.
    So an index has a probability between (1−κ)/K and that plus 2κ/b, if it is in the set of any
    item.  A place in the block has the same, times B, over all blocks; the first place is in all
    sets, so that it has exactly (1+κ)/b.

    Given that a report is in a block, it is on the plus side of a column with probability 1/2,
    unless the column is that of the person's item, where it is likelier.  Columns that no item has
    are coins.
    """
    from scipy.stats import binom

    keep = float(m.keep)
    blocks = m.blocks
    b = m.b
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
    blind = np.full(b, (1 - keep) / b)
    always = np.where(sets.sum(0) == m.k, keep, 0.0)
    low = blind + 2 * always / b
    high = blind + 2 * often.max(0) / b
    yield _categories("place in the block", y[:, None] % b, low, high)
    counts = np.bincount(y, minlength=blocks * b).reshape(blocks, b)
    inside = counts.sum(1, keepdims=True)
    plus = ((inside + fwht(counts)) // 2)[:, 1:]
    own = ((1 - keep) / 2 + keep * blocks) / (1 - keep + keep * blocks)  # given the block
    most = np.where(held, own, 0.5)[:, 1:]
    many = np.asarray(binom.sf(plus - 1, inside, most))
    few = np.asarray(binom.cdf(plus, inside, 0.5))
    yield Test("signs of a column", 2 * plus.size * min(many.min(), few.min()))


class Bits(NamedTuple):
    """Independent bits, given the value: `least` to `most` of them are ones with probability p."""

    name: str
    rows: Bools  # (n, N)
    least: int
    most: int
    p: float
    q: float  # of the others, below p


def _bits(m: Mechanism, y: NDArray[Any]) -> Iterator[Bits]:
    """Bits of a report, and what is known of them whatever the value."""
    if isinstance(m, UnaryEncoding):
        p, q = m.support
        rows = y
        if m.packed:
            rows = np.unpackbits(y.astype(np.uint8), axis=1, count=m.k, bitorder="little")
        yield Bits("", rows.astype(np.bool_), 1, 1, float(p), float(q))
    elif isinstance(m, SampledSUE):
        p, q = m.support
        yield Bits("", y, 0, 1, float(p), float(q))
    elif isinstance(m, PCKVUE):
        yield Bits("", y != 0, 1, 1, 0.5, float(m.speak))
    elif isinstance(m, StateEncodingSplit):
        own, other = m.support
        yield Bits("", y != 1, 0, m.d, float(own) + float(other), 2 * float(other))
    elif isinstance(m, Flip):
        flip = float(m.flip)
        ones = [code.sum(1) for code in m.codes]
        least = sum(int(each.min()) for each in ones)
        most = sum(int(each.max()) for each in ones)
        yield Bits("", y, least, most, 1 - flip, flip)
    elif isinstance(m, RAPPOR | Unknown):
        whole = m.whole if isinstance(m, Unknown) else m
        p, q = whole.support
        yield Bits("", y["bits"], 1, min(whole.hashes, whole.bits), float(p), float(q))
    if isinstance(m, Unknown):
        flip = float(m.flip)
        rows = y["grams"].reshape(len(y), -1)
        yield Bits(" of n-grams", rows, m.slots, m.slots, 1 - flip, flip)


def _ones(bits: Bits) -> Iterator[Test]:
    """Numbers of ones, of each report and of all together; and reports that are copies."""
    n, size = bits.rows.shape
    ones = bits.rows.sum(1)
    law_of_least = _law_of_ones(bits, bits.least)
    law_of_most = _law_of_ones(bits, bits.most)
    few = np.cumsum(law_of_least)
    many = np.cumsum(law_of_most[::-1])[::-1]
    each = 2 * n * np.minimum(few, many)[ones]
    yield Test(f"ones{bits.name} of each report", each.min(), each)
    low = _mean_of_ones(bits, bits.least)
    high = _mean_of_ones(bits, bits.most)
    far = _divergence(ones.mean() / size, low, high)
    yield Test(f"ones{bits.name} of all reports", 2 * exp(-n * size * far))
    if bits.least == bits.most:
        name = f"reports with one number of ones{bits.name}"
        yield _categories(name, ones[:, None], law_of_least, law_of_least)
    yield _copies(bits)


def _law_of_ones(bits: Bits, own: int) -> Floats:
    """Probabilities of 0, 1, …, N ones, if `own` bits are ones with probability p: (N + 1,)."""
    from scipy.stats import binom

    others = bits.rows.shape[1] - own
    law_of_own = binom.pmf(np.arange(own + 1), own, bits.p)
    law_of_others = binom.pmf(np.arange(others + 1), others, bits.q)
    return np.convolve(law_of_own, law_of_others)


def _mean_of_ones(bits: Bits, own: int) -> float:
    """Mean part of ones, if `own` bits are ones with probability p."""
    size: int = bits.rows.shape[1]
    return (own * bits.p + (size - own) * bits.q) / size


def _copies(bits: Bits) -> Test:
    """Test how many reports are copies of one, however likely it is."""
    n, size = bits.rows.shape
    rows = np.packbits(bits.rows, axis=1)
    _, which, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    log_own = log(max(bits.p, 1 - bits.p))
    log_other = log(max(bits.q, 1 - bits.q))
    likeliest = max(log_own * own + log_other * (size - own) for own in (bits.least, bits.most))
    choices = []
    for c in counts:
        ways = lgamma(n + 1) - lgamma(c + 1) - lgamma(n - c + 1)
        choices.append(ways + (c - 1) * likeliest)
    copies = np.exp(np.minimum(choices, 0))
    copies[counts == 1] = 1
    return Test(f"copies of bits{bits.name}", copies.min(), copies[which.ravel()])


def _divergence(x: float, low: float, high: float) -> float:
    """Kullback–Leibler divergence of a coin of mean x from the nearest one between low and high.

    It is Chernoff's bound for tails.
    """
    nearest = min(max(x, low), high)
    return sum(a * log(a / b) for a, b in ((x, nearest), (1 - x, 1 - nearest)) if a > 0)
