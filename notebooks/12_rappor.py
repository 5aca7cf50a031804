# %% [markdown]
# (ch-rappor)=
# # RAPPOR and its family
#
# *After {cite:t}`ye2018survey` §4.1.1 and §4.1.2.*
#
# :::{admonition} In one minute
# Everybody has a string, say a home page; nobody has a list of all strings; and the question is asked again every day.
# RAPPOR hashes the string into a few bits, blurs them once and keeps the result, and blurs that afresh for every report.
# However often one asks, what is learnt about a value that stays the same has a ceiling; what is learnt about a value that changes has none.
#
# The client needs no list of strings, but the collector needs one to decode: shares come out of linear equations, one unknown for each string on the list, and a popular string that is missing from it spills into the others.
# Decoded from counts of bits, shares have a standard error of at least $\sqrt h$ times that of unary encoding at equal ε, with $h$ hash functions; one is best where there are cohorts enough.
# The relatives are the same idea with another noise (O-RR), or with fragments of the string on top, from which a list can be put together (RAPPOR-Unknown).
# :::
#
# :::{zh}
# 本章研究值域事先未知、且对同一用户反复询问的情形，对象是 RAPPOR 及其变体 O-RAPPOR、O-RR 与 RAPPOR-Unknown。
# RAPPOR 以布隆过滤器编码字符串，作一次永久性随机响应并予以保存，此后每次上报再作瞬时性随机响应。
# 本章给出 $T$ 份报告合计的精确 $\varepsilon_T$：值不变时，它以永久性随机响应的 $\varepsilon_\infty$ 为上限；值变化时没有这样的上限。
# 由各比特的计数解码时，在相同的 $\varepsilon$ 下，$h$ 个哈希函数使标准误差至少为一元编码的 $\sqrt h$ 倍；分组足够多时，一个哈希函数最优。
# 综述（叶青青等）对永久性与瞬时性随机响应、Lasso 解码、O-RR 的概率公式以及 O-RAPPOR 与 O-RR 误差界的论述均得到复现。
# “RAPPOR 须事先获得候选列表，而 O-RAPPOR 与 O-RR 不须”在条件下复现：三者收集报告时都不需要列表，给出各字符串的频率时都需要，不成立的是这一对比。
# RAPPOR-Unknown 的误差界在条件下复现：它适用于已成为候选的字符串；字符串要被发现，频率须达到 $1/(\varepsilon^2\sqrt n)$ 的量级，因为两份噪声相乘。
# :::
#
# You will meet a client with a memory, a theorem on what all of its reports together give away, the price of a Bloom filter, a million made-up home pages with the strings that are found and those that are missed, and a dictionary that is read off blurred fragments.
# From {ref}`ch-frequency` you need k-RR, unary encoding (SUE and OUE) and local hashing.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from itertools import combinations
from math import exp, log, sinh, sqrt, tanh

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.linear_model import Lasso

from ldpnb import GRR, ORR, OUE, RAPPOR, Tally, Unknown, discover, epsilon, law, laws, moments, pick, same_law, toss
from ldpnb.book import check, dots, line, recorded, settle, style, table
from ldpnb.strings import decode, one_time, position, threshold

style()
SEED = 2014  # the year of RAPPOR
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-rappor-question)=
# ## A home page, every day
#
# Which home pages do people have?
# The mechanisms of {ref}`ch-frequency` meet two obstacles here.
# Their clients know the list of items, and nobody has a list of all home pages.
# And their privacy is that of one report: who answers with ε on thirty days has spent $30\,\varepsilon$ in the end.
# {cite:t}`erlingsson2014rappor` remove both, for strings that stay the same.
#
# | symbol | meaning | in code |
# |---|---|---|
# | $n$ | number of people | `n` |
# | $s$, $S$ | a string; number of candidates, the strings on the collector's list | `items` |
# | $f_s$ | share of the people who have string $s$ | `truth` |
# | $w$ | length of a filter, in bits | `bits` |
# | $h$ | number of hash functions | `hashes` |
# | $C$ | number of cohorts | `cohorts` |
# | $\varphi$ | probability that a permanent bit is flipped; half of RAPPOR's parameter $f$ | `f / 2` |
# | $p$, $q$ | probability that a report has a 1 where the permanent bit is 0, and where it is 1 | `p`, `q` |
# | $p^*$, $q^*$ | the same, where the bit of the filter is 0, and where it is 1 | `support` |
# | $T$ | number of reports of one person | `reports` |
# | $\varepsilon_1, \varepsilon_T, \varepsilon_\infty$ | of one report, of $T$ reports, of any number | `exposure` |
# | $N_c$, $N_{cb}$, $y_{cb}$ | reports of cohort $c$; those with a 1 at bit $b$; the same, corrected | `counts` |
# | $\psi$ | probability that a bit for a fragment is flipped | |
# | $X$, $X_s$ | filters of the candidates, a row for each bit of each cohort; the column of string $s$ | `design` |
# | $X^+$ | pseudo-inverse of $X$ | |
# | $k$ | number of slots of O-RR, the domain of its k-RR | `k` |
# | $z$ | how many standard errors above 0 an estimate must be to count as found; grows with the list | `normal_z` |
# | $r$, $G$ | number of fragments that a client of RAPPOR-Unknown sends; number of positions of a string | `slots`, `positions` |
# | $\varrho$ | probability that two given positions are among the $r$ | `shown` |
#
# In this chapter $f_s$, with an index, is a share, and $f$ without one is RAPPOR's parameter.
# The letters $p$ and $q$ are those of the original paper; the survey has them the other way round.
# The survey writes $h$ for the length of a filter and $k$ for the number of candidates, and in O-RR also for the number of slots.
#
# (sec-rappor-filter)=
# ### Filters and cohorts
#
# Public hash functions turn a string, any string, into $w$ bits: each of $h$ functions names a bit, and the bits that are named are set.
# This is a *Bloom filter*.
# Two strings may share bits, or all of them.
# So people are divided into $C$ *cohorts* by lot, each with hash functions of its own: strings that coincide in one cohort are different in another.
# The cohort is drawn without looking at the string, and is public.


# %%
def bloom(string, cohort, width, hashes):
    """The bits that the hash functions of a cohort set."""
    on = {position(string, cohort, number, width) for number in range(hashes)}
    return tuple(bit in on for bit in range(width))


def remember(string, cohort, width, hashes, flip, rng):
    """The permanent response: each bit of the filter is flipped with this probability, once and for all."""
    return tuple(bit ^ toss(flip, rng) for bit in bloom(string, cohort, width, hashes))


def respond(permanent, p, q, rng):
    """One report: a fresh reading of the permanent response."""
    return tuple(toss(q if bit else p, rng) for bit in permanent)


# %% [markdown]
# The client draws its cohort and its permanent response once, keeps both, and from then on only calls `respond`.
# {numref}`fig-rappor-client` shows one person for three days.
# (`position` is the package's hash function, BLAKE2 of string, cohort and number.
# Instead of keeping the permanent response, a client may draw it each time from a secret key of its own and the string, as Chrome did {cite:p}`chromium2014rappor`.)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rappor-client", "caption": "A home page in RAPPOR, 32 bits and two hash functions; filled squares are ones. The same string has another filter in another cohort. The person is in cohort 0: its filter is blurred once (permanent response, φ = 1/4, kept by the client), and every day the result is blurred again (p = 1/4, q = 3/4). The collector sees the last three rows. On average they agree with the permanent response in three bits of four, with the filter and with one another in five of eight."}, "image": {"alt": "Six rows of 32 squares. The first two are filters of one string in cohorts 1 and 0, with two filled squares each, in different places. The third is the permanent response, with several filled squares. The last three are reports of three days, each of which agrees with it at most bits, but not at all of them."}}
PAGE = "weather.example"
sketch = np.random.default_rng(7)
kept = remember(PAGE, 0, 32, 2, 1 / 4, sketch)
rows = {
    "filter, cohort 1": bloom(PAGE, 1, 32, 2),
    "filter, cohort 0": bloom(PAGE, 0, 32, 2),
    "permanent": kept,
    "Monday": respond(kept, 1 / 4, 3 / 4, sketch),
    "Tuesday": respond(kept, 1 / 4, 3 / 4, sketch),
    "Wednesday": respond(kept, 1 / 4, 3 / 4, sketch),
}
fig, ax = plt.subplots(figsize=(6.4, 2.2))
for row, (name, bits) in enumerate(rows.items()):
    colour = "C0" if "filter" in name else "C4" if name == "permanent" else "C2"
    for bit, on in enumerate(bits):
        ax.add_patch(
            plt.Rectangle((bit + 0.1, -row - 0.9), 0.8, 0.8, fc=colour if on else "white", ec="gray", linewidth=0.7)
        )
ax.set(xlim=(-0.2, 32.2), ylim=(-6.1, 0.1))
ax.set_yticks(-np.arange(6) - 0.5, list(rows))
ax.set_xticks([])
ax.grid(visible=False)
ax.spines[:].set_visible(False)
ax.tick_params(length=0)
plt.show()

# %% [markdown]
# (sec-rappor-privacy)=
# ## What all reports together give away
#
# A bit of the filter goes through two noises in a row, so one report has a 1 with probability
#
# $$ q^* = (1-\varphi)\,q + \varphi\,p \quad\text{or}\quad p^* = \varphi\,q + (1-\varphi)\,p, $$ (eq-rappor-support)
#
# where the filter has a 1 or a 0.
# Of $T$ reports on one permanent response only the number $t$ of ones at each bit matters.
#
# :::{prf:theorem} ε of $T$ reports
# :label: thm-rappor-exposure
# Let $0 < \varphi < \frac12$ and $0 < p < q < 1$.
# A bit that has $t$ ones in $T$ reports speaks for a 1 in the filter rather than a 0 by the likelihood ratio
#
# $$ R_T(t) = \frac{(1-\varphi)\lambda + \varphi}{\varphi\lambda + 1-\varphi}, \qquad \lambda = \Big(\frac qp\Big)^{t}\Big(\frac{1-q}{1-p}\Big)^{T-t}. $$
#
# 1. Take two strings and a cohort, and let $m$ bits be set by the first one only, and $m'$ by the second one only.
#    The likelihood ratio of $T$ reports is at most $e^{mu + m'u'}$ with $u = \ln R_T(T)$ and $u' = -\ln R_T(0)$, and attains it.
# 2. So $T$ reports are $\varepsilon_T$-LDP with $\varepsilon_T = h\,(u + u')$, and no less where two strings have $h$ bits each and none in common in some cohort.
# 3. $\varepsilon_1 = h \ln\dfrac{q^*(1-p^*)}{p^*(1-q^*)}$; and $\varepsilon_T$ grows with $T$ towards $\varepsilon_\infty = 2h\ln\dfrac{1-\varphi}{\varphi}$, which is that of the permanent response itself.
# 4. $\varepsilon_T \le T\varepsilon_1$.
#
# With $p = 0$ and $q = 1$ the permanent response itself is sent, and $\varepsilon_T = \varepsilon_\infty$ for every $T \ge 1$.
# :::
#
# :::{prf:proof}
# In the order of the statements.
#
# 1. Given the filter the bits are independent, and so are the reports given the permanent response.
#    A sequence of $T$ readings with $t$ ones has probability $q^t(1-q)^{T-t}$ if the permanent bit is 1 and $p^t(1-p)^{T-t}$ if it is 0; their ratio is λ.
#    So a bit that only the first string sets contributes the factor $R_T(t)$, one that only the second sets $1/R_T(t)$, and a bit on which the filters agree contributes nothing.
#    As $\varphi < \frac12$ the fraction grows with λ, and λ grows with $t$; so the factors are largest at $t = T$ and at $t = 0$.
# 2. $m, m' \le h$, and $u, u' \ge 0$.
# 3. For $T = 1$ the fraction is $q^*/p^*$ at $t = 1$ and $(1-q^*)/(1-p^*)$ at $t = 0$.
#    As $T$ grows, λ goes to ∞ at $t = T$ and to 0 at $t = 0$, monotonically, and $u$ and $u'$ both to $\ln\frac{1-\varphi}{\varphi}$.
# 4. Write $\ln\lambda = 2\eta$; then $\frac12\ln R = \operatorname{artanh}\big((1-2\varphi)\tanh\eta\big)$, because two flips in a row multiply the hyperbolic tangents.
#    With $c = 1-2\varphi$ its derivative in η is $c/(1 + (1-c^2)\sinh^2\eta)$, which falls with $\lvert\eta\rvert$.
#    So for $\eta \ge 0$ it is concave with value 0 at 0, and a $T$-fold $\eta$ gives at most the $T$-fold; for $\eta \le 0$ the same with signs reversed.
#    At $t = T$ and at $t = 0$ the $\eta$ of $T$ reports is $T$ times that of one.
#
# For $p = 0$ and $q = 1$ all readings are the permanent bit itself: λ is ∞ or 0 for every $T$, and $R_T$ is $\frac{1-\varphi}{\varphi}$ or its inverse.
# :::
#
# The number of hash functions counts, not the length of the filter: somebody with another string has at most $2h$ other bits.
# (Erlingsson et al. have $\varepsilon_1$ and $\varepsilon_\infty$; $\varepsilon_T$ is what lies between.)
#
# The check reads laws off the functions above, for filters of two to four bits, strings with and without a common bit, and reports of up to three days.


# %% tags=["hide-input"]
FLIP, P, Q = 1 / 4, 1 / 2, 3 / 4


def days(string, cohort, count, rng, again, width, hashes):
    """Reports of some days; `again` draws a new permanent response every day."""
    kept, sent = None, []
    for _ in range(count):
        if kept is None or again:
            kept = remember(string, cohort, width, hashes, FLIP, rng)
        sent.append(respond(kept, P, Q, rng))
    return tuple(sent)


def pair_with(alone, width, hashes):
    """Two strings with these numbers of bits that only the first, only the second one sets in cohort 0."""
    on = {f"page{i}.example": set(np.flatnonzero(bloom(f"page{i}.example", 0, width, hashes))) for i in range(60)}
    return next((a, b) for a, b in combinations(on, 2) if (len(on[a] - on[b]), len(on[b] - on[a])) == alone)


def log_ratio(t, reports, flip=FLIP, p=P, q=Q):
    """ln R of the theorem."""
    odds = (q / p) ** t * ((1 - q) / (1 - p)) ** (reports - t)
    return log(((1 - flip) * odds + flip) / (flip * odds + 1 - flip))


def exposure(reports, hashes, flip=FLIP, p=P, q=Q):
    """ε of T reports, by the theorem."""
    return hashes * (log_ratio(reports, reports, flip, p, q) - log_ratio(0, reports, flip, p, q))


# bits that only the first, only the second string sets; length; hash functions; reports
TRIED = [((2, 2), 4, 2, 1), ((1, 1), 4, 2, 1), ((2, 1), 3, 2, 2), ((1, 1), 3, 2, 2), ((1, 1), 2, 1, 3)]


def exact_and_stated(alone, width, hashes, count, again=False):
    """ε of reports of some days for two such strings, from exact laws; and by the theorem."""
    strings = pair_with(alone, width, hashes)
    exact = laws(lambda x, rng: days(x, 0, count, rng, again, width, hashes), strings)
    u, v = log_ratio(count, count), -log_ratio(0, count)
    return epsilon(exact), max(alone[0] * u + alone[1] * v, alone[1] * u + alone[0] * v)


found = {key: exact_and_stated(*key) for key in TRIED}
exact_epsilon = max(abs(exact - stated) for exact, stated in found.values()) < 1e-12
anew = exact_and_stated((1, 1), 2, 1, 2, again=True)
check(
    "Theorem",
    "five pairs of strings and settings, one to three reports: ε as stated",
    exact_epsilon,
    control="a new permanent response on the second day",
    caught=abs(anew[0] - anew[1]) > 0.01,
)
shared, apart = found[TRIED[1]][0], found[TRIED[0]][0]
print(f"one report, two hash functions: no common bit ε = {apart:.4f}; with one common bit {shared:.4f}")


# %% [markdown]
# A shared bit protects: strings that have one of two bits in common are told apart by half as much.
# So for a given pair of strings the ε of the theorem is a bound; and it is the right number for the client, who does not know with which string theirs will be compared.
# The package's client draws the cohort as well, and has the same law.


# %% tags=["hide-input"]
def with_cohort(string, flip, rng):
    cohort = pick(range(2), rng)
    return cohort, respond(remember(string, cohort, 3, 2, flip, rng), P, Q, rng)


def as_package(flip):
    return same_law(lambda x, rng: with_cohort(x, flip, rng), CLIENT, ("a", "b", PAGE))


CLIENT = RAPPOR(bits=3, hashes=2, cohorts=2, f=2 * FLIP, p=P, q=Q)
check(
    "Same law",
    "remember, then respond, and the package's RAPPOR: two cohorts, three strings",
    as_package(FLIP),
    control="flips at f instead of f/2",
    caught=not as_package(2 * FLIP),
)

# %% [markdown]
# {numref}`fig-rappor-exposure` has the curve for $\varphi = \frac14$, $p = \frac12$, $q = \frac34$ and two hash functions, and for the clearer reports of $p = \frac14$.
# The second was a setting of Chrome's, with 128 cohorts, and with filters of 128 bits for some values and of 8 bits for what was collected from more people {cite:p}`chromium2014rappor`.


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rappor-exposure", "caption": "ε of T reports on one unchanged value, two hash functions, φ = 1/4. Lines: theorem. Markers: exact laws of one bit that is set and one that is not, taken twice for two hash functions. With a memory ε rises towards that of the permanent response (grey), within two weeks for p = 1/2 and q = 3/4, within a few days for the clearer reports. Without a memory it grows by the same amount every day."}, "image": {"alt": "Log-log plot of epsilon against the number of reports from 1 to 365. Two curves start at 1.1 and 2.0 and level off at the grey line of 4.4. Two straight lines from the same points rise beyond 100."}}
READINGS = {"p = 1/2, q = 3/4": (1 / 2, 3 / 4), "p = 1/4, q = 3/4": (1 / 4, 3 / 4)}
span = np.unique(np.geomspace(1, 365, 60).astype(int))
ceiling = 4 * log((1 - FLIP) / FLIP)


def one_bit(bit, count, p, q, rng):
    kept = bit ^ toss(FLIP, rng)
    return tuple(toss(q if kept else p, rng) for _ in range(count))


def bit_exposure(count, p, q):
    """ε of a bit that is 1 and one that is 0 against the other way round, from exact laws; times two for h = 2."""
    one, zero = laws(lambda bit, rng: one_bit(bit, count, p, q, rng), (True, False))
    ratios = [one[report] / zero[report] for report in one]
    return 2 * (log(max(ratios)) - log(min(ratios)))


shown_days = (1, 2, 3, 5, 8)
read_off = {(name, t): bit_exposure(t, *pq) for name, pq in READINGS.items() for t in shown_days}
fig, ax = plt.subplots()
for i, (name, (p, q)) in enumerate(READINGS.items()):
    ax.plot(span, [exposure(int(t), 2, FLIP, p, q) for t in span], **line(i), label=f"remembered, {name}")
    ax.plot(shown_days, [read_off[name, t] for t in shown_days], **dots(i))
    ax.plot(span, span * exposure(1, 2, FLIP, p, q), **line(i + 2), label=f"drawn anew, {name}")
ax.axhline(ceiling, color="gray", linewidth=1, linestyle="-", marker="")
ax.set(xscale="log", yscale="log", xlabel="reports T", ylabel="ε of all reports", ylim=(0.8, 110))
ax.set_xticks([1, 2, 5, 10, 30, 100, 365], ["1", "2", "5", "10", "30", "100", "365"])
ax.set_yticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
ax.minorticks_off()
ax.legend(loc="upper left", fontsize=10)
plt.show()

# %% tags=["hide-input"]
package_setting = RAPPOR(bits=32, hashes=2, cohorts=8, f=2 * FLIP, p=P, q=Q)


def curve_right(flip):
    """Whether the theorem, with this for φ, gives what was read off."""
    return all(abs(read_off[name, t] - exposure(t, 2, flip, *READINGS[name])) < 1e-9 for name, t in read_off)


check(
    "Curve",
    "exact laws of 1 to 8 reports, and the package's exposure up to 365, as in the theorem",
    curve_right(FLIP) and max(abs(package_setting.exposure(int(t)) - exposure(int(t), 2)) for t in span) < 1e-6,
    control="f in place of φ = f/2",
    caught=not curve_right(2 * FLIP),
)
print("T       " + "".join(f"{t:>8}" for t in (1, 2, 5, 20, 100)))
print("ε_T     " + "".join(f"{exposure(t, 2):8.3f}" for t in (1, 2, 5, 20, 100)))
print("T · ε_1 " + "".join(f"{t * exposure(1, 2):8.3f}" for t in (1, 2, 5, 20, 100)))
print(f"ε_∞ = {ceiling:.3f}; with 32 bits in place of 2 hash functions it would be {16 * ceiling:.1f}")

# %% [markdown]
# (sec-rappor-uncovered)=
# ### What the memory does not cover
#
# *A value that changes.*
# Each new value gets a permanent response of its own.
# Somebody who has had three home pages has spent up to $3\,\varepsilon_\infty$, and the change shows as well.
#
# *Values that follow from one another.*
# An age in days is a new value every day, but any day's value tells all the others.
# Then the reports are about one unknown and have independent permanent responses, and their ε can add up as if there were no memory: the steep lines of {numref}`fig-rappor-exposure`.
#
# *Who is who.*
# The permanent response protects the value, but it is itself a mark of the person.
# Two people with the same value and cohort have the same one with probability $\big(\varphi^2 + (1-\varphi)^2\big)^w$, which the next cell prints.
# ε is silent about this: it compares two values of one person, not two people.
# That is one use of the second noise: without it a person would send the same mark every day.
# It only delays recognition, so reports should travel without names and addresses, and be mixed with those of others.
# (The other use is an $\varepsilon_1$ far below $\varepsilon_\infty$; {ref}`sec-rappor-choose` is about that.)


# %% tags=["hide-input"]
def same_mark(bits):
    """Probability that two people with one value and cohort have the same permanent response, φ = 1/4."""
    return (FLIP**2 + (1 - FLIP) ** 2) ** bits


for bits in (8, 32, 128):
    print(f"{bits:>3} bits, φ = 1/4: the same permanent response with probability {same_mark(bits):.1g}")

# %% [markdown]
# (sec-rappor-printed)=
# ## What the survey prints
#
# For the permanent response of a bit $B_i$ the survey prints
#
# $$ \Pr[B'_i = x] = \begin{cases} \frac12 f, & x = 1\\ \frac12 f, & x = 0\\ 1-f, & x = B_i. \end{cases} $$
#
# The third case overlaps with one of the others, and where two cases fit they add up: these are three things that a client may do, set the bit, clear it or leave it, as {cite:t}`erlingsson2014rappor` describe it.
# The result is the permanent response with $\varphi = f/2$.


# %%
def three_moves(bit, f, rng):
    """Set, clear or leave the bit."""
    if toss(f, rng):
        return pick((True, False), rng)
    return bit


# %% tags=["hide-input"]
def flips_with(chance):
    """Whether the three moves with f = 1/2 are a flip with this probability."""
    return same_law(
        lambda bit, rng: three_moves(bit, 1 / 2, rng), lambda bit, rng: bit ^ toss(chance, rng), (True, False)
    )


moves_right = flips_with(1 / 4)
check(
    "Three moves",
    "f = 1/2: the bit is flipped with probability f/2",
    moves_right,
    control="flips with probability f",
    caught=not flips_with(1 / 2),
)

# %% [markdown]
# For the second noise the survey sets a bit that is 1 with probability $p$ and one that is 0 with $q$, the original the other way round.
# Whoever puts the numbers of one into the formulas of the other counts the zeros of the filters in place of their ones.
# The survey does not mention the number of hash functions, nor how ε follows from $f$, $p$ and $q$.
# So its $h$, the length, must not be put into $\varepsilon_\infty = 2h\ln\frac{1-\varphi}{\varphi}$ of the original: the last line printed below {numref}`fig-rappor-exposure` shows how far off that would be.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.rappor-permanent",
    holds={"flipped": moves_right},
)


def ones(permanent):
    """Probability that a report of one bit has a 1."""
    return float(law(lambda rng: respond((permanent(rng),), P, Q, rng)[0])[True])


both = [(bit, ones(lambda rng, b=bit: b), ones(lambda rng, b=bit: b ^ toss(FLIP, rng))) for bit in (True, False)]
settle(
    "ye2018.rappor-instantaneous",
    holds={
        "permanent": all(given == (Q if bit else P) for bit, given, _ in both),
        "filter": all(
            given == ((1 - FLIP) * Q + FLIP * P if bit else FLIP * Q + (1 - FLIP) * P) for bit, _, given in both
        ),
    },
)

# %% [markdown]
# (sec-rappor-count)=
# ## Counting needs a list
#
# The collector counts the ones of each bit in each cohort, and the reports of each cohort.
# With $N_{cb}$ ones at bit $b$ among the $N_c$ reports of cohort $c$ let
#
# $$ y_{cb} = \frac Cn\cdot\frac{N_{cb} - p^* N_c}{q^* - p^*}. $$ (eq-rappor-y)
#
# Let $X_s$ be the column of the $Cw$ bits that string $s$ sets in all cohorts, and $X$ the matrix of the columns of the candidates.
#
# :::{prf:theorem} Shares by least squares
# :label: thm-rappor-count
# Let everybody draw a cohort and one report independently.
#
# 1. $\E\,y = \sum_s f_s\,X_s$, the sum being over all strings that people have.
# 2. If the columns of $X$ are linearly independent and everybody has a candidate, $\hat f = X^+ y$ is unbiased.
#    A share $f_s$ of people whose string is not on the list adds $f_s\,X^+X_s$ to the mean of the estimate.
# 3. Among any $Cw + 2$ strings there are two different distributions with the same $\E\,y$.
#    With one hash function this is so among any $C(w-1)+2$, and then the laws of the reports are the same as well.
# :::
#
# :::{prf:proof}
# In the order of the statements.
#
# 1. A report is from cohort $c$ with probability $1/C$, and then has a 1 at bit $b$ with probability $p^* + (q^*-p^*)X_{cb,s}$.
# 2. $X^+X$ is the identity, and $X^+$ is linear.
# 3. The columns of the strings, with a row of ones below, are $Cw + 2$ vectors of dimension $Cw + 1$, so there is a $\delta \ne 0$ with $\sum_s \delta_s X_s = 0$ and $\sum_s \delta_s = 0$.
#    Add a small multiple of it to equal shares.
#    With one hash function the bits of each cohort sum to one, which leaves $C(w-1)+1$ dimensions, the row of ones included; and $\E\,y$ says how often each bit is the one that is set, which determines the law of a report.
# :::
#
# So a decoder that works on counts of bits, as the original's and ours, cannot do without a list: it can tell apart no more strings than there are counts.
# (With two hash functions or more, whole reports say more than counts: which bits are set together.
# The cell below has both ranks.)
# And no decoder can name what it finds: hash values have no names, whatever is estimated is a share of filters, and somebody has to say which strings to hash.
# The list is not needed before the reports are collected, and the client never sees it; it is needed when they are decoded, and one may try another list later, on the same counts.


# %% tags=["hide-input"]
tiny = RAPPOR(bits=3, hashes=1, cohorts=2, f=0.5, p=0.0, q=1.0)
LISTED, UNLISTED = ["a", "b"], "c"
mean, variance = moments(tiny, [*LISTED, UNLISTED], LISTED)
flat = tiny.filters([*LISTED, UNLISTED]).reshape(3, -1).T.astype(float)
spill = np.linalg.pinv(flat[:, :2]) @ flat[:, 2]
check(
    "Least squares",
    "two cohorts of three bits, exact law: unbiased for the list, X⁺Xₛ for a string s off it, variance as the package says",
    np.abs(mean[:2] - np.eye(2)).max() < 1e-12
    and np.abs(mean[2] - spill).max() < 1e-12
    and np.abs(variance - tiny.variance([*LISTED, UNLISTED], LISTED)).max() < 1e-9,
    control="nothing for the string off the list",
    caught=np.abs(mean[2]).max() > 0.01,
)
print(
    f"string off the list: {mean[2, 0]:.3f} and {mean[2, 1]:.3f} on average for each person who has it".replace(
        "-", "−"
    )
)


def twins(mechanism, count):
    """Differences of two distributions over so many strings in Xf and in f, if there are such with one mean of y."""
    x = mechanism.filters([f"page{i}.example" for i in range(count)]).reshape(count, -1).T
    rows = np.vstack([x, np.ones(count)])
    null = np.linalg.svd(rows)[2][-1]
    if np.abs(rows @ null).max() > 1e-9:
        return None
    step = null / np.abs(null).max() / count  # so that equal shares plus or minus a step are not negative
    return np.abs(x @ (2 * step)).max(), np.abs(2 * step).max()


def filters_of(bits, hashes, cohorts):
    return RAPPOR(bits=bits, hashes=hashes, cohorts=cohorts, f=0.5, p=0.0, q=1.0)


def ranks(mechanism, count):
    """Rank of the strings' filters, and of the laws of whole reports, which tell all different filters apart."""
    filters = mechanism.filters([f"page{i}.example" for i in range(count)])
    whole = [np.unique(filters[:, c], axis=0, return_inverse=True)[1] for c in range(mechanism.cohorts)]
    names = np.vstack([np.arange(count)[:, None] == own.ravel() for own in whole])
    return np.linalg.matrix_rank(filters.reshape(count, -1).astype(float)), np.linalg.matrix_rank(names.astype(float))


confused = [twins(filters_of(8, 2, 2), 18), twins(filters_of(6, 1, 5), 27)]
check(
    "No list",
    "18 strings in two cohorts of 8 bits, 27 in five of 6 with one function: two distributions, one mean of y",
    all(pair is not None and pair[0] < 1e-9 and pair[1] > 0.01 for pair in confused),
    control="one string less",
    caught=twins(filters_of(8, 2, 2), 17) is None and twins(filters_of(6, 1, 5), 26) is None,
)
for h, (by_counts, by_reports) in ((h, ranks(filters_of(8, h, 2), 18)) for h in (1, 2)):
    print(f"18 strings, two cohorts of 8 bits, h = {h}: rank {by_counts} by counts, {by_reports} by whole reports")

# %% [markdown]
# What is missing from the list does not disappear.
# Suppose that a tenth of the people have one string that nobody thought of, the others one of 50 candidates.
# The next cell has what it does to the estimates on average, exactly, for 16 cohorts of 32 bits and the mean of 30 such strings.

# %% tags=["hide-input"]
FIFTY = [f"page{i}.example" for i in range(50)]
for h in (1, 2):
    off = 10 * filters_of(32, h, 16).expected([f"news{i}.example" for i in range(30)], FIFTY)  # points, for a tenth
    least, most, together = off.min(1).mean(), off.max(1).mean(), off.sum(1).mean()
    print(
        f"h = {h}: the 50 estimates are off by {least:.2f} to {most:.2f} points, together by {together:.1f} "
        "of the 10 missing".replace("-", "−")
    )

# %% [markdown]
# Most of the missing tenth is shared out among the candidates, very unevenly: some gain more than a point, others lose half a point.
# If there are many unlisted strings and none of them is popular, their bits are spread evenly over the filter.
# Then one more unknown helps, a column that is the same for every bit; the package's decoder has it ({ref}`sec-rappor-million`).
# For a single popular string it does not help, since its bits are where they are.
#
# (sec-rappor-cost)=
# ## The price of the filter
#
# Compare RAPPOR with unary encoding, which has one bit for each item of a known list, at the same ε of one report.
# An estimate that is linear in $y$ is a mean over people of what each one's report contributes, its *score*.
# We measure noise for a *rare item*, one that hardly anybody has: there it is largest in proportion.
#
# :::{prf:theorem} What hash functions cost at least
# :label: thm-rappor-cost
# Let $\hat f_s = \omega\cdot y$ be unbiased whatever the shares of the candidates, and let ε be the $\varepsilon_1$ of {prf:ref}`thm-rappor-exposure`, which is the budget of one report unless no two strings have $2h$ different bits (if $w < 2h$, say).
# Then $n\Var\hat f_s$ is at least
#
# $$ \frac{1}{h\,\sinh^2(\varepsilon/2h)} \ge h\cdot\frac{1}{\sinh^2(\varepsilon/2)}, $$
#
# $h$ times the noise of a rare item of OUE; and if $p^* + q^* = 1$ it is at least
#
# $$ \frac{1}{4h\,\sinh^2(\varepsilon/4h)} \ge h\cdot\frac{1}{4\sinh^2(\varepsilon/4)}, $$
#
# $h$ times the noise of SUE.
# This holds for every person's score, and for any number of cohorts and any list.
# :::
#
# :::{prf:proof}
# If everybody has $s$ the mean of the estimate is $\omega\cdot X_s = 1$; since $X_s$ has at most $Ch$ ones, $1 \le \lVert\omega\rVert^2\,Ch$ by the inequality of Cauchy and Schwarz.
# A report of cohort $c$ has the score $C\sum_b \omega_{cb}\,(\text{bit}_b - p^*)/(q^*-p^*)$, and its bits are independent with variances of at least $\nu = \min\{p^*(1-p^*), q^*(1-q^*)\}$.
# So the variance of a score, averaged over cohorts, is at least $C\lVert\omega\rVert^2 \nu/(q^*-p^*)^2 \ge \frac1h\,\nu/(q^*-p^*)^2$.
# A bit has the odds ratio $\theta = e^{\varepsilon/h}$, by {prf:ref}`thm-rappor-exposure`.
# Given that, $p^*(1-p^*)/(q^*-p^*)^2$ is at least $4\theta/(\theta-1)^2 = 1/\sinh^2(\varepsilon/2h)$ by {prf:ref}`thm-oue`, and the same for $q^*(1-q^*)$ with ones and zeros exchanged.
# For $p^*+q^*=1$ both are $\sqrt\theta/(\sqrt\theta-1)^2 = 1/(4\sinh^2(\varepsilon/4h))$.
# Finally $\sinh(h\eta) \ge h\sinh\eta$ for $\eta \ge 0$.
# :::
#
# So from counts the standard error is at least $\sqrt h$ times as large, and more at large ε.
# (Estimates of another form can do better: those that also use that shares sum to one, where candidates are few, with RAPPOR and with unary encoding; and at large ε those from whole reports, in which two or more hash functions leave more than counts tell.)
#
# The bound does not say that one hash function is best for each list.
# A second function tells apart strings whose filters coincide, or nearly depend on each other, with one.
# Cohorts do the same, and cost no ε; so it is with few cohorts that a second function helps, mostly where there is no estimate at all with one, as printed below.
# With enough cohorts one is best, as in {numref}`fig-rappor-cost`.
#
# On top of this comes what the bits of other strings do.
# The bits of a cohort give about $w-1$ *equations*, since their sum is known but for noise.
# For filters drawn at random we found that the variance grows by about
#
# $$ \frac{1}{\big(1-\frac hw\big)\Big(1-\frac{S}{C(w-1)}\Big)}: $$ (eq-rappor-crowd)
#
# a part for chance hits within a cohort, and a part for the number of candidates in relation to that of the equations.
# This is a rule for small ε: the check confirms it for all markers of the figure, and what is printed below says how far it falls short at $\varepsilon = 2$ and 4, with short filters above all.
# {numref}`fig-rappor-cost` has both theorem and rule.


# %% tags=["hide-input"]
def rare_variance(mechanism, items, others=20):
    """Exact noise of candidates that nobody has, for people who have one of some others; None if the rank is short."""
    try:
        noise = mechanism.variance(items[:others], items)
    except ValueError:
        return None
    return float(noise[:, others:].mean())


def sue_noise(eps):
    return 1 / (4 * sinh(eps / 4) ** 2)


def least_factor(h, eps):
    """Standard error over SUE's, the bound of the theorem."""
    return sqrt(sinh(eps / 4) ** 2 / sinh(eps / 4 / h) ** 2 / h)


def crowded(h, width, cohorts, count):
    """The rule of thumb for the variance."""
    return 1 / ((1 - h / width) * (1 - count / (cohorts * (width - 1))))


def over_sue(width, cohorts, count, h, eps=1.0, others=10):
    """Standard error over SUE's, or None where there is no estimate."""
    listed = [f"page{i}.example" for i in range(count)]
    noise = rare_variance(one_time(bits=width, hashes=h, cohorts=cohorts, epsilon=eps), listed, others)
    return None if noise is None else sqrt(noise / sue_noise(eps))


HASHES = (1, 2, 4, 6, 8)
factor = {(h, eps): over_sue(64, 16, 50, h, eps, 20) for h in HASHES for eps in (1.0, 4.0)}
DESIGNS = {"8 bits": (8, 32), "32 bits": (32, 8), "64 bits": (64, 4)}  # length, cohorts
LOADS = (0.1, 0.3, 0.5, 0.7)
loaded = {}
for name, (width, cohorts) in DESIGNS.items():
    for h, load, eps in [(h, load, eps) for h in (1, 2) for load in LOADS for eps in (1.0, 2.0, 4.0)]:
        count = round(load * cohorts * (width - 1))
        loaded[name, h, load, eps] = over_sue(width, cohorts, count, h, eps), sqrt(crowded(h, width, cohorts, count))
upper = [(h, eps, exact, sqrt(crowded(h, 64, 16, 50))) for (h, eps), exact in factor.items()]
priced = upper + [(h, eps, *pair) for (_, h, _, eps), pair in loaded.items()]
confirmed = upper + [row for row in priced[len(upper) :] if row[1] == 1]


def above(bound):
    """Whether all exact errors are above the bound."""
    return all(exact > bound(h, eps) for h, eps, exact, _ in priced)


def as_priced(bound):
    """Whether the rule is confirmed within 5 % of bound times rule."""
    return all(abs(exact / bound(h, eps) / rule - 1) < 0.05 for h, eps, exact, rule in confirmed)


check(
    "Price",
    f"{len(priced)} designs: above the bound; {len(confirmed)} of them within 5 % of bound times rule of thumb",
    above(least_factor) and as_priced(least_factor),
    control="for the bound, h in place of √h; for the rule, ε in place of ε/h",
    caught=not above(lambda h, eps: sqrt(h) * least_factor(h, eps)) and not as_priced(lambda h, eps: 1 / sqrt(h)),
)
for eps in (1.0, 2.0, 4.0):
    far = {
        name: [a / b / least_factor(h, e) for (own, h, _, e), (a, b) in loaded.items() if (own, e) == (name, eps)]
        for name in DESIGNS
    }
    print(f"ε = {eps:g}, exact over rule at most: " + ", ".join(f"{max(x):.2f} with {name}" for name, x in far.items()))
short = {(w, eps): over_sue(w, 448 // w, 112 * (w - 1) // w, 1, eps) for eps in (1.0, 4.0) for w in (4, 8, 16, 32)}
for eps in (1.0, 4.0):
    each = ", ".join(f"{x:.2f} at {w} bits" for (w, e), x in short.items() if e == eps)
    print(f"ε = {eps:g}, h = 1, four equations a candidate, times SUE's: {each}")
for width, cohorts, count in ((64, 1, 20), (8, 4, 26), (64, 16, 20)):
    pairs = [
        [rare_variance(one_time(bits=width, hashes=h, cohorts=cohorts, epsilon=1.0), listed, 10) for h in (1, 2)]
        for listed in ([f"list{number}-page{i}.example" for i in range(count)] for number in range(40))
    ]
    none = [sum(pair[i] is None for pair in pairs) for i in (0, 1)]
    better = [two < one for one, two in pairs if None not in (one, two)]
    print(
        f"{width} bits, cohorts: {cohorts}; {count} candidates, 40 lists: no estimate in {none[0]} with h = 1, in {none[1]} "
        f"with h = 2; of the {len(better)} with both h = 2 is better in {sum(better)}"
    )

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rappor-cost", "caption": "Standard error of RAPPOR for a candidate that nobody has, over that of SUE at the same ε. Upper panel: against the number of hash functions; lines: bound of the theorem; markers: exact, 64 bits, 16 cohorts, 50 candidates. In this design every further hash function costs, and collisions of filters add a little. Lower panel: one and two hash functions at ε = 1, against the number of candidates per equation, for filters of different lengths with about the same number of equations; lines: rule of thumb, markers: exact. The number of candidates per equation matters most; eight bits cost a little more than 32 or 64."}, "image": {"alt": "Upper panel: two rising lines from 1 at one hash function to 2.9 and 3.3 at eight, markers up to an eighth above. Lower panel: two groups of curves, from 1.1 to about 1.9 for one hash function and from 1.5 to 2.6 or more for two, at 0.1 to 0.7 candidates per equation; 32 and 64 bits nearly coincide, 8 bits lie higher."}}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 7.2))
fine = np.linspace(1, 8, 50)
for i, eps in enumerate((1.0, 4.0)):
    axes[0].plot(fine, [least_factor(h, eps) for h in fine], **line(i), label=f"ε = {eps:g}")
    axes[0].plot(HASHES, [factor[h, eps] for h in HASHES], **dots(i))
axes[0].set(xlabel="hash functions h", ylabel="standard error / SUE's", ylim=(0, 4))
axes[0].legend()
for i, name in enumerate(DESIGNS):
    for h in (1, 2):
        ruled = [least_factor(h, 1.0) * loaded[name, h, load, 1.0][1] for load in LOADS]
        axes[1].plot(LOADS, ruled, **line(i), label=name if h == 1 else None)
        axes[1].plot(LOADS, [loaded[name, h, load, 1.0][0] for load in LOADS], **dots(i))
axes[1].annotate("h = 2", (0.4, 2.25), ha="center")
axes[1].annotate("h = 1", (0.4, 1.05), ha="center")
axes[1].set(xlabel="candidates per equation, S / C(w − 1)", ylabel="standard error / SUE's", ylim=(0.8, 3.2))
axes[1].legend(loc="upper left")
plt.show()

# %% [markdown]
# So, with a known list that is short enough to send one bit for each item, use unary encoding (or better, what {ref}`ch-frequency` says).
# Otherwise use one hash function, and enough cohorts to make four equations a candidate.
# At $\varepsilon = 1$ a filter of sixteen bits is then a fifth above the bound, and eight bits cost a little more; at $\varepsilon = 4$ thirty-two are better, as printed above.
# (The cohort is public and stays the same, so very many cohorts help to recognise people.)
#
# (sec-rappor-choose)=
# ## Choosing the numbers
#
# Two budgets are to be chosen, that of one report and that of a lifetime.
# For a given $h$, with $p + q = 1$ and $\varepsilon_1 < \varepsilon_\infty$, they determine $f$, $p$ and $q$: by the proof of {prf:ref}`thm-rappor-exposure` the hyperbolic tangents multiply, so that
#
# $$ \varphi = \frac{1}{e^{\varepsilon_\infty/2h}+1}, \qquad q - p = \frac{\tanh(\varepsilon_1/4h)}{\tanh(\varepsilon_\infty/4h)}. $$
#
# With $p + q = 1$ the noise of one report depends on $\varepsilon_1$ only.
#
# What does this find?
# A string is taken to be there if its estimate is $z$ standard errors above 0.
# With $S$ candidates and $z = \Phi^{-1}(1 - 0.05/S)$ a false alarm among all of them has a probability of at most 5 %, by the normal law; so $z$ grows with the list, slowly.
# A string whose share is $z$ standard errors is found every other time: we call this the *smallest share found*.
# The table is for a million people and one report each, 32 cohorts of 32 bits and four equations a candidate, with exact noise.


# %%
def settings(eps_one, eps_all, h=1):
    """RAPPOR's numbers for two budgets, with p + q = 1."""
    flip = 1 / (exp(eps_all / 2 / h) + 1)
    gap = tanh(eps_one / 4 / h) / tanh(eps_all / 4 / h)
    return {"f": 2 * flip, "p": (1 - gap) / 2, "q": (1 + gap) / 2}


# %% tags=["hide-input"]
def normal_z(count):
    """How many standard errors keep false alarms among so many candidates below 5 %."""
    return norm.isf(0.05 / count)


CROWDED = 32 * 31 // 4  # candidates
print(
    f"{CROWDED} candidates: z = {normal_z(CROWDED):.2f}; "
    + ", ".join(f"{s:,}: {normal_z(s):.2f}" for s in (10**4, 10**6))
)
BUDGETS = [(0.5, 2.0, 1), (1.0, 2.0, 1), (1.0, 4.0, 1), (1.0, 4.0, 2), (2.0, 4.0, 1), (2.0, 8.0, 1), (4.0, 8.0, 1)]
exact_errors = {
    (eps, h): over_sue(32, 32, CROWDED, h, eps) * sqrt(sue_noise(eps) / 10**6)
    for eps, h in sorted({(eps, h) for eps, _, h in BUDGETS})
}
rows = []
for eps_one, eps_all, h in BUDGETS:
    chosen, error = settings(eps_one, eps_all, h), exact_errors[eps_one, h]
    errors = f"{100 * error:.3f} %", f"{100 * normal_z(CROWDED) * error:.2f} %"
    rows.append((f"{eps_one:g}", f"{eps_all:g}", h, f"{chosen['f']:.3f}", f"{chosen['q']:.3f}", *errors))
heads = "ε of a report, of a lifetime, h, f, q = 1 − p, standard error, smallest share found"
made = {key: RAPPOR(bits=32, hashes=key[2], cohorts=64, **settings(*key)) for key in ((1.0, 4.0, 1), (2.0, 8.0, 2))}
swapped = RAPPOR(bits=32, hashes=1, cohorts=64, **settings(1.0, 4.0, 2))
check(
    "Settings",
    "both budgets of the package's RAPPOR are those asked for",
    all(abs(one.epsilon - key[0]) < 1e-9 and abs(one.lifetime_epsilon - key[1]) < 1e-9 for key, one in made.items()),
    control="numbers for two hash functions, used with one",
    caught=abs(swapped.epsilon - 1) > 0.1,
)
table(pd.DataFrame(rows, columns=heads.split(", ")))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
moved = {key: over_sue(*key, 50, 1, others=20) ** 2 for key in ((8, 16), (16, 16), (64, 16), (8, 128))}
settle(
    "ye2018.rappor-collisions",
    holds={
        "longer": 1.1 > moved[64, 16] < moved[16, 16] < moved[8, 16],
        "cohorts": 1.25 > moved[8, 128] < moved[8, 16],
    },
)
settle(
    "ye2018.rappor-parameters",
    holds={
        "factor": 2 * factor[1, 1.0] < factor[8, 1.0],
    },
)
settle(
    "ye2018.rappor-bits",
    holds={
        "bits": all(
            filters_of(width, 2, 4).perturb([PAGE], rng=sketch)["bits"].shape == (1, width) for width in (8, 32, 128)
        ),
    },
)
settle(
    "ye2018.rappor-list",
    holds={
        "confused": all(pair is not None and pair[0] < 1e-9 for pair in confused),
    },
)
zipf_fifty = (1 / np.arange(1, 51)) / (1 / np.arange(1, 51)).sum()


def counting_off(mechanism, chance):
    """Largest error, on average over people, of shares from counts of the string's own cells alone, fifty strings.

    One hash function; `chance` is the probability that another string has the same cell.
    """
    filters = mechanism.filters(FIFTY).reshape(50, -1).astype(float)
    own = filters @ (zipf_fifty @ filters) / mechanism.cohorts
    return np.abs((own - chance) / (1 - chance) - zipf_fifty).max()


few_bloom, few_slots = filters_of(32, 1, 16), ORR(k=32, cohorts=16, epsilon=1.0)
many_slots = ORR(k=32, cohorts=4000, epsilon=1.0)
print(
    "points by which counting alone is off, 50 strings, Zipf's law: "
    f"{100 * counting_off(few_bloom, 1 / 32):.1f} with RAPPOR, {100 * counting_off(few_slots, 1 / 32):.1f} with O-RR "
    f"in 16 cohorts; {100 * counting_off(many_slots, 1 / 32):.1f} in 4,000"
)
settle(
    "ye2018.rappor-regression",
    holds={
        "counting": counting_off(few_bloom, 1 / 32) > 0.01,
    },
)

# %% [markdown]
# (sec-rappor-million)=
# ## A million home pages
#
# Now a decoding in full, after the example in the paper of Erlingsson et al., who found home pages of Chrome's users.
# Ours are made up, under the reserved name `.example`.
# The collector's list has 200 hosts.
# A hundred of them are in use, with shares that fall like $1/\text{rank}$ (Zipf) and make nine tenths of a million people; the other tenth have one of 1,000 hosts that are on no list, each of them rare.
# Everybody reports once, with $\varepsilon_1 = 2$ and $\varepsilon_\infty = 4$, one hash function, 32 bits and 32 cohorts.

# %%
SITES = (
    "news mail weather bank shop game music films maps jobs books travel sport food garden chess radio photos code "
    "health school library museum trains flights hotels cars bikes houses pets forum wiki blog video comics poems "
    "recipes crafts science history"
).split()
HOSTS = [f"{site}{number}.example" for number in range(5) for site in SITES]
LONG = [f"{site}{number}.example" for number in range(50) for site in SITES]
USED = np.random.default_rng(SEED).permutation(len(HOSTS))[:100]
PEOPLE = 10**6


def population(missing=0.0):
    """Hosts and numbers of people; a host on no list may have a share of its own."""
    zipf = 1 / np.arange(1, 101)
    used = np.round((0.9 - missing) * PEOPLE * zipf / zipf.sum()).astype(np.int64)
    popular = round(missing * PEOPLE)
    rest = PEOPLE - used.sum() - popular
    tail = rest // 1000 + (np.arange(1000) < rest % 1000)
    names = [HOSTS[i] for i in USED] + [f"private{i}.example" for i in range(1000)] + ["start.example"]
    return names, np.concatenate([used, tail, [popular]])


names, people = population()
truth = dict(zip(names, people / PEOPLE, strict=True))
home = RAPPOR(bits=32, hashes=1, cohorts=32, **settings(2.0, 4.0))
values = np.repeat(np.array(names, object), people)
tally = home.tally(home.perturb(values, rng=rng))
decoded = decode(tally, HOSTS)
print(
    f"ε = {home.epsilon:.3f} a report, {home.lifetime_epsilon:.3f} for a lifetime; {len(set(values))} different hosts"
)
print(f"{decoded.cells} equations, {len(HOSTS)} candidates, rank {decoded.rank} with the column of the others")

# %% [markdown]
# `decode` does what {ref}`sec-rappor-count` asks for, in four steps.
#
# 1. If there are at most half as many candidates as equations, as here, all of them are kept.
#    Otherwise a *Lasso* with coefficients that must not be negative chooses some: least squares with a penalty on the sum of the coefficients, which makes most of them exactly 0 {cite:p}`tibshirani1996lasso`.
# 2. The kept candidates, and the column for everything else, are estimated by least squares, weighted with the inverse variances of the counts.
# 3. Standard errors come from the counts, and each candidate is tested against the share 0.
# 4. The number of tests is accounted for: with Bonferroni's rule a false alarm anywhere has a probability of at most 5 %, with that of {cite:t}`benjamini1995fdr` at most about 5 % of the discoveries are false, on average.
#
# {numref}`fig-rappor-hosts` has the result.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rappor-hosts", "caption": "A million home pages, ε = 2 a report. The 60 most frequent hosts in the order of their true shares (line), with estimates and 95 % intervals; filled: found with at most 5 % false discoveries; hollow: missed; estimates below 0.03 % are drawn at the lower edge. The frequent hosts are found, those below a few tenths of a per cent become a matter of luck."}, "image": {"alt": "Log-log plot of shares in per cent against rank 1 to 60. Filled circles with bars follow the falling line of the truth from 17 per cent at rank 1; from about rank 40 on bars are nearly as long as the shares, and near the end some circles are hollow."}}
place = {item: i for i, item in enumerate(decoded.items)}
top = [place[HOSTS[i]] for i in USED[:60]]
rank_axis = np.arange(1, 61)
estimate, bar = 100 * decoded.share[top], 196 * decoded.error[top]
look = {"color": "C1", "linestyle": "none", "marker": "o", "markersize": 4.5, "linewidth": 1}
fig, ax = plt.subplots()
ax.plot(rank_axis, [100 * truth[HOSTS[i]] for i in USED[:60]], **line(0), label="true share")
for seen, face, label in ((decoded.found[top], "C1", "found"), (~decoded.found[top], "white", "missed")):
    drawn = np.maximum(estimate[seen], 0.03)
    bars = [np.minimum(bar[seen], drawn - 0.02), bar[seen]]
    ax.errorbar(rank_axis[seen], drawn, bars, **look, markerfacecolor=face, label=label)
ax.set(xscale="log", yscale="log", xlabel="rank of the host", ylabel="share in %", ylim=(0.02, 30))
ax.set_xticks([1, 2, 5, 10, 20, 60], ["1", "2", "5", "10", "20", "60"])
ax.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
ax.minorticks_off()
ax.legend()
plt.show()

# %% tags=["hide-input"]
true_share = np.array([truth.get(item, 0.0) for item in HOSTS])
off = (decoded.share - true_share) / decoded.error
hits, misses = int((decoded.found & (true_share > 0)).sum()), int((decoded.found & (true_share == 0)).sum())


def errors_fit(off):
    """Whether deviations in standard errors are as they should be: none above 6, about 1 on average."""
    return np.abs(off).max() < 6 and 0.75 < sqrt(np.mean(off**2)) < 1.25


check(
    "Home pages",
    "200 estimates within 6 standard errors of the truth, root mean square 0.75 to 1.25 of them",
    errors_fit(off),
    control="standard errors twice as large, and half as large",
    caught=not errors_fit(off / 2) and not errors_fit(off * 2),
)
print(
    f"root mean square {sqrt(np.mean(off**2)):.2f} standard errors; 95 % intervals with the truth: {np.mean(np.abs(off) < 1.96):.0%}"
)
print(f"found: {hits} of 100 hosts in use, {misses} of 100 that nobody has")
print(f"median standard error: {100 * np.median(decoded.error):.3f} points")

# %% [markdown]
# (sec-rappor-lasso)=
# ### What the Lasso does to shares
#
# Now let the list have 2,000 hosts, twice as many as there are equations.
# Least squares alone have no answer; the Lasso has one, since it pays for every share it gives.
# The price is in the shares: a penalty of 1.645 standard errors, as `decode` has it to begin with, keeps a share about that far below what would fit best.
# Too small by that much is little for a share of 10 %, and two fifths of one of 0.4 %.
# The survey's decoder ends here, that of Erlingsson et al. fits the kept candidates again by least squares.


# %%
def lasso(items, strength, correct=True):
    """Shares by a Lasso with this penalty in standard errors, by least squares on what it keeps; standard error."""
    counts, reports = tally.counts[:, :-1], tally.counts[:, -1:]
    up, down = map(float, home.support) if correct else (1.0, 0.0)
    y, x = ((counts / reports - down) / (up - down)).ravel(), home.design(items).toarray()
    rate, squares = counts.sum() / reports.sum() / 32, 31  # 32 ones in 1,024 cells: squares of a column, less its mean
    error = sqrt(rate * (1 - rate) / reports.mean() / squares) / (up - down)
    own = Lasso(strength * error * squares / len(y), positive=True, tol=1e-4, max_iter=10_000).fit(x, y).coef_
    again, kept = np.zeros(len(items)), own > 0
    again[kept] = np.linalg.lstsq(np.column_stack([x[:, kept], np.ones(len(y))]), y)[0][:-1]
    return own, again, error


# %% tags=["hide-input"]
def lacking(items, own, again, error):
    """By how many standard errors shares are off at most, and too small on average above 1 %: Lasso, least squares."""
    lack = [(np.array([truth.get(item, 0.0) for item in items]) - shares) / error for shares in (own, again)]
    frequent = [truth.get(item, 0.0) > 0.01 for item in items]
    return np.abs(lack[0]).max(), lack[0][frequent].mean(), lack[1][frequent].mean()


long_fit, short_fit = lasso(LONG, 1.645), lasso(HOSTS, 1.645)
(worst, shrunk, mended), (worst_few, _, _) = lacking(LONG, *long_fit), lacking(HOSTS, *short_fit)
print(f"2,000 candidates: {(long_fit[0] > 0).sum()} kept; standard error {100 * long_fit[2]:.3f} points")
print(f"hosts above 1 %, too small by so many standard errors: Lasso {shrunk:.2f}, least squares after it {mended:.2f}")
print(f"largest error of the Lasso: {worst:.1f} standard errors; of 200 candidates: {worst_few:.1f}")
raw = lasso(HOSTS, 1.645, correct=False)
check(
    "Shrunk",
    "hosts above 1 %: shares are over one standard error too small by the Lasso, not by least squares after it",
    shrunk > 1 > abs(mended),
    control="a tenth of the penalty",
    caught=not lacking(HOSTS, *lasso(HOSTS, 0.1645))[1] > 1,
)
check(
    "Lasso",
    "200 and 2,000 candidates: all of the Lasso's own shares within 6 standard errors of the truth",
    max(worst, worst_few) < 6,
    control="counts that are not corrected",
    caught=lacking(HOSTS, *raw[:2], short_fit[2])[0] > 6,
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.rappor-lasso",
    holds={
        "few": worst_few < 6,
        "many": worst < 6,
    },
)

# %% [markdown]
# ### Found and missed, a hundred times
#
# One run is an anecdote.
# The next table repeats it a hundred times (with tallies drawn in their exact joint law, which is quicker than a million clients), and varies one thing at a time:
# Bonferroni's rule; two hash functions at the same ε; a list of 2,000 candidates, ten times as long, so that there are more unknowns than equations and the Lasso has to choose; the same with an *honest split*, where the Lasso chooses on every other cohort and the test uses the rest; no column for everything else; and a population in which 2 % of the people have a host that nobody listed.

# %% tags=["hide-input"]
VARIANTS = {
    "200 candidates": {},
    "Bonferroni": {"control": "bonferroni"},
    "Bonferroni, h = 2": {"control": "bonferroni"},
    "2,000 candidates": {},
    "2,000 candidates, split": {"split": True},
    "no column for others": {"others": False},
    "2 % on no list": {},
}
home_two = RAPPOR(bits=32, hashes=2, cohorts=32, **settings(2.0, 4.0, 2))


def one_round(seed, trial):
    """Discoveries of all variants: right ones, false ones."""
    stream = np.random.default_rng([seed, trial])
    drawn = {}
    for key, mechanism, missing in (("h = 1", home, 0.0), ("h = 2", home_two, 0.0), ("2 %", home, 0.02)):
        held, how_many = population(missing)
        batch = mechanism.simulate(how_many[how_many > 0], np.array(held, object)[how_many > 0], trials=1, rng=stream)
        drawn[key] = Tally(mechanism, batch.n, batch.counts[0])
    in_use, rows = {HOSTS[i] for i in USED}, {}
    for name, options in VARIANTS.items():
        key = "2 %" if "2 %" in name else "h = 2" if "h = 2" in name else "h = 1"
        now = decode(drawn[key], LONG if "2,000" in name else HOSTS, **options)
        hosts = {item for item, seen in zip(now.items, now.found, strict=True) if seen}
        rows[name] = [len(hosts & in_use), len(hosts - in_use)]
    return rows


def rounds(trials, seed):
    """The same for many rounds, right and false ones apart."""
    every = [one_round(seed, trial) for trial in range(trials)]
    return {name: np.transpose([row[name] for row in every]).tolist() for name in VARIANTS}


def by_normal_law(mechanism):
    """Hosts found with Bonferroni's rule, and smallest share found, by the exact noise of hosts that nobody has."""
    unused = [i for i, item in enumerate(HOSTS) if item not in truth]
    noise = mechanism.variance([HOSTS[i] for i in USED], HOSTS)[:, unused]
    error = sqrt(np.average(noise, axis=0, weights=used_share).mean() / PEOPLE)
    return norm.cdf(used_share / error - normal_z(len(HOSTS))).sum(), normal_z(len(HOSTS)) * error


repeated = recorded("ye2018.home-pages", rounds, parameters={"trials": 100, "seed": SEED})
first = one_round(SEED, 0)


def same_as(trial):
    """Whether the first round is what is stored for this one, in all variants."""
    return all([counts[trial] for counts in repeated[name]] == first[name] for name in VARIANTS)


check(
    "Recorded",
    "the first of the hundred rounds, computed again: the same discoveries, seven variants",
    same_as(0),
    control="the second round",
    caught=not same_as(1),
)
used_share = np.array([truth[HOSTS[i]] for i in USED])
summary, gaps, false_share = [], [], {}
for name, counts in repeated.items():
    hit, wrong = np.array(counts)
    false_share[name] = np.mean(wrong / np.maximum(hit + wrong, 1))
    alarms = np.mean(wrong > 0)
    summary.append(
        (name, f"{hit.mean():.1f}", f"{wrong.mean():.2f}", f"{100 * false_share[name]:.1f} %", f"{100 * alarms:.0f} %")
    )
    if "Bonferroni" in name:
        expected, smallest = by_normal_law(home_two if "h = 2" in name else home)
        gaps += [abs(hit.mean() - expected) < 2, alarms <= 0.1]
        print(f"{name}: by the normal law {expected:.1f} of 100 are found; smallest share found {100 * smallest:.2f} %")
check(
    "Rounds",
    "Bonferroni: a false one in at most 10 % of rounds, hosts found as by the normal law; rates: below 5 % of discoveries",
    all(gaps) and all(false_share[name] < 0.05 for name in VARIANTS if "candidates" in name),
    control="no column for others",
    caught=not false_share["no column for others"] < 0.05,
)
heads = ["decoding", "found of 100", "false discoveries", "of all discoveries", "rounds with one"]
table(pd.DataFrame(summary, columns=heads))

# %% [markdown]
# Bonferroni's rule finds half of the hosts that are in use, and seldom a false one, as it says; false discovery rates find three quarters.
# Two hash functions in place of one, at the same ε, cost a third of what is found.
# A list ten times as long costs a third as well, although it has more unknowns than equations.
# The Lasso keeps few enough candidates for least squares, and in these rounds the rate of false discoveries stays below 5 % although the same reports choose and test; the honest split does not depend on luck, and pays with half of the reports.
#
# What spoils the rate is what the model leaves out.
# Without the column for everything else the number of false discoveries nearly triples.
# And if 2 % of the people have a host that nobody listed, the number of false discoveries doubles.
# The tests do not show this, but the *residuals* do, which is what the fit leaves of the counts.
# The sum of their squares, each over its variance, is nearly $\chi^2$ if the model is right, with as many degrees of freedom as there are equations less unknowns; the next cell prints by how many standard deviations it is too large.
# So look at the residuals before you believe the tests.


# %% tags=["hide-input"]
def residuals(missing, trial, items):
    """By how many standard deviations the weighted squares of the residuals are too large, in a new round."""
    names, people = population(missing)
    some, stream = people > 0, np.random.default_rng([SEED, 1, trial])
    counts = home.simulate(people[some], np.array(names, object)[some], trials=1, rng=stream).counts[0]
    reports, (up, down) = np.repeat(counts[:, -1], 32), map(float, home.support)
    y = (counts[:, :-1].ravel() / reports - down) / (up - down)
    x, weight = np.column_stack([home.design(items).toarray(), np.ones(len(y))]), reports
    for _ in range(2):
        fitted = x @ np.linalg.solve(x.T @ (x * weight[:, None]), x.T @ (weight * y))
        mean = np.clip(down + (up - down) * fitted, down, up)
        weight = reports * (up - down) ** 2 / (mean * (1 - mean))
    free = len(y) - x.shape[1]
    return (weight @ (y - fitted) ** 2 - free) / sqrt(2 * free)


left = {}
for name, missing, more in (
    ("none missing", 0.0, []),
    ("2 % on no list", 0.02, []),
    ("2 % listed", 0.02, ["start.example"]),
):
    left[name] = five = [residuals(missing, trial, HOSTS + more) for trial in range(5)]
    print(f"{name}: {min(five):.1f} to {max(five):.1f} standard deviations too large, five rounds".replace("-", "−"))
check(
    "Residuals",
    "five rounds each: over 6 standard deviations too large where a popular host is missing, else never over 5",
    min(left["2 % on no list"]) > 6 and max(left["none missing"]) < 5,
    control="the missing host put on the list",
    caught=max(left["2 % listed"]) < 5,
)

# %% [markdown]
# (sec-rappor-orr)=
# ## Another noise: O-RAPPOR and O-RR
#
# {cite:t}`kairouz2016discrete` gave the open domain two more clients; the O in their names is for open.
# *O-RAPPOR* is a Bloom filter in a cohort with one-time noise, $p = 0$ and $q = 1$: RAPPOR that sends its permanent response.
# (The survey says that O-RAPPOR adds hashing and cohorts to RAPPOR, which had both, and that its perturbation is RAPPOR's, which has two noises in the survey; at equal $\varepsilon_1$ this makes no difference to the error if $p + q = 1$.)
# *O-RR* hashes the string into one of $k$ slots by the function of the cohort, and then applies k-RR.


# %%
def orr(string, cohorts, k, eps, rng):
    """A public cohort; the string's slot in it, through k-RR."""
    cohort = pick(range(cohorts), rng)
    slot = position(string, cohort, 0, k)
    if toss(exp(eps) / (exp(eps) + k - 1), rng):
        return cohort, slot
    return cohort, pick([other for other in range(k) if other != slot], rng)


# %% [markdown]
# :::{prf:theorem} O-RR
# :label: thm-rappor-orr
# 1. The joint law of cohort $c$ and reported slot $i$ is
#
#    $$ \Pr[c, i \mid s] = \frac{1}{C\,(e^\varepsilon+k-1)}\begin{cases} e^\varepsilon & i \text{ is the slot of } s,\\ 1 & \text{otherwise;}\end{cases} $$
#
#    given the cohort it is k-RR's, without the factor $1/C$.
#    The client is ε-LDP, exactly so where two strings have different slots in some cohort.
# 2. Two different strings share a slot of a cohort with probability $1/k$ if hash functions are ideal, and in all cohorts with probability $k^{-C}$.
# 3. No more than $C(k-1)+1$ candidates can be told apart, by expected counts or otherwise.
# :::
#
# :::{prf:proof}
# In the order of the statements.
#
# 1. The cohort is drawn without looking; it is public, and the factor cancels in every ratio.
# 2. Slots are uniform, and independent for different strings and cohorts.
# 3. The slots of each cohort sum to one, as in {prf:ref}`thm-rappor-count`; and a report is one slot, so that the expected counts are its law.
# :::
#
# The survey prints the joint law, and explains the factor by the cohort, which is right.
# It also says that with cohorts collisions become rarer, in the extreme case with probability $1/L$ for one string in different cohorts.
# Our text has an $L$ that occurs nowhere else; it must be $k$, and then the statement is true: one string has the same slot in two cohorts with probability $1/k$.
# But this is no collision that could do harm.
# What matters is that *different* strings collide: with probability $1/k$ in a cohort, however many cohorts there are, but in all of them only with probability $k^{-C}$.


# %% tags=["hide-input"]
def printed_orr(string, cohorts, k, eps):
    """The survey's formula, for all cohorts and slots."""
    weight = 1 / (cohorts * (k - 1 + exp(eps)))
    return {
        (c, i): weight * (exp(eps) if position(string, c, 0, k) == i else 1) for c in range(cohorts) for i in range(k)
    }


def agrees(one, probabilities):
    return all(abs(float(one.get(report, 0)) - chance) < 1e-12 for report, chance in probabilities.items())


joint = law(lambda rng: orr(PAGE, 3, 4, 1.0, rng))
inside = {(0, i): chance for (c, i), chance in printed_orr(PAGE, 3, 4, 1.0).items() if c == 0}
given_cohort = law(lambda rng: (0, orr(PAGE, 1, 4, 1.0, rng)[1]))
orr_epsilon = epsilon(laws(lambda x, rng: orr(x, 3, 4, 1.0, rng), ["a", "b", PAGE]))
check(
    "O-RR",
    f"three cohorts, four slots: the printed joint law, ε = {orr_epsilon:.6f}; the package's client is the same",
    agrees(joint, printed_orr(PAGE, 3, 4, 1.0))
    and abs(orr_epsilon - 1) < 1e-12
    and same_law(lambda x, rng: orr(x, 3, 4, 1.0, rng), ORR(k=4, cohorts=3, epsilon=1.0), ["a", "b", PAGE]),
    control="the printed law taken for that of the report given the cohort",
    caught=not agrees(given_cohort, inside),
)


def near(share, expected):
    """Within six standard errors, of 59,999 tries."""
    return abs(share - expected) < 6 * sqrt(expected * (1 - expected) / 59_999)


def collisions(k):
    """Shares: one string has one slot in two cohorts; two strings in one cohort; two strings in both of two cohorts."""
    slots = np.array([[position(f"page{i}.example", c, 0, k) for c in range(2)] for i in range(60_000)])
    same = slots[:-1] == slots[1:]
    return np.mean(slots[1:, 0] == slots[1:, 1]), same[:, 0].mean(), same.all(1).mean()


def as_eight(own, one, two):
    return near(own, 1 / 8) and near(one, 1 / 8) and near(two, 1 / 64)


own_twice, in_one, in_two = collisions(8)
print(f"k = 8: 1/k = {1 / 8:.3f}, 1/k² = {1 / 64:.4f}")
print(f"one string in two cohorts {own_twice:.3f}, two strings in a cohort {in_one:.3f}, in two cohorts {in_two:.4f}")
check(
    "Collisions",
    "60,000 strings: same slot as expected, for one string and for two",
    as_eight(own_twice, in_one, in_two),
    control="nine slots",
    caught=not as_eight(*collisions(9)),
)

# %% [markdown]
# How should $k$ and $C$ be chosen?
# With a cohort for everybody O-RR is local hashing of {ref}`ch-frequency`, of which we know the noise and the best number of slots, $e^\varepsilon+1$.
# With as many slots as strings it is k-RR, with collisions on top.
# {numref}`fig-rappor-orr` shows what lies between, for 64 candidates.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-rappor-orr", "caption": "O-RR for 64 candidates: standard error for a rare one over that of OUE, against the number of slots. Markers: exact, where the candidates can be told apart at all (64 cohorts of 2 slots, with 15 and 31, are off the scale); line: local hashing, which is a cohort for everybody (256 cohorts are drawn up to 16 slots); grey: k-RR on the 64 items. With 256 cohorts O-RR is close to local hashing. Few cohorts need more slots, and then lose precision at ε = 1; at ε = 3 they lose little. Of the numbers tried, fewer than 64 slots are best in both panels."}, "image": {"alt": "Two panels, epsilon 1 and 3, of standard error over OUE's from 0.9 to 4 against slots from 2 to 64 on a log axis. A line dips to 1 near 4 slots in the first and near 20 in the second panel; triangles for 256 cohorts lie on or just above it, squares for 64 and circles for 16 cohorts higher, above all at few slots."}}
SLOTS = (2, 3, 4, 6, 8, 16, 32, 64)
COHORTS = (16, 64, 256)
SIXTY_FOUR = [f"page{i}.example" for i in range(64)]


def hashing_noise(k, eps):
    """Local hashing with k slots and a hash function for everybody."""
    own = exp(eps) / (exp(eps) + k - 1)
    return (k - 1) / k**2 / (own - 1 / k) ** 2


orr_noise = {
    (eps, c, k): rare_variance(ORR(k=k, cohorts=c, epsilon=eps), SIXTY_FOUR)
    for eps in (1.0, 3.0)
    for c in COHORTS
    for k in SLOTS
    if c * k <= 4096  # more is as with fewer cohorts
}
oue = {eps: OUE(k=64, epsilon=eps).variance([0])[0, 1] for eps in (1.0, 3.0)}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 7.2), sharex=True)
fine = np.geomspace(2, 64, 60)
for ax, eps in zip(axes, (1.0, 3.0), strict=True):
    ax.plot(fine, [sqrt(hashing_noise(k, eps) / oue[eps]) for k in fine], **line(6), label="local hashing")
    for i, c in enumerate(COHORTS):
        some = [k for k in SLOTS if orr_noise.get((eps, c, k)) is not None]
        ax.plot(some, [sqrt(orr_noise[eps, c, k] / oue[eps]) for k in some], **dots(i), label=f"{c} cohorts")
    ax.axhline(sqrt(GRR(k=64, epsilon=eps).variance([0])[0, 1] / oue[eps]), color="gray", linewidth=1, linestyle="-")
    ax.set(xscale="log", ylabel=f"standard error / OUE's, ε = {eps:g}", ylim=(0.9, 4))
axes[1].set(xlabel="slots k")
axes[1].set_xticks(SLOTS, [f"{k}" for k in SLOTS])
axes[1].minorticks_off()
axes[0].legend(loc="upper right")
plt.show()

# %% tags=["hide-input"]
finite = [key for key, noise in orr_noise.items() if noise is not None]
for eps, c in [(eps, c) for eps in oue for c in COHORTS]:
    noise, k = min((orr_noise[key], key[2]) for key in finite if key[:2] == (eps, c))
    print(
        f"ε = {eps:g}, {c:>3} cohorts: of those tried {k:>2} slots are best, {sqrt(noise / oue[eps]):.2f} times OUE's"
    )
check(
    "Rank",
    f"64 candidates, {len(orr_noise)} designs: none with C(k − 1) + 1 < 64 has an estimate",
    all(c * (k - 1) + 1 >= 64 for _, c, k in finite) and len(finite) < len(orr_noise),
    control="Ck ≥ 64 taken for enough, 20 cohorts of 4 slots",
    caught=rare_variance(ORR(k=4, cohorts=20, epsilon=1.0), SIXTY_FOUR) is None,
)


def slope_of(make, sizes=(16, 48, 144)):
    """Exponent of the number of candidates in the sum of all standard errors, exact noise of rare candidates."""
    sums = [size * sqrt(rare_variance(make(size), [f"page{i}.example" for i in range(size)], 8)) for size in sizes]
    return np.polyfit(np.log(sizes), np.log(sums), 1)[0]


full = slope_of(lambda size: ORR(k=size, cohorts=4, epsilon=0.5))
lean = slope_of(lambda size: ORR(k=4, cohorts=size, epsilon=0.5))
bloomed = slope_of(lambda size: one_time(bits=8, hashes=1, cohorts=size // 2, epsilon=0.5))
off_scale = [sqrt(orr_noise[eps, 64, 2] / oue[eps]) for eps in oue]
print(f"64 cohorts of 2 slots: {off_scale[0]:.0f} and {off_scale[1]:.0f} times OUE's")
low = [
    sqrt(rare_variance(ORR(k=k, cohorts=c, epsilon=0.5), SIXTY_FOUR) / sue_noise(0.5)) for k, c in ((64, 64), (3, 256))
]
print(f"ε = 0.5, times SUE's: 64 slots in 64 cohorts {low[0]:.2f}, 3 slots in 256 cohorts {low[1]:.2f}")
print(f"O-RR, a slot for each candidate, 4 cohorts: the sum of errors grows like S^{full:.2f}")
print(f"O-RR, 4 slots, a cohort for each candidate: S^{lean:.2f}; O-RAPPOR, 8 bits, a cohort for two: S^{bloomed:.2f}")

# %% [markdown]
# So the bound of k-RR for the sum of all errors, $O(\sqrt{S^3}/(\varepsilon\sqrt n))$ in our letters, is O-RR's if it has as many slots as there are strings, which is how the survey describes it.
# With a few slots and many cohorts O-RR has that of RAPPOR.
# And in the matter of lists the three do not differ: clients and tallies of RAPPOR, O-RAPPOR and O-RR take any string, and whoever wants to name shares needs a list, with each of them.
# Where Table 4 has "list needed: yes" for RAPPOR and "no" for the other two, it divides what is alike.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.orr-law",
    holds={
        "joint": agrees(joint, printed_orr(PAGE, 3, 4, 1.0)),
        "private": abs(orr_epsilon - 1) < 1e-12,
    },
)
settle(
    "ye2018.orr-same-string",
    holds={"one-in-k": near(own_twice, 1 / 8)},
)
settle(
    "ye2018.cohorts",
    holds={
        "collide": near(in_one, 1 / 8) and near(in_two, 1 / 64),
        "less-noise": orr_noise[1.0, 16, 6] > orr_noise[1.0, 64, 6] > orr_noise[1.0, 256, 6],
    },
)
settle(
    "ye2018.orr-bound",
    holds={
        "full": abs(full - 1.5) < 0.1,
        "lean": abs(lean - 1) < 0.1,
    },
)
settle(
    "ye2018.orappor-bound",
    holds={"sum": abs(bloomed - 1) < 0.1},
)
settle(
    "ye2018.orr-counting",
    holds={
        "own-slots": counting_off(many_slots, 1 / 32)
        < 0.005
        < counting_off(many_slots, 0),  # without the correction for chance hits
    },
)
settle(
    "ye2018.orr-low-budget",
    holds={"noisier": low[0] > 1},
)


blank = tiny.tally(tiny.perturb(LISTED * 500, rng=rng))  # counted before anybody names a candidate


def within(listed, shares):
    """Whether the blank counts, decoded against a list, give these shares within six standard errors."""
    limit = 6 * np.sqrt(tiny.variance(LISTED * 500, listed).sum(0)) / blank.n
    return bool(np.all(np.abs(tiny.estimate(Tally(tiny, blank.n, blank.counts, tuple(listed))) - shares) < limit))


def takes_any(mechanism):
    """Whether client and tally take strings that are on no list."""
    return mechanism.tally(mechanism.perturb(["no list", "has these"], rng=rng)).n == 2


opened = takes_any(ORR(k=8, cohorts=4, epsilon=1.0)) and takes_any(one_time(bits=8, hashes=2, cohorts=4, epsilon=1.0))
settle(
    "ye2018.no-list",
    holds={
        "any-string": opened,
        "any-list": within(LISTED, 0.5) and within([*LISTED, UNLISTED], [0.5, 0.5, 0]),
        "rappor-differs": takes_any(package_setting) != opened,
    },
)

# %% [markdown]
# (sec-rappor-unknown)=
# ## A list from fragments
#
# Where does the collector's list come from, if not from elsewhere?
# {cite:t}`fanti2016unknown` get it from the same people; the survey calls their method *RAPPOR-Unknown*.
# A string is cut into *n-grams*, fragments of a fixed number of letters.
# There are too many strings to list, but so few fragments that each can have a bit of its own (our choice; they may go through Bloom filters as well).
# All strings are padded to one length, so that they have $G$ fragments each.
# A person draws $r$ of these positions without looking, two below, and reports the fragments there, and the string as a whole, which makes $r+1$ reports at $\varepsilon/(r+1)$ each: in this section ε is that of all of them together.


# %%
def fragments(string, gram):
    """The string cut into n-grams."""
    return [string[i : i + gram] for i in range(0, len(string), gram)]


def blurred(string, grams, gram, r, eps, rng, raw=False, length=2):
    """Positions, and privately the whole string and the fragments at the positions; all strings have one length."""
    part = eps / (r + 1)
    left, drawn = list(range(length // gram)), []
    for _ in range(r):
        drawn.append(left.pop(pick(range(len(left)), rng)))
    flip = 1 / (exp(part / 2) + 1)
    whole = remember(string, 0, 3, 1, flip, rng)
    own = [fragments(string, gram)[at] for at in sorted(drawn)]
    if raw:
        return tuple(sorted(drawn)), whole, tuple(own)
    return tuple(sorted(drawn)), whole, tuple(tuple((g == x) ^ toss(flip, rng) for g in grams) for x in own)


# %% [markdown]
# The survey says that the perturbed string, $r$ *substrings of the original string* and their positions are sent, and that ε is divided by $r+1$ for the string and the substrings.
# This is loosely put: that ε is divided, and a dash on the letter of the substrings, tell that they are perturbed too.
# Sent as they are, they would give the string away.
#
# :::{prf:theorem} RAPPOR-Unknown
# :label: thm-rappor-unknown
# 1. Let all strings have $G$ fragments.
#    With $\varepsilon/(r+1)$ for each report, all of them together are ε-LDP, exactly so where all fragments of two strings differ, and their filters have $h$ bits each and none in common in some cohort.
# 2. Let a person's bit for fragment $\alpha$ be flipped with probability $\psi$ and score $(\text{bit} - \psi)/(1-2\psi)$, and let $\varrho = \frac{r(r-1)}{G(G-1)}$ be the probability that two given positions are drawn.
#    The product of the scores of $\alpha$ at one position and $\beta$ at another, divided by $n\varrho$ and added up over the people who drew both, is unbiased for the share of people who have both.
#    Where hardly anybody has either, $n$ times its variance is $v^2/\varrho$ with $v = \psi(1-\psi)/(1-2\psi)^2$.
# :::
#
# :::{prf:proof}
# In the order of the statements.
#
# 1. The positions are public.
#    Given them, the reports have coins of their own, so their ratios multiply, and each is largest where fragments or filters differ.
# 2. Given the positions the bits of two fragments are independent, so the mean of the product is the product of the means, which is 1 for somebody who has both and 0 otherwise.
#    Its second moment is $v^2$ where both scores have mean 0, and $v^2\varrho/\varrho^2$ with the draw of positions.
# :::

# %% tags=["hide-input"]
GRAMS = ["a", "b"]
TWO = ["aa", "bb"]
spent = epsilon(laws(lambda x, rng: blurred(x, GRAMS, 1, 2, 3.0, rng), TWO))
leaked = epsilon(laws(lambda x, rng: blurred(x, GRAMS, 1, 2, 3.0, rng, raw=True), TWO))
own_length = epsilon(laws(lambda x, rng: blurred(x, GRAMS, 1, 2, 3.0, rng, length=len(x)), ["aa", "bbb"]))
parts = [
    epsilon(laws(lambda x, rng, part=part: part(blurred(x, GRAMS, 1, 2, 3.0, rng)), TWO))
    for part in (lambda sent: sent[1], lambda sent: sent[2][0], lambda sent: sent[2][1])
]
word = Unknown(alphabet="_ab", length=2, gram=1, slots=2, epsilon=3.0, bits=3, hashes=1, cohorts=1)
pair_mean, pair_variance = moments(word, ["ab"])
check(
    "Fragments",
    f"two letters, exact law: ε = {spent:.6f}; of string and fragments " + ", ".join(f"{x:.6f}" for x in parts),
    abs(spent - 3) < 1e-9 and all(abs(x - 1) < 1e-9 for x in parts),
    control="fragments sent as they are; positions drawn from each string's own length: ε = ∞",
    caught=leaked == np.inf and own_length == np.inf,
)
check(
    "Pairs",
    "the package's estimate of pairs of fragments: unbiased, variance as it says",
    np.abs(pair_mean - word.expected(["ab"])).max() < 1e-9
    and np.abs(pair_variance - word.variance(["ab"])).max() < 1e-6,
    control="the target of another word",
    caught=np.abs(pair_mean - word.expected(["ba"])).max() > 0.5,
)

# %% [markdown]
# From the pairs the collector puts strings together.
# Fragments are the nodes of a graph with one column for each position; two are joined if their pair stands out from the noise.
# A string is a *clique* with one node in each column.
# Not every such clique is a string that somebody has: three strings can lend one pair each.
# So the cliques are candidates only, and the reports on whole strings, which nobody has looked at so far, say which of them are real.
# The package's `discover` does both.
#
# The words below have six letters from an alphabet of eight, cut into pairs of letters; eight words make 76 % of 200,000 people, the others have one of some 2,000 random strings.
# Nobody says *rended*, but *render* lends it its first pair of fragments, *sanded* the second, and *rested* the outer one.


# %%
ALPHABET = "_adenorst"
WORDS = ["tender", "nested", "render", "rested", "sanded", "stored", "rester", "donate"]
SHARES = [0.20, 0.15, 0.12, 0.10, 0.08, 0.06, 0.04, 0.007]
letters = np.array(list(ALPHABET[1:]))
OTHERS = sorted({"".join(row) for row in letters[np.random.default_rng(SEED).integers(0, 8, (2000, 6))]} - set(WORDS))
speakers = 200_000
known = np.round(np.array(SHARES) * speakers).astype(int)
rest = np.arange(speakers - known.sum()) % len(OTHERS)
spoken = np.concatenate([np.repeat(WORDS, known), np.array(OTHERS)[rest]]).astype(object)

unknown = Unknown(alphabet=ALPHABET, length=6, gram=2, slots=2, epsilon=6.0, bits=32, hashes=1, cohorts=16)
heard = unknown.tally(unknown.perturb(spoken, rng=rng))
read = discover(heard)
candidates = list(read.items)
print(
    f"{len(OTHERS):,} other strings; a report: {unknown.report_bits} private bits; {len(unknown.pairs)} pairs of positions, {unknown.k} fragments each"
)
print(f"candidates: {', '.join(candidates)}")

# %% tags=["hide-input"]
spoken_share = dict(zip(WORDS, known / speakers, strict=True))
held_by = np.array([spoken_share.get(item, 0) for item in candidates])


def worst_off(shares):
    return np.abs((read.share - shares) / read.error).max()


check(
    "Dictionary",
    "the six most frequent words are candidates; all estimates within 6 standard errors; no ghost is found",
    set(WORDS[:6]) <= set(candidates) and worst_off(held_by) < 6 and not read.found[held_by == 0].any(),
    control="the shares in reverse order",
    caught=worst_off(held_by[::-1]) > 6,
)
words = [
    (item, held, f"{100 * share:.1f} % ± {196 * error:.1f}", "yes" if seen else "no")
    for item, held, share, error, seen in zip(candidates, held_by, read.share, read.error, read.found, strict=True)
] + [(word, share, "not a candidate", "no") for word, share in spoken_share.items() if word not in candidates]
table(
    pd.DataFrame(
        [(word, f"{100 * share:.1f} %", said.replace("-", "−"), seen) for word, share, said, seen in words],
        columns=["word", "true share", "estimate", "found"],
    )
)

# %% [markdown]
# How many people does it take?
# A pair that a share $f_{\alpha\beta}$ of the people have is found every other time if $f_{\alpha\beta}$ is $z$ standard errors, so that
#
# $$ n = \frac{z^2\,v^2}{\varrho f_{\alpha\beta}^2}. $$ (eq-rappor-people)
#
# The last lines below have it for the alphabet above, by the exact noise of somebody who has neither fragment, with the $z$ of the package's `threshold`: one pair too many is expected among all possible ones.


# %% tags=["hide-input"]
def people_needed(eps, share):
    """People for whom a pair with this share is z standard errors large: two of three positions are shown."""
    flip = 1 / (exp(eps / 3 / 2) + 1)
    v = flip * (1 - flip) / (1 - 2 * flip) ** 2
    return (threshold(unknown, 1.0) * v / share) ** 2 / (1 / 3)


def pair_noise(eps, r):
    """Exact noise of a pair that a person does not have, six positions."""
    small = Unknown(alphabet="_ab", length=6, gram=1, slots=r, epsilon=eps, bits=3, hashes=1, cohorts=1)
    return small.variance(["aaaaaa"])[0, 0, 2, 2]


by_package = unknown.variance(["tttttt"])[0, 0, 1, 1] * threshold(unknown, 1.0) ** 2
check(
    "People",
    "v²/ϱ is the package's noise of a pair that a person does not have",
    abs(by_package / people_needed(6.0, 1.0) - 1) < 1e-9,
    control="ε/r in place of ε/(r + 1)",
    caught=abs(by_package / people_needed(9.0, 1.0) - 1) > 0.1,
)
best_r = {eps: min(range(2, 7), key=lambda r, e=eps: pair_noise(e, r)) for eps in (1.0, 4.0, 8.0, 16.0)}
print("best number of fragments, six positions: " + ", ".join(f"{r} at ε = {eps:g}" for eps, r in best_r.items()))

print(f"z = {threshold(unknown, 1.0):.2f} for {len(unknown.pairs) * int(unknown.possible.sum()):,} pairs of fragments")
for share in (0.1, 0.02):
    counts = ", ".join(
        f"{float(f'{people_needed(eps, share) / 1000:.2g}'):,g} at ε = {eps:g}" for eps in (1.0, 2.0, 4.0, 6.0, 8.0)
    )
    print(f"thousands of people for a pair of {share:.0%}: {counts}")

# %% [markdown]
# At small ε the number grows like $((r+1)/\varepsilon)^4$, the square of what single shares need, because two noises are multiplied.
# So at the budgets at which shares are usually collected only very popular strings can be discovered in this way, and two fragments are the best number at every ε tried.
#
# Today one would not multiply noises: in *PEM* {cite:p}`wang2021pem` and *TreeHist* {cite:p}`bassily2017heavy` a report is about one prefix.
#
# For tables of several variables the survey names a further idea of the same authors, expectation maximisation (EM), which climbs to the joint distribution under which the reports are most likely.
# Two variables, with four and three values, through Bloom filters with half of $\varepsilon = 6$ each:


# %% tags=["hide-input"]
SIDE = one_time(bits=8, hashes=1, cohorts=8, epsilon=3.0)
NAMES = ["a0", "a1", "a2", "a3"], ["b0", "b1", "b2"]
JOINT = np.array([[0.20, 0.02, 0.03], [0.02, 0.15, 0.03], [0.05, 0.05, 0.20], [0.10, 0.10, 0.05]])
held = np.divmod(rng.choice(12, size=20_000, p=JOINT.ravel()), 3)
sides = [SIDE.perturb(np.array(names, object)[own], rng=rng) for names, own in zip(NAMES, held, strict=True)]
sample = np.bincount(3 * held[0] + held[1], minlength=12).reshape(4, 3) / 20_000


def climb(mechanism):
    """Largest error of joint shares after 150 rounds of EM with the laws of this mechanism."""
    (q, p), one_side = map(float, mechanism.support), []  # of each report under each value: people × values
    for names, sent in zip(NAMES, sides, strict=True):
        one = np.where(mechanism.filters(names)[:, sent["cohort"]], q, p)
        one_side.append(np.where(sent["bits"], one, 1 - one).prod(2).T)
    fitted = np.full((4, 3), 1 / 12)
    for _ in range(150):
        total = np.einsum("na,nb,ab->n", *one_side, fitted, optimize=True)
        fitted = fitted * (one_side[0].T @ (one_side[1] / total[:, None])) / 20_000
    return np.abs(fitted - sample).max()


joint_off = climb(SIDE)
check(
    "EM",
    "20,000 people: all twelve joint shares within 1.5 points",
    joint_off < 0.015,
    control="the likelihood at ε = 5 a variable",
    caught=climb(one_time(bits=8, hashes=1, cohorts=8, epsilon=5.0)) > 0.015,
)
print(f"largest error: {100 * joint_off:.1f} points")

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ye2018.unknown-format",
    holds={
        "private": abs(spent - 3) < 1e-9,
    },
)
settle(
    "ye2018.unknown-budget",
    holds={
        "thirds": all(abs(x - 1) < 1e-9 for x in parts) and abs(spent - 3) < 1e-9,
    },
)
settle(
    "ye2018.unknown-dictionary",
    holds={"found": set(WORDS[:6]) <= set(candidates)},
)
settle("ye2018.unknown-em", holds={"close": joint_off < 0.015})


def whole_over_rappor(r, eps=0.5):
    """Exact standard error of the shares of whole strings over that of RAPPOR with all of ε."""
    parts = Unknown(alphabet="_ab", length=6, gram=1, slots=r, epsilon=eps, bits=32, hashes=1, cohorts=8)
    alone = one_time(bits=32, hashes=1, cohorts=8, epsilon=eps)
    return sqrt(rare_variance(parts.whole, FIFTY) / rare_variance(alone, FIFTY))


def private_bits(r):
    """Length of what a client sends, positions and cohort not counted."""
    parts = Unknown(alphabet="_ab", length=6, gram=1, slots=r, epsilon=1.0, bits=32, hashes=1, cohorts=2)
    report = parts.perturb(["abba"], rng=rng)
    return report["bits"].size + report["grams"].size


smallest = {eps: threshold(unknown, 1.0) * sqrt(pair_noise(eps, 2) / 10**6) for eps in (0.5, 1.0)}
print(f"smallest share of a pair that is discovered, ε = 0.5 over ε = 1: {smallest[0.5] / smallest[1.0]:.1f}")
settle(
    "ye2018.unknown-bound",
    holds={
        "two-fragments": abs(whole_over_rappor(2) / 3 - 1) < 0.02,
        "five-fragments": abs(whole_over_rappor(5) / 6 - 1) < 0.02,
        "discovered": smallest[0.5] < 2.2 * smallest[1.0],
    },
)
settle(
    "ye2018.unknown-cost",
    holds={"pairs": len(unknown.pairs) * int(unknown.possible.sum()) > 10 * 16 * 32},
)
lengths = [private_bits(r) for r in range(2, 7)]
settle(
    "ye2018.unknown-bits",
    holds={"equal-steps": len(set(np.diff(lengths).tolist())) == 1},
)
settle(
    "ye2018.unknown-many",
    holds={
        "people": set(best_r.values()) == {2},
        "longer": bool(np.all(np.diff(lengths) > 0)),
    },
)

# %% [markdown]
# (sec-rappor-tables)=
# ## Tables 4 and 5, with notes
#
# Each cell has the survey's entry first, in our words and the survey's letters: $k$ for the number of strings, and also for the slots of O-RR; $h$ for the length of a filter; $d$ for the number of variables.
# An arrow is a correction; what is in brackets is a note, in our letters.
# Bounds are for the sum of the errors of all strings ({ref}`sec-onebit-bounds`).
#
# | | RAPPOR | O-RAPPOR | O-RR | RAPPOR-Unknown |
# |---|---|---|---|---|
# | list of candidates needed | yes (to decode, not to collect) | no → as RAPPOR | no → as RAPPOR | no (it is made from fragments, of frequent strings only) |
# | communication | $O(h)$ ($w$ bits) | $O(h)$ ($w$ bits) | $O(1)$ (one number, $\lceil\log_2 k\rceil$ bits) | $O(h) + O(r)$ ($w$ bits, and $r$ fragments) |
# | error | $k/(\varepsilon\sqrt n)$ (times $\sqrt h$ with $h$ hash functions, from counts) | $k/(\varepsilon\sqrt n)$ | $\sqrt{k^3}/(\varepsilon\sqrt n)$ (with few slots and many cohorts $S/(\varepsilon\sqrt n)$) | $k/(\varepsilon\sqrt n)$ in the text, $dk/(\varepsilon\sqrt n)$ in the table (times $r + 1$ at small ε, for strings that are found; to be found takes a share of the order $1/(\varepsilon^2\sqrt n)$) |
# | computation | high, a regression | high, a regression | low, counts only (with one hash function and many cohorts all three can do with counts; with few, all three take a regression) | high, matching of strings |
# | advantage | small error | hashing hides the list (so it does in RAPPOR) | hashing hides the list | no list needed |
# | drawback | parameters of the filter | parameters of the filter | little use at low budgets (with fewer slots and more cohorts close to SUE) | parameters of the filter; ε divided by $r + 1$ |
#
# (sec-rappor-errs)=
# ## Where the survey errs
#
# :::{admonition} Who needs a list
# :class: warning
# *Printed* (§4.1.1, Table 4): RAPPOR's collector has to gather a list of candidate strings beforehand, to count their frequencies; O-RAPPOR and O-RR, which work on hash values, need not know one in advance.
# *Right*: there is no such difference.
# The opening of §4.1.1 says of all methods that they count against a list; that is so for these two as well, and for none of the three is it needed before reports are collected.
# RAPPOR hashes too, and has cohorts.
# :::
#
# Two more phrases are loose rather than wrong: the permanent response as three cases that overlap ({ref}`sec-rappor-printed`), and fragments that are called substrings of the original string ({ref}`sec-rappor-unknown`).
#
# (sec-rappor-wrong)=
# ## What can go wrong
#
# - *Forgetting.* A client that draws a new permanent response, after a reinstallation for example, spends $\varepsilon_\infty$ again, and many of them average the noise away.
# - *A cohort that depends on the string*, or that is drawn anew for each report: the first is no longer public randomness, the second gives a string several filters, and each its own permanent response.
# - *Names on the envelope.* Reports that are collected with an address can be put together without any bits, and long permanent responses are addresses themselves.
# - *A missing candidate.* A popular string that is not on the list makes others look popular; residuals that are too large give it away.
# - *Reading the Lasso.* Its coefficients are too small, and it says nothing about chance.
#
# (sec-rappor-exercises)=
# ## An exercise
#
# :::{admonition} Exercise: short or long
# A hundred candidates, one hash function, $\varphi = \frac14$, $p = \frac12$, $q = \frac34$.
# Compare 128 bits with 4 cohorts to 8 bits with 64 cohorts: the error of one report, its number of bits, and how often two people with the same value in one cohort have the same permanent response.
# :::
#
# :::{dropdown} Solution
# The errors are close, and the short filters send a sixteenth of the bits and hide people better within a cohort.
# The cohort is a mark too: to hide among 300 people of one's own cohort takes 19,200 people with 64 cohorts, and 1,200 with 4.
# :::

# %% tags=["hide-input"]
HUNDRED = [f"page{i}.example" for i in range(100)]
for bits, cohorts in ((128, 4), (8, 64)):
    daily = RAPPOR(bits=bits, hashes=1, cohorts=cohorts, f=2 * FLIP, p=P, q=Q)
    ratio = sqrt(rare_variance(daily, HUNDRED) / sue_noise(daily.epsilon))
    print(
        f"{bits:>3} bits, {cohorts:>2} cohorts: standard error {ratio:.2f} times that of SUE at the same ε, "
        f"same permanent response with probability {same_mark(bits):.1g}"
    )

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-rappor-exposure`: ε of one, of $T$, of all reports | laws of the inline client, up to three reports; of one bit, up to eight |
# | {prf:ref}`thm-rappor-count`: least squares; what counts cannot tell apart | exact moments; two distributions with the same expected counts |
# | {prf:ref}`thm-rappor-cost`: the floor of the error, from counts, rises with $h$ | proof; exact noise of 82 designs |
# | {prf:ref}`thm-rappor-orr`: O-RR | law; ranks of 44 designs; 60,000 strings hashed |
# | {prf:ref}`thm-rappor-unknown`: ε and noise of fragments | laws; exact moments; a run from reports to words |
#
# Next: means.
