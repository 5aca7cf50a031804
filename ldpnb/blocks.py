r"""Many categorical attributes a person, reported a block at a time: all of ε on the joint value of a few attributes.

Two clients with the same estimates, all tables of pairs of attributes:

- `Blocks` draws ℓ of the d attributes in public and answers about their joint value by k-RR with all of ε;
- `Each` answers about every attribute by a k-RR of its own, so that a record pays for d answers.

And what a server makes of noisy tables: `consistent` ones, and the distribution of `max_entropy` over whole records.

A set of attributes is an increasing tuple of their numbers; its table has one axis an attribute, in that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from math import comb, inf, nextafter, prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from ldpnb import chance
from ldpnb.chance import Randomness, bernoulli, distinct, odds, round_down, uniform
from ldpnb.core import Mechanism, Reports, Tally, check_codes, check_columns, check_count, check_epsilon, check_people
from ldpnb.kernels import fwht
from ldpnb.postprocess import norm_sub

CELLS_MAX = 2**24  # of a tally, over all blocks: 128 MB
ATTRIBUTES_MAX = 20  # of a maximum-entropy fit, whose 2**d cells are all written down

Sets = Sequence[tuple[int, ...]]


@dataclass(frozen=True, kw_only=True)
class PairTables(Mechanism):
    """What clients share whose estimates are the tables of all pairs of attributes.

    Values are records, int (n, d), attribute j in {0, …, κ_j−1}.  Estimates are flat, (…, Σ_{a<b} κ_a κ_b): pair after
    pair in lexicographic order, (0, 1), (0, 2), …, each table row by row; `unpack` makes tables of them.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j; at least two attributes.
    """

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", _sizes(self.sizes))

    @property
    def pairs(self) -> list[tuple[int, ...]]:
        """All pairs of attributes, in lexicographic order."""
        return list(combinations(range(len(self.sizes)), 2))

    def unpack(self, flat: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut an estimate, a target or a noise into the tables of `pairs`, (…, κ_a, κ_b) each."""
        return _unpacked(flat, self.pairs, self.sizes)

    def target(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """One for the cell of the person's record in each pair's table, zero for the others."""
        codes = check_columns(values, self.sizes)
        cells = [(codes[:, a] * self.sizes[b] + codes[:, b], self.sizes[a] * self.sizes[b]) for a, b in self.pairs]
        return np.concatenate([np.equal.outer(cell, np.arange(k)) for cell, k in cells], -1).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Blocks(PairTables):
    r"""A public uniformly random set of ℓ attributes, a block, and its joint value by k-RR with all of ε.

    A block B of :math:`K_B=\prod_{j\in B}\kappa_j` cells is kept with :math:`g_B=(e^\varepsilon-1)/(e^\varepsilon+K_B-1)`,
    and otherwise any cell is reported, all alike.  For a set S inside B, whose table has :math:`K_S` cells, the score
    of cell t is :math:`(1\{y_S=t\}-(1-g_B)/K_S)/g_B`, which has mean :math:`1\{x_S=t\}`.  Two estimates are made of it:

    - `estimate`, the mean over all people of the score over the chance that S is in the block, and 0 where it is not:
      linear and unbiased;
    - `tables`, the mean over those whose block contains S: unbiased given the blocks, with less variance for a cell,
      since how many people drew S is not counted as a part of the answer.  A contrast such as a parity gains little.

    Source: Zhang et al. 2018 (CALM: marginals of a few attributes a group of people, each with all of ε), with a
    chosen covering of all pairs.  Random blocks need no covering design, and are ours.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
    size : int in [2, d]
        Attributes in a block, ℓ.  There are C(d, ℓ) blocks, and a tally has C(d, ℓ) times max K_B cells, at most 2²⁴.
    epsilon : float
        Of a record; and just as much of a single attribute, since a block may spend all of it there.

    Reports have the fields ``block`` (public), the block's number in lexicographic order, and ``value``, its cell, row
    by row; (n,).

    There is no `simulate`: in all but tiny domains nearly everybody has a record and a block of their own, and drawing
    them one by one is no slower.
    """

    size: int
    epsilon: float
    public_fields: ClassVar[tuple[str, ...]] = ("block",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "size", check_count(self.size, 2, "size"))
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        d = len(self.sizes)
        if self.size > d:
            raise ValueError(f"size must be at most the number of attributes, {d}, got {self.size}")
        if _tally_cells(self.sizes, self.size) > CELLS_MAX:
            raise ValueError(
                f"size must leave a tally of at most {CELLS_MAX} cells, got {self.size}: "
                f"{_tally_cells(self.sizes, self.size)} cells"
            )

    @cached_property
    def blocks(self) -> NDArray[np.int64]:
        """The attributes of each block, in lexicographic order: (C(d, ℓ), ℓ)."""
        return np.array(list(combinations(range(len(self.sizes)), self.size)), np.int64)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """Number of cells of each block, K_B: (C(d, ℓ),)."""
        return np.asarray(np.array(self.sizes)[self.blocks].prod(1), np.int64)

    @cached_property
    def keep(self) -> NDArray[np.float64]:
        """Probability g_B of answering with the value, before the blind draw; rounded down: (C(d, ℓ),)."""
        e = odds(self.epsilon)
        kept = {k: _keep(k, e) for k in set(self.cells.tolist())}
        return np.array([kept[k] for k in self.cells.tolist()])

    @property
    def attribute_epsilon(self) -> float:
        """Of one attribute, the others being equal: ε, where it is in the block."""
        return self.epsilon

    @property
    def realised_epsilon(self) -> float:
        """The largest ln(p*/q*) = ln(1 + K_B g_B/(1−g_B)) of a block."""
        return chance.log(max(_ratio(k, g) for k, g in set(zip(self.cells.tolist(), self.keep.tolist(), strict=True))))

    @property
    def report_bits(self) -> int:
        """⌈log₂ max K_B⌉; the block is public."""
        return (int(self.cells.max()) - 1).bit_length()

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Layout of a report."""
        return np.dtype([("block", np.int64), ("value", np.int64)])

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports: (n,) with fields ``block`` and ``value``."""
        records = check_columns(values, self.sizes)
        check_people(records)
        n, d = records.shape
        drawn = np.sort(distinct(np.full(n, d), np.full(n, self.size), self.size, rng), 1)
        block = _rank(drawn, d)
        radix, held = np.array(self.sizes)[drawn], np.take_along_axis(records, drawn, 1)
        cell = np.zeros(n, np.int64)
        for j in range(self.size):
            cell = cell * radix[:, j] + held[:, j]
        reports = np.empty(n, self.dtype)
        reports["block"] = block
        kept = bernoulli(self.keep[block], (n,), rng)
        reports["value"] = np.where(kept, cell, uniform(self.cells[block], (n,), rng))
        return reports

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the reports of each cell of each block: (C(d, ℓ), max K_B), zero beyond a block's own cells."""
        found = np.asarray(reports)
        if found.dtype != self.dtype:
            raise ValueError(f"reports must have the fields block and value, got {found.dtype}")
        block, most = check_codes(found["block"], len(self.blocks), "block"), int(self.cells.max())
        value = check_codes(found["value"], most, "value")
        wrong = value[value >= self.cells[block]]
        if wrong.size:
            raise ValueError(f"value must be below the number of cells of its block, got {wrong[0]}")
        counts = np.bincount(block * most + value, minlength=len(self.blocks) * most)
        return Tally(self, len(found), counts.reshape(-1, most))

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the tables of all pairs, every person counted: (…, Σ κ_a κ_b)."""
        counts = self._own(tally).counts
        chance_of_pair = comb(self.size, 2) / comb(len(self.sizes), 2)
        return self._scores(counts, 2, self.keep**0) / (tally.n * chance_of_pair)

    def noise(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Variance of each score: one number for the person's cell of a pair, one for its other cells."""
        k = np.array([self.sizes[a] * self.sizes[b] for a, b in self.pairs])
        drawn = comb(self.size, 2) / comb(len(self.sizes), 2)
        g = self.keep

        def mean(weight: NDArray[np.float64]) -> Any:  # over the blocks with the pair, over its chance squared
            return self._inside(weight, 2) / (len(g) * drawn**2)

        # a blind cell is u = (1−g)/k likely, and the score of a reported one is (1−u)/g, of any other one −u/g
        other = mean((1 - g) / g**2) / k - mean((1 - g) ** 2 / g**2) / k**2
        own = other + mean(1 / g) - 2 * mean((1 - g) / g) / k
        return np.where(self.target(values) == 1, np.repeat(own - 1, k), np.repeat(other, k))

    # ------------------------------------------------------------------------------------------------- pooling

    def tables(self, tally: Tally, sets: Sets) -> Pooled:
        r"""Estimate the table of each set from all blocks that contain it.

        .. math:: \hat f_S(t) = \sum_i g_{B_i}^2\, s_i(t) \Big/ \sum_i g_{B_i}^2, \qquad
           \operatorname{Var} \le \frac{1}{4 \sum_i g_{B_i}^2},

        over the people i whose block contains S, with score s.  The weights are public.  They are the best ones where
        the table is uniform, since the variance of the score is then :math:`(1-1/K_S)/(K_S g_B^2)`.

        Parameters
        ----------
        tally : Tally
        sets : list of tuple of int
            Increasing attribute numbers, one to ℓ of them.

        Raises
        ------
        ValueError
            If a set does not fit into a block, or nobody drew a block that contains it.
        """
        counts = self._own(tally).counts
        sets = _sets(sets, len(self.sizes), self.size)
        drawn = counts.sum(-1)
        tables: dict[tuple[int, ...], NDArray[np.float64]] = {}
        people: dict[tuple[int, ...], NDArray[np.float64]] = {}
        for m in sorted(set(map(len, sets))):
            all_sets = list(combinations(range(len(self.sizes)), m))
            weight = self._inside(drawn * self.keep**2, m)
            tables |= zip(all_sets, _unpacked(self._scores(counts, m, self.keep**2), all_sets, self.sizes), strict=True)
            people |= zip(all_sets, np.moveaxis(weight, -1, 0), strict=True)
        for s in sets:
            if not np.all(people[s] > 0):
                raise ValueError(f"sets must be in a block that somebody drew, got {s}")
        shares = [tables[s] / _beside(people[s], tables[s]) for s in sets]
        variances = self.pooled_variance(drawn, sets, [np.clip(x, 0, 1) for x in shares])
        return Pooled(sets, shares, variances, np.stack([people[s] for s in sets], -1))

    def pooled_variance(self, drawn: ArrayLike, sets: Sets, shares: Sequence[ArrayLike]) -> list[NDArray[np.float64]]:
        r"""Variance of `tables` for a population of known shares, given how many people drew each block; exact.

        With :math:`P = (1-g)/K_S + g f` the chance of a report in cell t, whose share is f, and sums over the people
        whose block contains S,

        .. math:: \frac{\sum_i g_i^2 P_i (1-P_i)}{(\sum_i g_i^2)^2}
           - \frac{f(1-f)}{n-1}\Big(1 - \frac{\sum_i g_i^4}{(\sum_i g_i^2)^2}\Big).

        The first term is for people drawn from a distribution; the second is there because they come from a fixed
        population without being drawn twice.

        Parameters
        ----------
        drawn : array_like of int (…, C(d, ℓ))
        sets : list of tuple of int
        shares : list of array_like (…, κ_a, …)
            A table a set.
        """
        people = np.asarray(drawn)
        others = np.maximum(people.sum(-1) - 1, 1)
        g, found = self.keep, []
        for s, share in zip(_sets(sets, len(self.sizes), self.size), shares, strict=True):
            f, k, at = (
                np.asarray(share, np.float64),
                prod(self.sizes[j] for j in s),
                _rank(np.array(s), len(self.sizes)),
            )
            u = (1 - g) / k
            terms = (g**0, u * (1 - u), g * (1 - 2 * u), g**2)  # P(1−P) is a polynomial in f
            total, zero, one, two = (_beside(self._inside(people * g**2 * term, len(s))[..., at], f) for term in terms)
            drawn_once = f * (1 - f) / _beside(others, f) * (1 - two / total**2)
            found.append((zero + one * f - two * f**2) / total**2 - drawn_once)
        return found

    # ------------------------------------------------------------------------------------------------- sums of counts

    def _scores(self, counts: NDArray[np.int64], m: int, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of weighted scores of the cells of all m-sets, (…, Σ_S K_S): reports in the cell, less the blind ones."""
        d, lead = len(self.sizes), counts.shape[:-2]
        sets = list(combinations(range(d), m))
        k = np.array([prod(self.sizes[j] for j in s) for s in sets])
        start = np.cumsum(k) - k
        found = np.zeros((int(k.sum()), *lead))
        shapes, shape_of = np.unique(np.array(self.sizes)[self.blocks], axis=0, return_inverse=True)
        for i, shape in enumerate(shapes.tolist()):  # blocks whose attributes have the same sizes, all at once
            rows = np.flatnonzero(shape_of.ravel() == i)
            part = counts[..., rows, : prod(shape)].reshape(*lead, len(rows), *shape)
            scale = (weight / self.keep)[rows]
            for places in combinations(range(self.size), m):
                away = tuple(j - self.size for j in range(self.size) if j not in places)
                table = part.sum(away).reshape(*lead, len(rows), -1) * scale[:, None]
                cells = start[_rank(self.blocks[rows][:, places], d)][:, None] + np.arange(table.shape[-1])
                np.add.at(found, cells, np.moveaxis(table, (-2, -1), (0, 1)))
        blind = self._inside(counts.sum(-1) * (weight * (1 - self.keep) / self.keep), m) / k
        return np.moveaxis(found, 0, -1) - np.repeat(blind, k, -1)

    def _inside(self, weights: NDArray[Any], m: int) -> NDArray[np.float64]:
        """Sum weights of blocks, (…, C(d, ℓ)), over those that contain each m-set: (…, C(d, m))."""
        d = len(self.sizes)
        found = np.zeros((comb(d, m), *weights.shape[:-1]))
        for places in combinations(range(self.size), m):
            np.add.at(found, _rank(self.blocks[:, places], d), np.moveaxis(weights, -1, 0))
        return np.moveaxis(found, 0, -1)


@dataclass(frozen=True, eq=False)
class Pooled:
    """Tables of sets of attributes, from all blocks that contain them.

    Attributes
    ----------
    sets : list of tuple of int
    tables : list of ndarray (…, κ_a, …)
        Unbiased shares, of sum 1; they may be negative.
    variances : list of ndarray (…, κ_a, …)
        Variance of each share for a fixed population, with the estimated shares put in for the true ones.
    people : ndarray (…, sets)
        How many exact answers a set's reports are worth, Σ g²: 1/people is the variance of the parity of binary
        attributes, up to terms of order 1/n.
    """

    sets: list[tuple[int, ...]]
    tables: list[NDArray[np.float64]]
    variances: list[NDArray[np.float64]]
    people: NDArray[np.float64]

    @property
    def parities(self) -> NDArray[np.float64]:
        """Mean of the product of signs (−1)^x over each set, all of them binary: (…, sets)."""
        if any(
            table.shape[table.ndim - len(s) :] != (2,) * len(s) for s, table in zip(self.sets, self.tables, strict=True)
        ):
            raise ValueError("sets must be of binary attributes to have parities, got tables of other shapes")
        signs = [np.array([1, -1])[np.indices((2,) * len(s)).sum(0) % 2] for s in self.sets]
        return np.stack([(x * y).sum(tuple(range(-y.ndim, 0))) for x, y in zip(self.tables, signs, strict=True)], -1)


def pair_variance(sizes: Sequence[int], size: int, epsilon: float) -> float:
    r"""Return n times the variance of a pair's parity under `Blocks`, for uniform data; over pairs, the mean.

    A pair is in a random block with chance :math:`\ell(\ell-1)/(d(d-1))`.  If it is, the parity of the reported cell
    over g estimates the true one, with mean square :math:`1/g^2`, since a blind cell has parity 0 on average.  So for
    binary attributes

    .. math:: n \operatorname{Var} = \frac{d(d-1)}{\ell(\ell-1)}
       \Big(\frac{e^\varepsilon+2^\ell-1}{e^\varepsilon-1}\Big)^2 - m^2,

    where m is the true parity, 0 for uniform data.  In general :math:`\Pr[S\subset B]\,\mathrm E[g_B^2\mid S\subset B]`
    takes the place of :math:`g^2\ell(\ell-1)/(d(d-1))`, as in `Blocks.tables`; it is the variance of any contrast of a
    pair's cells whose mean square over them is 1.

    Parameters
    ----------
    sizes : tuple of int
    size : int in [2, d]
    epsilon : float
    """
    sizes, e = _sizes(sizes), float(odds(check_epsilon(epsilon)))
    if not 2 <= check_count(size, 2, "size") <= len(sizes):
        raise ValueError(f"size must be at most the number of attributes, {len(sizes)}, got {size}")
    blocks = np.array(list(combinations(range(len(sizes)), size)))
    g = (e - 1) / (e + np.array(sizes)[blocks].prod(1) - 1)
    member = np.zeros((len(blocks), len(sizes)))
    np.put_along_axis(member, blocks, 1, 1)
    answers = (member.T * g**2) @ member / len(blocks)
    return float(np.mean(1 / answers[np.triu_indices(len(sizes), 1)]))


def best_size(sizes: Sequence[int], epsilon: float) -> int:
    """Return the size of a block, at least 2, for which `pair_variance` is least, among those `Blocks` can count."""
    sizes = _sizes(sizes)
    fits = [size for size in range(2, len(sizes) + 1) if _tally_cells(sizes, size) <= CELLS_MAX]
    if not fits:
        raise ValueError(f"sizes must leave a tally of at most {CELLS_MAX} cells for some block, got {sizes}")
    return min(fits, key=lambda size: pair_variance(sizes, size, epsilon))


@dataclass(frozen=True, kw_only=True)
class Each(PairTables):
    r"""One k-RR an attribute, each with an ε of its own: the plain way to report a whole record.

    The score of a pair is the product of the two attributes' scores :math:`(1\{y=t\}-q)/(p-q)`, which are independent.

    Source: sequential composition of k-RR (Kairouz, Bonawitz and Ramage 2016).

    Parameters
    ----------
    sizes : tuple of int, each at least 2
    attribute_epsilon : float
        Of one attribute, the others being equal.  For a record it is d times that: divide an ε for a record by d.

    Reports are records, int (n, d).
    """

    attribute_epsilon: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "attribute_epsilon", check_epsilon(self.attribute_epsilon, "attribute_epsilon"))

    @cached_property
    def keep(self) -> NDArray[np.float64]:
        """Probability p − q of answering with the value, before the blind draw; rounded down: (d,)."""
        e = odds(self.attribute_epsilon)
        return np.array([_keep(k, e) for k in self.sizes])

    @property
    def epsilon(self) -> float:
        """Of a whole record: d times that of one attribute, rounded up."""
        exact = len(self.sizes) * Fraction(self.attribute_epsilon)
        found = float(exact)
        return found if found >= exact else nextafter(found, inf)

    @property
    def realised_epsilon(self) -> float:
        """That of a whole record, with the rounded probabilities."""
        return chance.log(prod(_ratio(k, g) for k, g in zip(self.sizes, self.keep.tolist(), strict=True)))

    @property
    def report_bits(self) -> int:
        """⌈log₂ Π κ_j⌉."""
        return (prod(self.sizes) - 1).bit_length()

    def perturb(self, values: ArrayLike, *, rng: Randomness) -> Reports:
        """Draw reports: integers, column j in [0, κ_j), (n, d)."""
        codes = check_columns(values, self.sizes)
        check_people(codes)
        return np.where(bernoulli(self.keep, codes.shape, rng), codes, uniform(np.array(self.sizes), codes.shape, rng))

    def tally(self, reports: Reports, items: Any = None) -> Tally:
        """Count the reports in each cell of the tables of all pairs: (Σ κ_a κ_b,)."""
        codes = check_columns(reports, self.sizes)
        k = self.sizes
        counts = [np.bincount(codes[:, a] * k[b] + codes[:, b], minlength=k[a] * k[b]) for a, b in self.pairs]
        return Tally(self, len(codes), np.concatenate(counts))

    def estimate(self, tally: Tally) -> NDArray[np.float64]:
        """Estimate the tables of all pairs: (…, Σ κ_a κ_b)."""
        found = []
        q = (1 - self.keep) / np.array(self.sizes)
        for (a, b), table in zip(self.pairs, self.unpack(self._own(tally).counts), strict=True):
            x = (table - q[a] * table.sum(-2, keepdims=True)) / (tally.n * self.keep[a])
            x = (x - q[b] * x.sum(-1, keepdims=True)) / self.keep[b]
            found.append(x.reshape(*x.shape[:-2], -1))
        return np.concatenate(found, -1)

    def noise(self, values: ArrayLike, items: Any = None) -> NDArray[np.float64]:
        """Mean square of the one score times that of the other, less 1 for the person's own cell."""
        codes, q = check_columns(values, self.sizes), (1 - self.keep) / np.array(self.sizes)
        other = q * (1 - q) / self.keep**2
        own = other + (1 - 2 * q) / self.keep
        squares = [
            np.where(np.equal.outer(codes[:, j], np.arange(k)), own[j], other[j]) for j, k in enumerate(self.sizes)
        ]
        found = [(squares[a][:, :, None] * squares[b][:, None]).reshape(len(codes), -1) for a, b in self.pairs]
        return np.concatenate(found, -1) - self.target(values)


# ------------------------------------------------------------------------------------------------ of noisy tables


def consistent(
    sets: Sets, tables: Sequence[ArrayLike], people: ArrayLike, *, tolerance: float = 1e-9, steps: int = 100_000
) -> list[NDArray[np.float64]]:
    r"""Make tables of pairs non-negative, with the same one-way marginals wherever they share an attribute.

    1. The marginal of an attribute is the mean over the tables that contain it, weighted by `people` (of tables from
       `Blocks.tables`, this is the pooled one-way marginal), projected onto the simplex by `norm_sub`.
    2. Each table is replaced by the nearest one, in Euclidean distance, of the non-negative tables with these two
       marginals; there is one, their product.

    For two binary attributes all tables with given marginals lie on a line, and the nearest one is the nearest point
    of an interval: the Fréchet bounds :math:`\max(0, f_a+f_b-1) \le f_{ab} \le \min(f_a, f_b)`.  Otherwise the
    negative cells are set to zero and the marginals restored in turn, with Dykstra's correction, until they agree.

    Source: averaging as in Zhang et al. 2018; Dykstra 1983 for the projection.

    Parameters
    ----------
    sets : list of tuple of int
        Pairs of attributes, and single ones, whose tables only count for the mean and come back as the marginal.
    tables : list of array_like
        One a set.
    people : array_like (sets,)
        Weights, as in `Pooled`; positive.
    tolerance : float
        Largest difference of a marginal of a table from the shared one.
    steps : int
        Most rounds of the general case.

    Returns
    -------
    list of ndarray
        In the order of `sets`.

    Raises
    ------
    ValueError
        If a set is neither a pair nor single, or shapes do not fit.
    RuntimeError
        If `steps` are not enough.
    """
    noisy, weights = [np.asarray(table, np.float64) for table in tables], np.asarray(people, np.float64)
    if not len(sets) == len(noisy) == weights.size or not np.all(weights > 0):
        raise ValueError(f"people must be positive, one a table, and tables one a set, got {people}")
    sums: dict[int, tuple[Any, float]] = {}
    for s, table, weight in zip(sets, noisy, weights.tolist(), strict=True):
        if len(s) not in (1, 2) or table.ndim != len(s) or not np.all(np.isfinite(table)):
            raise ValueError(f"tables must be finite numbers with an axis an attribute, for one or two, got set {s}")
        for axis, j in enumerate(s):
            total, before = sums.get(j, (0.0, 0.0))
            marginal = table.sum(1 - axis) if len(s) == 2 else table
            if before and np.shape(total) != marginal.shape:
                raise ValueError(f"tables must agree on the number of values of attribute {j}")
            sums[j] = (total + weight * marginal, before + weight)
    shared = {j: norm_sub(total / weight) for j, (total, weight) in sums.items()}
    found = [shared[s[0]] for s in sets]
    for shape in {table.shape for table in noisy if table.ndim == 2}:
        where = [i for i, table in enumerate(noisy) if table.shape == shape]
        a, b = (np.stack([shared[sets[i][axis]] for i in where]) for axis in (0, 1))
        nearest = _with_marginals(np.stack([noisy[i] for i in where]), a, b)
        if shape == (2, 2):
            low, high = np.maximum(0, a[:, 0] + b[:, 0] - 1), np.minimum(a[:, 0], b[:, 0])
            both = np.clip(nearest[:, 0, 0], low, high)
            cells = (both, a[:, 0] - both, b[:, 0] - both, 1 - a[:, 0] - b[:, 0] + both)
            nearest = np.maximum(np.stack(cells, -1), 0).reshape(-1, 2, 2)  # against rounding
        else:
            nearest = _dykstra(nearest, a, b, tolerance, steps)
        for i, table in zip(where, nearest, strict=True):
            found[i] = table
    return found


def _with_marginals(x: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Nearest tables with these marginals, of sum 1; cells may be negative: (tables, κ_a, κ_b)."""
    rows, columns = (a - x.sum(2)) / x.shape[2], (b - x.sum(1)) / x.shape[1]
    excess = (1 - x.sum((1, 2))) / (x.shape[1] * x.shape[2])  # counted in both
    moved: NDArray[np.float64] = x + rows[:, :, None] + columns[:, None] - excess[:, None, None]
    return moved


def _dykstra(
    x: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64], tolerance: float, steps: int
) -> NDArray[np.float64]:
    correction = np.zeros_like(x)
    for _ in range(steps):
        positive = np.maximum(x + correction, 0)
        off = max(np.max(np.abs(positive.sum(2) - a)), np.max(np.abs(positive.sum(1) - b)))
        correction += x - positive
        x = _with_marginals(positive, a, b)
        if off <= tolerance:
            return positive
    raise RuntimeError(f"steps = {steps} left marginals that differ by {off:.3g}, more than tolerance = {tolerance:g}")


@dataclass(frozen=True, eq=False)
class MaxEntropy:
    """A distribution over all records of d binary attributes.

    Attributes
    ----------
    probabilities : ndarray (2**d,)
        Of the records in lexicographic order: attribute 0 is the highest binary digit.
    gap : float
        The objective is at most this much below its maximum, in nats.
    steps : int
    """

    probabilities: NDArray[np.float64]
    gap: float
    steps: int

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw n records, (n, d); on the server, from what is public."""
        n, d = check_count(n, 1, "n"), len(self.probabilities).bit_length() - 1
        cells = rng.choice(len(self.probabilities), n, p=self.probabilities)
        return np.asarray(cells[:, None] >> np.arange(d)[::-1] & 1, np.int64)


def max_entropy(
    d: int, sets: Sets, parities: ArrayLike, variances: ArrayLike, *, penalty: float = 10.0, steps: int = 2000
) -> MaxEntropy:
    r"""Fit the distribution of most entropy to noisy parities of sets of d ≤ 20 binary attributes.

    With the parities :math:`\chi_S(x) = \prod_{j\in S} (-1)^{x_j}`, noisy means m_S and their variances σ_S², it has the
    form :math:`p(x) \propto \exp \sum_S \theta_S \chi_S(x)` and maximises

    .. math:: \sum_S \theta_S m_S - \ln \sum_x e^{\sum_S \theta_S \chi_S(x)}
       - \frac\lambda2 \sum_S \sigma_S^2 \theta_S^2.

    That is the dual of: most entropy, less :math:`\sum_S (\mathrm E_p \chi_S - m_S)^2/(2\lambda\sigma_S^2)`.  So λ = 0
    would match the noisy parities exactly, if it can be done at all, and the larger λ, the more of what could be noise
    is left out; at the maximum :math:`m_S - \mathrm E_p \chi_S = \lambda \sigma_S^2 \theta_S`.  Single attributes and
    all pairs make the pairwise model (Ising).  All means come from one fast Walsh–Hadamard transform of the 2**d
    probabilities, O(2**d d).

    The curvature of the objective is at least :math:`\lambda\sigma_S^2` along each θ_S, so with gradient γ it is at most
    :math:`\sum_S \gamma_S^2/(2\lambda\sigma_S^2)` below its maximum: the `gap`.

    Source: maximum entropy under noisy marginals is how Zhang et al. 2018 and PriView (Qardaji, Yang and Li 2014)
    join tables; the quadratic penalty is that of Dudík, Phillips and Schapire 2007.

    Parameters
    ----------
    d : int in [1, 20]
    sets : list of tuple of int
        Distinct sets of attributes, none empty.
    parities : array_like (sets,)
        As of `Pooled`.
    variances : array_like (sets,)
        Of the noise, positive: 1/people of `Pooled`.
    penalty : float
        λ, positive.
    steps : int
        Most steps of L-BFGS.

    Raises
    ------
    ValueError
        If an argument is out of range, or shapes do not fit.
    """
    d = check_count(d, 1, "d")
    if d > ATTRIBUTES_MAX:
        raise ValueError(f"d must be at most {ATTRIBUTES_MAX}, got {d}")
    sets = _sets(sets, d, d)
    m, noise = np.asarray(parities, np.float64), np.asarray(variances, np.float64)
    if m.shape != (len(sets),) or not np.all(np.isfinite(m)):
        raise ValueError(f"parities must be finite numbers, one a set, got shape {m.shape}")
    if noise.shape != m.shape or not np.all((noise > 0) & np.isfinite(noise)):
        raise ValueError(f"variances must be positive numbers, one a set, got {variances}")
    if not isinstance(penalty, int | float) or not 0 < penalty < inf:
        raise ValueError(f"penalty must be a positive number, got {penalty!r}")
    at = np.array([sum(1 << (d - 1 - j) for j in s) for s in sets])
    ridge, coefficients = penalty * noise, np.zeros(1 << d)

    def distribution(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        coefficients[at] = theta
        exponent = fwht(coefficients)
        top = float(exponent.max())
        p = np.exp(exponent - top)
        return top + float(np.log(p.sum())), p / p.sum()

    def loss(theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_sum, p = distribution(theta)
        return log_sum - theta @ m + ridge @ theta**2 / 2, fwht(p)[at] - m + ridge * theta

    fit = minimize(
        loss, np.zeros(len(sets)), jac=True, method="L-BFGS-B", options={"maxiter": steps, "ftol": 1e-15, "gtol": 1e-9}
    )
    gap = float(np.sum(loss(fit.x)[1] ** 2 / (2 * ridge)))
    return MaxEntropy(distribution(fit.x)[1], gap, int(fit.nit))


# ------------------------------------------------------------------------------------------------------- small parts


def _sizes(sizes: Any) -> tuple[int, ...]:
    if not isinstance(sizes, tuple | list) or len(sizes) < 2:
        raise ValueError(f"sizes must be a tuple of integers, at least two, got {sizes!r}")
    return tuple(check_count(size, 2, "sizes") for size in sizes)


def _sets(sets: Any, d: int, most: int) -> list[tuple[int, ...]]:
    found = [tuple(check_count(j, 0, "sets") for j in s) for s in sets]
    for s in found:
        if not 1 <= len(s) <= most or list(s) != sorted(set(s)) or s[-1] >= d:
            raise ValueError(f"sets must be of 1 to {most} increasing attribute numbers below {d}, got {s}")
    if not found or len(set(found)) < len(found):
        raise ValueError("sets must be distinct, at least one")
    return found


def _tally_cells(sizes: tuple[int, ...], size: int) -> int:
    return comb(len(sizes), size) * prod(sorted(sizes)[-size:])


def _keep(k: int, e: Fraction) -> float:
    return round_down((e - 1) / (e + k - 1))


def _ratio(k: int, keep: float) -> Fraction:
    """p*/q* of a k-RR."""
    return 1 + k * Fraction(keep) / (1 - Fraction(keep))


def _rank(chosen: NDArray[np.int64], d: int) -> NDArray[np.int64]:
    """Numbers of increasing m-sets below d, (…, m), in lexicographic order."""
    m = chosen.shape[-1]
    later = np.array([[comb(d - 1 - x, m - i) for x in range(d)] for i in range(m)])  # sets that differ at i first
    return np.asarray(comb(d, m) - 1 - later[np.arange(m), chosen].sum(-1))


def _unpacked(flat: NDArray[Any], sets: Sets, sizes: tuple[int, ...]) -> list[NDArray[Any]]:
    """Cut the last axis into tables, one a set."""
    shapes = [tuple(sizes[j] for j in s) for s in sets]
    parts = pairwise(accumulate(map(prod, shapes), initial=0))
    return [flat[..., i:j].reshape(*flat.shape[:-1], *shape) for (i, j), shape in zip(parts, shapes, strict=True)]


def _beside(x: Any, table: NDArray[Any]) -> Any:
    """X with as many axes as a table, its own being the leading ones."""
    return np.reshape(x, np.shape(x) + (1,) * (table.ndim - np.ndim(x)))
