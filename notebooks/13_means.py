# %% [markdown]
# (ch-means)=
# # Means
#
# *After {cite:t}`ye2018survey` §1.2.3, §4.2 and §4.4.*
#
# :::{admonition} In one minute
# Everybody has a number between −1 and 1, and we want its mean.
# A number can be turned into a sign by a coin whose mean it is, and the sign goes through Warner's randomized response: one bit, unbiased, variance $c^2 - t^2$ with $c = (e^\varepsilon+1)/(e^\varepsilon-1)$.
# Noise on a grid and windows on a grid are better at large ε.
#
# With $d$ numbers a person, splitting ε over them makes the variance grow like $d^2$, reporting one of them, drawn at random (Harmony), like $d$.
# MeanEst answers about all of them at once with the whole ε, and for many numbers its standard error is a quarter larger than Harmony's.
# The survey calls it exponential in $d$ and says that it splits ε; neither is so.
# :::
#
# :::{zh}
# 本章研究均值统计，用户持有 $[-1, 1]$ 中的一个或 $d$ 个数值。
# 把一个数值离散化为符号，再作随机响应，估计无偏，一份得分的方差为 $c^2-t^2$，其中 $c=(e^\varepsilon+1)/(e^\varepsilon-1)$；$\varepsilon$ 较大时，格点上的噪声与窗口机制更优。
# 对 $d$ 个数值，在 $\varepsilon$ 较小时，划分预算使方差按 $d^2$ 增长，随机抽取其一上报（Harmony-Mean）则按 $d$ 增长。
# MeanEst 以全部预算一次回答所有数值，$d$ 很大时标准误差约比 Harmony-Mean 高四分之一。
# 综述（叶青青等）对 Harmony-Mean 的扰动方式与预算分配的论述、两种方法精度相近的论断以及图 6 的规律均得到复现；误差界 $O(\sqrt{d\log d}/(\varepsilon\sqrt n))$ 在条件下复现，须指 $d$ 个误差中的最大者，且 $\varepsilon$ 较小。
# “Harmony-Mean 的通信代价为 MeanEst 的 $\frac1d$”亦在条件下复现：抽中的维度须是公开的，其编号不计入。
# 综述所印的 MeanEst 抛币概率对奇数 $d$ 成立，对偶数 $d$ 予以更正：无论平局如何处理，都或者突破 $\varepsilon$，或者与所印的 $B$ 配合时有偏。
# “$B$ 随维数指数增长”与“$\varepsilon$ 均分到各变量”亦予更正：$B$ 约按 $\sqrt d$ 增长，全部预算用于整个向量。
# :::
#
# You will meet four clients for a single number and a limit for all of them, three ways to report many numbers, the survey's figures of a million people, and confidence intervals with their exact coverage.
# From {ref}`ch-rr` you need randomized response and the definition of ε-LDP.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
import tracemalloc
from functools import cache
from itertools import product
from math import comb, exp, floor, log, pi, sqrt, tanh

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binom

from ldpnb import (
    GRR,
    HarmonyFrequency,
    HarmonyMean,
    Hybrid,
    Laplace,
    MeanEst,
    Piecewise,
    SampledHybrid,
    Tally,
    TwoPoint,
    epsilon,
    interval,
    law,
    laws,
    least_distortion,
    moments,
    pick,
    same_law,
    toss,
)
from ldpnb.book import check, datasets, dots, line, settle, style, table
from ldpnb.chance import rational, weighted
from ldpnb.numbers import Range

style()
SEED = 2013  # the year of the first local mean
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-means-setting)=
# ## Numbers with a public range
#
# The readers of {ref}`ch-rr` also stated their age.
# A client has to know between which two numbers an age lies, because whatever it sends must be possible for every age.
# So the range is *public*: it is fixed before anybody is asked.
# The questionnaire had the age in classes, coded from 17.5 (under 20) to 42 (40 and over).
#
# From here on a number is rescaled to $t \in [-1, 1]$; a value outside the range is an error.

# %%
AGE = Range(low=17.5, high=42.0)
print("rescaled:", AGE.to_unit([17.5, 27.0, 42.0]).round(3).tolist())
try:
    AGE.to_unit([27.0, 50.0])
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# The server turns each report into a *score*, and the estimate is the mean of the scores.
# So $n$ times the variance of an estimate is the mean variance of a score.
# A client is *exactly* ε-LDP if no smaller ε would do.
#
# | symbol | meaning | in code |
# |---|---|---|
# | $n, d$ | number of people, of numbers a person | `n`, `d` |
# | $t$, $t_j$ | one number, number $j$ of a person, rescaled | `t` |
# | $\bar t$ | mean of the $n$ numbers, the truth | |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1) = 1/\tanh(\varepsilon/2)$; $c(\varepsilon')$ for another budget | `scale` |
# | $z_y$, $Z$ | score of the report $y$; the score of a random report | |
# | $s$, $x_i$ | number of steps of a grid on $[-1, 1]$; its points, $x_i = -1 + 2i/s$ | `steps` |
# | $\rho$ | $e^{-\varepsilon/s}$, the ratio of two neighbouring weights | `ratio` |
# | $w$, $\varphi$ | width of a window in cells; its share of all cells | `width`, `share` |
# | $\beta$ | probability with which Hybrid uses windows | |
# | $r$ | how many of the $d$ numbers a person is asked about | `count` |
# | $v$ | corner of the cube $\{-1, 1\}^d$ to which a vector is rounded | `v` |
# | $C_d$ | number of corners that agree with a given one in more than half of the coordinates | |
# | $A_d$ | how many more of these agree with it at a given coordinate than disagree | |
# | $B$ | size of the scores of MeanEst | `size_b` |


# %% tags=["hide-input"]
def scale(eps):
    """The number c."""
    return 1 / tanh(eps / 2)


TRIED = (-1.0, -0.3, 0.0, 0.25, 1.0)


def exact(client, score, values=TRIED):
    """Exact ε of a client, and mean and variance of its score for each value, from the law."""
    return epsilon(laws(client, values)), *moments(client, values, score=score)


def twins(statement, inline, package, inputs=TRIED, eps=1.0):
    """Check that an inline client has the law of one of the package, and at a slightly larger ε has not."""
    right, other = (same_law(lambda t, rng, x=x: inline(t, x, rng), package, inputs) for x in (eps, eps + 0.01))
    check("Same law", statement, right, control=f"inline at ε = {eps + 0.01:.2f}", caught=not other)


# %% [markdown]
# (sec-means-sign)=
# ## A number becomes a sign
#
# Randomized response wants two answers, and a coin makes two out of a number.
# If + comes up with probability $(1+t)/2$, the sign has the mean $t$.
# Then the sign is told truthfully with probability $e^\varepsilon/(e^\varepsilon+1)$.


# %%
def sign(t, rng):
    """+1 or −1, with mean t."""
    return 1 if toss((1 + t) / 2, rng) else -1


def two_point(t, eps, rng):
    """The sign of t through Warner's randomized response."""
    own = sign(t, rng)
    return own if toss(exp(eps) / (exp(eps) + 1), rng) else -own


# %% [markdown]
# :::{prf:theorem} Two points
# :label: thm-means-two
# The client is exactly ε-LDP.
# With the score $\pm c$ the estimate is unbiased for $\bar t$, and one score has the variance $c^2 - t^2$.
# No other two scores are unbiased for every $t$.
# :::
#
# :::{prf:proof}
# A report is + with probability $\frac12 + \frac{t}{2c}$, a mixture of $\frac{e^\varepsilon}{e^\varepsilon+1}$ and $\frac{1}{e^\varepsilon+1}$, which are attained at $t = \pm1$.
# So the mean of the score $\pm c$ is $t$, and its square is always $c^2$.
# Two scores that are right at $t = 1$ and at $t = -1$ solve two linear equations, whose determinant is $1/c \ne 0$.
# :::
#
# {cite:t}`duchi2018minimax` propose this for one number.
# The survey's §1.2.3 describes the idea: make two values out of the continuous one, then W-RR; the difficulty is to choose the two values so that the result is unbiased.
# For this coin there is only one choice.
# For another coin there is another: if + comes up with probability $(1+t/a)/2$, $a > 1$, the scores $\pm ac$ are unbiased too, but the variance is $a^2c^2 - t^2$.

# %% tags=["hide-input"]
eps_two, mean_two, var_two = exact(lambda t, rng: two_point(t, 1.0, rng), lambda y: scale(1.0) * y)
two_right = (
    abs(eps_two - 1) < 1e-12
    and np.abs(mean_two - TRIED).max() < 1e-12
    and np.abs(var_two - (scale(1.0) ** 2 - np.square(TRIED))).max() < 1e-12
)
_, mean_plain, _ = exact(lambda t, rng: two_point(t, 1.0, rng), lambda y: y)
check(
    "Two points",
    f"ε = {eps_two:.6f}, unbiased, variance c² − t², five values",
    two_right,
    control="score ±1",
    caught=np.abs(mean_plain - TRIED).max() > 0.1,
)
twins(
    "two_point and the package's TwoPoint",
    lambda t, eps, rng: (1 + two_point(t, eps, rng)) // 2,
    TwoPoint(epsilon=1.0),
)

# %% [markdown]
# (sec-rr-laplace)=
# ## Noise for a single person
#
# The definition of local privacy makes any two values of one person neighbours.
# For added noise the sensitivity is then simply the diameter of the domain.
#
# :::{prf:theorem} Local Laplace noise
# :label: thm-local-laplace
# For $x \in [a, b]$, the report $x + Z$ with $Z$ of density $\frac{1}{2s} e^{-|z|/s}$ and $s = (b-a)/\varepsilon$ is exactly ε-LDP.
# :::
#
# :::{prf:proof}
# The density ratio of a report $y$ under $x$ and $x'$ is $\exp\big((|y-x'|-|y-x|)/s\big) \le \exp(|x-x'|/s) \le e^\varepsilon$, with equality for $x = a$, $x' = b$, $y \le a$.
# :::
#
# The exponential mechanism, which scores a reply by whether it is true and draws $y$ with weight $e^{\varepsilon [y = x]}$, *is* randomized response.
# (Its textbook form has $\varepsilon/2$ in the exponent, because in general the sum of the weights changes with $x$ as well; here it does not, so half of the budget need not be given away.)
# And noise leads back to Warner by another road: add the two-sided geometric noise of the central count to a single yes or no and publish only the nearer of 0 and 1.


# %% tags=["hide-input"]
def geometric(count, eps, outputs):
    """Law of a count plus two-sided geometric noise, P(z) ∝ e^(−ε|z|), at these outputs."""
    return np.tanh(eps / 2) * np.exp(-eps * np.abs(outputs - count))


def laplace_epsilon(scale):
    """Exact ε of x + Laplace noise for x in [−1, 1]: largest difference of the log densities."""
    x, y = np.array([-1, -0.3, 0, 1]), np.linspace(-40, 40, 8001)
    return np.ptp(-np.abs(y - x[:, None]) / scale, axis=0).max()


def truth_scored(k, eps):
    weights = np.exp(eps * np.eye(k))
    return weights / weights.sum(1, keepdims=True)


def clamped_geometric(eps, reach=400):
    """Law of the nearer of 0 and 1 to x plus two-sided geometric noise, for x = 0 and 1: rows of a matrix."""
    y = np.arange(-reach, reach + 1)
    return np.array([[geometric(x, eps, y)[y <= 0].sum(), geometric(x, eps, y)[y >= 1].sum()] for x in (0, 1)])


def channel(mechanism):
    """The law of a client as a matrix: rows are values, columns reports."""
    found = laws(mechanism, np.arange(mechanism.k))
    return np.array([[float(one[y]) for y in range(mechanism.k)] for one in found])


laplace_exact = all(abs(laplace_epsilon(2 / eps) - eps) < 1e-9 for eps in (0.5, 1, 4))
check(
    "Local Laplace",
    "ε exact at 0.5, 1 and 4 for values in [−1, 1], noise of scale 2/ε",
    laplace_exact,
    control="scale 1/ε",
    caught=abs(laplace_epsilon(1) - 1) > 0.5,
)
exponential_is_krr = np.abs(truth_scored(5, 1.0) - channel(GRR(k=5, epsilon=1.0))).max() < 1e-12
folded = np.abs(clamped_geometric(1.0) - channel(GRR(k=2, epsilon=1.0))).max()
check(
    "Road to Warner",
    "geometric noise on 0 or 1, then the nearer of both = randomized response",
    folded < 1e-12,
    control="ε = 1.1",
    caught=np.abs(clamped_geometric(1.1) - channel(GRR(k=2, epsilon=1.0))).max() > 0.01,
)

# %% [markdown]
# (sec-means-laplace)=
# ## Noise on a grid
#
# The other classical way is to add noise to the number ({ref}`sec-rr-laplace`).
# On $[-1, 1]$ Laplace noise of scale $2/\varepsilon$ is exactly ε-LDP, and its variance is $8/\varepsilon^2$.
#
# Two things about it can be improved.
# The first is floating-point noise, which can give a value away {cite:p}`mironov2012significance` (see {ref}`sec-means-wrong`).
# So we put everything on a grid of $s$ steps.
# A number between two grid points becomes one of the two, by a coin with the right mean, and the noise is a whole number of steps, *two-sided geometric*: $g$ steps with probability $\frac{1-\rho}{1+\rho}\rho^{|g|}$ {cite:p}`ghosh2012universally`.
#
# The second is the tails.
# Noise can be cut at the ends of the range, at no cost: this is the *truncated geometric mechanism*.
# The client below walks.
# It stays at its point with probability $\frac{1-\rho}{1+\rho}$.
# Otherwise it takes one step in a random direction, and goes on with probability $\rho$ after each step, until it reaches an end of the range.


# %%
def onto_grid(t, steps, rng):
    """One of the two grid points next to t, with mean t."""
    place = (t + 1) / 2 * steps
    below = min(int(place), steps - 1)
    return below + toss(place - below, rng)


def noisy(t, steps, eps, rng):
    """A grid point with two-sided geometric noise, cut at the ends of the range."""
    i, ratio = onto_grid(t, steps, rng), exp(-eps / steps)
    if toss((1 - ratio) / (1 + ratio), rng):
        return i
    step = pick((-1, 1), rng)
    i += step
    while 0 < i < steps and toss(ratio, rng):
        i += step
    return min(max(i, 0), steps)


# %% [markdown]
# :::{prf:theorem} Beyond the range there is nothing to learn
# :label: thm-means-cut
# Let $Y = i + G$ be a grid point with two-sided geometric noise that is not cut, and $Y'$ the same cut at 0 and $s$.
#
# 1. Both are exactly ε-LDP.
# 2. $Y'$ is sufficient: given $Y'$, the law of $Y$ does not depend on $i$, so that whoever has $Y'$ can draw $Y$ from it.
# 3. The score that is $x_{Y'}$ inside and
#
#    $$ \pm\Big(1 + \frac2s\cdot\frac{\rho}{1-\rho}\Big) $$
#
#    at the two ends is unbiased, and no unbiased score of $Y$ has a smaller variance, for any $i$.
#    It is smaller than the variance $\frac{4}{s^2}\cdot\frac{2\rho}{(1-\rho)^2}$ of $x_Y$ by $\frac{4}{s^2}\cdot\frac{\rho}{(1-\rho)^2}\cdot\frac{\rho^i+\rho^{s-i}}{1+\rho}$.
# 4. As $s \to \infty$ the scores of the ends tend to $\pm(1 + 2/\varepsilon)$, and the variance from $8/\varepsilon^2$ to
#
#    $$ \frac{8}{\varepsilon^2} - \frac{4}{\varepsilon^2}\,e^{-\varepsilon/2}\cosh\frac{\varepsilon t}{2}. $$
#
# :::
#
# :::{prf:proof}
# In the order of the statements.
#
# 1. $\Pr[Y = y \mid i]$ is proportional to $\rho^{|y-i|}$, and two values of $i$ differ by at most $s$, so that no ratio is above $\rho^{-s} = e^\varepsilon$; it is attained at $y = 0$, by $i = 0$ and $i = s$, also after the cut.
# 2. For $y \ge s$ and every $i \le s$ we have $\rho^{|y-i|} = \rho^{y-s}\rho^{s-i}$: the likelihood ratio of any two values is the same at $s$ and everywhere beyond.
#    Given $Y' = s$, therefore, $Y - s$ is geometric, $\Pr[Y - s = g] = (1-\rho)\rho^g$, whatever $i$ was.
# 3. A geometric number has the mean $\frac{\rho}{1-\rho}$ and the variance $\frac{\rho}{(1-\rho)^2}$, so the score is the mean of $x_Y$ given $Y'$ (Rao–Blackwell).
#    It has the mean of $x_Y$, which is $x_i$, and a variance that is smaller by that of the geometric number where an end is reached, which has probability $\frac{\rho^i+\rho^{s-i}}{1+\rho}$.
#    Any unbiased score of $Y$ has a mean given $Y'$ that is unbiased as well, a function of $Y'$, and of no larger variance.
#    There is only one such function, because $Y'$ is complete: its channel is the matrix $(\rho^{|i-y|})_{iy}$ with its columns multiplied by positive numbers, and that matrix has the determinant $(1-\rho^2)^s \ne 0$.
# 4. $s(1-\rho) \to \varepsilon$, $\rho^i \to e^{-\varepsilon(1+t)/2}$ and $\rho^{s-i} \to e^{-\varepsilon(1-t)/2}$.
# :::
#
# A number between two grid points adds the variance of its rounding, at most $1/s^2$.
# As $\varepsilon \to 0$ half of the variance goes.
# With one step there is nothing but ends: the score is $\pm\frac{1+\rho}{1-\rho} = \pm c$, and we are back at the two points.


# %% tags=["hide-input"]
def cut_score(y, steps, eps):
    """The score of the theorem."""
    ratio = exp(-eps / steps)
    beyond = 2 / steps * ratio / (1 - ratio)
    return -1 + 2 * y / steps + beyond * ((y == steps) - (y == 0))


STEPS = 6
GRID = -1 + 2 * np.arange(STEPS + 1) / STEPS
eps_cut, mean_cut, var_cut = exact(
    lambda t, rng: noisy(t, STEPS, 1.5, rng), lambda y: cut_score(y, STEPS, 1.5), GRID.tolist()
)
_, mean_ends, _ = exact(lambda t, rng: noisy(t, STEPS, 1.5, rng), lambda y: -1 + 2 * y / STEPS, GRID.tolist())


def cut_variance(eps, steps, i):
    """The variance of the theorem at grid point i."""
    r = exp(-eps / steps)
    return 4 / steps**2 * r / (1 - r) ** 2 * (2 - (r**i + r ** (steps - i)) / (1 + r))


cut_right = (
    abs(eps_cut - 1.5) < 1e-12
    and np.abs(mean_cut - GRID).max() < 1e-12
    and np.abs(var_cut - cut_variance(1.5, STEPS, np.arange(STEPS + 1))).max() < 1e-12
)
check(
    "Cut noise",
    f"ε = {eps_cut:.6f}, unbiased, variance as in the theorem, {STEPS} steps",
    cut_right,
    control="end cells scored ±1",
    caught=np.abs(mean_ends - GRID).max() > 0.1,
)
far = 3000  # steps beyond the range, where the weight that is left is below 1e-300
reach = np.arange(-far, far + STEPS + 1)
ratio = exp(-1.5 / STEPS)
uncut = (1 - ratio) / (1 + ratio) * ratio ** np.abs(reach - np.arange(STEPS + 1)[:, None])


def given_end(rows):
    """Law of the place beyond the range, given that the report is at the upper end or beyond, for each value."""
    tail = rows[:, reach >= STEPS]
    return tail / tail.sum(1, keepdims=True)


cut_laws = laws(lambda t, rng: noisy(t, STEPS, 1.5, rng), GRID.tolist())
walked = np.array([[float(one[y]) for y in range(STEPS + 1)] for one in cut_laws])
clipped = np.array([np.bincount(np.clip(reach, 0, STEPS), row) for row in uncut])
within = uncut[:, (reach >= 2) & (reach <= 4)]
check(
    "Nothing beyond",
    "the walk is noise that is cut; given the end, the place beyond has one law for all values",
    np.abs(walked - clipped).max() < 1e-12 and np.ptp(given_end(uncut), axis=0).max() < 1e-12,
    control="given that the report is one of three inner points",
    caught=np.ptp(within / within.sum(1, keepdims=True), axis=0).max() > 0.1,
)
large = 2000
continuous = [8 / x**2 - 4 / x**2 * exp(-x / 2) * np.cosh(x * np.array([-1, 0, 0.5]) / 2) for x in (0.5, 1.0, 4.0)]
on_grid = [cut_variance(x, large, np.array([0, large / 2, 0.75 * large])) for x in (0.5, 1.0, 4.0)]
check(
    "Limit",
    f"{large:,} steps: within 0.1 % of the continuous variance, three ε and three values",
    np.abs(np.divide(on_grid, continuous) - 1).max() < 1e-3,
    control="8/ε²",
    caught=min(np.abs(np.divide(on_grid, [[8 / x**2] for x in (0.5, 1.0, 4.0)]) - 1).min(1)) > 0.01,
)
for x in (0.1, 1.0, 4.0):
    print(f"ε = {x:<3g}  Laplace {8 / x**2:8.3f}, cut at the ends {cut_variance(x, large, large / 2):8.3f}")

# %% [markdown]
# (sec-means-windows)=
# ## Windows on a grid
#
# A third client favours a *window* of cells around its number.
# There are $s + w$ cells, and the grid point $i$ favours the $w$ cells $i, …, i+w-1$: each of them is $e^\varepsilon$ times as likely as any other.


# %%
def windowed(t, steps, width, eps, rng):
    """A cell of the own window, e^ε times as likely as any other cell."""
    i = onto_grid(t, steps, rng)
    if toss(width * exp(eps) / (width * exp(eps) + steps), rng):
        return i + pick(range(width), rng)
    return pick([y for y in range(steps + width) if not i <= y < i + width], rng)


# %% [markdown]
# :::{prf:theorem} Windows
# :label: thm-means-windows
# The client is exactly ε-LDP.
# The score
#
# $$ z_y = \frac{2}{s\beta}\Big(y - \frac{s+w-1}{2}\Big), \qquad \beta = \frac{w\,(e^\varepsilon-1)}{w e^\varepsilon+s}, $$
#
# is unbiased on the grid.
# :::
#
# :::{prf:proof}
# A cell has probability $\frac{e^\varepsilon}{we^\varepsilon+s}$ inside the window and $\frac{1}{we^\varepsilon+s}$ outside, and for any two points some cell is in one window only.
# So every cell has the smaller probability, and those of the window have $\beta/w$ more.
# The cells are symmetric about $\frac{s+w-1}{2}$, so the mean of $y - \frac{s+w-1}{2}$ is $\beta/w$ times its sum over the window, which is $w\,(i + \frac{w-1}2 - \frac{s+w-1}{2}) = w\,(i - \frac s2)$.
# Multiplied by the slope this is $\frac2s(i-\frac s2) = x_i$.
# :::
#
# On a fine grid only the share $\varphi = w/(s+w)$ matters, and the variance tends to
#
# $$
# \begin{aligned}
# &\frac{t^2}{\varphi(e^\varepsilon-1)} + \frac{D\,\big(1+(e^\varepsilon-1)\varphi^3\big)}{3(1-\varphi)^2\varphi^2(e^\varepsilon-1)^2}, \\
# &D = \varphi e^\varepsilon + 1 - \varphi.
# \end{aligned}
# $$ (eq-means-windows)
#
# {cite:t}`wang2019collecting` proposed this mechanism, in continuous form, as *Piecewise*, with $\varphi = 1/(e^{\varepsilon/2}+1)$.
# With one step and a window of one cell it is, once more, the two points.
#
# The variance of the two points falls with $t^2$, that of the windows rises.
# The fourth client, *Hybrid* of the same authors, mixes them by a coin that is tossed without looking at $t$, and that everybody may see.


# %%
def hybrid(t, steps, width, eps, rng):
    """Windows or the two points; the report shows which."""
    beta = width * (exp(eps) - 1) / (width * exp(eps) + steps)
    if toss(beta, rng):
        return "window", windowed(t, steps, width, eps, rng)
    return "sign", two_point(t, eps, rng)


# %% [markdown]
# :::{prf:theorem} Hybrid
# :label: thm-means-hybrid
# Hybrid is exactly ε-LDP and unbiased on the grid, and its variance is the same at all grid points.
# :::
#
# :::{prf:proof}
# Given how the coin fell, the report is that of the windows or of the two points, and both are exactly ε-LDP and unbiased.
# In the mean of $z_y^2$ over a report of the windows only the part $\frac\beta w\sum z_y^2$ over the own window depends on $i$.
# It is a constant plus $\frac\beta w\cdot w\,(x_i/\beta)^2 = x_i^2/\beta$.
# The two points have $c^2$ everywhere, so the mixture has a constant plus $\beta\cdot x_i^2/\beta = x_i^2$.
# :::
#
# It pays where it makes the worst case smaller, for ε above 0.61; below, the package's Hybrid sends two points only.
# {numref}`fig-means-laws` shows the clients side by side.


# %% tags=["hide-input"]
def window_score(y, steps, width, eps):
    """The score of the theorem."""
    beta = width * (exp(eps) - 1) / (width * exp(eps) + steps)
    return 2 / (steps * beta) * (y - (steps + width - 1) / 2)


eps_window, mean_window, _ = exact(
    lambda t, rng: windowed(t, STEPS, 3, 1.5, rng), lambda y: window_score(y, STEPS, 3, 1.5), GRID.tolist()
)
_, mean_other, _ = exact(
    lambda t, rng: windowed(t, STEPS, 3, 1.5, rng), lambda y: window_score(y, STEPS, 3, 1.4), GRID.tolist()
)
check(
    "Windows",
    f"ε = {eps_window:.6f}, unbiased, {STEPS} steps, windows of 3 cells",
    abs(eps_window - 1.5) < 1e-12 and np.abs(mean_window - GRID).max() < 1e-12,
    control="slope for ε = 1.4",
    caught=np.abs(mean_other - GRID).max() > 0.01,
)


def window_variance(eps, share, t):
    """Variance on a fine grid."""
    odds = exp(eps)
    D = share * odds + 1 - share
    return t**2 / (share * (odds - 1)) + D * (1 + (odds - 1) * share**3) / (3 * ((1 - share) * share * (odds - 1)) ** 2)


fine = Piecewise(epsilon=2.0, steps=1024)
at = np.array([-1.0, 0.0, 0.5])
share = fine.window / (fine.steps + fine.window)
check(
    "Fine grid",
    "1,024 steps: variance within 0.1 % of the formula",
    np.abs(fine.variance(at)[:, 0] / window_variance(2.0, share, at) - 1).max() < 1e-3,
    control="share larger by a tenth",
    caught=np.abs(fine.variance(at)[:, 0] / window_variance(2.0, 1.1 * share, at) - 1).max() > 0.01,
)


def cell(report, steps, width):
    """What the inline client reports as a cell of the package's Hybrid."""
    kind, said = report
    return said if kind == "window" else steps + width + (1 + said) // 2


mixed = Hybrid(epsilon=1.5, steps=STEPS)
twins(
    "noisy and the package's Laplace",
    lambda t, eps, rng: noisy(t, STEPS, eps, rng),
    Laplace(epsilon=1.5, steps=STEPS),
    eps=1.5,
)
twins(
    "windowed and the package's Piecewise",
    lambda t, eps, rng: windowed(t, STEPS, 3, eps, rng),
    Piecewise(epsilon=1.5, steps=STEPS, width=3),
    eps=1.5,
)
twins(
    "hybrid and the package's Hybrid",
    lambda t, eps, rng: cell(hybrid(t, STEPS, mixed.window, eps, rng), STEPS, mixed.window),
    mixed,
    eps=1.5,
)
mixed_mean, _ = moments(mixed, np.array(TRIED))
mixed_points = moments(mixed, GRID)[1][:, 0]
mixed_epsilon = epsilon(laws(mixed, GRID))
check(
    "Hybrid",
    f"exact law: ε = {mixed_epsilon:.6f}, unbiased, one variance at all grid points",
    abs(mixed_epsilon - 1.5) < 1e-12
    and np.abs(mixed_mean[:, 0] - TRIED).max() < 1e-12
    and np.ptp(mixed_points) < 1e-12,
    control="Piecewise alone",
    caught=np.ptp(moments(Piecewise(epsilon=1.5, steps=STEPS), GRID)[1]) > 0.1,
)
equal = brentq(lambda x: window_variance(x, 1 / (exp(x / 2) + 1), 0) - scale(x) ** 2, 0.1, 3)
print(f"on a fine grid Hybrid pays from ε = {equal:.2f} on, where Piecewise and the two points are equal at t = 0")


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-laws", "caption": "How often each score is sent, ε = 1.5, by somebody whose number is −1 (circles) and somebody whose number is 0.5 (triangles), on grids of eight steps. Two points: nothing but ±c. Noise that is cut: most reports are in the end cells, whose scores lie well beyond the range. Windows: there are two levels, and each of the four cells of the own window is $e^\\varepsilon = 4.5$ times as likely as a cell outside. In no panel do the two people differ by more than that factor."}, "image": {"alt": "Three panels of probability against score between minus 3 and 3, two people side by side. Two points have two scores, at 1.6 on either side. Cut noise has nine, the outer ones tallest and at 2.2. Windows have twelve of two heights, the tall ones on the left for one person and right of the middle for the other."}}
LAW_EPS, LAW_STEPS = 1.5, 8
shown = {
    "two points": TwoPoint(epsilon=LAW_EPS),
    "cut noise": Laplace(epsilon=LAW_EPS, steps=LAW_STEPS),
    "windows": Piecewise(epsilon=LAW_EPS, steps=LAW_STEPS),
}
fig, axes = plt.subplots(3, 1, figsize=(6.4, 6.0), sharex=True)
for ax, (name, mechanism) in zip(axes, shown.items(), strict=True):
    score = mechanism.scores
    for t, marker, colour, shift in ((-1.0, "o", "C0", -0.05), (0.5, "^", "C4", 0.05)):
        one = laws(mechanism, np.array([t]))[0]
        chance = np.array([float(one.get(y, 0)) for y in range(len(score))])
        ax.vlines(score + shift, 0, chance, color=colour, linewidth=1.2)
        ax.plot(score + shift, chance, marker, color=colour, label=f"t = {t:g}".replace("-", "−"))
    ax.set(ylabel="probability", ylim=(0, None), title=name)
axes[0].legend(loc="upper right")
axes[2].set(xlabel="score")
plt.show()

# %% [markdown]
# (sec-means-limit)=
# ## What is best for one number
#
# How good could any client be?
# On a grid of values and a grid of scores this is a linear program: the unknowns are the probabilities of the channel; privacy and unbiasedness are linear in them, and so is the variance for each value; make the largest one as small as possible.
# `least_distortion` solves it, and proves by the dual program that no channel on this grid is below its answer.
# The answer is a limit for this grid, with scores up to $1.6c$; {ref}`sec-dist-variance` has one for every report.


# %%
@cache
def least_variance(eps, steps=32, scores=129, reach=1.6):
    """Least worst-case variance of an unbiased client on a grid, with a proved bound."""
    x = np.linspace(-1, 1, steps + 1)
    y = np.linspace(-reach, reach, scores) * scale(eps)
    return least_distortion((y - x[:, None]) ** 2, eps, unbiased=(x, y))


# %% tags=["hide-input"]
budgets = np.array([0.1, 0.25, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 5.7, 8])
limit = np.array([least_variance(x).bound for x in budgets.tolist()])


def wide(x):
    """Windows of the width that is best at the ends, by the formula for a fine grid."""
    share = minimize_scalar(lambda share: window_variance(x, share, 1), bounds=(1e-6, 0.9), method="bounded").x
    return Piecewise(epsilon=x, width=max(1, round(64 * share / (1 - share))))


KINDS = {
    "two points": lambda x: TwoPoint(epsilon=x),
    "Laplace, cut": lambda x: Laplace(epsilon=x),
    "Piecewise": lambda x: Piecewise(epsilon=x),
    "Piecewise, wider": wide,
    "Hybrid": lambda x: Hybrid(epsilon=x),
}
LOOKS = {"two points": 0, "Laplace": 6, "Laplace, cut": 2, "Piecewise": 1, "Piecewise, wider": 4, "Hybrid": 5}
worst = {"Laplace": 8 / budgets**2} | {
    name: np.array([make(x).worst_variance for x in budgets.tolist()]) for name, make in KINDS.items()
}


def drawn_moments(mechanism, t, n, rng):
    """Mean and variance of the scores of n real clients with the number t, each with its standard error."""
    counts = mechanism.tally(mechanism.perturb(np.full(n, t), rng=rng)).counts
    score = mechanism.scores
    mean = counts @ score / n
    apart = (score - mean) ** 2
    spread = counts @ apart / n
    return mean, sqrt(spread / n), spread, sqrt(counts @ (apart - spread) ** 2) / n


CLIENTS = 40_000
seen, leaning = {}, {}
for name in ("two points", "Laplace, cut", "Piecewise, wider", "Hybrid"):
    for x in (0.5, 1.0, 2.0, 4.0):
        mechanism, tried = KINDS[name](x), np.linspace(-1, 1, 129)
        t = tried[np.argmax(mechanism.variance(tried)[:, 0])]
        seen[name, x] = (t, mechanism.variance([t])[0, 0], *drawn_moments(mechanism, t, CLIENTS, rng))
        leaning[name, x] = (0.7, mechanism.variance([0.7])[0, 0], *drawn_moments(mechanism, 0.7, CLIENTS, rng))


def as_stated(t, variance, mean, mean_error, spread, spread_error):
    """Whether mean and variance of drawn scores are those of the number t, to 6 standard errors."""
    return abs(mean - t) <= 6 * mean_error and abs(spread - variance) <= 6 * spread_error + 1e-3 * variance


deaf = drawn_moments(TwoPoint(epsilon=4.0), 0.0, CLIENTS, rng)  # the control: clients that do not look at their number
check(
    "Real clients",
    f"means and variances of {CLIENTS:,} scores, {len(seen)} mechanisms, two numbers each",
    all(as_stated(*one) for one in [*seen.values(), *leaning.values()]),
    control="fair signs, for the two points at ε = 4 and t = 0.7",
    caught=not as_stated(*leaning["two points", 4.0][:2], *deaf),
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-variance", "caption": "One number, variance of one score. Upper panel: the largest variance over all t, as a multiple of the limit, against ε. Markers are 40,000 real clients each, all at the worst t, with 95 % bars. Two points are all but optimal at small ε, Hybrid is within a tenth of the limit up to ε = 1, and at large ε wider windows than the published ones come closest. Cutting the Laplace noise takes up to half of its variance away. Lower panel: the variance against t at ε = 2."}, "image": {"alt": "Upper panel: six curves of variance over the limit, shown from 0.9 to 4, for epsilon from 0.1 to 8. Laplace starts at 2, cut Laplace and two points just above 1, and all three leave the panel before epsilon 5. Hybrid stays lowest to about 2.3; wider Piecewise stays near 1.3 throughout. Lower panel: variance against t; only those of Laplace and Hybrid are flat."}}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 7.6))
for name, i in LOOKS.items():
    axes[0].plot(budgets, worst[name] / limit, **line(i), label=name)
for (name, x), (_, _, _, _, found, error) in seen.items():
    axes[0].errorbar(x, found / least_variance(x).bound, 1.96 * error / least_variance(x).bound, **dots(LOOKS[name]))
axes[0].axhline(1, color="black", linewidth=1, linestyle="-", marker="")
axes[0].set(xscale="log", ylim=(0.9, 4), xlabel="privacy budget ε", ylabel="worst variance / limit")
axes[0].set_xticks([0.1, 0.5, 1, 2, 4, 8], ["0.1", "0.5", "1", "2", "4", "8"])
axes[0].minorticks_off()
axes[0].legend(fontsize=10)
across = np.linspace(-1, 1, 129)
axes[1].plot(across, np.full(129, 2.0), **line(LOOKS["Laplace"]))
for name, make in KINDS.items():
    axes[1].plot(across, make(2.0).variance(across)[:, 0], **line(LOOKS[name]))
axes[1].set(xlabel="number t", ylabel="variance at ε = 2", ylim=(0, 2.2))
plt.show()

# %% tags=["hide-input"]
finer = least_variance(8.0, 64, 257).bound / least_variance(8.0).bound - 1
gap = max(least_variance(x).distortion / least_variance(x).bound - 1 for x in budgets.tolist())
check(
    "Linear program",
    "certified to 1e-6 at all ε; at ε = 8 twice as fine a grid moves the limit by less than 3 %",
    gap < 1e-6 and abs(finer) < 0.03,
    control="a grid of four steps at ε = 8",
    caught=abs(least_variance(8.0, 4, 129).bound / least_variance(8.0).bound - 1) > 0.03,
)
table(
    pd.DataFrame(
        [
            {"ε": f"{x:g}", "limit": f"{least_variance(x).bound:.3f}", "Laplace": f"{8 / x**2:.3f}"}
            | {name: f"{make(x).worst_variance:.3f}" for name, make in KINDS.items()}
            for x in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
        ]
    )
)

# %% [markdown]
# All numbers are for grids: 32 steps for the limit, 64 for the others.
# At small ε nothing is much better than one bit, and from about $\varepsilon = 1$ on Hybrid is.
# Above 2 the published width of the windows is no longer a good one: the worst values are $\pm1$, and there the first term of {eq}`eq-means-windows` asks for a wider one.

# %% [markdown]
# (sec-means-sample)=
# ## Many numbers: split or sample
#
# A reader has an age, years of marriage, a number of children: $d$ numbers.
# One way is to send all of them, each with $\varepsilon/d$.
# The other is *Harmony-Mean* {cite:p}`nguyen2016collecting`: draw one of the $d$ without looking, and spend all of ε on it.


# %%
def split(t, eps, rng):
    """All numbers, each with its part of ε."""
    return tuple(two_point(x, eps / len(t), rng) for x in t)


def harmony(t, eps, rng):
    """One number, drawn in public, with all of ε."""
    j = pick(range(len(t)), rng)
    return j, two_point(t[j], eps, rng)


# %% [markdown]
# :::{prf:theorem} Splitting and sampling
# :label: thm-means-harmony
# Both are exactly ε-LDP for the whole vector.
# With the scores $\pm c(\varepsilon/d)$, and $\pm d\,c(\varepsilon)$ for the drawn number and 0 for the others, both are unbiased, and the variance of a score of number $j$ is
#
# $$ c(\varepsilon/d)^2 - t_j^2 \quad\text{(split)}, \qquad d\,c(\varepsilon)^2 - t_j^2 \quad\text{(sample)}. $$
#
# :::
#
# :::{prf:proof}
# Split: the ratios of $d$ independent reports multiply; vectors of opposite corners attain $e^{\varepsilon/d}$ in each.
# Sample: the drawn index has the same law for everybody, and given it the report is that of one number.
# With probability $1/d$ the score of number $j$ is $\pm dc$ with mean $d\,t_j$, otherwise it is 0; so its mean is $t_j$ and its second moment $d^2c^2/d$.
# :::
#
# For small ε, $c \approx 2/\varepsilon$: splitting costs $4d^2/\varepsilon^2$ and sampling $4d/\varepsilon^2$.
# ({ref}`sec-onebit-harmony` has the same comparison for frequencies, and settles the survey's "grows $d$ times".)
# In the survey's formula the probability of the positive score is $\frac{t_j(e^\varepsilon-1)+e^\varepsilon+1}{2e^\varepsilon+2}$, which is $\frac12+\frac{t_j}{2c}$.
#
# The estimate divides the sum of the scores $\pm c$ about number $j$ by $n/d$, the expected number of people who are asked about it.
# Their actual number is public and could be used instead; the package keeps to $n/d$, because then the estimate is linear and its variance exact.

# %% tags=["hide-input"]
VECTORS = [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (0.25, -0.3), (0.0, 1.0)]


def vector_moments(client, scores, d, eps):
    """Exact ε, and mean and variance of the vector of scores, for all test vectors of d numbers."""
    inputs = (
        VECTORS if d == 2 else [(1.0,) * d, (-1.0,) * d, (0.5,) * (d - 1) + (-1.0,), tuple(np.linspace(-0.8, 0.9, d))]
    )
    return epsilon(laws(client, inputs)), *moments(client, inputs, score=scores), np.array(inputs)


def harmony_scores(report, d, eps):
    j, told = report
    return np.eye(d)[j] * d * scale(eps) * told


def is_right(found, eps, variance):
    """Whether a client is exactly ε-private and unbiased and has these variances (given the squared values)."""
    spent, mean, spread, inputs = found
    return (
        abs(spent - eps) < 1e-9
        and np.abs(mean - inputs).max() < 1e-9
        and np.abs(spread - (variance - inputs**2)).max() < 1e-9
    )


sampled = vector_moments(lambda t, rng: harmony(t, 1.0, rng), lambda y: harmony_scores(y, 2, 1.0), 2, 1.0)
splitted = vector_moments(lambda t, rng: split(t, 1.0, rng), lambda y: scale(0.5) * np.array(y), 2, 1.0)


def own_choice(t, eps, rng):  # the control: asks about the larger number
    j = int(np.argmax(np.abs(t)))
    return j, two_point(t[j], eps, rng)


chosen = vector_moments(lambda t, rng: own_choice(t, 1.0, rng), lambda y: harmony_scores(y, 2, 1.0), 2, 1.0)
check(
    "Split, sample",
    "two numbers, five vectors: exactly ε, unbiased, variances as stated",
    is_right(sampled, 1.0, 2 * scale(1.0) ** 2) and is_right(splitted, 1.0, scale(0.5) ** 2),
    control="a client that picks its largest number",
    caught=not is_right(chosen, 1.0, 2 * scale(1.0) ** 2) and chosen[0] == np.inf,
)


def columns(answers, code):
    """Pairs of a number and an answer as the package writes them: all numbers, then the codes of all answers."""
    numbers, told = zip(*answers, strict=True)
    return numbers, tuple(map(code, told))


twins(
    "harmony and the package's HarmonyMean, five vectors",
    lambda t, eps, rng: columns([harmony(t, eps, rng)], lambda z: z == 1),
    HarmonyMean(d=2, epsilon=1.0),
    VECTORS,
)


# %% [markdown]
# ### Which client to sample with
#
# If one number in $d$ is sampled, a score has the variance $d\,\E[Z^2] - t^2$, where $Z$ is the score of the client for one number.
# So its second moment counts, not its variance.
#
# :::{prf:theorem} The least second moment
# :label: thm-means-second
# Let a client for one number be ε-LDP and its score $Z$ unbiased at $t = \pm1$.
# Then $\E[Z^2 \mid 1] + \E[Z^2 \mid -1] \ge 2c^2$.
# :::
#
# :::{prf:proof}
# Write $p_y$ and $q_y$ for the probabilities of report $y$ at $t = 1$ and $t = -1$.
# Unbiasedness gives $\sum_y z_y(p_y - q_y) = 2$, and privacy gives $|p_y - q_y| \le (p_y+q_y)/c$.
# By the inequality of Cauchy and Schwarz
#
# $$ 4 \le \sum_y z_y^2\,(p_y+q_y)\cdot\sum_y \frac{(p_y-q_y)^2}{p_y+q_y} \le \sum_y z_y^2\,(p_y+q_y)\cdot\frac{2}{c^2}. $$
#
# :::
#
# The two points have $\E[Z^2] = c^2$ for every $t$; with any other client the worst variance is at least $d\,c^2 - 1$.
# So in the worst case over $t$ there is nothing to gain but 1.
# (For one number alone: a client with two scores $z_+$ and $z_-$ has $Z^2 = (z_++z_-)Z - z_+z_-$, so its variance at $t = 0$ is $-z_+z_-$, the mean of its second moments at the ends.
# So no unbiased client with two scores has a smaller worst case than the two points.)
#
# Where numbers are spread over the range Hybrid can be better: its second moment is a constant plus $t^2$, and what counts is the mean of $t^2$ over the people.
# *Sampled Hybrid* {cite:p}`wang2019collecting` asks about $r = \max(1, \min(d, \lfloor\varepsilon/2.5\rfloor))$ numbers with $\varepsilon/r$ each; the exercises show why more than one.


# %%
def sampled_hybrid(t, steps, width, eps, rng):
    """Some numbers, drawn in public, each through Hybrid with its part of ε."""
    r, left, report = max(1, min(len(t), floor(eps / 2.5))), list(range(len(t))), []
    for _ in range(r):
        j = left.pop(pick(range(len(left)), rng))
        report.append((j, hybrid(t[j], steps, width, eps / r, rng)))
    return tuple(report)


# %% tags=["hide-input"]
second = {
    f"{name}, ε = {x:g}": (make(x).variance([-1.0, 1.0]).mean() + 1) / scale(x) ** 2
    for name, make in KINDS.items()
    for x in (0.5, 1.0, 2.0, 4.0)
}
best_channel = least_variance(2.0)
best_scores = np.linspace(-1.6, 1.6, 129) * scale(2.0)
second["linear program, ε = 2"] = best_channel.channel[[0, -1]].mean(0) @ best_scores**2 / scale(2.0) ** 2
check(
    "Second moment",
    f"{len(second)} clients: at the ends between {min(second.values()):.3f} and {max(second.values()):.3f} times c²",
    min(second.values()) > 1 - 1e-9 and abs(second["two points, ε = 2"] - 1) < 1e-9,
    control="a client that spends 2.02, against c at ε = 2",
    caught=(TwoPoint(epsilon=2.02).variance([-1.0, 1.0]).mean() + 1) / scale(2.0) ** 2 < 1 - 1e-9,
)
pair = SampledHybrid(d=2, epsilon=2.0)
shape = pair.one.steps, pair.one.window
twins(
    "sampled_hybrid and the package's SampledHybrid, five vectors",
    lambda t, eps, rng: columns(sampled_hybrid(t, *shape, eps, rng), lambda y: cell(y, *shape)),
    pair,
    VECTORS,
    eps=2.0,
)
print(f"sampled Hybrid, two numbers, five vectors, exact law: ε = {epsilon(laws(pair, VECTORS)):.6f}")
for x in (1.0, 2.0, 4.0):
    level = Hybrid(epsilon=x).variance([0.0])[0, 0]
    print(f"ε = {x:g}: Hybrid is the better one to sample with if the mean of t² is below {scale(x) ** 2 - level:.2f}")
counts = {x: SampledHybrid(d=80, epsilon=x).count for x in (4.9, 5.0, 8.0, 16.0)}
print("d = 80, numbers asked: " + ", ".join(f"{r} at ε = {x:g}" for x, r in counts.items()))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
positive = law(lambda rng: harmony((0.25, -0.3), 1.0, rng))
settle(
    "ye2018.harmony-mean-law",
    holds={
        "law": all(
            abs(2 * float(positive[j, 1]) - (t * (exp(1) - 1) + exp(1) + 1) / (2 * exp(1) + 2)) < 1e-12
            for j, t in enumerate((0.25, -0.3))
        ),
        "private": is_right(sampled, 1.0, 2 * scale(1.0) ** 2),
    },
)
one_changed = laws(lambda t, rng: harmony(t, 1.0, rng), [(1.0, 0.3, 0.3), (-1.0, 0.3, 0.3)])
settle(
    "ye2018.harmony-mean-epsilon",
    holds={"whole": abs(epsilon(one_changed) - 1) < 1e-12},
)


def frequency_by_means(x, rng):
    """Harmony-Mean of the signs that the items of two attributes have in a row drawn in public."""
    row = pick(range(4), rng)
    j, told = harmony([float((-1) ** (row & item).bit_count()) for item in x], 1.0, rng)
    return j, row, told == -1


settle(
    "ye2018.harmony-both",
    holds={
        "same-law": same_law(frequency_by_means, HarmonyFrequency(sizes=(3, 3), epsilon=1.0), [(0, 1), (2, 2), (1, 0)]),
    },
)

# %% [markdown]
# (sec-means-meanest)=
# ## All numbers at once
#
# {cite:t}`duchi2018minimax` found a third way, which the survey calls *MeanEst*: answer about all numbers together, with all of ε.
# The vector is rounded to a corner $v$ of the cube $\{-1, 1\}^d$, number by number.
# Then a corner $y$ is reported, and those that agree with $v$ in more coordinates than not have $e^\varepsilon$ times the probability of the others.


# %%
def near_and_far(v):
    """The corners that agree with v in more coordinates than not, and the others (ties among them)."""
    corners = list(product((-1, 1), repeat=len(v)))
    near = [y for y in corners if np.dot(y, v) > 0]
    return near, [y for y in corners if np.dot(y, v) <= 0]


def meanest(t, eps, rng):
    """A corner of the cube, e^ε times likelier if it is near the rounded t."""
    near, far = near_and_far([sign(x, rng) for x in t])
    likely = exp(eps) * len(near)
    return pick(near if toss(likely / (likely + len(far)), rng) else far, rng)


# %% [markdown]
# Let $C_d$ be the number of near corners, and $A_d = \binom{d-1}{\lfloor d/2\rfloor}$.
#
# :::{prf:theorem} MeanEst
# :label: thm-means-meanest
# The client is exactly ε-LDP for the whole vector.
# With the scores $\pm B$,
#
# $$ B = \frac{2^d + C_d\,(e^\varepsilon-1)}{A_d\,(e^\varepsilon-1)}, \qquad C_d = \begin{cases} 2^{d-1} & d \text{ odd,}\\ 2^{d-1} - A_d & d \text{ even,}\end{cases} $$
#
# it is unbiased, and the variance for number $j$ is $B^2 - t_j^2$.
# In other words, $B$ grows like the square root of $d$:
#
# $$ B = \begin{cases} c\,2^{d-1}/A_d & d \text{ odd,}\\ c\,2^{d-1}/A_d - 1 & d \text{ even,}\end{cases} \qquad \frac{B}{\sqrt d} \to c\,\sqrt{\frac{\pi}{2}}. $$
#
# :::
#
# :::{prf:proof}
# *Privacy.*
# All $v$ have the same sum of weights, $C_d e^\varepsilon + 2^d - C_d$, so two of them differ by the factor $e^\varepsilon$ at most, and do so at a corner that is near to one and not to the other.
# A vector $t$ only mixes them.
#
# *Agreement.*
# Add up, over the near corners, $+1$ for those that agree with $v$ at $j$ and $-1$ for the others.
# Flip coordinate $j$: if both corners are near they cancel, and what is left are the corners that agree at $j$ and just fail without it, those with $\lfloor d/2\rfloor$ of the other $d-1$ coordinates in agreement.
# There are $A_d$ of them.
# Over all corners the sum is 0, so the mean of $y_j$ given $v$ is $v_j\,\frac{(e^\varepsilon-1)A_d}{(e^\varepsilon-1)C_d+2^d} = v_j/B$.
#
# *Size.*
# For odd $d$ half of the corners are near; for even $d$ there are $\binom{d}{d/2} = 2A_d$ ties, and half of the rest is near.
# Stirling's formula gives $A_d/2^{d-1} \sim \sqrt{2/(\pi d)}$.
# :::


# %%
def size_b(d, eps):
    """The size B of the scores of MeanEst."""
    near, surplus = sum(comb(d, a) for a in range(d // 2 + 1, d + 1)), comb(d - 1, d // 2)
    return (2**d + near * (exp(eps) - 1)) / (surplus * (exp(eps) - 1))


# %% tags=["hide-input"]
found = {
    d: vector_moments(lambda t, rng: meanest(t, 1.0, rng), lambda y, d=d: size_b(d, 1.0) * np.array(y), d, 1.0)
    for d in (2, 3, 4, 5)
}


def careless(t, eps, rng):  # the control: the same coin and B, but ties drawn with the near corners
    v = [sign(x, rng) for x in t]
    near, _ = near_and_far(v)
    corners = list(product((-1, 1), repeat=len(t)))
    likely = exp(eps) * len(near)
    side = toss(likely / (likely + len(corners) - len(near)), rng)
    return pick([y for y in corners if (np.dot(y, v) >= 0) == side], rng)


wrong = vector_moments(lambda t, rng: careless(t, 1.0, rng), lambda y: size_b(4, 1.0) * np.array(y), 4, 1.0)
meanest_right = {d: is_right(found[d], 1.0, size_b(d, 1.0) ** 2) for d in found}
check(
    "MeanEst",
    "d = 2, …, 5: exactly ε, unbiased, variance B² − t²",
    all(meanest_right.values()),
    control="d = 4, ties drawn with the near corners",
    caught=not is_right(wrong, 1.0, size_b(4, 1.0) ** 2),
)
closed = {d: scale(1.0) * 2 ** (d - 1) / comb(d - 1, d // 2) - (d % 2 == 0) for d in range(1, 101)}
check(
    "Closed form",
    f"d = 1, …, 100; B/√d over c√(π/2) is {size_b(1001, 1.0) / sqrt(1001) / scale(1.0) / sqrt(pi / 2):.4f} at d = 1,001",
    max(abs(closed[d] / size_b(d, 1.0) - 1) for d in closed) < 1e-12
    and abs(size_b(1001, 1.0) / sqrt(1001) / scale(1.0) / sqrt(pi / 2) - 1) < 1e-3,
    control="the form for odd d at even d",
    caught=abs((closed[80] + 1) / size_b(80, 1.0) - 1) > 0.01,
)

# %% [markdown]
# ### In about $2d$ draws
#
# The client above lists all $2^d$ corners, which is hopeless for $d = 80$.
# But all that matters about a corner is in how many coordinates it agrees with $v$.
# Draw this number first: near or far by the coin, then $a$ agreements with probability proportional to $\binom da$, an integer of at most $d$ bits.
# Then decide which coordinates agree, going through them one by one: if $a'$ agreements are still to be placed in $d'$ coordinates, the next one agrees with probability $a'/d'$.


# %%
def meanest_quick(t, eps, rng):
    """The same law in 2 d + 2 draws: how many coordinates agree, then which."""
    d, v = len(t), [sign(x, rng) for x in t]
    ways = [comb(d, a) for a in range(d + 1)]
    near = [w if 2 * a > d else 0 for a, w in enumerate(ways)]
    far = [w if 2 * a <= d else 0 for a, w in enumerate(ways)]
    likely = sum(near) / (sum(near) + sum(far) / exp(eps))
    left = int(weighted(near if toss(likely, rng) else far, (), rng))
    report = []
    for j in range(d):
        agree = bool(rational(left, d - j, (), rng))
        left -= agree
        report.append(v[j] if agree else -v[j])
    return tuple(report)


# %% tags=["hide-input"]
INPUTS = {2: [(1.0, -1.0), (0.3, 0.0)], 3: [(1.0, -1.0, 1.0), (0.3, 0.0, -0.5)], 4: [(1.0, -1.0, 1.0, 0.3)]}
quick_same = {
    d: same_law(lambda t, rng: meanest_quick(t, 1.0, rng), lambda t, rng: meanest(t, 1.0, rng), inputs)
    for d, inputs in INPUTS.items()
}
check(
    "Same law",
    "MeanEst by listing corners and in 2d + 2 draws, d = 2, 3, 4",
    all(quick_same.values()),
    control="ties drawn with the near corners",
    caught=not same_law(lambda t, rng: meanest_quick(t, 1.0, rng), lambda t, rng: careless(t, 1.0, rng), INPUTS[2]),
)
for d in (2, 3, 4):
    twins(f"meanest_quick and the package's MeanEst, d = {d}", meanest_quick, MeanEst(d=d, epsilon=1.0), INPUTS[d])


class Counting(np.random.Generator):
    """A generator that counts what is drawn from it."""

    drawn = 0

    def random(self, *size):
        self.drawn += 1
        return super().random(*size)

    def integers(self, *limits):
        self.drawn += 1
        return super().integers(*limits)


counter = Counting(np.random.PCG64(SEED))
thousand = meanest_quick((0.5,) * 1000, 1.0, counter)
long = MeanEst(d=1000, epsilon=1.0)
print(f"d = 1,000: B = {float(long.scale):.2f}; one report of {len(thousand):,} signs took {counter.drawn:,} draws")

# %% [markdown]
# (sec-means-coin)=
# ### The printed coin
#
# The survey has the same $B$ and $C_d$ (as far as our damaged text of it shows), but another coin.
# With probability $\frac{e^\varepsilon}{1+e^\varepsilon}$, it says, a corner with $y \cdot v > 0$ is returned, and with probability $\frac{1}{1+e^\varepsilon}$ one with $y\cdot v < 0$.
# For odd $d$ there are no ties, both classes are equally large, and this is right.
# For even $d$ one has to say what becomes of the ties, and there are four ways to read it.


# %%
READINGS = {
    "> 0 and < 0 (printed)": (lambda a: a > 0, lambda a: a < 0),
    "> 0 and ≤ 0": (lambda a: a > 0, lambda a: a <= 0),
    "≥ 0 and < 0": (lambda a: a >= 0, lambda a: a < 0),
    "≥ 0 and ≤ 0": (lambda a: a >= 0, lambda a: a <= 0),
}


def printed(t, eps, near, far, rng):
    """MeanEst with the coin e^ε/(1+e^ε) between two classes of corners."""
    v = [sign(x, rng) for x in t]
    wanted = near if toss(exp(eps) / (1 + exp(eps)), rng) else far
    return pick([y for y in product((-1, 1), repeat=len(t)) if wanted(np.dot(y, v))], rng)


# %% tags=["hide-input"]
def judged(client, d, eps):
    """Exact ε, and the mean of a coordinate that is +1 for certain."""
    corners = [(1.0,) * d, *[(-1.0,) * j + (1.0,) * (d - j) for j in range(1, d + 1)]]
    return epsilon(laws(client, corners)), moments(client, corners[:1], score=lambda y: y[0])[0][0]


RIGHT = "> 0 and ≤ 0, coin of the theorem"
clients = {name: (lambda t, rng, c=classes: printed(t, 1.0, *c, rng)) for name, classes in READINGS.items()}
clients[RIGHT] = lambda t, rng: meanest(t, 1.0, rng)
spent, kept = {}, {}
for name, client in clients.items():
    for d in (2, 3, 4):
        spent[name, d], mean = judged(client, d, 1.0)
        kept[name, d] = size_b(d, 1.0) * mean
table(
    pd.DataFrame(
        [
            {"classes": name}
            | {f"ε, d = {d}": "∞" if spent[name, d] == np.inf else f"{spent[name, d]:.3f}" for d in (2, 3, 4)}
            for name in clients
        ]
    )
)


# %% tags=["hide-input"]
def duchi_b(d, eps):
    """The B of Duchi et al., with ties in both classes."""
    ties = comb(d, d // 2) * (d % 2 == 0)
    return scale(eps) * (2 ** (d - 1) + ties / 2) / comb(d - 1, d // 2)


DUCHI = "≥ 0 and ≤ 0, B of Duchi et al."
for d in (2, 3, 4):
    kept[DUCHI, d] = kept["≥ 0 and ≤ 0", d] / size_b(d, 1.0) * duchi_b(d, 1.0)
table(
    pd.DataFrame(
        [
            {"classes": name} | {f"mean, d = {d}": f"{kept[name, d]:.3f}".replace("-", "−") for d in (2, 3, 4)}
            for name in (*clients, DUCHI)
        ]
    )
)

# %% [markdown]
# The first table has each reading's exact ε, where 1 is asked for; the second has the mean of its scores for a number that is 1.
# Taken literally, a corner that ties with $v$ is never sent, and gives away that the vector was not rounded to $v$: $\varepsilon = \infty$.
# With the ties among the far ones ε is exceeded by $\ln\frac{2^d-C_d}{C_d}$.
# With the ties among the near ones less than ε is spent here, but the estimate is wrong, for two numbers even in its sign.
# With the ties in both classes $\ln(1+e^\varepsilon)$ is spent, and with the survey's $B$ the estimate is too small.
# The coin that belongs to the survey's $B$ is
#
# $$ \frac{e^\varepsilon C_d}{(e^\varepsilon-1)\,C_d+2^d}, \qquad \text{with ties among the far corners.} $$
#
# As far as we could see, this coin and this $B$ are those of {cite:t}`nguyen2016collecting`, who repaired the method for even $d$.
# {cite:t}`duchi2018minimax` themselves have the coin that the survey prints, but with ties in both classes and a $B$ of their own, $c\,\big(2^{d-1} + \frac12\binom{d}{d/2}\big)/A_d$ for even $d$.
# This is unbiased, and spends $\ln(1+e^\varepsilon)$.
# So the survey seems to have put the coin of one paper beside the constants of the other.


# %% tags=["hide-input"]
def readings_hold(turned=False):
    """Whether all readings spend what the text says; `turned` has (2^d − C)/C upside down."""
    right = True
    for d, near in ((2, 1), (4, 5)):
        excess = log((2**d - near) / near) * (-1 if turned else 1)
        stated = {
            "> 0 and < 0 (printed)": np.inf,
            "> 0 and ≤ 0": 1 + excess,
            "≥ 0 and < 0": abs(1 - excess),
            "≥ 0 and ≤ 0": log(1 + exp(1)),
            RIGHT: 1.0,
        }
        right &= all(spent[name, d] == x or abs(spent[name, d] - x) < 1e-9 for name, x in stated.items())
    return right


check(
    "Coin",
    "d = 2 and 4: ∞; ε + ln((2^d−C)/C); |ε − ln((2^d−C)/C)|; ln(1+e^ε); ε",
    readings_hold(),
    control="C/(2^d−C) instead",
    caught=not readings_hold(turned=True),
)
centred = {key: abs(mean - 1) < 1e-9 for key, mean in kept.items()}
check(
    "Unbiased",
    "d = 2, 3, 4: the coin of the theorem, and the printed one with the B of Duchi et al.",
    all(centred[name, d] for name in (RIGHT, DUCHI) for d in (2, 3, 4)),
    control="the printed coin with the printed B at d = 4, any reading",
    caught=not any(centred[name, 4] for name in READINGS),
)

# %% [markdown]
# (sec-means-compare)=
# ## Which of them
#
# The variance of a score is $B^2 - t^2$ for MeanEst and $d\,c^2 - t^2$ for Harmony, and $B^2/(d\,c^2)$ tends to $\pi/2$: for many numbers MeanEst has the larger variance, by 57 %, and it sends $d$ bits instead of one.
# For even $d$ the 1 that $B$ is smaller by can tip the balance where $c$ is small, that is, at large ε.


# %% tags=["hide-input"]
MANY = {
    "split ε": lambda d, x: HarmonyMean(d=d, epsilon=x, count=d),
    "MeanEst": lambda d, x: MeanEst(d=d, epsilon=x),
    "Harmony": lambda d, x: HarmonyMean(d=d, epsilon=x),
    "sampled Hybrid": lambda d, x: SampledHybrid(d=d, epsilon=x),
}
MARKED = (2, 5, 10, 20, 50, 100)


def across_range(d):
    """Numbers from −1 to 1, one an attribute."""
    return np.linspace(-1, 1, d)


def drawn_surveys(mechanism, t, given, rng, people=30):
    """n × mean square error about t, and slope of the estimates on t, of surveys of people who put in `given`.

    Each with its standard error, from the scatter of the surveys.
    """
    runs = 100 + 2000 // mechanism.d
    reports = mechanism.perturb(np.tile(given, (runs * people, 1)), rng=rng)
    parts = [reports[i * people : (i + 1) * people] for i in range(runs)]
    estimates = np.stack([mechanism.estimate(mechanism.tally(part)) for part in parts])
    found = np.stack([people * np.square(estimates - t).mean(1), estimates @ t / (t @ t)])
    return found.mean(1), found.std(1, ddof=1) / sqrt(runs)


def survey_right(found, error, variance):
    """Whether the mean square error is the variance, and the slope 1, to 6 standard errors."""
    return bool(np.all(np.abs(found - (variance, 1)) < 6 * error))


drawn_many = {
    (name, d): drawn_surveys(make(d, 1.0), across_range(d), across_range(d), rng)
    for name, make in MANY.items()
    for d in MARKED
}
several = SampledHybrid(d=10, epsilon=8.0)  # asks about three
drawn_several = drawn_surveys(several, across_range(10), across_range(10), rng)
stated_many = {(name, d): MANY[name](d, 1.0).variance(across_range(d)[None]).mean() for name, d in drawn_many}
fair = drawn_surveys(MANY["MeanEst"](10, 1.0), across_range(10), np.zeros(10), rng)
check(
    "Real clients",
    f"{len(drawn_many)} mean square errors as stated, slope 1; so for sampled Hybrid with {several.count} of ten numbers",
    all(survey_right(*drawn_many[key], stated_many[key]) for key in drawn_many)
    and survey_right(*drawn_several, several.variance(across_range(10)[None]).mean()),
    control="fair signs whatever the numbers; MeanEst's errors against Harmony's",
    caught=not survey_right(*fair, stated_many["MeanEst", 10])
    and not survey_right(*drawn_many["MeanEst", 100], stated_many["Harmony", 100]),
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-d", "caption": "Many numbers, spread evenly from −1 to 1. Upper panel: n times the variance, per number, at ε = 1; lines are exact, markers real clients with 95 % bars (Hybrid's moved a little to the right). Splitting ε leaves the panel before three numbers. Harmony and sampled Hybrid are nearly level, MeanEst rises on two curves, for odd and for even d. Lower panel: the variance of MeanEst over that of Harmony. Odd d lie on one curve that rises to π/2 (upper grey line); for even d it depends on ε, and for few numbers and a large ε MeanEst is the better one."}, "image": {"alt": "Upper panel: variance per number against d from 2 to 100. Splitting rises steeply out of the panel; MeanEst has two rising curves, to 7.3 for odd d and 6.9 for even d; Harmony and sampled Hybrid stay between 4 and 5. Lower panel: ratio between 0.5 and 2 against d; four curves for even d start at 1.9, 1.5, 0.8 and 0.5 and approach 1.57; that for odd d starts at 1."}}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 7.6))
every = np.arange(2, 101)
for name, i, part, label in (
    ("split ε", 0, every[:9], "split ε"),
    ("MeanEst", 1, every[::2], "MeanEst, even d"),
    ("MeanEst", 4, every[1::2], "MeanEst, odd d"),
    ("Harmony", 2, every, "Harmony"),
    ("sampled Hybrid", 5, every, "sampled Hybrid"),
):
    level = [MANY[name](d, 1.0).variance(across_range(d)[None]).mean() / d for d in part.tolist()]
    axes[0].plot(part, level, **line(i), label=label)
    for d in set(MARKED) & set(part.tolist()):
        found, error = drawn_many[name, d]
        aside = 1.06 if name == "sampled Hybrid" else 1
        axes[0].errorbar(aside * d, found[0] / d, 1.96 * error[0] / d, **dots(i))
axes[0].set(xscale="log", ylim=(3, 11), xlabel="numbers a person d", ylabel="n × variance / d at ε = 1")
axes[0].set_xticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
axes[0].minorticks_off()
axes[0].legend(fontsize=10)
even, odd = np.arange(2, 61, 2), np.arange(1, 61, 2)
for i, x in zip((0, 1, 2, 5), (0.1, 0.5, 2.0, 8.0), strict=True):
    axes[1].plot(
        even, [size_b(d, x) ** 2 / d / scale(x) ** 2 for d in even.tolist()], **line(i), label=f"even d, ε = {x:g}"
    )
axes[1].plot(odd, [size_b(d, 1.0) ** 2 / d / scale(1.0) ** 2 for d in odd.tolist()], **line(6), label="odd d, any ε")
for level in (1, pi / 2):
    axes[1].axhline(level, color="gray", linewidth=1, linestyle="-", marker="")
axes[1].set(xlabel="numbers a person d", ylabel="variance, MeanEst / Harmony", ylim=(0.4, 2))
axes[1].legend(fontsize=10)
plt.show()


# %% tags=["hide-input"]
def asked_about(r, d, x):
    """n × second moment of a score if r of d numbers are drawn, each through the two points with ε/r."""
    return d / r * scale(x / r) ** 2


last = max(d for d in range(2, 100, 2) if size_b(d, 32.0) ** 2 < d * scale(32.0) ** 2)
first_two = brentq(lambda x: size_b(2, x) ** 2 - 2 * scale(x) ** 2, 0.1, 5)
print(f"MeanEst can be better than Harmony for even d up to {last}; for d = 2 from ε = {first_two:.2f} on")
for d in (2, 10, 80):
    one = brentq(lambda x, d=d: asked_about(d, d, x) - asked_about(1, d, x), 0.1, 60)
    all_but = brentq(lambda x, d=d: asked_about(d, d, x) - asked_about(d - 1, d, x), 0.3 * d, 4 * d)
    best = min(range(1, d + 1), key=lambda r, d=d, x=one: asked_about(r, d, x))
    print(
        f"d = {d}: splitting is better than asking about one number from ε = {one:.1f} on, where {best} are best, "
        f"and better than asking about any fewer from ε = {all_but:.1f} on"
    )
table(
    pd.DataFrame(
        [
            {"n × variance, d = 80": name}
            | {
                f"ε = {x:g}, {where}": f"{make(80, x).variance(np.full((1, 80), t))[0, 0]:,.0f}"
                for x in (1.0, 8.0)
                for t, where in ((0.0, "t = 0"), (1.0, "t = ±1"))
            }
            for name, make in MANY.items()
        ]
    )
)

# %% [markdown]
# Splitting ε is better than asking about one number only from about $\varepsilon = 2\sqrt d$ on ({prf:ref}`thm-harmony`), and there, if $d$ is large, asking about several is better still.
# With the two points it is best to send all of them only from ε = 3.1 on for two numbers, 20.7 for ten and 173 for eighty.
# At $\varepsilon = 1$ sampling with Hybrid is better than Harmony in the middle of the range and worse at its ends, as {prf:ref}`thm-means-second` makes it.
#
# The survey gives $O\big(\sqrt{d\log d}/(\varepsilon\sqrt n)\big)$ as the error of both methods.
# We read it as the largest of the $d$ errors, as in the papers that it cites: each has a standard error of about $c\sqrt{d/n}$, for Harmony, and the largest of $d$ roughly normal errors is about $\sqrt{2\ln d}$ times that.
# The bound takes $2/\varepsilon$ for $c$, which is right for small ε only, since $c \ge 1$.


# %% tags=["hide-input"]
def largest_error(mechanism, n, trials, rng):
    """Mean of the largest error if all numbers are 0; the tallies have their exact law."""
    d = mechanism.d
    if isinstance(
        mechanism, MeanEst
    ):  # a report is any corner, all alike, so its coordinates are independent fair coins
        counts = rng.binomial(n, 0.5, (trials, d))
    else:
        counts = rng.multinomial(n, np.full(2 * d, 1 / (2 * d)), trials).reshape(trials, d, 2)
    return np.abs(mechanism.estimate(Tally(mechanism, n, counts))).max(1).mean()


constant = {
    (name, d): largest_error(MANY[name](d, 0.5), 10**6, 200, rng) * 0.5 * sqrt(10**6 / (d * log(d)))
    for d in (16, 64, 256, 1024)
    for name in ("MeanEst", "Harmony")
}
for_large = {x: largest_error(MANY["Harmony"](64, x), 10**6, 4000, rng) for x in (0.25, 0.5, 2.0, 8.0)}
print(
    f"10⁶ people, d = 16 to 1,024, ε = 0.5: largest error {min(constant.values()):.1f} to {max(constant.values()):.1f} "
    "times √(d ln d)/(ε√n)"
)
print("Harmony, d = 64: largest error " + ", ".join(f"{found:.3f} at ε = {x:g}" for x, found in for_large.items()))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.meanest-b",
    holds={
        "unbiased": all(meanest_right.values()),
    },
)
inside = {key: found <= 1 + 1e-9 for key, found in spent.items()}
settle(
    "ye2018.meanest-coin",
    holds={
        "even": any(inside["> 0 and < 0 (printed)", d] for d in (2, 4)),
        "ties": any(inside[name, d] and centred[name, d] for name in list(READINGS)[1:] for d in (2, 4)),
    },
    instead={
        "odd": inside["> 0 and < 0 (printed)", 3] and centred["> 0 and < 0 (printed)", 3],
        "right-coin": all(inside[RIGHT, d] and centred[RIGHT, d] for d in (2, 3, 4)),
    },
)
doubled = {d: size_b(2 * d, 1.0) / size_b(d, 1.0) for d in (10, 100, 500)}
settle(
    "ye2018.meanest-exponential",
    holds={"exponential": min(size_b(d + 2, 1.0) / size_b(d, 1.0) for d in (10, 50, 100, 200, 500)) > 1.1},
    instead={"root-d": all(abs(ratio / sqrt(2) - 1) < 0.03 for ratio in doubled.values())},
)


def peak(client, d):
    """Bytes that one report needs."""
    tracemalloc.start()
    client((0.5,) * d, 1.0, np.random.default_rng(SEED))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


sampling = Counting(np.random.PCG64(SEED))
harmony((0.5,) * 1000, 1.0, sampling)
settle(
    "ye2018.harmony-mean-cost",
    holds={"draws": sampling.drawn < 10 < 1000 < counter.drawn},
)
settle(
    "ye2018.meanest-cost",
    holds={"memory": peak(meanest_quick, 1000) > peak(meanest, 14)},
    instead={
        "listing": peak(meanest, 14) > 10 * peak(meanest, 10),
        "draws": counter.drawn < 3 * 1000,
        "same-law": all(quick_same.values()),
    },
)
one_of_three = epsilon(laws(lambda t, rng: meanest(t, 1.0, rng), [(1.0, 1.0, 1.0), (-1.0, 1.0, 1.0)]))
alone = [
    sum(float(q) for y, q in one.items() if y[0] == 1)
    for one in laws(lambda t, rng: meanest(t, 1.0, rng), [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
]
settle(
    "ye2018.meanest-split",
    holds={
        "vector": abs(one_of_three - 1 / 3) < 1e-3,
        "coordinate": abs(log(alone[0] / alone[1]) - 1 / 3) < 1e-3,
    },
    instead={
        "whole": abs(one_of_three - 1) < 1e-9,
        "split-error": scale(0.1 / 100) / scale(0.1 / 10) > 9.9,
    },
)
settle(
    "ye2018.mean-bound",
    holds={
        "dimension": all(
            max(constant[name, d] for d in (16, 64, 256, 1024)) / min(constant[name, d] for d in (16, 64, 256, 1024))
            < 1.3
            for name in ("MeanEst", "Harmony")
        ),
        "small-epsilon": abs(for_large[0.25] / for_large[0.5] / 2 - 1) < 0.05,
        "large-epsilon": for_large[2.0] / for_large[8.0] > 3,
    },
)
settle(
    "ye2018.mean-similar",
    holds={
        "similar": all(0.5 < size_b(d, x) ** 2 / d / scale(x) ** 2 < 2 for d in range(2, 101) for x in (0.1, 1.0, 8.0)),
    },
)
settle(
    "ye2018.harmony-mean-bits",
    holds={
        "public-index": HarmonyMean(d=80, epsilon=1.0).report_bits * 80 == MeanEst(d=80, epsilon=1.0).report_bits,
        "sent-index": (1 + (80 - 1).bit_length()) * 80 == MeanEst(d=80, epsilon=1.0).report_bits,
    },
)

# %% [markdown]
# (sec-means-figures)=
# ## The survey's figures
#
# The survey collects 80 numbers from each of a million people by Harmony-Mean: integers from 1 to 400 drawn at random, so that the means of the attributes are linear.
# Numbers that are uniform on all of $1, …, 400$ have the mean 200.5, whatever the attribute, so they are not.
# Our choice: the mean of attribute $j$ rises from 60 to 340 in equal steps, and the values are uniform on the widest range around it that lies within 1 and 400.
# Every one of the million people is drawn, and reports through the real client.
# They come in ten batches, whose tallies add up.

# %%
RAW = Range(low=1, high=400)
MIDDLES = np.linspace(60, 340, 80)
WIDEST = np.minimum(MIDDLES - 1, 400 - MIDDLES)
LOW, HIGH = np.ceil(MIDDLES - WIDEST).astype(int), np.floor(MIDDLES + WIDEST).astype(int)
RESCALED = RAW.to_unit(np.arange(1, 401))  # the 400 values, rescaled once


def batch(n, rng):
    """Numbers of n people, rescaled: (n, 80)."""
    return RESCALED[rng.integers(LOW, HIGH + 1, (n, 80), dtype=np.int16) - 1]


BUDGETS = (0.1, 0.5, 1.0, 2.0)
harmonies = {x: HarmonyMean(d=80, epsilon=x) for x in BUDGETS}
parts, sums, squares = {x: [] for x in BUDGETS}, [], []
for number in range(10):
    unit = batch(100_000, rng)
    for x, mechanism in harmonies.items():
        parts[x].append(mechanism.tally(mechanism.perturb(unit, rng=rng)))
    sums.append(unit.sum(0))
    squares.append(np.square(unit).sum(0))
    if number == 0:
        first = unit  # a hundred thousand of them, for later
small_tally = harmonies[1.0].tally(harmonies[1.0].perturb(first[:10_000], rng=rng))
truth = {10**4: first[:10_000].mean(0), 10**5: first.mean(0), 10**6: sum(sums) / 10**6}
square = {10**4: np.square(first[:10_000]).mean(0), 10**5: squares[0] / 10**5, 10**6: sum(squares) / 10**6}
surveys = {(x, 10**6): sum(parts[x]) for x in BUDGETS} | {(1.0, 10**4): small_tally, (1.0, 10**5): parts[1.0][0]}
estimates = {(x, n): harmonies[x].estimate(tally) for (x, n), tally in surveys.items()}
stated_error = {(x, n): np.sqrt((80 * scale(x) ** 2 - square[n]) / n) for x, n in surveys}

# %% tags=["hide-input"]
del unit, parts


def clouds(ax, x, n):
    """True and estimated means of all attributes, in raw units."""
    ax.plot(np.arange(1, 81), RAW.from_unit(truth[n]), "o", color="C0", markersize=4, label="true mean")
    ax.plot(np.arange(1, 81), RAW.from_unit(estimates[x, n]), "^", color="#D55E00", markersize=4, label="estimate")
    ax.set(ylabel="mean value", ylim=(-80, 440))


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-six", "caption": "After Fig. 6: means of 80 attributes of a million people, values from 1 to 400, by Harmony-Mean. True means (circles) and estimates (triangles). At ε = 0.1 the estimates scatter by tens of units around the line, at ε = 2 they lie on it. Ranges of the values are our choice."}, "image": {"alt": "Three panels for epsilon 0.1, 0.5 and 2: 80 true means on a rising line from 60 to 340 and the estimates around them, scattered widely in the first panel, little in the second, hardly at all in the third."}}
fig, axes = plt.subplots(3, 1, figsize=(6.4, 7.6), sharex=True)
for ax, x in zip(axes, (0.1, 0.5, 2.0), strict=True):
    clouds(ax, x, 10**6)
    ax.set(title=f"ε = {x:g}")
axes[0].legend()
axes[2].set(xlabel="attribute")
plt.show()

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-nine", "caption": "After Fig. 9: the same at ε = 1, for ten thousand, a hundred thousand and a million people. A hundred times the people have a tenth of the error."}, "image": {"alt": "Three panels for 10,000, 100,000 and 1,000,000 people: estimates scatter widely around the rising line of true means in the first panel and lie on it in the last."}}
fig, axes = plt.subplots(3, 1, figsize=(6.4, 7.6), sharex=True)
for ax, n in zip(axes, (10**4, 10**5, 10**6), strict=True):
    clouds(ax, 1.0, n)
    ax.set(title=f"{n:,} people")
axes[0].legend()
axes[2].set(xlabel="attribute")
plt.show()


# %% tags=["hide-input"]
def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


observed = {key: rms(estimates[key] - truth[key[1]]) for key in surveys}
for x, n in sorted(surveys, key=lambda key: (key[1], key[0])):
    print(
        f"n = {n:>9,}, ε = {x:<3g}: root mean square error {RAW.half * observed[x, n]:5.1f}, "
        f"stated {RAW.half * rms(stated_error[x, n]):5.1f}"
    )
far_off = max(np.abs((estimates[x, n] - truth[n]) / stated_error[x, n]).max() for x, n in surveys)
check(
    "Figures",
    "480 means within 6 standard errors",
    far_off < 6,
    control="standard errors of ε = 0.5 for ε = 0.1",
    caught=np.abs((estimates[0.1, 10**6] - truth[10**6]) / stated_error[0.5, 10**6]).max() > 6,
)

# %% [markdown]
# The survey prints no numbers, and its figures are not in the text that we read, so we compare with what it says about them.
# The error falls with ε, and with the number of people as $1/\sqrt n$, which is what its explanation by the law of large numbers comes to.
#
# ### The same people, other mechanisms
#
# The next table is about the first hundred thousand of these people.
# It has the root mean square error that follows from the theorems, and in brackets that of one survey of eighty means.


# %% tags=["hide-input"]
rows, errors, founds = [], {}, {}
for name in ("Harmony", "sampled Hybrid", "MeanEst"):
    row = {"mechanism": name}
    for x in (0.5, 1.0, 2.0):
        mechanism = MANY[name](80, x)
        errors[name, x] = np.sqrt(mechanism.variance(first[:10_000]).mean(0) / len(first))
        founds[name, x] = mechanism.estimate(mechanism.tally(mechanism.perturb(first, rng=rng))) - truth[10**5]
        row[f"ε = {x:g}"] = f"{RAW.half * rms(errors[name, x]):.2f} ({RAW.half * rms(founds[name, x]):.2f})"
    rows.append(row)
apart = {x: scale(x / 80) / sqrt(10**5) for x in (0.5, 1.0, 2.0)}
rows.append(
    {"mechanism": "split ε (not simulated)"} | {f"ε = {x:g}": f"{RAW.half * error:.2f}" for x, error in apart.items()}
)


def errors_fit(name, pairs):
    """Whether the errors of one mechanism are below 6 standard errors and scatter as stated, all budgets together."""
    scaled = np.concatenate([founds[name, x] / errors[name, stated] for x, stated in pairs])
    return np.abs(scaled).max() < 6 and abs(rms(scaled) - 1) < 0.3


check(
    "Alternatives",
    "3 × 240 errors: all below 6 standard errors, and their spread within 30 % of the stated one",
    all(errors_fit(name, [(x, x) for x in (0.5, 1.0, 2.0)]) for name in ("Harmony", "sampled Hybrid", "MeanEst")),
    control="errors against those stated for twice the budget, and for half of it",
    caught=not any(
        errors_fit(name, pairs)
        for name in ("Harmony", "sampled Hybrid", "MeanEst")
        for pairs in ([(0.5, 1.0), (1.0, 2.0)], [(1.0, 0.5), (2.0, 1.0)])
    ),
)
table(pd.DataFrame(rows))

# %% [markdown]
# At $\varepsilon = 0.5$ sampled Hybrid is Harmony, since below 0.61 Hybrid sends two points only, and its numbers in brackets differ by chance.
# At 2 it takes off a tenth of the error.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.fig6",
    holds={
        "small-epsilon": observed[0.1, 10**6] / 2 > 0.05,
        "large-epsilon": observed[2.0, 10**6] / 2 < 0.01,
        "formula": all(abs(observed[x, 10**6] / rms(stated_error[x, 10**6]) - 1) < 0.45 for x in (0.1, 0.5, 2.0)),
    },
)
settle(
    "ye2018.fig9",
    holds={
        "falls": observed[1.0, 10**4] > observed[1.0, 10**5] > observed[1.0, 10**6],
        "formula": all(abs(observed[1.0, n] / rms(stated_error[1.0, n]) - 1) < 0.45 for n in (10**4, 10**5, 10**6)),
    },
)
settle(
    "ye2018.mean-epsilon",
    holds={
        "falls": bool(np.all(np.diff([observed[x, 10**6] for x in BUDGETS]) < 0)),
    },
)
scatter = np.mean(surveys[1.0, 10**6].counts @ harmonies[1.0].scores ** 2) / 10**6 - np.mean(square[10**6])
settle(
    "ye2018.mean-noise",
    holds={
        "cancels": sqrt(scatter) > 10 and observed[1.0, 10**6] < 0.1,
    },
)
settle(
    "ye2018.mean-individual",
    holds={
        "far": all(
            make(80, 1.0).variance(np.zeros((1, 80)))[0, 0] > 10**2 for make in (MANY["Harmony"], MANY["MeanEst"])
        ),
    },
)
settle(
    "ye2018.table6-error",
    holds={
        "small": all(rms(founds[name, 1.0]) / 2 < 0.06 for name in ("Harmony", "MeanEst")),
        "splitting": apart[1.0] / 2 > 0.2,
    },
)

# %% [markdown]
# (sec-means-table)=
# ## Table 6, with corrections
#
# In each cell the survey's entry comes first, in our words.
# What we found instead follows an arrow.
# The table is damaged in our text: for MeanEst's bound it has $\sqrt d\log d$, which we read as $\sqrt{d\log d}$, as in its text; and the word that says how far from the original MeanEst's individual data are is missing, so we read it as for Harmony-Mean.

# %% tags=["hide-input"]
BOUND = "√(d log d)/(ε√n) → for the largest of d errors, and small ε"
table(
    pd.DataFrame(
        [
            {
                "": "advantages",
                "MeanEst": "small error, useful data",
                "Harmony-Mean": "little time, small error, useful data",
            },
            {
                "": "drawbacks",
                "MeanEst": "individual data far from the original; much time and space, few dimensions only → any d",
                "Harmony-Mean": "individual data far from the original",
            },
            {
                "": "communication",
                "MeanEst": "O(d) → d bits",
                "Harmony-Mean": "O(1) → 1 bit, and ⌈log₂ d⌉ public ones",
            },
            {"": "error", "MeanEst": BOUND, "Harmony-Mean": BOUND},
            {
                "": "computation",
                "MeanEst": "high, all combinations → not needed: about 2d draws, d + 1 integers of at most d bits",
                "Harmony-Mean": "low, means only",
            },
            {
                "": "budget ε",
                "MeanEst": "split evenly over the variables → all of it on the vector",
                "Harmony-Mean": "all of it on the drawn variable",
            },
        ]
    )
)

# %% [markdown]
# (sec-means-fair)=
# ## A real mean, with an interval
#
# Back to the 6,366 readers.
# We ask six questions, all with the classes of the questionnaire, so the ranges are public.
# Everybody is asked one of them, by the sampled Hybrid at $\varepsilon = 2$, and reports once.
# All intervals below come from the reports alone.

# %%
people = datasets.fair()
QUESTIONS = {
    "age": (17.5, 42.0, "years"),
    "years_married": (0.5, 23.0, "years"),
    "children": (0.0, 5.5, "children"),
    "education": (9.0, 20.0, "years of schooling"),
    "religiosity": (1.0, 4.0, "points"),
    "marriage": (1.0, 5.0, "points"),
}
RANGES = Range(low=[low for low, _, _ in QUESTIONS.values()], high=[high for _, high, _ in QUESTIONS.values()])
unit = RANGES.to_unit(people[list(QUESTIONS)].to_numpy(float))
asked = SampledHybrid(d=6, epsilon=2.0)
survey = asked.tally(asked.perturb(unit, rng=rng))
low, high = (RANGES.from_unit(end) for end in interval(survey, level=0.95))
mean = RANGES.from_unit(asked.estimate(survey))

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {
                "question": name.replace("_", " "),
                "range": f"{QUESTIONS[name][0]:g} to {QUESTIONS[name][1]:g} {QUESTIONS[name][2]}",
                "estimate": f"{mean[j]:.3f}",
                "95 % interval": f"{low[j]:.3f} to {high[j]:.3f}",
                "truth": f"{people[name].mean():.3f}",
            }
            for j, name in enumerate(QUESTIONS)
        ]
    )
)

# %% [markdown]
# The interval is estimate ± 1.96 standard errors, where the standard error is read off the scatter of the scores,
#
# $$ \mathrm{se}^2 = \frac{1}{n-1}\Big(\overline{Z^2} - \overline Z^2\Big), $$
#
# with $\overline Z$ the estimate and $\overline{Z^2}$ the mean square of the $n$ scores.
# What is it an estimate of?
#
# :::{prf:theorem} The standard error
# :label: thm-means-error
# For a fixed population, $\E[\mathrm{se}^2] = \Var[\overline Z] + \frac1n\cdot\frac{1}{n-1}\sum_i (t^{(i)} - \bar t)^2$, where $t^{(i)}$ is the number of person $i$.
# If the people are drawn at random and independently from a distribution with mean μ, $\overline Z$ is unbiased for μ and $\E[\mathrm{se}^2] = \Var[\overline Z]$, chance in the drawing included.
# :::
#
# :::{prf:proof}
# Scores are independent, with means $t^{(i)}$ and variances $\sigma_i^2$.
# So $\E\sum(Z_i - \overline Z)^2 = \sum_i \sigma_i^2\,(1-\frac1n) + \sum_i (t^{(i)}-\bar t)^2$; divide by $n(n-1)$, and note that $\Var[\overline Z] = \sum\sigma_i^2/n^2$.
# For a random sample the scores are independent and of one law, and $\mathrm{se}^2$ is the usual unbiased estimate.
# :::
#
# So an interval about *these* readers is a little too wide, because the scatter of the scores contains the spread of the values.
# An interval about those whom the readers are a sample of is right, if there are enough of them.
# How many are enough can be computed: for one question and the two points, the number of + is a sum of binomials, and it gives the exact *coverage*, the probability that the interval contains the truth.


# %%
def coverage(mechanism, pluses, truth):
    """Exact coverage of the interval for one number, from the law of the number of positive signs."""
    n = len(pluses) - 1
    likely = np.flatnonzero(pluses > 1e-15)  # what is left out has a probability below 1e-9
    low, high = interval(Tally(mechanism, n, np.stack([n - likely, likely], 1)))
    return float(pluses[likely] @ ((low[:, 0] <= truth) & (truth <= high[:, 0])))


def fixed_pluses(t, eps):
    """Law of the number of positive signs of these people."""
    found = np.ones(1)
    for value, number in zip(*np.unique(t, return_counts=True), strict=True):
        found = np.convolve(found, binom.pmf(np.arange(number + 1), number, (1 + value / scale(eps)) / 2))
    return found


def sample_pluses(mean, n, eps):
    """The same for n people drawn at random from a population with this mean."""
    return binom.pmf(np.arange(n + 1), n, (1 + mean / scale(eps)) / 2)


# %% [markdown]
# What matters is the number of reports about the question with the *rarer* sign.
# Its expected value is $\frac{n}{2d}\big(1 - \lvert\bar t\rvert/c\big)$ for Harmony, and with $d = 1$ for the two points.


# %% tags=["hide-input"]
def rarer(mean, d, eps):
    """Expected number of reports of the rarer sign about one number, per person."""
    return (1 - abs(mean) / scale(eps)) / 2 / d


def sampled_coverage(mean, n, d, eps):
    """Exact coverage for one of d numbers of a random sample, by Harmony: how many are asked, how many say +."""
    mechanism, spread = HarmonyMean(d=d, epsilon=eps), 7 * sqrt(n * (d - 1)) / d + 7
    asked = np.arange(max(0, int(n / d - spread)), min(n, int(n / d + spread)) + 1)
    asked, plus = (grid.ravel() for grid in np.meshgrid(asked, np.arange(asked[-1] + 1), indexing="ij"))
    chance = binom.pmf(asked, n, 1 / d) * binom.pmf(plus, asked, (1 + mean / scale(eps)) / 2)
    asked, plus, chance = (column[chance > 1e-12] for column in (asked, plus, chance))
    counts = np.zeros((len(asked), d, 2), np.int64)
    counts[:, 0, 0], counts[:, 0, 1] = asked - plus, plus
    low, high = interval(Tally(mechanism, n, counts))
    return float(chance @ ((low[:, 0] <= mean) & (mean <= high[:, 0])))


ages = unit[:, 0]
grid = [0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]
fixed = [coverage(TwoPoint(epsilon=x), fixed_pluses(ages, x), ages.mean()) for x in grid]
drawn = [coverage(TwoPoint(epsilon=x), sample_pluses(ages.mean(), len(ages), x), ages.mean()) for x in grid]
CASES = {f"mean age, ε = {x:g}": (ages.mean(), 1, x) for x in (1.0, 0.25, 0.5, 2.0, 4.0, 8.0)} | {
    "mean 0, any ε": (0.0, 1, 1.0),
    "mean 0.98, ε = 8": (0.98, 1, 8.0),
    "mean age, one of six, ε = 1": (ages.mean(), 6, 1.0),
}
MOST = 150  # reports of the rarer sign
scans = {}
for name, (mean, d, x) in CASES.items():
    each = rarer(mean, d, x)
    if d > 1:  # smooth: some are enough
        crowd = np.unique((np.geomspace(1, MOST, 40) / each).astype(int))
        found = [sampled_coverage(mean, n, d, x) for n in crowd.tolist()]
    else:  # every n, or every seventh where these are thousands
        crowd = np.arange(int(1 / each), int(MOST / each), 7 if each < 0.1 else 1)
        found = [coverage(TwoPoint(epsilon=x), sample_pluses(mean, n, x), mean) for n in crowd.tolist()]
    scans[name] = crowd, each * crowd, np.array(found)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-coverage", "caption": "Exact coverage of the 95 % interval. Upper panel: mean age, one question, 6,366 people, against ε, for these readers (fixed) and for a population of which they are a sample. The second is right throughout; the first covers more than it should as soon as the spread of the ages counts beside the noise. Lower panel: random samples of growing size, against the expected number of reports of the rarer sign. Below ten of them the interval may cover far too rarely; from about ninety on it is right to a point in the cases tried. The curves jump because the number of signs is whole."}, "image": {"alt": "Upper panel: two curves of coverage against epsilon from 0.25 to 8; the one for a random sample stays at 95 percent, the one for the fixed population rises to above 98. Lower panel: three curves of coverage against the expected number of reports of the rarer sign, from 1 to 150: jagged and far below 95 percent on the left, within a point of 95 on the right."}}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 6.8))
axes[0].plot(grid, 100 * np.array(fixed), **line(0), label="these readers")
axes[0].plot(grid, 100 * np.array(drawn), **line(4), label="random sample")
axes[0].set(xlabel="privacy budget ε", ylabel="coverage, %")
for name, i in (("mean age, ε = 1", 0), ("mean 0.98, ε = 8", 4), ("mean age, one of six, ε = 1", 2)):
    _, expected, found = scans[name]
    axes[1].plot(expected, 100 * found, **(line(i) | {"linewidth": 1.2}), label=name)
axes[1].set(xscale="log", xlabel="expected reports of the rarer sign", ylabel="coverage, %", ylim=(55, 101))
axes[1].set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
axes[1].minorticks_off()
for ax in axes:
    ax.axhline(95, color="gray", linewidth=1, linestyle="-", marker="")
    ax.legend(fontsize=10)
plt.show()

# %% tags=["hide-input"]
print(
    "6,366 people, these readers and random sample: "
    + ", ".join(
        f"{100 * a:.1f} and {100 * b:.1f} % at ε = {x:g}"
        for x, a, b in zip(grid, fixed, drawn, strict=True)
        if x in (1.0, 4.0, 8.0)
    )
)
for name, (crowd, expected, found) in scans.items():
    off = np.flatnonzero(np.abs(found - 0.95) > 0.01)[-1]
    print(f"{name:<27}  off by more than a point last at n = {crowd[off]:,}, {expected[off]:.0f} of the rarer sign")
part = coverage(TwoPoint(epsilon=8.0), sample_pluses(0.98, 300, 8.0), 0.98)
half = 1.96 * sqrt((scale(8.0) ** 2 - 0.98**2) / 300) / 2
print(
    f"mean 0.98, ε = 8, n = 300: {300 * rarer(0.98, 1, 8.0):.0f} of the rarer sign, "
    f"± {half:.1%} of the range, coverage {part:.0%}"
)


def error_law(t, eps):
    """Exact mean of se² and variance of the estimate for a fixed population."""
    mechanism, pluses = TwoPoint(epsilon=eps), fixed_pluses(t, eps)
    n = len(t)
    tally = Tally(mechanism, n, np.stack([n - np.arange(n + 1), np.arange(n + 1)], 1))
    estimate = mechanism.estimate(tally)[:, 0]
    return float(pluses @ mechanism.standard_error(tally)[:, 0] ** 2), float(pluses @ (estimate - t.mean()) ** 2)


gaps = {}
for t in (ages[:40], ages):
    for x in (1.0, 4.0):
        mean_square, variance = error_law(t, x)
        gaps[len(t), x] = mean_square / variance - 1, t.var(ddof=1) / len(t) / variance
check(
    "Standard error",
    "exact law, 40 and 6,366 people, ε = 1 and 4: too large by the variance of the values over n",
    all(abs(found - stated) < 1e-9 for found, stated in gaps.values()),
    control="not too large",
    caught=all(found > 0.01 for found, _ in gaps.values()),
)
sizes = {(d, x): d * (1.96 * scale(x) / (2 * 0.05)) ** 2 for d in (1, 6) for x in (1.0, 2.0)}
print("± 5 % of the range takes " + ", ".join(f"{n:,.0f} people (d = {d}, ε = {x:g})" for (d, x), n in sizes.items()))

# %% [markdown]
# In all these cases the coverage is within a point of 95 % once about ninety reports of the rarer sign are expected.
# So both $n/d$ and $n\,(1 - \lvert\bar t\rvert/c)$ must be large, and a narrow interval is no proof that they are: with a mean of 0.98 and $\varepsilon = 8$ the interval of 300 people is narrow and misses in a fifth of the cases.
#
# By Harmony half of the width is about $1.96\sqrt{(d\,c^2 - \bar t^2)/n}$ in units of half the range, hardly more than $1.96\,c\sqrt{d/n}$.
# An age to within ± 5 % of its range, which is 1.2 years, takes 1,800 people who are asked nothing else at $\varepsilon = 1$, and six times as many with six questions.
#
# (sec-means-differs)=
# ## Where the survey errs
#
# - *MeanEst's coin* (§4.2): a corner with $y \cdot v > 0$ with probability $\frac{e^\varepsilon}{1+e^\varepsilon}$, otherwise one with $y \cdot v < 0$.
#   For even $d$ this is not private, or not unbiased with the printed $B$, however ties are read; right is $\frac{e^\varepsilon C_d}{(e^\varepsilon-1)C_d+2^d}$, with ties among the second ({ref}`sec-means-coin`).
# - *$B$ is exponential in $d$*, and all combinations have to be gone through, so that the method is for few dimensions (§4.2, Table 6).
#   In fact $B \approx c\sqrt{\pi d/2}$.
#   Listing the corners is exponential, but a report takes about $2d$ draws and $d+1$ binomial coefficients of at most $d$ bits.
# - *MeanEst distributes ε evenly over the variables* (Table 6).
#   In fact all of it is spent on the vector; with $\varepsilon/d$ for each number the error would be of the order $d$, not $\sqrt{d}$ as in the same row.
# - Smaller things: the reports lie in $\{-B, B\}^d$, as the survey says first, and not in $[-B, B]^d$, as it says later; and §4.4.2 announces four data sets and names three.
#
# (sec-means-wrong)=
# ## What can go wrong
#
# - *Values outside the range.*
#   Clipping them in silence moves the mean, by an amount that no report shows.
# - *A range from the data.*
#   The largest age that occurs is somebody's age.
# - *Floating-point noise.*
#   The logarithm of a random number takes certain values only.
#   So number plus noise takes certain values only, and for another number they are others.
#   With 256 random numbers, in miniature, $\varepsilon = \infty$; with doubles about two thirds of the reports of 0.3 cannot come from 0.
# - *Choosing what to answer.*
#   A client that skips a number that it does not want to report leaks by skipping, and biases the mean.
# - *Reading single scores.*
#   At $d = 80$ and $\varepsilon = 1$ a score is ±173 for Harmony's drawn number, 0 for the others, and ±23 for MeanEst, for a number between −1 and 1.
#   The survey counts this as a drawback (Table 6), but the size of a score says nothing about privacy: most of the 173 is the factor $d$.


# %% tags=["hide-input"]
NARROW = Range(low=17.5, high=37.0)
ages_raw = people["age"].to_numpy()
print(
    f"mean age {ages_raw.mean():.2f}; clipped to {NARROW.high:g}: {np.minimum(ages_raw, NARROW.high).mean():.2f}, "
    f"with {np.mean(ages_raw > NARROW.high):.0%} of the readers clipped"
)


def float_laplace(x, rng, size=256):
    """Laplace noise of scale 2 from a random number of few bits: the logarithm of it, with a sign."""
    return x + pick((-2, 2), rng) * log(pick(range(1, size + 1), rng) / size)


def possible(reports, x=0.0):
    """Which of these floats can be x plus twice the logarithm of a multiple of 2^−53, either sign."""
    far = np.abs(reports - x)
    near = np.rint(np.exp(-far / 2) * 2.0**53)
    noise = [2 * np.log((near + off) * 2.0**-53) for off in range(-8, 9)]
    return np.any([x + one == reports for one in noise] + [x - one == reports for one in noise], axis=0)


def float_reports(x, n, rng):
    return x + rng.choice((-2, 2), n) * np.log(rng.integers(1, 2**53, n) * 2.0**-53)


exclusive = {x: 1 - possible(float_reports(x, 20_000, rng)).mean() for x in (0.0, 0.3)}
check(
    "Floats",
    "8-bit noise: ε = ∞; doubles: over half of 20,000 reports of 0.3 cannot come from 0",
    epsilon(laws(float_laplace, [0.0, 0.3])) == np.inf and exclusive[0.3] > 0.5,
    control="reports of 0 itself",
    caught=exclusive[0.0] == 0,
)
print(f"doubles: {exclusive[0.3]:.0%} of the reports of 0.3 cannot come from 0")
print(f"largest scores, d = 80, ε = 1: Harmony {80 * scale(1.0):.0f}, MeanEst {size_b(80, 1.0):.0f}")

# %% [markdown]
# (sec-means-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: how many to ask
# At a large ε it pays to draw $r$ of the $d$ numbers and to report each with $\varepsilon/r$.
# With two points, which $r$ is best?
# :::
#
# :::{dropdown} Solution
# The second moment is $\frac dr\,c(\varepsilon/r)^2$.
# Put $u = \varepsilon/r$: it is $\frac d\varepsilon$ times $u\coth^2(u/2)$, which is least where $\sinh u = 2u$, at $u = 2.18$.
# So about one number for each 2.18 of ε.
# For Hybrid it depends on the values; its authors recommend one for each 2.5.
# :::

# %%
part = brentq(lambda u: np.sinh(u) - 2 * u, 1, 4)
best = {x: min(range(1, 11), key=lambda r: asked_about(r, 10, x)) for x in (1.0, 4.0, 8.0)}
print(f"u = {part:.3f};  best of ten numbers to ask about: " + ", ".join(f"{r} at ε = {x:g}" for x, r in best.items()))

# %% [markdown]
# :::{admonition} Exercise 2: nearer than near
# Let MeanEst favour the corners that agree with $v$ in at least $\tau$ of $d$ coordinates, for any $\tau$.
# How does $B$ change, and which $\tau$ is best for $d = 80$ at $\varepsilon = 1, 4, 8$ and 16?
# :::
#
# :::{dropdown} Solution
# As in the proof, with $C = \sum_{a\ge\tau}\binom da$ near corners and $A = \binom{d-1}{\tau-1}$, $B = (2^d + C(e^\varepsilon-1))/(A(e^\varepsilon-1))$.
# At $\varepsilon = 1$ the best is 42, just above MeanEst's 41; at larger ε fewer corners should be near.
# There the variance falls far below that of MeanEst, and also below what sampling any number of numbers gives with two points.
# :::


# %%
def threshold_b(d, eps, tau):
    near = sum(comb(d, a) for a in range(tau, d + 1))
    return (2**d + near * (exp(eps) - 1)) / (comb(d - 1, tau - 1) * (exp(eps) - 1))


def thresholded(t, eps, tau, rng):
    """MeanEst with the corners near that agree in tau coordinates or more."""
    v, corners = [sign(x, rng) for x in t], list(product((-1, 1), repeat=len(t)))
    near = [y for y in corners if sum(a == b for a, b in zip(y, v, strict=True)) >= tau]
    likely = exp(eps) * len(near) / (exp(eps) * len(near) + len(corners) - len(near))
    side = toss(likely, rng)
    return pick([y for y in corners if (y in near) == side], rng)


right, other = (
    vector_moments(lambda t, rng: thresholded(t, 4.0, 4, rng), lambda y, b=b: b * np.array(y), 4, 4.0)
    for b in (threshold_b(4, 4.0, 4), size_b(4, 4.0))
)
check(
    "Nearer",
    "d = 4, τ = 4, ε = 4: exactly ε, unbiased, variance B² − t²",
    is_right(right, 4.0, threshold_b(4, 4.0, 4) ** 2),
    control="the B of MeanEst",
    caught=not is_right(other, 4.0, size_b(4, 4.0) ** 2),
)
for x in (1.0, 4.0, 8.0, 16.0):
    tau = min(range(41, 81), key=lambda tau: threshold_b(80, x, tau))
    others = min(asked_about(r, 80, x) for r in range(1, 81))
    print(
        f"ε = {x:<2g}  best τ {tau}: B² = {threshold_b(80, x, tau) ** 2:5.1f}; "
        f"MeanEst {size_b(80, x) ** 2:5.1f}, sampling the best number of numbers {others:5.1f}"
    )

# %% [markdown]
# Next: mechanisms that are not invented but computed, by linear programming.
