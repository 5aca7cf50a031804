# %% [markdown]
# (ch-many)=
# # Many numbers
#
# *From {cite:t}`nguyen2016collecting`, {cite:t}`duchi2018minimax` and {cite:t}`wang2019collecting`; {cite:t}`ye2018survey` reviews the first two ({ref}`dossier <paper-ye2018>`).*
#
# :::{admonition} In one minute
# Everybody has several numbers, and one budget for all of them.
# A client can split the budget, and send every number with much noise.
# Or it can draw one number at random, and spend the whole budget on it.
# For small budgets, drawing is far better.
# A third client answers about all numbers at once, with a corner of a cube.
# It needs half as many people again, and longer reports, but everybody speaks about everything.
# :::
#
# :::{zh}
# 每个人有 $d$ 个数，却只有一份预算 $\varepsilon$。
# 一种做法是把预算平分给各数，方差约为 $4d^2/\varepsilon^2$；另一种（Harmony）随机抽取一个数并用全部预算上报，方差约为 $4d/\varepsilon^2$。
# 服务器把未被问到的数计零分、被问到的数计 $\pm dc$ 分，估计无偏，标准误差由得分的离散程度得出。
# 无论抽样后使用何种单数客户端，最坏情形的二阶矩都不小于 $dc^2$。
# MeanEst 一次回答所有的数：把向量舍入到立方体的一个顶点，更常上报与之相近的顶点。
# 其得分大小 $B$ 约按 $\sqrt d$ 增长，$d$ 很大时方差比 Harmony 高约 57%。
# :::
#
# You need the sign from {ref}`ch-means`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from itertools import product
from math import comb, exp, inf, pi, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import (
    HarmonyMean,
    Hybrid,
    MeanEst,
    SampledHybrid,
    TwoPoint,
    epsilon,
    law,
    laws,
    moments,
    pick,
    prove,
    same_law,
    toss,
)
from ldpnb.book import check, datasets, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb.chance import odds, rational, weighted

style()
rng = np.random.default_rng(2018)

# %% [markdown]
# (sec-many-question)=
# ## Six questions
#
# The readers of {ref}`ch-rr` answered six questions with a number: $d = 6$.
# Each has a public range, which we map to $[-1, 1]$; $x_j$ is a person's answer to question $j$.

# %%
RANGES = {
    "age": (17.5, 42.0),
    "years_married": (0.5, 23.0),
    "children": (0.0, 5.5),
    "education": (9.0, 20.0),
    "religiosity": (1.0, 4.0),
    "marriage": (1.0, 5.0),
}
LOW, HIGH = np.array([*RANGES.values()]).T
answers = datasets.fair()[[*RANGES]].to_numpy(float)
people = (2 * answers - LOW - HIGH) / (HIGH - LOW)
print(people[:2].round(2))

# %% [markdown]
# All answers of a person together should have the budget ε.
# **How should a client spend it?**
#
# (sec-means-sample)=
# ## Split, or sample
#
# *Split*: send a sign for each number, each with budget $\varepsilon/d$.
# *Sample*: draw one number in public, and send its sign with budget ε; {cite:t}`nguyen2016collecting` call this *Harmony*.


# %%
def two_point(x, eps, rng):
    """The sign of x by randomized response."""
    s = 1 if toss((1 + x) / 2, rng) else -1
    return s if toss(odds(eps) / (odds(eps) + 1), rng) else -s


def split(x, eps, rng):
    """A sign for each number."""
    return tuple(two_point(v, eps / len(x), rng) for v in x)


def harmony(x, eps, rng):
    """A number, drawn in public, and its sign."""
    j = pick(range(len(x)), rng)
    return j, two_point(x[j], eps, rng)


print("split  ", split(people[0], 1.0, rng))
print("harmony", harmony(people[0], 1.0, rng))

# %% [markdown]
# In {ref}`ch-means`, the score of one sign was $\pm c$ with $c = (e^\varepsilon+1)/(e^\varepsilon-1)$; we write $c(\varepsilon)$ now.
# Splitting has the score $\pm c(\varepsilon/d)$ for each number.
# Harmony speaks about a given number with probability $1/d$; its score is $\pm d\,c(\varepsilon)$ for the drawn number, and 0 for the others.
#
# :::{prf:theorem} Split and sample
# :label: thm-means-harmony
# Both clients are exactly ε-LDP for all numbers together.
# Both scores are unbiased, with variances
#
# $$ c(\varepsilon/d)^2 - x_j^2 \;\text{ (split)}, \qquad d\,c(\varepsilon)^2 - x_j^2 \;\text{ (sample)}. $$ (eq-many-variances)
#
# :::
#
# :::{prf:proof}
# *Split.* The signs are independent, so their ratios multiply, and $d$ factors $e^{\varepsilon/d}$ give $e^\varepsilon$; opposite corners attain it.
# Score and variance are those of one sign.
#
# *Sample.* The drawn number $j$ does not depend on $x$; given $j$, the report is a sign with budget ε.
# With probability $1/d$ the score of number $j$ has mean $d\,x_j$, otherwise it is 0, so the mean is $x_j$.
# Its square is $d^2c(\varepsilon)^2$ with probability $1/d$, so the mean square is $d\,c(\varepsilon)^2$.
# :::
#
# For a small ε, $c(\varepsilon) \approx 2/\varepsilon$, so splitting costs about $4d^2/\varepsilon^2$, and sampling $4d/\varepsilon^2$.
# At $\varepsilon = 1$ and $d = 6$, splitting needs five times as many people.
# Only for a large ε does splitting win: both variances are equal near $\varepsilon = 2\sqrt d$.


# %%
def c(eps):
    return (exp(eps) + 1) / (exp(eps) - 1)


def harmony_scores(reports, d, eps):
    """Scores of all reports for all numbers: (n, d)."""
    scores = np.zeros((len(reports), d))
    for score, (j, sign) in zip(scores, reports, strict=True):
        score[j] = d * c(eps) * sign
    return scores


def server(scores):
    """Means and their standard errors."""
    return scores.mean(0), scores.std(0) / sqrt(len(scores))


def show(mean, error, z=2.64):
    """Means in the units of the questions, with intervals."""
    middle, half = (HIGH + LOW) / 2, (HIGH - LOW) / 2
    columns = {"question": [*RANGES], "truth": answers.mean(0).round(2)}
    columns["estimate"] = (middle + half * mean).round(2)
    columns["±"] = (half * z * error).round(2)
    return table(pd.DataFrame(columns))


reports = [harmony(x, 2.0, rng) for x in people]
show(*server(harmony_scores(reports, 6, 2.0)))

# %% [markdown]
# We want all six intervals to be right together with probability 95 %.
# So each may miss with probability $5\,\%/6$, and has $\pm 2.64$ standard errors (Bonferroni's inequality).
#
# (sec-many-second)=
# ### Could another client for one number help?
#
# {ref}`ch-means` had better clients than the sign for a large ε.
# But a sampled score is 0 for most people and large for the rest, so what counts is its mean *square*.
#
# :::{prf:theorem} The least mean square
# :label: thm-means-second
# For any ε-LDP client for one number with a score $Z$ that is unbiased at $x = \pm1$,
#
# $$ \E[Z^2 \mid x=1] + \E[Z^2 \mid x=-1] \ge 2\,c(\varepsilon)^2. $$
#
# :::
#
# :::{prf:proof}
# Let $z_y$ be the score of report $y$, and $p_y$ and $q_y$ its probabilities at $x = 1$ and $-1$.
# Unbiasedness gives $\sum_y z_y (p_y-q_y) = 2$, and privacy gives $|p_y-q_y| \le (p_y+q_y)/c$.
# By the Cauchy–Schwarz inequality,
#
# $$ \begin{aligned} 4 &\le \sum_y z_y^2\,(p_y+q_y) \;\cdot\; \sum_y \frac{(p_y-q_y)^2}{p_y+q_y} \\ &\le \sum_y z_y^2\,(p_y+q_y) \;\cdot\; \frac{2}{c^2}. \end{aligned} $$
#
# :::
#
# The sign attains this bound for every $x$, so no client to sample with is better in the worst case.
# Where most numbers are near the middle, the Hybrid client is better, because its mean square is a constant plus $x^2$.
# {cite:t}`wang2019collecting` sample with it, and ask about $r = \lfloor\varepsilon/2.5\rfloor$ numbers, at least one, with $\varepsilon/r$ each.


# %%
def sampled(x, eps, rng, client=two_point):
    """Several numbers, drawn in public, with a part of ε each."""
    r = max(1, min(len(x), int(eps / 2.5)))
    left, report = [*range(len(x))], []
    for _ in range(r):
        j = left.pop(pick(range(len(left)), rng))
        report.append((j, client(x[j], eps / r, rng)))
    return tuple(report)


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: ε, bias and variances; the least mean square; the package's clients"}
VECTORS = [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (0.25, -0.3), (0.0, 1.0)]


def facts(client, score, inputs):
    """ε, and means and variances of the scores, from the law."""
    return epsilon(laws(client, inputs)), *moments(client, inputs, score=score)


def right(found, eps, square, inputs):
    """Whether a client has this ε, is unbiased, and has these mean squares."""
    spent, mean, variance = found
    x = np.array(inputs)
    return bool(abs(spent - eps) < 1e-9 and np.allclose(mean, x) and np.allclose(variance, square - x**2))


def drawn_score(y):
    return harmony_scores([y], 2, 1.0)[0]


def own_choice(x, rng):
    """A mistake: the client speaks about its larger number."""
    j = int(np.argmax(np.abs(x)))
    return j, two_point(x[j], 1.0, rng)


by_split = facts(lambda x, rng: split(x, 1.0, rng), lambda y: c(0.5) * np.array(y), VECTORS)
by_sample = facts(lambda x, rng: harmony(x, 1.0, rng), drawn_score, VECTORS)
check(
    "Split, sample",
    "two numbers, five vectors: exactly ε, unbiased, variances as stated",
    right(by_split, 1.0, c(0.5) ** 2, VECTORS) and right(by_sample, 1.0, 2 * c(1.0) ** 2, VECTORS),
    control="a client that chooses its number",
    caught=epsilon(laws(own_choice, VECTORS)) == inf,
)
squares = [
    (kind(epsilon=eps).variance([-1.0, 1.0]).mean() + 1) / c(eps) ** 2
    for kind in (TwoPoint, Hybrid)
    for eps in (0.5, 1.0, 2.0, 4.0)
]
check(
    "Mean square",
    "sign and Hybrid at the ends, four ε: at least c², the sign exactly",
    min(squares) > 1 - 1e-9 and np.allclose(squares[:4], 1),
    control="a sign that spends 2.02 against c(2)",
    caught=(TwoPoint(epsilon=2.02).variance([-1.0, 1.0]).mean() + 1) / c(2.0) ** 2 < 1 - 1e-9,
)


def as_package(report):
    """Pairs of a number and a sign as the package writes them."""
    numbers, signs = zip(*report, strict=True)
    return numbers, tuple(sign == 1 for sign in signs)


def is_harmony(eps):
    return same_law(lambda x, rng: as_package([harmony(x, eps, rng)]), HarmonyMean(d=2, epsilon=1.0), VECTORS)


check("Harmony", "the package's law", is_harmony(1.0), control="ε = 1.01", caught=not is_harmony(1.01))

# %% [markdown]
# (sec-means-meanest)=
# ## All numbers at once
#
# {cite:t}`duchi2018minimax` have a third way, which the survey calls *MeanEst*.
# First, round the vector to a corner $z$ of the cube $\{-1,1\}^d$, number by number.
# Then send a corner $y$.
# Corners that agree with $z$ in more than half of the numbers are *near*; each of them is $e^\varepsilon$ times as likely as each of the others, which are *far*.


# %%
def meanest(x, eps, rng):
    """A corner; those near the rounded x are likelier."""
    z = [1 if toss((1 + v) / 2, rng) else -1 for v in x]
    corners = [*product((1, -1), repeat=len(x))]
    near = [y for y in corners if np.dot(y, z) > 0]
    far = [y for y in corners if np.dot(y, z) <= 0]
    weight = len(near) * odds(eps)
    return pick(near if toss(weight / (weight + len(far)), rng) else far, rng)


# %% mystnb={"figure": {"name": "fig-many-corners", "caption": "Law of the reports of MeanEst for three numbers that are rounded to the corner + + −, e^ε = 3. Near corners agree with it in two or three numbers."}, "image": {"alt": "Eight bars, one for each corner of the cube. The four corners that agree with plus plus minus in at least two places have probability 3/16, the other four have 1/16."}}
found = law(lambda rng: meanest((1, 1, -1), np.log(3), rng))
bars = pd.DataFrame(
    [
        {
            "corner": " ".join("+" if v > 0 else "−" for v in y),
            "probability": float(chance),
            "corners": "near" if np.dot(y, (1, 1, -1)) > 0 else "far",
        }
        for y, chance in sorted(found.items(), reverse=True)
    ]
)
fig, ax = plt.subplots(figsize=(6.4, 2.8))
sns.barplot(bars, x="corner", y="probability", hue="corners", dodge=False, ax=ax)
plt.show()

# %% [markdown]
# How large must a score be?
# Let $C_d$ be the number of near corners, and $A_d = \binom{d-1}{\lfloor d/2\rfloor}$.
#
# :::{prf:theorem} MeanEst
# :label: thm-means-meanest
# The client is exactly ε-LDP.
# The scores $B\,y_j$ are unbiased, with variance $B^2-x_j^2$, for
#
# $$ B = \frac{2^d+C_d\,(e^\varepsilon-1)}{A_d\,(e^\varepsilon-1)}. $$ (eq-many-b)
#
# :::
#
# :::{prf:proof}
# (1) *Privacy.* A corner has weight $e^\varepsilon$ or 1, and the sum of all weights, $C_d\,e^\varepsilon+2^d-C_d$, is the same for each $z$.
# So ratios are at most $e^\varepsilon$, and a corner that is near to one $z$ and far from another attains it.
# Rounding only mixes corners.
#
# (2) *Near corners prefer $z_j$.*
# Count the near corners that agree with $z$ in number $j$, less those that do not.
# Flip number $j$: a near corner that stays near has a partner, and the two cancel.
# What is left are corners that agree in $j$ and are far after the flip: they agree in exactly $\lfloor d/2\rfloor$ of the other $d-1$ numbers.
# There are $A_d$ of them.
#
# (3) *Mean.* Over all corners, the same difference is 0.
# So only the extra weight $e^\varepsilon-1$ of near corners counts:
#
# $$ \E[y_j \mid z] = z_j\,\frac{(e^\varepsilon-1)\,A_d}{C_d\,e^\varepsilon+2^d-C_d} = \frac{z_j}{B}, $$
#
# and $\E z_j = x_j$.
#
# (4) *Variance.* The square of the score is always $B^2$.
# :::
#
# For odd $d$, half of all corners are near, and $B = c(\varepsilon)\,2^{d-1}/A_d$.
# For even $d$ there are ties, $2A_d$ corners, which are far; then $B$ is smaller than this by 1.
# By Stirling's formula, $B/\sqrt d \to c(\varepsilon)\sqrt{\pi/2}$.


# %%
def size(d, eps):
    """The size B of the scores."""
    near = sum(comb(d, a) for a in range(d // 2 + 1, d + 1))
    surplus = comb(d - 1, d // 2)
    return (2**d + near * (exp(eps) - 1)) / (surplus * (exp(eps) - 1))


def meanest_scores(reports, d, eps):
    return size(d, eps) * np.array(reports)


reports = [meanest(x, 2.0, rng) for x in people]
show(*server(meanest_scores(reports, 6, 2.0)))

# %% [markdown]
# `prove` confirms the budgets of our three clients for every ε, here for two numbers.

# %%
some = [(1, 1), (1, -1), (-1, 1), (-1, -1), (0.5, 0)]
for client in (split, harmony, meanest):
    found = prove(client, some, rounded=False)
    print(f"{client.__name__:<8} exactly ε for every ε: {found.tight}")

# %% [markdown]
# Our client lists all $2^d$ corners.
# The package's needs about $2d$ draws: it first draws *in how many* numbers the corner agrees with $z$, and then in which.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: MeanEst, also in 2d draws, and what ties do"}
INPUTS = {
    2: VECTORS,
    3: [(1.0, -1.0, 1.0), (-1.0, 1.0, -1.0), (1.0, 1.0, 1.0), (0.3, 0.0, -0.5)],
    4: [(1.0, -1.0, 1.0, 0.3), (-1.0, 1.0, -1.0, 1.0), (1.0,) * 4],
}


def quick(x, eps, rng):
    """A corner in about 2 d draws: how many numbers agree, then which."""
    d, z = len(x), [1 if toss((1 + v) / 2, rng) else -1 for v in x]
    ways = [comb(d, a) for a in range(d + 1)]
    near = [w if 2 * a > d else 0 for a, w in enumerate(ways)]
    far = [w if 2 * a <= d else 0 for a, w in enumerate(ways)]
    left = int(weighted(near if toss(sum(near) / (sum(near) + sum(far) / exp(eps)), rng) else far, (), rng))
    report = []
    for j in range(d):
        agree = bool(rational(left, d - j, (), rng))
        left -= agree
        report.append(z[j] if agree else -z[j])
    return tuple(report)


def fair_coin(x, eps, rng):
    """A mistake for even d: a coin e^ε/(1 + e^ε) between agreement in more and in less than half; no ties."""
    z = [1 if toss((1 + v) / 2, rng) else -1 for v in x]
    side = 1 if toss(exp(eps) / (1 + exp(eps)), rng) else -1
    return pick([y for y in product((1, -1), repeat=len(x)) if side * np.dot(y, z) > 0], rng)


def at_one(client, d):
    return facts(lambda x, rng: client(x, 1.0, rng), lambda y: size(d, 1.0) * np.array(y), INPUTS[d])


check(
    "MeanEst",
    "d = 2, 3, 4: exactly ε, unbiased, variance B² − x²; in 2d draws the same law, and the package's",
    all(right(at_one(meanest, d), 1.0, size(d, 1.0) ** 2, inputs) for d, inputs in INPUTS.items())
    and all(
        same_law(lambda x, rng: quick(x, 1.0, rng), other, inputs)
        for d, inputs in INPUTS.items()
        for other in (lambda x, rng: meanest(x, 1.0, rng), MeanEst(d=d, epsilon=1.0))
    ),
    control="the coin without ties, d = 2 and 4",
    caught=all(at_one(fair_coin, d)[0] == inf for d in (2, 4)),
)
closed = [abs(c(1.0) * 2 ** (d - 1) / comb(d - 1, d // 2) - (d % 2 == 0) - size(d, 1.0)) for d in range(1, 101)]
check(
    "Size",
    "closed forms for d = 1 to 100; B/√d within 0.1 % of its limit at 1,001",
    max(closed) < 1e-9 and abs(size(1001, 1.0) / sqrt(1001) / c(1.0) / sqrt(pi / 2) - 1) < 1e-3,
    control="the limit at d = 2",
    caught=abs(size(2, 1.0) / sqrt(2) / c(1.0) / sqrt(pi / 2) - 1) > 0.05,
)

# %% [markdown]
# (sec-means-compare)=
# ## Which one to take
#
# Harmony has the variance $d\,c(\varepsilon)^2-x_j^2$, and MeanEst $B^2-x_j^2$.
# For many numbers the ratio tends to $\pi/2$: MeanEst needs 57 % more people, and sends $d$ bits instead of one.
# {numref}`fig-means-d` shows all four clients.

# %% mystnb={"figure": {"name": "fig-means-d", "caption": "n times the variance, divided by d, for numbers spread evenly from −1 to 1; ε = 1. Lines: formula. Marks: 500 surveys of 20 real clients."}, "image": {"alt": "Variance over d against d from 2 to 50. Splitting rises steeply and leaves the panel. MeanEst zigzags upwards from 4 to 7 between even and odd d. Harmony and sampled Hybrid stay level between 4 and 5. Marks lie on the lines."}}
MANY = {
    "split": lambda d: HarmonyMean(d=d, epsilon=1.0, count=d),
    "MeanEst": lambda d: MeanEst(d=d, epsilon=1.0),
    "Harmony": lambda d: HarmonyMean(d=d, epsilon=1.0),
    "Hybrid": lambda d: SampledHybrid(d=d, epsilon=1.0),
}
exact, drawn = [], []
for name, make in MANY.items():
    for d in (2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50):
        client, x = make(d), np.linspace(-1, 1, d)
        row = {"d": d, "client": name}
        exact.append(row | {"variance": client.variance([x]).mean() / d})
        if d in (2, 6, 20, 50) and (name, d) != ("split", 50):
            reports = client.perturb(np.tile(x, (10_000, 1)), rng=rng)
            for part in range(0, 10_000, 20):
                mean = client.estimate(client.tally(reports[part : part + 20]))
                drawn.append(row | {"found": 20 * np.square(mean - x).mean() / d})
fig, ax = plt.subplots(figsize=(6.4, 3.8))
sns.lineplot(pd.DataFrame(exact), x="d", y="variance", ax=ax, **theory("client", [*MANY]))
sns.lineplot(pd.DataFrame(drawn), x="d", y="found", ax=ax, **simulation("client", [*MANY]))
ax.set(xscale="log", ylim=(3, 11), xlabel="numbers of a person d", ylabel="n × variance / d")
plain_ticks(ax)
label_lines(ax)
plt.show()

# %% [markdown]
# Take Harmony, or sampled Hybrid where numbers are spread over their range.
# MeanEst can be better for a few numbers and a large ε: for $d = 2$, from $\varepsilon = 1.45$ on.
#
# (sec-many-wrong)=
# ## What can go wrong
#
# - *The client chooses its number.*
#   A client that skips what it does not like to report leaks by skipping, and biases the mean.
# - *Ties are forgotten.*
#   Suppose that MeanEst tosses a coin with $e^\varepsilon/(1+e^\varepsilon)$ between agreement in more and in less than half.
#   For even $d$, a corner that ties with $z$ is then never sent, and ε is infinite.
# - *Single scores are read.*
#   At $d = 80$ and $\varepsilon = 1$, a score of Harmony is ±173 for a number between −1 and 1.
#   This says nothing about privacy: most of it is the factor $d$.
#
# (sec-many-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 7 minutes)
# Ask about $r$ of $d$ numbers, each by a sign with budget $\varepsilon/r$.
# What is the mean square of a score?
# For $u = \varepsilon/r$ and large ε, which $u$ is best?
# (The solution of $\sinh u = 2u$ is 2.18.)
# :::
#
# :::{dropdown} Solution
# A number is asked about with probability $r/d$, so its score is $\pm\frac dr c(u)$, with mean square
#
# $$ \frac dr\,c(u)^2 = \frac d\varepsilon\,u\,\coth^2\frac u2. $$
#
# The derivative vanishes for $\coth\frac u2 = u/\sinh^2\frac u2$, that is, $\sinh\frac u2\cosh\frac u2 = u$, or $\sinh u = 2u$.
# So ask about one number for each 2.18 of ε.
# :::
#
# :::{admonition} Exercise 2 (code, 8 minutes)
# Write a client that asks each reader about two of the six numbers, with $\varepsilon/2$ each, and its estimator.
# Compare its standard error with that of Harmony at $\varepsilon = 2$.
# :::
#
# :::{dropdown} Solution
# The score of a drawn number is $\pm3\,c(\varepsilon/2)$.
# At $\varepsilon = 2$ its mean square is $3\,c(1)^2 = 14.0$ against $6\,c(2)^2 = 10.3$: Harmony is better, its standard error is 14 % smaller.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def two_of(x, eps, rng):
    first = pick(range(len(x)), rng)
    second = pick([j for j in range(len(x)) if j != first], rng)
    return [(j, two_point(x[j], eps / 2, rng)) for j in (first, second)]


scores = np.zeros(people.shape)
for score, x in zip(scores, people, strict=True):
    for j, sign in two_of(x, 2.0, rng):
        score[j] = 3 * c(1.0) * sign
again = harmony_scores([harmony(x, 2.0, rng) for x in people], 6, 2.0)
print("two of six", server(scores)[1].round(4))
print("Harmony   ", server(again)[1].round(4))

# %% [markdown]
# :::{admonition} Exercise 3 (think, 4 minutes)
# Only 1,050 of the 6,366 readers happen to be asked about their age, while $n/d = 1{,}061$.
# A colleague divides the sum of the signs by the number asked instead of $n/d$.
# Is that allowed, and what changes?
# :::
#
# :::{dropdown} Solution
# The number asked is public and does not depend on the answers, so it is allowed: given it, the mean of the asked people's scores is unbiased, if anybody is asked.
# The chance in how many are asked no longer counts, so the variance is a little smaller, by about $(d-1)\,\bar x^2/n$ for the mean $\bar x$.
# But the estimate is no longer a sum of scores over all people.
# :::
#
# ## Summary
#
# - One budget covers all numbers of a person.
# - Splitting it costs about $4d^2/\varepsilon^2$, drawing one number $4d/\varepsilon^2$.
# - The sign has the least mean square in the worst case, so no other client to sample with helps there.
# - MeanEst answers about all numbers with a corner of a cube; its scores grow like $\sqrt d$.
# - Several intervals at once need a larger factor than 1.96.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $d$ | number of keys, or of attributes |
# | $j$ | a key, or an attribute: one of the $d$ |
# | $x$ | an item, or another value that one person has |
# | $y$ | one report |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $r$ | number of numbers that a person is asked about (here only) |
# | $Z$ | score of one report (here only) |
# | $z$ | corner of the cube to which a vector is rounded (here only) |
# | $C_d$ | number of corners near a given one (here only) |
# | $A_d$ | how many more near corners agree in a number than disagree (here only) |
# | $B$ | size of the scores of MeanEst (here only) |
#
# Next, {ref}`ch-distortion` computes the best client for any loss, and {ref}`ch-ranges` asks for more than a mean.
