# %% [markdown]
# (paper-zhang2018)=
# # Frequent items in two phases
#
# *A dossier on {cite:t}`zhang2018gfim`, a bachelor thesis: every exhibit, in its order.*
#
# Each person holds a *set* of items; which items do most people hold?
# LDPMiner {cite:p}`qin2016heavy` asks everybody twice, for candidates and then about these alone, with half of the budget each time.
# The thesis divides the *people*: its algorithm GFIM asks one random half in each phase, with all of ε.
#
# GFIM is private, and more accurate at small ε; {cite:t}`wang2018itemset`, of the same year, also divide people.
# Programmers need these corrections: {ref}`(2-6) <zhang2018-2-6>`, {ref}`p <zhang2018-2-2-1-a>`, and the table and $c$ of {ref}`Algorithm 2 <sec-items-literal>`.
# On our people, GFIM as written does not reach its printed precisions; some readings do ({ref}`§4.4 <sec-gfim-eight>`).
#
# :::{account} zhang2018
# :::
#
# **Our text was read by machine.**
# It has “RAPTOR” and “LDMPMiner”, so a *probable misprint* may be the machine's.
#
# **Readings that are ours.**
# The second phase is multiplied by $k_{\max}$ ({ref}`§3.2.3 <zhang2018-3-2-3-padding>`).
# If a synthetic person draws an item twice, she draws another.
# LDPMiner estimates candidates by phase two, and other items by phase one.
#
# **Letters.**
# For table entries $\pm1/\sqrt m$ we write $\Phi_{jv} = \pm1$ and send signs, so the only factor left is $c = \frac{e^\varepsilon+1}{e^\varepsilon-1}$.
#
# **Lessons.**
# {ref}`ch-items`, {ref}`ch-gfim`.
# The other part: {ref}`experiments, §4 and §5 <paper-zhang2018-experiments>`.
#
# **If you build on it.**
# - At small ε, report whole sets: far better than one bit about one item ({ref}`ch-items`).
# - As published, a second phase pays only with fewer candidates than ℓ ({prf:ref}`thm-gfim-pays`).
# - Estimates that selected an item are too large: publish those from other people.

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install . ./book in the folder above notebooks.
from itertools import chain, combinations, product
from math import exp, expm1, inf, isclose, log, log1p, log2, sinh, sqrt

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import binom

from ldpnb import GRR, SUE, Records, SampledHadamardBit, epsilon, law, laws, moments, pick, toss
from ldpnb_book import check, close, diagram, recorded, relative_error, settle, style, table
from ldpnb_book.diagram import PLAIN, SAND, SKY, arrow, board, border, box
from ldpnb_book.studies import zhang2018 as study

style()
rng = np.random.default_rng(2018)  # the year of the thesis


def reply(x, eps, rng):
    """W-RR: the answer x, 0 or 1, or the opposite."""
    return x if toss(exp(eps) / (1 + exp(eps)), rng) else 1 - x


def best_guess(one, inputs=(0, 1)):
    """How often the best guess between two inputs is right, from the law of the report."""
    a, b = laws(one, list(inputs))
    return float(sum(max(a.get(y, 0), b.get(y, 0)) for y in a.keys() | b.keys()) / 2)


# %% [markdown]
# (zhang2018-1)=
# ## §1 Introduction
#
# {badge}`Slip · certain`
#
# §1.4 announces six chapters; there are five.
#
# (zhang2018-2-1)=
# ## §2.1 Differential privacy
#
# (zhang2018-2-1-1)=
# ## §2.1.1 The central model
#
# (zhang2018-def-2-1)=
# ### Definition 2.1, Tables 2-1 and 2-2 · Neighbouring data sets
#
# {badge}`Reproduced under conditions · probable misprint <zhang2018.neighbours>`
#
# Table 2-2 is Table 2-1, three patients, and Alice.
# Data sets with the same attributes are neighbours if:
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $\lvert D\rvert$ and $\lvert D'\rvert$ differ by 1 | $\boxed{D' = D \text{ with one record added}}$, or the other way round |
# :::
#
# By size alone, three “no” and four “yes” would be neighbours, and a noisy count would not keep ε.
#
# (zhang2018-def-2-2)=
# ### Definition 2.2, (2-1) · Central ε-differential privacy
#
# {badge}`Corrected · probable misprint <zhang2018.strict>` {badge}`Slip · certain`
#
# An algorithm $A$ is ε-private if, for any two neighbours $D$, $D'$:
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | for any one output $S \in O$ | for any $\boxed{\text{set of outputs } S \subseteq O}$ |
# | $\Pr[A(D) \in S] < e^\varepsilon \Pr[A(D') \in S]$ | $\Pr[A(D) \in S] \boxed{\le} e^\varepsilon \Pr[A(D') \in S]$ |
# :::
#
# Randomized response attains equality.
#
# (zhang2018-2-1-1-a)=
# ### §2.1.1 (a) · What ε measures
#
# {badge}`Corrected · certain <zhang2018.larger-epsilon>` ε = 0: {badge}`Reproduced <zhang2018.epsilon-zero>`
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | The larger ε, the stronger the protection. | The $\boxed{\text{smaller}}$ ε, … |
# :::
#
# §1.1 has it right.
# At ε = 0, all inputs have one distribution (law) of outputs; we test local clients.
#
# (zhang2018-prop-2-1)=
# ### Property 2.1 · Sequential composition
#
# {badge}`Reproduced <zhang2018.sequential>` · Lesson: {ref}`sec-rr-composition`
#
# Algorithms with budgets $\varepsilon_1, \dots, \varepsilon_n$ on one data set are together $\sum_i \varepsilon_i$-private; $n$ runs of one, $n\varepsilon$.
#
# (zhang2018-prop-2-2)=
# ### Property 2.2 · Parallel composition
#
# {badge}`Reproduced <zhang2018.parallel>` · Lesson: {ref}`sec-rr-parallel`
#
# Algorithms on disjoint data sets are together $\max_i \varepsilon_i$-private.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §2.1.1: 3 reproduced, 1 reproduced under conditions, 2 corrected"}
OUTPUTS = np.arange(-60, 61)


def noisy(count, eps, outputs=OUTPUTS):
    """Law of a count with two-sided geometric noise, P(z) proportional to e^(−ε|z|)."""
    return np.tanh(eps / 2) * np.exp(-eps * np.abs(outputs - count))


def count_epsilon(a, b, eps):
    """Exact ε between two counts with this noise."""
    return np.abs(np.log(noisy(a, eps) / noisy(b, eps))).max()


def keeps(a, b, eps=1.0):
    """Whether two data sets with these numbers of yes stay within ε = 1."""
    return count_epsilon(a, b, eps) <= 1 + 1e-9


settle(
    "zhang2018.neighbours",
    {"added": keeps(0, 0) and keeps(0, 1), "sizes-only": keeps(0, 4)},
    control=("noise at twice the ε", not keeps(0, 1, 2.0)),
)
three_to_one = laws(lambda x, rng: x if toss(0.75, rng) else 1 - x, [0, 1])  # e^ε = 3, exact fractions
RATIOS = [three_to_one[x][y] / three_to_one[1 - x][y] for x, y in product((0, 1), repeat=2)]
settle(
    "zhang2018.strict",
    {"less": all(ratio < 3 for ratio in RATIOS)},
    instead={"at-most": all(ratio <= 3 for ratio in RATIOS)},
    control=("e^ε = 2", not all(ratio <= 2 for ratio in RATIOS)),
)
GUESSES = [best_guess(lambda x, rng, eps=eps: reply(x, eps, rng)) for eps in (0.5, 1.0, 2.0)]
settle(
    "zhang2018.larger-epsilon",
    {"worse": GUESSES[0] > GUESSES[1] > GUESSES[2]},
    instead={"better": GUESSES[0] < GUESSES[1] < GUESSES[2]},
)
ROW = (1, -1, -1, 1)  # a row of S-Hist's table


def shist(x, eps, rng):
    """S-Hist's bit: the sign of the item in the row, or the opposite."""
    return ROW[x] if toss(exp(eps) / (exp(eps) + 1), rng) else -ROW[x]


def rappor(x, eps, rng):
    """One-hot RAPPOR with the p of (2-16)."""
    p = exp(eps / 2) / (exp(eps / 2) + 1)
    return tuple(toss(p if i == x else 1 - p, rng) for i in range(4))


LOCAL = {reply: (0, 1), shist: range(4), rappor: range(4)}  # the clients of the chapter, and their inputs


def blind(client, inputs, eps=0.0):
    """Whether all inputs have one law of reports."""
    told = laws(lambda x, rng: client(x, eps, rng), list(inputs))
    return all(one == told[0] for one in told)


def falls_to_chance(client):
    """Whether the best guess between inputs 0 and 1 gets worse from budget to budget, down to 1/2."""
    seen = [best_guess(lambda x, rng, eps=eps: client(x, eps, rng)) for eps in (1.0, 0.5, 0.1, 0.001)]
    return seen == sorted(seen, reverse=True) and seen[-1] < 0.501


def stubborn(x, eps, rng):
    """A mistake: three truths in four, whatever ε is."""
    return x if toss(0.75, rng) else 1 - x


def score_error(eps):
    """Standard deviation of the score of one reply of W-RR, from its law."""
    p = exp(eps) / (1 + exp(eps))
    told = law(lambda rng: reply(1, eps, rng))
    scores = {y: (y - (1 - p)) / (2 * p - 1) for y in told}
    mean = sum(float(q) * scores[y] for y, q in told.items())
    return sqrt(sum(float(q) * (scores[y] - mean) ** 2 for y, q in told.items()))


def diverges(error):
    return all(isclose(error(eps / 10) / error(eps), 10, rel_tol=0.01) for eps in (0.1, 0.01))


settle(
    "zhang2018.epsilon-zero",
    {
        "blind": all(blind(client, inputs) for client, inputs in LOCAL.items()),
        "guess": all(falls_to_chance(client) for client in LOCAL),
        "useless": diverges(score_error),
    },
    control=(
        "truthful with probability 3/4 at every ε; ε = 0.01 for 0; an error that stays",
        not (blind(stubborn, (0, 1)) or falls_to_chance(stubborn))
        and not any(blind(client, inputs, 0.01) for client, inputs in LOCAL.items())
        and not diverges(lambda eps: score_error(1.0)),
    ),
)


def spent(client, inputs=(0, 1)):
    """Exact ε of all that a client sends."""
    return epsilon(laws(client, list(inputs)))


def adds_up(client, total):
    return isclose(spent(client), total, abs_tol=1e-12)


def with_coin(x, rng):
    """A mistake: the second report is the coin of the first."""
    lie = reply(0, 0.5, rng)
    return x ^ lie, lie


def repeated(times):
    return lambda x, rng: tuple(reply(x, 0.5, rng) for _ in range(times))


AROUND = np.arange(-12, 14)  # both counts are 0 and 1


def two_counts(first, second, eps=(0.5, 1.0)):
    """Law of two counts with noise, one budget for each."""
    return np.outer(*(noisy(count, x, AROUND) for count, x in zip((first, second), eps, strict=True)))


def largest_ratio(a, b):
    """Exact ε between two laws of positive probabilities."""
    return float(np.abs(np.log(a / b)).max())


def counts_add_up(eps=(0.5, 1.0)):
    """Whether two counts of one data set spend 1.5 when a record is added."""
    return isclose(largest_ratio(two_counts(0, 0, eps), two_counts(1, 1, eps)), 1.5, abs_tol=1e-9)


def parts_take_the_largest(pairs):
    """Whether counts of two disjoint parts spend 1 when a record is added to one of them."""
    return isclose(max(largest_ratio(two_counts(0, 0), two_counts(*pair)) for pair in pairs), 1.0, abs_tol=1e-9)


settle(
    "zhang2018.sequential",
    {
        "central": counts_add_up(),
        "different": adds_up(lambda x, rng: tuple(reply(x, eps, rng) for eps in (0.5, 1.0, 0.25)), 1.75),
        "repeated": all(adds_up(repeated(times), 0.5 * times) for times in (1, 2, 4)),
    },
    control=(
        "two reports with one coin; one report sent twice; the second count at half its ε",
        not adds_up(with_coin, 1.0)
        and not adds_up(lambda x, rng: (reply(x, 0.5, rng),) * 2, 1.0)
        and not counts_add_up((0.5, 0.5)),
    ),
)
OWN = (0.5, 1.0, 2.0)


def personal(answers, rng):
    """Three people, each in one part, at their own ε."""
    return tuple(reply(x, eps, rng) for x, eps in zip(answers, OWN, strict=True))


def twice(answers, rng):
    """A mistake: the last person is in two parts."""
    return *personal(answers, rng), reply(answers[2], 0.5, rng)


def epsilon_of(person, protocol):
    """Exact ε of all outputs when only this person's answer changes, for the worst other answers."""
    others = product((0, 1), repeat=2)
    return max(spent(lambda x, rng, o=o: protocol((*o[:person], x, *o[person:]), rng)) for o in others)


def together(protocol):
    return max(epsilon_of(person, protocol) for person in range(3))


settle(
    "zhang2018.parallel",
    {
        "largest": isclose(together(personal), max(OWN), abs_tol=1e-12),
        "central": parts_take_the_largest([(1, 0), (0, 1)]),
    },
    control=(
        "one person, or record, in two parts",
        not isclose(together(twice), max(OWN), abs_tol=1e-12) and not parts_take_the_largest([(1, 1)]),
    ),
)
close("zhang2018", "§2.1.1", "3 reproduced, 1 reproduced under conditions, 2 corrected")

# %% [markdown]
# (zhang2018-2-1-2)=
# ## §2.1.2 The local model
#
# (zhang2018-def-2-3)=
# ### Definition 2.3, (2-2) · ε-local differential privacy
#
# {badge}`Definition` {badge}`Slip · certain` · Lesson: {ref}`ch-rr`
#
# Any two records $R$, $R'$ take the place of neighbours.
# The sign and “any one output” are as in {ref}`(2-1) <zhang2018-def-2-2>`.
# Both properties hold here.
#
# (zhang2018-2-1-3)=
# ## §2.1.3 How the two models differ
#
# (zhang2018-fig-2-1)=
# ### §2.1.3 (1), Fig. 2-1 · Where the data are perturbed
#
# {badge}`Drawn`


# %% tags=["hide-input"] mystnb={"figure": {"caption": "For Fig. 2-1: who perturbs the data."}, "image": {"alt": "Two flow diagrams. Central: three people send their values to a collector; behind it stands a box, perturb, and then the result; a dashed line between private and public lies behind the perturbation. Local: each person has a box, perturb, of her own, and the dashed line lies before the collector."}}
def model(ax, title, wall):
    """One of the two models, with the line between private and public at `wall`."""
    central = title == "central"
    board(ax)
    ax.text(0, 0.99, title, fontweight="bold", va="top")
    for i, y in enumerate((0.75, 0.45, 0.15)):
        box(ax, 0.1, y, "person x" + "₁₂₃"[i], SKY)
        if not central:
            box(ax, 0.33, y, "perturb", SAND)
            arrow(ax, (0.183, y), (0.258, y))
        arrow(ax, (0.183 if central else 0.4, y), (0.466, 0.51 - 0.06 * i))
    box(ax, 0.55, 0.45, "collector", PLAIN)
    arrow(ax, (0.635, 0.45), (0.69, 0.45))
    box(ax, 0.77, 0.45, *(("perturb", SAND) if central else ("estimate", PLAIN)))
    arrow(ax, (0.845, 0.45), (0.892, 0.45))
    box(ax, 0.945, 0.45, "result", PLAIN)
    border(ax, wall, 0.02, 0.86, "private", "public")


fig, axes = plt.subplots(2, 1, figsize=(6.4, 4.6))
model(axes[0], "central", 0.855)
model(axes[1], "local", 0.425)
plt.show()

# %% [markdown]
# (zhang2018-fig-2-2)=
# ### §2.1.3 (2), Fig. 2-2 · Which model protects better
#
# {badge}`Drawn` {badge}`Reproduced <zhang2018.stronger>`

# %% tags=["hide-input"] mystnb={"figure": {"caption": "For Fig. 2-2: where the central model may leak."}, "image": {"alt": "The flow diagram of the central model. Two labels mark leaks of true data: one, on the way, at the arrows from the people to the collector; two, with the collector, under its box."}}
fig, ax = plt.subplots(figsize=(6.4, 2.4))
model(ax, "central", 0.855)
ax.text(0.33, 0.93, "① on the way", ha="center", va="top", color="#D55E00")
ax.text(0.55, 0.2, "② with the\ncollector", ha="center", va="top", color="#D55E00")
plt.show()

# %% [markdown]
# In the local model, both places hold only reports.
#
# (zhang2018-2-1-3-a)=
# ### §2.1.3 (3) · Laplace and exponential mechanism
#
# {badge}`Corrected · certain <zhang2018.no-sensitivity>` {badge}`Slip · certain`
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | Locally there are neither neighbours nor a global sensitivity, so both do not apply. | $\boxed{\text{Any two records are neighbours}}$, and both apply. |
# | Sensitivity is the largest distance of two outputs of the algorithm. | … of two values of the $\boxed{\text{query before noise}}$. |
# :::
#
# For an answer $x \in \{0, 1\}$ with two-sided geometric noise, the report $y$ has
#
# $$ \frac{\Pr[y \mid x]}{\Pr[y \mid x']} = e^{-\varepsilon\lvert y - x\rvert + \varepsilon\lvert y - x'\rvert} \le e^\varepsilon. $$
#
# The exponential mechanism sends $y$ with weight $e^{\varepsilon [y = x]}$, which is k-RR.
#
# (zhang2018-2-1-3-b)=
# ### §2.1.3 (4) · Personal settings, and the amount of data
#
# Settings: {badge}`Reproduced under conditions <zhang2018.personal>` data: {badge}`Reproduced under conditions <zhang2018.volume>` · Lesson: {ref}`sec-comp-personal`
#
# Locally, everybody may choose an ε that does not depend on the data; centrally, the thesis says, nobody may.
# They may if they tell the collector: {cite:t}`jorgensen2015conservative` keep the record of person $i$ with probability
#
# $$ \frac{e^{\varepsilon_i}-1}{e^{t}-1}, \qquad t = \max_i \varepsilon_i, $$
#
# and then run a $t$-private algorithm.
#
# Central privacy is said to suit any amount of data, local privacy only big data.
# For one point of error at $\varepsilon = 1$, W-RR needs 68 times the people of a noisy count.
# But at $\varepsilon = 0.1$, *any* central algorithm tells ten “yes” from ten “no”, 20 steps away, with probability at most
#
# $$ \frac{e^{20\,\varepsilon}}{1+e^{20\,\varepsilon}} = 0.88. $$

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §2.1.3: 1 reproduced, 2 reproduced under conditions, 1 corrected"}


def sends_epsilon(client, inputs, eps=1.0):
    """Whether what a client sends has exactly ε: for anybody on the way, and for the collector."""
    return isclose(spent(lambda x, rng: client(x, eps, rng), inputs), eps, abs_tol=1e-9)


def total(answers, rng):
    """A published result: the number of yes among three replies."""
    return sum(reply(x, 1.0, rng) for x in answers)


def more_than_replies(answers, rng):
    """A mistake: a result that also uses an answer."""
    return total(answers, rng), answers[0]


settle(
    "zhang2018.stronger",
    {
        "sent": all(sends_epsilon(client, inputs) for client, inputs in LOCAL.items()),
        "result": together(total) <= 1 + 1e-12,
    },
    control=(
        "the record is sent and perturbed later; a reply with its coin; a result that uses an answer",
        not sends_epsilon(lambda x, eps, rng: x, (0, 1))
        and not sends_epsilon(lambda x, eps, rng: with_coin(x, rng), (0, 1))
        and together(more_than_replies) == inf,
    ),
)


def noise_works(scale=1.0):
    """Whether 0 or 1 plus two-sided geometric noise has exactly ε, for three ε."""
    return all(isclose(count_epsilon(0, 1, scale * eps), eps, abs_tol=1e-9) for eps in (0.1, 0.5, 1.0))


def exponential_works(weight, values=3):
    """Whether weights that a true value raises give exactly ε, for three ε."""
    found = []
    for eps in (0.1, 0.5, 1.0):
        weights = np.array([[weight(eps) if x == y else 1.0 for y in range(values)] for x in range(values)])
        told = weights / weights.sum(1, keepdims=True)
        found.append(isclose(np.log(told[:, None] / told[None]).max(), eps, abs_tol=1e-9))
    return all(found)


settle(
    "zhang2018.no-sensitivity",
    {"noise-fails": not noise_works(), "exponential-fails": not exponential_works(exp)},
    instead={"noise-works": noise_works(), "exponential-works": exponential_works(exp)},
    control=(
        "noise at twice the ε; weights 1 + ε",
        not noise_works(2.0) and not exponential_works(lambda eps: 1 + eps),
    ),
)


def kept(eps):
    """Probability with which the central algorithm keeps a record."""
    return (exp(eps) - 1) / (exp(max(OWN)) - 1)


def central(answers, rng, keep=kept):
    """Keep each record with its probability, then a count that is private at the largest ε."""
    yes = sum(x for x, eps in zip(answers, OWN, strict=True) if toss(keep(eps), rng))
    options = len(answers) + 1
    return yes if toss((exp(max(OWN)) - 1) / (exp(max(OWN)) + options - 1), rng) else pick(range(options), rng)


def within_own(protocol):
    return all(epsilon_of(person, protocol) <= eps + 1e-9 for person, eps in enumerate(OWN))


def follows(answers, rng):
    """A mistake: everybody with a yes takes the smallest ε, and says so."""
    told = [min(OWN) if x else eps for x, eps in zip(answers, OWN, strict=True)]
    return tuple((eps, reply(x, eps, rng)) for x, eps in zip(answers, told, strict=True))


settle(
    "zhang2018.personal",
    {"local": within_own(personal), "central": not within_own(central)},
    control=(
        "ε chosen by the answer; all records kept",
        not within_own(follows) and not within_own(lambda answers, rng: central(answers, rng, lambda eps: 1.0)),
    ),
)


def people_needed(eps, error=0.01):
    """People for a standard error of one point: a count with geometric noise, and W-RR."""
    spread = 1 / (4 * sinh(eps / 2) ** 2)
    return sqrt(2 * spread) / error, spread / error**2


def far_more(eps, factor=10):
    near, far = people_needed(eps)
    return far > factor * near


def bound(n, eps):
    """How often any central algorithm can tell n answers yes from n answers no: 2n records change."""
    return 1 / (1 + exp(-2 * n * eps))


def told_apart(n, eps):
    """How often a noisy count does."""
    a, b = (noisy(count, eps, np.arange(-400, n + 401)) for count in (0, n))
    return np.maximum(a, b).sum() / 2


OFTEN = 0.95
settle(
    "zhang2018.volume",
    {"local": all(far_more(eps) for eps in (0.1, 0.5, 1.0)), "central": bound(10, 0.1) >= OFTEN},
    control=(
        "ε = 4, where the two needs are close; a noisy count of 1,000 people, and one of ten within the bound",
        not far_more(4.0) and told_apart(1000, 0.1) >= OFTEN and told_apart(10, 0.1) <= bound(10, 0.1),
    ),
)
for eps in (0.1, 1.0):
    near, far = people_needed(eps)
    print(f"one point of error at ε = {eps:g}: {near:,.0f} people with a noisy count, {far:,.0f} with W-RR")
close("zhang2018", "§2.1.3", "1 reproduced, 2 reproduced under conditions, 1 corrected")

# %% [markdown]
# (zhang2018-2-2-1)=
# ## §2.2.1 Randomized response
#
# Lesson: {ref}`ch-rr`.
# A share π of $n$ users is ill; each tells the truth with probability $p > \frac12$, and $n_1$ say yes.
#
# (zhang2018-2-3)=
# ### (2-3), (2-4) · Shares of replies
#
# {badge}`Reproduced <zhang2018.wrr-law>`
#
# $$ \begin{aligned}
# \Pr[x_i = \text{yes}] &= \pi p + (1-\pi)(1-p), \\
# \Pr[x_i = \text{no}] &= (1-\pi)\,p + \pi\,(1-p).
# \end{aligned} $$
#
# For $p < 1$, they are the true shares only if $\pi = \frac12$.
#
# (zhang2018-2-6)=
# ### (2-5), (2-6) · The estimate
#
# {badge}`Corrected · probable misprint <zhang2018.mle>`
#
# With $q = \pi p + (1-\pi)(1-p)$, the likelihood (2-5) is $q^{n_1}(1-q)^{n-n_1}$.
# It is largest at $q = n_1/n$, if that lies between $1-p$ and $p$; solved for π:
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $\displaystyle \hat\pi = \frac{p-1}{2p-1}\,n + \frac{n_1}{(2p-1)\,n}$ | $\displaystyle \hat\pi = \boxed{\frac{p-1}{2p-1}} + \frac{n_1}{(2p-1)\,n}$ |
# :::
#
# For $n = 1000$, $\pi = 0.1$ and ε = 1, the printed estimate is −581.
#
# (zhang2018-2-7)=
# ### (2-7) · Its expectation
#
# {badge}`Corrected · certain <zhang2018.expectation>`
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $\displaystyle \E\hat\pi = \frac{1}{2(p-1)}\Big[p - 1 + \frac1n\sum_{i=1}^n x_i\Big]$ | $\displaystyle \E\hat\pi = \boxed{\frac{1}{2p-1}}\Big[p - 1 + \frac1n\sum_{i=1}^n \boxed{\E x_i}\Big]$ |
# | $\displaystyle \phantom{\E\hat\pi} = \frac{1}{2(p-1)}\big[p - 1 + q\big] = \pi$ | $\displaystyle \phantom{\E\hat\pi} = \boxed{\frac{1}{2p-1}}\big[p - 1 + q\big] = \pi$ |
# :::
#
# (zhang2018-2-2-1-a)=
# ### §2.2.1 (a) · The probability p
#
# {badge}`Corrected · probable misprint <zhang2018.p>`
#
# The printed $p/(1-p) = e^\varepsilon$ gives
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $\displaystyle p = \ln\frac{e^\varepsilon}{e^\varepsilon+1}$ | $\displaystyle p = \boxed{\frac{e^\varepsilon}{e^\varepsilon+1}}$ |
# :::
#
# The logarithm is always negative.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §2.2.1: 1 reproduced, 3 corrected"}
TRIED = list(product((0.1, 1 / 3, 0.8), (exp(eps) / (1 + exp(eps)) for eps in (0.1, 0.5, 1.0, 2.0, 5.0))))


def drawn(pi, p, rng):
    """The reply of a user drawn at random: yes with probability π, then truthful with probability p."""
    x = int(toss(pi, rng))
    return x if toss(p, rng) else 1 - x


def yes(pi, p):
    """(2-3)."""
    return pi * p + (1 - pi) * (1 - p)


def no(pi, p):
    """(2-4)."""
    return (1 - pi) * p + pi * (1 - p)


def is_law(yes, no):
    told = {(pi, p): law(lambda rng, pi=pi, p=p: drawn(pi, p, rng)) for pi, p in TRIED}
    return all(
        isclose(float(told[pi, p][1]), yes(pi, p), abs_tol=1e-12)
        and isclose(float(told[pi, p][0]), no(pi, p), abs_tol=1e-12)
        for pi, p in TRIED
    )


def biased(score):
    """Whether the mean of a score of the reply differs from the share, at all of these shares."""
    return all(abs(yes(pi, p) * score(1, p) + no(pi, p) * score(0, p) - pi) > 1e-3 for pi, p in TRIED)


def corrected(y, p):
    return (p - 1 + y) / (2 * p - 1)


settle(
    "zhang2018.wrr-law",
    {"law": is_law(yes, no), "biased": biased(lambda y, p: y)},
    control=("the two formulas exchanged; the corrected score", not is_law(no, yes) and not biased(corrected)),
)
n, pi, p = 1000, 0.1, exp(1) / (1 + exp(1))
n1 = n * yes(pi, p)  # the expected number of yes
SHARES = np.linspace(0, 1, 10_001)
LIKELIHOOD = n1 * np.log(yes(SHARES, p)) + (n - n1) * np.log(no(SHARES, p))  # logarithm of (2-5)
printed, mended = (p - 1) / (2 * p - 1) * n + n1 / ((2 * p - 1) * n), corrected(n1 / n, p)
print(f"n = {n}, π = {pi}, ε = 1: (2-6) gives {printed:.2f} as printed, {mended:.4f} without the factor n")


def maximises(estimate):
    return abs(estimate - SHARES[np.argmax(LIKELIHOOD)]) < 1e-3


settle("zhang2018.mle", {"printed": maximises(printed)}, instead={"without-n": maximises(mended)})


def equals_share(factor):
    return all(isclose(factor(p) * (p - 1 + yes(pi, p)), pi, abs_tol=1e-12) for pi, p in TRIED)


settle(
    "zhang2018.expectation",
    {"printed": equals_share(lambda p: 1 / (2 * (p - 1)))},
    instead={"right-factor": equals_share(lambda p: 1 / (2 * p - 1))},
)


def private(make_p):
    """Whether p is a probability that makes W-RR exactly ε-private, for three ε."""
    chances = {eps: make_p(eps) for eps in (0.5, 1.0, 2.0)}
    return all(
        0 <= p <= 1 and isclose(spent(lambda x, rng, p=p: x if toss(p, rng) else 1 - x), eps, abs_tol=1e-9)
        for eps, p in chances.items()
    )


settle(
    "zhang2018.p",
    {"probability": any(0 <= log(exp(eps) / (exp(eps) + 1)) <= 1 for eps in (0.1, 1.0, 10.0))},
    instead={"private": private(lambda eps: exp(eps) / (exp(eps) + 1))},
    control=("the logarithm in its place", not private(lambda eps: log(exp(eps) / (exp(eps) + 1)))),
)
close("zhang2018", "§2.2.1", "1 reproduced, 3 corrected")

# %% [markdown]
# (zhang2018-2-2-2)=
# ## §2.2.2 S-Hist
#
# Lesson: {ref}`sec-onebit-shist`.
#
# (zhang2018-algorithm-1)=
# ### Algorithm 1, Fig. 2-3 · The server
#
# the estimate: {badge}`Reproduced under conditions <zhang2018.shist-estimate>`
#
# ::::{prf:algorithm} S-Hist, the server
# :label: alg-zhang2018-1-server
# :nonumber:
# **Input** $n$ people with one of $d$ items each; ε; β.
#
# 1. Compute $\delta = \sqrt{\ln(2d/\beta)/n}$ and $m = \ln(d+1)\,\ln(2/\beta)/\delta^2$.
# 2. Draw a random table $\varphi$ of $m$ rows and $d$ columns, with entries $\pm1/\sqrt m$.
# 3. Start with a vector $z$ of $m$ zeros.
# 4. For each person: send her a random row $j$, and add her reply to $z_j$.
# 5. For each item $v$, return $\langle \varphi e_v, z\rangle/n$.
# ::::
#
# For a person with item $x$, the mean of the estimate of $v$ is
#
# $$ G_{xv} = \frac1m \sum_j \Phi_{jx}\Phi_{jv}. $$
#
# This is 1 for $v = x$, otherwise 0 on average over all tables, and of order $1/\sqrt m$ for a given one ({prf:ref}`thm-shist`).
#
# (zhang2018-2-8)=
# (sec-items-rows)=
# ### (2-8) · The lemma of Johnson and Lindenstrauss
#
# {badge}`Definition` its δ: {badge}`Corrected · certain <zhang2018.jl-delta>` its probability: {badge}`Reproduced under conditions <zhang2018.jl-probability>` fewer rows than items: {badge}`Reproduced <zhang2018.reduces>`
#
# For $0 < \delta < 1$, some map φ of $t$ points to $m = O(\ln t/\delta^2)$ dimensions keeps all distances:
#
# $$ (1-\delta)\lVert u-v\rVert^2 \le \lVert \varphi u-\varphi v\rVert^2 \le (1+\delta)\lVert u-v\rVert^2. $$
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | The δ of the lemma corresponds to Algorithm 1's β. | δ is the $\boxed{\text{size of the distortion}}$. |
# :::
#
# (2-8) is said to hold with probability at least $1-\delta$.
# This depends on the constant in $O(\cdot)$: for 1,000 items, $8\ln(d)/\delta^2$ rows are enough, $\ln(d)/\delta^2$ are not.
# For 50,000 people, Algorithm 1's rows keep all distances with probability above 0.999 at $\beta = 0.01$, below 0.28 at 0.1.


# %% tags=["hide-input"]
def recipe(n, d, beta=0.01):
    """δ and the number of rows of Algorithm 1."""
    delta = sqrt(log(2 * d / beta) / n)
    return delta, round(log(d + 1) * log(2 / beta) / delta**2)


SIZES = ((50_000, 1000), (500_000, 1000), (100_000, 10**7))
rows = [
    (f"{n:,}", f"{d:,}", f"{recipe(n, d)[0]:.4f}", f"{recipe(n, d)[1]:,}", f"{1 << (d - 1).bit_length():,}")
    for n, d in SIZES
]
table(pd.DataFrame(rows, columns=["n", "d", "δ, β = 0.01", "rows, Algorithm 1", "rows, Algorithm 2"]))

# %% [markdown]
# At $\beta = 0.01$, rows are fewer than items from about four items per person on.
#
# (zhang2018-2-9)=
# ### (2-9) to (2-15) · The client is private
#
# {badge}`Reproduced <zhang2018.shist-private>`
#
# For two items $v$, $w$ and a row, {ref}`the client <zhang2018-algorithm-1-client>` has
#
# $$ \frac{\Pr[z \mid v]}{\Pr[z \mid w]} = \begin{cases} 1 & \text{same sign, (2-10),}\\ e^{\varepsilon} & z \text{ has the sign of } v \text{, (2-11), (2-14),}\\ e^{-\varepsilon} & z \text{ has the sign of } w \text{, (2-12), (2-13).} \end{cases} $$
#
# All are at most $e^\varepsilon$, as in (2-9) and (2-15).
#
# (zhang2018-algorithm-1-client)=
# ### Algorithm 1, Fig. 2-4 · The client
#
# ::::{prf:algorithm} S-Hist, the local randomizer
# :label: alg-zhang2018-1-client
# :nonumber:
# **Input** a row $x$ of the table; ε; the person's item $i$.
#
# 1. Take the entry $x_i = x^\top e_i$ of her item.
# 2. Compute $c = \frac{e^\varepsilon+1}{e^\varepsilon-1}$.
# 3. Return $c\,m\,x_i$ with probability $\frac{e^\varepsilon}{e^\varepsilon+1}$, and $-c\,m\,x_i$ otherwise.
# ::::
#
# In code, with dummies for §3:


# %%
def one_bit(item, signs, eps, rng):
    """A public row, and the item's sign there, true with probability e^ε/(e^ε+1); a fair sign for a dummy."""
    row = pick(range(len(signs)), rng)
    if item is None:
        return row, pick((-1, 1), rng)
    true = toss(exp(eps) / (exp(eps) + 1), rng)
    return row, signs[row][item] if true else -signs[row][item]


# %% tags=["hide-input"] mystnb={"figure": {"caption": "Algorithm 1's client: two rows, odds of 3."}, "image": {"alt": "A tree of one client. A first fork draws row 0 or row 1, one half each. A second fork sends the true sign with probability three quarters, the other one with one quarter. The leaves are the four reports of row and sign."}}
TWO_ROWS = [(1,), (-1,)]
named = {(row, sign): f"row {row}, {'+' if sign > 0 else '−'}" for row in (0, 1) for sign in (1, -1)}
diagram.tree(
    lambda item, rng: one_bit(item, TWO_ROWS, log(3), rng), 0,
    steps=["row", "sign"], options=[("0", "1"), ("true", "other")], names=named, root="item", head="",
)  # fmt: skip
plt.show()

# %% [markdown]
# (zhang2018-fig-2-5)=
# ### Fig. 2-5 · How the two parts work together
#
# {badge}`Drawn`

# %% tags=["hide-input"] mystnb={"figure": {"caption": "For Fig. 2-5: one report."}, "image": {"alt": "A flow with two lanes, a private one for the person and a public one for the collector. The collector's random table sends a row to the person; her item's sign in that row is perturbed; one bit goes back to the collector, who adds it up and estimates shares."}}
diagram.flow(
    [
        ("collector", "table of signs"),
        ("person", "sign of\nher item", "a row"),
        ("person", "perturb"),
        ("collector", "add up", "one bit"),
        ("collector", "shares"),
    ],
    chance=["perturb"],
    private=["person"],
)
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §2.2.2: 2 reproduced, 2 reproduced under conditions, 1 corrected"}


def c_of(eps):
    return (exp(eps) + 1) / (exp(eps) - 1)


RANDOM = [tuple(int(s) for s in row) for row in 1 - 2 * rng.integers(0, 2, (6, 4))]


def exactly(factor=1):
    """Whether the client spends exactly ε on a random table, for three ε, if it tosses its coin at ε times a factor."""
    client = lambda eps: lambda x, rng: one_bit(x, RANDOM, factor * eps, rng)  # noqa: E731
    return all(isclose(spent(client(eps), range(4)), eps, abs_tol=1e-12) for eps in (0.5, 1.0, 3.0))


settle("zhang2018.shist-private", {"exact": exactly()}, control=("its coin at twice the ε", not exactly(2)))


def mean_estimate(signs, eps=1.0, scale=None):
    """Mean estimates of all shares, from the exact law: a row for each item held."""
    scale = scale or c_of(eps)
    told = laws(lambda x, rng: one_bit(x, signs, eps, rng), range(len(signs[0])))
    return np.array([sum(float(p) * scale * z * np.array(signs[row]) for (row, z), p in one.items()) for one in told])


def over_tables(**options):
    """The same, on average over all tables of two rows for three items."""
    tables = np.array(list(product((-1, 1), repeat=6))).reshape(-1, 2, 3).tolist()
    return np.mean([mean_estimate(signs, **options) for signs in tables], axis=0)


GIVEN = [[1, 1, -1], [1, -1, -1], [-1, -1, 1], [1, 1, 1]]
settle(
    "zhang2018.shist-estimate",
    {
        "over-tables": np.allclose(over_tables(), np.eye(3)),
        "one-table": np.allclose(mean_estimate(GIVEN), np.eye(3)),
    },
    control=("the scale (e^ε+1)/e^ε", not np.allclose(over_tables(scale=1 + exp(-1)), np.eye(3))),
)


def exceeds(delta, m):
    """Probability that the product of two random columns of m rows, so the change of their squared distance, exceeds δ."""
    return float(2 * binom.sf(int(np.floor(m * (1 + delta) / 2)), m, 0.5))


def keeps_all(delta, m, d=1000):
    """Bounds of the probability that (2-8) holds for all pairs of d items.

    The number of pairs that fail has the mean μ, and at most this variance, since products are pairwise independent.
    """
    mean = d * (d - 1) / 2 * exceeds(delta, m)
    return max(0, 1 - mean), 1 / (1 + mean)  # Boole; Cantelli


def is_kept(factor, deltas=(0.1, 0.01, 0.001)):
    """Whether all pairs are surely kept with probability 1 − δ, for factor · ln(d)/δ² rows."""
    return all(keeps_all(delta, round(factor * log(1000) / delta**2))[0] >= 1 - delta for delta in deltas)


def change_is_product(sign):
    """Whether the relative change of the squared distance is the product times a sign, for all tables of 4 × 2."""
    pairs = [np.array(two).reshape(2, 4) / 2 for two in product((-1, 1), repeat=8)]
    return all(isclose(((a - b) ** 2).sum() / 2 - 1, sign * (a @ b), abs_tol=1e-12) for a, b in pairs)


BETAS = (0.001, 0.01, 0.05, 0.1)
DELTAS = [recipe(50_000, 1000, beta)[0] for beta in BETAS]
settle(
    "zhang2018.jl-delta",
    {"grows-with-beta": DELTAS == sorted(DELTAS)},
    instead={
        "distortion": change_is_product(-1),
        "with-people": isclose(recipe(50_000, 1000)[0] / recipe(500_000, 1000)[0], sqrt(10)),
    },
    control=("the product with the other sign", not change_is_product(1)),
)
for beta in BETAS:
    low, high = keeps_all(*recipe(50_000, 1000, beta))
    print(f"Algorithm 1's rows, β = {beta:g}: all pairs kept with probability {low:.4f} to {high:.4f}")
settle(
    "zhang2018.jl-probability",
    {
        "eight": is_kept(8),
        "one": any(keeps_all(delta, round(log(1000) / delta**2))[1] >= 1 - delta for delta in (0.1, 0.01, 0.001)),
        "own-small": keeps_all(*recipe(50_000, 1000, 0.01))[0] >= 1 - recipe(50_000, 1000, 0.01)[0],
        "own-large": keeps_all(*recipe(50_000, 1000, 0.1))[1] >= 1 - recipe(50_000, 1000, 0.1)[0],
    },
    control=("2 ln(1000)/δ² rows", not is_kept(2)),
)


def reduces(n, d):
    return recipe(n, d)[1] < d


settle(
    "zhang2018.reduces",
    {"rows": reduces(100_000, 10**7), "four-times": all(reduces(n, round(4.2 * n)) for n in (10**4, 10**5, 10**6))},
    control=(
        "the thesis's own sizes; three times as many items as people",
        not reduces(500_000, 1000) and not any(reduces(n, 3 * n) for n in (10**4, 10**5, 10**6)),
    ),
)
close("zhang2018", "§2.2.2", "2 reproduced, 2 reproduced under conditions, 1 corrected")

# %% [markdown]
# (zhang2018-2-2-3)=
# ## §2.2.3, Fig. 2-6, (2-16) · RAPPOR
#
# {badge}`Reproduced <zhang2018.rappor-p>` {badge}`Drawn` {badge}`Slip · probable misprint` · Lesson: {ref}`ch-frequency`
#
# The code of an item is $d$ bits with a single 1; each bit passes randomized response with
#
# $$ p = \frac{e^{\varepsilon/2}}{e^{\varepsilon/2}+1}. $$
#
# RAPPOR and $p$ are from [16]; our text has [14] and [15].

# %% tags=["hide-input"] mystnb={"figure": {"caption": "For Fig. 2-6: item 2 of six, ε = 1."}, "image": {"alt": "Two rows of six squares. In the code only square 2 is filled. In the report some squares differ from the code, since each bit was kept or changed by its own coin."}}
CODE = np.arange(6) == 2
KEEP = exp(0.5) / (exp(0.5) + 1)
drawing = np.random.default_rng(11)  # a stream of its own
diagram.cells({"code": CODE.tolist(), "report": [bool(b) if toss(KEEP, drawing) else not b for b in CODE]})
plt.show()

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §2.2.3: 1 reproduced"}


def one_hot(x, d, p, rng):
    """A bit for each of d items, kept with probability p."""
    return tuple(int(toss(p if v == x else 1 - p, rng)) for v in range(d))


def rappor_spends(odds):
    """Exact ε of four bits that are kept with these odds."""
    return spent(lambda x, rng: one_hot(x, 4, odds / (odds + 1), rng), range(4))


def rappor_exact(power):
    """Whether odds of e^(ε · power) spend exactly ε, for three ε."""
    return all(isclose(rappor_spends(exp(eps * power)), eps, abs_tol=1e-9) for eps in (0.5, 1.0, 3.0))


settle("zhang2018.rappor-p", {"exact": rappor_exact(1 / 2)}, control=("p = e^ε/(e^ε+1)", not rappor_exact(1)))
close("zhang2018", "§2.2.3", "1 reproduced")

# %% [markdown]
# (zhang2018-2-2-4)=
# (sec-items-rappor)=
# ## §2.2.4 S-Hist and RAPPOR compared
#
# (zhang2018-2-2-4-1)=
# ### §2.2.4 (1) · Communication
#
# {badge}`Reproduced <zhang2018.communication>`
#
# A person sends one bit in S-Hist and $d$ bits in RAPPOR.
#
# (zhang2018-2-2-4-2)=
# ### §2.2.4 (2) · Computation
#
# {badge}`Reproduced under conditions <zhang2018.computation>`
#
# RAPPOR is said to need far more, for a matrix and a regression.
# These belong to Bloom filters; the codes of §2.2.3 need $d$ counts.
# Beside these, S-Hist saves additions with Algorithm 2's table, hardly any with Algorithm 1's.
#
# (zhang2018-2-2-4-3)=
# ### §2.2.4 (3) · Precision
#
# order: {badge}`Reproduced <zhang2018.error-order>` ratio: {badge}`Reproduced under conditions <zhang2018.error-ratio>` · Lesson: {ref}`sec-onebit-all`
#
# Both errors are $O\big(d/(\varepsilon\sqrt n)\big)$, for the sum of absolute errors and small ε.
# S-Hist's random table is said to make it less precise for few items, and about equal for many.
# Without it, the ratio of the variances for a rare item does not contain $d$:
#
# $$ \frac{c^2(s-1)^2}{s}, \qquad s = e^{\varepsilon/2}. $$
#
# With more items, what the table adds falls, but the ratio rises.


# %% tags=["hide-input"]
def risks(d, eps, n=100_000):
    """Mean noise at d equal shares: S-Hist on Algorithm 1's table, on an orthogonal one, RAPPOR."""
    own, m = 1 / d, recipe(n, d)[1]
    orthogonal = c_of(eps) ** 2 - own
    added = (n * (d - 1) / d**2 - (1 - own)) / m
    return orthogonal + added, orthogonal, SUE(k=max(d, 2), epsilon=eps).variance([0])[0].mean()


DOMAINS, BUDGETS = (2, 10, 100, 1000, 10_000), (0.1, 0.5, 1.0, 2.0)
over_rappor = {(d, eps): risks(d, eps)[0] / risks(d, eps)[2] for d in DOMAINS for eps in BUDGETS}
rows = [(f"d = {d:,}", *(f"{over_rappor[d, eps]:.3f}" for eps in BUDGETS)) for d in DOMAINS]
table(pd.DataFrame(rows, columns=["variance, S-Hist / RAPPOR", *(f"ε = {eps:g}" for eps in BUDGETS)]))

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §2.2.4: 2 reproduced, 2 reproduced under conditions"}


def number(client, item=0):
    """How many different reports a client can send."""
    return len(laws(client, [item])[0])


def one_row(d):
    return lambda x, rng: one_bit(x, [(1,) * d], 1.0, rng)[1]


def vector(d):
    return lambda x, rng: one_hot(x, d, 0.75, rng)


def always(make, count):
    return all(number(make(d)) == count(d) for d in range(2, 7))


settle(
    "zhang2018.communication",
    {"one": always(one_row, lambda d: 2), "all": always(vector, lambda d: 2**d)},
    control=("the two exchanged", not always(vector, lambda d: 2) and not always(one_row, lambda d: 2**d)),
)


def additions(n, d):
    """Of the server: RAPPOR; S-Hist with the rows of Algorithm 1 that occur; S-Hist with orthogonal rows."""
    random_rows = recipe(n, d)[1]
    occurring = random_rows * -expm1(n * log1p(-1 / random_rows))
    orthogonal = 1 << (d - 1).bit_length()
    return n * d, n + occurring * d, n + orthogonal * log2(orthogonal)


def counts_enough(score):
    """Whether a score of each bit alone has the item as its mean, for four items."""
    told = laws(lambda x, rng: one_hot(x, 4, 0.75, rng), range(4))
    means = [sum(float(q) * np.array([score(bit) for bit in y]) for y, q in one.items()) for one in told]
    return np.allclose(means, np.eye(4))


RAPPOR_ADDS, FIRST_ADDS, SECOND_ADDS = additions(500_000, 1000)
settle(
    "zhang2018.computation",
    {
        "algorithm-2": SECOND_ADDS < 0.01 * RAPPOR_ADDS,
        "algorithm-1": FIRST_ADDS < 0.5 * RAPPOR_ADDS,
        "more-counts": not counts_enough(lambda bit: (bit - 0.25) / 0.5),
    },
    control=(
        "Algorithm 1's table for Algorithm 2's; counts that are not corrected",
        not FIRST_ADDS < 0.01 * RAPPOR_ADDS and not counts_enough(lambda bit: bit),
    ),
)


def has_order(noise):
    """Whether the sum of d standard errors is 2 d/(ε√n) within 1 %, for small ε."""
    return all(abs(sqrt(noise(d, eps)) * eps / 2 - 1) < 0.01 for eps in (0.01, 0.1) for d in (10, 1000))


settle(
    "zhang2018.error-order",
    {
        "order": has_order(lambda d, eps: c_of(eps) ** 2)
        and has_order(lambda d, eps: SUE(k=d, epsilon=eps).variance([0])[0, 1])
    },
    control=("k-RR", not has_order(lambda d, eps: GRR(k=d, epsilon=eps).variance([0])[0, 1])),
)


def addition_falls(table_risk):
    """Whether what a table adds, over RAPPOR's noise, falls from 2 to 10,000 items."""
    share = lambda d, eps: (table_risk(d, eps) - risks(d, eps)[1]) / risks(d, eps)[2]  # noqa: E731
    return all(share(10_000, eps) < share(2, eps) for eps in BUDGETS)


settle(
    "zhang2018.error-ratio",
    {
        "small-epsilon": all(abs(over_rappor[d, 0.1] - 1) < 0.01 for d in (2, 1000)),
        "large-epsilon": any(abs(over_rappor[1000, eps] - 1) < 0.01 for eps in (1.0, 2.0)),
        "ratio-falls": any(over_rappor[10_000, eps] < over_rappor[2, eps] for eps in (1.0, 2.0)),
        "addition-falls": addition_falls(lambda d, eps: risks(d, eps)[0]),
    },
    control=("an orthogonal table, which adds nothing", not addition_falls(lambda d, eps: risks(d, eps)[1])),
)
close("zhang2018", "§2.2.4", "2 reproduced, 2 reproduced under conditions")

# %% [markdown]
# (zhang2018-2-3-summary)=
# ## §2.3 Summary of the chapter
#
# It repeats §2.1.3 (2) and §2.2.4.
#
# (zhang2018-3-1)=
# ## §3.1, (3-1) · The problem
#
# {badge}`Definition` padding: {badge}`Reproduced <zhang2018.padding>` a moderate ℓ: {badge}`Reproduced <zhang2018.ell-moderate>` · Lesson: {ref}`ch-items`
#
# The aim is the $k$ items that most people hold, $k \ll d \ll n$, and their frequencies:
#
# $$ f_j = \frac{\lvert\{u_i \mid i_j \in S_i,\ 1 \le i \le n\}\rvert}{n}. $$
#
# Sets are cut at random, or filled up with dummies, to ℓ items, the 90th percentile of the sizes.
# Otherwise, draws would be hard to turn into shares, and sizes might leak.
# Cutting brings bias, padding noise; for a made-up crowd:


# %%
def draw(items, length, rng):
    """One item of a set that is padded to some length; None for a dummy.  A longer set is cut by the draw itself."""
    slot = pick(range(max(length, len(items))), rng)
    return sorted(items)[slot] if slot < len(items) else None


# %% tags=["hide-input"]
readers = study.readers(rng)
lengths = study.padding_errors(SampledHadamardBit, readers)


def best_length(errors):
    """The ℓ with the smallest error, for each number of people."""
    return errors.loc[errors.groupby("n")["error"].idxmin()].set_index("n")["ell"]


best = best_length(lengths)
print(
    f"sets of {readers.sizes.mean():.0f} items on average, 90th percentile {np.percentile(readers.sizes, 90):.0f}; best ℓ "
    + ", ".join(f"{ell} for {n:,} people" for n, ell in best.items())
)

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §3.1: 2 reproduced"}


def subsets(d):
    """All sets of items 0, …, d − 1."""
    return [set(some) for some in chain.from_iterable(combinations(range(d), r) for r in range(d + 1))]


def mixed(length, crowd):
    """Law of what somebody drawn from a crowd draws."""
    found = {}
    for one in laws(lambda items, rng: draw(items, length, rng), crowd):
        for y, q in one.items():
            found[y] = found.get(y, 0) + q / len(crowd)
    return found


def one_law(length):
    return mixed(length, [{0, 1}]) == mixed(length, [{0}, {1}])


def each_told(padded):
    """Whether one report for every item, or for every slot of two, gives a set away."""
    client = lambda items, rng: tuple(toss(0.75, rng) for _ in range(2 if padded else len(items)))  # noqa: E731
    return epsilon(laws(client, subsets(2))) == inf


settle(
    "zhang2018.padding",
    {"one-law": one_law(1), "number-shown": each_told(False)},
    control=("sets padded to two", not one_law(2) and not each_told(True)),
)


def falls_and_rises(errors):
    """Whether the best ℓ is neither the shortest nor the longest, for each number of people."""
    return bool(best_length(errors).between(errors["ell"].min(), errors["ell"].max(), inclusive="neither").all())


settle(
    "zhang2018.ell-moderate",
    {"falls-and-rises": falls_and_rises(lengths)},
    control=("lengths from the 90th percentile on", not falls_and_rises(lengths.query("ell >= 27"))),
)
close("zhang2018", "§3.1", "2 reproduced")

# %% [markdown]
# (zhang2018-3-2-1)=
# ## §3.2.1 GFIM as a whole
#
# (zhang2018-fig-3-1)=
# ### Fig. 3-1 · Two phases
#
# {badge}`Drawn`; private: {badge}`Reproduced <zhang2018.gfim-private>` more accurate at small ε: {badge}`Reproduced <zhang2018.small-epsilon>` items off the list: {badge}`Reproduced under conditions <zhang2018.off-the-list>` · Lesson: {ref}`ch-gfim`
#
# One random half gives a list $C$ of $k_{\max} = O(k)$ candidates; the other is asked about $C$ alone.

# %% tags=["hide-input"] mystnb={"figure": {"caption": "For Fig. 3-1."}, "image": {"alt": "A flow with three lanes. The first half of the people draws an item and sends a bit; the collector makes a list of candidates; the list goes to the second half, who trim their sets, draw and send a bit; the collector combines these with the first estimates into the top k."}}
diagram.flow(
    [
        ("first half", "sets", None),
        ("first half", "draw, bit"),
        ("collector", "candidates\n$C$", "reports"),
        ("second half", "sets,\ntrimmed to $C$", "list"),
        ("second half", "draw, bit "),
        ("collector", "top $k$", "reports"),
    ],
    arrows=[(2, 5, "first estimates")],
    chance=["draw, bit", "draw, bit "],
    private=["first half", "second half"],
)
plt.show()

# %% [markdown]
# GFIM is private by parallel composition, as the second question depends on first answers only through reports.
#
# At the same stated ε, a phase of LDPMiner-SH has
#
# $$ \frac{c(\varepsilon/2)^2}{2\,c(\varepsilon)^2} $$
#
# times the variance of that phase of GFIM: 2 for $\varepsilon \to 0$, and 1 at $\varepsilon = 3.06$ ({prf:ref}`thm-gfim-pays`).
#
# Items off the list keep their first estimates, which beat zeros, but lower the precision with 50,000 people.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §3.2.1: 2 reproduced, 1 reproduced under conditions"}
LISTS = list(combinations(range(4), 2))


def codewords(d):
    """The table of Algorithm 2: m rows, and a column for each of d items."""
    words = [(1, -1), (1, 1)]
    while len(words) < d:
        words = [w + half for w in words for half in (w, tuple(-x for x in w))]
    return list(zip(*words[:d], strict=True))


FOUR, PAIR = codewords(4), codewords(2)


def first_report(items, eps, rng):
    """Phase one, four items, ℓ = 2."""
    return one_bit(draw(items, 2, rng), FOUR, eps, rng)


def second_report(items, candidates, eps, rng, length=None):
    """Phase two, Algorithm 3: trim, pad to k_max (or another length), draw, answer by place on the list."""
    trimmed = {candidates.index(v) for v in items if v in candidates}
    return one_bit(draw(trimmed, length or len(candidates), rng), codewords(len(candidates)), eps, rng)


def best_two(report):
    """The two items that one report makes look most frequent."""
    row, sign = report
    return tuple(sorted(sorted(range(4), key=lambda v: (FOUR[row][v] != sign, v))[:2]))


def gfim_of_two(one, other, eps, rng):
    """All that GFIM shows of two people, one in each half."""
    first = first_report(one, eps, rng)
    candidates = best_two(first)
    return first, candidates, second_report(other, candidates, eps, rng)


def both_halves(items, eps, rng):
    """A mistake: one person in both halves."""
    return gfim_of_two(items, items, eps, rng)


shown = [
    epsilon(laws(lambda s, rng, o=o, at=at: gfim_of_two(*(s, o)[:: 1 - 2 * at], 1.0, rng), subsets(4)))
    for o in ({0}, {0, 1, 2, 3})
    for at in (0, 1)
]
both = epsilon(laws(lambda s, rng: both_halves(s, 1.0, rng), subsets(4)))
settle(
    "zhang2018.gfim-private",
    {"exact": isclose(max(shown), 1, abs_tol=1e-12)},
    control=(f"one person in both halves, ε = {both:.3f}", not isclose(both, 1, abs_tol=1e-12)),
)


def rival(eps, people=1 / 2):
    """Variance of a phase of LDPMiner-SH over that of GFIM, which asks this share of the people."""
    return people * c_of(eps / 2) ** 2 / c_of(eps) ** 2


def ahead(people=1 / 2):
    return all(rival(eps, people) > 1 for eps in np.arange(0.05, 3.06, 0.05))


settle(
    "zhang2018.small-epsilon",
    {"each-phase": ahead(), "falls": bool(np.all(np.diff([rival(eps) for eps in np.linspace(0.05, 6, 80)]) < 0))},
    control=("a quarter of the people in each phase", not ahead(1 / 4)),
)
forty = recorded("zhang2018.precisions", study.eight, parameters={"repetitions": 40})
hits = forty[forty["method"] == "GFIM"].groupby(["kind", "n"])[["as written", "list only"]].mean() / study.WANTED


def off_the_list(kind, factor):
    """Median relative error of a run with 50,000 people, first estimates off the list multiplied by a factor."""
    people, runs = study.first_population(kind, 50_000)
    _, _, listed, _, estimate = runs["GFIM"]
    changed = np.where(np.isin(np.arange(study.ITEMS), listed), estimate, factor * estimate)
    return float(relative_error(study.shares(people), changed, study.WANTED))


def better_than_none(factor):
    return all(off_the_list(kind, factor) < off_the_list(kind, 0) for kind in study.KINDS)


few, many = (hits.loc["Laplace", n] for n in (50_000, 500_000))
settle(
    "zhang2018.off-the-list",
    {
        "error": better_than_none(1),
        "precision": few["as written"] > few["list only"],
        "more-people": many["as written"] > many["list only"] - 0.02,
    },
    control=("first estimates with the other sign", not better_than_none(-1)),
)
close("zhang2018", "§3.2.1", "2 reproduced, 1 reproduced under conditions")

# %% [markdown]
# (zhang2018-3-2-2)=
# ## §3.2.2 Phase one: sampling S-Hist
#
# (zhang2018-3-2-2-a)=
# ### §3.2.2 (a) · One item or all of them
#
# sampling is better: {badge}`Reproduced under conditions <zhang2018.sampling-better>` times ℓ it is unbiased: {badge}`Reproduced under conditions <zhang2018.times-ell>` “chapter 3, section 4”: {badge}`Slip · certain`
#
# One drawn item is better than ℓ answers with $\varepsilon/\ell$ each: for RAPPOR at every ε, for one bit below about $\varepsilon = 2\sqrt\ell$.
#
# Times ℓ, the estimate is unbiased for sets of at most ℓ items; items of longer sets count as $\ell/\lvert S\rvert$.
#
# (zhang2018-algorithm-2)=
# (sec-items-literal)=
# ### Algorithm 2, Fig. 3-2 · The orthogonal table
#
# entries: {badge}`Corrected · certain <zhang2018.table-entries>` better than a random table: {badge}`Reproduced <zhang2018.orthogonal>` · Lesson: {ref}`sec-onebit-hadamard`
#
# ::::{prf:algorithm} The orthogonal table of sampling S-Hist
# :label: alg-zhang2018-2-table
# :nonumber:
# **Input** the number $d$ of items.
#
# 1. Compute $m = 2^{\lceil\log_2 d\rceil}$.
# 2. Let $S = \{(1, -1),\ (1, 1)\}$.
# 3. While $S$ has fewer than $m$ words, replace each word $v$ by $v \Vert v$ and $v \Vert (-v)$.
# 4. Take the words as columns, $\boxed{\text{divided by } \sqrt m}$, and return them.
# ::::
#
# The frame is our correction; the client's row has such entries.
# With the printed entries ±1, items are sent as $\pm c\,m$ and dummies as $\pm c\sqrt m$: dummies are recognised, and estimates $m$ times too large.
#
# (zhang2018-algorithm-2-client)=
# ### Algorithm 2, Fig. 3-3 · The client
#
# the factor $c$: {badge}`Corrected · probable misprint <zhang2018.c-epsilon>` dummies: {badge}`Reproduced <zhang2018.dummies>`
#
# ::::{prf:algorithm} Sampling S-Hist, the client
# :label: alg-zhang2018-2-client
# :nonumber:
# **Input** a row $x$; ε; the padded set $S_i$.
#
# 1. Draw an item $i$ of $S_i$.
# 2. Compute $c$.
# 3. If $i$ is a dummy, return $c\sqrt m$ or $-c\sqrt m$, each with probability ½.
# 4. Otherwise return what Algorithm 1's client does.
# ::::
#
# :::{table}
# :class: beside
#
# | Printed in step 2 | Right |
# |---|---|
# | $\displaystyle c_\varepsilon = \frac{\varepsilon+1}{\varepsilon-1}$ | $\displaystyle c_\varepsilon = \frac{\boxed{e^\varepsilon}+1}{\boxed{e^\varepsilon}-1}$ |
# :::
#
# The noise of dummies averages out, but its variance stays.


# %%
def sampled_shist(items, ell, signs, eps, rng):
    """Sampling S-Hist: one bit about one item of the padded set."""
    return one_bit(draw(items, ell, rng), signs, eps, rng)


# %% tags=["hide-input"]
def as_printed(items, ell, signs, eps, c, unit, rng):
    """The client of Fig. 3-3: the table has entries ±unit."""
    m, item = len(signs), draw(items, ell, rng)
    row = pick(range(m), rng)
    if item is None:
        return row, pick((-c * sqrt(m), c * sqrt(m)), rng)
    z = c * m * signs[row][item] * unit
    return row, z if toss(exp(eps) / (exp(eps) + 1), rng) else -z


def reading(eps, c, unit):
    """Exact ε over the sets of four items for ℓ = 2, and what item 0 of {0} counts for."""
    client = lambda s, rng: as_printed(s, 2, FOUR, eps, c, unit, rng)  # noqa: E731
    own, _ = moments(client, [{0}], score=lambda y: 2 * unit * FOUR[y[0]][0] * y[1])
    return epsilon(laws(client, subsets(4))), own[0]


WAYS = {
    "entries ±1": lambda eps: (c_of(eps), 1),
    "entries ±1/√m, c = (ε+1)/(ε−1)": lambda eps: ((eps + 1) / (eps - 1), 1 / 2),
    "entries ±1/√m, c = (e^ε+1)/(e^ε−1)": lambda eps: (c_of(eps), 1 / 2),
}
readings = {name: {eps: reading(eps, *way(eps)) for eps in (0.5, 2.0)} for name, way in WAYS.items()}
rows = [
    (name, f"{eps:g}", f"{used:.3f}".replace("inf", "∞"), f"{count:.3f}".replace("-", "−"))
    for name, found in readings.items()
    for eps, (used, count) in found.items()
]
table(pd.DataFrame(rows, columns=["d = m = 4, ℓ = 2", "stated ε", "exact ε", "an item counts for"]))

# %% [markdown]
# (zhang2018-3-4)=
# ### (3-2) to (3-4) · Phase one is private
#
# the result: {badge}`Reproduced <zhang2018.sampled-private>` (3-3): {badge}`Reproduced <zhang2018.bounds>` (3-4): {badge}`Corrected · certain <zhang2018.sampled-proof>` 1/L for 1/ℓ: {badge}`Slip · probable misprint` · Lesson: {prf:ref}`thm-items-privacy`
#
# (3-2) asks for a ratio of at most $e^\varepsilon$; given row and item, (3-3) is
#
# $$ \frac1{e^\varepsilon+1} \le \Pr[z \mid i, S] \le \frac{e^\varepsilon}{e^\varepsilon+1}. $$
#
# (3-4) takes one product for this probability:
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $\displaystyle \frac{\Pr[z \mid S_1]}{\Pr[z \mid S_2]} = \frac{\Pr[z \mid i, S_1]\Pr[i \mid S_1]}{\Pr[z \mid i, S_2]\Pr[i \mid S_2]}$ | $\displaystyle \frac{\Pr[z \mid S_1]}{\Pr[z \mid S_2]} = \frac{\boxed{\textstyle\sum_i}\Pr[z \mid i, S_1]\Pr[i \mid S_1]}{\boxed{\textstyle\sum_i}\Pr[z \mid i, S_2]\Pr[i \mid S_2]}$ |
# :::
#
# Mixtures are within the bounds of (3-3), so the result holds.
#
# (zhang2018-3-2-2-list)=
# ### §3.2.2 (b) · How many candidates
#
# {badge}`Reproduced under conditions <zhang2018.list-size>`
#
# $k_{\max}$ is linear in $k$.
# Too short a list misses items; too long a list makes phase two imprecise.
# This is due to padding (§3.2.2 warns of a $k_{\max}$ above ℓ), not to a larger table, as §4.2 says.

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §3.2.2: 4 reproduced, 3 reproduced under conditions, 3 corrected"}


def split_over_sampled(eps, ell, part=None):
    """Noise of a rare item by one bit: a part of the budget for each slot over one item sampled."""
    return c_of(eps * (part or 1 / ell)) ** 2 / (ell * c_of(eps) ** 2)


def rappor_split_over_sampled(eps, ell):
    """The same for RAPPOR: ℓ times the noise at ε/ℓ, over ℓ² times that at ε."""
    split, sampled = (SUE(k=2, epsilon=x).variance(np.array([0]))[0, 1] for x in (eps / ell, eps))
    return split / (ell * sampled)


def sampling_wins(budgets, part=None):
    return all(split_over_sampled(eps, ell, part) > 1 for ell in (5, 50) for eps in budgets)


TRIED_EPS = (0.1, 0.5, 1, 2, 4)
settle(
    "zhang2018.sampling-better",
    {
        "one-bit": sampling_wins(TRIED_EPS),
        "rappor": all(rappor_split_over_sampled(eps, ell) >= ell for ell in (5, 50) for eps in (*TRIED_EPS, 16)),
        "one-bit-large-epsilon": sampling_wins((16,)),
    },
    control=("the whole of ε for each slot", not sampling_wins(TRIED_EPS, 1)),
)
THREE = codewords(3)


def counted(factor=2, client=sampled_shist):
    """What each item of each set of three counts for on average, ℓ = 2."""
    score = lambda y: factor * c_of(1) * y[1] * np.array(THREE[y[0]])  # noqa: E731
    return moments(lambda s, rng: client(s, 2, THREE, 1.0, rng), subsets(3), score=score)[0]


def constant_dummy(items, ell, signs, eps, rng):
    """A mistake: dummies always send +."""
    item = draw(items, ell, rng)
    return (pick(range(len(signs)), rng), 1) if item is None else one_bit(item, signs, eps, rng)


held = np.array([[v in s for v in range(3)] for s in subsets(3)], float)
short = [i for i, s in enumerate(subsets(3)) if len(s) <= 2]
settle(
    "zhang2018.times-ell",
    {"up-to-ell": np.allclose(counted()[short], held[short]), "cut": np.allclose(counted()[-1], 1)},
    control=("without the factor", not np.allclose(counted(1)[short], held[short])),
)
settle(
    "zhang2018.dummies",
    {"cancel": np.allclose(counted()[0], 0)},
    control=("dummies always send +", not np.allclose(counted(client=constant_dummy)[0], 0)),
)


def table_adds(counts, m):
    """What a random table adds to the noise of each item, people with one item each."""
    n = counts.sum()
    f = counts / n
    return (n * (np.square(f).sum() - f**2) - (1 - f)) / m


def more_noise(counts):
    return all((table_adds(counts, m) > 1e-9).all() for m in (64, recipe(50_000, 1000)[1]))


settle(
    "zhang2018.orthogonal",
    {"less-noise": more_noise(np.full(1000, 50))},
    control=("everybody with an item of their own", not more_noise(np.ones(1000))),
)
literal, lost, meant = readings.values()
settle(
    "zhang2018.table-entries",
    {
        "finite": all(used < inf for used, _ in literal.values()),
        "counts-one": all(abs(count - 1) < 1e-9 for _, count in literal.values()),
    },
    instead={"scaled": all(abs(used - eps) < 1e-9 and abs(count - 1) < 1e-9 for eps, (used, count) in meant.items())},
)
settle(
    "zhang2018.c-epsilon",
    {"printed": all(abs(count - 1) < 1e-9 for _, count in lost.values())},
    instead={"exponential": all(abs(count - 1) < 1e-9 for _, count in meant.values())},
)


def set_epsilon(ell, client=sampled_shist):
    """Exact ε over all sets of four items."""
    return epsilon(laws(lambda s, rng: client(s, ell, FOUR, 1.0, rng), subsets(4)))


settle(
    "zhang2018.sampled-private",
    {"within": all(set_epsilon(ell) < 1 + 1e-12 for ell in (1, 2, 3))},
    control=("dummies always send +", set_epsilon(2, constant_dummy) == inf),
)


def within(eps):
    """Whether all reports at this ε have probabilities within the bounds of ε = 1, given the row."""
    return all(
        1 / (exp(1) + 1) - 1e-12 < chance * len(FOUR) < exp(1) / (exp(1) + 1) + 1e-12
        for one in laws(lambda s, rng: sampled_shist(s, 2, FOUR, eps, rng), subsets(4))
        for chance in map(float, one.values())
    )


settle("zhang2018.bounds", {"within": within(1.0)}, control=("reports at ε = 1.1", not within(1.1)))
row = next(j for j, signs in enumerate(FOUR) if signs[0] != signs[2])


def plus(items):
    """Probability of a plus in this row."""
    return float(law(lambda rng: sampled_shist(items, 2, FOUR, 1.0, rng))[row, 1])


def plus_of(item):
    return float(law(lambda rng: one_bit(item, FOUR, 1.0, rng))[row, 1])


of_sets = plus({0, 2}) / plus({0})
of_items = [plus_of(one) / plus_of(other) for one in (0, 2) for other in (0, None)]
settle(
    "zhang2018.sampled-proof",
    {"one-pair": any(abs(of_sets - one) < 1e-9 for one in of_items)},
    instead={"between": min(of_items) < of_sets < max(of_items)},
)


def rare(d, ell):
    """Noise of a rare item by sampling S-Hist over d items, padded to ℓ, ε = 1."""
    return SampledHadamardBit(d=d, ell=ell, epsilon=1.0).rare_variance


def grows(pad):
    return all(rare(a, pad(a)) < rare(b, pad(b)) for a, b in ((20, 40), (40, 60), (60, 120)))


settle(
    "zhang2018.list-size",
    {"candidates": grows(lambda listed: listed), "table": rare(60, 20) > rare(20, 20)},
    control=("all padded to ℓ = 20", not grows(lambda listed: 20)),
)
close("zhang2018", "§3.2.2", "4 reproduced, 3 reproduced under conditions, 3 corrected")

# %% [markdown]
# (zhang2018-3-2-3)=
# ## §3.2.3 Phase two
#
# (zhang2018-3-2-3-padding)=
# ### §3.2.3 (a) · Trimming, and padding
#
# a smaller domain: {badge}`Reproduced under conditions <zhang2018.smaller-domain>` trimming: {badge}`Reproduced <zhang2018.trimming>`
# padding: {badge}`Reproduced under conditions <zhang2018.padding-exposes>` its factor: {badge}`Undecidable <zhang2018.phase2-scale>` “to the user”, $N$ for $T$: {badge}`Slip · probable misprint`
#
# People of the second half trim sets to $T = S \cap C$.
# From a set of 50 with all 20 candidates, one is drawn with probability 2/5 before trimming, 1 after.
#
# A smaller table is said to have less noise.
# For one item only padding matters; among fewer items, the largest chance error is smaller.
#
# Without padding, the size of $T$ is said to be exposed: one bit shows more than the $\ln\frac{e^\varepsilon+1}2$ with padding, but at most ε.
#
# One of $k_{\max}$ slots is drawn, so the factor must be $k_{\max}$.
# The thesis prints none for phase two; ℓ, as in §3.2.2, would be biased by $\ell/k_{\max}$.
#
# (zhang2018-3-5)=
# ### (3-5) · Both phases combined
#
# {badge}`Definition` a random division: {badge}`Reproduced <zhang2018.random-split>` · Lesson: {prf:ref}`thm-gfim-estimate`
#
# $$ \hat f = \begin{cases} \hat f_1 & \text{for an item off the list,}\\ \big[\hat f_1 + (\ell-1)\hat f_2\big]/\ell & \text{for a candidate.} \end{cases} $$
#
# For fixed candidates the best weight of $\hat f_2$ is $\frac{\ell^2}{\ell^2+k_{\max}^2}$, or 0.41 for $\ell = 50$ and $k_{\max} = 60$, where (3-5) has 0.98.
# But $\hat f_1$ chose the candidates and is too large for them, so for publishing its small weight is right.
#
# (zhang2018-algorithm-3)=
# ### Algorithm 3, Fig. 3-4 · The second client
#
# ::::{prf:algorithm} GFIM, the client of the second phase
# :label: alg-zhang2018-3
# :nonumber:
# **Input** a row $x$ of $k_{\max}$ entries; ε; the set $S_i$; the candidates $C$.
#
# 1. Let $T_i = S_i \cap C$.
# 2. Fill $T_i$ up with dummies to a set $N_i$ of $k_{\max}$.
# 3. Go on as in Algorithm 2, with $N_i$ for $S_i$.
# ::::

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Algorithm 3's client: candidates 0 and 1, a row with + for both, odds of 3."}, "image": {"alt": "A tree of one client. The first fork draws item 0 or a dummy, one half each. For the item a second fork sends plus with probability three quarters and minus with one quarter; for the dummy it sends minus or plus with one half each."}}


def second_sign(items, rng):
    """The second client for a given row."""
    item = draw(items & {0, 1}, 2, rng)
    if item is None:
        return pick((1, -1), rng)
    return 1 if toss(0.75, rng) else -1


diagram.tree(
    second_sign, {0, 7}, steps=["item", "sign"], options=[("0", "dummy"), ("", "")], names={1: "+", -1: "−"},
    root="0 and 7", head="holds",
)  # fmt: skip
plt.show()

# %% [markdown]
# (zhang2018-3-8)=
# ### (3-6) to (3-8) · Phase two is private
#
# {badge}`Reproduced <zhang2018.phase2-private>` {badge}`Slip · probable misprint` · Lesson: {prf:ref}`thm-gfim-privacy`
#
# Trimming is deterministic (3-7), so the ratio (3-6) is that of sampling S-Hist (3-8); (3-7) prints $S$ for $S_1$:
#
# $$ \frac{\Pr[\mathcal B(S_1, \varepsilon, C) = o]}{\Pr[\mathcal B(S_2, \varepsilon, C) = o]} = \frac{\Pr[\mathcal C(N_1, \varepsilon) = o]}{\Pr[\mathcal C(N_2, \varepsilon) = o]} \le e^\varepsilon. $$

# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §3.2.3: 3 reproduced, 2 reproduced under conditions, 1 undecidable"}


def halves_of(people, size=2):
    return list(combinations(range(people), size))


def whole_share(groups):
    """Mean first estimate of item 0, over these first halves of four people, of whom the first two hold it."""
    own = moments(SampledHadamardBit(d=2, ell=1, epsilon=1.0), Records.of({0}, {0}, {1}, {1}))[0][:, 0]
    return float(np.mean([own[list(half)].mean() for half in groups]))


settle(
    "zhang2018.random-split",
    {
        "random": isclose(whole_share(halves_of(4)), 0.5, abs_tol=1e-9),
        "sorted": not isclose(whole_share([(0, 1)]), 0.5, abs_tol=0.4),
    },
    control=(
        "the first person always in the first half",
        not isclose(whole_share([half for half in halves_of(4) if 0 in half]), 0.5, abs_tol=1e-9),
    ),
)


def largest_of_nobody(d):
    """Mean of the largest estimate among d items that nobody holds, ℓ = 50, ε = 1."""
    mechanism, empty = SampledHadamardBit(d=d, ell=50, epsilon=1.0), Records.of(*[set()] * 2000)
    coins = np.random.default_rng(60)
    return np.mean([mechanism.estimate(mechanism.tally(mechanism.perturb(empty, rng=coins))).max() for _ in range(20)])


TOP60, TOP1000 = largest_of_nobody(60), largest_of_nobody(1000)
settle(
    "zhang2018.smaller-domain",
    {
        "table": [np.shape(codewords(d)) for d in (60, 1000)] == [(64, 60), (1024, 1000)],
        "same-padding": rare(60, 50) < rare(1000, 50),
        "largest": bool(TOP60 < 0.9 * TOP1000),
        "shorter-padding": rare(20, 20) < rare(1000, 50),
    },
    control=("k_max = 60 for ℓ = 50", not rare(60, 60) < rare(1000, 50)),
)


def chances(own, listed=20):
    """Probability that a candidate is drawn, before and after trimming, from a set of 50 with so many candidates."""
    items = {*range(own), *range(100, 150 - own)}
    before, after = (
        law(lambda rng, s=s, length=length: draw(s, length, rng))
        for s, length in ((items, 50), ({v for v in items if v < listed}, listed))
    )
    return [float(sum(p for v, p in one.items() if v is not None and v < listed)) for one in (before, after)]


settle(
    "zhang2018.trimming",
    {"chances": np.allclose(chances(20), (2 / 5, 1))},
    control=("19 of the 20 candidates held", not np.allclose(chances(19), (2 / 5, 1))),
)


def worst(client, lists=LISTS):
    """Exact ε of a client over all sets of four items, for the worst of some lists."""
    return max(epsilon(laws(lambda s, rng, c=c: client(s, c, 1.0, rng), subsets(4))) for c in lists)


def told_size(items, candidates, eps, rng):
    """The size of T is sent along."""
    return len(items & {*candidates}), second_report(items, candidates, eps, rng)


padded, bare = worst(second_report), worst(lambda s, c, eps, rng: second_report(s, c, eps, rng, length=1))
settle(
    "zhang2018.padding-exposes",
    {"bit-shows-more": bare > padded + 0.1, "size-sent": worst(told_size) == inf, "exceeds": bare > 1 + 1e-9},
    control=("padded to k_max", isclose(padded, log((exp(1) + 1) / 2)) and not padded > padded + 0.1),
)
settle("zhang2018.phase2-scale")
holder = set(range(0, 100, 2))  # 50 items, 30 of them among the candidates 0, …, 59
SIXTY = codewords(60)
told = law(lambda rng: one_bit(draw({v for v in holder if v < 60}, 60, rng), SIXTY, 1.0, rng))


def counts_as(scale):
    """What candidates 0, 58 (held) and 1 (not held) count for."""
    return [sum(float(p) * scale * c_of(1) * z * SIXTY[row][v] for (row, z), p in told.items()) for v in (0, 58, 1)]


check(
    "Scale",
    "60 candidates, ℓ = 50, exact law: times k_max a held one counts as one, others as nothing",
    np.allclose(counts_as(60), (1, 1, 0), atol=1e-9),
    control=f"times ℓ, it counts as {counts_as(50)[0]:.4f}",
    caught=not np.allclose(counts_as(50), (1, 1, 0), atol=0.1),
)
settle(
    "zhang2018.phase2-private",
    {"private": padded <= 1},
    control=("the coin at ε = 2", worst(lambda s, c, eps, rng: second_report(s, c, 2.0, rng)) > 1),
)
close("zhang2018", "§3.2.3", "3 reproduced, 2 reproduced under conditions, 1 undecidable")

# %% [markdown]
# (zhang2018-3-3)=
# ## §3.3 Summary of the chapter
#
# It repeats {ref}`§3.2.1 <zhang2018-fig-3-1>`.
