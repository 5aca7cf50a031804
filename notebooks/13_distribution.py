# %% [markdown]
# (ch-ranges)=
# # The distribution of a number
#
# *From {cite:t}`cormode2019range`, {cite:t}`hay2010consistency` and {cite:t}`li2020numerical`.*
#
# :::{admonition} In one minute
# Everybody has a number, and a server wants to know its whole distribution: shares of ranges, the median, a picture.
# Cut the range of the number into cells, and ask each person about a block of cells.
# Some people are asked about narrow blocks, others about wide ones.
# Together, the answers estimate long ranges better than single cells could, and with many cells far better.
# Confidence intervals for ranges and quantiles follow.
# A smooth picture comes from another client and another server.
# :::
#
# :::{zh}
# 每个人持有一个数，服务器想知道它的整个分布：任一区间的份额、中位数及其置信区间、密度的形状。
# 把公开范围分成 $k$ 格；若逐格估计再相加，误差随区间变长而增大。
# 本课的客户端随机抽取一个公开的块宽，只就自己所在的块上报一位（阿达马位），并使用全部预算 $\varepsilon$。
# 服务器把一个区间分解为互相正交的对比，每个对比由本层和所有更细的层估计，再按信息量加权，得到无偏估计。
# 方差公式对任何总体都精确成立，区间长度的影响只是对数级的。
# 由累积份额的置信带可以反推出分位数的区间。
# 若只要平滑的形状，则用窗口机制加最大似然，但那样得不到置信区间。
# :::
#
# You need the Hadamard bit from {ref}`ch-onebit`, and windows on a grid from {ref}`ch-means`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import pairwise
from math import exp, log2, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.optimize import minimize

from ldpnb import HadamardBit, Hierarchy, Piecewise, epsilon, laws, moments, pick, prove, toss
from ldpnb.chance import odds
from ldpnb.numbers import density, mean_variance
from ldpnb_book import check, diagram, label_lines, plain_ticks, simulation, style, table, theory

style()
rng = np.random.default_rng(2019)

# %% [markdown]
# (sec-ranges-question)=
# ## How long do people commute?
#
# A city asks 20,000 people how many minutes they need to get to work.
# It wants to know the median, and the share of those who need an hour or more.
# Before asking, it fixes $k = 64$ *cells* of two minutes each; cell 63 is “126 minutes or more”, so no answer lies outside.
#
# In our invented population, a person is in cell $x$ with probability $\pi_x$.
# Many people round to quarter hours, so there are spikes.

# %%
K, EPS = 64, 1.0
x = np.arange(K)
smooth = x**2 * np.exp(-x / 5)
spikes = np.isin(x, [7, 15, 22, 30])
pi = 0.7 * smooth / smooth.sum() + 0.3 * spikes / spikes.sum()
people = rng.choice(K, 20_000, p=pi).tolist()

# %% [markdown]
# Any oracle of {ref}`ch-frequency` estimates the share of each cell.
# The share of half of all cells is a sum of 32 noisy numbers, whose variances add up.
# **Can we do better if we ask about blocks of cells?**
#
# (sec-ranges-client)=
# ## The client
#
# There are five *levels*, numbered $a = 0, \dots, 4$.
# At level $a$, blocks are $b_a$ cells wide, here 1, 2, 4, 8 or 16.
# The client draws a level, regardless of the cell: level 0 with probability $r_0 = 3/7$ ({ref}`sec-ranges-variance` says why), and each other level with $1/7$.
# {numref}`fig-ranges-levels` shows what Ana could be asked.

# %% mystnb={"figure": {"name": "fig-ranges-levels", "caption": "Ana is in cell 22 of 64. Filled: her block at each of five levels."}, "image": {"alt": "Five rows of 64 cells. At level 0 only cell 22 is filled, at level 1 cells 22 and 23, at level 2 cells 20 to 23, at level 3 cells 16 to 23, at level 4 cells 16 to 31."}}
WIDTHS = (1, 2, 4, 8, 16)
LEVELS = (0, 0, 0, 1, 2, 3, 4)  # all alike: level 0 three times
ana = 22
blocks = {f"level {a}": x // b == ana // b for a, b in enumerate(WIDTHS)}
diagram.cells(blocks)
plt.show()

# %% [markdown]
# Ana answers with a Hadamard bit, in which the items are the level's blocks.
# Her client draws a public row of a Hadamard matrix, and sends the sign of her block in this row, reversed with probability $1/(e^\varepsilon+1)$.


# %%
def sign(row, block):
    """Entry of Sylvester's Hadamard matrix."""
    return 1 - 2 * ((row & block).bit_count() % 2)


def client(x, eps, rng, k=K, widths=WIDTHS, levels=LEVELS):
    """A public level, a public row, and a private sign."""
    a = pick(levels, rng)
    row = pick(range(k // widths[a]), rng)
    truth = sign(row, x // widths[a])
    keep = toss(odds(eps) / (odds(eps) + 1), rng)
    return a, row, truth if keep else -truth


print("Ana sends", [client(ana, EPS, rng) for _ in range(4)])

# %% [markdown]
# :::{prf:theorem} Budget
# :label: thm-ranges-privacy
# The client is exactly ε-LDP if the number of blocks at each level is a power of two, and at least 2 at some level.
# :::
#
# :::{prf:proof}
# Level and row do not depend on the cell.
# Given both, the report is the true sign by randomized response, whose two probabilities have the ratio $e^\varepsilon$.
# Two cells in different blocks have different signs in some row, so the ratio is attained.
# :::
#
# `prove` confirms this for eight cells:


# %%
def small(x, eps, rng):
    return client(x, eps, rng, k=8, widths=(1, 2), levels=(0, 0, 0, 1))


print(prove(small, range(8), rounded=False))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the exact ε, with a level that depends on the cell as control"}
def telling(x, eps, rng):
    """A mistake: high cells are asked about wide blocks more often."""
    a = pick((0, 0, 0, 1) if x < 4 else (0, 1, 1, 1), rng)
    return client(x, eps, rng, k=8, widths=(1, 2), levels=(a,))


def spent(one):
    return epsilon(laws(lambda x, rng: one(x, EPS, rng), range(8)))


check(
    "Privacy",
    "eight cells, two levels: exactly ε",
    abs(spent(small) - EPS) < 1e-12,
    control="the level depends on the cell",
    caught=spent(telling) > EPS + 0.5,
)

# %% [markdown]
# (sec-ranges-server)=
# ## The server
#
# ### A report as a vector of cells
#
# For each block of the drawn level, multiply the sign sent by the block's matrix entry in the drawn row, and by $c = (e^\varepsilon+1)/(e^\varepsilon-1)$.
# This score has mean 1 for the person's block, and 0 for others ({ref}`sec-onebit-hadamard`).
# Write each block's score into all of its $b_a$ cells, and call this vector $T$.
# For a person in cell $x$ asked at level $a$,
#
# $$ \E\,T = \text{the vector with 1 in the cells of the person's block, and 0 elsewhere}. $$ (eq-ranges-spread)
#
# ### Contrasts
#
# For any vector $u$ over the cells, take means over the blocks of each level, and finally over all cells.
# A difference between neighbouring levels is a *contrast*:
#
# $$ P_a u = (\text{means over blocks of level } a) - (\text{means over blocks of level } a+1). $$
#
# At the widest level, subtract the mean $\bar u$ over all cells.
# The differences telescope, and $b_0 = 1$, so the contrasts sum to $u$ again:
#
# $$ u = \bar u + \sum_a P_a u. $$ (eq-ranges-contrasts)
#
# Contrasts of different levels are orthogonal, because $P_a u$ sums to zero on each block of level $a+1$, where all wider contrasts are constant.
#
# ### What a report tells us about a contrast
#
# Take the contrast $P_a$ of both sides of {eq}`eq-ranges-spread`, for a report of level $a'$.
# If $a' > a$, $T$ is constant on blocks of level $a+1$, so $P_a T = 0$.
# If $a' \le a$, compare with the vector $e_x$ that has 1 in cell $x$ alone.
# Over the block of level $a$ around $x$, the mean of $\E\,T$ is $b_{a'}/b_a$, and that of $e_x$ is $1/b_a$; the same holds at level $a+1$.
# So $\E\,P_a T = b_{a'} P_a e_x$.
# Averaged over the drawn level,
#
# $$ \E\,P_a T = D_a\,P_a e_x, \qquad D_a = \sum_{a' \le a} r_{a'} b_{a'}. $$ (eq-ranges-known)
#
# So divide by $D_a$, and add the contrasts as in {eq}`eq-ranges-contrasts`.
# The mean share of a cell is $1/k$, so the score of a report is
#
# $$ \frac1k + \sum_a \frac{P_a T}{D_a}, \qquad \text{with mean } \frac1k + \sum_a P_a e_x = e_x. $$ (eq-ranges-score)
#
# The average score over all reports is an unbiased estimate of all $k$ shares, and always sums to 1.


# %%
def known(widths=WIDTHS, levels=LEVELS):
    """D of each level."""
    r = np.bincount(levels) / len(levels)
    return np.cumsum(r * widths)


def contrasts(u, widths=WIDTHS):
    """For each level: means over its blocks, less those of the next."""
    *rest, k = u.shape
    means = [u.reshape(*rest, -1, b).mean(-1) for b in (*widths, k)]
    wide = [np.repeat(m, k // m.shape[-1], -1) for m in means]
    return [fine - coarse for fine, coarse in pairwise(wide)]


def server(reports, eps, k=K, widths=WIDTHS, levels=LEVELS):
    """The score of each report for each cell: (n, k)."""
    c = (exp(eps) + 1) / (exp(eps) - 1)
    spread = np.empty((len(reports), k))
    for T, (a, row, told) in zip(spread, reports, strict=True):
        blocks = [c * told * sign(row, v) for v in range(k // widths[a])]
        T[:] = np.repeat(blocks, widths[a])
    D = known(widths, levels)
    parts = zip(contrasts(spread, widths), D, strict=True)
    return 1 / k + sum(part / d for part, d in parts)


# %% [markdown]
# The share of a range is a sum of cells, so its score is a sum of scores, and gives the standard error as in {ref}`ch-frequency`.

# %%
scores = server([client(x, EPS, rng) for x in people], EPS)


def of_range(scores, start, end):
    """Share of the cells from start to end − 1, and its error."""
    found = scores[:, start:end].sum(1)
    return found.mean(), found.std() / sqrt(len(found))


NAMES = "below 20 minutes", "20 to 59 minutes", "an hour or more"
CELLS = (0, 10), (10, 30), (30, 64)
rows = []
for name, (start, end) in zip(NAMES, CELLS, strict=True):
    f, error = of_range(scores, start, end)
    rows.append([name, pi[start:end].sum(), f"{f:.3f} ± {error:.3f}"])
table(pd.DataFrame(rows, columns=["range", "truth", "estimate"]).round(3))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: unbiased for every cell, and the package's estimate from the same reports"}
def mean_score(levels):
    """Mean score of each cell, a row for each true cell, from the law of the client."""
    one = lambda report: server([report], EPS, 8, (1, 2), levels)[0]  # noqa: E731
    return moments(lambda x, rng: small(x, EPS, rng), range(8), score=one)[0]


SMALL = (0, 0, 0, 1)
check(
    "Unbiased",
    "eight cells: the mean score is 1 for the person's cell and 0 for others",
    np.allclose(mean_score(SMALL), np.eye(8)),
    control="levels with equal odds",
    caught=not np.allclose(mean_score((0, 1)), np.eye(8)),
)
package = Hierarchy.of(K, EPS, HadamardBit, widths=WIDTHS, weights=(3, 1, 1, 1, 1))
some = package.perturb(people[:2000], rng=rng)
told = [
    (int(a), int(row), 1 - 2 * int(bit)) for a, row, bit in zip(some["level"], some["row"], some["bit"], strict=True)
]
ours, theirs = server(told, EPS).mean(0), package.estimate(package.tally(some))
check(
    "Package",
    "2,000 reports of Hierarchy: our estimate of 64 cells is its own",
    np.allclose(ours, theirs, atol=1e-9),
    control="the signs of one level reversed",
    caught=not np.allclose(server([(a, row, s if a else -s) for a, row, s in told], EPS).mean(0), theirs, atol=1e-9),
)

# %% [markdown]
# (sec-ranges-variance)=
# ## How precise?
#
# :::{prf:theorem} Variance of a range
# :label: thm-ranges-variance
# Let $u$ be the vector of a range, with 1 inside and 0 outside, and $F$ the share of the range.
# For a random sample of $n$ people, whatever $\pi$ is,
#
# $$ n \Var \hat F = c^2 \sum_a \frac{|P_a u|^2}{D_a} - (F - \bar u)^2. $$ (eq-ranges-variance)
#
# :::
#
# :::{prf:proof}
# 1. *Score.*
#    The score of the range, less $\bar u$, is the inner product of $u$ and $\sum_a P_a T/D_a$.
#    We may move $P_a$ to the other side, $u\cdot P_a T = P_a u\cdot T$, because both sides equal $P_a u\cdot P_a T$.
# 2. *Report.*
#    Take a report of level $a'$.
#    Contrasts with $a < a'$ have inner product 0 with $T$; those with $a \ge a'$ are constant on the blocks of level $a'$.
#    Let $G = \sum_{a\ge a'} P_a u/D_a$, with the value $G_v$ on block $v$, and let $\Phi_v$ be its matrix entry.
#    The inner product of step 1 is $\pm c\,b_{a'} \sum_v G_v \Phi_v$.
# 3. *Rows.*
#    Its mean square over rows follows from the orthogonal columns, $\E\,\Phi_v\Phi_{v'} = 0$ for $v \ne v'$:
#
#    $$ c^2 b_{a'}^2 \sum_v G_v^2 = c^2 b_{a'}\,|G|^2 = c^2 b_{a'} \sum_{a\ge a'} \frac{|P_a u|^2}{D_a^2}. $$
#
#    The first equality holds because a block has $b_{a'}$ cells, the second because contrasts are orthogonal.
# 4. *Levels.*
#    Average over the drawn level, and exchange the sums:
#
#    $$ \sum_{a'} r_{a'}\,c^2 b_{a'} \sum_{a\ge a'} \frac{|P_a u|^2}{D_a^2} = c^2 \sum_a \frac{|P_a u|^2}{D_a^2} \sum_{a'\le a} r_{a'} b_{a'} = c^2 \sum_a \frac{|P_a u|^2}{D_a}. $$
#
# 5. *Mean.*
#    Subtract the squared mean: the score less $\bar u$ has mean $F - \bar u$.
# :::
#
# With level 0 alone, $D_0 = 1$, and the sum is the squared length of $u - \bar u$.
# So for a range of $t$ cells, single cells give
#
# $$ n \Var \hat F = c^2\,t\,\Big(1 - \frac tk\Big) - \Big(F - \frac tk\Big)^2. $$ (eq-ranges-flat)
#
# This variance grows with $t$ up to $k/2$.
# In {eq}`eq-ranges-variance`, $|P_a u|^2 \le b_a$.
# Below the widest level, $P_a u$ is half a difference of two block means: at most $\frac12$ in size, and 0 outside the two blocks of level $a+1$ at the range's ends.
# At the widest level, $|P_a u|^2 \le |u - \bar u|^2 \le k/4$, here $b_4$.
# Each of about $\log_2 k$ levels gets about $1/\log_2 k$ of the people, so $D_a$ is about $2b_a/\log_2 k$.
# So a level adds at most about $\frac12\log_2 k$, and the sum grows at most like $(\log k)^2$.
# {numref}`fig-ranges-length` compares the two.


# %% mystnb={"figure": {"name": "fig-ranges-length", "caption": "Standard error of the share of a range that begins at cell 5, times √n, against its length; ε = 1. Lines: formula. Marks: 400 simulated surveys of 20,000 people."}, "image": {"alt": "Two lines against the number of cells from 1 to 50 on a logarithmic axis. Single cells rise from 2 to almost 9, and fall to 7 at the end. Blocks begin at 3 and zigzag between 3.5 and 6.3. They cross near four cells. Marks lie on both lines."}}
def error_of(start, end, widths, D, eps=EPS):
    """√n times the standard error of a range."""
    u = 1.0 * ((start <= x) & (x < end))
    c = (exp(eps) + 1) / (exp(eps) - 1)
    parts = zip(contrasts(u, widths), D, strict=True)
    total = c**2 * sum(part @ part / d for part, d in parts)
    return sqrt(total - (pi[start:end].sum() - u.mean()) ** 2)


lengths = np.array([1, 2, 3, 4, 6, 8, 11, 16, 22, 32, 45])
WAYS = {"single cells": ((1,), [1.0]), "blocks": (WIDTHS, known())}
single = Hierarchy.of(K, EPS, HadamardBit, widths=(1,))
PACKAGE = {"single cells": single, "blocks": package}
lines, marks = [], []
for way, how in WAYS.items():
    lines += [(t, way, error_of(5, 5 + t, *how)) for t in range(1, 51)]
    for histogram in rng.multinomial(20_000, pi, 400):
        tally = PACKAGE[way].simulate(histogram, trials=1, rng=rng)
        f = sqrt(20_000) * PACKAGE[way].estimate(tally)[0]
        marks += [(t, way, f[5 : 5 + t].sum()) for t in lengths]
lines = pd.DataFrame(lines, columns=["cells", "way", "error"])
marks = pd.DataFrame(marks, columns=["cells", "way", "found"])
by = "way", [*WAYS]
fig, ax = plt.subplots(figsize=(6.4, 3.6))
sns.lineplot(lines, x="cells", y="error", **theory(*by))
sns.lineplot(marks, x="cells", y="found", **simulation(*by, of="std"))
ax.set(xscale="log", xlabel="cells of the range", ylim=(0, None))
ax.set(ylabel="standard error × √n")
plain_ticks(ax)
label_lines(ax)
plt.show()

# %% [markdown]
# Ranges that fit the blocks are estimated better, so the lower line zigzags.
# On average over all starts, single cells are better up to three cells, and blocks from four to 60.
# For the same mean variance over all ranges, single cells need twice as many people as blocks; with 1,024 cells, eleven.
#
# Only level 0 contains information on the finest contrast, so it gets the most people.
# With the proportions 3 : 1 : 1 : …, the mean variance over all ranges is within 2 % of the least possible, for 64, 256 and 1,024 cells.
#
# The package's `Hierarchy` uses k-Subset over the blocks of each level by default; at $\varepsilon = 1$, its standard error is 13 % smaller.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the variance of every range from the client's law, and the sentences above"}
def from_law(start, end, x):
    """n × variance for a population that is all in cell x, from the law of the client with eight cells."""
    one = lambda report: server([report], EPS, 8, (1, 2), SMALL)[0, start:end].sum()  # noqa: E731
    return moments(lambda x, rng: small(x, EPS, rng), [x], score=one)[1].item()


def formula(start, end, x, D):
    u = 1.0 * ((np.arange(8) >= start) & (np.arange(8) < end))
    c = (exp(EPS) + 1) / (exp(EPS) - 1)
    total = c**2 * sum(part @ part / d for part, d in zip(contrasts(u, (1, 2)), D, strict=True))
    return total - (u[x] - u.mean()) ** 2


RANGES = [(0, 1), (0, 3), (2, 7), (1, 8), (3, 5)]
check(
    "Variance",
    "eight cells, five ranges, people in cells 0, 3 and 6: as in the theorem",
    all(abs(from_law(*r, x) - formula(*r, x, known((1, 2), SMALL))) < 1e-9 for r in RANGES for x in (0, 3, 6)),
    control="everybody asked at every level",
    caught=any(abs(from_law(*r, 0) - formula(*r, 0, np.cumsum([1, 2]))) > 0.1 for r in RANGES),
)


def of_length(t):
    """Variances of all ranges of t cells: single cells, and blocks."""
    return [[error_of(s, s + t, *how) ** 2 for s in range(K + 1 - t)] for how in WAYS.values()]


variances = {t: np.array(of_length(t)) for t in range(1, K)}
gain = {t: np.mean(single / block) for t, (single, block) in variances.items()}
single, block = np.concatenate([*variances.values()], 1)
default = Hierarchy.of(K, 1.0)
bits = Hierarchy.of(K, 1.0, HadamardBit, widths=WIDTHS, weights=(3, 1, 1, 1, 1))
units = [1.0 * ((x >= s) & (x < e)) for s in range(0, K, 7) for e in range(s + 3, K, 9)]
own = [(pi @ u) * (1 - pi @ u) for u in units]
errors = [
    np.mean([sqrt(m.linear_variance(u) @ pi + f) for u, f in zip(units, own, strict=True)]) for m in (default, bits)
]
print(f"single cells: {single.mean() / block.mean():.2f} times the people; default: {errors[0] / errors[1]:.3f}")
EVERY = [(s, s + t) for t in range(1, K) for s in range(K + 1 - t)]
divided = [error_of(s, e, WIDTHS, np.cumsum(WIDTHS), EPS / 5) ** 2 for s, e in EVERY]
print(f"ε/5 at each level: {np.mean(divided) / block.mean():.2f} times the variance")
check(
    "Comparison",
    "up to three cells single cells are better on average, from 4 to 60 blocks; twice the people over all ranges; default 12 to 14 % better at ε = 1",
    max(gain[t] for t in (1, 2, 3)) < 1 < min(gain[t] for t in range(4, 61))
    and 1.9 < single.mean() / block.mean() < 2.1
    and 0.86 < errors[0] / errors[1] < 0.88,
    control="blocks if everybody were asked at every level",
    caught=not 1.9 < single.mean() / np.mean([error_of(s, e, WIDTHS, np.cumsum(WIDTHS)) ** 2 for s, e in EVERY]) < 2.1,
)


def mean_squares(k, widths):
    """Mean of |P_a u|² over all ranges of k cells, for each level."""
    at = np.arange(k)
    both = np.minimum.outer(at + 1, at + 1) * np.minimum.outer(k - at, k - at) / (k * (k + 1) / 2)
    return np.array([np.square(part).sum() for part in contrasts(np.linalg.cholesky(both).T, widths)])


def over_best(odds, k):
    """Mean variance over ranges with these odds, divided by the least of all odds."""
    widths = 2 ** np.arange(len(odds))
    of = lambda r: (mean_squares_of[k] / np.cumsum(r / r.sum() * widths)).sum()  # noqa: E731
    least = minimize(lambda y: of(np.exp(y)), np.zeros(len(odds)), options={"gtol": 1e-9}).fun
    return of(np.array(odds, float)) / least


mean_squares_of = {k: mean_squares(k, tuple(2 ** np.arange(int(log2(k)) - 1))) for k in (64, 256, 1024)}
usual = {k: over_best((3, *(1,) * (len(parts) - 1)), k) for k, parts in mean_squares_of.items()}
alike = over_best((1,) * len(mean_squares_of[1024]), 1024)
print("odds 3 : 1 : …, over the best:", {k: f"{one:.4f}" for k, one in usual.items()}, f"all alike: {alike:.3f}")
check("Odds", "three k: within 2 % of the best", max(usual.values()) < 1.02, control="all alike", caught=alike > 1.02)
larger = {k: Hierarchy.of(k, EPS, HadamardBit, widths=(1,)) for k in (1024,)}
more = mean_variance(larger[1024]) / mean_variance(Hierarchy.of(1024, EPS, HadamardBit))
halves = Hierarchy.of(K, EPS, HadamardBit, widths=(*WIDTHS, 32), weights=(3, 1, 1, 1, 1, 1))
rise = mean_variance(halves) / mean_variance(package)
print(f"1,024 cells: {more:.1f} times the people; with a level of halves {rise:.3f} times the variance")
check(
    "More cells",
    "1,024 cells: eleven times the people; a level of halves: 8 % more variance",
    10.5 < more < 11.5 and 1.075 < rise < 1.085,
    control="64 cells; no such level",
    caught=not 10.5 < single.mean() / block.mean() < 11.5,
)

# %% [markdown]
# (sec-ranges-quantiles)=
# ## Quantiles
#
# Let $F(x)$ be the share of people below cell $x$.
# The $\tau$-*quantile* is the cell in which $F$ reaches $\tau$: the first $x$ with $F(x+1) \ge \tau$.
# Estimate $F$ at each $x$, with its standard error $s(x)$, and exclude a cell if one of two tests rejects it, each at 2.5 %:
#
# $$ \begin{aligned} \hat F(x) - 1.96\,s(x) &> \tau: && \text{the quantile is below cell } x, \\ \hat F(x+1) + 1.96\,s(x+1) &< \tau: && \text{it is above cell } x. \end{aligned} $$
#
# For the quantile's own cell, $F(x) \le \tau \le F(x+1)$, so for large $n$ each test excludes it with probability at most 2.5 %.
# Hence the cells that are left contain the quantile with probability at least 95 %.
# The code takes all cells from the first to the last of these, which is safe.


# %%
below = np.pad(scores, ((0, 0), (1, 0))).cumsum(1)  # from F(0) = 0
F, s = below.mean(0), below.std(0) / sqrt(len(scores))


def quantile(F, s, tau, z=1.96):
    """First and last cell that the tests leave."""
    left = (F[:-1] - z * s[:-1] <= tau) & (tau <= F[1:] + z * s[1:])
    return np.flatnonzero(left)[[0, -1]]


rows = []
for tau in (0.25, 0.5, 0.75):
    low, high = 2 * quantile(F, s, tau)
    true = 2 * np.searchsorted(pi.cumsum(), tau)
    rows.append([tau, f"{true}–{true + 1}", f"{low} to {high + 1}"])
columns = ["τ", "true minutes", "95 % interval, minutes"]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# {numref}`fig-ranges-median` is for the median, $\tau = \frac12$.

# %% mystnb={"figure": {"name": "fig-ranges-median", "caption": "Running share of commuters with 95 % intervals (shaded), the truth (dashes), and the cells that the tests leave for the median (bar at one half)."}, "image": {"alt": "A curve that rises from 0 to 1 between 0 and 128 minutes, inside a thin shaded band, close to a dashed curve. A short thick bar at height one half spans 28 to 32 minutes."}}
minutes, half = 2 * x + 2, 1.96 * s[1:]
fig, ax = plt.subplots(figsize=(6.4, 3.4))
ax.fill_between(minutes, F[1:] - half, F[1:] + half, alpha=0.3)
sns.lineplot(x=minutes, y=F[1:])
sns.lineplot(x=minutes, y=pi.cumsum(), linestyle="--", color="0.3")
low, high = 2 * quantile(F, s, 0.5)
ax.plot([low, high + 2], [0.5, 0.5], "C4", lw=5, solid_capstyle="butt")
ax.set(xlabel="minutes", ylabel="share of people below")
ax.set_ylim(-0.03, 1.03)
plt.show()

# %% [markdown]
# (sec-ranges-density)=
# ## A picture instead of intervals
#
# Often you only want a smooth shape.
# The windows of {ref}`ch-means` also give a shape {cite:p}`li2020numerical`.
# Each person reports a cell; cells within a window around the true one are likelier by a factor $e^\varepsilon$.
# The server computes the shares under which the reports are likeliest, as in {ref}`ch-sensible`.
# They form a comb, so instead let the shape be a sum of triangles, each an eighth of the range wide: `density` finds the likeliest heights.
# {numref}`fig-ranges-density` shows both.

# %% mystnb={"figure": {"name": "fig-ranges-density", "caption": "Shares of cells from one survey of a million people by windows, ε = 1: the truth, the likeliest shares, and the likeliest mixture of triangles.", "width": "100%"}, "image": {"alt": "Two panels. Left, the mixture of triangles lies on the smooth true curve, and the likeliest shares are a comb of a dozen spikes. Right, the truth has four spikes, which the mixture of triangles turns into hills."}}
window = Piecewise(epsilon=EPS, steps=K - 1)
POPULATIONS = {"smooth": smooth / smooth.sum(), "commuters": pi}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.4), sharey=True)
for ax, (name, share) in zip(axes, POPULATIONS.items(), strict=True):
    cells = rng.choice(K, 10**6, p=share)
    reports = window.perturb(2 * cells / (K - 1) - 1, rng=rng)
    tally, few = window.tally(reports), window.tally(reports[:20_000])
    comb, mixture = density(tally, smooth=0), density(tally)
    lack, of_few = mixture.lack, density(few).lack
    print(f"{name}: lack {lack:.0f}, of 20,000 people {of_few:.0f}")
    ax.fill_between(2 * x, share, color="0.85", step="mid", label="truth")
    ax.plot(2 * x, comb.shares, "--", c="0.4", lw=1, label="likeliest")
    ax.plot(2 * x, mixture.shares, color="C0", label="triangles")
    ax.set(title=name, xlabel="minutes", ylim=(0, 0.13))
axes[0].set_ylabel("share of the cell")
axes[0].legend()
plt.show()

# %% [markdown]
# On the left, the triangles are right except for dents, and the spikes of the comb are noise.
# On the right, the triangles turn four real spikes into hills.
# Only the printed `lack` tells the two cases apart: it is twice the log-likelihood that triangles lose against the likeliest shares.
# With 20,000 people, the two values hardly differ.
# Such a picture has no intervals, because nobody knows how smooth the truth is.
#
# (sec-ranges-which)=
# ## Which one to take
#
# | you want | take |
# |---|---|
# | single cells, or ranges of up to three cells | an oracle of {ref}`ch-frequency` |
# | ranges and quantiles, with intervals | blocks: `Hierarchy` with `share` and `quantiles` |
# | a picture of a smooth shape, and the mean | windows: `Piecewise`, with `density` |
# | the share beyond one threshold, known beforehand | yes or no, by {ref}`randomized response <ch-rr>` |
#
# (sec-ranges-wrong)=
# ## What can go wrong
#
# - *The cells come from the data.*
#   If cells are cut at the largest answer, everybody learns it.
# - *Each person answers at all five levels, with ε/5 at each.*
#   At $\varepsilon = 1$, $c^2$ grows from 4.7 to 101; even with the larger $D_a = 1, 3, 7, 15, 31$, the variance is five times as large.
# - *Negative shares are clipped first.*
#   Clipping lifts negative estimates to zero, so every range is biased.
#
# (sec-ranges-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 8 minutes)
# There are $k = 8$ cells, $e^\varepsilon = 3$, and two levels with $b = 1, 2$ and odds 3 : 1.
# Compute the first part of {eq}`eq-ranges-variance`, $c^2\sum_a |P_a u|^2/D_a$, for the first three cells.
# Compare with single cells.
# :::
#
# :::{dropdown} Solution
# $c = 2$, $D_0 = \frac34$ and $D_1 = \frac34 + \frac14\cdot 2 = \frac54$.
# The range is $u = (1,1,1,0,0,0,0,0)$, with means over pairs of cells $1, \frac12, 0, 0$ and over all $\frac38$.
# So $P_0 u = (0,0,\frac12,-\frac12,0,0,0,0)$, and $P_1 u$ has $\frac58$ and $\frac18$ twice each and $-\frac38$ four times:
#
# $$ |P_0 u|^2 = \frac12, \quad |P_1 u|^2 = \frac{50 + 2 + 36}{64} = \frac{11}{8}, \quad 4\,\Big(\frac12\cdot\frac43 + \frac{11}8\cdot\frac45\Big) = \frac{106}{15} = 7.07. $$
#
# Single cells: $4 \cdot 3\,(1-\frac38) = 7.5$.
# :::
#
# :::{admonition} Exercise 2 (code, 8 minutes)
# The city only wants the share who need an hour or more.
# Write a client for this question and its estimator.
# How many times fewer people does it need than blocks?
# :::
#
# :::{dropdown} Solution
# The client answers yes or no by randomized response; the score is $(y - q)/(p - q)$ with $p = e^\varepsilon/(e^\varepsilon+1)$ and $q = 1-p$.
# Per report, its variance is $e^\varepsilon/(e^\varepsilon-1)^2 + F(1-F) = 1.03$ at $\varepsilon = 1$; that of blocks is 23 by {eq}`eq-ranges-variance`.
# So this client needs about 22 times fewer people, but it answers only this question.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def hour(x, eps, rng):
    return (x >= 30) ^ (not toss(odds(eps) / (odds(eps) + 1), rng))


def answer(reports, eps):
    p = exp(eps) / (exp(eps) + 1)
    found = (np.array(reports) - (1 - p)) / (2 * p - 1)
    return found.mean(), found.std() / sqrt(len(found))


f, error = answer([hour(x, EPS, rng) for x in people], EPS)
fewer = (of_range(scores, 30, 64)[1] / error) ** 2
print(f"{f:.3f} ± {error:.3f} (truth {pi[30:].sum():.3f}), {fewer:.0f} times fewer people")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# The widths stop at 16, where four blocks are left.
# Why is nobody asked in which half of the cells the number lies?
# :::
#
# :::{dropdown} Solution
# Reports of all levels contribute to the widest contrast, so $D_4 = 33/7$ is already large.
# A level of two halves would raise the last $D$ to $65/8$, but all other levels would have fewer people.
# Altogether, the mean variance of a range would rise by 8 %.
# :::
#
# ## Summary
#
# - The variance of a sum of single cells grows with its length.
# - Blocks of several widths, one per person at full ε, keep the variance of all ranges small; its formula holds for every population.
# - A report contains information on the contrasts of its own and all wider levels; the server divides each $P_a$ by its $D_a$.
# - Quantiles get intervals from two tests for each cell.
# - Windows and maximum likelihood give a better picture of a smooth shape, without intervals.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $\pi$ | distribution of items or values, where a whole distribution is modelled |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $\Phi$ | public table of signs |
# | $a$ | a level (here only) |
# | $b_a$ | number of cells of a block of level $a$ (here only) |
# | $r_a$ | probability of level $a$ (here only) |
# | $T$ | the scores of blocks, written into their cells (here only) |
# | $P_a$ | contrast of level $a$: its means less those of the next (here only) |
# | $e_x$ | vector with 1 in cell $x$ (here only) |
# | $D_a$ | factor of the contrast $P_a$ in a mean report (here only) |
# | $u$ | weights of cells; for a range, 1 inside and 0 outside (here only) |
# | $G$ | sum of $P_a u/D_a$ from a level on (here only) |
# | $t$ | number of cells of a range (here only) |
# | $F$ | share of a range; $F(x)$, of the people below cell $x$ (here only) |
# | $s(x)$ | its standard error (here only) |
# | $\tau$ | the share that a quantile reaches (here only) |
#
# Next, {ref}`ch-keyvalue` asks about keys and numbers at once.
