# %% [markdown]
# (ch-keyvalue)=
# # Key–value data
#
# *From {cite:t}`sun2021keyvalue` and {cite:t}`ye2019privkv`; {ref}`paper-sun2021` goes through the first paper claim by claim.*
#
# :::{admonition} In one minute
# An app asks which medicines you take and how well they work.
# Your phone draws one medicine at random and answers about it.
# For that medicine you are in one of three states: you do not take it, or you take it and rate it − or +.
# The phone reports your true state more often than either of the other two.
# This is *state encoding*.
# From many reports, the server estimates how many people take each medicine and its mean rating.
# PrivKV, an older mechanism, tosses two coins instead.
# :::
#
# :::{zh}
# 键值数据由若干键及其数值组成：一个人拥有哪些键，每个键的值是多少。
# 状态编码（SE）随机抽取一个键，把它归入三种状态之一（无此键、有且为负、有且为正），再用 k-RR 上报，对整条记录恰好满足 $\varepsilon$-本地化差分隐私。
# 服务器只需两行公式，就能由报告数估计频率与均值，并给出标准误差。
# PrivKV 用两枚硬币分别扰动有无与正负，按原文平分预算时并未用足 $\varepsilon$；重新分配后仅略逊于状态编码。
# PrivKVM 逐轮公布均值以减小 PrivKV 的偏差，但稀有键需要很多轮，而无偏估计一轮即可。
# :::
#
# You need k-RR from {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from collections import Counter
from math import exp, log

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import PrivKV, StateEncoding, epsilon, laws, pick, prove, toss
from ldpnb.chance import odds
from ldpnb.keyvalue import privkvm_epsilon
from ldpnb_book import check, diagram, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import keyvalue as study

style()
rng = np.random.default_rng(2021)

# %% [markdown]
# (sec-kv-data)=
# ## Five people, three medicines
#
# A health app wants to know two things about each medicine: how many of its users take it, and how well it works.
# Each medicine is a *key*.
# A person's *record* lists the medicines she takes, each with a *value*: her rating, from −1 (it harms) to 1 (it helps).

# %%
KEYS = ["antidepressant", "painkiller", "sleeping pill"]
PEOPLE = {
    "Ana": {"antidepressant": 0.5, "painkiller": 1.0},
    "Ben": {"painkiller": -0.5},
    "Cleo": {},
    "Dev": {"antidepressant": -1.0, "sleeping pill": 0.5},
    "Eve": {"painkiller": 0.5, "sleeping pill": -0.5},
}
for key in KEYS:
    v = [record[key] for record in PEOPLE.values() if key in record]
    print(f"{key:<15} {len(v)} of 5, mean {np.mean(v):+.2f}")

# %% [markdown]
# For each key we want its *frequency* $f$, the share of people who have it, and its *mean* $m$, the average value among those people.
# Cleo's record is empty, which is not the same as rating every medicine 0.
#
# No report should give away that Ana takes an antidepressant, not even to the server.
# **Can the app still estimate $f$ and $m$ for every key?**
#
# (sec-kv-se)=
# ## Three states
#
# Ratings are real numbers, and k-RR needs a short list of symbols.
# So the *client*, the program on the phone, first turns a value $v$ into a sign.
# It tosses a coin that shows + with probability $(1+v)/2$, so the sign has mean $\frac{1+v}{2} - \frac{1-v}{2} = v$.
# For each key, a person is now in one of three states: 0 for −, 1 for absent, 2 for +.
# The functions `toss`, `pick` and `odds` are those of {ref}`ch-frequency`.


# %%
def sign(v, rng):
    """+1 or −1, with mean v."""
    return 1 if toss((1 + v) / 2, rng) else -1


def state(record, key, rng):
    """0: has the key, sign −.  1: absent.  2: has it, sign +."""
    return 1 + sign(record[key], rng) if key in record else 1


# %% [markdown]
# *State encoding* (SE) perturbs this state by k-RR with three symbols and privacy budget $\varepsilon > 0$.
# {numref}`fig-kv-se` shows the probabilities.

# %% mystnb={"figure": {"name": "fig-kv-se", "caption": "State encoding. Thick arrows: the report gives the true state. Thin arrows: it gives another state."}, "image": {"alt": "Three circles in a row, state 0 with a minus sign, state 1 absent and state 2 with a plus sign. A thick loop at each circle is labelled e to the epsilon over e to the epsilon plus 2; thin arrows between all circles are labelled 1 over e to the epsilon plus 2."}}
NAMES, NUMBERS = ["−", "absent", "+"], ["state 0", "state 1", "state 2"]
p = r"$\frac{e^\varepsilon}{e^\varepsilon+2}$"
q = r"$\frac{1}{e^\varepsilon+2}$"
diagram.states([[p, q, q], [q, p, q], [q, q, p]], NAMES, NUMBERS)
plt.show()

# %% [markdown]
# The client draws one of all $d$ keys, without looking at the record, and reports the perturbed state of that key.


# %%
def krr3(x, eps, rng):
    """k-RR over the states 0, 1 and 2."""
    if toss(odds(eps) / (odds(eps) + 2), rng):
        return x
    return pick([y for y in (0, 1, 2) if y != x], rng)


def se(record, eps, rng):
    """State encoding: one key, and its perturbed state."""
    key = pick(KEYS, rng)
    return key, krr3(state(record, key, rng), eps, rng)


for _ in range(4):
    key, said = se(PEOPLE["Ana"], log(2), rng)
    print(f"Ana reports about the {key}: {NAMES[said]}")

# %% [markdown]
# Here $\varepsilon = \ln 2$, so $e^\varepsilon = 2$, and the probabilities are 1/2 and 1/4.
#
# Suppose the client draws the antidepressant.
# Then `laws` gives the probability of each report, for Ana and for Cleo.


# %%
def asked(record, rng):
    """One person's report about the antidepressant."""
    return krr3(state(record, "antidepressant", rng), log(2), rng)


ana, cleo = laws(asked, [PEOPLE["Ana"], PEOPLE["Cleo"]])
told = [[str(exact[y]) for y in (0, 1, 2)] for exact in (ana, cleo)]
rows = [["Ana", *told[0]], ["Cleo", *told[1]]]
table(pd.DataFrame(rows, columns=["person", *NAMES]))

# %% [markdown]
# No report is more than $2 = e^\varepsilon$ times as likely from one of them as from the other.
# The client is *exactly* ε-LDP if this holds for every two people, and some report attains the factor ({prf:ref}`def-ldp`).
#
# (sec-kv-privacy)=
# ## Privacy
#
# :::{prf:theorem} State encoding is exactly ε-LDP
# :label: thm-se-privacy
# Every report is at most $e^\varepsilon$ times as likely from one record as from another.
# Some records and reports attain this factor.
# :::
#
# :::{prf:proof}
# The client draws key $j$ with probability $1/d$, whatever the record.
# Then k-RR turns each state of $j$ into the reported one with probability $1/(e^\varepsilon+2)$ or $e^\varepsilon/(e^\varepsilon+2)$.
# So the report's probability is $1/d$ times an average of such numbers, weighted by the probabilities of the person's states.
# Two such averages differ by a factor of at most $e^\varepsilon$.
# The report + attains it, between a person with value 1 for $j$ and a person without $j$.
# :::
#
# The function `prove` confirms this for every ε, with three keys and our five records.
# This is for *ideal coins*; a computer rounds their probabilities to 53 bits.

# %%
records = list(PEOPLE.values())
print(prove(se, records, rounded=False))  # ideal coins only


# %% [markdown]
# The first value is the record of Dev, who rates the antidepressant −1; the second is that of Ben, who does not take it.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the exact ε at one budget, with a leaky client as control"}
def own_key(record, rng):
    """A mistake: the client draws one of the person's own keys."""
    key = pick(sorted(record) or KEYS, rng)
    return key, krr3(state(record, key, rng), log(2), rng)


check(
    "Privacy",
    "five people, three keys: exactly ln 2",
    abs(epsilon(laws(lambda record, rng: se(record, log(2), rng), records)) - log(2)) < 1e-12,
    control="a key drawn from the person's own",
    caught=epsilon(laws(own_key, records)) > log(2) + 0.1,
)

# %% [markdown]
# (sec-kv-estimates)=
# ## The server
#
# The server sorts the reports by key.
# Take one key with $N$ reports, of which $M_0$ say −, $M_1$ absent, and $M_2$ +.
# We regard the people as a random sample from a large population, and estimate its $f$ and $m$.
#
# People with the key report one of the two signs with probability $(e^\varepsilon+1)/(e^\varepsilon+2)$, people without it with $2/(e^\varepsilon+2)$.
# So the expected share of signs is
#
# $$ \E\,\frac{M_0+M_2}{N} = f\,\frac{e^\varepsilon+1}{e^\varepsilon+2} + (1-f)\,\frac{2}{e^\varepsilon+2} = \frac{f\,(e^\varepsilon-1) + 2}{e^\varepsilon+2}. $$
#
# In the difference $M_2 - M_0$, people without the key cancel on average.
# For a person with the key, k-RR keeps or reverses the sign:
#
# $$ \E\,\frac{M_2-M_0}{N} = f\,\Big(m\,\frac{e^\varepsilon}{e^\varepsilon+2} - m\,\frac{1}{e^\varepsilon+2}\Big) = f\,m\,\frac{e^\varepsilon-1}{e^\varepsilon+2}. $$
#
# The server replaces the expectations by its counts, and solves for $f$ and for the product $s = f\,m$:
#
# $$ \begin{aligned} \hat f &= \frac{(e^\varepsilon+2)(M_0+M_2)/N - 2}{e^\varepsilon-1}, \\[1ex] \hat s &= \frac{e^\varepsilon+2}{e^\varepsilon-1}\cdot\frac{M_2-M_0}{N}, \qquad \hat m = \frac{\hat s}{\hat f}. \end{aligned} $$ (eq-kv-se)
#
# For a given $N$, $\hat f$ and $\hat s$ are unbiased.
# Their ratio $\hat m$ has a bias that shrinks like $1/N$, but can be large for a rare key ({ref}`sec-kv-ratio`).
#
# How large are the errors?
# By {eq}`eq-kv-se`, $\hat f$ and $\hat s$ are averages over the $N$ reports, in which each report has a *score*:
#
# | report | − | absent | + |
# |---|---|---|---|
# | score for $f$ | $\dfrac{e^\varepsilon}{e^\varepsilon-1}$ | $-\dfrac{2}{e^\varepsilon-1}$ | $\dfrac{e^\varepsilon}{e^\varepsilon-1}$ |
# | score for $s$ | $-\dfrac{e^\varepsilon+2}{e^\varepsilon-1}$ | $0$ | $\dfrac{e^\varepsilon+2}{e^\varepsilon-1}$ |
#
# The standard error of an average is the scores' standard deviation divided by $\sqrt N$.
# The error of the mean is $\hat m - m = (\hat s - m\hat f)/\hat f$, and $\hat f$ is close to $f$.
# So to first order, the error is the average of
#
# $$ \frac{\text{score for } s - m\cdot\text{score for } f}{f}, $$ (eq-kv-share)
#
# each report's *share of the error*.
# The server inserts its estimates of $f$ and $m$.


# %%
def server(M, eps):
    """f and m of a key, with standard errors, from its three counts."""
    e, N, share = exp(eps), M.sum(), M / M.sum()
    score_f = np.array([e, -2, e]) / (e - 1)
    score_s = np.array([-e - 2, 0, e + 2]) / (e - 1)
    f, m = share @ score_f, (share @ score_s) / (share @ score_f)
    error_m = (score_s - m * score_f) / f  # shares of the error
    V = [share @ z**2 - (share @ z) ** 2 for z in (score_f, error_m)]
    return f, m, *np.sqrt(np.array(V) / N)


# %% [markdown]
# Now we draw 90,000 people from an invented population, and each reports once with $\varepsilon = 1$.

# %%
F_AND_M = [(0.10, 0.4), (0.45, 0.6), (0.20, -0.3)]  # of the keys
TRUTH = dict(zip(KEYS, F_AND_M, strict=True))


def person(rng):
    """The record of a random member of the population."""
    has = [key for key, (f, m) in TRUTH.items() if rng.random() < f]
    return {key: TRUTH[key][1] + rng.uniform(-0.4, 0.4) for key in has}


EPS = 1.0
counts = Counter(se(person(rng), EPS, rng) for _ in range(90_000))
rows = []
for key, (f, m) in TRUTH.items():
    M = np.array([counts[key, y] for y in (0, 1, 2)])
    f_hat, m_hat, f_err, m_err = server(M, EPS)
    row = [key, f, f"{f_hat:.3f} ± {f_err:.3f}"]
    rows.append([*row, f"{m:+.1f}", f"{m_hat:+.2f} ± {m_err:.2f}"])
columns = ["key", "true f", "estimate", "true m", "estimate"]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# No estimate is much further from the truth than one standard error.
# Means are harder to estimate than frequencies, above all for the antidepressant, where we divide by a frequency of only 0.1.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the server's estimates are unbiased; uncorrected counts are not"}
def gap(estimate, holders):
    """Distance of an estimate from the truth, given the expected counts of one key."""
    told = laws(lambda record, rng: krr3(state(record, "painkiller", rng), EPS, rng), holders)
    expected = np.array([sum(float(one.get(y, 0)) for one in told) for y in (0, 1, 2)])
    values = [record["painkiller"] for record in holders if "painkiller" in record]
    return np.abs(np.subtract(estimate(expected), [len(values) / len(holders), np.mean(values)])).max()


check(
    "Server",
    "expected counts of five people: their frequency and mean",
    gap(lambda M: server(M, EPS)[:2], records) < 1e-9,
    control="uncorrected counts",
    caught=gap(lambda M: ((M[0] + M[2]) / M.sum(), (M[2] - M[0]) / (M[0] + M[2])), records) > 0.1,
)

# %% [markdown]
# (sec-kv-privkv)=
# ## PrivKV, and a budget that is not spent
#
# PrivKV {cite:p}`ye2019privkv` also draws one key, and tosses two coins.
# The first spends a budget $\varepsilon_1$ on presence and is truthful with probability $p_1 = e^{\varepsilon_1}/(1+e^{\varepsilon_1})$.
# If it makes an absent key look present, the client makes up a fair sign.
# The second coin, with $\varepsilon_2$ and $p_2$, may reverse any sign, true or made up.


# %%
def truthful(eps, rng):
    """A coin that comes up heads with probability e^ε/(1 + e^ε)."""
    return toss(odds(eps) / (1 + odds(eps)), rng)


def privkv(record, key, eps1, eps2, rng):
    """PrivKV for one key: eps1 for its presence, eps2 for its sign."""
    if truthful(eps1, rng) != (key in record):
        return 1
    s = sign(record.get(key, 0.0), rng)  # a fair sign if absent
    return 1 + (s if truthful(eps2, rng) else -s)


# %% [markdown]
# The table gives the probability of each reported state (column) for each true state (row):
#
# | | − | absent | + |
# |---|---|---|---|
# | **−** | $p_1 p_2$ | $1-p_1$ | $p_1(1-p_2)$ |
# | **absent** | $\dfrac{1-p_1}{2}$ | $p_1$ | $\dfrac{1-p_1}{2}$ |
# | **+** | $p_1(1-p_2)$ | $1-p_1$ | $p_1 p_2$ |
#
# The authors of PrivKV state the budget $\varepsilon_1+\varepsilon_2$, one part for each coin.
# The exact cost is lower:
#
# :::{prf:theorem} PrivKV spends less than its stated budget
# :label: thm-privkv
# PrivKV with $\varepsilon_1, \varepsilon_2 > 0$ is exactly $\varepsilon$-LDP for
#
# $$ \varepsilon = \max\big(\varepsilon_2,\; \varepsilon_1 + \ln(2p_2)\big) \;<\; \varepsilon_1+\varepsilon_2. $$
#
# :::
#
# :::{prf:proof}
# Compare the entries within a column.
# In the column +, the entries have three ratios:
#
# $$ \begin{aligned} \frac{p_1p_2}{p_1(1-p_2)} &= e^{\varepsilon_2}, \\[1ex] \frac{p_1p_2}{(1-p_1)/2} &= 2p_2\,e^{\varepsilon_1}, \\[1ex] \frac{p_1(1-p_2)}{(1-p_1)/2} &= 2(1-p_2)\,e^{\varepsilon_1} = \frac{2p_2\,e^{\varepsilon_1}}{e^{\varepsilon_2}}. \end{aligned} $$
#
# The third is at most the second.
# Its inverse is $e^{\varepsilon_2}/(2p_2\,e^{\varepsilon_1})$, which is at most the first because $2p_2\,e^{\varepsilon_1} \ge 1$.
# The column − is the mirror image.
# In the column "absent", the ratio is $e^{\varepsilon_1}$, which is below $2p_2e^{\varepsilon_1}$ because $p_2 > \frac12$.
# For a value strictly between −1 and 1, the probabilities are averages of two rows, so no ratio is larger than for values ±1.
# As in the proof of {prf:ref}`thm-se-privacy`, the key is drawn blindly, so one key is enough.
# Finally, $2p_2 = 2e^{\varepsilon_2}/(1+e^{\varepsilon_2}) < e^{\varepsilon_2}$.
# :::
#
# The reason is that a made-up sign is a fair coin.
# It comes out as + with probability 1/2, a true + with $p_2$: a factor of $2p_2 < 2$, not $e^{\varepsilon_2}$.
# With the published split into halves, PrivKV spends only 0.72 of a stated budget of 1.
# To spend all of a budget ε, make both terms in {prf:ref}`thm-privkv` equal to ε, as {cite:t}`gu2020pckv` do for PCKV.
# This *tight split* has $\varepsilon_2 = \varepsilon$ and $e^{\varepsilon_1} = e^\varepsilon/(2p_2) = (e^\varepsilon+1)/2$.
# For the split into halves, `prove` finds the largest ratio:

# %%
some = [{}, {"pill": 1.0}, {"pill": -1.0}]


def halves(record, eps, rng):
    """PrivKV with the budget split into halves."""
    return privkv(record, "pill", eps / 2, eps / 2, rng)


print(prove(halves, some, rounded=False))

# %% [markdown]
# From the table, the expected share of signs is $f\,p_1 + (1-f)(1-p_1)$, and the expectation of $(M_2-M_0)/N$ is $f\,m\,p_1(2p_2-1)$.
# Solved for $f$ and $s = f\,m$, these give unbiased estimates:
#
# $$ \begin{aligned} \hat f &= \frac{(M_0+M_2)/N - (1-p_1)}{2p_1-1}, \\[1ex] \hat s &= \frac{1}{p_1(2p_2-1)}\cdot\frac{M_2-M_0}{N}. \end{aligned} $$ (eq-kv-privkv)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: five splits of the budget"}


def spent(eps1, eps2):
    """Exact ε of PrivKV, from its law."""
    return epsilon(laws(lambda r, rng: privkv(r, "pill", eps1, eps2, rng), some))


tight = log((exp(1) + 1) / 2), 1.0
equal = (log((exp(1) + (exp(2) + 8 * exp(1)) ** 0.5) / 4),) * 2
splits = ((0.5, 0.5), (0.2, 2.0), (2.0, 0.5), tight, equal)
splits = {split: log(2 * exp(split[1]) / (1 + exp(split[1]))) for split in splits}
check(
    "PrivKV",
    f"five splits: exact ε as in the theorem, and 1 for the last two; halves of 1 spend {spent(0.5, 0.5):.2f}",
    all(abs(spent(e1, e2) - max(e2, e1 + more)) < 1e-9 for (e1, e2), more in splits.items())
    and all(abs(spent(*split) - 1) < 1e-9 for split in (tight, equal)),
    control="the sum of the budgets",
    caught=all(spent(*split) < sum(split) - 0.1 for split in splits),
)


# %% [markdown]
# (sec-kv-privkvm)=
# ## PrivKVM: rounds that shrink a bias
#
# The server in the paper on PrivKV does not use {eq}`eq-kv-privkv`.
# It averages all reported signs, including made-up ones, and corrects the average for reversals.
# For many people, the result tends to
#
# $$ \frac{f\,p_1}{f\,p_1 + (1-f)(1-p_1)}\;m, $$ (eq-kv-privkv-bias)
#
# which is $m$ times the share of reported signs that come from people with the key.
# For a rare key this is far from $m$.
#
# PrivKVM, by the same authors, asks in $R$ rounds.
# After each round $r$ the server publishes its mean (for many people, near $m_r$), and the next made-up signs have this mean instead of 0.
# In later rounds everybody, with or without the key, reports a sign with probability 1/2 and "absent" otherwise.
# Each round spends $\varepsilon_2/R$ on the sign.
# Below, we ask everybody about the sleeping pill, with $R = 4$, $\varepsilon_1 = 1$ and $\varepsilon_2 = 4$.


# %%
def later(record, key, fake, eps2, rng):
    """A later round: without the key, a sign with the published mean."""
    s = sign(record.get(key, fake), rng)
    told = s if truthful(eps2, rng) else -s
    return 1 + told if toss(0.5, rng) else 1


def published_mean(M, eps2):
    """The published mean: all signs count, corrected for reversals."""
    p2 = exp(eps2) / (1 + exp(eps2))
    return (M[2] - M[0]) / (M[0] + M[2]) / (2 * p2 - 1)


people = [person(rng) for _ in range(30_000)]
key, R = "sleeping pill", 4
told = [privkv(record, key, 1.0, 4 / R, rng) for record in people]
means = [published_mean(np.bincount(told), 4 / R)]
for _ in range(R - 1):
    told = [later(one, key, means[-1], 4 / R, rng) for one in people]
    means.append(published_mean(np.bincount(told), 4 / R))
print("published:      ", *(f"{mean:+.2f}" for mean in means))

# %% [markdown]
# In a later round $r$, before reversals, a share $f$ of the reported signs has mean $m$, and the others have mean $m_{r-1}$:
#
# $$ m_r = f\,m + (1-f)\,m_{r-1}, \qquad\text{so}\qquad m_r - m = (1-f)\,(m_{r-1} - m). $$ (eq-kv-rounds)
#
# Each round after the first multiplies the bias by $1-f$.
# For a key that 2 % of people have, the bias after 115 rounds is a tenth of the bias after the first.
# The estimate $\hat s/\hat f$ from {eq}`eq-kv-privkv` needs one round.
# For the sleeping pill, {eq}`eq-kv-rounds` predicts:

# %%
f, m = TRUTH[key]
p1 = exp(1) / (1 + exp(1))
signs = f * p1 + (1 - f) * (1 - p1)
bias = f * p1 / signs * m - m  # after the first round
means = m + bias * (1 - f) ** np.arange(R)
print("for many people:", *(f"{mean:+.2f}" for mean in means))

# %% [markdown]
# All $R$ reports of one person about one key cost, for the worst published means ({ref}`proof <sun2021-4-2-privkvm>`),
#
# $$ \varepsilon = \max\Big(\varepsilon_2,\; \varepsilon_1 + \ln(2p_2) + \frac{R-1}{R}\,\varepsilon_2\Big), $$ (eq-kv-privkvm)
#
# where $p_2$ is computed from $\varepsilon_2/R$.
# More rounds reduce the bias, but each round has only $\varepsilon_2/R$, so the noise grows; here, for $R \ge 3$, ε grows, too.
# PrivKVM+ also chooses $R$; {ref}`our source <wang2024-2-1>` names no rule.

# %%
for R in (1, 2, 3, 4, 10):
    eps = privkvm_epsilon(1.0, 4.0, R)
    print(f"ε₁ = 1, ε₂ = 4, {R:>2} rounds: ε = {eps:.3f}")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the cost of all rounds, from the law of all reports"}
def transcript(record, fakes, eps1, eps2, rng):
    """All reports of one person, given the means that were published after each round but the last."""
    each = eps2 / (len(fakes) + 1)
    return privkv(record, "pill", eps1, each, rng), *(later(record, "pill", m, each, rng) for m in fakes)


def cost(eps1, eps2, fakes):
    return epsilon(laws(lambda r, rng: transcript(r, fakes, eps1, eps2, rng), some))


worst = {split: cost(*split, (-1.0, -1.0)) for split in ((0.5, 0.5), (0.2, 2.0), (2.0, 1.0))}
check(
    "Rounds",
    "three rounds, three splits: exact ε of all reports as in the text",
    all(abs(eps - privkvm_epsilon(*split, 3)) < 1e-9 for split, eps in worst.items()),
    control="published means of 0",
    caught=any(abs(cost(*split, (0.0, 0.0)) - eps) > 0.01 for split, eps in worst.items()),
)
print(f"f = 0.02: a tenth of the first bias after {1 + log(0.1) / log(0.98):.0f} rounds")

# %% [markdown]
# (sec-kv-figure)=
# ## Which one?
#
# We compare SE with two splits of PrivKV that cost *exactly* ε, using the unbiased estimates from {eq}`eq-kv-privkv`.
# One is the tight split; in the other, equal coins, $\varepsilon_1 = \varepsilon_2$, as in the published halves.
# `study.errors` computes standard errors from scores.


# %% mystnb={"figure": {"name": "fig-kv-errors", "caption": "Standard error of frequency (left) and mean (right) against the exact ε, for a key with f = 0.2 and m = 0.5 and 50,000 reports. Lines: formula. Marks: 2,000 simulated surveys each."}, "image": {"alt": "Two panels with logarithmic error axes against epsilon from 0.5 to 4. State encoding lies lowest in both. For the frequency, tight PrivKV lies highest and equal coins between; for the mean, equal coins lie highest. All nearly meet at 4. Marks lie on the lines."}}
def equal_coins(eps):
    """PrivKV with equal coins: e^ε₁ solves 2x² = e^ε (1 + x)."""
    each = log((exp(eps) + np.sqrt(exp(2 * eps) + 8 * exp(eps))) / 4)
    return PrivKV(d=1, key_epsilon=each, value_epsilon=each)


CLASSES = {
    "equal coins": equal_coins,
    "tight split": lambda eps: PrivKV.tight_split(1, eps),
    "state encoding": lambda eps: StateEncoding(d=1, epsilon=eps),
}
budgets, truth = np.arange(0.5, 4.1, 0.5), {"f": 0.2, "m": 0.5}
found = study.errors(CLASSES, budgets, **truth, n=50_000, rng=rng)
by = "mechanism", [*CLASSES]
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.7))
for ax, what in zip(axes, ("frequency", "mean"), strict=True):
    exact, runs = (frame[frame["estimate"] == what] for frame in found)
    sns.lineplot(exact, x="ε", y="error", ax=ax, **theory(*by))
    look = simulation(*by, of="std")
    sns.lineplot(runs, x="ε", y="found", ax=ax, **look)
    ax.set(yscale="log", xlabel="exact ε")
    ax.set_ylabel(f"standard error of the {what}")
    plain_ticks(ax)
label_lines(axes)
plt.show()

# %% [markdown]
# At every ε shown, state encoding has the smallest errors of the three.
# The tight split has the same law as k-RR over *four* symbols, two of which the server reads as "absent".
# Equal coins are better for frequencies than the tight split, and worse for means.
# Halves of a *stated* budget ε are worse than the tight split at ε for both, because they leave budget unspent.
#
# (sec-kv-wrong)=
# ## What can go wrong
#
# - *The client draws a key that the person has.*
#   Then the key alone reveals one of the person's medicines.
# - *The client sends an absent key as the value 0.*
#   All estimated frequencies are then near 1, and the means near $f\,m$.
# - *The server publishes the mean of a rare key.*
#   Look at its standard error first.
#   If $\hat f$ is within three standard errors of 0, do not trust the mean's standard error either.
#
# (sec-kv-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 8 minutes)
# Let $e^\varepsilon = 2$, and let 1,000 reports about a key have the counts $M_0 = 270$, $M_1 = 450$, $M_2 = 280$.
# Estimate $f$ and $m$ with their standard errors.
# Which of the two would you publish?
# :::
#
# :::{dropdown} Solution
# With $e^\varepsilon = 2$ the formulas are $\hat f = 4\cdot\frac{550}{1000} - 2 = 0.2$ and $\hat s = 4\cdot\frac{10}{1000} = 0.04$, so $\hat m = 0.2$.
#
# The scores for $f$ are $2, -2, 2$, with mean 0.2 and mean square 4, so the standard error of $\hat f$ is $\sqrt{(4 - 0.04)/1000} = 0.063$.
#
# The shares of the error of $\hat m$ are $-22, 2, 18$, with mean 0 and mean square 223.2, so the standard error of $\hat m$ is $\sqrt{223.2/1000} = 0.47$.
#
# Publish the frequency, 0.20 ± 0.06.
# It is 3.2 standard errors from 0, so the error of the mean can be trusted; but a mean of 0.20 ± 0.47 tells us nothing.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Everybody takes the painkiller, and the app knows it, so only the ratings are secret.
# Write a client that spends all of $\varepsilon$ on the sign, and an estimator of $m$.
# For the same number of reports and $m = 0$, how many times as large as the variance of your $\hat m$ is that of $\hat s$ in SE?
# :::
#
# :::{dropdown} Solution
# Report the sign, reversed with probability $\frac{1}{e^\varepsilon+1}$.
# The reports have mean $m\,\frac{e^\varepsilon-1}{e^\varepsilon+1}$, so $\hat m = \frac{e^\varepsilon+1}{e^\varepsilon-1}$ times their average.
# At $m = 0$ we compare the variances per report,
#
# $$ \Big(\frac{e^\varepsilon+1}{e^\varepsilon-1}\Big)^2 \quad\text{with}\quad \frac{e^\varepsilon+1}{e^\varepsilon+2}\Big(\frac{e^\varepsilon+2}{e^\varepsilon-1}\Big)^2 \quad\text{for SE.} $$
#
# SE's variance is $\frac{e^\varepsilon+2}{e^\varepsilon+1}$ times as large: 27 % larger at $\varepsilon = 1$.
# SE spends part of its budget on the state "absent", in which nobody is.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def only_sign(v, eps, rng):
    """The sign of v, reversed with probability 1/(e^ε+1)."""
    s = sign(v, rng)
    return s if truthful(eps, rng) else -s


def only_mean(reports, eps):
    return (exp(eps) + 1) / (exp(eps) - 1) * np.mean(reports)


print(f"estimate of 0.3: {only_mean([only_sign(0.3, 1.0, rng) for _ in range(50_000)], 1.0):.3f}")
print(prove(only_sign, [-1.0, 1.0], rounded=False))

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# The app asks every week.
# What do ten weeks cost Ana, and what would you change in the client?
# :::
#
# :::{dropdown} Solution
# Ten fresh reports cost $10\,\varepsilon$ in the worst case.
# Compare Cleo with a person who rates every medicine 1: each + is $e^\varepsilon$ times as likely from that person, whatever key is drawn.
# The client can report at $\varepsilon/10$ each week, or draw its key once and repeat its first report, which costs $\varepsilon$ in total.
# But then the server learns about only one of her medicines.
# A change of her rating must not trigger a new report, because the new report would reveal the change.
# :::
#
# ## Summary
#
# - State encoding reports the state of one blindly drawn key by k-RR; it is exactly ε-LDP for whole records.
# - Two expected counts, solved for $f$ and $s = f\,m$, give the estimates; their ratio, the mean, is unreliable for rare keys.
# - To first order, an estimate is an average of scores; their spread gives its standard error.
# - PrivKV in halves spends less than its stated budget; with the tight split, it comes close to state encoding.
# - PrivKVM reduces the bias of a published mean round by round; the ratio of unbiased estimates needs one round.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $d$ | number of keys, or of attributes |
# | $f$ | share of people who have something (of the population, for a random sample) |
# | $m$ | mean value of a key among the people who have it |
# | $s$ | $f\,m$, the sum of all values of a key, divided by the number of people |
# | $j$ | a key, or an attribute: one of the $d$ |
# | $v$ | value of a key, between −1 and 1 |
# | $N$ | number of reports about one key |
# | $M_0$ | number of reports about a key that say − |
# | $M_1$ | number of reports about a key that say absent |
# | $M_2$ | number of reports about a key that say + |
# | $p_1$ | chance that PrivKV's coin for presence is truthful (here only) |
# | $p_2$ | chance that PrivKV's coin for the sign is truthful (here only) |
# | $\varepsilon_1$ | budget of PrivKV's coin for presence (here only) |
# | $\varepsilon_2$ | budget of PrivKV's coin for the sign, in all rounds together (here only) |
# | $R$ | number of rounds of PrivKVM (here only) |
# | $m_r$ | mean that PrivKVM publishes after round $r$, for many people (here only) |
#
# Next, {ref}`ch-correlation` asks which keys occur together.
