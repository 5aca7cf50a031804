# %% [markdown]
# (paper-zhang2018)=
# # The thesis: Zhang, 2018
#
# {cite:t}`zhang2018gfim` is a bachelor thesis, and an ambitious one: it takes the best method of the day for frequent items of sets, LDPMiner {cite:p}`qin2016heavy`, finds its weak spot, and mends it.
# LDPMiner asks everybody twice and gives each question half of the budget.
# The thesis divides the *people* instead: one half names candidates, the other half is asked about these alone, each with all of ε.
# The algorithm, GFIM, is proved private, run on synthetic people and on a census, and compared with what it improves.
# Dividing people rather than ε is a usual way of designing such protocols today; {cite:t}`wang2018itemset`, of the same year, do so too.
#
# :::{verdicts} zhang2018
# :::
#
# ## What holds
#
# The idea.
# : Dividing people {holds}`is more accurate at small ε <zhang2018.small-epsilon>`, in each phase, for any number of people, up to a stated ε of about 3.
#   {holds}`GFIM is ε-private <zhang2018.gfim-private>` as a whole, {holds}`the division has to be random <zhang2018.random-split>`, and {holds}`trimming <zhang2018.trimming>` does what the thesis says.
#
# Sampling S-Hist.
# : It is {holds}`ε-private for sets <zhang2018.sampled-private>` of any size, with {holds}`probabilities within the stated bounds <zhang2018.bounds>`; {holds}`padding <zhang2018.padding>` is needed, {holds}`dummies cancel <zhang2018.dummies>` on average, {holds}`a moderate ℓ <zhang2018.ell-moderate>` is best, and {holds}`an orthogonal table <zhang2018.orthogonal>` is better than a random one for many people.
#   {holds}`S-Hist <zhang2018.shist-private>` and {holds}`RAPPOR's p <zhang2018.rappor-p>` are right, and so is the comparison of {holds}`what they send <zhang2018.communication>`.
#
# The experiments, in their directions.
# : {holds}`More people <zhang2018.more-people>` and {holds}`steeper laws <zhang2018.steeper>` help; on synthetic people GFIM and LDPMiner {holds}`differ little <zhang2018.similar>`; on stand-ins for the census GFIM is {holds}`better at ε = 1 <zhang2018.census-better>`, and {holds}`below ε = 1.5 <zhang2018.fig511>` as the thesis has it.
#
# ## What holds under conditions
#
# Unbiased.
# : {partly}`With the factor ℓ <zhang2018.times-ell>` for sets of up to ℓ items; up to a tenth are longer, by the choice of ℓ.
#   {partly}`S-Hist's estimate <zhang2018.shist-estimate>` is so over random tables, and for a given one nearly.
#
# Against what, and at which ε.
# : {partly}`Sampling one item <zhang2018.sampling-better>` beats asking about all where ε is not large, {partly}`S-Hist's extra error <zhang2018.error-ratio>` over RAPPOR vanishes for small ε, {partly}`less computation <zhang2018.computation>` is true against RAPPOR with Bloom filters or with the orthogonal table.
#
# The list of candidates.
# : {partly}`Its length <zhang2018.list-size>` matters through padding and not through the table, and so does {partly}`a smaller domain <zhang2018.smaller-domain>`; {partly}`not padding <zhang2018.padding-exposes>` shows more, though no more than ε; {partly}`the best length <zhang2018.list-choice>` matters much on some data; {partly}`items off the list <zhang2018.off-the-list>` are better with their first estimate than with none, and can push out better ones.
#
# How good GFIM is.
# : {partly}`It finds most items <zhang2018.most-found>` of the steep law with 500,000 people, {partly}`better than LDPMiner overall <zhang2018.better>` up to ε = 1.5, and {partly}`the error's minimum near k = 3 <zhang2018.fig59>` depends on the shares.
#
# Eight precisions.
# : {partly}`The printed values <zhang2018.precisions>`, {partly}`29 of 30 <zhang2018.one-missing>` among them, do not fit the algorithm as it is written, and fit several readings of it that differ in one step.
#   Eight single runs cannot tell these apart, and how GFIM compares with LDPMiner does not depend on them.
#
# Words.
# : {partly}`Neighbours <zhang2018.neighbours>` differ by one record and not merely in size, as its example shows; {partly}`personal ε <zhang2018.personal>` is possible centrally as well; {partly}`little data <zhang2018.volume>` is hard for both models.
#
# ## What is corrected
#
# In the algorithms.
# : {corrected}`The table <zhang2018.table-entries>` of Algorithm 2 lacks a factor without which dummies are recognised, and its {corrected}`constant c <zhang2018.c-epsilon>` lacks exponentials, which may be our text's fault.
#
# In the proofs.
# : {corrected}`Equation (3-4) <zhang2018.sampled-proof>` leaves out a sum; the result stands.
#   {corrected}`The δ of the lemma <zhang2018.jl-delta>` is mixed up with a probability.
#
# In the chapter on foundations.
# : {corrected}`The estimate <zhang2018.mle>`, {corrected}`its expectation <zhang2018.expectation>` and {corrected}`p <zhang2018.p>` have a misprint each, {corrected}`the inequality <zhang2018.strict>` is strict, {corrected}`larger ε <zhang2018.larger-epsilon>` is called stronger where the first chapter has it right, {corrected}`noise for one person <zhang2018.no-sensitivity>` is possible, and {corrected}`a relative error <zhang2018.error-range>` has no upper bound.
#
# They are {ref}`listed <errata-zhang2018>` with the slips.
#
# ## What could not be decided, and what would decide it
#
# - {undecided}`The factor of the second phase <zhang2018.phase2-scale>`: one formula, or the program.
# - {undecided}`The census file <zhang2018.census-facts>`: a copy of it.
#   Its figures were tried on stand-ins, and these verdicts say so.
#
# ## If you build on it
#
# - Keep the idea, change the answer: with one drawn item a report should go through k-RR with the amplified budget, or speak of the whole set (PrivSet, the wheel), which at small ε is far ahead ({ref}`sec-items-compare`, {ref}`sec-gfim-all`).
# - Ask whether two phases pay: as published, only if there are fewer candidates than items in a set ({ref}`sec-gfim-pays`).
# - Publish estimates from the second phase alone ({ref}`sec-gfim-curse`).

# %% tags=["hide-input"] mystnb={"code_prompt_show": "Imports"}
# Without the package: python -m pip install ".[chapters]" in the folder above this notebook.
from itertools import product
from math import exp, inf, isclose, log, sinh, sqrt

import matplotlib.pyplot as plt
import numpy as np

from ldpnb import epsilon, law, laws, pick, toss
from ldpnb.book import close, settle, style
from ldpnb.book.diagram import PLAIN, SAND, SKY, arrow, board, border, box

style()


def reply(x, eps, rng):
    """W-RR: the answer x, 0 or 1, or the opposite."""
    return x if toss(exp(eps) / (1 + exp(eps)), rng) else 1 - x


def best_guess(one, inputs=(0, 1)):
    """How often the best guess between two inputs is right, from the law of the report."""
    a, b = laws(one, list(inputs))
    return float(sum(max(a.get(y, 0), b.get(y, 0)) for y in a.keys() | b.keys()) / 2)


# %% [markdown]
# (zhang2018-2-1)=
# ## §2.1 Differential privacy
#
# The section describes two models, which differ in the place where data are perturbed: with the collector, or on the user's device.
# The lessons are {ref}`ch-rr` and {ref}`ch-composition`.
#
# (zhang2018-2-1-1)=
# ## §2.1.1 The central model
#
# (zhang2018-def-2-1)=
# ### Definition 2.1, Tables 2-1 and 2-2 · Neighbouring data sets
#
# {badge}`Reproduced under conditions · probable misprint <zhang2018.neighbours>`
#
# Two data sets with the same attributes are neighbours if their *numbers* of records differ by one.
# The example adds one record, and so does the explanation below Definition 2.2:
#
# | Name | Age | Major | ZipCode | Disease | Table 2-1 | Table 2-2 |
# |---|---|---|---|---|---|---|
# | Bob | 23 | A | 11000 | Pneumonia | ✓ | ✓ |
# | Ken | 27 | B | 13000 | Dyspepsia | ✓ | ✓ |
# | Linda | 65 | D | 25000 | Gastritis | ✓ | ✓ |
# | Alice | 65 | D | 25000 | Flu | | ✓ |
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $\lvert D\rvert$ and $\lvert D'\rvert$ differ by 1 | $\boxed{D' = D \text{ with one record added}}$, or the other way round |
# :::
#
# If sizes alone mattered, any two data sets of one size would be neighbours of a third, so an ε-private algorithm could tell them apart by a factor of $e^{2\varepsilon}$ at most, however many records they have.
# Three answers "no" and four answers "yes" would be neighbours as well, and a count with the usual noise does not hide that.
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
# For $S = \emptyset$ both sides are 0, so nothing satisfies the strict inequality for every set.
# With single outputs, the thesis's own randomized response attains equality.
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
# | The larger ε, the stronger the protection. | The $\boxed{\text{smaller}}$ ε, the stronger the protection. |
# :::
#
# §1.1, the remark below property 2.1 and §4.6 state it correctly; §4.2 repeats the slip.
#
# At ε = 0, it says, two neighbours have outputs with one distribution (law), so that nothing can be learnt and the output is of no use.
# This is so for the three local clients of the chapter, W-RR, S-Hist's bit and one-hot RAPPOR.
# As $\varepsilon \to 0$, the best guess between two inputs falls to a coin toss, and the standard error of a share grows like $1/\varepsilon$.
#
# (zhang2018-prop-2-1)=
# ### Property 2.1 · Sequential composition
#
# {badge}`Reproduced <zhang2018.sequential>` · Lesson: {ref}`sec-rr-composition`
#
# Algorithms with budgets $\varepsilon_1, \dots, \varepsilon_n$ on one data set are together $\sum_i \varepsilon_i$-private; one algorithm run $n$ times has $n\varepsilon$.
# Each algorithm needs fresh randomness of its own ({prf:ref}`thm-composition`).
# W-RR attains both sums.
#
# (zhang2018-prop-2-2)=
# ### Property 2.2 · Parallel composition
#
# {badge}`Reproduced <zhang2018.parallel>` · Lesson: {ref}`sec-rr-parallel`
#
# Algorithms on disjoint data sets are together $\max_i \varepsilon_i$-private.
# Each person then has the ε of the one part that holds her record, and the largest of these is attained.
# This property carries GFIM, which divides its users ({ref}`sec-gfim-clients`).

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


settle(
    "zhang2018.sequential",
    {
        "different": adds_up(lambda x, rng: tuple(reply(x, eps, rng) for eps in (0.5, 1.0, 0.25)), 1.75),
        "repeated": all(adds_up(repeated(times), 0.5 * times) for times in (1, 2, 4)),
    },
    control=(
        "two reports with one coin; one report sent twice",
        not adds_up(with_coin, 1.0) and not adds_up(lambda x, rng: (reply(x, 0.5, rng),) * 2, 1.0),
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
    {"largest": isclose(together(personal), max(OWN), abs_tol=1e-12)},
    control=("one person in two parts", not isclose(together(twice), max(OWN), abs_tol=1e-12)),
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
# A single record $R$ takes the place of the data set, and any two records are compared:
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | for any one output $S \in O$ | for any $\boxed{\text{set of outputs } S \subseteq O}$ |
# | $\Pr[A(R) \in S] < e^\varepsilon \Pr[A(R') \in S]$ | $\Pr[A(R) \in S] \boxed{\le} e^\varepsilon \Pr[A(R') \in S]$ |
# :::
#
# The sign is that of {ref}`(2-1) <zhang2018-def-2-2>`.
# The thesis adds that properties 2.1 and 2.2 hold here, too, and our tests of them use local clients.
#
# (zhang2018-2-1-3)=
# ## §2.1.3 How the two models differ
#
# (zhang2018-fig-2-1)=
# ### §2.1.3 (1), Fig. 2-1 · Where the data are perturbed
#
# {badge}`Drawn` from the thesis's words


# %% tags=["hide-input"] mystnb={"figure": {"caption": "Fig. 2-1, redrawn. Above, the central model: the collector holds true data and perturbs what is published. Below, the local model: each person perturbs her own data."}, "image": {"alt": "Two flow diagrams. Central: three people send their values to a collector; behind it stands a box, perturb, and then the result; a dashed line between private and public lies behind the perturbation. Local: each person has a box, perturb, of her own, and the dashed line lies before the collector."}}
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
# {badge}`Drawn` from the thesis's words {badge}`Reproduced <zhang2018.stronger>`

# %% tags=["hide-input"] mystnb={"figure": {"caption": "Fig. 2-2, redrawn: the two places where the central model may leak true data."}, "image": {"alt": "The flow diagram of the central model. Two labels mark leaks of true data: one, on the way, at the arrows from the people to the collector; two, with the collector, under its box."}}
fig, ax = plt.subplots(figsize=(6.4, 2.4))
model(ax, "central", 0.855)
ax.text(0.33, 0.93, "① on the way", ha="center", va="top", color="#D55E00")
ax.text(0.55, 0.2, "② with the\ncollector", ha="center", va="top", color="#D55E00")
plt.show()

# %% [markdown]
# The thesis names two leaks of the central model: the collector may be dishonest or be robbed, and data may be attacked on the way.
# In the central model both places hold true records, by definition.
# In the local model both hold reports.
# For the chapter's three clients, what is sent has exactly ε, and a result computed from reports spends no more.
# An encrypted connection closes the first leak in the central model as well, but not the second.
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
# | Locally there are no neighbouring data sets and no global sensitivity, so the two mechanisms do not apply. | One person's record is a data set of size one, $\boxed{\text{any two records are neighbours}}$, and both apply. |
# | Global sensitivity is the largest distance between two outputs of the randomized algorithm. | … between two values of the $\boxed{\text{query before noise}}$. |
# :::
#
# The thesis argues that two users do not know each other's data.
# But neighbours are a matter of definition, and Definition 2.3 compares any two records $R$ and $R'$.
# For an answer $x \in \{0, 1\}$ the sensitivity is 1, and with two-sided geometric noise $z$, the discrete form of Laplace noise, the report $y = x + z$ has
#
# $$ \frac{\Pr[y \mid x]}{\Pr[y \mid x']} = e^{-\varepsilon\lvert y - x\rvert + \varepsilon\lvert y - x'\rvert} \le e^\varepsilon. $$
#
# The exponential mechanism with the score 1 for the truth and 0 for any other value sends $y$ with a weight of $e^{\varepsilon [y = x]}$.
# The weights have one sum for all $x$, so its ε is exactly ε; it is k-RR.
#
# (zhang2018-2-1-3-b)=
# ### §2.1.3 (4) · Personal settings, and the amount of data
#
# Settings: {badge}`Reproduced under conditions <zhang2018.personal>` data: {badge}`Reproduced under conditions <zhang2018.volume>` · Lesson: {ref}`sec-comp-personal`
#
# The thesis says that local privacy allows everybody a budget of their own, and the central model does not, because there the collector sets ε.
# Locally it is so, as long as the choice does not depend on the data.
# Centrally it is possible as well, if the collector is told the settings: {cite:t}`jorgensen2015conservative` keep the record of person $i$ with probability
#
# $$ \frac{e^{\varepsilon_i}-1}{e^{t}-1}, \qquad t = \max_i \varepsilon_i, $$
#
# and then run a $t$-private algorithm.
#
# Local privacy, it says further, suits big data, and central privacy makes no particular demand on the amount of data.
# The first half is right: for a standard error of one point, W-RR needs from 68 times ($\varepsilon = 1$) to 707 times ($\varepsilon = 0.1$) the people of a count with two-sided geometric noise.
# As to the second half, the central model's demand is smaller, but not nil.
# From ten answers "yes" to ten answers "no" it takes at most 20 steps of adding or removing a record.
# So with $\varepsilon = 0.1$, *any* central algorithm tells the two apart with probability at most
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
# To find the share π of hepatitis B patients among $n$ users, each user tells the truth with probability $p > \frac12$, and the opposite otherwise; $n_1$ say yes.
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
# These are not the true shares, as the thesis says, unless $\pi = \frac12$.
#
# (zhang2018-2-6)=
# ### (2-5), (2-6) · The estimate
#
# {badge}`Corrected · certain <zhang2018.mle>`
#
# With $q = \pi p + (1-\pi)(1-p)$, the likelihood (2-5) is $q^{n_1}(1-q)^{n-n_1}$, as printed.
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
# For $n = 1000$, $\pi = 0.1$ and ε = 1, the printed formula gives −581.
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
# :::
#
# With the right factor, the bracket is $(2p-1)\,\pi$, so the estimate is unbiased, as the thesis concludes.
#
# (zhang2018-2-2-1-a)=
# ### §2.2.1 (a) · The probability p
#
# {badge}`Corrected · certain <zhang2018.p>`
#
# From $p/(1-p) = e^\varepsilon$, which is right, it follows:
#
# :::{table}
# :class: beside
#
# | Printed | Right |
# |---|---|
# | $\displaystyle p = \ln\frac{e^\varepsilon}{e^\varepsilon+1}$ | $\displaystyle p = \boxed{\frac{e^\varepsilon}{e^\varepsilon+1}}$ |
# :::
#
# The printed logarithm is negative for every ε.

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
# (zhang2018-2-2-2-estimate)=
# ### Algorithm 1 · The estimate
#
# {badge}`Reproduced under conditions <zhang2018.shist-estimate>` · Lesson: {ref}`sec-onebit-shist`
#
# The frequency of an item is estimated by the inner product of its column with the collected vector, over $n$.
# For a person with item $x$ and a table of signs $\Phi_{jv} = \pm1$ with $m$ rows, the mean of this estimate is
#
# $$ G_{xv} = \frac1m \sum_j \Phi_{jx}\Phi_{jv}. $$
#
# That is 1 for $v = x$.
# For another item it is 0 on average over all tables, but not for a given one: it is of the order $1/\sqrt m$ ({prf:ref}`thm-shist`).
# With as many rows as Algorithm 1 prescribes, the difference is below the noise.
# For now, the other claims about Algorithm 1 are in {ref}`sec-items-shist`.


# %%
def one_bit(x, signs, eps, rng):
    """A public random row, and the sign of x in it: true with probability e^ε/(e^ε+1)."""
    row = pick(range(len(signs)), rng)
    true = toss(exp(eps) / (exp(eps) + 1), rng)
    return row, signs[row][x] if true else -signs[row][x]


# %% tags=["hide-cell"] mystnb={"code_prompt_show": "Claims settled in §2.2.2: 1 reproduced under conditions"}
def mean_estimate(signs, eps=1.0, scale=None):
    """Mean estimates of all shares, from the exact law: a row for each item held."""
    scale = scale or (exp(eps) + 1) / (exp(eps) - 1)
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
close("zhang2018", "§2.2.2, Algorithm 1", "1 reproduced under conditions")

# %% [markdown]
# (zhang2018-2-3-summary)=
# ## §2.3 Summary of the chapter
#
# The section repeats that local privacy protects better than central privacy ({ref}`§2.1.3 (2) <zhang2018-fig-2-2>`), and why the thesis builds on S-Hist ({ref}`sec-onebit-shist`).
