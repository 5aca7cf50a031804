# %% [markdown]
# (paper-ye2018-several)=
# # The survey, §4.1.2: several values per person
#
# *A part of the {ref}`dossier <paper-ye2018>` on {cite:t}`ye2018survey`: §4.1.2, exhibit by exhibit.*
#
# §4.1.2 repeats a method for one value, describes four methods that do better, and compares them in Table 5.
#
# The four are described correctly, and their error bounds are true, three of them under conditions.
# One statement is corrected: if ε is divided among $d$ variables, the variance grows {ref}`d²-fold <ye2018-4-1-2-a>`.
# Another probably has one wrong letter: a random table is nearly orthogonal if it has {ref}`many rows <ye2018-4-1-2-unstable>`.
#
# **Readings that are ours.**
# - $O(\cdot)$ means *at most of the order*.
# - We judge “high” by what has to be computed; we measure no times.
# - In Table 5, LDPMiner's bound has $d$ “variables” and $k$ “values”; we read them as $d$ items and $\ell$ items per person.
#
# **Letters.**
# As in the survey: $d$ variables (attributes, in LoPub) or items, $r$ fragments, $k'$ candidates, $h$ bits of a filter, $m$ bits of an S-Hist code.
# The survey's $l$ is LoPub's average code length, and also a person's number of items, which we write $\ell$.
# $C(\varepsilon) = \frac{e^\varepsilon+1}{e^\varepsilon-1}$ is the size of a one-bit score.
# Our formulas are (a), (b), … again.
#
# **Lessons.**
# {ref}`ch-onebit` teaches Harmony, {ref}`ch-rappor` RAPPOR-unknown, {ref}`ch-gfim` LDPMiner, {ref}`ch-publish` LoPub.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import combinations, product
from math import exp, inf, isclose, log2, pi, sqrt

import numpy as np
import pandas as pd

from ldpnb import (
    SUE,
    BitFlip,
    BloomFlip,
    HadamardBit,
    HarmonyFrequency,
    SampledHadamardBit,
    SampledSUE,
    SHist,
    Unknown,
    discover,
    epsilon,
    flip_for,
    law,
    laws,
    pick,
    same_law,
    toss,
)
from ldpnb.strings import one_time, threshold
from ldpnb_book import close, diagram, settle, style, table
from ldpnb_book.studies import ye2018_several as study, ye2018_strings as strings
from ldpnb_book.studies.ye2018 import rows_prescribed

style()
rng = np.random.default_rng(2018)  # the year of the survey


def C(eps):
    return (exp(eps) + 1) / (exp(eps) - 1)


# %% [markdown]
# (ye2018-4-1-2)=
# ## §4.1.2 Repeating a method
#
# (ye2018-4-1-2-a)=
# ### §4.1.2 (a) · First problem: ε is divided among d variables
#
# error and communication: {badge}`Reproduced <ye2018.split>` variance: {badge}`Corrected · certain <ye2018.split-variance>` · Lesson: {ref}`sec-onebit-harmony`
#
# Each variable is reported at $\varepsilon/d$.
# The survey says that the error bounds of RAPPOR and S-Hist become
#
# $$ O\Big(\frac{dk}{\varepsilon\sqrt n}\Big), \qquad O\Big(\frac{d\sqrt{\log k}}{\varepsilon\sqrt n}\Big). $$
#
# This is right: substitute $\varepsilon/d$ for ε.
# The error of one-bit reports grows at most $d$-fold at every ε.
# Communication grows $d$-fold as well.
# For one-bit reports and small ε, the variance is
#
# $$ n \Var \hat f_v = C\Big(\frac\varepsilon d\Big)^2 - f_v \approx \frac{4d^2}{\varepsilon^2}. $$
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | The error bound and the variance grow $d$-fold. | The error bound grows $d$-fold, the variance $\boxed{d^2}$-fold. |
# :::
#
# (ye2018-4-1-2-second)=
# ### Second problem · Relations between variables are lost
#
# {badge}`Reproduced under conditions <ye2018.correlation-lost>` · Lesson: {ref}`sec-onebit-harmony`
#
# Two groups of people may have the same shares of each variable and opposite relations: $\{00, 11\}$ and $\{01, 10\}$.
# Estimates of one variable at a time cannot tell the groups apart.
# If each person reports one sampled variable, the reports themselves cannot.
# But reports on *all* variables of a person contain the relation.


# %%
def one_bit(x, signs, eps, rng):
    """S-Hist: a public row, and the sign of x there, through W-RR."""
    row = pick(range(len(signs)), rng)
    true = toss(exp(eps) / (exp(eps) + 1), rng)
    return row, signs[row][x] if true else -signs[row][x]


def repeated(record, tables, eps, rng):
    """Every variable at ε/d."""
    part = eps / len(record)
    return tuple(one_bit(x, t, part, rng) for x, t in zip(record, tables, strict=True))


def harmony(record, tables, eps, rng):
    """Harmony: one variable at random, and one bit about it."""
    a = pick(range(len(record)), rng)
    return a, *one_bit(record[a], tables[a], eps, rng)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled on repeating: 1 reproduced, 1 reproduced under conditions, 1 corrected"}
def sylvester(m):
    """Signs with orthogonal columns, by doubling."""
    rows = [(1,)]
    while len(rows) < m:
        rows = [r + r for r in rows] + [r + tuple(-s for s in r) for r in rows]
    return rows


def grows(d, eps=0.01):
    """Variance of a rare value with ε/d, over that with ε."""
    return (HadamardBit(k=4, epsilon=eps / d).variance([0]) / HadamardBit(k=4, epsilon=eps).variance([0]))[0, 1]


def error_grows(eps):
    return all(abs(sqrt(grows(d, eps)) / d - 1) < 0.01 for d in (2, 5, 10))


two, four = sylvester(2), sylvester(4)
settle(
    "ye2018.split",
    {
        "error": error_grows(0.01),
        "every-epsilon": all(grows(d, eps) <= d**2 for d in (2, 5, 10) for eps in (0.01, 1, 4, 8)),
        "two-reports": all(len(sent) == 2 for sent in law(lambda rng: repeated((0, 1), [two, four], 1.0, rng))),
    },
    control=("the variance taken for the error", not any(abs(grows(d) / d - 1) < 0.01 for d in (2, 5, 10))),
)
settle(
    "ye2018.split-variance",
    {"d-times": any(abs(grows(d) / d - 1) < 0.01 for d in (2, 5, 10))},
    instead={"d-squared": all(abs(grows(d) / d**2 - 1) < 0.01 for d in (2, 5, 10))},
)
close("ye2018", "§4.1.2, first problem", "1 reproduced, 1 corrected")
ALIGNED, CROSSED, LIKE = [(0, 0), (1, 1)], [(0, 1), (1, 0)], [(0, 0), (0, 1)]


def told_apart(client, people, others):
    """Whether the law of a report differs between people drawn from two groups."""
    return law(lambda rng: client(pick(people, rng), [two, two], 1.0, rng)) != law(
        lambda rng: client(pick(others, rng), [two, two], 1.0, rng)
    )


def shares(people):
    return np.mean(people, axis=0).tolist()


settle(
    "ye2018.correlation-lost",
    {
        "one-at-a-time": shares(ALIGNED) == shares(CROSSED),
        "sampled": not told_apart(harmony, ALIGNED, CROSSED),
        "split": not told_apart(repeated, ALIGNED, CROSSED),
    },
    control=("a group with other shares", told_apart(harmony, ALIGNED, LIKE) and shares(ALIGNED) != shares(LIKE)),
)
close("ye2018", "§4.1.2, second problem", "1 reproduced under conditions")

# %% [markdown]
# (ye2018-4-1-2-unknown)=
# ## §4.1.2 RAPPOR-unknown
#
# (ye2018-4-1-2-b)=
# ### §4.1.2 (b) · What is sent: a string, and some of its fragments
#
# {badge}`Definition` budget: {badge}`Reproduced <ye2018.unknown-budget>` communication: {badge}`Reproduced <ye2018.unknown-bits>` many fragments: {badge}`Reproduced <ye2018.unknown-many>` · Lesson: {ref}`sec-rappor-unknown`
#
# $$ \{X', G_1', \ldots, G_r', g_1, \ldots, g_r\} $$
#
# $X'$ is RAPPOR's report on the string, $g_1, \ldots, g_r$ are positions, and $G_1', \ldots, G_r'$ are the fragments at these positions.
# The text calls the fragments substrings of the original string.
# But the prime, and the division of ε into $r+1$ equal parts, show that they are perturbed.
#
# $O(h) + O(r)$ is right for fragments of a fixed length.
# Many fragments do not suit the method: with six positions, two were best at every ε we tried.
#
# (ye2018-4-1-2-c)=
# ### §4.1.2 (c) · The list, the joint distribution, and the error bound
#
# list: {badge}`Reproduced under conditions <ye2018.unknown-dictionary>` EM: {badge}`Reproduced <ye2018.unknown-em>` matching: {badge}`Reproduced under conditions <ye2018.unknown-cost>` bound: {badge}`Reproduced under conditions <ye2018.unknown-bound>` · Lesson: {ref}`sec-rappor-unknown`
#
# Fragments that occur together are joined into candidates.
# Three quarters of our 200,000 people hold one of eight six-letter words.
# At $\varepsilon = 6$, though not at 2, the six most frequent words become candidates:

# %% tags=["hide-input"]
LETTERS = "_adenorst"
WORDS = ["tender", "nested", "render", "rested", "sanded", "stored", "rester", "donate"]
SHARES = [0.20, 0.15, 0.12, 0.10, 0.08, 0.06, 0.04, 0.007]
spoken = study.words(LETTERS[1:], 6, WORDS, SHARES, 200_000, seed=2014)


def fragments_of(eps):
    return Unknown(alphabet=LETTERS, length=6, gram=2, slots=2, epsilon=eps, bits=32, hashes=1, cohorts=16)


sent = {eps: fragments_of(eps).perturb(spoken, rng=rng) for eps in (6.0, 2.0)}
heard = {eps: discover(fragments_of(eps).tally(reports)) for eps, reports in sent.items()}
print(", ".join(heard[6.0].items))

# %% [markdown]
# For several variables, expectation maximisation (EM) finds the most likely joint distribution: 20,000 people, 4 × 3 values, $\varepsilon = 6$.
#
# The bound is $O\big(\frac{k}{\varepsilon\sqrt n}\big)$ in the text and $O\big(\frac{dk}{\varepsilon\sqrt n}\big)$ in Table 5, where ε is also divided among $d$ variables.
# A report on the whole string has $\varepsilon/(r+1)$, so for candidates the bound holds with a factor $r+1$.
# But the noises of two fragments, each proportional to $1/\varepsilon$, multiply, so the smallest share that is discovered is of the order $\frac{1}{\varepsilon^2\sqrt n}$.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled for RAPPOR-unknown: 4 reproduced, 3 reproduced under conditions"}


def flipped(bits, eps, rng):
    """Bits with one bit set, each flipped so that two such vectors differ by ε."""
    return tuple(bit ^ toss(1 / (exp(eps / 2) + 1), rng) for bit in bits)


def unknown_client(string, eps, rng, raw=False):
    """Two letters, two fragments: the string and each letter at ε/3, as four or two flipped bits."""
    whole = flipped([string == other for other in ("aa", "ab", "ba", "bb")], eps / 3, rng)
    parts = tuple(letter if raw else flipped([letter == x for x in "ab"], eps / 3, rng) for letter in string)
    return whole, *parts


def spent(part=lambda sent: sent, raw=False):
    return epsilon(laws(lambda x, rng: part(unknown_client(x, 3.0, rng, raw)), ["aa", "bb"]))


settle(
    "ye2018.unknown-budget",
    {"thirds": all(isclose(spent(lambda sent, i=i: sent[i]), 1) for i in range(3)) and isclose(spent(), 3)},
    control=("fragments sent as they are", spent(raw=True) == inf),
)


def small(r, eps, gram=1):
    """Six letters, r fragments."""
    return Unknown(alphabet="_ab", length=6, gram=gram, slots=r, epsilon=eps, bits=32, hashes=1, cohorts=1)


def length(r, gram=1):
    """Private bits of a report that is made."""
    sent = small(r, 1.0, gram).perturb(["abbaba"], rng=rng)
    return sent["bits"].size + sent["grams"].size


lengths = [length(r) for r in range(2, 7)]
settle(
    "ye2018.unknown-bits",
    {"equal-steps": len(set(np.diff(lengths).tolist())) == 1 and lengths[0] == 32 + 2 * small(2, 1.0).k},
    control=("longer fragments", length(2, gram=2) != lengths[0]),
)


def pair_noise(r, eps):
    """Exact noise of a pair of fragments that a person does not have."""
    return small(r, eps).variance(["aaaaaa"])[0, 0, 2, 2]


def best_number(eps_for, budgets=(1.0, 4.0, 8.0, 16.0)):
    return {min(range(2, 7), key=lambda r, e=e: pair_noise(r, eps_for(r, e))) for e in budgets}


settle(
    "ye2018.unknown-many",
    {"people": best_number(lambda r, e: e) == {2}, "longer": bool(np.all(np.diff(lengths) > 0))},
    control=("ε that is not divided", best_number(lambda r, e: e * (r + 1) / 3, (1.0, 4.0)) == {6}),
)


def all_six(found):
    return set(WORDS[:6]) <= set(found.items)


torn = sent[6.0].copy()
torn["grams"][:, 1] = rng.permutation(torn["grams"][:, 1])
settle(
    "ye2018.unknown-dictionary",
    {"found": all_six(heard[6.0]), "small-epsilon": all_six(heard[2.0])},
    control=("second fragments exchanged among people", not all_six(discover(fragments_of(6.0).tally(torn)))),
)
JOINT = np.array([[0.20, 0.02, 0.03], [0.02, 0.15, 0.03], [0.05, 0.05, 0.20], [0.10, 0.10, 0.05]])
own = np.divmod(rng.choice(12, size=20_000, p=JOINT.ravel()), 3)
sample = np.bincount(3 * own[0] + own[1], minlength=12).reshape(4, 3) / 20_000
NAMES = (np.array(["a0", "a1", "a2", "a3"], object), np.array(["b0", "b1", "b2"], object))
side = one_time(bits=8, hashes=1, cohorts=8, epsilon=3.0)
sides = [side.perturb(names[held], rng=rng) for names, held in zip(NAMES, own, strict=True)]


def likelihoods(mechanism, names, sent):
    """Probability of each report under each value."""
    P1, P0 = map(float, mechanism.support)
    one = np.where(mechanism.filters(list(names))[:, sent["cohort"]], P1, P0)
    return np.where(sent["bits"], one, 1 - one).prod(2).T


def joint_off(mechanism):
    found = study.likeliest_pair(*(likelihoods(mechanism, *pair) for pair in zip(NAMES, sides, strict=True)))
    return np.abs(found - sample).max()


settle(
    "ye2018.unknown-em",
    {"close": joint_off(side) < 0.015},
    control=("the likelihood at another ε", joint_off(one_time(bits=8, hashes=1, cohorts=8, epsilon=5.0)) > 0.015),
)


def more_than_bits(compared):
    """Whether over ten comparisons are made for each count of RAPPOR's bits."""
    return compared > 10 * 16 * 32


def pairs_of(u):
    return len(u.pairs) * int(u.possible.sum())


binary = Unknown(alphabet="_ab", length=6, gram=2, slots=2, epsilon=6.0, bits=32, hashes=1, cohorts=16)
settle(
    "ye2018.unknown-cost",
    {"pairs": more_than_bits(pairs_of(fragments_of(6.0))), "two-letters": more_than_bits(pairs_of(binary))},
    control=("fragments counted in place of pairs", not more_than_bits(3 * fragments_of(6.0).k)),
)


def over_rappor(r, eps=0.5):
    """Exact standard error of shares of whole strings, over RAPPOR's with all of ε."""
    parts = Unknown(alphabet="_ab", length=6, gram=1, slots=r, epsilon=eps, bits=32, hashes=1, cohorts=8).whole
    alone = one_time(bits=32, hashes=1, cohorts=8, epsilon=eps)
    return sqrt(strings.rare_noise(parts, strings.pages(50)) / strings.rare_noise(alone, strings.pages(50)))


def at_most(r, factor):
    return over_rappor(r) < 1.02 * factor


smallest = {eps: threshold(fragments_of(eps), 1.0) * sqrt(pair_noise(2, eps) / 10**6) for eps in (0.5, 1.0)}
settle(
    "ye2018.unknown-bound",
    {
        "two-fragments": at_most(2, 3),
        "five-fragments": at_most(5, 6),
        "discovered": smallest[0.5] < 2.2 * smallest[1.0],
    },
    control=("the factor r", not at_most(2, 2) and not at_most(5, 5)),
)
close("ye2018", "§4.1.2, RAPPOR-unknown", "4 reproduced, 3 reproduced under conditions")

# %% [markdown]
# (ye2018-4-1-2-harmony)=
# ## §4.1.2 Harmony-Frequency
#
# (ye2018-4-1-2-unstable)=
# ### Why not S-Hist · A random table is unstable
#
# {badge}`Reproduced under conditions · probable slip of a letter <ye2018.shist-unstable>` · Lesson: {ref}`sec-onebit-shist`
#
# The survey says that S-Hist's accuracy is unstable, since its signs are random.
# By {prf:ref}`thm-shist`, a random table of $m$ rows adds to the variance of each estimate about
#
# $$ \frac1m \sum_x f_x^2. $$
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | Columns are orthogonal if the number $k$ of candidates is large enough. | Columns are nearly orthogonal if the number $\boxed{m}$ of rows is large enough. |
# :::
#
# With 64 rows, errors do differ visibly between tables.
# The survey has $m = O(n)$ rows; with 1.9 per person ({ref}`zhang2018 <paper-zhang2018>`), they do not.
#
# (ye2018-4-1-2-matrix)=
# ### Harmony's table · Orthogonal columns by iteration
#
# {badge}`Reproduced under conditions <ye2018.harmony-orthogonal>` Harmony-Mean in “§5.2”: {badge}`Slip · certain` · Lesson: {ref}`sec-onebit-hadamard`
#
# Doubling gives a $k \times k$ table with orthogonal columns if $k$ is a power of two.
# For other $k$, take the next power of two as the number of rows, and $k$ columns.
# Harmony-Mean is in §4.2.
#
# (ye2018-4-1-2-both)=
# ### Harmony · For means and for frequencies
#
# {badge}`Reproduced <ye2018.harmony-both>` · Lesson: {ref}`sec-means-sample`
#
# In each row of the table, every value of a variable has a sign.
# Harmony-Frequency is {ref}`Harmony-Mean <ye2018-harmony-mean>` of these signs, for a row drawn in public.
#
# (ye2018-4-1-2-d)=
# ### §4.1.2 (d) · Harmony's error bound
#
# {badge}`Reproduced under conditions <ye2018.harmony-better>` · Lesson: {ref}`sec-onebit-harmony`
#
# The survey compares this bound with that of S-Hist in (a), and concludes that Harmony-Frequency is more precise:
#
# $$ O\Big(\frac{\sqrt{d\log k}}{\varepsilon\sqrt n}\Big). $$
#
# One of $d$ variables is sampled, so a score is $\pm d\,C(\varepsilon)$ with probability $1/d$, and 0 otherwise:
#
# $$ \begin{aligned}
# \text{sampled: } n \Var \hat f_v &= d\,C(\varepsilon)^2 - f_v \approx \frac{4d}{\varepsilon^2}, \\
# \text{repeated: } n \Var \hat f_v &= C(\varepsilon/d)^2 - f_v \approx \frac{4d^2}{\varepsilon^2}.
# \end{aligned} $$
#
# So for small ε the error is smaller by a factor of $\sqrt d$, as the survey says.
# Beyond about $\varepsilon = 2\sqrt d$, repeating is better ({prf:ref}`thm-harmony`).
#
# (ye2018-table-5-harmony)=
# ### Table 5, Harmony-Frequency · Sampling costs precision, all of ε for the sampled variable, O(m)
#
# sampling: {badge}`Reproduced under conditions <ye2018.harmony-sampling>` budget: {badge}`Reproduced <ye2018.harmony-budget>` communication: {badge}`Reproduced <ye2018.harmony-bits>` computation: {badge}`Reproduced <ye2018.harmony-cost>` candidates, also of LDPMiner: {badge}`Reproduced under conditions <ye2018.known-several>` · Lesson: {ref}`sec-onebit-harmony`
#
# Sampling is less precise than reporting one variable alone, and at small ε more precise than repeating.
# $O(m)$ is true, but far from tight: a report has one private bit, and the public numbers of a variable and a row.
# Decoding matches the sums by rows with the code of each value.
# The client needs only the codes of its own values; LDPMiner's second report needs the whole list.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled for Harmony-Frequency: 3 reproduced, 4 reproduced under conditions"}
FALLING = np.exp(-np.arange(1, 51) / 10) / np.exp(-np.arange(1, 51) / 10).sum()


def squares(m, tables=range(10)):
    """Exact mean square errors of ten random tables, 10,000 people."""
    return np.array([study.mean_square(SHist(k=50, epsilon=1.0, m=m, matrix=i), FALLING, 1e4) for i in tables])


def coherence(k, m):
    """Largest product of two columns of a random table."""
    return np.abs(SHist(k=k, epsilon=1.0, m=m).gram - np.eye(k)).max()


def unstable(values):
    return values.max() / values.min() > 1.2


orthogonal = np.mean(FALLING @ HadamardBit(k=50, epsilon=1.0).variance(np.arange(50))) / 1e6
added = np.mean(np.square(FALLING).sum() - FALLING**2) / rows_prescribed(10**6, 50)
settle(
    "ye2018.shist-unstable",
    {
        "tables": unstable(squares(64)),
        "tables-of-order-n": unstable(squares(rows_prescribed(10**4, 50))),
        "with-k": coherence(10, 64) > coherence(50, 64) > coherence(200, 64),
        "with-m": all(coherence(k, 64) > coherence(k, 1024) > coherence(k, 16384) for k in (10, 50, 200)),
        "order-n": sqrt(1 + added / orthogonal) > 1.01,
    },
    control=("one table ten times", not unstable(squares(64, [0] * 10))),
)


def products(rows):
    """Largest product of two different columns, and whether each has the square of the number of rows."""
    signs = np.array(rows)
    return np.abs(signs.T @ signs - len(signs) * np.eye(signs.shape[1])).max()


settle(
    "ye2018.harmony-orthogonal",
    {
        "power-of-two": all(products(sylvester(m)) == 0 for m in (2, 4, 64)),
        "six": products(np.array(sylvester(8))[:6, :6]) == 0,
    },
    control=("random signs", products(1 - 2 * rng.integers(0, 2, (64, 64))) > 0),
)


def sampled(eps, d=10):
    return HarmonyFrequency(sizes=(4,) * d, epsilon=eps).variance([[0] * d])[0, 1]


def alone(eps):
    """Variance of a rare value of one variable."""
    return HadamardBit(k=4, epsilon=eps).variance([0])[0, 1]


def root_d(eps, budget=1.0):
    return abs(sqrt(alone(eps / 10) / sampled(budget * eps)) / sqrt(10) - 1) < 0.01


settle(
    "ye2018.harmony-better",
    {
        "small-epsilon": sampled(0.1) < alone(0.01),
        "root-d": root_d(0.1),
        "large-epsilon": sampled(10.0) < alone(1.0),
    },
    control=("half of the budget", not root_d(0.1, 0.5)),
)


def by_means(x, rng, rows=4):
    """Harmony-Mean of the signs that the items of two variables have in a row drawn in public."""
    row, j = pick(range(rows), rng), pick(range(len(x)), rng)
    number = (-1) ** (row & x[j]).bit_count()
    sign = 1 if toss((1 + number) / 2, rng) else -1
    told = sign if toss(exp(1) / (exp(1) + 1), rng) else -sign
    return j, row, told == -1


def is_frequency(client):
    return same_law(client, HarmonyFrequency(sizes=(3, 3), epsilon=1.0), [(0, 1), (2, 2), (1, 0)])


settle(
    "ye2018.harmony-both",
    {"same-law": is_frequency(by_means)},
    control=("three rows of the table", not is_frequency(lambda x, rng: by_means(x, rng, rows=3))),
)
close("ye2018", "§4.1.2, Harmony-Frequency", "1 reproduced, 3 reproduced under conditions")
settle(
    "ye2018.harmony-sampling",
    {"one-alone": sampled(0.1) > alone(0.1), "splitting": sampled(0.1) > alone(0.01)},
    control=("d = 1, where nothing is sampled", not sampled(0.1, 1) > alone(0.1) + 1e-9),
)
RECORDS = [(0, 0), (1, 0), (0, 1)]


def whole_for_each(client):
    """Whether a change of either variable alone attains all of ε = 1."""
    return all(
        isclose(epsilon(laws(lambda x, rng: client(x, [two, four], 1.0, rng), [RECORDS[0], other])), 1)
        for other in RECORDS[1:]
    )


settle(
    "ye2018.harmony-budget",
    {"whole": whole_for_each(harmony)},
    control=("ε divided", not whole_for_each(repeated)),
)


def private_values(client, public):
    """The largest number of reports that have the same public part."""
    sent = {report for one in laws(client, RECORDS) for report in one}
    return max(sum(public(a) == public(b) for b in sent) for a in sent)


bits = {
    m: log2(private_values(lambda x, rng, m=m: harmony(x, [sylvester(m)] * 2, 1.0, rng), lambda y: y[:2]))
    for m in (2, 4, 16)
}
settle(
    "ye2018.harmony-bits",
    {"at-most": all(b <= m for m, b in bits.items()), "one": set(bits.values()) == {1.0}},
    control=(
        "every variable reported",
        private_values(lambda x, rng: repeated(x, [two, two], 1.0, rng), lambda y: tuple(row for row, _ in y)) > 2,
    ),
)


def from_rows(matched=True):
    """Mean estimates for both variables of (2, 1): the sums of each row's bits, matched with the codes of values."""
    sums = np.zeros((2, 4))
    for (a, row, sign), p in law(lambda rng: harmony((2, 1), [four, four], 1.0, rng)).items():
        sums[a, row] += float(p) * 2 * C(1.0) * sign
    return sums @ np.array(four) if matched else sums


settle(
    "ye2018.harmony-cost",
    {"matching": np.allclose(from_rows(), np.eye(4)[[2, 1]])},
    control=("sums of rows taken for shares", not np.allclose(from_rows(matched=False), np.eye(4)[[2, 1]])),
)
close("ye2018", "§4.1.2, Table 5, Harmony-Frequency", "3 reproduced, 1 reproduced under conditions")

# %% [markdown]
# (ye2018-4-1-2-ldpminer)=
# ## §4.1.2 LDPMiner
#
# (ye2018-fig-4)=
# ### Fig. 4 · Frequent items in two phases
#
# {badge}`Drawn` from the survey's words · Lesson: {ref}`sec-gfim-clients`
#
# Each person holds $\ell$ of $d$ items.
# The first phase finds the $k'$ most frequent items, and the second counts only these.

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Fig. 4, redrawn from the survey's words. Each person takes part in both phases, with one sampled item in each. The list of k′ items comes back from the collector, and the second report is about these alone."}, "image": {"alt": "Two lanes. In the private lane a set of items leads to sampling S-Hist, and further right to sampling RAPPOR. In the public lane report 1 leads to counts and to the k prime top items, whose list goes back to the people; report 2 leads to k prime shares."}}
ax = diagram.flow(
    [
        ("person", "set of items"),
        ("person", "sampling\nS-Hist"),
        ("collector", "counts", "report 1"),
        ("collector", "k′ top\nitems"),
        ("person", "sampling\nRAPPOR", "their list"),
        ("collector", "k′ shares", "report 2"),
    ],
    chance=["sampling\nS-Hist", "sampling\nRAPPOR"],
)


# %%
def draw(items, slots, rng):
    """One item of a set that is padded; None for a dummy."""
    at = pick(range(max(slots, len(items))), rng)
    return sorted(items)[at] if at < len(items) else None


def first(items, signs, ell, eps, rng):
    """Sampling S-Hist: one bit about one item; a fair bit about a dummy."""
    item = draw(items, ell, rng)
    if item is None:
        return pick(range(len(signs)), rng), pick((-1, 1), rng)
    return one_bit(item, signs, eps, rng)


def second(items, candidates, eps, rng):
    """Sampling RAPPOR: bits about one candidate that the person holds."""
    item = draw(set(items) & set(candidates), len(candidates), rng)
    flip = 1 / (exp(eps / 2) + 1)
    return tuple((v == item) ^ toss(flip, rng) for v in candidates)


# %% [markdown]
# (ye2018-4-1-2-gains)=
# ### LDPMiner's two gains · Sampling, and a shorter list
#
# sampling: {badge}`Reproduced under conditions <ye2018.ldpminer-sampling>` two steps: {badge}`Reproduced under conditions <ye2018.ldpminer-two-steps>` · Lesson: {ref}`sec-gfim-pays`
#
# (1) *Sampling avoids dividing ε among items.*
# As for Harmony, with $\ell$ for $d$, sampling and dividing are equal near $\varepsilon = 2\sqrt\ell$ for one-bit reports.
# For RAPPOR, sampling always wins.
#
# (2) *A shorter list leaves more budget for each candidate.*
# The second phase has half of ε, and pads sets to $k'$ items instead of $\ell$.
# It sends RAPPOR's bits, and has less noise than one phase of S-Hist with all of ε if
#
# $$ \frac{k'}{2\sinh(\varepsilon/8)} < \ell\,C(\varepsilon). $$
#
# For small ε this means $2k' < \ell$: true for 10 candidates and $\ell = 47$, false for 60 and $\ell = 50$.
#
# (ye2018-table-5-ldpminer)=
# ### Table 5, LDPMiner · O(h) + O(m), two rounds of decoding, a small error for heavy hitters
#
# budget: {badge}`Reproduced <ye2018.ldpminer-budget>` communication: {badge}`Reproduced <ye2018.ldpminer-bits>` computation: {badge}`Reproduced <ye2018.ldpminer-cost>` bound: {badge}`Reproduced under conditions <ye2018.ldpminer-bound>` small error: {badge}`Reproduced under conditions <ye2018.ldpminer-table5>` · Lesson: {ref}`sec-gfim-differs`
#
# The first report has one private bit and the second $k'$, so $O(h) + O(m)$ is true, though $O(m)$ is not tight.
# For $O\big(\frac{dk}{\varepsilon\sqrt n}\big)$ see the readings above: a score of the first phase is $\pm\ell\,C(\varepsilon/2)$ for each of $d$ items.
# For small ε, the sum of the $d$ errors is of the order
#
# $$ d \cdot \ell\,C(\varepsilon/2) \cdot \frac{1}{\sqrt n} \approx \frac{4\,d\,\ell}{\varepsilon\sqrt n}. $$
#
# For large ε, $C$ tends to 1, so the error does not fall like $1/\varepsilon$.
#
# We drew 30,000 people with 50 of 256 items each, and looked 40 times for the ten most frequent items:

# %% tags=["hide-input"]
people, counts = study.baskets(30_000, 256, 50, rng=rng)
top = {
    eps: pd.DataFrame([study.found_of_top(people, counts, 50, 10, eps, rng=rng) for _ in range(40)]) for eps in (1, 8)
}
table(
    pd.DataFrame(
        [(f"{eps}", *(f"{x:.0%}" for x in found.mean())) for eps, found in top.items()],
        columns=["ε", "one phase with all of ε finds", "LDPMiner finds"],
    )
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled for LDPMiner: 3 reproduced, 5 reproduced under conditions"}


def bit_gain(eps, ell):
    """Noise of one-bit reports on each of ℓ items at ε/ℓ, over one report on a sampled item: each has ℓ slots."""
    return C(eps / ell) ** 2 / (ell * C(eps) ** 2)


def rappor_gain(eps, ell):
    """The same for RAPPOR, ℓ vectors."""
    divided, whole = (SUE(k=2, epsilon=x).variance([0])[0, 1] for x in (eps / ell, eps))
    return divided / (ell * whole)


SET_SIZES, BUDGETS = (5, 50), (0.1, 0.5, 1, 2, 4)
settle(
    "ye2018.ldpminer-sampling",
    {
        "one-bit": all(bit_gain(eps, ell) > 1 for ell in SET_SIZES for eps in BUDGETS),
        "rappor": all(rappor_gain(eps, ell) > 1 for ell in SET_SIZES for eps in (*BUDGETS, 16)),
        "one-bit-large-epsilon": any(bit_gain(16, ell) > 1 for ell in SET_SIZES),
    },
    control=("sets of one item", not bit_gain(1, 1) > 1 + 1e-9),
)


def pays(candidates, ell, eps, slots=None):
    """Whether the second phase with ε/2 has less noise than one phase with ε."""
    second = SampledSUE(d=candidates, ell=slots or candidates, epsilon=eps / 2)
    return second.rare_variance < SampledHadamardBit(d=256, ell=ell, epsilon=eps).rare_variance


settle(
    "ye2018.ldpminer-two-steps",
    {"ten-candidates": pays(10, 47, 1.0), "sixty-candidates": pays(60, 50, 2.0)},
    control=("the second phase pads to ℓ as well", not pays(10, 47, 1.0, slots=47)),
)
close("ye2018", "§4.1.2, LDPMiner", "2 reproduced under conditions")
SETS = [set(some) for size in range(5) for some in combinations(range(4), size)]


def both(part):
    """Exact ε of both reports about four items, each with this part of ε = 1."""
    return epsilon(laws(lambda s, rng: (first(s, four, 2, part, rng), second(s, (3, 0), part, rng)), SETS))


settle(
    "ye2018.ldpminer-budget",
    {"halves": both(0.5) <= 1},
    control=("all of ε in both phases", both(1.0) > 1.4),
)


def values(client, public=lambda y: 0):
    """The largest number of reports of all sets that have the same public part."""
    sent = {report for one in laws(client, SETS) for report in one}
    return max(sum(public(a) == public(b) for b in sent) for a in sent)


def by_table(m):
    return values(lambda s, rng: first(s, sylvester(m), 2, 1.0, rng), lambda y: y[0])


settle(
    "ye2018.ldpminer-bits",
    {
        "first": {by_table(m) for m in (4, 8, 16)} == {2},
        "second": all(
            values(lambda s, rng, c=c: second(s, c, 1.0, rng)) == 2 ** len(c) for c in ((0,), (0, 1), (0, 1, 3))
        ),
    },
    control=("the row taken for private", values(lambda s, rng: first(s, four, 2, 1.0, rng)) > 2),
)


def decoded(candidates):
    """How many shares are decoded in each round of a run."""
    rounds = study.ldpminer(
        people[:50], d=256, ell=50, first_epsilon=0.5, second_epsilon=0.5, candidates=candidates, rng=rng
    )
    return len(rounds.first), len(rounds.second)


settle(
    "ye2018.ldpminer-cost",
    {"twice": decoded(4) == (256, 4)},
    control=("eight candidates", decoded(8) != (256, 4)),
)


def sum_of_errors(d, ell, eps, n):
    """Expected sum of absolute errors of a first phase with ε/2 over d rare items."""
    return d * sqrt(2 / pi * SampledHadamardBit(d=int(d), ell=int(ell), epsilon=eps / 2).rare_variance / n)


def of_order(eps, wanted=(1, 1, -1, -0.5)):
    found = study.grows_like(sum_of_errors, {"d": 1000, "ell": 50, "eps": eps, "n": 10**6})
    return np.allclose([*found.values()], wanted, atol=0.05)


settle(
    "ye2018.ldpminer-bound",
    {"small-epsilon": of_order(0.1), "large-epsilon": of_order(8.0)},
    control=("k read as a number that does not matter", not of_order(0.1, (1, 0, -1, -0.5))),
)


def better(eps, found=None):
    return (top[eps] if found is None else found)["LDPMiner"].mean() > top[eps]["one phase"].mean()


rarest = pd.DataFrame([study.found_of_top(people, -counts, 50, 10, 8, rng=rng) for _ in range(5)])


settle(
    "ye2018.ldpminer-table5",
    {
        "large-epsilon": better(8),
        "small-epsilon": better(1),
    },
    control=("the rarest items taken for the top", not better(8, rarest)),
)


def depends(client, own, others):
    """Whether the law of a report depends on more than what the person's own values need."""
    return law(lambda rng: client(own, rng)) != law(lambda rng: client(others, rng))


def harmony_with(columns, rng):
    return harmony((2, 1), columns, 1.0, rng)


def second_with(candidates, rng):
    return second({0, 1}, candidates, 1.0, rng)


OWN = [[{x: row[x]} for row in four] for x in (2, 1)]  # codes of the own values alone
settle(
    "ye2018.known-several",
    {
        "second-phase": depends(second_with, (0, 2), (0, 1)),
        "harmony": depends(harmony_with, OWN, [four, four]),
    },
    control=("codes of other values", depends(harmony_with, OWN, [[r[:2] + r[:2] for r in four]] * 2)),
)
close("ye2018", "§4.1.2, Table 5, LDPMiner", "3 reproduced, 3 reproduced under conditions")

# %% [markdown]
# (ye2018-4-1-2-lopub)=
# ## §4.1.2 LoPub · A Markov network and synthetic records
#
# client: {badge}`Reproduced <ye2018.lopub-client>` network: {badge}`Reproduced under conditions <ye2018.lopub-network>` · Lesson: {ref}`ch-publish`
#
# The filters of a person's $d$ values are joined, and every bit is perturbed once, as in RAPPOR's permanent response.
# From the reports, the collector estimates pairs of attributes, links dependent ones in a network, estimates the table of each maximal clique, and draws synthetic records.
#
# Our parameters are 8 bits and two hash functions per attribute, $f = \frac12$, and a threshold of 0.15.
# We planted a network of six attributes, and ran five surveys of 20,000 people.
# At $f = \frac12$, ε is 26 for a record.


# %%
def lopub(record, codes, f, rng):
    """The filters of all values, joined; bits change with probability f/2."""
    joined = [bit for x, code in zip(record, codes, strict=True) for bit in code[x]]
    return tuple(bool(bit) ^ toss(f / 2, rng) for bit in joined)


# %% tags=["hide-input"]
loud = BloomFlip(sizes=study.SIZES, f=0.5, bits=8, hashes=2)
quiet = BloomFlip(sizes=study.SIZES, f=flip_for(2.0, loud.distance), bits=8, hashes=2)
surveys = pd.DataFrame([study.published(loud, 20_000, 0.15, rng=rng) for _ in range(5)])
few = study.published(quiet, 20_000, 0.15, rng=rng, gap=1e-3)
WHAT = {
    "edges": "share of true edges that are found",
    "cliques": "distance of the whole table, by cliques",
    "at once": "the same, all cells at once",
    "pairs": "distance of pairs, synthetic records",
    "columns": "the same, independent columns",
}
rows = [
    (says, f"{surveys[key].min():.3f} to {surveys[key].max():.3f}", f"{few[key]:.3f}") for key, says in WHAT.items()
]
table(pd.DataFrame(rows, columns=["", f"ε = {loud.epsilon:.0f}, five surveys", "ε = 2, one"]))

# %% [markdown]
# (ye2018-table-5-lopub)=
# ### Table 5, LoPub · High dimension, O(dl), the error bound, high costs
#
# dimension: {badge}`Reproduced <ye2018.lopub-dimension>` communication: {badge}`Reproduced <ye2018.lopub-bits>` bound: {badge}`Reproduced <ye2018.lopub-bound>` candidates: {badge}`Reproduced <ye2018.lopub-list>` computation: {badge}`Reproduced under conditions <ye2018.lopub-cost>` budget: {badge}`Reproduced <ye2018.lopub-budget>` · Lesson: {ref}`ch-publish`
#
# *Weakens the influence of high dimension.*
# It does, compared with estimating the whole table at once.
# But at $\varepsilon = 2$ noise links all pairs, and the synthetic pairs are further from the truth than independent columns.
#
# *The bound* $O\big(\frac{dk}{\varepsilon\sqrt n}\big)$ is that of (a), for the shares of single attributes.
# With one bit per value and $\varepsilon/d$ for ε, {ref}`§4.1.1 (c) <ye2018-4-1-1-c>` bounds the sum of the errors of an attribute's $k$ shares by
#
# $$ \frac{k}{2\sinh(\varepsilon/4d)\,\sqrt n} \le 2 \cdot \frac{dk}{\varepsilon\sqrt n}. $$
#
# For a pair of attributes two noise terms multiply, and the error of a cell is of the order $\frac{d^2}{\varepsilon^2\sqrt n}$.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled for LoPub: 6 reproduced, 2 reproduced under conditions"}
SMALL = BloomFlip(sizes=(3, 2), f=0.5, bits=4, hashes=2, seed=5)
SIX = list(product(range(3), range(2)))


def small_lopub(f):
    return lambda x, rng: lopub(x, SMALL.codes, f, rng)


def parts(client):
    """ε of the first attribute, of the second, and of the record."""
    found = laws(client, SIX)
    one = max(epsilon([found[SIX.index((a, b))] for a in range(3)]) for b in range(2))
    other = max(epsilon([found[SIX.index((a, b))] for b in range(2)]) for a in range(3))
    return one, other, epsilon(found)


settle(
    "ye2018.lopub-client",
    {
        "law": same_law(small_lopub(0.5), SMALL, SIX),
        "private": isclose(parts(small_lopub(0.5))[2], SMALL.epsilon),
    },
    control=("f = 0.51", not same_law(small_lopub(0.51), SMALL, SIX)),
)
hidden = study.published(loud, 20_000, 0.9, rng=rng)
settle(
    "ye2018.lopub-network",
    {
        "edges": bool((surveys["edges"] == 1).all()),
        "pairs": bool((surveys["pairs"] < surveys["columns"]).all()),
        "small-epsilon": few["pairs"] < few["columns"],
    },
    control=(
        "a threshold of 0.9, which leaves edges out",
        hidden["edges"] < 1 and not hidden["pairs"] < hidden["columns"],
    ),
)
close("ye2018", "§4.1.2, LoPub", "1 reproduced, 1 reproduced under conditions")
settle(
    "ye2018.lopub-dimension",
    {"cliques": bool((surveys["cliques"] < surveys["at once"]).all())},
    control=("a threshold of 0.9, which leaves edges out", not hidden["cliques"] < hidden["at once"]),
)


def lopub_bits(d, width):
    """Bits that tell a person's reports apart."""
    codes = BloomFlip(sizes=(2,) * d, f=0.5, bits=width, hashes=1).codes
    return log2(len(law(lambda rng: lopub([0] * d, codes, 0.5, rng))))


DESIGNS = ((1, 4), (2, 4), (3, 4), (2, 6))
settle(
    "ye2018.lopub-bits",
    {"length": all(lopub_bits(d, width) == d * width for d, width in DESIGNS)},
    control=("one filter for all attributes", any(lopub_bits(1, width) != d * width for d, width in DESIGNS)),
)


def single(d, k, eps, n=1):
    """Sum of the standard errors of one attribute's k shares, a bit for each value."""
    return float(np.sqrt(BitFlip(sizes=(k,) * d, f=flip_for(eps, 2 * d)).variance([[0] * d])[0, :k] / n).sum())


def worst(part=1.0):
    """The largest error over dk/ε, with a part of the budget."""
    return max(
        single(d, k, part * eps) * eps / (d * k) for d in (2, 8, 32) for k in (2, 8, 32) for eps in (0.1, 1.0, 4.0, 8.0)
    )


exponents = study.grows_like(
    lambda d, k, eps, n: single(int(d), int(k), eps, n), {"d": 16, "k": 8, "eps": 0.1, "n": 1e6}
)
settle(
    "ye2018.lopub-bound",
    {"order": np.allclose([*exponents.values()], (1, 1, -1, -0.5), atol=0.1), "every-epsilon": worst() <= 2 + 1e-9},
    control=("half of the budget", not worst(0.5) <= 2 + 1e-9),
)
records = study.six_attributes(20_000, rng=rng)
said = loud.perturb(records, rng=rng)


def missed(listed):
    """Largest error of the listed values' shares of attribute 4, in one survey."""
    return np.abs(
        study.decoded(loud, said, 4, listed) - (np.bincount(records[:, 4]) / len(records))[list(listed)]
    ).max()


settle(
    "ye2018.lopub-list",
    {"left-out": missed((0, 1, 2)) > 0.05},
    control=("all four candidates", not missed((0, 1, 2, 3)) > 0.05),
)
settle(
    "ye2018.lopub-cost",
    {
        "operations": study.operations(loud, said) > 50,
        "grouped": study.operations(loud, said, grouped=True) > 50,
    },
    control=("one pair taken for all 15", not study.operations(loud, said) / 15 > 50),
)


def one_coin(x, rng):
    """A mistake: both attributes use the same coins."""
    coins = [toss(0.25, rng) for _ in range(4)]
    return tuple(
        bool(b) ^ c for v, code in zip(x, SMALL.codes, strict=True) for b, c in zip(code[v], coins, strict=True)
    )


def adds_up(client):
    one, other, record = parts(client)
    return isclose(one + other, record) and isclose(record, SMALL.epsilon)


settle(
    "ye2018.lopub-budget",
    {"sum": adds_up(small_lopub(0.5))},
    control=("the same coins for both attributes", not adds_up(one_coin)),
)
close("ye2018", "§4.1.2, Table 5, LoPub", "5 reproduced, 1 reproduced under conditions")

# %% [markdown]
# (ye2018-table-5)=
# ## Table 5 · Methods for several values compared
#
# The table has all cells, in our words.
# An arrow marks what we read or add; *c.* stands for candidates.

# %% tags=["hide-input"]
TABLE_5 = {
    "RAPPOR-unknown": {
        "advantage": "no list of c. needed",
        "drawback": "parameters of the filter",
        "communication": "O(h) + O(r)",
        "error bound × ε√n": "dk → for strings that are c.",
        "computation": "high: strings are matched → many letters",
        "c. known": "no",
        "budget": "divided among string and fragments",
    },
    "Harmony-Frequency": {
        "advantage": "small error → for small ε",
        "drawback": "sampling costs precision → against one variable",
        "communication": "O(m) → even O(1)",
        "error bound × ε√n": "√(d log k) → small ε",
        "computation": "medium: codes, matching",
        "c. known": "yes → to decode",
        "budget": "all for the sampled variable",
    },
    "LDPMiner": {
        "advantage": "small error → for large ε",
        "drawback": "heavy hitters only",
        "communication": "O(h) + O(m) → even O(h)",
        "error bound × ε√n": "dk → dℓ, small ε",
        "computation": "high: decoded twice",
        "c. known": "yes",
        "budget": "divided between two phases",
    },
    "LoPub": {
        "advantage": "weakens high dimension",
        "drawback": "high costs",
        "communication": "O(d l)",
        "error bound × ε√n": "dk",
        "computation": "high: graphical model → EM by person",
        "c. known": "yes",
        "budget": "divided among attributes",
    },
}
table(pd.DataFrame(TABLE_5).rename_axis("Table 5").reset_index())
