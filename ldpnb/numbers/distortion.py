r"""The channel that loses least at a given ε, by linear programming, with a proof of how little any other could lose.

A report y stands for a value x at a loss :math:`L_{xy}`; the distortion of a channel Q is its expected loss.  Where the
source P is known, the channel may be fitted to it; where it is only known to lie in a class, the worst of the class
counts.

A solver's answer is an opinion until it is checked.  Here `within` makes its channel keep ε exactly, and its dual
solution is turned into a bound that no channel of this ε is below.  Both are evaluated in rational numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, nextafter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ldpnb.chance import odds
from ldpnb.checks import (
    EPSILON_MAX,
    EPSILON_MIN,
    apart,
    check_array,
    check_count,
    check_epsilon,
    check_positive,
    in_full,
    is_number,
    shown,
)
from ldpnb.core import Floats
from ldpnb.oracles.matrix import MatrixMechanism, check_grid, distributions, fractions, within

TOLERANCE = 1e-10  # the least that HiGHS takes
PRECISE: Any = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
GAP = 1e-6  # a channel that may be farther above the bound than this part of the range of losses is not returned
BIAS = 1e-6  # nor one that is biased by more than this part of the range of outputs
GRID, ROUNDS, CLOSE = 33, 50, 1e-9  # points to start from, times to add some, and when to stop: `optimise_points`
TIE = 1e-12  # a distortion is reached if it is but for this part: decimal fractions are not exact
NEVER = 1e-12  # reports of less chance than this are the solver's rounding

Means = tuple[Floats, Floats] | None  # where a channel must be unbiased, its inputs and outputs


@dataclass(frozen=True, eq=False)
class Optimum:
    """A channel, and how far from the best one it can be.

    Attributes
    ----------
    channel : ndarray (k, m)
        Its exact ε is at most `epsilon`; rows are taken over their exact sums, as in `MatrixMechanism`.
    epsilon : float
        What was asked; for `least_epsilon`, what is enough.
    distortion : float
        Expected loss of this channel under the worst of the sources, rounded up.
    bound : float
        No channel of this ε has a distortion below this, so that ``distortion - bound`` is a proved gap.  For
        `optimise_points`, none to any number of points, wherever they are.
    source : ndarray (k,)
        The source under which the bound was proved: the given one, or a mixture of the class under which every
        channel loses as much (there may be others).
    prices : ndarray (k,)
        The numbers λ of the proof; see `least_distortion`.
    bias : float
        Largest distance of Σ_y Q_xy outputs_y from inputs_x, where the channel was asked to be unbiased; else 0.
        It is the solver's rounding; the bound is on channels without any, to these outputs and no others.
    short : float or None
        For `least_epsilon`, an ε proved to be too small; None where 0 is enough.
    """

    channel: Floats
    epsilon: float
    distortion: float
    bound: float
    source: Floats
    prices: Floats
    bias: float = 0.0
    short: float | None = None

    def mechanism(self, scores: ArrayLike | None = None) -> MatrixMechanism:
        """Return the channel as a client; `scores` (m, t) are what the server adds, by default the identity."""
        return MatrixMechanism(channel=self.channel, scores=scores)


def least_distortion(
    loss: ArrayLike,
    epsilon: float,
    sources: ArrayLike | None = None,
    *,
    unbiased: tuple[ArrayLike, ArrayLike] | None = None,
) -> Optimum:
    r"""Find the channel of least distortion among those of ε, to a certified gap.

    With :math:`a = e^{-\varepsilon}` and :math:`v_y` for the largest entry of column y, a channel keeps ε if and only
    if :math:`a v_y \le Q_{xy} \le v_y`: k m inequalities instead of the k² m ratios.  In the variables of

    .. math:: Q_{xy} = a v_y + (1-a) t_{xy}, \qquad 0 \le t_{xy} \le v_y,

    which are well scaled from ε = 0 to large ε, the least of :math:`\max_j \sum_{x,y} P_j(x) L_{xy} Q_{xy}` is a linear
    program, and HiGHS solves it.

    **The bound.**  Let p be any mixture of the sources, λ any numbers a row (and ν, where the channel must be unbiased;
    else 0), and :math:`c_{xy} = p_x L_{xy} - \lambda_x - \nu_x o_y`.  Rows sum to 1 and have mean :math:`i_x`, so that
    every channel of the problem has

    .. math:: \max_j \sum_{x,y} P_j(x) L_{xy} Q_{xy} &\ge \sum_{x,y} p_x L_{xy} Q_{xy} \\
       &= \sum_x (\lambda_x + \nu_x i_x) + \sum_{x,y} c_{xy} Q_{xy} \\
       &\ge \sum_x (\lambda_x + \nu_x i_x) + \sum_y v_y h_y, \\
       h_y &= a \sum_x c_{xy}^+ - \sum_x c_{xy}^-,

    and :math:`v_y \le 1`, :math:`1 \le \sum_y v_y \le e^\varepsilon`.  The dual program is to make the first sum
    largest subject to :math:`h_y \ge 0`.  A solver's λ, ν and p violate that by a little; what the last sum is at
    least, under the limits on v, is what repairing them costs.  It is found by filling v from the smallest
    :math:`h_y` up, in rational numbers, so that the bound is valid whatever the solver did.

    At large ε only the absolute gap stays small: from ε about 20 on, e^−ε is below what HiGHS distinguishes from 0
    (1e-9), and distortions of that order are known to within a gap of that order only.

    **The least distortion as a function of ε** falls or stays, since the channels of a smaller ε are among those of a
    larger one.  For one source (and no `unbiased`) it is a concave function of a: scaling the parts of an optimal
    channel as :math:`v_y (a' + (1-a') w_{xy}) / N(a')`, with :math:`w = t/v` and one N for all rows, as
    :math:`\sum_y t_{xy}` is the same for all, gives channels for all other a' whose distortion is a ratio of linear
    functions with N growing in a'; it does not fall with a', as that would contradict the first sentence; and such
    a ratio is concave.  So a concave curve touches it from above at every point.  Hence it may be flat from ε = 0 on,
    but once it has begun to fall it never rests, and it is convex neither in ε nor in e^ε.  For a class, nothing of
    the kind holds but the first sentence.

    Source: ye2018 §4.3 (Compression), after Xiong, Sarwate and Mandayam 2016, who bisect over feasibility.

    Parameters
    ----------
    loss : array_like of float (k, m)
        What it costs to report y for x.
    epsilon : float
        0, or in [EPSILON_MIN, EPSILON_MAX].  At 0 all rows are one.
    sources : array_like of float (k,) or (s, k), optional
        One source, or the extreme points of a class of them; by default every source, so that the row of largest
        expected loss counts.
    unbiased : (inputs, outputs), optional
        Arrays (k,) and (m,): the channel must also keep :math:`\sum_y Q_{xy} o_y = i_x`.  With loss
        :math:`(o_y - i_x)^2` the distortion is the least worst-case variance of an unbiased estimate on this grid.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, a source is not a distribution, or no channel of this ε is
        unbiased.
    RuntimeError
        If the solver gives up, or the certified gap is over 1e-6 of the range of the losses.

    Examples
    --------
    >>> found = least_distortion([[0, 1], [1, 0]], np.log(3))
    >>> found.channel.round(9).tolist(), round(found.distortion, 9), bool(found.distortion - found.bound < 1e-9)
    ([[0.75, 0.25], [0.25, 0.75]], 0.25, True)
    """
    losses, epsilon = check_grid(loss, "loss", 2), _zero_or(check_epsilon, epsilon, "epsilon")
    class_ = _sources(sources, len(losses))
    if unbiased is None:
        return _solve(losses, epsilon, class_)
    if not isinstance(unbiased, tuple) or len(unbiased) != 2:
        raise ValueError(f"unbiased must be a pair (inputs, outputs), got {shown(unbiased)}")
    inputs, outputs = (check_grid(part, name, 1) for part, name in zip(unbiased, ("inputs", "outputs"), strict=True))
    if (given := (len(inputs), len(outputs))) != losses.shape:
        raise ValueError(f"unbiased must hold an input a row and an output a column, {losses.shape}, got {given}")
    return _solve(losses, epsilon, class_, (inputs, outputs))


def least_epsilon(
    loss: ArrayLike, distortion: float, sources: ArrayLike | None = None, *, width: float = 1e-6
) -> Optimum:
    """Find the least ε at which a channel has at most this distortion, by bisection, proved from both ends.

    The channel returned has an exact ε of at most `epsilon`, and a distortion of at most the given one: enough.  At
    `short` the bound of `least_distortion` is above the given distortion: too small, and so is every ε below, because
    the channels of a smaller ε are among those of a larger one.  Where one report for all is good enough, ε is 0.

    The least distortion may stay the same from ε = 0 up to some ε and fall from there, so that rounding could decide
    between the two: a distortion counts as reached if it is but for a part of 1e-12.

    Source: ye2018 §4.3.

    Parameters
    ----------
    loss, sources
        As for `least_distortion`.
    distortion : float
        Not negative.
    width : float
        What ``epsilon - short`` should be at most.  It is more where the distortion hardly changes with ε, as at
        large ε: then the gap of the solver is what limits it.

    Raises
    ------
    ValueError
        If no channel of ε up to EPSILON_MAX has so small a distortion.
    """
    losses = check_grid(loss, "loss", 2)
    class_ = _sources(sources, len(losses))
    distortion, width = _zero_or(check_positive, distortion, "distortion"), check_positive(width, "width")
    best = _solve(losses, 0.0, class_)
    limit = distortion * (1 + TIE)
    if best.distortion <= limit:
        return best
    low, best = 0.0, _solve(losses, EPSILON_MAX, class_)
    if best.distortion > limit:
        least = f"{in_full(best.distortion)}, which a channel of epsilon = {EPSILON_MAX:g} reaches"
        raise ValueError(f"distortion must be at least {least}, got {distortion}")
    while best.epsilon - low > width / 2 and (middle := max((low + best.epsilon) / 2, EPSILON_MIN)) < best.epsilon:
        found = _solve(losses, middle, class_)
        low, best = (low, found) if found.distortion <= limit else (middle, best)
    step, short = width, best.epsilon
    while short > 0:  # down from there to an ε that is too small for certain: mostly the first one
        short = best.epsilon - step if best.epsilon - step >= EPSILON_MIN else 0.0
        if _solve(losses, short, class_).bound > limit:
            return replace(best, short=short)
        step *= 2
    return best  # within the gap of the solver, 0 is enough


def optimise_points(
    letters: ArrayLike, epsilon: float, m: int, source: ArrayLike, *, starts: int, rng: np.random.Generator
) -> tuple[Floats, Optimum]:
    r"""Find m points and a channel to them with a small mean square error: the best found, not the best there is.

    Alternates between the best channel for the points, a linear program, and the best points for the channel, each
    the mean of the letters reported as it.  Neither step ever loses; where both stop is a local minimum.

    What any other points could save is bounded all the same.  A column of a channel is :math:`v w` with v its largest
    entry and w in :math:`[a, 1]^k`, :math:`a = e^{-\varepsilon}`; with its own best point it costs v times
    :math:`f(w) = \min_z \sum_x P_x (x-z)^2 w_x`.  For any numbers λ, a channel to any number of points has, as in
    `least_distortion`, at least :math:`\sum_x \lambda_x + \sum_y v_y \min_w (f(w) - \sum_x \lambda_x w_x)`.  For each
    z the best w is 1 where :math:`P_x (x-z)^2 < \lambda_x` and a elsewhere: at most 2k + 1 patterns as z moves, and so
    the minimum is found by looking at these.  Good λ are the dual prices for a grid of points, to which the best
    points for the patterns that save something are added until none does.  A best mixture of patterns needs no more
    of them than there are rows, k, so that :math:`\sum_y v_y \le \min(k, e^\varepsilon)`.  This bound holds up to
    rounding.

    Source: ye2018 §4.3 leaves the points open; that columns of two heights are enough, Kairouz, Oh and Viswanath 2016.

    Parameters
    ----------
    letters : array_like of float (k,)
    epsilon : float
        As for `least_distortion`.
    m : int
        Number of points.
    source : array_like of float (k,)
    starts : int
        Number of random starting points, uniform over the range of the letters.
    rng : numpy.random.Generator

    Returns
    -------
    points : ndarray (m,)
        In ascending order; those that are never reported are where they started.
    Optimum
        The bound is one for all points: where it is met, more points or others do not help.
    """
    x, epsilon = check_grid(letters, "letters", 1), _zero_or(check_epsilon, epsilon, "epsilon")
    m, p = check_count(m, 1, "m"), _sources(source, len(x))
    if len(p) != 1:
        raise ValueError(f"source must be a single one, (k,), got {len(p)} of them")
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {shown(rng)}")
    tried: list[tuple[Floats, Optimum]] = []
    for _ in range(check_count(starts, 1, "starts")):
        points = np.sort(rng.uniform(x.min(), x.max(), m))
        found = _solve(np.square(points - x[:, None]), epsilon, p)
        for _ in range(200):
            joint = p[0][:, None] * found.channel
            mass = joint.sum(0)
            points = np.sort(np.where(mass > 0, x @ joint / np.where(mass > 0, mass, 1), points))
            last, found = found, _solve(np.square(points - x[:, None]), epsilon, p)
            if found.distortion >= last.distortion - 1e-12 * np.ptp(x) ** 2:
                break
        tried.append((points, found))
    points, found = min(tried, key=lambda one: one[1].distortion)
    return points, replace(found, bound=min(_anywhere(x, p[0] / p[0].sum(), epsilon), found.distortion))


def _anywhere(x: Floats, p: Floats, epsilon: float) -> float:
    """Lower bound on the mean square error of any channel of this ε to any points; see `optimise_points`."""
    k, a, scale = len(x), exp(-epsilon), np.ptp(x) or 1.0
    x = (x - x.min()) / scale
    points, best = np.unique(np.concatenate([np.linspace(0, 1, GRID), x])), 0.0
    for _ in range(ROUNDS):
        found = _solve(np.square(points - x[:, None]), epsilon, p[None])
        reach = np.sqrt(np.maximum(found.prices, 0) / np.where(p > 0, p, 1))
        ends = np.sort(np.concatenate([[-1.0], x - reach, x + reach, [2.0]]))  # best points are between 0 and 1
        middle = (ends[1:] + ends[:-1]) / 2
        w = np.unique(np.where(p * np.square(x - middle[:, None]) < found.prices, 1.0, a), axis=0)
        means = w @ (p * x) / (w @ p)
        spare = (w * (p * np.square(x - means[:, None]) - found.prices)).sum(1)
        best = max(best, float(found.prices.sum() + (min(k, exp(epsilon)) if spare.min() < 0 else 1) * spare.min()))
        if found.distortion - best < CLOSE:
            break
        points = np.unique(np.concatenate([points, means[spare < 0]]))
    return best * scale**2


def hamming_epsilon(k: int, delta: float) -> float:
    r"""Least ε at which k letters can be reported with a chance of error of at most δ, whatever the source.

    .. math:: \varepsilon = \ln(k-1) + \ln\frac{1-\delta}{\delta},

    attained by k-ary randomized response; 0 at δ = (k−1)/k, where the report says nothing.

    Source: ye2018 §4.3 (Distortion), after Sarwate and Sankar 2014.

    Parameters
    ----------
    k : int, at least 2
    delta : float in (0, (k−1)/k]
    """
    k, delta = check_count(k, 2, "k"), check_positive(delta, "delta")
    if delta > (k - 1) / k:
        raise ValueError(f"delta must be in (0, (k-1)/k] = (0, {in_full((k - 1) / k)}], got {in_full(delta)}")
    return max(0.0, log(k - 1) + log1p(-delta) - log(delta))


def hamming_distortion(k: int, epsilon: float) -> float:
    r"""Least chance of error for k letters at ε, whatever the source: :math:`(k-1)/(k-1+e^\varepsilon)`.

    For one known source it is :math:`1 - \max_j P_{(1..j)}\, e^\varepsilon/(e^\varepsilon+j-1)`, with the j likeliest
    letters: randomized response among these.  The two agree where j = k is best, as it is for the uniform source.

    Source: ye2018 §4.3 (Distortion), solved for δ.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float, not negative
    """
    k, epsilon = check_count(k, 2, "k"), _zero_or(check_positive, epsilon, "epsilon")
    return (k - 1) * exp(-epsilon) / (1 + (k - 1) * exp(-epsilon))


def rate(k: int, m: int) -> float:
    """Length of a report over that of a value, log m / log k.

    Source: ye2018 §4.3 (Compression).

    Parameters
    ----------
    k : int, at least 2
        Number of values.
    m : int, at least 1
        Number of reports.
    """
    return log(check_count(m, 1, "m")) / log(check_count(k, 2, "k"))


# ----------------------------------------------------------------------------------------------- the linear program


def _solve(loss: Floats, epsilon: float, sources: Floats, unbiased: Means = None) -> Optimum:
    from scipy.optimize import linprog

    (k, m), s = loss.shape, len(sources)
    a, b = exp(-epsilon), -expm1(-epsilon)
    step, span = b or 1.0, np.ptp(loss) or 1.0
    scaled = (loss - loss.min()) / span
    inputs, outputs = unbiased or (np.zeros(k), np.zeros(m))
    shift = float(inputs.mean())
    size = float(np.abs(outputs - shift).max()) or 1.0
    i, o = (inputs - shift) / size, (outputs - shift) / size
    each, column, zeros = sparse.eye_array(k), np.ones((k, 1)), sparse.csr_array((s, 1))
    # columns: v_y, t_xy, Σ_y t_xy (one for all x), the objective; ω
    equal: Any = [
        [None, sparse.kron(each, np.ones((1, m))), -column, None, None],
        [np.full((1, m), a), None, np.array([[b]]), zeros[:1], zeros[:1]],
        # unbiased: Σ_y t_xy o_y + ω = i_x/b, where ω = (a/b) Σ_y v_y o_y is one for all x
        [None, sparse.kron(each, b / step * o[None]), None, None, column],
        [-a * o[None], None, None, None, np.array([[step]])],
    ]
    wide = sparse.csr_array(sources) @ sparse.block_diag(scaled[:, None, :])
    most: Any = [
        [-sparse.kron(column, sparse.eye_array(m)), sparse.eye_array(k * m), None, None, None],
        [a * sources @ scaled, b * wide, zeros, -np.ones((s, 1)), zeros],
    ]
    right = np.concatenate([np.zeros(k), [1.0], i / step, [0.0]])
    if unbiased is None:
        equal, most, right = [row[:4] for row in equal[:2]], [row[:4] for row in most], right[: k + 1]
    # v_y ≤ 1 holds anyway; said, it keeps a solver from v of any size where a is as small as its tolerance
    bounds = [(0.0, 1.0)] * m + [(0.0, inf)] * (k * m) + [(-inf, inf)] * (len(most[0]) - 2)
    objective = (np.arange(len(bounds)) == m + k * m + 1).astype(np.float64)
    most, equal = (sparse.block_array(rows, format="csc") for rows in (most, equal))
    answer = linprog(objective, most, np.zeros(k * m + s), equal, right, bounds, method="highs", options=PRECISE)
    if answer.status == 2 and unbiased is not None:
        means, worth = (f"{in_full(x.min())} to {in_full(x.max())}" for x in (inputs, outputs))
        raise ValueError(
            f"unbiased must be possible at epsilon = {epsilon}, with means from {means}, got outputs from {worth}"
        )
    if answer.status != 0 or answer.x is None:
        raise RuntimeError(f"the linear program at epsilon = {epsilon} was not solved: {answer.message}")
    # the channel
    tops = np.where(answer.x[:m] > NEVER, answer.x[:m], 0)
    raw = a * tops + b * np.clip(answer.x[m : m + k * m].reshape(k, m), 0, tops)
    channel = within(raw / raw.sum(1, keepdims=True), epsilon) if epsilon else np.tile(tops / tops.sum(), (k, 1))
    # the dual solution, in the units of the problem
    lower, weights = answer.eqlin.marginals, np.maximum(-answer.ineqlin.marginals[k * m :], 0)
    weights = weights / weights.sum() if weights.any() else np.full(s, 1 / s)
    slopes = span * lower[k + 1 : 2 * k + 1] / (step * size) if unbiased else np.zeros(k)
    prices = span * lower[:k] / step - slopes * shift + loss.min() * (weights @ sources)
    if (bias := float(np.abs(channel @ outputs / channel.sum(1) - inputs).max())) > BIAS * size:
        raise RuntimeError(f"the solver's channel at epsilon = {epsilon} is biased by {bias:.3g}")
    reached, source = _distortion(loss, channel, sources), _mixture(weights, sources)
    bound = _bound(loss, epsilon, source, prices, slopes, unbiased)
    if reached - bound > GAP * span:
        most, found = apart(GAP * span, float(reached - bound), 3)
        gap = f"{found} above the least distortion, over {most}, {GAP:g} of the range of loss"
        raise RuntimeError(f"the solver's channel at epsilon = {epsilon} may be {gap}")
    return Optimum(channel, epsilon, _up(reached), -_up(-bound), source.astype(np.float64), prices, bias)


# ------------------------------------------------------------------------------------------- exact evaluation, checks


def _mixture(weights: Floats, sources: Floats) -> Any:
    """Mix sources with these weights, both over their exact sums: fractions (k,)."""
    w, p = fractions(weights), fractions(sources)
    return (w / w.sum()) @ (p / p.sum(1, keepdims=True))


def _distortion(loss: Floats, channel: Floats, sources: Floats) -> Fraction:
    """Largest expected loss under one of the sources; rows and sources are taken over their exact sums."""
    q, p = fractions(channel), fractions(sources)
    return Fraction(max((p @ ((q * fractions(loss)).sum(1) / q.sum(1))) / p.sum(1)))


def _bound(loss: Floats, epsilon: float, source: Any, prices: Floats, slopes: Floats, unbiased: Means) -> Fraction:
    """Lower bound on the distortion of all channels of this ε under this source, for any prices λ and slopes ν."""
    cost = fractions(loss) * source[:, None] - fractions(prices)[:, None]
    total = fractions(prices).sum()
    if unbiased is not None:
        cost = cost - fractions(slopes)[:, None] * fractions(unbiased[1])
        total += fractions(slopes) @ fractions(unbiased[0])
    most = odds(epsilon) * (1 + Fraction(1, 10**50)) if epsilon else Fraction(1)  # not below e^ε
    filled = Fraction(0)
    for h in sorted((np.maximum(cost, 0).sum(0) / most + np.minimum(cost, 0).sum(0)).tolist()):
        part = min(Fraction(1), (most if h < 0 else Fraction(1)) - filled)
        if part <= 0:
            break
        total += part * h
        filled += part
    return Fraction(total)


def _up(x: Fraction) -> float:
    """Return the least float that is not below x."""
    near = float(x)
    return near if near >= x else nextafter(near, inf)


def _zero_or(check: Callable[[Any, str], float], value: Any, name: str) -> float:
    """Return a number that is 0, or one that a check passes."""
    return 0.0 if is_number(value) and value == 0 else check(value, f"{name}, if not 0,")


def _sources(sources: ArrayLike | None, k: int) -> Floats:
    """Return the extreme points of the class, (s, k)."""
    if sources is None:
        return np.eye(k)
    points = distributions(np.atleast_2d(check_array(sources, "sources")), "sources")
    if points.shape[1] != k:
        raise ValueError(f"sources must have one probability a value, {k}, got {points.shape[1]}")
    return points
