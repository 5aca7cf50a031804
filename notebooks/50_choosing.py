# %% [markdown]
# (ch-choosing)=
# # Choosing a mechanism
#
# :::{admonition} In one minute
# Most of the choice is made by the question: what a person holds, and what is to be estimated.
# For every question a handful of mechanisms is left, and their errors are closed forms; so a function can rank them, with the length of a report and what the server has to do.
#
# The best few are often nearer to each other than sampling could show, and a wrong one costs ten or a hundred times as many people.
# So look at the error first, and then, among all that are within a few per cent of the least, at the report, at the server and at whether there is a list.
# Which mechanism that is changes with ε and with the size of the domain; the maps of this chapter show where.
#
# The ranking is checked with real clients on a grid of questions, and there is {ref}`a page to play with <play>` that needs no Python.
# :::
#
# :::{zh}
# 本章讨论机制的选择：给定任务、人数 $n$、值域大小、每人所持的项数、预算 $\varepsilon$ 与报告的长度，由各机制自身的闭式误差得到排序，并逐一说明其余机制不入选的理由。
# 每人持有单个取值且值域较大时，k-Subset 的误差最小，区组设计、OUE、OLH 与 Wheel 在常用的 $\varepsilon$ 下与之相差甚微，而区组设计的报告短得多；真正决定取舍的是报告的长度、服务器的工作量，以及用户端是否须知道列表。
# 每人持有一个集合时差别很大：就整个集合作答的 PrivSet 往往最优，而抽取一项、再当作单个取值扰动（RAPPOR、S-Hist），在 $\varepsilon=1$、从一千项中至多持有八项时，须有八至九倍的用户才能达到同样的误差。
# 对多个属性，宜公开抽取一个属性，再用单个取值的最优机制作答；对属性对亦然，但取值少或 $\varepsilon$ 大时，宜对公开抽取的属性块作 k-RR。
# 排序由真实的用户端在一组问题上验证，凡超出抽样波动的先后均与预测一致；有持有者的情形另由精确的概率律核对。
# 误差并不说明一切：Norm-Sub 未使所比较的七种机制的次序发生显著颠倒，但缩小了差距；至多 $\sqrt n$ 个说谎者就能使估计偏移一个标准误差。
# 本章不涉及五篇论文的新论断；图中 k-RR 适于较大的 $\varepsilon$，与频率预言机一章对综述（叶青青等）的更正一致。
# :::
#
# You will meet one call that answers, maps of who is best, a simulation that tries to prove them wrong, what the error does not tell (servers, lists, repairs, liars, what ε covers), a table for readers in a hurry, and four questions answered.
# You need no other chapter; {ref}`a table <sec-choosing-where>` leads to those where the mechanisms are explained.

# %% tags=["hide-input"]
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from bisect import bisect_left
from dataclasses import replace
from functools import cache, reduce
from itertools import combinations
from math import exp, log, log10, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import t as student

from ldpnb import (
    GRR,
    IOH,
    OLH,
    OUE,
    SUE,
    BlockDesign,
    Blocks,
    HadamardBit,
    HadamardResponse,
    Records,
    SubsetSelection,
    least_distortion,
    moments,
    norm_sub,
)
from ldpnb.book import COLOURS, check, dots, style, table
from ldpnb.keyvalue import OpenSets
from ldpnb.serve import choose

style()
SEED = 1785  # the year of a book on votes that do not add up to a choice
rng = np.random.default_rng(SEED)

# %% [markdown]
# (sec-choosing-know)=
# ## What has to be known
#
# | symbol | meaning | in code |
# |---|---|---|
# | $n$ | number of people | `n` |
# | ε | budget of all that a person sends | `epsilon` |
# | $k$ | number of items, or of the values of an attribute | `k` |
# | $d$ | number of items of sets, of keys, of numbers or of attributes | `d` |
# | $m$ | items or keys a person holds, at most | `m` |
# | $f$ | share of the people who hold what is asked for | `share` |
#
# And what is wanted: shares of items, a mean, the table of two attributes.
# In `ldpnb.serve.choose` each kind of question has a class of its own, and `rank` answers it.
# A hundred thousand people hold one of a thousand items each; which mechanism, at $\varepsilon = 1$?

# %%
answer = choose.Item(n=100_000, epsilon=1.0, k=1000).rank()
print(answer[0].mechanism)

# %% [markdown]
# The first choice is a mechanism that can be used at once, `answer[0].mechanism.perturb(…)`.
# The others follow by their errors.


# %% tags=["hide-input"]
def points(x):
    """A share in percentage points, three digits."""
    return f"{100 * x:.3g}"


def board(choices, unit=points, head="standard error, points"):
    """Those that can be used, as a table."""
    fit = [c for c in choices if not c.excluded]
    return table(
        pd.DataFrame(
            [
                {
                    "mechanism": c.name,
                    head: unit(c.error),
                    "people for the same error": f"{(c.error / fit[0].error) ** 2:,.2f}×",
                    "bits, private + public": f"{c.private_bits:,} + {c.public_bits}",
                    "the server works a": c.server,
                    "what it is": c.why,
                }
                for c in fit
            ]
        )
    )


board(answer)

# %% [markdown]
# The *error* is the standard error of an unbiased estimate.
# No formula for it is written down in `ldpnb.serve.choose`: it is read off the mechanism's own `variance`, which the chapters prove and check.
# What it is an error *of* has to be said, since a mechanism may be best for one thing and not for another:
#
# | question | the error of | for the people who |
# |---|---|---|
# | `Item`, `Sets`, `Frequent` | the share of an item that a share $f$ hold; $f = 0$, a rare item, if nothing is said | hold it or not; sets are padded to $m$ |
# | `OneNumber`, `Vector` | a mean | have the worst numbers there are |
# | `Distribution` | the share of a range of cells of a number, a mean over all ranges | are spread evenly over the cells |
# | `Pairs` | the share of a key's holders, and share times mean value, together | hold values that scatter most, with mean 0 |
# | `Correlation` | the share who hold both of two keys | hold both or none |
# | `Marginals` | the share of one value of one attribute | have it or not |
# | `Crosstabs` | the share of a cell of the table of two attributes | are in it or not |
#
# "People for the same error" is the square of the ratio of errors, since errors fall with $\sqrt n$.
# In the table the first five are the same for all purposes: their errors differ by less than one per cent.
# k-RR is the one mistake that can be made here, and it costs ninety-two times as many people.
#
# A report has a *private* part, which ε protects, and a *public* one: a seed, a row, a cohort.
# Both have to be sent, unless the public part can be derived from something that the server knows anyway, the number of an account perhaps (then say `public_free=True`).
# Whoever has room for fewer bits says `bits`, and sets are made small enough for it.
# "The server works a report" means that it looks up a cell for each report and computes once at the end; "report and item" that it does something for each report *and* each item.
#
# All other mechanisms of this book that somebody might think of are in the answer too, with what speaks against them.

# %% tags=["hide-input"]
table(pd.DataFrame([{"excluded": c.name, "why": c.why} for c in answer if c.excluded]))

# %% [markdown]
# (sec-choosing-where)=
# ### Where they are explained
#
# | chapter | mechanisms |
# |---|---|
# | {ref}`ch-frequency` | k-RR, k-Subset, OUE, SUE, OLH |
# | {ref}`ch-onebit` | Hadamard bit, Hadamard response, S-Hist, PCE, Harmony for attributes |
# | {ref}`ch-rappor` | RAPPOR, O-RR, RAPPOR-Unknown |
# | {ref}`ch-means` | two points, Hybrid, Piecewise, Laplace, Harmony for numbers, MeanEst |
# | {ref}`ch-distortion` | channels of your own |
# | {py:class}`~ldpnb.oracles.designs.BlockDesign`, {py:class}`~ldpnb.numbers.ranges.Hierarchy` | block design, hierarchy |
# | {ref}`ch-keyvalue`, {ref}`ch-wheel` | SE, PrivKV; PCKV-GRR, PCKV-UE, the wheel, Wheel-KV |
# | {ref}`ch-correlation` | IOH and pairs of keys |
# | {ref}`ch-items`, {ref}`ch-gfim` | sampled k-RR, S-Hist and RAPPOR, PrivSet; LDPMiner, GFIM |
# | {ref}`ch-joint`, {ref}`ch-publish` | bit flips, Bloom filters; blocks of attributes |
#
# (sec-choosing-maps)=
# ## Maps
#
# ### One item
#
# {numref}`fig-choosing-item` asks the same for 2 to 4,096 items and ε from 0.1 to 10, and draws who comes first.

# %% tags=["hide-input"]
BUDGETS = np.geomspace(0.1, 10, 21)


def ranked(kind, name, values, **rest):
    """Rank a question on a grid of one argument and ε."""
    values = np.unique(np.round(values).astype(int)).tolist()
    return {(x, e): kind(n=1, epsilon=e, **{name: x}, **rest).rank() for x in values for e in BUDGETS.tolist()}


def sent(choice):
    """Bits of a report."""
    return choice.private_bits + choice.public_bits


def leader(choices, fits=lambda choice: True, slack=1.0):
    """Of the choices that fit, the shortest report whose error is within `slack` of the least."""
    fit = [c for c in choices if not c.excluded and fits(c)]
    return min((c for c in fit if c.error <= slack * fit[0].error), key=sent).name


def longest(cells):
    """Length and middle of the longest run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], cells, [0]])))
    starts, ends = edges[::2], edges[1::2]
    best = np.argmax(ends - starts) if len(starts) else None
    return (0, 0.0) if best is None else (ends[best] - starts[best], (starts[best] + ends[best] - 1) / 2)


def draw_map(ax, names, colour, title, label):
    """Colour a grid by who leads, draw the borders, and write the names in."""
    xs, es = (sorted({key[i] for key in names}) for i in (0, 1))
    grid = np.array([[names[x, e] for e in es] for x in xs])
    for name in dict.fromkeys(grid.ravel()):
        colour.setdefault(name, COLOURS[len(colour)])
    tint = np.array([[int(colour[name][i : i + 2], 16) for i in (1, 3, 5)] for name in grid.ravel()])
    ax.imshow((255 - (255 - tint) * 0.4).astype(np.uint8).reshape(*grid.shape, 3), aspect="auto", origin="lower")
    border = {"color": "black", "linewidth": 0.7, "linestyle": "-", "marker": ""}
    for row, column in np.argwhere(grid[:, 1:] != grid[:, :-1]):
        ax.plot([column + 0.5] * 2, [row - 0.5, row + 0.5], **border)
    for row, column in np.argwhere(grid[1:] != grid[:-1]):
        ax.plot([column - 0.5, column + 0.5], [row + 0.5] * 2, **border)
    for name in dict.fromkeys(grid.ravel()):
        length, middle = np.array([longest(row == name) for row in grid]).T
        roomy = np.flatnonzero(length >= 0.9 * length.max())
        row = roomy[len(roomy) // 2]
        narrow = length.max() < 0.55 * len(name)  # a letter takes about half a column
        margin = 0.29 * max(map(len, name.split() if narrow else [name]))
        column = min(max(middle[row], margin), len(es) - 1 - margin)
        words = name.replace(" ", "\n", 1) if narrow else name
        ax.text(column, row, words, ha="center", va="center", fontsize=9, linespacing=1)
    ticks = [
        x
        for x in (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)
        if xs[0] <= x <= xs[-1] and (xs[-1] < 500 or log10(x) % 1 == 0)
    ]
    ax.set_yticks(np.interp(np.log(ticks), np.log(xs), range(len(xs))), [f"{x:,}" for x in ticks])
    marks = [0.1, 0.3, 1, 3, 10]
    ax.set_xticks(np.interp(np.log(marks), np.log(es), range(len(es))), [f"{x:g}" for x in marks])
    ax.set(title=title, ylabel=label)
    ax.grid(visible=False)


VIEWS = {
    "any report": {},
    "at most 64 bits": {},  # of mechanisms whose parameters are made to fit
    "the server looks up a cell": {"fits": lambda c: c.server == "report"},
    "shortest within 5 % of the least": {"slack": 1.05},
}


def four_views(label, *question, **rest):
    """Draw a map for each view."""
    found, short = ranked(*question, **rest), ranked(*question, bits=64, **rest)
    fig, axes = plt.subplots(2, 2, figsize=(6.4, 6.6), sharex=True, sharey=True)
    colour = {}
    for i, (title, view) in enumerate(VIEWS.items()):
        grid = short if "64" in title else found
        names = {key: leader(choices, **view) for key, choices in grid.items()}
        draw_map(axes.flat[i], names, colour, title, "" if i % 2 else label)
    fig.supxlabel("privacy budget ε", fontsize=12)
    plt.show()
    return found


# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-choosing-item", "caption": "One item of k: the mechanism with the least error for a rare item, against ε and k. Upper left, of all; upper right, with at most 64 bits for a report and its public part; lower left, of those whose server looks up a cell for each report; lower right, the shortest report among all whose error is at most 5 % above the least. k-RR is for few items or a large ε. Elsewhere it is k-Subset, or a block design, whose report is short and whose server looks up a cell: nearly as good, and just as good where the items are all points of a geometry, as 13 are.", "width": "100%"}, "image": {"alt": "Four maps over epsilon from 0.1 to 10 and 2 to 4,096 items. In all of them k-RR fills the lower right. Above it lies k-Subset in the first; k-Subset and then, above 70 items or more, block design in the second; block design alone in the third; block design in the fourth, with k-Subset along the border and a strip of the Hadamards near epsilon 0.5."}}
one_item = four_views("items k", choose.Item, "k", np.geomspace(2, 4096, 17))

# %% [markdown]
# By error alone it is k-Subset or k-RR, which is k-Subset with sets of one item.
# (k-Subset takes the sets with the least *total* error ({ref}`sec-freq-limit`); near the border sets of one would be better for a rare item, by no more than a line below says.)
# But for many items a block design, OUE, OLH and the wheel for one item are nearly as good, as the table below says for a thousand, so that the first map is a map of hairs.
# The other three are about what else counts.
#
# With 64 bits, or a server that must not try every item, it is a block design or k-RR; 64 bits are enough for k-Subset where the sets of items are few.
# OLH would have a short report but for its seed of 93 bits.

# %% tags=["hide-input"]
thousand, FOUR = choose.Item(n=1, epsilon=1.0, k=1000), (0.5, 1.0, 2.0, 4.0)


@cache
def errors(question):
    """The error of every mechanism."""
    return {c.name: c.error for c in question.rank()}


def crossing(question, one, other, low=0.05, high=12.0):
    """The ε at which two mechanisms have one error."""

    def gap(eps):
        found = errors(replace(question, epsilon=eps))
        return log(found[one] / found[other])

    return brentq(gap, low, high, xtol=1e-6)


def behind(question, one, other):
    """By how many per cent the error of one is above that of the other."""
    return 100 * (errors(question)[one] / errors(question)[other] - 1)


EXPECTED = {
    ("k-RR", "OUE"): log(998 / 3),
    ("k-RR", "Hadamard bit"): brentq(lambda x: exp(2 * x) + exp(x) + 3 - 1000, 0.1, 9),
}
met = {pair: crossing(thousand, *pair) for pair in EXPECTED}
check(
    "Crossings",
    "1,000 items: " + ", ".join(f"{a} meets {b} at ε = {met[a, b]:.3f}" for a, b in EXPECTED),
    all(abs(met[pair] - EXPECTED[pair]) < 1e-5 for pair in EXPECTED),
    control="1,024 items",
    caught=all(abs(crossing(replace(thousand, k=1024), *pair) - EXPECTED[pair]) > 1e-3 for pair in EXPECTED),
)
near_border = max(
    errors(q)["k-Subset"] / errors(q)["k-RR"] for q in (choose.Item(n=1, epsilon=e, k=k) for k, e in one_item)
)
print(f"on the grid the error of k-Subset is above that of k-RR by at most {100 * (near_border - 1):.0f} %")
table(
    pd.DataFrame(
        [
            {"1,000 items: error above k-Subset's": name}
            | {f"ε = {eps:g}": f"{behind(replace(thousand, epsilon=eps), name, 'k-Subset'):,.1f} %" for eps in FOUR}
            for name in ("block design", "OUE", "OLH", "wheel", "SUE", "Hadamard bit", "k-RR")
        ]
    )
)

# %% [markdown]
# The first crossing is {prf:ref}`thm-crossover`, $\ln\frac{k-2}3$; the second is where $e^\varepsilon + k - 2 = (e^\varepsilon+1)^2$.
# Up to that ε, one private bit is better than a whole item.
# So k-RR is for the larger ε, as {ref}`sec-freq-cross` has it against the survey's sentence on RAPPOR and k-RR.
#
# ### Sets
#
# {numref}`fig-choosing-sets` is for people who hold up to $m$ of a thousand items.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-choosing-sets", "caption": "Up to m of 1,000 items: the mechanism with the least error for a rare item, in the four views of the figure before. PrivSet leads until, at a large ε, its best report has one item, and then it is sampled k-RR. With 64 bits PrivSet takes smaller sets and still leads, but for one-bit reports (S-Hist) where m and ε are small; where the server looks up a cell, it is S-Hist for small m and naming one item for larger m.", "width": "100%"}, "image": {"alt": "Four maps over epsilon from 0.1 to 10 and 1 to 200 items a person. PrivSet fills the first but for the upper right, where sampled k-RR leads. With few bits PrivSet fills as much but for sampled S-Hist below five items at small epsilon; with a server that looks up a cell S-Hist leads at the lower left and sampled k-RR elsewhere. In the last the wheel has a part at the bottom."}}
_ = four_views("items a person m, of 1,000", choose.Sets, "m", np.geomspace(1, 200, 13), d=1000)

# %% tags=["hide-input"]
eight = choose.Sets(n=100_000, epsilon=1.0, d=1000, m=8)
board(eight.rank())

# %% [markdown]
# Here the mistakes are not small.
# To draw one of eight items and to hide it as if it were all that somebody has (RAPPOR, S-Hist) costs eight or nine times as many people as PrivSet, which speaks about the whole set ({ref}`sec-items-compare`).
# For a server that looks up a cell the better of two is left, and it depends on $m$ which.
#
# For the most frequent items, `Frequent` ranks the same mechanisms.
# GFIM and LDPMiner, which look for candidates first, have a closed form only for a list that is fixed beforehand; whether the right items come onto the list has none, so they are listed with that error and not ranked ({ref}`sec-gfim-all` compares them by simulation).

# %% tags=["hide-input"]
frequent = choose.Frequent(n=100_000, epsilon=1.0, d=1000, m=8, candidates=4).rank()
table(
    pd.DataFrame(
        [
            {
                "mechanism": c.name,
                "standard error, points": points(c.error),
                "not ranked because": c.why if c.excluded else "",
            }
            for c in frequent
        ]
    )
)

# %% [markdown]
# ### One number
#
# The error of the mean of one number between −1 and 1, for the worst numbers, times $\sqrt n$:

# %% tags=["hide-input"]
one_number = {eps: choose.OneNumber(n=1, epsilon=eps).rank() for eps in FOUR}


def least_error(eps):
    """A bound on the worst error of any unbiased mechanism for 17 numbers and 65 scores."""
    numbers, scores = np.linspace(-1, 1, 17), np.linspace(-1.6, 1.6, 65) * (exp(eps) + 1) / (exp(eps) - 1)
    return sqrt(least_distortion(np.square(scores - numbers[:, None]), eps, unbiased=(numbers, scores)).bound)


table(
    pd.DataFrame(
        [
            {"error × √n": name}
            | {
                f"ε = {eps:g}": next(f"{c.error:.3f}" for c in choices if c.name == name)
                for eps, choices in one_number.items()
            }
            for name in (c.name for c in one_number[1.0])
        ]
        + [{"error × √n": "least of any, on a grid"} | {f"ε = {eps:g}": f"{least_error(eps):.3f}" for eps in FOUR}]
    )
)

# %% [markdown]
# Piecewise and Hybrid have the best widths of their windows here.
# At $\varepsilon = 0.5$ Hybrid *is* one bit; in the other columns it is the best of the four.
# The last row is the bound of {ref}`sec-means-limit`, found by linear programming: no mechanism for 17 numbers and scores on a grid has less.
#
# ### Several numbers, keys, attributes
#
# {numref}`fig-choosing-others` has four more questions, and the table after it the ε at which leaders change.

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-choosing-others", "caption": "The mechanism with the least error for four more questions. Several numbers: Harmony, but for few numbers and a large ε. Keys with values, up to eight a person: the wheel for many keys, naming a pair at a large ε, and one public key where there are few keys. Ranges of a number in k cells: a hierarchy, but for few cells or a large ε, where cells are asked about as items. Eight attributes with k values each, two by two: one pair drawn in public, or blocks for few values or a large ε.", "width": "100%"}, "image": {"alt": "Four maps over epsilon from 0.1 to 10. Several numbers: Harmony nearly everywhere, MeanEst and sampled Hybrid at the lower right. Keys: Wheel-KV upper left, PCKV-GRR right, SE below twenty keys. Ranges: hierarchy but for the corner of few cells and small epsilon, where it is k-Subset, and large epsilon, where it is k-RR. Attributes two by two: one pair upper left, blocks lower right."}}
PANELS = {
    "several numbers": (choose.Vector, "d", np.geomspace(2, 50, 10), {}, "numbers d"),
    "keys with values, m = 8": (choose.Pairs, "d", np.geomspace(8, 10**4, 12), {"m": 8, "share": 0.0}, "keys d"),
    "ranges of a number": (choose.Distribution, "k", 2 ** np.arange(2, 8), {}, "cells k"),
    "8 attributes, two by two": (choose.Crosstabs, "k", np.geomspace(2, 40, 9), {"d": 8}, "values of each k"),
}
fig, axes = plt.subplots(2, 2, figsize=(6.4, 6.6), sharex=True)
for ax, (title, (kind, name, values, rest, label)) in zip(axes.flat, PANELS.items(), strict=True):
    found = {key: leader(choices).split(", ")[0] for key, choices in ranked(kind, name, values, **rest).items()}
    draw_map(ax, found, {}, title, label)
fig.supxlabel("privacy budget ε", fontsize=12)
plt.show()

# %% tags=["hide-input"]
PAIRED = [
    ("1,000 items", thousand, "k-RR", "block design"),
    ("sets of 8 of 1,000 items", replace(eight, n=1), "sampled k-RR", "sampled S-Hist"),
    ("8 of 1,000 keys", choose.Pairs(n=1, epsilon=1.0, d=1000, m=8, share=0.0), "PCKV-GRR", "Wheel-KV"),
    ("ranges of a number in 64 cells", choose.Distribution(n=1, epsilon=1.0, k=64), "k-RR", "hierarchy"),
]
table(
    pd.DataFrame(
        [
            {"question": what, "better": one, "than": other, "from ε": f"{crossing(asked, one, other):.2f}"}
            for what, asked, one, other in PAIRED
        ]
    )
)

# %% [markdown]
# Ranges are those of {py:class}`~ldpnb.numbers.ranges.Hierarchy`: each person is asked about a block of cells of a public width, and the answers of all widths are put together by least squares {cite:p}`cormode2019range,hay2010consistency`.
# Its tally has intervals of all shares and quantiles; for smooth shapes, without intervals, there is the likelihood of one number's reports {cite:p}`li2020numerical`, {py:func}`~ldpnb.numbers.ranges.density`.
#
# Two of these were news to us.
#
# *Attributes drawn in public.*
# Harmony draws an attribute in public and spends a bit on it; a block of two sends their joint value by k-RR, which is bad for many values.
# Whoever draws an attribute, or a pair, may ask about it by any oracle for one item, with all of ε, and count each answer as often as there are attributes, or pairs.
# `DrawnAttributes` is that, with the oracle that `Item` puts first.
# The first table below has what the better of Harmony and blocks costs instead: up to thirty-three times as many people for single attributes, and never fewer.
# For pairs, blocks stay ahead where their best size is above two, for a block of three speaks of three pairs.
#
# *How keys go together.*
# To know how often two keys occur together, everybody can be asked about one public pair of keys, or about all keys at once (IOH).
# With more than two keys one public pair is better, or as good where OUE reports about three keys, as the last table says.
# IOH is for questions about three keys and more, which pairs cannot answer.

# %% tags=["hide-input"]
DRAWN = {
    (kind, k): kind(n=1, epsilon=1.0, d=8, k=k) for kind in (choose.Marginals, choose.Crosstabs) for k in (2, 4, 10, 40)
}


def drawn(question):
    """The answer by what is drawn in public, and how many times as many people the better of the two others needs."""
    choices = question.rank()
    one = next(c for c in choices if c.name.startswith("one "))
    first = next(c for c in choices if c is not one and not c.excluded)
    return one, (first.error / one.error) ** 2


table(
    pd.DataFrame(
        [
            {
                "8 attributes, people, Harmony or blocks ÷ drawn in public": f"{'one by one' if asked.attributes == 1 else 'two by two'}, k = {k}"
            }
            | {
                f"ε = {eps:g}": f"{price:.2f} ({one.name.split(', ')[1]})"
                for eps in FOUR
                for one, price in (drawn(replace(asked, epsilon=eps)),)
            }
            for (_, k), asked in DRAWN.items()
        ]
    )
)

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {"people, IOH ÷ pairs": f"d = {d}"}
            | {
                f"{name}, ε = {eps:g}": f"{(found[f'IOH, {name}'] / found[f'pairs, {name}']) ** 2:,.2f}"
                for eps in (0.5, 2.0)
                for found in (errors(choose.Correlation(n=1, epsilon=eps, d=d)),)
                for name in ("k-RR", "k-Subset", "OUE")
            }
            for d in (2, 3, 4, 6)
        ]
    )
)

# %% [markdown]
# (sec-choosing-simulated)=
# ## Does the advice hold?
#
# A closed form may be right and its ranking useless, if a mechanism's reports do not do what its formula says.
# So all mechanisms that can be used are run, with their real clients, on a grid of questions: people who do *not* hold what is asked for report, and what is estimated should be 0.
# (For numbers all are at the worst place of the range, for each mechanism its own.)
# People who do hold it come after that, in exact laws.
# From the squares of the estimates comes a measured error, with the scatter of the surveys as its uncertainty.
#
# Two things are checked.
# Measured and predicted squares agree; and for every two mechanisms of a question whose predicted difference is larger than what sampling can blur, the measured order is the predicted one.
# The bound in both is a quantile of Student's distribution, so that a false alarm in all comparisons together has a probability below $10^{-6}$, as far as means of some hundred squares and more are normal.
# The control predicts the order from another ε.

# %% tags=["hide-input"]
RUNS, ALARM = 40, 1e-6
HELD, ANY = np.array([1.0, 0.0, 1.0]), np.ones(3)
GRID = [
    *(choose.Item(n=100, epsilon=e, k=k) for k in (8, 128) for e in FOUR),
    *(choose.Sets(n=100, epsilon=e, d=100, m=m) for m in (2, 20) for e in FOUR),
    *(choose.OneNumber(n=1, epsilon=e) for e in one_number),
    *(choose.Vector(n=100, epsilon=e, d=d) for d in (2, 9) for e in (0.5, 2.0, 6.0)),
    *(choose.Distribution(n=128, epsilon=e, k=k) for k in (8, 64) for e in FOUR),
    *(choose.Pairs(n=100, epsilon=e, d=d, m=4, share=0.0) for d in (8, 100) for e in FOUR),
    *(choose.Correlation(n=100, epsilon=e, d=3) for e in (0.5, 2.0)),
    *(choose.Marginals(n=500, epsilon=e, d=4, k=k) for k in (2, 8) for e in FOUR),
    *(choose.Crosstabs(n=500, epsilon=e, d=4, k=k) for k in (2, 4) for e in FOUR),
]


def worst_place(question, mechanism):
    """Where numbers have the largest error: n equal people, all their numbers there."""
    tried, d = np.linspace(-1, 1, 129), getattr(question, "d", None)
    return tried[np.argmax(mechanism.variance(tried if d is None else np.repeat(tried[:, None], d, 1))[:, 0])]


def people_without(question, mechanism, n):
    """People who do not hold what is asked for, all alike; of numbers, the worst."""
    if isinstance(question, choose.OneNumber | choose.Vector):
        return np.full((n, *([question.d] if hasattr(question, "d") else [])), worst_place(question, mechanism))
    if isinstance(question, choose.Distribution):
        return np.arange(n) % question.k
    if isinstance(question, choose.Marginals):
        return np.zeros((n, len(mechanism.sizes)), int)
    if isinstance(question, choose.Item) and not isinstance(mechanism, OpenSets):
        return np.zeros(n, int)
    held = 0 if isinstance(question, choose.Correlation) else getattr(question, "m", 1)
    user, key = np.repeat(np.arange(n), held), np.tile(np.arange(held), n)
    values = None if isinstance(question, choose.Item | choose.Sets) else np.zeros(n * held)
    return Records.from_arrays(user, key, values, n=n)


def estimates(question, mechanism, reports):
    """Estimates of what nobody holds; rows are for what is added up (share, share × mean)."""
    attributes = getattr(question, "attributes", 0)
    if attributes and isinstance(mechanism, Blocks):
        pooled = mechanism.tables(mechanism.tally(reports), list(combinations(range(question.d), attributes)))
        return np.concatenate([shares[(slice(1, None),) * attributes].ravel() for shares in pooled.tables])
    rare = range(getattr(question, "m", 1), getattr(question, "d", getattr(question, "k", 0)))
    found = mechanism.estimate(mechanism.tally(reports, *([rare] if isinstance(mechanism, OpenSets) else [])))
    if attributes:
        shares = found.reshape(-1, *(question.k,) * attributes)
        return shares[(slice(None), *(slice(1, None),) * attributes)].ravel()
    if isinstance(question, choose.Correlation):
        if not isinstance(mechanism, IOH):
            return found @ np.outer(HELD, HELD).ravel()
        pairs = ([HELD if i in pair else ANY for i in range(3)] for pair in combinations(range(3), 2))
        return np.array([found @ reduce(np.multiply.outer, factors).ravel() for factors in pairs])
    if isinstance(question, choose.Vector):
        return found - worst_place(question, mechanism)
    if isinstance(question, choose.Distribution):
        first, after = np.triu_indices(question.k + 1, 1)
        below = np.append(0, np.cumsum(found - 1 / question.k))
        return below[after] - below[first]
    return found if isinstance(mechanism, OpenSets) else found[..., list(rare)]


def surveys(question, mechanism, rng):
    """What each survey says of the squared error."""
    if isinstance(question, choose.OneNumber):  # a survey of one is a score
        held = people_without(question, mechanism, 20_000)
        return np.square(mechanism.scores[mechanism.perturb(held, rng=rng)] - held)
    few = isinstance(question, choose.Vector | choose.Correlation | choose.Marginals | choose.Distribution)  # estimates
    n, runs = question.n, (5 if few else 1) * RUNS
    reports = mechanism.perturb(people_without(question, mechanism, runs * n), rng=rng)
    parts = (estimates(question, mechanism, reports[i * n : (i + 1) * n]) for i in range(runs))
    return np.array([np.square(part).mean(-1).sum() for part in parts])


predicted, measured, blur = {}, {}, {}
for asked in GRID:
    for choice in one_number[asked.epsilon] if isinstance(asked, choose.OneNumber) else asked.rank():
        if not choice.excluded:
            squares, key = surveys(asked, choice.mechanism, rng), (asked, choice.name)
            predicted[key] = choice.error**2
            measured[key] = squares.mean()
            blur[key] = max(
                squares.std(ddof=1) / sqrt(len(squares)), 1e-6 * choice.error**2
            )  # scores ±c have no scatter


# %% tags=["hide-input"]
def compare(expected):
    """Pairs of mechanisms, those whose expected order sampling cannot blur, and those measured the other way round."""
    pairs = [(x, y) for x, y in combinations(predicted, 2) if x[0] == y[0]]
    clear = [(x, y) for x, y in pairs if abs(expected[x] - expected[y]) > BOUND * sqrt(blur[x] ** 2 + blur[y] ** 2)]
    wrong = [(x, y) for x, y in clear if (expected[x] > expected[y]) != (measured[x] > measured[y])]
    return len(pairs), len(clear), len(wrong)


COMPARISONS = len(predicted) + sum(x[0] == y[0] for x, y in combinations(predicted, 2))
BOUND = student.isf(ALARM / 2 / COMPARISONS, RUNS - 1)
far = max(abs(measured[key] - predicted[key]) / blur[key] for key in predicted)
pairs, clear, wrong = compare(predicted)
elsewhere = {}  # what would be predicted at another ε
for asked, name in predicted:
    other_epsilon = 4.0 if asked.epsilon <= 1 else 0.5
    if isinstance(asked, choose.OneNumber):
        elsewhere[asked, name] = next(c.error for c in one_number[other_epsilon] if c.name == name) ** 2
    else:
        told = errors(replace(asked, epsilon=other_epsilon))  # where the oracle for what is drawn may be another
        drawn_there = [error for found, error in told.items() if found.startswith("one ")]
        elsewhere[asked, name] = told.get(name, *drawn_there[:1]) ** 2
_, _, mistaken = compare(elsewhere)
off = max(abs(measured[key] - elsewhere[key]) / blur[key] for key in predicted)
check(
    "Size",
    f"{len(predicted)} measured squares within {BOUND:.1f} standard errors of the closed forms, at most {far:.1f}",
    far < BOUND,
    control="closed forms of another ε",
    caught=off > BOUND,
)
check(
    "Order",
    f"{len(GRID)} questions, {pairs} pairs, {clear} of them beyond the blur: all in the predicted order",
    wrong == 0 and clear > pairs / 3,
    control=f"predicted at another ε: {mistaken} in the wrong one",
    caught=mistaken > 0,
)

# %% tags=["hide-input"] mystnb={"figure": {"name": "fig-choosing-simulated", "caption": "Measured over predicted standard error for every mechanism and question of the grid, against the prediction (times the square root of n); bars of 95 %. The points scatter around 1 as the bars say, over more than three powers of ten.", "width": "100%"}, "image": {"alt": "Scatter plot of the ratio of measured to predicted standard error, between 0.8 and 1.2, against the predicted error from 0.1 to several hundred on a logarithmic axis. Points of seven kinds lie around the line at one, with bars that cross it."}}
KINDS = {
    "items": choose.Item,
    "sets": choose.Sets,
    "numbers": choose.OneNumber | choose.Vector,
    "ranges": choose.Distribution,
    "keys": choose.Pairs,
    "two keys": choose.Correlation,
    "attributes": choose.Marginals,
}
fig, ax = plt.subplots(figsize=(6.4, 4.4))
for i, (label, kind) in enumerate(KINDS.items()):
    some = [key for key in predicted if isinstance(key[0], kind)]
    ratio = np.sqrt([measured[key] / predicted[key] for key in some])
    bars = 1.96 * np.array([blur[key] / predicted[key] for key in some]) / (2 * ratio)
    place = [sqrt(predicted[key] * key[0].n) for key in some]
    ax.errorbar(place, ratio, bars, **dots(i) | {"markersize": 4, "elinewidth": 0.8}, label=label)
ax.axhline(1, color="black", linewidth=1, linestyle="-", marker="")
ax.set(xscale="log", xlabel="predicted error × √n", ylabel="measured / predicted")
fig.legend(loc="outside upper center", ncols=4, fontsize=10)
plt.show()

# %% [markdown]
# Where a share of the people hold what is asked for, a sampled check says little, for holders change most errors by less than sampling would show.
# With three or four items or keys the error can be computed from all reports that there are and their probabilities ({ref}`sec-verify-exact`), for every mechanism whose public part is small enough to be listed, which the seeds of OLH and the wheels are not.

# %% tags=["hide-input"]
SMALL = {
    choose.Item(n=1, epsilon=1.0, k=4, share=0.25): np.arange(4),
    choose.Sets(n=1, epsilon=1.0, d=4, m=2, share=0.25): Records.of({0}, set()),
    choose.Pairs(n=1, epsilon=1.0, d=3, m=2, share=0.25): Records.of({0: 0.0}, {1: 0.5}),
}


def exact(question, mechanism, people):
    """The error from the law of a holder's reports, who is the first, and those of the others."""
    _, variance = moments(mechanism, people)
    holder, *others = variance[..., 0].reshape(len(people), -1).sum(1)  # share and share × mean are added up
    return sqrt(question.share * holder + (1 - question.share) * np.mean(others))


laws = [
    (exact(asked, choice.mechanism, some), choice.error, errors(replace(asked, share=0.0))[choice.name])
    for asked, some in SMALL.items()
    for choice in asked.rank()
    if not choice.excluded and not isinstance(choice.mechanism, OLH | OpenSets)
]
moved = sum(abs(none / found - 1) > 1e-4 for found, _, none in laws)
check(
    "Holders",
    f"{len(laws)} errors where a quarter hold it agree with exact laws to nine digits",
    all(abs(told / found - 1) < 1e-9 for found, told, _ in laws),
    control=f"as if nobody held it: {moved} are off",
    caught=moved > len(laws) / 2,
)
low, high = (f"{100 * (pick(found / none for found, _, none in laws) - 1):+.0f} %" for pick in (min, max))
print(f"holders change these errors by {low} to {high}")

# %% [markdown]
# (sec-choosing-not)=
# ## What the error does not tell
#
# ### What the server has to do
#
# "A report" or "a report and item" is all that a ranking says of the server, and it is the difference between seconds and days.
# {ref}`ch-speed` has the times of all clients and servers, and {ref}`sec-collect-paper` what a billion reports come to.
#
# ### Whether there is a list
#
# Where the clients do not know the items, only the wheel is left of the ranked ones (`listed=False`).
# RAPPOR and O-RR serve the same purpose, but their errors depend on where the hash functions put the candidates: there is no closed form, and `variance(values, items)` computes it for the candidates at hand.
# For two hundred strings that only the server knows, and an exact average over those that nobody has:

# %% tags=["hide-input"]
STRINGS = [f"string {i}" for i in range(200)]
opened = {eps: choose.Item(n=100_000, epsilon=eps, k=200, listed=False).rank() for eps in FOUR}


def open_error(choice):
    """The error for a rare one of the strings."""
    if choice.errors:
        return choice.error
    return sqrt(choice.mechanism.variance([STRINGS[0]], STRINGS)[0, 1:].mean() / choice.n)


table(
    pd.DataFrame(
        [
            {"200 strings, error in points": name}
            | {
                f"ε = {eps:g}": points(open_error(next(c for c in choices if c.name == name)))
                for eps, choices in opened.items()
            }
            | {"bits at ε = 1": next(f"{c.private_bits} + {c.public_bits}" for c in opened[1.0] if c.name == name)}
            for name in ("wheel", "RAPPOR", "O-RR")
        ]
    )
)

# %% tags=["hide-input"]
strings, another = {}, {}  # mean squares of RAPPOR and O-RR over those predicted, and over those of another ε
for eps, choices in opened.items():
    for choice in (c for c in choices if c.name in ("RAPPOR", "O-RR")):
        tally = choice.mechanism.simulate([choice.n], [STRINGS[0]], trials=400, rng=rng, items=STRINGS)
        squares = np.square(choice.mechanism.estimate(tally)[:, 1:]).mean(1)
        other = next(c for c in opened[0.5 if eps > 1 else 4.0] if c.name == choice.name)
        for found, expected in ((strings, open_error(choice)), (another, open_error(other))):
            off = (squares.mean() - expected**2) / (squares.std(ddof=1) / sqrt(len(squares)))
            found[choice.name, eps] = abs(off)
check(
    "Strings",
    f"{len(strings)} mean squares of 400 surveys within 6 standard errors of noise(values, items)",
    max(strings.values()) < 6,
    control="of another ε",
    caught=min(another.values()) > 6,
)

# %% [markdown]
# The wheel has hardly more noise than OUE with a list; its price is a seed of 96 bits and a hash for each report and string.
# What RAPPOR has and the wheel has not is a memory for reports that are sent day after day ({ref}`ch-rappor`).
#
# ### What happens to the estimate afterwards
#
# Raw estimates are often negative, and repairs such as Norm-Sub ({ref}`sec-freq-post`) take away much of the noise, more of it where there is more.
# Does the ranking survive?
# Twenty thousand people hold one of 128 items, the $i$-th in proportion to $1/i$; the table has the total squared error over all items as a multiple of the least, before and after.

# %% tags=["hide-input"]
zipf = 1 / np.arange(1, 129)
held = np.floor(20_000 * zipf / zipf.sum()).astype(int)
held[0] += 20_000 - held.sum()
truth = held / held.sum()
REPAIRED = {
    "k-RR": GRR,
    "k-Subset": SubsetSelection,
    "block design": BlockDesign,
    "OUE": OUE,
    "SUE": SUE,
    "Hadamard bit": HadamardBit,
    "Hadamard response": HadamardResponse,
}


def totals(kind, eps, rng):
    """Total squared errors of surveys, raw and after Norm-Sub."""
    if kind is SubsetSelection:  # no simulation of its tallies is known: real clients
        mechanism, people = kind(k=128, epsilon=eps, packed=True), np.repeat(np.arange(128), held)
        raw = np.stack([mechanism.estimate(mechanism.tally(mechanism.perturb(people, rng=rng))) for _ in range(8)])
    else:
        mechanism = kind(k=128, epsilon=eps)
        raw = mechanism.estimate(mechanism.simulate(held, trials=100, rng=rng))
    return [np.square(found - truth).sum(-1) for found in (raw, norm_sub(raw))]


repaired = {(name, eps): totals(kind, eps, rng) for name, kind in REPAIRED.items() for eps in FOUR}
least = {(eps, i): min(repaired[name, eps][i].mean() for name in REPAIRED) for eps in FOUR for i in (0, 1)}
table(
    pd.DataFrame(
        [
            {"total squared error, raw → Norm-Sub": name}
            | {
                f"ε = {eps:g}": " → ".join(f"{repaired[name, eps][i].mean() / least[eps, i]:.2f}" for i in (0, 1))
                for eps in FOUR
            }
            for name in REPAIRED
        ]
    )
)


# %% tags=["hide-input"]
def clear(one, other, eps, i):
    """How many standard errors two mean totals are apart."""
    x, y = repaired[one, eps][i], repaired[other, eps][i]
    return (x.mean() - y.mean()) / sqrt(x.var(ddof=1) / len(x) + y.var(ddof=1) / len(y))


def reversals(after=None, z=6):
    """Pairs whose order Norm-Sub reverses, both orders being clear by z standard errors."""
    both = ((clear(*two, eps, 0), clear(*two, after or eps, 1)) for eps in FOUR for two in combinations(REPAIRED, 2))
    return sum(abs(raw) > z and abs(mended) > z and raw * mended < 0 for raw, mended in both)


check(
    "Norm-Sub",
    f"{len(REPAIRED)} mechanisms, four ε: no order that is clear by 6 standard errors before and after is reversed",
    reversals() == 0,
    control="repaired at ε = 0.5, whatever ε before",
    caught=reversals(after=0.5) > 0,
)

# %% [markdown]
# The order survives here, and the distances shrink: at $\varepsilon = 1$ k-RR has more than twelve times the least error as it is, and between five and six times after the repair.
# So a bad choice is repaired in part, and a good one gains as well, if less, as the line below says.

# %% tags=["hide-input"]
gains = {name: repaired[name, 1.0][0].mean() / repaired[name, 1.0][1].mean() for name in ("k-RR", "OUE")}
print("ε = 1: Norm-Sub divides the total squared error by " + ", ".join(f"{x:.0f} ({n})" for n, x in gains.items()))

# %% [markdown]
#
# ### Liars
#
# A report of somebody's own making can count for many people ({ref}`sec-deploy-liars`).
# How many is the largest score, and it can be read off any report by counting it alone.
# A mechanism with the less noise may well be the easier one to poison; so the last column has the number of liars among a million people who move an estimate by one standard error.
#
# That number is at most $\sqrt n$: if no score is larger than $M$ in size, the variance of a score is at most $M^2$, and the standard error at most $M/\sqrt n$, which $\sqrt n$ liars with $M/n$ each make up for.


# %% tags=["hide-input"]
def worth(question, choice, rng):
    """The largest score, in size, that a report can have: for how many people it can speak; and the largest one up."""
    mechanism = choice.mechanism
    reports = mechanism.perturb(people_without(question, mechanism, 400), rng=rng)
    listed = [range(64)] if isinstance(mechanism, OpenSets) else []
    scores = np.stack([mechanism.estimate(mechanism.tally(reports[i : i + 1], *listed)) for i in range(400)])
    scores = scores[:, 0] if isinstance(question, choose.Pairs) else scores  # of the share
    return np.abs(scores).max(), scores.max()


LIED_TO = {
    "one item of 64": choose.Item(n=10**6, epsilon=1.0, k=64),
    "sets of 8 of 64": choose.Sets(n=10**6, epsilon=1.0, d=64, m=8),
    "8 keys of 64": choose.Pairs(n=10**6, epsilon=1.0, d=64, m=8, share=0.0),
}
rows, liars, up_only = [], [], []
for what, asked in LIED_TO.items():
    for choice in asked.rank():
        if not choice.excluded:
            size, up = worth(asked, choice, rng)
            liars.append(choice.errors["share"] * asked.n / size)
            up_only.append(choice.errors["share"] * asked.n / up)
            rows.append(
                {
                    "ε = 1": what,
                    "mechanism": choice.name,
                    "standard error of a share, points": points(choice.errors["share"]),
                    "one report is worth, people": f"{size:.1f}",
                    "liars for a standard error": f"{liars[-1]:,.0f}",
                }
            )
table(pd.DataFrame(rows))

# %% tags=["hide-input"]
check(
    "Liars",
    f"{len(liars)} mechanisms: at most √n = 1,000 liars for one standard error, and {sum(x > 999 for x in liars)} attain it",
    max(liars) < 1000 * (1 + 1e-9) and sum(x > 999 for x in liars) >= 3,
    control="scores that raise an estimate alone",
    caught=max(up_only) > 1000 * (1 + 1e-9),
)

# %% [markdown]
# One-bit reports attain the bound, since all their scores have one size: the Hadamards and S-Hist have more noise, and are the hardest to lie to.
# Whatever speaks about a whole set or record, or about one part of it in place of all, is worth dozens of people.
# k-RR over many items is bad for either purpose: 124 liars move what a million honest people say by a standard error.
# (A liar who is content with one item is meant here; against several at once the picture is another one, {ref}`sec-deploy-liars`.)
#
# ### How many people it takes
#
# Errors fall with $\sqrt n$, so that a choice can be asked for people instead: `choice.people(0.01)` is how many have a standard error of one point, or of 0.01 for a mean.

# %% tags=["hide-input"]
PLACES = {
    "one of 1,000 items": (choose.Item, {"k": 1000}),
    "sets of 8 of 1,000 items": (choose.Sets, {"d": 1000, "m": 8}),
    "ten numbers": (choose.Vector, {"d": 10}),
    "ranges of a number in 64 cells": (choose.Distribution, {"k": 64}),
    "8 of 1,000 keys, a tenth hold it": (choose.Pairs, {"d": 1000, "m": 8}),
    "two of 6 keys together": (choose.Correlation, {"d": 6}),
    "16 attributes of 4 values": (choose.Marginals, {"d": 16, "k": 4}),
    "their pairs": (choose.Crosstabs, {"d": 16, "k": 4}),
}
placed = {(what, eps): kind(n=1, epsilon=eps, **rest).rank() for what, (kind, rest) in PLACES.items() for eps in FOUR}
table(
    pd.DataFrame(
        [
            {"people for an error of 0.01": what}
            | {f"ε = {eps:g}": f"{placed[what, eps][0].people(0.01):,}" for eps in FOUR}
            for what in PLACES
        ]
    )
)

# %% [markdown]
# Who wants to see such a number at work: the surveys below have just so many people, for every mechanism whose counts can be drawn without drawing people.

# %% tags=["hide-input"]


def seen(choice, n):
    """Root mean square error for 999 rare items, and its standard error, from 50 surveys of n people."""
    counts = np.zeros(1000, int)
    counts[0] = n
    rare = choice.mechanism.estimate(choice.mechanism.simulate(counts, trials=50, rng=rng))[:, 1:]
    squares = np.square(rare).mean(1)
    root = sqrt(squares.mean())
    return root, squares.std(ddof=1) / sqrt(len(squares)) / (2 * root)


enough = {}
for choice in thousand.rank():
    if choice.name in REPAIRED and choice.name != "k-Subset":
        n = choice.people(0.01)
        enough[choice.name] = [abs(root - 0.01) / error for root, error in (seen(choice, n), seen(choice, n // 2))]
check(
    "People",
    f"{len(enough)} mechanisms, 1,000 items, ε = 1: as many people as told have an error of 0.01, within 6 standard errors",
    all(off < 6 for off, _ in enough.values()),
    control="half of them",
    caught=all(off > 6 for _, off in enough.values()),
)

# %% [markdown]
# Between $\varepsilon = 0.5$ and 4 lie factors of nineteen to nearly six hundred, and at $\varepsilon = 1$ between one item and a table of pairs a factor of a hundred.
# Asking less, or asking for a coarser answer, often saves more than the best mechanism.
#
# ### What ε covers
#
# All of a person's report, in every question here: two people who differ in anything at all are hard to tell apart by it.
#
# | question | one ε is for | beware |
# |---|---|---|
# | `Item` | any two items | |
# | `Sets`, `Frequent` | any two sets, also of different sizes | a set of more than $m$ items is cut, and counts for less |
# | `OneNumber`, `Vector`, `Distribution` | any two numbers, or vectors of them | the range is public |
# | `Pairs`, `Correlation` | any two records: which keys, and all values | |
# | `Marginals`, `Crosstabs` | any two records of all attributes | one attribute alone may be protected by no more (all but bit flips) or by a part of ε (bit flips) |
#
# A report next week has an ε of its own, and the two add ({ref}`ch-deployment`).
# And who can live with an ε for each single attribute may ask bit flips at $d\varepsilon$ for the record, which is another promise:

# %% tags=["hide-input"]
record, attribute = (choose.Marginals(n=100_000, epsilon=eps, d=16, k=4, share=0.25).rank() for eps in (1.0, 16.0))
for what, choices in (("ε = 1 for a record", record), ("ε = 1 for an attribute, 16 for a record", attribute)):
    flips = next(c for c in choices if c.name == "bit flips")
    print(
        f"a quarter have the value, {what}: bit flips {points(flips.error)} points, an attribute has "
        f"ε = {flips.mechanism.attribute_epsilon:.4f}; first by the record's ε: {choices[0].name}, {points(choices[0].error)}"
    )

# %% [markdown]
# (sec-choosing-hurry)=
# ## In a hurry
#
# Read one line: who has the least error; who else is within 5 % of it; who is left with sixteen bits for a report, public part included; whom a server can count by looking up cells; and whom clients need no list for.
# In brackets, how many times as many people it takes.

# %% tags=["hide-input"]


def left(choices, fits, least=None):
    """The first of those that fit, and its price in people beside the least error, if not that of the first of all."""
    fit = [c for c in choices if not c.excluded and fits(c)]
    if not fit:
        return "none"
    price = (fit[0].error / (least or choices[0].error)) ** 2
    return fit[0].name + ("" if price < 1.005 else f" ({price:,.2f}×)" if price < 10 else f" ({price:,.0f}×)")


def near(choices):
    """Others within 5 % of the least error."""
    return ", ".join(c.name for c in choices[1:] if not c.excluded and c.error <= 1.05 * choices[0].error) or "—"


short = {
    (what, eps): kind(n=1, epsilon=eps, bits=16, **rest).rank() for what, (kind, rest) in PLACES.items() for eps in FOUR
}
table(
    pd.DataFrame(
        [
            {
                "question": f"{what}, ε = {eps:g}",
                "least error": choices[0].name,
                "within 5 %": near(choices),
                "16 bits": left(short[what, eps], lambda c: True, choices[0].error),
                "cells": left(choices, lambda c: c.server == "report"),
                "no list": left(choices, lambda c: not c.listed),
            }
            for what in PLACES
            for eps in (1.0, 4.0)
            for choices in (placed[what, eps],)
        ]
    )
)

# %% [markdown]
# (sec-choosing-examples)=
# ## Four questions
#
# **Start pages.**
# Two million browsers have a start page each, and a server has a list of 5,000 candidates that it does not want to ship.
# At $\varepsilon = 1$, how well is a rare page counted, and how many browsers would it take for a twentieth of a point?

# %%
pages = choose.Item(n=2_000_000, epsilon=1.0, k=5000, listed=False).rank()[0]
print(f"{pages.name}: ± {points(pages.error)} points, {pages.private_bits} + {pages.public_bits} bits")
print(f"for 0.05 points: {pages.people(0.0005):,} browsers")

# %% [markdown]
# **Twelve questions, yes or no.**
# A works council asks 5,000 people, at $\varepsilon = 2$ each, and wants to know how answers go together: the share of a cell where a quarter are.

# %%
council = choose.Crosstabs(n=5000, epsilon=2.0, d=12, k=2, share=0.25)
board(council.rank())

# %% tags=["hide-input"]
blocks = council.rank()[0]
two = replace(council, d=2).rank()[0]
print(f"blocks of {blocks.mechanism.size}; for two points: {blocks.people(0.02):,} people")
print(f"with two questions instead of twelve: ± {points(two.error)} points, by {two.name}")

# %% [markdown]
# Six points are hardly an answer for a share of 25 %.
# Either ten times as many people are asked, or two questions: then the same people give an answer of less than one point.
#
# **A shop.**
# 200,000 customers hold up to eight of 1,000 articles and rate them.
# The budget is $\varepsilon = 4$, and an article that 2 % hold is of interest.

# %%
shop = choose.Pairs(n=200_000, epsilon=4.0, d=1000, m=8, share=0.02)
table(
    pd.DataFrame(
        [
            {
                "mechanism": c.name,
                "share, points": points(c.errors["share"]),
                "mean rating": f"{c.errors['mean']:.3f}",
                "bits": f"{c.private_bits:,} + {c.public_bits}",
            }
            for c in shop.rank()
        ]
    )
)

# %% [markdown]
# The last three make no use of there being at most eight articles a customer, and the last divides ε by 1,000.
# The wheel is still ahead of PCKV-GRR, not far from where they cross.
# With a list of articles on every telephone, the shorter report and the faster server speak for PCKV-GRR, and the line below says what they cost.

# %% tags=["hide-input"]
wheel, pckv = (next(c for c in shop.rank() if c.name == name) for name in ("Wheel-KV", "PCKV-GRR"))
print(f"PCKV-GRR needs {(pckv.error / wheel.error) ** 2:.2f} times as many people as Wheel-KV")
print(f"with 2 % of holders they cross at ε = {crossing(shop, 'Wheel-KV', 'PCKV-GRR', low=1.0):.2f}")

# %% [markdown]
# **Six numbers a night.**
# 20,000 wristwatches send six numbers, and a message has four bits for it.

# %%
board(choose.Vector(n=20_000, epsilon=1.0, d=6, bits=4).rank(), lambda x: f"{x:.3f}", "standard error of a mean")

# %% [markdown]
# (sec-choosing-wrong)=
# ## What can go wrong
#
# - *The question.*
#   An oracle that is best for rare items need not be best for frequent ones: say `share`.
#   A mechanism that is best for pairs is no good for triples.
# - *The worst case.*
#   Errors of numbers are for the worst numbers; those of one's own people are smaller, and `variance(values)` of the mechanism has them.
# - *$m$ too small.*
#   Larger sets are cut, which no error here contains; {ref}`sec-items-ell` weighs one against the other.
# - *Estimates that are not linear.*
#   Means among holders are ratios, top lists are maxima, tables of pairs are fitted: what has no closed form is not ranked, and has to be simulated.
# - *A difference of one per cent.*
#   It will not be seen, and simpler code has fewer mistakes.
# - *An ε that was chosen to make the ranking look good.*
#
# (sec-choosing-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1: half the budget or half the people
# There are two questions, each about one of a thousand items.
# Either everybody answers both, with half of ε for each, or everybody answers one of them, drawn by a public coin, with all of ε.
# Which is better?
# :::
#
# :::{dropdown} Solution
# For every error $s(\varepsilon)/\sqrt n$ it is a question of $s(\varepsilon/2)$ against $\sqrt2\,s(\varepsilon)$.
# At small ε the error is proportional to $1/\varepsilon$, so that half the people is better, by $\sqrt2$.
# It stays so as long as the error falls faster than $1/\sqrt\varepsilon$; one bit, whose error never falls below $1/\sqrt n$, is the only one below for which it turns.
# :::

# %% tags=["hide-input"]
table(
    pd.DataFrame(
        [
            {"error, half of ε ÷ half the people": name}
            | {
                f"ε = {eps:g}": f"{errors(replace(thousand, epsilon=eps / 2))[name] / errors(replace(thousand, epsilon=eps))[name] / sqrt(2):.2f}"
                for eps in (0.5, 2.0, 4.0, 8.0)
            }
            for name in ("k-Subset", "OUE", "Hadamard bit", "k-RR")
        ]
    )
)

# %% [markdown]
# :::{admonition} Exercise 2: how many bits
# A thousand items: how many bits, public part included, does a report need to be within 10 % of the least error?
# :::
#
# :::{dropdown} Solution
# Ask `rank` with fewer and fewer `bits`; a block design takes a smaller geometry then, and k-Subset smaller sets.
# Ten or eleven are enough at every ε here: the number of a block, and at large ε the name of one item.
# :::

# %% tags=["hide-input"]


def left_error(question):
    """The least error that is left."""
    return min((c.error for c in question.rank() if not c.excluded), default=np.inf)


for eps in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
    asked = replace(thousand, epsilon=eps)
    enough_for = 1.1 * asked.rank()[0].error
    few = bisect_left(range(1, 1000), True, key=lambda b: left_error(replace(asked, bits=b)) <= enough_for) + 1
    print(f"ε = {eps:<4g}  {few:>3} bits: {replace(asked, bits=few).rank()[0].name}")

# %% [markdown]
# :::{admonition} Exercise 3: your own question
# Thirty thousand people hold up to five of 200 items; ε is 2.
# Which mechanism for items that a tenth of them hold, if a server has to count all of it within seconds?
# :::
#
# :::{dropdown} Solution
# One call, and one condition on the answer.
# The price of the faster server is in the last column.
# :::

# %% tags=["hide-input"]
mine = choose.Sets(n=30_000, epsilon=2.0, d=200, m=5, share=0.1).rank()
fast = [c for c in mine if not c.excluded and c.server == "report"]
for choice in (mine[0], *fast):
    print(
        f"{choice.name:<15} ± {points(choice.error)} points, the server works a {choice.server}, "
        f"{(choice.error / mine[0].error) ** 2:.2f} times the people"
    )

# %% [markdown]
# ## Summary
#
# | statement | how it was checked |
# |---|---|
# | errors of all mechanisms that can be ranked | real clients on a grid of questions, false alarms below $10^{-6}$; exact laws |
# | the order that they give | the same, for all pairs beyond what sampling blurs |
# | how many people an error takes | surveys of so many |
# | where k-RR meets OUE and the Hadamard bit | root finding against two formulas |
# | Norm-Sub reverses no clear order among seven oracles | simulation |
# | at most $\sqrt n$ liars move an estimate by a standard error | proof; scores of drawn reports |
#
# {ref}`The page to play with <play>` has the same ranking, for any numbers that you care to type.
