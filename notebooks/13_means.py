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
# With $d$ numbers a person, splitting ε over them makes the variance grow like $d^2$, reporting one of them, drawn at random, like $d$.
# MeanEst answers about all of them at once with the whole ε.
# It is neither exponential in $d$ nor split, as the survey has it, and mostly a little worse than Harmony, which sends one bit.
# :::
#
# You will meet one family of clients for a single number and a linear program that says how good any could be, two ways to report many numbers, the survey's figures of a million people with eighty attributes, and confidence intervals whose coverage is computed rather than hoped for.
# From {ref}`ch-rr` you need randomized response and the definition of ε-LDP.

# %% tags=["hide-input"]
from itertools import product
from math import comb, exp, expm1, log, pi, sqrt, tanh

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import binom

from ldpnb import datasets
from ldpnb.book import check, dots, line, settle, style, table
from ldpnb.chance import law, pick, rational, toss, weighted
from ldpnb.core import Tally
from ldpnb.distortion import least_distortion
from ldpnb.means import HarmonyMean, Hybrid, Laplace, MeanEst, Piecewise, Range, SampledHybrid, TwoPoint, interval
from ldpnb.onebit import HarmonyFrequency
from ldpnb.verify import epsilon, laws, moments, same_law

style()
SEED = 2013  # the year of the first local mean
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-means-setting)=
# ## Numbers with a public range
#
# The readers of {ref}`ch-rr` also stated their age and the years of their marriage.
# An age is a number, and a client has to know between which two numbers it lies, because whatever it sends must be possible for every age.
# So the range is *public*: it is fixed before anybody is asked, and does not depend on the answers.
# The questionnaire had the age in classes, coded from 17.5 (under 20) to 42 (40 and over), and this is a public range.
# The survey's example is integers from 1 to 400.
#
# From here on a number is rescaled to $t \in [-1, 1]$: the middle of the range is 0, its ends are ±1.
# A value outside the range is an error, not something to be clipped in silence.

# %%
AGE = Range(low=17.5, high=42.0)
print("rescaled:", AGE.to_unit([17.5, 27.0, 42.0]).round(3).tolist())
try:
    AGE.to_unit([27.0, 50.0])
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# | symbol | meaning | in code |
# |---|---|---|
# | $n, d$ | number of people, of numbers a person | `n`, `d` |
# | $t$, $t_j$ | one number, number $j$ of a person, rescaled | `t` |
# | $\bar t$ | mean of the $n$ numbers, the truth | |
# | $e$ | short for $e^\varepsilon$, never Euler's number | `e` |
# | $c$ | $(e+1)/(e-1) = 1/\tanh(\varepsilon/2)$ | `c` |
# | score | what a report adds to $n$ times the estimate | |
# | $s$ | number of steps of a grid on $[-1, 1]$ | `steps` |
# | $\rho$ | $e^{-\varepsilon/s}$, the ratio of two neighbouring weights | `ratio` |
# | $w$ | width of a window, in cells | `width` |
# | $C_d$ | number of corners of the cube that agree with a given one in more than half of the coordinates | |
# | $B$ | size of the scores of MeanEst | |


# %% tags=["hide-input"]
def scale(eps):
    """The number c."""
    return 1 / tanh(eps / 2)


TRIED = (-1.0, -0.3, 0.0, 0.25, 1.0)


def exact(client, score, values=TRIED):
    """Exact ε of a client, and mean and variance of its score for each value, from the law."""
    found = laws(client, values)
    mean = [sum(float(q) * score(y) for y, q in one.items()) for one in found]
    square = [sum(float(q) * score(y) ** 2 for y, q in one.items()) for one in found]
    return epsilon(found), np.array(mean), np.array(square) - np.square(mean)


# %% [markdown]
# (sec-means-sign)=
# ## A number becomes a sign
#
# Randomized response wants two answers, and a coin makes two out of a number.
# If + comes up with probability $(1+t)/2$, the sign has the mean $t$.
# Then the sign is told truthfully with probability $e/(e+1)$.


# %%
def sign(t, rng):
    """+1 or −1, with mean t."""
    return 1 if toss((1 + t) / 2, rng) else -1


def two_point(t, eps, rng):
    """The sign of t through Warner's randomized response."""
    s = sign(t, rng)
    return s if toss(exp(eps) / (exp(eps) + 1), rng) else -s


# %% [markdown]
# :::{prf:theorem} Two points
# :label: thm-means-two
# The client is exactly ε-LDP.
# With the score $\pm c$ the mean of all scores is unbiased for $\bar t$, and one score has the variance $c^2 - t^2$.
# No other two scores are unbiased for every $t$.
# :::
#
# :::{prf:proof}
# A report is + with probability $\frac12 + \frac{t}{2c}$, a mixture of $\frac{e}{e+1}$ and $\frac{1}{e+1}$, which are attained at $t = \pm1$.
# So the mean of the score $\pm c$ is $t$, and its square is always $c^2$.
# Two scores that are right at $t = 1$ and at $t = -1$ solve two linear equations, whose determinant is $1/c \ne 0$.
# :::
#
# {cite:t}`duchi2018minimax` propose this for one number.
# The survey's §1.2.3 describes the idea: make two values out of the continuous one, then W-RR; choose the two values so that the result is unbiased.
# There is only one choice.

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
check(
    "Same law",
    "two_point and the package's TwoPoint",
    same_law(
        lambda t, rng: (1 + two_point(t, 1.0, rng)) // 2,
        lambda t, rng: int(TwoPoint(epsilon=1.0).perturb([t], rng=rng)[0]),
        TRIED,
    ),
    control="inline at ε = 1.01",
    caught=not same_law(
        lambda t, rng: (1 + two_point(t, 1.01, rng)) // 2,
        lambda t, rng: int(TwoPoint(epsilon=1.0).perturb([t], rng=rng)[0]),
        TRIED,
    ),
)

# %% [markdown]
# (sec-means-laplace)=
# ## Noise on a grid
#
# The other classical way is to add noise to the number ({ref}`sec-rr-laplace` says why the survey's "does not apply" is wrong).
# On $[-1, 1]$ Laplace noise of scale $2/\varepsilon$ is exactly ε-LDP, and its variance is $8/\varepsilon^2$.
#
# Two things about it can be improved.
# The first is the real numbers.
# A computer's Laplace noise is a logarithm of a random integer, and which floating-point numbers can come out depends on the number that it was added to: a single report can give its value away {cite:p}`mironov2012significance`, as the section on {ref}`what can go wrong <sec-means-wrong>` shows.
# So we put everything on a grid: $s$ steps from $x_0 = -1$ to $x_s = 1$, $x_i = -1 + 2i/s$.
# A number between two points becomes one of the two, by a coin with the right mean, and the noise is a whole number of steps, *two-sided geometric*: $z$ steps with probability $\frac{1-\rho}{1+\rho}\rho^{|z|}$, $\rho = e^{-\varepsilon/s}$ {cite:p}`ghosh2012universally`.
# Then a law is finite, or would be if the noise ended somewhere.
#
# The second thing is that it does end somewhere, at no cost.
# The client below walks from its point in a random direction, and at every step stops with probability $1-\rho$; at an end of the range it stops anyway.


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
# Let $Y = i + Z$ be a grid point with two-sided geometric noise that is not cut, and $Y'$ the same cut at 0 and $s$.
#
# 1. Both are exactly ε-LDP.
# 2. Given $Y'$, the law of $Y$ does not depend on $i$: whoever has $Y'$ can draw $Y$ from it.
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
# 1. $\Pr[Y = y \mid i]$ is proportional to $\rho^{|y-i|}$, and two values of $i$ differ by at most $s$, so that no ratio is above $\rho^{-s} = e$; it is attained at $y = 0$, by $i = 0$ and $i = s$, also after the cut.
# 2. For $y \ge s$ and every $i \le s$ we have $\rho^{|y-i|} = \rho^{y-s}\rho^{s-i}$: the likelihood ratio of any two values is the same at $s$ and everywhere beyond.
#    Given $Y' = s$, therefore, $Y - s$ is geometric, $\Pr[Y - s = g] = (1-\rho)\rho^g$, whatever $i$ was.
# 3. A geometric number has the mean $\frac{\rho}{1-\rho}$ and the variance $\frac{\rho}{(1-\rho)^2}$, so the score is the mean of $x_Y$ given $Y'$; it has the mean of $x_Y$, which is $x_i$, and the variance is smaller by that of the geometric number where an end is reached, which has probability $\frac{\rho^i+\rho^{s-i}}{1+\rho}$.
#    Let $h(Y)$ be any unbiased score.
#    Its mean given $Y'$ is unbiased as well, its variance is not larger, and it is a function of $Y'$.
#    There is only one such function: the channel of $Y'$ is the matrix $(\rho^{|i-y|})_{iy}$ with its columns multiplied by positive numbers, and that matrix has the determinant $(1-\rho^2)^s \ne 0$.
# 4. $s(1-\rho) \to \varepsilon$, $\rho^i \to e^{-\varepsilon(1+t)/2}$ and $\rho^{s-i} \to e^{-\varepsilon(1-t)/2}$.
# :::
#
# At $\varepsilon \to 0$ half of the variance is gone.
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


within = uncut[:, (reach >= 2) & (reach <= 4)]
check(
    "Nothing beyond",
    "given the end, the place beyond has one law for all values",
    np.ptp(given_end(uncut), axis=0).max() < 1e-12,
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
# A third client favours a whole *window* of cells around its number.
# There are $s + w$ cells, and the grid point $i$ favours the $w$ cells $i, …, i+w-1$: each of them has $e$ times the weight of any other.


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
# $$ S(y) = \frac{2(we+s)}{s\,w\,(e-1)}\Big(y - \frac{s+w-1}{2}\Big) $$
#
# is unbiased on the grid.
# :::
#
# :::{prf:proof}
# A cell has probability $\frac{e}{we+s}$ inside the window and $\frac{1}{we+s}$ outside, and for any two points some cell is in one window only.
# Spread the smaller probability over all cells and the difference over the window: the cells are symmetric about $\frac{s+w-1}{2}$, so the mean of $y - \frac{s+w-1}{2}$ is $\frac{e-1}{we+s}$ times its sum over the window, which is $w\,(i + \frac{w-1}2 - \frac{s+w-1}{2}) = w\,(i - \frac s2)$.
# Multiplied by the slope this is $\frac2s(i-\frac s2) = x_i$.
# :::
#
# With $s \to \infty$ and $w/(s+w) = 1/(e^{\varepsilon/2}+1)$ this is the *Piecewise* mechanism of {cite:t}`wang2019collecting`, whose variance is
#
# $$ \frac{t^2}{h-1} + \frac{h+3}{3(h-1)^2}, \qquad h = e^{\varepsilon/2}, $$ (eq-means-piecewise)
#
# and with one step and a window of one cell it is, once more, the two points.
# {numref}`fig-means-laws` shows the three clients side by side.


# %% tags=["hide-input"]
def window_score(y, steps, width, eps):
    """The score of the theorem."""
    e = exp(eps)
    return 2 * (width * e + steps) / (steps * width * (e - 1)) * (y - (steps + width - 1) / 2)


eps_window, mean_window, var_window = exact(
    lambda t, rng: windowed(t, STEPS, 3, 1.5, rng), lambda y: window_score(y, STEPS, 3, 1.5), GRID.tolist()
)
_, mean_other, _ = exact(
    lambda t, rng: windowed(t, STEPS, 3, 1.5, rng), lambda y: window_score(y, STEPS, 3, 1.4), GRID.tolist()
)
window_right = abs(eps_window - 1.5) < 1e-12 and np.abs(mean_window - GRID).max() < 1e-12
check(
    "Windows",
    f"ε = {eps_window:.6f}, unbiased, {STEPS} steps, windows of 3 cells",
    window_right,
    control="slope for ε = 1.4",
    caught=np.abs(mean_other - GRID).max() > 0.01,
)


def piecewise_variance(eps, t=0.0):
    """Variance of the continuous Piecewise mechanism."""
    h = exp(eps / 2)
    return t**2 / (h - 1) + (h + 3) / (3 * (h - 1) ** 2)
