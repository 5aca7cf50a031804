# %% [markdown]
# (ch-distortion)=
# # Privacy as rate–distortion
#
# *After {cite:t}`ye2018survey` §4.3, with {cite:t}`sarwate2014distortion` and {cite:t}`xiong2016requantization`.*
#
# :::{admonition} In one minute
# So far somebody handed us a mechanism and we judged it.
# Here we say what an error costs, and compute the mechanism that costs least among all that are ε-LDP.
# A mechanism with finitely many values and reports is a matrix of probabilities, privacy is a set of linear inequalities on it, the expected cost is linear: so the best mechanism is the solution of a *linear program*, and the program delivers a proof that nothing is better.
#
# If the cost is 1 for every wrong report, the answer is k-RR, and the survey's mechanism *Distortion* is k-RR under another name.
# If the cost is a squared distance and reports are short, the answer groups the values into bins (*Compression*); below ε ≈ 2.3 one bit is enough for six values.
# And a report that errs little for each person may say nothing about the shares of the population: that is a different question with a different answer.
# :::
#
# You will meet a polytope that can be drawn, prices that prove an optimum, staircases, and a limit for all unbiased estimates of a mean.
# From {ref}`ch-frequency` you need k-RR; no information theory is needed.

# %% tags=["hide-input"]
from itertools import pairwise, product
from math import ceil, comb, exp, log, log2, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import sparse
from scipy.optimize import brentq, linprog

from ldpnb import datasets
from ldpnb.book import check, settle, style, table
from ldpnb.chance import pick, toss
from ldpnb.distortion import (
    hamming_distortion,
    hamming_epsilon,
    least_distortion,
    least_epsilon,
    optimise_points,
    rate,
)
from ldpnb.frequency import GRR
from ldpnb.matrix import MatrixMechanism, ratio, within
from ldpnb.means import MeanEst
from ldpnb.verify import epsilon, laws, same_law

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
# Expected over what?
# The coins of the client, and the letter.
# There are three ways to treat the letter, and they have different answers.
#
# - A *known source*: letters are drawn from a distribution $\pi$ that we know, perhaps from an earlier survey.
# - The *worst case*: the letter on which the mechanism does worst.
# - A *class of sources* between the two: $\pi$ is in a set that we know, and the worst member of it counts.
#
# | symbol | meaning | in code |
# |---|---|---|
# | $k, m$ | number of letters, of different reports | `k`, `m` |
# | $x, y$ | a letter, a report | |
# | $Q_{xy}$ | probability of the report $y$ from the letter $x$: the *channel* | `channel` |
# | $L_{xy}$ | loss | `loss` |
# | $\pi$ | source: probabilities of the letters | `pi` |
# | $e$ | short for $e^\varepsilon$; never Euler's number | `e` |
# | $u_y$ | smallest entry of column $y$ | |
# | $\delta$ | distortion, $\sum_{x,y}\pi_x Q_{xy} L_{xy}$ or its largest value over a class | `delta` |
# | $D(\varepsilon)$ | least distortion of a channel that is ε-LDP | |
# | $\rho$ | rate, $\log m/\log k$: length of a report over that of a letter | `rate` |
# | $d$ | number of letters of one person | `d` |
#
# The survey writes $\hat x$ for $y$, $P$ for $\pi$, and $|\mathcal X|$, $|\hat{\mathcal X}|$ for $k$, $m$.
# Theory of communication calls such questions *rate–distortion*, and so the survey names its two mechanisms Compression and Distortion.
# That theory counts the bits that must pass for a given distortion, in the long run over many letters.
# Here every person sends one report, and what is bounded is the ratio of its probabilities; so little more than the words is shared.
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
# Its level lines are parallel, and the best point is where the last of them touches the quadrilateral: a corner.
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
# With a known source and a small ε it is best to say nothing at all.
# The change comes at $e = \pi_0/\pi_1$; below it, privacy is free because the report carries none of it.
# For the worst letter, on the other hand, the distortion is $\max(a, b)$, and W-RR is best at every ε.

# %% tags=["hide-input"]
fair_coin, skewed_coin = np.array([0.5, 0.5]), np.array([0.8, 0.2])
print(f"source (0.8, 0.2): the change comes at ε = ln 4 = {log(4):.3f}")
for eps in (0.5, 1.0, 1.5, 2.0):
    known, worst = (least_distortion(hamming(2), eps, source).distortion for source in (skewed_coin, None))
    print(f"ε = {eps}: least probability of an error {known:.3f} (source known), {worst:.3f} (worst case)")
two_by_program = [
    (least_distortion(hamming(2), eps, [s, 1 - s]).distortion, min(1 - s, 1 / (1 + exp(eps))))
    for eps in (0.1, 0.5, 1.0, 1.5, 3.0)
    for s in (0.5, 0.6, 0.8, 0.95)
]
check(
    "Two letters",
    "five ε, four sources: the program of the next section finds min(π₁, 1/(1+e))",
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
# :::{prf:theorem} Private channels form a polytope
# :label: thm-dist-polytope
# Let $\varepsilon \ge 0$ and $e = e^\varepsilon$.
#
# 1. A channel is ε-LDP if and only if there are numbers $u_y$ with $u_y \le Q_{xy} \le e\,u_y$ for all $x$ and $y$.
# 2. The ε-LDP channels form a polytope, and those for a smaller ε lie within those for a larger.
# 3. Under one source, or under a class that is the convex hull of finitely many sources, the least distortion is the value of a linear program, and is attained.
# 4. $D(\varepsilon)$ never rises with ε.
#    If a distortion δ can be reached by some ε, there is a least ε that reaches it, and bisection finds it.
# :::
#
# :::{prf:proof}
# 1\. Take $u_y = \min_x Q_{xy}$.
# Conversely $Q_{xy} \le e\,u_y \le e\,Q_{x'y}$.
# 2\. These are finitely many linear inequalities and equations, and all entries are in $[0, 1]$.
# A larger $e$ loosens the inequalities.
# 3\. The expected loss is linear in $\pi$, so over a hull its largest value is at one of the extreme sources $\pi^1, …, \pi^s$: minimise $t$ subject to $\sum_{x,y} \pi^j_x L_{xy} Q_{xy} \le t$ for each $j$.
# A linear function has a least value on a polytope.
# 4\. The polytopes are nested.
# Those channels of them that have distortion at most δ form closed bounded sets, nested in ε; if they are not empty for every ε above some number, they have a channel in common, which is ε-LDP for that number itself.
# :::
#
# The worst case is a class too: its extreme sources are the $k$ letters.
#
# Written with all ratios, privacy takes $k(k-1)m$ inequalities; with the $u_y$ it takes $2km$ and $m$ more unknowns.
# Here is the program for one source, solved by `linprog` of scipy.


# %%
def program(loss, eps, pi):
    """Best channel for one source, and the prices of its rows."""
    k, m = loss.shape
    entry, low = np.eye(k * m), np.tile(np.eye(m), (k, 1))  # Q_xy, u_y
    private = np.block([[-entry, low], [entry, -exp(eps) * low]])  # each at most 0
    rows = np.hstack([np.kron(np.eye(k), np.ones(m)), np.zeros((k, m))])
    cost = np.concatenate([(pi[:, None] * loss).ravel(), np.zeros(m)])
    found = linprog(cost, private, np.zeros(2 * k * m), rows, np.ones(k))
    return found.x[: k * m].reshape(k, m), found.eqlin.marginals


three = np.array([0.5, 0.3, 0.2])
small, prices = program(hamming(3), 1.0, three)
print(np.round(small, 3) + 0.0)
print(f"probability of an error {three @ (small * hamming(3)).sum(1):.4f}, of k-RR {hamming_distortion(3, 1.0):.4f}")

# %% [markdown]
# With shares of 50, 30 and 20 % the third letter is never reported.
# Who has it sends one of the other two, and it does not matter how, as long as it is private; the solver lets them behave like holders of the first.
#
# (sec-dist-prices)=
# ### A proof that comes with the answer
#
# A solver prints a number; why believe it?
# That the channel has the distortion stated can be checked by multiplying.
# That no channel has less is shown by *prices* $\lambda_x$, one for each row, which the solver returns as well: $\lambda_x$ is by how much the optimum would rise if row $x$ had to sum to a little more than one.
#
# :::{prf:theorem} Prices bound the distortion from below
# :label: thm-dist-prices
# Let $\lambda_x$ be any numbers, $c_{xy} = \pi_x L_{xy} - \lambda_x$, and $g_y = \sum_x c_{xy}^+ - e\sum_x c_{xy}^-$, with $c = c^+ - c^-$ split into its positive and negative part.
# Every ε-LDP channel has under π a distortion of at least
#
# $$ \sum_x \lambda_x + \min\big(0, \min_y g_y\big). $$
#
# :::
#
# :::{prf:proof}
# Rows sum to one, so the distortion is $\sum_x\lambda_x + \sum_{x,y} Q_{xy}c_{xy}$.
# In column $y$, $Q_{xy}c_{xy} \ge u_y c_{xy}^+ - e\,u_y c_{xy}^-$, and summed over $x$ that is $u_y g_y$.
# The $u_y$ are not negative, and sum to at most 1 because the entries of a row do.
# :::
#
# For a class of sources the bound holds with any mixture of its members in place of π, since the worst of them is at least as bad.
# At the solver's prices all $g_y$ are 0 or positive but for rounding, and the bound meets the distortion.
# It is a proof whatever the solver did: five lines evaluate it.


# %%
def at_least(loss, eps, pi, prices):
    """No ε-LDP channel has a smaller distortion under pi."""
    c = pi[:, None] * loss - prices[:, None]
    g = (np.maximum(c, 0) + exp(eps) * np.minimum(c, 0)).sum(0)
    return prices.sum() + min(0.0, g.min())


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


gaps, other, off_price, package = [], [], [], []
for loss, eps, pi in tried():
    channel, found_prices = program(loss, eps, pi)
    value = pi @ (channel * loss).sum(1)
    gaps.append(value - at_least(loss, eps, pi, found_prices))
    other.append(abs(value - all_ratios(loss, eps, pi)))
    off_price.append(value - at_least(loss, eps, pi, found_prices + 0.01))
    best = least_distortion(loss, eps, pi)
    package.append(max(abs(best.distortion - value), best.distortion - best.bound))
check(
    "Program",
    "five random losses and sources: the u, all ratios and the prices agree",
    max(np.abs(gaps).max(), max(other)) < 1e-8,
    control="prices raised by 0.01",
    caught=min(off_price) > 1e-3,
)

# %% [markdown]
# The package's `least_distortion` solves the same program, for one source, a class or the worst case.
# It repairs the channel so that its exact ε is not above what was asked ({ref}`sec-dist-wrong` says why that is needed), and returns the bound of the theorem with it, computed in fractions.

# %%
best = least_distortion(hamming(3), 1.0, three)
print(f"distortion {best.distortion:.9f}, no channel below {best.bound:.9f}")


# %% tags=["hide-input"]
def three_digits(channel):
    """A channel as one would print it, without the reports that are never sent."""
    kept = np.round(channel[:, channel.max(0) > 0], 3)
    return kept / kept.sum(1, keepdims=True)


check(
    "Package",
    "the same five: same optimum, proved to 1e-8; exact ε at most what was asked",
    max(package) < 1e-8
    and all(least_distortion(loss, eps, pi).mechanism().epsilon <= eps for loss, eps, pi in tried()),
    control="channels rounded to three digits",
    caught=any(eps_of(three_digits(least_distortion(loss, eps, pi).channel)) > eps for loss, eps, pi in tried()),
)

# %% [markdown]
# (sec-dist-quasi)=
# ### Convex, nearly
#
# The survey calls the search for the least ε at a given distortion and rate a *convex* optimisation problem that bisection solves.
# For a fixed ε it is one, even a linear one.
# As a problem in ε it is *quasi-convex*: the channels with ε at most a bound form a convex set, for every bound, and that is what bisection needs.
# (The abstract of {cite:t}`xiong2016requantization` says quasi-convex.)
# More is not true.
# Halfway between two channels ε can be more than halfway, and $D(\varepsilon)$ need not be convex either: for two letters with probabilities 0.8 and 0.2 it is flat up to $\ln 4$ and falls from there.

# %%
flat = np.array([[0.1, 0.9], [0.1, 0.9]])
steep = np.array([[0.6, 0.4], [0.2, 0.8]])
for part in (0, 0.5, 1):
    print(f"{part:.0%} of the way: ε = {eps_of((1 - part) * flat + part * steep):.3f}")
bisected = least_epsilon(hamming(3), 0.42, three)
print(f"errors in 42 %, shares 50, 30 and 20 %: least ε = {bisected.epsilon:.3f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
halfway = eps_of((flat + steep) / 2)
mixes = [
    (one, two, eps_of((one + two) / 2))
    for one, two in pairwise(
        [within(np.random.default_rng(i).dirichlet(np.ones(3), 3) * 0.2 + 0.8 / 3, 4.0) for i in range(40)]
    )
]
settle(
    "ye2018.compression-convex",
    holds={
        "ε fixed: the middle of two private channels is as private, 39 pairs": all(
            mixed <= max(eps_of(one), eps_of(two)) + 1e-12 for one, two, mixed in mixes
        ),
        "bisection: its ε is enough, and a millionth less is not": bisected.distortion <= 0.42
        and bisected.epsilon - bisected.short < 1.1e-6
        and least_distortion(hamming(3), bisected.short, three).bound > 0.42,
        "halfway between two channels ε is at most halfway": halfway <= (eps_of(flat) + eps_of(steep)) / 2 + 1e-12,
        "two letters, shares 0.8 and 0.2: least distortion is convex in ε": least_distortion(
            hamming(2), 1.4, skewed_coin
        ).bound
        <= (
            least_distortion(hamming(2), 0.8, skewed_coin).distortion
            + least_distortion(hamming(2), 2.0, skewed_coin).distortion
        )
        / 2,
    },
)

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
# It makes sense up to $\delta = \frac{k-1}{k}$, where ε is 0 and the report is a letter drawn blindly; beyond it the formula is negative, and the channel, which avoids the truth, has the ε of the formula without its sign.
#
# :::{prf:theorem} k-RR has the least probability of an error
# :label: thm-dist-hamming
# Let the class of sources contain the uniform one.
# Then $D(\varepsilon) = \frac{k-1}{k-1+e}$, which k-RR attains under every source.
# For $\varepsilon > 0$ no other channel on the $k$ letters attains it under the uniform source.
# :::
#
# :::{prf:proof}
# The trace $S = \sum_y Q_{yy}$ is $k(1-\delta)$ under the uniform source, and the worst of the class is no better than that.
# Privacy says $Q_{yy} \le e\,Q_{xy}$ for each of the $k-1$ other letters $x$; sum over $x$, then over $y$: $(k-1)S \le e\,(k-S)$, since all entries sum to $k$.
# So $S \le \frac{ke}{k-1+e}$.
# Equality needs $Q_{yy} = e\,Q_{xy}$ for all $x \ne y$, so column $y$ has $e\,u_y$ on the diagonal and $u_y$ elsewhere, and row $x$ sums to $\sum_y u_y + (e-1)u_x = 1$: all $u$ are equal.
# :::
#
# The abstract of {cite:t}`sarwate2014distortion` announces a lower bound on ε for this loss that grows with the logarithm of the number of letters; in the formula that is $\ln(k-1)$.
#
# A known source that is not uniform leaves room for more, as the example of the three letters showed.
# Number the letters so that $\pi_1 \ge \pi_2 \ge …$, and put $W_j = \pi_1 + … + \pi_j$.
#
# :::{prf:theorem} Which letters are worth sending
# :label: thm-dist-known
# Under a known source the least probability of an error is
#
# $$ D(\varepsilon) = 1 - \max_{1\le j\le k} \frac{e\,W_j}{e+j-1}, $$
#
# attained by k-RR over the $j$ likeliest letters, where whoever has another letter draws one of these $j$, all alike.
# The best $j$ grows with ε: the letter $j+1$ is worth sending if and only if $\pi_{j+1} > 0$ and $e > \frac{W_j}{\pi_{j+1}} - (j-1)$.
# :::
#
# :::{prf:proof}
# The client described is right with probability $\frac{e}{e+j-1}$ for the first $j$ letters and never for others, and its columns have the entries $e$ and 1 over $e+j-1$.
#
# *Nothing is better.*
# Let $F$ be the maximum, $U = \sum_y u_y$ and $b = 1-U$.
# An entry on the diagonal is at most $e\,u_y$, and at most $b + u_y$ because the rest of its row is at least $U - u_y$; that is, $Q_{yy} \le u_y + \min\big((e-1)u_y,\, b\big)$.
# Let $\varepsilon > 0$ (at 0 all rows are one, and the best report is the likeliest letter), let $S_t$ be the set of letters with $(e-1)u_y > t$, and $j_t$ their number.
# Integrating over $t$,
#
# $$ \sum_y \pi_y Q_{yy} \le \int_0^b \frac{e}{e-1}\,\pi(S_t)\,dt + \int_b^\infty \frac{1}{e-1}\,\pi(S_t)\,dt. $$
#
# Now $\pi(S_t) \le W_{j_t} \le \frac Fe(e-1+j_t)$ by the definition of $F$ (with $W_0 = 0$), and also $\pi(S_t) \le j_t\pi_1 \le j_t F$, because $F \ge W_1$.
# Use the first below $b$ and the second above: the sum is at most $F\big[b + \frac{1}{e-1}\int_0^\infty j_t\,dt\big] = F[b+U] = F$.
#
# *The letter $j+1$* raises $\frac{W_j}{e+j-1}$ if and only if $\pi_{j+1}(e+j-1) > W_j$.
# If it does not, the next does not either: $W_{j+1} = W_j + \pi_{j+1} \ge \pi_{j+1}(e+j) \ge \pi_{j+2}(e+j)$.
# :::
#
# {cite:t}`kalantari2018robust` treat all classes of sources for this loss: if the uniform source is in the convex hull the symmetric channel is best, and if the order of the probabilities is known an asymmetric one.


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
found = [
    [least_distortion(hamming(len(pi)), eps, pi).distortion - known_error(pi, eps)[0] for eps in (0.3, 1.0, 2.0, 4.0)]
    for pi in [FALLING, SKEWED, *drawn]
]
check(
    "Known source",
    "eight sources, four ε: the program finds the theorem's least error",
    np.abs(found).max() < 1e-9,
    control="k-RR over all letters",
    caught=max(hamming_distortion(4, eps) - known_error(SKEWED, eps)[0] for eps in (0.3, 1.0)) > 0.1,
)
BOTH_CLASSES = [(k, eps, source) for k in (2, 3, 5) for eps in (0.5, 2.0) for source in (None, np.full(k, 1 / k))]
check(
    "Distortion",
    "k = 2, 3, 5, two ε: k-RR is the least, uniform source and worst case",
    max(abs(least_distortion(hamming(k), eps, s).distortion - hamming_distortion(k, eps)) for k, eps, s in BOTH_CLASSES)
    < 1e-9
    and all(
        np.abs(least_distortion(hamming(k), eps, s).channel - krr_channel(k, eps)).max() < 1e-6
        for k, eps, s in BOTH_CLASSES
    ),
    control="k-RR at ε + 0.1",
    caught=all(
        np.abs(least_distortion(hamming(k), eps, s).channel - krr_channel(k, eps + 0.1)).max() > 1e-3
        for k, eps, s in BOTH_CLASSES
    ),
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-hamming", "caption": "Least ε for a probability of error, four letters. Lines: the formula of Distortion for the uniform source (and for the worst case), the theorem on known sources for the other two; markers: bisection over linear programs. The more is known about the source, the less has to be said; with probabilities 0.7 and three times 0.1 an error of 30 % costs nothing."}, "image": {"alt": "Three falling curves of epsilon against the probability of an error from 0.02 to 0.75, with markers on them. The uniform source is highest and reaches 0 at 0.75; the source 0.4, 0.3, 0.2, 0.1 reaches 0 at 0.6; the skewed source reaches about 2 at 0.3 and drops to 0 there."}}
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
        "one letter, δ up to (k−1)/k: the printed channel has exactly this ε": all(
            abs(eps_of(printed(k, delta)) - formula(k, delta)) < 1e-9 for k, delta in ONCE
        ),
        "one letter, δ above (k−1)/k: it is at most this ε": eps_of(printed(3, 0.8)) <= formula(3, 0.8),
        "two letters a person, each through the channel: it is at most this ε": eps_of(twice(3, 0.3))
        <= formula(3, 0.3) + 1e-9,
    },
)
settle(
    "ye2018.distortion-quantified",
    holds={
        "the printed channel errs with probability δ under every source": all(
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
        "Hamming loss: the channel of Distortion is not k-RR": not same_law(
            MatrixMechanism(channel=printed(4, hamming_distortion(4, 1.0))), GRR(k=4, epsilon=1.0), np.arange(4)
        ),
        "squared distance, four letters: the best channel is not k-RR": np.abs(
            least_distortion(squares, 1.0, np.full(4, 0.25)).channel - krr_channel(4, 1.0)
        ).max()
        > 0.1,
    },
)

# %% [markdown]
# (sec-dist-many)=
# ### Many letters to choose from
#
# The survey concludes that ε grows with the number of letters, so that protection falls.
# That is so at a fixed probability of error, since $\ln(k-1)$ is in the formula.
# At a fixed ε it is the error that grows.
# Both are one curve seen from two sides; the table gives some of its points, and in the last column, for comparison, another loss.
# An attribute with a hundred values cannot be reported letter by letter at a moderate ε; it can still be *counted*, which is another task ({ref}`sec-dist-shares`).
# Nor is it so for every loss: for squared distances between equispaced letters more letters hardly matter, since a neighbour is nearly as good as the truth.


# %% tags=["hide-input"]
def equispaced(k, points=None):
    """Squared distance of k equispaced letters on [0, 1] to points (by default the letters)."""
    letters = np.linspace(0, 1, k)
    return np.square((letters if points is None else np.asarray(points)) - letters[:, None])


square_error = {k: least_distortion(equispaced(k), 2.0, np.full(k, 1 / k)).distortion for k in (2, 6, 12, 24)}
table(
    pd.DataFrame(
        [
            {
                "letters k": f"{k}",
                "ε for 10 % errors": f"{hamming_epsilon(k, 0.1):.2f}",
                "errors at ε = 2": f"{hamming_distortion(k, 2.0):.0%}",
                "errors of a blind guess": f"{(k - 1) / k:.0%}",
                "root mean square error at ε = 2, letters on [0, 1]": f"{sqrt(square_error[k]):.3f}"
                if k in square_error
                else "—",
            }
            for k in (2, 6, 12, 24, 100)
        ]
    )
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.distortion-grows",
    holds={
        "δ = 0.1 and 0.4, k from 2 to 100: the ε of the printed channel rises with k": all(
            eps_of(printed(k + 1, delta)) > eps_of(printed(k, delta)) for delta in (0.1, 0.4) for k in range(2, 100)
        ),
        "δ half a blind guess's: it still rises": all(
            eps_of(printed(k + 1, k / (2 * k + 2))) > eps_of(printed(k, (k - 1) / (2 * k))) for k in range(2, 100)
        ),
    },
)
settle(
    "ye2018.distortion-few",
    holds={
        "Hamming loss, ε = 2: errors below half a blind guess's at k = 2, above 90 % at 100": hamming_distortion(2, 2.0)
        < 0.5 * 0.5
        and hamming_distortion(100, 2.0) > 0.9 * 0.99,
        "squared distance, ε = 2: from 6 to 24 letters on [0, 1] the least distortion rises": square_error[24]
        > square_error[6],
    },
)

# %% [markdown]
# (sec-dist-tuples)=
# ### Several letters of one person
#
# The survey lets $X = (x_1, …, x_d)$ be the $d$ attributes of one user and averages the loss over them.
# In the source, as far as its abstract tells, a memoryless channel acts on the data of all people, one letter for each, so that ε belongs to one letter.
# Whoever sends $d$ letters of one person through the channel spends $d$ times the printed ε.
#
# What is the best channel for a tuple, if the total is ε and the loss is the share of wrong letters?
# The program over tuples has $k^d$ rows and columns, but symmetry solves it.
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
# That leaves the loss as it is, and turns a channel into another one with the same ε and the same distortion under the uniform source.
# The average of all channels made in this way is ε-LDP, because these form a convex set, and has that distortion too.
# It depends on the distance $i$ of tuple and report only, because any pair of tuples can be moved to any other pair of the same distance; so it errs equally for all tuples, and the worst case and the uniform source have the same optimum.
# Let its entries be proportional to $w_i$ with $1 \le w_i \le e$, and τ be the least average distance.
# Then $\sum_i N_i(i-\tau)w_i \ge 0$ for all such $w$, with equality at the best, which therefore takes $w_i$ as large as it may be for $i < \tau$ and as small for $i > \tau$.
# :::
#
# A single letter is the case $d = 1$, $r = 0$, and k-RR.
# For two letters in each place, odd $d$ and the radius $\frac{d-1}2$ the ball is the law of MeanEst on corners, the first mechanism for means ({ref}`ch-means`): report a corner that agrees in most places.
#
# {numref}`fig-dist-tuples` compares it with what one would do without the program: split ε over the places, send one place at full ε and the others blindly, or use k-RR on whole tuples.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-tuples", "caption": "Three letters of one person, three values each (27 tuples), and the share of letters reported wrongly at the same total ε. Dots: the linear program over tuples. It is a ball, of radius 1 up to ε ≈ 3.3 and 0 above, where it is k-RR over tuples. Splitting ε over the letters, or sending a single letter, has more errors at every ε."}, "image": {"alt": "Four falling curves of the share of wrong letters against total epsilon from 0 to 8, all from 0.67. The ball is lowest, with dots of the linear program on it; k-RR over tuples joins it; splitting is above; sending one letter flattens out at 0.44."}}
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
total = np.linspace(0.01, 8, 200)
ways = {
    "ball (best)": [ball(3, 3, x)[0] for x in total],
    "k-RR over tuples": [ball(3, 3, x, 0)[0] for x in total],
    "split ε/3 each": [hamming_distortion(3, x / 3) for x in total],
    "one letter, rest blind": [(hamming_distortion(3, x) + 2 * 2 / 3) / 3 for x in total],
}
by_tuples = {x: least_distortion(share_wrong, x, np.full(27, 1 / 27)).distortion for x in (0.5, 1.5, 3.0, 5.0)}
fig, ax = plt.subplots()
for i, (name, errors) in enumerate(ways.items()):
    ax.plot(total, errors, color=f"C{i}", label=name)
ax.plot(list(by_tuples), list(by_tuples.values()), "o", color="black", linestyle="none", label="program over tuples")
ax.set(xlabel="total ε of the person", ylabel="share of wrong letters", ylim=(0, 0.7))
ax.legend()
plt.show()


# %% tags=["hide-input"]
def ball_client(x, radius, eps, rng):
    """A ball on corners of −1 and +1: the corners with at most this many wrong letters are e^ε times likelier."""
    every = list(product((-1, 1), repeat=len(x)))
    near = [y for y in every if sum(a != b for a, b in zip(x, y, strict=True)) <= radius]
    far = [y for y in every if y not in near]
    inside = exp(eps) * len(near)
    return pick(near if toss(inside / (inside + len(far)), rng) else far, rng)


switch = brentq(lambda x: ball(3, 3, x, 0)[0] - ball(3, 3, x, 1)[0], 0.5, 6)
print(f"27 tuples: radius {ball(3, 3, 0.5)[1]} up to ε = {switch:.2f}, {ball(3, 3, 5.0)[1]} above")
for x in (1, 3, 6):
    print(
        f"total ε = {x}: ball {ball(3, 3, x)[0]:.3f}, split {hamming_distortion(3, x / 3):.3f}, "
        f"one letter {(hamming_distortion(3, x) + 4 / 3) / 3:.3f}"
    )
check(
    "Ball",
    "27 tuples, four ε: the program finds the best ball",
    max(abs(found - ball(3, 3, x)[0]) for x, found in by_tuples.items()) < 1e-8,
    control="radius 0 at every ε",
    caught=abs(by_tuples[0.5] - ball(3, 3, 0.5, 0)[0]) > 1e-3,
)
CORNERS = list(product((-1, 1), repeat=3))
check(
    "MeanEst",
    "three signs, ε = 1: the ball of radius 1 has the law of MeanEst, and is the best",
    same_law(
        lambda x, rng: ball_client(x, 1, 1.0, rng),
        lambda x, rng: MeanEst(d=3, epsilon=1.0).perturb(np.array([x], float), rng=rng)[0],
        CORNERS,
    )
    and ball(2, 3, 1.0)[1] == 1,
    control="radius 0",
    caught=not same_law(
        lambda x, rng: ball_client(x, 0, 1.0, rng),
        lambda x, rng: MeanEst(d=3, epsilon=1.0).perturb(np.array([x], float), rng=rng)[0],
        CORNERS,
    ),
)

# %% [markdown]
# (sec-dist-compression)=
# ## Fewer reports than letters: Compression
#
# Now let letters be numbers and the loss the squared distance.
# Six letters, $0, 0.2, …, 1$, all equally likely; a report names one of $m$ *points* that stand for it at the collector.
# With $m < k$ reports are shorter than letters: $m = 2$ points take one bit instead of three, a rate of $\rho = \log 2/\log 6 = 0.39$.
# (The base of the logarithm does not matter for a ratio.)
#
# Where should the points be?
# For given points the best channel is a linear program; for a given channel the best point for a report is the mean of the letters that send it, weighted by how likely they are.
# `optimise_points` does the two in turn, from several starts.
# Neither step loses, but where both stop need not be the best: the two together are not convex.
#
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
# A report with column $q$ is best reproduced by the mean letter $s/w$, where $w = \sum_x\pi_x q_x$ is its probability and $s = \sum_x \pi_x q_x x$; the distortion is $\sum_x\pi_x x^2 - \sum_y s_y^2/w_y$.
# A column is a sum of positive multiples of columns of ones and $e$'s: scale it so that its smallest entry is 1, and integrate over the levels, as in the proof of {prf:ref}`thm-freq-limit`.
# Replace one report by several, one for each part: the channel stays ε-LDP, and the distortion does not rise, because $s^2/w$ is convex and scales with the column.
# Parts that are proportional to each other are one report.
# So we look for weights $v_\sigma \ge 0$ of the columns σ with $\sum_\sigma v_\sigma\,\sigma = \mathbf 1$ and the largest $\sum_\sigma v_\sigma s_\sigma^2/w_\sigma$.
# That is a linear program with $k$ equations, and one with a solution has one with at most $k$ positive weights.
# :::
#
# {cite:t}`kairouz2016extremal` call such channels *staircases* and prove this for every measure of utility that is convex and scales in the columns in this way.


# %%
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
# The best channels are of one kind: letters are sorted into bins of neighbours, and the number of the bin is sent by randomized response.
# {cite:t}`ghazi2023regression` prove this form for known sources and losses of regression, which grow with the distance.
# For bins of equal probability the distortion is easy to write down.
# The own bin is reported with probability λ *on purpose*, where $\lambda_m = \frac{e-1}{e+m-1}$, and otherwise a bin at random; so the point for a bin with mean $\mu_j$ is $\mu + \lambda_m(\mu_j-\mu)$, pulled towards the overall mean μ, and
#
# $$ D = V - \lambda_m^2\,B_m, $$ (eq-dist-bins)
#
# with the variance $V$ of the letters and the variance $B_m$ between the bins.
# More bins raise $B_m$ and lower $\lambda_m$.

# %% tags=["hide-input"]
V = SIX.var()


def between(m):
    """Variance between m equal bins of the six letters."""
    return SIX.reshape(m, -1).mean(1).var()


def bins(m, eps):
    lam = (exp(eps) - 1) / (exp(eps) + m - 1)
    return V - lam**2 * between(m)


one_bit_until = brentq(lambda x: bins(2, x) - bins(3, x), 1, 4)
FREE_EPS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0)
free = {(m, eps): optimise_points(SIX, eps, m, EVEN, starts=8, rng=rng) for m in (2, 3) for eps in FREE_EPS}
least_free = {eps: staircase(SIX, EVEN, eps)[0] for eps in FREE_EPS}
print(f"variance of the letters {V:.4f}; between 2, 3, 6 bins {between(2):.4f}, {between(3):.4f}, {between(6):.4f}")
print(f"two bins are better than three below ε = {one_bit_until:.3f}")
print("points for one bit, ε = 1:", ", ".join(f"{p:.3f}" for p in free[2, 1.0][0]))
alone = [optimise_points(SIX, 4.0, 3, EVEN, starts=1, rng=rng)[1].distortion for _ in range(8)]
print(f"three points, ε = 4: single starts end between {min(alone):.4f} and {max(alone):.4f}")
check(
    "Bins",
    "six letters, ε = 0.5, 1, 2: no channel beats two bins with free points",
    max(abs(bins(2, eps) - least_free[eps]) for eps in (0.5, 1.0, 2.0)) < 1e-9
    and abs(bins(3, 3.0) - least_free[3.0]) < 1e-9
    and abs(bins(6, 6.0) - least_free[6.0]) < 1e-9,
    control="two bins at ε = 3",
    caught=bins(2, 3.0) > least_free[3.0] + 1e-3,
)
check(
    "Points",
    "one bit, six ε: `optimise_points` ends at the two bins; its bound for any points is the staircases'",
    max(abs(free[2, eps][1].distortion - bins(2, eps)) for eps in FREE_EPS) < 1e-9
    and max(abs(found[1].bound - least_free[eps]) for (_, eps), found in free.items()) < 1e-6,
    control="midpoints 0.25 and 0.75",
    caught=least_distortion(equispaced(6, (0.25, 0.75)), 1.0, EVEN).distortion > bins(2, 1.0) + 1e-3,
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-frontier", "caption": "Privacy, distortion and rate: least mean squared error for six letters against ε, with one bit (2 points), 1.6 bits (3) and 2.6 bits (6). Lines: points fixed on an even grid; markers: points optimised; thick grey: the least with any number of free points. With points in the right place one bit is as good as any number up to ε ≈ 2.3. Two or six points on a grid are at small ε worse than saying nothing (dotted)."}, "image": {"alt": "Mean squared error against epsilon from 0 to 8. The grey curve falls from 0.117 to near 0. Markers for 2 and 3 points lie on it up to 2, then those for 2 level off near 0.03 and those for 3 near 0.01. The line for 2 grid points starts at 0.18, for 6 at 0.127, for 3 at 0.117."}}
eps_line = np.linspace(0, 8, 41)
grids = {2: (0.25, 0.75), 3: (1 / 6, 0.5, 5 / 6), 6: tuple(SIX)}
fixed = {
    m: [least_distortion(equispaced(6, points), x, EVEN).distortion for x in eps_line] for m, points in grids.items()
}
any_points = [staircase(SIX, EVEN, x)[0] if x else V for x in eps_line]
fig, ax = plt.subplots()
ax.plot(
    eps_line,
    any_points,
    color="#BBBBBB",
    linewidth=6,
    linestyle="-",
    marker="",
    label="any number of free points",
    zorder=1,
)
for i, m in enumerate(grids):
    ax.plot(eps_line, fixed[m], color=f"C{i}", label=f"{m} points on a grid, {log2(m):.2g} bit{'s' if m > 2 else ''}")
    if m < 6:
        best_found = [free[m, x][1].distortion for x in FREE_EPS]
        ax.plot(
            FREE_EPS,
            best_found,
            "os"[i],
            color=f"C{i}",
            linestyle="none",
            markersize=[9, 6][i],
            label=f"{m} points, optimised",
        )
ax.axhline(V, color="black", linewidth=1, linestyle=":", marker="")
ax.set(xlabel="privacy budget ε", ylabel="mean squared error", ylim=(0, 0.19), xlim=(0, 8))
ax.legend(fontsize=10)
plt.show()

# %% [markdown]
# On a grid one bit is bad, because two points that are far from the mean are costly if the report is mostly noise; at small ε it is best to pull them together.
# Once the points are right, one bit is enough up to $\varepsilon \approx 2.3$: with so much noise a third bin would only take probability from the other two.
# The abstract of {cite:t}`xiong2016requantization` reports something of the kind, half the bits at little cost in distortion.
#
# Points are public numbers at the collector, so they cost neither bits nor privacy, and can be rounded: by the definition of a conditional mean the distortion rises exactly by the mean square of the change, 0.000025 at most for two decimals.
#
# The survey says that Compression compresses the domain but does not reduce what each user sends, so that its communication is high.
# A report is one of $m$ numbers and has $\lceil\log_2 m\rceil$ bits; that is what $\rho$ measures.

# %% tags=["hide-input"]
rounded = {eps: (np.round(points, 2), optimum.channel) for (m, eps), (points, optimum) in free.items() if m == 2}
costs = [
    EVEN @ (channel * equispaced(6, points)).sum(1) - free[2, eps][1].distortion
    for eps, (points, channel) in rounded.items()
]
print(f"one bit, points with two decimals: distortion rises by {max(costs):.1e} at most, six ε")
sent = {m: free[m, 6.0][1].mechanism().report_bits for m in (2, 3)}
print(f"a letter {ceil(log2(6))} bits;", "; ".join(f"m = {m}: {sent[m]} bits, rate {rate(6, m):.2f}" for m in sent))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.compression-transmission",
    holds={
        "six letters at two points: a report is as long as a letter": sent[2] >= ceil(log2(6)),
    },
    instead={
        "six letters of 3 bits: reports of 1 bit for m = 2 and 2 bits for m = 3": (sent[2], sent[3]) == (1, 2),
        "ε ≤ 2: one bit has the least distortion of all": all(
            free[2, eps][1].distortion < least_free[eps] + 1e-6 for eps in (0.5, 1.0, 2.0)
        ),
    },
)

# %% [markdown]
# (sec-dist-ages)=
# ## Knowing the source, or not: ages
#
# The 6,366 women of {ref}`ch-rr` gave their age in six classes, from 17.5 to 42.
# Let the loss be squared, in square years, and the points any half year between: fifty points, so that the program places them itself.
# We look at four states of knowledge.
#
# - The shares of the classes are *known*, from a census, say.
# - They are known to ten percentage points each: a *class* of sources.
# - Nothing is known: the *worst case*.
# - The collector is *mistaken* and believes that half of the people are in the oldest class.
#
# In each case the program finds its best channel, and we look at the error that the real population then has.


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


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-ages", "caption": "Root mean square error for the ages of 6,366 people, by what the channel was optimised for. At ε = 0 the best guess has the standard deviation of the ages. Knowing the shares to ten points is nearly as good as knowing them exactly. Guarding against the worst case gains nothing for these people up to ε = 2. A mistaken source costs four years at small ε, where the guess is everything."}, "image": {"alt": "Four curves of the error in years against epsilon from 0 to 5. The lowest starts at 6.8 and ends near 2, the class just above it; the worst case stays near 7 until epsilon 2 and comes down afterwards; the mistaken one falls from 10.8 to 2.8."}}
def extremes(pi, slack):
    """Extreme points of the sources within slack of pi in each letter: all letters but one at a limit."""
    low, high, found = np.maximum(pi - slack, 0), np.minimum(pi + slack, 1), set()
    for free in range(len(pi)):
        for ends in product((0, 1), repeat=len(pi) - 1):
            point = np.insert(np.where(ends, np.delete(high, free), np.delete(low, free)), free, 0)
            point[free] = 1 - point.sum()
            if low[free] - 1e-12 <= point[free] <= high[free] + 1e-12:
                found.add(tuple(np.round(point, 15)))
    return np.array(sorted(found))


CLASS = extremes(true_shares, 0.1)
MISTAKEN = np.array([0.02, 0.03, 0.05, 0.1, 0.3, 0.5])
KNOWLEDGE = {"known": true_shares, "class, ±10 points": CLASS, "mistaken": MISTAKEN, "worst case": None}
AGE_EPS = np.array([0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5])


def real_error(channel):
    """Root mean square error of a channel on the real population, in years."""
    return sqrt(true_shares @ (channel * years).sum(1))


tuned = {(name, eps): least_distortion(years, eps, pi) for name, pi in KNOWLEDGE.items() for eps in AGE_EPS}
fig, ax = plt.subplots()
for i, name in enumerate(KNOWLEDGE):
    ax.plot(
        AGE_EPS, [real_error(tuned[name, eps].channel) for eps in AGE_EPS], color=f"C{i}", marker="osd^"[i], label=name
    )
ax.set(xlabel="privacy budget ε", ylabel="error, years (root mean square)", ylim=(0, 11.5))
ax.legend(title="channel made for", ncols=2)
plt.show()

# %% tags=["hide-input"]
print(f"{len(CLASS)} extreme sources within ten points")


def seen_mean(channel):
    """Mean of the reports that the real population sends, in years."""
    return true_shares @ channel @ POINTS


table(
    pd.DataFrame(
        [
            {
                "channel made for": name,
                **{f"error, ε = {eps}": f"{real_error(tuned[name, eps].channel):.2f}" for eps in (0.5, 1.0, 2.0, 4.0)},
                "mean report, ε = 0.5": f"{seen_mean(tuned[name, 0.5].channel):.2f}",
                "ε = 2": f"{seen_mean(tuned[name, 2.0].channel):.2f}",
            }
            for name in KNOWLEDGE
        ]
    )
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}


def within_class(rng):
    """A random source that is within ten points of the real shares in each letter."""
    way = rng.normal(size=6)
    way -= way.mean()
    reach = np.where(way > 0, np.minimum(0.1, 1 - true_shares), np.minimum(0.1, true_shares))
    return true_shares + way * rng.uniform() * (reach / np.abs(way)).min()


members = np.array([within_class(rng) for _ in range(2000)])
guarded = tuned["class, ±10 points", 2.0]
settle(
    "ye2018.compression-class",
    holds={
        "ages within 10 points, ε = 2: 2,000 random sources lose no more than the maximum": bool(
            (members @ (guarded.channel * years).sum(1)).max() <= guarded.distortion + 1e-9
        ),
        "no channel has a smaller maximum, proved to 1e-6": guarded.distortion - guarded.bound < 1e-6,
    },
)

# %% [markdown]
# At $\varepsilon = 0.5$ hardly anything is gained over a guess that ignores the person, 6.85 years, and the whole art is to know the mean.
# Who knows the shares to ten points knows it nearly; who is mistaken guesses wrongly, and the noise leaves the guess in charge.
# With growing ε the letter itself speaks, and what was assumed matters less.
#
# The last columns show the danger in another way.
# These people are 29 on average; through the mistaken channel they report 37 at $\varepsilon = 0.5$ and 35 at 2.
# It confirms the mistake: the reports are old because the collector thought so.
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
print("five people of 22 send:", ", ".join(f"{POINTS[client.perturb([1], rng=rng)[0]]:.1f}" for _ in range(5)))
check(
    "Same law",
    "`send` and the package's client, six ages, ε = 1: one law, exact ε at most 1",
    same_law(lambda x, rng: send(x, optimum.channel, rng), client, np.arange(6))
    and epsilon(laws(client, np.arange(6))) <= 1.0 + 1e-12,
    control="`send` with the channel for ε = 1.5",
    caught=not same_law(lambda x, rng: send(x, tuned["known", 1.5].channel, rng), client, np.arange(6)),
)

# %% [markdown]
# `simulate` draws the reports of a million people with these ages at once.
# {numref}`fig-dist-server` shows what the server sees of them, and beside it what it can estimate from k-RR at the same ε, whose error per person is larger.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-server", "caption": "A million people with the ages of the survey, ε = 1. Top: the truth. Middle: reports through the channel of least squared error, which sends two ages only. Bottom: shares estimated from k-RR with 95 % intervals; the circles are the truth. The channel in the middle has the smaller error per person, but of the six shares it shows only the balance of young and old."}, "image": {"alt": "Three bar charts over age from 17.5 to 42. Top: six bars from 2 to 30 percent. Middle: two bars near 26.5 and 32, of about 55 and 45 percent. Bottom: six bars equal to the top ones within small error bars."}}
crowd = np.round(1_000_000 * true_shares).astype(int)
reports = client.simulate(crowd, trials=1, rng=rng).counts[0] / crowd.sum()
oracle = GRR(k=6, epsilon=1.0)
shares_hat = oracle.estimate(oracle.simulate(crowd, trials=1, rng=rng))[0]
half = 1.96 * np.sqrt(crowd @ oracle.noise(np.arange(6))) / crowd.sum()
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
krr_error = sqrt(true_shares @ (krr_channel(6, 1.0) * np.square(LETTERS - LETTERS[:, None])).sum(1))
print(f"error per person: {real_error(optimum.channel):.2f} years, k-RR {krr_error:.2f} years")
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
# Fix the letters of all people but one, and let $t(x)$ be the expectation of the estimate if that person has $x$.
# It is linear in the row of $x$, so $\sum_x h_x t(x) = 0$.
# For an unbiased estimate it would have to be $\sum_x h_x f(x)$, whose entry for the letter $v$ is $h_v/n$, since the other people's part is multiplied by $\sum_x h_x = 0$.
# So $h = 0$, which it is not.
# :::
#
# This is not a matter of many people.
# The channel of {numref}`fig-dist-server` has two reports, and the three younger classes send them with the same probabilities.
# Make one in ten of all people five years older, from 22 to 27, and the law of all reports stays as it is, for any number of people.
# The same happens with the loss of right and wrong: by {prf:ref}`thm-dist-known` rare letters are not reported until ε is large, and what is not reported cannot be counted.
# A distortion is a statement about single reports.
# What a population is worth to a statistician is a statement about the whole law, and {ref}`ch-frequency` has another optimum for it.
#
# (*The same channel* matters.
# A one-bit report with a public row of a table, {ref}`ch-onebit`, is a different channel for each row; together they have all the rank that is needed.)

# %% tags=["hide-input"]
rank = {name: np.linalg.matrix_rank(tuned[name, 1.0].channel, tol=1e-9) for name in KNOWLEDGE}
print(
    "rank at ε = 1:",
    ", ".join(f"{name} {r}" for name, r in rank.items()),
    f"; k-RR {np.linalg.matrix_rank(krr_channel(6, 1.0))}",
)
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
        "uniform source: the smaller δ, the smaller the variance of all shares (k-RR, k = 6)": all(
            hamming_distortion(6, high) < hamming_distortion(6, low)
            and (GRR(k=6, epsilon=high).noise([0]) < GRR(k=6, epsilon=low).noise([0])).all()
            for low, high in pairwise((0.5, 1.0, 2.0, 4.0))
        ),
        "ages, ε = 1: the channel of least δ lets all six shares be estimated": rank["known"] == 6,
    },
)
asked_once = krr_channel(2, 1.0)[[0, 0, 1]]  # is it the third value? by Warner's coin
unit = np.linspace(0, 1, 11)
by_coin = np.stack([1 - unit, unit], 1) @ krr_channel(2, 1.0)  # a number rounded to a bit at random
two_scores = np.linalg.solve(krr_channel(2, 1.0), [0, 1])
settle(
    "ye2018.table7-wrr",
    holds={
        "three values, one question answered by W-RR: shares cannot be estimated": np.linalg.matrix_rank(asked_once)
        < 3,
        "numbers in [0, 1], rounded to a bit at random: their mean cannot be estimated": np.abs(
            by_coin @ two_scores - unit
        ).max()
        > 1e-9,
    },
)

# %% [markdown]
# (sec-dist-variance)=
# ## The best unbiased report of a number
#
# The program can be told to be fair to the population.
# Let a person's number $x$ be in $[-1, 1]$, let the report be a number $y$, and demand that it is right on average: $\sum_y Q_{xy}\,y = x$ for each $x$.
# That is one more linear equation for each letter.
# With the loss $(y-x)^2$ the distortion is the variance, in the worst case over $x$ the one that a statistician who knows nothing has to reckon with, and the mean of the reports estimates the mean of the population without bias.
#
# Duchi's two-point report, $\pm c$ with $c = \frac{e+1}{e-1}$, has the variance $c^2 - x^2$, at most $c^2$.
# The Piecewise mechanism spreads reports over an interval, and the Hybrid one mixes the two; {ref}`ch-means` derives them.
# With $s = e^{\varepsilon/2}$ their worst variances are
#
# $$ \frac{4s}{3(s-1)^2} \quad\text{and}\quad \frac{s+3}{3s(s-1)} + \frac{c^2}{s}, $$
#
# the latter from ε ≈ 0.61 on, and $c^2$ below.
#
# We give the program 21 equispaced numbers $x$ and 121 reports between $-1.5c$ and $1.5c$, among them $\pm c$, so that Duchi's channel is one of those it may choose.
# {numref}`fig-dist-variance` puts the three over its optimum.


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


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-variance", "caption": "Worst-case variance of an unbiased ε-LDP report of a number in [−1, 1], over the least found by the linear program. Duchi's two points are nearly best at small ε and far off at large; Piecewise the other way round. Hybrid is better than both, 7 % above the optimum at ε = 1 and 73 % at 4. The grey strip is what the proof leaves open: no unbiased mechanism whatsoever is below it."}, "image": {"alt": "Ratio of variances against epsilon from 0.25 to 4. Duchi rises from 1.01 to 2 at epsilon 2 and leaves the picture; Piecewise rises from 1.3 to 1.9, Hybrid from 1.01 to 1.7. A strip below 1 widens to 5 percent at epsilon 4."}}
VARIANCE_EPS = np.array([0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0])


def duchi(eps):
    return 1 / np.tanh(eps / 2) ** 2


def piecewise(eps):
    s = np.exp(eps / 2)
    return 4 * s / (3 * (s - 1) ** 2)


def hybrid(eps):
    s = np.exp(eps / 2)
    return np.where(eps > 0.6094, (s + 3) / (3 * s * (s - 1)) + duchi(eps) / s, duchi(eps))


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


best_means = {eps: least_variance(eps) for eps in VARIANCE_EPS}
least = np.array([best_means[eps].distortion for eps in VARIANCE_EPS])
proved = np.array([prove(eps) for eps in VARIANCE_EPS])
fig, ax = plt.subplots()
for i, (name, formula_of) in enumerate({"Duchi": duchi, "Piecewise": piecewise, "Hybrid": hybrid}.items()):
    ax.plot(VARIANCE_EPS, formula_of(VARIANCE_EPS) / least, color=f"C{i}", marker="os^"[i], label=name)
ax.fill_between(VARIANCE_EPS, proved / least, 1, color="gray", alpha=0.5, label="open")
ax.set(xlabel="privacy budget ε", ylabel="worst variance / least", ylim=(0.9, 2.1))
ax.legend()
plt.show()

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {
                "ε": f"{eps:g}",
                "Duchi": f"{duchi(eps):.3f}",
                "Piecewise": f"{piecewise(eps):.3f}",
                "Hybrid": f"{float(hybrid(eps)):.3f}",
                "program": f"{one:.3f}",
                "no mechanism below": f"{floor:.3f}",
                "4/ε²": f"{4 / eps**2:.3f}",
            }
            for eps, one, floor in zip(VARIANCE_EPS, least, proved, strict=True)
        ]
    )
)


# %% tags=["hide-input"]
saved = {eps: 1 - best_means[eps].distortion / float(hybrid(eps)) for eps in (1.0, 2.0, 4.0)}
print("fewer people than with Hybrid:", ", ".join(f"{share:.0%} at ε = {eps:g}" for eps, share in saved.items()))


def feasible(eps):
    """Whether Duchi's channel, on the grid, is unbiased, has this ε and is no better than the program's."""
    x, y, loss = grid(eps)
    c = (exp(eps) + 1) / (exp(eps) - 1)
    two = np.zeros_like(loss)
    two[:, np.abs(y + c).argmin()], two[:, np.abs(y - c).argmin()] = (1 - x / c) / 2, (1 + x / c) / 2
    used = two[:, two.max(0) > 0]
    return (
        np.abs(two @ y - x).max() < 1e-9
        and eps_of(used) <= eps + 1e-9
        and best_means[eps].distortion <= (two * loss).sum(1).max() + 1e-9
    )


check(
    "Variance",
    "seven ε: unbiased, ε kept, at most Duchi's and Hybrid's; proved to 5 %",
    all(found.bias < 1e-6 and found.mechanism().epsilon <= eps for eps, found in best_means.items())
    and all(feasible(eps) for eps in VARIANCE_EPS)
    and np.all(least <= np.minimum(duchi(VARIANCE_EPS), hybrid(VARIANCE_EPS)))
    and np.all((proved <= least) & (proved > 0.95 * least)),
    control="the bound for the next smaller ε",
    caught=np.all(proved[:-1] > least[1:]),
)

# %% [markdown]
# For small ε the optimum is close to $4/\varepsilon^2$, where Duchi's report has $\frac{4}{\varepsilon^2} + \frac23$: the gain is small and fixed.
# For the same error it needs 7 % fewer people than Hybrid at $\varepsilon = 1$ and 17 % fewer at 2.
# The proof behind the strip uses prices as in {prf:ref}`thm-dist-prices`, with a second price for unbiasedness, and bounds $g$ for every real number $y$ as a report, by a fine grid and what can lie between its points; so it covers mechanisms with any reports.
# A number between two of the 21 is rounded to one of them at random, with itself as the mean; that adds at most a quarter of the squared step to the variance, 0.0025.
#
# ### What the best channels look like
#
# In {numref}`fig-dist-stairs` letters are equally likely, $\varepsilon = 2$, and the loss is the squared distance, once as it is and once with unbiasedness.
# Either way a column has two values only.
# Without unbiasedness the best channel sends the number of a bin.
# With it, each report favours a window of numbers, and the windows slide: from a letter to the next one report leaves the favoured set at one end and another one enters it at the other.
# The Piecewise mechanism has sliding windows too; the program also chooses how wide they are and where the reports lie.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-dist-stairs", "caption": "Best channels for 21 equally likely numbers at ε = 2, squared distance. Each row is a number, each column a report that is sent; dark fields are e^ε times as likely as light ones of the same column. Left, no condition: two bins, one bit. Right, unbiased: a band of sliding windows, with reports from −1.94 to 1.94. No entry lies between the two values: staircases."}, "image": {"alt": "Two heat maps of 21 rows. The left one has two columns: the lower ten rows dark in the first, the upper eleven dark in the second. The right one has 41 columns and a dark band with stepped edges from the lower left to the upper right corner."}}
x_grid, y_grid, squared = grid(2.0)
UNIFORM = np.full(21, 1 / 21)
y_inside = np.linspace(-1, 1, 81)
plain = least_distortion(np.square(y_inside - x_grid[:, None]), 2.0, UNIFORM)
on_average = least_distortion(squared, 2.0, UNIFORM, unbiased=(x_grid, y_grid))


def stairs(channel):
    """Columns that are sent, and the place of each entry between smallest (0) and e^ε times that (1), ε = 2."""
    used = np.flatnonzero(channel.max(0) > 1e-9)
    return used, np.log(channel[:, used] / channel[:, used].min(0)) / 2.0


fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.6), width_ratios=[1, 2.2], sharey=True)
for ax, found_channel, outputs, title in zip(
    axes, (plain.channel, on_average.channel), (y_inside, y_grid), ("least error", "unbiased"), strict=True
):
    used, place = stairs(found_channel)
    ax.imshow(place, origin="lower", aspect="auto", cmap="Blues", vmin=0, vmax=1)
    ax.grid(visible=False)
    ticks = np.linspace(0, len(used) - 1, min(len(used), 5)).astype(int)
    ax.set_xticks(ticks, [f"{outputs[used[i]]:.2f}".replace("-", "−") for i in ticks])
    ax.set(xlabel="report y", title=title)
axes[0].set_yticks([0, 5, 10, 15, 20], ["−1", "−0.5", "0", "0.5", "1"])
axes[0].set_ylabel("number x")
plt.show()

# %% [markdown]
# :::{prf:theorem} Few reports, few entries between
# :label: thm-dist-few
# Let $\varepsilon > 0$, and let a vertex of the program for $s$ sources send $m'$ reports and have $z$ entries strictly between $u_y$ and $e\,u_y$.
# Then $m' + z \le k + s - 1$; with the condition of unbiasedness, $m' + z \le 2k + s - 1$.
# So for a known source some best channel has at most $k$ reports, and some best unbiased one at most $2k$.
# :::
#
# :::{prf:proof}
# Leave out the columns that are zero.
# There are $km' + m' + 1$ unknowns: the entries, the $u_y$, and the bound $t$ on the $s$ expected losses.
# At a vertex at least as many conditions hold with equality.
# Of the two on an entry at most one does, since $u_y < e\,u_y$, and $z$ entries have none; the rows give $k$ equations (or $2k$), the sources at most $s$.
# So $km' + m' + 1 \le km' - z + k + s$.
# The best value of a linear program on a polytope is attained at a vertex.
# :::
#
# {cite:t}`badanidiyuru2023unbiased` have the bound of $2k$ for unbiased reports, which they use to train regressions.

# %% tags=["hide-input"]
seen_stairs = {}
for name, found_one in {"least error": plain, "unbiased": on_average}.items():
    used, place = stairs(found_one.channel)
    middle = int(((place > 1e-6) & (place < 1 - 1e-6)).sum())
    seen_stairs[name] = len(used), middle
    print(f"{name:<12} {len(used)} reports, {middle} entries between, variance or error {found_one.distortion:.4f}")
worst_used, worst_place = stairs(best_means[2.0].channel)
blend = (on_average.channel + np.roll(on_average.channel, 1, axis=1)) / 2
check(
    "Staircase",
    "21 numbers, ε = 2: m′ + z within the theorem, known source with and without, worst case",
    sum(seen_stairs["least error"]) <= 21
    and sum(seen_stairs["unbiased"]) <= 42
    and len(worst_used) + ((worst_place > 1e-6) & (worst_place < 1 - 1e-6)).sum() <= 62,
    control="the mean of two channels",
    caught=len(stairs(blend)[0]) + ((stairs(blend)[1] > 1e-6) & (stairs(blend)[1] < 1 - 1e-6)).sum() > 42,
)

# %% [markdown]
# (sec-dist-cost)=
# ## What it costs to compute
#
# The program has an unknown for each pair of letter and report.
# For $d$ attributes of $k$ values letters are tuples, $k^d$ of them, and the survey is right that this product grows beyond reach soon.
# The table counts what would be handed to a solver for attributes of four values.

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {
                "attributes d": f"{d}",
                "tuples 4^d": f"{4**d:,}",
                "unknowns": f"{4 ** (2 * d) + 4**d:,}",
                "inequalities with u": f"{2 * 4 ** (2 * d):,}",
                "all ratios": f"{4 ** (2 * d) * (4**d - 1):,}",
                "radii to compare (ball)": f"{d}",
            }
            for d in range(1, 7)
        ]
    )
)

# %% [markdown]
# It is the price of not knowing the answer.
# Where symmetry gives the answer, as for k-RR and the ball, nothing has to be solved, and the client draws one number and perhaps a letter.
# And where attributes may be reported one by one, at a price in error that {numref}`fig-dist-tuples` shows, the programs stay small.
#
# Table 7 of the survey compares W-RR, Compression and Distortion.
# Here it is again, with a column of our own.

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            (
                "W-RR",
                "simple, extends well; for two-valued variables only; low cost",
                "extends to k values (k-RR), to numbers by random rounding; k-RR at k = 2",
            ),
            (
                "Compression",
                "quantifies loss; high cost of time, space and communication",
                f"⌈log₂ m⌉ bits, {sent[2]} for m = 2; a program of km + m unknowns, solved once by the collector",
            ),
            (
                "Distortion",
                "quantifies loss; for few values only; high cost",
                "it is k-RR: a formula, no program; k = 2 is W-RR; few values for low error of each, any number for counts",
            ),
        ],
        columns=["mechanism", "printed", "this chapter"],
    )
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.compression-dimension",
    holds={
        "attributes of 4 values: each one more multiplies the unknowns by over 10": all(
            (16 ** (d + 1) + 4 ** (d + 1)) > 10 * (16**d + 4**d) for d in range(1, 7)
        ),
        "share of wrong letters: the best channel takes a program over the product": any(
            abs(found_one - ball(3, 3, x)[0]) > 1e-8 for x, found_one in by_tuples.items()
        ),
    },
)
by_two = GRR(k=2, epsilon=1.0)
settle(
    "ye2018.table7-distortion-cost",
    holds={
        "k = 2: the channel of Distortion is another one than W-RR's": not same_law(
            MatrixMechanism(channel=printed(2, hamming_distortion(2, 1.0))),
            lambda x, rng: x if toss(exp(1) / (1 + exp(1)), rng) else 1 - x,
            np.arange(2),
        ),
        "Hamming loss, k = 5: a program finds another channel than the formula": np.abs(
            least_distortion(hamming(5), 1.0).channel - printed(5, hamming_distortion(5, 1.0))
        ).max()
        > 1e-6,
    },
    instead={
        "ten values of δ, k = 7: the formula and k-RR at its ε are one matrix": all(
            np.abs(printed(7, delta) - krr_channel(7, hamming_epsilon(7, delta))).max() < 1e-12
            for delta in np.linspace(0.05, 0.85, 10)
        ),
    },
)

# %% [markdown]
# (sec-dist-differs)=
# ## Where the survey errs
#
# :::{admonition} The length of a compressed report
# :class: warning
# *Printed* (§4.3, Table 7): Compression does not reduce what each user sends, so its communication is high.
# *Right*: a report has $\lceil\log_2 m\rceil$ bits, which is what the rate ρ measures; at small ε one bit loses nothing ({ref}`sec-dist-compression`).
# :::
#
# :::{admonition} The cost of Distortion
# :class: warning
# *Printed* (Table 7): high, because the distortion has to be computed as well; W-RR's is low.
# *Right*: with the loss that the survey gives, Distortion is k-RR with ε by a formula, and at $k = 2$ it is W-RR ({ref}`sec-dist-hamming`).
# For other losses a program has to be solved, once, by the collector.
# :::
#
# Two more things a reader of §4.3 should know.
# The formula for ε belongs to one letter and to $\delta \le \frac{k-1}{k}$; for a tuple of $d$ attributes it is spent $d$ times.
# And the two mechanisms are not an alternative to randomized response: one of them is randomized response, and the other is the name of a search that finds it over bins.
# In our text of the constraint on the expected loss of Compression the expectation is missing and $x'$ stands for $\hat x$; the sentence around it, and the same formula for Distortion, have both right, so this is damage of the text that we read.
#
# (sec-dist-wrong)=
# ## What can go wrong
#
# - *The source was learnt from the same people.*
#   A channel fitted to their true shares is published, and with it something about every one of them that no ε accounts for.
#   Take the source from elsewhere, or from reports that have an ε of their own.
# - *The solver's matrix is taken at its word.*
#   A solver keeps inequalities to some digits, and where a column should be zero it may leave dust.
#   The next cell shows both; `within` repairs them, and `MatrixMechanism` refuses what cannot be private.
# - *Rows that do not sum to one.*
#   Whoever draws from a rounded row has to put the rest somewhere, always in the same report, and with it ε changes.
# - *Low distortion read as a good estimate.*
#   {prf:ref}`thm-dist-shares`.
# - *A channel for one letter used for several.*
#   Each use has its ε.

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
# Up to which ε are two equal bins better than three?
# :::
#
# :::{dropdown} Solution
# {eq}`eq-dist-bins` holds with $V = \frac1{12}$ and $B_m = \frac1{12}\big(1 - \frac1{m^2}\big)$.
# $\lambda_2^2 B_2 > \lambda_3^2 B_3$ is $\big(\frac{e+2}{e+1}\big)^2 > \frac{B_3}{B_2} = \frac{32}{27}$, the same as for the six letters, whose bins have the same ratio: ε = 2.33.
# :::

# %% tags=["hide-input"]
root = sqrt(32 / 27)
print(
    f"ratio of the six letters {between(3) / between(2):.4f}, 32/27 = {32 / 27:.4f}; ε = {log((2 - root) / (root - 1)):.3f}"
)

# %% [markdown]
# :::{admonition} Exercise 3: another loss
# Let the loss be the absolute distance, for the six letters.
# Which points are worth considering, and is one bit enough at ε = 1?
# :::
#
# :::{dropdown} Solution
# A report is best reproduced by a median of the letters that send it, and one of the letters is a median.
# So the six letters will do as points, and for one bit the pairs of them.
# The cell compares the best pair with all six: one bit is enough at 0.5, and nearly so at 1.
# :::

# %% tags=["hide-input"]
for eps in (0.5, 1.0, 2.0, 3.0):
    apart = np.abs(SIX - SIX[:, None])
    pairs = {
        (i, j): least_distortion(apart[:, [i, j]], eps, EVEN).distortion for i in range(6) for j in range(i + 1, 6)
    }
    all_six = least_distortion(apart, eps, EVEN).distortion
    print(f"ε = {eps}: mean distance {min(pairs.values()):.4f} with one bit, {all_six:.4f} with any points")

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-dist-polytope`: a linear program | two formulations; random losses |
# | {prf:ref}`thm-dist-prices`: prices prove the optimum | evaluated for every optimum |
# | {prf:ref}`thm-dist-hamming`, {prf:ref}`thm-dist-known`: k-RR, and which letters to send | proof; programs for eight sources |
# | {prf:ref}`thm-dist-ball`: tuples, a ball | program over 27 tuples; law of MeanEst |
# | {prf:ref}`thm-dist-staircase`: the best points | a program over all staircases; bins attain it |
# | {prf:ref}`thm-dist-shares`: what can be estimated | two populations, one law |
# | {prf:ref}`thm-dist-few`: few reports | counted |
# | least variance of an unbiased report | proof by prices for every real report |
#
# Next: data in which everybody has several keys with values.
