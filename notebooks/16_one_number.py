# %% [markdown]
# (ch-means)=
# # One number
#
# *From {cite:t}`duchi2018minimax`, {cite:t}`ghosh2012universally` and {cite:t}`wang2019collecting`; {cite:t}`ye2018survey` reviews means ({ref}`dossier <paper-ye2018>`).*
#
# :::{admonition} In one minute
# Everybody has a number in a public range, and a server wants the mean.
# The first client turns a number into a sign by a coin, and sends the sign by randomized response.
# The second adds noise on a grid, and the third favours a window of cells around the number.
# Each report gets a score that is right on average, and the mean of the scores is the estimate.
# The sign is nearly best for small budgets, windows for large ones.
# :::
#
# :::{zh}
# 每个人有一个取值在公开范围内的数，服务器想估计均值；范围之外的数会被拒绝，绝不悄悄截断。
# 本课介绍三种客户端：用硬币把数变成符号再作随机响应；在格点上加双侧几何噪声并在范围两端截断；以及更常上报该数附近窗口内的格子。
# 三者都恰好满足 $\varepsilon$-本地化差分隐私，每份报告都有期望等于真值的得分，得分的均值就是无偏估计，其标准误差由得分的离散程度得出。
# 符号的得分方差为 $c^2-x^2$，其中 $c=(e^\varepsilon+1)/(e^\varepsilon-1)$。
# 噪声在两端截断不损失任何信息，反而减小方差；浮点噪声则可能泄露数值。
# 预算较小时符号几乎最优；预算较大时窗口机制更好，混合机制 Hybrid 居于两者之间。
# :::
#
# You need randomized response from {ref}`ch-rr`, and `prove` from {ref}`ch-verify`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import Hybrid, Laplace, Piecewise, TwoPoint, epsilon, laws, moments, pick, prove, same_law, toss
from ldpnb.book import check, datasets, diagram, label_lines, plain_ticks, simulation, style, theory
from ldpnb.book.studies import one_number as study
from ldpnb.chance import odds

style()
rng = np.random.default_rng(2013)

# %% [markdown]
# (sec-means-setting)=
# ## How old are they?
#
# The 6,366 readers of {ref}`ch-rr` also stated their age, in classes from 17.5 to 42 years.
# **Can a server estimate their mean age, if it learns nobody's?**
#
# A client must know between which numbers an age lies, because each report must be possible for every age.
# So the *range* is public, and fixed before anybody is asked.
# The client writes an age as a number $x$ in $[-1, 1]$, and refuses an age outside the range.

# %%
LOW, HIGH = 17.5, 42.0


def to_unit(age):
    """An age as a number in [−1, 1]."""
    if not LOW <= age <= HIGH:
        raise ValueError(f"{age} is not in [{LOW}, {HIGH}]")
    return (2 * age - LOW - HIGH) / (HIGH - LOW)


AGES = datasets.fair()["age"].to_numpy()
people = [to_unit(age) for age in AGES.tolist()]
print("rescaled: ", [round(x, 2) for x in people[:5]])
try:
    to_unit(50.0)
except ValueError as error:
    print("refused:  ", error)
clipped = AGES.clip(max=37)
print(f"true mean: {AGES.mean():.2f}, clipped to 37: {clipped.mean():.2f}")

# %% [markdown]
# A client never clips an age to the range in silence: the mean would move unseen.
#
# (sec-means-sign)=
# ## A number becomes a sign
#
# Randomized response needs two answers, and a coin makes two of a number {cite:p}`duchi2018minimax`.
# It chooses + with probability $(1+x)/2$, and − otherwise, so the sign has mean $\frac{1+x}2 - \frac{1-x}2 = x$.
# Then the client sends the sign by randomized response ({numref}`fig-means-tree`).


# %%
def sign(x, rng):
    """+1 or −1, with mean x."""
    return 1 if toss((1 + x) / 2, rng) else -1


def two_point(x, eps, rng):
    """The sign of x by randomized response."""
    s = sign(x, rng)
    return s if toss(odds(eps) / (odds(eps) + 1), rng) else -s


print([two_point(people[0], 1.0, rng) for _ in range(8)])


# %% mystnb={"figure": {"name": "fig-means-tree", "caption": "The client for x = 0.5 and e^ε = 3: a coin makes a sign, and a second coin may reverse it."}, "image": {"alt": "A tree with two levels. From x, plus has probability three quarters and minus one quarter; each sign is sent with probability three quarters and reversed with one quarter."}}
def asked(x, rng):
    return two_point(x, log(3), rng)


options = [["+", "−"], ["keep", "reverse"]]
look = {"steps": ["first coin", "second coin"], "names": {1: "+", -1: "−"}}
diagram.tree(asked, 0.5, options=options, root="0.5", head="number", **look)
plt.show()

# %% [markdown]
# :::{prf:theorem} Two points
# :label: thm-means-two
# The client is exactly ε-LDP.
# With $c = (e^\varepsilon+1)/(e^\varepsilon-1)$, the score $c\,y$ of a report $y = \pm1$ has mean $x$ and variance $c^2-x^2$.
# :::
#
# :::{prf:proof}
# The second coin keeps the sign with probability $p = e^\varepsilon/(e^\varepsilon+1)$.
#
# *Privacy.* The report is + with probability
#
# $$ \frac{1+x}2\,p + \frac{1-x}2\,(1-p). $$
#
# This weighted average of $p$ and $1-p$ lies between the two, and reaches them at $x = \pm1$.
# So does the probability of −, and $p/(1-p) = e^\varepsilon$.
#
# *Mean.* The second coin multiplies the mean $x$ of the sign by
#
# $$ p - (1-p) = \frac{e^\varepsilon-1}{e^\varepsilon+1} = \frac1c. $$
#
# *Variance.* The square of $c\,y$ is always $c^2$, and the square of its mean is $x^2$.
# :::
#
# The server averages the scores; the standard error is their standard deviation, divided by $\sqrt n$.


# %%
def server(scores):
    """The mean in years, and its standard error."""
    scores = np.asarray(scores)
    years = (HIGH - LOW) / 2
    middle = (HIGH + LOW) / 2
    error = years * scores.std(ddof=1) / sqrt(len(scores))
    return middle + years * scores.mean(), error


def two_point_score(y, eps):
    return y * (exp(eps) + 1) / (exp(eps) - 1)


print(f"truth:   {AGES.mean():.2f}")
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
# Another way is to add noise.
# It must hide the *sensitivity*, the largest difference between two numbers that must look alike.
# One person may have any two numbers, so the sensitivity is the width of the range, 2.
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
# But floating-point noise takes certain values only, and for another $x$ the sums are others {cite:p}`mironov2012significance`.
# Here is Laplace noise for $\varepsilon = 1$ from eight random bits:


# %%
def float_noise(x, rng, size=256):
    """x plus or minus 2 log(a random number)."""
    z = -2 * log(pick(range(1, size + 1), rng) / size)
    return x + (z if toss(0.5, rng) else -z)


spent = epsilon(laws(float_noise, [0.0, 0.3]))
print(f"this client is ε-LDP for ε = {spent}")

# %% [markdown]
# (sec-means-laplace)=
# ### On a grid
#
# So take a grid of $t$ steps, with points $x_u = -1+2u/t$ for $u = 0, \dots, t$.
# A coin rounds a number to one of its two neighbours, with the right mean.
# This only mixes the laws of the two points, so we prove privacy and means for points alone.
#
# From its point, the client walks in a random direction {cite:p}`ghosh2012universally`.
# After each step it goes on with probability $\rho = e^{-\varepsilon/t}$, but not beyond the end of the range.
# With probability $\frac{1-\rho}{1+\rho}$ it does not even start.
# Without the end, it would make $h > 0$ steps to one side with probability
#
# $$ \frac{2\rho}{1+\rho}\cdot\frac12\cdot\rho^{h-1}(1-\rho) = \frac{1-\rho}{1+\rho}\,\rho^h. $$ (eq-means-geometric)


# %%
def onto_grid(x, steps, rng):
    """One of the two grid points beside x, with mean x."""
    place = (x + 1) / 2 * steps
    below = min(int(place), steps - 1)
    return below + toss(place - below, rng)


def noisy(x, steps, eps, rng):
    """A grid point with noise, cut at the ends."""
    u, rho = onto_grid(x, steps, rng), 1 / odds(eps / steps)
    if toss((1 - rho) / (1 + rho), rng):
        return u
    step = pick((-1, 1), rng)
    u += step
    while 0 < u < steps and toss(rho, rng):
        u += step
    return min(max(u, 0), steps)


# %% [markdown]
# :::{prf:theorem} Noise that is cut
# :label: thm-means-cut
# The client is exactly ε-LDP.
# A score with mean $x_u$ is $x_y$ for points $y$ inside, and at the two ends
#
# $$ \pm\Big(1 + \frac2t\cdot\frac{\rho}{1-\rho}\Big). $$ (eq-means-ends)
#
# Its variance is smaller than without a cut.
# :::
#
# :::{prf:proof}
# *Privacy.* Without the cut, point $y$ has a probability proportional to $\rho^{|y-u|}$, by {eq}`eq-means-geometric`.
# Two points $u$ are at most $t$ steps apart, so a ratio is at most $\rho^{-t} = e^\varepsilon$, which $y = 0$ attains.
# The cut only processes the report, and leaves this ratio at 0.
#
# *Mean.* Without a cut, a walk that reaches the upper end goes on for $h$ more steps with probability $(1-\rho)\rho^h$, from whatever point it came.
# The mean of $h$ is $\rho/(1-\rho)$ steps of width $2/t$: this is {eq}`eq-means-ends`.
# So the score is the mean of the uncut report, given the cut one, and has the same mean $x_u$.
#
# *Variance.* To replace a report by such a mean takes away the variance of $h$ at the ends.
# :::
#
# So beyond the range, there is nothing to learn.
# For a fine grid and small ε, the cut saves half of the variance (Exercise 1).
#
# (sec-means-windows)=
# ## Windows
#
# The third client favours a *window* of cells around its number {cite:p}`wang2019collecting`.
# There are $t+a$ cells.
# The window of grid point $u$ is the cells $u, \dots, u+a-1$, and each of them is $e^\varepsilon$ times as likely as any other cell.


# %%
def windowed(x, steps, width, eps, rng):
    """A cell of the window, or one of the others."""
    u, weight = onto_grid(x, steps, rng), width * odds(eps)
    window = range(u, u + width)
    if toss(weight / (weight + steps), rng):
        return pick(window, rng)
    others = [y for y in range(steps + width) if y not in window]
    return pick(others, rng)


# %% [markdown]
# This is an {term}`exponential mechanism`: each report has a quality for $x$, here 1 in the window and 0 outside, and a probability proportional to $e^{\varepsilon\cdot\text{quality}}$.
# If only the truth has quality 1, this is k-RR.
#
# :::{prf:theorem} Windows
# :label: thm-means-windows
# The client is exactly ε-LDP, and the score
#
# $$ \begin{aligned} &\frac{2}{t\,\omega}\Big(y - \frac{t+a-1}{2}\Big), \\ &\omega = \frac{a\,(e^\varepsilon-1)}{a\,e^\varepsilon+t}, \end{aligned} $$
#
# has mean $x_u$.
# :::
#
# :::{prf:proof}
# *Privacy.* The sum of weights, $a\,e^\varepsilon+t$, is the same for all points.
# So a cell has one of two probabilities, with ratio $e^\varepsilon$, and some cell is in one of two windows only.
#
# *Mean.* Draw a cell of the window with probability ω, and otherwise any of the $t+a$ cells: this has the same law.
# Any cell has the mean $\frac{t+a-1}2$, so the bracket has mean 0.
# A cell of the window has the mean $u+\frac{a-1}2$, so the bracket has mean $u-\frac t2$.
# Together, the score has mean $\frac2t\big(u-\frac t2\big) = x_u$.
# :::
#
# The scores, and in {numref}`fig-means-laws` their laws:


# %%
def noisy_score(y, steps, eps):
    rho = exp(-eps / steps)
    beyond = 2 / steps * rho / (1 - rho)
    return -1 + 2 * y / steps + beyond * ((y == steps) - (y == 0))


def windowed_score(y, steps, width, eps):
    weight = width * exp(eps)
    omega = (weight - width) / (weight + steps)
    return 2 / (steps * omega) * (y - (steps + width - 1) / 2)


# %% mystnb={"figure": {"name": "fig-means-laws", "caption": "Laws of the score for the numbers −1 and 0.5, with ε = 1.5 and eight steps: noise, and windows of four cells."}, "image": {"alt": "Two panels of bars of probability against score, for two people side by side. Noise: nine scores, the end scores ±2.2 are the most frequent. Windows: twelve scores and two heights, the tall bars on the left for −1 and right of the middle for 0.5."}}
THREE = {
    "sign": (two_point, two_point_score),
    "noise": (noisy, noisy_score),
    "windows": (windowed, windowed_score),
}


def law_of(name, x, size, eps):
    """The law of a client's score, as rows of a table."""
    client, score = THREE[name]
    told = laws(lambda x, rng: client(x, *size, eps, rng), [x])[0]
    frame = pd.DataFrame({"report": sorted(told)})
    frame["score"] = [score(y, *size, eps) for y in frame["report"]]
    frame["probability"] = [float(told[y]) for y in frame["report"]]
    return frame


fig, axes = plt.subplots(2, 1, figsize=(6.4, 4.6))
sizes = {"noise": (8,), "windows": (8, 4)}
for ax, (name, size) in zip(axes, sizes.items(), strict=True):
    both = [law_of(name, x, size, 1.5) for x in (-1, 0.5)]
    rows = pd.concat(both, keys=["−1", "0.5"], names=["number", None])
    xy = {"x": "score", "y": "probability", "hue": "number", "ax": ax}
    sns.barplot(rows, **xy, formatter=lambda z: f"{z:.2f}".replace("-", "−"))
    ax.set(title=name, xlabel="score")
    ax.tick_params(axis="x", labelsize=9)
axes[1].get_legend().remove()
plt.show()

# %% [markdown]
# No bar is more than $e^\varepsilon = 4.5$ times as high as the one beside it.
# For every ε, `prove` confirms it: for the sign, and for noise and windows with four steps.

# %%
GRID = [-1.0, -0.5, 0.0, 0.5, 1.0]
SIZES = {"sign": (), "noise": (4,), "windows": (4, 2)}


def client(name):
    """A client with its number of steps, and the width of its window."""
    return lambda x, eps, rng: THREE[name][0](x, *SIZES[name], eps, rng)


for name in THREE:
    found = prove(client(name), GRID, rounded=False)  # ideal coins
    print(f"{name:<8} exactly ε for every ε: {found.tight}")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: ε, bias and variance from the laws"}
def facts(send, score, values=GRID, eps=1.5):
    """Whether ε and the means are right, and the variances, from the law."""
    one = lambda x, rng: send(x, eps, rng)  # noqa: E731
    mean, variance = moments(one, values, score=score)
    return abs(epsilon(laws(one, values)) - eps) < 1e-9 and np.abs(mean - values).max() < 1e-9, variance


ODD = [-1.0, -0.3, 0.1, 0.25, 1.0]  # numbers between grid points, too
rho = exp(-1.5 / 4)
two, cut, window = (
    facts(two_point, lambda y: two_point_score(y, 1.5), ODD),
    facts(client("noise"), lambda y: noisy_score(y, 4, 1.5)),
    facts(client("windows"), lambda y: windowed_score(y, 4, 2, 1.5)),
)
check(
    "Two points",
    "exactly ε, unbiased, variance c² − x²",
    two[0] and np.allclose(two[1], two_point_score(1, 1.5) ** 2 - np.square(ODD)),
    control="scores ±1",
    caught=not facts(two_point, lambda y: y, ODD)[0],
)
check(
    "Noise",
    "exactly ε, unbiased, less variance",
    cut[0] and (cut[1] < (2 / 4) ** 2 * 2 * rho / (1 - rho) ** 2).all(),
    control="ends scored ±1",
    caught=not facts(client("noise"), lambda y: -1 + y / 2)[0],
)
check(
    "Windows",
    "exactly ε, unbiased",
    window[0],
    control="the slope for ε = 1.4",
    caught=not facts(client("windows"), lambda y: windowed_score(y, 4, 2, 1.4))[0],
)
check(
    "One step",
    "the law of the sign",
    all(
        same_law(lambda x, rng, c=send: 2 * c(x, rng) - 1, lambda x, rng: two_point(x, 1.0, rng), ODD)
        for send in (lambda x, rng: noisy(x, 1, 1.0, rng), lambda x, rng: windowed(x, 1, 1, 1.0, rng))
    ),
    control="noise for ε = 1.1",
    caught=not same_law(lambda x, rng: 2 * noisy(x, 1, 1.1, rng) - 1, lambda x, rng: two_point(x, 1.0, rng), ODD),
)

# %% [markdown]
# With one step and one cell, both clients are the sign again.
#
# For the variance of windows, let the grid be fine, and let $\varphi = \frac{a}{t+a}$ be the share of the cells in a window.
#
# 1. Measure places from −1 to 1 along all cells.
#    The score is the place divided by $\frac{t}{t+a}\,\omega = (1-\varphi)\,\omega$.
# 2. Over all cells, the mean square of the place is 1/3.
# 3. Over the window, which is $2\varphi$ wide, the place has variance $(2\varphi)^2/12 = \varphi^2/3$, and the score has mean $x/\omega$.
# 4. The window is drawn with probability ω, so the variance is
#
# $$ \begin{aligned} &\frac{1-\omega}{3\,(1-\varphi)^2\omega^2} + \omega\,\Big(\frac{\varphi^2}{3\,(1-\varphi)^2\omega^2} + \frac{x^2}{\omega^2}\Big) - x^2 \\ &= x^2\Big(\frac1\omega-1\Big) + \frac{1-\omega+\omega\,\varphi^2}{3\,(1-\varphi)^2\omega^2}. \end{aligned} $$ (eq-means-windows)
#
# {cite:t}`wang2019collecting` take $\varphi = 1/(e^{\varepsilon/2}+1)$.
# For a large ε, ω is near $1-e^{-\varepsilon/2}$, and the variance near $(x^2+\frac13)\,e^{-\varepsilon/2}$; that of noise is near $8/\varepsilon^2$ for $|x|<1$, and that of the sign near $1-x^2$.
#
# (sec-means-limit)=
# ## Which one is best?
#
# The variance of the sign falls with $x^2$, that of windows rises.
# So {cite:t}`wang2019collecting` mix both by a public coin.


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
# Windows with probability ω, and the sign otherwise, is exactly ε-LDP and unbiased, with the same variance at all grid points.
# :::
#
# Either report is exactly ε-LDP and unbiased.
# The coin turns the windows' mean square, $x^2/\omega$ plus a constant (step 4), into $x^2$ plus a constant.
# The sign's mean square is constant, and subtracting $x^2$ leaves a constant.
#
# On a grid of numbers and scores, the best client is found by a linear program ({ref}`sec-dist-variance`).
# {numref}`fig-means-variance` compares our clients with it.

# %% mystnb={"figure": {"name": "fig-means-variance", "caption": "Largest standard error over all numbers, divided by the best client's (left), and times √n (right). Lines: formula. Marks: 40,000 people each, 95 % bars."}, "image": {"alt": "Two panels against epsilon from 0.1 to 8. Left: sign and noise start near 1 and leave the panel above epsilon 2; windows start at 1.15; Hybrid stays lowest, and rises after epsilon 2. Right: four falling lines; the sign stays at 1 from epsilon 4 on, windows and Hybrid fall fastest. Marks lie on the lines."}}
KINDS = {"sign": TwoPoint, "noise": Laplace}
KINDS |= {"windows": Piecewise, "Hybrid": Hybrid}
BUDGETS = [0.1, 0.25, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 8]
exact, drawn = study.errors(KINDS, BUDGETS, (0.5, 1, 2, 4), rng)
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.7))
for ax, what in zip(axes, ("ratio", "error"), strict=True):
    xy = {"x": "ε", "y": what, "ax": ax}
    sns.lineplot(exact, **xy, **theory("client", [*KINDS]))
    marks = simulation("client", [*KINDS], of="std")
    sns.lineplot(drawn, **xy, **marks)
    ax.set(xscale="log", xlabel="budget ε")
axes[0].set(ylim=(0.95, 1.8), ylabel="standard error / best client's")
axes[1].set(yscale="log", ylabel="√n × standard error")
for ax in axes:
    plain_ticks(ax)
label_lines(axes)
plt.show()

# %% [markdown]
# Below $\varepsilon = 0.5$, no client is much better than one bit.
# From about 1 on, Hybrid is.
# Above 2, windows should be wider than published: the worst numbers are $\pm1$, where the first term of {eq}`eq-means-windows` counts.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: Hybrid, and windows on a fine grid"}


def even(mechanism):
    """Whether the variance is the same at all grid points."""
    return np.ptp(moments(mechanism, np.array(GRID))[1]) < 1e-9


check(
    "Hybrid",
    "one variance at all grid points",
    even(Hybrid(epsilon=1.5, steps=4)),
    control="windows alone",
    caught=not even(Piecewise(epsilon=1.5, steps=4)),
)
fine, ends = Piecewise(epsilon=2.0, steps=1024), np.array([-1.0, 0.0, 0.5])


def formula(phi, x):
    """The variance on a fine grid at ε = 2."""
    e = exp(2)
    w = phi * (e - 1) / (phi * e + 1 - phi)
    return x**2 * (1 / w - 1) + (1 - w + w * phi**2) / (3 * ((1 - phi) * w) ** 2)


def off(phi):
    return np.abs(fine.variance(ends)[:, 0] / formula(phi, ends) - 1).max()


phi = fine.window / (fine.steps + fine.window)
check(
    "Fine grid",
    "1,024 steps: the formula to 0.1 %",
    off(phi) < 1e-3,
    control="a share larger by a tenth",
    caught=off(1.1 * phi) > 0.01,
)

# %% [markdown]
# (sec-means-fair)=
# ## A mean with an interval
#
# Three surveys of the readers, with $\varepsilon = 2$, 16 steps, windows of six cells:

# %%
SIZES = {"sign": (), "noise": (16,), "windows": (16, 6)}
print(f"truth   {AGES.mean():.2f}")
for name, (send, score) in THREE.items():
    size = SIZES[name]
    reports = [send(x, *size, 2.0, rng) for x in people]
    mean, error = server([score(y, *size, 2.0) for y in reports])
    low, high = mean - 1.96 * error, mean + 1.96 * error
    print(f"{name:<7} {mean:.2f} ± {error:.2f}, 95 %: {low:.2f} to {high:.2f}")

# %% [markdown]
# These intervals are about a population of which the readers are a random sample.
# For the readers alone, they are a little too wide (Exercise 3).
#
# The factor 1.96 needs many reports of *both* signs; of the rarer one, we expect $\frac n2\big(1-|\bar x|/c\big)$ if the mean is $\bar x$.
# *Coverage* is the probability that the interval contains the true mean:

# %%
for mean, eps, n in [(0, 1, 20), (0, 1, 180), (0.98, 8, 300), (0.98, 8, 9000)]:
    rarer = n / 2 * (1 - mean / two_point_score(1, eps))
    share = study.coverage(mean, n, eps)
    case = f"mean {mean:<4} ε = {eps} n = {n:<4}"
    print(case, f"rarer sign {rarer:4.1f}  coverage {share:.1%}")

# %% [markdown]
# With 90 or more, coverage was within a point of 95 % wherever we tried.
#
# (sec-means-wrong)=
# ## What can go wrong
#
# - *The range comes from the data.*
#   The largest age that occurs is somebody's age.
# - *A client skips what it does not want to report.*
#   The gap leaks, and the mean is biased.
# - *The server clips scores to $[-1, 1]$.*
#   For the sign at $\varepsilon = 1$, the mean shrinks to $x/2.16$, however many people report.
#
# (sec-means-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 8 minutes)
# You want the mean age of a population to ± 1.2 years (95 %), by the sign, with $e^\varepsilon = 3$.
# How many people suffice?
# How many with Laplace noise that is not cut ($\ln 3 = 1.10$)?
# Which part of its variance does the cut save as $\varepsilon \to 0$?
# :::
#
# :::{dropdown} Solution
# One unit is half of the range, 12.25 years, so the standard error must be $1.2/(1.96 \cdot 12.25) = 0.05$.
# The sign has $c = 2$ and, with the spread of the ages, a variance of at most $c^2 = 4$ for a random sample: $n = 4/0.05^2 = 1{,}600$.
# Laplace noise has $8/1.10^2 = 6.63$, and the ages at most 1: $n = 7.63/0.05^2 = 3{,}050$.
#
# At grid point $u$, a walk ends at one of the ends with probability $\frac{\rho^u+\rho^{t-u}}{1+\rho}$.
# There the cut takes away the variance of $h$ steps, $\frac4{t^2}\cdot\frac{\rho}{(1-\rho)^2}$.
# On a fine grid $t(1-\rho) \to \varepsilon$, $\rho^u \to e^{-\varepsilon(1+x)/2}$ and $\rho^{t-u} \to e^{-\varepsilon(1-x)/2}$, so the variance is
#
# $$ \frac8{\varepsilon^2} - \frac4{\varepsilon^2}\,e^{-\varepsilon/2}\cosh\frac{\varepsilon x}2. $$
#
# As $\varepsilon \to 0$, half of it goes.
# :::
#
# :::{admonition} Exercise 2 (code, 8 minutes)
# Replace the first coin of the sign: choose + with probability $(1+x/2)/2$.
# Write the client and its estimator.
# Is it exactly ε-LDP?
# What does it cost?
# Are there other unbiased scores?
# :::
#
# :::{dropdown} Solution
# The mean of the sign is $x/2$, so the score is $2c\,y$, with variance $4c^2-x^2$: four times as many people.
# The probabilities of + now lie closer together, so the client is ε-LDP, but spends less than ε.
# Let $r$ be the probability of + at $x = 1$, and $1-r$ that at $x = -1$.
# Scores $z_+$ and $z_-$ with means 1 and −1 there solve $rz_++(1-r)z_-=1$ and $(1-r)z_++rz_-=-1$, with determinant $2r-1 \ne 0$: there are no others, here or for the sign.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def timid(x, eps, rng):
    return two_point(x / 2, eps, rng)


reports = [timid(x, 1.0, rng) for x in people]
mean, error = server([2 * two_point_score(y, 1.0) for y in reports])
less = epsilon(laws(lambda x, rng: timid(x, 1.0, rng), [-1.0, 1.0]))
print(f"{mean:.2f} ± {error:.2f} years, ε = {less:.3f} instead of 1")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 8 minutes)
# For fixed people, the expected square of the standard error exceeds the variance of the estimate.
# By how much, and what changes for a random sample?
# :::
#
# ::::{dropdown} Solution
# :::{prf:theorem} The standard error
# :label: thm-means-error
# Let $\hat x$ be the mean of unbiased scores of fixed people, whose numbers $x_1, \dots, x_n$ have the mean $\bar x$.
# In units of $x$, the server's standard error se has
#
# $$ \E\,\mathrm{se}^2 = \Var \hat x + \frac{1}{n\,(n-1)}\sum_{i=1}^n (x_i-\bar x)^2. $$
#
# For people drawn at random, $\E\,\mathrm{se}^2 = \Var\hat x$.
# :::
#
# Scores are independent, $z_i$ with mean $x_i$ and variance $\sigma_i^2$, so $\Var\hat x = \sum_i\sigma_i^2/n^2$.
# The difference $z_i-\hat x$ has mean $x_i-\bar x$ and variance $\sigma_i^2(1-\frac2n)+\Var\hat x$, because $\hat x$ contains $z_i/n$.
# Summed over all $i$,
#
# $$ \begin{aligned} \E\sum_i (z_i-\hat x)^2 &= \Big(1-\frac2n\Big)\sum_i\sigma_i^2 + n\Var\hat x + \sum_i(x_i-\bar x)^2 \\ &= (n^2-2n+n)\Var\hat x + \sum_i(x_i-\bar x)^2. \end{aligned} $$
#
# Divide by $n(n-1)$.
# For people drawn at random, the scores are independent with one law, and $\mathrm{se}^2$ is the usual unbiased estimate of the variance of their mean.
# ::::
#
# ## Summary
#
# - A number needs a public range; what lies outside is refused.
# - A coin makes a sign, and randomized response hides it: nearly best for a small ε.
# - Noise belongs on a grid; the cut at the ends costs nothing.
# - Windows are better for a large ε; Hybrid mixes them with the sign.
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
# | $t$ | steps of a grid (here only) |
# | $u$ | number of a grid point (here only) |
# | $h$ | steps of a walk (here only) |
# | $a$ | cells of a window (here only) |
# | $\rho$ | $e^{-\varepsilon/t}$ (here only) |
# | $\omega$ | probability of drawing from the window alone (here only) |
# | $\varphi$ | share of the cells in a window (here only) |
#
# Next, {ref}`ch-many` asks about several numbers of each person.
