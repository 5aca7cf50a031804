# %% [markdown]
# (ch-joint)=
# # Joint tables
#
# *From {cite:t}`ren2019bayesnet`, with {cite:t}`fanti2016unknown` for the likelihood; {ref}`paper-ren2019` goes through the first paper claim by claim.*
#
# :::{admonition} In one minute
# A care survey asks older people several questions at once.
# We want to know how the answers go together: how many people can neither cook nor walk outside?
# The phone perturbs each answer by itself, with a part of the budget.
# The server gives each report a score per answer, multiplies the scores, and averages.
# The result is unbiased, with a known standard error.
# But the noise multiplies, too: tables of two attributes work, large tables do not.
# If pairs are enough, it is often better to draw one.
# :::
#
# :::{zh}
# 每个人有一条由 $d$ 个属性组成的记录，每个属性各自以 $\varepsilon/d$ 扰动后上报，服务器要估计若干属性的联合分布表。
# 扰动方式有两种：flips 翻转一元编码的每一位，symbols 对每个属性使用 k-RR；整条记录恰好满足 $\varepsilon$-本地化差分隐私。
# 每份报告对每个属性给出一组得分，得分相乘再取平均，就是联合表的无偏估计，其方差可以精确写出。
# EM 算法求最大似然估计；似然是凹函数，由导数可知离最大值还有多远；这种估计没有负值，但有偏。
# 表中每增加一个属性，噪声就乘上一个因子，因此只有少数几个属性的表可用。
# 取值少的属性宜用 symbols，取值多的宜用 flips。
# 若只需要两个属性的表，公开抽取一对属性并用全部预算上报，除非 $\varepsilon$ 很大，否则好得多。
# :::
#
# You need k-RR and unary encoding ({ref}`ch-frequency`), Norm-Sub and EM ({ref}`ch-sensible`).

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from functools import reduce
from itertools import combinations, product
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import GRR, BitFlip, attributes, epsilon, law, laws, moments, prove
from ldpnb.chance import odds, pick, toss
from ldpnb.postprocess import maximum_likelihood, norm_sub
from ldpnb_book import check, diagram, label_lines, simulation, style, table, theory

style()
rng = np.random.default_rng(2019)

# %% [markdown]
# (sec-joint-question)=
# ## Neither cook nor walk
#
# A care survey asks older people $d = 4$ questions.
# Each is an *attribute*; attribute $j$ has $\kappa_j$ values, numbered from 0.
# The first three have the values 0 (no help needed) and 1 (help needed).
# The last is living alone, with family, or in a care home.
# A person's answers are her *record*.

# %%
ATTRIBUTES = ["cook", "walk", "dress", "home"]
SIZES, EPS = (2, 2, 2, 3), 4.0
PEOPLE = {"Ana": (1, 1, 0, 2), "Ben": (0, 0, 0, 0)}
PEOPLE |= {"Cleo": (1, 1, 1, 1), "Dev": (0, 0, 1, 0)}

# %% [markdown]
# A third of them need help with cooking, a third with walking, but how many need both?
# So the server wants the *joint table*: the share $\theta_\omega$ of people in each *cell* $\omega$.
# A cell has a value $\omega_j$ for each attribute of the table.
#
# **Can the server learn joint tables if the phone perturbs each attribute by itself?**
#
# (sec-joint-client)=
# ## Flips and symbols
#
# Both clients perturb each attribute with $\varepsilon/d$.
#
# *Flips* turns the value into a *unary code*: one bit per value, 1 only for the person's value.
# It flips each bit with probability $q = 1/(e^{\varepsilon/2d}+1)$, as in {cite:t}`ren2019bayesnet`; this is SUE from {ref}`ch-frequency`.
# *Symbols* uses k-RR.


# %%
def flips(record, sizes, eps, rng):
    """A code of bits for each attribute, each bit flipped."""
    q = 1 / (odds(eps / (2 * len(sizes))) + 1)
    report = []
    for own, k in zip(record, sizes, strict=True):
        code = [int(x == own) for x in range(k)]
        report.append(tuple(bit ^ toss(q, rng) for bit in code))
    return tuple(report)


def krr(x, k, eps, rng):
    """k-RR over 0, …, k − 1."""
    if toss(odds(eps) / (odds(eps) + k - 1), rng):
        return x
    return pick([y for y in range(k) if y != x], rng)


def symbols(record, sizes, eps, rng):
    """A value for each attribute, by k-RR."""
    each = zip(record, sizes, strict=True)
    return tuple(krr(own, k, eps / len(sizes), rng) for own, k in each)


for client in (flips, symbols):
    print(client.__name__, client(PEOPLE["Ana"], SIZES, EPS, rng))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Diagram", "figure": {"name": "fig-joint-tree", "caption": "Flips for the value 0 of two, with code (1, 0) and budget 2 ln 3."}, "image": {"alt": "Tree with two forks. The first bit is flipped with probability 1/4, then the second bit. The leaves are (0, 1) with 1/16, (0, 0) with 3/16, (1, 1) with 3/16 and (1, 0) with 9/16."}}
look = {"steps": ["first bit", "second bit"], "options": [["flipped", "kept"]] * 2}
diagram.tree(lambda x, rng: flips((x,), (2,), 2 * log(3), rng)[0], 0, **look)
plt.show()

# %% [markdown]
# For two values ({numref}`fig-joint-tree`), flips is symbols with some answers erased.
# Exactly one flip makes both bits equal, with probability $2q(1-q)$ for either value, so such a report carries no information.
# Otherwise, the odds of truth and lie are $(1-q)^2 : q^2 = e^{\varepsilon/d}$, as in symbols.
#
# (sec-joint-epsilon)=
# ## Whose ε?
#
# :::{prf:theorem} Budgets of a record and of an attribute
# :label: thm-joint-epsilon
# Flips and symbols are exactly ε-LDP for whole records.
# For two records that differ in one attribute, the largest ratio of probabilities is $e^{\varepsilon/d}$.
# :::
#
# :::{prf:proof}
# By {prf:ref}`thm-composition`, the budgets of the attributes in which two records differ add up.
# The ratio is $e^{\varepsilon/d}$ for each if the report is what the first phone would send without noise.
# In flips, the two codes then differ in two bits, with a factor $e^{\varepsilon/2d}$ each.
# :::
#
# `prove` confirms this for two and three values.

# %%
SMALL = [*product(range(2), range(3))]


def small(client):
    """The client for two attributes."""

    def one(record, eps, rng):
        return client(record, (2, 3), eps, rng)

    one.__name__ = client.__name__
    return one


for client in (flips, symbols):
    print(prove(small(client), SMALL, rounded=False), "\n")

# %% [markdown]
# Some texts call $\varepsilon/d$ the budget.
# It protects an answer if nobody uses the others, but people who cannot walk mostly cannot cook.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: budgets, and what is erased"}
FOUR = 4 * log(3)


def spent(client, differ):
    told = zip(SMALL, laws(lambda x, rng: small(client)(x, FOUR, rng), SMALL), strict=True)
    return max(epsilon([a, b]) for (x, a), (y, b) in product(told, repeat=2) if np.not_equal(x, y).sum() == differ)


found = {(c, m): spent(c, m) / FOUR for c in (flips, symbols) for m in (1, 2)}
check(
    "Budgets",
    "all of ε if both attributes differ, half if one does",
    all(abs(part - m / 2) < 1e-9 for (_, m), part in found.items()),
    control="all of it if one differs",
    caught=all(found[c, 1] < 0.9 for c in (flips, symbols)),
)
two = law(lambda rng: flips((0,), (2,), 2 * log(3), rng)[0])
lost = float(two[0, 0] + two[1, 1])
kept = float(two[1, 0]) / (1 - lost)
check(
    "Erased",
    "two values: 3 of 8 answers are erased, the others are those of symbols",
    abs(lost - 3 / 8) < 1e-9 and abs(kept - 9 / 10) < 1e-9,
    control="those of symbols with half the budget",
    caught=abs(kept - 3 / 4) > 0.1,
)

# %% [markdown]
# (sec-joint-linear)=
# ## Products of scores
#
# Let the report $y_j$ about attribute $j$ support the person's own value $x_j$ with probability $p^*$, and any other with probability $q^*$.
# In symbols, they are those of k-RR; in flips, each bit 1 supports its value, so $p^* = 1-q$ and $q^* = q$.
# The *score* of $x$ is
#
# $$ z_j[x] = \frac{1[y_j \text{ supports } x] - q^*}{p^*-q^*}, \qquad \E z_j[x] = 1[x = x_j], $$ (eq-joint-scores)
#
# where $1[\cdot]$ is 1 if the statement holds, else 0.
# In symbols, the scores sum to 1, as $p^* + (\kappa_j-1)\,q^* = 1$.
# In flips, we make them do so by {ref}`Norm <sec-sensible-norm>`, which leaves the expectations as they are.
#
# The *product score* of a cell is $\prod_j z_j[\omega_j]$.
# The attributes are perturbed independently, so its expectation is 1 for the person's cell and 0 for all others.
# The estimate $\hat\theta_\omega$ is the mean product score of the $n$ people.


# %%
def chances(client, k, budget):
    """p* and q*, for k values and this budget."""
    if client is flips:  # per bit: 2-RR with half the budget
        budget, k = budget / 2, 2
    ratio = exp(budget)
    return ratio / (ratio + k - 1), 1 / (ratio + k - 1)


def scores(support, p, q):
    """Scores of one attribute; a row of 0 and 1 per person."""
    raw = (support - q) / (p - q)
    return raw + (1 - raw.sum(1, keepdims=True)) / raw.shape[1]


def joint(z):
    """Joint table and its standard errors from the scores."""
    each = reduce(lambda a, b: np.einsum("n...,nx->n...x", a, b), z)
    return each.mean(0), each.std(0) / sqrt(len(each))


def supports(client, reports, j, k):
    """Which values of attribute j each report supports."""
    part = np.array([y[j] for y in reports])
    return np.eye(k)[part] if client is symbols else 1.0 * part


# %% [markdown]
# We simulate 20,000 people, whose needs grow with `frail`, for $\varepsilon = 4$:

# %%
n = 20_000
frail = rng.random(n)
needs = rng.random((n, 3)) < frail[:, None] ** 2
home = (2.2 * frail + 0.8 * rng.random(n)).astype(int)
people = np.column_stack([needs, home])


def server(client, reports, chosen, sizes, eps):
    """The joint table of the chosen attributes."""
    budget, z = eps / len(sizes), []
    for j in chosen:
        seen = supports(client, reports, j, sizes[j])
        z.append(scores(seen, *chances(client, sizes[j], budget)))
    return joint(z)


def plus_minus(found, error):
    """Estimates with their standard errors, as text."""
    each = zip(found.flat, error.flat, strict=True)
    return [f"{a:.3f} ± {b:.3f}" for a, b in each]


cells = [*product((0, 1), repeat=2)]
truth = [(people[:, :2] == cell).all(1).mean() for cell in cells]
columns = {"cook, walk": cells, "truth": np.round(truth, 3)}
for client in (flips, symbols):
    reports = [client(x, SIZES, EPS, rng) for x in people.tolist()]
    found = server(client, reports, (0, 1), SIZES, EPS)
    columns[client.__name__] = plus_minus(*found)
table(pd.DataFrame(columns))

# %% [markdown]
# All estimates are within two standard errors; symbols has smaller ones.
#
# For the error of a whole table, let $\nu_j = \E\sum_x z_j[x]^2$, which would be 1 for true answers.
#
# In symbols, $q^* = (1-(p^*-q^*))/\kappa_j$.
# So $(p^*-q^*)(z_j[x]-\frac1{\kappa_j})$ is $1-\frac1{\kappa_j}$ once and $-\frac1{\kappa_j}$ otherwise; the squares sum to $1-\frac1{\kappa_j}$.
# As the scores sum to 1, their squares sum to $\frac1{\kappa_j}$ more than those of $z_j[x]-\frac1{\kappa_j}$.
#
# In flips, the raw score of each bit has variance $\sigma^2 = q(1-q)/(1-2q)^2$.
# After Norm, each score has variance $\sigma^2(1-\frac1{\kappa_j})$, and the squared expectations sum to 1.
# So, whatever the person's value,
#
# $$ \nu_j = \begin{cases} \dfrac1{\kappa_j} + \Big(1-\dfrac1{\kappa_j}\Big)\dfrac{1}{(p^*-q^*)^2} & \text{in symbols,} \\[2ex] 1 + (\kappa_j-1)\,\sigma^2 & \text{in flips.} \end{cases} $$ (eq-joint-noise)
#
# :::{prf:theorem} Error of a joint table
# :label: thm-joint-linear
# Let the people be a random sample.
# The estimates $\hat\theta_\omega$ are unbiased and sum to 1, and two tables from the same reports agree on the attributes that they share.
# If $j$ runs over the attributes of the table,
#
# $$ n\sum_\omega\Var\hat\theta_\omega = \prod_j \nu_j - \sum_\omega\theta_\omega^2. $$ (eq-joint-error)
# :::
#
# :::{prf:proof}
# Summed over the values of one attribute, its factor becomes 1, which leaves the product score of the others.
#
# The variances of the product scores sum to the sum of their mean squares, minus that of the $\theta_\omega^2$.
# The squares sum to $\prod_j\sum_x z_j[x]^2$.
# Given the record, the factors are independent, with the same $\nu_j$ for all values, so the expectation is $\prod_j \nu_j$.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: scores, and the error of a table"}
PI = np.array([0.3, 0.05, 0.1, 0.05, 0.3, 0.2])


def noise(client, k, budget):
    """ν, for an attribute with k values and this budget."""
    p, q = chances(client, k, budget)
    if client is symbols:
        return 1 / k + (1 - 1 / k) / (p - q) ** 2
    return 1 + (k - 1) * q * (1 - q) / (p - q) ** 2


def exact(client, budget=FOUR):
    """Mean product scores of each record, and n times the summed variance; the server believes in this budget."""
    law = (lambda x, rng: small(client)(x, FOUR, rng)), SMALL
    mean, variance = moments(*law, score=lambda y: server(client, [y], (0, 1), (2, 3), budget)[0].ravel())
    return mean, PI @ (variance + mean**2).sum(1) - PI @ PI


stated = {c: noise(c, 2, FOUR / 2) * noise(c, 3, FOUR / 2) - PI @ PI for c in (flips, symbols)}
off = {(c, s): np.abs(exact(c, s * FOUR)[0] - np.eye(6)).max() for c in (flips, symbols) for s in (1.0, 1.2)}
check(
    "Scores",
    "product scores unbiased for all records",
    max(off[c, 1.0] for c in (flips, symbols)) < 1e-9,
    control="a server that believes in 1.2 ε",
    caught=min(off[c, 1.2] for c in (flips, symbols)) > 0.01,
)
check(
    "Error",
    "the variances of all cells sum to the formula",
    all(abs(exact(c)[1] / stated[c] - 1) < 1e-9 for c in (flips, symbols)),
    control="the noise of the other client",
    caught=abs(exact(flips)[1] / stated[symbols] - 1) > 0.01,
)

# %% [markdown]
# (sec-joint-likelihood)=
# ## EM: the likeliest table
#
# Estimated cells can be negative.
# Norm-Sub projects the table; EM finds the one that makes the reports likeliest.
#
# In both clients, a report $y_j$ that supports $x$ and not $x'$ is $e^{\varepsilon/d}$ times as likely for $x$.
# So up to a factor that depends on $y$ alone,
#
# $$ \Pr[y \mid \omega] \propto w_{y\omega} = \prod_j \big(e^{\varepsilon/d}\big)^{1[y_j \text{ supports } \omega_j]}. $$ (eq-joint-likelihood)
#
# Let $C_y$ of the $n$ people send reports with the weights of $y$.
# As in {eq}`eq-sensible-any`, up to a constant, the mean log-likelihood is $\bar L(\theta) = \sum_y \frac{C_y}{n}\ln\sum_\omega w_{y\omega}\,\theta_\omega$, with the derivatives
#
# $$ G_\omega = \frac{\partial \bar L}{\partial\theta_\omega} = \sum_y \frac{C_y}{n}\cdot\frac{w_{y\omega}}{\sum_{\omega'} w_{y\omega'}\,\theta_{\omega'}}. $$
#
# One step of EM replaces each $\theta_\omega$ by $\theta_\omega\,G_\omega$, and $\bar L$ rises to its maximum.


# %%
def em(W, C, gap=1e-7, most=100_000):
    """The path of EM from equal shares, until max G − 1 ≤ gap."""
    path = [np.full(W.shape[1], 1 / W.shape[1])]
    for _ in range(most):
        G = W.T @ (C / C.sum() / (W @ path[-1]))
        if G.max() - 1 <= gap:
            break
        path.append(path[-1] * G)
    return np.array(path)


# %% [markdown]
# Let 400 people answer two yes-or-no questions by symbols, with $e^{\varepsilon/d} = 3$.
# `C` counts their reports, “0, 0” to “1, 1”.

# %%
W = np.array([[9, 3, 3, 1], [3, 9, 1, 3], [3, 1, 9, 3], [1, 3, 3, 9]])
C = np.array([150, 70, 70, 110])
each = scores(np.eye(2), 3 / 4, 1 / 4)  # p* and q*
linear = C / 400 @ np.kron(each, each)  # all products
path = em(W, C)
print("product scores ", linear.round(3))
print("Norm-Sub       ", norm_sub(linear).round(3))
print(f"EM, {len(path) - 1} steps  ", path[-1].round(3))

# %% [markdown]
# (sec-joint-convergence)=
# ### When to stop
#
# :::{prf:theorem} How far the maximum is
# :label: thm-joint-certificate
# For two tables $\theta$ and $\theta'$ without negative cells,
#
# $$ \bar L(\theta') - \bar L(\theta) \le \sum_\omega G_\omega\,(\theta'_\omega - \theta_\omega) \le \max_\omega G_\omega - 1. $$ (eq-joint-certificate)
# :::
#
# :::{prf:proof}
# The logarithm of a linear function is concave, so $\bar L$ is concave, and lies below its tangents.
# Here, $\sum_\omega G_\omega\,\theta_\omega = 1$, and the $\theta'_\omega \ge 0$ sum to 1.
# :::
#
# `em` stops by this bound.
#
# ### The bias of EM
#
# EM has no negative cells, so it overestimates rare cells.
# In 2,000 surveys, let 400 people be in the cells “0, 0” and “1, 1” alone, with probabilities 0.6 and 0.4:

# %%
pi = np.array([0.6, 0, 0, 0.4])
surveys = rng.multinomial(400, W @ pi / 16, 2000)
likeliest = maximum_likelihood(W, surveys).shares  # by the package
linears = surveys / 400 @ np.kron(each, each)
print("mean of product scores:", linears.mean(0).round(3))
print("mean of EM:            ", likeliest.mean(0).round(3))

# %% [markdown]
# More people reduce this bias; averaging many surveys does not.
# So take product scores for averages and sums, and EM to show one table.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: EM, its bound and its bias"}
lacks = C @ np.log(W @ path[-1]) / 400 - np.log(path @ W.T) @ C / 400
bound = np.array([(W.T @ (C / 400 / (W @ theta))).max() - 1 for theta in path])
check(
    "Bound",
    "the missing likelihood falls and stays below the bound",
    bool((np.diff(lacks) < 1e-12).all() and (lacks <= bound + 1e-12).all()),
    control="the largest change of a cell as a bound",
    caught=bool((lacks[:-1] > np.abs(np.diff(path, axis=0)).max(1)).any()),
)
best = maximum_likelihood(W, C).shares
check(
    "EM",
    "the path ends at the package's maximum",
    np.abs(path[-1] - best).max() < 1e-4,
    control="ten steps",
    caught=np.abs(path[10] - best).max() > 1e-3,
)
far = 6 * linears.std(0) / sqrt(2000)
check(
    "Bias",
    "product scores within six standard errors of the truth",
    bool((np.abs(linears.mean(0) - pi) < far).all()),
    control="EM",
    caught=bool((np.abs(likeliest.mean(0) - pi) > far).all()),
)

# %% [markdown]
# (sec-joint-dies)=
# ## How large can a table be?
#
# By {eq}`eq-joint-error`, each further attribute of the table multiplies its squared error by about $\nu_j$; $d$ stays.
# The table of equal shares, which ignores the reports, has squared error $\sum_\omega\theta_\omega^2 - \frac1K < 1$ if there are $K$ cells.
# We call a table *useless* if its variances sum to more than 1: then equal shares are better, whatever the truth.
# In {numref}`fig-joint-dies`, left, tables of four attributes are useless at $\varepsilon = 2$.
#
# ### Flips or symbols?
#
# By {eq}`eq-joint-noise`, symbols is at least as good as flips if and only if
#
# $$ \kappa_j \le e^{3\varepsilon/2d} + e^{\varepsilon/2d} + 2 $$ (eq-joint-which)
#
# (Exercise 1).
# The right-hand side exceeds 4, so symbols is better for two, three or four values.
#
# (sec-joint-better)=
# ### Or draw a pair
#
# Instead of splitting the budget, the phone can draw a public pair of attributes, and send its cell by k-RR with all of ε.
# The draw ignores the record, so this is ε-LDP.


# %%
def drawn_pair(record, sizes, eps, rng):
    """One pair of attributes, and its cell by k-RR."""
    a, b = pick([*combinations(range(len(sizes)), 2)], rng)
    cell = record[a] * sizes[b] + record[b]
    return (a, b), krr(cell, sizes[a] * sizes[b], eps, rng)


def pair_server(reports, pair, sizes, eps):
    """The table of a pair and its standard errors."""
    told = [y for asked, y in reports if asked == pair]
    k = sizes[pair[0]] * sizes[pair[1]]
    p, q = chances(symbols, k, eps)
    return joint([scores(np.eye(k)[told], p, q)])


def three(record, eps, rng):
    return drawn_pair(record, (2, 2, 2), eps, rng)


print(prove(three, [*product((0, 1), repeat=3)], rounded=False))
reports = [drawn_pair(x, SIZES, EPS, rng) for x in people.tolist()]
found = pair_server(reports, (0, 1), SIZES, EPS)
print("drawn pair:", *plus_minus(*found))

# %% [markdown]
# Each of the $\frac{d(d-1)}2$ pairs is answered by about equally many people, like one attribute with $K$ values.
# So the squared error is about $\frac{d(d-1)}2$ times that of {eq}`eq-joint-error` with its single $\nu$, for all of ε.


# %%
def error_of(clients, k, budget):
    """Summed variances, uniform shares."""
    each = [noise(client, k, budget) for client in clients]
    return (np.prod(each) - k ** -len(each)) / n


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-joint-dies", "caption": "Squared error of a table, summed over its cells; 20,000 people, six attributes, uniform shares. Left: symbols, two values. Right: a pair, eight values. Lines: formulas. Marks: means of 100 surveys, 95 % intervals."}, "image": {"alt": "Two panels, squared error on a logarithmic axis, and a grey line at 1. Left, against the number of attributes from 1 to 5: rising lines; that for epsilon 2 crosses 1 between three and four, those for 4 and 8 stay below. Right, against epsilon: drawn pair is lowest up to 12; flips and symbols cross near 6, and symbols is lowest at the end."}}
def seen_error(m, budget):
    """Summed squared errors of one survey by symbols, two values each."""
    each = scores(np.eye(2), *chances(symbols, 2, budget))
    told = rng.multinomial(n, [0.5**m] * 2**m)  # uniform, as people are
    return ((reduce(np.kron, [each] * m) @ told / n - 0.5**m) ** 2).sum()


cases = product((2, 4, 8), range(1, 6), range(100))
dying = [(f"ε = {e}", m, error_of([symbols] * m, 2, e / 6), seen_error(m, e / 6)) for e, m, _ in cases]
which = [(c.__name__, e, error_of([c] * 2, 8, e / 6)) for c in (flips, symbols) for e in range(1, 17)]
which += [("drawn pair", e, 15 * error_of([symbols], 64, e)) for e in range(1, 17)]
left = {"data": pd.DataFrame(dying, columns=["", "attributes", "error", "seen"]), "x": "attributes"}
right = {"data": pd.DataFrame(which, columns=["", "ε", "error"]), "x": "ε"}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.8), sharey=True)
names = ["ε = 2", "ε = 4", "ε = 8"]
sns.lineplot(**left, y="error", ax=axes[0], **theory("", names))
sns.lineplot(**left, y="seen", ax=axes[0], **simulation("", names))
sns.lineplot(**right, y="error", ax=axes[1], **theory("", ["flips", "symbols", "drawn pair"]))
for ax, x in zip(axes, ("attributes in the table", "ε of the record"), strict=True):
    ax.axhline(1, color="gray", linewidth=1, linestyle="-", marker="")
    ax.text(0.98, 1.2, "useless", transform=ax.get_yaxis_transform(), color="gray", ha="right")
    ax.set(yscale="log", xlabel=x, ylabel="squared error")
    label_lines(ax)
axes[0].set(xticks=range(1, 6))
plt.show()

# %% [markdown]
# - If pairs are enough, draw one unless ε is large (then split): at $\varepsilon = 4$, its squared error in the figure is less than a fiftieth of the others'; at $\varepsilon = 1$, even it is useless.
#   In our survey, symbols has 1.7 times its squared error.
# - Draw triples likewise: for six two-valued attributes at $\varepsilon = 4$, splitting has more than six times the squared error.
# - {cite:t}`cormode2018marginal` compare such designs; {ref}`ch-publish` draws larger blocks.
#
# (sec-joint-information)=
# ## Noise looks like association
#
# The *mutual information* measures how strongly an attribute $A$ and a set $\Pi$ of others go together.
# Let a cell of their joint table have a value $x$ of $A$ and values $u$ of $\Pi$, with single shares $\theta_x$ and $\theta_u$:
#
# $$ I(A;\Pi) = \sum_{x,u} \theta_{xu}\ln\frac{\theta_{xu}}{\theta_x\,\theta_u}. $$
#
# It is 0 for independent attributes, else positive.
# We take the nonnegative tables of EM.

# %%
even = rng.multinomial(400, [0.25] * 4, 2000)  # equal shares
even = maximum_likelihood(W, even).shares
named = {"equal shares, EM": even, "0.6 and 0.4": pi}
named["0.6 and 0.4, EM"] = likeliest
for name, tables in named.items():
    found = attributes.information(tables.reshape(-1, 2, 2), axes=2)
    print(name, found.mean().round(3))

# %% [markdown]
# Noise weakens this strong association, but independent attributes seem associated.
# Let them be nearly uniform, and no mean product score negative.
# For symbols, EM then gives these means, which fit all reports exactly.
#
# 1. Write $\hat\theta_{xu} = \hat\theta_x\hat\theta_u(1+\delta_{xu})$; the sum of $\hat\theta_x\hat\theta_u\,\delta_{xu}$ is 0.
#    As $(1+\delta)\ln(1+\delta) \approx \delta+\frac{\delta^2}2$, the first line below follows.
# 2. Up to $(\hat\theta_x-\theta_x)(\hat\theta_u-\theta_u)$, of order $\frac1n$, $\hat\theta_{xu}-\hat\theta_x\hat\theta_u$ is the mean of $(z_A[x]-\theta_x)(\prod_{j\in\Pi} z_j[u_j]-\theta_u)$.
#    These two factors are independent, with mean 0.
# 3. So the mean square is the product of their variances over $n$.
#    As $\theta_x = 1/\kappa_A$, those of the first factor, divided by $\theta_x$, sum to $\kappa_A\nu_A-1$; the second factor is alike.
#
# $$ \begin{aligned} \hat I &\approx \sum_{x,u}\frac{\hat\theta_x\hat\theta_u\,\delta_{xu}^2}2 \approx \sum_{x,u} \frac{(\hat\theta_{xu}-\hat\theta_x\hat\theta_u)^2}{2\,\theta_x\theta_u}, \\ \E\hat I &\approx \frac{1}{2n}\,(\kappa_A\,\nu_A-1)\Big(\prod_{j\in\Pi} \kappa_j\,\nu_j-1\Big). \end{aligned} $$ (eq-joint-bias)
#
# For the equal shares above, $\nu = \frac52$ gives $\frac{4\cdot4}{800} = 0.020$.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: which client, and the bias of information"}
def most(budget):
    return max(k for k in range(2, 300) if noise(symbols, k, budget) <= noise(flips, k, budget) * (1 + 1e-9))


BUDGETS = (0.1, 0.5, 1.0, 2.0, 3.0)
check(
    "Which",
    "five budgets: symbols is better up to the limit; drawn triples",
    all(most(s) == int(exp(1.5 * s) + exp(s / 2) + 2) for s in BUDGETS)
    and error_of([symbols] * 3, 2, 4 / 6) > 6 * 20 * error_of([symbols], 8, 4),
    control="the limit 3 e^(ε/d)",
    caught=any(most(s) != int(3 * exp(s)) for s in BUDGETS),
)
made = {flips: BitFlip(sizes=(2, 3, 3), f=0.5), symbols: [GRR(k=k, epsilon=2 * log(3)) for k in (2, 3, 3)]}
a = {(c, k): k * noise(c, k, 2 * log(3)) for c in made for k in (2, 3)}
bias = {c: (a[c, 2] - 1) * (a[c, 3] ** 2 - 1) / 2000 for c in made}
check(
    "Information",
    "the bias is the package's, for both clients",
    all(abs(bias[c] / attributes.information_bias(m, 0, (1, 2), 1000) - 1) < 1e-9 for c, m in made.items()),
    control="that of the other client",
    caught=abs(bias[flips] / bias[symbols] - 1) > 0.05,
)

# %% [markdown]
# (sec-joint-wrong)=
# ## What can go wrong
#
# - *Norm-Sub for overlapping tables.*
#   Estimates of “cook, walk” and “walk, dress” agree on walking, until Norm-Sub changes each alone.
#
# (sec-joint-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 8 minutes)
# Derive {eq}`eq-joint-which` from {eq}`eq-joint-noise`.
# Write $t = e^{\varepsilon/2d}$.
# :::
#
# :::{dropdown} Solution
# In symbols, $p^*-q^* = (t^2-1)/(t^2+\kappa-1)$, so $\frac{1}{p^*-q^*} = 1 + \frac{\kappa}{t^2-1}$.
# In flips, $1-2q = (t-1)/(t+1)$ and $q(1-q) = t/(t+1)^2$, so $\sigma^2 = t/(t-1)^2$.
# In {eq}`eq-joint-noise`, multiply both lines by $\kappa$, subtract 1, and divide by $\kappa-1$.
# Symbols is no worse if
#
# $$ \begin{aligned} \Big(1+\frac{\kappa}{t^2-1}\Big)^2 &\le 1 + \frac{\kappa\,t}{(t-1)^2}, \\[1ex] \frac{2\kappa}{t^2-1} + \frac{\kappa^2}{(t^2-1)^2} &\le \frac{\kappa\,t}{(t-1)^2}, \\[1ex] 2\,(t^2-1) + \kappa &\le t\,(t+1)^2 = t^3 + 2t^2 + t. \end{aligned} $$
#
# For the last line, multiply by $(t^2-1)^2/\kappa$.
# It says $\kappa \le t^3 + t + 2$.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Another survey asks 20,000 people whether they need help with cooking, and for their place of birth, one of 30, all equally likely.
# Those from places 21 to 29 need help.
# Write a client that uses flips for attributes with more values than {eq}`eq-joint-which` allows, and symbols for others.
# Write the estimator of their joint table, and try it at $\varepsilon = 4$.
# :::
#
# :::{dropdown} Solution
# ```python
# def kind(k, budget):
#     return symbols if k <= exp(1.5 * budget) + exp(budget / 2) + 2 else flips
#
#
# def mixed(record, sizes, eps, rng):
#     budget = eps / len(sizes)
#     return tuple(kind(k, budget)((x,), (k,), budget, rng)[0] for x, k in zip(record, sizes))
#
#
# def mixed_server(reports, chosen, sizes, eps):
#     budget, z = eps / len(sizes), []
#     for j in chosen:
#         how = kind(sizes[j], budget)
#         seen = supports(how, reports, j, sizes[j])
#         z.append(scores(seen, *chances(how, sizes[j], budget)))
#     return joint(z)
#
#
# sizes = (2, 30)
# folk = [(int(x > 20), x) for x in rng.integers(30, size=20_000).tolist()]
# reports = [mixed(x, sizes, 4.0, rng) for x in folk]
# found, error = mixed_server(reports, (0, 1), sizes, 4.0)
# print(found[:, 20:22], error[:, 20:22])  # truth: 1/30 in (0, 20) and (1, 21), else 0
# # one run: [[0.040, -0.004], [-0.010, 0.032]], with errors 0.006 (upper row) and 0.005
# ```
#
# Every attribute spends $\varepsilon/d$, so the record spends ε, and {eq}`eq-joint-error` holds with each attribute's own $\nu_j$.
# :::
#
# :::{admonition} Exercise 3 (think, 6 minutes)
# Why not treat our records, of 24 cells, as one item and use k-RR with all of ε?
# Compare the products of the $\nu_j$ at $\varepsilon = 4$.
# Then let there be 16 two-valued attributes, and compare the tables of a pair.
# There, k-RR over records has $\nu = \frac14 + \frac34/(p^*-q^*)^2$, since adding cells keeps $p^*-q^*$.
# :::
#
# :::{dropdown} Solution
# For 24 cells, $p^*-q^* = (e^4-1)/(e^4+23) = 0.69$, so $\nu = 2.05$ for the table of all four attributes.
# Symbols has $2.84^3 \cdot 5.36 = 123$, so k-RR over records is far better here.
# For 16 attributes, there are 65,536 cells, and $p^*-q^* = 0.0008$.
# Even pairs are useless: $\nu$ is above a million, and symbols has $32.8^2 = 1{,}078$.
# So the number of cells must not be much above $e^\varepsilon$.
# :::
#
# ## Summary
#
# - Each attribute is perturbed with $\varepsilon/d$, and the record spends ε.
# - Products of scores give unbiased joint tables; each further attribute multiplies the error.
# - EM finds the likeliest table; the largest derivative shows when to stop.
# - Take symbols for few values and flips for many; if pairs are enough and ε is not large, draw one.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $d$ | number of keys, or of attributes |
# | $\kappa_j$ | number of values of attribute $j$, where a person has several attributes |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $q$ | chance that the bit of another item is set |
# | $\theta_\omega$ | share of the people in cell $\omega$, with a value $\omega_j$ for each attribute |
# | $z_j[x]$ | score of value $x$ of attribute $j$ (here only) |
# | $\nu_j$ | mean of the sum of the squared scores of attribute $j$ |
# | $\sigma^2$ | variance of the raw score of a bit (here only) |
# | $w_{y\omega}$ | likelihood of report $y$ in cell $\omega$, up to a factor (here only) |
# | $C_y$ | number of people who send report $y$ (here only) |
# | $\bar L$ | mean log-likelihood of a report (here only) |
# | $G_\omega$ | derivative of $\bar L$ for cell $\omega$ (here only) |
# | $K$ | number of cells of a table (here only) |
# | $A$ | an attribute (here only) |
# | $\Pi$ | set of others (here only) |
# | $I$ | mutual information of an attribute and a set of others |
#
# Next, {ref}`ch-bayesnet` puts many small tables together.
