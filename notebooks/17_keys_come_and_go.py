# %% [markdown]
# (ch-changing)=
# # Keys that come and go
#
# *The question is that of {cite:t}`wang2024dynamic`, with {ref}`its dossier <paper-wang2024>`; PCKV is due to {cite:t}`gu2020pckv`.*
#
# :::{admonition} In one minute
# A shop adds and drops articles while people rate them.
# A phone that works with a list must be told of every change, or it wastes reports or spends more than was promised.
# A phone that hashes articles needs no list: the server decides afterwards what to count.
# While an article is off the shelf, its share is known to be zero and need not be estimated.
# Do not estimate a share from the reports that chose the article.
# If a person reports every day, her budgets add up.
# :::
#
# :::{zh}
# 商店不断增减商品，用户同时继续上报评分，键域因此随时间变化。
# 客户端若依赖键的列表而未获更新，或浪费报告，或看不到新键；PCKV-GRR 若沿用旧的概率，键数由 100 增至 200、$\ell=1$ 时，标称 $\varepsilon=1$ 的客户端实际消耗 1.69。
# 若自己的键可能是新的，而随机回答只取自旧列表，则没有有限的 $\varepsilon$。
# Wheel 机制的客户端没有列表，无须更新，由服务器事后决定统计哪些键。
# 服务器按批次处理：键不存在的批次中频率为零，不必估计，也就不带来噪声。
# 应先说明所求的是全体、曾有机会者还是最近一批人的频率，因为权重由此而定。
# 同一批报告不宜既用来选出排行榜又用来给出数值；每天重新上报，$\varepsilon$ 逐日相加。
# :::
#
# You need PCKV and the wheel from {ref}`ch-wheel`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import product
from math import exp, inf, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import binom

from ldpnb import PCKVGRR, WheelKV, epsilon, laws, pick, prove, same_law, toss
from ldpnb.chance import odds
from ldpnb.hashing import key_of
from ldpnb.keyvalue import stale_epsilon
from ldpnb_book import check, diagram, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import changing as study

style()
rng = np.random.default_rng(2024)

# %% [markdown]
# (sec-changing-setting)=
# ## A shelf that changes
#
# A shop's app asks its users which articles they buy, and how they like them, from −1 to 1.
# Each article is a key; a person's record holds those that she bought in the period.
# The shelf changes, as in {numref}`fig-changing-shelf`; a key is *alive* while people can buy it.
# A *batch* is all reports of one period without a change.
# Each person reports once.

# %% mystnb={"figure": {"name": "fig-changing-shelf", "caption": "Four articles and three batches of reports. A dashed line marks a batch, which covers its whole period; a dot, a key that is alive in it."}, "image": {"alt": "Timeline over ten weeks. Bread is there all the time, plum cake until week 3, ice cream from week 3 on, soup until week 3 and again from week 6. Dashed lines mark batches in weeks 2, 5 and 8."}}
SHELF = {
    "bread": [(0, None)],
    "plum cake": [(0, 3)],
    "ice cream": [(3, None)],
    "soup": [(0, 3), (6, None)],
}
WEEKS = {2: "batch 1", 5: "batch 2", 8: "batch 3"}
diagram.timeline(SHELF, batches=WEEKS, unit="week")
plt.show()

# %% [markdown]
# **What if a phone is not told, and how does the server combine reports about different shelves?**
#
# (sec-changing-stale)=
# ## A client that was not told
#
# PCKV-GRR ({ref}`sec-pckv`) works with a list of $d$ keys and $\ell$ *dummies*, and draws each key of a person's set $S$ with probability $w = 1/\ell$.
# With $\omega = e^{\varepsilon'}$ from {eq}`eq-pckv-amplified`, it reports the drawn key and sign with probability $\alpha$, and each other signed key with probability $\gamma$:
#
# $$ \alpha = \omega\gamma, \qquad \gamma = \frac{1}{\omega+2(d+\ell)-1}. $$ (eq-changing-grr)
#
# The drawn key with the *wrong* sign has $\beta = \gamma$, too; all three depend on $d$.
#
# Now the shop adds or drops articles, and there are $d'$ keys.
# A client that does not know all changes can err in three ways:
#
# | the client uses | new keys | dropped keys | privacy |
# |---|---|---|---|
# | the old list | left out | still reported | as promised |
# | the new list, with old probabilities | reported | not reported | {prf:ref}`thm-changing-stale` |
# | the old list, and the person's own new keys | reported by holders only | still reported | none |
#
# The first way keeps the promise, but misses new keys and wastes reports.
# In the third way, only holders ever report a new key: a report exposes them, and ε is infinite.
# The client of the second way keeps the drawn key with probability $\alpha+\beta$, and otherwise picks another key:


# %%
def sign(v, rng):
    """+1 or −1, with mean v."""
    return 1 if toss((1 + v) / 2, rng) else -1


def pad_and_sample(record, d, ell, rng):
    """One signed key of a record, padded with d, d + 1, …"""
    key = pick([*sorted(record), *range(d, d + ell - len(record))], rng)
    return key, sign(record.get(key, 0.0), rng)


def stale(record, d_old, d_new, ell, eps, rng):
    """PCKV-GRR among d_new keys, with the probabilities of d_old."""
    key, s = pad_and_sample(record, d_new, ell, rng)
    omega = ell * (odds(eps) - 1) + 1
    if toss((omega + 1) / (omega + 2 * (d_old + ell) - 1), rng):
        return key, s if toss(omega / (omega + 1), rng) else -s
    others = [k for k in range(d_new + ell) if k != key]
    return pick(others, rng), pick((-1, 1), rng)


some = [{}, {0: 1.0}, {0: -1.0}]


def grown(record, eps, rng):
    """Two keys became three, and ℓ = 1."""
    return stale(record, 2, 3, 1, eps, rng)


print(prove(grown, some, rounded=False))

# %% [markdown]
# With a third key, the largest ratio is $\frac32 e^\varepsilon$.
#
# :::{prf:theorem} What a client with old probabilities spends
# :label: thm-changing-stale
# Let $d' \ge 1$, let nobody hold more than $\ell$ keys, and let
#
# $$ r = \frac{d'+\ell-1}{d+\ell-1}. $$
#
# The exact ε of the client is
#
# $$ \ln\frac{\ell+\max(0,\, r\omega-1)}{\ell+\min(0,\, r-1)}. $$
#
# :::
#
# :::{prf:proof}
# 1. *Other keys.*
#    Besides the two signs of the drawn key, $2(d'+\ell-1)$ signed keys share $1-\alpha-\beta$, which is $2(d+\ell-1)\,\gamma$ by {eq}`eq-changing-grr`.
#    So each of them now has
#
#    $$ \gamma' = \frac{2(d+\ell-1)\,\gamma}{2(d'+\ell-1)} = \frac\gamma r. $$
#
# 2. *One report.*
#    Take the report (key $j$, +).
#    If $j$ is not in $S$, its probability is $\gamma'$.
#    If $j$ is in $S$ with value $v$, it is
#
#    $$ w\Big(\frac{1+v}{2}\,\alpha + \frac{1-v}{2}\,\beta\Big) + (1-w)\,\gamma'. $$
#
# 3. *Extremes.*
#    This grows with $v$, because $\alpha > \beta$.
#    So all probabilities lie between the least and the largest of $\gamma'$ and the two numbers for $v = 1$ and $v = -1$.
#    The records $\{\}$, $\{j\colon 1\}$ and $\{j\colon -1\}$ attain them.
#    Reports $(j, -)$ are symmetric, and a dummy behaves like a key with $v = 0$.
# 4. *Their ratio.*
#    Multiply by $\ell/\gamma'$, and use $w = 1/\ell$, $\alpha = \omega r\gamma'$ and $\beta = r\gamma'$.
#    The three numbers become $\ell$, $\ell+r\omega-1$ and $\ell+r-1$.
#    Because $\omega \ge 1$, the second is not below the third: the largest is $\ell$ or the second, the least is $\ell$ or the third.
# :::
#
# For $\ell = 1$ and $r \ge 1$ this is $\varepsilon + \ln r$: if 100 keys become 200, a stated ε of 1 becomes 1.69.
# Random answers spread over more keys, so each true answer stands out more.


# %% mystnb={"figure": {"name": "fig-changing-stale", "caption": "Exact ε of a PCKV-GRR client that states ε = 1 for 100 keys, against the number of keys now. Lines: theorem. Marks: from the law of the client on this page."}, "image": {"alt": "Exact epsilon against the number of keys now, 5 to 1000, logarithmic. Both curves meet at 1 for 100 keys and rise to about 3 at 1000. To the left, the curve for padding length 1 is flat down to 37 keys and then rises steeply; that for 8 falls."}}
def spends(d_old, d_new, ell, eps):
    """The theorem."""
    omega = ell * (exp(eps) - 1) + 1
    r = (d_new + ell - 1) / (d_old + ell - 1)
    return log((ell + max(0, r * omega - 1)) / (ell + min(0, r - 1)))


def exact(ell, d_new):
    """Exact ε of the client for 100 keys, from its law."""

    def one(record, rng):
        return stale(record, 100, d_new, ell, 1, rng)

    return epsilon(laws(one, some))


KINDS = {"ℓ = 1": 1, "ℓ = 8": 8}
DS = [*range(5, 100), *range(100, 1001, 10)]
lines, marks = [], []
for name, ell in KINDS.items():
    lines += [(name, d, spends(100, d, ell, 1.0)) for d in DS]
    marks += [(name, d, exact(ell, d)) for d in (10, 40, 200)]
fig, ax = plt.subplots(figsize=(6.4, 3.6))
for rows, look in ((lines, theory), (marks, simulation)):
    frame = pd.DataFrame(rows, columns=["padding", "keys now", "ε"])
    sns.lineplot(frame, x="keys now", y="ε", **look("padding", [*KINDS]))
ax.set(xlabel="number of keys now", ylabel="exact ε (stated: 1)")
ax.set_xscale("log")
plain_ticks(ax)
label_lines(ax)
plt.show()

# %% [markdown]
# Where keys are dropped and $\ell = 8$, random answers about each remaining key become more frequent, and ε falls.
# For $\ell = 1$, the two signs of a key are as far apart as before, so ε stays 1 down to 37 keys.
# With fewer, a random answer is more than $e$ times as likely as a wrong sign, and ε rises.
# Near 54, reports say almost nothing about frequencies (Exercise 1).


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: 36 changes, and the package's client"}
def by_law(old, new, ell, eps, client=stale):
    """Exact ε over all records of signs that are no longer than the padding."""
    states = product((0, 1, -1), repeat=new)
    records = [{k: float(s) for k, s in enumerate(state) if s} for state in states if np.count_nonzero(state) <= ell]
    return epsilon(laws(lambda r, rng: client(r, old, new, ell, eps, rng), records))


CASES = list(product([(2, 3), (1, 3), (3, 2), (9, 1), (40, 2), (2, 2)], (1, 2, 3), (0.3, 1.0)))
GRR = PCKVGRR(d=2, ell=2, epsilon=1.0)
STEP = [lambda r, rng, d=d: 2 * (said := stale(r, d, 2, 2, 1.0, rng))[0] + (said[1] > 0) for d in (2, 3)]
check(
    "Out of step",
    f"{len(CASES)} changes: law, theorem and package agree",
    all(
        abs(by_law(*case) - spends(*case)) < 1e-9
        and abs(stale_epsilon(PCKVGRR(d=case[0], ell=case[2], epsilon=case[3]), case[1]) - spends(*case)) < 1e-9
        for case in [(*keys, ell, eps) for keys, ell, eps in CASES]
    ),
    control="the stated ε",
    caught=sum(abs(spends(*keys, ell, eps) - eps) > 0.01 for keys, ell, eps in CASES) > 20,
)
check(
    "In step",
    "the law of the package's PCKVGRR, ℓ = 2",
    same_law(STEP[0], GRR, [*some, {0: 1.0, 1: -1.0}]),
    control="probabilities of three keys",
    caught=not same_law(STEP[1], GRR, [*some, {0: 1.0, 1: -1.0}]),
)

# %% [markdown]
# (sec-changing-nolist)=
# ## A client that has no list
#
# The client of Wheel-KV in {ref}`ch-wheel` knows ε, the length $\ell$, and a public hash.
# Each person has a public number, the *seed*.
# With it, the hash gives every key one of $g$ slots for +, and the next slot is for −.
# The person's pairs and some dummies *cover* at most $\ell$ slots, and the client names a covered slot more often.

# %%
EPS, ELL, G, MASK = 2.0, 2, 19, 2**64 - 1


def slot(seed, key):
    """Public: the slot of a key's + under a seed."""
    x = (seed ^ key) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 31) * 0x94D049BB133111EB & MASK
    return (x ^ x >> 29) % G


def wheel(record, seed, eps, rng):
    """Wheel-KV: one slot, a covered one more often."""
    mine = [*record]
    while len(mine) > ELL:  # drop keys of a long record at random
        mine.remove(pick(mine, rng))
    cover = set()
    for key in mine:
        minus = sign(record[key], rng) < 0
        cover.add((slot(seed, key) + minus) % G)
    cover |= {pick(range(G), rng) for _ in range(ELL - len(mine))}
    if toss(len(cover) * odds(eps) / (G + ELL * (odds(eps) - 1)), rng):
        return pick(sorted(cover), rng)
    return pick([y for y in range(G) if y not in cover], rng)


# 10**9 is a key that came after the client was written
shoppers = [{1: 1.0}, {1: 1.0, 2: 1.0}, {3: 1.0, 10**9: -1.0}]


def under_one_seed(record, eps, rng):
    return wheel(record, 5, eps, rng)


print(prove(under_one_seed, shoppers, rounded=False))

# %% [markdown]
# The client needs no message when the shelf changes.
# Of more than $\ell$ keys, it draws $\ell$: covering more slots would spend more than ε, and an error message would reveal a long record.
#
# The server estimates $f$ and $s = f\,m$ by {eq}`eq-kv-ternary`, with $w = 1$ and $\alpha$, $\beta$, $\gamma$ from {prf:ref}`thm-wheelkv-estimate`.


# %%
def answer(eps):
    """α, β and γ."""
    alpha = exp(eps) / (G + ELL * (exp(eps) - 1))
    return alpha, (1 - alpha) / (G - 1), 1 / G


def server(seeds, reports, key, eps):
    """Estimates of f and s, and the variance of the first."""
    alpha, beta, gamma = answer(eps)
    at, n = slot(seeds, key), len(reports)
    plus, minus = np.mean(reports == at), np.mean(reports == (at + 1) % G)
    named, gain = plus + minus, alpha + beta - 2 * gamma
    f, s = (named - 2 * gamma) / gain, (plus - minus) / (alpha - beta)
    return f, s, named * (1 - named) / (n * gain**2)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the package's wheel has these probabilities; so has the law of the client"}
KV = WheelKV(epsilon=EPS, m=ELL, slots=G)
mine = laws(lambda r, rng: wheel(r, 5, EPS, rng), [{1: 1.0}, {1: 1.0, 2: 1.0}])
check(
    "Wheel",
    "α from the law; α, β and γ as in the package",
    all(abs(float(law[slot(5, 1)]) - answer(EPS)[0]) < 1e-9 for law in mine)
    and np.allclose([float(x) for x in KV.answer], answer(EPS), atol=1e-12),
    control="ε larger by 0.01",
    caught=abs(float(mine[0][slot(5, 1)]) - answer(EPS + 0.01)[0]) > 1e-4,
)

# %% [markdown]
# (sec-changing-batches)=
# ## The server: batches and known zeros
#
# Let $n_t$ of the $n$ people report in batch $t$, and let a share $f_t$ of them hold the key.
# Which share is wanted?
# Three are natural, each a sum of the $f_t$ with its own *weights* $u_t$:
#
# | the share of | weights |
# |---|---|
# | *everyone* who ever reported | $u_t = n_t/n$ |
# | the *exposed*, who reported while the key was alive | $u_t = n_t\big/\sum_{\text{alive}} n_t$ |
# | the *latest*: people of the last batch in which the key was alive | 1 for that batch, else 0 |
#
# The server can count all reports alike, which gives the share of everyone, or estimate each batch alone, and leave out those without the key.
#
# :::{prf:theorem} Batches
# :label: thm-changing-batches
# Let $\hat f_t$ be unbiased for $f_t$ with variance $V_t$, let the batches be independent, and let nobody hold the key while it is not alive.
# Take weights $u_t$ that do not depend on the reports, and let $\hat f$ be the sum of $u_t\hat f_t$ over the batches in which the key is alive.
# Then
#
# $$ \E\hat f = \sum_t u_tf_t, \qquad \Var\hat f = \sum_{\text{alive}} u_t^2V_t. $$
#
# The sum over *all* batches has the same mean, and its variance has a term $u_t^2V_t$ for each of the others, too.
# :::
#
# :::{prf:proof}
# Means add, and a batch without the key adds nothing, because $f_t = 0$.
# Variances of independent terms add, and constant weights come out squared.
# :::
#
# If all people use the same client, counting all reports alike is the sum over all batches with $u_t = n_t/n$.
# For a rare key, each report has about the variance $V_0$ of a key that nobody holds.
# All reports alike then have about the variance $V_0/n$, and the sum of batches has
#
# $$ \Var\hat f \approx \sum_{\text{alive}} \Big(\frac{n_t}{n}\Big)^2\frac{V_0}{n_t} = \frac{V_0}{n}\cdot\frac{\sum_{\text{alive}} n_t}{n}. $$ (eq-changing-rare)
#
# We simulate a survey of 60,000 people.

# %%
PEOPLE = np.array([10_000, 20_000, 30_000])
SHARE = {  # in the three batches
    "bread": [0.40, 0.40, 0.30],
    "plum cake": [0.20, 0.00, 0.00],
    "ice cream": [0.00, 0.30, 0.50],
    "soup": [0.10, 0.00, 0.20],
}
MEAN = {"bread": 0.5, "plum cake": 0.8, "ice cream": 0.2, "soup": -0.3}
KEY = {name: key_of(name) for name in SHARE}  # a number for each


def shopper(t, rng):
    """A random person of batch t: bread or not, and one other or none."""
    x = rng.random()
    has = ["bread"] if rng.random() < SHARE["bread"][t] else []
    for name in ("plum cake", "ice cream", "soup"):
        has += [name] if 0 <= x < SHARE[name][t] else []
        x -= SHARE[name][t]
    return {KEY[one]: MEAN[one] + rng.uniform(-0.2, 0.2) for one in has}


def survey(records, rng):
    """Public seeds, and the reports of these people."""
    seeds = rng.integers(2**63, size=len(records)).tolist()
    sent = [wheel(r, seeds[i], EPS, rng) for i, r in enumerate(records)]
    return np.array(seeds, np.uint64), np.array(sent)


crowds = [[shopper(t, rng) for _ in range(PEOPLE[t])] for t in range(3)]
batches = [survey(crowd, rng) for crowd in crowds]


def weights(name):
    """The table of weights, for one key."""
    t = np.array([*WEEKS])
    live = sum((a <= t) & (t < (b or inf)) for a, b in SHELF[name]) > 0
    last = np.arange(len(live)) == np.flatnonzero(live)[-1]
    return {
        "everyone": live * PEOPLE / PEOPLE.sum(),
        "exposed": live * PEOPLE / PEOPLE[live].sum(),
        "latest": 1.0 * last,
    }


def weighted(name, u):
    """Weighted sums of f and s, and the variance of the first."""
    f, s, V = np.array([server(*b, KEY[name], EPS) for b in batches]).T
    return u @ f, u @ s, u**2 @ V


# %% [markdown]
# The table has standard errors after ±, and the truth in parentheses.
# The mean is $\hat s/\hat f$ with the weights of the exposed; those of everyone give the same ratio.

# %%
together = [np.concatenate(part) for part in zip(*batches, strict=True)]
rows = []
for name in SHARE:
    u = weights(name)
    f, _, V = server(*together, KEY[name], EPS)
    row = {"key": name, "all alike": f"{f:.3f} ± {sqrt(V):.3f}"}
    for which in ("everyone", "latest"):
        f, _, V = weighted(name, u[which])
        truth = u[which] @ SHARE[name]
        row[which] = f"{f:.3f} ± {sqrt(V):.3f} ({truth:.3f})"
    f, s, _ = weighted(name, u["exposed"])
    rows.append(row | {"mean": f"{s / f:+.2f} ({MEAN[name]:+.1f})"})
table(pd.DataFrame(rows).replace("-", "−", regex=True))

# %% [markdown]
# Plum cake gains most: five of six people could not have bought it.
# Bread was always sold, so batches change nothing.
#
# The left panel of {numref}`fig-changing-batches` shows, at $\varepsilon = 2$, the error of the share of *everyone*, for a key that 2 % of the people hold while it is alive.
# The right panel is for the *latest* share, which falls from 0.04 to 0.02 between two batches; $g$ is 19 for all ε.
# There, all reports alike have a bias of 0.01 but about half the variance, so they are better below ε = 2.4.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Errors of both panels, exact and simulated"}
HOW, rows = ["all alike", "in batches"], []
for a in np.arange(0.1, 1, 0.1):
    for how, u in zip(HOW, ((a, 1 - a), (a, 0)), strict=True):
        found = study.errors(answer(EPS), (20_000 * a, 20_000 * (1 - a)), (0.02, 0), u, (a, 1 - a), rng)
        rows.append({"how": how, "alive": a} | found)
for eps in (0.5, 1, 2, 3, 4, 6):
    for how, u in zip(HOW, ((0.5, 0.5), (0, 1)), strict=True):
        found = study.errors(answer(eps), (10_000, 10_000), (0.04, 0.02), u, (0, 1), rng)
        rows.append({"how": how, "ε": eps} | found)
errors = pd.DataFrame(rows)
EXPOSED = "share of people who report\nwhile the key is alive"

# %% mystnb={"figure": {"name": "fig-changing-batches", "caption": "Root mean square error of the shares *everyone* (left) and *latest* (right), 20,000 people. Lines: formula. Marks: 2,000 simulated surveys."}, "image": {"alt": "Left panel: error against the share of people for whom the key was alive; all reports alike have a flat line, batches rise from a third of it to the same height. Right panel: error against epsilon from 0.5 to 6; all reports alike are better below about 2.4, the last batch above."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.5))
for ax, x in zip(axes, ("alive", "ε"), strict=True):
    sns.lineplot(errors, x=x, y="error", ax=ax, **theory("how", HOW))
    sns.lineplot(errors, x=x, y="found", ax=ax, **simulation("how", HOW))
    ax.set(ylabel="" if ax is axes[1] else "root mean square error")
axes[0].set(xlabel=EXPOSED, ylim=(0, None))
axes[1].set(yscale="log", xlabel="budget ε", xticks=range(1, 7))
plain_ticks(axes[1])
label_lines(axes[0])
label_lines(axes[1])
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: all alike is a weighted sum; the survey against the truth"}
soup, by_people = server(*together, KEY["soup"], EPS)[:2], weighted("soup", PEOPLE / PEOPLE.sum())[:2]
check(
    "Alike",
    "all reports alike: the sum over all batches",
    np.allclose(soup, by_people, atol=1e-12),
    control="without the batch that had no soup",
    caught=not np.allclose(soup, weighted("soup", weights("soup")["everyone"])[:2]),
)


def off(name, u, shift=0.0):
    """Error of a weighted sum, in standard errors."""
    f, _, V = weighted(name, u)
    return abs(f + shift - u @ SHARE[name]) / sqrt(V)


alpha, beta, gamma = answer(EPS)
check(
    "Batches",
    "twelve estimates within 6 standard errors of the truth",
    max(off(name, u) for name in SHARE for u in weights(name).values()) < 6,
    control="random slots not subtracted",
    caught=off("bread", weights("bread")["everyone"], 2 * gamma / (alpha + beta - 2 * gamma)) > 6,
)

# %% [markdown]
# (ch-charts)=
# ## Case study: charts from a stream
#
# (sec-changing-list)=
# (sec-charts-search)=
# ### A list of favourites
#
# Each day, different people report up to two searches in the shop's app.
# The server scans 500 queries and keeps the fifty with the largest estimates.

# %%
popular = 1 / np.arange(1, 501)  # by rank
popular /= popular.sum()
truth = 1 - (1 - popular) * (1 - 0.98 * popular)  # in two searches
NEWS = key_of("power cut in the north")


def searcher(rng):
    """Two searches; one person in fifty asks about the news."""
    x, y = np.searchsorted(popular.cumsum(), rng.random(2)).tolist()
    return {x: 1.0, NEWS if rng.random() < 0.02 else y: 1.0}


crowds = [[searcher(rng) for _ in range(30_000)] for day in range(2)]
monday, tuesday = (survey(crowd, rng) for crowd in crowds)
first = np.array([server(*monday, key, EPS)[0] for key in range(500)])
listed = np.argsort(-first, kind="stable")[:50].tolist()
second = np.array([server(*tuesday, key, EPS)[0] for key in listed])

# %% [markdown]
# (sec-charts-curse)=
# ### Do not estimate a share from the reports that chose the key
#
# A query is on the list because its true share is large, or because the noise was.
# So on average, Monday's estimates of the listed queries are too large: the *winner's curse* ({ref}`sec-gfim-curse`).
# The list does not depend on Tuesday's reports, so Tuesday's estimates are unbiased if the shares stay, as here.
# Truly frequent queries fill most of the first ten places; the others:

# %%
right = truth[listed]
misses = {"Monday": first[listed] - right, "Tuesday": second - right}
print(f"places 11 to 50: true shares {right[10:].mean():.4f} on average")
for day, error in misses.items():
    gap = error[10:].mean()
    print(f"{day}'s estimates are off by {gap:+.4f} on average")

# %% [markdown]
# (sec-charts-guard)=
# ### A guard against noise
#
# Some keys that nobody holds look large by chance.
# A *guard* keeps only the keys with
#
# $$ \hat f > \sigma_0\sqrt{2\ln d}, $$ (eq-charts-guard)
#
# where $d$ keys are scanned, and $\sigma_0$ is the standard error for a key that nobody holds.
# For such a key and many reports, $\hat f/\sigma_0$ is close to a standard normal number.
# This exceeds $x > 0$ with probability below $e^{-x^2/2}$, which is $1/d$ at the guard.
# So fewer than one of these keys passes on average, if the list does not depend on the reports.

# %%
alpha, beta, gamma = answer(EPS)
q, gain = 2 * gamma, alpha + beta - 2 * gamma
noise = sqrt(q * (1 - q) / 30_000) / gain
kept = np.flatnonzero(first > noise * sqrt(2 * log(500))) + 1
print(f"true ranks of the queries kept: {kept.tolist()}")

# %% [markdown]
# The nine of 500 that pass are truly frequent.
# Ranks 8 to 10 have shares below the guard; by chance, two pass.
#
# (sec-charts-later)=
# ### A question asked after the reports are in
#
# On Wednesday a newspaper asks how many people searched on Monday for *power cut in the north*, which was on no list.
# The server counts the stored reports again:

# %%
f, _, V = server(*monday, NEWS, EPS)
print(f"estimate {f:.3f} ± {sqrt(V):.3f}, truth 0.02")

# %% [markdown]
# The estimate is below the guard (0.037), but the guard is needed only if the largest of many estimates is chosen.
#
# No privacy is lost, because the answer is computed from ε-LDP reports ({prf:ref}`thm-post`).
# But a person who reports agrees to *any* question about her record.
# Tell her, and delete reports no longer needed.
#
# (sec-charts-repeat)=
# ### The same people every day
#
# A person who reports on $T$ days with fresh coins spends up to $T\varepsilon$ ({prf:ref}`thm-composition`), even if her record never changes.
# One report, sent $T$ times, costs ε once ({prf:ref}`thm-post`).
# For two days with two seeds, `prove` shows that the double budget is attained:


# %%
def two_days(record, eps, rng):
    return wheel(record, 5, eps, rng), wheel(record, 6, eps, rng)


print(prove(two_days, shoppers[1:], rounded=False))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the curse, the guard, two reports"}
check(
    "Winner's curse",
    "fresh reports: mean error within 6 standard errors of zero",
    abs(misses["Tuesday"].mean()) < 6 * noise / sqrt(50),
    control="the reports that made the list",
    caught=misses["Monday"].mean() > 6 * noise / sqrt(50),
)
made_up = np.array([server(*monday, key, EPS)[0] for key in range(10**6, 10**6 + 1500)])
tail = binom.sf(30_000 * q + 2 * sqrt(30_000 * q * (1 - q)), 30_000, q)
low, high = binom.ppf([1e-8, 1 - 1e-8], 1500, tail)
check(
    "Guard",
    "1,500 made-up queries: those above two standard errors are binomial",
    low <= np.sum(made_up > 2 * noise) <= high,
    control="above 1.2 standard errors",
    caught=np.sum(made_up > 1.2 * noise) > high,
)
spent = [
    epsilon(laws(lambda r, rng: two_days(r, EPS, rng), shoppers[1:])),
    epsilon(laws(lambda r, rng: (wheel(r, 5, EPS, rng),) * 2, shoppers[1:])),
]
check(
    "Reports add up",
    "the law of two reports: 2ε",
    abs(spent[0] - 2 * EPS) < 1e-9,
    control="one report, sent twice: ε",
    caught=abs(spent[1] - EPS) < 1e-9,
)

# %% [markdown]
# (sec-changing-wrong)=
# ## What can go wrong
#
# - *The server mixes versions of a client.*
#   Each version needs its own correction, so the version number must be a public part of the report.
# - *A client learns of a new key because its owner bought it.*
#   Then its version gives her away.
# - *People still have an article that is no longer sold.*
#   Then its share is not zero.
# - *The weights of the batches depend on the reports.*
#   With inverse *estimated* variances, a batch that came out low by chance gets more weight, and the sum is too low.
#
# (sec-changing-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# 1. The server of PCKV-GRR tells holders from others by the difference $\alpha+\beta-2\gamma'$.
# For 100 keys before, $\ell = 1$ and $\varepsilon = 1$: at how many keys now do reports say nothing about frequencies?
# 2. A rare key is alive in the first and the third of three batches with 5,000, 10,000 and 20,000 people.
# What are the variances for everyone and for the exposed, relative to that of all reports alike?
# :::
#
# :::{dropdown} Solution
# 1. With $\alpha = \omega\gamma$, $\beta = \gamma$ and $\gamma' = \gamma/r$,
#
# $$ \alpha + \beta - 2\gamma' = \gamma\Big(\omega + 1 - \frac2r\Big), $$ (eq-changing-signal)
#
# which is zero at $r = 2/(\omega+1) = 2/(e+1) = 0.538$, between 53 and 54 keys.
#
# 2. By {eq}`eq-changing-rare`, the variance for everyone is about $\frac{25{,}000}{35{,}000} = \frac57$ of that of all reports alike.
# For the exposed, the weights are $\frac75$ times as large, so it is $\frac57\cdot\frac{49}{25} = \frac75$ times that of all reports alike, but of a larger share.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Write a PCKV-GRR client for $\ell = 1$ that keeps its pair with probability $k_0$, and else draws from *all* $2(d+1)$ signed keys.
# Find the $k_0$ for which it is exactly ε-LDP, and the estimator of $f$.
# :::
#
# :::{dropdown} Solution
# Its own signed key has the probability $k_0 + \frac{1-k_0}{2(d+1)}$, any other $\frac{1-k_0}{2(d+1)}$.
# The ratio is $e^\varepsilon$ for
#
# $$ \frac{k_0}{1-k_0} = \frac{e^\varepsilon-1}{2(d+1)}, \quad\text{so}\quad k_0 = \frac{e^\varepsilon-1}{e^\varepsilon+2d+1}. $$
#
# A report names the key with probability $fk_0 + \frac{1-k_0}{d+1}$, so
#
# $$ \hat f = \frac{1}{k_0}\Big(\text{share of reports that name it} - \frac{1-k_0}{d+1}\Big). $$
#
# Among $d'$ keys, the ratio with the old $k_0$ becomes
#
# $$ \begin{aligned} & 1 + 2(d'+1)\,\frac{k_0}{1-k_0} \\ &\quad = 1 + (e^\varepsilon-1)\,\frac{d'+1}{d+1}. \end{aligned} $$ (eq-changing-blind)
#
# So this client spends more than ε after growth, though less than `stale`, and less than ε after a loss of keys.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def blind(record, d_old, d_new, ell, eps, rng):
    """Keep the pair with the probability of d_old, or draw among all."""
    mine, more = pad_and_sample(record, d_new, ell, rng), ell * (odds(eps) - 1)
    if toss(more / (more + 2 * (d_old + ell)), rng):
        return mine
    return pick(list(product(range(d_new + ell), (-1, 1))), rng)


def share_of_key(keys, key, d_old, d_new, eps):
    """The estimator of f, ℓ = 1."""
    kept = (exp(eps) - 1) / (exp(eps) - 1 + 2 * (d_old + 1))
    return (np.mean(keys == key) - (1 - kept) / (d_new + 1)) / kept


sent = [blind({0: 1.0} if i % 2 else {}, 4, 6, 1, 2.0, rng)[0] for i in range(20_000)]
print(f"half of the people hold key 0: {share_of_key(np.array(sent), 0, 4, 6, 2.0):.3f}")
print(prove(lambda r, eps, rng: blind(r, 4, 6, 1, eps, rng), some, rounded=False))
check(
    "Blind draw",
    f"{len(CASES)} changes: exact ε as in the formula",
    all(
        abs(by_law(*keys, ell, eps, blind) - log(1 + (exp(eps) - 1) * (keys[1] + ell) / (keys[0] + ell))) < 1e-9
        for keys, ell, eps in CASES
    ),
    control="the theorem's ε",
    caught=abs(by_law(2, 3, 1, 1.0, blind) - spends(2, 3, 1, 1.0)) > 0.05,
)

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# You want the shares of seven days, and each person may spend 2 in the week.
# Either all report daily with $\varepsilon = 2/7$, or each day another seventh of the people reports with $\varepsilon = 2$.
# Which is better?
# :::
#
# :::{dropdown} Solution
# Let $V_0(\varepsilon)$ be the variance per report of a rare key, and $n$ the number of people.
# A day has the variance $V_0(2/7)/n$ in the first design, and $V_0(2)/(n/7)$ in the second.
# In general, over $T$ days, the variance of a day in the first design is
#
# $$ \frac{V_0(\varepsilon/T)}{T\,V_0(\varepsilon)} $$
#
# times that in the second.
# If $\varepsilon^2V_0(\varepsilon)$ has a positive finite limit as $\varepsilon \to 0$, then $V_0(\varepsilon/T) \approx T^2\,V_0(\varepsilon)$ for small ε, and this ratio tends to $T$.
# So dividing the people is about seven times better at small ε.
# For the wheel with the best $g$ for each budget, it is 14 times better at $\varepsilon = 2$, as the cell below shows.
# For frequent keys, the gain is limited, because the sampling variance $f(1-f)$ of fewer people does not fall with ε.
# {cite:t}`ren2022stream` call this *population division*.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Exercise 3 in numbers"}
def rare(eps):
    """V₀ of the wheel with the g that the package takes for this budget."""
    alpha, beta, gamma = map(float, WheelKV(epsilon=eps, m=ELL).answer)
    return 2 * gamma * (1 - 2 * gamma) / (alpha + beta - 2 * gamma) ** 2


for eps in (0.01, EPS, 10):
    print(f"a week of ε = {eps:g}: {rare(eps / 7) / rare(eps) / 7:,.1f} times the variance")

# %% [markdown]
# ## Summary
#
# - A client with a list must be told of changes, or it wastes reports or spends too much.
# - A wheel's client has no list; the server decides, even later, what to count.
# - Say whose share you want, and leave out batches without the key.
# - Choose keys by one day's reports, and publish another day's estimates; daily budgets add up.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $d$ | number of keys, or of attributes |
# | $f$ | share of people who have something (of the population, for a random sample) |
# | $v$ | value of a key, between −1 and 1 |
# | $s$ | $f\,m$, the sum of all values of a key, divided by the number of people |
# | $\alpha$ | probability that the sign of a key is reported as it is |
# | $\beta$ | probability that the sign of a key is reported reversed |
# | $\gamma$ | probability that an absent key is reported as +, and equally as − |
# | $S$ | one person's set of items, or of keys with values |
# | $\ell$ | length to which a person's set is padded |
# | $w$ | probability that a report speaks for a given key that the person holds |
# | $g$ | number of slots of a hash function |
# | $d'$ | number of keys after a change (here only) |
# | $\gamma'$ | $\gamma$ of a client with old probabilities (here only) |
# | $\omega$ | $\alpha/\gamma$ of PCKV-GRR (here only) |
# | $r$ | $\gamma/\gamma'$ (here only) |
# | $t$ | a batch (here only) |
# | $n_t$ | number of its people (here only) |
# | $f_t$ | share of them who hold a key (here only) |
# | $u_t$ | its weight (here only) |
# | $V_t$ | variance of the estimate of $f_t$ (here only) |
# | $V_0$ | variance per report, for an absent key (here only) |
# | $\sigma_0$ | standard error for an absent key (here only) |
# | $T$ | number of days (here only) |
# | $k_0$ | probability of keeping the pair (here only) |
#
# Next, {ref}`ch-items` asks about keys without values.
