# %% [markdown]
# (ch-bayesnet)=
# # Bayes networks
#
# *From {cite:t}`ren2019bayesnet`; {ref}`its dossier <paper-ren2019>` goes through the paper exhibit by exhibit.*
#
# :::{admonition} In one minute
# A survey has many questions, and the table of all answers together is far too large to estimate.
# A *Bayes network* replaces it by small tables.
# It lets each answer depend on a few others, its parents.
# Each phone flips the bits of all answers at random and reports them once.
# The server estimates small joint tables and chooses parents that tell much about each answer.
# Then it draws synthetic people, whom it may publish.
# Noise looks like dependence, so the server accepts only parents that stand out.
# :::
#
# :::{zh}
# 多个属性的联合概率分布格数太多，无法整体估计；Bayes 网络（贝叶斯网络）用各属性在少数父节点下的条件分布之积来代替它。
# 用这种乘积代替真实分布时，所损失的 KL 散度等于一个与网络无关的量减去各节点与其父节点的互信息之和，因此应选互信息大的父节点。
# 任雪斌等的算法 3 贪心地逐个加入属性；算法 4 为每个剩余属性记住一个最佳的候选，得到相同的网络而计算较少。
# 每人只报告一次经随机翻转的各位，服务器用 EM 算法估计小的联合表，学习网络，再抽样生成合成数据；由后处理性质，这些步骤不再消耗隐私预算。
# 噪声使互信息的估计偏大，本章推导这一偏差，并只接受明显超出噪声的父节点。
# 在 16 个属性、21,574 人的例子中，整条记录的 $\varepsilon$ 为 35 时网络远好于独立的各列，为 6.4 时则不如。
# :::
#
# You need bit flips and joint tables from {ref}`ch-joint`, and post-processing, {prf:ref}`thm-post`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from functools import cache, partial, reduce
from itertools import combinations, product
from math import comb, exp, log, sqrt

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import ListedColormap

from ldpnb import BitFlip, epsilon, greedy, laws, prove, toss
from ldpnb.attributes import information_bias, inverted, likeliest, marginals, symbols
from ldpnb.book import check, plain_ticks, simulation, style, table
from ldpnb.book.studies import ren2019 as study
from ldpnb.chance import odds

style()
rng = np.random.default_rng(41)

# %% [markdown]
# (sec-bayesnet-setting)=
# ## Five answers
#
# A hospital asks its nurses $d = 5$ questions with $\kappa_j = 2$ answers each, 0 for no and 1 for yes.
# Let $X_j$ be the answer of a random nurse to question $j$, and $P$ the joint distribution (law) of all answers.
# The table of $P$ has $2^5 = 32$ cells; for 16 questions there would be 65,536.
#
# A *Bayes network* $G$ gives each $X_j$ a set $\Pi_j$ of *parents*, in an order in which parents come first.
# {numref}`fig-bayesnet-five` shows one: whether a nurse is tired depends on night shifts and small children, and errors depend on whether she is tired.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Diagram", "figure": {"name": "fig-bayesnet-five", "caption": "A Bayes network. Arrows go from parents to children. Each box has the probabilities of yes given the parents’ answers."}, "image": {"alt": "Five boxes. Arrows go from shift and child to tired, from shift to coffee, and from tired to error. The boxes hold the probabilities of yes: shift 0.4, child 0.3, tired 0.1 to 0.9, coffee 0.3 or 0.8, error 0.1 or 0.5."}}
NAMES = ["shift", "child", "tired", "coffee", "error"]
NETWORK = ((0, ()), (1, ()), (2, (0, 1)), (3, (0,)), (4, (2,)))
YES = {
    0: np.array(0.4),
    1: np.array(0.3),
    2: np.array([[0.1, 0.6], [0.6, 0.9]]),
    3: np.array([0.3, 0.8]),
    4: np.array([0.1, 0.5]),
}
notes = ["0.4", "0.3", "", "shift 0: 0.3\nshift 1: 0.8", "tired 0: 0.1\ntired 1: 0.5"]
cells = product((0, 1), repeat=2)
notes[2] = "\n".join(f"shift {a}, child {b}: {YES[2][a, b]}" for a, b in cells)
places = [(2.1, 3.1), (4.4, 3.1), (3.25, 2.1), (0.95, 2.1), (5.5, 2.1)]
study.draw(NETWORK, NAMES, places, notes)
plt.show()

# %% [markdown]
# The joint distribution is the product of these conditional probabilities:
#
# $$ P(X_0,\dots,X_4) = \prod_j P(X_j \mid \Pi_j). $$ (eq-bayesnet-product)
#
# So 10 numbers suffice instead of 31.
# To draw people, follow the arrows.


# %%
def sample(network, yes, n, rng):
    """n people, each answer drawn given its parents."""
    made = np.zeros((n, len(network)), int)
    for x, parents in network:
        p = yes[x][tuple(made[:, j] for j in parents)]
        made[:, x] = rng.random(n) < p
    return made


people = sample(NETWORK, YES, 20_000, rng)
print(people[:3])

# %% [markdown]
# (sec-bayesnet-loss)=
# ## What a network loses
#
# Any distribution can be *replaced* by such a product.
# Take each conditional probability from $P$ and multiply them:
#
# $$ P_G(X_0,\dots,X_{d-1}) = \prod_j P(X_j \mid \Pi_j). $$
#
# In general, $P_G$ differs from $P$.
# Which network keeps it close?
# We need three quantities, in nats: the *entropy* $H$, the entropy of $X_j$ given its parents, and the *mutual information* $I$:
#
# $$ \begin{aligned} H(X) &= -\E \ln P(X), \\ H(X_j \mid \Pi_j) &= -\E \ln P(X_j \mid \Pi_j), \\ I(X_j; \Pi_j) &= H(X_j) + H(\Pi_j) - H(X_j, \Pi_j) \\ &= H(X_j) - H(X_j \mid \Pi_j). \end{aligned} $$ (eq-bayesnet-information)
#
# Here $\E$ is the mean over random people.
# The distance from $P$ to another distribution $Q$ is the Kullback–Leibler divergence $\mathrm{KL}(P\,\|\,Q) = \E\ln\frac PQ$, which is zero for $Q = P$ and positive otherwise.
#
# :::{prf:theorem} What a network loses
# :label: thm-bayesnet-loss
# Let $P$ be any distribution and $G$ any network.
# Where parents have probability 0, take any conditional probabilities.
# Then
#
# $$ \mathrm{KL}(P\,\|\,P_G) = \Big[\sum_j H(X_j) - H(P)\Big] - \sum_j I(X_j; \Pi_j), $$
#
# and no other product $\prod_j Q(X_j \mid \Pi_j)$ over $G$ is closer to $P$.
# :::
#
# :::{prf:proof}
# Insert the definitions one after the other:
#
# $$ \begin{aligned} \mathrm{KL}(P\,\|\,P_G) &= \E\ln P - \E\ln P_G \\ &= -H(P) - \sum_j \E\ln P(X_j \mid \Pi_j) \\ &= -H(P) + \sum_j H(X_j \mid \Pi_j) \\ &= -H(P) + \sum_j \big[H(X_j) - I(X_j;\Pi_j)\big]. \end{aligned} $$
#
# Another product $Q_G$ over the same network differs from $P_G$ by
#
# $$ \mathrm{KL}(P\,\|\,Q_G) - \mathrm{KL}(P\,\|\,P_G) = \sum_j \E \ln\frac{P(X_j \mid \Pi_j)}{Q(X_j \mid \Pi_j)}. $$
#
# Given the parents' answers, each term is a divergence of two distributions of $X_j$, so it is not negative.
# :::
#
# The bracket does not depend on the network.
# So **good parents have large mutual information**, and the best network has the largest sum of them.


# %%
def joint(network, yes):
    """The whole table: a product over the network."""
    P = np.ones((2,) * len(network))
    for record in np.ndindex(P.shape):
        for x, parents in network:
            p = yes[x][tuple(record[j] for j in parents)]
            P[record] *= p if record[x] else 1 - p
    return P


def cut(tables, axes):
    """The table of some attributes, in this order."""
    own = tuple(sorted(axes))
    larger = (s for s in tables if {*axes} <= {*s})
    whole = own if own in tables else next(larger)
    return np.einsum(tables[whole], whole, axes)  # sums the rest


def conditionals(network, tables):
    """Probabilities of yes given the parents."""
    yes = {}
    for x, parents in network:
        both = cut(tables, (*parents, x))
        yes[x] = both[..., 1] / np.maximum(both.sum(-1), 1e-300)
    return yes


def entropy(p):
    p = p[p > 0]
    return -(p * np.log(p)).sum()


def information(tables, x, parents):
    """I(X; Π) = H(X) + H(Π) − H(X, Π)."""
    axes = (x,), parents, (x, *parents)
    H = [entropy(np.atleast_1d(cut(tables, a))) for a in axes]
    return round(H[0] + H[1] - H[2], 12)  # so that ties are ties


# %% [markdown]
# We compare three networks for our nurses: the one drawn, the same without the arrow to *error*, and one without arrows.

# %%
P = {(0, 1, 2, 3, 4): joint(NETWORK, YES)}
NO_ERROR = (*NETWORK[:4], (4, ()))
ALONE = tuple((x, ()) for x in range(5))


def loss(P, network):
    """KL(P‖P_G), by its definition."""
    [(whole, p)] = P.items()
    q = joint(network, conditionals(network, P))
    return (p * np.log(p / q)).sum()


for network in (NETWORK, NO_ERROR, ALONE):
    gained = sum(information(P, *pair) for pair in network)
    print(f"informations {gained:.3f}, loss {abs(loss(P, network)):.3f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the loss of random distributions, and that nothing is closer"}
ORDER = (0, 1, 2, 3, 4)
LAWS = [{ORDER: rng.dirichlet(np.full(32, 0.5)).reshape((2,) * 5)} for _ in range(30)]


def lost(P, network):
    """The loss by the theorem."""
    bracket = sum(entropy(cut(P, (j,))) for j in range(5)) - entropy(P[ORDER])
    return bracket - sum(information(P, *pair) for pair in network)


check(
    "Loss",
    "30 random distributions, the network drawn: the loss as in the theorem",
    max(abs(loss(P, NETWORK) - lost(P, NETWORK)) for P in LAWS) < 1e-10,
    control="error without its parent",
    caught=min(abs(loss(P, NETWORK) - lost(P, NO_ERROR)) for P in LAWS) > 1e-5,
)


def closer(network):
    """How many of 60 products over a network, from other distributions, are closer than P_G over the one drawn."""
    found = 0
    for one, other in zip(LAWS, LAWS[1:] + LAWS[:1], strict=True):
        for w in (0.05, 1):
            mixed = {ORDER: (1 - w) * one[ORDER] + w * other[ORDER]}
            q = joint(network, conditionals(network, mixed))
            found += (one[ORDER] * np.log(one[ORDER] / q)).sum() < loss(one, NETWORK)
    return found


check(
    "Nothing closer",
    "60 other products over the network drawn: none is closer",
    closer(NETWORK) == 0,
    control="products over all arrows",
    caught=closer(tuple((x, tuple(range(x))) for x in range(5))) >= 30,
)

# %% [markdown]
# (sec-bayesnet-greedy)=
# ## Choosing parents
#
# With few attributes one could try all networks; with 16 there are far too many.
# {cite:t}`ren2019bayesnet` build one greedily, with at most $r$ parents for each attribute.
# Each pair of an attribute and a set of parents has a *score*, for now its mutual information.
#
# ::::{prf:algorithm} Greedy choice (Algorithm 3)
# :label: alg-bayesnet-3
# **Input** scores of pairs; largest number $r$ of parents.
# **Output** a network.
#
# 1. Place an attribute without parents.
# 2. List each attribute $x$ that is left with each set of $\min(r, \text{number placed})$ placed attributes.
# 3. Place the pair with the largest score.
# 4. Repeat from step 2 until all attributes are placed.
# ::::


# %%
def left_of(placed, d):
    return [x for x in range(d) if x not in placed]


def algorithm3(score, d, r, start):
    network, placed = [(start, ())], [start]
    while left := left_of(placed, d):
        size = min(r, len(placed))
        some = [*combinations(sorted(placed), size)]
        pairs = [(-score(x, s), x, s) for x in left for s in some]
        _, x, parents = min(pairs)  # ties: the first pair
        network.append((x, parents))
        placed.append(x)
    return tuple(network)


score = cache(partial(information, P))
found = algorithm3(score, 5, 2, start=0)
for x, parents in found:
    print(NAMES[x], "given", [NAMES[j] for j in parents])
print(f"loss {abs(loss(P, found)):.3f}")

# %% [markdown]
# This network has other arrows than the one drawn, but it loses nothing: **arrows are not causes**.
# It also has extra parents, since the algorithm always takes two if it can.
# Under the true $P$ they do no harm.
#
# In general, greedy choice need not find the best network.
# With one parent it does:
#
# :::{prf:theorem} One parent
# :label: thm-bayesnet-prim
# For $r = 1$ and any start, {prf:ref}`alg-bayesnet-3` finds a tree with the largest sum of mutual informations.
# :::
#
# For one parent, $I(X;Y) = I(Y;X)$ is a weight of the edge between $X$ and $Y$.
# Each round adds the heaviest edge from a placed attribute to one that is left.
# This is Prim's algorithm, which finds a spanning tree of the largest weight {cite:p}`chow1968approximating`.
#
# (sec-bayesnet-forget)=
# ### Scoring every pair once
#
# {prf:ref}`alg-bayesnet-3` scores the same pairs again in each round.
# After a round, only sets with the newest attribute are new.
# So it is enough to remember the best pair so far *for each* attribute that is left.
#
# ::::{prf:algorithm} Greedy choice with a memory (Algorithm 4)
# :label: alg-bayesnet-4
# **Input** and **output** as before.
#
# 1. Place the attribute with the largest entropy.
# 2. For each attribute that is left, score the sets with the newest attribute; while at most $r$ are placed, all sets.
# 3. Compare the best of them with the remembered pair of this attribute, if that was not replaced by a larger set, and remember the better one.
# 4. Place the best of all remembered pairs, and remove it from the memory.
# 5. Repeat from step 2 until all attributes are placed.
# ::::


# %%
def algorithm4(score, d, r, start):
    network, placed, best = [(start, ())], [start], {}
    while left := left_of(placed, d):
        few = len(placed) <= r  # all sets are new
        size = min(r, len(placed))
        sets = combinations(sorted(placed), size)
        new = [s for s in sets if few or placed[-1] in s]
        for x in left:
            found = [(-score(x, s), x, s) for s in new]
            best[x] = min(found if few else [best[x], *found])
        _, x, parents = min(best.values())
        del best[x]
        network.append((x, parents))
        placed.append(x)
    return tuple(network)


# %% [markdown]
# :::{prf:theorem} One remembered pair for each is enough
# :label: thm-bayesnet-carry
# From the same start, and with ties broken by the same order, both algorithms return the same network, whatever the scores.
# With $r < d$ and $w = \sum_{s=1}^{r-1}(d-s)$, they ask for
#
# $$ \binom{d+1}{r+2} + w \qquad\text{and}\qquad \binom{d}{r+1} + w $$
#
# scores.
# :::
#
# :::{prf:proof}
# *Same network.*
# We show by induction that the remembered pair of $x$ is the best of all its pairs.
# With $r$ attributes placed, there is only one set.
# Later, the sets without the newest attribute were there one round before.
# By induction, the best of them was remembered, and step 3 compares it with all other sets.
#
# *Number of scores.*
# With $s < r$ attributes placed, each of the $d-s$ others has one set, which makes $w$ in all.
# From $s = r$ on, {prf:ref}`alg-bayesnet-3` scores each of the $\binom sr$ sets for each of them:
#
# $$ \sum_{s=r}^{d-1}\binom sr(d-s) = \binom{d+1}{r+2}. $$
#
# To see this, choose $r+2$ of the numbers $0, \dots, d$ with $s$ as the last but one.
# {prf:ref}`alg-bayesnet-4` scores each set of $r+1$ attributes once, with the attribute that is placed last as the child.
# :::
#
# For $d = 16$ and $r = 2$ these are 2,395 and 575 scores.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: both algorithms, the package and networkx find the same"}
def random_score(seed, d=7):
    """A score for each pair, of 50 values, so that there are ties; and the pairs that were asked for."""
    stream, asked = np.random.default_rng(seed), []
    pairs = [(x, s) for a in (1, 2, 3) for s in combinations(range(d), a) for x in range(d) if x not in s]
    known = {pair: int(stream.integers(50)) for pair in pairs}

    def score(x, parents):
        asked.append((x, parents))
        return known[x, parents]

    return score, asked


equal, others, counts = [], [], set()
for seed, r in product(range(20), (1, 2, 3)):
    (one, first), (two, second) = random_score(seed), random_score(seed)
    networks = algorithm3(one, 7, r, seed % 7), algorithm4(two, 7, r, seed % 7)
    counts.add((r, len(first), len(second), len({*first})))
    by_package = [greedy(random_score(seed)[0], 7, r, root=seed % 7, carry=c).pairs for c in ("each", "one")]
    equal.append(networks[0] == networks[1] == by_package[0])
    others.append(networks[0] == by_package[1])
check(
    "Same network",
    "60 searches with ties: one network by both algorithms and the package",
    all(equal),
    control="one pair remembered for all attributes",
    caught=not all(others),
)
W = {r: sum(7 - s for s in range(1, r)) for r in (1, 2, 3)}
check(
    "Scores",
    "d = 7, r = 1, 2, 3: as many as in the theorem; d = 16, r = 2: 2,395 and 575",
    counts == {(r, comb(8, r + 2) + W[r], comb(7, r + 1) + W[r], comb(7, r + 1) + W[r]) for r in W}
    and (comb(17, 4) + 15, comb(16, 3) + 15) == (2395, 575),
    control="both as many",
    caught=all(first > second for _, first, second, _ in counts),
)
trees = []
for P_ in LAWS[:10]:
    score = cache(partial(information, P_))
    graph = nx.Graph()
    graph.add_weighted_edges_from((i, j, score(i, (j,))) for i, j in combinations(range(5), 2))
    most = nx.maximum_spanning_tree(graph).size("weight")
    by = [algorithm3(score, 5, 1, start) for start in range(5)] + [tuple((j, (j - 1,) if j else ()) for j in range(5))]
    trees.append([most - sum(score(*pair) for pair in network if pair[1]) for network in by])
check(
    "One parent",
    "10 random distributions, 5 starts: the weight of networkx's tree",
    np.abs(np.array(trees)[:, :5]).max() < 1e-12,
    control="a path",
    caught=np.array(trees)[:, 5].min() > 1e-4,
)

# %% [markdown]
# (sec-bayesnet-reports)=
# ## Reports and small tables
#
# Now nobody knows $P$.
# Each phone writes its answers as bits, one per possible answer, and flips each of them ({ref}`ch-joint`).
# A bit is told truly with probability $p$ and flipped with probability $q = 1-p$:
#
# $$ p = \frac{e^{\varepsilon/(2d)}}{e^{\varepsilon/(2d)}+1}. $$


# %%
def client(record, eps, rng):
    """Two bits per answer, each flipped with probability q."""
    ratio = odds(eps / (2 * len(record)))  # p / q
    report = []
    for x in record:
        for value in (0, 1):
            kept = toss(ratio / (ratio + 1), rng)
            report.append(int((x == value) == kept))
    return tuple(report)


print(client((1, 0, 1, 1, 0), 8.0, rng))
print(prove(client, [*product((0, 1), repeat=2)], rounded=False))

# %% [markdown]
# Indeed, two records have at most $2d$ different bits, and the probabilities of a report differ by at most
#
# $$ \Big(\frac pq\Big)^{2d} = \big(e^{\varepsilon/(2d)}\big)^{2d} = e^\varepsilon. $$
#
# The server sees three symbols for each answer: only the bit for 1 is set, only the bit for 0, or both or none.
# Their probabilities are $p^2$, $q^2$ and $2pq$ if the answer is 1, with $p$ and $q$ exchanged if it is 0.
# For each set of three attributes, EM climbs to the joint table under which the reports are likeliest ({ref}`ch-joint`).


# %%
def flips(d, eps):
    p = exp(eps / (2 * d)) / (exp(eps / (2 * d)) + 1)
    return p, 1 - p


def joint_tables(reports, sets, eps, steps=2000):
    """Likeliest joint table of each set, by EM."""
    bits, size = np.array(reports), len(sets[0])
    p, q = flips(bits.shape[1] // 2, eps)
    law = np.array([[q * q, 2 * p * q, p * p]])  # of −1, 0, +1
    law = np.concatenate([law[:, ::-1], law])  # a row per answer
    told = reduce(np.kron, [law] * size)
    symbol = bits[:, 1::2] - bits[:, ::2] + 1
    place = 3 ** np.arange(size)[::-1]
    codes = [symbol[:, s] @ place for s in sets]
    counts = [np.bincount(c, minlength=3**size) for c in codes]
    shares = np.array(counts) / len(bits)
    theta = np.full((len(sets), 2**size), 0.5**size)
    for _ in range(steps):
        theta *= (shares / (theta @ told)) @ told.T
    return dict(zip(sets, theta.reshape(-1, *(2,) * size)))


# %% [markdown]
# A single share comes with a standard error from the product of inverses.
# Let $u$ be the bit for 1 minus the bit for 0.
# Its mean is $p - q$ if the answer is 1, and $q - p$ if it is 0, so that
#
# $$ \E\,\frac12\Big(1 + \frac{u}{p-q}\Big) = \text{answer}, \qquad \E\,\frac12\Big(1 - \frac{u}{p-q}\Big) = 1 - \text{answer}. $$
#
# A product of such scores counts, on average, the people with all the answers that we ask for.


# %%
def share(reports, cell, eps):
    """Share of people with these answers, and its error."""
    bits = np.array(reports)
    p, q = flips(bits.shape[1] // 2, eps)
    u = (bits[:, 1::2] - bits[:, ::2]) / (p - q)
    each = [(1 + (2 * x - 1) * u[:, j]) / 2 for j, x in cell.items()]
    score = np.prod(each, axis=0)
    return score.mean(), score.std() / sqrt(len(score))


# %%
eps = 8.0
reports = [client(record, eps, rng) for record in people.tolist()]
SETS = [*combinations(range(5), 3)]
tables = joint_tables(reports, SETS, eps)
first, error = share(reports, {0: 1, 2: 1}, eps)
print(f"on shift and tired: {(people[:, 0] & people[:, 2]).mean():.3f}")
print(f"product of inverses: {first:.3f} ± {error:.3f}")
print(f"likeliest: {cut(tables, (0, 2))[1, 1]:.3f}")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: tables and shares are the package's, and a release spends no more than its report"}
def package(d, eps):
    """The package's client with the same flips."""
    return BitFlip(sizes=(2,) * d, f=2 * flips(d, eps)[1])


told = symbols(package(5, eps), np.array(reports, bool))
theirs = dict(zip(SETS, likeliest(told, SETS).tables, strict=True))
shares = [[share(reports, {0: a, 2: b}, eps)[0] for b in (0, 1)] for a in (0, 1)]
linear = inverted(told, [(0, 2)]).tables[0]
check(
    "Tables",
    "ten tables: likeliest as the package's, and shares too",
    max(np.abs(tables[s] - theirs[s]).max() for s in SETS) < 1e-3 and np.abs(shares - linear).max() < 1e-9,
    control="EM stopped after two steps",
    caught=max(np.abs(t - theirs[s]).max() for s, t in joint_tables(reports, SETS, eps, 2).items()) > 0.01,
)


def release(record, eps, rng, leak=0.0):
    """One synthetic person from one report, by one step of EM; or, with probability `leak`, the record itself."""
    theta = joint_tables([client(record, eps, rng)], [(0, 1)], eps, steps=1)[0, 1]
    one = int(toss(float(theta[1].sum() / theta.sum()), rng))
    two = int(toss(float(theta[one, 1] / theta[one].sum()), rng))
    return record if leak and toss(leak, rng) else (one, two)


TWO = [*product((0, 1), repeat=2)]
spent = {leak: epsilon(laws(lambda x, rng: release(x, 2.0, rng, leak), TWO)) for leak in (0.0, 0.9)}
check(
    "Nothing more",
    "a synthetic person from one report at ε = 2: exact ε at most 2",
    spent[0.0] <= 2,
    control="nine times of ten the record itself",
    caught=spent[0.9] > 2,
)

# %% [markdown]
# (sec-bayesnet-penalty)=
# ## Noise looks like dependence
#
# Estimated tables are noisy, and noise makes independent answers look dependent.
# How much information comes from noise alone?
# We compute it for independent fair answers, in five steps.
#
# 1. Write two answers as signs $s$ and $t$.
#    A table with fair margins is $\frac14(1 + c\,st)$, where $c$ is the mean of $st$.
# 2. Its information, for small $c$, is
#
#    $$ I = \sum_{s,t} \frac{1+c\,st}4 \ln(1+c\,st) \approx \frac{c^2}2. $$
#
# 3. For one answer, $u/(p-q)$ is an unbiased score of its sign.
#    Since $u^2$ is 1 with probability $p^2+q^2$, the second moment is
#
#    $$ \frac{\E u^2}{(p-q)^2} = \frac{p^2+q^2}{(p-q)^2} = \frac1\rho. $$
#
# 4. The product of two scores estimates $c$.
#    If $c = 0$, its variance is $1/(n\rho^2)$, so $\E\,\hat I \approx \frac12\cdot\frac1{n\rho^2}$.
# 5. With $r$ parents, each set of $i \ge 1$ parents adds a product of $i+1$ scores, with the variance $1/(n\rho^{i+1})$.
#    There are $\binom ri$ such sets, so in all
#
# $$ \E\,\hat I \approx \frac1{2n}\sum_{i=1}^r\binom ri\frac1{\rho^{i+1}} = \frac1{2n\rho}\Big[\Big(1+\frac1\rho\Big)^r - 1\Big]. $$ (eq-bayesnet-bias)
#
# Likeliest tables have the same error to this order.
# The bias grows fast with the number of parents:


# %%
def bias(r, n, d, eps):
    """Information that noise adds, with r parents."""
    p, q = flips(d, eps)
    rho = (p - q) ** 2 / (p**2 + q**2)
    return ((1 + 1 / rho) ** r - 1) / (2 * n * rho)


rows = []
for d, n, eps_ in ((5, 20_000, 8.0), (16, 21_574, 35.0), (16, 21_574, 6.4)):
    row = [d, eps_, *(f"{bias(r, n, d, eps_):.4f}" for r in (1, 2))]
    rows.append(row)
table(pd.DataFrame(rows, columns=["d", "ε", "one parent", "two parents"]))

# %% [markdown]
# The tables of all pairs in a round have the same bias, so subtracting it changes nothing as long as each attribute must take $r$ parents.
# So we change two things.
# The score subtracts a *toll*, a multiple $z^2$ of the bias, and an attribute may take any part of the set of parents, even none.
# With one parent, $\hat c$ is roughly normal, and $\hat I \approx \frac12\hat c^2$ exceeds the toll if $\hat c$ is more than $z$ standard errors from 0.
# For $z = 2$, noise alone does this for about one pair in 20.


# %%
def best_part(score, toll, x, parents):
    """The part of the parents with the best net score."""
    sizes = range(len(parents) + 1)
    parts = [s for a in sizes for s in combinations(parents, a)]
    net = [(score(x, s) - toll[len(s)], s) for s in parts]
    return max(net, key=lambda pair: pair[0])


def learn(tables, d, r, toll):
    """A network, with the parents that are worth their toll."""
    score = cache(partial(information, tables))
    best = cache(partial(best_part, score, toll))
    start = max(range(d), key=lambda j: entropy(cut(tables, (j,))))

    def net_score(x, parents):
        return best(x, parents)[0]

    network = algorithm4(net_score, d, r, start)
    return tuple((x, best(x, parents)[1]) for x, parents in network)


def tolls(z, r, n, d, eps):
    return [z**2 * bias(a, n, d, eps) for a in range(r + 1)]


for z in (0, 2):
    toll = tolls(z, 2, len(people), 5, eps)
    network = learn(tables, 5, 2, toll)
    print(f"z = {z}, loss {abs(loss(P, network)):.4f}:")
    for x, parents in network:
        print("  ", NAMES[x], "given", [NAMES[j] for j in parents])

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the bias is the package's, and simulated surveys have it"}
FAIR = np.random.default_rng(5).integers(0, 2, (4000, 3))
seen = []
for seed in range(400):
    coins = np.random.default_rng([5, seed])
    fair = coins.integers(0, 2, (4000, 3))
    three = joint_tables(package(3, 6.0).perturb(fair, rng=coins).astype(int), [(0, 1, 2)], 6.0, 100)
    seen.append([information(three, 0, (1,)), information(three, 0, (1, 2))])
seen, right = np.array(seen), np.array([bias(r, 4000, 3, 6.0) for r in (1, 2)])
off = np.abs(seen.mean(0) - right) / (seen.std(0) / 20)
check(
    "Bias",
    "400 surveys of 4,000 people: within 6 standard errors of the formula, which is the package's",
    off.max() < 6
    and all(
        abs(bias(r, 99, 3, 6.0) / information_bias(package(3, 6.0), 0, range(1, r + 1), 99) - 1) < 1e-9 for r in (1, 2)
    ),
    control="the bias without flips",
    caught=((seen.mean(0) - [1 / 8000, 3 / 8000]) / (seen.std(0) / 20)).min() > 6,
)

# %% [markdown]
# (sec-bayesnet-publish)=
# ## From people to synthetic people
#
# The server now draws as many synthetic people as there are nurses, and publishes them.


# %%
synthetic = sample(network, conditionals(network, tables), len(people), rng)
questions = [{2: 1}, {0: 1, 3: 1}, {2: 1, 4: 1}, {1: 1, 4: 1}, {0: 1, 2: 1, 4: 1}]
rows = []
for cell in questions:
    truth, made = (
        np.mean([all(record[j] == x for j, x in cell.items()) for record in one.tolist()])
        for one in (people, synthetic)
    )
    f_hat, error = share(reports, cell, eps)
    name = ", ".join(NAMES[j] for j in cell)
    rows.append([name, f"{truth:.3f}", f"{f_hat:.3f} ± {error:.3f}", f"{made:.3f}", f"{made - truth:+.3f}"])
table(pd.DataFrame(rows, columns=["yes to", "truth", "from the reports", "synthetic", "its error"]))

# %% [markdown]
# The synthetic table answers every question, and its errors are about as large as those of the reports.
#
# *Privacy.*
# All that comes after the reports, EM, network and synthetic people, is computed from the reports alone.
# So by {prf:ref}`thm-post`, the synthetic table is ε-LDP for each person, like the report.
#
# (sec-bayesnet-figures)=
# ## Sixteen answers
#
# How much does it depend on ε?
# We take 21,574 people with 16 yes-or-no answers, drawn from a random network with two parents each.
# The study uses the page's learner; `BitFlip` and `likeliest`, which do the same as our client and our EM, are faster.


# %%
def ask(people, eps, rng):
    mechanism = package(people.shape[1], eps)
    return symbols(mechanism, mechanism.perturb(people, rng=rng))


def fast_tables(told, sets, eps):
    return dict(zip(sets, likeliest(told, sets).tables, strict=True))


def drawn(network, tables, n, rng):
    return sample(network, conditionals(network, tables), n, rng)


def learner(z, r=2):
    def one(tables, eps):
        return learn(tables, 16, r, tolls(z, r, len(many), 16, eps))

    return one


many = study.planted_people(42)
exact = marginals(many, (2,) * 16, [*combinations(range(16), 3)])
known = learn(exact, 16, 2, [0, 0, 0])

# %% [markdown]
# {numref}`fig-bayesnet-drawn` compares two networks, learned from reports with $z = 0$, with the one learned from the people themselves.
# At $\varepsilon = 35$ most edges are right.
# At $\varepsilon = 6.4$ most edges are noise.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-bayesnet-drawn", "caption": "Edges of networks learned from reports, beside those learned from the people themselves: in both (blue), only from reports (orange, ×), only from the people (grey)."}, "image": {"alt": "Two triangles of cells for 16 attributes. Left, at epsilon 35, nearly all marked cells are blue. Right, at epsilon 6.4, most marked cells are orange with a cross or grey."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.4))
for ax, eps_ in zip(axes, (35.0, 6.4), strict=True):
    tables_ = fast_tables(ask(many, eps_, rng), [*exact], eps_)
    cells = study.marked(learner(0)(tables_, eps_), known)
    crosses = np.where(cells == 2, "×", "")
    colours = ListedColormap(["#F4F4F4", "#9A9A9A", "#F2A97E", "#0072B2"])
    sns.heatmap(
        cells,
        ax=ax,
        cmap=colours,
        vmin=0,
        vmax=3,
        cbar=False,
        square=True,
        linewidths=0.5,
        annot=crosses,
        fmt="",
        annot_kws={"color": "black", "fontsize": 10},
    )
    ax.set(title=f"ε = {eps_:g}", xlabel="attribute", ylabel="attribute" if eps_ > 10 else "")
plt.show()

# %% [markdown]
# For the result, {numref}`fig-bayesnet-avd`, we measure the *average variation distance* between the true and the synthetic table of two attributes, $\frac12\sum\lvert\text{true}-\text{synthetic}\rvert$, in the mean over all pairs.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Figure", "figure": {"name": "fig-bayesnet-avd", "caption": "Error of published tables of two attributes against the budget of a whole record. Mean of five surveys with 95 % bars. Dashed: a network without noise."}, "image": {"alt": "Error on a logarithmic axis against epsilon from 6.4 to 55. Each attribute alone stays near 0.07. Networks fall from above 0.1 to 0.01 and cross it between epsilon 8 and 16; with z = 2 the error at small epsilon is smaller."}}
LEARNERS = {"two parents": learner(0), "two parents, z = 2": learner(2), "one parent": learner(0, 1)}
BUDGETS = (6.4, 9.0, 13.0, 20.0, 35.0, 55.0)
result = study.errors(many, BUDGETS, ask=ask, build=fast_tables, learners=LEARNERS, sample=drawn, repetitions=5, seed=7)
names = [*LEARNERS, "each attribute alone"]
fig, ax = plt.subplots(figsize=(6.4, 3.8))
look = simulation("table", names) | {"linestyle": "-", "legend": True}
sns.lineplot(result, x="ε", y="error", ax=ax, **look)
clean = study.error(many, drawn(known, exact, len(many), rng))
ax.axhline(clean, color="black", linestyle="--", marker="")
ax.set(xscale="log", yscale="log", xticks=BUDGETS, yticks=[0.01, 0.02, 0.05, 0.1, 0.2])
plain_ticks(ax)
ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 0.05))
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: what the figures show"}
mean = result.groupby(["ε", "table"])["error"].mean().unstack()
matrix = {
    e: study.marked(learner(0)(t, e), known) for e in (35.0, 6.4) for t in [fast_tables(ask(many, e, rng), [*exact], e)]
}
right = {e: np.mean(cells[cells > 1] == 3) for e, cells in matrix.items()}
check(
    "Figures",
    "edges: more than two thirds right at ε = 35, less than half at 6.4; errors: order of the curves at 6.4 and 35",
    right[35.0] > 2 / 3
    and right[6.4] < 1 / 2
    and mean["two parents, z = 2"][6.4] < mean["one parent"][6.4] < mean["two parents"][6.4]
    and mean["two parents"][35.0] < mean["one parent"][35.0] < mean["each attribute alone"][35.0],
    control="the order at 35 is that at 6.4",
    caught=mean["two parents"][6.4] > mean["each attribute alone"][6.4],
)

# %% [markdown]
# - At $\varepsilon = 35$ two parents are six times as good as each attribute alone, and nearly as good as a network without noise.
# - One parent is better from about $\varepsilon = 13$ down, as its tables are less noisy, but it cannot show all dependence.
# - At $\varepsilon = 6.4$ two parents with $z = 0$ are the worst of all: the network was drawn by noise.
#   The toll with $z = 2$ drops most of these edges, and then the table is about as good as each attribute alone.
#
# The toll tells when a network is not worth its noise.
# More is gained by another client: {ref}`ch-publish` has blocks of attributes for the same task.
#
# (sec-bayesnet-wrong)=
# ## What can go wrong
#
# - *Arrows read as causes.*
#   Networks with other arrows can have the same distribution, as we saw.
# - *A network judged by its own tables.*
#   The sum of informations in noisy tables includes their noise, so it rises as ε falls.
#   Compare networks by what the toll leaves.
# - *A budget per answer.*
#   With 16 answers, $\varepsilon = 35$ is only 2.2 for each, but a whole record is hardly protected.
#
# (sec-bayesnet-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# A programmer changes {prf:ref}`alg-bayesnet-4`.
# He remembers one pair in all: the best of another attribute than the one just placed.
# Let $X$, $Y$ and $Z$ depend on a fair coin $R$ alone, with $I(X;R) > I(Y;R) > I(Z;R)$, and less for all other pairs.
# Both searches start at $R$ with $r = 1$.
# Which networks do they find?
# :::
#
# :::{dropdown} Solution
# {prf:ref}`alg-bayesnet-4` finds the star: $X$, $Y$ and $Z$, each with the parent $R$.
# The other search places $X$ first and remembers $(Y, R)$, so $(Z, R)$ is forgotten.
# Then it places $Y$ with the parent $R$.
# Now $Z$ can only choose between $X$ and $Y$, both worse than $R$.
# :::
#
# :::{admonition} Exercise 2 (code, 12 minutes)
# A yes-or-no answer needs only one bit.
# Write a client that reports one bit per answer with the same ε, and its joint tables.
# What is its $1/\rho$ in place of the one in step 3, for five answers and $\varepsilon = 8$?
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
# def one_bit_tables(reports, sets, eps, steps=2000):
#     bits, size = np.array(reports), len(sets[0])
#     p = exp(eps / bits.shape[1]) / (exp(eps / bits.shape[1]) + 1)
#     told = reduce(np.kron, [np.array([[p, 1 - p], [1 - p, p]])] * size)
#     place = 2 ** np.arange(size)[::-1]
#     counts = [np.bincount(bits[:, s] @ place, minlength=2**size) for s in sets]
#     shares = np.array(counts) / len(bits)
#     theta = np.full((len(sets), 2**size), 0.5**size)
#     for _ in range(steps):
#         theta *= (shares / (theta @ told)) @ told.T
#     return dict(zip(sets, theta.reshape(-1, *(2,) * size)))
#
#
# print(prove(one_bit, [*product((0, 1), repeat=2)], rounded=False))
# told = [one_bit(record, 8.0, rng) for record in people.tolist()]
# print(cut(one_bit_tables(told, SETS, 8.0), (0, 2))[1, 1])  # 0.28
# ```
#
# A bit has $u = \pm1$, so the second moment is $1/(p-q)^2$ with $p = e^{1.6}/(e^{1.6}+1)$: 2.3 instead of 4.0.
# :::
#
# :::{admonition} Exercise 3 (think, 4 minutes)
# A server learns networks from all 16 starts and with many $z$, and publishes the synthetic table whose pairs are closest to its own estimated tables.
# Does it spend more than ε?
# Is this a good way to choose $z$?
# :::
#
# :::{dropdown} Solution
# It spends no more, since all networks are computed from the same reports.
# But the estimated tables contain the noise, so this choice prefers networks that copy it, with $z = 0$.
# A part of the people who report separately would be a fair test.
# :::
#
# ## Summary
#
# - A Bayes network replaces a large table by a product of small conditional tables.
# - What it loses is a constant less the sum of mutual informations, so good parents tell much.
# - Algorithm 4 finds the network of Algorithm 3, and scores every pair once.
# - Noise adds information, more with more parents; a toll keeps only parents that stand out.
# - All that follows the reports is post-processing: the synthetic table is ε-LDP.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $d$ | number of keys, or of attributes |
# | $j$ | a key, or an attribute: one of the $d$ |
# | $\kappa_j$ | number of values of attribute $j$, where a person has several attributes |
# | $x$ | an item, or another value that one person has |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $q$ | chance that the bit of another item is set |
# | $X_j$ | answer of a random person to question $j$ (here only) |
# | $P$ | joint distribution of all answers (here only) |
# | $G$ | a network (here only) |
# | $\Pi_j$ | parents of attribute $j$ (here only) |
# | $P_G$ | product of the conditional probabilities of $P$ over $G$ (here only) |
# | $Q$ | another distribution (here only) |
# | $H$ | entropy (here only) |
# | $I$ | mutual information (here only) |
# | $r$ | largest number of parents (here only) |
# | $w$ | number of scores while fewer than $r$ are placed (here only) |
# | $u$ | bit for 1 minus bit for 0 (here only) |
# | $c$ | mean product of two signs (here only) |
# | $\rho$ | $(p-q)^2/(p^2+q^2)$ (here only) |
# | $z$ | standard errors from which on a parent is accepted (here only) |
#
# Next, {ref}`ch-publish` publishes tables in other ways.
