# %% [markdown]
# (ch-distortion)=
# # Privacy as rate–distortion
#
# *After {cite:t}`ye2018survey` §4.3, with {cite:t}`sarwate2014distortion` and {cite:t}`xiong2016requantization`.*
#
# :::{admonition} In one minute
# So far somebody handed us a mechanism and we judged it.
# Here we say what an error costs, and compute the mechanism that costs least among all that are ε-LDP.
# A mechanism with finitely many values and reports is a matrix of probabilities, privacy is a set of linear inequalities on it, the expected cost is linear: so the best mechanism is the solution of a *linear program*, and with it comes a proof that nothing is better.
#
# If the cost is 1 for every wrong report and values are equally likely, or the worst one counts, the answer is k-RR, and the survey's mechanism *Distortion* is k-RR under another name.
# If the cost is a squared distance and the distribution of the values is known, the answer groups them into bins (*Compression*); for six equally likely numbers one bit is enough below ε ≈ 2.3.
# And a report that errs little for each person may say nothing about the shares of the population: that is a different question with a different answer.
# :::
#
# :::{zh}
# 本章把问题反过来：先规定误差的代价，再求满足 $\varepsilon$-本地化差分隐私的机制中期望代价最小者。
# 取值与报告有限时，机制就是一个概率矩阵（信道），隐私约束与期望代价都是线性的，最优信道因而是线性规划的解，对偶解则证明其最优。
# 若错误报告的代价均为 1，且各取值等可能或以最坏情形计，最优者就是 k 元随机响应，综述（叶青青等）的 Distortion 机制与之相同。
# 若代价为距离的平方且信源已知，最优信道把取值归并为区间（Compression）；六个等可能的数值，在 $\varepsilon\approx2.3$ 以下只需一个比特。
# 单份报告的扭曲度小，并不意味着总体频率可以估计：频率的无偏估计存在，当且仅当信道矩阵的各行线性无关。
# 综述给出的 Distortion 的 $\varepsilon$ 在条件下复现：它适用于单个属性且 $\delta\le\frac{k-1}{k}$；一个用户的 $d$ 个属性须付出 $d$ 倍。
# “求解 Compression 是凸优化问题”在条件下复现：代表点固定时，它是拟凸的，而二分法只需要这一点。
# “Compression 不减少每个用户的传输量”亦在条件下复现：只要 $\lceil\log_2 m\rceil$ 小于 $\lceil\log_2 k\rceil$，传输量就会减少。
# :::
#
# You will meet a set of mechanisms that can be drawn, prices that prove an optimum, staircases, and a limit for all unbiased reports of a number.
# From {ref}`ch-frequency` you need k-RR; no information theory is needed.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from itertools import pairwise, product
from math import ceil, comb, exp, log, log2, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap
from scipy import sparse
from scipy.optimize import brentq, linprog

from ldpnb import GRR, MatrixMechanism, epsilon, laws, least_distortion, least_epsilon, moments, same_law, toss
from ldpnb.book import check, datasets, settle, style, table
from ldpnb.numbers import hamming_distortion, hamming_epsilon, optimise_points, rate
from ldpnb.oracles import ratio, within

style()
SEED = 2014  # the year of the first of the two papers
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-dist-question)=
# ## The question turned round
#
# Somebody has one of $k$ values, which we call *letters* in this chapter, and sends one of $m$ reports.
# A report $y$ stands for a value, and to receive it from somebody with the letter $x$ costs a *loss* $L_{xy}$: 1 if they differ, say, or the square of their distance.
# The *distortion* of a mechanism is its expected loss.
# Given how much distortion we can bear, which mechanism protects best; or given ε, which one has the least distortion?
#
# The expectation is over the coins of the client and over the letter, which can be treated in three ways.
#
# - A *known source*: letters are drawn from a distribution $\pi$ that we know, perhaps from an earlier survey (statisticians say *Bayes*).
# - The *worst case*: the letter on which the mechanism does worst (*minimax*).
# - A *class of sources* between the two: $\pi$ is in a set that we know, and the worst member of it counts.
#
# | symbol | meaning | in code |
# |---|---|---|
# | $k, m$ | number of letters, of different reports | `k`, `m` |
# | $x, y$ | a letter, a report | |
# | $Q_{xy}$ | probability of the report $y$ from the letter $x$: the *channel* | `channel` |
# | $L_{xy}$ | loss | `loss` |
# | $\pi$ | source: probabilities of the letters | `pi` |
# | $e$ | short for $\exp\varepsilon$; never Euler's number | `e` |
# | $u_y$ | smallest entry of column $y$ | |
# | $\delta$ | distortion, $\sum_{x,y}\pi_x Q_{xy} L_{xy}$ or its largest value over a class | `delta` |
# | $D(\varepsilon)$ | least distortion of a channel that is ε-LDP, for the source or class in question | |
# | $\rho$ | rate, $\log m/\log k$: length of a report over that of a letter, before both are rounded up to whole bits | `rate` |
# | $d$ | number of letters of one person | `d` |
#
# The survey writes $\hat x$ for $y$, $P$ for $\pi$, and $|\mathcal X|$, $|\hat{\mathcal X}|$ for $k$, $m$.
# Theory of communication calls such questions *rate–distortion*; it counts the bits that must pass for a given distortion, in the long run over many letters.
# Here every person sends one report, and what is bounded is the ratio of its probabilities; the two theories share their words and little more.
#
# A channel is its matrix, so its exact ε is the largest ratio within a column, {ref}`ch-verify`:


# %%
def eps_of(channel):
    """Exact ε of a channel without zeros: largest ratio in a column."""
    return float(np.log((channel.max(0) / channel.min(0)).max()))


def krr_channel(k, eps):
    """k-RR as a matrix."""
    return np.where(np.eye(k) == 1, exp(eps), 1.0) / (exp(eps) + k - 1)


def hamming(k):
    """Loss 1 for every wrong letter (Hamming loss)."""
    return 1 - np.eye(k)


print(np.round(krr_channel(3, 1.0), 3))
print(f"ε = {eps_of(krr_channel(3, 1.0)):.3f}, probability of an error {hamming_distortion(3, 1.0):.3f}")

# %% [markdown]
# (sec-dist-two)=
# ## Two letters by hand
#
# With two letters and two reports a channel has two free numbers: $a$, the probability that a 0 is reported as 1, and $b$, that a 1 is reported as 0.
# Privacy is four inequalities,
#
# $$ 1-a \le e\,b, \quad b \le e\,(1-a), \quad 1-b \le e\,a, \quad a \le e\,(1-b), $$
#
# each a half-plane, and what they leave is the quadrilateral in {numref}`fig-dist-two`.
# Two of its corners, $(a,b) = (1, 0)$ and $(0, 1)$, are the clients that always say the same.
# The third, $a = b = \frac{1}{1+e}$, is Warner's coin (W-RR), and the fourth is Warner's coin with the answers exchanged.
#
# If a wrong report costs 1, the distortion under the source $(\pi_0, \pi_1)$ is $\pi_0 a + \pi_1 b$.
# Its level lines are parallel, and the last of them touches the quadrilateral at a corner.
# So there are two candidates only: W-RR, with $\frac{1}{1+e}$, or to say the likelier letter always, with $\min(\pi_0, \pi_1)$.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-two", "caption": "All channels for two letters; those with ε ≤ 1 fill the shaded quadrilateral, those with ε = 0 the diagonal. Dashed: level lines of the probability of an error; the dot is the best channel. Left, both letters equally likely: Warner's coin. Right, the letter 0 has probability 0.8: the lines are steeper, and the best channel says 0 always."}, "image": {"alt": "Two unit squares with the same shaded quadrilateral around the falling diagonal. Dashed level lines fall at 45 degrees on the left and steeply on the right. A dot marks the lower left corner of the quadrilateral on the left, and the upper left corner of the square on the right."}}
e = exp(1.0)
corners = np.array([[0, 1], [1 / (1 + e), 1 / (1 + e)], [1, 0], [e / (1 + e), e / (1 + e)]])
a_line = np.linspace(0, 1, 2)
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.5), sharey=True)
for ax, share in zip(axes, (0.5, 0.8), strict=True):
    ax.fill(*corners.T, facecolor="C0", alpha=0.25, edgecolor="C0", linewidth=1.8)
    ax.plot([0, 1], [1, 0], color="black", linewidth=1, linestyle="-", marker="")
    lost = corners @ [share, 1 - share]
    best = corners[np.argmin(lost)]
    for level in np.append(lost.min(), [0.4, 0.55, 0.7]):
        ax.plot(a_line, (level - share * a_line) / (1 - share), color="C4", linestyle="--", linewidth=1, marker="")
    ax.plot(*best, "o", color="C4", markersize=9, clip_on=False, zorder=5)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="a: 0 reported as 1", title=f"source ({share:g}, {1 - share:.1g})")
    ax.set_aspect("equal")
    ax.annotate("ε = 0", (0.44, 0.6), rotation=-45, fontsize=11)
axes[0].set_ylabel("b: 1 reported as 0")
plt.show()

# %% [markdown]
# If one letter is known to be the likelier and ε is small, it is best for this loss to say nothing at all.
# The change comes at $e = \pi_0/\pi_1$; below it, privacy is free because the report carries no information.
# For the worst letter, on the other hand, the distortion is $\max(a, b)$, and W-RR is best at every ε.

# %% tags=["hide-input"]
fair_coin, skewed_coin = np.array([0.5, 0.5]), np.array([0.8, 0.2])
print(f"source (0.8, 0.2): the change comes at ε = ln 4 = {log(4):.3f}")
for eps in (0.5, 1.0, 1.5, 2.0):
    known, worst = (least_distortion(hamming(2), eps, source).distortion for source in (skewed_coin, None))
    print(f"ε = {eps}: least probability of an error {known:.3f} (source known), {worst:.3f} (worst case)")
two_by_program = [
    (least_distortion(hamming(2), eps, [s, 1 - s]).distortion, min(s, 1 - s, 1 / (1 + exp(eps))))
    for eps in (0.1, 0.5, 1.0, 1.5, 3.0)
    for s in (0.2, 0.5, 0.6, 0.95)
]
check(
    "Two letters",
    "five ε, four sources: the program of the next section finds min(π₀, π₁, 1/(1+e))",
    max(abs(found - corner) for found, corner in two_by_program) < 1e-9,
    control="W-RR at every source",
    caught=max(abs(least_distortion(hamming(2), eps, [0.8, 0.2]).distortion - 1 / (1 + exp(eps))) for eps in (0.5, 1.0))
    > 0.05,
)

# %% [markdown]
# (sec-dist-program)=
# ## The linear program
#
# In general there are $km$ probabilities and we cannot draw them, but nothing else changes.
#
# :::{prf:theorem} The best channel by a linear program
# :label: thm-dist-polytope
# Let $\varepsilon \ge 0$.
#
# 1. A channel is ε-LDP if and only if there are numbers $u_y$ with $u_y \le Q_{xy} \le e\,u_y$ for all $x$ and $y$.
# 2. The ε-LDP channels form a *polytope*, a bounded set that finitely many linear inequalities describe; it grows with ε.
# 3. For one source, or for a class that consists of all mixtures of finitely many (its *extreme sources*), $D(\varepsilon)$ is the value of a linear program, and is attained.
# 4. $D(\varepsilon)$ never rises with ε; if some ε reaches a distortion δ, there is a least such ε, and bisection finds it.
# :::
#
# :::{prf:proof}
# 1\. Take $u_y = \min_x Q_{xy}$.
# Conversely $Q_{xy} \le e\,u_y \le e\,Q_{x'y}$.
# 2\. These are finitely many linear inequalities and equations, and all entries are in $[0, 1]$.
# A larger $e$ loosens the inequalities.
# 3\. The expected loss is linear in $\pi$, so over all mixtures it is largest at an extreme source: minimise δ subject to $\sum_{x,y} \pi_x L_{xy} Q_{xy} \le \delta$ for each of these.
# A linear function has a least value on a polytope.
# 4\. The polytopes are nested.
# Their channels with distortion at most δ form closed bounded sets, nested in ε; if they are not empty for every ε above some number, they have a channel in common, which is ε-LDP for that number itself.
# :::
#
# The worst case is a class too: its extreme sources are the $k$ letters.
# Written with all ratios, privacy takes $k(k-1)m$ inequalities; with the $u_y$ it takes $2km$ and $m$ more unknowns.
# Here is the program for one source, solved by `linprog` of scipy.


# %%
def private(k, m, eps):
    """Privacy as rows that may be at most 0, on the entries Q_xy and the u_y."""
    entry, low = np.eye(k * m), np.tile(np.eye(m), (k, 1))
    return np.block([[-entry, low], [entry, -exp(eps) * low]])


def program(loss, eps, pi):
    """Best channel for one source, and the prices of its rows."""
    k, m = loss.shape
    rows = np.hstack([np.kron(np.eye(k), np.ones(m)), np.zeros((k, m))])  # each sums to 1
    cost = np.concatenate([(pi[:, None] * loss).ravel(), np.zeros(m)])
    found = linprog(cost, private(k, m, eps), np.zeros(2 * k * m), rows, np.ones(k))
    return found.x[: k * m].reshape(k, m), found.eqlin.marginals


three = np.array([0.5, 0.3, 0.2])
small, prices = program(hamming(3), 1.0, three)
print(np.round(small, 3) + 0.0)
print(f"probability of an error {three @ (small * hamming(3)).sum(1):.4f}, of k-RR {hamming_distortion(3, 1.0):.4f}")

# %% [markdown]
# With shares of 50, 30 and 20 % the third letter is never reported.
# Who has it sends one of the other two, no matter how, as long as it is private; the solver lets these people behave like holders of the first.
#
# (sec-dist-prices)=
# ### A proof that comes with the answer
#
# That the channel has the distortion stated can be checked by multiplying.
# That no channel has less is shown by *prices* $\lambda_x$, one for each row: the rate at which the optimum would rise if row $x$ had to sum to more than one.
# They solve a second linear program, the *dual*, and the solver returns them as well.
#
# :::{prf:theorem} Prices bound the distortion from below
# :label: thm-dist-prices
# Let $\lambda_x$ be any numbers, $r_{xy} = \pi_x L_{xy} - \lambda_x$, and $G_y = \sum_x r_{xy}^+ - e\sum_x r_{xy}^-$, with $r = r^+ - r^-$ split into its positive and negative part.
# Every ε-LDP channel has under π a distortion of at least
#
# $$ \sum_x \lambda_x + \min\big(0, \min_y G_y\big). $$
#
# :::
#
# :::{prf:proof}
# Rows sum to one, so the distortion is $\sum_x\lambda_x + \sum_{x,y} Q_{xy}r_{xy}$.
# In column $y$, $Q_{xy}r_{xy} \ge u_y r_{xy}^+ - e\,u_y r_{xy}^-$, and summed over $x$ that is $u_y G_y$.
# The $u_y$ are not negative, and sum to at most 1 because the entries of a row do.
# :::
#
# For a class of sources the bound holds with any mixture of its members in place of π, since the worst of them is at least as bad.
# That some prices make the bound meet the optimum is the theorem of *strong duality*, which we use but do not prove; that the bound holds needs no trust in the solver, and three lines evaluate it.


# %%
def at_least(loss, eps, pi, prices):
    """No ε-LDP channel has a smaller distortion under pi; and the G of all columns."""
    r = pi[:, None] * loss - prices[:, None]
    g = (np.maximum(r, 0) + exp(eps) * np.minimum(r, 0)).sum(0)
    return prices.sum() + min(0.0, g.min()), g


floor, g = at_least(hamming(3), 1.0, three, prices)
print("prices", np.round(prices, 4), f"sum {prices.sum():.4f}")
print("G", np.round(g, 4) + 0.0, f"no channel below {floor:.4f}")

# %% [markdown]
# By hand: the third letter's entries in the first two columns can lie strictly between the limits, so that $\lambda_3 = \pi_3 = 0.2$; and $G_1 = 0.3 - \lambda_2 - e\lambda_1$ and $G_2 = 0.5 - \lambda_1 - e\lambda_2$ are 0 because these reports are sent.
# The third $G$ is positive, as this report is not worth sending.


# %% tags=["hide-input"]
def all_ratios(loss, eps, pi):
    """The same optimum from k (k − 1) m ratios, without the u."""
    k, m = loss.shape
    private = [
        np.eye(k * m)[x * m + y] - exp(eps) * np.eye(k * m)[z * m + y]
        for x, z, y in product(range(k), range(k), range(m))
        if x != z
    ]
    rows = np.kron(np.eye(k), np.ones(m))
    return linprog((pi[:, None] * loss).ravel(), np.array(private), np.zeros(len(private)), rows, np.ones(k)).fun


def tried():
    """Random losses and sources, with the two programs and the bound."""
    made = np.random.default_rng(14)
    for k, m, eps in ((2, 3, 0.3), (3, 3, 1.0), (4, 3, 2.0), (5, 2, 0.7), (4, 6, 3.0)):
        loss, pi = made.uniform(0, 1, (k, m)), made.dirichlet(np.ones(k))
        yield loss, eps, pi


def disagree(less=0.0):
    """How far the program, solved at a smaller ε, is from the bound and from the other program at ε."""
    for loss, eps, pi in tried():
        channel, found_prices = program(loss, eps - less, pi)
        value = pi @ (channel * loss).sum(1)
        yield abs(value - at_least(loss, eps, pi, found_prices)[0]), abs(value - all_ratios(loss, eps, pi))


check(
    "Program",
    "five random losses and sources: the u, all ratios and the prices agree",
    np.max(list(disagree())) < 1e-8,
    control="the program at ε − 0.01",
    caught=np.max(list(disagree(0.01)), axis=0).min() > 1e-4,  # both comparisons notice it
)

# %% [markdown]
# The package's `least_distortion` solves the same program, for one source, a class or the worst case.
# It repairs the channel so that its exact ε is not above what was asked ({ref}`sec-dist-wrong` says why that is needed), and returns the bound of the theorem with it, computed in fractions.

# %%
best = least_distortion(hamming(3), 1.0, three)
print(f"distortion {best.distortion:.9f}, no channel below {best.bound:.9f}")


# %% tags=["hide-input"]
def kept(more=0.0):
    """Whether the package, asked for ε and this much more, keeps ε; and whether it finds the optimum for ε."""
    for loss, eps, pi in tried():
        one, value = least_distortion(loss, eps + more, pi), all_ratios(loss, eps, pi)
        yield one.mechanism().epsilon <= eps, max(abs(one.distortion - value), one.distortion - one.bound) < 1e-8


check(
    "Package",
    "the same five: exact ε at most what was asked; same optimum, proved to 1e-8",
    np.all(list(kept())),
    control="asked for ε + 0.01",
    caught=not np.any(np.all(list(kept(0.01)), axis=0)),  # nor does either half hold for all five
)

# %% [markdown]
# (sec-dist-quasi)=
# ### Convex, nearly
#
# The survey calls the search for the least ε at a given distortion and rate a *convex* optimisation problem that bisection solves.
# For a fixed ε it is one, even a linear one.
# As a problem in ε it is *quasi-convex*, as the abstract of {cite:t}`xiong2016requantization` says: the channels with ε at most a bound form a convex set, for every bound, and that is what bisection needs.
# More is not true: halfway between two channels ε can be more than halfway.

# %%
flat, steep = np.array([[0.1, 0.9], [0.1, 0.9]]), np.array([[0.6, 0.4], [0.2, 0.8]])
print(f"ε = {eps_of(flat):.3f} and {eps_of(steep):.3f}; halfway {eps_of((flat + steep) / 2):.3f}")
print(f"errors in 42 %, shares 50, 30 and 20 %: least ε = {least_epsilon(hamming(3), 0.42, three).epsilon:.3f}")

# %% [markdown]
# (sec-dist-hamming)=
# ## Wrong or right: the mechanism Distortion
#
# Let every wrong letter cost 1, so that the distortion is the probability of an error.
# The survey's Distortion sends the true letter with probability $1-\delta$ and each other one with $\frac{\delta}{k-1}$, and states
#
# $$ \varepsilon = \ln(k-1) + \ln\frac{1-\delta}{\delta}. $$ (eq-dist-hamming)
#
# As a matrix that is k-RR, and solved for δ it is $\delta = \frac{k-1}{k-1+e}$.
# At $\delta = \frac{k-1}{k}$ ε is 0 and the report is a letter drawn blindly; beyond it the formula is negative, and the channel, which avoids the truth, has its absolute value as ε.
#
# :::{prf:theorem} k-RR has the least probability of an error
# :label: thm-dist-hamming
# Let the uniform source be in the class, or a mixture of its members.
# Then $D(\varepsilon)$ of the class is $\frac{k-1}{k-1+e}$, which k-RR attains under every source.
# For $\varepsilon > 0$ no other channel on the $k$ letters attains it under the uniform source.
# :::
#
# :::{prf:proof}
# The trace $T = \sum_y Q_{yy}$ is $k(1-\delta)$ under the uniform source, and the worst of the class is no better than that.
# Privacy says $Q_{yy} \le e\,Q_{xy}$ for each of the $k-1$ other letters $x$; sum over $x$, then over $y$: $(k-1)T \le e\,(k-T)$, since all entries sum to $k$.
# So $T \le \frac{ke}{k-1+e}$.
# Equality needs $Q_{yy} = e\,Q_{xy}$ for all $x \ne y$, so column $y$ has $e\,u_y$ on the diagonal and $u_y$ elsewhere, and row $x$ sums to $\sum_y u_y + (e-1)u_x = 1$: all $u$ are equal.
# :::
#
# The abstract of {cite:t}`sarwate2014distortion` announces a lower bound on ε for this loss that grows with the logarithm of the number of letters; in the formula that is $\ln(k-1)$.
#
# A known source that is not uniform leaves room for more.
# Number the letters so that $\pi_1 \ge \pi_2 \ge …$, and put $W_j = \pi_1 + … + \pi_j$.
#
# :::{prf:theorem} Which letters are worth sending
# :label: thm-dist-known
# Under the known source π the least probability of an error is
#
# $$ D(\varepsilon) = 1 - \max_{1\le j\le k} \frac{e\,W_j}{e+j-1}, $$
#
# attained by k-RR over the $j$ likeliest letters, where whoever has another letter draws one of these $j$, all alike.
# The best $j$ grows with ε: the letter $j+1$ is worth sending if and only if $\pi_{j+1} > 0$ and $e > \frac{W_j}{\pi_{j+1}} - (j-1)$.
# :::
#
# :::{prf:proof}
# The client described is right with probability $\frac{e}{e+j-1}$ for the first $j$ letters and never for others.
# The rows of the first $j$ letters have the entries $\frac{e}{e+j-1}$ and $\frac{1}{e+j-1}$, and those of the others have $\frac1j$, which lies between.
#
# *Nothing is better.*
# Let $F$ be the maximum and $U = \sum_y u_y$.
# An entry on the diagonal is at most $e\,u_y$, and at most $1-U + u_y$ because the rest of its row is at least $U - u_y$; that is,
#
# $$ Q_{yy} \le u_y + \min\big((e-1)u_y,\; 1-U\big). $$
#
# Let $\varepsilon > 0$ (at 0 all rows are one, and the best report is the likeliest letter), let $A_t$ be the set of letters with $(e-1)u_y > t$, and $j_t$ their number.
# Integrating over $t$,
#
# $$ \sum_y \pi_y Q_{yy} \le \int_0^{1-U} \frac{e}{e-1}\,\pi(A_t)\,dt + \int_{1-U}^\infty \frac{1}{e-1}\,\pi(A_t)\,dt. $$
#
# By the definition of $F$ (with $W_0 = 0$), and because $F \ge W_1 = \pi_1$,
#
# $$ \pi(A_t) \le W_{j_t} \le \frac Fe(e-1+j_t), \qquad \pi(A_t) \le j_t\pi_1 \le j_t F. $$
#
# Use the first up to $1-U$ and the second beyond: the sum is at most
#
# $$ F\Big[1-U + \frac{1}{e-1}\int_0^\infty j_t\,dt\Big] = F[1-U+U] = F. $$
#
# *The letter $j+1$* raises $\frac{W_j}{e+j-1}$ if and only if $\pi_{j+1}(e+j-1) > W_j$.
# If it does not, the next does not either: $W_{j+1} = W_j + \pi_{j+1} \ge \pi_{j+1}(e+j) \ge \pi_{j+2}(e+j)$.
# :::
#
# By their abstract, {cite:t}`kalantari2018robust` find the best channels for classes of sources and this loss: symmetric ones if the mixtures of the class include the uniform source, asymmetric ones if all members have the same order of probabilities; for other classes they have bounds.


# %% tags=["hide-input"]
def known_error(pi, eps):
    """The theorem's least probability of an error, and how many letters are sent."""
    ranked = np.cumsum(np.sort(pi)[::-1])
    right = exp(eps) * ranked / (exp(eps) + np.arange(len(pi)))
    return 1 - right.max(), int(right.argmax()) + 1


def thresholds(pi):
    """The ε from which each further letter is worth sending."""
    ranked = np.sort(pi)[::-1]
    return [log(ranked[:j].sum() / ranked[j] - (j - 1)) for j in range(1, len(pi))]


SKEWED = np.array([0.7, 0.1, 0.1, 0.1])
FALLING = np.array([0.4, 0.3, 0.2, 0.1])
for name, pi in {"0.4, 0.3, 0.2, 0.1": FALLING, "0.7, 0.1, 0.1, 0.1": SKEWED}.items():
    print(f"{name}: further letters from ε =", ", ".join(f"{x:.2f}" for x in thresholds(pi)))
drawn = [np.random.default_rng(i).dirichlet(np.full(k, 0.7)) for i, k in enumerate((2, 3, 4, 5, 6, 6))]


def off(theory):
    """How far the program's least error is from a theory, at most: eight sources, four ε."""
    return max(
        abs(least_distortion(hamming(len(pi)), eps, pi).distortion - theory(pi, eps))
        for pi in [FALLING, SKEWED, *drawn]
        for eps in (0.3, 1.0, 2.0, 4.0)
    )


check(
    "Known source",
    "eight sources, four ε: the program finds the theorem's least error",
    off(lambda pi, eps: known_error(pi, eps)[0]) < 1e-9,
    control="k-RR over all letters",
    caught=off(lambda pi, eps: hamming_distortion(len(pi), eps)) > 0.1,
)


def is_krr(more=0.0):
    """Whether the program, asked for ε and this much more, finds k-RR at ε: uniform source and worst case."""
    return [
        np.abs(least_distortion(hamming(k), eps + more, source).channel - krr_channel(k, eps)).max() < 1e-6
        for k in (2, 3, 5)
        for eps in (0.5, 2.0)
        for source in (None, np.full(k, 1 / k))
    ]


check(
    "Distortion",
    "k = 2, 3, 5, two ε: the program finds k-RR, uniform source and worst case",
    all(is_krr()),
    control="asked for ε + 0.1",
    caught=not any(is_krr(0.1)),
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-hamming", "caption": "Least ε for a probability of error, four letters. Lines: the formula of Distortion for the uniform source (and for the worst case), the theorem on known sources for the other two; markers: bisection over linear programs. The more is known about the source, the less has to be said; with probabilities 0.7 and three times 0.1 an error of 30 % costs nothing."}, "image": {"alt": "Three falling curves of epsilon against the probability of an error, which start together near 0.01, with markers on them. The uniform source is highest and reaches 0 at 0.75; the source 0.4, 0.3, 0.2, 0.1 reaches 0 at 0.6; the skewed source reaches about 2 at 0.3 and drops to 0 there."}}
SOURCES = {"uniform, worst case": None, "(0.4, 0.3, 0.2, 0.1)": FALLING, "(0.7, 0.1, 0.1, 0.1)": SKEWED}
fine = np.linspace(0.002, 7, 1500)
found_dots = {
    name: [(delta, least_epsilon(hamming(4), delta, pi, width=1e-3).epsilon) for delta in (0.1, 0.25, 0.4, 0.55)]
    for name, pi in SOURCES.items()
}
fig, ax = plt.subplots()
for i, (name, pi) in enumerate(SOURCES.items()):
    uniform = np.full(4, 0.25) if pi is None else pi
    errors = np.array([known_error(uniform, eps)[0] for eps in fine])
    ax.plot(np.append(errors[0], errors), np.append(0, fine), color=f"C{i}", label=name)
    ax.plot(*np.array(found_dots[name]).T, "os^"[i], color=f"C{i}", linestyle="none", clip_on=False)
ax.set(xlabel="probability of an error δ", ylabel="least ε", xlim=(0, 0.8), ylim=(0, 5.5))
ax.legend(title="source")
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}


def printed(k, delta):
    """The survey's channel."""
    return np.where(np.eye(k) == 1, 1 - delta, delta / (k - 1))


def formula(k, delta):
    return log(k - 1) + log((1 - delta) / delta)


def twice(k, delta):
    """Two letters of one person, each through the printed channel."""
    return np.kron(printed(k, delta), printed(k, delta))


ONCE = [(k, delta) for k in (2, 3, 5, 20) for delta in (0.05, 0.3, 0.49)]
settle(
    "ye2018.distortion-epsilon",
    holds={
        "small-delta": all(abs(eps_of(printed(k, delta)) - formula(k, delta)) < 1e-9 for k, delta in ONCE),
        "large-delta": eps_of(printed(3, 0.8)) <= formula(3, 0.8),
        "two-letters": eps_of(twice(3, 0.3)) <= formula(3, 0.3) + 1e-9,
    },
)
settle(
    "ye2018.distortion-quantified",
    holds={
        "every-source": all(
            abs(pi @ (printed(len(pi), delta) * hamming(len(pi))).sum(1) - delta) < 1e-12
            for pi in [FALLING, SKEWED, *drawn]
            for delta in (0.1, 0.4)
        )
    },
)
squares = np.square(np.linspace(0, 1, 4)[:, None] - np.linspace(0, 1, 4))
settle(
    "ye2018.beside-rr",
    holds={
        "distortion": not same_law(
            MatrixMechanism(channel=printed(4, hamming_distortion(4, 1.0))), GRR(k=4, epsilon=1.0), np.arange(4)
        ),
        "compression": np.abs(least_distortion(squares, 1.0, np.full(4, 0.25)).channel - krr_channel(4, 1.0)).max()
        > 0.1,
    },
)

# %% [markdown]
# (sec-dist-many)=
# ### Many letters to choose from
#
# The survey concludes that ε grows with the number of letters, so that protection falls.
# That is so at a fixed probability of error; at a fixed ε it is the error that grows.
# An attribute with a hundred values cannot be reported letter by letter at a moderate ε; it can still be *counted*, which is another task ({ref}`sec-dist-shares`).
# Squared distances, where a neighbour is nearly as good as the truth, behave in another way ({ref}`sec-dist-compression`).

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {
                "letters k": f"{k}",
                "ε for 10 % errors": f"{hamming_epsilon(k, 0.1):.2f}",
                "errors at ε = 2": f"{hamming_distortion(k, 2.0):.0%}",
                "errors of a blind guess": f"{(k - 1) / k:.0%}",
            }
            for k in (2, 6, 12, 24, 100)
        ]
    )
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.distortion-grows",
    holds={
        "fixed-delta": all(
            eps_of(printed(k + 1, delta)) > eps_of(printed(k, delta)) for delta in (0.1, 0.4) for k in range(2, 100)
        ),
        "half-blind": all(
            eps_of(printed(k + 1, k / (2 * k + 2))) > eps_of(printed(k, (k - 1) / (2 * k))) for k in range(2, 100)
        ),
    },
)
settle(
    "ye2018.distortion-few",
    holds={
        "errors": hamming_distortion(2, 2.0) < 0.5 * 0.5 and hamming_distortion(100, 2.0) > 0.9 * 0.99,
    },
)

# %% [markdown]
# (sec-dist-tuples)=
# ### Several letters of one person
#
# The survey lets $X = (x_1, …, x_d)$ be the $d$ attributes of one user and averages the loss over them.
# The abstract of {cite:t}`sarwate2014distortion` speaks of a memoryless channel that operates on the data; we read it so that these are the letters of all people, one for each, and ε belongs to one letter.
# Whoever sends $d$ letters of one person through the channel spends $d$ times the printed ε.
#
# If the total is ε and the loss is the share of wrong letters, the program over tuples has $k^d$ rows and columns; symmetry solves it.
#
# :::{prf:theorem} A ball in the space of tuples
# :label: thm-dist-ball
# For tuples of $d$ letters and the share of wrong letters as loss, under the uniform source and in the worst case, there is a best channel that is a *ball*: for some radius $r < d$ a tuple with at most $r$ wrong letters is $e$ times as likely as one with more.
# With $N_i = \binom di(k-1)^i$ tuples at distance $i$, and $w_i = e$ up to $r$ and 1 beyond,
#
# $$ D(\varepsilon) = \min_r \frac{\sum_i i\,N_i w_i}{d \sum_i N_i w_i}. $$
#
# :::
#
# :::{prf:proof}
# Rename the letters in each place by some permutation, and exchange places, in the same way for inputs and reports.
# That leaves the loss as it is, and a channel becomes another one with the same ε and the same distortion under the uniform source.
# The average of all channels made in this way is ε-LDP and has that distortion too.
# It depends on the distance $i$ of tuple and report only, because any pair of tuples can be moved to any other pair of the same distance; so it errs equally for all tuples, and the worst case and the uniform source have the same optimum.
# Let its entries be proportional to $w_i$ with $1 \le w_i \le e$, and $D$ be the least share of wrong letters.
# Then $\sum_i N_i(\frac id - D)w_i \ge 0$ for all such $w$, with equality at the best, which therefore takes $w_i = e$ where $i < dD$ and $w_i = 1$ where $i > dD$.
# :::
#
# A single letter is the case $d = 1$, $r = 0$, and k-RR.
# With two letters in each place, odd $d$ and the radius $\frac{d-1}2$ it is the law of MeanEst on corners ({ref}`ch-means`).
# That need not be the best ball: for $d = 3$ the radius 0 has fewer errors if $e^2 - 6e + 5 > 0$, that is above $\varepsilon = \ln 5 = 1.61$.
# The cell compares the best ball with splitting ε over the places.


# %% tags=["hide-input"]
def ball(k, d, eps, radius=None):
    """Share of wrong letters of the best ball, or of one with a given radius."""
    i = np.arange(d + 1)
    count = np.array([comb(d, j) * (k - 1) ** j for j in i])
    tried = []
    for r in range(d) if radius is None else [radius]:
        w = np.where(i <= r, exp(eps), 1.0) * count
        tried.append(i @ w / w.sum() / d)
    return min(tried), int(np.argmin(tried))


tuples = np.array(list(product(range(3), repeat=3)))
share_wrong = (tuples[:, None] != tuples).mean(2)
by_tuples = {x: least_distortion(share_wrong, x, np.full(27, 1 / 27)).distortion for x in (0.5, 1.5, 3.0, 5.0)}
for name, k in {"values": 3, "signs": 2}.items():
    switch = brentq(lambda x, k=k: ball(k, 3, x, 0)[0] - ball(k, 3, x, 1)[0], 0.5, 6)
    print(f"three letters, {k} {name}: radius {ball(k, 3, 0.5)[1]} up to ε = {switch:.2f}, {ball(k, 3, 5.0)[1]} above")
for x in (1, 3, 6):
    print(
        f"27 tuples, total ε = {x}: wrong letters {ball(3, 3, x)[0]:.3f}, by splitting {hamming_distortion(3, x / 3):.3f}"
    )
check(
    "Ball",
    "27 tuples, four ε: the program finds the best ball",
    max(abs(found - ball(3, 3, x)[0]) for x, found in by_tuples.items()) < 1e-8,
    control="radius 0 at every ε",
    caught=abs(by_tuples[0.5] - ball(3, 3, 0.5, 0)[0]) > 1e-3,
)

# %% [markdown]
# (sec-dist-compression)=
# ## Fewer reports than letters: Compression
#
# Now let letters be numbers and the loss the squared distance.
# There are six, $0, 0.2, …, 1$, all equally likely, and a report names one of $m$ *points* that stand for it at the collector.
# With few points reports are shorter than letters: two take one bit instead of three, a rate of $\rho = \log 2/\log 6 = 0.39$.
#
# For given points the best channel is a linear program; for a given channel the best point for a report is the mean of the letters that send it, weighted by how likely they are.
# `optimise_points` does the two in turn, from several starts; neither step loses, but where both stop need not be the best.
# For squared distances and a known source there is a way round that.
#
# :::{prf:theorem} Staircases are enough
# :label: thm-dist-staircase
# For squared distances, a known source and $\varepsilon > 0$, let the number of reports and their points be free.
# Then some best channel has at most $k$ reports, and in each of its columns every entry is either $u_y$ or $e\,u_y$.
# The least distortion is the value of a linear program with one unknown for each of the $2^k-1$ columns of ones and $e$'s (all ones left out) and $k$ equations.
# :::
#
# :::{prf:proof}
# A report with column $q$ is best reproduced by the mean letter $z/w$, where $w = \sum_x\pi_x q_x$ is its probability and $z = \sum_x \pi_x q_x x$; the distortion is $\sum_x\pi_x x^2 - \sum_y z_y^2/w_y$.
# Scale the column so that its smallest entry is 1.
# Then it is a mixture of columns of ones and $e$'s, one for each level $t$:
#
# $$ q = \int_0^{e-1} \big(1 + (e-1)\,\mathbf 1[q - 1 > t]\big)\,\frac{dt}{e-1}. $$
#
# Replace one report by several, one for each part: the channel stays ε-LDP, and the distortion does not rise, because $z^2/w$ is convex and scales with the column.
# So we look for weights $v_\sigma \ge 0$ of the columns σ with $\sum_\sigma v_\sigma\,\sigma = \mathbf 1$ and the largest $\sum_\sigma v_\sigma z_\sigma^2/w_\sigma$.
# That is a linear program with $k$ equations, and one with a solution has one with at most $k$ positive weights.
# :::
#
# {cite:t}`kairouz2016extremal` call such channels *staircases* and prove this for every utility that is convex and scales in the columns in this way.


# %%
def equispaced(k, points):
    """Squared distance of k equispaced letters on [0, 1] to points."""
    return np.square(np.asarray(points) - np.linspace(0, 1, k)[:, None])


def staircase(letters, pi, eps):
    """Least squared distortion, points and their number free."""
    e = exp(eps)
    columns = [np.where(s, e, 1.0) for s in product((0, 1), repeat=len(pi)) if any(s)]
    explained = [((pi * q) @ letters) ** 2 / (pi @ q) for q in columns]
    found = linprog(-np.array(explained), A_eq=np.array(columns).T, b_eq=np.ones(len(pi)))
    used = [columns[i] > 1 for i in np.flatnonzero(found.x > 1e-9)]
    return pi @ letters**2 + found.fun, used


SIX, EVEN = np.linspace(0, 1, 6), np.full(6, 1 / 6)
for eps in (1, 2, 3, 4, 6):
    least, used = staircase(SIX, EVEN, eps)
    groups = "  ".join("".join("■" if here else "·" for here in pattern) for pattern in used)
    print(f"ε = {eps}: least {least:.4f}, {len(used)} reports, favoured letters  {groups}")

# %% [markdown]
# These best channels sort the letters into bins of neighbours and send the number of the bin by randomized response.
# {cite:t}`ghazi2023regression` prove this form for known sources and losses of regression, which grow with the distance.
# If bins are equally likely, the own bin is reported *on purpose* with probability $\omega_m = \frac{e-1}{e+m-1}$, and otherwise a bin at random; so the point for a bin with mean $\mu_j$ is $\mu + \omega_m(\mu_j-\mu)$, pulled towards the overall mean μ, and
#
# $$ D = V - \omega_m^2\,B_m, $$ (eq-dist-bins)
#
# with the variance $V$ of the letters and the variance $B_m$ between the bins.
# More bins raise $B_m$ and lower $\omega_m$.
# What two bins leave hardly depends on the number of letters: for even $k$ it is $B_2/V = \frac34\cdot\frac{k^2}{k^2-1}$.
# Where a third bin pays depends on it more, since bins need not be equal: at $\varepsilon = 2.3$ not yet for six letters, but for twelve.

# %% tags=["hide-input"]
V = SIX.var()


def between(m):
    """Variance between m equal bins of the six letters."""
    return SIX.reshape(m, -1).mean(1).var()


def bins(m, eps):
    omega = (exp(eps) - 1) / (exp(eps) + m - 1)
    return V - omega**2 * between(m)


def left_over(k, eps):
    """What two bins leave of the variance of k equispaced letters, and what the best channel leaves."""
    letters, omega = np.linspace(0, 1, k), (exp(eps) - 1) / (exp(eps) + 1)
    by_bins = 1 - omega**2 * letters.reshape(2, -1).mean(1).var() / letters.var()
    return by_bins, staircase(letters, np.full(k, 1 / k), eps)[0] / letters.var()


one_bit_until = brentq(lambda x: bins(2, x) - bins(3, x), 1, 4)
FREE_EPS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0)
free = {(m, eps): optimise_points(SIX, eps, m, EVEN, starts=8, rng=rng) for m in (2, 3) for eps in FREE_EPS}
least_free = {eps: staircase(SIX, EVEN, eps)[0] for eps in FREE_EPS}
print(f"variance of the letters {V:.4f}; between 2, 3, 6 bins {between(2):.4f}, {between(3):.4f}, {between(6):.4f}")
print(f"two bins are better than three equal ones below ε = {one_bit_until:.3f}")
shares_left = {k: left_over(k, 2.0) for k in (2, 6, 12)}
print("left of the variance at ε = 2:", ", ".join(f"{one[0]:.3f} for {k} letters" for k, one in shares_left.items()))
twelve = left_over(12, 2.3)
print(f"twelve letters, ε = 2.3: two bins leave {twelve[0]:.4f} of the variance, the best channel {twelve[1]:.4f}")
print("points for one bit, ε = 1:", ", ".join(f"{p:.3f}" for p in free[2, 1.0][0]))
alone = [optimise_points(SIX, 4.0, 3, EVEN, starts=1, rng=rng)[1].distortion for _ in range(8)]
print(f"three points, ε = 4: single starts end between {min(alone):.4f} and {max(alone):.4f}")


def two_bins(*budgets):
    """Whether no channel beats two bins, points and their number free."""
    return all(abs(bins(2, eps) - staircase(SIX, EVEN, eps)[0]) < 1e-9 for eps in budgets)


check(
    "Bins",
    "six letters, ε = 0.5, 1, 2, 2.3: no channel beats two bins; nor 2 and 12 letters at ε = 2",
    two_bins(0.5, 1.0, 2.0, 2.3) and all(abs(one - best_of_all) < 1e-9 for one, best_of_all in shares_left.values()),
    control="ε = 2.35; 12 letters at 2.3",
    caught=not two_bins(2.35) and twelve[0] - twelve[1] > 1e-3,
)
believed = optimise_points(SIX, 1.0, 2, np.array([0.3, 0.3, 0.1, 0.1, 0.1, 0.1]), starts=8, rng=rng)[1]
check(
    "Points",
    "one bit, six ε: `optimise_points` ends at the two bins; its bound for any points is the staircases'",
    max(abs(free[2, eps][1].distortion - bins(2, eps)) for eps in FREE_EPS) < 1e-9
    and max(abs(found[1].bound - least_free[eps]) for (_, eps), found in free.items()) < 1e-6,
    control="another source, ε = 1",
    caught=abs(believed.distortion - bins(2, 1.0)) > 1e-3 and abs(believed.bound - least_free[1.0]) > 1e-3,
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-frontier", "caption": "Privacy, distortion and rate: least mean square error for six letters against ε, with 2 points (reports of 1 bit), 3 (2 bits) and 6 (3 bits). Lines: points fixed on an even grid; markers: points optimised; thick grey: the least with any number of free points. With points in the right place one bit is as good as any number up to ε ≈ 2.3. Two or six points on a grid are at small ε worse than saying nothing (dotted)."}, "image": {"alt": "Mean square error against epsilon from 0 to 8. The grey curve falls from 0.117 to near 0. Markers for 2 points lie on it up to 2, those for 3 points up to 3; then they level off near 0.03 and 0.01. The line for 2 grid points starts at 0.18, for 6 at 0.127, for 3 at 0.117."}}
eps_line = np.linspace(0, 8, 41)
grids = {2: (0.25, 0.75), 3: (1 / 6, 0.5, 5 / 6), 6: tuple(SIX)}
fig, ax = plt.subplots()
any_points = [staircase(SIX, EVEN, x)[0] if x else V for x in eps_line]
ax.plot(eps_line, any_points, color="#BBBBBB", linewidth=6, linestyle="-", label="any number of free points", zorder=1)
for i, (m, points) in enumerate(grids.items()):
    fixed = [least_distortion(equispaced(6, points), x, EVEN).distortion for x in eps_line]
    ax.plot(eps_line, fixed, color=f"C{i}", label=f"{m} points on a grid, {ceil(log2(m))} bit{'s' if m > 2 else ''}")
    if m < 6:
        ends = [free[m, x][1].distortion for x in FREE_EPS]
        look = {"color": f"C{i}", "linestyle": "none", "markersize": [9, 6][i]}
        ax.plot(FREE_EPS, ends, "os"[i], label=f"{m} points, optimised", **look)
ax.axhline(V, color="black", linewidth=1, linestyle=":", marker="")
ax.set(xlabel="privacy budget ε", ylabel="mean square error", ylim=(0, 0.19), xlim=(0, 8))
ax.legend(fontsize=10)
plt.show()

# %% [markdown]
# On a grid, two points far from the mean are costly if the report is mostly noise.
# With points in the right place one bit is enough for these letters up to $\varepsilon \approx 2.3$: a third bin would only take probability from the other two.
# The abstract of {cite:t}`xiong2016requantization` reports half the bits at little cost in distortion where the distortion is low; our letters show it where ε is small and the distortion high.
#
# The survey's problem, the least ε for a given distortion and rate, is quasi-convex if the points are fixed ({ref}`sec-dist-quasi`), however few they are.
# With free points it is not: exchange the two points of a best channel together with its columns, and it is equally good, but halfway between the two all points are one and nothing is said.
#
# The survey says that Compression does not reduce what each user sends, so that its communication is high.
# A report has $\lceil\log_2 m\rceil$ bits and a letter $\lceil\log_2 k\rceil$ (the points are public and cost none): for six letters reports are shorter with two, three or four points, and as long with five.

# %% tags=["hide-input"]
on_grid = {m: least_distortion(equispaced(6, np.linspace(0, 1, m)), 6.0, EVEN) for m in range(2, 7)}
sent = {m: found_one.mechanism().report_bits for m, found_one in on_grid.items()}
print(f"a letter: {(6 - 1).bit_length()} bits")
for m, bits in sent.items():
    print(f"{m} points: report of {bits} bit{'s' if bits > 1 else ''}, rate {rate(6, m):.2f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
made = np.random.default_rng(15)
pairs = [[np.stack([q, 1 - q], 1) for q in made.uniform(0.2, 0.8, (2, 6))] for _ in range(40)]
one_bit = equispaced(6, (0.25, 0.75))
asked = least_epsilon(one_bit, 0.08, EVEN)
two_points, best_one = free[2, 1.0][0], free[2, 1.0][1].channel


def mean_loss(channel, points):
    return EVEN @ (channel * equispaced(6, points)).sum(1)


settle(
    "ye2018.compression-convex",
    holds={
        "quasiconvex": all(eps_of((one + two) / 2) <= max(eps_of(one), eps_of(two)) + 1e-12 for one, two in pairs),
        "bisection": asked.distortion <= 0.08
        and asked.epsilon - asked.short < 1.1e-6
        and least_distortion(one_bit, asked.short, EVEN).bound > 0.08,
        "convex": eps_of((flat + steep) / 2) <= (eps_of(flat) + eps_of(steep)) / 2,
        "free-points": mean_loss((best_one + best_one[:, ::-1]) / 2, (two_points + two_points[::-1]) / 2)
        <= max(mean_loss(best_one, two_points), mean_loss(best_one[:, ::-1], two_points[::-1])),
    },
)
settle(
    "ye2018.compression-transmission",
    holds={
        "five-points": sent[5] == (6 - 1).bit_length(),
        "fewer-points": any(sent[m] == (6 - 1).bit_length() for m in (2, 3, 4)),
    },
)

# %% [markdown]
# (sec-dist-ages)=
# ## Knowing the source, or not: ages
#
# The 6,366 women of {ref}`ch-rr` gave their age in six classes, from 17.5 to 42.
# Let the loss be squared, in square years, and the points any half year between: fifty points, so that the program places them itself.
# There are four states of knowledge.
#
# - The shares of the classes are *known*, from a census, say.
# - They are known to ten percentage points each: a *class* of sources, here with the truth in its middle.
# - Nothing is known: the *worst case*.
# - The collector is *mistaken* and believes that half of the people are in the oldest class.
#
# In each case the program finds its best channel, and we look at the error that the real population then has.
# (To fit a channel to the true shares of those it serves is an experiment, not a way to collect data: {ref}`sec-dist-wrong`.)


# %%
ages = datasets.fair()["age"]
LETTERS, held = np.unique(ages, return_counts=True)
true_shares = held / held.sum()
POINTS = np.arange(17.5, 42.01, 0.5)
years = np.square(POINTS - LETTERS[:, None])
print("ages  ", "  ".join(f"{x:5.1f}" for x in LETTERS))
print("shares", "  ".join(f"{100 * p:4.1f}%" for p in true_shares))
print(
    f"mean {true_shares @ LETTERS:.2f}, standard deviation {sqrt(true_shares @ (LETTERS - true_shares @ LETTERS) ** 2):.2f} years"
)


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-ages", "caption": "Root mean square error for the ages of 6,366 people, by what the channel was optimised for. At ε = 0 the best guess has the standard deviation of the ages. A class around the truth costs little. In the worst case several channels are equally good, and the strip shows what they do for these people: up to ε = 2 all of them are worse than a guess. A mistaken source costs four years at small ε, where the guess is everything."}, "image": {"alt": "Three curves and a strip of the error in years against epsilon from 0 to 5. The lowest starts at 6.8 and ends near 2, the class just above it; the strip of the worst case lies between 7 and 9.4 around epsilon 1 and comes down from 2 on; the mistaken curve falls from 10.8 to 2.8."}}
def extremes(pi, slack):
    """Extreme points of the sources within slack of pi in each letter: all letters but one at a limit."""
    low, high, found = np.maximum(pi - slack, 0), np.minimum(pi + slack, 1), set()
    for free in range(len(pi)):
        for ends in product((0, 1), repeat=len(pi) - 1):
            point = np.insert(np.where(ends, np.delete(high, free), np.delete(low, free)), free, 0)
            point[free] = 1 - point.sum()
            if low[free] - 1e-12 <= point[free] <= high[free] + 1e-12:
                found.add(tuple(np.round(point, 12)))  # so that rounding does not make two of one
    return np.array(sorted(found))


CLASS = extremes(true_shares, 0.1)
MISTAKEN = np.array([0.02, 0.03, 0.05, 0.1, 0.3, 0.5])
KNOWLEDGE = {"known": true_shares, "class, ±10 points": CLASS, "mistaken": MISTAKEN, "worst case": None}
AGE_EPS = np.array([0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5])


def real_error(channel):
    """Root mean square error of a channel on the real population, in years."""
    return sqrt(true_shares @ (channel * years).sum(1))


def among_best(eps, value):
    """Least and largest error on the real population among the channels of this worst-case loss."""
    k, m = years.shape
    each_letter = np.hstack([np.kron(np.eye(k), np.ones(m)) * years.ravel(), np.zeros((k, m))])
    limits = np.vstack([private(k, m, eps), each_letter])
    most = np.append(np.zeros(2 * k * m), np.full(k, value * (1 + 1e-9)))
    rows = np.hstack([np.kron(np.eye(k), np.ones(m)), np.zeros((k, m))])
    cost = np.append((true_shares[:, None] * years).ravel(), np.zeros(m))
    return [sqrt(sign * linprog(sign * cost, limits, most, rows, np.ones(k)).fun) for sign in (1, -1)]


tuned = {(name, eps): least_distortion(years, eps, pi) for name, pi in KNOWLEDGE.items() for eps in AGE_EPS}
strip = {eps: among_best(eps, tuned["worst case", eps].distortion) for eps in AGE_EPS}
fig, ax = plt.subplots()
ax.fill_between(AGE_EPS, *np.array(list(strip.values())).T, color="C3", alpha=0.4, label="worst case", linewidth=1.5)
for i, name in enumerate(list(KNOWLEDGE)[:3]):
    ax.plot(
        AGE_EPS, [real_error(tuned[name, eps].channel) for eps in AGE_EPS], color=f"C{i}", marker="osd"[i], label=name
    )
ax.set(xlabel="privacy budget ε", ylabel="error, years (root mean square)", ylim=(0, 11.5))
ax.legend(title="channel made for", ncols=2)
plt.show()

# %% tags=["hide-input"]
for eps in (0.5, 2.0):
    known, near, mistaken = (real_error(tuned[name, eps].channel) for name in list(KNOWLEDGE)[:3])
    low, high = strip[eps]
    print(
        f"ε = {eps}: error {known:.2f} (known), {near:.2f} (class), {mistaken:.2f} (mistaken), {low:.2f} to {high:.2f} (worst case)"
    )
possible = CLASS @ LETTERS
print(f"{len(CLASS)} extreme sources within ten points; means from {possible.min():.1f} to {possible.max():.1f} years")
for eps in (0.5, 2.0):
    moved = [real_error(least_distortion(years, eps, extremes(centre, 0.1)).channel) for centre in CLASS]
    print(f"ε = {eps}: class around one of these, truth at its edge: error {min(moved):.2f} to {max(moved):.2f} years")
for eps in (0.5, 2.0):
    mean_report = true_shares @ tuned["mistaken", eps].channel @ POINTS
    print(f"ε = {eps}: mean report through the mistaken channel {mean_report:.1f} years")
guarded = tuned["class, ±10 points", 2.0]


def never_above(channel):
    """Whether at no extreme source of the class the loss is above that of the channel made for it."""
    return (CLASS @ (channel * years).sum(1)).max() <= guarded.distortion + 1e-9


check(
    "Class",
    "ages within ten points, ε = 2: at none of the extreme sources more than δ",
    never_above(guarded.channel),
    control="the channel for the known source",
    caught=not never_above(tuned["known", 2.0].channel),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.compression-class",
    holds={
        "worst": never_above(guarded.channel),
        "least": guarded.distortion - guarded.bound < 1e-6,
    },
)

# %% [markdown]
# At $\varepsilon = 0.5$ hardly anything is gained over a guess that ignores the person, 6.85 years, and what counts is to guess the mean well.
# A class with the truth in its middle gives a good guess; with the truth at its edge the error at $\varepsilon = 2$ can be 5.88 years instead of 5.20.
# Who is mistaken guesses wrongly; with growing ε reports depend more on the letter and less on what was assumed.
#
# These people are 29 on average; through the mistaken channel they report 37 at $\varepsilon = 0.5$ and 35 at 2.
# The reports seem to confirm the mistake that made them.
#
# (sec-dist-client)=
# ## The channel as a client
#
# A matrix is a client as it stands: look up the row of the own letter, draw a report.


# %%
def send(x, channel, rng):
    """Draw a report from row x, one coin after the other."""
    left = channel[x].sum()
    for y, q in enumerate(channel[x]):
        if q and toss(min(1.0, q / left), rng):
            return y
        left -= q
    return int(np.flatnonzero(channel[x])[-1])


optimum = tuned["known", 1.0]
client = optimum.mechanism(scores=POINTS[:, None])
print("ages that can be reported:", ", ".join(f"{p:.1f}" for p in POINTS[optimum.channel.max(0) > 0]))
print("ten people of 22 send:", ", ".join(f"{POINTS[client.perturb([1], rng=rng)[0]]:.1f}" for _ in range(10)))
check(
    "Same law",
    "`send` and the package's client, six ages, ε = 1: one law, exact ε at most 1",
    same_law(lambda x, rng: send(x, optimum.channel, rng), client, np.arange(6))
    and epsilon(laws(client, np.arange(6))) <= 1.0 + 1e-12,
    control="the channel for ε = 1.5",
    caught=not same_law(lambda x, rng: send(x, tuned["known", 1.5].channel, rng), client, np.arange(6))
    and epsilon(laws(tuned["known", 1.5].mechanism(), np.arange(6))) > 1.0 + 1e-12,
)

# %% [markdown]
# {numref}`fig-dist-server` shows what the server sees of a million people with these ages, and below it what it can estimate from k-RR at the same ε, whose error per person is larger.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-server", "caption": "A million people with the ages of the 6,366 women, ε = 1. Top: the truth. Middle: reports through the channel of least squared error, which sends two ages only. Bottom: shares estimated from k-RR with 95 % intervals; the circles are the truth. The channel in the middle has the smaller error per person, but of the six shares it shows only the balance of young and old."}, "image": {"alt": "Three bar charts over age from 17.5 to 42. Top: six bars from 2 to 30 percent. Middle: two bars near 26.5 and 32, of about 55 and 45 percent. Bottom: six bars equal to the top ones within small error bars."}}
crowd = np.round(1_000_000 * true_shares).astype(int)
reports = client.simulate(crowd, trials=1, rng=rng).counts[0] / crowd.sum()
oracle = GRR(k=6, epsilon=1.0)
shares_hat = oracle.estimate(oracle.simulate(crowd, trials=1, rng=rng))[0]
half = 1.96 * np.sqrt(crowd @ oracle.variance(np.arange(6))) / crowd.sum()
fig, axes = plt.subplots(3, 1, figsize=(6.4, 6.6), sharex=True)
axes[0].bar(LETTERS, 100 * true_shares, width=2, color="C0")
axes[1].bar(POINTS, 100 * reports, width=1, color="C1")
axes[2].bar(LETTERS, 100 * shares_hat, width=2, color="C2", yerr=100 * half)
axes[2].plot(LETTERS, 100 * true_shares, "o", color="black", markerfacecolor="none", linestyle="none")
for ax, title in zip(axes, ("truth", "reports, least squared error", "estimated from k-RR"), strict=True):
    ax.set(ylabel="% of people", title=title)
axes[2].set_xlabel("age, years")
plt.show()

# %% tags=["hide-input"]
joint = true_shares[:, None] * krr_channel(6, 1.0)
at_face_value = sqrt((joint * np.square(LETTERS - LETTERS[:, None])).sum())
best_read = sqrt((joint * np.square(LETTERS @ joint / joint.sum(0) - LETTERS[:, None])).sum())
print(
    f"error per person: {real_error(optimum.channel):.2f} years; k-RR {at_face_value:.2f} at face value, "
    f"{best_read:.2f} if each report stands for the mean age of those who send it"
)
print(f"shares from k-RR: within {100 * half.max():.2f} points (95 %)")

# %% [markdown]
# (sec-dist-shares)=
# ### A small error for each, and nothing about all
#
# :::{prf:theorem} When shares can be estimated
# :label: thm-dist-shares
# Let $n$ people send one report each through the same channel $Q$, tossing their own coins.
# An estimate of the shares $f$ that is unbiased for every population exists if and only if the $k$ rows of $Q$ are linearly independent.
# With fewer different reports than letters it never does.
# :::
#
# :::{prf:proof}
# If the rows are independent there is a matrix $R$ with $QR = I$; the mean of the rows of $R$ that belong to the reports is unbiased.
# If not, $\sum_x h_x Q_{xy} = 0$ for all $y$ with some $h \ne 0$; summing over $y$, $\sum_x h_x = 0$.
# Fix the letters of all people but one, and let $\psi(x)$ be the expectation of the estimate if that person has $x$.
# It is linear in the row of $x$, so $\sum_x h_x \psi(x) = 0$.
# For an unbiased estimate it would have to be $\sum_x h_x f(x)$, whose entry for the letter $v$ is $h_v/n$, since the other people's part is multiplied by $\sum_x h_x = 0$.
# So $h = 0$, which it is not.
# :::
#
# More people do not help.
# The channel of {numref}`fig-dist-server` has two reports, and the three younger classes send them with the same probabilities.
# Make one in ten of all people five years older, from 22 to 27, and the law of all reports stays as it is.
# Likewise, by {prf:ref}`thm-dist-known` rare letters are not reported until ε is large.
# A distortion is a statement about single reports; for estimates of shares {ref}`ch-frequency` has another optimum.
#
# (A one-bit report with a public row of a table, {ref}`ch-onebit`, is a different channel for each row; together they have the rank that is needed.)

# %% tags=["hide-input"]
rank = np.linalg.matrix_rank(optimum.channel, tol=1e-9)
print(f"rank at ε = 1: {rank}; k-RR {np.linalg.matrix_rank(krr_channel(6, 1.0))}")
other_ages = true_shares + 0.1 * np.array([0, -1, 1, 0, 0, 0])
print("shares ", "  ".join(f"{100 * p:4.1f}%" for p in true_shares))
print("another", "  ".join(f"{100 * p:4.1f}%" for p in other_ages))
check(
    "Shares",
    "two populations of different ages, one law of reports",
    np.abs((other_ages - true_shares) @ optimum.channel).max() < 1e-9,
    control="through k-RR",
    caught=np.abs((other_ages - true_shares) @ krr_channel(6, 1.0)).max() > 1e-3,
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.distortion-utility",
    holds={
        "uniform": all(
            hamming_distortion(6, high) < hamming_distortion(6, low)
            and (GRR(k=6, epsilon=high).variance([0]) < GRR(k=6, epsilon=low).variance([0])).all()
            for low, high in pairwise((0.5, 1.0, 2.0, 4.0))
        ),
        "ages": rank == 6,
    },
)
coin = krr_channel(2, 1.0)
scores = np.linalg.inv(coin)  # shares of the two values, estimated from one answer


def spoilt(row, scores):
    """By how much of its own share a third value with this law of answers moves the estimate of one of the two."""
    return np.abs(row @ scores).max()


unit = np.linspace(0, 1, 11)
by_coin = np.stack([1 - unit, unit], 1) @ coin  # a number rounded to a bit at random
six = GRR(k=6, epsilon=1.0)
settle(
    "ye2018.table7-wrr",
    holds={
        "third-value": all(spoilt(row, scores) >= 0.5 - 1e-12 for row in (*coin, coin.mean(0))),
        "k-values": np.abs(moments(six, np.arange(6))[0] - np.eye(6)).max() < 1e-9,
        "numbers": np.abs(by_coin @ scores[:, 1] - unit).max() < 1e-9,
    },
)

# %% [markdown]
# (sec-dist-variance)=
# ## The best unbiased report of a number
#
# The program can also be told to make estimates possible.
# Let a person's number $x$ be in $[-1, 1]$, let the report be a number $y$, and demand that it is right on average: $\sum_y Q_{xy}\,y = x$ for each $x$.
# That is one more linear equation for each letter, and the mean of the reports then estimates the mean of the population without bias.
# With the loss $(y-x)^2$ the distortion is the variance.
#
# {ref}`ch-means` compares such reports with the limit ({ref}`sec-means-limit`); the simplest is Duchi's, $\pm c$ with $c = \frac{e+1}{e-1}$ and a variance of $c^2 - x^2$.
# Here we prove a limit for all reports whatever, and look at the best channels.
#
# We give the program 21 equispaced numbers $x$ and 121 reports between $-1.5c$ and $1.5c$.
# A number between two of the 21 is rounded to one of them at random, with itself as the mean; that adds at most a quarter of the squared step to the variance.
# In the proof the prices of {prf:ref}`thm-dist-prices` are joined by a price for unbiasedness in each row, and $G$ is bounded for every real number $y$ as a report, by a fine grid and what can lie between its points.


# %%
def grid(eps):
    """Numbers, reports and squared distances for the program."""
    c = (exp(eps) + 1) / (exp(eps) - 1)
    x, y = np.linspace(-1, 1, 21), 1.5 * c * np.linspace(-1, 1, 121)
    return x, y, np.square(y - x[:, None])


def least_variance(eps):
    """The best unbiased channel on the grid."""
    x, y, loss = grid(eps)
    return least_distortion(loss, eps, unbiased=(x, y))


# %% tags=["hide-input"]
def prove(eps):
    """A variance that no unbiased mechanism with any reports whatsoever is below: prices of a smaller program."""
    e, c = exp(eps), (exp(eps) + 1) / (exp(eps) - 1)
    x, y = np.linspace(-1, 1, 11), 1.5 * c * np.linspace(-1, 1, 121)
    k, m, n = 11, 121, 11 * 121
    low, entry = sparse.kron(np.ones((k, 1)), sparse.eye_array(m)), sparse.eye_array(n)
    lost = sparse.block_diag(np.square(y - x[:, None])[:, None, :])
    limits = sparse.vstack(
        [
            sparse.hstack([-entry, low, sparse.csr_array((n, 1))]),
            sparse.hstack([entry, -e * low, sparse.csr_array((n, 1))]),
            sparse.hstack([lost, sparse.csr_array((k, m)), -np.ones((k, 1))]),
        ],
        "csr",
    )
    ones = sparse.vstack([sparse.kron(sparse.eye_array(k), np.ones((1, m))), sparse.kron(sparse.eye_array(k), y[None])])
    rows = sparse.hstack([ones, sparse.csr_array((2 * k, m + 1))], "csr")
    cost = np.append(np.zeros(n + m), 1)
    found = linprog(cost, limits, np.zeros(2 * n + k), rows, np.append(np.ones(k), x))
    pi = np.maximum(-found.ineqlin.marginals[2 * n :], 0)
    pi, prices, slopes = pi / pi.sum(), found.eqlin.marginals[:k], found.eqlin.marginals[k:]
    near = np.linspace(-6 * c, 6 * c, 20_001)
    far = np.linspace(-1 / (6 * c), 1 / (6 * c), 2_001)  # 1/y, for reports beyond

    def lowest(square, linear, constant, at):
        """Least g at the given points, less what it can fall between them: a part is below its chord by its bend."""
        parts = square[:, None] * at**2 + linear[:, None] * at + constant[:, None]
        bend = e * np.maximum(square, 0).sum() * (at[1] - at[0]) ** 2 / 4
        return (np.maximum(parts, 0) + e * np.minimum(parts, 0)).sum(0).min() - bend

    constant = pi * x**2 - prices
    assert lowest(constant, -2 * pi * x - slopes, pi, far) > 0
    return prices.sum() + slopes @ x + min(0.0, lowest(pi, -2 * pi * x - slopes, constant, near))


VARIANCE_EPS = (0.5, 1.0, 2.0, 4.0)
best_means = {eps: least_variance(eps) for eps in VARIANCE_EPS}
least = np.array([best_means[eps].distortion for eps in VARIANCE_EPS])
proved = np.array([prove(eps) for eps in VARIANCE_EPS])
table(
    pd.DataFrame(
        [
            {
                "ε": f"{eps:g}",
                "no mechanism below": f"{floor:.3f}",
                "least on this grid": f"{one:.3f}",
                "Duchi": f"{1 / np.tanh(eps / 2) ** 2:.3f}",
            }
            for eps, one, floor in zip(VARIANCE_EPS, least, proved, strict=True)
        ]
    )
)

# %% tags=["hide-input"]
check(
    "Variance",
    "four ε: unbiased, ε kept, at most Duchi's; proved to 5 %",
    all(found.bias < 1e-6 and found.mechanism().epsilon <= eps for eps, found in best_means.items())
    and np.all(least <= 1 / np.tanh(np.array(VARIANCE_EPS) / 2) ** 2)
    and np.all((proved <= least) & (proved > 0.95 * least)),
    control="ε = 1.01; k-RR; the bound for the next smaller ε",
    caught=least_variance(1.01).mechanism().epsilon > 1.0
    and np.abs(krr_channel(21, 1.0) @ grid(1.0)[0] - grid(1.0)[0]).max() > 1e-3
    and np.all(proved[:-1] > least[1:]),
)

# %% [markdown]
# Duchi's two points are nearly best at $\varepsilon = 0.5$, and have about twice the least variance at 2.
#
# {numref}`fig-dist-stairs` shows two of the best channels at $\varepsilon = 2$: for letters that are known to be equally likely, and for the worst case.
# In the first, a column has two values only, and each number favours a window of reports; the windows slide with the number, and are widest in the middle.
# In the worst case several channels are equally good; of these we draw one with the least average loss, by giving the average a weight of a thousandth.
# Its windows slide too, with entries between the two values at their edges.
# The Piecewise mechanism has sliding windows too.
# {cite:t}`badanidiyuru2023unbiased` show that for a known source some best unbiased channel has at most $2k$ reports, and use such channels to train regressions.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-stairs", "caption": "Best unbiased channels for 21 numbers at ε = 2, squared distance. Each row is a number; columns are the reports that are sent, in order but not to scale. Favoured fields (blue) are exp ε times as likely as the others of their column; paler blue lies between. Left, for equally likely numbers: a band of sliding windows. Right, one of the best channels for the worst case: its windows slide too, and entries at their edges lie between."}, "image": {"alt": "Two grids of 21 rows with a blue band from the lower left to the upper right corner. On the left the band has clean stepped edges over 41 columns. On the right, over 31 columns, it is wider in the middle, and some fields at its edges are pale blue."}}
x_grid, y_grid, squared = grid(2.0)
on_average = least_distortion(squared, 2.0, np.full(21, 1 / 21), unbiased=(x_grid, y_grid))
nearly_each = 0.999 * np.eye(21) + 0.001 / 21  # every letter, with a little of all others
in_worst_case = least_distortion(squared, 2.0, nearly_each, unbiased=(x_grid, y_grid))


def stairs(channel):
    """Columns that are sent, and the place of each entry between smallest (0) and e times that (1), ε = 2."""
    used = np.flatnonzero(channel.max(0) > 1e-9)
    return used, np.log(channel[:, used] / channel[:, used].min(0)) / 2.0


BOTH = {"equally likely numbers": stairs(on_average.channel), "worst case": stairs(in_worst_case.channel)}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.6), sharey=True)
for ax, (title, (used, place)) in zip(axes, BOTH.items(), strict=True):
    ax.imshow(place, origin="lower", aspect="auto", cmap=LinearSegmentedColormap.from_list("", ["white", "C0"]))
    ax.grid(visible=False)
    ticks = np.linspace(0, len(used) - 1, 5).astype(int)
    ax.set_xticks(ticks, [f"{y_grid[used[i]]:.1f}".replace("-", "−") for i in ticks])
    ax.set(xlabel="report y", title=title)
axes[0].set_yticks([0, 5, 10, 15, 20], ["−1", "−0.5", "0", "0.5", "1"])
axes[0].set_ylabel("number x")
plt.show()

# %% tags=["hide-input"]
for name, (used, place) in BOTH.items():
    print(f"{name}: {len(used)} reports, {((place > 1e-6) & (place < 1 - 1e-6)).sum()} entries between the two values")


above = (in_worst_case.channel * squared).sum(1).max() - least[VARIANCE_EPS.index(2.0)]
print(f"the second one's variance is the least in the worst case within 1e-9: {'yes' if above < 1e-9 else 'no'}")


def windows(place):
    """Whether each row favours consecutive reports, in windows that slide and are widest in the middle."""
    rows = [np.flatnonzero(row > 0.5) for row in place]
    first, last = np.array([(row[0], row[-1]) for row in rows]).T
    width = last - first + 1
    slides = np.array_equal(width, [len(row) for row in rows]) and min(np.diff(first).min(), np.diff(last).min()) >= 0
    grows = np.array_equal(width, width[::-1]) and np.diff(width[:11]).min() >= 0
    return bool(slides and grows and np.abs(place - np.rint(place)).max() < 1e-6)


check(
    "Windows",
    "equally likely numbers: two values a column, windows that slide and are widest in the middle",
    windows(BOTH["equally likely numbers"][1]),
    control="the worst-case channel",
    caught=not windows(BOTH["worst case"][1]),
)

# %% [markdown]
# (sec-dist-cost)=
# ## Table 7, and what it costs
#
# Here is Table 7 of the survey with a column of our own.
# The program has an unknown for each pair of letter and report, and for $d$ attributes letters are tuples, $k^d$ of them: the survey is right that this product grows beyond reach soon.
# Where symmetry gives the answer, as for k-RR and the ball, nothing has to be solved.
# So the cost is high where a program has to be solved, and there it can find a channel with less loss than the formula's, as for the ages; for wrong or right letters, in the worst case, it never does ({prf:ref}`thm-dist-hamming`).

# %% tags=["hide-input"]
built = {points: [private(3**d, points or 3**d, 1.0).shape for d in (1, 2, 3)] for points in (0, 2)}
for d, (all_tuples, two_points) in enumerate(zip(*built.values(), strict=True), 1):
    print(
        f"{d} attribute{'s' if d > 1 else ''} of three values: {all_tuples[1]} unknowns with a report for each tuple, {two_points[1]} with two reports"
    )
table(
    pd.DataFrame(
        [
            (
                "W-RR",
                "simple, extends well; for two-valued variables only; low cost",
                "extends to k values (k-RR) and, by random rounding, to numbers",
            ),
            (
                "Compression",
                "quantifies loss; high cost of time, space and communication",
                f"⌈log₂ m⌉ bits, {sent[2]} for m = 2; a program of km + m unknowns, solved once by the collector",
            ),
            (
                "Distortion",
                "quantifies loss; for few values only; high cost",
                "errors in most reports if values are many; for the loss of its channel a formula, for others a program",
            ),
        ],
        columns=["mechanism", "printed", "this chapter"],
    )
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.compression-dimension",
    holds={
        "grows": all(more[1] >= 2 * fewer[1] for sizes in built.values() for fewer, more in pairwise(sizes)),
        "needed": abs(by_tuples[1.5] - ball(3, 3, 1.5)[0]) > 1e-6,
    },
)
krr_years = true_shares @ (krr_channel(6, 1.0) * np.square(LETTERS - LETTERS[:, None])).sum(1)
settle(
    "ye2018.table7-distortion-cost",
    holds={
        "hamming": any(
            least_distortion(hamming(5), formula(5, delta)).distortion < delta - 1e-9 for delta in (0.1, 0.4, 0.7)
        ),
        "squared": tuned["known", 1.0].distortion < krr_years - 1e-6,
    },
)

# %% [markdown]
# (sec-dist-differs)=
# ## Where the survey errs
#
# :::{admonition} The length of a compressed report
# :class: warning
# *Printed* (§4.3, Table 7): Compression does not reduce what each user sends, so its communication is high.
# *Right*: a report has $\lceil\log_2 m\rceil$ bits and is shorter than a letter wherever that is less than $\lceil\log_2 k\rceil$ ({ref}`sec-dist-compression`).
# At a fixed rate a report about $d$ attributes still has about $\rho\,d \log_2 k$ bits, and methods that send one attribute send less.
# :::
#
# Three more things a reader of §4.3 should know.
#
# - The formula for ε belongs to one letter and to $\delta \le \frac{k-1}{k}$; for $d$ attributes of one person it is spent $d$ times.
# - Distortion is a case of randomized response.
#   Compression is a search: for a known source, free points and the losses of regression it ends at randomized response over bins; for a class of sources it need not.
# - In our text the constraint for Compression has lost the expectation and the class; the line below it has the expectation, and the constraint for Distortion has both, so we take this for damage of the text.
#   The sum in that line runs over $x_i'$ where $\hat x_i$ is meant; we cannot tell whether that was printed.
#
# (sec-dist-wrong)=
# ## What can go wrong
#
# - *The source was learnt from the same people.*
#   A channel fitted to their true shares is public, and tells something about all of them that no ε accounts for; our sections on ages did this to compare channels.
#   Take the source from elsewhere, or from reports that have an ε of their own.
# - *The solver's matrix is taken at its word.*
#   A solver keeps inequalities to some digits, and where a column should be zero it may leave dust.
#   The next cell shows both; `within` repairs them, and `MatrixMechanism` refuses what cannot be private.
# - *Low distortion read as a good estimate.*
#   {prf:ref}`thm-dist-shares`.

# %%
dusty = np.array([[0.731, 0.269, 1e-17], [0.269, 0.731, 0.0]])
as_printed = np.array([[0.8808, 0.1192], [0.1192, 0.8808]])
print(f"a column of dust: ε = {'∞' if ratio(dusty) is None else 'finite'}")
print(f"four digits of Warner's coin at ε = 2: ε = {log(float(ratio(as_printed))):.5f}")
repaired = MatrixMechanism(channel=within(as_printed, 2.0))
print(
    f"repaired: ε at most 2: {'yes' if repaired.epsilon <= 2 else 'no'}; entries moved by {np.abs(repaired.channel - as_printed).max():.0e}"
)

# %% [markdown]
# (sec-dist-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: the last letter
# Twenty letters have probabilities proportional to $1, \frac12, …, \frac1{20}$.
# At which ε is it best to send two of them, ten, all?
# :::
#
# :::{dropdown} Solution
# {prf:ref}`thm-dist-known` gives the thresholds; the next cell prints them.
# Below the first the best report is always the likeliest letter.
# :::

# %% tags=["hide-input"]
zipf = 1 / np.arange(1, 21)
zipf /= zipf.sum()
for j in (2, 10, 20):
    print(
        f"{j:>2} letters from ε = {thresholds(zipf)[j - 2]:.2f}; errors there {known_error(zipf, thresholds(zipf)[j - 2])[0]:.2f}, of k-RR {hamming_distortion(20, thresholds(zipf)[j - 2]):.2f}"
    )

# %% [markdown]
# :::{admonition} Exercise 2: a continuous letter
# Let the letter be uniform on $[0, 1]$ and the loss squared.
# Up to which ε are two equal bins better than three equal ones?
# :::
#
# :::{dropdown} Solution
# {eq}`eq-dist-bins` holds with $V = \frac1{12}$ and $B_m = \frac1{12}\big(1 - \frac1{m^2}\big)$.
# $\omega_2^2 B_2 > \omega_3^2 B_3$ is $\big(\frac{e+2}{e+1}\big)^2 > \frac{B_3}{B_2} = \frac{32}{27}$, the same as for the six letters, whose bins have the same ratio: ε = 2.33 ({ref}`sec-dist-compression`).
# A third bin that is smaller pays earlier.
# :::

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-dist-polytope`, {prf:ref}`thm-dist-prices`: a program with a proof | two formulations, five bounds by our own lines; all others by the package, in fractions |
# | {prf:ref}`thm-dist-hamming`, {prf:ref}`thm-dist-known`: which letters to send | programs for eight sources |
# | {prf:ref}`thm-dist-ball`: tuples, a ball | program over 27 tuples |
# | {prf:ref}`thm-dist-staircase`: the best points | a program over all staircases; bins attain it |
# | {prf:ref}`thm-dist-shares`: what can be estimated | two populations, one law |
# | least variance of an unbiased report | prices, for every real report |
#
# Next: data in which everybody has several keys with values.
