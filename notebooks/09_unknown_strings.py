# %% [markdown]
# (ch-unknown)=
# # Unknown strings
#
# *From {cite:t}`kairouz2016discrete` and {cite:t}`fanti2016unknown`; see also the {ref}`dossier <paper-ye2018>` of {cite:t}`ye2018survey`.*
#
# :::{admonition} In one minute
# People use a new word that nobody has listed.
# RAPPOR's clients can report it, but the server can only name words on its list.
# So each client also reports two fragments of its word, privately.
# There are few fragments, so the server can count all pairs.
# It joins frequent pairs in a graph.
# Fragments that are all joined to each other make a candidate word.
# Reports on whole words then show which candidates are real.
# :::
#
# :::{zh}
# 本课讨论没有列表的字符串：先在收集之后才给出列表，再让服务器自己找出列表。
# O-RR 用所在分组的哈希函数把字符串映射到 $g$ 个槽之一，再作 k-RR；O-RAPPOR 只发送布隆过滤器的一次随机响应。
# 两者收集报告时都不需要列表，服务器用最小二乘从计数求出候选的频率及标准误差，最多能确定 $C(g-1)+1$ 个候选的频率。
# RAPPOR-Unknown 的客户端把 $\varepsilon$ 分成三份：两份给随机抽取的两个位置上的片段，一份给整个字符串。
# 服务器估计每对片段的频率，把显著的片段对连成图，图中的团就是候选；有些候选并无人使用，要靠整个字符串的报告来识别。
# 两份噪声相乘，所以只有很常见的字符串才能被发现：所需人数随 $1/\varepsilon^4$ 增长。
# :::
#
# You need cohorts and least squares from {ref}`ch-rappor`, and k-RR and local hashing from {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import combinations, product
from math import exp, log, sinh, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import norm

from ldpnb import Unknown, epsilon, laws, moments, pick, prove, toss
from ldpnb.chance import odds
from ldpnb.strings import position
from ldpnb_book import check, diagram, plain_ticks, simulation, style, table
from ldpnb_book.studies import strings as study

style()
rng = np.random.default_rng(2016)

# %% [markdown]
# (sec-unknown-question)=
# ## A new word
#
# A keyboard's maker wants to know which words people type.
# Ana types *teaste*, which is in no dictionary.
# Here are words of 8,000 people, with six letters from a, e, n, s and t.
# A quarter of the people have one of 395 other strings.

# %%
SHARES = {
    "tenant": 0.20,
    "senate": 0.17,
    "estate": 0.14,
    "teaste": 0.12,
    "attest": 0.10,
    "neaten": 0.02,
}
LETTERS = "aenst"
rare = {"".join(row) for row in rng.choice(list(LETTERS), (400, 6))}
rare = sorted(rare - {*SHARES})
chances = [*SHARES.values(), *[0.25 / len(rare)] * len(rare)]
words = rng.choice([*SHARES, *rare], 8_000, p=chances).tolist()

# %% [markdown]
# **Can the maker learn that many people type *teaste*, without knowing this word, and without learning that Ana does?**
#
# (sec-rappor-orr)=
# ## A list that comes later
#
# Two clients need no list {cite:p}`kairouz2016discrete`.
# Both draw one of $C$ public cohorts, and hash the string into one of $g$ slots with the cohort's hash function.
#
# - *O-RR* applies k-RR to the slot, as in {numref}`fig-unknown-tree`.
# - *O-RAPPOR* sends one randomly flipped bit per slot: RAPPOR with one hash function and without its second coin.


# %%
def orr(x, cohorts, g, eps, rng):
    """A public cohort, and the slot of x after k-RR."""
    cohort = pick(range(cohorts), rng)
    slot = position(x, cohort, 0, g)
    if toss(odds(eps) / (odds(eps) + g - 1), rng):
        return cohort, slot
    return cohort, pick([t for t in range(g) if t != slot], rng)


def flipped(bits, eps, rng):
    """Each bit is flipped with probability 1/(e^(ε/2) + 1)."""
    flip = 1 / (odds(eps / 2) + 1)
    return tuple(bit ^ toss(flip, rng) for bit in bits)


def orappor(x, cohorts, g, eps, rng):
    """A public cohort, and a bit for each slot."""
    cohort = pick(range(cohorts), rng)
    slot = position(x, cohort, 0, g)
    return cohort, flipped([t == slot for t in range(g)], eps, rng)


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Diagram", "figure": {"name": "fig-unknown-tree", "caption": "Ana's O-RR client in a cohort with four slots, where teaste has slot 1, for ε = ln 3."}, "image": {"alt": "Tree with four leaves. Keep, with probability 1/2, reports slot 1. Move, with probability 1/2, reports slot 0, 2 or 3, each with 1/6."}}
def one_cohort(x, rng):
    return orr(x, 1, 4, log(3), rng)[1]


look = {"steps": ["keep or move?", "where to?"], "options": [["keep", "move"], [""] * 3]}
diagram.tree(one_cohort, "teaste", **look, names={t: f"slot {t}" for t in range(4)})
plt.show()

# %% [markdown]
# As in {ref}`ch-rappor`, call each slot of each cohort a *cell*: an O-RR report names one of the $Cg$ cells.
#
# :::{prf:theorem} O-RR
# :label: thm-rappor-orr
# 1. The law of the reported cell $b$ is
#
#    $$ \Pr[b \mid x] = \frac{1}{C\,(e^\varepsilon+g-1)}\begin{cases} e^\varepsilon & \text{if } b \text{ is the slot of } x \text{ in its cohort},\\ 1 & \text{if not.}\end{cases} $$
#
#    So O-RR is ε-LDP, and exactly ε-LDP if two strings have different slots in some cohort.
# 2. If slots are uniform and independent, two strings share a slot in a given cohort with probability $1/g$, and in all cohorts with probability $g^{-C}$.
# 3. From the reports, the shares of at most $C(g-1)+1$ candidates can be determined.
# :::
#
# :::{prf:proof}
# 1. *Law.*
#    The cohort does not depend on $x$, and given the cohort this is k-RR with $g$ items.
# 2. *Slots.*
#    Whatever the first string's slot is, the second string has the same with probability $1/g$; cohorts are independent.
# 3. *Shares.*
#    The law of a report is a vector of $Cg$ numbers, with the same sum $1/C$ in each cohort.
#    Such vectors span at most $Cg - (C-1)$ dimensions, so for more candidates there is a $\delta \ne 0$ with
#
#    $$ \sum_x \delta_x \Pr[b \mid x] = 0, \qquad \sum_x \delta_x = 0, $$
#
#    the second because each law sums to 1.
#    Adding a small multiple of $\delta$ to positive shares changes no probability of a report.
# :::
#
# `prove` confirms both budgets:

# %%
some = ["tenant", "senate", "teaste"]
for client in (orr, orappor):

    def small(x, eps, rng, client=client):
        return client(x, 2, 3, eps, rng)

    found = prove(small, some, rounded=False)
    print(f"{client.__name__:<8} exactly ε for every ε: {found.tight}")


# %% [markdown]
# The server is that of {ref}`ch-rappor`.
# A report counts as a 1 in the string's cell with probability $p$, and in another cell of its cohort with probability $q$:
#
# | | $p$ | $q$ |
# |---|---|---|
# | O-RR | $\dfrac{e^\varepsilon}{e^\varepsilon+g-1}$ | $\dfrac{1}{e^\varepsilon+g-1}$ |
# | O-RAPPOR | $\dfrac{e^{\varepsilon/2}}{e^{\varepsilon/2}+1}$ | $\dfrac{1}{e^{\varepsilon/2}+1}$ |
#
# As in {eq}`eq-rappor-y`, the corrected shares
#
# $$ y_b = \frac Cn\cdot\frac{O_b - q\,n_b}{p-q}, \qquad \E\,y_b = \sum_x f_x X_{bx}, $$ (eq-unknown-y)
#
# are linear in the shares, and $X^+y$ estimates them.
# We give $X$ one more column, all ones, for unlisted rare strings.
# They fall into all slots alike, so this column's coefficient is their share, divided by $g$.
# The column takes one of the $C(g-1)+1$ dimensions.


# %%
def slots_of(items, cohorts, g):
    """X: a row for each slot of each cohort, a column for each string."""
    every = range(cohorts)
    slot = [[position(x, group, 0, g) for group in every] for x in items]
    return np.eye(g)[slot].reshape(len(items), -1).T


def server(cohort, ones, X, p, q):
    """Coefficients of the columns of X, and their standard errors."""
    n, g = ones.shape
    C = len(X) // g
    people = np.bincount(cohort, minlength=C)[:, None]
    counts = [ones[cohort == group].sum(0) for group in range(C)]
    y = C / n * (counts - q * people) / (p - q)
    W = np.linalg.pinv(X)
    weight = W.reshape(-1, C, g)[:, cohort]
    score = (weight * C * (ones - q) / (p - q)).sum(2)
    return W @ y.ravel(), score.std(1) / sqrt(n)


# %% [markdown]
# Everybody reports with $\varepsilon = 2$, 16 cohorts and 8 slots.
# Later, the server tries six dictionary words:

# %%
COHORTS, SLOTS, EPS = 16, 8, 2.0
e, root = exp(EPS), exp(EPS / 2)
CLIENTS = {  # with p and q
    "O-RR": (orr, e / (e + SLOTS - 1), 1 / (e + SLOTS - 1)),
    "O-RAPPOR": (orappor, root / (root + 1), 1 / (root + 1)),
}


def with_rest(items):
    X = slots_of(items, COHORTS, SLOTS)
    return np.column_stack([X, np.ones(len(X))])


def shown(items, f, s):
    """Estimates with their standard errors."""
    both = zip(f[: len(items)], s, strict=False)
    return [f"{a:.3f} ± {b:.3f}".replace("-", "−") for a, b in both]


LIST = ["tenant", "senate", "estate", "attest", "assent", "sateen"]
columns = {"word": LIST, "truth": [SHARES.get(x, 0.0) for x in LIST]}
for name, (client, p, q) in CLIENTS.items():
    reports = [client(x, COHORTS, SLOTS, EPS, rng) for x in words]
    cohort, told = (np.array(part) for part in zip(*reports, strict=True))
    ones = np.eye(SLOTS)[told] if name == "O-RR" else told
    found = server(cohort, ones, with_rest(LIST), p, q)
    columns[name] = shown(LIST, *found)
table(pd.DataFrame(columns))

# %% [markdown]
# Only the fit's residuals hint at *teaste*: they are too large.
# On average, *teaste* adds 1.7 points to *tenant* and 1.2 to *senate*.
# O-RR's estimate for *senate* is 3 more points too high, by chance.
#
# How many slots?
# With a cohort for each person, O-RR would be local hashing.
# There, $e^\varepsilon+1$ slots are best.
# {numref}`fig-rappor-orr` shows that many cohorts come close, while few need more slots.

# %% mystnb={"figure": {"name": "fig-rappor-orr", "caption": "Standard error of O-RR for one of 64 candidates that nobody has, divided by that of OUE, at ε = 1. Marks: exact. Line: local hashing. With 16 cohorts, 3 or 4 slots cannot identify 64 shares."}, "image": {"alt": "Standard error over OUE's from 1 to 3 against 2 to 64 slots. The line of local hashing has its minimum 1 near four slots and rises to 2.5. Marks for 256 cohorts lie close to it; those for 64 and 16 cohorts lie higher, above all at few slots."}}
many = [f"page{i}.example" for i in range(64)]
grid = np.geomspace(2, 64, 40)
of_hashing = (exp(1) + grid - 1) / np.sqrt(4 * exp(1) * (grid - 1))
line = pd.DataFrame({"slots": grid, "error": of_hashing})
sizes = [3, 4, 8, 16, 32, 64]
exact = study.of_slots([256, 64, 16], sizes, many, epsilon=1.0)
names = ["256 cohorts", "64 cohorts", "16 cohorts"]
fig, ax = plt.subplots(figsize=(6.4, 3.4))
look = {"color": "black", "label": "local hashing"}
sns.lineplot(line, x="slots", y="error", ax=ax, **look)
marks = simulation("client", names) | {"legend": True, "markersize": 8}
sns.lineplot(exact, x="slots", y="error", ax=ax, **marks)
for mark in ax.lines[1:]:  # hollow, to show what lies behind
    mark.set(mec=mark.get_color(), mfc="none", mew=1.5)
ax.set(xlabel="slots g", ylabel="standard error / OUE's")
ax.set(xscale="log", ylim=(0.9, 3.2))
ax.legend(loc="upper left", title="")
plain_ticks(ax)
plt.show()


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the law of O-RR, and how many candidates it tells apart"}
def stated(x, cohorts, g, eps):
    """The law in the theorem."""
    weight = 1 / (cohorts * (exp(eps) + g - 1))
    cells = product(range(cohorts), range(g))
    return {b: weight * (exp(eps) if position(x, b[0], 0, g) == b[1] else 1) for b in cells}


def far(one, other):
    return max(abs(float(one[report]) - chance) for report, chance in other.items())


read = laws(lambda x, rng: orr(x, 3, 4, 1.0, rng), some)
check(
    "O-RR",
    "three cohorts, four slots: the law in the theorem, ε = 1",
    max(far(one, stated(x, 3, 4, 1.0)) for one, x in zip(read, some, strict=True)) < 1e-12
    and abs(epsilon(read) - 1) < 1e-12,
    control="the law of another word",
    caught=far(read[0], stated("senate", 3, 4, 1.0)) > 0.01,
)


def tells_apart(cohorts, g):
    return np.linalg.matrix_rank(slots_of(many, cohorts, g)) == 64


check(
    "Rank",
    "64 candidates: not told apart in any of four designs with C(g − 1) + 1 < 64",
    not any(tells_apart(*size) for size in ((8, 8), (20, 4), (31, 3), (62, 2))) and tells_apart(64, 3),
    control="Cg ≥ 64 taken for enough, 20 cohorts of 4 slots",
    caught=20 * 4 >= 64 and not tells_apart(20, 4),
)


def gained(word):
    """Points that an unlisted word adds to the estimates of the list, on average."""
    X = np.linalg.pinv(with_rest(LIST)) @ slots_of([word], COHORTS, SLOTS)
    return 100 * SHARES[word] * X.ravel()[: len(LIST)]


def excess(items):
    """Mean of O-RAPPOR's squared residuals at ε = 2, in standard deviations above that of noise alone."""
    X, mean = with_rest(items), slots_of([*SHARES, *rare], COHORTS, SLOTS) @ chances
    off = mean - X @ np.linalg.pinv(X) @ mean
    noise = COHORTS / 4 / sinh(0.5) ** 2 / len(words)  # p q/(p − q)² is 1/(4 sinh²(ε/4))
    return off @ off / noise / sqrt(2 * (len(X) - len(items)))


check(
    "Residuals",
    f"ε = 2: {excess(LIST):.1f} standard deviations too large on average where teaste is missing",
    excess(LIST) > 5,
    control=f"{excess([*SHARES]):.1f} for a list of all words",
    caught=not excess([*SHARES]) > 1,
)
check(
    "Spill",
    "tenant gains 1.7 points and senate 1.2 from a word that is not listed",
    np.abs(gained("teaste")[:2] - [1.7, 1.2]).max() < 0.05,
    control="another word",
    caught=np.abs(gained("neaten")[:2] - [1.7, 1.2]).max() > 0.5,
)

# %% [markdown]
# (sec-rappor-unknown)=
# ## Fragments
#
# There are $5^6 = 15{,}625$ strings of six letters, but only $5^2 = 25$ *fragments* of two.
#
# RAPPOR-Unknown {cite:p}`fanti2016unknown` cuts a string into fragments at $G$ positions; here $G = 3$.
# Strings are padded to equal length.
# The client draws two public positions without looking at the string.
# It makes three private reports with $\varepsilon/3$ each: on each fragment by SUE, here with 25 bits, and on the whole string by O-RAPPOR, here with 8 bits.


# %%
def unknown(x, grams, cohorts, g, eps, rng):
    """Two positions; privately, their fragments and the string."""
    size = len(grams[0])
    parts = [x[i : i + size] for i in range(0, len(x), size)]
    pair = pick(list(combinations(range(len(parts)), 2)), rng)
    bits = [[a == parts[at] for a in grams] for at in pair]
    fragments = tuple(flipped(one, eps / 3, rng) for one in bits)
    return orappor(x, cohorts, g, eps / 3, rng), pair, fragments


# %% [markdown]
# Let a bit for a fragment be flipped with probability $\varphi = 1/(e^{\varepsilon/6}+1)$.
# As in SUE, its score is
#
# $$ \frac{\text{bit} - \varphi}{1-2\varphi}, \qquad \text{with variance}\quad u = \frac{\varphi(1-\varphi)}{(1-2\varphi)^2}, $$
#
# and mean 1 if the person has the fragment there, 0 if not.
# Two given positions are drawn with probability $\varrho = \frac{2}{G(G-1)}$.
#
# :::{prf:theorem} RAPPOR-Unknown
# :label: thm-rappor-unknown
# 1. The three reports together are ε-LDP, and exactly ε-LDP if two strings differ in two fragments and in the slot of some cohort.
# 2. Let $a$ and $a'$ be fragments at two positions, and $f_{aa'}$ the share of people who have both.
#    For everybody who drew these positions, multiply the scores of $a$ and $a'$.
#    The sum of the products, divided by $n\varrho$, is an unbiased estimate of $f_{aa'}$.
#    If nobody has either fragment, $n\Var\hat f_{aa'} = u^2/\varrho$.
# :::
#
# :::{prf:proof}
# 1. *Privacy.*
#    The positions do not depend on the string.
#    Given them, the three reports have separate coins, so their ratios multiply.
#    Each ratio is at most $e^{\varepsilon/3}$; some report attains it where the two strings differ in the fragment or the slot.
# 2. *Estimate.*
#    The two scores are independent.
#    The mean of their product is the product of their means: 1 for a person with both fragments, and 0 otherwise.
#    Each person contributes with probability $\varrho$, so the sum has mean $n\varrho f_{aa'}$.
#    If both means are 0, the product has mean square $u^2$.
#    A person adds it, divided by $\varrho$, with probability $\varrho$, which makes the variance $\varrho\,u^2/\varrho^2$.
# :::
#
# For two strings of two letters, `prove` confirms part 1:


# %%
def tiny(x, eps, rng):
    return unknown(x, ["a", "b"], 2, 2, eps, rng)


print(prove(tiny, ["aa", "bb"], rounded=False))

# %% [markdown]
# (sec-unknown-cliques)=
# ## From pairs to words
#
# The server estimates the shares of all pairs of fragments.


# %%
def pairs(pair, fragments, eps):
    """Shares of pairs of fragments, and their standard errors."""
    n, phi = len(pair), 1 / (exp(eps / 6) + 1)
    score, f, s = (fragments - phi) / (1 - 2 * phi), {}, {}
    places = sorted({*map(tuple, pair.tolist())})
    for at in places:
        a, b = score[(pair == at).all(1)].swapaxes(0, 1)
        f[at] = a.T @ b / n * len(places)  # ϱ is 1 / len(places)
        square = (a**2).T @ b**2 / n * len(places) ** 2
        s[at] = np.sqrt((square - f[at] ** 2) / n)
    return f, s


# %% [markdown]
# Everybody reports once with $\varepsilon = 6$, 2 for each part.
# Two fragments are *joined* if the estimated share of their pair is more than $z$ standard errors above 0.
# We choose $z$ so that a normal variable exceeds it with probability 1/1,875.
# If nobody had any of the $3\cdot 25^2 = 1{,}875$ pairs, we would expect one false pair.
#
# Fragments are the nodes of a graph, in one column per position.
# A *clique* is a set of nodes that are all joined.
# One with a node in each column spells a candidate, as in {numref}`fig-unknown-graph`.

# %%
GRAMS = ["".join(pair) for pair in product(LETTERS, repeat=2)]
TOTAL = 6.0
reports = [unknown(x, GRAMS, COHORTS, SLOTS, TOTAL, rng) for x in words]
whole, pair, fragments = zip(*reports, strict=True)
f, s = pairs(np.array(pair), np.array(fragments), TOTAL)
z = norm.isf(1 / (3 * 25**2))
joined = {at: f[at] > z * s[at] for at in f}
candidates = [
    "".join(GRAMS[i] for i in parts)
    for parts in product(range(25), repeat=3)
    if all(joined[i, j][parts[i], parts[j]] for i, j in joined)
]
print("candidates:", *candidates)

# %% mystnb={"figure": {"name": "fig-unknown-graph", "caption": "Fragments with at least one joined pair. Arcs join the first and the last position. Thick: the clique teaste. Dashed: tenate's other pairs."}, "image": {"alt": "Three columns of fragments, joined by lines between neighbouring columns and by curved lines between the first and the third. Three thick lines join te, as and te, two dashed ones te and na, na and te."}}
fig, ax = plt.subplots(figsize=(6.4, 3.4))
ends = np.zeros((3, 25), bool)  # of the joined pairs
for (a, b), edges in joined.items():
    ends[a] |= edges.any(1)
    ends[b] |= edges.any(0)
place, card = {}, {"boxstyle": "round", "fc": "white"}
look = {"ha": "center", "va": "center", "bbox": card}
for at in range(3):
    own = np.flatnonzero(ends[at]).tolist()
    for row, i in enumerate(own):
        place[at, i] = at, (len(own) - 1) / 2 - row
        ax.text(*place[at, i], GRAMS[i], **look)
new = [GRAMS.index(a) for a in ("te", "as", "te")]
ghost = [GRAMS.index(a) for a in ("te", "na", "te")]
# how far long edges bend, past the boxes
BENDS = {"este": 0.55, "sete": 0.41, "tent": 0.62, "tete": 0.5}
for (a, b), edges in joined.items():
    for i, j in np.argwhere(edges):
        look = {"color": "C0", "lw": 1}
        if (i, j) == (new[a], new[b]):
            look = {"color": "C4", "lw": 2.5}
        elif (i, j) == (ghost[a], ghost[b]):
            look = {"color": "C0", "lw": 2, "ls": "--"}
        rad = BENDS.get(GRAMS[i] + GRAMS[j], 0.45) if b - a == 2 else 0
        bend = f"arc3,rad={-rad}"
        look |= {"arrowstyle": "-", "connectionstyle": bend}
        tip, start = place[b, j], place[a, i]
        ax.annotate("", tip, start, arrowprops=look, zorder=1)
ax.set(xlim=(-0.2, 2.2), ylim=(-2.2, 2.9), yticks=[])
ax.set_xticks([0, 1, 2], ["letters 1, 2", "letters 3, 4", "letters 5, 6"])
sns.despine(left=True, bottom=True)
ax.grid(visible=False)
plt.show()

# %% [markdown]
# So *teaste* is a candidate.
# *Tenate* is a *ghost*, a candidate that nobody types: *tenant*, *senate* and *teaste* each contribute one of its pairs.
# The reports on whole strings now show which candidates are real.
# As in {ref}`ch-rappor`, candidates more than `cut` standard errors above 0 are *found*; a normal variable exceeds `cut` with probability $0.05/6$.
# These reports have separate coins, so their noise does not depend on the choice of candidates.

# %%
cohort, bits = (np.array(part) for part in zip(*whole, strict=True))
p = exp(TOTAL / 6) / (exp(TOTAL / 6) + 1)
shares, errors = server(cohort, bits, with_rest(candidates), p, 1 - p)
cut = norm.isf(0.05 / len(candidates))
real = np.where(shares > cut * errors, "yes", "no")
columns = {
    "candidate": candidates,
    "truth": [SHARES.get(x, 0.0) for x in candidates],
    "estimate": shown(candidates, shares, errors),
    "found": real[:-1],
}
table(pd.DataFrame(columns))

# %% [markdown]
# By chance, *attest* and *teaste* come out more than two standard errors too high.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: ε of the whole report, pairs of fragments, and what is found"}
def raw(x, eps, rng):
    """A mistake: fragments are sent as they are."""
    told, pair, _ = tiny(x, eps, rng)
    return told, pair, x


def own_length(x, eps, rng):
    """A mistake: positions are drawn from each string's own length."""
    return unknown(x, ["a", "b"], 1, 2, eps, rng)


def spent(client, strings=("aa", "bb")):
    return epsilon(laws(lambda x, rng: client(x, 3.0, rng), list(strings)))


check(
    "Fragments",
    "exact law: ε = 3",
    abs(spent(tiny) - 3) < 1e-9,
    control="fragments sent as they are; positions drawn from each string's own length: ε = ∞",
    caught=np.isinf(spent(raw)) and np.isinf(spent(own_length, ("aa", "bbb"))),
)
word = Unknown(alphabet="_ab", length=2, gram=1, slots=2, epsilon=3.0, bits=3, hashes=1, cohorts=1)
mean, variance = moments(word, ["ab"])
phi = 1 / (exp(0.5) + 1)
u = phi * (1 - phi) / (1 - 2 * phi) ** 2
check(
    "Pairs",
    "exact law: unbiased, and the variance of the theorem for fragments that nobody has",
    abs(mean[0, 0, 1, 2] - 1) < 1e-9 and abs(mean).sum() < 1 + 1e-6 and abs(variance[0, 0, 0, 0] - u**2) < 1e-6,
    control="the target of another word",
    caught=abs(mean[0, 0, 2, 1] - 1) > 0.5,
)
truth = np.array(columns["truth"])
off = np.abs(shares[:-1] - truth) / errors[:-1]
check(
    "Dictionary",
    "five words and a ghost are candidates, shares within 6 standard errors, the ghost is not found",
    {*SHARES} - {"neaten"} < {*candidates}
    and off.max() < 6
    and [x for x, yes in zip(candidates, real, strict=False) if yes == "yes"] == sorted({*SHARES} - {"neaten"}),
    control="the shares in reverse order",
    caught=(np.abs(shares[:-1] - truth[::-1]) / errors[:-1]).max() > 6,
)

# %% [markdown]
# (sec-unknown-missed)=
# ## What is missed
#
# The word *neaten*, with a share of 2 %, is not a candidate.
# A pair is joined half the time if $f_{aa'}$ is $z$ times the standard error.
# With only the noise of {prf:ref}`thm-rappor-unknown`, $u/\sqrt{n\varrho}$, this needs
#
# $$ n = \frac{z^2\,u^2}{\varrho\,f_{aa'}^2} $$ (eq-rappor-people)
#
# people.


# %%
def needed(f, eps):
    """People for a pair to be joined half the time."""
    phi = 1 / (exp(eps / 6) + 1)
    u = phi * (1 - phi) / (1 - 2 * phi) ** 2
    return (z * u / f) ** 2 * 3  # ϱ is 1/3


budgets, rows = (1, 2, 4, 6), []
for share, f in (("10 %", 0.1), ("2 %", 0.02)):
    people = [f"{needed(f, eps):,.0f}" for eps in budgets]
    rows.append([share, *people])
columns = ["share", *(f"ε = {eps}" for eps in budgets)]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# For a small ε, $1-2\varphi$ is about $\varepsilon/12$, so $u$ is about $36/\varepsilon^2$.
# Counting single items needs people in proportion to $1/\varepsilon^2$; a pair multiplies two noise terms, and needs $1/\varepsilon^4$.
#
# People who have one of the two fragments add further noise.
# For the pairs of *teaste*, the standard errors are 0.023 to 0.025 instead of 0.018, and about one survey in ten misses at least one of them.
# Later methods report a prefix of the string instead {cite:p}`wang2021pem,bassily2017heavy,zhang2024federated`.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the number of people, by the package's variance"}
def parts(x):
    return [x[i : i + 2] for i in (0, 2, 4)]


own, errors_of, chance = parts("teaste"), [], 1.0
for i, j in s:
    both = sum(f for x, f in zip([*SHARES, *rare], chances, strict=True) if all(parts(x)[k] == own[k] for k in (i, j)))
    errors_of.append(s[i, j][GRAMS.index(own[i]), GRAMS.index(own[j])])
    chance *= norm.cdf(both / errors_of[-1] - z)
alone = sqrt(needed(0.1, TOTAL) / len(words)) * 0.1 / z  # u/√(nϱ)
print(
    f"teaste: standard errors {min(errors_of):.3f} to {max(errors_of):.3f}, not {alone:.3f}; all joined: {chance:.2f}"
)
six = Unknown(alphabet=f"_{LETTERS}", length=6, gram=2, slots=2, epsilon=6.0, bits=8, hashes=1, cohorts=4)
by_package = six.variance(["tttttt"])[0, 0, 1, 1] * z**2 / 0.02**2
check(
    "People",
    "u²/ϱ is the package's variance of a pair that a person does not have",
    abs(by_package / needed(0.02, 6.0) - 1) < 1e-9,
    control="ε/2 in place of ε/3 for a fragment",
    caught=abs(by_package / needed(0.02, 9.0) - 1) > 0.1,
)

# %% [markdown]
# (sec-unknown-wrong)=
# ## What can go wrong
#
# - *Fragments are sent as they are.*
#   Then two of three fragments of a word are known.
# - *Cliques are taken for words.*
#   Count whole strings before you publish.
#
# (sec-unknown-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 5 minutes)
# You have 500 candidates and $\varepsilon = \ln 7$.
# How many slots are best for local hashing?
# How many cohorts does O-RR need with these slots?
# :::
#
# :::{dropdown} Solution
# $e^\varepsilon + 1 = 8$ slots.
# By the theorem, $C(8-1)+1 \ge 500$, so $C \ge 72$.
# :::
#
# :::{admonition} Exercise 2 (code, 14 minutes)
# To avoid multiplying noise, treat a pair of fragments as one item, and report it by k-RR ({eq}`eq-freq-krr`) with budget $2\varepsilon/3$.
# Write the client and an estimator of $f_{aa'}$ for one pair of positions.
# Compare the variances for a pair that nobody has, at $\varepsilon = 6$ and $\varepsilon = 1$.
# :::
#
# :::{dropdown} Solution
# Both variances are divided by $\varrho$, so we compare them without it.
# With $k = 25^2 = 625$ pairs, {eq}`eq-freq-krr` gives $\frac{e^4+623}{(e^4-1)^2} = 0.24$ at $\varepsilon = 6$, and $u^2 = 0.85$.
# At $\varepsilon = 1$, k-RR has 696, and $u^2 = 1{,}290$.
# Local hashing, with OUE's variance ({prf:ref}`thm-oue`), has only 8.7 at $\varepsilon = 1$.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def pair_krr(x, eps, rng):
    """The pair of fragments at positions 0 and 1, through k-RR with 2ε/3."""
    own = GRAMS.index(x[:2]) * 25 + GRAMS.index(x[2:4])
    if toss(odds(2 * eps / 3) / (odds(2 * eps / 3) + 624), rng):
        return own
    return pick([item for item in range(625) if item != own], rng)


def pair_share(reports, eps):
    """Shares of all pairs, and their standard errors."""
    e, n = exp(2 * eps / 3), len(reports)
    p, q = e / (e + 624), 1 / (e + 624)
    rate = np.bincount(reports, minlength=625) / n
    return (rate - q) / (p - q), np.sqrt(rate * (1 - rate) / n) / (p - q)


told = pair_share([pair_krr(x, TOTAL, rng) for x in words[:4000]], TOTAL)
at = GRAMS.index("te") * 25 + GRAMS.index("na")
print(f"te, na: {told[0][at]:.3f} ± {told[1][at]:.3f}, truth {SHARES['tenant']}")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 6 minutes)
# Suppose that all words have 12 letters.
# Compare fragments of two letters with fragments of three: bits of a report, people needed for a pair, and ghosts.
# :::
#
# :::{dropdown} Solution
# Fragments of two letters have $G = 6$ positions and $\varrho = \frac1{15}$, those of three letters $G = 4$ and $\varrho = \frac16$.
# At the same $z$, longer fragments need fewer people, by a factor of 2.5.
# If we expect one false pair, $z$ grows from 3.70 to 4.25, which leaves a factor of 1.9.
# But a report on a fragment has $5^3 = 125$ bits instead of 25.
# Longer fragments make fewer ghosts, since fewer words share a fragment.
# :::
#
# ## Summary
#
# - O-RR and O-RAPPOR hash strings in cohorts; the server needs a list, but only after the reports.
# - O-RR's reports determine at most $C(g-1)+1$ shares; with many cohorts it comes close to local hashing.
# - RAPPOR-Unknown joins frequent pairs of fragments, and weeds out ghosts by reports on whole strings.
# - Two noise terms are multiplied, so only popular strings are discovered.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $g$ | number of slots of a hash function |
# | $C$ | number of cohorts (here only) |
# | $b$ | a cell: one slot of one cohort (here only) |
# | $X$ | cells × strings: 1 where a string sets a cell |
# | $n_b$ | reports of the cohort of cell $b$ |
# | $O_b$ | reports with a one at cell $b$ |
# | $y_b$ | corrected share at cell $b$ |
# | $\delta$ | difference of two distributions (here only) |
# | $G$ | number of positions of a string (here only) |
# | $a$ | a fragment, and $a'$ another (here only) |
# | $\varphi$ | chance that a bit is flipped (here only) |
# | $u$ | variance of the score of such a bit (here only) |
# | $\varrho$ | chance that two given positions are drawn (here only) |
# | $z$ | standard errors that a joined pair needs (here only) |
#
# Next, {ref}`ch-means` turns to numbers.
