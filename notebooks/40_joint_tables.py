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
# But noise multiplies, too: tables of two attributes work, tables of many do not.
# If pairs are enough, it is often better to draw one.
# :::
#
# :::{zh}
# 每个人有一条由 $d$ 个属性组成的记录，每个属性各自以 $\varepsilon/d$ 扰动后上报，服务器要估计若干属性的联合分布表。
# 扰动方式有两种：flips 翻转一元编码的每一位，symbols 对每个属性使用 k-RR；整条记录恰好满足 $\varepsilon$-本地化差分隐私。
# 每份报告对每个属性给出一组得分，得分相乘再取平均，就是逆矩阵乘积给出的无偏估计，其方差可以精确写出。
# EM 算法求最大似然估计；似然是凹函数，由导数可知离最大值还有多远；这种估计没有负值，但有偏。
# 表中每增加一个属性，噪声就乘上一个因子，因此只有少数几个属性的表可用。
# 取值少的属性宜用 symbols，取值多的宜用 flips。
# 若只需要两个属性的表，公开抽取一对属性并用全部预算上报，除非 $\varepsilon$ 很大，否则好得多。
# :::
#
# You need k-RR and unary encoding from {ref}`ch-frequency`, and Norm-Sub and EM from {ref}`ch-sensible`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from functools import reduce
from itertools import combinations, product
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.special import rel_entr

from ldpnb import GRR, BitFlip, attributes, epsilon, law, laws, moments, prove
from ldpnb.book import check, diagram, label_lines, simulation, style, table, theory
from ldpnb.chance import odds, pick, toss
from ldpnb.postprocess import maximum_likelihood, norm_sub

style()
rng = np.random.default_rng(2019)

# %% [markdown]
# (sec-joint-question)=
# ## Neither cook nor walk
#
# A care survey asks older people $d = 4$ questions.
# Each question is an *attribute*; attribute $j$ has $\kappa_j$ values, numbered from 0.
# The first three have the values 0 (no help needed) and 1 (help needed).
# The last has three: living alone, with family, or in a care home.
# A person's answers are her *record*.

# %%
ATTRIBUTES = ["cook", "walk", "dress", "home"]
SIZES = (2, 2, 2, 3)
PEOPLE = {"Ana": (1, 1, 0, 2), "Ben": (0, 0, 0, 0)}
PEOPLE |= {"Cleo": (1, 1, 1, 1), "Dev": (0, 0, 1, 0)}
for name, record in PEOPLE.items():
    print(name, dict(zip(ATTRIBUTES, record, strict=True)))

# %% [markdown]
# Half of them need help with cooking, half with walking.
# From this alone, the share who need both could be anything from 0 to ½.
# So the server wants the *joint table*: the share $\theta_\omega$ of people in each *cell* $\omega$.
# A cell has a value $\omega_j$ for each attribute of the table, as in “cook 1, walk 1”.
#
# **Can the server learn joint tables if the phone perturbs each attribute by itself?**
#
# (sec-joint-client)=
# ## Flips and symbols
#
# Both clients of this lesson treat every attribute alone and give it the budget $\varepsilon/d$.
#
# *Flips* writes the value as a *unary code*, one bit per value, all 0 but that of the person's own value.
# Then it flips each bit with probability $q^* = 1/(e^{\varepsilon/2d}+1)$.
# This is SUE from {ref}`ch-frequency` for each attribute, as in {cite:t}`ren2019bayesnet`.
# *Symbols* uses k-RR for each attribute.
# Here `toss(p, rng)` is a coin with probability `p`, and `odds(eps)` is $e^\varepsilon$.


# %%
def flips(record, sizes, eps, rng):
    """A code of bits for each attribute, each bit flipped."""
    q = 1 / (odds(eps / (2 * len(sizes))) + 1)
    report = []
    for own, k in zip(record, sizes, strict=True):
        code = [x == own for x in range(k)]
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


def text(code):
    """Bits as digits."""
    return "".join("01"[bit] for bit in code)


print("flips:  ", *map(text, flips(PEOPLE["Ana"], SIZES, 4.0, rng)))
print("symbols:", *symbols(PEOPLE["Ana"], SIZES, 4.0, rng))

# %% [markdown]
# {numref}`fig-joint-tree` shows flips for a single attribute.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Diagram", "figure": {"name": "fig-joint-tree", "caption": "Flips for an attribute with two values and a person with value 0, whose code is 10. Each bit is flipped with probability 1/4; the budget is 2 ln 3."}, "image": {"alt": "Tree with two forks. The first bit is flipped with probability one quarter, then the second bit. The leaves are 01 with 1/16, 00 with 3/16, 11 with 3/16 and 10 with 9/16."}}
codes = product((False, True), repeat=2)
diagram.tree(
    lambda x, rng: flips((x,), (2,), 2 * log(3), rng)[0],
    0,
    steps=["first bit", "second bit"],
    options=[["flipped", "kept"]] * 2,
    names={code: text(code) for code in codes},
)
plt.show()

# %% [markdown]
# The codes 00 and 11 are equally likely for both values, so they say nothing.
# The codes 10 and 01 have the odds $9:1$, where 9 is $e^{\varepsilon/d}$.
#
# :::{prf:theorem} Two bits are randomized response with answers thrown away
# :label: thm-joint-erased
# For an attribute with two values, flips is symbols with each answer replaced by “no answer” with a fixed probability.
# :::
#
# Indeed, let each bit be flipped with probability $q^*$.
# Exactly one flip, which has probability $2q^*(1-q^*)$ for either value, gives 00 or 11.
# Otherwise, the odds of truth and lie are $(1-q^*)^2 : q^{*2} = e^{\varepsilon/d}$, as in symbols.
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
# By {prf:ref}`thm-composition`, the budgets of the attributes in which two records differ add up.
# Each contributes exactly $\varepsilon/d$ if the report is the first record's true code.
# In symbols, the value then has the factor $e^{\varepsilon/d}$.
# In flips, the two codes differ in two bits, and each bit has the factor $e^{\varepsilon/2d}$.
#
# `prove` confirms this for every ε, for attributes with two and three values.
# Input 4 is the record $(1, 1)$.

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
# Some texts state only $\varepsilon/d$, which protects one answer with the others fixed.
# But people who cannot walk mostly cannot cook, so answers give each other away.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: budgets, and what is thrown away"}
FOUR = 4 * log(3)


def spent(client, differ):
    """The exact ε of records that differ in so many attributes, at 4 ln 3."""
    told = laws(lambda x, rng: small(client)(x, FOUR, rng), SMALL)
    pairs = product(zip(SMALL, told, strict=True), repeat=2)
    return max(epsilon([a, b]) for (x, a), (y, b) in pairs if np.not_equal(x, y).sum() == differ)


found = {(c, m): spent(c, m) / FOUR for c in (flips, symbols) for m in (1, 2)}
check(
    "Budgets",
    "two attributes: all of ε if both differ, half of it if one does",
    all(abs(part - m / 2) < 1e-9 for (_, m), part in found.items()),
    control="all of it if one differs",
    caught=all(found[c, 1] < 0.9 for c in (flips, symbols)),
)
two = law(lambda rng: flips((0,), (2,), 2 * log(3), rng)[0])
lost = float(two[False, False] + two[True, True])
kept = float(two[True, False]) / (1 - lost)
check(
    "Thrown away",
    "two values: 3 of 8 answers say nothing, the others are those of symbols",
    abs(lost - 3 / 8) < 1e-9 and abs(kept - 9 / 10) < 1e-9,
    control="those of symbols with half the budget",
    caught=abs(kept - 3 / 4) > 0.1,
)

# %% [markdown]
# (sec-joint-linear)=
# ## Products of inverse matrices
#
# In symbols, a report $y_j$ supports the person's own value with probability $p^*$, and any other with probability $q^*$:
#
# $$ p^* = \frac{e^{\varepsilon/d}}{e^{\varepsilon/d}+\kappa_j-1}, \qquad q^* = \frac{1}{e^{\varepsilon/d}+\kappa_j-1}. $$
#
# Write these probabilities as a matrix, with a row per report and a column per value.
# For two values, the matrix and its inverse are
#
# $$ \begin{pmatrix} p^* & q^* \\ q^* & p^* \end{pmatrix} \qquad\text{and}\qquad \frac{1}{p^*-q^*}\begin{pmatrix} 1-q^* & -q^* \\ -q^* & 1-q^* \end{pmatrix}. $$ (eq-joint-inverse)
#
# For more values, the inverse has the same entries, on and off its diagonal.
# Before the division, the product of both matrices has $p^* - q^*(p^* + (\kappa_j-1)\,q^*) = p^*-q^*$ on its diagonal.
# Elsewhere it has $-q^*$ times $p^* + (\kappa_j-1)\,q^* - 1 = 0$.
# A column of the inverse belongs to a report, and its entries are the *scores* of the values:
#
# $$ z_j[x] = \frac{1[y_j \text{ supports } x] - q^*}{p^*-q^*}, \qquad \E z_j[x] = 1[x = x_j], $$ (eq-joint-scores)
#
# where $1[\cdot]$ is 1 if the statement holds, else 0, and $x_j$ is the person's own value.
#
# In flips, each set bit supports its value, so $p^* = 1-q^*$, and {eq}`eq-joint-scores` holds, too.
# But these scores need not sum to 1.
# To make them do so, we add the same number to all $\kappa_j$, as Norm does ({ref}`ch-sensible`).
# Their expectations already sum to 1, so this number has expectation 0.
#
# Two attributes are perturbed independently, so the matrix of both reports has the products of the entries of both matrices.
# This is their *Kronecker product*, `np.kron`, and its inverse is the Kronecker product of the inverses.
# The *product score* of a cell is $\prod_j z_j[\omega_j]$, and
#
# $$ \E\prod_j z_j[\omega_j] = \prod_j 1[\omega_j = x_j] = 1[\omega \text{ is the person's cell}]. $$
#
# The estimate $\hat\theta_\omega$ is the mean product score of the $n$ people.
# Its standard error is the standard deviation of the product scores over $\sqrt n$.


# %%
def chances(client, k, budget):
    """p* and q*, where an attribute with k values has this budget."""
    if client is symbols:
        return exp(budget) / (exp(budget) + k - 1), 1 / (exp(budget) + k - 1)
    q = 1 / (exp(budget / 2) + 1)
    return 1 - q, q


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
    return np.eye(k)[part] if client is symbols else part.astype(float)


# %% [markdown]
# We simulate 20,000 people, whose needs grow with `frail`.
# For $\varepsilon = 4$, each attribute has budget 1:

# %%
n, eps = 20_000, 4.0
frail = rng.random(n)
needs = rng.random((n, 3)) < frail[:, None] ** 2
home = (2.2 * frail + 0.8 * rng.random(n)).astype(int)
people = np.column_stack([needs, home])


def ask(client, chosen):
    """Supports and scores of the chosen attributes."""
    reports = [client(x, SIZES, eps, rng) for x in people.tolist()]
    budget, seen, z = eps / len(SIZES), [], []
    for j in chosen:
        seen.append(supports(client, reports, j, SIZES[j]))
        z.append(scores(seen[-1], *chances(client, SIZES[j], budget)))
    return seen, z


def plus_minus(found, error):
    """Estimates with their standard errors, as text."""
    each = zip(found.flat, error.flat, strict=True)
    return [f"{a:.3f} ± {b:.3f}" for a, b in each]


CLIENTS = {"flips": flips, "symbols": symbols}
answers = {name: ask(CLIENTS[name], (0, 1)) for name in CLIENTS}
cells = [*product((0, 1), repeat=2)]
truth = [(people[:, :2] == cell).all(1).mean() for cell in cells]
columns = {"cook, walk": cells, "truth": np.round(truth, 3)}
columns |= {name: plus_minus(*joint(z)) for name, (_, z) in answers.items()}
table(pd.DataFrame(columns))

# %% [markdown]
# All estimates are within two standard errors of the truth; symbols has the smaller errors.
#
# How large is the error of a whole table?
# Let $b_j = \E\sum_x z_j[x]^2$, which would be 1 for true answers.
# In symbols, put $q^* = (1-(p^*-q^*))/\kappa_j$ into {eq}`eq-joint-scores`.
# As the scores sum to 1,
#
# $$ \begin{aligned} z_j[x] - \frac1{\kappa_j} &= \frac{1[y_j = x] - \frac1{\kappa_j}}{p^*-q^*}, \\[1ex] \sum_x z_j[x]^2 &= \frac1{\kappa_j} + \sum_x\Big(z_j[x] - \frac1{\kappa_j}\Big)^2 = \frac1{\kappa_j} + \frac{1-\frac1{\kappa_j}}{(p^*-q^*)^2}. \end{aligned} $$
#
# In flips, each bit gives its score an error of variance $\sigma^2 = q^*(1-q^*)/(p^*-q^*)^2$.
# Subtracting the mean of the $\kappa_j$ errors leaves each with variance $\sigma^2(1-\frac1{\kappa_j})$.
# The mean score is 1 for the person's value and 0 for the others.
# So, whatever the person's value is,
#
# $$ b_j = \begin{cases} \dfrac1{\kappa_j} + \Big(1-\dfrac1{\kappa_j}\Big)\dfrac{1}{(p^*-q^*)^2} & \text{in symbols,} \\[2ex] 1 + (\kappa_j-1)\,\sigma^2 & \text{in flips.} \end{cases} $$ (eq-joint-noise)
#
# :::{prf:theorem} Error of a joint table
# :label: thm-joint-linear
# Let the people be a random sample.
# The estimates $\hat\theta_\omega$ are unbiased and sum to 1, and two tables from the same reports agree on the attributes that they share.
# With the product over the attributes of the table,
#
# $$ n\sum_\omega\Var\hat\theta_\omega = \prod_j b_j - \sum_\omega\theta_\omega^2. $$ (eq-joint-error)
# :::
#
# We have seen that $\hat\theta_\omega$ is unbiased.
# Summing a table over the values of one attribute replaces its factor by $\sum_x z_j[x] = 1$, which leaves the table of the others.
#
# A product score has variance $\E(\prod_j z_j[\omega_j])^2 - \theta_\omega^2$; sum over the cells.
# Given the record, the scores of its attributes are independent, and $b_j$ is the same for all values, so
#
# $$ \E\sum_\omega\Big(\prod_j z_j[\omega_j]\Big)^2 = \E\prod_j\sum_x z_j[x]^2 = \prod_j b_j. $$


# %%
def noise(client, k, budget):
    """b, for an attribute with k values and this budget."""
    p, q = chances(client, k, budget)
    if client is symbols:
        return 1 / k + (1 - 1 / k) / (p - q) ** 2
    return 1 + (k - 1) * q * (1 - q) / (p - q) ** 2


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: scores, and the error of a table"}
PI = np.array([0.3, 0.05, 0.1, 0.05, 0.3, 0.2])


def exact(client, shift=1.0):
    """Mean product scores of each record, and n times the summed variance."""

    def score(y):
        z = []
        for j, k in enumerate((2, 3)):
            p, q = chances(client, k, FOUR / 2)
            z.append(scores(supports(client, [y], j, k), p, shift * q))
        return joint(z)[0].ravel()

    mean, variance = moments(lambda x, rng: small(client)(x, FOUR, rng), SMALL, score=score)
    return mean, PI @ (variance + mean**2).sum(1) - PI @ PI


def stated(client):
    return noise(client, 2, FOUR / 2) * noise(client, 3, FOUR / 2) - PI @ PI


off = {(c, shift): np.abs(exact(c, shift)[0] - np.eye(6)).max() for c in (flips, symbols) for shift in (1.0, 1.2)}
check(
    "Scores",
    "sizes 2 and 3: product scores unbiased for all records",
    max(off[c, 1.0] for c in (flips, symbols)) < 1e-9,
    control="q* a fifth too large",
    caught=min(off[c, 1.2] for c in (flips, symbols)) > 0.01,
)
check(
    "Error",
    "sizes 2 and 3: the variances of all cells sum to the formula",
    all(abs(exact(c)[1] / stated(c) - 1) < 1e-9 for c in (flips, symbols)),
    control="the noise of the other client",
    caught=abs(exact(flips)[1] / stated(symbols) - 1) > 0.01,
)

# %% [markdown]
# (sec-joint-likelihood)=
# ## EM: the likeliest table
#
# Estimated cells can be negative.
# You can project the table by Norm-Sub, or look for the one that makes the reports likeliest.
#
# If report $y_j$ supports $x$ and not $x'$, it is $e^{\varepsilon/d}$ times as likely for $x$, in symbols and in flips.
# So up to a factor that depends on $y$ alone,
#
# $$ \Pr[y \mid \omega] \propto A_{y\omega} = \prod_j \big(e^{\varepsilon/d}\big)^{1[y_j \text{ supports } \omega_j]}. $$ (eq-joint-likelihood)
#
# Let $C_y$ of the $n$ people send report $y$.
# The mean log-likelihood, up to a constant, and its derivatives are
#
# $$ \begin{aligned} L(\theta) &= \sum_y \frac{C_y}{n}\ln\sum_\omega A_{y\omega}\,\theta_\omega, \\[1ex] G_\omega = \frac{\partial L}{\partial\theta_\omega} &= \sum_y \frac{C_y}{n}\cdot\frac{A_{y\omega}}{\sum_{\omega'} A_{y\omega'}\,\theta_{\omega'}}. \end{aligned} $$
#
# One step of EM replaces each $\theta_\omega$ by $\theta_\omega\,G_\omega$, and $L$ rises to its maximum ({ref}`ch-sensible`).


# %%
def counted(seen, budget):
    """Distinct rows of A, and how often each came."""
    weights = [exp(budget) ** one for one in seen]
    A = reduce(lambda a, b: np.einsum("n...,nx->n...x", a, b), weights)
    return np.unique(A.reshape(len(A), -1), axis=0, return_counts=True)


def em(A, C, gap=1e-7, most=100_000):
    """The path of EM from equal shares, until max G − 1 ≤ gap."""
    path = [np.full(A.shape[1], 1 / A.shape[1])]
    for _ in range(most):
        G = A.T @ (C / C.sum() / (A @ path[-1]))
        if G.max() - 1 <= gap:
            break
        path.append(path[-1] * G)
    return np.array(path)


# %% [markdown]
# Let 400 people answer two yes-or-no questions by symbols, with $e^{\varepsilon/d} = 3$.
# Of the reports, 150 are “0, 0”, 110 “1, 1”, and 70 each “0, 1” and “1, 0”.
# The two middle cells stay equal, so a plane can show the path ({numref}`fig-joint-em`).

# %%
A = np.array([[9, 3, 3, 1], [3, 9, 1, 3], [3, 1, 9, 3], [1, 3, 3, 9]])
C = np.array([150, 70, 70, 110])
inverse = np.array([[1.5, -0.5], [-0.5, 1.5]])  # p* = 3/4, q* = 1/4
linear = np.kron(inverse, inverse) @ C / 400
path = em(A, C)
print("product scores ", linear.round(3))
print("Norm-Sub       ", norm_sub(linear).round(3))
print(f"EM, {len(path) - 1} steps  ", path[-1].round(3))

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-joint-em", "caption": "EM as a path on the likelihood. Shaded: tables without negative cells. Grey curves: equal likelihood. Green: steps of EM. Arrow: Norm-Sub, from the product scores to the nearest table, 0.005 from EM's end."}, "image": {"alt": "A shaded triangle with the share of cell 0,0 to the right and that of cell 1,1 upwards. Green dots start at one quarter each and move, with ever smaller steps, to a point on the slanted edge, where a grey curve touches it. The product scores lie beyond the edge; an arrow leads back to the edge beside the last dot."}}
x, y = np.meshgrid(*[np.linspace(0, 1, 250)] * 2)
plane = np.stack([x, (1 - x - y) / 2, (1 - x - y) / 2, y], -1)
with np.errstate(invalid="ignore", divide="ignore"):
    L = np.log(plane @ A.T) @ C / 400
levels = [C @ np.log(A @ path[step]) / 400 for step in (0, 2, 6, -1)]

fig, ax = plt.subplots(figsize=(6.4, 4.6))
ax.contour(x, y, L, sorted(levels), colors="#999999", linewidths=0.8)
ax.fill([0, 1, 0], [0, 0, 1], facecolor="#0072B2", alpha=0.1)
ax.plot(path[:, 0], path[:, 3], ".", linestyle="none", color="#009E73")
arrow = {"arrowstyle": "->", "color": "#D55E00", "linewidth": 1.8}
ends = norm_sub(linear)[[0, 3]], linear[[0, 3]]
ax.annotate("", *ends, arrowprops=arrow)
for name, point, move in (
    ("equal\nshares", path[0], (-42, -6)),
    ("product scores", linear, (8, -2)),
    ("maximum likelihood, and\nbeside it Norm-Sub", path[-1], (-10, 130)),
):
    at = point[[0, 3]]
    ax.plot(*at, "o", color="black", markersize=5)
    leader = {"arrowstyle": "-"} if move[1] > 50 else None
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
    ax.annotate(name, at, move, "data", "offset points", leader, bbox=box)
ax.set(xlabel="share of cell 0, 0", ylabel="share of cell 1, 1")
ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
ax.grid(visible=False)
plt.show()

# %% [markdown]
# (sec-joint-convergence)=
# ### When to stop
#
# :::{prf:theorem} How far the maximum is
# :label: thm-joint-certificate
# For any tables $\theta$ and $\theta'$,
#
# $$ L(\theta') - L(\theta) \le \sum_\omega G_\omega\,(\theta'_\omega - \theta_\omega) \le \max_\omega G_\omega - 1. $$ (eq-joint-certificate)
# :::
#
# First, the logarithm of a linear function is concave, so $L$ is concave, and lies below its tangents.
# Second, $\sum_\omega G_\omega\,\theta_\omega = 1$, by the formula of $G_\omega$.
# Third, the shares $\theta'_\omega$ sum to 1.
#
# `em` stops by this bound; an early stop leaves the table too close to equal shares.
#
# ### The bias of EM
#
# EM has no negative cells, so it overestimates rare cells.
# Let 400 people be in the cells “0, 0” and “1, 1” alone, with probabilities 0.6 and 0.4, in 2,000 surveys:

# %%
pi = np.array([0.6, 0, 0, 0.4])
surveys = rng.multinomial(400, A @ pi / 16, 2000)
likeliest = maximum_likelihood(A, surveys).shares  # by the package
linears = surveys / 400 @ np.kron(inverse, inverse)
print("mean of product scores:", linears.mean(0).round(3))
print("mean of EM:            ", likeliest.mean(0).round(3))

# %% [markdown]
# The bias shrinks with more people, but not if you average many surveys.
# For averages and sums, take product scores; to show one table, take EM, here for the survey of 20,000:

# %%
columns = {"cook, walk": cells, "truth": np.round(truth, 3)}
for name, (seen, _) in answers.items():
    likely = em(*counted(seen, eps / len(SIZES)))[-1]
    columns[f"{name}, EM"] = likely.round(3)
table(pd.DataFrame(columns))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: EM, its bound and its bias"}
lacks = C @ np.log(A @ path[-1]) / 400 - np.log(path @ A.T) @ C / 400
bound = np.array([(A.T @ (C / 400 / (A @ theta))).max() - 1 for theta in path])
check(
    "Bound",
    "on the path drawn, the missing likelihood falls and stays below the bound",
    bool((np.diff(lacks) < 1e-12).all() and (lacks <= bound + 1e-12).all()),
    control="the largest change of a cell as a bound",
    caught=bool((lacks[:-1] > np.abs(np.diff(path, axis=0)).max(1)).any()),
)
best = maximum_likelihood(A, C).shares
check(
    "EM",
    "the end of the path is the package's maximum to 0.0001",
    np.abs(path[-1] - best).max() < 1e-4,
    control="ten steps",
    caught=np.abs(path[10] - best).max() > 1e-3,
)
far = 6 * linears.std(0) / sqrt(2000)
check(
    "Bias",
    "2,000 surveys: product scores within six standard errors of the truth",
    bool((np.abs(linears.mean(0) - pi) < far).all()),
    control="EM",
    caught=bool((np.abs(likeliest.mean(0) - pi) > far).all()),
)

# %% [markdown]
# (sec-joint-dies)=
# ## Where the joint table dies
#
# By {eq}`eq-joint-error`, each further attribute multiplies the squared error by about $b_j$.
# The table of equal shares, which needs no survey, has squared error $\sum_\omega\theta_\omega^2 - \frac1K < 1$ if there are $K$ cells.
# So we call a table *dead* if its variances sum to more than 1: then equal shares have the smaller error, whatever the truth.
# In {numref}`fig-joint-dies`, left, tables of four attributes are dead at $\varepsilon = 2$.
#
# ### Flips or symbols?
#
# By {eq}`eq-joint-noise`, symbols has no larger error exactly if
#
# $$ \kappa_j \le e^{3\varepsilon/2d} + e^{\varepsilon/2d} + 2 $$ (eq-joint-which)
#
# (Exercise 1).
# The right-hand side exceeds 4, so symbols is always better for two, three or four values.
#
# (sec-joint-better)=
# ### Or draw a pair
#
# Instead of splitting the budget, the phone can *sample*.
# It publicly draws a pair of attributes, and sends its cell by k-RR with all of ε.
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
    """A drawn pair of three attributes."""
    return drawn_pair(record, (2, 2, 2), eps, rng)


print(prove(three, [*product((0, 1), repeat=3)], rounded=False))
reports = [drawn_pair(x, SIZES, eps, rng) for x in people.tolist()]
found, error = pair_server(reports, (0, 1), SIZES, eps)
print("drawn pair:", *plus_minus(found, error))

# %% [markdown]
# Each of the $\frac{d(d-1)}2$ pairs has its share of the people, and counts as one attribute with its $K$ cells as values.
# With $b$ from {eq}`eq-joint-noise`, for these $K$ values and all of ε,
#
# $$ n\sum_\omega\Var\hat\theta_\omega \approx \frac{d(d-1)}2\Big(b - \sum_\omega\theta_\omega^2\Big). $$ (eq-joint-drawn)
#
# {numref}`fig-joint-dies`, right, compares all three.


# %%
def error_of(clients, k, budget):
    """Summed variances, uniform shares."""
    b = [noise(client, k, budget) for client in clients]
    return (np.prod(b) - k ** -len(b)) / n


def seen_error(m, budget):
    """Summed squared errors of one survey by symbols, two values each."""
    back = scores(np.eye(2), *chances(symbols, 2, budget))
    told = rng.multinomial(n, [0.5**m] * 2**m)  # uniform, as people are
    found = reduce(np.kron, [back] * m) @ told / n
    return ((found - 0.5**m) ** 2).sum()


dying = [
    (f"ε = {e}", m, error_of([symbols] * m, 2, e / 6), seen_error(m, e / 6))
    for e, m, _ in product((2, 4, 8), range(1, 6), range(100))
]
dying = pd.DataFrame(dying, columns=["", "attributes", "error", "seen"])

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-joint-dies", "caption": "Squared error of a table, summed over its cells; 20,000 people, six attributes, uniform shares. Left: symbols, two values. Right: a pair, eight values. Lines: formulas. Marks: means of 100 surveys, 95% intervals. Above the grey line: dead."}, "image": {"alt": "Two panels, squared error on a logarithmic axis, and a grey line at 1. Left, against the number of attributes from 1 to 5: rising lines; that for epsilon 2 crosses 1 between three and four, those for 4 and 8 stay below. Right, against epsilon: drawn pair is lowest up to 12; flips and symbols cross near 6, and symbols is lowest at the end."}}
SPENT = range(1, 17)
which = [("flips", e, error_of([flips] * 2, 8, e / 6)) for e in SPENT]
which += [("symbols", e, error_of([symbols] * 2, 8, e / 6)) for e in SPENT]
which += [("drawn pair", e, 15 * error_of([symbols], 64, e)) for e in SPENT]
which = pd.DataFrame(which, columns=["", "ε", "error"])

fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.8), sharey=True)
names = ["ε = 2", "ε = 4", "ε = 8"]
left = {"x": "attributes", "ax": axes[0]}
sns.lineplot(dying, y="error", **left, **theory("", names))
sns.lineplot(dying, y="seen", **left, **simulation("", names))
look = theory("", ["flips", "symbols", "drawn pair"])
sns.lineplot(which, x="ε", y="error", ax=axes[1], **look)
for ax in axes:
    ax.axhline(1, color="gray", linewidth=1, linestyle="-", marker="")
    ax.text(0.98, 1.2, "dead", transform=ax.get_yaxis_transform(), color="gray", ha="right")
    ax.set(yscale="log", ylabel="squared error")
    label_lines(ax)
axes[0].set(xticks=range(1, 6), xlabel="attributes in the table")
axes[1].set(xlabel="ε of the record")
plt.show()

# %% [markdown]
# - Unless ε is large, draw the pair: at $\varepsilon = 4$, its squared error is less than a fiftieth of the others'.
#   At $\varepsilon = 1$, it is dead, too.
# - For large ε, or if you need tables of three attributes from the same reports, split.
# - {cite:t}`cormode2018marginal` compare such designs; {ref}`ch-publish` draws larger blocks.
#
# (sec-joint-information)=
# ## Noise looks like association
#
# The *mutual information* says how strongly an attribute $X$ and a set $\Pi$ of others go together.
# From their joint table, with a value $x$ of $X$ and values $u$ of $\Pi$ for each cell, it is
#
# $$ I(X;\Pi) = \sum_{x,u} \theta_{xu}\ln\frac{\theta_{xu}}{\theta_x\,\theta_u}, $$
#
# with $\theta_x$ and $\theta_u$ the shares of the single values.
# It is 0 for independent attributes, and positive for others.
# It needs a table without negative cells, so we take that of EM, in surveys of 400 people.


# %%
def information(tables):
    """I for two values each; a table per row."""
    t = tables.reshape(-1, 2, 2)
    alone = t.sum(1, keepdims=True) * t.sum(2, keepdims=True)
    return rel_entr(t, alone).sum((1, 2)).mean()  # 0 ln 0 = 0


even = rng.multinomial(400, [0.25] * 4, 2000)  # equal shares
even = maximum_likelihood(A, even).shares
print(f"equal shares: 0, by EM {information(even):.3f}")
found = [information(x).round(3) for x in (pi, likeliest)]
print("0.6 and 0.4: {}, by EM {}".format(*found))

# %% [markdown]
# So noise weakens this strong association, but makes independent attributes seem associated.
# Suppose the attributes are independent and nearly uniform, and no estimate is negative.
# Write $\hat\theta_{xu} = \hat\theta_x\hat\theta_u(1+e_{xu})$; then $\sum_{x,u}\hat\theta_x\hat\theta_u\,e_{xu} = 0$.
# As $(1+e)\ln(1+e) \approx e+\frac{e^2}2$, the first line follows.
# In the second, we drop $(\hat\theta_x-\theta_x)(\hat\theta_u-\theta_u)$, of order $\frac1n$; the two factors left are independent with mean 0:
#
# $$ \begin{aligned} \hat I &\approx \sum_{x,u}\frac{\hat\theta_x\hat\theta_u\,e_{xu}^2}2 \approx \sum_{x,u} \frac{(\hat\theta_{xu}-\hat\theta_x\hat\theta_u)^2}{2\,\theta_x\theta_u}, \\ \hat\theta_{xu}-\hat\theta_x\hat\theta_u &\approx \text{mean of } (z_X[x]-\theta_x)\Big(\prod_{j\in\Pi} z_j[u_j]-\theta_u\Big), \\ \E\hat I &\approx \frac{\kappa_X\prod_j\kappa_j}{2n}\Big(b_X-\frac1{\kappa_X}\Big)\Big(\prod_{j\in\Pi} b_j-\prod_{j\in\Pi}\frac1{\kappa_j}\Big). \end{aligned} $$ (eq-joint-bias)
#
# For the equal shares above, this is 0.020; it grows with the table, which matters in {ref}`ch-bayesnet`.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: which client, and the bias of information"}
def most(budget):
    """Up to how many values symbols has no more noise."""
    return max(k for k in range(2, 300) if noise(symbols, k, budget) <= noise(flips, k, budget) * (1 + 1e-9))


BUDGETS = (0.1, 0.5, 1.0, 2.0, 3.0)
check(
    "Which",
    "five budgets of an attribute: symbols is better up to the limit stated",
    all(most(s) == int(exp(1.5 * s) + exp(s / 2) + 2) for s in BUDGETS),
    control="the limit 3 e^(ε/d)",
    caught=any(most(s) != int(3 * exp(s)) for s in BUDGETS),
)
made = {flips: BitFlip(sizes=(2, 3, 3), f=0.5), symbols: [GRR(k=k, epsilon=2 * log(3)) for k in (2, 3, 3)]}
bias = {}
for c in made:
    b = [k * noise(c, k, 2 * log(3)) for k in (2, 3, 3)]
    bias[c] = (b[0] - 1) * (b[1] * b[2] - 1) / 2000
check(
    "Information",
    "sizes 2, 3, 3: the bias is the package's, for both clients",
    all(abs(bias[c] / attributes.information_bias(m, 0, (1, 2), 1000) - 1) < 1e-9 for c, m in made.items()),
    control="that of the other client",
    caught=abs(bias[flips] / bias[symbols] - 1) > 0.05,
)

# %% [markdown]
# (sec-joint-wrong)=
# ## What can go wrong
#
# - *Norm-Sub for overlapping tables.*
#   Estimates of “cook, walk” and “walk, dress” agree on walking.
#   After Norm-Sub, which changes each by itself, they need not.
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
# In flips, $p^*-q^* = (t-1)/(t+1)$ and $q^*(1-q^*) = t/(t+1)^2$, so $\sigma^2 = t/(t-1)^2$.
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
# Another survey asks for help with cooking and for the place of birth, one of 30.
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
# Every attribute spends $\varepsilon/d$, so the record spends ε, and {eq}`eq-joint-error` holds with each attribute's own $b_j$.
# :::
#
# :::{admonition} Exercise 3 (think, 6 minutes)
# Our records have 24 cells.
# Why not treat the record as one item and use k-RR with all of ε?
# Compare the products of the $b_j$ at $\varepsilon = 4$.
# Then compare the table of a pair of 16 two-valued attributes.
# There, k-RR over records has $b = \frac14 + \frac34/(p^*-q^*)^2$, since adding cells keeps $p^*-q^*$.
# :::
#
# :::{dropdown} Solution
# For 24 cells, $p^*-q^* = (e^4-1)/(e^4+23) = 0.69$, so $b = 2.05$ for the table of all four attributes.
# Symbols has $2.84^3 \cdot 5.36 = 123$, so k-RR over records is far better here.
# For 16 attributes, there are 65,536 cells, and $p^*-q^* = 0.0008$.
# Even pairs are lost: $b$ is above a million, and symbols has $32.8^2 = 1{,}078$.
# So the number of cells must not be much above $e^\varepsilon$.
# :::
#
# ## Summary
#
# - Each attribute is perturbed with $\varepsilon/d$, and the record spends ε.
# - Products of scores give unbiased joint tables; their error multiplies from attribute to attribute.
# - EM finds the likeliest table; the largest derivative bounds how far it is from the maximum.
# - Take symbols for few values, flips for many, and a drawn pair if pairs are enough, unless ε is large.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $d$ | number of keys, or of attributes |
# | $\kappa_j$ | number of values of attribute $j$, where a person has several attributes |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $\omega$ | a cell: a value $\omega_j$ for each attribute of a table (here only) |
# | $\theta_\omega$ | share of the people in cell $\omega$ (here only) |
# | $z_j[x]$ | score of value $x$ from the report about attribute $j$ (here only) |
# | $b_j$ | mean of the sum of the squared scores of attribute $j$ (here only) |
# | $\sigma^2$ | variance of the error of one bit (here only) |
# | $A_{y\omega}$ | how likely report $y$ is in cell $\omega$, up to a factor (here only) |
# | $C_y$ | number of people who send report $y$ (here only) |
# | $L$ | mean log-likelihood of a report (here only) |
# | $G_\omega$ | derivative of $L$ for cell $\omega$ (here only) |
# | $K$ | number of cells of a table (here only) |
# | $I(X;\Pi)$ | mutual information of an attribute and a set of others (here only) |
#
# Next, {ref}`ch-bayesnet` puts many small tables together.
