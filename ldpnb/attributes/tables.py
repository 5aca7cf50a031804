r"""Tables of several attributes together, from reports that answer about each of them.

A report is a *symbol* of each attribute: what it says about the attribute's value, up to a factor.  The symbols of m
attributes are counted jointly, and a table of the m attributes is estimated from the counts: the likeliest one
(`likeliest`), that of some steps of EM (`expectation`), or a linear and unbiased one (`inverted`).

Entropies and information are in nats.  A table of m attributes has m axes, and its cells sum to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import groupby
from math import prod
from typing import Any

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

LISTED = 10  # bits of a code up to which all patterns are listed as symbols; above, only those that came
WORDS = 128  # joint symbols up to which tables are counted by ANDs of words of 64 people
BLOCK = 1 << 17  # words in memory at a time
DENSE = 1 << 20  # entries of a channel of several attributes that is written out
VANISHING = 1e-12  # what is given with less probability has no conditional law of its own
STOPS = ("paper", "change", "gap")
WIDE = 1 << 22  # rows times cells of one table, above which EM takes the place of Newton's method

# ------------------------------------------------------------------------------------------------------- symbols


@dataclass(frozen=True, eq=False)
class Symbols:
    """What reports say about each attribute: one symbol an attribute, and how likely a symbol is under each value.

    Reports with proportional likelihoods are one symbol: all zeros and all ones of a one-hot code say nothing.

    Attributes
    ----------
    codes : ndarray of int (n, d)
        Symbols, attribute j in {0, …, s_j−1}.
    channels : tuple of ndarray (s_j, κ_j)
        Likelihood of each symbol under each value, each row up to a factor; columns sum to 1 where all symbols are
        listed.  Attributes that share a channel share the array, and are solved together.
    scores : tuple of ndarray (s_j, κ_j)
        An unbiased estimate of the one-hot code of the value, from one symbol, linear in the bits and with sum 1; NaN
        where codes are affinely dependent, so that there is none.
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
        codes = self.codes  # people who do not exist have a symbol that is none of few
        padded = np.pad(codes.T, ((0, 0), (0, -len(codes) % 64)), constant_values=np.iinfo(codes.dtype).max)
        few = [np.arange(len(x) if len(x) <= WORDS else 0, dtype=codes.dtype)[:, None] for x in self.channels]
        return [np.packbits(x == column, axis=1).view(np.uint64) for x, column in zip(few, padded, strict=True)]


def symbols(mechanism: Flip | Sequence[GRR], reports: ArrayLike) -> Symbols:
    r"""Read the symbols off reports.

    A pattern x of bits is likely under code b in proportion to :math:`r^{2\langle x, b\rangle - |b|}`, with
    :math:`r = (1-\varphi)/\varphi`.

    Parameters
    ----------
    mechanism : BitFlip, BloomFlip, or one GRR an attribute
    reports : array_like
        As the client sends them; for GRR, one column an attribute, int (n, d).
    """
    if isinstance(mechanism, Flip):
        parts = list(_flipped(mechanism, mechanism._reports(check_array(reports, "reports"))))
    elif mechanism and all(isinstance(client, GRR) for client in mechanism):
        columns = check_columns(reports, [client.k for client in mechanism], "reports").T
        tables = {client: _responses(client) for client in mechanism}
        parts = [(column, *tables[client]) for column, client in zip(columns, mechanism, strict=True)]
    else:
        raise ValueError(f"mechanism must be a Flip or one GRR an attribute, got {shown(mechanism, most=200)}")
    codes = np.stack([code for code, _, _ in parts])  # each column in one piece of memory, of the smallest integers
    small = np.asarray(codes.astype(np.min_scalar_type(codes.max(initial=0))).T)
    return Symbols(small, tuple(channel for _, channel, _ in parts), tuple(score for _, _, score in parts))


def _flipped(mechanism: Flip, reports: Bools) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Symbols of each attribute, and their likelihoods and scores."""
    listed: dict[Any, Any] = {}
    for code, bits in zip(mechanism.codes, mechanism.split(reports), strict=True):
        width = code.shape[1]
        if width <= LISTED:
            if (key := (code.shape, code.tobytes())) not in listed:
                patterns = (np.arange(1 << width)[:, None] >> np.arange(width) & 1).astype(np.bool_)
                listed[key] = _alphabet(code, patterns, mechanism.flip, whole=True)
            which, (lookup, channel, score) = bits @ (1 << np.arange(width)), listed[key]
        else:
            _, first, which = np.unique(np.packbits(bits, axis=1), axis=0, return_index=True, return_inverse=True)
            lookup, channel, score = _alphabet(code, bits[first], mechanism.flip, whole=False)
        yield lookup[which.ravel()], channel, score


def _alphabet(code: Bools, patterns: Bools, flip: Fraction, whole: bool) -> tuple[Ints, Floats, Floats]:
    """Symbol of each pattern, and likelihoods and scores of the symbols."""
    agree = 2 * patterns.astype(np.int64) @ code.T - code.sum(1)
    agree -= agree.max(1, keepdims=True)
    keys, first, lookup = np.unique(agree, axis=0, return_index=True, return_inverse=True)
    lookup, phi = lookup.ravel(), float(flip)
    if whole:
        wrong, channel = (patterns[:, None] != code).sum(2), np.zeros(keys.shape)
        np.add.at(channel, lookup, phi**wrong * (1 - phi) ** (code.shape[1] - wrong))
    else:
        channel = (phi / (1 - phi)) ** -keys.astype(np.float64)
    g, offset = decoder(code)
    score = (patterns[first] - phi) / (1 - 2 * phi) @ g.T + offset
    if np.linalg.matrix_rank(code - code.mean(0)) < len(code) - 1:
        score[:] = np.nan
    return lookup, channel, score


def _responses(client: GRR) -> tuple[Floats, Floats]:
    p, q = map(float, client.support)
    return q + (p - q) * np.eye(client.k), (np.eye(client.k) - q) / (p - q)


# ------------------------------------------------------------------------------------------------------ counting


def _checked(symbols: Symbols, sets: Sets) -> list[Set]:
    if len(symbols) == 0:
        raise ValueError("symbols must be of at least one person, got none")
    return check_sets(sets, len(symbols.sizes))


def _counts(symbols: Symbols, sets: list[Set]) -> Ints:
    """Count the joint symbols of sets that share their channels, a few by ANDs of words: (len(sets), Π s_j)."""
    many = prod(len(symbols.channels[j]) for j in sets[0])
    if many > WORDS:
        return np.stack(counted(symbols.codes.T, [len(channel) for channel in symbols.channels], sets))
    words, found = symbols._words, np.zeros((len(sets), many), np.int64)
    for head, group in groupby(range(len(sets)), key=lambda i: sets[i][:-1]):
        places = list(group)
        last = np.stack([words[sets[i][-1]] for i in places])[:, None]
        for part in blocks(last.shape[-1], max(1, BLOCK // (len(places) * many))):
            lead = np.full((1, 1), ~np.uint64(0))
            for j in head:
                lead = (lead[:, None] & words[j][:, part]).reshape(-1, words[j][:, part].shape[-1])
            both = lead[:, None] & last[..., part]
            found[places] += np.bitwise_count(both).sum(-1, dtype=np.uint32).reshape(len(places), -1)
    return found


def _batches(
    symbols: Symbols, sets: list[Set], matrices: Sequence[Floats]
) -> Iterator[tuple[list[int], Floats, Floats, Floats]]:
    """Joint symbols of sets, and the products of their rows in the matrices of the attributes.

    Sets that share their channels come together, if these are small enough to be written out for all joint symbols:
    places of the sets, shares of the symbols (sets, r), products (r, K), and ones (r, 1).  Other sets come one by one,
    and with symbols that were sent: products as A ∗ B, (r, K₁) and (r, K₂).
    """
    same: dict[tuple[int, ...], list[int]] = {}
    for i, one in enumerate(sets):
        same.setdefault(tuple(id(symbols.channels[j]) for j in one), []).append(i)
    for places in same.values():
        parts = [matrices[j] for j in sets[places[0]]]
        if prod(part.size for part in parts) <= DENSE:
            whole = reduce(np.kron, parts)  # type: ignore[arg-type]
            yield places, _counts(symbols, [sets[i] for i in places]) / len(symbols), whole, np.ones((len(whole), 1))
        else:
            for i in places:
                came, weights = np.unique(symbols.codes[:, sets[i]], axis=0, return_counts=True)
                a, b = _halves([matrices[j][column] for j, column in zip(sets[i], came.T, strict=True)])
                yield [i], weights[None] / len(symbols), a, b


def _khatri_rao(a: Floats, b: Floats) -> Floats:
    """Kronecker product of each row of a with that of b."""
    return np.asarray((a[:, :, None] * b[:, None, :]).reshape(len(a), -1))


def _halves(parts: list[Floats]) -> tuple[Floats, Floats]:
    """Row-wise products of the first and of the last half of the parts."""
    half, none = (len(parts) + 1) // 2, np.ones((len(parts[0]), 1))
    return reduce(_khatri_rao, parts[:half]), reduce(_khatri_rao, parts[half:], none)


# ------------------------------------------------------------------------------------------------------- tables


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


def likeliest(symbols: Symbols, sets: Sets, *, gap: float | None = None, steps: int = 10_000) -> Joint:
    r"""Find the likeliest table of each set, to a certified gap.

    Tables that share their channels are solved together by `ldpnb.postprocess.maximum_likelihood`.  Where reports
    times cells are too many for Newton's method, EM climbs with extrapolated steps to the same certificate,
    :math:`\max_\omega g_\omega - 1` with g the gradient of the mean log-likelihood.

    Source: Ren et al. 2019, Algorithm 2 (the likelihood); Varadhan and Roland 2008 (SQUAREM).

    Parameters
    ----------
    symbols : Symbols
    sets : sequence of tuples of int
        Attributes in increasing order.
    gap : float, optional
        Largest gap to accept, in nats per report; by default 0.05/n, so 0.05 nats for all reports together.
    steps : int
        Most steps of EM.

    Raises
    ------
    RuntimeError
        If steps are not enough.
    """
    steps = check_count(steps, 1, "steps")
    gap = check_positive(0.05 / max(1, len(symbols)) if gap is None else gap, "gap")

    def solve(places: list[int], w: Floats, a: Floats, b: Floats) -> tuple[Floats, Any, Any]:
        if a.size * b.shape[1] > WIDE:
            return _squarem(w, a, b, gap, steps)
        mle = maximum_likelihood(_khatri_rao(a, b), w, gap=gap)
        return mle.shares, mle.gap, mle.steps

    return _joint(symbols, _checked(symbols, sets), solve)


def expectation(
    symbols: Symbols, sets: Sets, *, stop: str, delta: float = 1e-3, start: Tables | None = None, steps: int = 4000
) -> Joint:
    r"""Take plain steps of EM, :math:`P_t(\omega) = P_{t-1}(\omega)\, g_\omega(P_{t-1})`, until a rule stops them.

    It is Algorithm 2 on counted symbols: people of one symbol have one posterior.

    Source: Ren et al. 2019, Algorithm 2, with the likelihood of the report's bits given the value's.

    Parameters
    ----------
    symbols : Symbols
    sets : sequence of tuples of int
    stop : {"paper", "change", "gap"}
        After which step to stop: the first with :math:`\max P_t - \max P_{t-1} \le \delta`, as printed; with
        :math:`\max |P_t - P_{t-1}| \le \delta`; or with a gap of at most δ nats per report.
    delta : float
        δ, not negative.  The paper states none.
    start : sequence of ndarray, optional
        Tables to start from, of positive cells; uniform by default.
    steps : int
        Most steps to take; a table that has taken them is returned as it is.
    """
    chosen, steps = _checked(symbols, sets), check_count(steps, 1, "steps")
    if stop not in STOPS:
        raise ValueError(f"stop must be one of {STOPS}, got {shown(stop)}")
    if not is_number(delta) or not delta >= 0:
        raise ValueError(f"delta must not be negative, got {shown(delta)}")
    shapes = [tuple(symbols.sizes[j] for j in one) for one in chosen]
    first = [check_numbers(table, "start") for table in (map(np.ones, shapes) if start is None else start)]
    if [table.shape for table in first] != shapes or not all(np.all(table > 0) for table in first):
        raise ValueError(f"start must be tables of positive cells, of shapes {shapes}, got {shown(start, most=200)}")

    def solve(places: list[int], w: Floats, a: Floats, b: Floats) -> tuple[Floats, Any, Any]:
        came, p = w.any(0), np.stack([first[i].ravel() / first[i].sum() for i in places])
        return _em(w[:, came], a[came], b[came], p, stop, delta, steps)

    return _joint(symbols, chosen, solve)


def _joint(symbols: Symbols, sets: list[Set], solve: Callable[..., tuple[Floats, Any, Any]]) -> Joint:
    """Hand each batch to a solver, and collect its tables, gaps and steps."""
    tables, gaps, steps = [np.empty(0)] * len(sets), np.empty(len(sets)), np.empty(len(sets), np.int64)
    for places, w, a, b in _batches(symbols, sets, symbols.channels):
        shares, gaps[places], steps[places] = solve(places, w, a, b)
        for i, table in zip(places, shares, strict=True):
            tables[i] = table.reshape([symbols.sizes[j] for j in sets[i]])
    return Joint(tables, gaps, steps)


def _slope(w: Floats, a: Floats, b: Floats, p: Floats) -> tuple[Floats, Floats]:
    """Likelihood of the rows, A ∗ B, under tables p (tables, K), and the gradient."""
    u = p @ a.T if b.shape[1] == 1 else ((a @ p[0].reshape(a.shape[1], -1)) * b).sum(1)[None]
    return u, _weighed(w / u, a, b)


def _weighed(w: Floats, a: Floats, b: Floats) -> Floats:
    """Sum of the rows A ∗ B with weights w (tables, r): (tables, K)."""
    return w @ a if b.shape[1] == 1 else (a.T @ (w.T * b)).reshape(1, -1)


def _em(w: Floats, a: Floats, b: Floats, p: Floats, stop: str, delta: float, steps: int) -> tuple[Floats, Floats, Ints]:
    """Tables, gaps and steps of plain EM; finished tables are set aside."""
    done, gaps, taken, live = p.copy(), np.empty(len(p)), np.empty(len(p), np.int64), np.arange(len(p))
    _, g = _slope(w, a, b, p)
    for step in range(1, steps + 1):
        new = p * g
        _, g = _slope(w, a, b, new)
        gap = g.max(1) - 1
        left = {"paper": new.max(1) - p.max(1), "change": np.abs(new - p).max(1), "gap": gap}[stop] > delta
        done[live], gaps[live], taken[live] = new, np.maximum(gap, 0), step
        live, w, p, g = (x[left] for x in (live, w, new, g))
        if not len(live):
            break
    return done, gaps, taken


def _squarem(w: Floats, a: Floats, b: Floats, gap: float, steps: int) -> tuple[Floats, float, int]:
    """Table, gap and steps of EM with an extrapolated step after every two plain ones, kept if it climbs."""
    p = np.full((1, a.shape[1] * b.shape[1]), 1 / (a.shape[1] * b.shape[1]))
    u, g = _slope(w, a, b, p)
    for taken in range(0, steps, 3):
        if g.max() - 1 <= gap:
            return p, max(g.max() - 1, 0.0), taken
        one = p * g
        u, g = _slope(w, a, b, one)
        two, height = one * g, (w * np.log(u)).sum()
        r, v = one - p, two - 2 * one + p
        far = max(1.0, np.sqrt((r * r).sum() / max((v * v).sum(), 1e-300)))
        p = np.maximum(p + 2 * far * r + far**2 * v, two / 100)  # cells stay positive
        p /= p.sum()
        u, g = _slope(w, a, b, p)
        if (w * np.log(u)).sum() < height:
            p = two
            u, g = _slope(w, a, b, p)
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
    r"""Estimate the table of each set without bias: the mean over people of the product of their scores.

    Each attribute's scores sum to 1 for everybody, so that summing an attribute out of a table leaves the table of
    the others: overlapping tables agree before any repair, but not after `ldpnb.postprocess.norm_sub`.

    Parameters
    ----------
    symbols : Symbols
    sets : sequence of tuples of int
    """
    chosen, n = _checked(symbols, sets), len(symbols)
    if any(np.isnan(score).any() for score in symbols.scores):
        raise ValueError("symbols must be of affinely independent codes, got some that no linear estimate tells apart")
    tables, variances = [np.empty(0)] * len(chosen), [np.empty(0)] * len(chosen)
    for places, w, a, b in _batches(symbols, chosen, symbols.scores):
        for i, x, square in zip(places, _weighed(w, a, b), _weighed(w, a**2, b**2), strict=True):
            variance = (square - x**2) / (n - 1) if n > 1 else np.full_like(x, np.nan)
            tables[i], variances[i] = (y.reshape([symbols.sizes[j] for j in chosen[i]]) for y in (x, variance))
    return Linear(tables, variances)


# --------------------------------------------------------------------------------------------------- information


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
    return _entropy(*_tables(tables, axes))


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
    p = np.moveaxis(p, axis % axes - axes, -1).reshape(*p.shape[: p.ndim - axes], -1, p.shape[axis % axes - axes])
    return np.maximum(_entropy(p.sum(-1), 1) + _entropy(p.sum(-2), 1) - _entropy(p, 2), 0)


def _entropy(p: Floats, axes: int) -> Any:
    return -(p * np.log(np.where(p > 0, p, 1))).sum(tuple(range(-axes, 0)))


def check_table(table: ArrayLike, attributes: Sequence[int]) -> Floats:
    """Return a table of shares with an axis for each of these attributes."""
    name = f"tables of {attributes}"
    p, axes = _tables(table, None, name)
    if axes != len(attributes):
        raise ValueError(f"{name} must have an axis an attribute, got shape {p.shape}")
    return p


def conditional(table: Floats, given: Sequence[int]) -> Floats:
    """Return the law of the other attributes given those of some axes: (values of each of these, cells of the others).

    Where what is given has no probability (less than 1e-12), the others follow their marginal.
    """
    rows = np.moveaxis(table, given, range(len(given)))
    rows = rows.reshape(*rows.shape[: len(given)], -1)
    total, alone = rows.sum(-1, keepdims=True), rows.reshape(-1, rows.shape[-1]).sum(0)
    found = np.where(total > VANISHING, rows / np.maximum(total, VANISHING), alone)
    return np.asarray(found / found.sum(-1, keepdims=True))


def _tables(tables: ArrayLike, axes: int | None, name: str = "tables") -> tuple[Floats, int]:
    """Return tables of shares, and how many of the last axes make one."""
    p = check_numbers(tables, name)
    axes = check_count(p.ndim if axes is None else axes, 1, "axes", p.ndim)
    sums = p.sum(tuple(range(-axes, 0)))
    if not ((p >= 0).all() and (np.abs(sums - 1) <= 1e-9).all()):
        raise ValueError(f"{name} must not be negative and have sum 1, got a cell {p.min()} and sums {sums}")
    return p, axes


def inflation(mechanism: Flip | Sequence[GRR]) -> Floats:
    r"""How much larger than without noise the cell variances of each attribute are: a_j, (d,).

    It is :math:`\sum_\omega n\,\mathrm{Var}/p_\omega` of the scores at uniform values, κ−1 without noise:
    :math:`(\kappa-1)[1 + \kappa\varphi(1-\varphi)/(1-2\varphi)^2]` for `BitFlip`, :math:`(\kappa-1)
    ((e^\varepsilon+\kappa-1)/(e^\varepsilon-1))^2` for k-RR.
    """
    if isinstance(mechanism, Flip):
        noise = [np.square(decoder(code)[0]).sum() * mechanism._variance for code in mechanism.codes]
        return np.array([k - 1 + k * more for k, more in zip(mechanism.sizes, noise, strict=True)])
    return np.array([(client.k - 1) / float(client.support[0] - client.support[1]) ** 2 for client in mechanism])


def information_bias(mechanism: Flip | Sequence[GRR], child: int, parents: Sequence[int], n: int) -> float:
    r"""How much the information of an estimated table is too large on average, roughly.

    To second order, for attributes that are independent and near uniform:
    :math:`a_X [\prod_{p \in \Pi} (1+a_p) - 1] / 2n`, with a the `inflation`.
    """
    a, n = inflation(mechanism), check_count(n, 1, "n")
    own, others = check_codes([child], len(a), "child"), check_codes(list(parents), len(a), "parents")
    return float(a[own[0]] * (np.prod(1 + a[others]) - 1) / (2 * n))
