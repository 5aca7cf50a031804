# %% [markdown]
# (paper-ye2018)=
# # Survey on local differential privacy
#
# *A dossier on {cite:t}`ye2018survey`: every exhibit, in the paper's order; here §0 to §3.*
#
# On {ref}`other pages <ye2018-4>`: {ref}`Tables 2, 3 <ye2018-table-2>`, {ref}`4 <ye2018-table-4>`, {ref}`5 <ye2018-table-5>`, {ref}`6 <ye2018-table-6>`, {ref}`7 <ye2018-table-7>`; {ref}`Figs. 3 <ye2018-fig-3>`, {ref}`4 <ye2018-fig-4>`, {ref}`5 to 9 <paper-ye2018-experiments>`; {ref}`§5, §6 <paper-ye2018-challenges>`.
#
# The survey gave a young field one definition and two families of mechanisms, for frequencies and for means.
# It compared sixteen methods in tables, and listed what was still to be done.
#
# Nearly every formula for what a client sends is right, and so are the experiments, as far as words can be compared and but for one condition.
# {ref}`MeanEst <ye2018-meanest>` costs less than the survey says and spends all of ε on the vector; its coin is wrong for an even number of dimensions.
# We correct which budgets suit {ref}`RAPPOR and k-RR <ye2018-4-1-1-regime>`, where higher and lower are interchanged.
# Laplace noise and the exponential mechanism {ref}`do apply locally <ye2018-1-3-3>`.
# The error bounds of RAPPOR, k-RR and k-Subset hold for every ε, most others only for small ε.
# Most comparisons of two models or two methods hold under conditions that we compute.
#
# :::{account} ye2018
# :::
#
# Where the survey leaves a setting open, the ledger says which one we took.
# Our text has no figures and no numerical results to compare.
# Definitions, settings and slips of the pen are marked but not counted.
# What the survey says about laws, companies and data leaks gets no verdict.
#
# **Readings that are ours.**
# The survey numbers none of its formulas, and some signs in our text are damaged.
# - In {ref}`§1.2.1 <ye2018-wrr>`, $X_i$ is both the true answer of person $i$ and the answer that is given; we write $y_i$ for the second.
# - For {ref}`W-RR <ye2018-wrr>`, our text describes tails twice, the first time garbled; we take the second, which fits (a).
# - In {ref}`§1.3 (1) <ye2018-property-1>`, the data in Property 1 are one person's record, and the parts in Property 2 are different people's records.
# - In {ref}`§2 (b) and (d) <ye2018-2-b>`, an index $j$ is lost; we restore it from the source of the formulas {cite:p}`duchi2013local`.
#
# **Letters.**
# We write $y$ for a report, where the survey has $t^*$ and $Z_i$.
# $\pi$ is a share and $n_1$ a number of yes answers, as in the survey; our lessons write $f$ and $C_1$.
# We label formulas (a), (b), … section by section.
# “§0” is the introduction.
#
# **Lessons.**
# {ref}`ch-rr` teaches §1 and §2.
# {ref}`ch-frequency` and {ref}`ch-means` teach what §1.2.2 and §1.2.3 announce.
#
# **If you build on it.**
# - Take the laws from here and the constants from each method's source, and check the ε where the survey combines two.
# - State ε with every “cannot be stolen” ({ref}`§0 (c) <ye2018-0-c>`), and count all reports of a person ({ref}`Property 1 <ye2018-property-1>`).
# - Let nobody's answer determine their ε ({ref}`§1.3 (4) <ye2018-1-3-4>`).
# - Before you use an error bound, ask whether it bounds the largest error or the sum of all, and at which ε.
# - Choose by the variance in your own case, which can be computed exactly for every method of Tables 4 and 6 ({ref}`sec-freq-cross`, {ref}`sec-onebit-all`, {ref}`sec-rappor-cost`, {ref}`sec-means-compare`).

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import exp, isclose, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import FancyArrowPatch
from scipy.stats import binom

from ldpnb import SUE, HarmonyMean, MeanEst, SHist, minimax_risk
from ldpnb.chance import law, pick, toss
from ldpnb.verify import epsilon, laws, moments, one_person, same_law
from ldpnb_book import check, close, settle, style, table
from ldpnb_book.diagram import PLAIN, SAND, SKY, arrow, board, border, box

style()
SEED = 2018  # the year of the survey


# %%
def reply(answer, p, rng):
    """W-RR (§1.2.1): the truth on heads, the opposite on tails."""
    return answer if toss(p, rng) else 1 - answer


def heads(eps):
    """The p of W-RR for a privacy budget."""
    return exp(eps) / (1 + exp(eps))


def wrr(eps):
    return lambda answer, rng: reply(answer, heads(eps), rng)


# %% [markdown]
# (ye2018-0)=
# ## §0 Introduction
#
# (ye2018-0-a)=
# ### §0 (a) · No record affects the result of a query
#
# {badge}`Reproduced under conditions <ye2018.no-influence>` · Lesson: {ref}`sec-rr-trust`
#
# The survey explains differential privacy in one sentence: adding or removing any one record does not affect the result.
# A count $c$ with two-sided geometric noise is reported as $y$ with probability
#
# $$ \Pr[y \mid c] = \frac{1-e^{-\varepsilon}}{1+e^{-\varepsilon}}\; e^{-\varepsilon|y-c|}. $$
#
# If one more record makes the count $c+1$, each probability changes by a factor of $e^{\varepsilon}$ or $e^{-\varepsilon}$.
# So one record does affect the result, up to ε, as in the survey's Definition 1.
#
# (ye2018-0-b)=
# ### §0 (b) · Background knowledge
#
# {badge}`Reproduced <ye2018.background>` · Lesson: {ref}`sec-odds`
#
# The protection does not depend on what an attacker knows.
# All this knowledge is in the odds before the report, and Bayes' rule gives
#
# $$ \frac{\Pr[x \mid y]}{\Pr[x' \mid y]} = \frac{\Pr[y \mid x]}{\Pr[y \mid x']} \cdot \frac{\Pr[x]}{\Pr[x']}. $$
#
# The definition bounds the first factor on the right, whatever the second one is.
# For several reports of one person, the bound is the ε of all of them together.
#
# (ye2018-0-c)=
# ### §0 (c) · Two examples: crowdsourcing, and sensitive images
#
# {badge}`Example` images: {badge}`Reproduced under conditions <ye2018.transit>` · Lesson: {ref}`sec-deploy-hidden`
#
# *Crowdsourcing.*
# A person uploads pictures of houses between two places, day after day.
# With background knowledge, the places reveal where that person lives and works.
#
# *Images.*
# If images are perturbed on the user's side, the survey says, neither the collector nor an attacker on the way can steal what is private.
# We test this on images of four pixels, each pixel sent through W-RR with $\varepsilon/4$.
# The bytes on the way have exactly ε, so the sentence holds up to ε.
# At $\varepsilon = 2$, the best guess between two opposite images is right in 68 % of cases.
# With other mechanisms at this ε, it is right in up to 88 %.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §0: 1 reproduced, 2 reproduced under conditions"}
OUTPUTS = np.arange(-60, 61)


def geometric(count, eps, outputs=OUTPUTS):
    """Law of a count with two-sided geometric noise, at these outputs."""
    return np.tanh(eps / 2) * np.exp(-eps * np.abs(outputs - count))


def ratio_of_counts(one, other, eps):
    return float(np.abs(np.log(geometric(one, eps) / geometric(other, eps))).max())


settle(
    "ye2018.no-influence",
    {"up-to-epsilon": ratio_of_counts(4, 5, 1.0) <= 1 + 1e-9, "to-the-letter": ratio_of_counts(4, 5, 1.0) < 1e-9},
    control=(
        "two records more; none more",
        ratio_of_counts(4, 6, 1.0) > 1.5 and ratio_of_counts(4, 4, 1.0) < 1e-9,
    ),
)


def krr(k, eps):
    """k-RR: the truth with probability e^ε/(e^ε + k − 1), else any other value."""
    keep = exp(eps) / (exp(eps) + k - 1)
    return lambda x, rng: x if toss(keep, rng) else pick([y for y in range(k) if y != x], rng)


PRIORS = np.random.default_rng(SEED).dirichlet(np.ones(4), size=200)


def change_of_odds(client):
    """Largest change of the logarithm of any odds: 200 priors over four values, any report."""
    found = laws(client, range(4))
    matrix = np.array([[float(one[y]) for y in found[0]] for one in found])
    after = PRIORS[:, :, None] * matrix / (PRIORS @ matrix)[:, None, :]
    return float(np.ptp(np.log(after / PRIORS[:, :, None]), axis=1).max())


def twice(client):
    """Two reports of one person; the second may follow from the first."""
    return lambda x, rng: (first := client(x, rng), client((x + first) % 4, rng))


def bits_of_code(x, rng):
    """Two bits of the value, each through W-RR with ε/2."""
    return tuple(reply(x >> i & 1, heads(1 / 2), rng) for i in range(2))


settle(
    "ye2018.background",
    {
        "odds": max(change_of_odds(krr(4, 1.0)), change_of_odds(bits_of_code)) <= 1 + 1e-9,
        "two-reports": change_of_odds(twice(krr(4, 0.5))) <= 1 + 1e-9,
    },
    control=(
        "ε = 1.1; two reports with ε = 1 each",
        min(change_of_odds(krr(4, 1.1)), change_of_odds(twice(krr(4, 1.0)))) > 1.05,
    ),
)
IMAGES = list(product((0, 1), repeat=4))


def sent(each):
    """The bytes of an image of four pixels, each through W-RR with this budget."""
    return lambda image, rng: bytes(reply(pixel, heads(each), rng) for pixel in image)


def best_guess(client, pair=(0, 1)):
    """How often the best guess between two inputs is right, given the report."""
    a, b = laws(client, pair)
    return float(sum(max(a.get(y, 0), b.get(y, 0)) for y in a.keys() | b.keys()) / 2)


opposite = best_guess(sent(0.5), (IMAGES[0], IMAGES[-1]))
print(
    f"best guess at ε = 2: {opposite:.0%} between two opposite images, {best_guess(wrr(2.0)):.0%} by W-RR on one answer"
)
settle(
    "ye2018.transit",
    {"up-to-epsilon": isclose(epsilon(laws(sent(0.5), IMAGES)), 2, abs_tol=1e-9), "to-the-letter": opposite <= 0.5},
    control=(
        "ε for each pixel; ε = 0",
        epsilon(laws(sent(2.0), IMAGES)) > 7.9 and best_guess(sent(0.0), (IMAGES[0], IMAGES[-1])) == 0.5,
    ),
)
close("ye2018", "§0", "1 reproduced, 2 reproduced under conditions")

# %% [markdown]
# (ye2018-1)=
# ## §1 Basics
#
# (ye2018-1-1)=
# ## §1.1 The definition
#
# (ye2018-def-1)=
# ### Definition 1 · ε-local differential privacy
#
# {badge}`Definition` the range: {badge}`Slip · certain` · Lesson: {ref}`sec-rr-privacy`
#
# Each of $n$ users has one record.
# An algorithm $M$ is ε-locally private if, for any two records $t$, $t'$ of its domain and any output $t^*$,
#
# $$ \Pr[M(t) = t^*] \le e^\varepsilon \Pr[M(t') = t^*]. $$
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $M(t) = t^*$ with $t^* \subseteq \operatorname{Ran}(M)$ | $M(t) = t^*$ with $t^* \boxed{\in} \operatorname{Ran}(M)$ |
# |  | or $M(t) \boxed{\in} t^*$ with $t^* \subseteq \operatorname{Ran}(M)$ |
#
# :::
#
# With finitely many outputs the two readings are one, because the probability of a set is a sum:
#
# $$ \begin{aligned}
# \Pr[M(t) \in S] &= \sum_{y \in S} \Pr[M(t) = y] \\
# &\le e^\varepsilon \sum_{y \in S} \Pr[M(t') = y].
# \end{aligned} $$
#
# A continuous output has probability 0 at every single value, so it needs sets.
#
# (ye2018-1-1-a)=
# ### Claim · An output hardly tells the record
#
# {badge}`Reproduced under conditions <ye2018.inference>` · Lesson: {ref}`sec-odds`
#
# The best guess between two equally likely records is right with probability $e^\varepsilon/(1+e^\varepsilon)$ at most, and W-RR attains it.
# At $\varepsilon = 0.1$ that is 52 %, at $\varepsilon = 5$ it is 99 %.
# So “hardly” depends on ε.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §1.1: 1 reproduced under conditions"}
settle(
    "ye2018.inference",
    {"small-epsilon": best_guess(wrr(0.1)) <= 0.55, "large-epsilon": best_guess(wrr(5.0)) <= 0.55},
    control=("truthful in 60 % at any ε", best_guess(lambda x, rng: reply(x, 0.6, rng)) > 0.55),
)
four = laws(krr(4, 1.0), range(4))
SETS = [chosen for size in range(1, 5) for chosen in combinations(range(4), size)]


def by_sets(found):
    """ε of laws over all sets of outputs."""
    return max(log(sum(a[y] for y in s) / sum(b[y] for y in s)) for s in SETS for a in found for b in found)


check(
    "Definition 1",
    "k-RR, k = 4: single outputs and all sets of outputs give one ε",
    isclose(by_sets(four), epsilon(four), abs_tol=1e-9),
    control="sets of k-RR at ε = 1.01",
    caught=not isclose(by_sets(laws(krr(4, 1.01), range(4))), epsilon(four), abs_tol=1e-9),
)
close("ye2018", "§1.1", "1 reproduced under conditions")

# %% [markdown]
# (ye2018-1-2)=
# ## §1.2 How data are perturbed
#
# (ye2018-1-2-1)=
# ## §1.2.1 Randomized response
#
# Lesson for all of §1.2.1: {ref}`ch-rr`.
#
# (ye2018-wrr)=
# ### W-RR · Warner's randomized response
#
# {badge}`Definition` · Lesson: {ref}`sec-rr-reply`
#
# The survey asks $n$ users whether they have AIDS {cite:p}`warner1965randomized`.
# Each tosses a coin that shows heads with probability $p$.
# On heads the user tells the truth, on tails the opposite.
# Let $\pi$ be the share of users whose true answer is yes.
#
# (ye2018-1-2-1-a)=
# ### §1.2.1 (a) · How often each answer is given
#
# {badge}`Reproduced <ye2018.wrr-law>` · Lesson: {ref}`sec-rr-estimate`
#
# $$ \begin{aligned}
# \Pr[y_i = \text{yes}] &= \pi p + (1-\pi)(1-p), \\
# \Pr[y_i = \text{no}] &= (1-\pi)p + \pi(1-p).
# \end{aligned} $$
#
# (ye2018-1-2-1-b)=
# ### §1.2.1 (b) · The share of yes has to be corrected
#
# {badge}`Reproduced <ye2018.wrr-raw>`
#
# The survey says that the share of yes is not an unbiased estimate.
# By (a) its bias is
#
# $$ \begin{aligned}
# \E\frac{n_1}{n} - \pi &= \pi p + (1-\pi)(1-p) - \pi \\
# &= (1-p) - 2\pi(1-p) \\
# &= (1-p)(1-2\pi),
# \end{aligned} $$
#
# which is 0 only if $\pi = \frac12$ or the coin always shows heads.
#
# (ye2018-1-2-1-c)=
# ### §1.2.1 (c) · The likelihood
#
# {badge}`Definition`
#
# If $n_1$ users answer yes, and users are drawn at random,
#
# $$ \begin{aligned}
# L = {} & [\pi p + (1-\pi)(1-p)]^{n_1} \\
# & \times [(1-\pi)p + \pi(1-p)]^{\,n-n_1}.
# \end{aligned} $$
#
# (ye2018-1-2-1-d)=
# ### §1.2.1 (d) · Where the likelihood is largest
#
# {badge}`Reproduced under conditions · convention <ye2018.wrr-mle>`
#
# Let $w = \pi p + (1-\pi)(1-p)$, so that $L = w^{n_1}(1-w)^{n-n_1}$ and $\frac{dw}{d\pi} = 2p-1$:
#
# $$ \begin{aligned}
# \frac{d\ln L}{d\pi} &= (2p-1)\Big(\frac{n_1}{w} - \frac{n-n_1}{1-w}\Big) \\
# &= (2p-1)\,\frac{n_1 - nw}{w(1-w)}.
# \end{aligned} $$
#
# For $p \ne \frac12$ the derivative is zero where $w = n_1/n$; as $w$ grows, the likelihood rises up to there and falls beyond.
# Solving $w = (1-p) + (2p-1)\pi$ for $\pi$ gives what is printed:
#
# :::{table}
# :class: beside
#
# | Printed | Right for a share between 0 and 1 |
# |---|---|
# | $\displaystyle \hat\pi = \frac{p-1}{2p-1} + \frac{n_1}{(2p-1)n}$ | the same, $\boxed{\text{brought back to } [0, 1]}$ |
#
# :::
#
# If $n_1/n$ lies outside $[1-p, p]$, the printed value is not a share.
# The likelihood over $[0, 1]$ is then largest at the nearer end.
# Many authors call the printed value the maximum-likelihood estimate, so the grade is a convention.
#
# (ye2018-1-2-1-e)=
# ### §1.2.1 (e) · Its expectation
#
# {badge}`Reproduced <ye2018.wrr-unbiased>` the middle step: {badge}`Slip · certain`
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $\displaystyle \E\hat\pi = \frac{1}{2p-1}\Big[p-1+\frac1n\sum_i X_i\Big]$ | $\displaystyle \E\hat\pi = \frac{1}{2p-1}\Big[p-1+\frac1n\sum_i \boxed{\E y_i}\Big]$ |
#
# :::
#
# Yes counts as 1 and no as 0.
# The rest is right: by (a),
#
# $$ \begin{aligned}
# \E\hat\pi &= \frac{p-1+\pi p+(1-\pi)(1-p)}{2p-1} \\
# &= \frac{\pi\,(2p-1)}{2p-1} = \pi.
# \end{aligned} $$
#
# This holds for the printed value; brought back to $[0, 1]$, it is biased.
#
# (ye2018-1-2-1-f)=
# ### §1.2.1 (f) · The number of people
#
# {badge}`Reproduced <ye2018.wrr-count>`
#
# $$ N = \hat\pi\, n = \frac{p-1}{2p-1}\,n + \frac{n_1}{2p-1}. $$
#
# (ye2018-1-2-1-g)=
# ### §1.2.1 (g) · The privacy budget
#
# {badge}`Reproduced under conditions <ye2018.wrr-epsilon>` · Lesson: {ref}`sec-rr-privacy`
#
# $$ \varepsilon = \ln\frac{p}{1-p}. $$
#
# An answer has probability $p$ or $1-p$, so the largest ratio is $p/(1-p)$ if $p > \frac12$.
# For $p < \frac12$ the ratio is $(1-p)/p$, and the printed ε is negative.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §1.2.1: 4 reproduced, 2 reproduced under conditions"}
SHARES = (0.1, Fraction(1, 3), 0.8)
COINS = (0.25, 0.6, 0.75, 0.9)


def chance_of_yes(share, p):
    """Exact chance of a yes from somebody whose truth is yes with this probability."""
    return float(law(lambda rng: reply(int(toss(share, rng)), p, rng))[1])


def is_law(formula):
    return all(isclose(chance_of_yes(s, p), formula(s, p), abs_tol=1e-9) for s in SHARES for p in COINS)


settle(
    "ye2018.wrr-law",
    {"law": is_law(lambda s, p: s * p + (1 - s) * (1 - p))},
    control=("the terms for a no", not is_law(lambda s, p: (1 - s) * p + s * (1 - p))),
)


def bias_of(score, share, p):
    """Exact bias of the mean of a score of one answer."""
    yes = chance_of_yes(share, p)
    return yes * score(1, p) + (1 - yes) * score(0, p) - share


def plain(y, p):
    return y


def score(y, p):
    """What one answer contributes to the survey's estimate."""
    return (p - 1 + y) / (2 * p - 1)


settle(
    "ye2018.wrr-raw",
    {
        "biased": all(
            isclose(bias_of(plain, s, p), (1 - p) * (1 - 2 * s), abs_tol=1e-9)
            and abs(bias_of(plain, s, p)) > 0.01 > 1e-9 > abs(bias_of(score, s, p))
            for s in SHARES
            for p in COINS
        )
    },
    control=(
        "half of the people; a coin with two heads",
        max(abs(bias_of(plain, 0.5, 0.75)), abs(bias_of(plain, 0.1, 1.0))) < 1e-9,
    ),
)
TWENTY, GRID = 20, np.linspace(0, 1, 2001)


def largest(n_1, p=0.75, n=TWENTY):
    """The share, on a grid over [0, 1], for which the printed likelihood is largest."""
    yes = GRID * p + (1 - GRID) * (1 - p)
    return GRID[np.argmax(yes**n_1 * ((1 - GRID) * p + GRID * (1 - p)) ** (n - n_1))]


def printed(n_1, p=0.75, n=TWENTY, first=1):
    return (p - 1) / (2 * p - 1) * first + n_1 / ((2 * p - 1) * n)


INSIDE = [n_1 for n_1 in range(TWENTY + 1) if 0.25 <= n_1 / TWENTY <= 0.75]
OUTSIDE = [n_1 for n_1 in range(TWENTY + 1) if n_1 not in INSIDE]


def maximises(where, estimate):
    return [bool(abs(largest(n_1) - estimate(n_1)) < 1e-3) for n_1 in where]


settle(
    "ye2018.wrr-mle",
    {"inside": all(maximises(INSIDE, printed)), "outside": any(maximises(OUTSIDE, printed))},
    control=(
        "n in the first term; brought back to [0, 1]",
        not any(maximises(INSIDE, lambda n_1: printed(n_1, first=TWENTY)))
        and all(maximises(OUTSIDE, lambda n_1: min(max(printed(n_1), 0), 1))),
    ),
)
PEOPLE = 200


def law_of_yes(ones, p, n=PEOPLE):
    """Exact probabilities of 0, 1, …, n given yes, if this many of n fixed people are a yes."""
    return np.convolve(binom.pmf(np.arange(ones + 1), ones, p), binom.pmf(np.arange(n - ones + 1), n - ones, 1 - p))


def averages(estimate, what=lambda ones: ones / PEOPLE):
    """Whether an estimate has the right mean, for three populations and three coins."""
    numbers = np.arange(PEOPLE + 1)
    return all(
        abs(law_of_yes(ones, p) @ estimate(numbers, p) - what(ones)) < 1e-9
        for ones in (0, 20, 200)
        for p in (0.25, 0.6, 0.75)
    )


settle(
    "ye2018.wrr-unbiased",
    {"unbiased": averages(lambda n_1, p: printed(n_1, p, PEOPLE))},
    control=("brought back to [0, 1]", not averages(lambda n_1, p: np.clip(printed(n_1, p, PEOPLE), 0, 1))),
)
settle(
    "ye2018.wrr-count",
    {"unbiased": averages(lambda n_1, p: (p - 1) / (2 * p - 1) * PEOPLE + n_1 / (2 * p - 1), lambda ones: ones)},
    control=(
        "no n in the first term",
        not averages(lambda n_1, p: (p - 1) / (2 * p - 1) + n_1 / (2 * p - 1), lambda ones: ones),
    ),
)


def spends(p, formula):
    return isclose(epsilon(laws(lambda x, rng: reply(x, p, rng), (0, 1))), formula(p), abs_tol=1e-9)


settle(
    "ye2018.wrr-epsilon",
    {
        "above-half": all(spends(p, lambda p: log(p / (1 - p))) for p in COINS[1:]),
        "below-half": spends(0.25, lambda p: log(p / (1 - p))),
    },
    control=(
        "ln (1 + p)/(1 − p); ln (1 − p)/p below one half",
        not any(spends(p, lambda p: log((1 + p) / (1 - p))) for p in COINS[1:])
        and spends(0.25, lambda p: log((1 - p) / p)),
    ),
)
close("ye2018", "§1.2.1", "4 reproduced, 2 reproduced under conditions")

# %% [markdown]
# (ye2018-1-2-2)=
# ## §1.2.2 Discrete data
#
# The survey describes two ways to use randomized response for a variable with $k > 2$ values, the candidates.
#
# (ye2018-1-2-2-a)=
# ### §1.2.2 (1) · First idea: code a value in bits
#
# {badge}`Reproduced under conditions · probable <ye2018.log-coding>` · Lesson: {ref}`sec-freq-clients`
#
# Each value becomes a string of $\lceil\log k\rceil$ bits, and each bit goes through W-RR.
# If $\log k$ is not a whole number, the survey says, codes without a value cause errors.
#
# The survey puts RAPPOR and S-Hist here; both send bits of a code, but of other lengths, as its §4.1.1 describes:
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | RAPPOR and S-Hist, among methods whose codes have $\lceil\log k\rceil$ bits | RAPPOR: as many bits as its filter; S-Hist: $\boxed{\text{one}}$ bit of a code of $m$ |
#
# :::
#
# If two values may differ in all $b = \lceil\log_2 k\rceil$ bits, each coin gets only $\varepsilon/b$.
# The table gives the least risk of any unbiased estimate from such reports, as a multiple of the least risk of any client {cite:p}`ye2018optimal`.
# From 8 to 9 values, this multiple grows more than fourfold, because a fourth bit is needed; here the survey is right.
# But codes without a value are not the reason: at 16 values every code has one, and the risk is the highest in the table.


# %% tags=["hide-input"]
def bitwise(k, eps):
    """Least risk of an unbiased estimate from ⌈log₂ k⌉ coins with equal parts of ε, over the least risk of any client."""
    b = (k - 1).bit_length()
    p, matrix = heads(eps / b), np.ones((1, 1))
    for _ in range(b):
        matrix = np.kron(matrix, [[p, 1 - p], [1 - p, p]])
    matrix, centre = matrix[:k], np.eye(k) - 1 / k  # the first k codes have values, all equally likely
    information = centre @ (matrix / matrix.mean(0)) @ matrix.T @ centre
    return float(np.trace(np.linalg.pinv(information)) / minimax_risk(k, eps))


risks = {k: bitwise(k, 1.0) for k in (2, 4, 7, 8, 9, 12, 15, 16)}
table(
    pd.DataFrame(
        [["risk, ε = 1", *(f"{risk:,.1f}" for risk in risks.values())]], columns=["", *(f"k = {k}" for k in risks)]
    )
)

# %% [markdown]
# (ye2018-1-2-2-b)=
# ### §1.2.2 (2) · Second idea: spread the probabilities
#
# {badge}`Reproduced <ye2018.second-idea>` · Lesson: {ref}`sec-freq-clients`
#
# W-RR divides probability between two values, the second idea among all $k$, as k-RR and O-RR do.
# For k-RR,
#
# $$ \Pr[y \mid x] = \begin{cases} \dfrac{e^\varepsilon}{e^\varepsilon+k-1} & y = x,\\[2ex] \dfrac{1}{e^\varepsilon+k-1} & y \ne x. \end{cases} $$
#
# For $k = 2$ this is W-RR.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §1.2.2: 1 reproduced, 1 reproduced under conditions"}
def bits_sent(mechanism, public=lambda report: ()):
    """Bits that tell the reports of two of nine values apart, given what is public in them."""
    reports = {y for found in laws(one_person(mechanism), (0, 8)) for y in found}
    return log(max(Counter(public(y) for y in reports).values()), 2)


rappor_like, shist = (
    bits_sent(SUE(k=9, epsilon=1.0)),
    bits_sent(SHist(k=9, epsilon=1.0, m=64), lambda report: report[0]),
)


def coins(mechanism, p, public=lambda report: ()):
    """Whether each bit of a report is a one with probability p or 1 − p, whatever the value and the public part."""
    chances = []
    for found in laws(one_person(mechanism), range(9)):
        for part in {public(y) for y in found}:
            given = {y: float(chance) for y, chance in found.items() if public(y) == part}
            bits = np.array([y[len(part) :] for y in given]) @ np.eye(len(next(iter(given))) - len(part))
            chances.append(np.array(list(given.values())) @ bits / sum(given.values()))
    return bool(np.minimum(np.abs(np.array(chances) - p), np.abs(np.array(chances) - 1 + p)).max() < 1e-12)


def four_bits(x, rng):
    """A client of the first idea: four bits of a value below nine, each through W-RR with ε/4."""
    return tuple(reply(x >> i & 1, heads(1 / 4), rng) for i in range(4))


settle(
    "ye2018.log-coding",
    {
        "bits": coins(SUE(k=9, epsilon=1.0), heads(1 / 2))
        and coins(SHist(k=9, epsilon=1.0, m=64), heads(1.0), lambda report: report[:1]),
        "length": rappor_like == 4 or shist == 4,
        "fourth-bit": risks[9] > 4 * risks[8],
        "empty-codes": risks[9] > risks[16],
    },
    control=(
        "coins of another ε; a client of four bits; seven and eight values",
        not coins(SUE(k=9, epsilon=1.0), heads(1.0))
        and log(len(laws(four_bits, [8])[0]), 2) == 4
        and not risks[8] > 6 * risks[7],
    ),
)


def spreads(client, k=5):
    """Whether each value can be reported, and the law treats all values alike."""
    matrix = np.array([[float(one.get(y, 0)) for y in range(k)] for one in laws(client, range(k))])
    kept, others = np.diag(matrix), matrix[~np.eye(k, dtype=bool)]
    return bool(others.min() > 0 and np.ptp(kept) < 1e-12 and np.ptp(others) < 1e-12)


def neighbours(x, rng):
    """A mistake: on a circle of five values, no lie but the two next to the truth."""
    return x if toss(heads(1.0), rng) else pick([(x - 1) % 5, (x + 1) % 5], rng)


settle(
    "ye2018.second-idea",
    {"alike": spreads(krr(5, 1.0)) and same_law(krr(2, 1.0), wrr(1.0), (0, 1))},
    control=("lies next to the truth only", not spreads(neighbours)),
)
close("ye2018", "§1.2.2", "1 reproduced, 1 reproduced under conditions")

# %% [markdown]
# (ye2018-1-2-3)=
# ## §1.2.3 Continuous data
#
# Lesson: {ref}`sec-means-sign`.
#
# (ye2018-1-2-3-a)=
# ### §1.2.3 (a) · Make two values of a number
#
# {badge}`Reproduced <ye2018.two-values>`
#
# For a single number $t \in [-1, 1]$, MeanEst and Harmony-Mean do the same: a coin rounds $t$ to $\pm1$, and W-RR follows.
# With $p = e^\varepsilon/(1+e^\varepsilon)$,
#
# $$ \begin{aligned}
# \Pr[y = 1] &= \frac{1+t}{2}\,p + \frac{1-t}{2}\,(1-p) \\
# &= \frac12 + \frac{t}{2}\,(2p-1).
# \end{aligned} $$
#
# (ye2018-1-2-3-b)=
# ### §1.2.3 (b) · The difficulty: two good values, and no bias
#
# {badge}`Reproduced <ye2018.two-values-difficulty>`
#
# By (a), $\E y = (2p-1)\,t$.
# So a report has to be counted as $\pm c$, with
#
# $$ c = \frac{1}{2p-1} = \frac{e^\varepsilon+1}{e^\varepsilon-1}. $$
#
# Rounding to $\pm a$ with $a > 1$ and counting $\pm ac$ gives no bias either, but a larger variance, $a^2c^2 - t^2$.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §1.2.3: 2 reproduced"}
NUMBERS = (-1.0, -0.3, 0.0, 0.25, 1.0)
C = 1 / (2 * heads(1.0) - 1)


def two_values(t, rng, wide=1.0, eps=1.0):
    """A coin makes a sign of t, W-RR perturbs the sign; `wide`: rounded to ± that."""
    sign = toss((1 + t / wide) / 2, rng)
    return 1 if reply(int(sign), heads(eps), rng) else -1


def nearest(t, rng):
    """A mistake: the nearer of −1 and 1."""
    return 1 if reply(int(t >= 0), heads(1.0), rng) else -1


def scored(client, score):
    """Mean and variance of a score, exact, for five numbers; and whether the mean is the number."""
    mean, variance = moments(client, NUMBERS, score=lambda y: score * y)
    return bool(np.abs(mean - NUMBERS).max() < 1e-9), variance


def right(client):
    return isclose(epsilon(laws(client, NUMBERS)), 1, abs_tol=1e-9) and scored(client, C)[0]


def are_this(client):
    single = [(t,) for t in NUMBERS]
    return same_law(lambda t, rng: [client(*t, rng)], MeanEst(d=1, epsilon=1.0), single) and same_law(
        lambda t, rng: ([0], [client(*t, rng) == 1]), HarmonyMean(d=1, epsilon=1.0), single
    )


settle(
    "ye2018.two-values",
    {"coin": right(two_values), "same-client": are_this(two_values)},
    control=("the nearer of −1 and 1", not right(nearest) and not are_this(nearest)),
)
narrow, wide = scored(two_values, C), scored(lambda t, rng: two_values(t, rng, wide=1.5), 1.5 * C)
settle(
    "ye2018.two-values-difficulty",
    {
        "scores": narrow[0] and not scored(two_values, 1)[0],
        "wider": wide[0] and bool(np.all(wide[1] > narrow[1])),
    },
    control=(
        "rounded to ±1.5 and counted as ±c; at twice the budget",
        not scored(lambda t, rng: two_values(t, rng, wide=1.5), C)[0]
        and not np.all(scored(lambda t, rng: two_values(t, rng, 1.5, 2.0), 1.5 / (2 * heads(2.0) - 1))[1] > narrow[1]),
    ),
)
close("ye2018", "§1.2.3", "2 reproduced")

# %% [markdown]
# (ye2018-1-3)=
# ## §1.3 Local and central privacy compared
#
# (ye2018-property-1)=
# ### (1), Property 1 · Sequential composition
#
# {badge}`Reproduced <ye2018.sequential>` · Lesson: {ref}`sec-rr-composition`
#
# If $M_1, \dots, M_n$ are $\varepsilon_1$- to $\varepsilon_n$-locally private, together they are ε-locally private on the data $D$, with
#
# $$ \varepsilon = \sum_{i=1}^n \varepsilon_i. $$
#
# The survey says that the guarantee has the same form as in the central model.
# For one person's record $x$ and outputs $y_1, \dots, y_n$,
#
# $$ \begin{aligned}
# & \Pr[y_1, \dots, y_n \mid x] \\
# &= \prod_{i=1}^n \Pr[y_i \mid x, y_1, \dots, y_{i-1}] \\
# &\le \prod_{i=1}^n e^{\varepsilon_i}\,\Pr[y_i \mid x', y_1, \dots, y_{i-1}].
# \end{aligned} $$
#
# Each algorithm needs coins of its own, and may depend on the earlier outputs.
#
# (ye2018-property-2)=
# ### (1), Property 2 · Parallel composition
#
# {badge}`Reproduced <ye2018.parallel>` · Lesson: {ref}`sec-rr-parallel`
#
# The data are divided into disjoint parts $D_1, \dots, D_n$.
# If $M$ is ε-locally private, it is also ε-locally private on all parts together.
# When one person's record changes, only the report of that person's part changes its law.
#
# (ye2018-1-3-2)=
# ### (2), Fig. 1 · A collector who is trusted, and one who is not
#
# {badge}`Reproduced <ye2018.trust>` {badge}`Drawn` from the survey's words · Lesson: {ref}`sec-rr-trust`
#
# Centrally, the collector applies a private algorithm to the records; locally, each user applies one.
# So a local collector needs no trust: whatever it computes from the reports has at most their ε.
# This guarantee covers each user's own record; for relatives see {ref}`§2 <ye2018-2-correlated>`.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-ye2018-1", "caption": "Fig. 1, redrawn. (a) Central and (b) local processing. The dashed line is where private data end: behind the collector centrally, at each user locally."}, "image": {"alt": "Two flow diagrams. In (a) three users send records to a collector; a perturbation stands between collector and analyst, and the dashed border lies behind it. In (b) each user has a perturbation, the border lies before the collector. In both the analyst sends a query back to the collector."}}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 5.4))
for ax, title, central in zip(axes, ("(a) central", "(b) local"), (True, False), strict=True):
    board(ax)
    ax.text(0, 0.99, title, fontweight="bold", va="top", fontsize=11)
    for i, y in enumerate((0.8, 0.52, 0.24)):
        box(ax, 0.07, y, f"user {i + 1}", SKY, 11)
        if not central:
            arrow(ax, (0.13, y), (0.205, y))
            box(ax, 0.28, y, "perturb", SAND, 11)
        arrow(ax, (0.13 if central else 0.355, y), (0.445, 0.58 - 0.06 * i))
    box(ax, 0.535, 0.52, "collector", PLAIN, 11)
    if central:
        arrow(ax, (0.615, 0.52), (0.65, 0.52))
        box(ax, 0.72, 0.52, "perturb", SAND, 11)
    arrow(ax, (0.79 if central else 0.615, 0.52), (0.86, 0.52))
    box(ax, 0.935, 0.52, "analyst", PLAIN, 11)
    ax.plot([0.935, 0.935, 0.535], [0.42, 0.2, 0.2], color="black", linewidth=1, marker="", linestyle="-")
    arrow(ax, (0.535, 0.2), (0.535, 0.43))
    ax.text(0.735, 0.17, "query", ha="center", va="top", fontsize=11)
    border(ax, 0.825 if central else 0.4, 0.02, 0.88, "private", "public")
plt.show()

# %% [markdown]
# (ye2018-1-3-3)=
# ### (3) · Noise
#
# {badge}`Corrected · certain <ye2018.no-sensitivity>` · Lesson: {ref}`sec-rr-laplace`
#
# Centrally, the Laplace and exponential mechanisms depend on the global sensitivity, the largest change of a query between neighbouring data sets.
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | users do not know each other's records, so there is no global sensitivity locally | any two records $x, x'$ of one user are neighbours; the sensitivity is $\boxed{\max_{x, x'} \lvert x - x' \rvert}$ |
# | therefore neither mechanism applies | both $\boxed{\text{apply}}$ |
#
# :::
#
# Definition 1 does not mention what users know.
# For a number in $[-1, 1]$ the sensitivity is 2.
# With Laplace noise of scale $2/\varepsilon$, the densities of a report $y$ satisfy
#
# $$ \begin{aligned}
# \ln\frac{h(y \mid x)}{h(y \mid x')} &= \frac{\varepsilon}{2}\,\big(|y-x'| - |y-x|\big) \\
# &\le \frac{\varepsilon}{2}\,|x-x'| \le \varepsilon.
# \end{aligned} $$
#
# The exponential mechanism chooses $y$ with a weight that grows with its score.
# If the score is 1 for the truth and 0 otherwise, the weights $e^{\varepsilon}$ and $1$ are those of k-RR.
#
# (ye2018-1-3-4)=
# ### (4) · Amount of data, and personal settings
#
# personal settings: {badge}`Reproduced under conditions <ye2018.personal>` amount of data: {badge}`Reproduced under conditions <ye2018.volume>` · Lesson: {ref}`sec-rr-parallel`, {ref}`sec-rr-trust`
#
# *Personal settings.*
# Each user may choose a budget; then each has exactly the chosen ε.
# A budget that depends on the answer reveals the answer.
#
# *Amount of data.*
# The survey demands a lot of data for unbiased and precise results locally, but no particular amount centrally.
# We compare two estimates of the share of yes among $n$ people.
# Centrally, the count gets {ref}`geometric noise <ye2018-0-a>`; locally, $n'$ people use W-RR:
#
# $$ \begin{aligned}
# \Var\nolimits_{\text{central}} &= \frac{1}{2\sinh^2(\varepsilon/2)\,n^2}, \\
# \Var\nolimits_{\text{local}} &= \frac{1}{4\sinh^2(\varepsilon/2)\,n'}.
# \end{aligned} $$
#
# The variances are equal if $n' = n^2/2$, for every ε.
# So the survey's comparison is right, and the gap even wider.
# A central estimate that uses that the count lies between 0 and $n$ has a smaller variance ({prf:ref}`thm-means-cut`):
#
# $$ \Var = \frac{1}{n^2}\cdot\frac{\rho}{(1-\rho)^2}\Big(2 - \frac{\rho^{c}+\rho^{n-c}}{1+\rho}\Big), $$
#
# where $c$ is the true count and $\rho = e^{-\varepsilon}$.
# The table shows how many people the local survey needs, as a multiple of $n^2/2$.
# But centrally, few people are not enough either: ten people at $\varepsilon = 0.1$ give a standard error of 117 percentage points.
# And an unbiased result does not need many people: a single report is unbiased ({ref}`§1.2.1 (e) <ye2018-1-2-1-e>`).


# %% tags=["hide-input"]
def central_variance(n, count, eps, corrected=True):
    """Exact mean and variance of the estimated count: geometric noise, cut at 0 and n, ends corrected."""
    outputs, ratio = np.arange(n + 1), exp(-eps)
    chance = geometric(count, eps, outputs)
    chance[[0, n]] += np.array([ratio ** (count + 1), ratio ** (n - count + 1)]) / (1 + ratio)
    score = outputs + corrected * ratio / (1 - ratio) * ((outputs == n) * 1 - (outputs == 0))
    return float(chance @ score), float(chance @ score**2 - (chance @ score) ** 2)


def local_variance(eps):
    """Exact variance of one person's score."""
    return float(moments(wrr(eps), (0, 1), score=lambda y: score(y, heads(eps)))[1].max())


def noise_variance(eps):
    outputs = np.arange(-900, 901)
    return float(geometric(0, eps, outputs) @ outputs**2)


POINTS = [(10, 0.1), (10, 1.0), (136, 0.1), (136, 1.0)]
times = {
    (n, eps, share): 2 * local_variance(eps) / central_variance(n, round(n * share), eps)[1]
    for n, eps in POINTS
    for share in (0.5, 0)
}
rows = [[n, f"{eps:g}", f"{times[n, eps, 0.5]:.2f}", f"{times[n, eps, 0]:.2f}"] for n, eps in POINTS]
table(pd.DataFrame(rows, columns=["n", "ε", "half say yes", "nobody says yes"]))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §1.3: 3 reproduced, 2 reproduced under conditions, 1 corrected"}
def three_reports(x, rng):
    return tuple(wrr(eps)(x, rng) for eps in (0.5, 1.0, 0.25))


def shy(x, rng):
    """ε = 1, too: yes half the time if it is true, e times less often if not."""
    return 1 if toss(0.5 if x else 0.5 * exp(-1), rng) else 0


def chosen(x, rng):
    """The second client is chosen by the first report."""
    first = wrr(0.5)(x, rng)
    return first, wrr(1.0)(x, rng) if first else shy(x, rng)


def one_coin(x, rng):
    """A mistake: the second report is the coin of the first."""
    said = wrr(0.5)(x, rng)
    return said, said == x


def sums_up(client, total):
    return isclose(epsilon(laws(client, (0, 1))), total, abs_tol=1e-9)


settle(
    "ye2018.sequential",
    {"own-coins": sums_up(three_reports, 1.75), "chosen": sums_up(chosen, 1.5)},
    control=("a report of the first one's coin", not sums_up(one_coin, 1.5)),
)


def told(protocol, person):
    """Laws of all outputs when this one of three answers changes, for each pair of other answers."""
    for others in product((0, 1), repeat=2):
        yield laws(lambda x, rng, o=others: protocol((*o[:person], x, *o[person:]), rng), (0, 1))


def each_epsilon(protocol):
    """For each of three people the exact ε of all outputs together, for the worst answers of the others."""
    return [max(epsilon(pair) for pair in told(protocol, person)) for person in range(3)]


def alike(answers, rng):
    return tuple(wrr(1.0)(x, rng) for x in answers)


OWN = (0.5, 1.0, 2.0)


def personal(answers, rng):
    return tuple(wrr(eps)(x, rng) for x, eps in zip(answers, OWN, strict=True))


def twice(answers, rng):
    """A mistake: the first person is in two parts."""
    return (*alike(answers, rng), wrr(0.5)(answers[0], rng))


def with_coin(answers, rng):
    """A mistake: the reports, and the first one's coin."""
    reports = alike(answers, rng)
    return (*reports, reports[0] == answers[0])


def have(protocol, budgets):
    return bool(np.allclose(each_epsilon(protocol), budgets, rtol=0, atol=1e-9))


settle(
    "ye2018.parallel",
    {"one-part": have(alike, (1, 1, 1))},
    control=("somebody in two parts", not have(twice, (1, 1, 1))),
)
EVENTS = [set(event) for size in range(1, 8) for event in combinations(list(product((0, 1), repeat=3)), size)]


def worst_event(protocol):
    """The largest ε of any yes-or-no function of the first three reports, whatever else is sent."""
    return max(
        abs(log(sum(a.get(y, 0) for y in event) / sum(b.get(y, 0) for y in event)))
        for person in range(3)
        for a, b in told(protocol, person)
        for event in EVENTS
    )


settle(
    "ye2018.trust",
    {"reports": have(alike, (1, 1, 1)), "computed": worst_event(alike) <= 1 + 1e-9},
    control=(
        "clients that send their coin, or spend 1.1",
        not have(with_coin, (1, 1, 1))
        and worst_event(lambda answers, rng: tuple(wrr(1.1)(x, rng) for x in answers)) > 1.05,
    ),
)
Y = np.linspace(-20, 20, 4001)


def laplace_epsilon(scale):
    """Largest difference of the log densities of a report, for numbers in [−1, 1]."""
    return float(np.ptp(-np.abs(Y - np.array(NUMBERS)[:, None]) / scale, axis=0).max())


def is_krr(strength, k=5):
    """Whether the exponential mechanism that scores the truth has the law of k-RR at ε = 1."""
    weights = np.exp(strength * np.eye(k))
    matrix = [[float(one[y]) for y in range(k)] for one in laws(krr(k, 1.0), range(k))]
    return bool(np.allclose(weights / weights.sum(1), matrix, rtol=0, atol=1e-9))


laplace = all(isclose(laplace_epsilon(2 / eps), eps, abs_tol=1e-9) for eps in (0.5, 1, 4))
settle(
    "ye2018.no-sensitivity",
    {"laplace-fails": not laplace, "exponential-fails": not is_krr(1.0)},
    instead={"laplace-works": laplace, "exponential-works": is_krr(1.0)},
    control=(
        "scale 1/ε; strength ε/2, which is k-RR at another budget",
        laplace_epsilon(1.0) > 1.5 and not is_krr(0.5),
    ),
)


def follows(x, rng):
    """A budget that follows the answer, and is sent."""
    eps = 0.5 if x else 2.0
    return eps, wrr(eps)(x, rng)


settle(
    "ye2018.personal",
    {"ignores": have(personal, OWN), "follows": epsilon(laws(follows, (0, 1))) <= 2 + 1e-9},
    control=(
        "somebody asked twice; the same budgets, not sent",
        not have(lambda answers, rng: (*personal(answers, rng), wrr(0.5)(answers[0], rng)), OWN)
        and epsilon(laws(lambda x, rng: follows(x, rng)[1], (0, 1))) <= 2,
    ),
)


def equal_at(variance, eps):
    """The number of people that W-RR needs, over n²/2, against noise of this variance on the count."""
    return 2 * local_variance(eps) / variance


def biased(score):
    """Whether the score of one person, at ε = 0.1, is biased."""
    mean, _ = moments(wrr(0.1), (0, 1), score=score)
    return bool(np.abs(mean - [0, 1]).max() > 1e-9)


settle(
    "ye2018.volume",
    {
        "people": all(isclose(equal_at(noise_variance(eps), eps), 1, abs_tol=1e-6) for eps in (0.1, 1.0, 4.0)),
        "best-central": isclose(times[10, 0.1, 0.5], 1.47, abs_tol=0.005)
        and isclose(times[136, 1.0, 0], 1.58, abs_tol=0.005)
        and all(abs(central_variance(n, c, eps)[0] - c) < 1e-9 for n, eps in POINTS for c in (0, 3, n // 2)),
        "central-precise": sqrt(central_variance(10, 5, 0.1)[1]) / 10 < 0.01,
        "unbiased-for-many": biased(lambda y: score(y, heads(0.1))),
    },
    control=(
        "Laplace noise on the count; ends not corrected; ten thousand people; clipped scores",
        not isclose(equal_at(2.0, 1.0), 1, abs_tol=0.05)
        and abs(central_variance(10, 0, 0.1, corrected=False)[0]) > 1
        and sqrt(central_variance(10**4, 5000, 0.1)[1]) / 10**4 < 0.01
        and biased(lambda y: np.clip(score(y, heads(0.1)), 0, 1)),
    ),
)


def displayed(n, c, eps):
    r = exp(-eps)
    return r / (1 - r) ** 2 * (2 - (r**c + r ** (n - c)) / (1 + r))


check(
    "Central variance",
    "four points, three counts: the exact variance is the displayed one",
    all(isclose(central_variance(n, c, eps)[1], displayed(n, c, eps)) for n, eps in POINTS for c in (0, 3, n // 2)),
    control="the variance of noise that is not cut",
    caught=not isclose(central_variance(10, 0, 0.1)[1], noise_variance(0.1), rel_tol=0.05),
)
close("ye2018", "§1.3", "3 reproduced, 2 reproduced under conditions, 1 corrected")

# %% [markdown]
# (ye2018-2)=
# ## §2 Frameworks
#
# (ye2018-2-a)=
# ### §2 (a) · The two frameworks of the central model
#
# {badge}`Definition`
#
# *Interactive*: the collector perturbs the answer to each query when it is asked.
# *Non-interactive*: it publishes private statistics once, and queries are answered from them.
# Locally both words mean something else, the survey says, because the collector is not trusted.
#
# (ye2018-2-b)=
# ### §2 (b), Fig. 2 · Interactive: what an output may depend on
#
# {badge}`Definition` {badge}`Drawn` from the survey's words · “the first $i$”: {badge}`Slip · certain`
#
# People have inputs $X_1, \dots, X_n$, and the query $Q$ has outputs $Z_1, \dots, Z_n$ with
#
# $$ \begin{aligned}
# & \{X_i, Z_1, \dots, Z_{i-1}\} \to Z_i, \\
# & Z_i \perp X_j \mid \{X_i, Z_1, \dots, Z_{i-1}\},
# \end{aligned} $$
#
# for $j \ne i$.
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | the first $i$ outputs $Z_{1:i-1}$, the first $i$ inputs $X_{1:i-1}$ | the first $\boxed{i-1}$ outputs and inputs |
#
# :::

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-ye2018-2", "caption": "Fig. 2, redrawn for three people. An arrow leads to each output from all that it may depend on. (a) Interactive. (b) Non-interactive."}, "image": {"alt": "Two diagrams with inputs X1, X2, X3 above outputs Z1, Z2, Z3. In both an arrow leads from each X to its Z. In (a) arrows also lead from Z1 to Z2, from Z2 to Z3, and in an arc from Z1 to Z3."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 2.7))
for ax, title in zip(axes, ("(a) interactive", "(b) non-interactive"), strict=True):
    board(ax)
    ax.set_title(title, fontsize=11)
    places = (0.14, 0.5, 0.86)
    for i, x in enumerate(places, 1):
        box(ax, x, 0.86, f"$X_{i}$", SKY)
        box(ax, x, 0.4, f"$Z_{i}$", SAND)
        arrow(ax, (x, 0.73), (x, 0.53))
    if title.startswith("(a)"):
        for left, right_ in zip(places, places[1:], strict=False):
            arrow(ax, (left + 0.1, 0.4), (right_ - 0.1, 0.4))
        look = {"arrowstyle": "-|>", "mutation_scale": 12, "connectionstyle": "arc3,rad=0.35", "color": "black"}
        ax.add_patch(FancyArrowPatch((places[0] + 0.03, 0.27), (places[2] - 0.03, 0.27), **look))
plt.show()

# %% [markdown]
# (ye2018-2-c)=
# ### §2 (c) · Interactive: ε
#
# {badge}`Definition`
#
# For all inputs $x, x'$ and all earlier outputs, written $z_{1:i-1}$ for short:
#
# $$ \sup_S \frac{Q(Z_i \in S \mid X_i = x,\; z_{1:i-1})}{Q(Z_i \in S \mid X_i = x',\, z_{1:i-1})} \le e^\varepsilon. $$
#
# (ye2018-2-d)=
# ### §2 (d), (e) · Non-interactive
#
# {badge}`Definition` a simplification: {badge}`Reproduced <ye2018.frameworks>`
#
# Output $Z_i$ depends on $X_i$ only:
#
# $$ X_i \to Z_i, \qquad Z_i \perp \{X_j, Z_j : j \ne i\} \mid X_i. $$
#
# Then (c) becomes
#
# $$ \sup_S \frac{Q(Z_i \in S \mid X_i = x)}{Q(Z_i \in S \mid X_i = x')} \le e^\varepsilon. $$
#
# The survey rightly calls this a simplification: outputs that meet (d) and (e) meet (b) and (c), but not conversely.
# In both, one person's input enters only one factor of
#
# $$ \Pr[z_{1:n} \mid x_{1:n}] = \prod_{i=1}^n \Pr[z_i \mid x_i, z_{1:i-1}], $$
#
# so all outputs together have ε for each person.
#
# (ye2018-2-example)=
# ### Claim · Related people call for the interactive framework
#
# {badge}`Example` which framework: {badge}`Reproduced under conditions <ye2018.correlation>`
#
# The interactive framework suits outputs that depend on earlier ones.
# In the survey's first example a family has a history of colour blindness.
# $X_i$ is what a member shows, and $Z_i$ is the diagnosis, which also uses the parents' and grandparents' diagnoses.
# Such a $Z_i$ needs the interactive framework by definition, and is a better diagnosis.
# Suppose that all three relatives have the trait, or none has, and $\varepsilon = 1$.
# The third relative's own report is right in 73 % of cases; the majority of this report and both earlier outputs is right in 82 %.
# In the second example, customers' shopping lists are not related, and the non-interactive framework is enough.
#
# The survey's general reason is that one relative's data influence the outputs of the others.
# But if each output is about its owner alone, then given $X_i$, no other input or output changes the law of $Z_i$.
#
# (ye2018-2-correlated)=
# ### Claim · Local privacy considers related records
#
# {badge}`Reproduced under conditions <ye2018.correlated-records>`
#
# Relations between records weaken central privacy, as the survey's reference [40] says.
# The survey adds that local privacy takes relations into account, and so covers more cases.
# The first statement is right: if $m$ relatives share a trait, a central count with ε has $m\varepsilon$ for the trait.
# The local frameworks do consider relations, in that an output may depend on earlier ones.
# But the bound is no better: $m$ reports with ε each also have $m\varepsilon$ for the trait, at once or in turn.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §2: 1 reproduced, 2 reproduced under conditions"}
FAMILIES = [(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1), (1, 1, 1)]  # related people: the first two always agree


def in_turn(answers, rng):
    """How a person is asked depends on the earlier reports."""
    said = []
    for x in answers:
        said.append(1 - wrr(1.0)(x, rng) if sum(said) % 2 else wrr(1.0)(x, rng))
    return tuple(said)


def diagnosis(answers, rng):
    """Z_i: the majority of one's own report and all earlier diagnoses; one's own report decides a tie."""
    found = []
    for x in answers:
        own = wrr(1.0)(x, rng)
        votes = 2 * (sum(found) + own) - len(found) - 1
        found.append(own if votes == 0 else int(votes > 0))
    return tuple(found)


def peeking(answers, rng):
    """A mistake: someone whose neighbour's answer is yes lies more often."""
    return tuple(wrr(0.5 if i and answers[i - 1] else 1.0)(x, rng) for i, x in enumerate(answers))


def gap(protocol, earlier):
    """Largest change of the law of a Z_i, given what it may depend on, when other inputs and outputs are told as well.

    It may depend on X_i and, if `earlier`, on the outputs before it; then the later outputs are not told.
    """

    def joint(rng):
        answers = pick(FAMILIES, rng)
        return answers, protocol(answers, rng)

    found = law(joint)
    change = Fraction(0)
    for i in range(3):
        may, whole = {}, {}
        for (x, z), chance in found.items():
            allowed = (x[i], z[:i] if earlier else ())
            rest = (x, z[:i]) if earlier else (x, z[:i], z[i + 1 :])
            for tally, key in ((may, allowed), (whole, (allowed, rest))):
                tally.setdefault(key, [Fraction(0), Fraction(0)])[z[i]] += chance
        for (allowed, _), (no, yes) in whole.items():
            change = max(change, abs(yes / (no + yes) - may[allowed][1] / sum(may[allowed])))
    return change


def given_earlier(protocol):
    """The largest ε of a Z_i for its own X_i, given any outputs before it: (c)."""
    worst = 0.0
    for i in range(3):
        for pair, z in product(told(protocol, i), product((0, 1), repeat=i)):
            given = [Counter() for _ in pair]
            for one, tally in zip(pair, given, strict=True):
                for y, chance in one.items():
                    tally[y[i]] += chance * (y[:i] == z)
            nexts = [{s: q / sum(tally.values()) for s, q in tally.items() if q} for tally in given]
            worst = max(worst, epsilon(nexts))
    return worst


def interactive(protocol):
    return gap(protocol, True) == 0 and given_earlier(protocol) <= 1 + 1e-9


def non_interactive(protocol):
    return gap(protocol, False) == 0 and given_earlier(protocol) <= 1 + 1e-9


settle(
    "ye2018.frameworks",
    {
        "simpler": non_interactive(alike) and interactive(alike),
        "not-conversely": interactive(in_turn) and not non_interactive(in_turn),
        "together": max(each_epsilon(alike) + each_epsilon(in_turn)) <= 1 + 1e-9,
    },
    control=(
        "an output that looks at a neighbour's answer",
        not (interactive(peeking) or non_interactive(peeking)) and max(each_epsilon(peeking)) > 1 + 1e-3,
    ),
)


def right_about_third(protocol, families):
    """How often the last output of three is the third one's answer."""
    return float(law(lambda rng: (lambda x: protocol(x, rng)[2] == x[2])(pick(families, rng)))[True])


SHARED, UNRELATED = [(0, 0, 0), (1, 1, 1)], list(product((0, 1), repeat=3))


def better(families):
    return right_about_third(diagnosis, families) > right_about_third(alike, families) + 0.05


print(
    *(f"{right_about_third(one, SHARED):.1%}" for one in (diagnosis, alike)), "right about the third of three relatives"
)
settle(
    "ye2018.correlation",
    {
        "diagnosis": interactive(diagnosis) and not non_interactive(diagnosis),
        "better": better(SHARED)
        and [round(100 * right_about_third(one, SHARED)) for one in (diagnosis, alike)] == [82, 73],
        "own-answer": gap(alike, False) > 0,
    },
    control=(
        "outputs without earlier ones; three people who are not related; outputs in turn",
        non_interactive(alike) and not better(UNRELATED) and gap(in_turn, False) > 0,
    ),
)


def about_trait(protocol, families=SHARED):
    """ε of all outputs about the first one's answer, people being drawn from these families."""
    return epsilon(laws(lambda x, rng: protocol(pick([f for f in families if f[0] == x], rng), rng), (0, 1)))


local = [about_trait(protocol) for protocol in (alike, in_turn)]
settle(
    "ye2018.correlated-records",
    {"central": isclose(ratio_of_counts(0, 3, 1.0), 3, abs_tol=1e-9), "local": min(local) < 3 - 1e-9},
    control=(
        "people who share nothing",
        not isclose(ratio_of_counts(0, 1, 1.0), 3, abs_tol=1e-9)
        and max(about_trait(one, UNRELATED) for one in (alike, in_turn)) < 3 - 1e-9,
    ),
)
close("ye2018", "§2", "1 reproduced, 2 reproduced under conditions")

# %% [markdown]
# (ye2018-3)=
# ## §3 Directions of research
#
# (ye2018-table-1)=
# ### Table 1 · Methods by direction of research
#
# k-RR's number: {badge}`Slip · certain` · Lesson: {ref}`ch-frequency`, {ref}`ch-means`
#
# The numbers are the survey's references; the lines of the table are mixed up in our text, and §4 confirms the order.
# k-RR is printed with [19], Warner's paper, in place of its own, [22].
#
# | Direction | Methods, with our sections |
# |---|---|
# | perturbation | {ref}`W-RR <ye2018-wrr>` [19], {ref}`Compression <sec-dist-compression>` [42], {ref}`Distortion <sec-dist-hamming>` [43] |
# | frequencies, one value per person | {ref}`RAPPOR <ye2018-4-1-1-rappor>` [9], {ref}`O-RAPPOR <ye2018-4-1-1-orappor>` [23], {ref}`S-Hist <ye2018-4-1-1-shist>` [21], {ref}`PCE <ye2018-4-1-1-pce>` [38], {ref}`k-RR <ye2018-4-1-1-f>` $\boxed{[22]}$, {ref}`O-RR <ye2018-4-1-1-orr>` [23], {ref}`k-Subset <ye2018-4-1-1-subset>` [44, 45] |
# | frequencies, several values per person | {ref}`RAPPOR-unknown <ye2018-4-1-2-unknown>` [46], {ref}`Harmony-Frequency <ye2018-4-1-2-harmony>` [26], {ref}`LDPMiner <ye2018-4-1-2-ldpminer>` [20], {ref}`LoPub <ye2018-4-1-2-lopub>` [47, 48] |
# | means | {ref}`MeanEst <sec-means-meanest>` [24, 25], {ref}`Harmony-Mean <sec-means-sample>` [26] |
#
# The text below the table says that most work uses randomized response because it is simple and its strength is easy to quantify.
#
# (ye2018-4)=
# ## §4 to §6, and the references
#
# | Sections | Page | Exhibits |
# |---|---|---|
# | §4.1, §4.1.1 | {ref}`Frequencies <paper-ye2018-frequencies>` | Tables 2, 3, 4; S-Hist, PCE, k-RR, k-Subset |
# | §4.1.1 | {ref}`Strings <paper-ye2018-strings>` | Fig. 3; RAPPOR, O-RAPPOR, O-RR |
# | §4.1.2 | {ref}`Several values <paper-ye2018-several>` | Fig. 4, Table 5; RAPPOR-unknown, Harmony-Frequency, LDPMiner, LoPub |
# | §4.2, §4.3 | {ref}`Means, compression, distortion <paper-ye2018-means>` | Tables 6, 7; MeanEst, Harmony-Mean, Compression, Distortion |
# | §4.4 | {ref}`Experiments <paper-ye2018-experiments>` | Figs. 5 to 9 |
# | §5, §6, references | {ref}`Challenges <paper-ye2018-challenges>` | what became of them |
