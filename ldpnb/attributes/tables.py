r"""Tables of several attributes together, from reports that answer about each of them.

A report is a *symbol* of each attribute: what it says about the attribute's value, up to a factor.
The symbols of m attributes are counted jointly, and a table of the m attributes is estimated from
the counts: the likeliest one (`likeliest`), that of some steps of EM (`expectation`), or a linear
and unbiased one (`inverted`).

Entropies and information are in nats.  A table of m attributes has m axes, and its cells sum to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import groupby
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.attributes.bitflip import Flip, decoder
from ldpnb.attributes.maxent import check_sets
from ldpnb.attributes.records import Set, Sets, counted
from ldpnb.checks import (
    apart,
    check_array,
    check_codes,
    check_columns,
    check_count,
    check_numbers,
    check_positive,
    is_number,
    shown,
)
from ldpnb.core import Bools, Floats, Ints, blocks
from ldpnb.oracles.grr import GRR
from ldpnb.postprocess import maximum_likelihood

Tables = Sequence[ArrayLike]

LISTED = 10  # bits of a code up to which all patterns are symbols; above, only those that came
WORDS = 128  # joint symbols up to which tables are counted by ANDs of words of 64 people
BLOCK = 1 << 17  # words in memory at a time
DENSE = 1 << 20  # entries of a channel of several attributes that is written out
VANISHING = 1e-12  # what is given with less probability has no conditional law of its own
STOPS = ("paper", "change", "gap")
WIDE = 1 << 22  # rows times cells of one table, above which EM takes the place of Newton's method

# ----------------------------------------------------------------------------------- symbols


@dataclass(frozen=True, eq=False)
class Symbols:
    """What reports say: one symbol for each attribute, and how likely it is under each value.

    Reports with proportional likelihoods are one symbol: all zeros and all ones of a one-hot code
    say nothing.

    Attributes
    ----------
    codes : ndarray of int (n, d)
        Symbols, attribute j in {0, …, s_j−1}.
    channels : tuple of ndarray (s_j, κ_j)
        Likelihood of each symbol under each value, each row up to a factor; columns sum to 1 where
        all symbols are listed.  Attributes that share a channel share the array, and are solved
        together.
    scores : tuple of ndarray (s_j, κ_j)
        An unbiased estimate of the one-hot code of the value, from one symbol, linear in the bits
        and with sum 1; NaN where codes are affinely dependent, so that there is none.
    """

    codes: NDArray[np.integer]
    channels: tuple[Floats, ...]
    scores: tuple[Floats, ...]

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each attribute."""
        return tuple(channel.shape[1] for channel in self.channels)

    @cached_property
    def _words(self) -> list[NDArray[np.uint64]]:
        """Who sent each symbol, 64 people a word: (s_j, words), for attributes of few symbols."""
        kind = self.codes.dtype
        nobody = np.iinfo(kind).max  # a symbol that is none of few, for people who do not exist
        missing = -len(self.codes) % 64
        padded = np.pad(self.codes.T, ((0, 0), (0, missing)), constant_values=nobody)
        words = []
        for channel, column in zip(self.channels, padded, strict=True):
            symbols = len(channel)
            if symbols > WORDS:
                symbols = 0
            sent = np.arange(symbols, dtype=kind)[:, None] == column
            words.append(np.packbits(sent, axis=1).view(np.uint64))
        return words


class _Column(NamedTuple):
    """What reports say about one attribute: parts of `Symbols`."""

    codes: Ints  # (n,)
    channel: Floats  # (s, κ)
    score: Floats  # (s, κ)


class _Alphabet(NamedTuple):
    """Symbols of one attribute."""

    symbol: Ints  # of each pattern of bits, (patterns,)
    channel: Floats  # (s, κ)
    score: Floats  # (s, κ)


def symbols(mechanism: Flip | Sequence[GRR], reports: ArrayLike) -> Symbols:
    r"""Read the symbols off reports.

    A pattern x of bits is likely under code b in proportion to
    :math:`r^{2\langle x, b\rangle - |b|}`, with :math:`r = (1-\varphi)/\varphi`.

    Parameters
    ----------
    mechanism : BitFlip, BloomFlip, or one GRR for each attribute
    reports : array_like
        As the client sends them; for GRR, one column for each attribute, int (n, d).
    """
    if isinstance(mechanism, Flip):
        bits = mechanism._reports(check_array(reports, "reports"))
        columns = list(_flipped(mechanism, bits))
    elif mechanism and all(isinstance(client, GRR) for client in mechanism):
        columns = list(_responded(mechanism, reports))
    else:
        rule = "mechanism must be a Flip or one GRR for each attribute"
        raise ValueError(f"{rule}, got {shown(mechanism, most=200)}")
    codes = np.stack([column.codes for column in columns])  # each in one piece of memory
    smallest = np.min_scalar_type(codes.max(initial=0))
    channels = tuple(column.channel for column in columns)
    scores = tuple(column.score for column in columns)
    return Symbols(np.asarray(codes.astype(smallest).T), channels, scores)


def _flipped(mechanism: Flip, reports: Bools) -> Iterator[_Column]:
    """Read what bits say about each attribute; attributes of one code share an alphabet."""
    listed: dict[tuple[tuple[int, ...], bytes], _Alphabet] = {}
    for code, bits in zip(mechanism.codes, mechanism.split(reports), strict=True):
        width = code.shape[1]
        places = np.arange(width)
        if width <= LISTED:
            key = (code.shape, code.tobytes())
            if key not in listed:
                patterns = (np.arange(1 << width)[:, None] >> places & 1).astype(np.bool_)
                listed[key] = _alphabet(code, patterns, mechanism.flip, whole=True)
            alphabet = listed[key]
            which = bits @ (1 << places)
        else:
            packed = np.packbits(bits, axis=1)
            _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
            alphabet = _alphabet(code, bits[first], mechanism.flip, whole=False)
        yield _Column(alphabet.symbol[which.ravel()], alphabet.channel, alphabet.score)


def _alphabet(code: Bools, patterns: Bools, flip: Fraction, whole: bool) -> _Alphabet:
    """Return the symbols of patterns of bits, which are all there are if the alphabet is whole."""
    phi = float(flip)
    agree = 2 * patterns.astype(np.int64) @ code.T - code.sum(1)
    agree -= agree.max(1, keepdims=True)
    keys, first, symbol = np.unique(agree, axis=0, return_index=True, return_inverse=True)
    symbol = symbol.ravel()
    if whole:
        wrong = (patterns[:, None] != code).sum(2)
        channel = np.zeros(keys.shape)
        np.add.at(channel, symbol, phi**wrong * (1 - phi) ** (code.shape[1] - wrong))
    else:
        channel = (phi / (1 - phi)) ** -keys.astype(np.float64)
    g, offset = decoder(code)
    score = (patterns[first] - phi) / (1 - 2 * phi) @ g.T + offset
    if np.linalg.matrix_rank(code - code.mean(0)) < len(code) - 1:
        score[:] = np.nan
    return _Alphabet(symbol, channel, score)


def _responded(clients: Sequence[GRR], reports: ArrayLike) -> Iterator[_Column]:
    """Read what reports by k-RR say about each attribute; equal clients share their arrays."""
    checked = check_columns(reports, [client.k for client in clients], "reports")
    known: dict[GRR, tuple[Floats, Floats]] = {}
    for client, codes in zip(clients, checked.T, strict=True):
        if client not in known:
            p, q = map(float, client.support)
            own = np.eye(client.k)
            known[client] = q + (p - q) * own, (own - q) / (p - q)
        channel, score = known[client]
        yield _Column(codes, channel, score)


# ------------------------------------------------------------------------------------ counting


class _Batch(NamedTuple):
    """Sets of attributes that are solved together, and their joint symbols.

    The likelihoods, or scores, of a joint symbol are the Kronecker product of a row of `a` and one
    of `b`.
    """

    places: list[int]  # of the sets
    shares: Floats  # of each joint symbol among all reports, (sets, r)
    a: Floats  # (r, K₁)
    b: Floats  # (r, K₂)


def _checked(symbols: Symbols, sets: Sets) -> list[Set]:
    """Return sets that were checked, where there are reports."""
    if len(symbols) == 0:
        raise ValueError("symbols must be of at least one person, got none")
    return check_sets(sets, len(symbols.sizes))


def _batches(symbols: Symbols, sets: list[Set], matrices: Sequence[Floats]) -> Iterator[_Batch]:
    """Count the joint symbols of sets, with the products of their rows in matrices of attributes.

    Sets that share their channels come together, if these are small enough to be written out for
    all joint symbols: then `b` is one column of ones.  Other sets come one by one, and with
    symbols that were sent.
    """
    same: dict[tuple[int, ...], list[int]] = {}
    for i, chosen in enumerate(sets):
        shared = tuple(id(symbols.channels[j]) for j in chosen)
        same.setdefault(shared, []).append(i)
    for places in same.values():
        parts = [matrices[j] for j in sets[places[0]]]
        if prod(part.size for part in parts) <= DENSE:
            counts = _counts(symbols, [sets[i] for i in places])
            whole = parts[0]
            for part in parts[1:]:
                whole = np.asarray(np.kron(whole, part), np.float64)
            yield _Batch(places, counts / len(symbols), whole, np.ones((len(whole), 1)))
            continue
        for i in places:
            came, counts = np.unique(symbols.codes[:, sets[i]], axis=0, return_counts=True)
            rows = []
            for j, column in zip(sets[i], came.T, strict=True):
                rows.append(matrices[j][column])
            half = (len(rows) + 1) // 2
            a = reduce(_khatri_rao, rows[:half])
            b = reduce(_khatri_rao, rows[half:], np.ones((len(came), 1)))
            yield _Batch([i], counts[None] / len(symbols), a, b)


def _counts(symbols: Symbols, sets: list[Set]) -> Ints:
    """Count the joint symbols of sets that share their channels: (len(sets), Π s_j).

    Where there are few, they are counted by ANDs of words.
    """
    many = prod(len(symbols.channels[j]) for j in sets[0])
    if many > WORDS:
        sizes = [len(channel) for channel in symbols.channels]
        return np.stack(counted(symbols.codes.T, sizes, sets))
    words = symbols._words
    found = np.zeros((len(sets), many), np.int64)
    for head, group in groupby(range(len(sets)), key=lambda i: sets[i][:-1]):
        places = list(group)
        last = np.stack([words[sets[i][-1]] for i in places])[:, None]
        for part in blocks(last.shape[-1], max(1, BLOCK // (len(places) * many))):
            lead = np.full((1, 1), ~np.uint64(0))
            for j in head:
                of_symbol = words[j][:, part]
                lead = (lead[:, None] & of_symbol).reshape(-1, of_symbol.shape[-1])
            both = lead[:, None] & last[..., part]
            ones = np.bitwise_count(both).sum(-1, dtype=np.uint32)
            found[places] += ones.reshape(len(places), -1)
    return found


def _khatri_rao(a: Floats, b: Floats) -> Floats:
    """Kronecker product of each row of a with that of b."""
    return np.asarray((a[:, :, None] * b[:, None, :]).reshape(len(a), -1))


# ------------------------------------------------------------------------------------- tables


@dataclass(frozen=True, eq=False)
class Joint:
    """Tables of several attributes.

    Attributes
    ----------
    tables : list of ndarray (κ_a, κ_b, …)
        In the order of the sets; each has sum 1.
    gap : ndarray (len(sets),)
        The mean log-likelihood of a report, in nats, is at most this much below its maximum.
    steps : ndarray of int (len(sets),)
        Steps taken; of tables that were solved together, by the one that took most.
    """

    tables: list[Floats]
    gap: Floats
    steps: Ints


class _Solved(NamedTuple):
    """Tables of one batch."""

    tables: Floats  # flat, (sets, K)
    gaps: Floats | float  # of each set, (sets,), or of all of them
    steps: Ints | int  # likewise


def likeliest(
    symbols: Symbols,
    sets: Sets,
    *,
    gap: float | None = None,
    steps: int = 10_000,
) -> Joint:
    r"""Find the likeliest table of each set, to a certified gap.

    Tables that share their channels are solved together by
    `ldpnb.postprocess.maximum_likelihood`.  Where reports times cells are too many for Newton's
    method, EM climbs with extrapolated steps to the same certificate,
    :math:`\max_\omega g_\omega - 1` with g the gradient of the mean log-likelihood.

    Source: Ren et al. 2019, Algorithm 2 (the likelihood); Varadhan and Roland 2008 (SQUAREM).

    Parameters
    ----------
    symbols : Symbols
    sets : sequence of tuples of int
        Attributes in increasing order.
    gap : float, optional
        Largest gap to accept, in nats per report; by default 0.05/n, so 0.05 nats for all reports
        together.
    steps : int
        Most steps of EM.

    Raises
    ------
    RuntimeError
        If steps are not enough.
    """
    steps = check_count(steps, 1, "steps")
    if gap is None:
        gap = 0.05 / max(1, len(symbols))
    accepted = check_positive(gap, "gap")

    def solve(batch: _Batch) -> _Solved:
        if batch.a.size * batch.b.shape[1] > WIDE:
            return _squarem(batch, accepted, steps)
        rows = _khatri_rao(batch.a, batch.b)
        found = maximum_likelihood(rows, batch.shares, gap=accepted)
        return _Solved(found.shares, found.gap, found.steps)

    return _joint(symbols, _checked(symbols, sets), solve)


def expectation(
    symbols: Symbols,
    sets: Sets,
    *,
    stop: str,
    delta: float = 1e-3,
    start: Tables | None = None,
    steps: int = 4000,
) -> Joint:
    r"""Take plain steps of EM until a rule stops them.

    A step is :math:`P_t(\omega) = P_{t-1}(\omega)\, g_\omega(P_{t-1})`, with g the gradient of the
    mean log-likelihood.  It is Algorithm 2 on counted symbols: people of one symbol have one
    posterior.

    Source: Ren et al. 2019, Algorithm 2, with the likelihood of the report's bits given the
    value's.

    Parameters
    ----------
    symbols : Symbols
    sets : sequence of tuples of int
    stop : {"paper", "change", "gap"}
        After which step to stop: the first with :math:`\max P_t - \max P_{t-1} \le \delta`, as
        printed; with :math:`\max |P_t - P_{t-1}| \le \delta`; or with a gap of at most δ nats per
        report.
    delta : float
        δ, not negative.  The paper states none.
    start : sequence of ndarray, optional
        Tables to start from, of positive cells; uniform by default.
    steps : int
        Most steps to take; a table that has taken them is returned as it is.
    """
    chosen = _checked(symbols, sets)
    steps = check_count(steps, 1, "steps")
    if stop not in STOPS:
        raise ValueError(f"stop must be one of {STOPS}, got {shown(stop)}")
    if not is_number(delta) or not delta >= 0:
        raise ValueError(f"delta must not be negative, got {shown(delta)}")
    first = _starts(symbols, chosen, start)

    def solve(batch: _Batch) -> _Solved:
        came = batch.shares.any(0)
        seen = _Batch(batch.places, batch.shares[:, came], batch.a[came], batch.b[came])
        p = np.stack([first[i] for i in batch.places])
        return _em(seen, p, stop, delta, steps)

    return _joint(symbols, chosen, solve)


def _starts(symbols: Symbols, sets: list[Set], start: Tables | None) -> list[Floats]:
    """Return the tables to start from, flat and with sum 1."""
    shapes = [_shape(symbols, chosen) for chosen in sets]
    if start is None:
        start = [np.ones(shape) for shape in shapes]
    tables = [check_numbers(table, "start") for table in start]
    positive = all(np.all(table > 0) for table in tables)
    if [table.shape for table in tables] != shapes or not positive:
        rule = f"start must be tables of positive cells, of shapes {shapes}"
        raise ValueError(f"{rule}, got {shown(start, most=200)}")
    return [table.ravel() / table.sum() for table in tables]


def _joint(symbols: Symbols, sets: list[Set], solve: Callable[[_Batch], _Solved]) -> Joint:
    """Hand each batch to a solver, and collect its tables, gaps and steps."""
    tables = [np.empty(0)] * len(sets)
    gaps = np.empty(len(sets))
    steps = np.empty(len(sets), np.int64)
    for batch in _batches(symbols, sets, symbols.channels):
        found = solve(batch)
        gaps[batch.places] = found.gaps
        steps[batch.places] = found.steps
        for i, table in zip(batch.places, found.tables, strict=True):
            tables[i] = table.reshape(_shape(symbols, sets[i]))
    return Joint(tables, gaps, steps)


def _shape(symbols: Symbols, chosen: Set) -> tuple[int, ...]:
    """Return the shape of a set's table."""
    return tuple(symbols.sizes[j] for j in chosen)


def _slope(w: Floats, a: Floats, b: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Likelihood of the rows, A ∗ B, under tables p (tables, K), and the gradient."""
    if b.shape[1] == 1:
        u = p @ a.T
    else:
        table = p[0].reshape(a.shape[1], -1)
        u = ((a @ table) * b).sum(1)[None]
    return u, _weighed(w / u, a, b)


def _weighed(w: Floats, a: Floats, b: Floats) -> Floats:
    """Sum of the rows A ∗ B with weights w (tables, r): (tables, K)."""
    if b.shape[1] == 1:
        return w @ a
    return np.asarray((a.T @ (w.T * b)).reshape(1, -1))


def _em(batch: _Batch, p: Floats, stop: str, delta: float, steps: int) -> _Solved:
    """Take plain steps of EM from tables p, (sets, K); finished tables are set aside."""
    _, w, a, b = batch
    tables = p.copy()
    gaps = np.empty(len(p))
    taken = np.empty(len(p), np.int64)
    live = np.arange(len(p))
    _, g = _slope(w, a, b, p)
    for step in range(1, steps + 1):
        now = p * g
        _, g = _slope(w, a, b, now)
        gap = g.max(1) - 1
        tables[live] = now
        gaps[live] = np.maximum(gap, 0)
        taken[live] = step
        if stop == "paper":
            left = now.max(1) - p.max(1) > delta
        elif stop == "change":
            left = np.abs(now - p).max(1) > delta
        else:
            left = gap > delta
        live = live[left]
        if not len(live):
            break
        w = w[left]
        p = now[left]
        g = g[left]
    return _Solved(tables, gaps, taken)


def _squarem(batch: _Batch, gap: float, steps: int) -> _Solved:
    """Take steps of EM, with an extrapolated one after every two plain ones, kept if it climbs."""
    _, w, a, b = batch
    cells = a.shape[1] * b.shape[1]
    p = np.full((1, cells), 1 / cells)
    _, g = _slope(w, a, b, p)
    for taken in range(0, steps, 3):
        if g.max() - 1 <= gap:
            return _Solved(p, max(g.max() - 1, 0.0), taken)
        once = p * g
        u, g = _slope(w, a, b, once)
        twice = once * g
        height = (w * np.log(u)).sum()
        r = once - p
        v = twice - 2 * once + p
        far = max(1.0, np.sqrt((r * r).sum() / max((v * v).sum(), 1e-300)))
        p = np.maximum(p + 2 * far * r + far**2 * v, twice / 100)  # cells stay positive
        p /= p.sum()
        u, g = _slope(w, a, b, p)
        if (w * np.log(u)).sum() < height:
            p = twice
            _, g = _slope(w, a, b, p)
    most, left = apart(gap, float(g.max() - 1), 3)
    raise RuntimeError(f"steps = {steps} left a gap of {left}, above gap = {most}")


@dataclass(frozen=True, eq=False)
class Linear:
    """Linear, unbiased tables, with entries that may be negative.

    Attributes
    ----------
    tables : list of ndarray
        In the order of the sets; each has sum 1, and two tables agree in the marginals they share.
    variances : list of ndarray
        Unbiased estimates of the variance of each cell, the people being a sample too.
    """

    tables: list[Floats]
    variances: list[Floats]


def inverted(symbols: Symbols, sets: Sets) -> Linear:
    r"""Estimate each set's table without bias: the mean over people of the product of their scores.

    Each attribute's scores sum to 1 for everybody, so that summing an attribute out of a table
    leaves the table of the others: overlapping tables agree before any repair, but not after
    `ldpnb.postprocess.norm_sub`.

    Parameters
    ----------
    symbols : Symbols
    sets : sequence of tuples of int
    """
    chosen = _checked(symbols, sets)
    n = len(symbols)
    if any(np.isnan(score).any() for score in symbols.scores):
        rule = "symbols must be of affinely independent codes"
        raise ValueError(f"{rule}, got some that no linear estimate tells apart")
    tables = [np.empty(0)] * len(chosen)
    variances = [np.empty(0)] * len(chosen)
    for places, w, a, b in _batches(symbols, chosen, symbols.scores):
        means = _weighed(w, a, b)
        squares = _weighed(w, a**2, b**2)
        for i, mean, square in zip(places, means, squares, strict=True):
            variance = np.full_like(mean, np.nan)
            if n > 1:
                variance = (square - mean**2) / (n - 1)
            tables[i] = mean.reshape(_shape(symbols, chosen[i]))
            variances[i] = variance.reshape(_shape(symbols, chosen[i]))
    return Linear(tables, variances)


# -------------------------------------------------------------------------------- information


# `Any` stands for a float, or an array where leading axes run over tables


def entropy(tables: ArrayLike, *, axes: int | None = None) -> Any:
    r"""Entropy −Σ p ln p of a table, in nats; 0 ln 0 = 0.

    Parameters
    ----------
    tables : array_like (…, κ_a, κ_b, …)
        Not negative, with sum 1.
    axes : int, optional
        How many of the last axes make one table, the others running over tables; by default all.

    Returns
    -------
    float, or ndarray (…)
    """
    p, axes = _tables(tables, axes)
    return _entropy(p, axes)


def information(tables: ArrayLike, axis: int = -1, *, axes: int | None = None) -> Any:
    r"""Mutual information of one attribute and the others of a table together, in nats.

    It is :math:`H(X) + H(\Pi) - H(X, \Pi)`, all from one table, and so not negative.

    Parameters
    ----------
    tables : array_like (…, κ_a, κ_b, …)
        Not negative, with sum 1.
    axis : int
        Which axis of the table is X.
    axes : int, optional
        How many of the last axes make one table, the others running over tables; by default all.

    Returns
    -------
    float, or ndarray (…)
    """
    p, axes = _tables(tables, axes)
    if not -axes <= axis < axes:
        raise ValueError(f"axis must be one of a table's {axes} axes, got {axis}")
    own = axis % axes - axes  # counted from the end
    lead = p.shape[: p.ndim - axes]
    both = np.moveaxis(p, own, -1).reshape(*lead, -1, p.shape[own])
    alone = _entropy(both.sum(-1), 1) + _entropy(both.sum(-2), 1)
    return np.maximum(alone - _entropy(both, 2), 0)


def _entropy(p: Floats, axes: int) -> Any:
    """Entropy of tables that were checked."""
    logarithm = np.log(np.where(p > 0, p, 1))
    return -(p * logarithm).sum(tuple(range(-axes, 0)))


def check_table(table: ArrayLike, attributes: Sequence[int]) -> Floats:
    """Return a table of shares with an axis for each of these attributes."""
    name = f"tables of {attributes}"
    p, axes = _tables(table, None, name)
    if axes != len(attributes):
        raise ValueError(f"{name} must have an axis for each attribute, got shape {p.shape}")
    return p


def conditional(table: Floats, given: Sequence[int]) -> Floats:
    """Return the law of the other attributes given those of some axes.

    Where what is given has no probability (less than 1e-12), the others follow their marginal.

    Returns
    -------
    ndarray (values of each attribute that is given, cells of the others)
    """
    rows = np.moveaxis(table, given, range(len(given)))
    rows = rows.reshape(*rows.shape[: len(given)], -1)
    total = rows.sum(-1, keepdims=True)
    alone = rows.reshape(-1, rows.shape[-1]).sum(0)
    found = np.where(total > VANISHING, rows / np.maximum(total, VANISHING), alone)
    return np.asarray(found / found.sum(-1, keepdims=True))


def _tables(tables: ArrayLike, axes: int | None, name: str = "tables") -> tuple[Floats, int]:
    """Return tables of shares, and how many of the last axes make one."""
    p = check_numbers(tables, name)
    if axes is None:
        axes = p.ndim
    axes = check_count(axes, 1, "axes", p.ndim)
    sums = p.sum(tuple(range(-axes, 0)))
    if not ((p >= 0).all() and (np.abs(sums - 1) <= 1e-9).all()):
        rule = f"{name} must not be negative and have sum 1"
        raise ValueError(f"{rule}, got a cell {p.min()} and sums {sums}")
    return p, axes


def inflation(mechanism: Flip | Sequence[GRR]) -> Floats:
    r"""How much larger than without noise the cell variances of each attribute are: a_j, (d,).

    It is :math:`\sum_\omega n\,\mathrm{Var}/p_\omega` of the scores at uniform values, κ−1 without
    noise: :math:`(\kappa-1)[1 + \kappa\varphi(1-\varphi)/(1-2\varphi)^2]` for `BitFlip`,
    :math:`(\kappa-1) ((e^\varepsilon+\kappa-1)/(e^\varepsilon-1))^2` for k-RR.
    """
    found = []
    if isinstance(mechanism, Flip):
        for code in mechanism.codes:
            k = len(code)
            g, _ = decoder(code)
            noise = np.square(g).sum() * mechanism._variance
            found.append(k - 1 + k * noise)
    else:
        for client in mechanism:
            p, q = client.support
            found.append((client.k - 1) / float(p - q) ** 2)
    return np.array(found)


def information_bias(
    mechanism: Flip | Sequence[GRR],
    child: int,
    parents: Sequence[int],
    n: int,
) -> float:
    r"""How much the information of an estimated table is too large on average, roughly.

    To second order, for attributes that are independent and near uniform:
    :math:`a_X [\prod_{p \in \Pi} (1+a_p) - 1] / 2n`, with a the `inflation`.
    """
    a = inflation(mechanism)
    n = check_count(n, 1, "n")
    own = check_codes([child], len(a), "child")
    others = check_codes(list(parents), len(a), "parents")
    return float(a[own[0]] * (np.prod(1 + a[others]) - 1) / (2 * n))
