# %% [markdown]
# (ch-items)=
# # Sets of items
#
# *After {cite:t}`zhang2018gfim` §2.2.2–2.2.4, §3.1 and §3.2.2, with {cite:t}`ye2018survey` §4.1.2.*
#
# :::{admonition} In one minute
# A shopper has a basket, a reader a shelf: each person holds a *set* of some of $d$ items, and we want the share of people who hold each item.
# The thesis fills every set up to ℓ items with dummies, draws one of them, sends one private bit about it as in {ref}`ch-onebit`, and multiplies by ℓ.
# That is private for whole sets, whatever their size, and unbiased for sets of up to ℓ items, with $n$ times the variance $\ell^2c^2$ for an item that nobody holds.
#
# The factor $\ell^2$ is not the price of privacy.
# The same draw sent through k-RR may use a larger budget, and a report that speaks of the whole set pays for ℓ about in proportion.
# With 1,000 items, sets of 50 and $\varepsilon = 1$ the best of these has one sixtieth of the variance for a rare item.
# :::
#
# :::{zh}
# 本章研究集值数据：每个用户持有若干项的集合，求各项的频率。
# 学位论文（张俊）的抽样 S-Hist 把集合填充到长度 $\ell$，抽取一项，上报一个私有比特，估计时再乘以 $\ell$；它对任意大小的集合满足 $\varepsilon$-本地化差分隐私，对不超过 $\ell$ 项的集合无偏，无人持有的项方差为 $\ell^2c^2/n$，其中 $c=(e^\varepsilon+1)/(e^\varepsilon-1)$。
# 因子 $\ell^2$ 并非隐私的必然代价：抽样之后改用 k-RR 可以动用更大的预算，而就整个集合作答的 PrivSet 与 Wheel 机制，代价大约只与 $\ell$ 成正比。
# 论文关于须作填充、$\ell$ 宜适中、正交矩阵更优以及抽样 S-Hist 满足隐私定义的论断均得到复现；“抽样优于逐项作答”与“乘以 $\ell$ 后无偏”在条件下复现。
# 算法 2 所生成矩阵的元素应为 $\pm1/\sqrt m$ 而非 $\pm1$，予以更正：按所印执行，冗余项可被识别，且估计放大为 $m$ 倍。
# 式 (3-4) 应为对所有可能抽到的项求和，Johnson–Lindenstrauss 定理的 $\delta$ 并非失败概率，两处均予更正；由式 (3-4) 得出的隐私结论仍然成立。
# 图 3-3 中的 $c_\varepsilon$ 缺少指数，亦予更正，但可能是文本识别所致。
# :::
#
# You will meet padding and what cutting costs, the algorithms of the thesis taken at their word, an amplification that k-RR has and one bit has not, and PrivSet.
# From {ref}`ch-onebit` you need the table of signs and $c$, from {ref}`ch-wheel` the wheel for sets ({ref}`sec-wheel-sets`).
# How to find the most frequent items in two phases is the next chapter.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from itertools import chain, combinations, product
from math import ceil, comb, exp, floor, inf, log, log2, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import binom

from ldpnb import (
    GRR,
    OUE,
    SUE,
    PrivSet,
    Records,
    SampledGRR,
    SampledHadamardBit,
    SampledSUE,
    SHist,
    SubsetSelection,
    Wheel,
    epsilon,
    law,
    laws,
    moments,
    pick,
    same_law,
    toss,
)
from ldpnb.book import check, dots, line, settle, style, table
from ldpnb.core import pad_and_sample

style()
SEED = 2018  # the year of the thesis
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-items-setting)=
# ## A set for everybody
#
# | symbol | meaning | in code |
# |---|---|---|
# | $n, d$ | number of people, of items | `n`, `d` |
# | $S$ | one person's set, of any size from 0 to $d$ | `items` |
# | $f_v$ | share of the people whose set contains item $v$ | |
# | $\ell$ | length that sets are padded to | `ell` |
# | $t$ | what an item of a set counts for, $\min(1, \ell/\lvert S\rvert)$ | |
# | $m,\ \Phi_{jv} = \pm1$ | rows of the public table, its entry in row $j$ and column $v$ | `signs` |
# | $c$ | $\dfrac{e^\varepsilon+1}{e^\varepsilon-1}$ | |
# | $D$ | $d + \ell$, items and dummies | |
# | $\kappa$ | size of a report of PrivSet | `kappa` |
#
# An item's *noise* is $n$ times the variance of its estimate; an item is *rare* if nobody holds it.
#
# Any two sets are neighbours: the empty one and the one with all items, too.
# So there are $2^d$ values to hide among each other, and not $d$.
# Nor is the size of a set public.
# Whoever answers once for each item that they hold tells how many these are.
#
# The thesis (§3.1) therefore makes all sets equally long.
# It takes ℓ as known, the 90th percentile of the sizes; a longer set is cut to ℓ random items of its own, a shorter one gets dummies, which nobody counts.
# Then one item is drawn (§3.2.2).
# Cutting first and drawing then is the same as drawing one of all at once, as {ref}`sec-pckv` does.


# %%
def draw(items, ell, rng):
    """One item of a set that is padded to ell; None for a dummy."""
    slot = pick(range(max(ell, len(items))), rng)
    return sorted(items)[slot] if slot < len(items) else None


def cut_and_draw(items, ell, rng):
    """The same in two steps, as the thesis has it."""
    left, kept = sorted(items), []
    while left and len(kept) < ell:
        kept.append(left.pop(pick(range(len(left)), rng)))
    return draw(kept, ell, rng)


# %% tags=["hide-input"]
def subsets(d):
    """All sets of items 0, …, d − 1."""
    return [set(some) for some in chain.from_iterable(combinations(range(d), r) for r in range(d + 1))]


def chance_of(item, items, ell):
    """Probability that the item is drawn."""
    return float(law(lambda rng: draw(items, ell, rng)).get(item, 0))


check(
    "One draw",
    "all 16 sets of four items, ℓ = 1, 2, 3: cut and draw is draw; each item has probability 1/max(ℓ, size)",
    all(
        same_law(
            lambda s, rng, ell=ell: draw(s, ell, rng), lambda s, rng, ell=ell: cut_and_draw(s, ell, rng), subsets(4)
        )
        and all(abs(chance_of(v, s, ell) - 1 / max(ell, len(s))) < 1e-12 for s in subsets(4) for v in s)
        for ell in (1, 2, 3)
    ),
    control="no dummies, ℓ = 2",
    caught=not same_law(lambda s, rng: draw(s, len(s) or 1, rng), lambda s, rng: cut_and_draw(s, 2, rng), subsets(4)),
)

# %% [markdown]
# Without dummies an item would be drawn with probability $1/\lvert S\rvert$, which differs from person to person, and the collector could not turn the draws back into shares:
# if all people hold $\{0, 1\}$, or half of them $\{0\}$ and half $\{1\}$, the report of somebody drawn at random has the same law, and the expected counts are the same.
#
# Multiplied by ℓ, each item of a set of at most ℓ counts as one, and each item of a longer set as $t = \ell/\lvert S\rvert$.
# Here are a hundred people, most of whom hold a single item, so that the 90th percentile is 1.

# %% tags=["hide-input"]
CROWD = [{0}] * 88 + [{9}] * 4 + [{0, 1, 2, 3, 4}] * 8
ninetieth = int(np.percentile([len(s) for s in CROWD], 90))
rows = []
for item in (0, 1, 9):
    share = np.mean([item in s for s in CROWD])
    row = {"item": item, "share": f"{share:.3f}"}
    for ell in (ninetieth, 3, 5):
        counted = np.mean([ell * chance_of(item, s, ell) for s in CROWD])
        row[f"counted, ℓ = {ell}"] = f"{counted:.3f}"
    rows.append(row)
table(pd.DataFrame(rows))

# %% [markdown]
# Item 1 is held only by people with large sets, and counts for a fifth of what it is worth at $\ell = 1$.
# It is twice as frequent as item 9 and comes out less than half as frequent, for any number of people and any ε.
# So cutting does not only make frequencies smaller, it can change their order, against the items of people who hold many.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}


def mixed(client, crowd):
    """Law of the report of somebody drawn from a crowd."""
    found = {}
    for one in laws(client, crowd):
        for y, q in one.items():
            found[y] = found.get(y, 0) + q / len(crowd)
    return found


def no_dummies(items, rng):
    return draw(items, 1, rng)


settle(
    "zhang2018.padding",
    holds={
        "one-law": mixed(no_dummies, [{0, 1}]) == mixed(no_dummies, [{0}, {1}]),
        "number-shown": epsilon(laws(lambda items, rng: tuple(toss(0.75, rng) for _ in items), subsets(2))) == inf,
    },
)

# %% [markdown]
# (sec-items-shist)=
# ## One bit about one item
#
# Algorithm 1 of the thesis is S-Hist for a single item, the subject of {ref}`sec-onebit-shist`.
# Its public table has entries $\pm1/\sqrt m$, and the client sends $\pm c\,\sqrt m$; the collector multiplies one with the other.
# We take $\sqrt m$ out of both, so that the table has entries ±1, the report is a sign, and $c$ is applied by the collector.
#
# Algorithm 2 carries this over to sets.
# Its table has orthogonal columns.
# It is built by doubling, as in {ref}`sec-onebit-hadamard`, but from other words to begin with: each word $w$ becomes $w \Vert w$ and $w \Vert {-w}$, and the words are the columns.


# %%
def codewords(d):
    """The table of Algorithm 2: m rows, and a column for each of d items."""
    words = [(1, -1), (1, 1)]
    while len(words) < d:
        words = [w + half for w in words for half in (w, tuple(-x for x in w))]
    return list(zip(*words[:d], strict=True))


# %% [markdown]
# The client draws an item and a row.
# For an item it sends the sign in that row, true with probability $\frac{e^\varepsilon}{e^\varepsilon+1}$; for a dummy, a fair coin.


# %%
def one_bit(item, signs, eps, rng):
    """A public row, and the sign of the item in it through Warner's coin; a dummy has no sign."""
    row = pick(range(len(signs)), rng)
    if item is None:
        return row, pick((-1, 1), rng)
    honest = toss(exp(eps) / (exp(eps) + 1), rng)
    return row, signs[row][item] if honest else -signs[row][item]


def sampled_shist(items, ell, signs, eps, rng):
    """Sampling S-Hist: one bit about one item of the padded set."""
    return one_bit(draw(items, ell, rng), signs, eps, rng)


# %% [markdown]
# The thesis writes its words as a *set*, which has no order.
# That does no harm as long as the client and the collector have the same table: another order gives the items other columns, and any $d$ different words are orthogonal.
# It decides, for one, which item gets the constant column, number $\frac m2 + 1$ in the order above, and that is harmless as well (see exercise 1).

# %% tags=["hide-input"]


def scores(report, ell, signs, c):
    """What a report adds to n times the estimate of each item."""
    row, sign = report
    return ell * c * sign * np.array(signs[row])


def c_of(eps):
    return 1 / np.tanh(eps / 2)


def products(signs):
    """Inner products of the columns, over m."""
    signs = np.array(signs)
    return signs.T @ signs / len(signs)


constant = {m: [v for v in range(m) if len({row[v] for row in codewords(m)}) == 1] for m in (2, 4, 8, 256)}
check(
    "Table",
    "d = 2, 3, 4, 5, 8, 256: orthogonal columns; the constant one is number m/2 + 1",
    all(np.abs(products(codewords(d)) - np.eye(d)).max() == 0 for d in (2, 3, 4, 5, 8, 256))
    and all(found == [m // 2] for m, found in constant.items()),
    control="one row left out",
    caught=np.abs(products(codewords(8)[1:]) - np.eye(8)).max() > 0.1,
)
OURS = codewords(4)
SHUFFLED = [(*row[1:], row[0]) for row in OURS]


def all_scores(sent, read):
    """Mean and variance of every score of every set of four items, ℓ = 2: client and collector each with a table."""
    return moments(
        lambda items, rng: sampled_shist(items, 2, sent, 1.0, rng),
        subsets(4),
        score=lambda report: scores(report, 2, read, c_of(1)),
    )


check(
    "Order",
    "first word last, on both sides: all 16 sets have the same means and variances of scores",
    np.allclose(all_scores(SHUFFLED, SHUFFLED), all_scores(OURS, OURS)),
    control="on one side only",
    caught=not np.allclose(all_scores(SHUFFLED, OURS), all_scores(OURS, OURS)),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}


def algorithm_1(item, signs, eps, rng):
    """The client of Algorithm 1, given the public row that it is sent."""
    return one_bit(item, signs, eps, rng)


random_table = [tuple(int(s) for s in row) for row in 1 - 2 * rng.integers(0, 2, (6, 4))]
settle(
    "zhang2018.shist-private",
    holds={
        "exact": all(
            abs(epsilon(laws(lambda x, rng, eps=eps: algorithm_1(x, random_table, eps, rng), range(4))) - eps) < 1e-12
            for eps in (0.5, 1.0, 3.0)
        )
    },
)
settle(
    "zhang2018.rappor-p",
    holds={
        "exact": all(
            abs(float(SUE(k=4, epsilon=eps).support[0]) - exp(eps / 2) / (exp(eps / 2) + 1)) < 1e-12
            and abs(epsilon(laws(SUE(k=4, epsilon=eps), np.arange(4))) - eps) < 1e-9
            for eps in (0.5, 1.0, 3.0)
        )
    },
)

# %% [markdown]
# (sec-items-privacy)=
# ## Privacy of whole sets
#
# :::{prf:theorem} Sampling S-Hist is ε-LDP over sets
# :label: thm-items-privacy
# For any two sets, of any sizes, and for every table and every public row, no report is more than $e^\varepsilon$ times as likely under one as under the other.
# Let the row have $a$ plus and $b$ minus signs in the columns of the $d$ items, $r_+ = \min(1, a/\ell)$ and $r_- = \min(1, b/\ell)$.
# Then the largest ratio is exactly the larger one of
#
# $$ \frac{1+r_+/c}{1-r_-/c} \quad\text{and}\quad \frac{1+r_-/c}{1-r_+/c}, $$
#
# which is $e^\varepsilon$ if and only if $a \ge \ell$ and $b \ge \ell$.
# :::
#
# :::{prf:proof}
# The row is drawn without looking at the set.
# Let $h$ be the mean sign of the item that is drawn, a dummy counting 0.
# The report is + with probability $\frac12(1 + h/c)$, because $1/c = 2p - 1$ for the probability $p$ of the true sign.
# As $-1 \le h \le 1$, this is between $\frac12(1 - 1/c) = \frac1{e^\varepsilon+1}$ and $\frac12(1+1/c) = \frac{e^\varepsilon}{e^\varepsilon+1}$.
# A plus is likeliest under the set with the largest $h$ and least likely under that with the smallest, a minus the other way round.
# A set with $a'$ plus and $b'$ minus items has $h = \frac{a'-b'}{\max(\ell,\, a'+b')} \le \frac{a'}{\max(\ell,\, a')}$, which is at most $r_+$, and is $r_+$ for the set of all plus items; in the same way $h \ge -r_-$.
# The ratios are those of $1 \pm h/c$ at the two ends.
# :::
#
# A dummy fits in because its coin is fair: ½ lies between the two probabilities of an item.
#
# The thesis proves this too, in equation (3-4), with a gap.
# It writes the probability of a report as that of one drawn item times that of the report given this item, and cancels.
# (It has one letter for the item of both sets; we read it as two.)
# But the probability of a report is a sum of such products over all items that may have been drawn, and a ratio of sums is not the ratio of two of their terms; it lies between the smallest and the largest such ratio, because all slots of either padded set have the same probability $1/\ell$, so that terms can be paired.
# With that the result stands.

# %% tags=["hide-input"]


def law_on(items, ell, signs, eps, client=sampled_shist):
    return law(lambda rng: client(items, ell, signs, eps, rng))


def largest_ratio(ell, signs, eps):
    """The theorem's ε over all rows."""
    found, c = 1.0, c_of(eps)
    for row in signs:
        plus, minus = min(1, row.count(1) / ell), min(1, row.count(-1) / ell)
        found = max(found, (1 + plus / c) / (1 - minus / c), (1 + minus / c) / (1 - plus / c))
    return log(found)


def exact(ell, signs, eps, client=sampled_shist):
    """ε over all sets of the items of a table."""
    return epsilon([law_on(s, ell, signs, eps, client) for s in subsets(len(signs[0]))])


table(
    pd.DataFrame(
        [
            {
                "d": d,
                "sets": 2**d,
                **{f"exact ε, ℓ = {ell}": f"{exact(ell, codewords(d), 1.0):.4f}" for ell in (1, 2, 3, 4)},
            }
            for d in (2, 3, 4)
        ]
    )
)


# %% tags=["hide-input"]
def constant_dummy(items, ell, signs, eps, rng):  # a control: dummies always send +
    item = draw(items, ell, rng)
    return (pick(range(len(signs)), rng), 1) if item is None else one_bit(item, signs, eps, rng)


def silent_dummy(items, ell, signs, eps, rng):  # a control: dummies send nothing
    item = draw(items, ell, rng)
    return None if item is None else one_bit(item, signs, eps, rng)


leaks = {name: exact(2, codewords(4), 1.0, client) for name, client in (("+", constant_dummy), ("0", silent_dummy))}
check(
    "Sets",
    "ε = 1, d = 2, 3, 4 and ℓ = 1, …, 4, all sets: at most 1, and as in the theorem",
    all(
        exact(ell, codewords(d), 1.0) < 1 + 1e-12
        and abs(exact(ell, codewords(d), 1.0) - largest_ratio(ell, codewords(d), 1.0)) < 1e-12
        for d in (2, 3, 4)
        for ell in (1, 2, 3, 4)
    ),
    control=f"dummies send always +: ε = {leaks['+']}; nothing: ε = {leaks['0']}",
    caught=leaks["+"] == inf and leaks["0"] == inf,
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "zhang2018.sampled-private",
    holds={"within": all(exact(ell, codewords(4), 1.0) < 1 + 1e-12 for ell in (1, 2, 3))},
)
A, B = {0, 2}, {0}
row = next(j for j, signs in enumerate(OURS) if signs[0] != signs[2])


def given_row(items, sign):
    one = law_on(items, 2, OURS, 1.0)
    return float(one[row, sign] * len(OURS))


of_sets = given_row(A, 1) / given_row(B, 1)
of_items = [
    float(one[row, 1]) / float(other[row, 1])
    for one in (law(lambda rng, x=x: one_bit(x, OURS, 1.0, rng)) for x in (0, 2))
    for other in (law(lambda rng, x=x: one_bit(x, OURS, 1.0, rng)) for x in (0, None))
]
settle(
    "zhang2018.sampled-proof",
    holds={"one-pair": any(abs(of_sets - one) < 1e-9 for one in of_items)},
    instead={"between": min(of_items) < of_sets < max(of_items)},
)

settle(
    "zhang2018.bounds",
    holds={
        "within": all(
            1 / (exp(1) + 1) - 1e-12 < chance * len(OURS) < exp(1) / (exp(1) + 1) + 1e-12
            for one in laws(lambda items, rng: sampled_shist(items, 2, OURS, 1.0, rng), subsets(4))
            for chance in map(float, one.values())
        )
    },
)

# %% [markdown]
# (sec-items-estimate)=
# ## The estimate
#
# From the reports $(j_i, z_i)$ the collector computes
#
# $$ \hat f_v = \frac1n \sum_i \ell\,c\,z_i\,\Phi_{j_i v}. $$ (eq-items-estimate)
#
# :::{prf:theorem} Sampling S-Hist counts an item as $t$
# :label: thm-items-estimate
# If the columns of the table are orthogonal, the score $\ell c z \Phi_{jv}$ of a person with the set $S$ has the mean $t = \min(1, \ell/\lvert S\rvert)$ if $v \in S$, and 0 if not, and the variance $\ell^2c^2$ less the square of this mean.
# So $\hat f_v$ is unbiased if no set has more than ℓ items, and otherwise too small by $\frac1n\sum_{i:\,v\in S_i}(1 - t_i)$; and
#
# $$ n\Var\hat f_v = \ell^2c^2 - \frac1n\sum_{i:\,v\in S_i} t_i^2. $$
# :::
#
# :::{prf:proof}
# Item $v \in S$ is drawn with probability $1/\max(\ell, \lvert S\rvert) = t/\ell$.
# Given that $x$ is drawn, $c\,z\,\Phi_{jv}$ has the mean $\frac1m\sum_j\Phi_{jx}\Phi_{jv}$, which is 1 for $x = v$ and 0 otherwise; for a dummy it is 0.
# The square of the score is $\ell^2c^2$ always.
# :::
#
# The dummies' coins cancel on average, as the thesis says; their noise stays.
# A person whose set is all dummies adds at least as much to the variance as anybody else.

# %% tags=["hide-input"]
THREE = codewords(3)
FOUND, SPREAD = moments(
    lambda s, rng: sampled_shist(s, 2, THREE, 1.0, rng), subsets(3), score=lambda y: scores(y, 2, THREE, c_of(1))
)
COUNT = np.array([[min(1, 2 / len(s)) if v in s else 0.0 for v in range(3)] for s in subsets(3)])
held = np.array([[v in s for v in range(3)] for s in subsets(3)], float)
check(
    "Estimate",
    f"d = 3, ℓ = 2, eight sets: an item of the full set counts {FOUND[-1, 0]:.4f}, variances as in the theorem",
    np.abs(FOUND - COUNT).max() < 1e-12 and np.abs(SPREAD - (4 * c_of(1) ** 2 - COUNT**2)).max() < 1e-9,
    control="every item as one",
    caught=np.abs(FOUND - held).max() > 0.1,
)


def sylvester(d):
    """The package's table: rows and columns in Sylvester's order."""
    m = 1 << max(d - 1, 1).bit_length()
    return [tuple(1 - 2 * ((j & v).bit_count() % 2) for v in range(d)) for j in range(m)]


def with_bit(items, ell, rng):
    """The inline client at ε = 1, its report as the package writes it: a bit for the sign, 1 for minus."""
    row, sign = sampled_shist(items, ell, sylvester(3), 1.0, rng)
    return row, sign == -1


PACKAGE = SampledHadamardBit(d=3, ell=2, epsilon=1.0)
mean, variance = moments(PACKAGE, subsets(3))
check(
    "Same law",
    "inline on Sylvester's table and the package's SampledHadamardBit, eight sets; the package's moments and noise as in the theorem",
    same_law(lambda s, rng: with_bit(s, 2, rng), PACKAGE, subsets(3))
    and np.abs(mean - COUNT).max() < 1e-12
    and np.abs(variance - (4 * c_of(1) ** 2 - COUNT**2)).max() < 1e-9
    and np.abs(variance - PACKAGE.variance(Records.of(*subsets(3)))).max() < 1e-9,
    control="inline with ℓ = 3",
    caught=not same_law(lambda s, rng: with_bit(s, 3, rng), PACKAGE, subsets(3)),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
short = [i for i, s in enumerate(subsets(3)) if len(s) <= 2]
settle(
    "zhang2018.times-ell",
    holds={
        "up-to-ell": np.abs(FOUND[short] - held[short]).max() < 1e-12,
        "cut": np.abs(FOUND[-1] - 1).max() < 1e-12,
    },
)
empty = subsets(3).index(set())
settle(
    "zhang2018.dummies",
    holds={"cancel": np.abs(FOUND[empty]).max() < 1e-12},
)

# %% [markdown]
# (sec-items-literal)=
# ### Algorithm 2 at its word
#
# In the units of the thesis the client sends $\pm c_\varepsilon\, m\, x$ for an item, where $x$ is the entry of the table, and $\pm c_\varepsilon\sqrt m$ for a dummy.
# That fits entries of $\pm1/\sqrt m$, which the client says that it is given (Fig. 3-3).
# But the table that Algorithm 2 builds (Fig. 3-2) has entries ±1, and nothing makes them smaller.
# Taken as printed, items are then sent as $\pm c_\varepsilon m$ and dummies as $\pm c_\varepsilon\sqrt m$: who sends the smaller number has drawn a dummy, and no finite ε covers that.
# The estimates are $m$ times too large.
#
# The second slip is $c_\varepsilon$, printed as $\frac{\varepsilon+1}{\varepsilon-1}$ in Fig. 3-3, with the exponentials lost; Algorithms 1 and 3 have them.
# It does no harm to privacy, since everybody uses the same factor, but estimates come out too large for $\varepsilon > 1$, with the wrong sign below, and not at all for $\varepsilon = 1$.


# %%
def as_printed(items, ell, signs, eps, c, unit, rng):
    """The client of Fig. 3-3: the table has entries ±unit."""
    m, item = len(signs), draw(items, ell, rng)
    row = pick(range(m), rng)
    if item is None:
        return row, pick((-c * sqrt(m), c * sqrt(m)), rng)
    z = c * m * signs[row][item] * unit
    return row, z if toss(exp(eps) / (exp(eps) + 1), rng) else -z


# %% tags=["hide-input"]


def reading(eps, c, unit):
    """Exact ε over the sets of four items for ℓ = 2, and what item 0 of {0} counts for."""
    client = lambda s, rng: as_printed(s, 2, OURS, eps, c, unit, rng)  # noqa: E731
    own, _ = moments(client, [{0}], score=lambda y: 2 * unit * OURS[y[0]][0] * y[1])
    return epsilon(laws(client, subsets(4))), own[0]


WRONG_C = {eps: (eps + 1) / (eps - 1) for eps in (0.5, 2.0)}
readings = {
    (what, eps): reading(eps, c, unit)
    for eps in (0.5, 2.0)
    for what, c, unit in (
        ("entries ±1", c_of(eps), 1),
        ("entries ±1/√m, c = (ε+1)/(ε−1)", WRONG_C[eps], 1 / 2),
        ("entries ±1/√m, c = (e^ε+1)/(e^ε−1)", c_of(eps), 1 / 2),
    )
}
table(
    pd.DataFrame(
        [
            {
                "d = m = 4, ℓ = 2": what,
                "stated ε": f"{eps:g}",
                "exact ε": f"{spent:.3f}".replace("inf", "∞"),
                "an item counts for": f"{count:.3f}".replace("-", "−"),
            }
            for (what, eps), (spent, count) in readings.items()
        ]
    )
)

# %% tags=["hide-input"]
meant, literal, lost = (
    {eps: readings[what, eps] for eps in (0.5, 2.0)}
    for what in ("entries ±1/√m, c = (e^ε+1)/(e^ε−1)", "entries ±1", "entries ±1/√m, c = (ε+1)/(ε−1)")
)
check(
    "As meant",
    "entries ±1/√m and exponentials in c, two ε: exactly ε, an item counts for 1",
    all(abs(spent - eps) < 1e-9 and abs(count - 1) < 1e-9 for eps, (spent, count) in meant.items()),
    control="entries ±1: ε = ∞ and 4; c without exponentials: another count",
    caught=all(spent == inf and abs(count - 4) < 1e-9 for spent, count in literal.values())
    and all(abs(count - 1) > 0.5 for _, count in lost.values()),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "zhang2018.table-entries",
    holds={
        "finite": all(spent < inf for spent, _ in literal.values()),
        "counts-one": all(abs(count - 1) < 1e-9 for _, count in literal.values()),
    },
    instead={"scaled": all(abs(spent - eps) < 1e-9 and abs(count - 1) < 1e-9 for eps, (spent, count) in meant.items())},
)
settle(
    "zhang2018.c-epsilon",
    holds={"printed": all(abs(count - 1) < 1e-9 for _, count in lost.values())},
    instead={"exponential": all(abs(count - 1) < 1e-9 for _, count in meant.values())},
)

# %% [markdown]
# (sec-items-rows)=
# ### How many rows
#
# Algorithm 1 has a random table, whose number of rows it derives from the lemma of Johnson and Lindenstrauss: $\delta = \sqrt{\ln(2d/\beta)/n}$, $m = \ln(d+1)\ln(2/\beta)/\delta^2$, with a probability β of failure.
# The thesis says that β "corresponds to" the δ of the lemma, which it takes for a probability of failure, usually about 0.01.
# It is not one.
# The δ of the lemma is the size of the error, here of an inner product of two columns.
# With $C\ln(d)/\delta^2$ rows the probability that one product exceeds δ tends to that of a normal variable beyond $\sqrt{C\ln d}$, whatever δ is.
# A large $C$ makes it small, a small δ does not, so δ cannot be the probability of failure.
# Algorithm 1 itself computes δ from $n$ and β, and the two agree only by accident.

# %% tags=["hide-input"]


def recipe(n, d, beta=0.01):
    """δ and the number of rows of Algorithm 1."""
    delta = sqrt(log(2 * d / beta) / n)
    return delta, round(log(d + 1) * log(2 / beta) / delta**2)


rows = []
for n, d in ((50_000, 1000), (122_000, 1000), (500_000, 1000), (100_000, 10**7)):
    delta, m = recipe(n, d)
    rows.append(
        {
            "n": f"{n:,}",
            "d": f"{d:,}",
            "δ, β = 0.01": f"{delta:.4f}",
            "rows, Algorithm 1": f"{m:,}",
            "rows / n": f"{m / n:.2f}",
            "rows, Algorithm 2": f"{1 << (d - 1).bit_length():,}",
        }
    )
table(pd.DataFrame(rows))

# %% tags=["hide-input"]


def off(delta, factor, d=1000):
    """Probability that two random columns of factor · ln(d)/δ² rows have an inner product above δ in size."""
    m = round(factor * log(d) / delta**2)
    return 2 * binom.sf(int(np.floor(m * (1 + delta) / 2)), m, 0.5)


for factor, delta in product((1, 4), (0.1, 0.03, 0.01)):
    rows_needed = round(factor * log(1000) / delta**2)
    print(
        f"C = {factor}, δ = {delta:<5g} {rows_needed:>7,} rows: one product exceeds δ with probability {off(delta, factor):.1e}"
    )

# %% [markdown]
# We take β = 0.01, the size that the thesis has in mind; the first and the third line have the sizes of its experiments, the second those where δ happens to be β.
# The lemma is there to *reduce* the dimension, and the thesis says when: for $d \gg n$ (§2.2.4).
# That is right, since Algorithm 1 has three rows per person or more at these sizes.
# For its own sizes, $d \ll n$, the thesis changes to the orthogonal table, which has 1,024 rows where Algorithm 1's would have more than a hundred times as many.
# That orthogonal columns are also more precise, as it says with {cite:t}`nguyen2016collecting`, is true for any number of rows: by {prf:ref}`thm-shist` a random table adds $\frac1m\big(n\sum_{x\ne v}f_x^2 - (1-f_v)\big)$ to the noise, which is never negative, because $nf_x$ is a whole number.
# With the rows of Algorithm 1 this is at most $n/m$, about a third, when all hold the same item, and next to nothing when no share is large.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "zhang2018.jl-delta",
    holds={
        "beta": any(abs(recipe(n, 1000)[0] - 0.01) < 1e-3 for n in (50_000, 500_000)),
    },
    instead={"rows": all(abs(off(0.01, factor) / off(0.03, factor) - 1) < 0.1 for factor in (1, 4))},
)
settle(
    "zhang2018.reduces",
    holds={
        "rows": recipe(100_000, 10**7)[1] < 10**7,
    },
)


def table_adds(counts, m):
    """What a random table adds to the noise of each item, people with one item each."""
    n = counts.sum()
    shares = counts / n
    return (n * (np.square(shares).sum() - shares**2) - (1 - shares)) / m


uniform_counts = np.full(1000, 50)
settle(
    "zhang2018.orthogonal",
    holds={"less-noise": all((table_adds(uniform_counts, m) > 0).all() for m in (64, recipe(50_000, 1000)[1]))},
)

# %% [markdown]
# (sec-items-split)=
# ## One item or all of them
#
# The other design answers about every slot of the padded set, each time with $\varepsilon/\ell$.
# Both sources reject it: the thesis calls it feasible but inefficient, the survey praises LDPMiner for avoiding it by sampling {cite:p}`qin2016heavy`.
# With one-bit reports a rare item then has the noise $\ell\,c(\varepsilon/\ell)^2$, against $\ell^2c(\varepsilon)^2$ for one sampled item.
# That is the comparison of {prf:ref}`thm-harmony` with ℓ in place of the number of attributes, and both sides ℓ times as large:
# for $\ell \ge 2$ sampling is better by a factor of nearly ℓ at small ε, and worse beyond the ε where $\tanh(\varepsilon/2) = \sqrt\ell\tanh(\varepsilon/2\ell)$, near $2\sqrt\ell$.


# %%
def split_shist(items, ell, signs, eps, rng):
    """One bit about each slot of the padded set, for a set of at most ell items."""
    slots = [*sorted(items), *[None] * (ell - len(items))]
    return tuple(one_bit(item, signs, eps / ell, rng) for item in slots)


# %% tags=["hide-input"]
def split_over_sampled(eps, ell):
    """Noise of a rare item, budget split over one item sampled."""
    return c_of(eps / ell) ** 2 / (ell * c_of(eps) ** 2)


PAIR = codewords(2)
few = [s for s in subsets(2) if len(s) <= 2]
splits = lambda s, rng: split_shist(s, 2, PAIR, 1.0, rng)  # noqa: E731
split_mean, split_variance = moments(
    splits, few, score=lambda slots: sum(scores(slot, 1, PAIR, c_of(0.5))[0] for slot in slots)
)
split_held = np.array([0 in s for s in few], float)
check(
    "Splitting",
    "d = ℓ = 2, ε = 1, four sets: ε at most 1, unbiased, noise ℓ c(ε/ℓ)² less 1 for a holder",
    epsilon(laws(splits, few)) < 1 + 1e-12
    and np.abs(split_mean - split_held).max() < 1e-12
    and np.abs(split_variance - (2 * c_of(0.5) ** 2 - split_held)).max() < 1e-9,
    control="the whole of ε for each slot",
    caught=epsilon(laws(lambda s, rng: split_shist(s, 2, PAIR, 2.0, rng), few)) > 1.01,
)
crossing = {ell: brentq(lambda x, ell=ell: split_over_sampled(x, ell) - 1, 0.1, 100) for ell in (5, 50)}
table(
    pd.DataFrame(
        [
            {
                "noise, split / sampled": f"ℓ = {ell}",
                **{f"ε = {eps:g}": f"{split_over_sampled(eps, ell):.2f}" for eps in (0.1, 0.5, 1, 2, 4, 8, 16)},
                "equal at ε =": f"{crossing[ell]:.1f}",
                "2√ℓ": f"{2 * sqrt(ell):.1f}",
            }
            for ell in (5, 50)
        ]
    )
)

# %% tags=["hide-input"]


def rappor_split_over_sampled(eps, ell):
    """The same for RAPPOR: ℓ times the noise at ε/ℓ, over ℓ² times that at ε."""
    split, sampled = (SUE(k=2, epsilon=x).variance(np.array([0]))[0, 1] for x in (eps / ell, eps))
    return split / (ell * sampled)


for ell in (5, 50):
    print(
        f"RAPPOR, ℓ = {ell}: splitting over sampling",
        ",  ".join(f"{rappor_split_over_sampled(eps, ell):.4g} at ε = {eps:g}" for eps in (0.1, 1, 4, 16)),
    )

# %% [markdown]
# Only one bit has such a crossing, because of the rows that it draws: for RAPPOR sampling is better than ℓ vectors by a factor of at least ℓ at every ε.
# (One vector with a bit set for each of the ℓ items, at $\varepsilon/2\ell$ for each bit, has ℓ times less noise than these: as much as sampling for small ε, and never less.)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "zhang2018.sampling-better",
    holds={
        "one-bit": all(split_over_sampled(eps, ell) > 1 for ell in (5, 50) for eps in (0.1, 0.5, 1, 2, 4)),
        "rappor": all(rappor_split_over_sampled(eps, ell) >= ell for ell in (5, 50) for eps in (0.1, 0.5, 1, 2, 4, 16)),
        "one-bit-large-epsilon": any(split_over_sampled(16, ell) > 1 for ell in (5, 50)),
    },
)

# %% [markdown]
# (sec-items-ell)=
# ## How long to pad
#
# A large ℓ costs variance, a small one bias.
# The thesis takes the 90th percentile of the sizes, and gives both reasons; it does not say that this is the best.
# By {prf:ref}`thm-items-estimate` the best depends on how many people there are, and on what hides the drawn item.
# {numref}`fig-items-ell` has a made-up crowd with 1,000 items, in which half of the people hold at most 9 items and a tenth more than 27.

# %% tags=["hide-input"]


def crowd(n, d, sizes, popularity, rng):
    """Records of sets of these sizes: items drawn one after another, without replacement, in proportion to popularity."""
    clocks = rng.exponential(size=(n, d)) / popularity
    order = np.argsort(clocks, 1, kind="stable")
    users = np.repeat(np.arange(n), sizes)
    slots = np.arange(len(users)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return Records.from_arrays(users, order[users, slots], n=n)


READERS, ITEMS, TOP = 10_000, 1000, 20
sizes = rng.geometric(1 / 12, READERS)
readers = crowd(READERS, ITEMS, np.minimum(sizes, ITEMS), 1 / (np.arange(ITEMS) + 10), rng)
per_item = np.bincount(readers.keys, minlength=ITEMS) / READERS
top = np.argsort(-per_item, kind="stable")[:TOP]
percentile = int(np.percentile(readers.sizes, 90))
print(
    f"sizes: mean {readers.sizes.mean():.0f}, median {np.median(readers.sizes):.0f}, 90th percentile {percentile}, largest {readers.sizes.max()}; "
    f"shares of the {TOP} most frequent items: {per_item[top].min():.2f} to {per_item[top].max():.2f}"
)


def parts(make, ell):
    """Mean squared bias, and mean noise, of the most frequent items."""
    mechanism = make(d=ITEMS, ell=ell, epsilon=1.0)
    inside = np.isin(readers.keys, top)
    t = (ell / np.maximum(readers.sizes, ell))[readers.users[inside]]
    item = readers.keys[inside]
    p, q = map(float, mechanism.support)
    found = q + t / mechanism.scale * (p - q)
    added = (found * (1 - found) - q * (1 - q)) * mechanism.scale**2 / (p - q) ** 2
    bias = (np.bincount(item, 1 - t, minlength=ITEMS) / READERS)[top]
    return np.mean(bias**2), mechanism.rare_variance + np.mean(
        (np.bincount(item, added, minlength=ITEMS) / READERS)[top]
    )


def rms(make, ell, n):
    squared_bias, noise = parts(make, ell)
    return sqrt(squared_bias + noise / n)


def measured(make, ell, rng, runs=20):
    """Root mean square error of the most frequent items with real reports of the 10,000 people, and its 95 % bar."""
    mechanism = make(d=ITEMS, ell=ell, epsilon=1.0)
    squares = []
    for _ in range(runs):
        estimate = mechanism.estimate(mechanism.tally(mechanism.perturb(readers, rng=rng)))
        squares.append(np.mean((estimate - per_item)[top] ** 2))
    root = sqrt(np.mean(squares))
    return root, 1.96 * np.std(squares, ddof=1) / sqrt(runs) / (2 * root)


LENGTHS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 65, 80, 100]
PEOPLE = [10_000, 100_000, 1_000_000]
split_up = {make: {ell: parts(make, ell) for ell in LENGTHS} for make in (SampledHadamardBit, SampledGRR)}
curve = {
    (make, n): [sqrt(split_up[make][ell][0] + split_up[make][ell][1] / n) for ell in LENGTHS]
    for make in split_up
    for n in PEOPLE
}
best_ell = {key: LENGTHS[int(np.argmin(values))] for key, values in curve.items()}
shown = {
    (make, ell): measured(make, ell, rng) for make in (SampledHadamardBit, SampledGRR) for ell in (2, 5, 10, 27, 65)
}

# %% tags=["hide-input"]
off_line = {key: abs(root - rms(key[0], key[1], READERS)) / bar for key, (root, bar) in shown.items()}
no_bias = {
    key: abs(root - sqrt(parts(*key)[1] / READERS)) / bar for key, (root, bar) in shown.items() if key[1] < percentile
}
check(
    "Lines",
    "ten dots of real reports, ℓ = 2 to 65: within 4.3 times the 95 % bars of the theorem's bias and noise",
    max(off_line.values()) < 4.3,  # 8.4 standard errors of 20 runs, by Student's t: a false alarm below 1e-6
    control="lines without the bias",
    caught=max(no_bias.values()) > 4.3,
)
nothing = sqrt(np.mean(per_item[top] ** 2))
private = min(rms(PrivSet, ell, READERS) for ell in (8, 12, 18, 27))
print(
    f"n = 10,000, points: answer 0 throughout {100 * nothing:.1f}, S-Hist at its best ℓ {100 * min(curve[SampledHadamardBit, 10_000]):.1f}, "
    f"k-RR {100 * min(curve[SampledGRR, 10_000]):.1f}, PrivSet {100 * private:.1f}"
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-items-ell", "caption": "Root mean square error (percentage points) of the 20 most frequent of 1,000 items against the padding length ℓ, for ε = 1 and sets of 12 items on average. Lines: the theorem's bias and noise, for three numbers of people of the same kind; dots: real reports of 10,000 people, 20 surveys, with 95 % bars. Left, sampling S-Hist; right, the amplified k-RR of a later section. Dashed: the 90th percentile of the sizes.", "width": "100%"}, "image": {"alt": "Two log-log panels of error against padding length from 1 to 100, with three curves each. Left, sampling S-Hist: the curves fall and then rise steeply, with minima further to the right for more people. Right, k-RR: the top curve is nearly flat, the others fall and then stay low. Dots lie on the top curve of each panel."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.9), sharey=True)
for ax, make, title in zip(axes, (SampledHadamardBit, SampledGRR), ("sampling S-Hist", "amplified k-RR"), strict=True):
    for i, n in enumerate(PEOPLE):
        ax.plot(LENGTHS, 100 * np.array(curve[make, n]), **line(i), label=f"n = {n:,}")
    for ell in (2, 5, 10, 27, 65):
        root, bar = shown[make, ell]
        ax.errorbar([ell], [100 * root], [100 * bar], **dots(0))
    ax.axvline(percentile, color="black", linewidth=1, linestyle="--", marker="")
    ax.set(xscale="log", yscale="log", xlabel="padding length ℓ", title=title)
    ax.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    ax.set_yticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    ax.minorticks_off()
axes[0].set(ylabel="RMS error, percentage points")
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {
                "n": f"{n:,}",
                **{
                    f"{name}, {what}": text
                    for make, name in ((SampledHadamardBit, "S-Hist"), (SampledGRR, "k-RR"))
                    for what, text in (
                        ("best ℓ", f"{best_ell[make, n]}"),
                        ("error, points", f"{100 * min(curve[make, n]):.2f}"),
                        (f"at ℓ = {percentile}", f"{100 * rms(make, percentile, n):.2f}"),
                    )
                },
            }
            for n in PEOPLE
        ]
    )
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "zhang2018.ell-moderate",
    holds={"falls-and-rises": all(1 < best_ell[SampledHadamardBit, n] < 100 for n in PEOPLE)},
)

# %% [markdown]
# For sampling S-Hist the 90th percentile is far too long for ten thousand people, and still too long for a million.
# With few people it is best to give up most items of most people: the noise $\ell^2c^2$ is the larger evil.
# Amplified k-RR pays so little for ℓ that from 100,000 people on the percentile is a good choice; the best ℓ, of those tried, is 12 to 40.
# At $n = 10{,}000$ neither is of much use: the line above the figure compares them with an answer of 0 throughout, and with PrivSet ({ref}`sec-items-privset`), which does better.
# In either case ℓ has to be known before the survey; whoever wants to learn it from these people has to spend budget or people on it.
#
# (sec-items-rappor)=
# ## S-Hist or RAPPOR
#
# The thesis (§2.2.4) compares the two for single items, and decides for S-Hist.
# RAPPOR is there a vector of $d$ bits with a single one, SUE of {ref}`ch-frequency`.
#
# *Communication.*
# One bit against $d$, as the thesis says.
# (In Algorithm 1 the collector sends a row of the table, $d$ bits, to each person; the number of the row does as well.)
#
# *Computation.*
# The thesis has RAPPOR build a matrix of $d \times n$ and solve a regression.
# That is needed for Bloom filters; for one-hot vectors the $d$ counts are enough, one addition for each person and item.
# The table that follows counts additions.
# S-Hist is faster by a factor of about $d$ with the orthogonal table, and hardly at all with the random one, whose every row that occurs has to be multiplied by all its $d$ entries.

# %% tags=["hide-input"]


def additions(n, d):
    """Of the server: RAPPOR; S-Hist with the rows of Algorithm 1 that occur; S-Hist with orthogonal rows."""
    random_rows = recipe(n, d)[1]
    occurring = random_rows * -np.expm1(n * np.log1p(-1 / random_rows))
    rows = 1 << (d - 1).bit_length()
    return n * d, n + occurring * d, n + rows * log2(rows)


def short_number(x):
    digits = int(np.floor(np.log10(x)))
    return f"{x / 10**digits:.1f} × 10{str(digits).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


table(
    pd.DataFrame(
        [
            {"mechanism": name, "private bits, d = 1,000": bits}
            | {f"additions, n = {n:,}": short_number(additions(n, 1000)[i]) for n in (50_000, 500_000)}
            for i, (name, bits) in enumerate(
                (
                    ("RAPPOR, one-hot", SUE(k=1000, epsilon=1.0).report_bits),
                    ("S-Hist, Algorithm 1", SHist(k=1000, epsilon=1.0, m=4).report_bits),
                    ("S-Hist, Algorithm 2", SampledHadamardBit(d=1000, ell=1, epsilon=1.0).report_bits),
                )
            )
        ]
    )
)

# %% [markdown]
# *Precision.*
# Both have errors of the order $d/(\varepsilon\sqrt n)$, says the thesis; that is so for the sum of absolute errors over all items and small ε ({ref}`sec-onebit-bounds`).
# And because of its random table S-Hist is to be a little less precise than RAPPOR for few items, and about equal for many.
#
# But for the random table, the ratio of the two variances for a rare item is $c^2(s-1)^2/s$ with $s = e^{\varepsilon/2}$, which does not contain $d$ at all.
# The table below is for equally frequent items, with the rows of Algorithm 1.
# What the random table adds does get smaller with more items.
# But it is little, and S-Hist's noise is $c^2 - f$, where RAPPOR's is the same for every share; with few items shares are large, so that altogether S-Hist compares *better* for few items than for many.
# For small ε the two are equal at any $d$; at $\varepsilon = 2$ S-Hist needs nearly twice as many people.

# %% tags=["hide-input"]


def risks(d, eps, n=100_000):
    """Mean noise at d equal shares, people with one item each: S-Hist on Algorithm 1's table, on an orthogonal one, SUE."""
    own, m = 1 / d, recipe(n, d)[1]
    orthogonal = c_of(eps) ** 2 - own
    added = (n * (d - 1) / d**2 - (1 - own)) / m
    return orthogonal + added, orthogonal, SUE(k=max(d, 2), epsilon=eps).variance([0])[0].mean()


def rare_ratio(eps):
    s = exp(eps / 2)
    return c_of(eps) ** 2 * (s - 1) ** 2 / s


DOMAINS, BUDGETS = (2, 10, 100, 1000, 10_000), (0.1, 0.5, 1.0, 2.0)
over_rappor = {(d, eps): risks(d, eps)[0] / risks(d, eps)[2] for d in DOMAINS for eps in BUDGETS}
table(
    pd.DataFrame(
        [
            {"variance, S-Hist / RAPPOR": f"d = {d:,}"}
            | {f"ε = {eps:g}": f"{over_rappor[d, eps]:.3f}" for eps in BUDGETS}
            for d in DOMAINS
        ]
        + [{"variance, S-Hist / RAPPOR": "rare item"} | {f"ε = {eps:g}": f"{rare_ratio(eps):.3f}" for eps in BUDGETS}]
    )
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "zhang2018.communication",
    holds={
        "bits": all(
            SampledHadamardBit(d=d, ell=1, epsilon=1.0).report_bits == 1 and SUE(k=d, epsilon=1.0).report_bits == d
            for d in (10, 100, 1000, 10_000)
        )
    },
)
one_hot = SUE(k=4, epsilon=1.0)
settle(
    "zhang2018.computation",
    holds={
        "algorithm-2": additions(500_000, 1000)[2] < 0.01 * additions(500_000, 1000)[0],
        "algorithm-1": additions(500_000, 1000)[1] < 0.5 * additions(500_000, 1000)[0],
        "more-counts": not (
            one_hot.tally(one_hot.perturb(np.arange(4), rng=rng)).counts.shape == (4,)
            and np.abs(moments(one_hot, np.arange(4))[0] - np.eye(4)).max() < 1e-12
        ),
    },
)
settle(
    "zhang2018.error-order",
    holds={
        "order": all(
            abs(sqrt(noise) * eps / 2 - 1) < 0.01
            for eps in (0.01, 0.1)
            for d in (10, 1000)
            for noise in (c_of(eps) ** 2, SUE(k=d, epsilon=eps).variance([0])[0, 1])
        )
    },
)
settle(
    "zhang2018.error-ratio",
    holds={
        "small-epsilon": all(abs(over_rappor[d, 0.1] - 1) < 0.01 for d in (2, 1000)),
        "large-epsilon": any(abs(over_rappor[1000, eps] - 1) < 0.01 for eps in (1.0, 2.0)),
        "ratio-falls": any(over_rappor[10_000, eps] < over_rappor[2, eps] for eps in (1.0, 2.0)),
        "addition-falls": all(
            (risks(10_000, eps)[0] - risks(10_000, eps)[1]) / risks(10_000, eps)[2]
            < (risks(2, eps)[0] - risks(2, eps)[1]) / risks(2, eps)[2]
            for eps in BUDGETS
        ),
    },
)

# %% [markdown]
# (sec-items-better)=
# ## What sampling allows
#
# Nobody knows which item of a set was drawn.
# For one-bit reports that saves nothing as soon as some row has ℓ items of either sign ({prf:ref}`thm-items-privacy`), which takes $d \ge 2\ell$: a bit agrees with half of all items, so a whole set may agree with it, and another whole set may not.
# A report that agrees with a *single* item is another matter.
# From a padded set no item is drawn with a probability above $1/\ell$, so such a report may speak louder.
# {cite:t}`wang2018itemset` found this for k-RR; {prf:ref}`thm-pckv-privacy` has it with signs.


# %%
def sampled_krr(items, d, ell, eps, rng):
    """One item of the padded set, with ell distinct dummies, through k-RR with a larger budget."""
    mine = pick([*sorted(items), *range(d, d + ell - len(items))], rng)
    odds = 1 + ell * (exp(eps) - 1)  # e^ε′
    if toss(odds / (odds + d + ell - 1), rng):
        return mine
    return pick([y for y in range(d + ell) if y != mine], rng)


# %% [markdown]
# :::{prf:theorem} Amplified k-RR
# :label: thm-items-krr
# With ℓ distinct dummies and $e^{\varepsilon'} = 1 + \ell(e^\varepsilon-1)$, sampling and k-RR over $D = d+\ell$ symbols is exactly ε-LDP over sets, for all $d$ and ℓ.
# With $p'$ and $q'$ the probabilities of the own symbol and of any other, $\hat f_v = \ell\,\frac{C_v/n-q'}{p'-q'}$ counts an item as $t$, as in {prf:ref}`thm-items-estimate`, and a person's score has the variance $\ell^2P(1-P)/(p'-q')^2$ with $P = q' + \frac t\ell(p'-q')$.
# A rare item has the noise
#
# $$ \frac{d - 1 + \ell e^\varepsilon}{(e^\varepsilon-1)^2}. $$ (eq-items-krr)
#
# It is below that of sampling S-Hist if and only if $d < \ell^2(e^\varepsilon+1)^2 - \ell e^\varepsilon + 1$, and below that of sampling OUE or ideal OLH, $4\ell^2e^\varepsilon/(e^\varepsilon-1)^2$, if and only if $d < 4\ell^2e^\varepsilon - \ell e^\varepsilon + 1$.
# :::
#
# :::{prf:proof}
# Let $\pi(y)$ be the probability that symbol $y$ is drawn.
# The report is $y$ with probability $\frac{1 + (e^{\varepsilon'}-1)\,\pi(y)}{D-1+e^{\varepsilon'}}$, and $0 \le \pi(y) \le 1/\ell$ for items and for dummies.
# ($C_v$ is the number of reports that equal $v$, which each do with probability $P$.)
# So two of these are within the factor $1 + (e^{\varepsilon'}-1)/\ell = e^\varepsilon$, which $\{v\}$ and the empty set attain.
# k-RR has the noise $\frac{e^{\varepsilon'}+D-2}{(e^{\varepsilon'}-1)^2}$ for a rare symbol; multiply by $\ell^2$ and insert $\varepsilon'$.
# The rest is algebra.
# :::
#
# The dummies must differ from each other.
# For $\ell \le d$ a single one for all would be drawn from the empty set with certainty, and from a set of ℓ items never, so that the largest ratio would be $e^{\varepsilon'}$ itself: $\ln[1+\ell(e^\varepsilon-1)]$ is spent where ε is stated.


# %% tags=["hide-input"]
def one_dummy(items, d, ell, eps, rng):  # the control
    mine, odds = draw(items, ell, rng), 1 + ell * (exp(eps) - 1)
    mine = d if mine is None else mine
    return mine if toss(odds / (odds + d), rng) else pick([y for y in range(d + 1) if y != mine], rng)


def spent(client, d, ell, eps):
    return epsilon(laws(lambda s, rng: client(s, d, ell, eps, rng), subsets(d)))


leak = spent(one_dummy, 3, 2, 0.8)
check(
    "k-RR",
    "ε = 0.8, d = 1, 2, 3 and ℓ = 1, 2, 3, all sets: exactly 0.8",
    all(abs(spent(sampled_krr, d, ell, 0.8) - 0.8) < 1e-12 for d in (1, 2, 3) for ell in (1, 2, 3)),
    control=f"one dummy for all, ℓ = 2: ε = {leak:.3f} = ln(1 + 2(e^0.8 − 1))",
    caught=abs(leak - log(1 + 2 * (exp(0.8) - 1))) < 1e-9,
)
GRR32 = SampledGRR(d=3, ell=2, epsilon=1.0)
check(
    "Same law",
    "sampled_krr and the package's SampledGRR, d = 3, ℓ = 2, eight sets; counts and noise as in the theorem",
    same_law(lambda s, rng: sampled_krr(s, 3, 2, 1.0, rng), GRR32, subsets(3))
    and abs(moments(GRR32, [set()])[1][0, 0] - (2 + 2 * exp(1)) / (exp(1) - 1) ** 2) < 1e-9
    and np.abs(moments(GRR32, subsets(3))[0] - COUNT).max() < 1e-12
    and np.abs(moments(GRR32, subsets(3))[1] - GRR32.variance(Records.of(*subsets(3)))).max() < 1e-9,
    control="inline at the budget that is not amplified",
    caught=not same_law(lambda s, rng: sampled_krr(s, 3, 2, log(1 + (exp(1) - 1) / 2), rng), GRR32, subsets(3)),
)

# %% [markdown]
# (sec-items-privset)=
# ### A report about the whole set
#
# *PrivSet* {cite:p}`wang2018privset` does not draw an item at all.
# Its report is a set $y$ of κ of the $D$ symbols, $e^\varepsilon$ times as likely if it meets the padded set as if it does not.


# %%
def privset(items, d, ell, kappa, eps, rng):
    """A set of kappa symbols, e^ε times as likely if it has one of the person's."""
    left, own = sorted(items), set(range(d, d + ell - len(items)))
    while left and len(own) < ell:
        own.add(left.pop(pick(range(len(left)), rng)))
    reports = list(combinations(range(d + ell), kappa))
    meeting = [y for y in reports if own & set(y)]
    missing = [y for y in reports if not own & set(y)]
    weight = exp(eps) * len(meeting)
    return pick(meeting if toss(weight / (weight + len(missing)), rng) else missing, rng)


# %% [markdown]
# :::{prf:theorem} PrivSet
# :label: thm-items-privset
# Let $1 \le \kappa \le d$, $\nu = \binom d\kappa / \binom D\kappa$ and $\Omega = e^\varepsilon(1-\nu)+\nu$.
# PrivSet is exactly ε-LDP over sets.
# A given symbol of the padded set is in the report with probability $p^* = \frac\kappa D\,\frac{e^\varepsilon}\Omega$, and any other with
#
# $$ q^* = \frac1\Omega\Big[e^\varepsilon\frac\kappa D - (e^\varepsilon-1)\mu\Big], \qquad \mu = \nu\,\frac\kappa d. $$
#
# For $\kappa = 1$ it is the amplified k-RR.
# :::
#
# :::{prf:proof}
# A padded set has ℓ symbols, so a share ν of the $\binom D\kappa$ reports miss it, whichever it is.
# The probability of a report is therefore $e^\varepsilon$ or 1 over $\binom D\kappa\Omega$, with the same Ω for all sets, and a mixture of both for a set of more than ℓ items.
# The reports with a given symbol are a share $\kappa/D$ of all; if the symbol is in the padded set all of them meet it.
# If not, the $\binom{d-1}{\kappa-1}$ of them whose other symbols are outside miss it, a share $\mu$ of all reports.
# Some report has item $v$ and misses the dummies $d, \dots, d+\ell-1$, because $\kappa \le d$; it is $e^\varepsilon$ times as likely under $\{v\}$ as under the empty set.
# For $\kappa = 1$ the reports are symbols, and those of the padded set $e^\varepsilon$ times as likely as others; so it is in {prf:ref}`thm-items-krr`.
# :::
#
# So PrivSet is a pure protocol ({ref}`sec-freq-pure`) with $\hat f = \frac{C/n - q^*}{p^*-q^*}$ and no factor ℓ.
# Its best κ has to be looked for.
# The next cell prints some; for many items and small ε it is about $D/2\ell$, so that half an item of a set is in a report on average, if the set has no say.

# %% tags=["hide-input"]


def formula(d, ell, kappa, eps):
    """(p*, q*) of the theorem."""
    e, size = exp(eps), d + ell
    nu = comb(d, kappa) / comb(size, kappa)
    omega = e * (1 - nu) + nu
    return kappa / size * e / omega, (e * kappa / size - (e - 1) * nu * kappa / d) / omega


def not_padded(items, d, ell, eps, rng):  # the control: κ = 1, a set without dummies
    if items and toss(exp(eps) * len(items) / (exp(eps) * len(items) + d - len(items)), rng):
        return pick(sorted(items), rng)
    return pick(sorted(set(range(d)) - items) or sorted(items), rng)


found = {
    kappa: spent(lambda s, d, ell, eps, rng, k=kappa: privset(s, d, ell, k, eps, rng), 3, 2, 1.0) for kappa in (1, 2, 3)
}
bare = spent(not_padded, 3, 2, 1.0)
check(
    "PrivSet",
    "d = 3, ℓ = 2, κ = 1, 2, 3, eight sets: exactly 1",
    all(abs(one - 1) < 1e-9 for one in found.values()),
    control=f"sets that are not padded, κ = 1: ε = {bare:.3f}",
    caught=bare > 1.01,
)
for kappa in (1, 2, 3):
    mechanism = PrivSet(d=3, ell=2, epsilon=1.0, size=kappa)
    p, q = formula(3, 2, kappa, 1.0)
    mean, variance = moments(mechanism, subsets(3))
    drawn = q + COUNT * (p - q)
    check(
        f"κ = {kappa}",
        "inline and package: one law; p* and q*, mean, variance and noise as in the theorem",
        same_law(lambda s, rng, k=kappa: privset(s, 3, 2, k, 1.0, rng), mechanism, subsets(3))
        and np.abs(np.array(mechanism.support, float) - (p, q)).max() < 1e-12
        and np.abs(mean - COUNT).max() < 1e-9
        and np.abs(variance - drawn * (1 - drawn) / (p - q) ** 2).max() < 1e-9
        and np.abs(variance - mechanism.variance(Records.of(*subsets(3)))).max() < 1e-9,
        control="p* and q* for ℓ = 3",
        caught=np.abs(np.array(mechanism.support, float) - formula(3, 3, kappa, 1.0)).max() > 0.01,
    )
print(
    "d = 1,000, ℓ = 50: D/2ℓ = 10.5; best κ =",
    ", ".join(f"{PrivSet(d=1000, ell=50, epsilon=eps).set_size} at ε = {eps:g}" for eps in (0.1, 1, 2, 2.2, 2.3)),
)
check(
    "κ = 1",
    "PrivSet and sampled_krr, eight sets: one law",
    same_law(
        lambda s, rng: privset(s, 3, 2, 1, 1.0, rng), lambda s, rng: (sampled_krr(s, 3, 2, 1.0, rng),), subsets(3)
    ),
    control="κ = 1 with ℓ = 1",
    caught=not same_law(
        lambda s, rng: privset(s, 3, 1, 1, 1.0, rng), lambda s, rng: (sampled_krr(s, 3, 2, 1.0, rng),), subsets(3)
    ),
)

# %% [markdown]
# The wheel for sets, {ref}`sec-wheel-sets`, is of the same kind, with slots in place of symbols and no list of items; what is $m$ there is ℓ here.
#
# (sec-items-compare)=
# ### Side by side
#
# {numref}`fig-items-noise` has the size of the thesis's synthetic data, $d = 1{,}000$ and $\ell = 50$.
# In sampling RAPPOR a dummy is the vector of zeros; in sampling OUE it has a bit of its own.
# Each marker is made with real reports: 4,000 people with sets of zero to 50 of the first 500 items, six surveys, and the squares of the estimates of the 500 items that nobody holds.

# %% tags=["hide-input"]
ELL = 50


def sampled_oue(eps, ell=ELL):
    return ell**2 * 4 * exp(eps) / (exp(eps) - 1) ** 2


def wheel_noise(eps, ell=ELL):
    return Wheel(epsilon=eps, m=ell).variance(Records.of(set()), [0])[0, 0]


NOISE = {
    "sampling S-Hist": lambda eps, d=ITEMS, ell=ELL: SampledHadamardBit(d=d, ell=ell, epsilon=eps).rare_variance,
    "sampling RAPPOR": lambda eps, d=ITEMS, ell=ELL: SampledSUE(d=d, ell=ell, epsilon=eps).rare_variance,
    "sampling OUE": lambda eps, d=ITEMS, ell=ELL: sampled_oue(eps, ell),
    "amplified k-RR": lambda eps, d=ITEMS, ell=ELL: SampledGRR(d=d, ell=ell, epsilon=eps).rare_variance,
    "PrivSet": lambda eps, d=ITEMS, ell=ELL: PrivSet(d=d, ell=ell, epsilon=eps).rare_variance,
    "wheel": lambda eps, d=ITEMS, ell=ELL: wheel_noise(eps, ell),
}
holders = crowd(4000, 500, rng.integers(0, ELL + 1, 4000), np.ones(500), rng)
NOBODY = np.arange(500, ITEMS)


def estimates(name, eps, rng):
    """Estimates of the items that nobody holds, from one survey with real reports."""
    if name == "wheel":
        mechanism = Wheel(epsilon=eps, m=ELL)
        return mechanism.estimate(mechanism.tally(mechanism.perturb(holders, rng=rng), NOBODY))
    if name == "sampling OUE":
        mechanism = OUE(k=ITEMS + ELL, epsilon=eps)
        drawn = pad_and_sample(holders, ITEMS, ELL, rng)[0]
        return ELL * mechanism.estimate(mechanism.tally(mechanism.perturb(drawn, rng=rng)))[NOBODY]
    make = {
        "sampling S-Hist": SampledHadamardBit,
        "sampling RAPPOR": SampledSUE,
        "amplified k-RR": SampledGRR,
        "PrivSet": PrivSet,
    }[name]
    mechanism = make(d=ITEMS, ell=ELL, epsilon=eps)
    return mechanism.estimate(mechanism.tally(mechanism.perturb(holders, rng=rng)))[NOBODY]


def simulated(name, eps, rng, runs=6):
    """n times the mean square of these estimates, and its 95 % bar."""
    squares = len(holders) * np.concatenate([estimates(name, eps, rng) ** 2 for _ in range(runs)])
    return squares.mean(), 1.96 * squares.std(ddof=1) / sqrt(len(squares))


TRIED = (0.25, 1.0, 4.0)
markers = {(name, eps): simulated(name, eps, rng) for name in NOISE for eps in TRIED}
fine = np.geomspace(0.1, 6, 40)
lines = {name: [noise(eps) for eps in fine] for name, noise in NOISE.items()}
off_theory = max(abs(found - NOISE[name](eps)) / bar for (name, eps), (found, bar) in markers.items())

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-items-noise", "caption": "Noise of a rare item against ε, for 1,000 items and sets of up to 50. Lines: theory; markers: real reports of 4,000 people, 95 % bars. Drawing one item and hiding it as if it were all that a person has costs ℓ², whatever hides it (S-Hist, RAPPOR, OUE). At ε = 1 the amplified k-RR has 24 to 30 times less, PrivSet and the wheel still less; from ε ≈ 2.3 on PrivSet is k-RR. One-bit reports level off at ℓ²."}, "image": {"alt": "Log-log plot of noise against epsilon from 0.1 to 6 for six mechanisms. Three curves for sampling S-Hist, RAPPOR and OUE lie together on top for small epsilon; S-Hist levels off at 2,500. The curves of k-RR, the wheel and PrivSet are 10 to 60 times lower up to epsilon 1 and fall ever more steeply beyond. Markers lie on the lines."}}
fig, ax = plt.subplots(figsize=(6.4, 4.6))
for i, (name, values) in enumerate(lines.items()):
    ax.plot(fine, values, **line(i))
    found = np.array([markers[name, eps] for eps in TRIED])
    ax.errorbar(TRIED, found[:, 0], found[:, 1], **dots(i))
    ax.plot([], [], **(line(i) | {"marker": dots(i)["marker"]}), label=name)
ax.set(xscale="log", yscale="log", xlabel="privacy budget ε", ylabel="noise, n × variance")
ax.set_xticks([0.1, 0.2, 0.5, 1, 2, 4, 6], ["0.1", "0.2", "0.5", "1", "2", "4", "6"])
ax.minorticks_off()
fig.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %% tags=["hide-input"]
unamplified = GRR(k=ITEMS + ELL, epsilon=1.0)
drawn = [pad_and_sample(holders, ITEMS, ELL, rng)[0] for _ in range(6)]
squares = len(holders) * np.concatenate(
    [
        (ELL * unamplified.estimate(unamplified.tally(unamplified.perturb(keys, rng=rng)))[:ITEMS])[NOBODY] ** 2
        for keys in drawn
    ]
)
plain, plain_bar = squares.mean(), 1.96 * squares.std(ddof=1) / sqrt(len(squares))
check(
    "Simulation",
    f"18 markers of real reports, rare items: within three 95 % bars of the theory, at most {off_theory:.2f}",
    off_theory < 3,  # 5.9 standard errors: a false alarm below 1e-7 for all 18
    control="k-RR reports at the budget that is not amplified",
    caught=abs(plain - NOISE["amplified k-RR"](1.0)) > 3 * plain_bar,
)
BITS = {
    "sampling S-Hist": SampledHadamardBit(d=ITEMS, ell=ELL, epsilon=1.0).report_bits,
    "sampling RAPPOR": SampledSUE(d=ITEMS, ell=ELL, epsilon=1.0).report_bits,
    "sampling OUE": OUE(k=ITEMS + ELL, epsilon=1.0).report_bits,
    "amplified k-RR": SampledGRR(d=ITEMS, ell=ELL, epsilon=1.0).report_bits,
    "PrivSet": PrivSet(d=ITEMS, ell=ELL, epsilon=1.0).report_bits,
    "wheel": Wheel(epsilon=1.0, m=ELL).report_bits,
}
table(
    pd.DataFrame(
        [
            {"noise, d = 1,000, ℓ = 50": name}
            | {
                f"ε = {eps:g}": f"{noise(eps):,.0f}" if noise(eps) > 10 else f"{noise(eps):.1f}"
                for eps in (0.5, 1, 2, 4)
            }
            | {"÷ best, ε = 1": f"{noise(1.0) / min(other(1.0) for other in NOISE.values()):.1f}"}
            | {"private bits, ε = 1": f"{BITS[name]:,}"}
            for name, noise in NOISE.items()
        ]
    )
)

# %% [markdown]
# How the noise grows with $d$ and ℓ, at $\varepsilon = 1$:

# %% tags=["hide-input"]
SHAPES = ((1000, 5), (1000, 50), (10_000, 50), (10_000, 500), (100_000, 50))
table(
    pd.DataFrame(
        [
            {"d": f"{d:,}", "ℓ": ell}
            | {
                name: f"{NOISE[name](1.0, d, ell):,.0f}"
                for name in ("sampling S-Hist", "sampling OUE", "amplified k-RR", "PrivSet", "wheel")
            }
            | {
                "k-RR below OUE if d <": f"{4 * ell**2 * exp(1) - ell * exp(1) + 1:,.0f}",
            }
            for d, ell in SHAPES
        ]
    )
)

# %% tags=["hide-input"]


def thresholds(ell, eps, tail=1.0):
    """Numbers of items below which k-RR has less noise than one bit, and than OUE, by the theorem."""
    e = exp(eps)
    return {
        "sampling S-Hist": ell**2 * (e + 1) ** 2 - tail * (ell * e - 1),
        "sampling OUE": 4 * ell**2 * e - tail * (ell * e - 1),
    }


def sharp(ell, eps, tail=1.0):
    """Whether k-RR wins at the last whole number of items below each threshold, and loses at the next."""
    return all(
        (NOISE["amplified k-RR"](eps, d, ell) < NOISE[name](eps, d, ell)) == wins
        for name, threshold in thresholds(ell, eps, tail).items()
        for d, wins in ((ceil(threshold) - 1, True), (floor(threshold) + 1, False))
    )


grid = list(product((1, 2, 5, 50), (0.1, 0.5, 1.0, 3.0)))
check(
    "Rule",
    f"{len(grid)} pairs of ℓ and ε, the two numbers of items next to each threshold: k-RR wins below, loses above",
    all(sharp(*point) for point in grid),
    control="without −ℓe^ε + 1",
    caught=not any(sharp(*point, tail=0.0) for point in grid if point[0] > 1),
)
check(
    "In proportion",
    "ε = 1, d = 200 ℓ: noise over ℓ of PrivSet and the wheel changes by less than 2 % from ℓ = 50 to 500",
    all(
        abs(NOISE[name](1.0, 100_000, 500) / NOISE[name](1.0, 10_000, 50) / 10 - 1) < 0.02
        for name in ("PrivSet", "wheel")
    ),
    control="sampling S-Hist",
    caught=abs(NOISE["sampling S-Hist"](1.0, 100_000, 500) / NOISE["sampling S-Hist"](1.0, 10_000, 50) / 10 - 1) > 1,
)

# %% [markdown]
# So the draw is not what is expensive, but what follows it.
# The noise of a mechanism that gives the whole budget to one item grows with $\ell^2$; that of PrivSet and of the wheel with ℓ.
# {cite:t}`wang2020wheel` show that $\ell/(n\varepsilon^2)$ is the best order for small ε; we have not checked their lower bound.
# k-RR lies between: its noise grows with $d$ and ℓ alike, so that for small ε it is below that of one bit or OUE if $d$ is below about $4\ell^2$.
#
# With a list of items PrivSet is the best of these; at large ε it is k-RR.
# The wheel is not far behind at small ε, needs no list and sends shorter reports (beside a public seed), but its server has to hash every item for every report.
# A single bit, with the public number of a row, is all that sampling S-Hist sends; that is its merit, and at $d = 1{,}000$, $\ell = 50$ and $\varepsilon = 1$ it costs sixty times as many people for a rare item (thirty times for one that all hold).

# %% [markdown]
# (sec-items-differs)=
# ## Where the thesis errs
#
# :::{admonition} Entries of the table
# :class: warning
# *Printed* (Fig. 3-2): Algorithm 2 builds a table of entries ±1, for a client that reckons with $\pm1/\sqrt m$.
# *Right*: divide by $\sqrt m$; otherwise a dummy is recognised by its size, and estimates are $m$ times too large, see {ref}`sec-items-literal`.
# :::
#
# :::{admonition} Lost exponentials
# :class: warning
# *Printed* (Fig. 3-3): $c_\varepsilon = \frac{\varepsilon+1}{\varepsilon-1}$.
# *Right*: $\frac{e^\varepsilon+1}{e^\varepsilon-1}$, as in the thesis's other two algorithms.
# Our text was read by a machine, so that the slip may not be the author's.
# :::
#
# :::{admonition} A mixture written as a product
# :class: warning
# *Printed* (3-4): the ratio for two sets is that for two drawn items.
# *Right*: both probabilities are sums over all items that may be drawn, and their ratio is at most the largest of these ratios, see {prf:ref}`thm-items-privacy`.
# The result holds.
# :::
#
# :::{admonition} The δ of the lemma
# :class: warning
# *Printed* (§2.2.2): it corresponds to β, and the lemma holds with probability $1-\delta$.
# *Right*: δ is the size of the error, see {ref}`sec-items-rows`.
# :::
#
# Other differences are not errors.
# That the estimate is unbiased is true of the sets after padding and cutting, of which §3.2.2 speaks; for those that people hold it needs sets of at most ℓ items, and up to a tenth are longer.
# §3.1 says that cutting costs accuracy, not that it is a bias.
# What §3.2.2 says about the number of candidates belongs to the next chapter.
# Its comparison with RAPPOR is with Bloom filters in one place and with single bits in another.
# Algorithm 1 lists the users' items as the server's input; so do many descriptions of a protocol as a whole.
#
# (sec-items-wrong)=
# ## What can go wrong
#
# - *One dummy for all.* In k-RR it must be ℓ different ones; see above.
# - *A dummy that can be told.* It must look like an item in every respect, to the last digit.
#   With two rows $c\cdot m\cdot\frac1{\sqrt m}$ and $c\sqrt m$ are different floating-point numbers, and a client that sends them sends the answer; the cell below has its ε.
#   Send a sign.
# - *Multiplying by the person's own size.* Whoever scales the report on the client, by $\lvert S\rvert$ instead of ℓ, publishes the size.
# - *Reading the noise of a rare item as everybody's.* Whether a holder draws the item is a coin of its own; amplified k-RR has it in its noise, which for an item that all hold falls to $\ell - 1$ as ε grows, and not to 0.

# %% tags=["hide-input"]


def floating(eps, m):
    """The client in the thesis's units, entries ±1/√m, as floating-point numbers."""
    signs = codewords(m)
    return epsilon(laws(lambda s, rng: as_printed(s, 2, signs, eps, c_of(eps), 1 / sqrt(m), rng), subsets(m)))


for m in (2, 4):
    print(f"d = m = {m}, ℓ = 2, floating-point reports, ε = 1 stated: ε = {floating(1.0, m):.3f}".replace("inf", "∞"))
all_hold = [SampledGRR(d=1000, ell=50, epsilon=eps).variance(Records.of({0}))[0, 0] for eps in (1.0, 8.0)]
print(
    f"amplified k-RR, d = 1,000, ℓ = 50, an item that all hold: noise {all_hold[0]:.1f} at ε = 1, {all_hold[1]:.1f} at ε = 8"
)
for kind in (SampledHadamardBit, PrivSet):
    print(
        f"{kind.__name__}, the same at ε = 1: {kind(d=1000, ell=50, epsilon=1.0).variance(Records.of({0}))[0, 0]:,.0f}"
    )

# %% [markdown]
# (sec-items-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: a biased coin
# Suppose that the clients' coin for dummies is worn and shows + with probability 0.51.
# Which estimates suffer, for $d = 8$ and $\ell = 4$, if all sets are empty?
# :::
#
# :::{dropdown} Solution
# The mean of $z$ is 0.02 in every row, so the score of item $v$ has the mean $\ell c \cdot 0.02 \cdot \frac1m\sum_j\Phi_{jv}$.
# The sum is $m$ for the constant column and 0 for any other.
# So all the harm is done to one item; if no item has the constant column, to nobody.
# :::

# %% tags=["hide-input"]
EIGHT = codewords(8)


def worn(items, rng):
    return pick(range(8), rng), 1 if toss(0.51, rng) else -1


bias, _ = moments(worn, [set()], score=lambda report: scores(report, 4, EIGHT, c_of(1)))
print("ε = 1, items 0 to 7: bias", ", ".join(f"{abs(x):.3f}" for x in bias[0]))

# %% [markdown]
# :::{admonition} Exercise 2: between one symbol and many
# Send the drawn symbol through k-Subset with reports of $\kappa \le \ell$ symbols instead of k-RR's one.
# Which budget may it use, and is it any better?
# :::
#
# :::{dropdown} Solution
# A report agrees with a symbol that it contains, and the drawn one is among κ given symbols with probability $\kappa/\ell$ at most; so as in {prf:ref}`thm-items-krr` $e^{\varepsilon'} = 1 + \frac\ell\kappa(e^\varepsilon-1)$.
# That does not make up for what is lost: the noise is here about κ times that of k-RR.
# PrivSet with the same κ is better than k-RR because it does not ask which symbol of the set was met.
# :::

# %% tags=["hide-input"]


def sampled_subset(d, ell, kappa, eps):
    """Noise of a rare item: one item drawn, k-Subset at the amplified budget."""
    larger = log(1 + ell / kappa * (exp(eps) - 1))
    return ell**2 * SubsetSelection(k=d + ell, epsilon=larger, size=kappa).variance([0])[0, 1]


for kappa in (1, 2, 5, 10):
    print(
        f"ε = 1, κ = {kappa:<3} sampling and k-Subset {sampled_subset(1000, 50, kappa, 1.0):7,.0f}   "
        f"PrivSet {PrivSet(d=1000, ell=50, epsilon=1.0, size=kappa).rare_variance:5,.0f}"
    )


def sampled_subset_client(items, d, ell, kappa, eps, rng):
    mine = pick([*sorted(items), *range(d, d + ell - len(items))], rng)
    larger = 1 + ell / kappa * (exp(eps) - 1)
    inside = kappa * larger / (kappa * larger + d + ell - kappa)
    others = [y for y in range(d + ell) if y != mine]
    if toss(inside, rng):
        return tuple(sorted((mine, *pick(list(combinations(others, kappa - 1)), rng))))
    return pick(list(combinations(others, kappa)), rng)


twos = spent(lambda s, d, ell, eps, rng: sampled_subset_client(s, d, ell, 2, eps, rng), 3, 2, 1.0)
check(
    "Exercise 2",
    "d = 3, ℓ = κ = 2, eight sets: exactly 1",
    abs(twos - 1) < 1e-12,
    control="the budget of κ = 1",
    caught=spent(
        lambda s, d, ell, eps, rng: sampled_subset_client(s, d, ell, 2, log(1 + 2 * (exp(1) - 1)), rng), 3, 2, 1.0
    )
    > 1.01,
)

# %% [markdown]
# :::{admonition} Exercise 3: baskets
# A shop sells 200 things, and 20,000 customers have at most 8 of them in a basket.
# At $\varepsilon = 1$, which mechanism of this chapter would you take?
# Collect the baskets with it and with sampling S-Hist.
# :::
#
# :::{dropdown} Solution
# There is a list and it is short: PrivSet.
# The cell shows the five most frequent things with standard errors.
# :::

# %% tags=["hide-input"]
baskets = crowd(20_000, 200, rng.integers(0, 9, 20_000), 1 / (np.arange(200) + 3), rng)
bought = np.bincount(baskets.keys, minlength=200) / 20_000
rows = {"thing": [str(v) for v in range(5)], "share": [f"{x:.3f}" for x in bought[:5]]}
for name, make in (("PrivSet", PrivSet), ("sampling S-Hist", SampledHadamardBit)):
    mechanism = make(d=200, ell=8, epsilon=1.0)
    found = mechanism.estimate(mechanism.tally(mechanism.perturb(baskets, rng=rng)))
    error = np.sqrt(mechanism.variance(baskets).sum(0)) / 20_000
    rows[f"{name} ± standard error"] = [
        f"{x:.3f} ± {e:.3f}".replace("-", "−") for x, e in zip(found[:5], error[:5], strict=True)
    ]
table(pd.DataFrame(rows))

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-items-privacy`: sampling S-Hist over all sets | laws of all sets of up to four items |
# | {prf:ref}`thm-items-estimate`: an item counts as $t$, noise $\ell^2c^2$ | exact moments; package tied by its law; real reports |
# | Algorithm 2 as printed: ε = ∞ and $m$ times too large | law of the code as printed |
# | {prf:ref}`thm-items-krr`: k-RR may use $\ln[1+\ell(e^\varepsilon-1)]$ | laws of all sets; 16 pairs of ℓ and ε |
# | {prf:ref}`thm-items-privset`: PrivSet | laws and exact moments for three sizes |
# | noise in proportion to $\ell^2$ or to ℓ | closed forms; the size at ℓ = 50 by real reports |
#
# Next: the most frequent items, in two phases.
