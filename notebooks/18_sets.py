# %% [markdown]
# (ch-items)=
# # Sets of items
#
# *From {cite:t}`qin2016heavy`, {cite:t}`wang2018itemset` on k-RR, and {cite:t}`wang2018privset` on PrivSet; sampling S-Hist is from {cite:t}`zhang2018gfim` ({ref}`dossier <paper-zhang2018>`).*
#
# :::{admonition} In one minute
# An app offers a hundred podcasts, and each listener follows a few.
# Asking about every podcast spreads the budget too thin.
# So the phone fills up short lists with dummies, and draws one entry.
# It hides this entry, and the server multiplies its estimates by the length of the list.
# Some clients can use a larger budget for the entry, because a report does not show which one was drawn.
# PrivSet sends a random group of podcasts instead, and prefers groups that overlap the list.
# :::
#
# :::{zh}
# 本课研究集值数据：每人持有若干项的集合，服务器要估计持有每一项的人所占的比例。
# 逐项作答须把预算分给所有 $d$ 项，代价太大；因此客户端先用冗余项把集合填充到长度 $\ell$，再抽取其中一项。
# 抽样 S-Hist 与抽样 RAPPOR 对抽出的一项使用全部预算，估计时乘以 $\ell$，方差与 $\ell^2$ 成正比。
# 抽样 k-RR 可以使用更大的预算 $\varepsilon'$，因为每个符号被抽中的概率至多为 $1/\ell$；这要求各冗余项互不相同。
# PrivSet 不抽样，而是上报由 $b$ 个符号组成的集合，与填充后的集合相交的报告概率是其他报告的 $e^\varepsilon$ 倍。
# 四种客户端都是 $\varepsilon$-本地化差分隐私的，对任意大小的集合都成立；集合不超过 $\ell$ 项时，估计无偏。
# $\ell$ 太小会产生偏差，太大会增加方差；可以让一部分人用 k-RR 上报集合的大小，据此选择 $\ell$。
# :::
#
# You need k-RR and scores from {ref}`ch-frequency`, and the Hadamard matrix from {ref}`sec-onebit-hadamard`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import chain, combinations
from math import comb, exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import (
    PrivSet,
    Records,
    SampledGRR,
    SampledHadamardBit,
    SampledSUE,
    Wheel,
    epsilon,
    laws,
    moments,
    pick,
    prove,
    toss,
)
from ldpnb.chance import odds
from ldpnb_book import check, label_lines, simulation, style, table, theory
from ldpnb_book.studies import sets as study

style()
rng = np.random.default_rng(2018)

# %% [markdown]
# (sec-items-setting)=
# ## A hundred podcasts
#
# An app offers 100 podcasts, the *items*, numbered from 0.
# An item is a key without a value, so we write $d$ for the number of items, not $k$.
# Each listener follows a *set* $S$ of them.

# %%
D, EPS = 100, 1.5
mia, leo, zoe = {1, 4}, {0}, set()
kim = {0, 2, 3, 5, 8, 9}

# %% [markdown]
# **Can the server estimate the share $f_x$ of people who follow podcast $x$?**
# Even Zoe's and Kim's sets must be hard to tell apart, so a report must also hide sizes.
#
# (sec-items-split)=
# ### Why asking about all is costly
#
# The phone could answer *yes* or *no* about every podcast, by randomized response.
# But two sets may differ in all $d$ items, so each answer gets only $\varepsilon/d$ ({ref}`ch-composition`).
# Or it could answer *one question*, about a random podcast, with all of $\varepsilon$.
# Then about $n/d$ of the people answer about each.
#
# The *noise* of a mechanism is $n\Var\hat f_x$ for an item that nobody has, so $e^\varepsilon/(e^\varepsilon-1)^2$ for one answer of randomized response ({ref}`ch-rr`).
# The noises are
#
# $$ \underbrace{\frac{e^{\varepsilon/d}}{(e^{\varepsilon/d}-1)^2} \approx \frac{d^2}{\varepsilon^2}}_{\text{all items}}, \qquad\qquad \underbrace{\frac{d\,e^\varepsilon}{(e^\varepsilon-1)^2}}_{\text{one question}}. $$ (eq-items-all)
#
# For 100 podcasts and $\varepsilon = \frac32$, these are 4,444 and 37.
# But most true answers to one random question are *no*.
#
# (sec-items-draw)=
# ## Draw one of your own items
#
# If phones drew one of their items, an item of a short list would be drawn more often.
# So the phone *pads* a set of fewer than $\ell$ items to $\ell$ entries, with *dummies* $d, d+1, \dots$ that nobody has.
# Then it draws one entry ({numref}`fig-items-padding`).


# %%
def pad(items, d, ell):
    """The items, and dummies up to length ell."""
    return [*sorted(items), *range(d, d + ell - len(items))]


# %% mystnb={"figure": {"name": "fig-items-padding", "caption": "Four sets, padded to ℓ = 4. Solid frames: items; dashed: dummies. Right: the chance of each entry."}, "image": {"alt": "Four rows of boxes. Mia: items 1 and 4, dummies 100 and 101. Leo: item 0 and three dummies. Zoe: four dummies. For these, each entry has chance one fourth. Kim: six items, without dummies, each with chance one sixth."}}
cast = {"Mia": mia, "Leo": leo, "Zoe": zoe, "Kim": kim}
study.slots(cast, pad, D, ell=4)
plt.show()

# %% [markdown]
# So each item of the set is drawn with probability $t/\ell$, where $t = \min(1, \ell/\lvert S\rvert)$.
# Here $t = \frac23$ for Kim, else 1.
#
# (sec-items-shist)=
# ### Two ways to hide the drawn item
#
# **Sampling S-Hist** sends one private bit {cite:p}`zhang2018gfim`.
# Here $\Phi$ is the public Hadamard matrix, with one column per item; so this is a Hadamard bit.
# The phone draws a public row $r$, and reports the sign $\Phi_{rx'}$ of the drawn item $x'$ by randomized response.
# A dummy has no column, so the phone tosses a fair coin.
#
# **Sampling RAPPOR** sends one bit per item (SUE, no Bloom filter).
# The bit of the drawn item is set with probability $p = e^{\varepsilon/2}/(e^{\varepsilon/2}+1)$, any other bit with $1-p$; a dummy has no bit.


# %%
def hadamard(d):
    """Signs: row r, and column x for item x; orthogonal columns."""
    rows = range(1 << max(d - 1, 1).bit_length())
    return [[(-1) ** (r & x).bit_count() for x in range(d)] for r in rows]


def sampled_shist(items, d, ell, phi, eps, rng):
    """A public row, and the sign of the drawn item in it."""
    drawn = pick(pad(items, d, ell), rng)
    r = pick(range(len(phi)), rng)
    if drawn >= d:
        return r, pick((-1, 1), rng)
    honest = toss(odds(eps) / (odds(eps) + 1), rng)
    return r, phi[r][drawn] if honest else -phi[r][drawn]


def sampled_rappor(items, d, ell, eps, rng):
    """A bit for each item; that of the drawn one has p."""
    drawn = pick(pad(items, d, ell), rng)
    p = odds(eps / 2) / (odds(eps / 2) + 1)
    return [toss(p if x == drawn else 1 - p, rng) for x in range(d)]


# %% [markdown]
# (sec-items-privacy)=
# ### Privacy of whole sets
#
# :::{prf:theorem} Sampling keeps ε
# :label: thm-items-privacy
# Let an ε-LDP client hide the drawn entry, which may be a dummy.
# Then padding, drawing and hiding together are ε-LDP, for sets of any size.
# Sampling S-Hist and sampling RAPPOR are exactly ε-LDP if $d \ge 2\ell$.
# :::
#
# :::{prf:proof}
# Let $\Pr[y \mid u]$ be the probability of the report $y$ if entry $u$ is drawn.
# Then $\Pr[y \mid S]$ is the average of $\Pr[y \mid u]$ over the entries of the padded set.
# It lies between the smallest and the largest $\Pr[y \mid u]$ over all items and dummies.
# If hiding is ε-LDP, the largest is at most $e^\varepsilon$ times the smallest, as in both clients:
#
# - In S-Hist, a given sign has probability $\frac{e^\varepsilon}{e^\varepsilon+1}$, $\frac12$ or $\frac1{e^\varepsilon+1}$.
# - In RAPPOR, compare with a drawn dummy: a drawn item multiplies the probability by $e^{\varepsilon/2}$ if its bit is set, and by $e^{-\varepsilon/2}$ if not.
#
# Now let $d \ge 2\ell$.
# In row 1 of $\Phi$, the signs alternate, so $\ell$ items have a plus and $\ell$ others a minus.
# In S-Hist, these two sets send a plus with probability $\frac{e^\varepsilon}{e^\varepsilon+1}$ and $\frac1{e^\varepsilon+1}$.
# In RAPPOR, they attain $e^\varepsilon$ by the report with exactly the bits of the first set.
# :::
#
# With fewer items, they spend less ({ref}`sec-gfim-privacy`).
# For four items and $\ell = 2$, `prove` confirms the theorem at every ε:


# %%
def subsets(d):
    """All sets of the items 0, …, d − 1."""
    some = [combinations(range(d), r) for r in range(d + 1)]
    return [set(items) for items in chain(*some)]


def sized(client, *sizes):
    """The client, with its sizes fixed."""

    def one(items, eps, rng):
        report = client(items, *sizes, eps, rng)
        return tuple(report) if isinstance(report, list) else report

    one.__name__ = client.__name__
    return one


four = subsets(4)
shist = sized(sampled_shist, 4, 2, hadamard(4))
print(prove(shist, four, rounded=False), "\n")
print(prove(sized(sampled_rappor, 4, 2), four, rounded=False))

# %% [markdown]
# (sec-items-estimate)=
# ### The estimate at its right scale
#
# Each report *supports* some items.
# A report $(r, z)$ of S-Hist supports those with $\Phi_{rx} = z$, a report of RAPPOR those whose bits are set.
# A report supports the drawn item with probability $p^*$, and any other with $q^*$:
#
# | | $p^*$ | $q^*$ |
# |---|---|---|
# | sampling S-Hist | $\dfrac{e^\varepsilon}{e^\varepsilon+1}$ | $\dfrac12$ |
# | sampling RAPPOR | $\dfrac{e^{\varepsilon/2}}{e^{\varepsilon/2}+1}$ | $\dfrac1{e^{\varepsilon/2}+1}$ |
#
# In S-Hist, $q^* = \frac12$, since two different columns agree in half of the rows, and a dummy's sign is fair.
#
# A person with the set $S$ draws $x \in S$ with probability $t/\ell$, so her report supports $x$ with probability
#
# $$ P = q^* + \frac t\ell\,(p^*-q^*). $$ (eq-items-support)
#
# For $x \notin S$, it is $P = q^*$.
#
# Let $C_x$ be the number of reports that support $x$.
# If no set is longer than $\ell$, then $t = 1$ for the $nf_x$ people who have $x$.
# So $C_x/n$ has the mean $q^* + \frac{f_x}\ell\,(p^*-q^*)$, and an unbiased estimate is
#
# $$ \hat f_x = \ell\;\frac{C_x/n - q^*}{p^*-q^*}. $$ (eq-items-estimate)
#
# So $\hat f_x$ is a mean of *scores*, larger by $\ell/(p^*-q^*)$ for reports that support $x$.
# A score takes two values; its variance is the square of their difference, times $P(1-P)$.
# Let $P_i$ be the $P$ of person $i$.
#
# :::{prf:theorem} Estimates from a drawn item
# :label: thm-items-estimate
# An item of a person's set counts as $t$ in $\E\hat f_x$, so $\hat f_x$ is unbiased if no set has more than $\ell$ items.
# Its variance is
#
# $$ \Var\hat f_x = \frac1{n^2}\sum_{i=1}^n \frac{\ell^2\,P_i\,(1-P_i)}{(p^*-q^*)^2}. $$ (eq-items-variance)
#
# :::
#
# For an item that nobody has, $P_i = q^*$.
# With $c = \frac{e^\varepsilon+1}{e^\varepsilon-1}$, S-Hist has $p^*-q^* = \frac1{2c}$.
# So the score of item $x$ is $\ell c\,z\,\Phi_{rx}$: the factor $c$ undoes randomized response, and $\ell$ undoes the draw.
# The noises are
#
# $$ \underbrace{\ell^2 c^2}_{\text{S-Hist}}, \qquad \underbrace{\frac{\ell^2\,e^{\varepsilon/2}}{(e^{\varepsilon/2}-1)^2}}_{\text{RAPPOR}}. $$ (eq-items-squared)
#
# For $\ell = 4$ and $\varepsilon = \frac32$, these are 40 and 27; one question had 37.
#
# (sec-items-better)=
# ## A larger budget for the drawn item
#
# **Sampling k-RR** sends an item or a dummy itself {cite:p}`wang2018itemset`; PCKV-GRR ({ref}`sec-pckv`) adds signs.
# It may use a larger budget $\varepsilon'$, because a report does not show which entry was drawn.
# Let $Z = e^{\varepsilon'} + d + \ell - 1$, and let $\pi(y)$ be the probability that the phone draws $y$.
# The report is $y$ with probability $e^{\varepsilon'}/Z$ if $y$ was drawn, and $1/Z$ if not.
# So its probability is $\frac1Z\big(1 + (e^{\varepsilon'}-1)\,\pi(y)\big)$.
# Padding ensures $0 \le \pi(y) \le \frac1\ell$, for items and dummies.
# So two sets differ by a factor of at most $1 + (e^{\varepsilon'}-1)/\ell$; for an item $y$, $\{y\}$ and $\varnothing$ attain it.
# It is $e^\varepsilon$ for
#
# $$ e^{\varepsilon'} = 1 + \ell\,(e^\varepsilon-1), \quad\text{so}\quad Z = d + \ell\,e^\varepsilon. $$ (eq-items-amplified)


# %%
def sampled_krr(items, d, ell, eps, rng):
    """k-RR over items and dummies, with the larger budget."""
    drawn = pick(pad(items, d, ell), rng)
    ratio = 1 + ell * (odds(eps) - 1)
    if toss(ratio / (ratio + d + ell - 1), rng):
        return drawn
    return pick([y for y in range(d + ell) if y != drawn], rng)


print(prove(sized(sampled_krr, 3, 2), subsets(3), rounded=False))

# %% [markdown]
# Report 3 is a dummy, and `set()` is the empty set.
#
# A reported item is supported, so $q^* = \frac1Z$ and $p^*-q^* = \frac{\ell(e^\varepsilon-1)}Z$.
# With $P_i = q^*$ in {eq}`eq-items-variance`, the noise is
#
# $$ n\Var\hat f_x = \frac{Z-1}{(e^\varepsilon-1)^2} = \frac{d - 1 + \ell\,e^\varepsilon}{(e^\varepsilon-1)^2}. $$ (eq-items-krr)
#
# :::{prf:theorem} Sampling k-RR
# :label: thm-items-krr
# With $\ell$ different dummies and $e^{\varepsilon'} = 1 + \ell(e^\varepsilon-1)$, sampling k-RR is exactly ε-LDP over sets.
# Its noise is {eq}`eq-items-krr`, below S-Hist's $\ell^2c^2$ if and only if $d < \ell^2(e^\varepsilon+1)^2 - \ell e^\varepsilon + 1$.
# :::

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the exact ε of the three clients, with one dummy for all as control"}
three = subsets(3)


def spent(client, sets, *sizes):
    return epsilon(laws(lambda s, rng: sized(client, *sizes)(s, 1.0, rng), sets))


def one_dummy(items, d, ell, eps, rng):
    """A mistake: all dummies are alike."""
    drawn, ratio = min(pick(pad(items, d, ell), rng), d), 1 + ell * (odds(eps) - 1)
    return drawn if toss(ratio / (ratio + d), rng) else pick([y for y in range(d + 1) if y != drawn], rng)


found = [spent(sampled_shist, four, 4, 2, hadamard(4)), spent(sampled_rappor, four, 4, 2)]
found += [spent(sampled_krr, subsets(d), d, ell) for d in (1, 2, 3) for ell in (1, 2, 3)]
few = [spent(sampled_shist, subsets(d), d, d, hadamard(d)) for d in (1, 2, 3, 4)]
fewer = [spent(sampled_rappor, subsets(d), d, d) for d in (1, 2, 3, 4)]
check(
    "Privacy",
    "ε = 1: S-Hist, RAPPOR (d = 4, ℓ = 2), k-RR (d, ℓ ≤ 3) exactly 1. For d = ℓ, S-Hist ln((e + 1)/2), RAPPOR 1/2",
    np.allclose(found, 1) and np.allclose(few, log((exp(1) + 1) / 2)) and np.allclose(fewer, 1 / 2),
    control="one dummy for all in k-RR: ε′ is spent",
    caught=abs(spent(one_dummy, three, 3, 2) - log(1 + 2 * (exp(1) - 1))) < 1e-9,
)

# %% [markdown]
# (sec-items-privset)=
# ## PrivSet: a report about the whole set
#
# *PrivSet* does not draw an item {cite:p}`wang2018privset`.
# It first pads the set; from a set longer than $\ell$, it draws $\ell$ items.
# Then it sends $b$ of the $d+\ell$ *symbols*, the items and dummies, with $1 \le b \le d$.
# A report *meets* the padded set if they share a symbol; otherwise it *misses* the set.
# Each report that meets the set is $e^\varepsilon$ times as likely as each that misses it.
#
# Of all $\binom{d+\ell}b$ reports, $\binom\ell h\binom d{b-h}$ have exactly $h$ of its symbols; those with $h = 0$ miss it.
# The client decides whether to meet the set, then draws $h$, then the symbols.


# %%
def draw(symbols, how_many, rng):
    """Some of the symbols, drawn one by one."""
    left, drawn = list(symbols), []
    while len(drawn) < min(how_many, len(symbols)):
        drawn.append(left.pop(pick(range(len(left)), rng)))
    return drawn


def privset(items, d, ell, b, eps, rng):
    """b symbols, more likely to meet the padded set."""
    own = pad(draw(sorted(items), ell, rng), d, ell)
    ways = [comb(ell, h) * comb(d, b - h) for h in range(b + 1)]
    weight, h = odds(eps) * sum(ways[1:]), 0
    if toss(weight / (weight + ways[0]), rng):
        rank, h = pick(range(sum(ways[1:])), rng), 1
        while rank >= ways[h]:
            rank, h = rank - ways[h], h + 1
    others = [y for y in range(d + ell) if y not in own]
    return sorted(draw(own, h, rng) + draw(others, b - h, rng))


print(prove(sized(privset, 3, 2, 2), subsets(3), rounded=False))

# %% [markdown]
# The report of item 0 and a dummy meets the padded empty set, but misses $\{1, 2\}$.
#
# Let $\nu$ be the share of all reports that miss the padded set.
# Let $\mu$ be the share that also contain a given item $x$ outside this set:
#
# $$ \nu = \frac{\binom db}{\binom{d+\ell}b}, \qquad \mu = \frac{\binom{d-1}{b-1}}{\binom{d+\ell}b} = \nu\,\frac bd. $$
#
# With $\Omega = e^\varepsilon(1-\nu)+\nu$, a report has the probability $e^\varepsilon$ or 1, divided by $\binom{d+\ell}b\,\Omega$.
# A report supports the items that it contains; a share $\frac b{d+\ell}$ of all reports contain $x$.
# If $x$ is in the padded set, all of these meet the set, which gives $p^*$.
# Otherwise, a share $\mu$ of all reports contain $x$ and miss the set, which gives $q^*$:
#
# $$ \begin{aligned} p^* &= \frac{b}{d+\ell}\cdot\frac{e^\varepsilon}{\Omega}, \\[1ex] q^* &= \frac1\Omega\Big[e^\varepsilon\Big(\frac b{d+\ell}-\mu\Big) + \mu\Big]. \end{aligned} $$ (eq-items-privset)
#
# :::{prf:theorem} PrivSet
# :label: thm-items-privset
# PrivSet is exactly ε-LDP over sets.
# {prf:ref}`thm-items-estimate` holds with these $p^*$ and $q^*$, and with 1 instead of the factor $\ell$.
# For $b = 1$, PrivSet is sampling k-RR.
# :::
#
# :::{prf:proof}
# 1. *Privacy.*
#    All padded sets have the same $\Omega$, so a report has one of two probabilities, with the ratio $e^\varepsilon$.
#    A longer set averages over its draws, which stays between the two.
#    As $b \le d$, some report contains $x$ and no dummy; it meets $\{x\}$, and misses the empty set.
# 2. *Estimates.*
#    An item of a person's set is in the padded set with probability $t$.
#    So {eq}`eq-items-support` holds with 1 instead of $\ell$.
# 3. *One symbol.*
#    For $b = 1$, the padded set contains a symbol $y$ with probability $\ell\,\pi(y)$.
#    As $(d+\ell)\,\Omega = Z$, PrivSet sends $y$ with probability $\frac1Z\big(1 + \ell\,\pi(y)\,(e^\varepsilon-1)\big)$; by {eq}`eq-items-amplified`, so does sampling k-RR.
# :::
#
# The package's `PrivSet` chooses the $b$ with the least noise.


# %%
def chances(name, d, ell, eps, b=1):
    """The scale, p* and q* of each mechanism."""
    e, root, Z = exp(eps), exp(eps / 2), d + ell * exp(eps)
    share, nu = b / (d + ell), comb(d, b) / comb(d + ell, b)
    mu, omega = nu * b / d, e * (1 - nu) + nu
    q_star = (e * (share - mu) + mu) / omega
    return {
        "S-Hist": (ell, e / (e + 1), 1 / 2),
        "RAPPOR": (ell, root / (root + 1), 1 / (root + 1)),
        "k-RR": (ell, (1 + ell * (e - 1)) / Z, 1 / Z),
        "PrivSet": (1, share * e / omega, q_star),
    }[name]


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: PrivSet's exact ε; means and variances of the package's four clients"}
def not_padded(items, d, ell, b, eps, rng):
    """A mistake, for b = 1: no dummies."""
    own, others = sorted(items), [y for y in range(d) if y not in items]
    weight = odds(eps) * len(own)
    return [pick(own if toss(weight / (weight + len(others)), rng) else others, rng)]


def stated(scale, p_star, q_star):
    """Means and variances of the scores of eight sets for ℓ = 2, by the theorems."""
    t = np.array([[min(1, 2 / len(s)) if x in s else 0.0 for x in range(3)] for s in three])
    chance = q_star + t / scale * (p_star - q_star)
    return t, chance * (1 - chance) * scale**2 / (p_star - q_star) ** 2


check(
    "PrivSet",
    "three items, ℓ = 2, b = 1, 2, 3, eight sets, ε = 1: exactly 1",
    all(abs(spent(privset, three, 3, 2, b) - 1) < 1e-9 for b in (1, 2, 3)),
    control="sets that are not padded",
    caught=spent(not_padded, three[1:-1], 3, 2, 1) > 1.01,
)
size = {"d": 3, "ell": 2, "epsilon": 1.0}
MADE = {"S-Hist": SampledHadamardBit(**size), "RAPPOR": SampledSUE(**size), "k-RR": SampledGRR(**size)}
MADE |= {f"PrivSet {b}": PrivSet(**size, size=b) for b in (1, 2, 3)}
exact = {name: moments(mechanism, three) for name, mechanism in MADE.items()}
right = {name: chances(name.split()[0], 3, 2, 1.0, int(name[-1]) if name[-1].isdigit() else 1) for name in MADE}
check(
    "Moments",
    "eight sets of three items, ℓ = 2: means t and variances as stated",
    all(np.allclose(exact[name], stated(*right[name])) for name in MADE),
    control="p* and q* for ℓ = 3",
    caught=not np.allclose(exact["PrivSet 2"], stated(*chances("PrivSet", 3, 3, 1.0, 2))),
)

# %% [markdown]
# (sec-items-survey)=
# ## A survey
#
# We ask 20,000 invented listeners at $\varepsilon = \frac32$; nobody follows the last podcast.

# %%
popular = np.array([*(1 / np.arange(2, D + 1)), 0])
popular /= popular.sum()


def listener(rng):
    mine = rng.choice(D, rng.poisson(2), replace=False, p=popular)
    return {int(x) for x in mine}


people = [listener(rng) for _ in range(20_000)]

# %% [markdown]
# (sec-items-ell)=
# ### Choosing the length
#
# A small $\ell$ biases estimates downwards; a large $\ell$ costs noise.
# A common choice is the 90th percentile of the sizes {cite:p}`wang2018itemset,zhang2018gfim`.
# But sizes are private, too, so the first 4,000 people report only the size, up to 9.
# Sizes are ten items: size 3 is the set $\{3\}$.
# `sampled_krr` with $\ell = 1$ hides it, and never draws its dummy.


# %%
def support(name, reports, d):
    """Which of the d items each report supports."""
    if name == "S-Hist":
        r, z = np.array(reports).T
        return np.array(hadamard(d))[r] == z[:, None]
    if name == "RAPPOR":
        return np.array(reports)
    symbols = np.array(reports).reshape(len(reports), -1, 1)
    return (symbols == np.arange(d)).any(1)


def server(supported, scale, p_star, q_star):
    """Estimated shares of all items, and their standard errors."""
    score = scale * (supported - q_star) / (p_star - q_star)
    return score.mean(0), score.std(0) / sqrt(len(score))


asked, others = people[:4000], people[4000:]
told = [sampled_krr({min(len(s), 9)}, 10, 1, EPS, rng) for s in asked]
size, _ = server(support("k-RR", told, 10), *chances("k-RR", 10, 1, EPS))
ell = int(np.argmax(np.cumsum(size) >= 0.9))
print("sizes up to 0, 1, …:", np.cumsum(size).round(2)[:7])
longer = np.mean([len(s) > ell for s in people])
print(f"ℓ = {ell}, and {longer:.1%} of the sets are longer")

# %% [markdown]
# ### Three answers
#
# The other 16,000 people report their sets by three clients, which together spend $3\varepsilon$.
# We omit RAPPOR, which sends 100 bits.

# %%
b = PrivSet(d=D, ell=ell, epsilon=EPS).set_size
print(f"a report of PrivSet has b = {b} symbols")
phi = hadamard(D)
REPORT = {
    "S-Hist": lambda s: sampled_shist(s, D, ell, phi, EPS, rng),
    "k-RR": lambda s: sampled_krr(s, D, ell, EPS, rng),
    "PrivSet": lambda s: privset(s, D, ell, b, EPS, rng),
}
some = [0, 1, 2, 5, 20, D - 1]
truth = [np.mean([x in s for s in people]) for x in some]
columns = {"podcast": some, "truth": [f"{f:.3f}" for f in truth]}
for name, client in REPORT.items():
    told = support(name, [client(s) for s in others], D)
    f, error = server(told, *chances(name, D, ell, EPS, b))
    columns[name] = [f"{f[x]:.3f} ± {error[x]:.3f}" for x in some]
table(pd.DataFrame(columns).replace("-", "−", regex=True))

# %% [markdown]
# For podcast 99, S-Hist needs about seven times as many people as PrivSet; {numref}`fig-items-ell` shows other lengths.

# %% mystnb={"figure": {"name": "fig-items-ell", "caption": "Root mean square error of the five most frequent podcasts, from all 20,000 people. Lines: theorems; marks: 50 to 200 simulated surveys, known to 2–5 %. Dashed: 90th percentile of the sizes."}, "image": {"alt": "Three curves. At length 1 all are at 8 points. Sampling S-Hist falls to 3.6 at length 3 and then rises in a straight line to 11. k-RR and PrivSet fall to 2.7 and 1.9 at length 4, and rise to 2.9 and 2.7 at length 10. Marks lie on the curves."}}
KINDS = {"S-Hist": SampledHadamardBit, "k-RR": SampledGRR}
KINDS["PrivSet"] = PrivSet
crowd, sizes = Records.of(*people), [len(s) for s in people]
surveys = {"S-Hist": 100, "k-RR": 200, "PrivSet": 50}
# errors by the theorems, and in surveys with real reports:
exact, runs = study.lengths(KINDS, crowd, D, EPS, surveys, rng)
by = "mechanism", [*KINDS]
ax = plt.subplots()[1]
sns.lineplot(exact, x="ℓ", y="error", ax=ax, **theory(*by))
sns.lineplot(runs, x="ℓ", y="error", ax=ax, **simulation(*by))
ax.axvline(np.percentile(sizes, 90), color="black", ls="--", lw=1)
ax.set(xlabel="padding length ℓ", ylabel="error, percentage points")
ax.set(ylim=(0, None), xticks=range(1, 11))
label_lines(ax)
plt.show()

# %% [markdown]
# From $\ell = 4$ to 10, the error grows by 10 % for k-RR, 40 % for PrivSet and 150 % for S-Hist.
#
# (sec-items-compare)=
# ## Which one?
#
# The noise at $\varepsilon = 1$:


# %%
KINDS["RAPPOR"] = SampledSUE
rows = []
for d, length in (1000, 5), (1000, 50), (100_000, 50):
    size = {"d": d, "ell": length, "epsilon": 1.0}
    row = {m: kind(**size).rare_variance for m, kind in KINDS.items()}
    row["one question"] = d * exp(1) / (exp(1) - 1) ** 2
    wheel = Wheel(epsilon=1.0, m=length)
    # one score for item 0, of a person without items:
    row["wheel"] = wheel.variance(Records.of(set()), [0])[0, 0]
    rows.append({"d": f"{d:,}", "ℓ": length, **row})
# the second row again, from three surveys of 4,000 people:
runs = study.absent(KINDS, 1000, 50, [1.0], rng)
runs = runs.groupby("mechanism")["noise"].mean()
rows.insert(2, {"d": "simulated", "ℓ": 50, **runs})
shown = pd.DataFrame(rows).set_index("d").map("{:,.0f}".format)
table(shown.replace("nan", "").reset_index())

# %% [markdown]
# - **PrivSet** has the least noise.
# - **Sampling k-RR** is simpler, but gets worse with many items.
#   For the second row's sizes, it is as good from $\varepsilon = 2.3$ on, where PrivSet has $b = 1$.
# - **The wheel**, with keys alone ({ref}`sec-wheel-sets`), has 27 % more noise in the second row, but needs no list: it hashes any item's name.
# - **Sampling S-Hist** sends one private bit, **sampling RAPPOR** $d$ bits.
#   Neither can use a larger budget; in the second row, one question is better.
#
# (sec-items-wrong)=
# ## What can go wrong
#
# - *All dummies are alike.*
#   In k-RR, an empty set always leads to this dummy, $\ell$ items never, so they differ by $e^{\varepsilon'}$.
# - *A dummy looks different.*
#   If S-Hist's client sends $\ell cz$ for items, and another size for dummies, reports reveal dummies.
#   Send signs; the server scales them.
# - *Long sets hold other items than short ones.*
#   Of 100 people, 4 hold $\{9\}$, 8 hold $\{0, 1, 2, 3, 4\}$, and the others $\{0\}$.
#   For $\ell = 1$, item 1 counts as $8 \cdot \frac15 = 1.6$ people and item 9 as 4: the wrong order.
#
# (sec-items-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 5 minutes)
# Let $e^\varepsilon = 3$ and $\ell = 5$.
# Up to how many items has sampling k-RR less noise than sampling S-Hist?
# :::
#
# :::{dropdown} Solution
# S-Hist has $c = 2$ and the noise $\ell^2c^2 = 100$.
# By {eq}`eq-items-krr`, k-RR has $(d + 14)/4$, which is less if $d < 386$: up to 385 items.
# :::
#
# :::{admonition} Exercise 2 (code, 12 minutes)
# Hide the drawn entry by k-Subset, with reports of $b = 2$ symbols ({ref}`sec-freq-clients`) and $e^{\varepsilon'} = 1 + \frac\ell2(e^\varepsilon-1)$.
# Write the client and its estimator.
# Compare its noise with PrivSet's for $b = 2$, $d = 1000$, $\ell = 50$ and $\varepsilon = 1$.
# :::
#
# :::{dropdown} Solution
# The code has any $b \le \ell$, with $e^{\varepsilon'} = 1 + \frac\ell b(e^\varepsilon-1)$.
# The argument before {eq}`eq-items-amplified` shows that this is ε-LDP: the drawn entry is one of the $b$ symbols of a fixed report with probability at most $b/\ell$.
# The noise is 801, twice that of k-RR, and PrivSet has 246.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def sampled_subset(items, d, ell, b, eps, rng):
    """b symbols, which contain the drawn one or not."""
    drawn, ratio = pick(pad(items, d, ell), rng), 1 + ell * (odds(eps) - 1) / b
    inside = toss(b * ratio / (b * ratio + d + ell - b), rng)
    rest = [y for y in range(d + ell) if y != drawn]
    return sorted([drawn] * inside + draw(rest, b - inside, rng))


def subset_chances(d, ell, b, eps):
    ratio = 1 + ell * (exp(eps) - 1) / b
    p_star = b * ratio / (b * ratio + d + ell - b)
    return ell, p_star, (b - p_star) / (d + ell - 1)


reports = [sampled_subset(s, D, ell, 2, EPS, rng) for s in others[:4000]]
f, error = server(support("PrivSet", reports, D), *subset_chances(D, ell, 2, EPS))
print("podcast 0:", f"{f[0]:.3f} ± {error[0]:.3f}")
for b in (1, 2, 5):
    scale, p_star, q_star = subset_chances(1000, 50, b, 1.0)
    each = scale**2 * q_star * (1 - q_star) / (p_star - q_star) ** 2
    print(f"b = {b}: {each:,.0f}, PrivSet {PrivSet(d=1000, ell=50, epsilon=1.0, size=b).rare_variance:,.0f}")
print(f"exact ε for three items, b = ℓ = 2: {spent(sampled_subset, three, 3, 2, 2):.6f}")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# In sampling S-Hist, the coin for dummies is worn and shows + with probability 0.51.
# If all sets are empty, which estimates suffer?
# :::
#
# :::{dropdown} Solution
# The sign has mean 0.02 in every row, so the score of item $x$ has the mean $0.02\,\ell c$ times the average of column $x$.
# This average is 1 for column 0, which is constant, and 0 for all others.
# So only item 0 suffers; without the constant column, no estimate is biased.
# :::
#
# ## Summary
#
# - S-Hist and RAPPOR hide the drawn item with ε; their variance grows with $\ell^2$.
# - k-RR can use a larger budget, since each symbol is drawn with probability at most $1/\ell$.
# - PrivSet prefers reports that meet the padded set; it had the least noise.
# - A larger $\ell$ means less bias and more noise.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $d$ | number of keys, or of attributes |
# | $x$ | an item, or another value that one person has |
# | $y$ | one report |
# | $u$ | an entry of a padded set (here only) |
# | $S$ | one person's set of items, or of keys with values |
# | $f$ | share of people who have something (of the population, for a random sample) |
# | $\ell$ | length to which a person's set is padded |
# | $t$ | $\min(1, \ell/\lvert S\rvert)$, what an item of a set counts for (here only) |
# | $C_x$ | number of reports that support item $x$ |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $P$ | chance that a report supports a given item (here only) |
# | $\Phi$ | public table of signs |
# | $r$ | number of a row of $\Phi$ (here only) |
# | $z$ | the sign in a report (here only) |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $\varepsilon'$ | budget of the k-RR inside sampling k-RR (here only) |
# | $Z$ | $d + \ell e^\varepsilon$ (here only) |
# | $\pi(y)$ | chance that the phone draws $y$ (here only) |
# | $b$ | number of symbols in a report (here only) |
# | $h$ | how many of them are in the padded set (here only) |
# | $\nu$ | share of reports that miss the padded set (here only) |
# | $\mu$ | share of reports that miss it and contain a given item (here only) |
# | $\Omega$ | $e^\varepsilon(1-\nu)+\nu$ (here only) |
#
# Next, {ref}`ch-gfim` looks for the most frequent items.
