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
from ldpnb.checks import check_array, check_codes, check_count, check_numbers, is_number
from ldpnb.oracles.frequency import GRR
from ldpnb.postprocess import maximum_likelihood

Floats = NDArray[np.float64]
Sets = Sequence[Sequence[int]]

LISTED = 10  # bits of a code up to which all patterns are listed as symbols; above, only those that came
WORDS = 128  # joint symbols up to which tables are counted by ANDs of words of 64 people
BLOCK = 1 << 17  # words in memory at a time
DENSE = 1 << 20  # entries of a channel of several attributes that is written out
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

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each attribute."""
        return tuple(channel.shape[1] for channel in self.channels)

    @cached_property
    def _words(self) -> list[NDArray[np.uint64]]:
        """Who sent each symbol, 64 people a word: (s_j, words), for attributes of few symbols."""
        words = []
        for column, channel in zip(self.codes.T, self.channels, strict=True):
            if len(channel) <= WORDS:
                sent = np.zeros((len(channel), -(-len(column) // 64) * 64), np.bool_)
                np.equal(column, np.arange(len(channel))[:, None].astype(column.dtype), out=sent[:, : len(column)])
                words.append(np.packbits(sent, axis=1).view(np.uint64))
            else:
                words.append(np.empty((0, 0), np.uint64))
        return words


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
    made: dict[Any, Any] = {}
    if not isinstance(mechanism, Flip):
        if not mechanism or not all(isinstance(client, GRR) for client in mechanism):
            raise ValueError(f"mechanism must be a Flip or one GRR an attribute, got {mechanism!r}")
        columns = check_array(reports, "reports")
        if columns.ndim != 2 or columns.shape[1] != len(mechanism):
            raise ValueError(f"reports must have one column a client, {len(mechanism)}, got shape {columns.shape}")
        tables = [made.setdefault(client, _responses(client)) for client in mechanism]
        codes = [check_codes(column, client.k, "reports") for column, client in zip(columns.T, mechanism, strict=True)]
        return Symbols(_small(codes), *zip(*tables, strict=True))
    bits = mechanism._reports(check_array(reports, "reports"))
    parts = np.split(bits, np.cumsum([code.shape[1] for code in mechanism.codes])[:-1], axis=1)
    codes, channels, scores = [], [], []
    for code, part in zip(mechanism.codes, parts, strict=True):
        width = code.shape[1]
        if width <= LISTED:
            key = (code.shape, code.tobytes())
            if key not in made:
                patterns = (np.arange(1 << width)[:, None] >> np.arange(width) & 1).astype(np.bool_)
                made[key] = _alphabet(code, patterns, mechanism.flip, whole=True)
            lookup, channel, score = made[key]
            codes.append(lookup[part @ (1 << np.arange(width))])
        else:
            packed = np.packbits(part, axis=1)
            _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
            lookup, channel, score = _alphabet(code, part[first], mechanism.flip, whole=False)
            codes.append(lookup[which.ravel()])
        channels.append(channel)
        scores.append(score)
    return Symbols(_small(codes), tuple(channels), tuple(scores))


def _alphabet(
    code: NDArray[np.bool_], patterns: NDArray[np.bool_], flip: Fraction, whole: bool
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Symbol of each pattern, and likelihoods and scores of the symbols."""
    agree = 2 * patterns.astype(np.int64) @ code.T - code.sum(1)
    agree -= agree.max(1, keepdims=True)
    keys, first, lookup = np.unique(agree, axis=0, return_index=True, return_inverse=True)
    lookup = lookup.ravel()
    phi = float(flip)
    if whole:
        wrong = (patterns[:, None] != code).sum(2)
        channel = np.zeros(keys.shape)
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
    eye = np.eye(client.k)
    return q + (p - q) * eye, (eye - q) / (p - q)


def _small(columns: list[NDArray[np.int64]]) -> NDArray[np.integer]:
    """Columns side by side, each in one piece of memory, in the smallest integers that hold them."""
    most = max(int(column.max(initial=0)) for column in columns)
    return np.asarray(np.stack(columns).astype(np.min_scalar_type(most)).T)


# ------------------------------------------------------------------------------------------------------ counting


def _checked(symbols: Symbols, sets: Sets) -> list[tuple[int, ...]]:
    if len(symbols) == 0:
        raise ValueError("symbols must be of at least one person, got none")
    return check_sets(sets, len(symbols.sizes))


def _batches(symbols: Symbols, sets: list[tuple[int, ...]]) -> Iterator[tuple[list[int], bool]]:
    """Places of the sets that share their channels, and whether their joint channel is small enough to write out."""
    same: dict[tuple[int, ...], list[int]] = {}
    for i, one in enumerate(sets):
        same.setdefault(tuple(id(symbols.channels[j]) for j in one), []).append(i)
    for places in same.values():
        if prod(symbols.channels[j].size for j in sets[places[0]]) <= DENSE:
            yield places, True
        else:
            yield from (([i], False) for i in places)


def _counts(symbols: Symbols, sets: list[tuple[int, ...]]) -> NDArray[np.int64]:
    """Count the joint symbols of sets that share their channels: (len(sets), Π s_j)."""
    shape = tuple(len(symbols.channels[j]) for j in sets[0])
    found = np.zeros((len(sets), prod(shape)), np.int64)
    if prod(shape) > WORDS:
        for i, one in enumerate(sets):
            code = symbols.codes[:, one[0]].astype(np.int64)
            for j, size in zip(one[1:], shape[1:], strict=True):
                code *= size
                code += symbols.codes[:, j]
            found[i] = np.bincount(code, minlength=prod(shape))
        return found
    words = symbols._words
    for head, group in groupby(range(len(sets)), key=lambda i: sets[i][:-1]):
        places = list(group)
        last = np.stack([words[sets[i][-1]] for i in places])[:, None]
        step = max(1, BLOCK // (len(places) * prod(shape)))
        for at in range(0, last.shape[-1], step):
            part = slice(at, at + step)
            lead = np.full((1, 1), ~np.uint64(0))
            for j in head:
                lead = (lead[:, None] & words[j][:, part]).reshape(-1, words[j][:, part].shape[-1])
            both = lead[:, None] & last[..., part]
            found[places] += np.bitwise_count(both).sum(-1, dtype=np.uint32).reshape(len(places), -1)
    return found


def _rows(symbols: Symbols, one: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """Joint symbols of one set that came: weights (r,), and their likelihoods as A ∗ B, (r, K₁) and (r, K₂)."""
    code: NDArray[np.int64] = np.zeros(len(symbols), np.int64)
    for j in one:  # numbered anew after each attribute, so that no number grows large
        code = code * len(symbols.channels[j]) + symbols.codes[:, j]
        _, first, code = np.unique(code, return_index=True, return_inverse=True)
    a, b = _halves([symbols.channels[j][symbols.codes[first, j]] for j in one])
    return np.bincount(code)[None] / len(symbols), a, b


def _kron(parts: Sequence[Floats]) -> Floats:
    return reduce(lambda a, b: np.asarray(np.kron(a, b), np.float64), parts)


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
    steps: NDArray[np.int64]


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
    gap = 0.05 / max(1, len(symbols)) if gap is None else gap
    if not is_number(gap) or not gap > 0:
        raise ValueError(f"gap must be a positive number, got {gap!r}")

    def solve(places: list[int], w: Floats, a: Floats, b: Floats | None) -> tuple[Floats, Any, Any]:
        if b is not None and a.size * b.shape[1] > WIDE:
            return _squarem(w, a, b, gap, steps)
        mle = maximum_likelihood(a if b is None else _khatri_rao(a, b), w, gap=gap)
        return mle.shares, mle.gap, mle.steps

    return _joint(symbols, _checked(symbols, sets), solve)


def expectation(
    symbols: Symbols,
    sets: Sets,
    *,
    stop: str,
    delta: float = 1e-3,
    start: Sequence[ArrayLike] | None = None,
    steps: int = 4000,
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
    if stop not in ("paper", "change", "gap"):
        raise ValueError(f"stop must be 'paper', 'change' or 'gap', got {stop!r}")
    if not is_number(delta) or not delta >= 0:
        raise ValueError(f"delta must not be negative, got {delta!r}")
    first = _starts(symbols, chosen, start)

    def solve(places: list[int], w: Floats, a: Floats, b: Floats | None) -> tuple[Floats, Any, Any]:
        came = w.any(0)
        a, b = a[came], None if b is None else b[came]
        return _em(w[:, came], a, b, np.stack([first[i].ravel() for i in places]), stop, delta, steps)

    return _joint(symbols, chosen, solve)


def _joint(symbols: Symbols, sets: list[tuple[int, ...]], solve: Callable[..., tuple[Floats, Any, Any]]) -> Joint:
    """Hand each batch to a solver: shares of the rows (tables, r), and their likelihoods, a or rows a ⊗ b."""
    tables, gaps, steps = [np.empty(0)] * len(sets), np.empty(len(sets)), np.empty(len(sets), np.int64)
    for places, dense in _batches(symbols, sets):
        one = sets[places[0]]
        if dense:
            w = _counts(symbols, [sets[i] for i in places]) / len(symbols)
            shares, gaps[places], steps[places] = solve(places, w, _kron([symbols.channels[j] for j in one]), None)
        else:
            shares, gaps[places], steps[places] = solve(places, *_rows(symbols, one))
        for i, table in zip(places, shares, strict=True):
            tables[i] = table.reshape([symbols.sizes[j] for j in one])
    return Joint(tables, gaps, steps)


def _starts(symbols: Symbols, sets: list[tuple[int, ...]], start: Sequence[ArrayLike] | None) -> list[Floats]:
    shapes = [tuple(symbols.sizes[j] for j in one) for one in sets]
    if start is None:
        return [np.full(shape, 1 / prod(shape)) for shape in shapes]
    tables = [check_numbers(table, "start") for table in start]
    if [table.shape for table in tables] != shapes:
        raise ValueError(f"start must be tables of shapes {shapes}, got {[table.shape for table in tables]}")
    if not all(np.all(table > 0) for table in tables):
        raise ValueError("start must be tables of positive cells, got one that is not")
    return [table / table.sum() for table in tables]


def _slope(w: Floats, a: Floats, b: Floats | None, p: Floats) -> tuple[Floats, Floats]:
    """Likelihood of the rows under tables p (tables, K), and the gradient; a row's likelihoods are a, or a ⊗ b."""
    if b is None:
        u = p @ a.T
        return u, (w / u) @ a
    u = ((a @ p[0].reshape(a.shape[1], -1)) * b).sum(1)[None]
    return u, (a.T @ ((w / u).T * b)).reshape(1, -1)


def _em(
    w: Floats, a: Floats, b: Floats | None, p: Floats, stop: str, delta: float, steps: int
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Tables, gaps and steps of plain EM; finished tables are set aside."""
    done, taken, live = p.copy(), np.full(len(p), steps), np.arange(len(p))
    gaps = np.empty(len(p))
    _, g = _slope(w, a, b, p)
    for step in range(1, steps + 1):
        new = p * g
        _, g = _slope(w, a, b, new)
        if stop == "paper":
            over = new.max(1) - p.max(1) <= delta
        elif stop == "change":
            over = np.abs(new - p).max(1) <= delta
        else:
            over = g.max(1) - 1 <= delta
        done[live], gaps[live], taken[live[over]] = new, np.maximum(g.max(1) - 1, 0), step
        live, w, p, g = live[~over], w[~over], new[~over], g[~over]
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
    raise RuntimeError(f"steps = {steps} left a gap of {g.max() - 1:.3g}, above gap = {gap:g}")


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
    for places, dense in _batches(symbols, chosen):
        one = chosen[places[0]]
        scores, shape = [symbols.scores[j] for j in one], [symbols.sizes[j] for j in one]
        if dense:
            w, z = _counts(symbols, [chosen[i] for i in places]) / n, _kron(scores)
            first, second = w @ z, w @ z**2
        else:
            a, b = _halves([score[symbols.codes[:, j]] for j, score in zip(one, scores, strict=True)])
            first, second = ((a**k).T @ b**k / n for k in (1, 2))
        for i, x, y in zip(places, first.reshape(-1, *shape), second.reshape(-1, *shape), strict=True):
            tables[i], variances[i] = x, (y - x**2) / (n - 1) if n > 1 else np.full(shape, np.nan)
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
    p, axes = _tables(tables, axes)
    return -(p * np.log(np.where(p > 0, p, 1))).sum(tuple(range(-axes, 0)))


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
    found = entropy(p.sum(-1), axes=1) + entropy(p.sum(-2), axes=1) - entropy(p, axes=2)
    return np.maximum(found, 0)


def check_table(table: ArrayLike, attributes: Sequence[int]) -> Floats:
    """Return a table of shares with an axis for each of these attributes."""
    name = f"tables of {attributes}"
    p = check_numbers(table, name)
    if p.ndim != len(attributes):
        raise ValueError(f"{name} must have an axis an attribute, got shape {p.shape}")
    return _tables(p, p.ndim, name)[0]


def _tables(tables: ArrayLike, axes: int | None, name: str = "tables") -> tuple[Floats, int]:
    """Return tables of shares, and how many of the last axes make one."""
    p = check_numbers(tables, name)
    axes = p.ndim if axes is None else check_count(axes, 1, "axes")
    if not 1 <= axes <= p.ndim:
        raise ValueError(f"axes must be at most those of {name}, {p.ndim}, got {axes}")
    sums = p.sum(tuple(range(-axes, 0)))
    if not (np.all(p >= 0) and np.all(np.abs(sums - 1) <= 1e-9)):
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
