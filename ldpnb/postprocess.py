r"""Make shares of an estimate: non-negative, with sum 1.

None of this costs privacy; most of it costs unbiasedness.  `norm` and `norm_sub` work on an
estimate; `maximum_likelihood` goes back to the counted reports, and needs to know how likely each
report is under each value: `channel` reads that off exact laws.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ldpnb.chance import Law
from ldpnb.checks import (
    apart,
    check_count,
    check_numbers,
    check_positive,
    is_number,
    percent,
    shown,
)
from ldpnb.core import Floats, Mechanism, Tally, blocks, check_tally

CELLS = 1 << 22  # entries of a stack of matrices in memory at a time
TARGET = 0.1  # each step aims at this part of the average θ_v z_v that is left
SHORT = 0.99  # part of the way to the boundary that a step may go


def norm(estimate: ArrayLike) -> Floats:
    """Add one constant to all items so that they sum to 1; entries may stay negative.

    Unbiased wherever the sum of the estimate is 1 on average: the constant has mean zero.

    Source: Wang, Lopuhaä-Zwakenberg, Li, Škorić and Li 2020 (Norm).

    Parameters
    ----------
    estimate : array_like of float (…, k)

    Returns
    -------
    ndarray (…, k)

    Raises
    ------
    ValueError
        If there are no items, or an entry is not a finite number.
    """
    x = _numbers(estimate, "estimate")
    return np.asarray(x + (1 - x.sum(-1, keepdims=True)) / x.shape[-1])


def norm_sub(estimate: ArrayLike) -> Floats:
    r"""Project onto the probability simplex: the nearest point of those with sum 1, none below 0.

    Nearest is meant in Euclidean distance.  It is :math:`\max(x_v - \tau, 0)` with the one τ for
    which the sum is 1: the items above τ are the j largest, for the last j whose smallest item lies
    above :math:`\tau_j = (x_{(1)} + \dots + x_{(j)} - 1)/j`.  A sort, O(k log k).

    The iteration that goes by the same name, "set negatives to zero, shift the positive ones so
    that the sum is 1, repeat", ends here whenever the positive items sum to S ≥ 1, as they do if
    the estimate sums to 1 or more: each shift :math:`\tau_j` is at most τ, so it only drops items
    that are zero here too.  If S < 1 it stops after one shift upwards, of the m positive items by
    (1−S)/m, and the result is this one if and only if all others are at most −(1−S)/m; with m = 0
    it has none.  Applied after `norm` it always ends here.

    Source: Wang, Lopuhaä-Zwakenberg, Li, Škorić and Li 2020 (Norm-Sub); Michelot 1986 (the
    iteration after `norm`).

    Parameters
    ----------
    estimate : array_like of float (…, k)

    Returns
    -------
    ndarray (…, k)

    Raises
    ------
    ValueError
        If there are no items, or an entry is not a finite number.
    """
    x = _numbers(estimate, "estimate")
    x = np.maximum(x - x.max(-1, keepdims=True), -1)  # changes nothing: τ is at least max − 1
    falling = -np.sort(-x, -1)
    tau = (falling.cumsum(-1) - 1) / np.arange(1, x.shape[-1] + 1)
    above = falling > tau  # true for a first stretch of items, then false
    last = above.sum(-1, keepdims=True) - 1
    return np.asarray(np.maximum(x - np.take_along_axis(tau, last, -1), 0))


def interval(
    tally: Tally,
    level: float = 0.95,
    *,
    people: bool = False,
    together: bool = False,
) -> tuple[Floats, Floats]:
    """Return confidence intervals of all entries of an estimate.

    These are shares, means, frequencies and products of keys.  Of shares that reports support or do
    not, exact ones where few reports support an item, and elsewhere those from which the estimate
    is not too far (score intervals, see `ldpnb.intervals`).  Of the mean of one number, the means
    from which the estimate is not too far.  Of others, a normal quantile times the standard error
    to both sides.

    Parameters
    ----------
    tally : Tally
        Of at least two reports; counts may have leading axes (trials).
    level : float in (0, 1)
        Probability of covering one entry, approached as n grows; of covering all at once, if
        `together` (Bonferroni).
    people : bool
        Whether the interval is about these people, and not about a population that they are a
        random sample of.
    together : bool
        Whether the level is that of all entries at once.

    Returns
    -------
    low, high : ndarray of the shape of the estimate
        Not cut at what is possible, but for exact ones about these people, which are shares that
        they can have.

    Raises
    ------
    ValueError
        If the level is not in (0, 1), or the mechanism has no standard errors of that kind.

    Examples
    --------
    >>> from ldpnb import GRR
    >>> oracle = GRR(k=3, epsilon=1.0)
    >>> people = np.repeat([0, 1, 2], [500, 300, 200])
    >>> tally = oracle.tally(oracle.perturb(people, rng=np.random.default_rng(0)))
    >>> [ends.round(2).tolist() for ends in interval(tally)]
    [[0.38, 0.24, 0.14], [0.55, 0.4, 0.29]]
    """
    mechanism = check_tally(tally, Mechanism, "a mechanism").mechanism
    low, high = mechanism.interval(tally, normal_quantile(level), people=people)
    if not together:
        return low, high
    trial = 1  # axes of what is counted in one trial
    if not tally.marginal:
        trial = len(mechanism._cells_of(tally.items))
    trials = tally.counts.ndim - trial
    entries = prod(low.shape[trials:])
    return mechanism.interval(tally, normal_quantile(level, entries), people=people)


def normal_quantile(level: float, entries: float = 1) -> float:
    """Return how many standard errors to both sides cover so many entries (Bonferroni).

    They are covered all at once with the probability `level`.
    """
    if not is_number(level) or not 0 < level < 1:
        cure = "" if level == 100 else percent(level)
        raise ValueError(f"level must be a number in (0, 1), got {shown(level)}{cure}")
    out = 1 - float(level)
    if not 0 < out < 1:
        rule = "level must be in (0, 1), and so must 1 − level as a float"
        raise ValueError(f"{rule}, got {shown(level)}")
    return -NormalDist().inv_cdf(out / (2 * entries))  # 1 − out might be 1 as a float


def channel(laws: Sequence[Law]) -> tuple[Floats, list[Hashable]]:
    """Write the laws of one report under each of k values as a matrix.

    Parameters
    ----------
    laws : list of dict {report: probability}
        As `ldpnb.verify.laws` returns them, one for each value.

    Returns
    -------
    matrix : ndarray (reports, k)
        Probability of each report under each value; columns sum to 1.
    reports : list
        What the rows stand for, in the order in which the laws name them.
    """
    if len(laws) == 0:
        raise ValueError("laws must be those of at least one value, got none")
    known: dict[Hashable, None] = {}
    for law in laws:
        known.update(dict.fromkeys(law))
    reports = list(known)
    rows = []
    for report in reports:
        rows.append([float(law.get(report, 0)) for law in laws])
    return np.array(rows), reports


@dataclass(frozen=True, eq=False)
class MLE:
    """Maximum-likelihood shares, and how far from the maximum they can be.

    Attributes
    ----------
    shares : ndarray (…, k)
    gap : float, or ndarray (…)
        The mean log-likelihood of a report, in nats, is at most this much below its maximum.
    steps : int
        Steps taken, by the table that took most.
    """

    shares: Floats
    gap: Any  # of one type or the other, as counts have leading axes or not
    steps: int


def maximum_likelihood(
    likelihood: ArrayLike,
    counts: ArrayLike,
    *,
    gap: float = 1e-9,
    steps: int = 100,
) -> MLE:
    r"""Find the shares under which the counted reports are likeliest.

    They are the weights of a mixture of known components.  With A the likelihood and w the counts
    over their sum, it maximises :math:`\ell(\theta) = \sum_r w_r \ln (A\theta)_r` over the simplex,
    to a certified gap.  For gradient :math:`g = A^\top(w/A\theta)` and any other shares θ',
    concavity of the logarithm (Jensen) and :math:`\ln x \le x - 1` give

    .. math:: \ell(\theta') - \ell(\theta) = \sum_r w_r \ln \frac{(A\theta')_r}{(A\theta)_r}
       \le \ln \sum_v \theta'_v g_v \le \max_v g_v - 1,

    which is zero at the maximum.  EM, :math:`\theta_v \leftarrow \theta_v g_v`, climbs to the same
    point, in many thousands of steps where ε is small.  Here a primal–dual interior-point method
    takes ten to twenty Newton steps, each O(reports k² + k³): it follows Aθ∘ν = w, θ∘z = μ,
    Aᵀν + z = 1 as μ falls, from uniform θ; ν and z are the dual variables.  Steps need not climb;
    the gap is that of the shares returned, computed from them, and holds up to rounding.

    Where several shares are likeliest, one near the middle of them is returned.  Shares that are
    zero at the maximum come out tiny, not zero.

    Source: the dual is Lindsay 1983; interior points for it, Koenker and Mizera 2014.

    Parameters
    ----------
    likelihood : array_like (reports, k)
        How likely each report is under each value, each row up to a factor of its own.
    counts : array_like (…, reports)
        How often each report came, not negative; leading axes run over tables that share the
        likelihood.  Where hardly two reports are alike, as with unary encoding or local hashing,
        let rows be people and counts be ones.
    gap : float
        Largest gap to accept.  Times the number of reports, it bounds what the log-likelihood of
        them all lacks.
    steps : int
        Most steps to take.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is negative or not finite, a table counts nothing, or a
        report was counted that no value can send.
    RuntimeError
        If `steps` are not enough.

    Examples
    --------
    >>> found = maximum_likelihood([[3, 1], [1, 3]], [55, 45])
    >>> found.shares.round(6), bool(found.gap <= 1e-9)
    (array([0.6, 0.4]), True)
    """
    a = _numbers(likelihood, "likelihood", least=0)
    n = _numbers(counts, "counts", least=0)
    gap = check_positive(gap, "gap")
    steps = check_count(steps, 1, "steps")
    if a.ndim != 2:
        rule = "likelihood must have 2 axes, reports and values"
        raise ValueError(f"{rule}, got shape {a.shape}")
    if n.shape[-1] != len(a):
        rule = f"counts must have one entry for each row of likelihood, {len(a)}"
        raise ValueError(f"{rule}, got shape {n.shape}")
    tables = n.reshape(-1, len(a))
    full = tables.any(1)
    if not full.all():
        rule = "counts must hold at least one report"
        raise ValueError(f"{rule}, got none in table {full.argmin()}")
    seen = tables.any(0)
    impossible = seen & ~a.any(1)
    if impossible.any():
        rule = "counts must be zero for reports that no value can send"
        raise ValueError(f"{rule}, but report {impossible.argmax()} came")
    a = a[seen]
    a = a / a.max(1, keepdims=True)
    w = tables[:, seen]
    w = w / tables.max(1, keepdims=True)  # in two steps: a sum could overflow
    w = w / w.sum(1, keepdims=True)
    block = max(1, CELLS // (a.shape[1] * max(a.shape)))
    solved = [_interior(a, w[part], gap, steps) for part in blocks(max(1, len(w)), block)]
    shares = np.concatenate([found.shares for found in solved])
    gaps = np.concatenate([found.gaps for found in solved])
    if np.any(gaps > gap):
        worst = int(gaps.argmax())
        most, left = apart(gap, float(gaps[worst]), 3)
        lack = f"steps = {steps} left a gap of {left} in table {worst}"
        raise RuntimeError(f"{lack}, above gap = {most}")
    lead = n.shape[:-1]
    return MLE(
        shares.reshape(*lead, a.shape[1]),
        gaps.reshape(lead)[()],
        max(found.steps for found in solved),
    )


class _Solved(NamedTuple):
    """Shares of a stack of tables."""

    shares: Floats  # (tables, k)
    gaps: Floats  # (tables,)
    steps: int


def _interior(a: Floats, w: Floats, gap: float, steps: int) -> _Solved:
    """Solve a stack of tables, (tables, reports) of sum 1 each; finished ones are set aside."""
    k = a.shape[1]
    shares = np.empty((len(w), k))
    gaps = np.empty(len(w))
    live = np.arange(len(w))
    theta = np.full((len(w), k), 1 / k)
    u, g = _gradient(a, w, theta)
    nu = w / u / (2 * g.max(1, keepdims=True))  # inside the dual's constraint Aᵀν ≤ 1, with slack z
    z = 1 - nu @ a
    for step in range(steps + 1):
        total = theta.sum(1, keepdims=True)  # 1 in the limit only
        shares[live] = theta / total
        gaps[live] = np.maximum((g * total).max(1) - 1, 0)
        more = gaps[live] > gap
        if not more.any() or step == steps:
            break
        live = live[more]
        w, theta, u, g, nu, z = (x[more] for x in (w, theta, u, g, nu, z))
        # Newton's equations, with dν and dz eliminated
        mu = TARGET * (theta * z).mean(1, keepdims=True)
        half = a.T * np.sqrt(nu / u)[:, None]
        # of AᵀDA; halves that are one array make the product at half the cost
        newton = half @ half.swapaxes(1, 2)
        diagonal = newton[:, range(k), range(k)]
        newton[:, range(k), range(k)] = diagonal * (1 + 1e-14) + z / theta  # never singular
        dtheta = np.linalg.solve(newton, (mu / theta + g - 1)[..., None])[..., 0]
        dnu = w / u - nu - nu / u * (dtheta @ a.T)
        dz = -dnu @ a
        theta = theta + _reach(theta, dtheta) * dtheta
        dual = np.minimum(_reach(nu, dnu), _reach(z, dz))
        nu = nu + dual * dnu
        z = z + dual * dz
        u, g = _gradient(a, w, theta)
    return _Solved(shares, gaps, step)


def _gradient(a: Floats, w: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """Aθ, and Aᵀ(w/Aθ)."""
    u = theta @ a.T
    return u, (w / u) @ a


def _reach(x: Floats, dx: Floats) -> Floats:
    """How far to go from x towards x + dx, at most all the way.

    What is positive stays so (zeros have dx = 0).
    """
    falls = np.max(-dx / np.where(x > 0, x, 1), 1, keepdims=True)
    return np.asarray(SHORT / np.maximum(falls, SHORT))


def _numbers(values: ArrayLike, name: str, least: float = -np.inf) -> Floats:
    """Return numbers that were checked, of at least one entry along the last axis."""
    numbers = check_numbers(values, name)
    if numbers.ndim == 0 or numbers.shape[-1] == 0:
        rule = f"{name} must have at least one entry along its last axis"
        raise ValueError(f"{rule}, got shape {numbers.shape}")
    if np.any(numbers < least):
        raise ValueError(f"{name} must not be negative, got {numbers.min()}")
    return numbers
