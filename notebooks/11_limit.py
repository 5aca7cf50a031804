# %% [markdown]
# (ch-limit)=
# # The limit ★
#
# *From {cite:t}`kairouz2016extremal`, {cite:t}`ye2019optimal` and {cite:t}`park2023block`; no later lesson needs it.*
#
# :::{admonition} In one minute
# How precise can a private survey be?
# Behind every report of every private client stands a set of items.
# For a yes-or-no question, this means that randomized response is the best.
# For more items, only the sizes of the sets matter, and one size is best.
# The k-Subset oracle of this size reaches the limit, with long reports.
# Block designs reach it with short ones, such as one of seven lines through seven points.
# :::
#
# :::{zh}
# 本课讨论 ε-本地化差分隐私下频率预言机的精度极限，以及哪些机制能达到它。
# 任何客户端的报告背后都有一个随机抽取的项的集合，客户端只是略去了部分信息。
# 对是非题，由此可知任何客户端都等于随机响应再加后处理，因此没有更好的无偏估计。
# 对 $k$ 个项，极限由集合的大小决定，最优大小约为 $k/(e^\varepsilon+1)$。
# k-RR、一元编码、理想的本地哈希与 k-Subset 都是大小随机的 k-Subset；Hadamard 响应和区组设计则不是。
# 取最优大小的 k-Subset 达到极限，但报告较长；区组为最优大小的区组设计同样达到极限，报告只是一个编号。
# 最小的例子是法诺平面：七个点、七条线，报告是一条线，$\varepsilon \le 0.602$ 时恰好达到极限。
# :::
#
# You need the oracles of {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, exp, log2

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import GRR, OLH, OUE, BlockDesign, HadamardResponse, laws, pick, prove, toss
from ldpnb.book import check, label_lines, style, table, theory
from ldpnb.chance import odds

style()
rng = np.random.default_rng(2305)

# %% [markdown]
# (sec-limit-question)=
# ## Seven weekdays
#
# On which weekday do employees call in sick without being ill?
# Each answer is one of $k = 7$ *items*, and a secret.

# %%
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
PI = np.array([0.29, 0.08, 0.06, 0.10, 0.27, 0.12, 0.08])

# %% [markdown]
# In this lesson, people are a random sample: each item is drawn from the distribution (law) $\pi$.
# The *risk* of an estimate $\hat\pi$ is one number for all items together:
#
# $$ n\,\E \sum_x (\hat\pi_x - \pi_x)^2. $$
#
# **How small can the risk of an ε-LDP oracle be, and which oracles reach this limit?**
#
# (sec-limit-sets)=
# ## A set behind every report
#
# We call a client *two-valued* if each report $y$ has a set $B$ of items and a weight $\lambda$, with
#
# $$ \Pr[y \mid x] = \begin{cases} \lambda\,e^\varepsilon & \text{for } x \text{ in } B, \\ \lambda & \text{for all other } x. \end{cases} $$ (eq-limit-two)
#
# k-RR, OUE, OLH and k-Subset are two-valued: $B$ is the set of items that the report supports.
# All other clients come from two-valued ones.
#
# :::{prf:theorem} A set behind every report
# :label: thm-limit-sets
# Every ε-LDP client with finitely many reports is a two-valued client that leaves out a part of its report.
# :::
#
# :::{prf:proof}
# Take one report $y$, and write $a(x) = \Pr[y \mid x]$.
# Let $a_0 < a_1 < \dots < a_r$ be the values of $a$.
# We split $y$ into reports $(y, B_0), \dots, (y, B_r)$ with weights $\lambda_0, \dots, \lambda_r$, where $B_0$ is empty and
#
# $$ \begin{aligned} B_u &= \{x : a(x) \ge a_u\}, \quad \lambda_u = \frac{a_u - a_{u-1}}{e^\varepsilon - 1} \quad (u \ge 1), \\ \lambda_0 &= a_0 - \sum_{u \ge 1} \lambda_u = a_0 - \frac{a_r - a_0}{e^\varepsilon - 1} = \frac{a_0\,e^\varepsilon - a_r}{e^\varepsilon - 1}. \end{aligned} $$
#
# Privacy says that $a_r \le a_0\,e^\varepsilon$, so $\lambda_0 \ge 0$.
# By {eq}`eq-limit-two`, the parts of $y$ add up to
#
# $$ \sum_{u \ge 0} \lambda_u + (e^\varepsilon-1) \sum_{u \ge 1:\; a_u \le a(x)} \lambda_u = a_0 + \big(a(x) - a_0\big) = a(x). $$
#
# So leaving out $B_u$ gives the client back.
# :::
#
# {cite:t}`kairouz2016extremal` call two-valued clients *staircase mechanisms*, and show that they are best for many purposes.
#
# For example, let a client report the true weekday with weight 4, its neighbours with weight 2, and other days with weight 1.
# This client is $\ln 4$-LDP, and these sets stand behind its report Wed:


# %%
def behind(column, e):
    """The sets behind a report, with their weights; e is e^ε."""
    levels = sorted(set(column))
    sets = {}
    for low, high in pairwise(levels):
        B = tuple(x for x, a in enumerate(column) if a >= high)
        sets[B] = (high - low) / (e - 1)
    return {(): levels[0] - sum(sets.values()), **sets}


wed = [Fraction(weight, 12) for weight in (1, 2, 4, 2, 1, 1, 1)]
for B, weight in behind(wed, 4).items():
    print(f"λ = {str(weight):<5} {[DAYS[x] for x in B]}")

# %% [markdown]
#
# (sec-rr-best)=
# ## Nothing better for one yes or no
#
# Let the values be 0 and 1.
# Randomized response keeps the value with probability $p = e^\varepsilon/(e^\varepsilon+1)$.
#
# :::{prf:theorem} All ε-LDP clients for two values
# :label: thm-rr-best
# A client for two values is ε-LDP if and only if its report has the law of a random function of the reply of randomized response at ε.
# :::
#
# What is done to a reply alone does not raise ε.
# Conversely, the sets of {prf:ref}`thm-limit-sets` are here $\{0\}$, $\{1\}$ and the empty set.
# Let their total weights be $\Lambda_0$, $\Lambda_1$ and $\Lambda$.
# For either value, the probabilities sum to 1:
#
# $$ \Lambda_0\,e^\varepsilon + \Lambda_1 + \Lambda = 1 = \Lambda_0 + \Lambda_1\,e^\varepsilon + \Lambda, \qquad\text{so}\qquad \Lambda_0 = \Lambda_1. $$
#
# With probability $\Lambda$, the set is empty, whatever the value.
# Otherwise it is the reply of randomized response: it holds the value with probability $p$.
# The rest of the report depends on the set alone.
#
# Half of the time, OUE for two items sends the reply of randomized response, as 1 0 or 0 1.
# Otherwise it sends 0 0 or 1 1, which say nothing.
#
# :::{prf:corollary} The limit for yes or no
# :label: cor-rr-limit
# Estimate the share of yes from one ε-LDP report per person.
# An estimate that is unbiased for each population of $n$ people has at least the variance of randomized response, $\dfrac{e^\varepsilon}{n\,(e^\varepsilon-1)^2}$.
# :::
#
# :::{prf:proof}
# Draw the reports from the replies of randomized response, and average the estimate over this step.
# This keeps it unbiased, and does not raise its variance.
# Now it is a function $T$ of the replies $y_1, \dots, y_n$.
# It satisfies a linear equation for each of the $2^n$ populations $x_1, \dots, x_n$:
#
# $$ \sum_{y_1, \dots, y_n} T(y_1, \dots, y_n) \prod_{i=1}^n \Pr[y_i \mid x_i] = \frac{x_1 + \dots + x_n}{n}. $$
#
# The matrix of these $2^n$ equations is the Kronecker product of $n$ invertible matrices $\big(\begin{smallmatrix} p & 1-p \\ 1-p & p\end{smallmatrix}\big)$.
# So it is invertible, and there is only one solution: the usual estimate.
# :::

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: sets behind random reports; the only unbiased estimate"}
some = [rng.integers(4, 17, 7) / 16 for _ in range(200)]
sums = [sum(w * (np.isin(range(7), B) * 3 + 1) for B, w in behind(a, 4).items()) for a in some]
check(
    "Sets",
    "200 random reports: weights at least 0, the same probabilities",
    np.allclose(sums, some) and min(min(behind(a, 4).values()) for a in some) >= -1e-12,
    control="sets for e^ε = 3",
    caught=min(min(behind(a, 3).values()) for a in some) < -1e-3,
)
p = exp(1) / (1 + exp(1))
one, patterns = np.array([[p, 1 - p], [1 - p, p]]), np.array(list(product((0, 1), repeat=3)))
only = np.linalg.solve(np.kron(np.kron(one, one), one), patterns.mean(1))
usual = (patterns.mean(1) - (1 - p)) / (2 * p - 1)
check(
    "Uniqueness",
    "three people: the only unbiased estimate",
    np.abs(only - usual).max() < 1e-12,
    control="the clipped estimate",
    caught=np.abs(only - np.clip(usual, 0, 1)).max() > 0.1,
)

# %% [markdown]
# (sec-freq-one)=
# ## Four oracles, one family
#
# :::{prf:theorem} Four oracles are k-Subset of a random size
# :label: thm-one-oracle
# Let $B$ be the set that a report supports, and $b$ its size.
# For k-RR, unary encoding with $p > q$, local hashing by a hash drawn from all functions, and k-Subset:
# the law of $b$ does not depend on the person's item.
# Given $b$, with $0 < b < k$, the set is drawn as k-Subset of size $b$ draws it.
# :::
#
# It is enough that the total weight of a set in {eq}`eq-limit-two` depends only on its size, $\lambda = \lambda_b$.
# Then sets of one size differ only in whether they hold the item, as in k-Subset, and for every $x$
#
# $$ \Pr[b \mid x] = \lambda_b \Big( \tbinom{k-1}{b-1}\,e^\varepsilon + \tbinom{k-1}{b} \Big). $$
#
# The weights are
#
# $$ \begin{aligned} \text{k-RR:} \quad \lambda_1 &= \tfrac{1}{e^\varepsilon+k-1}, \\ \text{unary encoding:} \quad \lambda_b &= (1-p)\,q^b\,(1-q)^{k-b-1}, \\ \text{hashing to } g \text{ slots:} \quad \lambda_b &= g\,\big(\tfrac1g\big)^b \big(1-\tfrac1g\big)^{k-b}\,\tfrac{1}{e^\varepsilon+g-1}. \end{aligned} $$
#
# In unary encoding, a set with the person's item has $p(1-q)/\big((1-p)\,q\big) = e^\varepsilon$ times this probability.
# In hashing, exactly the items of $B$ are in the slot that is sent.
# In k-Subset, all sets have one weight.
# So the oracles differ only in the law of a size.
#
# Hadamard response and block designs are not of this form: they use only some of the sets of one size.
# But every client can be made symmetric: let each person first number the items anew, by a public random permutation.
# Then its sets are those of k-Subset of a random size.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the laws of sets of two oracles"}
def symmetric(sends):
    """Whether the law of a set of items below 4 depends only on its size, and on whether it holds the item."""
    found = laws(lambda x, rng: frozenset(sends(x, rng)), range(4))
    kinds = {}
    for x, B in product(range(4), {*found[0]}):
        kinds.setdefault((len(B), x in B), set()).add(round(float(found[x].get(B, 0)), 12))
    return all(len(values) == 1 for values in kinds.values())


def hashed(x, rng):
    slots = [pick((0, 1, 2), rng) for _ in range(4)]
    sent = slots[x] if toss(0.6, rng) else pick([s for s in (0, 1, 2) if s != slots[x]], rng)
    return [v for v in range(4) if slots[v] == sent]


check(
    "Theorem",
    "unary encoding and ideal hashing: sets of one size are alike",
    symmetric(hashed) and symmetric(lambda x, rng: [v for v in range(4) if toss(0.5 if v == x else 0.25, rng)]),
    control="k-RR that sends the next item along",
    caught=not symmetric(lambda x, rng: [y := (x + toss(0.4, rng)) % 4, (y + 1) % 4]),
)

# %% [markdown]
# (sec-freq-limit)=
# ## The limit
#
# :::{prf:theorem} Risk of sets of size $b$
# :label: thm-subset-risk
# Let all reports of a two-valued pure oracle support $b$ items, $0 < b < k$.
# If all items are equally likely, the risk is
#
# $$ R(b) = \frac{(k-1)^2\,(b\,e^\varepsilon+k-b)^2}{k\,b\,(k-b)\,(e^\varepsilon-1)^2}. $$
#
# :::
#
# For every $x$, the probabilities {eq}`eq-limit-two` sum to 1.
# So the sets with $x$ have a total weight that does not depend on $x$: a share $b/k$ of all weights.
# A report supports $b$ items in all, so $p^* + (k-1)\,q^* = b$, and
#
# $$ p^* = \frac{b\,e^\varepsilon}{b\,e^\varepsilon + k - b}, \qquad p^* - q^* = \frac{b\,(k-b)\,(e^\varepsilon-1)}{(k-1)(b\,e^\varepsilon+k-b)}. $$ (eq-limit-p)
#
# The estimate is $\hat\pi_x = \big(C_x/n - q^*\big)/(p^* - q^*)$, where $C_x$ counts the reports that support $x$.
# If items are equally likely, a report supports $x$ with probability $b/k$, so
#
# $$ R(b) = k \cdot \frac{\frac bk \big(1 - \frac bk\big)}{(p^*-q^*)^2}. $$
#
# With $\rho = b/(k-b)$, this is a constant times $(1 + e^\varepsilon \rho)^2/\rho$.
# It falls until $\rho = 1/e^\varepsilon$, and then rises.
# So the best size is one of the two whole numbers next to $k/(e^\varepsilon+1)$.


# %%
def R(b, k, e):
    """The risk of sets of size b; e is e^ε."""
    top = (k - 1) ** 2 * (b * e + k - b) ** 2
    return top / (k * b * (k - b) * (e - 1) ** 2)


risks = [f"R({b}) = {R(b, 7, exp(0.5)):.1f}" for b in range(1, 7)]
print(*risks, sep="  ")

# %% [markdown]
# The best size is three.
#
# :::{prf:theorem} Nothing is better
# :label: thm-freq-limit
# Let people report through ε-LDP clients, which may differ, without knowing the other reports.
# An estimate that is unbiased for every $\pi$ has, for equally likely items, a risk of at least
#
# $$ M = \min_{1 \le b \le k-1} R(b). $$
#
# :::
#
# :::{prf:proof}
# *1. Sets.*
# By {prf:ref}`thm-limit-sets`, we may add to each report what was left out; the estimate need not look at it.
# So let all clients be two-valued.
#
# *2. One person, one direction.*
# Move $\pi$ from equally likely items in a direction $h$ with $\sum_x h_x = 0$.
# There, a report with weight $\lambda$ and a set $B$ of $b$ items has probability $\mu$ and derivative $\mu'$:
#
# $$ \mu = \lambda\,\frac{b\,e^\varepsilon + k - b}{k}, \qquad \mu' = \lambda\,(e^\varepsilon-1)\,h(B), \qquad h(B) = \sum_{x \in B} h_x. $$
#
# The Fisher information about this direction is the sum over all reports of
#
# $$ \frac{(\mu')^2}{\mu} = \mu\,\frac{k^2\,(e^\varepsilon-1)^2\,h(B)^2}{(b\,e^\varepsilon+k-b)^2}. $$
#
# *3. All directions.*
# Choose $k-1$ such directions $h$, orthogonal and of length 1.
# Together with $(1, \dots, 1)/\sqrt k$ they are an orthonormal basis.
# By Pythagoras, for the vector $\mathbf 1_B$ with ones on $B$ and zeros elsewhere,
#
# $$ \sum_h h(B)^2 = \lVert \mathbf 1_B \rVert^2 - \Big(\frac{b}{\sqrt k}\Big)^2 = \frac{b\,(k-b)}{k}. $$
#
# So the information in all directions together is
#
# $$ \sum_y \mu\,\frac{k\,b\,(k-b)\,(e^\varepsilon-1)^2}{(b\,e^\varepsilon+k-b)^2} = \sum_y \mu\,\frac{(k-1)^2}{R(b)} \le \frac{(k-1)^2}{M}, $$
#
# because the probabilities $\mu$ sum to 1; sets of size 0 or $k$ contribute 0.
#
# *4. All people.*
# Reports are independent, so information adds up.
# Let $I_h$ be that of all $n$ people about direction $h$; then $\sum_h I_h \le n\,(k-1)^2/M$.
# By Cramér and Rao, the estimate's variance in direction $h$ is at least $1/I_h$.
# By Cauchy and Schwarz,
#
# $$ \text{risk} \ge n \sum_h \frac1{I_h} \ge \frac{n\,(k-1)^2}{\sum_h I_h} \ge M. $$
#
# :::
#
# k-Subset of the best size attains $M$.
# OUE and OLH do not, because their sizes vary.
# {cite:t}`ye2019optimal` prove more: as $n$ grows, no estimate, biased or not, has a worst-case risk below $M$ by a fixed amount.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the information of random clients, and who attains the bound"}
def columns_of(sets, k, e):
    """A two-valued client with equal weights, for sets in equally many of which each item is: a row for each item."""
    columns = np.array([[e if x in B else 1 for B in sets] for x in range(k)])
    return columns / columns.sum(1, keepdims=True)


def share(columns, e):
    """The part of the bound that one report's information, summed over all directions, reaches."""
    k, mean = len(columns), columns.mean(0)
    return (np.square(columns - mean).sum(0) / mean).sum() * min(R(b, k, e) for b in range(1, k)) / (k - 1) ** 2


def rare(b, k, e):
    """n times the variance for an item that nobody has, with sets of size b."""
    p = b * e / (b * e + k - b)
    return (b - p) * (k - 1 - b + p) / (k * p - b) ** 2


clients = []
for k in (3, 6, 10) * 60:  # random sets, shifted round all items; then the same with a part left out
    starts = [rng.permutation(k)[: rng.integers(1, k)] for _ in range(rng.integers(1, 4))]
    clients.append(columns_of([{*(B + shift) % k} for B in starts for shift in range(k)], k, exp(1)))
clients += [columns @ rng.dirichlet(np.ones(5), columns.shape[1]) for columns in clients]
three, two = (share(columns_of(list(combinations(range(7), b)), 7, exp(0.5)), exp(0.5)) for b in (3, 2))
check(
    "Limit",
    f"{len(clients)} random clients stay below the bound, k-Subset of size 3 reaches it",
    max(share(columns, exp(1)) for columns in clients) < 1 + 1e-12 and abs(three - 1) < 1e-12,
    control="the bound for ε = 0.99; size 2",
    caught=max(share(columns, exp(0.99)) for columns in clients) > 1.001 and two < 0.999,
)
print(f"a rare item, 32 items, ε = 3: size 1 has {1 - rare(1, 32, exp(3)) / rare(2, 32, exp(3)):.0%} less variance")

# %% [markdown]
# (sec-limit-design)=
# ## Seven lines
#
# k-Subset uses all $\binom kb$ sets of size $b$.
# The risk $R(b)$ needs far fewer: each item must lie in equally many sets, and so must each pair of items.
# The first makes $p^*$ the same for all items, the second $q^*$.
# Such a list of sets is a *block design*.
#
# {numref}`fig-limit-fano` shows the Fano plane: seven points, and seven lines of three points.
# Every point lies on three lines, and any two points on exactly one.

# %%
LINES = [{(y + step) % 7 for step in (1, 2, 4)} for y in range(7)]
TRIPLES = [{*B} for B in combinations(range(7), 3)]

# %% mystnb={"figure": {"name": "fig-limit-fano", "caption": "The Fano plane; one line is the circle. For the item Mon, each thick line is reported with $e^\\varepsilon$ times the probability of each other line."}, "image": {"alt": "A triangle with corners Mon, Sat and Sun; Fri, Wed and Tue on its sides; Thu in its centre. Six straight lines, and a circle through Fri, Wed and Tue, join the days in threes. The two sides and the height that meet at Mon are thick."}}
r = 3**-0.5
ACROSS = [0, 0, 0.5, 0, -0.5, -1, 1]
UP = [3 * r, 0, 1.5 * r, r, 1.5 * r, 0, 0]
thick, thin = {"lw": 4, "ec": "#D55E00"}, {"lw": 1.5, "ec": "#0072B2"}
fig, ax = plt.subplots(figsize=(4.6, 3.9))
for B in LINES:
    look = thick if 0 in B else thin
    ends = sorted((ACROSS[x], UP[x]) for x in B)
    line = plt.Polygon([ends[0], ends[-1]], closed=False, **look)
    circle = plt.Circle((0, r), r, fill=False, **look)
    ax.add_patch(circle if B == {1, 2, 4} else line)
box = {"fc": "white", "boxstyle": "round"}
for x, day in enumerate(DAYS):
    ax.text(ACROSS[x], UP[x], day, ha="center", va="center", bbox=box)
ax.set(aspect="equal", xlim=(-1.2, 1.2), ylim=(-0.2, 1.95))
ax.axis("off")
plt.show()

# %% [markdown]
# The client sends the number of a set.
# The same code runs k-Subset, with all 35 triples of days.


# %%
def send(x, sets, eps, rng):
    """The number of a set, e^ε times as likely if it holds x."""
    inside = [y for y, B in enumerate(sets) if x in B]
    outside = [y for y, B in enumerate(sets) if x not in B]
    weight = len(inside) * odds(eps)
    if toss(weight / (weight + len(outside)), rng):
        return pick(inside, rng)
    return pick(outside, rng)


def fano(x, eps, rng):
    """The number of a line, e^ε times as likely if it passes through x."""
    return send(x, LINES, eps, rng)


for _ in range(4):
    print("from Mon:", *(DAYS[x] for x in sorted(LINES[fano(0, 0.5, rng)])))
print(prove(fano, range(7), rounded=False))


# %% [markdown]
# A line through Mon has probability $e^\varepsilon/(3\,e^\varepsilon+4)$, any other $1/(3\,e^\varepsilon+4)$.
#
# The server counts the reported sets that hold an item, and uses {eq}`eq-limit-p` with $k = 7$.


# %%
def server(reports, sets, eps):
    """Estimated shares and standard errors, from numbers of sets."""
    n, b, e = len(reports), len(sets[0]), exp(eps)
    p = b * e / (b * e + 7 - b)
    q = (b - p) / 6
    holds = np.array([[x in B for B in sets] for x in range(7)])
    share = holds @ np.bincount(reports, minlength=len(sets)) / n
    error = np.sqrt(share * (1 - share) / n)
    return (share - q) / (p - q), error / (p - q)


# %% [markdown]
# Each of 30,000 employees reports a line and, in another survey, a triple.

# %%
people = rng.choice(7, 30_000, p=PI).tolist()
shown = {"day": DAYS, "truth": PI}
for name, sets in (("lines", LINES), ("triples", TRIPLES)):
    reports = [send(x, sets, 0.5, rng) for x in people]
    pairs = zip(*server(reports, sets, 0.5), strict=True)
    shown[name] = [f"{f:.3f} ± {error:.3f}" for f, error in pairs]
table(pd.DataFrame(shown))

# %% [markdown]
# The estimates lie within about two standard errors of the truth.
# Both oracles are equally precise, but a line takes three bits and a triple six.
# We simulate surveys with equally likely days:


# %%
def simulated(sets, n=2000, surveys=600):
    """Mean risk of surveys at ε = 0.5, and its standard error."""
    told = laws(lambda x, rng: send(x, sets, 0.5, rng), range(7))
    law = [sum(float(one[y]) for one in told) / 7 for y in range(len(sets))]
    risks = []
    for counts in rng.multinomial(n, law, surveys):
        found, _ = server(np.repeat(np.arange(len(sets)), counts), sets, 0.5)
        risks.append(n * np.square(found - 1 / 7).sum())
    return np.mean(risks), np.std(risks) / surveys**0.5


seen = simulated(LINES), simulated(TRIPLES)
print(f"limit {R(3, 7, exp(0.5)):.1f}; simulated, with lines and triples:")
print(*(f"{found:.1f} ± {error:.1f}" for found, error in seen), sep=", ")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: pairs of items, the simulated risk"}


def is_design(sets):
    """Whether sets are equally large, and all items, and all pairs of items, in equally many of them."""
    return len({len(B) for B in sets}) == 1 and all(
        len({sum({*some} <= B for B in sets) for some in combinations(range(7), j)}) == 1 for j in (1, 2)
    )


check(
    "Design",
    "lines and triples are block designs",
    is_design(LINES) and is_design(TRIPLES),
    control="lines of the points y, y + 1 and y + 2",
    caught=not is_design([{y, (y + 1) % 7, (y + 2) % 7} for y in range(7)]),
)
check(
    "Risk",
    "simulated surveys: the risk is R(3)",
    all(abs(found - R(3, 7, exp(0.5))) < 5.5 * error for found, error in seen),
    control="R(1), the risk of k-RR",
    caught=all(abs(found - R(1, 7, exp(0.5))) > 5.5 * error for found, error in seen),
)

# %% [markdown]
# {cite:t}`park2023block` show that block designs with blocks of the best size attain the limit, and {cite:t}`gentle2025necessity` that every protocol which attains it corresponds to one.
# {cite:t}`pan2026strict` attains it for any number of items, in fewer than $2\log_2 k$ bits.
#
# For every prime power $t$, there is a plane of $t^2+t+1$ points and as many lines, of $t+1$ points each.
# {cite:t}`feldman2022projective` use planes for frequency oracles.
# Singer numbered the points so that all lines are shifts of one, as in `LINES` and {py:class}`~ldpnb.oracles.designs.BlockDesign`.
# Unused points leave estimates unbiased, with the risk of the larger plane.
# For 993 items and $t = 31$, a line takes 10 bits, and a set of 32 items:

# %%
print(f"{log2(comb(993, 32)):.0f} bits")

# %% [markdown]
# (sec-limit-which)=
# ## Which one?
#
# {numref}`fig-freq-limit` divides the risks of five oracles by the limit $M$.
# We take the package's best block design.

# %% mystnb={"figure": {"name": "fig-freq-limit", "caption": "Exact risk at equally likely items, divided by the limit. k-Subset lies on the thin line at 1. Curves are cut at 3."}, "image": {"alt": "Two panels of risk over limit, from 1 to 3, against epsilon from 0.25 to 6. Left, 57 items: k-RR falls to 1 near epsilon 3.6; OUE, OLH and the block design rise from near 1 to about 1.9 at 6; Hadamard response rises in teeth to 2.3 and falls after 4. Right, 1,000 items: OUE, OLH and block design rise from near 1 to 1.2; k-RR comes down from 3 to 1.2; Hadamard response rises in teeth to about 2."}}
KINDS = {"k-RR": GRR, "OUE": OUE, "OLH": OLH}
KINDS |= {"block design": BlockDesign, "Hadamard": HadamardResponse}


def ratio(make, k, eps):
    """Risk over limit: all variances, and what sampling people adds."""
    variances = make(k=k, epsilon=eps).variance(np.arange(k))
    limit = min(R(b, k, exp(eps)) for b in range(1, k))
    return (variances.sum() / k + 1 - 1 / k) / limit


fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.9), sharey=True)
for ax, k in zip(axes, (57, 1000), strict=True):
    grid = product(KINDS, np.arange(0.25, 6.1, 0.125))
    points = [(name, eps, ratio(KINDS[name], k, eps)) for name, eps in grid]
    frame = pd.DataFrame(points, columns=["oracle", "ε", "ratio"])
    look = theory("oracle", [*KINDS])
    sns.lineplot(frame, x="ε", y="ratio", ax=ax, **look)
    ax.axhline(1, color="black", linewidth=1, linestyle="-")
    ax.set(title=f"{k:,} items", xlabel="budget ε", ylim=(0.93, 3))
    ax.set_ylabel("risk / limit")
label_lines(axes)
plt.show()

# %% [markdown]
# For few items or a large ε, the best size is one, and k-RR attains the limit.
# For 1,000 items, OUE, OLH and block designs are within 3 % of the limit up to $\varepsilon = 4$.
# Hadamard response, with its authors' parameters, suits small ε.
#
# (sec-limit-wrong)=
# ## What can go wrong
#
# - *The best in total need not be the best for each item.*
#   With 32 items at $\varepsilon = 3$, the best size is two, but for a rare item k-RR has 13 % less variance.
# - *The size depends on the item.*
#   Smaller sets for some items reveal these items.
# - *Client and server number the lines differently.*
#   All estimates are wrong, without warning.
#
# (sec-limit-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 8 minutes)
# For which ε does the Fano plane attain the limit?
# :::
#
# :::{dropdown} Solution
# Since $R$ falls and then rises, only the neighbours of 3 matter.
# $R(4)/R(3) = \big((4\,e^\varepsilon+3)/(3\,e^\varepsilon+4)\big)^2 > 1$, so size 4 is worse.
# Size 3 is at least as good as size 2 if
#
# $$ \frac{(3\,e^\varepsilon+4)^2}{12} \le \frac{(2\,e^\varepsilon+5)^2}{10}, \qquad\text{that is,}\qquad 3\,e^\varepsilon + 4 \le \sqrt{1.2}\,(2\,e^\varepsilon+5). $$
#
# The answer is $e^\varepsilon \le \frac{5\sqrt{1.2}-4}{3-2\sqrt{1.2}} = 1.826$, or $\varepsilon \le 0.602$.
# :::
#
# :::{admonition} Exercise 2 (code, 8 minutes)
# Write a client that sends a line, $e^\varepsilon$ times as likely if it *avoids* the item, and an estimator.
# How much larger is the risk than that of `fano` at $\varepsilon = 0.5$?
# :::
#
# :::{dropdown} Solution
# A report supports the four days off the line, so the client is two-valued with $b = 4$.
# The complements of the lines are a block design, too, and $R(4)/R(3) = \big((4\,e^\varepsilon+3)/(3\,e^\varepsilon+4)\big)^2$.
# At $\varepsilon = 0.5$, the risk is 15 % larger.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def avoid(x, eps, rng):
    """The number of a line, e^ε times as likely if it avoids x."""
    off, on = ([y for y in range(7) if (x in LINES[y]) == holds] for holds in (False, True))
    return pick(off, rng) if toss(4 * odds(eps) / (4 * odds(eps) + 3), rng) else pick(on, rng)


def estimate(reports, eps):
    p = 4 * exp(eps) / (4 * exp(eps) + 3)
    C = np.array([sum(x not in LINES[y] for y in reports) for x in range(7)])
    return (6 * C / len(reports) - 4 + p) / (7 * p - 4)


print(estimate([avoid(x, 0.5, rng) for x in people], 0.5).round(2), prove(avoid, range(7), rounded=False))
print(f"R(4) / R(3) = {R(4, 7, exp(0.5)) / R(3, 7, exp(0.5)):.3f}")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# A server that always estimates $1/7$ has risk 0 for equally likely days.
# Does this contradict the theorem?
# :::
#
# :::{dropdown} Solution
# No: the estimate is biased for every other $\pi$, where its risk $n \sum_x (1/7 - \pi_x)^2$ grows with $n$.
# An estimate that shrinks a little toward $1/7$ trades variance for bias in the same way.
# For many people, the theorem of Ye and Barg covers biased estimates as well, but for the worst $\pi$.
# :::
#
# ## Summary
#
# - Behind every report stands a set, $e^\varepsilon$ times as likely if it holds the item.
# - For two values, every ε-LDP client is randomized response with something done to the reply.
# - k-RR, unary encoding and ideal hashing are k-Subset of a random size.
# - The limit is the risk of the best size, about $k/(e^\varepsilon+1)$.
# - k-Subset of this size attains it, and so does a block design with such blocks, in shorter reports.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $\pi$ | probability of an item or a value, where people are drawn at random |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $g$ | number of slots of a hash function |
# | $B$ | set of items that a report supports (here only) |
# | $b$ | size of $B$ (here only) |
# | $\lambda$ | probability of a report from an item outside $B$ (here only) |
# | $R(b)$ | risk of sets of size $b$, for equally likely items (here only) |
# | $M$ | the limit: the smallest $R(b)$ (here only) |
# | $\mu$ | probability of a report, for equally likely items (here only) |
# | $h$ | a direction (here only) |
