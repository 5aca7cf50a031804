# %% [markdown]
# (ch-distortion)=
# # Rate–distortion ★
#
# *From {cite:t}`sarwate2014distortion` and {cite:t}`xiong2016requantization`; see also the {ref}`dossier of the survey <paper-ye2018>`. A star marks harder mathematics, which you can skip.*
#
# :::{admonition} In one minute
# So far, we judged given clients.
# Now we say what an error costs, and compute the client that costs least.
# If values and reports are few, a client is a table of probabilities.
# Privacy is a list of linear inequalities on this table, and the expected cost is linear.
# So a linear program finds the best client, and proves that it is best.
# But a small error in each report need not give a good estimate of the shares.
# :::
#
# :::{zh}
# 本课先规定误差的代价，再求满足 $\varepsilon$-本地化差分隐私且期望代价最小的客户端。
# 取值与报告有限时，客户端是一个概率矩阵（信道）；隐私是线性不等式，期望代价也是线性的，因此最优信道由线性规划求出，对偶价格则证明没有更好的信道。
# 若错误报告的代价均为 1 且以最坏情形计，最优者就是 k-RR。
# 若源分布已知，有些取值根本不值得上报；若代价为距离的平方，最优信道把取值归并为区间。
# 然而单份报告的误差小，并不意味着总体份额可以估计：无偏估计存在，当且仅当信道矩阵的各行线性无关。
# 若要求每份报告的期望等于真值，线性规划便给出无偏上报一个数的最小方差。
# :::
#
# You need k-RR from {ref}`ch-frequency` and the sign from {ref}`ch-means`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import product
from math import exp, inf, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.optimize import linprog

from ldpnb import MatrixMechanism, epsilon, laws, least_distortion, moments, toss
from ldpnb.oracles import ratio, within
from ldpnb_book import check, datasets, style, table

style()
rng = np.random.default_rng(2014)
EPS = 1.0

# %% [markdown]
# (sec-dist-question)=
# ## What does an error cost?
#
# Half of the people have the value 0, 30 % have 1, and 20 % have 2.
# Each person sends one report, and a wrong one costs 1.
# **Which ε-LDP client is wrong least often?**
#
# In general, there are $k$ values and $r$ reports.
# Write $Q_{xy}$ for the probability of report $y$ from value $x$; the table $Q$ is the *channel*.
# The *loss* $L_{xy}$ is what report $y$ costs for value $x$: 1 if they differ, or the square of their distance.
# If value $x$ has probability $\pi_x$, the expected loss is the *distortion*
#
# $$ \delta = \sum_{x,y} \pi_x\,Q_{xy}\,L_{xy}. $$ (eq-dist-distortion)
#
# The *worst case* is the largest expected loss of any value, $\max_x \sum_y Q_{xy} L_{xy}$.
# Information theory asks for the least distortion at a given *rate*, the length of reports; we fix ε instead.
#
# (sec-dist-two)=
# ## Two values, by hand
#
# Report a 0 as 1 with probability $a$, and a 1 as 0 with probability $b$.
# Privacy is four inequalities:
#
# $$ \begin{aligned} 1-a &\le e^\varepsilon b, & b &\le e^\varepsilon (1-a), \\ 1-b &\le e^\varepsilon a, & a &\le e^\varepsilon (1-b). \end{aligned} $$
#
# They cut out the quadrilateral in {numref}`fig-dist-two`.
# Its corners are four clients: always 0, always 1, randomized response with $a = b = 1/(1+e^\varepsilon)$, and its reverse.
#
# The distortion $\pi_0 a + \pi_1 b$ is linear, so it is least at a corner.
# There are two candidates: randomized response, and always the likelier value.

# %% mystnb={"figure": {"name": "fig-dist-two", "caption": "All channels for two values; those with ε ≤ 1 are shaded. Dashed: lines of equal distortion. Dot: least distortion."}, "image": {"alt": "Two unit squares with the same shaded quadrilateral around the falling diagonal. Dashed lines fall at 45 degrees on the left and steeply on the right. A dot marks the lower left corner of the quadrilateral on the left, and the upper left corner of the square on the right."}}
low = 1 / (1 + exp(EPS))
corners = np.array([[0, 1], [low, low], [1, 0], [1 - low, 1 - low]])
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.4), sharey=True)
for ax, share in zip(axes, (0.5, 0.8), strict=True):
    ax.fill(*corners.T, facecolor="C0", alpha=0.25, edgecolor="C0")
    lost = corners @ [share, 1 - share]
    for level in (lost.min(), 0.4, 0.55, 0.7):
        ends = [level / (1 - share), (level - share) / (1 - share)]
        ax.plot([0, 1], ends, color="C4", linestyle="--", linewidth=1)
    least = corners[lost.argmin()]
    ax.plot(*least, "o", color="C4", clip_on=False, zorder=5)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="a: 0 reported as 1")
    ax.set_title(f"π = ({share:g}, {1 - share:.1g})")
    ax.set_aspect("equal")
axes[0].set_ylabel("b: 1 reported as 0")
plt.show()

# %% [markdown]
# Always 0 costs $\pi_1$, and is best if $\pi_1 < 1/(1+e^\varepsilon)$, that is, $\pi_0 > e^\varepsilon \pi_1$.
#
# In the worst case, randomized response is always best: the inequalities on the left add up to $2-(a+b) \le e^\varepsilon(a+b)$, so $a$ or $b$ is at least $1/(1+e^\varepsilon)$.
#
# (sec-dist-program)=
# ## A linear program
#
# With more values, a computer finds the best corner.
#
# :::{prf:theorem} Privacy is linear
# :label: thm-dist-polytope
# A channel is ε-LDP if and only if there are numbers $u_y$ with
#
# $$ u_y \le Q_{xy} \le e^\varepsilon u_y \qquad\text{for all } x, y. $$ (eq-dist-linear)
#
# :::
#
# :::{prf:proof}
# Given such numbers, $Q_{xy} \le e^\varepsilon u_y \le e^\varepsilon Q_{x'y}$ for any two values $x, x'$.
# Conversely, take $u_y = \min_x Q_{xy}$.
# :::
#
# So we minimise {eq}`eq-dist-distortion`, which is linear in $Q$, under {eq}`eq-dist-linear`, with rows of $Q$ that sum to 1.
# For the worst case, minimise a number that is at least the expected loss of each value.


# %%
def wrong(k):
    """Loss 1 for every wrong report."""
    return 1 - np.eye(k)


def program(loss, eps, pi):
    """The best channel, and the prices of its rows."""
    k, r = loss.shape
    entry, u = np.eye(k * r), np.tile(np.eye(r), (k, 1))
    private = np.block([[-entry, u], [entry, -exp(eps) * u]])
    rows = np.kron(np.eye(k), np.ones(r))
    rows = np.hstack([rows, np.zeros((k, r))])  # each sums to 1
    cost = np.append(pi[:, None] * loss, np.zeros(r))
    zeros = np.zeros(len(private))
    found = linprog(cost, private, zeros, rows, np.ones(k))
    return found.x[: k * r].reshape(k, r), found.eqlin.marginals


three = np.array([0.5, 0.3, 0.2])
best, prices = program(wrong(3), EPS, three)
print(best.clip(0).round(3))
print(f"wrong: {three @ (best * wrong(3)).sum(1):.4f}")

# %% [markdown]
#
# (sec-dist-prices)=
# ## Prices prove the optimum
#
# The solver also returns a *price* $\lambda_x$ for each row: if the sum of the row grows slightly, the optimum grows $\lambda_x$ times as much.
#
# :::{prf:theorem} A bound from prices
# :label: thm-dist-prices
# Take any numbers $\lambda_x$.
# Let $g_{xy} = \pi_x L_{xy} - \lambda_x$, and split it into its positive and negative parts, $g = g^+ - g^-$.
# Every ε-LDP channel has
#
# $$ \delta \ge \sum_x \lambda_x + \min\big(0,\, \min_y G_y\big), \qquad G_y = \sum_x \big(g^+_{xy} - e^\varepsilon g^-_{xy}\big). $$
#
# :::
#
# :::{prf:proof}
# 1. *Prices.*
#    Rows sum to 1, so $\sum_{x,y} Q_{xy} \lambda_x = \sum_x \lambda_x$.
#    Add and subtract this in {eq}`eq-dist-distortion`: $\delta = \sum_x \lambda_x + \sum_{x,y} Q_{xy}\,g_{xy}$.
# 2. *Privacy.*
#    By {eq}`eq-dist-linear`, $Q_{xy}\,g_{xy} \ge u_y g^+_{xy} - e^\varepsilon u_y g^-_{xy}$.
#    Summed over $x$ and $y$, this gives $\sum_{x,y} Q_{xy}\,g_{xy} \ge \sum_y u_y G_y$.
# 3. *Minimum.*
#    The $u_y$ are not negative, and sum to at most 1, because the entries of a row do.
#    So $\sum_y u_y G_y \ge \min(0, \min_y G_y)$.
# :::


# %%
def at_least(loss, eps, pi, prices):
    """No ε-LDP channel has a smaller distortion."""
    g = pi[:, None] * loss - prices[:, None]
    G = np.where(g > 0, g, exp(eps) * g).sum(0)
    return prices.sum() + min(0, G.min())


print(f"at least {at_least(wrong(3), EPS, three, prices):.4f}")

# %% [markdown]
# Our channel attains the bound, so none is better.
# The package's `least_distortion` also corrects the solver's rounding, so ε is never above what you ask for.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: program, prices and package agree"}
def tried():
    made = np.random.default_rng(14)
    for k, r, eps in ((2, 3, 0.3), (3, 3, 1.0), (4, 3, 2.0), (5, 2, 0.7), (4, 6, 3.0)):
        yield made.uniform(0, 1, (k, r)), eps, made.dirichlet(np.ones(k))


def disagree(less=0.0):
    """How far the program, solved at a smaller ε, is from the bound and from the package at ε."""
    for loss, eps, pi in tried():
        channel, found = program(loss, eps - less, pi)
        value, package = pi @ (channel * loss).sum(1), least_distortion(loss, eps, pi)
        yield (
            abs(value - at_least(loss, eps, pi, found)),
            abs(value - package.distortion),
            package.distortion - package.bound,
            max(package.mechanism().epsilon - eps, 0),
        )


close, far = np.max([*disagree()]) < 1e-8, np.max([*disagree(0.01)], axis=0)[:2].min() > 1e-4
says = "five random losses: the program meets the bound, the package agrees and keeps ε"
check("Program", says, close, control="the program at ε − 0.01", caught=far)

# %% [markdown]
# (sec-dist-hamming)=
# ## Loss 1 for wrong reports: k-RR
#
# k-RR is wrong with probability $(k-1)/(e^\varepsilon+k-1)$, whatever the value.
#
# :::{prf:theorem} k-RR is wrong least often
# :label: thm-dist-hamming
# Both for equally likely values and in the worst case, every ε-LDP channel is wrong with probability at least $(k-1)/(e^\varepsilon+k-1)$.
# :::
#
# :::{prf:proof}
# The largest loss is at least the average, so take equally likely values.
# Then $1-\delta = \frac1k \sum_y Q_{yy}$; call the sum $T$.
# For each of the $k-1$ other values $x$, privacy requires $Q_{yy} \le e^\varepsilon Q_{xy}$.
# Sum over $x$, and then over $y$; the entries of these $k$ columns sum to at most $k$:
#
# $$ (k-1)\,T \le e^\varepsilon\,(k-T), \qquad\text{so}\qquad T \le \frac{k\,e^\varepsilon}{e^\varepsilon+k-1}. $$
#
# :::
#
# So an error probability δ needs the budget of k-RR, $\varepsilon = \ln(k-1) + \ln\frac{1-\delta}{\delta}$.
#
# If $\pi$ is known and uneven, we can do better.
# Sort the values so that $\pi_0 \ge \pi_1 \ge \dots$, and let $W_t = \pi_0 + \dots + \pi_{t-1}$.
#
# :::{prf:theorem} Which values are worth a report
# :label: thm-dist-known
# For known $\pi$, the least probability of a wrong report is
#
# $$ \delta = 1 - \max_{1 \le t \le k} \frac{e^\varepsilon\,W_t}{e^\varepsilon+t-1}. $$
#
# k-RR over the $t$ likeliest values attains it if people with any other value draw one of these $t$ uniformly; other channels may attain it, too.
# :::
#
# This client is right with probability $e^\varepsilon/(e^\varepsilon+t-1)$ for the $t$ likeliest values, and never for the others.
#
# :::{dropdown} Proof that nothing is better
# Let $F$ be the maximum, $\varepsilon > 0$, and $U$ the sum of $u_y$ over the $k$ values $y$.
# An entry $Q_{yy}$ is at most $e^\varepsilon u_y$, and at most $1-(U-u_y)$, because the rest of its row is at least $U-u_y$.
# So
#
# $$ Q_{yy} \le u_y + \min\big((e^\varepsilon-1)\,u_y,\; 1-U\big). $$
#
# Let $A_s$ be the set of values with $(e^\varepsilon-1)\,u_y > s$, and $t_s$ their number.
# The numbers $s \ge 0$ with $y$ in $A_s$ form an interval of length $(e^\varepsilon-1)\,u_y$.
# The minimum above is the length of its part below $1-U$.
# So, summing $\pi_y Q_{yy}$ over $y$,
#
# $$ \sum_y \pi_y Q_{yy} \le \int_0^{1-U} \frac{e^\varepsilon}{e^\varepsilon-1}\,\pi(A_s)\,ds + \int_{1-U}^\infty \frac{\pi(A_s)}{e^\varepsilon-1}\,ds. $$
#
# In the first integral, use $\pi(A_s) \le W_{t_s} \le F\,(e^\varepsilon-1+t_s)/e^\varepsilon$, by definition of $F$; in the second, $\pi(A_s) \le t_s \pi_0 \le t_s F$:
#
# $$ \sum_y \pi_y Q_{yy} \le F\,\Big(1-U + \int_0^\infty \frac{t_s}{e^\varepsilon-1}\,ds\Big) = F\,(1-U+U) = F. $$
#
# :::
#


# %%
def known_error(pi, eps):
    """Least probability of a wrong report, and the best t."""
    W = np.cumsum(np.sort(pi)[::-1])
    right = exp(eps) * W / (exp(eps) + np.arange(len(pi)))
    return 1 - right.max(), right.argmax() + 1


for eps in (0.5, 1.0, 2.0):
    error, t = known_error(three, eps)
    print(f"ε = {eps}: wrong {error:.3f}, {t} of 3 values sent")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: both theorems against the program"}
def krr_channel(k, eps):
    return np.where(np.eye(k) == 1, exp(eps), 1.0) / (exp(eps) + k - 1)


skewed = [np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.7, 0.1, 0.1, 0.1])]
some = [*skewed, *(np.random.default_rng(i).dirichlet(np.full(k, 0.7)) for i, k in enumerate((2, 3, 4, 5, 6, 6)))]


def off(theory):
    """Largest distance of the program's least error from a theory: eight π, four ε."""
    return max(
        abs(least_distortion(wrong(len(pi)), eps, pi).distortion - theory(pi, eps))
        for pi in some
        for eps in (0.3, 1.0, 2.0, 4.0)
    )


found = off(lambda pi, eps: known_error(pi, eps)[0]) < 1e-9
caught = off(lambda pi, eps: (len(pi) - 1) / (exp(eps) + len(pi) - 1)) > 0.1
says = "eight π, four ε: the program finds the theorem's least error"
check("Known values", says, found, control="k-RR over all values", caught=caught)


def is_krr(more=0.0):
    """Whether the program, asked for ε and this much more, finds k-RR at ε."""
    cases = [(k, eps, pi) for k in (2, 3, 5) for eps in (0.5, 2.0) for pi in (None, np.full(k, 1 / k))]
    found = [least_distortion(wrong(k), eps + more, pi).channel for k, eps, pi in cases]
    return [np.abs(one - krr_channel(k, eps)).max() < 1e-6 for one, (k, eps, _) in zip(found, cases, strict=True)]


says = "k = 2, 3, 5, two ε: the program finds k-RR, for equally likely values and in the worst case"
check("k-RR", says, all(is_krr()), control="asked for ε + 0.1", caught=not any(is_krr(0.1)))

# %% [markdown]
# (sec-dist-compression)=
# ## Squared distance: fewer reports than values
#
# Take the ages of {ref}`ch-means`, in six classes coded 17.5 to 42.
# Let a report be any half year in this range, and the loss the squared distance.
# Of these 50 reports, the program uses two at $\varepsilon = 1$.

# %%
ages = datasets.fair()["age"]
AGES, held = np.unique(ages, return_counts=True)
shares = held / held.sum()
POINTS = np.arange(17.5, 42.01, 0.5)
years = np.square(POINTS - AGES[:, None])
channel, _ = program(years, EPS, shares)
sent = channel.max(0) > 1e-9
columns = {"age": AGES, "share": shares.round(3)}
for point, column in zip(POINTS[sent], channel.T[sent], strict=True):
    columns[f"says {point}"] = column.round(3)
table(pd.DataFrame(columns))

# %% [markdown]
# The best channel puts the ages into two bins, young and old, and sends the bin by randomized response.
#
# If the bins are equally likely (these are not), the loss has a formula.
# k-RR over $r$ bins sends the true bin with probability
#
# $$ \frac{e^\varepsilon}{e^\varepsilon+r-1} = \omega + \frac{1-\omega}r, \qquad \omega = \frac{e^\varepsilon-1}{e^\varepsilon+r-1}. $$
#
# So it sends the true bin *on purpose* with probability ω, and otherwise a random bin.
# The mean value of the people who report a bin is ω times the mean of the bin plus $1-\omega$ times the mean of all.
# Reports at these points have the least squared loss: the variance $V$ of the values, less the variance of the points.
# With the variance $B$ of the bin means,
#
# $$ \delta = V - \omega^2 B. $$ (eq-dist-bins)
#
# For six equally spaced, equally likely values, three equal bins beat two from $\varepsilon = 2.33$ on.
#
# For squared distances, some best channel has at most $k$ reports, and its column $y$ contains only $u_y$ and $e^\varepsilon u_y$ {cite:p}`kairouz2016extremal`.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: bins against the best of all channels"}
SIX, EVEN = np.linspace(0, 1, 6), np.full(6, 1 / 6)


def bins(r, eps):
    """Loss of r equal bins of the six values."""
    omega = (exp(eps) - 1) / (exp(eps) + r - 1)
    return SIX.var() - omega**2 * SIX.reshape(r, -1).mean(1).var()


def staircase(values, pi, eps):
    """Least squared distortion over all columns of ones and e^ε; each report stands for the mean of who sends it."""
    columns = np.array([np.where(s, exp(eps), 1.0) for s in product((0, 1), repeat=len(pi)) if any(s)])
    explained = ((columns * pi) @ values) ** 2 / (columns @ pi)
    return pi @ values**2 + linprog(-explained, A_eq=columns.T, b_eq=np.ones(len(pi))).fun


def two_bins(*budgets):
    return all(abs(bins(2, eps) - staircase(SIX, EVEN, eps)) < 1e-9 for eps in budgets)


check(
    "Bins",
    "six equally spaced values: no channel beats two bins at ε = 0.5, 1, 2, 2.3; three equal bins do from 2.33 on",
    two_bins(0.5, 1.0, 2.0, 2.3) and bins(2, 2.32) < bins(3, 2.32) and bins(2, 2.34) > bins(3, 2.34),
    control="ε = 2.35",
    caught=not two_bins(2.35),
)

# %% [markdown]
# (sec-dist-client)=
# ## The channel as a client
#
# To use a channel, a client draws a report from the row of its value.


# %%
def send(x, Q, rng):
    """A report from row x."""
    left = 1.0
    for y, q in enumerate(Q[x][:-1]):
        if q and toss(min(1.0, q / left), rng):
            return y
        left -= q
    return len(Q[x]) - 1


# %% [markdown]
# (sec-dist-shares)=
# ## Can the server estimate shares?
#
# The server wants the shares $f_x$ of the ages.
# The expected share of report $y$ is $\sum_x f_x Q_{xy}$.
# If a matrix $R$ undoes $Q$, that is $QR = I$, then $\hat f = (\text{shares of the reports})\,R$ is unbiased.
# Row $y$ of $R$ is the score of report $y$; `pinv` finds $R$.


# %%
def estimate(reports, Q):
    """Shares of the values, and their standard errors."""
    scores = np.linalg.pinv(Q)[reports]
    return scores.mean(0), scores.std(0) / sqrt(len(reports))


krr = np.where(np.eye(6) == 1, exp(EPS), 1) / (exp(EPS) + 5)
people = np.searchsorted(AGES, ages).tolist()
CHANNELS = {"k-RR": krr, "least distortion": channel[:, sent]}
columns = {"age": AGES, "truth": shares.round(3)}
for name, Q in CHANNELS.items():
    estimates = estimate([send(x, Q, rng) for x in people], Q)
    pairs = zip(*estimates, strict=True)
    columns[name] = [f"{f:.3f} ± {error:.3f}" for f, error in pairs]
table(pd.DataFrame(columns))

# %% [markdown]
# k-RR estimates the shares; the channel with the least distortion does not, although both have $\varepsilon = 1$.
#
# :::{prf:theorem} When shares can be estimated
# :label: thm-dist-shares
# From the reports of $n$ people, an estimate that is unbiased for every population exists if and only if the $k$ rows of $Q$ are linearly independent.
# :::
#
# :::{prf:proof}
# If they are independent, $R$ exists.
# If not, there are numbers $h_x$, not all 0, with $\sum_x h_x Q_{xy} = 0$ for all $y$.
# Sum over $y$: $\sum_x h_x = 0$.
# Fix the values of all people but one.
# Let $\mu_x$ be the expected estimate of the share of a value $v$ if this person has $x$.
# It is linear in row $x$ of $Q$, so $\sum_x h_x \mu_x = 0$.
# If the estimate is unbiased, $\mu_x$ is a constant, due to the others, plus $1/n$ for $x = v$.
# Then $\sum_x h_x \mu_x = h_v/n$, so $h_v = 0$ for all $v$, a contradiction.
# :::
#
# With two reports for six ages, the rows are dependent, and more people do not help.
# {ref}`ch-limit` gives the best channels for shares.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the client's law and ε, unbiased scores, and two populations with one law"}
def spent(Q):
    return epsilon(laws(lambda x, rng: send(x, Q, rng), range(len(Q))))


def bias(Q):
    """Largest bias of the scores, from the client's law."""
    scores = np.linalg.pinv(Q)
    mean = moments(lambda x, rng: send(x, Q, rng), range(len(Q)), score=lambda y: scores[y])[0]
    return np.abs(mean - np.eye(len(Q))).max()


exact, caught = abs(spent(krr) - EPS) < 1e-9 and bias(krr) < 1e-9, bias(channel[:, sent]) > 0.1
says = "k-RR as a channel: exactly ε, scores unbiased for six ages"
check("Client", says, exact, control="the channel with two reports", caught=caught)
other = shares + 0.1 * np.array([0, -1, 1, 0, 0, 0])  # one in ten people five years older
same, caught = np.abs((other - shares) @ channel).max() < 1e-9, np.abs((other - shares) @ krr).max() > 1e-3
says = "another population has the same law of reports through the channel with two reports"
check("Shares", says, same, control="through k-RR", caught=caught)

# %% [markdown]
# (sec-dist-variance)=
# ## The best unbiased report of a number
#
# With one more condition, the best channel also allows estimates.
# Let a person's number $x$ lie in $[-1, 1]$, and let the report $y$ be a number that is right on average:
#
# $$ \sum_y Q_{xy}\,y = x \qquad\text{for each } x. $$
#
# With the loss $(y-x)^2$, the distortion is the variance of a report.
# We take 21 equally spaced numbers, and 121 reports from $-1.5\,c$ to $1.5\,c$.
# If no report lay beyond the sign's scores $\pm c$, an unbiased client could only send $\pm c$ ({prf:ref}`thm-means-second`), and would be the sign.
# A range wider than $\pm1.5\,c$ does not lower the least variances.
# `unbiased=(x, y)` adds these linear equations; without π, the program minimises the worst case.

# %%
rows = []
x = np.linspace(-1, 1, 21)
for eps in (0.5, 1.0, 2.0, 4.0):
    c = (exp(eps) + 1) / (exp(eps) - 1)
    y = 1.5 * c * np.linspace(-1, 1, 121)
    squared = np.square(y - x[:, None])
    best = least_distortion(squared, eps, unbiased=(x, y))
    rows.append([eps, round(best.distortion, 3), round(c**2, 3)])
table(pd.DataFrame(rows, columns=["ε", "least variance", "sign"]))

# %% [markdown]
# The sign of {ref}`ch-means` is nearly best at $\varepsilon = 0.5$; at 2, it has about twice the least variance.
# {numref}`fig-dist-stairs` shows the best channel for equally likely numbers.

# %% mystnb={"figure": {"name": "fig-dist-stairs", "caption": "The best unbiased channel for 21 equally likely numbers at ε = 2. Columns: the reports sent, not equally spaced. Blue: e^ε times as likely as the white cells of the column."}, "image": {"alt": "A grid of 21 rows and 41 columns with a blue band with stepped edges, from the lower left to the upper right corner; the band is widest in the middle."}}
c = (exp(2) + 1) / (exp(2) - 1)
y = 1.5 * c * np.linspace(-1, 1, 121)
squared = np.square(y - x[:, None])
equal = np.full(21, 1 / 21)
found = least_distortion(squared, 2.0, equal, unbiased=(x, y))
used = found.channel.max(0) > 1e-9
Q = found.channel[:, used]


def signed(numbers):
    return [f"{a:.1f}".replace("-", "−") for a in numbers]


stairs = pd.DataFrame(Q / Q.min(0) > 2, signed(x), signed(y[used]))
fig, ax = plt.subplots(figsize=(6.4, 3.6))
look = {"cbar": False, "linewidths": 0.3, "linecolor": "0.8"}
look |= {"xticklabels": 4, "yticklabels": 5}
sns.heatmap(stairs[::-1], cmap=["white", "C0"], ax=ax, **look)
ax.set(xlabel="report", ylabel="number")
plt.show()

# %% [markdown]
# Each number favours a window of reports that slides with it, as in {ref}`ch-means`.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: two entries in each column, windows that slide; unbiased, at the ε asked"}
def windows(channel):
    """Whether a column has two entries in the ratio e^ε, and rows favour windows that slide."""
    high = channel / channel.min(0)
    ends = np.array([np.flatnonzero(row > 2)[[0, -1]] for row in high])
    full = (high > 2).sum(1) == ends[:, 1] - ends[:, 0] + 1
    two = np.minimum(np.abs(high - 1), np.abs(high - exp(2))).max() < 1e-4
    return bool(two and full.all() and (np.diff(ends, axis=0) >= 0).all())


sloppy = least_distortion(squared, 2.0, unbiased=(x, y)).channel
check(
    "Windows",
    "two entries in each column, sliding windows; unbiased and ε ≤ 2",
    windows(Q) and found.bias < 1e-6 and found.mechanism().epsilon <= 2,
    control="a best channel for the worst case",
    caught=not windows(sloppy[:, sloppy.max(0) > 1e-9]),
)

# %% [markdown]
# (sec-dist-wrong)=
# ## What can go wrong
#
# - *You take $\pi$ from the same people.*
#   The public channel reveals something about them that no ε covers; our ages were only an example.
# - *You use a solver's table as it is.*
#   Solvers keep inequalities only to some digits, and leave *dust*, tiny entries, where a column should be 0.
#   `within` moves the entries inside the limits.

# %%
dusty = np.array([[0.731, 0.269, 1e-17], [0.269, 0.731, 0.0]])
rounded = np.array([[0.8808, 0.1192], [0.1192, 0.8808]])
for name, Q in {"dust": dusty, "four digits": rounded}.items():
    worst = ratio(Q)
    print(f"{name}: ε = {inf if worst is None else log(worst):.5f}")
repaired = MatrixMechanism(channel=within(rounded, 2.0))
print(f"repaired for ε = 2: {repaired.epsilon <= 2}")

# %% [markdown]
# (sec-dist-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 7 minutes)
# Twenty values have probabilities proportional to $1, \frac12, \dots, \frac1{20}$.
# From which ε on is it best to send at least two of them, and from which ε on all?
# (You need no total, as it cancels; $1 + \dots + \frac1{19} = 3.548$.)
# :::
#
# :::{dropdown} Solution
# By {prf:ref}`thm-dist-known`, $t+1$ values beat $t$ if
#
# $$ \frac{W_t + \pi_t}{e^\varepsilon + t} > \frac{W_t}{e^\varepsilon+t-1}, \qquad\text{that is}\qquad e^\varepsilon > \frac{W_t}{\pi_t} - (t-1). $$
#
# This threshold rises with $t$, so comparing with the next value is enough.
# Two values: $e^\varepsilon > 2$, so $\varepsilon > 0.69$.
# Twenty: $e^\varepsilon > 3.548 \cdot 20 - 18 = 52.96$, so $\varepsilon > 3.97$.
# :::
#
# :::{admonition} Exercise 2 (code, 8 minutes)
# Let the loss for our three values be the distance $|x-y|$.
# Find the best channels at $\varepsilon = 1$ and $\varepsilon = 2$.
# Write client and estimator for both, and try them on 2,000 people.
# At which budget can the shares be estimated?
# :::
#
# :::{dropdown} Solution
# At $\varepsilon = 1$ the best channel sends only two reports, so its three rows are dependent, and no estimator works.
# At $\varepsilon = 2$ the best channel is k-RR, with a standard error of about 0.015 for each share.
# :::

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
distance = np.abs(np.subtract.outer(range(3), range(3)))
for eps in (1.0, 2.0):
    Q = program(distance, eps, three)[0].clip(0)
    told = [send(int(v), Q, rng) for v in rng.choice(3, 2000, p=three)]
    pairs = zip(*estimate(told, Q), strict=True)
    shown = [f"{a:.3f} ± {b:.3f}".replace("-", "−") for a, b in pairs]
    print(f"ε = {eps}, rank {np.linalg.matrix_rank(Q, tol=1e-6)}:", *shown)

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# Two reports stand for *points* that you may choose.
# For given points the search is a linear program, so the channel halfway between two best ones is also best.
# Why does this fail if the points are free?
# :::
#
# :::{dropdown} Solution
# Exchange the two points of a best solution, together with their columns: the result is equally good.
# Halfway between the two solutions, both points and both columns are equal, so a report carries no information.
# :::
#
# ## Summary
#
# - A client with finitely many values and reports is a table.
# - A linear program finds the best one, and its prices prove the optimum.
# - If every wrong report costs 1, k-RR is best in the worst case; for a known $\pi$, rare values may not be worth a report.
# - For squared distances, the best clients of our examples sort values into bins.
# - Shares can be estimated without bias if and only if the rows are independent.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $\pi$ | distribution of items or values, where a whole distribution is modelled |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $r$ | number of different reports, or of bins (here only) |
# | $Q_{xy}$ | probability of report $y$ from value $x$: the channel (here only) |
# | $L_{xy}$ | loss: what report $y$ costs for value $x$ (here only) |
# | $\delta$ | distortion: the expected loss (here only) |
# | $u_y$ | smallest entry of column $y$ (here only) |
# | $\lambda_x$ | price of row $x$ (here only) |
# | $G_y$ | what column $y$ adds to a lower bound (here only) |
# | $t$ | number of likeliest values (here only) |
# | $W_t$ | probability of these $t$ values (here only) |
# | $R$ | inverse of the channel: scores of reports (here only) |
# | $\omega$ | probability that a bin is sent on purpose (here only) |
# | $V$ | variance of the values (here only) |
# | $B$ | variance of the bin means (here only) |
#
# Next, {ref}`ch-ranges` estimates the whole distribution of a number.
