# %% [markdown]
# (ch-publish)=
# # A table for the public
#
# *From {cite:t}`ren2018lopub`, and random blocks after {cite:t}`zhang2018calm`; the {ref}`dossier <paper-ren2019>` of {cite:t}`ren2019bayesnet` compares more methods.*
#
# :::{admonition} In one minute
# A magazine asks its readers several private questions, and wants to publish a table that everybody can analyse.
# Its rows must not be real people, so a server invents them.
# In *LoPub*, everybody answers every question, and the server draws rows from small tables of related answers.
# With a small $\varepsilon$, these tables are too noisy.
# A *random block* is better: each reader answers a few questions, drawn at random, with the whole budget.
# :::
#
# :::{zh}
# 本课讨论如何由本地扰动的报告发布一张多属性的合成数据表。
# LoPub 的客户端把每个属性编码为若干比特（一元编码或布隆过滤器），逐位翻转；其隐私性对一切 $\varepsilon$ 得到证明。
# 服务器由报告估计每对属性的联合表，把相关的属性连成图，再三角化、排成联结树，由各个团的表逐团抽取合成记录。
# 整条记录的 $\varepsilon$ 较小时，每个属性只分得一小份，估计几乎全是噪声。
# 另一种办法是随机属性块：每人以全部 $\varepsilon$ 回答随机抽取的几个属性，本课给出其精确方差与最佳块长。
# 最后以 6,366 名读者的答卷在 $\varepsilon=2$ 下完成一次发布，把估计、合成记录与真值并列，并说明读者能从表中得出什么、不能得出什么。
# :::
#
# You need {ref}`ch-joint`, and k-RR from {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from collections import Counter
from itertools import combinations, product
from math import comb, exp, prod, sqrt, tanh

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import GRR, epsilon, laws, max_entropy, moments, prove
from ldpnb.attributes import information, likeliest, symbols
from ldpnb.chance import odds, pick, toss
from ldpnb_book import check, datasets, style, table, theory
from ldpnb_book.studies import publish as study

style()
rng = np.random.default_rng(42)

# %% [markdown]
# (sec-publish-setting)=
# ## Six questions, one table
#
# We take $d = 6$ answers of the 6,366 magazine readers of {ref}`ch-rr`, each turned into yes (1) or no (0) {cite:p}`fair1978theory`.

# %%
answers = datasets.fair()
QUESTIONS = {
    "affair": answers["affair"],
    "good marriage": answers["marriage"] >= 4,
    "children": answers["children"] >= 1,
    "25 or older": answers["age"] >= 25,
    "college": answers["education"] >= 14,
    "skilled job": answers["occupation"] >= 4,
}
NAMES, EPS = list(QUESTIONS), 2.0
readers = np.stack([*QUESTIONS.values()], 1).astype(int)
n, d = readers.shape
table(pd.DataFrame(readers[[0, 2000, 5000]], columns=NAMES))

# %% [markdown]
# Each row is a *record*, and each column an *attribute*.
# The magazine wants to publish *synthetic* rows, drawn from a distribution (law) $\hat P$ that it estimates from private reports.
# Their error is the *average variation distance* (AVD) of {ref}`sec-bayesnet-figures`, here for sets $A$ of $a = 2$, 3 or 4 attributes.
#
# **Can the magazine publish a useful table without seeing one true answer?**
#
# (sec-publish-lopub)=
# ## LoPub: everybody answers everything
#
# In LoPub {cite:p}`ren2018lopub`, the server sees only reports, so its steps cost no privacy.
#
# (sec-publish-person)=
# ### One person
#
# A public *code* turns each value of an attribute into a few bits: one per value, as in flips of {ref}`ch-joint`, a Bloom filter ({ref}`ch-rappor`), or one bit for yes or no.
# The phone flips each bit with probability $q$, and keeps it with $p = 1-q$.

# %%
BIT = [(0,), (1,)]
UNARY = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]  # of three values
BLOOM = [(1, 1, 0, 0), (0, 1, 1, 0), (0, 1, 0, 1)]


def flip(codes, eps):
    """The chance q that a bit is flipped."""
    pairs = [product(code, repeat=2) for code in codes]
    D = sum(max(np.not_equal(*two).sum() for two in p) for p in pairs)
    return 1 / (odds(eps / int(D)) + 1)


def lopub(record, codes, eps, rng):
    """The codes of all values, each bit flipped with chance q."""
    q, own = flip(codes, eps), zip(record, codes, strict=True)
    bits = [int(bit) for x, code in own for bit in code[x]]
    return tuple(bit ^ toss(q, rng) for bit in bits)


print(lopub((1, 2), [BIT, UNARY], EPS, rng))

# %% [markdown]
# Let $D_j$ be the largest number of bits in which two values of attribute $j$ differ, and $D = \sum_j D_j$.
#
# :::{prf:theorem} LoPub's budget
# :label: thm-publish-lopub
# With $0 < q < \frac12$, LoPub's client is exactly ε-LDP for
#
# $$ \varepsilon = D\,\ln\frac pq, \quad\text{so}\quad q = \frac{1}{e^{\varepsilon/D}+1}. $$
# :::
#
# :::{prf:proof}
# Where the codes of two records agree, the probabilities of the reported bits cancel.
# Where they differ, in at most $D$ bits, one has $p$ and the other $q$, so the ratio is at most $(p/q)^D = e^\varepsilon$.
# It is reached if they differ in $D$ bits, and the report there has those of the first record.
# :::
#
# So attribute $j$ has the share $\varepsilon D_j/D$ of the budget.
# `prove` confirms this for a bit beside a Bloom filter:

# %%
SIX = list(product(range(2), range(3)))


def filtered(record, eps, rng):
    return lopub(record, [BIT, BLOOM], eps, rng)


print(prove(filtered, SIX, rounded=False))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the shares of the attributes add up to ε"}
def one_coin(record, codes, eps, rng):
    """The control: both attributes use the same coins."""
    coins = [toss(flip(codes, eps), rng) for _ in range(4)]
    return tuple(b ^ c for x, code in zip(record, codes, strict=True) for b, c in zip(code[x], coins, strict=False))


def adds_up(client, codes):
    found = laws(lambda x, rng: client(x, codes, 2.0, rng), SIX)
    first = max(epsilon([found[SIX.index((a, b))] for a in range(2)]) for b in range(3))
    second = max(epsilon([found[SIX.index((a, b))] for b in range(3)]) for a in range(2))
    D = [max(int(np.not_equal(*two).sum()) for two in product(code, repeat=2)) for code in codes]
    stated = [2.0 * one / sum(D) for one in D]
    return np.allclose([first, second, epsilon(found)], [*stated, 2.0], rtol=0, atol=1e-9)


check(
    "Shares of ε",
    "shares as stated, and their sum is ε",
    adds_up(lopub, [BIT, UNARY]) and adds_up(lopub, [BIT, BLOOM]),
    control="both attributes use the same coins",
    caught=not adds_up(one_coin, [BIT, BLOOM]),
)

# %% [markdown]
# (sec-publish-server)=
# ### Tables of a few attributes
#
# As in {ref}`ch-joint`, each report *scores* the values of each attribute, and the mean product of scores estimates the share $\theta_\omega$ of a cell $\omega$.
#
# In the code, `clean - centre` has the mean $V_x$, the code of $x$ minus the mean code.
# Let $V$ be the matrix with these rows, and $V^+$ its *pseudoinverse* (`pinv`).
# If $V$ has rank $\kappa_j-1$, then $VV^+$ is the identity minus $1/\kappa_j$ everywhere.
# So the mean scores are 1 for the person's value and 0 for the others.


# %%
def scores(told, code, q):
    """Scores of each value, from the bits of one attribute."""
    clean = (told - q) / (1 - 2 * q)  # mean: the code's bit
    centre = np.mean(code, axis=0)
    V = np.subtract(code, centre)
    return 1 / len(code) + (clean - centre) @ np.linalg.pinv(V)


def hear(reports, codes, eps):
    """How to estimate a table, with standard errors."""
    q = float(flip(codes, eps))
    ends = np.cumsum([len(code[0]) for code in codes])
    parts = np.split(np.array(reports, float), ends[:-1], axis=1)
    pairs = zip(parts, codes, strict=True)
    z = [scores(told, code, q) for told, code in pairs]

    def estimate(A):
        told = z[A[0]]
        for j in A[1:]:
            told = np.einsum("n...,nx->n...x", told, z[j])
        return told.mean(0), told.std(0) / sqrt(len(told))

    return estimate


# %% [markdown]
# We first take $\varepsilon = 24$, which hardly protects anybody:

# %%
CODES = [BIT] * d
reports = [lopub(x, CODES, 24.0, rng) for x in readers]
loud = hear(reports, CODES, 24.0)
study.beside(loud, readers, NAMES, (0, 1))

# %% [markdown]
# ### Graph and junction tree
#
# Let $I$ be the {ref}`mutual information <sec-joint-information>` of two attributes $j$ and $j'$.
# LoPub joins the pair if
#
# $$ \sqrt{\frac{2I}{\min(\kappa_j,\kappa_{j'})-1}} \ge \varphi, $$
#
# where $\varphi$ is a threshold; for two bits, the left side is nearly the absolute correlation.
# With $\varphi = 0.12$, the graph has a cycle of four.
# Products of scores may give negative cells, so LoPub takes the tables of EM for graph and rows.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "EM for bits"}
def likely(reports, eps):
    """The likeliest table; flipping a bit is 2-RR at ε/d."""
    clients = [GRR(k=2, epsilon=eps / d)] * d
    heard = symbols(clients, np.array(reports))
    return lambda A: likeliest(heard, [A], gap=1e-4).tables[0]


# %%
def graph(shares, d, phi):
    """Pairs of attributes that depend on each other."""

    def strength(found):
        return sqrt(2 * information(found) / (min(found.shape) - 1))

    pairs = combinations(range(d), 2)
    return [pair for pair in pairs if strength(shares(pair)) >= phi]


loud_shares = likely(reports, 24.0)
edges = graph(loud_shares, d, phi=0.12)
print(edges)

# %% [markdown]
# We need the tables of *cliques*: sets of attributes all joined to each other.
# In a cycle of four, each attribute depends on two others that are not joined.
# No clique has all three, so the rows would miss one dependence.
# So the graph is *triangulated*: take out the attribute with the fewest neighbours, join these to each other, and repeat.
# An attribute and its neighbours, when it is taken out, are a clique of the new graph.


# %%
def triangulate(edges, d):
    """The largest cliques, and the edges added."""
    near = {j: set() for j in range(d)}
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    cliques, added = [], []
    while near:
        j = min(near, key=lambda j: len(near[j]))
        cliques.append({j, *near[j]})
        for a, b in combinations(sorted(near[j]), 2):
            if b not in near[a]:
                added.append((a, b))
                near[a].add(b)
                near[b].add(a)
        for i in near.pop(j):
            near[i].remove(j)
    most = [c for c in cliques if not any(c < e for e in cliques)]
    return sorted(tuple(sorted(c)) for c in most), added


cliques, added = triangulate(edges, d)
print(cliques, "added:", added)


# %% [markdown]
# Last, a *junction tree* grows from one clique: of those left, attach the one that shares most with a clique of the tree.
# After triangulation, this neighbour contains all that the new clique shares with the tree {cite:p}`jensen1994optimal`.


# %%
def junction_tree(cliques):
    """Pairs: a clique, and what it shares with those before it."""
    tree, rest = [(cliques[0], ())], list(cliques[1:])
    while rest:
        pairs = [(c, p) for c in rest for p, _ in tree]
        clique, p = max(pairs, key=lambda t: len({*t[0]} & {*t[1]}))
        tree.append((clique, tuple(sorted({*clique} & {*p}))))
        rest.remove(clique)
    return tree


tree = junction_tree(cliques)

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-publish-graph", "caption": "Left: dependence graph at ε = 24; dashed: added by triangulation. Right: its junction tree, with shared attributes on the edges."}, "image": {"alt": "Left, six attributes on a circle with eight solid edges and one dashed edge between 25 or older and college. Right, four cliques of three attributes each in a chain, joined by edges that bear the two attributes that neighbours share."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.4), width_ratios=(3, 1))
study.draw_graph(axes[0], NAMES, edges, added, order=(0, 1, 2, 3, 5, 4))
study.draw_tree(axes[1], tree)
plt.show()

# %% [markdown]
# Instead of 64 cells, the server needs four tables of 8.
#
# ### Synthetic rows
#
# The server draws the first clique from its table.
# For each further clique, it draws the new attributes given the shared ones.


# %%
def synthesise(tree, shares, n, rng):
    """Draw n rows, clique after clique."""
    columns = {}
    for clique, shared in tree:
        new = [j for j in clique if j not in shared]
        order = [clique.index(j) for j in (*shared, *new)]
        cells = shares(clique).transpose(order)
        sizes = cells.shape[len(shared) :]
        rows = cells.reshape(-1, prod(sizes))
        rows = rows + 1e-12 * rows.sum(0)  # for rows that are empty
        rows = rows.cumsum(1) / rows.sum(1, keepdims=True)
        given = np.zeros(n, int)
        for j, size in zip(shared, cells.shape, strict=False):
            given = given * size + columns[j]
        drawn = (rng.random((n, 1)) >= rows[given, :-1]).sum(1)
        drawn = np.unravel_index(drawn, sizes)
        columns |= zip(new, drawn, strict=True)
    return np.stack([columns[j] for j in sorted(columns)], 1)


def by_tree(shares, n, rng):
    """LoPub's server: from tables to rows."""
    cliques, _ = triangulate(graph(shares, d, phi=0.12), d)
    return synthesise(junction_tree(cliques), shares, n, rng)


# %% [markdown]
# *Independent columns* draw each answer with its true share.

# %%
reports = [lopub(x, CODES, EPS, rng) for x in readers]
quiet = hear(reports, CODES, EPS)
quiet_shares = likely(reports, EPS)
made = {"LoPub, ε = 24": by_tree(loud_shares, n, rng)}
made[f"LoPub, ε = {EPS:g}"] = by_tree(quiet_shares, n, rng)
study.fidelity(made, readers, orders=(2, 3, 4))

# %% [markdown]
# At $\varepsilon = 2$, LoPub is worse than independent columns: the noise is far above $\varphi$, so most pairs look dependent.

# %%
print(len(graph(quiet_shares, d, 0.12)), "edges of", comb(d, 2))
study.beside(quiet, readers, NAMES, (0, 1))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: triangulation, junction tree and rows, on all graphs of five attributes"}
def law_of_rows(tree, P):
    """What the rows follow if all tables are those of P."""

    def of(A):
        return P.sum(tuple(j for j in range(P.ndim) if j not in A), keepdims=True)

    return prod(of(clique) / of(shared) for clique, shared in tree)


def sound(arrange):
    """Whether what a clique shares with those before it is stated and lies in one, and the rows keep the cliques."""
    P, pairs, good = np.random.default_rng(7).random((2,) * 5), list(combinations(range(5), 2)), True
    P /= P.sum()
    for chosen in product((False, True), repeat=10):
        some = [p for p, yes in zip(pairs, chosen, strict=True) if yes]
        cliques, _ = triangulate(some, 5)
        tree = arrange(cliques)
        Q = law_of_rows(tree, P)
        for at, (clique, shared) in enumerate(tree):
            away = tuple(j for j in range(5) if j not in clique)
            before = {j for c, _ in tree[:at] for j in c}
            good &= {*shared} == {*clique} & before and np.allclose(Q.sum(away), P.sum(away))
        good &= all(any({*e} <= {*c} for c in cliques) for e in some)
    return good


def in_order(cliques):
    """The control: each clique is joined to the one just before it."""
    return [(c, tuple(sorted({*c} & {*before}))) for c, before in zip(cliques, [(), *cliques], strict=False)]


check(
    "Junction trees",
    "1,024 graphs: shared attributes lie in one clique before, and rows follow every clique's table",
    sound(junction_tree),
    control="each clique is joined to the one just before it",
    caught=not sound(in_order),
)

# %% [markdown]
# (sec-publish-block)=
# ## One random block
#
# Each phone draws a public *block* $B$ of $b$ attributes, and reports its cell, one of $2^b$, by k-RR with all of $\varepsilon$ {cite:p}`zhang2018calm`.
# It keeps the cell with probability $\lambda = (e^\varepsilon-1)/(e^\varepsilon+2^b-1)$, and otherwise makes a *blind draw* from all cells.


# %%
def block(record, b, eps, rng):
    """A public block, and its joint value through k-RR."""
    B = pick(list(combinations(range(len(record)), b)), rng)
    own = tuple(int(record[j]) for j in B)
    if toss((odds(eps) - 1) / (odds(eps) + 2**b - 1), rng):
        return B, own
    return B, pick(list(product((0, 1), repeat=b)), rng)


print(block(readers[0], 3, EPS, rng))

# %% [markdown]
# To estimate the table of a set $A$ of $a$ attributes, take the $n_A$ people whose block contains $A$.
# Blocks are random, so such a person is in cell $\omega$ with probability $\theta_\omega$; a blind draw is uniform on the $2^a$ cells.
# So a report shows cell $\omega$ with probability $R_\omega$; put the observed share $\hat R_\omega$ in its place, and solve:
#
# $$ \begin{aligned} R_\omega &= \lambda\,\theta_\omega + \frac{1-\lambda}{2^a}, \\[1ex] \hat\theta_\omega &= \frac1\lambda\Big(\hat R_\omega - \frac{1-\lambda}{2^a}\Big), \qquad \Var \hat\theta_\omega = \frac{R_\omega(1-R_\omega)}{\lambda^2 n_A}. \end{aligned} $$ (eq-publish-block)
#
# For fixed people, the variance is a little smaller.


# %%
def hear_blocks(reports, eps):
    """How to estimate a table, with standard errors."""
    counts = Counter(reports)
    b = len(reports[0][0])
    lam = (exp(eps) - 1) / (exp(eps) + 2**b - 1)

    def estimate(A):
        seen = np.zeros((2,) * len(A))
        for (B, y), times in counts.items():
            if {*A} <= {*B}:
                seen[tuple(y[B.index(j)] for j in A)] += times
        n_A, R = seen.sum(), seen / seen.sum()
        errors = np.sqrt(R * (1 - R) / n_A) / lam
        return (R - (1 - lam) / R.size) / lam, errors

    return estimate


asked = hear_blocks([block(x, 3, EPS, rng) for x in readers], EPS)
study.beside(asked, readers, NAMES, (0, 1))

# %% [markdown]
# The errors are a fifth to a quarter of LoPub's.
#
# A longer block contains more pairs, but $\lambda$ is smaller.
# We compare lengths by the *parity* $\chi_A(x) = \prod_{j\in A} (-1)^{x_j}$.
# Its means $m_A$ give all tables of yes and no: the share of two yeses is $\frac14(1 - m_0 - m_1 + m_{01})$.
#
# :::{prf:theorem} A random block
# :label: thm-publish-block
# Let $1 \le a \le b \le d$, and $\rho = \binom ba / \binom da$, the probability that $B$ contains $A$.
# The client is exactly ε-LDP, and two records that differ in one attribute already reach $e^\varepsilon$.
# For a report $(B, y)$, the score $\chi_A(y)/(\rho\lambda)$ if $A \subseteq B$, and 0 otherwise, has the mean $\chi_A(x)$ and the variance
#
# $$ \frac{1}{\rho\lambda^2} - 1 . $$
# :::
#
# :::{prf:proof}
# The block does not depend on the record, and k-RR of its cell is exactly ε-LDP.
# Two records that differ in one attribute have different cells in each block with it.
#
# The parity of a blind draw has mean 0, so if $B$ contains $A$, the mean of $\chi_A(y)$ is $\lambda\,\chi_A(x)$.
# The square of a parity is 1, so
#
# $$ \begin{aligned} \E[\text{score}] &= \rho\cdot\frac{\lambda\,\chi_A(x)}{\rho\lambda} = \chi_A(x), \\[1ex] \Var[\text{score}] &= \rho\cdot\frac{1}{(\rho\lambda)^2} - \chi_A(x)^2 = \frac1{\rho\lambda^2} - 1. \end{aligned} $$
# :::
#
# Across random people, a score has variance $1/(\rho\lambda^2) - m_A^2$, and a true answer $1 - m_A^2$.
# So near $m_A = 0$, a report is *worth* $\rho\lambda^2$ true answers about $A$.
# The best $b$ for pairs depends on $\varepsilon$, but not on $d \ge b$ (Exercise 1).


# %%
def worth(a, b, d, eps):
    """How many true answers about a attributes it is worth."""
    lam = (exp(eps) - 1) / (exp(eps) + 2**b - 1)
    return comb(b, a) / comb(d, a) * lam**2


def best(d, eps):
    return max(range(2, d + 1), key=lambda b: worth(2, b, d, eps))


def pairs(record, eps, rng):
    return block(record, 2, eps, rng)


print(prove(pairs, [*product((0, 1), repeat=3)], rounded=False))

# %% [markdown]
# (sec-publish-notions)=
# ## Two meanings of ε
#
# With one bit per attribute, LoPub's score for the parity of a pair is $\pm1/(p-q)^2$, where $p-q = \tanh(\varepsilon/2d)$; its variance is the square minus 1.
# A third client draws *one parity* among all $\binom{d+1}2$ of one or two attributes, and reports it by randomized response {cite:p}`cormode2018marginal`.
# The last proof also gives its variance, with $\rho = 1/\binom{d+1}2$ and $\lambda = \tanh\frac\varepsilon2$, since it uses only that $A$ is answered with probability $\rho$ and mean $\lambda\,\chi_A(x)$.


# %%
NOISE = {
    "LoPub": lambda e, d: tanh(e / (2 * d)) ** -4 - 1,
    "one parity": lambda e, d: comb(d + 1, 2) / tanh(e / 2) ** 2 - 1,
    "random block": lambda e, d: 1 / worth(2, best(d, e), d, e) - 1,
}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-publish-notions", "caption": "n times the variance of a pair's parity, for 16 questions, against the ε of a record (left) and of an attribute (right)."}, "image": {"alt": "Two panels with three falling curves each. Left, the curve of LoPub lies far above that of the random block, and above that of one parity except at the right end; these two are the same in both panels. Right, it lies below them."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.7), sharey=True)
for ax, whose in zip(axes, ("record", "attribute"), strict=True):
    grid = [
        {"client": name, "ε": e, "noise": noise(16 * e if whose == "attribute" and name == "LoPub" else e, 16)}
        for name, noise in NOISE.items()
        for e in np.geomspace(0.4, 10, 40)
    ]
    sns.lineplot(pd.DataFrame(grid), x="ε", y="noise", ax=ax, legend=whose == "record", **theory("client", [*NOISE]))
    ax.set(xscale="log", yscale="log", xlabel=f"ε of {'a record' if whose == 'record' else 'an attribute'}")
    ax.set_xticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    ax.set_yticks([1e-3, 1, 1e3, 1e6], ["0.001", "1", "1,000", "1,000,000"])
    ax.minorticks_off()
axes[0].set_ylabel("n × variance")
axes[0].legend(frameon=False)
plt.show()

# %% [markdown]
# In this book, $\varepsilon$ protects the whole record.
# Then a random block is far better than LoPub; below about $\varepsilon = 1.8$, one parity is better still.
#
# If $\varepsilon$ protects each *attribute*, neighbours differ in one attribute only.
# Then LoPub may spend $\varepsilon$ on each, but the others no more than before ({prf:ref}`thm-publish-block`), so LoPub is best on the right.
# But $\varepsilon = 2$ for each of sixteen attributes is 32 for the record ({ref}`sec-joint-epsilon`).


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: means and variances of the three clients, from their exact laws"}
def sign(x):
    return (-1) ** sum(x)


def one_parity(x, eps, rng):
    A = pick([A for a in (1, 2) for A in combinations(range(len(x)), a)], rng)
    own = sign(x[j] for j in A)
    return A, own if toss(odds(eps) / (odds(eps) + 1), rng) else -own


def of_block(report, A, b, eps, d):
    """The score of the theorem."""
    B, y = report
    lam = (exp(eps) - 1) / (exp(eps) + 2**b - 1)
    return sign(y[B.index(j)] for j in A) * comb(d, len(A)) / comb(b, len(A)) / lam if {*A} <= {*B} else 0.0


def off(client, score, variance, A=(0, 1), d=3):
    """How far mean and variance of a score are off, over all records."""
    records = [*product((0, 1), repeat=d)]
    mean, seen = moments(client, records, score=score)
    return max(np.abs(mean - [sign(x[j] for j in A) for x in records]).max(), np.abs(seen - variance).max())


rivals = [
    (lambda x, rng: lopub(x, [BIT] * 3, 2.0, rng), lambda y: sign(map(int, y[:2])) / tanh(1 / 3) ** 2),
    (lambda x, rng: one_parity(x, 2.0, rng), lambda y: (y[0] == (0, 1)) * y[1] * 6 / tanh(1)),
    (lambda x, rng: block(x, 3, 2.0, rng), lambda y: of_block(y, (0, 1), 3, 2.0, 3)),
]
stated = [noise(2.0, 3) for noise in NOISE.values()]
blocks = [(1, (2,)), (2, (0, 3)), (3, (0, 3)), (3, (0, 1, 2)), (4, (1, 2, 3))]


def block_off(b, A, eps):
    """Of four attributes, sent at ε = 1 and scored at another."""
    score, variance = lambda y: of_block(y, A, b, eps, 4), 1 / worth(len(A), b, 4, 1.0) - 1
    return off(lambda x, rng: block(x, b, 1.0, rng), score, variance, A, 4)


check(
    "Noise",
    "all three clients as drawn, blocks as in the theorem",
    all(off(*one, v) < 1e-9 for one, v in zip(rivals, stated, strict=True))
    and all(block_off(*one, 1.0) < 1e-9 for one in blocks),
    control="each with its neighbour's formula; blocks scored with ε = 1.1",
    caught=not any(off(*one, v) < 1e-3 for one, v in zip(rivals, stated[1:] + stated[:1], strict=True))
    and all(block_off(*one, 1.1) > 0.01 for one in blocks),
)

# %% [markdown]
# (sec-publish-model)=
# ## From noisy pairs to rows
#
# A block of three has no information about a clique of four, so our model uses only pairs.
# Of all distributions whose parities of attributes and pairs have the means $\hat m_A$, take that of *maximum entropy*.
# If it exists, it has the form
#
# $$ \hat P(x) \propto \exp\Big(\sum_{\lvert A\rvert\le 2} \eta_A\,\chi_A(x)\Big), $$
#
# where the weights $\eta_A$ minimise $\ln\sum_x \exp(\dots) - \sum_A \eta_A \hat m_A$.
# The derivative for $\eta_A$ is the mean of $\chi_A$ under $\hat P$, minus $\hat m_A$.
# With noisy $\hat m_A$, there may be no minimum, so `max_entropy` adds the penalty $5\sum_A\eta_A^2\Var\hat m_A$.
# The 5 is our choice; for large $n$, the penalty vanishes.


# %%
SETS = [A for a in (1, 2) for A in combinations(range(d), a)]


def by_entropy(estimate, worth_of, n, rng):
    """Rows from the maximum-entropy model of all pairs."""
    m = []
    for A in SETS:
        cells, _ = estimate(A)
        signs = (-1) ** np.indices(cells.shape).sum(0)
        m.append((cells * signs).sum())
    variances = [1 / (n * worth_of(len(A))) for A in SETS]
    return max_entropy(d, SETS, m, variances).sample(n, rng)


# %% [markdown]
# (sec-publish-equal)=
# ## At the same ε
#
# A report of LoPub is worth $(p-q)^{2a}$ true answers about a set of $a$ attributes.
# So a pair's parity has the standard error $1/((p-q)^2\sqrt n) = 0.46$, and a correlation a larger one.
# A threshold of two standard errors drops nearly all edges: the strongest true correlation is 0.47.
# So we add LoPub without edges.


# %%
q = float(flip(CODES, EPS))
poor = by_entropy(quiet, lambda a: (1 - 2 * q) ** (2 * a), n, rng)
rows = by_entropy(asked, lambda a: worth(a, 3, d, EPS), n, rng)
# the same tables as before, new rows
made = {"LoPub, junction tree": by_tree(quiet_shares, n, rng)}
alone = junction_tree([(j,) for j in range(d)])
made["LoPub, no edges"] = synthesise(alone, quiet_shares, n, rng)
made |= {"LoPub, entropy": poor, "block, entropy": rows}
study.fidelity(made, readers, orders=(2, 3, 4))

# %% [markdown]
# Over 80 surveys, the means for pairs are 0.126 (± 0.003), 0.081, 0.084 and 0.031 (± 0.001 each), so the junction tree was lucky here.
# For pairs, maximum entropy on LoPub's reports is no better than dropping all edges; only the block is clearly better than independent columns.
#
# (sec-publish-fair)=
# ## A release
#
# (sec-publish-before)=
# ### Before anybody is asked
#
# By {eq}`eq-publish-block`, with $R_\omega = \frac14$ and $n_A \approx n\rho$, a cell of a pair has the standard error $\sqrt{3/(16\,n\,\rho\lambda^2)}$:

# %%
for eps in (0.5, 1.0, 2.0, 4.0):
    b = best(d, eps)
    se = sqrt(3 / 16 / (n * worth(2, b, d, eps)))
    print(f"ε = {eps}  b = {b}  odds × {exp(eps):4.1f}  error {se:.3f}")

# %% [markdown]
# We choose $\varepsilon = 2$: the error is about 0.03, and the odds of a bet on a reader change at most 7.4-fold.
#
# (sec-publish-made)=
# ### What is published
#
# The magazine publishes all pairs' estimates with standard errors, the synthetic rows, and how both were made.

# %%
table(pd.DataFrame(rows[:3], columns=NAMES))

# %% [markdown]
# (sec-publish-errors)=
# ### Beside the truth
#
# {numref}`fig-publish-release` shows both.

# %%
cells = study.pairs(asked, readers, rows)
inside = (cells.estimate - cells.true).abs() < 1.96 * cells.error
print(inside.sum(), "of 60 cells within 1.96 errors")

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-publish-release", "caption": "The 60 cells of all pairs, ordered by true share (line): estimates with 95 % bars, and shares in the synthetic rows (crosses)."}, "image": {"alt": "Sixty true shares rise from 0.05 to 0.58 along a line. Dots with bars of 0.05 up and down scatter around the line, and all bars reach it. Crosses for the synthetic rows scatter around it less."}}
fig, ax = plt.subplots(figsize=(6.4, 3.6))
sns.lineplot(cells, x=cells.index, y="true", color="black", label="truth", ax=ax)
ax.errorbar(cells.index, cells.estimate, 1.96 * cells.error, fmt="o", ms=3, lw=0.8, color="C0", label="estimate")
sns.scatterplot(cells, x=cells.index, y="rows", marker="X", s=36, color="C4", label="synthetic rows", ax=ax, zorder=3)
ax.set(xlabel="cell of a pair", ylabel="share")
ax.legend(frameon=False)
plt.show()

# %% [markdown]
# About 57 are expected; the cells of a pair are not independent.
#
# (sec-publish-question)=
# ### A question to the table
#
# A newspaper asks: how much more frequent are affairs where the marriage is not good?
# It takes the pair's table as published, and computes $\lambda$ and $n_A \approx n\rho$.
# Let `slope` be the derivatives of the answer with respect to the cells.
# By {eq}`eq-publish-block`, the answer's error is about $\sum_\omega \text{slope}_\omega\,(\hat R_\omega-R_\omega)/\lambda$.
# So this is the mean of slope/λ at the reported cells, minus its expectation.
# Its standard error is the standard deviation of slope/λ over $\sqrt{n_A}$ (*delta method*, {ref}`sec-kv-ratio`).


# %%
def difference(theta, n_A, lam):
    """Affairs in marriages that are not good, minus in good ones."""
    total = theta.sum(0)
    rate = theta[1] / total
    slope = np.array([-rate, 1 - rate]) / total * [1, -1]
    R = lam * theta + (1 - lam) / 4
    spread = (R * slope**2).sum() - (R * slope).sum() ** 2
    return rate[0] - rate[1], sqrt(spread / n_A) / lam


lam = (exp(EPS) - 1) / (exp(EPS) + 7)
n_A = n * comb(3, 2) / comb(d, 2)  # about
truth, _ = study.difference(readers)
gap, error = difference(asked((0, 1))[0], n_A, lam)
wrong, naive = study.difference(rows)
print(f"truth {truth:.2f}  estimate {gap:.2f} ± {error:.3f}")
print(f"rows, taken for people: {wrong:.2f} ± {naive:.3f}")

# %% [markdown]
# Affairs are more frequent where the marriage is not good, but by how much stays open.
# Taken for people, the rows give an error about six times too small: over 200 surveys, their answers have a standard deviation of 0.08.
#
# (sec-publish-not)=
# ### What the table does not show, and does not hide
#
# - *Sets of three or more* come from the model, not from reports.
# - *Small groups*: a cell below 0.05 may be noise.
# - *Not hidden* are who took part, each reader's block, and facts about groups.
# - *A second survey* adds its $\varepsilon$; another table from the same reports costs nothing.
#
# (sec-publish-choice)=
# ## What to use when
#
# - To protect records: random blocks and maximum entropy (`max_entropy` takes $d \le 20$).
# - To protect single answers only: LoPub.
# - If one relation matters most: ask only its two questions (Exercise 2).
#
# (sec-publish-wrong)=
# ## What can go wrong
#
# - *A threshold below the noise* joins most pairs, and large cliques have even noisier tables.
# - *The penalty* pulls strong relations towards independence, so also publish the unbiased estimates.
#
# (sec-publish-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 8 minutes)
# For the parity of a pair, when is a block of $b+1$ attributes better than one of $b \ge 2$?
# Show that this does not depend on $d$, and compute the $\varepsilon$ for $b = 2$.
# :::
#
# :::{dropdown} Solution
# With $u = e^\varepsilon-1$, a report is worth
#
# $$ \rho\lambda^2 = \frac{b(b-1)}{d(d-1)}\Big(\frac{u}{u+2^b}\Big)^2. $$
#
# So $d$ occurs only in a factor that all $b$ share.
# With $r = \sqrt{(b+1)/(b-1)}$, which lies between 1 and 2, $b+1$ is better if
#
# $$ u + 2^{b+1} < r\,(u+2^b), \qquad\text{or}\qquad e^\varepsilon > 1 + 2^b\,\frac{2-r}{r-1}. $$
#
# For $b = 2$, $r = \sqrt3$ and $\varepsilon > 0.90$; for $b = 3$, $\varepsilon > 2.51$.
# :::
#
# :::{admonition} Exercise 2 (code, 8 minutes)
# Only the relation of `affair` and `good marriage` matters.
# Write the client that reports both answers by k-RR, and the estimator of their table.
# Compare its standard errors at $\varepsilon = 2$ with the block's.
# :::
#
# :::{dropdown} Solution
# ```python
# CELLS = list(product((0, 1), repeat=2))
#
#
# def both(x, eps, rng):
#     if toss((odds(eps) - 1) / (odds(eps) + 3), rng):
#         return tuple(int(v) for v in x[:2])
#     return pick(CELLS, rng)
#
#
# def estimator(reports, eps):
#     lam, seen = (exp(eps) - 1) / (exp(eps) + 3), Counter(reports)
#     R = np.array([seen[t] for t in CELLS]) / len(reports)
#     return (R - (1 - lam) / 4) / lam, np.sqrt(R * (1 - R) / len(reports)) / lam
#
#
# print(estimator([both(x, 2.0, rng) for x in readers], 2.0))
# ```
#
# Here $\lambda = 0.61$ instead of 0.44, and all $n$ readers answer instead of a fifth.
# So the standard errors are 0.007 to 0.010, about a third of the block's.
# :::
#
# :::{admonition} Exercise 3 (think, 4 minutes)
# A neighbour who knows five answers of a reader finds three synthetic rows with them, all with an affair.
# What does he learn about this reader?
# :::
#
# :::{dropdown} Solution
# The rows come from a model of all readers, so they show how frequent affairs are among similar people.
# Whatever this one reader answered, any published table is at most $e^2 = 7.4$ times as likely as with other answers of hers.
# :::
#
# ## Summary
#
# - LoPub flips the bits of all answers, and draws rows by a junction tree.
# - A random block spends all of $\varepsilon$ on a few attributes, and is worth about $\rho\lambda^2$ true answers.
# - Standard errors are known beforehand; synthetic rows are not people.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $d$ | number of keys, or of attributes |
# | $\kappa_j$ | number of values of attribute $j$, where a person has several attributes |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $q$ | chance that the bit of another item is set |
# | $\theta_\omega$ | share of the people in cell $\omega$, with a value $\omega_j$ for each attribute |
# | $D_j$ | most bits in which two values of attribute $j$ differ (here only) |
# | $D$ | their sum (here only) |
# | $V$ | codes minus their mean, rows $V_x$ (here only) |
# | $A$ | a set of $a$ attributes (here only) |
# | $\hat P$ | distribution of the rows (here only) |
# | $I$ | mutual information of an attribute and a set of others |
# | $\varphi$ | threshold for an edge (here only) |
# | $B$ | a block of $b$ attributes (here only) |
# | $\lambda$ | chance that the cell of $B$ is kept (here only) |
# | $\rho$ | chance that $B$ contains $A$ (here only) |
# | $n_A$ | number of people with $A \subseteq B$ (here only) |
# | $R_\omega$ | chance that their reports show $\omega$ (here only) |
# | $\chi_A$ | parity of $A$ (here only) |
# | $m_A$ | mean of a parity, $\hat m_A$ its estimate (here only) |
# | $\eta_A$ | weight of a parity in the model (here only) |
#
# Next, {ref}`ch-choosing` compares what all lessons offer.
