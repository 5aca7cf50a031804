r"""Many categorical attributes per person, reported a block at a time.

`Blocks` draws ℓ of the d attributes in public and answers about their joint value by k-RR, with
all of ε.  What a server makes of the noisy tables is in `maxent`.

A set of attributes is an increasing tuple of their numbers; its table has one axis per attribute,
in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.attributes.maxent import check_sets
from ldpnb.attributes.records import (
    RecordMechanism,
    Set,
    Sets,
    cell_of,
    check_below,
    one_hot,
    split,
)
from ldpnb.chance import Randomness, bernoulli, distinct, inexact, odds, uniform
from ldpnb.checks import (
    SIZE_MAX,
    Limit,
    check_codes,
    check_count,
    check_epsilon,
    check_numbers,
    check_sizes,
    shown,
)
from ldpnb.core import Floats, Ints, Layout, Reports, Tally, Untold, check_tally
from ldpnb.oracles.grr import GRR
from ldpnb.postprocess import norm_sub

CELLS_MAX = 2**24  # of a tally, over all blocks: 128 MB

Variance = Callable[[Sequence[int], int, float], float]


class _Group(NamedTuple):
    """Blocks that hold a set, and differ in the names of their attributes only."""

    rows: Ints  # their numbers
    sizes: tuple[int, ...]  # number of values of each attribute of such a block
    away: tuple[int, ...]  # axes of the attributes that are not in the set, counted from the end
    keep: float  # g


def _check_two_sizes(sizes: object, name: str = "sizes") -> tuple[int, ...]:
    """Return numbers of values, of at least two attributes."""
    return check_sizes(sizes, name, least=2)


@dataclass(frozen=True, kw_only=True)
class Blocks(RecordMechanism):
    r"""A public random set of ℓ attributes, a block, and its joint value by k-RR with all of ε.

    The block is drawn uniformly.  The value of a block of :math:`K=\prod_{j\in B}\kappa_j` cells is
    kept with probability :math:`g=(e^\varepsilon-1)/(e^\varepsilon+K-1)`; otherwise any cell is
    reported, all alike.  For a set S inside B, whose table has :math:`K_S` cells, the score of
    cell t is :math:`\{1[y_S=t]-(1-g)/K_S\}/g`, which has mean :math:`1[x_S=t]`.  Three estimates
    are made of it:

    - `estimate`, the mean over everybody of the score over the chance that S is in the block, 0
      where it is not: linear in the reports;
    - `tables`, the mean over those whose block contains S: unbiased given the blocks.  Chance in
      how many people drew S no longer counts, so that for a share f, with blocks of one K and S in
      a block with chance c, the variance is less by about :math:`(1/c-1)f^2/n`;
    - `pair_tables`, for pairs: an attribute's own shares from all blocks that contain it, and only
      what is left of the pair from blocks with both.

    Source: Zhang et al. 2018 (CALM) for the idea: marginals of few attributes, each from a part of
    the people with all of ε.  They fix a list of marginals first; a random block per person, which
    needs none, is ours.

    Values are records, int (n, d), attribute j in {0, …, κ_j−1}.  Estimates are flat,
    (…, Σ_{a<b} κ_a κ_b): pair after pair in lexicographic order, (0, 1), (0, 2), …, each table row
    by row; `unpack` makes tables of them.

    Reports have the fields ``block`` (public), the block's number in lexicographic order, and
    ``value``, its cell, row by row; (n,).  Tallies count the cells of each block, (C(d, ℓ), max K),
    with zeros beyond a block's own cells.

    There is no `simulate`: in all but tiny domains hardly two people share record and block.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j; at least two attributes.
    size : int in [2, d]
        Attributes in a block, ℓ.  A tally has C(d, ℓ) times max K cells, which must be at most 2²⁴.
    epsilon : float
        Of a whole record; a single attribute has no less, since a block that holds it may spend
        all on it.

    Examples
    --------
    >>> survey = Blocks(sizes=(2, 2, 2), size=2, epsilon=2.0)
    >>> people = np.tile([[0, 1, 1], [1, 1, 1]], (5000, 1))
    >>> reports = survey.perturb(people, rng=np.random.default_rng(0))
    >>> survey.estimate(survey.tally(reports)).round(1)
    array([ 0. ,  0.5,  0. ,  0.5, -0. ,  0.5,  0. ,  0.5,  0. ,  0. , -0. ,
            1. ])
    """

    size: int
    epsilon: float
    label = "blocks"
    errors = "its method tables"
    tried = [  # blocks of two sizes, of one, and of all attributes
        {"sizes": (2, 3, 2), "size": 2, "epsilon": 2.0},
        {"sizes": (2, 2, 2), "size": 2, "epsilon": 0.5},
        {"sizes": (3, 2, 2), "size": 3, "epsilon": 1.0},
    ]
    limits: ClassVar[Mapping[str, Limit]] = {
        "sizes": _check_two_sizes,
        "size": (2, SIZE_MAX),
        "epsilon": check_epsilon,
    }
    public_fields: ClassVar[tuple[str, ...]] = ("block",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.size, 2, "size", len(self.sizes))
        cells = _tally_cells(self.sizes, self.size)
        if cells > CELLS_MAX:
            rule = f"size must leave a tally of at most {CELLS_MAX} cells"
            raise ValueError(f"{rule}, got {self.size}: {cells} cells")

    # ---------------------------------------------------------------------- blocks and their k-RR

    @cached_property
    def blocks(self) -> Ints:
        """The attributes of each block, in lexicographic order: (C(d, ℓ), ℓ)."""
        return _blocks(len(self.sizes), self.size)

    @cached_property
    def cells(self) -> Ints:
        """Number of cells of each block, K: (C(d, ℓ),)."""
        return np.asarray(np.array(self.sizes)[self.blocks].prod(1), np.int64)

    @property
    def pairs(self) -> list[Set]:
        """All pairs of attributes, in lexicographic order."""
        return list(combinations(range(len(self.sizes)), 2))

    @cached_property
    def _responses(self) -> dict[int, GRR]:
        """The k-RR of blocks of K cells, by K."""
        return {k: GRR(k=k, epsilon=self.epsilon) for k in set(self.cells.tolist())}

    @cached_property
    def keep(self) -> Floats:
        """Probability g of answering with the block's value, rounded down: (C(d, ℓ),).

        Otherwise the answer is drawn blindly, and may be the block's value, too.
        """
        return np.array([inexact(self._responses[k].keep) for k in self.cells.tolist()])

    @property
    def realised_epsilon(self) -> float:
        """The largest ln(p*/q*) of a block."""
        return max(response.realised_epsilon for response in self._responses.values())

    @property
    def layout(self) -> Layout:
        """A public block, and one of its cells."""
        return {"block": (np.int64, len(self.blocks)), "value": (np.int64, self.cells.max())}

    # -------------------------------------------------------------------------------- the client

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        n, d = values.shape
        asked = np.sort(distinct(np.full(n, d), np.full(n, self.size), self.size, rng), 1)
        block = self._number(asked)
        kept = bernoulli(self.keep[block], (n,), rng)
        blind = uniform(self.cells[block], (n,), rng)
        held = np.take_along_axis(values, asked, 1)
        cell = cell_of(held.T, np.array(self.sizes)[asked].T)
        reports = np.empty(n, self.dtype)
        reports["block"] = block
        reports["value"] = np.where(kept, cell, blind)
        return reports

    def _number(self, asked: Ints) -> Ints:
        """Return the number of each block, (n,), from its attributes in increasing order, (n, ℓ).

        Blocks that come later have a larger attribute where they first differ: if that is at place
        i, ℓ − i of those above the attribute that stands there.
        """
        d = len(self.sizes)
        later = np.zeros(len(asked), np.int64)
        for i in range(self.size):
            larger = [comb(d - 1 - j, self.size - i) for j in range(d)]
            later += np.array(larger)[asked[:, i]]
        return len(self.blocks) - 1 - later

    # -------------------------------------------------------------------------------- the server

    def _reports(self, reports: Reports) -> Reports:
        found = super()._reports(reports)
        return check_below(found, "value", self.cells[found["block"]], "cells of its block")

    def _count(self, reports: Reports) -> Ints:
        """Count the reports of each cell of each block: (C(d, ℓ), max K).

        Beyond a block's own cells there are zeros.
        """
        most = int(self.cells.max())
        place = reports["block"] * most + reports["value"]
        return np.bincount(place, minlength=len(self.blocks) * most).reshape(-1, most)

    def _score(self, tally: Tally) -> Floats:
        """Estimate the tables of all pairs, everybody counted: (…, Σ κ_a κ_b)."""
        counts = tally.counts
        sums = []
        for pair in self.pairs:
            table = self._sum_of_scores(counts, pair, 0)
            sums.append(table.reshape(*counts.shape[:-2], -1))
        return np.asarray(np.concatenate(sums, -1) / (tally.n * self._share))

    @property
    def _share(self) -> float:
        """Chance that a pair is in a block."""
        return comb(self.size, 2) / comb(len(self.sizes), 2)

    def _sum_of_scores(self, counts: Ints, s: Set, power: int) -> Floats:
        """Sum g**power times the scores of the cells of a set over reports: (…, κ_a, …)."""
        shape = self._shape(s)
        total = np.asarray(0.0)
        for rows, sizes, away, g in self._holding(s):
            joint = counts[..., rows, : prod(sizes)].sum(-2)
            table = joint.reshape(*joint.shape[:-1], *sizes).sum(away)
            reports = np.expand_dims(joint.sum(-1), tuple(range(-len(s), 0)))
            blind = reports * (1 - g) / prod(shape)
            total = total + g ** (power - 1) * (table - blind)
        return total

    def _shape(self, s: Set) -> tuple[int, ...]:
        """Return the shape of a set's table."""
        return tuple(self.sizes[j] for j in s)

    def _holding(self, s: Set) -> list[_Group]:
        """Group the blocks that hold a set, by the sizes of their attributes and the set's places.

        Groups are sorted, so that sums over them are added in one order.
        """
        if s in self._held:
            return self._held[s]
        inside = np.isin(self.blocks, s)
        holding = np.flatnonzero(inside.sum(1) == len(s))
        signs = np.where(inside[holding], -1, 1)  # a size with a minus sign is one of the set
        signed_sizes = signs * np.array(self.sizes)[self.blocks[holding]]
        alike: dict[tuple[int, ...], list[int]] = {}
        for row, signed in zip(holding.tolist(), signed_sizes.tolist(), strict=True):
            alike.setdefault(tuple(signed), []).append(row)
        groups = []
        for kind in sorted(alike):
            rows = np.array(alike[kind])
            sizes = tuple(abs(size) for size in kind)
            away = tuple(i - self.size for i in range(self.size) if kind[i] > 0)
            groups.append(_Group(rows, sizes, away, inexact(self.keep[rows[0]])))
        self._held[s] = groups
        return groups

    @cached_property
    def _held(self) -> dict[Set, list[_Group]]:
        """What `_holding` has found so far."""
        return {}

    def unpack(self, flat: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut an estimate, an expectation or a variance into the tables of `pairs`.

        Each is (…, κ_a, κ_b).
        """
        shapes = [self._shape(pair) for pair in self.pairs]
        parts = split(flat, [prod(shape) for shape in shapes])
        tables = []
        for part, shape in zip(parts, shapes, strict=True):
            tables.append(part.reshape(*flat.shape[:-1], *shape))
        return tables

    def _worst(self) -> NDArray[np.void]:
        """Answer about a block of each kind; which of its cells makes no difference."""
        kinds = np.sort(np.array(self.sizes)[self.blocks], 1)
        _, one_of_each = np.unique(kinds, axis=0, return_index=True)
        return np.array([(block, 0) for block in one_of_each], self.dtype)

    # ------------------------------------------------------------------- expectation and variance

    def expected(self, values: ArrayLike) -> Floats:
        """One for the cell of the person's record in each pair's table, zero for the others."""
        codes = self._values(values)
        cells = []
        for a, b in self.pairs:
            cells.append(codes[:, a] * self.sizes[b] + codes[:, b])
        return one_hot(cells, [prod(self._shape(pair)) for pair in self.pairs])

    def variance(self, values: ArrayLike) -> Floats:
        """Variance of each score: a number for the person's cell of a pair, one for the others.

        With u = (1−g)/K_S the chance of a cell of the table by the blind draw, c that of a pair in
        the block, and the mean over blocks, 0 for those without the pair, it is
        E[{u(1−u) + g(1−2u)}/g²]/c² − 1, and E[u(1−u)/g²]/c².
        """
        squares = []
        for pair in self.pairs:
            cells = prod(self._shape(pair))
            own = 0.0
            other = 0.0
            for rows, _, _, g in self._holding(pair):
                u = (1 - g) / cells
                weight = len(rows) / (len(self.blocks) * self._share**2 * g**2)
                own += weight * (u * (1 - u) + g * (1 - 2 * u))
                other += weight * u * (1 - u)
            squares.append(np.tile([[own - 1], [other]], cells))
        own_cell, other_cell = np.concatenate(squares, 1)
        return np.asarray(np.where(self.expected(values) == 1, own_cell, other_cell))

    # ------------------------------------------------------------------------------------ pooling

    def tables(self, tally: Tally, sets: Sets) -> Pooled:
        r"""Estimate the table of each set from all blocks that contain it.

        .. math:: \hat f_S(t) = \sum_i g_i^2\, s_i(t) \Big/ \sum_i g_i^2

        over the people i whose block contains S, with scores s_i.  The weights are public; they
        are the best ones for uniform data, where a score varies by
        :math:`(1-1/K_S)/(K_S g_i^2)`.

        Parameters
        ----------
        tally : Tally
        sets : sequence of tuples of int
            Of one to ℓ attributes each.

        Raises
        ------
        ValueError
            If the tally has trials, a set does not fit into a block, or nobody drew a block that
            contains it.
        """
        counts = check_tally(self._own(tally), Blocks, "Blocks", alone=True).counts
        sets = check_sets(sets, len(self.sizes))
        drawn = counts.sum(1)
        people = np.array([self._worth(drawn, s) for s in sets])
        if not people.all():
            without = sets[int(people.argmin())]
            raise ValueError(f"sets must be in a block that somebody drew, got {without}")
        shares = []
        variances = []
        for s, worth in zip(sets, people, strict=True):
            share = self._sum_of_scores(counts, s, 2) / worth
            shares.append(share)
            variances.append(self.pooled_variance(drawn, s, share.clip(0, 1)))
        return Pooled(sets, shares, variances, people)

    def _worth(self, drawn: Ints, s: Set) -> float:
        """Return Σ g² over the people whose block contains a set."""
        worth = 0.0
        for rows, _, _, g in self._holding(s):
            worth += g**2 * drawn[rows].sum()
        return worth

    def pooled_variance(self, drawn: ArrayLike, s: Set, share: ArrayLike) -> Floats:
        r"""Exact variance of `tables` for one set, given how many people drew each block.

        With :math:`P_i = (1-g_i)/K_S + g_i f` the chance of a report in a cell of share f, it is

        .. math:: \frac{\sum_i g_i^2 P_i (1-P_i)}{(\sum_i g_i^2)^2}
           - \frac{f(1-f)}{n-1}\Big(1 - \frac{\sum_i g_i^4}{(\sum_i g_i^2)^2}\Big).

        The first term alone is for people drawn from a distribution f; the second, since the
        population is fixed and blocks are dealt out among its n people.

        Parameters
        ----------
        drawn : array_like of int (C(d, ℓ),)
        s : tuple of int
        share : array_like (κ_a, …)
            The true table.
        """
        f = check_numbers(share, "share")
        people = check_codes(drawn, None, "drawn")
        (s,) = check_sets([s], len(self.sizes))
        first = np.asarray(0.0)  # Σ g² P(1−P)
        fourth = 0.0  # Σ g⁴
        worth = 0.0  # Σ g²
        for rows, _, _, g in self._holding(s):
            m = people[rows].sum()
            p = (1 - g) / f.size + g * f
            worth += m * g**2
            first = first + m * g**2 * p * (1 - p)
            fourth += m * g**4
        if not worth:
            rule = f"drawn must hold somebody whose block contains the set {s}"
            raise ValueError(f"{rule}, got nobody")
        once = f * (1 - f) / max(people.sum() - 1, 1) * (1 - fourth / worth**2)
        return np.asarray(first / worth**2 - once, np.float64)

    def pair_tables(self, tally: Tally, pairs: Sets) -> Pooled:
        r"""Estimate the table of each pair, with each attribute's own shares from all its blocks.

        With :math:`\hat f_{ab}`, :math:`\hat f_a` and :math:`\hat f_b` those of `tables`, which are
        means over the people whose block contains both, a, or b,

        .. math:: \hat f_{ab}(x, y) - \frac{\hat f_{ab}(x, \cdot)}{\kappa_b}
           - \frac{\hat f_{ab}(\cdot, y)}{\kappa_a}
           + \frac{\hat f_a(x)}{\kappa_b} + \frac{\hat f_b(y)}{\kappa_a}.

        More people's blocks contain a than both a and b, so that an attribute's shares are known
        better than the pair's.  The margins of these tables are the shares of single attributes
        that `tables` has.  At a large ε, where what is left is the chance in who was asked, a cell
        that is much rarer than its row and column is known better from `tables`.

        Parameters
        ----------
        tally : Tally
        pairs : sequence of (int, int)
            Two attributes each, in increasing order.

        Returns
        -------
        Pooled
            With variances for these very people, the nearest possible tables in place of the true
            ones.

        Raises
        ------
        ValueError
            As `tables` does; or if a set is not of two attributes.

        Examples
        --------
        >>> survey = Blocks(sizes=(2, 2, 2, 2), size=2, epsilon=4.0)
        >>> people = np.tile([[0, 0, 1, 1], [1, 1, 1, 0]], (3000, 1))
        >>> tally = survey.tally(survey.perturb(people, rng=np.random.default_rng(0)))
        >>> survey.pair_tables(tally, [(0, 1)]).tables[0].round(1) + 0.0
        array([[0.5, 0. ],
               [0. , 0.5]])
        """
        pairs = check_sets(pairs, len(self.sizes))
        other = [s for s in pairs if len(s) != 2]
        if other:
            raise ValueError(f"pairs must be of two attributes each, got {other[0]}")
        both = self.tables(tally, pairs)
        drawn = tally.counts.sum(1)
        attributes: set[int] = set()
        attributes.update(*pairs)
        single = [(attribute,) for attribute in sorted(attributes)]
        own = dict(zip(single, self.tables(tally, single).tables, strict=True))
        tables = []
        variances = []
        for pair, table in zip(pairs, both.tables, strict=True):
            a, b = pair
            rows, columns = table.shape
            more_in_rows = (own[a,] - table.sum(1)) / columns
            more_in_columns = (own[b,] - table.sum(0)) / rows
            found = table + more_in_rows[:, None] + more_in_columns
            possible = norm_sub(found.ravel()).reshape(table.shape)
            tables.append(found)
            variances.append(self.pair_tables_variance(drawn, pair, possible))
        return Pooled(both.sets, tables, variances, both.people)

    def pair_tables_variance(self, drawn: ArrayLike, pair: Set, share: ArrayLike) -> Floats:
        r"""Exact variance of `pair_tables` for one pair, given how many people drew each block.

        A person whose block has both attributes adds :math:`A\,1[xy] + B\,1[x] + C\,1[y]` to a
        cell, up to a constant, and one whose block has one of them :math:`B\,1[x]` or
        :math:`C\,1[y]`, for the values x, y that are reported: the weights follow from g and from
        the sums of g² over the people whose block holds a, b, or both.  With :math:`v_i` the
        variance of this under the law of reports, and :math:`u_i` that under the true shares,
        times g², the variance about these people is, since blocks are dealt out among them,

        .. math:: \sum_i v_i + \frac{1}{n-1}\Big(\sum_i u_i - f(1-f)\Big).

        The first term alone is for people drawn from a distribution.

        Parameters
        ----------
        drawn : array_like of int (C(d, ℓ),)
        pair : (int, int)
        share : array_like (κ_a, κ_b)
            The true table.
        """
        f = check_numbers(share, "share")
        people = check_codes(drawn, None, "drawn")
        ((a, b),) = check_sets([pair], len(self.sizes))
        if f.shape != self._shape((a, b)):
            rule = f"share must be a table of shape {self._shape((a, b))}"
            raise ValueError(f"{rule}, got {f.shape}")
        rows, columns = f.shape
        has_a = (self.blocks == a).any(1)
        has_b = (self.blocks == b).any(1)
        squares = people * self.keep**2
        worth_a = squares[has_a].sum()
        worth_b = squares[has_b].sum()
        worth = squares[has_a & has_b].sum()
        if not worth:
            rule = f"drawn must hold somebody whose block contains the set {(a, b)}"
            raise ValueError(f"{rule}, got nobody")
        noise = np.zeros(f.shape)
        scatter = np.zeros(f.shape)
        for held, with_a, with_b in (
            (has_a & has_b, 1, 1),
            (has_a & ~has_b, 1, 0),
            (~has_a & has_b, 0, 1),
        ):
            for g in np.unique(self.keep[held]):
                m = people[held & (self.keep == g)].sum()
                of_cell = with_a * with_b * g / worth
                of_row = (with_a * g / worth_a - of_cell) / columns
                of_column = (with_b * g / worth_b - of_cell) / rows
                reported = (1 - g) / f.size + g * f
                noise += m * _variance_of_cell(of_cell, of_row, of_column, reported)
                scatter += m * g**2 * _variance_of_cell(of_cell, of_row, of_column, f)
        n = people.sum()
        return np.asarray(noise + (scatter - f * (1 - f)) / max(n - 1, 1), np.float64)

    # ------------------------------------------------------------------------------ weighted sums

    def pooled_contrast_variance(
        self,
        tally: Tally,
        weights: Mapping[Set, ArrayLike],
        *,
        people: bool = False,
    ) -> float:
        r"""Estimate the variance of a weighted sum of cells.

        Cells of single attributes are those of `tables`, cells of pairs those of `pair_tables`.
        Given who drew which block, the sum is one of a coefficient per report.  With :math:`w_S`
        the weights of the cells of a set, and :math:`M_S = \sum g^2` over the people whose block
        holds it, a report y about a block adds

        .. math:: c = \sum_{S \subset B} \frac{g}{M_S} \Big(w_S(y_S) - (1-g)\, \overline{w_S}\Big),

        and what is expected of its block is
        :math:`\sum_S (g^2/M_S) \sum_t w_S(t) \hat f_S(t)`.  The variance is the sum of the squared
        differences of the two; since the shares are estimated, it is right to order 1/n.  About
        these people it is less by the variance of their own weighted sum over n − 1; for that, any
        two of the sets must be in one block.

        Parameters
        ----------
        tally : Tally
            Of at least two reports.
        weights : dict of tuple of int to array_like (κ_a,) or (κ_a, κ_b)
            For each set of one or two attributes, a weight for each cell.
        people : bool
            Whether the variance is that about these people, and not about a population that they
            are a sample of.

        Raises
        ------
        ValueError
            As `tables` does; if weights are no such tables; or if blocks do not tell how rows go
            together, for `people`.

        Examples
        --------
        How much more often is the first value 1 than the last?

        >>> survey = Blocks(sizes=(2, 2, 2, 2), size=2, epsilon=4.0)
        >>> people = np.tile([[0, 0, 1, 1], [1, 1, 1, 0]], (3000, 1))
        >>> tally = survey.tally(survey.perturb(people, rng=np.random.default_rng(0)))
        >>> variance = survey.pooled_contrast_variance(tally, {(0,): [0, 1], (3,): [0, -1]})
        >>> round(variance**0.5, 3)
        0.016
        """
        asked = self._weights_of_sets(weights)
        if tally.n < 2:
            raise ValueError(f"tally must hold at least two reports, got {tally.n}")
        separate = _without_margins(asked)
        found = self.tables(tally, [*separate])
        coefficient = np.zeros(tally.counts.shape)
        expected = np.zeros(len(self.blocks))
        for s, table, worth in zip(found.sets, found.tables, found.people.tolist(), strict=True):
            w = separate[s]
            own = float(np.sum(w * table))
            for rows, sizes, away, g in self._holding(s):
                noiseless = np.expand_dims(w - (1 - g) * w.mean(), away)
                cells = np.broadcast_to(noiseless, sizes).ravel()
                coefficient[rows, : len(cells)] += g / worth * cells
                expected[rows] += g**2 / worth * own
        variance = float(np.sum(tally.counts * (coefficient - expected[:, None]) ** 2))
        if people:
            variance -= self._scatter_of_people(tally, asked) / (tally.n - 1)
        return variance

    def _weights_of_sets(self, weights: object) -> dict[Set, Floats]:
        """Return tables of weights that were checked, by set of one or two attributes."""
        if not isinstance(weights, Mapping) or not weights:
            rule = "weights must be a dict of tables by set of attributes"
            raise ValueError(f"{rule}, got {shown(weights)}")
        sets = check_sets([*weights], len(self.sizes))
        found = {}
        for s, table in zip(sets, weights.values(), strict=True):
            checked = check_numbers(table, "weights")
            shape = self._shape(s)
            if len(s) > 2 or checked.shape != shape:
                rule = f"weights must be tables of one or two attributes, {shape} for {s}"
                raise ValueError(f"{rule}, got {checked.shape}")
            found[s] = checked
        return found

    def _scatter_of_people(self, tally: Tally, weights: Mapping[Set, Floats]) -> float:
        """Variance over these people of the weighted sum of their own cells.

        It takes the table of every two sets together.
        """
        unions = {}
        for s in weights:
            for t in weights:
                unions[s, t] = tuple(sorted({*s, *t}))
        most = max(len(union) for union in unions.values())
        if most > self.size:
            raise Untold(
                f"people must be False for this sum: blocks of {self.size} attributes do not tell "
                f"how {most} go together; the variance about a population is at least as large"
            )
        wanted = sorted({*unions.values()})
        tables = dict(zip(wanted, self.tables(tally, wanted).tables, strict=True))
        pairs = [s for s in wanted if len(s) == 2]
        if pairs:
            tables.update(zip(pairs, self.pair_tables(tally, pairs).tables, strict=True))
        square = 0.0
        for (s, t), union in unions.items():
            first = _along(weights[s], s, union)
            second = _along(weights[t], t, union)
            square += float(np.sum(tables[union] * first * second))
        mean = 0.0
        for s, w in weights.items():
            mean += float(np.sum(tables[s] * w))
        return square - mean**2


def _without_margins(weights: Mapping[Set, Floats]) -> dict[Set, Floats]:
    """Write weights of `pair_tables` as weights of `tables`.

    There, an attribute's own shares are those of a set of their own.
    """
    found: dict[Set, Floats] = {}
    for s, w in weights.items():
        if len(s) == 1:
            found[s] = found.get(s, 0) + w
            continue
        a, b = s
        of_rows = w.mean(1)
        of_columns = w.mean(0)
        found[s] = w - of_rows[:, None] - of_columns
        found[a,] = found.get((a,), 0) + of_rows
        found[b,] = found.get((b,), 0) + of_columns
    return found


def _along(weights: Floats, s: Set, union: Set) -> Floats:
    """Lay the weights of a set along the axes of a larger one."""
    absent = tuple(i for i, j in enumerate(union) if j not in s)
    return np.expand_dims(weights, absent)


def _variance_of_cell(of_cell: float, of_row: float, of_column: float, law: Floats) -> Floats:
    """Variance of A 1[xy] + B 1[x] + C 1[y] for each cell (x, y) of the law of a pair of values."""
    x = law.sum(1, keepdims=True)
    y = law.sum(0, keepdims=True)
    mean = of_cell * law + of_row * x + of_column * y
    square = of_cell**2 * law + of_row**2 * x + of_column**2 * y
    products = of_cell * of_row + of_cell * of_column + of_row * of_column
    square = square + 2 * products * law
    return np.asarray(square - mean**2)


@dataclass(frozen=True, eq=False)
class Pooled:
    """Tables of sets of attributes, from all blocks that contain them.

    Attributes
    ----------
    sets : list of tuple of int
    tables : list of ndarray (κ_a, …)
        Unbiased shares, of sum 1; some may be negative.
    variances : list of ndarray (κ_a, …)
        Of each share, with estimated shares in place of the true ones.
    people : ndarray (sets,)
        How many exact answers the reports about a set are worth, Σ g²: 1/people is, up to terms of
        order 1/n, the variance of the parity of binary attributes.
    """

    sets: list[Set]
    tables: list[Floats]
    variances: list[Floats]
    people: Floats

    @property
    def parities(self) -> Floats:
        """Mean of Π (−1)^x over each set of binary attributes: (sets,)."""
        found = []
        for table in self.tables:
            if max(table.shape) > 2:
                rule = "sets must be of binary attributes to have parities"
                raise ValueError(f"{rule}, got larger tables")
            ones = np.indices(table.shape).sum(0)
            found.append(np.sum(table * (-1.0) ** ones))
        return np.array(found)


# ------------------------------------------------------------------------- the size of a block


def pair_variance(sizes: Sequence[int], size: int, epsilon: float) -> float:
    r"""Return n times the variance of a pair's parity under `Blocks`, for uniform data.

    A pair is in a block with chance :math:`\ell(\ell-1)/(d(d-1))`.  The parity of the reported
    cell, over g, is unbiased for the true one, since a blind cell's is 0 on average; its square is
    :math:`1/g^2`.  So the mean over everybody has, for binary attributes whose true parity is m,

    .. math:: n \operatorname{Var} = \frac{d(d-1)}{\ell(\ell-1)}
       \Big(\frac{e^\varepsilon+2^\ell-1}{e^\varepsilon-1}\Big)^2 - m^2

    for people drawn from a distribution, and 1 − m² less for a fixed population.  For more than two
    values, the variance of `Blocks.tables` is returned for a contrast of the pair's cells whose
    mean square over them is 1: one over :math:`\mathrm E[g^2 1\{S\subset B\}]`, averaged over
    pairs.

    Parameters
    ----------
    sizes : sequence of int
        Number of values of each attribute.
    size : int
        Attributes in a block.
    epsilon : float
    """
    answers = _answers(sizes, size, epsilon)
    pairs = np.triu_indices(len(answers), 1)
    return float(np.mean(1 / answers[pairs]))


def cell_variance(sizes: Sequence[int], size: int, epsilon: float) -> float:
    r"""Return n times the variance of a cell of a pair under `Blocks`, for uniform data.

    People are drawn from a uniform distribution.  It is for estimates that take each attribute's
    own shares from all blocks with the attribute, as `consistent` and `max_entropy` do, and only
    what is left of the pair from blocks with both.  With
    :math:`w_S = \mathrm E[g^2 1\{S\subset B\}]`, the mean over all pairs of

    .. math:: \frac1{(\kappa_a\kappa_b)^2} \Big(\frac{\kappa_a-1}{w_a} + \frac{\kappa_b-1}{w_b}
       + \frac{(\kappa_a-1)(\kappa_b-1)}{w_{ab}}\Big).

    Parameters
    ----------
    sizes, size, epsilon
        As for `pair_variance`.
    """
    answers = _answers(sizes, size, epsilon)
    a, b = np.triu_indices(len(answers), 1)
    w = answers.diagonal()
    k = np.array(sizes)
    margins = (k[a] - 1) / w[a] + (k[b] - 1) / w[b]
    cells = margins + (k[a] - 1) * (k[b] - 1) / answers[a, b]
    return float(np.mean(cells / (k[a] * k[b]) ** 2))


def _answers(sizes: Sequence[int], size: int, epsilon: float) -> Floats:
    """Mean of g² over blocks, for each two attributes, 0 for blocks without one of them: (d, d)."""
    sizes = _check_two_sizes(sizes)
    e = float(odds(check_epsilon(epsilon)))
    blocks = _blocks(len(sizes), check_count(size, 2, "size", len(sizes)))
    cells = np.array(sizes)[blocks].prod(1, dtype=np.float64)
    g = (e - 1) / (e + cells - 1)
    member = np.zeros((len(blocks), len(sizes)))
    np.put_along_axis(member, blocks, g[:, None], 1)
    return np.asarray(member.T @ member / len(blocks))


def best_block_size(
    sizes: Sequence[int],
    epsilon: float,
    variance: Variance = pair_variance,
) -> int:
    """Return the size of a block with the least variance, among those that `Blocks` can count.

    Parameters
    ----------
    sizes : sequence of int
    epsilon : float
    variance : callable
        `pair_variance`, or `cell_variance` where cells of pairs are published.
    """
    sizes = _check_two_sizes(sizes)
    fit = [size for size in range(2, len(sizes) + 1) if _tally_cells(sizes, size) <= CELLS_MAX]
    if not fit:
        rule = f"sizes must leave a tally of at most {CELLS_MAX} cells for blocks of 2"
        raise ValueError(f"{rule}, got {sizes}")
    return min(fit, key=lambda size: variance(sizes, size, epsilon))


def _blocks(d: int, size: int) -> Ints:
    """All blocks of so many of d attributes, in lexicographic order."""
    return np.array(list(combinations(range(d), size)), np.int64)


def _tally_cells(sizes: Set, size: int) -> int:
    """Return the number of cells of a tally, C(d, ℓ) times max K."""
    largest = sorted(sizes)[-size:]
    return comb(len(sizes), size) * prod(largest)
