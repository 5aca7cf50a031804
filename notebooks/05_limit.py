# %% [markdown]
# (ch-limit)=
# # The limit ★
#
# *From {cite:t}`kairouz2016extremal`, {cite:t}`ye2019optimal` and {cite:t}`park2023block`. A star marks harder mathematics, which you can skip.*
#
# :::{admonition} In one minute
# Behind every report of a private client, you can imagine a set of items.
# So for a yes-or-no question, randomized response is best.
# For more items, only the sizes of the sets matter, and one size is best.
# The k-Subset oracle of this size reaches the limit with long reports, block designs with short ones.
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
# Without the package: python -m pip install . ./book in the folder above notebooks.
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import exp, log

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import GRR, OUE, BlockDesign, SubsetSelection, laws, pick, prove, toss
from ldpnb.chance import odds
from ldpnb_book import check, label_lines, style, table, theory

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
EPS = 0.5

# %% [markdown]
# Answers are independent draws from the distribution (law) $\pi$.
# The *risk* of an estimate $\hat\pi$ is
#
# $$ n\,\E \sum_x (\hat\pi_x - \pi_x)^2. $$
#
# **How small can the risk of an ε-LDP oracle be, and which oracles reach this limit?**
#
# (sec-limit-sets)=
# ## A set behind every report
#
# All clients here have finitely many reports.
# We call a client *two-valued* (a {term}`staircase`) if each report $y$ has a set $B$ of items and a weight $\lambda$, with
#
# $$ \Pr[y \mid x] = \begin{cases} \lambda\,e^\varepsilon & \text{for } x \text{ in } B, \\ \lambda & \text{for all other } x. \end{cases} $$ (eq-limit-two)
#
# The five oracles of {ref}`ch-frequency` are two-valued, with the supported items as $B$, by the proof of {prf:ref}`thm-freq-privacy`.
#
# :::{prf:theorem} A set behind every report
# :label: thm-limit-sets
# Every ε-LDP client arises from a two-valued client by leaving out a part of its report.
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
# With $e^\varepsilon = 4$, a client reports the true weekday with probability 4/12, each neighbour 2/12, and each other day 1/12.
# Its report Wed comes from these sets:


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
# ## Randomized response is optimal for yes or no
#
# Randomized response keeps a value, 0 or 1, with probability $p = e^\varepsilon/(e^\varepsilon+1)$.
#
# :::{prf:theorem} All ε-LDP clients for two values
# :label: thm-rr-best
# A client for two values is ε-LDP if and only if its report has the law of a random function of the reply of randomized response at ε.
# :::
#
# :::{prf:proof}
# A random function of the reply does not raise ε ({prf:ref}`thm-post`).
#
# Conversely, take the sets of {prf:ref}`thm-limit-sets` for an ε-LDP client.
# Each omits the value under which its report is least likely, so it is $\{0\}$, $\{1\}$ or empty.
# Let $\Lambda_0$, $\Lambda_1$ and $\Lambda$ be the total weights of reports with these sets.
# For either value, the probabilities sum to 1:
#
# $$ \Lambda_0\,e^\varepsilon + \Lambda_1 + \Lambda = 1 = \Lambda_0 + \Lambda_1\,e^\varepsilon + \Lambda, \qquad\text{so}\qquad \Lambda_0 = \Lambda_1. $$
#
# With probability $\Lambda$, the set is empty, whatever the value.
# Otherwise, its only element is the value with probability $p$, as the reply is.
# Given the set, a report with weight $\lambda$ has probability $\lambda/\Lambda_0$, $\lambda/\Lambda_1$ or $\lambda/\Lambda$, whatever the value.
# So the client can draw the report from the set alone.
# :::
#
# :::{prf:corollary} The limit for yes or no
# :label: cor-rr-limit
# Take fixed people, with one ε-LDP report each.
# An estimate of the share of yes that is unbiased for each population has at least the variance of randomized response in {prf:ref}`thm-rr-estimate`.
# :::
#
# :::{prf:proof}
# By {prf:ref}`thm-rr-best`, people may draw their reports from replies $y_1, \dots, y_n$ of randomized response.
# Let $T(y_1, \dots, y_n)$ be the expectation of the estimate, given the replies.
# By the laws of total expectation and variance, $T$ is unbiased, and its variance is not larger.
# So $T$ satisfies an equation for each of the $2^n$ populations:
#
# $$ \sum_{y_1, \dots, y_n} T(y_1, \dots, y_n) \prod_{i=1}^n \Pr[y_i \mid x_i] = \frac{x_1 + \dots + x_n}{n}. $$
#
# Their matrix is the Kronecker product of $n$ invertible matrices $\big(\begin{smallmatrix} p & 1-p \\ 1-p & p\end{smallmatrix}\big)$, and so invertible.
# The only solution is the estimate of {prf:ref}`thm-rr-estimate`.
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
# ## One family
#
# k-RR, unary encoding and *ideal hashing*, with a hash function drawn from all functions to $g$ slots, are k-Subset of a random size.
# All three treat items alike, so the total weight of all reports with a set depends only on the set's size $b$.
# Given $b$, a set with $x$ is $e^\varepsilon$ times as likely as one without $x$, and the law of $b$ is the same for every $x$.


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
    "Family",
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
# Let an oracle be pure ({prf:ref}`def-pure`), and two-valued with the supported items as $B$.
# If all reports support $b$ items, $0 < b < k$, and all items are equally likely, the risk is
#
# $$ R(b) = \frac{(k-1)^2\,(b\,e^\varepsilon+k-b)^2}{k\,b\,(k-b)\,(e^\varepsilon-1)^2}. $$
#
# :::
#
# :::{prf:proof}
# For every $x$, the probabilities {eq}`eq-limit-two` sum to 1, so the sets with $x$ have a total weight that does not depend on $x$.
# Each set contains $b$ of $k$ items, so this is a share $b/k$ of all weights.
# As for k-Subset in {ref}`ch-frequency`, $p^* + (k-1)\,q^* = b$, and
#
# $$ p^* = \frac{b\,e^\varepsilon}{b\,e^\varepsilon + k - b}, \qquad p^* - q^* = \frac{b\,(k-b)\,(e^\varepsilon-1)}{(k-1)(b\,e^\varepsilon+k-b)}. $$ (eq-limit-p)
#
# The estimate is {eq}`eq-freq-estimate`.
# For equally likely items, a report supports $x$ with probability $b/k$, so the risk is $k \cdot \frac bk \big(1 - \frac bk\big)/(p^*-q^*)^2 = R(b)$.
# :::
#
# With $\rho = b/(k-b)$, the risk is a constant times $(1 + e^\varepsilon \rho)^2/\rho$, since $b\,e^\varepsilon + k - b = (k-b)(1 + e^\varepsilon \rho)$.
# The derivative in $\rho$ has the sign of $e^{2\varepsilon} - 1/\rho^2$.
# So the risk falls until $\rho = 1/e^\varepsilon$, that is, $b = k/(e^\varepsilon+1)$, and then rises.
# The best size is next to this value, and at least 1.


# %%
def R(b, k, e):
    """The risk of sets of size b; e is e^ε."""
    top = (k - 1) ** 2 * (b * e + k - b) ** 2
    return top / (k * b * (k - b) * (e - 1) ** 2)


risks = {b: R(b, 7, exp(EPS)) for b in range(1, 7)}
best = min(risks, key=risks.get)
print(*(f"R({b}) = {risks[b]:.0f}" for b in risks), sep="  ")

# %% [markdown]
# At $\varepsilon = 0.5$, the best size is three.
#
# :::{prf:theorem} Lower bound on the risk
# :label: thm-freq-limit
# Let people report independently through ε-LDP clients, which may differ.
# An estimate that is unbiased for every $\pi$ has, for equally likely items, a risk of at least $M = \min_b R(b)$, where $1 \le b \le k-1$.
# :::
#
# :::{prf:proof}
# 1. *Sets.*
#    By {prf:ref}`thm-limit-sets`, we may let all clients be two-valued: an estimate may ignore the added sets.
# 2. *One person, one direction.*
#    Take numbers $h_x$ with $\sum_x h_x = 0$ and $\sum_x h_x^2 = 1$, and let $\pi_x = 1/k + t\,h_x$.
#    At $t = 0$, a report with weight $\lambda$ and a set $B$ of $b$ items has probability $\mu$ and derivative $\mu'$ in $t$:
#
#    $$ \mu = \lambda\,\frac{b\,e^\varepsilon + k - b}{k}, \qquad \mu' = \lambda\,(e^\varepsilon-1)\,h(B), \qquad h(B) = \sum_{x \in B} h_x. $$
#
#    The *Fisher information* measures what a report tells about $t$: the mean of $(\mu'/\mu)^2$, that is, the sum over all reports of
#
#    $$ \frac{(\mu')^2}{\mu} = \mu\,\frac{k^2\,(e^\varepsilon-1)^2\,h(B)^2}{(b\,e^\varepsilon+k-b)^2}. $$
#
# 3. *All directions.*
#    Choose $k-1$ orthogonal directions $h$.
#    With $(1, \dots, 1)/\sqrt k$ they are an orthonormal basis.
#    The vector with ones on $B$ and zeros elsewhere has squared length $b$, component $h(B)$ along $h$, and $b/\sqrt k$ along the last.
#    By Pythagoras, $\sum_h h(B)^2 = b - b^2/k = b\,(k-b)/k$, so the information in all directions is
#
#    $$ \sum_y \mu\,\frac{k\,b\,(k-b)\,(e^\varepsilon-1)^2}{(b\,e^\varepsilon+k-b)^2} = \sum_y \mu\,\frac{(k-1)^2}{R(b)} \le \frac{(k-1)^2}{M}, $$
#
#    because the $\mu$ sum to 1; sets of size 0 or $k$ contribute 0.
# 4. *All people.*
#    Reports are independent, so information adds up.
#    Let $I_h$ be the information of all reports in direction $h$; then $\sum_h I_h \le n\,(k-1)^2/M$.
# 5. *Variance.*
#    Let $V_h = \sum_x h_x\,\hat\pi_x$.
#    As $\hat\pi$ is unbiased, its mean is $\sum_x h_x\big(\frac1k + t\,h_x\big) = t$, with derivative 1.
#
#    Let $Z$ be the sum of $\mu'/\mu$ over all reports.
#    The $\mu$ of one person sum to 1, so the $\mu'$ sum to 0, and $Z$ has mean 0 and variance $I_h$.
#    The probability $P$ of all reports is the product of their $\mu$, so $P' = P\,Z$ by the product rule.
#    The Cauchy–Schwarz inequality gives the Cramér–Rao bound:
#
#    $$ 1 = \sum V_h\,P' = \sum P\,V_h\,Z = \operatorname{Cov}(V_h, Z) \le \sqrt{\Var V_h \cdot I_h}. $$
#
# 6. *Risk.*
#    So $\Var V_h \ge 1/I_h$.
#    The squared error is the sum of the squared components of $\hat\pi-\pi$ in our basis; we drop the one along $(1, \dots, 1)$.
#    The third step is Cauchy–Schwarz for $\sqrt{I_h}$ and $1/\sqrt{I_h}$:
#
#    $$ \text{risk} \ge n \sum_h \Var V_h \ge n \sum_h \frac1{I_h} \ge \frac{n\,(k-1)^2}{\sum_h I_h} \ge M. $$
#
# :::
#
# k-Subset of the best size attains $M$; OUE and OLH do not, because their set sizes vary.
# For large $n$, even a biased estimate has a worst-case risk of nearly $M$ or more {cite:p}`ye2019optimal` (not proved).


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the information of random clients, and who attains the bound"}
def columns_of(sets, k, e):
    """A two-valued client with equal weights, for sets in equally many of which each item is: a row for each item."""
    columns = np.array([[e if x in B else 1 for B in sets] for x in range(k)])
    return columns / columns.sum(1, keepdims=True)


def share(columns, e):
    """The part of the bound that one report's information, summed over all directions, reaches."""
    k, mean = len(columns), columns.mean(0)
    return (np.square(columns - mean).sum(0) / mean).sum() * min(R(b, k, e) for b in range(1, k)) / (k - 1) ** 2


clients = []
for k in (3, 6, 10) * 60:  # random sets, shifted round all items; then the same with a part left out
    starts = [rng.permutation(k)[: rng.integers(1, k)] for _ in range(rng.integers(1, 4))]
    clients.append(columns_of([{*(B + shift) % k} for B in starts for shift in range(k)], k, exp(1)))
clients += [columns @ rng.dirichlet(np.ones(5), columns.shape[1]) for columns in clients]
worse = min((b for b in risks if risks[b] > 1.002 * risks[best]), key=risks.get)
reached, missed = (share(columns_of(list(combinations(range(7), b)), 7, exp(EPS)), exp(EPS)) for b in (best, worse))
check(
    "Limit",
    f"{len(clients)} random clients stay below the bound, k-Subset of size {best} reaches it",
    max(share(columns, exp(1)) for columns in clients) < 1 + 1e-12 and abs(reached - 1) < 1e-12,
    control=f"the bound for ε = 0.99; size {worse}",
    caught=max(share(columns, exp(0.99)) for columns in clients) > 1.001 and missed < 0.999,
)
least, other = GRR(k=32, epsilon=3.0), SubsetSelection(k=32, epsilon=3.0, size=2)
print(f"a rare item, 32 items, ε = 3: size 1 has {1 - least.rare_variance / other.rare_variance:.0%} less variance")

# %% [markdown]
# (sec-limit-design)=
# ## Seven lines
#
# k-Subset uses all $\binom kb$ sets of size $b$.
# Far fewer of them reach $R(b)$ if they form a *block design*: equally many contain each item, and equally many contain each pair.
# The client is pure: $p^*$ follows from the number of sets with an item, and $q^*$ from the number with a pair.
#
# The Fano plane ({numref}`fig-limit-fano`) has seven points and seven lines of three.
# Every point lies on three lines, and any two on exactly one.

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
    """The number of a line, e^ε times as likely if x lies on it."""
    return send(x, LINES, eps, rng)


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
# Each of 30,000 employees reports a line:

# %%
people = rng.choice(7, 30_000, p=PI).tolist()
reports = [fano(x, EPS, rng) for x in people]
pairs = zip(*server(reports, LINES, EPS), strict=True)
shown = [f"{f:.3f} ± {error:.3f}" for f, error in pairs]
table(pd.DataFrame({"day": DAYS, "truth": PI, "estimate": shown}))

# %% [markdown]
# A line takes three bits and a triple six, but for equally likely days, both have the least risk:


# %%
def risk(sets):
    """Exact risk for equally likely days at ε = EPS, n = 1."""
    told = laws(lambda x, rng: send(x, sets, EPS, rng), range(7))
    law = [np.mean([float(one[y]) for one in told]) for y in told[0]]
    found = [server([y], sets, EPS)[0] for y in told[0]]
    return law @ np.square(np.array(found) - 1 / 7).sum(1)


exact = risk(LINES), risk(TRIPLES)
print(f"limit {risks[best]:.3f};", *np.round(exact, 3))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: pairs of items, the risk"}


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
    "exact risk of lines and triples: R(3)",
    np.allclose(exact, risks[3], rtol=1e-9),
    control="R(1), the risk of k-RR",
    caught=min(abs(found - risks[1]) for found in exact) > min(1, abs(risks[3] - risks[1]) / 2),
)

# %% [markdown]
# Block designs of the best size attain the limit {cite:p}`park2023block`.
# Conversely, in every oracle that attains it, the weighted sets form a block design {cite:p}`gentle2025necessity`.
# A line of a projective plane {cite:p}`feldman2022projective` takes 10 bits for 993 items, and a set of 32 items 201.
# For any $k$, {cite:t}`pan2026strict` attains the limit in fewer than $2\log_2 k$ bits.

# %% [markdown]
# (sec-limit-which)=
# ## Which one?
#
# For few items or a large ε, the best size is one, and k-RR attains the limit ({numref}`fig-freq-limit`).
# The package has few designs.
# Near $\varepsilon = 1.8$, one with 57 points attains the limit; at $\varepsilon = 2.5$, 76 of 133 points stand for no item, raising the risk.

# %% mystnb={"figure": {"name": "fig-freq-limit", "caption": "Exact risk over the limit, for 57 equally likely items. k-Subset lies on the thin line at 1."}, "image": {"alt": "Risk over limit against epsilon from 0.25 to 4. OUE rises from 1.04 to 1.5; the block design touches 1 near 1.8, and then rises to 1.5. k-RR falls from 1.8 at epsilon 2.4 to 1 near 3.7."}}
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
# (sec-limit-wrong)=
# ## What can go wrong
#
# - *You need only a rare item.*
#   With 32 items at $\varepsilon = 3$, size two has the least risk, but by {eq}`eq-freq-rare`, size one has 13 % less variance for it.
# - *The size of the set depends on the item, and reveals something about it.*
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
# Find four numbers with 12 different differences modulo 13; their shifts are a block design.
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
# - Behind every report is a set, $e^\varepsilon$ times as likely if it contains the item.
# - For yes or no, no client beats randomized response.
# - k-RR, unary encoding and ideal hashing are k-Subset of a random size.
# - The limit is the risk of the best size, about $k/(e^\varepsilon+1)$; k-Subset and block designs of this size attain it.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $\pi$ | distribution of items or values, where a whole distribution is modelled |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $g$ | number of slots of a hash function |
# | $a$ | probabilities of a report (here only) |
# | $r$ | largest $u$ (here only) |
# | $u$ | index of $a_u$ (here only) |
# | $B$ | set of items behind a report (here only) |
# | $b$ | size of $B$ (here only) |
# | $\lambda$ | probability of a report from outside $B$ (here only) |
# | $\Lambda$ | total weight of reports with one set (here only) |
# | $T$ | mean estimate, given replies (here only) |
# | $R(b)$ | risk of sets of size $b$ (here only) |
# | $\rho$ | $b/(k-b)$ (here only) |
# | $M$ | smallest $R(b)$ (here only) |
# | $h$ | a direction (here only) |
# | $t$ | step along $h$ (here only) |
# | $\mu$ | probability of a report (here only) |
# | $I_h$ | information about $t$ (here only) |
# | $V_h$ | component of $\hat\pi$ along $h$ (here only) |
# | $P$ | probability of all reports (here only) |
# | $Z$ | sum of all $\mu'/\mu$ (here only) |
#
# Next, {ref}`ch-sensible` asks what to do about negative shares.
