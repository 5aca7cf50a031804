"""Which candidates do people really have?  Counts of hashed reports, decoded against a list.

The tally of `rappor.RAPPOR` or `rappor.ORR` says how often each cell was counted in each cohort.
`decode` chooses among the candidates where there are too many of them for least squares, estimates
shares with standard errors, and says which candidates it has found.  It is a function on top of
linear estimates: choosing biases what is chosen, unless one part of the cohorts chooses and the
other one tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular
from scipy.special import ndtr, ndtri

from ldpnb.checks import check_count, check_probability, shown
from ldpnb.core import Bools, Floats, Items, Tally, check_tally
from ldpnb.strings.hashed import APART, Hashed, Name, check_candidates, pivoted
from ldpnb.strings.rappor import ORR, RAPPOR

CARRIED = 0.5  # candidates per cell: with more, least squares would double the variances, or worse
STEP = 1.25  # how the penalty rises until the cells can carry what is chosen

Control = Literal["fdr", "bonferroni"]
Sparse = Any  # a csc_array; scipy's stubs do not tell whether its products are arrays


@dataclass(frozen=True, eq=False)
class Decoded:
    """Shares of candidates, and which of them were found.

    Attributes
    ----------
    items : tuple
        The candidates.
    share : ndarray of float (candidates,)
        Estimates, neither clipped nor made to sum to 1.  The 0 of a candidate that was not chosen
        is not an estimate.
    error : ndarray of float (candidates,)
        Standard errors, for the shares among these very people; NaN for candidates that were not
        chosen.
    p_value : ndarray of float (candidates,)
        Of the one-sided test of share = 0 against share > 0; 1 for candidates that were not chosen.
    found : ndarray of bool (candidates,)
        Where the test rejects, accounting for the number of all candidates.
    chosen : ndarray of bool (candidates,)
        Kept by the Lasso; all, where it was not needed.
    apart : ndarray of bool (candidates,)
        Whose share follows from the expected counts whatever all shares are.  If it is False, other
        candidates with shares above and below zero could imitate this one exactly, and that it was
        chosen rests on shares being positive and few.  All are False where candidates outnumber
        cells: then it is not looked for.
    rank : int
        Of all candidates' filters, and the column of the others, in the cohorts that count.  Where
        there are more of them than cells, the number of cells, which is an upper bound.
    cells : int
        Number of equations that gave estimates and tests.
    """

    items: tuple[Name, ...]
    share: Floats
    error: Floats
    p_value: Floats
    found: Bools
    chosen: Bools
    apart: Bools
    rank: int
    cells: int


def decode(
    tally: Tally,
    items: Items,
    *,
    control: Control = "fdr",
    alarm: float = 0.05,
    split: bool = False,
    others: bool = True,
    rounds: int = 1,
) -> Decoded:
    r"""Estimate and test the share of each candidate.

    In cohort c, with :math:`N_c` reports, cell b was counted in a part :math:`\hat m_{cb}` of them,
    and

    .. math:: y_{cb} = \frac{\hat m_{cb} - p^*}{q^* - p^*},\qquad \mathrm E[y \mid N] = X\pi,

    for the filters X and the shares π of the values: the members of a cohort are a sample from all
    people.

    *Estimates.*  Weighted least squares :math:`\hat\pi = A y`, first with weights :math:`N_c`, then
    with those of the variances which that fit predicts: :math:`N_c/m(1-m)` for bits,
    :math:`N_c/m` for the cells of one slot, with m its means, kept in [p*, q*].  The covariance is
    that of the reports at the fitted shares,

    .. math:: \sum_c A_c \frac{V_c}{N_c} A_c^\top
              - \frac{\mathrm{diag}(\hat\pi) - \hat\pi\hat\pi^\top}{n},

    where :math:`V_c (q^* - p^*)^2` is :math:`\mathrm{diag}(m) - mm^\top` if a report names one
    slot, and if it has independent bits, :math:`\mathrm{diag}(m(1-m))` and beside the diagonal what
    one person's bits share, because they are of one value:
    :math:`(q^*-p^*)^2\,(X_c\,\mathrm{diag}(\pi) X_c^\top - X_c\pi\pi^\top X_c^\top)`.  What is
    subtracted is the chance of drawing the people, who are fixed here.  It is exact for given
    weights and shares, up to a part 1/n; the bits of people whose value is not a candidate count as
    independent.  After a choice, the variances are multiplied by the residuals' mean square in
    units of the noise, where it is above 1: what values that were not chosen add to the cells is
    noise too, by the draw of the hash functions.

    *The same people again.*  Of `rounds` = T reports per person, all from one state as `RAPPOR`
    keeps it, a cell's mean over a person's reports varies by

    .. math:: s + \frac{m(1-m) - s}{T}, \qquad s = (m - p)(q - m),

    in place of m(1 − m), for the p and q of a report's own coins: the state stays.  :math:`N_c` are
    people then.

    *Choice.*  If the cells cannot carry all candidates (more than half as many as cells, or filters
    that depend on each other), a Lasso with shares ≥ 0 chooses first.  Its penalty follows from the
    noise, which is known: a candidate enters if its cells exceed what the rest explains by λ of
    their standard deviations.  λ is the quantile that one in 1/`alarm` of the candidates without
    people would pass, or fewer, if these alone were more than a quarter of the cells; it grows by
    quarters until no more are chosen than half the cells.

    *Test.*  π̂ over its standard error against the normal law, one-sided; Benjamini and Hochberg's
    false discovery rate or Bonferroni's bound over all candidates, also those not chosen.  The
    normal law needs cells with more than a few counts.  On the data that chose, p-values are too
    small.

    A candidate that is not chosen is taken to have no people.  With `others`, they, and people
    whose values are on no list, are an unknown constant in every cell: hash functions send many
    values everywhere alike.  A single frequent value that is missing from the list still spills
    into candidates which it meets in more cells than most.

    Source: Erlingsson, Pihur and Korolova 2014 (Lasso, then least squares and tests);
    ye2018 §4.1.1; Benjamini and Hochberg 1995.  The rule for the penalty, the covariance, the split
    and the constant are ours.

    Parameters
    ----------
    tally : Tally
        Of `RAPPOR` or `ORR`, one trial.  Cohorts without reports are left out.
    items : sequence of int or str
        The candidates; those of the tally are not used.
    control : {"fdr", "bonferroni"}
        Hold `alarm` for the expected part of false ones among the found, or for the probability of
        any false one.
    alarm : float in (0, 1)
    split : bool
        Let a Lasso choose on every other cohort that has reports, and estimate and test on the
        rest: half of the reports, but p-values that the choice does not spoil.
    others : bool
        Whether people may have values that are not candidates.  False if the list is complete.
    rounds : int
        Reports of each person in the tally, all from one state of `RAPPOR`; everybody must have
        sent as many.

    Raises
    ------
    ValueError
        If there are rounds of a mechanism that keeps no state, or reports of a cohort are no
        multiple of them.  If two candidates have the same filters in the cohorts that count, if the
        chosen ones depend on each other, or if too few cohorts have reports.
    ImportError
        If a Lasso is needed and scikit-learn (extra ``chapters``) is missing.

    Examples
    --------
    >>> from ldpnb import ORR
    >>> mechanism = ORR(k=8, cohorts=8, epsilon=2)
    >>> people = ["tea"] * 6000 + ["coffee"] * 4000
    >>> reports = mechanism.perturb(people, rng=np.random.default_rng(0))
    >>> result = decode(mechanism.tally(reports), ["tea", "coffee", "milk"])
    >>> result.found, result.share[:2].round(1)
    (array([ True,  True, False]), array([0.6, 0.4]))
    """
    check_tally(tally, Hashed, "RAPPOR or ORR", alone=True)
    mechanism = cast(Hashed, tally.mechanism)
    if control not in get_args(Control):
        got = shown(control, most=200)
        raise ValueError(f"control must be 'fdr' or 'bonferroni', got {got}")
    alarm = check_probability(alarm, "alarm")
    if not 0 < alarm < 1:
        raise ValueError(f"alarm must be in (0, 1), got {alarm}")
    rounds = check_count(rounds, 1, "rounds")
    _check_rounds(mechanism, tally, rounds)
    names = check_candidates(items)
    cells = _cells(mechanism, tally, names, rounds)
    least = 1 + split
    if len(cells.people) < least:
        rule = f"tally must have {least} cohorts with reports"
        raise ValueError(f"{rule}, got {len(cells.people)}")
    _refuse_twins(cells.x, names)
    rank, apart = _rank(_with_others(cells.x, others))
    choosing = cells
    testing = cells
    if split:
        choosing = cells.part(slice(0, None, 2))
        testing = cells.part(slice(1, None, 2))
    chosen = np.ones(len(names), np.bool_)
    if split or rank < len(names) + others or len(names) > CARRIED * len(cells.y):
        chosen = _choose(choosing, others, alarm, CARRIED * len(testing.y))
    share, error, p_value = _tested(testing, others, names, chosen)
    found = _adjusted(p_value, control) <= alarm
    equations = len(testing.y)
    apart = apart[: len(names)]
    return Decoded(names, share, error, p_value, found, chosen, apart, rank, equations)


def _tested(
    cells: _Cells,
    others: bool,
    names: Sequence[Name],
    chosen: Bools,
) -> tuple[Floats, Floats, Floats]:
    """Shares, errors and p-values of all candidates, of which only the chosen ones are fitted."""
    share = np.zeros(len(names))
    error = np.full(len(names), np.nan)
    p_value = np.ones(len(names))
    which = np.flatnonzero(chosen)
    if which.size:
        kept = replace(cells, x=cells.x[:, which])
        missed = len(which) < len(names)
        share[which], error[which] = _fit(kept, others, [names[j] for j in which.tolist()], missed)
        with np.errstate(divide="ignore"):
            p_value[which] = ndtr(-share[which] / error[which])
    return share, error, p_value


def _adjusted(p_value: Floats, control: Control) -> Floats:
    """Account for the number of tests."""
    from scipy.stats import false_discovery_control

    if control == "fdr":
        return np.asarray(false_discovery_control(p_value))
    return p_value * len(p_value)


# ------------------------------------------------------------------------------ the equations


@dataclass(frozen=True, eq=False)
class _Cells:
    """The equations y ≈ Xπ, one row for each cell, one cohort below the other."""

    x: Sparse  # (cells, candidates)
    y: Floats  # (cells,)
    people: Floats  # (cohorts,) of each
    n: int  # people of all cohorts, used here or not
    q: float
    p: float
    slots: bool  # whether a report names one cell; otherwise its cells are independent
    rounds: int = 1  # reports of each person, from one state
    instant: tuple[float, float] = (0.0, 1.0)  # p and q of a report's bit: state's bit not set, set

    @property
    def width(self) -> int:
        """Number of cells of a cohort."""
        return len(self.y) // len(self.people)

    def part(self, cohorts: slice) -> _Cells:
        """Return the equations of some cohorts."""
        rows = np.arange(len(self.y)).reshape(len(self.people), -1)[cohorts].ravel()
        x = self.x.tocsr()[rows].tocsc()
        return replace(self, x=x, y=self.y[rows], people=self.people[cohorts])

    def each(self) -> Floats:
        """How many people there are behind each cell."""
        return np.repeat(self.people, self.width)

    def mean(self, y: Floats) -> Floats:
        """How often a cell is counted that expects y; never 0 or 1, because p* and q* are not."""
        return np.clip(self.p + (self.q - self.p) * y, self.p, self.q)

    def weight(self, y: Floats) -> Floats:
        """One over the variance.

        For one slot, it is a generalised inverse of the covariance, which is diagonal too.
        """
        m = self.mean(y)
        variance = m
        if not self.slots:
            variance = self.scatter(m)
        return self.each() * (self.q - self.p) ** 2 / variance

    def scatter(self, m: Floats) -> Floats:
        """Variance of the mean of one person's bits in a cell of mean m.

        Part of it stays with the state.
        """
        alone = m * (1 - m)
        if self.rounds == 1:
            return alone
        p, q = self.instant
        lasting = (m - p) * (q - m)
        return np.asarray(lasting + (alone - lasting) / self.rounds)


def _check_rounds(mechanism: Hashed, tally: Tally, rounds: int) -> None:
    """Refuse several reports per person if they cannot be of one state, or not of all people."""
    if rounds == 1:
        return
    if not isinstance(mechanism, RAPPOR):
        rule = "rounds must be 1 for a mechanism that keeps no state"
        raise ValueError(f"{rule}, got {rounds} of {mechanism}")
    counts = tally.counts[:, -1]
    odd = np.flatnonzero(counts % rounds)
    if odd.size:
        cohort = int(odd[0])
        got = f"{rounds} and {counts[cohort]} reports in cohort {cohort}"
        cure = "decode the tally of one round, in which all took part"
        raise ValueError(f"rounds must be the number of reports of each person, got {got}: {cure}")


def _cells(mechanism: Hashed, tally: Tally, items: tuple[Name, ...], rounds: int) -> _Cells:
    """Write the equations of the cohorts that have reports."""
    q, p = (float(s) for s in mechanism.support)
    used = tally.counts[:, -1] > 0
    counts = tally.counts[used, :-1]
    reports = tally.counts[used, -1].astype(np.float64)
    rows = np.repeat(used, mechanism.width)
    x = mechanism.design(items).tocsr()[rows].tocsc()
    x.sort_indices()
    y = (counts / reports[:, None] - p) / (q - p)
    people = reports / rounds
    slots = isinstance(mechanism, ORR)
    found = _Cells(x, y.ravel(), people, tally.n // rounds, q, p, slots)
    if rounds == 1 or not isinstance(mechanism, RAPPOR):
        return found
    low, high = (float(s) for s in mechanism.instantaneous)
    return replace(found, rounds=rounds, instant=(low, high))


def _refuse_twins(x: Sparse, items: tuple[Name, ...]) -> None:
    seen: dict[bytes, Name] = {}
    for item, start, end in zip(items, x.indptr, x.indptr[1:], strict=False):
        twin = seen.setdefault(x.indices[start:end].tobytes(), item)
        if twin is not item:
            same = f"{twin!r} and {item!r} set the same cells"
            cure = "leave one out, and read its share as that of both"
            rule = "items must differ in the cohorts that have reports"
            raise ValueError(f"{rule}, but {same}: {cure}")


def _with_others(x: Sparse, others: bool) -> Sparse:
    """Put a column of ones after the others, for people whose value is no candidate."""
    if not others:
        return x
    ones = sparse.csc_array(np.ones((x.shape[0], 1)))
    return sparse.hstack([x, ones], "csc")


def _rank(x: Sparse) -> tuple[int, Bools]:
    """Rank, and which columns no vector of the null space touches."""
    rows, size = x.shape
    if size > rows:
        return rows, np.zeros(size, np.bool_)
    factor, order, rank = pivoted(x)
    apart = np.ones(size, np.bool_)
    apart[order[rank:]] = False
    null = solve_triangular(factor[:rank, :rank], factor[:rank, rank:])
    apart[order[:rank]] = np.all(np.abs(null) < np.sqrt(APART), axis=1)
    return rank, apart


# ---------------------------------------------------------------------------- choice and estimate


def _choose(cells: _Cells, others: bool, alarm: float, most: float) -> Bools:
    """Keep the candidates to which a non-negative Lasso gives people; at most so many."""
    try:
        from sklearn.linear_model import Lasso  # type: ignore[import-untyped]  # it has no types
    except ImportError:
        what = "choosing among candidates that the cells cannot carry"
        raise ImportError(f"{what} needs scikit-learn") from None
    x = cells.x
    weight = cells.weight(cells.y)
    square = weight @ x  # of columns of zeros and ones
    if others:
        square = square - square**2 / weight.sum()
    with np.errstate(divide="ignore"):
        scale = np.where(square > APART * square.max(), 1 / np.sqrt(square), 0)
    entries = np.repeat(scale, np.diff(x.indptr))
    indices = x.indices.astype(np.int32)  # scikit-learn takes no others
    ends = x.indptr.astype(np.int32)
    scaled = sparse.csc_array((entries, indices, ends), shape=x.shape)
    penalty = -ndtri(min(alarm, most / (2 * x.shape[1])))
    while True:
        # with columns of length 1, the candidate enters whose product with the weighted residual
        # exceeds the penalty
        lasso = Lasso(
            penalty / weight.sum(),
            positive=True,
            fit_intercept=others,
            tol=1e-6,
            max_iter=10_000,
        )
        lasso.fit(scaled, cells.y, sample_weight=weight)
        chosen: Bools = lasso.coef_ > 0
        if chosen.sum() <= most:
            return chosen
        penalty *= STEP


def _fit(
    cells: _Cells,
    others: bool,
    items: Sequence[Name],
    missed: bool,
) -> tuple[Floats, Floats]:
    """Shares and their standard errors by weighted least squares.

    `missed` says whether others may have people that were not chosen.
    """
    z = _with_others(cells.x, others)
    rank, apart = _rank(z)
    if rank < z.shape[1]:
        raise ValueError(_dependent([*items, "all others"], apart, rank, z.shape[1]))
    better = cells.each()
    for _ in range(2):
        weight = better
        inverse = np.linalg.inv((z.T @ (z * weight[:, None])).toarray())
        theta = inverse @ (z.T @ (weight * cells.y))
        fitted = z @ theta
        better = cells.weight(fitted)
    k = len(items)
    share = theta[:k]
    a = (z.tocsr() @ inverse[:, :k]) * weight[:, None]
    variance = _variance(cells, share, fitted, a)
    free = len(cells.y) - rank
    if cells.slots:
        free -= len(cells.people)  # the counts of slots sum to the reports
    if missed and free > 0:
        variance *= max(1, better @ (cells.y - fitted) ** 2 / free)
    return share, np.sqrt(np.maximum(variance, 0))


def _variance(cells: _Cells, share: Floats, fitted: Floats, a: Floats) -> Floats:
    """Variance of A y about these people, with A transposed, (cells, candidates)."""
    x = cells.x.tocsr()
    m = cells.mean(fitted)
    gap = cells.q - cells.p
    variance = np.zeros(len(share))
    for c, people in enumerate(cells.people):
        rows = slice(c * cells.width, (c + 1) * cells.width)
        own = a[rows].T
        squares = own**2
        if cells.slots:
            one = (squares @ m[rows] - (own @ m[rows]) ** 2) / gap**2
        else:
            one = squares @ cells.scatter(m[rows]) / gap**2
            # of bits of one value, each pair twice
            pairs = (x[rows].T @ own.T) ** 2 - x[rows].T @ squares.T
            one += share @ pairs - (own @ fitted[rows]) ** 2 + squares @ fitted[rows] ** 2
        variance += one / people
    return np.asarray(variance - share * (1 - share) / cells.n)


def _dependent(names: Sequence[Name], apart: Bools, rank: int, columns: int) -> str:
    """Say which candidates cannot be told apart."""
    same = [repr(name) for name, own in zip(names, apart, strict=False) if not own]
    some = ", ".join(same[:5])
    if len(same) > 5:
        some += ", …"
    dependent = f"{some} are linearly dependent: {columns} columns of rank {rank}"
    return f"items must be told apart by their cells, but {dependent}"
