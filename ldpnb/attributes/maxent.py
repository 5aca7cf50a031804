r"""What a server makes of noisy tables of attributes: ones that agree, and a distribution over whole records.

A set of attributes is an increasing tuple of their numbers; its table has one axis an attribute, in that order.
None of this costs privacy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.attributes.records import Set, Sets
from ldpnb.checks import apart, check_count, check_numbers, check_positive, shown
from ldpnb.core import Floats, Ints
from ldpnb.kernels import fwht
from ldpnb.postprocess import norm_sub

ATTRIBUTES_MAX = 20  # of a maximum-entropy fit, whose 2**d cells are all written down
STEPS_MAX = 100_000  # of a projection


def consistent(sets: Sets, tables: Sequence[ArrayLike], people: ArrayLike, *, tolerance: float = 1e-9) -> list[Floats]:
    r"""Make tables of pairs non-negative, with the same one-way marginals wherever they share an attribute.

    1. The marginal of an attribute is the mean over the tables that contain it, weighted by `people` (for all pairs
       from `Blocks.tables` that is the pooled one-way table), projected onto the simplex by `norm_sub`.
    2. Each table is replaced by the nearest non-negative one, in Euclidean distance, with these two marginals.

    For two binary attributes the tables with given marginals lie on a line, and the nearest one is found by clipping
    its last cell to the Fréchet bounds :math:`\max(0, f_a+f_b-1)` and :math:`\min(f_a, f_b)`.  Otherwise negative cells
    are set to zero and marginals restored in turn, with Dykstra's correction, until all agree to the tolerance.

    Source: averaging as in Zhang et al. 2018; Boyle and Dykstra 1986 for the projection.

    Parameters
    ----------
    sets : list of tuple of int
        Pairs of attributes; single ones may be among them, count for the mean, and come back as the marginal.
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
    noisy, weights = [check_numbers(x, "tables") for x in tables], check_numbers(people, "people")
    if not weights.shape == (len(sets),) == (len(noisy),) or not np.all(weights > 0):
        raise ValueError(f"people must be positive, one a set and a table, got {shown(people)}")
    axes = [x.ndim for x in noisy]
    if axes != [len(s) for s in sets] or not {*axes} <= {1, 2}:
        raise ValueError(f"tables must be of pairs or single attributes, with an axis an attribute, got {axes} axes")
    marginals: dict[int, list[Any]] = {}
    for s, x, weight in zip(sets, noisy, weights, strict=True):
        for axis, j in enumerate(s):
            marginals.setdefault(j, []).append((x.sum(1 - axis) if len(s) == 2 else x, weight))
    for j, each in marginals.items():
        if len(values := {len(x) for x, _ in each}) > 1:
            raise ValueError(f"tables must agree on the number of values of attribute {j}, got {sorted(values)}")
    shared = {j: norm_sub(sum(x * w for x, w in each) / sum(w for _, w in each)) for j, each in marginals.items()}
    parts = zip(sets, noisy, strict=True)
    return [shared[s[0]] if len(s) == 1 else _nearest(x, shared[s[0]], shared[s[1]], tolerance) for s, x in parts]


def _nearest(x: Floats, a: Floats, b: Floats, tolerance: float) -> Floats:
    """Project a table (κ_a, κ_b) on the non-negative ones with these two marginals."""

    def restored(x: Floats) -> Floats:
        rows, columns = (a - x.sum(1)) / x.shape[1], (b - x.sum(0)) / x.shape[0]
        return np.asarray(x + rows[:, None] + columns - rows.mean())  # the change of the sum is in both

    x, correction = restored(x), np.zeros_like(x)
    if x.shape == (2, 2):
        last = np.clip(x[1, 1], max(0, a[1] - b[0]), min(a[1], b[1]))
        return np.maximum([[b[0] - a[1] + last, b[1] - last], [a[1] - last, last]], 0)  # against rounding
    for _ in range(STEPS_MAX):
        positive = np.maximum(x + correction, 0)
        off = max(np.abs(positive.sum(1) - a).max(), np.abs(positive.sum(0) - b).max())
        if off <= tolerance:
            return positive
        correction, x = x + correction - positive, restored(positive)
    most, left = apart(tolerance, float(off), 3)
    raise RuntimeError(f"marginals still differ by {left}, more than tolerance = {most}")


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
        digits = np.arange(len(self.probabilities).bit_length() - 1)[::-1]
        cells = rng.choice(len(self.probabilities), check_count(n, 1, "n"), p=self.probabilities)
        return np.asarray(cells[:, None] >> digits & 1, np.int64)


def max_entropy(d: int, sets: Sets, parities: ArrayLike, variances: ArrayLike, *, penalty: float = 10.0) -> MaxEntropy:
    r"""Fit the distribution of most entropy to noisy parities of sets of d ≤ 20 binary attributes.

    For parities :math:`\chi_S(x) = \prod_{j\in S} (-1)^{x_j}` with noisy means :math:`m_S` of variance
    :math:`\sigma_S^2`, it is :math:`p(x) \propto \exp \sum_S \theta_S \chi_S(x)` with the θ that maximises

    .. math:: \sum_S \theta_S m_S - \ln \sum_x e^{\sum_S \theta_S \chi_S(x)}
       - \frac\lambda2 \sum_S \sigma_S^2 \theta_S^2 .

    The same p has the largest entropy less :math:`\sum_S (\mathrm E_p \chi_S - m_S)^2/(2\lambda\sigma_S^2)`, and
    :math:`m_S - \mathrm E_p \chi_S = \lambda \sigma_S^2 \theta_S`: the larger λ, the more is taken for noise, and the
    more strong relations are pulled towards independence.  Single attributes and all pairs make the pairwise (Ising)
    model.  One fast Walsh–Hadamard transform gives all exponents, one all means, O(2**d d) each.  The objective bends
    by at least :math:`\lambda\sigma_S^2` along each θ_S, so with
    gradient γ it is at most :math:`\sum_S \gamma_S^2/(2\lambda\sigma_S^2)` below its maximum: the `gap`.

    Source: tables joined by maximum entropy, Zhang et al. 2018; the penalty, Dudík, Phillips and Schapire 2007.

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
    m, noise = check_numbers(parities, "parities"), check_numbers(variances, "variances")
    if not sets or len(set(sets)) < len(sets):
        raise ValueError(f"sets must be distinct, at least one, got {sets}")
    if m.shape != (len(sets),):
        raise ValueError(f"parities must be finite numbers, one a set, got shape {m.shape}")
    if noise.shape != m.shape or not np.all(noise > 0):
        raise ValueError(f"variances must be positive numbers, one a set, got {shown(variances)}")
    at = np.array([sum(1 << (d - 1 - j) for j in s) for s in sets])
    ridge, coefficients = check_positive(penalty, "penalty") * noise, np.zeros(1 << d)

    def distribution(theta: Floats) -> tuple[float, Floats]:
        coefficients[at] = theta
        exponent = fwht(coefficients)
        top = exponent.max()
        p = np.exp(exponent - top)
        return float(top + np.log(p.sum())), np.asarray(p / p.sum())

    def loss(theta: Floats) -> tuple[float, Floats]:
        log_sum, p = distribution(theta)
        return float(log_sum - theta @ m + ridge @ theta**2 / 2), np.asarray(fwht(p)[at] - m + ridge * theta)

    theta = minimize(loss, np.zeros(len(sets)), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-9}).x
    return MaxEntropy(distribution(theta)[1], float(np.sum(loss(theta)[1] ** 2 / (2 * ridge))))


def check_sets(sets: Iterable[Iterable[int]], d: int | None, name: str = "sets") -> list[Set]:
    """Return sets of attributes, increasing tuples of numbers below d (of any numbers if d is None)."""
    found, most, below = [], 2**63 - 1 if d is None else d - 1, "" if d is None else f" below {d}"
    for one in sets if isinstance(sets, Iterable) else [sets]:
        try:
            s = tuple(check_count(j, 0, name, most) for j in one)
        except (TypeError, ValueError):
            s = ()
        if not s or list(s) != sorted(set(s)):
            raise ValueError(f"{name} must be of increasing attribute numbers{below}, at least one, got {shown(one)}")
        found.append(s)
    return found


def check_edge(pair: Any, d: int, name: str) -> Set:
    """Return a pair of different attributes below d, in either order."""
    try:
        i, j = pair
        check_sets([sorted(pair)], d)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be pairs of different attributes in [0, {d}), got {shown(pair)}") from None
    return i, j
