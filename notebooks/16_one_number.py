# %% [markdown]
# (ch-means)=
# # One number
#
# *From {cite:t}`duchi2018minimax`, {cite:t}`ghosh2012universally` and {cite:t}`wang2019collecting`; {cite:t}`ye2018survey` reviews means ({ref}`dossier <paper-ye2018>`).*
#
# :::{admonition} In one minute
# Everybody has a number in a public range, and a server wants the mean.
# Three clients hide a number.
# The first turns it into a sign by a coin, and sends the sign by randomized response.
# The second adds noise on a grid, and the third favours a window of cells around the number.
# Each report gets a score that is right on average, and the mean of the scores estimates the mean of the numbers.
# The sign is nearly best for small budgets, windows for large ones.
# :::
#
# :::{zh}
# 每个人有一个取值在公开范围内的数，服务器想估计均值。
# 本课介绍三种客户端：用硬币把数变成符号再作随机响应；在格点上加双侧几何噪声并在范围两端截断；以及更常上报该数附近窗口内的格子。
# 三者都恰好满足 $\varepsilon$-本地化差分隐私，每份报告都有期望等于真值的得分，得分的均值就是无偏估计，其标准误差由得分的离散程度得出。
# 符号的得分方差为 $c^2-x^2$，其中 $c=(e^\varepsilon+1)/(e^\varepsilon-1)$。
# 噪声截断不损失任何信息，反而减小方差；浮点噪声则可能泄露数值。
# 预算较小时符号几乎最优；预算较大时窗口机制更好。
# :::
#
# You need randomized response from {ref}`ch-rr`, and `prove` from {ref}`ch-verify`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from math import exp, inf, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import binom

from ldpnb import (
    Hybrid,
    Laplace,
    Piecewise,
    Tally,
    TwoPoint,
    epsilon,
    interval,
    laws,
    least_distortion,
    moments,
    pick,
    prove,
    same_law,
    toss,
)
from ldpnb.book import check, datasets, diagram, label_lines, plain_ticks, simulation, style, theory
from ldpnb.chance import odds

style()
rng = np.random.default_rng(2013)

# %% [markdown]
# (sec-means-setting)=
# ## How old are they?
#
# The 6,366 readers of {ref}`ch-rr` also stated their age, in classes coded from 17.5 to 42.
# **Can a server estimate their mean age, if it learns nobody's?**
#
# A client must know between which numbers an age lies, because each report must be possible for every age.
# So the *range* is public, and fixed before anybody is asked.
# We write an age as a number $x$ in $[-1, 1]$; an age outside the range is an error.

# %%
LOW, HIGH = 17.5, 42.0


def to_unit(age):
    if not LOW <= age <= HIGH:
        raise ValueError(f"age must be in [{LOW}, {HIGH}], got {age}")
    return (2 * age - LOW - HIGH) / (HIGH - LOW)


AGES = datasets.fair()["age"].tolist()
people = [to_unit(age) for age in AGES]
print([round(x, 2) for x in people[:5]])

# %% [markdown]
# (sec-means-sign)=
# ## A number becomes a sign
#
# Randomized response needs two answers, and a coin makes two of a number.
# Choose plus with probability $(1+x)/2$, and minus otherwise; the mean of this sign is $x$.
# Then send the sign by randomized response.


# %%
def sign(x, rng):
    """+1 or −1, with mean x."""
    return 1 if toss((1 + x) / 2, rng) else -1


def two_point(x, eps, rng):
    """The sign of x by randomized response."""
    s = sign(x, rng)
    return s if toss(odds(eps) / (odds(eps) + 1), rng) else -s


print([two_point(people[0], 1.0, rng) for _ in range(8)])

# %% mystnb={"figure": {"name": "fig-means-tree", "caption": "The client for x = 0.5 and e^ε = 3: a coin makes a sign, and a second coin may reverse it. Probabilities at the branches."}, "image": {"alt": "A tree with two levels. From x, plus has probability three quarters and minus one quarter; each sign is sent with probability three quarters and reversed with one quarter."}}
diagram.tree(
    lambda x, rng: two_point(x, log(3), rng),
    0.5,
    steps=["first coin", "second coin"],
    options=[["plus", "minus"], ["keep", "reverse"]],
    names={1: "plus", -1: "minus"},
    root="0.5",
    head="number",
)
plt.show()

# %% [markdown]
# :::{prf:theorem} Two points
# :label: thm-means-two
# The client is exactly ε-LDP.
# With $c = (e^\varepsilon+1)/(e^\varepsilon-1)$, the score $c\,y$ of a report $y = \pm1$ has mean $x$ and variance $c^2-x^2$.
# :::
#
# :::{prf:proof}
# *Privacy.* A report is plus with a probability between $1/(e^\varepsilon+1)$ and $e^\varepsilon/(e^\varepsilon+1)$; both ends are attained, at $x = \mp1$.
#
# *Mean.* The sent sign is the true one with probability $p = e^\varepsilon/(e^\varepsilon+1)$, and the reverse with $1-p$, so
#
# $$ \E\,y = (2p-1)\,x = \frac{e^\varepsilon-1}{e^\varepsilon+1}\,x = \frac xc. $$
#
# *Variance.* The square of $c\,y$ is always $c^2$, and the square of its mean is $x^2$.
# :::
#
# The server averages the scores.
# As in {ref}`ch-rr`, the standard error is their standard deviation over $\sqrt n$, for people who are a random sample.


# %%
def server(scores):
    """The mean in years, and its standard error."""
    scores = np.asarray(scores)
    years = (HIGH - LOW) / 2
    middle = (HIGH + LOW) / 2
    error = years * scores.std() / sqrt(len(scores))
    return middle + years * scores.mean(), error


def two_point_score(y, eps):
    return y * (exp(eps) + 1) / (exp(eps) - 1)


print(f"truth: {np.mean(AGES):.2f}")
for eps in (0.5, 1.0, 2.0):
    reports = [two_point(x, eps, rng) for x in people]
    mean, error = server([two_point_score(y, eps) for y in reports])
    print(f"ε = {eps}: {mean:.2f} ± {error:.2f} years")

# %% [markdown]
# The first estimate is 2.3 standard errors off, which happens in one of 47 surveys.
#
# (sec-rr-laplace)=
# ## Noise
#
# The other classical way is to add noise.
#
# :::{prf:theorem} Laplace noise
# :label: thm-local-laplace
# Let $Z$ have the density $\frac{1}{2b}e^{-|z|/b}$ with $b = 2/\varepsilon$.
# The report $x+Z$ of a number in $[-1,1]$ is exactly ε-LDP {cite:p}`dwork2006calibrating`.
# :::
#
# Indeed, the densities of a report $y$ for two numbers have the ratio
#
# $$ e^{(|y-x'|-|y-x|)/b} \le e^{|x-x'|/b} \le e^{2/b} = e^\varepsilon, $$
#
# with equality for $x = -1$, $x' = 1$ and $y \le -1$.
# The report is its own score, with variance $2b^2 = 8/\varepsilon^2$.
#
# (sec-means-laplace)=
# ### On a grid
#
# But a computer has no real numbers.
# Floating-point noise takes certain values only, and for another $x$ other ones, so a report can give a number away {cite:p}`mironov2012significance`.
# Hence we use a grid of $t$ steps, with points $x_i = -1+2i/t$ for $i = 0, \dots, t$.
# A coin rounds a number to one of its two neighbours, with the right mean.
# The noise is a whole number of steps: $g$ steps with probability $\frac{1-\rho}{1+\rho}\,\rho^{|g|}$, where $\rho = e^{-\varepsilon/t}$.
#
# Noise that leads out of the range is cut at its end.
# The client walks: it stays with probability $\frac{1-\rho}{1+\rho}$; otherwise it makes a step in a random direction, and goes on with probability ρ after each step, until it comes to an end.


# %%
def onto_grid(x, steps, rng):
    """One of the two grid points beside x, with mean x."""
    place = (x + 1) / 2 * steps
    below = min(int(place), steps - 1)
    return below + toss(place - below, rng)


def noisy(x, steps, eps, rng):
    """A grid point with noise, cut at the ends."""
    i, rho = onto_grid(x, steps, rng), 1 / odds(eps / steps)
    if toss((1 - rho) / (1 + rho), rng):
        return i
    step = pick((-1, 1), rng)
    i += step
    while 0 < i < steps and toss(rho, rng):
        i += step
    return min(max(i, 0), steps)


# %% [markdown]
# :::{prf:theorem} Noise that is cut
# :label: thm-means-cut
# The client is exactly ε-LDP.
# The score is unbiased that is $x_y$ inside, and at the two ends
#
# $$ \pm\Big(1 + \frac2t\cdot\frac{\rho}{1-\rho}\Big). $$ (eq-means-ends)
#
# Its variance is smaller than that of the same noise without a cut.
# :::
#
# :::{prf:proof}
# *Privacy.* Without the cut, the probability of point $y$ is proportional to $\rho^{|y-i|}$.
# Two points $i$ are at most $t$ steps apart, so a ratio is at most $\rho^{-t} = e^\varepsilon$, and $y = 0$ attains it.
# Cutting only processes the report.
#
# *Mean.* Walks that reach the upper end and are not cut go on for $g$ more steps with probability $(1-\rho)\rho^g$, whatever their start was.
# Their mean is $\rho/(1-\rho)$ steps, of width $2/t$ each, which is {eq}`eq-means-ends`.
# So the score is the mean of the uncut report, given the cut one, and has the same mean $x_i$.
#
# *Variance.* Replacing a report by such a mean takes away the variance of $g$, and adds nothing.
# :::
#
# So beyond the range, there is nothing to learn.
# For a fine grid and small ε, the cut saves half of the variance.
#
# (sec-means-windows)=
# ## Windows
#
# The third client favours a *window* of cells around its number {cite:p}`wang2019collecting`.
# There are $t+a$ cells.
# The window of grid point $i$ is the cells $i, \dots, i+a-1$, and each of them is $e^\varepsilon$ times as likely as any other cell.


# %%
def windowed(x, steps, width, eps, rng):
    """A cell of the window, or one of the others."""
    i, weight = onto_grid(x, steps, rng), width * odds(eps)
    window = range(i, i + width)
    if toss(weight / (weight + steps), rng):
        return pick(window, rng)
    others = [y for y in range(steps + width) if y not in window]
    return pick(others, rng)


# %% [markdown]
# :::{prf:theorem} Windows
# :label: thm-means-windows
# The client is exactly ε-LDP, and the score
#
# $$ \frac{2}{t\,\omega}\Big(y - \frac{t+a-1}{2}\Big), \qquad \omega = \frac{a\,(e^\varepsilon-1)}{a\,e^\varepsilon+t}, $$
#
# is unbiased.
# :::
#
# :::{prf:proof}
# *Privacy.* A cell has one of two probabilities, with ratio $e^\varepsilon$, and some cell is in one of two windows only.
#
# *Mean.* Draw a cell of the window with probability ω, and otherwise any cell, all alike: this gives the same probabilities.
# Any cell has the mean $\frac{t+a-1}2$, so the bracket has mean 0; a cell of the window has the mean $i+\frac{a-1}2$, so the bracket has mean $i-\frac t2$.
# Together, the score has mean $\frac2t\big(i-\frac t2\big) = x_i$.
# :::
#
# Here are the scores of both theorems.


# %%
def noisy_score(y, steps, eps):
    rho = exp(-eps / steps)
    beyond = 2 / steps * rho / (1 - rho)
    return -1 + 2 * y / steps + beyond * ((y == steps) - (y == 0))


def windowed_score(y, steps, width, eps):
    weight = width * exp(eps)
    omega = (weight - width) / (weight + steps)
    return 2 / (steps * omega) * (y - (steps + width - 1) / 2)


# %% [markdown]
# On a fine grid, only the share φ of cells in a window matters.
# Integrating the squared score, the variance tends to
#
# $$ \begin{aligned} &\frac{x^2}{\varphi\,(e^\varepsilon-1)} + \frac{D\,\big(1+(e^\varepsilon-1)\,\varphi^3\big)}{3\,(1-\varphi)^2\varphi^2(e^\varepsilon-1)^2}, \\ &D = \varphi\,e^\varepsilon+1-\varphi. \end{aligned} $$ (eq-means-windows)
#
# The published share is $\varphi = 1/(e^{\varepsilon/2}+1)$.
#
# The function `prove` confirms the budgets of all clients for every ε, here with four steps.

# %%
GRID = [-1.0, -0.5, 0.0, 0.5, 1.0]
CLIENTS = {
    "two_point": two_point,
    "noisy": lambda x, eps, rng: noisy(x, 4, eps, rng),
    "windowed": lambda x, eps, rng: windowed(x, 4, 2, eps, rng),
}
for name, client in CLIENTS.items():
    found = prove(client, GRID, rounded=False)
    print(f"{name:<10} exactly ε for every ε: {found.tight}")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: ε, bias and variance from the laws, and the package's clients"}
def facts(client, score, eps=1.5, values=GRID):
    """ε, and mean and variance of the score, from the law."""
    one = lambda x, rng: client(x, eps, rng)  # noqa: E731
    return epsilon(laws(one, values)), *moments(one, values, score=score)


def right(found, eps=1.5, values=GRID):
    return abs(found[0] - eps) < 1e-9 and np.abs(found[1] - values).max() < 1e-9


ODD = [-1.0, -0.3, 0.1, 0.25, 1.0]  # numbers between grid points, too
two = facts(two_point, lambda y: two_point_score(y, 1.5), values=ODD)
check(
    "Two points",
    "exactly ε, unbiased, variance c² − x²",
    right(two, values=ODD) and np.allclose(two[2], two_point_score(1, 1.5) ** 2 - np.square(ODD)),
    control="scores ±1",
    caught=not right(facts(two_point, lambda y: y, values=ODD), values=ODD),
)
cut = facts(CLIENTS["noisy"], lambda y: noisy_score(y, 4, 1.5))
rho = exp(-1.5 / 4)
check(
    "Noise",
    "exactly ε, unbiased, less variance than without a cut",
    right(cut) and (cut[2] < (2 / 4) ** 2 * 2 * rho / (1 - rho) ** 2).all(),
    control="ends scored ±1",
    caught=not right(facts(CLIENTS["noisy"], lambda y: -1 + y / 2)),
)
window = facts(CLIENTS["windowed"], lambda y: windowed_score(y, 4, 2, 1.5))
check(
    "Windows",
    "exactly ε, unbiased",
    right(window),
    control="the slope for ε = 1.4",
    caught=not right(facts(CLIENTS["windowed"], lambda y: windowed_score(y, 4, 2, 1.4))),
)
PACKAGE = {
    "two_point": TwoPoint(epsilon=1.5),
    "noisy": Laplace(epsilon=1.5, steps=4),
    "windowed": Piecewise(epsilon=1.5, steps=4, width=2),
}


def twins(eps):
    """Whether our clients at ε have the laws of the package's at 1.5."""
    ours = {**CLIENTS, "two_point": lambda x, eps, rng: (1 + two_point(x, eps, rng)) // 2}
    return [same_law(lambda x, rng, c=ours[n]: c(x, eps, rng), PACKAGE[n], ODD) for n in CLIENTS]


check("Laws", "three clients of the package", all(twins(1.5)), control="ours at ε = 1.51", caught=not any(twins(1.51)))

# %% [markdown]
# (sec-means-limit)=
# ## Which one is best?
#
# The variance of the sign falls with $x^2$, that of windows rises.
# So {cite:t}`wang2019collecting` mix both: a public coin decides, without looking at $x$.


# %%
def hybrid(x, steps, width, eps, rng):
    """A window or the sign; the report shows which."""
    weight = width * odds(eps)
    omega = (weight - width) / (weight + steps)
    if toss(omega, rng):
        return "window", windowed(x, steps, width, eps, rng)
    return "sign", two_point(x, eps, rng)


# %% [markdown]
# :::{prf:theorem} Hybrid
# :label: thm-means-hybrid
# Windows with probability ω and the sign otherwise is exactly ε-LDP and unbiased, with the same variance at all grid points.
# :::
#
# :::{prf:proof}
# Given the coin, the report is one of two that are exactly ε-LDP and unbiased.
# In the mean square of a window's score, only the part of the window depends on $i$.
# With mean $x_i/\omega$ there, and ω its probability, it is a constant plus $\omega\,(x_i/\omega)^2 = x_i^2/\omega$; mixed with probability ω, this is $x_i^2$.
# The mean square of the sign's score is constant.
# Subtracting the squared mean $x_i^2$ leaves a constant.
# :::
#
# How good could any client be?
# On a grid of numbers and scores, this is a linear program, which `least_distortion` solves; {ref}`ch-distortion` explains it.
# {numref}`fig-means-variance` compares the worst variance over all $x$ with this limit.

# %% mystnb={"figure": {"name": "fig-means-variance", "caption": "Largest variance of a score over all numbers, divided by the least of all clients on a grid. Lines: formula. Marks: 40,000 real clients at the worst number."}, "image": {"alt": "Four lines against epsilon from 0.1 to 8. The sign starts near 1 and leaves the panel above epsilon 2; cut Laplace noise starts near 1, too, and leaves it later. Windows come down from 1.5 to near 1.3 and rise again; Hybrid stays lowest, within a tenth, up to epsilon 1. Marks lie on the lines."}}
KINDS = {"sign": TwoPoint, "noise": Laplace, "windows": Piecewise, "Hybrid": Hybrid}


def limit(eps):
    """Least worst-case variance on a grid of 33 numbers."""
    c = (exp(eps) + 1) / (exp(eps) - 1)
    x, y = np.linspace(-1, 1, 33), 1.6 * c * np.linspace(-1, 1, 129)
    squared = np.square(y - x[:, None])
    return least_distortion(squared, eps, unbiased=(x, y)).bound


LIMIT = {eps: limit(eps) for eps in (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)}
exact, drawn = [], []
for name, kind in KINDS.items():
    for eps, least in LIMIT.items():
        client = kind(epsilon=eps)
        row = {"ε": eps, "client": name}
        exact.append(row | {"ratio": client.worst_variance / least})
        if eps in (0.5, 1.0, 2.0, 4.0):
            x = np.linspace(-1, 1, 129)
            worst = x[client.variance(x)[:, 0].argmax()]
            reports = client.perturb(np.full(40_000, worst), rng=rng)
            scores = client.scores[reports] / sqrt(least)
            drawn.append(pd.DataFrame(row | {"score": scores}))
fig, ax = plt.subplots(figsize=(6.4, 3.8))
sns.lineplot(pd.DataFrame(exact), x="ε", y="ratio", ax=ax, **theory("client", [*KINDS]))
sns.lineplot(pd.concat(drawn), x="ε", y="score", ax=ax, **simulation("client", [*KINDS], of="var"))
ax.set(xscale="log", ylim=(0.9, 3), xlabel="budget ε", ylabel="worst variance / limit")
plain_ticks(ax)
label_lines(ax)
plt.show()

# %% [markdown]
# For a small ε, one bit is all you need.
# From about $\varepsilon = 1$ on, Hybrid is better.
# Above 2, a wider window than the published one is best, because the worst numbers are $\pm1$, where the first term of {eq}`eq-means-windows` counts; the package has `best_width` for it.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: Hybrid"}
mixed = Hybrid(epsilon=1.5, steps=4)


def cell(told):
    """A report of hybrid as the package numbers it."""
    return told[1] if told[0] == "window" else 4 + mixed.window + (1 + told[1]) // 2


def even(mechanism):
    """Whether the variance is the same at all grid points."""
    return np.ptp(moments(mechanism, np.array(GRID))[1]) < 1e-9


check(
    "Hybrid",
    "the package's law, and one variance at all grid points",
    same_law(lambda x, rng: cell(hybrid(x, 4, mixed.window, 1.5, rng)), mixed, ODD) and even(mixed),
    control="windows alone",
    caught=not even(Piecewise(epsilon=1.5, steps=4)),
)

# %% [markdown]
# (sec-means-fair)=
# ## A mean with an interval
#
# Back to the readers, with our windows and $\varepsilon = 2$.

# %%
reports = [windowed(x, 64, 24, 2.0, rng) for x in people]
mean, error = server([windowed_score(y, 64, 24, 2.0) for y in reports])
print(f"{mean:.2f} years, 95 % interval {mean - 1.96 * error:.2f} to {mean + 1.96 * error:.2f}")
print(f"truth: {np.mean(AGES):.2f}")

# %% [markdown]
# The standard error is smaller than that of the sign at the same ε.
#
# When is such an interval right?
# For the sign, we can compute the probability that it contains the mean of the population.
# What matters is how many reports have the *rarer* sign, on average $\frac n2\,(1-|\bar x|/c)$ for the mean $\bar x$.
# With ten of them, the interval can miss far too often; with 90, it is within a point of 95 % in all cases that we tried.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: exact coverage, the package's interval, and floating-point noise"}
def coverage(mean, n, eps):
    """Exact coverage for n people drawn from a population with this mean, by the sign."""
    c, plus = (exp(eps) + 1) / (exp(eps) - 1), np.arange(n + 1)
    low, high = interval(Tally(TwoPoint(epsilon=eps), n, np.stack([n - plus, plus], 1)))
    chance = binom.pmf(plus, n, (1 + mean / c) / 2)
    return float(chance @ ((low[:, 0] <= mean) & (mean <= high[:, 0])))


def sizes(mean, eps, some):
    """Numbers of people with so many reports of the rarer sign."""
    c = (exp(eps) + 1) / (exp(eps) - 1)
    return [round(2 * one / (1 - abs(mean) / c)) for one in some]


CASES = [(np.mean(people), 0.5), (np.mean(people), 2.0), (np.mean(people), 8.0), (0.0, 1.0), (0.98, 8.0)]
near = [abs(coverage(m, n, e) - 0.95) for m, e in CASES for n in sizes(m, e, (90, 110, 140, 200))]
few = coverage(0.98, 300, 8.0)
print(
    f"mean 0.98, ε = 8, 300 people, {150 * (1 - 0.98 * (exp(8) - 1) / (exp(8) + 1)):.0f} of the rarer sign: {few:.3f}"
)
check(
    "Coverage",
    "five populations, 90 reports of the rarer sign and more: within a point of 95 %",
    max(near) < 0.01,
    control="300 people with mean 0.98 at ε = 8",
    caught=few < 0.9,
)


def float_noise(x, rng, size=256):
    """Laplace noise from a random number of eight bits."""
    return x + pick((-2, 2), rng) * log(pick(range(1, size + 1), rng) / size)


check(
    "Floats",
    "noise from eight random bits: ε is infinite",
    epsilon(laws(float_noise, [0.0, 0.3])) == inf,
    control="the walk on a grid",
    caught=epsilon(laws(lambda x, rng: noisy(x, 4, 1.5, rng), [0.0, 0.5])) < 1.5,
)

# %% [markdown]
# (sec-means-wrong)=
# ## What can go wrong
#
# - *Numbers outside the range are clipped.*
#   Clipping in silence moves the mean, and no report shows by how much.
#   With a range up to 37 years, an eighth of the readers would be clipped.
# - *The range comes from the data.*
#   The largest age that occurs is somebody's age.
# - *Noise has floating-point values.*
#   With noise from eight random bits, ε is infinite; more bits make the fault rarer to see, and no smaller.
#
# (sec-means-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# You want the mean age of a population to ± 1.2 years (95 %), by the sign, with $e^\varepsilon = 3$.
# How many people do you need at most?
# How many with Laplace noise that is not cut, and $\varepsilon = \ln 3 = 1.10$?
# :::
#
# :::{dropdown} Solution
# One unit is half of the range, 12.25 years, so the standard error must be $1.2/(1.96 \cdot 12.25) = 0.05$.
# The sign has $c = 2$ and, with the spread of the ages, a variance of at most $c^2 = 4$ for a random sample: $n = 4/0.05^2 = 1{,}600$.
# Laplace noise has $8/1.10^2 = 6.63$, and the ages at most 1: $n = 7.63/0.05^2 = 3{,}050$.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Replace the first coin of the sign: choose plus with probability $(1+x/2)/2$.
# Write the client and its estimator.
# Is it still ε-LDP, exactly?
# What does it cost?
# :::
#
# :::{dropdown} Solution
# The mean of the sign is $x/2$, so the score is $2c\,y$, with variance $4c^2-x^2$: four times as many people.
# The probabilities of plus now lie closer together, so the client spends less than ε.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def timid(x, eps, rng):
    return two_point(x / 2, eps, rng)


scores = [2 * two_point_score(timid(x, 1.0, rng), 1.0) for x in people]
mean, error = server(scores)
spent = epsilon(laws(lambda x, rng: timid(x, 1.0, rng), [-1.0, 1.0]))
print(f"{mean:.2f} ± {error:.2f} years, ε = {spent:.3f} instead of 1")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# At $\varepsilon = 1$ a report of the sign has the score 2.16 or −2.16, though every number lies between −1 and 1.
# A colleague clips all scores to $[-1, 1]$.
# What happens to privacy, and what to the estimate?
# :::
#
# :::{dropdown} Solution
# Privacy stays the same, because the server only processes reports.
# All scores become $\pm1$, with mean $x/2.16$: the estimate is pulled to the middle of the range, however many people report.
# :::
#
# ## Summary
#
# - A number needs a public range; what lies outside is an error.
# - A coin makes a sign of a number, and randomized response hides the sign: the score $\pm c$ is unbiased, with variance $c^2-x^2$.
# - Noise belongs on a grid; to cut it at the ends of the range costs nothing.
# - Windows of cells are better for a large ε, and Hybrid mixes both.
# - The mean of the scores estimates the mean; their spread gives the standard error.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $x$ | an item, or another value that one person has |
# | $y$ | one report |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $b$ | scale of Laplace noise (here only) |
# | $t$ | number of steps of a grid (here only) |
# | $a$ | width of a window, in cells (here only) |
# | $\rho$ | $e^{-\varepsilon/t}$, the ratio of two neighbouring probabilities (here only) |
# | $\omega$ | probability that a cell of the window is drawn on purpose (here only) |
# | $\varphi$ | share of all cells that lie in a window (here only) |
#
# Next, {ref}`ch-many` asks about several numbers of each person.
