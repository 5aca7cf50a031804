# %% [markdown]
# (paper-ye2018-means)=
# # The survey, §4.2 and §4.3: means, compression, distortion
#
# *A part of the {ref}`dossier <paper-ye2018>` on {cite:t}`ye2018survey`: §4.2 and §4.3, exhibit by exhibit.*
#
# §4.2 compares two methods for the means of $d$ numbers: MeanEst answers about all of them at once, Harmony-Mean about one.
# §4.3 adds two mechanisms that start from an error that one can bear: Compression and Distortion.
# Harmony-Mean is right in every probability.
# MeanEst costs less than the survey says and spends all of ε on the vector; its coin is wrong for even $d$.
# Distortion is k-RR under another name.
#
# **Readings that are ours.**
# - The denominators of $B$ and the name of $C_d$ are damaged in our text; we read binomials $\binom{d-1}{(d-1)/2}$ and $\binom{d-1}{d/2}$.
# - “Error” of means is the largest of the $d$ errors, as in the papers that the survey cites.
# - The loss of Distortion is 1 for a wrong value, which its channel implies.
#   Where the survey says “statistics”, we take the shares of all values.
# - In §4.3 the constraint for Compression has lost its expectation and its class of sources; the line below it has the expectation, and Distortion's has both.
#
# **Letters.**
# We write $x$ for a person's numbers and $y$ for the report, where the survey has $t_i$ and $t_i^*$; and $z$ for its $v$.
# The survey's $\hat x$, $P$, $|\mathcal X|$ and $|\hat{\mathcal X}|$ are our $y$, $\pi$, $k$ and $r$.
# $c = (e^\varepsilon+1)/(e^\varepsilon-1)$.
#
# **Lessons.**
# {ref}`ch-many` teaches §4.2, {ref}`ch-distortion` §4.3.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
import tracemalloc
from functools import partial
from itertools import pairwise, product
from math import comb, exp, inf, isclose, log, sqrt

import numpy as np
import pandas as pd

from ldpnb import (
    GRR,
    HarmonyMean,
    MatrixMechanism,
    MeanEst,
    epsilon,
    law,
    laws,
    least_distortion,
    least_epsilon,
    moments,
    pick,
    same_law,
    toss,
)
from ldpnb.book import close, datasets, settle, style, table
from ldpnb.book.studies import ye2018_means as study
from ldpnb.numbers import hamming_distortion, optimise_points

style()
rng = np.random.default_rng(2018)  # the year of the survey


def c(eps):
    return (exp(eps) + 1) / (exp(eps) - 1)


# %% [markdown]
# (ye2018-4-2)=
# ## §4.2 Means
#
# (ye2018-4-2-noise)=
# ### The idea · Noise that cancels
#
# {badge}`Reproduced <ye2018.mean-noise>` · Lesson: {ref}`ch-means`
#
# Individual values get positive and negative noise, which cancels in the aggregate.
#
# (ye2018-meanest)=
# ### MeanEst · A corner of a cube
#
# $B$ and rounding: {badge}`Reproduced <ye2018.meanest-b>` the coin: {badge}`Corrected · certain <ye2018.meanest-coin>` its cost: {badge}`Corrected · certain <ye2018.meanest-exponential>` {badge}`Corrected · probable <ye2018.meanest-cost>` the range of a report: {badge}`Slip · certain` · Lesson: {ref}`sec-means-meanest`
#
# $n$ people have $d$ numbers each, $x \in [-1,1]^d$.
# The report is a vector of $\{-B,B\}^d$, with
#
# $$ \begin{aligned} B &= \frac{2^d+C_d\,(e^\varepsilon-1)}{A_d\,(e^\varepsilon-1)}, & A_d &= \binom{d-1}{\lfloor d/2\rfloor}, \\ C_d &= 2^{d-1} \;\text{($d$ odd)}, & C_d &= 2^{d-1}-\tfrac12\tbinom{d}{d/2} \;\text{($d$ even)}. \end{aligned} $$ (eq-ye2018-b)
#
# First, each number is rounded to a sign: $\Pr[z_j = \pm1] = \frac12\pm\frac12x_j$.
#
# (ye2018-meanest-coin)=
# Then a coin decides on which side of $z$ the report lies:
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | a corner $y$ with $y\cdot z > 0$, with probability $\frac{e^\varepsilon}{1+e^\varepsilon}$ | a corner with $y\cdot z > 0$, with probability $\boxed{\frac{e^\varepsilon C_d}{(e^\varepsilon-1)\,C_d+2^d}}$ |
# | otherwise one with $y\cdot z < 0$ | otherwise one with $y\cdot z \boxed{\le} 0$ |
# | $y \in [-B,B]^d$ | $y \in \boxed{\{-B,B\}^d}$, as the survey says first |
#
# :::
#
# For odd $d$ there are no ties $y\cdot z = 0$, both sides have $2^{d-1}$ corners, and the printed coin is the right one.
# For even $d$, a corner that ties with $z$ would never be sent, so ε is infinite.
# The table below has all ways to place the ties: none is both private and unbiased with the printed $B$.
# The printed coin is that of {cite:t}`duchi2018minimax`, who put ties on both sides and have another $B$; the printed $B$ belongs to the coin on the right, as far as we could see that of {cite:t}`nguyen2016collecting`.

# %% tags=["hide-input"]
SIDES = {
    "> 0 and < 0 (printed)": (lambda a: a > 0, lambda a: a < 0),
    "> 0 and ≤ 0": (lambda a: a > 0, lambda a: a <= 0),
    "≥ 0 and < 0": (lambda a: a >= 0, lambda a: a < 0),
    "≥ 0 and ≤ 0": (lambda a: a >= 0, lambda a: a <= 0),
}
RIGHT = "> 0 and ≤ 0, the right coin"


def rounded(x, rng):
    return [1 if toss((1 + v) / 2, rng) else -1 for v in x]


def sided(x, rng, near, far, eps=1.0):
    """The coin e^ε/(1 + e^ε) between two sets of corners."""
    z = rounded(x, rng)
    side = near if toss(exp(eps) / (1 + exp(eps)), rng) else far
    return pick([y for y in product((1, -1), repeat=len(x)) if side(np.dot(y, z))], rng)


def meanest(x, rng, eps=1.0):
    """The right coin."""
    z = rounded(x, rng)
    corners = [*product((1, -1), repeat=len(x))]
    near = [y for y in corners if np.dot(y, z) > 0]
    far = [y for y in corners if np.dot(y, z) <= 0]
    weight = exp(eps) * len(near)
    return pick(near if toss(weight / (weight + len(far)), rng) else far, rng)


def size(d, eps):
    """B as printed."""
    near = sum(comb(d, a) for a in range(d // 2 + 1, d + 1))
    return (2**d + near * (exp(eps) - 1)) / (comb(d - 1, d // 2) * (exp(eps) - 1))


def judged(client, d):
    """Exact ε, and the mean score of a number that is 1."""
    some = [(1.0,) * d, *((-1.0,) * j + (1.0,) * (d - j) for j in range(1, d + 1))]
    mean = moments(client, some[:1], score=lambda y: size(d, 1.0) * y[0])[0][0]
    return epsilon(laws(client, some)), float(mean)


CLIENTS = {name: partial(sided, near=near, far=far) for name, (near, far) in SIDES.items()} | {RIGHT: meanest}
found = {(name, d): judged(client, d) for name, client in CLIENTS.items() for d in (2, 3, 4)}
table(
    pd.DataFrame(
        [
            {"sides of y · z": name}
            | {
                f"d = {d}": f"ε = {'∞' if found[name, d][0] == inf else f'{found[name, d][0]:.2f}'}, mean {found[name, d][1]:.2f}"
                for d in (2, 3, 4)
            }
            for name in CLIENTS
        ]
    )
)

# %% [markdown]
# Each cell has the exact ε, where 1 is asked for, and the mean score of a number that is 1.
#
# **How $B$ grows.**
# The survey says that $B$ grows exponentially with $d$, that this limits the computation of $B$, and that the method does not suit many dimensions.
# {eq}`eq-ye2018-b` is $c\,2^{d-1}/A_d$ for odd $d$, and 1 less for even $d$; by Stirling's formula, $2^{d-1}/A_d \approx \sqrt{\pi d/2}$, so
#
# $$ B \approx c\,\sqrt{\pi d/2}. $$
#
# Nor need all corners be listed: a report takes about $2d$ draws, first of the number of agreements with $z$, then of the places.
# If the survey speaks of a client that lists corners, it is right about that client.
#
# (ye2018-harmony-mean)=
# ### Harmony-Mean · One number, with all of ε
#
# {badge}`Reproduced <ye2018.harmony-mean-law>` the range of a report: {badge}`Slip · certain` · Lesson: {ref}`sec-means-sample`
#
# One of the $d$ numbers is drawn; its score is $\pm dc$, all others are 0:
#
# $$ \Pr[y_j = \pm d c] = \frac{e^\varepsilon+1 \pm x_j\,(e^\varepsilon-1)}{2e^\varepsilon+2} = \frac12 \pm \frac{x_j}{2c}. $$
#
# The second form shows that the mean is $x_j$, after the factor $\frac1d$ for the draw.
# The report is printed as a vector of $[-dc, 0, dc]^d$, for $\{-dc, 0, dc\}^d$.


# %%
def harmony(x, rng, eps=1.0):
    """A number drawn in public, and its sign by randomized response."""
    j = pick(range(len(x)), rng)
    sign = 1 if toss((1 + x[j]) / 2, rng) else -1
    return j, sign if toss(exp(eps) / (exp(eps) + 1), rng) else -sign


# %% [markdown]
# (ye2018-4-2-bound)=
# ### The error bound, and that both are alike
#
# the bound: {badge}`Reproduced under conditions <ye2018.mean-bound>` alike: {badge}`Reproduced <ye2018.mean-similar>` · Lesson: {ref}`sec-means-compare`
#
# $$ O\Big(\frac{\sqrt{d\log d}}{\varepsilon\sqrt n}\Big) \quad\text{for both methods.} $$
#
# The largest of $d$ roughly normal errors is about $\sqrt{2\ln d}$ standard errors, and the standard error of Harmony-Mean is at most $c\sqrt{d/n}$.
# For small ε, $c \approx 2/\varepsilon$, which is the bound; for large ε, $c$ does not fall below 1, and the bound does not hold.
# The variances of MeanEst and Harmony-Mean are $B^2-x_j^2$ and $dc^2-x_j^2$; their ratio tends to $\pi/2$.
#
# (ye2018-table-6)=
# (sec-means-table)=
# ### Table 6 · Both methods compared
#
# communication: {badge}`Reproduced under conditions <ye2018.harmony-mean-bits>` computation: {badge}`Reproduced <ye2018.harmony-mean-cost>` MeanEst's budget: {badge}`Corrected · certain <ye2018.meanest-split>` Harmony's: {badge}`Reproduced <ye2018.harmony-mean-epsilon>` errors: {badge}`Reproduced <ye2018.table6-error>` individual data: {badge}`Reproduced <ye2018.mean-individual>` · Lesson: {ref}`ch-many`
#
# In each cell, the survey's entry comes first, in our words; what we found instead follows an arrow.
#
# | | MeanEst | Harmony-Mean |
# |---|---|---|
# | advantages | small error, useful data | little time, small error, useful data |
# | drawbacks | individual data far from the original; much time and space, few dimensions only → any $d$ | individual data far from the original |
# | communication | $O(d)$ → $d$ bits | $O(1)$ → 1 bit, and a public index of $\lceil\log_2 d\rceil$ |
# | error | $\sqrt{d\log d}/(\varepsilon\sqrt n)$ → the largest of $d$ errors, for small ε | the same |
# | computation | high, all combinations → about $2d$ draws | low, means only |
# | budget | split evenly over the variables → all of ε on the vector | all of ε on the drawn variable |
#
# Our text has $\sqrt d\log d$ in one cell, which we read as in the text above; and MeanEst's entry on individual data has lost a word, which we read as Harmony-Mean's.
# With $\varepsilon/d$ for each variable, the error would grow like $d$, not like the $\sqrt{d\log d}$ of the same row.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §4.2: 8 reproduced, 2 reproduced under conditions, 4 corrected"}
FEW = {
    2: [(1.0, 1.0), (-1.0, 1.0), (0.25, -0.3)],
    3: [(1.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (0.3, 0.0, -0.5)],
    4: [(1.0,) * 4, (-1.0, 1.0, 1.0, 1.0), (0.3, 0.0, -0.5, 1.0)],
    5: [(1.0,) * 5, (0.3, 0.0, -0.5, 1.0, -1.0)],
}


def unbiased(client, d, factor=1.0):
    """Whether scores ±B give every number back, on average."""
    mean = moments(client, FEW[d], score=lambda y: factor * size(d, 1.0) * np.array(y))[0]
    return bool(np.allclose(mean, FEW[d]))


settle(
    "ye2018.meanest-b",
    {"unbiased": all(unbiased(meanest, d) for d in FEW)},
    control=("B of one number more", not unbiased(meanest, 3, size(4, 1.0) / size(3, 1.0))),
)


def good(name, d):
    """Whether a coin keeps ε = 1, and whether it is also unbiased with the printed B."""
    spent, mean = found[name, d]
    return spent <= 1 + 1e-9, spent <= 1 + 1e-9 and isclose(mean, 1)


settle(
    "ye2018.meanest-coin",
    {
        "even": any(good("> 0 and < 0 (printed)", d)[0] for d in (2, 4)),
        "ties": any(good(name, d)[1] for name in [*SIDES][1:] for d in (2, 4)),
    },
    instead={
        "odd": good("> 0 and < 0 (printed)", 3)[1],
        "right-coin": all(good(RIGHT, d)[1] for d in (2, 3, 4)),
    },
)
settle(
    "ye2018.meanest-exponential",
    {"exponential": min(size(d + 2, 1.0) / size(d, 1.0) for d in (10, 50, 100, 200, 500)) > 1.1},
    instead={"root-d": all(abs(size(2 * d, 1.0) / size(d, 1.0) / sqrt(2) - 1) < 0.03 for d in (10, 100, 500))},
)


class Counting(np.random.Generator):
    """A generator that counts what is drawn from it."""

    drawn = 0

    def random(self, *args, **named):
        self.drawn += 1
        return super().random(*args, **named)

    def integers(self, *args, **named):
        self.drawn += 1
        return super().integers(*args, **named)


def quick(x, rng, eps=1.0):
    """MeanEst in about 2 d draws: in how many numbers the corner agrees, then in which."""
    d, z = len(x), rounded(x, rng)
    ways = [comb(d, a) for a in range(d + 1)]
    near = sum(w for a, w in enumerate(ways) if 2 * a > d)
    is_near = toss(exp(eps) * near / ((exp(eps) - 1) * near + 2**d), rng)
    left = next_agreements([a for a in range(d + 1) if (2 * a > d) == is_near], ways, rng)
    report = []
    for j in range(d):
        agree = toss(left / (d - j), rng)
        left -= agree
        report.append(z[j] if agree else -z[j])
    return tuple(report)


def next_agreements(some, ways, rng):
    """One of these numbers of agreements, in proportion to the ways to have them."""
    rest = sum(ways[a] for a in some)
    for a in some[:-1]:
        if toss(ways[a] / rest, rng):
            return a
        rest -= ways[a]
    return some[-1]


def peak(client, d):
    """Bytes that one report needs."""
    tracemalloc.start()
    client((0.5,) * d, np.random.default_rng(1))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def draws(client, d):
    """Draws of one report about d numbers."""
    counter = Counting(np.random.PCG64(1))
    client((0.5,) * d, counter)
    return counter.drawn


def of_package(x, rng):
    return MeanEst(d=len(x), epsilon=1.0).perturb([x], rng=rng)


settle(
    "ye2018.meanest-cost",
    {"memory": peak(of_package, 1000) > peak(meanest, 14)},
    instead={
        "listing": peak(meanest, 14) > 10 * peak(meanest, 10),
        "draws": draws(of_package, 1000) < 3 * 1000,
        "same-law": all(
            same_law(quick, meanest, FEW[d]) and same_law(quick, MeanEst(d=d, epsilon=1.0), FEW[d]) for d in (2, 3, 4)
        ),
    },
)


def law_of_harmony(x, sign=1):
    """Whether the drawn number has the printed probabilities, and each is drawn alike."""
    told = law(lambda rng: harmony(x, rng))
    printed = [(x[j] * (exp(1) - 1) + exp(1) + 1) / (2 * exp(1) + 2) for j in range(len(x))]
    return all(isclose(len(x) * float(told[j, sign]), p) for j, p in enumerate(printed))


def harmony_right(d):
    """Exactly ε = 1, and unbiased with scores ±dc and 0."""
    mean = moments(harmony, FEW[d], score=lambda y: d * c(1.0) * y[1] * np.eye(d)[y[0]])[0]
    return isclose(epsilon(laws(harmony, FEW[d])), 1) and np.allclose(mean, FEW[d])


settle(
    "ye2018.harmony-mean-law",
    {"law": law_of_harmony((0.25, -0.3)), "private": harmony_right(2) and harmony_right(3)},
    control=("the probability of the negative score", not law_of_harmony((0.25, -0.3), sign=-1)),
)
one_changed = [(1.0, 0.3, 0.3), (-1.0, 0.3, 0.3)]


def halved(x, rng):
    return harmony(x, rng, eps=0.5)


settle(
    "ye2018.harmony-mean-epsilon",
    {"whole": isclose(epsilon(laws(harmony, one_changed)), 1)},
    control=("half of ε for the drawn number", not isclose(epsilon(laws(halved, one_changed)), 1)),
)
BOTH = {"MeanEst": MeanEst, "Harmony": HarmonyMean}
constant = study.largest_errors(BOTH, (16, 64, 256, 1024), 0.5, rng=rng)
by_d = {name: [one for (kind, _), one in constant.items() if kind == name] for name in BOTH}
largest = {
    eps: study.largest_errors({"Harmony": HarmonyMean}, (64,), eps, rng=rng, surveys=4000)["Harmony", 64] / eps
    for eps in (0.25, 0.5, 2.0, 8.0)
}
print("largest error over √(d ln d)/(ε√n):", {name: [round(one, 2) for one in some] for name, some in by_d.items()})
settle(
    "ye2018.mean-bound",
    {
        "dimension": all(max(some) / min(some) < 1.3 for some in by_d.values()),
        "small-epsilon": abs(largest[0.25] / largest[0.5] / 2 - 1) < 0.05,
        "large-epsilon": largest[2.0] / largest[8.0] > 3,
    },
    control=("split budgets: c(ε/d) instead of √d c(ε)", c(0.5 / 1024) / c(0.5 / 16) / sqrt(1024 / 16) > 1.3),
)


def ratio_of_errors(d, eps, size=size):
    return size(d, eps) / sqrt(d) / c(eps)


settle(
    "ye2018.mean-similar",
    {"similar": all(sqrt(0.5) < ratio_of_errors(d, eps) < sqrt(2) for d in range(2, 101) for eps in (0.1, 1.0, 8.0))},
    control=(
        "ε/d for each number instead of MeanEst",
        not all(sqrt(0.5) < ratio_of_errors(d, 1.0, lambda d, eps: c(eps / d)) < sqrt(2) for d in range(2, 101)),
    ),
)
bits = {name: kind(d=80, epsilon=1.0).report_bits for name, kind in BOTH.items()}
index = (80 - 1).bit_length()
settle(
    "ye2018.harmony-mean-bits",
    {
        "public-index": bits["Harmony"] * 80 == bits["MeanEst"],
        "sent-index": (bits["Harmony"] + index) * 80 == bits["MeanEst"],
    },
    control=("two numbers drawn", HarmonyMean(d=80, epsilon=1.0, count=2).report_bits * 80 != bits["MeanEst"]),
)
settle(
    "ye2018.harmony-mean-cost",
    {"draws": draws(harmony, 1000) < 10 < 1000 < draws(of_package, 1000)},
    control=("every number sent", draws(lambda x, rng: [harmony(x, rng) for _ in x], 1000) >= 10),
)
alone = [
    sum(float(q) for y, q in one.items() if y[0] == 1) for one in laws(meanest, [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
]
one_of_three = epsilon(laws(meanest, [(1.0, 1.0, 1.0), (-1.0, 1.0, 1.0)]))
settle(
    "ye2018.meanest-split",
    {"vector": abs(one_of_three - 1 / 3) < 1e-3, "coordinate": abs(log(alone[0] / alone[1]) - 1 / 3) < 1e-3},
    instead={"whole": isclose(one_of_three, 1), "split-error": c(0.1 / 100) / c(0.1 / 10) > 9.9},
)
unit = study.people(10**5, rng)


def error_of(name, people):
    """Root mean square error of one survey at ε = 1, in half ranges."""
    mechanism = BOTH[name](d=80, epsilon=1.0)
    reports = mechanism.perturb(people, rng=rng)
    return sqrt(np.mean(np.square(mechanism.estimate(mechanism.tally(reports)) - people.mean(0))))


seen = {name: error_of(name, unit) for name in BOTH}
few = {name: error_of(name, unit[:1000]) for name in BOTH}
apart = c(1 / 80) / sqrt(10**5)
print("10⁵ people, parts of the range:", {name: round(one / 2, 3) for name, one in seen.items()}, round(apart / 2, 3))
settle(
    "ye2018.table6-error",
    {"small": all(one / 2 < 0.05 for one in seen.values()), "splitting": apart / 2 > 0.2},
    control=("a thousand people", not any(one / 2 < 0.05 for one in few.values())),
)
spread = {name: sqrt(kind(d=80, epsilon=1.0).variance(np.zeros((1, 80)))[0, 0]) for name, kind in BOTH.items()}
settle(
    "ye2018.mean-individual",
    {"far": min(spread.values()) > 10},
    control=("one number instead of 80", not sqrt(HarmonyMean(d=1, epsilon=1.0).variance([[0.0]])[0, 0]) > 10),
)
settle(
    "ye2018.mean-noise",
    {"cancels": spread["Harmony"] > 10 and seen["Harmony"] < 0.1},
    control=("a thousand people", not few["Harmony"] < 0.1),
)
close("ye2018", "§4.2", "8 reproduced, 2 reproduced under conditions, 4 corrected")

# %% [markdown]
# (ye2018-4-3)=
# ## §4.3 Compression and distortion
#
# (ye2018-compression)=
# ### Compression · Fewer values
#
# rate, loss and distortion: {badge}`Definition` a class of sources: {badge}`Reproduced <ye2018.compression-class>` · Lesson: {ref}`sec-dist-compression`
#
# The values of a person are compressed into fewer ones, under ε-LDP.
# The survey defines the rate, the loss of a tuple of $d$ attributes, and a bound δ on its expectation for the worst source of a class $\mathcal P$:
#
# $$ \begin{aligned} \rho &= \frac{\log_2 r}{\log_2 k}, \qquad L(x, y) = \frac1d \sum_{i=1}^d L(x_i, y_i), \\ \delta &\ge \max_{\pi\in\mathcal P} \sum_{x,y} \pi_x\,Q(y \mid x)\,L(x, y). \end{aligned} $$ (eq-ye2018-compression)
#
# The survey writes the sum for the values of one attribute; we write it for whole tuples, which is the same if the loss is their mean.
# Its second letter is $x_i'$ where $\hat x_i$ is meant; we cannot tell whether that was printed.
# It says that the rate ties ε, the strength of protection, to δ, the usefulness of the data.
#
# (sec-dist-quasi)=
# ### Compression · A convex problem, solved by bisection
#
# {badge}`Reproduced under conditions · convention <ye2018.compression-convex>` · Lesson: {ref}`sec-dist-program`
#
# The survey looks for the least ε at given δ and ρ.
# If the values that reports stand for are fixed, the channels with ε at most some number form a convex set, and those with distortion at most δ too.
# So the problem is *quasi-convex*, as the abstract of {cite:t}`xiong2016requantization` says, and bisection needs no more; for each ε it is a linear program.
# It is not convex: halfway between two channels, ε can be more than halfway.
# With free points it is not even quasi-convex.
#
# (ye2018-distortion)=
# ### Distortion · A channel for a given δ
#
# {badge}`Reproduced under conditions <ye2018.distortion-epsilon>` beside randomized response: {badge}`Reproduced under conditions <ye2018.beside-rr>` · Lesson: {ref}`sec-dist-hamming`
#
# $$ Q(y \mid x) = \begin{cases} 1-\delta, & y = x, \\ \dfrac{\delta}{k-1}, & y \ne x, \end{cases} \qquad \varepsilon = \ln(k-1)+\ln\frac{1-\delta}{\delta}. $$
#
# The ratio of the two probabilities gives ε, if $\delta \le \frac{k-1}k$; beyond, the formula is negative, and the channel has its absolute value.
# The channel is k-RR with $\delta = \frac{k-1}{e^\varepsilon+k-1}$.
# For squared distances, the best channel is another one.
#
# (sec-dist-tuples)=
# **Several attributes.**
# The survey's tuple has the $d$ attributes of one user; through this channel, each costs ε.
# The abstract of {cite:t}`sarwate2014distortion` speaks of a memoryless channel that operates on the data, which we read as one value of each person.
# For tuples there is a best channel at a total ε:
#
# :::{prf:theorem} A ball of tuples
# :label: thm-dist-ball
# Let the loss be the share of wrong values among $d$.
# For equally likely tuples, and in the worst case, a best ε-LDP channel is a *ball*: for some radius $t < d$, a tuple with at most $t$ wrong values is $e^\varepsilon$ times as likely as one with more.
# With $N_i = \binom di(k-1)^i$ tuples at distance $i$, and $w_i = e^\varepsilon$ for $i \le t$ and 1 beyond,
#
# $$ \delta = \min_t \frac{\sum_i i\,N_i\,w_i}{d\,\sum_i N_i\,w_i}. $$
#
# :::
#
# :::{prf:proof}
# Permute the values in each place, and the places, in the same way for inputs and reports.
# The loss stays, and a channel becomes another with the same ε and the same distortion for equally likely tuples.
# The mean of all channels made so has them, too, and depends only on the distance $i$ of tuple and report; so it errs equally for all tuples, and the worst case has the same optimum.
# Let its entries be proportional to $w_i$ with $1 \le w_i \le e^\varepsilon$, and let δ be the least distortion.
# Then $\sum_i N_i\,(\frac id-\delta)\,w_i \ge 0$ for all such $w$, with equality for the best; so $w_i = e^\varepsilon$ for $i < d\delta$, and $w_i = 1$ for $i > d\delta$.
# :::
#
# For two values in each place, odd $d$ and the radius $\frac{d-1}2$, this is the law of {ref}`MeanEst <ye2018-meanest>` on corners.
#
# (ye2018-table-7)=
# (sec-dist-cost)=
# ### Table 7 · Mechanisms compared
#
# W-RR: {badge}`Reproduced <ye2018.table7-wrr>` loss: {badge}`Reproduced <ye2018.distortion-quantified>` few values: {badge}`Reproduced <ye2018.distortion-few>` communication: {badge}`Reproduced under conditions · probable <ye2018.compression-transmission>` computation: {badge}`Reproduced under conditions <ye2018.table7-distortion-cost>` · Lesson: {ref}`ch-distortion`
#
# | mechanism | advantages | drawbacks | computation |
# |---|---|---|---|
# | W-RR | simple, extends well → to $k$ values as k-RR, to numbers by rounding | two-valued variables only | low |
# | Compression | quantifies loss | much time and space, high communication → $\lceil\log_2 r\rceil$ bits, fewer than a value if $r$ is small | high → a linear program of $kr+r$ unknowns, solved once by the collector |
# | Distortion | quantifies loss | few values only → of single reports; shares can still be estimated | high → a formula for the loss of its channel, a program for others |
#
# (sec-dist-many)=
# ### Below Table 7 · Dimension, and the number of values
#
# Compression: {badge}`Reproduced under conditions <ye2018.compression-dimension>` Distortion: {badge}`Reproduced <ye2018.distortion-grows>` · Lesson: {ref}`sec-dist-hamming`
#
# Matching inputs and outputs takes a Cartesian product, $k^d$ by $r$, so the survey restricts Compression to few dimensions.
# That holds unless symmetry solves the problem, as in {prf:ref}`thm-dist-ball`.
# Distortion's ε grows with $\ln(k-1)$ at a fixed δ; at a fixed ε it is δ that grows.
#
# (ye2018-4-3-utility)=
# ### Distortion as utility
#
# {badge}`Reproduced under conditions <ye2018.distortion-utility>` · Lesson: {ref}`sec-dist-shares`
#
# The survey calls δ the usefulness of the statistics.
# For equally likely values and k-RR, a smaller δ does mean smaller variances.
# In general it does not: a channel with fewer reports than values lets no shares be estimated ({prf:ref}`thm-dist-shares`).


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §4.3: 5 reproduced, 7 reproduced under conditions"}
def eps_of(channel):
    """Exact ε of a channel without zeros."""
    return float(np.log((channel.max(0) / channel.min(0)).max()))


def printed(k, delta):
    """The survey's channel."""
    return np.where(np.eye(k) == 1, 1 - delta, delta / (k - 1))


def formula(k, delta):
    return log(k - 1) + log((1 - delta) / delta)


def wrong(k):
    return 1 - np.eye(k)


def squares(letters, points):
    return np.square(np.asarray(points) - np.asarray(letters)[:, None])


SIX, EVEN = np.linspace(0, 1, 6), np.full(6, 1 / 6)
ages = datasets.fair()["age"]
AGES, held = np.unique(ages, return_counts=True)
shares, POINTS = held / held.sum(), np.arange(17.5, 42.01, 0.5)
years = squares(AGES, POINTS)


def extremes(pi, slack):
    """Extreme points of the sources within `slack` of pi in each value."""
    low, high, corners = np.maximum(pi - slack, 0), np.minimum(pi + slack, 1), set()
    for free in range(len(pi)):
        for ends in product((0, 1), repeat=len(pi) - 1):
            point = np.insert(np.where(ends, np.delete(high, free), np.delete(low, free)), free, 0)
            point[free] = 1 - point.sum()
            if low[free] - 1e-12 <= point[free] <= high[free] + 1e-12:
                corners.add(tuple(np.round(point, 12)))
    return np.array(sorted(corners))


CLASS = extremes(shares, 0.1)
guarded, known = (least_distortion(years, 2.0, pi) for pi in (CLASS, shares))


def never_above(channel):
    return bool((CLASS @ (channel * years).sum(1)).max() <= guarded.distortion + 1e-9)


settle(
    "ye2018.compression-class",
    {"worst": never_above(guarded.channel), "least": guarded.distortion - guarded.bound < 1e-6},
    control=("the channel for the middle of the class", not never_above(known.channel)),
)
made = np.random.default_rng(15)
pairs = [[np.stack([q, 1 - q], 1) for q in made.uniform(0.2, 0.8, (2, 6))] for _ in range(40)]
one_bit = squares(SIX, (0.25, 0.75))
asked = least_epsilon(one_bit, 0.08, EVEN)
points, freely = optimise_points(SIX, 1.0, 2, EVEN, starts=8, rng=rng)
flat, steep = np.array([[0.1, 0.9], [0.1, 0.9]]), np.array([[0.6, 0.4], [0.2, 0.8]])


def loss(channel, points):
    return float(EVEN @ (channel * squares(SIX, points)).sum(1))


def halfway_at_most(one, two, of=max):
    return eps_of((one + two) / 2) <= of((eps_of(one), eps_of(two))) + 1e-12


swapped = freely.channel[:, ::-1], points[::-1]
settle(
    "ye2018.compression-convex",
    {
        "quasiconvex": all(halfway_at_most(one, two) for one, two in pairs),
        "bisection": asked.distortion <= 0.08
        and asked.epsilon - asked.short < 1.1e-6
        and least_distortion(one_bit, asked.short, EVEN).bound > 0.08,
        "convex": halfway_at_most(flat, steep, np.mean),
        "free-points": loss((freely.channel + swapped[0]) / 2, (points + swapped[1]) / 2)
        <= max(loss(freely.channel, points), loss(*swapped)),
    },
    control=("halfway against the smaller of both", not all(halfway_at_most(one, two, min) for one, two in pairs)),
)
SMALL = [(k, delta) for k in (2, 3, 5, 20) for delta in (0.05, 0.3, 0.49)]
two_values = np.kron(printed(3, 0.3), printed(3, 0.3))
settle(
    "ye2018.distortion-epsilon",
    {
        "small-delta": all(isclose(eps_of(printed(k, delta)), formula(k, delta)) for k, delta in SMALL),
        "large-delta": eps_of(printed(3, 0.8)) <= formula(3, 0.8),
        "two-letters": eps_of(two_values) <= formula(3, 0.3) + 1e-9,
    },
    control=("ln k instead of ln(k − 1)", not any(isclose(eps_of(printed(k, d)), formula(k + 1, d)) for k, d in SMALL)),
)
four = squares(np.linspace(0, 1, 4), np.linspace(0, 1, 4))


def is_krr(channel, k=4):
    return same_law(MatrixMechanism(channel=channel), GRR(k=k, epsilon=1.0), np.arange(k))


settle(
    "ye2018.beside-rr",
    {
        "distortion": not is_krr(printed(4, hamming_distortion(4, 1.0))),
        "compression": not is_krr(least_distortion(four, 1.0, np.full(4, 0.25)).channel),
    },
    control=("δ of ε = 1.1", not is_krr(printed(4, hamming_distortion(4, 1.1)))),
)
sent = {m: least_distortion(squares(SIX, np.linspace(0, 1, m)), 6.0, EVEN).mechanism().report_bits for m in range(2, 7)}
value = (6 - 1).bit_length()
settle(
    "ye2018.compression-transmission",
    {"five-points": sent[5] == value, "fewer-points": any(sent[m] == value for m in (2, 3, 4))},
    control=("nine values", not sent[5] == (9 - 1).bit_length()),
)
tuples = np.array([*product(range(3), repeat=3)])
by_program = least_distortion((tuples[:, None] != tuples).mean(2), 1.5, np.full(27, 1 / 27)).distortion
unknowns = {m: [3**d * (m or 3**d) + (m or 3**d) for d in (1, 2, 3)] for m in (0, 2)}
settle(
    "ye2018.compression-dimension",
    {
        "grows": all(more >= 2 * fewer for sizes in unknowns.values() for fewer, more in pairwise(sizes)),
        "needed": abs(by_program - study.ball(3, 3, 1.5)) > 1e-6,
    },
    control=("the ball of radius 0", abs(by_program - study.ball(3, 3, 1.5, 0)) > 1e-6),
)
settle(
    "ye2018.distortion-grows",
    {
        "fixed-delta": all(
            eps_of(printed(k + 1, delta)) > eps_of(printed(k, delta)) for delta in (0.1, 0.4) for k in range(2, 100)
        ),
        "half-blind": all(
            eps_of(printed(k + 1, k / (2 * k + 2))) > eps_of(printed(k, (k - 1) / (2 * k))) for k in range(2, 100)
        ),
    },
    control=("a fixed ε", not hamming_distortion(3, 1.0) < hamming_distortion(2, 1.0)),
)


def errs(channel, delta):
    """Whether it errs with probability δ under three sources."""
    return all(
        isclose(pi @ (channel * wrong(len(pi))).sum(1), delta) for pi in made.dirichlet(np.ones(len(channel)), 3)
    )


one_row = np.vstack([printed(4, 0.4)[0], np.eye(4)[1:]])
settle(
    "ye2018.distortion-quantified",
    {"every-source": all(errs(printed(k, delta), delta) for k in (2, 4, 6) for delta in (0.1, 0.4))},
    control=("errors for one value only", not errs(one_row, 0.4)),
)
settle(
    "ye2018.distortion-few",
    {"errors": hamming_distortion(2, 2.0) < 0.5 * 0.5 and hamming_distortion(100, 2.0) > 0.9 * 0.99},
    control=("ε = 7", not hamming_distortion(100, 7.0) > 0.9 * 0.99),
)
least = least_distortion(years, 1.0, shares)
settle(
    "ye2018.distortion-utility",
    {
        "uniform": all(
            hamming_distortion(6, high) < hamming_distortion(6, low)
            and (GRR(k=6, epsilon=high).variance([0]) < GRR(k=6, epsilon=low).variance([0])).all()
            for low, high in pairwise((0.5, 1.0, 2.0, 4.0))
        ),
        "ages": np.linalg.matrix_rank(least.channel, tol=1e-9) == 6,
    },
    control=("k-RR for the ages", np.linalg.matrix_rank(printed(6, hamming_distortion(6, 1.0)), tol=1e-9) == 6),
)
coin = printed(2, hamming_distortion(2, 1.0))
scores = np.linalg.inv(coin)  # shares of two values from one answer


def spoilt(row):
    """By how much of its own share a third value with these answers moves an estimate."""
    return float(np.abs(row @ scores).max())


tenths = np.linspace(0, 1, 11)
by_coin = np.stack([1 - tenths, tenths], 1) @ coin  # a number rounded to a bit at random
krr_mean = moments(GRR(k=6, epsilon=1.0), np.arange(6))[0]
settle(
    "ye2018.table7-wrr",
    {
        "third-value": all(spoilt(row) >= 0.5 - 1e-12 for row in (*coin, coin.mean(0))),
        "k-values": bool(np.allclose(krr_mean, np.eye(6))),
        "numbers": bool(np.allclose(by_coin @ scores[:, 1], tenths)),
    },
    control=("answers taken as they are", not np.allclose(by_coin[:, 1], tenths)),
)
krr_years = shares @ (printed(6, hamming_distortion(6, 1.0)) * squares(AGES, AGES)).sum(1)
settle(
    "ye2018.table7-distortion-cost",
    {
        "hamming": any(least_distortion(wrong(5), formula(5, d)).distortion < d - 1e-9 for d in (0.1, 0.4, 0.7)),
        "squared": least.distortion < krr_years - 1e-6,
    },
    control=("the program at a larger ε", least_distortion(wrong(5), formula(5, 0.1) + 0.1).distortion < 0.1 - 1e-9),
)
close("ye2018", "§4.3", "5 reproduced, 7 reproduced under conditions")
