# %% [markdown]
# (paper-ye2018-frequencies)=
# # The survey, §4.1: frequencies
#
# *A part of the {ref}`dossier <paper-ye2018>` on {cite:t}`ye2018survey`: §4.1, exhibit by exhibit, in the survey's order.*
#
# §4.1 describes eleven mechanisms for the frequencies of items, and compares them in Tables 4 and 5.
# {ref}`The family of RAPPOR <paper-ye2018-strings>` and {ref}`§4.1.2 <paper-ye2018-several>` have pages of their own.
#
# The distributions (laws) of k-RR and k-Subset are right as printed.
# One sentence is the wrong way round: k-RR, not RAPPOR, suits the {ref}`higher budgets <ye2018-4-1-1-regime>`.
#
# **Readings that are ours.**
# - $O(\cdot)$ means *at most of the order*: a bound that is not tight can be true.
# - The survey does not say which error it bounds.
#   We try both the *largest* of the $k$ errors and the *sum* of their absolute values.
# - When we compute errors, RAPPOR has one bit per item and no Bloom filter, which is its best form for a known list.
# - For the error bounds, PCE has one ε for all people, and an orthogonal table.
# - We count communication in *values*: a number that names an item, a slot or a row is one value, and so is a bit.
#
# **Letters.**
# As in the survey, $n$ people hold one of $k$ items each, and $c$ is the size of k-Subset's sets.
# $f_v$ is the share of item $v$ and $\hat f_v$ its estimate.
# $C = \frac{e^\varepsilon+1}{e^\varepsilon-1}$ is the size of a one-bit score.
# The formulas of §4.1.1 are (a), (b), …, here and on RAPPOR's page.
#
# **Lessons.**
# {ref}`ch-frequency` teaches k-RR, unary encoding (RAPPOR without a filter) and k-Subset; {ref}`ch-onebit` S-Hist and PCE; {ref}`ch-rappor` RAPPOR and its family.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from collections import Counter
from math import comb, exp, isclose, log, sinh, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.optimize import brentq

from ldpnb import GRR, ORR, OUE, PCE, SUE, HadamardBit, SHist, SubsetSelection, epsilon, law, laws, pick, same_law, toss
from ldpnb.oracles import best_size, people as with_levels
from ldpnb.strings import one_time
from ldpnb_book import check, close, settle, simulation, style, table, theory
from ldpnb_book.studies import ye2018 as study, ye2018_strings as strings

style()
rng = np.random.default_rng(2018)  # the year of the survey


def near(a, b):
    return isclose(a, b, abs_tol=1e-9)


# %% [markdown]
# (ye2018-4-1)=
# ## §4.1 Frequencies
#
# Lesson: {ref}`ch-frequency`.
#
# (ye2018-table-2)=
# ### Tables 2 and 3 · Seven patients, counted
#
# Table 2: {badge}`Example` Table 3: {badge}`Reproduced <ye2018.table3>`

# %% tags=["hide-input"]
WARD = {
    "Tom": ["AIDS"],
    "Mike": ["asthma", "leukaemia"],
    "Sally": ["breast cancer", "hypertension"],
    "Abel": ["diabetes"],
    "Carl": ["diabetes", "depression", "hypertension"],
    "Helen": ["diabetes", "hypertension"],
    "David": ["depression"],
}
table(pd.DataFrame([(name, ", ".join(ill)) for name, ill in WARD.items()], columns=["patient", "Table 2: diseases"]))

# %% tags=["hide-input"]
PRINTED_3 = {"AIDS": 1, "asthma": 1, "depression": 2, "breast cancer": 1, "hypertension": 3, "leukaemia": 1}
PRINTED_3 |= {"diabetes": 3}
DISEASES = list(PRINTED_3)
table(pd.DataFrame(PRINTED_3.items(), columns=["disease", "Table 3: patients"]))

# %% [markdown]
# (ye2018-table-3)=
# ### Claim · Published counts may give a patient away
#
# {badge}`Reproduced <ye2018.exact-counts>`
#
# Suppose that an attacker knows the diseases of all patients except Tom.
# She subtracts these from Table 3, and one disease is left: Tom's.
#
# (ye2018-4-1-tom)=
# ### Example · Tom sends the truth with probability 40 %
#
# {badge}`Reproduced <ye2018.forty-ten>` · Lesson: {ref}`sec-freq-clients`
#
# Tom sends each of the six other diseases with probability 10 %.
# The survey says that this protects him, but names no ε.
# Any two inputs $x, x'$ give a report $y$ with probabilities that differ by at most the factor
#
# $$ \frac{\Pr[y \mid x]}{\Pr[y \mid x']} \le \frac{0.4}{0.1} = 4, \qquad \varepsilon = \ln 4 \approx 1.39. $$


# %%
def tom(disease, rng):
    """The survey's example: 40 % the truth, 10 % each other disease."""
    if toss(0.4, rng):
        return disease
    return pick([d for d in DISEASES if d != disease], rng)


# %% [markdown]
# This client is k-RR with $k = 7$ at $\varepsilon = \ln 4$: see {ref}`(f) <ye2018-4-1-1-f>`.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §4.1, before §4.1.1: 3 reproduced"}


def counted(ward, upto=None):
    return dict(Counter(d for ill in ward.values() for d in ill[:upto]))


settle(
    "ye2018.table3",
    {"counted": counted(WARD) == PRINTED_3},
    control=("the first disease of each patient", counted(WARD, upto=1) != PRINTED_3),
)


def left_over(known):
    """What Table 3 holds beyond the diseases of the patients whom the attacker knows."""
    others = Counter(d for name in known for d in WARD[name])
    return list((Counter(PRINTED_3) - others).elements())


settle(
    "ye2018.exact-counts",
    {"tom": left_over(WARD.keys() - {"Tom"}) == WARD["Tom"]},
    control=("an attacker who does not know David either", left_over(WARD.keys() - {"Tom", "David"}) != WARD["Tom"]),
)


def is_krr(client, eps):
    """Whether a client of seven diseases has the law of k-RR at this ε."""
    by_number = lambda x, rng: DISEASES.index(client(DISEASES[x], rng))  # noqa: E731
    return same_law(by_number, GRR(k=7, epsilon=eps), np.arange(7))


told = law(lambda rng: tom("AIDS", rng))


def blurred(disease, rng):
    """A mistake: the truth with probability 40 %, else any of the seven."""
    return disease if toss(0.4, rng) else pick(DISEASES, rng)


settle(
    "ye2018.forty-ten",
    {
        "sum": near(sum(map(float, told.values())), 1) and near(float(told["AIDS"]), 0.4),
        "epsilon": near(epsilon(laws(tom, DISEASES)), log(4)) and is_krr(tom, log(4)),
    },
    control=("else any of the seven, the truth included", not is_krr(blurred, log(4))),
)
close("ye2018", "§4.1,", "3 reproduced")

# %% [markdown]
# (ye2018-4-1-1)=
# ## §4.1.1 One value per person
#
# ### RAPPOR, Fig. 3, (a), (b)
#
# See {ref}`ye2018-4-1-1-rappor`.
#
# (ye2018-4-1-1-c)=
# ### §4.1.1 (c) · RAPPOR's error bound
#
# {badge}`Reproduced <ye2018.rappor-bound>` · Lesson: {ref}`sec-freq-clients`
#
# For the part of the error that comes from the perturbation, the survey gives
#
# $$ O\Big(\frac{k}{\varepsilon\sqrt n}\Big). $$
#
# With one bit per item, the bit of the person's item is set with probability $p = \frac{s}{s+1}$, any other with $q = \frac{1}{s+1}$, where $s = e^{\varepsilon/2}$.
# Since $q = 1-p$, both kinds of bits have the same variance, and so do the estimates of all items:
#
# $$ \begin{aligned}
# n \Var \hat f_v &= \frac{p(1-p)}{(p-q)^2} = \frac{s}{(s-1)^2} \\
# &= \frac{1}{4\sinh^2(\varepsilon/4)} \le \frac{4}{\varepsilon^2},
# \end{aligned} $$
#
# because $\sinh x \ge x$.
# A mean absolute error is at most the standard error, so that for $k$ items
#
# $$ \E \sum_v |\hat f_v - f_v| \le \frac{k}{2\sinh(\varepsilon/4)\sqrt n} \le \boxed{2} \cdot \frac{k}{\varepsilon\sqrt n}. $$
#
# So the printed bound is true for every ε, $n$ and $k$, and for all shares.
# For small ε the sum of the errors attains it.
# The largest error is at most the sum, so the bound is true of it too, but not tight: the largest error grows like $\sqrt{\log k}$ ({ref}`Table 4 <ye2018-table-4>`).
#
# (ye2018-4-1-1-shist)=
# ### S-Hist · One bit from a random table
#
# {badge}`Reproduced <ye2018.shist-bit>` more candidates than people: {badge}`Setting` · Lesson: {ref}`sec-onebit-shist`
#
# Each item has a code of $m = O(n)$ signs, its column of a public table.
# A person draws one row, and sends their item's sign in that row through Warner's W-RR.
# So the private part of a report is one bit, whatever $k$ is; the number of the row is public.
# S-Hist is meant for more candidates than people, $k > n$, where a code is shorter than one bit per item.
# We test the claims with fewer candidates.


# %%
def one_bit(x, signs, eps, rng):
    """A public random row, and the sign of x there, through W-RR."""
    row = pick(range(len(signs)), rng)
    true = toss(exp(eps) / (exp(eps) + 1), rng)
    return row, signs[row][x] if true else -signs[row][x]


# %% [markdown]
# (ye2018-4-1-1-d)=
# ### §4.1.1 (d) · The random table
#
# {badge}`Reproduced under conditions <ye2018.shist-orthogonal>` · Lesson: {ref}`sec-onebit-shist`
#
# $$ \Phi_{m \times k} \in \Big\{\tfrac{1}{\sqrt m}, -\tfrac{1}{\sqrt m}\Big\}^{m\times k}, \qquad \sum_j \Phi_{jx}\Phi_{jv} = \begin{cases} 1, & x = v, \\ 0, & x \ne v. \end{cases} $$
#
# The signs are random, so the second case holds only on average.
# With 64 rows, the largest product among 50 columns is far from 0; with 16,384 rows it is below 0.05.
# See {ref}`§4.1.2 <ye2018-4-1-2-unstable>`.
#
# (ye2018-4-1-1-e)=
# ### §4.1.1 (e) · S-Hist's error bound
#
# {badge}`Reproduced under conditions <ye2018.shist-bound>` · Lesson: {ref}`ch-onebit`
#
# The survey gives
#
# $$ O\Big(\frac{\sqrt{\log k}}{\varepsilon\sqrt n}\Big). $$
#
# On an orthogonal table, a report contributes $+C$ or $-C$ to the estimate of every item.
# By Hoeffding's inequality and a union bound over the $k$ items,
#
# $$ \begin{aligned}
# \Pr\big[|\hat f_v - f_v| \ge t\big] &\le 2 e^{-nt^2/(2C^2)}, \\
# \E \max_v |\hat f_v - f_v| &\le C\,\sqrt{\frac{2\ln(2k)}{n}}.
# \end{aligned} $$
#
# For $\varepsilon \le 1$, $C = \coth\frac\varepsilon2 \le \frac{2}{\varepsilon} + \frac{\varepsilon}{6} \le \frac{13}{6\varepsilon}$, and $\ln(2k) \le 2 \ln k$.
# So for these ε the printed bound is true of the largest error, with the constant $\frac{13}{3}$.
# S-Hist itself has a random table of $m = O(n)$ rows; with 1.9 rows per person, as in {ref}`a thesis <paper-zhang2018>`, we measured errors of the same order ({ref}`Table 4 <ye2018-table-4>`).
#
# The bound does not hold for the *sum* of the errors, which grows like $k$, as RAPPOR's does.
# And it holds only for small ε: for large ε, $C$ tends to 1, so the error does not fall like $1/\varepsilon$.
#
# (ye2018-4-1-1-pce)=
# ### PCE · S-Hist with personal budgets
#
# {badge}`Reproduced <ye2018.pce>` · Lesson: {ref}`sec-onebit-pce`
#
# Each person chooses a public ε; the item is the person's region.
# If person $i$ reports row $j_i$ and sign $z_i$, and $C_i$ is $C$ at their ε, the estimate is unbiased, even if ε depends on the region:
#
# $$ \hat f_v = \frac1n \sum_i C_i\, z_i\, \sqrt m\,\Phi_{j_i v}. $$
#
# But a public ε must not depend on the region, since it would give the region away.
# The error bound is (e).

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled for S-Hist and PCE: 2 reproduced, 1 reproduced under conditions"}
TABLES = {k: (1 - 2 * np.random.default_rng(k).integers(0, 2, (4, k))).tolist() for k in (2, 5, 9)}


def shist_laws(k, eps=1.0):
    return laws(lambda x, rng: one_bit(x, TABLES[k], eps, rng), range(k))


def most_values(found, public=lambda report: report[0]):
    """The largest number of reports that have the same public part."""
    sent = {report for one in found for report in one}
    return max(Counter(public(report) for report in sent).values())


settle(
    "ye2018.shist-bit",
    {
        "two-values": {most_values(shist_laws(k)) for k in TABLES} == {2},
        "private": all(near(epsilon(shist_laws(k)), 1) for k in TABLES),
    },
    control=("the row taken for private", most_values(shist_laws(5), lambda report: 0) > 2),
)


def off_diagonal(mechanism):
    """The largest product of two different columns."""
    return np.abs(mechanism.gram - np.eye(50)).max()


few_rows, many_rows = (SHist(k=50, epsilon=1.0, m=m) for m in (64, 16384))
HADAMARD = np.array([[(-1) ** (j & v).bit_count() for v in range(50)] for j in range(64)])
settle(
    "ye2018.shist-orthogonal",
    {
        "itself": np.abs(np.diag(few_rows.gram) - 1).max() == 0,
        "others": off_diagonal(few_rows) < 1e-9,
        "nearly": off_diagonal(many_rows) < 0.05,
    },
    control=(
        "an orthogonal table, and 64 rows",
        np.ptp(HADAMARD.T @ HADAMARD / 64 - np.eye(50)) == 0 and not off_diagonal(few_rows) < 0.05,
    ),
)
close("ye2018", "§4.1.1, S-Hist", "1 reproduced, 1 reproduced under conditions")
personal = PCE(k=4, levels=(0.1, 2.0))
MIXED = with_levels([0, 1, 0, 1, 2], [0, 0, 1, 1, 1])  # whoever holds item 2 has a large ε


def budgets(mechanism):
    """Exact ε of people of each level."""
    return [epsilon(laws(mechanism, with_levels(range(4), [level] * 4))) for level in range(2)]


def means(scale):
    """Mean scores of the five people, each scaled by this C_i."""
    sent = laws(
        lambda i, rng: one_bit(int(MIXED["item"][i]), PLAIN, personal.levels[int(MIXED["level"][i])], rng), range(5)
    )
    return np.array(
        [
            sum(float(p) * scale[int(level)] * z * np.array(PLAIN[row]) for (row, z), p in one.items())
            for one, level in zip(sent, MIXED["level"], strict=True)
        ]
    )


PLAIN = [[(-1) ** (j & v).bit_count() for v in range(4)] for j in range(4)]
SCORES = [1 / np.tanh(eps / 2) for eps in personal.levels]
settle(
    "ye2018.pce",
    {
        "own-epsilon": np.allclose(budgets(personal), personal.levels),
        "unbiased": np.allclose(means(SCORES), np.eye(4)[MIXED["item"]]),
    },
    control=("one C for all", not np.allclose(means([SCORES[1]] * 2), np.eye(4)[MIXED["item"]])),
)
close("ye2018", "§4.1.1, PCE", "1 reproduced")

# %% [markdown]
# ### O-RAPPOR
#
# See {ref}`ye2018-4-1-1-orappor`.
#
# (ye2018-4-1-1-f)=
# ### §4.1.1 (f), k-RR · One item, perturbed directly
#
# {badge}`Reproduced <ye2018.krr-law>` its number in Tables 1 and 4: {badge}`Slip · certain` · Lesson: {ref}`sec-freq-clients`
#
# $$ \Pr[R' \mid R] = \frac{1}{k-1+e^\varepsilon} \begin{cases} e^\varepsilon, & R' = R, \\ 1, & R' \ne R. \end{cases} $$
#
# So k-RR is exactly ε-LDP, and for $k = 2$ it is W-RR, as the survey says.
# Tables 1 and 4 cite k-RR as [19], Warner's paper; the text cites [22], {cite:t}`kairouz2014extremal`, which is right.


# %%
def krr(x, k, eps, rng):
    """The truth, with e^ε times the weight of any other item."""
    if toss(exp(eps) / (exp(eps) + k - 1), rng):
        return x
    return pick([v for v in range(k) if v != x], rng)


# %% [markdown]
# (sec-ye2018-three)=
# ### RAPPOR and k-RR compared
#
# The survey compares the two in three respects: (1) k-RR needs no coding, {ref}`see Table 4 <ye2018-table-4-krr>`; (2) and (3) follow.
#
# (ye2018-4-1-1-regime)=
# ### (2) · Which one for which budget
#
# {badge}`Corrected · certain <ye2018.regime>` · Lesson: {ref}`sec-freq-cross`
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | With $\varepsilon = \ln k$ as the boundary, RAPPOR suits the higher budgets and k-RR is better at lower ones. | k-RR suits the $\boxed{\text{higher}}$ budgets. For many items the boundary is near $\boxed{\tfrac23 \ln k}$; for few it is lower, and for $k \le 5$ there is none. |
# :::
#
# For an item that nobody holds, k-RR has less variance than RAPPOR with one bit per item if
#
# $$ \frac{e^\varepsilon + k - 2}{(e^\varepsilon-1)^2} < \frac{s}{(s-1)^2}, \qquad s = e^{\varepsilon/2}. $$
#
# Multiply by $(e^\varepsilon-1)^2 = (s-1)^2(s+1)^2$:
#
# $$ s^2 + k - 2 < s(s+1)^2, \quad\text{that is}\quad s^3 + s^2 + s > k - 2. $$
#
# The left side grows with ε, so k-RR wins *above* the boundary.
# For many items $s^3$ dominates, so that $\varepsilon = 2\ln s \approx \frac23\ln k$.
# For $k \le 5$ there is none: the left side exceeds 3 for every $\varepsilon > 0$, and k-RR always wins.

# %% tags=["hide-input"]


def boundary(k):
    """Positive ε with s³ + s² + s = k − 2."""
    return 2 * log(brentq(lambda s: s**3 + s**2 + s - (k - 2), 1, k))


def off(k):
    return boundary(k) / (2 / 3 * log(k)) - 1


LISTS = (6, 7, 10, 20, 50, 100, 1000, 10_000)
rows = [(f"{k:,}", f"{boundary(k):.2f}", f"{2 / 3 * log(k):.2f}", f"−{-off(k):.0%}", f"{log(k):.2f}") for k in LISTS]
table(pd.DataFrame(rows, columns=["items k", "boundary", "(2/3) ln k", "difference", "printed: ln k"]))

# %% [markdown]
# The source, {cite:t}`kairouz2016discrete`, gives RAPPOR the regime of high *privacy* and k-RR that of low privacy.
# High privacy means a low budget.
# The survey's own Table 4 is right: there k-RR is {ref}`poor at low budgets <ye2018-table-4-krr>`.
#
# (ye2018-4-1-1-g)=
# ### (3), §4.1.1 (g) · k-RR's error bound
#
# {badge}`Reproduced <ye2018.krr-bound>` · Lesson: {ref}`sec-freq-limit`
#
# The survey concludes that RAPPOR's bound is better than
#
# $$ O\Big(\frac{\sqrt{k^3}}{\varepsilon\sqrt n}\Big). $$
#
# With $u = e^\varepsilon$, $p = \frac{u}{u+k-1}$ and $q = \frac{1}{u+k-1}$, the variances of all items add up to
#
# $$ \begin{aligned}
# n\sum_v \Var \hat f_v &= \frac{p(1-p) + (k-1)\,q(1-q)}{(p-q)^2} \\
# &= \frac{(k-1)(2u+k-2)}{(u-1)^2} \le \frac{k^2 u}{(u-1)^2},
# \end{aligned} $$
#
# since $ku - (2u+k-2) = (u-1)(k-2) \ge 0$.
# By the Cauchy–Schwarz inequality, the mean sum of the errors is at most $\sqrt{k \sum_v \Var \hat f_v}$:
#
# $$ \E \sum_v |\hat f_v - f_v| \le \frac{\sqrt{k^3}}{2\sinh(\varepsilon/2)\sqrt n} \le \boxed{1} \cdot \frac{\sqrt{k^3}}{\varepsilon\sqrt n}. $$
#
# So the bound is true for every ε, even with the constant 1, and for small ε the sum of the errors attains it.
# For the largest error it is not tight.
# RAPPOR's bound is indeed lower, by a factor of $\sqrt k$, but above the boundary of (2) k-RR has the smaller error.
#
# ### O-RR, (h), (i)
#
# See {ref}`ye2018-4-1-1-orr`.
#
# (ye2018-4-1-1-subset)=
# ### §4.1.1 (j), k-Subset · A set of items as report
#
# {badge}`Reproduced <ye2018.ksubset-law>` one-to-many: {badge}`Reproduced under conditions <ye2018.one-to-many>` the case of one element: {badge}`Slip · certain` · Lesson: {ref}`sec-freq-clients`
#
# $$ \Pr[R' \mid R] = \frac{1}{(ce^\varepsilon+k-c)\binom kc} \begin{cases} k e^\varepsilon, & |R'| = c,\ R \in R', \\ k, & |R'| = c,\ R \notin R'. \end{cases} $$
#
# The survey counts the sets as $\binom kc = \binom{k-1}{c-1} + \binom{k-1}{c}$: those with $R$ and those without.
# Since $\binom{k-1}{c-1} = \frac ck\binom kc$, the probabilities add up to 1:
#
# $$ \frac{\binom{k-1}{c-1}\,k e^\varepsilon + \binom{k-1}{c}\,k}{(ce^\varepsilon+k-c)\binom kc} = \frac{c\,e^\varepsilon + (k-c)}{ce^\varepsilon+k-c} = 1. $$
#
# The survey prints no algorithm; this one is ours.
#
# ::::{prf:algorithm} k-Subset, for one person
# :label: alg-ye2018-subset
# :nonumber:
# **Input** an item $R$, one of $k$; a size $c < k$; ε.
# **Output** a set of $c$ items.
#
# 1. With probability $\dfrac{ce^\varepsilon}{ce^\varepsilon+k-c}$, draw $c-1$ of the other $k-1$ items and add $R$.
# 2. Otherwise, draw $c$ of the other $k-1$ items.
# 3. Send them as a set, in an order that does not depend on $R$.
# ::::


# %%
def draw(items, size, rng):
    """This many different items, all choices alike."""
    left, drawn = list(items), []
    for _ in range(size):
        drawn.append(pick(left, rng))
        left.remove(drawn[-1])
    return drawn


def subset(x, k, c, eps, rng):
    """A set of c items; a set with x is e^ε times as likely."""
    others = [v for v in range(k) if v != x]
    if toss(c * exp(eps) / (c * exp(eps) + k - c), rng):
        return frozenset([x, *draw(others, c - 1, rng)])
    return frozenset(draw(others, c, rng))


# %% [markdown]
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | The output contains only one element, that is $d = 1$. | The output contains only one element, that is $\boxed{c} = 1$. |
# :::
#
# Then k-Subset is k-RR, as the survey says.
#
# The survey calls all earlier methods *one-to-one*, because they output a single value.
# This is true of k-RR.
# A vector of RAPPOR is one report too, but it may support several items, as a set does.
#
# (ye2018-4-1-1-k)=
# ### §4.1.1 (k) · k-Subset's error bound
#
# {badge}`Reproduced <ye2018.ksubset-bound>` · Lesson: {ref}`sec-freq-limit`
#
# The survey gives the order of RAPPOR's bound, and concludes that k-Subset is more precise than k-RR:
#
# $$ O\Big(\frac{k}{\varepsilon\sqrt n}\Big). $$
#
# The survey does not say which size $c$ it means.
# If all items are equally likely and people are drawn at random, the variances add up to $R(c)/n$ by {prf:ref}`thm-subset-risk`.
# With $u = e^\varepsilon$ and the best size $c = k/(u+1)$,
#
# $$ \begin{aligned}
# R(c) &= \frac{(k-1)^2(cu+k-c)^2}{k\,c\,(k-c)(u-1)^2}, \\
# k\,R\Big(\frac{k}{u+1}\Big) &= \frac{4(k-1)^2 u}{(u-1)^2} = \Big(\frac{k-1}{\sinh(\varepsilon/2)}\Big)^2.
# \end{aligned} $$
#
# As in (g), the sum of the errors is at most $\frac{k-1}{\sinh(\varepsilon/2)\sqrt n} \le 2\cdot\frac{k}{\varepsilon\sqrt n}$.
# But $c$ must be a whole number.
# With the best one, the constant 2 was enough for all $k$ and ε that we tried, even for fixed people with any shares.

# %% tags=["hide-input"]
KRR = "k-RR"
MEASURED = {
    "RAPPOR": SUE,
    "S-Hist": lambda k, epsilon: SHist(k=k, epsilon=epsilon, m=study.rows_prescribed(10_000, k)),
    "PCE": HadamardBit,
    KRR: GRR,
    "k-Subset": SubsetSelection,
}
streams = np.random.default_rng(2015)  # of the surveys behind Table 4
found = study.errors(MEASURED, rng=streams)
exponent = study.exponents(found)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §4.1.1, before Table 4: 2 reproduced, 1 reproduced under conditions, 1 corrected"}
FOUR = laws(lambda x, rng: krr(x, 4, 1.0, rng), range(4))


def has_krr_law(found, eps):
    """Whether laws over k items are the printed ones."""
    k = len(found)
    return all(
        near(float(one[y]), (exp(eps) if x == y else 1) / (k - 1 + exp(eps)))
        for x, one in enumerate(found)
        for y in range(k)
    )


def wrr(x, rng):
    return x if toss(exp(1) / (1 + exp(1)), rng) else 1 - x


settle(
    "ye2018.krr-law",
    {
        "law": has_krr_law(FOUR, 1.0),
        "private": near(epsilon(FOUR), 1),
        "two": same_law(lambda x, rng: krr(x, 2, 1.0, rng), wrr, [0, 1]),
    },
    control=(
        "e^ε over e^ε + k: the truth drawn blindly as well",
        not has_krr_law(
            laws(lambda x, rng: x if toss(exp(1) / (exp(1) + 4), rng) else pick(range(4), rng), range(4)), 1.0
        ),
    ),
)
close("ye2018", "§4.1.1, k-RR", "1 reproduced")


def rare(make, eps, k=50):
    """Variance of one person's score for an item that nobody holds."""
    return make(k=k, epsilon=eps).variance([0])[0, 1]


def risk(mechanism):
    """n times the sum of all variances, equally likely items and people drawn at random."""
    own, other = mechanism.variance([0])[0, :2]
    return own + (mechanism.k - 1) * other + 1 - 1 / mechanism.k


def crossing(k, measure):
    """ε at which k-RR and RAPPOR have the same error, by their classes."""
    return brentq(lambda eps: log(measure(GRR, eps, k) / measure(SUE, eps, k)), 1e-3, 20)


def total(make, eps, k):
    return risk(make(k=k, epsilon=eps))


settle(
    "ye2018.regime",
    {"rappor-high": rare(SUE, 6) < rare(GRR, 6), "krr-low": rare(GRR, 0.5) < rare(SUE, 0.5)},
    instead={
        "opposite": rare(GRR, 6) < rare(SUE, 6) and rare(GRR, 0.5) > rare(SUE, 0.5),
        "crossing": all(
            abs(crossing(k, measure) / (2 / 3 * log(k)) - 1) < 0.2
            for k in (50, 100, 1000, 10**4)
            for measure in (rare, total)
        ),
        "small-k": all(near(crossing(k, rare), boundary(k)) for k in LISTS)
        and [round(100 * off(k)) for k in (6, 7, 10)] == [-76, -62, -41],
        "few-values": all(rare(GRR, x, k) < rare(SUE, x, k) for k in (2, 3, 4, 5) for x in (0.01, 0.1, 1, 4, 8)),
    },
    control=("ln k as the boundary", not any(abs(boundary(k) / log(k) - 1) < 0.2 for k in LISTS)),
)
close("ye2018", "§4.1.1, (2)", "1 corrected")
FIVE = laws(lambda x, rng: subset(x, 5, 2, 1.0, rng), range(5))


def printed(k, c, eps, inside):
    return k * (exp(eps) if inside else 1) / ((c * exp(eps) + k - c) * comb(k, c))


def has_subset_law(found, k, c, eps):
    return all(
        near(float(chance), printed(k, c, eps, x in members))
        for x, one in enumerate(found)
        for members, chance in one.items()
    )


def half_way(x, rng):
    """A mistake: the own item is added with probability e^ε/(e^ε+1)."""
    others = [v for v in range(5) if v != x]
    return frozenset([x, *draw(others, 1, rng)] if toss(exp(1) / (exp(1) + 1), rng) else draw(others, 2, rng))


settle(
    "ye2018.ksubset-law",
    {
        "sum": near(comb(4, 1) * printed(5, 2, 1.0, True) + comb(4, 2) * printed(5, 2, 1.0, False), 1),
        "private": near(epsilon(FIVE), 1) and has_subset_law(FIVE, 5, 2, 1.0),
        "one": same_law(
            lambda x, rng: subset(x, 4, 1, 1.0, rng), lambda x, rng: frozenset([krr(x, 4, 1.0, rng)]), range(4)
        ),
    },
    control=(
        "the own item added with probability e^ε/(e^ε+1)",
        not has_subset_law(laws(half_way, range(5)), 5, 2, 1.0),
    ),
)


def unary(x, k, p, q, rng):
    """One bit per item, as the set of those that are set."""
    return frozenset(v for v in range(k) if toss(p if v == x else q, rng))


def sizes(client):
    """How many items a report may support."""
    return {len(report) for one in laws(client, range(4)) for report in one}


settle(
    "ye2018.one-to-many",
    {
        "krr": sizes(lambda x, rng: frozenset([krr(x, 4, 1.0, rng)])) == {1},
        "subset": sizes(lambda x, rng: subset(x, 4, 2, 1.0, rng)) == {2},
        "rappor": max(sizes(lambda x, rng: unary(x, 4, 0.5, 0.25, rng))) == 1,
    },
    control=("k-Subset of one item", sizes(lambda x, rng: subset(x, 4, 1, 1.0, rng)) != {2}),
)
close("ye2018", "§4.1.1, k-Subset", "1 reproduced, 1 reproduced under conditions")

# %% [markdown]
# (ye2018-table-4)=
# ## Table 4 · Methods for one value compared
#
# The table has all cells, in our words.
# An arrow marks what we correct or add; *c.* stands for candidates.

# %% tags=["hide-input"]
TABLE_4 = [
    (
        "RAPPOR",
        "small error → many items",
        "parameters of the filter",
        "O(h)",
        "k",
        "high: regression → few cohorts",
        "yes → to decode",
    ),
    (
        "O-RAPPOR",
        "hides the list",
        "parameters of the filter",
        "O(h)",
        "k",
        "high: regression → few cohorts",
        "no → as RAPPOR",
    ),
    (
        "S-Hist",
        "short reports",
        "unstable → with few rows; cost grows with n",
        "O(1)",
        "√(log k)",
        "high: codes, matching",
        "yes → to decode",
    ),
    (
        "PCE",
        "personal ε",
        "unstable → with few rows; cost grows with n",
        "O(1)",
        "√(log k)",
        "high: codes, matching",
        "yes → to decode",
    ),
    ("k-RR", "no codes", "poor at low ε → many items", "O(1)", "√(k³)", "low: counts", "yes"),
    (
        "O-RR",
        "hides the list",
        "poor at low ε → many slots",
        "O(1)",
        "√(k³)",
        "low: counts → many cohorts",
        "no → as RAPPOR",
    ),
    ("k-Subset", "contingency tables too", "extra error → none", "O(1) → O(c)", "k", "medium: sets to items", "yes"),
]
HEADS = ["Table 4", "advantage", "drawback", "communication", "error bound × ε√n", "computation", "c. known"]
table(pd.DataFrame(TABLE_4, columns=HEADS))

# %% [markdown]
# (sec-onebit-bounds)=
# ### Table 4 · The error bounds, measured
#
# the column as a whole: {badge}`Reproduced under conditions <ye2018.table4-order>` O-RAPPOR: {badge}`Reproduced under conditions <ye2018.orappor-bound>` O-RR: {badge}`Reproduced under conditions <ye2018.orr-bound>` · Lesson: {ref}`ch-onebit`
#
# We measured how both kinds of error grow with $k$.
# For $\sqrt{\log k}$, the exponent of $k$ is $\frac{1}{2\ln k}$, here about 0.1.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-onebit-slopes", "caption": "Both errors against the number of items: 10,000 people, equally frequent items, ε = 0.5. Means of ten surveys with real reports, with 95 % bars. A sum above 1 means that the shares are lost in the noise."}, "image": {"alt": "Two log-log panels against k from 16 to 1,024. Left, largest error: four curves nearly coincide and rise slowly from 0.08 to 0.14, k-RR rises steeply to 1.8. Right, sum of absolute errors: four curves coincide and rise with slope one, k-RR with slope one and a half."}}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.8))
for ax, kind, title in zip(axes, study.KINDS, ("largest error", "sum of absolute errors"), strict=True):
    part = found[found["kind"] == kind]
    sns.lineplot(part, x="k", y="error", ax=ax, **theory("mechanism", list(MEASURED)), legend=kind == "sum")
    sns.lineplot(part, x="k", y="error", ax=ax, **simulation("mechanism", list(MEASURED)))
    ax.set(title=title, xlabel="items k", ylabel="as a share of 1")
for ax in axes:  # only now: on a logarithmic axis, seaborn would average the logarithms
    ax.set(xscale="log", yscale="log")
    ax.set_xticks(study.SIZES, [f"{k:,}" for k in study.SIZES])
    ax.minorticks_off()
axes[1].legend(title=None, loc="upper left", fontsize=9)
plt.show()

# %% [markdown]
# The table has the whole column, with measured exponents of $k$.
# For O-RAPPOR and O-RR the exponents come from exact variances for 16 to 144 strings, and $k$ is the number of strings.

# %% tags=["hide-input"]

HASHED = {
    "O-RAPPOR": strings.growth(lambda size: one_time(bits=8, hashes=1, cohorts=size // 2, epsilon=0.5)),
    "O-RR": strings.growth(lambda size: ORR(k=size, cohorts=4, epsilon=0.5)),
}
PRINTED_4 = {
    "RAPPOR": ("k", "both; attained by the sum"),
    "O-RAPPOR": ("k", "both, small ε; attained by the sum"),
    "S-Hist": ("√(log k)", "the largest, for small ε"),
    "PCE": ("√(log k)", "the largest, for small ε"),
    KRR: ("√(k³)", "both; attained by the sum"),
    "O-RR": ("√(k³)", "both, small ε; attained by the sum"),
    "k-Subset": ("k", "both; attained by the sum"),
}
rows = []
for name, (order, kind) in PRINTED_4.items():
    slopes = (
        [f"{exponent.loc[name, what]:.2f}" for what in study.KINDS]
        if name in MEASURED
        else ["—", f"{HASHED[name]:.2f}"]
    )
    rows.append([name, order, *slopes, kind])
table(pd.DataFrame(rows, columns=["mechanism", "printed × ε√n", "largest: k to the", "sum: k to the", "true of"]))

# %% [markdown]
# For O-RAPPOR we let the number of cohorts grow with the list, and for O-RR the number of slots.
# With four slots, and as many cohorts as strings, O-RR's sum grows only like $k$.
# If these numbers stay fixed, there is soon no estimate for a longer list, and so no bound.
# For large ε the error from collisions remains, so neither method's error falls like $1/\varepsilon$.
#
# So for small ε the whole column is true of the largest error, and each bound is attained by one of the two errors.
# But the column does not rank the methods, because the bounds are not equally tight.
# In either kind of error, S-Hist, PCE, RAPPOR and k-Subset are of the same order, and k-RR is worse by a factor of $\sqrt k$.
# The survey's words below the table seem to rank RAPPOR above S-Hist, against the column.
#
# (ye2018-table-4-words)=
# ### Below Table 4 · RAPPOR's utility is high, sampling costs S-Hist some precision, k-RR is less precise
#
# with RAPPOR's small error in Table 4: {badge}`Reproduced under conditions <ye2018.table4-words>`
#
# With 128 items all three statements are true, if “high” and “small” compare RAPPOR with the other two.
# One sampled bit raises the total error by 19 % at $\varepsilon = 1$ and by 0.2 % at $\varepsilon = 0.1$ ({prf:ref}`thm-onebit`).
# For few items or a large ε, k-RR is the most precise of the three.
# With 128 items, k-Subset has less error than RAPPOR.
#
# (ye2018-table-4-krr)=
# ### Table 4, k-RR · Simple, and poor at low budgets
#
# simple: {badge}`Reproduced <ye2018.krr-simple>` poor at low budgets: {badge}`Reproduced under conditions <ye2018.krr-low-budget>` · Lesson: {ref}`sec-freq-cross`
#
# k-RR needs no coding, the collector only counts, and a report is one item.
# At low budgets k-RR is poor if there are many items.
# With up to five items it is better than RAPPOR at every budget, by (2).
#
# (ye2018-table-4-subset)=
# ### Table 4, k-Subset · For contingency tables as well, with extra error and O(1) communication
#
# tables: {badge}`Reproduced <ye2018.ksubset-tables>` medium computation: {badge}`Reproduced <ye2018.ksubset-cost>` extra error: {badge}`Corrected · probable overstatement <ye2018.ksubset-extra-error>` communication: {badge}`Reproduced under conditions · probable misprint <ye2018.ksubset-bits>` · Lesson: {ref}`sec-freq-limit`
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | Drawback: extra error when frequencies of single values are counted. | At its best size it has the $\boxed{\text{least possible}}$ total error for exactly these frequencies ({prf:ref}`thm-freq-limit`). |
# | Communication $O(1)$. | $\boxed{O(c)}$ values, proportional to $k$ at the best size. |
# :::
#
# The text beside the table praises k-Subset's precision.
# So the first cell may mean the step from counts of sets to counts of items, which the column on computation names.
# That step is exact, and adds no error.
#
# A report of k-Subset is $c$ values, which is $O(1)$ only if $c$ is fixed.
# The letter $c$ is explained above the table but does not occur in our copy of it, so the printed cell may be $O(c)$.
#
# (ye2018-table-4-others)=
# ### Table 4, S-Hist and PCE · Cost grows with the number of people, the candidates must be known
#
# cost: {badge}`Reproduced <ye2018.shist-cost>` candidates, also of k-RR and k-Subset: {badge}`Reproduced under conditions <ye2018.known-list>` unstable: {ref}`§4.1.2 <ye2018-4-1-2-unstable>` · Lesson: {ref}`sec-onebit-shist`
#
# With 1.9 rows per person, as above, most reports have a row of their own, and each row is read for every item.
# An orthogonal table, with fewer than $2k$ rows, avoids this.
#
# Clients of k-RR and k-Subset need the list to send a report.
# S-Hist's client uses only the column of its own item, which it could compute by a hash function.
# To name shares, the collector needs a list in every method.
#
# The other cells of {ref}`RAPPOR and O-RAPPOR <ye2018-table-4-rappor>` and of {ref}`O-RR <ye2018-table-4-orr>` are on their page.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled with Table 4: 7 reproduced, 8 reproduced under conditions, 1 corrected"}
GRID = [(k, eps) for k in (2, 3, 5, 16, 50, 200, 1000) for eps in np.geomspace(0.01, 12, 40)]


def worst_sum(make, order, grid=GRID):
    """The largest of √(k Σ variances) ε / order(k), which bounds the sum of errors times ε√n, for any shares."""
    found = []
    for k, eps in grid:
        own, other = make(k=k, epsilon=eps).variance([0])[0, :2]
        found.append(sqrt(k * (own + (k - 1) * other)) * eps / order(k))
    return max(found)


def half_budget(make):
    return lambda k, epsilon: make(k=k, epsilon=epsilon / 2)


def order_1(k):
    return k


def order_3(k):
    return k**1.5


def attained(name, kind, a):
    """Whether an error grows like k to the power a."""
    return abs(exponent.loc[name, kind] - a) < 0.1


def at_most(name, kind, a):
    """Whether an error grows at most like k to the power a: the meaning of O(·)."""
    return exponent.loc[name, kind] < a + 0.1


settle(
    "ye2018.rappor-bound",
    {
        "every-epsilon": worst_sum(SUE, order_1) <= 2 + 1e-9,
        "sum": attained("RAPPOR", "sum", 1),
    },
    control=(
        "the errors of k-RR, and RAPPOR at half the budget",
        not at_most(KRR, "sum", 1) and worst_sum(half_budget(SUE), order_1) > 2.1,
    ),
)
settle(
    "ye2018.krr-bound",
    {
        "every-epsilon": worst_sum(GRR, order_3) <= 1 + 1e-9,
        "sum": attained(KRR, "sum", 1.5),
        "rappor-better": exponent.loc["RAPPOR", "sum"] < exponent.loc[KRR, "sum"] - 0.4,
    },
    control=(
        "k-RR at half the budget; the order k",
        worst_sum(half_budget(GRR), order_3) > 1.1 and worst_sum(GRR, order_1) > 2,
    ),
)
settle(
    "ye2018.ksubset-bound",
    {
        "every-epsilon": worst_sum(SubsetSelection, order_1) <= 2 + 1e-9,
        "sum": attained("k-Subset", "sum", 1) and exponent.loc[KRR, "sum"] - exponent.loc["k-Subset", "sum"] > 0.4,
    },
    control=(
        "sets of one item",
        worst_sum(lambda k, epsilon: SubsetSelection(k=k, epsilon=epsilon, size=1), order_1) > 2.1,
    ),
)
ROOT_LOG = 0.1  # the exponent of √(log k) in our range


def falls_like(noise, low, high):
    """Whether the standard error of a rare item falls at least like 1/ε between two budgets."""
    return sqrt(noise(low) / noise(high)) > 0.95 * high / low


def bit_noise(eps):
    return rare(HadamardBit, eps, 64)


settle(
    "ye2018.shist-bound",
    {
        "largest": at_most("S-Hist", "largest", ROOT_LOG) and at_most("PCE", "largest", ROOT_LOG),
        "sum": at_most("S-Hist", "sum", ROOT_LOG) or at_most("PCE", "sum", ROOT_LOG),
        "small-epsilon": falls_like(bit_noise, 0.1, 0.4),
        "large-epsilon": falls_like(bit_noise, 4, 16),
    },
    control=("the errors of k-RR", not at_most(KRR, "largest", ROOT_LOG)),
)
ORDERS = {"RAPPOR": 1, "S-Hist": ROOT_LOG, "PCE": ROOT_LOG, KRR: 1.5, "k-Subset": 1}  # exponents of the bounds
settle(
    "ye2018.table4-order",
    {
        "largest": all(at_most(name, "largest", a) for name, a in ORDERS.items()),
        "attained": all(any(attained(name, kind, a) for kind in study.KINDS) for name, a in ORDERS.items()),
        "large-epsilon": falls_like(bit_noise, 4, 16),
    },
    control=("k-RR with RAPPOR's bound", not any(attained(KRR, kind, 1) for kind in study.KINDS)),
)


def filter_noise(eps, size=48, cohorts=24):
    """Variance of a rare string in O-RAPPOR, or None where the design cannot tell so many strings apart."""
    return strings.rare_noise(one_time(bits=8, hashes=1, cohorts=cohorts, epsilon=eps), strings.pages(size), 8)


def slot_noise(eps, size=48, slots=48):
    """The same in O-RR, four cohorts."""
    return strings.rare_noise(ORR(k=slots, cohorts=4, epsilon=eps), strings.pages(size), 8)


settle(
    "ye2018.orappor-bound",
    {
        "sum": abs(HASHED["O-RAPPOR"] - 1) < 0.1,
        "fixed": all(filter_noise(0.5, size, 8) is not None for size in (16, 48, 144)),
        "small-epsilon": falls_like(filter_noise, 0.1, 0.4),
        "large-epsilon": falls_like(filter_noise, 4, 16),
    },
    control=("O-RR with as many slots as strings", not abs(HASHED["O-RR"] - 1) < 0.1),
)
settle(
    "ye2018.orr-bound",
    {
        "full": abs(HASHED["O-RR"] - 1.5) < 0.1,
        "lean": strings.growth(lambda size: ORR(k=4, cohorts=size, epsilon=0.5)) < 1.1,
        "fixed": all(slot_noise(0.5, size, 16) is not None for size in (16, 48, 144)),
        "small-epsilon": falls_like(slot_noise, 0.1, 0.4),
        "large-epsilon": falls_like(slot_noise, 4, 16),
    },
    control=("O-RAPPOR", not abs(HASHED["O-RAPPOR"] - 1.5) < 0.1),
)
close("ye2018", "§4.1.1, Table 4, error bounds", "3 reproduced, 4 reproduced under conditions")
EVERY = [(k, eps) for k in range(2, 120) for eps in np.geomspace(0.01, 12, 25)]
check(
    "k-Subset's constant",
    "k = 2 to 119, ε = 0.01 to 12: the sum of errors is at most 2k/(ε√n) at the best size",
    worst_sum(SubsetSelection, order_1, EVERY) <= 2,
    control="the constant 1.9",
    caught=worst_sum(SubsetSelection, order_1, EVERY) > 1.9,
)


def score(eps):
    return (exp(eps) + 1) / (exp(eps) - 1)


SMALL = np.linspace(0.01, 1, 50)
check(
    "Derivations",
    "variances of RAPPOR and k-RR as displayed; C ≤ 13/(6ε) up to ε = 1; k R(c) at the best size",
    all(
        isclose(rare(SUE, eps, 5), 1 / (4 * sinh(eps / 4) ** 2))
        and isclose(total(GRR, eps, 5) - 4 / 5, 4 * (2 * exp(eps) + 3) / (exp(eps) - 1) ** 2)
        for eps in (0.1, 1.0, 3.0)
    )
    and all(score(eps) <= 2 / eps + eps / 6 + 1e-12 and score(eps) <= 13 / (6 * eps) for eps in SMALL)
    and isclose(
        8 * total(lambda k, epsilon: SubsetSelection(k=k, epsilon=epsilon, size=2), log(3), 8),
        (7 / sinh(log(3) / 2)) ** 2,
    ),
    control="C ≤ 2/ε; the size 3",
    caught=not all(score(eps) <= 2 / eps for eps in SMALL)
    and not isclose(
        8 * total(lambda k, epsilon: SubsetSelection(k=k, epsilon=epsilon, size=3), log(3), 8),
        (7 / sinh(log(3) / 2)) ** 2,
    ),
)


def dearer(make, k, part=1.0):
    """Whether a mechanism has a larger total error than RAPPOR, which has this part of ε."""
    return all(total(make, eps, k) > total(SUE, part * eps, k) for eps in (0.1, 1.0))


def least_precise(k):
    """Whether k-RR has a larger total error than both."""
    return all(total(GRR, eps, k) > max(total(make, eps, k) for make in (HadamardBit, SUE)) for eps in (0.1, 1.0))


settle(
    "ye2018.table4-words",
    {
        "one-bit": dearer(HadamardBit, 128),
        "krr": least_precise(128),
        "krr-few": least_precise(4),
        "least": dearer(SubsetSelection, 128),
    },
    control=("RAPPOR with half of ε", not dearer(HadamardBit, 128, part=0.5)),
)
close("ye2018", "§4.1.1, below Table 4", "1 reproduced under conditions")


def poor(k, eps):
    return total(GRR, eps, k) > total(SUE, eps, k)


settle(
    "ye2018.krr-low-budget",
    {"fifty": poor(50, 0.5), "four": poor(4, 0.5)},
    control=("ε = 0.5 for each of six bits of an item, 3 in all", not total(GRR, 3, 50) > total(SUE, 0.5, 50)),
)


def reports_items(client):
    """Whether the reports about five items are these items."""
    return {report for one in laws(client, range(5)) for report in one} == set(range(5))


def counting_is_enough(client, p, q):
    """Whether one addition per report, and one shift and scale, give unbiased shares of five items."""
    mean = np.array([[float(one.get(v, 0)) for v in range(5)] for one in laws(client, range(5))])
    return np.allclose((mean - q) / (p - q), np.eye(5))


def direct(x, rng):
    return krr(x, 5, 1.0, rng)


def in_slots(x, rng):
    """A coded client: five items in three slots, k-RR over slots."""
    return krr((0, 1, 2, 0, 1)[x], 3, 1.0, rng)


settle(
    "ye2018.krr-simple",
    {
        "no-coding": reports_items(direct),
        "counting": counting_is_enough(direct, exp(1) / (exp(1) + 4), 1 / (exp(1) + 4)),
    },
    control=(
        "items coded by three slots",
        not reports_items(in_slots) and not counting_is_enough(in_slots, exp(1) / (exp(1) + 2), 1 / (exp(1) + 2)),
    ),
)
close("ye2018", "§4.1.1, Table 4, k-RR", "1 reproduced, 1 reproduced under conditions")
P_SUB = 2 * exp(1) / (2 * exp(1) + 4)  # six items, sets of two, ε = 1
Q_SUB = (2 - P_SUB) / 5
SIX = laws(lambda x, rng: subset(x, 6, 2, 1.0, rng), range(6))


def shares_from_sets(members=lambda report: report, q=Q_SUB):
    """Mean estimates of the six shares, one row for each item held; counts of sets turned into counts of items."""
    mean = [
        [sum(float(chance) for report, chance in one.items() if v in members(report)) for v in range(6)] for one in SIX
    ]
    return (np.array(mean) - q) / (P_SUB - q)


settle(
    "ye2018.ksubset-tables",
    {"unbiased": np.allclose(shares_from_sets(), np.eye(6))},  # a table of 2 × 3 cells
    control=("the support of k-RR", not np.allclose(shares_from_sets(q=1 / (exp(1) + 5)), np.eye(6))),
)


def additions(found):
    """How many counts of items a report changes, on average."""
    return sum(float(chance) * len(report) for report, chance in found[0].items())


ONES = laws(lambda x, rng: subset(x, 6, 1, 1.0, rng), range(6))
settle(
    "ye2018.ksubset-cost",
    {
        "exact": np.allclose(shares_from_sets(), np.eye(6)),
        "more": near(additions(SIX), best_size(6, 1.0)) and additions(SIX) > 1,
    },
    control=(
        "only the smallest member of each set counted; sets of one",
        not np.allclose(shares_from_sets(lambda report: {min(report)}), np.eye(6)) and additions(ONES) <= 1 + 1e-9,
    ),
)
ORACLES = {"k-RR": GRR, "SUE": SUE, "OUE": OUE, "one bit": HadamardBit}
sets = list(SIX[0])
own = study.information(np.array([[float(one[report]) for report in sets] for one in SIX]))
channels = study.private_channels(6, 1.0, 800, rng=streams)
settle(
    "ye2018.ksubset-extra-error",
    {"beaten": min(total(make, 1.0, 50) for make in ORACLES.values()) < total(SubsetSelection, 1.0, 50)},
    instead={
        "least-risk": isclose(total(SubsetSelection, 1.0, 6) * own, 25)
        and max(map(study.information, channels)) <= own * (1 + 1e-12)
    },
    control=(
        "channels with ε = 1.05",
        max(map(study.information, study.private_channels(6, 1.05, 800, rng=streams))) > own * (1 + 1e-3),
    ),
)


def values(k, size):
    """How many values a report of k-Subset consists of."""
    (number,) = {len(report) for report in law(lambda rng: subset(0, k, size, 1.0, rng))}
    return number


def constant(size_of):
    return len({values(k, size_of(k)) for k in (4, 6, 8)}) == 1


settle(
    "ye2018.ksubset-bits",
    {"fixed": constant(lambda k: 2), "best": constant(lambda k: best_size(k, 1.0))},
    control=("sets of half the list", not constant(lambda k: k // 2)),
)
close("ye2018", "§4.1.1, Table 4, k-Subset", "2 reproduced, 1 reproduced under conditions, 1 corrected")


def rows_read(make, people=(10**4, 10**5)):
    """How many different rows occur in reports, per person."""
    return [len(np.unique(make(n).perturb(np.zeros(n, int), rng=rng)["row"])) / n for n in people]


settle(
    "ye2018.shist-cost",
    {"rows": min(rows_read(lambda n: SHist(k=50, epsilon=1.0, m=study.rows_prescribed(n, 50)))) > 0.7},
    control=("an orthogonal table", not max(rows_read(lambda n: HadamardBit(k=50, epsilon=1.0))) > 0.7),
)


def sends(signs):
    return law(lambda rng: one_bit(2, signs, 1.0, rng))


alone = [{2: row[2]} for row in TABLES[5]]  # all that is left to a client who knows nothing of other items
flipped = [{2: -row[2]} for row in TABLES[5]]


def krr_of(k):
    return law(lambda rng: krr(0, k, 1.0, rng))


settle(
    "ye2018.known-list",
    {"krr": krr_of(3) != krr_of(4), "shist": sends(alone) != sends(TABLES[5])},
    control=("another column", sends(flipped) != sends(TABLES[5])),
)
close("ye2018", "§4.1.1, Table 4, S-Hist", "1 reproduced, 1 reproduced under conditions")
