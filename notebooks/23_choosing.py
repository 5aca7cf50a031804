# %% [markdown]
# (ch-choosing)=
# # Choosing a mechanism
#
# :::{admonition} In one minute
# Which mechanism is best depends on what people hold, on ε, on the item's share, on the bits of a report, and on whether clients know a list.
# It does not depend on the number of people.
# Formulas for the errors rank the mechanisms before you ask anybody.
# The first few are often equally good, while a bad choice needs ten or a hundred times as many people.
# Look also at the server's work, liars, and what ε covers.
# :::
#
# :::{zh}
# 本课讨论如何选择机制：每个人持有什么、隐私预算 $\varepsilon$、所问项的份额、报告的比特数以及列表是否公开，共同决定哪种机制最好；人数不改变名次。
# 每种机制的误差都有闭式公式，所以在询问任何人之前就能排出名次。
# 对四十个选项、两万人、$\varepsilon=1$，前五种机制的误差相差不到百分之四，而 k-RR 需要四倍以上的人数。
# 对稀有项，k-RR 恰好在 $k \le 2e^\varepsilon+1$ 时优于任何更大的集合；值域很大时，k-Subset 与 OUE 的方差相同。
# 有多个属性时，若 $\varepsilon$ 较小或取值稀有，公开抽取一个属性并用全部预算回答，好过把预算分给所有属性。
# 对无人持有的项，真实用户端的模拟与预测的名次一致。
# 误差并不说明一切：服务器的工作量、是否需要列表、事后的修正、说谎者，以及 $\varepsilon$ 保护的是什么。
# :::
#
# You need {ref}`ch-frequency`; links lead to the other mechanisms.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from math import exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import ListedColormap
from scipy.stats import t as student

from ldpnb import PrivSet, SubsetSelection, moments, pick, prove, toss
from ldpnb.chance import odds
from ldpnb import choose
from ldpnb_book import check, diagram, label_lines, plain_ticks, style, table, theory
from ldpnb_book.studies import choosing as study

style()
rng = np.random.default_rng(1785)

# %% [markdown]
# (sec-choosing-know)=
# ## Forty reasons
#
# A company asks why its people think of leaving.
# Each of its 20,000 employees marks one of 40 reasons, with $\varepsilon = 1$.
# **Which mechanism should it take, and how precise will the result be?**
#
# With {py:mod}`ldpnb.choose`, such a question takes one line.
# `share` is a guess of an item's share, which changes the errors and sometimes the order of the first few.
# `question.rank()` lists all mechanisms, the smallest error first; we show some columns:

# %%
EPS = 1.0
question = choose.Item(n=20_000, epsilon=EPS, k=40, share=0.05)
frame = question.rank().to_frame().query("not excluded")
points = 100 * frame["error"]
times = (points / points.min()) ** 2
sent = frame[["private_bits", "public_bits"]].astype(str)
frame = frame.assign(points=points, people=times).round(2)
frame["bits"] = sent.agg(" + ".join, axis=1)
columns = ["name", "points", "people", "bits", "server", "listed"]
table(frame[columns])

# %% [markdown]
# The column *points* is the *error*: the standard error of an estimated share, in percentage points.
# Errors fall like $1/\sqrt n$; *people* says how many times as many people give the error of the first row.
# A report has private + public *bits*; a seed, for instance, is public.
# The *server* either touches each `report` once, or compares it with every `item`.
# *Listed*: the client must know the list; OLH hashes an item's number on it, the wheel its name.
#
# The first five errors differ by less than 4 %.
# Of these, the block design ({ref}`ch-limit`) has the shortest report and the least work; the wheel ({ref}`ch-wheel`) needs no list.
#
# Each row holds a mechanism, ready to run.
# We invent shares, and ask people with the first choice and with k-RR.
# Standard errors are for a share of 5 %:


# %%
@cache
def usable(question):
    """The choices that answer a question, best first."""
    return [c for c in question.rank() if not c.excluded]


best, *_, last = usable(question)
shares = 1 / np.arange(1, 41)
people = rng.choice(40, 20_000, p=shares / shares.sum())
truth = np.bincount(people, minlength=40) / 20_000
rows = {"truth": [f"{100 * f:.1f}" for f in truth[[0, 4, 39]]]}
for c in (best, last):
    reports = c.mechanism.perturb(people, rng=rng)
    f_hat = c.mechanism.estimate(c.mechanism.tally(reports))
    near = [f"{100 * f:.1f} ± {100 * c.error:.1f}" for f in f_hat]
    rows[c.name] = [near[x].replace("-", "−") for x in (0, 4, 39)]
reasons = ["most frequent", "fifth", "rarest"]
table(pd.DataFrame({"reason, in points": reasons} | rows))

# %% [markdown]
# So the company takes k-Subset, or the block design for a shorter report; each share has an error of 1.3 points.
#
# (sec-choosing-maps)=
# ## Why this order?
#
# Most reasons are rare, so we compare errors for an item that nobody has.
# {ref}`ch-frequency` and {ref}`ch-onebit` derived
#
# $$ n\Var\hat f = \begin{cases} \dfrac{e^\varepsilon+k-2}{(e^\varepsilon-1)^2} & \text{k-RR,} \\[2ex] \dfrac{4\,e^\varepsilon}{(e^\varepsilon-1)^2} & \text{OUE and OLH,} \\[2ex] c^2 = \dfrac{(e^\varepsilon+1)^2}{(e^\varepsilon-1)^2} & \text{Hadamard bit.} \end{cases} $$ (eq-choosing-three)
#
# Only the first variance grows with the number $k$ of items.
# A report of k-Subset is a set of $b$ items, with $p^*$ and $q^*$ of {eq}`eq-limit-p`.
#
# 1. Write $Z = b\,e^\varepsilon+k-b$. Then $p^* = b\,e^\varepsilon/Z$, and
#
#    $$ q^* = \frac{b-p^*}{k-1} = \frac{b}{k-1}\cdot\frac{Z-e^\varepsilon}{Z}. $$
#
# 2. By $Z-b\,e^\varepsilon = k-b$, and again {eq}`eq-limit-p`:
#
#    $$ \begin{aligned} 1-q^* &= \frac{(k-1)Z-bZ+b\,e^\varepsilon}{(k-1)Z} = \frac{(k-b)(Z-1)}{(k-1)Z}, \\[1ex] p^*-q^* &= \frac{b\,(k-b)(e^\varepsilon-1)}{(k-1)Z}. \end{aligned} $$
#
# 3. Insert both into $n\Var\hat f = q^*(1-q^*)/(p^*-q^*)^2$:
#
#    $$ n\Var\hat f = \frac{(Z-e^\varepsilon)(Z-1)}{b\,(k-b)\,(e^\varepsilon-1)^2}. $$ (eq-choosing-sets)


# %%
def noise_of_sets(b, k, eps):
    """n times the variance of k-Subset, for a rare item."""
    e = exp(eps)
    Z = b * e + k - b
    return (Z - e) * (Z - 1) / (b * (k - b) * (e - 1) ** 2)


for b in (1, 5, 11, 20):
    error = sqrt(noise_of_sets(b, question.k, EPS) / question.n)
    print(f"sets of {b:2d}: ± {100 * error:.2f} points")

rare = replace(question, share=0.0)
first = usable(rare)[0]
print(f"{first.name}:  ± {100 * first.error:.2f}, the first choice")

# %% [markdown]
# For $b = 1$, this is k-RR.
# Sets of two have $Z = 2e^\varepsilon+k-2$, so $Z-e^\varepsilon$ is the numerator of k-RR.
# Hence their variance, divided by that of k-RR, is
#
# $$ \frac{2\,e^\varepsilon+k-3}{2\,(k-2)}, \quad\text{less than 1 if and only if}\quad k > 2\,e^\varepsilon+1. $$ (eq-choosing-border)
#
# For any $b$, the variance is less than that of k-RR if and only if $(Z-e^\varepsilon)(Z-1) - b\,(k-b)(e^\varepsilon+k-2) < 0$.
# With $Z = b\,(e^\varepsilon-1)+k$, the left side is quadratic in $b$, and 0 for $b = 1$.
# So $b-1$ is a factor; the coefficient of $b^2$, $(e^\varepsilon-1)^2+e^\varepsilon+k-2 = e^{2\varepsilon}-e^\varepsilon+k-1$, and the constant $(k-1)(k-e^\varepsilon)$ give the other:
#
# $$ (b-1)\,\bigl[\,b\,(e^{2\varepsilon}-e^\varepsilon+k-1) - (k-1)(k-e^\varepsilon)\,\bigr]. $$
#
# The bracket grows with $b$: if sets of two are no better than k-RR, no larger sets are.
# So {eq}`eq-choosing-border` is the border in the left map of {numref}`fig-choosing-item`.
#
# For many items, $Z-e^\varepsilon$ and $Z-1$ are nearly $Z$.
# The square of a sum is at least four times the product, so
#
# $$ \begin{aligned} Z^2 &= \bigl(b\,e^\varepsilon+(k-b)\bigr)^2 \ge 4\,b\,e^\varepsilon\,(k-b), \\[1ex] n\Var\hat f &\approx \frac{Z^2}{b\,(k-b)\,(e^\varepsilon-1)^2} \ge \frac{4\,e^\varepsilon}{(e^\varepsilon-1)^2}. \end{aligned} $$
#
# Both sides are equal for $b\,e^\varepsilon = k-b$, so the best size is near $k/(e^\varepsilon+1)$.
# Its variance is that of OUE and OLH; the wheel and block designs come close to it.
# By {eq}`eq-choosing-three`, k-RR is better than OUE for $k < 3\,e^\varepsilon+2$.
# In the right map, the border between k-RR and block designs is near this line; it is lower for few items, where block designs are better than OUE.

# %% mystnb={"figure": {"name": "fig-choosing-item", "caption": "The best mechanism for a rare one of k items. Left: among all. Right: among those whose server touches each report once. Lines: $k = 2e^\\varepsilon + 1$ and $k = 3e^\\varepsilon + 2$."}, "image": {"alt": "Two maps of budgets from 0.1 to 8 and 2 to 4,096 items, with a rising dashed line each. Left: k-RR lies below the line, k-Subset above it. Right: k-RR below the line, block design above it; for few items, the border lies a little lower."}}
SIZES = np.unique(np.geomspace(2, 4096, 18).round().astype(int))
BUDGETS = np.geomspace(0.1, 8, 21)
NAMES = ["k-RR", "k-Subset", "block design"]
MAPS = {"best of all": (None, 2, 1)}
MAPS["work only per report"] = "report", 3, 2
tints = ListedColormap(["#F6C65B", "#7FC0E8", "#8ED1B2"])
fig, axes = plt.subplots(1, 2, figsize=(6.4, 3.6), sharey=True)
for ax, (title, (work, a, b)) in zip(axes, MAPS.items(), strict=True):
    names = study.first(rare, SIZES.tolist(), BUDGETS.tolist(), work)
    codes = names.map(NAMES.index)
    ax.pcolormesh(BUDGETS, SIZES, codes, cmap=tints, vmin=0, vmax=2)
    line = a * np.exp(BUDGETS) + b
    low = line < SIZES[-1]
    look = {"color": "black", "linestyle": "--", "marker": ""}
    ax.plot(BUDGETS[low], line[low], **look)
    for name in names.stack().unique():
        places = np.nonzero(names.to_numpy() == name)
        row, column = (int(np.median(at)) for at in places)
        middle = BUDGETS[column], SIZES[row]
        ax.text(*middle, name, ha="center", va="center")
    ax.set(xscale="log", yscale="log", title=title, xlabel="budget ε")
    plain_ticks(ax)
axes[0].set_ylabel("number of items k")
plt.show()

# %% [markdown]
# If sets of k-Subset and a block design have one size, the two tie, as for seven items at $\varepsilon = 0.5$.
# For 21 items at $\varepsilon = 1$, both have sets of five.
# For the least *total* error, k-Subset takes six, and then needs 0.3 % more people for a rare item.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the formulas, the border, and what the ranking says"}
def off(formula, grid=((2, 5), (3, 40), (1, 8), (13, 40))):
    """Largest relative distance of a formula from the package's k-Subset."""
    made = [SubsetSelection(k=k, epsilon=1.0, size=b) for b, k in grid]
    return max(abs(formula(b, k, 1.0) / one.rare_variance - 1) for one, (b, k) in zip(made, grid, strict=True))


check(
    "Sets",
    "four sizes",
    off(noise_of_sets) < 1e-9,
    control="b + 1",
    caught=off(lambda b, *of: noise_of_sets(b + 1, *of)) > 0.01,
)
BORDERS = {"2e^ε + 1": lambda k: log((k - 1) / 2), "3e^ε + 2": lambda k: log((k - 2) / 3)}


def leads(border, step, sizes=(8, 20, 64, 300)):
    """Who leads beside a border, for four sizes."""
    return [replace(rare, k=k, epsilon=BORDERS[border](k) + step).rank()[0].name for k in sizes]


check(
    "Border",
    "k-RR leads up to 2e^ε + 1 items, then k-Subset",
    leads("2e^ε + 1", 0.01) == ["k-RR"] * 4 and leads("2e^ε + 1", -0.01) == ["k-Subset"] * 4,
    control="3e^ε + 2",
    caught=leads("3e^ε + 2", 0.01) != ["k-RR"] * 4,
)
per_item = [PrivSet(d=1000, ell=ell, epsilon=1.0).rare_variance / ell for ell in (2, 4, 8, 16)]
check(
    "PrivSet",
    "variance proportional to ℓ within 4 %",
    max(per_item) < 1.04 * min(per_item),
    control="to ℓ²",
    caught=per_item[-1] / 16 < per_item[0] / 4,
)

# %% [markdown]
# (sec-choosing-examples)=
# ## Other questions
#
# The same people may hold something else:

# %%
asked = {"n": 20_000, "epsilon": EPS}
OTHERS = {
    "one number": choose.OneNumber(**asked),
    "six numbers": choose.Vector(**asked, d=6),
    "three of 40 items": choose.Sets(**asked, d=40, m=3),
    "three of 40 keys, rated": choose.Pairs(**asked, d=40, m=3),
    "8 attributes, 5 values": choose.Marginals(**asked, d=8, k=5),
    "their pairs": choose.Crosstabs(**asked, d=8, k=5),
}
rows = []
for what, other in OTHERS.items():
    first, *_, last = usable(other)
    times = (last.error / first.error) ** 2
    row = [what, first.name, f"{first.error:.3f}"]
    rows.append([*row, last.name, f"{times:,.1f} ×"])
columns = ["question", "first choice", "error", "last", "people"]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# Errors are of a mean between −1 and 1, or of a share.
# For keys, the error is $\sqrt{A^2+B^2}$, with the errors $A$ of the share and $B$ of share × mean.
#
# *Numbers.*
# For a small ε, one random sign is nearly best, and for a large ε Hybrid is better ({ref}`ch-means`).
# For several numbers, a Harmony client draws one and says which; MeanEst sends a sign for each ({ref}`ch-many`).
#
# *Sets.*
# A sampled mechanism draws one item of a set of $\ell$, and perturbs it.
# The server multiplies its score by $\ell$ to stand for the whole set, so the variance grows like $\ell^2$.
# A report of PrivSet is about the whole set ({ref}`ch-items`).
# For many items, its variance is nearly proportional to $\ell$.
#
# *Keys with values.*
# The wheel and PCKV-GRR are in {ref}`ch-wheel`, state encoding (SE) in {ref}`ch-keyvalue`.
# *SE, all keys* splits ε among all 40 keys, hence the large ratio.
#
# *Attributes.*
# Bit flips report on all of them ({ref}`ch-joint`), blocks on a few, drawn in public ({ref}`ch-publish`).
#
# (sec-choosing-drawn)=
# ### One attribute, drawn in public
#
# A person has $d$ attributes, and you want a table for each.
# Let the client draw one, and report its value with all of ε, here by k-RR.


# %%
def krr(x, k, eps, rng):
    """The value x, or one of the others."""
    if toss(odds(eps) / (odds(eps) + k - 1), rng):
        return x
    return pick([y for y in range(k) if y != x], rng)


def one_attribute(record, k, eps, rng):
    """The number of an attribute, and its value by k-RR."""
    j = pick(range(len(record)), rng)
    return j, krr(record[j], k, eps, rng)


def server(reports, d, k, eps):
    """Shares (d, k) of all values, and their standard errors."""
    score = np.zeros((len(reports), d, k))
    for i, (j, y) in enumerate(reports):
        score[i, j] = -d / (exp(eps) - 1)
        score[i, j, y] += d * (exp(eps) + k - 1) / (exp(eps) - 1)
    return score.mean(0), score.std(0) / sqrt(len(reports))


# %% [markdown]
# A score of k-RR has mean 1 for the person's value and 0 for any other.
# The server multiplies it by $d$, as an attribute is drawn with probability $1/d$; attributes not drawn score 0.
# So estimates stay unbiased, and mean squares grow by the factor $d^2\cdot\frac1d = d$.
# Let $v(\varepsilon)$ be $n\Var\hat f$ without a draw, for the mechanism and the share at hand.
# Averaged over people, the squared mean of a score is $f$, so the mean square is $v(\varepsilon)+f$.
# The draw makes it $d\,(v(\varepsilon)+f)$; subtract $f$ again:
#
# $$ n\Var\hat f = \begin{cases} d\,v(\varepsilon)+(d-1)\,f & \text{one attribute, drawn in public,} \\ v(\varepsilon/d) & \text{all attributes, with } \varepsilon/d \text{ each.} \end{cases} $$ (eq-choosing-drawn)
#
# For a rare value and a small ε, $v(\varepsilon)$ is nearly proportional to $1/\varepsilon^2$ by {eq}`eq-choosing-three`.
# So $v(\varepsilon/d)$ is near $d^2\,v(\varepsilon)$, and splitting needs $d$ times as many people.
#
# For a frequent value and a large ε, $(d-1)\,f$ is most of the variance: with $d = k = 3$, $\varepsilon = 4$ and $f = 0.5$, splitting needs 27 % fewer people.
# Our surveys divide by the number of people who drew the attribute, so that chance in this number is no noise.
# For many people, $(d-1)\,f$ becomes $(d-1)\,f(1-f)$, which is what the ranking counts.
#
# Are employees content with pay, team and hours?

# %%
CONTENT = {  # shares of no, fairly, very
    "pay": [0.5, 0.3, 0.2],
    "team": [0.1, 0.3, 0.6],
    "hours": [0.2, 0.6, 0.2],
}
draws = [rng.choice(3, 20_000, p=p) for p in CONTENT.values()]
records = np.stack(draws, axis=1).tolist()
reports = [one_attribute(x, 3, EPS, rng) for x in records]
f_hat, error = server(reports, 3, 3, EPS)
rows = []
for j, (name, truth) in enumerate(CONTENT.items()):
    pairs = zip(truth, f_hat[j], error[j], strict=True)
    cells = [f"{f} → {x:.3f} ± {s:.3f}" for f, x, s in pairs]
    rows.append([name, *cells])
columns = ["truth → estimate", "no", "fairly", "very"]
table(pd.DataFrame(rows, columns=columns))

# %% [markdown]
# The client is ε-LDP for whole records: the draw ignores the record, and the rest is k-RR.
# For three yes/no attributes:


# %%
def client(record, eps, rng):
    return one_attribute(record, 2, eps, rng)


three = [*product(range(2), repeat=3)]
print(prove(client, three, rounded=False))


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: mean and variance from the client's law"}
def exactly(score, people=((0, 0), (2, 1), (1, 2))):
    """Means and variances of the scores, and what the formula says of them, for f = 0 or 1."""
    mean, variance = moments(lambda x, rng: one_attribute(x, 4, 1.0, rng), people, score=score)
    truth = [[x == y for x in person for y in range(4)] for person in people]
    v = np.where(truth, 3 * exp(1), exp(1) + 2) / (exp(1) - 1) ** 2  # without a draw
    return max(np.abs(mean - truth).max(), np.abs(variance - (2 * v + truth)).max())


one_score = lambda report: server([report], 2, 4, 1.0)[0].ravel()  # noqa: E731
check(
    "Drawn",
    "unbiased, variance d v + (d − 1) f",
    exactly(one_score) < 1e-9,
    control="scores not multiplied by d",
    caught=exactly(lambda report: one_score(report) / 2) > 0.1,
)

# %% [markdown]
# (sec-choosing-simulated)=
# ## Does the ranking hold?
#
# We run every mechanism with its real client: 33 questions, 40 surveys each, and 400 for one number.
# True shares are 0, so squared estimates are squared errors.
# For a mean, all people have the same number, the one with the largest error.

# %% mystnb={"figure": {"name": "fig-choosing-simulated", "caption": "Error divided by that of the first choice. Line: predicted. Marks: measured, one for each mechanism and question, ± two standard errors."}, "image": {"alt": "Logarithmic axes, predicted ratio from 1 to 100 and measured ratio. Marks of five kinds, for items, sets, a number, keys and tables, lie close to the diagonal from 1 to beyond 50."}}
some = {"n": 100, "epsilon": 1}
keys = {"m": 4, "share": 0.0}
TABLES = choose.Marginals, choose.Crosstabs
BARS = {"fmt": "none", "ecolor": "0.6", "zorder": 0.5}
GRID = {
    "items": [choose.Item(**some, k=k) for k in (8, 128)],
    "sets": [choose.Sets(**some, d=100, m=m) for m in (2, 20)],
    "number": [choose.OneNumber(**some)],
    "keys": [choose.Pairs(**some, **keys, d=d) for d in (8, 100)],
    "tables": [t(**some, d=4, k=k) for t in TABLES for k in (2, 4)],
}
found = study.surveys(GRID, (0.5, 1, 4), rng, elsewhere=2)
squares = found[["predicted", "measured"]]
best_of = squares.groupby(found["question"]).transform("first")
ratio = np.sqrt(squares / best_of).join(found["kind"])
blur = found["blur"] / found["measured"]
of_first = blur.groupby(found["question"]).transform("first")
bars = ratio["measured"] * np.hypot(blur, of_first)
bars[blur == of_first] = 0  # the first choice itself
fig, ax = plt.subplots(figsize=(6.4, 4.2))
xy = {"x": "predicted", "y": "measured", "ax": ax}
sns.scatterplot(ratio, **xy, hue="kind", style="kind")
ax.errorbar(ratio["predicted"], ratio["measured"], bars, **BARS)
ax.plot([1, 100], [1, 100], color="black", marker="", zorder=0)
ax.set(xscale="log", yscale="log")
plain_ticks(ax)
plt.show()

# %% [markdown]
# No mechanism departs from its formula by more than chance allows.
# Wherever the surveys tell two mechanisms apart, their order is as predicted.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: size and order, with predictions for another ε as control"}
def judge(theory):
    """Largest distance from theory in standard errors; clear pairs; those in the wrong order."""
    far, clear, wrong = (np.abs(found["measured"] - found[theory]) / found["blur"]).max(), 0, 0
    for _, some in found.groupby("question"):
        for x, y in combinations(some.itertuples(), 2):
            gap = getattr(x, theory) - getattr(y, theory)
            if abs(gap) > BOUND * sqrt(x.blur**2 + y.blur**2):
                clear, wrong = clear + 1, wrong + (gap * (x.measured - y.measured) < 0)
    return far, clear, wrong


pairs = sum(n * (n - 1) // 2 for n in found.groupby("question").size())
BOUND = student.isf(1e-6 / 2 / (len(found) + pairs), 39)
(far, clear, wrong), mistaken = judge("predicted"), judge("elsewhere")
print(f"{len(found)} errors, the farthest {far:.1f} of {BOUND:.1f} standard errors; {clear} of {pairs} pairs are clear")
check("Size", "all squares within the bound", far < BOUND, control="of ε = 2", caught=mistaken[0] > BOUND)
check("Order", "clear pairs", wrong == 0 and clear > pairs / 3, control="ranked for ε = 2", caught=mistaken[2] > 0)

# %% [markdown]
# (sec-choosing-people)=
# ## How many people, or which ε?
#
# We want 95 % intervals of ± one point, about these people (`people=True`).
# If a share is 1.96 standard errors, about half of all intervals leave out 0; we call it the smallest share:

# %%
us = {"people": True}
print(f"ε = {EPS:g}: {question.people_for(0.01, **us):,} people")
print(f"20,000 people: ε = {question.epsilon_for(0.01, **us):.2f}")
print(f"smallest share: {100 * question.smallest_share(**us):.1f} %")

# %% mystnb={"figure": {"name": "fig-choosing-people", "caption": "People needed for a standard error of 0.01 (95 % intervals of ± 0.01: 3.8 times as many), by the first choice. Means are on the scale from −1 to 1."}, "image": {"alt": "Five falling lines against epsilon from 0.25 to 4 on logarithmic axes. One of 40 items and one number fall from 600,000 people, to 300 and 1,500; three of 40 items and eight attributes begin at 2 and 3 million; their pairs fall from 16 million to 7,000."}}
SOME = ["one number", "three of 40 items"]
SOME += ["8 attributes, 5 values", "their pairs"]
FIVE = {"one of 40 items": choose.Item(**asked, k=40)}
FIVE |= {what: OTHERS[what] for what in SOME}
curves = study.needed(FIVE, np.geomspace(0.25, 4, 9), 0.01)
fig, ax = plt.subplots(figsize=(6.4, 4))
xy = {"x": "ε", "y": "people", "ax": ax}
sns.lineplot(curves, **xy, **theory("question", [*FIVE]))
ax.set(xscale="log", yscale="log", xlabel="budget ε")
ax.set_xticks([0.25, 0.5, 1, 2, 4], ["0.25", "0.5", "1", "2", "4"])
marks = ["1,000", "10,000", "100,000", "1 million", "10 million"]
ax.set_yticks(10.0 ** np.arange(3, 8), marks)
ax.minorticks_off()
label_lines(ax)
plt.show()

# %% [markdown]
# At $\varepsilon = 1$, tables of pairs need six times as many people as tables of single attributes.
#
# (sec-choosing-not)=
# ## What the error does not tell
#
# - *The server's work.*
#   Comparing reports with every item takes time in proportion to $k$: for a million items, days instead of seconds ({ref}`ch-speed`).
# - *The list.*
#   Without one, only the wheel is left: `rank` excludes RAPPOR and O-RR ({ref}`ch-rappor`, {ref}`ch-unknown`), whose errors depend on hash functions.
# - *Repairs.*
#   Norm-Sub ({ref}`ch-sensible`) lowers large errors more than small ones.
# - *Liars.*
#   One forged report can count for many people (Exercise 3).
# - *People.*
#   If the people are a random sample, sampling adds to the error ({eq}`eq-survey-both`).
# - *What ε covers.*
#   Here, ε covers all that a person sends; the ε of next week's report adds to it ({ref}`ch-composition`).
#
# (sec-choosing-hurry)=
# ## A tree of decisions
#
# {numref}`fig-choosing-tree` is for rare items and $\varepsilon \le 4$; the hierarchy is in {ref}`ch-ranges`.
# On a grid of questions, its choices need at most a third more people than the best.

# %% mystnb={"figure": {"name": "fig-choosing-tree", "caption": "Take the first answer that fits, from the top. There are k items or values, and d keys; a person has up to ℓ of them. *Small*: $k^2 \\leq 2e^\\varepsilon + 1$. *Drawn*: in public. *Sampled*: by k-RR or S-Hist."}, "image": {"alt": "A tree of decisions. One item: wheel without a list; k-RR for at most 2 e to the epsilon plus 1 items; block design for a short report; otherwise k-Subset. A set: PrivSet, or a sampled item if the server works only for reports. Keys: state encoding, PCKV-GRR or Wheel-KV. Number: Hybrid or hierarchy; several: MeanEst for two, or Harmony. Attributes: one drawn, blocks, or a pair drawn."}}
few = "$k \\leq 2e^\\varepsilon + 1$"
item = {"no list": "wheel", few: "k-RR"}
item |= {"short report": "block design", "else": "k-Subset"}
work = {"any": "PrivSet", "for reports": "sampled item"}
keys = {"$d \\leq 3\\ell, \\varepsilon \\leq 1$": "SE"}
keys |= {"$d \\leq 2\\ell e^\\varepsilon$": "PCKV-GRR"}
several = {"two, $\\varepsilon \\geq 1.4$": "MeanEst"}
several |= {"else": "Harmony"}
tables = {"of one": "one drawn", "of two, small": "blocks"}
HOLDS = {
    "one item": {"Which list, which report?": item},
    "a set": {"Server's work?": work},
    "rated keys": {"How many, which ε?": keys | {"else": "Wheel-KV"}},
    "one number": {"Wanted?": {"mean": "Hybrid", "ranges": "hierarchy"}},
    "numbers": {"How many, which ε?": several},
    "attributes": {"Tables?": tables | {"of two": "pair drawn"}},
}
diagram.decisions({"What does a person hold?": HOLDS})
plt.show()

# %% [markdown]
# The condition *small* matters: for four yes/no attributes at $\varepsilon = 4$, a drawn pair needs 42 % more people than blocks:


# %%
def excess(question, choice, work=None):
    """People for a choice, compared with the best of that work."""
    able = usable(question)
    able = [c for c in able if work in (None, c.server)]
    mine = next(c for c in able if c.name.startswith(choice))
    return (mine.error / able[0].error) ** 2


two = choose.Crosstabs(n=1, epsilon=4, d=4, k=2)
print(f"blocks:     {excess(two, 'blocks'):.2f} ×")
print(f"pair drawn: {excess(two, 'one pair'):.2f} ×")


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: each choice of the tree on a grid"}
def tree(eps, d, k, m):
    """Questions, with the choice of the tree for each."""
    a, e = {"n": 1, "epsilon": eps}, exp(eps)
    yield choose.Item(**a, k=k, listed=False), "wheel"
    for name in ["k-RR"] if k <= 2 * e + 1 else ["k-Subset", "block design"]:
        yield choose.Item(**a, k=k), name
    yield choose.Sets(**a, d=d, m=m), "PrivSet"
    yield choose.Sets(**a, d=d, m=m), ("sampled k-RR", "sampled S-Hist"), "report"
    rated = "SE" if d <= 3 * m and eps <= 1 else "PCKV-GRR" if d <= 2 * m * e else "Wheel-KV"
    yield choose.Pairs(**a, d=d, m=m, share=0.0), rated
    yield choose.OneNumber(**a), "Hybrid"
    yield choose.Distribution(**a, k=max(k, 8)), "hierarchy"
    yield choose.Vector(**a, d=d), "MeanEst" if d == 2 and eps >= 1.4 else "Harmony"
    yield choose.Marginals(**a, d=d, k=k), "one attribute"
    yield choose.Crosstabs(**a, d=d, k=k), "blocks" if k * k <= 2 * e + 1 else "one pair"


SHAPES = (2, 2, 1), (3, 3, 1), (4, 4, 2), (8, 13, 2), (10, 7, 8), (40, 40, 3), (100, 16, 4)
grid = {one for eps in (0.1, 0.5, 1, 1.1, 1.4, 2, 3, 4) for shape in SHAPES for one in tree(eps, *shape)}
worst = max(excess(*one) for one in grid)
check("Tree", "a third", worst < 4 / 3, control="a pair drawn", caught=excess(two, "one pair") > 4 / 3)

# %% [markdown]
# (sec-choosing-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 5 minutes)
# How many items must there be before a Hadamard bit beats k-RR for a rare item?
# Let $e^\varepsilon = 3$ and $k = 40$.
# Compare k-RR, Hadamard bit, OUE, and sets of ten.
# :::
#
# :::{dropdown} Solution
# By {eq}`eq-choosing-three`, $(e^\varepsilon+1)^2 < e^\varepsilon+k-2$, that is, $k > e^{2\varepsilon}+e^\varepsilon+3$.
# For $e^\varepsilon = 3$, this is $k > 15$.
# The variances are $41/4 = 10.25$, $16/4 = 4$ and $12/4 = 3$.
# With $b = 10$, $Z = 30+30 = 60$, so {eq}`eq-choosing-sets` gives $57\cdot59/(10\cdot30\cdot4) = 2.80$.
# :::
#
# :::{admonition} Exercise 2 (code, 11 minutes)
# Let everybody answer about all $d$ attributes, by k-RR with $\varepsilon/d$ each.
# Write the client and its estimator from `krr` and `server`.
# Is the client ε-LDP for whole records?
# For three attributes, a rare one of three values and $\varepsilon = 1$, how many times as many people does it need?
# :::
#
# :::{dropdown} Solution
# The answers are independent, so ratios multiply, and $(e^{\varepsilon/d})^d = e^\varepsilon$ is attained.
# For k-RR with three values and $f = 0$, $v(\varepsilon) = (e^\varepsilon+1)/(e^\varepsilon-1)^2$.
# By {eq}`eq-choosing-drawn`, the ratio is $v(1/3)/(3\,v(1)) = 15.31/3.78 = 4.05$.
# The ratios that the code prints are smaller, as its values are not rare.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def all_attributes(record, k, eps, rng):
    """Every attribute with its part of the budget."""
    return tuple(krr(x, k, eps / len(record), rng) for x in record)


split = [all_attributes(x, 3, EPS, rng) for x in records]
for j, (name, truth) in enumerate(CONTENT.items()):
    f_hat, wide = server([(0, report[j]) for report in split], 1, 3, EPS / 3)
    print(f"{name:<5}", *(f"{f} → {x:.3f} ± {s:.3f}" for f, x, s in zip(truth, f_hat[0], wide[0], strict=True)))
    print("      people:", *(f"{r:.1f} ×" for r in (wide[0] / error[j]) ** 2))
print(prove(lambda x, eps, rng: all_attributes(x, 2, eps, rng), three, rounded=False))

# %% [markdown]
# :::{admonition} Exercise 3 (think, 13 minutes)
# A liar may send any report.
# Of $n$ people, how many must lie to move an unbiased estimate of a rare item's share by one standard error?
# Use the largest score $u$ to show that $\sqrt n$ liars, rounded up, suffice if the estimate is a mean of scores.
# Why is k-RR over many items easy to lie to?
# :::
#
# :::{dropdown} Solution
# The variance of a score is at most its mean square, so at most $u^2$, and the standard error is at most $u/\sqrt n$.
# A liar who sends a report with the score $\pm u$ moves the estimate of a rare item by $u/n$, as honest scores have mean 0.
# So $\sqrt n$ liars move it by $u/\sqrt n$.
# A Hadamard bit needs all of them, because its scores all have the same size: $\sqrt{20000} = 141.4$, so 142 liars.
# For k-RR, $u = (e^\varepsilon+k-2)/(e^\varepsilon-1)$, and by {eq}`eq-choosing-three`, $\sqrt{n/(e^\varepsilon+k-2)}$ liars suffice.
# For 40 items and $\varepsilon = 1$, this is 22.2, so 23 liars.
# :::
#
# ## Summary
#
# - Take k-RR for $k \le 2e^\varepsilon+1$ items; for many items, several mechanisms are nearly equal, so look at bits, work and list.
# - For a small ε or rare values, do not split the budget: draw one attribute in public.
#
# ## Letters
#
# | letter | meaning |
# |---|---|
# | $n$ | number of people |
# | $k$ | size of the domain of one attribute; items are $0, \dots, k-1$ |
# | $d$ | number of keys, or of attributes |
# | $f$ | share of people who have something (of the population, for a random sample) |
# | $\hat f$ | estimate of $f$; a hat marks any estimate |
# | $p^*$ | chance that a report supports the person's own item |
# | $q^*$ | chance that a report supports any other item |
# | $c$ | $(e^\varepsilon+1)/(e^\varepsilon-1)$, the size of the score of one bit |
# | $\ell$ | length to which a person's set is padded |
# | $b$ | items in a report of k-Subset (here only) |
# | $Z$ | $b\,e^\varepsilon+k-b$ (here only) |
# | $v(\varepsilon)$ | $n\Var\hat f$ for one attribute without a draw (here only) |
# | $u$ | the largest score in size (here only) |
#
# {ref}`The page to play with <play>` ranks mechanisms for any question.
