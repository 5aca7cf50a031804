# %% [markdown]
# (ch-bayesnet)=
# # Bayes networks
#
# *From {cite:t}`ren2019bayesnet`; {ref}`paper-ren2019` goes through the paper claim by claim.*
#
# :::{admonition} In one minute
# A survey has many questions, and the table of all answers is far too large to estimate.
# A *Bayes network* replaces it by small tables: each answer is drawn given a few others, its parents.
# Each phone flips the bits of all answers at random and reports them once.
# The server estimates small joint tables, and chooses parents that predict each answer well.
# Then it draws and publishes synthetic rows.
# Noise looks like dependence, so the server accepts only parents that stand out from it.
# :::
#
# :::{zh}
# 多个属性的联合概率分布格数太多，无法整体估计；Bayes 网络（贝叶斯网络）用各属性在少数父节点下的条件分布之积来代替它。
# 用这种乘积代替真实分布时，所损失的 KL 散度等于一个与网络无关的量减去各节点与其父节点的互信息之和，因此应选互信息大的父节点。
# 任雪斌等的算法 3 贪心地逐个加入属性；算法 4 为每个剩余属性记住一个最佳的候选，得到相同的网络而计算较少。
# 每人只报告一次经随机翻转的各位，服务器用 EM 算法估计小的联合表，学习网络，再抽样生成合成数据；由后处理性质，这些步骤不再消耗隐私预算。
# 噪声使互信息的估计偏大（上一课推导了这一偏差），所以只接受明显超出噪声的父节点。
# 在 16 个属性、21,574 人的例子中，整条记录的 $\varepsilon$ 为 35 时网络远好于独立的各列，为 6.4 时则无益。
# :::
#
# You need flips and joint tables from {ref}`ch-joint`, and {prf:ref}`thm-post`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from functools import cache, partial, reduce
from itertools import combinations, product
from math import exp, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import ListedColormap

from ldpnb import BitFlip, epsilon, greedy, laws, prove, toss
from ldpnb.attributes import likeliest, marginals, symbols as decode
from ldpnb.chance import odds
from ldpnb_book import check, label_lines, plain_ticks, style, table, theory
from ldpnb_book.studies import ren2019 as study

style()
rng = np.random.default_rng(41)

# %% [markdown]
# (sec-bayesnet-setting)=
# ## Five answers
#
# Hospitals ask nurses $d = 5$ questions.
# Each question $j$ has $\kappa_j = 2$ answers, 0 for no and 1 for yes.
# Let $X_j$ be the answer of a random nurse, and $P$ the joint distribution (law) of all her answers.
# Its table has $2^5 = 32$ cells; with 16 questions, it would have 65,536.
#
# A *Bayes network* $G$ gives each $X_j$ a set $\Pi_j$ of *parents*.
# The attributes must have an order in which parents come before children.
# In {numref}`fig-bayesnet-five`, night shifts and small children make a nurse tired, and tired nurses make errors.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Diagram", "figure": {"name": "fig-bayesnet-five", "caption": "A Bayes network. Arrows go from parents to children. Boxes: probabilities of yes given the parents’ answers."}, "image": {"alt": "Five boxes. Arrows go from shift and child to tired, from shift to coffee, and from tired to error. The boxes hold the probabilities of yes: shift 0.4, child 0.3, tired 0.1 to 0.9, coffee 0.3 or 0.8, error 0.1 or 0.5."}}
NAMES = ["shift", "child", "tired", "coffee", "error"]
NETWORK = ((0, ()), (1, ()), (2, (0, 1)), (3, (0,)), (4, (2,)))
YES = {0: np.array(0.4), 1: np.array(0.3), 3: np.array([0.3, 0.8]), 4: np.array([0.1, 0.5])}
YES[2] = np.array([[0.1, 0.6], [0.6, 0.9]])
places = [(2.2, 3.6), (4.2, 3.6), (4.2, 2.6), (2.2, 2.6), (4.2, 1.06)]
study.draw(NETWORK, NAMES, places, YES)
plt.show()

# %% [markdown]
# The network's distribution is the product of these probabilities:
#
# $$ P_G(X_0,\dots,X_{d-1}) = \prod_j P(X_j \mid \Pi_j). $$ (eq-bayesnet-product)
#
# Here, 10 probabilities suffice, not 31.


# %%
def sample(network, yes, n, rng):
    """n people, each answer drawn given its parents."""
    made = np.zeros((n, len(network)), int)
    for x, parents in network:
        p = yes[x][tuple(made[:, j] for j in parents)]
        made[:, x] = rng.random(n) < p
    return made


people = sample(NETWORK, YES, 20_000, rng)

# %% [markdown]
# (sec-bayesnet-loss)=
# ## What a network loses
#
# For any $P$ and any network, {eq}`eq-bayesnet-product` defines such a product.
# Which network keeps $P_G$ close to $P$?
# In this section, $\E$ is the mean over random people.
# An answer has the *entropy* $H(X_j) = -\E\ln P(X_j)$, and several answers alike; $H(P)$ is that of all.
# We also need the entropy left given the parents, and the mutual information of {ref}`sec-joint-information`:
#
# $$ \begin{aligned} H(X_j \mid \Pi_j) &= -\E \ln P(X_j \mid \Pi_j) = H(X_j, \Pi_j) - H(\Pi_j), \\ I(X_j; \Pi_j) &= H(X_j) - H(X_j \mid \Pi_j). \end{aligned} $$ (eq-bayesnet-information)
#
# The Kullback–Leibler divergence $\mathrm{KL}(P\,\|\,Q) = -\E\ln(Q/P)$ measures how far $P$ is from another distribution $Q$.
# As $-\ln t > 1-t$ for $t \ne 1$, and $\E(Q/P) \le 1$, it is positive unless $Q = P$.
#
# :::{prf:theorem} What a network loses
# :label: thm-bayesnet-loss
# Let $P$ be any distribution and $G$ any network.
# Where the parents' answers never occur, the conditional probabilities do not matter.
# Then $\mathrm{KL}(P\,\|\,P_G)$ is
#
# $$ \Big[\sum_j H(X_j) - H(P)\Big] - \sum_j I(X_j; \Pi_j), $$
#
# and no other product $Q_G = \prod_j Q(X_j \mid \Pi_j)$ is closer to $P$.
# :::
#
# :::{prf:proof}
# The logarithm of a product is a sum, so $\mathrm{KL}(P\,\|\,P_G)$ is
#
# $$ \begin{aligned} -H(P) - \sum_j \E\ln P(X_j \mid \Pi_j) &= -H(P) + \sum_j H(X_j \mid \Pi_j) \\ &= -H(P) + \sum_j \big[H(X_j) - I(X_j;\Pi_j)\big]. \end{aligned} $$
#
# The difference $\mathrm{KL}(P\,\|\,Q_G) - \mathrm{KL}(P\,\|\,P_G)$ is
#
# $$ \sum_j \E \ln\frac{P(X_j \mid \Pi_j)}{Q(X_j \mid \Pi_j)}. $$
#
# Each term is a mean, over the parents' answers, of divergences of two distributions of $X_j$, so it is not negative.
# :::
#
# The bracket does not depend on the network.
# So **good parents have large mutual information**: the best network has the largest sum.


# %%
def cut(tables, axes):
    """The table of some attributes, in this order."""
    own = tuple(sorted(axes))
    larger = (s for s in tables if {*axes} <= {*s})
    whole = own if own in tables else next(larger)
    return np.einsum(tables[whole], whole, axes)  # sums the rest


def entropy(tables, axes):
    p = np.atleast_1d(cut(tables, axes))
    return -(p[p > 0] * np.log(p[p > 0])).sum()


def information(tables, x, parents):
    """I(X; Π) = H(X) + H(Π) − H(X, Π), all from one table."""
    both = (x, *parents)
    own = {both: cut(tables, both)}
    alone = entropy(own, (x,)) + entropy(own, parents)
    return round(alone - entropy(own, both), 12)  # ties are ties


def conditionals(network, tables):
    """Probabilities of yes, given the parents."""
    yes = {}
    for x, parents in network:
        both = cut(tables, (*parents, x))
        yes[x] = both[..., 1] / np.maximum(both.sum(-1), 1e-300)
    return yes


def multiply(network, yes):
    """P_G as a table."""
    P = np.ones((2,) * len(network))
    for record in np.ndindex(P.shape):
        for x, parents in network:
            p = yes[x][tuple(record[j] for j in parents)]
            P[record] *= p if record[x] else 1 - p
    return P


# %% [markdown]
# We compare the network drawn, the same without the arrow to *error*, and one without arrows.

# %%
ALL = (0, 1, 2, 3, 4)
P = {ALL: multiply(NETWORK, YES)}


def loss(P, network):
    """KL(P‖P_G), by its definition."""
    P_G = multiply(network, conditionals(network, P))
    return abs((P[ALL] * np.log(P[ALL] / P_G)).sum())


NO_ERROR = (*NETWORK[:4], (4, ()))
for network in (NETWORK, NO_ERROR, [(x, ()) for x in ALL]):
    total = sum(information(P, *pair) for pair in network)
    print(f"sum {total:.3f}, loss {loss(P, network):.3f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the loss, for random distributions"}
LAWS = [{ALL: rng.dirichlet(np.full(32, 0.5)).reshape((2,) * 5)} for _ in range(30)]


def lost(P, network):
    """The loss by the theorem."""
    bracket = sum(entropy(P, (j,)) for j in ALL) - entropy(P, ALL)
    return bracket - sum(information(P, *pair) for pair in network)


check(
    "Loss",
    "30 random distributions: the loss as in the theorem",
    max(abs(loss(P, NETWORK) - lost(P, NETWORK)) for P in LAWS) < 1e-9,
    control="error without its parent",
    caught=min(abs(loss(P, NETWORK) - lost(P, NO_ERROR)) for P in LAWS) > 1e-6,
)

# %% [markdown]
# (sec-bayesnet-greedy)=
# ## Choosing parents
#
# With 16 attributes there are too many networks to try all.
# {cite:t}`ren2019bayesnet` build one greedily, with at most $r$ parents for each attribute.
# Each pair of an attribute and a set of parents has a *score* (not of a report), for now its mutual information.
# Below are the paper's Algorithms 3 and 4, named so in code.
#
# ::::{prf:algorithm} Greedy choice
# :label: alg-bayesnet-3
# **Input** scores of pairs; largest number $r$ of parents; a first attribute.
# **Output** a network.
#
# 1. Place the first attribute, without parents.
# 2. Score each unplaced attribute with each set of $r$ placed ones; if fewer are placed, with all of them.
# 3. Take the pair with the largest score: place its attribute, with these parents.
# 4. Repeat steps 2 and 3 until all are placed.
# ::::


# %%
def algorithm3(score, d, r, start):
    network, placed = [(start, ())], [start]
    while left := {*range(d)} - {*placed}:
        size = min(r, len(placed))
        sets = [*combinations(sorted(placed), size)]
        pairs = [(-score(x, s), x, s) for x in left for s in sets]
        _, x, parents = min(pairs)  # ties: the first pair
        network.append((x, parents))
        placed.append(x)
    return tuple(network)


def named(network):
    """The parents of each attribute, by name."""
    sets = dict(network)
    return [", ".join(NAMES[j] for j in sets[x]) for x in ALL]


score = cache(partial(information, P))
found = algorithm3(score, 5, 2, start=0)
print(f"loss {loss(P, found):.3f}")
table(pd.DataFrame({"answer": NAMES, "parents": named(found)}))

# %% [markdown]
# This network has other arrows than the one drawn, but it loses nothing: **arrows are not causes**.
# It has more arrows, since the algorithm takes two parents if it can.
#
# Greedy choice need not find the best network, but with one parent it does:
#
# :::{prf:theorem} One parent
# :label: thm-bayesnet-prim
# For $r = 1$ and any start, {prf:ref}`alg-bayesnet-3` finds a tree with the largest sum of mutual informations.
# :::
#
# :::{prf:proof}
# As $I(X;Y) = I(Y;X)$, it is a weight of the edge between $X$ and $Y$.
# Each round adds the heaviest edge from a placed attribute to an unplaced one.
# This is Prim's algorithm, which finds a spanning tree of the largest weight {cite:p}`chow1968approximating`.
# :::
#
# (sec-bayesnet-forget)=
# ### Scoring every pair once
#
# {prf:ref}`alg-bayesnet-3` scores the same pairs again in each round; only sets with the newest attribute are new.
#
# ::::{prf:algorithm} Greedy choice with a memory
# :label: alg-bayesnet-4
# **Input** as before; in the paper, the first attribute has the largest entropy.
# **Output** a network.
#
# 1. Place the first attribute.
# 2. While at most $r$ are placed, score each unplaced attribute with all placed ones, and remember this pair for it.
# 3. Later, score each unplaced attribute with the sets of $r$ placed ones that contain the newest.
#    Of these and the old pair, remember the best.
# 4. Take the best of all remembered pairs, as before.
# 5. Repeat steps 2 to 4 until all are placed.
# ::::


# %%
def algorithm4(score, d, r, start):
    network, placed, best = [(start, ())], [start], {}
    while left := {*range(d)} - {*placed}:
        few = len(placed) <= r
        size = min(r, len(placed))
        sets = combinations(sorted(placed), size)
        new = [s for s in sets if few or placed[-1] in s]
        for x in left:
            pairs = [(-score(x, s), x, s) for s in new]
            best[x] = min(pairs if few else [best[x], *pairs])
        _, x, parents = min(best.values())
        del best[x]
        network.append((x, parents))
        placed.append(x)
    return tuple(network)


# %% [markdown]
# :::{prf:theorem} One remembered pair per attribute is enough
# :label: thm-bayesnet-carry
# From the same start, both algorithms find the same network, whatever the scores, if ties are broken alike.
# {prf:ref}`alg-bayesnet-4` scores each set of $r+1$ attributes only once.
# :::
#
# :::{prf:proof}
# We show by induction that an attribute's remembered pair is its best.
# If at most $r$ are placed, it has only one pair.
# Later, the sets without the newest attribute were already there one round before.
# By induction, the best of them was remembered, and step 3 compares it with all new ones.
#
# A set of $r+1$ attributes is scored once: right after $r$ of them are placed, with the last one as the child.
# :::
#
# For $d = 16$ and $r = 2$, both algorithms score 15 pairs in the first round.
# Then {prf:ref}`alg-bayesnet-4` scores each of $\binom{16}3 = 560$ sets once.
# With $i$ placed, {prf:ref}`alg-bayesnet-3` scores $\binom i2(16-i)$ pairs, from $i = 2$ to 15 in all 2,380.
# So there are 575 scores instead of 2,395.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: one network by both algorithms and by the package"}


def random_score(seed, d=7):
    """A score for each pair, of 50 values, so that there are ties."""
    stream = np.random.default_rng(seed)
    sets = [s for size in (1, 2, 3) for s in combinations(range(d), size)]
    known = {(x, s): int(stream.integers(50)) for s in sets for x in range(d)}
    return lambda x, s: known[x, s]


def same(seed, r, carry):
    """Whether both algorithms, and the package with this memory, find the same."""
    score = random_score(seed)
    theirs = greedy(score, 7, r, root=seed % 7, carry=carry).pairs
    return algorithm3(score, 7, r, seed % 7) == algorithm4(score, 7, r, seed % 7) == theirs


SEARCHES = [*product(range(20), (1, 2, 3))]
check(
    "Same network",
    "60 searches with ties",
    all(same(*search, "each") for search in SEARCHES),
    control="one pair remembered for all attributes",
    caught=not all(same(*search, "one") for search in SEARCHES),
)

# %% [markdown]
# (sec-bayesnet-reports)=
# ## Reports and small tables
#
# Each phone uses flips from {ref}`ch-joint`, as in the paper, with two bits per answer.
# It keeps a bit with probability $p$ and flips it with $q = 1-p$, where $p/q = e^{\varepsilon/(2d)}$.
# For yes or no, symbols would be better, by {eq}`eq-joint-which` (Exercise 2).


# %%
def client(record, eps, rng):
    """Two bits per answer, each flipped with probability q."""
    ratio = odds(eps / (2 * len(record)))  # p / q
    report = []
    for x in record:
        for value in (0, 1):
            keep = toss(ratio / (ratio + 1), rng)
            report.append(int((x == value) == keep))
    return tuple(report)


print(prove(client, [*product((0, 1), repeat=2)], rounded=False))

# %% [markdown]
# Let $u$ be the bit for yes minus the bit for no.
# If the answer is yes, $u$ is 1, 0 or −1 with probability $p^2$, $2pq$ or $q^2$.
# If it is no, exchange $p$ and $q$.
# Two equal bits carry no information ({ref}`sec-joint-client`), so $u$ suffices.
# EM gives the likeliest joint table of each set of three attributes.
# Tables may differ where they overlap; `cut` takes the first.


# %%
def kept(d, eps):
    ratio = exp(eps / (2 * d))
    return ratio / (ratio + 1), 1 / (ratio + 1)


def joint_tables(reports, sets, eps, steps=2000):
    """Likeliest joint tables, by EM; all sets have one size."""
    bits, size = np.array(reports), len(sets[0])
    p, q = kept(bits.shape[1] // 2, eps)
    yes = [q * q, 2 * p * q, p * p]  # of u = −1, 0, 1
    told = reduce(np.kron, [np.array([yes[::-1], yes])] * size)
    u = bits[:, 1::2] - bits[:, ::2]
    codes = [(u[:, s] + 1) @ 3 ** np.arange(size)[::-1] for s in sets]
    counts = [np.bincount(c, minlength=3**size) for c in codes]
    shares = np.array(counts) / len(bits)
    theta = np.full((len(sets), 2**size), 0.5**size)
    for _ in range(steps):
        theta *= (shares / (theta @ told)) @ told.T
    tables = theta.reshape(-1, *(2,) * size)
    return dict(zip(sets, tables, strict=True))


# %% [markdown]
# Product scores also give a single share, with a standard error.
# The scores of yes and no are $\frac12\big(1 \pm \frac{u}{p-q}\big)$: they differ by $\frac{u}{p-q}$ in {eq}`eq-joint-scores`, and sum to 1.


# %%
def share(reports, cell, eps):
    """Share of people with these answers, and its error."""
    bits = np.array(reports)
    p, q = kept(bits.shape[1] // 2, eps)
    sign = (bits[:, 1::2] - bits[:, ::2]) / (p - q)
    told = [1 + (2 * x - 1) * sign[:, j] for j, x in cell.items()]
    score = np.prod(told, 0) / 2 ** len(cell)
    return score.mean(), score.std() / sqrt(len(score))


EPS = 8.0
SETS = [*combinations(range(5), 3)]
reports = [client(record, EPS, rng) for record in people.tolist()]
tables = joint_tables(reports, SETS, EPS)

# %% [markdown]
# (sec-bayesnet-penalty)=
# ## A toll for parents
#
# For independent, nearly fair answers, {eq}`eq-joint-bias` says how much information noise adds.
# Here, all $\kappa_j = 2$, and by {eq}`eq-joint-noise`, all $\nu_j$ are $\nu = 1 + pq/(p-q)^2$.
# So with $r$ parents, over people and coins,
#
# $$ \E\,\hat I \approx \frac1{2n}\,(2\nu-1)\big((2\nu)^r - 1\big). $$ (eq-bayesnet-bias)
#
# Near fair answers, the log-likelihood has derivatives linear in each $u$, like product scores.
# So the likeliest tables have nearly this bias, as long as it is far below $\ln 2 = 0.69$, the largest information about a yes or no.
# For our nurses, it grows from 0.0004 with one parent to 0.0023 with two.
#
# Subtracting the bias does not change the order of pairs with $r$ parents.
# So from each set of $r$ parents we also allow every subset, even the empty one.
# From its information we subtract a *toll*: $z^2$ times the bias for its size.
# With one parent, the four differences that {eq}`eq-joint-bias` squares are plus or minus one number, which is roughly normal.
# So noise alone exceeds the toll if this number is more than $z$ standard errors from 0: for $z = 2$, in about one pair of 20.
# For two parents, or answers that are not fair, this is a rule of thumb.


# %%
def bias(r, n, d, eps):
    """Information that noise adds, with r parents."""
    p, q = kept(d, eps)
    nu = 1 + p * q / (p - q) ** 2
    return (2 * nu - 1) * ((2 * nu) ** r - 1) / (2 * n)


def learn(tables, d, r, z, n, eps):
    """Greedy choice of parents that are worth their toll."""
    score = cache(partial(information, tables))
    toll = [z**2 * bias(size, n, d, eps) for size in range(r + 1)]

    @cache
    def best(x, parents):
        sizes = range(len(parents) + 1)
        parts = [s for a in sizes for s in combinations(parents, a)]
        net = [(score(x, s) - toll[len(s)], s) for s in parts]
        return max(net, key=lambda pair: pair[0])

    start = max(range(d), key=lambda j: entropy(tables, (j,)))
    pairs = algorithm4(lambda x, s: best(x, s)[0], d, r, start)
    return tuple((x, best(x, s)[1]) for x, s in pairs)


both = {"answer": NAMES}
for z in (0, 2):
    network = learn(tables, 5, 2, z, len(people), EPS)
    both[f"parents, z = {z}"] = named(network)
    print(f"z = {z}: loss {loss(P, network):.3f}")
table(pd.DataFrame(both))

# %% [markdown]
# Both networks lose nothing, and $z = 2$ needs fewer arrows.
#
# (sec-bayesnet-publish)=
# ## From people to synthetic rows
#
# The server publishes one row per nurse.


# %%
def publish(tables, d, r, z, n, eps, rng):
    """Synthetic rows, drawn from a network."""
    network = learn(tables, d, r, z, n, eps)
    return sample(network, conditionals(network, tables), n, rng)


synthetic = publish(tables, 5, 2, 2, len(people), EPS, rng)
rows = []
for asked in [(2,), (0, 3), (2, 4), (1, 4), (0, 2, 4)]:
    means = (x[:, asked].all(1).mean() for x in (people, synthetic))
    true, made = (round(mean, 3) for mean in means)
    f_hat, se = share(reports, dict.fromkeys(asked, 1), EPS)
    row = [" and ".join(NAMES[j] for j in asked), f"{true:.3f}"]
    row += [f"{f_hat:.3f} ± {se:.3f}", f"{made:.3f}"]
    rows.append([*row, f"{made - true:+.3f}".replace("-", "−")])
columns = ["yes to", "truth", "from reports", "synthetic", "error"]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# Synthetic rows answer every question, here with errors below the standard errors from reports.
# Given the other reports, the rows are a random function of one person's report, so by {prf:ref}`thm-post` they are ε-LDP.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: tables are the package's; a release spends no more than its report"}


def off(tables):
    """How far tables are from the package's."""
    mechanism = BitFlip(sizes=(2,) * 5, f=2 * kept(5, EPS)[1])
    theirs = likeliest(decode(mechanism, np.array(reports, bool)), SETS).tables
    return max(np.abs(tables[s] - one).max() for s, one in zip(SETS, theirs, strict=True))


check(
    "Tables",
    "ten tables: likeliest as the package's",
    off(tables) < 1e-3,
    control="EM stopped after two steps",
    caught=off(joint_tables(reports, SETS, EPS, 2)) > 0.01,
)


def release(record, rng, leak=0.0):
    """One synthetic row from one report, by one step of EM; or, with probability `leak`, the record itself."""
    theta = joint_tables([client(record, 2.0, rng)], [(0, 1)], 2.0, steps=1)[0, 1]
    one = int(toss(float(theta[1].sum() / theta.sum()), rng))
    two = int(toss(float(theta[one, 1] / theta[one].sum()), rng))
    return record if leak and toss(leak, rng) else (one, two)


TWO = [*product((0, 1), repeat=2)]
check(
    "Nothing more",
    "a synthetic row from one report at ε = 2: exact ε at most 2",
    epsilon(laws(release, TWO)) <= 2,
    control="nine times of ten the record itself",
    caught=epsilon(laws(partial(release, leak=0.9), TWO)) > 2,
)

# %% [markdown]
# (sec-bayesnet-figures)=
# ## Sixteen answers
#
# We take 21,574 people, as many as the paper, with 16 yes-or-no answers from a random network with two parents each.
# `BitFlip` and `likeliest` are our client and EM, but faster.
# An edge is *right* if the same search finds it without noise, in the people's own tables.


# %%
def ask(people, eps, rng):
    _, q = kept(people.shape[1], eps)
    mechanism = BitFlip(sizes=(2,) * people.shape[1], f=2 * q)
    return decode(mechanism, mechanism.perturb(people, rng=rng))


def fast_tables(told, sets, eps):
    return dict(zip(sets, likeliest(told, sets).tables, strict=True))


many = study.planted_people(42)
n, d = many.shape
SETS16 = [*combinations(range(d), 3)]
exact = marginals(many, (2,) * d, SETS16)
right = learn(exact, d, 2, 0, n, 35.0)  # z = 0: any ε

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Networks from reports"}
drawn = {}
for budget in (35.0, 6.4):
    seen = fast_tables(ask(many, budget, rng), SETS16, budget)
    for z in (0, 2):
        drawn[budget, z] = learn(seen, d, 2, z, n, budget)
        edges = study.skeleton(drawn[budget, z])
        good = len(edges & study.skeleton(right))
        print(f"ε = {budget}, z = {z}: {len(edges)} edges, {good} of {len(study.skeleton(right))} right")

# %% [markdown]
# {numref}`fig-bayesnet-drawn` shows the networks without toll.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-bayesnet-drawn", "caption": "Edges, without directions, learned from reports and from the people: both (blue), only reports (orange, ×), only people (grey)."}, "image": {"alt": "Two triangles of cells for 16 attributes. Left, at epsilon 35, nearly all marked cells are blue. Right, at epsilon 6.4, most marked cells are orange with a cross, or grey."}}
COLOURS = ListedColormap(["#F4F4F4", "#9A9A9A", "#F2A97E", "#0072B2"])
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), sharey=True)
for ax, budget in zip(axes, (35.0, 6.4), strict=True):
    cells = study.marked(drawn[budget, 0], right)
    look = {"annot": np.where(cells == 2, "×", ""), "fmt": "", "annot_kws": {"color": "black"}, "linewidths": 0.5}
    sns.heatmap(cells, ax=ax, cmap=COLOURS, vmax=3, cbar=False, square=True, xticklabels=3, yticklabels=3, **look)
    ax.set(title=f"ε = {budget:g}", xlabel="attribute", ylabel="attribute" if ax is axes[0] else "")
    ax.tick_params(rotation=0)
    ax.grid(visible=False)
plt.show()

# %% [markdown]
# {numref}`fig-bayesnet-avd` shows the *average variation distance*: for two attributes, half the sum of $\lvert\text{true}-\text{synthetic}\rvert$ over the cells, averaged over all pairs.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-bayesnet-avd", "caption": "Error of published tables of two attributes, against the budget of a record. Marks, shifted sideways: means of four surveys, ± 1.96 standard errors. No noise: two parents, from the people. Alone: products of single shares."}, "image": {"alt": "Error against epsilon from 6.4 to 35, both logarithmic. Each attribute alone stays near 0.07. Two parents fall from 0.2 to 0.01, one parent from 0.11 to 0.033. With z = 2, two parents begin near 0.08 and end at 0.01."}}
PLANS = {"two parents": (2, 0), "two parents, z = 2": (2, 2), "one parent": (1, 0)}
BUDGETS = (6.4, 9.0, 13.0, 20.0, 35.0)
result = study.errors(many, BUDGETS, ask, fast_tables, publish, PLANS, repetitions=4)
fig, ax = plt.subplots(figsize=(6.4, 3.8))
look = theory("table", [*PLANS, "each attribute alone"]) | {"markers": ["o", "s", "^", "D"], "markersize": 9}
shift = dict(zip([*PLANS, "each attribute alone"], (0.97, 0.99, 1.03, 1.01), strict=True))
shown = result.assign(ε=result["ε"] * result["table"].map(shift))
sns.lineplot(shown, x="ε", y="error", ax=ax, **look | {"errorbar": ("se", 1.96), "err_style": "bars"})
least = study.error(many, publish(exact, d, 2, 0, n, 35.0, rng), d)
ax.plot(
    [BUDGETS[0], BUDGETS[-1]], [least, least], color="black", linewidth=1, linestyle="-", marker="", label="no noise"
)
ax.set(xscale="log", yscale="log", ylabel="average variation distance", yticks=[0.01, 0.02, 0.05, 0.1, 0.2])
plain_ticks(ax)
ax.set_xticks(BUDGETS, [f"{budget:g}" for budget in BUDGETS])
label_lines(ax)
plt.show()
print(result.pivot_table("error", "table", "ε").round(4), f"\nno noise {least:.4f}")

# %% [markdown]
# - At $\varepsilon = 35$, the error of two parents is a sixth of that of each attribute alone, but noise makes it 40 % larger.
# - Up to $\varepsilon = 13$, one parent is better than two without toll, as its tables have less noise.
# - At $\varepsilon = 6.4$, two parents without toll are worst.
#   With $z = 2$, four edges are left, three wrong, and the table is about as good as each attribute alone.
#   Here {eq}`eq-bayesnet-bias` gives 3.16 for two parents, far above $\ln 2$, so the toll, four times as much, rules them out.
#
# (sec-bayesnet-wrong)=
# ## What can go wrong
#
# - *A network judged by its own tables.*
#   The sum of informations in noisy tables includes the noise, and rises as ε falls.
# - *A budget per answer.*
#   With 16 answers, $\varepsilon = 35$ is only 2.2 each, but hardly protects a whole record.
#
# (sec-bayesnet-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 5 minutes)
# A programmer lets {prf:ref}`alg-bayesnet-4` remember only one pair: after each round, the best of the unplaced attributes.
# Let $X$, $Y$ and $Z$ depend on a coin $R$ alone, with $I(X;R) > I(Y;R) > I(Z;R)$, and less for all other pairs.
# Both searches start at $R$ with $r = 1$.
# Which networks do they find?
# :::
#
# :::{dropdown} Solution
# {prf:ref}`alg-bayesnet-4` finds the star: $X$, $Y$ and $Z$, each with the parent $R$.
# The other search places $X$ first and remembers $(Y, R)$, so $(Z, R)$ is forgotten.
# Then it places $Y$ with the parent $R$.
# Now $Z$ takes the better of $X$ and $Y$, both worse than $R$.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Write a client that reports only one bit per yes-or-no answer, with the same ε, and an estimator like `share`.
# What is $\nu$ for five answers and $\varepsilon = 8$, in your client and for flips?
# :::
#
# :::{dropdown} Solution
# Two records now differ in at most $d$ bits, so each bit may have the ratio $e^{\varepsilon/d}$.
#
# ```python
# def one_bit(record, eps, rng):
#     ratio = odds(eps / len(record))
#     p = ratio / (ratio + 1)
#     return tuple(x if toss(p, rng) else 1 - x for x in record)
#
#
# def one_bit_share(reports, cell, eps):
#     bits = np.array(reports)
#     ratio = exp(eps / bits.shape[1])
#     p, q = ratio / (ratio + 1), 1 / (ratio + 1)
#     told = np.array([bits[:, j] == x for j, x in cell.items()])
#     score = ((told - q) / (p - q)).prod(0)
#     return score.mean(), score.std() / sqrt(len(score))
#
#
# print(prove(one_bit, [*product((0, 1), repeat=2)], rounded=False))
# told = [one_bit(record, 8.0, rng) for record in people.tolist()]
# print(one_bit_share(told, {0: 1, 2: 1}, 8.0))  # 0.275 ± 0.005; true: 0.278
# ```
#
# This is symbols: {eq}`eq-joint-noise` gives $\nu = \frac12 + \frac12/(p-q)^2$ with $p = e^{1.6}/(e^{1.6}+1)$.
# So $\nu$ is 1.6; flips have 2.5.
# :::
#
# :::{admonition} Exercise 3 (think, 4 minutes)
# A server learns networks with many $z$, and publishes the synthetic table that is closest to its own estimated tables.
# Does it spend more than ε?
# Is this a good way to choose $z$?
# :::
#
# :::{dropdown} Solution
# It spends no more, since all networks are computed from the same reports.
# But the estimated tables contain the noise, so this choice prefers networks that copy it, with $z = 0$.
# People whose reports were not used in learning would be a fair test.
# :::
#
# ## Summary
#
# - A Bayes network replaces a large table by a product of small ones.
# - It loses a constant minus the sum of the mutual informations of answers and their parents.
# - {prf:ref}`alg-bayesnet-4` finds the network of {prf:ref}`alg-bayesnet-3`, and scores every set once.
# - Noise adds information, more with more parents; a toll drops parents that noise alone may bring.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $d$ | number of keys, or of attributes |
# | $j$ | a key, or an attribute: one of the $d$ |
# | $\kappa_j$ | number of values of attribute $j$, where a person has several attributes |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $q$ | chance that the bit of another item is set |
# | $\nu_j$ | mean of the sum of the squared scores of attribute $j$ |
# | $X_j$ | answer of a random person to question $j$ (here only) |
# | $P$ | joint distribution of all answers (here only) |
# | $G$ | a network (here only) |
# | $\Pi_j$ | parents of attribute $j$ (here only) |
# | $P_G$ | product of conditional probabilities over $G$ (here only) |
# | $Q$ | another distribution (here only) |
# | $H$ | entropy (here only) |
# | $I$ | mutual information of an attribute and a set of others |
# | $r$ | largest number of parents (here only) |
# | $u$ | bit for yes minus bit for no (here only) |
# | $z$ | standard errors that a single parent must exceed (here only) |
#
# Next, {ref}`ch-publish` publishes tables in other ways.
