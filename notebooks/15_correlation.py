# %% [markdown]
# (ch-correlation)=
# # Correlation
#
# *From {cite:t}`sun2021keyvalue`; {ref}`paper-sun2021` goes through the paper claim by claim.*
#
# :::{admonition} In one minute
# How many of the people who cough have a fever?
# One report per person about a single key cannot tell us.
# So your phone turns your whole record into one number: three states per key, $3^d$ numbers for $d$ keys.
# It sends this number through a frequency oracle, which estimates all shares.
# Every correlation is then a ratio of two sums of shares.
# If you only want to compare two keys, ask only about these two.
# :::
#
# :::{zh}
# 本课研究键值数据的关联分析：在若干键存在或不存在的条件下，估计另一个键的频率与均值。
# 若每人只发一份只含单个键的报告，无论有多少人，都无法回答这类问题。
# 索引独热编码（IOH）把整条记录编为一个三进制的索引，共 $3^d$ 种，再用一元编码逐位扰动，对整条记录恰好满足 $\varepsilon$-本地化差分隐私。
# 服务器估计每个索引的份额；每个查询都是同一张表上两个和之比，标准误差由各报告的得分算出。
# 本课给出 OUE 优于 SUE 的充要条件：查询涉及的单元越多、人数越少，OUE 越好。
# 键较多时，表的规模使误差迅速增大；若只关心两个键，只问这两个键，或让每人回答公开抽取的一对键，误差小得多。
# :::
#
# You need states and scores from {ref}`ch-keyvalue`, and unary encoding from {ref}`ch-frequency`.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from functools import partial, reduce
from itertools import combinations, product
from math import exp, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from ldpnb import (
    GRR,
    IOH,
    OUE,
    SUE,
    PairSampling,
    Records,
    epsilon,
    law,
    laws,
    pick,
    prove,
    same_law,
    toss,
)
from ldpnb.chance import bernoulli, odds
from ldpnb_book import check, datasets, diagram, label_lines, plain_ticks, simulation, style, table, theory
from ldpnb_book.studies import correlation as study

style()
rng = np.random.default_rng(2021)

# %% [markdown]
# (sec-corr-question)=
# ## Who has a fever, given a cough?
#
# The app now asks about symptoms and their severity, from −1 (mild) to 1 (severe).

# %%
KEYS = ["cancer", "fever", "cough"]
PEOPLE = {
    "Ana": {"cancer": 1.0, "cough": -1.0},
    "Ben": {"cancer": -1.0, "fever": 1.0, "cough": 1.0},
    "Cleo": {},
    "Dev": {"fever": -1.0, "cough": -1.0},
    "Eve": {"fever": 0.5},
}

# %% [markdown]
# Ana, Ben and Dev cough, and two of the three have a fever.
#
# A *condition* $C$ requires some keys to be present and others absent, for example “cough, no cancer”.
# We ask about another key $j$ among people who meet $C$:
#
# - the *frequency correlation* $f_{j\mid C}$ is the share of these people who have $j$;
# - the *mean correlation* $m_{j\mid C}$ is the mean value of $j$ among those who have $j$.
#
# Nobody should learn that Ana has cancer.
# **Can the app still estimate both correlations?**
#
# State encoding asks each person about one key.
# Compare two populations; in each, half have a fever and half a cough:

# %%
TOGETHER = [{"fever": 1.0, "cough": 1.0}, {}]  # both, or neither
APART = [{"fever": 1.0}, {"cough": 1.0}]  # one of the two


def one_key(crowd, rng):
    """Whether a random person has a random key."""
    record, key = pick(crowd, rng), pick(["fever", "cough"], rng)
    return key, key in record


for crowd in (TOGETHER, APART):
    exact = sorted(law(partial(one_key, crowd)).items())
    print(*(f"{key} {has}: {p}" for (key, has), p in exact), sep=", ")

# %% [markdown]
# These reports have the same law in both populations, even without noise.
# Yet $f_{\text{fever}\mid\text{cough}}$ is 1 in the first and 0 in the second, so no server can estimate it.
# Single-key reports could help only if each person sent several.
#
# (sec-corr-index)=
# ## One number for a record
#
# As in {ref}`sec-kv-se`, a coin turns each value into a sign, and a key has state 0 for −, 1 for absent, or 2 for +.
# Read as digits in base three, the states of all $d$ keys form a number from 0 to $3^d-1$, the *index* of the record.


# %%
def sign(v, rng):
    """+1 or −1, with mean v."""
    return 1 if toss((1 + v) / 2, rng) else -1


def index(record, keys, rng):
    """The states of all keys as a number in base three."""
    x = 0
    for key in keys:
        state = 1 + sign(record[key], rng) if key in record else 1
        x = 3 * x + state
    return x


for name, record in PEOPLE.items():
    print(f"{name} has index {index(record, KEYS, rng)} of 27")

# %% [markdown]
# Ana's states are 2, 1 and 0, so her index is $2\cdot 9 + 1\cdot 3 + 0 = 21$.
# Eve's index could also be 10, because her sign is random.
#
# The client sends the index through a frequency oracle.
# The paper uses unary encoding and calls this *indexing one-hot* (IOH).
# A report has $3^d$ bits; bit $x$ is 1 with probability $p$ if $x$ is the person's index, and with $q$ otherwise.
# OUE and SUE have the $p$ and $q$ of {ref}`sec-freq-clients`.
# {numref}`fig-corr-schematic` shows one report, in which the bit of Ana's own index came out 0.


# %%
def oue(eps):
    """The probabilities p and q of OUE."""
    return 1 / 2, 1 / (odds(eps) + 1)


def ioh(record, keys, p, q, rng):
    """IOH: the index as a one-hot vector, each bit perturbed."""
    x = index(record, keys, rng)
    bits = bernoulli(q, (3 ** len(keys),), rng)  # one coin per bit
    bits[x] = toss(p, rng)
    return bits


# %% mystnb={"figure": {"name": "fig-corr-schematic", "caption": "Ana's index, a possible report at ε = 1, and the six indices that meet the condition “cough, no cancer”."}, "image": {"alt": "Three rows of 27 squares, numbered from 0. In the first only square 21 is filled. In the second several squares are filled. In the third, squares 9, 11, 12, 14, 15 and 17 are filled."}}
shown = {
    "index": np.arange(27) == 21,
    "report": ioh(PEOPLE["Ana"], KEYS, *oue(1.0), rng),
    "cough, no cancer": np.isin(np.arange(27), [9, 11, 12, 14, 15, 17]),
}
diagram.cells(shown)
plt.show()

# %% [markdown]
# :::{prf:theorem} The whole record is protected
# :label: thm-ioh
# Let IOH use an unbiased oracle that is exactly ε-LDP.
# Then IOH is exactly ε-LDP for whole records.
# Its estimate of the expected share of each index is unbiased.
# :::
#
# :::{prf:proof}
# Because of the signs, a record becomes a random index $x$, and the oracle turns $x$ into a report $y$:
#
# $$ \Pr[y \mid \text{record}] = \sum_x \Pr[x \mid \text{record}]\; \Pr[y \mid x]. $$
#
# For fixed $y$, the numbers $\Pr[y \mid x]$ differ by a factor of at most $e^\varepsilon$, and so do their weighted averages.
# The two indices with ratio $e^\varepsilon$ come from two records with values ±1, which attain it.
# For fixed signs, the estimates are unbiased for the shares of the indices; averaged over the signs, for the expected shares.
# :::
#
# `prove` confirms this for two keys and five records:

# %%
TWO = ["fever", "cough"]
records = list(PEOPLE.values())


def two_keys(record, eps, rng):
    return ioh(record, TWO, *oue(eps), rng)


print(prove(two_keys, records, rounded=False))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the exact ε at one budget; our client has the law of the package's"}
def packaged(record, rng):
    """The package's IOH, which numbers the keys."""
    numbered = Records.of({TWO.index(key): v for key, v in record.items() if key in TWO})
    return IOH.of(TWO, OUE, 1.0).perturb(numbered, rng=rng)[0]


def spent(p, q):
    """Exact ε of the client for two keys."""
    return epsilon(laws(lambda record, rng: ioh(record, TWO, p, q, rng), records[2:]))


q_oue = 1 / (exp(1) + 1)
check(
    "IOH",
    f"two keys, 512 reports: exact ε = {spent(1 / 2, q_oue):.6f}",
    abs(spent(1 / 2, q_oue) - 1) < 1e-9,
    control="p of SUE with q of OUE",
    caught=spent(exp(0.5) / (exp(0.5) + 1), q_oue) > 1.1,
)
check(
    "Same law",
    "ioh and the package's IOH with OUE, two keys, ε = 1",
    same_law(lambda record, rng: two_keys(record, 1.0, rng), packaged, records[2:]),
    control="ioh at ε = 1.01",
    caught=not same_law(lambda record, rng: two_keys(record, 1.01, rng), packaged, records[2:]),
)

# %% [markdown]
# (sec-corr-queries)=
# ## Every question is a sum over cells
#
# Let $f_x$ be the expected share of people with index $x$.
# The share of people who meet a condition is a sum of such cells ({numref}`fig-corr-schematic`).
# Both correlations are ratios of two such sums:
#
# $$ \begin{aligned} f_{j\mid C} &= \frac{\text{share with } C \text{ and } j}{\text{share with } C}, \\[1ex] m_{j\mid C} &= \frac{(\text{share with } C \text{ and } j = {+}) - (\text{share with } C \text{ and } j = {-})}{\text{share with } C \text{ and } j}. \end{aligned} $$

# %%
ANY, PRESENT = np.array([1, 1, 1]), np.array([1, 0, 1])
ABSENT, SIGNED = np.array([0, 1, 0]), np.array([-1, 0, 1])


def weights(*vectors):
    """The weight of each index: a product over the keys."""
    return reduce(np.multiply.outer, vectors).ravel()


QUESTIONS = {
    "fever, given cough": [(ANY, PRESENT, PRESENT), (ANY, ANY, PRESENT)],
    "fever, given no cough": [(ANY, PRESENT, ABSENT), (ANY, ANY, ABSENT)],
    "mean fever, given cough, no cancer": [
        (ABSENT, SIGNED, PRESENT),
        (ABSENT, PRESENT, PRESENT),
    ],
}
cells = [index(record, KEYS, rng) for record in records]
found = np.bincount(cells, minlength=27) / 5  # of five people
for question, sums in QUESTIONS.items():
    part, whole = (found @ weights(*vectors) for vectors in sums)
    print(f"{question}: {part / whole:.2f}")

# %% [markdown]
# Each key has a vector of three weights, one per state; `ANY` is for keys without a condition.
# The weight $u_x$ of an index is the product of its keys' weights, and the sum is $F = \sum_x u_x f_x$.
# For example, index 11 has the states 1, 0 and 2: no cancer, a fever, a cough.
# So for “cough, no cancer”, $u_{11}$ is `ABSENT[1] * ANY[0] * PRESENT[2]`, which is 1.
# With the vector `SIGNED` for a key, $F$ becomes (share with +) − (share with −).
#
# The paper lists the indices of a condition one by one; some of its formulas are misprinted ({ref}`§3.2 <sun2021-3-2-a>`).


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the paper's lists of indices give the same sums, for all conditions"}
STRINGS = [*product((0, 1), repeat=3)]
ALLOWED = [(a, b) for a, b in product(STRINGS, STRINGS) if all(y <= x for x, y in zip(a, b, strict=True))]
CASES = [(a, b, j) for a, b in ALLOWED for j in (None, 0, 1, 2) if j is None or not a[j]]


def listed(cells, a, b, j):
    """The paper's F, or S⁺ − S⁻ of key j: all g with g ∧ a = b, and for each all indices."""
    total = 0.0
    for g in STRINGS:
        if all(bit & named == asked for bit, named, asked in zip(g, a, b, strict=True)):
            for digits in product(*((0, 2) if bit else (1,) for bit in g)):
                sign_of = 1 if j is None else digits[j] - 1
                total += sign_of * cells[int("".join(map(str, digits)), 3)]
    return total


def summed(cells, a, b, j):
    """The same, with one vector per key."""
    vectors = [(PRESENT if y else ABSENT) if x else ANY for x, y in zip(a, b, strict=True)]
    return cells @ weights(*(SIGNED if i == j else vector for i, vector in enumerate(vectors)))


some = rng.normal(size=27)
turned = some.reshape(3, 3, 3).transpose().ravel()
check(
    "Queries",
    f"enumeration = contraction for all {len(ALLOWED)} conditions on three keys, and signed",
    all(abs(listed(some, *case) - summed(some, *case)) < 1e-9 for case in CASES),
    control="digits read from the other end",
    caught=any(abs(listed(some, *case) - summed(turned, *case)) > 0.1 for case in CASES),
)

# %% [markdown]
# (sec-corr-errors)=
# ## The server and its errors
#
# Bit $x$ of a report, $y_x$, is 1 with probability $p$ for people with index $x$, and with probability $q$ for all others, so
#
# $$ \E\, y_x = f_x\, p + (1-f_x)\, q, \qquad \hat f_x = \text{average of}\; \frac{y_x - q}{p - q} \;\text{over } n \text{ reports}. $$
#
# The fraction is the report's score for index $x$.
# The report's score for $F$ is the sum of these scores with the weights $u_x$.
#
# A correlation is a ratio $\rho = F_1/F_0$, with weights $u_x$ above and $u'_x$ below.
# As for a mean in {eq}`eq-kv-share`, its error is to first order
#
# $$ \hat\rho - \rho \approx \frac{\hat F_1 - \rho\, \hat F_0}{F_0}, $$ (eq-corr-ratio)
#
# if $\hat F_0$ is close to $F_0$.
# The right side is a single sum, with weights $(u_x - \rho\, u'_x)/F_0$, so its scores give the standard error.


# %%
def server(reports, part, whole, p, q):
    """A ratio of sums, its error, and the denominator over its error."""
    scores = (reports - float(q)) / float(p - q)
    above, below = scores @ part, scores @ whole
    ratio = above.mean() / below.mean()
    scores = (above - ratio * below) / below.mean()
    root = sqrt(len(reports))
    return ratio, scores.std() / root, below.mean() / below.std() * root


# %% [markdown]
# We draw 60,000 people from an invented population, and each reports once with $\varepsilon = 2$.

# %%
COUGH, FEVER, FEVER_ONLY, CANCER = SHARES = 0.3, 0.5, 0.1, 0.2


def person(rng):
    """The record of a random member of the population."""
    cough = rng.random() < COUGH
    fever = rng.random() < (FEVER if cough else FEVER_ONLY)
    cancer = rng.random() < CANCER
    has = {"cancer": cancer, "fever": fever, "cough": cough}
    m = 0.4 if cough else -0.2
    return {key: m + rng.uniform(-0.4, 0.4) for key in has if has[key]}


EPS, n = 2.0, 60_000
p, q = oue(EPS)
reports = np.array([ioh(person(rng), KEYS, p, q, rng) for _ in range(n)])
truths = dict(zip(QUESTIONS, (FEVER, FEVER_ONLY, 0.4), strict=True))
rows = []
for question, sums in QUESTIONS.items():
    part, whole = (weights(*vectors) for vectors in sums)
    ratio, error, below = server(reports, part, whole, p, q)
    estimate = f"{ratio:.3f} ± {error:.3f}"
    rows.append([question, truths[question], estimate, f"{below:.0f}"])
columns = ["question", "truth", "estimate", "denominator / its error"]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# The mean has the largest error, because only 12 % meet its condition and have a fever.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the package's server gives the same estimates, and errors within 3 %"}
whole_record = IOH.of(KEYS, OUE, EPS)
# tally counts the ones of each bit; table turns the counts into shares that answer questions
answers = whole_record.table(whole_record.tally(reports))
theirs = [answers.frequency("fever", {"cough": 1}), answers.frequency("fever", {"cough": 0})]
theirs.append(answers.mean("fever", {"cough": 1, "cancer": 0}))


def off(eps):
    """Relative differences of our estimates and standard errors from the package's."""
    sums = [[weights(*vectors) for vectors in both] for both in QUESTIONS.values()]
    ours = np.array([server(reports, part, whole, *oue(eps))[:2] for part, whole in sums])
    package = np.array([(float(answer.value), float(answer.error)) for answer in theirs])
    return np.abs(ours / package - 1).max(0)


check(
    "Server",
    "three questions: estimates equal, standard errors within 3 %",
    bool((off(EPS) < (1e-9, 0.03)).all()),
    control="our server at 1.1 ε",
    caught=bool((off(1.1 * EPS) > (1e-3, 0.03)).all()),
)

# %% [markdown]
# (sec-corr-oracle)=
# ## SUE or OUE?
#
# The paper finds OUE better, but that depends on the question:
#
# :::{prf:theorem} SUE or OUE
# :label: thm-sue-oue
# The estimate of a sum with weights $u_x$ has a smaller variance under OUE than under SUE if and only if
#
# $$ \frac{\sum_x u_x^2 f_x}{\sum_x u_x^2} < \frac{e^{\varepsilon/2}}{(e^{\varepsilon/2}+1)^2}. $$
#
# If $J$ of the weights are 1 and all others 0, the left side is $F/J$.
# :::
#
# :::{prf:proof}
# Given a person's index, the bits of the report are independent.
# Bit $x$ has variance $p(1-p)$ if $x$ is the index, and $q(1-q)$ otherwise.
# On average over people and signs, a share $f_x$ has index $x$, so the bits contribute to $n\Var\hat F$
#
# $$ \sum_x u_x^2\, \frac{f_x\, p(1-p) + (1-f_x)\, q(1-q)}{(p-q)^2}. $$
#
# The choice of people and signs adds the same to both oracles.
# For OUE, $p(1-p) = \frac14 = q(1-q) + (p-q)^2$, so the fraction gains a term $f_x$:
#
# | | $p-q$ | $q(1-q)$ | $p(1-p)$ | fraction |
# |---|---|---|---|---|
# | SUE | $\dfrac{e^{\varepsilon/2}-1}{e^{\varepsilon/2}+1}$ | $\dfrac{e^{\varepsilon/2}}{(e^{\varepsilon/2}+1)^2}$ | $q(1-q)$ | $\dfrac{e^{\varepsilon/2}}{(e^{\varepsilon/2}-1)^2}$ |
# | OUE | $\dfrac{e^\varepsilon-1}{2(e^\varepsilon+1)}$ | $\dfrac{e^\varepsilon}{(e^\varepsilon+1)^2}$ | $q(1-q) + (p-q)^2$ | $\dfrac{4e^\varepsilon}{(e^\varepsilon-1)^2} + f_x$ |
#
# With $e^\varepsilon - 1 = (e^{\varepsilon/2}-1)(e^{\varepsilon/2}+1)$, the first fraction minus the second is
#
# $$ \begin{aligned} & \frac{e^{\varepsilon/2}\big((e^{\varepsilon/2}+1)^2 - 4e^{\varepsilon/2}\big)}{(e^\varepsilon-1)^2} - f_x \\[1ex] &= \frac{e^{\varepsilon/2}(e^{\varepsilon/2}-1)^2}{(e^\varepsilon-1)^2} - f_x = \frac{e^{\varepsilon/2}}{(e^{\varepsilon/2}+1)^2} - f_x. \end{aligned} $$
#
# Multiply by $u_x^2$ and sum over $x$.
# :::
#
# So OUE is better for sums over cells with few people on average, and SUE for large $\varepsilon$.
# {numref}`fig-corr-oracle` adds k-RR of the index, which is best from $\varepsilon = 3$ on.

# %% mystnb={"figure": {"name": "fig-corr-oracle", "caption": "Standard error of the frequency of fever given cough; three keys, 100,000 people. Lines: formula. Marks: 500 simulated surveys each."}, "image": {"alt": "Standard error on a logarithmic axis against epsilon from 1 to 10. OUE is slightly below SUE until they cross near epsilon 8. The index by k-RR begins highest, crosses SUE just below 2 and OUE between 2 and 3, and is lowest from there on."}}
ORACLES = {"SUE": SUE, "OUE": OUE, "k-RR": GRR}
kinds = {name: partial(IOH.of, KEYS, ORACLES[name]) for name in ORACLES}
crowd = {"shares": SHARES, "n": 100_000, "surveys": 500}
exact, runs = study.errors(kinds, range(1, 11), **crowd, rng=rng)
by = "design", [*ORACLES]
ax = sns.lineplot(exact, x="at", y="error", **theory(*by))
sns.lineplot(runs, x="at", y="found", **simulation(*by, of="std"))
ax.set(yscale="log", xlabel="budget ε", ylabel="standard error")
plain_ticks(ax)
label_lines(ax)
plt.show()


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: where SUE overtakes OUE, by the exact variances"}
def noise(make, eps, share):
    """n times the variance of a cell with this share of the people."""
    own, other = make(k=2, epsilon=eps).variance([0])[0]
    return share * own + (1 - share) * other


def right_at(bound):
    """Whether OUE is better for a share a little below the bound, and worse a little above."""
    cases = [(eps, factor, factor * bound(eps)) for eps in (0.5, 1, 3, 6, 10) for factor in (0.99, 1.01)]
    return all((noise(OUE, eps, share) < noise(SUE, eps, share)) == (factor < 1) for eps, factor, share in cases)


check(
    "SUE or OUE",
    "five ε: the better oracle changes at the bound, within 1 %",
    right_at(lambda eps: exp(eps / 2) / (exp(eps / 2) + 1) ** 2),
    control="cosh(ε/3) in its place",
    caught=not right_at(lambda eps: 1 / (4 * np.cosh(eps / 3) ** 2)),
)

# %% [markdown]
# (sec-corr-design)=
# ## All keys, or two?
#
# The share who cough is a sum over two thirds of the $3^d$ cells, and collects all their errors.
# For pairs of keys there are two smaller designs:
#
# - *One pair*: each client draws one pair at random, names it, and reports its index, one of nine, by k-RR.
# - *These two*: every client reports the index of the two keys in question.
#   With this design, each further pair costs another ε.


# %%
def krr(x, k, eps, rng):
    """k-RR: x, or one of the k − 1 others."""
    if toss(odds(eps) / (odds(eps) + k - 1), rng):
        return x
    return pick([y for y in range(k) if y != x], rng)


def one_pair(record, keys, eps, rng):
    """A random pair of keys, and its perturbed index."""
    pair = pick([*combinations(keys, 2)], rng)
    return pair, krr(index(record, pair, rng), 9, eps, rng)


# %% [markdown]
# Our server works for both, on reports about this pair only.
# Write each report as nine bits with a single 1, and take $p = e^\varepsilon/(e^\varepsilon+8)$ and $q = 1/(e^\varepsilon+8)$.
# {numref}`fig-corr-design` compares them for our population.
# Further keys resemble cancer: a fifth of people have each, independently.


# %% mystnb={"figure": {"name": "fig-corr-design", "caption": "Standard error of the frequency of one key given another; a million people. Lines: formula. Marks: 200 simulated surveys each."}, "image": {"alt": "Two panels, standard error on a logarithmic axis against the number of keys from 2 to 7. Left, epsilon 2: k-RR on all keys rises fastest, and its last mark lies above its line; then OUE on all keys, one pair rises slowly, these two is flat and lowest. Right, epsilon 6: k-RR on all keys stays below one pair up to six keys."}}
def named(d):
    return [f"key {j}" for j in range(d)]


def designs(eps):
    """Four mechanisms for d keys."""
    return {
        "all, OUE": lambda d: IOH.of(named(d), OUE, eps),
        "all, k-RR": lambda d: IOH.of(named(d), GRR, eps),
        # PairSampling.of(keys, oracle, eps): one_pair, with any oracle
        "one pair": lambda d: PairSampling.of(named(d), GRR, eps),
        "these two": lambda d: IOH.of(named(2), GRR, eps),
    }


fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.7), sharey=True)
for ax, eps in zip(axes, (2.0, 6.0), strict=True):
    kinds, crowd = designs(eps), {"shares": SHARES, "n": 10**6}
    exact, runs = study.errors(kinds, range(2, 8), **crowd, rng=rng)
    by = "design", [*kinds]
    sns.lineplot(exact, x="at", y="error", ax=ax, **theory(*by))
    look = simulation(*by, of="std")
    sns.lineplot(runs, x="at", y="found", ax=ax, **look)
    ax.set(xlabel="number of keys", title=f"ε = {eps:g}")
plt.setp(axes, yscale="log", ylim=(5e-4, 4), ylabel="standard error")
plain_ticks(axes[0])
for ax in axes:
    label_lines(ax)
plt.show()

# %% [markdown]
# With all keys, the error grows exponentially; with one pair, about linearly.
# At $\varepsilon = 6$, k-RR on all keys is better than one pair for three to six keys.
# For seven keys at $\varepsilon = 2$, k-RR's denominator is within two standard errors of 0: the formula fails.
#
# (sec-corr-fair)=
# ## What goes with affairs?
#
# The 6,366 magazine readers of {ref}`ch-rr` rated their marriages.
# Are affairs more frequent if the marriage is *strained* (rated fair or worse)?
# We try three designs at $\varepsilon = 2$.
# For all keys we take OUE, because 81 cells are many more than $3e^2+2$ ({prf:ref}`thm-crossover`).
# Only presence matters, so all values are 0; Exercise 2 does without signs.

# %%
people = datasets.fair()
held = {
    "affair": people["affair"] == 1,
    "strain": people["marriage"] <= 3,
    "children": people["children"] > 0,
    "faith": people["religiosity"] >= 3,
}
held = pd.DataFrame(held)


def readers(keys):
    """Everybody's record of these keys."""
    user, key = np.nonzero(held[[*keys]])
    return Records.from_arrays(user, key, 0.0 * key, n=len(held))


def survey(mechanism, *pair):
    """All readers report, and the server makes its table."""
    reports = mechanism.perturb(readers(mechanism.keys), rng=rng)
    return mechanism.table(*pair, mechanism.tally(reports))


pair = ("affair", "strain")
tables = {
    "all keys": survey(IOH.of([*held], OUE, EPS)),
    "one pair": survey(PairSampling.of([*held], GRR, EPS), pair),
    "these two": survey(IOH.of(pair, GRR, EPS)),
}
rows, errors = [], []
for name, strain in (("strain: yes", 1), ("strain: no", 0)):
    truth = held["affair"][held["strain"] == strain].mean()
    question = "affair", {"strain": strain}
    found = [one.frequency(*question) for one in tables.values()]
    told = [f"{one.value:.2f} ± {one.error:.2f}" for one in found]
    rows.append([name, f"{truth:.2f}", *told])
    errors.append(np.array([one.error for one in found]))
ratios = np.square(errors[0] / errors[0][-1])
times = [f"{ratio:.1f} ×" for ratio in ratios]
rows.append(["readers for equal errors (strain: yes)", "", *times])
table(pd.DataFrame(rows, columns=["affair, given", "truth", *tables]))

# %% [markdown]
# Affairs are more frequent in strained marriages: the shares differ by about 2, 2.5 and 5.5 times the sum of their errors.
# The standard error of a difference is never larger than this sum.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: how often the 95 % intervals cover the truth"}
mechanism, truth = IOH.of(pair, GRR, EPS), held["affair"][held["strain"]].mean()
cells = mechanism.cells(readers(pair), trials=1000, rng=rng)
found = mechanism.table(mechanism.simulate(cells, rng=rng))
answer, below = found.frequency("affair", {"strain": 1}), found.count({"strain": 1})
alone = found.count({"affair": 1, "strain": 1}).error / below.value
covered, loose = (np.mean(abs(answer.value - truth) < 1.96 * error) for error in (answer.error, alone))
check(
    "Coverage",
    "95 % intervals, two keys, 1,000 surveys: 91 to 99 %",
    bool(0.91 < covered < 0.99),
    control=f"the denominator taken as known: too wide, {loose:.1%}",
    caught=bool(loose > covered + 0.015),
)

# %% [markdown]
# (sec-corr-wrong)=
# ## What can go wrong
#
# - *Hardly anybody meets the condition.*
#   If the denominator is less than three of its standard errors from 0, the estimated ratio can be anything.
# - *You want to know what the survey did not ask, such as “severe fever”.*
#   The table holds only signs; choose finer states before the survey.
# - *The server sets negative cells to 0.*
#   Over thousands of nearly empty cells, the bias adds up.
#   Sum first, then correct the small table.
# - *You try all questions.*
#   Among the 28 pairs of eight unrelated keys, one or two look significant at 5 %.
#
# (sec-corr-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 8 minutes)
# There are two keys, and half of the people have the first.
# The server estimates their share from the table.
# From which $\varepsilon$ on is SUE better than OUE?
# Is there such an $\varepsilon$ for every question?
# :::
#
# :::{dropdown} Solution
# The estimate adds up $J = 6$ of nine cells with the share $F = \frac12$, so $F/J = \frac1{12}$.
# With $t = e^{\varepsilon/2}$ the theorem's two sides are equal if $12t = (t+1)^2$, that is $t^2 - 10t + 1 = 0$.
# So $t = 5 + \sqrt{24} = 9.90$, and $\varepsilon = 2\ln t = 4.58$.
#
# For a ratio, take the weights from {eq}`eq-corr-ratio`.
# The right side falls to 0 as $\varepsilon$ grows, so SUE is better in the end, unless nobody is in the cells that are counted.
# The right side is never above $\frac14$: a cell with more than a quarter of the people is better under SUE at every $\varepsilon$.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# We ask only for keys, not for values.
# Write a client with two states per key, and an estimator of $f_{j\mid C}$.
# With OUE and $\varepsilon = 2$, how much smaller is the standard error?
# :::
#
# :::{dropdown} Solution
# With two states, absent and present, the index is a number in base two, and the table has only $2^d$ cells.
# The proofs of privacy and of the estimator do not change, so you can use `server` with vectors of two numbers.
# For three keys, “cough” adds up four cells instead of 18.
# The standard error of “fever, given cough” is 0.013 instead of 0.024 in {ref}`sec-corr-errors`, about half.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def presence(record, keys, p, q, rng):
    """IOH with two states: absent and present."""
    x = int("".join(str(int(key in record)) for key in keys), 2)
    bits = bernoulli(q, (2 ** len(keys),), rng)
    bits[x] = toss(p, rng)
    return bits


told = np.array([presence(person(rng), KEYS, *oue(EPS), rng) for _ in range(60_000)])
either, has = np.array([1, 1]), np.array([0, 1])
estimate, error, _ = server(told, weights(either, has, has), weights(either, either, has), *oue(EPS))
print(f"{estimate:.3f} ± {error:.3f}")

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# The shares $f_x$ add up to 1, but their estimates do not.
# Add the same constant to all estimates so that they add up to 1.
# Are they still unbiased?
# Under SUE and for fixed people, how does the variance of a count of $J$ cells change?
# :::
#
# :::{dropdown} Solution
# The estimates add up to 1 on average, so the constant is 0 on average, and nothing becomes biased.
#
# A count with weights $u_x$ is now the sum with weights $u_x - \bar u$, where $\bar u = J/3^d$ is the average weight.
# Under SUE and for fixed people, all cells have the same variance and are independent given the index.
# So the variance of the count is multiplied by
#
# $$ \frac{\sum_x (u_x - \bar u)^2}{\sum_x u_x^2} = 1 - \frac{J}{3^d}. $$
#
# For “the key is present”, $J/3^d = \frac23$, and only a third of the variance is left.
# In the package, `Table.normalised` does this.
# :::
#
# ## Summary
#
# - One report per person about a single key does not show which keys occur together.
# - IOH reports the whole record as one of $3^d$ numbers, and protects all of it.
# - Every correlation is a ratio of two sums of estimated shares.
# - OUE is better than SUE for sums over cells with few people; k-RR is best for small tables or large $\varepsilon$.
# - The error grows with the table, so ask about few keys.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $d$ | number of keys, or of attributes |
# | $v$ | value of a key, between −1 and 1 |
# | $x$ | an item, or another value that one person has |
# | $y_x$ | bit $x$ of a report (here only) |
# | $\varepsilon$ | privacy budget, in nats |
# | $p$ | chance that a coin tells the truth; for bits, that the bit of the person's item is set |
# | $q$ | chance that the bit of another item is set |
# | $C$ | a condition (here only) |
# | $f_x$ | expected share of index $x$ (here only) |
# | $f_{j\mid C}$ | frequency correlation (here only) |
# | $m_{j\mid C}$ | mean correlation (here only) |
# | $u_x$ | weight of index $x$ (here only) |
# | $u'_x$ | its weight in the denominator (here only) |
# | $F$ | a weighted sum of shares (here only) |
# | $F_0$ | denominator of a ratio (here only) |
# | $F_1$ | its numerator (here only) |
# | $\rho$ | the ratio (here only) |
# | $J$ | number of cells added up (here only) |
#
# Next, in {ref}`ch-wheel`, people with many key–value pairs report one of them.
