r"""What a server makes of noisy tables of attributes.

Tables that agree with each other, and a distribution over whole records.  A set of attributes is an
increasing tuple of their numbers; its table has one axis per attribute, in that order.  None of
this costs privacy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.attributes.records import Set, Sets
from ldpnb.checks import apart, check_count, check_numbers, check_positive, shown
from ldpnb.core import Floats, Ints
from ldpnb.kernels import fwht
from ldpnb.postprocess import norm_sub

ATTRIBUTES_MAX = 20  # of a maximum-entropy fit, whose 2**d cells are all written down
STEPS_MAX = 100_000  # of a projection


# ------------------------------------------------------------------------- tables that agree


def consistent(
    sets: Sets,
    tables: Sequence[ArrayLike],
    people: ArrayLike,
    *,
    tolerance: float = 1e-9,
) -> list[Floats]:
    r"""Make tables of pairs non-negative, with the same marginals wherever they share an attribute.

    1. The marginal of an attribute is the mean over the tables that contain it, weighted by
       `people` (for all pairs from `Blocks.tables` that is the pooled one-way table), projected
       onto the simplex by `norm_sub`.
    2. Each table is replaced by the nearest non-negative one, in Euclidean distance, with these
       two marginals.

    For two binary attributes the tables with given marginals lie on a line, and the nearest one is
    found by clipping its last cell to the Fréchet bounds :math:`\max(0, f_a+f_b-1)` and
    :math:`\min(f_a, f_b)`.  Otherwise negative cells are set to zero and marginals restored in
    turn, with Dykstra's correction, until all agree to the tolerance.

    Source: averaging as in Zhang et al. 2018; Boyle and Dykstra 1986 for the projection.

    Parameters
    ----------
    sets : list of tuple of int
        Pairs of attributes; single ones may be among them, count for the mean, and come back as
        the marginal.
    tables : list of array_like
    people : array_like (sets,)
        Positive weights, as in `blocks.Pooled`.
    tolerance : float

    Raises
    ------
    ValueError
        If a set is neither a pair nor single, or shapes do not fit.
    RuntimeError
        If marginals do not agree after 100,000 rounds.
    """
    noisy = [check_numbers(table, "tables") for table in tables]
    weights = check_numbers(people, "people")
    if not weights.shape == (len(sets),) == (len(noisy),) or not np.all(weights > 0):
        rule = "people must be positive, one for each set and table"
        raise ValueError(f"{rule}, got {shown(people)}")
    axes = [table.ndim for table in noisy]
    if axes != [len(s) for s in sets] or not {*axes} <= {1, 2}:
        rule = "tables must be of pairs or single attributes, with an axis for each attribute"
        raise ValueError(f"{rule}, got {axes} axes")
    shared = _mean_marginals(sets, noisy, weights)
    found = []
    for s, table in zip(sets, noisy, strict=True):
        if len(s) == 1:
            found.append(shared[s[0]])
        else:
            found.append(_nearest(table, shared[s[0]], shared[s[1]], tolerance))
    return found


def _mean_marginals(sets: Sets, tables: Sequence[Floats], weights: Floats) -> dict[int, Floats]:
    """Return the mean marginal of each attribute over its tables, on the simplex."""
    marginals: dict[int, list[Floats]] = {}
    worth: dict[int, list[float]] = {}
    for s, table, weight in zip(sets, tables, weights, strict=True):
        for axis, j in enumerate(s):
            others = tuple(i for i in range(len(s)) if i != axis)
            marginals.setdefault(j, []).append(table.sum(others))
            worth.setdefault(j, []).append(weight)
    shared = {}
    for j, each in marginals.items():
        values = {len(marginal) for marginal in each}
        if len(values) > 1:
            rule = f"tables must agree on the number of values of attribute {j}"
            raise ValueError(f"{rule}, got {sorted(values)}")
        total = np.zeros(len(each[0]))
        for marginal, weight in zip(each, worth[j], strict=True):
            total = total + marginal * weight
        shared[j] = norm_sub(total / sum(worth[j]))
    return shared


def _nearest(table: Floats, a: Floats, b: Floats, tolerance: float) -> Floats:
    """Project a table (κ_a, κ_b) on the non-negative ones with these two marginals."""
    x = _restored(table, a, b)
    if x.shape == (2, 2):
        last = np.clip(x[1, 1], max(0, a[1] - b[0]), min(a[1], b[1]))
        cells = [[b[0] - a[1] + last, b[1] - last], [a[1] - last, last]]
        return np.maximum(cells, 0)  # against rounding
    correction = np.zeros_like(x)
    for _ in range(STEPS_MAX):
        positive = np.maximum(x + correction, 0)
        off_rows = np.abs(positive.sum(1) - a).max()
        off_columns = np.abs(positive.sum(0) - b).max()
        off = max(off_rows, off_columns)
        if off <= tolerance:
            return positive
        correction = x + correction - positive
        x = _restored(positive, a, b)
    most, left = apart(tolerance, float(off), 3)
    raise RuntimeError(f"marginals still differ by {left}, more than tolerance = {most}")


def _restored(x: Floats, a: Floats, b: Floats) -> Floats:
    """Return the nearest table with these marginals, whose cells may be negative."""
    rows = (a - x.sum(1)) / x.shape[1]
    columns = (b - x.sum(0)) / x.shape[0]
    return np.asarray(x + rows[:, None] + columns - rows.mean())  # both have the change of the sum


# ------------------------------------------------------------------------- maximum entropy


@dataclass(frozen=True, eq=False)
class MaxEntropy:
    """A distribution over the records of d binary attributes.

    Attributes
    ----------
    probabilities : ndarray (2**d,)
        Of all records in lexicographic order: attribute 0 is the highest binary digit.
    gap : float
        The objective is at most this much below its maximum, in nats.
    """

    probabilities: Floats
    gap: float

    def sample(self, n: int, rng: np.random.Generator) -> Ints:
        """Draw n records, (n, d): on the server, from what is public."""
        cells = len(self.probabilities)
        number = rng.choice(cells, check_count(n, 1, "n"), p=self.probabilities)
        digits = np.arange(cells.bit_length() - 1)[::-1]
        return np.asarray(number[:, None] >> digits & 1, np.int64)


def max_entropy(
    d: int,
    sets: Sets,
    parities: ArrayLike,
    variances: ArrayLike,
    *,
    penalty: float = 10.0,
) -> MaxEntropy:
    r"""Fit the distribution of most entropy to noisy parities of sets of d ≤ 20 binary attributes.

    For parities :math:`\chi_S(x) = \prod_{j\in S} (-1)^{x_j}` with noisy means :math:`m_S` of
    variance :math:`\sigma_S^2`, it is :math:`p(x) \propto \exp \sum_S \theta_S \chi_S(x)` with the
    θ that maximises

    .. math:: \sum_S \theta_S m_S - \ln \sum_x e^{\sum_S \theta_S \chi_S(x)}
       - \frac\lambda2 \sum_S \sigma_S^2 \theta_S^2 .

    The same p has the largest entropy less
    :math:`\sum_S (\mathrm E_p \chi_S - m_S)^2/(2\lambda\sigma_S^2)`, and
    :math:`m_S - \mathrm E_p \chi_S = \lambda \sigma_S^2 \theta_S`: the larger λ, the more is taken
    for noise, and the more strong relations are pulled towards independence.  Single attributes
    and all pairs make the pairwise (Ising) model.  One fast Walsh–Hadamard transform gives all
    exponents, one all means, O(2**d d) each.  The objective bends by at least
    :math:`\lambda\sigma_S^2` along each θ_S, so with gradient γ it is at most
    :math:`\sum_S \gamma_S^2/(2\lambda\sigma_S^2)` below its maximum: the `gap`.

    Source: tables joined by maximum entropy, Zhang et al. 2018; the penalty, Dudík, Phillips and
    Schapire 2007.

    Parameters
    ----------
    d : int in [1, 20]
    sets : list of tuple of int
    parities : array_like (sets,)
        As of `blocks.Pooled`.
    variances : array_like (sets,)
        Positive: 1/people of `blocks.Pooled`.
    penalty : float
        λ, positive.
    """
    from scipy.optimize import minimize

    sets = check_sets(sets, check_count(d, 1, "d", ATTRIBUTES_MAX))
    m = check_numbers(parities, "parities")
    noise = check_numbers(variances, "variances")
    if not sets or len(set(sets)) < len(sets):
        raise ValueError(f"sets must be distinct, at least one, got {sets}")
    if m.shape != (len(sets),):
        raise ValueError(f"parities must be finite numbers, one for each set, got shape {m.shape}")
    if noise.shape != m.shape or not np.all(noise > 0):
        rule = "variances must be positive numbers, one for each set"
        raise ValueError(f"{rule}, got {shown(variances)}")
    at = np.array([_place(s, d) for s in sets])
    ridge = check_positive(penalty, "penalty") * noise

    def distribution(theta: Floats) -> tuple[float, Floats]:
        coefficients = np.zeros(1 << d)
        coefficients[at] = theta
        exponent = fwht(coefficients)
        top = exponent.max()
        p = np.exp(exponent - top)
        return float(top + np.log(p.sum())), np.asarray(p / p.sum())

    def loss(theta: Floats) -> tuple[float, Floats]:
        log_sum, p = distribution(theta)
        value = float(log_sum - theta @ m + ridge @ theta**2 / 2)
        return value, np.asarray(fwht(p)[at] - m + ridge * theta)

    start = np.zeros(len(sets))
    theta = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9},
    ).x
    _, p = distribution(theta)
    _, gradient = loss(theta)
    return MaxEntropy(p, float(np.sum(gradient**2 / (2 * ridge))))


def _place(s: Set, d: int) -> int:
    """Return the place of a set's parity in a transform: a binary digit for each attribute."""
    return sum(1 << (d - 1 - j) for j in s)


# ------------------------------------------------------------------------- sets of attributes


def check_sets(sets: Iterable[Iterable[int]], d: int | None, name: str = "sets") -> list[Set]:
    """Return sets of attributes: increasing tuples of numbers below d, of any if d is None."""
    most = 2**63 - 1
    below = ""
    if d is not None:
        most = d - 1
        below = f" below {d}"
    if not isinstance(sets, Iterable):
        sets = [sets]
    found = []
    for one in sets:
        try:
            s = tuple(check_count(j, 0, name, most) for j in one)
        except (TypeError, ValueError):
            s = ()
        if not s or list(s) != sorted(set(s)):
            rule = f"{name} must be of increasing attribute numbers{below}, at least one"
            raise ValueError(f"{rule}, got {shown(one)}")
        found.append(s)
    return found


def check_edge(pair: Iterable[int], d: int, name: str) -> Set:
    """Return a pair of different attributes below d, in either order."""
    try:
        i, j = pair
        check_sets([sorted(pair)], d)
    except (TypeError, ValueError):
        rule = f"{name} must be pairs of different attributes in [0, {d})"
        raise ValueError(f"{rule}, got {shown(pair)}") from None
    return i, j
