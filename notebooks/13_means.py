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
from functools import cache
from itertools import product
from math import comb, exp, log, pi, sqrt, tanh

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binom

from ldpnb import datasets
from ldpnb.book import check, dots, line, settle, style, table
from ldpnb.chance import law, pick, rational, toss, weighted
from ldpnb.core import Tally
from ldpnb.distortion import least_distortion
from ldpnb.means import (
    HarmonyMean,
    Hybrid,
    Laplace,
    MeanEst,
    Piecewise,
    Range,
    SampledHybrid,
    TwoPoint,
    best_width,
    interval,
)
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


def twins(statement, inline, package, inputs=TRIED, eps=1.0):
    """Check that an inline client has the law of one of the package, and at a slightly larger ε has not."""
    right, other = (same_law(lambda t, rng, x=x: inline(t, x, rng), package, inputs) for x in (eps, eps + 0.01))
    check("Same law", statement, right, control=f"inline at ε = {eps + 0.01:.2f}", caught=not other)


def cell(mechanism):
    """The client of a mechanism for one number, and its report as an integer."""
    return lambda t, rng: int(mechanism.perturb([t], rng=rng)[0])


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
twins(
    "two_point and the package's TwoPoint",
    lambda t, eps, rng: (1 + two_point(t, eps, rng)) // 2,
    cell(TwoPoint(epsilon=1.0)),
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
#
# The second is the tails.
# Noise has no end, but it can be cut at the ends of the range, at no cost, and then the law is finite.
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
# A number between two grid points adds the variance of its rounding, at most $1/s^2$.
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
# On a fine grid only the share $\varphi = w/(s+w)$ matters, and the variance tends to
#
# $$ \frac{t^2}{\varphi(e-1)} + \frac{D\,\big(1+(e-1)\varphi^3\big)}{3(1-\varphi)^2\varphi^2(e-1)^2}, \qquad D = \varphi e + 1 - \varphi. $$ (eq-means-windows)
#
# {cite:t}`wang2019collecting` proposed this mechanism, in continuous form, as *Piecewise*, with $\varphi = 1/(e^{\varepsilon/2}+1)$.
# With one step and a window of one cell it is, once more, the two points.
#
# The variance of the two points falls with $t^2$, that of the windows rises.
# A coin that is tossed without looking at $t$, and that everybody may see, can mix them so that the variance is the same for every $t$: this is *Hybrid*, of the same authors.
# (The second moment of the windows' score is a constant plus $t^2/\beta$ with $\beta = (e-1)w/(we+s)$, that of the two points is constant; with probability β for the windows, the mixture has a constant plus $t^2$.)
# It pays where it makes the worst case smaller, for ε above 0.61.
# {numref}`fig-means-laws` shows the clients side by side.


# %% tags=["hide-input"]
def window_score(y, steps, width, eps):
    """The score of the theorem."""
    e = exp(eps)
    return 2 * (width * e + steps) / (steps * width * (e - 1)) * (y - (steps + width - 1) / 2)


eps_window, mean_window, _ = exact(
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


def window_variance(eps, share, t):
    """Variance on a fine grid."""
    e = exp(eps)
    D = share * e + 1 - share
    return t**2 / (share * (e - 1)) + D * (1 + (e - 1) * share**3) / (3 * ((1 - share) * share * (e - 1)) ** 2)


fine = Piecewise(epsilon=2.0, steps=1024)
at = np.array([-1.0, 0.0, 0.5])
share = fine.window / (fine.steps + fine.window)
check(
    "Fine grid",
    "1,024 steps: variance within 0.1 % of the formula",
    np.abs(fine.noise(at)[:, 0] / window_variance(2.0, share, at) - 1).max() < 1e-3,
    control="share larger by a tenth",
    caught=np.abs(fine.noise(at)[:, 0] / window_variance(2.0, 1.1 * share, at) - 1).max() > 0.01,
)


twins(
    "noisy and the package's Laplace",
    lambda t, eps, rng: noisy(t, STEPS, eps, rng),
    cell(Laplace(epsilon=1.5, steps=STEPS)),
    eps=1.5,
)
twins(
    "windowed and the package's Piecewise",
    lambda t, eps, rng: windowed(t, STEPS, 3, eps, rng),
    cell(Piecewise(epsilon=1.5, steps=STEPS, width=3)),
    eps=1.5,
)
mixed = Hybrid(epsilon=1.5, steps=STEPS)
mixed_laws = laws(mixed, GRID)
mixed_mean, _ = moments(mixed, np.array(TRIED))
mixed_points = moments(mixed, GRID)[1][:, 0]
check(
    "Hybrid",
    f"exact law: ε = {epsilon(mixed_laws):.6f}, unbiased, one variance at all grid points",
    abs(epsilon(mixed_laws) - 1.5) < 1e-12
    and np.abs(mixed_mean[:, 0] - TRIED).max() < 1e-12
    and np.ptp(mixed_points) < 1e-12,
    control="Piecewise alone",
    caught=np.ptp(moments(Piecewise(epsilon=1.5, steps=STEPS), GRID)[1]) > 0.1,
)
equal = brentq(lambda x: window_variance(x, 1 / (exp(x / 2) + 1), 0) - scale(x) ** 2, 0.1, 3)
print(f"on a fine grid Hybrid mixes from ε = {equal:.4f} on, where Piecewise and the two points are equal at t = 0")


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-laws", "caption": "How often each score is sent, ε = 1.5, by somebody whose number is −1 (circles) and somebody whose number is 0.5 (triangles), on grids of eight steps. Two points: nothing but ±c. Noise that is cut: most reports are in the end cells, whose scores lie well beyond the range. Windows: two levels, a window of e^ε and the rest. No cell differs by more than a factor e^ε = 4.5 between the two people."}, "image": {"alt": "Three panels of probability against score between minus 3 and 3. Two points have two stems, at 1.6 on either side. Cut noise has nine stems, the outer ones tallest and at 2.2. Windows have twelve to fourteen stems of two heights."}}
LAW_EPS, LAW_STEPS = 1.5, 8
shown = {
    "two points": TwoPoint(epsilon=LAW_EPS),
    "cut noise": Laplace(epsilon=LAW_EPS, steps=LAW_STEPS),
    "windows": Piecewise(epsilon=LAW_EPS, steps=LAW_STEPS),
}
fig, axes = plt.subplots(3, 1, figsize=(6.4, 6.0), sharex=True)
for ax, (name, mechanism) in zip(axes, shown.items(), strict=True):
    score = mechanism.scores
    for who, (t, marker) in enumerate(((-1.0, "o"), (0.5, "^"))):
        one = laws(mechanism, np.array([t]))[0]
        chance = np.array([float(one.get(y, 0)) for y in range(len(score))])
        shift = (who - 0.5) * 0.06
        ax.vlines(score + shift, 0, chance, color=f"C{3 * who}", linewidth=1.2)
        ax.plot(score + shift, chance, marker, color=f"C{3 * who}", label=f"t = {t:g}".replace("-", "−"))
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
# Scores between the points of the grid gain little: they can be rounded at random to the next two, which keeps the mean and adds at most a quarter of the squared spacing to the variance.


# %%
@cache
def least_variance(eps, steps=16, scores=65, reach=1.6):
    """Least worst-case variance of an unbiased client on a grid, with a proved bound."""
    x = np.linspace(-1, 1, steps + 1)
    y = np.linspace(-reach, reach, scores) * scale(eps)
    return least_distortion((y - x[:, None]) ** 2, eps, unbiased=(x, y))


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-variance", "caption": "One number, variance of one score. Upper panel: the largest variance over all t, as a multiple of the least possible, against ε. Markers are 40,000 real clients each, all at the worst t, with 95 % bars. Two points are all but optimal at small ε, Hybrid is within a tenth of the limit up to ε = 1, and at large ε wider windows than the published ones come closest. Cutting the Laplace noise takes up to half of its variance away. Lower panel: the variance against t at ε = 2."}, "image": {"alt": "Upper panel: six curves of variance over the limit, between 1 and 8, for epsilon from 0.1 to 8; Laplace starts at 2, cut Laplace just above 1, and both rise; two points start at 1 and leave the panel; Hybrid stays lowest to 1.5. Lower panel: variance against t from minus 1 to 1; only those of Laplace and Hybrid are flat."}}
budgets = np.unique(np.r_[np.geomspace(0.1, 8, 17), 0.5, 1, 2, 4])
limit = np.array([least_variance(x).bound for x in budgets])


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
LOOKS = {name: i for i, name in enumerate(["two points", "Laplace", *list(KINDS)[1:]])}
worst = {"Laplace": 8 / budgets**2} | {
    name: np.array([make(x).worst_noise for x in budgets]) for name, make in KINDS.items()
}


def drawn_variance(mechanism, t, n, rng):
    """Variance of the scores of n real clients with the number t, and its 95 % margin."""
    counts = mechanism.tally(mechanism.perturb(np.full(n, t), rng=rng)).counts
    score = mechanism.scores
    apart = (score - counts @ score / n) ** 2
    found = counts @ apart / n
    return found, 1.96 * sqrt((counts @ (apart - found) ** 2 / n) / n)


CLIENTS = 40_000
seen = {}
for name in ("two points", "Laplace, cut", "Piecewise, wider", "Hybrid"):
    for x in (0.5, 1.0, 2.0, 4.0):
        mechanism = KINDS[name](x)
        tried = np.linspace(-1, 1, 129)
        t = tried[np.argmax(mechanism.noise(tried)[:, 0])]
        seen[name, x] = (mechanism.noise([t])[0, 0], *drawn_variance(mechanism, t, CLIENTS, rng))
fig, axes = plt.subplots(2, 1, figsize=(6.4, 7.6))
for name, i in LOOKS.items():
    axes[0].plot(budgets, worst[name] / limit, **line(i), label=name)
for (name, x), (_, found, margin) in seen.items():
    axes[0].errorbar(x, found / least_variance(x).bound, margin / least_variance(x).bound, **dots(LOOKS[name]))
axes[0].axhline(1, color="black", linewidth=1, linestyle="-", marker="")
axes[0].set(xscale="log", ylim=(0.9, 4), xlabel="privacy budget ε", ylabel="worst variance / limit")
axes[0].set_xticks([0.1, 0.5, 1, 2, 4, 8], ["0.1", "0.5", "1", "2", "4", "8"])
axes[0].minorticks_off()
axes[0].legend(fontsize=10)
across = np.linspace(-1, 1, 129)
axes[1].plot(across, np.full(129, 2.0), **line(LOOKS["Laplace"]))
for name, make in KINDS.items():
    axes[1].plot(across, make(2.0).noise(across)[:, 0], **line(LOOKS[name]))
axes[1].set(xlabel="number t", ylabel="variance at ε = 2", ylim=(0, 2.2))
plt.show()

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {"ε": f"{x:g}", "limit": f"{least_variance(x).bound:.3f}", "Laplace": f"{8 / x**2:.3f}"}
            | {name: f"{make(x).worst_noise:.3f}" for name, make in KINDS.items()}
            for x in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
        ]
    )
)

# %% tags=["hide-input"]
finer = {x: (least_variance(x).bound, least_variance(x, 32, 129).bound) for x in (0.5, 1.0, 4.0)}
gap = max(least_variance(x).distortion / least_variance(x).bound - 1 for x in (0.5, 1.0, 4.0))
check(
    "Linear program",
    "certified to 1e-6; twice as fine a grid moves the limit by less than 1 %",
    gap < 1e-6 and max(abs(b / a - 1) for a, b in finer.values()) < 0.01,
    control="a grid of four steps",
    caught=abs(least_variance(4.0, 4, 65).bound / finer[4.0][1] - 1) > 0.01,
)
check(
    "Real clients",
    f"16 variances of {CLIENTS:,} scores as computed from the channels",
    all(abs(found - stated) <= margin / 1.96 * 6 + 1e-3 * stated for stated, found, margin in seen.values()),
    control="Hybrid's against those of wider windows",
    caught=any(
        abs(seen["Hybrid", x][1] - seen["Piecewise, wider", x][0]) > seen["Hybrid", x][2] / 1.96 * 6
        for x in (0.5, 1.0, 2.0, 4.0)
    ),
)
fit = [wide(x).window - best_width(Piecewise(epsilon=x)) for x in (1.0, 4.0)]
check(
    "Width",
    "ε = 1 and 4: the best of all widths, tried one by one, is that of the formula to within two cells",
    max(map(abs, fit)) <= 2,
    control="the published width",
    caught=abs(Piecewise(epsilon=4.0).window - best_width(Piecewise(epsilon=4.0))) > 2,
)

# %% [markdown]
# The table has the numbers behind the figure, all on grids: 16 steps for the limit, which is coarse at $\varepsilon = 8$, and 64 for the others.
# At small ε nothing is much better than one bit.
# From about $\varepsilon = 1$ on Hybrid is; and above 2 the published width of the windows is no longer a good one.
# It makes the variance at $t = 0$ small, but the worst values are $\pm1$, and there the first term of {eq}`eq-means-windows` asks for a wider one.
# (The package's `best_width` tries them all.)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}


def single_corner(t, rng):
    return int(MeanEst(d=1, epsilon=1.0).perturb([[t]], rng=rng)[0, 0])


def single_answer(t, rng):
    return 2 * int(HarmonyMean(d=1, epsilon=1.0).perturb([[t]], rng=rng)["cell"][0, 0]) - 1


settle(
    "ye2018.two-values",
    holds={
        "a coin makes ±1 of a number, W-RR perturbs the sign: ε-private and unbiased": two_right,
        "MeanEst and Harmony-Mean for d = 1 are this client": all(
            same_law(lambda t, rng: two_point(t, 1.0, rng), one, TRIED) for one in (single_corner, single_answer)
        ),
    },
)
ends = np.array([[float(one[1]), float(one[-1])] for one in laws(lambda t, rng: two_point(t, 1.0, rng), [1.0, -1.0])])
settle(
    "ye2018.two-values-difficulty",
    holds={
        "unbiased at both ends: the two values can only be ±c": np.abs(
            np.linalg.solve(ends, [1.0, -1.0]) - [scale(1.0), -scale(1.0)]
        ).max()
        < 1e-12,
        "other values, such as ±1, are biased": np.abs(mean_plain - TRIED).max() > 0.1,
    },
)

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
# A score of number $j$ is $\pm dc$ with probability $1/d$, with mean $t_j$ given that $j$ is drawn over $d$; its square has the mean $d^2c^2/d$.
# :::
#
# For small ε, $c \approx 2/\varepsilon$: splitting costs $4d^2/\varepsilon^2$ and sampling $4d/\varepsilon^2$.
# ({ref}`sec-onebit-harmony` has the same comparison for frequencies, and settles the survey's "grows $d$ times".)
# In the survey's formula the probability of the positive score is $\frac{t_j(e-1)+e+1}{2e+2}$, which is $\frac12+\frac{t_j}{2c}$.

# %% tags=["hide-input"]
VECTORS = [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (0.25, -0.3), (0.0, 1.0)]


def vector_moments(client, scores, d, eps):
    """Exact ε, and mean and variance of the vector of scores, for all test vectors of d numbers."""
    inputs = (
        VECTORS if d == 2 else [(1.0,) * d, (-1.0,) * d, (0.5,) * (d - 1) + (-1.0,), tuple(np.linspace(-0.8, 0.9, d))]
    )
    found = laws(client, inputs)
    mean = [sum(float(q) * scores(y) for y, q in one.items()) for one in found]
    square = [sum(float(q) * scores(y) ** 2 for y, q in one.items()) for one in found]
    return epsilon(found), np.array(mean), np.array(square) - np.square(mean), np.array(inputs)


def harmony_scores(report, d, eps):
    j, s = report
    return np.eye(d)[j] * d * scale(eps) * s


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


def package_harmony(t, rng):
    report = HarmonyMean(d=2, epsilon=1.0).perturb([t], rng=rng)[0]
    return int(report["attribute"][0]), 2 * int(report["cell"][0]) - 1


twins("harmony and the package's HarmonyMean, five vectors", harmony, package_harmony, VECTORS)


# %% [markdown]
# ### Dividing by those who were asked
#
# The estimate divides the sum of the scores about number $j$ by $n$, that is, the sum of the signs by the *expected* number $n/d$ of people who are asked about it.
# Their actual number $n_j$ is public, and one may divide by it instead.
#
# :::{prf:theorem} Own numbers
# :label: thm-means-own
# Let $R_j = \frac{c}{n_j}\sum z_i$ be $c$ times the mean of the signs about number $j$.
# Given $n_j \ge 1$ it is unbiased for $\bar t_j$, and
#
# $$ \Var[R_j \mid n_j] = \frac{c^2 - \overline{t_j^2}}{n_j} + \Big(\frac1{n_j}-\frac1n\Big)S_j^2, \qquad S_j^2 = \frac{1}{n-1}\sum_i (t_{ij}-\bar t_j)^2. $$
#
# Per person, and for many people, this is $(d-1)\,\bar t_j^2$ less than the variance of the estimate that divides by $n/d$.
# :::
#
# :::{prf:proof}
# Given $n_j$, the people who are asked are a simple random sample of $n_j$ out of $n$, since everybody draws alike.
# The mean of their values is unbiased with variance $(\frac1{n_j}-\frac1n)S_j^2$; the signs add $c^2 - t^2$ for each of them.
# With $n_j \approx n/d$, $n$ times the variance is about $d\,(c^2 - \overline{t_j^2}) + (d-1)(\overline{t_j^2} - \bar t_j^2)$, and the other one has $d\,c^2 - \overline{t_j^2}$.
# :::
#
# So it pays where a mean is far from the middle of its range, and never hurts by much.
# The package keeps to $n/d$, because that estimate is linear and its variance exact; the counts in its tally give the other one too.


# %% tags=["hide-input"]
FEW = [(0.5, 0.0), (-1.0, 0.0), (1.0, 0.0), (0.9, 0.0)]


def own_moments(eps):
    """Exact mean and variance of R for number 0 of the four people, given how many are asked about it."""
    one = [laws(lambda t, rng: harmony(t, eps, rng), [t])[0] for t in FEW]
    joint = {(0, 0): 1.0}  # (number asked, sum of signs) -> probability
    for report in one:
        step = {}
        for (asked, total), p in joint.items():
            for (j, s), q in report.items():
                key = (asked + (j == 0), total + s * (j == 0))
                step[key] = step.get(key, 0) + p * float(q)
        joint = step
    found = {}
    for m in range(1, len(FEW) + 1):
        chance = sum(p for (asked, _), p in joint.items() if asked == m)
        values = {scale(eps) * total / m: p / chance for (asked, total), p in joint.items() if asked == m}
        mean = sum(x * p for x, p in values.items())
        found[m] = mean, sum((x - mean) ** 2 * p for x, p in values.items())
    return found


column = np.array(FEW)[:, 0]
inner, outer = np.mean(column**2), column.var(ddof=1)
found = own_moments(1.0)
stated = {m: (scale(1.0) ** 2 - inner) / m + (1 / m - 1 / 4) * outer for m in found}
check(
    "Own numbers",
    "four people, exact law given n_j = 1, …, 4: mean and variance as stated",
    all(abs(found[m][0] - column.mean()) < 1e-12 and abs(found[m][1] - stated[m]) < 1e-12 for m in found),
    control="S² = 0",
    caught=any(abs(found[m][1] - (scale(1.0) ** 2 - inner) / m) > 0.01 for m in found),
)


# %% [markdown]
# ### Which client to sample with
#
# If one number in $d$ is sampled, a score has the variance $d\,\E[S^2] - t^2$, where $S$ is the score of the client for one number.
# Not its variance counts now, but its second moment; and in this the two points are the best there is.
#
# :::{prf:theorem} The least second moment
# :label: thm-means-second
# Let a client for one number be ε-LDP and its score $S$ unbiased at $t = \pm1$.
# Then $\E[S^2 \mid 1] + \E[S^2 \mid -1] \ge 2c^2$.
# :::
#
# :::{prf:proof}
# Write $p_y$ and $q_y$ for the probabilities of report $y$ at $t = 1$ and $t = -1$.
# Unbiasedness gives $\sum_y S_y(p_y - q_y) = 2$, and privacy gives $|p_y - q_y| \le (p_y+q_y)/c$.
# By the inequality of Cauchy and Schwarz
#
# $$ 4 \le \sum_y S_y^2\,(p_y+q_y)\cdot\sum_y \frac{(p_y-q_y)^2}{p_y+q_y} \le \sum_y S_y^2\,(p_y+q_y)\cdot\frac{2}{c^2}. $$
#
# :::
#
# The two points have $\E[S^2] = c^2$ for every $t$.
# So in the worst case no client makes sampling one of $d$ numbers better than Harmony, but for 1 in a variance of $d\,c^2$.
# Where numbers are spread over the range Hybrid can be better: its second moment is a constant plus $t^2$, and what counts is the mean of $t^2$ over the people.

# %% tags=["hide-input"]
second = {
    f"{name}, ε = {x:g}": (make(x).noise([-1.0, 1.0]).mean() + 1) / scale(x) ** 2
    for name, make in KINDS.items()
    for x in (0.5, 1.0, 2.0, 4.0)
}
best_channel = least_variance(2.0)
best_scores = np.linspace(-1.6, 1.6, 65) * scale(2.0)
second["linear program, ε = 2"] = best_channel.channel[[0, -1]].mean(0) @ best_scores**2 / scale(2.0) ** 2
check(
    "Second moment",
    f"{len(second)} clients: at the ends between {min(second.values()):.3f} and {max(second.values()):.3f} times c²",
    min(second.values()) > 1 - 1e-9 and abs(second["two points, ε = 2"] - 1) < 1e-9,
    control="a client that spends 2.02, against c at ε = 2",
    caught=(TwoPoint(epsilon=2.02).noise([-1.0, 1.0]).mean() + 1) / scale(2.0) ** 2 < 1 - 1e-9,
)
for x in (1.0, 2.0, 4.0):
    level = Hybrid(epsilon=x).noise([0.0])[0, 0]
    print(f"ε = {x:g}: Hybrid is the better one to sample with if the mean of t² is below {scale(x) ** 2 - level:.2f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
positive = law(lambda rng: harmony((0.25, -0.3), 1.0, rng))
e1 = exp(1.0)
settle(
    "ye2018.harmony-mean-law",
    holds={
        "the drawn number is ±dc with the printed probabilities, the others 0": all(
            abs(2 * float(positive[j, 1]) - (t * (e1 - 1) + e1 + 1) / (2 * e1 + 2)) < 1e-12
            for j, t in enumerate((0.25, -0.3))
        ),
        "exactly ε-private for the vector, and unbiased": is_right(sampled, 1.0, 2 * scale(1.0) ** 2),
    },
)
one_changed = laws(lambda t, rng: harmony(t, 1.0, rng), [(1.0, 0.3, 0.3), (-1.0, 0.3, 0.3)])
settle(
    "ye2018.harmony-mean-epsilon",
    holds={"d = 3: changing one number attains all of ε": abs(epsilon(one_changed) - 1) < 1e-12},
)


def frequency_by_means(x, rng):
    """Harmony-Mean of the signs that the items of two attributes have in a row drawn in public."""
    row = pick(range(4), rng)
    j, s = harmony([float((-1) ** (row & item).bit_count()) for item in x], 1.0, rng)
    return j, row, s == -1


def harmony_frequency(x, rng):
    report = HarmonyFrequency(sizes=(3, 3), epsilon=1.0).perturb([x], rng=rng)[0]
    return int(report["attribute"]), int(report["row"]), bool(report["bit"])


settle(
    "ye2018.harmony-both",
    holds={
        "Harmony-Frequency is Harmony-Mean of signs ±1 from a public table": same_law(
            frequency_by_means, harmony_frequency, [(0, 1), (2, 2), (1, 0)]
        ),
    },
)

# %% [markdown]
# (sec-means-meanest)=
# ## All numbers at once
#
# {cite:t}`duchi2018minimax` found a third way, which the survey calls *MeanEst*.
# It neither splits nor samples: it answers about all numbers together, with all of ε.
# The vector is rounded to a corner $v$ of the cube $\{-1, 1\}^d$, number by number.
# Then a corner is reported, and those that agree with $v$ in more coordinates than not have $e$ times the probability of the others.


# %%
def near_and_far(v):
    """The corners that agree with v in more coordinates than not, and the others (ties among them)."""
    corners = list(product((-1, 1), repeat=len(v)))
    near = [r for r in corners if np.dot(r, v) > 0]
    return near, [r for r in corners if np.dot(r, v) <= 0]


def meanest(t, eps, rng):
    """A corner of the cube, e^ε times likelier if it is near the rounded t."""
    near, far = near_and_far([sign(x, rng) for x in t])
    likely = exp(eps) * len(near)
    return pick(near if toss(likely / (likely + len(far)), rng) else far, rng)


# %% [markdown]
# Let $C_d$ be the number of near corners, and $S_d = \binom{d-1}{\lfloor d/2\rfloor}$.
#
# :::{prf:theorem} MeanEst
# :label: thm-means-meanest
# The client is exactly ε-LDP for the whole vector.
# With the scores $\pm B$,
#
# $$ B = \frac{2^d + C_d\,(e-1)}{S_d\,(e-1)}, \qquad C_d = \begin{cases} 2^{d-1} & d \text{ odd,}\\ 2^{d-1} - S_d & d \text{ even,}\end{cases} $$
#
# it is unbiased, and the variance for number $j$ is $B^2 - t_j^2$.
# In other words
#
# $$ B = c\,\frac{2^{d-1}}{S_d} \ \text{ ($d$ odd)}, \qquad B = c\,\frac{2^{d-1}}{S_d} - 1 \ \text{ ($d$ even)}, \qquad \frac{B}{\sqrt d} \to c\,\sqrt{\frac{\pi}{2}}. $$
#
# If ties, which an even $d$ has, were given the weight $1 \le \omega \le e$ instead of 1, $B$ would be larger by $2(\omega-1)/(e-1)$.
# :::
#
# :::{prf:proof}
# *Privacy.*
# All $v$ have the same sum of weights, $C_d e + 2^d - C_d$, so two of them differ by the factor $e$ at most, and do so at a corner that is near to one and not to the other.
# A vector $t$ only mixes them.
#
# *Agreement.*
# Add up, over the near corners, $+1$ for those that agree with $v$ at $j$ and $-1$ for the others.
# Flip coordinate $j$: if both corners are near they cancel, and what is left are the corners that agree at $j$ and just fail without it, those with $\lfloor d/2\rfloor$ of the other $d-1$ coordinates in agreement.
# There are $S_d$ of them.
# Over all corners the sum is 0, so the mean of $r_j$ given $v$ is $v_j\,\frac{(e-1)S_d}{(e-1)C_d+2^d} = v_j/B$.
#
# *Size.*
# For odd $d$ half of the corners are near; for even $d$ there are $\binom{d}{d/2} = 2S_d$ ties, and half of the rest is near.
# Ties agree at $j$ as often as not, so their weight changes the sum of weights, by $2S_d(\omega-1)$, and nothing else.
# Stirling's formula gives $S_d/2^{d-1} \sim \sqrt{2/(\pi d)}$.
# :::
#
# So ties belong with the far corners, and $B$ grows like the square root of $d$.


# %%
def size_b(d, eps):
    """The size B of the scores of MeanEst."""
    e = exp(eps)
    near, surplus = sum(comb(d, a) for a in range(d // 2 + 1, d + 1)), comb(d - 1, d // 2)
    return (2**d + near * (e - 1)) / (surplus * (e - 1))


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
    return pick([r for r in corners if (np.dot(r, v) >= 0) == side], rng)


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
# ### In $O(d)$ steps
#
# The client above lists all $2^d$ corners, which is fine for a proof and hopeless for $d = 80$.
# But all that matters about a corner is in how many coordinates it agrees with $v$.
# Draw this number $a$ first: near or far by the coin, then $a$ with probability proportional to $\binom da$.
# Then decide which coordinates agree, going through them one by one: if $m$ agreements are to be placed in the $k$ coordinates that are left, the next one agrees with probability $m/k$.


# %%
def meanest_quick(t, eps, rng):
    """The same law in about 2 d draws: how many coordinates agree, then which."""
    d, v = len(t), [sign(x, rng) for x in t]
    ways = [comb(d, a) for a in range(d + 1)]
    near = [w if 2 * a > d else 0 for a, w in enumerate(ways)]
    far = [w if 2 * a <= d else 0 for a, w in enumerate(ways)]
    likely = exp(eps) * sum(near) / (exp(eps) * sum(near) + sum(far))
    left = int(weighted(near if toss(likely, rng) else far, (), rng))
    report = []
    for j in range(d):
        agree = bool(rational(left, d - j, (), rng))
        left -= agree
        report.append(v[j] if agree else -v[j])
    return tuple(report)


# %% tags=["hide-input"]
def package_meanest(t, rng):
    return tuple(MeanEst(d=len(t), epsilon=1.0).perturb([t], rng=rng)[0].tolist())


INPUTS = {2: [(1.0, -1.0), (0.3, 0.0)], 3: [(1.0, -1.0, 1.0), (0.3, 0.0, -0.5)], 4: [(1.0, -1.0, 1.0, 0.3)]}
quick_same = {
    d: same_law(lambda t, rng: meanest_quick(t, 1.0, rng), lambda t, rng: meanest(t, 1.0, rng), inputs)
    for d, inputs in INPUTS.items()
}
check(
    "Same law",
    "MeanEst by listing corners and in O(d) steps, d = 2, 3, 4",
    all(quick_same.values()),
    control="ties drawn with the near corners",
    caught=not same_law(lambda t, rng: meanest_quick(t, 1.0, rng), lambda t, rng: careless(t, 1.0, rng), INPUTS[2]),
)
twins("meanest_quick and the package's MeanEst, d = 3", meanest_quick, package_meanest, INPUTS[3])
long = MeanEst(d=1000, epsilon=1.0)
agreements = [int(np.sum(long.perturb(np.ones((1, 1000)), rng=rng) == 1)) for _ in range(2)]
print(
    f"d = 1,000: B = {float(long.scale):.2f}; two reports agree with v in {agreements[0]} and {agreements[1]} coordinates"
)

# %% [markdown]
# (sec-means-coin)=
# ### The printed coin
#
# The survey has the same $B$ and $C_d$ (as far as our text of it, which was read by a machine, shows them), but another coin.
# With probability $\frac{e}{1+e}$, it says, a corner $r$ with $r \cdot v > 0$ is returned, and with probability $\frac{1}{1+e}$ one with $r\cdot v < 0$.
# For odd $d$ there are no ties, both classes are equally large, and this is right.
# For even $d$ one has to say what becomes of the ties, and there are four ways to read it.


# %%
READINGS = {
    "> 0 and < 0, as printed": (lambda a: a > 0, lambda a: a < 0),
    "> 0 and ≤ 0": (lambda a: a > 0, lambda a: a <= 0),
    "≥ 0 and < 0": (lambda a: a >= 0, lambda a: a < 0),
    "≥ 0 and ≤ 0": (lambda a: a >= 0, lambda a: a <= 0),
}


def printed(t, eps, near, far, rng):
    """MeanEst with the coin e/(1+e) between two classes of corners."""
    v = [sign(x, rng) for x in t]
    wanted = near if toss(exp(eps) / (1 + exp(eps)), rng) else far
    return pick([r for r in product((-1, 1), repeat=len(t)) if wanted(np.dot(r, v))], rng)


# %% tags=["hide-input"]
def judged(client, d, eps):
    """Exact ε, and by how much the estimate with the printed B is too small or too large, for corners."""
    corners = [(1.0,) * d, *[(-1.0,) * j + (1.0,) * (d - j) for j in range(1, d + 1)]]
    found = laws(client, corners)
    mean = sum(float(q) * y[0] for y, q in found[0].items())
    return epsilon(found), size_b(d, eps) * mean


verdicts = {
    (name, d): judged(lambda t, rng, c=classes: printed(t, 1.0, *c, rng), d, 1.0)
    for name, classes in READINGS.items()
    for d in (2, 3, 4)
}
RIGHT = "e C/((e−1)C + 2^d), > 0 and ≤ 0"
verdicts |= {(RIGHT, d): judged(lambda t, rng: meanest(t, 1.0, rng), d, 1.0) for d in (2, 3, 4)}
table(
    pd.DataFrame(
        [
            {
                "coin": "e/(1+e)" if name in READINGS else RIGHT.split(",")[0],
                "classes": name.split(", ")[-1 * (name == RIGHT)].removesuffix(", as printed"),
            }
            | {
                f"d = {d}: ε": ("∞" if verdicts[name, d][0] == np.inf else f"{verdicts[name, d][0]:.3f}")
                for d in (2, 3, 4)
            }
            | {f"d = {d}: mean/t": f"{verdicts[name, d][1]:.3f}".replace("-", "−") for d in (2, 3, 4)}
            for name in [*READINGS, RIGHT]
        ]
    )
)

# %% [markdown]
# The table has each reading's exact ε, where 1 is asked for, and the factor by which the mean of its scores $\pm B$ differs from $t$.
# Taken literally, a corner that ties with $v$ is never sent, and gives away that the vector was not rounded to $v$: $\varepsilon = \infty$.
# With the ties among the far ones the corners of the smaller class are likelier than they should be, and ε is exceeded by $\ln\frac{2^d-C_d}{C_d}$.
# With the ties among the near ones it is the other way round: here less than ε is spent, but then $B$ is wrong, so wrong for two numbers that the estimate has the wrong sign.
# With the ties in both classes ε becomes $\ln(1+e)$, and with this $B$ the estimate is too small.
# The coin that belongs to the survey's $B$ is $\frac{e\,C_d}{(e-1)C_d+2^d}$.

# %% tags=["hide-input"]
excess = {d: log((2**d - comb_near) / comb_near) for d, comb_near in ((2, 1), (4, 5))}
check(
    "Coin",
    "even d: ∞; ε + ln((2^d−C)/C); |ε − ln((2^d−C)/C)|; ln(1+e)",
    all(
        verdicts["> 0 and < 0, as printed", d][0] == np.inf
        and abs(verdicts["> 0 and ≤ 0", d][0] - (1 + excess[d])) < 1e-9
        and abs(verdicts["≥ 0 and < 0", d][0] - abs(1 - excess[d])) < 1e-9
        and abs(verdicts["≥ 0 and ≤ 0", d][0] - log(1 + exp(1))) < 1e-9
        for d in (2, 4)
    )
    and all(abs(verdicts[RIGHT, d][0] - 1) < 1e-9 and abs(verdicts[RIGHT, d][1] - 1) < 1e-9 for d in (2, 3, 4)),
    control="odd d, where all readings are right",
    caught=all(abs(verdicts[name, 3][0] - 1) < 1e-9 and abs(verdicts[name, 3][1] - 1) < 1e-9 for name in READINGS),
)

# %% [markdown]
# (sec-means-compare)=
# ## Which of them
#
# The variance of a score is $B^2 - t^2$ for MeanEst and $d\,c^2 - t^2$ for Harmony, so that $B^2/(d\,c^2)$ compares them, and this tends to $\pi/2$: for many numbers MeanEst has the larger variance, by half, and it sends $d$ bits instead of one.
# For even $d$ the 1 that $B$ is smaller by can tip the balance where $c$ is small, that is, at large ε.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-d", "caption": "Many numbers. Upper panel: n times the variance for numbers in the middle of the range, at ε = 1, against d; lines are exact, markers real clients with 95 % bars. Splitting ε grows with the square of d, the others in proportion. Lower panel: the variance of MeanEst over that of Harmony. Odd d lie on one curve that rises to π/2 (dotted); for even d it depends on ε, and for few numbers and a large ε MeanEst is the better one."}, "image": {"alt": "Upper panel: log-log plot against d from 1 to 100; splitting rises from 4.7 to 40,000; MeanEst, Harmony and sampled Hybrid rise side by side to between 400 and 700. Lower panel: ratio between 0.5 and 2 against d; four curves for even d start at 1.9, 1.5, 0.8 and 0.5 and approach 1.57; that for odd d starts at 1."}}
MANY = {
    "split ε": lambda d, x: HarmonyMean(d=d, epsilon=x, count=d),
    "MeanEst": lambda d, x: MeanEst(d=d, epsilon=x),
    "Harmony": lambda d, x: HarmonyMean(d=d, epsilon=x),
    "sampled Hybrid": lambda d, x: SampledHybrid(d=d, epsilon=x),
}
DIMENSIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15, 20, 21, 30, 31, 50, 51, 70, 71, 99, 100]
stated = {
    name: np.array([make(d, 1.0).noise(np.zeros((1, d)))[0, 0] for d in DIMENSIONS]) for name, make in MANY.items()
}


def drawn_error(mechanism, people, rng):
    """n times the squared error of surveys of real clients whose numbers are all 0, mean and 95 % margin."""
    runs, nobody = -(-1000 // mechanism.d), np.zeros((people, mechanism.d))
    errors = [mechanism.estimate(mechanism.tally(mechanism.perturb(nobody, rng=rng))) for _ in range(runs)]
    found = people * np.square(errors).ravel()
    return found.mean(), 1.96 * found.std() / sqrt(len(found))


MARKED = (2, 5, 10, 20, 50, 100)
seen_many = {(name, d): drawn_error(make(d, 1.0), 300, rng) for name, make in MANY.items() for d in MARKED}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 7.6))
for i, name in enumerate(MANY):
    axes[0].plot(DIMENSIONS, stated[name], **line(i), label=name)
    for d in MARKED:
        axes[0].errorbar(d, *seen_many[name, d], **dots(i))
axes[0].set(xscale="log", yscale="log", xlabel="numbers a person d", ylabel="n × variance at ε = 1")
axes[0].set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
axes[0].minorticks_off()
axes[0].legend()
even, odd = np.arange(2, 61, 2), np.arange(1, 61, 2)
for i, x in enumerate((0.1, 0.5, 2.0, 8.0)):
    axes[1].plot(
        even, [size_b(d, x) ** 2 / d / scale(x) ** 2 for d in even.tolist()], **line(i), label=f"even d, ε = {x:g}"
    )
axes[1].plot(odd, [size_b(d, 1.0) ** 2 / d / scale(1.0) ** 2 for d in odd.tolist()], **line(6), label="odd d, any ε")
axes[1].axhline(pi / 2, color="gray", linewidth=1, linestyle=":", marker="")
axes[1].axhline(1, color="gray", linewidth=1, linestyle="-", marker="")
axes[1].set(xlabel="numbers a person d", ylabel="variance, MeanEst / Harmony", ylim=(0.4, 2))
axes[1].legend(fontsize=10)
plt.show()

# %% tags=["hide-input"]
over = {(d, x): size_b(d, x) ** 2 / d / scale(x) ** 2 for d in (2, 3, 10, 80, 1000) for x in (0.1, 1.0, 2.0, 8.0)}
for d in (2, 3, 10, 80, 1000):
    print(f"d = {d:>5,}:  " + "   ".join(f"ε = {x:g}: {over[d, x]:.3f}" for x in (0.1, 1.0, 2.0, 8.0)))
last = max(d for d in range(2, 100, 2) if size_b(d, 32.0) ** 2 < d * scale(32.0) ** 2)
print(
    f"MeanEst can be the better one for even d up to {last}; for d = 2 from ε = {brentq(lambda x: size_b(2, x) ** 2 - 2 * scale(x) ** 2, 0.1, 5):.2f} on"
)
for d in (10, 80):
    crossing = brentq(lambda x, d=d: scale(x / d) ** 2 - d * scale(x) ** 2, 0.1, 60)
    print(f"d = {d}: splitting is better than Harmony from ε = {crossing:.1f} on, 2√d = {2 * sqrt(d):.1f}")
eighty = {name: make(80, 1.0) for name, make in MANY.items()}
for t in (0.0, 1.0):
    print(
        f"d = 80, ε = 1, all |t| = {t:g}: "
        + ", ".join(f"{name} {mechanism.noise(np.full((1, 80), t))[0, 0]:,.0f}" for name, mechanism in eighty.items())
    )
standard = {key: (found, margin / 1.96) for key, (found, margin) in seen_many.items()}
expected = {(name, d): make(d, 1.0).noise(np.zeros((1, d)))[0, 0] for name, make in MANY.items() for d in MARKED}
check(
    "Real clients",
    f"{len(standard)} mean square errors as stated",
    all(abs(found - expected[key]) < 6 * error for key, (found, error) in standard.items()),
    control="MeanEst's against Harmony's",
    caught=any(abs(standard["MeanEst", d][0] - expected["Harmony", d]) > 6 * standard["MeanEst", d][1] for d in MARKED),
)

# %% [markdown]
# The printed numbers add three remarks.
# Splitting ε is the best of these for a very large ε only, from about $2\sqrt d$ on.
# At $\varepsilon = 1$ sampling with Hybrid is better than Harmony in the middle of the range and worse at its ends, as {prf:ref}`thm-means-second` makes it.
# And from $\varepsilon = 5$ on the sampled Hybrid asks about more than one number; the exercises show why.
#
# (sec-means-bound)=
# ### The largest of $d$ errors
#
# The survey gives $O\big(\sqrt{d\log d}/(\varepsilon\sqrt n)\big)$ as the error of both.
# It does not say which error, but the logarithm does: it is the largest over the $d$ means.
# Each of them has a standard error of about $c\sqrt{d/n}$, for Harmony, and the largest of $d$ roughly normal errors is about $\sqrt{2\ln d}$ times that.
# The bound takes $2/\varepsilon$ for $c$, which is right for small ε only, since $c \ge 1$; and it wants many people, more than about $d \log d$, so that every number is asked about.


# %% tags=["hide-input"]
def largest_error(mechanism, n, trials, rng):
    """Mean of the largest error if all numbers are 0; the tallies have their exact law."""
    d = mechanism.d
    if isinstance(mechanism, MeanEst):  # every coordinate of a report is a fair coin, independent of the others
        counts = rng.binomial(n, 0.5, (trials, d))
    else:
        counts = rng.multinomial(n, np.full(2 * d, 1 / (2 * d)), trials).reshape(trials, d, 2)
    return np.abs(mechanism.estimate(Tally(mechanism, n, counts))).max(1).mean()


rows, constant = [], {}
for d in (16, 64, 256, 1024):
    for name in ("MeanEst", "Harmony"):
        found = largest_error(MANY[name](d, 0.5), 10**6, 200, rng)
        constant[name, d] = found * 0.5 * sqrt(10**6) / sqrt(d * log(d))
    rows.append({"d": f"{d:,}"} | {name: f"{constant[name, d]:.2f}" for name in ("MeanEst", "Harmony")})
for_large = {x: largest_error(MANY["Harmony"](64, x), 10**6, 200, rng) for x in (0.25, 0.5, 2.0, 8.0)}
print("Harmony, d = 64: largest error " + ", ".join(f"{found:.4f} at ε = {x:g}" for x, found in for_large.items()))
table(pd.DataFrame(rows))

# %% [markdown]
# The table has the largest error of a million people at $\varepsilon = 0.5$ in units of $\sqrt{d\ln d}/(\varepsilon\sqrt n)$.
# It hardly depends on $d$, as the bound says.
# From $\varepsilon = 2$ to 8 the error does not fall to a quarter: one of $d$ numbers is sampled, and that noise is left however large ε is.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.meanest-b",
    holds={
        "d = 2 to 5: with B and C_d as read, and the right coin, the estimate is unbiased": all(meanest_right.values()),
    },
)
even_d, all_d = (2, 4), (2, 3, 4)
inside = {key: spent <= 1 + 1e-9 for key, (spent, _) in verdicts.items()}
centred = {key: abs(factor - 1) < 1e-9 for key, (_, factor) in verdicts.items()}
settle(
    "ye2018.meanest-coin",
    holds={
        "odd d: ε-private and unbiased with the printed B": all(
            inside[name, 3] and centred[name, 3] for name in READINGS
        ),
        "d = 2 and 4, with the strict signs: ε-private": any(inside["> 0 and < 0, as printed", d] for d in even_d),
        "d = 2 and 4, ties in one class or both: ε-private and unbiased": any(
            inside[name, d] and centred[name, d] for name in list(READINGS)[1:] for d in even_d
        ),
    },
)
doubled = {d: size_b(2 * d, 1.0) / size_b(d, 1.0) for d in (10, 100, 500)}
settle(
    "ye2018.meanest-exponential",
    holds={
        "d = 10 to 500: two more numbers multiply B by a factor above 1.1": min(
            size_b(d + 2, 1.0) / size_b(d, 1.0) for d in (10, 50, 100, 200, 500)
        )
        > 1.1
    },
    instead={
        "d doubled, from 10, 100, 500: B grows by √2 within 3 %": all(
            abs(ratio / sqrt(2) - 1) < 0.03 for ratio in doubled.values()
        )
    },
)
settle(
    "ye2018.meanest-cost",
    holds={"the law can only be drawn by going through all corners": not all(quick_same.values())},
    instead={
        "one number of agreements and 2d coins have the same law, d = 2, 3, 4": all(quick_same.values()),
        "d = 1,000: B and reports are computed": abs(float(long.scale) / size_b(1000, 1.0) - 1) < 1e-9
        and len(long.perturb(np.zeros((3, 1000)), rng=rng)) == 3,
    },
)
one_of_three = epsilon(laws(lambda t, rng: meanest(t, 1.0, rng), [(1.0, 1.0, 1.0), (-1.0, 1.0, 1.0)]))
parts = {d: HarmonyMean(d=d, epsilon=0.1, count=d).noise(np.zeros((1, d)))[0, 0] for d in (10, 100)}
alone = [
    sum(float(q) for y, q in one.items() if y[0] == 1)
    for one in laws(lambda t, rng: meanest(t, 1.0, rng), [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
]
settle(
    "ye2018.meanest-split",
    holds={
        "d = 3, ε = 1: a change of one number changes the report's law by ε/3": abs(one_of_three - 1 / 3) < 1e-3,
        "one coordinate of the report has ε/3 for its own number": abs(log(alone[0] / alone[1]) - 1 / 3) < 1e-3,
    },
    instead={
        "a change of one number alone attains all of ε": abs(one_of_three - 1) < 1e-9,
        "with ε/d each the error grows like d, not like the √(d log d) of the same row": parts[100] / parts[10] > 99,
    },
)
settle(
    "ye2018.mean-bound",
    holds={
        "ε = 0.5, 10⁶ people, d = 16 to 1,024: the largest error grows like √(d log d), both": all(
            max(constant[name, d] for d in (16, 64, 256, 1024)) / min(constant[name, d] for d in (16, 64, 256, 1024))
            < 1.3
            for name in ("MeanEst", "Harmony")
        ),
        "Harmony, d = 64: twice as large at ε = 0.25 as at 0.5, within 5 %": abs(
            for_large[0.25] / for_large[0.5] / 2 - 1
        )
        < 0.05,
        "four times as large at ε = 2 as at 8": for_large[2.0] / for_large[8.0] > 3,
    },
)
settle(
    "ye2018.mean-similar",
    holds={
        "d up to 100, ε = 0.1, 1, 8: variances within a factor 2": all(
            0.5 < size_b(d, x) ** 2 / d / scale(x) ** 2 < 2 for d in range(1, 101) for x in (0.1, 1.0, 8.0)
        ),
        "d = 80, ε = 0.1, 1, 2: standard errors within 10 %": all(sqrt(over[80, x]) < 1.1 for x in (0.1, 1.0, 2.0)),
    },
)
settle(
    "ye2018.harmony-mean-bits",
    holds={
        "d = 80, the number that was drawn being public: 1 bit against 80": HarmonyMean(d=80, epsilon=1.0).report_bits
        * 80
        == MeanEst(d=80, epsilon=1.0).report_bits,
        "d = 80, its index counted as well: 1/80": (1 + (80 - 1).bit_length()) * 80
        == MeanEst(d=80, epsilon=1.0).report_bits,
    },
)
deviation = {name: sqrt(eighty[name].noise(np.zeros((1, 80)))[0, 0]) for name in ("MeanEst", "Harmony")}
settle(
    "ye2018.mean-individual",
    holds={
        "d = 80, ε = 1: a score is over ten times half the range away from its number": min(deviation.values()) > 10,
    },
)
settle(
    "ye2018.mean-noise",
    holds={
        "scores are the number plus noise of mean 0, five clients": two_right
        and cut_right
        and window_right
        and all(meanest_right.values())
        and is_right(sampled, 1.0, 2 * scale(1.0) ** 2),
    },
)
settle(
    "ye2018.table6-error",
    holds={
        "d = 80, ε = 1: variances of both below a fortieth of that of splitting": max(
            eighty[name].noise(np.zeros((1, 80)))[0, 0] for name in ("MeanEst", "Harmony")
        )
        < eighty["split ε"].noise(np.zeros((1, 80)))[0, 0] / 40,
    },
)

# %% [markdown]
# (sec-means-figures)=
# ## The survey's figures
#
# The survey collects 80 numbers from each of a million people by Harmony-Mean, integers from 1 to 400 drawn at random, "such that the means are linear in the number of the attribute".
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
del unit, parts  # half a gigabyte


def clouds(ax, x, n):
    """True and estimated means of all attributes, in raw units."""
    ax.plot(np.arange(1, 81), RAW.from_unit(truth[n]), "o", color="C0", markersize=4, label="true mean")
    ax.plot(np.arange(1, 81), RAW.from_unit(estimates[x, n]), "^", color="#D55E00", markersize=4, label="estimate")
    ax.set(ylabel="mean value", ylim=(-40, 440))


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-six", "caption": "After Fig. 6 a–c: means of 80 attributes of a million people, values from 1 to 400, by Harmony-Mean. True means (circles) and estimates (triangles). At ε = 0.1 the estimates scatter by tens of units around the line, at ε = 2 they lie on it. Ranges of the values are our choice."}, "image": {"alt": "Three panels for epsilon 0.1, 0.5 and 2: 80 true means on a rising line from 60 to 340 and the estimates around them, scattered widely in the first panel, little in the second, hardly at all in the third."}}
fig, axes = plt.subplots(3, 1, figsize=(6.4, 7.6), sharex=True)
for ax, x in zip(axes, (0.1, 0.5, 2.0), strict=True):
    clouds(ax, x, 10**6)
    ax.set(title=f"ε = {x:g}")
axes[0].legend()
axes[2].set(xlabel="attribute")
plt.show()

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-nine", "caption": "After Fig. 9 a–c: the same at ε = 1, for ten thousand, a hundred thousand and a million people. A hundred times the people have a tenth of the error."}, "image": {"alt": "Three panels for 10,000, 100,000 and 1,000,000 people: estimates scatter widely around the rising line of true means in the first panel and lie on it in the last."}}
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
# Both figures reproduce: the error falls with ε and with the number of people, and the second as $1/\sqrt n$, which is what the survey's explanation by the law of large numbers comes to.
#
# ### The same people, other mechanisms
#
# What do the alternatives of this chapter give?
# The next table is about the first hundred thousand of these people.
# It has the root mean square error as it follows from the theorems, and as it came out in one survey (eighty means, so that this is known to about a tenth).


# %% tags=["hide-input"]
def own_estimate(mechanism, tally):
    """Means of those who were asked about each attribute."""
    return tally.counts @ mechanism.one.scores / tally.counts.sum(1)


def own_error(mechanism, values):
    """Standard errors of that: the theorem, with the expected number of answers, and the client's second moment."""
    n, d = values.shape
    inner = mechanism.one.noise(values[:10_000].ravel()).reshape(-1, d).mean(0)
    factor = d / mechanism.count
    return np.sqrt((factor * inner + (factor - 1) * values.var(0, ddof=1)) / n)


lines, errors, founds = {}, {}, {}
for x in (0.5, 1.0, 2.0):
    for name in ("Harmony", "sampled Hybrid", "MeanEst"):
        mechanism = MANY[name](80, x)
        tally = mechanism.tally(mechanism.perturb(first, rng=rng))
        noise = mechanism.noise(first[:10_000]).mean(0)
        results = {name: (np.sqrt(noise / len(first)), mechanism.estimate(tally))}
        if name != "MeanEst":
            results[f"{name}, own n_j"] = own_error(mechanism, first), own_estimate(mechanism, tally)
        for label, (error, estimate) in results.items():
            errors[label, x], founds[label, x] = error, estimate - truth[10**5]
            lines.setdefault(label, {"mechanism": label})[f"ε = {x:g}"] = (
                f"{RAW.half * rms(error):.2f} ({RAW.half * rms(founds[label, x]):.2f})"
            )
lines["split ε"] = {"mechanism": "split ε, not drawn"} | {
    f"ε = {x:g}": f"{RAW.half * sqrt(scale(x / 80) ** 2 / 10**5):.2f}" for x in (0.5, 1.0, 2.0)
}
check(
    "Alternatives",
    "15 surveys of 80 means: all within 6 standard errors, each survey's spread within 45 % of the stated",
    all(np.abs(found / errors[key]).max() < 6 for key, found in founds.items())
    and all(abs(rms(found / errors[key]) - 1) < 0.45 for key, found in founds.items()),
    control="errors at ε = 2 against those stated for 1",
    caught=abs(rms(founds["sampled Hybrid", 2.0] / errors["sampled Hybrid", 1.0]) - 1) > 0.4,
)
table(pd.DataFrame(list(lines.values())))

# %% [markdown]
# Little is left to gain at $\varepsilon = 0.5$; at 2 Hybrid and the own $n_j$ together take off a sixth of the error.
# Splitting is out of the question.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.fig6",
    holds={
        "ε = 0.1: the root mean square error is over 25 units, of a range of 400": RAW.half * observed[0.1, 10**6] > 25,
        "ε = 2: it is below 3 units": RAW.half * observed[2.0, 10**6] < 3,
        "it falls from ε = 0.1 to 0.5 to 2": observed[0.1, 10**6] > observed[0.5, 10**6] > observed[2.0, 10**6],
    },
)
settle(
    "ye2018.fig9",
    holds={
        "the error falls from 10⁴ to 10⁵ to 10⁶ people": observed[1.0, 10**4]
        > observed[1.0, 10**5]
        > observed[1.0, 10**6],
        "it falls like 1/√n: by 10 from 10⁴ to 10⁶, within a third": abs(
            observed[1.0, 10**4] / observed[1.0, 10**6] / 10 - 1
        )
        < 1 / 3,
    },
)
falling = [HarmonyMean(d=80, epsilon=x).worst_noise for x in np.geomspace(0.01, 16, 30)]
settle(
    "ye2018.mean-epsilon",
    holds={
        "Harmony, d = 80: the variance falls with ε, from 0.01 to 16": all(np.diff(falling) < 0),
    },
)

# %% [markdown]
# (sec-means-table)=
# ## Table 6, with corrections
#
# In each cell the survey's entry comes first, and then, after "→", what we found instead.

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {
                "method": "MeanEst",
                "report": "O(d) → d bits",
                "error bound": "√(d log d)/(ε√n) → the largest of d errors, small ε",
                "ε": "split evenly over the numbers → all of ε on the vector",
                "cost": "high, all combinations → O(d) a person",
                "for": "small d → any d",
            },
            {
                "method": "Harmony-Mean",
                "report": "O(1) → 1 bit, and ⌈log₂ d⌉ public ones",
                "error bound": "√(d log d)/(ε√n) → the largest of d errors, small ε",
                "ε": "all of it on the drawn number",
                "cost": "low, means only",
                "for": "any d",
            },
            {
                "method": "split ε",
                "report": "not in the table → d bits",
                "error bound": "→ d √(log d)/(ε√n)",
                "ε": "→ split evenly over the numbers",
                "cost": "→ low",
                "for": "→ ε > 2√d, about",
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
                "estimate": f"{mean[j]:.2f}",
                "95 % interval": f"{low[j]:.2f} to {high[j]:.2f}",
                "truth": f"{people[name].mean():.2f}",
            }
            for j, name in enumerate(QUESTIONS)
        ]
    )
)

# %% [markdown]
# The interval is estimate ± 1.96 standard errors, where the standard error is read off the scatter of the scores,
#
# $$ s^2 = \frac{1}{n-1}\Big(\overline{S^2} - \overline S^2\Big), $$
#
# with $\overline S$ the estimate and $\overline{S^2}$ the mean square of the $n$ scores.
# What is it an estimate of?
#
# :::{prf:theorem} The standard error
# :label: thm-means-error
# For a fixed population, $\E[s^2] = \Var[\overline S] + \frac1n\cdot\frac{1}{n-1}\sum_i (t_i - \bar t)^2$.
# If the people are drawn at random and independently from a distribution with mean μ, $\overline S$ is unbiased for μ and $\E[s^2] = \Var[\overline S]$, chance in the drawing included.
# :::
#
# :::{prf:proof}
# Scores are independent, with means $t_i$ and variances $\sigma_i^2$.
# So $\E\sum(S_i - \overline S)^2 = \sum_i \sigma_i^2\,(1-\frac1n) + \sum_i (t_i-\bar t)^2$; divide by $n(n-1)$, and note that $\Var[\overline S] = \sum\sigma_i^2/n^2$.
# For a random sample the scores are independent and of one law, and $s^2$ is the usual unbiased estimate.
# :::
#
# So an interval about *these* readers is a little too wide, because the scatter of the scores contains the spread of the values.
# An interval about those whom the readers are a sample of is right.
# How wrong, and from how many people on?
# With one question, the number of + among the reports of the two points is a sum of binomials, one for each answer that occurs, and the coverage of the interval can be computed exactly.


# %%
def coverage(mechanism, pluses, truth):
    """Exact coverage of the interval for one number, from the law of the number of positive signs."""
    n = len(pluses) - 1
    every = np.stack([n - np.arange(n + 1), np.arange(n + 1)], 1)  # all tallies that n people can give
    low, high = interval(Tally(mechanism, n, every))
    return float(pluses @ ((low[:, 0] <= truth) & (truth <= high[:, 0])))


def fixed_pluses(t, eps):
    """Law of the number of positive signs of these people."""
    found = np.ones(1)
    for value, number in zip(*np.unique(t, return_counts=True), strict=True):
        found = np.convolve(found, binom.pmf(np.arange(number + 1), number, (1 + value / scale(eps)) / 2))
    return found


def sample_pluses(mean, n, eps):
    """The same for n people drawn at random from a population with this mean."""
    return binom.pmf(np.arange(n + 1), n, (1 + mean / scale(eps)) / 2)


# %% tags=["hide-input"]
def sampled_coverage(mean, n, d, eps):
    """Exact coverage for one of d numbers of a random sample, by Harmony: how many are asked, how many say +."""
    mechanism, found = HarmonyMean(d=d, epsilon=eps), 0.0
    spread = 8 * sqrt(n * (d - 1)) / d + 8
    for asked in range(max(0, int(n / d - spread)), min(n, int(n / d + spread)) + 1):
        plus = np.arange(asked + 1)
        counts = np.zeros((asked + 1, d, 2), np.int64)
        counts[:, 0, 0], counts[:, 0, 1] = asked - plus, plus
        low, high = interval(Tally(mechanism, n, counts))
        inside = (low[:, 0] <= mean) & (mean <= high[:, 0])
        found += binom.pmf(asked, n, 1 / d) * float(sample_pluses(mean, asked, eps) @ inside)
    return found


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-means-coverage", "caption": "Exact coverage of the 95 % interval for the mean age. Upper panel: one question, 6,366 people, against ε, for these readers (fixed) and for a population of which they are a sample. The second is right throughout; the first covers more than it should as soon as the spread of the ages counts beside the noise. Lower panel: a random sample, ε = 1, against the number of people, for one question and for one of six. The curves jump because the number of signs is whole."}, "image": {"alt": "Upper panel: two curves of coverage against epsilon from 0.25 to 8: the one for a random sample stays at 95 percent, the one for the fixed population rises to above 98 percent. Lower panel: coverage against people from 5 to 3,000, jagged for one question, below 94 percent for few people and close to 95 from about 60 on."}}
ages = unit[:, 0]
grid = [0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]
fixed = [coverage(TwoPoint(epsilon=x), fixed_pluses(ages, x), ages.mean()) for x in grid]
drawn = [coverage(TwoPoint(epsilon=x), sample_pluses(ages.mean(), len(ages), x), ages.mean()) for x in grid]
crowds = np.unique(np.geomspace(5, 3000, 40).astype(int)).tolist()
single = [coverage(TwoPoint(epsilon=1.0), sample_pluses(ages.mean(), n, 1.0), ages.mean()) for n in crowds]
sixth = [sampled_coverage(ages.mean(), n, 6, 1.0) for n in crowds]
fig, axes = plt.subplots(2, 1, figsize=(6.4, 6.8))
axes[0].plot(grid, 100 * np.array(fixed), **line(0), label="these readers")
axes[0].plot(grid, 100 * np.array(drawn), **line(1), label="random sample")
axes[0].set(xlabel="privacy budget ε", ylabel="coverage, %")
axes[1].plot(crowds, 100 * np.array(single), **line(0), label="one question")
axes[1].plot(crowds, 100 * np.array(sixth), **line(1), label="one of six")
axes[1].set(xscale="log", xlabel="number of people n", ylabel="coverage, %", ylim=(75, 101))
for ax in axes:
    ax.axhline(95, color="black", linewidth=1, linestyle="-", marker="")
    ax.legend()
plt.show()

# %% tags=["hide-input"]
for x, a, b in zip(grid, fixed, drawn, strict=True):
    if x in (0.5, 1.0, 2.0, 4.0, 8.0):
        print(f"ε = {x:<3g}  these readers {100 * a:.2f} %, random sample {100 * b:.2f} %")
for name, found in {"one question": single, "one of six": sixth}.items():
    far = [n for n, share in zip(crowds, found, strict=True) if abs(share - 0.95) > 0.01]
    print(f"{name:<12}  off by more than a point last at n = {max(far)} (of those computed)")


def error_law(t, eps):
    """Exact mean of s² and variance of the estimate for a fixed population."""
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
SURVEYS = 400
covered = np.zeros(6)
for _ in range(SURVEYS):
    low, high = interval(asked.tally(asked.perturb(unit, rng=rng)))
    covered += (low <= unit.mean(0)) & (unit.mean(0) <= high)
print(
    f"{SURVEYS} surveys of six questions at ε = 2, coverage ± 1.96 standard errors: "
    + ", ".join(
        f"{name.replace('_', ' ')} {100 * share:.1f} ± {196 * sqrt(share * (1 - share) / SURVEYS):.1f} %"
        for name, share in zip(QUESTIONS, covered / SURVEYS, strict=True)
    )
)
exact_noise = asked.noise(unit).mean(0)
print(
    "width against that from the true variance: "
    + ", ".join(f"{sqrt(1 + spread / noise):.3f}" for spread, noise in zip(unit.var(0), exact_noise, strict=True))
)

# %% [markdown]
# The interval can be trusted from some sixty people on.
# Whether it is narrow enough to be of any use is another matter.
# By Harmony half of its width is $1.96\,c\sqrt{d/n}$ in units of half the range.


# %% tags=["hide-input"]
for part in (0.05, 0.01):
    sizes = {(d, x): d * (1.96 * scale(x) / (2 * part)) ** 2 for d in (1, 6) for x in (1.0, 2.0)}
    print(
        f"± {part:.0%} of the range takes "
        + ", ".join(f"{n:,.0f} people (d = {d}, ε = {x:g})" for (d, x), n in sizes.items())
    )

# %% [markdown]
# An age to within ± 5 % of its range, which is 1.2 years, takes 1,800 people who are asked nothing else at $\varepsilon = 1$, and six times as many with six questions.
# So wherever an interval is narrow enough to be of use it is also right.
#
# (sec-means-differs)=
# ## Where the survey errs
#
# :::{admonition} MeanEst's coin
# :class: warning
# *Printed* (§4.2): a corner with $t^* \cdot v > 0$ with probability $\frac{e^\varepsilon}{1+e^\varepsilon}$, otherwise one with $t^* \cdot v < 0$.
# For odd $d$ this is right.
# For even $d$ it is not, however ties are read: strictly, $\varepsilon = \infty$.
# *Right*: $\frac{e^\varepsilon C_d}{(e^\varepsilon-1)C_d+2^d}$, with ties among the second, see {ref}`sec-means-coin`.
# :::
#
# :::{admonition} B is not exponential
# :class: warning
# *Printed* (§4.2, Table 6): $B$ is exponential in $d$, and its time and space limit the method to few dimensions; all combinations of the variables have to be gone through.
# *Right*: $B \approx c\sqrt{\pi d/2}$, and a report takes $O(d)$ steps, {prf:ref}`thm-means-meanest`.
# :::
#
# :::{admonition} MeanEst does not split ε
# :class: warning
# *Printed* (Table 6): MeanEst distributes ε evenly over the variables.
# *Right*: all of it is spent on the vector as a whole; a change of a single number attains it.
# With $\varepsilon/d$ for each number the error would be of the order $d$, not $\sqrt{d}$ as in the same row.
# :::
#
# Smaller things: the reports lie in $\{-B, B\}^d$, as the survey says first, and not in $[-B, B]^d$, as it says later; values drawn from all of $[1, 400]$ alike cannot have linear means (it does not say "alike"); and Fig. 9 has three data sets, not four.
#
# (sec-means-wrong)=
# ## What can go wrong
#
# - *Values outside the range.*
#   Clipping them in silence moves the mean, by an amount that no report shows; the next cell has an example.
# - *A range from the data.*
#   The largest age that occurs is somebody's age.
#   A range that depends on the answers is a report without any noise.
# - *Floating-point noise.*
#   The logarithm of a random number takes certain values only, and added to one number they are not those that are added to another.
#   With 256 random numbers, in miniature, $\varepsilon = \infty$; with the full 53 bits many a report still gives its number away, as the next cell shows.
#   Grids and integers have no such trouble.
# - *Choosing what to answer.*
#   The index must be drawn without looking.
#   A client that skips a number that it does not want to report leaks by skipping, and biases the mean, also with the own $n_j$.
# - *Asking again.*
#   Each report costs its ε, and the mean of a person's many reports is the person's number.
# - *Looking at single reports.*
#   At $d = 80$ and $\varepsilon = 1$ a score is ±173 for Harmony and ±23 for MeanEst, for a number between −1 and 1.
#   The survey calls this a drawback (Table 6); it is the protection.


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
    return np.any([x + s * 2 * np.log((near + k) * 2.0**-53) == reports for k in range(-8, 9) for s in (-1, 1)], axis=0)


def float_reports(x, n, rng):
    return x + rng.choice((-2, 2), n) * np.log(rng.integers(1, 2**53, n) * 2.0**-53)


exclusive = {x: 1 - possible(float_reports(x, 20_000, rng)).mean() for x in (0.0, 0.3)}
check(
    "Floats",
    "8-bit noise: ε = ∞; doubles: over a tenth of 20,000 reports of 0.3 cannot come from 0",
    epsilon(laws(float_laplace, [0.0, 0.3])) == np.inf and exclusive[0.3] > 0.1,
    control="reports of 0 itself",
    caught=exclusive[0.0] == 0,
)
print(f"largest scores, d = 80, ε = 1: Harmony {80 * scale(1.0):.0f}, MeanEst {size_b(80, 1.0):.0f}")

# %% [markdown]
# (sec-means-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: one step
# On a grid of one step, the cut noise and the windows of one cell are both Warner's coin.
# Verify it by their laws, and show by hand that the score of the cut noise is $\pm c$.
# :::
#
# :::{dropdown} Solution
# With $s = 1$, $\rho = e^{-\varepsilon}$: $1 + 2\rho/(1-\rho) = (1+\rho)/(1-\rho) = c$.
# The next cell compares the laws.
# :::

# %%
as_sign = lambda t, rng: (1 + two_point(t, 1.0, rng)) // 2  # noqa: E731
print(
    same_law(lambda t, rng: noisy(t, 1, 1.0, rng), as_sign, TRIED),
    same_law(lambda t, rng: windowed(t, 1, 1, 1.0, rng), as_sign, TRIED),
)

# %% [markdown]
# :::{admonition} Exercise 2: how many to sample
# At a large ε it pays to sample $m$ of the $d$ numbers and to report each with $\varepsilon/m$.
# With two points, which $m$ is best?
# :::
#
# :::{dropdown} Solution
# The second moment is $\frac dm\,c(\varepsilon/m)^2$.
# Put $u = \varepsilon/m$: it is $\frac d\varepsilon$ times $u\coth^2(u/2)$, which is least where $\sinh u = 2u$, at $u = 2.18$.
# So about one number for each 2.18 of ε.
# For Hybrid it depends on the values; its authors recommend one for each 2.5.
# :::

# %%
part = brentq(lambda u: np.sinh(u) - 2 * u, 1, 4)
best = {x: min(range(1, 11), key=lambda m: HarmonyMean(d=10, epsilon=x, count=m).worst_noise) for x in (1.0, 4.0, 8.0)}
print(f"u = {part:.3f};  best of ten numbers to sample: " + ", ".join(f"{m} at ε = {x:g}" for x, m in best.items()))

# %% [markdown]
# :::{admonition} Exercise 3: nearer than near
# Let MeanEst favour the corners that agree with $v$ in at least $\tau$ of $d$ coordinates, for any $\tau$.
# How does $B$ change, and which $\tau$ is best for $d = 80$ at $\varepsilon = 1, 4, 8$ and 16?
# :::
#
# :::{dropdown} Solution
# As in the proof, with $C = \sum_{a\ge\tau}\binom da$ near corners and $S = \binom{d-1}{\tau-1}$, $B = (2^d + C(e-1))/(S(e-1))$.
# It is as private as before, by the same proof, and unbiased; the cell checks the law for $d = 4$ and $\tau = 4$.
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
    near = [r for r in corners if sum(a == b for a, b in zip(r, v, strict=True)) >= tau]
    likely = exp(eps) * len(near) / (exp(eps) * len(near) + len(corners) - len(near))
    side = toss(likely, rng)
    return pick([r for r in corners if (r in near) == side], rng)


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
    others = min(HarmonyMean(d=80, epsilon=x, count=m).worst_noise for m in range(1, 81))
    print(
        f"ε = {x:<2g}  best τ {tau}: n × variance {threshold_b(80, x, tau) ** 2:6.1f}; "
        f"MeanEst {size_b(80, x) ** 2:6.1f}, sampling the best number of numbers {others:6.1f}"
    )

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-means-two`: two points | law; package |
# | {prf:ref}`thm-means-cut`: noise cut at the ends of the range | law; uncut noise; limit of a fine grid |
# | {prf:ref}`thm-means-windows`: windows, and Hybrid | law; package; fine grid |
# | the limit for one number | linear program with a certificate; real clients |
# | {prf:ref}`thm-means-harmony`: splitting and sampling | laws |
# | {prf:ref}`thm-means-own`: dividing by $n_j$ | exact law of four people |
# | {prf:ref}`thm-means-second`: least second moment | proof; 21 clients |
# | {prf:ref}`thm-means-meanest`: MeanEst, ties, $B$ | laws to $d = 5$; closed form; real clients to $d = 100$ |
# | {prf:ref}`thm-means-error`: standard error | exact laws of 40 and 6,366 people |
#
# Next: mechanisms that are not invented but computed, by linear programming.
