"""What mechanisms for strings from an open domain share: cohorts, hash functions, least squares over candidates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import lapack
from scipy.sparse import csc_array

from ldpnb.chance import Randomness, scatter, uniform
from ldpnb.checks import SIZE_MAX, Limit, check_count, check_histogram, shown
from ldpnb.core import Bools, Example, Floats, Ints, OpenMechanism, Reports, Tally, blocks
from ldpnb.hashing import digest64

LONGEST = 2**13  # bits of an integer; Python does not write those of more than 4,300 digits

Name = int | str

APART = 1e-10  # a filter depends on others if its squared distance from their span is below this part of the largest


class Hashed(OpenMechanism):
    r"""What mechanisms for an open domain share: cohorts, hash functions, and least squares over named candidates.

    A person joins one of C public cohorts.  The h hash functions of the cohort set cells of a filter of the value.
    The report is about the cells of one cohort: a cell is counted with probability :math:`q^*` if the filter sets it
    and with :math:`p^*` if not.  The estimate solves the linear equations between the candidates' shares and the
    expected counts by least squares: :math:`X^+ y`, with X the filters of the candidates, one below the other for all
    cohorts (`design`), and :math:`y = (C/n)(\text{counts} - p^* N_c)/(q^* - p^*)` for the :math:`N_c` reports of a
    cohort.  The factor C/n, rather than :math:`1/N_c`, makes it linear and exactly unbiased for every n.

    Somebody whose value is not among the candidates contributes :math:`X^+ x` to the expected estimate, x being
    the filters of that value: values from outside spill into the candidates that share cells with them.

    A subclass adds its client, its probabilities and how the cells of one report vary together.  Values and candidates
    (`items`) are integers or strings; 1 and "1" are two values.  Reports have the public field ``cohort``.
    Tallies count each cell in the reports of each cohort, and in the last column these reports: (C, width + 1),
    whatever the candidates.
    """

    cohorts: Any  # int: fields, or fixed by the mechanism
    hashes: Any
    width: Any  # int: number of cells of a filter, a property
    limits: ClassVar[Mapping[str, Limit]] = {"cohorts": (1, SIZE_MAX)}
    public_fields: ClassVar[tuple[str, ...]] = ("cohort",)

    @property
    @abstractmethod
    def support(self) -> tuple[Fraction, Fraction]:
        """(q*, p*): probability that a report counts a cell which the filter sets, and one which it does not."""

    @abstractmethod
    def _counted(self, reports: Reports) -> Ints:
        """Count the cells of each cohort's reports: (C, width)."""

    @abstractmethod
    def _drawn(self, own: Ints, people: Ints, rng: Randomness) -> Ints:
        """Draw these counts for `people` in each cohort (C,), of whom `own` (C, width) have a cell set."""

    @abstractmethod
    def _spread(self, g: Floats) -> tuple[Floats, Floats]:
        """Variance of a report's weighted cells, given the cohort, summed over cohorts; over (q* − p*)².

        It is linear in the filter: returned are that of an empty filter (candidates,) and what each set cell adds
        (C width, candidates), for weights (C width, candidates).
        """

    # ------------------------------------------------------------------------------------------------- filters

    def _positions(self, pairs: Sequence[tuple[Name, int]]) -> Ints:
        """Cells set for values in cohorts, (len(pairs), h)."""
        found = [position(*pair, number, self.width) for pair in pairs for number in range(self.hashes)]
        return np.array(found, np.int64).reshape(len(pairs), self.hashes)

    def design(self, items: ArrayLike | Sequence[Name]) -> csc_array[np.float64]:
        """X: filters of values in all cohorts, one below the other, a sparse matrix of zeros and ones.

        (C width, len(items)); row ``c * width + b`` is cell b of cohort c.
        """
        names = listed(items, "items")
        cells = self._positions([(item, cohort) for item in names for cohort in range(self.cohorts)])
        cells += np.tile(np.arange(self.cohorts) * self.width, len(names))[:, None]
        ends = np.arange(len(names) + 1) * (self.cohorts * self.hashes)
        x = csc_array((np.ones(cells.size), cells.ravel(), ends), shape=(self.cohorts * self.width, len(names)))
        x.sum_duplicates()
        x.data[:] = 1  # hash functions that meet set one cell
        return x

    def filters(self, items: ArrayLike | Sequence[Name]) -> Bools:
        """Write out the filters of values in all cohorts: bool (len(items), C, width)."""
        return np.asarray(self.design(items).toarray().T.astype(np.bool_).reshape(-1, self.cohorts, self.width))

    def _values(self, values: ArrayLike | Sequence[Name]) -> list[Name]:
        return listed(values, "values")

    def _assign(self, values: list[Name], rng: Randomness) -> tuple[Ints, Ints]:
        """Draw each person's cohort, (n,), and look up the cells of the value in it, (n, h)."""
        codes, distinct = _coded(values)
        cohort = uniform(self.cohorts, codes.shape, rng)
        pairs, which = np.unique(codes * self.cohorts + cohort, return_inverse=True)
        return cohort, self._positions([(distinct[i // self.cohorts], i % self.cohorts) for i in pairs.tolist()])[which]

    # -------------------------------------------------------------------------------------------------- server

    def _items(self, items: ArrayLike | Sequence[Name] | None) -> tuple[Name, ...] | None:
        return None if items is None else check_candidates(items)

    def _count(self, reports: Reports, items: Any = None) -> Ints:
        """Count each cell in the reports of each cohort, and these reports: (C, width + 1), whatever the candidates."""
        return np.column_stack([self._counted(reports), np.bincount(reports["cohort"], minlength=self.cohorts)])

    def _score(self, tally: Tally) -> Floats:
        """Estimate the share of each candidate by least squares: (…, candidates).

        Raises
        ------
        ValueError
            If the tally names no candidates, or their filters are linearly dependent.
        """
        x, inverse = _decoder(self, check_candidates(tally.items))
        q, p = (float(s) for s in self.support)
        y = (tally.counts[..., :-1] - p * tally.counts[..., -1:]) / (q - p) * (self.cohorts / tally.n)
        return np.asarray((x.T @ y.reshape(-1, x.shape[0]).T).T @ inverse).reshape(*y.shape[:-2], -1)

    def influence(self, targets: int = 1, items: Any = None) -> float:
        """How many honest people one forged report can stand for, in sums over `targets` of the candidates `items`.

        See `Mechanism.influence`; the cohort is the forger's choice.  Takes time in proportion to the number of ways to
        choose the targets, where a report has many bits.
        """
        x, inverse = _decoder(self, check_candidates(items))
        q, p = (float(s) for s in self.support)
        g = np.asarray(x @ inverse).reshape(self.cohorts, self.width, -1) * (self.cohorts / (q - p))
        return max(self._forged(cohort, -p * cohort.sum(0), targets) for cohort in g)

    @abstractmethod
    def _forged(self, g: Floats, nothing: Floats, targets: int) -> float:
        """Return the largest sum of one report's scores: g for each cell it counts (width, candidates), and nothing."""

    def expected(self, values: ArrayLike | Sequence[Name], items: Any = None) -> Floats:
        """One for the person's value if it is a candidate, zero for the others; otherwise X⁺ x: (n, candidates)."""
        codes, distinct = _coded(self._values(values))
        return self._shares(distinct, check_candidates(items))[codes]

    def _shares(self, distinct: Sequence[Name], candidates: tuple[Name, ...]) -> Floats:
        x, inverse = _decoder(self, candidates)
        place = {item: i for i, item in enumerate(candidates)}
        at = np.array([place.get(item, -1) for item in distinct], np.int64)
        shares = np.asarray((self.design(distinct).T @ x).toarray() @ inverse)
        shares[at >= 0] = np.eye(len(candidates))[at[at >= 0]]  # exactly
        return shares

    def variance(self, values: ArrayLike | Sequence[Name], items: Any = None) -> Floats:
        """Variance of each person's score, cohort draw included: (n, candidates).

        With g the column of X⁺ (transposed) of one candidate, cut into cohorts, x the filters of the value and S the
        cells of a report over q* − p*: C Σ_c {Var[Σ_b g S] + (Σ_b g x)²} − expected².
        """
        (codes, distinct), candidates = _coded(self._values(values)), check_candidates(items)
        x, inverse = _decoder(self, candidates)
        g, own = np.asarray(x @ inverse), self.design(distinct).tocsr()
        empty, each = self._spread(g)
        second = empty + own.T @ each
        for part in blocks(len(g), self.width):
            second += np.square(own[part].T @ g[part])
        return np.asarray(self.cohorts * second - np.square(self._shares(distinct, candidates)))[codes]

    # ---------------------------------------------------------------------------------------------- simulation

    def simulate(
        self, counts: ArrayLike, values: ArrayLike | Sequence[Name], *, trials: int, rng: Randomness, items: Any = None
    ) -> Tally:
        """Tallies of a population, exact in their joint law, in O(C h values + C width) each.

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
        names, trials = _distinct(values, "values"), check_count(trials, 1, "trials")
        histogram = check_histogram(counts, len(names))
        cell, value = self.design(names).nonzero()
        found = np.empty((trials, self.cohorts, self.width + 1), np.int64)
        for one in found:
            people = scatter(histogram, self.cohorts, rng)
            own = np.bincount(cell, people[value, cell // self.width], self.cohorts * self.width)  # exact below 2**53
            one[:, -1] = people.sum(0)
            one[:, :-1] = self._drawn(own.astype(np.int64).reshape(self.cohorts, -1), one[:, -1], rng)
        return Tally(self, int(histogram.sum()), found, self._items(items))

    def _tell_apart(self, values: list[Any]) -> Example:
        """Return candidates, of which two attain ε, and last a stranger to them."""
        return Example(self, np.array(values), items=tuple(values[:-1]), histogram=True, pairs=self.report_bits < 4)


def position(item: Name, cohort: int, number: int, bits: int) -> int:
    """Bit in {0, …, bits−1} that a hash function of a cohort sets for an item; the same on every machine."""
    return digest64(f"{cohort},{number},{'s' if isinstance(item, str) else 'i'},{item}") % bits


def pivoted(x: Any) -> tuple[Floats, Ints, int]:
    """Cholesky factor of XᵀX with pivoting, the order of its columns, and the rank.

    XᵀX holds integers and is exact.  Each pivot is the squared distance of a column from the span of those before it,
    the largest first.
    """
    gram = (x.T @ x).toarray()
    factor, order, rank, _ = lapack.dpstrf(gram, tol=APART * gram.diagonal().max())
    return factor, order - 1, int(rank)


@lru_cache(maxsize=4)
def _decoder(mechanism: Hashed, items: tuple[Name, ...]) -> tuple[csc_array[np.float64], Floats]:
    """Return X and (XᵀX)⁻¹, so that X⁺ = (XᵀX)⁻¹ Xᵀ."""
    x = mechanism.design(items)
    rank: Any = f"at most {x.shape[0]}"
    if len(items) <= x.shape[0]:
        factor, order, rank = pivoted(x)
        if rank == len(items):
            half, _ = lapack.dpotri(factor)
            inverse = np.empty_like(half)
            inverse[np.ix_(order, order)] = np.triu(half) + np.triu(half, 1).T
            return x, inverse
    got = f"{len(items)} candidates of rank {rank}: use more bits, slots or cohorts"
    raise ValueError(f"items must have linearly independent filters, got {got}")


def listed(values: Any, name: str, **kinds: type) -> list[Any]:
    """Return a list of integers and strings, or of the kinds named, as Python's own."""
    kinds = kinds or {"integers": int, "strings": str}
    what = " or ".join(kinds)
    array = values if isinstance(values, np.ndarray) else np.asarray(values, object)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a list of {what}, got shape {array.shape}")
    found = [x.item() if isinstance(x, np.generic) else x for x in array.tolist()]
    wrong = {type(x) for x in found} - {*kinds.values()}
    if wrong:
        raise ValueError(f"{name} must be {what}, got {sorted(kind.__name__ for kind in wrong)}")
    for x in found:
        if isinstance(x, int) and x.bit_length() > LONGEST:
            raise ValueError(f"{name} must be {what}, got {shown(x)}, which are too many")
    return found


def _coded(values: list[Name]) -> tuple[Ints, list[Name]]:
    """Return each person's value as a place in the list of distinct ones, and that list."""
    place = {item: i for i, item in enumerate(dict.fromkeys(values))}
    return np.fromiter(map(place.__getitem__, values), np.int64, len(values)), list(place)


def _distinct(values: Any, name: str) -> list[Name]:
    found = listed(values, name)
    if len(set(found)) < len(found):
        raise ValueError(f"{name} must be distinct, got {len(found) - len(set(found))} of {len(found)} repeated")
    return found


def check_candidates(items: Any) -> tuple[Name, ...]:
    """Return candidates if they are integers or strings, distinct and at least one."""
    if items is None:
        raise ValueError("items must name the candidates, got None")
    found = _distinct(items, "items")
    if not found:
        raise ValueError("items must hold at least one candidate, got none")
    return tuple(found)
