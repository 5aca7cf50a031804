r"""Many categorical attributes a person, reported a block at a time: all of ε on the joint value of a few attributes.

`Blocks` draws ℓ of the d attributes in public and answers about their joint value by k-RR.  What a server makes of the
noisy tables is in `maxent`.

A set of attributes is an increasing tuple of their numbers; its table has one axis an attribute, in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from math import comb, prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldpnb.attributes.maxent import check_sets
from ldpnb.attributes.records import RecordMechanism, Set, Sets, cell_of, check_below, one_hot, split
from ldpnb.chance import Randomness, bernoulli, distinct, inexact, odds, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_codes, check_count, check_epsilon, check_numbers, check_sizes, shown
from ldpnb.core import Floats, Ints, Layout, Reports, Tally, Untold, check_tally
from ldpnb.oracles.grr import GRR
from ldpnb.postprocess import norm_sub

CELLS_MAX = 2**24  # of a tally, over all blocks: 128 MB

Groups = list[tuple[Ints, Set, Set, float]]


_check_sizes = partial(check_sizes, least=2)

Variance = Callable[[Sequence[int], int, float], float]


@dataclass(frozen=True, kw_only=True)
class Blocks(RecordMechanism):
    r"""A public uniformly random set of ℓ attributes, a block, and its joint value by k-RR with all of ε.

    The value of a block of :math:`K=\prod_{j\in B}\kappa_j` cells is kept with probability
    :math:`g=(e^\varepsilon-1)/(e^\varepsilon+K-1)`; otherwise any cell is reported, all alike.  For a set S inside B,
    whose table has :math:`K_S` cells, the score of cell t is :math:`\{1[y_S=t]-(1-g)/K_S\}/g`, which has mean
    :math:`1[x_S=t]`.  Three estimates are made of it:

    - `estimate`, the mean over everybody of the score over the chance that S is in the block, 0 where it is not:
      linear in the reports;
    - `tables`, the mean over those whose block contains S: unbiased given the blocks.  Chance in how many people drew S
      no longer counts, so that for a share f, with blocks of one K and S in a block with chance c, the variance is
      less by about :math:`(1/c-1)f^2/n`;
    - `pair_tables`, for pairs: an attribute's own shares from all blocks that contain it, and only what is left of the
      pair from blocks with both.

    Source: Zhang et al. 2018 (CALM) for the idea: marginals of few attributes, each from a part of the people with all
    of ε.  They fix a list of marginals first; a random block a person, which needs none, is ours.

    Values are records, int (n, d), attribute j in {0, …, κ_j−1}.  Estimates are flat, (…, Σ_{a<b} κ_a κ_b): pair after
    pair in lexicographic order, (0, 1), (0, 2), …, each table row by row; `unpack` makes tables of them.

    Reports have the fields ``block`` (public), the block's number in lexicographic order, and ``value``, its cell, row
    by row; (n,).  Tallies count the cells of each block, (C(d, ℓ), max K), with zeros beyond a block's own cells.

    There is no `simulate`: in all but tiny domains hardly two people share record and block.

    Parameters
    ----------
    sizes : tuple of int, each at least 2
        Number of values of each attribute, κ_j; at least two attributes.
    size : int in [2, d]
        Attributes in a block, ℓ.  A tally has C(d, ℓ) times max K cells, which must be at most 2²⁴.
    epsilon : float
        Of a whole record; a single attribute has no less, since a block that holds it may spend all on it.

    Examples
    --------
    >>> survey = Blocks(sizes=(2, 2, 2), size=2, epsilon=2.0)
    >>> reports = survey.perturb(np.tile([[0, 1, 1], [1, 1, 1]], (5000, 1)), rng=np.random.default_rng(0))
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
    limits: ClassVar[Mapping[str, Limit]] = {"sizes": _check_sizes, "size": (2, SIZE_MAX), "epsilon": check_epsilon}
    public_fields: ClassVar[tuple[str, ...]] = ("block",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.size, 2, "size", len(self.sizes))
        if (cells := _tally_cells(self.sizes, self.size)) > CELLS_MAX:
            raise ValueError(f"size must leave a tally of at most {CELLS_MAX} cells, got {self.size}: {cells} cells")

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
        """Probability g of answering with the block's value, before the blind draw; rounded down: (C(d, ℓ),)."""
        return np.array([inexact(self._responses[k].keep) for k in self.cells.tolist()])

    @property
    def realised_epsilon(self) -> float:
        """The largest ln(p*/q*) of a block."""
        return max(response.realised_epsilon for response in self._responses.values())

    @property
    def layout(self) -> Layout:
        """A public block, and one of its cells."""
        return {"block": (np.int64, len(self.blocks)), "value": (np.int64, self.cells.max())}

    def _perturb(self, values: Ints, rng: Randomness) -> Reports:
        n, d = values.shape
        drawn = np.sort(distinct(np.full(n, d), np.full(n, self.size), self.size, rng), 1)
        # sets that come later: those that are larger where they differ first
        later = np.array([[comb(d - 1 - j, self.size - i) for j in range(d)] for i in range(self.size)])
        reports = np.empty(n, self.dtype)
        reports["block"] = block = len(self.blocks) - 1 - later[np.arange(self.size), drawn].sum(1)
        kept = bernoulli(self.keep[block], (n,), rng)
        cell = cell_of(np.take_along_axis(values, drawn, 1).T, np.array(self.sizes)[drawn].T)
        reports["value"] = np.where(kept, cell, uniform(self.cells[block], (n,), rng))
        return reports

    def _reports(self, reports: Reports) -> Reports:
        found = super()._reports(reports)
        return check_below(found, "value", self.cells[found["block"]], "cells of its block")

    def _worst(self) -> NDArray[np.void]:
        """Answer about a block of each kind; which of its cells makes no difference."""
        _, kinds = np.unique(np.sort(np.array(self.sizes)[self.blocks], 1), axis=0, return_index=True)
        return np.array([(block, 0) for block in kinds], self.dtype)

    def _count(self, reports: Reports) -> Ints:
        """Count the reports of each cell of each block: (C(d, ℓ), max K), zero beyond a block's own cells."""
        most = int(self.cells.max())
        counts = np.bincount(reports["block"] * most + reports["value"], minlength=len(self.blocks) * most)
        return counts.reshape(-1, most)

    def unpack(self, flat: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut an estimate, an expectation or a variance into the tables of `pairs`, (…, κ_a, κ_b) each."""
        shapes = [(self.sizes[a], self.sizes[b]) for a, b in self.pairs]
        parts = split(flat, map(prod, shapes))
        return [part.reshape(*flat.shape[:-1], *shape) for part, shape in zip(parts, shapes, strict=True)]

    def expected(self, values: ArrayLike) -> Floats:
        """One for the cell of the person's record in each pair's table, zero for the others."""
        codes, k = self._values(values), self.sizes
        return one_hot((codes[:, a] * k[b] + codes[:, b] for a, b in self.pairs), (k[a] * k[b] for a, b in self.pairs))

    def _score(self, tally: Tally) -> Floats:
        """Estimate the tables of all pairs, everybody counted: (…, Σ κ_a κ_b)."""
        counts = tally.counts
        found = np.concatenate([self._scores(counts, s, 0).reshape(*counts.shape[:-2], -1) for s in self.pairs], -1)
        return np.asarray(found / (tally.n * self._share))

    def variance(self, values: ArrayLike) -> Floats:
        """Variance of each score: one number for the person's cell of a pair, one for its other cells."""
        squares = []
        for s in self.pairs:
            k, own, other = prod(self.sizes[j] for j in s), 0.0, 0.0
            for rows, _, _, g in self._holding(s):
                u = (1 - g) / k  # chance of a blind cell of the table
                weight = len(rows) / (len(self.blocks) * self._share**2 * g**2)
                own, other = own + weight * (u * (1 - u) + g * (1 - 2 * u)), other + weight * u * (1 - u)
            squares.append(np.tile([[own - 1], [other]], k))
        own_cell, other_cell = np.concatenate(squares, 1)
        return np.asarray(np.where(self.expected(values) == 1, own_cell, other_cell))

    @property
    def _share(self) -> float:
        """Chance that a pair is in a block."""
        return comb(self.size, 2) / comb(len(self.sizes), 2)

    def _holding(self, s: Set) -> Groups:
        """Group the blocks that hold a set: their numbers, sizes of their attributes, axes not in the set, and g."""
        if s not in self._held:
            inside, groups = np.isin(np.arange(len(self.sizes)), s)[self.blocks.T], dict[Set, list[int]]()
            rows = np.flatnonzero(inside.sum(0) == len(s))
            signed = np.where(inside.T[rows], -1, 1) * np.array(self.sizes)[self.blocks[rows]]
            for row, x in zip(rows.tolist(), map(tuple, signed.tolist()), strict=True):
                groups.setdefault(x, []).append(row)
            self._held[s] = found = []
            for x, group in sorted(groups.items()):
                away = tuple(j - self.size for j in range(self.size) if x[j] > 0)
                found.append((np.array(group), tuple(map(abs, x)), away, inexact(self.keep[group[0]])))
        return self._held[s]

    @cached_property
    def _held(self) -> dict[Set, Groups]:
        return {}

    def _scores(self, counts: Ints, s: Set, power: int) -> Floats:
        """Sum g**power times the scores of the cells of a set: (…, κ_a, …)."""
        shape, total = tuple(self.sizes[j] for j in s), 0.0
        for rows, sizes, away, g in self._holding(s):
            joint = counts[..., rows, : prod(sizes)].sum(-2)  # these blocks differ in the names of attributes only
            table = joint.reshape(*joint.shape[:-1], *sizes).sum(away)
            blind = joint.sum(-1)[(..., *[None] * len(s))] * (1 - g) / prod(shape)
            total = total + g ** (power - 1) * (table - blind)
        return np.asarray(total)

    # ------------------------------------------------------------------------------------------------- pooling

    def tables(self, tally: Tally, sets: Sets) -> Pooled:
        r"""Estimate the table of each set, of one to ℓ attributes, from all blocks that contain it.

        .. math:: \hat f_S(t) = \sum_i g_i^2\, s_i(t) \Big/ \sum_i g_i^2

        over the people i whose block contains S, with scores s_i.  The weights are public; they are the best ones for
        uniform data, where a score varies by :math:`(1-1/K_S)/(K_S g_i^2)`.

        Raises
        ------
        ValueError
            If the tally has trials, a set does not fit into a block, or nobody drew a block that contains it.
        """
        counts = check_tally(self._own(tally), Blocks, "Blocks", alone=True).counts
        sets, drawn = check_sets(sets, len(self.sizes)), counts.sum(1)
        people = np.array([sum(g**2 * drawn[rows].sum() for rows, _, _, g in self._holding(s)) for s in sets])
        if not people.all():
            raise ValueError(f"sets must be in a block that somebody drew, got {sets[int(people.argmin())]}")
        shares = [self._scores(counts, s, 2) / m for s, m in zip(sets, people, strict=True)]
        variances = [self.pooled_variance(drawn, s, x.clip(0, 1)) for s, x in zip(sets, shares, strict=True)]
        return Pooled(sets, shares, variances, people)

    def pooled_variance(self, drawn: ArrayLike, s: Set, share: ArrayLike) -> Floats:
        r"""Exact variance of `tables` for one set, given how many people drew each block, and the true table.

        With :math:`P_i = (1-g_i)/K_S + g_i f` the chance of a report in a cell of share f, it is

        .. math:: \frac{\sum_i g_i^2 P_i (1-P_i)}{(\sum_i g_i^2)^2}
           - \frac{f(1-f)}{n-1}\Big(1 - \frac{\sum_i g_i^4}{(\sum_i g_i^2)^2}\Big).

        The first term alone is for people drawn from a distribution f; the second, since the population is fixed and
        blocks are dealt out among its n people.
        """
        f, people = check_numbers(share, "share"), check_codes(drawn, None, "drawn")
        first, second, weight = 0.0, 0.0, 0.0
        (s,) = check_sets([s], len(self.sizes))
        for rows, _, _, g in self._holding(s):
            m, p = people[rows].sum(), (1 - g) / f.size + g * f
            weight, first, second = weight + m * g**2, first + m * g**2 * p * (1 - p), second + m * g**4
        if not weight:
            raise ValueError(f"drawn must hold somebody whose block contains the set {s}, got nobody")
        once = f * (1 - f) / max(people.sum() - 1, 1) * (1 - second / weight**2)
        return np.asarray(first / weight**2 - once, np.float64)

    def pair_tables(self, tally: Tally, pairs: Sets) -> Pooled:
        r"""Estimate the table of each pair of attributes: their own shares from all blocks that contain them.

        With :math:`\hat f_{ab}`, :math:`\hat f_a` and :math:`\hat f_b` those of `tables`, which are means over the
        people whose block contains both, a, or b,

        .. math:: \hat f_{ab}(x, y) - \frac{\hat f_{ab}(x, \cdot)}{\kappa_b} - \frac{\hat f_{ab}(\cdot, y)}{\kappa_a}
           + \frac{\hat f_a(x)}{\kappa_b} + \frac{\hat f_b(y)}{\kappa_a}.

        More people's blocks contain a than both a and b, so that an attribute's shares are known better than the
        pair's.  The margins of these tables are the shares of single attributes that `tables` has.  At a large ε, where
        what is left is the chance in who was asked, a cell that is much rarer than its row and column is known better
        from `tables`.

        Parameters
        ----------
        tally : Tally
        pairs : sequence of (int, int)
            Two attributes each, in increasing order.

        Returns
        -------
        Pooled
            With variances for these very people, the nearest possible tables in place of the true ones.

        Raises
        ------
        ValueError
            As `tables` does; or if a set is not of two attributes.

        Examples
        --------
        >>> survey, rng = Blocks(sizes=(2, 2, 2, 2), size=2, epsilon=4.0), np.random.default_rng(0)
        >>> reports = survey.perturb(np.tile([[0, 0, 1, 1], [1, 1, 1, 0]], (3000, 1)), rng=rng)
        >>> found = survey.pair_tables(survey.tally(reports), [(0, 1)])
        >>> found.tables[0].round(1) + 0.0
        array([[0.5, 0. ],
               [0. , 0.5]])
        """
        pairs = check_sets(pairs, len(self.sizes))
        if other := [one for one in pairs if len(one) != 2]:
            raise ValueError(f"pairs must be of two attributes each, got {other[0]}")
        both, drawn = self.tables(tally, pairs), tally.counts.sum(1)
        single = sorted({(a,) for pair in pairs for a in pair})
        own = dict(zip(single, self.tables(tally, single).tables, strict=True))
        tables, variances = [], []
        for pair, table in zip(pairs, both.tables, strict=True):
            (a, b), (rows, columns) = pair, table.shape
            first = (own[a,] - table.sum(1)) / columns
            second = (own[b,] - table.sum(0)) / rows
            tables.append(table + first[:, None] + second)
            possible = norm_sub(tables[-1].ravel()).reshape(table.shape)
            variances.append(self.pair_tables_variance(drawn, pair, possible))
        return Pooled(both.sets, tables, variances, both.people)

    def pair_tables_variance(self, drawn: ArrayLike, pair: Set, share: ArrayLike) -> Floats:
        r"""Exact variance of `pair_tables`, given how many people drew each block, and the true table of the pair.

        A person whose block has both attributes adds :math:`A\,1[xy] + B\,1[x] + C\,1[y]` to a cell, up to a constant,
        and one whose block has one of them :math:`B\,1[x]` or :math:`C\,1[y]`, for the values x, y that are reported:
        the weights follow from g and from the sums of g² over the people whose block holds a, b, or both.  With
        :math:`v_i` the variance of this under the law of reports, and :math:`u_i` that under the true shares, times
        g², the variance about these people is, since blocks are dealt out among them,

        .. math:: \sum_i v_i + \frac{1}{n-1}\Big(\sum_i u_i - f(1-f)\Big).

        The first term alone is for people drawn from a distribution.

        Parameters
        ----------
        drawn : array_like of int (C(d, ℓ),)
        pair : (int, int)
        share : array_like (κ_a, κ_b)
        """
        f, people = check_numbers(share, "share"), check_codes(drawn, None, "drawn")
        ((a, b),) = check_sets([pair], len(self.sizes))
        if f.shape != (self.sizes[a], self.sizes[b]):
            raise ValueError(f"share must be a table of shape {(self.sizes[a], self.sizes[b])}, got {f.shape}")
        has_a, has_b = ((self.blocks == one).any(1) for one in (a, b))
        squares = people * self.keep**2
        worth_a, worth_b, worth = (squares[held].sum() for held in (has_a, has_b, has_a & has_b))
        if not worth:
            raise ValueError(f"drawn must hold somebody whose block contains the set {(a, b)}, got nobody")
        rows, columns = f.shape
        noise, scatter = np.zeros(f.shape), np.zeros(f.shape)
        for held, first, second in ((has_a & has_b, 1, 1), (has_a & ~has_b, 1, 0), (~has_a & has_b, 0, 1)):
            for g in np.unique(self.keep[held]):
                m = people[held & (self.keep == g)].sum()
                both = first * second * g / worth
                weights = both, (first * g / worth_a - both) / columns, (second * g / worth_b - both) / rows
                noise += m * _variance_of_cell(weights, (1 - g) / f.size + g * f)
                scatter += m * g**2 * _variance_of_cell(weights, f)
        n = people.sum()
        return np.asarray(noise + (scatter - f * (1 - f)) / max(n - 1, 1), np.float64)

    def pooled_contrast_variance(
        self, tally: Tally, weights: Mapping[Set, ArrayLike], *, people: bool = False
    ) -> float:
        r"""Estimate the variance of a weighted sum of cells.

        Cells of single attributes are those of `tables`, cells of pairs those of `pair_tables`.
        Given who drew which block, the sum is one of a coefficient per report.  With :math:`w_S` the weights of the
        cells of a set, and :math:`M_S = \sum g^2` over the people whose block holds it, a report y about a block adds

        .. math:: c = \sum_{S \subset B} \frac{g}{M_S} \Big(w_S(y_S) - (1-g)\, \overline{w_S}\Big),

        and what is expected of its block is :math:`\sum_S (g^2/M_S) \sum_t w_S(t) \hat f_S(t)`.  The variance is the
        sum of the squared differences of the two; since the shares are estimated, it is right to order 1/n.  About
        these people, that of their own weighted sum over n − 1 is less, for which the sets must be in one block, two by
        two.

        Parameters
        ----------
        tally : Tally
            Of at least two reports.
        weights : dict of tuple of int to array_like (κ_a,) or (κ_a, κ_b)
            By set of one or two attributes, a weight a cell.
        people : bool
            Whether the variance is that about these people, and not about a population that they are a sample of.

        Raises
        ------
        ValueError
            As `tables` does; if weights are no such tables; or if blocks do not tell how rows go together, for
            `people`.

        Examples
        --------
        >>> survey, rng = Blocks(sizes=(2, 2, 2, 2), size=2, epsilon=4.0), np.random.default_rng(0)
        >>> reports = survey.perturb(np.tile([[0, 0, 1, 1], [1, 1, 1, 0]], (3000, 1)), rng=rng)
        >>> tally = survey.tally(reports)  # how much more often is the first value 1 than the last?
        >>> round(survey.pooled_contrast_variance(tally, {(0,): [0, 1], (3,): [0, -1]}) ** 0.5, 3)
        0.016
        """
        asked = self._weights_of_sets(weights)
        if tally.n < 2:
            raise ValueError(f"tally must hold at least two reports, got {tally.n}")
        cut = self._without_margins(asked)
        found = self.tables(tally, [*cut])
        coefficient = np.zeros(tally.counts.shape)
        expected = np.zeros(len(self.blocks))
        for s, table, worth in zip(cut, found.tables, found.people.tolist(), strict=True):
            w = cut[s]
            own = float(np.sum(w * table))
            for rows, sizes, away, g in self._holding(s):
                cells = np.broadcast_to(np.expand_dims(w - (1 - g) * w.mean(), away), sizes).ravel()
                coefficient[rows, : len(cells)] += g / worth * cells
                expected[rows] += g**2 / worth * own
        variance = float(np.sum(tally.counts * (coefficient - expected[:, None]) ** 2))
        if people:
            variance -= self._scatter_of_people(tally, asked) / (tally.n - 1)
        return variance

    def _weights_of_sets(self, weights: Any) -> dict[Set, Floats]:
        """Return tables of weights that were checked, by set of one or two attributes."""
        if not isinstance(weights, Mapping) or not weights:
            raise ValueError(f"weights must be a dict of tables by set of attributes, got {shown(weights)}")
        sets = check_sets([*weights], len(self.sizes))
        found = {}
        for s, table in zip(sets, weights.values(), strict=True):
            checked, shape = check_numbers(table, "weights"), tuple(self.sizes[j] for j in s)
            if len(s) > 2 or checked.shape != shape:
                raise ValueError(
                    f"weights must be tables of one or two attributes, {shape} for {s}, got {checked.shape}"
                )
            found[s] = checked
        return found

    def _without_margins(self, weights: Mapping[Set, Floats]) -> dict[Set, Floats]:
        """Write weights of `pair_tables` as weights of `tables`, where an attribute's own shares are its own set's."""
        found: dict[Set, Floats] = {}
        for s, w in weights.items():
            if len(s) == 1:
                found[s] = found.get(s, 0) + w
                continue
            a, b = s
            first, second = w.mean(1), w.mean(0)
            found[s] = w - first[:, None] - second
            found[a,] = found.get((a,), 0) + first
            found[b,] = found.get((b,), 0) + second
        return found

    def _scatter_of_people(self, tally: Tally, weights: Mapping[Set, Floats]) -> float:
        """Variance over these people of the weighted sum of their own cells, from tables of every two sets together."""
        sets = [*weights]
        unions = {(s, t): tuple(sorted({*s, *t})) for s in sets for t in sets}
        if (most := max(map(len, unions.values()))) > self.size:
            raise Untold(
                f"people must be False for this sum: blocks of {self.size} attributes do not tell how {most} go "
                "together; the variance about a population is at least as large"
            )
        wanted = sorted({*unions.values()})
        tables = dict(zip(wanted, self.tables(tally, wanted).tables, strict=True))
        pairs = [one for one in wanted if len(one) == 2]
        tables |= dict(zip(pairs, self.pair_tables(tally, pairs).tables, strict=True)) if pairs else {}

        def spread(s: Set, union: Set) -> Floats:
            """Lay the weights of a set along the axes of the union."""
            return np.expand_dims(weights[s], tuple(i for i, j in enumerate(union) if j not in s))

        square = sum(float(np.sum(tables[u] * spread(s, u) * spread(t, u))) for (s, t), u in unions.items())
        mean = sum(float(np.sum(tables[s] * weights[s])) for s in sets)
        return float(square - mean**2)


def _variance_of_cell(weights: tuple[float, float, float], law: Floats) -> Floats:
    """Variance of A 1[xy] + B 1[x] + C 1[y] for each cell (x, y) of the law of a pair of values."""
    both, first, second = weights
    x, y = law.sum(1, keepdims=True), law.sum(0, keepdims=True)
    mean = both * law + first * x + second * y
    square = both**2 * law + first**2 * x + second**2 * y
    square = square + 2 * (both * first + both * second + first * second) * law
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
        How many exact answers the reports about a set are worth, Σ g²: 1/people is, up to terms of order 1/n, the
        variance of the parity of binary attributes.
    """

    sets: list[Set]
    tables: list[Floats]
    variances: list[Floats]
    people: Floats

    @property
    def parities(self) -> Floats:
        """Mean of Π (−1)^x over each set of binary attributes: (sets,)."""
        if any(max(table.shape) > 2 for table in self.tables):
            raise ValueError("sets must be of binary attributes to have parities, got larger tables")
        return np.array([np.sum(x * (-1.0) ** np.indices(x.shape).sum(0)) for x in self.tables])


def pair_variance(sizes: Sequence[int], size: int, epsilon: float) -> float:
    r"""Return n times the variance of a pair's parity under `Blocks`, for uniform data.

    A pair is in a block with chance :math:`\ell(\ell-1)/(d(d-1))`.  The parity of the reported cell, over g, is
    unbiased for the true one, since a blind cell's is 0 on average; its square is :math:`1/g^2`.  So the mean over
    everybody has, for binary attributes whose true parity is m,

    .. math:: n \operatorname{Var} = \frac{d(d-1)}{\ell(\ell-1)}
       \Big(\frac{e^\varepsilon+2^\ell-1}{e^\varepsilon-1}\Big)^2 - m^2

    for people drawn from a distribution, and 1 − m² less for a fixed population.  For more than two values, the
    variance of `Blocks.tables` is returned for a contrast of the pair's cells whose mean square over them is 1: one
    over :math:`\mathrm E[g^2 1\{S\subset B\}]`, averaged over pairs.
    """
    answers, pairs = _answers(sizes, size, epsilon)
    return float(np.mean(1 / answers[pairs]))


def cell_variance(sizes: Sequence[int], size: int, epsilon: float) -> float:
    r"""Return n times the variance of a cell of a pair under `Blocks`, for people drawn from a uniform distribution.

    It is for estimates that take each attribute's own shares from all blocks with the attribute, as `consistent` and
    `max_entropy` do, and only what is left of the pair from blocks with both.  With
    :math:`w_S = \mathrm E[g^2 1\{S\subset B\}]`, the mean over all pairs of

    .. math:: \frac1{(\kappa_a\kappa_b)^2} \Big(\frac{\kappa_a-1}{w_a} + \frac{\kappa_b-1}{w_b}
       + \frac{(\kappa_a-1)(\kappa_b-1)}{w_{ab}}\Big).
    """
    answers, (a, b) = _answers(sizes, size, epsilon)
    w, k = answers.diagonal(), np.array(sizes)
    both = (k[a] - 1) / w[a] + (k[b] - 1) / w[b] + (k[a] - 1) * (k[b] - 1) / answers[a, b]
    return float(np.mean(both / (k[a] * k[b]) ** 2))


def _answers(sizes: Sequence[int], size: int, epsilon: float) -> tuple[Floats, tuple[Ints, Ints]]:
    """Mean of g², for each two attributes over blocks with both, 0 elsewhere; and all pairs."""
    sizes, e = _check_sizes(sizes), float(odds(check_epsilon(epsilon)))
    blocks = _blocks(len(sizes), check_count(size, 2, "size", len(sizes)))
    g = (e - 1) / (e + np.array(sizes)[blocks].prod(1, dtype=np.float64) - 1)
    member = np.zeros((len(blocks), len(sizes)))
    np.put_along_axis(member, blocks, g[:, None], 1)
    return np.asarray(member.T @ member / len(blocks)), np.triu_indices(len(sizes), 1)


def best_block_size(sizes: Sequence[int], epsilon: float, variance: Variance = pair_variance) -> int:
    """Return the size of a block with the least variance, among those that `Blocks` can count.

    Parameters
    ----------
    sizes : sequence of int
    epsilon : float
    variance : callable
        `pair_variance`, or `cell_variance` where cells of pairs are published.
    """
    sizes = _check_sizes(sizes)
    fit = [size for size in range(2, len(sizes) + 1) if _tally_cells(sizes, size) <= CELLS_MAX]
    if not fit:
        raise ValueError(f"sizes must leave a tally of at most {CELLS_MAX} cells for blocks of 2, got {sizes}")
    return min(fit, key=lambda size: variance(sizes, size, epsilon))


# ------------------------------------------------------------------------------------------------------- small parts


def _blocks(d: int, size: int) -> Ints:
    return np.array(list(combinations(range(d), size)), np.int64)


def _tally_cells(sizes: Set, size: int) -> int:
    return comb(len(sizes), size) * prod(sorted(sizes)[-size:])
