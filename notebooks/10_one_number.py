# %% [markdown]
# (ch-means)=
# # One number
#
# *From {cite:t}`duchi2018minimax`, {cite:t}`ghosh2012universally` and {cite:t}`wang2019collecting`; see also the {ref}`dossier of the survey <paper-ye2018>`.*
#
# :::{admonition} In one minute
# Everybody has a number in a public range, and a server wants the mean.
# The first client turns a number into a sign by a coin, and sends the sign by randomized response.
# The second adds noise on a grid; the third favours a window around the number.
# Each report gets a score that is right on average; the estimate is the mean score.
# For small budgets, the sign is nearly best; for large ones, windows are the best of the three.
# :::
#
# :::{zh}
# 每个人有一个取值在公开范围内的数，服务器想估计均值；范围之外的数会被拒绝，而不是被截断。
# 本课介绍三种客户端：用硬币把数变成符号再作随机响应；在格点上加双侧几何噪声并在范围两端截断；以及更常上报该数附近窗口内的格子。
# 三者都恰好满足 $\varepsilon$-本地化差分隐私，每份报告都有期望等于真值的得分，得分的均值就是无偏估计，其标准误差由得分的离散程度得出。
# 符号的得分方差为 $c^2-x^2$，其中 $c=(e^\varepsilon+1)/(e^\varepsilon-1)$。
# 噪声在两端截断不损失任何信息，反而减小方差；浮点噪声则可能泄露数值。
# 预算较小时符号几乎最优；预算较大时窗口机制更好，混合机制 Hybrid 用公开的硬币在两者之间选择。
# :::
#
# You need randomized response from {ref}`ch-rr`, and `prove` from {ref}`ch-verify`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import binom

from ldpnb import Hybrid, Laplace, Piecewise, TwoPoint, epsilon, laws, moments, pick, prove, same_law, toss
from ldpnb.chance import odds
from ldpnb_book import check, datasets, diagram, label_lines, plain_ticks, simulation, style, theory
from ldpnb_book.studies import one_number as study

style()
rng = np.random.default_rng(2013)

# %% [markdown]
# (sec-means-setting)=
# ## How old are they?
#
# The 6,366 readers of {ref}`ch-rr` also gave their age, in six classes coded 17.5 to 42.
# **Can a server estimate the mean without learning anybody's age?**
#
# The *range* of ages must be public and include everybody.
# The client rescales an age to a number $x$ in $[-1, 1]$, and refuses ages outside the range; clipping would bias the mean.

# %%
LOW, HIGH, EPS = 17.5, 42.0, 2.0


def to_unit(age):
    """An age as a number in [−1, 1]."""
    if not LOW <= age <= HIGH:
        raise ValueError(f"{age} is not in [{LOW}, {HIGH}]")
    return (2 * age - LOW - HIGH) / (HIGH - LOW)


AGES = datasets.fair()["age"].to_numpy()
people = [to_unit(age) for age in AGES.tolist()]
print("rescaled:", [round(x, 2) for x in people[:5]])

# %% [markdown]
# (sec-means-sign)=
# ## A number becomes a sign
#
# A coin turns a number into a sign {cite:p}`duchi2018minimax`: + with probability $(1+x)/2$, and − otherwise.
# So the sign has mean $\frac{1+x}2 - \frac{1-x}2 = x$.
# The client sends it by randomized response ({numref}`fig-means-tree`).


# %%
def sign(x, rng):
    """+1 or −1, with mean x."""
    return 1 if toss((1 + x) / 2, rng) else -1


def two_point(x, eps, rng):
    """The sign of x by randomized response."""
    s = sign(x, rng)
    return s if toss(odds(eps) / (odds(eps) + 1), rng) else -s


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Diagram", "figure": {"name": "fig-means-tree", "caption": "The sign for x = 0.5 and e^ε = 3."}, "image": {"alt": "A tree with two levels. From x, plus has probability three quarters and minus one quarter; each sign is sent with probability three quarters and reversed with one quarter."}}
look = {"steps": ["first coin", "second coin"], "head": "number"}
look |= {"options": [["+", "−"], ["keep", "reverse"]]}
look |= {"root": "0.5", "names": {1: "+", -1: "−"}}
diagram.tree(lambda x, rng: two_point(x, log(3), rng), 0.5, **look)
plt.show()

# %% [markdown]
# :::{prf:theorem} The sign
# :label: thm-means-two
# The client is exactly ε-LDP.
# With $c = (e^\varepsilon+1)/(e^\varepsilon-1)$, the score $c\,y$ of a report $y = \pm1$ has mean $x$ and variance $c^2-x^2$.
# :::
#
# :::{prf:proof}
# The second coin keeps the sign with probability $p = e^\varepsilon/(e^\varepsilon+1)$.
#
# 1. *Privacy.*
#    The report is + with a weighted average of $p$ and $1-p$ as probability.
#    This lies between them, and reaches them at $x = \pm1$; so does that of −.
#    Hence the largest ratio is $p/(1-p) = e^\varepsilon$.
# 2. *Mean.*
#    The second coin multiplies the mean $x$ of the sign by $p - (1-p) = \frac{e^\varepsilon-1}{e^\varepsilon+1} = \frac1c$.
# 3. *Variance.*
#    The square of $c\,y$ is always $c^2$, and the square of its mean is $x^2$.
# :::
#
# The server averages the scores; the standard error is their standard deviation over $\sqrt n$.


# %%
def server(scores):
    """The mean in years, and its standard error."""
    scores = np.asarray(scores)
    middle, years = (HIGH + LOW) / 2, (HIGH - LOW) / 2
    error = years * scores.std(ddof=1) / sqrt(len(scores))
    return middle + years * scores.mean(), error


def two_point_score(y, eps):
    return y * (exp(eps) + 1) / (exp(eps) - 1)


reports = [two_point(x, EPS, rng) for x in people]
mean, error = server([two_point_score(y, EPS) for y in reports])
print(f"truth {AGES.mean():.2f}, estimate {mean:.2f} ± {error:.2f}")

# %% [markdown]
# (sec-rr-laplace)=
# ## Noise
#
# The noise must match the *sensitivity*, the largest difference between two numbers: here 2.
#
# :::{prf:theorem} Laplace noise
# :label: thm-local-laplace
# Let $Z$ have the density $\frac{1}{2b}e^{-|z|/b}$ with $b = 2/\varepsilon$.
# The report $x+Z$ of a number in $[-1,1]$ is exactly ε-LDP {cite:p}`dwork2006calibrating`.
# :::
#
# :::{prf:proof}
# The densities of a report $y$ for two numbers have the ratio
#
# $$ e^{(|y-x'|-|y-x|)/b} \le e^{|x-x'|/b} \le e^{2/b} = e^\varepsilon, $$
#
# with equality for $x = -1$, $x' = 1$ and $y \le -1$.
# :::
#
# The report is its own score, with variance $2b^2 = 8/\varepsilon^2$.
#
# But floating-point noise takes only certain values, so for another $x$, the sum $x+Z$ takes others, and reports may give the number away {cite:p}`mironov2012significance`.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Nine random bits: ε is infinite"}
def float_noise(x, rng, size=256):
    """x plus or minus 2 log(a random number)."""
    z = -2 * log(pick(range(1, size + 1), rng) / size)
    return x + (z if toss(0.5, rng) else -z)


print("ε =", epsilon(laws(float_noise, [0.0, 0.3])))

# %% [markdown]
# (sec-means-laplace)=
# ## Noise on a grid
#
# The second client uses a grid of $t$ steps with points $x_u = -1+2u/t$ for $u = 0, \dots, t$.
# A coin rounds $x$ to one of the two grid points beside it, with mean $x$.
# Rounding mixes two laws, which keeps ratios within $e^\varepsilon$, so we check grid points only.
#
# From there, the client takes a walk {cite:p}`ghosh2012universally`, with $\rho = e^{-\varepsilon/t}$.
# With probability $\frac{1-\rho}{1+\rho}$ it stays.
# Otherwise it draws a direction, takes a step, and after each goes on with probability ρ.
# The walk ends at an end of the grid; from an end, a step outwards leads back to it.
# Without ends, it would make $h > 0$ steps to a given side with probability
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
# The score of a report $y$ is $x_y$ inside the range, and at the two ends
#
# $$ \pm\Big(1 + \frac2t\cdot\frac{\rho}{1-\rho}\Big). $$ (eq-means-ends)
#
# It has mean $x_u$, and less variance than without a cut.
# :::
#
# :::{prf:proof}
# 1. *Privacy.*
#    Let the walk go on beyond the ends.
#    By {eq}`eq-means-geometric`, it ends at $y$ with a probability proportional to $\rho^{|y-u|}$.
#    Two points $u$ are at most $t$ steps apart, so a ratio is at most $\rho^{-t} = e^\varepsilon$; for all $y \le 0$, $u = 0$ and $u = t$ attain it.
#    As walks never turn, the client reports this $y$, or the nearest end if $y$ is outside.
#    This only processes $y$, and the end 0 collects all $y \le 0$, so its ratio is still $e^\varepsilon$.
# 2. *Mean.*
#    For every $u \le t$, the uncut walk ends $h \ge 0$ steps beyond the upper end with a probability proportional to $\rho^h$.
#    So there, $h$ has the law $(1-\rho)\rho^h$ and the mean $\rho/(1-\rho)$, in steps of width $2/t$: this is {eq}`eq-means-ends`.
#    The score is the mean of the uncut report, given the cut one, so it has the same mean $x_u$.
# 3. *Variance.*
#    By the law of total variance, the cut removes the variance of $h$ whenever the report is at an end.
# :::
#
# On a fine grid, the variance of these $h$ steps is $4/\varepsilon^2$, and the uncut variance $8/\varepsilon^2$.
# For a small ε, nearly all reports are at an end, so the cut halves it.
#
# (sec-means-windows)=
# ## Windows
#
# The third client sends one of $t+a$ cells {cite:p}`wang2019collecting`.
# The *window* of point $u$ consists of the $a$ cells $u, \dots, u+a-1$; each is $e^\varepsilon$ times as likely as any cell outside.


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
# This is an {term}`exponential mechanism`, with quality 1 in the window and 0 outside; a window of one cell gives k-RR.
#
# :::{prf:theorem} Windows
# :label: thm-means-windows
# The client is exactly ε-LDP.
# With $\omega = a\,(e^\varepsilon-1)/(a\,e^\varepsilon+t)$, the score
#
# $$ \frac{2}{t\,\omega}\Big(y - \frac{t+a-1}{2}\Big) $$
#
# has mean $x_u$.
# :::
#
# :::{prf:proof}
# 1. *Privacy.*
#    The sum of weights, $a\,e^\varepsilon+t$, is the same for all points, so a cell has one of two probabilities, with ratio $e^\varepsilon$.
#    Cell 0 has both: it is in the window of point 0, but not in that of point 1.
# 2. *Mean.*
#    Draw a cell of the window with probability ω, and otherwise any of the $t+a$ cells.
#    Then a cell outside has probability $\frac{1-\omega}{t+a} = \frac1{a\,e^\varepsilon+t}$, so this is the same law.
#    A uniform cell has mean $\frac{t+a-1}2$, so the bracket has mean 0.
#    A cell of the window has mean $u+\frac{a-1}2$, so the bracket has mean $u-\frac t2$.
#    Together, the score has mean $\frac2t\big(u-\frac t2\big) = x_u$.
# :::
#
# {numref}`fig-means-laws` shows the laws of the scores.


# %%
def noisy_score(y, steps, eps):
    rho = exp(-eps / steps)
    beyond = 2 / steps * rho / (1 - rho)
    return -1 + 2 * y / steps + beyond * ((y == steps) - (y == 0))


def windowed_score(y, steps, width, eps):
    weight = width * exp(eps)
    omega = (weight - width) / (weight + steps)
    return 2 / (steps * omega) * (y - (steps + width - 1) / 2)


# %% mystnb={"figure": {"name": "fig-means-laws", "caption": "Laws of the score for −1 and 0.5, with ε = 1.5 and eight steps: noise, and windows of four cells."}, "image": {"alt": "Two panels of bars of probability against score, for two people side by side. Noise: nine scores, the end scores ±2.2 are the most frequent. Windows: twelve scores and two heights, the tall bars on the left for −1 and right of the middle for 0.5."}}
THREE = {
    "sign": (two_point, two_point_score),
    "noise": (noisy, noisy_score),
    "windows": (windowed, windowed_score),
}


def law_of(name, x, size, eps):
    """The law of a client's score, as rows of a table."""
    client, score = THREE[name]
    told = laws(lambda x, rng: client(x, *size, eps, rng), [x])[0]
    rows = [(score(y, *size, eps), float(told[y])) for y in told]
    return pd.DataFrame(rows, columns=["score", "probability"])


fig, axes = plt.subplots(2, 1, figsize=(6.4, 4.6))
sizes = {"noise": (8,), "windows": (8, 4)}
for ax, (name, size) in zip(axes, sizes.items(), strict=True):
    both = [law_of(name, x, size, 1.5) for x in (-1, 0.5)]
    rows = pd.concat(both, keys=["−1", "0.5"], names=["number", None])
    xy = {"x": "score", "y": "probability", "hue": "number", "ax": ax}
    sns.barplot(rows, **xy, native_scale=True)
    ax.set(title=name, xlabel="score")
axes[1].get_legend().remove()
plt.show()

# %% [markdown]
# `prove` finds each exactly ε-LDP at every ε, on a grid of four steps:

# %%
GRID = [-1.0, -0.5, 0.0, 0.5, 1.0]
SIZES = {"sign": (), "noise": (4,), "windows": (4, 2)}


def client(name):
    """A client with its number of steps, and the width of its window."""
    return lambda x, eps, rng: THREE[name][0](x, *SIZES[name], eps, rng)


for name in THREE:
    print(name, prove(client(name), GRID, rounded=False).tight)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: ε, bias and variance from the laws"}
def facts(send, score, values=GRID, eps=1.5):
    """Whether ε and the means are right, and the variances, from the law."""
    one = lambda x, rng: send(x, eps, rng)  # noqa: E731
    mean, variance = moments(one, values, score=score)
    return abs(epsilon(laws(one, values)) - eps) < 1e-9 and np.abs(mean - values).max() < 1e-9, variance


ODD = [-1.0, -0.3, 0.1, 0.25, 1.0]  # numbers between grid points, too
rho = exp(-1.5 / 4)
two = facts(two_point, lambda y: two_point_score(y, 1.5), ODD)
cut = facts(client("noise"), lambda y: noisy_score(y, 4, 1.5))
window = facts(client("windows"), lambda y: windowed_score(y, 4, 2, 1.5))
good = two[0] and np.allclose(two[1], two_point_score(1, 1.5) ** 2 - np.square(ODD))
caught = not facts(two_point, lambda y: y, ODD)[0]
check("The sign", "exactly ε, unbiased, variance c² − x²", good, control="scores ±1", caught=caught)
good = cut[0] and (cut[1] < (2 / 4) ** 2 * 2 * rho / (1 - rho) ** 2).all()
caught = not facts(client("noise"), lambda y: -1 + y / 2)[0]
check("Noise", "exactly ε, unbiased, less variance", good, control="ends scored ±1", caught=caught)
caught = not facts(client("windows"), lambda y: windowed_score(y, 4, 2, 1.4))[0]
check("Windows", "exactly ε, unbiased", window[0], control="the slope for ε = 1.4", caught=caught)


def is_sign(send, *size_and_eps):
    """Whether a client on a grid of one step is the sign at ε = 1."""
    one = lambda x, rng: 2 * send(x, *size_and_eps, rng) - 1  # noqa: E731
    return same_law(one, lambda x, rng: two_point(x, 1.0, rng), ODD)


one = is_sign(noisy, 1, 1.0) and is_sign(windowed, 1, 1, 1.0)
check("One step", "the law of the sign", one, control="noise for ε = 1.1", caught=not is_sign(noisy, 1, 1.1))

# %% [markdown]
# The variance of windows takes four steps.
#
# 1. *Score.*
#    Let $\varphi = \frac{a}{t+a}$ be the share of cells in a window.
#    Measure the *place* of a cell from −1 to 1; since $\frac t{t+a} = 1-\varphi$,
#
#    $$ \begin{aligned} &\text{place} = \frac{2}{t+a}\Big(y-\frac{t+a-1}2\Big), \\ &\text{score} = \frac{\text{place}}{(1-\varphi)\,\omega}, \qquad \omega = \frac{\varphi\,(e^\varepsilon-1)}{\varphi\,e^\varepsilon+1-\varphi}. \end{aligned} $$
#
# 2. *Window.*
#    Draw as in the proof, with probability ω from the window.
#    Over a window, the score has mean $x_u/\omega$, and the same variance for all windows.
#    So the mean square of the score is $\omega\,(x_u/\omega)^2 = x_u^2/\omega$ plus the same constant for all points.
# 3. *Place.*
#    On a fine grid, the mean square of the place is 1/3 over all cells.
#    A window is $2\varphi$ wide, so within it the place has variance $(2\varphi)^2/12 = \varphi^2/3$.
# 4. *Variance.*
#    There, rounding adds hardly anything, and $x_u$ is nearly $x$.
#    Subtracting $x^2$ from the mean square gives the variance
#
#    $$ x^2\Big(\frac1\omega-1\Big) + \frac{1-\omega+\omega\,\varphi^2}{3\,(1-\varphi)^2\omega^2}. $$ (eq-means-windows)
#
# {cite:t}`wang2019collecting` take $\varphi = 1/(e^{\varepsilon/2}+1)$, which gives $\omega = 1-e^{-\varepsilon/2}$.
# For a large ε, this is near $(x^2+\frac13)\,e^{-\varepsilon/2}$, while noise has $8/\varepsilon^2$ for $|x|<1$, and the sign $1-x^2$.
#
# (sec-means-limit)=
# ## Which one is best?
#
# The variance of the sign falls with $x^2$, and that of windows rises.
# So {cite:t}`wang2019collecting` mix both: with probability ω, the client uses the window, and the report shows which.


# %%
def hybrid(x, steps, width, eps, rng):
    """A window or the sign; the report shows which."""
    weight = width * odds(eps)
    omega = (weight - width) / (weight + steps)
    if toss(omega, rng):
        return "window", windowed(x, steps, width, eps, rng)
    return "sign", two_point(x, eps, rng)


def hybrid_score(report, steps, width, eps):
    part, y = report
    if part == "sign":
        return two_point_score(y, eps)
    return windowed_score(y, steps, width, eps)


# %% [markdown]
# Both parts are exactly ε-LDP and unbiased.
# By step 2, the window adds $\omega \cdot x_u^2/\omega = x_u^2$ and a constant to the mean square; the sign adds a constant.
#
# :::{prf:theorem} Hybrid
# :label: thm-means-hybrid
# Hybrid is exactly ε-LDP and unbiased, with the same variance at all grid points.
# :::
#
# {numref}`fig-means-variance` compares our clients, with 64 steps, to the best, found by a linear program ({ref}`sec-dist-variance`).
# The package's `Laplace` is our noise on a grid; below $\varepsilon = 0.61$, its `Hybrid` sends signs alone, since a mixture is worse.

# %% mystnb={"figure": {"name": "fig-means-variance", "caption": "Largest standard error over all numbers, divided by the best client's. Lines: formula. Marks: 40,000 people each; their 95 % bars are smaller."}, "image": {"alt": "Four lines against epsilon from 0.1 to 8, on a logarithmic axis from 1 to 13. Sign and noise start near 1 and rise to 12.5 and 4.4. Windows start at 1.15. Hybrid is lowest throughout, rises after epsilon 2, and reaches 2.1 with windows. Marks lie on the lines."}}
KINDS = {"sign": TwoPoint, "noise": Laplace}
KINDS |= {"windows": Piecewise, "Hybrid": Hybrid}
BUDGETS = [0.1, 0.25, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 8]
exact, drawn = study.errors(KINDS, BUDGETS, (0.5, 1, 2, 4), rng)
fig, ax = plt.subplots(figsize=(6.4, 4))
xy = {"x": "ε", "y": "ratio", "ax": ax}
sns.lineplot(exact, **xy, **theory("client", [*KINDS]))
marks = simulation("client", [*KINDS], of="std")
sns.lineplot(drawn, **xy, **marks)
ax.set(xscale="log", yscale="log", xlabel="budget ε")
ax.set(ylabel="standard error / best client's")
plain_ticks(ax)
label_lines(ax)
plt.show()

# %% [markdown]
# Up to $\varepsilon = 0.5$, no client is much better than the sign.
# By {eq}`eq-means-windows`, windows beat it in the worst case from $\varepsilon = 1.29$ on.
# From about 1.4 on, Hybrid is clearly better; at 8, its error is about twice the least.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: Hybrid, and windows on a fine grid"}


def even(send, score):
    """Whether ε and means are right, and the variance the same at all grid points."""
    good, variance = facts(lambda x, eps, rng: send(x, 4, 2, eps, rng), lambda y: score(y, 4, 2, 1.5))
    return good and np.ptp(variance) < 1e-9


both, alone = even(hybrid, hybrid_score), even(windowed, windowed_score)
check("Hybrid", "exact, unbiased, one variance at grid points", both, control="windows alone", caught=not alone)
fine, ends = Piecewise(epsilon=2.0, steps=1024), np.array([-1.0, 0.0, 0.5])


def window_variance(x, phi, eps=2.0):
    """The variance on a fine grid."""
    w = phi * (exp(eps) - 1) / (phi * exp(eps) + 1 - phi)
    return x**2 * (1 / w - 1) + (1 - w + w * phi**2) / (3 * ((1 - phi) * w) ** 2)


def off(phi):
    return np.abs(fine.variance(ends)[:, 0] / window_variance(ends, phi) - 1).max()


phi = fine.window / (fine.steps + fine.window)
near, tenth = off(phi) < 1e-3, off(1.1 * phi) > 0.01
check("Fine grid", "1,024 steps: the formula to 0.1 %", near, control="a share larger by a tenth", caught=tenth)
shares, published = np.linspace(0.01, 0.99, 981), 1 / (exp(1) + 1)
best = shares[window_variance(1, shares).argmin()]
less = [1 - sqrt(window_variance(1, phi) / window_variance(1, published)) for phi in (best, 0.2)]
wider = round(best, 2) == 0.37 and round(published, 2) == 0.27 and round(less[0], 2) == 0.06
check("Wider", "share 0.37 for 0.27: 6 % less error at ±1", wider, control="share 0.2", caught=less[1] < 0)
at_worst = {e: (window_variance(1, 1 / (exp(e / 2) + 1), e), two_point_score(1, e) ** 2) for e in (1.285, 1.295)}
beaten = {e: windows < sign for e, (windows, sign) in at_worst.items()}
check("Windows", "beat the sign from ε = 1.29 on", beaten[1.295], control="at 1.285", caught=not beaten[1.285])

# %% [markdown]
# (sec-means-fair)=
# ## A mean with an interval
#
# Four surveys with $\varepsilon = 2$, 16 steps, and windows of six cells:

# %%
FOUR = THREE | {"Hybrid": (hybrid, hybrid_score)}
SIZES |= {"noise": (16,), "windows": (16, 6), "Hybrid": (16, 6)}
print(f"truth   {AGES.mean():.2f}")
for name, (send, score) in FOUR.items():
    size = SIZES[name]
    reports = [send(x, *size, EPS, rng) for x in people]
    mean, error = server([score(y, *size, EPS) for y in reports])
    low, high = mean - 1.96 * error, mean + 1.96 * error
    interval = f"{low:.2f} to {high:.2f}"
    print(f"{name:<7} {mean:.2f} ± {error:.2f}, 95 %: {interval}")

# %% [markdown]
# Here windows beat Hybrid, because their variance is larger only for numbers near $\pm1$; {numref}`fig-means-variance` compares the worst numbers.
#
# For fixed people, as here, these intervals are a little too wide (Exercise 3).
#
# The factor 1.96 needs many expected reports of the *rarer* sign.
# With 90 of them, intervals are right with probability 94 to 96 % in five populations (means −0.06 to 0.98, ε from 0.5 to 8); with three, this is 80 % in one population.
# The package's intervals allow for so few: there they are right with probability 97 to 99 %.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: how often intervals are right"}


def people_for(rarer, mean, eps):
    """How many people lead to so many expected reports of the rarer sign."""
    return round(2 * rarer / (1 - abs(mean) / two_point_score(1, eps)))


def coverage(rarer, mean, eps):
    """How often 1.96 errors to each side hold the mean; the number of plus has a binomial law."""
    c, n = two_point_score(1, eps), people_for(rarer, mean, eps)
    plus = np.arange(n + 1)
    found = c * (2 * plus / n - 1)
    half = 1.96 * np.sqrt((c**2 - found**2) / (n - 1))
    return binom.pmf(plus, n, (1 + mean / c) / 2) @ (abs(found - mean) <= half)


FIVE = [(-0.06, 0.5), (-0.06, 2), (-0.06, 8), (0, 1), (0.98, 8)]
near = all(abs(coverage(rarer, *of) - 0.95) < 0.01 for rarer in (90, 140, 200) for of in FIVE)
few = coverage(3, 0.98, 8)
check("Coverage", "within a point, exactly", near, control="3 of a sign", caught=round(few, 2) == 0.8)
ours = [study.coverage(mean, people_for(3, mean, eps), eps) for mean, eps in FIVE]
held = 0.965 < min(ours) < max(ours) < 0.99
check("Few", "the package, 3 of a sign: 97 to 99 %", held, control="1.96 standard errors", caught=few < 0.965)

# %% [markdown]
# (sec-means-wrong)=
# ## What can go wrong
#
# - *The range is taken from the data.*
#   It makes the smallest and largest number public.
# - *The server clips scores to $[-1, 1]$.*
#   For the sign at $\varepsilon = 1$, means shrink to $x/2.16$.
#
# (sec-means-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# With probability 95 %, an estimate should be within 1.2 years of a population's mean age.
# How many people, drawn at random, suffice with signs and $e^\varepsilon = 3$?
# How many with uncut Laplace noise ($\ln 3 = 1.0986$)?
# :::
#
# :::{dropdown} Solution
# One unit is half of the range, 12.25 years, so the standard error must be $1.2/(1.96 \cdot 12.25) = 0.04998$.
# Scores are $\pm c$, so a random person's score has variance at most $c^2 = 4$, and $n = 4/0.04998^2$, or 1,602 people.
# Laplace noise has variance $8/1.0986^2 = 6.628$, and the ages add at most 1, so $n = 7.628/0.04998^2$, or about 3,054 people.
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
# The mean of the sign is $x/2$, so the score is $2c\,y$, with variance $4c^2-x^2$: at least four times as many people.
# The probabilities of + now lie closer together, so the client is ε-LDP, but spends less than ε: 0.471 instead of 1.
# Let $r$ be the probability of + at $x = 1$, and $1-r$ that at $x = -1$.
# Scores $z_+$ and $z_-$ with means 1 and −1 there solve $rz_++(1-r)z_-=1$ and $(1-r)z_++rz_-=-1$, with determinant $2r-1 \ne 0$: there are no other unbiased scores, here or for the sign.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def timid(x, eps, rng):
    return two_point(x / 2, eps, rng)


reports = [timid(x, 1.0, rng) for x in people]
mean, error = server([2 * two_point_score(y, 1.0) for y in reports])
less = epsilon(laws(lambda x, rng: timid(x, 1.0, rng), [-1.0, 1.0]))
print(f"{mean:.2f} ± {error:.2f} years, ε = {less:.3f} instead of 1")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 9 minutes)
# For fixed people, the expected square of the standard error exceeds the variance of the estimate.
# Why, and by how much?
# What changes for a random sample?
# :::
#
# ::::{dropdown} Solution
# Scores also differ because people do, but for fixed people, this is no error of their mean.
#
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
# The scores $z_i$ are independent, with means $x_i$ and variances $\sigma_i^2$, so $\Var\hat x = \sum_i\sigma_i^2/n^2$.
# The difference $z_i-\hat x$ has mean $x_i-\bar x$ and variance $\sigma_i^2(1-\frac2n)+\Var\hat x$, because $\hat x$ contains $z_i/n$.
# Summed over all $i$,
#
# $$ \begin{aligned} \E\sum_i (z_i-\hat x)^2 &= \Big(1-\frac2n\Big)\sum_i\sigma_i^2 + n\Var\hat x + \sum_i(x_i-\bar x)^2 \\ &= (n^2-2n+n)\Var\hat x + \sum_i(x_i-\bar x)^2. \end{aligned} $$
#
# Divide by $n(n-1)$.
# For people drawn at random, the scores are independent with the same law, and $\mathrm{se}^2$ is the usual unbiased estimate of the variance of their mean.
# ::::
#
# ## Summary
#
# - The range must be public and include everybody.
# - A coin makes a sign, and randomized response hides it: nearly best for a small ε.
# - Noise on a grid, cut at the ends, has less variance.
# - Windows are better than the sign from about $\varepsilon = 1.3$ on; Hybrid mixes both.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $Z$ | Laplace noise (here only) |
# | $b$ | scale of Laplace noise (here only) |
# | $t$ | steps of a grid (here only) |
# | $u$ | number of a grid point (here only) |
# | $h$ | steps of a walk, or beyond an end (here only) |
# | $a$ | cells of a window (here only) |
# | $\rho$ | $e^{-\varepsilon/t}$ (here only) |
# | $\omega$ | probability of drawing from the window alone (here only) |
# | $\varphi$ | share of the cells in a window (here only) |
#
# Next, {ref}`ch-many` asks each person about several numbers.
