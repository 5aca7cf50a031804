# %% [markdown]
# (ch-limit)=
# # The limit ★
#
# *From {cite:t}`kairouz2016extremal`, {cite:t}`ye2019optimal` and {cite:t}`park2023block`; no later lesson needs it.*
#
# :::{admonition} In one minute
# Every report of every private client comes from a set of items.
# So for a yes-or-no question, randomized response is best.
# For more items, only the sizes of the sets matter, and one size is best.
# The k-Subset oracle of this size reaches the limit of precision with long reports.
# Block designs reach it with short ones.
# :::
#
# :::{zh}
# 本课讨论 ε-本地化差分隐私下频率预言机的精度极限，以及哪些机制能达到它。
# 任何客户端的报告背后都有一个随机抽取的项的集合，客户端只是略去了部分信息。
# 对是非题，由此可知任何客户端都等于随机响应再加后处理，因此没有更好的无偏估计。
# 对 $k$ 个项，极限由集合的大小决定，最优大小约为 $k/(e^\varepsilon+1)$。
# k-RR、一元编码、理想的本地哈希与 k-Subset 都是大小随机的 k-Subset。
# 取最优大小的 k-Subset 达到极限，但报告较长；区组为最优大小的区组设计同样达到极限，报告只是一个编号。
# 最小的例子是法诺平面：七个点、七条线，报告是一条线，$\varepsilon \le 0.602$ 时恰好达到极限。
# :::
#
# You need the oracles of {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, exp, log, log2

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import GRR, OUE, BlockDesign, laws, pick, prove, toss
from ldpnb.book import check, label_lines, style, table, theory
from ldpnb.chance import odds

style()
rng = np.random.default_rng(2305)

# %% [markdown]
# (sec-limit-question)=
# ## Seven weekdays
#
# On which weekday do employees call in sick without being ill?
# Each answer is one of $k = 7$ *items*.

# %%
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
PI = np.array([0.29, 0.08, 0.06, 0.10, 0.27, 0.12, 0.08])

# %% [markdown]
# Answers are independent draws from the distribution (law) $\pi$.
# The *risk* of an estimate $\hat\pi$ is one number for all items:
#
# $$ n\,\E \sum_x (\hat\pi_x - \pi_x)^2. $$
#
# **How small can the risk of an ε-LDP oracle be, and which oracles reach this limit?**
#
# (sec-limit-sets)=
# ## A set behind every report
#
# All clients here have finitely many reports.
# We call a client *two-valued* if each report $y$ has a set $B$ of items and a weight $\lambda$, with
#
# $$ \Pr[y \mid x] = \begin{cases} \lambda\,e^\varepsilon & \text{for } x \text{ in } B, \\ \lambda & \text{for all other } x. \end{cases} $$ (eq-limit-two)
#
# k-RR, OUE, OLH and k-Subset are two-valued: $B$ contains the items that the report supports.
#
# :::{prf:theorem} A set behind every report
# :label: thm-limit-sets
# Every ε-LDP client is a two-valued client that leaves out a part of its report.
# :::
#
# :::{prf:proof}
# Take one report $y$, and write $a(x) = \Pr[y \mid x]$.
# Let $a_0 < a_1 < \dots < a_r$ be the values of $a$.
# We split $y$ into reports $(y, B_0), \dots, (y, B_r)$ with weights $\lambda_0, \dots, \lambda_r$, where $B_0$ is empty and
#
# $$ \begin{aligned} B_u &= \{x : a(x) \ge a_u\}, \quad \lambda_u = \frac{a_u - a_{u-1}}{e^\varepsilon - 1} \quad (u \ge 1), \\ \lambda_0 &= a_0 - \sum_{u \ge 1} \lambda_u = a_0 - \frac{a_r - a_0}{e^\varepsilon - 1} = \frac{a_0\,e^\varepsilon - a_r}{e^\varepsilon - 1}. \end{aligned} $$
#
# By ε-LDP, $a_r \le a_0\,e^\varepsilon$, so $\lambda_0 \ge 0$.
# By {eq}`eq-limit-two`, the probabilities of the parts of $y$ add up to
#
# $$ \sum_{u \ge 0} \lambda_u + (e^\varepsilon-1) \sum_{u \ge 1:\; a_u \le a(x)} \lambda_u = a_0 + \big(a(x) - a_0\big) = a(x). $$
#
# So the client can draw $(y, B_u)$, and send only $y$.
# :::
#
# With $e^\varepsilon = 4$, a client reports the true weekday with probability 4/12, each neighbour with 2/12, and each other day with 1/12.
# These sets stand behind its report Wed:


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
# A random function of the reply does not raise ε.
# Conversely, no set in the proof of {prf:ref}`thm-limit-sets` contains the least likely value.
# So the sets are $\{0\}$, $\{1\}$ and the empty set.
# Let all reports with these sets have the total weights $\Lambda_0$, $\Lambda_1$ and $\Lambda$.
# For either value, the probabilities sum to 1:
#
# $$ \Lambda_0\,e^\varepsilon + \Lambda_1 + \Lambda = 1 = \Lambda_0 + \Lambda_1\,e^\varepsilon + \Lambda, \qquad\text{so}\qquad \Lambda_0 = \Lambda_1. $$
#
# With probability $\Lambda$, the set is empty, whatever the value.
# Otherwise, the set is the reply of randomized response: it contains the value with probability $p$.
# Given the set, a report's probability is its weight over the total weight of all reports with this set: a factor $e^\varepsilon$ cancels.
# So the client draws the report from the set alone.
#
# :::{prf:corollary} The limit for yes or no
# :label: cor-rr-limit
# Take one ε-LDP report per person.
# An estimate of the share of yes that is unbiased for each population has at least the variance of randomized response, $\dfrac{e^\varepsilon}{n\,(e^\varepsilon-1)^2}$.
# :::
#
# :::{prf:proof}
# By {prf:ref}`thm-rr-best`, people may draw their reports from replies of randomized response.
# Let $T(y_1, \dots, y_n)$ be the expectation of the estimate, given the replies.
# By the laws of total expectation and total variance, $T$ is unbiased, and its variance is not larger.
# So $T$ satisfies a linear equation for each of the $2^n$ populations $x_1, \dots, x_n$:
#
# $$ \sum_{y_1, \dots, y_n} T(y_1, \dots, y_n) \prod_{i=1}^n \Pr[y_i \mid x_i] = \frac{x_1 + \dots + x_n}{n}. $$
#
# The matrix of these $2^n$ equations is the Kronecker product of $n$ invertible matrices $\big(\begin{smallmatrix} p & 1-p \\ 1-p & p\end{smallmatrix}\big)$.
# So the matrix is invertible, and the only solution is the usual estimate, with the variance above.
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
# *Ideal hashing* is local hashing with a hash function drawn from all functions.
#
# :::{prf:theorem} Four oracles are k-Subset of a random size
# :label: thm-one-oracle
# In k-RR, unary encoding, k-Subset and ideal hashing, let a report support a set $B$ of size $b$.
# The law of $b$ does not depend on the person's item.
# Given $b$, with $0 < b < k$, the set is drawn as k-Subset of size $b$ draws it.
# :::
#
# It suffices that the total weight of all reports with a set depends only on the set's size: $\lambda = \lambda_b$ in {eq}`eq-limit-two`.
# Then sets of one size have two probabilities, with ratio $e^\varepsilon$, as in k-Subset.
# Equally many of them contain each $x$, so the law of $b$ does not depend on $x$.
# The weights are
#
# $$ \begin{aligned} \text{k-RR:} \quad \lambda_1 &= \tfrac{1}{e^\varepsilon+k-1}, \\ \text{unary encoding:} \quad \lambda_b &= (1-p)\,q^b\,(1-q)^{k-b-1}, \\ \text{hashing to } g \text{ slots:} \quad \lambda_b &= g\,\big(\tfrac1g\big)^b \big(1-\tfrac1g\big)^{k-b}\,\tfrac{1}{e^\varepsilon+g-1}. \end{aligned} $$
#
# In unary encoding, $\lambda_b$ is the probability of $B$ if $x$ is outside $B$; if $x$ is in $B$, the probability is $e^\varepsilon$ times as large.
# In hashing, exactly the items of $B$ fall into a given slot with probability $(1/g)^b\,(1-1/g)^{k-b}$.
# If $x$ is elsewhere, k-RR sends this slot with probability $1/(e^\varepsilon+g-1)$.
# In k-Subset, all weights are equal.


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
# Let a two-valued oracle be pure, as in {prf:ref}`def-pure`.
# If all reports support $b$ items, $0 < b < k$, and all items are equally likely, the risk is
#
# $$ R(b) = \frac{(k-1)^2\,(b\,e^\varepsilon+k-b)^2}{k\,b\,(k-b)\,(e^\varepsilon-1)^2}. $$
#
# :::
#
# For every $x$, the probabilities {eq}`eq-limit-two` sum to 1, so the sets with $x$ have the same total weight.
# Each set contains $b$ of $k$ items, so this is a share $b/k$ of all weights.
# A report supports $b$ items in all, so $p^* + (k-1)\,q^* = b$, and
#
# $$ p^* = \frac{b\,e^\varepsilon}{b\,e^\varepsilon + k - b}, \qquad p^* - q^* = \frac{b\,(k-b)\,(e^\varepsilon-1)}{(k-1)(b\,e^\varepsilon+k-b)}. $$ (eq-limit-p)
#
# The estimate is $\hat\pi_x = \big(C_x/n - q^*\big)/(p^* - q^*)$, where $C_x$ counts the reports that support $x$.
# For equally likely items, a report supports $x$ with probability $b/k$, so
#
# $$ R(b) = k \cdot \frac{\frac bk \big(1 - \frac bk\big)}{(p^*-q^*)^2}. $$
#
# With $\rho = b/(k-b)$, this is a constant times $(1 + e^\varepsilon \rho)^2/\rho$.
# Its derivative has the sign of $e^{2\varepsilon} - 1/\rho^2$.
# So the risk falls until $\rho = 1/e^\varepsilon$, that is, $b = k/(e^\varepsilon+1)$, and then rises.
# The best size is next to this value, and at least 1.


# %%
def R(b, k, e):
    """The risk of sets of size b; e is e^ε."""
    top = (k - 1) ** 2 * (b * e + k - b) ** 2
    return top / (k * b * (k - b) * (e - 1) ** 2)


risks = [f"R({b}) = {R(b, 7, exp(0.5)):.0f}" for b in range(1, 7)]
print(*risks, sep="  ")

# %% [markdown]
# The best size is three.
#
# :::{prf:theorem} Nothing is better
# :label: thm-freq-limit
# Let people report independently through ε-LDP clients, which may differ.
# An estimate that is unbiased for every $\pi$ has, for equally likely items, a risk of at least
#
# $$ M = \min_{1 \le b \le k-1} R(b). $$
#
# :::
#
# :::{prf:proof}
# *1. Sets.*
# By {prf:ref}`thm-limit-sets`, we may let all clients be two-valued; the estimate may ignore what is added.
#
# *2. One person, one direction.*
# Take numbers $h_x$ with $\sum_x h_x = 0$ and $\sum_x h_x^2 = 1$, and let $\pi_x = 1/k + t\,h_x$.
# At $t = 0$, a report with weight $\lambda$ and a set $B$ of $b$ items has probability $\mu$ and derivative $\mu'$ in $t$:
#
# $$ \mu = \lambda\,\frac{b\,e^\varepsilon + k - b}{k}, \qquad \mu' = \lambda\,(e^\varepsilon-1)\,h(B), \qquad h(B) = \sum_{x \in B} h_x. $$
#
# The *Fisher information* measures what a report tells about $t$: the mean of $(\mu'/\mu)^2$, that is, the sum over all reports of
#
# $$ \frac{(\mu')^2}{\mu} = \mu\,\frac{k^2\,(e^\varepsilon-1)^2\,h(B)^2}{(b\,e^\varepsilon+k-b)^2}. $$
#
# *3. All directions.*
# Choose $k-1$ orthogonal directions $h$.
# With $(1, \dots, 1)/\sqrt k$ they are an orthonormal basis.
# Let the vector $\mathbf 1_B$ have ones on $B$ and zeros elsewhere.
# Its component along $h$ is $h(B)$, and that along the last vector is $b/\sqrt k$, so by Pythagoras,
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
# Let $I_h$ be the information from all $n$ people about direction $h$; then $\sum_h I_h \le n\,(k-1)^2/M$.
#
# *5. Variance.*
# Let $T_h = \sum_x h_x\,\hat\pi_x$.
# As $\hat\pi$ is unbiased, the mean of $T_h$ has slope 1 in $t$:
#
# $$ \E\,T_h = \sum_x h_x\Big(\frac1k + t\,h_x\Big) = t. $$
#
# Let $Z$ be the sum of $\mu'/\mu$ over all people's reports.
# The $\mu$ of one person sum to 1, so the $\mu'$ sum to 0, and $Z$ has mean 0 and variance $I_h$.
# All reports together have the product of the $\mu$ as their probability $P$, so $P' = P\,Z$.
# By the Cauchy–Schwarz inequality, as Cramér and Rao found,
#
# $$ 1 = \sum T_h\,P' = \sum P\,T_h\,Z = \operatorname{Cov}(T_h, Z) \le \sqrt{\Var T_h \cdot I_h}. $$
#
# *6. Risk.*
# So $\Var T_h \ge 1/I_h$.
# The squared error is the sum of its squared components in our basis.
# We omit that along $(1, \dots, 1)$, and use the inequality again:
#
# $$ \text{risk} \ge n \sum_h \Var T_h \ge n \sum_h \frac1{I_h} \ge \frac{n\,(k-1)^2}{\sum_h I_h} \ge M. $$
#
# :::
#
# k-Subset of the best size attains $M$; OUE and OLH do not, because their set sizes vary.
# For large $n$, even a biased estimate has a worst-case risk of nearly $M$ or more {cite:p}`ye2019optimal`.


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
# Far fewer sets reach $R(b)$ if equally many contain each item, and equally many contain each pair.
# Such a list of sets is a *block design*.
# The client is pure: $p^*$ follows from the number of sets with an item, and $q^*$ from the number with a pair.
#
# The Fano plane ({numref}`fig-limit-fano`) has seven points and seven lines of three points.
# Every point lies on three lines, and any two points on exactly one.

# %%
LINES = [{(y + step) % 7 for step in (1, 2, 4)} for y in range(7)]
TRIPLES = [{*B} for B in combinations(range(7), 3)]

# %% mystnb={"figure": {"name": "fig-limit-fano", "caption": "The Fano plane; one line is the circle. From Mon, each thick line has $e^\\varepsilon$ times the probability of each thin one."}, "image": {"alt": "A triangle with Thu in its centre and six days on its border. Six straight lines and a circle join the days in threes; the three lines through Mon are thick."}}
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
# The client sends the number of a set; with all 35 triples of days, it is k-Subset.


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
# The server uses {eq}`eq-limit-p`.


# %%
def server(reports, sets, eps, k=7):
    """Estimated shares and standard errors, from numbers of sets."""
    n, b, e = len(reports), len(sets[0]), exp(eps)
    p = b * e / (b * e + k - b)
    q = (b - p) / (k - 1)
    holds = np.array([[x in B for B in sets] for x in range(k)])
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
# Both are equally precise, but a line takes three bits and a triple six.
# For equally likely days, the risk is near the limit:


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
# Block designs of the best size attain the limit {cite:p}`park2023block`.
# For every oracle that attains it, the sets, counted by weight, form a block design {cite:p}`gentle2025necessity`.
# For any $k$, {cite:t}`pan2026strict` attains the limit in fewer than $2\log_2 k$ bits.
#
# Each prime power has a plane {cite:p}`feldman2022projective`; that of 31 has $31^2+31+1 = 993$ points and as many lines, of 32 points each.
# A line takes 10 bits, and a set of 32 items:

# %%
print(f"{log2(comb(993, 32)):.0f} bits")

# %% [markdown]
# (sec-limit-which)=
# ## Which one?
#
# {numref}`fig-freq-limit` shows risks divided by the limit.

# %% mystnb={"figure": {"name": "fig-freq-limit", "caption": "Exact risk at equally likely items, divided by the limit, for 57 items. k-Subset lies on the thin line at 1."}, "image": {"alt": "Risk over limit against epsilon from 0.25 to 4. OUE rises from 1.04 to 1.5; the block design touches 1 near 1.9, and then rises to 1.5. k-RR falls from 1.8 at epsilon 2.4 to 1 near 3.7."}}
KINDS = {"k-RR": GRR, "OUE": OUE, "block design": BlockDesign}
BUDGETS = np.arange(0.25, 4.1, 0.125)


def ratio(make, k, eps):
    """Risk over limit: all variances, and what sampling people adds."""
    variances = make(k=k, epsilon=eps).variance(np.arange(k))
    limit = min(R(b, k, exp(eps)) for b in range(1, k))
    return (variances.sum() / k + 1 - 1 / k) / limit


grid = product(KINDS, BUDGETS)
points = [(name, eps, ratio(KINDS[name], 57, eps)) for name, eps in grid]
frame = pd.DataFrame(points, columns=["oracle", "ε", "ratio"])
fig, ax = plt.subplots()
sns.lineplot(frame, x="ε", y="ratio", ax=ax, **theory("oracle", [*KINDS]))
ax.axhline(1, color="black", linewidth=1, linestyle="-")
ax.set(xlabel="budget ε", ylabel="risk / limit")
ax.set(xlim=(0.2, 4), ylim=(0.96, 1.8))
label_lines(ax)
plt.show()

# %% [markdown]
# For few items or a large ε, the best size is one, and k-RR attains the limit.
# At most budgets, the block design takes a larger plane, and wastes points.
#
# (sec-limit-wrong)=
# ## What can go wrong
#
# - *The best in total is not the best for each item.*
#   With 32 items at $\varepsilon = 3$, size two has the least risk, but size one has 13 % less variance for a rare item.
# - *The size depends on the item, and thus tells something about it.*
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
# :::{admonition} Exercise 2 (code, 9 minutes)
# Find four numbers modulo 13 whose 13 shifts are a block design.
# Write a client that sends a shift for one of 13 items, and estimate the shares with `server`.
# Does this oracle attain the limit at $e^\varepsilon = 2$?
# :::
#
# :::{dropdown} Solution
# Take 0, 1, 3 and 9: each difference from 1 to 12 occurs once, so any two items lie in exactly one shift.
# The oracle attains the limit: the best size is next to $13/3$, and $R(4) = 88.9 < R(5) = 89.7$.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
SHIFTS = [{(y + step) % 13 for step in (0, 1, 3, 9)} for y in range(13)]


def ranked(x, eps, rng):
    """The number of a shift, e^ε times as likely if it holds x."""
    return send(x, SHIFTS, eps, rng)


found, error = server([ranked(x, log(2), rng) for x in people], SHIFTS, log(2), 13)
print(prove(ranked, range(13), rounded=False), found.round(2), error.round(2), sep="\n")
print(f"R(4) = {R(4, 13, 2):.1f}, R(5) = {R(5, 13, 2):.1f}")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# A server that always estimates $1/7$ has risk 0 for equally likely days.
# Does this contradict {prf:ref}`thm-freq-limit`?
# :::
#
# :::{dropdown} Solution
# No: the estimate is biased for every other $\pi$, where its risk $n \sum_x (1/7 - \pi_x)^2$ grows with $n$.
# :::
#
# ## Summary
#
# - Every report comes from a set, which is $e^\varepsilon$ times as likely if it contains the item.
# - For two values, every report is a random function of a reply of randomized response.
# - k-RR, unary encoding and ideal hashing are k-Subset of a random size.
# - The limit is the risk of the best size, about $k/(e^\varepsilon+1)$; k-Subset and block designs of this size attain it.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $\pi$ | distribution of items or values, where a whole distribution is modelled |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $g$ | number of slots of a hash function |
# | $a$ | probabilities of one report, given each item (here only) |
# | $B$ | set of items that a report supports (here only) |
# | $b$ | size of $B$ (here only) |
# | $\lambda$ | probability of a report from an item outside $B$ (here only) |
# | $\Lambda$ | total weight of all reports with one set (here only) |
# | $\rho$ | $b/(k-b)$ (here only) |
# | $R(b)$ | risk of sets of size $b$, for equally likely items (here only) |
# | $M$ | the limit: the smallest $R(b)$ (here only) |
# | $\mu$ | probability of a report, for equally likely items (here only) |
# | $h$ | a direction (here only) |
# | $t$ | a step along $h$ (here only) |
# | $I_h$ | information of all reports about $t$ (here only) |
# | $T$ | mean of an estimate, given the replies; $T_h$: a component (here only) |
# | $Z$ | sum of $\mu'/\mu$ over all people's reports (here only) |
