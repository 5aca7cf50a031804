"""Strings from an open domain: cohorts, hash functions, and least squares over candidates.

A person joins one of C public cohorts.  The h hash functions of the cohort set cells of a filter
of the person's value, and the report is about these cells: a cell is counted with probability q*
if the filter sets it, and with probability p* if not.  With X the filters of all candidates, one
below the other for all cohorts, N_c the reports of cohort c and C_cb those that count cell b,

    estimate            f̂ = X⁺ y,   y_cb = (C/n)(C_cb − p* N_c)/(q* − p*)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack
from scipy.sparse import csc_array

from ldpnb.chance import Randomness, scatter, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_count, check_histogram, shown
from ldpnb.core import (
    Bools,
    Example,
    Floats,
    Ints,
    Items,
    OpenMechanism,
    Reports,
    Tally,
    Values,
    blocks,
)
from ldpnb.hashing import digest64

LONGEST = 2**13  # bits of an integer; Python does not write those of more than 4,300 digits
APART = (
    1e-10  # of the largest squared length: a filter that is nearer to the span of others is in it
)

Name = int | str
Sparse = csc_array[np.float64]


class Hashed(OpenMechanism):
    r"""Base of mechanisms for an open domain: a subclass adds its client and its probabilities.

    It gives `cohorts`, `hashes`, `width`, `support`, `layout` and `_perturb`, and of its reports
    `_counted`, `_drawn`, `_spread` and `_forged`.

    The estimate solves the linear equations between the candidates' shares and the expected counts
    by least squares: :math:`X^+ y`, with X the filters of the candidates (`design`) and
    :math:`y = (C/n)(\text{counts} - p^* N_c)/(q^* - p^*)` for the :math:`N_c` reports of a cohort.
    The factor C/n, rather than :math:`1/N_c`, makes it linear and exactly unbiased for every n.

    Somebody whose value is not among the candidates contributes :math:`X^+ x` to the expected
    estimate, x being the filters of that value: values from outside spill into the candidates that
    share cells with them.

    Values and candidates (`items`) are integers or strings; 1 and "1" are two values.  Reports have
    the public field ``cohort``.  Tallies count each cell in the reports of each cohort, and in the
    last column these reports: (C, width + 1), whatever the candidates.
    """

    cohorts: int  # C
    hashes: int  # h
    limits: ClassVar[Mapping[str, Limit]] = {"cohorts": (1, SIZE_MAX)}
    public_fields = ("cohort",)

    # ---------------------------------------------------------------- what a subclass must give

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of cells of a filter."""

    @property
    @abstractmethod
    def support(self) -> tuple[Fraction, Fraction]:
        """(q*, p*): probability that a report counts a cell which the filter sets, or does not."""

    @abstractmethod
    def _counted(self, reports: Reports) -> Ints:
        """Count the cells of each cohort's reports: (C, width)."""

    @abstractmethod
    def _drawn(self, own: Ints, people: Ints, rng: Randomness) -> Ints:
        """Draw these counts for `people` in each cohort (C,), of whom `own` have a cell set.

        Both `own` and the counts are (C, width).
        """

    @abstractmethod
    def _spread(self, g: Floats) -> tuple[Floats, Floats]:
        """Variance of a report's weighted cells, given the cohort, summed over cohorts.

        It is over (q* − p*)², and linear in the filter: returned are that of an empty filter
        (candidates,) and what each set cell adds (C width, candidates), for weights
        (C width, candidates).
        """

    @abstractmethod
    def _forged(self, g: Floats, nothing: Floats, targets: int) -> float:
        """Return the largest sum of one report's scores.

        They are g for each cell that it counts (width, candidates), and `nothing` in any case.
        """

    # ----------------------------------------------------------------------------------- filters

    def _positions(self, pairs: Sequence[tuple[Name, int]]) -> Ints:
        """Cells set for values in cohorts, (len(pairs), h)."""
        width = self.width
        cells = []
        for item, cohort in pairs:
            for number in range(self.hashes):
                cells.append(position(item, cohort, number, width))
        return np.array(cells, np.int64).reshape(len(pairs), self.hashes)

    def design(self, items: Items) -> Sparse:
        """X: filters of values in all cohorts, one below the other, sparse, of zeros and ones.

        Parameters
        ----------
        items : sequence of int or str

        Returns
        -------
        sparse array (C width, len(items))
            Row ``c * width + b`` is cell b of cohort c.
        """
        names = listed(items, "items")
        cells = self._positions(list(product(names, range(self.cohorts))))
        first = np.arange(self.cohorts) * self.width
        cells += np.tile(first, len(names))[:, None]
        ends = np.arange(len(names) + 1) * (self.cohorts * self.hashes)
        shape = self.cohorts * self.width, len(names)
        x = csc_array((np.ones(cells.size), cells.ravel(), ends), shape=shape)
        x.sum_duplicates()
        x.data[:] = 1  # hash functions that meet set one cell
        return x

    def filters(self, items: Items) -> Bools:
        """Write out the filters of values in all cohorts: bool (len(items), C, width)."""
        bits = self.design(items).toarray().T.astype(np.bool_)
        return np.asarray(bits.reshape(-1, self.cohorts, self.width))

    # -------------------------------------------------------------------------------- the client

    def _values(self, values: Values) -> list[Name]:
        return listed(values, "values")

    def _assign(self, values: list[Name], rng: Randomness) -> tuple[Ints, Ints]:
        """Draw each person's cohort, (n,), and look up the cells of the value in it, (n, h)."""
        codes, distinct = _coded(values)
        cohort = uniform(self.cohorts, codes.shape, rng)
        found, which = np.unique(codes * self.cohorts + cohort, return_inverse=True)
        pairs = [(distinct[i // self.cohorts], i % self.cohorts) for i in found.tolist()]
        return cohort, self._positions(pairs)[which]

    # -------------------------------------------------------------------------------- the server

    def _items(self, items: Items) -> tuple[Name, ...] | None:
        if items is None:
            return None
        return check_candidates(items)

    def _count(self, reports: Reports, items: Items = None) -> Ints:
        """Count each cell in the reports of each cohort, and these reports: (C, width + 1).

        It is the same whatever the candidates.
        """
        members = np.bincount(reports["cohort"], minlength=self.cohorts)
        return np.column_stack([self._counted(reports), members])

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each candidate by least squares, X⁺ y: (…, candidates).

        Raises
        ------
        ValueError
            If the tally names no candidates, or their filters are linearly dependent.
        """
        x, inverse = _decoder(self, check_candidates(tally.items))
        q, p = (float(s) for s in self.support)
        counts = tally.counts[..., :-1]
        members = tally.counts[..., -1:]
        y = (counts - p * members) / (q - p) * (self.cohorts / tally.n)
        flat = (x.T @ y.reshape(-1, x.shape[0]).T).T
        return np.asarray(flat @ inverse).reshape(*y.shape[:-2], -1)

    def influence(self, targets: int = 1, items: Items = None) -> float:
        """How many honest people one forged report can stand for, in sums over candidates.

        See `Mechanism.influence`; `targets` of the candidates `items` are made large, and the
        cohort is the forger's choice.  Takes time in proportion to the number of ways to choose
        the targets, where a report has many bits.
        """
        x, inverse = _decoder(self, check_candidates(items))
        q, p = (float(s) for s in self.support)
        weights = np.asarray(x @ inverse).reshape(self.cohorts, self.width, -1)
        most = []
        for g in weights * (self.cohorts / (q - p)):
            most.append(self._forged(g, -p * g.sum(0), targets))
        return max(most)

    # ----------------------------------------------------------------------- target and variance

    def expected(self, values: Values, items: Items = None) -> Floats:
        """One for the person's value if it is a candidate, zero for the others: (n, candidates).

        Otherwise X⁺ x.
        """
        codes, distinct = _coded(self._values(values))
        return self._shares(distinct, check_candidates(items))[codes]

    def _shares(self, distinct: Sequence[Name], candidates: tuple[Name, ...]) -> Floats:
        x, inverse = _decoder(self, candidates)
        place = {item: i for i, item in enumerate(candidates)}
        at = np.array([place.get(item, -1) for item in distinct], np.int64)
        known = at >= 0
        shares = np.asarray((self.design(distinct).T @ x).toarray() @ inverse)
        shares[known] = np.eye(len(candidates))[at[known]]  # exactly
        return shares

    def variance(self, values: Values, items: Items = None) -> Floats:
        """Variance of each person's score, cohort draw included: (n, candidates).

        With g the column of X⁺ (transposed) of one candidate, cut into cohorts, x the filters of
        the value and S the cells of a report over q* − p*, it is
        C Σ_c {Var[Σ_b g S] + (Σ_b g x)²} − expected².
        """
        codes, distinct = _coded(self._values(values))
        candidates = check_candidates(items)
        x, inverse = _decoder(self, candidates)
        g = np.asarray(x @ inverse)
        own = self.design(distinct).tocsr()
        empty, each = self._spread(g)
        second = empty + own.T @ each
        for part in blocks(len(g), self.width):
            second += np.square(own[part].T @ g[part])
        expected = self._shares(distinct, candidates)
        return np.asarray(self.cohorts * second - np.square(expected))[codes]

    # ------------------------------------------------------------------- simulation and examples

    def simulate(
        self,
        counts: ArrayLike,
        values: Values,
        *,
        trials: int,
        rng: Randomness,
        items: Items = None,
    ) -> Tally:
        """Draw tallies of a population, exact in their joint law, in O(C h values + C width) each.

        Parameters
        ----------
        counts : array_like of int (k,)
            How many people hold each of the values.
        values : sequence of int or str (k,)
            Distinct; candidates and others.
        trials : int
        rng : numpy.random.Generator or Paths
        items : sequence, optional
            Candidates, as for `tally`.

        Returns
        -------
        Tally
            Counts (trials, C, width + 1).
        """
        names = _distinct(values, "values")
        trials = check_count(trials, 1, "trials")
        histogram = check_histogram(counts, len(names))
        cell, value = self.design(names).nonzero()
        cells = self.cohorts * self.width
        found = np.empty((trials, self.cohorts, self.width + 1), np.int64)
        for one in found:
            people = scatter(histogram, self.cohorts, rng)
            members = people.sum(0)
            own = np.bincount(cell, people[value, cell // self.width], cells)  # exact below 2**53
            own = own.astype(np.int64).reshape(self.cohorts, -1)
            one[:, -1] = members
            one[:, :-1] = self._drawn(own, members, rng)
        return Tally(self, int(histogram.sum()), found, self._items(items))

    def _tell_apart(self, values: Sequence[Name]) -> Example:
        """Return candidates, of which two attain ε, and last a stranger to them."""
        candidates = tuple(values[:-1])
        few = self.report_bits < 4
        return Example(self, np.array(values), items=candidates, histogram=True, pairs=few)


# ------------------------------------------------------------------------ hashing and solving


def position(item: Name, cohort: int, number: int, bits: int) -> int:
    """Bit in {0, …, bits−1} that a hash function of a cohort sets for an item.

    It is the same on every machine.
    """
    kind = "i"
    if isinstance(item, str):
        kind = "s"
    return digest64(f"{cohort},{number},{kind},{item}") % bits


def pivoted(x: Sparse) -> tuple[Floats, Ints, int]:
    """Cholesky factor of XᵀX with pivoting, the order of its columns, and the rank.

    XᵀX holds integers and is exact.  Each pivot is the squared distance of a column from the span
    of those before it, the largest first.
    """
    gram = (x.T @ x).toarray()
    factor, order, rank, _ = lapack.dpstrf(gram, tol=APART * gram.diagonal().max())
    return factor, order - 1, int(rank)


@lru_cache(maxsize=4)
def _decoder(mechanism: Hashed, items: tuple[Name, ...]) -> tuple[Sparse, Floats]:
    """Return X and (XᵀX)⁻¹, so that X⁺ = (XᵀX)⁻¹ Xᵀ."""
    x = mechanism.design(items)
    rows = x.shape[0]
    found = f"at most {rows}"
    if len(items) <= rows:
        factor, order, rank = pivoted(x)
        if rank == len(items):
            half, _ = lapack.dpotri(factor)
            inverse = np.empty_like(half)
            inverse[np.ix_(order, order)] = np.triu(half) + np.triu(half, 1).T
            return x, inverse
        found = f"{rank}"
    got = f"{len(items)} candidates of rank {found}: use more bits, slots or cohorts"
    raise ValueError(f"items must have linearly independent filters, got {got}")


# ------------------------------------------------------------------------ names, as handed in


def listed(values: Values, name: str, **kinds: type) -> list[Any]:  # of what is named
    """Return a list of integers and strings, or of the kinds named, as Python's own."""
    kinds = kinds or {"integers": int, "strings": str}
    what = " or ".join(kinds)
    array = values
    if not isinstance(values, np.ndarray):
        array = np.asarray(values, object)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of {what}, got shape {array.shape}")
    found = []
    for x in array.tolist():
        if isinstance(x, np.generic):
            x = x.item()
        found.append(x)
    wrong = {type(x) for x in found} - {*kinds.values()}
    if wrong:
        got = sorted(kind.__name__ for kind in wrong)
        raise ValueError(f"{name} must be {what}, got {got}")
    for x in found:
        if isinstance(x, int) and x.bit_length() > LONGEST:
            raise ValueError(f"{name} must be {what}, got {shown(x)}, which are too many")
    return found


def _coded(values: list[Name]) -> tuple[Ints, list[Name]]:
    """Return each person's value as a place in the list of distinct ones, and that list."""
    place = {item: i for i, item in enumerate(dict.fromkeys(values))}
    codes = np.fromiter(map(place.__getitem__, values), np.int64, len(values))
    return codes, list(place)


def _distinct(values: Values, name: str) -> list[Name]:
    found = listed(values, name)
    repeated = len(found) - len(set(found))
    if repeated:
        raise ValueError(f"{name} must be distinct, got {repeated} of {len(found)} repeated")
    return found


def check_candidates(items: Items) -> tuple[Name, ...]:
    """Return candidates if they are integers or strings, distinct and at least one."""
    if items is None:
        raise ValueError("items must name the candidates, got None")
    found = _distinct(items, "items")
    if not found:
        raise ValueError("items must hold at least one candidate, got none")
    return tuple(found)
