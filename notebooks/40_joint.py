# %% [markdown]
# (ch-joint)=
# # Joint distributions
#
# *After {cite:t}`ren2019bayesnet` §1 to §5.2.2, with the information of §5.2.3 and §5.2.4.*
#
# :::{admonition} In one minute
# Everybody has a record of $d$ attributes, and we want to know how two or three of them go together.
# The client writes each attribute as a one-hot string and flips every bit with probability $f/2$.
# From these bits the joint table of any few attributes is estimated by maximum likelihood, which is a concave problem with a certificate.
#
# Two things are to be kept in mind.
# The ε of a whole record is $2d\ln\frac{1-f/2}{f/2}$: for 16 attributes it is 35 at $f = 0.5$ and 6.4 at $f = 0.9$.
# And where it is small, little can be learnt: for a {term}`parity` near 0 of $m$ binary attributes, in a random sample, it takes $\rho^{-m}$ times the people that true answers would take, $\rho = 0.4$ at $f = 0.5$ and 0.02 at $f = 0.9$.
#
# As printed, the paper's algorithm never leaves its starting point, and its stopping rule can end it there; both are mended below.
# One bit instead of two for a binary attribute is strictly better, at no cost.
# :::
#
# :::{zh}
# 本章研究如何由本地扰动的报告估计少数几个属性的联合概率分布。
# 任雪斌等的用户端把每个属性写成二进制串，逐位以概率 $f/2$ 翻转；定理 1 得到复现，整条记录的预算为 $\varepsilon=2d\ln\frac{1-f/2}{f/2}$，单个属性的预算是它的 $d$ 分之一，因而引用 $\varepsilon$ 时必须说明何为相邻输入。
# 对 16 个属性，$f=0.5$ 时整条记录的 $\varepsilon$ 为 35，$f=0.9$ 时为 6.4；预算小时能学到的也少，多个二值属性的奇偶性尤其如此。
# 算法 2 第 4 行的似然函数予以更正：照所印执行，EM 算法始终停在起点，代入报告与二进制串的异或后，便由精确频率得到真实的分布。
# 停止准则在条件下复现，它可能在离解尚远时停止；本章改用似然差距的可证上界。
# “逐个属性估计会丢失关联，全部属性一并估计则代价过高”以及互信息的两种形式得到复现；“从合适的初值出发，EM 收敛到好的估计”在条件下复现。
# 对二值属性，以一个比特作随机响应代替两个比特，在相同的 $\varepsilon$ 下严格更优。
# :::
#
# You will meet one report about many attributes and its two budgets, the likelihood of a report, the EM algorithm with a bound on its error, linear estimates that agree with each other, what can be said about information, and better clients.
# From {ref}`ch-rr` you need the definition of ε-LDP, from {ref}`ch-frequency` k-RR and unary encoding.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from collections import Counter
from functools import reduce
from itertools import combinations, product
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import t as student

from ldpnb import GRR, BitFlip, epsilon, laws, maximum_likelihood, moments, norm_sub, same_law, toss
from ldpnb.attributes import (
    entropy,
    expectation,
    inflation,
    information,
    information_bias,
    inverted,
    likeliest,
    symbols,
)
from ldpnb.book import check, dots, line, settle, style, table

style()
SEED = 2019  # the year of the paper
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-joint-question)=
# ## The question
#
# A care survey asks old people sixteen questions: can you dress yourself, cook, walk outside?
# How many cannot cook is a question about one attribute, and {ref}`ch-frequency` answers it.
# How many can neither cook nor walk is a question about two, and from the two shares alone it cannot be answered.
#
# The paper wants more: a whole synthetic table that behaves like the real one.
# It says that two plain ways to it fail.
# To estimate each attribute alone loses how they go together.
# To estimate all of them at once means a table of $\prod_j\kappa_j$ cells, $2^{16} = 65{,}536$ for the survey.
# So one estimates the tables of a few attributes at a time, which is this chapter, and puts them together, which is the next.
#
# | symbol | meaning | in code |
# |---|---|---|
# | $n$, $d$ | number of people, of attributes | `n`, `d` |
# | $\kappa_j$ | number of values of attribute $j$ | `sizes` |
# | $f$ | the paper's $f$: a bit is replaced by a fair coin with this probability | `f` |
# | $\varphi$ | $f/2$, the probability that a bit changes | `f / 2` |
# | $\varepsilon$ | budget of a whole record | |
# | $\varepsilon_1$ | budget of one attribute, if the others are equal | `eps_one` |
# | $y_j$ | the reported string of attribute $j$ | |
# | $m$, $\omega$ | number of attributes of a table; one of its cells, a value for each of them | |
# | $\theta_\omega$ | share of the people in cell ω | `theta` |
# | $A_{y\omega}$ | probability of the report $y$ in cell ω, up to a factor of each row | |
# | $w_y$ | share of the reports that are $y$ | `w` |
# | $L(\theta)$, $g_\omega$ | mean log-likelihood of a report, $\sum_y w_y\ln(A\theta)_y$, and its derivative | `gradient` |
# | $z_j[v]$ | score of value $v$ from the string of attribute $j$ | `scores` |
# | $a_j$ | noise of an attribute, $\kappa_j - 1$ if answers are true | `variance` |
# | $c$ | size of the score of one bit | |
# | $\rho$ | $\frac{(1-2\varphi)^2}{1-2\varphi(1-\varphi)}$: the share of a true answer that a report about a binary attribute is worth, for a parity near 0 in a random sample | `worth` |
# | $\delta$ | tolerance of a stopping rule | `delta` |
# | $X$, $\Pi$, $k$ | an attribute, a set of others, its parents, and how many these are (elsewhere in this book $k$ is a domain size) | `k` |

# %% [markdown]
# (sec-joint-client)=
# ## One report about all attributes
#
# The client has two steps (the paper's Algorithm 1 and Fig. 4).
# Each value becomes a string of $\kappa_j$ bits, all 0 but one.
# Then every bit is kept with probability $1-f$ and replaced by a fair coin with probability $f$, which means that it changes with probability $\varphi = f/2$.
# The strings are sent one after the other.
# Throughout, $0 < f < 1$ and every attribute has at least two values.


# %%
def one_hot(x, size):
    """A string of bits, all 0 but that of the value."""
    return tuple(b == x for b in range(size))


def bit_flip(record, sizes, f, rng):
    """Algorithm 1: every bit of every one-hot string is flipped with probability f/2."""
    return tuple(
        tuple(bit ^ toss(f / 2, rng) for bit in one_hot(x, size)) for x, size in zip(record, sizes, strict=True)
    )


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-joint-report", "caption": "A record of three attributes with 4, 2 and 3 values, and reports of it. Dark squares are ones. The first row is the record, one 1 an attribute; below it are five reports, at three $f$, with the flipped bits in orange frames. In a report an attribute may have no 1, or several, and what the server may conclude is a matter of odds."}, "image": {"alt": "Six rows of nine squares in groups of four, two and three. The first row has exactly one dark square in each group. The rows below, one for f equal to 0.1 and two each for 0.5 and 0.9, are noisy copies of it in which flipped squares have orange frames."}}
SHOWN, SHOWN_SIZES = (2, 0, 1), (4, 2, 3)
true_bits = [bit for x, size in zip(SHOWN, SHOWN_SIZES, strict=True) for bit in one_hot(x, size)]
rows = [("record", true_bits)]
for f in (0.1, 0.5, 0.5, 0.9, 0.9):
    rows.append((f"f = {f:g}", [bit for string in bit_flip(SHOWN, SHOWN_SIZES, f, rng) for bit in string]))
at = np.arange(9) + np.repeat([0, 0.7, 1.4], SHOWN_SIZES)
fig, ax = plt.subplots(figsize=(6.4, 3.8))
for y, (_, bits) in enumerate(rows):
    for x, bit, own in zip(at, bits, true_bits, strict=True):
        look = {"edgecolor": "C1", "linewidth": 3} if bit != own else {"edgecolor": "gray", "linewidth": 1}
        ax.add_patch(plt.Rectangle((x, -y), 0.82, 0.72, facecolor="C0" if bit else "white", **look))
ax.set(xlim=(-0.3, 10.6), ylim=(-5.3, 1.0))
ax.set(yticks=[0.36 - y for y in range(len(rows))], xticks=at[[1, 4, 7]] + [1, 0.9, 0.4])
ax.set_yticklabels([name for name, _ in rows])
ax.set_xticklabels(["attribute 0", "attribute 1", "attribute 2"])
ax.grid(visible=False)
ax.tick_params(length=0)
for spine in ax.spines.values():
    spine.set_visible(False)
plt.show()

# %% [markdown]
# (sec-joint-epsilon)=
# ## Two budgets
#
# Two different questions can be asked about such a report.
# How well does it tell one record from any other, which is what ε-LDP means?
# And how well does it tell two records apart that differ in one attribute only?
#
# :::{prf:theorem} The ε of a record and of an attribute
# :label: thm-joint-epsilon
# The client is exactly ε-LDP with
#
# $$ \varepsilon = 2d\,\ln\frac{1-\varphi}{\varphi}. $$
#
# For records that differ in at most one attribute the largest ratio of probabilities is $e^{\varepsilon_1}$, $\varepsilon_1 = 2\ln\frac{1-\varphi}{\varphi} = \varepsilon/d$.
# For two given records the ratio is largest at the reports that agree with the first on all bits in which the two differ, and at no others.
# :::
#
# :::{prf:proof}
# The bits are independent.
# A bit that is equal in both records has the ratio 1, another one $\frac{1-\varphi}{\varphi}$ if it is reported as in the first record and the inverse of this if not.
# Two one-hot strings of different values differ in exactly two bits, and two records in at most $d$ attributes.
# :::
#
# This is the paper's Theorem 1.
# Its proof ends with the words that the ratio is largest if and only if $t'_i = 1 - t_i$.
# What $t'$ is can be read in two ways, because the proof calls $T'$ the flipped form of a user's string, and also says that $T$ and $T'$ are the records of two users.
# If $t'$ is the other record, the words say that the two records are opposite on $2d$ bits, and they are right: for such pairs, and no others, the largest ratio is $e^\varepsilon$.
# If $t'$ is the report, as in the exponents just above the words, the ratio is smallest there.


# %% tags=["hide-input"]
def logit(f):
    """ln((1−φ)/φ)."""
    return log((1 - f / 2) / (f / 2))


DOMAINS = [(2,), (2, 3), (2, 2, 2), (4, 3)]


def records_of(sizes):
    return list(product(*map(range, sizes)))


def joined(record, f, rng):
    """The inline client for the sizes (2, 3), with the strings of its report one after the other, as in the package."""
    return sum(bit_flip(record, (2, 3), f, rng), ())


at_half = {sizes: laws(lambda x, rng, s=sizes: bit_flip(x, s, 0.5, rng), records_of(sizes)) for sizes in DOMAINS}


def apart_in(sizes, most):
    """The exact ε of records that differ in at least one and at most so many attributes."""
    return max(
        epsilon([at_half[sizes][i], at_half[sizes][j]])
        for i, a in enumerate(records_of(sizes))
        for j, b in enumerate(records_of(sizes))
        if 0 < sum(x != y for x, y in zip(a, b, strict=True)) <= most
    )


def stated_for(f):
    """Whether single attributes and whole records have the ε of the theorem for this f, domain by domain."""
    return [abs(apart_in(s, m) - 2 * m * logit(f)) < 1e-9 for s in DOMAINS for m in sorted({1, len(s)})]


check(
    "Record, attribute",
    "four domains, f = 0.5, exact law: 2d ln((1−φ)/φ), and a d-th of it where one attribute differs",
    all(stated_for(0.5)),
    control="the formula with f = 0.6",
    caught=not any(stated_for(0.6)),
)
check(
    "Same law",
    "bit_flip inline and the package's BitFlip, sizes (2, 3)",
    same_law(lambda x, rng: joined(x, 0.5, rng), BitFlip(sizes=(2, 3), f=0.5), records_of((2, 3))),
    control="inline at f = 0.51",
    caught=not same_law(lambda x, rng: joined(x, 0.51, rng), BitFlip(sizes=(2, 3), f=0.5), records_of((2, 3))),
)


def replaced(bit, f, rng):
    """The paper's eq. (4): keep the bit, or put a fair coin in its place."""
    return toss(0.5, rng) if toss(f, rng) else bit


bit_law = same_law(lambda bit, rng: replaced(bit, 0.5, rng), lambda bit, rng: bit ^ toss(0.25, rng), [False, True])

# where the ratio is largest, sizes (2, 3): over all pairs of records, and over the reports of one pair that differs in both
PAIRS = list(product(range(6), repeat=2))
whole = np.array([one_hot(a, 2) + one_hot(b, 3) for a, b in records_of((2, 3))])
opposite = {(i, j): int((whole[i] != whole[j]).sum()) == 4 for i, j in PAIRS}
ratio_of = {(i, j): {y: float(x / at_half[2, 3][j][y]) for y, x in at_half[2, 3][i].items()} for i, j in PAIRS}
largest = exp(4 * logit(0.5))
other_record = all((abs(max(ratio_of[p].values()) / largest - 1) < 1e-9) == opposite[p] for p in PAIRS)
pair = next(p for p in PAIRS if opposite[p])
differ = whole[pair[0]] != whole[pair[1]]
agrees = {y: int((np.array(y[0] + y[1]) == whole[pair[0]])[differ].sum()) for y in ratio_of[pair]}
report_same, report_opposite = (
    all((abs(x / largest - 1) < 1e-9) == (agrees[y] == many) for y, x in ratio_of[pair].items()) for many in (4, 0)
)
at_opposite = max(x for y, x in ratio_of[pair].items() if agrees[y] == 0)
print(
    f"d = 2, f = 0.5, opposite records: the ratio is {largest:.0f} at t′ = t and 1/{1 / at_opposite:.0f} at t′ = 1 − t"
)

# %% [markdown]
# How much is that?
# The table has both budgets, for 15, 16 and 24 attributes as in the paper's data, and one thing that can be seen without any theory: the chance that the server reads off a whole record of 16 binary attributes, by taking for each attribute the likelier value, and either if both are alike.
# It gets an attribute right with probability $1-\varphi$, so all of them with $(1-\varphi)^{16}$; blind guessing has $2^{-16}$.


# %%
def read_off(d, f):
    """Chance that the likeliest record is the true one, d binary attributes, all records alike beforehand."""
    return (1 - f / 2) ** d


# %% tags=["hide-input"]
def guessed(client_laws):
    """The same from a law: the mean over reports of the largest probability."""
    reports = set().union(*client_laws)
    return float(sum(max(one.get(y, 0) for one in client_laws) for y in reports)) / len(client_laws)


binary3 = laws(lambda x, rng: bit_flip(x, (2, 2, 2), 0.5, rng), records_of((2, 2, 2)))
check(
    "Read off",
    f"three binary attributes, f = 0.5: the best guess is right with probability {guessed(binary3):.4f}",
    abs(guessed(binary3) - read_off(3, 0.5)) < 1e-12,
    control="f instead of f/2",
    caught=abs(guessed(binary3) - read_off(3, 1.0)) > 0.1,
)
GRID = np.round(np.arange(0.1, 0.95, 0.1), 1)
table(
    pd.DataFrame(
        [
            {
                "f": f"{f:g}",
                "ε₁ (one attribute)": f"{2 * logit(f):.2f}",
                **{f"ε, d = {d}": f"{2 * d * logit(f):.1f}" for d in (15, 16, 24)},
                "16 bits read off": f"{read_off(16, f):.4f}",
            }
            for f in GRID.tolist()
        ]
    )
)


# %% tags=["hide-input"]
print("one binary attribute is guessed right: " + ", ".join(f"{read_off(1, f):.2f} at f = {f:g}" for f in (0.5, 0.9)))
plain = 1 - exp(35.2) / (exp(35.2) + 2**16 - 1)
print(f"blind guessing: {2.0**-16:.6f}; at f = 0.5 a record is read off {read_off(16, 0.5) * 2**16:.0f} times as often")
print(f"k-RR over all 65,536 records at ε = 35.2 sends a wrong record with probability {plain:.1e}".replace("e-", "e−"))
for eps in (1.0, 2.0, 4.0, 8.0):
    print(f"ε = {eps:g} for 16 attributes is f = {2 / (1 + exp(eps / 32)):.4f}")

# %% [markdown]
# In the middle of the paper's range, at $f = 0.5$, the server guesses one record of 16 binary attributes in a hundred right in every attribute (which one, it cannot tell), and ε is 35.
# The paper calls the protection medium at $f = 0.5$ and very strong at $f = 0.9$ (§6.2.2).
# For one attribute one may say so: a guess between two values is right with probability $1-\varphi$, in three of four cases and in 55 of 100.
# For records it is not so: at $f = 0.5$ the same ε, spent on the whole record at once, would allow the client to send the true record with an error less than once in $10^{10}$.
#
# So whoever quotes an ε of such a client must say whose: that of a record, or that at {term}`attribute level`.
# Definition 1 of the paper is about records, and so is its theorem.
# Its figures have $f$ on their axes; this book's have ε beside it.
#
# For large domains, says the paper in a footnote, the strings may be {term}`Bloom filters <Bloom filter>` ({ref}`sec-rappor-filter`).
# The same proof then gives $\varepsilon = \sum_j B_j\ln\frac{1-\varphi}{\varphi}$, with $B_j$ the largest number of bits in which two codes of attribute $j$ differ, and the law of the reports determines the table as long as different values have different codes.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
settle(
    "ren2019.one-hot",
    holds={
        "two-bits": all(
            sum(a != b for a, b in zip(one_hot(x, k), one_hot(y, k), strict=True)) == 2
            for k in range(2, 13)
            for x, y in combinations(range(k), 2)
        ),
        "flip": bit_law,
    },
)
settle(
    "ren2019.epsilon",
    holds={"exact": all(stated_for(0.5))},
)
settle(
    "ren2019.rappor-length",
    holds={
        "bit-per-record": all(BitFlip(sizes=(2**d,), f=0.5).report_bits == 2**d for d in range(1, 9)),
        "string-per-attribute": any(BitFlip(sizes=(2,) * d, f=0.5).report_bits == 2**d for d in range(3, 9)),
    },
)
settle(
    "ren2019.ratio-max",
    holds={
        "other-record": other_record,
        "report-opposite": report_opposite,
        "report-equal": report_same,
    },
)

# %% [markdown]
# (sec-joint-likelihood)=
# ## What a report says
#
# The server has the strings $y_1, \dots, y_m$ that a person reported about $m$ attributes.
# How likely are they if the person is in cell $\omega$ of the table?
#
# :::{prf:theorem} The likelihood of a report
# :label: thm-joint-likelihood
# Up to a factor that does not depend on ω,
#
# $$ \Pr[y_1, \dots, y_m \mid \omega] \propto e^{\varepsilon_1\sum_j y_j[\omega_j]}. $$
#
# So an attribute of which all bits are 0 says the same as one of which all are 1, namely nothing.
# :::
#
# :::{prf:proof}
# Let $D$ be the number of bits in which $y_j$ differs from the one-hot string of $\omega_j$.
# If $y_j$ has $|y_j|$ ones, $D = |y_j| + 1 - 2y_j[\omega_j]$, and the probability is $\varphi^D(1-\varphi)^{\kappa_j-D} \propto \big(\frac{1-\varphi}{\varphi}\big)^{2y_j[\omega_j]}$.
# Given the record, strings are independent.
# :::
#
# ### The EM algorithm
#
# With the likelihood the shares of the cells can be estimated by the {term}`EM algorithm` {cite:p}`dempster1977em`: begin with equal shares, compute for everybody the probability of each cell given the report, take the mean of these over the people as the new shares, and go on.
# {cite:t}`fanti2016unknown` did this for RAPPOR, and the paper's Algorithm 2 does it for $m$ attributes.
# Cells, and with them the work of a step, double with every binary attribute, as the paper says.
#
# Its line 4 has $\prod_b (f/2)^{s[b]}(1-f/2)^{1-s[b]}$, and what $s$ is has to be guessed: a string without a hat is a true one elsewhere, and with one it is a report.
# In the cell below it may be either, or what it has to be, the exclusive or of the two.


# %%
READINGS = {
    "s is the report": lambda own, told: told,
    "s is the string of ω": lambda own, told: own,
    "s is where they differ": lambda own, told: own ^ told,
}


def likelihood(report, cell, sizes, f, reading):
    """Line 4 and line 6 of Algorithm 2 for one report and one cell."""
    found = 1.0
    for told, x, size in zip(report, cell, sizes, strict=True):
        for own, bit in zip(one_hot(x, size), told, strict=True):
            found *= f / 2 if READINGS[reading](own, bit) else 1 - f / 2
    return found


def algorithm_2(A, w, steps):
    """Lines 8 to 15 without the stop: A has a row a report and a column a cell, w is how often each report came."""
    theta = np.full(A.shape[1], 1 / A.shape[1])
    for _ in range(steps):
        joint = A * theta
        posterior = joint / joint.sum(1, keepdims=True)  # line 11
        theta = w @ posterior  # line 13
    return theta


# %% [markdown]
# To judge them, leave chance out: give each reading the exact frequencies of all reports of a known table.
# An estimate that deserves the name then returns the table.


# %% tags=["hide-input"]
def exact_frequencies(theta, sizes, f):
    """All reports, and how often each comes if the cells have these shares."""
    each = laws(lambda x, rng: bit_flip(x, sizes, f, rng), records_of(sizes))
    reports = list(each[0])
    return reports, np.array([[float(one[y]) for one in each] for y in reports]) @ theta


JUDGED = {(2, 2): np.array([0.4, 0.1, 0.1, 0.4]), (2, 3): np.array([0.3, 0.05, 0.1, 0.05, 0.3, 0.2])}
off, moved = {}, {}
for sizes, truth in JUDGED.items():
    reports, w = exact_frequencies(truth, sizes, 0.5)
    for name in READINGS:
        A = np.array([[likelihood(y, cell, sizes, 0.5, name) for cell in records_of(sizes)] for y in reports])
        ended = algorithm_2(A, w, 400)
        off[name, sizes] = np.abs(ended - truth).sum() / 2
        moved[name, sizes] = np.abs(ended - 1 / len(truth)).max()
RIGHT = "s is where they differ"
check(
    "Algorithm 2",
    "exact frequencies, f = 0.5, sizes (2, 2) and (2, 3): 400 steps end within 1e-8 of the table",
    max(off[RIGHT, sizes] for sizes in JUDGED) < 1e-8,
    control="line 4 as printed, either reading: after 400 steps still uniform",
    caught=all(moved[name, s] < 1e-12 and off[name, s] > 0.1 for name in READINGS if name != RIGHT for s in JUDGED),
)
table(
    pd.DataFrame(
        [
            {"line 4": name} | {f"distance to the table, sizes {sizes}": f"{off[name, sizes]:.3f}" for sizes in JUDGED}
            for name in READINGS
        ]
    )
)

# %% [markdown]
# The distance is total variation, half of the sum of absolute differences.
# If $s$ is the report there is no ω in the line, and if it is the string of ω it has one 1 in every cell.
# Either way the likelihood is the same in all cells, the posterior is what it was before, and the algorithm stays at uniform shares for ever.
# With the exclusive or it does what the text around it says.
#
# ### Few symbols instead of many people
#
# The algorithm goes through all people in every step.
# But all that matters of a report are the likelihoods, up to a factor.
# So let us *collapse* reports: those whose rows of $A$ are proportional become one symbol, and the server only counts how often each symbol came.
# A binary attribute has three symbols, *nothing* (00 or 11), *a vote for 0* (10) and *a vote for 1* (01), and $m$ of them have $3^m$.
# What several binary attributes have in common is their {term}`parity`, the mean over the people of $\prod_j(-1)^{\omega_j}$.
# A report says little about it, the less the smaller
#
# $$ \rho = \frac{(1-2\varphi)^2}{1-2\varphi(1-\varphi)}, $$
#
# with $1-2\varphi$ the probability of a vote for the true value less that of a vote for the other, and $1-2\varphi(1-\varphi)$ the probability that there is a vote at all.
#
# :::{prf:theorem} Collapsed EM
# :label: thm-joint-collapsed
# Let $w_y$ be the share of the reports in the class of proportional rows that $y$ stands for.
# Then one step of EM over all people is
#
# $$ \theta_\omega \leftarrow \theta_\omega\,g_\omega, \qquad g = A^\top\frac{w}{A\theta}, $$
#
# with one row of $A$ for each class, up to any factor.
# :::
#
# :::{prf:proof}
# The posterior $\theta_\omega A_{y\omega}/(A\theta)_y$ does not change if the row is multiplied by a number, so all people of a class have the same one.
# Add up by classes.
# :::


# %%
def em_step(theta, A, w):
    """One step of EM on collapsed counts, for one table or a stack of them."""
    return theta * ((w / (theta @ A.T)) @ A)


def symbol(told):
    """The symbol of one attribute's string: the string, but all ones are no ones."""
    return (False,) * len(told) if all(told) else told


# %% tags=["hide-input"]
PEOPLE, PAIR = 2000, (2, 3)
drawn = rng.choice(6, PEOPLE, p=JUDGED[PAIR])
sent = [bit_flip(records_of(PAIR)[i], PAIR, 0.5, rng) for i in drawn.tolist()]
by_person = np.array([[likelihood(y, cell, PAIR, 0.5, RIGHT) for cell in records_of(PAIR)] for y in sent])
slow = algorithm_2(by_person, np.full(PEOPLE, 1 / PEOPLE), 20)


def twenty_steps(symbol_of):
    counts = Counter(tuple(map(symbol_of, report)) for report in sent)
    rows = np.array([[likelihood(y, cell, PAIR, 0.5, RIGHT) for cell in records_of(PAIR)] for y in counts])
    theta = np.full(6, 1 / 6)
    for _ in range(20):
        theta = em_step(theta, rows, np.array(list(counts.values())) / PEOPLE)
    return theta, len(counts)


quick, symbols_seen = twenty_steps(symbol)
wrong, _ = twenty_steps(lambda told: (told[0], *(False,) * (len(told) - 1)) if all(told) else told)
check(
    "Collapsed EM",
    f"{PEOPLE:,} people, sizes (2, 3), 20 steps: the same to 1e-12 from {symbols_seen} symbols",
    np.abs(quick - slow).max() < 1e-12,
    control="all ones taken for a vote for the first value",
    caught=np.abs(wrong - slow).max() > 1e-3,
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
leaves = {name: max(moved[name, s] for s in JUDGED) > 1e-9 for name in READINGS}
settle(
    "ren2019.em-likelihood",
    holds={
        "with-report": leaves["s is the report"],
        "with-one-hot": leaves["s is the string of ω"],
    },
    instead={"with-xor": max(off[RIGHT, s] for s in JUDGED) < 1e-8},
)

# %% [markdown]
# (sec-joint-convergence)=
# ## How far to go
#
# Does EM come to an end, and how does one see that it has?
#
# :::{prf:theorem} One maximum, and how far it is
# :label: thm-joint-certificate
# Let $L(\theta) = \sum_y w_y\ln(A\theta)_y$ be the mean log-likelihood of a report, $L^*$ its maximum over all tables, and $g$ as in {prf:ref}`thm-joint-collapsed`.
#
# 1. $L$ is concave, and for every table θ with positive cells $L^* - L(\theta) \le \max_\omega g_\omega - 1$.
# 2. If the rows of $A$ of the symbols that were observed have rank $\prod\kappa_j$ together, only one table attains $L^*$.
# 3. EM from any table $\theta^{(0)}$ with positive cells never lowers $L$, and after $t$ steps
#
#    $$ L^* - L(\theta^{(t)}) \le \frac{1}{t+1}\,\sum_\omega\theta^*_\omega\ln\frac{\theta^*_\omega}{\theta^{(0)}_\omega} $$
#
#    for any table $\theta^*$ that attains the maximum; from the uniform table this is at most $\frac{1}{t+1}\sum_j\ln\kappa_j$.
#
# :::
#
# :::{prf:proof}
# In the order of the statements.
#
# 1. A logarithm of a linear function is concave, so $L$ lies below its tangents: $L(\theta') - L(\theta) \le \sum_\omega g_\omega(\theta'_\omega - \theta_\omega) \le \max_\omega g_\omega - 1$, because $\sum_\omega g_\omega\theta_\omega = \sum_y w_y = 1$.
# 2. Then $\theta \mapsto ((A\theta)_y)_y$ is injective, and $L$ is strictly concave in the $(A\theta)_y$ with $w_y > 0$.
# 3. Write $r = A\theta^{(t)}$ and $r^* = A\theta^*$.
#    At the maximum $g^*_\omega = 1$ in every cell with $\theta^*_\omega > 0$ (none is above 1, or a little more share for that cell would raise $L$, and their mean under $\theta^*$ is 1), so that the numbers $u_y = w_y A_{y\omega}/r^*_y$ add up to 1 there.
#    By Jensen's inequality $\ln g_\omega = \ln\sum_y u_y\,r^*_y/r_y \ge \sum_y u_y\ln(r^*_y/r_y)$.
#    Multiply by $\theta^*_\omega$ and add up: $\sum_\omega\theta^*_\omega\ln(\theta^{(t+1)}_\omega/\theta^{(t)}_\omega) \ge \sum_y w_y\ln(r^*_y/r_y) = L^* - L(\theta^{(t)})$.
#    Summed over the steps $0, \dots, t$, the left side is at most the relative entropy of the statement, because $\ln(\theta^*_\omega/\theta^{(t+1)}_\omega)$ has a mean under $\theta^*$ that is not negative.
#    That $L$ does not fall is the property of every EM algorithm.
#    (The inequality is that of {cite:t}`csiszar1984information`.)
# :::
#
# So in the end the start does not matter for the likelihood, nor under the condition of part 2 for the table, as long as no cell is empty in it; and the gap $\max g - 1$ certifies an answer, whatever produced it.
# An empty cell stays empty for ever.
#
# The paper stops when $\max_\omega\theta^{(t)}_\omega - \max_\omega\theta^{(t-1)}_\omega \le \delta$, with δ to be chosen by the accuracy wanted.
# In words it says that two rounds should differ by less than δ, which may mean the largest of the differences.
# In formula it is the difference of the two largest values, and that can be small, or negative, while other cells are still moving.
# But the trouble is deeper than this.
# How long a step is says little about how far there is to go when steps are short because reports say little.
# From the uniform table the first step moves a cell by something of the order of ρ, or of $\rho^m$ where nothing but the parity of all $m$ attributes is off balance (exercise 2); if that is below δ, it is the last.


# %%
def one_attribute(f):
    """Probabilities of the three symbols of a binary attribute: nothing, vote for 0, vote for 1."""
    phi = f / 2
    return np.array([[2 * phi * (1 - phi)] * 2, [(1 - phi) ** 2, phi**2], [phi**2, (1 - phi) ** 2]])


def channel(f, m):
    """The same for m binary attributes: 3^m symbols, 2^m cells."""
    return reduce(np.kron, [one_attribute(f)] * m)


def by_maxima(new, old):
    """The paper's formula, for a stack of tables."""
    return new.max(-1) - old.max(-1)


def by_change(new, old):
    """The paper's words, read strictly."""
    return np.abs(new - old).max(-1)


def stopped(A, w, delta, rule, theta=None, most=100_000):
    """EM until the rule says stop, for a stack of tables; each is left alone once it has stopped."""
    w = np.atleast_2d(w)
    theta = np.full((len(w), A.shape[1]), 1 / A.shape[1]) if theta is None else np.atleast_2d(theta)
    live, steps = np.arange(len(w)), np.zeros(len(w), int)
    while live.size and steps.max() < most:
        new = em_step(theta[live], A, w[live])
        going = rule(new, theta[live]) > delta
        theta[live], steps[live] = new, steps[live] + 1
        live = live[going]
    return theta, steps


# %% tags=["hide-input"]
PLAIN = JUDGED[2, 2]
AT = np.round(np.arange(0.05, 0.975, 0.025), 3)
ends = {}
for f in AT.tolist():
    A = channel(f, 2)
    for delta in (1e-3, 1e-5):
        theta, steps = stopped(A, A @ PLAIN, delta, by_maxima)
        ends[f, delta] = np.abs(theta[0] - PLAIN).sum() / 2, int(steps[0])
    best = maximum_likelihood(A, A @ PLAIN, gap=1e-13)
    ends[f, "likeliest"] = np.abs(best.shares - PLAIN).sum() / 2


def em_path(f, share, most=200):
    """What the likelihood lacks along the path of EM, the gap, and the largest change of a share: 5,000 people."""
    A = channel(f, 3)
    w = rng.multinomial(5000, A @ share) / 5000
    kept = w > 0
    top = w[kept] @ np.log(A @ maximum_likelihood(A, w, gap=1e-12).shares)[kept]
    theta, path = np.full(8, 1 / 8), []
    for _ in range(most):
        new = em_step(theta, A, w)
        path.append((top - w[kept] @ np.log(A @ theta)[kept], (new / theta).max() - 1, np.abs(new - theta).max()))
        theta = new
    return np.array(path).T


PATHS = [em_path(0.5, np.arange(1, 9) / 36), em_path(0.05, np.eye(8)[5], most=20)]
check(
    "Certificate",
    "f = 0.5, and f = 0.05 with all people in one cell: what is lacking falls, below the gap and below 3 ln 2/(t+1)",
    all(
        np.all(np.diff(lacks) < 1e-11)
        and np.all(lacks <= gap + 1e-11)
        and np.all(lacks <= 3 * log(2) / np.arange(1, 1 + len(lacks)))
        for lacks, gap, _ in PATHS
    ),
    control="the largest change of a share for the gap; half of 3 ln 2/(t+1)",
    caught=bool(np.any(PATHS[0][0] > PATHS[0][2] + 1e-11)) and PATHS[1][0][0] > 1.5 * log(2),
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-joint-stop", "caption": "Where the stopping rule ends, for two binary attributes with shares 0.4, 0.1, 0.1, 0.4 and exact frequencies, so that all error is the rule's. Upper panel: total variation to the true table. With δ = 0.001 the error grows with $f$, and from $f = 0.8$ on EM stops after its first step, at a table that is nearly uniform (grey line); with δ = 0.00001 it does so at $f = 0.95$. With these shares all cells move by the same amount, so that it makes no difference how the rule is read. The likeliest table, found with a certified gap, is the true one up to rounding and lies on the axis. Lower panel: steps taken."}, "image": {"alt": "Upper panel: total variation error against f. The curve for delta 0.001 rises slowly to 0.09 at f 0.7 and quickly to a grey line at 0.3, reached at 0.8; that for delta 0.00001 stays near zero until 0.8; maximum likelihood lies at zero. Lower panel, logarithmic: the steps rise with f and then fall to one."}}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 6.8), sharex=True)
for i, delta, label in ((0, 1e-3, "δ = 0.001"), (1, 1e-5, "δ = 0.00001")):
    axes[0].plot(AT, [ends[f, delta][0] for f in AT.tolist()], **line(i), label=label)
    axes[1].plot(AT, [ends[f, delta][1] for f in AT.tolist()], **line(i))
axes[0].plot(AT, [ends[f, "likeliest"] for f in AT.tolist()], **line(2), label="maximum likelihood")
axes[0].axhline(0.3, color="gray", linewidth=1, linestyle="-", marker="")
axes[0].set(ylabel="total variation error", ylim=(-0.01, 0.34))
axes[0].legend(fontsize=10)
axes[1].set(yscale="log", xlabel="f", ylabel="steps of EM")
above = axes[0].secondary_xaxis("top")
above.set_xticks(GRID[::2], [f"{2 * logit(f):.1f}" for f in GRID[::2]])
above.set_xlabel("ε of one attribute")
plt.show()

# %% tags=["hide-input"]
for f in (0.1, 0.5, 0.7, 0.9):
    print(
        f"f = {f:g}: δ = 0.001 stops after {ends[f, 1e-3][1]} steps with error {ends[f, 1e-3][0]:.4f}, "
        f"δ = 0.00001 after {ends[f, 1e-5][1]} with {ends[f, 1e-5][0]:.4f}"
    )
UNEVEN = np.array([0.04, 0.38, 0.34, 0.24])
by_rule = {}
for name, rule in (("change of the largest value", by_maxima), ("largest change", by_change)):
    theta, steps = stopped(channel(0.7, 2), channel(0.7, 2) @ UNEVEN, 1e-3, rule)
    by_rule[name] = int(steps[0]), float(np.abs(theta[0] - UNEVEN).sum() / 2)
    print(f"f = 0.7, shares {UNEVEN.tolist()}, {name}: {by_rule[name][0]} steps, error {by_rule[name][1]:.3f}")

# %% [markdown]
# The last two lines show the formula and the words apart, from uniform shares as in line 1 of Algorithm 2 and with exact frequencies: the largest value all but stands still while the others are on their way.
# The value of δ is our choice, because the paper names none ({ref}`sec-bayesnet-publish` says where it comes from); for any δ there is an $f$ from which on the first step is the last.
# The certified gap has no such trouble.
# We ask that the mean log-likelihood of a report be within $10^{-9}$ nats (units of natural logarithms) of its maximum: for 20,000 people that is 0.00002 nats in all, far below what their chance makes of it.
#
# Instead of plain EM, whose steps get many as $f$ grows, the package uses the interior-point method of {ref}`sec-freq-post`, for all tables of one shape at a time.


# %% tags=["hide-input"]
D, N = 16, 20_000


def planted(n, d, rng):
    """Records of binary attributes, each of which depends on two earlier ones by a random table."""
    records = np.zeros((n, d), np.int64)
    for j in range(d):
        parents = rng.choice(j, min(2, j), replace=False)
        chance = rng.beta(0.7, 0.7, (2,) * len(parents))
        records[:, j] = rng.random(n) < chance[tuple(records[:, parents].T)]
    return records


people = planted(N, D, rng)
SETS = {m: list(combinations(range(D), m)) for m in (1, 2, 3)}
BITS = BitFlip(sizes=(2,) * D, f=0.5)
bits = BITS.perturb(people, rng=rng)
reported = symbols(BITS, bits)
triples = likeliest(reported, SETS[3], gap=1e-9)
short = expectation(reported, SETS[3], stop="paper", delta=1e-3)


def counted(codes, sets, base):
    """How often each combination of codes came, for each set: (sets, base^m)."""
    columns, counts = np.ascontiguousarray(codes.T), []
    for one in sets:
        code = columns[one[0]]
        for j in one[1:]:
            code = base * code + columns[j]
        counts.append(np.bincount(code, minlength=base ** len(one)))
    return np.array(counts)


def codes_of(bits):
    """The symbols of pairs of bits: 0 nothing, 1 a vote for 0, 2 a vote for 1."""
    zero, one = bits[:, 0::2], bits[:, 1::2]
    return (zero ^ one) * (1 + one.astype(np.int64))


def gap_of(tables, A, counts):
    """The certificate of a stack of tables: max g − 1 of each."""
    w = counts / counts.sum(1, keepdims=True)
    return (em_step(tables, A, w) / tables).max(1) - 1


counts3, A3 = counted(codes_of(bits), SETS[3], 3), channel(0.5, 3)
found3, short3 = (np.array([one.ravel() for one in joint.tables]) for joint in (triples, short))
check(
    "All triples",
    f"{len(found3)} tables of {D} attributes in one go: gaps at most 1e-9 by our own formula",
    gap_of(found3, A3, counts3).max() <= 1.001e-9,
    control="stopped by the paper's rule, δ = 0.001",
    caught=gap_of(short3, A3, counts3).min() > 1e-9,
)
check(
    "Same tables",
    "the package's `expectation` with the paper's rule and the loop above, all triples",
    np.abs(stopped(A3, counts3 / N, 1e-3, by_maxima)[0] - short3).max() < 1e-12,
    control="the loop with δ = 0.0005",
    caught=np.abs(stopped(A3, counts3 / N, 5e-4, by_maxima)[0] - short3).max() > 1e-6,
)

# %% [markdown]
# One more thing that the paper fears:
# in a large table most cells do not occur, and EM may give them shares all the same.
# Take tables of $m$ binary attributes in which only $m+1$ cells occur, all with the same share, and 20,000 people.


# %% tags=["hide-input"]
def staircase(m):
    """A table of m binary attributes with m + 1 cells that occur and 2^m − m − 1 that do not."""
    share = np.zeros(2**m)
    share[[(1 << j) - 1 for j in range(m + 1)]] = 1 / (m + 1)
    return share


def astray(m, f, rng):
    """What EM puts into cells that do not occur, by the paper's rule and at the maximum, and the error of the latter."""
    A, share = channel(f, m), staircase(m)
    w = rng.multinomial(N, A @ share) / N
    stop, _ = stopped(A, w, 1e-3, by_maxima)
    best = maximum_likelihood(A, w).shares
    return stop[0][share == 0].sum(), best[share == 0].sum(), np.abs(best - share).sum() / 2


empty = {(m, f): np.mean([astray(m, f, rng) for _ in range(5)], 0) for m in (4, 5, 6) for f in (0.5, 0.9)}
for (m, f), (by_paper, at_top, error) in empty.items():
    print(
        f"m = {m}, f = {f:g}: in cells that do not occur {by_paper:.1%} by the paper's rule, "
        f"{at_top:.1%} at the maximum, which has error {error:.3f}"
    )

# %% [markdown]
# At $f = 0.5$ about nine tenths of it come from stopping early, at $f = 0.9$ chance alone is enough for large errors.
# (The numbers are means of five draws of the reports, with δ = 0.001.)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
A2 = channel(0.5, 2)
starts = rng.dirichlet(np.ones(4), 5)
from_many = [
    stopped(A2, A2 @ PLAIN, 1e-12, by_change, start[None].copy())[0][0] for start in (np.full(4, 0.25), *starts)
]
to_the_table = max(np.abs(t - PLAIN).max() for t in from_many) < 1e-6
by_formula, by_words = (by_rule[name][1] for name in ("change of the largest value", "largest change"))
settle(
    "ren2019.stopping",
    holds={
        "little-noise": ends[0.1, 1e-3][0] < 1e-3,
        "accuracy": ends[0.9, 1e-3][0] <= 1e-2,
        "by-formula": by_formula <= by_words,
    },
)
early, at_best, wrong_by = (min(empty[m, f][i] for m in (5, 6)) for f, i in ((0.5, 0), (0.9, 1), (0.9, 2)))
settle(
    "ren2019.em-sparse",
    holds={
        "stopped": early > 0.05,
        "at-maximum": at_best > 0.05 and wrong_by > 0.1,
    },
)

# %% [markdown]
# (sec-joint-linear)=
# ## Tables that agree
#
# There is also a way without iterations.
# The score of a value is $\frac{y_j[v] - \varphi}{1-2\varphi}$, which is 1 on average for the true value and 0 for the others.
# Subtract from all scores of an attribute one number, so that they add up to 1:
#
# $$ z_j[v] = \frac{y_j[v]-\varphi}{1-2\varphi} - \frac{1}{\kappa_j}\Big(\sum_u\frac{y_j[u]-\varphi}{1-2\varphi} - 1\Big). $$
#
# :::{prf:theorem} Products of scores
# :label: thm-joint-linear
# The mean over the people of $\prod_j z_j[\omega_j]$ is unbiased for the share of cell ω.
# Its cells add up to 1, and two tables have exactly the same marginal of the attributes that they share.
# For binary attributes a parity of $m$ of them is estimated with the variance $(\rho^{-m}-1)/n$, whatever the people's records are.
# :::
#
# :::{prf:proof}
# The mean of what is subtracted is 0, and the strings of a person are independent.
# To sum an attribute out of a product is to put 1 in place of its factor, for everybody.
# For a binary attribute $z_j[0]-z_j[1] = \frac{y_j[0]-y_j[1]}{1-2\varphi}$, which is not 0 with probability $1-2\varphi(1-\varphi)$; so its square has the mean $1/\rho$, that of $m$ of them $\rho^{-m}$, and the square of the person's own parity is 1.
# :::
#
# This is the price of a joint table.
# If the people are themselves a sample, a parity near 0 is known as well as from $\rho^m n$ true answers: for three attributes at $f = 0.5$ from 6 % of the people, at $f = 0.9$ from 8 in a million.
# (For a parity τ it is $\rho^m n$ times $(1-\tau^2)/(1-\rho^m\tau^2)$; about the given people themselves, true answers leave no doubt at all.)
# A parity of all sixteen at $f = 0.5$ would have a standard error of 10.8 with 20,000 people, where the truth lies between −1 and 1: to estimate all attributes at once is out of the question, as the paper says.
#
# Some cells will be negative.
# Projected to the nearest table without negative cells (`norm_sub`, {ref}`sec-freq-post`) the estimates are better, but they no longer agree with each other exactly.


# %%
def worth(f):
    """What a report about a binary attribute is worth: ρ."""
    phi = f / 2
    return (1 - 2 * phi) ** 2 / (1 - 2 * phi * (1 - phi))


def scores(told, f):
    """The scores z of one attribute's string."""
    raw = (np.array(told) - f / 2) / (1 - f)
    return raw - (raw.sum() - 1) / len(told)


# %% tags=["hide-input"]
def product_score(report, f, one=scores):
    """The table of products of scores, as a vector over the cells."""
    return reduce(np.kron, [one(told, f) for told in report])


def inverse(f, m, one=scores):
    """Products of scores of the symbols of m binary attributes, (3^m, 2^m)."""
    strings = [(False, False), (True, False), (False, True)]
    return np.array([product_score(report, f, one) for report in product(strings, repeat=m)])


def uncorrected(told, f):
    """Scores that do not add up to 1."""
    return (np.array(told) - f / 2) / (1 - f)


def mean_and_square(cell, sizes, f, contrast, one=scores):
    """Exact mean of the table, and second moment of a contrast of it, for somebody in this cell."""
    client = lambda x, rng: bit_flip(x, sizes, f, rng)  # noqa: E731
    mean, _ = moments(client, [cell], score=lambda y: product_score(y, f, one))
    square, _ = moments(client, [cell], score=lambda y: (contrast @ product_score(y, f, one)) ** 2)
    return mean[0], square[0]


PARITY2 = np.array([1, -1, -1, 1])


def unbiased(one):
    return all(
        np.abs(mean_and_square(cell, (2, 3), 0.5, np.ones(6), one)[0] - np.eye(6)[i]).max() < 1e-9
        for i, cell in enumerate(records_of((2, 3)))
    )


def as_worth(one):
    return abs(mean_and_square((0, 1), (2, 2), 0.5, PARITY2, one)[1] - worth(0.5) ** -2) < 1e-9


check(
    "Products",
    f"sizes (2, 3): unbiased; second moment of a parity {worth(0.5) ** -2:.4f} = 1/ρ², f = 0.5",
    unbiased(scores) and as_worth(scores),
    control="scores with 1.2 f",
    caught=not unbiased(lambda t, f: scores(t, 1.2 * f)) and not as_worth(lambda t, f: scores(t, 1.2 * f)),
)
TOGETHER = [(0, 1, 2), (0, 1, 3), (0, 1)]
codes = codes_of(bits)
packaged = inverted(reported, TOGETHER).tables


def inline_tables(one):
    """The same three tables, by the inline scores."""
    return [(counted(codes, [s], 3)[0] / N @ inverse(0.5, len(s), one)).reshape((2,) * len(s)) for s in TOGETHER]


def disagree(tables):
    """How far the two triples are from the pair that they share."""
    return max(np.abs(tables[i].sum(2) - tables[2]).max() for i in (0, 1))


check(
    "Agreement",
    "20,000 people: two triples and a pair, inline as by the package, have the same marginal to 1e-12",
    max(np.abs(a - b).max() for a, b in zip(inline_tables(scores), packaged, strict=True)) < 1e-12
    and disagree(inline_tables(scores)) < 1e-12,
    control="scores that are not corrected to sum 1",
    caught=disagree(inline_tables(uncorrected)) > 1e-4,
)
print(
    "share of the people that a table of three is worth: "
    + ", ".join(f"{worth(f) ** 3:.1g} at f = {f:g}" for f in (0.1, 0.5, 0.9))
)
print(f"standard error of a parity of 16 attributes, f = 0.5, n = {N:,}: {sqrt((worth(0.5) ** -16 - 1) / N):.1f}")

# %% [markdown]
# Which of the estimates is best?
# {numref}`fig-joint-accuracy` has five of them, for all pairs and all triples of a made-up population of 20,000 people, whose 16 binary attributes depend, from the third on, on two earlier ones each.
# One of the five needs no joint estimate at all: multiply the estimated shares of the single attributes.
# And one has another client, which is the subject of {ref}`sec-joint-better`: one bit for a binary attribute, with the same $\varepsilon_1$.


# %% tags=["hide-input"]
def votes(f, m):
    """Channel of m binary attributes by one bit each at the same ε of an attribute."""
    odds = exp(2 * logit(f))
    return reduce(np.kron, [np.array([[odds, 1], [1, odds]]) / (odds + 1)] * m)


def products_of(shares, sets):
    """Tables as products of the shares of single attributes."""
    first, *others = np.moveaxis(shares[np.array(sets)], 1, 0)
    return reduce(lambda a, b: (a[:, :, None] * b[:, None]).reshape(len(a), -1), others, first)


TRUE = {m: counted(people, SETS[m], 2) / N for m in SETS}
METHODS = ("paper's rule", "maximum likelihood", "linear, projected", "one bit each", "product of single shares")
LEVELS, RUNS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9), 4
errors = {(name, m): np.zeros((len(LEVELS), RUNS)) for name in METHODS for m in (2, 3)}
for i, f in enumerate(LEVELS):
    client, other = BitFlip(sizes=(2,) * D, f=f), GRR(k=2, epsilon=2 * logit(f))
    for run in range(RUNS):
        codes = codes_of(client.perturb(people, rng=rng))
        single = maximum_likelihood(channel(f, 1), counted(codes, SETS[1], 3)).shares
        told = np.stack([other.perturb(people[:, j], rng=rng) for j in range(D)], 1)
        for m in (2, 3):
            counts = counted(codes, SETS[m], 3)
            estimates = {
                "paper's rule": stopped(channel(f, m), counts / N, 1e-3, by_maxima)[0],
                "maximum likelihood": maximum_likelihood(channel(f, m), counts).shares,
                "linear, projected": norm_sub(counts / N @ inverse(f, m)),
                "one bit each": maximum_likelihood(votes(f, m), counted(told, SETS[m], 2)).shares,
                "product of single shares": products_of(single, SETS[m]),
            }
            for name in METHODS:
                errors[name, m][i, run] = np.abs(estimates[name] - TRUE[m]).sum(1).mean() / 2
alone = {m: np.abs(products_of(TRUE[1], SETS[m]) - TRUE[m]).sum(1).mean() / 2 for m in (2, 3)}
print(f"products of true single shares are off by {alone[2]:.3f} for pairs and {alone[3]:.3f} for triples")

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-joint-accuracy", "caption": "Error of the estimated tables of all 120 pairs (upper panel) and 560 triples (lower panel) of 16 binary attributes, 20,000 people, against $f$ and the ε of a record: mean total variation of four runs, with 95 % bars. Among the estimates from two bits the likeliest tables are best, or nearly so, up to $f = 0.7$, with the linear ones close to them; the product of single shares, without any association, is far off at small $f$ and the best of all at $f = 0.9$. One bit each, by maximum likelihood as well, is throughout better than two bits by maximum likelihood."}, "image": {"alt": "Two panels, error on a logarithmic axis against f from 0.1 to 0.9, with epsilon of a record from 94 to 6 on top. The product of single shares is nearly flat, at 0.05 for pairs and 0.11 for triples. Four other curves rise from below 0.004 and cross it at f between 0.7 and 0.9; one bit each is the lowest of all up to 0.8."}}
fig, axes = plt.subplots(2, 1, figsize=(6.4, 7.6), sharex=True)
for ax, m in zip(axes, (2, 3), strict=True):
    for name, i in zip(METHODS, (0, 1, 2, 4, 6), strict=True):
        runs = errors[name, m]
        ax.plot(LEVELS, runs.mean(1), **line(i))
        bars = student.ppf(0.975, RUNS - 1) * runs.std(1, ddof=1) / sqrt(RUNS)
        ax.errorbar(LEVELS, runs.mean(1), bars, **dots(i), label=name)
    ax.set(yscale="log", ylabel=f"error of tables of {m}")
axes[0].legend(fontsize=9)
axes[1].set(xlabel="f")
above = axes[0].secondary_xaxis("top")
above.set_xticks(LEVELS, [f"{32 * logit(f):.0f}" for f in LEVELS])
above.set_xlabel("ε of a record of 16 attributes")
plt.show()

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {"triples": name} | {f"f = {f:g}": f"{errors[name, 3][i].mean():.4f}" for i, f in enumerate(LEVELS)}
            for name in METHODS
        ]
    )
)

# %% [markdown]
# For triples, up to $f = 0.7$, linear and likeliest tables differ by less than a fifth, and the two clients by a factor between 1.8 and about 3.
# For these 20,000 people a table of three at $f = 0.9$ is not worth estimating: the product of single shares is nearer to the truth.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
at_top, by_singles = (errors[name, 3].mean(1) for name in ("maximum likelihood", "product of single shares"))
settle(
    "ren2019.em-converges",
    holds={
        "to-the-table": to_the_table,
        "some-noise": at_top[2] < by_singles[2],
        "much-noise": at_top[-1] < by_singles[-1],
    },
)
settle(
    "ren2019.two-ways",
    holds={
        "one-by-one": alone[2] > 0.03 and alone[3] > 0.06,
        "all-at-once": sqrt((worth(0.5) ** -16 - 1) / N) > 1,
    },
)

# %% [markdown]
# (sec-joint-information)=
# ## Information
#
# How strongly an attribute $X$ goes together with a set Π of others is measured by their {term}`mutual information`,
#
# $$ I(X;\Pi) = \sum_{x,\pi} p(x,\pi)\ln\frac{p(x,\pi)}{p(x)\,p(\pi)} = H(X) + H(\Pi) - H(X,\Pi), $$
#
# with $H = -\sum p\ln p$ the {term}`entropy`.
# All three come from one table of $X$ and Π together, whose marginals are $p(x)$ and $p(\pi)$; then $I$ cannot be negative.
# With marginals from another estimate the two forms differ, and the second can be negative.
# (The paper calls $H(X,\Pi)$ a cross entropy.
# It is the entropy of the two together.)
# We take natural logarithms; the paper does not say which it takes.


# %%
def mutual_information(joint):
    """The first form, for a table with X along its last axis."""
    x, rest = joint.sum(tuple(range(joint.ndim - 1))), joint.sum(-1, keepdims=True)
    own = joint > 0
    return float((joint[own] * np.log((joint / (x * rest))[own])).sum())


# %% tags=["hide-input"]
random_tables = [rng.dirichlet(np.ones(24)).reshape(2, 3, 4) for _ in range(20)]
by_product = np.array([mutual_information(t) for t in random_tables])


def entropy_form(joint, marginals):
    """H(X) + H(Π) − H(X, Π), the first two from a table that should be the same."""
    return entropy(marginals.sum((0, 1))) + entropy(marginals.sum(2)) - entropy(joint)


def forms_differ(others):
    return max(abs(entropy_form(t, o) - i) for t, o, i in zip(random_tables, others, by_product, strict=True))


independent = np.multiply.outer(np.multiply.outer([0.3, 0.7], [0.2, 0.3, 0.5]), [0.1, 0.2, 0.3, 0.4])
check(
    "Information",
    "20 random tables: both forms and the package agree, none is negative; 0 for a product",
    forms_differ(random_tables) < 1e-12
    and np.abs(by_product - [information(t) for t in random_tables]).max() < 1e-12
    and by_product.min() > 0
    and abs(mutual_information(independent)) < 1e-12,
    control="the two entropies from the next table",
    caught=forms_differ(random_tables[1:] + random_tables[:1]) > 0.01,
)

# %% [markdown]
# From an estimated table information comes out too large, because noise looks like association.
# For binary attributes that are independent and fair this can be computed to second order.
# To that order the information of a table near the uniform one is half of the sum of the squares of those parities that contain $X$ and at least one parent.
# If the people are drawn at random, a parity of $s$ attributes is estimated with the variance $\rho^{-s}/n$ ({prf:ref}`thm-joint-linear`), and so with $k$ parents
#
# $$ \E\,\hat I(X;\Pi) - I(X;\Pi) \approx \frac{1}{2n}\sum_{i=1}^k\binom ki\rho^{-1-i} = \frac{1}{2n\rho}\Big[\Big(1+\frac1\rho\Big)^k - 1\Big]. $$ (eq-joint-bias)
#
# This is an approximation, for attributes that are nearly independent and nearly fair, and for noise that is small beside the cells.
# For any sizes and linear estimates $1/\rho$ becomes $a_j = (\kappa_j-1)\big(1+\frac{\kappa_j\varphi(1-\varphi)}{(1-2\varphi)^2}\big)$, attribute by attribute; by maximum likelihood it is somewhat less from three values on.


# %%
def bias(f, k, n):
    """The approximation for one binary attribute and k parents."""
    return ((1 + 1 / worth(f)) ** k - 1) / (2 * n * worth(f))


# %% tags=["hide-input"]
def noise(k, f):
    """The a of an attribute of k values."""
    phi = f / 2
    return (k - 1) * (1 + k * phi * (1 - phi) / (1 - 2 * phi) ** 2)


def noise_by_law(k, f, one=scores):
    """The same from the law of a report: k times the mean sum of squares of the scores less 1/k."""
    client = lambda x, rng: bit_flip(x, (k,), f, rng)  # noqa: E731
    return k * moments(client, [(0,)], score=lambda y: ((one(y[0], f) - 1 / k) ** 2).sum())[0][0]


def noise_likeliest(k, f):
    """That of maximum likelihood near the uniform table, from the information of a report."""
    sent = laws(lambda x, rng: bit_flip((x,), (k,), f, rng), range(k))
    A = np.array([[float(own[y]) for own in sent] for y in sent[0]])
    fisher = (A / A.mean(1, keepdims=True)).T @ A
    return k * (k - 1) / (fisher[0, 0] - fisher[0, 1])


check(
    "Noise",
    "2 to 5 values, f = 0.5: a by the law of a report; the package's bias for sizes (3, 4) is a₁a₂/2n",
    all(abs(noise_by_law(k, 0.5) - noise(k, 0.5)) < 1e-9 for k in (2, 3, 4, 5))
    and abs(2 * N * information_bias(BitFlip(sizes=(3, 4), f=0.5), 0, (1,), N) / (noise(3, 0.5) * noise(4, 0.5)) - 1)
    < 1e-9,
    control="scores that are not corrected to sum 1",
    caught=all(abs(noise_by_law(k, 0.5, uncorrected) - noise(k, 0.5)) > 0.1 for k in (2, 3, 4, 5)),
)
print(
    "f = 0.5, linear and by maximum likelihood: "
    + ", ".join(f"a = {noise(k, 0.5):.1f} and {noise_likeliest(k, 0.5):.1f} for {k} values" for k in (2, 3, 5))
)

DRAWS = {1: 20_000, 2: 8000}  # tables, each from the symbols of its own N people: a standard error of 1 %
measured = {}
for f, k in product((0.5, 0.7, 0.9), (1, 2)):
    A = channel(f, k + 1)
    counts = rng.multinomial(N, A.mean(1), DRAWS[k] if f < 0.9 else 1000)
    tables = maximum_likelihood(A, counts).shares.reshape(-1, *(2,) * (k + 1))
    measured[f, k] = float(np.mean([information(tables, axis, axes=k + 1) for axis in range(k + 1)]))


def fixed_people(f, k, n):
    """The same sum with the variance for given people, ρ^−s − 1."""
    return bias(f, k, n) - (2**k - 1) / (2 * n)


def near(formula):
    return [abs(measured[f, k] / formula(f, k, N) - 1) < TOLERANCE for f, k in measured if f < 0.9]


TOLERANCE = 0.06
check(
    "Bias",
    f"independent fair attributes, n = {N:,}, f = 0.5 and 0.7, one and two parents: within 6 % of the approximation",
    all(near(bias))
    and all(
        abs(information_bias(BitFlip(sizes=(2,) * 3, f=f), 0, tuple(range(1, k + 1)), N) / bias(f, k, N) - 1) < 1e-9
        for f, k in measured
    ),
    control="the variance for given people",
    caught=not all(near(fixed_people)),
)
table(
    pd.DataFrame(
        [
            {
                "f": f"{f:g}",
                "ε, d = 16": f"{32 * logit(f):.1f}",
                "ρ": f"{worth(f):.3f}",
                **{
                    f"bias, {k} parent{'s' * (k > 1)}": f"{bias(f, k, N):.5f}"
                    + (f" (measured {measured[f, k]:.5f})" if (f, k) in measured else "")
                    for k in (1, 2)
                },
                "limit": f"{9 / (2 * N * worth(f) ** 2):.4f}",
            }
            for f in (0.1, 0.3, 0.5, 0.7, 0.9)
        ]
    )
)

# %% [markdown]
# The table has the bias for 20,000 people in nats, predicted, and measured by maximum likelihood where we did.
# At $f = 0.9$ the approximation is of no use for two parents: it exceeds what an attribute of two values can have, $\ln 2 = 0.69$.
#
# Two things follow for whoever looks for associations.
# On average, and other things equal, more parents look better than fewer, and attributes with many values better than those with few.
# And there is a limit below which an association does not show: a parity of a pair has the standard error $1/(\rho\sqrt n)$, so that three of them, squared and halved, are $9/(2n\rho^2)$ nats.
# The last column has it, for 20,000 people as well.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims of the papers settled here"}
true_pairs = information(TRUE[2].reshape(-1, 2, 2), axes=2)
found_pairs = information(likeliest(reported, SETS[2]).tables, axes=2)
largest_found, truly_largest = (
    set(np.argsort(-x, kind="stable")[:i].tolist()) for x, i in ((found_pairs, 10), (true_pairs, 20))
)
none_below = by_product.min() > 0 and abs(mutual_information(independent)) < 1e-12
settle(
    "ren2019.information",
    holds={
        "positive": none_below,
        "strongest-found": largest_found <= truly_largest,
    },
)
same_forms = forms_differ(random_tables) < 1e-12
settle(
    "ren2019.entropy-form",
    holds={"equal": same_forms},
)

# %% [markdown]
# (sec-joint-better)=
# ## Better clients for the same ε
#
# ### One bit for two values
#
# A binary attribute takes two bits in Algorithm 1, and one would do.
#
# :::{prf:theorem} Two bits are randomized response with answers thrown away
# :label: thm-joint-erased
# Let a client send the value of a binary attribute by randomized response with $\varepsilon_1$, and then, with probability $2\varphi(1-\varphi)$, whatever the answer, send *nothing* instead.
# Its reports have the same law as the symbols of the two-bit client.
# So every estimate from two bits can be had, in law, from one bit; and if answers are not thrown away, a parity of $m$ attributes is estimated with the variance $(c^{2m}-1)/n$ in place of $(\rho^{-m}-1)/n$, with $c = \frac{e^{\varepsilon_1}+1}{e^{\varepsilon_1}-1}$ and $c^2 = \frac{1-2\varphi(1-\varphi)}{\rho} < \frac1\rho$.
# :::
#
# :::{prf:proof}
# The symbol is nothing if exactly one of the two bits is flipped, with probability $2\varphi(1-\varphi)$ for either value.
# Otherwise it is the truth or its opposite, with the odds $(1-\varphi)^2 : \varphi^2 = e^{\varepsilon_1}$, which are those of randomized response.
# The score of an answer of randomized response is $\pm c$, and $c^{-2} = \frac{(1-2\varphi)^2}{(1-2\varphi(1-\varphi))^2} = \frac{\rho}{1-2\varphi(1-\varphi)}$.
# The square of a product of $m$ scores is $c^{2m}$, that of the person's own parity is 1.
# :::


# %%
def one_bit(x, f, rng):
    """Randomized response with the ε of an attribute of Algorithm 1."""
    odds = ((1 - f / 2) / (f / 2)) ** 2
    return x if toss(odds / (odds + 1), rng) else 1 - x


def thrown_away(x, f, rng):
    """The same, with part of the answers replaced by nothing."""
    told = one_bit(x, f, rng)
    return "nothing" if toss(f * (1 - f / 2), rng) else told


def two_bit_symbol(x, f, rng):
    """What the two bits of Algorithm 1 say."""
    zero, one = bit_flip((x,), (2,), f, rng)[0]
    return "nothing" if zero == one else int(one)


# %% tags=["hide-input"]
check(
    "Thrown away",
    "two bits and randomized response with erasures have one law, f = 0.1, 0.5 and 0.9",
    all(
        same_law(lambda x, rng, f=f: two_bit_symbol(x, f, rng), lambda x, rng, f=f: thrown_away(x, f, rng), [0, 1])
        for f in (0.1, 0.5, 0.9)
    ),
    control="randomized response that throws nothing away",
    caught=not same_law(lambda x, rng: two_bit_symbol(x, 0.5, rng), lambda x, rng: one_bit(x, 0.5, rng), [0, 1]),
)
print(
    "part of the answers that is thrown away: "
    + ", ".join(f"{f * (1 - f / 2):.1%} at f = {f:g}" for f in (0.1, 0.5, 0.9))
)


def one_bit_variance(f, m):
    """n times the variance of a parity of m attributes by one bit each."""
    return ((1 - f * (1 - f / 2)) / worth(f)) ** m - 1


def right_variance(f, m, at):
    """Whether by the law of the answers the scores of f = at are unbiased and have that variance."""
    gain = (exp(2 * logit(at)) + 1) / (exp(2 * logit(at)) - 1)
    client = lambda x, rng: [one_bit(v, f, rng) for v in x]  # noqa: E731
    mean, variance = moments(client, [(0,) * m], score=lambda y: gain**m * (-1) ** sum(y))
    return abs(mean[0] - 1) < 1e-9 and abs(variance[0] / one_bit_variance(f, m) - 1) < 1e-9


check(
    "One bit",
    "f = 0.1, 0.5 and 0.9, one to three attributes: unbiased, with variance c^2m − 1",
    all(right_variance(f, m, f) for f, m in product((0.1, 0.5, 0.9), (1, 2, 3))),
    control="scores for 1.05 f",
    caught=not any(right_variance(f, m, 1.05 * f) for f, m in product((0.1, 0.5, 0.9), (1, 2, 3))),
)
table(
    pd.DataFrame(
        [
            {"f": f"{f:g}"}
            | {f"given people, m = {m}": f"{(worth(f) ** -m - 1) / one_bit_variance(f, m):.2f}" for m in (1, 2, 3)}
            | {f"a sample, m = {m}": f"{(1 - f * (1 - f / 2)) ** -m:.2f}" for m in (1, 2, 3)}
            for f in (0.1, 0.5, 0.9)
        ]
    )
)

# %% [markdown]
# The table says how many people two bits need for each one with one bit, for a parity of $m$ attributes among given people, and for one near 0 if the people are a sample.
#
# ### More values


# %% tags=["hide-input"]
def krr_noise(k, f):
    """The a of k-RR at the same ε of the attribute."""
    return float(inflation([GRR(k=k, epsilon=2 * logit(f))])[0])


def most_krr(f):
    """Up to how many values k-RR has no more noise than one-hot bits."""
    return max(k for k in range(2, 200) if krr_noise(k, f) <= noise(k, f) * (1 + 1e-9))


def krr_limit(f):
    """The same by the formula, s³ + s + 2 with s = exp(ε₁/2)."""
    return int(exp(3 * logit(f)) + exp(logit(f)) + 2 + 1e-9)


MANY = (0.3, 0.5, 0.7, 0.9)
check(
    "k-RR or bits",
    "f = 0.3, 0.5, 0.7, 0.9: by linear estimates k-RR has no more noise for κ up to s³ + s + 2, and more above",
    all(most_krr(f) == krr_limit(f) for f in MANY),
    control="3 exp(ε₁) for the limit",
    caught=any(most_krr(f) != int(3 * exp(2 * logit(f))) for f in MANY),
)
print("largest κ: " + ", ".join(f"{most_krr(f)} at f = {f:g}" for f in MANY))

# %% [markdown]
# For more than two values compare the noise $a$ of linear estimates, near uniform shares: that of k-RR is $(\kappa-1)\big(1+\frac{\kappa}{s^2-1}\big)^2$ with $s = e^{\varepsilon_1/2}$, that of one-hot bits $(\kappa-1)\big(1+\frac{\kappa s}{(s-1)^2}\big)$.
# The first is no larger exactly if $\kappa \le s^3+s+2$: k-RR, attribute by attribute, is the better client up to there.
# Everything in this chapter goes through with it: only the matrix $A$ is another.
#
# ### A few attributes for many
#
# If ε is to protect the whole record, there is a better way than to answer about everything with a $d$-th of it.
# Draw a few of the attributes at random, in public, and send their joint value through k-RR with all of ε ({ref}`sec-publish-block`).
# {cite:t}`cormode2018marginal` and {cite:t}`zhang2018calm` compare such designs, the second with chosen blocks in place of random ones.
# A block may spend all of ε on one attribute, where the client of this chapter spends $\varepsilon_1$ on each; but a promise about single attributes is weak, as attributes that go together give each other away.
# The chapter on {ref}`publishing a table <ch-publish>` compares whole data sets under both.
#
# (sec-joint-differs)=
# ## What the paper says, and what differs
#
# - *Theorem 1* is right, for whole records and one-hot strings; the last line of its proof can be read in two ways, of which one is right ({prf:ref}`thm-joint-epsilon`).
#   "Very strong" protection at $f = 0.9$ means $\varepsilon = 6.4$ for 16 attributes.
# - *Line 4 of Algorithm 2*, and step 2 of §5.2.2, leave the algorithm where it started ({ref}`sec-joint-likelihood`).
#   Whoever drew the paper's figures must have had another line.
# - *The stopping rule* can end it after one step ({ref}`sec-joint-convergence`).
#   With δ = 0.001, which is ours, it matters from about $f = 0.5$ on; what becomes of the figures with it is the subject of the next chapter.
# - *A good start*, which the text asks for, is any without empty cells, if EM goes on long enough.
# - *Cells that do not occur* are given shares, says the text.
#   So it is: at $f = 0.5$ about nine tenths of it came from stopping early, at $f = 0.9$ chance alone is enough ({ref}`sec-joint-convergence`).
# - *Randomized response is for two values only* (§5.1), which is true of the original one; k-RR, which §2 lists, would do, and better than bits for up to 32 values at $f = 0.5$ and 5 at $f = 0.9$.
#
# (sec-joint-wrong)=
# ## What can go wrong
#
# - *Answering again.*
#   Bits that are flipped afresh in every round add up: after ten rounds ε is ten times as large.
#   A client that may be asked again has to keep its first answer ({ref}`sec-rappor-uncovered` says what that leaves open).
# - *Clipping and rescaling* negative cells instead of projecting.
#   Rare cells come out too large ({ref}`sec-freq-post`).
#
# (sec-joint-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: an honest ε
# A survey with 16 binary questions is to have $\varepsilon = 1$ for the whole record.
# Which $f$ does Algorithm 1 need, and how many people, for parities of pairs with a standard error of 0.02?
# :::
#
# :::{dropdown} Solution
# $f = 2/(1+e^{\varepsilon/2d})$, and $n$ is $2{,}500$ times the variance $\rho^{-2} - 1$ of {prf:ref}`thm-joint-linear`.
# Ten thousand million people would have to answer, more than there are.
# :::

# %%
f = 2 / (1 + exp(1 / 32))
print(f"f = {f:.4f}: {2500 * (worth(f) ** -2 - 1):,.0f} people")

# %% [markdown]
# :::{admonition} Exercise 2: how long until it stops
# Start EM from uniform shares with exact frequencies of $m$ binary attributes of which only the parity of all of them is not 0, say $\eta$.
# How far does the first step go, and from which $f$ on is it the last for $\delta = 0.001$, $\eta = 0.6$ and $m = 2$?
# :::
#
# :::{dropdown} Solution
# At uniform shares all symbols with the same number of votes are equally likely, and the gradient is $g_\omega = 1 + \rho^m\eta\,(-1)^{\sum\omega_j}$: each attribute contributes $1-2\varphi$ by the law of its votes and $\frac{1-2\varphi}{1-2\varphi(1-\varphi)}$ by the posterior given a vote, which is ρ together.
# So the largest cell grows by $\rho^m\eta/2^m$.
# With the numbers given it is below δ if ρ is below $\sqrt{0.004/0.6} = 0.082$, from $f = 0.794$ on.
# :::

# %%
ETA = 0.6
firsts = {f: (em_step(np.full(4, 0.25), channel(f, 2), channel(f, 2) @ PLAIN).max() - 0.25) for f in (0.3, 0.79, 0.9)}
check(
    "First step",
    "two attributes, shares 0.4, 0.1, 0.1, 0.4: the largest cell grows by ρ² · 0.6/4",
    all(abs(step - worth(f) ** 2 * ETA / 4) < 1e-12 for f, step in firsts.items()),
    control="ρ · 0.6/4",
    caught=all(abs(step - worth(f) * ETA / 4) > 1e-3 for f, step in firsts.items()),
)
last = next(f / 1000 for f in range(1, 1000) if worth(f / 1000) ** 2 * ETA / 4 <= 1e-3)
print(f"ρ = {sqrt(0.004 / ETA):.3f}; the first step is the last from f = {last:.3f} on")

# %% [markdown]
# Next: from the tables of a few attributes to a network of all of them.
