# %% [markdown]
# (ch-rappor)=
# # RAPPOR
#
# *From {cite:t}`erlingsson2014rappor`; see also the {ref}`dossier <paper-ye2018>` of {cite:t}`ye2018survey`.*
#
# :::{admonition} In one minute
# A browser reports your home page every day, and nobody can list all home pages.
# RAPPOR turns any string into a few bits by hashing.
# One coin disturbs each bit once, and the browser remembers the result; a second disturbs the remembered bits in every report.
# All reports of a period together reveal no more than the remembered bits.
# From the counts of ones, the server estimates the share of each string on a list of candidates.
# Only this last step needs a list.
# :::
#
# :::{zh}
# RAPPOR 面向两个难题：字符串没有事先的列表，而且对同一用户要反复询问。
# 客户端用布隆过滤器把字符串变成若干比特，先作一次永久性随机响应并保存，此后每次上报再作瞬时性随机响应。
# $T$ 份报告合计的 $\varepsilon_T$ 以永久性响应的 $\varepsilon_\infty$ 为上限，前提是一个时期内始终沿用首个值的响应。
# 若值一变就另记一次响应，报告会泄露何时改变，合计的 $\varepsilon$ 没有上限。
# 服务器统计每组每比特中 1 的个数，校正后对候选列表作最小二乘，得到无偏估计及其标准误差。
# 收集报告时不需要列表，解码时才需要；列表中遗漏的常见字符串会使别的估计产生偏差。
# 在相同的 $\varepsilon$ 下，$h$ 个哈希函数使标准误差至少为 SUE 的 $\sqrt h$ 倍。
# Lasso 能处理比方程更多的候选，但会把频率压低，因此之后要再作一次最小二乘。
# :::
#
# You need SUE from {ref}`ch-frequency`, and the cost of repeated reports from {ref}`ch-composition`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import product
from math import atanh, exp, log, sinh, sqrt, tanh
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import norm

from ldpnb import RAPPOR, SystemRandom, Tally, epsilon, laws, moments, pick, prove, toss
from ldpnb.chance import odds
from ldpnb.survey import Account
from ldpnb.strings import decode, position
from ldpnb_book import check, diagram, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import strings as study

style()
rng = np.random.default_rng(2014)

# %% [markdown]
# (sec-rappor-question)=
# ## A home page, every day
#
# A browser's maker asks every day which home pages people have.
# Ana's is `weather.example`, which she wants to keep private.
# Unary encoding needs a list of all home pages, which nobody has.
# Thirty reports with budget ε each would cost $30\,\varepsilon$ in the worst case.
#
# **Can the maker learn the share $f_x$ of each page $x$, every day, at a bounded cost for Ana?**
#
# (sec-rappor-filter)=
# ## A filter and two coins
#
# A public *hash function* turns any string into a number from 0 to $g-1$.
# RAPPOR applies $h$ such functions to the string; of its $g$ bits, it sets those with these numbers.
# The result is the string's *Bloom filter*.
#
# There are $C$ *cohorts*, each with its own hash functions: two strings with the same filter in one rarely share it in another.
# A client draws its public cohort once, without looking at the string.
# Here `position` is the package's hash function.


# %%
def bloom(x, cohort, g, h):
    """The filter of a string: g bits, set by h hash functions."""
    on = {position(x, cohort, number, g) for number in range(h)}
    return tuple(bit in on for bit in range(g))


def remember(x, cohort, g, h, eps, rng):
    """The permanent response: each bit flipped or not, once."""
    flip = 1 / (odds(eps / (2 * h)) + 1)
    return tuple(bit ^ toss(flip, rng) for bit in bloom(x, cohort, g, h))


def respond(kept, p, rng):
    """One report: each remembered bit, true with probability p."""
    return tuple(bit if toss(p, rng) else not bit for bit in kept)


# %% [markdown]
# Let the first coin flip a bit with chance $\varphi$, and the second tell the truth with chance $p$.
# With $\varepsilon_\infty$ for the budget `eps` of `remember`,
#
# $$ \varphi = \frac{1}{e^{\varepsilon_\infty/2h}+1}. $$ (eq-rappor-flip)
#
# The client calls `remember` once and keeps the result.
# Then it only calls `respond` ({numref}`fig-rappor-client`).
# Here $\varphi = \frac14$ and $p = \frac34$.

# %% mystnb={"figure": {"name": "fig-rappor-client", "caption": "Filters of Ana's home page in two cohorts, then her permanent response and three reports in cohort 0. Filled: ones. Only the cohort and the last three rows leave the browser."}, "image": {"alt": "Six rows of 16 squares. Two filters of one string in different cohorts have two filled squares each, and share one of them. The permanent response has some more. Three daily reports agree with it at most bits, but not at all of them."}}
G, H, COHORTS = 16, 2, 8
EPS, P = 4 * log(3), 3 / 4  # of the memory; of the second coin
PHI = 1 / (exp(EPS / (2 * H)) + 1)
ANA, sketch = "weather.example", np.random.default_rng(7)
kept = remember(ANA, 0, G, H, EPS, sketch)
rows = {
    "filter, cohort 2": bloom(ANA, 2, G, H),
    "filter, cohort 0": bloom(ANA, 0, G, H),
    "permanent": kept,
}
for day in ("Monday", "Tuesday", "Wednesday"):
    rows[day] = respond(kept, P, sketch)
diagram.cells(rows)
plt.show()

# %% [markdown]
# A reported bit equals the filter's bit if both coins change it or neither does, which has probability
#
# $$ p_1 = (1-\varphi)\,p + \varphi\,(1-p), \qquad 2p_1 - 1 = (1-2\varphi)(2p-1). $$ (eq-rappor-support)
#
# Here $p_1 = \frac58$.
#
# (sec-rappor-privacy)=
# ## What all reports give away
#
# :::{prf:theorem} ε of $T$ reports
# :label: thm-rappor-exposure
# Let $0 < \varphi < \frac12 < p < 1$.
# All $T$ reports from one memory together are $\varepsilon_T$-LDP, where
#
# $$ \tanh\frac{\varepsilon_T}{4h} = (1-2\varphi)\,\tanh(T\eta), \qquad \eta = \frac12\ln\frac{p}{1-p}. $$ (eq-rappor-exposure)
#
# They are exactly $\varepsilon_T$-LDP if, in some cohort, two strings set $h$ bits each and none in common.
# As $T$ grows, $\varepsilon_T$ rises towards $\varepsilon_\infty = 2h\ln\frac{1-\varphi}{\varphi}$, and $\varepsilon_T \le T\varepsilon_1$.
# :::
#
# :::{prf:proof}
# 1. *One remembered bit.*
#    Each reported 1 multiplies the ratio of the probabilities for a remembered 1 and 0 by $\frac{p}{1-p}$, and each reported 0 divides it.
#    With $t$ ones in $T$ reports, the ratio is $\lambda = \big(\frac{p}{1-p}\big)^{2t-T} = e^{2(2t-T)\eta}$, between $e^{-2T\eta}$ and $e^{2T\eta}$.
# 2. *One bit of the filter.*
#    For a 1 in the filter, compared with a 0, the ratio is
#
#    $$ R = \frac{(1-\varphi)\,\lambda + \varphi}{\varphi\,\lambda + 1-\varphi}, \qquad \frac{R-1}{R+1} = (1-2\varphi)\,\frac{\lambda-1}{\lambda+1}. $$
#
#    So $R$ rises with $\lambda$, and $1/\lambda$ turns it into $1/R$: it is enough to bound $R$ from above.
# 3. *All bits.*
#    In the ratio for two strings, the cohort's probability $1/C$ cancels.
#    Given the filter, bits are independent, and those on which two filters agree cancel, too.
#    At most $2h$ bits differ, so this ratio is at most $R^{2h}$, with $R$ for $\lambda = e^{2T\eta}$.
#    Under the theorem's condition, reports with 1 on all bits of one string and 0 on those of the other attain this bound.
#    Put $\varepsilon_T = 2h \ln R$: as $(R-1)/(R+1) = \tanh(\frac12 \ln R)$, and likewise for $\lambda$, step 2 becomes {eq}`eq-rappor-exposure`.
#    As $T$ grows, $\lambda$ tends to infinity, and $R$ to $\frac{1-\varphi}{\varphi}$.
# 4. *At most $T\varepsilon_1$.*
#    As a function of $\eta$, $\operatorname{artanh}\big((1-2\varphi)\tanh\eta\big)$ is 0 at 0, and its derivative falls for $\eta > 0$:
#
#    $$ \frac{1-2\varphi}{\cosh^2\eta - (1-2\varphi)^2\sinh^2\eta} = \frac{1-2\varphi}{1 + \big(1-(1-2\varphi)^2\big)\sinh^2\eta}. $$
#
#    So the function is concave, and its value at $T\eta$ is at most $T$ times that at $\eta$.
# :::
#
# For $T = 1$, {eq}`eq-rappor-exposure` and {eq}`eq-rappor-support` give $\varepsilon_1 = 2h\ln\frac{p_1}{1-p_1}$.
#
# For two bits, one hash function and strings that set different bits, `prove` confirms the budgets of the permanent response, one report, and two:

# %%
TWO = "news.example", "bank.example"


def memory(x, eps, rng, size=(2, 1)):
    return remember(x, 0, *size, eps, rng)


def one_day(x, eps, rng):
    return respond(memory(x, eps, rng), P, rng)


def days(x, eps, rng, count=2, p=P, size=(2, 1)):
    """Reports of some days, from one memory."""
    kept = memory(x, eps, rng, size)
    return tuple(respond(kept, p, rng) for _ in range(count))


for client in (memory, one_day, days):
    print(prove(client, TWO, rounded=False))

# %% [markdown]
# The two long factors are $R^2$ for $\lambda = 3$ and $\lambda = 9$; their $e^{\varepsilon/2}$ is $(1-\varphi)/\varphi$.
# {numref}`fig-rappor-exposure` extends this to a year.
# For a given $\varphi$, $\varepsilon_T$ is proportional to $h$, and does not depend on $g$.


# %% mystnb={"figure": {"name": "fig-rappor-exposure", "caption": "Budget ε of all reports about one unchanged string, h = 2 and φ = 1/4. Lines: theorem. Marks: exact laws; beyond T = 2, twice those for h = 1. Fresh: a new permanent response for each report."}, "image": {"alt": "Log-log plot of epsilon against 1 to 365 reports. Two curves with memory start at 2.0 and 1.0 and level off at the grey line of 4.4, within days or weeks. Two straight lines without memory rise beyond 300."}}
def exposure(T, p, h=H, flip=PHI):
    """ε of T reports, by the theorem."""
    return 4 * h * atanh((1 - 2 * flip) * tanh(T * log(p / (1 - p)) / 2))


def spent(client, h=1, **how):
    """Exact ε of a client with h hash functions and the same φ."""
    eps = EPS * h / H
    return epsilon(laws(lambda x, rng: client(x, eps, rng, **how), TWO))


COINS = {"p = 3/4": 3 / 4, "p = 5/8": 5 / 8}
span = np.unique(np.geomspace(1, 365, 60).astype(int))
lines, exact = [], []
for name, p in COINS.items():
    lines += [(f"memory, {name}", T, exposure(T, p)) for T in span]
    lines += [(f"fresh, {name}", T, T * exposure(1, p)) for T in span]
    for T in (1, 2, 3, 4):
        h = H if T < 3 else 1  # later, two have too many outcomes
        found = H / h * spent(days, h, count=T, p=p, size=(2 * h, h))
        exact.append((f"memory, {name}", T, found))
names = [f"{a}, {coin}" for a in ("memory", "fresh") for coin in COINS]
fig, ax = plt.subplots(figsize=(6.4, 3.6))
for rows, look in ((lines, theory), (exact, simulation)):
    frame = pd.DataFrame(rows, columns=["client", "T", "ε"])
    sns.lineplot(frame, x="T", y="ε", ax=ax, **look("client", names))
ax.axhline(EPS, color="gray", marker="", lw=1, zorder=0)
ax.text(1, 1.1 * EPS, "$\\varepsilon_\\infty$")
ax.set(xscale="log", yscale="log", xlabel="reports T", ylabel="ε")
plain_ticks(ax)
label_lines(ax)
plt.show()


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: ε of one to four reports"}
def anew(x, eps, rng):
    """A mistake: a new permanent response on the second day."""
    return one_day(x, eps, rng), one_day(x, eps, rng)


def curve(flip):
    """Largest distance of the exact budgets from the theorem."""
    return max(abs(eps - exposure(T, COINS[name[8:]], flip=flip)) for name, T, eps in exact)


check(
    "Theorem",
    "two reports: exact ε",
    abs(spent(days) - exposure(2, P, h=1)) < 1e-9,
    control="a new permanent response on the second day",
    caught=spent(anew) > exposure(2, P, h=1) + 0.1,
)
check(
    "Curve",
    "one to four reports, two coins: exact ε",
    curve(PHI) < 1e-9,
    control="f in place of φ = f/2",
    caught=curve(2 * PHI) > 0.1,
)

# %% [markdown]
# (sec-rappor-uncovered)=
# ### What the memory does not cover
#
# - *A new string.*
#   A new permanent response for it can cost any amount, as the next section shows.
# - *Strings that determine each other.*
#   If a client draws a permanent response every day, and one day's string reveals that of all others, the budgets add up (the lines *fresh* in {numref}`fig-rappor-exposure`).
#
# The remembered bits can identify a person.
# In one cohort, two people with the same string remember the same bits with probability
#
# $$ \big(\varphi^2 + (1-\varphi)^2\big)^g, $$
#
# which is 0.0005 here.
# Many reports reveal these bits despite the second coin.
#
# (sec-rappor-changes)=
# ### When the string changes
#
# In May, Ana changes her home page.
# Should her browser remember new bits for the new page?
# Let us compare two rules.
# A *history* lists her strings, one per report, and ε is now over any two histories.


# %%
def by_period(history, first, second, rng):
    """One memory, of the first string."""
    kept = first(history[0], rng)
    return tuple(second(kept, rng) for _ in history)


def by_string(history, first, second, rng):
    """A mistake: a memory for each string."""
    kept = {}
    for x in history:
        if x not in kept:
            kept[x] = first(x, rng)
    return tuple(second(kept[x], rng) for x in history)


def coin(ones):
    """A coin with a chance of 1 for each thing it may be about."""
    return lambda about, rng: toss(ones[about], rng)


def told(rule, T, parts):
    """Exact ε of T reports over all histories of two strings, 0 and 1."""
    histories, total = list(product((0, 1), repeat=T)), 0
    for first, second, copies in parts:
        two = coin(first), coin(second)
        law = laws(lambda h, rng, two=two: rule(h, *two, rng), histories)
        pairs = [[max(p[y] / q[y] for y in p) for q in law] for p in law]
        total = total + copies * np.log(np.array(pairs, float))
    return total.max()


# %% [markdown]
# A part is one bit of a report, as two pairs and a number.
# For the bit that only string 1 sets, it is `((φ, 1 − φ), (1 − p, p), 1)`:
#
# - The bit is remembered as 1 with chance $\varphi$ for string 0, and $1-\varphi$ for string 1.
# - A remembered 0 is sent as 1 with chance $1-p$, and a remembered 1 with chance $p$.
# - There is one such bit.
#
# Bits have coins of their own, so the logarithms add up.
# If $h = 1$ and the two strings set different bits, there are three kinds of bits: one that string 0 sets, one that string 1 sets, and $g - 2$ that neither sets.


# %%
def filter_parts(g, phi=PHI, p=P):
    """The parts of a report for h = 1."""
    second = (1 - p, p)
    own = [((1 - phi, phi), second, 1), ((phi, 1 - phi), second, 1)]
    return [*own, ((phi, phi), second, g - 2)]


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Table"}
def added(T):
    """The largest sum of the budgets of both strings."""
    both = [exposure(T - a, P, 1) + exposure(a, P, 1) for a in range(1, T)]
    return max([exposure(T, P, 1), *both])


TIMES = (2, 3, 4)
single = [told(by_period, T, filter_parts(32)) for T in TIMES]
rows = {f"a memory for each string, {g} bits": [told(by_string, T, filter_parts(g)) for T in TIMES] for g in (2, 8, 32)}
rows |= {"the two budgets, added": [added(T) for T in TIMES], "one memory, any g ≥ 2": single}
rows = [[name, *(f"{eps:.2f}" for eps in numbers)] for name, numbers in rows.items()]
table(pd.DataFrame(rows, columns=["exact ε", *(f"T = {T}" for T in TIMES)]))

# %% [markdown]
# The sum of the two budgets is no bound for a memory per string.
# A change draws *all* bits anew, also the many that neither string sets, and each of them tells whether two reports come from the same memory.
# So the reports tell when Ana changed her page.
# These numbers are for two strings; more can cost more.
#
# :::{prf:theorem} No bound for a memory per string
# :label: thm-rappor-changes
# Let $0 < \varphi < \frac12 < p < 1$, and let $T$ be even.
# Let a client join a cohort once, and remember bits for each string, drawn independently.
# If its $T$ reports are $\varepsilon$-LDP for all histories of at most two strings, then $\varepsilon \ge g\,(T\eta + 2\ln\varphi)$.
# :::
#
# :::{prf:proof}
# In the first history, two strings take turns.
# The second history has only one string.
# Look at one bit, and compare the probabilities that its $T$ reports are 1, 0, 1, 0, …
#
# 1. *Turns.*
#    Each string's bit is remembered as 1, and as 0, with a probability of at least $\varphi$.
#    So with a probability of at least $\varphi^2$, a 1 is remembered for the first string and a 0 for the second.
#    Then these reports equal the remembered bits, which has probability $p^T$.
# 2. *One string.*
#    Whether a 1 or a 0 is remembered, half of these reports equal it, which has probability $\big(p\,(1-p)\big)^{T/2}$.
# 3. *The ratio* is at least
#
#    $$ \varphi^2\,\Big(\frac{p}{1-p}\Big)^{T/2} = e^{T\eta + 2\ln\varphi}. $$
#
#    Given the cohort, the bits are independent, so the ratios of the $g$ bits multiply: in every cohort, the $T$ reports that show 1, 0, 1, 0, … at all bits have at least the $g$-th power.
# :::
#
# Here $T\eta + 2\ln\varphi$ is positive from $T = 6$ on; then it grows without limit in $T$, and the more bits, the faster.
#
# Other clients with two coins give the change away, too.
# L-GRR remembers a k-RR reply and sends a k-RR reply about it; L-OSUE remembers the bits of OUE and sends each by randomized response {cite:p}`arcolezi2021longitudinal`.
# LOLOHA hashes the item to a slot first, and does for slots what L-GRR does for items {cite:p}`arcolezi2022loloha`.
# L-SUE is RAPPOR with a bit for each item in place of a filter.
# We give each client a memory for each item, as above, and LOLOHA one for each slot.
# There are two items, in different slots, and each client has $\varepsilon_\infty = 2$ and $\varepsilon_1 = 1$.

# %%
LIFE, ONE = 2.0, 1.0


def second_coin(divisor):
    """Chances to send 1, so that one report costs ONE."""
    gap = tanh(ONE / divisor) / tanh(LIFE / divisor)
    return (1 - gap) / 2, (1 + gap) / 2


RR, SUE = 1 / (exp(LIFE) + 1), 1 / (exp(LIFE / 2) + 1)  # chances of a lie
rr, sue = second_coin(2), second_coin(4)
CLIENTS = {
    "L-GRR; LOLOHA, two slots": [((RR, 1 - RR), rr, 1)],
    "L-SUE": [((1 - SUE, SUE), sue, 2)],
    "L-OSUE": [((1 / 2, RR), rr, 1), ((RR, 1 / 2), rr, 1)],
}

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Table"}
TIMES, rows = (1, 2, 3, 4), []
for name, parts in CLIENTS.items():
    numbers = [told(by_string, T, parts) for T in TIMES]
    numbers.append(told(by_period, 4, parts))
    rows.append([name, *(f"{eps:.2f}" for eps in numbers)])
heads = [f"T = {T}" for T in TIMES]
table(pd.DataFrame(rows, columns=["exact ε", *heads, "one memory, T = 4"]))

# %% [markdown]
# With a memory for each item, neither $T\varepsilon_1$ nor twice $\varepsilon_\infty$ bounds all these numbers: four reports of L-OSUE need 4.44.
# With one memory, all stay below $\varepsilon_\infty$.
#
# So keep one memory for a whole period, whatever the string becomes.
# Reports of May then speak of the home page at the start of May, and so do their estimates.
# In June the browser draws anew, and the budgets of the months add up.
# `Account` keeps one memory, and its cohort, for each label and mechanism:

# %%
page = RAPPOR(bits=16, hashes=2, cohorts=8, f=1 / 2, p=1 / 4, q=3 / 4)
with TemporaryDirectory() as browser:
    account = Account(f"{browser}/account", limit=10)
    may = [(page, [x], "home page, May") for x in (ANA, ANA, TWO[0])]
    june = [(page, [TWO[0]], "home page, June")]
    for asked in (may, june):
        account.reports(asked, rng=SystemRandom())
    print(account)

# %% [markdown]
# Its sum is exact if each line has a pair of strings that attains its ε, under the conditions in the last two lines.
# A client that reports more often because of its string, chooses the mechanism by it, or loses its memory, reveals more.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: histories, by laws and by a sum over memories"}
def over_memories(history, first, second, y):
    """Probability of reports y: a sum over what is remembered of each string."""
    used, total = sorted(set(history)), 0.0
    for bits in product((0, 1), repeat=len(used)):
        kept = dict(zip(used, bits, strict=True))
        chance = np.prod([first[x] if bit else 1 - first[x] for x, bit in kept.items()])
        total += chance * np.prod(
            [second[kept[x]] if out else 1 - second[kept[x]] for x, out in zip(history, y, strict=True)]
        )
    return total


def summed_up(rule, T, parts):
    """The same as `told`, without coins."""
    histories, total = list(product((0, 1), repeat=T)), 0
    seen = histories if rule is by_string else [(h[0],) * T for h in histories]
    for first, second, copies in parts:
        law = np.array([[over_memories(h, first, second, y) for y in histories] for h in seen])
        total = total + copies * np.log(law[:, None] / law[None]).max(2)
    return total.max()


CASES = [(T, filter_parts(g)) for T in (2, 3) for g in (2, 8)] + [(3, parts) for parts in CLIENTS.values()]
check(
    "Histories",
    "two routes agree for both rules",
    all(abs(told(rule, *case) - summed_up(rule, *case)) < 1e-9 for rule in (by_period, by_string) for case in CASES),
    control="a memory for each string, against one memory",
    caught=all(abs(told(by_string, *case) - summed_up(by_period, *case)) > 0.1 for case in CASES),
)


def kept_to(rule):
    """Whether the two budgets, added, bound four reports of 2, 8 and 32 bits."""
    return all(told(rule, 4, filter_parts(g)) <= added(4) + 1e-9 for g in (2, 8, 32))


check(
    "One memory",
    "over all histories: exactly the ε of reports about one string",
    kept_to(by_period) and all(abs(eps - exposure(T, P, 1)) < 1e-9 for T, eps in zip((2, 3, 4), single, strict=True)),
    control="a memory for each string",
    caught=not kept_to(by_string),
)


def grows(T, phi, p):
    """The bound of the theorem, for one bit."""
    return T * log(p / (1 - p)) / 2 + 2 * log(phi)


check(
    "No bound",
    "one bit, four and six reports of two coins: at least the theorem's",
    all(
        told(by_string, T, [((phi, phi), (1 - p, p), 1)]) >= grows(T, phi, p) > 0
        for T, phi, p in [(4, 0.4, 0.8), (6, 1 / 4, 3 / 4), (6, 0.45, 0.7)]
    ),
    control="one memory",
    caught=told(by_period, 6, [((1 / 4, 1 / 4), (1 / 4, 3 / 4), 1)]) < grows(6, 1 / 4, 3 / 4),
)

# %% [markdown]
# (sec-rappor-count)=
# ## The server
#
# Call each bit $b$ of each cohort a *cell*.
# The cohort of cell $b$ has $n_b$ reports; $O_b$ of them have a one there.
# Let $X_{bx} = 1$ if string $x$ sets cell $b$, and 0 otherwise.
# On average, the cohort has $n/C$ people, and a share $\sum_x f_x X_{bx}$ of them set the cell, so
#
# $$ \E\,O_b = \frac nC\,\Big((1-p_1) + (2p_1-1)\sum_x f_x X_{bx}\Big). $$
#
# Replace $\E\,O_b$ by $O_b$, and $n/C$ by $n_b$ in the first term only, so that $y_b$ stays a sum over reports.
# Solve for $\sum_x f_x X_{bx}$:
#
# $$ y_b = \frac Cn\cdot\frac{O_b - (1-p_1)\,n_b}{2p_1-1}, \qquad \E\,y_b = \sum_x f_x X_{bx}. $$ (eq-rappor-y)
#
# These are linear equations, with one unknown per string.
#
# :::{prf:theorem} Shares by least squares
# :label: thm-rappor-count
# Let the columns of $X$, one for each candidate, be linearly independent, and let $X^+ = (X^\top X)^{-1}X^\top$.
#
# 1. If everybody's string is a candidate, $\hat f = X^+y$ is unbiased.
# 2. An unlisted string $x'$, with column $X_{x'}$, adds $f_{x'}\,X^+X_{x'}$ to the mean of $\hat f$.
# 3. For any $Cg + 2$ strings, there are two different distributions with the same $\E\,y$.
# :::
#
# :::{prf:proof}
# Parts 1 and 2 hold because $X^+$ is linear and $X^+X$ is the identity.
# For part 3, write a 1 below each of the $Cg + 2$ columns.
# These vectors have length $Cg + 1$, so some $\delta \ne 0$ combines them to 0; its sum is 0.
# Adding a small multiple of $\delta$ to equal shares leaves $\E\,y$ unchanged.
# :::
#
# By {eq}`eq-rappor-y`, the estimate is an average of scores, one per report.


# %%
def count(cohort, bits, cohorts):
    """Reports of each cohort, and ones at each of its bits."""
    people = np.bincount(cohort, minlength=cohorts)
    ones = [bits[cohort == group].sum(0) for group in range(cohorts)]
    return people[:, None], np.array(ones)


def filters(items, cohorts, g, h):
    """X: a row for each cell, a column for each string."""
    every = range(cohorts)
    columns = [[bloom(x, group, g, h) for group in every] for x in items]
    return np.array(columns, float).reshape(len(items), -1).T


def server(cohort, bits, items, cohorts, h, p1):
    """Shares of candidates, and their standard errors."""
    n, g = bits.shape
    people, ones = count(cohort, bits, cohorts)
    y = cohorts / n * (ones - (1 - p1) * people) / (2 * p1 - 1)
    W = np.linalg.pinv(filters(items, cohorts, g, h))
    weight = W.reshape(len(items), cohorts, g)[:, cohort]
    of_bits = cohorts * (bits - (1 - p1)) / (2 * p1 - 1)
    score = (weight * of_bits).sum(2)  # candidates × people
    return W @ y.ravel(), score.std(1) / sqrt(n)


# %% [markdown]
# Now 20,000 people report once; nobody has the last two of eight candidates.
# A candidate counts as *found* if its estimate is more than $z$ standard errors above 0.
# We choose $z$ by the {term}`Bonferroni correction`: a normal variable exceeds it with probability $0.05/L$ for $L$ candidates.
# So the chance of any false discovery is at most about 5 %.

# %%
SITES = "weather news mail search maps music bank games".split()
LIST = [f"{site}.example" for site in SITES]
SHARES = [0.30, 0.25, 0.15, 0.13, 0.10, 0.07, 0.0, 0.0]
P1 = (1 - PHI) * P + PHI * (1 - P)


def client(x, rng):
    """First report of a new client."""
    cohort = pick(range(COHORTS), rng)
    return cohort, respond(remember(x, cohort, G, H, EPS, rng), P, rng)


reports = [client(LIST[i], rng) for i in rng.choice(8, 20_000, p=SHARES)]
cohort, bits = (np.array(part) for part in zip(*reports, strict=True))
shares, errors = server(cohort, bits, LIST, COHORTS, H, P1)
z, rows = norm.isf(0.05 / len(LIST)), []
for x, true, f, s in zip(LIST, SHARES, shares, errors, strict=True):
    estimate = f"{round(f, 3) + 0:.3f} ± {s:.3f}".replace("-", "−")
    rows.append((x, true, estimate, "yes" if f > z * s else "no"))
heads = ["candidate", "truth", "estimate", "found"]
table(pd.DataFrame(rows, columns=heads))

# %% [markdown]
# If a tenth of the people have the unlisted page `start.example`, the mean estimates shift by part 2 of {prf:ref}`thm-rappor-count`, in percentage points:

# %%
X = filters([*LIST, "start.example"], COHORTS, G, H)
spill = np.linalg.pinv(X[:, :8]) @ X[:, 8]
told = [f"{a} {x:+.1f}" for a, x in zip(SITES, 10 * spill, strict=True)]
print(", ".join(told).replace("-", "−"))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: unbiased estimates, and the need for a list"}
tiny = RAPPOR(bits=3, hashes=1, cohorts=2, f=0.5, p=0.0, q=1.0)
LISTED, UNLISTED = ["a", "b"], "c"
mean, _ = moments(tiny, [*LISTED, UNLISTED], LISTED)
columns = filters([*LISTED, UNLISTED], 2, 3, 1)
off_list = np.linalg.pinv(columns[:, :2]) @ columns[:, 2]
check(
    "Least squares",
    "exact law: unbiased for the list, X⁺X for a string off it",
    np.abs(mean[:2] - np.eye(2)).max() < 1e-12 and np.abs(mean[2] - off_list).max() < 1e-12,
    control="nothing for the string off the list",
    caught=np.abs(mean[2]).max() > 0.01,
)


def twins(cohorts, g, h, count):
    """Whether two distributions over so many strings have one mean of y."""
    x = filters([f"page{i}.example" for i in range(count)], cohorts, g, h)
    return np.linalg.matrix_rank(np.vstack([x, np.ones(count)])) < count


check(
    "No list",
    "18 strings, 16 cells: two distributions with one mean of y",
    twins(2, 8, 2, 18),
    control="one string less",
    caught=not twins(2, 8, 2, 17),
)
off = np.abs(shares - SHARES) / errors
check(
    "Survey",
    "eight estimates within 6 standard errors",
    off.max() < 6,
    control="bits that are not corrected",
    caught=np.abs((server(cohort, bits, LIST, COHORTS, H, 1.0)[0] - SHARES) / errors).max() > 6,
)

# %% [markdown]
# (sec-rappor-cost)=
# ## What a filter costs
#
# With a list, SUE can send one bit per item.
# What does the filter cost, at the same budget $\varepsilon = \varepsilon_1$ of one report?
#
# Take any weights for which $\hat f_x = \sum_b \omega_b\,y_b$ is unbiased, whatever the shares of the candidates.
# If everybody has $x$, the mean of $\hat f_x$ is $\sum_b \omega_b X_{bx} = 1$.
# As $x$ sets at most $Ch$ cells, the Cauchy–Schwarz inequality gives
#
# $$ 1 \le Ch\sum_b \omega_b^2. $$
#
# Given string and cohort, the bits of a report are independent with variance $p_1(1-p_1)$; each cohort has probability $1/C$.
# By the law of total variance, a score's variance is at least the mean of its variances given string and cohort:
#
# $$ \frac1C\sum_b C^2\omega_b^2\,\frac{p_1(1-p_1)}{(2p_1-1)^2} \ge \frac1h\cdot\frac{p_1(1-p_1)}{(2p_1-1)^2}. $$
#
# Since $p_1/(1-p_1) = e^{\varepsilon/2h}$, the last fraction is
#
# $$ \frac{p_1(1-p_1)}{(2p_1-1)^2} = \frac{e^{\varepsilon/2h}}{(e^{\varepsilon/2h}-1)^2} = \frac{1}{4\sinh^2(\varepsilon/4h)}. $$
#
# The average variance of people's scores is $n\Var\hat f_x$.
# Also, $\sinh(\varepsilon/4) \ge h\sinh(\varepsilon/4h)$, as $\sinh$ is convex for positive numbers and 0 at 0.
#
# :::{prf:theorem} What hash functions cost at least
# :label: thm-rappor-cost
# For any list, any number of cohorts, and any such estimate,
#
# $$ n\Var\hat f_x \ge \frac{1}{4h\,\sinh^2(\varepsilon/4h)} \ge h\cdot\frac{1}{4\sinh^2(\varepsilon/4)}. $$
#
# The last fraction is $n\Var\hat f_x$ of SUE for an item that nobody has.
# :::
#
# So the standard error is at least $\sqrt h$ times SUE's.
# In twelve designs at $\varepsilon = 1$, collisions raised the variance above the first bound by about the factor
#
# $$ \frac{1}{\big(1-\frac hg\big)\big(1-\frac{L}{C(g-1)}\big)}. $$ (eq-rappor-crowd)
#
# Another string sets a given bit with a chance of about $h/g$, and $L$ unknowns share about $C(g-1)$ equations.
# The table gives exact standard errors, divided by SUE's, for 64 bits, 16 cohorts, and the 40 of 50 candidates that nobody has.

# %%
PAGES = [f"page{i}.example" for i in range(50)]


def least(h, eps):
    """Standard error over SUE's, by the theorem."""
    return sinh(eps / 4) / sinh(eps / 4 / h) / sqrt(h)


def compared(h, eps):
    exact = study.over_sue(64, h, 16, PAGES, eps)
    return f"{exact:.2f}, at least {least(h, eps):.2f}"


rows = [(h, compared(h, 1.0), compared(h, 4.0)) for h in (1, 2, 4)]
table(pd.DataFrame(rows, columns=["hash functions", "ε = 1", "ε = 4"]))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: bound and rule of thumb in twelve designs"}
priced = []
for g, h, C, L in [(g, h, 256 // g, L) for g in (32, 64) for h in (1, 2) for L in (25, 75, 125)]:
    rule = sqrt(1 / ((1 - h / g) * (1 - L / (C * (g - 1)))))
    priced.append((h, study.over_sue(g, h, C, [f"page{i}.example" for i in range(L)], 1.0), rule))
check(
    "Price",
    "twelve designs: above the bound, within 5 % of bound times rule",
    all(exact > least(h, 1.0) and abs(exact / least(h, 1.0) / rule - 1) < 0.05 for h, exact, rule in priced),
    control="h in place of √h",
    caught=not all(exact > sqrt(h) * least(h, 1.0) for h, exact, _ in priced),
)

# %% [markdown]
# So use one hash function and many cohorts, which need no budget.
# With $C(g-1) = 4L$, the second part of the factor is 4/3.
#
# (sec-rappor-choose)=
# ## Choosing the numbers
#
# Choose the budgets $\varepsilon_1$ of one report and $\varepsilon_\infty > \varepsilon_1$ of all reports from one memory (`lifetime_epsilon`).
# Then {eq}`eq-rappor-flip` gives $\varphi$, and {eq}`eq-rappor-exposure`, for one report and in the limit, gives
#
# $$ 2p - 1 = \tanh\eta = \frac{\tanh(\varepsilon_1/4h)}{\tanh(\varepsilon_\infty/4h)}. $$
#
# The package's arguments are `f` $= 2\varphi$, `p` = our $1-p$, and `q` = our $p$.


# %%
def settings(eps_one, eps_life, h=1):
    """The package's numbers for two budgets."""
    gap = tanh(eps_one / 4 / h) / tanh(eps_life / 4 / h)
    flip = 1 / (exp(eps_life / 2 / h) + 1)
    return {"f": 2 * flip, "p": (1 - gap) / 2, "q": (1 + gap) / 2}


home = RAPPOR(bits=32, hashes=1, cohorts=32, **settings(2.0, 4.0))
one, lifetime = home.epsilon, home.lifetime_epsilon
print(f"one report {one:.3f}, lifetime {lifetime:.3f}")

# %% [markdown]
# (sec-rappor-million)=
# ## A million home pages
#
# In a made-up population, 90 % of a million people have one of a hundred pages, with shares that fall like $1/\text{rank}$.
# The others have one of 1,000 unlisted rare pages.
# The list has the hundred, and a hundred that nobody has.
#
# The package draws the counts of first reports.
# Its `decode` weights equations by their precision, and adds one unknown, common to all cells, for unlisted rare strings ({numref}`fig-rappor-hosts`).

# %%
SITE = [f"site{i}.example" for i in range(200)]
zipf = 1 / np.arange(1, 101)
people = np.round(900_000 * zipf / zipf.sum()).astype(int)
names = SITE[:100] + [f"rare{i}.example" for i in range(1000)]
held = np.append(people, np.full(1000, 100))
drawn = home.simulate(held, names, trials=1, rng=rng)
tally = Tally(home, drawn.n, drawn.counts[0])
decoded = decode(tally, SITE, control="bonferroni")
hits, wrong = decoded.found[:100].sum(), decoded.found[100:].sum()
print(f"found: {hits} of 100 pages in use, {wrong} of 100 others")

# %% mystnb={"figure": {"name": "fig-rappor-hosts", "caption": "Shares of the 40 most frequent pages, one report per person, ε = 2. Line: truth. Bars: 95 % intervals. Hollow: not found."}, "image": {"alt": "Log-log plot of share in per cent against rank 1 to 40. Filled circles with bars follow the falling line from 17 per cent at rank 1. At rank 38 one circle is hollow, and bars there are nearly as long as the shares."}}
rank, truth = np.arange(1, 41), 100 * held[:40] / held.sum()
fig, ax = plt.subplots(figsize=(6.4, 3.6))
sns.lineplot(x=rank, y=truth, ax=ax)
for seen, face in ((decoded.found, "C1"), (~decoded.found, "white")):
    at = np.flatnonzero(seen[:40])
    f, bar = 100 * decoded.share[at], 196 * decoded.error[at]
    ax.errorbar(at + 1, f, bar, fmt="o", ms=4, lw=1, color="C1", mfc=face)
ax.set(xscale="log", yscale="log", ylim=(0.05, 30))
ax.set(xlabel="rank of the page", ylabel="share in %")
plain_ticks(ax)
plt.show()

# %% [markdown]
# The exact variances tell how many found pages to expect:

# %%
usual = held[:100] / held.sum()
noise = home.variance(names[:100], SITE)[:, 100:]
error = sqrt(np.average(noise, axis=0, weights=usual).mean() / held.sum())
z = norm.isf(0.05 / 200)
chance = norm.cdf(usual / error - z)
mean, sd = chance.sum(), sqrt((chance * (1 - chance)).sum())
print(f"expected: {mean:.0f} ± {sd:.0f} of 100 are found,", end=" ")
print(f"a share of {100 * z * error:.2f} % half the time")

# %% [markdown]
# So this run was lucky.
#
# (sec-rappor-lasso)=
# ### More candidates than equations
#
# With 2,000 candidates and 1,024 cells, least squares is not unique.
# The *Lasso* minimises half the sum of squared residuals plus a penalty $\mu f_x$ per share, and allows no negative shares {cite:p}`tibshirani1996lasso`.
# If $h = 1$ and no other string sets the $C$ cells of $x$, set the derivative by $f_x$ to 0: the share is the average of their $y_b$, less $\mu/C$, or 0 if this is negative.
# So the Lasso sets most shares to 0, and makes the others too small by the same amount.
# Use it to choose candidates, and least squares for their shares, as `decode` does.

# %%
LONG = SITE + [f"extra{i}.example" for i in range(1800)]
chosen, shrunk, mended = study.lasso(tally, LONG, truth=usual)
unit = "mean (estimate − truth) / error"
print(f"{chosen} chosen, 100 in use; pages above 1 %: {unit}")
told = f"Lasso {shrunk:+.1f}, then least squares {mended:+.1f}"
print(told.replace("-", "−"))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: both budgets, a million people, false discoveries, the Lasso"}
two = settings(2.0, 4.0, 2)
pair = [RAPPOR(bits=32, hashes=h, cohorts=32, **two) for h in (2, 1)]
check(
    "Settings",
    "both budgets are those asked for",
    all(abs(one.epsilon - 2) < 1e-9 and abs(one.lifetime_epsilon - 4) < 1e-9 for one in (home, pair[0])),
    control="numbers for two hash functions, used with one",
    caught=abs(pair[1].epsilon - 2) > 0.1,
)
far = (decoded.share - np.append(usual, np.zeros(100))) / decoded.error


def fits(far):
    """No deviation above 6 standard errors, and about 1 on average."""
    return np.abs(far).max() < 6 and 0.75 < sqrt(np.mean(far**2)) < 1.25


check(
    "Home pages",
    "200 deviations within 6 standard errors, root mean square 0.75 to 1.25",
    fits(far),
    control="standard errors twice as large, and half as large",
    caught=not fits(far / 2) and not fits(far * 2),
)
check(
    "Shrunk",
    "pages above 1 %: too small by the Lasso, not by least squares after it",
    shrunk < -1 < mended < 1,
    control="a tenth of the penalty",
    caught=study.lasso(tally, LONG, truth=usual, strength=0.16)[1] > -1,
)

# %% [markdown]
# (sec-rappor-wrong)=
# ## What can go wrong
#
# - *The client forgets.*
#   After a reinstallation, it spends $\varepsilon_\infty$ again.
# - *A popular string is missing from the list.*
#   Others then look popular; only large residuals reveal the gap ({ref}`sec-rappor-orr`).
#
# (sec-rappor-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 6 minutes)
# Let $h = 1$, $\varphi = \frac14$ and $p = \frac34$.
# Compute $\varepsilon_\infty$, $\varepsilon_1$ and $\varepsilon_2$.
# After how many reports would a client without memory exceed $\varepsilon_\infty$?
# :::
#
# :::{dropdown} Solution
# $\varepsilon_\infty = 2\ln 3 = 2.197$.
# One report has $\lambda = 3$ and $R = \frac{3\cdot 3+1}{3+3} = \frac53$, so $\varepsilon_1 = 2\ln\frac53 = 1.022$.
# Two reports have $\lambda = 9$ and $R = \frac{3\cdot 9+1}{9+3} = \frac73$, so $\varepsilon_2 = 2\ln\frac73 = 1.695$.
# Three reports without memory cost $3.065 > \varepsilon_\infty$.
# :::
#
# :::{admonition} Exercise 2 (code, 9 minutes)
# For a question asked once, write a client without the second coin, and estimate the shares of `LIST` from 5,000 people.
# What happens to the standard errors and the budget?
# :::
#
# :::{dropdown} Solution
# Send the permanent response itself, as O-RAPPOR does in {ref}`ch-unknown`: $p = 1$, so $p_1 = 1-\varphi = \frac34$.
# The factor $\sqrt{p_1(1-p_1)}/(2p_1-1)$ falls from 1.94 to 0.87.
# One report now costs $\varepsilon_\infty = 4.39$, as the memory does, instead of $\varepsilon_1 = 2.04$.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def once(x, rng):
    cohort = pick(range(COHORTS), rng)
    return cohort, remember(x, cohort, G, H, EPS, rng)


sent = [once(LIST[i], rng) for i in rng.choice(8, 5000, p=SHARES)]
told = server(*(np.array(part) for part in zip(*sent, strict=True)), LIST, COHORTS, H, 1 - PHI)
print("estimates:", ", ".join(f"{f:.2f}" for f in told[0]).replace("-", "−"))
both = server(cohort[:5000], bits[:5000], LIST, COHORTS, H, P1)
print(f"mean standard error: {both[1].mean():.3f} with two coins, {told[1].mean():.3f} with one")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 7 minutes)
# For a hundred candidates and one hash function, compare 128 bits in 4 cohorts with 8 bits in 64 cohorts: error, length of a report, and how well a person hides.
# :::
#
# :::{dropdown} Solution
# By {eq}`eq-rappor-crowd`, collisions multiply the variance by $1/(0.992\cdot 0.803) = 1.25$ and $1/(0.875\cdot 0.777) = 1.47$, so the standard errors are close.
# The short filter sends 8 bits instead of 128.
# With $\varphi = \frac14$, two people with the same string and cohort have the same permanent response with probability $0.625^8 = 0.023$, and practically never with 128 bits.
# But the cohort marks a person, too, and with 64 cohorts the groups are smaller.
# :::
#
# ## Summary
#
# - A filter with cohorts turns any string into bits; only the server needs a list.
# - The permanent response bounds the cost of all reports of a period; the second coin makes single reports cheaper and harder to link.
# - Keep it when the string changes: a new one tells when, at a cost without limit.
# - Corrected counts of ones are linear in the shares; least squares solves for them.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $g$ | number of slots of a hash function |
# | $C$ | number of cohorts (here only) |
# | $h$ | number of hash functions (here only) |
# | $\varphi$ | chance that a bit is flipped (here only) |
# | $p_1$ | chance that a bit of a report equals that of the filter (here only) |
# | $T$ | number of reports (here only) |
# | $\varepsilon_T$ | budget of $T$ reports together (here only) |
# | $\varepsilon_\infty$ | budget of the permanent response (here only) |
# | $\eta$ | half the log odds of $p$ (here only) |
# | $t$ | ones in $T$ reports (here only) |
# | $\lambda$ | ratio of probabilities for one remembered bit (here only) |
# | $R$ | the same for one bit of the filter (here only) |
# | $b$ | a cell: one bit of one cohort (here only) |
# | $X$ | cells × strings: 1 where a string sets a cell |
# | $n_b$ | reports of the cohort of cell $b$ |
# | $O_b$ | reports with a one at cell $b$ |
# | $y_b$ | corrected share at cell $b$ |
# | $\delta$ | change of shares (here only) |
# | $\omega_b$ | weight of a cell (here only) |
# | $L$ | number of candidates (here only) |
# | $z$ | standard errors that a discovery needs (here only) |
# | $\mu$ | penalty of the Lasso (here only) |
#
# Next, {ref}`ch-unknown` does without the list.
