# %% [markdown]
# (ch-many)=
# # Many numbers
#
# *From {cite:t}`nguyen2016collecting`, {cite:t}`duchi2018minimax` and {cite:t}`wang2019collecting`; see also the {ref}`dossier of the survey <paper-ye2018>`.*
#
# :::{admonition} In one minute
# Everybody has several numbers, and one budget for all of them.
# A client can split the budget, and send every number with strong noise.
# Or it can sample one number, and spend the whole budget on it.
# For small budgets, sampling is far better.
# A third client sends all numbers at once, as one corner of a cube.
# It is best for two numbers and a medium budget; for many numbers, it needs 57 % more people than sampling.
# For larger budgets, sampling with Hybrid can be better.
# :::
#
# :::{zh}
# 每个人有 $d$ 个数，却只有一份预算 $\varepsilon$。
# 一种做法是把预算平分给各数，$\varepsilon$ 较小时方差约为 $4d^2/\varepsilon^2$；另一种（Harmony）随机抽取一个数并用全部预算上报，方差约为 $4d/\varepsilon^2$。
# 服务器给被抽中的数记 $\pm dc$ 分、其余的数记零分，估计无偏，标准误差由得分的离散程度得出。
# 无论抽样后使用何种单数客户端，最坏情形的均方得分都不小于 $dc^2$。
# MeanEst 一次回答所有的数：把向量舍入到立方体的一个顶点，再更常上报与之相近的顶点。
# 其得分大小 $B$ 约按 $\sqrt d$ 增长；$d$ 很大时方差比 Harmony 高 57%，而 $d$ 为较小的偶数且 $\varepsilon$ 较大时反而更低；预算更大时，抽取几个数、各用 Hybrid 上报可能更好。
# :::
#
# You need the sign and Hybrid from {ref}`ch-means`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import combinations, product
from math import comb, exp, log, pi, sqrt
from statistics import NormalDist

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.optimize import brentq

from ldpnb import (
    HarmonyMean,
    Hybrid,
    MeanEst,
    SampledHybrid,
    epsilon,
    interval,
    laws,
    moments,
    pick,
    prove,
    same_law,
    toss,
)
from ldpnb.chance import odds
from ldpnb_book import check, datasets, diagram, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import many_numbers as study

style()
rng = np.random.default_rng(2018)
EPS = 1.0

# %% [markdown]
# (sec-many-question)=
# ## Six questions
#
# The 6,366 readers of {ref}`ch-rr` answered six questions, each with a number, so $d = 6$.
# Each question has a public range, mapped to $[-1, 1]$.
# We write $x_j$ for a person's answer to question $j$, and $x$ for all six.

# %%
RANGES = {
    "age": (17.5, 42.0),
    "years married": (0.5, 23.0),
    "children": (0.0, 5.5),
    "education": (9.0, 20.0),
    "religiosity": (1.0, 4.0),
    "marriage": (1.0, 5.0),
}
LOW, HIGH = np.array([*RANGES.values()]).T
names = [name.replace(" ", "_") for name in RANGES]
answers = datasets.fair()[names].to_numpy(float)
people = (2 * answers - LOW - HIGH) / (HIGH - LOW)
print(people[0].round(2))

# %% [markdown]
# Each person has one budget ε for all answers together.
# **How should a client spend it if the server wants all six means?**
#
# (sec-means-sample)=
# ## Split, or sample
#
# *Split*: send a sign for each number, each with budget $\varepsilon/d$.
# *Sample*: draw one number, and report its index, and its sign with budget ε.
# {cite:t}`nguyen2016collecting` call sampling *Harmony*.


# %%
def sign(x, rng):
    """+1 or −1, with mean x."""
    return 1 if toss((1 + x) / 2, rng) else -1


def two_point(x, eps, rng):
    """The sign of one number by randomized response."""
    s = sign(x, rng)
    return s if toss(odds(eps) / (odds(eps) + 1), rng) else -s


def split(x, eps, rng):
    """A sign for each number."""
    return tuple(two_point(one, eps / len(x), rng) for one in x)


def harmony(x, eps, rng):
    """A number, drawn in public, and its sign."""
    j = pick(range(len(x)), rng)
    return j, two_point(x[j], eps, rng)


print("split  ", split(people[0], EPS, rng))
print("harmony", harmony(people[0], EPS, rng))

# %% [markdown]
# A single sign had the score $\pm c$ in {ref}`ch-means`, with $c = (e^\varepsilon+1)/(e^\varepsilon-1)$.
# As the two clients use different budgets, we write $c(\varepsilon)$.
#
# - Split scores each number $\pm c(\varepsilon/d)$.
# - Harmony scores the drawn number $\pm d\,c(\varepsilon)$, and all others 0.
#
# :::{prf:theorem} Split and sample
# :label: thm-means-harmony
# Both clients are exactly ε-LDP for all numbers together.
# The scores are unbiased, with variances
#
# $$ c(\varepsilon/d)^2 - x_j^2 \;\text{ (split)}, \qquad d\,c(\varepsilon)^2 - x_j^2 \;\text{ (Harmony)}. $$ (eq-many-variances)
#
# :::
#
# :::{prf:proof}
# 1. *Split.*
#    The $d$ signs are independent, so their ratios multiply to at most $(e^{\varepsilon/d})^d = e^\varepsilon$, which $(1, \dots, 1)$ and $(-1, \dots, -1)$ attain.
#    Mean and variance are those of a sign.
# 2. *Harmony, privacy.*
#    The drawn $j$ does not depend on $x$, and given $j$ the report is one sign, with the ratio $e^\varepsilon$ for $x_j = \pm1$.
# 3. *Harmony, mean and variance.*
#    Number $j$ is drawn with probability $1/d$, so its score $Z_j$ has
#
#    $$ \begin{aligned} \E Z_j &= \frac1d\cdot d\,x_j + \Big(1-\frac1d\Big)\cdot 0 = x_j, \\ \E Z_j^2 &= \frac1d\cdot d^2c(\varepsilon)^2 = d\,c(\varepsilon)^2. \end{aligned} $$
#
#    The variance is $\E Z_j^2 - x_j^2$.
# :::
#
# For a small ε, $c(\varepsilon) \approx 2/\varepsilon$, so the variances are about $4d^2/\varepsilon^2$ (split) and $4d/\varepsilon^2$ (Harmony).
# Then splitting needs $d$ times as many people.
# {prf:ref}`thm-harmony` compares the same two terms for frequencies: sampling is better up to one turning point, near $\varepsilon = 2\sqrt d$.
#
# (sec-many-server)=
# ## The server, and six intervals
#
# The server averages the scores; standard errors are their standard deviations over $\sqrt n$.


# %%
def c(eps):
    return (exp(eps) + 1) / (exp(eps) - 1)


def harmony_scores(reports, d, eps):
    """Scores of all reports, a column for each number."""
    scores = np.zeros((len(reports), d))
    for row, (j, s) in zip(scores, reports, strict=True):
        row[j] = d * c(eps) * s
    return scores


def server(scores):
    """Means and their standard errors."""
    return scores.mean(0), scores.std(0) / sqrt(len(scores))


# %% [markdown]
# We want six intervals that are *all* right with probability 95 %.
# The probability that at least one misses is at most the sum of the separate ones.
# So each may miss with probability $0.05/d$, and the factor is 2.64, not 1.96.


# %%
def together(mean, error):
    """Means in the units of the questions, with intervals."""
    z = NormalDist().inv_cdf(1 - 0.05 / (2 * len(mean)))
    half = (HIGH - LOW) / 2
    middle, width = (HIGH + LOW) / 2 + half * mean, half * error
    columns = {"question": [*RANGES], "truth": answers.mean(0)}
    columns |= {"estimate": middle, "error": width}
    columns |= {"from": middle - z * width, "to": middle + z * width}
    return table(pd.DataFrame(columns).round(2))


reports = [harmony(x, EPS, rng) for x in people]
found = server(harmony_scores(reports, 6, EPS))
together(*found)

# %% [markdown]
# (sec-many-second)=
# ## Could another client for one number help?
#
# For a large ε, {ref}`ch-means` had better clients than the sign.
# Let $Z$ be such a client's score for the drawn number.
# The score is now $dZ$ with probability $1/d$, and otherwise 0, so its variance is $d\,\E Z^2 - x_j^2$.
# So the mean *square* of $Z$ matters, not its variance.
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
# Let report $y$ have the score $z_y$, and the probabilities $p_y$ at $x = 1$ and $q_y$ at $x = -1$.
#
# 1. *Mean.*
#    Unbiasedness gives $\sum_y z_y (p_y-q_y) = 1-(-1) = 2$.
# 2. *Ratio.*
#    Privacy bounds the ratio of $p_y$ and $q_y$ by $e^\varepsilon$.
#    So $|p_y-q_y|/(p_y+q_y) \le (e^\varepsilon-1)/(e^\varepsilon+1) = 1/c(\varepsilon)$.
# 3. *Product.*
#    Write $z_y(p_y-q_y)$ as $z_y\sqrt{p_y+q_y}$ times $(p_y-q_y)/\sqrt{p_y+q_y}$.
#    By the Cauchy–Schwarz inequality, and then step 2,
#
#    $$ \begin{aligned} 4 &\le \sum_y z_y^2\,(p_y+q_y) \;\cdot\; \sum_y \frac{(p_y-q_y)^2}{p_y+q_y} \\ &\le \sum_y z_y^2\,(p_y+q_y) \;\cdot\; \frac{2}{c(\varepsilon)^2}, \end{aligned} $$
#
#    since $\sum_y (p_y+q_y) = 2$.
# :::
#
# So at one of the ends, the mean square is at least $c(\varepsilon)^2$.
# The sign has this mean square for every $x$, so in the worst case, no client for the drawn number beats it.
# Near the middle, Hybrid can: its mean square is a constant plus $x^2$, and for ε above 0.61 the constant is below $c(\varepsilon)^2$.
# *Sampled Hybrid* {cite:p}`wang2019collecting` draws $r = \lfloor\varepsilon/2.5\rfloor$ numbers, at least one and at most $d$; Exercise 1 derives a similar rule for signs.
# Each has budget $\varepsilon/r$, so together they spend ε.


# %%
def sampled_hybrid(x, r, eps, rng):
    """r numbers, drawn in public, each by Hybrid with ε/r."""
    left, report, one = [*range(len(x))], [], Hybrid(epsilon=eps / r)
    for _ in range(r):
        j = left.pop(pick(range(len(left)), rng))
        report.append((j, int(one.perturb([x[j]], rng=rng)[0])))
    return report


def hybrid_scores(reports, d, r, eps):
    """The score of each cell, times d/r."""
    one, scores = Hybrid(epsilon=eps / r), np.zeros((len(reports), d))
    for row, report in zip(scores, reports, strict=True):
        for j, cell in report:  # a cell of Hybrid's, or a sign
            row[j] = d / r * one.scores[cell]
    return scores


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: ε, bias and variances; intervals; the least mean square; the package's clients"}
VECTORS = [(1.0, 1.0), (-1.0, -1.0), (1.0, -1.0), (0.25, -0.3), (0.0, 1.0)]


def right(client, score, square, inputs, eps=1.0):
    one, x = (lambda x, rng: client(x, eps, rng)), np.array(inputs)
    mean, variance = moments(one, inputs, score=score)
    exact = abs(epsilon(laws(one, inputs)) - eps) < 1e-9
    return bool(exact and np.allclose(mean, x) and np.allclose(variance, square - x**2))


def own_choice(x, eps, rng):
    """A mistake: the client reports its largest number."""
    j = int(np.argmax(np.abs(x)))
    return j, two_point(x[j], eps, rng)


drawn = lambda y: harmony_scores([y], 2, 1.0)[0]  # noqa: E731
halves = right(split, lambda y: c(0.5) * np.array(y), c(0.5) ** 2, VECTORS)
whole, chosen = (right(client, drawn, 2 * c(1.0) ** 2, VECTORS) for client in (harmony, own_choice))
says, control = "two numbers: exactly ε, unbiased, variances as stated", "a client that chooses its largest number"
check("Split, sample", says, halves and whole, control=control, caught=not chosen)


def over_least(kind, eps, e):
    """Mean square over both ends, over c(e)²."""
    return (kind(d=1, epsilon=eps).variance([[-1.0], [1.0]]).mean() + 1) / c(e) ** 2


least = all(over_least(SampledHybrid, e, e) > 1 - 1e-9 for e in (2, 4))
sharp, caught = np.allclose([over_least(HarmonyMean, e, e) for e in (2, 4)], 1), over_least(HarmonyMean, 2.02, 2) < 1
check("Mean square", "sign, Hybrid, ε = 2, 4: c² or more", least and sharp, control="2.02 against c(2)", caught=caught)


def package_has_ours(eps):
    signs = lambda x, rng: (lambda j, s: ((j,), (s == 1,)))(*harmony(x, eps, rng))  # noqa: E731
    cells = lambda x, rng: tuple(zip(*sampled_hybrid(x, 1, eps, rng), strict=True))  # noqa: E731
    pairs = (signs, HarmonyMean(d=2, epsilon=2.0)), (cells, SampledHybrid(d=2, epsilon=2.0))
    return [same_law(*pair, VECTORS[2:4]) for pair in pairs]


ours, wrong = package_has_ours(2.0), package_has_ours(2.01)
check("Laws", "both: the package's", all(ours), control="ε = 2.01", caught=not any(wrong))

sampled = lambda x, rng: tuple(sampled_hybrid(x, 1, 2.0, rng))  # noqa: E731
means = moments(sampled, VECTORS, score=lambda y: [hybrid_scores([y], d, 1, 2.0)[0][:2] for d in (2, 3)])[0]
unbiased, caught = np.allclose(means[:, 0], VECTORS), not np.allclose(means[:, 1], VECTORS)
check("Hybrid", "unbiased", unbiased, control="scores for d = 3", caught=caught)
client = HarmonyMean(d=6, epsilon=EPS)
tally = client.tally(np.array([((j,), ((s + 1) // 2,)) for j, s in reports], client.dtype))
high = found[0] + NormalDist().inv_cdf(1 - 0.05 / 12) * found[1]
ends = [np.abs(interval(tally, together=both)[1] - high).max() for both in (True, False)]
check("Intervals", "six at once: the package's", ends[0] < 1e-4, control="95 % for each", caught=ends[1] > 1e-2)

# %% [markdown]
# (sec-means-meanest)=
# ## All numbers at once
#
# {cite:t}`duchi2018minimax` put all numbers into one report; {cite:t}`ye2018survey` call this client *MeanEst*.
# First, the client rounds its vector to a corner $u$ of the cube $\{-1,1\}^d$, by a sign for each number.
# A corner $y$ is *near* if it agrees with $u$ in more than half of the numbers, and *far* otherwise.
# The client sends a corner, and each near one is $e^\varepsilon$ times as likely as each far one ({numref}`fig-many-corners`).

# %% mystnb={"figure": {"name": "fig-many-corners", "caption": "Weights of the corners for two and three numbers rounded to u (circled). Blue: near corners."}, "image": {"alt": "Left: a square whose upper right corner u is blue and circled, with weight e to the epsilon; the three other corners have weight 1. Right: a cube with u and its three neighbours blue, the four other corners with weight 1."}}
PLACE = {2: np.eye(2), 3: np.array([[1, 0, 0.42], [0, 1, 0.3]])}
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.1))
for ax, d in zip(axes, (2, 3), strict=True):
    diagram.board(ax, (-1.8, 1.8), (-1.7, 1.7))
    corners = [*product((-1, 1), repeat=d)]
    at = {y: PLACE[d] @ y for y in corners}
    for y, other in combinations(corners, 2):
        if sum(a != b for a, b in zip(y, other, strict=True)) == 1:
            ax.plot(*np.c_[at[y], at[other]], color="grey", lw=1, ls="-")
    for y in corners:
        paint = diagram.SKY if sum(y) > 0 else diagram.PLAIN
        weight = r"$e^\varepsilon$" if sum(y) > 0 else "1"
        diagram.box(ax, *at[y], weight, paint, size=13)
    ax.plot(*at[(1,) * d], "o", ms=38, mfc="none", mec="black")
    ax.text(*at[(1,) * d] + (-0.45, 0.3), "$u$", fontsize=14)
plt.show()


# %%
def meanest(x, eps, rng):
    """A corner; those near the rounded x are likelier."""
    u = [sign(one, rng) for one in x]
    corners = [*product((-1, 1), repeat=len(x))]
    sums = (np.array(corners) @ u).tolist()
    near = [corners[i] for i, s in enumerate(sums) if s > 0]
    far = [corners[i] for i, s in enumerate(sums) if s <= 0]
    weight = len(near) * odds(eps)
    heads = toss(weight / (weight + len(far)), rng)
    return pick(near if heads else far, rng)


# %% [markdown]
# How large must a score be?
# Let $C_d$ be the number of near corners, and $W = C_d\,e^\varepsilon + 2^d-C_d$ the sum of all weights.
#
# 1. *Weights.*
#    A corner has weight 1, plus $e^\varepsilon-1$ if it is near.
#    Over all corners, $y_j$ is 1 as often as −1, so the weights 1 contribute nothing:
#
#    $$ \E[y_j \mid u] = \frac{e^\varepsilon-1}{W} \sum_{y \text{ near } u} y_j. $$
#
# 2. *Pairs.*
#    Pair each corner with the one that differs from it in number $j$ alone.
#    Two near partners cancel, so only near corners with a far partner count.
#    Such a corner agrees with $u$ in number $j$, because its partner agrees less often.
#    In the other numbers, both agree with $u$ equally often: at most $d/2$ times, as one is far, and more than $d/2-1$, as one is near; so $\lfloor d/2\rfloor$ times.
#    So
#
#    $$ \sum_{y \text{ near } u} y_j = A_d\,u_j, \qquad A_d = \binom{d-1}{\lfloor d/2\rfloor}. $$
#
# 3. *Mean.*
#    Rounding has $\E u_j = x_j$.
#    So
#
#    $$ \E y_j = \frac{x_j}{B}, \qquad B = \frac{W}{A_d\,(e^\varepsilon-1)} = \frac{2^d+C_d\,(e^\varepsilon-1)}{A_d\,(e^\varepsilon-1)}. $$ (eq-many-b)
#
# :::{prf:theorem} MeanEst
# :label: thm-means-meanest
# The client is exactly ε-LDP for all numbers together.
# The scores $B\,y_j$ are unbiased, with variance $B^2-x_j^2$.
# :::
#
# :::{prf:proof}
# 1. *Privacy.*
#    Given $u$, a corner has probability $e^\varepsilon/W$ or $1/W$, with the same $W$ for each $u$.
#    Their ratio is at most $e^\varepsilon$, attained by a corner near one $u$ and far from another.
#    Rounding only mixes these probabilities.
# 2. *Mean.*
#    See {eq}`eq-many-b`.
# 3. *Variance.*
#    The square of the score is always $B^2$.
# :::


# %%
def size(d, eps):
    """The size B of the scores."""
    near = sum(comb(d, a) for a in range(d // 2 + 1, d + 1))
    surplus = comb(d - 1, d // 2)
    return (2**d + near * (exp(eps) - 1)) / (surplus * (exp(eps) - 1))


def meanest_scores(reports, d, eps):
    return size(d, eps) * np.array(reports)


reports = [meanest(x, EPS, rng) for x in people]
mean, error = server(meanest_scores(reports, 6, EPS))
print("errors over Harmony's:", (error / found[1]).round(2))

# %% [markdown]
# At $\varepsilon = 1$ and six numbers, $B$ is 12 % larger than $\sqrt d\,c(\varepsilon)$, the root of Harmony's mean square, and so are the errors, up to chance.
# For two and three numbers, `prove` confirms every budget ε:

# %%
two = [*product((1, -1), repeat=2), (0.5, 0)]
three = [*product((1, -1), repeat=3)]
print("two numbers, exactly ε:")
for client in (split, harmony, meanest):
    print(client.__name__, prove(client, two, rounded=False).tight)
print("meanest, three:", prove(meanest, three, rounded=False).tight)

# %% [markdown]
# (sec-means-coin)=
# ## The size B, and ties
#
# For odd $d$, half of all corners are near, so $C_d = 2^{d-1}$.
# For even $d$, there are $\binom{d}{d/2} = 2A_d$ *ties*, corners that agree with $u$ in half of the numbers.
# Ties are far, so $C_d = 2^{d-1}-A_d$.
# Insert both into {eq}`eq-many-b`:
#
# $$ B = \begin{cases} c(\varepsilon)\,2^{d-1}/A_d & \text{for odd } d, \\ c(\varepsilon)\,2^{d-1}/A_d - 1 & \text{for even } d. \end{cases} $$
#
# By Stirling's formula, $A_d/2^{d-1} \approx \sqrt{2/(\pi d)}$, so $B \approx c(\varepsilon)\sqrt{\pi d/2}$.
#
# The client sends a near corner with probability $C_d\,e^\varepsilon/W$.
# For odd $d$, this is $e^\varepsilon/(e^\varepsilon+1)$, as for a single sign.
# For even $d$, a coin with that probability is wrong: each near corner would be $e^\varepsilon\,(2^d-C_d)/C_d$ times as likely as each far one, which is $3\,e^\varepsilon$ for $d = 2$.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: MeanEst, the package's client, the size of B, and the wrong coin"}
INPUTS = {2: VECTORS, 3: [(1.0, -1.0, 1.0), (-1.0, 1.0, -1.0), (1.0, 1.0, 1.0), (0.3, 0.0, -0.5)]}
INPUTS[4] = [(1.0, -1.0, 1.0, 0.3), (-1.0, 1.0, -1.0, 1.0), (1.0,) * 4]


def sign_coin(x, eps, rng):
    """A mistake for even d: the coin of a single sign between near and far."""
    u = [sign(one, rng) for one in x]
    heads = toss(odds(eps) / (odds(eps) + 1), rng)
    return pick([y for y in product((-1, 1), repeat=len(x)) if (np.dot(y, u) > 0) == heads], rng)


def meanest_right(client, d):
    return right(client, lambda y: size(d, 1.0) * np.array(y), size(d, 1.0) ** 2, INPUTS[d])


def spent(client, d):
    return epsilon(laws(lambda x, rng: client(x, 1.0, rng), INPUTS[d]))


def package_has(client, d):
    return same_law(lambda x, rng: client(x, 1.0, rng), MeanEst(d=d, epsilon=1.0), INPUTS[d])


every = all(meanest_right(meanest, d) for d in INPUTS) and meanest_right(sign_coin, 3)
caught = abs(spent(sign_coin, 2) - 1 - log(3)) < 1e-9 and not meanest_right(sign_coin, 4)
says, control = "d = 2, 3, 4: exactly ε, unbiased, variance B² − x²", "coin of a sign, d = 2 (ε + ln 3) and 4"
check("MeanEst", says, every, control=control, caught=caught)
same = [package_has(meanest, d) for d in INPUTS]
check("Laws", "the package's, d = 2, 3, 4", all(same), control="sign coin, d = 4", caught=not package_has(sign_coin, 4))


limit = {d: size(d, 1.0) / c(1.0) / sqrt(pi * d / 2) for d in (2, 1001)}
closed = [abs(c(1.0) * 2 ** (d - 1) / comb(d - 1, d // 2) - (d % 2 == 0) - size(d, 1.0)) for d in range(1, 101)]
near_limit = max(closed) < 1e-9 and abs(limit[1001] - 1) < 1e-3
check("Size", "both forms, and the limit", near_limit, control="the limit at d = 2", caught=abs(limit[2] - 1) > 0.05)

# %% [markdown]
# (sec-means-compare)=
# ## Which one to take
#
# Compare the mean squares, $d\,c(\varepsilon)^2$ for Harmony and $B^2$ for MeanEst.
# For many numbers,
#
# $$ \frac{B^2}{d\,c(\varepsilon)^2} \to \frac\pi2 = 1.57, $$
#
# so MeanEst needs 57 % more people, and sends $d$ bits instead of one.
# For $d = 3$, the fraction is $4/3$, and from $d$ to $d+2$ it grows by $(d+1)^2/(d\,(d+2))$, so for odd $d \ge 3$, Harmony is always better.
# For even $d$, the 1 subtracted from $B$ matters for a large ε, where $c(\varepsilon)$ is near 1: there, MeanEst is better, but only up to $d = 12$.
# {numref}`fig-means-d` shows all four clients.

# %% mystnb={"figure": {"name": "fig-means-d", "caption": "Variance, divided by the smaller of Harmony's and MeanEst's, for answers spread evenly from −1 to 1. Lines: formula, cut at 3. Marks: 600 surveys of 40 people, 95 % bars."}, "image": {"alt": "Two panels, two and ten numbers, against epsilon from 0.5 to 8. MeanEst starts at about 1.5 and falls to 1, where Harmony leaves 1 and rises, to 2.5 for two numbers. Splitting stays above 1 for two numbers; for ten it falls steeply, below 1 at epsilon 7. Sampled Hybrid stays near 1 or below. Marks lie on the lines."}}
MANY = {
    "split": lambda d, eps: HarmonyMean(d=d, epsilon=eps, count=d),
    "Harmony": lambda d, eps: HarmonyMean(d=d, epsilon=eps),
    "sampled Hybrid": lambda d, eps: SampledHybrid(d=d, epsilon=eps),
    "MeanEst": lambda d, eps: MeanEst(d=d, epsilon=eps),
}
exact, surveys = study.ratios(
    MANY,
    sizes=[2, 10],
    budgets=np.geomspace(0.5, 8, 41),
    best_of=["Harmony", "MeanEst"],
    marked=[1.0, 2.0, 4.0],
    rng=rng,
    surveys=600,
)
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.8), sharey=True)
by = "client", [*MANY]
for ax, d in zip(axes, (2, 10), strict=True):
    line, marks = (frame[frame["d"] == d] for frame in (exact, surveys))
    sns.lineplot(line, x="ε", y="ratio", ax=ax, **theory(*by))
    sns.lineplot(marks, x="ε", y="ratio", ax=ax, **simulation(*by))
    ax.set(xscale="log", ylim=(0, 3), title=f"{d} numbers")
    ax.set(xlabel="budget ε", ylabel="variance / best of two")
    plain_ticks(ax)
label_lines(axes)
plt.show()

# %%
for d in (2, 4, 10):
    equal = brentq(lambda e, d=d: size(d, e) ** 2 - d * c(e) ** 2, 0.1, 9)
    print(f"d = {d:>2}: MeanEst beats Harmony from ε = {equal:.2f} on")

# %% [markdown]
# For a small ε, take Harmony, whose report is shortest.
# For a larger ε, take sampled Hybrid if answers are spread out, as in {numref}`fig-means-d`; but MeanEst is better for two numbers and ε from about 1.7 to 3.5.
# If most answers are near $\pm1$, signs are no worse than Hybrid: draw one number for each 2.18 of ε (Exercise 1).
#
# (sec-many-wrong)=
# ## What can go wrong
#
# - *Clients choose which number to report.*
#   A choice that depends on the numbers leaks, and biases the mean.
# - *The coin of a single sign decides between near and far.*
#   For two numbers, MeanEst then spends $\varepsilon + \ln 3$.
# - *Scores are clipped, or read as answers.*
#   At $d = 80$ and $\varepsilon = 1$, Harmony's score is $\pm173$, far outside $[-1, 1]$.
#
# (sec-many-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 7 minutes)
# Draw $r$ of $d$ numbers, $1 \le r \le d$, and send each by a sign with budget $\delta = \varepsilon/r$.
# What is the mean square of a score?
# Which δ is best, if $r$ need not be whole?
# (The positive solution of $\sinh\delta = 2\delta$ is 2.18.)
# :::
#
# :::{dropdown} Solution
# A number is drawn with probability $r/d$, so its score is then $\pm\frac dr c(\delta)$, with mean square
#
# $$ \frac dr\,c(\delta)^2 = \frac d\varepsilon\,\delta\,\coth^2\frac\delta2. $$
#
# The derivative vanishes for $\coth\frac\delta2 = \delta/\sinh^2\frac\delta2$, that is, $\sinh\frac\delta2\cosh\frac\delta2 = \delta$, or $\sinh\delta = 2\delta$.
# So $\delta = 2.18$.
# :::
#
# :::{admonition} Exercise 2 (code, 11 minutes)
# Call a corner near $u$ only if it agrees with $u$ in at least τ of the $d$ numbers.
# Write the client, for $d = 4$, and its estimator for any τ.
# By the formula alone, which τ is best for $d = 80$ at $\varepsilon = 1$ and 8?
# :::
#
# :::{dropdown} Solution
# Steps 1 to 3 stay the same, with $C = \sum_{a\ge\tau}\binom da$ near corners and $A = \binom{d-1}{\tau-1}$.
# At $\varepsilon = 1$ the best τ is 42, just above MeanEst's 41, with $B^2 = 505$.
# At $\varepsilon = 8$ it is 53, because fewer corners should be near, with $B^2 = 10.8$.
# Harmony's $d\,c(\varepsilon)^2$ is 375 and 80.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def thresholded(x, eps, tau, rng):
    u = [sign(one, rng) for one in x]
    agree = {y: sum(a == b for a, b in zip(y, u, strict=True)) for y in product((-1, 1), repeat=len(x))}
    near, far = [y for y in agree if agree[y] >= tau], [y for y in agree if agree[y] < tau]
    weight = len(near) * odds(eps)
    return pick(near if toss(weight / (weight + len(far)), rng) else far, rng)


def threshold_size(d, eps, tau):
    near, surplus = sum(comb(d, a) for a in range(tau, d + 1)), comb(d - 1, tau - 1)
    return (2**d + near * (exp(eps) - 1)) / (surplus * (exp(eps) - 1))


four = [(1.0,) * 4, (-1.0,) * 4, (0.5, 0.5, 0.5, -1.0)]
least = lambda x, e, rng: thresholded(x, e, 4, rng)  # noqa: E731
sizes = threshold_size(4, 4.0, 4), size(4, 4.0)
found = [right(least, lambda y, b=b: b * np.array(y), b**2, four, eps=4.0) for b in sizes]
check("Nearer", "d = τ = ε = 4: exact, unbiased, B² − x²", found[0], control="the B of MeanEst", caught=not found[1])
for eps in (1.0, 8.0):
    tau = min(range(41, 81), key=lambda tau, e=eps: threshold_size(80, e, tau))
    print(f"ε = {eps:g}: best τ {tau}, B² = {threshold_size(80, eps, tau) ** 2:.1f}; MeanEst {size(80, eps) ** 2:.0f}")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 3 minutes)
# A friend says: "MeanEst tells the server about all six numbers, and Harmony about one, so Harmony is more private."
# Is that right?
# Compare $y_j$ alone with Harmony's sign.
# :::
#
# :::{dropdown} Solution
# Both are exactly ε-LDP, so in the worst case they are alike.
# For the drawn number, Harmony's sign has the full ratio $e^\varepsilon$, 2.7 at $\varepsilon = 1$.
# Alone, $y_j$ equals $u_j$ with probability $(1+1/B)/2$, so its ratio is $(B+1)/(B-1)$; for $d = 6$ and $\varepsilon = 1$, $B = 5.9$, this is 1.4.
# But the report is all of $y$: if the other five numbers are known to be 1, it has the ratio $e^\varepsilon$ for the sixth, too.
# :::
#
# ## Summary
#
# - One budget covers all numbers of a person.
# - For a small ε, splitting has variance about $4d^2/\varepsilon^2$, and sampling one number $4d/\varepsilon^2$.
# - In the worst case, no client for the drawn number beats the sign; otherwise, sampled Hybrid can be better for a large ε.
# - MeanEst sends all numbers as a corner of a cube; its scores grow like $\sqrt d$.
# - Simultaneous intervals need a larger factor.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $d$ | number of keys, or of attributes |
# | $j$ | a key, or an attribute: one of the $d$ |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $Z$ | score of one report; with an index, for that number (here only) |
# | $z_y$ | score of the report $y$ (here only) |
# | $p_y$ | probability of the report $y$ at the number 1 (here only) |
# | $q_y$ | probability of the report $y$ at the number −1 (here only) |
# | $r$ | how many numbers each person draws (here only) |
# | $u$ | corner of the cube to which a vector is rounded (here only) |
# | $C_d$ | number of corners near a given one (here only) |
# | $A_d$ | how many more near corners agree in a given number than disagree (here only) |
# | $\tau$ | least number of agreements of a near corner (here only) |
# | $\delta$ | budget of one of $r$ numbers (here only) |
# | $W$ | sum of the weights of all corners (here only) |
# | $B$ | size of the scores of MeanEst (here only) |
#
# Next, {ref}`ch-distortion` computes the best client for any loss, and {ref}`ch-ranges` asks for more than a mean.
