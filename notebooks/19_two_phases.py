# %% [markdown]
# (ch-gfim)=
# # Two phases
#
# *From {cite:t}`qin2016heavy` and {cite:t}`zhang2018gfim` ({ref}`dossier <paper-zhang2018>`).*
#
# :::{admonition} In one minute
# There are a thousand apps, and each person has up to sixteen.
# Which are the most common, and how common?
# The server asks twice.
# The first reports are about all apps, and give a short list.
# The second are about the listed apps only.
# Either everybody answers twice with half of the budget, or each half of the people answers once with all of it.
# An app is listed partly because its first estimate came out too large.
# So only the second estimates are published.
# :::
#
# :::{zh}
# 应用有一千个，每人至多持有 16 个；数据收集者要找出最常见的几个，并测量其频率。
# 两阶段方法先就全部应用收集报告，选出一个短的候选列表，再只就候选收集报告。
# LDPMiner 让每人在两个阶段各用一半预算作答；GFIM 把用户随机分成两半，每人只作答一次，使用全部预算。
# 第二阶段的问题虽取决于第一阶段的回答，但只通过报告，所以本课能对任意 $\varepsilon$ 证明两者的隐私性。
# 用来选择的估计不能再用来测量：入选者的第一阶段估计平均偏大，即“赢者诅咒”。
# 解决办法是只公布第二阶段的估计，它来自其他用户，或来自新的随机数。
# 本课推导第二阶段的方差，说明何时值得分两个阶段，并指出第二阶段改用 k-RR 时误差小得多。
# :::
#
# You need padding, sampling and S-Hist from {ref}`ch-items`, and sequential composition from {ref}`ch-composition`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from functools import cache
from itertools import combinations
from math import atanh, exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.optimize import brentq
from scipy.stats import binom, norm

from ldpnb import (
    PrivSet,
    Records,
    SampledGRR,
    SampledHadamardBit,
    SampledSUE,
    epsilon,
    laws,
    moments,
    pick,
    prove,
    toss,
)
from ldpnb.chance import bernoulli, odds
from ldpnb.sets import halves, largest, restrict
from ldpnb_book import check, diagram, simulation, style, table, theory
from ldpnb_book.studies import two_phases as study

style()
rng = np.random.default_rng(2016)

# %% [markdown]
# (sec-gfim-setting)=
# ## A thousand apps
#
# There are $d = 1{,}000$ apps, the *items*.
# Each of $n = 40{,}000$ people has a set $S$ of at most $\ell = 16$.

# %%
n, D, ELL, EPS = 40_000, 1_000, 16, 2.0
C = (exp(EPS) + 1) / (exp(EPS) - 1)  # c, explained below
POPULAR = 0.9 * 0.87 ** np.arange(12)


def person(rng):
    has = np.flatnonzero(rng.random(12) < POPULAR)
    return {*has.tolist(), *rng.integers(12, D, 4).tolist()}


people = [person(rng) for _ in range(n)]
truth = np.bincount([x for S in people for x in S], minlength=D) / n
print("Ana has", sorted(people[0]))
print("shares of apps 0 to 7:", truth[:8].round(2))

# %% [markdown]
# We want the four most frequent apps.
# By {eq}`eq-items-squared`, sampling S-Hist estimates the share $f_x$ of an app $x$ with a standard error of 0.105 for $\varepsilon = 2$.
# By chance, the largest estimate of the 988 rare apps is on average 3.24 standard errors, or 0.34, the share of app 7.
# **Can a first look choose apps, and a second measure them?**
#
# (sec-gfim-clients)=
# ## Two clients
#
# Two protocols do this ({numref}`fig-gfim-flow`).
#
# 1. In *phase one*, a phone answers about all $d$ items, by sampling S-Hist.
#    The server puts the $L$ items with the largest estimates on a list $K$, the *candidates*.
# 2. In *phase two*, a phone receives $K$, and keeps only its candidates, $S \cap K$.
#    It pads them to $h$ entries, draws one, and answers about the $L$ candidates.
#
# *LDPMiner* {cite:p}`qin2016heavy` asks everybody in both phases, with $\varepsilon/2$ each.
# *GFIM* {cite:p}`zhang2018gfim` asks one random half of the people in each phase, with all of $\varepsilon$.
# Like {cite:t}`zhang2018gfim`, we list twice as many items as wanted, and pad to this number: $L = h = 8$.
# Estimates are unbiased if $h \ge \lvert S \cap K\rvert$, so $h = \min(\ell, L)$ is enough.

# %% mystnb={"figure": {"name": "fig-gfim-flow", "caption": "The two phases of GFIM."}, "image": {"alt": "Three lanes. In the first half of the phones, a set is padded and one item drawn, and one bit is reported. The server estimates all items and makes a list K. In the second half, phones keep what is on the list, pad, draw one and report one bit. The server measures the list."}}
one, two = "half 1", "half 2"
steps = [(one, "S"), (one, "draw 1 of ℓ"), (one, "one bit")]
steps += [("server", "all items", "report"), ("server", "list K")]
steps += [(two, "S ∩ K", "list"), (two, "draw 1 of h")]
steps += [(two, "one bit"), ("server", "measure K", "report")]
dice = ["draw 1 of ℓ", "draw 1 of h", "one bit"]
diagram.flow(steps, chance=dice, private=[one, two])
plt.show()


# %%
@cache
def hadamard(d):
    """Signs: row r, and column x for item x; orthogonal columns."""
    rows = range(1 << max(d - 1, 1).bit_length())
    return [[(-1) ** (r & x).bit_count() for x in range(d)] for r in rows]


def draw(items, slots, rng):
    """An item of the padded set, or None: a dummy."""
    slot = pick(range(max(slots, len(items))), rng)
    return sorted(items)[slot] if slot < len(items) else None


def one_bit(items, d, slots, eps, rng):
    """Sampling S-Hist: a public row, and a sign in it."""
    x, phi = draw(items, slots, rng), hadamard(d)
    r = pick(range(len(phi)), rng)
    if x is None:
        return r, pick((-1, 1), rng)
    honest = toss(odds(eps) / (odds(eps) + 1), rng)
    return r, phi[r][x] if honest else -phi[r][x]


def trim(S, K):
    """The candidates in S, by their places on the list."""
    return {K.index(x) for x in S if x in K}


def gfim(S, half, K, d, ell, eps, rng):
    """GFIM: everybody reports once."""
    if half == 1:
        return one_bit(S, d, ell, eps, rng)
    return one_bit(trim(S, K), len(K), len(K), eps, rng)


# %% [markdown]
# In phase two, *LDPMiner-SH* also sends one bit, *LDPMiner-RAPPOR* one per candidate.


# %%
def bits(items, d, slots, eps, rng):
    """Sampling RAPPOR: a bit for each item."""
    drawn = draw(items, slots, rng)
    flips = bernoulli(1 / (odds(eps / 2) + 1), (d,), rng).tolist()
    return tuple((x == drawn) ^ flips[x] for x in range(d))


def miner(S, phase, K, d, ell, eps, rng, answer=one_bit):
    """LDPMiner, one of two reports; answer is one_bit or bits."""
    if phase == 1:
        return one_bit(S, d, ell, eps / 2, rng)
    return answer(trim(S, K), len(K), len(K), eps / 2, rng)


# %% [markdown]
# (sec-gfim-privacy)=
# ## Privacy of both phases
#
# In the proof of parallel composition ({prf:ref}`thm-comp-parallel`), no client depends on other people's reports.
# Here, phase two depends on phase one.
#
# :::{prf:theorem} What two phases spend
# :label: thm-gfim-privacy
# Let the server make $K$ from the first reports, by any rule.
#
# 1. For a fixed list, the report of phase two is ε-LDP if it hides the drawn entry with ε.
# 2. GFIM is ε-LDP for each person, all reports and the list included.
# 3. LDPMiner with $\varepsilon_1$ and $\varepsilon_2$ in its phases is $(\varepsilon_1+\varepsilon_2)$-LDP.
# :::
#
# :::{prf:proof}
# 1. *Phase two.*
#    Trimming turns a set into another set, and {prf:ref}`thm-items-privacy` holds for any two sets.
# 2. *GFIM.*
#    Fix the halves $A$ and $B$, and let $y_i$ be the report of person $i$.
#    The list is computed from the reports $y_A$ of half $A$.
#    Each client tosses its own coins, and those in $B$ know the list $K(y_A)$.
#    So all reports together have the probability
#
#    $$ \prod_{i \in A} \Pr[y_i \mid S_i] \;\prod_{i \in B} \Pr[y_i \mid S_i, K(y_A)]. $$ (eq-gfim-once)
#
#    Only one factor contains the set $S_i$ of person $i$; for the same reports, the list is the same, too.
#    This factor changes by at most $e^\varepsilon$, in half $A$ by {prf:ref}`thm-items-privacy`, in half $B$ by step 1.
# 3. *LDPMiner.*
#    Person $i$ sends two reports, $y_i$ and $y_i'$.
#    The factors $\Pr[y_i \mid S_i]$ and $\Pr[y_i' \mid S_i, K(y)]$ change by at most $e^{\varepsilon_1}$ and $e^{\varepsilon_2}$.
# :::
#
# `prove` confirms this for every ε, with five sets of items, a list from one report, and for GFIM one person per half.


# %%
def favourites(report):
    """A list of two from one report: the items with its sign."""
    r, z = report
    signs = hadamard(4)[r]
    return tuple(sorted(range(4), key=lambda x: -z * signs[x])[:2])


def gfim_shows(S, T, eps, rng):
    """All that GFIM shows of S in half 1 and T in half 2."""
    first = gfim(S, 1, None, 4, 2, eps, rng)
    K = favourites(first)
    return first, K, gfim(T, 2, K, 4, 2, eps, rng)


def miner_shows(S, eps, rng, answer=one_bit):
    """Both reports of one person to LDPMiner."""
    first = miner(S, 1, None, 4, 2, eps, rng)
    K = favourites(first)
    return first, miner(S, 2, K, 4, 2, eps, rng, answer)


some = [set(), {0}, {0, 2}, {1, 3}, {0, 1, 2, 3}]
shown = {
    "GFIM, half 1": lambda S, e, rng: gfim_shows(S, {0}, e, rng),
    "GFIM, half 2": lambda S, e, rng: gfim_shows({0}, S, e, rng),
    "LDPMiner-SH": miner_shows,
    "LDPMiner-RAPPOR": lambda S, e, g: miner_shows(S, e, g, bits),
}
for name, client in shown.items():
    found = prove(client, some, rounded=False)
    print(f"{name:15}: ε-LDP {found.holds}, e^ε attained {found.tight}")


# %% [markdown]
# Three spend less, because padding to $h = L$ also hides.
# Let $a$ be the share of candidates with a plus in row $r$.
# The report − is most probable for the set of all candidates with $\Phi_{rx} = -1$, least for that of all with $+1$; dummies fill the other slots:
#
# $$ \frac{(1-a)\frac{e^\varepsilon}{e^\varepsilon+1} + \frac a2}{\frac a{e^\varepsilon+1} + \frac{1-a}2} = \frac{2e^\varepsilon - a(e^\varepsilon-1)}{e^\varepsilon+1 - a(e^\varepsilon-1)}. $$
#
# This grows with $a$; for a plus, replace $a$ by $1-a$.
# Row 0 has $a = 1$, so one bit with ε spends $\ln\frac{e^\varepsilon+1}2$.
# The budget ε therefore allows a bit with $e^{\varepsilon'} = 2e^\varepsilon - 1$; for RAPPOR, see Exercise 1.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: what each part spends"}
SETS = [set(items) for size in range(5) for items in combinations(range(4), size)]


def spent(client, eps=1.0):
    """Exact ε over all sets of four items."""
    return epsilon(laws(lambda S, rng: client(S, eps, rng), SETS))


def twice(S, eps, rng):
    """A mistake: one person in both halves."""
    return gfim_shows(S, S, eps, rng)


part = log((exp(1) + 1) / 2), log((exp(0.5) + 1) / 2)
seconds = [lambda S, e, rng, a=answer: a(trim(S, (3, 0)), 2, 2, e, rng) for answer in (one_bit, bits)]
check(
    "Privacy",
    "all 16 sets of four items, lists of two, ε = 1: first reports ε, second ones ln((e^ε + 1)/2) and ε/2, LDPMiner at most the sum",
    abs(spent(shown["GFIM, half 1"]) - 1) < 1e-9
    and np.allclose([spent(client) for client in seconds], (part[0], 0.5))
    and spent(miner_shows) < 0.5 + part[1] + 1e-9
    and spent(shown["LDPMiner-RAPPOR"]) < 0.75 + 1e-9,
    control=f"one person in both halves, ε = {spent(twice):.2f}",
    caught=spent(twice) > 1.2,
)

# %% [markdown]
# (sec-gfim-estimate)=
# ## The server
#
# Phase two is sampling S-Hist, with $L$ candidates for the $d$ items and $h$ for $\ell$.
# A report $(r, z)$ has the score $h\,c\,z\,\Phi_{rx}$ for candidate $x$, with $c = \frac{e^\varepsilon+1}{e^\varepsilon-1}$.
# By {prf:ref}`thm-items-estimate`, its mean is 1 if $x \in S$, and 0 if not, as long as a person has at most $h$ candidates.
#
# The square of every score is $h^2c^2$, so its variance is $h^2c^2-1$ or $h^2c^2$.
# If a share $f_x$ of $n'$ people has $x$, their mean score has
#
# $$ \E\hat f_x = f_x, \qquad \Var\hat f_x = \frac{h^2c^2 - f_x}{n'}. $$ (eq-gfim-second)
#
# Phase one is the same with $\ell$ for $h$.
# Client and server must agree on $h$.


# %%
def server(reports, d, slots, eps):
    """Shares of d items from bit reports, and standard errors."""
    r, z = np.array(reports).T
    c, phi = (exp(eps) + 1) / (exp(eps) - 1), np.array(hadamard(d))
    Z = np.bincount(r, z, minlength=len(phi))
    f = slots * c * (Z @ phi) / len(z)
    return f, np.sqrt(((slots * c) ** 2 - f) / len(z))


def bits_server(reports, slots, eps):
    """The same from a bit for each item."""
    flip = 1 / (exp(eps / 2) + 1)
    score = slots * (np.array(reports) - flip) / (1 - 2 * flip)
    return score.mean(0), score.std(0) / sqrt(len(score))


def candidates(f, L):
    """The L items with the largest estimates."""
    return np.argsort(-f, kind="stable")[:L].tolist()


# %% [markdown]
# ### A survey
#
# GFIM, with standard errors:

# %%
L = 8
half1, half2 = rng.permutation(n).reshape(2, -1).tolist()
told = [gfim(people[i], 1, None, D, ELL, EPS, rng) for i in half1]
first, err1 = server(told, D, ELL, EPS)
K = candidates(first, L)
told = [gfim(people[i], 2, K, D, ELL, EPS, rng) for i in half2]
second, err2 = server(told, L, L, EPS)


def beside(K, **estimates):
    """Estimates beside the truth, largest share first."""
    shown = pd.DataFrame({"app": K, "truth": truth[K].round(3)})
    for name, both in estimates.items():
        cells = [f"{x:z.2f} ± {e:.2f}" for x, e in np.transpose(both)]
        shown[name] = [cell.replace("-", "−") for cell in cells]
    return table(shown.iloc[np.argsort(-truth[K], kind="stable")])


beside(K, first=(first[K], err1[K]), second=(second, err2))

# %% [markdown]
# LDPMiner:

# %%
told = [miner(S, 1, None, D, ELL, EPS, rng) for S in people]
f, err = server(told, D, ELL, EPS / 2)
K_m = candidates(f, L)
sh = [miner(S, 2, K_m, D, ELL, EPS, rng) for S in people]
rappor = [miner(S, 2, K_m, D, ELL, EPS, rng, bits) for S in people]
by_sh = server(sh, L, L, EPS / 2)
by_rappor = bits_server(rappor, L, EPS / 2)
beside(K_m, first=(f[K_m], err[K_m]), SH=by_sh, RAPPOR=by_rappor)

# %% [markdown]
# Both lists have all four wanted apps, 0 to 3.
# GFIM's also has two rare apps, and LDPMiner's three; their second estimates are within 2.3 standard errors of 0.
#
# (sec-gfim-curse)=
# ## Do not publish the estimates that chose the list
#
# First estimates are unbiased, but the list prefers those that came out too large ({numref}`fig-gfim-run`): the *winner's curse* ({ref}`sec-charts-curse`).

# %% mystnb={"figure": {"name": "fig-gfim-run", "caption": "GFIM, one run; the list is on or above the dotted line. Bars: 95 % intervals."}, "image": {"alt": "Two panels, estimate against true share, with a diagonal. Left, a tall cloud of rare apps reaches from minus 0.49 to 0.47 at share 0; eight orange diamonds above the dotted line at 0.42 are listed, two of them from the cloud. Right, eight diamonds with bars lie around the diagonal; those two are near zero."}}
size = {"figsize": (6.4, 3.5), "sharey": True}
fig, (left, right) = plt.subplots(1, 2, **size)
left.plot(truth, first, ".", color="0.6", label="not listed")
left.plot(truth[K], first[K], "D", color="C1", label="listed")
left.axhline(first[K].min(), color="black", ls=":", marker="")
right.errorbar(truth[K], second, 1.96 * err2, fmt="D", color="C1")
for ax, title in ((left, "phase one"), (right, "phase two")):
    ax.plot([0, 1], [0, 1], color="black", linewidth=1, marker="")
    ax.set(title=title, xlabel="true share", ylabel="estimate")
left.legend(loc="lower right")
plt.show()

# %% [markdown]
# ### How large is the bias?
#
# We simplify: an item is listed if its first estimate $\hat f_1$ is at least a fixed $\tau$.
# This estimate is about $f + \sigma T$, where $\sigma = \ell c\sqrt{2/n}$ and $T$ is standard normal with density $\varphi$.
# So the item is listed if $T \ge u$, where $u = (\tau-f)/\sigma$.
# As $t\,\varphi(t)$ is the derivative of $-\varphi(t)$, the mean error of a listed item is
#
# $$ \begin{aligned} \E[\hat f_1 - f \mid \hat f_1 \ge \tau] &= \sigma\,\E[T \mid T \ge u] \\ &= \sigma\,\frac{\int_u^\infty t\,\varphi(t)\,dt}{\Pr[T \ge u]} = \sigma\,\frac{\varphi(u)}{\Pr[T \ge u]} > 0. \end{aligned} $$ (eq-gfim-curse)
#
# With $\tau = 0.42$ and $f = 0$, $\sigma = 0.149$, $u = 2.83$ and the bias is 0.464.
#
# ### The cure
#
# Second reports do not use the coins of the first.
# So in GFIM, by {eq}`eq-gfim-second`, $\E[\hat f_2 \mid y_A]$ is the share of the item in the second half, whatever the list.
# In random halves, this share is nearly $f$: its standard deviation $\sqrt{f(1-f)/(n-1)}$ is at most 0.0025.
# In LDPMiner, the same people answer twice, but with new coins, so $\E[\hat f_2 \mid K] = f$.
# So choose by $\hat f_1$, and *publish $\hat f_2$ alone, for the whole list*.
#
# We simulate one item ({numref}`fig-gfim-curse`).
# For a person with the item, a score $\pm\ell c$ has the mean 1, so it is positive with probability $\frac12(1 + \frac1{\ell c})$; for others, with $\frac12$.


# %%
def phase(f, slots, runs, rng):
    """Estimates of an item with share f from n/2 people."""
    size, asked = slots * C, n // 2
    have = round(f * asked)
    plus = rng.binomial(have, (1 + 1 / size) / 2, runs)
    plus += rng.binomial(asked - have, 1 / 2, runs)
    return size * (2 * plus / asked - 1)


TAU, RUNS = 0.42, 200_000
rows = []
for f in np.linspace(0, 0.9, 10):
    one, two = phase(f, ELL, RUNS, rng), phase(f, L, RUNS, rng)
    for name, error in (("first", one - f), ("second", two - f)):
        found = pd.DataFrame({"error": error[one >= TAU][:2000]})
        rows.append(found.assign(f=f, estimate=name))
simulated = pd.concat(rows)

# %% mystnb={"figure": {"name": "fig-gfim-curse", "caption": "Mean error of an item if its first estimate is at least 0.42. Lines: theory. Marks: simulated."}, "image": {"alt": "Mean error against true share from 0 to 0.9. The curve of the first estimate falls from 0.46 at share 0 almost in a straight line, then flattens, to zero near share 0.8. The second estimate lies on zero throughout. Marks lie on both lines."}}
sigma, f = ELL * C * sqrt(2 / n), np.linspace(0, 0.9, 100)
u, names = (TAU - f) / sigma, ["first", "second"]
bias = sigma * norm.pdf(u) / norm.sf(u)
curve = pd.DataFrame({"f": f, "first": bias, "second": 0 * f})
curve = curve.melt("f", names, "estimate", "error")
fig, ax = plt.subplots(figsize=(6.4, 3.2))
look = {"x": "f", "y": "error", "ax": ax}
sns.lineplot(curve, **look, **theory("estimate", names))
sns.lineplot(simulated, **look, **simulation("estimate", names))
ax.set(xlabel="true share f", ylabel="mean error if listed")
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: halves, cure and curse"}
SIX = [{0, 1}, {0}, {0, 2}, {1}, {2, 3}, {0, 1}]  # six people, four items, ℓ = 2, list (0, 1)


def exact(kind, records):
    """Mean and variance of each person's score for item 0."""
    mean, variance = moments(kind, records)
    return mean[:, 0], variance[:, 0]


def mixture(weight, halved=True):
    """Exact mean and variance of the mixture for item 0, over all 20 splits and all reports."""
    everyone = Records.of(*SIX)
    m1, v1 = exact(SampledHadamardBit(d=4, ell=2, epsilon=1.0), everyone)
    m2, v2 = exact(SampledHadamardBit(d=2, ell=2, epsilon=1.0), restrict(everyone, (0, 1)))
    means, variances = [], []
    for half in map(list, combinations(range(6), 3)):
        rest = [i for i in range(6) if i not in half]
        means.append((1 - weight) * m1[half].mean() + weight * m2[rest].mean())
        variances.append((1 - weight) ** 2 * v1[half].sum() / 9 + weight**2 * v2[rest].sum() / 9)
    return np.mean(means), np.mean(variances) + halved * np.var(means)


def stated(weight, f=4 / 6):
    V = (4 * ((exp(1) + 1) / (exp(1) - 1)) ** 2 - f) / 3
    return f, ((1 - weight) ** 2 + weight**2) * V + (1 - 2 * weight) ** 2 * f * (1 - f) / 5


check(
    "Halves",
    "six people, all 20 splits, four weights: mean and variance as in the theorem",
    all(np.allclose(mixture(w), stated(w)) for w in (0, 0.25, 0.5, 1)),
    control="without the last term",
    caught=abs(mixture(0, halved=False)[1] - stated(0)[1]) > 0.01,
)


def given_list(which):
    """Exact mean score of item 1 in one phase, for a person with item 0, given that item 1 is listed."""
    [told], c = laws(lambda S, rng: miner_shows(S, 2.0, rng), [{0}]), (exp(1) + 1) / (exp(1) - 1)
    total = mean = 0.0
    for (first, second), chance in told.items():
        K = favourites(first)
        if 1 in K:
            at, (r, z) = ((1, first), (K.index(1), second))[which]
            total += float(chance)
            mean += float(chance) * 2 * c * z * hadamard((4, 2)[which])[r][at]
    return mean / total


check(
    "Cure",
    "LDPMiner, one person without item 1: given that it is listed, its second score has the exact mean 0",
    abs(given_list(1)) < 1e-9,
    control=f"the first score, mean {given_list(0):.2f}",
    caught=given_list(0) > 0.5,
)


def exact_curse(f, tau=TAU):
    """Mean error given the list, from the exact law of the first estimate."""
    size, people = ELL * C, n // 2
    have = round(f * people)
    pmf = [binom.pmf(np.arange(m + 1), m, p) for m, p in ((have, (1 + 1 / size) / 2), (people - have, 1 / 2))]
    found = size * (2 * np.arange(people + 1) / people - 1)
    law_of = np.convolve(*pmf) * (found >= tau)
    return law_of @ found / law_of.sum() - f


check(
    "Curse",
    "three shares: the exact mean error of a listed item is the formula's to 0.005",
    all(abs(exact_curse(x) - np.interp(x, f, bias)) < 0.005 for x in (0.0, 0.3, 0.6)),
    control="τ 0.05 higher",
    caught=abs(exact_curse(0.0, TAU + 0.05) - bias[0]) > 0.04,
)

# %% [markdown]
# (sec-gfim-pays)=
# ## When two phases pay
#
# :::{prf:theorem} Two random halves
# :label: thm-gfim-estimate
# Let the list be fixed beforehand, and $n$ even.
# If nobody has more than $\ell$ items or $h$ candidates, $(1-\omega)\hat f_1 + \omega\hat f_2$ is unbiased for a candidate, with the variance
#
# $$ \begin{aligned} &(1-\omega)^2\,V_1 + \omega^2\,V_2 + (1-2\omega)^2\,\frac{f(1-f)}{n-1}, \\ &V_1 = \tfrac2n(\ell^2c^2-f), \qquad V_2 = \tfrac2n(h^2c^2-f). \end{aligned} $$ (eq-gfim-variance)
# :::
#
# :::{prf:proof}
# Let $f_A$ and $f_B = 2f - f_A$ be the shares in the halves.
# Given the halves, $\hat f_1$ and $\hat f_2$ are independent.
# By {eq}`eq-gfim-second` with $n' = n/2$, $\hat f_1$ then has the mean $f_A$ and the variance $\tfrac2n(\ell^2c^2-f_A)$.
# As $\E f_A = f$, its average is $V_1$; likewise $V_2$.
# Given the halves, the mixture has the mean $f + (1-2\omega)(f_A-f)$, and the law of total variance adds the variance of this mean.
# Here $\Var f_A = \frac{f(1-f)}{n/2}\cdot\frac{n/2}{n-1}$, as $\frac n2f_A$ is hypergeometric.
# :::
#
# If $\hat f_1$ chose the list, about $1-\omega$ of its bias stays.
#
# For a rare item, $f \approx 0$, the best weight $V_1/(V_1+V_2)$ gives the variance $V_1V_2/(V_1+V_2)$.
# One phase of S-Hist, with everybody, has $\ell^2c^2/n$.
# With $h = L$, the ratios to it are
#
# $$ \frac{2L^2}{\ell^2} \;\text{ for phase two alone,} \qquad \frac{2L^2}{\ell^2+L^2} \;\text{ for both.} $$ (eq-gfim-ratio)
#
# Should we divide people or budget?
# Let $c(\varepsilon) = c$, which is $1/\tanh\frac\varepsilon2$.
# LDPMiner has $n$ reports in each phase, GFIM $\frac n2$.
# So by $\tanh 2a = 2\tanh a/(1+\tanh^2a)$, a phase of LDPMiner-SH has
#
# $$ \frac{c(\varepsilon/2)^2}{2\,c(\varepsilon)^2} = \frac{\tanh^2\frac\varepsilon2}{2\tanh^2\frac\varepsilon4} = \frac{2}{\big(1+\tanh^2\frac\varepsilon4\big)^2} $$ (eq-gfim-rival)
#
# times GFIM's variance of the same phase.
# This ratio falls from 2 to $\frac12$ as ε grows, and is 1 where $\tanh^2\frac\varepsilon4 = \sqrt2 - 1$.
#
# :::{prf:theorem} Two phases or one
# :label: thm-gfim-pays
# Compare the variances for a rare item on a fixed list, with S-Hist and $h = L$.
# Let each bit be sent with the budget of its phase.
#
# - Phase two alone beats one phase with everybody if and only if $L < \ell/\sqrt2$; both, at the best weight, if and only if $L < \ell$.
# - A phase of GFIM beats that of LDPMiner-SH if and only if $\varepsilon < 4\operatorname{artanh}\sqrt{\sqrt2-1} \approx 3.06$.
# :::
#
# With the larger budget $e^{\varepsilon'} = 2e^\varepsilon - 1$ in phase two, $c$ becomes $1/(1-e^{-\varepsilon})$ there, and phase two alone beats one phase if $L < \ell\,(1+e^{-\varepsilon})/\sqrt2$.
# If LDPMiner-SH also uses its larger budget, its phase two has $\frac12(1+e^{-\varepsilon/2})^2$ times GFIM's variance.
# This is below 1 for $\varepsilon > 1.76$, as here.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: when two phases pay"}
def rare(slots, eps=1.0):
    """n times the variance of a rare item."""
    return SampledHadamardBit(d=1000, ell=slots, epsilon=eps).rare_variance


def pays(L, both):
    return 2 * (rare(16) * rare(L) / (rare(16) + rare(L)) if both else rare(L)) < rare(16) - 1e-9


def bit(slots):
    return SampledHadamardBit(d=64, ell=slots, epsilon=EPS)


marks = study.ratios(bit, ELL, (8, 12, 16, 20, 24), 4_000, 100, rng)
crossing = brentq(lambda e: rare(16, e / 2) / (2 * rare(16, e)) - 1, 1, 6)
wanted = np.where(
    marks["phases"] == "phase two alone", 2 * marks["x"] ** 2, 2 * marks["x"] ** 2 / (1 + marks["x"] ** 2)
)
full = brentq(lambda e: rare(16, log(2 * exp(e / 2) - 1)) / (2 * rare(16, log(2 * exp(e) - 1))) - 1, 1, 6)
off = np.abs(marks["ratio"] / wanted - 1).max()  # of a variance 1.8 %, of a ratio 2.2 %
check(
    "Pays",
    "ℓ = 16: phase two alone up to 11 candidates, both up to 15; crossings at 3.06 and 1.76; 10 simulated ratios",
    [max(L for L in range(1, 24) if pays(L, both)) for both in (False, True)] == [11, 15]
    and abs(crossing - 4 * atanh(sqrt(sqrt(2) - 1))) < 1e-6
    and abs(full + 2 * log(sqrt(2) - 1)) < 1e-6
    and off < 0.12,
    control="phase two with everybody",
    caught=abs(marks["ratio"][0] / (marks["x"][0] ** 2) - 1) > 0.5,
)

# %% [markdown]
# (sec-gfim-all)=
# ## Which one?
#
# A short list shortens the padding and, for sampling k-RR, the number of symbols.
# By {eq}`eq-items-krr`, its noise is
#
# $$ \underbrace{\frac{d - 1 + \ell\,e^\varepsilon}{(e^\varepsilon-1)^2}}_{\text{one phase}} \qquad\text{or}\qquad \underbrace{2\cdot\frac{L-1+h\,e^\varepsilon}{(e^\varepsilon-1)^2}}_{\text{phase two}}, $$ (eq-gfim-krr)
#
# here 27 and 3.2, against 441 and 221 for S-Hist.
#
# We run ten methods 20 times; ± is a standard error.
# A method *names* the four items with the largest estimates on its list.
# *Recall* is the share of the wanted four on the list, *precision* that of wanted items among the named.
# *Mean errors* average estimate minus truth; the *error* is its root mean square over the list.


# %%
def ask(kind, people, rng, d=D, ell=ELL, eps=EPS):
    asked = kind(d=d, ell=ell, epsilon=eps)
    return asked.estimate(asked.tally(asked.perturb(people, rng=rng)))


def listed(finder, one, two, rng, meters, eps=EPS):
    """A list from one, and estimates from two, of each kind."""
    K = largest(ask(finder, one, rng, eps=eps), L)
    two, found = restrict(two, K), {}
    for name, (meter, spent) in meters.items():
        found[name] = K, ask(meter, two, rng, L, L, spent)
    return found


SH, KRR, RAPPOR = SampledHadamardBit, SampledGRR, SampledSUE
MINERS = {
    "LDPMiner-SH": (SH, EPS / 2),
    "LDPMiner-RAPPOR": (RAPPOR, EPS / 2),
    "LDPMiner-RAPPOR, bits with ε": (RAPPOR, EPS),
}
GFIMS = {"GFIM": (SH, EPS), "S-Hist, then k-RR": (KRR, EPS)}
KRRS = {"k-RR, then k-RR": (KRR, EPS)}
PRIVSETS = {"PrivSet, then k-RR": (KRR, EPS)}


def all_methods(people, rng):
    """Lists and estimates of one run."""
    found, (half1, half2) = {}, halves(people, rng)
    for name, kind in ("S-Hist", SH), ("k-RR", KRR), ("PrivSet", PrivSet):
        f = ask(kind, people, rng)
        found["one phase, " + name] = largest(f, L), f[largest(f, L)]
    found |= listed(SH, people, people, rng, MINERS, EPS / 2)
    found |= listed(SH, half1, half2, rng, GFIMS)
    found |= listed(KRR, half1, half2, rng, KRRS)
    return found | listed(PrivSet, half1, half2, rng, PRIVSETS)


runs = study.scores(all_methods, Records.of(*people), D, 4, 20, rng)
study.summary(runs)

# %% [markdown]
# - One phase of S-Hist finds about as many as GFIM, but its estimates are too large (*mean error, list*).
# - GFIM's error is below LDPMiner-SH's, as $\varepsilon < 3.06$; that of k-RR in phase two is far below both.
# - With the larger budget that padding allows (Exercise 1), RAPPOR's bits have half of GFIM's error.
# - Second estimates choose the named items, which biases them a little (Exercise 3).
#
# So take one phase of PrivSet if it is precise enough.
# If not, find items by PrivSet or k-RR (10 bits per report), which found all four here, and measure them by k-RR.
#
# (sec-gfim-wrong)=
# ## What can go wrong
#
# - *One person in both halves.* The budgets of her two reports add up.
# - *A list from private data.* Compute the list, and even its length, from reports alone.
#
# (sec-gfim-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 7 minutes)
# In phase two with $h = L$, show that RAPPOR's bits, sent with ε, spend only $\frac\varepsilon2$: compare a drawn candidate with a dummy.
# With which $\varepsilon'$ may they be sent if the phase has the budget ε?
# :::
#
# :::{dropdown} Solution
# A drawn candidate multiplies a dummy's probability by $e^{\varepsilon/2}$ if its bit is set, and by $e^{-\varepsilon/2}$ if not.
# Let a report set $b$ of the $L$ bits.
# It is most probable if $S \cap K$ is these $b$ candidates, and least if it is the others.
# As each slot is drawn with probability $\frac1L$, the ratio is
#
# $$ \frac{b\,e^{\varepsilon/2} + L - b}{b + (L-b)\,e^{-\varepsilon/2}} = e^{\varepsilon/2} \quad\text{for every } b. $$
#
# So bits sent with $\varepsilon' = 2\varepsilon$ are ε-LDP.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Write phase two by sampling k-RR with {eq}`eq-items-amplified`: a client, with different dummies, and its estimator.
# Apply it to half 2 and the list $K$.
# :::
#
# :::{dropdown} Solution
# The drawn entry may have the ratio $1 + L(e^\varepsilon-1)$.
# Then $Z = 2L - 1 + 1 + L(e^\varepsilon-1) = L(e^\varepsilon+1)$, and a candidate is reported with probability $\frac1Z\big(1 + (e^\varepsilon-1) f\big)$.
# The standard errors are between 0.009 and 0.022, those of one bit 0.074.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def krr_second(S, K, eps, rng):
    L, mine = len(K), sorted(trim(S, K))
    entry = pick([*mine, *range(L, 2 * L - len(mine))], rng)
    ratio = 1 + L * (odds(eps) - 1)
    others = [y for y in range(2 * L) if y != entry]
    return entry if toss(ratio / (ratio + 2 * L - 1), rng) else pick(others, rng)


told = [krr_second(people[i], K, EPS, rng) for i in half2]
share = np.bincount(told, minlength=2 * L)[:L] / len(told)
Z, gain = L * (exp(EPS) + 1), exp(EPS) - 1
beside(K, krr=((Z * share - 1) / gain, Z / gain * np.sqrt(share * (1 - share) / len(told))))

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# A collector publishes only the four largest of eight second estimates.
# Are they biased?
# What would help?
# :::
#
# :::{dropdown} Solution
# They are, upwards: now $\hat f_2$ selects.
# For a fixed τ, {eq}`eq-gfim-curse` holds with the standard deviation of phase two.
# Publish all eight, or let a third group of people measure the four.
# :::
#
# ## Summary
#
# - Phase one finds candidates, phase two measures them.
# - Estimates that chose the list are too large on average, so publish the second ones.
# - Phase two alone pays for S-Hist up to $\ell/\sqrt2$ candidates, for k-RR up to 441 here, by {eq}`eq-gfim-krr` with $h = \min(\ell, L)$.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $S$ | one person's set of items, or of keys with values |
# | $\ell$ | length to which a person's set is padded |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $\Phi$ | public table of signs |
# | $K$ | list of candidates (here only) |
# | $L$ | length of the list (here only) |
# | $h$ | length to which candidates are padded (here only) |
# | $A$ | first half of the people (here only) |
# | $B$ | second half (here only) |
# | $r$ | a row of $\Phi$ (here only) |
# | $a$ | share of pluses among the candidates (here only) |
# | $b$ | number of set bits (here only) |
# | $n'$ | number of people in a phase (here only) |
# | $z$ | sign in a report (here only) |
# | $u$ | $(\tau-f)/\sigma$ (here only) |
# | $t$ | a value of $T$ (here only) |
# | $\hat f_1$ | estimate of phase one (here only) |
# | $\hat f_2$ | estimate of phase two (here only) |
# | $\tau$ | least first estimate on the list (here only) |
# | $\sigma$ | standard deviation of a first estimate (here only) |
# | $T$ | a standard normal number (here only) |
# | $\varphi$ | density of $T$ (here only) |
# | $\omega$ | weight of the second phase (here only) |
# | $V_1$ | mean variance of $\hat f_1$ given the halves (here only) |
# | $V_2$ | the same for $\hat f_2$ (here only) |
#
# Next, {ref}`ch-joint` asks about several attributes at once.
