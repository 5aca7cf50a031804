# %% [markdown]
# (ch-correlation)=
# # Correlation
#
# *After {cite:t}`sun2021keyvalue` §3 and §4.3.*
#
# :::{admonition} In one minute
# How likely is fever among those who cough, and how severe among those who cough and have no cancer?
# Reports on single keys cannot say.
# If everybody numbers the *whole* record instead, three states a key and $3^d$ numbers in all, any frequency oracle can count the numbers, and every such question is a ratio of two sums over the same table of counts.
#
# The price is the size of the table: at $\varepsilon = 2$ four keys take tens of thousands of people.
# If only questions about two keys matter, it is better at moderate ε (up to about 2 for four keys, 6 for eight) to ask each person about one pair {cite:p}`cormode2018marginal`, which cannot answer questions about three.
# :::
#
# :::{zh}
# 本章研究键值数据的关联分析：在若干键存在或不存在的条件下，估计另一个键的频率（频率关联）与均值（均值关联）。
# 索引独热编码（IOH）把整条记录编为一个三进制的索引，共 $3^d$ 种，再以任一无偏的频率预言机上报；整条记录因此受到保护，每一个查询都是同一张计数表上两个和之比。
# 代价在于表的规模：$\varepsilon=2$ 时，四个键就需要数万用户。
# 若只关心两个键的关联，在中等的 $\varepsilon$ 下，让每个用户只回答公开抽取的一对键更为精确，但不能回答涉及三个键的问题。
# 孙林等的索引、条件的表示、IOH 的隐私性与无偏性均得到复现，图 6 的规律亦然；所读文本缺少原图，键之间的关系与所问的查询由本书设定。
# “OUE 优于 SUE”在条件下复现：本章给出充要条件，持有者多或 $\varepsilon$ 大时 SUE 更优。
# §3.2 的展开示例与 §3.3 的 $S^+$、$S^-$ 疑为误印或文本损坏，予以更正；原文对它们的使用是正确的。
# :::
#
# You will meet the paper's index encoding, its queries as one tensor contraction with error bars, its figure at full size, and a real question asked of real people.
# From {ref}`ch-keyvalue` you need states, from {ref}`ch-frequency` the oracles.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from functools import cache
from itertools import product
from math import exp, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from ldpnb import (
    GRR,
    IOH,
    OUE,
    SUE,
    HadamardBit,
    PairSampling,
    Records,
    epsilon,
    laws,
    moments,
    norm,
    norm_sub,
    same_law,
    toss,
)
from ldpnb.book import check, datasets, style, sweep, table
from ldpnb.book.diagram import arrow, board, frame
from ldpnb.keyvalue import encode

style()
SEED = 31  # three states and one report
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-corr-question)=
# ## Who has fever, given a cough?
#
# The three patients of {ref}`ch-keyvalue` again, with their states: 0 for present and −, 1 for absent, 2 for present and +.

# %%
KEYS = ("cancer", "fever", "cough")
PATIENTS = {
    "A": {0: 1.0, 2: -1.0},
    "B": {0: -1.0, 1: 1.0, 2: 1.0},
    "C": {1: -1.0, 2: -1.0},
}


def states(record):
    """State of every key, for values that are signs already."""
    return [1 + int(record.get(key, 0)) for key in range(len(KEYS))]


for name, record in PATIENTS.items():
    print(name, dict(zip(KEYS, states(record), strict=True)))

# %% [markdown]
# Two quantities are asked for, of the people who meet a condition $C$ on the presence of some keys:
#
# - the *frequency correlation* $f_{k|C}$, the share of them who have key $k$ too, and
# - the *mean correlation* $m_{k|C}$, the mean value of key $k$ among those of them who have it.
#
# In code a condition is a dictionary, `given={"cough": 1, "cancer": 0}`.
# The paper writes it as two bit strings: α marks the keys that the condition names, β those of them that have to be present.
# For the example that is $(\alpha, \beta) = (101, 001)$, whichever key is named first.
#
# (sec-corr-index)=
# ## One number for a record
#
# The states of all keys, read as a number to the base three, are the *index* of the record.


# %%
def index(record):
    """IOH: the states as a number to the base three."""
    number = 0
    for digit in states(record):
        number = 3 * number + digit
    return number


for name, record in PATIENTS.items():
    print(f"{name}: states {states(record)}, index {index(record)} of {3 ** len(KEYS)}")


# %% [markdown]
# {numref}`fig-corr-schematic` follows patient A from the record to the report.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-corr-schematic", "caption": "From a record to an answer (the content of Figs. 2 to 4 of the paper). Patient A's values become states, the states one index, the index one set bit of 27, and the oracle perturbs the bits. Below, the cells that the condition “cough and no cancer” sums over: (α, β) = (101, 001). Patient A is not among them. (Here A's own bit came out empty, as half of the time under OUE.)"}, "image": {"alt": "Rows from top to bottom: the record plus one, absent, minus one; the states 2, 1, 0; a row of 27 squares with square 21 filled; a row with several squares filled after perturbation; a row with the six squares 9, 11, 12, 14, 15 and 17 marked for the condition."}}
sketch = np.random.default_rng(4)
one_hot = np.arange(27) == 21
noisy = np.where(one_hot, sketch.random(27) < 0.5, sketch.random(27) < 0.27)
marked = [c for c in range(27) if c // 9 == 1 and c % 3 != 1]
fig, ax = plt.subplots(figsize=(6.4, 3.6))
for j, (key, value, digit) in enumerate(zip(KEYS, ("+1", "—", "−1"), (2, 1, 0), strict=True)):
    for y, text in ((4.6, key), (3.9, value), (3.2, f"state {digit}")):
        ax.text(5 + 8 * j, y, text, ha="center", va="center", fontweight="bold" if y > 4.5 else "normal")
    arrow(ax, (5 + 8 * j, 3.72), (5 + 8 * j, 3.38))
ax.text(13, 2.55, "2·9 + 1·3 + 0 = 21", ha="center", va="center")
for y, filled, color in ((1.6, one_hot, "C0"), (0.6, noisy, "C0"), (-0.6, np.isin(np.arange(27), marked), "C1")):
    for c in range(27):
        frame(ax, c, y, 0.82, 0.55, (color if filled[c] else "white", "gray"))
for y, text in ((1.87, "index"), (0.87, "report"), (-0.33, "condition")):
    ax.text(-0.4, y, text, ha="right", va="center")
for c in (0, 9, 18, 26):
    ax.text(c + 0.41, -0.85, str(c), ha="center", va="center", fontsize=10)
board(ax, (-5, 27.2), (-1.1, 4.9))
plt.show()

# %% [markdown]
# The client draws the signs of its values, takes the index, and reports it through a frequency oracle for $3^d$ items.
# The paper uses unary encoding and calls the whole *indexing one-hot* (IOH); any unbiased oracle of {ref}`ch-frequency` and {ref}`ch-onebit` will do.
#
# :::{prf:theorem} The whole record is protected
# :label: thm-ioh
# IOH with an unbiased oracle that is exactly ε-LDP is exactly ε-LDP for records with any keys and values, and the estimate of each cell is unbiased for the expected share of people with that index.
# :::
#
# :::{prf:proof}
# A record becomes a random index, and the report is the oracle's of that index; mixtures of laws within a factor $e^\varepsilon$ stay within it.
# All $3^d$ indices occur, so the two at which the oracle attains ε are among them.
# Given the index the oracle is unbiased.
# :::


# %% tags=["hide-input"]
def sign(v, rng):
    return 1 if toss((1 + v) / 2, rng) else -1


def ioh(record, d, p, q, rng):
    """The paper's Algorithm 1: one-hot vector of the index, every bit perturbed."""
    number = 0
    for key in range(d):
        number = 3 * number + (1 + sign(record[key], rng) if key in record else 1)
    return tuple(toss(p if cell == number else q, rng) for cell in range(3**d))


RECORDS = [{}, {0: 1.0}, {0: -1.0, 1: 0.5}, {1: -1.0}, {0: 0.25, 1: 1.0}]
eps = 1.0
two_keys = IOH.of(("a", "b"), OUE, eps)
printed = lambda record, rng: ioh(record, 2, 0.5, 1 / (exp(eps) + 1), rng)  # noqa: E731
found = epsilon(laws(printed, RECORDS))
mean, variance = moments(two_keys, RECORDS)
check(
    "IOH",
    f"two keys, five records, 512 reports: ε = {found:.6f}, unbiased, = the package",
    abs(found - 1) < 1e-9
    and np.abs(mean - two_keys.expected(Records.of(*RECORDS))).max() < 1e-9
    and same_law(printed, two_keys, RECORDS),
    control="p of SUE with q of OUE",
    caught=epsilon(laws(lambda r, rng: ioh(r, 2, exp(0.5) / (1 + exp(0.5)), 1 / (exp(1) + 1), rng), RECORDS)) > 1.1,
)

# %% [markdown]
# (sec-corr-queries)=
# ## Every question is a sum over cells
#
# Write the table of estimated counts as a $3 \times 3 \times \dots \times 3$ tensor, one axis a key.
# A key that the condition does not name is summed over all its states; one that has to be present over states 0 and 2; one that has to be absent takes state 1.
# So a count is one contraction of every axis with a vector of three numbers, and a sum of values takes $(-1, 0, 1)$ on the axis of its key:

# %%
ANY, PRESENT, ABSENT, SIGNED = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 0], [-1, 0, 1]])


def contract(tensor, vectors):
    """Sum of a tensor over all cells, weighted by one vector an axis."""
    for vector in reversed(vectors):
        tensor = tensor @ vector
    return float(tensor)


counts = np.bincount([index(record) for record in PATIENTS.values()], minlength=27).reshape(3, 3, 3)
cough = contract(counts, [ANY, ANY, PRESENT])
both = contract(counts, [ANY, PRESENT, PRESENT])
print(f"{cough:.0f} cough, {both:.0f} of them have fever: {both / cough:.2f}")
well = contract(counts, [ABSENT, PRESENT, PRESENT])
total = contract(counts, [ABSENT, SIGNED, PRESENT])
print(f"cough and no cancer: mean fever {total / well:+.0f}")


# %% [markdown]
# The paper gets the same sums by listing indices.
# It expands a condition into all vectors γ that say of *every* key whether it is present, and lists for each the indices $I(\gamma)$ whose digits are 0 or 2 where γ has a one and 1 where it has a zero:


# %%
def indices(gamma, key=None, keep=(0, 2)):
    """I(γ) of the paper; for one key only the digits `keep`."""
    digits = [(keep if j == key else (0, 2)) if bit else (1,) for j, bit in enumerate(gamma)]
    return [int("".join(map(str, c)), 3) for c in product(*digits)]


def expand(alpha, beta):
    """All γ with γ ∧ α = β."""
    return [
        g for g in product((0, 1), repeat=len(alpha)) if all(x & a == b for x, a, b in zip(g, alpha, beta, strict=True))
    ]


print("I(101) =", indices((1, 0, 1)))


# %% tags=["hide-input"]
def listed(flat, alpha, beta, key=None, keep=(0, 2)):
    """The paper's F (or S⁺, S⁻ of a key) by enumeration."""
    return sum(flat[i] for gamma in expand(alpha, beta) for i in indices(gamma, key, keep))


def by_axes(tensor, alpha, beta, signed=None):
    vectors = [(ANY if not a else PRESENT if b else ABSENT) for a, b in zip(alpha, beta, strict=True)]
    if signed is not None:
        vectors[signed] = SIGNED
    return contract(tensor, vectors)


flat = rng.normal(size=27)
CONDITIONS = [
    (a, b)
    for a in product((0, 1), repeat=3)
    for b in product((0, 1), repeat=3)
    if all(y <= x for x, y in zip(a, b, strict=True))
]
apart = max(abs(listed(flat, a, b) - by_axes(flat.reshape(3, 3, 3), a, b)) for a, b in CONDITIONS)
signed_apart = max(
    abs(
        listed(flat, a, b, key, (2,)) - listed(flat, a, b, key, (0,)) - by_axes(flat.reshape(3, 3, 3), a, b, signed=key)
    )
    for a, b in CONDITIONS
    for key in range(3)
    if not a[key]
)
plus_cells = contract(flat.reshape(3, 3, 3), [ANY, np.array([0, 0, 1]), PRESENT])  # fever of sign +, and a cough
over = abs(listed(flat, (0, 0, 1), (0, 0, 1), 1, (2,)) - plus_cells)
mended = sum(flat[i] for g in expand((0, 0, 1), (0, 0, 1)) if g[1] for i in indices(g, 1, (2,)))
check(
    "Queries",
    f"enumeration = contraction for all {len(CONDITIONS)} conditions on three keys, and signed",
    apart < 1e-12 and signed_apart < 1e-12,
    control="digits read from the other end",
    caught=max(abs(listed(flat, a, b) - by_axes(flat.reshape(3, 3, 3).transpose(), a, b)) for a, b in CONDITIONS) > 0.1,
)

# %% [markdown]
# Three formulas are not right as our text has them; the paper uses all three rightly.
# The expansion of $F^{011}_{011}$ should be $F_{011} + F_{111}$, as the sentence before it says; printed is $F^{011}_{011} + F^{011}_{111}$, whose first term is the left side and whose second asks for a key that α does not name.
# In $f_{k|C}$ the numerator needs key $k$ added to both α and β, as the paper says in words.
# And $S^+_{k|C}$ and $S^-_{k|C}$, read with the α and β of the condition alone, each include people who do not have key $k$; they cancel in the difference, which is all that is used.

# %% [markdown]
# (sec-corr-errors)=
# ## How large is the error?
#
# Every count is a linear functional of the table, $F = \sum_j w_j \hat A_j$, and its variance is a known function of the true shares for all these oracles; estimates stand in for the shares.
# A correlation is a ratio $\rho = F_1/F_0$ of two of them, and to first order its error is that of a single functional with weights $(w^{(1)} - \rho\,w^{(0)})/F_0$.
# That is what `Table` of the package computes; a mean has one more term for the coins that made values signs, which it bounds from above because the values are not known.
#
# With unary encoding the cells of one report are independent given the index, so the variances of cells add up.
#
# :::{prf:theorem} SUE or OUE
# :label: thm-sue-oue
# For the functional with weights $w$ on cells with shares $f$, OUE has the smaller variance if and only if
#
# $$ \frac{\sum_j w_j^2 f_j}{\sum_j w_j^2} < \frac{1}{4\cosh^2(\varepsilon/4)}. $$
#
# For a sum over $J$ cells that holds the share $F$ of the people the left side is $F/J$.
# :::
#
# :::{prf:proof}
# For one cell with share $f$, $n$ times the variance is $\frac{1}{4\sinh^2(\varepsilon/4)}$ under SUE, whatever $f$, and $\frac{1}{\sinh^2(\varepsilon/2)} + f$ under OUE.
# With $\sinh(\varepsilon/2) = 2\sinh(\varepsilon/4)\cosh(\varepsilon/4)$ the first is $\cosh^2(\varepsilon/4)/\sinh^2(\varepsilon/2)$, so the difference is $\frac{\cosh^2(\varepsilon/4) - 1}{\sinh^2(\varepsilon/2)} - f = \frac{1}{4\cosh^2(\varepsilon/4)} - f$.
# Multiply by $w_j^2$ and sum.
# :::
#
# So OUE wins for questions spread over many cells, and SUE for a few full ones; a cell that a quarter of the people share is better under SUE at every ε.
# Where half of all people have a key, the sum over the cells with that key changes sides at $\varepsilon = 4.58$ for two keys, 9.33 for four and 18.15 for eight.
#
# The sum of all cells is known: it is one.
# Shifting all cells by a constant so that they sum to one is unbiased, and mostly takes noise away.
# Under SUE, where all cells are equally noisy, the variance of a sum over $J$ of $K = 3^d$ cells is multiplied by $1 - J/K$; where one key has to be present that is a third.
# Under OUE it is nearly so as long as ε is not large; at large ε the shift can make a rare sum worse.
# The cells of k-RR sum to one already.

# %% tags=["hide-input"]


def unary_noise(make, eps, share, cells):
    """n × variance of a sum over cells that hold this share."""
    own, other = make(k=2, epsilon=eps).variance([0])[0]
    return share * (own - other) + cells * other


def turning_point(share, cells):
    from scipy.optimize import brentq

    return brentq(lambda x: unary_noise(SUE, x, share, cells) - unary_noise(OUE, x, share, cells), 0.1, 25)


points = {d: turning_point(0.5, 2 * 3 ** (d - 1)) for d in (2, 4, 8)}
print(",  ".join(f"d = {d}: ε = {x:.2f}" for d, x in points.items()))


def decided(bound, x, cells, factor):
    """Whether OUE is better at this multiple of a bound on F/J, by the oracles' exact noise."""
    share = factor * bound(x) * cells
    return unary_noise(OUE, x, share, cells) < unary_noise(SUE, x, share, cells)


def right_at(bound):
    return all(
        decided(bound, x, j, 0.99) and not decided(bound, x, j, 1.01) for x in (0.5, 1, 3, 6, 10) for j in (1, 2, 4)
    )


check(
    "SUE or OUE",
    "sides change at the bound, to one per cent, five ε, three sizes",
    right_at(lambda x: 1 / (4 * np.cosh(x / 4) ** 2)),
    control="cosh(ε/3) in its place",
    caught=not right_at(lambda x: 1 / (4 * np.cosh(x / 3) ** 2)),
)


DESIGNS = {"SUE": SUE, "OUE": OUE, "k-RR": GRR}


def shifted(make, eps, share, cells=6, total=9):
    """Variance of a sum over some of nine cells after the shift over before; the share spread evenly over the sum."""
    oracle = make(k=total, epsilon=eps)
    w = (np.arange(total) < cells).astype(float)
    f = np.where(w == 1, share / cells, (1 - share) / (total - cells))
    return f @ oracle.linear_variance(w - w.mean()) / (f @ oracle.linear_variance(w))


table(
    pd.DataFrame(
        [
            {"after / before the shift": f"{name}, share {share}"}
            | {f"ε = {x}": f"{shifted(make, x, share):.2f}" for x in (1, 2, 4, 8)}
            for name, make in DESIGNS.items()
            for share in (0.5, 0.05)
        ]
    )
)

# %% [markdown]
# ## The paper's figure
#
# Fig. 6 of the paper has Gaussian data, 2, 4 and 8 keys, $10^5$ and $10^6$ people, SUE and OUE, and averages 50 runs.
# Our text lacks the figure itself, so we do not know its range of ε (Fig. 5 has 0.05 to 10); the text does not say how keys go together, or which questions are asked.
# Our people have a hidden trait that makes all keys likelier (hidden correlation 0.3, about 0.2 between keys), values are Gaussian around a mean of their key and go with the trait, and the questions are all pairs: key $k$ given key $c$.
# Signs are drawn afresh in each run; the table of reports is drawn from its exact joint law.
# Two other designs stand beside the paper's: the index through k-RR instead of unary encoding, and pairs, where each person reports the nine states of one public pair of keys through k-RR.


# %% tags=["hide-input"] mystnb={"figure": {"caption": "Fig. 6 of the paper at its own size: mean absolute error of frequency correlation (left) and mean correlation (right) over all ordered pairs of keys, means of 50 runs, for 100,000 (upper row) and a million people (lower row). SUE and OUE as in the paper; up to ε = 1 they differ by chance or hardly. Pairs (dashed) are best for eight keys up to ε = 6, the index by k-RR (dotted) at large ε; for two keys these two are the same design. Clipped to [0, 1] or [−1, 1]; errors at the upper end mean that nothing is learned."}, "image": {"alt": "Four panels of mean absolute error against epsilon from 0.5 to 10 on log-log axes, for 2, 4 and 8 keys. Errors fall with the number of people and, up to floors, with epsilon, and rise steeply with the number of keys; means have larger errors than frequencies. For eight keys the dashed line of pairs is lowest up to epsilon 6, and the dotted line of k-RR falls below it between 6 and 10."}}
def gauss(n, d, rng):
    """People with a hidden trait: correlated keys, and Gaussian values that go with it."""
    trait = rng.normal(size=n)
    threshold = np.linspace(0.4, -0.3, d)  # keys are held by about 35 to 60 %
    held = sqrt(0.3) * trait[:, None] + sqrt(0.7) * rng.normal(size=(n, d)) > threshold
    values = np.clip(np.linspace(-0.4, 0.4, d) + 0.15 * trait[:, None] + 0.26 * rng.normal(size=(n, d)), -1, 1)
    user, key = np.nonzero(held)
    return Records(np.concatenate([[0], np.cumsum(held.sum(1))]), key, values[user, key]), held, values


def pair_truth(held, values):
    """f and m of key a given key b, for all ordered pairs: (pairs, 2)."""
    d = held.shape[1]
    both = [(held[:, a] & held[:, b], values[:, a]) for a in range(d) for b in range(d) if a != b]
    below = [held[:, b].sum() for a in range(d) for b in range(d) if a != b]
    return np.array([(x.sum() / n, v[x].mean()) for (x, v), n in zip(both, below, strict=True)])


def digits(d):
    """State of each key in each cell, (3^d, d)."""
    return np.arange(3**d)[:, None] // 3 ** np.arange(d - 1, -1, -1) % 3


@cache
def onto_pairs(d):
    """Matrix that sums the cells of a table into the nine states of each pair a < b, (3^d, 9 L)."""
    state = digits(d)
    return np.hstack([np.eye(9)[3 * state[:, a] + state[:, b]] for a in range(d) for b in range(a + 1, d)])


def both_ways(nine, d):
    """Tables of all ordered pairs from those of pairs a < b, (…, L, 9): (…, pairs, 3, 3), rows are the first key."""
    square = nine.reshape(*nine.shape[:-2], -1, 3, 3)
    place = {pair: i for i, pair in enumerate((a, b) for a in range(d) for b in range(a + 1, d))}
    ordered = [(a, b) for a in range(d) for b in range(d) if a != b]
    found = [
        square[..., place[a, b], :, :] if a < b else np.swapaxes(square[..., place[b, a], :, :], -1, -2)
        for a, b in ordered
    ]
    return np.stack(found, -3)


def pair_tables(cells, d):
    """All ordered pairs' tables of 3 × 3 from a table of all keys."""
    return both_ways((cells @ onto_pairs(d)).reshape(*cells.shape[:-1], -1, 9), d)


def correlations(tables, n):
    """f and m of the first key given the second, clipped: (…, pairs, 2)."""
    below, part = tables[..., [0, 2]].sum((-1, -2)), tables[..., [0, 2], :][..., [0, 2]].sum((-1, -2))
    signed = (tables[..., 2, :] - tables[..., 0, :])[..., [0, 2]].sum(-1)
    frequency = np.clip(part / np.maximum(below, 1 / n), 0, 1)
    return np.stack([frequency, np.clip(signed / np.maximum(part, 1 / n), -1, 1)], -1)


def asked_pairs(histogram, d, rng):
    """Histogram of the nine states of each pair a < b, when everybody draws one pair; exact law, (L, 9)."""
    state = digits(d)
    pairs = [(a, b) for a in range(d) for b in range(a + 1, d)]
    asked = rng.multinomial(histogram, np.full(len(pairs), 1 / len(pairs)))
    return [
        np.bincount(3 * state[:, a] + state[:, b], weights=asked[:, column], minlength=9).astype(np.int64)
        for column, (a, b) in enumerate(pairs)
    ]


def sampled_pairs(nines, d, eps, rng):
    """Tables of all ordered pairs from k-RR over the nine states of the pair that each person was asked about."""
    oracle = GRR(k=9, epsilon=eps)
    estimates = [oracle.estimate(oracle.simulate(nine, trials=1, rng=rng))[0] for nine in nines]
    return both_ways(np.array(estimates), d)


RUNS, BUDGETS = 50, [0.5, 1, 2, 4, 6, 8, 10]
rows = []
for n in (10**5, 10**6):
    for d in (2, 4, 8):
        records, held, values = gauss(n, d, rng)
        truth = pair_truth(held, values)
        tried = {(name, eps): [] for name in (*DESIGNS, "pairs") for eps in BUDGETS}
        drawn = IOH.of(tuple("abcdefgh"[:d]), GRR, 1.0).cells(records, trials=RUNS, rng=rng)  # signs afresh in each run
        for histogram in drawn:
            nines = asked_pairs(histogram, d, rng)
            for eps in BUDGETS:
                for name, make in DESIGNS.items():
                    oracle = make(k=3**d, epsilon=eps)
                    tried[name, eps].append(oracle.estimate(oracle.simulate(histogram, trials=1, rng=rng))[0])
                tried["pairs", eps].append(sampled_pairs(nines, d, eps, rng))
        for (name, eps), found in tried.items():
            stacked = np.stack(found)
            tables = stacked if name == "pairs" else pair_tables(norm(stacked), d)
            error = np.abs(correlations(tables, n) - truth).mean((0, 1))
            rows.append({"n": n, "d": d, "design": name, "ε": eps, "frequency": error[0], "mean": error[1]})
fig6 = pd.DataFrame(rows)
fig, axes = plt.subplots(2, 2, figsize=(6.4, 7.0), sharex=True, sharey=True)
for row, n in enumerate((10**5, 10**6)):
    for column, what in enumerate(("frequency", "mean")):
        ax = axes[row, column]
        for i, keys in enumerate((2, 4, 8)):
            for design, style_of in {
                "SUE": ("-", "o"),
                "OUE": ("-", "x"),
                "k-RR": (":", ""),
                "pairs": ("--", ""),
            }.items():
                line = fig6[(fig6["n"] == n) & (fig6["d"] == keys) & (fig6["design"] == design)]
                ax.plot(line["ε"], line[what], color=f"C{i}", linestyle=style_of[0], marker=style_of[1], markersize=4)
        ax.set(xscale="log", yscale="log", title=f"{what}, n = {n:,}")
        ax.set_xticks([0.5, 1, 2, 4, 10], ["0.5", "1", "2", "4", "10"])
        ax.minorticks_off()
axes[1, 0].set(xlabel="privacy budget ε")
axes[1, 1].set(xlabel="privacy budget ε")
axes[0, 0].set(ylabel="mean absolute error")
axes[1, 0].set(ylabel="mean absolute error")
from matplotlib.lines import Line2D

handles = [Line2D([], [], color=f"C{i}", label=f"d = {d}", linestyle="-") for i, d in enumerate((2, 4, 8))] + [
    Line2D([], [], color="black", linestyle=ls, marker=m, label=name)
    for name, (ls, m) in {"SUE": ("-", "o"), "OUE": ("-", "x"), "index by k-RR": (":", ""), "pairs": ("--", "")}.items()
]
fig.legend(handles=handles, loc="outside lower center", ncols=4)
plt.show()

# %% tags=["hide-input"]
shown = fig6[(fig6["n"] == 10**6) & fig6["ε"].isin([1, 4, 8, 10])]
table(
    pd.DataFrame(
        [
            {"frequency, n = 10⁶": f"d = {d}, ε = {x:g}"}
            | {r["design"]: f"{r['frequency']:.2g}" for _, r in part.iterrows()}
            for (d, x), part in shown.groupby(["d", "ε"])
        ]
    )
)

# %% [markdown]
# (From 50 runs an entry has a relative standard error of up to 10 % with two keys, about 4 % with four and 2 to 3 % with eight.
# With two keys k-RR and pairs are the same design, and their difference is chance.)
#
# What the paper reports shows here too: errors fall with the number of people, and a mean correlation is harder than a frequency correlation, partly because fewer people have both keys.
# They fall with ε until something else is left: for means the noise of the signs, for OUE the fair coin of the own bit, for pairs the draw of who is asked what.
# SUE wins at large ε, from about 5 with two keys and about 9 with four; at $\varepsilon = 10$ with two keys its frequencies have two to three times less error.
# Below, OUE is the better one: by nothing that 50 runs can show up to $\varepsilon = 1$, and by a factor of about 1.5 at $\varepsilon = 4$ with four and eight keys, which grows to five at 10 with eight.
#
# For questions about two of eight keys neither is the best design.
# The table has 6,561 cells; at $\varepsilon = 1$ single cells are noise even with a million people, and correlations are off by 0.1 (frequencies) and 0.3 (means) on average.
# Asking each person about one public pair of keys divides the people by 28 and the cells by 729.

# %% [markdown]
# (sec-corr-fair)=
# ## What goes with affairs?
#
# A real question, on the 6,366 readers of {ref}`ch-rr`.
# Four keys: *affair* (value: how much time, on the survey's scale), *strain* (she rates her marriage fair or worse; value: how much worse), *children* (value: how many), *faith* (religious or strongly so; value: which).
# Of readers whose marriage is strained, how many had an affair, and of the others?


# %%
people = datasets.fair()
marriage, faith = people["marriage"].to_numpy(), people["religiosity"].to_numpy()
hours, children = people["affairs_time"].to_numpy(), people["children"].to_numpy()
columns = {
    "affair": (people["affair"].to_numpy() == 1, np.clip(2 * hours / 10 - 1, -1, 1)),
    "strain": (marriage <= 3, 2 - marriage),
    "children": (children > 0, np.clip(2 * (children - 1) / 4.5 - 1, -1, 1)),
    "faith": (faith >= 3, 2 * (faith - 3) - 1),
}
NAMES = tuple(columns)
user, key = np.nonzero(np.stack([held for held, _ in columns.values()], 1))
value = np.stack([v for _, v in columns.values()], 1)[user, key]
readers = Records.from_arrays(user, key, value, n=len(people))

# %% [markdown]
# Three designs at $\varepsilon = 2$: the index of all four keys; one public pair of keys per person; and the index of the two keys that the question is about, if it is known beforehand.

# %% tags=["hide-input"]
QUESTIONS = [("strain", 1), ("strain", 0), ("faith", 1), ("faith", 0)]


def only(records, names):
    """The records with some of the keys, renumbered."""
    place = {NAMES.index(name): j for j, name in enumerate(names)}
    kept = np.isin(records.keys, list(place))
    renamed = np.array([place[k] for k in records.keys[kept]])
    return Records.from_arrays(records.users[kept], renamed, records.values[kept], n=len(records))


all_four = IOH.of(NAMES, OUE, 2.0)
truth_table = all_four.truth(readers)
whole = all_four.table(all_four.tally(all_four.perturb(readers, rng=rng))).normalised()
by_pairs = PairSampling.of(NAMES, GRR, 2.0)
collected = by_pairs.tally(by_pairs.perturb(readers, rng=rng))
focused = {}
for other in ("strain", "faith"):  # one survey each
    two = IOH.of(("affair", other), GRR, 2.0)
    focused[other] = two.table(two.tally(two.perturb(only(readers, ("affair", other)), rng=rng)))
rows, known = [], {}
for other, held in QUESTIONS:
    asked = {
        "all four keys": whole,
        "one pair per person": by_pairs.table(("affair", other), collected),
        "these two keys": focused[other],
    }
    true = truth_table.frequency("affair", {other: held}).value
    row = {"affairs, given": f"{other} = {held}", "truth": f"{100 * true:.0f} %"}
    for design, found in asked.items():
        answer = found.frequency("affair", {other: held})
        row[design] = f"{100 * answer.value:.0f} ± {196 * answer.error:.0f}" + ("" if answer.reliable else " (?)")
        known[design, other, held] = answer
    rows.append(row)
table(pd.DataFrame(rows))

# %% tags=["hide-input"]
for design in ("all four keys", "one pair per person", "these two keys"):
    one, other_one = (known[design, "strain", held] for held in (1, 0))
    difference, half = one.value - other_one.value, 1.96 * sqrt(one.error**2 + other_one.error**2)
    print(f"{design:<20} strained minus others: {100 * difference:3.0f} ± {100 * half:.0f} points")

# %% [markdown]
# Intervals are 95 %, from the reports alone; a question mark would say that the condition itself is not reliably above zero.
# The last column asks about strain and about faith in two surveys; both of the same readers would cost $\varepsilon = 4$.
# For the four keys OUE is better at this ε than SUE and k-RR (k-Subset would be a few per cent better still); for nine cells k-RR is the best.
#
# What is asked decides what can be answered.
# Errors fall like $1/\sqrt n$, so it is easy to say how many readers each design would need to know the difference between strained and other marriages to within ten points:

# %% tags=["hide-input"]
needed = {}
for name, found in {
    "all four keys": all_four.truth(readers).normalised(),
    "one pair per person": by_pairs.truth(("affair", "strain"), readers),
    "these two keys": IOH.of(("affair", "strain"), GRR, 2.0).truth(only(readers, ("affair", "strain"))),
}.items():
    errors = [found.frequency("affair", {"strain": held}).error for held in (1, 0)]
    needed[name] = len(people) * (1.96 * sqrt(errors[0] ** 2 + errors[1] ** 2) / 0.10) ** 2
    print(f"{name:<20} {needed[name]:>9,.0f} readers")

# %% [markdown]
# (The two shares are taken as independent; their correlation is a few per cent at most.)
#
# Do the intervals cover as often as they say?
# A thousand surveys with real reports of the third design, and of the second; in the one survey above, some intervals of the second miss the truth.


# %% tags=["hide-input"]
def covers(rng):
    two = IOH.of(("affair", "strain"), GRR, 2.0)
    found = two.table(two.tally(two.perturb(pair_records, rng=rng)))
    answers = [found.frequency("affair", {"strain": 1}), found.mean("strain", {"affair": 1})]
    off = [abs(a.value - t) / a.error for a, t in zip(answers, exact, strict=True)]
    alone = found.count({"affair": 1, "strain": 1}).error / found.count({"strain": 1}).value  # denominator as known
    pair = by_pairs.table(("affair", "strain"), by_pairs.tally(by_pairs.perturb(readers, rng=rng)))
    asked = pair.frequency("affair", {"strain": 1})
    return {
        "frequency": off[0] <= 1.96,
        "mean": off[1] <= 1.96,
        "pairs": abs(asked.value - exact[0]) <= 1.96 * asked.error,
        "known": abs(answers[0].value - exact[0]) <= 1.96 * alone,
    }


pair_records = only(readers, ("affair", "strain"))
reference = IOH.of(("affair", "strain"), GRR, 2.0).truth(pair_records)
exact = [reference.frequency("affair", {"strain": 1}).value, reference.mean("strain", {"affair": 1}).value]
coverage = sweep(covers, rng=rng, trials=1000)[["frequency", "mean", "pairs", "known"]].mean()
print(", ".join(f"{name} {share:.1%}" for name, share in coverage.items() if name != "known"))
check(
    "Coverage",
    "95 % intervals, two keys and pairs, 1,000 surveys: 91 to 99 %",
    all(abs(coverage[name] - 0.95) < 0.042 for name in ("frequency", "mean", "pairs")),  # six standard errors of 0.0069
    control=f"the denominator taken as known: too wide, {coverage['known']:.1%}",
    caught=coverage["known"] > coverage["frequency"] + 0.015,
)

# %% [markdown]
# (sec-corr-post)=
# ## Negative counts
#
# Estimated cells may be negative, and it is tempting to project the table before asking.
# Projection trades noise for bias.
# Where the table is nothing but noise it helps; where it is not, what is cut off thousands of nearly empty cells adds up in every question in proportion to their number, while their noise adds up only like its root.
# On the marginal of the keys that a question is about it does no harm at either ε.

# %% tags=["hide-input"]
records8, held8, values8 = gauss(10**6, 8, rng)
truth8 = pair_truth(held8, values8)
histogram = np.bincount(encode(records8, 8, rng), minlength=3**8)
rows, found8 = {}, {}
for eps in (1.0, 4.0):
    oracle = OUE(k=3**8, epsilon=eps)
    estimates = oracle.estimate(oracle.simulate(histogram, trials=20, rng=rng))
    pairwise = pair_tables(norm(estimates), 8)
    for name, tables in {
        "shifted to sum to one": pairwise,
        "full table projected": pair_tables(norm_sub(estimates), 8),
        "each pair's table projected": norm_sub(pairwise.reshape(20, -1, 9)).reshape(20, -1, 3, 3),
    }.items():
        error8 = np.abs(correlations(tables, 10**6) - truth8).mean((0, 1))
        found8[name, eps] = error8
        rows.setdefault(name, {"eight keys, n = 10⁶, OUE": name})
        rows[name] |= {f"frequency, ε = {eps:g}": f"{error8[0]:.3f}", f"mean, ε = {eps:g}": f"{error8[1]:.3f}"}
table(pd.DataFrame(rows.values()))

# %% tags=["hide-input"]
check(
    "Projection",
    "ε = 4: the full table projected is over 1.5 times worse; the pairs' tables within 2 %",
    bool((found8["full table projected", 4.0] > 1.5 * found8["shifted to sum to one", 4.0]).all())
    and bool((found8["each pair's table projected", 4.0] < 1.02 * found8["shifted to sum to one", 4.0]).all()),
    control="ε = 1, where projection helps",
    caught=bool((found8["full table projected", 1.0] < found8["shifted to sum to one", 1.0]).all()),
)

# %% [markdown]
# (sec-corr-differs)=
# ## Where the paper errs
#
# The paper's construction is right, and its example $I(101) = \{3, 5, 21, 23\}$ too.
# Of the three formulas named in {ref}`sec-corr-queries`, the numerator of $f_{k|C}$ is put right by the paper's own words; the other two follow.
# All may be damage or slips, since the paper uses them correctly.
#
# :::{admonition} An expansion that contains itself
# :class: warning
# *Printed* (§3.2): $F^{011}_{011} = F^{011}_{011} + F^{011}_{111}$.
# *Right*: $F^{011}_{011} = F_{011} + F_{111}$, with all keys named on the right.
# :::
#
# :::{admonition} S⁺ counts too many
# :class: warning
# *Printed* (§3.3): $S^+_{k|C}$ is the sum over γ with $\gamma\wedge\alpha = \beta$, with a case for $\gamma_k = 0$.
# *Right*: over those with $\gamma_k = 1$, as if the condition named $k$; otherwise people without $k$ are in it, and in $S^-$ as well.
# :::
#
# That OUE is better than SUE (§4.3) is an observation on the paper's own data, which we do not have; it does not hold in general ({prf:ref}`thm-sue-oue`).
#
# (sec-corr-wrong)=
# ## What can go wrong
#
# - *A condition nobody meets.* $F_0$ near zero makes any ratio possible. `Answer.reliable` says so.
# - *Two answers from one table* have errors that go together; the variance of their difference is not quite the sum of their variances.
# - *The order of digits* is part of the protocol: a collector who reads them from the other end gets plausible numbers for the wrong keys.
# - *Conditions on values.* The table knows signs, not values: "those with severe fever" is not among its questions.
# - *Looking until something is found.* Eight keys have 56 ordered pairs; at 95 % about three of them stand out by chance.
#
# (sec-corr-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: how many questions
# How many different counts $F^\alpha_\beta$ can be asked of a table of $d$ keys?
# How many vectors γ does the paper's expansion visit for one of them?
# :::
#
# :::{dropdown} Solution
# Each key is unnamed, present or absent: $3^d$ counts.
# An unnamed key doubles the number of γ, so $2^{d-|\alpha|}$, and their index sets together have at most $3^d$ members.
# Only $2^d$ of the counts are needed for the rest, because absent is any minus present.
# :::
#
# :::{admonition} Exercise 2: two keys, half of the people
# For two keys, one held by half of the people, the count of its holders changes sides between SUE and OUE at $\varepsilon = 4.58$.
# Where does it after the table was shifted to sum to one?
# :::
#
# :::{dropdown} Solution
# The shifted sum has weights $\frac13$ on the six cells with the key and $-\frac23$ on the three without.
# So $\sum w^2 f/\sum w^2 = (\frac19\cdot\frac12 + \frac49\cdot\frac12)/(6\cdot\frac19 + 3\cdot\frac49) = \frac{5}{36}$, and $\cosh(\varepsilon/4) = \sqrt{9/5}$.
# :::

# %% tags=["hide-input"]
print(f"4 arcosh √3 = {4 * np.arccosh(sqrt(3)):.2f},  4 arcosh √(9/5) = {4 * np.arccosh(sqrt(9 / 5)):.2f}")

# %% [markdown]
# :::{admonition} Exercise 3: one bit
# How long is a report of eight keys with OUE, with k-RR, and with one-bit Hadamard, and what is the noise of a cell at $\varepsilon = 1$?
# :::
#
# :::{dropdown} Solution
# 6,561 bits, 13 bits, and one private bit with 13 public ones; the next cell prints the noise.
# One bit has $1/n$ more variance than OUE in an empty cell: little at small ε, but at $\varepsilon = 2$ already more than twice as much.
# :::

# %% tags=["hide-input"]
for name, make in {"OUE": OUE, "k-RR": GRR, "one-bit Hadamard": HadamardBit}.items():
    oracle = make(k=3**8, epsilon=1.0)
    print(
        f"{name:<17} {oracle.report_bits:>5,} private bits, n × variance of a cell {oracle.variance([0])[0, 1]:10,.2f}"
    )

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | {prf:ref}`thm-ioh`: the whole record is protected | law of the code; = the package |
# | queries by contraction | the paper's enumeration, 27 conditions |
# | errors of ratios | 1,000 surveys with real reports |
# | {prf:ref}`thm-sue-oue`: SUE or OUE | proof; exact noise |
# | Fig. 6 | 50 runs of every point at full size |
