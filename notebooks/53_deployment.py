# %% [markdown]
# (ch-deployment)=
# # From a proof to a service
#
# *Beyond the papers, with one claim of {cite:t}`ye2018survey` §0.*
#
# :::{admonition} In one minute
# A theorem about a mechanism speaks of one report and of coins that nobody can predict.
# A service has many reports of the same person, messages with a length and a time, a generator with a seed, numbers with 53 bits, and people who lie.
# Each of these can undo a correct proof, and most of them leave the estimates as they were.
#
# Most of it can be computed, because whatever an observer sees is a report: put the arrival, the number of draws and the day of a change into the report, and the exact ε of the whole is read off the code as before.
# What cannot be hidden at all is what a group has in common.
# And no privacy is free of liars: one made-up report can move an unbiased count by $e^\varepsilon/(e^\varepsilon-1)$ people or more, whatever the mechanism.
#
# At the end a small server and real clients exchange 6,366 messages of 26 bytes, with coins from the operating system.
# :::
#
# :::{zh}
# 关于机制的定理只论及一份报告和无人能够预测的随机数；实际的服务还要面对同一用户的多份报告、消息的长度与时间、随机数的种子、有限的精度以及说谎的用户。
# 其中任何一项都可能使正确的证明落空，而估计结果往往不露痕迹。
# 本章的办法是把观察者所能看到的一切都算作报告：把是否到达、抽取随机数的次数、取值变化的日期并入报告，便可照旧从代码读出整体的精确 $\varepsilon$。
# 带有记忆的用户端只对不变的取值限制 $\varepsilon$ 的累积，对变化的取值则不然；一个群体的共同特征是无法隐藏的。
# 任何机制都不能免于说谎者：一份伪造的报告可使无偏的计数偏移 $e^\varepsilon/(e^\varepsilon-1)$ 人或更多。
# 章末实现一个可供借鉴的小型服务，用户端以操作系统的随机数生成 6,366 条各 26 字节的消息，由服务器接收并计数。
# 综述（叶青青等）称，图像在用户端扰动之后，数据收集者与传输途中的攻击者都不能窃取其中的隐私，此论断在条件下复现：以 $\varepsilon$ 为限成立，照字面则不成立。
# :::
#
# You will compute what a year of reports gives away, undo a thousand clients that seed their generator with the time, recover the state of a generator from what is public, find a client that must not be timed though its reports are right, and run a service that you may build on.
# From {ref}`ch-rr` you need ε-LDP, from {ref}`ch-composition` post-processing and composition, from {ref}`ch-verify` laws and audits, and from {ref}`ch-rappor` the memory of a client.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
import json
import os
import socket
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, redirect_stderr, suppress
from fractions import Fraction
from hashlib import blake2b
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from inspect import getsource
from io import StringIO
from itertools import product
from math import atanh, ceil, exp, inf, log, sinh, sqrt, tanh
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from unittest.mock import patch

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import binom

from ldpnb import (
    GRR,
    OLH,
    OUE,
    RAPPOR,
    SUE,
    HadamardBit,
    HadamardResponse,
    Records,
    SubsetSelection,
    SystemRandom,
    Wheel,
    epsilon,
    laws,
    pick,
    toss,
    worst,
)
from ldpnb.book import check, datasets, dots, gallery, line, style, table
from ldpnb.book.diagram import PLAIN, SAND, SKY, arrow, board, border, box
from ldpnb.chance import bernoulli, binomial, branches, freeze, log_up, odds, uniform, weighted
from ldpnb.hashing import Multilinear, Paraboloid
from ldpnb.serve import Account, BudgetError, collecting as collect, screen
from ldpnb.verify import audit, one_person

style()
SEED = 2017  # the year in which somebody looked at what a widely used client really spent
rng = np.random.default_rng(SEED)


def reply(x, eps, rng):
    """Randomized response."""
    return x if toss(exp(eps) / (1 + exp(eps)), rng) else 1 - x


# %% [markdown]
# (sec-deploy-service)=
# ## What a service adds
#
# {numref}`fig-deploy-service` is the picture of this book with the parts that a service has to add.
# ε is a statement about one arrow of it, from the value to the report.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-deploy-service", "caption": "A service, and who can look at what. The theorems of this book are about the box 'perturb'. All that comes after it must depend on the report only, or not on the person at all: the message, the time at which it is sent, the address on it, the order in which it is stored."}, "image": {"alt": "Flow diagram in three columns, device, network and service. On the device: value, perturb with coins, message kept for a retry. An arrow crosses the network to the service: check, partition, tally and estimate, published shares. Below each column a line says who can look there."}}
fig, ax = plt.subplots(figsize=(4.8, 4.6))
board(ax)
for x, name in ((0.17, "device"), (0.5, "network"), (0.83, "service")):
    ax.text(x, 0.98, name, ha="center", va="top", fontweight="bold")
for x in (0.36, 0.64):
    border(ax, x, 0.14, 0.9)
box(ax, 0.08, 0.82, "value", SKY, 11)
box(ax, 0.26, 0.82, "coins", SKY, 11)
box(ax, 0.17, 0.6, "perturb", SAND, 11)
box(ax, 0.17, 0.3, "message,\nkept for a retry", PLAIN, 11)
box(ax, 0.5, 0.3, "time, length,\naddress", PLAIN, 11)
box(ax, 0.83, 0.3, "check", PLAIN, 11)
box(ax, 0.83, 0.46, "partition, sorted", PLAIN, 11)
box(ax, 0.83, 0.62, "tally, estimate", PLAIN, 11)
box(ax, 0.83, 0.78, "published shares", PLAIN, 11)
arrow(ax, (0.08, 0.77), (0.15, 0.66))
arrow(ax, (0.26, 0.77), (0.19, 0.66))
arrow(ax, (0.17, 0.55), (0.17, 0.38))
ax.text(0.185, 0.455, "report", fontsize=11)
arrow(ax, (0.313, 0.3), (0.378, 0.3))
arrow(ax, (0.627, 0.3), (0.763, 0.3))
for low in (0.34, 0.5, 0.66):
    arrow(ax, (0.83, low), (0.83, low + 0.075))
for x, text in (
    (0.17, "its owner, its maker,\nother programs"),
    (0.5, "providers,\nemployers"),
    (0.83, "collector, thieves;\nthen everybody"),
):
    ax.text(x, 0.12, text, ha="center", va="top", fontsize=11, style="italic")
plt.show()

# %% [markdown]
# Local privacy trusts the device and nobody else.
# That sounds modest; the table says what it comes to.
#
# | who | can see | what ε says, and what breaks it |
# |---|---|---|
# | the device: owner, maker, other programs | value, coins, memory, code | nothing; and an update, a backup or a log file can tell all |
# | the network: providers, employers | that, when and where a message is sent, and how long it is; its bytes, if they are not encrypted | ε, if nothing but the bytes depends on the value, and the bytes only through the report ({ref}`sec-deploy-around`) |
# | the collector | all messages, with address and time | ε a report, and the sum of all that can be laid side by side ({ref}`sec-deploy-time`); more than agreed, if it may choose budgets or seeds ({ref}`sec-deploy-hash`) |
# | a thief, a buyer, a court | what was kept | as the collector, if addresses and times were kept |
# | everybody | the published shares | the same ε ({prf:ref}`thm-post`), and nothing about groups ({ref}`sec-deploy-hidden`) |
# | somebody who takes part and lies | their own messages | that no lie can be proved ({ref}`sec-deploy-liars`) |
#
# The first line is the assumption on which all others rest.
# Whoever writes the client can replace it tomorrow, and in most services that is the collector.
# So the code must be open, the program on the device must be the one that was read, and its parameters must be in it and not in an answer of the server.
# None of this can be computed here; the rest of the chapter is about what can.
#
# | symbol | meaning | in code |
# |---|---|---|
# | $n$, $k$ | number of people, of items | `n`, `k` |
# | ε | budget of one report | `eps` |
# | $m$, ϱ | size of a family, and how often two of it agree | `size`, `agree` |
# | $g$ | number of slots of a hash function | `slots` |
# | $s(y)$ | score: what one report $y$ adds to the count of an item | `estimate` |
#
# (sec-deploy-hidden)=
# ## What ε does not hide
#
# *That somebody takes part.*
# It is in no report, and it may be all there is to know: the users of a certain app, the members of a certain group.
#
# *What a group has in common.*
# ε bounds how far a person's own report moves the odds about her.
# It does not bound what is learnt about her from others.
# Suppose it is not known whether a trait is rare or common in a town, one in five or four in five, and a bettor listens to the perturbed replies of the others.
# Somebody who never sent anything is then known better than before, and nobody did anything wrong: to learn such things was the purpose of the survey.
# (That no release which teaches anything can prevent this was shown by {cite:t}`dwork2010difficulties`; it is why privacy is defined by what *her* report changes.)


# %%
def town(x, others, eps, own, rng):
    """Number of yes among the others' replies, for somebody with trait x in a town of unknown kind; and her own reply."""
    share = 0.8 if toss(0.8 if x else 0.2, rng) else 0.2  # both kinds alike beforehand
    p = exp(eps) / (1 + exp(eps))
    heard = int(binomial(others, share * p + (1 - share) * (1 - p), (), rng))
    return heard if own is None else (heard, reply(x, own, rng))


def about_her(others, eps, own=None):
    return laws(lambda x, rng: town(x, others, eps, own, rng), [0, 1])


def best_guess(some):
    """Probability that the best guess among equally likely inputs is right, given what is seen."""
    seen = dict.fromkeys(y for one in some for y in one)
    return float(sum(max(one.get(y, 0) for one in some) for y in seen) / len(some))


# %% tags=["hide-input"]
def binomials(others, eps):
    """The same laws from binomial probabilities, for many others."""
    p = exp(eps) / (1 + exp(eps))
    common, rare = (binom.pmf(range(others + 1), others, share * p + (1 - share) * (1 - p)) for share in (0.8, 0.2))
    return [dict(enumerate(one)) for one in (0.2 * common + 0.8 * rare, 0.8 * common + 0.2 * rare)]


for others, eps in ((5, 1.0), (50, 1.0), (50, 2.0), (50, 0.25), (500, 0.25)):
    guess = best_guess(binomials(others, eps))
    print(f"{others:>3} others at ε = {eps:<4g}: somebody who sent nothing is guessed right in {guess:.1%}")
silent, joined, more = (epsilon(about_her(50, 1.0, own)) for own in (None, 1.0, 1.1))
check(
    "Group",
    f"50 others: odds of somebody who sent nothing change by {exp(silent):.4f} at most; her own reply adds ε = {joined - silent:.4f}",
    silent <= log(4) + 1e-12
    and abs(joined - silent - 1) < 1e-12
    and abs(best_guess(about_her(50, 1.0)) - best_guess(binomials(50, 1.0))) < 1e-9,
    control=f"her reply at 1.1 adds {more - silent:.4f}",
    caught=abs(more - silent - 1) > 1e-12,
)

# %% [markdown]
# A smaller ε of the others only means that it takes more of them.
# A promise that a survey "reveals nothing about you" is therefore false whatever the mechanism is; the true promise is that your answer changes the odds of anything that is concluded about you by a factor of at most $e^\varepsilon$.
#
# *What relatives share.*
# {ref}`ye2018-2` has three sisters with one gene: three reports, $3\varepsilon$.
# Few people always agree.
# If each of $m-1$ others agrees with a person with probability ϱ, independently given her value, all $m$ reports together have
#
# $$ \varepsilon_m = \varepsilon + (m-1)\,\Bigl|\ln\frac{\varrho e^\varepsilon + 1 - \varrho}{\varrho + (1-\varrho)e^\varepsilon}\Bigr| $$ (eq-deploy-kin)
#
# about the person, because each of their replies tells the person's two values apart by that ratio at most, and the most telling case is that all other replies agree with hers, or (where $\varrho < \frac12$) all disagree.
#
# *And what if the collector knows everybody else?*
# Then nothing is lost, because reports of others carry no coin of hers.
# A sum without noise is another matter, however secretly it is computed: whoever knows all other terms knows hers.


# %% tags=["hide-input"]
def household(x, size, agree, rng):
    others = [x if toss(agree, rng) else 1 - x for _ in range(size - 1)]
    return tuple(reply(one, 1.0, rng) for one in (x, *others))


def kin(size, agree, eps=1.0):
    """ε of all reports about one of them, by the formula."""
    e = exp(eps)
    return eps + (size - 1) * abs(log((agree * e + 1 - agree) / (agree + (1 - agree) * e)))


sizes, agreements = (2, 3, 5), (1.0, 0.9, 0.75, 0.5, 0.25)
related = {
    (m, r): epsilon(laws(lambda x, rng, m=m, r=r: household(x, m, r, rng), [0, 1])) for m in sizes for r in agreements
}
check(
    "Relatives",
    "2, 3 and 5 people who agree with probability 1, 0.9, 0.75, 0.5 and 0.25: ε as in the formula, m if they always agree",
    all(abs(found - kin(m, r)) < 1e-9 for (m, r), found in related.items())
    and all(abs(related[m, 1.0] - m) < 1e-9 for m in sizes),
    control="m for all of them",
    caught=any(abs(found - m) > 0.1 for (m, _), found in related.items()),
)
print(
    "five people, ε = 1 each: " + ", ".join(f"{related[5, r]:.2f} (agree with probability {r:g})" for r in agreements)
)

known = epsilon(laws(lambda x, rng: (1, 0, reply(1, 1.0, rng), reply(0, 1.0, rng), reply(x, 1.0, rng)), [0, 1]))
summed = epsilon(laws(lambda x, rng: 1 + 0 + x, [0, 1]))
check(
    "All others known",
    f"their values and their reports are seen, too: ε = {known:.4f} for the last person",
    abs(known - 1) < 1e-12,
    control="the exact sum of three values, two of them known: ε = ∞",
    caught=summed == inf,
)

# %% [markdown]
# (sec-deploy-time)=
# ## Day after day
#
# {ref}`sec-rr-composition` says that budgets add up, and {ref}`sec-rappor-privacy` how a memory stops that.
# Here the possible clients stand side by side, for one yes-or-no question that is asked every day with $\varepsilon = 1$.
# The one with *two levels* works as RAPPOR does: it remembers a reply, and every day it perturbs that reply again and sends the result, its *reading*.


# %%
LIFETIME = 2.0  # ε of the remembered reply
READING = 2 * atanh(tanh(1 / 2) / tanh(LIFETIME / 2))  # ε of a reading, so that one day has ε = 1


def fresh(history, rng):
    """New coins every day."""
    return tuple(reply(x, 1.0, rng) for x in history)


def remembered(history, rng):
    """The reply of the first day, for ever."""
    return (reply(history[0], 1.0, rng),) * len(history)


def by_value(history, rng, eps=1.0, read=lambda kept, rng: kept):
    """One remembered reply for each value, sent as it is."""
    kept, sent = {}, []
    for x in history:
        if x not in kept:
            kept[x] = reply(x, eps, rng)
        sent.append(read(kept[x], rng))
    return tuple(sent)


def two_level(history, rng):
    """One remembered reply for each value, and a new reading of it every day: RAPPOR for one bit."""
    return by_value(history, rng, LIFETIME, lambda kept, rng: reply(kept, READING, rng))


def divided(history, rng):
    """New coins every day, with an equal part of ε = 1."""
    return tuple(reply(x, 1 / len(history), rng) for x in history)


def once(history, rng):
    """One report, on a day drawn at random."""
    day = pick(range(len(history)), rng)
    return day, reply(history[day], 1.0, rng)


# %% [markdown]
# {numref}`fig-deploy-days` has two curves for each of four of them, for a person whose value never changes: the ε of all reports so far, and the probability that an observer names the value right.
# The two do not say the same.
# *Divided* and *remembered* end with the same $\varepsilon = 1$ after a year, but the observer of the divided budget is hardly better off than without any reports: ε is about the most telling outcome, which is 365 equal replies, and those will not be seen.
# Nor do they serve the collector alike, as the table below the figure shows.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-deploy-days", "caption": "A value that never changes, asked every day with ε = 1 (divided: with ε = 1 for the whole year). Upper panel: exact ε of all reports so far. Lower panel: probability that an observer names the value right. Lines: formulas; markers: exact laws of the clients above, up to six days. New coins every day give the value away within a month; a memory stops that at its own ε."}, "image": {"alt": "Two panels against days from 1 to 365, logarithmic. Upper: epsilon rises in a straight line to 365 with new coins, from 1 to 2 with two levels, stays at 1 if remembered, and rises from 1/365 to 1 if divided. Lower: right guesses rise to 1 within a month with new coins, to 0.88 with two levels, stay at 0.73 if remembered and near 0.5 if divided."}}
def majority(count, eps):
    """Probability that most of the replies are true, ties broken by a fair coin."""
    lies = np.arange(count + 1)
    return binom.pmf(lies, count, 1 / (1 + exp(eps))) @ np.select([2 * lies < count, 2 * lies == count], [1, 0.5], 0)


YEAR = 365
turned = 1 / (1 + exp(LIFETIME))  # probability that the remembered reply is a lie
clear = exp(READING) / (1 + exp(READING))
both_bits = RAPPOR(bits=2, hashes=1, cohorts=1, f=2 * turned, p=1 - clear, q=clear)  # one bit for yes, one for no
SPENT = {
    "new coins": lambda days: float(days),
    "two levels": lambda days: both_bits.exposure(days) / 2,
    "remembered": lambda days: 1.0,
    "divided": lambda days: days / YEAR,
}
NAMED = {
    "new coins": lambda days: majority(days, 1.0),
    "two levels": lambda days: turned + (1 - 2 * turned) * majority(days, READING),
    "remembered": lambda days: majority(1, 1.0),
    "divided": lambda days: majority(days, 1 / YEAR),
}
CLIENTS = {
    "new coins": fresh,
    "two levels": two_level,
    "remembered": remembered,
    "divided": lambda history, rng: tuple(reply(x, 1 / YEAR, rng) for x in history),
}
few = range(1, 7)
constant = {
    (name, days): laws(lambda x, rng, c=client, t=days: c((x,) * t, rng), [0, 1])
    for name, client in CLIENTS.items()
    for days in few
}
span = np.unique(np.geomspace(1, YEAR, 80).astype(int)).tolist()
fig, axes = plt.subplots(2, 1, figsize=(6.4, 7.2), sharex=True)
for i, name in enumerate(CLIENTS):
    for ax, formula, exact in ((axes[0], SPENT, epsilon), (axes[1], NAMED, best_guess)):
        ax.plot(span, [formula[name](days) for days in span], **line(i), label=name)
        ax.plot(few, [exact(constant[name, days]) for days in few], **dots(i))
axes[0].set(yscale="log", ylabel="ε of all reports", ylim=(0.002, 500))
axes[1].set(xscale="log", xlabel="days", ylabel="probability of a right guess", ylim=(0.48, 1.02))
axes[1].set_xticks([1, 2, 5, 10, 30, 100, 365], ["1", "2", "5", "10", "30", "100", "365"])
axes[1].minorticks_off()
axes[0].legend(loc="upper left", fontsize=10)
plt.show()

# %% tags=["hide-input"]
by_formula = max(
    max(abs(epsilon(found) - SPENT[name](days)), abs(best_guess(found) - NAMED[name](days)))
    for (name, days), found in constant.items()
)
without = max(abs(epsilon(constant["two levels", days]) - days) for days in few)
check(
    "Days",
    "four clients, one to six days: ε and right guesses of the exact laws as in the formulas",
    by_formula < 1e-9,
    control=f"T·ε for the client with two levels, off by {without:.2f}",
    caught=without > 1e-9,
)
print(
    "named right after 7, 30 and 365 days: "
    + "; ".join(f"{name} " + ", ".join(f"{NAMED[name](t):.3f}" for t in (7, 30, 365)) for name in NAMED)
)

# %% [markdown]
# What the reports are worth is another matter: a remembered lie stays a lie, and days do not average it away.
# The table is for 10,000 people whose values do not change, asked for a year; the last line is for a client that reports only once, on a day drawn at random.


# %% tags=["hide-input"]
PEOPLE = 10_000
ONE_DAY = 1 / (4 * sinh(1 / 2) ** 2)  # variance of one reply's score
STAYS = turned * (1 - turned) * (tanh(READING / 2) / tanh(1 / 2)) ** 2  # what days do not average away
VARIANCE = {  # of the mean over some days of one person's scores
    "new coins": lambda days: ONE_DAY / days,
    "two levels": lambda days: STAYS + clear * (1 - clear) / tanh(1 / 2) ** 2 / days,
    "remembered": lambda days: ONE_DAY,
    "divided": lambda days: 1 / (4 * sinh(1 / (2 * YEAR)) ** 2) / days,
}


def law_variance(name, days):
    """The same from the exact law of a person's reports."""
    answer = tanh(1 / (2 * YEAR)) if name == "divided" else tanh(1 / 2)
    found = {y: float(p) for y, p in constant[name, days][1].items()}
    mean = {y: np.mean([(one - 1 / 2) / answer for one in y]) for y in found}
    centre = sum(p * mean[y] for y, p in found.items())
    return sum(p * (mean[y] - centre) ** 2 for y, p in found.items())


worth = max(abs(law_variance(name, days) / VARIANCE[name](days) - 1) for name, days in constant)
check(
    "Worth",
    "variance of the mean over one to six days, four clients: exact laws as in the formulas",
    worth < 1e-9,
    control="1/T of one day's, for the client with two levels",
    caught=abs(VARIANCE["two levels"](1) / 6 / law_variance("two levels", 6) - 1) > 0.1,
)
rows = [
    (
        name,
        f"{SPENT[name](YEAR):.2f}",
        f"{NAMED[name](YEAR):.3f}",
        *(f"{100 * sqrt(VARIANCE[name](days) / PEOPLE):.2f}" for days in (1, YEAR)),
    )
    for name in CLIENTS
]
rows.append(
    ("once", "1.00", f"{majority(1, 1.0):.3f}", *(f"{100 * sqrt(ONE_DAY * t / PEOPLE):.2f}" for t in (YEAR, 1)))
)
heads = ["client", "ε of a year", "named right", "standard error of one day, points", "of the year's mean, points"]
table(pd.DataFrame(rows, columns=heads))

# %% [markdown]
# For a value that does not change, *remembered* and *once* cost and are worth the same, and there is no reason to ask for more.
# *Divided* spreads the budget over days that add nothing, and its error of the year's mean is twenty times as large.
# For the share of a single day *once* has a 365th of the people, and an error of 18 points; *divided* has a 365th of the budget, and one of 365 points.
#
# (sec-deploy-changes)=
# ### When the value changes
#
# Now compare any two *histories* of four days.
# A client that remembers one reply for each value and sends it as it is has a simple flaw: its reports change only if the value does, and a change of the report proves a change of the value.
# RAPPOR's second level takes the proof away, but not the hint.
# The last column is about somebody whose value turns from no to yes on one of the four days, or never, all five alike, and an observer who has to name the day.

# %% tags=["hide-input"]
FOUR = list(product((0, 1), repeat=4))
TURNS = [tuple(int(day >= turn) for day in range(4)) for turn in range(5)]
SIX = {
    "new coins": fresh,
    "remembered": remembered,
    "remembered by value": by_value,
    "two levels": two_level,
    "divided": divided,
    "once": once,
}
rows, any_two, unchanged = [], {}, {}
for name, client in SIX.items():
    found = dict(zip(FOUR, laws(client, FOUR), strict=True))
    unchanged[name] = epsilon([found[(0,) * 4], found[(1,) * 4]])
    any_two[name] = epsilon(list(found.values()))
    day = best_guess([found[turn] for turn in TURNS])
    shown = "∞" if any_two[name] == inf else f"{any_two[name]:.2f}"
    rows.append((name, f"{unchanged[name]:.2f}", shown, f"{day:.3f}"))
table(pd.DataFrame(rows, columns=["client", "ε, unchanged values", "ε, any two histories", "day named right"]))

# %% tags=["hide-input"]
proof = worst(laws(by_value, [(0, 0, 0, 0), (0, 0, 1, 1)]))
check(
    "Histories",
    f"four days, 16 histories: new coins {any_two['new coins']:.4f}, remembered {any_two['remembered']:.4f}, by value ∞",
    abs(any_two["new coins"] - 4) < 1e-9 and abs(any_two["remembered"] - 1) < 1e-9 and proof.epsilon == inf,
    control=f"only values that never change compared, by value {unchanged['remembered by value']:.4f}",
    caught=unchanged["remembered by value"] < inf,
)


def two_level_spent(days):
    """ε of two levels over any two histories: each value's readings are a mixture of those of its two replies."""
    histories = np.array(list(product((0, 1), repeat=days)))
    law = np.ones((len(histories), len(histories)))  # history, reports
    for value, kept in ((0, turned), (1, 1 - turned)):  # kept: the remembered reply is 1
        count = np.sum(histories == value, axis=1)[:, None]
        ones = (histories == value).astype(int) @ histories.T
        law *= (
            kept * clear**ones * (1 - clear) ** (count - ones)
            + (1 - kept) * clear ** (count - ones) * (1 - clear) ** ones
        )
    return log((law.max(0) / law.min(0)).max())


spent = [two_level_spent(days) for days in range(1, 11)]
by_law = [epsilon(laws(two_level, list(product((0, 1), repeat=t)))) for t in range(1, 6)]
check(
    "Any two",
    "two levels, any two histories of one to five days: exact laws as the products",
    np.allclose(by_law, spent[:5], rtol=0, atol=1e-9),
    control="only values that never change",
    caught=abs(epsilon(constant["two levels", 5]) - spent[4]) > 1,
)
print("two levels, any two histories of 1 to 10 days: ε = " + ", ".join(f"{x:.2f}" for x in spent))

# %% [markdown]
# So the ceiling of {ref}`ch-rappor` is for values that stay; over histories the two-level client spends 1 on each of the first two days and about 0.7 on each of the eight after them, with no end in sight.
# And its observer names the day of the change right in 0.516 of the cases, more often than with new coins (0.490), because the readings of one reply hang together.
#
# There are four ways out: to collect a value that does not change; to remember the first reply, and be wrong about whoever changes; to report once, or on few days; or to fix the number of reports beforehand and divide.
# {cite:t}`ding2017telemetry` remember a randomly rounded value, so that small changes do not show and large ones still do; in {cite:t}`joseph2018evolving` devices vote, privately, on whether the statistics have changed enough to ask again.
# Real services have been less careful: {cite:t}`tang2017apple` took the client of Apple's macOS 10.12 apart, which spent 1 or 2 on a report and renewed its budget every day, up to 16 a day for the four uses announced first.
#
# ### When an answer is lost
#
# A message goes out, no answer comes back, and the client tries again: the network decides how many reports the collector gets.
# Whatever draws new coins for the second try spends a second ε.
# So the client makes its message once, keeps it, and sends the same bytes at every try.


# %%
def impatient(x, rng):
    """Perturb again if no answer came; the collector had received the first message all the same."""
    first, lost = reply(x, 1.0, rng), toss(0.1, rng)
    return (first, reply(x, 1.0, rng)) if lost else (first,)


def patient(x, rng):
    first, lost = reply(x, 1.0, rng), toss(0.1, rng)
    return (first, first) if lost else (first,)


# %% tags=["hide-input"]
again, same = (epsilon(laws(client, [0, 1])) for client in (impatient, patient))
check(
    "Retry",
    f"the same bytes again: ε = {same:.4f}",
    abs(same - 1) < 1e-12,
    control=f"perturbed again, ε = {again:.4f}",
    caught=abs(again - 1) > 0.1,
)

# %% [markdown]
# (sec-deploy-around)=
# ## What surrounds the report
#
# :::{prf:definition} What is seen
# :label: def-deploy-seen
# For an observer, the report is *everything about a person's participation that the observer can see*.
# :::
#
# No new theory is needed then; only the client has to return what is seen.
# Four things are easily forgotten.
#
# *Whether anything comes.*
# A form that is sent only by those with something to tell, or a field that is left out when it is empty, needs no decoding.
# It is enough that people with the trait answer more often.


# %%
def tells_if_any(x, rng):
    """A report of those who have the trait, none from the others."""
    return reply(x, 1.0, rng) if x else None


def more_often(x, rng):
    """Those who have the trait take part with probability 0.6, the others with 0.3."""
    return reply(x, 1.0, rng) if toss(0.6 if x else 0.3, rng) else None


def some(x, rng):
    """Takes part with probability 0.3, drawn without looking at the value."""
    return reply(x, 1.0, rng) if toss(0.3, rng) else None


# %% tags=["hide-input"]
arrives = [epsilon(laws(client, [0, 1])) for client in (some, more_often, tells_if_any)]
check(
    "Arrival",
    f"taking part drawn without looking: ε = {arrives[0]:.4f}; twice as often with the trait: {arrives[1]:.4f} = 1 + ln 2",
    abs(arrives[0] - 1) < 1e-12 and abs(arrives[1] - 1 - log(2)) < 1e-12,
    control="only those with the trait, ε = ∞",
    caught=arrives[2] == inf,
)

# %% [markdown]
# *How long it takes.*
# The observer's clock is crude, but in several libraries the time of a draw could be measured, and the noise predicted from it {cite:p}`jin2022timing`.
# `Paths` writes down every draw of a client, its kind and how many at once, so the law of *report and draws* is one line.
# k-RR as the {ref}`gallery <sec-verify-gallery>` writes it, "the truth on heads, otherwise draw an item", makes one draw on heads and two on tails: whoever can count to two knows which replies are certainly true.


# %%
def timed(client):
    """What somebody sees who can watch the client draw, but not what it draws."""
    return lambda x, rng: (one_person(client)(x, rng), tuple(rng.trace))


def steady(x, rng, k=4):
    """k-RR that draws the blind item in any case."""
    truth, blind = toss((exp(1) - 1) / (exp(1) + k - 1), rng), pick(range(k), rng)
    return x if truth else blind


# %% tags=["hide-input"]
FOUR_ITEMS = {
    "k-RR, as in the gallery": gallery.krr,
    "k-RR, blind item always drawn": steady,
    "`GRR`": GRR(k=4, epsilon=1.0),
    "`SUE`": SUE(k=4, epsilon=1.0),
    "`OUE`": OUE(k=4, epsilon=1.0),
    "`OLH`, prime 5": OLH(k=4, epsilon=1.0, prime=5),
    "`HadamardBit`": HadamardBit(k=4, epsilon=1.0),
    "`HadamardResponse`": HadamardResponse(k=4, epsilon=1.0),
    "`SubsetSelection`, sets of 2 of 4": SubsetSelection(k=4, epsilon=1.0, size=2),
}
watched = {
    name: (epsilon(laws(client, range(4))), epsilon(laws(timed(client), range(4))))
    for name, client in FOUR_ITEMS.items()
}
table(
    pd.DataFrame(
        [(name.replace("`", ""), f"{a:.4f}", "∞" if b == inf else f"{b:.4f}") for name, (a, b) in watched.items()],
        columns=["client, four items", "ε of the report", "ε of report and draws"],
    )
)

# %% [markdown]
# The table has a surprise: the client that our gallery calls right.
# It is right about reports.
# What the package's clients draw, by kind and number, says nothing that the report does not; what is not needed is drawn and thrown away, and the contract holds every mechanism to it.
# That is all they promise: not that they take the same time.
# Caches, branches, the rejections of a draw below a bound and the length of a number are other parts of the time, which no law sees; so the message is sent at a fixed hour, long after it was made.
#
# It is not redrawing as such that leaks.
# A client that proposes and rejects until a proposal is accepted leaks nothing by the number of rounds, if every value accepts equally often ({ref}`sec-deploy-exercises`).
# Added noise that is drawn again until the sum lies in the domain does leak: a value at the edge rejects more.


# %%
WEIGHTS = [round(2**40 * exp(-abs(z) / 3)) for z in range(-3, 4)]  # noise z with weight e^(-|z|/3)


def redraw(x, rng, rounds=6):
    """Add noise to a number in {0, 1, 2, 3}, again and again until the sum is one of them; give up after some rounds."""
    for used in range(1, rounds + 1):
        y = x + int(weighted(WEIGHTS, (), rng)) - 3
        if 0 <= y <= 3:
            return y, used
    return None, rounds


# %% tags=["hide-input"]
rounds = laws(redraw, range(4))


def after(used):
    """ε of what is seen if exactly so many rounds were needed."""
    seen = [y for y in rounds[0] if y[0] is not None and y[1] == used]
    return max(log(max(one[y] for one in rounds) / min(one[y] for one in rounds)) for y in seen)


blind = laws(lambda x, rng: redraw(x, rng)[0], range(4))
accept = [sum(WEIGHTS[y - x + 3] for y in range(4)) / sum(WEIGHTS) for x in range(4)]
slope = log((1 - accept[0]) / (1 - accept[1]))
growing = [after(used) for used in range(1, 7)]
check(
    "Rounds",
    f"from the fourth on each round adds ε = {slope:.4f}, the logarithm of the ratio of rejections at edge and centre",
    np.allclose(np.diff(growing)[2:], slope, rtol=0, atol=1e-9),
    control="no more than without the number of rounds",
    caught=growing[-1] > epsilon(blind) + 0.3,
)
print("ε if accepted in round 1 to 6: " + ", ".join(f"{x:.2f}" for x in growing))

# %% [markdown]
# Without a limit on the rounds this goes on for ever, and ε is infinite.
#
# *How long it is.*
# Encryption hides the bytes of a message and not their number.
# A length that depends on the report alone is post-processing, and costs nothing more.
# A length that depends on the value in any other way is a second report.
# The gallery has a client that owns up to two items and sends each of them well perturbed: with as many reports as items $\varepsilon = \infty$; filled up with dummies to two reports, it keeps its promise.
# Compression, optional fields, error messages and debugging output all make lengths; a message of fixed length makes none.


# %% tags=["hide-input"]
own, full = (epsilon(laws(client, gallery.SETS)) for client in (gallery.own_length, gallery.padded))
ones = epsilon(laws(lambda x, rng: one_person(SUE(k=4, epsilon=1.0))(x, rng).sum(), range(4)))
check(
    "Length",
    f"sets filled up to two items: ε = {full:.4f}; length of the list of ones of a unary encoding alone: ε = {ones:.4f}",
    abs(full - 1) < 1e-9 and ones < 1e-9,
    control="as many items as owned, ε = ∞",
    caught=own == inf,
)

# %% [markdown]
# *Whose it is.*
# An address, an account, the name and version of a program, a number in a cookie do not change ε.
# They decide which reports can be laid side by side, and then {ref}`sec-deploy-time` applies; and they tell the group, and then {ref}`sec-deploy-hidden` does.
# The usual cure is a second party that forwards reports in mixed batches, without addresses and times, to a collector who holds the key to read them {cite:p}`bittau2017prochlo`.
#
# (sec-deploy-random)=
# ## Where the coins come from
#
# ε counts the coins as unknown.
# Whoever can repeat them subtracts them.
#
# Suppose that a client seeds its generator with the time, as many programs do, in seconds; on any given day there are 86,400 seeds.
# It then sends one bit for each of 64 items, and flips each with a coin of its own, as it should.


# %%
def noise(seed, k=64, eps=1.0):
    """The flips of a client that seeds numpy's generator, as one word of 64 bits."""
    flips = bernoulli(1 / (exp(eps / 2) + 1), (k,), np.random.default_rng(seed))
    return np.packbits(flips).view(">u8")[0]


def seeded(item, seed):
    """The report: the bit of the item, and all flips."""
    return np.uint64(noise(seed)) ^ np.uint64(1 << (63 - item))


def undo(report, table_of_noise):
    """Items for which some seed gives this report."""
    left = table_of_noise ^ report  # one bit remains where the seed was right
    return {64 - int(word).bit_length() for word in left[np.bitwise_count(left) == 1]}


# %% tags=["hide-input"]
DAY = 86_400
all_noise = np.array([noise(second) for second in range(DAY)], np.uint64)
items, seconds = rng.integers(0, 64, 1000).tolist(), rng.integers(0, DAY, 1000).tolist()
guessed = [undo(seeded(item, second), all_noise) for item, second in zip(items, seconds, strict=True)]
undone = sum(guess == {item} for guess, item in zip(guessed, items, strict=True))

system = SUE(k=64, epsilon=1.0).perturb(items, rng=SystemRandom())
unseeded = [undo(np.packbits(bits).view(">u8")[0].astype(np.uint64), all_noise) for bits in system]
check(
    "Seeds",
    f"{DAY:,} seeds tried: {undone:,} of 1,000 people named, no wrong item",
    undone == 1000,
    control=f"coins of the operating system, {sum(map(bool, unseeded))} named",
    caught=not any(unseeded),
)
unlike = [
    np.bitwise_count(sent[:, None] ^ sent)[np.triu_indices(1000, 1)]
    for sent in (
        np.array([seeded(item, second) for item, second in zip(items, seconds, strict=True)], np.uint64),
        np.packbits(system, axis=1).view(">u8").ravel().astype(np.uint64),
    )
]
same_second = np.equal.outer(seconds, seconds)[np.triu_indices(1000, 1)]
check(
    "Twins",
    f"two reports differ in at most two of 64 bits exactly if they have a seed in common: {same_second.sum()} of 499,500 pairs",
    bool(same_second.any() and np.array_equal(unlike[0] <= 2, same_second)),
    control="coins of the operating system, no such pair",
    caught=not np.any(unlike[1] <= 2),
)

# %% [markdown]
# No single report shows the fault, and no share: each of the 86,400 noises is a perfectly good one.
# Two people who started in the same second do show it, because their reports are nearly the same.
# A seed that is the person's number needs no search, and one of 32 bits a longer one.
# A report of few bits fits many seeds; a few reports with one seed fit no other.
#
# A seed that nobody can guess is not enough either.
# numpy's default generator is good for simulations and was not made to be unpredictable; its state has been recovered from 512 bytes of output, at some expense {cite:p}`bouillaguet2020pcg`.
# Its predecessor, the Mersenne Twister, needs no expense at all: 624 words of output *are* its state, scrambled by a permutation that can be undone {cite:p}`matsumoto1998mersenne`.
# And the wheel ({ref}`ch-wheel`) publishes words of output, three for each person's hash function.
# So let a kiosk draw the seeds and then the coins of 400 visitors with that generator and the package's own `Wheel`, and read off what is public whose coin fell on the truth: their slots are then certain, and the rest is known to be noise.


# %%
def unscrambled(word):
    """Undo the output permutation of the Mersenne Twister."""
    y = int(word)
    y ^= y >> 18
    y ^= (y << 15) & 0xEFC60000
    x = y
    for _ in range(4):  # each round makes seven bits more right
        x = y ^ ((x << 7) & 0x9D2C5680)
    y = x
    for _ in range(2):
        x = y ^ (x >> 11)
    return x & 0xFFFFFFFF


def rebuilt(words):
    """A generator in the state after these 624 outputs."""
    twister = np.random.MT19937(0)
    state = twister.state
    state["state"] = {"key": np.array([unscrambled(word) for word in words], np.uint32), "pos": 624}
    twister.state = state
    return np.random.Generator(twister)


# %% tags=["hide-input"]
kiosk = Wheel(epsilon=1.0, m=1)
visitors = rng.integers(0, 1000, 400)


def truthful_slots(generator):
    """Visitors whose coin is predicted to fall on the truth, and how many of these sent the slot of their own item."""
    sent = kiosk.perturb(Records.from_arrays(np.arange(400), visitors), rng=generator)
    public = sent["seed"].ravel()
    copy = rebuilt(public[:624])
    copy.integers(0, 2**32, len(public) - 624)  # the seeds that were not needed
    for options in (2, kiosk.slot_count):  # places and dummies, drawn for all and not used
        uniform(options, (400,), copy)
    true = bernoulli(float(kiosk.circle.alpha), (400,), copy)
    return int(true.sum()), int((sent["slot"] == kiosk.hash(sent["seed"], visitors))[true].sum())


twister, default = (np.random.Generator(kind(SEED)) for kind in (np.random.MT19937, np.random.PCG64))
predicted, correct = truthful_slots(twister)
guessing, lucky = truthful_slots(default)
check(
    "State",
    f"{predicted} of 400 visitors are predicted to send their own slot, {correct} do",
    correct == predicted > 0,
    control=f"the same with another generator, {lucky} of {guessing}",
    caught=lucky < guessing,
)

# %% [markdown]
# So the coins of people come from the operating system, as `SystemRandom` has them, word by word and without a state of ours.
# The census of the United States came to the same conclusion about the Mersenne Twister {cite:p}`garfinkel2020randomness`.
# A law cannot see any of this: to `laws` the coins are fair by definition, and a client with a seed of its own is a client without coins ({ref}`sec-verify-exact`).
#
# (sec-deploy-float)=
# ## Numbers that are not real
#
# (sec-rr-float)=
# ### The coin of randomized response
#
# On paper the coin falls heads with probability $e^\varepsilon/(1+e^\varepsilon)$.
# In a computer it is `rng.random() < p`, where `rng.random()` is a multiple of $2^{-53}$, and so is `p` once it is above one half.
# For small ε nobody will notice.
# But a lie has what is left to one, $1/(1+e^\varepsilon)$, and at $\varepsilon = 36$ that is 2.1 steps of the grid, of which rounding makes two.
# {numref}`fig-rr-float` shows the ε that the code of `reply` really has.
# From about 33 on it wanders off in both directions; beyond $\ln 2^{53} = 36.74$ rounding often leaves no step at all, beyond $\ln 2^{54} = 37.43$ never one, and then everybody tells the truth and $\varepsilon = \infty$.
# {cite:t}`mironov2012significance` made the same point for Laplace noise, with an attack.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rr-float", "caption": "How far the exact ε of the running code is from the ε asked for. The plain coin (crosses) is off in both directions, and gives everything away at the budgets marked by triangles (ε = ∞). The package (dots) rounds its thresholds toward privacy, is never above zero, and refuses budgets above 32."}, "image": {"alt": "Exact minus requested epsilon against requested epsilon from 28 to 38. Crosses for the plain coin fan out around zero from 33 on and reach half a unit near 37; triangles along the top mark infinity, some from 36.74 and all from 37.43 on. Dots for the package lie at or just below zero up to 32."}}
wanted = np.round(np.arange(28, 38.001, 0.05), 2)
plain = np.array([epsilon(laws(lambda x, rng, eps=eps: reply(x, eps, rng), [0, 1])) for eps in wanted])
allowed = wanted[wanted <= 32]
ours = np.array([GRR(k=2, epsilon=eps).realised_epsilon for eps in allowed])
fig, ax = plt.subplots()
finite = plain < inf
ax.plot(wanted[finite], (plain - wanted)[finite], "x", color="C1", label="rng.random() < p")
top = ax.get_xaxis_transform()
ax.plot(wanted[~finite], np.full((~finite).sum(), 0.97), "^", color="C1", label="the same, ε = ∞", transform=top)
ax.plot(allowed, ours - allowed, ".", color="C0", label="ldpnb, rounded toward privacy")
ax.axhline(0, color="black", linewidth=1, linestyle="-", marker="")
ax.set(xlabel="ε asked for", ylabel="exact ε of the code, minus that", ylim=(-0.6, 0.8))
ax.legend(loc="upper left", bbox_to_anchor=(0, 0.93))
plt.show()
print(f"steps of 2⁻⁵³ that are left for a lie at ε = 36: {2**53 / (1 + exp(36)):.2f}")
for eps in (1, 20, 32, 36, 37.5):
    found = epsilon(laws(lambda x, rng, eps=eps: reply(x, eps, rng), [0, 1]))
    shown = f"{GRR(k=2, epsilon=eps).realised_epsilon:.4f}" if eps <= 32 else "refused"
    print(f"ε = {eps:<4g}  plain coin {found:.4f}   ldpnb {shown}")

# %% tags=["hide-input"]
tested = [1e-6, 0.1, 1, 5, 10, 20, 30, 31.3, 32]


def within(client, eps):
    """Whether the largest likelihood ratio is at most e^ε, in exact fractions."""
    return worst(laws(client, np.arange(2))).ratio <= odds(eps)


too_much = [eps for eps in tested if not within(lambda x, rng, eps=eps: reply(x, eps, rng), eps)]
check(
    "Rounding",
    f"ratio of the package's law ≤ e^ε to the last digit, {len(tested)} budgets",
    all(within(GRR(k=2, epsilon=eps), eps) for eps in tested),
    control=f"the plain coin, above it at {len(too_much)} of them",
    caught=len(too_much) > 0,
)

# %% [markdown]
# The excess of the plain coin at small ε is in the sixteenth digit and harms nobody.
# But a promise that holds to the last digit can be checked by a machine without asking how much is too much.
#
# ### Noise and thresholds
#
# *Noise.*
# The gallery's client adds Laplace noise in floats, and {cite:t}`mironov2012significance` showed why that is no protection: not every float can be written as a value plus a noise.
# Take the values 0 and 1 and a report $y$ between 0 and $\frac12$.
# From the value 1 it is $1 + z$ with $z$ between $-1$ and $-\frac12$, and all floats there are multiples of $2^{-53}$; so is the sum, exactly.
# From the value 0 it is the noise itself, and most floats below one half are finer than that.


# %%
def from_zero(y):
    """Whether a report of 0 or 1 plus noise proves the value 0: between 0 and 1/2, and no multiple of 2⁻⁵³."""
    return (y > 0) & (y < 0.5) & (np.ldexp(y, 53) % 1 != 0)


# %% tags=["hide-input"]
def on_a_grid(x, rng):
    """The control: the noise is rounded to a grid that both values are on."""
    return x + round(gallery.float_noise(0, rng) * 2**20) / 2**20


given_away, wrongly, gridded = (
    from_zero(np.array([client(x, rng) for _ in range(100_000)]))
    for client, x in ((gallery.float_noise, 0), (gallery.float_noise, 1), (on_a_grid, 0))
)
check(
    "Last digits",
    f"100,000 reports each: {given_away.mean():.1%} of those with 0 are proved to have it, {wrongly.sum()} of those with 1",
    given_away.mean() > 0.01 and not wrongly.any(),
    control=f"noise rounded to multiples of 2⁻²⁰ first, {gridded.sum()} proved",
    caught=not gridded.any(),
)

# %% [markdown]
# On a grid that holds both values these digits are gone.
# That alone is no proof; noise whose law on the grid is known has one, as the two-sided geometric noise of {ref}`sec-rr-laplace`.
#
# *Thresholds.*
# The package rounds every probability to a multiple of $2^{-53}$, toward privacy, before anything is computed from it, and starts from $e^\varepsilon$ as a fraction that is too small by less than $10^{-57}$ of it.
# The check has eight settings of seven of its classes, at budgets up to 32, where the package stops; it reads off all their laws and compares fractions.

# %% tags=["hide-input"]
BUDGETS = [1e-6, 0.1, log(2), 1.0, log(3), 1.7, 4.0, 8.0, 16.0, 31.3, 32.0]


def small(eps):
    return [
        GRR(k=2, epsilon=eps),
        GRR(k=5, epsilon=eps),
        SUE(k=3, epsilon=eps),
        OUE(k=3, epsilon=eps),
        SubsetSelection(k=4, epsilon=eps),
        HadamardBit(k=4, epsilon=eps),
        HadamardResponse(k=4, epsilon=eps),
        OLH(k=4, epsilon=eps, prime=5, g=2),
    ]


def plain(x, eps, rng, k):
    """k-RR with its threshold in floats."""
    return x if toss((exp(eps) - 1) / (exp(eps) + k - 1), rng) else pick(range(k), rng)


tried = [(eps, one, worst(laws(one, np.arange(one.k))).ratio) for eps in BUDGETS for one in small(eps)]
kept_below = all(ratio <= odds(eps) for eps, _, ratio in tried)
short = max(1 - log(ratio) / eps for eps, _, ratio in tried)
over = sum(
    worst(laws(lambda x, rng, e=eps, k=k: plain(x, e, rng, k), range(k))).ratio > odds(eps)
    for eps in BUDGETS
    for k in (2, 5)
)
check(
    "Realised ε",
    f"{len(tried)} laws, ε from 0.000001 to 32: the largest ratio is at most e^ε, in fractions; less than {ceil(1e4 * short) / 1e4:.2%} of ε is lost",
    kept_below,
    control=f"thresholds in floats, above it in {over} of {2 * len(BUDGETS)}",
    caught=over > 0,
)

# %% [markdown]
# *Budgets.*
# An ε that follows from a ratio has to be rounded up (`chance.log_up` does that), because the float next to $\ln 2$, say, is below it, and a ratio of exactly 2 is more than it allows.
# Sums are worse: 0.1 added up ten times is less than 1 in floats (ten times 0.1 is not), as {ref}`an exercise <sec-deploy-exercises>` finds out.

# %% tags=["hide-input"]
two = Fraction(2)
check(
    "Stated ε",
    f"a ratio of 2 allows ε = {log_up(two)}, and e^ε is at least 2",
    odds(log_up(two)) >= two,
    control=f"the nearest float, {log(two)}",
    caught=odds(log(two)) < two,
)

# %% [markdown]
# (sec-deploy-hash)=
# ## Randomness in public
#
# Seeds of hash functions, rows and cohorts are public, and ε holds for every value of them ({ref}`ch-frequency`).
# So a bad hash function cannot cost privacy.
# It costs the estimate, and whoever chooses seeds can use them.
#
# *A family that is nearly right.*
# A popular fast hash takes the top bits of $a x$ for a random odd $a$.
# Adding a random number $b$ first, as `multiply_shift` below does, makes any two items share a slot with probability $1/g$ exactly (where $g$ is a power of two).
# Without it they do so with other probabilities, and people with one item are counted for another; no number of people averages that away.


# %% tags=["hide-input"]
def multiply_shift(seeds, items, slots, word):
    """Hash items: the top of (a x + b) mod 2**word, cut into slots, for seeds (…, 2) of two words a and b each."""
    a, b = np.moveaxis(seeds.astype(np.int64), -1, 0)
    return ((a * items + b) % 2**word * slots) >> word


def collisions(slots):
    """Share of the seeds (rows) under which two items (columns) share a slot, for all pairs of different items."""
    k = slots.shape[1]
    return np.array([np.mean(slots[:, i] == slots[:, j]) for i in range(k) for j in range(i)])


bits = np.arange(2**8, dtype=np.uint32)
every_seed = np.stack(np.meshgrid(bits, bits), -1).reshape(-1, 1, 2)
exactly = collisions(multiply_shift(every_seed, np.arange(16), slots=4, word=8))
without_b = collisions(((bits[1::2, None] * np.arange(16, dtype=np.uint32)) & 255) >> 6)
hashed = OLH(k=16, epsilon=1.0, g=4)
(p, q), (p_star, q_star) = hashed.slots.support, hashed.support
spill = (without_b.max() * float(p) + (1 - without_b.max()) * float(q) - float(q_star)) / float(p_star - q_star)
check(
    "Pairs",
    f"words of 8 bits, all 65,536 seeds: each of {len(exactly)} pairs of 16 items shares a slot with probability 1/4",
    bool(np.all(exactly == 1 / 4)),
    control=f"without b up to {without_b.max():.3f}: a person counts {spill:.3f} for a wrong item",
    caught=bool(np.any(without_b != 1 / 4)),
)
(far_apart,) = collisions(multiply_shift(every_seed, np.array([0, 128]), slots=4, word=8))
print(f"ids of 8 bits in words of 8: items 0 and 128 share one of 4 slots under {far_apart:.1%} of the seeds")

# %% [markdown]
# Words have to be longer than ids: an id's bits and those of the slot together may be one more than a word's, at most.
# With words of 32 bits, items $2^{31}$ apart share a slot as often as in the last line, and $x$ and $x + 2^{32}$ have the same slot under every seed: they are one item to the server.
#
# *Three items and more.*
# That family promises nothing about more than two items, and ids in a row are hashed in a row.
# Three neighbours among 64 share a slot far more often than independent hashing would have it, and five do so much more.
# That does no harm to any single estimate.
# It matters to statements about several items at once, whose errors hang together more than independent hashing would have it.
# The package's `OLH` hashes by quadratics modulo a prime instead: three items are independent, and the variance of a sum asks for no more.
# (Five neighbours are not, but those of the lines below share a slot much less often than before.)
# Ids that cannot be numbered are mixed first, as `Multilinear` does, or hashed by `Paraboloid`, under which any three ids of 62 bits are independent.
# None of these hinders a liar, who chooses the seed ({ref}`sec-deploy-liars`): under the seed of zeros all items share a slot.
# Against that, the seed must not be the sender's to choose.

# %% tags=["hide-input"]
LOCAL = OLH(k=64, epsilon=2.0)
seeds = LOCAL.hash.seeds(2**16, rng)
slots = LOCAL.hash(seeds[:, None], np.arange(64))


def of_neighbours(found):
    """Share of the seeds (rows) under which three, and five, neighbours share a slot."""
    return [np.mean(np.all(found[:, :many] == found[:, :1], axis=1)) for many in (3, 5)]


g = LOCAL.slot_count
neighbours, pairs_of_words = np.arange(5), uniform(2**32, (2**16, 1, 2), rng)
shares = {"ids in a row": of_neighbours(multiply_shift(pairs_of_words, neighbours, slots=g, word=32))}
families = {"quadratics": LOCAL.hash, "paraboloid": Paraboloid(slots=g), "ids mixed first": Multilinear(slots=g)}
for name, family in families.items():
    shares[name] = of_neighbours(family(family.seeds(2**16, rng)[:, None], neighbours))
shares["independent"] = g**-2.0, g**-4.0
for name, (three, five) in shares.items():
    print(f"{name:<16} neighbours in one of {g} slots: three under {three:.3%} of 65,536 seeds, five under {five:.3%}")

# %% [markdown]
# *Seeds chosen by the server.*
# If the server sends the seed along with the question, it can choose one for each person.
# ε stands, because it holds for every seed.
# But among the seeds there are some under which an item that the server is curious about is alone in its slot, and then the report is about that item.
# In the other direction the number of the seed is a number for the person, as good as a cookie.
# Both end when the client draws the seed.
# (Then a liar may choose one, which is the lesser evil.)


# %% tags=["hide-input"]
def belief(shared):
    """Probability of the item after a report of its slot, 64 items alike beforehand, so many others in the slot."""
    kept, moved = (float(x) for x in LOCAL.slots.support)
    return kept / (kept * (1 + shared) + moved * (63 - shared))


shared = (slots == slots[:, :1]).sum(1) - 1  # other items in the slot of item 0
telling = seeds[np.argmin(shared)]


def under(choose):
    """Local hashing with a seed that somebody else chooses, and everybody sees."""
    return lambda x, rng: (tuple(choose(x).tolist()), int(LOCAL.slots.perturb([LOCAL.hash(choose(x), x)], rng=rng)[0]))


chosen = worst(laws(under(lambda x: telling), range(64)))
spied = worst(laws(under(lambda x: seeds[x]), range(64)))
check(
    "Chosen seed",
    f"the most telling of 65,536 seeds: ε = {chosen.epsilon:.4f}",
    chosen.ratio <= odds(2.0),
    control="a seed that was chosen by somebody who knows the item, ε = ∞",
    caught=spied.ratio is None,
)
average = float(LOCAL.support[0] / (LOCAL.support[0] + 63 * LOCAL.support[1]))
print(
    f"item 0, after a report that supports it: {1 / 64:.1%} → {average:.1%} with a random seed, "
    f"{belief(shared.min()):.1%} with that one ({shared.min()} others in its slot)"
)

# %% [markdown]
# (sec-deploy-liars)=
# ## Privacy protects a liar, too
#
# The estimate multiplies what little a report says, and so it multiplies what a liar says.
# How much can one report move the estimate of one item's share, if its sender does not use the client at all?
#
# :::{prf:theorem} What one report is worth
# :label: thm-deploy-liar
# Let reports be ε-LDP with $\varepsilon > 0$ and finitely many, and let a score $s(y)$ have mean 1 if the value is $v$ and mean 0 if it is another one, $w$.
# Then some report has
#
# $$ s(y) \ge \frac{e^\varepsilon}{e^\varepsilon-1}, \qquad\text{and some}\qquad s(y) \le -\frac{1}{e^\varepsilon-1}. $$
#
# Randomized response has no others.
# And every report that a client can send under one value, it can send under each.
# :::
#
# :::{prf:proof}
# Let $M$ be the largest score of a report that can occur.
# Then $M - s \ge 0$, so $\E[M - s \mid w] \le e^\varepsilon\,\E[M - s \mid v]$, that is $M \le e^\varepsilon(M-1)$.
# For the least score $m$, in the same way, $\E[s - m \mid v] \le e^\varepsilon\,\E[s - m \mid w]$, that is $1 - m \le -e^\varepsilon m$.
# The scores of randomized response are $p/(2p-1)$ and $-(1-p)/(2p-1)$ with $p = e^\varepsilon/(1+e^\varepsilon)$, which are these two numbers.
# A report of probability 0 under one value and not under another would make ε infinite.
# :::
#
# Where an estimate is the mean of such scores, one a report, the score is the number of people that a report counts for.
# The theorem's last sentence is the liar's alibi.
# A service that throws out what "nobody can have sent" throws out nothing that a client could send, and a liar need not send anything else.
# Whoever lies to the client, and lets it perturb the lie, moves the count by one on average, as in any survey; who writes the report moves it by $s$.
# {cite:t}`cao2021poisoning` call this the maximal gain attack and compute it for three protocols; {cite:t}`cheu2021manipulation` show that no local protocol without interaction escapes such attacks.
#
# The check looks at every report that a client can send, and at its score by the package's own `estimate`, for one item and for several at once.


# %% tags=["hide-input"]
def all_scores(mechanism):
    """Scores of all items by each report that the client can send: (reports, k)."""
    found = {}
    for _, report in branches(lambda rng: mechanism.perturb([0], rng=rng)):
        key = freeze(report)
        if key not in found:
            found[key] = mechanism.estimate(mechanism.tally(report))
    return np.stack(list(found.values()))


EIGHT = {
    "k-RR": GRR(k=8, epsilon=1.0),
    "SUE": SUE(k=8, epsilon=1.0),
    "OUE": OUE(k=8, epsilon=1.0),
    "OLH, prime 11": OLH(k=8, epsilon=1.0, prime=11),
    "k-Subset": SubsetSelection(k=8, epsilon=1.0),
    "Hadamard bit": HadamardBit(k=8, epsilon=1.0),
    "Hadamard response": HadamardResponse(k=8, epsilon=1.0),
}
scores = {name: all_scores(mechanism) for name, mechanism in EIGHT.items()}
table(
    pd.DataFrame(
        [
            (name, f"{len(s):,}", f"{s[:, 7].min():.2f}", *(f"{s[:, -m:].sum(1).max():.2f}" for m in (1, 4, 8)))
            for name, s in scores.items()
        ],
        columns=["eight items, ε = 1", "reports", "least for one item", "most for one", "for four", "for all eight"],
    )
)

# %% tags=["hide-input"]
most, least = exp(1) / (exp(1) - 1), -1 / (exp(1) - 1)
warner = all_scores(GRR(k=2, epsilon=1.0))[:, 1]
clipped = {name: np.clip(s, 0, 1) for name, s in scores.items()}


def obeys(found):
    return all(s[:, 7].max() >= most - 1e-9 and s[:, 7].min() <= least + 1e-9 for s in found.values())


check(
    "Theorem",
    f"{len(EIGHT)} clients: a score of {most:.4f} or more, one of −{-least:.4f} or less; randomized response has just these",
    obeys(scores) and abs(warner.max() - most) < 1e-9 and abs(warner.min() - least) < 1e-9,
    control="scores clipped to [0, 1], which are biased",
    caught=not obeys(clipped),
)

# %% [markdown]
# For several items the clients differ most.
# The scores of k-RR and k-Subset sum to 1 whatever is sent, because their reports name a fixed number of items.
# A report of unary encoding may have all bits set; under some seeds local hashing has many items in one slot; and row 0 of Hadamard's matrix supports them all.
# {numref}`fig-deploy-liars` has the worth of one report for one item, against ε.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-deploy-liars", "caption": "By how many people one made-up report can raise the count of one item, against ε (the largest score, from the package's support probabilities). Grey: the bound of the theorem for unbiased scores, which randomized response attains. At ε = 0.1 a liar can be worth 10 people or more with any of them. With k-RR the worth grows with the domain; OUE is at twice the bound; the Hadamard bit comes close to the bound at large ε."}, "image": {"alt": "Log-log plot of the worth of one report in people against epsilon from 0.1 to 8. A grey bound falls from 10 to 1. The Hadamard bit and OUE start at 20 and fall to 1 and 2. k-RR with 16 items starts near 150 and with 1,024 items near 10,000; both fall towards 1."}}
WORTH = {
    "k-RR, k = 1024": lambda eps: GRR(k=1024, epsilon=eps),
    "k-RR, k = 16": lambda eps: GRR(k=16, epsilon=eps),
    "OUE": lambda eps: OUE(k=16, epsilon=eps),
    "Hadamard bit": lambda eps: HadamardBit(k=16, epsilon=eps),
}


def largest(mechanism):
    """The score of an item that a report supports."""
    p, q = mechanism.support
    return float((1 - q) / (p - q))


fine = np.geomspace(0.1, 8, 60)
fig, ax = plt.subplots()
for i, (name, make) in enumerate(WORTH.items()):
    ax.plot(fine, [largest(make(float(eps))) for eps in fine], **line(i), label=name)
ax.plot(fine, np.exp(fine) / np.expm1(fine), color="gray", linestyle="-", marker="", label="bound")
ax.set(xscale="log", yscale="log", xlabel="privacy budget ε", ylabel="worth of one report, people")
ax.set_xticks([0.1, 0.2, 0.5, 1, 2, 4, 8], ["0.1", "0.2", "0.5", "1", "2", "4", "8"])
ax.minorticks_off()
ax.legend()
plt.show()

# %% [markdown]
# What can a server check?
# That the report is one of the mechanism's, which `tally` does.
# That no person sends two, which takes names or tokens ({ref}`sec-deploy-trip`).
# And, for unary encoding, that the number of ones is not absurd: it has the same law for every value.
# A limit that an honest report exceeds once in $10^{10}$ times stops the report of all ones, and stops nobody who stays below it.


# %% tags=["hide-input"]
wide = OUE(k=1024, epsilon=1.0)
chance_of_one = float(wide.support[1])
number = np.arange(1025)
exceeded = (binom.sf(number, 1023, chance_of_one) + binom.sf(number - 1, 1023, chance_of_one)) / 2  # own bit 0 or 1
limit = int(np.argmax(exceeded <= 1e-10))  # the largest number of ones that passes


def passes(report):
    return int(np.sum(report)) <= limit


honest = wide.perturb(rng.integers(0, 1024, 2000), rng=rng)
crafted = np.arange(1024) < limit
check(
    "Number of ones",
    f"1,024 items, limit {limit} where {0.5 + 1023 * chance_of_one:.0f} are expected: 2,000 honest reports pass, and one made up for {limit} items, worth {largest(wide):.2f} people each",
    all(map(passes, honest)) and passes(crafted),
    control="a report of all ones is stopped",
    caught=not passes(np.ones(1024)),
)
for name, make in WORTH.items():
    mechanism = make(1.0)
    error = sqrt(10**6 * float(mechanism.variance([0])[0, 1]))
    print(
        f"{name:<15} a million people, ε = 1: one standard error = {error / largest(mechanism):,.0f} liars, worth {largest(mechanism):.1f} each"
    )

# %% [markdown]
# `screen` asks such questions of a whole crowd: numbers of ones, sizes of sets, slots, seeds and rows, whatever of a report has a law that does not depend on the values.
# Here 200 liars join 19,800 honest people and want ten items.


# %%
def forged(n, targets):
    """Reports for the targets, with as many ones as honest ones have."""
    made = wide.perturb(rng.integers(0, 1024, n), rng=rng)
    for row in made:
        row[targets:] = rng.permutation(np.arange(1024 - targets) < row.sum() - targets)
        row[:targets] = True
    return made


crowd = wide.perturb(rng.integers(0, 1024, 19_800), rng=rng)
LIARS = {
    "the same as all": wide.perturb(rng.integers(0, 1024, 200), rng=rng),
    "all ones": np.ones((200, 1024), bool),
    "ten items, honest number of ones": forged(200, 10),
}
for name, liars in LIARS.items():
    reports = np.concatenate([crowd, liars])
    share = wide.estimate(wide.tally(reports))[:10].sum()
    print(f"{name}: ten items {share:.1%}; stands out: {', '.join(screen(wide, reports).failed) or 'nothing'}")

# %% tags=["hide-input"]
screened = {name: screen(wide, np.concatenate([crowd, liars])).failed for name, liars in LIARS.items()}
check(
    "Screening",
    "200 reports of all ones among 20,000 stand out, and as many honest ones do not",
    bool(screened["all ones"]) and not screened["the same as all"],
    control=f"ten items and an honest number of ones: nothing stands out, and 200 liars count for {200 * wide.influence(10):,.0f} people",
    caught=not screened["ten items, honest number of ones"],
)

# %% [markdown]
# So a screen finds clumsy liars; it does not say which reports are theirs, and nothing should be thrown out for what it says ({ref}`ch-collect`).
# Against careful ones there is only the number of people that one report can count for: `influence(10)` is that number for ten items together.
# A thousand liars among a million people are 0.1 %, and one standard error of the Hadamard bit; ten thousand are ten.
# With k-RR over many items a few dozen suffice for one: the worth of a report grows like $k$ and the noise only like $\sqrt k$, so that one standard error takes $\sqrt{n/(e^\varepsilon+k-2)}$ liars.
#
# It helps to know that reports come from different people.
# Cryptography can do more: in {cite:t}`ambainis2004crypto` and {cite:t}`kato2021verifiable` the client proves that its report was drawn as agreed, which leaves a liar nothing but lies about the value.
# What is odd about made-up reports can be detected in part; and many liars remain many.
#
# (sec-deploy-trip)=
# ## The round trip
#
# Now the service: the 6,366 readers of {ref}`ch-rr`, their rating of their marriage in five steps and whether they had an affair, ten items together, $\varepsilon = 2$.
# The mechanism is `HadamardBit`, because a report is one public row and one private bit.
#
# *The message* has 26 bytes, always: 8 that name the survey and the mechanism with all its parameters, so that a client of another version is refused and not miscounted; 16 of a *token*, drawn by the client; one for the row, one for the bit.
# The token says that two messages are one: a retry sends the same bytes, and the server counts them once.
# It is no name, because it is drawn anew for each message, and so it does not stop anybody from sending twice with two tokens; against that there are tokens that are issued one a person and cannot be traced back when they are spent {cite:p}`davidson2018privacypass`.

# %%
SURVEY = "marriage and affairs, 1"  # to be changed with the question, its answers or the layout of a message
MECHANISM = HadamardBit(k=10, epsilon=2.0)
LENGTH = 26


def named(mechanism):
    """Eight bytes that stand for the survey, and a mechanism with all its parameters."""
    return blake2b(f"{SURVEY}: {mechanism!r}".encode(), digest_size=8).digest()


def message(value, token, rng):
    """What leaves the device."""
    report = MECHANISM.perturb([value], rng=rng)[0]
    return named(MECHANISM) + token + bytes([report["row"], int(report["bit"])])


# %% [markdown]
# The bytes are a report like any other, so their law can be read off.


# %% tags=["hide-input"]
def careless(value, token, rng):
    """The control: a number for debugging has been left in the last byte of the token."""
    return message(value, token[:15] + bytes([value]), rng)


wire, leak = (worst(laws(lambda x, rng, m=make: m(x, bytes(16), rng), range(10))) for make in (message, careless))
check(
    "Message",
    f"ten values × {len(laws(lambda x, rng: message(x, bytes(16), rng), [0])[0])} messages of a given token: ε = {wire.epsilon:.4f}",
    wire.ratio <= odds(2.0) and abs(wire.epsilon - 2) < 1e-9,
    control="a number for debugging left in the token, ε = ∞",
    caught=leak.ratio is None,
)

# %% [markdown]
# *The client* has an account on its own disk, which refuses what would exceed the person's ε and is paid before a report leaves it: a crash between paying and sending loses a report and never a payment.
# The cell shows one for a single reader; the thousands of this section, made for the checks, go without.
# A message is made once, and sent up to three times, the same bytes.
# If there is still no answer, or the server is out of order (503), the bytes have to be kept for another day, on disk; `post` only says so, and `clients`, made for the checks, gives up.


# %%
with TemporaryDirectory() as device:
    account = Account(f"{device}/account", limit=3.0)
    row, bit = account.report(MECHANISM, [7], rng=SystemRandom(), label=SURVEY)[0]
    try:
        account.report(MECHANISM, [7], rng=SystemRandom(), label="the same, a year later")
    except BudgetError as refused:
        print(f"paid ε = {account.spent}, left {account.left}; {refused}")


# %%
def post(connection, sent, tries=3):
    """Send a message, the same bytes again if no answer comes; returns status and reason."""
    for _ in range(tries):
        try:
            connection.request("POST", "/", body=sent)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, HTTPException):
            connection.close()  # the next request opens it again
    return 0, "no answer"


def clients(make, port, values):
    """Many people, one after the other; each draws from the operating system."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        return [post(connection, make(value, os.urandom(16), SystemRandom())) for value in values]


# %% [markdown]
# *The server* has two halves.
# The desk hears one message on each connection, reads no more than that, answers with a status and a reason, and closes, so that no connection ties two messages together.
# The collector judges the message, and its answer depends on the message only (and on the tokens that it has seen, and on whether the disk works).
# Of a good one it keeps row and bit.
#
# - *One at a time.* All that changes is changed under a lock.
# - *What an answer means.* "Received" means: in memory, and on disk with the next partition.
#   A crash loses what waits, at most `size + least` reports; a service that must promise more needs a journal, which has an order, or a second machine.
#   If the disk fails, nothing that waits is lost, and new messages are refused until it works again.
#   (If it fails after the file is there, the file is taken back; should that fail, too, its reports are there twice.)
# - *No order, few traces.* A partition is sorted before it is written, its name is random, and of the times of its file those that can be set are set back; the file system keeps another, of the last change, so that partitions should be copied elsewhere in one go before anybody else sees them.
#   It never has fewer than `least` reports, because a partition of one would tell when that one came: `least` reports are always held back for the last partition, and a run that gets fewer in all gives them up.
# - *What it does know.* Memory holds the reports that wait, in their order, and all tokens of the run.
#   After a restart the tokens are gone, and a retry across it is counted twice.
# - *An end.* `close` hears out whoever has been let in, and then writes the rest; who is still in the queue gets no answer and has to try again.
#   If the disk fails then, `close` says so and keeps what waits, to be called again.


# %%
class Desk(BaseHTTPRequestHandler):
    """The side of the network: one message in; a status and a reason out."""

    timeout = 10  # seconds of silence
    wbufsize = -1  # an answer goes out in one piece
    error_message_format, error_content_type = "%(message)s", "text/plain"

    def do_POST(self):
        """Hear a message; what does not announce itself as one is not read at all."""
        one = self.headers["Content-Length"] == str(LENGTH) and "Transfer-Encoding" not in self.headers
        status, reason = self.server.accept(self.rfile.read(LENGTH) if one else b"")
        self.send_response(status)
        self.send_header("Content-Length", str(len(reason)))
        self.end_headers()
        self.wfile.write(reason.encode())

    def log_message(self, *args):
        """Write no log: it would have addresses and times."""


class Collector(ThreadingHTTPServer):
    """Collects reports of one mechanism into partitions of a folder, until it is closed."""

    daemon_threads = False  # closing waits for them
    request_queue_size = 100  # connections that may wait to be heard

    def __init__(self, mechanism, folder, size=2000, least=100):
        super().__init__(("127.0.0.1", 0), Desk)
        self.mechanism, self.folder, self.size, self.least = mechanism, Path(folder), size, least
        self.waiting, self.tokens, self.lock = [], set(), Lock()
        self.thread = Thread(target=self.serve_forever, args=(0.05,))
        self.thread.start()

    def accept(self, sent):
        """Judge a message, and take it if it is good; returns status and reason."""
        if len(sent) != LENGTH:
            return 400, f"a message has {LENGTH} bytes"
        name, token, row, bit = sent[:8], sent[8:24], sent[24], sent[25]
        if name != named(self.mechanism):
            return 400, "another survey or mechanism"
        if row >= self.mechanism.m or bit > 1:
            return 400, "no report of this mechanism"
        with self.lock:
            if token in self.tokens:
                return 409, "received before"
            if len(self.waiting) >= self.size + self.least:
                try:
                    self._write(self.size)
                except OSError:
                    return 503, "the disk fails, keep your message"
            self.tokens.add(token)
            self.waiting.append((row, bit))
        return 200, "received"

    def new_path(self):
        """A name that says nothing."""
        return self.folder / f"{token_hex(8)}.parquet"

    def _write(self, count):
        """Put the first reports that wait on disk, in an order that says nothing; the caller has the lock."""
        path = self.new_path()
        try:
            reports = np.sort(np.array(self.waiting[:count], self.mechanism.dtype))
            collect.save(reports, path, self.mechanism, label=SURVEY)
        except OSError:
            path.unlink(missing_ok=True)  # it may be there already, and would be counted twice after the next try
            raise
        del self.waiting[:count]
        os.utime(path, (0, 0))

    def close(self):
        """Hear no more, wait for those who are being heard, and write what waits unless it is too little."""
        self.shutdown()
        self.thread.join()
        self.server_close()
        with self.lock:
            if len(self.waiting) >= self.least:
                self._write(len(self.waiting))

    def handle_error(self, *connection):
        """Say nothing: the default prints the address, and what went wrong."""


# %% [markdown]
# A real service would have a client that keeps its account and its message until it hears "received"; encryption on the line, without which everybody on it sees tokens and reports; a server made for the open network, which that of the standard library is not; tokens that survive a restart; a limit on the rate; and one on the time of a connection, because the limit here is for silence, and whoever sends a byte every nine seconds keeps `close` waiting.
#
# The clients run in another process, from the source of the functions above, and get their values over a pipe.
# For the checks, the collector keeps every message as it arrives; and a line can be bad, so that every tenth answer is lost.


# %% tags=["hide-input"]
class Tapped(Collector):
    """The same, but all messages are kept as they arrive, and every tenth answer may be lost."""

    lossy = False

    def __init__(self, *args, **options):
        self.tape = []
        super().__init__(*args, **options)

    def accept(self, sent):
        self.tape.append(sent)
        answer = super().accept(sent)
        if self.lossy and len(self.tape) % 10 == 0:
            raise ConnectionAbortedError("the answer is lost")
        return answer


class Lossy(Tapped):
    lossy = True


@contextmanager
def at_work(kind=Tapped, **options):
    """A collector, and its folder."""
    with TemporaryDirectory() as folder, closing(kind(MECHANISM, folder, **options)) as collector:
        yield collector


IMPORTS = """
import json, os, sys
from contextlib import closing
from hashlib import blake2b
from http.client import HTTPConnection, HTTPException
from ldpnb import HadamardBit, SystemRandom
"""


def run_clients(port, values):
    """Answers to the people of another process, which runs the source of the functions above."""
    source = [
        IMPORTS,
        f"SURVEY, MECHANISM = {SURVEY!r}, {MECHANISM!r}",
        *map(getsource, (named, message, post, clients)),
    ]
    source.append("json.dump(clients(message, int(sys.argv[1]), json.load(sys.stdin)), sys.stdout)")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(source), str(port)],
        input=json.dumps(values),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return [tuple(answer) for answer in json.loads(done.stdout)]


def spoken(port, sent, length=LENGTH, header="", reset=False):
    """What the server says to these bytes on a bare connection; nothing, if that is reset at once."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as bare:
        bare.sendall(f"POST / HTTP/1.0\r\nContent-Length: {length}\r\n{header}\r\n".encode() + sent)
        if reset:
            bare.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return "", "no answer"
        bare.shutdown(socket.SHUT_WR)
        answer = HTTPResponse(bare)
        answer.begin()
        return answer.status, answer.read().decode()


def refusals(port, good):
    """What the server says to messages that are not right; `good` is one that it has."""
    fresh_token = good[:8] + os.urandom(16)
    wrong = {
        "one byte short": good[:-1],
        "one byte too many": good + b"\0",
        "from a client with ε = 3": named(HadamardBit(k=10, epsilon=3.0)) + os.urandom(16) + good[24:],
        "row 16 of 0 to 15": fresh_token + bytes([16, 0]),
        "bit 2": fresh_token + bytes([0, 2]),
        "the same message again": good,
        "another report under a used token": good[:24] + bytes([(good[24] + 1) % 16, 0]),
    }
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        said = [(what, *post(connection, sent)) for what, sent in wrong.items()]
    right = fresh_token + good[24:]
    return [
        *said,
        ("ten gigabytes announced", *spoken(port, b"", length=10**10)),
        ("two ways to say how long it is", *spoken(port, right, header="Transfer-Encoding: chunked\r\n")),
        ("cut off in the middle", *spoken(port, right[:13])),
        ("reset in the middle", *spoken(port, right[:13], reset=True)),
    ]


# %%
people = datasets.fair()
values = (5 * people["affair"].astype(int) + people["marriage"] - 1).tolist()
truth = np.bincount(values, minlength=10) / len(values)

with TemporaryDirectory() as folder:
    with closing(Tapped(MECHANISM, folder)) as collector:
        answers = run_clients(collector.server_port, values)
    tape = collector.tape
    stored = collect.collect(MECHANISM, folder, label=SURVEY)

# %% [markdown]
# What was right is counted.
# The estimate is the mean of scores $\pm c$ with $c = (e^\varepsilon+1)/(e^\varepsilon-1)$: plus, where the entry of Hadamard's matrix in the reported row has the reported sign.
# The check computes it from the messages by hand.
# (By Hoeffding's inequality all $k$ shares are within $c\sqrt{(2/n)\ln(2k/\alpha)}$ of the truth but for a probability of at most α.)

# %% tags=["hide-input"]
n = len(values)


def as_reports(messages):
    return np.array([(sent[24], sent[25]) for sent in messages], MECHANISM.dtype)


check(
    "Counted",
    f"{n:,} messages sent, all received, in {len(stored.partitions)} partitions; counts from disk = counts of the messages",
    answers == [(200, "received")] * n
    and stored.reports == n
    and np.array_equal(stored.tally.counts, MECHANISM.tally(as_reports(tape)).counts),
    control="one message left out",
    caught=not np.array_equal(stored.tally.counts, MECHANISM.tally(as_reports(tape[1:])).counts),
)

c = (exp(2) + 1) / (exp(2) - 1)
rows, bits = np.array([(sent[24], sent[25]) for sent in tape]).T
entries = 1 - 2 * (np.bitwise_count(rows[:, None] & np.arange(10)).astype(int) % 2)  # of Hadamard's matrix
by_hand = c * np.mean((1 - 2 * bits)[:, None] * entries, axis=0)
off, other = (
    np.abs(mechanism.estimate(mechanism.tally(as_reports(tape))) - by_hand).max()
    for mechanism in (MECHANISM, HadamardBit(k=10, epsilon=2.5))
)
check(
    "Estimate",
    "ten shares = means of the scores, by hand",
    off < 1e-12,
    control="a server that believes in ε = 2.5",
    caught=other > 1e-12,
)
bound = c * sqrt(2 / n * log(2 * 10 / 1e-9))
check(
    "Truth",
    f"the ten shares are within {100 * bound:.1f} points of the true ones, the bound for α = 10⁻⁹",
    np.abs(by_hand - truth).max() <= bound,
    control="clients that report the next item",
    caught=np.abs(by_hand - np.roll(truth, 1)).max() > bound,
)

# %% [markdown]
# The coins of the operating system are new each time, so the table has the shares as the service would see them with the seed of this chapter, next to the true ones.

# %% tags=["hide-input"]
again = MECHANISM.estimate(MECHANISM.tally(MECHANISM.perturb(values, rng=rng)))
error = sqrt(float(MECHANISM.variance([0])[0, 1]) / n)
table(
    pd.DataFrame(
        [
            (("no", "yes")[v // 5], v % 5 + 1, f"{100 * truth[v]:.1f}", f"{100 * again[v]:.1f}", f"{100 * error:.2f}")
            for v in range(10)
        ],
        columns=["affair", "marriage", "share, %", "estimate, %", "standard error, points"],
    )
)

# %% [markdown]
# *What is not right* is refused, and the server writes nothing about it anywhere, not even if the line breaks.


# %% tags=["hide-input"]
class Loud(Tapped):
    """The control: what the standard library does after an error."""

    handle_error = ThreadingHTTPServer.handle_error


def refused_by(kind):
    """Refusals, and reports that wait before and after one right message; what was written to standard error."""
    with redirect_stderr(StringIO()) as written, at_work(kind) as collector:
        clients(message, collector.server_port, [3])
        refused = refusals(collector.server_port, collector.tape[0])
        before = len(collector.waiting)
        clients(message, collector.server_port, [3])
        after = len(collector.waiting)
    return refused, before, after, written.getvalue()


refused, before, after, written = refused_by(Tapped)
table(pd.DataFrame(refused, columns=["message", "status", "reason"]))

# %% tags=["hide-input"]
check(
    "Refused",
    f"{len(refused) - 1} wrong messages refused, one broken off, none of them counted",
    all(status in (400, 409) for _, status, _ in refused[:-1]) and before == 1,
    control="a right one, sent in the same way, is counted",
    caught=after == 2,
)
check(
    "Silence",
    "not one character on standard error",
    written == "",
    control="the standard library's way with errors: the address of the sender",
    caught="127.0.0.1" in refused_by(Loud)[-1],
)

# %% [markdown]
# *Restarts, full disks and crowds* must not lose what has been received.


# %% tags=["hide-input"]
class Numbered(Tapped):
    """The control: partitions are numbered, from 0 at each start."""

    written = 0

    def new_path(self):
        return self.folder / f"part-{self.written:04}.parquet"

    def _write(self, count):
        super()._write(count)
        self.written += 1


def restarted(kind):
    """Messages received and refused in two runs on one folder, which is away for a while; reports on disk."""
    answers = []
    with TemporaryDirectory() as place:
        folder, away = Path(place) / "reports", Path(place) / "away"
        folder.mkdir()
        for _ in range(2):
            with suppress(ValueError), closing(kind(MECHANISM, folder, size=100, least=50)) as collector:
                answers += clients(message, collector.server_port, values[:150])
                folder.rename(away)
                answers += clients(message, collector.server_port, values[:10])
                away.rename(folder)
                answers += clients(message, collector.server_port, values[:110])
        statuses = [status for status, _ in answers]
        return statuses.count(200), statuses.count(503), collect.collect(MECHANISM, folder, label=SURVEY).reports


(kept, turned_away, on_disk), (promised, _, saved) = map(restarted, (Tapped, Numbered))
check(
    "Restart",
    f"two runs on one folder, the disk away for a while: {kept} received, {turned_away} told to wait, {on_disk} on disk",
    kept == on_disk and turned_away > 0,
    control=f"partitions numbered from 0, {promised} received, {saved} on disk",
    caught=saved < promised,
)


# %% tags=["hide-input"]
class Hasty(Tapped):
    """The control: what a failed write has left on the disk stays there."""

    def _write(self, count):
        reports = np.sort(np.array(self.waiting[:count], self.mechanism.dtype))
        collect.save(reports, self.new_path(), self.mechanism, label=SURVEY)
        del self.waiting[:count]


def interrupted(kind):
    """Reports received, and on disk, if the disk fails once after the file is there."""
    faults = iter([OSError("the folder cannot be brought to the disk")])

    def save(*what, label, whole=collect.save):
        whole(*what, label=label)
        for fault in faults:
            raise fault

    with TemporaryDirectory() as folder, patch.object(collect, "save", save):
        with closing(kind(MECHANISM, folder, size=100, least=50)) as collector:
            answers = [collector.accept(message(x, os.urandom(16), SystemRandom()))[0] for x in values[:400]]
        return answers.count(200), collect.collect(MECHANISM, folder, label=SURVEY).reports


(kept, on_disk), (_, doubled) = map(interrupted, (Tapped, Hasty))
check(
    "Late fault",
    f"the disk fails after the file is there: {kept} received, {on_disk} on disk",
    kept == on_disk,
    control=f"what is there stays there, {doubled} on disk",
    caught=doubled > kept,
)


# %% tags=["hide-input"]
class Unlocked(Tapped):
    """The control: the lock is open while a partition is written, and then the list is emptied."""

    def _write(self, count):
        reports, self.size = np.sort(np.array(self.waiting[:count], self.mechanism.dtype)), inf
        self.lock.release()
        self.accept(message(0, os.urandom(16), SystemRandom()))  # somebody else comes in
        self.lock.acquire()
        collect.save(reports, self.new_path(), self.mechanism, label=SURVEY)
        self.waiting.clear()


def at_once(kind):
    """Messages received from eight senders at once, and reports on disk."""
    with TemporaryDirectory() as folder:
        with closing(kind(MECHANISM, folder, size=100, least=50)) as collector:
            with ThreadPoolExecutor(8) as pool:
                crowd = [pool.submit(clients, message, collector.server_port, values[:100]) for _ in range(8)]
            received = sum(status == 200 for one in crowd for status, _ in one.result())
        return received, collect.collect(MECHANISM, folder, label=SURVEY).reports


(came, found), (came_unlocked, found_unlocked) = map(at_once, (Tapped, Unlocked))
check(
    "Crowd",
    f"eight senders at once: {came} received, {found} on disk",
    came == found == 800,
    control="the lock open while a partition is written, fewer on disk than received",
    caught=found_unlocked < came_unlocked,
)

# %% [markdown]
# *Lost answers.*
# On a bad line the client has to try again, and "received before" tells it that it may stop.
# A client that perturbs again, with a new token, would be counted for each try, and would have paid for each ({ref}`sec-deploy-time`).


# %% tags=["hide-input"]
def clients_anew(make, port, values):
    """The control: a new message for each try."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for value in values:
            while not post(connection, make(value, os.urandom(16), SystemRandom()), tries=1)[0]:
                pass


def counted(people):
    """Reports that the collector has in the end, from 300 people, and messages that arrived."""
    with at_work(Lossy) as collector:
        people(message, collector.server_port, values[:300])
        return len(collector.waiting), len(collector.tape)


(once_each, arrived), (too_many, _) = counted(clients), counted(clients_anew)
check(
    "Lost answers",
    f"300 people, every tenth answer lost: {arrived} messages, {once_each} reports",
    once_each == 300 < arrived,
    control=f"perturbed again, {too_many} reports",
    caught=too_many > 300,
)

# %% [markdown]
# *What arrived?*
# The law of the bytes has been read off above, from the same source.
# But the law believes the source, and the collector has the bytes.
# So the {ref}`audit <sec-verify-audit>` gets what arrived from 6,000 people with either of two values, and knows nothing of what it means.


# %% tags=["hide-input"]
EACH = 6000
PAIR = [0, 9]


def loose(value, token, rng):
    """The control: a client that spends 4 under the name of one that spends 2."""
    report = HadamardBit(k=10, epsilon=4.0).perturb([value], rng=rng)[0]
    return named(MECHANISM) + token + bytes([report["row"], int(report["bit"])])


def arrives_from(make, coins):
    """Messages of so many people with either value, as they arrive, as numbers."""
    tokens = os.urandom if isinstance(coins, SystemRandom) else coins.bytes
    with at_work(size=EACH) as collector:
        for value in PAIR:
            for _ in range(EACH):
                collector.accept(make(value, tokens(16), coins))
        found = np.frombuffer(b"".join(collector.tape), np.uint8).reshape(2, EACH, LENGTH)
    return lambda value, n, rng: found[PAIR.index(value)]


honest, spends_more = (
    audit(arrives_from(make, coins), PAIR, samples=EACH, rng=rng, level=1e-7, claimed=2.0, many=True)
    for make, coins in ((message, SystemRandom()), (loose, rng))
)
check(
    "Arrived",
    f"{EACH:,} messages from each of two values, level 10⁻⁷: ε = 2 is not refuted",
    not honest.flagged,
    control="a client that spends 4",
    caught=spends_more.flagged,
)
print(f"an audit that knew the best event could show ε ≥ {honest.ceiling:.2f} of a client with ε = 2")

# %% [markdown]
# So with so many messages at this level an audit finds only gross faults, and that it finds none proves nothing about small ones.
# It is no substitute for the law.

# %% [markdown]
# (sec-deploy-list)=
# ## Before release
#
# - *Promise.* Say what ε is about: one report, a day, a lifetime; which two values, or which two histories.
#   Say that it is not about groups.
# - *Budget.* The client counts what it has spent before it sends (`serve.Account`); the server cannot raise it, and several devices of one person share the budget.
# - *Memory.* What is remembered survives an update and a restart, and is not in a backup that others can read.
# - *Coins.* They come from the operating system and are never seeded; no generator of a simulation is anywhere in the client.
# - *Numbers.* Thresholds are rounded toward privacy; there is no noise in floats, and no ε beyond what the grid can carry.
# - *Public part.* It is drawn by the client, without looking at the value; ids are mixed or hashed three-wise independently, and words are long enough.
# - *Message.* It has one length, names the mechanism, is made once, and is sent at a time that was set beforehand.
#   A retry sends the same bytes.
# - *Server.* It refuses malformed messages, keeps no address, no time and no order, and loses nothing that it has confirmed (ours loses what waits in a crash, and at the end if that is fewer than `least`).
# - *Liars.* Know what one report is worth, and how many people an opponent can be.
# - *Code.* It is open, reproducible and small, and the parameters are in it.
#
# And then check the client that will be shipped, not a copy of its formula.
#
# | question | tool |
# |---|---|
# | what is the exact ε, on a small domain? | `laws`, `worst` ({ref}`ch-verify`; ten lines in the README) |
# | of all reports of some days, with the client's memory? | `laws` of a client that takes a history |
# | with the draws themselves? | `laws` of `(client(x, rng), tuple(rng.trace))` |
# | of the bytes? | `laws` of the function that makes them |
# | is the estimate right? | `moments`, or `sampled` where the law is too large |
# | of a program that I can only run, or of captured traffic? | `audit` with `many=True`: a lower bound |
#
# (sec-deploy-wrong)=
# ## What can go wrong
#
# - *Two devices.* A telephone and a tablet each remember a reply of their own; the person has spent twice.
# - *Two surveys.* Another team asks nearly the same question with a budget of its own; ε adds up over everything that depends on the value.
# - *A reset.* Reinstalling the program, or clearing its storage, draws the memory anew.
# - *Testers.* A group without noise, or with a log, that is never switched off.
# - *A small group.* A question that is asked only of people with some property tells the property of whoever answers.
# - *The help desk.* A person who is asked for a trace file sends the value along with all coins.
#
# (sec-deploy-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: 0.1, ten times over
# A client adds up what it spends in floats, and sends a report of $\varepsilon = 0.1$ as long as less than 1 is spent.
# How many reports does it send?
# :::
#
# :::{dropdown} Solution
# Eleven: after ten of them the sum is 0.9999999999999999.
# In whole tenths it stops after ten.
# :::

# %% tags=["hide-input"]


def reports_sent(part, budget):
    spent, sent = part * 0, 0
    while spent < budget:
        spent, sent = spent + part, sent + 1
    return sent


print(f"in floats {reports_sent(0.1, 1.0)} reports, in tenths {reports_sent(1, 10)}")

# %% [markdown]
# :::{admonition} Exercise 2: harmless rounds
# A client proposes one of the four items, all alike, and accepts the own item always and any other with probability $1/e$; otherwise it proposes again.
# Is it k-RR, and what does the number of rounds tell?
# :::
#
# :::{dropdown} Solution
# It accepts the own item with weight 1 and any other with weight $1/e$, so it is k-RR with $\varepsilon = 1$ (given that it accepts at all).
# A round is accepted with probability $(1 + 3/e)/4$ whatever the value is, so the number of rounds tells nothing.
# The next cell gives up after four rounds.
# :::

# %% tags=["hide-input"]


def proposing(x, rng):
    for used in range(4):
        y = pick(range(4), rng)
        if toss(1.0 if y == x else exp(-1), rng):
            return y, used
    return None, 4


print(f"ε of report and number of rounds: {epsilon(laws(proposing, range(4))):.4f}")

# %% [markdown]
# :::{admonition} Exercise 3: buying a share
# A million people are asked with $\varepsilon = 1$ for one of 1,024 items.
# How many liars does it take, besides them, to lift an item that nobody has to an estimated 1 %, with k-RR, with OUE and with the Hadamard bit?
# :::
#
# :::{dropdown} Solution
# With $L$ liars the estimate is $Ls/(n + L)$ on average, so $L = 0.01\,n/(s - 0.01)$.
# k-RR sells cheapest; it has the largest noise as well, so that an estimate of 1 % is not even remarkable there.
# :::

# %% tags=["hide-input"]
for mechanism in (GRR(k=1024, epsilon=1.0), OUE(k=1024, epsilon=1.0), HadamardBit(k=1024, epsilon=1.0)):
    error = sqrt(float(mechanism.variance([0])[0, 1]) / 10**6)
    print(
        f"{type(mechanism).__name__:<12} {0.01 * 10**6 / (largest(mechanism) - 0.01):6,.0f} liars; "
        f"standard error of the share {100 * error:.2f} points"
    )

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | others tell about somebody who sent nothing; relatives by {eq}`eq-deploy-kin` | laws of a town of up to 500 others; of two, three and five people |
# | a memory stops the sum of ε for values that stay, not over histories | laws of up to six days; 16 histories of four |
# | arrival, number of draws, rounds and length are part of the report | laws of what is seen |
# | whoever can repeat the coins undoes the client | 86,400 seeds tried on 1,000 people; the state of a generator rebuilt |
# | thresholds rounded toward privacy keep ε, floats do not | fractions, 8 clients, ε up to 32 |
# | a bad hash costs the estimate, not ε | all seeds of a family of 8-bit words; 65,536 of the full one |
# | one report can be worth $e^\varepsilon/(e^\varepsilon-1)$ people or more ({prf:ref}`thm-deploy-liar`) | proof; all reports of seven clients |
# | the bytes of a message have ε = 2, and within a run all that is received is counted once, if its last partition is large enough to be written | law of the bytes; 6,366 messages; restart, crowd, lost answers |
