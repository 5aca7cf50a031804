r"""The channel that loses least at a given ε, by linear programming.

It comes with a proof of how little any other channel could lose.

A report y stands for a value x at a loss :math:`L_{xy}`; the distortion of a channel Q is its
expected loss.  Where the source P is known, the channel may be fitted to it; where it is only known
to lie in a class, the worst of the class counts.

A solver's answer is an opinion until it is checked.  Here `within` makes its channel keep ε
exactly, and its dual solution is turned into a bound that no channel of this ε is below.  Both are
evaluated in rational numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, expm1, inf, log, log1p, nextafter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
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
GAP = 1e-6  # of the range of losses: a channel that may be farther above the bound is not returned
BIAS = 1e-6  # of the range of outputs: nor is one that is biased by more
GRID = 33  # points from which `optimise_points` starts to look for its bound
ROUNDS = 50  # times that it adds some
CLOSE = 1e-9  # to the bound, where it stops
TIE = 1e-12  # a distortion is reached if it is but for this part: decimal fractions are not exact
NEVER = 1e-12  # reports of less chance than this are the solver's rounding

# what stubs of scipy ask for is another type for each option
PRECISE: Any = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}

Means = tuple[Floats, Floats] | None  # where a channel must be unbiased, its inputs and outputs
Fractions = NDArray[np.object_]  # arrays of fractions
Sparse = Any  # matrices of scipy, in any of its forms


@dataclass(frozen=True, eq=False)
class Optimum:
    """A channel, and how far from the best one it can be.

    Attributes
    ----------
    channel : ndarray (k, m)
        Its exact ε is at most `epsilon`; rows are taken over their exact sums, as in
        `MatrixMechanism`.
    epsilon : float
        What was asked; for `least_epsilon`, what is enough.
    distortion : float
        Expected loss of this channel under the worst of the sources, rounded up.
    bound : float
        No channel of this ε has a distortion below this, so that ``distortion - bound`` is a
        proved gap.  For `optimise_points`, none to any number of points, wherever they are.
    source : ndarray (k,)
        The source under which the bound was proved: the given one, or a mixture of the class
        under which every channel loses as much (there may be others).
    prices : ndarray (k,)
        The numbers λ of the proof; see `least_distortion`.
    bias : float
        Largest distance of Σ_y Q_xy outputs_y from inputs_x, where the channel was asked to be
        unbiased; else 0.  It is the solver's rounding; the bound is on channels without any, to
        these outputs and no others.
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
        """Return the channel as a client.

        Parameters
        ----------
        scores : array_like of float (m, t), optional
            What the server adds; by default the identity.
        """
        return MatrixMechanism(channel=self.channel, scores=scores)


def least_distortion(
    loss: ArrayLike,
    epsilon: float,
    sources: ArrayLike | None = None,
    *,
    unbiased: tuple[ArrayLike, ArrayLike] | None = None,
) -> Optimum:
    r"""Find the channel of least distortion among those of ε, to a certified gap.

    With :math:`a = e^{-\varepsilon}` and :math:`v_y` for the largest entry of column y, a channel
    keeps ε if and only if :math:`a v_y \le Q_{xy} \le v_y`: k m inequalities instead of the k² m
    ratios.  In the variables of

    .. math:: Q_{xy} = a v_y + (1-a) t_{xy}, \qquad 0 \le t_{xy} \le v_y,

    which are well scaled from ε = 0 to large ε, the least of
    :math:`\max_j \sum_{x,y} P_j(x) L_{xy} Q_{xy}` is a linear program, and HiGHS solves it.

    **The bound.**  Let p be any mixture of the sources, λ one number for each row (and ν, where the
    channel must be unbiased; else 0), and
    :math:`c_{xy} = p_x L_{xy} - \lambda_x - \nu_x o_y`.  Rows sum to 1 and have mean :math:`i_x`,
    so that every channel of the problem has

    .. math:: \max_j \sum_{x,y} P_j(x) L_{xy} Q_{xy} &\ge \sum_{x,y} p_x L_{xy} Q_{xy} \\
       &= \sum_x (\lambda_x + \nu_x i_x) + \sum_{x,y} c_{xy} Q_{xy} \\
       &\ge \sum_x (\lambda_x + \nu_x i_x) + \sum_y v_y h_y, \\
       h_y &= a \sum_x c_{xy}^+ - \sum_x c_{xy}^-,

    and :math:`v_y \le 1`, :math:`1 \le \sum_y v_y \le e^\varepsilon`.  The dual program is to make
    the first sum largest subject to :math:`h_y \ge 0`.  A solver's λ, ν and p violate that by a
    little; what the last sum is at least, under the limits on v, is what repairing them costs.  It
    is found by filling v from the smallest :math:`h_y` up, in rational numbers, so that the bound
    is valid whatever the solver did.

    At large ε only the absolute gap stays small: from ε about 20 on, e^−ε is below what HiGHS
    distinguishes from 0 (1e-9), and distortions of that order are known to within a gap of that
    order only.

    **The least distortion as a function of ε** falls or stays, since the channels of a smaller ε
    are among those of a larger one.  For one source (and no `unbiased`) it is a concave function of
    a: scaling the parts of an optimal channel as :math:`v_y (a' + (1-a') w_{xy}) / N(a')`, with
    :math:`w = t/v` and one N for all rows, as :math:`\sum_y t_{xy}` is the same for all, gives
    channels for all other a' whose distortion is a ratio of linear functions with N growing in a';
    it does not fall with a', as that would contradict the first sentence; and such a ratio is
    concave.  So a concave curve touches it from above at every point.  Hence it may be flat from
    ε = 0 on, but once it has begun to fall it never rests, and it is convex neither in ε nor in
    e^ε.  For a class, nothing of the kind holds but the first sentence.

    Source: ye2018 §4.3 (Compression), after Xiong, Sarwate and Mandayam 2016, who bisect over
    feasibility.

    Parameters
    ----------
    loss : array_like of float (k, m)
        What it costs to report y for x.
    epsilon : float
        0, or in [EPSILON_MIN, EPSILON_MAX].  At 0 all rows are one.
    sources : array_like of float (k,) or (s, k), optional
        One source, or the extreme points of a class of them; by default every source, so that the
        row of largest expected loss counts.
    unbiased : (inputs, outputs), optional
        Arrays (k,) and (m,): the channel must also keep :math:`\sum_y Q_{xy} o_y = i_x`.  With loss
        :math:`(o_y - i_x)^2` the distortion is the least worst-case variance of an unbiased
        estimate on this grid.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is not finite, a source is not a distribution, or no channel
        of this ε is unbiased.
    RuntimeError
        If the solver gives up, or the certified gap is over 1e-6 of the range of the losses.

    Examples
    --------
    >>> found = least_distortion([[0, 1], [1, 0]], np.log(3))
    >>> found.channel.round(9).tolist(), round(found.distortion, 9)
    ([[0.75, 0.25], [0.25, 0.75]], 0.25)
    >>> bool(found.distortion - found.bound < 1e-9)
    True
    """
    losses = check_grid(loss, "loss", 2)
    epsilon = _zero_or(check_epsilon, epsilon, "epsilon")
    class_ = _sources(sources, len(losses))
    if unbiased is None:
        return _solve(losses, epsilon, class_)
    if not isinstance(unbiased, tuple) or len(unbiased) != 2:
        raise ValueError(f"unbiased must be a pair (inputs, outputs), got {shown(unbiased)}")
    inputs = check_grid(unbiased[0], "inputs", 1)
    outputs = check_grid(unbiased[1], "outputs", 1)
    given = len(inputs), len(outputs)
    if given != losses.shape:
        rule = "unbiased must hold an input for each row and an output for each column"
        raise ValueError(f"{rule}, {losses.shape}, got {given}")
    return _solve(losses, epsilon, class_, (inputs, outputs))


def least_epsilon(
    loss: ArrayLike,
    distortion: float,
    sources: ArrayLike | None = None,
    *,
    width: float = 1e-6,
) -> Optimum:
    """Find the least ε at which a channel has at most this distortion, by bisection.

    It is proved from both ends.  The channel returned has an exact ε of at most `epsilon`, and a
    distortion of at most the given one: enough.  At `short` the bound of `least_distortion` is
    above the given distortion: too small, and so is every ε below, because the channels of a
    smaller ε are among those of a larger one.  Where one report for all is good enough, ε is 0.

    The least distortion may stay the same from ε = 0 up to some ε and fall from there, so that
    rounding could decide between the two: a distortion counts as reached if it is but for a part
    of 1e-12.

    Source: ye2018 §4.3.

    Parameters
    ----------
    loss, sources
        As for `least_distortion`.
    distortion : float
        Not negative.
    width : float
        What ``epsilon - short`` should be at most.  It is more where the distortion hardly changes
        with ε, as at large ε: then the gap of the solver is what limits it.

    Raises
    ------
    ValueError
        If no channel of ε up to EPSILON_MAX has so small a distortion.
    """
    losses = check_grid(loss, "loss", 2)
    class_ = _sources(sources, len(losses))
    distortion = _zero_or(check_positive, distortion, "distortion")
    width = check_positive(width, "width")
    limit = distortion * (1 + TIE)
    best = _solve(losses, 0.0, class_)
    if best.distortion <= limit:
        return best
    best = _solve(losses, EPSILON_MAX, class_)
    if best.distortion > limit:
        reached = f"which a channel of epsilon = {EPSILON_MAX:g} reaches"
        rule = f"distortion must be at least {in_full(best.distortion)}, {reached}"
        raise ValueError(f"{rule}, got {distortion}")
    low = 0.0
    while best.epsilon - low > width / 2:
        middle = max((low + best.epsilon) / 2, EPSILON_MIN)
        if middle >= best.epsilon:
            break
        found = _solve(losses, middle, class_)
        if found.distortion <= limit:
            best = found
        else:
            low = middle
    return _with_short(best, losses, class_, limit, width)


def _with_short(
    best: Optimum,
    losses: Floats,
    class_: Floats,
    limit: float,
    width: float,
) -> Optimum:
    """Go down from an ε to one that is too small for certain: mostly the first that is tried."""
    step = width
    short = best.epsilon
    while short > 0:
        short = best.epsilon - step
        if short < EPSILON_MIN:
            short = 0.0
        if _solve(losses, short, class_).bound > limit:
            return replace(best, short=short)
        step *= 2
    return best  # within the gap of the solver, 0 is enough


# ------------------------------------------------------------------------- points to be chosen


def optimise_points(
    letters: ArrayLike,
    epsilon: float,
    m: int,
    source: ArrayLike,
    *,
    starts: int,
    rng: np.random.Generator,
) -> tuple[Floats, Optimum]:
    r"""Find m points and a channel to them with a small mean square error.

    They are the best found, not the best there is.  Alternates between the best channel for the
    points, a linear program, and the best points for the channel, each the mean of the letters
    reported as it.  Neither step ever loses; where both stop is a local minimum.

    What any other points could save is bounded all the same.  A column of a channel is
    :math:`v w` with v its largest entry and w in :math:`[a, 1]^k`, :math:`a = e^{-\varepsilon}`;
    with its own best point it costs v times :math:`f(w) = \min_z \sum_x P_x (x-z)^2 w_x`.  For any
    numbers λ, a channel to any number of points has, as in `least_distortion`, at least
    :math:`\sum_x \lambda_x + \sum_y v_y \min_w (f(w) - \sum_x \lambda_x w_x)`.  For each z the best
    w is 1 where :math:`P_x (x-z)^2 < \lambda_x` and a elsewhere: at most 2k + 1 patterns as z
    moves, and so the minimum is found by looking at these.  Good λ are the dual prices for a grid
    of points, to which the best points for the patterns that save something are added until none
    does.  A best mixture of patterns needs no more of them than there are rows, k, so that
    :math:`\sum_y v_y \le \min(k, e^\varepsilon)`.  This bound holds up to rounding.

    Source: ye2018 §4.3 leaves the points open; that columns of two heights are enough, Kairouz, Oh
    and Viswanath 2016.

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
    x = check_grid(letters, "letters", 1)
    epsilon = _zero_or(check_epsilon, epsilon, "epsilon")
    m = check_count(m, 1, "m")
    p = _sources(source, len(x))
    if len(p) != 1:
        raise ValueError(f"source must be a single one, (k,), got {len(p)} of them")
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, got {shown(rng)}")
    tried = []
    for _ in range(check_count(starts, 1, "starts")):
        points = np.sort(rng.uniform(x.min(), x.max(), m))
        tried.append(_alternated(x, p, epsilon, points))
    points, found = min(tried, key=lambda one: one[1].distortion)
    anywhere = _anywhere(x, p[0] / p[0].sum(), epsilon)
    return points, replace(found, bound=min(anywhere, found.distortion))


def _alternated(x: Floats, p: Floats, epsilon: float, points: Floats) -> tuple[Floats, Optimum]:
    """Improve points and channel by turns, until nothing is gained."""
    found = _solve(np.square(points - x[:, None]), epsilon, p)
    for _ in range(200):
        joint = p[0][:, None] * found.channel
        mass = joint.sum(0)
        means = x @ joint / np.where(mass > 0, mass, 1)
        points = np.sort(np.where(mass > 0, means, points))
        last = found
        found = _solve(np.square(points - x[:, None]), epsilon, p)
        if found.distortion >= last.distortion - 1e-12 * np.ptp(x) ** 2:
            break
    return points, found


def _anywhere(x: Floats, p: Floats, epsilon: float) -> float:
    """Lower bound on the mean square error of any channel of this ε to any points.

    See `optimise_points`.
    """
    k = len(x)
    a = exp(-epsilon)
    scale = np.ptp(x) or 1.0
    x = (x - x.min()) / scale
    points = np.unique(np.concatenate([np.linspace(0, 1, GRID), x]))
    best = 0.0
    for _ in range(ROUNDS):
        found = _solve(np.square(points - x[:, None]), epsilon, p[None])
        reach = np.sqrt(np.maximum(found.prices, 0) / np.where(p > 0, p, 1))
        # best points are between 0 and 1
        ends = np.sort(np.concatenate([[-1.0], x - reach, x + reach, [2.0]]))
        middle = (ends[1:] + ends[:-1]) / 2
        saves = p * np.square(x - middle[:, None]) < found.prices
        w = np.unique(np.where(saves, 1.0, a), axis=0)
        means = w @ (p * x) / (w @ p)
        spare = (w * (p * np.square(x - means[:, None]) - found.prices)).sum(1)
        most = 1.0  # of Σ v
        if spare.min() < 0:
            most = min(k, exp(epsilon))
        best = max(best, float(found.prices.sum() + most * spare.min()))
        if found.distortion - best < CLOSE:
            break
        points = np.unique(np.concatenate([points, means[spare < 0]]))
    return best * scale**2


# ---------------------------------------------------------------------------- what is known exactly


def hamming_epsilon(k: int, delta: float) -> float:
    r"""Least ε at which k letters can be reported with a chance of error of at most δ.

    .. math:: \varepsilon = \ln(k-1) + \ln\frac{1-\delta}{\delta},

    whatever the source.  It is attained by k-ary randomized response; 0 at δ = (k−1)/k, where the
    report says nothing.

    Source: ye2018 §4.3 (Distortion), after Sarwate and Sankar 2014.

    Parameters
    ----------
    k : int, at least 2
    delta : float in (0, (k−1)/k]
    """
    k = check_count(k, 2, "k")
    delta = check_positive(delta, "delta")
    most = (k - 1) / k
    if delta > most:
        rule = f"delta must be in (0, (k-1)/k] = (0, {in_full(most)}]"
        raise ValueError(f"{rule}, got {in_full(delta)}")
    return max(0.0, log(k - 1) + log1p(-delta) - log(delta))


def hamming_distortion(k: int, epsilon: float) -> float:
    r"""Least chance of error for k letters at ε, whatever the source.

    It is :math:`(k-1)/(k-1+e^\varepsilon)`.  For one known source it is
    :math:`1 - \max_j P_{(1..j)}\, e^\varepsilon/(e^\varepsilon+j-1)`, with the j likeliest letters:
    randomized response among these.  The two agree where j = k is best, as it is for the uniform
    source.

    Source: ye2018 §4.3 (Distortion), solved for δ.

    Parameters
    ----------
    k : int, at least 2
    epsilon : float, not negative
    """
    k = check_count(k, 2, "k")
    epsilon = _zero_or(check_positive, epsilon, "epsilon")
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


# ------------------------------------------------------------------------------ the linear program


class _Units(NamedTuple):
    """The problem in units in which its numbers are from 0 to 1, or from −1 to 1."""

    a: float  # e^−ε
    b: float  # 1 − e^−ε
    step: float  # b, or 1 where that is 0
    span: float  # of the losses
    losses: Floats  # (k, m), less the smallest one, over the span
    shift: float  # mean of the inputs
    size: float  # largest distance of an output from it
    inputs: Floats  # (k,), in these units; zeros where the channel may be biased
    outputs: Floats  # (m,), too


def _in_units(loss: Floats, epsilon: float, inputs: Floats, outputs: Floats) -> _Units:
    a = exp(-epsilon)
    b = -expm1(-epsilon)
    span = np.ptp(loss) or 1.0
    losses = (loss - loss.min()) / span
    shift = float(inputs.mean())
    size = float(np.abs(outputs - shift).max()) or 1.0
    i = (inputs - shift) / size
    o = (outputs - shift) / size
    return _Units(a, b, b or 1.0, span, losses, shift, size, i, o)


class _Program(NamedTuple):
    """The least objective · z, with ``most @ z`` at most 0, ``equal @ z == right``, z in bounds."""

    objective: Floats
    most: Sparse
    equal: Sparse
    right: Floats
    bounds: list[tuple[float, float]]


def _program(units: _Units, sources: Floats, unbiased: bool) -> _Program:
    """Write the linear program of `least_distortion`.

    Its variables are v_y, t_xy, Σ_y t_xy (one for all x) and the distortion; where the channel
    must be unbiased, also ω = (a/b) Σ_y v_y o_y, which is one for all x, so that
    Σ_y t_xy o_y + ω = i_x/b.
    """
    k, m = units.losses.shape
    s = len(sources)
    a = units.a
    b = units.b
    o = units.outputs[None]
    each = sparse.eye_array(k)
    column = np.ones((k, 1))
    zeros = sparse.csr_array((s, 1))
    # rows of blocks, one block for each kind of variable; None stands for zeros
    sums = [None, sparse.kron(each, np.ones((1, m))), -column, None, None]
    total = [np.full((1, m), a), None, np.array([[b]]), zeros[:1], zeros[:1]]
    means = [None, sparse.kron(each, b / units.step * o), None, None, column]
    omega = [-a * o, None, None, None, np.array([[units.step]])]
    below_v = [-sparse.kron(column, sparse.eye_array(m)), sparse.eye_array(k * m), None, None, None]
    of_sources = sparse.csr_array(sources) @ sparse.block_diag(units.losses[:, None, :])
    losses = [a * sources @ units.losses, b * of_sources, zeros, -np.ones((s, 1)), zeros]
    most: Sparse = [below_v, losses]
    equal: Sparse = [sums, total, means, omega]
    right = np.concatenate([np.zeros(k), [1.0], units.inputs / units.step, [0.0]])
    free = 3  # variables without bounds: the last three kinds
    if not unbiased:
        most = [row[:4] for row in most]
        equal = [row[:4] for row in equal[:2]]
        right = right[: k + 1]
        free = 2
    # v_y ≤ 1 holds anyway; the bound keeps a solver from v of any size where a is as small as its
    # tolerance
    bounds = [(0.0, 1.0)] * m + [(0.0, inf)] * (k * m) + [(-inf, inf)] * free
    objective = (np.arange(len(bounds)) == m + k * m + 1).astype(np.float64)
    most = sparse.block_array(most, format="csc")
    equal = sparse.block_array(equal, format="csc")
    return _Program(objective, most, equal, right, bounds)


def _solve(loss: Floats, epsilon: float, sources: Floats, unbiased: Means = None) -> Optimum:
    """Solve the program, make the channel keep ε, and make a bound of the dual solution."""
    k, m = loss.shape
    inputs, outputs = unbiased or (np.zeros(k), np.zeros(m))
    units = _in_units(loss, epsilon, inputs, outputs)
    answer = _answer(_program(units, sources, unbiased is not None), epsilon, unbiased)
    channel = _channel(answer.x, units, epsilon)
    # the dual solution, in the units of the problem
    weights = np.maximum(-answer.ineqlin.marginals[k * m :], 0)
    if weights.any():
        weights = weights / weights.sum()
    else:
        weights = np.full(len(sources), 1 / len(sources))
    lower = answer.eqlin.marginals
    slopes = np.zeros(k)
    if unbiased is not None:
        slopes = units.span * lower[k + 1 : 2 * k + 1] / (units.step * units.size)
    prices = units.span * lower[:k] / units.step - slopes * units.shift
    prices = prices + loss.min() * (weights @ sources)
    # what is right with them
    bias = float(np.abs(channel @ outputs / channel.sum(1) - inputs).max())
    if bias > BIAS * units.size:
        raise RuntimeError(f"the solver's channel at epsilon = {epsilon} is biased by {bias:.3g}")
    reached = _distortion(loss, channel, sources)
    source = _mixture(weights, sources)
    bound = _bound(loss, epsilon, source, prices, slopes, unbiased)
    if reached - bound > GAP * units.span:
        most, found = apart(GAP * units.span, float(reached - bound), 3)
        gap = f"{found} above the least distortion, over {most}, {GAP:g} of the range of loss"
        raise RuntimeError(f"the solver's channel at epsilon = {epsilon} may be {gap}")
    proved = -_up(-bound)
    return Optimum(channel, epsilon, _up(reached), proved, source.astype(float), prices, bias)


def _answer(program: _Program, epsilon: float, unbiased: Means) -> Any:  # of scipy, without a type
    """Let HiGHS solve it."""
    from scipy.optimize import linprog

    answer = linprog(
        program.objective,
        program.most,
        np.zeros(program.most.shape[0]),
        program.equal,
        program.right,
        program.bounds,
        method="highs",
        options=PRECISE,
    )
    if answer.status == 2 and unbiased is not None:
        means, worth = (f"{in_full(x.min())} to {in_full(x.max())}" for x in unbiased)
        rule = f"unbiased must be possible at epsilon = {epsilon}, with means from {means}"
        raise ValueError(f"{rule}, got outputs from {worth}")
    if answer.status != 0 or answer.x is None:
        what = f"the linear program at epsilon = {epsilon}"
        raise RuntimeError(f"{what} was not solved: {answer.message}")
    return answer


def _channel(z: Floats, units: _Units, epsilon: float) -> Floats:
    """Return the channel of a solution, (k, m), whose exact ε is at most the given one."""
    k, m = units.losses.shape
    v = np.where(z[:m] > NEVER, z[:m], 0)
    if epsilon == 0:
        return np.tile(v / v.sum(), (k, 1))
    t = np.clip(z[m : m + k * m].reshape(k, m), 0, v)
    raw = units.a * v + units.b * t
    return within(raw / raw.sum(1, keepdims=True), epsilon)


# ----------------------------------------------------------------------- exact evaluation, checks


def _mixture(weights: Floats, sources: Floats) -> Fractions:
    """Mix sources with these weights, both over their exact sums: (k,)."""
    w = fractions(weights)
    p = fractions(sources)
    mixed: Fractions = (w / w.sum()) @ (p / p.sum(1, keepdims=True))
    return mixed


def _distortion(loss: Floats, channel: Floats, sources: Floats) -> Fraction:
    """Largest expected loss under one of the sources.

    Rows and sources are taken over their exact sums.
    """
    q = fractions(channel)
    p = fractions(sources)
    of_rows = (q * fractions(loss)).sum(1) / q.sum(1)
    return Fraction(max((p @ of_rows) / p.sum(1)))


def _bound(
    loss: Floats,
    epsilon: float,
    source: Fractions,
    prices: Floats,
    slopes: Floats,
    unbiased: Means,
) -> Fraction:
    """Lower bound on the distortion of all channels of this ε under this source.

    It holds for any prices λ and slopes ν.
    """
    cost = fractions(loss) * source[:, None] - fractions(prices)[:, None]
    total = fractions(prices).sum()
    if unbiased is not None:
        inputs, outputs = unbiased
        cost = cost - fractions(slopes)[:, None] * fractions(outputs)
        total += fractions(slopes) @ fractions(inputs)
    most = Fraction(1)
    if epsilon:
        most = odds(epsilon) * (1 + Fraction(1, 10**50))  # not below e^ε
    h = np.maximum(cost, 0).sum(0) / most + np.minimum(cost, 0).sum(0)
    filled = Fraction(0)  # Σ v
    for each in sorted(h.tolist()):
        room = Fraction(1) - filled
        if each < 0:
            room = most - filled
        v = min(Fraction(1), room)
        if v <= 0:
            break
        total += v * each
        filled += v
    return Fraction(total)


def _up(x: Fraction) -> float:
    """Return the least float that is not below x."""
    near = float(x)
    if near < x:
        return nextafter(near, inf)
    return near


def _zero_or(check: Callable[[object, str], float], value: object, name: str) -> float:
    """Return a number that is 0, or one that a check passes."""
    if is_number(value) and value == 0:
        return 0.0
    return check(value, f"{name}, if not 0,")


def _sources(sources: ArrayLike | None, k: int) -> Floats:
    """Return the extreme points of the class, (s, k)."""
    if sources is None:
        return np.eye(k)
    points = distributions(np.atleast_2d(check_array(sources, "sources")), "sources")
    if points.shape[1] != k:
        rule = f"sources must have one probability for each value, {k}"
        raise ValueError(f"{rule}, got {points.shape[1]}")
    return points
