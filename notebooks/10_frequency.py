# %% [markdown]
# (ch-frequency)=
# # Frequency oracles
#
# *After {cite:t}`ye2018survey` §1.2.2, §4.1.1 and §4.4.*
#
# :::{admonition} In one minute
# Everybody holds one of $k$ items, and we want to know how many hold each.
# A report is a set of items that it *supports*: somebody's own item is in it with probability $p^*$, any other with probability $q^* < p^*$.
# Count the supporters of an item, subtract what blind chance would give, divide by $p^* - q^*$: that is the estimate, for every mechanism of this chapter.
#
# They differ less than their names suggest.
# k-ary randomized response, unary encoding and local hashing are all the same thing: a set of items of a random size, in which the odds of the own item are $e^\varepsilon$ times the fair ones.
# One size is best: over all items together, and where all are equally likely, no unbiased estimate from ε-LDP reports has a smaller error.
# :::
#
# :::{zh}
# 本章研究频率预言机：每个用户持有 $k$ 项之一，数据收集者估计各项的频率。
# k 元随机响应（k-RR）、一元编码、本地哈希与 k-Subset 的报告都可看作“支持”若干项，因而同属纯协议，共用一个无偏估计公式和一个方差公式。
# 进一步可证，前三种机制（本地哈希取理想哈希函数）不过是集合大小随机的 k-Subset；在各项等可能时，大小取最优值的 k-Subset 达到一切无偏估计总风险的下界。
# 综述（叶青青等）中 k-RR 与 k-Subset 的概率公式，以及图 5、图 8 所示的规律，均得到复现。
# 综述以 $\varepsilon=\ln k$ 为界、把较大的预算归于 RAPPOR 而把较小的预算归于 k-RR，此论断予以更正：方向恰好相反，且对每项各占一位的 RAPPOR，分界在 $\frac23\ln k$ 附近。
# “k-RR 在低预算下可用性差”在条件下复现：项数多时成立，至多五项时不成立。
# 另有三处疑为误印、文本损坏或表述过强，亦予更正：k-Subset 在单值频数上的“额外误差”、其 $O(1)$ 的通信代价，以及把 RAPPOR 与 S-Hist 归入 $\lceil\log k\rceil$ 位编码。
# :::
#
# You will meet four clients, one formula for all their estimates and variances, a proof of what is best, and the survey's figures of a million people at their full size.
# From {ref}`ch-rr` you need the definition of ε-LDP and how a check reads the law off the code.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from collections import Counter
from fractions import Fraction
from math import comb, exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import binom

from ldpnb import (
    GRR,
    OLH,
    OUE,
    RAPPOR,
    SUE,
    SHist,
    SubsetSelection,
    Tally,
    epsilon,
    law,
    laws,
    maximum_likelihood,
    minimax_risk,
    moments,
    norm,
    norm_sub,
    pick,
    same_law,
    toss,
)
from ldpnb.book import check, datasets, l1, settle, style, table
from ldpnb.oracles import best_size
from ldpnb.postprocess import channel

style()
SEED = 2018  # the year of the survey
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-freq-question)=
# ## Seven diseases
#
# Table 2 of the survey is a ward of seven patients, and its Table 3 counts them by disease.
# Whoever publishes Table 3 in a ward this small tells a good deal about each patient; whoever collects Table 2 knows everything.

# %%
WARD = {
    "Tom": ["AIDS"],
    "Mike": ["asthma", "leukaemia"],
    "Sally": ["breast cancer", "hypertension"],
    "Abel": ["diabetes"],
    "Carl": ["diabetes", "depression", "hypertension"],
    "Helen": ["diabetes", "hypertension"],
    "David": ["depression"],
}
counted = Counter(d for diseases in WARD.values() for d in diseases)
DISEASES = sorted(counted)
print("\n".join(f"{d:<14}{counted[d]}" for d in DISEASES))

# %% [markdown]
# The survey lets Tom protect himself: he says "AIDS" with probability 40 %, and each of the other six diseases with probability 10 %.
# That is a client, and its ε can be read off.


# %%
def tom(disease, rng):
    """The survey's example: 40 % the truth, 10 % any other."""
    if toss(0.4, rng):
        return disease
    return pick([d for d in DISEASES if d != disease], rng)


found = epsilon(laws(tom, DISEASES))
print(f"ε = {found:.6f},  ln 4 = {log(4):.6f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.table3",
    holds={
        "counted": sorted(counted.values()) == [1, 1, 1, 1, 2, 3, 3]
        and counted["diabetes"] == counted["hypertension"] == 3
        and counted["depression"] == 2
    },
)
of_the_others = Counter(d for name, diseases in WARD.items() if name != "Tom" for d in diseases)
settle(
    "ye2018.exact-counts",
    holds={"tom": list((counted - of_the_others).elements()) == WARD["Tom"]},
)
one = law(lambda rng: tom("AIDS", rng))
settle(
    "ye2018.forty-ten",
    holds={
        "sum": abs(sum(map(float, one.values())) - 1) < 1e-12 and abs(float(one["AIDS"]) - 0.4) < 1e-12,
        "epsilon": abs(found - log(4)) < 1e-12
        and same_law(lambda x, rng: DISEASES.index(tom(DISEASES[x], rng)), GRR(k=7, epsilon=log(4)), np.arange(7)),
    },
)

# %% [markdown]
# In this chapter everybody has exactly one item.
# (Carl, with three diseases, has to wait for {ref}`ch-items`.)
#
# | symbol | meaning | in code |
# |---|---|---|
# | $n$ | number of people | `n` |
# | $k$ | number of items; they are $0, …, k-1$ | `k` |
# | $x_i$ | the item of person $i$ | `x` |
# | $f_v$ | share of the people who hold item $v$ | `truth` |
# | $e$ | short for $e^\varepsilon$, the largest ratio allowed; never Euler's number | `e` |
# | $p^*, q^*$ | probability that a report supports the own item, another item | `support` |
# | $C_v$ | number of reports that support item $v$ | `counts` |
#
# (sec-freq-clients)=
# ## Four ways to blur an item
#
# **k-RR** (k-ary randomized response) sends one item: the own one with $e^\varepsilon$ times the probability of any other {cite:p}`kairouz2016discrete`.
# Tom does that; two items make it Warner's coin.


# %%
def krr(x, k, eps, rng):
    """The truth, with e^ε times the weight of any other item."""
    if toss(exp(eps) / (exp(eps) + k - 1), rng):
        return x
    return pick([v for v in range(k) if v != x], rng)


# %% [markdown]
# **Unary encoding** sends one bit per item, and the bits are blurred one by one.
# RAPPOR does this when every item has a bit of its own {cite:p}`erlingsson2014rappor`; {cite:t}`wang2017frequency` named it *symmetric* (SUE) if $p + q = 1$, and found a better setting of the same client, the *optimised* one (OUE).


# %%
def unary(x, k, p, q, rng):
    """One bit per item: the own bit is set with probability p."""
    return tuple(toss(p if v == x else q, rng) for v in range(k))


# %% [markdown]
# **Local hashing** first throws the $k$ items into $g$ slots, by a hash function that everybody may know and that is drawn afresh for each person, and then applies k-RR to the slot {cite:p}`wang2017frequency`.
# Here the hash is an honest list of random slots, which is what theory calls ideal.


# %%
def hashed(x, k, g, eps, rng):
    """A public random slot for each item; k-RR over slots."""
    slot = tuple(pick(range(g), rng) for _ in range(k))
    return slot, krr(slot[x], g, eps, rng)


# %% [markdown]
# **k-Subset** sends a set of exactly $c$ items: a set that contains the own item has $e^\varepsilon$ times the probability of one that does not {cite:p}`wang2016mutual,ye2018optimal`.


# %%
def draw(items, size, rng):
    """This many different items, all choices alike."""
    left, drawn = list(items), []
    for _ in range(size):
        drawn.append(pick(left, rng))
        left.remove(drawn[-1])
    return drawn


def subset(x, k, c, eps, rng):
    """A set of c items; sets with x are e^ε times likelier."""
    others = [v for v in range(k) if v != x]
    if toss(c * exp(eps) / (c * exp(eps) + k - c), rng):
        return frozenset([x, *draw(others, c - 1, rng)])
    return frozenset(draw(others, c, rng))


# %% [markdown]
# Every one of these reports singles out some items, which it *supports*: the item sent, the bits set, the items in the slot sent, the members of the set.
# {numref}`fig-freq-schematic` shows what the collector sees when Abel, who has diabetes, reports in each of the four ways.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-schematic", "caption": "Abel has diabetes (framed column) and reports in four ways; filled squares are the items that his report supports. k-RR supports one item, k-Subset a fixed number, unary encoding and local hashing a random number. The own item is supported more often than the others. Of hashing the collector also sees which items share a slot, which says nothing about Abel; ε = 1.5."}, "image": {"alt": "Grid of four rows, k-RR, unary encoding, local hashing and k-Subset, and seven columns, the diseases. Filled squares mark the supported items: one in the first two rows, four for hashing, two for k-Subset. The column of diabetes is framed."}}
def members(report):
    """The items that a report supports."""
    if isinstance(report, frozenset):
        return report
    if isinstance(report, tuple) and isinstance(report[0], tuple):
        return frozenset(v for v, slot in enumerate(report[0]) if slot == report[1])
    if isinstance(report, tuple):
        return frozenset(v for v, bit in enumerate(report) if bit)
    return frozenset([report])


abel, eps = DISEASES.index("diabetes"), 1.5
q_oue = 1 / (exp(eps) + 1)
ways = {
    "k-RR": lambda rng: krr(abel, 7, eps, rng),
    "unary": lambda rng: unary(abel, 7, 0.5, q_oue, rng),
    "hashing": lambda rng: hashed(abel, 7, 4, eps, rng),
    "k-Subset": lambda rng: subset(abel, 7, 2, eps, rng),
}
fig, ax = plt.subplots(figsize=(6.4, 2.9))
sketch = np.random.default_rng(7)
for row, send in enumerate(ways.values()):
    inside = members(send(sketch))
    for v in range(7):
        ax.add_patch(plt.Rectangle((v + 0.12, -row - 0.88), 0.76, 0.76, fc="C0" if v in inside else "white", ec="gray"))
ax.add_patch(plt.Rectangle((abel, -4.06), 1, 4.12, fill=False, ec="#D55E00", linewidth=2.5))
ax.set(xlim=(-0.1, 7.1), ylim=(-4.15, 0.15))
ax.set_xticks(np.arange(7) + 0.5, DISEASES, rotation=25, ha="right")
ax.set_yticks(-np.arange(4) - 0.5, list(ways))
ax.grid(visible=False)
ax.spines[:].set_visible(False)
ax.tick_params(length=0)
plt.show()

# %% [markdown]
# (sec-freq-pure)=
# ## One estimate for all
#
# :::{prf:definition} Pure protocol
# :label: def-pure
# A mechanism whose reports support items is *pure* if there are $p^* > q^*$ so that, for all items $x \ne v$, a report from $x$ supports $x$ with probability $p^*$ and $v$ with probability $q^*$ {cite:p}`wang2017frequency`.
# :::
#
# If $n f_v$ people hold $v$, then on average $n f_v p^* + n (1-f_v) q^*$ reports support it, and we solve for $f_v$:
#
# $$ \hat f_v = \frac{C_v/n - q^*}{p^* - q^*}. $$ (eq-freq-estimate)
#
# :::{prf:theorem} Estimates of pure protocols
# :label: thm-pure
# If people draw their reports independently, $\E \hat f_v = f_v$ and
#
# $$ \begin{aligned} n \Var \hat f_v &= f_v\,\frac{p^*(1-p^*)}{(p^*-q^*)^2} \\ &\quad + (1-f_v)\,\frac{q^*(1-q^*)}{(p^*-q^*)^2}. \end{aligned} $$
#
# :::
#
# :::{prf:proof}
# $C_v$ is a sum of independent coins, $n f_v$ of probability $p^*$ and the others of probability $q^*$.
# :::
#
# For an item that hardly anybody holds only the second term is left; we call $q^*(1-q^*)/(p^*-q^*)^2$ the *noise of a rare item*.
# With many items nearly all are rare, so this is the number to look at first; {ref}`sec-freq-limit` takes all items together.
#
# So a mechanism is two probabilities.
# The cell below the table reads them off the clients' laws at $k = 5$ and $\varepsilon = 1$, which proves the table for that case; in general it is counting.
#
# | | $p^*$ | $q^*$ | noise of a rare item |
# |---|---|---|---|
# | k-RR | $\dfrac{e}{e+k-1}$ | $\dfrac{1}{e+k-1}$ | $\dfrac{e+k-2}{(e-1)^2}$ |
# | SUE, $s = e^{\varepsilon/2}$ | $\dfrac{s}{s+1}$ | $\dfrac{1}{s+1}$ | $\dfrac{s}{(s-1)^2}$ |
# | OUE | $\dfrac12$ | $\dfrac{1}{e+1}$ | $\dfrac{4e}{(e-1)^2}$ |
# | local hashing | $\dfrac{e}{e+g-1}$ | $\dfrac1g$ | $\dfrac{4e}{(e-1)^2}$ at $g = e+1$ |
# | k-Subset | $\dfrac{ce}{ce+k-c}$ | $\dfrac{c-p^*}{k-1}$ | put $p^*$ and $q^*$ in |


# %% tags=["hide-input"]
def support(send, k):
    """Probability that a report from x supports v, read off the client's law: a matrix (x, v) of fractions."""
    found = []
    for x in range(k):
        row = [Fraction(0)] * k
        for report, chance in law(lambda rng, x=x: send(x, rng)).items():
            for v in members(report):
                row[v] += chance
        found.append(row)
    return found


def is_pure(matrix, p, q):
    """Whether the diagonal is p and all the rest q, to twelve digits."""
    return all(
        abs(float(matrix[x][v]) - (p if x == v else q)) < 1e-12 for x in range(len(matrix)) for v in range(len(matrix))
    )


K, EPS = 5, 1.0
e, s = exp(EPS), exp(EPS / 2)
p_sub = 2 * e / (2 * e + K - 2)
CLIENTS = {
    "k-RR": (lambda x, rng: krr(x, K, EPS, rng), e / (e + K - 1), 1 / (e + K - 1)),
    "SUE": (lambda x, rng: unary(x, K, s / (s + 1), 1 / (s + 1), rng), s / (s + 1), 1 / (s + 1)),
    "OUE": (lambda x, rng: unary(x, K, 0.5, 1 / (e + 1), rng), 0.5, 1 / (e + 1)),
    "hashing, g = 3": (lambda x, rng: hashed(x, K, 3, EPS, rng), e / (e + 2), 1 / 3),
    "k-Subset, c = 2": (lambda x, rng: subset(x, K, 2, EPS, rng), p_sub, (2 - p_sub) / (K - 1)),
}
matrices = {name: support(send, K) for name, (send, _, _) in CLIENTS.items()}
for name, matrix in matrices.items():
    print(f"{name:<16} p* = {float(matrix[0][0]):.4f}   q* = {float(matrix[0][1]):.4f}")
check(
    "Pure",
    "p* and q* as in the table, five clients, 5 × 5 pairs of items",
    all(is_pure(matrices[name], p, q) for name, (_, p, q) in CLIENTS.items()),
    control="hashing with q* of k-RR over slots",
    caught=not is_pure(matrices["hashing, g = 3"], e / (e + 2), 1 / (e + 2)),
)
exact = {name: epsilon(laws(send, range(K))) for name, (send, _, _) in CLIENTS.items()}


def tell_tale(x, rng):  # the right set, but sent in the order in which it was put together
    others = [v for v in range(K) if v != x]
    return (x, *draw(others, 1, rng)) if toss(p_sub, rng) else tuple(draw(others, 2, rng))


check(
    "Privacy",
    "ε = 1 for all five clients, exactly",
    all(abs(found - EPS) < 1e-12 for found in exact.values()),
    control=f"k-Subset with the own item always first, ε = {epsilon(laws(tell_tale, range(K))):.3f}",
    caught=epsilon(laws(tell_tale, range(K))) > EPS + 0.1,
)

# %% [markdown]
# The control of the second check is a bug that programs really have: the set is right, but it travels as a list, and the list starts with the own item whenever that is in it.
# A list with an item in second place cannot come from that item, so ε is infinite.
# The client of one public library, `SS_Client` of multi-freq-ldpy 0.2.5, returns its set as an array in this order; whoever uses it should sort the array before sending it.
#
# :::{prf:theorem} ε of the four clients
# :label: thm-freq-privacy
# k-RR, local hashing with k-RR at ε over $g \ge 2$ slots, and k-Subset with $1 \le c < k$ are exactly ε-LDP.
# Unary encoding has exactly $\varepsilon = \ln \dfrac{p(1-q)}{q(1-p)}$ for $0 < q < p < 1$, whatever $k \ge 2$.
# :::
#
# :::{prf:proof}
# k-RR and k-Subset: a report has one of two probabilities, and their ratio is $e^\varepsilon$.
# Hashing: the hash does not depend on the item, and given the hash the report is k-RR's of a slot; two items in different slots attain ε.
# Unary encoding: $x$ and $x'$ blur the same bits but two; the ratio is largest where bit $x$ is set and bit $x'$ is not, $\frac{p}{q}\cdot\frac{1-q}{1-p}$.
# :::
#
# How to choose $p$ and $q$?
# SUE treats ones and zeros alike.
# But most of the bits are zeros, and it is their noise that hurts.
#
# :::{prf:theorem} Optimised unary encoding
# :label: thm-oue
# Among all unary encodings of one ε the noise of a rare item is least at $p = \frac12$, $q = 1/(e^\varepsilon+1)$, where it is $4e^\varepsilon/(e^\varepsilon-1)^2$.
# :::
#
# :::{prf:proof}
# Let $r = q/(1-q)$ be the odds of a foreign bit; then the odds of the own bit are $er$, with $e = e^\varepsilon$.
# Put $q = \frac{r}{1+r}$ and $p = \frac{er}{1+er}$ in:
#
# $$ \frac{q(1-q)}{(p-q)^2} = \frac{(1+er)^2}{r\,(e-1)^2}, $$
#
# and $(1+er)^2/r = 1/r + 2e + e^2 r \ge 4e$, with equality where $er = 1$.
# :::
#
# The same calculation, with $1/g$ for $q^*$, gives local hashing the same least noise, at $g = e^\varepsilon + 1$ slots: two mechanisms with one error, one sending $k$ bits and the other a few.

# %% tags=["hide-input"]
odds_tried = np.geomspace(0.01, 10, 4001)
foreign, own = odds_tried / (1 + odds_tried), e * odds_tried / (1 + e * odds_tried)  # q and p
noise_of = foreign * (1 - foreign) / (own - foreign) ** 2
best = odds_tried[np.argmin(noise_of)]


def slots_noise(g, e):
    """Noise of a rare item of ideal local hashing with g slots (not only whole ones)."""
    p, q = e / (e + g - 1), 1 / g
    return q * (1 - q) / (p - q) ** 2


g_tried = np.linspace(2, 12, 10001)
g_best = g_tried[np.argmin(slots_noise(g_tried, e))]
check(
    "Optimised",
    f"least noise {noise_of.min():.4f} at own-bit odds {e * best:.2f}, and {slots_noise(g_best, e):.4f} at g = {g_best:.2f}",
    abs(noise_of.min() - 4 * e / (e - 1) ** 2) < 1e-4
    and abs(e * best - 1) < 0.01
    and abs(slots_noise(g_best, e) - 4 * e / (e - 1) ** 2) < 1e-6
    and abs(g_best - (e + 1)) < 0.01,
    control="SUE's odds",
    caught=(1 + s) ** 2 / ((e - 1) ** 2 / s) > noise_of.min() + 0.1,
)

# %% [markdown]
# ### The clients of the package
#
# The package has the same clients for whole populations: `GRR`, `SUE`, `OUE`, `OLH`, `SubsetSelection`.
# For all but `OLH` the law of every report is that of the inline client.
# `OLH` has a real hash function in place of the ideal one: each person draws three numbers $a, b, c$ below the prime $2^{31}-1$, and the values of $av^2+bv+c$ modulo that prime are cut into slots.
# It is enumerated with a prime of one digit.
# Three items fall into three slots independently, because three values determine a quadratic; only the slots are not of equal size where $g$ does not divide the prime, and $q^*$ in the package takes account of that.
# Sums over items need no more than three: two that are summed and the person's own.


# %% tags=["hide-input"]
def tied(eps):
    """Whether the inline clients and the package's send the same reports, at k = 4."""
    bits = lambda found: tuple(v in found for v in range(4))  # noqa: E731
    s, q = exp(eps / 2), 1 / (exp(eps) + 1)
    return [
        same_law(lambda x, rng: krr(x, 4, eps, rng), GRR(k=4, epsilon=1.0), np.arange(4)),
        same_law(lambda x, rng: unary(x, 4, s / (s + 1), 1 / (s + 1), rng), SUE(k=4, epsilon=1.0), np.arange(4)),
        same_law(lambda x, rng: unary(x, 4, 0.5, q, rng), OUE(k=4, epsilon=1.0), np.arange(4)),
        same_law(
            lambda x, rng: bits(subset(x, 4, 2, eps, rng)), SubsetSelection(k=4, epsilon=1.0, size=2), np.arange(4)
        ),
    ]


check(
    "Same law",
    "k-RR, SUE, OUE, k-Subset inline and in the package, k = 4",
    all(tied(1.0)),
    control="inline at ε = 1.01",
    caught=not any(tied(1.01)),
)
small_hash, uneven = (OLH(k=4, epsilon=1.0, g=slots, prime=5) for slots in (5, 3))


def supported(mechanism):
    """Probability that a report from x supports v, from the law and the tally of a mechanism of the package."""
    return np.array(
        [
            sum(
                float(chance) * mechanism.tally(np.array([report], mechanism.dtype)).counts
                for report, chance in one.items()
            )
            for one in laws(mechanism, np.arange(mechanism.k))
        ]
    )


def is_ideal(found, g, eps):
    p, q = exp(eps) / (exp(eps) + g - 1), 1 / g
    return np.abs(found - np.where(np.eye(len(found)) == 1, p, q)).max() < 1e-12


check(
    "Real hash",
    "OLH, prime 5, k = 4, g = 5: supports as the ideal hash does",
    is_ideal(supported(small_hash), 5, 1.0),
    control="g = 3, which does not divide 5",
    caught=not is_ideal(supported(uneven), 3, 1.0),
)
check(
    "Uneven slots",
    f"g = 3: q* = {float(uneven.support[1]):.4f} as the package says, not 1/3",
    np.abs(supported(uneven) - np.where(np.eye(4) == 1, *(float(x) for x in uneven.support))).max() < 1e-12,
    control="q* of the ideal hash",
    caught=np.abs(supported(uneven)[0, 1] - 1 / 3) > 1e-3,
)


def sum_of_all(mechanism, x):
    """Variance of the sum of one person's scores over all items, from the law and the tally of a mechanism."""
    reports = laws(mechanism, [x])[0]
    batches = (np.array([report], mechanism.dtype) for report in reports)
    scores = np.array([mechanism.estimate(mechanism.tally(batch)).sum() for batch in batches])
    chances = np.array([float(chance) for chance in reports.values()])
    return chances @ (scores - chances @ scores) ** 2


of_sums, alone = uneven.linear_variance(np.ones(4)), uneven.variance(np.arange(4)).sum(1)
check(
    "Sums",
    f"g = 3: the sum of the four scores has the variance {of_sums[0]:.4f}, as the package says",
    all(abs(sum_of_all(uneven, x) - of_sums[x]) < 1e-9 for x in range(4)),
    control=f"scores that are independent, {alone[0]:.4f}",
    caught=all(abs(sum_of_all(uneven, x) - alone[x]) > 1e-3 for x in range(4)),
)

# %% [markdown]
# (sec-freq-one)=
# ## There is only one oracle
#
# Look at {numref}`fig-freq-schematic` again and forget which row is which.
#
# :::{prf:theorem} Everything is k-Subset of a random size
# :label: thm-one-oracle
# Let the supported set of a report be $S$.
# For k-RR, for unary encoding with any $p > q$, for ideal local hashing, and for k-Subset itself:
# the size of $S$ has the same distribution whatever the person's item, and given that it is $c$, with $0 < c < k$, the set is drawn as k-Subset of size $c$ draws it.
# :::
#
# :::{prf:proof}
# *Unary encoding.*
# A given set of $c$ items has probability $p\,q^{c-1}(1-q)^{k-c}$ if it contains $x$ and $(1-p)\,q^c\,(1-q)^{k-c-1}$ if not.
# Both depend on the set through $c$ alone, and their ratio is $\frac{p(1-q)}{q(1-p)} = e^\varepsilon$.
# The number of ones is the sum of a coin of probability $p$ and $k-1$ coins of probability $q$, whatever $x$ is.
# *Hashing.*
# A set of $c$ items is supported if the hash throws exactly these into some slot and that slot is sent.
# The first has a probability that depends on $c$ only, the second is $e^\varepsilon$ times likelier if $x$ is among them.
# By symmetry no size is likelier for one $x$ than for another.
# *k-RR* has $c = 1$.
# :::
#
# A report's size says nothing about the person, so it might as well be public; sizes 0 and $k$, which unary encoding and hashing have now and then, say nothing at all.
# Whatever else is in a report, the hash function for instance, depends on the item only through whether $S$ contains it, and so adds nothing to $S$.
# Given the size there is one mechanism left.
# What looks like a choice among ingenious mechanisms is the choice of a distribution for $c$.
# (The hash of `OLH` is independent for three items, and not for four.
# It has the $p^*$, $q^*$ and noise of the ideal one, and the noise of every weighted sum, but for one part in $10^{15}$; it need not obey this theorem to the letter.)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-sizes", "caption": "How many of 32 items a report supports, ε = 1, from the exact laws. k-RR always supports one and k-Subset at its best size always nine. OUE and local hashing (at their best parameters) spread around nearly the same number; SUE sits too high. That, and an estimator that does not look at the size, is what they lose against k-Subset."}, "image": {"alt": "Probability of the number of supported items from 0 to 22 for 32 items and epsilon 1. A single bar at 1 for k-RR and one at 9 for k-Subset; bell-shaped curves centred near 9 for OUE, near 8 for local hashing and near 12 for SUE."}}
k_shown, e = 32, exp(1.0)
sizes = np.arange(k_shown + 1)


def size_law(p, q, k=k_shown):
    """Law of the number of supported items if the own is supported with probability p, each other one with q."""
    return np.convolve([1 - p, p], binom.pmf(np.arange(k), k - 1, q))


g = round(e + 1)
kept = e / (e + g - 1)
shown = {
    "SUE": size_law(exp(0.5) / (exp(0.5) + 1), 1 / (exp(0.5) + 1)),
    "OUE": size_law(0.5, 1 / (e + 1)),
    "hashing, g = 4": size_law(kept, 1 / g),
}
fig, ax = plt.subplots()
for i, (c, name) in enumerate({1: "k-RR", best_size(k_shown, 1.0): "k-Subset"}.items()):
    ax.bar(c, 1, width=0.5, color=f"C{i}", alpha=0.8, label=name, hatch=["", "//"][i], ec="white")
for i, (name, chance) in enumerate(shown.items(), 2):
    ax.plot(sizes, chance, color=f"C{i}", marker="os^"[i - 2], markersize=4, label=name)
ax.set(xlabel="number c of supported items", ylabel="probability", xlim=(-0.5, 22.5), ylim=(0, 0.3))
ax.annotate("to 1", (1.4, 0.285), fontsize=11)
ax.annotate("to 1", (best_size(k_shown, 1.0) + 0.4, 0.285), fontsize=11)
ax.legend()
plt.show()
print(f"best size for k = 32 at ε = 1: {best_size(k_shown, 1.0)}")


# %% tags=["hide-input"]
def conditional(send, x, k):
    """Law of the size of the supported set of a report from x, and law of the set given its size."""
    by_size = {}
    for report, chance in law(lambda rng: send(x, rng)).items():
        inside = members(report)
        sets = by_size.setdefault(len(inside), Counter())
        sets[inside] += chance
    total = {c: sum(sets.values()) for c, sets in by_size.items()}
    return total, {c: {s: chance / total[c] for s, chance in sets.items()} for c, sets in by_size.items()}


def close(a, b):
    return all(abs(float(a.get(y, 0) - b.get(y, 0))) < 1e-12 for y in a.keys() | b.keys())


def one_oracle(send, eps, k=K):
    """Whether sizes do not depend on x, and sets given their size are k-Subset's."""
    found = [conditional(send, x, k) for x in range(k)]
    return all(close(found[0][0], total) for total, _ in found) and all(
        close(sets, law(lambda rng, x=x, c=c: subset(x, k, c, eps, rng)))
        for x, (_, given) in enumerate(found)
        for c, sets in given.items()
        if 0 < c < k
    )


def neighbours(x, rng):  # exactly ε-private, sets of two, but only neighbours go together
    y = krr(x, K, EPS, rng)
    return frozenset([y, (y + 1) % K])


check(
    "Theorem",
    "k-RR, SUE, OUE, ideal hashing: k-Subset once the size is known, k = 5",
    all(one_oracle(send, EPS) for send, _, _ in CLIENTS.values()),
    control=f"k-RR that sends the next item along, ε = {epsilon(laws(neighbours, range(K))):.3f}",
    caught=not one_oracle(neighbours, EPS),
)

# %% [markdown]
# (sec-freq-limit)=
# ## The limit
#
# So which size is best, and is there anything better than k-Subset?
# To ask this we need one number for all items together.
# For this number, and only for it, people are drawn at random from a distribution $\pi$: the *risk* of an unbiased estimate is $n\,\E\lVert \hat f - \pi\rVert^2$, $n$ times the sum of the variances of all items.
# Drawing people at random adds $\pi_v(1-\pi_v)/n$ to the variance of each item.
#
# :::{prf:theorem} Risk of k-Subset
# :label: thm-subset-risk
# If all items are equally likely, k-Subset of size $c$ has the risk
#
# $$ R(c) = \frac{(k-1)^2\,(ce+k-c)^2}{k\,c\,(k-c)\,(e-1)^2}, \qquad e = e^\varepsilon. $$
#
# :::
#
# :::{prf:proof}
# Every report supports $c$ items, so $C_v/n$ has mean $c/k$ for every $v$ if items are equally likely; a report supports $v$ with probability $c/k$, and $n\Var(\hat f_v) = \frac{c}{k}(1-\frac{c}{k})/(p^*-q^*)^2$, sampling included.
# Insert $p^*-q^* = \frac{c(k-c)(e-1)}{(k-1)(ce+k-c)}$ and multiply by $k$.
# :::
#
# With $r = c/(k-c)$ this is proportional to $(1+er)^2/r$, the expression of {prf:ref}`thm-oue`, so it is least at $er = 1$, that is $c = k/(e+1)$; of whole numbers from 1 to $k-1$ one of the two next to it is best, since the expression falls before and rises after.
#
# Can anything else do better?
# The argument has three steps.
# Each report carries some information about $\pi$, and the information of many reports is the sum.
# Privacy caps it: the columns of a private channel cannot differ much from entry to entry.
# And the cap is reached by columns with two values only, $e$ and 1, which are those of k-Subset.
#
# :::{prf:theorem} Nothing is better
# :label: thm-freq-limit
# Let people be drawn independently from $\pi$, and let each send one report through an ε-LDP client of their own, not knowing the others' reports.
# An estimate of $\pi$ from these reports that is unbiased for every $\pi$ has at equally likely items a risk of at least
#
# $$ M(k, \varepsilon) = \min_{1 \le c \le k-1} R(c). $$
#
# :::
#
# :::{prf:proof}
# Let there be finitely many reports (otherwise put densities and integrals), and leave out reports that nobody can send.
# The probability of all reports together is a polynomial in $\pi$, so it may be differentiated, and the Cramér–Rao inequality holds for every estimate of finite variance.
# An estimate whose items do not sum to one can be moved to the plane where they do, which keeps it unbiased and does not raise the risk.
#
# *One report.*
# Let $a_y(x) = \Pr[y \mid x]$ be the column of report $y$, with mean $\mu_y = \frac1k\sum_x a_y(x)$.
# At equally likely items the report is $y$ with probability $\mu_y$, so the $\mu_y$ sum to one.
# In a direction $h$ with $\sum_x h_x = 0$ the Fisher information of the report is $\sum_y (h^\top a_y)^2/\mu_y$, and summed over an orthonormal basis of these $k-1$ directions
#
# $$ T = \sum_y \mu_y\,\phi(a_y), \quad \phi(a) = \frac{\lVert a - \mu \mathbf 1\rVert^2}{\mu^2}. $$
#
# *The cap.*
# Privacy asks that the largest entry of a column be at most $e$ times the smallest, which therefore is positive.
# Scale the column so that it is 1, and write $a(x) = 1 + (e-1)u(x)$ with $0 \le u \le 1$.
# Then $a = \int_0^1 s_t\,dt$, where $s_t(x)$ is $e$ if $u(x) \ge t$ and 1 otherwise: a mixture of columns with two values (or only one, for which $\phi = 0$).
# The function $a \mapsto \mu\,\phi(a) = \lVert a\rVert^2/\mu - k\mu$ is convex and scales with $a$, so its value at a mixture is at most the mixture of its values, hence at most $\mu \max_t \phi(s_t)$.
# For a column with $c$ entries $e$ and $k-c$ entries 1
#
# $$ \phi(s) = \frac{k\,c\,(k-c)(e-1)^2}{(ce+k-c)^2} = \frac{(k-1)^2}{R(c)}. $$
#
# So $T \le (k-1)^2/M$, for whatever client.
#
# *From information to risk.*
# Reports of different people are independent, so the information of all is the sum, and its trace is at most $n(k-1)^2/M$.
# The covariance of an unbiased estimate is at least the inverse of the information; if that is singular, there is no unbiased estimate.
# With eigenvalues $\lambda_1, …, \lambda_{k-1}$ the trace of the inverse is $\sum 1/\lambda_i \ge (k-1)^2/\sum\lambda_i \ge M/n$.
# :::
#
# {cite:t}`ye2019optimal` proved more: as $n$ grows, no estimate, biased or not, beats $M/n$ in the worst case over $\pi$.
# For a single rare item other mechanisms can be better than k-Subset at its best size: at $k = 32$, $\varepsilon = 3$ k-RR has 13 % less noise.
# The theorem speaks of all items together.
# As $k$ grows at fixed ε, the limit per item tends to $4e^\varepsilon/(e^\varepsilon-1)^2$, the noise of OUE.
# {numref}`fig-freq-limit` puts all risks over the limit.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-limit", "caption": "Exact risk at equally likely items, divided by the least possible, for 4, 32 and 1,024 items. k-Subset is the limit. k-RR joins it for few items or a large ε, where the best size is one. OUE and local hashing are within 10 % of it for many items, up to an ε that grows with their number. The axis is cut at 3."}, "image": {"alt": "Three panels, k = 4, 32 and 1,024, of risk over the limit against epsilon from 0.1 to 8. k-Subset lies on 1. k-RR falls to 1, from 1.3 at k = 4 and from far above at larger k. OUE and hashing start at 1.8, 1.07 and 1 and end at 2.3, 2.0 and 1.8. SUE rises to between 2 and 3 and falls again in the first two panels, and leaves the third."}}
ORACLES = {"k-RR": GRR, "SUE": SUE, "OUE": OUE, "hashing": OLH, "k-Subset": SubsetSelection}


def risk(mechanism):
    """n times the total squared error at equally likely items, people drawn at random."""
    k = mechanism.k
    own, other = mechanism.variance([0])[0, :2]
    return own + (k - 1) * other + 1 - 1 / k


budgets = np.geomspace(0.1, 8, 45)
ratios = {
    (k, name): np.array([risk(make(k=k, epsilon=x)) / minimax_risk(k, x) for x in budgets])
    for k in (4, 32, 1024)
    for name, make in ORACLES.items()
}
fig, axes = plt.subplots(3, 1, figsize=(6.4, 8.4), sharex=True)
for ax, k in zip(axes, (4, 32, 1024), strict=True):
    for i, name in enumerate(ORACLES):
        ax.plot(budgets, ratios[k, name], color=f"C{i}", marker="osd^v"[i], markevery=(3 * i, 15), label=name)
    ax.axhline(1, color="black", linewidth=1, linestyle="-", marker="")
    ax.set(xscale="log", ylabel="risk / limit", ylim=(0.95, 3), title=f"k = {k:,}")
axes[0].legend(ncols=2, loc="upper left")
axes[2].set(xlabel="privacy budget ε")
axes[2].set_xticks([0.1, 0.5, 1, 2, 4, 8], ["0.1", "0.5", "1", "2", "4", "8"])
axes[2].minorticks_off()
plt.show()

# %% tags=["hide-input"]
at = {eps: int(np.argmin(np.abs(budgets - eps))) for eps in (0.5, 1, 2, 4)}
table(
    pd.DataFrame(
        [
            {"risk / limit": f"k = {k:,}, ε ≈ {eps:g}"} | {name: f"{ratios[k, name][i]:.2f}" for name in ORACLES}
            for k in (4, 32, 1024)
            for eps, i in at.items()
        ]
    )
)


# %% tags=["hide-input"]
def information_trace(matrix):
    """T of the proof: rows are values, columns reports."""
    mean = matrix.mean(0)
    return (((matrix - mean) ** 2).sum(0) / mean).sum()


def two_valued(eps, k, rng):
    """A random channel whose columns have two values, e and 1: each of some sets, shifted round all items."""
    columns = []
    for _ in range(rng.integers(1, 4)):
        inside = rng.permutation(k) < rng.integers(1, k)
        columns += [np.roll(np.where(inside, exp(eps), 1.0), shift) * rng.uniform(0.2, 1) for shift in range(k)]
    found = np.array(columns).T
    return found / found.sum(1, keepdims=True)  # all rows have the same sum, so the ratios stay


def blurred(matrix, rng):
    """The same channel after some random processing of its reports, which keeps ε and loses information."""
    return matrix @ rng.dirichlet(np.ones(4), size=matrix.shape[1])


def share_of_bound(matrix, eps):
    return information_trace(matrix) * minimax_risk(len(matrix), eps) / (len(matrix) - 1) ** 2


kinds = [two_valued(1.0, k, rng) for k in (3, 6, 10) for _ in range(200)]
kinds += [blurred(matrix, rng) for matrix in kinds[::3]]
most = max(share_of_bound(matrix, 1.0) for matrix in kinds)
best_matrix = channel(laws(SubsetSelection(k=6, epsilon=1.0), np.arange(6)))[0].T
within = most <= 1 + 1e-12
check(
    "Limit",
    f"{len(kinds)} random channels with ε ≤ 1 carry at most {most:.4f} of the bound, k-Subset all of it",
    within and most > 0.99 and abs(share_of_bound(best_matrix, 1.0) - 1) < 1e-9,
    control="the bound for ε = 0.99",
    caught=max(share_of_bound(matrix, 0.99) for matrix in kinds) > 1 + 1e-3,
)
sizes_right = all(
    best_size(k, x) == min(range(1, k), key=lambda c, k=k, x=x: ((c * exp(x) + k - c) ** 2 / (c * (k - c)), c))
    for k in (2, 3, 7, 32, 100, 513)
    for x in (0.01, 0.5, 1.0, 2.5, 6.0)
)
attained = max(
    abs(risk(SubsetSelection(k=k, epsilon=x)) / minimax_risk(k, x) - 1) for k in (3, 10, 50) for x in (0.5, 1, 4)
)
below = min(ratios.values(), key=np.min).min()
check(
    "Attained",
    "risk of k-Subset = M(k, ε), k = 3, 10, 50, three ε; no oracle below; best size",
    attained < 1e-9 and below > 1 - 1e-9 and sizes_right,
    control="size 1 in its place",
    caught=risk(SubsetSelection(k=50, epsilon=1.0, size=1)) > 2 * minimax_risk(50, 1.0),
)
single, several = (make(k=32, epsilon=3.0).variance([0])[0, 1] for make in (GRR, SubsetSelection))
print(
    f"a rare item, k = 32, ε = 3: k-RR has {1 - single / several:.0%} less noise than k-Subset of size {best_size(32, 3.0)}"
)

# %% [markdown]
# (sec-freq-cross)=
# ## Few items or many
#
# k-RR is the simplest of all, and for few items or a large ε it is as good as k-Subset.
# Its rare-item noise grows with $k$; that of the unary encodings does not.
#
# :::{prf:theorem} Where the curves cross
# :label: thm-crossover
# For a rare item, k-RR has less noise than OUE (and than local hashing with $g = e^\varepsilon + 1$) if and only if $e^\varepsilon > \frac{k-2}{3}$, and less than SUE if and only if $s^3 + s^2 + s > k - 2$ with $s = e^{\varepsilon/2}$; for large $k$ that is $\varepsilon > \frac23 \ln k$ to leading order.
# :::
#
# :::{prf:proof}
# $e + k - 2 < 4e$ is the first.
# For the second, $(e-1)^2 = (s-1)^2(s+1)^2$, so $e + k - 2 < s(s+1)^2$, and $s^3$ is the leading term.
# :::
#
# Since $s > 1$ the left side of the second condition is above 3, so for $k \le 5$ k-RR beats both unary encodings at every ε.
#
# The survey says that RAPPOR and k-RR divide at $\varepsilon = \ln k$, RAPPOR being for the *larger* budgets and k-RR for the smaller.
# It is the other way round, as the survey's own Table 4 has it, where poor utility at small budgets is listed against k-RR.
# The paper that it cites, {cite:t}`kairouz2016discrete`, speaks of high and low *privacy*; in the survey this has become high and low *budget*, which is the opposite.
# And $\ln k$ is only the right order: {numref}`fig-freq-cross` shows where the curves really cross.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-cross", "caption": "Above a line k-RR has the smaller error, below it the unary encoding. Against SUE, which is RAPPOR with a bit for every item, the crossing follows (2/3) ln k; against OUE it is ln((k − 2)/3). Lines: noise of a rare item; dots: total risk at equally likely items. Dotted: the survey's ln k; thin: (2/3) ln k."}, "image": {"alt": "Crossover budgets against the number of items from 6 to 10,000 on a logarithmic axis. The curves against SUE and OUE both start near 0.3 and rise to 6.1 and 8.1; the dotted line ln k rises from 1.8 to 9.2, the thin line from 1.2 to 6.1. Dots lie slightly above each curve."}}


def crossing(other, k, kind):
    """The ε at which k-RR and another oracle have the same noise of a rare item, or the same risk."""

    def gap(eps):
        a, b = GRR(k=k, epsilon=eps), other(k=k, epsilon=eps)
        return log(risk(a) / risk(b)) if kind == "risk" else log(a.variance([0])[0, 1] / b.variance([0])[0, 1])

    return brentq(gap, 1e-3, 20) if gap(1e-3) > 0 else 0.0


fine = np.unique(np.geomspace(6, 10**4, 60).astype(int))
few = [6, 10, 20, 50, 100, 1000, 10**4]
fig, ax = plt.subplots()
for i, other in enumerate((SUE, OUE)):
    name = other.__name__
    ax.plot(fine, [crossing(other, int(k), "rare") for k in fine], color=f"C{i}", label=f"k-RR against {name}")
    ax.plot(few, [crossing(other, k, "risk") for k in few], "os"[i], color=f"C{i}")
ax.plot(fine, np.log(fine), color="black", linestyle=":", marker="", label="ln k (survey)")
ax.plot(fine, 2 / 3 * np.log(fine), color="black", linestyle="-", linewidth=0.8, marker="", label="(2/3) ln k")
ax.set(xscale="log", xlabel="number of items k", ylabel="crossover ε", ylim=(0, 9.5))
ax.legend()
plt.show()

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {"k": f"{k:,}"}
            | {
                f"{other.__name__}, {word}": f"{crossing(other, k, kind):.2f}"
                for other in (SUE, OUE)
                for kind, word in (("rare", "rare item"), ("risk", "risk"))
            }
            | {"(2/3) ln k": f"{2 / 3 * log(k):.2f}", "ln k": f"{log(k):.2f}"}
            for k in few
        ]
    )
)


# %% tags=["hide-input"]
def cubic(k):
    """Positive ε with s³ + s² + s = k − 2."""
    return 2 * log(brentq(lambda s: s**3 + s**2 + s - (k - 2), 1, k))


check(
    "Crossover",
    "computed = the cubic (SUE) and ln((k−2)/3) (OUE), seven k",
    all(
        abs(crossing(SUE, k, "rare") - cubic(k)) < 1e-6 and abs(crossing(OUE, k, "rare") - log((k - 2) / 3)) < 1e-6
        for k in few
    ),
    control="ln k",
    caught=all(abs(crossing(SUE, k, "rare") - log(k)) > 0.1 for k in few),
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}


def rare(make, eps, k=50):
    return make(k=k, epsilon=eps).variance([0])[0, 1]


settle(
    "ye2018.regime",
    holds={
        "rappor-high": rare(SUE, 6) < rare(GRR, 6),
        "krr-low": rare(GRR, 0.5) < rare(SUE, 0.5),
    },
    instead={
        "opposite": rare(GRR, 6) < rare(SUE, 6) and rare(GRR, 0.5) > rare(SUE, 0.5),
        "crossing": all(
            abs(crossing(SUE, k, kind) / (2 / 3 * log(k)) - 1) < 0.2
            for k in (50, 100, 1000, 10**4)
            for kind in ("rare", "risk")
        ),
        "few-values": all(rare(GRR, x, k) < rare(SUE, x, k) for k in (2, 3, 4, 5) for x in (0.01, 0.1, 1, 4, 8)),
    },
)
settle(
    "ye2018.krr-low-budget",
    holds={
        "fifty": risk(GRR(k=50, epsilon=0.5)) > risk(SUE(k=50, epsilon=0.5)),
        "four": risk(GRR(k=4, epsilon=0.5)) > risk(SUE(k=4, epsilon=0.5)),
    },
)
four = [law(lambda rng, x=x: krr(x, 4, 1.0, rng)) for x in range(4)]
settle(
    "ye2018.krr-law",
    holds={
        "law": all(
            abs(float(four[x][y]) - (exp(1) if x == y else 1) / (3 + exp(1))) < 1e-12
            for x in range(4)
            for y in range(4)
        ),
        "private": abs(epsilon(four) - 1) < 1e-12,
        "two": same_law(
            lambda x, rng: krr(x, 2, 1.0, rng), lambda x, rng: x if toss(exp(1) / (1 + exp(1)), rng) else 1 - x, [0, 1]
        ),
    },
)
five = [law(lambda rng, x=x: subset(x, 5, 2, 1.0, rng)) for x in range(5)]
weight = lambda inside: 5 * (exp(1) if inside else 1) / ((2 * exp(1) + 3) * comb(5, 2))  # noqa: E731
settle(
    "ye2018.ksubset-law",
    holds={
        "sum": abs(comb(4, 1) * weight(True) + comb(4, 2) * weight(False) - 1) < 1e-12,
        "private": abs(epsilon(five) - 1) < 1e-12
        and all(abs(float(chance) - weight(x in s)) < 1e-12 for x, one in enumerate(five) for s, chance in one.items()),
        "one": same_law(
            lambda x, rng: subset(x, 4, 1, 1.0, rng), lambda x, rng: frozenset([krr(x, 4, 1.0, rng)]), range(4)
        ),
    },
)
settle(
    "ye2018.ksubset-extra-error",
    holds={
        "beaten": min(risk(make(k=50, epsilon=1.0)) for name, make in ORACLES.items() if name != "k-Subset")
        < risk(SubsetSelection(k=50, epsilon=1.0))
    },
    instead={"least-risk": attained < 1e-9 and within},
)
settle(
    "ye2018.one-to-many",
    holds={
        "krr": {len(members(y)) for y in four[0]} == {1},
        "rappor": max(len(members(y)) for y in law(lambda rng: unary(0, 4, 0.5, 0.25, rng))) == 1,
    },
)
cells = SubsetSelection(k=6, epsilon=1.0)  # a contingency table of 2 × 3
settle(
    "ye2018.ksubset-tables",
    holds={"unbiased": np.abs(moments(cells, np.arange(6))[0] - np.eye(6)).max() < 1e-9},
)
some_sets = SubsetSelection(k=9, size=3, epsilon=1.0)
settle(
    "ye2018.ksubset-cost",
    holds={
        "three": some_sets.tally(some_sets.perturb(np.arange(9), rng=np.random.default_rng(SEED))).counts.sum() == 3 * 9
    },
)
bits = [SubsetSelection(k=k, epsilon=1.0).report_bits for k in (10, 100, 1000)]
settle(
    "ye2018.ksubset-bits",
    holds={"constant": bits[0] == bits[-1]},
    instead={"grows": bits[1] == 81 and 9.5 < bits[2] / bits[1] < 10.5},
)

# %% [markdown]
# (sec-freq-million)=
# ## A million people
#
# Fig. 5 of the survey shows 50 items, a million people whose items follow a bell curve, and RAPPOR's estimates at three budgets.
# Fig. 8 shows an exponential distribution at $\varepsilon = 1$ for $10^4$, $10^5$ and $10^6$ people.
# The survey does not state RAPPOR's parameters or the width of the curves; we give every item a bit of its own, which is SUE, and choose widths that fill the 50 items.
# Reports need not be drawn one by one: bits are independent, so the count of ones for each item is the sum of two binomials, and `simulate` draws those.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-fig5", "caption": "Fig. 5 of the survey at its own size: a million people, 50 items, normal frequencies (pale bars), and SUE's estimates (dots with 95 % intervals from the theorem). At ε = 0.1 four bars in five are shorter than the half-width of their interval, and many estimates are negative; at ε = 2 the error is 0.1 points."}, "image": {"alt": "Three panels of 50 bars in a bell shape with estimates as dots. At epsilon 0.1 the dots scatter by 2 points and some are negative; at 0.5 they follow the bell with visible scatter of 0.4 points; at 2 they sit on the bars."}}
items = np.arange(1, 51)


def population(weights, n):
    """Whole people in proportion to weights: largest remainders get the rest."""
    exact = weights / weights.sum() * n
    counts = np.floor(exact).astype(int)
    counts[np.argsort(counts - exact, kind="stable")[: n - counts.sum()]] += 1
    return counts


normal = np.exp(-((items - 25.5) ** 2) / (2 * 9**2))
exponential = np.exp(-items / 10)


def panels(cases):
    """One panel a case: title, histogram, mechanism; returns the errors."""
    fig, axes = plt.subplots(3, 1, figsize=(6.4, 7.6), sharex=True)
    found = []
    for ax, (title, counts, mechanism) in zip(axes, cases, strict=True):
        n = counts.sum()
        truth = counts / n
        estimate = mechanism.estimate(mechanism.simulate(counts, trials=1, rng=rng))[0]
        error = np.sqrt(counts @ mechanism.variance(np.arange(50))) / n
        ax.bar(items, 100 * truth, color="#BFD9EC", width=0.85, label="truth")
        ax.errorbar(
            items, 100 * estimate, yerr=196 * error, fmt="o", color="C1", markersize=3.5, linewidth=1, label="estimate"
        )
        ax.axhline(0, color="black", linewidth=0.8, linestyle="-", marker="")
        ax.set(ylabel="share, %", title=title)
        found.append((title, estimate, truth, error))
    axes[0].legend(loc="upper right")
    axes[2].set(xlabel="item")
    plt.show()
    return found


million = population(normal, 10**6)
fig5 = panels([(f"ε = {eps:g}", million, SUE(k=50, epsilon=eps)) for eps in (0.1, 0.5, 2)])
for title, estimate, truth, error in fig5:
    rms, theory = 100 * sqrt(np.mean((estimate - truth) ** 2)), 100 * sqrt(np.mean(error**2))
    print(f"{title:<8} error {rms:.3f} points (theory {theory:.3f}), {np.sum(estimate < 0):>2} of 50 negative")

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-fig8", "caption": "Fig. 8 of the survey at its own size: ε = 1, exponential frequencies of 50 items, 10⁴, 10⁵ and 10⁶ people; bars, dots and intervals as before. Ten times the people buy √10 times less error, no more: ten thousand people show the first few items, a million the first two thirds of the curve."}, "image": {"alt": "Three panels of 50 bars falling exponentially, with estimates as dots. With ten thousand people the dots scatter by 2 points, with a hundred thousand by 0.6, with a million by 0.2 points around the bars."}}
fig8 = panels([(f"n = {n:,}", population(exponential, n), SUE(k=50, epsilon=1.0)) for n in (10**4, 10**5, 10**6)])
for title, estimate, truth, error in fig8:
    rms, theory = 100 * sqrt(np.mean((estimate - truth) ** 2)), 100 * sqrt(np.mean(error**2))
    print(f"{title:<14} error {rms:.3f} points (theory {theory:.3f})")

# %% [markdown]
# Both figures show one draw, as the survey's do; a claim about them needs many.
# In 2,000 draws of each panel the mean square error is the theorem's, it falls with ε and with $n$, and ten times the people divide it by ten.


# %% tags=["hide-input"]
def squared(mechanism, counts, rng, trials=2000):
    """Mean square error over items and trials, and its standard error."""
    truth = counts / counts.sum()
    each = np.mean((mechanism.estimate(mechanism.simulate(counts, trials=trials, rng=rng)) - truth) ** 2, 1)
    return each.mean(), each.std() / sqrt(trials)


def predicted(mechanism, counts):
    return (counts @ mechanism.variance(np.arange(50))).mean() / counts.sum() ** 2


cases = [(SUE(k=50, epsilon=eps), million) for eps in (0.1, 0.5, 2)] + [
    (SUE(k=50, epsilon=1.0), population(exponential, n)) for n in (10**4, 10**5, 10**6)
]
measured = [squared(*case, rng) for case in cases]
away = [abs(mean - predicted(*case)) / error for (mean, error), case in zip(measured, cases, strict=True)]
halved = abs(measured[0][0] - predicted(SUE(k=50, epsilon=0.1), population(normal, 2 * 10**6))) / measured[0][1]
check(
    "Figures",
    "six panels, 2,000 draws each: mean square error as in the theorem",
    max(away) < 6,  # six two-sided tests at six standard errors: a false alarm below 1.2e-8
    control="twice the people in the formula",
    caught=halved > 6,
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
errors = [sqrt(mean) for mean, _ in measured]
settle(
    "ye2018.fig5",
    holds={
        "small-epsilon": errors[0] > 0.4 * (million / 10**6).max(),
        "large-epsilon": errors[2] < 0.03 * (million / 10**6).max(),
        "falls": errors[0] > errors[1] > errors[2],
    },
)
settle(
    "ye2018.fig8",
    holds={
        "falls": errors[3] > errors[4] > errors[5],
        "root-n": all(abs(errors[i] / errors[i + 1] / sqrt(10) - 1) < 0.02 for i in (3, 4)),
    },
)

# %% [markdown]
# ### With Bloom filters
#
# RAPPOR proper hashes an item into a Bloom filter, so that the client need not know the list of items; the collector, who must, solves linear equations.
# It has a chapter of its own, {ref}`ch-rappor`; here is what the filter costs.
# Thirty-two bits, two hash functions and 16 cohorts at the same ε, with real reports of a million people:


# %% tags=["hide-input"]
def bloom_for(eps, hashes=2):
    """RAPPOR that sends its permanent response, at this ε."""
    return RAPPOR(bits=32, hashes=hashes, cohorts=16, p=0.0, q=1.0, f=2 / (1 + exp(eps / (2 * hashes))))


bloom, values = bloom_for(2.0), np.repeat(np.arange(50), million)
replies = bloom.tally(bloom.perturb(values, rng=rng), items=list(range(50)))
off = bloom.estimate(replies) - million / 10**6
noise = np.sqrt(million @ bloom.variance(np.arange(50), items=list(range(50)))) / 10**6
rms, theory = 100 * sqrt(np.mean(off**2)), 100 * sqrt(np.mean(noise**2))
print(f"ε = {bloom.epsilon:.4f}: error {rms:.3f} points (theory {theory:.3f})")
print(f"theory over SUE's: {theory / (100 * sqrt(predicted(SUE(k=50, epsilon=2.0), million))):.2f}")

# %% [markdown]
# (sec-freq-bits)=
# ## Not this way: one coin a bit
#
# There is an obvious scheme that is missing above.
# Write the item as $b = \lceil\log_2 k\rceil$ bits, and apply Warner's coin to each.
# The survey (§1.2.2) describes this idea, counts RAPPOR and S-Hist among its methods, and names two sources of error: codes that belong to no item, when $k$ is no power of two, and the randomization itself.
#
# RAPPOR and S-Hist use codes of other kinds, as the survey's own §4.1.1 shows, and for good reason.
# If two items may differ in all of $b$ bits, each coin can only have $\varepsilon/b$.
# To learn how many hold an item all $b$ bits have to be right together, and each multiplies the noise by about $(b/\varepsilon)^2$: altogether $(b/\varepsilon)^{2b}$, if every code has an item.
# At a given number of bits, codes without an item do no harm, on the contrary: they tell the collector that some replies are wrong.
# What the ninth item costs is the fourth bit, over which ε has to be split as well.
# The cell computes what the best unbiased estimate can make of such reports at equally likely items, by the inequality of {prf:ref}`thm-freq-limit`.


# %% tags=["hide-input"]
def bitwise(k, eps):
    """Least risk of any unbiased estimate from ⌈log₂ k⌉ coins at ε/b each, over the limit; and exact ε."""
    b = (k - 1).bit_length()
    p = exp(eps / b) / (1 + exp(eps / b))
    matrix = np.ones((1, 1))
    for _ in range(b):
        matrix = np.kron(matrix, np.array([[p, 1 - p], [1 - p, p]]))
    matrix = matrix[:k]  # the first k codes have items
    centre = np.eye(k) - 1 / k
    information = centre @ (matrix / matrix.mean(0)) @ matrix.T @ centre
    return np.trace(np.linalg.pinv(information)) / minimax_risk(k, eps), log((matrix.max(0) / matrix.min(0)).max())


tried_bits = {k: bitwise(k, 1.0) for k in (2, 4, 5, 8, 9, 16)}
for k, (over, spent) in tried_bits.items():
    print(f"k = {k:<3} risk / limit {over:10,.1f} at ε = {spent:.6f}")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.log-coding",
    holds={
        "rappor-bits": SUE(k=9, epsilon=1.0).report_bits == 4,
        "shist-bits": SHist(k=9, epsilon=1.0, m=64).report_bits == 4,
        "empty-codes": tried_bits[9][0] > tried_bits[16][0],
    },
    instead={
        "right-bits": SUE(k=9, epsilon=1.0).report_bits == 9 and SHist(k=9, epsilon=1.0, m=64).report_bits == 1,
        "full-codes": tried_bits[8][0] > 100,
    },
)
settle(
    "ye2018.second-idea",
    holds={"alike": is_pure(matrices["k-RR"], exp(1) / (exp(1) + 4), 1 / (exp(1) + 4))},
)

# %% [markdown]
# (sec-freq-post)=
# ## Making estimates sensible, and what it costs
#
# Unbiased shares may be negative, and they need not sum to one.
# Three repairs are common.
#
# - **Norm** adds one constant to all items so that they sum to one.
# - **Norm-Sub** begins in the same way, takes out the items that are then negative and sets them to zero, and repeats with the others until nothing is negative.
# - **Maximum likelihood** looks for the shares under which the reports are likeliest, among all shares that make sense.
#
# The first keeps the estimate unbiased: the sum of unbiased shares has expectation one, so the constant has expectation zero.
# For k-RR and k-Subset the constant is always zero.
# For unary encoding it even helps, because bits of one report are independent: to subtract the mean of $k$ independent errors takes $\frac1k$ off their total variance.
# With four items that is a quarter of OUE's noise; with many it is nothing.
#
# :::{prf:theorem} Norm-Sub is the Euclidean projection
# :label: thm-norm-sub
# For any estimate, Norm-Sub ends at the point of the probability simplex that is nearest in Euclidean distance.
# :::
#
# :::{prf:proof}
# The nearest point has the form $\max(\hat f_v - \tau, 0)$ with the τ that makes the sum one (these are the conditions of Karush, Kuhn and Tucker), and there is only one such τ.
# Let $\tau_r$ be the constant that round $r$ of Norm-Sub subtracts.
# Taking out negative items leaves a sum above one, so somebody stays, the next round subtracts more, and $\tau_r$ rises to its last value τ.
# An item that was negative after subtracting a smaller constant is so after subtracting τ, so the result has the form above.
# :::
#
# {cite:t}`wang2020consistency` named the method and compare it with nine others.
# In code that goes by this name the rounds often start by setting negative shares to zero.
# That ends at the same point if the positive shares sum to at least one.
# If not, it does not in general, and the cell below counts how often.
#
# Projection onto a convex set never moves an estimate away from a truth in that set, so the total squared error can only fall.
# The result is nevertheless biased, as clipping was in {ref}`ch-rr`: where the truth is near zero, errors can only go up.
# {numref}`fig-freq-post` shows both for the first panel of Fig. 5.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-freq-post", "caption": "What projection does to Fig. 5: bias (upper panel) and root mean square error (lower panel) of each item over 2,000 draws at ε = 0.1, before and after Norm-Sub. The error of rare items shrinks most; they are overestimated, and the common ones underestimated. The raw estimate scatters around zero only because 2,000 draws are finite."}, "image": {"alt": "Two panels over 50 items. Bias of the raw estimate scatters closely around zero; after Norm-Sub it is about 0.55 points in the tails and minus 0.4 in the middle. The root mean square error is flat at 2 points before; after Norm-Sub it is 1.2 in the tails and still 2 in the middle."}}
mechanism = SUE(k=50, epsilon=0.1)
raw = mechanism.estimate(mechanism.simulate(million, trials=2000, rng=rng))
projected = norm_sub(raw)
truth = million / 10**6
fig, axes = plt.subplots(2, 1, figsize=(6.4, 5.6), sharex=True)
for i, (name, found) in enumerate({"raw": raw, "Norm-Sub": projected}.items()):
    axes[0].plot(
        items, 100 * (found.mean(0) - truth), "o^"[i], color=f"C{i}", markersize=4, linestyle="none", label=name
    )
    axes[1].plot(
        items, 100 * np.sqrt(((found - truth) ** 2).mean(0)), "o^"[i], color=f"C{i}", markersize=4, linestyle="none"
    )
axes[0].axhline(0, color="black", linewidth=0.8, linestyle="-", marker="")
axes[0].set(ylabel="bias, points")
axes[0].legend()
axes[1].set(ylabel="RMS error, points", xlabel="item", ylim=(0, 2.4))
plt.show()
for name, found in {"raw": raw, "Norm-Sub": projected}.items():
    rare_one, common = (100 * abs((found.mean(0) - truth)[v]) for v in (0, 24))
    print(
        f"{name:<9} sum of absolute errors {l1(truth, found).mean():.2f}; bias of item 1 {rare_one:.1f}, of item 25 {common:.1f} points"
    )


# %% [markdown]
# ### Maximum likelihood
#
# The likelihood of shares $\theta$ is $\prod_i (A\theta)_{y_i}$, where $A$ is the law of the client written as a matrix, reports by values.
# The EM algorithm climbs it by a step that needs only $A$ and the counts $w_y$ of reports, so it works for any mechanism whose law is known {cite:p}`dempster1977em`:


# %%
def em(likelihood, counts, steps):
    """Expectation–maximisation for shares, from a uniform start."""
    shares = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(steps):
        mixture = likelihood @ shares
        shares = shares * (likelihood.T @ (counts / mixture)) / counts.sum()
    return shares


# %% [markdown]
# Nothing in it says when to stop, but there is a certificate.
# If $g_v = \frac1n\sum_y w_y A_{yv}/(A\theta)_y$, no shares have a mean log-likelihood of more than $\max_v g_v - 1$ above that of θ, because the logarithm is concave.
# `maximum_likelihood` of the package solves the same problem by an interior-point method, in fewer steps, and returns that bound with the shares.

# %% tags=["hide-input"]
crowd = population(normal[:10], 2000)
ten = GRR(k=10, epsilon=1.0)
of_ten, _ = channel(laws(ten, np.arange(10)))
seen = ten.simulate(crowd, trials=1, rng=rng).counts[0]
best_shares = maximum_likelihood(of_ten, seen)


def lacking(shares):
    """The certificate: what the mean log-likelihood can lack."""
    return (of_ten.T @ (seen / (of_ten @ shares))).max() / seen.sum() - 1


for steps in (10, 100, 1000, 10_000):
    print(f"EM, {steps:>6,} steps: lacks at most {max(lacking(em(of_ten, seen, steps)), 1e-12):.0e}")
print(f"package, {best_shares.steps:>2} steps: lacks at most {max(best_shares.gap, 1e-9):.0e}, certified")
far = em(of_ten, seen, 10_000)
check(
    "EM",
    "2,000 people, k-RR, k = 10: EM and the package agree to 0.001",
    np.abs(far - best_shares.shares).max() < 1e-3 and best_shares.gap <= 1e-9,
    control="EM stopped after 10 steps",
    caught=np.abs(em(of_ten, seen, 10) - best_shares.shares).max() > 1e-3,
)

# %% [markdown]
# How large is the bias exactly?
# For ten people the law of the tally is small enough to be listed, and the repairs can be applied to every tally that can occur.


# %% tags=["hide-input"]
def bias_of(repair, mechanism, histogram):
    """Exact bias of a repaired estimate, from the exact law of the tally of a few people."""
    tallies = law(lambda rng: mechanism.simulate(histogram, trials=1, rng=rng).counts[0])
    return sum(float(chance) * repair(np.array(counts)) for counts, chance in tallies.items()) - histogram / sum(
        histogram
    )


ten_people = np.array([7, 3, 0])
small = GRR(k=3, epsilon=1.0)
likely, _ = channel(laws(small, np.arange(3)))


def raw_estimate(counts):
    return small.estimate(Tally(small, 10, counts))


biases = {
    "raw": bias_of(raw_estimate, small, ten_people),
    "Norm-Sub": bias_of(lambda counts: norm_sub(raw_estimate(counts)), small, ten_people),
    "likelihood": bias_of(lambda counts: maximum_likelihood(likely, counts).shares, small, ten_people),
}
for name, found in biases.items():
    print(f"{name:<11}", "  ".join(f"{100 * b + 0.0:+6.1f}" for b in np.round(found, 9)), "points")
check(
    "Bias",
    "ten people, k-RR, k = 3, ε = 1: raw estimate exactly unbiased",
    np.abs(biases["raw"]).max() < 1e-12,
    control="after Norm-Sub, and by maximum likelihood",
    caught=min(np.abs(biases[name]).max() for name in ("Norm-Sub", "likelihood")) > 0.03,
)


def rounds(estimate, clip_first=False):
    """Norm-Sub as the iteration that it is described as; or begun by setting negative shares to zero."""
    found = estimate.copy()
    alive = estimate > 0 if clip_first else np.ones(len(found), bool)
    while True:
        found[alive] += (1 - found[alive].sum()) / alive.sum()
        if (found[alive] >= 0).all():
            return np.where(alive, found, 0)
        alive &= found > 0


vectors = [v for v in rng.normal(0, 1, (2000, 8)) if v.max() > 0]
gap = max(np.abs(rounds(v) - norm_sub(v)).max() for v in vectors)
other = [np.abs(rounds(v, clip_first=True) - norm_sub(v)).max() > 1e-9 for v in vectors]
above = [v[v > 0].sum() >= 1 for v in vectors]
print(f"begun by clipping: another point for {sum(other)} of {len(vectors):,} random vectors")
check(
    "Norm-Sub",
    f"the rounds end at the projection, {len(vectors):,} random vectors",
    gap < 1e-12 and not any(o and a for o, a in zip(other, above, strict=True)),
    control="begun by clipping",
    caught=any(other),
)


def total_noise(mechanism, repair):
    """Sum of the variances of one person's repaired scores, from the exact law."""
    reports = [(float(q), np.array([y])) for y, q in laws(mechanism, [0])[0].items()]
    values = np.array([repair(mechanism.estimate(mechanism.tally(y))) for _, y in reports])
    weights = np.array([q for q, _ in reports])
    return weights @ ((values - weights @ values) ** 2).sum(1)


four_bits, four_cells = OUE(k=4, epsilon=1.0), GRR(k=4, epsilon=1.0)
left = total_noise(four_bits, norm) / total_noise(four_bits, np.asarray)
check(
    "Norm",
    f"takes {1 - left:.0%} off the total noise of OUE with four items",
    abs(left - 3 / 4) < 1e-12,
    control="k-RR, whose shares sum to one already",
    caught=abs(total_noise(four_cells, norm) / total_noise(four_cells, np.asarray) - 1) < 1e-12,
)

# %% [markdown]
# The rule of this book is to estimate without repair, because unbiased estimates with a known error can be added up, over regions and over weeks, and projected ones cannot.
# Whoever shows shares to readers who would be puzzled by a negative one projects at the very end.

# %% [markdown]
# (sec-freq-fair)=
# ## A real question: are happy marriages faithful?
#
# Back to the 6,366 readers of {ref}`ch-rr`.
# They also rated their marriages from 1, very poor, to 5, very good.
# An item may be a pair: rating and affair together make $5 \times 2 = 10$ items, one report per person, and one ε for both answers.
# All intervals below are computed from the reports alone, as a collector would.


# %%
people = datasets.fair()
rating, affair = people["marriage"].astype(int), people["affair"].astype(int)
pair = (2 * (rating - 1) + affair).to_numpy()
n = len(pair)
oracle = GRR(k=10, epsilon=2.0)
shares = oracle.estimate(oracle.tally(oracle.perturb(pair, rng=rng)))
truth = np.bincount(pair, minlength=10) / n
error = np.sqrt(np.maximum(shares, 0) @ oracle.variance(np.arange(10)) / n)

# %% tags=["hide-input"]
RATINGS = ["very poor", "poor", "fair", "good", "very good"]
for rating, name in enumerate(RATINGS):
    i = 2 * rating + 1
    print(f"{name:<9} and an affair: {100 * shares[i]:5.2f} % ± {196 * error[i]:.2f}   (truth {100 * truth[i]:5.2f} %)")

# %% [markdown]
# What is asked, though, is a ratio: of those who rate their marriage very good, how many had an affair?
# A ratio of two unbiased estimates is not unbiased, and its error is that of the numerator and of the denominator together; to first order the variance of $\hat a/(\hat a + \hat b)$ is $[(1-r)^2\Var \hat a + r^2 \Var \hat b - 2r(1-r)\operatorname{Cov}(\hat a, \hat b)]/(a+b)^2$ with $r = a/(a+b)$.


# %% tags=["hide-input"]
def covariance(mechanism, shares, n):
    """Covariance matrix of the estimate from k-RR if these are the shares of n fixed people."""
    p, q = (float(x) for x in mechanism.support)
    total = np.zeros((mechanism.k, mechanism.k))
    for x, share in enumerate(shares):
        row = np.full(mechanism.k, q)
        row[x] = p
        total += share * (np.diag(row) - np.outer(row, row))
    return total / (p - q) ** 2 / n


def conditional_share(shares, spread, rating):
    no, yes = 2 * rating, 2 * rating + 1
    r = shares[yes] / (shares[yes] + shares[no])
    slope = np.array([-r, 1 - r]) / (shares[yes] + shares[no])
    block = spread[np.ix_([no, yes], [no, yes])]
    return r, sqrt(slope @ block @ slope)


estimated = covariance(oracle, np.maximum(shares, 0), n)
for rating, name in enumerate(RATINGS):
    estimate, wide = conditional_share(shares, estimated, rating)
    true = truth[2 * rating + 1] / truth[2 * rating : 2 * rating + 2].sum()
    print(f"{name:<10} {100 * estimate:7.1f} % ± {196 * wide:.1f}   (truth {100 * true:.1f} %)")

# %% tags=["hide-input"]
SURVEYS = 40_000
spread = covariance(oracle, truth, n)
tested = oracle.estimate(oracle.simulate(np.bincount(pair, minlength=10), trials=SURVEYS, rng=rng))
seen = np.cov(tested.T)
standard = np.sqrt((np.outer(np.diag(spread), np.diag(spread)) + spread**2) / SURVEYS)  # of a sample covariance


def worst_apart(stated):
    return np.abs((seen - stated) / standard).max()


check(
    "Covariance",
    "40,000 simulated surveys: covariances of the ten shares as computed",
    worst_apart(spread) < 6.5,  # 55 covariances at 6.5 standard errors: a false alarm below 1e-8
    control="covariances taken for zero",
    caught=worst_apart(np.diag(np.diag(spread))) > 6.5,
)

# %% [markdown]
# Readers who call their marriage very good report affairs less often than the others, and at $\varepsilon = 2$ their blurred answers show it.
# For the few very poor marriages the denominator itself is hardly known, and the ratio is worth nothing.
#
# (sec-freq-differs)=
# ## Where the survey errs
#
# :::{admonition} Which for which budget
# :class: warning
# *Printed* (§4.1.1): with $\varepsilon = \ln k$ as the boundary, RAPPOR suits larger budgets and k-RR smaller ones.
# *Right*: k-RR suits the larger budgets; the boundary is near $\frac23\ln k$ for RAPPOR with a bit for every item, see {ref}`sec-freq-cross`.
# The source speaks of high and low privacy, not budget.
# :::
#
# :::{admonition} k-Subset's drawback
# :class: warning
# *Printed* (Table 4): k-Subset causes extra error in single-value frequencies.
# The text beside it praises its precision, so the table may mean the extra step from sets to items.
# *Right*: at its best size, which the survey does not give, k-Subset has the least total error of all for exactly these ({prf:ref}`thm-freq-limit`).
# :::
#
# :::{admonition} Codes of ⌈log k⌉ bits
# :class: warning
# *Printed* (§1.2.2): RAPPOR and S-Hist are among the methods that encode a value in $\lceil\log k\rceil$ bits and randomize each; unused codes cause errors.
# *Right*: both use other codes, as §4.1.1 of the survey says; splitting the budget over the bits ruins the scheme, also where every code has an item; at a given number of bits unused codes do it good, see {ref}`sec-freq-bits`.
# :::
#
# The printed law of k-Subset is right, normalisation and all; only its text calls the size $d$ once and $c$ otherwise.
# Our text of Table 4 gives its communication as $O(1)$; a report has $\lceil\log_2\binom kc\rceil$ bits, 81 for 100 items at $\varepsilon = 1$.
# (The $c$ that is explained below the table does not occur in our text of it, so the print may well say $O(c)$.)
# Table 4 as a whole is the subject of {ref}`sec-onebit-bounds`.
#
# (sec-freq-wrong)=
# ## What can go wrong
#
# - *The order of a set.* A client that sends the members of its set in the order in which it drew them may tell which is its own.
# - *A hash seed that depends on the item.* The seed is public because it is drawn without looking; a client that draws seeds until the slot "looks good" gives the item away.
# - *A hash family that is too small.* With one hash function for everybody two items in one slot can never be told apart, for any number of people.
# - *Counting supporters as people.* At $\varepsilon = 1$ and $k = 100$ an item that nobody holds is supported by a quarter of OUE's reports.
# - *Looking at the largest estimates only.* Each is unbiased; the largest of many is not, see {ref}`sec-gfim-curse`.
#
# (sec-freq-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: the wrong half
# Client A sends k-Subset of size $c$, client B the complement of k-Subset of size $k - c$ at the same ε, but with the roles reversed: a set *without* $x$ is the likelier one.
# Which is better?
# :::
#
# :::{dropdown} Solution
# They are the same client.
# A set of $c$ items that contains $x$ is the complement of a set of $k-c$ items that does not.
# :::
#
# :::{admonition} Exercise 2: slots come in whole numbers
# At $\varepsilon = 1$ local hashing wants $e^\varepsilon + 1 = 3.72$ slots.
# Compute the noise of a rare item for $g = 3$ and $g = 4$. Is it worth mixing them?
# :::
#
# :::{dropdown} Solution
# The next cell prints both; 4 is better, by the margin shown.
# Mixing them (3 for some people, 4 for the others, chosen at random) gives a noise between the two, so no.
# :::

# %% tags=["hide-input"]
for slots in (3, 4):
    print(f"g = {slots}: {slots_noise(slots, exp(1)):.4f}")
print(f"g = e + 1: {slots_noise(exp(1) + 1, exp(1)):.4f}")

# %% [markdown]
# :::{admonition} Exercise 3: how many people
# You want the share of each of 1,000 words to within one point (95 % interval ± 1) at $\varepsilon = 1$.
# How many people do you need with k-RR, with OUE, and with k-Subset of the best size, for words that hardly anybody uses?
# :::
#
# :::{dropdown} Solution
# $n = (1.96/0.01)^2 \times$ noise of a rare item.
# :::

# %% tags=["hide-input"]
for name, noise in {
    "k-RR": rare(GRR, 1.0, 1000),
    "OUE": rare(OUE, 1.0, 1000),
    "k-Subset": rare(SubsetSelection, 1.0, 1000),
}.items():
    print(f"{name:<9} {196**2 * noise:14,.0f} people")

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-pure`: one estimate, one variance | $p^*$, $q^*$ read off five clients' laws |
# | {prf:ref}`thm-freq-privacy`: exact ε | laws; a set sent in order is caught |
# | {prf:ref}`thm-oue`: OUE, and $g = e^\varepsilon+1$ | proof; a grid |
# | {prf:ref}`thm-one-oracle`: all are k-Subset of a random size | conditional laws |
# | {prf:ref}`thm-subset-risk`, {prf:ref}`thm-freq-limit`: nothing is better | proof; random channels; attained |
# | {prf:ref}`thm-crossover`: k-RR for few items or large ε | root finding against closed forms |
# | {prf:ref}`thm-norm-sub`: Norm-Sub projects | proof; random vectors; exact bias |
#
# Next: reports of a single private bit.
