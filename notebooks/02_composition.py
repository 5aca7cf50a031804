# %% [markdown]
# (ch-composition)=
# # Composition
#
# *From {cite:t}`dwork2006calibrating` and {cite:t}`ye2018survey`; personal budgets after {cite:t}`jorgensen2015conservative`.*
#
# :::{admonition} In one minute
# One reply with ε = 1 hides your answer.
# Twenty fresh replies to the same question give it away: their majority is right more than 98 times in 100.
# The budgets of all your replies add up.
# The budgets of different people do not.
# A yearly survey must divide your budget, ask you once, or repeat your first reply.
# For moderate budgets, asking once is better than dividing.
# People may even choose their own budgets, as long as the choice does not depend on the answer.
# :::
#
# :::{zh}
# 同一个人多次独立作答时，隐私预算相加：全部报告合在一起满足 $(\varepsilon_1+\dots+\varepsilon_T)$-本地化差分隐私，后一问可依前面的报告而定（序列组合）。
# 对报告的任何后续处理都不再消耗预算。
# 若用新的硬币反复回答同一问题，多数回答几乎必然暴露真相：每次 $\varepsilon=1$ 时，二十次之后，一百次中可猜中 98 次以上。
# 补救办法有三：把预算分到各次，随机只问一次，或记住第一次的回答并重复。
# 当 $\varepsilon\le 2.12$ 时，不论答案是否变化，只问一次的方差都不大于平分预算。
# 不同的人的报告不相加（并行组合），但向同一个人提出的不同问题仍要相加。
# 若各人自选 $\varepsilon$，服务器以 $\tanh^2(\varepsilon/2)$ 加权估计比例；这种选择不得依赖答案。
# :::
#
# You need {ref}`ch-rr`: ε-LDP, randomized response and its estimate.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import product
from math import acosh, exp, inf, log, sinh, sqrt, tanh

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy.stats import binom

from ldpnb import epsilon, laws, moments, pick, prove, toss
from ldpnb.chance import odds
from ldpnb_book import check, datasets, diagram, label_lines, simulation, style, table, theory

style()
rng = np.random.default_rng(1982)  # the last year of the experiment

# %% [markdown]
# (sec-comp-question)=
# ## One question, five years
#
# The RAND health insurance experiment {cite:p}`newhouse1993free` followed families for years.
# One question is: did you see a doctor this year?
# The public file has no names.
# So we treat consecutive rows that differ only in the number of visits as one person, and keep people with five rows.
# Three of them:

# %%
data = datasets.randhie()
T, EPS = 5, 1.0  # years, and ε of each reply
took_part = data.groupby("person")["year"].transform("size")
visits = data["visits"][took_part == T].to_numpy()
PEOPLE = (visits > 0).astype(int).reshape(-1, T)
print(f"{len(PEOPLE):,} people, {PEOPLE.mean():.1%} yes")
print(*PEOPLE[:3].tolist(), sep="\n")

# %% [markdown]
# People reply by randomized response, with $\varepsilon = 1$ each year.


# %%
def reply(x, eps, rng):
    """The answer x, 0 or 1, or the opposite."""
    return x if toss(odds(eps) / (1 + odds(eps)), rng) else 1 - x


# %% [markdown]
# **What do one person's five replies give away, and how should we ask instead?**
#
# (sec-comp-post)=
# ## After the report
#
# Whatever the server does with a report costs no privacy.
#
# :::{prf:theorem} Post-processing
# :label: thm-post
# A client is ε-LDP if it runs an ε-LDP client and sends any random function of that client's report, without looking at $x$ again.
# :::
#
# :::{prf:proof}
# Let the function turn the report $y$ into $y'$ with probability $\Pr[y' \mid y]$, whatever $x$ is.
# Then, with integrals for the sums if reports are real numbers,
#
# $$ \begin{aligned} \Pr[y' \mid x] &= \sum_y \Pr[y' \mid y]\,\Pr[y \mid x] \\ &\le \sum_y \Pr[y' \mid y]\; e^\varepsilon \Pr[y \mid x'] = e^\varepsilon \Pr[y' \mid x']. \end{aligned} $$
#
# :::
#
# (sec-rr-composition)=
# ## Two replies from one person
#
# Let one person reply twice, with fresh coins.
# In {numref}`fig-comp-tree`, each reply is true with probability $2/3$.


# %% mystnb={"figure": {"name": "fig-comp-tree", "caption": "Two replies if the answer is yes, with ε = ln 2 each. Probabilities multiply along branches; colours name reports."}, "image": {"alt": "Tree with four leaves. Two true replies, yes and yes, have probability 4/9; yes and no, and no and yes, have 2/9 each; no and no has 1/9."}}
def twice(x, rng):
    return reply(x, log(2), rng), reply(x, log(2), rng)


said = "no", "yes"
names = {(y, z): f"{said[y]}, {said[z]}" for y in (0, 1) for z in (0, 1)}
coins = {"steps": ["first reply", "second reply"]}
coins["options"] = [["true", "lie"]] * 2
diagram.tree(twice, 1, **coins, names=names, root="yes")
plt.show()

# %% [markdown]
# If the answer is no, the probabilities 4/9 and 1/9 change places.
# So two equal replies multiply or divide the odds of yes by $4 = e^{2\varepsilon}$ ({prf:ref}`thm-odds`); two opposite replies change nothing.
#
# :::{prf:theorem} Sequential composition
# :label: thm-composition
# Let a person send reports $y_1, \dots, y_T$, each with fresh coins.
# The client for report $t$ may be chosen by looking at the earlier reports.
# If every client that can be chosen for report $t$ is $\varepsilon_t$-LDP, then all reports together are $(\varepsilon_1 + \dots + \varepsilon_T)$-LDP.
# :::
#
# :::{prf:proof}
# The first line is the chain rule.
# The second holds because, given the earlier reports, report $t$ comes from an $\varepsilon_t$-LDP client with fresh coins:
#
# $$ \begin{aligned} \Pr[y_1, \dots, y_T \mid x] &= \prod_{t=1}^{T} \Pr[y_t \mid x, y_1, \dots, y_{t-1}] \\ &\le \prod_{t=1}^{T} e^{\varepsilon_t} \Pr[y_t \mid x', y_1, \dots, y_{t-1}] \\ &= e^{\varepsilon_1 + \dots + \varepsilon_T} \Pr[y_1, \dots, y_T \mid x']. \end{aligned} $$
#
# :::
#
# The value $x$ may be a record of five years, so {prf:ref}`thm-composition` covers answers that change.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: budgets add up exactly; a shared coin gives everything away"}
def spent(client, values=(0, 1)):
    """Exact ε of all that a client sends."""
    return epsilon(laws(client, list(values)))


def with_coin(x, rng):
    """A mistake: the second report repeats the coin of the first."""
    lie = reply(0, 0.5, rng)
    return x ^ lie, lie


check(
    "Composition",
    "budgets 0.5, 1 and 0.25: together exactly 1.75",
    abs(spent(lambda x, rng: [reply(x, e, rng) for e in (0.5, 1, 0.25)]) - 1.75) < 1e-12,
    control="a shared coin: infinite",
    caught=spent(with_coin) == inf,
)

# %% [markdown]
# (sec-comp-again)=
# ## The same question again
#
# Ask the same question $T$ times, with fresh coins, of a person whose answer stays the same.
# With $p = e^\varepsilon/(1+e^\varepsilon)$ and a fair coin for ties, the majority is right with probability
#
# $$ \sum_{l < T/2} \binom{T}{l} p^{T-l} (1-p)^{l} \;+\; \frac12 \Pr\Big[l = \frac T2\Big], $$ (eq-comp-majority)
#
# where $l$ is the number of lies.
# In {numref}`fig-rr-repeat`, the majority of five replies with $\varepsilon = 1$ is right 88 times in 100, that of twenty more than 98 times.
# Exercise 1 shows why a second reply adds nothing.


# %%
def majority(T, eps):
    """Chance that most of T replies are true, or a coin decides."""
    lie, half = 1 / (1 + exp(eps)), T // 2
    tie = binom.pmf(half, T, lie) if T % 2 == 0 else 0
    return binom.cdf(half, T, lie) - tie / 2


def right(T, eps, rng, people=2000):
    """For simulated people: 1 where the majority is right."""
    lies = rng.binomial(T, 1 / (1 + exp(eps)), people)
    return np.sign(T - 2 * lies) / 2 + 0.5


# %% tags=["hide-input"] mystnb={"code_prompt_show": "Numbers of the figure"}
BUDGETS = {f"ε = {eps:g}": eps for eps in (2, 1, 0.5, 0.25)}
curve = [(name, t, majority(t, e)) for name, e in BUDGETS.items() for t in range(1, 26)]
seen = [(name, t, z) for name, e in BUDGETS.items() for t in range(1, 26, 4) for z in right(t, e, rng)]
curve, seen = (pd.DataFrame(rows, columns=["budget", "T", "right"]) for rows in (curve, seen))

# %% mystnb={"figure": {"name": "fig-rr-repeat", "caption": "Probability that the majority of T fresh replies names the truth. Lines: formula. Marks: 2,000 simulated people, with 95 % bars."}, "image": {"alt": "Four curves rise with the number of replies from 1 to 25. That for epsilon 2 reaches 1 within ten replies, that for 1 passes 0.98 at twenty, those for 0.5 and 0.25 reach about 0.9 and 0.73. All stay level at even numbers. Marks lie on or near the lines."}}
axes = {"x": "T", "y": "right"}
sns.lineplot(curve, **axes, **theory("budget", [*BUDGETS]))
ax = sns.lineplot(seen, **axes, **simulation("budget", [*BUDGETS]))
ax.set(xlabel="number T of replies", ylim=(0.5, 1.02))
ax.set(ylabel="probability of being right")
label_lines(ax)
plt.show()


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: the majority formula, against the exact law of the replies"}
def from_law(T, eps):
    """Chance that the majority is right, from the law of T replies."""
    told = laws(lambda x, rng: sum(reply(x, eps, rng) for _ in range(T)), [0, 1])[1]
    return sum(float(q) * (np.sign(2 * ones - T) + 1) / 2 for ones, q in told.items())


check(
    "Majority",
    "T = 1 to 6, ε = 1: as the formula",
    all(abs(from_law(t, 1) - majority(t, 1)) < 1e-12 for t in range(1, 7)) and majority(20, 1) > 0.98,
    control="the formula at ε = 1.01",
    caught=all(abs(from_law(t, 1) - majority(t, 1.01)) > 1e-4 for t in range(1, 7)),
)

# %% [markdown]
# (sec-comp-remedies)=
# ## Three remedies
#
# How can a person spend at most ε over $T$ years?
#
# - *Divide:* she replies every year with $\varepsilon/T$.
# - *Ask once:* she replies in one year, drawn at random, with all of ε.
# - *Remember:* she repeats her first reply; by {prf:ref}`thm-post`, this costs only ε, but it ignores later answers.
#   A fresh reply after each change can reveal the change ({ref}`ch-rappor`).


# %%
def every(x, eps, rng):
    """A reply for each year, with an equal part of the budget."""
    return tuple(reply(a, eps / len(x), rng) for a in x)


def once(x, eps, rng):
    """A year, and the reply for it with the whole budget."""
    t = pick(range(len(x)), rng)
    return t, reply(x[t], eps, rng)


RECORDS = list(product((0, 1), repeat=3))  # three years
print(prove(every, RECORDS, rounded=False))
print(prove(once, RECORDS, rounded=False))

# %% [markdown]
# With $h = 2p-1$, a reply has mean $\E\,y = \frac12 + h\,(x - \frac12)$.
# So we define its *score* $z$, which has mean $x$:
#
# $$ z = \frac12 + \frac{y - 1/2}{h}, \qquad h = \frac{e^\varepsilon-1}{e^\varepsilon+1} = \tanh\frac\varepsilon2. $$ (eq-comp-score)
#
# The average score of the $n$ people estimates the share $f$ of yes over people and years.
# As in {ref}`ch-rr`, people are fixed; only coins are random.
# Whether $y$ is 0 or 1, $(y-\frac12)^2 = \frac14$, and so $(z-\frac12)^2 = 1/(4h^2)$:
#
# $$ \Var z = \E\Big(z-\frac12\Big)^2 - \Big(\E z-\frac12\Big)^2 = \frac{1}{4h^2} - \Big(\E z-\frac12\Big)^2. $$ (eq-comp-variance)
#
# If we ask for one answer $x$, $\E z = x$ and $(x-\frac12)^2 = \frac14$, so $\Var z = 1/\big(4\sinh^2(\varepsilon/2)\big)$, as in {prf:ref}`thm-rr-estimate`.
# Dividing averages $T$ such scores, each with $\varepsilon/T$.
# For asking once, let $a$ be the person's share of years with yes.
# The year drawn has a yes with probability $a$, so $\E z = a$ in {eq}`eq-comp-variance`:
#
# $$ \text{divide: } \frac{1}{4\,T \sinh^2\!\big(\varepsilon/(2T)\big)}, \qquad \text{ask once: } \frac{1}{4h^2} - \Big(a - \frac12\Big)^2 \le \frac{1}{4h^2}. $$ (eq-comp-remedies)


# %%
def score(y, eps):
    """Unbiased score of a reply."""
    return 0.5 + (y - 0.5) / np.tanh(eps / 2)


def average(x, eps, rng):
    """Average score of a person who replies every year."""
    replies = np.array(every(x, eps, rng))
    return score(replies, eps / len(x)).mean()


def divide(eps, T):
    """Variance of this average."""
    return 1 / (4 * T * sinh(eps / (2 * T)) ** 2)


def ask_once(eps):
    """Largest variance of a score, asked in one year."""
    return 1 / (4 * tanh(eps / 2) ** 2)


def server(z, variance):
    """Estimated share and its standard error, from scores."""
    return np.mean(z), sqrt(variance / len(z))


people = PEOPLE.tolist()
replied = [average(x, T * EPS, rng) for x in people]
divided = [average(x, EPS, rng) for x in people]
single = [score(once(x, EPS, rng)[1], EPS) for x in people]
asked = {
    f"every year, ε = {EPS:g}": (T * EPS, replied, divide(T * EPS, T)),
    "divided": (EPS, divided, divide(EPS, T)),
    "one year": (EPS, single, ask_once(EPS)),
}
rows = [["these people", "", f"{PEOPLE.mean():.3f}"]]
for how, (total, z, variance) in asked.items():
    f_hat, error = server(z, variance)
    rows.append([how, f"{total:g}", f"{f_hat:.3f} ± {error:.3f}"])
table(pd.DataFrame(rows, columns=["asked", "ε in total", "share"]))

# %% [markdown]
# The error in the last row comes from the bound in {eq}`eq-comp-remedies`; it is about half that of dividing.
# So for the share over all years, ask once:
#
# :::{prf:theorem} Ask once
# :label: thm-comp-once
# For $T \ge 2$ and $\varepsilon \le 2.12$, asking once has at most the variance of dividing, whatever the answers.
# :::
#
# :::{prf:proof}
# Let $u = \varepsilon/2$.
# By {eq}`eq-comp-remedies`, it suffices that $T\sinh^2(u/T) \le \tanh^2 u$.
# With $r = u/T$, the left side is $u$ times $\sinh r$ times $(\sinh r)/r$.
# The power series of the last two have no negative coefficients, so both grow with $r$.
# As $T$ grows, $r$ falls, so $T\sinh^2(u/T)$ decreases from $T = 1$ on.
# For $T \ge 2$, it is at most $2\sinh^2(u/2) = \cosh u - 1$.
# This must be at most $\tanh^2 u$; divide both by $\cosh u - 1 > 0$:
#
# $$ \begin{aligned} \cosh u - 1 &\le \tanh^2 u = \frac{(\cosh u - 1)(\cosh u + 1)}{\cosh^2 u} \\ \iff \cosh^2 u &\le \cosh u + 1 \;\iff\; \cosh u \le \frac{1+\sqrt5}{2}, \end{aligned} $$
#
# which holds up to $\varepsilon \approx 2.1226$.
# :::
#
# At $\varepsilon = 1$ and $T = 10$, a score has the standard deviation 3.16 if divided, and at most 1.08 if asked once.
# If a person's answer never changes, $a$ is 0 or 1, and asking once has the variance that dividing has at $T = 1$.
# The variance of dividing grows with $T$, so asking once is then better at every ε.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: exact variances of both remedies, and where they cross"}
RAND = [tuple(x) for x in people[:6]]


def exact(eps, client, one_score):
    """Exact mean and variance of a person's score, for six records."""
    return moments(lambda x, rng: client(x, eps, rng), RAND, score=one_score)


shares = np.mean(RAND, 1)
each_year = exact(EPS, every, lambda y: np.mean([score(b, EPS / T) for b in y]))
one_year = exact(EPS, once, lambda y: score(y[1], EPS))
derived = divide(EPS, T), ask_once(EPS) - (shares - 0.5) ** 2
both = zip((each_year, one_year), derived, strict=True)
check(
    "Remedies",
    "six records: means and variances as derived",
    all(np.allclose(m, shares) and np.allclose(v, w) for (m, v), w in both),
    control="ε for ε/T",
    caught=not np.allclose(each_year[1], divide(T * EPS, T)),
)
golden = 2 * acosh((1 + sqrt(5)) / 2)


def once_wins(eps, years):
    return ask_once(eps) <= divide(eps, years)


check(
    "Ask once",
    f"T = 2 to 50: better up to ε = {golden:.2f}",
    all(once_wins(eps, years) for years in range(2, 51) for eps in np.linspace(0.01, golden - 1e-6, 50))
    and all(divide(eps, 1) < divide(eps, years) for years in range(2, 51) for eps in np.linspace(0.01, 30, 50))
    and np.allclose(np.sqrt([divide(1, 10), ask_once(1)]), [3.16, 1.08], rtol=0, atol=0.005),
    control="ε = 2.13 and two years",
    caught=not once_wins(2.13, 2),
)

# %% [markdown]
# (sec-rr-parallel)=
# ## Different people
#
# :::{prf:theorem} Parallel composition
# :label: thm-comp-parallel
# Let each person $i$ send one report, with fresh coins, through an $\varepsilon_i$-LDP client that does not look at other people's values.
# Then a change of $x_i$ changes the probability of all $n$ reports together by a factor of at most $e^{\varepsilon_i}$.
# :::
#
# :::{prf:proof}
# The probability of all reports is a product with one factor per person, and only one of them contains $x_i$.
# In the ratio for two values of $x_i$, all other factors cancel.
# :::
#
# Two *questions* to one person concern one record, so their budgets add up.
#
# (sec-comp-personal)=
# ## People who choose their own ε
#
# By {prf:ref}`thm-comp-parallel`, each person may choose her own budget, and send it with her reply.


# %%
def personal(x, eps, rng):
    return eps, reply(x, eps, rng)


# %% [markdown]
# The choice must not depend on the answer.
# If people with something to hide pick a small ε, the choice reveals it.
#
# With fixed people, weights would estimate a weighted share: those with a large ε would count more.
# So let the people be a random sample: each $x_i$ is a yes with probability $f$.
# Then $\E z_i = f$, and with $h_i = \tanh(\varepsilon_i/2)$, $\Var z_i$ is at most $1/(4h_i^2)$, by {eq}`eq-comp-variance`.
# The server weights each score by $h_i^2$, in proportion to the inverse of this bound.
# By the Cauchy–Schwarz inequality, no other weights give a smaller bound on $\Var \hat f$:
#
# $$ \begin{aligned} \hat f &= \frac{\sum_i h_i^2 z_i}{\sum_i h_i^2} = \frac12 + \frac{\sum_i h_i\,(y_i - 1/2)}{\sum_i h_i^2}, \\[1ex] \Var \hat f &\le \frac{\sum_i h_i^4/(4h_i^2)}{(\sum_i h_i^2)^2} = \frac{1}{4\sum_i h_i^2}. \end{aligned} $$ (eq-comp-weighted)


# %%
def combine(eps, y, weights):
    """Estimated share, and a bound on its standard error."""
    h, total = np.tanh(eps / 2), np.sum(weights)
    f_hat = np.sum(weights * score(y, eps)) / total
    return f_hat, sqrt(np.sum(weights**2 / (4 * h**2))) / total


def weighted(eps, y):
    return combine(eps, y, np.tanh(eps / 2) ** 2)


def survey(x, eps, rng):
    """All budgets and replies, as two arrays."""
    people = zip(x.tolist(), eps.tolist(), strict=True)
    return np.array([personal(*who, rng) for who in people]).T


TRUTH, CHOICES = 0.3, [0.25, 1.0, 3.0]
x = (rng.random(20_000) < TRUTH).astype(int)
eps = rng.choice(CHOICES, len(x), p=[0.5, 0.3, 0.2])
own, y = survey(x, eps, rng)
hidden = np.where(x == 1, 0.25, eps)
four = {
    "own ε, weighted": weighted(own, y),
    "own ε, plain average": combine(own, y, np.ones(len(x))),
    "all at ε = 0.25": weighted(*survey(x, 0 * eps + 0.25, rng)),
    "own ε, 0.25 for every yes": weighted(*survey(x, hidden, rng)),
}
rows = [["population", f"{TRUTH}"]]
rows += [[how, f"{f:.3f} ± {e:.3f}"] for how, (f, e) in four.items()]
table(pd.DataFrame(rows, columns=["survey", "share"]))

# %% [markdown]
# The weights cut the error to about a third of the plain average's.
# In the last row, people with a yes hardly count, which biases the estimate; the ± does not show this.


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Checked: everybody keeps their own ε; a choice by the answer is caught"}
def all_reports(others, who, extra=()):
    """All reports of three people, as a client of one of them."""
    crowd = [(w, e) for w, e in enumerate(CHOICES)] + list(extra)
    return lambda x, rng: [personal(x if w == who else others[w], e, rng) for w, e in crowd]


def own_epsilon(who, extra=()):
    return max(spent(all_reports(others, who, extra)) for others in product((0, 1), repeat=3))


check(
    "Personal ε",
    "all reports of three people: exactly each person's own ε",
    all(abs(own_epsilon(who) - e) < 1e-12 for who, e in enumerate(CHOICES)),
    control="one person asked again; a budget chosen by the answer",
    caught=own_epsilon(0, [(0, 0.5)]) > 0.7 and spent(lambda x, rng: personal(x, CHOICES[1 - x], rng)) == inf,
)


def variances(share):
    """Exact variances of the scores of three random people."""
    return np.array([
        moments(lambda s, rng, e=e: reply(int(toss(s, rng)), e, rng), [share], score=lambda y, e=e: score(y, e))[1][0]
        for e in CHOICES
    ])  # fmt: skip


def of_weights(share, weights):
    """Exact variance of their weighted scores."""
    return np.sum(weights**2 * variances(share)) / np.sum(weights) ** 2


squares = np.tanh(np.array(CHOICES) / 2) ** 2
bound, inverse = 1 / (4 * squares.sum()), 1 / variances(0.3)
check(
    "Weights",
    "bound met at f = 1/2, kept at 0.3; other weights best there",
    abs(of_weights(0.5, squares) - bound) < 1e-9 and of_weights(0.3, inverse) < of_weights(0.3, squares) < bound,
    control="equal weights",
    caught=of_weights(0.3, np.ones(3)) > bound,
)

# %% [markdown]
# (sec-comp-wrong)=
# ## What can go wrong
#
# - *Rows are mistaken for people.*
#   Someone with five rows spends five times the stated ε.
# - *Two reports share a coin.*
#   A second report that says only whether the first was a lie is independent of the answer, yet together they reveal it.
#
# (sec-comp-exercises)=
# ## Exercises
#
# :::{admonition} Exercise 1 (pencil, 5 minutes)
# Two replies with ε each spend $2\varepsilon$ together.
# Suppose that yes and no are equally likely beforehand.
# Show that the best guess is right no more often from two replies than from one.
# How can both be true?
# :::
#
# :::{dropdown} Solution
# If the replies agree, guess what they say; if they differ, any guess is right half the time.
# So the guess is right with probability
#
# $$ p^2 + \frac12\cdot 2p(1-p) = p. $$
#
# ε is set by the most telling outcome, two equal replies; the probability of a right guess averages over all outcomes.
# :::
#
# :::{admonition} Exercise 2 (code, 10 minutes)
# Each person has two answers, and may spend ε in total.
# Write a client that asks one question drawn at random, and an estimator of both shares.
# How much larger is the variance, for small ε, if everybody answers both with $\varepsilon/2$?
# :::
#
# :::{dropdown} Solution
# Drawing leaves a random half of the people for each question.
# By {eq}`eq-comp-variance`, a score has variance at most $1/(4h^2) \approx 1/\varepsilon^2$, so the variance of a share is about $(2/\varepsilon^2)/n$.
# With both questions at $\varepsilon/2$, the variance is $(4/\varepsilon^2)/n$, twice as large.
#
# The code uses $1/(4h^2)$ at every ε, not $1/\big(4\sinh^2(\varepsilon/2)\big)$: the people who answer a question are drawn at random, so $\E z$ in {eq}`eq-comp-variance` is their share, not 0 or 1.
# :::


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Solution of Exercise 2, as code"}
def one_of_two(x, eps, rng):
    return once(x, eps, rng)  # the question, and the reply to it


def two_shares(reports, eps):
    return [server([score(y, eps) for t, y in reports if t == question], ask_once(eps)) for question in (0, 1)]


pairs = [(int(rng.random() < 0.2), int(rng.random() < 0.6)) for _ in range(20_000)]
for f_hat, error in two_shares([one_of_two(x, EPS, rng) for x in pairs], EPS):
    print(f"{f_hat:.3f} ± {error:.3f}")
print(prove(one_of_two, list(product((0, 1), repeat=2)), rounded=False))

# %% [markdown]
# :::{admonition} Exercise 3 (think, 5 minutes)
# Three apps of one company each ask you a different question with $\varepsilon = 1$.
# The company states $\varepsilon = 1$, because the apps' data are disjoint.
# Do you agree?
# :::
#
# :::{dropdown} Solution
# No: if you use all three, your record spends 3.
# The statement holds only for people with one app.
# Reports that can be linked by time or address spend 3 even without your name.
# :::
#
# ## Summary
#
# - What you do with reports costs no privacy.
# - The budgets of one person's reports add up, even if later questions depend on earlier reports.
# - Divide the budget, ask once, or remember a reply; up to $\varepsilon = 2.12$, asking once is no worse than dividing.
# - Different people's budgets do not add up.
# - With personal budgets, weight each person by $\tanh^2(\varepsilon_i/2)$.
#
# ## Letters
#
# Other letters of earlier lessons keep their meaning ({ref}`notation`).
#
# | letter | meaning |
# |---|---|
# | $T$ | number of reports of one person, or of years (here only) |
# | $t$ | one of them (here only) |
# | $l$ | number of lies (here only) |
# | $h$ | $2p-1 = \tanh(\varepsilon/2)$ (here only) |
# | $z$ | score of a report (here only) |
# | $a$ | a person's share of years with yes (here only) |
# | $u$ | $\varepsilon/2$ (here only) |
# | $r$ | $u/T$ (here only) |
#
# Next: {ref}`ch-verify`.
