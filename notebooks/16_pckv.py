# %% [markdown]
# (ch-wheel)=
# # PCKV and the wheel
#
# *From {cite:t}`gu2020pckv`, {cite:t}`wang2020wheel` and {cite:t}`wang2024dynamic`.*
#
# :::{admonition} In one minute
# A shop sells thousands of games, and each customer owns a few.
# Nearly everybody has nothing to say about a random game.
# *PCKV* draws one of the customer's own games instead.
# It first fills up short lists with dummies.
# *The wheel* places all games on a small circle by a public hash.
# The phone names one place, and prefers those of the customer's own games.
# The server estimates for every game how many people own it, and its mean rating.
# :::
#
# :::{zh}
# 键很多而每人只持有少数几个时，随机询问一个键几乎总是落空。
# PCKV 先把每人的记录用冗余项填充到固定长度，再从中抽取一个键值对上报：PCKV-GRR 对带符号的键使用 k-RR，PCKV-UE 对每个键各作一次回答。
# Wheel 机制用公开的哈希函数把键映射到圆周的槽上，用户报告一个槽，被自己的键覆盖的槽概率较大；Wheel-KV 让每个键占两个相邻的槽，分别表示正负。
# 三个概率 $\alpha$、$\beta$、$\gamma$ 足以描述所有这些机制，并给出频率与均值的估计及其标准误差。
# 本课证明各机制的隐私性，并说明何时选用哪一种。
# :::
#
# You need state encoding and scores from {ref}`ch-keyvalue`, and k-RR from {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from collections import Counter
from itertools import product
from math import exp, log

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import PCKVGRR, PCKVUE, Records, StateEncoding, WheelKV, epsilon, law, laws, moments, prove
from ldpnb.chance import odds, pick, toss
from ldpnb_book import check, diagram, label_lines, plain_ticks, style, table, theory
from ldpnb_book.studies import pckv as study

style()
rng = np.random.default_rng(2024)

# %% [markdown]
# (sec-wheel-setting)=
# ## Twenty games, few each
#
# A shop sells $d = 20$ games, numbered from 0.
# Each game is a key, and a record lists the person's games with their ratings, from −1 to 1.

# %%
GAMES = 20
dev = {0: -1.0, 2: 1.0, 7: 0.5}

# %% [markdown]
# We want the frequency $f$ and the mean rating $m$ of every game.
# State encoding asks each of $n$ people about one random game.
# Alternatively, `se_all` answers about all games, with $\varepsilon/d$ for each.


# %%
def sign(v, rng):
    """+1 or −1, with mean v."""
    return 1 if toss((1 + v) / 2, rng) else -1


def krr(x, symbols, ratio, rng):
    """k-RR: x is `ratio` times as likely as any other symbol."""
    if toss(ratio / (ratio + len(symbols) - 1), rng):
        return x
    return pick([y for y in symbols if y != x], rng)


def se_all(record, d, eps, rng):
    """State encoding of all keys: 0 for −, 1 for absent, 2 for +."""
    states = [1] * d
    for j in sorted(record):
        states[j] += sign(record[j], rng)
    return tuple(krr(x, (0, 1, 2), odds(eps / d), rng) for x in states)


# %% [markdown]
# For all but large budgets, splitting is worse than drawing a game ({ref}`sec-means-sample`).
# For a game that nobody owns and $\varepsilon = 2$, the last line of {eq}`eq-pckv-noise` gives $n\Var\hat f = 7.2$; split, with $\varepsilon/20$ and $d = 1$, it gives 200.
# **Can a report be about the games that a person has, and still not reveal which they are?**
#
# (sec-pckv)=
# ## PCKV: report one of your own pairs
#
# Without padding, a game would count more for owners of few games than for owners of many.
# So the phone first *pads* the record to $\ell$ pairs with dummies: keys $d, d+1, \dots$ that nobody has, with value 0.
# A record longer than $\ell$ is left as it is.
# Then the phone draws one pair, with probability $1/\ell$ after padding, and turns its value into a sign ({numref}`fig-pckv`).

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Diagram", "figure": {"name": "fig-pckv", "caption": "PCKV for Ana, who owns games 2 and 7, with ℓ = 3 and the dummy 20."}, "image": {"alt": "Flow with two lanes. On the phone: a record of games 2 and 7, pad to three pairs with dummy 20, draw one pair, game 7, turn its value into the sign plus, perturb. Then the report goes to the server, which counts and estimates."}}
phone = ["2: 0.5\n7: 1.0", "pad\n20: 0.0", "draw one\n7: 1.0", "sign\n7+", "perturb"]
steps = [("phone", step) for step in phone]
steps += [("server", "count", "report"), ("server", "estimate")]
diagram.flow(steps, chance=phone[2:])
plt.show()


# %%
def pad_and_sample(record, d, ell, rng):
    """One signed pair of the record, padded to ell pairs."""
    dummies = range(d, d + ell - len(record))
    key = pick([*sorted(record), *dummies], rng)
    return key, sign(record.get(key, 0.0), rng)


# %% [markdown]
# ### PCKV-GRR
#
# PCKV-GRR applies k-RR, with a budget $\varepsilon'$, to the $2(d+\ell)$ signed keys.
# It keeps its input with probability $e^{\varepsilon'}/Z$, where $Z = e^{\varepsilon'} + 2(d+\ell) - 1$, and each other signed key has $1/Z$.
# If the phone draws a certain signed key with probability $r$, it reports this key with probability
#
# $$ r\,\frac{e^{\varepsilon'}}{Z} + (1-r)\,\frac1Z = \frac{1 + (e^{\varepsilon'}-1)\,r}{Z}. $$
#
# Padding ensures $0 \le r \le 1/\ell$, so two people differ by a factor of at most $1 + (e^{\varepsilon'}-1)/\ell$.
# This is $e^\varepsilon$ for
#
# $$ e^{\varepsilon'} = \ell\,(e^\varepsilon-1) + 1. $$ (eq-pckv-amplified)


# %%
def pckv_grr(record, d, ell, eps, rng):
    """PCKV-GRR: k-RR over all signed keys."""
    mine = pad_and_sample(record, d, ell, rng)
    everything = [*product(range(d + ell), (-1, 1))]
    return krr(mine, everything, ell * (odds(eps) - 1) + 1, rng)


# %% [markdown]
# ### PCKV-UE
#
# PCKV-UE answers about every key, dummies included: +, − or nothing.
# About the drawn key, it says the true sign with probability $\alpha = \frac{e^\varepsilon}{2(e^\varepsilon+1)}$, the reversed one with $\beta = \frac{1}{2(e^\varepsilon+1)}$, and nothing with 1/2.
# About any other key, it says each sign with probability $\gamma = \frac{1}{e^\varepsilon+3}$.
# With $\alpha/(\alpha+\beta)$ as large as ε allows, these are {ref}`the best for frequencies <wang2024-2-1-pckv>`.


# %%
def pckv_ue(record, d, ell, eps, rng):
    """PCKV-UE: an answer −1, 0 or 1 about each key."""
    drawn, mine = pad_and_sample(record, d, ell, rng)
    report = [0] * (d + ell)
    for key in range(d + ell):
        if key == drawn and toss(1 / 2, rng):
            true = toss(odds(eps) / (odds(eps) + 1), rng)
            report[key] = mine if true else -mine
        elif key != drawn and toss(2 / (odds(eps) + 3), rng):
            report[key] = pick((-1, 1), rng)
    return tuple(report)


# %% [markdown]
# :::{prf:theorem} Both are ε-LDP
# :label: thm-pckv-privacy
# PCKV-GRR is exactly ε-LDP for records of any lengths.
# PCKV-UE is ε-LDP, and exactly so if $\ell \le d$.
# :::
#
# :::{prf:proof}
# We derived the bound of PCKV-GRR above.
# It is attained: the record $\{j\colon 1\}$ draws $(j, +)$ with probability $1/\ell$, and $\{j\colon -1\}$ never does.
#
# For PCKV-UE, suppose first that the client treats every key as not drawn.
# Drawing a key multiplies the probability of a report: by $\alpha/\gamma$ for the true sign of this key, by $\beta/\gamma$ for the reversed one, and by $\frac12/(1-2\gamma)$ for nothing.
# The last two factors are equal, and the first is $e^\varepsilon$ times as large.
# A record's report has an average of these factors over the drawn key and its sign, so two records differ by a factor of at most $e^\varepsilon$.
# If $\ell \le d$, take a report that says + about $\ell$ keys and nothing else.
# A record of these keys with values 1 always draws a true sign, and one with values −1 always a reversed one.
# :::
#
# `prove` confirms both for two keys, $\ell = 2$ and all nine records of signs:

# %%
STATES = product((None, 1.0, -1.0), repeat=2)
SIGNS = [{j: s for j, s in enumerate(x) if s} for x in STATES]


def sized(client, *sizes):
    """The client, with its sizes fixed."""

    def one(record, eps, rng):
        return client(record, *sizes, eps, rng)

    one.__name__ = client.__name__
    return one


print(prove(sized(pckv_grr, 2, 2), SIGNS, rounded=False), "\n")
print(prove(sized(pckv_ue, 2, 2), SIGNS, rounded=False))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: exact ε for three lengths, with an amplified vector as control"}
def spent(client, ell, eps=1.0):
    return epsilon(laws(lambda r, rng: client(r, 2, ell, eps, rng), SIGNS))


check(
    "PCKV",
    "two keys, ε = 1, ℓ = 1, 2, 3: exact ε as stated; the vector spends less for ℓ = 3",
    all(abs(spent(pckv_grr, ell) - 1) < 1e-12 for ell in (1, 2, 3))
    and all(abs(spent(pckv_ue, ell) - log(1 + min(2, ell) / ell * (exp(1) - 1))) < 1e-12 for ell in (1, 2, 3)),
    control="the vector with ε′, ℓ = 2",
    caught=spent(pckv_ue, 2, log(2 * (exp(1) - 1) + 1)) > 1.1,
)

# %% [markdown]
# (sec-kv-calculus)=
# ## One calculus for all
#
# Take the $N$ reports about one key in state encoding, or all $N = n$ reports in PCKV.
# If a person has the key, such a report *speaks for* it with probability $w$: 1 in state encoding, $1/\ell$ in PCKV.
# Then it says the true sign with probability $\alpha$ and the reversed one with $\beta$.
# If it speaks for another key, or the person lacks this one, it says each sign with probability $\gamma$.
#
# So a share $fw$ of the reports has a sign with probability $\alpha+\beta$, and the others with $2\gamma$.
# The true signs of these reports have mean $m$, and the reversed ones $-m$.
# Write $T = \alpha+\beta-2\gamma$ and $D = \alpha-\beta$, and let $M_0$ reports say − and $M_2$ say +.
# Then
#
# $$ \begin{aligned} \E\,\frac{M_0+M_2}{N} &= \begin{aligned}[t] & fw(\alpha+\beta) + (1-fw)\,2\gamma \\ &= 2\gamma + fwT, \end{aligned} \\[1ex] \E\,\frac{M_2-M_0}{N} &= fw\,(\alpha m - \beta m) = fwD\,m. \end{aligned} $$
#
# We solve for $f$ and $s = fm$, and put $\hat m = \hat s/\hat f$:
#
# $$ \hat f = \frac{(M_0+M_2)/N - 2\gamma}{wT}, \qquad \hat s = \frac{(M_2-M_0)/N}{wD}. $$ (eq-kv-ternary)
#
# For state encoding and PrivKV, these are {eq}`eq-kv-se` and {eq}`eq-kv-privkv`.
# Both are averages of scores.
# The scores for $f$ with and without a sign differ by $1/(wT)$; those for $s$ are $\pm1/(wD)$ and 0.
# Let the people be a random sample, who have at most $\ell$ pairs each if the client pads, and let $P = 2\gamma + fwT$ be the probability of a sign.
# Then $\hat f$ and $\hat s$ are unbiased, and
#
# $$ N\Var\hat f = \frac{P(1-P)}{w^2T^2}, \qquad N\Var\hat s = \frac{P}{w^2D^2} - s^2. $$ (eq-kv-variances)


# %%
def server(M, alpha, beta, gamma, w):
    """f, m, their standard errors; M counts −, nothing, +."""
    N, share = M.sum(), M / M.sum()
    T, D = alpha + beta - 2 * gamma, alpha - beta
    score_f = (np.array([1, 0, 1]) - 2 * gamma) / (w * T)
    score_s = np.array([-1, 0, 1]) / (w * D)
    f, m = share @ score_f, (share @ score_s) / (share @ score_f)
    error_m = (score_s - m * score_f) / f  # shares of the error
    scores = np.array([score_f, error_m])
    return f, m, *np.sqrt((scores**2 @ share - (scores @ share) ** 2) / N)


def answers(d, ell, eps):
    """α, β, γ and w of each mechanism."""
    e, w = exp(eps), 1 / ell
    Z = ell * (e - 1) + 2 * (d + ell)
    return {
        "state encoding": (e / (e + 2), 1 / (e + 2), 1 / (e + 2), 1.0),
        "PCKV-GRR": ((ell * (e - 1) + 1) / Z, 1 / Z, 1 / Z, w),
        "PCKV-UE": (e / (e + 1) / 2, 1 / (e + 1) / 2, 1 / (e + 3), w),
    }


# %% [markdown]
# The *noise* of $\hat f$ or $\hat s$ is $n$ times its variance for a key that nobody has, so that $P = 2\gamma$.
# For $\hat f$, insert $T = \ell(e^\varepsilon-1)/Z$ and $\gamma = 1/Z$ for PCKV-GRR, and $T = \frac{e^\varepsilon-1}{2(e^\varepsilon+3)}$ for PCKV-UE.
# State encoding has $T = (e^\varepsilon-1)\gamma$, $\gamma = 1/(e^\varepsilon+2)$ and $n \approx dN$.
# Times $(e^\varepsilon-1)^2$, the noise is
#
# $$ \begin{array}{ll} 8\ell^2(e^\varepsilon+1) & \text{in PCKV-UE,} \\ 2\ell(e^\varepsilon-1)+4(d+\ell-1) & \text{in PCKV-GRR,} \\ 2d\,e^\varepsilon & \text{in state encoding.} \end{array} $$ (eq-pckv-noise)
#


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: variances and noise, from the exact laws of the package's clients"}
def exact_variances(mechanism):
    """N Var of f and s, from two people: key 0 has f = 1/2, key 2 has f = 0."""
    mean, variance = moments(mechanism, Records.of({0: 1.0, 1: 0.5}, {1: -0.5}))
    return (variance.mean(0) + mean.var(0))[:, [0, 2]]


def from_theorem(alpha, beta, gamma, w, f=0.5):
    T, D, f = alpha + beta - 2 * gamma, alpha - beta, np.array([f, 0.0])
    P = 2 * gamma + f * w * T
    return np.array([P * (1 - P) / (w * T) ** 2, P / (w * D) ** 2 - f**2])


found = [exact_variances(kind(d=3, ell=2, epsilon=1.0)) for kind in (PCKVGRR, PCKVUE)]
stated = [from_theorem(*answers(3, 2, 1.0)[name]) for name in ("PCKV-GRR", "PCKV-UE")]
noise = np.array([4 * (exp(1) - 1) + 16, 32 * (exp(1) + 1), 6 * exp(1)]) / (exp(1) - 1) ** 2
seen = [one[0, 1] for one in (*found, exact_variances(StateEncoding(d=3, epsilon=1.0)))]
games = [k * from_theorem(*answers(1, 1, e)["state encoding"], 1.0)[0] for k, e in ((1, 0.1), (20, 2.0))]
check(
    "Variances",
    "two people, three keys, ℓ = 2: variances and noise as stated; 20 games: 200, 190, 7.2 and 4.1",
    np.allclose(found, stated) and np.allclose(seen, noise) and np.allclose(games, [[190, 200], [4.1, 7.2]], rtol=0.02),
    control="the other mechanism's",
    caught=np.abs(found[0] - stated[1]).max() > 1,
)

# %% [markdown]
# (sec-kv-ratio)=
# ## A mean is a ratio
#
# The ratio $\hat m = \hat s/\hat f$ of unbiased estimates is biased.
# In its error $(\hat s - m\hat f)/\hat f$, we expand $1/\hat f$ around $1/f$.
# The first term gives the standard error, as in {eq}`eq-kv-share`, and the second the bias:
#
# $$ \E\hat m - m \approx \frac{m\Var\hat f - \operatorname{Cov}(\hat f, \hat s)}{f^2}. $$ (eq-kv-delta)
#
# This *delta method* fails where $\hat f$ may be near 0.
# So clip $\hat m$ to $[-1, 1]$, and call it *reliable* if $\hat f$ exceeds three times the standard error that it would have if nobody had the key (about its own for rare keys).
# But a rare key that passes this test by luck has too large an $\hat f$.
# For a key with $f = 0.02$ and $m = 0.5$, the mean from 10,000 reports of state encoding at $\varepsilon = 1$ is reliable in 6 % of surveys, and its bias is then near −0.3.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the delta method for many reports"}
key = {"f": 0.02, "m": 0.5, "sizes": 10 ** np.arange(3, 7.5, 0.5)}
theory_of, found = study.ratio(server, answers(1, 1, 1.0)["state encoding"], **key, rng=rng)
off = (found["error"] / theory_of["error"] - 1).abs()  # six standard errors of 2,000 surveys are 0.1
bias = theory_of["bias"].iloc[-1] * theory_of["N"].iloc[-1] / theory_of["N"]  # in proportion to 1/N
far = (found["bias"] - bias).abs() > 6 * theory_of["error"] / 2000**0.5
check(
    "Delta method",
    "from a million reports: error within 10 %, bias within six standard errors",
    bool((off[found["N"] > 9e5] < 0.1).all() and not far[found["N"] > 9e5].any()),
    control="both for ten thousand",
    caught=bool((off > 0.1)[2] and far[2]),
)
few = found[found["N"] == 10_000].iloc[0]
print(f"10,000 reports: {few['passed']:.1%} reliable, bias {few['bias if reliable']:+.2f}")

# %% [markdown]
# (sec-wheel-sets)=
# ## The wheel
#
# PCKV draws one pair; *the wheel* of {cite:t}`wang2020wheel` uses all pairs at once.
# Take a circle of $g$ slots.
# A public *hash table*, different for each person, gives each key a random slot.
# First let keys have no values: the slots of the person's own keys are *covered*.
# If there are fewer than $\ell$ keys, the phone covers secret random slots for the missing ones; if there are more, it draws $\ell$.
# Then it names one slot, and prefers the covered ones.
# The server has the table, in practice as a short seed, so it knows which keys lie in this slot.
#
# (sec-wheelkv)=
# ### Wheel-KV
#
# *Wheel-KV* by {cite:t}`wang2024dynamic` extends this to key–value data.
# We reconstruct the formulas, which are missing from our copy of the text ({ref}`paper-wang2024`).
# Each key has two neighbouring slots, for + and for −, and a pair covers the slot of its sign ({numref}`fig-wheel`).

# %% mystnb={"figure": {"name": "fig-wheel", "caption": "A wheel with 12 slots for Dev, ℓ = 3. He covers the slots of 0−, 2+ and 7+ (blue). Game 5 is not his."}, "image": {"alt": "A ring of twelve numbered slots. Games 0, 2, 7 and 5 each own two neighbouring slots, labelled plus and minus. Filled are the slots of 0 minus, 2 plus and 7 plus; all others are white."}}
slot = {0: 1, 2: 5, 7: 8, 5: 10}
labels = {z: f"{j}+" for j, z in slot.items()}
labels |= {z + 1: f"{j}−" for j, z in slot.items()}
study.ring(12, {2, 5, 8}, labels)
plt.show()

# %% [markdown]
# Two pairs may share a slot, so the number $L$ of covered slots is at most $\ell$.
# With $\Omega = g + \ell(e^\varepsilon-1)$, each covered slot has probability $e^\varepsilon/\Omega$, and the free slots share the rest equally.


# %%
def draw(keys, ell, rng):
    """All keys, or ell of them if there are more."""
    left, drawn = sorted(keys), []
    while left and len(drawn) < ell:
        drawn.append(left.pop(pick(range(len(left)), rng)))
    return drawn


def spin(slots, ell, g, eps, rng):
    """Name one slot: each covered one with probability e^ε/Ω."""
    missing = range(ell - len(slots))
    covered = {*slots, *(pick(range(g), rng) for _ in missing)}
    omega = g + ell * (odds(eps) - 1)
    if toss(len(covered) * odds(eps) / omega, rng):
        return pick(sorted(covered), rng)
    return pick([z for z in range(g) if z not in covered], rng)


def wheel_kv(record, d, ell, g, eps, rng):
    """Wheel-KV: a pair covers the slot of its sign."""
    slot = tuple(pick(range(g), rng) for _ in range(d))  # the table
    mine = draw(record, ell, rng)
    slots = [(slot[j] + (sign(record[j], rng) < 0)) % g for j in mine]
    return slot, spin(slots, ell, g, eps, rng)


# %% [markdown]
# :::{prf:theorem} The wheel is ε-LDP under every hash
# :label: thm-wheel-privacy
# Let $\ell < g$.
# Given any record and table, the client names each slot with a probability between $1/\Omega$ and $e^\varepsilon/\Omega$.
# So Wheel-KV is ε-LDP.
# :::
#
# :::{prf:proof}
# 1. *Given slots.*
#    Fix the $L \le \ell$ covered slots.
#    Each of the $g-L$ free slots has the probability
#
#    $$ \begin{aligned} & \begin{aligned} \frac{1 - Le^\varepsilon/\Omega}{g-L} &= \frac1\Omega\cdot\frac{\Omega - Le^\varepsilon}{g-L} \\[1ex] &= \frac1\Omega\Big(e^\varepsilon - (e^\varepsilon-1)\,\frac{g-\ell}{g-L}\Big). \end{aligned} \end{aligned} $$
#
#    For the last step, insert $\Omega = e^\varepsilon(g-L) + Le^\varepsilon - (e^\varepsilon-1)(g-\ell)$.
#    The last fraction lies between 0 and 1, so the bracket lies between 1 and $e^\varepsilon$.
# 2. *Random slots.*
#    Averages over the covered slots keep these bounds.
# 3. *Table.*
#    All records have the same law of the table, so it cancels.
# :::
#
# :::{prf:theorem} Probabilities of Wheel-KV
# :label: thm-wheelkv-estimate
# Let $g > \ell$ and $g \ge 3$, let people have at most $\ell$ pairs, and let the slots of any $\ell+1$ keys be independent and uniform.
# Then Wheel-KV has $N = n$, $w = 1$ and
#
# $$ \alpha = \frac{e^\varepsilon}{\Omega}, \qquad \beta = \frac{1-\alpha}{g-1}, \qquad \gamma = \frac1g. $$
# :::
#
# :::{prf:proof}
# 1. *Own sign.*
#    Its slot is covered, so it has $\alpha$.
# 2. *Reversed sign.*
#    Let this slot be given.
#    The other $\ell-1$ slots that the phone covers are still independent and uniform, because a uniform slot that is moved by one stays uniform.
#    So the other $g-1$ slots, and among them that of the reversed sign, share $1-\alpha$ equally.
# 3. *Absent key.*
#    Its slot is uniform and independent of the report.
#    So the report names it with probability $1/g$, and its neighbour, too.
# :::
#
# If there are only keys, take the value 1, count + alone, and use {eq}`eq-freq-estimate` with $p^* = \alpha$ and $q^* = \gamma$.
#
# For pairs, $T = \frac{g-2}{g-1}\big(\alpha-\frac1g\big)$; we insert it, and then $\alpha$:
#
# $$ \text{noise of } \hat f = \frac{\frac2g\big(1-\frac2g\big)}{T^2} = \frac{2\,\Omega^2(g-1)^2}{(e^\varepsilon-1)^2(g-\ell)^2(g-2)}. $$ (eq-wheel-noise)
#
# The number $d$ of keys does not matter.
# `WheelKV` takes the $g$ for which the noises of $\hat f$ and $\hat s$ have the least sum.
# At $\varepsilon = 1$ and for $\ell = 1, 3, 8$, it takes $g = 5, 14, 39$; the noise of $\hat f$ is then 10, 29 and 77, nearly linear in $\ell$:


# %%
def wheel_answer(ell, g, eps):
    """α, β, γ and w of Wheel-KV."""
    alpha = exp(eps) / (g + ell * (exp(eps) - 1))
    return alpha, (1 - alpha) / (g - 1), 1 / g, 1.0


# The package calls our ℓ m.
print([WheelKV(epsilon=1.0, m=ell).slot_count for ell in (1, 3, 8)])
print(prove(sized(wheel_kv, 2, 2, 4), SIGNS, rounded=False))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: α, β and γ of Wheel-KV on small circles"}
def small_circle(g, ell, beta=None):
    """How far α, β and γ are off: one key that the person has beside ell − 1 others, and one that she has not."""
    alpha, b, gamma, _ = wheel_answer(ell, g, 1.0)
    told = law(lambda rng: wheel_kv({0: 1.0}, 2, ell, g, 1.0, rng))
    seen = [sum(float(q) for (to, z), q in told.items() if (z - to[j]) % g == k) for j, k in product((0, 1), repeat=2)]
    return np.abs(np.subtract(seen, [alpha, b if beta is None else beta, gamma, gamma])).max()


CIRCLES = [(3, 1), (4, 1), (4, 2), (5, 2)]
check(
    "Small circles",
    "four circles up to 5 slots, ℓ ≤ 2: α, β and γ as stated",
    all(small_circle(*circle) < 1e-9 for circle in CIRCLES),
    control="β set equal to γ",
    caught=all(small_circle(g, ell, 1 / g) > 1e-3 for g, ell in CIRCLES),
)

# %% [markdown]
# (sec-wheel-survey)=
# ## A survey
#
# We ask 10,000 people with up to three games, once by each mechanism, at $\varepsilon = 2$ and $\ell = 3$.


# %%
def count_grr(reports, d):
    told = Counter(reports)
    signs = np.array([(told[j, -1], told[j, 1]) for j in range(d)])
    return np.insert(signs, 1, len(reports) - signs.sum(1), axis=1)


def count_ue(reports, d):
    told = np.array(reports)[:, :d]
    return np.stack([(told == x).sum(0) for x in (-1, 0, 1)], -1)


def count_wheel(tables, slots, g):
    past = (np.array(slots)[:, None] - np.array(tables)) % g  # 0: +, 1: −
    minus, plus = (past == 1).sum(0), (past == 0).sum(0)
    return np.stack([minus, len(past) - minus - plus, plus], -1)


def reliable(f, N, alpha, beta, gamma, w):
    """Whether f exceeds three times its error if nobody had the key."""
    T = alpha + beta - 2 * gamma
    return f > 3 * np.sqrt(2 * gamma * (1 - 2 * gamma) / N) / (w * T)


# %%
n, ell, EPS = 10_000, 3, 2.0
g = WheelKV(epsilon=EPS, m=ell).slot_count
popular = [*(1 / np.arange(2, GAMES + 1)), 0]  # nobody has the last game
popular /= np.sum(popular)


def person(rng):
    mine = rng.choice(GAMES, rng.integers(0, 4), replace=False, p=popular)
    return {int(j): rng.uniform(-0.2, 1) for j in mine}


people = [person(rng) for _ in range(n)]
by_wheel = [wheel_kv(r, GAMES, ell, g, EPS, rng) for r in people]
tables, slots = zip(*by_wheel, strict=True)
by_grr = [pckv_grr(r, GAMES, ell, EPS, rng) for r in people]
by_ue = [pckv_ue(r, GAMES, ell, EPS, rng) for r in people]
counts = {
    "PCKV-GRR": count_grr(by_grr, GAMES),
    "PCKV-UE": count_ue(by_ue, GAMES),
    "Wheel-KV": count_wheel(tables, slots, g),
}
told = answers(GAMES, ell, EPS) | {"Wheel-KV": wheel_answer(ell, g, EPS)}
rows = []
for j, (name, M) in product((0, 1, GAMES - 1), counts.items()):
    f, m, f_err, m_err = server(M[j], *told[name])
    mean = f"{np.clip(m, -1, 1):.2f} ± {m_err:.2f}"
    ratings = [r[j] for r in people if j in r]
    row = [j, name, f"{len(ratings) / n:.3f}", f"{f:.3f} ± {f_err:.3f}"]
    row.append(f"{np.mean(ratings):.2f}" if ratings else "—")
    rows.append([*row, mean if reliable(f, n, *told[name]) else "—"])
columns = ["game", "by", "true f", "estimate", "true m", "estimate"]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# Here PCKV-GRR is best: its noise is 3.1, Wheel-KV's 4.9, state encoding's 7.2 and PCKV-UE's 14.8.
#
# (sec-wheel-figure)=
# ## Which one?
#
# The table compares the mechanisms for 512 keys, $\ell = 8$ and $\varepsilon = 1$.
# Bits exclude public keys, tables and seeds.

# %%
MAKE = {
    "state encoding": lambda d, eps: StateEncoding(d=d, epsilon=eps),
    "PCKV-GRR": lambda d, eps: PCKVGRR(d=d, ell=8, epsilon=eps),
    "PCKV-UE": lambda d, eps: PCKVUE(d=d, ell=8, epsilon=eps),
    "Wheel-KV": lambda d, eps: WheelKV(epsilon=eps, m=8),
}
study.properties(MAKE, 512, 1.0)

# %% [markdown]
# {numref}`fig-wheel-crossing` varies ε, for keys that people have.

# %% mystnb={"figure": {"name": "fig-wheel-crossing", "caption": "Variance of frequencies relative to Wheel-KV's, for ℓ = 8. Each person has 8 of 64 keys (left) or of 10,000 (right), all equally frequent."}, "image": {"alt": "Two panels, ratio of variances on a logarithmic axis against epsilon from 0.5 to 8. Wheel-KV is 1. Left, PCKV-GRR falls below 1 near epsilon 1.65; PCKV-UE falls from 9 to 1, and state encoding rises from 1.3 to 3.7. Right, PCKV-GRR and state encoding lie far above 1 at small epsilon, and PCKV-GRR crosses 1 near 7."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.7), sharey=True)
look = theory("mechanism", [*MAKE])
for ax, d in zip(axes, (64, 10_000), strict=True):
    exact = study.compare(MAKE, d, np.arange(0.5, 8.1, 0.25), held=8)
    sns.lineplot(exact, x="ε", y="ratio", ax=ax, **look)
    ax.set(yscale="log", ylabel="variance / Wheel-KV's")
    ax.set_title(f"{d:,} keys")
    ax.set_xticks(range(1, 9))
    plain_ticks(ax)
axes[0].legend(loc="upper right", frameon=False)
label_lines(axes[1])
plt.show()

# %% [markdown]
# - PCKV-GRR is best for large ε: from about 1.7 for 64 keys, and about 7 for 10,000.
# - Wheel-KV is best for smaller ε.
#   With a seed, its client needs no list of keys, but its server computes a slot for each report and key.
# - State encoding needs no $\ell$, and suits few keys: for 4 keys, $\ell = 2$ and $\varepsilon = 1$, its noise is 7.4, and every other is above 9.


# %% [markdown]
# (sec-wheel-wrong)=
# ## What can go wrong
#
# - *$\ell$ is too small.*
#   Then each pair of a longer record counts for less than one person, and $\hat f$ comes out too small.
#   A larger $\ell$ costs noise.
# - *The server gives everybody the same hash table.*
#   Two keys with the same slot then share it in all reports.
#
# (sec-wheel-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# A server of Wheel-KV sets $\beta$ equal to $\gamma$.
# With $T$ from {ref}`sec-wheelkv`: by which factors, depending on $g$, are $\hat f$, $\hat s$ and $\hat m$ off?
# :::
#
# :::{dropdown} Solution
# The right divisors are $T$ and
#
# $$ D = \alpha - \frac{1-\alpha}{g-1} = \frac{g}{g-1}\Big(\alpha-\frac1g\Big). $$
#
# With $\beta = \gamma = \frac1g$, both become $\alpha-\frac1g$.
# So $\hat f$ is multiplied by $\frac{g-2}{g-1}$, $\hat s$ by $\frac{g}{g-1}$, and $\hat m$ by $\frac{g}{g-2}$.
# For $g = 5$, a mean of 0.5 becomes 0.83.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Everybody owns exactly one game.
# Write a client that needs no dummies, and its estimator.
# Compare its noise with PCKV-GRR's, for 20 games and $\varepsilon = 2$.
# :::
#
# :::{dropdown} Solution
# Apply k-RR to the $2d$ signed keys; `count_grr` and `server` do the rest.
#
# The calculus holds with $w = 1$, $\beta = \gamma = 1/(e^\varepsilon + 2d - 1)$ and $\alpha = e^\varepsilon\gamma$.
# The noise is $2(e^\varepsilon+2d-3)/(e^\varepsilon-1)^2$, and that of PCKV-GRR with $\ell = 1$ is $2(e^\varepsilon+2d-1)/(e^\varepsilon-1)^2$: 2.17 against 2.27.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def one_game(record, d, eps, rng):
    [(key, value)] = record.items()
    return krr((key, sign(value, rng)), [*product(range(d), (-1, 1))], odds(eps), rng)


told = [one_game({int(rng.integers(20)): 0.5}, 20, 2.0, rng) for _ in range(50_000)]
other = 1 / (exp(2) + 2 * 20 - 1)
found = server(count_grr(told, 20)[0], exp(2) * other, other, other, 1)
print(f"f, m and their errors: {np.round(found, 3)} (truth: f = 0.05, m = 0.5)")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# What does a Wheel-KV report say if the circle has very many slots?
# How large is the noise then?
# :::
#
# :::{dropdown} Solution
# Then $\Omega \approx g$, and each covered slot has only the probability $e^\varepsilon/g$.
# Nearly every report names a slot that belongs to no key of the person.
# With $T \approx D \approx (e^\varepsilon-1)/g$, the noise is about $\frac2g/T^2 = 2g/(e^\varepsilon-1)^2$, which grows without bound.
# :::
#
# ## Summary
#
# - PCKV pads a record to $\ell$ pairs and draws one, so that the k-RR in PCKV-GRR may use a larger budget.
# - The probabilities $\alpha$, $\beta$, $\gamma$ and $w$ give every server its estimates and standard errors.
# - The wheel uses all pairs at once; it needs a good hash for its estimates, not for privacy.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $d$ | number of keys, or of attributes |
# | $f$ | share of people who have something (of the population, for a random sample) |
# | $m$ | mean value of a key among the people who have it |
# | $s$ | $f\,m$, the sum of all values of a key, divided by the number of people |
# | $N$ | number of reports about one key |
# | $M_0$ | number of reports about a key that say − |
# | $M_2$ | number of reports about a key that say + |
# | $\ell$ | length to which a person's set is padded |
# | $w$ | probability that a report speaks for a given key that the person holds |
# | $\alpha$ | probability that the sign of a key is reported as it is |
# | $\beta$ | probability that the sign of a key is reported reversed |
# | $\gamma$ | probability that an absent key is reported as +, and equally as − |
# | $g$ | number of slots of a hash function |
# | $\varepsilon'$ | budget of the k-RR inside PCKV-GRR (here only) |
# | $r$ | chance that PCKV draws a certain signed key (here only) |
# | $Z$ | $\ell(e^\varepsilon-1) + 2(d+\ell)$ (here only) |
# | $P$ | probability that a report has a sign (here only) |
# | $T$ | $\alpha+\beta-2\gamma$ (here only) |
# | $D$ | $\alpha-\beta$ (here only) |
# | $L$ | number of covered slots (here only) |
# | $\Omega$ | $g+\ell(e^\varepsilon-1)$ (here only) |
#
# Next, {ref}`ch-changing` lets the list of keys change.
